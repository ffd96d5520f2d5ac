/*
 * acquire.c - a function's syntax tree to a trace: scopes, names, inputs, and the two entries
 * front_acquire and front_expression.
 */
#include "acquire.h"

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------- scopes */

static void *zeroed(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p)
        abort();
    return p;
}

void scope_enter(Acquire *a, Scope *s, const FrontFunction *fn)
{
    *s = (Scope){.fn = fn, .outer = a->scope};
    s->env = zeroed(fn->nsyms + 1, sizeof *s->env);
    s->paths = zeroed(fn->nsyms + 1, sizeof *s->paths);
    a->scope = s;
}

void scope_leave(Acquire *a)
{
    Scope *s = a->scope;
    a->scope = s->outer;
    free(s->env);
    free(s->paths);
}

uint32_t *value_refs(Acquire *a, ValueId v)
{
    if (v >= a->refs_cap) {
        uint32_t cap = a->b.t->value_cap > v ? a->b.t->value_cap : v + 1;
        a->refs = mem_resize(a->refs, cap * sizeof *a->refs);
        memset(a->refs + a->refs_cap, 0, (cap - a->refs_cap) * sizeof *a->refs);
        a->refs_cap = cap;
    }
    return &a->refs[v];
}

void bind_name(Acquire *a, uint32_t sym, Bound to)
{
    Bound *bound = &a->scope->env[sym];
    if (a->verbatim) {
        if (a->nundo == a->undo_cap) {
            a->undo_cap = a->undo_cap ? a->undo_cap * 2 : 64;
            a->undo = mem_resize(a->undo, a->undo_cap * sizeof *a->undo);
        }
        a->undo[a->nundo++] = (Undo){sym, *bound};
    }
    if (to.kind == BOUND_arg && to.arg.kind == ARG_value)
        ++*value_refs(a, to.arg.v);
    if (bound->kind == BOUND_arg && bound->arg.kind == ARG_value)
        --*value_refs(a, bound->arg.v);
    to.ann = bound->ann;
    *bound = to;
}

/* ---------------------------------------------------------------------------------------- names */

Str unique_name(Acquire *a, Str name)
{
    bool fresh;
    MapEntry *e = map_put(&a->used, name, &fresh);
    if (fresh)
        return name;
    uint64_t suffix = e->u;
    Str candidate;
    do {
        candidate =
            arena_printf(&a->b.t->arena, "%.*s_%llu", STR(name), (unsigned long long)++suffix);
    } while (map_get(&a->used, candidate));
    e->u = suffix;
    map_put(&a->used, candidate, NULL);
    return candidate;
}

static bool contains(Str s, const char *part)
{
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= s.n; i++)
        if (memcmp(s.p + i, part, n) == 0)
            return true;
    return false;
}

/* Parameters and buffers as Dynamo, export and Thunder name them. */
static bool is_parameter_name(Str name)
{
    while (name.n && name.p[name.n - 1] == '_')
        name.n--;
    return contains(name, "_parameters_") || contains(name, "_buffers_") ||
           str_starts(name, "p_") || str_starts(name, "b_") || str_ends(name, "_weight") ||
           str_ends(name, "_bias");
}

ValueId add_input(Acquire *a, Str name, Type type)
{
    ValueId v = trace_add_input(a->b.t, type, unique_name(a, name));
    if (is_parameter_name(name))
        value_at(a->b.t, v)->flags |= VF_PARAMETER;
    return v;
}

/* --------------------------------------------------------------------------------------- inputs */

static void declare_types(Acquire *a, const FrontFunction *fn)
{
    for (const Stmt *s = fn->body; s; s = s->next)
        if (s->kind == ST_type && s->targets[0]->kind == EX_name &&
            !a->scope->env[s->targets[0]->sym].ann)
            a->scope->env[s->targets[0]->sym].ann = s->ann;
}

static void declare_input(Acquire *a, const ParamDecl *p)
{
    Type type;
    Arg known;
    const Ann *ann = p->ann && p->ann->kind != ANN_none ? p->ann : a->scope->env[p->sym].ann;
    bool typed = type_of_annotation(a, ann, &type, &known);
    Bound to = {.kind = a->b.failed ? BOUND_broken : BOUND_untyped};
    to.at = front_at(a->scope->fn->file, p->off, p->len);
    if (typed && ann->kind == ANN_symbol && arg_is_number(known)) {
        to = (Bound){.kind = BOUND_arg, .arg = known}; /* a size is a literal from here on */
    } else if (typed || (p->stars && !a->b.failed)) {
        ValueId v = add_input(a, a->scope->fn->sym_names[p->sym], type);
        Value *val = value_at(a->b.t, v);
        val->known = known;
        val->flags |= p->stars == 1 ? VF_STAR : p->stars == 2 ? VF_STAR_STAR : 0;
        set_strides(a, v, ann);
        to = (Bound){.kind = BOUND_arg, .arg = A_VALUE(v)};
    } else if (p->dflt && !a->b.failed) {
        to = (Bound){.kind = BOUND_arg, .arg = eval(a, p->dflt)};
    }
    bind_name(a, p->sym, to);
}

static void declare_inputs(Acquire *a, const FrontFunction *fn)
{
    declare_types(a, fn);
    for (uint32_t i = 0; i < fn->nparams; i++) {
        const ParamDecl *p = &fn->params[i];
        a->b.failed = false;
        if (i == 0 && str_is(fn->sym_names[p->sym], "self"))
            bind_name(a, p->sym, (Bound){.kind = BOUND_self});
        else
            declare_input(a, p);
    }
    a->b.failed = false;
}

