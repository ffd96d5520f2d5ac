/*
 * places.c - whether a kernel still gives what it gave when its results lie over its operands.
 *
 * Input: a node of a run and the values of that run. Output: whether the node, compiled once more
 * for a plan that puts results over operands wherever its executor says that they may lie there,
 * makes the same bits. The pass plan trusts that answer; here every recorded case can ask.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_OPERANDS = 64, MAX_PAIRS = 256 };

typedef struct Trial {
    const Trace *t;
    NodeId n;
    const Executor *e;
    Overlay pairs[MAX_PAIRS]; /* those that are tried at once */
    uint32_t npairs;
} Trial;

static bool may_pair(const Trace *t, ValueId result, ValueId operand, Tensor *const *values)
{
    const Type *to = &t->values[result].type, *from = &t->values[operand].type;
    return to->kind == VALUE_tensor && from->kind == VALUE_tensor && to->dtype == from->dtype &&
           device_eq(to->device, from->device) && type_bytes(to) == type_bytes(from) &&
           type_bytes(to) > 0 && values[result] && values[operand] &&
           values[operand]->dtype == (DType)from->dtype;
}

static void add_pairs(Trial *x, Tensor *const *values)
{
    const Node *node = &x->t->nodes[x->n];
    ValueId in[MAX_OPERANDS], out[MAX_OUTPUTS];
    Arg args = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
    uint32_t nin = arg_values(args, in, MAX_OPERANDS);
    uint32_t nout = arg_values(node->out, out, MAX_OUTPUTS);
    for (uint32_t k = 0; k < nout && nout <= MAX_OUTPUTS; k++)
        for (uint32_t i = 0; i < nin && nin <= MAX_OPERANDS && x->npairs < MAX_PAIRS; i++)
            if (may_pair(x->t, out[k], in[i], values))
                x->pairs[x->npairs++] = (Overlay){.result = out[k], .operand = in[i]};
}

/* Of the legal ones as many as go together. */
static void choose_pairs(Trial *x)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->npairs; i++) {
        bool free_now = x->pairs[i].legal;
        for (uint32_t k = 0; k < n; k++)
            free_now = free_now && x->pairs[k].result != x->pairs[i].result &&
                       x->pairs[k].operand != x->pairs[i].operand;
        if (free_now)
            x->pairs[n++] = x->pairs[i];
    }
    x->npairs = n;
}

/* The node alone, in a plan that has these places. */
static Trace *planned_alone(const Trial *x)
{
    Trace *one = trace_derive(x->t);
    int64_t at = 0;
    for (ValueId v = 0; v < one->nvalues; v++)
        one->values[v].offset = -1;
    for (uint32_t i = 0; i < x->npairs; i++) {
        Value *result = &one->values[x->pairs[i].result];
        result->offset = one->values[x->pairs[i].operand].offset = at;
        at += type_bytes(&result->type);
    }
    one->plan_bytes = at;
    trace_copy_node(one, x->t, x->n, NULL);
    one->output = one->nodes[0].out;
    return one; /* unfinished: what the node reads keeps its type */
}

/* Operands that are written over are copies, and the results lie in them. */
static bool set_places(const Trial *x, const Trace *one, Tensor **values)
{
    bool good = true;
    ValueId out[MAX_OUTPUTS];
    uint32_t nout = arg_values(one->nodes[0].out, out, MAX_OUTPUTS);
    for (uint32_t i = 0; i < nout; i++) {
        tensor_unref(values[out[i]]);
        values[out[i]] = NULL;
    }
    for (uint32_t i = 0; i < x->npairs && good; i++) {
        const Type *type = &one->values[x->pairs[i].result].type;
        Tensor **operand = &values[x->pairs[i].operand], *copy = tensor_clone(*operand);
        tensor_unref(*operand);
        *operand = copy;
        good = copy != NULL;
        if (good)
            values[x->pairs[i].result] = tensor_over(copy->buf, (DType)type->dtype, type->device,
                                                     type->rank, type->shape, 0);
    }
    return good;
}

static bool launch(Session *s, const Trial *x, const Trace *one, Tensor **values, Diag *d)
{
    CompileOptions o = kernels_options(s);
    Kernel *k = NULL;
    ExecCall call = {one, 0, values, ROUND_dtype, d, &s->interrupt, NULL, true};
    if (!x->e->compile)
        return x->e->run(&call);
    if (x->e->device)
        call.device = o.device = session_device(s, x->e->device, d);
    bool good = x->e->compile(one, 0, &o, &k, d) && x->e->launch(k, &call);
    if (k)
        x->e->drop(k);
    return good;
}

static bool same_results(const Trace *one, Tensor *const *want, Tensor *const *got, Diag *d)
{
    ValueId out[MAX_OUTPUTS];
    uint32_t nout = arg_values(one->nodes[0].out, out, MAX_OUTPUTS);
    for (uint32_t i = 0; i < nout; i++) {
        if (!want[out[i]] || (got[out[i]] && tensor_compare(got[out[i]], want[out[i]], 0, 0).equal))
            continue;
        diag_error(d, DIAG_check, (Span){0}, "place-differs",
                   "%.*s gets other values when the results of its node lie over operands",
                   STR(one->values[out[i]].name));
        return false;
    }
    return true;
}

bool session_check_places(Session *s, const Trace *t, NodeId n, Tensor *const *values,
                          uint32_t *tried, Diag *d)
{
    const char *name = t->nodes[n].executor;
    Trial x = {.t = t, .n = n, .e = name ? exec_find(&s->executors, str_from(name)) : NULL};
    if (!x.e || !x.e->in_place || !node_makes_places(&t->nodes[n]))
        return true;
    add_pairs(&x, values);
    if (x.npairs)
        x.e->in_place(t, n, x.pairs, x.npairs);
    choose_pairs(&x);
    *tried += x.npairs;
    if (!x.npairs)
        return true;
    size_t bytes = t->nvalues * sizeof *values;
    Tensor **own = memcpy(run_realloc(NULL, bytes), values, bytes);
    for (ValueId v = 0; v < t->nvalues; v++)
        if (own[v])
            tensor_ref(own[v]);
    Trace *one = planned_alone(&x);
    bool good = set_places(&x, one, own) && launch(s, &x, one, own, d) &&
                same_results(one, values, own, d);
    for (ValueId v = 0; v < t->nvalues; v++)
        tensor_unref(own[v]);
    free(own);
    trace_unref(one);
    return good;
}
