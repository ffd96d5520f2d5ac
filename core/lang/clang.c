/*
 * clang.c - builders, part one: asking about arguments, dtypes and their promotion.
 *
 * Input: arguments of an operator as bound. Output: dims, dtypes, operands in the dtype they are
 * computed in. Promotion is PyTorch's: tensors with dimensions decide, then 0-d tensors, then
 * Python numbers, and the lower ones count only where they are of a higher category.
 */
#include "lang.h"

#include <math.h>
#include <string.h>

/* --------------------------------------------------------------------- asking about arguments */

const char *dtype_text(DType d)
{
    return d < DT_COUNT ? dtype_info[d].full_name : "no dtype";
}

DType cl_dtype(const Build *b, Arg x)
{
    return (DType)arg_type(b, x).dtype;
}

uint32_t cl_rank(const Build *b, Arg x)
{
    return arg_type(b, x).rank;
}

int64_t cl_size(const Build *b, Arg x, int64_t dim)
{
    Type t = arg_type(b, x);
    return dim >= 0 && dim < (int64_t)t.rank ? t.shape[dim] : 1;
}

int64_t cl_numel(const Build *b, Arg x)
{
    Type t = arg_type(b, x);
    return type_numel(&t);
}

Device cl_device(const Build *b, Arg x)
{
    return arg_type(b, x).device;
}

Dims cl_shape(const Build *b, Arg x)
{
    Type t = arg_type(b, x);
    Dims d;
    d.n = t.rank < MAX_RANK ? t.rank : MAX_RANK;
    if (d.n)
        memcpy(d.v, t.shape, d.n * sizeof *d.v);
    return d;
}

bool cl_is_number(const Build *b, Arg x)
{
    return arg_is_number(x) || (x.kind == ARG_value && arg_type(b, x).kind == VALUE_number);
}

bool cl_literal(const Build *b, Arg x, Arg *out)
{
    if (x.kind == ARG_value && arg_type(b, x).kind == VALUE_number)
        x = b->t->values[x.v].known;
    *out = x;
    return arg_is_number(x);
}

bool cl_truth(const Build *b, Arg x)
{
    if (!cl_literal(b, x, &x))
        return false;
    if (x.kind == ARG_complex)
        return x.items[0].f != 0 || x.items[1].f != 0;
    return x.kind == ARG_float ? x.f != 0 : x.i != 0;
}

double cl_float(const Build *b, Arg x)
{
    if (!cl_literal(b, x, &x))
        return 0;
    if (x.kind == ARG_complex)
        return x.items[0].f;
    return x.kind == ARG_float ? x.f : (double)x.i;
}

int64_t cl_int(Build *b, Arg x, int arg)
{
    Arg lit;
    if (cl_literal(b, x, &lit) && (lit.kind == ARG_int || lit.kind == ARG_bool))
        return lit.i;
    if (b->op && arg >= 0 && (uint32_t)arg < b->op->sig.n)
        build_error(b, arg, "%s argument '%.*s' must be an int whose value is known here",
                    b->op->name, STR(b->op->sig.params[arg].name));
    else
        build_error(b, arg, "expected an int whose value is known here");
    return 0;
}

int64_t cl_int_within(Build *b, Arg x, int64_t low, int64_t high, int arg)
{
    int64_t v = cl_int(b, x, arg);
    if (v >= low && v <= high)
        return v;
    build_error(b, arg, "expected an int from %lld to %lld, not %lld", (long long)low,
                (long long)high, (long long)v);
    return low;
}

int64_t cl_int_or(Build *b, Arg x, int64_t dflt, int arg)
{
    return x.kind == ARG_none ? dflt : cl_int(b, x, arg);
}

Dims cl_ints(Build *b, Arg x, int arg)
{
    Dims d = {0};
    if (arg_is_seq(x) && x.n == 1 && arg_is_seq(x.items[0]))
        x = x.items[0];
    if (!arg_is_seq(x)) {
        d.v[d.n++] = cl_int(b, x, arg);
        return d;
    }
    if (x.n > MAX_RANK) {
        build_error(b, arg, "more than %d dimensions", MAX_RANK);
        return d;
    }
    for (uint32_t i = 0; i < x.n; i++)
        d.v[d.n++] = cl_int(b, x.items[i], arg);
    return d;
}

