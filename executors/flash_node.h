/*
 * flash_node.h - attention as one kernel of our own: what it takes, its CUDA text, its arguments.
 *
 * Input: the composites of attention. Output: text that keeps no scores, and the one parameter with
 * which its kernels are launched. Nothing here needs a GPU, so tests run the text on the CPU.
 */
#ifndef THUNDER_FLASH_NODE_H
#define THUNDER_FLASH_NODE_H

#include "attention_op.h"

/* The parameter of the kernels: the text declares the same. Steps are in elements. */
typedef struct FlashOperand {
    uint64_t at;
    int64_t batch, head, row, column;
} FlashOperand;

typedef struct FlashFacts {
    FlashOperand q, k, v, mask, out, grad, dq, dk, dv, dmask;
    uint64_t logs, sums;
    uint64_t offset; /* of dropout, with the keys of Philox's rounds */
    uint32_t keys_of_rounds[20];
    int64_t batches, heads, group, queries, keys, tiles;
    int64_t dmask_sizes[4]; /* of the mask's gradient */
    uint32_t last;       /* of dropout: the largest word of what is kept */
    float factor, scale; /* factor: of what is kept; 1 without dropout */
    int whole; /* operands can be read 16 bytes at a time */
    int pairs; /* results can be written two elements at a time */
    int mask_whole; /* the mask can be read 16 bytes at a time */
} FlashFacts;

typedef enum FlashIn {
    FLASH_q,
    FLASH_k,
    FLASH_v,
    FLASH_mask,
    FLASH_result, /* and the next two: of the gradient only */
    FLASH_logs,
    FLASH_grad,
    FLASH_IN,
} FlashIn;

enum { FLASH_OUT = 4, FLASH_LAUNCHES = 4 }; /* the last is of a mask */

typedef struct FlashLaunch {
    const char *name;
    int64_t blocks, tiles; /* tiles: the fact of this launch */
    uint32_t threads, shared;
} FlashLaunch;

typedef struct Flash {
    DType dtype, mask_dtype; /* mask_dtype DT_none: no mask */
    bool backward, causal;
    int64_t batch, heads, group, queries, keys, width, value_width;
    float scale;
    AttentionDrop drop;
    ValueId in[FLASH_IN], out[FLASH_OUT]; /* 0 = it has no such */
    Type in_type[FLASH_IN], out_type[FLASH_OUT];
    uint32_t nout;
    uint32_t shared_max; /* bytes of shared memory that a block may have; 0 = as many as it likes */
} Flash;

bool flash_takes(const Trace *t, NodeId n, StrBuf *why_not);
/* Reads a node that it takes; types lie in a. */
void flash_read(Flash *f, Arena *a, const Trace *t, NodeId n);
void flash_text(const Flash *f, StrBuf *out);
/* The kernels of the text in their order; how many. */
uint32_t flash_launches(const Flash *f, FlashLaunch out[FLASH_LAUNCHES]);
int64_t flash_scratch(const Flash *f); /* bytes: a sum for each query of a gradient */

/* Whether the kernels read an operand of this shape, or write a result, with these strides. */
bool flash_lays(const Type *type, const int64_t *strides);
/* All facts but the addresses of scratch memory; in and out are laid out as flash_lays wants it,
 * at their addresses. */
void flash_facts(const Flash *f, Tensor *const *in, const uint64_t *in_at, Tensor *const *out,
                 const uint64_t *out_at, FlashFacts *facts);

#endif
