/*
 * fuse_write.c - the trace in which every group is one call.
 *
 * Input: the groups and where they stand. Output: nodes in order; what is only views, or too little
 * work for a kernel, goes back to the next executor.
 */
#include "fuse.h"

#include "inject.h"

/* -------------------------------------------------------------------------------------- writing */

static bool only_views(const Fuse *f, const Group *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (!fuse_is_view(f, g->nodes[i]))
            return false;
    return true;
}

/* The first executor after the fusion executors that takes node n; NULL when there is none. */
static const char *next_executor(Fuse *f, NodeId n)
{
    for (uint32_t i = 0; i < f->c->executors->n; i++) {
        const Executor *e = f->c->executors->items[i];
        sb_clear(&f->why);
        if (f->c->executors->on[i] && e->kind == EXEC_operator && e->can(f->in, n, &f->why))
            return e->name;
    }
    return NULL;
}

static double work_of(const Fuse *f, const Region *r)
{
    double work = 0;
    for (uint32_t i = 0; i < r->n; i++)
        work += fuse_node_work(f, r->nodes[i]);
    return work;
}

/* A member of a group. What another group has too gets a value of its own here; of a piece the
 * first has the name. */
static NodeId write_member(Fuse *f, uint32_t group, NodeId n)
{
    NodeId copy = trace_copy_node(f->t, f->in, n, f->own);
    if (group != NO_GROUP && f->piece[n] && f->group_of[n] == NO_GROUP)
        f->group_of[n] = group;
    if (group == NO_GROUP || f->group_of[n] == group)
        return copy;
    ValueId v = f->in->nodes[n].out.v;
    f->own[v] = trace_add_value(f->t, f->in->values[v].type, (Str){0});
    f->t->nodes[copy].out = A_VALUE(f->own[v]);
    return copy;
}

static void write_single(Fuse *f, uint32_t group, NodeId n, bool view, double small)
{
    const char *other = view || small > 0 ? next_executor(f, n) : NULL;
    bool go = other && (view ? rule_apply(f->c, "give back", fuse_value(f, n), 0,
                                          "%s moves nothing for a view", other)
                             : rule_apply(f->c, "give back", fuse_value(f, n), 0,
                                          "%s computes %.0f element%s before a compiler starts "
                                          "(option fuse.min_work)", other, small,
                                          plural((int64_t)small)));
    NodeId copy = write_member(f, group, n);
    if (go)
        f->t->nodes[copy].executor = other;
}

/* What the casts of a region are called ends with it. */
static void forget_own(Fuse *f, const Region *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        f->own[fuse_value(f, r->nodes[i])] = 0;
}

/* Whether two arguments are the same inside of the kernel being written. */
static bool same_inside(const Fuse *f, Arg a, Arg b)
{
    if (a.kind != b.kind)
        return false;
    if (a.kind == ARG_value)
        return (f->own[a.v] ? f->own[a.v] : a.v) == (f->own[b.v] ? f->own[b.v] : b.v);
    if (!arg_is_seq(a))
        return arg_equal(a, b);
    bool same = a.n == b.n;
    for (uint32_t i = 0; i < a.n && same; i++)
        same = same_inside(f, a.items[i], b.items[i]);
    return same;
}

static bool is_result(const Region *r, ValueId v)
{
    for (uint32_t i = 0; i < r->nouts; i++)
        if (r->outs[i] == v)
            return true;
    return false;
}

static bool same_statement(const Fuse *f, const Node *a, const Node *b)
{
    bool same = a->op == b->op && a->nargs == b->nargs && !(a->op->flags & OP_RANDOM) &&
                a->out.kind == ARG_value && b->out.kind == ARG_value &&
                type_equal(&f->in->values[a->out.v].type, &f->in->values[b->out.v].type);
    for (uint32_t k = 0; k < a->nargs && same; k++)
        same = same_inside(f, a->args[k], b->args[k]) ||
               INJECT(fuse_once, f->in->values[a->out.v].name);
    return same;
}

/* What one part kept for the other to compute again is computed once, in a kernel of both. */
static bool is_there_already(Fuse *f, const Region *r, uint32_t i)
{
    const Node *node = &f->in->nodes[r->nodes[i]];
    ValueId v = fuse_value(f, r->nodes[i]);
    for (uint32_t k = 0; k < i && !is_result(r, v); k++) {
        const Node *other = &f->in->nodes[r->nodes[k]];
        if (!same_statement(f, node, other))
            continue;
        ValueId kept = f->own[other->out.v] ? f->own[other->out.v] : other->out.v;
        if (!rule_apply(f->c, "once", v, kept, "the kernel computes it for the forward part, as "
                                               "%%%.*s", STR(f->t->values[kept].name)))
            return false;
        f->own[v] = kept;
        value_merge_origins(f->t, kept, v);
        return true;
    }
    return false;
}

