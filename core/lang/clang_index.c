/*
 * clang_index.c - builders, part five: indexing, gathering, matrix products.
 *
 * Input: Python subscripts (ints, slices, None, ..., index tensors) and operands of products.
 * Output: one slice_prim, one squeeze and one broadcast_in_dim for the basic part of a subscript,
 * take or index for index tensors; prims.matmul with equal batch sizes.
 */
#include "lang.h"

#include <string.h>

enum { MAX_KEY = 2 * MAX_RANK };

/* A subscript taken apart: per dimension of x a range, then what becomes of each. */
typedef struct Subscript {
    Dims start, stop, step; /* of the dimensions of x */
    Dims dropped;           /* dimensions taken by an int */
    Dims added;             /* places of None in the result of the basic part */
    Arg index[MAX_RANK];    /* index tensors by dimension of that result; None = whole */
    bool counted[MAX_RANK]; /* whether that tensor has no negative elements */
    bool advanced;
} Subscript;

static bool is_mask(const Build *b, Arg item)
{
    return arg_is_tensor(b, item) && (cl_dtype(b, item) == DT_b8 || cl_dtype(b, item) == DT_u8);
}

static uint32_t dims_used(const Build *b, Arg item)
{
    if (item.kind == ARG_none || item.kind == ARG_ellipsis || item.kind == ARG_bool)
        return 0;
    return is_mask(b, item) ? cl_rank(b, item) : 1;
}

/* A mask over the dimensions from dim on is the index tensors of where it holds. */
static uint32_t spell_mask(Build *b, Arg x, Arg mask, uint32_t dim, Arg *out)
{
    uint32_t n = cl_rank(b, mask);
    if (n == 0)
        build_error(b, 1, "a mask of rank 0 is not supported as an index; use torch.where");
    for (uint32_t k = 0; k < n; k++)
        if (cl_size(b, mask, k) != cl_size(b, x, dim + k))
            build_error(b, 1,
                        "the size %lld of the mask at its dimension %u does not match the size "
                        "%lld of the indexed tensor",
                        (long long)cl_size(b, mask, k), k, (long long)cl_size(b, x, dim + k));
    Arg rows = cl_nonzero(b, mask);
    for (uint32_t k = 0; k < n && !b->failed; k++)
        out[k] = cl_select(b, rows, 1, k);
    return b->failed ? 0 : n;
}

/* The items of key with ... and missing dimensions written out as whole slices; those that come
 * from a mask are counted. */
static uint32_t spell_out(Build *b, Arg x, Arg key, Arg out[MAX_KEY], bool counted[MAX_KEY])
{
    const Arg whole = arg_slice(b->t, A_NONE, A_NONE, A_NONE);
    uint32_t rank = cl_rank(b, x), used = 0, n = 0, dim = 0;
    bool seen = false;
    Arg one[1] = {key};
    if (key.kind != ARG_tuple)
        key = (Arg){.kind = ARG_tuple, .n = 1, .items = one};
    for (uint32_t i = 0; i < key.n; i++)
        used += dims_used(b, key.items[i]);
    if (used > rank) {
        build_error(b, 1, "too many indices for tensor of dimension %u", rank);
        return 0;
    }
    if (key.n + rank > MAX_KEY) {
        build_error(b, 1, "more than %d items in a subscript", MAX_KEY - MAX_RANK);
        return 0;
    }
    for (uint32_t i = 0; i < key.n; i++) {
        if (is_mask(b, key.items[i])) {
            uint32_t end = n + spell_mask(b, x, key.items[i], dim, out + n);
            while (n < end)
                counted[n++] = true;
            dim += cl_rank(b, key.items[i]);
            continue;
        }
        if (key.items[i].kind != ARG_ellipsis) {
            dim += dims_used(b, key.items[i]);
            out[n++] = key.items[i];
            continue;
        }
        dim += seen ? 0 : rank - used;
        for (uint32_t k = used; k < rank && !seen; k++)
            out[n++] = whole;
        seen = true;
    }
    for (uint32_t k = used; k < rank && !seen; k++)
        out[n++] = whole;
    return n;
}

