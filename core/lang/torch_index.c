/*
 * torch_index.c - decompositions of indexing, gathering and scattering.
 */
#include "notation.h"

#include <math.h>
#include <string.h>

static int64_t index_dim(Build *b, Arg x, Arg dim, int arg)
{
    return cl_dim(b, cl_int(b, dim, arg), cl_rank(b, x), arg);
}

static void check_index(Build *b, Arg index, int arg)
{
    DType d = cl_dtype(b, index);
    if (cl_numel(b, index) == 0 && d == DT_u8)
        return; /* what an empty list of indices becomes */
    if (d != DT_i64 && d != DT_i32)
        build_error(b, arg, "Expected dtype int64 for index, but got %s", dtype_text(d));
}

DECOMPOSE(d_getitem)
{
    return cl_getitem(b, args[0], args[1]);
}

DECOMPOSE(d_setitem)
{
    return cl_setitem(b, args[0], args[1], args[2]);
}

DECOMPOSE(d_embedding)
{
    if (cl_rank(b, args[1]) != 2)
        build_error(b, 1, "'weight' must be 2-D");
    check_index(b, args[0], 0);
    if (GIVEN(args[3]))
        build_error(b, 3, "embedding with max_norm changes its weight, which is not supported");
    return emit(b, embedding, args[0], args[1], args[2], args[3], args[4], args[5], args[6]);
}

/* Tensors of rank 0 count as vectors of one element. */
static Arg lift(Build *b, Arg x)
{
    return arg_is_tensor(b, x) && cl_rank(b, x) == 0 ? cl_unsqueeze(b, x, 0) : x;
}

static Arg as_rank(Build *b, Arg x, Arg like)
{
    Dims shape = cl_shape(b, like);
    return cl_reshape(b, x, &shape);
}

DECOMPOSE(d_gather)
{
    int64_t dim = index_dim(b, args[0], args[1], 1);
    check_index(b, args[2], 2);
    if (cl_rank(b, args[0]) == 0 || cl_rank(b, args[2]) == 0)
        return as_rank(b, cl_gather(b, lift(b, args[0]), lift(b, args[2]), dim), args[2]);
    return cl_gather(b, args[0], args[2], dim);
}

DECOMPOSE(d_index)
{
    Arg list = args[1];
    Arg *items = new_array(&b->t->arena, Arg, list.n + 1);
    for (uint32_t i = 0; i < list.n; i++)
        items[i] = GIVEN(list.items[i]) ? list.items[i] : arg_slice(b->t, A_NONE, A_NONE, A_NONE);
    return cl_getitem(b, args[0], (Arg){.kind = ARG_tuple, .n = list.n, .items = items});
}

DECOMPOSE(d_index_select)
{
    int64_t dim = index_dim(b, args[0], args[1], 1);
    check_index(b, args[2], 2);
    if (cl_rank(b, args[2]) > 1)
        build_error(b, 2, "index_select(): Index is supposed to be a vector");
    if (cl_rank(b, args[0]) == 0)
        return as_rank(b, cl_take(b, lift(b, args[0]), lift(b, args[2]), 0), args[0]);
    return cl_take(b, args[0], lift(b, args[2]), dim);
}

DECOMPOSE(d_take)
{
    Dims flat = DIMS1(cl_numel(b, args[0])), shape = cl_shape(b, args[1]);
    Dims n = DIMS1(cl_numel(b, args[1]));
    check_index(b, args[1], 1);
    Arg index = cl_wrap_index(b, cl_reshape(b, args[1], &n), flat.v[0]);
    Arg r = cl_take(b, cl_reshape(b, args[0], &flat), index, 0);
    return cl_reshape(b, r, &shape);
}

