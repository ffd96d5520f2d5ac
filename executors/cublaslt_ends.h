/*
 * cublaslt_ends.h - what a library computes at the end of a product, as nodes of a trace.
 *
 * Input: a product or a convolution and its readers, or the call that they were joined to. Output:
 * which nodes go together, and which value plays which part.
 */
#ifndef THUNDER_CUBLASLT_ENDS_H
#define THUNDER_CUBLASLT_ENDS_H

#include "exec.h"

typedef enum LtEnd {
    LT_END_none,
    LT_END_gelu, /* by tanh; what it is computed of may be a result, too */
    LT_END_relu,
    LT_END_add,  /* of something that is as large as the product */
} LtEnd;

typedef struct LtParts {
    LtEnd end;
    NodeId product; /* the prim */
    ValueId made;   /* what it gives by itself */
    ValueId result; /* what is written in its place */
    ValueId aux;    /* what gelu is computed of; what is added */
    bool relu;      /* behind the addition */
    ValueId wide[2], narrow[2]; /* casts to f32, and of what */
    uint32_t ncasts;
} LtParts;

/* For Executor.ends: of products; of convolutions, which cuDNN computes. */
uint32_t lt_ends(const Flow *f, NodeId n, NodeId members[MAX_ENDS], StrBuf *why);
uint32_t lt_conv_ends(const Flow *f, NodeId n, NodeId members[MAX_ENDS], StrBuf *why);
/* The parts of a call that was made of such nodes, or of a single product. */
bool lt_read_parts(const Trace *t, NodeId n, LtParts *out);
/* What follows the product of call n, as node 0 of a trace of its own, which is not finished: what
 * it reads is made nowhere in it. Release it with trace_unref. */
Trace *lt_rest(const Trace *t, NodeId n, const LtParts *p);

#endif
