/*
 * cuda_inspect.h - the CUDA of a node for a named architecture, without a GPU.
 *
 * Input: a node that core/gen takes. Output: its text, its PTX or its machine code, and what each
 * kernel needs of a multiprocessor, as comments in front.
 */
#ifndef THUNDER_CUDA_INSPECT_H
#define THUNDER_CUDA_INSPECT_H

#include "gen.h"
#include "diag.h"

typedef enum CudaForm { CUDA_text, CUDA_assembly, CUDA_machine } CudaForm;

typedef struct CudaView {
    CudaForm form;
    uint32_t arch; /* 80, 90, 100 */
    bool eager_rounding, fast_math;
    Str folder;    /* of CUDA's libraries and tools; "" = the usual ones */
} CudaView;

/* "sm_90", "90", "9.0"; 0 when it is none. */
uint32_t cuda_arch_parse(Str s);
/* Appends the form of the kernels of node n. Without NVRTC the text has no figures in front. */
bool cuda_inspect(const Trace *t, NodeId n, const CudaView *v, StrBuf *out, Diag *d);

#endif
