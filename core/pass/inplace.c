/*
 * inplace.c - functionalises in-place operators.
 *
 *     v = ltorch.getitem(x, 0)          v = ltorch.getitem(x, 0)
 *     ltorch.add_(v, 1)            ->   t0 = prims.add(v, 1)
 *     y = ltorch.mul(x, 2)              t1 = prims.copy_with_setitem(x, ..., t0)
 *     return y                          y = ltorch.mul(t1, 2)
 *                                       t2 = prims.copy_(t1, x)
 *                                       return y
 *
 * Storage that the program writes has a version, which every write makes one higher. A write
 * replaces the written value only, the "tip" of its storage. Its bases, up the chain of views, get
 * new values when somebody reads one, or another view of one: the tip climbs (put.c) until it is a
 * base of what is read, and views below it are made again. So a row of writes through one view
 * costs one new base. Inputs whose storage was written get one write-back each, at the end.
 *
 * A write that is left out (no fuel, skipped) stays as it was, in place. Before it, all storage
 * whose present contents exist only as new values is written back ("flushed"), so that the views of
 * it that the program made are right again; those made since are made again from the real storage.
 * So every number of applications gives a program that runs.
 *
 * Composites without writes are copied as they are. Those that write are opened.
 */
#include "alias.h"
#include "inject.h"
#include "put.h"
#include "rewrite.h"

typedef struct InPlace {
    PassCtx *c;
    const Trace *in;
    Trace *t;
    Alias alias;
    ValueId *map; /* for trace_copy_node; right for the node at hand only */
    ValueId *now; /* by value in written storage: what holds its contents at version seen[v] */
    uint32_t *seen;
    ValueId *real;     /* by value: a view of the real storage, right while that is not dirty */
    uint32_t *version; /* by root, from 1 */
    uint8_t *dirty;    /* by root: the present contents exist as new values only */
    ValueId *tip;      /* by dirty root: what was written last, or a base of it. Bases above it are
                        * out of date inside the view that leads to the tip, nowhere else */
    NodeId *writer;    /* by dirty root: the node that wrote last */
    ValueId *dirt;     /* the dirty roots, in the order in which they became so */
    uint32_t ndirt;
    uint8_t *visible; /* by value: defined at top level by now */
    uint8_t *pinned;  /* by root: stays in place */
    NodeId *top;      /* by visible value: the node that made it so */
    ValueId *stack;   /* views to make again */
    uint32_t nstack;
    Joins joins;
    const Node *node; /* the statement at hand, for places in errors */
} InPlace;

static const char write_rule[] = "copy_(a, x) -> a";
static const char open_rule[] = "open in-place composite";

static bool tracked(const InPlace *s, ValueId v)
{
    return v < s->in->nvalues && s->alias.written[s->alias.root[v]];
}

/* ------------------------------------------------------------------------------------- reading */

/* What holds the present contents of v, as far as it is there already. Another name of a value
 * (what copy_ gives) shares its contents, so that a long row of writes is no long chain of views.
 */
static ValueId current(const InPlace *s, ValueId v)
{
    ValueId root = s->alias.root[v], same = s->alias.same[v];
    if (!s->dirty[root])
        return s->real[v] ? s->real[v] : s->real[same];
    if (s->seen[v] == s->version[root])
        return s->now[v];
    return s->seen[same] == s->version[root] ? s->now[same] : 0;
}

static void set_current(InPlace *s, ValueId v, ValueId value)
{
    ValueId root = s->alias.root[v];
    if (!s->dirty[root])
        s->real[v] = value;
    s->now[v] = value;
    s->seen[v] = s->version[root];
}

typedef struct Search {
    InPlace *s;
    ValueId from; /* found; 0 = none */
    bool several;
} Search;

static void find_source(ValueId v, void *user)
{
    Search *f = user;
    if (!f->s->visible[v] || !tracked(f->s, v))
        return;
    f->several |= f->from && f->from != v;
    f->from = v;
}

/* The composite that made v, if it can be called again for v alone: all of it is views of one
 * value, and v its only result. */
static NodeId view_composite(InPlace *s, ValueId v, ValueId *from)
{
    NodeId n = s->top[v];
    const Node *node = &s->in->nodes[n];
    Search f = {.s = s};
    if (!s->visible[v] || node->span == 1 || node->out.kind != ARG_value || node->out.v != v)
        return NO_NODE;
    for (NodeId i = n; i < n + node->span; i++) {
        const Node *part = &s->in->nodes[i];
        if (part->span == 1 && (part->out.kind != ARG_value || s->alias.maker[part->out.v] != i ||
                                !s->alias.parent[part->out.v]))
            return NO_NODE;
        for (uint32_t k = 0; k < part->nargs; k++)
            arg_each_value(part->args[k], find_source, &f);
    }
    *from = f.from;
    return f.from && f.from != v && !f.several ? n : NO_NODE;
}

