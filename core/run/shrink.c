/*
 * shrink.c - a program with one change: statements left out, outputs, sizes or dtypes changed.
 *
 * Input: a program at stage 0, what its values are, and the change. Output: another program, every
 * operator of which was called anew, so that types follow. A value whose statement is left out is
 * an input from then on, with the contents that it had; so any set of statements can go.
 */
#include "shrink.h"

#include "run.h"

#include <stdlib.h>
#include <string.h>

typedef struct Shrink {
    const Small *from;
    const Change *c;
    Tensor *const *values;
    Small *out;
    Build b;
    Arg *map; /* by value of from: what stands for it in the new trace */
} Shrink;

void small_free(Small *s)
{
    for (uint32_t i = 0; s->t && i < s->t->ninputs; i++)
        tensor_unref(s->inputs[i]);
    free(s->inputs);
    trace_unref(s->t);
    *s = (Small){0};
}

uint32_t small_size(const Small *s)
{
    uint32_t n = 0;
    for_top(s->t, i)
        n++;
    return n;
}

/* ------------------------------------------------------------------------------------- tensors */

/* The leading part of x with the sizes of the change. */
static Tensor *resized(const Change *c, const Tensor *x)
{
    int64_t shape[MAX_RANK];
    for (uint32_t i = 0; i < x->rank; i++)
        shape[i] = c->size && x->shape[i] == c->size ? c->to_size : x->shape[i];
    for (uint32_t i = 0; i < x->rank; i++)
        if (shape[i] > x->shape[i])
            return NULL;
    Tensor *part = tensor_view(x, x->rank, shape, x->strides, x->offset);
    Tensor *dense = tensor_clone(part);
    tensor_unref(part);
    if (c->dtype == DT_none || c->dtype == c->to_dtype || dense->dtype != c->dtype)
        return dense;
    Tensor *cast = tensor_cast(dense, c->to_dtype);
    tensor_unref(dense);
    return cast;
}

/* --------------------------------------------------------------------------------------- inputs */

static Type changed_type(const Shrink *s, const Type *type)
{
    Type t = *type;
    if (t.kind != VALUE_tensor)
        return t;
    int64_t *shape = new_array(&s->out->t->arena, int64_t, t.rank + 1);
    for (uint32_t i = 0; i < t.rank; i++)
        shape[i] = s->c->size && type->shape[i] == s->c->size ? s->c->to_size : type->shape[i];
    t.shape = shape;
    if (s->c->dtype != DT_none && t.dtype == s->c->dtype)
        t.dtype = (uint8_t)s->c->to_dtype;
    return t;
}

/* v of from becomes an input. */
static Arg add_input(Shrink *s, ValueId v)
{
    const Value *old = &s->from->t->values[v];
    if (arg_is_number(old->known))
        return old->known;
    Trace *t = s->out->t;
    ValueId id = trace_add_input(t, changed_type(s, &old->type), old->name);
    t->values[id].flags = old->flags | VF_NAMED;
    s->out->inputs = run_realloc(s->out->inputs, t->ninputs * sizeof(Tensor *));
    Tensor *x = s->values[v];
    for (uint32_t i = 0; i < s->from->t->ninputs; i++)
        x = s->from->t->inputs[i] == v ? s->from->inputs[i] : x;
    s->out->inputs[t->ninputs - 1] = x ? resized(s->c, x) : NULL;
    return A_VALUE(id);
}

static ValueId stand_in(const Shrink *s, ValueId v)
{
    for (uint32_t hops = 0; s->c->instead && s->c->instead[v] && hops < 100; hops++)
        v = s->c->instead[v];
    return v;
}

static void need_input(ValueId v, void *user)
{
    Shrink *s = user;
    v = stand_in(s, v);
    if (arg_is_none(s->map[v]))
        s->map[v] = add_input(s, v);
}

/* ---------------------------------------------------------------------------------- statements */

static Arg changed_arg(Shrink *s, Arg a)
{
    if (a.kind == ARG_value)
        return s->map[stand_in(s, a.v)];
    if (a.kind == ARG_int && s->c->size && a.i == s->c->size)
        return A_INT(s->c->to_size);
    uint32_t n = arg_nitems(a);
    if (n == 0)
        return a;
    Arg *items = new_array(&s->out->t->arena, Arg, n);
    for (uint32_t i = 0; i < n; i++)
        items[i] = changed_arg(s, a.items[i]);
    a.items = items;
    return a;
}

/* The results of a statement and of its copy, side by side. */
static void take_results(Shrink *s, Arg old, Arg made)
{
    if (old.kind == ARG_value) {
        s->map[old.v] = made;
        if (made.kind == ARG_value)
            value_rename(s->out->t, made.v, s->from->t->values[old.v].name);
        return;
    }
    uint32_t n = arg_nitems(old);
    for (uint32_t i = 0; i < n && i < arg_nitems(made); i++)
        take_results(s, old.items[i], made.items[i]);
}

static void call_again(Shrink *s, NodeId n)
{
    const Node *node = &s->from->t->nodes[n];
    Arg args[MAX_PARAMS];
    for (uint32_t i = 0; i < node->nargs; i++)
        arg_each_value(node->args[i], need_input, s);
    for (uint32_t i = 0; i < node->nargs; i++)
        args[i] = changed_arg(s, node->args[i]);
    s->b.span = node->src;
    s->b.loc = node->loc;
    Arg out = op_call(&s->b, node->op, args);
    if (!s->b.failed)
        take_results(s, node->out, out);
}

static void add_outputs(Shrink *s)
{
    const Trace *t = s->from->t;
    uint32_t n = s->c->outputs ? s->c->noutputs : trace_outputs(t, NULL, 0);
    Arg *leaves = new_array(&s->out->t->arena, Arg, n + 1);
    if (s->c->outputs)
        memcpy(leaves, s->c->outputs, n * sizeof *leaves);
    else
        trace_outputs(t, leaves, n);
    for (uint32_t i = 0; i < n; i++)
        arg_each_value(leaves[i], need_input, s);
    for (uint32_t i = 0; i < n; i++)
        leaves[i] = changed_arg(s, leaves[i]);
    s->out->t->output = arg_tuple(s->out->t, leaves, n);
}

bool shrink(const Small *from, const Change *c, Tensor *const *values, Small *out)
{
    Diag d = {0};
    Shrink s = {.from = from, .c = c, .values = values, .out = out};
    *out = (Small){.t = trace_new(from->t->reg, from->t->name)};
    s.b = (Build){.t = out->t, .diag = &d};
    s.map = run_realloc(NULL, from->t->nvalues * sizeof *s.map);
    for (ValueId v = 0; v < from->t->nvalues; v++)
        s.map[v] = A_NONE;
    uint32_t k = 0;
    for_top(from->t, n) {
        bool drop = c->drop && c->drop[k];
        k++;
        if (!drop && !s.b.failed && !(from->t->nodes[n].op->flags & OP_CONTROL))
            call_again(&s, n);
    }
    if (!s.b.failed)
        add_outputs(&s);
    bool good = !s.b.failed && d.nerrors == 0;
    free(s.map);
    diag_clear(&d);
    if (good)
        trace_finish(out->t);
    else
        small_free(out);
    return good;
}
