/*
 * clang_elementwise.c - builders, part three: one result element from one element of each operand.
 *
 * Input: tensors and numbers of any dtypes and shapes. Output: operands converted and stretched,
 * the prim, the result rounded to its dtype. Numbers alone are computed at once (clang_fold.c).
 */
#include "lang.h"

#include "fold.h"

#include <math.h>

Arg cl_unary(Build *b, enum PrimId prim, Arg x, PromotionKind kind)
{
    Arg lit, folded;
    DType compute, result;
    if (b->failed)
        return A_NONE;
    if (cl_literal(b, x, &lit) && fold_unary(prim, lit, &folded))
        return folded;
    cl_promote(b, &x, 1, kind, &compute, &result);
    const Arg args[1] = {cl_to(b, x, compute)};
    Arg r = prim_call(b, prim, args, 1);
    return cl_is_number(b, r) ? r : cl_to(b, r, result);
}

/* Converts and stretches n operands in place. */
static void prepare(Build *b, Arg *xs, uint32_t n, DType compute)
{
    Dims shape = cl_broadcast_shapes(b, xs, n);
    for (uint32_t i = 0; i < n; i++)
        xs[i] = cl_broadcast_to(b, cl_to(b, xs[i], compute), &shape);
}

static bool on_cpu(Build *b, Arg x)
{
    return !arg_is_tensor(b, x) || cl_device(b, x).type == DEV_cpu;
}

uint32_t cl_narrowed(Build *b, enum PrimId prim, const Arg xs[2])
{
    bool some = on_cpu(b, xs[0]) || on_cpu(b, xs[1]), all = on_cpu(b, xs[0]) && on_cpu(b, xs[1]);
    if (prim == PRIM_mul || prim == PRIM_div)
        return some ? 0 : NARROW_scalars;
    bool sum = prim == PRIM_add || prim == PRIM_sub;
    return sum && !all ? NARROW_scalars : NARROW_scalars | NARROW_numbers;
}

Arg cl_binary(Build *b, enum PrimId prim, Arg x, Arg y, PromotionKind kind)
{
    Arg lx, ly, folded, xs[2] = {x, y};
    DType compute, result;
    if (b->failed)
        return A_NONE;
    if (cl_literal(b, x, &lx) && cl_literal(b, y, &ly) && fold_binary(prim, lx, ly, &folded))
        return folded;
    cl_promote(b, xs, 2, kind, &compute, &result);
    cl_narrow(b, xs, 2, kind, cl_narrowed(b, prim, xs));
    prepare(b, xs, 2, compute);
    Arg r = prim_call(b, prim, xs, 2);
    return cl_is_number(b, r) ? r : cl_to(b, r, result);
}

static bool is_exact(const Build *b, Arg x)
{
    return dtype_is_exact(cl_dtype(b, x));
}

Arg cl_abs(Build *b, Arg x)
{
    DType d = cl_dtype(b, x);
    if (d == DT_b8 || (dtype_is_int(d) && !dtype_info[d].is_signed))
        return x;
    return cl_unary(b, PRIM_abs, x, PROMOTE_COMPLEX_TO_FLOAT);
}

Arg cl_true_divide(Build *b, Arg x, Arg y)
{
    Arg lx, ly;
    if (cl_literal(b, x, &lx) && cl_literal(b, y, &ly)) {
        if (!cl_truth(b, ly))
            build_error(b, 1, "division by zero");
        if (lx.kind != ARG_complex && ly.kind != ARG_complex)
            return A_FLOAT(cl_float(b, lx) / cl_float(b, ly));
    }
    return cl_binary(b, PRIM_div, x, y, PROMOTE_INT_TO_FLOAT);
}

Arg cl_trunc_divide(Build *b, Arg x, Arg y)
{
    DType compute, result;
    const Arg xs[2] = {x, y};
    cl_promote(b, xs, 2, PROMOTE_DEFAULT, &compute, &result);
    if (cl_is_number(b, y)) /* else PyTorch truncates the rounded quotient */
        x = cl_to(b, x, compute);
    Arg q = cl_binary(b, PRIM_div, x, y, PROMOTE_DEFAULT); /* of ints: truncated already */
    return dtype_is_exact(cl_dtype(b, q)) ? q : cl_to(b, cl_trunc(b, q), result);
}

/* a // c of floats as Python defines it: from the exact remainder, so that 1 // 0.1 is 9. */
static Arg floor_divide_floats(Build *b, Arg a, Arg c)
{
    Arg zero = A_FLOAT(0), quotient = cl_true_divide(b, a, c), mod = cl_fmod(b, a, c);
    Arg q = cl_true_divide(b, cl_sub(b, a, mod), c);
    Arg signs_differ = cl_ne(b, cl_lt(b, c, zero), cl_lt(b, mod, zero));
    Arg lower = cl_logical_and(b, cl_ne(b, mod, zero), signs_differ);
    q = cl_where(b, lower, cl_sub(b, q, A_FLOAT(1)), q);
    Arg floor = cl_floor(b, q);
    floor = cl_where(b, cl_gt(b, cl_sub(b, q, floor), A_FLOAT(0.5)), cl_add(b, floor, A_FLOAT(1)),
                     floor);
    floor = cl_where(b, cl_ne(b, q, zero), floor, cl_copysign(b, zero, quotient));
    return cl_where(b, cl_eq(b, c, zero), quotient, floor);
}