/* The value that v is made again from: at or below the tip. */
static ValueId source_of(InPlace *s, ValueId v, NodeId *composite)
{
    ValueId from, root = s->alias.root[v];
    *composite = NO_NODE;
    if (s->alias.same[v] != v)
        return s->alias.same[v];
    NodeId n = view_composite(s, v, &from);
    if (n == NO_NODE || (s->dirty[root] && s->alias.depth[from] < s->alias.depth[s->tip[root]]))
        return s->alias.parent[v];
    *composite = n;
    return from;
}

static void fresh_value(ValueId v, void *user)
{
    InPlace *s = user;
    if (!s->map[v])
        s->map[v] = trace_add_value(s->t, s->t->values[v].type, (Str){0});
}

static void forget_map(ValueId v, void *user)
{
    ((InPlace *)user)->map[v] = 0;
}

/* A copy of node n that makes new values in place of its own; map leads from its results to them.
 */
static void copy_for_new_values(InPlace *s, NodeId n)
{
    const Node *node = &s->in->nodes[n];
    for (NodeId i = n; i < n + node->span; i++)
        arg_each_value(s->in->nodes[i].out, forget_map, s);
    for (NodeId i = n; i < n + node->span; i++)
        arg_each_value(s->in->nodes[i].out, fresh_value, s);
    NodeId copy = trace_copy_node(s->t, s->in, n, s->map);
    for (uint32_t i = 0; i < node->span; i++)
        s->t->nodes[copy + i].out = arg_map(s->t, s->in->nodes[n + i].out, s->map);
}

static ValueId call_prim_again(InPlace *s, NodeId n, ValueId now)
{
    const Node *node = &s->in->nodes[n];
    Build b = build_for(s->c, s->t, s->node);
    Arg args[MAX_PARAMS];
    for (uint32_t i = 0; i < node->nargs; i++)
        args[i] = node->args[i];
    args[0] = A_VALUE(now);
    return first_value(op_call(&b, node->op, args));
}

static void make_again(InPlace *s, ValueId v)
{
    NodeId composite;
    ValueId from = source_of(s, v, &composite), now = current(s, from), value = now;
    s->map[from] = now;
    if (composite != NO_NODE) {
        copy_for_new_values(s, composite);
        value = s->map[v];
    } else if (s->alias.same[v] == v)
        value = call_prim_again(s, s->alias.maker[v], now);
    set_current(s, v, value);
}

static ValueId base_of(const InPlace *s, ValueId v)
{
    return s->alias.same[s->alias.parent[v]];
}

/* The base of the tip gets its new value and is the tip. */
static void climb(InPlace *s, ValueId root)
{
    ValueId tip = s->tip[root], base = base_of(s, tip);
    const Node *step = &s->in->nodes[s->alias.maker[tip]];
    Build b = build_for(s->c, s->t, &s->in->nodes[s->writer[root]]);
    Arg old = view_keeps_base(step) ? A_VALUE(s->now[base]) : A_NONE;
    Arg value = view_put(&b, step, &s->in->values[base].type, old, A_VALUE(s->now[tip]));
    set_current(s, base, first_value(value));
    s->tip[root] = base;
}

/* Makes the tip a base of v, or v itself. */
static void climb_for(InPlace *s, ValueId v)
{
    ValueId root = s->alias.root[v];
    const uint32_t *depth = s->alias.depth;
    for (v = s->alias.same[v]; s->dirty[root]; climb(s, root)) {
        while (depth[v] > depth[s->tip[root]])
            v = base_of(s, v);
        if (v == s->tip[root])
            return;
    }
}

/* What holds the present contents of v. */
static ValueId read_value(InPlace *s, ValueId v)
{
    NodeId composite;
    if (!tracked(s, v))
        return v;
    if (!current(s, v))
        climb_for(s, v);
    for (ValueId u = v; u && !current(s, u); u = source_of(s, u, &composite))
        s->stack[s->nstack++] = u;
    while (s->nstack)
        make_again(s, s->stack[--s->nstack]);
    return current(s, v);
}

/* A fault of tests: the statement at hand reads what was there before the writes in front of it. */
static bool reads_too_early(const InPlace *s)
{
    return arg_is_value(s->node->out) &&
           INJECT(inplace_reordered, s->in->values[s->node->out.v].name);
}

