/*
 * split.c - the joint trace in two parts: a forward one, and a backward one that reads what the
 * forward one keeps.
 *
 *     y = ltorch.exp(x)                  y = ltorch.exp(x)
 *     t0 = prims.mul(cot_0, y)    ->     prims.end_forward((y,), (y,))
 *     return ((y,), (t0,))               t0 = prims.mul(cot_0, y)
 *                                        return ((y,), (t0,))
 *
 * Both parts stay in one trace, so that every later pass, every question and every run sees the
 * whole training step; end_forward says what the forward part returns and what it keeps, and
 * nothing is moved across it but by the pass remat. trace_part takes one part out, as a program of
 * its own.
 *
 * Forward is what the program's own outputs need, and what acts (checks, write-backs); the rest is
 * backward. Inputs that are written back are written at the end of the forward part; what the
 * backward part reads of their storage is copied before.
 *
 * A program may come with an end_forward: a training step that somebody wrote, with an optimizer's
 * update behind the gradients. Then what acts stays on its side, and what is kept is found anew.
 */
#include "alias.h"
#include "rewrite.h"

typedef struct Split {
    PassCtx *c;
    const Trace *in;
    Trace *t;
    NodeId end; /* the end_forward that the program has already; NO_NODE as a rule */
    Arena scratch;
    bool *forward; /* by node, of top-level ones */
    bool *needed;  /* by value: the forward part makes it, or reads it */
    bool *read;    /* by value: the backward part reads it, and does not make it */
    ValueId *map;  /* what the backward part reads instead: copies of what is written */
    Arg *saved;
    uint32_t nsaved;
    int64_t bytes;
} Split;

typedef struct Mark {
    bool *set, to;
} Mark;

static void mark(ValueId v, void *user)
{
    const Mark *m = user;
    m->set[v] = m->to;
}

static void look(ValueId v, void *user)
{
    bool **both = user;
    *both[1] |= both[0][v];
}

static void mark_reads(const Trace *t, NodeId n, bool *set)
{
    for (NodeId i = n; i < n + t->nodes[n].span; i++)
        arg_each_value((Arg){.kind = ARG_tuple, .n = t->nodes[i].nargs, .items = t->nodes[i].args},
                       mark, &(Mark){set, true});
}

static bool acts(const Split *s, NodeId n)
{
    return n < s->end && (subtree_flags(s->in, n) & (OP_KEEP | OP_IN_PLACE)) &&
           !(s->in->nodes[n].flags & NF_BACKWARD);
}

/* Backwards through the trace: what the outputs of the program need is forward. */
static void find_forward(Split *s)
{
    NodeId *top = new_array(&s->scratch, NodeId, s->in->nnodes + 1);
    uint32_t n = 0;
    for_top(s->in, i)
        top[n++] = i;
    arg_each_value(s->in->output.items[0], mark, &(Mark){s->needed, true});
    while (n-- > 0) {
        const Node *node = &s->in->nodes[top[n]];
        bool any = false;
        arg_each_value(node->out, look, (bool *[]){s->needed, &any});
        s->forward[top[n]] = any || acts(s, top[n]);
        if (!s->forward[top[n]])
            continue;
        arg_each_value(node->out, mark, &(Mark){s->needed, true});
        mark_reads(s->in, top[n], s->needed);
    }
}

/* Inputs of the backward part alone: cotangents, the state of an optimizer. */
static bool is_cotangent(const Split *s, ValueId v)
{
    return s->in->values[v].producer == NO_NODE && !s->needed[v] &&
           (v >= s->in->norigins || s->end != NO_NODE);
}

/* Values that the backward part takes over, in the order of their numbers. */
static void find_saved(Split *s)
{
    arg_each_value(s->in->output.items[1], mark, &(Mark){s->read, true});
    for_top(s->in, i)
        if (!s->forward[i] && i != s->end)
            mark_reads(s->in, i, s->read);
    for (NodeId i = 0; i < s->in->nnodes; i += s->in->nodes[i].span)
        for (NodeId k = i; !s->forward[i] && k < i + s->in->nodes[i].span; k++)
            arg_each_value(s->in->nodes[k].out, mark, &(Mark){s->read, false});
    s->saved = new_array(&s->scratch, Arg, s->in->nvalues + 1);
    for (ValueId v = 1; v < s->in->nvalues; v++) {
        if (!s->read[v] || is_cotangent(s, v))
            continue;
        s->saved[s->nsaved++] = A_VALUE(v);
        s->bytes += type_bytes(&s->in->values[v].type);
    }
}