static bool check_symbols(Acquire *a, const FrontFunction *fn)
{
    uint32_t missing = 0;
    for (uint32_t i = 0; i < fn->nsymbols; i++) {
        bool given = false;
        for (uint32_t k = 0; k < a->nsymbols && !given; k++)
            given = str_eq(a->symbols[k].name, fn->symbols[i]);
        if (given)
            continue;
        missing++;
        DiagItem *item =
            diag_error(a->b.diag, DIAG_load, front_span(fn), "missing-symbol",
                       "size %.*s of %.*s has no value", STR(fn->symbols[i]), STR(fn->name));
        item->span.len = (uint32_t)fn->name.n + 4;
        diag_help(a->b.diag, item, "set %.*s=128", STR(fn->symbols[i]));
    }
    return missing == 0;
}

/* -------------------------------------------------------------------------------------- acquire */

static TraceKind kind_of(Str name)
{
    static const struct {
        const char *name;
        TraceKind kind;
    } table[] = {{"prologue", TRACE_prologue},
                 {"epilogue", TRACE_epilogue},
                 {"augmented_forward_fn", TRACE_forward},
                 {"backward_fn", TRACE_backward}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_is(name, table[i].name))
            return table[i].kind;
    return TRACE_computation;
}

static uint64_t first_fresh(const FrontFunction *fn)
{
    uint64_t largest = fn->max_number;
    bool any = fn->nsyms > 0;
    for (uint32_t i = 0; fn->cls && i < fn->file->nnested; i++)
        if (fn->file->nested[i]->max_number > largest)
            largest = fn->file->nested[i]->max_number;
    return any && largest ? largest + 1 : 0;
}

static void acquire_free(Acquire *a)
{
    while (a->scope)
        scope_leave(a);
    map_free(&a->used);
    map_free(&a->use_index);
    map_free(&a->attributes);
    map_free(&a->cast_rows);
    map_free(&a->cast_leaves);
    arena_free(&a->scratch);
    free(a->undo);
    free(a->refs);
}

static void run_function(Acquire *a, const FrontFunction *fn)
{
    Trace *t = a->b.t;
    t->kind = kind_of(fn->name);
    t->made_by = arena_str(&t->arena, fn->made_by);
    t->made_ns = fn->made_ns;
    t->plan_bytes = fn->plan_bytes;
    t->name_counter = first_fresh(fn);
    declare_inputs(a, fn);
    for (const Stmt *s = fn->body; s; s = s->next)
        run_statement(a, s);
    t->output = a->scope->result;
}

Trace *front_acquire(const FrontFunction *fn, const Registry *reg, const SymbolValue *symbols,
                     uint32_t nsymbols, OpUses *uses, Diag *d)
{
    return front_acquire_data(fn, reg, symbols, nsymbols, NULL, NULL, uses, d);
}

Trace *front_acquire_data(const FrontFunction *fn, const Registry *reg, const SymbolValue *symbols,
                          uint32_t nsymbols, DataFn *data, void *data_user, OpUses *uses, Diag *d)
{
    uint32_t before = d->nerrors;
    if (fn->nerrors) {
        if (d->nerrors == 0)
            diag_error(d, DIAG_load, front_span(fn), "syntax", "%.*s has %u syntax error%s",
                       STR(fn->name), fn->nerrors, plural(fn->nerrors));
        return NULL;
    }
    Acquire a = {.reg = reg, .symbols = symbols, .nsymbols = nsymbols, .uses = uses};
    if (uses)
        for (uint32_t i = 0; i < uses->n; i++)
            map_put(&a.use_index, uses->items[i].written, NULL)->u = i;
    a.b = (Build){.t = trace_new(reg, fn->name),
                    .diag = d,
                    .data = data,
                    .data_user = data_user};
    Scope scope;
    scope_enter(&a, &scope, fn);
    if (check_symbols(&a, fn))
        run_function(&a, fn);
    Trace *t = a.b.t;
    acquire_free(&a);
    if (d->nerrors > before) {
        trace_unref(t);
        return NULL;
    }
    trace_finish(t);
    return t;
}

/* ----------------------------------------------------------------------------------- expression */

Arg front_expression(Build *b, const Source *src, const Str *names, const Arg *values,
                     uint32_t nnames)
{
    static const Str no_name;
    FrontFile f = {.src = src};
    FrontFunction fn = {.file = &f, .plan_bytes = -1};
    Parser p = {.file = &f, .fn = &fn, .arena = &f.arena, .diag = b->diag};
    Acquire a = {.b = *b, .reg = b->t->reg, .names = names ? names : &no_name, .values = values};
    a.nnames = names ? nnames : 0;
    Arg out = A_NONE;
    if (b->failed)
        return out;
    parse_enter(&p, 0, (uint32_t)src->text.n); /* an expression has no log prefix */
    Expr *e = parse_expr_list(&p);
    while (!p.bad && p.tok.kind == TOK_newline)
        parse_take(&p);
    if (!p.bad && p.tok.kind != TOK_end && p.tok.kind != TOK_comment)
        parse_unexpected(&p, "the end of the expression");
    fn.sym_names = p.names ? p.names : &no_name;
    Scope scope; /* lives until acquire_free */
    if (p.bad) {
        a.b.failed = true;
    } else {
        scope_enter(&a, &scope, &fn);
        out = eval(&a, e);
        if (a.b.failed)
            look_at_rest(&a, e);
    }
    acquire_free(&a);
    parser_free(&p);
    map_free(&fn.syms);
    arena_free(&f.arena);
    b->failed = a.b.failed;
    return out;
}
