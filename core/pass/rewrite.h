/*
 * rewrite.h - what the passes share when they copy a trace and change it on the way.
 */
#ifndef THUNDER_REWRITE_H
#define THUNDER_REWRITE_H

#include "pass.h"

static inline bool node_is_prim(const Node *n, enum PrimId id)
{
    return n->op->id == (uint32_t)id;
}
/* Dels are made by the last pass only; every other pass drops those it finds, since it may need a
 * value for longer. */
static inline bool node_is_del(const Node *n)
{
    return node_is_prim(n, PRIM_python_del);
}

/* Marks the cotangents: inputs that only nodes behind `end`, the end_forward, read, and that it
 * does not list (it lists those that the program has, unless that came with an end_forward). */
void find_cotangents(const Trace *t, NodeId end, bool *set);

/* Facts of a node and of everything below it, joined. */
uint32_t subtree_flags(const Trace *t, NodeId n);
/* The leaf prim that node n of t consists of (itself, if it is one); NO_NODE when it is more. */
NodeId single_prim(const Trace *t, NodeId n);
/* By value: how many top-level nodes read it, one more when it is an output. */
uint32_t *count_readers(const Trace *t, Arena *a);
ValueId first_value(Arg a); /* the first value in a tree, 0 when there is none */
/* Of an int literal, or an int value that is known. */
bool known_int(const Trace *t, Arg a, int64_t *out);
/* The ints of a sequence (or of one int); false when one is unknown or there are more than max. */
bool known_ints(const Trace *t, Arg a, int64_t *out, uint32_t max, uint32_t *n);

/* Dimensions of a tensor of this rank: counted from the end when negative; false when one is out of
 * range (the text of a trace may say anything). */
bool known_dims(const Trace *t, Arg a, uint32_t rank, int64_t *out, uint32_t *n);

/* A builder that appends to t on behalf of node n: its source location, its part
 * (forward or backward) and its checkpoint region are taken over. */
Build build_for(PassCtx *c, Trace *t, const Node *n);

/* Values joined in a pass; their origins are merged at its end in one go, so that joining many
 * values into one stays linear. */
typedef struct Join {
    ValueId into, from;
} Join;
typedef struct Joins {
    Join *items;
    uint32_t n, cap;
} Joins;
void joins_add(Joins *j, ValueId into, ValueId from); /* into stays, and is never joined itself */
void joins_finish(Joins *j, Trace *t);                /* merges the origins and frees j */

/* Calls fn for the values of two trees of the same shape, side by side. */
void arg_each_pair(Arg a, Arg b, void (*fn)(ValueId a, ValueId b, void *user), void *user);

#endif
