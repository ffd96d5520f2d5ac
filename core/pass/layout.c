/*
 * layout.c - see layout.h.
 *
 *     a = attention(q, k, v)                      # a: [B, H, T, D]
 *     b = prims.transpose(a, (0, 2, 1, 3))        # a view
 *     y = prims.reshape(b, (B, T, H * D))         # a copy, unless a is written as b wants it
 *
 * The layout that a reader wants is led back through the views to the value that owns the storage.
 * Its kernel must be able to write so (Executor.lays), and what all readers copy, counted in bytes,
 * must become less. An operand of a cat is wanted where the result has it: written there, it is
 * not moved again. Its storage is then a part of the result's, which exists from the first part
 * on, so only operands that are made shortly before are placed.
 */
#include "layout.h"
#include "rewrite.h"

#include <string.h>

enum { MAX_STEPS = 32, MAX_VISITS = 256, MAX_TRIES = 4, NEAR = 64, PLACE_ALIGN = 16 };
#define TOO_MUCH (INT64_MAX / 4)

typedef struct Chooser {
    PassCtx *c;
    const Trace *in;
    Trace *t;
    Alias alias; /* as if all results were dense */
    ValueId *whole;
    int64_t *at;
    uint8_t *leaves; /* by root: reaches the output */
    uint8_t *tries;  /* by root */
    uint8_t *parts;  /* by value: others are placed in it */
    uint32_t *first; /* by value, one more than there are: its readers are readers[first[v]] up to
                      * the first one of the next value */
    NodeId *readers; /* top-level nodes, a node once for each time it reads the value */
    uint32_t *step;  /* by node: its number among the top-level nodes */
    uint32_t visits;
    bool any;
} Chooser;

static const Executor *executor_of(const Chooser *x, NodeId n)
{
    const char *name = x->in->nodes[n].executor;
    return name ? exec_find(x->c->executors, str_from(name)) : NULL;
}

/* -------------------------------------------------------------------------------------- readers */

typedef struct Count {
    Chooser *x;
    NodeId now;
    uint32_t *next; /* where the next reader goes; NULL = only counted */
} Count;

static void count_one(ValueId v, void *user)
{
    Count *c = user;
    if (c->next)
        c->x->readers[c->next[v]++] = c->now;
    else
        c->x->first[v + 1]++;
}

static void each_read(Chooser *x, uint32_t *next)
{
    Count c = {.x = x, .next = next};
    for_top(x->in, n) {
        c.now = n;
        for (uint32_t k = 0; k < x->in->nodes[n].nargs && !node_is_del(&x->in->nodes[n]); k++)
            arg_each_value(x->in->nodes[n].args[k], count_one, &c);
    }
}

static void note_leaving(ValueId v, void *user)
{
    Chooser *x = user;
    x->leaves[x->alias.root[v]] = 1;
}

static void find_readers(Chooser *x, Arena *scratch)
{
    uint32_t n = x->in->nvalues, step = 0;
    x->first = new_array(scratch, uint32_t, n + 1);
    x->step = new_array(scratch, uint32_t, x->in->nnodes);
    x->leaves = new_array(scratch, uint8_t, n);
    x->tries = new_array(scratch, uint8_t, n);
    x->parts = new_array(scratch, uint8_t, n);
    each_read(x, NULL);
    for (uint32_t v = 0; v < n; v++)
        x->first[v + 1] += x->first[v];
    x->readers = new_array(scratch, NodeId, x->first[n] + 1);
    uint32_t *next = new_array(scratch, uint32_t, n);
    memcpy(next, x->first, n * sizeof *next);
    each_read(x, next);
    for_top(x->in, i)
        x->step[i] = step++;
    arg_each_value(x->in->output, note_leaving, x);
}

/* ------------------------------------------------------------------------------- what is copied */

static int64_t copied(Chooser *x, ValueId v, const Layout *l, uint32_t depth);

/* Bytes that node n copies because its operand v lies so. */
static int64_t copied_by(Chooser *x, NodeId n, ValueId v, const Layout *l, uint32_t depth)
{
    const Node *node = &x->in->nodes[n];
    const Type *type = &x->in->values[v].type;
    if (node->span == 1 && shared_argument(x->in, node) == v && node->out.kind == ARG_value) {
        Layout next;
        if (!layout_step(x->in, node, l, &x->in->values[node->out.v].type, &next))
            return type_bytes(type);
        return copied(x, node->out.v, &next, depth + 1);
    }
    const Executor *e = executor_of(x, n);
    bool reads = !e || !e->device || layout_is_dense(l) ||
                 (e->lays && e->lays(x->in, n, v, l->strides));
    return reads ? 0 : type_bytes(type);
}

