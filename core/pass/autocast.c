/*
 * autocast.c - mixed precision as torch.autocast does it, with every cast in the trace.
 *
 *     y = ltorch.linear(x, w)          t0 = prims.convert_element_type(x, bfloat16)
 *     s = ltorch.softmax(y, 1)   ->    t1 = prims.convert_element_type(w, bfloat16)
 *                                      y = ltorch.linear(t0, t1)
 *                                      t2 = prims.convert_element_type(y, float32)
 *                                      s = ltorch.softmax(t2, 1)
 *
 * Input: a functional trace before gradients, and options: autocast.dtype (bf16 or f16) and
 * autocast.list (cuda, cpu, or auto: by the device of the operands). Output: the same program, in
 * which autocast.def decides what operators compute in.
 *
 * A cast is one application, and so is a composite that PyTorch's lists do not have: it is built
 * again with the casts that its parts need (core/lang/autocast.c). A value is cast once to a dtype,
 * and all later users share the cast, as PyTorch keeps the casts of weights. What follows is built
 * again where the dtype of an operand has changed. An operator that cannot do with changed dtypes
 * (bits seen as another dtype, strict prims with unequal operands, write-backs, operators without a
 * rule) gets its operands back in the dtypes that it had; so any prefix of the applications is a
 * valid program.
 */
#include "autocast.h"
#include "lang.h"
#include "rewrite.h"

#include <string.h>

typedef struct Autocast {
    PassCtx *c;
    const Trace *in;
    Trace *t;
    DType low;
    Str list;
    Map rows;             /* of cast_row */
    ValueId *map;         /* by value of in: what it is now, 0 = itself */
    ValueId *call;        /* the same for the operands of the call at hand */
    Map casts;            /* (value, dtype) -> its cast */
    Joins joins;
    Arena scratch;
    NodeId node;          /* of in, at hand */
    const CastRow *row;
    CastKind kind;
    bool cuda;           /* the list for the node at hand */
    CastRegion *opening; /* the node at hand is built again with its parts cast; NULL = it is not */
} Autocast;

static ValueId now(const Autocast *s, ValueId v)
{
    return s->map[v] ? s->map[v] : v;
}

static ValueId operand(const Autocast *s, ValueId v)
{
    return s->call[v] ? s->call[v] : now(s, v);
}

/* ---------------------------------------------------------------------------------------- table */

static void find_cuda(ValueId v, void *user)
{
    const Trace *t = ((void **)user)[0];
    bool *cuda = ((void **)user)[1];
    *cuda |= t->values[v].type.kind == VALUE_tensor && t->values[v].type.device.type == DEV_cuda;
}

static Arg args_of(const Node *n)
{
    return (Arg){.kind = ARG_tuple, .n = n->nargs, .items = n->args};
}

/* What the table says about this call. */
static CastKind kind_of(Autocast *s, const Node *n)
{
    bool cuda = str_is(s->list, "cuda");
    s->row = cast_row(&s->rows, n->op);
    if (str_is(s->list, "auto"))
        arg_each_value(args_of(n), find_cuda, (void *[]){(void *)s->in, &cuda});
    s->cuda = cuda;
    return cast_kind(s->row, cuda, n->args, n->nargs);
}

/* ---------------------------------------------------------------------------------------- casts */

/* v, as it is in the new trace, in this dtype; made at most once. */
static ValueId cast_of(Autocast *s, ValueId v, DType dtype)
{
    uint64_t key[2] = {v, dtype};
    MapEntry *known = map_put(&s->casts, (Str){(const char *)key, sizeof key}, NULL);
    if (known->u)
        return (ValueId)known->u;
    Build b = build_for(s->c, s->t, &s->in->nodes[s->node]);
    Arg made = cl_to(&b, A_VALUE(v), dtype);
    known->u = made.v;
    return made.v;
}

static const char *rule_name(CastKind kind)
{
    return kind == CAST_low    ? "f32 operand -> low precision"
           : kind == CAST_wide ? "low operand -> f32"
                               : "operands -> the widest";
}

typedef struct CastCall {
    Autocast *s;
    DType to;
    uint32_t seen; /* dtypes of the float operands, a bit each */
} CastCall;

static void note_dtype(ValueId v, void *user)
{
    CastCall *k = user;
    ValueId w = operand(k->s, v);
    if (may_cast(&k->s->t->values[w].type))
        k->seen |= 1u << k->s->t->values[w].type.dtype;
}

