/*
 * data.c - sizes that depend on the data of the inputs.
 *
 * Input: a trace while it is being acquired, and the bound inputs. Output: the value of one 0-d
 * integer of it. One idea: run what is there so far, prim by prim, and keep the results for the
 * next question; a program whose sizes came from data is acquired again when its inputs change.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

typedef struct DataQuery {
    Program *p;
    Tensor **values; /* by ValueId */
    uint32_t nvalues;
} DataQuery;

/* Inputs are copied: the program may write into them. */
static void fill_inputs(DataQuery *q, const Trace *t)
{
    for (uint32_t i = 0; i < t->ninputs; i++) {
        ValueId v = t->inputs[i];
        if (q->values[v])
            continue;
        const MapEntry *e = map_get(&q->p->bindings, t->values[v].name);
        if (e && e->p)
            q->values[v] = tensor_clone(e->p);
        else if (arg_is_number(t->values[v].known))
            q->values[v] = tensor_from_number(t->values[v].known);
    }
}

static const Executor *oracle(const Program *p)
{
    const ExecList *l = program_executors(p);
    for (uint32_t i = l->n; i-- > 0;)
        if (l->on[i])
            return l->items[i];
    return NULL;
}

static bool have_all(const DataQuery *q, Arg a)
{
    if (a.kind == ARG_value)
        return q->values[a.v] != NULL;
    for (uint32_t i = 0, n = arg_nitems(a); i < n; i++)
        if (!have_all(q, a.items[i]))
            return false;
    return true;
}

/* Runs every prim whose results are not there yet and whose arguments are. */
static void run_so_far(DataQuery *q, const Trace *t, const Executor *e)
{
    Diag ignored = {0};
    for (NodeId n = 0; n < t->nnodes; n++) {
        const Node *node = &t->nodes[n];
        Arg args = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
        if (node->op->decompose || (node->op->flags & OP_CONTROL) || !have_all(q, args) ||
            have_all(q, node->out))
            continue;
        ExecCall call = {.t = t, .node = n, .values = q->values, .diag = &ignored};
        call.interrupt = &q->p->s->interrupt;
        if (!e->run(&call))
            diag_clear(&ignored); /* what depends on it is not there, and the fallback is taken */
    }
    diag_clear(&ignored);
}

static bool ask(void *user, const Trace *t, ValueId v, int64_t *out)
{
    DataQuery *q = user;
    const Executor *e = oracle(q->p);
    if (!e)
        return false;
    q->values = run_realloc(q->values, t->nvalues * sizeof *q->values);
    memset(q->values + q->nvalues, 0, (t->nvalues - q->nvalues) * sizeof *q->values);
    q->nvalues = t->nvalues;
    fill_inputs(q, t);
    run_so_far(q, t, e);
    const Tensor *x = q->values[v];
    if (!x || x->rank != 0)
        return false;
    *out = elem_get_i64(tensor_data(x), x->dtype);
    return true;
}

Trace *acquire_with_data(Program *p, const SymbolValue *symbols, uint32_t nsymbols, OpUses *uses,
                         Diag *d)
{
    DataQuery q = {.p = p};
    Trace *t = front_acquire_data(p->fn, &p->s->reg, symbols, nsymbols, ask, &q, uses, d);
    for (uint32_t v = 0; v < q.nvalues; v++)
        tensor_unref(q.values[v]);
    free(q.values);
    return t;
}

bool program_adapt_data(Session *s, Program *p, Diag *d)
{
    if (!p->fn || !p->root->trace->data_dependent)
        return true;
    Stage *before = p->root;
    p->data_number++;
    if (!program_acquire(p, p->symbols, p->nsymbols, d)) {
        p->data_number--;
        return false;
    }
    if (trace_equal(before->trace, p->root->trace, NULL)) {
        p->root = p->anchor = before; /* the same sizes: the stages that are there still hold */
        return true;
    }
    line_invalidate(p, 0);
    cursor_restore(s, p, d);
    return true;
}
