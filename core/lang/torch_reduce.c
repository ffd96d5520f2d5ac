/*
 * torch_reduce.c - decompositions of reductions, scans, sorting, softmax and norms.
 *
 * Low-precision floats are summed in f32 and rounded once; integers are summed as i64.
 */
#include "notation.h"

#include <math.h>

/* The dtype a sum of x is made in and given as. */
static Arg enter_sum(Build *b, Arg x, Arg dtype, DType *out)
{
    DType d = cl_dtype_or(dtype, cl_dtype(b, x));
    if (dtype_is_exact(d) && dtype.kind != ARG_dtype)
        d = DT_i64;
    *out = d;
    return TO(TO(x, d), cl_opmath(d));
}

/* --------------------------------------------------------------------------------- sums, means */

DECOMPOSE(d_sum)
{
    DType out;
    Dims dims = cl_dims(b, args[1], cl_rank(b, args[0]), true, 1);
    Arg x = enter_sum(b, args[0], args[3], &out);
    return TO(cl_reduce(b, PRIM_sum, x, &dims, cl_truth(b, args[2])), out);
}

DECOMPOSE(d_prod)
{
    DType out;
    Dims dims = cl_dims(b, args[1], cl_rank(b, args[0]), true, 1);
    Arg x = enter_sum(b, args[0], args[3], &out);
    return TO(cl_reduce(b, PRIM_prod, x, &dims, cl_truth(b, args[2])), out);
}

static DType float_dtype(Build *b, Arg x, Arg dtype, const char *what)
{
    DType d = cl_dtype_or(dtype, cl_dtype(b, x));
    if (dtype_is_exact(d))
        build_error(b, 0, "%s(): could not infer output dtype. Input dtype must be either a "
                    "floating point or complex dtype. Got: %s", what, dtype_info[d].full_name);
    return d;
}

DECOMPOSE(d_mean)
{
    Dims dims = cl_dims(b, args[1], cl_rank(b, args[0]), true, 1);
    DType d = float_dtype(b, args[0], args[3], "mean");
    return TO(cl_mean(b, TO(args[0], d), &dims, cl_truth(b, args[2])), d);
}

DECOMPOSE(d_nansum)
{
    DType out;
    Dims dims = cl_dims(b, args[1], cl_rank(b, args[0]), true, 1);
    Arg x = enter_sum(b, args[0], args[3], &out);
    if (dtype_is_inexact(cl_dtype(b, x)))
        x = WHERE(cl_isnan(b, x), F(0), x);
    return TO(cl_reduce(b, PRIM_sum, x, &dims, cl_truth(b, args[2])), out);
}

DECOMPOSE(d_nanmean)
{
    Dims dims = cl_dims(b, args[1], cl_rank(b, args[0]), true, 1);
    bool keep = cl_truth(b, args[2]);
    DType d = float_dtype(b, args[0], args[3], "nanmean");
    Arg x = cl_opmath_of(b, TO(args[0], d)), nan = cl_isnan(b, x);
    Arg sum = cl_reduce(b, PRIM_sum, WHERE(nan, F(0), x), &dims, keep);
    Arg count = cl_reduce(b, PRIM_sum, TO(NOT(nan), cl_dtype(b, x)), &dims, keep);
    return TO(DIV(sum, count), d);
}

DECOMPOSE(d_count_nonzero)
{
    Dims dims = cl_dims(b, args[1], cl_rank(b, args[0]), true, 1);
    return cl_reduce(b, PRIM_sum, TO(cl_to_bool(b, args[0]), DT_i64), &dims, false);
}

DECOMPOSE(d_sum_to_size)
{
    Dims want = cl_ints(b, args[1], 1), have = cl_shape(b, args[0]), dims = {0};
    if (want.n > have.n) {
        build_error(b, 1, "size has more dimensions than the tensor");
        return A_NONE;
    }
    for (uint32_t i = 0; i < have.n; i++) {
        int64_t k = (int64_t)i - (have.n - want.n);
        if (k < 0 || (want.v[k] == 1 && have.v[i] != 1))
            dims.v[dims.n++] = i;
        else if (want.v[k] != have.v[i])
            build_error(b, 1, "size is not one that the tensor could have been expanded from");
    }
    Arg r = dims.n ? CALL("sum", args[0], cl_tuple(b, &dims), A_BOOL(true)) : args[0];
    return cl_reshape(b, r, &want);
}

