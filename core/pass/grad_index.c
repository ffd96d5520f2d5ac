/*
 * grad_index.c - vjp rules of gathers, scatters and indexing.
 *
 * What was read gets its cotangents added; what was stored reads them, and what was overwritten
 * gets none.
 */
#include "vjp.h"

VJP(gather)
{
    GIVE(0, emit(b, scatter_add, zeros_like(b, args[0]), args[1], g, args[2]));
}

/* What `value` gets of g at indices: elements beyond the indices are not read. */
static Arg gathered_like(Build *b, Arg g, Arg indices, Arg value, Arg dim)
{
    Arg r = emit(b, gather, g, indices, dim);
    Dims want = cl_shape(b, value), have = cl_shape(b, r), low = {.n = want.n}, high = low;
    bool same = have.n == want.n;
    for (uint32_t i = 0; i < want.n && same; i++)
        high.v[i] = want.v[i] - have.v[i];
    if (!same)
        return cl_reshape(b, r, &want);
    for (uint32_t i = 0; i < want.n; i++)
        if (high.v[i])
            return cl_pad(b, r, &low, &high, F(0));
    return r;
}

VJP(scatter)
{
    GIVE(0, emit(b, scatter, g, args[1], cl_number_to(b, F(0), cl_dtype(b, g)), args[3]));
    GIVE(2, gathered_like(b, g, args[1], args[2], args[3]));
}

VJP(scatter_add)
{
    GIVE(0, g);
    GIVE(2, gathered_like(b, g, args[1], args[2], args[3]));
}

static Arg taken_like(Build *b, Arg g, Arg indices, Arg value, Arg dim)
{
    Dims shape = cl_shape(b, value);
    return cl_reshape(b, emit(b, take, g, indices, dim), &shape);
}

VJP(index_add)
{
    GIVE(0, g);
    GIVE(2, taken_like(b, g, args[1], args[2], args[3]));
}

VJP(index_copy)
{
    GIVE(0, emit(b, index_copy, g, args[1], zeros_like(b, args[2]), args[3]));
    GIVE(2, taken_like(b, g, args[1], args[2], args[3]));
}

VJP(take)
{
    GIVE(0, emit(b, index_add, zeros_like(b, args[0]), args[1], g, args[2]));
}

VJP(index)
{
    GIVE(0, emit(b, index_put, zeros_like(b, args[0]), args[1], g, A_BOOL(true)));
}

static bool has_mask(const Build *b, Arg key)
{
    if (arg_is_tensor(b, key))
        return cl_dtype(b, key) == DT_b8 || cl_dtype(b, key) == DT_u8;
    for (uint32_t i = 0; arg_is_seq(key) && i < key.n; i++)
        if (has_mask(b, key.items[i]))
            return true;
    return false;
}

/* The mask of a key that is one mask over leading dimensions, shaped to broadcast with a. */
static Arg leading_mask(Build *b, Arg key, Arg a)
{
    Arg mask = arg_is_seq(key) && key.n == 1 ? key.items[0] : key;
    uint32_t rank = cl_rank(b, a);
    if (!arg_is_tensor(b, mask) || cl_rank(b, mask) > rank)
        return A_NONE;
    Dims shape = cl_shape(b, mask);
    while (shape.n < rank)
        shape.v[shape.n++] = 1;
    return NE(cl_reshape(b, mask, &shape), I(0));
}

static uint32_t mask_rank(const Build *b, Arg key)
{
    return cl_rank(b, arg_is_seq(key) && key.n == 1 ? key.items[0] : key);
}

/* Whether a value of this shape was stretched over all places: it has the dimensions behind the
 * mask only. */
static bool slice_sized(const Dims *shape, const Dims *all, uint32_t masked)
{
    if (shape->n > all->n - masked)
        return false;
    for (uint32_t i = 1; i <= shape->n; i++)
        if (shape->v[shape->n - i] != all->v[all->n - i] && shape->v[shape->n - i] != 1)
            return false;
    return true;
}

/* Element k of value went to the k-th place where the mask holds: the places take numbers, and
 * those that get nothing share one more row behind the last. */
