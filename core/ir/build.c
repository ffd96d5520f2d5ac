/*
 * build.c - appending operator calls to a trace under construction.
 *
 * Input: an operator and its arguments in canonical order. Output: a prim as one node with inferred
 * types, a composite as a node followed by its decomposition. The first error sticks to the Build.
 */
#include "ir.h"

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

/* The value that v was made from: the first operand of its node; 0 when there is none. */
static ValueId made_from(const Trace *t, ValueId v)
{
    for (NodeId n = t->nnodes; n-- > 0;) {
        const Node *node = &t->nodes[n];
        if (node->out.kind != ARG_value || node->out.v != v)
            continue;
        for (uint32_t i = 0; i < node->nargs; i++)
            if (node->args[i].kind == ARG_value)
                return node->args[i].v;
        return 0;
    }
    return 0;
}

/* The argument of op that x is, or was made from by a few conversions. */
static int trace_arg(const Build *b, const Op *op, const Arg *args, Arg x)
{
    int found = op ? find_arg(op, args, x) : -1;
    for (int steps = 0; op && found < 0 && x.kind == ARG_value && steps < MAX_DEPTH; steps++) {
        x.v = made_from(b->t, x.v);
        if (!x.v)
            break;
        found = find_arg(op, args, x);
    }
    return found;
}

int build_arg(const Build *b, Arg x)
{
    return trace_arg(b, b->op, b->args, x);
}

/* The argument of the outermost call that stands behind argument arg of op, which is x. */
static int outermost_arg(const Build *b, const Op *op, int arg, Arg x)
{
    int found = trace_arg(b, b->top_op, b->top_args, x);
    if (found >= 0 || !b->top_op || !b->top_args)
        return found;
    for (uint32_t i = 0; i < b->top_op->sig.n; i++)
        if (str_eq(b->top_op->sig.params[i].name, op->sig.params[arg].name))
            return (int)i;
    return -1;
}

/* Where the program wrote argument arg of args, those of op. */
static Span place_of(const Build *b, int arg)
{
    bool known = arg >= 0 && b->arg_spans && (!b->depth || (uint32_t)arg < b->top_op->sig.n);
    return known ? b->arg_spans[arg] : b->span;
}

/* The argument of the outermost call that is at fault, -1 for none of them alone. */
static int fault_of(const Build *b, const Op *op, const Arg *args, int arg, bool outermost)
{
    return arg >= 0 && args && !outermost ? outermost_arg(b, op, arg, args[arg]) : arg;
}

/* "for model.py:3", or "argument 'dim' of softmax; for model.py:3" */
static void note_fault(Build *b, DiagItem *item, const Op *op, int arg)
{
    StrBuf note = {0};
    if (op && arg >= 0 && (uint32_t)arg < op->sig.n)
        sb_printf(&note, "argument '%.*s' of %s", STR(op->sig.params[arg].name), op->name);
    if (b->loc && b->loc->file.n)
        sb_printf(&note, "%sfor %.*s:%u", note.n ? "; " : "", STR(b->loc->file), b->loc->line);
    if (note.n)
        diag_note(b->diag, item, "%.*s", STR(sb_str(&note)));
    sb_free(&note);
}

static void vreport(Build *b, const Op *op, int arg, const char *fmt, va_list ap)
{
    b->failed = true;
    DiagItem *item =
        diag_vadd(b->diag, SEV_error, DIAG_load, place_of(b, arg), "bad-argument", fmt, ap);
    note_fault(b, item, op, arg);
    if (op && op->language == LANG_torch)
        diag_help(b->diag, item, "ops %s", op->name);
}

static void report(Build *b, const Op *op, int arg, const char *fmt, ...) PRINTF_LIKE(4, 5);
static void report(Build *b, const Op *op, int arg, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vreport(b, op, arg, fmt, ap);
    va_end(ap);
}

void build_error(Build *b, int arg, const char *fmt, ...)
{
    if (b->failed)
        return;
    bool outermost = b->depth <= 1;
    int fault = fault_of(b, b->op, b->args, arg, outermost);
    va_list ap;
    va_start(ap, fmt);
    vreport(b, outermost ? b->op : b->top_op, fault, fmt, ap);
    va_end(ap);
}

Type literal_type(Arg a)
{
    switch (a.kind) {
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

Type arg_type(const Build *b, Arg a)
{
    return a.kind == ARG_value ? b->t->values[a.v].type : literal_type(a);
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
    Node node = {.op = op, .nargs = op->sig.n, .span = 1, .src = b->span, .loc = b->loc,
                 .flags = b->flags};
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
        bool outermost = b->depth == 0;
        int fault = fault_of(b, op, args, inf.bad_arg, outermost);
        report(b, outermost ? op : b->top_op, fault, "%s: %.*s", op->name, STR(inf.error));
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
    return op_call(b, op, args);
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
    NodeId call;    /* the composite */
    bool copies;    /* its results share no storage with what was there before */
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

/* Whether v was there before the call, or is a view of what was. */
static bool is_borrowed(const Build *b, const Results *r, ValueId v)
{
    const Trace *t = b->t;
    for (NodeId n = t->nnodes; v >= r->first_new && n-- > r->call + 1;) {
        const Node *node = &t->nodes[n];
        if (node->op->decompose || node->out.kind != ARG_value || node->out.v != v)
            continue;
        if (!(node->op->flags & OP_VIEW) || node->args[0].kind != ARG_value)
            return false;
        v = node->args[0].v;
    }
    return v < r->first_new;
}

/* A result that was there before the call, or that is a result already, becomes a new value: a
 * shallow copy of it. Where PyTorch's operator gives new storage, ours does, whatever it consists
 * of: a write into the result must not reach the operand. */
static Arg own_results(Build *b, Arg a, Results *r)
{
    if (a.kind == ARG_value && r->copies && b->t->values[a.v].type.kind == VALUE_tensor &&
        is_borrowed(b, r, a.v))
        return emit(b, clone, a);
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

/* Of the operators that the program calls: what they are made of may be views. */
static bool gives_new_storage(const Build *b, const Op *op)
{
    return b->depth == 1 && op->language == LANG_torch && !(op->flags & (OP_VIEW | OP_IN_PLACE));
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
        out = own_results(b, out, &(Results){n, gives_new_storage(b, op), first_new, {0}, 0});
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

Arg op_append(Build *b, const Op *op, const Arg *args)
{
    if (b->failed)
        return A_NONE;
    return op->decompose ? composite_call(b, op, args) : prim_emit(b, op, args);
}

Arg op_call(Build *b, const Op *op, const Arg *args)
{
    return b->around && !b->failed ? b->around(b, op, args) : op_append(b, op, args);
}