Dims cl_ints_n(Build *b, Arg x, uint32_t n, int64_t dflt, int arg)
{
    Dims d = {.n = n};
    Dims given = {0};
    if (x.kind != ARG_none)
        given = cl_ints(b, x, arg);
    if (given.n > 1 && given.n != n)
        build_error(b, arg, "expected one int or %u of them, not %u", n, given.n);
    for (uint32_t i = 0; i < n && i < MAX_RANK; i++) {
        d.v[i] = given.n == 0 ? dflt : given.n == 1 ? given.v[0] : given.v[i];
        if (d.v[i] > MANY || d.v[i] < -MANY) {
            build_error(b, arg, "%lld is too large", (long long)d.v[i]);
            d.v[i] = dflt;
        }
    }
    return d;
}

int64_t cl_dim(Build *b, int64_t dim, uint32_t rank, int arg)
{
    int64_t n = rank ? (int64_t)rank : 1;
    if (dim >= -n && dim < n)
        return dim < 0 ? dim + n : dim;
    build_error(b, arg,
                "Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)",
                (long long)-n, (long long)n - 1, (long long)dim);
    return 0;
}

Dims cl_all_dims(uint32_t n)
{
    Dims d = {.n = n};
    for (uint32_t i = 0; i < n && i < MAX_RANK; i++)
        d.v[i] = i;
    return d;
}

bool cl_dims_have(const Dims *d, int64_t dim)
{
    for (uint32_t i = 0; i < d->n; i++)
        if (d->v[i] == dim)
            return true;
    return false;
}

Dims cl_dims(Build *b, Arg dims, uint32_t rank, bool empty_is_all, int arg)
{
    if (dims.kind == ARG_none || (empty_is_all && arg_is_seq(dims) && dims.n == 0))
        return cl_all_dims(rank);
    Dims given = cl_ints(b, dims, arg), out = {0};
    bool seen[MAX_RANK + 1] = {0};
    for (uint32_t i = 0; i < given.n; i++) {
        int64_t d = cl_dim(b, given.v[i], rank, arg);
        if (seen[d])
            build_error(b, arg, "dim %lld appears multiple times in the list of dims",
                        (long long)d);
        seen[d] = true;
    }
    for (uint32_t i = 0; i < rank; i++)
        if (seen[i])
            out.v[out.n++] = i;
    return out;
}

Arg cl_tuple(Build *b, const Dims *d)
{
    return arg_ints(b->t, d->v, d->n);
}

DType cl_dtype_or(Arg x, DType dflt)
{
    return x.kind == ARG_dtype ? (DType)x.dtype : dflt;
}

Device cl_device_or(Build *b, Arg x, Device dflt, int arg)
{
    Device d = dflt;
    if (x.kind == ARG_device)
        return x.device;
    if (x.kind == ARG_str && !device_parse(arg_str(x), &d))
        build_error(b, arg, "unknown device '%.*s'", STR(arg_str(x)));
    return d;
}

/* --------------------------------------------------------------------------------- promotion */

static DType wider(DType a, DType c)
{
    return dtype_info[a].rank >= dtype_info[c].rank ? a : c;
}

static DType promote_ints(DType a, DType c)
{
    const DTypeInfo *x = &dtype_info[a], *y = &dtype_info[c];
    if (x->is_signed == y->is_signed)
        return a == DT_u8 || c == DT_u8 || x->is_signed ? wider(a, c) : DT_none;
    DType s = x->is_signed ? a : c, u = x->is_signed ? c : a;
    if (u != DT_u8)
        return DT_none; /* PyTorch promotes no other unsigned type */
    return s == DT_i8 ? DT_i16 : s;
}

static bool is_f8(DType d)
{
    return dtype_is_float(d) && dtype_info[d].bytes == 1;
}

