/*
 * clang_fold.c - arithmetic on Python numbers, done while a program is read.
 *
 * Input: a prim and one or two literal numbers. Output: the literal that Python would give, or
 * "cannot" where it would raise or where complex numbers come in.
 */
#include "fold.h"

#include "numbers.h"

#include <math.h>

static bool give(Arg *out, Arg value)
{
    *out = value;
    return true;
}

static bool fold_int1(enum PrimId prim, int64_t x, Arg *out)
{
    switch (prim) {
    case PRIM_neg:
        return x != INT64_MIN && give(out, A_INT(-x));
    case PRIM_abs:
        return x != INT64_MIN && give(out, A_INT(x < 0 ? -x : x));
    case PRIM_bitwise_not:
        return give(out, A_INT(~x));
    case PRIM_sign:
        return give(out, A_INT((x > 0) - (x < 0)));
    case PRIM_ceil:
    case PRIM_floor:
    case PRIM_round:
    case PRIM_trunc:
        return give(out, A_INT(x));
    default:
        return false;
    }
}

static bool whole(double v, Arg *out)
{
    return fabs(v) < 9e18 && give(out, A_INT((int64_t)v));
}

static bool fold_float1(enum PrimId prim, double x, Arg *out)
{
    switch (prim) {
    case PRIM_neg:
        return give(out, A_FLOAT(-x));
    case PRIM_abs:
        return give(out, A_FLOAT(fabs(x)));
    case PRIM_ceil:
        return whole(ceil(x), out);
    case PRIM_floor:
        return whole(floor(x), out);
    case PRIM_round:
        return whole(rint(x), out);
    case PRIM_trunc:
        return whole(trunc(x), out);
    case PRIM_sqrt:
        return x >= 0 && give(out, A_FLOAT(sqrt(x)));
    case PRIM_rsqrt:
        return x > 0 && give(out, A_FLOAT(1 / sqrt(x)));
    case PRIM_reciprocal:
        return x != 0 && give(out, A_FLOAT(1 / x));
    case PRIM_exp:
        return give(out, A_FLOAT(exp(x)));
    case PRIM_log:
        return x > 0 && give(out, A_FLOAT(log(x)));
    case PRIM_log2:
        return x > 0 && give(out, A_FLOAT(log2(x)));
    case PRIM_sin:
        return give(out, A_FLOAT(sin(x)));
    case PRIM_cos:
        return give(out, A_FLOAT(cos(x)));
    case PRIM_tanh:
        return give(out, A_FLOAT(tanh(x)));
    default:
        return false;
    }
}

bool fold_unary(enum PrimId prim, Arg x, Arg *out)
{
    if (x.kind == ARG_complex)
        return false;
    if (prim == PRIM_logical_not)
        return give(out, A_BOOL(arg_f64(x) == 0));
    if (prim == PRIM_isfinite)
        return give(out, A_BOOL(isfinite(arg_f64(x))));
    if (x.kind != ARG_float && fold_int1(prim, x.i, out))
        return true;
    return fold_float1(prim, arg_f64(x), out);
}

static bool int_pow(int64_t x, int64_t n, Arg *out)
{
    int64_t r = 1;
    if (n < 0)
        return x != 0 && give(out, A_FLOAT(pow((double)x, (double)n)));
    for (; n; n >>= 1) {
        if ((n & 1) && __builtin_mul_overflow(r, x, &r))
            return false;
        if (n > 1 && __builtin_mul_overflow(x, x, &x))
            return false;
    }
    return give(out, A_INT(r));
}

