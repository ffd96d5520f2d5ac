/*
 * ends.h - products and what an executor computes at their end (Executor.ends), for pass claim.
 */
#ifndef THUNDER_ENDS_H
#define THUNDER_ENDS_H

#include "pass.h"

typedef struct EndGroup {
    const Executor *executor;
    NodeId members[MAX_ENDS]; /* in order of the trace */
    uint32_t n;
    NodeId at; /* the member where it stands */
} EndGroup;

typedef struct Ends {
    uint32_t *group; /* by node: 1 + number of its group, 0 = none; NULL = there are no groups */
    EndGroup *items;
    uint32_t n;
    Flow flow; /* of the trace that they are in */
} Ends;

/* Finds the groups of in, one application of rule "join" each. Arrays lie in a. */
void ends_find(PassCtx *c, const Trace *in, Arena *a, Ends *out);
/* The group of node n; NULL when it has none. */
static inline const EndGroup *ends_of(const Ends *e, NodeId n)
{
    return e->group && e->group[n] ? &e->items[e->group[n] - 1] : NULL;
}
/* Appends group g as one prims.call, its members below. */
void ends_write(const EndGroup *g, const Ends *all, const Trace *in, Trace *t);

#endif