DType cl_complex_dtype(DType d)
{
    if (dtype_is_complex(d))
        return d;
    return d == DT_f64 ? DT_c128 : d == DT_f16 ? DT_c32 : DT_c64;
}

static DType promote_floats(DType a, DType c)
{
    if (is_f8(a) || is_f8(c))
        return DT_none;
    return dtype_info[a].bytes == 2 && dtype_info[c].bytes == 2 ? DT_f32 : wider(a, c);
}

DType promote_types(DType a, DType c)
{
    if (a == DT_none || c == DT_none || a == c)
        return a == DT_none ? c : a;
    if (dtype_info[a].category < dtype_info[c].category)
        return promote_types(c, a);
    switch (dtype_info[a].category) {
    case CAT_INT:
        return c == DT_b8 ? a : promote_ints(a, c);
    case CAT_FLOAT:
        return dtype_is_exact(c) ? a : promote_floats(a, c);
    case CAT_COMPLEX:
        if (dtype_is_exact(c))
            return a;
        if (dtype_real(a) == dtype_real(c))
            return a;
        return cl_complex_dtype(promote_floats(dtype_real(a), dtype_real(c)));
    default:
        return DT_none;
    }
}

/* What the lower class of operands adds to the dtype of the higher one. */
static DType combine(DType higher, DType lower)
{
    if (higher == DT_none || lower == DT_none)
        return higher == DT_none ? lower : higher;
    if (dtype_is_complex(higher))
        return higher;
    if (dtype_is_float(higher))
        return dtype_is_complex(lower) ? cl_complex_dtype(higher) : higher;
    return higher == DT_b8 || dtype_is_inexact(lower) ? promote_types(higher, lower) : higher;
}

static DType number_dtype(DType d)
{
    return d == DT_f64    ? DT_f32
           : d == DT_c128 ? DT_c64
                          : d; /* Python's float is the default dtype */
}

/* The common dtype of all operands; numbers alone keep Python's types. */
static DType common_dtype(Build *b, const Arg *args, uint32_t n)
{
    enum { WITH_DIMS, ZERO_DIM, NUMBERS, CLASSES };
    DType have[CLASSES] = {DT_none, DT_none, DT_none}, raw = DT_none;
    for (uint32_t i = 0; i < n; i++) {
        Type t = arg_type(b, args[i]);
        if (t.kind != VALUE_tensor && t.kind != VALUE_number)
            continue;
        bool number = t.kind == VALUE_number;
        int class = number ? NUMBERS : t.rank ? WITH_DIMS : ZERO_DIM;
        DType d = number ? number_dtype((DType)t.dtype) : (DType)t.dtype;
        DType before = have[class];
        have[class] = promote_types(before, d);
        if (have[class] == DT_none)
            build_error(b, (int)i, "%s and %s have no common dtype", dtype_text(before),
                        dtype_text(d));
        if (number)
            raw = promote_types(raw, (DType)t.dtype);
    }
    if (have[WITH_DIMS] == DT_none && have[ZERO_DIM] == DT_none)
        return raw;
    return combine(have[WITH_DIMS], combine(have[ZERO_DIM], have[NUMBERS]));
}

void cl_promote(Build *b, const Arg *args, uint32_t n, PromotionKind kind, DType *compute,
                DType *result)
{
    DType d = common_dtype(b, args, n);
    if (kind == PROMOTE_INT_TO_FLOAT && dtype_is_exact(d))
        d = DT_f32;
    if (kind == PROMOTE_BOOL_TO_LONG && d == DT_b8)
        d = DT_i64;
    *compute = kind == PROMOTE_PRESERVE || kind == PROMOTE_ALWAYS_BOOL ? d : dtype_opmath(d);
    *result = kind == PROMOTE_ALWAYS_BOOL        ? DT_b8
              : kind == PROMOTE_COMPLEX_TO_FLOAT ? dtype_real(d)
                                                 : d;
}

/* ------------------------------------------------------------------------------- conversions */

