/*
 * alias.h - which values share storage, and how.
 *
 * A value that a view makes points to its parent, the value it is a view of; the root of a chain of
 * views owns the storage. Strides are followed, so that a reshape counts as a view exactly where
 * PyTorch makes it one; what is not made by a view is dense. Views inside a composite count too:
 * the composite's result and the sub-node's are one value.
 */
#ifndef THUNDER_ALIAS_H
#define THUNDER_ALIAS_H

#include "ir.h"

typedef struct Alias {
    Arena arena;
    const Trace *t;
    ValueId *parent;         /* by value: one view step up; 0 = a root (or no tensor) */
    ValueId *root;           /* by value; itself for a root */
    ValueId *same;           /* by value: the first value of which it is only another name */
    uint32_t *depth;         /* by value: views between it and its root, renames not counted */
    NodeId *maker;           /* of a view, or a copied root: the leaf node that makes it */
    const int64_t **strides; /* in elements; NULL = dense, row-major */
    int64_t *offset;         /* in elements from the root's first one */
    ValueId *copied;         /* by root that a view prim made: what it had to copy; else 0 */
    uint8_t *written;        /* by root: some node of the trace writes into the storage */
    uint32_t nwrites;        /* leaf nodes that write */
} Alias;

/* How the elements of a value lie in its storage. */
typedef struct Layout {
    uint32_t rank;
    const int64_t *shape;
    int64_t strides[MAX_RANK];
    int64_t offset;
} Layout;

/* Results that kernels write into a part of another value's storage, and not densely: all by
 * value. */
typedef struct Layouts {
    const Value *values; /* their layouts; NULL = all are dense */
    const ValueId *whole; /* whose storage this one is a part of, 0 = none; may be NULL */
    const int64_t *at;    /* where in it, in elements */
} Layouts;

void alias_build(Alias *a, const Trace *t); /* linear in the trace */
/* The same where kernels lay results out so. */
void alias_build_laid(Alias *a, const Trace *t, const Layouts *l);
void alias_free(Alias *a);
/* The layout of v in its root's storage. */
void alias_layout(const Alias *a, ValueId v, Layout *out);
/* What a leaf node does to the layout of its first argument; false when its result is a copy. */
bool layout_step(const Trace *t, const Node *n, const Layout *l, const Type *to, Layout *out);
/* The other way around: the layout of the argument, of type from, that gives the result the layout
 * l. Of views that show all elements; false of others, and where there is none. */
bool layout_back(const Trace *t, const Node *n, const Layout *l, const Type *from, Layout *out);
void layout_dense(const Type *type, Layout *out); /* row-major; rank at most MAX_RANK */
bool layout_is_dense(const Layout *l);
bool trace_has_writes(const Trace *t); /* any in-place node: cheaper than an Alias */

/* Whether joining two values could be seen: they are in different storage, and one is written. */
bool alias_join_is_unsafe(const Alias *a, ValueId x, ValueId y);
/* Whether two elements of v may be in one place: PyTorch refuses to write into such a value. */
bool alias_overlaps(const Alias *a, ValueId v);
/* A leaf node whose result, if it is a view, is its first argument (copy_: its second) under
 * another name. */
bool is_rename(const Node *n);
/* The argument whose storage the results of a leaf node share; 0 = they own theirs. */
ValueId shared_argument(const Trace *t, const Node *n);

#endif
