/*
 * cuda_driver.h - the CUDA driver, opened at run time: one binary works with and without a GPU.
 *
 * Input: calls of core/exec/device.h and of the executors that work on a GPU. Output: their effect
 * on the first GPU, on one stream. The declarations are our own, so no header of CUDA is needed.
 */
#ifndef THUNDER_CUDA_DRIVER_H
#define THUNDER_CUDA_DRIVER_H

#include "device.h"
#include "gen.h"

#include <stdint.h>

typedef int CuResult; /* 0 = success */
typedef struct CuContext CuContext;
typedef struct CuStream CuStream;
typedef struct CuEvent CuEvent;
typedef struct CuModule CuModule;
typedef struct CuFunction CuFunction;
typedef struct CuGraph CuGraph;
typedef struct CuGraphExec CuGraphExec;

/* Functions of the driver: name of the symbol, name here, parameters. */
#define CUDA_DRIVER_FUNCTIONS(F)                                                                   \
    F(cuInit, init, (unsigned flags))                                                              \
    F(cuDriverGetVersion, version, (int *version))                                                 \
    F(cuDeviceGetCount, device_count, (int *n))                                                    \
    F(cuDeviceGet, device_get, (int *device, int ordinal))                                         \
    F(cuDeviceGetName, device_name, (char *name, int len, int device))                             \
    F(cuDeviceGetAttribute, device_attribute, (int *value, int attribute, int device))             \
    F(cuDeviceTotalMem_v2, device_memory, (size_t *bytes, int device))                             \
    F(cuDevicePrimaryCtxRetain, context_retain, (CuContext **context, int device))                 \
    F(cuDevicePrimaryCtxRelease_v2, context_release, (int device))                                 \
    F(cuDevicePrimaryCtxReset_v2, context_reset, (int device))                                     \
    F(cuCtxSetCurrent, context_set, (CuContext *context))                                          \
    F(cuMemGetInfo_v2, mem_info, (size_t *room, size_t *all))                                      \
    F(cuMemAlloc_v2, mem_alloc, (uint64_t *at, size_t bytes))                                      \
    F(cuMemFree_v2, mem_free, (uint64_t at))                                                       \
    F(cuMemHostAlloc, host_alloc, (void **p, size_t bytes, unsigned flags))                        \
    F(cuMemFreeHost, host_free, (void *p))                                                         \
    F(cuMemcpyHtoDAsync_v2, to_device, (uint64_t to, const void *from, size_t n, CuStream *s))     \
    F(cuMemcpyDtoHAsync_v2, to_host, (void *to, uint64_t from, size_t n, CuStream *s))             \
    F(cuMemcpyDtoDAsync_v2, on_device, (uint64_t to, uint64_t from, size_t n, CuStream *s))        \
    F(cuMemsetD8Async, memset8, (uint64_t to, unsigned char byte, size_t n, CuStream *s))          \
    F(cuStreamCreate, stream_create, (CuStream **s, unsigned flags))                               \
    F(cuStreamDestroy_v2, stream_destroy, (CuStream *s))                                           \
    F(cuStreamSynchronize, stream_wait, (CuStream *s))                                             \
    F(cuStreamQuery, stream_query, (CuStream *s))                                                  \
    F(cuStreamBeginCapture_v2, capture_begin, (CuStream *s, int mode))                             \
    F(cuStreamEndCapture, capture_end, (CuStream *s, CuGraph **g))                                 \
    F(cuGraphInstantiateWithFlags, graph_instantiate,                                              \
      (CuGraphExec **exec, CuGraph *g, unsigned long long flags))                                  \
    F(cuGraphLaunch, graph_launch, (CuGraphExec *exec, CuStream *s))                               \
    F(cuGraphDestroy, graph_destroy, (CuGraph *g))                                                 \
    F(cuGraphExecDestroy, graph_exec_destroy, (CuGraphExec *exec))                                 \
    F(cuEventCreate, event_create, (CuEvent **e, unsigned flags))                                  \
    F(cuEventDestroy_v2, event_destroy, (CuEvent *e))                                              \
    F(cuEventRecord, event_record, (CuEvent *e, CuStream *s))                                      \
    F(cuEventSynchronize, event_wait, (CuEvent *e))                                                \
    F(cuEventElapsedTime, event_elapsed, (float *ms, CuEvent *from, CuEvent *to))                  \
    F(cuStreamWriteValue32_v2, write_value,                                                        \
      (CuStream * s, uint64_t to, uint32_t value, unsigned flags))                                 \
    F(cuModuleLoadData, module_load, (CuModule **m, const void *image))                            \
    F(cuModuleUnload, module_unload, (CuModule *m))                                                \
    F(cuModuleGetFunction, module_function, (CuFunction **f, CuModule *m, const char *name))       \
    F(cuFuncSetAttribute, function_set, (CuFunction *f, int attribute, int value))                 \
    F(cuLaunchKernel, launch,                                                                      \
      (CuFunction *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,             \
       unsigned bz, unsigned shared, CuStream *s, void **params, void **extra))                    \
    F(cuGetErrorName, error_name, (CuResult r, const char **name))                                 \
    F(cuGetErrorString, error_text, (CuResult r, const char **text))

