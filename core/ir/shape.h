/*
 * shape.h - the shape rules that prims.def names; their declarations come from the table itself.
 * Also the one reading of index keys a[i, 1:3, None, mask], which rules and executors share.
 */
#ifndef THUNDER_SHAPE_H
#define THUNDER_SHAPE_H

#include "ir.h"

#define PRIM(name, sig, flags, sh, ...) ShapeFn sh;
#include "prims.def"
#undef PRIM

typedef enum IndexKind {
    INDEX_new,    /* None: a new dimension of size 1 */
    INDEX_int,    /* element `start` of dimension dim */
    INDEX_scalar, /* the element that the 0-d integer tensor `tensor` names; as INDEX_int */
    INDEX_slice,  /* n elements from start every step */
    INDEX_tensor, /* integer tensor */
    INDEX_mask,   /* bool tensor over tensor_rank dimensions from dim on */
} IndexKind;

typedef struct IndexItem {
    IndexKind kind;
    uint32_t dim; /* first dimension of the indexed tensor that it takes */
    int64_t start, step, n;
    ValueId tensor; /* INDEX_scalar, _tensor, _mask; 0 for a mask that is a literal bool */
    bool literal;   /* that bool */
} IndexItem;

enum { MAX_INDEX_ITEMS = 2 * MAX_RANK + 1 };

/* Where the parts of a key go. Index tensors and masks are broadcast together into one block of
 * dimensions; it stands where they stand when they are next to each other (ints between them do not
 * count), else in front, as in PyTorch. */
typedef struct IndexPlan {
    IndexItem items[MAX_INDEX_ITEMS];
    uint32_t n;
    bool has_block, has_mask; /* with a mask the sizes of block and result depend on data */
    uint32_t block_at;        /* result dimension where the block begins */
    uint32_t block_rank;
    int64_t block[MAX_RANK];
    uint32_t rank; /* of the result, when !has_mask */
    int64_t shape[MAX_RANK];
} IndexPlan;

/* Reads keys (nkeys items of argument number arg) for a tensor of type a. python_key: as in
 * a[keys], where None is a new dimension and a 0-d integer tensor stands for an int; otherwise as
 * aten.index has it, where None takes a whole dimension. false after infer_error. */
bool index_plan(Infer *inf, int arg, const Type *a, const Arg *keys, uint32_t nkeys,
                bool python_key, IndexPlan *out);

#endif
