/*
 * torch_shape.c - decompositions of operators that move elements and compute none.
 */
#include "notation.h"

#include <string.h>

/* ------------------------------------------------------------------------------------ reshaping */

DECOMPOSE(d_reshape)
{
    Dims shape = cl_ints(b, args[1], 1);
    return cl_reshape(b, args[0], &shape);
}

DECOMPOSE(d_view)
{
    return CALL("reshape", args[0], args[1]);
}

DECOMPOSE(d_reshape_as)
{
    Dims shape = cl_shape(b, args[1]);
    return cl_reshape(b, args[0], &shape);
}

DECOMPOSE(d_flatten)
{
    uint32_t rank = cl_rank(b, args[0]);
    int64_t start = cl_dim(b, cl_int(b, args[1], 1), rank, 1);
    int64_t end = cl_dim(b, cl_int(b, args[2], 2), rank, 2);
    if (start > end)
        build_error(b, 1, "flatten() has invalid args: start_dim cannot come after end_dim");
    return cl_flatten(b, args[0], start, end);
}

DECOMPOSE(d_unflatten)
{
    Dims shape = cl_shape(b, args[0]), sizes = cl_ints(b, args[2], 2), out = {0};
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), shape.n, 1), known = 1;
    if (sizes.n == 0 || sizes.n + shape.n > MAX_RANK || shape.n == 0) {
        build_error(b, 2, "unflatten: sizes must be non-empty");
        return A_NONE;
    }
    for (uint32_t i = 0; i < sizes.n; i++)
        known *= sizes.v[i] == -1 ? 1 : sizes.v[i];
    for (uint32_t i = 0; i < shape.n; i++) {
        for (uint32_t k = 0; i == dim && k < sizes.n; k++)
            out.v[out.n++] = sizes.v[k] == -1 && known > 0 ? shape.v[dim] / known : sizes.v[k];
        if (i != dim)
            out.v[out.n++] = shape.v[i];
    }
    return cl_reshape(b, args[0], &out);
}

DECOMPOSE(d_expand)
{
    Dims shape = cl_ints(b, args[1], 1);
    return cl_expand(b, args[0], &shape);
}

DECOMPOSE(d_expand_as)
{
    Dims shape = cl_shape(b, args[1]);
    return cl_expand(b, args[0], &shape);
}

DECOMPOSE(d_squeeze)
{
    Dims dims = cl_dims(b, args[1], cl_rank(b, args[0]), false, 1);
    return cl_squeeze(b, args[0], &dims);
}

DECOMPOSE(d_unsqueeze)
{
    return cl_unsqueeze(b, args[0], cl_dim(b, cl_int(b, args[1], 1), cl_rank(b, args[0]) + 1, 1));
}

DECOMPOSE(d_as_strided)
{
    Dims size = cl_ints(b, args[1], 1), stride = cl_ints(b, args[2], 2);
    if (size.n != stride.n)
        build_error(b, 2, "mismatch in length of strides and shape");
    return emit(b, as_strided, args[0], cl_tuple(b, &size), cl_tuple(b, &stride),
                I(cl_int_or(b, args[3], 0, 3)));
}

DECOMPOSE(d_view_as_real)
{
    const Arg parts[2] = {emit(b, real, args[0]), emit(b, imag, args[0])};
    return b->failed ? A_NONE : cl_stack(b, parts, 2, cl_rank(b, args[0]));
}

DECOMPOSE(d_view_as_complex)
{
    uint32_t rank = cl_rank(b, args[0]);
    if (rank == 0 || cl_size(b, args[0], rank - 1) != 2) {
        build_error(b, 0, "Tensor must have a last dimension of size 2");
        return A_NONE;
    }
    return emit(b, complex, cl_select(b, args[0], rank - 1, 0),
                cl_select(b, args[0], rank - 1, 1));
}

/* --------------------------------------------------------------------------------- transposing */

DECOMPOSE(d_permute)
{
    uint32_t rank = cl_rank(b, args[0]);
    Dims order = cl_ints(b, args[1], 1);
    bool seen[MAX_RANK + 1] = {0};
    if (order.n != rank)
        build_error(b, 1, "permute(sparse_coo): number of dimensions in the tensor input does not "
                    "match the length of the desired ordering of dimensions i.e. input.dim() = %u "
                    "is not equal to len(dims) = %u", rank, order.n);
    for (uint32_t i = 0; i < order.n && !b->failed; i++) {
        order.v[i] = cl_dim(b, order.v[i], rank, 1);
        if (seen[order.v[i]])
            build_error(b, 1, "permute(): duplicate dims are not allowed.");
        seen[order.v[i]] = true;
    }
    return b->failed ? A_NONE : cl_permute(b, args[0], &order);
}

