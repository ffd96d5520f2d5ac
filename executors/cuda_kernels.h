/*
 * cuda_kernels.h - generated CUDA texts as loaded code, and tensors as their arguments.
 *
 * Input: texts with their launch plans (core/gen), tensors of a call. Output: modules on the GPU,
 * launches on its stream, addresses of dense tensors there. What the executors on a GPU share.
 */
#ifndef THUNDER_CUDA_KERNELS_H
#define THUNDER_CUDA_KERNELS_H

#include "cuda_driver.h"
#include "exec.h"
#include "gen.h"
#include "nvrtc.h"

/* A loaded image; kernels of equal text share it. */
typedef struct CudaModule {
    int refs;
    CuModule *module;
} CudaModule;

typedef struct CudaCode {
    GenCuda plan;
    CudaModule *module;
    CuFunction *fn[MAX_LAUNCHES];
    uint64_t scratch; /* address of plan.scratch bytes */
    bool late;        /* arguments were made just before: no launch begins early */
} CudaCode;

typedef struct CudaBuild {
    Kernel *kernel; /* the caller's */
    Str text;
    CudaCode *code; /* its plan is set */
    uint64_t hash, compile_ns; /* results */
    bool cached;
} CudaBuild;

/* Compiles what the cache lacks, several at a time, and loads all. On an error nothing is kept. */
bool cuda_code_load(CudaBuild *list, uint32_t n, const CompileOptions *o, Diag *d);
void cuda_code_free(CudaCode *c, OpenDevice *dev);
/* Queues the launches of c; at: addresses of inputs and outputs, with room for two more. */
bool cuda_code_launch(const CudaCode *c, OpenDevice *dev, uint64_t *at, uint32_t n, int *flag);

/* Queues one launch. In a recording one that is `early` (l->early too) may begin before the one
 * before it has ended, and then waits for that itself: its start costs no time. Other work in the
 * stream is waited for as always, and so is more than one launch. */
CuResult cuda_launch_one(OpenDevice *dev, const GenLaunch *l, bool early, CuFunction *f,
                         void **params);

/* Address of a dense copy of input v; *made (to be dropped after the launch) when there had to be
 * one made. false after an error, or when the device failed (cuda_failed says so). */
bool cuda_input(ExecCall *call, ValueId v, const Type *type, uint64_t *at, Tensor **made);
/* The same for an input that may be strided: *t as it lies on the device. */
bool cuda_strided_input(ExecCall *call, ValueId v, const Type *type, uint64_t *at, Tensor **t);
/* Address of the place of result v: where it was put, or a new buffer. */
bool cuda_output(ExecCall *call, ValueId v, const Type *type, uint64_t *at);
/* The same where the place may be strided: *t as it lies on the device. */
bool cuda_strided_output(ExecCall *call, ValueId v, const Type *type, uint64_t *at, Tensor **t);
/* A dense copy of t on the call's device, where it is; NULL when there is no memory. */
Tensor *cuda_dense(ExecCall *call, const Tensor *t);
/* The error of an executor that is run without a prepared kernel. Always false. */
bool cuda_needs_session(ExecCall *call, const char *executor);
/* The error after a failed launch, unless there is one already. Always false. */
bool cuda_failed(ExecCall *call, Str name);

/* Ways to compute a region that have not been compared yet. */
typedef struct CudaTuning CudaTuning;
CudaTuning *cuda_tuning_new(const Region *r, const GenOptions *g, const GenTarget *target, Str text,
                            const CompileOptions *o);
/* Measures each on these arguments, the level-2 cache emptied in between, and puts the fastest into
 * *code. Remembers the choice in the folder of the options. */
void cuda_tune(CudaTuning *t, OpenDevice *dev, uint64_t *at, uint32_t n, int *flag, CudaCode *code);
void cuda_tuning_free(CudaTuning *t, OpenDevice *dev);
/* Milliseconds of one fn(user) on an emptied level-2 cache: the median of a few; < 0 = failed. Of
 * one or two, where they are far from `beat`, the best way so far (< 0: there is none). */
double cuda_time(OpenDevice *dev, bool (*fn)(void *user), void *user, double beat);


#endif
