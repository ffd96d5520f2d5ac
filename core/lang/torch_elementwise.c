/*
 * torch_elementwise.c - decompositions of elementwise operators.
 *
 * Operators made of several steps convert once to the computation dtype, work there, and round once
 * at the end, as PyTorch's kernels do.
 */
#include "notation.h"

#include <math.h>

#define CLANG1(name, kind)                                                                         \
    DECOMPOSE(d_##name)                                                                            \
    {                                                                                              \
        return cl_##name(b, args[0]);                                                              \
    }
#define CLANG2(name, kind)                                                                         \
    DECOMPOSE(d_##name)                                                                            \
    {                                                                                              \
        return cl_##name(b, args[0], args[1]);                                                     \
    }
#define CLANG2_ONLY(name, kind)
#include "clang.def"
CLANG1(abs, )
CLANG1(ceil, )
CLANG1(floor, )
CLANG1(trunc, )
CLANG1(isfinite, )
CLANG1(isinf, )
CLANG1(isnan, )
CLANG1(signbit, )
CLANG1(sigmoid, )
CLANG2(copysign, )
CLANG2(floor_divide, )
CLANG2(logical_and, )
CLANG2(logical_or, )
CLANG2(logical_xor, )
CLANG2(pow, )
CLANG2(true_divide, )
#undef CLANG1
#undef CLANG2
#undef CLANG2_ONLY

/* ---------------------------------------------------------------------------------- one operand */

DECOMPOSE(d_angle)
{
    Arg x = args[0];
    DType d = cl_dtype(b, x);
    if (dtype_is_complex(d))
        return cl_atan2(b, emit(b, imag, x), emit(b, real, x));
    DType out = cl_enter(b, &x, 1, PROMOTE_INT_TO_FLOAT);
    Arg r = WHERE(LT(x, F(0)), F(3.14159265358979323846), cl_full_like(b, x, F(0)));
    return TO(WHERE(cl_isnan(b, x), x, r), out);
}

DECOMPOSE(d_deg2rad)
{
    return MUL(args[0], F(0.017453292519943295769236907684886));
}

DECOMPOSE(d_rad2deg)
{
    return MUL(args[0], F(57.295779513082320876798154814105));
}

DECOMPOSE(d_frac)
{
    Arg x = args[0];
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    return TO(SUB(x, cl_trunc(b, x)), out);
}

DECOMPOSE(d_isneginf)
{
    return EQ(args[0], F(-INFINITY));
}

DECOMPOSE(d_isposinf)
{
    return EQ(args[0], F(INFINITY));
}

/* Rounded at every step, as PyTorch's kernel does. */
DECOMPOSE(d_logit)
{
    Arg x = args[0], eps = args[1];
    if (dtype_is_exact(cl_dtype(b, x)))
        x = TO(x, DT_f32);
    if (GIVEN(eps)) { /* the lower end first, also where it is the larger one */
        Arg high = F(1 - cl_float(b, eps));
        x = WHERE(LT(x, eps), eps, WHERE(GT(x, high), high, x));
    }
    return LOG(DIV(x, SUB(F(1), x)));
}

DECOMPOSE(d_nan_to_num)
{
    Arg x = args[0];
    DType d = cl_dtype(b, x);
    if (dtype_is_exact(d))
        return x;
    Arg nan = GIVEN(args[1]) ? args[1] : F(0);
    Arg high = GIVEN(args[2]) ? args[2] : F(dtype_info[d].largest),
        low = GIVEN(args[3]) ? args[3] : F(-dtype_info[d].largest);
    Arg r = WHERE(cl_isnan(b, x), nan, x);
    r = WHERE(EQ(x, F(INFINITY)), high, r);
    return WHERE(EQ(x, F(-INFINITY)), low, r);
}

DECOMPOSE(d_positive)
{
    if (cl_dtype(b, args[0]) == DT_b8)
        build_error(b, 0, "The `+` operator, on a bool tensor is not supported.");
    return args[0];
}

DECOMPOSE(d_round)
{
    Arg x = args[0], decimals = args[1];
    int64_t n = cl_int(b, decimals, 1);
    if (n == 0 || dtype_is_exact(cl_dtype(b, x)))
        return cl_round(b, x);
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    Arg scale = F(pow(10, fabs((double)n)));
    Arg r = n > 0 ? DIV(cl_round(b, MUL(x, scale)), scale) : MUL(cl_round(b, DIV(x, scale)), scale);
    return TO(r, out);
}

DECOMPOSE(d_square)
{
    return POW(args[0], I(2));
}

DECOMPOSE(d_sgn)
{
    return cl_sign(b, args[0]);
}

DECOMPOSE(d_sinc)
{
    Arg x = args[0];
    DType out = cl_enter(b, &x, 1, PROMOTE_INT_TO_FLOAT);
    Arg turned = MUL(x, F(3.14159265358979323846));
    return TO(WHERE(EQ(x, F(0)), F(1), DIV(cl_sin(b, turned), turned)), out);
}

/* The bits of an f32 or f64 taken apart; subnormals are scaled up first. */
DECOMPOSE(d_frexp)
{
    DType d = cl_dtype(b, args[0]);
    if (!dtype_is_float(d)) {
        build_error(b, 0, "torch.frexp() only supports floating-point dtypes");
        return A_NONE;
    }
    Arg x = cl_opmath_of(b, args[0]);
    bool wide = cl_dtype(b, x) == DT_f64;
    DType whole = wide ? DT_i64 : DT_i32;
    int64_t shift = wide ? 52 : 23, mask = wide ? 2047 : 255, half = wide ? 1022 : 126;
    Arg tiny = LT(ABS(x), F(wide ? 2.2250738585072014e-308 : 1.1754943508222875e-38));
    Arg scaled = WHERE(tiny, MUL(x, F(wide ? 18014398509481984.0 : 33554432.0)), x);
    Arg bits = emit(b, bitcast, scaled, A_DTYPE(whole));
    Arg exponent = cl_bitwise_and(b, cl_bitwise_right_shift(b, bits, I(shift)), I(mask));
    Arg rest = cl_bitwise_and(b, bits, I(~(mask << shift)));
    Arg mantissa =
        emit(b, bitcast, cl_bitwise_or(b, rest, I(half << shift)), A_DTYPE(cl_dtype(b, x)));
    Arg power = SUB(SUB(exponent, I(half)), WHERE(tiny, I(wide ? 54 : 25), I(0)));
    Arg special = OR(EQ(x, F(0)), NOT(cl_isfinite(b, x)));
    return TUPLE(TO(WHERE(special, x, mantissa), d), TO(WHERE(special, I(0), power), DT_i32));
}

DECOMPOSE(d_isreal)
{
    Arg x = args[0];
    if (dtype_is_complex(cl_dtype(b, x)))
        return EQ(emit(b, imag, x), F(0));
    Dims shape = cl_shape(b, x);
    return cl_full(b, &shape, A_BOOL(true), cl_device(b, x), DT_b8);
}

DECOMPOSE(d_real)
{
    return dtype_is_complex(cl_dtype(b, args[0])) ? emit(b, real, args[0]) : args[0];
}

DECOMPOSE(d_imag)
{
    if (!dtype_is_complex(cl_dtype(b, args[0])))
        build_error(b, 0, "imag is not implemented for tensors with non-complex dtypes.");
    return emit(b, imag, args[0]);
}

DECOMPOSE(d_conj)
{
    if (!dtype_is_complex(cl_dtype(b, args[0])))
        return args[0];
    return emit(b, complex, emit(b, real, args[0]), NEG(emit(b, imag, args[0])));
}

/* --------------------------------------------------------------------------------- two operands */

static bool is_one(const Build *b, Arg x)
{
    return !GIVEN(x) || (cl_literal(b, x, &x) && x.kind != ARG_complex && cl_float(b, x) == 1);
}

/* x + alpha y, or x - alpha y, rounded once. */
static Arg add_scaled(Build *b, Arg x, Arg y, Arg alpha, enum PrimId prim)
{
    Arg xs[2] = {x, y};
    bool masks[2] = {arg_is_tensor(b, x) && cl_dtype(b, x) == DT_b8,
                     arg_is_tensor(b, y) && cl_dtype(b, y) == DT_b8};
    if (prim == PRIM_sub && masks[0] != masks[1])
        build_error(b, build_arg(b, masks[1] ? y : x),
                    "Subtraction, the `-` operator, with a bool tensor is not supported. If you "
                    "are trying to invert a mask, use the `~` or `logical_not()` operator "
                    "instead.");
    if (prim == PRIM_sub && masks[0] && masks[1])
        build_error(b, -1,
                    "Subtraction, the `-` operator, with two bool tensors is not supported. "
                    "Use the `^` or `logical_xor()` operator instead.");
    if (is_one(b, alpha))
        return cl_binary(b, prim, x, y, PROMOTE_DEFAULT);
    uint32_t narrowed = cl_narrowed(b, prim, xs);
    cl_narrow(b, xs, 2, PROMOTE_DEFAULT, narrowed);
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    if (narrowed & NARROW_numbers)
        alpha = number_round(alpha, out);
    if (dtype_is_exact(out) && cl_dtype(b, alpha) == DT_f64)
        build_error(b, 2,
                    "For integral input tensors, argument alpha must not be a floating "
                    "point number.");
    Arg scaled = MUL(xs[1], cl_number_to(b, alpha, out));
    return TO(cl_binary(b, prim, xs[0], scaled, PROMOTE_DEFAULT), out);
}

DECOMPOSE(d_add)
{
    return add_scaled(b, args[0], args[1], args[2], PRIM_add);
}

DECOMPOSE(d_sub)
{
    return add_scaled(b, args[0], args[1], args[2], PRIM_sub);
}

DECOMPOSE(d_rsub)
{
    return add_scaled(b, args[1], args[0], args[2], PRIM_sub);
}

DECOMPOSE(d_div)
{
    Arg mode = args[2];
    if (!GIVEN(mode))
        return DIV(args[0], args[1]);
    if (str_is(arg_str(mode), "trunc"))
        return cl_trunc_divide(b, args[0], args[1]);
    if (!str_is(arg_str(mode), "floor"))
        build_error(b, 2, "div expected rounding_mode to be one of None, 'trunc', or 'floor'");
    return cl_floor_divide(b, args[0], args[1]);
}

DECOMPOSE(d_float_power)
{
    Arg xs[2] = {args[0], args[1]};
    bool complex = dtype_is_complex(cl_dtype(b, xs[0])) || dtype_is_complex(cl_dtype(b, xs[1]));
    DType d = complex ? DT_c128 : DT_f64;
    return POW(TO(xs[0], d), TO(xs[1], d));
}

static Arg number_wins(Build *b, Arg x, Arg y, enum PrimId prim)
{
    Arg r = cl_binary(b, prim, x, y, PROMOTE_PRESERVE);
    if (dtype_is_exact(cl_dtype(b, r)))
        return r;
    DType d = cl_dtype(b, r);
    return WHERE(cl_isnan(b, y), TO(x, d), WHERE(cl_isnan(b, x), TO(y, d), r));
}

DECOMPOSE(d_fmax)
{
    return number_wins(b, args[0], args[1], PRIM_maximum);
}

DECOMPOSE(d_fmin)
{
    return number_wins(b, args[0], args[1], PRIM_minimum);
}

DECOMPOSE(d_heaviside)
{
    Arg x = args[0], at_zero = args[1];
    DType d = cl_dtype(b, x);
    if (d != cl_dtype(b, at_zero))
        build_error(b, 1, "heaviside is not yet implemented for tensors with different dtypes.");
    return WHERE(EQ(x, I(0)), at_zero, TO(GT(x, I(0)), d));
}

/* Scaled by the larger side, so that squares do not overflow. */
DECOMPOSE(d_hypot)
{
    Arg xs[2] = {args[0], args[1]};
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    Arg x = ABS(xs[0]), y = ABS(xs[1]), large = MAX(x, y), small = MIN(x, y);
    Arg ratio = WHERE(EQ(large, F(0)), F(0), DIV(small, large));
    Arg r = MUL(large, SQRT(ADD(F(1), MUL(ratio, ratio))));
    Arg infinite = OR(cl_isinf(b, x), cl_isinf(b, y));
    return TO(WHERE(infinite, F(INFINITY), r), out);
}

DECOMPOSE(d_isclose)
{
    Arg x = args[0], y = args[1], equal = EQ(x, y);
    DType d = cl_dtype(b, x);
    if (d != cl_dtype(b, y))
        build_error(b, 1, "%s did not match %s", dtype_text(d), dtype_text(cl_dtype(b, y)));
    for (int i = 2; i < 4; i++)
        if (cl_float(b, args[i]) < 0)
            build_error(b, i, "%s must be greater than or equal to zero, but got %g",
                        i == 2 ? "rtol" : "atol", cl_float(b, args[i]));
    if (dtype_is_exact(d)) {
        x = TO(x, DT_f32);
        y = TO(y, DT_f32);
    }
    if (cl_truth(b, args[4]))
        equal = OR(equal, AND(cl_isnan(b, x), cl_isnan(b, y)));
    Arg error = ABS(SUB(x, y)), allowed = ADD(args[3], ABS(MUL(args[2], y)));
    return OR(equal, AND(cl_isfinite(b, error), LE(error, allowed)));
}

DECOMPOSE(d_ldexp)
{
    return MUL(args[0], POW(F(2), args[1]));
}

static Arg log_add(Build *b, Arg x, Arg y, bool base2)
{
    Arg xs[2] = {x, y};
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    Arg high = MAX(xs[0], xs[1]), gap = NEG(ABS(SUB(xs[0], xs[1])));
    Arg more = base2 ? MUL(LOG1P(cl_exp2(b, gap)), F(1.4426950408889634)) : LOG1P(EXP(gap));
    Arg same = AND(cl_isinf(b, xs[0]), EQ(xs[0], xs[1]));
    return TO(WHERE(same, xs[0], ADD(high, more)), out);
}

DECOMPOSE(d_logaddexp)
{
    return log_add(b, args[0], args[1], false);
}

DECOMPOSE(d_logaddexp2)
{
    return log_add(b, args[0], args[1], true);
}

static Arg times_log(Build *b, Arg x, Arg y, bool plus_one)
{
    Arg xs[2] = {x, y};
    cl_narrow(b, xs, 2, PROMOTE_INT_TO_FLOAT, NARROW_scalars | NARROW_numbers);
    DType out = cl_enter(b, xs, 2, PROMOTE_INT_TO_FLOAT);
    Arg log = TO(plus_one ? LOG1P(xs[1]) : LOG(xs[1]), out); /* PyTorch rounds it, too */
    log = number_round(log, out);
    Arg product = MUL(xs[0], cl_opmath_of(b, log));
    Arg r = WHERE(EQ(xs[0], F(0)), F(0), product);
    return TO(WHERE(cl_isnan(b, xs[1]), F(NAN), r), out);
}

DECOMPOSE(d_xlogy)
{
    return times_log(b, args[0], args[1], false);
}

DECOMPOSE(d_xlog1py)
{
    return times_log(b, args[0], args[1], true);
}

/* ------------------------------------------------------------------------------- three operands */

DECOMPOSE(d_addcdiv)
{
    Arg xs[3] = {args[0], args[1], args[2]};
    DType out = cl_enter(b, xs, 3, PROMOTE_DEFAULT);
    if (dtype_is_exact(out))
        build_error(b, -1, "Integer division with addcdiv is no longer supported");
    Arg scaled = is_one(b, args[3]) ? xs[1] : MUL(args[3], xs[1]);
    return TO(ADD(xs[0], DIV(scaled, xs[2])), out);
}

DECOMPOSE(d_addcmul)
{
    Arg xs[3] = {args[0], args[1], args[2]};
    DType out = cl_enter(b, xs, 3, PROMOTE_DEFAULT);
    Arg scaled = is_one(b, args[3]) ? xs[1] : MUL(cl_number_to(b, args[3], out), xs[1]);
    return TO(ADD(xs[0], MUL(scaled, xs[2])), out);
}

DECOMPOSE(d_clamp)
{
    if (!GIVEN(args[1]) && !GIVEN(args[2]))
        build_error(b, -1, "torch.clamp: At least one of 'min' or 'max' must not be None");
    return cl_clamp(b, args[0], args[1], args[2]);
}

DECOMPOSE(d_clamp_max)
{
    return cl_clamp(b, args[0], A_NONE, args[1]);
}

DECOMPOSE(d_clamp_min)
{
    return cl_clamp(b, args[0], args[1], A_NONE);
}

/* Exact at both ends: from the end where weight is nearer to it. */
DECOMPOSE(d_lerp)
{
    Arg xs[3] = {args[0], args[1], args[2]};
    DType d = cl_dtype(b, xs[0]);
    if (d != cl_dtype(b, xs[1]))
        build_error(b, 1, "expected dtype %s for `end` but got dtype %s", dtype_text(d),
                    dtype_text(cl_dtype(b, xs[1])));
    DType out = cl_enter(b, xs, 3, PROMOTE_DEFAULT);
    Arg gap = SUB(xs[1], xs[0]), low = ADD(xs[0], MUL(xs[2], gap));
    Arg high = SUB(xs[1], MUL(gap, SUB(F(1), xs[2])));
    return TO(WHERE(LT(ABS(xs[2]), F(0.5)), low, high), out);
}

DECOMPOSE(d_masked_fill)
{
    Arg x = args[0], mask = args[1], value = args[2];
    DType d = cl_dtype(b, x);
    if (cl_dtype(b, mask) != DT_b8)
        build_error(b, 1, "masked_fill only supports boolean masks, but got mask with dtype %s",
                    dtype_text(cl_dtype(b, mask)));
    if (cl_rank(b, value) != 0)
        build_error(b, 2, "masked_fill only supports a 0-dimensional value tensor");
    return WHERE(mask, TO(value, d), x);
}

DECOMPOSE(d_where)
{
    if (!GIVEN(args[1]) && !GIVEN(args[2]))
        return CALL("nonzero", args[0], A_BOOL(true));
    if (!GIVEN(args[1]) || !GIVEN(args[2])) {
        build_error(b, -1, "where takes a condition, or a condition and two choices");
        return A_NONE;
    }
    DType d = cl_dtype(b, args[0]);
    if (d != DT_b8 && d != DT_u8)
        build_error(b, 0,
                    "where expected condition to be a boolean tensor, but got a tensor with "
                    "dtype %s",
                    dtype_text(d));
    return WHERE(args[0], args[1], args[2]);
}