DECOMPOSE(d_transpose)
{
    uint32_t rank = cl_rank(b, args[0]);
    int64_t d0 = cl_dim(b, cl_int(b, args[1], 1), rank, 1);
    int64_t d1 = cl_dim(b, cl_int(b, args[2], 2), rank, 2);
    return cl_swap(b, args[0], d0, d1);
}

/* Of more than two dimensions only Tensor.T: all of them in reverse. */
DECOMPOSE(d_t)
{
    uint32_t rank = cl_rank(b, args[0]);
    Dims order = {.n = rank};
    for (uint32_t i = 0; i < rank; i++)
        order.v[i] = rank - 1 - i;
    if (rank > 2)
        build_error(b, 0, "t() expects a tensor with <= 2 dimensions, but self is %uD", rank);
    return cl_permute(b, args[0], &order);
}

DECOMPOSE(d_mT)
{
    if (cl_rank(b, args[0]) < 2)
        build_error(b, 0, "tensor.mT is only supported on matrices or batches of matrices. Got "
                    "%u-D tensor.", cl_rank(b, args[0]));
    return cl_swap(b, args[0], -2, -1);
}

DECOMPOSE(d_movedim)
{
    uint32_t rank = cl_rank(b, args[0]);
    Dims from = cl_ints(b, args[1], 1), to = cl_ints(b, args[2], 2);
    if (from.n != to.n)
        build_error(b, 2, "movedim: Invalid source or destination dims: source (%u dims) should "
                    "contain the same number of dims as destination (%u dims)", from.n, to.n);
    for (uint32_t i = 0; i < from.n && !b->failed; i++) {
        from.v[i] = cl_dim(b, from.v[i], rank, 1);
        to.v[i] = cl_dim(b, to.v[i], rank, 2);
        for (uint32_t k = 0; k < i; k++)
            if (from.v[k] == from.v[i] || to.v[k] == to.v[i])
                build_error(b, from.v[k] == from.v[i] ? 1 : 2, "movedim: repeated dim");
    }
    return b->failed || rank == 0 ? args[0] : cl_movedim(b, args[0], &from, &to);
}

DECOMPOSE(d_flip)
{
    Dims given = cl_ints(b, args[1], 1);
    Dims dims = cl_dims(b, args[1], cl_rank(b, args[0]), false, 1);
    if (cl_rank(b, args[0]) == 0 || given.n == 0)
        return emit(b, clone, args[0]);
    return cl_flip(b, args[0], &dims);
}

static Arg flip_at(Build *b, Arg x, int64_t dim, uint32_t least_rank)
{
    if (cl_rank(b, x) < least_rank) {
        build_error(b, 0, "Input must be >= %u-d.", least_rank);
        return A_NONE;
    }
    return cl_flip(b, x, &DIMS1(dim));
}

DECOMPOSE(d_fliplr)
{
    return flip_at(b, args[0], 1, 2);
}

DECOMPOSE(d_flipud)
{
    return flip_at(b, args[0], 0, 1);
}

DECOMPOSE(d_rot90)
{
    uint32_t rank = cl_rank(b, args[0]);
    Dims dims = GIVEN(args[2]) ? cl_ints(b, args[2], 2) : (Dims){.n = 2, .v = {0, 1}};
    int64_t k = ((cl_int(b, args[1], 1) % 4) + 4) % 4;
    if (dims.n != 2 || rank < 2) {
        build_error(b, 2, "expected total rotation dims == 2, but got dims = %u", dims.n);
        return A_NONE;
    }
    int64_t d0 = cl_dim(b, dims.v[0], rank, 2), d1 = cl_dim(b, dims.v[1], rank, 2);
    if (d0 == d1)
        build_error(b, 2, "expected rotation dims to be different");
    Arg x = args[0];
    if (k == 1)
        return cl_swap(b, cl_flip(b, x, &DIMS1(d1)), d0, d1);
    if (k == 2)
        return cl_flip(b, cl_flip(b, x, &DIMS1(d0)), &DIMS1(d1));
    return k == 3 ? cl_swap(b, cl_flip(b, x, &DIMS1(d0)), d0, d1) : emit(b, clone, x);
}

