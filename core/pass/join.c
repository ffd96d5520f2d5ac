/*
 * join.c - the forward and the backward part as one program again, for runs of both.
 *
 *     t = prims.exp(x)                          n = prims.sum(mask)
 *     n = prims.sum(mask)                       t = prims.exp(x)
 *     prims.end_forward((y,), (x, n))     ->    bw_t = prims.exp(x)
 *     bw_t = prims.exp(x)                       g = prims.div(bw_t, n)
 *     g = prims.div(bw_t, n)
 *
 * What is kept and what is computed again is decided by then. But who runs both parts at once has
 * the cotangents before the first one begins, so one kernel may compute for both: pass fuse does
 * that where nothing lives longer for it, and computes once what a kernel would compute twice.
 *
 * The boundary goes first; that is one application. A small value that the backward part takes over
 * (how many targets count, in a loss) would have its readers wait until the forward part made it.
 * So what is made of small inputs alone, up to such a value and from it on, is computed before all
 * else, one application each.
 *
 * No kernel reaches past a write. A small one into an input with which the forward part ends (a
 * running mean) goes behind all else where nothing looks at that input meanwhile.
 */
#include "alias.h"
#include "rewrite.h"

typedef struct Whole {
    PassCtx *c;
    const Trace *in;
    NodeId end;
    Arena scratch;
    bool *saved;   /* by value: the backward part takes it over */
    double *cone;  /* by value: bytes of it and all that it is made from; what is met twice is
                    * counted twice */
    bool *taken;   /* by value: small, made by the forward part and read by the backward one, or
                    * made of such a one */
    bool *wanted;  /* by value: a node that is computed first reads it */
    bool *first;   /* by value: an input, or computed before all else */
    bool *early;   /* by node */
    bool *late;    /* by node: a write that goes behind all else */
} Whole;

/* A value is small against another one of so many times its bytes. */
enum { SMALL = 32 };

static void each_read(const Trace *t, NodeId n, void (*fn)(ValueId, void *), void *user)
{
    for (NodeId i = n; i < n + t->nodes[n].span; i++)
        for (uint32_t k = 0; k < t->nodes[i].nargs; k++)
            arg_each_value(t->nodes[i].args[k], fn, user);
}

typedef struct Look {
    const bool *set;
    bool any, all;
} Look;

static void look(ValueId v, void *user)
{
    Look *l = user;
    l->any |= l->set[v];
    l->all &= l->set[v];
}

static Look reads(const Whole *w, NodeId n, const bool *set)
{
    Look l = {set, false, true};
    each_read(w->in, n, look, &l);
    return l;
}

static Look makes(const Whole *w, NodeId n, const bool *set)
{
    Look l = {set, false, true};
    arg_each_value(w->in->nodes[n].out, look, &l);
    return l;
}

static void mark(ValueId v, void *user)
{
    ((bool *)user)[v] = true;
}

/* ------------------------------------------------------------------------------ what is small */

typedef struct Sum {
    const Whole *w;
    double bytes;
} Sum;

static void add_cone(ValueId v, void *user)
{
    Sum *s = user;
    s->bytes += s->w->cone[v];
}

static void find_cones(Whole *w)
{
    const Trace *t = w->in;
    for (ValueId v = 1; v < t->nvalues; v++)
        w->cone[v] = (double)type_bytes(&t->values[v].type);
    for_top(t, n) {
        Sum s = {w, 0};
        ValueId outs[MAX_OUTPUTS];
        uint32_t nouts = arg_values(t->nodes[n].out, outs, MAX_OUTPUTS);
        if (t->nodes[n].span == 1)
            each_read(t, n, add_cone, &s);
        else
            s.bytes = 1e300; /* composites are for libraries: never small */
        for (uint32_t i = 0; i < nouts && i < MAX_OUTPUTS; i++)
            w->cone[outs[i]] += s.bytes;
    }
}

static double largest(const Trace *t)
{
    int64_t most = 0;
    for_top(t, n) {
        ValueId v = first_value(t->nodes[n].out);
        int64_t bytes = v ? type_bytes(&t->values[v].type) : 0;
        most = bytes > most ? bytes : most;
    }
    return (double)most;
}

static bool may_be_first(const Whole *w, NodeId n, double limit)
{
    static const uint32_t stay = OP_KEEP | OP_IN_PLACE | OP_OPAQUE | OP_HOST | OP_CONTROL |
                                 OP_RANDOM | OP_COLLECTIVE | OP_UNPACK | OP_CHECK;
    const Node *node = &w->in->nodes[n];
    ValueId v = first_value(node->out);
    return v && w->cone[v] <= limit && !(node->op->flags & stay);
}

/* ------------------------------------------------------------------------- what comes last */

typedef struct Touch {
    const Alias *alias;
    NodeId *last; /* by root: the last node that reads or writes it */
    NodeId now;
} Touch;

static void touch(ValueId v, void *user)
{
    Touch *t = user;
    t->last[t->alias->root[v]] = t->now;
}

/* Whether the write may go behind all else: says in the log why not. */
static bool may_be_last(const Whole *w, const Touch *touched, NodeId n, double limit)
{
    const Node *node = &w->in->nodes[n];
    if (node->args[0].kind != ARG_value || node->args[1].kind != ARG_value)
        return false;
    ValueId from = node->args[0].v, to = node->args[1].v, v = first_value(node->out);
    const ValueId *root = touched->alias->root;
    const char *why = touched->last[root[to]] != n ? "something behind it reads what it writes"
                      : touched->alias->written[root[from]]
                          ? "what it writes is itself written in place"
                      : (double)type_bytes(&w->in->values[from].type) > limit
                          ? "what it writes is large, and would live through the backward part"
                          : NULL;
    if (why)
        rule_refuse(w->c, "write -> last", v, to, "%s", why);
    return !why && rule_apply(w->c, "write -> last", v, to, "nothing looks at it before the end, "
                                                            "and kernels do not reach past it");
}