DECOMPOSE(d_take_along_dim)
{
    Arg x = args[0], index = args[1];
    if (!GIVEN(args[2])) {
        Dims flat = DIMS1(cl_numel(b, x)), n = DIMS1(cl_numel(b, index));
        return cl_gather(b, cl_reshape(b, x, &flat), cl_reshape(b, index, &n), 0);
    }
    int64_t dim = index_dim(b, x, args[2], 2);
    Dims sx = cl_shape(b, x), si = cl_shape(b, index);
    if (sx.n != si.n || sx.n == 0) {
        build_error(b, 1,
                    "torch.take_along_dim(): input and indices should have the same number "
                    "of dimensions");
        return A_NONE;
    }
    int64_t nx = sx.v[dim], ni = si.v[dim];
    for (uint32_t i = 0; i < sx.n; i++) {
        if (i == dim)
            continue;
        if (sx.v[i] != si.v[i] && sx.v[i] != 1 && si.v[i] != 1)
            build_error(b, 1,
                        "The size of tensor a (%lld) must match the size of tensor b (%lld) "
                        "at non-singleton dimension %u",
                        (long long)sx.v[i], (long long)si.v[i], i);
        sx.v[i] = si.v[i] = sx.v[i] == 1 ? si.v[i] : sx.v[i];
    }
    sx.v[dim] = nx;
    si.v[dim] = ni;
    x = cl_broadcast_to(b, x, &sx);
    if (nx > 0) /* any index names an element, as a multiple of the size is taken off */
        index = cl_remainder(b, index, I(nx));
    index = cl_broadcast_to(b, index, &si);
    return b->failed ? A_NONE : emit(b, take_along_axis, x, index, I(dim));
}

DECOMPOSE(d_one_hot)
{
    int64_t n = cl_int_within(b, args[1], -1, INT32_MAX, 1);
    if (n < 0) {
        Dims all = cl_all_dims(cl_rank(b, args[0]));
        if (cl_numel(b, args[0]) == 0)
            build_error(b, 0, "Can not infer total number of classes from empty tensor.");
        n = 1 + build_data_int(b, cl_reduce(b, PRIM_amax, args[0], &all, false), 0);
    } else if (n == 0) {
        build_error(b, 1, "Number of classes should be positive");
    }
    if (b->failed)
        return A_NONE;
    Arg classes = cl_range(b, n, cl_device(b, args[0])), x = cl_check_index(b, args[0], n);
    return TO(EQ(cl_unsqueeze(b, x, cl_rank(b, x)), classes), DT_i64);
}

/* ---------------------------------------------------------------------------------- scattering */

static Arg scatter_with(Build *b, enum PrimId prim, Arg x, int64_t dim, Arg index, Arg src)
{
    Arg call[4] = {lift(b, x), lift(b, index), lift(b, src), I(dim)};
    check_index(b, index, 2);
    if (arg_is_tensor(b, src) && cl_dtype(b, src) != cl_dtype(b, x))
        build_error(b, 3, "scatter(): Expected self.dtype to be equal to src.dtype");
    if (b->failed)
        return A_NONE;
    return as_rank(b, prim_call(b, prim, call, 4), x);
}

DECOMPOSE(d_scatter)
{
    Arg x = args[0], src = args[3];
    int64_t dim = index_dim(b, x, args[1], 1);
    if (cl_is_number(b, src))
        src = cl_number_to(b, src, cl_dtype(b, x));
    else if (cl_rank(b, src) == 0 && cl_rank(b, args[2]) != 0) {
        Dims shape = cl_shape(b, args[2]); /* a 0-d tensor is a value for all places */
        src = cl_broadcast_to(b, TO(src, cl_dtype(b, x)), &shape);
    }
    if (!GIVEN(args[4]))
        return scatter_with(b, PRIM_scatter, x, dim, args[2], src);
    if (cl_is_number(b, src)) {
        Dims shape = cl_shape(b, args[2]);
        src = cl_full(b, &shape, src, cl_device(b, x), cl_dtype(b, x));
    }
    bool adds = str_is(arg_str(args[4]), "add");
    if (!adds && !str_is(arg_str(args[4]), "multiply"))
        build_error(b, 4, "reduce argument must be either add or multiply.");
    if (adds)
        return scatter_with(b, PRIM_scatter_add, x, dim, args[2], src);
    return CALL("scatter_reduce", x, args[1], args[2], src, arg_string(b->t, S("prod")));
}

DECOMPOSE(d_scatter_add)
{
    return scatter_with(b, PRIM_scatter_add, args[0], index_dim(b, args[0], args[1], 1), args[2],
                        args[3]);
}

/* hits[.., p, i, ..]: whether source element i goes to place p along dim; the source stands in the
 * new dimension dim + 1. */
static Arg hits(Build *b, Arg x, Arg index, int64_t dim)
{
    int64_t n = cl_size(b, x, dim);
    Arg places = cl_range(b, n, cl_device(b, x));
    uint32_t rank = cl_rank(b, x);
    Dims shape = {.n = rank + 1};
    for (uint32_t i = 0; i <= rank; i++)
        shape.v[i] = i == dim ? n : 1;
    return EQ(cl_unsqueeze(b, cl_check_index(b, index, n), dim), cl_reshape(b, places, &shape));
}

