/*
 * remat.c - keeps less for the backward part, and computes it again there.
 *
 *     t = prims.tanh(x)                      t = prims.tanh(x)
 *     u = prims.mul(t, t)                    u = prims.mul(t, t)
 *     prims.end_forward((u,), (t,))     ->   prims.end_forward((u,), (x,))
 *     g = prims.mul(cot_0, t)                bw_t = prims.tanh(x)
 *                                            g = prims.mul(cot_0, bw_t)
 *
 * What is kept is the smallest cut through everything that does not depend on cotangents
 * (remat_cost.c). One application is one kept value that is computed again, or one value of the
 * backward part that is computed, and kept, by the forward part instead of what it is made from.
 * Where an application is left out the value stays as it was, and is there for the others to use;
 * so any of them can be left out. Copies stand right before their first reader.
 */
#include "remat.h"

#include <math.h>
#include <string.h>

typedef struct Plan {
    Remat *r;
    bool *listed;   /* by value: kept before this pass */
    bool *approved; /* by value: an application went through */
    bool *moved;    /* by node of the backward part: runs in the forward part */
    bool *needed;   /* by value: a node that is moved reads it */
    bool *redo;     /* by value: computed again */
    bool *saved;    /* by value: kept */
    ValueId *map;   /* by value: its copy in the backward part */
    uint32_t *entry; /* by value: its entry in the rule log + 1 */
    uint8_t *state; /* by node: 1 = its operands are being copied, 2 = copied */
    NodeId *stack;
    uint32_t depth, room;
    Map names;
} Plan;

/* ------------------------------------------------------------------------------------- deciding */

static void print_op(const Remat *r, ValueId v, StrBuf *out)
{
    op_qualified_name(r->in->nodes[r->maker[v]].op, out);
}

/* What running it again costs, in bytes kept. */
static void print_price(const Remat *r, ValueId v, StrBuf *out)
{
    bool fused;
    double moved = remat_traffic(r, r->maker[v], &fused);
    print_op(r, v, out);
    if (moved == 0) {
        sb_puts(out, " moves nothing");
        return;
    }
    sb_puts(out, fused ? " again, as part of the kernel that reads it, moves "
                       : " again moves ");
    sb_bytes(out, moved);
    sb_puts(out, ", which weighs as much as ");
    sb_bytes(out, moved * r->used_price);
    sb_printf(out, " kept (price %g)", r->used_price);
}

/* The threshold that forbids it, and the option that would allow it. */
static void print_obstacle(const Remat *r, NodeId n, StrBuf *out)
{
    double figure;
    sb_puts(out, remat_obstacle(r, n));
    const char *option = remat_limit(r, n, &figure);
    if (option)
        sb_printf(out, " (%.4g %s; `option remat.%s %.0f` allows it)", figure,
                  str_is(str_from(option), "matmul") ? "operations for a byte"
                                                     : "elements for one",
                  option, ceil(figure + 1));
}

static bool apply(Plan *p, const char *rule, ValueId v, const StrBuf *why)
{
    RuleLog *log = p->r->c->log;
    bool go = rule_apply(p->r->c, rule, v, 0, "%s", sb_cstr(why));
    if (log && log->n)
        p->entry[v] = log->n;
    return go;
}

typedef struct Missing {
    const Remat *r;
    ValueId first;
} Missing;

static void note_missing(ValueId v, void *user)
{
    Missing *m = user;
    const Remat *r = m->r;
    if (!m->first && r->maker[v] < r->end && !r->kept[v] && !r->again[v])
        m->first = v;
}

/* Why a value that may be computed again is kept all the same. */
static void print_dearer(const Remat *r, ValueId v, StrBuf *out)
{
    const Node *node = &r->in->nodes[r->maker[v]];
    Missing m = {r, 0};
    arg_each_value((Arg){.kind = ARG_tuple, .n = node->nargs, .items = node->args}, note_missing,
                   &m);
    if (m.first) {
        sb_printf(out, "%%%.*s, which it is made from, would have to be kept in its place (",
                  STR(r->in->values[m.first].name));
        sb_bytes(out, (double)type_bytes(&r->in->values[m.first].type));
        sb_puts(out, "), or made again");
        if (remat_obstacle(r, r->maker[m.first])) {
            sb_puts(out, ", and ");
            print_obstacle(r, r->maker[m.first], out);
        }
    } else {
        print_price(r, v, out);
    }
}

