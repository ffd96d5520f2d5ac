/*
 * casts.c - casts that need not be made.
 *
 *     a = convert(x, bfloat16)
 *     b = convert(a, float32)    ->    y = mul(x, x)          (x is f32)
 *     y = mul(b, b)
 *
 * Input: a functional trace; it sees most once composites are opened, behind claim. Output: the
 * trace with fewer casts; what nobody uses any more is left to dce. Every removal is an application
 * whose reason says whether numbers change: leaving out a rounding in between gives results that
 * are nearer to f32, but not those of PyTorch. Option casts.rounding eager (`set rounding
 * eager` sets it) keeps such casts, and the log says which.
 */
#include "inject.h"
#include "rewrite.h"

typedef struct Casts {
    PassCtx *c;
    const Trace *in;
    Trace *t;
    ValueId *map;
    ValueId *from; /* by value: what it was cast from, 0 = it is no cast */
    Map made;      /* (operand, dtype, flags) -> the first such cast */
    Joins joins;
    bool eager;
    uint32_t unrounded; /* roundings left out */
} Casts;

static DType dtype_of(const Casts *s, ValueId v)
{
    return (DType)s->in->values[v].type.dtype;
}

/* Casts between these are looked at. */
static bool is_plain_float(DType d)
{
    return d == DT_f64 || d == DT_f32 || d == DT_bf16 || d == DT_f16;
}

/* Whether every number of dtype a is one of dtype b. */
static bool holds(DType b, DType a)
{
    return a == b || b == DT_f64 || (b == DT_f32 && a != DT_f64);
}

static void drop(Casts *s, ValueId gone, ValueId kept)
{
    s->map[gone] = kept;
    joins_add(&s->joins, kept, gone);
}

/* out casts x to the dtype that x has. */
static bool drop_same(Casts *s, ValueId out, ValueId x)
{
    if (dtype_of(s, out) != dtype_of(s, x) ||
        !rule_apply(s->c, "cast to the same -> none", out, x, "%%%.*s is %s already; exact",
                    STR(s->in->values[x].name), dtype_info[dtype_of(s, x)].name))
        return false;
    drop(s, out, x);
    return true;
}

/* Through a cast x -> b -> out: may out be made of x? 0 = no, else x. */
static ValueId skip_inner(Casts *s, ValueId out, ValueId b)
{
    ValueId x = s->from[b];
    if (!x || !is_plain_float(dtype_of(s, out)))
        return 0;
    DType inner = dtype_of(s, b), first = dtype_of(s, x), last = dtype_of(s, out);
    if (holds(inner, first) || INJECT(casts_rounded, s->in->values[out].name))
        return rule_apply(s->c, "widened in between -> one cast", out, x,
                          "%s holds every %s; exact", dtype_info[inner].name,
                          dtype_info[first].name)
                   ? x
                   : 0;
    if (!holds(last, first))
        return 0;
    if (s->eager) {
        rule_refuse(s->c, "rounded in between -> not rounded", out, x,
                    "casts.rounding is eager: the rounding of %%%.*s to %s stays",
                    STR(s->in->values[x].name), dtype_info[inner].name);
        return 0;
    }
    if (!rule_apply(s->c, "rounded in between -> not rounded", out, x,
                    "numbers change: %%%.*s is not rounded to %s any more",
                    STR(s->in->values[x].name), dtype_info[inner].name))
        return 0;
    s->unrounded++;
    return x;
}

/* The same operand was cast to this dtype before. */
static bool drop_repeated(Casts *s, ValueId out, ValueId x, const Node *node)
{
    uint64_t key[3] = {x, dtype_of(s, out), node->flags};
    MapEntry *e = map_put(&s->made, (Str){(const char *)key, sizeof key}, NULL);
    if (!e->u) {
        e->u = out;
        return false;
    }
    ValueId kept = (ValueId)e->u;
    if (!rule_apply(s->c, "cast again -> the first cast", out, kept, "%%%.*s is that cast; exact",
                    STR(s->in->values[kept].name)))
        return false;
    drop(s, out, kept);
    return true;
}

