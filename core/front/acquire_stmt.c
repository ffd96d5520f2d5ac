/*
 * acquire_stmt.c - statements: assignments of all kinds, decompositions read from the text, del,
 * return, and sub-graphs run in place.
 *
 * Input: a Stmt. Output: nodes of the trace and names bound in the scope. An error spoils its
 * statement only: its targets become values of the annotated type, so that what follows is still
 * checked.
 */
#include "acquire.h"

#include <string.h>

enum { MAX_GRAPHS = 50 };

static Str sym_text(const Acquire *a, uint32_t sym)
{
    return a->scope->fn->sym_names[sym];
}

static bool is_sequence(const Expr *e)
{
    return e->kind == EX_tuple || e->kind == EX_list;
}

/* --------------------------------------------------------------------------------- assignments */

static void name_value(Acquire *a, Arg v, Str name)
{
    if (v.kind != ARG_value || (value_get(a->b.t, v.v)->flags & VF_NAMED))
        return;
    value_rename(a->b.t, v.v, unique_name(a, name));
}

/* Rows of a tensor for "a, b = x". */
static bool unpack_tensor(Acquire *a, const Expr *target, Arg *v)
{
    const Value *val = acquire_value(a, *v);
    if (!val || val->type.kind != VALUE_tensor || val->type.rank == 0 ||
        val->type.shape[0] != target->seq.n)
        return false;
    Arg tensor = *v, *rows = new_array(&a->scratch, Arg, target->seq.n);
    Span spans[2] = {acquire_at(a, target), acquire_at(a, target)};
    for (uint32_t i = 0; i < target->seq.n; i++) {
        Arg args[2] = {tensor, A_INT(i)};
        rows[i] = call_named(a, S("operator.getitem"), target, args, spans, 2);
    }
    *v = arg_tuple(a->b.t, rows, target->seq.n);
    return true;
}

static void set_item(Acquire *a, const Expr *target, Arg v)
{
    Arg args[3] = {eval(a, target->index.obj), eval(a, target->index.key), v};
    Span spans[3] = {acquire_at(a, target->index.obj), acquire_at(a, target->index.key),
                     a->stmt->value ? acquire_at(a, a->stmt->value) : acquire_at(a, target)};
    call_named(a, S("operator.setitem"), target, args, spans, 3);
}

static void bind_target(Acquire *a, const Expr *target, Arg v)
{
    if (a->b.failed)
        return;
    if (target->kind == EX_name) {
        if (str_is(sym_text(a, target->sym), "_"))
            return;
        name_value(a, v, sym_text(a, target->sym));
        bind_name(a, target->sym, (Bound){.kind = BOUND_arg, .arg = v});
        return;
    }
    if (target->kind == EX_index) {
        set_item(a, target, v);
        return;
    }
    if (target->kind == EX_attr) {
        acquire_error(a, acquire_at(a, target), "unsupported", "attributes cannot be set");
        return;
    }
    if (!arg_is_seq(v) && !unpack_tensor(a, target, &v)) {
        acquire_error(a, acquire_at(a, target), "bad-unpack",
                      "the value is no sequence of %u items", target->seq.n);
        return;
    }
    if (v.n != target->seq.n) {
        acquire_error(a, acquire_at(a, target), "bad-unpack", "%u name%s for %u value%s",
                      target->seq.n, plural(target->seq.n), v.n, plural(v.n));
        return;
    }
    for (uint32_t i = 0; i < v.n; i++)
        bind_target(a, target->seq.items[i], v.items[i]);
}

/* After an error: names stand for values of the annotated type, or for something broken. */
static void bind_broken(Acquire *a, const Expr *target, const Ann *ann)
{
    Type type;
    Arg known;
    if (is_sequence(target)) {
        for (uint32_t i = 0; i < target->seq.n; i++)
            bind_broken(a, target->seq.items[i], NULL);
        return;
    }
    if (target->kind != EX_name)
        return;
    Bound to = {.kind = BOUND_broken};
    if (type_of_annotation(a, ann, &type, &known)) {
        ValueId v = trace_add_value(a->b.t, type, (Str){0});
        to = (Bound){.kind = BOUND_arg, .arg = A_VALUE(v)};
    }
    bind_name(a, target->sym, to);
}

/* Collections and objects of unknown kind are taken apart by a node of their own. */
static Arg unpack_collection(Acquire *a, const Stmt *s, Arg v)
{
    const Value *val = acquire_value(a, v);
    if (a->b.failed || !val || !is_sequence(s->targets[0]) ||
        (val->type.kind != VALUE_collection && val->type.kind != VALUE_any))
        return v;
    return opaque_node(a, registry_op(a->reg, PRIM_unpack_sequence), &v);
}