static int64_t whole(double v)
{
    if (v >= 9.2e18 || v <= -9.2e18 || v != v)
        return v > 0 ? INT64_MAX : INT64_MIN;
    return (int64_t)v;
}

/* Numbers out of range wrap around, as those of PyTorch do. */
static Arg int_to(int64_t i, DType d)
{
    uint32_t spare = 64 - 8 * (uint32_t)dtype_info[d].bytes;
    uint64_t shifted = (uint64_t)i << spare;
    return A_INT(dtype_info[d].is_signed ? (int64_t)shifted >> spare : (int64_t)(shifted >> spare));
}

Arg cl_number_to(Build *b, Arg x, DType d)
{
    Arg lit;
    if (d >= DT_COUNT)
        return x;
    if (!cl_literal(b, x, &lit)) {
        if (!cl_is_number(b, x))
            return x; /* the prim that it goes to says what is wrong */
        bool same = dtype_info[cl_dtype(b, x)].category == dtype_info[d].category;
        return same ? x : emit(b, convert_element_type, x, A_DTYPE(d));
    }
    switch (dtype_info[d].category) {
    case CAT_BOOL:
        return A_BOOL(cl_truth(b, lit));
    case CAT_INT:
        return int_to(lit.kind == ARG_int || lit.kind == ARG_bool ? lit.i
                                                                  : whole(cl_float(b, lit)), d);
    case CAT_FLOAT:
        return A_FLOAT(cl_float(b, lit));
    default:
        return lit.kind == ARG_complex ? lit : A_FLOAT(cl_float(b, lit));
    }
}

Arg cl_to(Build *b, Arg x, DType d)
{
    if (b->failed || d >= DT_COUNT)
        return x;
    if (cl_is_number(b, x))
        return cl_number_to(b, x, d);
    return cl_dtype(b, x) == d ? x : emit(b, convert_element_type, x, A_DTYPE(d));
}

void cl_narrow(Build *b, Arg *xs, uint32_t n, PromotionKind kind, uint32_t what)
{
    DType compute, result;
    Arg lit;
    cl_promote(b, xs, n, kind, &compute, &result);
    for (uint32_t i = 0; i < n && compute != result && dtype_is_float(result); i++) {
        if (cl_is_number(b, xs[i])) {
            if ((what & NARROW_numbers) && cl_literal(b, xs[i], &lit))
                xs[i] = number_round(lit, result);
            continue;
        }
        if (!arg_is_tensor(b, xs[i]) || dtype_info[cl_dtype(b, xs[i])].bytes == 1)
            continue; /* small integers are in every dtype */
        if (cl_rank(b, xs[i]) > 0 || (what & NARROW_scalars))
            xs[i] = cl_to(b, xs[i], result);
    }
}

Arg cl_opmath_of(Build *b, Arg x)
{
    return arg_is_tensor(b, x) ? cl_to(b, x, dtype_opmath(cl_dtype(b, x))) : x;
}

Arg cl_compared(Build *b, Arg x)
{
    return cl_device(b, x).type == DEV_cpu ? cl_opmath_of(b, x) : x;
}

DType cl_enter(Build *b, Arg *xs, uint32_t n, PromotionKind kind)
{
    DType compute, result;
    cl_promote(b, xs, n, kind, &compute, &result);
    cl_narrow(b, xs, n, kind, NARROW_scalars);
    for (uint32_t i = 0; i < n; i++)
        if (xs[i].kind != ARG_none)
            xs[i] = cl_to(b, xs[i], compute);
    return result;
}

Arg cl_call(Build *b, const char *name, const Arg *args, uint32_t n)
{
    if (b->failed)
        return A_NONE;
    const Op *op = registry_find(b->t->reg, str_from(name));
    Arg full[MAX_PARAMS];
    if (!op) {
        build_error(b, -1, "internal: no operator %s", name);
        return A_NONE;
    }
    for (uint32_t i = 0; i < op->sig.n; i++)
        full[i] = i < n ? args[i] : op->sig.params[i].dflt;
    return op_call(b, op, full);
}