/* ------------------------------------------------------------------------------------ variance */

static Arg correction_of(Build *b, Arg unbiased, Arg correction)
{
    if (GIVEN(correction) && GIVEN(unbiased))
        build_error(b, -1, "cannot give both unbiased and correction");
    if (GIVEN(correction))
        return correction;
    return I(GIVEN(unbiased) ? cl_truth(b, unbiased) : 1);
}

/* args: a, dim, unbiased, keepdim, correction. */
static void variance(Build *b, const Arg *args, const char *what, Arg *var, Arg *mean, DType *out)
{
    Dims dims = cl_dims(b, args[1], cl_rank(b, args[0]), true, 1);
    Arg correction = correction_of(b, args[2], args[4]);
    DType d = cl_dtype(b, args[0]);
    if (!dtype_is_inexact(d))
        build_error(b, 0, "%s only support floating point and complex dtypes", what);
    *out = d;
    cl_var_mean(b, cl_opmath_of(b, args[0]), &dims, correction, cl_truth(b, args[3]), var, mean);
}

DECOMPOSE(d_var)
{
    Arg var, mean;
    DType out;
    variance(b, args, "var", &var, &mean, &out);
    return TO(var, cl_real_dtype(out));
}

/* By its own prim, which squares in higher precision: the variance may overflow where this does not. */
static Arg deviation(Build *b, const Arg *args)
{
    Dims dims = cl_dims(b, args[1], cl_rank(b, args[0]), true, 1);
    Arg correction = correction_of(b, args[2], args[4]);
    if (cl_rank(b, args[0]) == 0)
        dims.n = 0;
    if (!dtype_is_inexact(cl_dtype(b, args[0])))
        build_error(b, 0, "std only support floating point and complex dtypes");
    if (b->failed)
        return A_NONE;
    Arg r = emit(b, std, cl_opmath_of(b, args[0]), cl_tuple(b, &dims), correction);
    return cl_keep(b, r, &dims, cl_truth(b, args[3]));
}

DECOMPOSE(d_std)
{
    return TO(deviation(b, args), cl_real_dtype(cl_dtype(b, args[0])));
}

DECOMPOSE(d_var_mean)
{
    Arg var, mean;
    DType out;
    variance(b, args, "var_mean", &var, &mean, &out);
    return TUPLE(TO(var, cl_real_dtype(out)), TO(mean, out));
}

DECOMPOSE(d_std_mean)
{
    Arg var, mean;
    DType out;
    variance(b, args, "std_mean", &var, &mean, &out);
    return TUPLE(TO(deviation(b, args), cl_real_dtype(out)), TO(mean, out));
}

/* ------------------------------------------------------------------------------------- extremes */

static bool no_elements(Build *b, Arg x, const Dims *dims, const char *what)
{
    for (uint32_t i = 0; i < dims->n; i++)
        if (dims->v[i] < cl_rank(b, x) && cl_size(b, x, dims->v[i]) == 0) {
            build_error(b, 0, "%s(): Expected reduction dim %lld to have non-zero size.", what,
                        (long long)dims->v[i]);
            return true;
        }
    return false;
}

static Arg extreme(Build *b, const Arg *args, enum PrimId prim)
{
    Dims dims = cl_dims(b, args[1], cl_rank(b, args[0]), true, 1);
    if (no_elements(b, args[0], &dims, prim == PRIM_amax ? "amax" : "amin"))
        return A_NONE;
    return cl_reduce(b, prim, args[0], &dims, cl_truth(b, args[2]));
}

DECOMPOSE(d_amax)
{
    return extreme(b, args, PRIM_amax);
}

DECOMPOSE(d_amin)
{
    return extreme(b, args, PRIM_amin);
}

DECOMPOSE(d_aminmax)
{
    return TUPLE(extreme(b, args, PRIM_amin), extreme(b, args, PRIM_amax));
}

