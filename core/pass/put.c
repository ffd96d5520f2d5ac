/*
 * put.c - writing through views, functionally; see put.h.
 *
 * Views that only rename or reorder all elements are undone by their inverse; a slice is written
 * with copy_with_setitem; any other view is applied to the numbers of the base's elements, which
 * tells where its elements go.
 */
#include "put.h"
#include "alias.h"
#include "rewrite.h"

static Arg put_reshape(Build *b, const Type *type, Arg value)
{
    return emit(b, reshape, value, arg_ints(b->t, type->shape, type->rank));
}

static Arg put_transpose(Build *b, const Node *step, Arg value)
{
    int64_t perm[MAX_RANK], back[MAX_RANK];
    uint32_t n;
    if (!known_dims(b->t, step->args[1], arg_type(b, value).rank, perm, &n)) {
        build_error(b, -1, "the permutation of a view that is written is not known");
        return A_NONE;
    }
    for (uint32_t i = 0; i < n; i++)
        back[perm[i]] = i;
    return emit(b, transpose, value, arg_ints(b->t, back, n));
}

/* The slice of dimension i that the view shows, as an index key. */
static Arg slice_key(Build *b, const Node *step, uint32_t i)
{
    int64_t limits[3][MAX_RANK] = {{0}};
    uint32_t n;
    limits[2][i] = 1;
    for (uint32_t k = 0; k < 3; k++)
        if (!arg_is_none(step->args[k + 1]) &&
            !known_ints(b->t, step->args[k + 1], limits[k], MAX_RANK, &n))
            build_error(b, -1, "the limits of a view that is written are not known");
    return arg_slice(b->t, A_INT(limits[0][i]), A_INT(limits[1][i]), A_INT(limits[2][i]));
}

static Arg put_slice(Build *b, const Node *step, Arg base, Arg value)
{
    Type type = arg_type(b, base), part = arg_type(b, value);
    Arg keys[MAX_RANK];
    bool whole = true;
    for (uint32_t i = 0; i < type.rank; i++) {
        keys[i] = slice_key(b, step, i);
        whole &= part.shape[i] == type.shape[i];
    }
    return whole ? value
                 : emit(b, copy_with_setitem, base, arg_tuple(b->t, keys, type.rank), value);
}

/* The general way: base and value flat, and the view of 0, 1, 2, ... says which element is which.
 */
static Arg put_by_index(Build *b, const Node *step, Arg base, Arg value)
{
    Type type = arg_type(b, base), part = arg_type(b, value);
    int64_t size = type_numel(&type), count = type_numel(&part);
    Arg args[MAX_PARAMS];
    Arg flat = emit(b, reshape, base, arg_ints(b->t, &size, 1));
    Arg flat_value = emit(b, reshape, value, arg_ints(b->t, &count, 1));
    Arg numbers =
        emit(b, iota, A_INT(size), A_INT(0), A_INT(1), A_DEVICE(type.device), A_DTYPE(DT_i64));
    for (uint32_t i = 0; i < step->nargs; i++)
        args[i] = step->args[i];
    args[0] = emit(b, reshape, numbers, arg_ints(b->t, type.shape, type.rank));
    Arg places = op_call(b, step->op, args);
    places = emit(b, reshape, places, arg_ints(b->t, &count, 1));
    return put_reshape(b, &type, emit(b, index_copy, flat, places, flat_value, A_INT(0)));
}

bool view_keeps_base(const Node *step)
{
    static const enum PrimId whole[] = {PRIM_reshape, PRIM_view, PRIM_squeeze, PRIM_transpose,
                                        PRIM_broadcast_in_dim}; /* stretching would overlap */
    for (size_t i = 0; i < ARRAY_LEN(whole); i++)
        if (node_is_prim(step, whole[i]))
            return false;
    return !is_rename(step);
}

Arg view_put(Build *b, const Node *step, const Type *type, Arg base, Arg value)
{
    if (is_rename(step))
        return value;
    if (node_is_prim(step, PRIM_slice_prim))
        return put_slice(b, step, base, value);
    if (node_is_prim(step, PRIM_transpose))
        return put_transpose(b, step, value);
    return view_keeps_base(step) ? put_by_index(b, step, base, value) : put_reshape(b, type, value);
}
