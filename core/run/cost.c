/*
 * cost.c - what a trace costs, estimated from its types: FLOPs, bytes, peak memory.
 *
 * Input: a trace at any stage. Output: sums over its nodes. An elementwise prim counts one
 * operation an element, a reduction one an element that it reads, a contraction two a
 * multiplication.
 */
#include "run.h"

#include <stdlib.h>

static double numel_of(const Trace *t, Arg a)
{
    return a.kind == ARG_value ? (double)type_numel(&t->values[a.v].type) : 0;
}

static double first_output_numel(const Trace *t, const Node *n)
{
    ValueId v;
    return arg_values(n->out, &v, 1) ? (double)type_numel(&t->values[v].type) : 0;
}

static int64_t size_of(const Trace *t, Arg a, int64_t dim)
{
    if (a.kind != ARG_value)
        return 1;
    const Type *type = &t->values[a.v].type;
    dim = dim < 0 ? dim + type->rank : dim;
    return dim >= 0 && dim < type->rank ? type->shape[dim] : 1;
}

/* Two operations for each product: the size summed over is the last one of the first operand, or of
 * a convolution all of one filter. */
static double contraction_flops(const Trace *t, const Node *n)
{
    if (n->op->id != PRIM_convolution)
        return 2 * first_output_numel(t, n) * (double)size_of(t, n->args[0], -1);
    double filters = (double)size_of(t, n->args[1], 0);
    double filter = filters > 0 ? numel_of(t, n->args[1]) / filters : 0;
    bool transposed = n->args[6].kind == ARG_bool && n->args[6].i;
    return 2 * filter * (transposed ? numel_of(t, n->args[0]) : first_output_numel(t, n));
}

static double leaf_flops(const Trace *t, const Node *n)
{
    if (n->op->flags & OP_MATMUL)
        return contraction_flops(t, n);
    if (n->op->flags & OP_SHAPE)
        return 0;
    if (n->op->flags & OP_ELEMENTWISE)
        return first_output_numel(t, n);
    return n->op->flags & OP_REDUCTION && n->nargs ? numel_of(t, n->args[0]) : 0;
}

double node_flops(const Trace *t, NodeId n)
{
    double flops = 0;
    for (NodeId i = n; i < n + t->nodes[n].span; i++)
        if (t->nodes[i].span == 1)
            flops += leaf_flops(t, &t->nodes[i]);
    return flops;
}

typedef struct ByteCount {
    const Trace *t;
    double bytes;
} ByteCount;

static void add_bytes(ValueId v, void *user)
{
    ByteCount *c = user;
    c->bytes += (double)type_bytes(&c->t->values[v].type);
}

double node_bytes(const Trace *t, NodeId n)
{
    const Node *node = &t->nodes[n];
    ByteCount c = {t, 0};
    if (node->op->flags & (OP_CONTROL | OP_VIEW))
        return 0;
    arg_each_value((Arg){.kind = ARG_tuple, .n = node->nargs, .items = node->args}, add_bytes, &c);
    arg_each_value(node->out, add_bytes, &c);
    return c.bytes;
}

/* ------------------------------------------------------------------------------- peak memory */

typedef struct Life {
    const Trace *t;
    NodeId *last;
    NodeId now;
    int64_t live, peak;
} Life;

static void life_use(ValueId v, void *user)
{
    Life *l = user;
    l->last[v] = l->now;
}

static void life_begin(ValueId v, void *user)
{
    Life *l = user;
    l->live += type_bytes(&l->t->values[v].type);
}

static void life_end(ValueId v, void *user)
{
    Life *l = user;
    if (l->last[v] != l->now || l->t->values[v].producer == NO_NODE)
        return;
    const Node *producer = &l->t->nodes[l->t->values[v].producer];
    if (!(producer->op->flags & OP_VIEW))
        l->live -= type_bytes(&l->t->values[v].type);
    l->last[v] = NO_NODE; /* counted once, though it may be read twice here */
}

static void each_arg(const Node *n, void (*fn)(ValueId, void *), void *user)
{
    arg_each_value((Arg){.kind = ARG_tuple, .n = n->nargs, .items = n->args}, fn, user);
}

static int64_t peak_bytes(const Trace *t)
{
    Life l = {.t = t, .last = run_realloc(NULL, t->nvalues * sizeof(NodeId))};
    for (ValueId v = 0; v < t->nvalues; v++)
        l.last[v] = NO_NODE;
    for_top(t, n) {
        l.now = n;
        if (t->nodes[n].op->flags & OP_CONTROL)
            continue;
        arg_each_value(t->nodes[n].out, life_use, &l);
        each_arg(&t->nodes[n], life_use, &l);
    }
    l.now = NO_NODE;
    arg_each_value(t->output, life_use, &l);
    for (uint32_t i = 0; i < t->ninputs; i++)
        life_begin(t->inputs[i], &l);
    l.peak = l.live;
    for_top(t, n) {
        if (t->nodes[n].op->flags & OP_CONTROL)
            continue;
        l.now = n;
        if (!(t->nodes[n].op->flags & OP_VIEW))
            arg_each_value(t->nodes[n].out, life_begin, &l);
        l.peak = l.live > l.peak ? l.live : l.peak;
        each_arg(&t->nodes[n], life_end, &l);
        arg_each_value(t->nodes[n].out, life_end, &l);
    }
    free(l.last);
    return l.peak;
}

Cost trace_cost(const Trace *t)
{
    Cost c = {0};
    for_top(t, n) {
        c.flops += node_flops(t, n);
        c.bytes_moved += node_bytes(t, n);
    }
    ByteCount b = {t, 0};
    for (uint32_t i = 0; i < t->ninputs; i++)
        add_bytes(t->inputs[i], &b);
    c.bytes_in = b.bytes;
    arg_each_value(t->output, add_bytes, &b);
    c.bytes_least = b.bytes;
    c.peak = peak_bytes(t);
    return c;
}
