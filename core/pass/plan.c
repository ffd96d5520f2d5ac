/*
 * plan.c - when values can go, and where temporaries lie.
 *
 *     t0 = prims.exp(x)            t0 = prims.exp(x)        # +0
 *     t1 = prims.add(t0, 1.0)  ->  del x
 *     return t1                    t1 = prims.add(t0, 1.0)
 *                                  del t0
 *                                  return t1
 *
 * First the layouts of results are chosen (layout.c). Then a `del` after the last use of every
 * tensor, inputs too, outputs never; each del is one application. Then, once all dels are there,
 * an offset for every temporary in one arena a device: a temporary lives from the node that makes
 * it to the last use of it and of all its views (pack.c). Views own no memory, they get an address
 * inside their base's. Outputs are not in the arena, since they outlive the run.
 */
#include "alias.h"
#include "inject.h"
#include "layout.h"
#include "pack.h"
#include "rewrite.h"

enum { MAX_DEVICES = 16 };

typedef struct Plan {
    PassCtx *c;
    const Trace *in;
    Trace *t;
    Alias alias;
    NodeId *last; /* by value: the top-level node of its last use (at least the one making it) */
    NodeId *last_any; /* by root: of the last use of any value in this storage */
    NodeId *made; /* by value: the top-level node that makes it; NO_NODE = not seen at top level */
    uint8_t *output; /* by root: reaches the output */
    uint8_t *placed; /* by root: it is among the temporaries */
    Device devices[MAX_DEVICES];
    uint32_t ndevices;
    NodeId node; /* of the walk under way */
} Plan;

/* ----------------------------------------------------------------------------------- lifetimes */

static void note_made(ValueId v, void *user)
{
    Plan *p = user;
    p->made[v] = p->last[v] = p->node;
}

static void note_use(ValueId v, void *user)
{
    Plan *p = user;
    bool used = p->made[v] != p->last[v];
    if (!used || !INJECT(plan_early, p->in->values[v].name))
        p->last[v] = p->node;
}

static void note_output(ValueId v, void *user)
{
    Plan *p = user;
    p->output[p->alias.root[v]] = 1;
    p->last[v] = NO_NODE;
}

static void note_lifetimes(Plan *p)
{
    for (ValueId v = 0; v < p->in->nvalues; v++)
        p->made[v] = p->last[v] = NO_NODE;
    for_top(p->in, n) {
        const Node *node = &p->in->nodes[n];
        p->node = n;
        if (node_is_del(node))
            continue;
        for (NodeId i = n; i < n + node->span; i++)
            for (uint32_t k = 0; k < p->in->nodes[i].nargs; k++)
                arg_each_value(p->in->nodes[i].args[k], note_use, p);
        arg_each_value(node->out, note_made, p);
    }
    arg_each_value(p->in->output, note_output, p);
}

/* ---------------------------------------------------------------------------------------- dels */

typedef struct Dying {
    Plan *p;
    Arg *items;
    uint32_t n, cap;
    Arena *scratch;
} Dying;

static bool wants_del(const Plan *p, ValueId v)
{
    uint8_t kind = p->in->values[v].type.kind;
    return p->last[v] == p->node &&
           (kind == VALUE_tensor || kind == VALUE_future || kind == VALUE_collection);
}

static void collect_dying(ValueId v, void *user)
{
    Dying *d = user;
    if (!wants_del(d->p, v))
        return;
    if (d->n == d->cap) {
        Arg *more = new_array(d->scratch, Arg, 2 * d->cap + 8);
        for (uint32_t i = 0; i < d->n; i++)
            more[i] = d->items[i];
        d->items = more;
        d->cap = 2 * d->cap + 8;
    }
    d->items[d->n++] = A_VALUE(v);
    d->p->last[v] = NO_NODE; /* once is enough: a value may be used twice by one node */
}

/* Values of inner levels are not collected: their last use is noted, but nothing at top level names
 * them, so they are skipped by being unmade. */
static void collect_used(ValueId v, void *user)
{
    Dying *d = user;
    bool is_input = d->p->in->values[v].producer == NO_NODE;
    if (is_input || d->p->made[v] != NO_NODE)
        collect_dying(v, user);
}

static void add_del(Plan *p, const Node *after, const Dying *d)
{
    const char *more = d->n == 1 ? "" : " and others";
    Str reader = after->op->id == PRIM_call ? arg_str(after->args[0]) : str_from(after->op->name);
    if (!rule_apply(p->c, "last use -> del", d->items[0].v, 0,
                    "%%%.*s%s: %.*s is the last to use %s",
                    STR(p->in->values[d->items[0].v].name), more, STR(reader),
                    d->n == 1 ? "it" : "them"))
        return;
    Arg list = arg_tuple(p->t, d->items, d->n);
    Arg *args = arena_copy(&p->t->arena, &list, sizeof list);
    trace_add_node(p->t, (Node){.op = registry_op(p->in->reg, PRIM_python_del),
                                .args = args,
                                .nargs = 1,
                                .span = 1,
                                .src = after->src}); /* a del belongs to no line of the model */
}

static bool copy_with_dels(Plan *p, Arena *scratch)
{
    Dying d = {.p = p, .scratch = scratch};
    for_top(p->in, n) {
        const Node *node = &p->in->nodes[n];
        if (pass_interrupted(p->c))
            return false;
        if (node_is_del(node))
            continue;
        trace_copy_node(p->t, p->in, n, NULL);
        p->node = n;
        d.n = 0;
        for (NodeId i = n; i < n + node->span; i++)
            for (uint32_t k = 0; k < p->in->nodes[i].nargs; k++)
                arg_each_value(p->in->nodes[i].args[k], collect_used, &d);
        arg_each_value(node->out, collect_dying, &d);
        if (d.n)
            add_del(p, node, &d);
    }
    return true;
}