static Arg where_extreme(Build *b, Arg x, Arg dim, bool keepdim, enum PrimId prim)
{
    uint32_t rank = cl_rank(b, x);
    Dims all = cl_all_dims(rank);
    const char *what = prim == PRIM_argmax ? "argmax" : "argmin";
    if (!GIVEN(dim)) {
        if (no_elements(b, x, &all, what))
            return A_NONE;
        const Arg whole[2] = {x, A_NONE};
        return cl_keep(b, prim_call(b, prim, whole, 2), &all, keepdim);
    }
    Dims one = DIMS1(cl_dim(b, cl_int(b, dim, 1), rank, 1));
    if (no_elements(b, x, &one, what))
        return A_NONE;
    const Arg along[2] = {x, rank ? I(one.v[0]) : A_NONE};
    one.n = rank ? 1 : 0;
    return cl_keep(b, prim_call(b, prim, along, 2), &one, keepdim);
}

DECOMPOSE(d_argmax)
{
    return where_extreme(b, args[0], args[1], cl_truth(b, args[2]), PRIM_argmax);
}

DECOMPOSE(d_argmin)
{
    return where_extreme(b, args[0], args[1], cl_truth(b, args[2]), PRIM_argmin);
}

/* (values, indices) from sizes 1 along dim. */
static Arg pair_without(Build *b, Arg values, Arg indices, int64_t dim, bool keepdim)
{
    Dims one = DIMS1(dim);
    if (!keepdim && cl_rank(b, values)) {
        values = cl_squeeze(b, values, &one);
        indices = cl_squeeze(b, indices, &one);
    }
    return TUPLE(values, indices);
}

static Arg extreme_pair(Build *b, const Arg *args, enum PrimId prim)
{
    uint32_t rank = cl_rank(b, args[0]);
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), rank, 1);
    Arg indices = where_extreme(b, args[0], args[1], true, prim);
    if (rank == 0)
        return TUPLE(emit(b, shallow_copy, args[0]), indices);
    return pair_without(b, cl_gather(b, args[0], indices, dim), indices, dim,
                        cl_truth(b, args[2]));
}

DECOMPOSE(d_max_dim)
{
    return extreme_pair(b, args, PRIM_argmax);
}

DECOMPOSE(d_min_dim)
{
    return extreme_pair(b, args, PRIM_argmin);
}

static Arg truth_over(Build *b, const Arg *args, enum PrimId prim)
{
    Dims dims = cl_dims(b, args[1], cl_rank(b, args[0]), false, 1);
    DType d = cl_dtype(b, args[0]);
    Arg r = cl_reduce(b, prim, cl_to_bool(b, args[0]), &dims, cl_truth(b, args[2]));
    return d == DT_u8 ? TO(r, DT_u8) : r;
}

DECOMPOSE(d_any)
{
    return truth_over(b, args, PRIM_any);
}

DECOMPOSE(d_all)
{
    return truth_over(b, args, PRIM_all);
}

/* --------------------------------------------------------------------------------------- scans */

static Arg scan(Build *b, const Arg *args, enum PrimId prim)
{
    DType out;
    uint32_t rank = cl_rank(b, args[0]);
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), rank, 1);
    Arg x = enter_sum(b, args[0], args[2], &out);
    if (rank == 0)
        return TO(x, out);
    const Arg call[2] = {x, I(dim)};
    return TO(prim_call(b, prim, call, 2), out);
}

DECOMPOSE(d_cumsum)
{
    return scan(b, args, PRIM_cumsum);
}

DECOMPOSE(d_cumprod)
{
    return scan(b, args, PRIM_cumprod);
}

static Arg scan_pair(Build *b, const Arg *args, enum PrimId prim)
{
    uint32_t rank = cl_rank(b, args[0]);
    Dims scalar = {0};
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), rank, 1);
    if (rank == 0)
        return TUPLE(emit(b, shallow_copy, args[0]),
                     cl_full(b, &scalar, I(0), cl_device(b, args[0]), DT_i64));
    const Arg call[2] = {args[0], I(dim)};
    return prim_call(b, prim, call, 2);
}

