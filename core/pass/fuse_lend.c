/*
 * fuse_lend.c - what kernels compute for themselves instead of reading it from another one.
 *
 * Input: the finished groups. Output: casts and spread tensors that each of their readers makes
 * from what is smaller, and reshapes that are views behind the kernel that writes what they show.
 */
#include "fuse.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------- casts */

/* Whether node n makes more bytes of fewer: a cast to a wider dtype, a small tensor spread. */
static bool makes_more(const Fuse *f, const Node *node)
{
    const Type *from = &f->in->values[node->args[0].v].type;
    const Type *to = &f->in->values[node->out.v].type;
    if (from->kind != VALUE_tensor)
        return false;
    if (node_is_prim(node, PRIM_broadcast_in_dim))
        return type_numel(from) < type_numel(to);
    return dtype_is_float((DType)from->dtype) &&
           dtype_info[from->dtype].bytes < dtype_info[to->dtype].bytes;
}

/* Such a node whose result only kernels read, others too: they read what it is made of. */
static bool may_lend(const Fuse *f, NodeId n)
{
    const Node *node = &f->in->nodes[n];
    uint32_t g = f->group_of[n], others = 0;
    bool kind = node_is_prim(node, PRIM_convert_element_type) ||
                node_is_prim(node, PRIM_broadcast_in_dim);
    if (g == NO_GROUP || !kind || node->args[0].kind != ARG_value ||
        node->out.kind != ARG_value || !makes_more(f, node))
        return false;
    for (uint32_t i = f->use_start[node->out.v]; i < f->use_start[node->out.v + 1]; i++) {
        uint32_t reader = f->uses[i] == NO_NODE ? NO_GROUP : f->group_of[f->uses[i]];
        if (reader == NO_GROUP || f->groups[reader].epoch != f->groups[g].epoch ||
            strcmp(f->groups[reader].executor, f->groups[g].executor) != 0)
            return false;
        others += reader != g;
    }
    return others > 0;
}

static bool region_fits(Fuse *f, const Group *g, const Region *r)
{
    const Executor *e = exec_find(f->c->executors, str_from(g->executor));
    sb_clear(&f->why);
    return r->n <= MAX_GROUP_NODES && r->nouts <= MAX_OUTPUTS &&
           (e && e->both_ways ? gen_fits_cuda(r, &f->why) : gen_fits(r, &f->why));
}

/* The prims that the nodes of a region consist of. */
static Region leaves_of(const Region *r, Arena *a)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n; i++)
        n += r->t->nodes[r->nodes[i]].span;
    NodeId *leaves = new_array(a, NodeId, n + 1);
    n = 0;
    for (uint32_t i = 0; i < r->n; i++)
        for (NodeId k = r->nodes[i]; k < r->nodes[i] + r->t->nodes[r->nodes[i]].span; k++)
            if (r->t->nodes[k].span == 1)
                leaves[n++] = k;
    return (Region){r->t, leaves, n, r->outs, r->nouts};
}

/* Takes back what is lent to a chain that cannot compute it. */
static void check_chain(Fuse *f, uint32_t number)
{
    Arena a = {0};
    Region r = fuse_chain_region(f, number, &a), leaves = leaves_of(&r, &a);
    sb_clear(&f->why);
    if (r.n > f->groups[number].n && !gen_fits_cuda(&leaves, &f->why))
        for (uint32_t i = 0; i < r.n; i++)
            if (f->group_of[r.nodes[i]] != number)
                f->lent[r.nodes[i]] = f->piece[r.nodes[i]];
    arena_free(&a);
}

