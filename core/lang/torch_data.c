/*
 * torch_data.c - decompositions whose result sizes depend on the data: nonzero, masks, unique.
 *
 * One idea: the size is computed by the program itself (a count), asked for while it is loaded
 * (build_data_int), and from then on a literal, so that the trace stays static.
 */
#include "notation.h"

enum { MAX_ROW = 4096 };

static Arg columns(Build *b, Arg rows)
{
    Arg items[MAX_RANK];
    int64_t n = cl_size(b, rows, 1);
    for (int64_t k = 0; k < n && !b->failed; k++)
        items[k] = cl_select(b, rows, 1, k);
    return b->failed ? A_NONE : arg_tuple(b->t, items, (uint32_t)n);
}

DECOMPOSE(d_nonzero)
{
    if (!cl_truth(b, args[1]))
        return cl_nonzero(b, args[0]);
    Arg x = cl_rank(b, args[0]) ? args[0] : cl_unsqueeze(b, args[0], 0);
    return columns(b, cl_nonzero(b, x));
}

DECOMPOSE(d_argwhere)
{
    return cl_nonzero(b, args[0]);
}

DECOMPOSE(d_masked_select)
{
    if (cl_dtype(b, args[1]) != DT_b8)
        build_error(b, 1, "masked_select: expected BoolTensor for mask, but got %s",
                    dtype_text(cl_dtype(b, args[1])));
    Dims shape = cl_broadcast_shapes(b, args, 2), flat = DIMS1(-1);
    if (b->failed)
        return A_NONE;
    Arg x = cl_reshape(b, cl_broadcast_to(b, args[0], &shape), &flat);
    Arg mask = cl_reshape(b, cl_broadcast_to(b, args[1], &shape), &flat);
    return cl_take(b, x, cl_select(b, cl_nonzero(b, mask), 1, 0), 0);
}

/* Output element k comes from the slice of which k first falls short of the running sum. */
Arg repeat_by_tensor(Build *b, Arg x, Arg repeats, int64_t dim)
{
    int64_t n = cl_size(b, x, dim);
    Dims all = cl_all_dims(1), wide = DIMS1(n);
    if (!dtype_is_int(cl_dtype(b, repeats)) || cl_rank(b, repeats) > 1) {
        build_error(b, 1, "repeats must be 0-dim or 1-dim tensor of ints");
        return A_NONE;
    }
    repeats = cl_expand(b, TO(repeats, DT_i64), &wide);
    cl_assert(b, GE(repeats, I(0)), "repeats can not be negative");
    int64_t total = build_data_int(b, cl_reduce(b, PRIM_sum, repeats, &all, false), n);
    if (b->failed)
        return A_NONE;
    Arg ends = cl_unsqueeze(b, emit(b, cumsum, repeats, I(0)), 0);
    Arg place = cl_unsqueeze(b, cl_range(b, total, cl_device(b, x)), 1);
    Arg from = cl_sum(b, TO(GE(place, ends), DT_i64), 1, false);
    return cl_take(b, x, from, dim);
}

/* ------------------------------------------------------------------------------------- unique */

/* The order that sorts rows (n of them, m elements each), by the last element first. */
static Arg lexicographic_order(Build *b, Arg rows)
{
    int64_t n = cl_size(b, rows, 0), m = cl_size(b, rows, 1);
    Arg order = cl_range(b, n, cl_device(b, rows));
    if (m > MAX_ROW)
        build_error(b, -1, "unique of slices with more than %d elements is not supported", MAX_ROW);
    for (int64_t j = m; j-- > 0 && !b->failed;) {
        Arg column = cl_take(b, cl_select(b, rows, 1, j), order, 0);
        Arg pair = emit(b, sort, column, I(0), A_BOOL(false), A_BOOL(true));
        order = cl_take(b, order, cl_item(pair, 1), 0);
    }
    return order;
}

/* Which rows differ from the one before. */
static Arg starts_of_runs(Build *b, Arg rows)
{
    int64_t n = cl_size(b, rows, 0);
    Dims one = DIMS1(n ? 1 : 0), along = DIMS1(1);
    Arg first = cl_full(b, &one, A_BOOL(true), cl_device(b, rows), DT_b8);
    if (n < 2 || b->failed)
        return first;
    Arg differs = NE(cl_slice(b, rows, 0, 1, n, 1), cl_slice(b, rows, 0, 0, n - 1, 1));
    Arg rest = cl_reduce(b, PRIM_any, differs, &along, false);
    return cl_cat(b, (const Arg[]){first, rest}, 2, 0);
}

typedef struct Unique {
    Arg values, inverse, counts;
} Unique;

/* Slices of x along dim (or its elements when dim is -1), equal ones joined: all of them after
 * sorting, or only neighbours. */
static Unique unique(Build *b, Arg x, int64_t dim, bool sort)
{
    Unique u = {A_NONE, A_NONE, A_NONE};
    Dims shape = cl_shape(b, x), flat = DIMS1(-1);
    Arg slices = dim < 0 ? cl_reshape(b, x, &flat) : x;
    int64_t along = dim < 0 ? 0 : dim;
    Dims from = DIMS1(along), to = DIMS1(0);
    Arg moved = cl_movedim(b, slices, &from, &to);
    int64_t n = cl_size(b, slices, along);
    Dims matrix = {.n = 2, .v = {n, n ? cl_numel(b, slices) / n : 1}};
    Arg rows = cl_reshape(b, moved, &matrix);
    Arg order = sort ? lexicographic_order(b, rows) : cl_range(b, n, cl_device(b, x));
    Arg starts = starts_of_runs(b, sort ? cl_take(b, rows, order, 0) : rows);
    Arg at = cl_select(b, cl_nonzero(b, starts), 1, 0);
    u.values = cl_take(b, slices, cl_take(b, order, at, 0), along);
    if (b->failed)
        return u;
    Arg group = SUB(emit(b, cumsum, TO(starts, DT_i64), I(0)), I(1));
    u.inverse = emit(b, scatter, group, order, group, I(0));
    if (dim < 0)
        u.inverse = cl_reshape(b, u.inverse, &shape);
    Dims one = DIMS1(1);
    Arg end = cl_full(b, &one, I(n), cl_device(b, x), DT_i64);
    int64_t k = cl_size(b, at, 0);
    Arg next = k ? cl_cat(b, (const Arg[]){cl_slice(b, at, 0, 1, k, 1), end}, 2, 0) : at;
    u.counts = SUB(next, at);
    return u;
}

