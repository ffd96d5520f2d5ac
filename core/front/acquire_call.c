/*
 * acquire_call.c - calls: which operator a written name is, its arguments, the node.
 *
 * Input: a call as written. Output: the result of op_call, of a decomposition read from the text
 * (verbatim_call), or of a builtin. An unknown operator is an error with the nearest spelling,
 * unless the text gives its decomposition: then it is a fusion (prims.call).
 */
#include "acquire.h"

#include <string.h>

/* --------------------------------------------------------------------------------------- counts */

void count_use(Acquire *a, Str written, const Op *op, Span at)
{
    OpUses *u = a->uses;
    if (!u || a->verbatim)
        return;
    bool fresh;
    MapEntry *e = map_put(&a->use_index, written, &fresh);
    if (!fresh) {
        u->items[e->u].count++;
        return;
    }
    if (u->n == u->cap) {
        u->cap = u->cap ? u->cap * 2 : 64;
        OpUse *more = new_array(&u->arena, OpUse, u->cap);
        if (u->n)
            memcpy(more, u->items, u->n * sizeof *more);
        u->items = more;
    }
    e->u = u->n;
    u->items[u->n++] = (OpUse){arena_str(&u->arena, written), op, 1, at};
}

static void meet(Acquire *a, const Expr *e)
{
    if (a->nmet == a->met_cap) {
        a->met_cap = a->met_cap ? 2 * a->met_cap : 16;
        const Expr **more = new_array(&a->b.t->arena, const Expr *, a->met_cap);
        if (a->nmet)
            memcpy(more, a->met, a->nmet * sizeof *more);
        a->met = more;
    }
    a->met[a->nmet++] = e;
}

void op_uses_free(OpUses *u)
{
    arena_free(&u->arena);
    *u = (OpUses){0};
}

/* ------------------------------------------------------------------------------------ arguments */

static void grow_call(Acquire *a, Call *c, uint32_t *cap, uint32_t extra)
{
    uint32_t used = c->npos + c->nkw;
    if (used + extra <= *cap)
        return;
    *cap = (used + extra) * 2;
    Arg *pos = new_array(&a->scratch, Arg, *cap), *kw = new_array(&a->scratch, Arg, *cap);
    Str *names = new_array(&a->scratch, Str, *cap);
    Span *spans = new_array(&a->scratch, Span, *cap);
    if (c->npos)
        memcpy(pos, c->pos, c->npos * sizeof *pos);
    if (c->nkw) {
        memcpy(kw, c->kw, c->nkw * sizeof *kw);
        memcpy(names, c->kw_names, c->nkw * sizeof *names);
    }
    if (used)
        memcpy(spans, c->spans, used * sizeof *spans);
    *c = (Call){c->e, c->name, pos, kw, names, spans, c->npos, c->nkw};
}

static void add_positional(Acquire *a, Call *c, uint32_t *cap, Arg v, Span at)
{
    grow_call(a, c, cap, 1);
    memmove(c->spans + c->npos + 1, c->spans + c->npos, c->nkw * sizeof *c->spans);
    c->spans[c->npos] = at;
    c->pos[c->npos++] = v;
}

static void add_keyword(Acquire *a, Call *c, uint32_t *cap, Str name, Arg v, Span at)
{
    grow_call(a, c, cap, 1);
    c->spans[c->npos + c->nkw] = at;
    c->kw_names[c->nkw] = name;
    c->kw[c->nkw++] = v;
}

static void add_stars(Acquire *a, Call *c, uint32_t *cap, Arg v, uint32_t stars, Span at)
{
    bool ok = stars == 1 ? arg_is_seq(v) : v.kind == ARG_dict;
    for (uint32_t i = 0; ok && i < v.n; i++) {
        if (stars == 1)
            add_positional(a, c, cap, v.items[i], at);
        else if (v.items[2 * i].kind == ARG_str)
            add_keyword(a, c, cap, arg_str(v.items[2 * i]), v.items[2 * i + 1], at);
    }
    if (!ok)
        acquire_error(a, at, "bad-argument", "%s needs %s", stars == 1 ? "*" : "**",
                      stars == 1 ? "a sequence" : "a dict");
}

