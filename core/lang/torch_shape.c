/*
 * torch_shape.c - decompositions of operators that move elements and compute none.
 */
#include "notation.h"

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
        if (sizes.v[i] != -1 && __builtin_mul_overflow(known, sizes.v[i], &known))
            known = 0; /* the sizes cannot fit: reshape says so */
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
    return emit(b, complex, cl_select(b, args[0], rank - 1, 0), cl_select(b, args[0], rank - 1, 1));
}

/* --------------------------------------------------------------------------------- transposing */

DECOMPOSE(d_permute)
{
    uint32_t rank = cl_rank(b, args[0]);
    Dims order = cl_ints(b, args[1], 1);
    bool seen[MAX_RANK + 1] = {0};
    if (order.n != rank)
        build_error(b, 1,
                    "permute(sparse_coo): number of dimensions in the tensor input does not "
                    "match the length of the desired ordering of dimensions i.e. input.dim() = %u "
                    "is not equal to len(dims) = %u",
                    rank, order.n);
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
        build_error(b, 0,
                    "tensor.mT is only supported on matrices or batches of matrices. Got "
                    "%u-D tensor.",
                    cl_rank(b, args[0]));
    return cl_swap(b, args[0], -2, -1);
}

DECOMPOSE(d_movedim)
{
    uint32_t rank = cl_rank(b, args[0]);
    Dims from = cl_ints(b, args[1], 1), to = cl_ints(b, args[2], 2);
    if (from.n != to.n)
        build_error(b, 2,
                    "movedim: Invalid source or destination dims: source (%u dims) should "
                    "contain the same number of dims as destination (%u dims)",
                    from.n, to.n);
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
    if (dims.n && shape.n == 0)
        build_error(b, 2, "Dimension specified as %lld but tensor has no dimensions",
                    (long long)dims.v[0]);
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
        build_error(b, 2,
                    "select(): index %lld out of range for tensor of size %lld at dimension "
                    "%lld",
                    (long long)index, (long long)size, (long long)dim);
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
    int64_t start = cl_int(b, args[2], 2), n = cl_int(b, args[3], 3),
            size = cl_size(b, args[0], dim);
    if (cl_rank(b, args[0]) == 0)
        build_error(b, 0, "narrow() cannot be applied to a 0-dim tensor.");
    start += start < 0 ? size : 0;
    if (n < 0 || start < 0 || n > size || start > size - n) {
        build_error(b, 3, "start (%lld) + length (%lld) exceeds dimension size (%lld).",
                    (long long)start, (long long)n, (long long)size);
        return A_NONE;
    }
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
    int64_t size = cl_size(b, x, dim), n = piece > 0 ? size / piece + (size % piece != 0) : 0;
    n = n ? n : 1;
    if (n > MANY) {
        build_error(b, 1, "more than %d pieces", MANY);
        return A_NONE;
    }
    int64_t *sizes = new_array(&b->t->arena, int64_t, n);
    for (int64_t i = 0; i < n; i++)
        sizes[i] = i == n - 1 ? size - i * piece : piece;
    return pieces(b, x, dim, sizes, (uint32_t)n);
}

/* Pieces of given sizes, which must sum up to that of dim. */
static Arg sized_pieces(Build *b, Arg x, Arg sizes, int64_t dim)
{
    int64_t size = cl_size(b, x, dim), sum = 0;
    int64_t *all = new_array(&b->t->arena, int64_t, sizes.n + 1);
    for (uint32_t i = 0; i < sizes.n && sum >= 0; i++) {
        all[i] = cl_int(b, sizes.items[i], 1);
        sum = all[i] < 0 || all[i] > size - sum ? -1 : sum + all[i];
    }
    if (sum == size)
        return pieces(b, x, dim, all, sizes.n);
    build_error(b, 1,
                "split_with_sizes expects split_sizes to be non-negative and to sum exactly to "
                "%lld (input tensor's size at dimension %lld)",
                (long long)size, (long long)dim);
    return A_NONE;
}

