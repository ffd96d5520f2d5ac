/*
 * parts.c - the forward and the backward part of a split trace, each as a trace of its own.
 *
 * Input: a trace with an end_forward. Output: forward, from the program's inputs to its outputs and
 * the values that are kept; or backward, from those values and the cotangents to the gradients.
 */
#include "rewrite.h"

#include <string.h>

NodeId trace_end_of_forward(const Trace *t)
{
    for_top(t, n)
        if (node_is_prim(&t->nodes[n], PRIM_end_forward))
            return n;
    return NO_NODE;
}

static void set_inputs(Trace *t, const ValueId *inputs, uint32_t n)
{
    t->inputs = mem_resize(t->inputs, (n + 1) * sizeof *t->inputs);
    memcpy(t->inputs, inputs, n * sizeof *inputs);
    t->ninputs = n;
}

static void note(ValueId v, void *user)
{
    ((bool *)user)[v] = true;
}

/* Values that top-level nodes from..end read. */
static void note_reads(const Trace *t, NodeId from, NodeId end, bool *read)
{
    for (NodeId i = from; i < end; i++)
        arg_each_value((Arg){.kind = ARG_tuple, .n = t->nodes[i].nargs, .items = t->nodes[i].args},
                       note, read);
}

void find_cotangents(const Trace *t, NodeId end, bool *set)
{
    Arena scratch = {0};
    bool *forward = new_array(&scratch, bool, t->nvalues);
    bool *backward = new_array(&scratch, bool, t->nvalues);
    note_reads(t, 0, end + 1, forward);
    note_reads(t, end + 1, t->nnodes, backward);
    for (uint32_t i = 0; i < t->ninputs; i++) {
        ValueId v = t->inputs[i];
        set[v] = !forward[v] && (backward[v] || v >= t->norigins);
    }
    arena_free(&scratch);
}

/* The backward part gets cotangents as inputs, and of the others those that are saved. */
static void choose_inputs(Trace *part, const Trace *t, NodeId end, bool backward)
{
    Arena scratch = {0};
    bool *cotangent = new_array(&scratch, bool, t->nvalues);
    ValueId *inputs = new_array(&scratch, ValueId, t->nvalues + t->ninputs);
    uint32_t n = 0;
    find_cotangents(t, end, cotangent);
    if (backward)
        n = arg_values(t->nodes[end].args[1], inputs, t->nvalues);
    for (uint32_t i = 0; i < t->ninputs; i++)
        if (cotangent[t->inputs[i]] == backward)
            inputs[n++] = t->inputs[i];
    set_inputs(part, inputs, n);
    arena_free(&scratch);
}

/* What the backward part has by itself: its own inputs, what is listed, what it makes. */
static void note_given(const Trace *t, NodeId end, bool *given)
{
    find_cotangents(t, end, given);
    arg_each_value(t->nodes[end].args[1], note, given);
    for (NodeId i = end + 1; i < t->nnodes; i++)
        arg_each_value(t->nodes[i].out, note, given);
}

bool trace_is_split(const Trace *t)
{
    NodeId end = trace_end_of_forward(t);
    if (end == NO_NODE || t->output.kind != ARG_tuple || t->output.n != 2)
        return false;
    Arena scratch = {0};
    bool *read = new_array(&scratch, bool, t->nvalues);
    bool *given = new_array(&scratch, bool, t->nvalues), whole = true;
    for (NodeId n = end + t->nodes[end].span; n < t->nnodes; n += t->nodes[n].span)
        if (!node_is_del(&t->nodes[n]))
            note_reads(t, n, n + t->nodes[n].span, read);
    arg_each_value(t->output.items[1], note, read);
    note_given(t, end, given);
    for (ValueId v = 0; v < t->nvalues; v++)
        whole &= given[v] || !read[v];
    arena_free(&scratch);
    return whole;
}

Trace *trace_part(const Trace *t, TraceKind kind)
{
    NodeId end = trace_end_of_forward(t);
    bool backward = kind == TRACE_backward;
    if (!trace_is_split(t))
        return NULL;
    Trace *part = trace_derive(t);
    for_top(t, n)
        if (n != end && (n > end) == backward && !node_is_del(&t->nodes[n]))
            trace_copy_node(part, t, n, NULL);
    choose_inputs(part, t, end, backward);
    part->output = backward ? t->output.items[1]
                            : (Arg){.kind = ARG_tuple, .n = 2, .items = t->nodes[end].args};
    part->kind = kind;
    part->name = arena_printf(&part->arena, "%.*s_%s", STR(t->name),
                              backward ? "backward" : "forward");
    for (ValueId v = 0; v < part->nvalues; v++)
        part->values[v].offset = -1;
    trace_finish(part);
    return part;
}
