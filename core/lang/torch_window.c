/*
 * torch_window.c - the windows of torch.signal.windows.
 *
 * Input: the number of points, the parameters of a family, whether the window is symmetric. Output:
 * f32 or f64 numbers at evenly spaced places. Every family has the canonical parameters
 * (M, p, center, sym, device, dtype), of which it uses those that it has.
 */
#include "notation.h"

#include <math.h>

#define PI 3.14159265358979323846

enum { W_M, W_P, W_CENTER, W_SYM, W_DEVICE, W_DTYPE };

/* Number of points; -1 after an error. */
static int64_t points(Build *b, const Arg *args)
{
    int64_t m = cl_int(b, args[W_M], W_M);
    DType d = cl_dtype_or(args[W_DTYPE], DT_f32);
    if (m < 0)
        build_error(b, W_M, "%s requires non-negative window length, got M=%lld", b->op->name,
                    (long long)m);
    if (d != DT_f32 && d != DT_f64)
        build_error(b, W_DTYPE, "%s expects float32 or float64 dtypes, got: torch.%s", b->op->name,
                    dtype_text(d));
    return b->failed ? -1 : m;
}

/* start, start + step ..., m numbers. */
static Arg places(Build *b, const Arg *args, int64_t m, double start, double step)
{
    return CALL("linspace", F(start), F(start + (double)(m - 1) * step), I(m), args[W_DEVICE],
                A_DTYPE(cl_dtype_or(args[W_DTYPE], DT_f32)));
}

/* Intervals between the points: one more when the last point would repeat the first. */
static double intervals(Build *b, const Arg *args, int64_t m)
{
    return (double)(cl_truth(b, args[W_SYM]) || m <= 1 ? m - 1 : m);
}

static Arg constant(Build *b, const Arg *args, int64_t m)
{
    Dims n = DIMS1(m);
    return cl_full(b, &n, F(1), cl_device_or(b, args[W_DEVICE], (Device){DEV_cpu, 0}, W_DEVICE),
                   cl_dtype_or(args[W_DTYPE], DT_f32));
}

/* Sum over i of (-1)^i a[i] cos(i k). */
static Arg cosines(Build *b, const Arg *args, const double *a, uint32_t n)
{
    int64_t m = points(b, args);
    if (m <= 1)
        return m < 0 ? A_NONE : constant(b, args, m);
    Arg k = places(b, args, m, 0, 2 * PI / intervals(b, args, m));
    Arg sum = A_NONE;
    for (uint32_t i = 0; i < n; i++) {
        Arg term = MUL(cl_cos(b, MUL(k, F(i))), F(i % 2 ? -a[i] : a[i]));
        sum = i ? ADD(sum, term) : term;
    }
    return sum;
}

DECOMPOSE(d_window_general_cosine)
{
    double a[64];
    Arg given = args[W_P];
    if (given.n == 0 || given.n > ARRAY_LEN(a)) {
        build_error(b, W_P, given.n ? "more than 64 coefficients" : "Coefficients cannot be empty");
        return A_NONE;
    }
    for (uint32_t i = 0; i < given.n; i++) {
        if (!cl_is_number(b, given.items[i])) {
            build_error(b, W_P, "coefficient %u is not a number", i);
            return A_NONE;
        }
        a[i] = cl_float(b, given.items[i]);
    }
    return cosines(b, args, a, given.n);
}

DECOMPOSE(d_window_general_hamming)
{
    double alpha = cl_float(b, args[W_P]);
    return cosines(b, args, (const double[]){alpha, 1 - alpha}, 2);
}

DECOMPOSE(d_window_hamming)
{
    return cosines(b, args, (const double[]){0.54, 0.46}, 2);
}

DECOMPOSE(d_window_hann)
{
    return cosines(b, args, (const double[]){0.5, 0.5}, 2);
}

DECOMPOSE(d_window_blackman)
{
    return cosines(b, args, (const double[]){0.42, 0.5, 0.08}, 3);
}

DECOMPOSE(d_window_nuttall)
{
    return cosines(b, args, (const double[]){0.3635819, 0.4891775, 0.1365995, 0.0106411}, 4);
}

DECOMPOSE(d_window_bartlett)
{
    int64_t m = points(b, args);
    if (m <= 1)
        return m < 0 ? A_NONE : constant(b, args, m);
    return SUB(F(1), ABS(places(b, args, m, -1, 2 / intervals(b, args, m))));
}

DECOMPOSE(d_window_cosine)
{
    int64_t m = points(b, args);
    if (m < 1)
        return m < 0 ? A_NONE : constant(b, args, m);
    double step = PI / (intervals(b, args, m) + 1);
    return cl_sin(b, places(b, args, m, 0.5 * step, step));
}

DECOMPOSE(d_window_exponential)
{
    int64_t m = points(b, args);
    double tau = cl_float(b, args[W_P]);
    if (!(tau > 0))
        build_error(b, W_P, "Tau must be positive, got: %g instead.", tau);
    if (GIVEN(args[W_CENTER]) && cl_truth(b, args[W_SYM]))
        build_error(b, W_CENTER, "Center must be None for symmetric windows");
    if (m < 1 || b->failed)
        return m < 0 || b->failed ? A_NONE : constant(b, args, m);
    double center =
        GIVEN(args[W_CENTER]) ? cl_float(b, args[W_CENTER]) : intervals(b, args, m) / 2;
    return EXP(NEG(ABS(places(b, args, m, -center / tau, 1 / tau))));
}

DECOMPOSE(d_window_gaussian)
{
    int64_t m = points(b, args);
    double std = cl_float(b, args[W_P]);
    if (!(std > 0))
        build_error(b, W_P, "Standard deviation must be positive, got: %g instead.", std);
    if (m < 1 || b->failed)
        return m < 0 || b->failed ? A_NONE : constant(b, args, m);
    double step = 1 / (std * sqrt(2));
    Arg k = places(b, args, m, -intervals(b, args, m) / 2 * step, step);
    return EXP(NEG(MUL(k, k)));
}

DECOMPOSE(d_window_kaiser)
{
    int64_t m = points(b, args);
    double beta = cl_float(b, args[W_P]);
    if (!(beta >= 0))
        build_error(b, W_P, "beta must be non-negative, got: %g instead.", beta);
    if (m <= 1 || b->failed)
        return m < 0 || b->failed ? A_NONE : constant(b, args, m);
    Arg k = places(b, args, m, -beta, 2 * beta / intervals(b, args, m));
    Arg inside = MAX(SUB(F(beta * beta), MUL(k, k)), F(0)); /* the ends are rounded */
    Arg whole = CALL("i0", cl_tensor_of(b, F(beta), cl_device(b, k), cl_dtype(b, k)));
    return DIV(CALL("i0", SQRT(inside)), whole);
}
