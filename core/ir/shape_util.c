/*
 * shape_util.c - reading arguments for the shape rules, and the sentences that refuse them.
 *
 * Input: an Infer and an argument number. Output: a checked C value, or false with an error that
 * names the parameter, what it must be and what it is. One idea: a rule never looks at an Arg
 * itself.
 */
#include "shape_util.h"

#include <assert.h>

const char *param_name(const Infer *inf, int arg)
{
    static const char unknown[] = "?";
    if (arg < 0 || (uint32_t)arg >= inf->op->sig.n)
        return unknown;
    return arena_str(inf->arena, inf->op->sig.params[arg].name).p;
}

Type operand_type(const Infer *inf, Arg a)
{
    static const Type none = {.kind = VALUE_dead, .dtype = DT_none};
    if (a.kind != ARG_value)
        return arg_is_number(a) ? literal_type(a) : none;
    return a.v && a.v < inf->t->nvalues ? inf->t->values[a.v].type : none;
}

Str describe_type(const Infer *inf, const Type *t)
{
    StrBuf b = {0};
    type_print(t, NULL, &b);
    Str s = arena_str(inf->arena, sb_str(&b));
    sb_free(&b);
    return s;
}

Str describe_shape(const Infer *inf, uint32_t rank, const int64_t *shape)
{
    StrBuf b = {0};
    sb_putc(&b, '[');
    for (uint32_t i = 0; i < rank; i++)
        sb_printf(&b, "%s%lld", i ? ", " : "", (long long)shape[i]);
    sb_putc(&b, ']');
    Str s = arena_str(inf->arena, sb_str(&b));
    sb_free(&b);
    return s;
}

Str describe_arg(const Infer *inf, Arg a)
{
    static const char *const kinds[] = {
        [ARG_none] = "None",     [ARG_value] = "a value",   [ARG_str] = "a string",
        [ARG_dtype] = "a dtype", [ARG_device] = "a device", [ARG_tuple] = "a tuple",
        [ARG_list] = "a list",   [ARG_dict] = "a dict",     [ARG_slice] = "a slice",
        [ARG_ellipsis] = "...",  [ARG_word] = "a name",     [ARG_complex] = "a complex number"};
    switch (a.kind) {
    case ARG_value: {
        if (a.v == 0 || a.v >= inf->t->nvalues)
            return S("a value that does not exist");
        const Value *v = &inf->t->values[a.v];
        StrBuf b = {0};
        type_print(&v->type, &v->known, &b);
        Str s = arena_printf(inf->arena, "%.*s: %s", STR(v->name), sb_cstr(&b));
        sb_free(&b);
        return s;
    }
    case ARG_int:
        return arena_printf(inf->arena, "the int %lld", (long long)a.i);
    case ARG_bool:
        return a.i ? S("True") : S("False");
    case ARG_float:
        return arena_printf(inf->arena, "the float %g", a.f);
    default:
        return a.kind < ARRAY_LEN(kinds) ? str_from(kinds[a.kind]) : S("something unknown");
    }
}

int64_t element_count(const Type *t)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->shape[i] <= 0)
            return 0;
    for (uint32_t i = 0; i < t->rank; i++)
        if (__builtin_mul_overflow(n, t->shape[i], &n))
            return INT64_MAX;
    return n;
}

bool is_tensor_type(const Type *t)
{
    return t->kind == VALUE_tensor && t->dtype < DT_COUNT && t->rank <= MAX_RANK;
}

bool is_number_type(const Type *t)
{
    return t->kind == VALUE_number && t->dtype < DT_COUNT;
}

/* The dtype that stands for a number's type: b8, i64, f64, c128. */
static DType number_dtype(DType d)
{
    static const DType of[] = {
        [CAT_BOOL] = DT_b8, [CAT_INT] = DT_i64, [CAT_FLOAT] = DT_f64, [CAT_COMPLEX] = DT_c128};
    return d < DT_COUNT ? of[dtype_info[d].category] : DT_none;
}

DType complex_dtype(DType d)
{
    return d == DT_f16 ? DT_c32 : d == DT_f32 ? DT_c64 : d == DT_f64 ? DT_c128 : DT_none;
}

/* ----------------------------------------------------------------------------------- reading */

