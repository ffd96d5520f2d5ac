/*
 * acquire_expr.c - the value of an expression.
 *
 * Input: an Expr in a scope. Output: an Arg. Literals fold at once; what touches a value of the
 * trace becomes a call of an operator.
 */
#include "acquire.h"

#include <string.h>

Span acquire_at(const Acquire *a, const Expr *e)
{
    return front_at(a->scope->fn->file, e->off, e->len);
}

DiagItem *acquire_item(Acquire *a, Span at, const char *code, const char *fmt, ...)
{
    if (a->b.failed)
        return NULL;
    va_list ap;
    va_start(ap, fmt);
    DiagItem *item = diag_vadd(a->b.diag, SEV_error, DIAG_load, at, code, fmt, ap);
    va_end(ap);
    a->b.failed = true;
    return item;
}

Arg acquire_error(Acquire *a, Span at, const char *code, const char *fmt, ...)
{
    if (a->b.failed)
        return A_NONE;
    va_list ap;
    va_start(ap, fmt);
    diag_vadd(a->b.diag, SEV_error, DIAG_load, at, code, fmt, ap);
    va_end(ap);
    a->b.failed = true;
    return A_NONE;
}

Str acquire_text(const Acquire *a, const Expr *e)
{
    enum { MOST = 60 };
    Str s = str_sub(a->scope->fn->file->src->text, e->off, e->len < MOST ? e->len : MOST);
    size_t nl = str_find(s, '\n', 0);
    return nl == SIZE_MAX ? s : str_sub(s, 0, nl);
}

const Value *acquire_value(const Acquire *a, Arg v)
{
    return v.kind == ARG_value ? value_get(a->b.t, v.v) : NULL;
}

static bool is_kind(const Acquire *a, Arg v, ValueKind kind)
{
    const Value *val = acquire_value(a, v);
    return val && val->type.kind == kind;
}

bool has_values(Arg a)
{
    return arg_values(a, NULL, 0) > 0;
}

/* --------------------------------------------------------------------------------------- names */

static Str sym_text(const Acquire *a, uint32_t sym)
{
    return a->scope->fn->sym_names[sym];
}

typedef struct NameWalk {
    const Acquire *a;
    uint32_t i;
} NameWalk;

static bool next_bound(void *state, Str *candidate)
{
    NameWalk *w = state;
    const Scope *s = w->a->scope;
    while (++w->i <= s->fn->nsyms)
        if (s->env[w->i].kind == BOUND_arg) {
            *candidate = s->fn->sym_names[w->i];
            return true;
        }
    return false;
}

static Arg undefined(Acquire *a, const Expr *e, Str name)
{
    DiagItem *item =
        acquire_item(a, acquire_at(a, e), "undefined-name", "%.*s is not defined", STR(name));
    if (!item || a->b.diag->nitems > (a->b.diag->limit ? a->b.diag->limit : 100))
        return A_NONE;
    NameWalk w = {a, 0};
    Str near = nearest(name, next_bound, &w);
    if (near.n)
        diag_note(a->b.diag, item, "did you mean %.*s?", STR(near));
    return A_NONE;
}

/* Names of front_expression: those given, then the values of the trace. */
static bool outside_name(const Acquire *a, Str name, Arg *out)
{
    if (!a->names)
        return false;
    for (uint32_t i = 0; i < a->nnames; i++)
        if (str_eq(a->names[i], name)) {
            *out = a->values[i];
            return true;
        }
    ValueId v = trace_find_value(a->b.t, name);
    *out = A_VALUE(v);
    return v != 0;
}