static void decide_kept(Plan *p, ValueId v)
{
    Remat *r = p->r;
    StrBuf why = {0};
    sb_bytes(&why, (double)type_bytes(&r->in->values[v].type));
    if (r->again[v]) {
        sb_puts(&why, " less to keep; ");
        print_price(r, v, &why);
        p->approved[v] = apply(p, "kept -> computed again", v, &why);
    } else if (remat_obstacle(r, r->maker[v])) {
        sb_puts(&why, " are kept: ");
        print_op(r, v, &why);
        sb_puts(&why, " does not run twice, since ");
        print_obstacle(r, r->maker[v], &why);
        rule_refuse(r->c, "kept -> computed again", v, 0, "%s", sb_cstr(&why));
    } else {
        sb_puts(&why, " are kept: ");
        print_dearer(r, v, &why);
        rule_refuse(r->c, "kept -> computed again", v, 0, "%s", sb_cstr(&why));
    }
    sb_free(&why);
}

/* Kept in place of what is made from it. */
static void note_source(Plan *p, ValueId v)
{
    Remat *r = p->r;
    StrBuf why = {0};
    sb_bytes(&why, (double)type_bytes(&r->in->values[v].type));
    sb_puts(&why, " are kept, since others are computed again from it; ");
    if (remat_obstacle(r, r->maker[v])) {
        print_op(r, v, &why);
        sb_puts(&why, " does not run twice, since ");
        print_obstacle(r, r->maker[v], &why);
    } else {
        print_dearer(r, v, &why);
    }
    rule_refuse(r->c, "kept for others", v, 0, "%s", sb_cstr(&why));
    sb_free(&why);
}

static void decide_moved(Plan *p, ValueId v)
{
    StrBuf why = {0};
    sb_bytes(&why, (double)type_bytes(&p->r->in->values[v].type));
    sb_puts(&why, " to keep, which is less than what it is made from");
    p->approved[v] = apply(p, "backward -> computed by forward", v, &why);
    sb_free(&why);
}

static void note_listed(ValueId v, void *user)
{
    ((Plan *)user)->listed[v] = true;
}

static void decide(Plan *p)
{
    const Remat *r = p->r;
    arg_each_value(r->in->nodes[r->end].args[1], note_listed, p);
    for (ValueId v = 1; v < r->in->nvalues; v++) {
        NodeId maker = r->maker[v];
        if (maker == NO_NODE || r->late[v])
            continue;
        if (maker < r->end && p->listed[v])
            decide_kept(p, v);
        else if (maker < r->end && r->kept[v])
            note_source(p, v);
        else if (maker > r->end && r->kept[v])
            decide_moved(p, v);
    }
}

/* --------------------------------------------------------------------------- what follows of it */

typedef struct Look {
    const bool *set;
    bool any;
} Look;

static void look(ValueId v, void *user)
{
    Look *l = user;
    l->any |= l->set[v];
}

static bool any_result(const Trace *t, NodeId n, const bool *set)
{
    Look l = {set, false};
    arg_each_value(t->nodes[n].out, look, &l);
    return l.any;
}

static void each_read(const Trace *t, NodeId n, void (*fn)(ValueId, void *), void *user)
{
    for (NodeId i = n; i < n + t->nodes[n].span; i++)
        arg_each_value((Arg){.kind = ARG_tuple, .n = t->nodes[i].nargs, .items = t->nodes[i].args},
                       fn, user);
}

static void note_needed(ValueId v, void *user)
{
    ((Plan *)user)->needed[v] = true;
}

