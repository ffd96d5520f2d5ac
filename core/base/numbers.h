/*
 * numbers.h - the little arithmetic that every folder needs: division that rounds otherwise than
 * C's, and orders for qsort.
 */
#ifndef THUNDER_NUMBERS_H
#define THUNDER_NUMBERS_H

#include <stdint.h>

/* Rounds down, as Python's //. y is not 0, and the quotient can be held (not INT64_MIN / -1). */
static inline int64_t floor_div(int64_t x, int64_t y)
{
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

/* How often `by` > 0 is needed for n >= 0. */
static inline int64_t ceil_div(int64_t n, int64_t by)
{
    return (n + by - 1) / by;
}

/* The least multiple of unit > 0 that is not below n >= 0. */
static inline int64_t round_up(int64_t n, int64_t unit)
{
    return ceil_div(n, unit) * unit;
}

/* For qsort, ascending: doubles without NaN, and numbers of values or nodes. */
static inline int order_of_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}
static inline int order_of_ids(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

#endif