static Arg roll_one(Build *b, Arg x, int64_t shift, int64_t dim)
{
    int64_t size = cl_size(b, x, dim);
    if (size == 0 || b->failed)
        return x;
    shift = ((shift % size) + size) % size;
    if (shift == 0)
        return x;
    const Arg parts[2] = {cl_slice(b, x, dim, size - shift, size, 1),
                          cl_slice(b, x, dim, 0, size - shift, 1)};
    return cl_cat(b, parts, 2, dim);
}

DECOMPOSE(d_roll)
{
    Dims shifts = cl_ints(b, args[1], 1), dims = cl_ints(b, args[2], 2);
    Dims shape = cl_shape(b, args[0]);
    Arg x = args[0];
    if (dims.n == 0 && shifts.n == 1) {
        if (shape.n)
            x = cl_flatten(b, x, 0, shape.n - 1);
        return cl_reshape(b, shape.n ? roll_one(b, x, shifts.v[0], 0) : x, &shape);
    }
    if (dims.n != shifts.n)
        build_error(b, 2, "shifts and dimensions must align. shifts: %u, dims:%u", shifts.n,
                    dims.n);
    for (uint32_t i = 0; i < dims.n && !b->failed; i++)
        x = roll_one(b, x, shifts.v[i], cl_dim(b, dims.v[i], shape.n, 2));
    return x;
}

/* ------------------------------------------------------------------------------------- slicing */

DECOMPOSE(d_select)
{
    uint32_t rank = cl_rank(b, args[0]);
    if (rank == 0)
        build_error(b, 0, "select() cannot be applied to a 0-dim tensor.");
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), rank, 1), index = cl_int(b, args[2], 2);
    int64_t size = cl_size(b, args[0], dim);
    if (index < -size || index >= size)
        build_error(b, 2, "select(): index %lld out of range for tensor of size %lld at dimension "
                    "%lld", (long long)index, (long long)size, (long long)dim);
    return cl_select(b, args[0], dim, index < 0 ? index + size : index);
}

DECOMPOSE(d_slice)
{
    uint32_t rank = cl_rank(b, args[0]);
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), rank, 1), step = cl_int(b, args[4], 4);
    if (rank == 0)
        build_error(b, 0, "slice() cannot be applied to a 0-dim tensor.");
    if (step <= 0)
        build_error(b, 4, "slice step must be positive");
    return cl_slice(b, args[0], dim, cl_int_or(b, args[2], 0, 2),
                    cl_int_or(b, args[3], INT64_MAX, 3), step);
}

DECOMPOSE(d_narrow)
{
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), cl_rank(b, args[0]), 1);
    int64_t start = cl_int(b, args[2], 2), n = cl_int(b, args[3], 3), size = cl_size(b, args[0], dim);
    if (cl_rank(b, args[0]) == 0)
        build_error(b, 0, "narrow() cannot be applied to a 0-dim tensor.");
    start += start < 0 ? size : 0;
    if (n < 0 || start < 0 || start + n > size)
        build_error(b, 3, "start (%lld) + length (%lld) exceeds dimension size (%lld).",
                    (long long)start, (long long)n, (long long)size);
    return cl_slice(b, args[0], dim, start, start + n, 1);
}

/* Pieces of the given sizes, one after another. */
static Arg pieces(Build *b, Arg x, int64_t dim, const int64_t *sizes, uint32_t n)
{
    Arg *items = new_array(&b->t->arena, Arg, n + 1);
    int64_t at = 0;
    for (uint32_t i = 0; i < n && !b->failed; i++) {
        Arg piece = cl_slice(b, x, dim, at, at + sizes[i], 1);
        items[i] = arg_equal(piece, x) && !b->failed ? emit(b, shallow_copy, x) : piece;
        at += sizes[i];
    }
    return b->failed ? A_NONE : (Arg){.kind = ARG_list, .n = n, .items = items};
}

