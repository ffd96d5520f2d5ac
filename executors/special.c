/*
 * special.c - gamma-related functions, inverse error functions and the Hurwitz zeta function.
 *
 * Input and output: doubles; poles and domain errors as PyTorch has them. Formulas are those of the
 * NIST Digital Library of Mathematical Functions (dlmf.nist.gov), named by section.
 */
#define _DEFAULT_SOURCE /* lgamma_r: lgamma without the global signgam */
#include "special.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#define PI      3.14159265358979323846
#define SQRT2   1.41421356237309504880
#define SQRT_PI 1.77245385090551602730

double special_lgamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

/* Bernoulli numbers B(2k) over 2k, k = 1 .. 8 (DLMF 24.2). */
static const double bernoulli_over_2k[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                           1.0 / 132, -691.0 / 32760, 1.0 / 12,  -3617.0 / 8160};

/* DLMF 5.11.2 after the recurrence 5.5.2 has moved x to where the series is good; 5.5.4 for x < 0.
 */
double special_digamma(double x)
{
    double sum = 0;
    if (x == 0)
        return copysign(INFINITY, -x);
    if (x < 0) {
        double whole, rest = modf(x, &whole);
        if (rest == 0)
            return NAN;
        return special_digamma(1 - x) - PI / tan(PI * rest);
    }
    for (; x < 12; x++)
        sum -= 1 / x;
    double inv2 = 1 / (x * x), power = inv2, series = 0;
    for (size_t k = 0; k < sizeof bernoulli_over_2k / sizeof *bernoulli_over_2k; k++) {
        series += bernoulli_over_2k[k] * power;
        power *= inv2;
    }
    return sum + log(x) - 0.5 / x - series;
}

/* One step of Halley's method for f(y) = erfc(y) - x; f'' = -2 y f' (DLMF 7.10.1). */
static double improve_erfc(double y, double x)
{
    double slope = -2 / SQRT_PI * exp(-y * y);
    double f = erfc(y) - x;
    if (slope == 0 || f == 0)
        return y;
    double step = f / slope;
    return y - step / (1 + y * step);
}

double special_erfcinv(double x)
{
    if (!(x >= 0 && x <= 2))
        return NAN;
    if (x == 0 || x == 2)
        return x == 0 ? INFINITY : -INFINITY;
    if (x > 1)
        return -special_erfcinv(2 - x);
    if (x > 0.5)
        return special_erfinv(1 - x);
    /* The leading terms of the expansion for small x (DLMF 7.17.3) are close enough to start. */
    double u = -log(x * SQRT_PI);
    double y = x > 0.1 ? sqrt(-log(x * (2 - x) * 0.8)) * 0.9 : sqrt(u - 0.5 * log(u));
    for (int i = 0; i < 60; i++) {
        double next = improve_erfc(y, x);
        if (fabs(next - y) <= DBL_EPSILON * fabs(next))
            return next;
        y = next;
    }
    return y;
}

double special_erfinv(double x)
{
    if (!(x >= -1 && x <= 1))
        return NAN;
    if (fabs(x) == 1)
        return copysign(INFINITY, x);
    if (fabs(x) > 0.5)
        return copysign(special_erfcinv(1 - fabs(x)), x);
    double z = x * SQRT_PI / 2; /* power series DLMF 7.17.2 to start */
    double y = z * (1 + z * z / 3 * (1 + z * z * 0.7));
    for (int i = 0; i < 60; i++) {
        double step = (erf(y) - x) / (2 / SQRT_PI * exp(-y * y));
        double next = y - step / (1 + y * step);
        if (fabs(next - y) <= DBL_EPSILON * fabs(next))
            return next;
        y = next;
    }
    return y;
}

double special_ndtri(double p)
{
    return 0 - SQRT2 * special_erfcinv(2 * p); /* not -0 in the middle */
}

/* Euler-Maclaurin summation (DLMF 25.11.5 with 2.10.1): the first terms, an integral, half a term,
 * and corrections with Bernoulli numbers. */
double special_zeta(double x, double q)
{
    if (x == 1)
        return INFINITY;
    if (!(x > 1) || isnan(q))
        return NAN;
    if (q <= 0) {
        if (q == floor(q))
            return INFINITY;
        if (x != floor(x))
            return NAN;
    }
    double sum = 0;
    for (int k = 0; k < 12 || q < 10; k++, q++) {
        double term = pow(q, -x);
        sum += term;
        if (q > 0 && fabs(term) < DBL_EPSILON / 16 * fabs(sum))
            return sum;
        if (k == 100000)
            return sum;
    }
    double term = pow(q, -x);
    sum += term * q / (x - 1) + term / 2;
    double factor = term * x / q, rising = x;
    for (size_t k = 0; k < sizeof bernoulli_over_2k / sizeof *bernoulli_over_2k; k++) {
        double add = bernoulli_over_2k[k] * factor;
        sum += add;
        if (fabs(add) < DBL_EPSILON / 16 * fabs(sum))
            break;
        /* the next derivative over the next factorial: (x + 2k + 1)(x + 2k + 2) / (2k + 2)! (2k)!
         */
        double n = 2.0 * (double)(k + 1);
        factor *= (rising + 1) * (rising + 2) / (q * q) / (n * (n + 1));
        rising += 2;
    }
    return sum;
}

/* Power series DLMF 8.7.1; good below x = a + 1. */
static double lower_by_series(double a, double x)
{
    double term = 1 / a, sum = term;
    for (int k = 1; k < 100000 && term > sum * DBL_EPSILON / 4; k++) {
        term *= x / (a + k);
        sum += term;
    }
    return sum;
}

/* Continued fraction DLMF 8.9.2, evaluated forwards (Lentz); good above x = a + 1. */
static double upper_by_fraction(double a, double x)
{
    double at = x + 1 - a, c = 1 / DBL_MIN, d = 1 / at, h = d;
    for (int k = 1; k < 100000; k++) {
        double over = -k * (k - a);
        at += 2;
        d = over * d + at;
        c = at + over / c;
        d = 1 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
        c = fabs(c) < DBL_MIN ? DBL_MIN : c;
        h *= c * d;
        if (fabs(c * d - 1) < DBL_EPSILON)
            break;
    }
    return h;
}

double special_igamma(double a, double x, bool upper)
{
    if (isnan(a) || isnan(x) || a < 0 || x < 0 || (a == 0 && x == 0) || (isinf(a) && isinf(x)))
        return NAN;
    if (a == 0 || isinf(x))
        return upper ? 0 : 1;
    if (x == 0 || isinf(a))
        return upper ? 1 : 0;
    double factor = exp(a * log(x) - x - special_lgamma(a));
    if (x < a + 1) {
        double lower = factor * lower_by_series(a, x);
        return upper ? 1 - lower : lower;
    }
    double rest = factor * upper_by_fraction(a, x);
    return upper ? rest : 1 - rest;
}
