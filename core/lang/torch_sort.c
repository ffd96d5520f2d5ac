/*
 * torch_sort.c - decompositions of sorting and of order statistics: topk, median, mode.
 */
#include "notation.h"

#include <math.h>

DECOMPOSE(d_topk)
{
    uint32_t rank = cl_rank(b, args[0]);
    int64_t k = cl_int(b, args[1], 1), dim = cl_dim(b, cl_int(b, args[2], 2), rank, 2);
    if (k < 0 || k > cl_size(b, args[0], dim))
        build_error(b, 1, "selected index k out of range");
    if (rank == 0) {
        Arg wide = cl_unsqueeze(b, args[0], 0);
        Arg pair = emit(b, topk, wide, I(k), I(0), A_BOOL(true), A_BOOL(true));
        Dims none = {0};
        return TUPLE(cl_reshape(b, cl_item(pair, 0), &none),
                     cl_reshape(b, cl_item(pair, 1), &none));
    }
    return emit(b, topk, args[0], I(k), I(dim), A_BOOL(cl_truth(b, args[3])),
                A_BOOL(cl_truth(b, args[4])));
}

static Arg sorted(Build *b, Arg x, int64_t dim, bool descending, bool stable)
{
    Dims scalar = {0};
    if (cl_rank(b, x) == 0)
        return TUPLE(emit(b, clone, x), cl_full(b, &scalar, I(0), cl_device(b, x), DT_i64));
    return emit(b, sort, x, I(dim), A_BOOL(descending), A_BOOL(stable));
}

DECOMPOSE(d_sort)
{
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), cl_rank(b, args[0]), 1);
    return sorted(b, args[0], dim, cl_truth(b, args[2]), cl_truth(b, args[3]));
}

DECOMPOSE(d_argsort)
{
    return cl_item(d_sort(b, args), 1);
}

static Arg kth(Build *b, Arg x, int64_t k, int64_t dim, bool keepdim)
{
    Arg pair = sorted(b, x, dim, false, true);
    if (cl_rank(b, x) == 0)
        return pair;
    return values_and_indices(b, cl_slice(b, cl_item(pair, 0), dim, k, k + 1, 1),
                              cl_slice(b, cl_item(pair, 1), dim, k, k + 1, 1), dim, keepdim);
}

DECOMPOSE(d_kthvalue)
{
    int64_t k = cl_int(b, args[1], 1),
            dim = cl_dim(b, cl_int(b, args[2], 2), cl_rank(b, args[0]), 2);
    if (k < 1 || k > cl_size(b, args[0], dim)) {
        build_error(b, 1, "kthvalue(): selected number k out of range for dimension %lld",
                    (long long)dim);
        return A_NONE;
    }
    if (cl_rank(b, args[0]) == 0)
        return kth(b, args[0], 0, dim, false);
    Arg pair = emit(b, kthvalue, args[0], I(k - 1), I(dim));
    return values_and_indices(b, cl_item(pair, 0), cl_item(pair, 1), dim, cl_truth(b, args[3]));
}

/* Where there is a NaN, it and its index are the median. */
static Arg median(Build *b, Arg x, int64_t dim, bool keepdim)
{
    int64_t n = cl_size(b, x, dim);
    if (n == 0 && cl_rank(b, x)) {
        build_error(b, 0, "median(): Expected reduction dim %lld to have non-zero size.",
                    (long long)dim);
        return A_NONE;
    }
    Arg pair = kth(b, x, (n - 1) / 2, dim, true);
    if (dtype_is_exact(cl_dtype(b, x)) || cl_rank(b, x) == 0)
        return values_and_indices(b, cl_item(pair, 0), cl_item(pair, 1), dim, keepdim);
    Arg at = extreme_index(b, TO(cl_isnan(b, x), DT_i64), I(dim), true, PRIM_argmax);
    Arg nan = cl_isnan(b, cl_gather(b, x, at, dim));
    Arg indices = WHERE(nan, at, cl_item(pair, 1));
    return values_and_indices(b, cl_gather(b, x, indices, dim), indices, dim, keepdim);
}

DECOMPOSE(d_median_dim)
{
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), cl_rank(b, args[0]), 1);
    return median(b, args[0], dim, cl_truth(b, args[2]));
}

DECOMPOSE(d_median)
{
    uint32_t rank = cl_rank(b, args[0]);
    if (rank == 0)
        return args[0];
    if (cl_numel(b, args[0]) == 0 && dtype_is_float(cl_dtype(b, args[0])))
        return cl_full(b, &(Dims){0}, F(NAN), cl_device(b, args[0]), cl_dtype(b, args[0]));
    return cl_item(median(b, cl_flatten(b, args[0], 0, rank - 1), 0, false), 0);
}

/* The most frequent value, the smallest of those; the index is that of its last occurrence. */
DECOMPOSE(d_mode)
{
    Arg x = args[0];
    uint32_t rank = cl_rank(b, x);
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), rank, 1), n = cl_size(b, x, dim);
    if (rank == 0)
        return sorted(b, x, 0, false, true);
    if (n == 0) {
        build_error(b, 0, "mode(): Expected reduction dim %lld to have non-zero size.",
                    (long long)dim);
        return A_NONE;
    }
    Arg last = cl_swap(b, x, dim, -1), values = cl_item(sorted(b, last, rank - 1, false, true), 0);
    Arg equal = EQ(cl_unsqueeze(b, values, rank), cl_unsqueeze(b, values, rank - 1));
    Arg counts = cl_sum(b, TO(equal, DT_i64), rank, false);
    Arg at = extreme_index(b, counts, I(rank - 1), true, PRIM_argmax);
    Arg value = cl_gather(b, values, at, rank - 1);
    Arg place = MUL(TO(EQ(last, value), DT_i64), ADD(cl_range(b, n, cl_device(b, x)), I(1)));
    Arg index = SUB(cl_amax(b, place, rank - 1, true), I(1));
    value = cl_gather(b, last, index, rank - 1); /* so that its gradient goes to that index */
    return values_and_indices(b, cl_swap(b, value, dim, -1), cl_swap(b, index, dim, -1), dim,
                              cl_truth(b, args[2]));
}