/* x cut to the region that index covers, in all dimensions but dim. */
static Arg covered(Build *b, Arg x, Arg index, int64_t dim)
{
    Dims shape = cl_shape(b, index);
    for (uint32_t i = 0; i < shape.n; i++)
        if (i != dim)
            x = cl_slice(b, x, i, 0, shape.v[i], 1);
    return x;
}

typedef struct Combine {
    enum PrimId prim;
    Arg neutral;
} Combine;

static Combine combine_of(Build *b, Str how, DType d)
{
    bool exact = dtype_is_exact(d);
    if (str_is(how, "sum") || str_is(how, "mean"))
        return (Combine){PRIM_sum, I(0)};
    if (str_is(how, "prod"))
        return (Combine){PRIM_prod, I(1)};
    int64_t high = d == DT_b8 ? 1 : exact ? INT64_MAX : 0;
    if (exact && d != DT_b8 && dtype_info[d].bytes < 8)
        high = ((int64_t)1 << (8 * dtype_info[d].bytes - dtype_info[d].is_signed)) - 1;
    int64_t low = exact && dtype_info[d].is_signed ? -high - 1 : 0;
    if (str_is(how, "amax"))
        return (Combine){PRIM_amax, exact ? I(low) : F(-INFINITY)};
    if (!str_is(how, "amin"))
        build_error(b, 4, "reduce argument must be either sum, prod, mean, amax or amin, got %.*s",
                    STR(how));
    return (Combine){PRIM_amin, exact ? I(high) : F(INFINITY)};
}

/* x with r in the region that an index of that shape covers: see covered. */
static Arg with_region(Build *b, Arg x, const Dims *shape, int64_t dim, Arg r)
{
    Dims sx = cl_shape(b, x);
    Arg *slices = new_array(&b->t->arena, Arg, sx.n + 1);
    bool whole = true;
    for (uint32_t i = 0; i < sx.n; i++) {
        int64_t n = i == dim ? sx.v[i] : shape->v[i];
        slices[i] = arg_slice(b->t, I(0), I(n), A_NONE);
        whole = whole && n == sx.v[i];
    }
    Arg at = {.kind = ARG_tuple, .n = sx.n, .items = slices};
    return whole ? r : cl_setitem(b, x, at, r);
}

/* Every place along dim looks at all elements that may come to it: right for all five ways, at the
 * cost of a table of places times elements. */
DECOMPOSE(d_scatter_reduce)
{
    Arg x = lift(b, args[0]), index = lift(b, args[2]), src = lift(b, args[3]);
    Str how = arg_str(args[4]);
    bool self = cl_truth(b, args[5]);
    int64_t dim = index_dim(b, args[0], args[1], 1);
    DType d = cl_dtype(b, x);
    check_index(b, index, 2);
    if (d != cl_dtype(b, src))
        build_error(b, 3, "scatter(): Expected self.dtype to be equal to src.dtype");
    Combine c = combine_of(b, how, d);
    if (b->failed || cl_numel(b, index) == 0)
        return args[0];
    Dims shape = cl_shape(b, index);
    for (uint32_t i = 0; i < shape.n; i++)
        src = cl_slice(b, src, i, 0, shape.v[i], 1);
    if (cl_rank(b, src) != cl_rank(b, index) || cl_rank(b, x) != cl_rank(b, index)) {
        build_error(b, 2, "Index tensor must have the same number of dimensions as self and src");
        return A_NONE;
    }
    Arg part = covered(b, x, index, dim), hit = hits(b, x, index, dim);
    DType compute = dtype_opmath(d);
    Arg wide = cl_unsqueeze(b, TO(src, compute), dim);
    Arg chosen = WHERE(hit, wide, cl_number_to(b, c.neutral, compute));
    if (self) {
        const Arg both[2] = {chosen, cl_unsqueeze(b, TO(part, compute), dim + 1)};
        chosen = cl_cat(b, both, 2, dim + 1);
    }
    Arg r = cl_reduce(b, c.prim, chosen, &DIMS1(dim + 1), false);
    Arg count = cl_sum(b, TO(hit, DT_i64), dim + 1, false);
    if (str_is(how, "mean")) {
        Arg n = MAX(self ? ADD(count, I(1)) : count, I(1));
        r = dtype_is_exact(d) ? cl_floor_divide(b, r, n) : DIV(r, n);
    }
    r = TO(r, d);
    if (!self)
        r = WHERE(GT(count, I(0)), r, part);
    return as_rank(b, with_region(b, x, &shape, dim, r), args[0]);
}