DECOMPOSE(d_cummax)
{
    return scan_pair(b, args, PRIM_cummax);
}

DECOMPOSE(d_cummin)
{
    return scan_pair(b, args, PRIM_cummin);
}

/* A running maximum would change the shift from element to element, so every prefix is taken whole:
 * row i of a matrix of prefixes holds the elements up to i. */
DECOMPOSE(d_logcumsumexp)
{
    Arg x = args[0];
    uint32_t rank = cl_rank(b, x);
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), rank, 1), n = cl_size(b, x, dim);
    if (rank == 0 || cl_numel(b, x) == 0)
        return emit(b, clone, x);
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    Arg last = cl_swap(b, x, dim, -1);
    Dims shape = cl_shape(b, last);
    shape.v[shape.n++] = n;
    Arg wide = cl_expand(b, cl_unsqueeze(b, last, rank - 1), &shape);
    Arg rows = cl_unsqueeze(b, cl_range(b, n, cl_device(b, x)), 1);
    Arg cols = cl_range(b, n, cl_device(b, x));
    Arg prefix = WHERE(GE(rows, cols), wide, F(-INFINITY));
    Arg r = cl_logsumexp(b, prefix, &DIMS1(rank), false);
    return TO(cl_swap(b, r, dim, -1), out);
}

DECOMPOSE(d_diff)
{
    Arg x = args[0];
    int64_t n = cl_int(b, args[1], 1), dim = cl_dim(b, cl_int(b, args[2], 2), cl_rank(b, x), 2);
    if (cl_rank(b, x) == 0)
        build_error(b, 0, "diff expects input to be at least one-dimensional");
    if (n < 0)
        build_error(b, 1, "order must be non-negative but got %lld", (long long)n);
    if (n == 0)
        return emit(b, clone, x);
    Arg parts[3];
    uint32_t nparts = 0;
    if (GIVEN(args[3]))
        parts[nparts++] = args[3];
    parts[nparts++] = x;
    if (GIVEN(args[4]))
        parts[nparts++] = args[4];
    if (nparts > 1)
        x = cl_cat(b, parts, nparts, dim);
    int64_t size = cl_size(b, x, dim);
    if (n > size)
        return cl_slice(b, x, dim, 0, 0, 1);
    for (int64_t i = 0; i < n && !b->failed; i++, size--) {
        Arg high = cl_slice(b, x, dim, 1, size, 1), low = cl_slice(b, x, dim, 0, size - 1, 1);
        x = cl_dtype(b, x) == DT_b8 ? cl_logical_xor(b, high, low) : SUB(high, low);
    }
    return x;
}

/* Areas of the strips between neighbours, twice over. */
static Arg strips(Build *b, Arg y, Arg x, Arg dx, int64_t dim)
{
    int64_t n = cl_size(b, y, dim), first = n ? 1 : 0;
    Arg heights = ADD(cl_slice(b, y, dim, first, n, 1), cl_slice(b, y, dim, 0, n - first, 1));
    if (!GIVEN(x))
        return MUL(heights, dx);
    uint32_t rank = cl_rank(b, y);
    if (cl_rank(b, x) == 1 && rank > 1) {
        Dims shape = {.n = rank};
        for (uint32_t i = 0; i < rank; i++)
            shape.v[i] = i == dim ? cl_numel(b, x) : 1;
        x = cl_reshape(b, x, &shape);
    }
    int64_t xdim = dim - ((int64_t)rank - cl_rank(b, x)), m = cl_size(b, x, xdim);
    Arg widths = SUB(cl_slice(b, x, xdim, first, m, 1), cl_slice(b, x, xdim, 0, m - first, 1));
    return MUL(heights, widths);
}

DECOMPOSE(d_trapezoid)
{
    int64_t dim = cl_dim(b, cl_int(b, args[3], 3), cl_rank(b, args[0]), 3);
    if (cl_size(b, args[0], dim) == 0) {
        Arg none = DIV(cl_reduce(b, PRIM_sum, args[0], &DIMS1(dim), false), F(1));
        return none;
    }
    return DIV(CALL("sum", strips(b, args[0], args[1], args[2], dim), I(dim)), F(2));
}

