/*
 * cuda_move.h - prims that move elements to where an offset says: ready-made kernels.
 *
 * Input: cat and pad by themselves. Output: fills and strided copies on the GPU.
 */
#ifndef THUNDER_CUDA_MOVE_H
#define THUNDER_CUDA_MOVE_H

#include "cuda_kernels.h"

typedef struct CudaMove CudaMove;

/* Whether there is such a kernel for node n. */
bool cuda_move_takes(const Trace *t, NodeId n, StrBuf *why_not);
CudaMove *cuda_move_new(Arena *a, const Trace *t, NodeId n);
bool cuda_move_launch(const CudaMove *m, ExecCall *call);

#endif
