/*
 * turns.c - two things timed in turn.
 *
 * Input: a time of each from the same rounds. Output: how much of what separates them is noise. One
 * idea: whatever else the machine does meanwhile weighs on both sides of a round, so differences
 * are taken round by round; how far these spread is what measuring errs by.
 */
#include "run.h"

#include "numbers.h"

#include <stdlib.h>

double turns_median(double *ms, uint32_t n)
{
    qsort(ms, n, sizeof *ms, order_of_doubles);
    return n == 0 ? 0 : n % 2 ? ms[n / 2] : (ms[n / 2 - 1] + ms[n / 2]) / 2;
}

double turns_noise(const Turns *x)
{
    double gaps[MAX_TURNS];
    for (uint32_t i = 0; i < x->n; i++)
        gaps[i] = x->ms[1][i] - x->ms[0][i];
    qsort(gaps, x->n, sizeof *gaps, order_of_doubles);
    return x->n ? gaps[x->n - 1 - x->n / 4] - gaps[x->n / 4] : 0;
}