DECOMPOSE(d_cumulative_trapezoid)
{
    int64_t dim = cl_dim(b, cl_int(b, args[3], 3), cl_rank(b, args[0]), 3);
    return DIV(CALL("cumsum", strips(b, args[0], args[1], args[2], dim), I(dim)), F(2));
}

/* ------------------------------------------------------------------------------------- sorting */

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
        return TUPLE(cl_reshape(b, cl_item(pair, 0), &none), cl_reshape(b, cl_item(pair, 1), &none));
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
    return pair_without(b, cl_slice(b, cl_item(pair, 0), dim, k, k + 1, 1),
                        cl_slice(b, cl_item(pair, 1), dim, k, k + 1, 1), dim, keepdim);
}

DECOMPOSE(d_kthvalue)
{
    int64_t k = cl_int(b, args[1], 1), dim = cl_dim(b, cl_int(b, args[2], 2), cl_rank(b, args[0]), 2);
    if (k < 1 || k > cl_size(b, args[0], dim)) {
        build_error(b, 1, "kthvalue(): selected number k out of range for dimension %lld",
                    (long long)dim);
        return A_NONE;
    }
    return kth(b, args[0], k - 1, dim, cl_truth(b, args[3]));
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
        return pair_without(b, cl_item(pair, 0), cl_item(pair, 1), dim, keepdim);
    Arg at = where_extreme(b, TO(cl_isnan(b, x), DT_i64), I(dim), true, PRIM_argmax);
    Arg nan = cl_isnan(b, cl_gather(b, x, at, dim));
    Arg indices = WHERE(nan, at, cl_item(pair, 1));
    return pair_without(b, cl_gather(b, x, indices, dim), indices, dim, keepdim);
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
    Arg at = where_extreme(b, counts, I(rank - 1), true, PRIM_argmax);
    Arg value = cl_gather(b, values, at, rank - 1);
    Arg place = MUL(TO(EQ(last, value), DT_i64), ADD(cl_range(b, n, cl_device(b, x)), I(1)));
    Arg index = SUB(cl_amax(b, place, rank - 1, true), I(1));
    return pair_without(b, cl_swap(b, value, dim, -1), cl_swap(b, index, dim, -1), dim,
                        cl_truth(b, args[2]));
}

/* ------------------------------------------------------------------------------------- softmax */

/* F.softmax without dim: the last, or the first of up to three dimensions. */
static int64_t softmax_dim(Build *b, Arg x, Arg dim)
{
    uint32_t rank = cl_rank(b, x);
    if (!GIVEN(dim))
        return rank == 0 || rank == 1 || rank == 3 ? 0 : 1;
    return cl_dim(b, cl_int(b, dim, 1), rank, 1);
}

static Arg softmax(Build *b, Arg x, int64_t dim)
{
    Arg e = EXP(SUB(x, cl_amax(b, x, dim, true)));
    return DIV(e, cl_sum(b, e, dim, true));
}

static Arg log_softmax(Build *b, Arg x, int64_t dim)
{
    Arg shifted = SUB(x, cl_amax(b, x, dim, true));
    return SUB(shifted, LOG(cl_sum(b, EXP(shifted), dim, true)));
}

static Arg softmax_like(Build *b, Arg x, Arg dim, Arg dtype, Arg (*fn)(Build *, Arg, int64_t))
{
    int64_t d = softmax_dim(b, x, dim);
    DType out = cl_dtype_or(dtype, cl_dtype(b, x));
    if (dtype_is_exact(out)) {
        build_error(b, 0, "softmax is not implemented for %s", dtype_info[out].full_name);
        return A_NONE;
    }
    x = cl_opmath_of(b, TO(x, out));
    if (cl_rank(b, x) == 0 || cl_size(b, x, d) == 0) { /* one element, or none to take a maximum of */
        Arg e = EXP(SUB(x, x));
        return TO(fn == softmax ? e : LOG(e), out);
    }
    return TO(fn(b, x, d), out);
}

DECOMPOSE(d_softmax)
{
    return softmax_like(b, args[0], args[1], args[2], softmax);
}

