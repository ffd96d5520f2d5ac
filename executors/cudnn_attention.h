/*
 * cudnn_attention.h - scaled dot product attention and its gradient as graphs of cuDNN.
 *
 * Input: sizes and strides of the operands. Output: a plan whose arguments are, in order: query,
 * key, value, the mask if there is one, result and, when asked for, logarithms of the denominators
 * (forward), or query, key, value, mask, result, logarithms, gradient of the result, gradients of
 * query, key and value, and two pieces of scratch memory (backward).
 */
#ifndef THUNDER_CUDNN_ATTENTION_H
#define THUNDER_CUDNN_ATTENTION_H

#include "cudnn_api.h"

/* Tensors that may lie in any order: the forward part has the first three and the result. */
typedef enum DnStrided {
    DN_query,
    DN_key,
    DN_value,
    DN_result,
    DN_grad, /* of the result */
    DN_grad_query,
    DN_grad_key,
    DN_grad_value,
    DN_mask, /* added to the scores, as large as they are; a stride of 0 where it serves all */
    DN_STRIDED,
} DnStrided;

typedef struct DnAttention {
    DType dtype;
    bool backward, causal, logs; /* logs: the forward part gives them */
    float scale;
    int64_t batch, heads, key_heads, queries, keys, width, value_width;
    int64_t strides[DN_STRIDED][DN_RANK]; /* in elements */
    DType mask;                           /* DT_none: no mask */
} DnAttention;

/* One plan for equal attentions, which the folder cache remembers ("" = none does); NULL when cuDNN
 * has none, with the reason. */
const DnPlan *dn_attention(Dn *dn, const DnAttention *a, Str cache, StrBuf *why_not);
/* Bytes of the scratch memory of the backward part: gradient of the query in f32, row sums. */
int64_t dn_attention_scratch(const DnAttention *a, int which);

#endif
