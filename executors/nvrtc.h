/*
 * nvrtc.h - CUDA C++ text to machine code: NVRTC, opened at run time.
 *
 * Input: text and an architecture. Output: a cubin (sm_XX) or PTX (compute_XX), and what the
 * assembler said of each kernel's registers, shared memory and spills. Works without a GPU and
 * without CUDA's headers. Compiled images are kept in a folder under a hash of everything that
 * decides them, as cc.h keeps shared objects.
 */
#ifndef THUNDER_NVRTC_H
#define THUNDER_NVRTC_H

#include "exec.h"

typedef struct Nvrtc Nvrtc; /* the library and its functions */

/* Opens NVRTC: in folder (may be "": a toolkit's folder or the one that holds the library), else
 * by name as the loader finds it, else in the toolkit's usual places. NULL with a clause. */
Nvrtc *nvrtc_open(Str folder, StrBuf *why_not);
void nvrtc_close(Nvrtc *n); /* NULL is allowed */

typedef enum CudaImageKind { CUDA_cubin, CUDA_ptx } CudaImageKind;

/* What one kernel of an image needs, as the assembler reports it. */
typedef struct CudaUse {
    char name[96];
    uint32_t registers, shared, stack, spill_stores, spill_loads; /* bytes but for registers */
} CudaUse;

enum { MAX_CUDA_USES = 7 };

typedef struct CudaImage {
    char *data; /* NUL-terminated when it is PTX */
    size_t size;
    CudaUse use[MAX_CUDA_USES]; /* of a cubin */
    uint32_t nuse;
    uint64_t compile_ns; /* 0 when it came from the cache */
    bool cached;
} CudaImage;

/* Compiles text for arch (80, 90, 100); cache_dir "" keeps nothing. May be called from several
 * threads. False with an item "kernel-compile" whose note is the compiler's log and whose span is
 * the first line that it complains about. */
bool nvrtc_compile(const Nvrtc *n, Str text, CudaImageKind kind, uint32_t arch, bool fast_math,
                   Str cache_dir, CudaImage *out, Diag *d);
void cuda_image_free(CudaImage *image);

/* Warps on a multiprocessor at once, as a share of the most that it can hold. */
double cuda_occupancy(uint32_t arch, uint32_t threads, uint32_t registers, uint32_t shared);

#endif