static void run_assign(Acquire *a, const Stmt *s)
{
    const FrontFunction *graph = graph_named(a, s->value);
    if (graph && s->targets[0]->kind == EX_name) {
        bind_name(a, s->targets[0]->sym, (Bound){.kind = BOUND_graph, .graph = graph});
        return;
    }
    ValueId first_new = a->b.t->nvalues;
    Arg v = eval(a, s->value);
    v = unpack_collection(a, s, v);
    if (!a->b.failed && s->ann) {
        if (v.kind == ARG_value && v.v >= first_new) /* an older value may have been used by now */
            refine_type(a, v.v, s->ann);
        check_annotation(a, s->ann, v, s->targets[0]);
        a->b.failed = false; /* a wrong annotation does not spoil the value */
    }
    for (uint32_t i = 0; i < s->ntargets; i++)
        bind_target(a, s->targets[i], v);
    for (uint32_t i = 0; a->b.failed && i < s->ntargets; i++)
        bind_broken(a, s->targets[i], s->ann);
}

/* x += v: the operator in place on tensors, a new binding on numbers. */
static void run_augment(Acquire *a, const Stmt *s)
{
    bool reflects;
    const char *why;
    Arg out = A_NONE, x = eval(a, s->targets[0]), y = eval(a, s->value);
    const char *name = operator_name(s->op, &reflects);
    Span spans[2] = {acquire_at(a, s->targets[0]), acquire_at(a, s->value)};
    if (!a->b.failed && !has_values(x) && !has_values(y)) {
        if (!literal_binary(a, s->op, x, y, &out, &why))
            acquire_error(a, acquire_at(a, s->targets[0]), "bad-operand", "%s", why);
    } else if (!a->b.failed && name) {
        Arg args[2] = {x, y};
        Str written = arena_printf(&a->scratch, "operator.i%s", name);
        if (!registry_lookup(a->reg, written))
            written = arena_printf(&a->scratch, "operator.%s", name);
        if (!registry_lookup(a->reg, written))
            written = arena_printf(&a->scratch, "operator.%s_", name);
        out = call_named(a, written, s->targets[0], args, spans, 2);
    }
    bind_target(a, s->targets[0], out);
    if (a->b.failed)
        bind_broken(a, s->targets[0], NULL);
}

/* ------------------------------------------------------------------------------ decompositions */

/* The result of a call as its decomposition lines name it. False when they do not compute it. */
static bool verbatim_results(Acquire *a, const Expr *target, ValueId first_new, Arg *out)
{
    if (is_sequence(target)) {
        Arg *items = new_array(&a->b.t->arena, Arg, target->seq.n);
        for (uint32_t i = 0; i < target->seq.n; i++)
            if (!verbatim_results(a, target->seq.items[i], first_new, &items[i]))
                return false;
        *out = (Arg){.kind = target->kind == EX_list ? ARG_list : ARG_tuple,
                     .n = target->seq.n,
                     .items = items};
        return true;
    }
    *out = A_NONE;
    if (target->kind != EX_name)
        return false;
    if (str_is(sym_text(a, target->sym), "_"))
        return true;
    const Bound *bound = &a->scope->env[target->sym];
    if (bound->kind == BOUND_broken) {
        a->b.failed = true;
        return true;
    }
    *out = bound->arg;
    return bound->kind == BOUND_arg && bound->arg.kind == ARG_value && bound->arg.v >= first_new;
}

/* Thunder's executors print torch.f above ltorch.f above prims: one operator for us. */
static void drop_repeated(Trace *t, NodeId n)
{
    Node *outer = &t->nodes[n], *inner = outer + 1;
    if (outer->span < 2 || inner->span != outer->span - 1 || inner->op != outer->op ||
        !arg_equal(inner->out, outer->out))
        return;
    for (uint32_t i = 0; i < outer->nargs; i++)
        if (!arg_equal(inner->args[i], outer->args[i]))
            return;
    memmove(outer, inner, (size_t)(t->nnodes - n - 1) * sizeof *outer);
    t->nnodes--;
}

static void undo_bindings(Acquire *a, uint32_t mark)
{
    uint32_t verbatim = a->verbatim;
    a->verbatim = 0; /* going back is not recorded */
    while (a->nundo > mark) {
        a->nundo--;
        bind_name(a, a->undo[a->nundo].sym, a->undo[a->nundo].before);
    }
    a->verbatim = verbatim;
}