/* self_arg: the object of a method, or NULL. */
static Call eval_arguments(Acquire *a, const Expr *e, Str name, const Arg *self_arg)
{
    Call c = {.e = e, .name = name};
    uint32_t cap = 0;
    grow_call(a, &c, &cap, e->call.n + 1);
    if (self_arg)
        add_positional(a, &c, &cap, *self_arg, acquire_at(a, e->call.fn->attr.obj));
    for (uint32_t i = 0; i < e->call.n && !a->b.failed; i++) {
        const Argument *arg = &e->call.args[i];
        Span at = acquire_at(a, arg->value);
        Arg v = eval(a, arg->value);
        if (a->b.failed)
            break;
        if (arg->stars)
            add_stars(a, &c, &cap, v, arg->stars, at);
        else if (arg->keyword)
            add_keyword(a, &c, &cap, a->scope->fn->sym_names[arg->keyword], v, at);
        else
            add_positional(a, &c, &cap, v, at);
    }
    return c;
}

/* ------------------------------------------------------------------------------------ operators */

/* Whether this call is all of its statement, so that the lines below it are its decomposition. */
static bool has_decomposition(const Acquire *a, const Expr *e)
{
    return a->stmt && a->stmt->value == e && a->stmt->children;
}

/* The argument with value `old` replaced by another, in sequences and dicts too. */
static Arg put_for(Trace *t, Arg in, ValueId old, Arg by)
{
    if (in.kind == ARG_value)
        return in.v == old ? by : in;
    if (!has_values(in))
        return in;
    Arg *items = new_array(&t->arena, Arg, in.kind == ARG_dict ? 2 * in.n : in.n);
    for (uint32_t i = 0; i < (in.kind == ARG_dict ? 2 * in.n : in.n); i++)
        items[i] = put_for(t, in.items[i], old, by);
    in.items = items;
    return in;
}

/* After x.t_() every name that stood for x stands for its transpose. An input cannot change so: its
 * shape belongs to the caller. */
static Arg change_view(Acquire *a, const Call *c, const Op *op, Arg out)
{
    Arg self = c->pos[0];
    const Value *v = acquire_value(a, self);
    if (a->b.failed || !v)
        return out;
    if (trace_is_input(a->b.t, self.v) && (op->flags & OP_SHAPE))
        return acquire_error(a, acquire_at(a, c->e), "unsupported",
                             "%.*s changes the shape of input %.*s for its caller", STR(c->name),
                             STR(v->name));
    Scope *inner = a->scope;
    for (; a->scope; a->scope = a->scope->outer) {
        for (uint32_t sym = 0; sym < a->scope->fn->nsyms; sym++) {
            Bound b = a->scope->env[sym];
            if (b.kind != BOUND_arg || !has_values(b.arg))
                continue;
            b.arg = put_for(a->b.t, b.arg, self.v, out);
            bind_name(a, sym, b);
        }
    }
    a->scope = inner;
    return out;
}

/* A method of a view that ends in "_" (t_, unsqueeze_) makes its tensor that view. */
static bool changes_view(const Op *op, const Call *c)
{
    return (op->flags & OP_VIEW) && str_starts(c->name, "Tensor.") && str_ends(c->name, "_") &&
           !str_ends(c->name, "__") && c->npos && c->pos[0].kind == ARG_value;
}

/* aten.permute_copy and its like: spellings of views whose results have storage of their own. */
static bool copies_view(const Op *op, const Call *c)
{
    bool copies = false;
    bool may = op->language == LANG_torch && (op->flags & OP_VIEW);
    for (Str rest = c->name; rest.n && may;) {
        Str part = str_cut(&rest, '.');
        copies |= str_ends(part, "_copy") && !str_is(part, "_to_copy"); /* to(copy=True) */
    }
    return copies;
}

static Arg copy_results(Acquire *a, Arg x)
{
    if (!arg_is_seq(x))
        return arg_is_tensor(&a->b, x) ? emit(&a->b, clone, x) : x;
    Arg *items = new_array(&a->b.t->arena, Arg, x.n ? x.n : 1);
    for (uint32_t i = 0; i < x.n; i++)
        items[i] = copy_results(a, x.items[i]);
    x.items = items;
    return x;
}

static Arg call_operator(Acquire *a, const Spelling *spelling, const Call *c)
{
    Arg args[MAX_PARAMS];
    Span spans[MAX_PARAMS];
    const Op *op = op_bind(&a->b, spelling, c->pos, c->npos, c->kw_names, c->kw, c->nkw, c->spans,
                           args, spans);
    count_use(a, c->name, op ? op : spelling->op, acquire_at(a, c->e));
    meet(a, c->e);
    if (!op)
        return A_NONE;
    if (!op->decompose && (op->flags & OP_OPAQUE))
        return opaque_node(a, op, args);
    if (has_decomposition(a, c->e) && op->language != LANG_prims)
        return verbatim_call(a, op, args, spans);
    a->b.arg_spans = spans;
    Arg out = op_call(&a->b, op, args);
    a->b.arg_spans = NULL;
    if (!a->b.failed && copies_view(op, c))
        return copy_results(a, out);
    return changes_view(op, c) ? change_view(a, c, op, out) : out;
}