/* A slice of source for every index: the index counts for all elements of its slice. */
DECOMPOSE(d_index_reduce)
{
    Arg x = lift(b, args[0]), index = lift(b, args[2]), source = lift(b, args[3]);
    Str how = arg_str(args[4]);
    int64_t dim = index_dim(b, args[0], args[1], 1);
    Dims sx = cl_shape(b, x), ss = cl_shape(b, source), along = {.n = ss.n};
    check_index(b, index, 2);
    if (!str_is(how, "prod") && !str_is(how, "mean") && !str_is(how, "amax") &&
        !str_is(how, "amin"))
        build_error(b, 4,
                    "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
                    "%.*s.",
                    STR(how));
    if (cl_rank(b, index) != 1)
        build_error(b, 2, "index_reduce_(): Index is supposed to be a vector");
    if (cl_dtype(b, x) != cl_dtype(b, source))
        build_error(b, 3,
                    "index_reduce_(): self (%s) and source (%s) must have the same scalar "
                    "type",
                    dtype_text(cl_dtype(b, x)), dtype_text(cl_dtype(b, source)));
    bool same = sx.n == ss.n;
    for (uint32_t i = 0; i < ss.n && same; i++) {
        along.v[i] = i == dim ? ss.v[i] : 1;
        same = i == dim || sx.v[i] == ss.v[i];
    }
    if (!same)
        build_error(b, 3,
                    "source tensor shape must match self tensor shape, excluding the "
                    "specified dimension");
    else if (cl_numel(b, index) != ss.v[dim])
        build_error(b, 2,
                    "index_reduce_(): Number of indices (%lld) should be equal to "
                    "source.size(dim): (%lld), for dim: %lld",
                    (long long)cl_numel(b, index), (long long)ss.v[dim], (long long)dim);
    if (b->failed)
        return A_NONE;
    Arg places = cl_broadcast_to(b, cl_reshape(b, index, &along), &ss);
    Arg r = CALL("scatter_reduce", x, I(dim), places, source, args[4], args[5]);
    return as_rank(b, r, args[0]);
}

/* Indices of the flattened a, also from its end. */
DECOMPOSE(d_put)
{
    Arg x = args[0], index = args[1], source = args[2];
    DType d = cl_dtype(b, x);
    Dims flat = DIMS1(cl_numel(b, x)), n = DIMS1(cl_numel(b, index)), shape = cl_shape(b, x);
    if (cl_dtype(b, index) != DT_i64)
        build_error(b, 1, "put_(): Expected a long tensor for index, but got %s",
                    dtype_text(cl_dtype(b, index)));
    if (cl_dtype(b, source) != d)
        build_error(b, 2,
                    "put_(): self and source expected to have the same dtype, but got self.dtype "
                    "= %s and source.dtype = %s",
                    dtype_text(d), dtype_text(cl_dtype(b, source)));
    if (cl_numel(b, source) != n.v[0])
        build_error(b, 2,
                    "put_(): Expected source and index to have the same number of elements, but "
                    "got source.numel() = %lld, index.numel() = %lld",
                    (long long)cl_numel(b, source), (long long)n.v[0]);
    else if (n.v[0] && !flat.v[0])
        build_error(b, 0, "put_(): Tried to put elements into an empty tensor");
    if (b->failed || !n.v[0])
        return x;
    Arg r = emit(b, index_put, cl_reshape(b, x, &flat), TUPLE(cl_reshape(b, index, &n)),
                 cl_reshape(b, source, &n), A_BOOL(cl_truth(b, args[3])));
    return cl_reshape(b, r, &shape);
}