static Arg unique_call(Build *b, Arg x, Arg dim, bool sort, Arg inverse, Arg counts)
{
    int64_t d = GIVEN(dim) ? cl_dim(b, cl_int(b, dim, 4), cl_rank(b, x), 4) : -1;
    if (b->failed)
        return A_NONE;
    Unique u = unique(b, x, d, sort);
    bool with_inverse = cl_truth(b, inverse), with_counts = cl_truth(b, counts);
    if (with_inverse && with_counts)
        return TUPLE(u.values, u.inverse, u.counts);
    if (with_inverse || with_counts)
        return TUPLE(u.values, with_inverse ? u.inverse : u.counts);
    return u.values;
}

DECOMPOSE(d_unique)
{
    return unique_call(b, args[0], args[4], true, args[2], args[3]);
}

DECOMPOSE(d_unique_consecutive)
{
    return unique_call(b, args[0], args[3], false, args[1], args[2]);
}

/* The ATen forms always give three results; those not asked for are empty. */
static Arg unique_triple(Build *b, Unique u, Arg inverse, Arg counts)
{
    Dims none = DIMS1(0);
    Arg empty = cl_full(b, &none, I(0), cl_device(b, u.values), DT_i64);
    return TUPLE(u.values, cl_truth(b, inverse) ? u.inverse : empty,
                 cl_truth(b, counts) ? u.counts : empty);
}

DECOMPOSE(d_unique2)
{
    return unique_triple(b, unique(b, args[0], -1, true), args[2], args[3]);
}

DECOMPOSE(d_unique_dim)
{
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), cl_rank(b, args[0]), 1);
    return b->failed ? A_NONE : unique_triple(b, unique(b, args[0], dim, true), args[3], args[4]);
}

/* ------------------------------------------------------------------------------------- counting */

/* How often each number occurs, or the sum of the weights where it does. */
DECOMPOSE(d_bincount)
{
    Arg x = args[0], weights = args[1];
    int64_t n = cl_int_within(b, args[2], 0, INT32_MAX, 2);
    if (cl_rank(b, x) != 1 || !dtype_is_int(cl_dtype(b, x))) {
        build_error(b, 0, "bincount only supports 1-d non-negative integral inputs.");
        return A_NONE;
    }
    if (GIVEN(weights) && (cl_rank(b, weights) != 1 || cl_numel(b, weights) != cl_numel(b, x)))
        build_error(b, 1, "weights should be 1-d and have the same length as input");
    cl_assert(b, GE(x, I(0)), "bincount only supports 1-d non-negative integral inputs.");
    if (cl_numel(b, x) > 0) {
        Dims all = cl_all_dims(1);
        int64_t most = build_data_int(b, cl_reduce(b, PRIM_amax, x, &all, false), 0);
        n = n > most + 1 ? n : most + 1;
    }
    DType d = !GIVEN(weights) ? DT_i64 : cl_dtype(b, weights) == DT_f32 ? DT_f32 : DT_f64;
    Arg ones = GIVEN(weights) ? TO(weights, d) : cl_full_like(b, TO(x, d), I(1));
    Dims shape = DIMS1(n);
    Arg zeros = cl_full(b, &shape, I(0), cl_device(b, x), d);
    return b->failed ? A_NONE : emit(b, index_add, zeros, TO(x, DT_i64), ones, I(0));
}

/* How many elements fall into each of equal intervals; without bounds, between the extremes. */
DECOMPOSE(d_histc)
{
    Arg x = args[0], low = args[2], high = args[3];
    int64_t bins = cl_int_within(b, args[1], 1, INT32_MAX, 1);
    DType d = cl_dtype(b, x);
    Dims flat = DIMS1(-1), shape = DIMS1(bins), all = cl_all_dims(1);
    if (!dtype_is_float(d))
        build_error(b, 0, "histc is not defined for %s", dtype_text(d));
    if (cl_float(b, low) > cl_float(b, high))
        build_error(b, 3, "max must be larger than min");
    x = cl_reshape(b, x, &flat);
    if (!b->failed && cl_float(b, low) == cl_float(b, high) && cl_numel(b, x) > 0) {
        low = cl_reduce(b, PRIM_amin, x, &all, false);
        high = cl_reduce(b, PRIM_amax, x, &all, false);
        Arg same = EQ(low, high);
        low = WHERE(same, SUB(low, I(1)), low);
        high = WHERE(same, ADD(high, I(1)), high);
    }
    Arg place = cl_floor(b, MUL(DIV(SUB(x, low), SUB(high, low)), I(bins)));
    Arg index = cl_clamp(b, TO(cl_clamp(b, place, F(-1), F((double)bins)), DT_i64), I(0),
                         I(bins - 1));
    Arg inside = TO(AND(GE(x, low), LE(x, high)), d);
    Arg zeros = cl_full(b, &shape, F(0), cl_device(b, x), d);
    return b->failed ? A_NONE : emit(b, index_add, zeros, index, inside, I(0));
}
