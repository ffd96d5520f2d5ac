/*
 * dce.c - dead code elimination.
 *
 *     a = ltorch.exp(x)            (gone: nobody reads it)
 *     b = ltorch.add(x, 1)    ->   b = ltorch.add(x, 1)
 *     return b                     return b
 *
 * One sweep from the last node to the first: a node stays when one of its results is needed, or
 * when it must stay for what it does (checks, prints, writes into memory). What a node that stays
 * reads is needed. A composite stays or goes as a whole.
 */
#include "inject.h"
#include "rewrite.h"

typedef struct Dce {
    PassCtx *c;
    const Trace *in;
    uint8_t *live; /* by value */
    bool *keep;    /* by node */
} Dce;

static void mark_live(ValueId v, void *user)
{
    ((Dce *)user)->live[v] = 1;
}

static void any_live(ValueId v, void *user)
{
    void **ctx = user;
    const Dce *d = ctx[0];
    bool *found = ctx[1];
    *found |= d->live[v];
}

/* Faults of tests: a node that counts as unused. */
static bool is_forgotten(const Trace *t, const Node *n)
{
    if (node_is_prim(n, PRIM_copy_) && arg_is_value(n->args[1]))
        return INJECT(dce_write_back, t->values[n->args[1].v].name);
    return arg_is_value(n->out) && INJECT(dce_live, t->values[n->out.v].name);
}

static bool needed(Dce *d, NodeId n)
{
    bool found = false;
    if (is_forgotten(d->in, &d->in->nodes[n]))
        return false;
    if (subtree_flags(d->in, n) & (OP_KEEP | OP_IN_PLACE))
        return true;
    arg_each_value(d->in->nodes[n].out, any_live, (void *[]){d, &found});
    return found;
}

/* Asks to remove a node that nobody needs; true when it stays after all. */
static bool stays(Dce *d, NodeId n)
{
    Arg out = d->in->nodes[n].out;
    uint32_t results = arg_values(out, NULL, 0);
    if (results <= 1)
        return !rule_apply(d->c, "unused -> removed", first_value(out), 0,
                           "its result is not read and is no output");
    return !rule_apply(d->c, "unused -> removed", first_value(out), 0,
                       "none of its %u results is read or is an output", results);
}

static void sweep_node(Dce *d, NodeId n)
{
    const Node *node = &d->in->nodes[n];
    if (node_is_del(node))
        return;
    d->keep[n] = needed(d, n) || stays(d, n);
    for (NodeId i = n; d->keep[n] && i < n + node->span; i++)
        for (uint32_t k = 0; k < d->in->nodes[i].nargs; k++)
            arg_each_value(d->in->nodes[i].args[k], mark_live, d);
}

Trace *pass_dce(PassCtx *c, const Trace *in)
{
    Arena scratch = {0};
    Dce d = {c, in, new_array(&scratch, uint8_t, in->nvalues),
             new_array(&scratch, bool, in->nnodes)};
    NodeId *top = new_array(&scratch, NodeId, in->nnodes);
    uint32_t ntop = 0;
    Trace *t = NULL;
    for_top(in, n)
        top[ntop++] = n;
    arg_each_value(in->output, mark_live, &d);
    while (ntop > 0 && !pass_interrupted(c))
        sweep_node(&d, top[--ntop]);
    if (ntop == 0) {
        t = trace_derive(in);
        for_top(in, n)
            if (d.keep[n])
                trace_copy_node(t, in, n, NULL);
    }
    arena_free(&scratch);
    return t;
}
