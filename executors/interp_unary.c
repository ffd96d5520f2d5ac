/*
 * interp_unary.c - elementwise kernels of one operand.
 *
 * One row for each: what it computes for floats, for integers and for complex numbers. Results of
 * floats are computed in double; the driver rounds them.
 */
#include "interp.h"

#include "complex_ops.h"
#include "special.h"

#include <math.h>

#define LN2  0.69314718055994530942
#define LN10 2.30258509299404568402

#define LOOP1(name, FROM, TO, expr)                                                                \
    static void name(const LoopInfo *info, int64_t n, void *out, void *const *in)                  \
    {                                                                                              \
        const FROM *a = in[0];                                                                     \
        TO *y = out;                                                                               \
        (void)info;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                          \
            FROM x = a[i];                                                                         \
            y[i] = (TO)(expr);                                                                     \
        }                                                                                          \
    }

#define KERNEL(name, ...)                                                                          \
    bool k_##name(Interp *x)                                                                       \
    {                                                                                              \
        static const Elementwise e = {__VA_ARGS__};                                                \
        return elementwise(x, &e, 1);                                                              \
    }

/* Of floats and complex numbers. */
#define INEXACT(name, f, c)                                                                        \
    LOOP1(name##_f, double, double, f)                                                             \
    LOOP1(name##_c, Cplx, Cplx, c)                                                                 \
    KERNEL(name, .f64 = name##_f, .c128 = name##_c)

/* Of floats only. */
#define FLOAT(name, f)                                                                             \
    LOOP1(name##_f, double, double, f)                                                             \
    KERNEL(name, .f64 = name##_f)

/* Of floats and integers. */
#define REAL(name, f, i)                                                                           \
    LOOP1(name##_f, double, double, f)                                                             \
    LOOP1(name##_i, int64_t, int64_t, i)                                                           \
    KERNEL(name, .f64 = name##_f, .i64 = name##_i)

static inline int64_t wrap_neg(int64_t x)
{
    return (int64_t)(0 - (uint64_t)x);
}

static inline Cplx csign(Cplx x)
{
    double m = cabs(x);
    return m == 0 ? 0 : x / m;
}

INEXACT(acos, acos(x), cacos(x))
INEXACT(acosh, acosh(x), cacosh(x))
INEXACT(asin, asin(x), casin(x))
INEXACT(asinh, asinh(x), casinh(x))
INEXACT(atan, atan(x), catan(x))
INEXACT(atanh, atanh(x), catanh(x))
INEXACT(cos, cos(x), ccos(x))
INEXACT(cosh, cosh(x), ccosh(x))
INEXACT(exp, exp(x), cexp(x))
INEXACT(exp2, exp2(x), cexp(x *LN2))
INEXACT(expm1, expm1(x), cexp(x) - 1)
INEXACT(log, log(x), clog(x))
INEXACT(log10, log10(x), clog(x) / LN10)
INEXACT(log1p, log1p(x), clog(1 + x))
INEXACT(log2, log2(x), clog(x) / LN2)
INEXACT(reciprocal, 1 / x, complex_div(1, x))
INEXACT(rsqrt, 1 / sqrt(x), complex_div(1, csqrt(x)))
INEXACT(sin, sin(x), csin(x))
INEXACT(sinh, sinh(x), csinh(x))
INEXACT(sqrt, sqrt(x), csqrt(x))
INEXACT(tan, tan(x), ctan(x))
INEXACT(tanh, tanh(x), ctanh(x))

FLOAT(digamma, special_digamma(x))
FLOAT(erf, erf(x))
FLOAT(erfc, erfc(x))
FLOAT(erfcinv, special_erfcinv(x))
FLOAT(erfinv, special_erfinv(x))
FLOAT(lgamma, special_lgamma(x))
FLOAT(ndtri, special_ndtri(x))

REAL(ceil, ceil(x), x)
REAL(floor, floor(x), x)
REAL(round, rint(x), x)
REAL(trunc, trunc(x), x)

LOOP1(abs_f, double, double, fabs(x))
LOOP1(abs_i, int64_t, int64_t, x < 0 ? wrap_neg(x) : x)
LOOP1(same_i, int64_t, int64_t, x)
LOOP1(abs_c, Cplx, double, cabs(x))
KERNEL(abs, .f64 = abs_f, .i64 = abs_i, .u64 = same_i, .c128 = abs_c, .result = TO_real)

LOOP1(neg_f, double, double, -x)
LOOP1(neg_i, int64_t, int64_t, wrap_neg(x))
LOOP1(neg_c, Cplx, Cplx, -x)
KERNEL(neg, .f64 = neg_f, .i64 = neg_i, .c128 = neg_c)

LOOP1(sign_f, double, double, (x > 0) - (x < 0))
LOOP1(sign_i, int64_t, int64_t, (x > 0) - (x < 0))
LOOP1(sign_u, uint64_t, uint64_t, x != 0)
LOOP1(sign_c, Cplx, Cplx, csign(x))
KERNEL(sign, .f64 = sign_f, .i64 = sign_i, .u64 = sign_u, .c128 = sign_c)

LOOP1(real_f, double, double, x)
LOOP1(real_c, Cplx, double, creal(x))
KERNEL(real, .f64 = real_f, .i64 = same_i, .c128 = real_c, .result = TO_real)

LOOP1(imag_c, Cplx, double, cimag(x))
KERNEL(imag, .c128 = imag_c, .result = TO_real)

LOOP1(isfinite_f, double, int64_t, isfinite(x))
LOOP1(isfinite_i, int64_t, int64_t, x == x)
LOOP1(isfinite_c, Cplx, int64_t, isfinite(creal(x)) && isfinite(cimag(x)))
KERNEL(isfinite, .f64 = isfinite_f, .i64 = isfinite_i, .c128 = isfinite_c, .result = TO_bool)

LOOP1(logical_not_f, double, int64_t, x == 0)
LOOP1(logical_not_i, int64_t, int64_t, x == 0)
LOOP1(logical_not_c, Cplx, int64_t, x == 0)
KERNEL(logical_not, .f64 = logical_not_f, .i64 = logical_not_i, .c128 = logical_not_c,
       .result = TO_bool)

LOOP1(signbit_f, double, int64_t, signbit(x) != 0)
LOOP1(signbit_i, int64_t, int64_t, x < 0)
LOOP1(signbit_u, uint64_t, int64_t, x != x)
KERNEL(signbit, .f64 = signbit_f, .i64 = signbit_i, .u64 = signbit_u, .result = TO_bool)

static void bitwise_not_i(const LoopInfo *info, int64_t n, void *out, void *const *in)
{
    const int64_t *a = in[0];
    int64_t *y = out;
    for (int64_t i = 0; i < n; i++)
        y[i] = info->dtype == DT_b8 ? !a[i] : ~a[i];
}
KERNEL(bitwise_not, .i64 = bitwise_not_i)