static bool must_be(Infer *inf, int arg, const char *what)
{
    return infer_error(inf, arg, "argument '%s' must be %s, not %.*s", param_name(inf, arg), what,
                       STR(describe_arg(inf, inf->args[arg])));
}

bool want_tensor(Infer *inf, int arg, Type *out)
{
    *out = operand_type(inf, inf->args[arg]);
    return is_tensor_type(out) ? true : must_be(inf, arg, "a tensor");
}

bool want_number(Infer *inf, int arg, Type *out)
{
    *out = operand_type(inf, inf->args[arg]);
    return is_number_type(out) ? true : must_be(inf, arg, "a number");
}

bool want_operand(Infer *inf, int arg, Type *out)
{
    *out = operand_type(inf, inf->args[arg]);
    return is_tensor_type(out) || is_number_type(out) ? true
                                                      : must_be(inf, arg, "a tensor or a number");
}

/* An int literal, or a number value whose int is known. */
static bool known_int(const Infer *inf, Arg a, int64_t *out)
{
    if (a.kind == ARG_value && a.v && a.v < inf->t->nvalues)
        a = inf->t->values[a.v].known;
    if (a.kind != ARG_int && a.kind != ARG_bool)
        return false;
    *out = a.i;
    return true;
}

bool want_int(Infer *inf, int arg, int64_t *out)
{
    return known_int(inf, inf->args[arg], out) ? true : must_be(inf, arg, "an int");
}

bool want_int_at_least(Infer *inf, int arg, int64_t least, int64_t *out)
{
    if (!want_int(inf, arg, out))
        return false;
    return *out >= least ? true
                         : infer_error(inf, arg, "argument '%s' must be at least %lld, not %lld",
                                       param_name(inf, arg), (long long)least, (long long)*out);
}

bool want_bool(Infer *inf, int arg, bool *out)
{
    int64_t v;
    if (!known_int(inf, inf->args[arg], &v))
        return must_be(inf, arg, "True or False");
    *out = v != 0;
    return true;
}

bool want_ints(Infer *inf, int arg, Ints *out)
{
    Arg a = inf->args[arg];
    out->n = 0;
    if (known_int(inf, a, &out->v[0])) {
        out->n = 1;
        return true;
    }
    if (!arg_is_seq(a))
        return must_be(inf, arg, "a sequence of ints");
    if (a.n > MAX_RANK)
        return infer_error(inf, arg, "argument '%s' has %u elements, at most %d are possible",
                           param_name(inf, arg), a.n, MAX_RANK);
    for (uint32_t i = 0; i < a.n; i++)
        if (!known_int(inf, a.items[i], &out->v[i]))
            return infer_error(inf, arg, "element %u of argument '%s' must be an int, not %.*s", i,
                               param_name(inf, arg), STR(describe_arg(inf, a.items[i])));
    out->n = a.n;
    return true;
}

bool want_shape(Infer *inf, int arg, Ints *out)
{
    if (!want_ints(inf, arg, out))
        return false;
    for (uint32_t i = 0; i < out->n; i++)
        if (out->v[i] < 0)
            return infer_error(inf, arg, "argument '%s' has the negative size %lld in dimension %u",
                               param_name(inf, arg), (long long)out->v[i], i);
    return true;
}

bool want_dtype(Infer *inf, int arg, DType *out)
{
    Arg a = inf->args[arg];
    if (a.kind != ARG_dtype || a.dtype >= DT_COUNT)
        return must_be(inf, arg, "a dtype");
    *out = (DType)a.dtype;
    return true;
}

bool want_device(Infer *inf, int arg, Device *out)
{
    Arg a = inf->args[arg];
    *out = (Device){DEV_cpu, 0};
    if (a.kind == ARG_none)
        return true;
    if (a.kind == ARG_device && a.device.type < DEV_COUNT) {
        *out = a.device;
        return true;
    }
    if (a.kind == ARG_str && device_parse(arg_str(a), out))
        return true;
    return must_be(inf, arg, "a device");
}

static bool check_dim(Infer *inf, int arg, uint32_t rank, int64_t dim)
{
    if (dim >= 0 && dim < (rank ? rank : 1))
        return true;
    return infer_error(inf, arg, "argument '%s': a tensor of rank %u has no dimension %lld",
                       param_name(inf, arg), rank, (long long)dim);
}

