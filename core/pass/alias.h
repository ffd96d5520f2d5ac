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

void alias_build(Alias *a, const Trace *t); /* linear in the trace */
void alias_free(Alias *a);
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
