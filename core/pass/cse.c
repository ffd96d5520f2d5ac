/*
 * cse.c - common subexpression elimination.
 *
 *     a = ltorch.mul(x, 2)         a = ltorch.mul(x, 2)
 *     b = ltorch.mul(x, 2)    ->   c = ltorch.add(a, a)
 *     c = ltorch.add(a, b)
 *
 * Nodes go into a hash table by operator and arguments; one that is there already is left out and
 * its results become the earlier ones, which keep their names and take over the origins. Composites
 * are compared as a whole; one that is a single prim counts as that prim (x.t() is x.mT). Random
 * draws, host reads, opaque operators and everything that is kept for what it does are never
 * joined; nor are values on either side of a write that is still in place.
 */
#include "alias.h"
#include "inject.h"
#include "rewrite.h"

typedef struct Cse {
    PassCtx *c;
    const Trace *in;
    Trace *t;
    ValueId *map;
    NodeId *slots; /* node of t + 1, 0 = empty; open addressing */
    uint64_t *hashes;
    uint32_t nslots;
    NodeId floor; /* nodes of t before this one lie before a write */
    Alias alias;
    bool has_writes;
    bool split; /* into forward and backward: nothing is joined across */
    Joins joins;
} Cse;

enum {
    NEVER_JOINED = OP_KEEP | OP_IN_PLACE | OP_OPAQUE | OP_HOST | OP_UNPACK | OP_CHECK | OP_CONTROL |
                   OP_COLLECTIVE,
};

static const char rule_name[] = "equal -> joined";

/* Operands of a commutative operator are compared in the order of their numbers. */
static void operands(const Node *n, Arg out[2])
{
    bool swap = (n->op->flags & OP_COMMUTATIVE) && n->nargs == 2 && arg_is_value(n->args[0]) &&
                arg_is_value(n->args[1]) && n->args[0].v > n->args[1].v;
    out[0] = n->args[swap ? 1 : 0];
    out[1] = n->args[swap ? 0 : 1];
}

static uint64_t node_hash(const Node *n)
{
    Arg two[2];
    uint64_t h = n->op->id;
    if (n->nargs == 2) {
        operands(n, two);
        return arg_hash(two[1], arg_hash(two[0], h));
    }
    for (uint32_t i = 0; i < n->nargs; i++)
        h = arg_hash(n->args[i], h);
    return h;
}

static bool same_call(const Node *a, const Node *b)
{
    Arg p[2], q[2];
    if (a->op != b->op || a->nargs != b->nargs)
        return false;
    if (a->nargs == 2) {
        operands(a, p);
        operands(b, q);
        return arg_equal(p[0], q[0]) && arg_equal(p[1], q[1]);
    }
    for (uint32_t i = 0; i < a->nargs; i++)
        if (!arg_equal(a->args[i], b->args[i]))
            return false;
    return true;
}

typedef struct PairCheck {
    const Cse *s;
    const char *why; /* NULL = may be joined */
} PairCheck;

static void check_pair(ValueId kept, ValueId gone, void *user)
{
    PairCheck *p = user;
    const Cse *s = p->s;
    if (!type_equal(&s->t->values[kept].type, &s->t->values[gone].type))
        p->why = "the types differ";
    else if (s->has_writes && alias_join_is_unsafe(&s->alias, kept, gone))
        p->why = "one of them is written in place";
}

/* Why two equal calls are not joined; NULL when they can be. */
static const char *obstacle(const Cse *s, const Node *a, const Node *b, uint32_t flags)
{
    if (flags & OP_RANDOM)
        return "random draws are independent";
    if (s->split && ((a->flags ^ b->flags) & NF_BACKWARD))
        return "one belongs to the backward pass";
    if ((a->flags ^ b->flags) & NF_RECOMPUTE)
        return "one is a recomputation, made to save memory";
    if (a->executor != b->executor)
        return "they are claimed by different executors";
    PairCheck p = {s, NULL};
    arg_each_pair(a->out, b->out, check_pair, &p);
    return p.why;
}

static void join_pair(ValueId kept, ValueId gone, void *user)
{
    Cse *s = user;
    s->map[gone] = kept;
    joins_add(&s->joins, kept, gone);
}

/* What node n of t computes, as one call. */
static const Node *call_of(const Cse *s, NodeId n)
{
    NodeId leaf = single_prim(s->t, n);
    return &s->t->nodes[leaf == NO_NODE ? n : leaf];
}