static void take_slice(Build *b, Subscript *s, uint32_t dim, Arg slice, int64_t size)
{
    int64_t step = cl_int_or(b, slice.items[2], 1, 1);
    int64_t start = cl_int_or(b, slice.items[0], 0, 1);
    int64_t stop = cl_int_or(b, slice.items[1], size, 1);
    if (step <= 0)
        build_error(b, 1, "slice step must be positive");
    start = start < 0 ? start + size : start;
    stop = stop < 0 ? stop + size : stop;
    start = start < 0 ? 0 : start > size ? size : start;
    s->start.v[dim] = start;
    s->stop.v[dim] = stop < start ? start : stop > size ? size : stop;
    s->step.v[dim] = step;
}

/* index counted from 0, after an error when it is out of range. */
static int64_t check_int(Build *b, uint32_t dim, int64_t index, int64_t size)
{
    if (index < -size || index >= size)
        build_error(b, 1, "index %lld is out of bounds for dimension %u with size %lld",
                    (long long)index, dim, (long long)size);
    return index < 0 ? index + size : index;
}

static void take_int(Build *b, Subscript *s, uint32_t dim, int64_t index, int64_t size)
{
    index = check_int(b, dim, index, size);
    if (b->failed)
        return;
    s->start.v[dim] = index;
    s->stop.v[dim] = index + 1;
    s->dropped.v[s->dropped.n++] = dim;
}

/* Whether it is a list of ints; each is then checked against size, and counted from 0. */
static bool count_list(Build *b, Arg *list, uint32_t dim, int64_t size)
{
    Arg *items = new_array(&b->t->arena, Arg, list->n + 1);
    for (uint32_t i = 0; i < list->n; i++) {
        if (list->items[i].kind != ARG_int)
            return false;
        int64_t at = check_int(b, dim, list->items[i].i, size);
        items[i] = A_INT(at);
    }
    list->items = items;
    return true;
}

static Arg as_index(Build *b, Arg x, Arg item, uint32_t dim, bool *counted)
{
    if (arg_is_seq(item)) {
        *counted = count_list(b, &item, dim, cl_size(b, x, dim));
        return b->failed ? A_NONE : emit(b, tensor_from_sequence, item, A_DEVICE(cl_device(b, x)),
                                         A_DTYPE(DT_i64));
    }
    if (!dtype_is_int(cl_dtype(b, item)))
        build_error(b, 1, "tensors used as indices must be long, int, byte or bool tensors");
    return item;
}

static Subscript parse_key(Build *b, Arg x, Arg key)
{
    Arg items[MAX_KEY], lit;
    bool counted[MAX_KEY] = {false};
    Subscript s;
    memset(&s, 0, sizeof s);
    Dims shape = cl_shape(b, x);
    s.start.n = s.stop.n = s.step.n = shape.n;
    uint32_t n = spell_out(b, x, key, items, counted), dim = 0, place = 0;
    for (uint32_t i = 0; i < n && !b->failed; i++) {
        Arg item = items[i];
        if (item.kind == ARG_none) {
            s.added.v[s.added.n++] = place++;
            continue;
        }
        if (dim >= shape.n) {
            build_error(b, 1, "unsupported index");
            break;
        }
        s.stop.v[dim] = shape.v[dim];
        s.step.v[dim] = 1;
        if (item.kind == ARG_slice) {
            take_slice(b, &s, dim, item, shape.v[dim]);
            place++;
        } else if (cl_literal(b, item, &lit)) {
            take_int(b, &s, dim, cl_int(b, lit, 1), shape.v[dim]);
        } else {
            s.index[place % MAX_RANK] = as_index(b, x, item, dim, &counted[i]);
            s.counted[place++ % MAX_RANK] = counted[i];
            s.advanced = true;
        }
        dim++;
    }
    return s;
}

static Arg apply_basic(Build *b, Arg x, const Subscript *s)
{
    Dims shape = cl_shape(b, x);
    bool whole = true;
    for (uint32_t i = 0; i < shape.n; i++)
        whole = whole && s->start.v[i] == 0 && s->stop.v[i] == shape.v[i] && s->step.v[i] == 1;
    if (!whole)
        x = emit(b, slice_prim, x, cl_tuple(b, &s->start), cl_tuple(b, &s->stop),
                 cl_tuple(b, &s->step));
    if (s->dropped.n)
        x = emit(b, squeeze, x, cl_tuple(b, &s->dropped));
    return cl_unsqueeze_at(b, x, &s->added);
}

