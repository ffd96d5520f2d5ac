/*
 * plan.c - when values can go, and where temporaries lie.
 *
 *     t0 = prims.exp(x)            t0 = prims.exp(x)        # +0
 *     t1 = prims.add(t0, 1.0)  ->  del x
 *     return t1                    t1 = prims.add(t0, 1.0)
 *                                  del t0
 *                                  return t1
 *
 * First the layouts of results are chosen (layout.c). Then a `del` after the last use of every
 * tensor, inputs too, outputs never; each del is one application. Then, once all dels are there,
 * an offset for every temporary (places.c).
 */
#include "plan.h"

#include "inject.h"
#include "layout.h"
#include "rewrite.h"

/* ----------------------------------------------------------------------------------- lifetimes */

static void note_made(ValueId v, void *user)
{
    Plan *p = user;
    p->made[v] = p->last[v] = p->node;
}

static void note_use(ValueId v, void *user)
{
    Plan *p = user;
    bool used = p->made[v] != p->last[v];
    if (!used || !INJECT(plan_early, p->in->values[v].name))
        p->last[v] = p->node;
}

static void note_output(ValueId v, void *user)
{
    Plan *p = user;
    p->output[p->alias.root[v]] = 1;
    p->last[v] = NO_NODE;
}

static void note_lifetimes(Plan *p)
{
    for (ValueId v = 0; v < p->in->nvalues; v++)
        p->made[v] = p->last[v] = NO_NODE;
    for_top(p->in, n) {
        const Node *node = &p->in->nodes[n];
        p->node = n;
        if (node_is_del(node))
            continue;
        for (NodeId i = n; i < n + node->span; i++)
            for (uint32_t k = 0; k < p->in->nodes[i].nargs; k++)
                arg_each_value(p->in->nodes[i].args[k], note_use, p);
        arg_each_value(node->out, note_made, p);
    }
    arg_each_value(p->in->output, note_output, p);
}

/* ---------------------------------------------------------------------------------------- dels */

typedef struct Dying {
    Plan *p;
    Arg *items;
    uint32_t n, cap;
    Arena *scratch;
} Dying;

static bool wants_del(const Plan *p, ValueId v)
{
    uint8_t kind = p->in->values[v].type.kind;
    return p->last[v] == p->node &&
           (kind == VALUE_tensor || kind == VALUE_future || kind == VALUE_collection);
}

static void collect_dying(ValueId v, void *user)
{
    Dying *d = user;
    if (!wants_del(d->p, v))
        return;
    if (d->n == d->cap) {
        Arg *more = new_array(d->scratch, Arg, 2 * d->cap + 8);
        for (uint32_t i = 0; i < d->n; i++)
            more[i] = d->items[i];
        d->items = more;
        d->cap = 2 * d->cap + 8;
    }
    d->items[d->n++] = A_VALUE(v);
    d->p->last[v] = NO_NODE; /* once is enough: a value may be used twice by one node */
}

/* Values of inner levels are not collected: their last use is noted, but nothing at top level names
 * them, so they are skipped by being unmade. */
static void collect_used(ValueId v, void *user)
{
    Dying *d = user;
    bool is_input = d->p->in->values[v].producer == NO_NODE;
    if (is_input || d->p->made[v] != NO_NODE)
        collect_dying(v, user);
}

static void add_del(Plan *p, const Node *after, const Dying *d)
{
    const char *more = d->n == 1 ? "" : " and others";
    Str reader = after->op->id == PRIM_call ? arg_str(after->args[0]) : str_from(after->op->name);
    if (!rule_apply(p->c, "last use -> del", d->items[0].v, 0,
                    "%%%.*s%s: %.*s is the last to use %s",
                    STR(p->in->values[d->items[0].v].name), more, STR(reader),
                    d->n == 1 ? "it" : "them"))
        return;
    Arg list = arg_tuple(p->t, d->items, d->n);
    Arg *args = arena_copy(&p->t->arena, &list, sizeof list);
    trace_add_node(p->t, (Node){.op = registry_op(p->in->reg, PRIM_python_del),
                                .args = args,
                                .nargs = 1,
                                .span = 1,
                                .src = after->src}); /* a del belongs to no line of the model */
}

static bool copy_with_dels(Plan *p, Arena *scratch)
{
    Dying d = {.p = p, .scratch = scratch};
    for_top(p->in, n) {
        const Node *node = &p->in->nodes[n];
        if (pass_interrupted(p->c))
            return false;
        if (node_is_del(node))
            continue;
        trace_copy_node(p->t, p->in, n, NULL);
        p->node = n;
        d.n = 0;
        for (NodeId i = n; i < n + node->span; i++)
            for (uint32_t k = 0; k < p->in->nodes[i].nargs; k++)
                arg_each_value(p->in->nodes[i].args[k], collect_used, &d);
        arg_each_value(node->out, collect_dying, &d);
        if (d.n)
            add_del(p, node, &d);
    }
    return true;
}

static void plan_arrays(Plan *p, Arena *scratch)
{
    uint32_t n = p->in->nvalues;
    p->last = new_array(scratch, NodeId, n);
    p->last_any = new_array(scratch, NodeId, n);
    p->made = new_array(scratch, NodeId, n);
    p->output = new_array(scratch, uint8_t, n);
    p->placed = new_array(scratch, uint8_t, n);
    p->over = new_array(scratch, ValueId, n);
    p->under = new_array(scratch, ValueId, n);
    for (ValueId v = 0; v < n; v++)
        p->last_any[v] = NO_NODE;
}

Trace *pass_plan(PassCtx *c, const Trace *in)
{
    Arena scratch = {0};
    Plan p = {.c = c, .in = in, .t = trace_derive(in)};
    Layouts laid = {0};
    if (!layouts_choose(c, in, p.t, &scratch, &laid))
        laid = (Layouts){0};
    alias_build_laid(&p.alias, in, &laid);
    plan_arrays(&p, &scratch);
    note_lifetimes(&p);
    for (ValueId v = 0; v < p.t->nvalues; v++)
        p.t->values[v].offset = -1;
    bool done = copy_with_dels(&p, &scratch);
    if (done && !c->exhausted) {
        note_lifetimes(&p); /* the dels have used up the notes */
        plan_memory(&p, &scratch);
    }
    alias_free(&p.alias);
    arena_free(&scratch);
    if (done)
        return p.t;
    trace_unref(p.t);
    return NULL;
}