/* Kernels that would not fit with the casts that they take over leave all of those as they were. */
static void find_lent(Fuse *f)
{
    NodeId nodes[2 * MAX_GROUP_NODES + 1];
    ValueId outs[MAX_OUTPUTS + 1];
    bool any = false;
    for_top(f->in, n)
        any |= f->lent[n] = f->piece[n] || may_lend(f, n);
    for (uint32_t g = 0; any && g < f->ngroups; g++) {
        if (f->groups[g].closed) {
            check_chain(f, g);
            continue;
        }
        Region r = fuse_region(f, g, NO_GROUP, NO_NODE, nodes, outs);
        bool same = r.n == f->groups[g].n && r.nouts <= MAX_OUTPUTS;
        for (uint32_t i = 0; i < r.n; i++)
            same = same && !f->lent[nodes[i]];
        if (r.n == 0 || same || r.nouts == 0 || region_fits(f, &f->groups[g], &r))
            continue;
        for (uint32_t i = 0; i < r.n; i++)
            f->lent[nodes[i]] = f->piece[nodes[i]];
    }
}

/* Each loan is one application; without it one kernel writes the value, and the others read it. */
static void log_lent(Fuse *f)
{
    for_top(f->in, n) {
        const Node *node = &f->in->nodes[n];
        if (f->lent[n] && !f->piece[n] &&
            !rule_apply(f->c, "lend", node->out.v, node->args[0].v,
                        "kernels that read it make it from %%%.*s",
                        STR(f->in->values[node->args[0].v].name)))
            f->lent[n] = false;
    }
}

/* Whether every other kernel that reads node n's value can as well compute it for itself. */
static bool readers_compute(Fuse *f, NodeId n)
{
    NodeId nodes[2 * MAX_GROUP_NODES + 1];
    ValueId outs[MAX_OUTPUTS + 1], v = f->in->nodes[n].out.v;
    bool fit = true;
    f->lent[n] = true;
    for (uint32_t i = f->use_start[v]; fit && i < f->use_start[v + 1]; i++) {
        uint32_t g = f->uses[i] == NO_NODE ? NO_GROUP : f->group_of[f->uses[i]];
        if (g == NO_GROUP || g == f->group_of[n] || f->groups[g].closed)
            continue;
        Region r = fuse_region(f, g, NO_GROUP, NO_NODE, nodes, outs);
        fit = region_fits(f, &f->groups[g], &r);
    }
    f->lent[n] = false;
    return fit;
}

/* Whether a node of the group reads value v. */
static bool group_reads(const Fuse *f, uint32_t group, ValueId v)
{
    for (uint32_t i = f->use_start[v]; i < f->use_start[v + 1]; i++)
        if (f->uses[i] != NO_NODE && f->group_of[f->uses[i]] == group)
            return true;
    return false;
}

/* A kernel that would write a value and a reshape of it writes the value: the reshape is a view
 * behind the kernel, and inside of it, and of others, something that they compute for themselves.
 * A kernel that cannot (a sum by index) reads the view. */
static void share_reshape(Fuse *f, NodeId n)
{
    const Node *node = &f->in->nodes[n];
    Group *g = &f->groups[f->group_of[n]];
    ValueId from = node->args[0].v, v = node->out.v;
    FuseOuts o = {.f = f, .a = f->group_of[n], .b = NO_GROUP, .more = NO_NODE};
    uint32_t left = 0;
    if (f->made[from] == NO_NODE || f->group_of[f->made[from]] != o.a ||
        f->lent[f->made[from]] || !fuse_read_outside(&o, from) || !fuse_read_outside(&o, v))
        return;
    bool lent = readers_compute(f, n);
    if ((!lent && group_reads(f, o.a, v)) ||
        !rule_apply(f->c, "share", v, from, "a view of %%%.*s, which is written anyway",
                    STR(f->in->values[from].name)))
        return;
    for (uint32_t i = 0; i < g->n; i++)
        if (g->nodes[i] != n)
            g->nodes[left++] = g->nodes[i];
    g->n = left;
    f->group_of[n] = NO_GROUP;
    f->lent[n] = lent;
    f->late[n] = f->shown[n] = true;
}

static void share_reshapes(Fuse *f)
{
    for_top(f->in, n)
        if (f->group_of[n] != NO_GROUP && node_is_prim(&f->in->nodes[n], PRIM_reshape) &&
            f->in->nodes[n].args[0].kind == ARG_value)
            share_reshape(f, n);
}

void fuse_lend(Fuse *f)
{
    find_lent(f);
    log_lent(f);
    share_reshapes(f);
}
