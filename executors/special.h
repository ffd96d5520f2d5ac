/* special.h - special functions that the C library lacks, in double precision. */
#ifndef THUNDER_SPECIAL_H
#define THUNDER_SPECIAL_H

#include <stdbool.h>

double special_lgamma(double x);         /* log |gamma(x)| */
double special_digamma(double x);        /* d/dx log gamma(x) */
double special_erfinv(double x);         /* erf(result) = x */
double special_erfcinv(double x);        /* erfc(result) = x */
double special_ndtri(double p);          /* quantile of the standard normal distribution */
double special_zeta(double x, double q); /* sum of (q + k)^-x over k >= 0 */

/* Incomplete gamma functions over gamma(a): from 0 to x, or from x on when upper. */
double special_igamma(double a, double x, bool upper);

#endif
