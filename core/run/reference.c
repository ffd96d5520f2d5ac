/*
 * reference.c - the f64 oracle on a device.
 *
 * Input: a trace at any stage. Output: a run of it in f64, one plain kernel for each prim: no
 * fusion, no casts to shorter formats. The trace is widened (every floating value and dtype becomes
 * f64, complex ones c128; inputs are widened by its first nodes) and runs on the executors that
 * work on a device; what they do not take, the interpreter computes as in its own oracle.
 */
#include "run.h"

#include <stdlib.h>

static DType wider(DType d)
{
    return dtype_is_complex(d) ? DT_c128 : dtype_is_float(d) ? DT_f64 : d;
}

static Arg widen_arg(Trace *t, Arg a)
{
    uint32_t n = arg_nitems(a);
    if (a.kind == ARG_dtype)
        a.dtype = (uint8_t)wider((DType)a.dtype);
    if (n == 0 || a.kind == ARG_complex)
        return a;
    Arg *items = new_array(&t->arena, Arg, n);
    for (uint32_t i = 0; i < n; i++)
        items[i] = widen_arg(t, a.items[i]);
    a.items = items;
    return a;
}

/* Draws keep their dtype, which decides about the numbers; so do the bits of numbers. */
static bool keeps_dtypes(const Op *op)
{
    return (op->flags & OP_RANDOM) ||
           (op->language == LANG_prims && op->id == PRIM_bitcast);
}

/* Whether a node of the trace widens input i, which is x: not where the trace writes it. */
static bool is_cast_there(const Trace *t, uint32_t i, const Tensor *x, const bool *written)
{
    const Type *type = &t->values[t->inputs[i]].type;
    return x && type->kind == VALUE_tensor && x->dtype == (DType)type->dtype &&
           wider(x->dtype) != x->dtype && !written[t->inputs[i]];
}

/* The inputs as they are bound, and the nodes that widen them. */
static void widen_inputs(Trace *w, const Trace *t, Tensor *const *inputs, const bool *written)
{
    const Op *cast = registry_op(t->reg, PRIM_convert_element_type);
    for (uint32_t i = 0; i < t->ninputs; i++) {
        if (!is_cast_there(t, i, inputs ? inputs[i] : NULL, written))
            continue;
        ValueId wide = t->inputs[i];
        Type narrow = t->values[wide].type;
        Arg *args = new_array(&w->arena, Arg, 2);
        w->inputs[i] = trace_add_value(w, narrow, (Str){0});
        args[0] = A_VALUE(w->inputs[i]);
        args[1] = A_DTYPE(wider((DType)narrow.dtype));
        trace_add_node(w, (Node){.op = cast, .args = args, .nargs = 2, .span = 1,
                                 .out = A_VALUE(wide)});
    }
}

/* Numbers beside tensors stay those of the narrow dtypes: they belong to the program. */
static void take_numbers(Trace *w, Node *n)
{
    Arg *args = NULL;
    for (uint32_t i = 0; i < n->nargs; i++) {
        Arg x = op_number(w, n, i);
        if (arg_equal(x, n->args[i]))
            continue;
        if (!args)
            args = arena_copy(&w->arena, n->args, n->nargs * sizeof *args);
        args[i] = x;
    }
    n->args = args ? args : n->args;
}

static Trace *widen(const Trace *t, Tensor *const *inputs, const bool *written)
{
    Trace *w = trace_derive(t);
    widen_inputs(w, t, inputs, written);
    NodeId first = w->nnodes;
    for_top(t, n)
        trace_copy_node(w, t, n, NULL);
    for (NodeId i = first; i < w->nnodes; i++)
        take_numbers(w, &w->nodes[i]);
    for (ValueId v = 1; v < t->nvalues; v++)
        if (w->values[v].type.kind == VALUE_tensor)
            w->values[v].type.dtype = (uint8_t)wider((DType)w->values[v].type.dtype);
    for (NodeId i = first; i < w->nnodes; i++) {
        Node *node = &w->nodes[i];
        node->executor = NULL;
        if (keeps_dtypes(node->op))
            continue;
        Arg all = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
        node->args = widen_arg(w, all).items;
    }
    w->output = t->output;
    trace_finish(w);
    return w;
}

bool reference_executors(const ExecList *from, ExecList *out)
{
    *out = (ExecList){.n = 0};
    const Executor *last = NULL;
    for (uint32_t i = 0; i < from->n; i++) {
        const Executor *e = from->items[i];
        if (!from->on[i])
            continue;
        if (e->device) {
            out->on[out->n] = true;
            out->items[out->n++] = e;
        }
        last = e->kind == EXEC_operator ? e : last;
    }
    if (out->n == 0 || !last)
        return false;
    out->on[out->n] = true;
    out->items[out->n++] = last;
    return true;
}

bool reference_wanted(const Session *s, const RunOptions *o)
{
    ExecList l;
    return o && o->rounding == ROUND_f64 && !o->executors && !o->wide &&
           reference_executors(&s->executors, &l);
}

static Tensor *widened(Tensor *x)
{
    DType d = x ? wider(x->dtype) : DT_none;
    return !x || d == x->dtype ? tensor_ref(x) : tensor_cast(x, d);
}

bool reference_run(Session *s, Program *p, const Trace *t, Tensor *const *inputs,
                   const RunOptions *o, RunFn *run, Run *out, Diag *d)
{
    ExecList l;
    bool *written = find_written(t);
    Trace *w = widen(t, inputs, written);
    Tensor **wide = run_realloc(NULL, t->ninputs * sizeof *wide);
    for (uint32_t i = 0; i < t->ninputs; i++) {
        Tensor *x = inputs ? inputs[i] : NULL;
        wide[i] = is_cast_there(t, i, x, written) ? tensor_ref(x) : widened(x);
    }
    free(written);
    reference_executors(&s->executors, &l);
    RunOptions options = *o;
    options.executors = &l;
    options.wide = true;
    bool good = run(s, p, w, wide, &options, out, d);
    for (uint32_t i = 0; i < t->ninputs; i++)
        tensor_unref(wide[i]);
    free(wide);
    trace_unref(w);
    return good;
}