/* The text of a word goes to the trace's memory, by the name that a printed trace imports it. */
static Arg own_word(Acquire *a, Arg v)
{
    static const struct {
        const char *full, *printed;
    } table[] = {{"thunder.core.prims.", "prims."},
                 {"thunder.torch.", "ltorch."},
                 {"thunder.numpy.", "lnp."},
                 {"thunder.core.dtypes.", "dtypes."},
                 {"thunder.core.devices.", "devices."}};
    if (v.kind != ARG_word)
        return v;
    Str s = arg_str(v);
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_starts(s, table[i].full)) {
            s = arena_printf(&a->b.t->arena, "%s%.*s", table[i].printed,
                             STR(str_sub(s, strlen(table[i].full), SIZE_MAX)));
            break;
        }
    return (Arg){.kind = ARG_word, .n = (uint32_t)s.n, .s = arena_str(&a->b.t->arena, s).p};
}

static Arg eval_name(Acquire *a, const Expr *e)
{
    const Bound *bound = &a->scope->env[e->sym];
    Str name = sym_text(a, e->sym);
    Arg out;
    switch ((BoundKind)bound->kind) {
    case BOUND_arg:
        return bound->arg;
    case BOUND_untyped: {
        DiagItem *item = acquire_item(a, bound->at, "no-type", "input %.*s has no type", STR(name));
        if (item)
            diag_note(a->b.diag, item, "write its type, such as %.*s: \"f32[2, 3]\"", STR(name));
        a->scope->env[e->sym].kind = BOUND_broken;
        return A_NONE;
    }
    case BOUND_self:
    case BOUND_graph:
        return acquire_error(a, acquire_at(a, e), "unsupported", "%.*s cannot be used as a value",
                             STR(name));
    case BOUND_deleted:
        return acquire_error(a, acquire_at(a, e), "undefined-name", "%.*s is used after its del",
                             STR(name));
    case BOUND_broken:
        a->b.failed = true;
        return A_NONE;
    case BOUND_nothing:
        break;
    }
    if (outside_name(a, name, &out))
        return out;
    const PathInfo *info = path_info(a, e->sym);
    if (constant_find(info->resolved, &out))
        return own_word(a, out);
    return undefined(a, e, name);
}

const PathInfo *path_info(Acquire *a, uint32_t sym)
{
    PathInfo *info = &a->scope->paths[sym];
    if (info->known)
        return info;
    Str path = sym_text(a, sym), rest = path;
    Str root = str_cut(&rest, '.');
    const MapEntry *import = map_get(&a->scope->fn->file->imports, root);
    info->known = true;
    info->resolved = path;
    if (import) {
        const Str *full = import->cp;
        info->resolved =
            rest.n ? arena_printf(&a->b.t->arena, "%.*s.%.*s", STR(*full), STR(rest)) : *full;
    }
    info->builtin = builtin_find(info->resolved);
    info->spelling = registry_lookup(a->reg, info->resolved);
    return info;
}

bool path_of(const Acquire *a, const Expr *e, uint32_t *sym)
{
    const Expr *root = e;
    *sym = e->kind == EX_name ? e->sym : e->kind == EX_attr ? e->attr.path : 0;
    while (root->kind == EX_attr)
        root = root->attr.obj;
    if (!*sym || root->kind != EX_name || a->scope->env[root->sym].kind != BOUND_nothing)
        return false;
    Arg unused;
    return !(a->names && e->kind == EX_attr && outside_name(a, sym_text(a, root->sym), &unused));
}

/* ----------------------------------------------------------------------------------- attributes */

/* NAME.NAME.NAME behind self, "" when e is no such chain. */
static bool self_path(Acquire *a, const Expr *e, StrBuf *out)
{
    if (e->kind == EX_name)
        return a->scope->env[e->sym].kind == BOUND_self;
    if (e->kind != EX_attr || !self_path(a, e->attr.obj, out))
        return false;
    if (out->n)
        sb_putc(out, '.');
    sb_add(out, sym_text(a, e->attr.sym));
    return true;
}

