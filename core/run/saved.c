/*
 * saved.c - what the backward part of a training program needs of the forward part.
 *
 * Input: a split trace, or a joint one whose backward nodes are marked. Output: the inputs and the
 * results of forward nodes that backward nodes read, each with the first reader, in the order of
 * their numbers. Of a split trace it is what end_forward lists.
 */
#include "run.h"

#include <stdlib.h>

typedef struct Search {
    const Trace *t;
    NodeId *reader; /* by value: first backward node that reads it, NO_NODE = none */
    NodeId now;
} Search;

static void note_reader(ValueId v, void *user)
{
    Search *s = user;
    if (s->reader[v] == NO_NODE && s->t->values[v].type.kind == VALUE_tensor)
        s->reader[v] = s->now;
}

static void forget(ValueId v, void *user)
{
    ((Search *)user)->reader[v] = NO_NODE;
}

static bool is_backward(const Trace *t, NodeId n, NodeId end)
{
    return end == NO_NODE ? (t->nodes[n].flags & NF_BACKWARD) != 0 : n > end;
}

static void find_readers(Search *s, NodeId end)
{
    const Trace *t = s->t;
    for_top(t, i) {
        const Node *node = &t->nodes[i];
        s->now = i;
        if (is_backward(t, i, end) && !(node->op->flags & OP_CONTROL))
            arg_each_value((Arg){.kind = ARG_tuple, .n = node->nargs, .items = node->args},
                           note_reader, s);
    }
}

/* Results of backward nodes are not saved; in a split trace only what end_forward lists is. */
static void keep_saved(Search *s, NodeId end)
{
    const Trace *t = s->t;
    if (end == NO_NODE) {
        for_top(t, i)
            if (is_backward(t, i, end))
                arg_each_value(t->nodes[i].out, forget, s);
        return;
    }
    NodeId *found = s->reader;
    ValueId *saved = run_realloc(NULL, t->nvalues * sizeof *saved);
    uint32_t n = arg_values(t->nodes[end].args[1], saved, t->nvalues);
    s->reader = run_realloc(NULL, t->nvalues * sizeof *s->reader);
    for (ValueId v = 0; v < t->nvalues; v++)
        s->reader[v] = NO_NODE;
    for (uint32_t i = 0; i < n; i++) /* one that is itself a gradient has no reader but the end */
        if (t->values[saved[i]].type.kind == VALUE_tensor)
            s->reader[saved[i]] = found[saved[i]] == NO_NODE ? end : found[saved[i]];
    free(saved);
    free(found);
}

uint32_t trace_saved(const Trace *t, Saved **out)
{
    Search s = {.t = t, .reader = run_realloc(NULL, t->nvalues * sizeof(NodeId))};
    NodeId end = trace_end_of_forward(t);
    uint32_t n = 0;
    for (ValueId v = 0; v < t->nvalues; v++)
        s.reader[v] = NO_NODE;
    find_readers(&s, end);
    keep_saved(&s, end);
    for (ValueId v = 1; v < t->nvalues; v++)
        n += s.reader[v] != NO_NODE;
    *out = run_realloc(NULL, (n + 1) * sizeof **out);
    n = 0;
    for (ValueId v = 1; v < t->nvalues; v++)
        if (s.reader[v] != NO_NODE)
            (*out)[n++] = (Saved){v, s.reader[v], type_bytes(&t->values[v].type)};
    free(s.reader);
    return n;
}