static void read_argument(ValueId v, void *user)
{
    InPlace *s = user;
    if (INJECT(inplace_lost_alias, s->in->values[v].name) || reads_too_early(s))
        s->map[v] = v;
    else if (tracked(s, v) && s->visible[v])
        s->map[v] = read_value(s, v);
}

static void show_result(ValueId v, void *user)
{
    InPlace *s = user;
    s->visible[v] = 1;
    s->top[v] = (NodeId)(s->node - s->in->nodes);
    if (!tracked(s, v))
        return;
    if (!s->visible[s->alias.root[v]])
        s->pinned[s->alias.root[v]] = 1; /* there is no base to replace */
    set_current(s, v, v);
}

/* A reshape that had to copy gave storage of its own. What stands in the place of its argument here
 * may be laid out in another way, so that it would be a view; a write that stays in place, into
 * either of the two, would tell. */
static bool must_stay_apart(const InPlace *s, ValueId v)
{
    ValueId root = s->alias.root[v], from = s->alias.copied[root];
    NodeId n = (NodeId)(s->node - s->in->nodes), maker = s->alias.maker[root];
    bool copied_here = from && maker >= n && maker < n + s->node->span;
    return copied_here && (tracked(s, root) || tracked(s, from));
}

static void find_apart(ValueId v, void *user)
{
    Search *f = user;
    if (must_stay_apart(f->s, v))
        f->from = v;
}

static ValueId add_clone(InPlace *s, enum PrimId op, ValueId from, ValueId to)
{
    Arg a = A_VALUE(from);
    to = to ? to : trace_add_value(s->t, s->t->values[from].type, (Str){0});
    trace_add_node(s->t, (Node){.op = registry_op(s->in->reg, op),
                                .args = arena_copy(&s->t->arena, &a, sizeof a),
                                .out = A_VALUE(to),
                                .nargs = 1,
                                .span = 1,
                                .src = s->node->src,
                                .loc = s->node->loc});
    return to;
}

static void clone_argument(ValueId v, void *user)
{
    InPlace *s = user;
    if (tracked(s, v) && s->visible[v])
        s->map[v] = add_clone(s, PRIM_clone, s->map[v], 0);
}

static void clone_result(ValueId v, void *user)
{
    InPlace *s = user;
    add_clone(s, must_stay_apart(s, v) ? PRIM_clone : PRIM_shallow_copy, s->map[v], v);
}

/* Appends node n so that its results lie apart from its arguments, in the layout that they had: a
 * clone is row-major, as all copies are but those of stride_order. */
static void copy_apart(InPlace *s, NodeId n)
{
    bool ordered = false;
    for (NodeId i = n; i < n + s->node->span; i++)
        ordered |= node_is_prim(&s->in->nodes[i], PRIM_stride_order);
    if (!ordered) {
        copy_for_new_values(s, n);
        arg_each_value(s->node->out, clone_result, s);
        arg_each_value(s->node->out, forget_map, s);
        return;
    }
    for (uint32_t k = 0; k < s->node->nargs; k++)
        arg_each_value(s->node->args[k], clone_argument, s);
    trace_copy_node(s->t, s->in, n, s->map);
}

/* Appends node n as it is, reading the present contents of its arguments. */
static void copy_whole(InPlace *s, NodeId n)
{
    s->node = &s->in->nodes[n];
    for (NodeId i = n; i < n + s->node->span; i++)
        for (uint32_t k = 0; k < s->in->nodes[i].nargs; k++)
            arg_each_value(s->in->nodes[i].args[k], read_argument, s);
    Search f = {.s = s};
    arg_each_value(s->node->out, find_apart, &f);
    if (f.from)
        copy_apart(s, n);
    else
        trace_copy_node(s->t, s->in, n, s->map);
    arg_each_value(s->node->out, show_result, s);
}

/* ------------------------------------------------------------------------------------- writing */

static void write_back(InPlace *s, ValueId root)
{
    Build b = build_for(s->c, s->t, s->node);
    ValueId now = read_value(s, root);
    emit(&b, copy_, A_VALUE(now), A_VALUE(root), A_BOOL(true));
    s->dirty[root] = 0;
    s->version[root]++;
}

/* Brings all real storage up to date. */
static void flush(InPlace *s)
{
    for (uint32_t i = 0; i < s->ndirt; i++)
        write_back(s, s->dirt[i]);
    s->ndirt = 0;
}