static Arg with_slices(Build *b, enum PrimId prim, const Arg *args, Arg source)
{
    int64_t dim = index_dim(b, args[0], args[1], 1);
    Arg call[4] = {lift(b, args[0]), lift(b, args[2]), source, I(dim)};
    check_index(b, args[2], 2);
    if (cl_rank(b, args[2]) > 1)
        build_error(b, 2, "Index is supposed to be a vector");
    if (cl_dtype(b, source) != cl_dtype(b, args[0]))
        build_error(b, 3, "self and source expected to have the same dtype");
    if (cl_rank(b, source) < cl_rank(b, call[0]))
        call[2] = cl_unsqueeze(b, source, dim);
    return b->failed ? A_NONE : as_rank(b, prim_call(b, prim, call, 4), args[0]);
}

DECOMPOSE(d_index_add)
{
    Arg source = args[3], alpha = args[4];
    if (cl_float(b, alpha) != 1)
        source =
            TO(MUL(source, cl_number_to(b, alpha, cl_dtype(b, args[0]))), cl_dtype(b, args[0]));
    return with_slices(b, PRIM_index_add, args, source);
}

DECOMPOSE(d_index_copy)
{
    return with_slices(b, PRIM_index_copy, args, args[3]);
}

DECOMPOSE(d_index_fill)
{
    Arg x = lift(b, args[0]), value = TO(args[3], cl_dtype(b, args[0])), index = lift(b, args[2]);
    int64_t dim = index_dim(b, args[0], args[1], 1), size = cl_size(b, x, dim);
    Dims shape = {.n = cl_rank(b, x)};
    check_index(b, index, 2);
    if (cl_rank(b, index) > 1)
        build_error(b, 2, "Index has to be a vector/scalar.");
    if (cl_rank(b, value) != 0)
        build_error(b, 3, "index_fill_ only supports a 0-dimensional value tensor");
    Arg places = cl_range(b, size, cl_device(b, x));
    Arg positive = cl_check_index(b, cl_wrap_index(b, index, size), size);
    Arg hit = EQ(cl_unsqueeze(b, places, 1), cl_unsqueeze(b, positive, 0));
    Dims over = DIMS1(1);
    Arg any = cl_reduce(b, PRIM_any, hit, &over, false);
    for (uint32_t i = 0; i < shape.n; i++)
        shape.v[i] = i == dim ? size : 1;
    return as_rank(b, WHERE(cl_reshape(b, any, &shape), value, x), args[0]);
}

DECOMPOSE(d_index_put)
{
    DType d = cl_dtype(b, args[0]);
    if (cl_dtype(b, args[2]) != d)
        build_error(b, 2,
                    "Index put requires the source and destination dtypes match, got %s for "
                    "the destination and %s for the source.",
                    dtype_text(d), dtype_text(cl_dtype(b, args[2])));
    bool accumulate = cl_truth(b, args[3]);
    if (args[1].n == 1 && arg_is_tensor(b, args[1].items[0]) &&
        cl_dtype(b, args[1].items[0]) == DT_b8 && cl_rank(b, args[2]) == 0) {
        Arg value = accumulate ? ADD(args[0], args[2]) : args[2];
        Dims trailing = {0};
        for (uint32_t i = cl_rank(b, args[1].items[0]); i < cl_rank(b, args[0]); i++)
            trailing.v[trailing.n++] = i;
        return WHERE(cl_unsqueeze_at(b, args[1].items[0], &trailing), value, args[0]);
    }
    if (b->failed)
        return A_NONE;
    return emit(b, index_put, args[0], args[1], args[2], A_BOOL(accumulate));
}

DECOMPOSE(d_masked_scatter)
{
    Arg x = args[0], mask = args[1], source = args[2];
    Dims shape = cl_shape(b, x), flat = DIMS1(cl_numel(b, x)), n = DIMS1(cl_numel(b, source));
    if (cl_dtype(b, mask) != DT_b8)
        build_error(b, 1, "masked_scatter: expected a bool mask");
    if (cl_dtype(b, x) != cl_dtype(b, source))
        build_error(b, 2, "masked_scatter: expected self and source to have same dtypes");
    const Arg both[2] = {x, mask};
    shape = cl_broadcast_shapes(b, both, 2);
    x = cl_broadcast_to(b, x, &shape);
    mask = cl_broadcast_to(b, mask, &shape);
    flat.v[0] = cl_numel(b, x);
    if (n.v[0] == 0 || flat.v[0] == 0)
        return x;
    Arg m = cl_reshape(b, mask, &flat);
    Arg place = WHERE(m, SUB(CALL("cumsum", m, I(0)), I(1)), I(0));
    Arg chosen = cl_take(b, cl_reshape(b, source, &n), place, 0);
    return cl_reshape(b, WHERE(m, chosen, cl_reshape(b, x, &flat)), &shape);
}