Arg verbatim_call(Acquire *a, const Op *op, const Arg *args, const Span *spans)
{
    const Stmt *s = a->stmt;
    Trace *t = a->b.t;
    NodeId n = node_begin(&a->b, op, args);
    uint32_t mark = a->nundo;
    ValueId first_new = t->nvalues;
    Arg out = A_NONE;
    a->verbatim++;
    for (const Stmt *child = s->children; child; child = child->next)
        run_statement(a, child);
    a->verbatim--;
    a->b.failed = false;
    bool found = s->kind == ST_expr || verbatim_results(a, s->targets[0], first_new, &out);
    undo_bindings(a, mark);
    if (a->b.failed)
        return A_NONE;
    if (found) {
        node_end(&a->b, n, out);
        t->nodes[n].flags |= NF_VERBATIM;
        drop_repeated(t, n);
        return out;
    }
    if (op->id == PRIM_call)
        return acquire_error(a, a->b.span, "bad-fusion",
                             "the lines below do not compute all results of this call");
    t->nnodes = n; /* the text shows only part of it: derive the decomposition */
    a->b.arg_spans = spans;
    out = op_call(&a->b, op, args);
    a->b.arg_spans = NULL;
    return out;
}

/* ----------------------------------------------------------------------------- other statements */

static void run_del(Acquire *a, const Stmt *s)
{
    Arg *values = new_array(&a->scratch, Arg, s->ntargets);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->ntargets; i++) {
        const Expr *target = s->targets[i];
        if (target->kind != EX_name)
            continue;
        Bound *bound = &a->scope->env[target->sym];
        if (bound->kind == BOUND_nothing || bound->kind == BOUND_deleted) {
            eval(a, target); /* for its error */
            continue;
        }
        Arg v = bound->kind == BOUND_arg ? bound->arg : A_NONE;
        bind_name(a, target->sym, (Bound){.kind = BOUND_deleted});
        if (v.kind == ARG_value && *value_refs(a, v.v) == 0)
            values[n++] = v;
    }
    if (n == 0 || a->b.failed)
        return;
    const SrcLoc *loc = a->b.loc;
    a->b.loc = NULL; /* a del belongs to no line of the model */
    Arg list = arg_tuple(a->b.t, values, n);
    op_call(&a->b, registry_op(a->reg, PRIM_python_del), &list);
    a->b.loc = loc;
}

/* name: "type" on its own: says what an unpacked value, or an input to come, is. */
static void run_type(Acquire *a, const Stmt *s)
{
    const Expr *target = s->targets[0];
    if (target->kind != EX_name)
        return;
    Bound *bound = &a->scope->env[target->sym];
    if (bound->kind == BOUND_nothing)
        bound->ann = s->ann;
    if (bound->kind != BOUND_arg || bound->arg.kind != ARG_value)
        return;
    refine_type(a, bound->arg.v, s->ann);
    check_annotation(a, s->ann, bound->arg, target);
}

static void apply_layout(Acquire *a, Value *v, const Strides *s)
{
    if (s->rank && v->type.kind == VALUE_tensor && v->type.rank == s->rank)
        v->layout = arena_copy(&a->b.t->arena, s->strides, s->rank * sizeof *s->strides);
}

/* Offsets say which results take the places of operands; the names beside them must agree. */
static void check_over(Acquire *a, const Stmt *s, NodeId n, const ValueId *outs, uint32_t count)
{
    const Trace *t = a->b.t;
    for (uint32_t i = 0; i < count && i < s->nover; i++) {
        ValueId over = value_over(t, n, outs[i]);
        Str name = over ? t->values[over].name : (Str){0};
        if (str_eq(name, s->over[i]))
            continue;
        acquire_error(a, a->b.span, "bad-place",
                      "by its offset %.*s lies over %.*s, not over %.*s: correct the comment or "
                      "leave it out",
                      STR(t->values[outs[i]].name), STR(over ? name : S("no operand")),
                      STR(s->over[i].n ? s->over[i] : S("none")));
    }
}