/* A region as one call with its statements below it. */
static void write_call(Fuse *f, uint32_t number, const Region *r)
{
    const Group *g = &f->groups[number];
    ValueId ins[MAX_REGION_INPUTS];
    Arg list[MAX_REGION_INPUTS], results[MAX_OUTPUTS];
    uint32_t nin = gen_inputs(r, ins);
    for (uint32_t i = 0; i < nin; i++)
        list[i] = A_VALUE(ins[i]);
    for (uint32_t i = 0; i < r->nouts; i++)
        results[i] = A_VALUE(r->outs[i]);
    StrBuf name = {0};
    sb_printf(&name, "%s%s%u", g->executor, g->closed ? "Chain" : "Fusion", f->named++);
    Arg args[2] = {arg_string(f->t, sb_str(&name)), arg_tuple(f->t, list, nin)};
    sb_free(&name);
    const Node *first = &f->in->nodes[r->nodes[0]];
    NodeId call = trace_add_node(
        f->t, (Node){.op = registry_op(f->in->reg, PRIM_call),
                     .args = arena_copy(&f->t->arena, args, sizeof args),
                     .nargs = 2,
                     .out = arg_list(f->t, results, r->nouts),
                     .executor = g->executor,
                     .flags = NF_VERBATIM,
                     .src = first->src,
                     .loc = first->loc});
    for (uint32_t i = 0; i < r->n; i++) {
        if (g->across && is_there_already(f, r, i))
            continue;
        NodeId sub = write_member(f, number, r->nodes[i]);
        f->t->nodes[sub].executor = NULL;
        INJECT_SWAP(fuse_operands, f->in->values[fuse_value(f, r->nodes[i])].name, f->t, sub);
    }
    f->t->nodes[call].span = f->t->nnodes - call;
}

static void write_group(Fuse *f, uint32_t number)
{
    const Group *g = &f->groups[number];
    NodeId nodes[2 * MAX_GROUP_NODES + 1];
    ValueId outs[MAX_OUTPUTS + 1];
    if (g->closed) {
        Region chain = fuse_chain_region(f, number, &f->scratch);
        write_call(f, number, &chain);
        forget_own(f, &chain);
        return;
    }
    Region r = fuse_region(f, number, NO_GROUP, NO_NODE, nodes, outs);
    bool views = only_views(f, g);
    double work = work_of(f, &r);
    double small = work < f->min_work && !fuse_on_device(f, g->executor) ? work : 0;
    if (r.n == 1 || views || r.nouts == 0 || small > 0)
        for (uint32_t i = 0; i < r.n; i++)
            write_single(f, number, nodes[i], views, small);
    else
        write_call(f, number, &r);
    forget_own(f, &r);
}

static void write_node(Fuse *f, NodeId n)
{
    if (fuse_takes(f, n))
        write_single(f, NO_GROUP, n, f->shown[n], fuse_node_work(f, n));
    else if (!node_is_del(&f->in->nodes[n]))
        trace_copy_node(f->t, f->in, n, NULL);
}

typedef struct Behind {
    const Fuse *f;
    const NodeId *place; /* of nodes that are late */
    NodeId at;
} Behind;

static void place_behind(ValueId v, void *user)
{
    Behind *p = user;
    NodeId n = p->f->made[v];
    if (n == NO_NODE)
        return;
    uint32_t g = p->f->group_of[n];
    NodeId at = g != NO_GROUP ? p->f->groups[g].at : p->f->late[n] ? p->place[n] : n;
    p->at = at > p->at ? at : p->at;
}

/* Late nodes by the node behind which they are written: next[first[at]] and so on, in order. */
static void place_late(Fuse *f, NodeId *first, NodeId *next)
{
    NodeId *place = new_array(&f->scratch, NodeId, f->in->nnodes + 1);
    NodeId *last = new_array(&f->scratch, NodeId, f->in->nnodes + 1);
    for_top(f->in, n) {
        first[n] = next[n] = NO_NODE;
        if (!f->late[n] || f->group_of[n] != NO_GROUP)
            continue;
        Behind p = {f, place, n};
        for (NodeId i = n; i < n + f->in->nodes[n].span; i++)
            fuse_each_operand(f, i, place_behind, &p);
        place[n] = p.at;
    }
    for_top(f->in, n) {
        if (!f->late[n] || f->group_of[n] != NO_GROUP)
            continue;
        NodeId at = place[n];
        if (first[at] == NO_NODE)
            first[at] = n;
        else
            next[last[at]] = n;
        last[at] = n;
    }
}

void fuse_write(Fuse *f)
{
    NodeId *first = new_array(&f->scratch, NodeId, f->in->nnodes + 1);
    NodeId *next = new_array(&f->scratch, NodeId, f->in->nnodes + 1);
    uint32_t *stands = new_array(&f->scratch, uint32_t, f->in->nnodes + 1); /* group + 1 */
    place_late(f, first, next);
    for (uint32_t g = 0; g < f->ngroups; g++)
        if (f->groups[g].n)
            stands[f->groups[g].at] = g + 1;
    for_top(f->in, n) {
        if (stands[n])
            write_group(f, stands[n] - 1);
        else if (f->group_of[n] == NO_GROUP && !f->late[n] && !f->piece[n])
            write_node(f, n);
        for (NodeId i = first[n]; i != NO_NODE; i = next[i])
            write_node(f, i);
    }
}