/* A launch with attributes, as the driver wants it. */
typedef struct CuAttribute {
    int id;
    char pad[4];
    union {
        int on;
        char bytes[64];
    };
} CuAttribute;

typedef struct CuLaunch {
    unsigned grid[3], block[3], shared;
    CuStream *stream;
    CuAttribute *attributes;
    unsigned n;
} CuLaunch;

typedef struct CudaFunctions {
#define FIELD(symbol, name, params) CuResult(*name) params;
    CUDA_DRIVER_FUNCTIONS(FIELD)
#undef FIELD
    /* NULL in drivers before 11.3. */
    CuResult (*capture_info)(CuStream *s, int *status, uint64_t *id, CuGraph **g,
                             DeviceNode const **last, size_t *n);
    CuResult (*capture_after)(CuStream *s, DeviceNode *nodes, size_t n, unsigned flags);
    /* NULL in drivers before CUDA 12. */
    CuResult (*launch_with)(const CuLaunch *l, CuFunction *f, void **params, void **extra);
} CudaFunctions;

enum { STAGING_LANES = 8, STAGING_SLOTS = 2, MAX_FLAGS = 4096 };

/* Pinned memory through which one thread moves elements, in turn; see cuda_staging.h. */
typedef struct StagingLane {
    void *data[STAGING_SLOTS];
    CuEvent *passed[STAGING_SLOTS]; /* the stream has, what was there last */
    uint32_t turn;
} StagingLane;

typedef struct CudaDevice {
    OpenDevice base;
    void *lib;
    CudaFunctions fn;
    int device;
    CuContext *context;
    CuStream *stream;
    CuEvent *marks[DEVICE_MARKS];
    StagingLane lanes[STAGING_LANES];
    uint32_t nlanes;
    int *flags;    /* in the host's memory, written by kernels: one number for each that can fail */
    uint32_t nflags;
} CudaDevice;

extern const DeviceDriver cuda_driver;

/* Whether this machine seems to have a GPU; looks for the driver's device files only. */
bool cuda_seems_present(StrBuf *why_not);
static inline CudaDevice *cuda_of(OpenDevice *dev) { return (CudaDevice *)dev; }
/* Writes the elements of a view, sizes and strides in elements, one after another. */
bool cuda_gather(OpenDevice *dev, uint64_t to, uint64_t from, size_t size, uint32_t rank,
                 const int64_t *sizes, const int64_t *strides);
/* Whether r is success; notes the failure with what was asked. */
bool cuda_check(CudaDevice *c, CuResult r, const char *what);
/* What gen writes for. */
GenTarget cuda_target(const OpenDevice *dev);
/* A library of CUDA in folder, else as the loader finds it, else in the usual folders of a toolkit;
 * names end with NULL. NULL with a clause. */
void *cuda_library(Str folder, const char *const *names, StrBuf *why_not);
/* Loads libraries that lie beside lib, as far as they do. */
void cuda_library_parts(void *lib, const char *const *names);

#endif
