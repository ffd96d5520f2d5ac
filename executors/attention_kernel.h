/*
 * attention_kernel.h - softmax(q k^T scale + mask) v and its gradients, block by block.
 *
 * Input: strided operands. Output: dense results. No matrix of all scores is ever written: a block
 * of them lives in the first cache, and the softmax is corrected as larger scores turn up (online
 * softmax). Gradients compute the blocks again from the logarithms of the sums.
 */
#ifndef THUNDER_ATTENTION_KERNEL_H
#define THUNDER_ATTENTION_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_LEADING = 8 };

typedef enum AttentionType { ATTENTION_f32, ATTENTION_bf16, ATTENTION_bool } AttentionType;

/* [leading.., rows, columns]; strides in elements, 0 where it is the same for all. p NULL: none. */
typedef struct AttentionTensor {
    void *p;
    AttentionType type;
    int64_t leading[MAX_LEADING], row, col;
} AttentionTensor;

/* Dropout: a weight is kept, times factor, where the 24 bits that Philox gives for it, by its
 * number among all scores, are below `below`. 0: there is no dropout. */
typedef struct AttentionDrop {
    uint64_t seed, offset;
    uint32_t below;
    float factor;
} AttentionDrop;

typedef struct Attention {
    uint32_t nleading;
    int64_t leading[MAX_LEADING]; /* sizes; the last is that of the heads */
    int64_t group;                /* query heads that share a key head */
    int64_t queries, keys, width, value_width;
    float scale;
    bool causal;
    AttentionDrop drop;
    AttentionTensor q, k, v, mask;
    AttentionTensor out, lse;              /* results; in a gradient operands. lse has no columns */
    AttentionTensor grad, dq, dk, dv;      /* of a gradient only */
} Attention;

/* Floats of scratch memory that a call needs, aligned to 64 bytes. */
size_t attention_scratch(const Attention *a, bool gradient);
/* stop (may be NULL): gives up when it becomes non-zero. */
void attention_forward(const Attention *a, float *scratch, const volatile int *stop);
void attention_backward(const Attention *a, float *scratch, const volatile int *stop);

#endif