static void cast_operand(ValueId v, void *user)
{
    CastCall *k = user;
    Autocast *s = k->s;
    ValueId w = operand(s, v);
    if (!may_cast(&s->t->values[w].type) || s->t->values[w].type.dtype == k->to)
        return;
    Str name = s->t->values[w].name;
    if (!rule_apply(s->c, rule_name(s->kind), w, 0, "%s takes %%%.*s in %s", s->row->op, STR(name),
                    dtype_info[k->to].name))
        return;
    RuleLog *log = s->c->log; /* the cast, and what is built again on it */
    if (log && log->n)
        log_at(log, log->n - 1)->made = s->t->nvalues;
    s->call[v] = cast_of(s, w, k->to);
}

/* When a cast was left out, operands may differ where they must not: f32 suits all of them. */
static void level_operand(ValueId v, void *user)
{
    CastCall *k = user;
    ValueId w = operand(k->s, v);
    if (may_cast(&k->s->t->values[w].type) && k->s->t->values[w].type.dtype != DT_f32)
        k->s->call[v] = cast_of(k->s, w, DT_f32);
}

static bool several(uint32_t set)
{
    return (set & (set - 1)) != 0;
}

static void cast_operands(Autocast *s, const Node *n)
{
    CastCall k = {s, s->kind == CAST_low ? s->low : DT_f32, 0};
    Arg args = args_of(n);
    arg_each_value(args, note_dtype, &k);
    if (s->kind == CAST_widest && !several(k.seen))
        return;
    arg_each_value(args, cast_operand, &k);
    k.seen = 0;
    arg_each_value(args, note_dtype, &k);
    if (several(k.seen))
        arg_each_value(args, level_operand, &k);
}

/* The operand as it was: in the dtype of the program as it came. */
static void restore_operand(ValueId v, void *user)
{
    Autocast *s = user;
    const Type *was = &s->in->values[v].type;
    ValueId w = now(s, v);
    s->call[v] = 0;
    if (was->kind == VALUE_tensor && s->t->values[w].type.dtype != was->dtype)
        s->call[v] = cast_of(s, w, (DType)was->dtype);
}

static void forget_operand(ValueId v, void *user)
{
    ((Autocast *)user)->call[v] = 0;
}

static void settle_operand(ValueId v, void *user)
{
    Autocast *s = user;
    s->call[v] = operand(s, v);
}

/* --------------------------------------------------------------------------------- one operator */

static void look_changed(ValueId v, void *user)
{
    const Autocast *s = ((void **)user)[0];
    bool *changed = ((void **)user)[1];
    *changed |= !type_equal(&s->in->values[v].type, &s->t->values[operand(s, v)].type);
}

typedef struct Results {
    Autocast *s;
    bool fit;
} Results;

static void check_result(ValueId old, ValueId made, void *user)
{
    Results *r = user;
    Type a = r->s->in->values[old].type, b = r->s->t->values[made].type;
    b.dtype = a.dtype;
    r->fit &= type_equal(&a, &b);
}

static void take_result(ValueId old, ValueId made, void *user)
{
    Autocast *s = user;
    s->map[old] = made;
    joins_add(&s->joins, made, old);
    if (!(s->t->values[made].flags & VF_NAMED))
        value_rename(s->t, made, s->in->values[old].name);
}

/* Calls the operator again with the operands as they are; false, and nothing is left of it, when it
 * cannot take them. */
static bool build_again(Autocast *s, const Node *n)
{
    NodeId first = s->t->nnodes;
    Diag quiet = {0};
    Build b = build_for(s->c, s->t, n);
    b.diag = &quiet;
    if (s->opening) {
        b.around = cast_around;
        b.around_user = s->opening;
    }
    Arg *args = new_array(&s->t->arena, Arg, n->nargs + 1);
    for (uint32_t i = 0; i < n->nargs; i++)
        args[i] = arg_map(s->t, n->args[i], s->call);
    Arg out = op_call(&b, n->op, args);
    Results r = {s, !b.failed};
    if (r.fit)
        arg_each_pair(n->out, out, check_result, &r);
    diag_clear(&quiet);
    if (!r.fit) {
        s->t->nnodes = first;
        return false;
    }
    for (NodeId i = first; i < s->t->nnodes; i++)
        s->t->nodes[i].flags |= n->flags & (NF_BACKWARD | NF_RECOMPUTE);
    arg_each_pair(n->out, out, take_result, s);
    return true;
}

static bool keeps_dtypes(const Trace *t, NodeId n)
{
    const Node *node = &t->nodes[n];
    bool bits = strcmp(node->op->name, "view_dtype") == 0;
    return bits || (node->span == 1 && node->op->language != LANG_prims) ||
           (subtree_flags(t, n) & (OP_IN_PLACE | OP_KEEP | OP_OPAQUE | OP_UNPACK));
}