static Arg equal_pieces(Build *b, Arg x, int64_t dim, int64_t piece)
{
    int64_t size = cl_size(b, x, dim), n = piece > 0 ? (size + piece - 1) / piece : 0;
    n = n ? n : 1;
    int64_t *sizes = new_array(&b->t->arena, int64_t, n);
    for (int64_t i = 0; i < n; i++)
        sizes[i] = i == n - 1 ? size - i * piece : piece;
    return pieces(b, x, dim, sizes, (uint32_t)n);
}

DECOMPOSE(d_split)
{
    int64_t dim = cl_dim(b, cl_int(b, args[2], 2), cl_rank(b, args[0]), 2), sum = 0;
    Dims sizes = {0};
    if (cl_rank(b, args[0]) == 0)
        build_error(b, 0, "split expects at least a 1-dimensional tensor");
    if (!arg_is_seq(args[1])) {
        int64_t piece = cl_int(b, args[1], 1);
        if (piece < 0 || (piece == 0 && cl_size(b, args[0], dim) != 0))
            build_error(b, 1, "split expects split_size be non-negative, but got split_size=%lld",
                        (long long)piece);
        return b->failed ? A_NONE : equal_pieces(b, args[0], dim, piece);
    }
    if (args[1].n > MAX_RANK) { /* many pieces */
        int64_t *many = new_array(&b->t->arena, int64_t, args[1].n);
        for (uint32_t i = 0; i < args[1].n; i++)
            sum += many[i] = cl_int(b, args[1].items[i], 1);
        if (sum == cl_size(b, args[0], dim))
            return pieces(b, args[0], dim, many, args[1].n);
    } else {
        sizes = cl_ints(b, args[1], 1);
        for (uint32_t i = 0; i < sizes.n; i++) {
            sum += sizes.v[i];
            if (sizes.v[i] < 0)
                build_error(b, 1, "split_with_sizes expects split_sizes have only non-negative "
                            "entries");
        }
    }
    if (sum != cl_size(b, args[0], dim))
        build_error(b, 1, "split_with_sizes expects split_sizes to sum exactly to %lld (input "
                    "tensor's size at dimension %lld)", (long long)cl_size(b, args[0], dim),
                    (long long)dim);
    return pieces(b, args[0], dim, sizes.v, sizes.n);
}

DECOMPOSE(d_chunk)
{
    int64_t n = cl_int(b, args[1], 1), dim = cl_dim(b, cl_int(b, args[2], 2), cl_rank(b, args[0]), 2);
    int64_t size = cl_size(b, args[0], dim);
    if (cl_rank(b, args[0]) == 0)
        build_error(b, 0, "chunk expects at least a 1-dimensional tensor");
    if (n <= 0)
        build_error(b, 1, "chunk expects `chunks` to be greater than 0, got: %lld", (long long)n);
    if (b->failed)
        return A_NONE;
    if (size == 0) { /* as many empty pieces as asked for */
        int64_t *sizes = new_array(&b->t->arena, int64_t, n);
        return pieces(b, args[0], dim, sizes, (uint32_t)n);
    }
    return equal_pieces(b, args[0], dim, (size + n - 1) / n);
}

DECOMPOSE(d_tensor_split)
{
    int64_t dim = cl_dim(b, cl_int(b, args[2], 2), cl_rank(b, args[0]), 2);
    int64_t size = cl_size(b, args[0], dim);
    if (cl_rank(b, args[0]) == 0)
        build_error(b, 0, "tensor_split expected at least a 1-dimensional tensor, but got a tensor "
                    "with 0 dims");
    bool cuts = arg_is_seq(args[1]);
    int64_t n = cuts ? (int64_t)args[1].n + 1 : cl_int(b, args[1], 1);
    if (n <= 0)
        build_error(b, 1, "number of sections must be larger than 0, got %lld", (long long)n);
    if (b->failed)
        return A_NONE;
    Arg *items = new_array(&b->t->arena, Arg, n);
    int64_t at = 0;
    for (int64_t i = 0; i < n && !b->failed; i++) {
        int64_t end = size;
        if (!cuts)
            end = at + size / n + (i < size % n);
        else if (i < n - 1)
            end = cl_int(b, args[1].items[i], 1);
        Arg piece = cl_slice(b, args[0], dim, at, end, 1);
        items[i] = arg_equal(piece, args[0]) ? emit(b, shallow_copy, piece) : piece;
        at = end;
    }
    return b->failed ? A_NONE : (Arg){.kind = ARG_list, .n = (uint32_t)n, .items = items};
}