/* A subscript that is whole but at dim. */
static Arg key_at(Build *b, Arg x, int64_t dim, Arg item)
{
    uint32_t rank = cl_rank(b, x);
    Arg *items = new_array(&b->t->arena, Arg, rank + 1);
    for (uint32_t i = 0; i < rank; i++)
        items[i] = i == dim ? item : arg_slice(b->t, A_NONE, A_NONE, A_NONE);
    return (Arg){.kind = ARG_tuple, .n = rank, .items = items};
}

DECOMPOSE(d_select_scatter)
{
    int64_t dim = index_dim(b, args[0], args[2], 2);
    return cl_setitem(b, args[0], key_at(b, args[0], dim, args[3]), args[1]);
}

DECOMPOSE(d_slice_scatter)
{
    int64_t dim = index_dim(b, args[0], args[2], 2);
    Arg slice = arg_slice(b->t, args[3], args[4], args[5]);
    return cl_setitem(b, args[0], key_at(b, args[0], dim, slice), args[1]);
}

/* The diagonal of a table of positions says where the elements of src go. */
DECOMPOSE(d_diagonal_scatter)
{
    Arg x = args[0];
    int64_t d1 = index_dim(b, x, args[3], 3), d2 = index_dim(b, x, args[4], 4);
    Dims shape = cl_shape(b, x), flat = DIMS1(cl_numel(b, x)), n = DIMS1(cl_numel(b, args[1]));
    Arg table = cl_reshape(b, cl_range(b, flat.v[0], cl_device(b, x)), &shape);
    Arg places = cl_diagonal(b, table, cl_int(b, args[2], 2), d1, d2);
    Arg r = scatter_with(b, PRIM_scatter, cl_reshape(b, x, &flat), 0, cl_reshape(b, places, &n),
                         cl_reshape(b, args[1], &n));
    return cl_reshape(b, r, &shape);
}

/* ----------------------------------------------------------------------------------- searching */

/* The number of boundaries that lie before each value. */
static Arg count_before(Build *b, Arg boundaries, Arg values, bool right, DType out)
{
    uint32_t last = cl_rank(b, values);
    Arg wide = cl_unsqueeze(b, values, last);
    Arg before = right ? NOT(GT(boundaries, wide)) : NOT(GE(boundaries, wide));
    return TO(cl_sum(b, TO(before, DT_i64), last, false), out);
}

DECOMPOSE(d_bucketize)
{
    Arg x = args[0];
    if (cl_rank(b, args[1]) != 1)
        build_error(b, 1, "boundaries tensor must be 1 dimension, but got dim(%u)",
                    cl_rank(b, args[1]));
    if (cl_is_number(b, x))
        x = cl_tensor_of(b, x, cl_device(b, args[1]), cl_dtype(b, x) == DT_f64 ? DT_f32 : DT_i64);
    return count_before(b, args[1], x, cl_truth(b, args[3]),
                        cl_truth(b, args[2]) ? DT_i32 : DT_i64);
}

DECOMPOSE(d_searchsorted)
{
    Arg seq = args[0], x = args[1], side = args[4];
    bool right = cl_truth(b, args[3]);
    if (side.kind == ARG_str)
        right = str_is(arg_str(side), "right");
    if (GIVEN(args[5]))
        seq = cl_gather(b, seq, args[5], cl_rank(b, seq) - 1);
    if (cl_is_number(b, x))
        x = cl_tensor_of(b, x, cl_device(b, seq), cl_dtype(b, x) == DT_f64 ? DT_f32 : DT_i64);
    if (cl_rank(b, seq) == 0)
        build_error(b, 0, "torch.searchsorted(): the sorted sequence needs a dimension");
    if (cl_rank(b, seq) > 1)
        seq = cl_unsqueeze(b, seq, cl_rank(b, seq) - 1);
    return count_before(b, seq, x, right, cl_truth(b, args[2]) ? DT_i32 : DT_i64);
}

/* ------------------------------------------------------------------------------ repeat_interleave
 */