/* Puts node n behind the new trace with the operands that the call has. */
static void add_node(Autocast *s, NodeId n)
{
    const Node *node = &s->in->nodes[n];
    Arg args = args_of(node);
    bool changed = false;
    arg_each_value(args, look_changed, (void *[]){s, &changed});
    arg_each_value(args, settle_operand, s);
    changed |= s->opening != NULL;
    if (!changed || keeps_dtypes(s->in, n) || !build_again(s, node)) {
        if (changed)
            arg_each_value(args, restore_operand, s);
        arg_each_value(args, settle_operand, s);
        trace_copy_node(s->t, s->in, n, s->call);
    }
    arg_each_value(args, forget_operand, s);
}

static bool refuse_banned(Autocast *s, const Node *n)
{
    DiagItem *item = diag_error(s->c->diag, DIAG_compile, n->src, "unsafe-autocast",
                                "%s is unsafe under autocast: use binary_cross_entropy_with_logits",
                                n->op->name);
    diag_where(s->c->diag, item, "pass autocast, op %s", n->op->name);
    diag_help(s->c->diag, item, "pass off autocast");
    return false;
}

/* Whether what a composite consists of has to follow the table: products, and where PyTorch has a
 * composite too, everything. */
static bool opens(Autocast *s, NodeId n, CastKind kind)
{
    if (kind != CAST_open && kind != CAST_unlisted)
        return false;
    for (NodeId i = n + 1; i < n + s->in->nodes[n].span; i++) {
        CastKind part = kind_of(s, &s->in->nodes[i]);
        if (part == CAST_low || (kind == CAST_open && part > CAST_low))
            return true;
    }
    return false;
}

static bool visit(Autocast *s, NodeId n)
{
    const Node *node = &s->in->nodes[n];
    s->node = n;
    if (node_is_del(node))
        return true;
    CastKind kind = kind_of(s, node);
    if (kind == CAST_banned)
        return refuse_banned(s, node);
    CastRegion region = {.low = s->low, .cuda = s->cuda, .index = &s->rows};
    bool open = opens(s, n, kind) &&
                rule_apply(s->c, "composite -> its parts cast", first_value(node->out), 0,
                           "%s consists of operators that autocast casts", node->op->name);
    s->opening = open ? &region : NULL;
    s->kind = kind;
    s->row = cast_row(&s->rows, node->op);
    if (kind == CAST_low || kind == CAST_wide || kind == CAST_widest)
        cast_operands(s, node);
    add_node(s, n);
    s->opening = NULL;
    return true;
}

static bool read_options(Autocast *s)
{
    Str dtype = pass_option(s->c, "dtype", "bf16");
    s->low = dtype_parse(dtype);
    s->list = pass_option(s->c, "list", "auto");
    const char *bad = s->low != DT_bf16 && s->low != DT_f16 ? "dtype" : NULL;
    if (!str_is(s->list, "auto") && !str_is(s->list, "cuda") && !str_is(s->list, "cpu"))
        bad = "list";
    if (!bad)
        return true;
    bool is_dtype = strcmp(bad, "dtype") == 0;
    DiagItem *item = diag_error(s->c->diag, DIAG_usage, (Span){0}, "bad-option",
                                "autocast.%s is %s, not %.*s", bad,
                                is_dtype ? "bf16 or f16" : "auto, cuda or cpu",
                                STR(is_dtype ? dtype : s->list));
    diag_where(s->c->diag, item, "pass autocast");
    diag_help(s->c->diag, item, "option autocast.%s %s", bad, is_dtype ? "bf16" : "auto");
    return false;
}

static bool visit_all(Autocast *s)
{
    for_top(s->in, n)
        if (pass_interrupted(s->c) || !visit(s, n))
            return false;
    return true;
}

Trace *pass_autocast(PassCtx *c, const Trace *in)
{
    Autocast s = {.c = c, .in = in};
    if (!read_options(&s))
        return NULL;
    s.t = trace_derive(in);
    s.map = new_array(&s.scratch, ValueId, in->nvalues);
    s.call = new_array(&s.scratch, ValueId, in->nvalues);
    bool done = visit_all(&s);
    s.t->output = arg_map(s.t, in->output, s.map);
    joins_finish(&s.joins, s.t);
    map_free(&s.rows);
    map_free(&s.casts);
    arena_free(&s.scratch);
    if (done)
        return s.t;
    trace_unref(s.t);
    return NULL;
}
