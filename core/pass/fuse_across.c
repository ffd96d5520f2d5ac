/*
 * fuse_across.c - kernels that compute for the forward and for the backward part.
 *
 * Input: groups of a trace in which the two parts stand one behind the other (pass join), flags of
 * nodes saying which part they are of. Output: whether a join across is to be made, and groups of
 * the backward part moved up to one of the forward part that makes what they read. One idea: a join
 * across is for places that are next to each other. Elsewhere a value would live from one part into
 * the other, which pass remat has decided already.
 */
#include "fuse.h"

#include <string.h>

enum {
    MOST_BETWEEN = 96, /* statements that are looked at */
    MUCH = 16,         /* what is less than such a part of the work does not count */
};

static bool is_backward(const Fuse *f, NodeId n)
{
    return f->in->nodes[n].flags & NF_BACKWARD;
}

static bool has_forward(const Fuse *f, const Group *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (!is_backward(f, g->nodes[i]))
            return true;
    return false;
}

/* What a kernel of the backward part computes, or moves nothing. */
static bool may_move_too(const Fuse *f, NodeId n)
{
    const Node *node = &f->in->nodes[n];
    return (node->op->flags & OP_CONTROL) || !fuse_value(f, n) ||
           (node->span == 1 && (node->op->flags & OP_VIEW)) ||
           (is_backward(f, n) && fuse_takes(f, n));
}

/* Whether nothing stands between group a and another place but little work beside that of a, and
 * what other kernels compute behind the forward part. */
static bool are_near(const Fuse *f, uint32_t a, NodeId to)
{
    uint32_t seen = 0;
    NodeId from = f->groups[a].at;
    for (NodeId n = from + f->in->nodes[from].span; n < to; n += f->in->nodes[n].span) {
        if (f->group_of[n] == a)
            continue;
        if (++seen > MOST_BETWEEN ||
            (!may_move_too(f, n) && MUCH * fuse_node_work(f, n) >= f->groups[a].work))
            return false;
    }
    return true;
}

bool fuse_may_cross(Fuse *f, uint32_t group, NodeId n)
{
    const Group *g = &f->groups[group];
    if (!is_backward(f, n) || !has_forward(f, g) ||
        are_near(f, group, n))
        return true;
    sb_clear(&f->why);
    sb_puts(&f->why, "it belongs to the backward part, and would have to be kept from the forward "
                     "part on");
    return false;
}

/* --------------------------------------------------------------------------------- moving up */

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

/* Whether group b, of the backward part, could stand where a does, of the forward part. */
static bool may_move_up(const Fuse *f, uint32_t a, uint32_t b)
{
    const Group *g = &f->groups[a], *h = &f->groups[b];
    if (a == b || !g->n || !h->n || g->closed || h->closed || g->epoch != h->epoch ||
        h->at <= g->at || h->stays == a + 1 || strcmp(g->executor, h->executor) != 0 ||
        has_forward(f, h) || !has_forward(f, g))
        return false;
    Known k = {f, a, b, true};
    for (uint32_t i = 0; i < h->n && k.all; i++)
        fuse_each_operand(f, h->nodes[i], check_known, &k);
    return k.all && are_near(f, a, h->at);
}

bool fuse_move_up(Fuse *f, uint32_t a, uint32_t b, ValueId through)
{
    Group *g = &f->groups[a], *h = &f->groups[b];
    if (!may_move_up(f, a, b))
        return false;
    FuseJoin join = {a, b, NO_NODE, through};
    ValueId v = fuse_value(f, h->nodes[h->n - 1]), other = fuse_value(f, g->nodes[g->n - 1]);
    h->stays = a + 1;
    if (!fuse_fits(f, &join)) {
        rule_refuse(f->c, "fuse", v, other, "%s", sb_cstr(&f->why));
        return false;
    }
    const char *unit;
    double less = fuse_amount(fuse_saved(f, &join, through), &unit);
    if (!rule_apply(f->c, "fuse", v, other,
                    "all that it reads is known where the forward part computes that: one loop "
                    "computes both, %.3g %s less", less, unit))
        return false;
    for (uint32_t i = 0; i < h->n; i++)
        fuse_add_node(f, g, h->nodes[i]);
    g->read = g->read || h->read;
    h->n = 0;
    h->into = a;
    return true;
}