/* One index tensor of rank 1, or of rank 0, which takes its dimension away. */
static Arg take_one(Build *b, Arg x, const Subscript *s, uint32_t dim)
{
    Arg index = s->index[dim];
    bool single = cl_rank(b, index) == 0;
    if (!s->counted[dim])
        index = cl_wrap_index(b, index, cl_size(b, x, dim));
    x = cl_take(b, x, index, dim);
    Dims one = {.n = 1, .v = {dim}};
    return single && !b->failed ? emit(b, squeeze, x, cl_tuple(b, &one)) : x;
}

static Arg apply_advanced(Build *b, Arg x, const Subscript *s)
{
    uint32_t rank = cl_rank(b, x), last = 0, count = 0;
    for (uint32_t i = 0; i < rank; i++) {
        if (s->index[i].kind == ARG_none)
            continue;
        last = i;
        count++;
    }
    if (count == 1 && cl_rank(b, s->index[last]) <= 1)
        return take_one(b, x, s, last);
    return emit(b, index, x, arg_list(b->t, s->index, last + 1));
}

/* key with lists as tensors: those of bools are masks; lists of ints only where `ints` is set. */
static Arg lists_as_tensors(Build *b, Arg x, Arg key, bool ints)
{
    bool many = key.kind == ARG_tuple;
    Arg *items = new_array(&b->t->arena, Arg, many ? key.n + 1 : 1);
    uint32_t n = many ? key.n : 1;
    for (uint32_t i = 0; i < n && !b->failed; i++) {
        items[i] = many ? key.items[i] : key;
        bool list = items[i].kind == ARG_list;
        bool mask = list && items[i].n > 0 && items[i].items[0].kind == ARG_bool;
        if (mask || (list && ints))
            items[i] = emit(b, tensor_from_sequence, items[i], A_DEVICE(cl_device(b, x)),
                            A_DTYPE(mask ? DT_b8 : DT_i64));
    }
    return many ? arg_tuple(b->t, items, n) : items[0];
}

Arg cl_getitem(Build *b, Arg x, Arg key)
{
    if (b->failed)
        return A_NONE;
    key = lists_as_tensors(b, x, key, false);
    Subscript s = parse_key(b, x, key);
    if (b->failed)
        return A_NONE;
    x = apply_basic(b, x, &s);
    return s.advanced ? apply_advanced(b, x, &s) : x;
}

Arg cl_nonzero(Build *b, Arg x)
{
    Dims all = cl_all_dims(cl_rank(b, x));
    Arg set = cl_to_bool(b, x);
    Arg count = cl_reduce(b, PRIM_sum, cl_to(b, set, DT_i64), &all, false);
    int64_t n = build_data_int(b, count, cl_numel(b, x));
    return b->failed ? A_NONE : emit(b, nonzero, set, A_INT(n));
}

Arg cl_wrap_index(Build *b, Arg index, int64_t size)
{
    DType d = cl_dtype(b, index);
    if (b->failed || !dtype_info[d].is_signed)
        return index;
    index = dtype_info[d].bytes < 4 ? cl_to(b, index, DT_i64) : index;
    Arg below = cl_lt(b, index, A_INT(0)), counted = cl_add(b, index, A_INT(size));
    return cl_where(b, below, counted, index);
}

/* Taken from a range, which a kernel need not have in memory. */
Arg cl_check_index(Build *b, Arg index, int64_t size)
{
    Dims shape = cl_shape(b, index), flat = {.n = 1, .v = {cl_numel(b, index)}};
    Arg r = cl_take(b, cl_range(b, size, cl_device(b, index)), cl_reshape(b, index, &flat), 0);
    return cl_reshape(b, cl_to(b, r, cl_dtype(b, index)), &shape);
}

Arg cl_take(Build *b, Arg x, Arg indices, int64_t dim)
{
    return emit(b, take, x, indices, A_INT(dim));
}

Arg cl_gather(Build *b, Arg x, Arg indices, int64_t dim)
{
    return emit(b, gather, x, indices, A_INT(dim));
}

