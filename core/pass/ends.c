/*
 * ends.c - puts a product and what its executor computes at its end into one call.
 *
 *     t1 = ltorch.linear(x, w, b)               [t2, t1] = cublasltEnd0(x, w, b)  @cublaslt
 *     t2 = ltorch.gelu(t1, 'tanh')        ->      # t1 = ltorch.linear(x, w, b)
 *     ... t1 is needed later, too                 # t2 = ltorch.gelu(t1, 'tanh')
 *
 * The executor says which nodes; here is decided whether they may stand at one place: behind all
 * that they read, before all that reads them, with nothing that writes in place between them.
 */
#include "ends.h"

#include "gen.h"
#include "rewrite.h"

enum { MAX_APART = 4096, MAX_READ = 64 };

typedef struct Find {
    PassCtx *c;
    Ends *ends;
    StrBuf why;
} Find;

/* The executor that takes the product n: itself, or the prim that is all of its decomposition. */
static const Executor *taker(Find *f, NodeId n)
{
    NodeId leaf = single_prim(f->ends->flow.t, n);
    for (uint32_t i = 0; i < f->c->executors->n; i++) {
        const Executor *e = f->c->executors->items[i];
        sb_clear(&f->why);
        if (f->c->executors->on[i] && (e->can(f->ends->flow.t, n, &f->why) ||
                                       (leaf != NO_NODE && e->can(f->ends->flow.t, leaf, &f->why))))
            return e;
    }
    return NULL;
}

/* Whether pass fuse makes one kernel of the product and its neighbours: it wants them single. */
static bool is_small(Find *f, NodeId n)
{
    const Trace *t = f->ends->flow.t;
    const ExecList *l = f->c->executors;
    NodeId leaf = single_prim(t, n);
    bool products = false;
    for (uint32_t i = 0; i < l->n; i++)
        products = products || (l->on[i] && l->items[i]->products);
    if (!products || leaf == NO_NODE)
        return false;
    ValueId out = t->nodes[leaf].out.v;
    Region r = {t, &leaf, 1, &out, 1};
    GenTimes times = {0};
    sb_clear(&f->why);
    return gen_product_chains(t, leaf) ||
           (gen_fits_cuda(&r, &f->why) && gen_product_times(&r, &times) &&
            times.joined < times.apart);
}

/* Where node n stands in the end. */
static NodeId place_of(const Find *f, NodeId n)
{
    const EndGroup *g = ends_of(f->ends, n);
    return g ? g->at : n;
}

static bool is_member(const EndGroup *g, NodeId n)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (g->members[i] == n)
            return true;
    return false;
}

typedef struct Check {
    const Find *f;
    const EndGroup *g;
    NodeId at;
    bool good;
} Check;

static void check_operand(ValueId v, void *user)
{
    Check *k = user;
    NodeId maker = k->f->ends->flow.maker[v];
    k->good = k->good &&
              (maker == NO_NODE || is_member(k->g, maker) || place_of(k->f, maker) < k->at);
}

static void check_readers(ValueId v, void *user)
{
    Check *k = user;
    const Flow *flow = &k->f->ends->flow;
    for (uint32_t i = flow->start[v]; i < flow->start[v + 1] && k->good; i++) {
        NodeId n = flow->readers[i];
        k->good = n == NO_NODE || is_member(k->g, n) || place_of(k->f, n) > k->at;
    }
}

static bool can_stand(const Find *f, const EndGroup *g, NodeId at)
{
    Check k = {f, g, at, true};
    const Trace *t = f->ends->flow.t;
    for (uint32_t i = 0; i < g->n && k.good; i++) {
        NodeId m = g->members[i];
        arg_each_value(t->nodes[m].out, check_readers, &k);
        for (NodeId n = m; n < m + t->nodes[m].span; n++)
            for (uint32_t a = 0; a < t->nodes[n].nargs; a++)
                arg_each_value(t->nodes[n].args[a], check_operand, &k);
    }
    return k.good;
}

/* Nothing may move past what writes in place, or from one part of the program to the other. */
static bool is_crossed(const Trace *t, const EndGroup *g)
{
    NodeId last = g->members[g->n - 1];
    for (NodeId n = g->members[0]; n < last; n++)
        if ((t->nodes[n].op->flags & OP_IN_PLACE) || node_is_prim(&t->nodes[n], PRIM_end_forward))
            return true;
    return last - g->members[0] > MAX_APART;
}

/* Chooses the place: the first that is possible. */
static bool choose_place(const Find *f, EndGroup *g)
{
    if (is_crossed(f->ends->flow.t, g))
        return false;
    for (uint32_t i = 0; i < g->n; i++) {
        g->at = g->members[i];
        if (can_stand(f, g, g->at))
            return true;
    }
    return false;
}