static bool fold_int2(enum PrimId prim, int64_t x, int64_t y, Arg *out)
{
    int64_t r;
    bool can_divide = y != 0 && !(x == INT64_MIN && y == -1);
    switch (prim) {
    case PRIM_add:
        return !__builtin_add_overflow(x, y, &r) && give(out, A_INT(r));
    case PRIM_sub:
        return !__builtin_sub_overflow(x, y, &r) && give(out, A_INT(r));
    case PRIM_mul:
        return !__builtin_mul_overflow(x, y, &r) && give(out, A_INT(r));
    case PRIM_div: /* of prims: truncates */
        return can_divide && give(out, A_INT(x / y));
    case PRIM_fmod:
        return can_divide && give(out, A_INT(x % y));
    case PRIM_remainder:
        return can_divide && give(out, A_INT(x - floor_div(x, y) * y));
    case PRIM_pow:
        return int_pow(x, y, out);
    case PRIM_maximum:
        return give(out, A_INT(x > y ? x : y));
    case PRIM_minimum:
        return give(out, A_INT(x < y ? x : y));
    case PRIM_bitwise_and:
        return give(out, A_INT(x & y));
    case PRIM_bitwise_or:
        return give(out, A_INT(x | y));
    case PRIM_bitwise_xor:
        return give(out, A_INT(x ^ y));
    case PRIM_bitwise_left_shift:
        return y >= 0 && y < 63 && !__builtin_mul_overflow(x, (int64_t)1 << y, &r) &&
               give(out, A_INT(r));
    case PRIM_bitwise_right_shift:
        return y >= 0 && give(out, A_INT(x >> (y > 63 ? 63 : y)));
    case PRIM_eq:
        return give(out, A_BOOL(x == y));
    case PRIM_ne:
        return give(out, A_BOOL(x != y));
    case PRIM_lt:
        return give(out, A_BOOL(x < y));
    case PRIM_le:
        return give(out, A_BOOL(x <= y));
    case PRIM_gt:
        return give(out, A_BOOL(x > y));
    case PRIM_ge:
        return give(out, A_BOOL(x >= y));
    default:
        return false;
    }
}

static bool fold_float2(enum PrimId prim, double x, double y, Arg *out)
{
    double r;
    switch (prim) {
    case PRIM_add:
        return give(out, A_FLOAT(x + y));
    case PRIM_sub:
        return give(out, A_FLOAT(x - y));
    case PRIM_mul:
        return give(out, A_FLOAT(x * y));
    case PRIM_div:
        return y != 0 && give(out, A_FLOAT(x / y));
    case PRIM_fmod:
        return y != 0 && give(out, A_FLOAT(fmod(x, y)));
    case PRIM_remainder:
        r = fmod(x, y);
        return y != 0 && give(out, A_FLOAT(r != 0 && (r < 0) != (y < 0) ? r + y : r));
    case PRIM_pow:
        r = pow(x, y);
        return !isnan(r) && give(out, A_FLOAT(r));
    case PRIM_maximum:
        return give(out, A_FLOAT(x > y || isnan(x) ? x : y));
    case PRIM_minimum:
        return give(out, A_FLOAT(x < y || isnan(x) ? x : y));
    case PRIM_atan2:
        return give(out, A_FLOAT(atan2(x, y)));
    case PRIM_eq:
        return give(out, A_BOOL(x == y));
    case PRIM_ne:
        return give(out, A_BOOL(x != y));
    case PRIM_lt:
        return give(out, A_BOOL(x < y));
    case PRIM_le:
        return give(out, A_BOOL(x <= y));
    case PRIM_gt:
        return give(out, A_BOOL(x > y));
    case PRIM_ge:
        return give(out, A_BOOL(x >= y));
    default:
        return false;
    }
}

/* Python keeps bools only where both operands of &, | and ^ are bools. */
static bool keeps_bool(enum PrimId prim)
{
    return prim == PRIM_bitwise_and || prim == PRIM_bitwise_or || prim == PRIM_bitwise_xor;
}

bool fold_binary(enum PrimId prim, Arg x, Arg y, Arg *out)
{
    if (x.kind == ARG_complex || y.kind == ARG_complex)
        return false;
    if (x.kind == ARG_float || y.kind == ARG_float)
        return fold_float2(prim, arg_f64(x), arg_f64(y), out);
    if (!fold_int2(prim, x.i, y.i, out))
        return false;
    if (x.kind == ARG_bool && y.kind == ARG_bool && keeps_bool(prim))
        *out = A_BOOL(out->i);
    return true;
}

bool fold_floor_divide(Arg x, Arg y, Arg *out)
{
    if (x.kind == ARG_complex || y.kind == ARG_complex || arg_f64(y) == 0)
        return false;
    if (x.kind == ARG_float || y.kind == ARG_float) {
        double a = arg_f64(x), c = arg_f64(y), r = fmod(a, c), q = (a - r) / c;
        if (r != 0 && (r < 0) != (c < 0))
            q -= 1;
        return give(out, A_FLOAT(q == 0 ? copysign(0, a / c) : rint(q)));
    }
    return !(x.i == INT64_MIN && y.i == -1) && give(out, A_INT(floor_div(x.i, y.i)));
}
