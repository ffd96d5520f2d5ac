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
    return TO(TO(x, d), dtype_opmath(d));
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
        build_error(b, 0,
                    "%s(): could not infer output dtype. Input dtype must be either a "
                    "floating point or complex dtype. Got: %s",
                    what, dtype_text(d));
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
    return TO(var, dtype_real(out));
}

/* By its own prim, which squares in higher precision: the variance may overflow where this does
 * not. */
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
    return TO(deviation(b, args), dtype_real(cl_dtype(b, args[0])));
}

DECOMPOSE(d_var_mean)
{
    Arg var, mean;
    DType out;
    variance(b, args, "var_mean", &var, &mean, &out);
    return TUPLE(TO(var, dtype_real(out)), TO(mean, out));
}

DECOMPOSE(d_std_mean)
{
    Arg var, mean;
    DType out;
    variance(b, args, "std_mean", &var, &mean, &out);
    return TUPLE(TO(deviation(b, args), dtype_real(out)), TO(mean, out));
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

Arg extreme_index(Build *b, Arg x, Arg dim, bool keepdim, enum PrimId prim)
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
    return extreme_index(b, args[0], args[1], cl_truth(b, args[2]), PRIM_argmax);
}

DECOMPOSE(d_argmin)
{
    return extreme_index(b, args[0], args[1], cl_truth(b, args[2]), PRIM_argmin);
}

Arg values_and_indices(Build *b, Arg values, Arg indices, int64_t dim, bool keepdim)
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
    Arg indices = extreme_index(b, args[0], args[1], true, prim);
    if (rank == 0)
        return TUPLE(emit(b, shallow_copy, args[0]), indices);
    return values_and_indices(b, cl_gather(b, args[0], indices, dim), indices, dim,
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
    if (dtype_opmath(out) != out) /* the prim itself collects low precision in f32 */
        x = TO(args[0], out);
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
    if (n > MANY)
        build_error(b, 1, "order %lld is too large", (long long)n);
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
