/*
 * fuse_cost.c - whether a join pays.
 *
 * Input: two groups, or a group and a node, that one loop nest can compute. Output: what the kernel
 * costs and what the two cost apart, as times on one model: bytes over a rate, instructions over
 * another, shared among the threads that have work, and the start of a kernel. A join saves bytes
 * and a start. It loses where a value is computed once more for another pass over the loops, where
 * a product of floats keeps its operands' loop from taking vectors, and where few rows leave
 * threads without work.
 */
#include "fuse.h"

/* Measured on one core (docs/performance.md): a copy, and instructions that are not loads. */
static const double ns_for_byte = 0.025, ns_for_step = 0.085, ns_for_start = 1500;
enum { REGISTERS = 32, ALL_THREADS = 4 };

static double time_of(const GenCost *c)
{
    /* What does not fit the registers is stored and loaded again. */
    double spills = c->live > REGISTERS ? (double)(c->live - REGISTERS) / c->live : 0;
    return (c->bytes * ns_for_byte + c->steps * (1 + spills) * ns_for_step) / c->threads;
}

/* A value that outside of the join only nodes read which are not placed yet, and may join too:
 * whether it is written is not known. */
static bool may_stay_inside(const Fuse *f, const FuseJoin *j, ValueId v)
{
    for (uint32_t i = f->use_start[v]; i < f->use_start[v + 1]; i++) {
        NodeId n = f->uses[i];
        uint32_t g = n == NO_NODE ? NO_GROUP : f->group_of[n];
        bool inside = n != NO_NODE && (n == j->more || (g != NO_GROUP && (g == j->a || g == j->b)));
        bool later = n != NO_NODE && g == NO_GROUP && n > f->now && fuse_takes(f, n) &&
                     !f->shown[n];
        if (!inside && !later)
            return false;
    }
    return true;
}

static double bytes_of_maybes(const Fuse *f, const FuseJoin *j, const Region *r)
{
    double bytes = 0;
    for (uint32_t i = 0; i < r->nouts; i++)
        if (may_stay_inside(f, j, r->outs[i]))
            bytes += (double)type_bytes(&f->in->values[r->outs[i]].type);
    return bytes;
}

/* The region without results of which it is not known whether they will be any. */
static Region without_maybes(const Fuse *f, const FuseJoin *j, const Region *r, ValueId *outs)
{
    Region known = *r;
    known.nouts = 0;
    for (uint32_t i = 0; i < r->nouts; i++)
        if (!may_stay_inside(f, j, r->outs[i]))
            outs[known.nouts++] = r->outs[i];
    if (known.nouts == 0)
        return *r;
    known.outs = outs;
    return known;
}

static const FuseJoin none = {.a = NO_GROUP, .b = NO_GROUP, .more = NO_NODE};

/* What a group, or a node, costs by itself. */
static double cost_alone(Fuse *f, uint32_t group, NodeId node, GenCost *c)
{
    NodeId nodes[2 * MAX_GROUP_NODES + 1];
    ValueId outs[MAX_OUTPUTS + 1];
    Region r;
    if (group == NO_GROUP) {
        outs[0] = fuse_value(f, node);
        nodes[0] = node;
        r = (Region){f->in, nodes, 1, outs, 1};
    } else {
        r = fuse_region(f, group, NO_GROUP, NO_NODE, nodes, outs);
    }
    StrBuf ignored = {0};
    bool good = r.nouts > 0 && r.nouts <= MAX_OUTPUTS && gen_cost(&r, c, &ignored);
    sb_free(&ignored);
    c->bytes -= bytes_of_maybes(f, &none, &r);
    return good ? time_of(c) + ns_for_start : 0;
}

/* Views by themselves cost nothing and make no kernel: what follows decides. */
static bool is_view(const Fuse *f, uint32_t group, NodeId node)
{
    if (group == NO_GROUP)
        return fuse_is_view(f, node);
    for (uint32_t i = 0; i < f->groups[group].n; i++)
        if (!fuse_is_view(f, f->groups[group].nodes[i]))
            return false;
    return true;
}

