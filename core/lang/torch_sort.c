/*
 * torch_sort.c - decompositions of sorting and of order statistics: topk, median, quantile, mode.
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

DECOMPOSE(d_msort)
{
    return cl_item(sorted(b, args[0], 0, false, false), 0);
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

static bool has_order(Build *b, Arg x)
{
    if (cl_dtype(b, x) == DT_b8)
        build_error(b, 0, "\"median\" not implemented for 'bool'");
    return !b->failed;
}

/* Where there is a NaN, it and its index are the median. */
static Arg median(Build *b, Arg x, int64_t dim, bool keepdim)
{
    int64_t n = cl_size(b, x, dim);
    if (!has_order(b, x))
        return A_NONE;
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

/* A NaN comes last: of the others the lower median, where there are any. */
static Arg nanmedian(Build *b, Arg x, int64_t dim, bool keepdim)
{
    if (dtype_is_exact(cl_dtype(b, x)) || cl_rank(b, x) == 0 || cl_size(b, x, dim) == 0)
        return median(b, x, dim, keepdim);
    Arg order = cl_item(sorted(b, x, dim, false, true), 1);
    Arg count = cl_sum(b, TO(NOT(cl_isnan(b, x)), DT_i64), dim, true);
    Arg middle = cl_trunc_divide(b, SUB(MAX(count, I(1)), I(1)), I(2));
    Arg at = cl_gather(b, order, middle, dim);
    return values_and_indices(b, cl_gather(b, x, at, dim), at, dim, keepdim);
}

DECOMPOSE(d_nanmedian_dim)
{
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), cl_rank(b, args[0]), 1);
    return nanmedian(b, args[0], dim, cl_truth(b, args[2]));
}

typedef Arg Median(Build *b, Arg x, int64_t dim, bool keepdim);

static Arg of_all(Build *b, Arg x, Median *how)
{
    uint32_t rank = cl_rank(b, x);
    if (rank == 0)
        return has_order(b, x) ? x : A_NONE;
    if (cl_numel(b, x) == 0 && dtype_is_float(cl_dtype(b, x)))
        return cl_full(b, &(Dims){0}, F(NAN), cl_device(b, x), cl_dtype(b, x));
    return cl_item(how(b, cl_flatten(b, x, 0, rank - 1), 0, false), 0);
}

DECOMPOSE(d_median)
{
    return of_all(b, args[0], median);
}

DECOMPOSE(d_nanmedian)
{
    return of_all(b, args[0], nanmedian);
}

/* ----------------------------------------------------------------------------------- quantiles */

static void check_quantile(Build *b, Arg x, Arg q)
{
    DType d = cl_dtype(b, x);
    Arg lit;
    if (d != DT_f32 && d != DT_f64)
        build_error(b, 0, "quantile() input tensor must be either float or double dtype");
    else if (cl_numel(b, x) == 0)
        build_error(b, 0, "quantile() input tensor must be non-empty");
    if (arg_is_tensor(b, q) && cl_rank(b, q) > 1)
        build_error(b, 1, "quantile() q must be a scalar or 1D tensor");
    else if (arg_is_tensor(b, q) && cl_dtype(b, q) != d)
        build_error(b, 1, "quantile() q tensor must be same dtype as the input tensor");
    if (!b->failed && arg_is_tensor(b, q))
        cl_assert(b, AND(GE(q, F(0)), LE(q, F(1))),
                  "quantile() q values must be in the range [0, 1]");
    else if (cl_literal(b, q, &lit) && !(cl_float(b, lit) >= 0 && cl_float(b, lit) <= 1))
        build_error(b, 1, "quantile() q must be in the range [0, 1] but got %g", cl_float(b, lit));
}

/* Where q lies in sorted lines, in f64. A NaN takes a line to its end, where it is; those that do
 * not count are left out of the length. */
static Arg ranks_of(Build *b, Arg lines, Arg q, bool skip_nan)
{
    uint32_t last = cl_rank(b, lines) - 1;
    Arg nan = cl_isnan(b, lines), top = I(cl_size(b, lines, last) - 1);
    if (!skip_nan)
        return WHERE(cl_reduce(b, PRIM_any, nan, &DIMS1(last), true), top, MUL(q, top));
    Arg ranks = MUL(q, SUB(cl_sum(b, TO(NOT(nan), DT_i64), last, true), I(1)));
    return WHERE(LT(ranks, F(0)), F(0), ranks);
}

/* The elements of sorted lines at the ranks, or what lies between two of them. */
static Arg at_ranks(Build *b, Arg lines, Arg ranks, Str how)
{
    uint32_t last = cl_rank(b, lines) - 1;
    bool linear = str_is(how, "linear"), between = linear || str_is(how, "midpoint");
    if (str_is(how, "higher"))
        ranks = cl_ceil(b, ranks);
    else if (str_is(how, "nearest"))
        ranks = cl_round(b, ranks);
    else if (!between && !str_is(how, "lower"))
        build_error(b, 4,
                    "quantile() interpolation must be one of linear, lower, higher, midpoint or "
                    "nearest, but got %.*s",
                    STR(how));
    Arg below = TO(ranks, DT_i64), value = cl_gather(b, lines, below, last);
    if (!between)
        return value;
    Arg above = cl_gather(b, lines, TO(cl_ceil(b, ranks), DT_i64), last);
    Arg part = linear ? SUB(ranks, below) : cl_full_like(b, ranks, F(0.5));
    return CALL("lerp", value, above, TO(part, cl_dtype(b, value)));
}

/* Along dim, or of all elements; a q of rank 1 gives the result a dimension in front. */
static Arg quantile(Build *b, const Arg *args, bool skip_nan)
{
    Arg x = args[0], q = args[1], wide = args[2];
    uint32_t rank = cl_rank(b, x);
    int64_t dim = cl_dim(b, cl_int_or(b, wide, 0, 2), rank, 2);
    Dims flat = DIMS1(-1), shape = cl_shape(b, x), out = {0};
    check_quantile(b, x, q);
    if (b->failed)
        return A_NONE;
    q = cl_tensor_of(b, q, cl_device(b, x), cl_dtype(b, x));
    if (cl_rank(b, q) == 1)
        out.v[out.n++] = cl_numel(b, q);
    for (uint32_t i = 0; i < rank; i++) {
        bool reduced = !GIVEN(wide) || i == dim;
        if (!reduced || cl_truth(b, args[3]))
            out.v[out.n++] = reduced ? 1 : shape.v[i];
    }
    if (GIVEN(wide) && rank)
        x = cl_swap(b, cl_unsqueeze(b, x, rank), dim, -1);
    else
        x = cl_reshape(b, x, &flat);
    Arg lines = cl_item(sorted(b, x, cl_rank(b, x) - 1, false, false), 0);
    Arg ranks = ranks_of(b, lines, TO(cl_reshape(b, q, &flat), DT_f64), skip_nan);
    Arg r = at_ranks(b, lines, ranks, arg_str(args[4]));
    Dims first = DIMS1(0), from = DIMS1((int64_t)cl_rank(b, r) - 1);
    return cl_reshape(b, cl_movedim(b, r, &from, &first), &out);
}

DECOMPOSE(d_quantile)
{
    return quantile(b, args, false);
}

DECOMPOSE(d_nanquantile)
{
    return quantile(b, args, true);
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