DECOMPOSE(d_split)
{
    int64_t dim = cl_dim(b, cl_int(b, args[2], 2), cl_rank(b, args[0]), 2);
    if (cl_rank(b, args[0]) == 0)
        build_error(b, 0, "split expects at least a 1-dimensional tensor");
    if (arg_is_seq(args[1]))
        return sized_pieces(b, args[0], args[1], dim);
    int64_t piece = cl_int(b, args[1], 1);
    if (piece < 0 || (piece == 0 && cl_size(b, args[0], dim) != 0))
        build_error(b, 1, "split expects split_size be non-negative, but got split_size=%lld",
                    (long long)piece);
    return b->failed ? A_NONE : equal_pieces(b, args[0], dim, piece);
}

DECOMPOSE(d_chunk)
{
    int64_t n = cl_int(b, args[1], 1),
            dim = cl_dim(b, cl_int(b, args[2], 2), cl_rank(b, args[0]), 2);
    int64_t size = cl_size(b, args[0], dim);
    if (n > MANY && size == 0)
        build_error(b, 1, "more than %d chunks", MANY);
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
    return equal_pieces(b, args[0], dim, size / n + (size % n != 0));
}

/* The ints in a tensor: the trace is specialised for them. */
static Arg sections_of(Build *b, Arg x)
{
    uint32_t rank = cl_rank(b, x);
    if (x.kind != ARG_value || cl_is_number(b, x))
        return x;
    if (rank > 1 || !dtype_is_int(cl_dtype(b, x)))
        build_error(b, 1,
                    "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
                    "one-dimensional tensor of ints, but got a %s tensor with %u dims",
                    dtype_text(cl_dtype(b, x)), rank);
    if (b->failed)
        return A_NONE;
    if (rank == 0)
        return I(build_data_int(b, x, 1));
    int64_t n = cl_size(b, x, 0);
    if (n > MANY)
        build_error(b, 1, "more than %d sections", MANY);
    Arg *items = new_array(&b->t->arena, Arg, n + 1);
    for (int64_t i = 0; i < n && !b->failed; i++)
        items[i] = I(build_data_int(b, cl_select(b, x, 0, i), 0));
    return b->failed ? A_NONE : (Arg){.kind = ARG_list, .n = (uint32_t)n, .items = items};
}

DECOMPOSE(d_tensor_split)
{
    int64_t dim = cl_dim(b, cl_int(b, args[2], 2), cl_rank(b, args[0]), 2);
    int64_t size = cl_size(b, args[0], dim);
    if (cl_rank(b, args[0]) == 0)
        build_error(b, 0,
                    "tensor_split expected at least a 1-dimensional tensor, but got a tensor "
                    "with 0 dims");
    Arg where = sections_of(b, args[1]);
    bool cuts = arg_is_seq(where);
    int64_t n = cuts ? (int64_t)where.n + 1 : cl_int(b, where, 1);
    if (n > MANY)
        build_error(b, 1, "more than %d sections", MANY);
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
            end = cl_int(b, where.items[i], 1);
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
    if (n > MANY)
        build_error(b, 0, "more than %d slices", MANY);
    if (b->failed)
        return A_NONE;
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
    int64_t offset = cl_int_within(b, args[1], INT32_MIN, INT32_MAX, 1),
            d1 = cl_dim(b, cl_int(b, args[2], 2), rank, 2);
    int64_t d2 = cl_dim(b, cl_int(b, args[3], 3), rank, 3);
    if (d1 == d2)
        build_error(b, 3, "diagonal dimensions cannot be identical %lld, %lld", (long long)d1,
                    (long long)d2);
    return b->failed ? A_NONE : cl_diagonal(b, args[0], offset, d1, d2);
}

DECOMPOSE(d_diagflat)
{
    return CALL("diag", CALL("flatten", args[0]), args[1]);
}

/* All combinations of elements, one a row. */
DECOMPOSE(d_cartesian_prod)
{
    Arg grid = CALL("meshgrid", args[0], WORD("ij"));
    Dims flat = DIMS1(-1);
    if (args[0].n == 1)
        return args[0].items[0];
    Arg *columns = new_array(&b->t->arena, Arg, grid.n ? grid.n : 1);
    for (uint32_t i = 0; !b->failed && i < grid.n; i++)
        columns[i] = cl_reshape(b, grid.items[i], &flat);
    return b->failed ? A_NONE : cl_stack(b, columns, grid.n, 1);
}
