/*
 * interp_binary.c - elementwise kernels of two and three operands.
 *
 * As interp_unary.c. Integers wrap around; dividing them by zero is an error; NaN goes through
 * maximum and minimum.
 */
#include "interp.h"

#include "complex_ops.h"
#include "special.h"

#define LOOP2(name, FROM, TO, expr)                                                                \
    static void name(const LoopInfo *info, int64_t n, void *out, void *const *in)                  \
    {                                                                                              \
        const FROM *a = in[0], *b = in[1];                                                         \
        TO *result = out;                                                                          \
        (void)info;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                          \
            FROM x = a[i], y = b[i];                                                               \
            result[i] = (TO)(expr);                                                                \
        }                                                                                          \
    }

#define KERNEL2(name, ...)                                                                         \
    bool k_##name(Interp *x)                                                                       \
    {                                                                                              \
        static const Elementwise e = {__VA_ARGS__};                                                \
        return elementwise(x, &e, 2);                                                              \
    }

#define FLOAT2(name, expr)                                                                         \
    LOOP2(name##_f, double, double, expr)                                                          \
    KERNEL2(name, .f64 = name##_f)

#define BITWISE(name, expr)                                                                        \
    LOOP2(name##_i, int64_t, int64_t, expr)                                                        \
    KERNEL2(name, .i64 = name##_i)

/* A comparison that means the same for every type. */
#define COMPARE(name, OP)                                                                          \
    LOOP2(name##_f, double, int64_t, x OP y)                                                       \
    LOOP2(name##_i, int64_t, int64_t, x OP y)                                                      \
    LOOP2(name##_u, uint64_t, int64_t, x OP y)                                                     \
    KERNEL2(name, .f64 = name##_f, .i64 = name##_i, .u64 = name##_u, .result = TO_bool)

/* ---------------------------------------------------------------------------------- arithmetic */

static inline Cplx complex_pow(Cplx x, Cplx y)
{
    if (x == 0)
        return y == 0 ? 1 : creal(y) > 0 ? 0 : cpow(x, y);
    return cpow(x, y);
}

static inline int64_t wrap_add(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x + (uint64_t)y);
}

static inline int64_t wrap_sub(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x - (uint64_t)y);
}

static inline int64_t wrap_mul(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x * (uint64_t)y);
}

static inline int64_t int_div(const LoopInfo *info, int64_t x, int64_t y)
{
    if (y == 0)
        *info->zero_division = 1;
    return y == 0 ? 0 : y == -1 ? wrap_sub(0, x) : x / y;
}

static inline uint64_t unsigned_div(const LoopInfo *info, uint64_t x, uint64_t y)
{
    if (y == 0)
        *info->zero_division = 1;
    return y == 0 ? 0 : x / y;
}

static inline int64_t int_fmod(const LoopInfo *info, int64_t x, int64_t y)
{
    if (y == 0)
        *info->zero_division = 1;
    return y == 0 || y == -1 ? 0 : x % y;
}

static inline uint64_t unsigned_mod(const LoopInfo *info, uint64_t x, uint64_t y)
{
    if (y == 0)
        *info->zero_division = 1;
    return y == 0 ? 0 : x % y;
}

static inline int64_t int_remainder(const LoopInfo *info, int64_t x, int64_t y)
{
    int64_t r = int_fmod(info, x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static inline double float_remainder(double x, double y)
{
    double r = fmod(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

/* Squares and multiplies, wrapping around. A negative exponent gives the reciprocal truncated. */
static inline uint64_t power(uint64_t base, uint64_t exponent)
{
    uint64_t result = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result *= base;
        base *= base;
    }
    return result;
}

static inline int64_t int_pow(int64_t x, int64_t y)
{
    if (y < 0)
        return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
    return (int64_t)power((uint64_t)x, (uint64_t)y);
}

LOOP2(add_f, double, double, x + y)
LOOP2(add_i, int64_t, int64_t, wrap_add(x, y))
LOOP2(add_c, Cplx, Cplx, x + y)
KERNEL2(add, .f64 = add_f, .i64 = add_i, .c128 = add_c)

LOOP2(sub_f, double, double, x - y)
LOOP2(sub_i, int64_t, int64_t, wrap_sub(x, y))
LOOP2(sub_c, Cplx, Cplx, x - y)
KERNEL2(sub, .f64 = sub_f, .i64 = sub_i, .c128 = sub_c)

LOOP2(mul_f, double, double, x *y)
LOOP2(mul_i, int64_t, int64_t, wrap_mul(x, y))
LOOP2(mul_c, Cplx, Cplx, complex_mul(x, y))
KERNEL2(mul, .f64 = mul_f, .i64 = mul_i, .c128 = mul_c)

LOOP2(div_f, double, double, x / y)
LOOP2(div_i, int64_t, int64_t, int_div(info, x, y))
LOOP2(div_u, uint64_t, uint64_t, unsigned_div(info, x, y))
LOOP2(div_c, Cplx, Cplx, complex_div(x, y))
KERNEL2(div, .f64 = div_f, .i64 = div_i, .u64 = div_u, .c128 = div_c)

LOOP2(fmod_f, double, double, fmod(x, y))
LOOP2(fmod_i, int64_t, int64_t, int_fmod(info, x, y))
LOOP2(mod_u, uint64_t, uint64_t, unsigned_mod(info, x, y))
KERNEL2(fmod, .f64 = fmod_f, .i64 = fmod_i, .u64 = mod_u)

LOOP2(remainder_f, double, double, float_remainder(x, y))
LOOP2(remainder_i, int64_t, int64_t, int_remainder(info, x, y))
KERNEL2(remainder, .f64 = remainder_f, .i64 = remainder_i, .u64 = mod_u)

LOOP2(pow_f, double, double, pow(x, y))
LOOP2(pow_i, int64_t, int64_t, int_pow(x, y))
LOOP2(pow_u, uint64_t, uint64_t, power(x, y))
LOOP2(pow_c, Cplx, Cplx, complex_pow(x, y))
KERNEL2(pow, .f64 = pow_f, .i64 = pow_i, .u64 = pow_u, .c128 = pow_c)

LOOP2(maximum_f, double, double, isnan(x) || x > y ? x : y)
LOOP2(maximum_i, int64_t, int64_t, x > y ? x : y)
LOOP2(maximum_u, uint64_t, uint64_t, x > y ? x : y)
KERNEL2(maximum, .f64 = maximum_f, .i64 = maximum_i, .u64 = maximum_u)

LOOP2(minimum_f, double, double, isnan(x) || x < y ? x : y)
LOOP2(minimum_i, int64_t, int64_t, x < y ? x : y)
LOOP2(minimum_u, uint64_t, uint64_t, x < y ? x : y)
KERNEL2(minimum, .f64 = minimum_f, .i64 = minimum_i, .u64 = minimum_u)

FLOAT2(atan2, atan2(x, y))
FLOAT2(zeta, special_zeta(x, y))
FLOAT2(igamma, special_igamma(x, y, false))
FLOAT2(igammac, special_igamma(x, y, true))

static inline uint64_t common_divisor(uint64_t x, uint64_t y)
{
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

static inline uint64_t magnitude(int64_t x)
{
    return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

LOOP2(gcd_i, int64_t, int64_t, (int64_t)common_divisor(magnitude(x), magnitude(y)))
LOOP2(gcd_u, uint64_t, uint64_t, common_divisor(x, y))
KERNEL2(gcd, .i64 = gcd_i, .u64 = gcd_u)

/* ------------------------------------------------------------------------------------- bitwise */

BITWISE(bitwise_and, x &y)
BITWISE(bitwise_or, x | y)
BITWISE(bitwise_xor, x ^ y)

static inline int64_t width_of(DType d)
{
    return d == DT_b8 ? 1 : dtype_info[d].bytes * 8;
}

/* Shifts by a negative count, or by the width or more, move every bit out. */
static inline int64_t shift_left(DType d, int64_t x, int64_t by)
{
    return by < 0 || by >= width_of(d) ? 0 : (int64_t)((uint64_t)x << by);
}

static inline int64_t shift_right(DType d, int64_t x, int64_t by)
{
    int64_t most = width_of(d) - dtype_info[d].is_signed;
    if (by < 0 || by > most)
        by = most;
    if (d == DT_u64)
        return by >= 64 ? 0 : (int64_t)((uint64_t)x >> by);
    return by >= 63 ? (x < 0 ? -1 : 0) : x >> by;
}

BITWISE(bitwise_left_shift, shift_left(info->dtype, x, y))
BITWISE(bitwise_right_shift, shift_right(info->dtype, x, y))

/* --------------------------------------------------------------------------------- comparisons */

COMPARE(ge, >=)
COMPARE(gt, >)
COMPARE(le, <=)
COMPARE(lt, <)

LOOP2(eq_f, double, int64_t, x == y)
LOOP2(eq_i, int64_t, int64_t, x == y)
LOOP2(eq_c, Cplx, int64_t, x == y)
KERNEL2(eq, .f64 = eq_f, .i64 = eq_i, .c128 = eq_c, .result = TO_bool)

LOOP2(ne_f, double, int64_t, x != y)
LOOP2(ne_i, int64_t, int64_t, x != y)
LOOP2(ne_c, Cplx, int64_t, x != y)
KERNEL2(ne, .f64 = ne_f, .i64 = ne_i, .c128 = ne_c, .result = TO_bool)

/* ---------------------------------------------------------------------------------- the others */

/* The neighbour of x towards y in dtype d: the code of a float, its sign apart, counts upwards. */
static double next_after(DType d, double x, double y)
{
    union {
        uint8_t u8;
        uint16_t u16;
        float f;
        double f64;
    } e = {.f64 = 0};
    if (isnan(x) || isnan(y))
        return NAN;
    if (d == DT_f64 || x == y)
        return d == DT_f64 ? nextafter(x, y) : y;
    if (d == DT_f32)
        return nextafterf((float)x, (float)y);
    elem_set_f64(&e, d, x);
    bool wide = dtype_info[d].bytes == 2;
    if (x == 0) {
        e.f64 = 0;
        e.u8 = 1;
        double least = elem_get_f64(&e, d);
        return y < 0 ? -least : least;
    }
    bool outwards = (x < y) == (x > 0);
    if (wide)
        e.u16 = (uint16_t)(outwards ? e.u16 + 1 : e.u16 - 1);
    else
        e.u8 = (uint8_t)(outwards ? e.u8 + 1 : e.u8 - 1);
    return elem_get_f64(&e, d);
}

FLOAT2(nextafter, next_after(info->dtype, x, y))

LOOP2(complex_f, double, Cplx, make_complex(x, y))
KERNEL2(complex, .f64 = complex_f, .result = TO_complex)

/* As PyTorch: from the nearer end, so that weights 0 and 1 give start and end exactly. */
#define LERP(name, T, near_start, MUL)                                                             \
    static void name(const LoopInfo *info, int64_t n, void *out, void *const *in)                  \
    {                                                                                              \
        const T *start = in[0], *end = in[1], *weight = in[2];                                     \
        T *y = out;                                                                                \
        (void)info;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                          \
            T w = weight[i], span = end[i] - start[i];                                             \
            y[i] = (near_start) < 0.5 ? start[i] + MUL(w, span) : end[i] - MUL(span, 1 - w);       \
        }                                                                                          \
    }
#define REAL_MUL(x, y) ((x) * (y))
LERP(lerp_f, double, fabs(w), REAL_MUL)
LERP(lerp_c, Cplx, cabs(w), complex_mul)

bool k_lerp(Interp *x)
{
    static const Elementwise e = {.f64 = lerp_f, .c128 = lerp_c};
    return elementwise(x, &e, 3);
}

#define WHERE(name, T)                                                                             \
    static void name(const LoopInfo *info, int64_t n, void *out, void *const *in)                  \
    {                                                                                              \
        const int64_t *pred = in[0];                                                               \
        const T *a = in[1], *b = in[2];                                                            \
        T *y = out;                                                                                \
        (void)info;                                                                                \
        for (int64_t i = 0; i < n; i++)                                                            \
            y[i] = pred[i] ? a[i] : b[i];                                                          \
    }
WHERE(where_f, double)
WHERE(where_i, int64_t)
WHERE(where_c, Cplx)

bool k_where(Interp *x)
{
    static const Elementwise e = {
        .f64 = where_f, .i64 = where_i, .c128 = where_c, .condition = true};
    return elementwise(x, &e, 3);
}