/* What the trailing comment says about the node of this statement. */
static void apply_trailer(Acquire *a, const Stmt *s, NodeId n)
{
    ValueId few[64], *outs = few;
    for (NodeId i = n; s->region && i < a->b.t->nnodes; i++)
        a->b.t->nodes[i].flags = (a->b.t->nodes[i].flags & ~NF_REGION) | s->region;
    if (n >= a->b.t->nnodes || (!s->executor.n && !s->noffsets))
        return;
    Node *node = &a->b.t->nodes[n];
    if (s->executor.n) {
        if (!a->executor || !str_is(s->executor, a->executor))
            a->executor = arena_str(&a->b.t->arena, s->executor).p;
        node->executor = a->executor;
    }
    uint32_t count = arg_values(node->out, NULL, 0);
    if (count > ARRAY_LEN(few))
        outs = new_array(&a->scratch, ValueId, count);
    arg_values(node->out, outs, count);
    for (uint32_t i = 0; i < count && i < s->noffsets; i++)
        value_at(a->b.t, outs[i])->offset = s->offsets[i];
    for (uint32_t i = 0; i < count && i < s->nlayouts; i++)
        apply_layout(a, value_at(a->b.t, outs[i]), &s->layouts[i]);
    check_over(a, s, n, outs, count);
}

static const SrcLoc *copy_loc(Acquire *a, const SrcLoc *loc)
{
    if (!loc || loc == a->loc_from)
        return loc ? a->loc : NULL;
    Arena *arena = &a->b.t->arena;
    SrcLoc *copy = new_of(arena, SrcLoc);
    *copy = (SrcLoc){arena_str(arena, loc->file), arena_str(arena, loc->func),
                     arena_str(arena, loc->code), loc->line};
    a->loc_from = loc;
    a->loc = copy;
    return copy;
}

void run_statement(Acquire *a, const Stmt *s)
{
    const Stmt *outer = a->stmt;
    Span span = a->b.span;
    ArenaMark mark = arena_mark(&a->scratch);
    NodeId first = a->b.t->nnodes;
    uint32_t met = a->nmet;
    a->stmt = s;
    a->b.failed = false;
    a->b.span = front_at(a->scope->fn->file, s->off, s->len);
    if (!a->verbatim)
        a->b.loc = copy_loc(a, s->loc);
    switch ((StmtKind)s->kind) {
    case ST_assign:
        run_assign(a, s);
        break;
    case ST_augment:
        run_augment(a, s);
        break;
    case ST_expr:
        eval(a, s->value);
        break;
    case ST_del:
        run_del(a, s);
        break;
    case ST_return:
        if (!a->verbatim)
            a->scope->result = s->value ? eval(a, s->value) : A_NONE;
        break;
    case ST_type:
        run_type(a, s);
        break;
    case ST_pass:
        break;
    }
    if (a->b.failed) {
        look_at_rest(a, s->value);
        for (uint32_t i = 0; i < s->ntargets; i++)
            look_at_rest(a, s->targets[i]);
    }
    a->nmet = met;
    apply_trailer(a, s, first);
    a->b.span = span;
    a->stmt = outer;
    arena_release(&a->scratch, mark);
}

/* ---------------------------------------------------------------------------------- sub-graphs */

static bool is_self(const FrontFunction *fn)
{
    return fn->nparams && str_is(fn->sym_names[fn->params[0].sym], "self");
}

Arg inline_graph(Acquire *a, const FrontFunction *fn, const Arg *args, uint32_t n, const Expr *e)
{
    uint32_t skip = is_self(fn), errors = a->b.diag->nerrors;
    if (a->graphs >= MAX_GRAPHS)
        return acquire_error(a, acquire_at(a, e), "too-deep", "sub-graphs nest deeper than %d",
                             MAX_GRAPHS);
    if (n != fn->nparams - skip)
        return acquire_error(a, acquire_at(a, e), "bad-argument",
                             "the sub-graph takes %u arguments, %u given", fn->nparams - skip, n);
    if (fn->nerrors)
        return acquire_error(a, acquire_at(a, e), "bad-argument", "sub-graph %.*s has errors",
                             STR(fn->name));
    Scope scope;
    Span span = a->b.span;
    const SrcLoc *loc = a->b.loc;
    scope_enter(a, &scope, fn);
    a->graphs++;
    if (skip)
        bind_name(a, fn->params[0].sym, (Bound){.kind = BOUND_self});
    for (uint32_t i = 0; i < n; i++)
        bind_name(a, fn->params[skip + i].sym, (Bound){.kind = BOUND_arg, .arg = args[i]});
    for (const Stmt *s = fn->body; s; s = s->next)
        run_statement(a, s);
    Arg out = scope.result;
    a->graphs--;
    scope_leave(a);
    a->b.span = span;
    a->b.loc = loc;
    a->b.failed = a->b.diag->nerrors > errors;
    return a->b.failed ? A_NONE : out;
}