/* ------------------------------------------------------------------------------------- offsets */

/* Number of the arena of a device; the last one takes what is beyond MAX_DEVICES. */
static uint32_t device_number(Plan *p, Device device)
{
    for (uint32_t i = 0; i < p->ndevices; i++)
        if (device_eq(p->devices[i], device))
            return i;
    if (p->ndevices < MAX_DEVICES)
        p->devices[p->ndevices++] = device;
    return p->ndevices - 1;
}

/* A temporary owns its storage, is made at top level, and does not leave the trace. */
static bool is_temporary(const Plan *p, ValueId v)
{
    const Type *type = &p->in->values[v].type;
    return type->kind == VALUE_tensor && type->device.type != DEV_meta && p->alias.root[v] == v &&
           p->made[v] != NO_NODE && !p->output[v];
}

/* The storage of a root ends with the last use of any value in it. */
static void note_ends(Plan *p)
{
    for (ValueId v = 1; v < p->in->nvalues; v++) {
        ValueId root = p->alias.root[v];
        if (root != v && INJECT(plan_overlap, p->in->values[root].name))
            continue;
        if (p->last[v] != NO_NODE &&
            (p->last_any[root] == NO_NODE || p->last_any[root] < p->last[v]))
            p->last_any[root] = p->last[v];
    }
}

typedef struct Temporaries {
    Plan *p;
    PackItem *items;
    ValueId *values;
    uint32_t n;
    uint32_t device; /* of this arena only */
} Temporaries;

/* The storage of v begins here: v's own, or that of a whole whose first part v is. */
static void add_temporary(ValueId v, void *user)
{
    Temporaries *t = user;
    ValueId root = t->p->alias.parent[v] ? v : t->p->alias.root[v];
    const Type *type = &t->p->in->values[root].type;
    if (!is_temporary(t->p, root) || t->p->placed[root] ||
        device_number(t->p, type->device) != t->device)
        return;
    t->p->placed[root] = 1;
    t->values[t->n] = root;
    t->items[t->n++] =
        (PackItem){.bytes = type_bytes(type), .first = t->p->made[v], .last = t->p->last_any[root]};
}

/* The arena of one device; returns its size. */
static int64_t place_device(Plan *p, uint32_t device, Temporaries *t, int64_t *bound)
{
    t->device = device;
    t->n = 0;
    for_top(p->in, n)
        arg_each_value(p->in->nodes[n].out, add_temporary, t);
    int64_t bytes = pack_items(t->items, t->n, bound);
    for (uint32_t i = 0; i < t->n; i++)
        p->t->values[t->values[i]].offset = t->items[i].offset;
    return bytes;
}

/* The address of a view that is made at top level lies inside its base. */
static void place_views(Plan *p)
{
    for (ValueId v = 1; v < p->in->nvalues; v++) {
        ValueId root = p->alias.root[v];
        int64_t base = p->t->values[root].offset;
        if (root == v || base < 0 || p->made[v] == NO_NODE)
            continue;
        int64_t size = dtype_info[p->in->values[v].type.dtype].bytes;
        p->t->values[v].offset = base + p->alias.offset[v] * size;
    }
}

static void forget_offsets(Plan *p)
{
    for (ValueId v = 0; v < p->t->nvalues; v++)
        p->t->values[v].offset = -1;
}

static void plan_memory(Plan *p, Arena *scratch)
{
    int64_t total = 0, least = 0, bound = 0;
    uint32_t placed = 0;
    Temporaries t = {.p = p};
    t.items = new_array(scratch, PackItem, p->in->nvalues);
    t.values = new_array(scratch, ValueId, p->in->nvalues);
    note_lifetimes(p); /* the dels have used up the notes */
    note_ends(p);
    for (ValueId v = 1; v < p->in->nvalues; v++)
        if (is_temporary(p, v))
            device_number(p, p->in->values[v].type.device);
    for (uint32_t i = 0; i < p->ndevices; i++) {
        total += place_device(p, i, &t, &bound);
        least += bound;
        placed += t.n;
    }
    place_views(p);
    if (rule_apply(p->c, "lifetimes -> offsets", 0, 0,
                   "%u temporaries in %lld bytes; no placement needs less than %lld", placed,
                   (long long)total, (long long)least))
        p->t->plan_bytes = total;
    else
        forget_offsets(p);
}

static void plan_arrays(Plan *p, Arena *scratch)
{
    uint32_t n = p->in->nvalues;
    p->last = new_array(scratch, NodeId, n);
    p->last_any = new_array(scratch, NodeId, n);
    p->made = new_array(scratch, NodeId, n);
    p->output = new_array(scratch, uint8_t, n);
    p->placed = new_array(scratch, uint8_t, n);
    for (ValueId v = 0; v < n; v++)
        p->last_any[v] = NO_NODE;
}

Trace *pass_plan(PassCtx *c, const Trace *in)
{
    Arena scratch = {0};
    Plan p = {.c = c, .in = in, .t = trace_derive(in)};
    Layouts laid = {0};
    if (!layouts_choose(c, in, p.t, &scratch, &laid))
        laid = (Layouts){0};
    alias_build_laid(&p.alias, in, &laid);
    plan_arrays(&p, &scratch);
    note_lifetimes(&p);
    forget_offsets(&p);
    bool done = copy_with_dels(&p, &scratch);
    if (done && !c->exhausted)
        plan_memory(&p, &scratch);
    alias_free(&p.alias);
    arena_free(&scratch);
    if (done)
        return p.t;
    trace_unref(p.t);
    return NULL;
}