static Arg numbered_value(Build *b, Arg g, Arg mask, const Dims *shape)
{
    int64_t n = shape->v[0];
    Dims rows = *shape, flat = DIMS1(cl_numel(b, mask));
    Arg holds = cl_reshape(b, mask, &flat);
    Arg number = SUB(CALL("cumsum", TO(holds, DT_i64), I(0)), I(1));
    Arg place = WHERE(AND(holds, LT(number, I(n))), number, I(n));
    rows.v[0] = n + 1;
    Dims slices = rows;
    slices.v[0] = flat.v[0];
    if (b->failed)
        return A_NONE;
    Arg r = emit(b, index_add, zeros_of(b, &rows, g), place, cl_reshape(b, g, &slices), I(0));
    return cl_slice(b, r, 0, 0, n, 1);
}

/* A value stored under a mask. */
static void masked_value(Vjp *v, Build *b, Arg g, Arg a, Arg key, Arg value)
{
    Arg mask = leading_mask(b, key, a);
    Dims shape = cl_shape(b, value), all = cl_shape(b, a);
    if (!vjp_wants(v, value))
        return;
    int64_t slice = 1, places = 1;
    for (uint32_t i = 0; GIVEN(mask) && i < all.n; i++) {
        bool inside = i < mask_rank(b, key);
        places *= inside ? all.v[i] : 1;
        slice *= inside ? 1 : all.v[i];
    }
    if (GIVEN(mask) && cl_numel(b, value) == 1) {
        vjp_give(v, value, sum_to(b, WHERE(mask, g, F(0)), &shape));
        return;
    }
    bool rows = GIVEN(mask) && shape.n && shape.v[0] * slice == cl_numel(b, value) &&
                shape.n == 1 + all.n - mask_rank(b, key);
    Dims flat = DIMS1(places);
    if (rows)
        vjp_give(v, value, numbered_value(b, g, cl_reshape(b, mask, &flat), &shape));
    else if (GIVEN(mask) && slice_sized(&shape, &all, mask_rank(b, key)))
        vjp_give(v, value, sum_to(b, WHERE(mask, g, F(0)), &shape));
    else
        vjp_unsupported(v, "the sizes of the gradient depend on the data of a mask");
}

VJP(index_put)
{
    Dims shape = cl_shape(b, args[2]);
    bool adds = cl_truth(b, args[3]);
    if (adds) {
        GIVE(0, g);
    } else {
        Arg zero = cl_full(b, &(Dims){0}, F(0), cl_device(b, g), cl_dtype(b, g));
        GIVE(0, emit(b, index_put, g, args[1], zero, A_BOOL(false)));
    }
    if (has_mask(b, args[1]))
        masked_value(v, b, g, args[0], args[1], args[2]);
    else
        GIVE(2, sum_to(b, emit(b, index, g, args[1]), &shape));
}

VJP(copy_with_setitem)
{
    Arg zero = cl_number_to(b, F(0), cl_dtype(b, g));
    GIVE(0, emit(b, copy_with_setitem, g, args[1], zero));
    if (!vjp_wants(v, args[2]))
        return;
    Dims shape = cl_shape(b, args[2]);
    if (has_mask(b, args[1]))
        masked_value(v, b, g, args[0], args[1], args[2]);
    else
        vjp_give(v, args[2], sum_to(b, cl_getitem(b, g, args[1]), &shape));
}

VJP(embedding)
{
    GIVE(1, emit(b, embedding_backward, g, args[0], I(cl_size(b, args[1], 0)),
                 GIVEN(args[2]) ? args[2] : I(-1), args[5], A_BOOL(false)));
}

/* Linear in its first argument, unless the rows are scaled by how often they are read. */
VJP(embedding_backward)
{
    if (cl_truth(b, args[4])) {
        vjp_unsupported(v, "scale_grad_by_freq has no second derivative here");
        return;
    }
    if (!vjp_wants(v, args[0]))
        return;
    Dims shape = cl_shape(b, args[0]);
    Arg rows = cl_take(b, g, cl_reshape(b, args[1], &DIMS1(cl_numel(b, args[1]))), 0);
    rows = cl_reshape(b, rows, &shape);
    Arg kept = NE(cl_unsqueeze(b, args[1], cl_rank(b, args[1])), args[2]);
    vjp_give(v, args[0], WHERE(kept, rows, F(0)));
}
