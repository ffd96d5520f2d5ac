/*
 * acquire_type.c - annotations against types: what they say, and whether it is so.
 *
 * Input: an Ann and the sizes of symbols. Output: a Type, or an error that names both sides.
 */
#include "acquire.h"

#include "numbers.h"

/* --------------------------------------------------------------------------------------- sizes */

static bool symbol_value(const Acquire *a, Str name, int64_t *out)
{
    for (uint32_t i = 0; i < a->nsymbols; i++)
        if (str_eq(a->symbols[i].name, name)) {
            *out = a->symbols[i].value;
            return true;
        }
    return false;
}

static bool size_function(Str name, int64_t x, int64_t y, int64_t *out)
{
    if (str_is(name, "Max"))
        *out = x > y ? x : y;
    else if (str_is(name, "Min"))
        *out = x < y ? x : y;
    else if (y == 0)
        return false;
    else if (str_is(name, "FloorDiv"))
        *out = floor_div(x, y);
    else if (str_is(name, "CeilDiv") || str_is(name, "CleanDiv"))
        *out = -floor_div(-x, y);
    else if (str_is(name, "Mod") || str_is(name, "PythonMod"))
        *out = x - floor_div(x, y) * y;
    else
        return false;
    return true;
}

static bool eval_size(const Acquire *a, const Expr *e, int64_t *out);

static bool size_call(const Acquire *a, const Expr *e, int64_t *out)
{
    if (e->call.fn->kind != EX_name || e->call.n == 0 || !eval_size(a, e->call.args[0].value, out))
        return false;
    Str name = a->scope->fn->sym_names[e->call.fn->sym];
    if (e->call.n == 1)
        return str_is(name, "TruncToInt") || str_is(name, "ToFloat") || str_is(name, "Max") ||
               str_is(name, "Min");
    for (uint32_t i = 1; i < e->call.n; i++) {
        int64_t y;
        if (!eval_size(a, e->call.args[i].value, &y) || !size_function(name, *out, y, out))
            return false;
    }
    return true;
}

static bool size_binary(const Acquire *a, const Expr *e, int64_t *out)
{
    int64_t x, y;
    if (!eval_size(a, e->bin.a, &x) || !eval_size(a, e->bin.b, &y))
        return false;
    switch (e->bin.op) {
    case OP1('+'):
        return !__builtin_add_overflow(x, y, out);
    case OP1('-'):
        return !__builtin_sub_overflow(x, y, out);
    case OP1('*'):
        return !__builtin_mul_overflow(x, y, out);
    case OP2('/', '/'):
        *out = y == 0 ? 0 : floor_div(x, y);
        return y != 0;
    case OP1('/'):
        *out = y == 0 ? 0 : x / y;
        return y != 0 && x % y == 0;
    case OP1('%'):
        *out = y == 0 ? 0 : x - floor_div(x, y) * y;
        return y != 0;
    case OP2('*', '*'):
        *out = 1;
        for (; y > 0 && y < 64; y--)
            if (__builtin_mul_overflow(*out, x, out))
                return false;
        return y == 0;
    default:
        return false;
    }
}

/* A size as an annotation writes it, of numbers and of symbols that are known; false otherwise. */
static bool eval_size(const Acquire *a, const Expr *e, int64_t *out)
{
    switch (e->kind) {
    case EX_literal:
        *out = e->literal.i;
        return e->literal.kind == ARG_int || e->literal.kind == ARG_bool;
    case EX_name:
        return symbol_value(a, a->scope->fn->sym_names[e->sym], out);
    case EX_unary:
        return e->bin.op == OP1('-') && eval_size(a, e->bin.a, out) &&
               !__builtin_sub_overflow(0, *out, out);
    case EX_binary:
        return size_binary(a, e, out);
    case EX_call:
        return size_call(a, e, out);
    default:
        return false;
    }
}

/* --------------------------------------------------------------------------------------- types */

static Span ann_at(const Acquire *a, const Ann *ann)
{
    return front_at(a->scope->fn->file, ann->off, ann->len);
}

/* False when a size depends on a symbol that is not known here (u0). */
static bool eval_dims(Acquire *a, const Dim *dims, uint32_t n, int64_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = dims[i].size;
        if (dims[i].expr && !eval_size(a, dims[i].expr, &out[i]))
            return false;
    }
    return true;
}