/* An unknown function whose decomposition the text gives: a fused region. */
static Arg call_fusion(Acquire *a, const Call *c)
{
    Arg *given = new_array(&a->scratch, Arg, c->npos + 1);
    if (c->npos)
        memcpy(given, c->pos, c->npos * sizeof *given);
    if (c->nkw) {
        Arg *items = new_array(&a->b.t->arena, Arg, 2 * c->nkw);
        for (uint32_t i = 0; i < c->nkw; i++) {
            items[2 * i] = arg_string(a->b.t, c->kw_names[i]);
            items[2 * i + 1] = c->kw[i];
        }
        given[c->npos] = (Arg){.kind = ARG_dict, .n = c->nkw, .items = items};
    }
    Arg args[2] = {arg_string(a->b.t, c->name), arg_tuple(a->b.t, given, c->npos + (c->nkw > 0))};
    return verbatim_call(a, registry_op(a->reg, PRIM_call), args, NULL);
}

Arg unknown_operator(Acquire *a, Str name, const Expr *e)
{
    const Expr *fn = e->kind == EX_call ? e->call.fn : e;
    count_use(a, name, NULL, acquire_at(a, fn));
    meet(a, e);
    DiagItem *item =
        acquire_item(a, acquire_at(a, fn), "unknown-op", "unknown operator %.*s", STR(name));
    if (!item)
        return A_NONE;
    bool kept = a->b.diag->nitems <= (a->b.diag->limit ? a->b.diag->limit : 100);
    Str near = kept ? registry_nearest(a->reg, name) : (Str){0};
    if (near.n)
        diag_note(a->b.diag, item, "did you mean %.*s?", STR(near));
    diag_help(a->b.diag, item, near.n ? "help %.*s" : "ops lists the known operators", STR(near));
    return A_NONE;
}

Arg call_named(Acquire *a, Str name, const Expr *e, const Arg *args, const Span *spans, uint32_t n)
{
    if (a->b.failed)
        return A_NONE;
    const Spelling *spelling = registry_lookup(a->reg, name);
    if (!spelling)
        return unknown_operator(a, name, e);
    Call c = {.e = e, .name = name, .npos = n};
    c.pos = arena_copy(&a->scratch, args, n * sizeof *args);
    c.spans = arena_copy(&a->scratch, spans, n * sizeof *spans);
    return call_operator(a, spelling, &c);
}

/* --------------------------------------------------------------------------------------- opaque */

/* One value of whatever type, to be refined by an annotation. */
static Arg opaque_value(Acquire *a, const Ann *ann)
{
    Type type;
    Arg known;
    type_of_annotation(a, ann, &type, &known);
    ValueId v = trace_add_value(a->b.t, type, (Str){0});
    value_at(a->b.t, v)->known = known;
    return A_VALUE(v);
}

static Arg opaque_results(Acquire *a, const Expr *target)
{
    if (target->kind == EX_name)
        return str_is(a->scope->fn->sym_names[target->sym], "_") ? A_NONE : opaque_value(a, NULL);
    if (target->kind != EX_tuple && target->kind != EX_list)
        return opaque_value(a, NULL);
    Arg *items = new_array(&a->scratch, Arg, target->seq.n);
    for (uint32_t i = 0; i < target->seq.n; i++)
        items[i] = opaque_results(a, target->seq.items[i]);
    return target->kind == EX_list ? arg_list(a->b.t, items, target->seq.n)
                                   : arg_tuple(a->b.t, items, target->seq.n);
}

Arg opaque_node(Acquire *a, const Op *op, const Arg *args)
{
    const Stmt *s = a->stmt;
    Arg out = A_NONE;
    if (a->b.failed)
        return A_NONE;
    NodeId n = node_begin(&a->b, op, args);
    if (s && s->kind == ST_assign && s->ntargets == 1 && s->targets[0]->kind != EX_name)
        out = opaque_results(a, s->targets[0]);
    else if (!s || s->kind != ST_expr)
        out = opaque_value(a, s ? s->ann : NULL);
    node_end(&a->b, n, out);
    return out;
}

