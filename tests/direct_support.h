/* direct_support.h - what the formulas of direct_rows.h call. */
#ifndef DIRECT_SUPPORT_H
#define DIRECT_SUPPORT_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64 };

static double dot(const double *v, const double *w, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += v[i] * w[i];
    return s;
}

static double mean(const double *v, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += v[i];
    return s / n;
}

static double variance(const double *v, int n, int correction)
{
    double s = 0, m = mean(v, n);
    for (int i = 0; i < n; i++)
        s += (v[i] - m) * (v[i] - m);
    return s / (n - correction);
}

static double largest(const double *v, int n)
{
    double m = -INFINITY;
    for (int i = 0; i < n; i++)
        m = fmax(m, v[i]);
    return m;
}

static double smallest(const double *v, int n)
{
    double m = INFINITY;
    for (int i = 0; i < n; i++)
        m = fmin(m, v[i]);
    return m;
}

static int place(const double *v, int n, double x)
{
    int i = 0;
    while (i < n && v[i] != x)
        i++;
    return i;
}

/* Element k of v when it is sorted: as many are smaller. */
static double ranked(const double *v, int n, int k)
{
    for (int i = 0; i < n; i++) {
        int smaller = 0, equal = 0;
        for (int j = 0; j < n; j++) {
            smaller += v[j] < v[i];
            equal += v[j] == v[i];
        }
        if (smaller <= k && k < smaller + equal)
            return v[i];
    }
    return NAN;
}

static double softmax_at(const double *v, int n, int at)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += exp(v[i]);
    return exp(v[at]) / s;
}

/* The quantile of the normal distribution, by halving. */
static double quantile(double p)
{
    double low = -40, high = 40;
    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        if (0.5 * erfc(-middle / sqrt(2)) < p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* The slope of a smooth function, by four points. */
static double slope(double (*f)(double x), double x)
{
    double h = 1e-4 * x;
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
}

/* exp(-x) i0(x) by its power series. */
static double bessel(double x)
{
    double term = 1, s = 0;
    for (int k = 1; k < 100; k++) {
        s += term;
        term *= x * x / 4 / k / k;
    }
    return s * exp(-x);
}

/* The rounded element that occurs most often, the smallest of those. */
static double commonest(const double *v, int n)
{
    double best = INFINITY;
    int most = 0;
    for (int i = 0; i < n; i++) {
        int count = 0;
        for (int j = 0; j < n; j++)
            count += rint(v[j]) == rint(v[i]);
        if (count > most || (count == most && rint(v[i]) < best))
            best = rint(v[i]);
        most = count > most ? count : most;
    }
    return best;
}

/* The slope at i: between the neighbours, one-sided at the ends. */
static double difference(const double *v, int n, int i)
{
    int low = i > 0 ? i - 1 : 0, high = i < n - 1 ? i + 1 : n - 1;
    return (v[high] - v[low]) / (high - low);
}

/* The 2-norm of v - w + 1e-6. */
static double apart(const double *v, const double *w, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += (v[i] - w[i] + 1e-6) * (v[i] - w[i] + 1e-6);
    return sqrt(s);
}

/* v at a place between its elements, constant beyond the ends. */
static double between(const double *v, int n, double at)
{
    at = fmin(fmax(at, 0), n - 1);
    int i = (int)at, next = i < n - 1 ? i + 1 : i;
    return v[i] + (at - i) * (v[next] - v[i]);
}

/* Padded with zeros. */
static double line_at(const double *v, int n, int i)
{
    return i < 0 || i >= n ? 0 : v[i];
}

static double plane_at(const double *v, int h, int w, int y, int x)
{
    return y < 0 || y >= h ? 0 : line_at(v + y * w, w, x);
}

/* One query against n keys of width k; values stand `step` apart. */
static double attended(const double *q, const double *keys, const double *values, int n, int k,
                       int step)
{
    double s = 0, t = 0;
    for (int l = 0; l < n; l++) {
        double e = exp(dot(q, keys + l * k, k) / sqrt(k));
        s += e * values[l * step];
        t += e;
    }
    return s / t;
}

/* c (m by n) multiplied by reflector after reflector, the last one first. */
static void reflect_all(int m, int k, int n, const double *x, const double *tau, const double *c,
                        double *out)
{
    memcpy(out, c, (size_t)(m * n) * sizeof *out);
    for (int r = k - 1; r >= 0; r--) {
        double v[LONGEST] = {0};
        for (int i = r; i < m; i++)
            v[i] = i == r ? 1 : x[i * k + r];
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int i = 0; i < m; i++)
                s += v[i] * out[i * n + j];
            for (int i = 0; i < m; i++)
                out[i * n + j] -= tau[r] * v[i] * s;
        }
    }
}

#endif
