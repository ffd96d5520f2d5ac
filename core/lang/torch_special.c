/*
 * torch_special.c - orthogonal polynomials by their recurrences, common divisors, functions related
 * to the gamma function and the normal distribution, joined chunks.
 *
 * The degree of a polynomial is a number that is known while loading: it decides what is built.
 */
#include "notation.h"

#include <math.h>

/* ---------------------------------------------------------------------------------- polynomials */

/* p[k + 1] = ((ax x + a0) p[k] - c p[k - 1]) / d, where the coefficients depend on k. */
typedef struct Step {
    double ax, a0, c, d;
} Step;

typedef struct Family {
    double first_x, first_0; /* p[1] = first_x x + first_0; p[0] = 1 */
    bool shifted;            /* in 2 x - 1 */
    Step (*step)(double k);
} Family;

static Step chebyshev_step(double k)
{
    (void)k;
    return (Step){2, 0, 1, 1};
}

static Step hermite_step(double k)
{
    return (Step){2, 0, 2 * k, 1};
}

static Step hermite_e_step(double k)
{
    return (Step){1, 0, k, 1};
}

static Step laguerre_step(double k)
{
    return (Step){-1, 2 * k + 1, k, k + 1};
}

static Step legendre_step(double k)
{
    return (Step){2 * k + 1, 0, k, k + 1};
}

static Arg linear_in(Build *b, Arg x, double ax, double a0)
{
    Arg r = ax == 1 ? x : MUL(x, F(ax));
    return a0 != 0 ? ADD(r, F(a0)) : r;
}

static Arg polynomial(Build *b, const Arg *args, Family f)
{
    enum { MOST_DEGREES = 1 << 10 };
    Arg lit, x = args[0];
    if (!cl_literal(b, args[1], &lit)) {
        build_error(b, 1, "%s: the degree 'n' must be a number that is known here", b->op->name);
        return A_NONE;
    }
    int64_t n = lit.kind == ARG_float ? (int64_t)lit.f : cl_int(b, lit, 1);
    if (n > MOST_DEGREES) {
        build_error(b, 1, "%s: degrees above %d are not supported here", b->op->name, MOST_DEGREES);
        return A_NONE;
    }
    DType out = cl_enter(b, &x, 1, PROMOTE_INT_TO_FLOAT);
    if (n <= 0)
        return TO(cl_full_like(b, x, F(n == 0)), out);
    x = f.shifted ? linear_in(b, x, 2, -1) : x;
    Arg before = F(1), p = linear_in(b, x, f.first_x, f.first_0);
    for (int64_t k = 1; k < n && !b->failed; k++) {
        Step s = f.step((double)k);
        Arg behind = s.c == 1 ? before : MUL(before, F(s.c));
        Arg next = SUB(MUL(linear_in(b, x, s.ax, s.a0), p), behind);
        before = p;
        p = s.d == 1 ? next : DIV(next, F(s.d));
    }
    return TO(p, out);
}