DECOMPOSE(d_repeat_interleave)
{
    Arg x = args[0], dim = args[2];
    Dims repeats = {0};
    if (!GIVEN(args[1])) /* repeats alone: what is repeated are their places */
        return repeat_by_tensor(b, cl_range(b, cl_size(b, x, 0), cl_device(b, x)), x, 0);
    if (!GIVEN(dim)) {
        Dims flat = DIMS1(cl_numel(b, x));
        x = cl_reshape(b, x, &flat);
        dim = I(0);
    }
    x = lift(b, x);
    int64_t d = index_dim(b, x, dim, 2), n = cl_size(b, x, d);
    if (b->failed)
        return A_NONE;
    if (arg_is_tensor(b, args[1]))
        return repeat_by_tensor(b, x, args[1], d);
    repeats = cl_ints(b, args[1], 1);
    if (repeats.n != 1 || repeats.v[0] < 0 || repeats.v[0] > INT32_MAX) {
        build_error(b, 1, "repeats must be one non-negative int");
        return A_NONE;
    }
    Dims wide = cl_shape(b, x), out = wide;
    if (b->failed || wide.n + 1 > MAX_RANK)
        return x;
    memmove(wide.v + d + 2, wide.v + d + 1, (wide.n - (uint32_t)d - 1) * sizeof *wide.v);
    wide.n++;
    wide.v[d + 1] = repeats.v[0];
    out.v[d] = n * repeats.v[0];
    return cl_reshape(b, cl_expand(b, cl_unsqueeze(b, x, d + 1), &wide), &out);
}

/* Every element is compared with every test element. */
DECOMPOSE(d_isin)
{
    Arg x = args[0], among = args[1];
    Dims flat = DIMS1(cl_numel(b, among));
    if (cl_is_number(b, x) && cl_is_number(b, among)) {
        build_error(b, 0, "isin needs a tensor");
        return A_NONE;
    }
    Arg found;
    if (cl_is_number(b, among)) {
        found = EQ(x, among);
    } else {
        uint32_t rank = cl_rank(b, x);
        Arg wide = arg_is_tensor(b, x) ? cl_unsqueeze(b, x, rank) : x;
        Arg equal = EQ(wide, cl_reshape(b, among, &flat));
        found = cl_reduce(b, PRIM_any, equal, &DIMS1(rank), false);
    }
    return cl_truth(b, args[2]) ? NOT(found) : found;
}

/* ------------------------------------------------------------------------------- embedding_bag */

/* Which element belongs to which bag, as a table of bags times elements; empty for 2-d input, whose
 * rows are the bags. */
static Arg bag_members(Build *b, Arg offsets, int64_t n, bool last_is_end)
{
    int64_t bags = cl_numel(b, offsets) - (last_is_end ? 1 : 0);
    Arg at = cl_range(b, n, cl_device(b, offsets)), from = cl_slice(b, offsets, 0, 0, bags, 1);
    Arg to = cl_slice(b, offsets, 0, 1, bags + (last_is_end ? 1 : 0), 1);
    if (!last_is_end) {
        Dims one = DIMS1(1);
        const Arg parts[2] = {to,
                              cl_full(b, &one, I(n), cl_device(b, offsets), cl_dtype(b, offsets))};
        to = cl_cat(b, parts, 2, 0);
    }
    return AND(GE(at, cl_unsqueeze(b, from, 1)), LT(at, cl_unsqueeze(b, to, 1)));
}

/* rows[bag, element, feature] reduced over elements that are members. */
static Arg reduce_bags(Build *b, Arg rows, Arg members, Arg weights, Str mode)
{
    DType compute = cl_dtype(b, rows);
    Arg mask = cl_unsqueeze(b, members, 2);
    Arg count = cl_sum(b, TO(mask, DT_i64), 1, false);
    if (str_is(mode, "max")) {
        Arg low = WHERE(mask, rows, F(-INFINITY));
        Arg r = cl_amax(b, low, 1, false);
        return WHERE(EQ(count, I(0)), F(0), r);
    }
    if (GIVEN(weights))
        rows = MUL(rows, TO(weights, compute));
    Arg sum = cl_sum(b, WHERE(mask, rows, F(0)), 1, false);
    return str_is(mode, "mean") ? DIV(sum, TO(MAX(count, I(1)), compute)) : sum;
}