/* The contents for `to`, a value of its type that no later write can reach. */
static Arg new_contents(InPlace *s, Build *b, ValueId from, ValueId to)
{
    const Type *want = &s->in->values[to].type, have = s->in->values[from].type;
    Arg a = A_VALUE(read_value(s, from));
    if (have.dtype != want->dtype)
        return emit(b, convert_element_type, a, A_DTYPE(want->dtype));
    if (!device_eq(have.device, want->device))
        return emit(b, device_put, a, A_DEVICE(want->device));
    return tracked(s, from) ? emit(b, clone, a) : a;
}

/* Whether v is the tip of its storage, or a base of it. */
static bool is_above_tip(const InPlace *s, ValueId v)
{
    ValueId root = s->alias.root[v], u = s->dirty[root] ? s->tip[root] : root;
    while (s->alias.depth[u] > s->alias.depth[v])
        u = base_of(s, u);
    return u == v;
}

/* v gets new contents: it is the tip now. The bases that lead from v to the old tip must be known
 * as they were, for the time when the new tip climbs. */
static void write_value(InPlace *s, ValueId v, ValueId value, NodeId writer)
{
    ValueId root = s->alias.root[v];
    v = s->alias.same[v];
    if (!is_above_tip(s, v)) {
        climb_for(s, v);
        ValueId end = s->dirty[root] ? s->tip[root] : root;
        for (ValueId u = v; u != end; u = base_of(s, u))
            if (view_keeps_base(&s->in->nodes[s->alias.maker[u]]))
                s->now[base_of(s, u)] = read_value(s, base_of(s, u));
    }
    if (!s->dirty[root])
        s->dirt[s->ndirt++] = root;
    s->dirty[root] = 1;
    s->version[root]++;
    s->tip[root] = v;
    s->writer[root] = writer;
    set_current(s, v, value);
}

static bool may_write(InPlace *s, ValueId from, ValueId to)
{
    ValueId root = s->alias.root[to];
    Str name = s->in->values[to].name, base = s->in->values[root].name;
    if (s->pinned[root]) {
        rule_refuse(s->c, write_rule, to, from,
                    "%%%.*s lies inside a composite that was not opened", STR(base));
        return false;
    }
    if (s->alias.parent[to])
        return rule_apply(s->c, write_rule, to, from,
                          "%%%.*s is a view of %%%.*s, which gets a new value", STR(name),
                          STR(base));
    bool is_input = s->in->values[root].producer == NO_NODE;
    return rule_apply(s->c, write_rule, to, from, "later reads of %%%.*s take the new value%s",
                      STR(name), is_input ? "; the input is written back last" : "");
}

static void write_in_place(InPlace *s, NodeId n)
{
    flush(s);
    copy_whole(s, n);
}

static void write_node(InPlace *s, NodeId n)
{
    const Node *node = &s->in->nodes[n];
    bool is_copy = node_is_prim(node, PRIM_copy_) && node->args[0].kind == ARG_value &&
                   node->args[1].kind == ARG_value && node->out.kind == ARG_value;
    s->node = node;
    if (!is_copy)
        rule_refuse(s->c, write_rule, first_value(node->out), 0, "what %s writes is not known here",
                    node->op->name);
    if (!is_copy || !may_write(s, node->args[0].v, node->args[1].v)) {
        write_in_place(s, n);
        return;
    }
    Build b = build_for(s->c, s->t, node);
    Arg value = new_contents(s, &b, node->args[0].v, node->args[1].v);
    if (!b.failed)
        write_value(s, node->args[1].v, first_value(value), n);
    s->visible[node->out.v] = 1;
    s->top[node->out.v] = n;
    if (!b.failed)
        joins_add(&s->joins, first_value(value), node->out.v);
}

/* ---------------------------------------------------------------------------------------- walk */

static void find_hidden_root(ValueId v, void *user)
{
    Search *f = user;
    ValueId root = f->s->alias.root[v];
    if (tracked(f->s, v) && root != v && !f->s->visible[root])
        f->from = root;
}

/* A result of composite n may be a view of a value inside of it. When that storage is written, the
 * composite must be opened, so that there is a base to replace. */
static bool opens_for_root(InPlace *s, NodeId n)
{
    const Node *node = &s->in->nodes[n];
    Search f = {.s = s};
    if (node->span == 1)
        return false;
    arg_each_value(node->out, find_hidden_root, &f);
    if (!f.from)
        return false;
    if (!s->pinned[f.from] && rule_apply(s->c, open_rule, first_value(node->out), f.from,
                                         "its result is a view of %%%.*s inside, which is written",
                                         STR(s->in->values[f.from].name)))
        return true;
    s->pinned[f.from] = 1;
    return false;
}

