/*
 * fuse_across.c - kernels that compute for the forward and for the backward part.
 *
 * Input: the groups of each part, of a trace in which nothing stands between the two (pass join).
 * Output: groups of the backward part moved up to one of the forward part that reads or makes what
 * they read. One idea: whole groups move, so both kernels are known, and nothing is written that
 * was not. They move past what is little work only: elsewhere a value would live from one part into
 * the other, and pass remat has decided that already.
 */
#include "fuse.h"

#include <string.h>

enum {
    MOST_BETWEEN = 96, /* statements that are looked at */
    MUCH = 16,         /* what is less than such a part of the work does not count */
};

static double most_work(const Fuse *f, const Group *g)
{
    double most = 0;
    for (uint32_t i = 0; i < g->n; i++) {
        double work = fuse_node_work(f, g->nodes[i]);
        most = work > most ? work : most;
    }
    return most;
}

/* What a kernel of the backward part computes, or moves nothing. */
static bool may_move_too(const Fuse *f, NodeId n)
{
    const Node *node = &f->in->nodes[n];
    return (node->op->flags & OP_CONTROL) || !fuse_value(f, n) ||
           (node->span == 1 && (node->op->flags & OP_VIEW)) ||
           (n >= f->border && fuse_takes(f, n));
}

/* Whether nothing stands between group a and another place but little work beside that of a, and
 * what other kernels compute behind the forward part. */
static bool are_near(const Fuse *f, uint32_t a, NodeId to)
{
    uint32_t seen = 0;
    NodeId from = f->groups[a].at;
    double work = most_work(f, &f->groups[a]);
    for (NodeId n = from + f->in->nodes[from].span; n < to; n += f->in->nodes[n].span) {
        if (f->group_of[n] == a)
            continue;
        if (++seen > MOST_BETWEEN || (!may_move_too(f, n) && MUCH * fuse_node_work(f, n) >= work))
            return false;
    }
    return true;
}

typedef struct Known {
    const Fuse *f;
    uint32_t a, b; /* made by these counts as known */
    bool all;
} Known;

static void check_known(ValueId v, void *user)
{
    Known *k = user;
    NodeId n = k->f->made[v];
    if (n == NO_NODE)
        return;
    uint32_t g = k->f->group_of[n];
    NodeId at = g == NO_GROUP ? n : k->f->groups[g].at;
    k->all = k->all && ((g != NO_GROUP && (g == k->a || g == k->b)) ||
                        at < k->f->groups[k->a].at);
}

/* Whether all that group b reads is known where a stands. */
static bool is_known(const Fuse *f, uint32_t a, uint32_t b)
{
    const Group *h = &f->groups[b];
    Known k = {f, a, b, true};
    for (uint32_t i = 0; i < h->n && k.all; i++)
        fuse_each_operand(f, h->nodes[i], check_known, &k);
    return k.all;
}

/* --------------------------------------------------------------------------- what moves where */

typedef struct Search {
    const Fuse *f;
    uint32_t epoch; /* of the groups that are looked for */
    uint32_t found[MAX_CANDIDATES];
    ValueId through[MAX_CANDIDATES];
    uint32_t n;
} Search;

static void add_found(Search *s, NodeId n, ValueId v)
{
    uint32_t g = n == NO_NODE ? NO_GROUP : s->f->group_of[n];
    if (g == NO_GROUP || s->f->groups[g].epoch != s->epoch || s->f->groups[g].closed)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->found[i] == g)
            return;
    if (s->n == MAX_CANDIDATES)
        return;
    s->found[s->n] = g;
    s->through[s->n++] = v;
}

/* Groups that make v, or read it. */
static void look_at(ValueId v, void *user)
{
    Search *s = user;
    const Fuse *f = s->f;
    enum { MOST_READERS = 64 };
    add_found(s, f->made[v], v);
    for (uint32_t i = f->use_start[v], k = 0; i < f->use_start[v + 1] && k < MOST_READERS; i++, k++)
        add_found(s, f->uses[i], v);
}

/* Whether it makes few results of many elements on a device, where blocks share each of those: what
 * else the kernel makes is then a launch of its own, which reads everything again. */
static bool folds_to_few(const Fuse *f, const Group *g)
{
    enum { FEW = 64, MANY = 1 << 15 };
    for (uint32_t i = 0; i < g->n && fuse_on_device(f, g->executor); i++) {
        const Type *out = &f->in->values[fuse_value(f, g->nodes[i])].type;
        if ((f->in->nodes[g->nodes[i]].op->flags & OP_REDUCTION) && type_numel(out) < FEW &&
            fuse_node_work(f, g->nodes[i]) >= MANY)
            return true;
    }
    return false;
}

static bool stores_in_fold(Fuse *f, const FuseJoin *j)
{
    NodeId nodes[2 * MAX_GROUP_NODES + 1];
    ValueId outs[MAX_OUTPUTS + 1];
    Region r = fuse_region(f, j->a, j->b, j->more, nodes, outs);
    return gen_stores_in_fold(&r);
}

/* Makes groups a and b one, at the place of a. */
static bool move_up(Fuse *f, uint32_t a, uint32_t b, ValueId through)
{
    Group *g = &f->groups[a], *h = &f->groups[b];
    FuseJoin join = {a, b, NO_NODE, through};
    ValueId v = fuse_value(f, h->nodes[h->n - 1]), other = fuse_value(f, g->nodes[g->n - 1]);
    const char *unit;
    double less = fuse_amount(fuse_saved(f, &join, through), &unit);
    if (strcmp(g->executor, h->executor) != 0)
        rule_refuse(f->c, "fuse", v, other, "they run on different executors");
    else if (!is_known(f, a, b))
        rule_refuse(f->c, "fuse", v, other,
                    "something behind the forward part's kernel makes what this one reads");
    else if (!are_near(f, a, h->at))
        rule_refuse(f->c, "fuse", v, other,
                    "it would be computed long before the backward part needs it");
    else if (!fuse_fits(f, &join))
        rule_refuse(f->c, "fuse", v, other, "%s", sb_cstr(&f->why));
    else if ((folds_to_few(f, g) || folds_to_few(f, h)) && !stores_in_fold(f, &join))
        rule_refuse(f->c, "fuse", v, other,
                    "few sums of many elements are launches of their own, and what needs them "
                    "would read all again");
    else if (rule_apply(f->c, "fuse", v, other,
                        "one loop computes for the forward and the backward part, %.3g %s less",
                        less, unit)) {
        for (uint32_t i = 0; i < h->n; i++)
            fuse_add_node(f, g, h->nodes[i]);
        h->n = 0;
        h->into = a;
        g->across = true;
        return true;
    }
    return false;
}

void fuse_across(Fuse *f)
{
    for (uint32_t b = 0; b < f->ngroups; b++) {
        const Group *h = &f->groups[b];
        if (h->n == 0 || h->closed || f->border_epoch == 0 || h->epoch != f->border_epoch)
            continue;
        Search s = {.f = f, .epoch = f->border_epoch - 1};
        for (uint32_t i = 0; i < h->n; i++)
            fuse_each_operand(f, h->nodes[i], look_at, &s);
        for (uint32_t i = 0; i < s.n && h->n; i++)
            move_up(f, s.found[i], b, s.through[i]);
    }
}
