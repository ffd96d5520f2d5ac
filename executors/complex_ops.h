/*
 * complex_ops.h - complex arithmetic part by part.
 *
 * Products and quotients as PyTorch computes them, without the recovery of infinities that those of
 * C have.
 */
#ifndef THUNDER_COMPLEX_OPS_H
#define THUNDER_COMPLEX_OPS_H

#include <complex.h>
#include <math.h>
#include <string.h>

typedef double _Complex Cplx;

static inline Cplx make_complex(double re, double im)
{
    Cplx z;
    memcpy(&z, (const double[]){re, im}, sizeof z);
    return z;
}

static inline Cplx complex_mul(Cplx x, Cplx y)
{
    double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    return make_complex(a * c - b * d, a * d + b * c);
}

/* Smith's method: scales by the larger part of the divisor. */
static inline Cplx complex_div(Cplx x, Cplx y)
{
    double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    if (fabs(c) >= fabs(d)) {
        if (c == 0 && d == 0)
            return make_complex(a / fabs(c), b / fabs(d));
        double ratio = d / c, scale = 1 / (c + d * ratio);
        return make_complex((a + b * ratio) * scale, (b - a * ratio) * scale);
    }
    double ratio = c / d, scale = 1 / (c * ratio + d);
    return make_complex((a * ratio + b) * scale, (b * ratio - a) * scale);
}

#endif
