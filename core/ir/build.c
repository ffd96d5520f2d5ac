/*
 * build.c - appending operator calls to a trace under construction.
 *
 * Input: an operator and its arguments in canonical order. Output: a prim as one node with inferred
 * types, a composite as a node followed by its decomposition. The first error sticks to the Build.
 */
#include "ir.h"

#include <string.h>

enum { MAX_DEPTH = 64 };

static int find_arg(const Op *op, const Arg *args, Arg x)
{
    if (x.kind == ARG_none || !args)
        return -1;
    for (uint32_t i = 0; i < op->sig.n; i++)
        if (arg_equal(args[i], x))
            return (int)i;
    return -1;
}

int build_arg(const Build *b, Arg x)
{
    return find_arg(b->op, b->args, x);
}

/* Where the program wrote argument arg of args. */
static Span place_of(const Build *b, const Arg *args, int arg, bool outermost)
{
    if (arg >= 0 && args && !outermost)
        arg = find_arg(b->top_op, b->top_args, args[arg]);
    return arg >= 0 && b->arg_spans ? b->arg_spans[arg] : b->span;
}

void build_error(Build *b, int arg, const char *fmt, ...)
{
    if (b->failed)
        return;
    b->failed = true;
    Span at = place_of(b, b->args, arg, b->depth <= 1);
    va_list ap;
    va_start(ap, fmt);
    DiagItem *item = diag_vadd(b->diag, SEV_error, DIAG_load, at, "bad-argument", fmt, ap);
    va_end(ap);
    if (b->loc && b->loc->file.n)
        diag_note(b->diag, item, "for %.*s:%u", STR(b->loc->file), b->loc->line);
}

Type arg_type(const Build *b, Arg a)
{
    switch (a.kind) {
    case ARG_value:
        return b->t->values[a.v].type;
    case ARG_int:
        return type_number(DT_i64);
    case ARG_bool:
        return type_number(DT_b8);
    case ARG_float:
        return type_number(DT_f64);
    case ARG_complex:
        return type_number(DT_c128);
    default:
        return (Type){.kind = VALUE_any, .dtype = DT_none};
    }
}

int64_t build_data_int(Build *b, Arg a, int64_t fallback)
{
    int64_t value;
    if (b->failed || a.kind != ARG_value)
        return fallback;
    b->t->data_dependent = true;
    return b->data && b->data(b->data_user, b->t, a.v, &value) ? value : fallback;
}

bool infer_error(Infer *inf, int arg, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    inf->error = arena_vprintf(inf->arena, fmt, ap);
    va_end(ap);
    inf->bad_arg = arg;
    return false;
}

bool op_infer(const Trace *t, Arena *a, const Op *op, const Arg *args, Infer *inf)
{
    *inf = (Infer){.t = t, .arena = a, .op = op, .args = args, .bad_arg = -1};
    return op->shape(inf);
}

static NodeId append_node(Build *b, const Op *op, const Arg *args)
{
    Node node = {.op = op, .nargs = op->sig.n, .span = 1, .src = b->span, .loc = b->loc};
    node.args = arena_copy(&b->t->arena, args, op->sig.n * sizeof *args);
    return trace_add_node(b->t, node);
}

static Arg infer_outputs(Build *b, const Infer *inf)
{
    Arg outs[MAX_OUTPUTS];
    for (uint32_t i = 0; i < inf->nout; i++) {
        ValueId v = trace_add_value(b->t, inf->out[i], (Str){0});
        b->t->values[v].known = inf->known[i];
        outs[i] = A_VALUE(v);
    }
    if (inf->out_is_tuple)
        return arg_tuple(b->t, outs, inf->nout);
    if (inf->out_is_list)
        return arg_list(b->t, outs, inf->nout);
    return inf->nout ? outs[0] : A_NONE;
}

static Arg prim_emit(Build *b, const Op *op, const Arg *args)
{
    Infer inf;
    if (b->failed)
        return A_NONE;
    if (!op_infer(b->t, &b->t->arena, op, args, &inf)) {
        Span whole = b->span;
        b->span = place_of(b, args, inf.bad_arg, b->depth == 0);
        build_error(b, -1, "%s: %.*s", op->name, STR(inf.error));
        b->span = whole;
        return A_NONE;
    }
    NodeId n = append_node(b, op, args);
    b->t->nodes[n].out = infer_outputs(b, &inf);
    return b->t->nodes[n].out;
}

Arg prim_call(Build *b, enum PrimId id, const Arg *args, uint32_t nargs)
{
    const Op *op = registry_op(b->t->reg, id);
    if (nargs != op->sig.n) {
        build_error(b, -1, "internal: prims.%s takes %u arguments, %u given", op->name, op->sig.n,
                    nargs);
        return A_NONE;
    }
    return prim_emit(b, op, args);
}

NodeId node_begin(Build *b, const Op *op, const Arg *args)
{
    return append_node(b, op, args);
}

void node_end(Build *b, NodeId n, Arg out)
{
    b->t->nodes[n].out = out;
    b->t->nodes[n].span = b->t->nnodes - n;
}

typedef struct Results {
    ValueId first_new;
    ValueId seen[MAX_OUTPUTS];
    uint32_t nseen;
} Results;

static bool seen_before(Results *r, ValueId v)
{
    for (uint32_t i = 0; i < r->nseen && i < MAX_OUTPUTS; i++)
        if (r->seen[i] == v)
            return true;
    r->seen[r->nseen++ % MAX_OUTPUTS] = v;
    return false;
}

/* A result that was there before the call, or that is a result already, becomes a new value: a
 * shallow copy of it. */
static Arg own_results(Build *b, Arg a, Results *r)
{
    if (a.kind == ARG_value)
        return a.v < r->first_new || seen_before(r, a.v) ? emit(b, shallow_copy, a) : a;
    if (!arg_is_seq(a) || a.n == 0)
        return a;
    Arg *items = new_array(&b->t->arena, Arg, a.n);
    for (uint32_t i = 0; i < a.n; i++)
        items[i] = own_results(b, a.items[i], r);
    a.items = items;
    return a;
}

static Arg composite_call(Build *b, const Op *op, const Arg *args)
{
    const Op *outer = b->op;
    const Arg *outer_args = b->args;
    NodeId n = append_node(b, op, args);
    ValueId first_new = b->t->nvalues;
    const Arg *kept = b->t->nodes[n].args; /* argument arrays do not move */
    b->op = op;
    b->args = kept;
    if (b->depth++ == 0) {
        b->top_op = op;
        b->top_args = kept;
    }
    Arg out = b->depth > MAX_DEPTH ? A_NONE : op->decompose(b, kept);
    if (b->depth > MAX_DEPTH)
        build_error(b, -1, "%s: decomposition nests deeper than %d", op->name, MAX_DEPTH);
    else if (!b->failed)
        out = own_results(b, out, &(Results){.first_new = first_new});
    b->depth--;
    b->op = outer;
    b->args = outer_args;
    if (b->failed)
        return A_NONE;
    if (arg_values(out, NULL, 0) == 0 && !(op->flags & (OP_KEEP | OP_IN_PLACE))) {
        b->t->nnodes = n; /* the result is known now: x.size(0), x.dim() */
        return out;
    }
    node_end(b, n, out);
    return out;
}

Arg op_call(Build *b, const Op *op, const Arg *args)
{
    if (b->failed)
        return A_NONE;
    return op->decompose ? composite_call(b, op, args) : prim_emit(b, op, args);
}