DECOMPOSE(d_embedding_bag)
{
    Arg indices = args[0], weight = args[1], offsets = args[2], weights = args[8], members;
    Str mode = arg_str(args[6]);
    if (dtype_is_float(cl_dtype(b, indices))) { /* the order of arguments before version 0.4 */
        indices = args[1];
        weight = args[0];
    }
    DType d = cl_dtype(b, weight);
    uint32_t rank = cl_rank(b, indices);
    if (GIVEN(args[3]))
        build_error(b, 3, "embedding_bag with max_norm changes its weight, which is not supported");
    if (GIVEN(weights) && !str_is(mode, "sum"))
        build_error(b, 8,
                    "embedding_bag: per_sample_weights was not None. per_sample_weights is "
                    "only supported for mode='sum'");
    if (rank == 0 || rank > 2 || (rank == 2) == GIVEN(offsets)) {
        build_error(b, rank == 2 ? 2 : 0,
                    "embedding_bag takes 2-d input, or 1-d input with "
                    "offsets");
        return A_NONE;
    }
    Arg rows = cl_opmath_of(
        b, emit(b, embedding, indices, weight, A_NONE, A_NONE, F(2), A_BOOL(false), A_BOOL(false)));
    if (rank == 1) {
        members = bag_members(b, offsets, cl_size(b, indices, 0), cl_truth(b, args[9]));
        rows = cl_unsqueeze(b, rows, 0);
        if (GIVEN(weights))
            weights = cl_unsqueeze(b, cl_unsqueeze(b, weights, 1), 0);
        indices = cl_unsqueeze(b, indices, 0);
    } else {
        members = GE(indices, I(INT32_MIN));
        if (GIVEN(weights))
            weights = cl_unsqueeze(b, weights, 2);
    }
    if (GIVEN(args[10])) {
        int64_t pad = cl_int(b, args[10], 10);
        members = AND(members, NE(indices, I(pad < 0 ? pad + cl_size(b, weight, 0) : pad)));
    }
    return TO(reduce_bags(b, rows, members, weights, mode), d);
}

/* For each bag and feature the index of the row that has the largest element. */
static Arg largest_rows(Build *b, Arg weight, Arg indices, Arg members)
{
    Dims shape = {.n = 2, .v = {cl_size(b, members, 0), cl_size(b, weight, 1)}}, flat = DIMS1(-1);
    if (cl_numel(b, indices) == 0 || shape.v[0] == 0 || shape.v[1] == 0)
        return cl_full(b, &shape, I(0), cl_device(b, indices), cl_dtype(b, indices));
    Arg rows = cl_unsqueeze(b, cl_take(b, weight, indices, 0), 0);
    Arg seen = WHERE(cl_unsqueeze(b, members, 2), rows, F(-INFINITY));
    if (b->failed)
        return A_NONE;
    Arg at = cl_reshape(b, emit(b, argmax, seen, I(1)), &flat);
    return cl_reshape(b, cl_take(b, indices, at, 0), &shape);
}

DECOMPOSE(d_aten_embedding_bag)
{
    static const char *const modes[3] = {"sum", "mean", "max"};
    Arg weight = args[0], indices = args[1], offsets = args[2];
    int64_t mode = cl_int_within(b, args[4], 0, 2, 4), padding = cl_int(b, args[8], 8);
    Arg skipped = padding < 0 ? A_NONE : I(padding);
    if (cl_rank(b, indices) != 1 || cl_rank(b, offsets) != 1)
        build_error(b, cl_rank(b, indices) != 1 ? 1 : 2, "_embedding_bag takes 1-d tensors");
    if (b->failed)
        return A_NONE;
    Arg out = CALL("embedding_bag", indices, weight, offsets, A_NONE, F(2), args[3],
                   WORD(modes[mode]), args[5], args[6], args[7], skipped);
    Arg members = bag_members(b, offsets, cl_size(b, indices, 0), cl_truth(b, args[7]));
    DType d = cl_dtype(b, indices);
    Arg bag = cl_unsqueeze(b, cl_range(b, cl_size(b, members, 0), cl_device(b, indices)), 1);
    Arg bag_of = TO(cl_sum(b, MUL(TO(members, DT_i64), bag), 0, false), d);
    if (padding >= 0)
        members = AND(members, NE(indices, I(padding)));
    Arg size = TO(cl_sum(b, TO(members, DT_i64), 1, false), d);
    Arg largest = mode == 2 ? largest_rows(b, weight, indices, members) : emit(b, clone, size);
    return b->failed ? A_NONE : TUPLE(out, bag_of, size, largest);
}
