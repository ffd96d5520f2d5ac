/*
 * torch_join.c - decompositions of operators that join, stretch and repeat tensors, and of
 * diagonals and triangles.
 */
#include "notation.h"

#include <string.h>

/* ------------------------------------------------------------------------------------- joining */

DECOMPOSE(d_cat)
{
    uint32_t rank = 0;
    if (args[0].n == 0) {
        build_error(b, 0, "torch.cat(): expected a non-empty list of Tensors");
        return A_NONE;
    }
    for (uint32_t i = 0; i < args[0].n; i++) {
        uint32_t r = cl_rank(b, args[0].items[i]);
        if (r == 0)
            build_error(b, 0, "zero-dimensional tensor (at position %u) cannot be concatenated", i);
        if (r > rank)
            rank = r;
    }
    return cl_cat(b, args[0].items, args[0].n, cl_dim(b, cl_int(b, args[1], 1), rank, 1));
}

DECOMPOSE(d_stack)
{
    if (args[0].n == 0) {
        build_error(b, 0, "stack expects a non-empty TensorList");
        return A_NONE;
    }
    uint32_t rank = cl_rank(b, args[0].items[0]) + 1;
    return cl_stack(b, args[0].items, args[0].n, cl_dim(b, cl_int(b, args[1], 1), rank, 1));
}

static Arg at_least(Build *b, Arg x, uint32_t rank)
{
    if (cl_rank(b, x) == 0 && rank > 0)
        x = cl_unsqueeze(b, x, 0);
    if (cl_rank(b, x) == 1 && rank > 1)
        x = cl_unsqueeze(b, x, 0);
    if (cl_rank(b, x) == 2 && rank > 2)
        x = cl_unsqueeze(b, x, 2);
    return x;
}

static Arg all_at_least(Build *b, Arg tensors, uint32_t rank)
{
    if (tensors.n == 1)
        return at_least(b, tensors.items[0], rank);
    Arg *items = new_array(&b->t->arena, Arg, tensors.n + 1);
    for (uint32_t i = 0; i < tensors.n; i++)
        items[i] = at_least(b, tensors.items[i], rank);
    return (Arg){.kind = ARG_tuple, .n = tensors.n, .items = items};
}

DECOMPOSE(d_atleast_1d)
{
    return all_at_least(b, args[0], 1);
}

DECOMPOSE(d_atleast_2d)
{
    return all_at_least(b, args[0], 2);
}

DECOMPOSE(d_atleast_3d)
{
    return all_at_least(b, args[0], 3);
}

/* Tensors of at least this rank, joined along dim (rank 1 along 0 for hstack). */
static Arg joined(Build *b, Arg tensors, uint32_t rank, int64_t dim)
{
    if (tensors.n == 0) {
        build_error(b, 0, "expected a non-empty TensorList");
        return A_NONE;
    }
    Arg *items = new_array(&b->t->arena, Arg, tensors.n);
    for (uint32_t i = 0; i < tensors.n; i++)
        items[i] = at_least(b, tensors.items[i], rank);
    if (dim >= cl_rank(b, items[0]))
        dim = 0;
    return cl_cat(b, items, tensors.n, dim);
}

DECOMPOSE(d_hstack)
{
    return joined(b, args[0], 1, 1);
}

DECOMPOSE(d_vstack)
{
    return joined(b, args[0], 2, 0);
}

DECOMPOSE(d_dstack)
{
    return joined(b, args[0], 3, 2);
}

DECOMPOSE(d_column_stack)
{
    Arg *items = new_array(&b->t->arena, Arg, args[0].n + 1);
    for (uint32_t i = 0; i < args[0].n; i++) {
        Arg x = args[0].items[i];
        Dims column = {.n = 2, .v = {cl_numel(b, x), 1}};
        items[i] = cl_rank(b, x) < 2 ? cl_reshape(b, x, &column) : x;
    }
    return cl_cat(b, items, args[0].n, 1);
}

DECOMPOSE(d_block_diag)
{
    int64_t cols = 0, at = 0;
    Arg *items = new_array(&b->t->arena, Arg, args[0].n + 1);
    for (uint32_t i = 0; i < args[0].n; i++) {
        items[i] = at_least(b, args[0].items[i], 2);
        cols += cl_size(b, items[i], 1);
    }
    for (uint32_t i = 0; i < args[0].n; i++) {
        int64_t n = cl_size(b, items[i], 1);
        Dims low = {.n = 2, .v = {0, at}}, high = {.n = 2, .v = {0, cols - at - n}};
        items[i] = cl_pad(b, items[i], &low, &high, I(0));
        at += n;
    }
    return cl_cat(b, items, args[0].n, 0);
}

/* --------------------------------------------------------------------------------- broadcasting */

DECOMPOSE(d_broadcast_tensors)
{
    Dims shape = cl_broadcast_shapes(b, args[0].items, args[0].n);
    Arg *items = new_array(&b->t->arena, Arg, args[0].n + 1);
    for (uint32_t i = 0; i < args[0].n; i++)
        items[i] = cl_broadcast_to(b, args[0].items[i], &shape);
    return (Arg){.kind = ARG_tuple, .n = args[0].n, .items = items};
}