DECOMPOSE(d_unbind)
{
    uint32_t rank = cl_rank(b, args[0]);
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), rank, 1), n = cl_size(b, args[0], dim);
    if (rank == 0)
        build_error(b, 0, "Dimension specified as 0 but tensor has no dimensions");
    Arg *items = new_array(&b->t->arena, Arg, n + 1);
    for (int64_t i = 0; i < n && !b->failed; i++)
        items[i] = cl_select(b, args[0], dim, i);
    return b->failed ? A_NONE : (Arg){.kind = ARG_tuple, .n = (uint32_t)n, .items = items};
}

DECOMPOSE(d_unfold)
{
    uint32_t rank = cl_rank(b, args[0]);
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), rank, 1), size = cl_int(b, args[2], 2);
    int64_t step = cl_int(b, args[3], 3), have = cl_size(b, args[0], dim);
    if (size < 0 || size > have)
        build_error(b, 2, "maximum size for tensor at dimension %lld is %lld but size is %lld",
                    (long long)dim, (long long)have, (long long)size);
    if (step <= 0)
        build_error(b, 3, "step is %lld but must be > 0", (long long)step);
    if (rank == 0) {
        Dims one = DIMS1(size);
        return cl_reshape(b, cl_slice(b, cl_unsqueeze(b, args[0], 0), 0, 0, size, 1), &one);
    }
    return emit(b, unfold, args[0], I(dim), I(size), I(step));
}

DECOMPOSE(d_diagonal)
{
    uint32_t rank = cl_rank(b, args[0]);
    int64_t offset = cl_int(b, args[1], 1), d1 = cl_dim(b, cl_int(b, args[2], 2), rank, 2);
    int64_t d2 = cl_dim(b, cl_int(b, args[3], 3), rank, 3);
    if (d1 == d2)
        build_error(b, 3, "diagonal dimensions cannot be identical %lld, %lld", (long long)d1,
                    (long long)d2);
    return b->failed ? A_NONE : cl_diagonal(b, args[0], offset, d1, d2);
}

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
    return cl_movedim(b, embed(b, args[0], cl_int(b, args[1], 1)), &from, &to);
}