DECOMPOSE(d_log_softmax)
{
    return softmax_like(b, args[0], args[1], args[2], log_softmax);
}

DECOMPOSE(d_softmax_f32)
{
    return softmax_like(b, args[0], args[1], A_DTYPE(DT_f32), softmax);
}

DECOMPOSE(d_log_softmax_f32)
{
    return softmax_like(b, args[0], args[1], A_DTYPE(DT_f32), log_softmax);
}

DECOMPOSE(d_softmin)
{
    return softmax_like(b, NEG(args[0]), args[1], args[2], softmax);
}

DECOMPOSE(d_logsumexp)
{
    Arg x = args[0];
    Dims dims = cl_dims(b, args[1], cl_rank(b, x), true, 1);
    bool keep = cl_truth(b, args[2]);
    DType out = cl_enter(b, &x, 1, PROMOTE_INT_TO_FLOAT);
    if (cl_rank(b, x) == 0)
        return TO(x, out);
    if (cl_numel_over(b, x, &dims) == 0 || cl_numel(b, x) == 0)
        return TO(LOG(cl_reduce(b, PRIM_sum, EXP(x), &dims, keep)), out);
    return TO(cl_logsumexp(b, x, &dims, keep), out);
}

/* --------------------------------------------------------------------------------------- norms */

/* (sum of |x|^p)^(1/p), in the computation dtype. */
static Arg vector_norm(Build *b, Arg x, double p, const Dims *dims, bool keep)
{
    Arg size = ABS(x);
    if (isinf(p))
        return cl_reduce(b, p > 0 ? PRIM_amax : PRIM_amin, size, dims, keep);
    if (p == 0)
        return cl_reduce(b, PRIM_sum, TO(NE(x, F(0)), cl_dtype(b, size)), dims, keep);
    if (p == 1)
        return cl_reduce(b, PRIM_sum, size, dims, keep);
    if (p == 2)
        return SQRT(cl_reduce(b, PRIM_sum, MUL(size, size), dims, keep));
    return POW(cl_reduce(b, PRIM_sum, POW(size, F(p)), dims, keep), F(1 / p));
}

static Arg norm_as(Build *b, Arg x, double p, const Dims *dims, bool keep, Arg dtype)
{
    DType d = cl_dtype_or(dtype, cl_dtype(b, x));
    if (!dtype_is_inexact(d))
        build_error(b, 0, "linalg.vector_norm: Expected a floating point or complex tensor as "
                    "input. Got %s", dtype_info[d].full_name);
    bool empty = cl_numel_over(b, x, dims) == 0;
    if (empty && (isinf(p) || p < 0))
        build_error(b, 0, "linalg.vector_norm cannot compute the %g norm on an empty dimension "
                    "because the operation does not have an identity", p);
    if (b->failed)
        return A_NONE;
    return TO(vector_norm(b, cl_opmath_of(b, TO(x, d)), p, dims, keep), cl_real_dtype(d));
}

DECOMPOSE(d_vector_norm)
{
    Dims dims = cl_dims(b, args[2], cl_rank(b, args[0]), true, 2);
    return norm_as(b, args[0], cl_float(b, args[1]), &dims, cl_truth(b, args[3]), args[4]);
}

/* Norms of matrices in dimensions d0, d1: Frobenius, or the largest (or smallest) sum of absolute
 * values of a row (inf) or column (1). */