static ValueId now(const Casts *s, ValueId v)
{
    return s->map[v] ? s->map[v] : v;
}

/* leaf: the cast that top-level node n consists of. */
static void visit_cast(Casts *s, NodeId n, const Node *leaf)
{
    ValueId out = leaf->out.v, x = now(s, leaf->args[0].v);
    if (drop_same(s, out, x))
        return;
    ValueId first = skip_inner(s, out, x);
    if (first && dtype_of(s, first) == dtype_of(s, out)) {
        drop(s, out, first);
        return;
    }
    if (first)
        x = first;
    if (drop_repeated(s, out, x, &s->in->nodes[n]))
        return;
    s->from[out] = x;
    ValueId operand = leaf->args[0].v, before = s->map[operand];
    s->map[operand] = x;
    trace_copy_node(s->t, s->in, n, s->map);
    s->map[operand] = before;
}

/* The cast of floats that node n consists of; NULL when it is something else. */
static const Node *cast_at(const Casts *s, NodeId n)
{
    NodeId leaf = single_prim(s->in, n);
    const Node *node = leaf == NO_NODE ? NULL : &s->in->nodes[leaf];
    if (!node || !node_is_prim(node, PRIM_convert_element_type) || !arg_is_value(node->args[0]) ||
        s->in->values[node->args[0].v].type.kind != VALUE_tensor)
        return NULL;
    return is_plain_float(dtype_of(s, node->args[0].v)) && is_plain_float(dtype_of(s, node->out.v))
               ? node
               : NULL;
}

static bool visit_all(Casts *s)
{
    for_top(s->in, n) {
        if (pass_interrupted(s->c))
            return false;
        if (node_is_del(&s->in->nodes[n]))
            continue;
        const Node *leaf = cast_at(s, n);
        if (leaf)
            visit_cast(s, n, leaf);
        else
            trace_copy_node(s->t, s->in, n, s->map);
    }
    return true;
}

static bool read_options(Casts *s)
{
    Str rounding = pass_option(s->c, "rounding", "free");
    s->eager = str_is(rounding, "eager");
    if (s->eager || str_is(rounding, "free"))
        return true;
    DiagItem *item = diag_error(s->c->diag, DIAG_usage, (Span){0}, "bad-option",
                                "casts.rounding is free or eager, not %.*s", STR(rounding));
    diag_where(s->c->diag, item, "pass casts");
    diag_help(s->c->diag, item, "option casts.rounding eager");
    return false;
}

/* Changed numbers are told, not only logged; not while applications are counted out one by one. */
static void tell_unrounded(const Casts *s)
{
    if (!s->unrounded || s->c->fuel != UINT64_MAX)
        return;
    DiagItem *note = diag_add(s->c->diag, SEV_note, DIAG_compile, (Span){0}, "rounding",
                              "casts left out %u rounding%s: results are nearer to f32, and not "
                              "PyTorch's",
                              s->unrounded, plural(s->unrounded));
    diag_help(s->c->diag, note, "set rounding eager");
}

Trace *pass_casts(PassCtx *c, const Trace *in)
{
    Arena scratch = {0};
    Casts s = {.c = c, .in = in};
    if (!read_options(&s))
        return NULL;
    s.t = trace_derive(in);
    s.map = new_array(&scratch, ValueId, in->nvalues);
    s.from = new_array(&scratch, ValueId, in->nvalues);
    bool done = visit_all(&s);
    s.t->output = arg_map(s.t, in->output, s.map);
    joins_finish(&s.joins, s.t);
    tell_unrounded(&s);
    map_free(&s.made);
    arena_free(&scratch);
    if (done)
        return s.t;
    trace_unref(s.t);
    return NULL;
}