/* Node n of t, the last one, goes; its results are those of `first` from now on. */
static bool join(Cse *s, const Node *first, NodeId n)
{
    const Node *node = &s->t->nodes[n];
    ValueId kept = first_value(first->out), gone = first_value(node->out);
    if (!rule_apply(s->c, rule_name, gone, kept, "same operator and arguments as %%%.*s",
                    STR(s->t->values[kept].name)))
        return false;
    arg_each_pair(first->out, node->out, join_pair, s);
    s->t->nnodes = n;
    return true;
}

#ifdef THUNDER_INJECT
/* Faults of tests: an earlier node with which n is joined by mistake; NULL = none. */
static const Node *wrong_partner(const Cse *s, NodeId n)
{
    const Node *b = call_of(s, n);
    Str name = s->t->values[first_value(s->t->nodes[n].out)].name;
    for (NodeId i = 0; i < n; i += s->t->nodes[i].span) {
        const Node *a = call_of(s, i);
        if (a->op != b->op || a->nargs < 2)
            continue;
        bool swapped = arg_equal(a->args[0], b->args[1]) && arg_equal(a->args[1], b->args[0]);
        bool near = arg_equal(a->args[0], b->args[0]) && a->args[1].kind == ARG_float &&
                    b->args[1].kind == ARG_float && (int64_t)a->args[1].f == (int64_t)b->args[1].f;
        if (((a->op->flags & OP_RANDOM) && INJECT(cse_random, name)) ||
            (swapped && INJECT(cse_operands, name)) || (near && INJECT(cse_scalar, name)))
            return &s->t->nodes[i];
    }
    return NULL;
}
#define WRONG_PARTNER(s, n) wrong_partner(s, n)
#else
#define WRONG_PARTNER(s, n) NULL
#endif

/* Looks for a node that node n of t repeats; true when n was joined with it and is gone. */
static bool join_node(Cse *s, NodeId n, uint32_t flags)
{
    const Node *node = &s->t->nodes[n];
    uint64_t hash = node_hash(call_of(s, n));
    uint32_t slot = (uint32_t)hash & (s->nslots - 1);
    const Node *near = NULL, *wrong = WRONG_PARTNER(s, n);
    const char *why = NULL;
    if (wrong)
        return join(s, wrong, n);
    for (; s->slots[slot]; slot = (slot + 1) & (s->nslots - 1)) {
        NodeId other = s->slots[slot] - 1;
        const Node *first = &s->t->nodes[other];
        if (s->hashes[slot] != hash || other < s->floor ||
            !same_call(call_of(s, other), call_of(s, n)))
            continue;
        near = first;
        why = obstacle(s, first, node, flags);
        if (!why)
            return join(s, first, n);
    }
    if (near) {
        rule_refuse(s->c, rule_name, first_value(node->out), first_value(near->out),
                    "same operator and arguments, but %s", why);
        if (near->flags == node->flags && near->executor == node->executor)
            return false; /* one of a kind in the table is enough, and keeps chains short */
    }
    s->slots[slot] = n + 1;
    s->hashes[slot] = hash;
    return false;
}

static bool visit_all(Cse *s)
{
    for_top(s->in, n) {
        if (pass_interrupted(s->c))
            return false;
        if (node_is_del(&s->in->nodes[n]))
            continue;
        NodeId copy = trace_copy_node(s->t, s->in, n, s->map);
        uint32_t flags = subtree_flags(s->in, n);
        if (flags & OP_IN_PLACE)
            s->floor = s->t->nnodes;
        if (!(flags & NEVER_JOINED) && first_value(s->in->nodes[n].out))
            join_node(s, copy, flags);
    }
    return true;
}

Trace *pass_cse(PassCtx *c, const Trace *in)
{
    Arena scratch = {0};
    Cse s = {.c = c, .in = in, .t = trace_derive(in), .nslots = 64};
    while (s.nslots < 2 * (uint64_t)in->nnodes)
        s.nslots *= 2;
    s.slots = new_array(&scratch, NodeId, s.nslots);
    s.hashes = new_array(&scratch, uint64_t, s.nslots);
    s.map = new_array(&scratch, ValueId, in->nvalues);
    s.has_writes = trace_has_writes(in);
    s.split = trace_end_of_forward(in) != NO_NODE;
    if (s.has_writes)
        alias_build(&s.alias, in);
    bool done = visit_all(&s);
    s.t->output = arg_map(s.t, in->output, s.map);
    joins_finish(&s.joins, s.t);
    if (s.has_writes)
        alias_free(&s.alias);
    arena_free(&scratch);
    if (done)
        return s.t;
    trace_unref(s.t);
    return NULL;
}