/* --------------------------------------------------------------------------------- write-backs */

static bool is_write(const Split *s, NodeId n)
{
    return node_is_prim(&s->in->nodes[n], PRIM_copy_) && s->forward[n];
}

/* What is kept in storage that is about to be written is copied first. */
static void copy_saved(Split *s)
{
    Alias alias;
    bool *written = new_array(&s->scratch, bool, s->in->nvalues);
    Build b = {.t = s->t, .diag = s->c->diag};
    if (!trace_has_writes(s->in))
        return;
    alias_build(&alias, s->in);
    for_top(s->in, n)
        if (is_write(s, n))
            written[alias.root[s->in->nodes[n].args[1].v]] = true;
    for (uint32_t i = 0; i < s->nsaved; i++) {
        ValueId v = s->saved[i].v;
        if (!written[alias.root[v]])
            continue;
        Arg copy = emit(&b, clone, A_VALUE(v));
        value_merge_origins(s->t, copy.v, v);
        s->map[v] = copy.v;
        s->saved[i] = copy;
    }
    alias_free(&alias);
}

/* ------------------------------------------------------------------------------------- writing */

static void write_forward(Split *s)
{
    for_top(s->in, n)
        if (s->forward[n] && !is_write(s, n) && !node_is_del(&s->in->nodes[n]))
            trace_copy_node(s->t, s->in, n, NULL);
    copy_saved(s);
    for_top(s->in, n)
        if (is_write(s, n))
            trace_copy_node(s->t, s->in, n, NULL);
    for (NodeId n = 0; n < s->t->nnodes; n++)
        s->t->nodes[n].flags &= ~(uint32_t)NF_BACKWARD;
}

static void write_both(Split *s)
{
    Build b = {.t = s->t, .diag = s->c->diag};
    Arg outs = s->in->output.items[0];
    write_forward(s);
    emit(&b, end_forward, outs, arg_tuple(s->t, s->saved, s->nsaved));
    for_top(s->in, n)
        if (!s->forward[n] && n != s->end && !node_is_del(&s->in->nodes[n])) {
            NodeId at = trace_copy_node(s->t, s->in, n, s->map);
            for (NodeId i = at; i < s->t->nnodes; i++)
                s->t->nodes[i].flags |= NF_BACKWARD;
        }
    Arg both[2] = {outs, arg_map(s->t, s->in->output.items[1], s->map)};
    s->t->output = arg_tuple(s->t, both, 2);
}

/* A trace whose rules were not all applied has no gradients, and nothing to split. */
static bool is_joint(const Trace *t)
{
    return (t->kind == TRACE_joint || trace_end_of_forward(t) != NO_NODE) &&
           t->output.kind == ARG_tuple && t->output.n == 2 &&
           arg_is_seq(t->output.items[0]) && arg_is_seq(t->output.items[1]);
}

Trace *pass_split(PassCtx *c, const Trace *in)
{
    Split s = {.c = c, .in = in, .t = trace_derive(in), .end = trace_end_of_forward(in)};
    if (is_joint(in)) {
        s.forward = new_array(&s.scratch, bool, in->nnodes + 1);
        s.needed = new_array(&s.scratch, bool, in->nvalues);
        s.read = new_array(&s.scratch, bool, in->nvalues);
        s.map = new_array(&s.scratch, ValueId, in->nvalues);
        find_forward(&s);
        find_saved(&s);
    }
    if (is_joint(in) &&
        rule_apply(c, "joint -> forward | backward", first_value(in->output), 0,
                   "%u value%s, %lld byte%s, %s kept for the backward part", s.nsaved,
                   plural(s.nsaved), (long long)s.bytes, plural(s.bytes),
                   s.nsaved == 1 ? "is" : "are"))
        write_both(&s);
    else
        for_top(in, n)
            trace_copy_node(s.t, in, n, NULL);
    arena_free(&s.scratch);
    if (!pass_interrupted(c))
        return s.t;
    trace_unref(s.t);
    return NULL;
}