static bool walk(InPlace *s, NodeId from, NodeId end)
{
    for (NodeId n = from; n < end; n += s->in->nodes[n].span) {
        const Node *node = &s->in->nodes[n];
        bool writes = (subtree_flags(s->in, n) & OP_IN_PLACE) != 0;
        if (pass_interrupted(s->c))
            return false;
        if (node_is_del(node))
            continue;
        if (writes && node->span == 1)
            write_node(s, n);
        else if (writes ? rule_apply(s->c, open_rule, first_value(node->out), 0,
                                     "%s writes into a tensor", node->op->name)
                        : opens_for_root(s, n)) {
            if (!walk(s, n + 1, n + node->span))
                return false;
        } else if (writes)
            write_in_place(s, n);
        else
            copy_whole(s, n);
    }
    return true;
}

static void finish_outputs(InPlace *s)
{
    static const Node nowhere = {0};
    s->node = &nowhere;
    arg_each_value(s->in->output, read_argument, s);
    s->t->output = arg_map(s->t, s->in->output, s->map);
    for (uint32_t i = 0; i < s->in->ninputs; i++)
        read_value(s, s->in->inputs[i]); /* what that takes comes before the first write-back */
    for (uint32_t i = 0; i < s->in->ninputs; i++)
        if (s->dirty[s->in->inputs[i]] &&
            !INJECT(inplace_write_back, s->in->values[s->in->inputs[i]].name))
            write_back(s, s->in->inputs[i]);
}

/* PyTorch refuses to write into a tensor in which several elements share one place. */
static bool check_overlaps(InPlace *s)
{
    bool fine = true;
    for (NodeId n = 0; n < s->in->nnodes; n++) {
        const Node *node = &s->in->nodes[n];
        ValueId to = node->op->flags & OP_IN_PLACE ? shared_argument(s->in, node) : 0;
        if (!to || !alias_overlaps(&s->alias, to))
            continue;
        Str name = s->in->values[to].name;
        DiagItem *item = diag_error(s->c->diag, DIAG_compile, node->src, "overlapping-write",
                                    "%.*s is written, but several of its elements share one place "
                                    "in memory",
                                    STR(name));
        diag_where(s->c->diag, item, "pass inplace, op %s", node->op->name);
        diag_help(s->c->diag, item, "clone the tensor before it is written; history %%%.*s",
                  STR(name));
        fine = false;
    }
    return fine;
}

static void in_place_arrays(InPlace *s, Arena *scratch)
{
    uint32_t n = s->in->nvalues;
    s->map = new_array(scratch, ValueId, n);
    s->now = new_array(scratch, ValueId, n);
    s->seen = new_array(scratch, uint32_t, n);
    s->real = new_array(scratch, ValueId, n);
    s->version = new_array(scratch, uint32_t, n);
    s->dirty = new_array(scratch, uint8_t, n);
    s->visible = new_array(scratch, uint8_t, n);
    s->pinned = new_array(scratch, uint8_t, n);
    s->top = new_array(scratch, NodeId, n);
    s->stack = new_array(scratch, ValueId, n);
    s->tip = new_array(scratch, ValueId, n);
    s->writer = new_array(scratch, NodeId, n);
    s->dirt = new_array(scratch, ValueId, n);
    for (ValueId v = 0; v < n; v++)
        s->version[v] = 1;
}

static bool functionalise(InPlace *s)
{
    Arena scratch = {0};
    in_place_arrays(s, &scratch);
    for (uint32_t i = 0; i < s->in->ninputs; i++) {
        ValueId v = s->in->inputs[i];
        s->visible[v] = 1;
        s->real[v] = v;
    }
    bool done = walk(s, 0, s->in->nnodes);
    if (done)
        finish_outputs(s);
    joins_finish(&s->joins, s->t);
    arena_free(&scratch);
    return done;
}

static bool copy_all(PassCtx *c, const Trace *in, Trace *t)
{
    for_top(in, n) {
        if (pass_interrupted(c))
            return false;
        if (!node_is_del(&in->nodes[n]))
            trace_copy_node(t, in, n, NULL);
    }
    return true;
}

Trace *pass_inplace(PassCtx *c, const Trace *in)
{
    InPlace s = {.c = c, .in = in, .t = trace_derive(in)};
    bool done;
    if (trace_has_writes(in)) {
        alias_build(&s.alias, in);
        done = check_overlaps(&s) && functionalise(&s);
        alias_free(&s.alias);
    } else {
        done = copy_all(c, in, s.t);
    }
    if (done)
        return s.t;
    trace_unref(s.t);
    return NULL;
}