/* Bytes that all readers of v, and of its views, copy. */
static int64_t copied(Chooser *x, ValueId v, const Layout *l, uint32_t depth)
{
    int64_t bytes = 0;
    if (depth > MAX_STEPS)
        return TOO_MUCH;
    for (uint32_t i = x->first[v]; i < x->first[v + 1] && bytes < TOO_MUCH; i++)
        bytes += ++x->visits > MAX_VISITS ? TOO_MUCH : copied_by(x, x->readers[i], v, l, depth);
    return bytes < TOO_MUCH ? bytes : TOO_MUCH;
}

/* ------------------------------------------------------------------------------------- choosing */

/* The layout of w's root that gives w the layout *l, in place; the root, 0 when there is none. */
static ValueId lead_back(const Chooser *x, ValueId w, Layout *l)
{
    for (uint32_t i = 0; x->alias.parent[w]; i++) {
        ValueId from = x->alias.parent[w];
        Layout back;
        if (i == MAX_STEPS || !layout_back(x->in, &x->in->nodes[x->alias.maker[w]], l,
                                           &x->in->values[from].type, &back))
            return 0;
        *l = back;
        w = from;
    }
    return w;
}

/* The top-level node that makes v and can write it with these strides; NO_NODE = there is none. */
static NodeId writer(const Chooser *x, ValueId v, const Layout *l)
{
    NodeId n = x->in->values[v].producer;
    const Executor *e = n == NO_NODE ? NULL : executor_of(x, n);
    bool own = e && e->device && e->compile && !(x->in->nodes[n].op->flags & OP_VIEW);
    return own && (layout_is_dense(l) || (e->lays && e->lays(x->in, n, v, l->strides))) ? n
                                                                                        : NO_NODE;
}

/* Whether v owns storage that only the program sees, and may be laid out anew. */
static bool is_free(Chooser *x, ValueId v)
{
    const Type *type = &x->in->values[v].type;
    return v && type->kind == VALUE_tensor && type->rank <= MAX_RANK && type_numel(type) > 0 &&
           !x->alias.parent[v] && !x->leaves[v] && !x->t->values[v].layout && !x->whole[v] &&
           !x->parts[v] && x->tries[v]++ < MAX_TRIES;
}

/* What copying costs less when v lies so. */
static int64_t saved(Chooser *x, ValueId v, const Layout *l)
{
    Layout dense;
    alias_layout(&x->alias, v, &dense);
    x->visits = 0;
    int64_t before = copied(x, v, &dense, 0);
    x->visits = 0;
    return before - copied(x, v, l, 0);
}

static void set_layout(Chooser *x, ValueId v, const Layout *l)
{
    x->any = true;
    if (!layout_is_dense(l))
        x->t->values[v].layout =
            arena_copy(&x->t->arena, l->strides, l->rank * sizeof *l->strides);
}

/* y is a copy of u: it need not be one when the owner of u's storage is written in y's order. */
static void try_view(Chooser *x, ValueId u, ValueId y)
{
    Layout l;
    const Type *type = &x->in->values[u].type;
    if (type->rank > MAX_RANK || x->in->values[y].producer == NO_NODE)
        return;
    layout_dense(type, &l);
    ValueId v = lead_back(x, u, &l);
    if (!is_free(x, v) || layout_is_dense(&l) || writer(x, v, &l) == NO_NODE)
        return;
    int64_t bytes = saved(x, v, &l);
    if (bytes > 0 && rule_apply(x->c, "strides -> view", v, y,
                                "written with strides so that %%%.*s is a view of it: %lld bytes "
                                "are copied less",
                                STR(x->in->values[y].name), (long long)bytes))
        set_layout(x, v, &l);
}

/* Where operand i of a cat lies in the result. */
static bool place_in(const Chooser *x, const Node *cat, uint32_t i, Layout *l)
{
    ValueId whole = cat->out.v;
    const Type *type = &x->in->values[whole].type;
    int64_t dim = cat->args[1].i + (cat->args[1].i < 0 ? type->rank : 0);
    alias_layout(&x->alias, whole, l);
    for (uint32_t k = 0; k < i; k++) {
        const Type *before = &x->in->values[cat->args[0].items[k].v].type;
        if (before->rank == type->rank) /* an empty vector may stand anywhere */
            l->offset += before->shape[dim] * l->strides[dim];
    }
    l->shape = x->in->values[cat->args[0].items[i].v].type.shape;
    return x->in->values[cat->args[0].items[i].v].type.rank == type->rank;
}