static bool tensor_type(Acquire *a, const Ann *ann, Type *out)
{
    enum { MAX_BYTES_LOG2 = 60 };
    int64_t shape[MAX_RANK], total = 1;
    if (ann->rank > MAX_RANK) {
        acquire_error(a, ann_at(a, ann), "bad-shape", "a tensor has at most %d dimensions, not %u",
                      MAX_RANK, ann->rank);
        return false;
    }
    if (!eval_dims(a, ann->dims, ann->rank, shape))
        return false;
    for (uint32_t i = 0; i < ann->rank; i++) {
        if (shape[i] < 0) {
            acquire_error(a, ann_at(a, ann), "bad-shape", "size %lld is negative",
                          (long long)shape[i]);
            return false;
        }
        int64_t size = shape[i] ? shape[i] : 1;
        if (__builtin_mul_overflow(total, size, &total) || total >> MAX_BYTES_LOG2) {
            acquire_error(a, ann_at(a, ann), "bad-shape", "this shape has too many elements");
            return false;
        }
    }
    *out = type_tensor(a->b.t, (DType)ann->dtype, ann->device, ann->rank, shape);
    if (ann->future)
        out->kind = VALUE_future;
    return true;
}

static bool number_type(Acquire *a, const Ann *ann, Type *out, Arg *known)
{
    *out = type_number((DType)ann->dtype);
    if (!ann->value)
        return true;
    bool failed = a->b.failed;
    a->b.failed = false;
    Arg v = eval(a, ann->value);
    a->b.failed = failed;
    if (ann->dtype == DT_f64 && v.kind == ARG_int)
        v = A_FLOAT((double)v.i);
    if (arg_is_number(v))
        *known = v;
    return true;
}

bool type_of_annotation(Acquire *a, const Ann *ann, Type *out, Arg *known)
{
    int64_t size;
    *known = A_NONE;
    *out = (Type){.kind = VALUE_any, .dtype = DT_none};
    if (!ann)
        return false;
    switch ((AnnKind)ann->kind) {
    case ANN_tensor:
        return tensor_type(a, ann, out);
    case ANN_number:
        return number_type(a, ann, out, known);
    case ANN_symbol:
        *out = type_number(DT_i64);
        if (ann->value && eval_size(a, ann->value, &size))
            *known = A_INT(size);
        else if (ann->value && ann->value->kind == EX_literal)
            *out = arg_type(&a->b, ann->value->literal);
        return true;
    case ANN_str:
        out->kind = VALUE_str;
        return true;
    case ANN_collection:
        out->kind = VALUE_collection;
        return true;
    case ANN_any:
        return true;
    case ANN_none:
        return false;
    }
    return false;
}

void set_strides(Acquire *a, ValueId v, const Ann *ann)
{
    int64_t strides[MAX_RANK];
    if (!ann || !ann->has_strides || ann->rank > MAX_RANK ||
        !eval_dims(a, ann->strides, ann->rank, strides))
        return;
    value_at(a->b.t, v)->strides = arena_copy(&a->b.t->arena, strides, ann->rank * sizeof *strides);
}

/* --------------------------------------------------------------------------------------- checks */

static void mismatch(Acquire *a, const Ann *ann, const Type *want, Arg known, Arg result,
                     const Expr *target)
{
    StrBuf w = {0}, h = {0};
    const Value *v = acquire_value(a, result);
    Type have = arg_type(&a->b, result);
    type_print(want, &known, &w);
    if (v || arg_is_number(result))
        type_print(&have, v ? &v->known : &result, &h);
    else
        arg_print(a->b.t, result, &h);
    DiagItem *item = acquire_item(a, ann_at(a, ann), "type-mismatch",
                                  "%.*s is annotated %s, but its value is %s",
                                  STR(acquire_text(a, target)), sb_cstr(&w), sb_cstr(&h));
    if (item && a->stmt && a->stmt->value)
        diag_note(a->b.diag, item, "the value comes from %.*s",
                  STR(acquire_text(a, a->stmt->value)));
    sb_free(&w);
    sb_free(&h);
}

static bool tensor_agrees(const Ann *ann, const Type *want, const Type *have)
{
    if (have->kind == VALUE_future)
        return true;
    return have->kind == VALUE_tensor && have->dtype == want->dtype &&
           type_same_shape(have, want) &&
           (!ann->has_device || device_eq(have->device, want->device));
}

void check_annotation(Acquire *a, const Ann *ann, Arg result, const Expr *target)
{
    Type want;
    Arg known;
    if (!ann || (ann->kind != ANN_tensor && ann->kind != ANN_symbol) ||
        !type_of_annotation(a, ann, &want, &known))
        return;
    const Value *v = acquire_value(a, result);
    if (ann->kind == ANN_symbol) {
        if (result.kind == ARG_int && known.kind == ARG_int && result.i != known.i)
            mismatch(a, ann, &want, known, result, target);
        return;
    }
    if (v && v->type.kind == VALUE_any)
        return;
    if (!v || !tensor_agrees(ann, &want, &v->type))
        mismatch(a, ann, &want, known, result, target);
}

void refine_type(Acquire *a, ValueId v, const Ann *ann)
{
    Type type;
    Arg known;
    Value *val = value_at(a->b.t, v);
    if (val->type.kind != VALUE_any || !type_of_annotation(a, ann, &type, &known))
        return;
    val->type = type;
    val->known = known;
}
