/*
 * compare.c - how two tensors differ: torch.testing.assert_close, and the distance in ULP.
 *
 * Input: two tensors and tolerances. Output: counts, the largest differences, the first element out
 * of tolerance. NaN equals NaN here, and infinities of one sign are equal.
 */
#include "run.h"

#include <math.h>
#include <string.h>

void default_tolerances(DType d, double *rtol, double *atol)
{
    static const struct {
        DType dtype;
        double rtol, atol;
    } table[] = {{DT_f16, 1e-3, 1e-5},   {DT_bf16, 1.6e-2, 1e-5}, {DT_f32, 1.3e-6, 1e-5},
                 {DT_f64, 1e-7, 1e-7},   {DT_c32, 1e-3, 1e-5},    {DT_c64, 1.3e-6, 1e-5},
                 {DT_c128, 1e-7, 1e-7}};
    double r = 0, a = 0;
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i].dtype == d) {
            r = table[i].rtol;
            a = table[i].atol;
        }
    *rtol = *rtol < 0 ? r : *rtol;
    *atol = *atol < 0 ? a : *atol;
}

/* Bits of the mantissa behind the point, and the smallest normal exponent. */
static void float_format(DType d, int *mantissa, int *min_exponent)
{
    switch (d) {
    case DT_f16:
    case DT_c32:
        *mantissa = 10, *min_exponent = -14;
        break;
    case DT_bf16:
        *mantissa = 7, *min_exponent = -126;
        break;
    case DT_f32:
    case DT_c64:
        *mantissa = 23, *min_exponent = -126;
        break;
    case DT_f8_e4m3fn:
        *mantissa = 3, *min_exponent = -6;
        break;
    case DT_f8_e5m2:
        *mantissa = 2, *min_exponent = -14;
        break;
    default:
        *mantissa = 52, *min_exponent = -1022;
        break;
    }
}

double tensor_ulp(double want, DType d)
{
    int mantissa, min_exponent, exponent;
    float_format(d, &mantissa, &min_exponent);
    frexp(want, &exponent);
    exponent--; /* frexp counts from 0.5 */
    if (want == 0 || exponent < min_exponent)
        exponent = min_exponent;
    return ldexp(1, exponent - mantissa);
}

typedef struct Pair {
    double abs, rel; /* differences */
    bool close;
} Pair;

static Pair compare_real(double got, double want, double rtol, double atol)
{
    if (got == want || (isnan(got) && isnan(want)))
        return (Pair){0, 0, true};
    double diff = fabs(got - want);
    if (isnan(diff) || isinf(got) || isinf(want))
        return (Pair){INFINITY, INFINITY, false};
    return (Pair){diff, want != 0 ? diff / fabs(want) : INFINITY, diff <= atol + rtol * fabs(want)};
}

static Pair compare_complex(const double got[2], const double want[2], double rtol, double atol)
{
    bool both_nan = (isnan(got[0]) || isnan(got[1])) && (isnan(want[0]) || isnan(want[1]));
    if (both_nan || (got[0] == want[0] && got[1] == want[1]))
        return (Pair){0, 0, true};
    double diff = hypot(got[0] - want[0], got[1] - want[1]), size = hypot(want[0], want[1]);
    if (!isfinite(diff) || isinf(size))
        return (Pair){INFINITY, INFINITY, false};
    return (Pair){diff, size != 0 ? diff / size : INFINITY, diff <= atol + rtol * size};
}

static void count(Comparison *c, Pair p, int64_t i, double got, double want, double ulp)
{
    if (p.abs > c->max_abs)
        c->max_abs = p.abs;
    if (p.rel > c->max_rel)
        c->max_rel = p.rel;
    if (p.abs > 0 && p.abs / ulp > c->max_ulp)
        c->max_ulp = p.abs / ulp;
    if (p.close)
        return;
    if (c->wrong++ == 0) {
        c->first = i;
        c->got = got;
        c->want = want;
    }
}

static void compare_exact(Comparison *c, const char *g, const char *w, DType d)
{
    size_t size = dtype_info[d].bytes;
    for (int64_t i = 0; i < c->total; i++, g += size, w += size) {
        int64_t x = elem_get_i64(g, d), y = elem_get_i64(w, d);
        double diff = x == y ? 0 : fabs((double)x - (double)y);
        if (x != y && diff == 0)
            diff = 1; /* too large for doubles to tell apart */
        count(c, (Pair){diff, y ? diff / fabs((double)y) : diff, x == y}, i, (double)x, (double)y,
              1);
    }
}

/* Exact dtypes with tolerances that the caller gave. */
static void compare_numbers(Comparison *c, const char *g, const char *w, DType d, double rtol,
                            double atol)
{
    size_t size = dtype_info[d].bytes;
    for (int64_t i = 0; i < c->total; i++, g += size, w += size) {
        double x = elem_get_f64(g, d), y = elem_get_f64(w, d);
        count(c, compare_real(x, y, rtol, atol), i, x, y, dtype_is_float(d) ? tensor_ulp(y, d) : 1);
    }
}

static void compare_pairs(Comparison *c, const char *g, const char *w, DType d, double rtol,
                          double atol)
{
    size_t size = dtype_info[d].bytes;
    for (int64_t i = 0; i < c->total; i++, g += size, w += size) {
        double x[2], y[2];
        elem_get_c128(g, d, x);
        elem_get_c128(w, d, y);
        count(c, compare_complex(x, y, rtol, atol), i, x[0], y[0],
              tensor_ulp(hypot(y[0], y[1]), d));
    }
}

Comparison tensor_compare(const Tensor *got, const Tensor *want, double rtol, double atol)
{
    Comparison c = {.first = -1, .total = tensor_numel(want)};
    c.same_type = got->dtype == want->dtype && got->rank == want->rank &&
                  (got->rank == 0 ||
                   memcmp(got->shape, want->shape, got->rank * sizeof *got->shape) == 0);
    if (!c.same_type)
        return c;
    default_tolerances(want->dtype, &rtol, &atol);
    Tensor *g = tensor_contiguous((Tensor *)got), *w = tensor_contiguous((Tensor *)want);
    const char *gp = tensor_data(g), *wp = tensor_data(w);
    if (dtype_is_complex(want->dtype))
        compare_pairs(&c, gp, wp, want->dtype, rtol, atol);
    else if (dtype_is_exact(want->dtype) && rtol == 0 && atol == 0)
        compare_exact(&c, gp, wp, want->dtype);
    else
        compare_numbers(&c, gp, wp, want->dtype, rtol, atol);
    tensor_unref(g);
    tensor_unref(w);
    c.equal = c.wrong == 0;
    return c;
}

bool tensor_same_zeros(const Tensor *a, const Tensor *b)
{
    if (!dtype_is_float(a->dtype) || !dtype_is_float(b->dtype))
        return true;
    Tensor *x = tensor_contiguous((Tensor *)a), *y = tensor_contiguous((Tensor *)b);
    const char *xp = tensor_data(x), *yp = tensor_data(y);
    size_t xs = dtype_info[a->dtype].bytes, ys = dtype_info[b->dtype].bytes;
    bool same = true;
    for (int64_t i = 0, n = tensor_numel(x); i < n && same; i++, xp += xs, yp += ys) {
        double u = elem_get_f64(xp, a->dtype), v = elem_get_f64(yp, b->dtype);
        same = u != 0 || v != 0 || signbit(u) == signbit(v);
    }
    tensor_unref(x);
    tensor_unref(y);
    return same;
}