/* Writes of the forward part that go behind the backward one. */
static void find_late(Whole *w)
{
    const Trace *t = w->in;
    Alias alias;
    if (!trace_has_writes(t))
        return;
    alias_build(&alias, t);
    Touch touched = {&alias, new_array(&w->scratch, NodeId, t->nvalues), 0};
    double limit = largest(t) / SMALL;
    for_top(t, n) {
        touched.now = n;
        if (n != w->end)
            each_read(t, n, touch, &touched);
    }
    for_top(t, n)
        if (n < w->end && node_is_prim(&t->nodes[n], PRIM_copy_))
            w->late[n] = may_be_last(w, &touched, n, limit);
    alias_free(&alias);
}

/* ------------------------------------------------------------------------ what comes first */

/* Small values of the forward part that the backward part reads, what is made of them, and what
 * both are made from. */
static void find_early(Whole *w, const NodeId *top, uint32_t ntop)
{
    const Trace *t = w->in;
    double limit = largest(t) / SMALL;
    uint32_t n = 0;
    while (n < ntop && (w->late[top[n]] || !(subtree_flags(t, top[n]) & OP_IN_PLACE)))
        n++; /* nothing moves before a write */
    for (uint32_t i = 0; i < n; i++) {
        bool behind = top[i] > w->end && may_be_first(w, top[i], limit);
        if (behind && reads(w, top[i], w->taken).any)
            arg_each_value(t->nodes[top[i]].out, mark, w->taken);
        if (top[i] < w->end && may_be_first(w, top[i], limit)) {
            ValueId v = first_value(t->nodes[top[i]].out);
            w->taken[v] = w->saved[v];
        }
    }
    while (n-- > 0) {
        if (!may_be_first(w, top[n], limit) ||
            !(makes(w, top[n], w->taken).any || makes(w, top[n], w->wanted).any))
            continue;
        w->early[top[n]] = true;
        each_read(t, top[n], mark, w->wanted);
    }
}

static void move_early(Whole *w)
{
    const Trace *t = w->in;
    static const char reason[] = "made of small inputs alone: what reads it can be computed "
                                 "with the forward part";
    bool all = true; /* what stands before node n is computed first, so it is where it was */
    for (uint32_t i = 0; i < t->ninputs; i++)
        w->first[t->inputs[i]] = true;
    for_top(t, n) {
        ValueId v = first_value(t->nodes[n].out);
        w->early[n] = w->early[n] && reads(w, n, w->first).all &&
                      (all || rule_apply(w->c, "small -> first", v, 0, "%s", reason));
        if (w->early[n])
            arg_each_value(t->nodes[n].out, mark, w->first);
        all = all && w->early[n];
    }
}

/* ------------------------------------------------------------------------------------------ all */

static void join(Whole *w)
{
    const Trace *t = w->in;
    NodeId *top = new_array(&w->scratch, NodeId, t->nnodes + 1);
    uint32_t ntop = 0;
    for_top(t, n)
        top[ntop++] = n;
    w->saved = new_array(&w->scratch, bool, t->nvalues);
    w->taken = new_array(&w->scratch, bool, t->nvalues);
    w->wanted = new_array(&w->scratch, bool, t->nvalues);
    w->first = new_array(&w->scratch, bool, t->nvalues);
    w->cone = new_array(&w->scratch, double, t->nvalues);
    arg_each_value(t->nodes[w->end].args[1], mark, w->saved);
    find_cones(w);
    find_late(w);
    find_early(w, top, ntop);
    move_early(w);
}

typedef enum Order { ORDER_first, ORDER_as_it_was, ORDER_last, ORDERS } Order;

static Order order_of(const Whole *w, NodeId n)
{
    return w->early[n] ? ORDER_first : w->late[n] ? ORDER_last : ORDER_as_it_was;
}

/* What is computed first belongs to the forward part from then on. */
static uint32_t flags_of_part(Order order)
{
    return order == ORDER_first ? NF_BACKWARD | NF_RECOMPUTE : 0;
}

Trace *pass_join(PassCtx *c, const Trace *in)
{
    Whole w = {.c = c, .in = in, .end = trace_end_of_forward(in)};
    Trace *t = trace_derive(in);
    w.early = new_array(&w.scratch, bool, in->nnodes + 1);
    w.late = new_array(&w.scratch, bool, in->nnodes + 1);
    bool one = w.end != NO_NODE &&
               rule_apply(c, "forward | backward -> one", first_value(in->output), 0,
                          "the cotangents are known before the run: kernels may compute for both");
    if (one)
        join(&w);
    for (Order order = ORDER_first; order < ORDERS; order++)
        for_top(in, n)
            if (order_of(&w, n) == order && !(one && n == w.end) && !node_is_del(&in->nodes[n]))
                t->nodes[trace_copy_node(t, in, n, NULL)].flags &= ~flags_of_part(order);
    arena_free(&w.scratch);
    if (!pass_interrupted(c))
        return t;
    trace_unref(t);
    return NULL;
}
