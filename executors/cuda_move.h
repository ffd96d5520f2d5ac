/*
 * cuda_move.h - prims that move elements to where an index or an offset says: ready-made kernels.
 *
 * Input: cat, pad and embedding_backward, which core/gen writes no loop for. Output: fills, strided
 * copies and sums by atomic additions on the GPU.
 */
#ifndef THUNDER_CUDA_MOVE_H
#define THUNDER_CUDA_MOVE_H

#include "cuda_kernels.h"

typedef struct CudaMove CudaMove;

/* Whether there is such a kernel for node n. */
bool cuda_move_takes(const Trace *t, NodeId n, StrBuf *why_not);
CudaMove *cuda_move_new(Arena *a, const Trace *t, NodeId n);
/* gelu by tanh of n elements (f32, bf16, f16). */
bool cuda_gelu(OpenDevice *dev, DType dtype, uint64_t to, uint64_t from, int64_t n);
/* flag gets 2 for an index out of range. */
bool cuda_move_launch(const CudaMove *m, ExecCall *call, int *flag);

#endif