/* self.PATH as an input. */
static Arg module_attribute(Acquire *a, Str path, const Expr *e)
{
    Type type;
    Arg known;
    MapEntry *seen = map_get(&a->attributes, path);
    if (seen)
        return A_VALUE((ValueId)seen->u);
    const Stmt *s = a->stmt;
    const Ann *ann = s && s->value == e ? s->ann : NULL;
    if (!type_of_annotation(a, ann, &type, &known)) {
        DiagItem *item =
            acquire_item(a, acquire_at(a, e), "no-type", "self.%.*s has no type", STR(path));
        if (item)
            diag_note(a->b.diag, item, "write it: w: \"f32[2, 3]\" = self.%.*s", STR(path));
        return A_NONE;
    }
    StrBuf name = {0};
    for (size_t i = 0; i < path.n; i++)
        sb_putc(&name, path.p[i] == '.' ? '_' : path.p[i]);
    ValueId v = add_input(a, sb_str(&name), type);
    sb_free(&name);
    value_at(a->b.t, v)->flags |= VF_PARAMETER;
    value_at(a->b.t, v)->known = known;
    set_strides(a, v, ann);
    map_put(&a->attributes, path, NULL)->u = v;
    return A_VALUE(v);
}

static Arg ints_of(Acquire *a, const Type *t)
{
    return arg_ints(a->b.t, t->shape, t->rank);
}

/* Facts about a tensor that are known now. */
static bool tensor_fact(Acquire *a, const Value *v, Str name, Arg *out)
{
    const Type *t = &v->type;
    if (str_is(name, "shape"))
        *out = ints_of(a, t);
    else if (str_is(name, "dtype"))
        *out = A_DTYPE(t->dtype);
    else if (str_is(name, "device"))
        *out = A_DEVICE(t->device);
    else if (str_is(name, "ndim"))
        *out = A_INT(t->rank);
    else if (str_is(name, "is_cuda"))
        *out = A_BOOL(t->device.type == DEV_cuda);
    else if (str_is(name, "requires_grad"))
        *out = A_BOOL(v->flags & VF_REQUIRES_GRAD);
    else if (str_is(name, "itemsize"))
        *out = A_INT(dtype_info[t->dtype].bytes);
    else
        return false;
    return true;
}

static bool literal_fact(Acquire *a, Arg obj, Str name, Arg *out)
{
    if (obj.kind == ARG_device && str_is(name, "type")) {
        *out = arg_string(a->b.t, str_from(device_types[obj.device.type]));
    } else if (obj.kind == ARG_device && str_is(name, "index")) {
        *out = obj.device.type == DEV_cuda ? A_INT(obj.device.index) : A_NONE;
    } else if (obj.kind == ARG_dtype && str_is(name, "is_floating_point")) {
        *out = A_BOOL(dtype_is_float((DType)obj.dtype));
    } else if (obj.kind == ARG_dtype && str_is(name, "is_complex")) {
        *out = A_BOOL(dtype_is_complex((DType)obj.dtype));
    } else if (obj.kind == ARG_dtype && str_is(name, "itemsize") && obj.dtype < DT_COUNT) {
        *out = A_INT(dtype_info[obj.dtype].bytes);
    } else {
        return false;
    }
    return true;
}

/* The names of a pair as torch.topk, or torch.max along a dimension, gives it. */
static bool pair_item(Acquire *a, Arg obj, Str name, Arg *out)
{
    bool second = str_is(name, "indices");
    bool pair = arg_is_seq(obj) && obj.n == 2 && is_kind(a, obj.items[1], VALUE_tensor) &&
                acquire_value(a, obj.items[1])->type.dtype == DT_i64;
    if (!pair || (!second && !str_is(name, "values")))
        return false;
    *out = obj.items[second];
    return true;
}