/* The backward part, or a copy in it, reads v. */
static void demand(ValueId v, void *user)
{
    Plan *p = user;
    const Remat *r = p->r;
    NodeId maker = r->maker[v];
    if (r->late[v] || (maker == NO_NODE && !r->is_input[v]))
        return;
    if (maker != NO_NODE && maker > r->end && !p->moved[maker])
        return;
    bool redo = maker < r->end && (p->listed[v] ? p->approved[v] : r->again[v]);
    if (redo)
        p->redo[v] = true;
    else
        p->saved[v] = true;
}

static void follow(Plan *p)
{
    const Trace *t = p->r->in;
    NodeId *top = new_array(&p->r->scratch, NodeId, t->nnodes + 1);
    uint32_t n = 0;
    for_top(t, i)
        top[n++] = i;
    arg_each_value(t->output.items[1], demand, p);
    for (uint32_t i = n; i-- > 0 && top[i] > p->r->end;) {
        NodeId at = top[i];
        p->moved[at] = !p->r->late_node[at] &&
                       (any_result(t, at, p->approved) || any_result(t, at, p->needed));
        if (p->moved[at])
            each_read(t, at, note_needed, p);
    }
    for (uint32_t i = n; i-- > 0 && top[i] > p->r->end;)
        if (!p->moved[top[i]])
            each_read(t, top[i], demand, p);
    arg_each_value(t->output.items[1], demand, p);
    while (n-- > 0)
        if (top[n] < p->r->end && any_result(t, top[n], p->redo))
            each_read(t, top[n], demand, p);
}

/* -------------------------------------------------------------------------------------- writing */

static Str copy_name(Plan *p, ValueId v)
{
    Trace *t = p->r->t;
    Str base = arena_printf(&t->arena, "bw_%.*s", STR(t->values[v].name)), name = base;
    bool is_new;
    for (uint32_t k = 2;; k++) {
        map_put(&p->names, name, &is_new);
        if (is_new)
            return name;
        name = arena_printf(&t->arena, "%.*s_%u", STR(base), k);
    }
}

static void add_copy(ValueId v, void *user)
{
    Plan *p = user;
    Trace *t = p->r->t;
    if (p->map[v])
        return;
    bool inner = p->r->maker[v] == NO_NODE;
    Value old = t->values[v];
    ValueId copy = trace_add_value(t, old.type, inner ? (Str){0} : copy_name(p, v));
    t->values[copy].known = old.known;
    value_merge_origins(t, copy, v);
    p->map[v] = copy;
    if (!inner && p->entry[v])
        log_at(p->r->c->log, p->entry[v] - 1)->other = copy;
}

/* Of several results only those that are not kept are replaced. */
static void forget_kept(ValueId v, void *user)
{
    Plan *p = user;
    if (!p->redo[v])
        p->map[v] = 0;
}

static void write_copy(Plan *p, NodeId n)
{
    Trace *t = p->r->t;
    const Trace *in = p->r->in;
    for (NodeId i = n; i < n + in->nodes[n].span; i++)
        arg_each_value(in->nodes[i].out, add_copy, p);
    NodeId at = trace_copy_node(t, in, n, p->map);
    for (NodeId i = at; i < t->nnodes; i++) {
        t->nodes[i].out = arg_map(t, t->nodes[i].out, p->map);
        t->nodes[i].flags |= NF_BACKWARD | NF_RECOMPUTE;
    }
    arg_each_value(in->nodes[n].out, forget_kept, p);
}

/* Nodes inside of a composite read its results: it is not its own operand. */
static void push_maker(ValueId v, void *user)
{
    Plan *p = user;
    if (!p->redo[v] || p->map[v] || p->state[p->r->maker[v]] != 0)
        return;
    if (p->depth == p->room) {
        NodeId *more = new_array(&p->r->scratch, NodeId, 2 * p->room + 64);
        if (p->depth)
            memcpy(more, p->stack, p->depth * sizeof *more);
        p->stack = more;
        p->room = 2 * p->room + 64;
    }
    p->stack[p->depth++] = p->r->maker[v];
}

