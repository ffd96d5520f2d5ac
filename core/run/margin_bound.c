/*
 * margin_bound.c - by how much a prim's result may be off beside operands that are off themselves.
 *
 * Input: a prim of a trace, the exact values of its operands and results, and the errors of those
 * operands that have one. Output: the bound of the error of a result. The rules are those of a
 * margin trace (making.h), here of one prim: what the errors become in it, and its own rounding.
 */
#include "making.h"

#include "run.h"

#include <stdlib.h>
#include <string.h>

struct Bounds {
    const Trace *t;
    const ExecList *executors;
    Making m;
    Cone c;
    Tensor **inputs; /* of the trace that is made */
};

Bounds *bounds_new(const Trace *t, const ExecList *executors)
{
    Bounds *b = run_realloc(NULL, sizeof *b);
    *b = (Bounds){.t = t, .executors = executors};
    b->m.from = t;
    b->m.exact = memset(run_realloc(NULL, t->nvalues * sizeof(Arg)), 0, t->nvalues * sizeof(Arg));
    b->m.error = memset(run_realloc(NULL, t->nvalues * sizeof(Arg)), 0, t->nvalues * sizeof(Arg));
    b->c.need = memset(run_realloc(NULL, t->nvalues * sizeof(Box *)), 0,
                       t->nvalues * sizeof(Box *));
    return b;
}

void bounds_free(Bounds *b)
{
    if (!b)
        return;
    free(b->m.exact);
    free(b->m.error);
    free(b->c.need);
    free(b);
}

static Arg add_tensor(Bounds *b, const Type *like, Tensor *x)
{
    Type type = *like;
    type.dtype = (uint8_t)x->dtype;
    ValueId v = trace_add_input(b->m.b.t, type, (Str){0});
    b->inputs[b->m.b.t->ninputs - 1] = x;
    return A_VALUE(v);
}

/* What is known of value v goes into the trace; false where it is not there. */
static bool add_value(Bounds *b, const BoundOf *x, ValueId v)
{
    const Value *value = &b->t->values[v];
    Making *m = &b->m;
    if (!arg_is_none(m->exact[v]))
        return true;
    if (arg_is_number(value->known)) {
        m->exact[v] = value->known;
        return true;
    }
    if (!x->exact[v] || dtype_is_complex(x->exact[v]->dtype))
        return false;
    b->c.need[v] = box_whole(b->c.arena, &value->type);
    m->exact[v] = add_tensor(b, &value->type, x->exact[v]);
    if (value->type.kind == VALUE_tensor && mg_is_float(m, m->exact[v]))
        m->exact[v] = mg_f64(m, m->exact[v]);
    if (x->errors[v])
        m->error[v] = add_tensor(b, &value->type, x->errors[v]);
    return true;
}

/* The bound of result x->v, one of the n `outs`, as a value of the trace. */
static Arg make_bound(Bounds *b, const BoundOf *x, const ValueId *outs, uint32_t n)
{
    Making *m = &b->m;
    const Node *node = &b->t->nodes[x->leaf];
    Arg errors[MAX_OUTPUTS] = {{0}};
    ValueId exact[MAX_OUTPUTS];
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        exact[i] = m->exact[outs[i]].v;
        at = outs[i] == x->v ? i : at;
    }
    if (node->op->flags & OP_IN_PLACE) /* what is written is what it was */
        errors[0] = mg_error(m, x->leaf, 0);
    else
        mg_propagate(m, x->leaf, exact, n, errors);
    DType d = (DType)b->t->values[x->v].type.dtype;
    Arg own = mg_rounding(m, x->leaf, A_VALUE(exact[at]), at, d);
    Arg bound = mg_sum(m, errors[at], own);
    return arg_is_none(bound) ? mg_filled(m, A_VALUE(exact[at]), 0) : bound;
}

static Tensor *run_bound(Bounds *b, Session *s, Arg bound)
{
    Making *m = &b->m;
    Tensor *result = NULL;
    Run run;
    RunOptions o = {.executors = b->executors, .wide = true};
    m->b.t->output = arg_tuple(m->b.t, &bound, 1);
    trace_finish(m->b.t);
    if (!m->b.failed && trace_run(s, m->b.t, b->inputs, &o, &run, m->b.diag)) {
        result = tensor_cast(run.outputs[0], DT_f64);
        run_free(&run);
    }
    return result;
}

static void forget(Bounds *b, const ValueId *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        b->m.exact[values[i]] = b->m.error[values[i]] = A_NONE;
        b->c.need[values[i]] = NULL;
    }
}

Tensor *bound_of_result(Bounds *b, Session *s, const BoundOf *x)
{
    enum { MOST = 64 };
    Arena a = {0};
    Diag d = {0};
    const Node *node = &b->t->nodes[x->leaf];
    ValueId in[MOST], outs[MAX_OUTPUTS];
    Arg all = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
    uint32_t nin = arg_values(all, in, MOST), nout = arg_values(node->out, outs, MAX_OUTPUTS);
    if (nin > MOST || nout > MAX_OUTPUTS)
        return NULL;
    b->m.b = (Build){.t = trace_new(b->t->reg, S("bound")), .diag = &d};
    b->c = (Cone){b->t, &a, &x->leaf, 1, b->c.need};
    b->m.c = &b->c;
    b->inputs = new_array(&a, Tensor *, 2 * (nin + nout) + 1);
    bool there = true;
    for (uint32_t i = 0; i < nin; i++)
        there = there && add_value(b, x, in[i]);
    for (uint32_t i = 0; i < nout; i++)
        there = there && add_value(b, x, outs[i]) && b->m.exact[outs[i]].kind == ARG_value;
    Tensor *bound = there ? run_bound(b, s, make_bound(b, x, outs, nout)) : NULL;
    forget(b, in, nin);
    forget(b, outs, nout);
    trace_unref(b->m.b.t);
    diag_clear(&d);
    arena_free(&a);
    return bound;
}