DECOMPOSE(d_diag)
{
    uint32_t rank = cl_rank(b, args[0]);
    int64_t offset = cl_int(b, args[1], 1);
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

/* ------------------------------------------------------------------------------------- padding */

/* The elements that reflect, replicate and circular padding add at one side of dim. */
static Arg border(Build *b, Arg x, int64_t dim, int64_t n, bool before, Str mode)
{
    int64_t size = cl_size(b, x, dim);
    if (str_is(mode, "reflect")) {
        if (n >= size)
            build_error(b, 1, "Padding size should be less than the corresponding input "
                        "dimension, but got: padding %lld at dimension %lld of size %lld",
                        (long long)n, (long long)dim, (long long)size);
        Arg part = before ? cl_slice(b, x, dim, 1, n + 1, 1)
                          : cl_slice(b, x, dim, size - 1 - n, size - 1, 1);
        return cl_flip(b, part, &DIMS1(dim));
    }
    if (str_is(mode, "circular")) {
        if (n > size)
            build_error(b, 1, "Padding value causes wrapping around more than once.");
        return before ? cl_slice(b, x, dim, size - n, size, 1) : cl_slice(b, x, dim, 0, n, 1);
    }
    Dims shape = cl_shape(b, x);
    if (size == 0)
        build_error(b, 0, "cannot replicate the border of an empty dimension");
    shape.v[dim] = n;
    return cl_expand(b, cl_slice(b, x, dim, before ? 0 : size - 1, before ? 1 : size, 1), &shape);
}

/* x without what negative paddings cut off. */
static Arg cut(Build *b, Arg x, int64_t dim, int64_t low, int64_t high)
{
    int64_t size = cl_size(b, x, dim);
    if (size + (low < 0 ? low : 0) + (high < 0 ? high : 0) < 0)
        build_error(b, 1, "the padding makes dimension %lld negative", (long long)dim);
    return cl_slice(b, x, dim, low < 0 ? -low : 0, high < 0 ? size + high : size, 1);
}

/* Elements are repeated and reflected as they are before the cut, carried round after it. */
static Arg pad_border(Build *b, Arg x, int64_t dim, int64_t low, int64_t high, Str mode)
{
    Arg parts[3];
    uint32_t n = 0;
    bool circular = str_is(mode, "circular");
    if (circular)
        x = cut(b, x, dim, low, high);
    if (low > 0)
        parts[n++] = border(b, x, dim, low, true, mode);
    parts[n++] = x;
    if (high > 0)
        parts[n++] = border(b, x, dim, high, false, mode);
    if (b->failed)
        return A_NONE;
    x = n > 1 ? cl_cat(b, parts, n, dim) : x;
    return circular ? x : cut(b, x, dim, low, high);
}

DECOMPOSE(d_pad)
{
    Arg x = args[0];
    Dims pairs = cl_ints(b, args[1], 1);
    uint32_t rank = cl_rank(b, x);
    Str mode = arg_str(args[2]);
    if (pairs.n % 2 || pairs.n / 2 > rank) {
        build_error(b, 1, "Padding length too large: expected pairs for at most %u dimensions",
                    rank);
        return A_NONE;
    }
    if (str_is(mode, "constant")) {
        Dims low = {.n = rank}, high = {.n = rank};
        for (uint32_t i = 0; i < pairs.n / 2; i++) {
            low.v[rank - 1 - i] = pairs.v[2 * i];
            high.v[rank - 1 - i] = pairs.v[2 * i + 1];
        }
        return cl_pad(b, x, &low, &high, GIVEN(args[3]) ? args[3] : I(0));
    }
    if (!str_is(mode, "reflect") && !str_is(mode, "replicate") && !str_is(mode, "circular"))
        build_error(b, 2, "unrecognised padding mode '%.*s'", STR(mode));
    for (uint32_t i = 0; i < pairs.n / 2; i++)
        x = pad_border(b, x, rank - 1 - i, pairs.v[2 * i], pairs.v[2 * i + 1], mode);
    return x;
}

DECOMPOSE(d_pixel_shuffle)
{
    Dims s = cl_shape(b, args[0]);
    int64_t r = cl_int(b, args[1], 1);
    if (s.n < 3 || r <= 0 || s.v[s.n - 3] % (r * r)) {
        build_error(b, 0, "pixel_shuffle expects its input's 'channel' dimension to be divisible "
                    "by the square of upscale_factor");
        return A_NONE;
    }
    uint32_t k = s.n - 3;
    Dims wide = {.n = k + 5}, out = s, order = {.n = k + 5};
    const int64_t c = s.v[k] / (r * r), h = s.v[k + 1], w = s.v[k + 2];
    const int64_t tail[5] = {c, r, r, h, w}, place[5] = {0, 3, 1, 4, 2};
    for (uint32_t i = 0; i < k + 5; i++) {
        wide.v[i] = i < k ? s.v[i] : tail[i - k];
        order.v[i] = i < k ? i : k + place[i - k];
    }
    out.v[k] = c;
    out.v[k + 1] = h * r;
    out.v[k + 2] = w * r;
    return cl_reshape(b, cl_permute(b, cl_reshape(b, args[0], &wide), &order), &out);
}

DECOMPOSE(d_pixel_unshuffle)
{
    Dims s = cl_shape(b, args[0]);
    int64_t r = cl_int(b, args[1], 1);
    if (s.n < 3 || r <= 0 || s.v[s.n - 2] % r || s.v[s.n - 1] % r) {
        build_error(b, 0, "pixel_unshuffle expects height and width to be divisible by "
                    "downscale_factor");
        return A_NONE;
    }
    uint32_t k = s.n - 3;
    Dims wide = {.n = k + 5}, out = s, order = {.n = k + 5};
    const int64_t c = s.v[k], h = s.v[k + 1] / r, w = s.v[k + 2] / r;
    const int64_t tail[5] = {c, h, r, w, r}, place[5] = {0, 2, 4, 1, 3};
    for (uint32_t i = 0; i < k + 5; i++) {
        wide.v[i] = i < k ? s.v[i] : tail[i - k];
        order.v[i] = i < k ? i : k + place[i - k];
    }
    out.v[k] = c * r * r;
    out.v[k + 1] = h;
    out.v[k + 2] = w;
    return cl_reshape(b, cl_permute(b, cl_reshape(b, args[0], &wide), &order), &out);
}