/* ---------------------------------------------------------------------------------------- calls */

bool is_fusion(const Acquire *a, const Expr *e, Str written)
{
    return has_decomposition(a, e) && !registry_lookup(a->reg, written) && !builtin_find(written);
}

static Arg call_path(Acquire *a, const Expr *e, uint32_t sym)
{
    const PathInfo *info = path_info(a, sym);
    Arg out;
    if (info->builtin && info->builtin->special)
        return info->builtin->special(a, e, info->resolved);
    Str written = a->scope->fn->sym_names[sym];
    Call c = eval_arguments(a, e, written, NULL);
    if (a->b.failed)
        return A_NONE;
    if (info->builtin && info->builtin->fn(a, &c, &out))
        return out;
    if (info->spelling)
        return call_operator(a, info->spelling, &c);
    if (is_fusion(a, e, written))
        return call_fusion(a, &c);
    if (info->builtin)
        return acquire_error(a, acquire_at(a, e), "bad-argument",
                             "%.*s does not take these arguments", STR(written));
    const FrontFunction *fn = function_of_file(a, written);
    if (fn && c.nkw == 0)
        return inline_graph(a, fn, c.pos, c.npos, e);
    return unknown_operator(a, written, e);
}

/* Methods of the module of a prologue: module.get_parameter('fc.weight'). */
static bool module_method(Acquire *a, Str name, const Call *c, Arg *out)
{
    static const struct {
        const char *name;
        enum PrimId prim;
    } table[] = {{"get_parameter", PRIM_unpack_parameter},
                 {"get_buffer", PRIM_unpack_buffer},
                 {"get_submodule", PRIM_unpack_submodule}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_is(name, table[i].name) && c->npos == 2) {
            *out = opaque_node(a, registry_op(a->reg, table[i].prim), c->pos);
            return true;
        }
    return false;
}

bool clears_arguments(const Acquire *a, const Expr *call)
{
    const Expr *obj = call->call.fn->attr.obj;
    return str_is(a->scope->fn->sym_names[call->call.fn->attr.sym], "clear") &&
           obj->kind == EX_name && a->scope->env[obj->sym].kind == BOUND_untyped;
}

static Arg call_method(Acquire *a, const Expr *e)
{
    Str name = a->scope->fn->sym_names[e->call.fn->attr.sym];
    if (clears_arguments(a, e))
        return A_NONE;
    Arg out, obj = eval(a, e->call.fn->attr.obj);
    Str written = arena_printf(&a->scratch, "Tensor.%.*s", STR(name));
    Call c = eval_arguments(a, e, written, &obj);
    if (a->b.failed)
        return A_NONE;
    const Value *v = acquire_value(a, obj);
    if (v && (v->type.kind == VALUE_any || v->type.kind == VALUE_collection)) {
        if (module_method(a, name, &c, &out))
            return out;
    } else if (v) {
        const Spelling *spelling = registry_lookup(a->reg, written);
        return spelling ? call_operator(a, spelling, &c) : unknown_operator(a, written, e);
    }
    return acquire_error(a, acquire_at(a, e->call.fn), "unsupported",
                         "method %.*s of something that is no tensor", STR(name));
}

/* self.sub(x): the sub-graph of that name. */
static Arg call_module(Acquire *a, const Expr *e)
{
    const FrontFunction *graph = eval_graph(a, e->call.fn);
    if (!graph)
        return A_NONE;
    Call c = eval_arguments(a, e, graph->name, NULL);
    return a->b.failed ? A_NONE : inline_graph(a, graph, c.pos, c.npos, e);
}

bool starts_with_self(const Acquire *a, const Expr *e)
{
    while (e->kind == EX_attr)
        e = e->attr.obj;
    return e->kind == EX_name && a->scope->env[e->sym].kind == BOUND_self;
}

Arg eval_call(Acquire *a, const Expr *e)
{
    uint32_t sym;
    const Expr *fn = e->call.fn;
    if (path_of(a, fn, &sym))
        return call_path(a, e, sym);
    if ((fn->kind == EX_attr && starts_with_self(a, fn)) ||
        (fn->kind == EX_name && a->scope->env[fn->sym].kind == BOUND_graph))
        return call_module(a, e);
    if (fn->kind == EX_attr)
        return call_method(a, e);
    return acquire_error(a, acquire_at(a, fn), "unsupported", "%.*s cannot be called",
                         STR(acquire_text(a, fn)));
}