bool want_dim(Infer *inf, int arg, uint32_t rank, uint32_t *out)
{
    int64_t dim = 0;
    if (!want_int(inf, arg, &dim) || !check_dim(inf, arg, rank, dim))
        return false;
    *out = (uint32_t)dim;
    return true;
}

bool want_dims(Infer *inf, int arg, uint32_t rank, Ints *out)
{
    bool seen[MAX_RANK] = {0};
    if (!want_ints(inf, arg, out))
        return false;
    for (uint32_t i = 0; i < out->n; i++) {
        if (!check_dim(inf, arg, rank, out->v[i]))
            return false;
        if (seen[out->v[i]])
            return infer_error(inf, arg, "argument '%s' names dimension %lld twice",
                               param_name(inf, arg), (long long)out->v[i]);
        seen[out->v[i]] = true;
    }
    if (rank == 0)
        out->n = 0;
    return true;
}

bool want_permutation(Infer *inf, int arg, uint32_t rank, Ints *out)
{
    if (!want_dims(inf, arg, rank, out))
        return false;
    return out->n == rank
               ? true
               : infer_error(inf, arg, "argument '%s' has %u dimensions, the tensor has %u",
                             param_name(inf, arg), out->n, rank);
}

bool want_same_dtype(Infer *inf, int arg, const Type *t, const Type *first)
{
    if (t->dtype == first->dtype)
        return true;
    return infer_error(inf, arg, "argument '%s' has dtype %s, but %s is expected",
                       param_name(inf, arg), dtype_info[t->dtype].name,
                       dtype_info[first->dtype].name);
}

bool want_same_device(Infer *inf, int arg, const Type *t, const Type *first)
{
    if (device_eq(t->device, first->device))
        return true;
    return infer_error(inf, arg, "argument '%s' (%.*s) is on another device than %.*s",
                       param_name(inf, arg), STR(describe_type(inf, t)),
                       STR(describe_type(inf, first)));
}

bool want_index_dtype(Infer *inf, int arg, const Type *t)
{
    if (dtype_is_int((DType)t->dtype))
        return true;
    return infer_error(inf, arg, "argument '%s' must be a tensor of integers, not %.*s",
                       param_name(inf, arg), STR(describe_type(inf, t)));
}

/* ----------------------------------------------------------------------------------- results */

bool give_tensor(Infer *inf, DType dtype, Device dev, uint32_t rank, const int64_t *shape)
{
    if (rank > MAX_RANK)
        return infer_error(inf, -1, "the result would have rank %u, at most %d is possible", rank,
                           MAX_RANK);
    int64_t n = INT64_MAX / 16; /* bytes must fit as well */
    for (uint32_t i = 0; i < rank; i++)
        if (shape[i] > 1)
            n /= shape[i];
    if (n == 0)
        return infer_error(inf, -1, "the result %.*s has too many elements",
                           STR(describe_shape(inf, rank, shape)));
    assert(inf->nout < MAX_OUTPUTS);
    inf->out[inf->nout++] = (Type){VALUE_tensor, (uint8_t)dtype, dev, rank,
                                   arena_copy(inf->arena, shape, rank * sizeof *shape)};
    return true;
}

bool give_like(Infer *inf, const Type *t, DType dtype)
{
    assert(inf->nout < MAX_OUTPUTS);
    Type out = *t;
    out.dtype = (uint8_t)dtype;
    inf->out[inf->nout++] = out;
    return true;
}

bool give_number(Infer *inf, DType dtype, Arg known)
{
    assert(inf->nout < MAX_OUTPUTS);
    inf->known[inf->nout] = known;
    inf->out[inf->nout++] = type_number(number_dtype(dtype));
    return true;
}

bool give_operand(Infer *inf, const Type *t, DType dtype)
{
    return t->kind == VALUE_number ? give_number(inf, dtype, A_NONE) : give_like(inf, t, dtype);
}

bool shape_stretches(uint32_t nfrom, const int64_t *from, uint32_t nto, const int64_t *to)
{
    if (nfrom > nto)
        return false;
    for (uint32_t i = 0; i < nfrom; i++)
        if (from[i] != 1 && from[i] != to[nto - nfrom + i])
            return false;
    return true;
}
