/*
 * cudnn_attention.h - scaled dot product attention and its gradient as graphs of cuDNN.
 *
 * Input: sizes and strides of the operands. Output: a plan whose arguments are, in order: query,
 * key, value, result and, when asked for, logarithms of the denominators (forward), or query, key,
 * value, result, logarithms, gradient of the result, gradients of query, key and value, and two
 * pieces of scratch memory (backward).
 */
#ifndef THUNDER_CUDNN_ATTENTION_H
#define THUNDER_CUDNN_ATTENTION_H

#include "cudnn_api.h"

typedef struct DnAttention {
    DType dtype;
    bool backward, causal, logs; /* logs: the forward part gives them */
    float scale;
    int64_t batch, heads, queries, keys, width, value_width;
    int64_t q[DN_RANK], k[DN_RANK], v[DN_RANK]; /* strides, in elements */
    int64_t out[DN_RANK], grad[DN_RANK];        /* of the backward part's operands */
} DnAttention;

/* One plan for equal attentions; NULL when cuDNN has none, with the reason. */
const DnPlan *dn_attention(Dn *dn, const DnAttention *a, StrBuf *why_not);
/* Bytes of the scratch memory of the backward part: gradient of the query in f32, row sums. */
int64_t dn_attention_scratch(const DnAttention *a, int which);

#endif