static void find_one(Find *f, NodeId n)
{
    EndGroup g = {.executor = taker(f, n)};
    ValueId subject = first_value(f->ends->flow.t->nodes[n].out);
    if (!g.executor || !g.executor->ends || is_small(f, n))
        return;
    sb_clear(&f->why);
    g.n = g.executor->ends(&f->ends->flow, n, g.members, &f->why);
    bool taken = false;
    for (uint32_t i = 0; i < g.n; i++)
        taken = taken || ends_of(f->ends, g.members[i]);
    if (g.n < 2 || taken) {
        if (f->why.n)
            rule_refuse(f->c, "join", subject, 0, "%s", sb_cstr(&f->why));
        return;
    }
    ValueId last = first_value(f->ends->flow.t->nodes[g.members[g.n - 1]].out);
    if (!choose_place(f, &g)) {
        rule_refuse(f->c, "join", last, subject, "something between them reads one and is needed "
                                                 "by the other");
        return;
    }
    if (!rule_apply(f->c, "join", last, subject, "%s", sb_cstr(&f->why)))
        return;
    f->ends->items[f->ends->n++] = g;
    for (uint32_t i = 0; i < g.n; i++)
        f->ends->group[g.members[i]] = f->ends->n;
}

void ends_find(PassCtx *c, const Trace *in, Arena *a, Ends *out)
{
    bool any = false;
    *out = (Ends){0};
    for (uint32_t i = 0; c->executors && i < c->executors->n; i++)
        any = any || (c->executors->on[i] && c->executors->items[i]->ends);
    uint32_t products = 0;
    for_top(in, n)
        products += (subtree_flags(in, n) & OP_MATMUL) != 0;
    if (!any || !products || !str_is(pass_option(c, "join", "on"), "on"))
        return;
    Find f = {.c = c, .ends = out};
    out->group = new_array(a, uint32_t, in->nnodes + 1);
    out->items = new_array(a, EndGroup, products);
    flow_init(&out->flow, in, a);
    for_top(in, n)
        if ((subtree_flags(in, n) & OP_MATMUL) && !out->group[n])
            find_one(&f, n);
    sb_free(&f.why);
}

/* -------------------------------------------------------------------------------------- writing */

typedef struct Write {
    const EndGroup *g;
    const Trace *in;
    const Flow *flow;
    Arg ins[MAX_READ], outs[MAX_OUTPUTS];
    uint32_t nin, nout;
} Write;

static bool is_in(const Arg *list, uint32_t n, ValueId v)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i].v == v)
            return true;
    return false;
}

/* What a member reads and no member makes. */
static void note_input(ValueId v, void *user)
{
    Write *w = user;
    NodeId maker = w->in->values[v].producer;
    for (uint32_t i = 0; i < w->g->n && maker != NO_NODE; i++)
        if (maker >= w->g->members[i] &&
            maker < w->g->members[i] + w->in->nodes[w->g->members[i]].span)
            return;
    if (w->nin < MAX_READ && !is_in(w->ins, w->nin, v))
        w->ins[w->nin++] = A_VALUE(v);
}

static void note_output(ValueId v, void *user)
{
    Write *w = user;
    bool outside = false;
    for (uint32_t i = w->flow->start[v]; i < w->flow->start[v + 1]; i++) {
        NodeId n = w->flow->readers[i];
        outside = outside || n == NO_NODE || !is_member(w->g, n);
    }
    if (outside && w->nout < MAX_OUTPUTS)
        w->outs[w->nout++] = A_VALUE(v);
}

static void note_values(Write *w)
{
    for (uint32_t i = 0; i < w->g->n; i++) {
        NodeId m = w->g->members[i];
        arg_each_value(w->in->nodes[m].out, note_output, w);
        for (NodeId n = m; n < m + w->in->nodes[m].span; n++)
            for (uint32_t a = 0; a < w->in->nodes[n].nargs; a++)
                arg_each_value(w->in->nodes[n].args[a], note_input, w);
    }
}

void ends_write(const EndGroup *g, const Ends *all, const Trace *in, Trace *t)
{
    Write w = {.g = g, .in = in, .flow = &all->flow};
    note_values(&w);
    StrBuf name = {0};
    sb_printf(&name, "%sEnd%u", g->executor->name, (uint32_t)(g - all->items));
    Arg args[2] = {arg_string(t, sb_str(&name)), arg_tuple(t, w.ins, w.nin)};
    sb_free(&name);
    const Node *at = &in->nodes[g->at];
    NodeId call = trace_add_node(t, (Node){.op = registry_op(in->reg, PRIM_call),
                                           .args = arena_copy(&t->arena, args, sizeof args),
                                           .nargs = 2,
                                           .out = arg_list(t, w.outs, w.nout),
                                           .executor = g->executor->name,
                                           .flags = NF_VERBATIM | (at->flags & NF_BACKWARD),
                                           .src = at->src,
                                           .loc = at->loc});
    for (uint32_t i = 0; i < g->n; i++)
        trace_copy_node(t, in, g->members[i], NULL);
    t->nodes[call].span = t->nnodes - call;
}