double fuse_amount(double bytes, const char **unit)
{
    static const char *const units[] = {"bytes", "KB", "MB", "GB"};
    size_t u = 0;
    for (; bytes >= 1000 && u + 1 < ARRAY_LEN(units); u++)
        bytes /= 1000;
    *unit = units[u];
    return bytes;
}

/* Why one kernel is slower than two: what outweighs the bytes that it saves. */
static void say_loss(Fuse *f, const GenCost *one, const GenCost *a, const GenCost *b, double ns,
                     double apart)
{
    StrBuf *why = &f->why;
    double saved = a->bytes + b->bytes - one->bytes;
    sb_clear(why);
    sb_puts(why, "one kernel would ");
    const char *unit;
    double amount = fuse_amount(saved > 0 ? saved : 0, &unit);
    if (saved > 0)
        sb_printf(why, "save %.3g %s", amount, unit);
    else
        sb_puts(why, "save no bytes");
    if (one->in_order && !(a->in_order && b->in_order))
        sb_puts(why, ", but compute everything one element after the other, as the product's order "
                     "wants it");
    else if (one->again > a->again + b->again)
        sb_printf(why, ", but compute %.0f %% of its work a second time",
                  100 * one->again / one->steps);
    else if (one->threads < a->threads || one->threads < b->threads)
        sb_printf(why, ", but leave work for %u of 4 threads", one->threads);
    else
        sb_printf(why, ", but hold %u value%s at a time", one->live, plural(one->live));
    sb_printf(why, ": %.0f us instead of %.0f (option fuse.cost)", ns * 1e-3, apart * 1e-3);
}

bool fuse_may_lose(const Fuse *f, const FuseJoin *j, const Region *r)
{
    static const uint32_t moves[] = {PRIM_slice_prim, PRIM_cat, PRIM_pad, PRIM_flip};
    bool again = false;
    for (uint32_t i = 0; i < r->n && !again; i++) {
        const Op *op = f->in->nodes[r->nodes[i]].op;
        again = op->flags & (OP_REDUCTION | OP_INDEXING);
        for (size_t k = 0; k < ARRAY_LEN(moves); k++)
            again |= op->id == moves[k];
    }
    return again && !is_view(f, j->a, NO_NODE) && !is_view(f, j->b, j->more);
}

/* Whether the kernel cannot lose more than the join saves at least: then nothing else is asked. */
static bool gains_at_once(const Fuse *f, const FuseJoin *j, const GenCost *one)
{
    double least = ns_for_start + fuse_saved(f, j, j->through) * ns_for_byte / ALL_THREADS;
    double most = (one->again * ns_for_step + one->reread * ns_for_byte) / one->threads;
    return time_of(one) < ns_for_start ||
           (!one->in_order && one->threads == ALL_THREADS && one->live <= REGISTERS &&
            most <= least);
}

bool fuse_pays(Fuse *f, const FuseJoin *j, const Region *r, const GenCost *all)
{
    ValueId outs[MAX_OUTPUTS + 1];
    GenCost one = *all, left = {0}, right = {0};
    if (gains_at_once(f, j, all))
        return true;
    Region known = without_maybes(f, j, r, outs);
    StrBuf ignored = {0};
    bool counted = known.nouts == r->nouts || gen_cost(&known, &one, &ignored);
    sb_free(&ignored);
    one.bytes -= bytes_of_maybes(f, j, &known);
    if (!counted || gains_at_once(f, j, &one))
        return true;
    double ns = time_of(&one) + ns_for_start;
    double apart = cost_alone(f, j->a, NO_NODE, &left) + cost_alone(f, j->b, j->more, &right);
    if (ns <= apart)
        return true;
    say_loss(f, &one, &left, &right, ns, apart);
    return false;
}

double fuse_saved(const Fuse *f, const FuseJoin *j, ValueId v)
{
    FuseOuts o = {.f = (Fuse *)f, .a = j->a, .b = j->b, .more = j->more};
    bool made = f->made[v] != NO_NODE && f->group_of[f->made[v]] != NO_GROUP &&
                (f->group_of[f->made[v]] == j->a || f->group_of[f->made[v]] == j->b);
    double bytes = (double)type_bytes(&f->in->values[v].type);
    return made && !fuse_read_outside(&o, v) ? 2 * bytes : bytes;
}
