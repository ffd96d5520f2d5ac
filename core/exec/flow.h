/*
 * flow.h - who makes and who reads each value, at the top level of a trace.
 */
#ifndef THUNDER_FLOW_H
#define THUNDER_FLOW_H

#include "ir.h"

typedef struct Flow {
    const Trace *t;
    const NodeId *maker;   /* by value: the top-level node that makes it; NO_NODE = an input */
    const uint32_t *start; /* by value: its readers are readers[start[v] .. start[v + 1]) */
    const NodeId *readers; /* each node once, in order; NO_NODE = the trace's output */
} Flow;

/* Arrays lie in a. */
void flow_init(Flow *f, const Trace *t, Arena *a);

static inline uint32_t flow_readers(const Flow *f, ValueId v)
{
    return f->start[v + 1] - f->start[v];
}

/* The only reader of v; NO_NODE when there are more, none, or it is the output. */
static inline NodeId flow_only_reader(const Flow *f, ValueId v)
{
    return flow_readers(f, v) == 1 ? f->readers[f->start[v]] : NO_NODE;
}

#endif
