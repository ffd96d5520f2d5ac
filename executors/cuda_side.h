/*
 * cuda_side.h - a kernel of a few prims that an executor needs beside its library.
 *
 * Input: types. Output: a trace of its own with one call, compiled by the executor cuda.
 */
#ifndef THUNDER_CUDA_SIDE_H
#define THUNDER_CUDA_SIDE_H

#include "cuda_kernels.h"

typedef struct CudaSide {
    Trace *t;
    Kernel *kernel;
    ValueId in[2], out;
} CudaSide;

/* y + bias, a number for each channel (dimension 1), in the bias's dtype; y may be f32 where that
 * is f16 or bf16. false after an error. */
Arg cuda_bias_added(Build *b, Arg y, const Type *type, Arg bias, const Type *bias_type);
bool cuda_side_add_bias(CudaSide *s, const Registry *reg, const Type *y, const Type *bias,
                        const CompileOptions *o, Diag *d);
/* The sum of y over all dimensions but the channels'. */
bool cuda_side_sum_channels(CudaSide *s, const Registry *reg, const Type *y,
                            const CompileOptions *o, Diag *d);
/* out: a place for the result, or NULL, then it gets a new tensor. */
/* A mask as something to add in dtype d: of bools 0 and -inf; of numbers no finite one below
 * `least`, -inf stays. */
bool cuda_side_mask(CudaSide *s, const Registry *reg, const Type *mask, DType d, double least,
                    const CompileOptions *o, Diag *diag);
bool cuda_side_run(const CudaSide *s, ExecCall *call, Tensor *a, Tensor *b, Tensor **out);
void cuda_side_drop(CudaSide *s);
/* A node that the library turns out not to have: its prims one after another by the interpreter. */
bool cuda_run_on_host(ExecCall *call);
/* Options for kernels that are made later, at a launch. */
CompileOptions cuda_later_options(Arena *a, const CompileOptions *o);

#endif