/* A mask as the whole key is a choice between value and x. */
Arg cl_setitem(Build *b, Arg x, Arg key, Arg value)
{
    DType d = cl_dtype(b, x);
    if (b->failed)
        return A_NONE;
    value = cl_to(b, value, d);
    key = lists_as_tensors(b, x, key, true);
    if (is_mask(b, key) && (cl_is_number(b, value) || cl_rank(b, value) == 0)) {
        Dims shape = cl_shape(b, x);
        Dims trailing = {.n = cl_rank(b, key) < shape.n ? shape.n - cl_rank(b, key) : 0};
        for (uint32_t i = 0; i < trailing.n; i++)
            trailing.v[i] = cl_rank(b, key) + i;
        Arg mask = cl_expand(b, cl_unsqueeze_at(b, key, &trailing), &shape);
        return cl_to(b, cl_where(b, mask, value, x), d);
    }
    return emit(b, copy_with_setitem, x, key, value);
}

/* ------------------------------------------------------------------------------------ products */

Arg cl_mm(Build *b, Arg x, Arg y)
{
    return emit(b, matmul, x, y);
}

static Dims batch_of(const Dims *shape)
{
    Dims d = *shape;
    d.n = d.n > 2 ? d.n - 2 : 0;
    return d;
}

/* The batch sizes of shape replaced by batch. */
static Arg with_batch(Build *b, Arg x, const Dims *batch)
{
    Dims have = cl_shape(b, x), out = *batch;
    out.v[out.n++] = have.v[have.n - 2];
    out.v[out.n++] = have.v[have.n - 1];
    return cl_expand(b, x, &out);
}

/* A batch of matrices times one matrix is one product of all rows. */
static Arg fold_rows(Build *b, Arg x, Arg y)
{
    Dims shape = cl_shape(b, x), out = shape;
    out.v[out.n - 1] = cl_size(b, y, 1);
    Arg rows = cl_flatten(b, x, 0, shape.n - 2);
    return cl_reshape(b, cl_mm(b, rows, y), &out);
}

static Arg batched(Build *b, Arg x, Arg y)
{
    Dims sx = cl_shape(b, x), sy = cl_shape(b, y), bx = batch_of(&sx), by = batch_of(&sy);
    Dims batch = bx.n >= by.n ? bx : by, other = bx.n >= by.n ? by : bx;
    uint32_t lead = batch.n - other.n;
    if (sy.n == 2 && sx.v[sx.n - 1] == sy.v[0])
        return fold_rows(b, x, y);
    for (uint32_t i = 0; i < other.n; i++) {
        int64_t *have = &batch.v[lead + i];
        if (*have != other.v[i] && *have != 1 && other.v[i] != 1)
            build_error(b, build_arg(b, y),
                        "The size of tensor a (%lld) must match the size of tensor b (%lld) at "
                        "non-singleton dimension %u",
                        (long long)bx.v[bx.n - other.n + i], (long long)by.v[by.n - other.n + i],
                        lead + i);
        if (*have == 1)
            *have = other.v[i];
    }
    return b->failed ? A_NONE : cl_mm(b, with_batch(b, x, &batch), with_batch(b, y, &batch));
}

Arg cl_matmul(Build *b, Arg x, Arg y)
{
    uint32_t rx = cl_rank(b, x), ry = cl_rank(b, y);
    if (b->failed)
        return A_NONE;
    if (rx == 0 || ry == 0) {
        build_error(b, rx == 0 ? 0 : 1,
                    "both arguments to matmul need to be at least 1D, but they are %uD and %uD", rx,
                    ry);
        return A_NONE;
    }
    /* b->around may cast the operands of the prim */
    if (!b->around && cl_dtype(b, x) != cl_dtype(b, y)) {
        build_error(b, 1, "expected both operands to have the same dtype, but got: %s != %s",
                    dtype_text(cl_dtype(b, x)), dtype_text(cl_dtype(b, y)));
        return A_NONE;
    }
    if (rx <= 2 && ry <= 2)
        return cl_mm(b, x, y);
    Dims drop = {.n = 1};
    if (rx == 1) {
        Arg r = batched(b, cl_unsqueeze(b, x, 0), y);
        drop.v[0] = cl_rank(b, r) - 2;
        return b->failed ? A_NONE : emit(b, squeeze, r, cl_tuple(b, &drop));
    }
    if (ry == 1) {
        Arg r = batched(b, x, cl_unsqueeze(b, y, 1));
        drop.v[0] = cl_rank(b, r) - 1;
        return b->failed ? A_NONE : emit(b, squeeze, r, cl_tuple(b, &drop));
    }
    return batched(b, x, y);
}