static Arg attribute_of(Acquire *a, Arg obj, const Expr *e)
{
    Arg out;
    Str name = sym_text(a, e->attr.sym);
    if (a->b.failed)
        return A_NONE;
    if (is_kind(a, obj, VALUE_tensor)) {
        if (tensor_fact(a, acquire_value(a, obj), name, &out))
            return out;
        Span at = acquire_at(a, e->attr.obj);
        Str method = arena_printf(&a->scratch, "Tensor.%.*s", STR(name));
        return call_named(a, method, e, &obj, &at, 1);
    }
    if (is_kind(a, obj, VALUE_any) || is_kind(a, obj, VALUE_collection)) {
        Arg args[2] = {obj, arg_string(a->b.t, name)};
        return opaque_node(a, registry_op(a->reg, PRIM_unpack_attr), args);
    }
    if (literal_fact(a, obj, name, &out) || pair_item(a, obj, name, &out))
        return out;
    if (arg_is_seq(obj))
        return acquire_error(a, acquire_at(a, e), "unsupported",
                             "a tuple has no attribute %.*s; [0] is the first of its %u elements",
                             STR(name), obj.n);
    return acquire_error(a, acquire_at(a, e), "unsupported", "this has no attribute %.*s",
                         STR(name));
}

static Arg eval_attr(Acquire *a, const Expr *e)
{
    uint32_t sym;
    Arg out;
    if (path_of(a, e, &sym)) {
        Str path = path_info(a, sym)->resolved, rest = path;
        Str root = str_cut(&rest, '.');
        if (!is_module_name(root) && !map_get(&a->scope->fn->file->imports, root))
            return undefined(a, e, root);
        constant_find(path, &out);
        return own_word(a, out);
    }
    StrBuf path = {0};
    if (self_path(a, e, &path)) {
        out = module_attribute(a, sb_str(&path), e);
        sb_free(&path);
        return out;
    }
    sb_free(&path);
    return attribute_of(a, eval(a, e->attr.obj), e);
}

static const FrontFunction *find_graph(const Acquire *a, Str name)
{
    const FrontFile *f = a->scope->fn->file;
    for (uint32_t i = 0; i < f->nnested; i++) {
        const ClassDecl *c = f->nested[i]->cls;
        if (c && c->outer == a->scope->fn->cls && str_eq(c->name, name))
            return f->nested[i];
    }
    return NULL;
}

static const FrontFunction *named_in(FrontFunction *const *list, uint32_t n, Str name)
{
    for (uint32_t i = 0; i < n; i++)
        if (!list[i]->cls && str_eq(list[i]->name, name))
            return list[i];
    return NULL;
}

const FrontFunction *function_of_file(const Acquire *a, Str name)
{
    const FrontFile *f = a->scope->fn->file;
    const FrontFunction *fn = named_in(f->nested, f->nnested, name);
    return fn ? fn : named_in(f->functions, f->n, name);
}

const FrontFunction *graph_named(const Acquire *a, const Expr *e)
{
    if (e->kind == EX_name && a->scope->env[e->sym].kind == BOUND_nothing)
        return function_of_file(a, sym_text(a, e->sym));
    if (e->kind == EX_name && a->scope->env[e->sym].kind == BOUND_graph)
        return a->scope->env[e->sym].graph;
    if (e->kind == EX_attr && e->attr.obj->kind == EX_name &&
        a->scope->env[e->attr.obj->sym].kind == BOUND_self)
        return find_graph(a, sym_text(a, e->attr.sym));
    return NULL;
}

const FrontFunction *eval_graph(Acquire *a, const Expr *e)
{
    const FrontFunction *fn = graph_named(a, e);
    if (!fn)
        acquire_error(a, acquire_at(a, e), "undefined-name", "%.*s is no sub-graph of this program",
                      STR(acquire_text(a, e)));
    return fn;
}

/* ------------------------------------------------------------------------------------ operators */

/* The parser keeps 2**63 as the smallest int; it is one only behind a minus. */
static bool is_two_to_63(const Expr *e)
{
    return e->kind == EX_literal && e->literal.kind == ARG_int && e->literal.i == INT64_MIN;
}