static void try_place(Chooser *x, NodeId n, uint32_t i)
{
    const Node *cat = &x->in->nodes[n];
    ValueId w = cat->args[0].items[i].v, whole = cat->out.v;
    int64_t size = dtype_info[x->in->values[whole].type.dtype].bytes;
    Layout l;
    if (!place_in(x, cat, i, &l) || l.offset * size % PLACE_ALIGN != 0)
        return;
    ValueId v = lead_back(x, w, &l);
    NodeId made = is_free(x, v) ? writer(x, v, &l) : NO_NODE;
    if (made == NO_NODE || x->step[n] - x->step[made] > NEAR ||
        saved(x, v, &l) + type_bytes(&x->in->values[v].type) <= 0)
        return;
    if (!rule_apply(x->c, "operand -> place", v, whole,
                    "written to where %%%.*s has it, at element %lld: the cat moves nothing",
                    STR(x->in->values[whole].name), (long long)l.offset))
        return;
    set_layout(x, v, &l);
    x->whole[v] = whole;
    x->at[v] = l.offset;
    x->parts[whole] = 1;
}

static bool can_hold_parts(const Chooser *x, NodeId n)
{
    const Node *node = &x->in->nodes[n];
    const Executor *e = executor_of(x, n);
    ValueId v = node->out.kind == ARG_value ? node->out.v : 0;
    if (!e || !e->cats_in_place || !v || !arg_is_seq(node->args[0]) ||
        node->args[1].kind != ARG_int || x->in->values[v].type.rank > MAX_RANK)
        return false;
    for (uint32_t i = 0; i < node->args[0].n; i++)
        if (node->args[0].items[i].kind != ARG_value)
            return false;
    return x->alias.root[v] == v && !x->leaves[v] && !x->whole[v];
}

static bool wanted(const PassCtx *c)
{
    if (str_is(pass_option(c, "layouts", "on"), "off"))
        return false;
    for (uint32_t i = 0; c->executors && i < c->executors->n; i++)
        if (c->executors->on[i] && c->executors->items[i]->lays)
            return true;
    return false;
}

static void choose(Chooser *x)
{
    for_top(x->in, n)
        if (x->in->nodes[n].span == 1 && node_is_prim(&x->in->nodes[n], PRIM_cat) &&
            can_hold_parts(x, n))
            for (uint32_t i = 0; i < x->in->nodes[n].args[0].n; i++)
                try_place(x, n, i);
    for_top(x->in, n) {
        ValueId y = x->in->nodes[n].out.kind == ARG_value ? x->in->nodes[n].out.v : 0;
        if (y && x->alias.copied[y] && x->alias.maker[y] == n)
            try_view(x, x->alias.copied[y], y);
    }
}

bool layouts_choose(PassCtx *c, const Trace *in, Trace *t, Arena *scratch, Layouts *out)
{
    for (ValueId v = 0; v < t->nvalues; v++)
        t->values[v].layout = NULL; /* what a text said of an earlier plan */
    if (!wanted(c))
        return false;
    Chooser x = {.c = c, .in = in, .t = t};
    alias_build(&x.alias, in);
    x.whole = new_array(scratch, ValueId, in->nvalues);
    x.at = new_array(scratch, int64_t, in->nvalues);
    find_readers(&x, scratch);
    choose(&x);
    alias_free(&x.alias);
    *out = (Layouts){t->values, x.whole, x.at};
    return x.any;
}

/* --------------------------------------------------------------------------- from a plan's text */

/* The operands of cat n that lie inside its result: both are alive there, so it is no accident. */
static void read_parts(const Alias *a, NodeId n, ValueId *whole, int64_t *at)
{
    const Trace *t = a->t;
    const Node *cat = &t->nodes[n];
    const Value *to = cat->out.kind == ARG_value ? &t->values[cat->out.v] : NULL;
    if (!to || to->offset < 0 || !arg_is_seq(cat->args[0]))
        return;
    for (uint32_t i = 0; i < cat->args[0].n; i++) {
        ValueId v = cat->args[0].items[i].kind == ARG_value ? a->root[cat->args[0].items[i].v] : 0;
        int64_t from = v ? t->values[v].offset - to->offset : -1;
        if (!v || t->values[v].offset < 0 || from < 0 || from >= type_bytes(&to->type))
            continue;
        whole[v] = cat->out.v;
        at[v] = from / dtype_info[to->type.dtype].bytes;
    }
}

void alias_build_planned(Alias *a, const Trace *t)
{
    Layouts laid = {.values = t->plan_bytes >= 0 ? t->values : NULL};
    alias_build_laid(a, t, &laid);
    if (!laid.values)
        return;
    Arena scratch = {0};
    ValueId *whole = new_array(&scratch, ValueId, t->nvalues);
    int64_t *at = new_array(&scratch, int64_t, t->nvalues);
    for_top(t, n)
        if (t->nodes[n].span == 1 && node_is_prim(&t->nodes[n], PRIM_cat))
            read_parts(a, n, whole, at);
    laid.whole = whole;
    laid.at = at;
    alias_free(a);
    alias_build_laid(a, t, &laid);
    arena_free(&scratch);
}
