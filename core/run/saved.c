/*
 * saved.c - what the backward part of a joint trace needs of the forward part.
 *
 * Input: a trace whose backward nodes are marked. Output: the inputs and the results of forward
 * nodes that backward nodes read, each with the first reader, in the order of their numbers.
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

uint32_t trace_saved(const Trace *t, Saved **out)
{
    Search s = {.t = t, .reader = run_realloc(NULL, t->nvalues * sizeof(NodeId))};
    uint32_t n = 0;
    for (ValueId v = 0; v < t->nvalues; v++)
        s.reader[v] = NO_NODE;
    for_top(t, i) {
        const Node *node = &t->nodes[i];
        s.now = i;
        if ((node->flags & NF_BACKWARD) && !(node->op->flags & OP_CONTROL))
            arg_each_value((Arg){.kind = ARG_tuple, .n = node->nargs, .items = node->args},
                           note_reader, &s);
    }
    for_top(t, i)
        if (t->nodes[i].flags & NF_BACKWARD)
            arg_each_value(t->nodes[i].out, forget, &s);
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