static Arg eval_unary(Acquire *a, const Expr *e)
{
    const char *why;
    if (e->bin.op == OP1('-') && is_two_to_63(e->bin.a))
        return A_INT(INT64_MIN);
    Arg out, x = eval(a, e->bin.a);
    if (a->b.failed)
        return A_NONE;
    if (!has_values(x)) {
        if (literal_unary(a, e->bin.op, x, &out, &why))
            return out;
        return acquire_error(a, acquire_at(a, e), "bad-operand", "%.*s: %s",
                             STR(acquire_text(a, e)), why);
    }
    const char *name = e->bin.op == OP1('-')   ? "operator.neg"
                       : e->bin.op == OP1('~') ? "operator.invert"
                       : e->bin.op == OP1('+') ? "operator.pos"
                                               : NULL;
    if (!name)
        return acquire_error(a, acquire_at(a, e), "unsupported",
                             "'not' needs a value that is known while loading");
    Span at = acquire_at(a, e->bin.a);
    if (e->bin.op == OP1('+') && !registry_lookup(a->reg, str_from(name)))
        return x;
    return call_named(a, str_from(name), e, &x, &at, 1);
}

/* x op y by operator NAME, or rNAME with the operands swapped when only the right one is a
 * tensor. */
static Arg operator_call(Acquire *a, const Expr *e, const char *name, bool reflects, Arg x, Arg y)
{
    Arg args[2] = {x, y};
    Span spans[2] = {acquire_at(a, e->bin.a), acquire_at(a, e->bin.b)};
    Str plain = arena_printf(&a->scratch, "operator.%s", name);
    Str reflected = arena_printf(&a->scratch, "operator.r%s", name);
    if (reflects && !is_kind(a, x, VALUE_tensor) && is_kind(a, y, VALUE_tensor) &&
        registry_lookup(a->reg, reflected)) {
        Arg swapped[2] = {y, x};
        Span swapped_spans[2] = {spans[1], spans[0]};
        return call_named(a, reflected, e, swapped, swapped_spans, 2);
    }
    /* and, or: spelled and_, or_ in Python's operator module */
    if (!registry_lookup(a->reg, plain))
        plain = arena_printf(&a->scratch, "operator.%s_", name);
    return call_named(a, plain, e, args, spans, 2);
}

static Arg eval_binary(Acquire *a, const Expr *e, Arg x, Arg y)
{
    const char *why;
    Arg out;
    bool reflects;
    if (a->b.failed)
        return A_NONE;
    bool moves = (e->bin.op == OP1('+') && arg_is_seq(x) && arg_is_seq(y)) ||
                 (e->bin.op == OP1('*') && arg_is_seq(x) != arg_is_seq(y) &&
                  (x.kind == ARG_int || y.kind == ARG_int));
    bool word = e->bin.op == OP2('i', 's') || e->bin.op == OP3('i', 's', '!');
    if (moves || word || (!has_values(x) && !has_values(y))) {
        if (literal_binary(a, e->bin.op, x, y, &out, &why))
            return out;
        return acquire_error(a, acquire_at(a, e), "bad-operand", "%.*s: %s",
                             STR(acquire_text(a, e)), why);
    }
    const char *name = operator_name(e->bin.op, &reflects);
    if (!name)
        return acquire_error(a, acquire_at(a, e), "unsupported",
                             "this operator needs values that are known while loading");
    return operator_call(a, e, name, reflects, x, y);
}

/* and, or: as Python does, the first operand decides. */
static Arg eval_logic(Acquire *a, const Expr *e)
{
    bool truth;
    Arg x = eval(a, e->bin.a);
    if (a->b.failed)
        return A_NONE;
    if (!literal_truth(x, &truth))
        return acquire_error(a, acquire_at(a, e->bin.a), "unsupported",
                             "'and' and 'or' need values that are known while loading");
    return truth == (e->kind == EX_and) ? eval(a, e->bin.b) : x;
}

