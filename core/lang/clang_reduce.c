/*
 * clang_reduce.c - builders, part four: reductions.
 *
 * Input: a tensor and dimensions. Output: a reducing prim and, for keepdim, the sizes 1 put back by
 * a broadcast. Callers convert to the dtype that the sum is made in.
 */
#include "lang.h"

#include <math.h>

Arg cl_keep(Build *b, Arg reduced, const Dims *dims, bool keepdim)
{
    return keepdim ? cl_unsqueeze_at(b, reduced, dims) : reduced;
}

Arg cl_reduce(Build *b, enum PrimId prim, Arg x, const Dims *dims, bool keepdim)
{
    Dims real = *dims;
    if (cl_rank(b, x) == 0)
        real.n = 0;
    const Arg args[2] = {x, cl_tuple(b, &real)};
    return cl_keep(b, prim_call(b, prim, args, 2), &real, keepdim);
}

int64_t cl_numel_over(const Build *b, Arg x, const Dims *dims)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < dims->n; i++)
        n *= cl_size(b, x, dims->v[i]);
    return n;
}

Arg cl_amax(Build *b, Arg x, int64_t dim, bool keepdim)
{
    Dims d = {.n = 1, .v = {dim}};
    return cl_reduce(b, PRIM_amax, x, &d, keepdim);
}

Arg cl_sum(Build *b, Arg x, int64_t dim, bool keepdim)
{
    Dims d = {.n = 1, .v = {dim}};
    return cl_reduce(b, PRIM_sum, x, &d, keepdim);
}

Arg cl_mean(Build *b, Arg x, const Dims *dims, bool keepdim)
{
    Arg sum = cl_reduce(b, PRIM_sum, cl_opmath_of(b, x), dims, keepdim);
    return emit(b, div, sum, A_FLOAT((double)cl_numel_over(b, x, dims)));
}

void cl_var_mean(Build *b, Arg x, const Dims *dims, Arg correction, bool keepdim, Arg *var,
                 Arg *mean)
{
    Dims real = *dims;
    if (cl_rank(b, x) == 0)
        real.n = 0;
    Arg pair = emit(b, var_mean, x, cl_tuple(b, &real), correction);
    *var = cl_keep(b, cl_item(pair, 0), &real, keepdim);
    *mean = cl_keep(b, cl_item(pair, 1), &real, keepdim);
}

Arg cl_logsumexp(Build *b, Arg x, const Dims *dims, bool keepdim)
{
    Arg max = cl_reduce(b, PRIM_amax, x, dims, true);
    Arg infinite = cl_eq(b, cl_abs(b, max), A_FLOAT(INFINITY));
    Arg shift = cl_where(b, infinite, A_FLOAT(0), max);
    Arg sum = cl_reduce(b, PRIM_sum, cl_exp(b, cl_sub(b, x, shift)), dims, keepdim);
    if (!keepdim)
        shift = cl_squeeze(b, shift, dims);
    return cl_add(b, cl_log(b, sum), shift);
}