static Arg matrix_norm(Build *b, Arg x, Arg ord, int64_t d0, int64_t d1, bool keep, Arg dtype)
{
    Dims both = {.n = 2, .v = {d0 < d1 ? d0 : d1, d0 < d1 ? d1 : d0}};
    DType d = cl_dtype_or(dtype, cl_dtype(b, x));
    if (d0 == d1 || !dtype_is_inexact(d)) {
        build_error(b, d0 == d1 ? 2 : 0, "linalg.matrix_norm: expected a floating point or complex "
                    "matrix in two different dimensions");
        return A_NONE;
    }
    if (!GIVEN(ord) || (ord.kind == ARG_str && str_is(arg_str(ord), "fro")))
        return norm_as(b, x, 2, &both, keep, dtype);
    double p = cl_float(b, ord), size = fabs(p);
    if (ord.kind == ARG_str || (size != 1 && !isinf(p))) {
        build_error(b, 1, "this matrix norm needs singular values, which are not computed here; "
                    "'fro', 1, -1, inf and -inf are");
        return A_NONE;
    }
    int64_t along = size == 1 ? d0 : d1, over = size == 1 ? d1 : d0;
    x = ABS(cl_opmath_of(b, TO(x, d)));
    Arg sums = cl_sum(b, x, along, true);
    Arg r = cl_reduce(b, p > 0 ? PRIM_amax : PRIM_amin, sums, &DIMS1(over), true);
    return TO(keep ? r : cl_squeeze(b, r, &both), cl_real_dtype(d));
}

DECOMPOSE(d_matrix_norm)
{
    uint32_t rank = cl_rank(b, args[0]);
    Dims dims = GIVEN(args[2]) ? cl_ints(b, args[2], 2) : (Dims){.n = 2, .v = {-2, -1}};
    if (dims.n != 2 || rank < 2) {
        build_error(b, rank < 2 ? 0 : 2, "linalg.matrix_norm: dim must be a 2-tuple and the input "
                    "must have at least 2 dimensions");
        return A_NONE;
    }
    return matrix_norm(b, args[0], args[1], cl_dim(b, dims.v[0], rank, 2),
                       cl_dim(b, dims.v[1], rank, 2), cl_truth(b, args[3]), args[4]);
}

DECOMPOSE(d_linalg_norm)
{
    uint32_t rank = cl_rank(b, args[0]);
    Arg ord = args[1], dim = args[2];
    bool keep = cl_truth(b, args[3]);
    Dims given = GIVEN(dim) ? cl_ints(b, dim, 2) : cl_all_dims(rank);
    if (!GIVEN(ord)) {
        Dims dims = cl_dims(b, dim, rank, true, 2);
        return norm_as(b, args[0], 2, &dims, keep, args[4]);
    }
    if (given.n == 1) {
        Dims one = DIMS1(cl_dim(b, given.v[0], rank, 2));
        return norm_as(b, args[0], cl_float(b, ord), &one, keep, args[4]);
    }
    if (given.n != 2) {
        build_error(b, 2, "linalg.norm: If ord is given but dim is not, the input must be 1D or 2D. "
                    "Got %uD", given.n);
        return A_NONE;
    }
    return matrix_norm(b, args[0], ord, cl_dim(b, given.v[0], rank, 2),
                       cl_dim(b, given.v[1], rank, 2), keep, args[4]);
}

DECOMPOSE(d_norm)
{
    uint32_t rank = cl_rank(b, args[0]);
    Dims dims = cl_dims(b, args[2], rank, true, 2);
    double p = 2;
    if (args[1].kind == ARG_str && str_is(arg_str(args[1]), "nuc")) {
        build_error(b, 1, "the nuclear norm needs singular values, which are not computed here");
        return A_NONE;
    }
    if (GIVEN(args[1]) && args[1].kind != ARG_str)
        p = cl_float(b, args[1]);
    return norm_as(b, args[0], p, &dims, cl_truth(b, args[3]), args[4]);
}

DECOMPOSE(d_renorm)
{
    Arg x = args[0], limit = args[3];
    uint32_t rank = cl_rank(b, x);
    int64_t dim = cl_dim(b, cl_int(b, args[2], 2), rank, 2);
    Dims others = {0};
    if (rank < 2)
        build_error(b, 0, "renorm: input needs at least 2 dimensions, got %u dimensions", rank);
    if (cl_float(b, args[1]) <= 0)
        build_error(b, 1, "renorm: non-positive norm not supported");
    for (uint32_t i = 0; i < rank; i++)
        if (i != dim)
            others.v[others.n++] = i;
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    Arg norm = vector_norm(b, x, cl_float(b, args[1]), &others, true);
    Arg scale = DIV(limit, ADD(norm, F(1e-7)));
    return TO(MUL(x, WHERE(GT(norm, limit), scale, F(1))), out);
}