static Arg eval_index(Acquire *a, Arg obj, Arg key, const Expr *e)
{
    const char *why;
    Arg out;
    if (a->b.failed)
        return A_NONE;
    Arg args[2] = {obj, key};
    if (is_kind(a, obj, VALUE_any) || is_kind(a, obj, VALUE_collection))
        return opaque_node(a, registry_op(a->reg, PRIM_unpack_getitem), args);
    if (obj.kind == ARG_value) {
        Span spans[2] = {acquire_at(a, e->index.obj), acquire_at(a, e->index.key)};
        return call_named(a, S("operator.getitem"), e, args, spans, 2);
    }
    if (literal_index(a, obj, key, &out, &why))
        return out;
    return acquire_error(a, acquire_at(a, e), "bad-index", "%.*s: %s", STR(acquire_text(a, e)),
                         why);
}

/* globals()['name']: the function object of a prologue. */
static bool is_globals(const Acquire *a, const Expr *e)
{
    return e->kind == EX_call && e->call.n == 0 && e->call.fn->kind == EX_name &&
           str_is(sym_text(a, e->call.fn->sym), "globals");
}

static Arg eval_subscript(Acquire *a, const Expr *e)
{
    if (is_globals(a, e->index.obj)) {
        Arg key = eval(a, e->index.key);
        return opaque_node(a, registry_op(a->reg, PRIM_unpack_function_obj), &key);
    }
    Arg obj = eval(a, e->index.obj);
    return eval_index(a, obj, eval(a, e->index.key), e);
}

/* ----------------------------------------------------------------------------------- everything */

static Arg eval_items(Acquire *a, const Expr *e)
{
    Arg *items = new_array(&a->b.t->arena, Arg, e->seq.n);
    for (uint32_t i = 0; i < e->seq.n; i++)
        items[i] = e->seq.items[i] ? eval(a, e->seq.items[i]) : A_NONE;
    Arg out = {.n = e->seq.n, .items = items};
    out.kind = e->kind == EX_list    ? ARG_list
               : e->kind == EX_dict  ? ARG_dict
               : e->kind == EX_slice ? ARG_slice
                                     : ARG_tuple;
    if (e->kind == EX_dict)
        out.n /= 2;
    return out;
}

static Arg eval_literal(Acquire *a, const Expr *e)
{
    if (is_two_to_63(e))
        return acquire_error(a, acquire_at(a, e), "int-too-large",
                             "this int has more than 64 bits");
    if (e->literal.kind == ARG_str)
        return arg_string(a->b.t, arg_str(e->literal));
    if (e->literal.kind == ARG_complex)
        return arg_complex(a->b.t, e->literal.items[0].f, e->literal.items[1].f);
    return e->literal;
}

/* a + b + c + ... leans to the left: the chain is walked, not recursed into. */
static Arg eval_chain(Acquire *a, const Expr *e)
{
    const Expr *chain[MAX_HEIGHT];
    uint32_t n = 0;
    const Expr *left = e;
    for (; left->kind == EX_binary && n < MAX_HEIGHT; left = left->bin.a)
        chain[n++] = left;
    Arg x = eval(a, left);
    while (n && !a->b.failed) {
        n--;
        x = eval_binary(a, chain[n], x, eval(a, chain[n]->bin.b));
    }
    return a->b.failed ? A_NONE : x;
}

Arg eval(Acquire *a, const Expr *e)
{
    if (a->b.failed)
        return A_NONE;
    switch ((ExprKind)e->kind) {
    case EX_literal:
        return eval_literal(a, e);
    case EX_name:
        return eval_name(a, e);
    case EX_attr:
        return eval_attr(a, e);
    case EX_call:
        return eval_call(a, e);
    case EX_index:
        return eval_subscript(a, e);
    case EX_tuple:
    case EX_list:
    case EX_dict:
    case EX_set:
    case EX_slice:
        return eval_items(a, e);
    case EX_unary:
        return eval_unary(a, e);
    case EX_binary:
        return eval_chain(a, e);
    case EX_and:
    case EX_or:
        return eval_logic(a, e);
    }
    return A_NONE;
}