Arg cl_floor_divide(Build *b, Arg x, Arg y)
{
    Arg lx, ly, folded, xs[2] = {x, y};
    DType compute, result;
    if (b->failed)
        return A_NONE;
    if (cl_literal(b, x, &lx) && cl_literal(b, y, &ly)) {
        if (fold_floor_divide(lx, ly, &folded))
            return folded;
        build_error(b, 1, "integer division or modulo by zero");
        return A_NONE;
    }
    cl_promote(b, xs, 2, PROMOTE_DEFAULT, &compute, &result);
    if (cl_is_number(b, xs[0])) /* a divisor stays as it is */
        xs[0] = number_round(xs[0], result);
    if (result == DT_b8) /* PyTorch divides bools as numbers 0 and 1 */
        compute = DT_u8;
    prepare(b, xs, 2, compute);
    if (dtype_is_inexact(compute))
        return cl_to(b, floor_divide_floats(b, xs[0], xs[1]), result);
    Arg q = cl_binary(b, PRIM_div, xs[0], xs[1], PROMOTE_DEFAULT);
    Arg uneven = cl_ne(b, cl_remainder(b, xs[0], xs[1]), cl_fmod(b, xs[0], xs[1]));
    return cl_to(b, cl_sub(b, q, cl_to(b, uneven, compute)), result);
}

Arg cl_pow(Build *b, Arg x, Arg y)
{
    Arg lit;
    const Arg xs[2] = {x, y};
    DType compute, result;
    cl_promote(b, xs, 2, PROMOTE_BOOL_TO_LONG, &compute, &result);
    if (dtype_is_exact(result) && arg_is_tensor(b, x) && cl_literal(b, y, &lit) &&
        cl_float(b, lit) < 0)
        build_error(b, 1, "Integers to negative integer powers are not allowed.");
    if (dtype_is_float(result) && arg_is_tensor(b, x) && cl_literal(b, y, &lit) &&
        fabs(cl_float(b, lit)) == 0.5) /* a root, which -inf has none of */
        return cl_float(b, lit) > 0 ? cl_sqrt(b, x) : cl_rsqrt(b, x);
    return cl_binary(b, PRIM_pow, x, y, PROMOTE_DEFAULT);
}

/* Rounding to whole numbers: exact dtypes are whole already; a literal becomes an int. */
static Arg to_whole(Build *b, enum PrimId prim, Arg x)
{
    return arg_is_tensor(b, x) && is_exact(b, x) ? x : cl_unary(b, prim, x, PROMOTE_PRESERVE);
}

Arg cl_ceil(Build *b, Arg x)
{
    return to_whole(b, PRIM_ceil, x);
}

Arg cl_floor(Build *b, Arg x)
{
    return to_whole(b, PRIM_floor, x);
}

Arg cl_round(Build *b, Arg x)
{
    return to_whole(b, PRIM_round, x);
}

Arg cl_trunc(Build *b, Arg x)
{
    return to_whole(b, PRIM_trunc, x);
}

static Arg all_of(Build *b, Arg x, bool value)
{
    Dims shape = cl_shape(b, x);
    if (!arg_is_tensor(b, x))
        return A_BOOL(value);
    return cl_full(b, &shape, A_BOOL(value), cl_device(b, x), DT_b8);
}

Arg cl_isfinite(Build *b, Arg x)
{
    return is_exact(b, x) ? all_of(b, x, true) : cl_unary(b, PRIM_isfinite, x, PROMOTE_ALWAYS_BOOL);
}

Arg cl_isnan(Build *b, Arg x)
{
    return is_exact(b, x) ? all_of(b, x, false) : cl_ne(b, x, x);
}

Arg cl_isinf(Build *b, Arg x)
{
    if (is_exact(b, x))
        return all_of(b, x, false);
    if (!dtype_is_complex(cl_dtype(b, x)))
        return cl_eq(b, cl_abs(b, x), A_FLOAT(INFINITY));
    return cl_logical_or(b, cl_isinf(b, emit(b, real, x)), cl_isinf(b, emit(b, imag, x)));
}

Arg cl_signbit(Build *b, Arg x)
{
    DType d = cl_dtype(b, x);
    if (dtype_is_exact(d))
        return d == DT_b8 || !dtype_info[d].is_signed ? all_of(b, x, false) : cl_lt(b, x, A_INT(0));
    return cl_unary(b, PRIM_signbit, x, PROMOTE_ALWAYS_BOOL);
}