DECOMPOSE(d_meshgrid)
{
    uint32_t n = args[0].n;
    bool xy = str_is(arg_str(args[1]), "xy") && n >= 2;
    Dims shape = {.n = n};
    Arg *items = new_array(&b->t->arena, Arg, n + 1);
    if (!xy && !str_is(arg_str(args[1]), "ij") && !str_is(arg_str(args[1]), "xy"))
        build_error(b, 1, "torch.meshgrid: indexing must be one of \"xy\" or \"ij\"");
    if (n == 0 || n > MAX_RANK) {
        build_error(b, 0, "meshgrid expects a non-empty TensorList");
        return A_NONE;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (cl_rank(b, args[0].items[i]) > 1)
            build_error(b, 0, "torch.meshgrid: Expected 0D or 1D tensor in the tensor list");
        shape.v[xy && i < 2 ? 1 - i : i] = cl_numel(b, args[0].items[i]);
    }
    for (uint32_t i = 0; i < n && !b->failed; i++) {
        uint32_t at = xy && i < 2 ? 1 - i : i;
        Dims place = DIMS1(at);
        items[i] = emit(b, broadcast_in_dim, at_least(b, args[0].items[i], 1), cl_tuple(b, &shape),
                        cl_tuple(b, &place));
    }
    return b->failed ? A_NONE : (Arg){.kind = ARG_tuple, .n = n, .items = items};
}

DECOMPOSE(d_repeat)
{
    Dims repeats = cl_ints(b, args[1], 1);
    return cl_repeat(b, args[0], &repeats);
}

DECOMPOSE(d_tile)
{
    Dims repeats = cl_ints(b, args[1], 1);
    uint32_t rank = cl_rank(b, args[0]);
    if (repeats.n < rank) {
        uint32_t more = rank - repeats.n;
        memmove(repeats.v + more, repeats.v, repeats.n * sizeof *repeats.v);
        for (uint32_t i = 0; i < more; i++)
            repeats.v[i] = 1;
        repeats.n = rank;
    }
    return cl_repeat(b, args[0], &repeats);
}

/* ------------------------------------------------------------------------- diagonals, triangles */

/* x as the diagonal of zero matrices, in the last two dimensions. */
static Arg embed(Build *b, Arg x, int64_t offset)
{
    uint32_t rank = cl_rank(b, x);
    int64_t more = offset < 0 ? -offset : offset, n = cl_size(b, x, rank - 1) + more;
    Dims low = {.n = rank}, high = {.n = rank};
    Device dev = cl_device(b, x);
    high.v[rank - 1] = more;
    x = cl_unsqueeze(b, cl_pad(b, x, &low, &high, I(0)), offset >= 0 ? rank : rank - 1);
    Arg rows = cl_unsqueeze(b, cl_range(b, n, dev), 1), cols = cl_range(b, n, dev);
    return WHERE(EQ(ADD(rows, I(offset)), cols), x, cl_number_to(b, I(0), cl_dtype(b, x)));
}

DECOMPOSE(d_diag_embed)
{
    uint32_t rank = cl_rank(b, args[0]);
    int64_t d1 = cl_dim(b, cl_int(b, args[2], 2), rank + 1, 2);
    int64_t d2 = cl_dim(b, cl_int(b, args[3], 3), rank + 1, 3);
    if (rank == 0 || d1 == d2) {
        build_error(b, rank ? 3 : 0, "diagonal dimensions cannot be identical %lld, %lld",
                    (long long)d1, (long long)d2);
        return A_NONE;
    }
    Dims from = {.n = 2, .v = {rank - 1, rank}}, to = {.n = 2, .v = {d1, d2}};
    return cl_movedim(b, embed(b, args[0], cl_int_within(b, args[1], -MANY, MANY, 1)), &from, &to);
}

DECOMPOSE(d_diag)
{
    uint32_t rank = cl_rank(b, args[0]);
    int64_t offset = cl_int_within(b, args[1], -MANY, MANY, 1);
    if (rank == 1)
        return embed(b, args[0], offset);
    if (rank != 2) {
        build_error(b, 0, "diag(): Supports 1D or 2D tensors. Got %uD", rank);
        return A_NONE;
    }
    return cl_diagonal(b, args[0], offset, 0, 1);
}

static Arg in_triangle(Build *b, Arg x, int64_t diagonal, bool lower, Arg fill)
{
    uint32_t rank = cl_rank(b, x);
    Device dev = cl_device(b, x);
    if (rank < 2) {
        build_error(b, 0, "input tensor must have at least 2 dimensions");
        return A_NONE;
    }
    Arg rows = cl_unsqueeze(b, cl_range(b, cl_size(b, x, rank - 2), dev), 1);
    Arg cols = cl_unsqueeze(b, cl_range(b, cl_size(b, x, rank - 1), dev), 0);
    if (diagonal)
        rows = ADD(rows, I(diagonal));
    return WHERE(lower ? GE(rows, cols) : LE(rows, cols), x, cl_number_to(b, fill, cl_dtype(b, x)));
}

DECOMPOSE(d_tril)
{
    return in_triangle(b, args[0], cl_int(b, args[1], 1), true, args[2]);
}

DECOMPOSE(d_triu)
{
    return in_triangle(b, args[0], cl_int(b, args[1], 1), false, I(0));
}
