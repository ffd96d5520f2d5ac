/*
 * nest_dims.c - sizes and dimensions of prims, and where those that move elements read.
 *
 * Input: a node and the index of an element of its result. Output: the index of the element of its
 * operand that it is; or why the sizes are not known.
 */
#include "nest.h"

#include <string.h>

bool nest_ints(Nest *s, Arg a, int64_t *out, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        Arg x = arg_is_seq(a) ? (i < a.n ? a.items[i] : A_NONE) : i == 0 ? a : A_NONE;
        if (x.kind == ARG_value)
            x = value_get(s->r->t, x.v)->known;
        if (x.kind != ARG_int)
            return nest_fail(s, "a size or dimension of it is not known");
        out[i] = x.i;
    }
    return true;
}

static const Form *index_broadcast(Nest *s, const Node *n, const Type *from, const Form *index)
{
    int64_t dims[MAX_RANK];
    Form *to = new_array(&s->arena, Form, from->rank + 1);
    if (!nest_ints(s, n->args[2], dims, from->rank))
        return to;
    for (uint32_t i = 0; i < from->rank; i++)
        to[i] = from->shape[i] == 1 ? form_const(0) : index[dims[i]];
    return to;
}

static const Form *index_transpose(Nest *s, const Node *n, const Type *from, const Form *index)
{
    int64_t dims[MAX_RANK];
    Form *to = new_array(&s->arena, Form, from->rank + 1);
    if (!nest_ints(s, n->args[1], dims, from->rank))
        return to;
    for (uint32_t i = 0; i < from->rank; i++)
        to[dims[i] < 0 ? dims[i] + from->rank : dims[i]] = index[i];
    return to;
}

static const Form *index_slice(Nest *s, const Node *n, const Type *from, const Form *index)
{
    int64_t start[MAX_RANK], step[MAX_RANK];
    Form *to = new_array(&s->arena, Form, from->rank + 1);
    bool steps = n->args[3].kind != ARG_none;
    if (!nest_ints(s, n->args[1], start, from->rank) ||
        (steps && !nest_ints(s, n->args[3], step, from->rank)))
        return to;
    for (uint32_t i = 0; i < from->rank; i++)
        to[i] = form_add(s, form_const(start[i]), index[i], steps ? step[i] : 1);
    return to;
}

bool nest_in_dims(Nest *s, Arg a, uint32_t rank, bool *mask)
{
    int64_t dims[MAX_RANK];
    uint32_t n = arg_is_seq(a) ? a.n : 1;
    memset(mask, a.kind == ARG_none, rank * sizeof *mask); /* none named: all of them */
    if (a.kind == ARG_none)
        return true;
    if (n > MAX_RANK || !nest_ints(s, a, dims, n))
        return nest_fail(s, "a dimension of it is not known");
    for (uint32_t i = 0; i < n; i++) {
        int64_t dim = dims[i] < 0 ? dims[i] + rank : dims[i];
        if (dim >= 0 && dim < rank)
            mask[dim] = true;
    }
    return true;
}

static const Form *index_flip(Nest *s, const Node *n, const Type *from, const Form *index)
{
    bool mask[MAX_RANK];
    Form *to = new_array(&s->arena, Form, from->rank + 1);
    nest_in_dims(s, n->args[1], from->rank, mask);
    for (uint32_t i = 0; i < from->rank; i++)
        to[i] = mask[i] ? form_add(s, form_const(from->shape[i] - 1), index[i], -1) : index[i];
    return to;
}

/* Windows along a dimension; the element in its window is the last dimension. */
static const Form *index_unfold(Nest *s, const Node *n, const Type *from, const Form *index)
{
    int64_t dim, step;
    Form *to = new_array(&s->arena, Form, from->rank + 1);
    if (!nest_ints(s, n->args[1], &dim, 1) || !nest_ints(s, n->args[3], &step, 1))
        return to;
    memcpy(to, index, from->rank * sizeof *to);
    dim = dim < 0 ? dim + from->rank : dim;
    to[dim] = form_add(s, index[from->rank], index[dim], step);
    return to;
}

const Form *nest_moved_index(Nest *s, const Node *n, const Type *from, const Type *to,
                               const Form *index)
{
    switch (n->op->id) {
    case PRIM_broadcast_in_dim:
        return index_broadcast(s, n, from, index);
    case PRIM_transpose:
        return index_transpose(s, n, from, index);
    case PRIM_slice_prim:
        return index_slice(s, n, from, index);
    case PRIM_flip:
        return index_flip(s, n, from, index);
    case PRIM_unfold:
        return index_unfold(s, n, from, index);
    case PRIM_reshape:
    case PRIM_view:
    case PRIM_squeeze:
        return form_unravel(s, form_linear(s, index, to), from);
    default:
        return index;
    }
}