#define POLYNOMIAL(name, ...)                                                                      \
    DECOMPOSE(d_##name)                                                                            \
    {                                                                                              \
        return polynomial(b, args, (Family){__VA_ARGS__});                                         \
    }
POLYNOMIAL(chebyshev_t, 1, 0, false, chebyshev_step)
POLYNOMIAL(chebyshev_u, 2, 0, false, chebyshev_step)
POLYNOMIAL(chebyshev_v, 2, -1, false, chebyshev_step)
POLYNOMIAL(chebyshev_w, 2, 1, false, chebyshev_step)
POLYNOMIAL(shifted_chebyshev_t, 1, 0, true, chebyshev_step)
POLYNOMIAL(shifted_chebyshev_u, 2, 0, true, chebyshev_step)
POLYNOMIAL(shifted_chebyshev_v, 2, -1, true, chebyshev_step)
POLYNOMIAL(shifted_chebyshev_w, 2, 1, true, chebyshev_step)
POLYNOMIAL(hermite_h, 2, 0, false, hermite_step)
POLYNOMIAL(hermite_he, 1, 0, false, hermite_e_step)
POLYNOMIAL(laguerre_l, -1, 1, false, laguerre_step)
POLYNOMIAL(legendre_p, 1, 0, false, legendre_step)

/* ------------------------------------------------------------------- divisors, incomplete gamma */

static Arg divisor(Build *b, const Arg *args)
{
    Arg xs[2] = {args[0], args[1]};
    for (int i = 0; i < 2; i++)
        if (!dtype_is_int(cl_dtype(b, xs[i])))
            build_error(b, i, "\"%s\" not implemented for '%s'", b->op->name,
                        dtype_text(cl_dtype(b, xs[i])));
    return cl_binary(b, PRIM_gcd, xs[0], xs[1], PROMOTE_PRESERVE);
}

DECOMPOSE(d_gcd)
{
    return divisor(b, args);
}

DECOMPOSE(d_lcm)
{
    Arg g = divisor(b, args), none = EQ(g, I(0));
    Arg part = cl_trunc_divide(b, args[0], WHERE(none, I(1), g));
    DType d = cl_dtype(b, g);
    bool narrow = d != DT_none && dtype_info[d].bytes < 4; /* as C, computed as int */
    return TO(WHERE(none, I(0), ABS(MUL(narrow ? TO(part, DT_i32) : part, args[1]))), d);
}

static Arg incomplete_gamma(Build *b, const Arg *args, enum PrimId prim)
{
    for (int i = 0; i < 2; i++)
        if (!dtype_is_float(cl_dtype(b, args[i])))
            build_error(b, i, "\"%s\" not implemented for '%s'", b->op->name,
                        dtype_text(cl_dtype(b, args[i])));
    return cl_binary(b, prim, args[0], args[1], PROMOTE_DEFAULT);
}

DECOMPOSE(d_igamma)
{
    return incomplete_gamma(b, args, PRIM_igamma);
}

DECOMPOSE(d_igammac)
{
    return incomplete_gamma(b, args, PRIM_igammac);
}

/* -------------------------------------------------------------------------------- joined chunks */

/* x cut along dim into n chunks, filled up with zeros: its leading sizes, n, and the rest. */
static Arg chunks_of(Build *b, Arg x, int64_t dim, int64_t n)
{
    Dims low = {.n = cl_rank(b, x)}, high = {.n = cl_rank(b, x)}, shape = {.n = (uint32_t)dim + 2};
    high.v[dim] = (n - cl_size(b, x, dim) % n) % n;
    for (int64_t i = 0; i < dim; i++)
        shape.v[i] = cl_size(b, x, i);
    shape.v[dim] = n;
    shape.v[dim + 1] = -1;
    return cl_reshape(b, high.v[dim] ? cl_pad(b, x, &low, &high, I(0)) : x, &shape);
}

DECOMPOSE(d_chunk_cat)
{
    Arg list = args[0];
    int64_t dim = cl_int(b, args[1], 1), n = cl_int_within(b, args[2], INT32_MIN, MANY, 2);
    if (list.n == 0)
        build_error(b, 0, "_chunk_cat expects a non-empty input tensor list");
    if (dim < 0)
        build_error(b, 1, "_chunk_cat expects non-negative dim");
    if (n < 1)
        build_error(b, 2, "_chunk_cat expects positive num_chunks");
    Arg *items = new_array(&b->t->arena, Arg, list.n + 1);
    for (uint32_t i = 0; i < list.n && !b->failed; i++) {
        Arg x = list.items[i];
        if (dim >= (int64_t)cl_rank(b, x))
            build_error(b, 0, "_chunk_cat expects dim < ndim for all input tensors");
        else if (cl_numel(b, x) == 0)
            build_error(b, 0, "_chunk_cat expects non-empty tensor");
        else if (cl_dtype(b, x) != cl_dtype(b, list.items[0]))
            build_error(b, 0, "_chunk_cat expects all input tensors with the same dtype");
        for (int64_t k = 0; k < dim && !b->failed; k++)
            if (cl_size(b, x, k) != cl_size(b, list.items[0], k))
                build_error(b, 0, "_chunk_cat expects same sizes of 0,...,dim-1 dimensions for "
                                  "all tensors");
        if (!b->failed)
            items[i] = chunks_of(b, x, dim, n);
    }
    return b->failed ? A_NONE : cl_cat(b, items, list.n, dim + 1);
}

/* ---------------------------------------------------------------- relatives of gamma and normal */

/* Derivative number n of digamma, by Hurwitz' zeta function. */
DECOMPOSE(d_polygamma)
{
    int64_t n = cl_int_within(b, args[1], 0, 170, 1);
    Arg x = args[0];
    DType out = cl_enter(b, &x, 1, PROMOTE_INT_TO_FLOAT);
    if (n == 0)
        return TO(cl_digamma(b, x), out);
    double factor = tgamma((double)n + 1);
    Arg zeta = cl_zeta(b, F((double)n + 1), x);
    return TO(MUL(zeta, F(n % 2 ? factor : -factor)), out);
}

/* Logarithm of the gamma function of p by p matrices. */
DECOMPOSE(d_mvlgamma)
{
    int64_t p = cl_int_within(b, args[1], 1, 1024, 1);
    Arg x = args[0];
    DType out = cl_enter(b, &x, 1, PROMOTE_INT_TO_FLOAT);
    double pi = acos(-1), n = (double)p;
    Arg sum = F(n * (n - 1) / 4 * log(pi));
    for (int64_t i = 0; i < p && !b->failed; i++)
        sum = ADD(cl_lgamma(b, SUB(x, F((double)i / 2))), sum);
    return TO(sum, out);
}

DECOMPOSE(d_entr)
{
    Arg x = args[0];
    DType out = cl_enter(b, &x, 1, PROMOTE_INT_TO_FLOAT);
    Arg inside = MUL(NEG(x), LOG(x)), edge = WHERE(EQ(x, F(0)), F(0), F(-INFINITY));
    return TO(WHERE(cl_isnan(b, x), x, WHERE(GT(x, F(0)), inside, edge)), out);
}

DECOMPOSE(d_ndtr)
{
    Arg x = args[0];
    DType out = cl_enter(b, &x, 1, PROMOTE_INT_TO_FLOAT);
    return TO(MUL(cl_erfc(b, MUL(x, F(-sqrt(0.5)))), F(0.5)), out);
}

/* sin(x) / x; by its series near 0. */
DECOMPOSE(d_spherical_bessel)
{
    Arg x = args[0];
    DType out = cl_enter(b, &x, 1, PROMOTE_INT_TO_FLOAT);
    Arg square = MUL(x, x), series = F(-1.0 / 39916800);
    static const double factors[] = {1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1};
    for (size_t i = 0; i < ARRAY_LEN(factors); i++)
        series = ADD(MUL(series, square), F(factors[i]));
    Arg far = WHERE(cl_isinf(b, x), F(0), DIV(cl_sin(b, x), x));
    return TO(WHERE(LT(ABS(x), F(0.5)), series, far), out);
}