/* Copies of all that stands on the stack, operands first. */
static void write_copies(Plan *p)
{
    while (p->depth > 0) {
        NodeId n = p->stack[p->depth - 1];
        if (p->state[n] == 0) {
            p->state[n] = 1;
            each_read(p->r->in, n, push_maker, p);
            continue;
        }
        p->depth--;
        if (p->state[n] == 1)
            write_copy(p, n);
        p->state[n] = 2;
    }
}

static void write_saved(Plan *p)
{
    const Remat *r = p->r;
    Arg *items = new_array(&p->r->scratch, Arg, r->in->nvalues + 1);
    uint32_t n = 0;
    for (ValueId v = 1; v < r->in->nvalues; v++)
        if (p->saved[v])
            items[n++] = A_VALUE(v);
    NodeId at = trace_copy_node(r->t, r->in, r->end, NULL);
    const Arg both[2] = {r->in->nodes[r->end].args[0], arg_tuple(r->t, items, n)};
    r->t->nodes[at].args = arg_tuple(r->t, both, 2).items;
}

static void write_all(Plan *p)
{
    const Trace *in = p->r->in;
    Trace *t = p->r->t;
    for (ValueId v = 1; v < t->nvalues; v++)
        map_put(&p->names, t->values[v].name, NULL);
    for (NodeId n = 0; n < p->r->end; n += in->nodes[n].span)
        if (!node_is_del(&in->nodes[n]))
            trace_copy_node(t, in, n, NULL);
    for_top(in, n)
        if (p->moved[n])
            for (NodeId i = trace_copy_node(t, in, n, NULL); i < t->nnodes; i++)
                t->nodes[i].flags &= ~(uint32_t)NF_BACKWARD;
    write_saved(p);
    for_top(in, n) {
        if (n <= p->r->end || p->moved[n] || node_is_del(&in->nodes[n]))
            continue;
        if (node_is_prim(&in->nodes[n], PRIM_copy_)) /* what reads inputs stands before writes */
            arg_each_value(in->output.items[1], push_maker, p);
        each_read(in, n, push_maker, p);
        write_copies(p);
        trace_copy_node(t, in, n, p->map);
    }
    arg_each_value(in->output.items[1], push_maker, p);
    write_copies(p);
    const Arg both[2] = {in->output.items[0], arg_map(t, in->output.items[1], p->map)};
    t->output = arg_tuple(t, both, 2);
}

/* ------------------------------------------------------------------------------------------ all */

static void make_arrays(Remat *r, Plan *p)
{
    uint32_t values = r->in->nvalues, nodes = r->in->nnodes + 1;
    bool **const by_value[] = {&r->is_input, &r->late,    &r->wanted,  &r->firm,
                               &r->outside,  &r->written, &r->again,   &r->kept,
                               &p->listed,   &p->approved, &p->needed, &p->redo,
                               &p->saved};
    for (size_t i = 0; i < ARRAY_LEN(by_value); i++)
        *by_value[i] = new_array(&r->scratch, bool, values);
    r->maker = new_array(&r->scratch, NodeId, values);
    r->late_node = new_array(&r->scratch, bool, nodes);
    p->moved = new_array(&r->scratch, bool, nodes);
    p->state = new_array(&r->scratch, uint8_t, nodes);
    p->map = new_array(&r->scratch, ValueId, values);
    p->entry = new_array(&r->scratch, uint32_t, values);
}

static void rematerialise(Remat *r)
{
    Plan p = {.r = r};
    make_arrays(r, &p);
    remat_find_facts(r);
    remat_cut(r);
    decide(&p);
    follow(&p);
    write_all(&p);
    map_free(&p.names);
}

Trace *pass_remat(PassCtx *c, const Trace *in)
{
    Remat r = {.c = c, .in = in, .t = trace_derive(in), .end = trace_end_of_forward(in)};
    bool good = remat_read_options(&r) && !pass_interrupted(c);
    if (good && r.end != NO_NODE)
        rematerialise(&r);
    else
        for_top(in, n)
            trace_copy_node(r.t, in, n, NULL);
    arena_free(&r.scratch);
    if (good)
        return r.t;
    trace_unref(r.t);
    return NULL;
}