Arg cl_copysign(Build *b, Arg x, Arg y)
{
    Arg xs[2] = {x, y}, lit;
    DType compute, result;
    cl_promote(b, xs, 2, PROMOTE_INT_TO_FLOAT, &compute, &result);
    Arg sign = cl_literal(b, y, &lit) ? A_BOOL(signbit(cl_float(b, lit))) : cl_signbit(b, y);
    Arg size = cl_abs(b, cl_to(b, x, compute));
    if (sign.kind == ARG_bool)
        return cl_to(b, sign.i ? cl_neg(b, size) : size, result);
    return cl_to(b, cl_where(b, sign, cl_neg(b, size), size), result);
}

Arg cl_to_bool(Build *b, Arg x)
{
    Arg lit;
    if (cl_literal(b, x, &lit))
        return A_BOOL(cl_truth(b, lit));
    return cl_dtype(b, x) == DT_b8 ? x : cl_ne(b, x, A_INT(0));
}

Arg cl_logical_and(Build *b, Arg x, Arg y)
{
    return cl_bitwise_and(b, cl_to_bool(b, x), cl_to_bool(b, y));
}

Arg cl_logical_or(Build *b, Arg x, Arg y)
{
    return cl_bitwise_or(b, cl_to_bool(b, x), cl_to_bool(b, y));
}

Arg cl_logical_xor(Build *b, Arg x, Arg y)
{
    return cl_ne(b, cl_to_bool(b, x), cl_to_bool(b, y));
}

Arg cl_where(Build *b, Arg cond, Arg x, Arg y)
{
    Arg xs[3] = {cond, x, y}, lit;
    DType compute, result;
    if (b->failed)
        return A_NONE;
    cl_promote(b, xs + 1, 2, PROMOTE_PRESERVE, &compute, &result);
    if (cl_literal(b, cond, &lit) && cl_is_number(b, x) && cl_is_number(b, y))
        return cl_truth(b, lit) ? x : y;
    if (cl_is_number(b, cond))
        xs[0] = cl_tensor_of(b, cond, cl_device(b, arg_is_tensor(b, x) ? x : y), DT_b8);
    if (cl_is_number(b, x) && cl_is_number(b, y)) { /* Python's floats are of the default dtype */
        compute = compute == DT_f64 ? DT_f32 : compute == DT_c128 ? DT_c64 : compute;
        xs[2] = cl_tensor_of(b, y, cl_device(b, xs[0]), compute);
    }
    Dims shape = cl_broadcast_shapes(b, xs, 3);
    xs[0] = cl_broadcast_to(b, cl_to_bool(b, xs[0]), &shape);
    for (int i = 1; i < 3; i++)
        xs[i] = cl_broadcast_to(b, cl_to(b, xs[i], compute), &shape);
    return emit(b, where, xs[0], xs[1], xs[2]);
}

/* A bound in dtype d. An int beyond the range of d bounds nothing, or leaves nothing. */
static Arg bound_in(Build *b, Arg bound, DType d, bool is_high)
{
    Arg x;
    if (!dtype_is_int(d) || dtype_info[d].bytes == 8 || !cl_literal(b, bound, &x) ||
        (x.kind != ARG_int && x.kind != ARG_bool) || cl_int(b, cl_number_to(b, x, d), -1) == x.i)
        return cl_to(b, bound, d);
    if ((x.i > 0) == is_high)
        return A_NONE;
    build_error(b, -1, "Clamp %s value %lld is outside the representable range of %s",
                is_high ? "max" : "min", (long long)x.i, dtype_text(d));
    return A_NONE;
}

Arg cl_clamp(Build *b, Arg x, Arg low, Arg high)
{
    Arg xs[3] = {x, low, high};
    DType compute, result;
    cl_promote(b, xs, 3, PROMOTE_PRESERVE, &compute, &result);
    x = cl_to(b, x, result);
    if (low.kind != ARG_none && !arg_is_none(low = bound_in(b, low, result, false)))
        x = cl_maximum(b, x, low);
    if (high.kind != ARG_none && !arg_is_none(high = bound_in(b, high, result, true)))
        x = cl_minimum(b, x, high);
    return x;
}

Arg cl_sigmoid(Build *b, Arg x)
{
    DType compute, result;
    cl_promote(b, &x, 1, PROMOTE_INT_TO_FLOAT, &compute, &result);
    Arg e = cl_exp(b, cl_neg(b, cl_to(b, x, compute)));
    return cl_to(b, cl_reciprocal(b, cl_add(b, A_FLOAT(1), e)), result);
}

Arg cl_square(Build *b, Arg x)
{
    return cl_mul(b, x, x);
}

void cl_assert(Build *b, Arg x, const char *text)
{
    Dims all = cl_all_dims(cl_rank(b, x));
    Arg holds = b->failed ? A_NONE : cl_reduce(b, PRIM_all, x, &all, false);
    if (!b->failed)
        emit(b, assert_scalar, holds, arg_string(b->t, str_from(text)));
}
