/*
 * torch_other.c - decompositions that stand alone: complex numbers from parts, covariance, splits
 * by direction, slopes, unpooling.
 */
#include "notation.h"

DECOMPOSE(d_complex)
{
    DType d = cl_dtype(b, args[0]);
    Arg xs[2] = {args[0], args[1]};
    Dims shape = cl_broadcast_shapes(b, xs, 2);
    if (!dtype_is_float(d) || d != cl_dtype(b, xs[1]))
        build_error(b, 1,
                    "Expected object of scalar type %s but got scalar type %s for second "
                    "argument",
                    dtype_text(d), dtype_text(cl_dtype(b, xs[1])));
    if (b->failed)
        return A_NONE;
    return emit(b, complex, cl_broadcast_to(b, xs[0], &shape), cl_broadcast_to(b, xs[1], &shape));
}

DECOMPOSE(d_polar)
{
    return CALL("complex", MUL(args[0], cl_cos(b, args[1])), MUL(args[0], cl_sin(b, args[1])));
}

/* Weights of observations: whole numbers of occurrences, and relative importances. */
static Arg observation_weights(Build *b, Arg x, Arg counts, Arg shares)
{
    int64_t n = cl_size(b, x, 1);
    const Arg both[2] = {counts, shares};
    for (int i = 0; i < 2; i++) {
        if (!GIVEN(both[i]))
            continue;
        if (cl_rank(b, both[i]) > 1 || cl_numel(b, both[i]) != n)
            build_error(b, i + 2, "cov(): expected %s to be one-dimensional with %lld elements",
                        i ? "aweights" : "fweights", (long long)n);
        else if (i ? !dtype_is_float(cl_dtype(b, both[i])) : !dtype_is_int(cl_dtype(b, both[i])))
            build_error(b, i + 2, "cov(): expected %s to have %s dtype",
                        i ? "aweights" : "fweights", i ? "floating point" : "integral");
    }
    if (GIVEN(counts))
        cl_assert(b, GE(counts, I(0)), "cov(): fweights cannot be negative");
    if (GIVEN(shares))
        cl_assert(b, GE(shares, F(0)), "cov(): aweights cannot be negative");
    DType d = cl_dtype(b, x);
    if (GIVEN(counts) && GIVEN(shares))
        return MUL(TO(counts, d), TO(shares, d));
    return GIVEN(counts) ? TO(counts, d) : GIVEN(shares) ? TO(shares, d) : A_NONE;
}

DECOMPOSE(d_cov)
{
    Arg x = args[0];
    uint32_t rank = cl_rank(b, x);
    if (rank > 2) {
        build_error(b, 0,
                    "cov(): expected input to have two or fewer dimensions but got an input "
                    "with %u dimensions",
                    rank);
        return A_NONE;
    }
    if (cl_dtype(b, x) == DT_b8)
        build_error(b, 0, "cov(): bool dtype is not supported for input");
    Dims row = {.n = 2, .v = {1, cl_numel(b, x)}};
    x = rank < 2 ? cl_reshape(b, x, &row) : x;
    if (dtype_is_exact(cl_dtype(b, x)))
        x = TO(x, DT_f32);
    Arg w = observation_weights(b, x, args[2], args[3]), correction = args[1];
    Arg total = GIVEN(w) ? cl_sum(b, w, 0, false) : F((double)cl_size(b, x, 1));
    Arg weighted = GIVEN(w) ? MUL(x, w) : x;
    Arg centred = SUB(x, DIV(cl_sum(b, weighted, 1, true), total));
    Arg norm = SUB(total, correction);
    if (GIVEN(args[3])) { /* importances: the effective number of observations */
        Arg squares = cl_sum(b, MUL(w, TO(args[3], cl_dtype(b, w))), 0, false);
        norm = SUB(total, DIV(MUL(correction, squares), total));
    }
    norm = cl_clamp(b, norm, F(0), A_NONE);
    Arg right = GIVEN(w) ? MUL(centred, w) : centred;
    if (dtype_is_complex(cl_dtype(b, right)))
        right = CALL("conj", right);
    Arg sums = cl_matmul(b, centred, cl_swap(b, right, 0, 1));
    Arg r = MUL(sums, cl_reciprocal(b, cl_tensor_of(b, norm, cl_device(b, x), cl_dtype(b, x))));
    Dims both = {.n = 2, .v = {0, 1}};
    return cl_squeeze(b, r, &both);
}

/* Of one row: 1, or NaN where it has no spread. */
DECOMPOSE(d_corrcoef)
{
    Arg x = args[0];
    uint32_t rank = cl_rank(b, x);
    if (rank > 2)
        build_error(b, 0,
                    "corrcoef(): expected input to have two or fewer dimensions but got an input "
                    "with %u dimensions",
                    rank);
    if (b->failed)
        return A_NONE;
    Arg c = CALL("cov", x, I(1), A_NONE, A_NONE);
    if (cl_rank(b, c) == 0)
        return DIV(c, c);
    Arg d = cl_diagonal(b, c, 0, 0, 1), spread = SQRT(CALL("real", d));
    c = DIV(DIV(c, cl_unsqueeze(b, spread, 1)), cl_unsqueeze(b, spread, 0));
    if (!dtype_is_complex(cl_dtype(b, c)))
        return CALL("clamp", c, I(-1), I(1));
    return CALL("complex", CALL("clamp", CALL("real", c), I(-1), I(1)),
                CALL("clamp", CALL("imag", c), I(-1), I(1)));
}

/* torch.hsplit and its relatives: equal sections must divide the size. */
static Arg split_along(Build *b, const Arg *args, uint32_t least, int64_t dim)
{
    uint32_t rank = cl_rank(b, args[0]);
    if (rank < least) {
        build_error(b, 0,
                    "split by direction requires a tensor with at least %u dimensions, but got "
                    "a tensor with %u dimensions",
                    least, rank);
        return A_NONE;
    }
    if (!arg_is_seq(args[1])) {
        int64_t n = cl_int(b, args[1], 1), size = cl_size(b, args[0], dim);
        if (n <= 0 || size % n)
            build_error(b, 1,
                        "attempting to split along dimension %lld, but the size of the "
                        "dimension %lld is not divisible by the split_size %lld",
                        (long long)dim, (long long)size, (long long)n);
    }
    return CALL("tensor_split", args[0], args[1], I(dim));
}

DECOMPOSE(d_hsplit)
{
    return split_along(b, args, 1, cl_rank(b, args[0]) == 1 ? 0 : 1);
}

DECOMPOSE(d_vsplit)
{
    return split_along(b, args, 2, 0);
}

DECOMPOSE(d_dsplit)
{
    return split_along(b, args, 3, 2);
}

/* as_strided of a table of positions says where src goes. */
DECOMPOSE(d_as_strided_scatter)
{
    Dims shape = cl_shape(b, args[0]), flat = DIMS1(cl_numel(b, args[0]));
    Dims n = DIMS1(cl_numel(b, args[1])), want = cl_ints(b, args[2], 2);
    Arg table = cl_reshape(b, cl_range(b, flat.v[0], cl_device(b, args[0])), &shape);
    Arg places = CALL("as_strided", table, args[2], args[3], args[4]);
    Arg src = cl_expand(b, args[1], &want);
    n.v[0] = cl_numel(b, places);
    Arg r = CALL("scatter", cl_reshape(b, args[0], &flat), I(0), cl_reshape(b, places, &n),
                 cl_reshape(b, src, &n));
    return cl_reshape(b, r, &shape);
}

DECOMPOSE(d_empty_permuted)
{
    Dims size = cl_ints(b, args[0], 0), order = cl_ints(b, args[1], 1);
    if (size.n != order.n)
        build_error(b, 1,
                    "Number of dimensions in size does not match the length of the "
                    "physical_layout");
    cl_dims(b, args[1], size.n, false, 1);
    for (uint32_t i = 0; i < order.n; i++)
        if (order.v[i] < 0)
            build_error(b, 1,
                        "Dimension out of range (expected to be between 0 and %u, but got "
                        "%lld)",
                        size.n - 1, (long long)order.v[i]);
    return b->failed ? A_NONE
                     : cl_full(b, &size, F(0), cl_device_or(b, args[2], (Device){DEV_cpu, 0}, 2),
                               cl_dtype_or(args[3], DT_f32));
}

/* ----------------------------------------------------------------------------------- unpooling */

/* Spatial sizes of the result: given (the last n count), or those that pooling came from. */
static bool unpooled_sizes(Build *b, const Arg *args, uint32_t n, Dims *out)
{
    Arg x = args[0];
    uint32_t rank = cl_rank(b, x);
    Dims kernel = cl_ints_n(b, args[2], n, 1, 2), pad = cl_ints_n(b, args[4], n, 0, 4);
    Dims stride = GIVEN(args[3]) ? cl_ints_n(b, args[3], n, 1, 3) : kernel;
    Dims given = GIVEN(args[5]) ? cl_ints(b, args[5], 5) : (Dims){0};
    Dims index = cl_shape(b, args[1]);
    *out = cl_shape(b, x);
    if (rank != n + 1 && rank != n + 2) {
        build_error(b, 0, "Input to max_unpool%ud should be a %ud or %ud Tensor", n, n + 1, n + 2);
        return false;
    }
    bool same = index.n == out->n;
    for (uint32_t i = 0; same && i < rank; i++)
        same = index.v[i] == out->v[i];
    if (!same)
        build_error(b, 1, "Expected shape of indices to be same as that of the input tensor");
    if (given.n && given.n != n && given.n != rank)
        build_error(b, 5, "output_size should be a sequence containing %u or %u elements", n, rank);
    for (uint32_t i = 0; i < n && !b->failed; i++) {
        int64_t *size = &out->v[rank - n + i];
        *size = given.n ? given.v[given.n - n + i]
                        : (*size - 1) * stride.v[i] - 2 * pad.v[i] + kernel.v[i];
        if (*size < 0 || *size > INT32_MAX)
            build_error(b, 5, "size %lld is negative, or too large", (long long)*size);
    }
    return !b->failed;
}

static Arg max_unpool(Build *b, const Arg *args, uint32_t n)
{
    Dims out;
    if (!unpooled_sizes(b, args, n, &out))
        return A_NONE;
    Dims shape = cl_shape(b, args[0]), flat = {.n = 2, .v = {1, 1}}, wide = flat;
    for (uint32_t i = 0; i < shape.n; i++) {
        flat.v[i >= shape.n - n] *= shape.v[i];
        wide.v[i >= shape.n - n] *= out.v[i];
    }
    Arg zeros = cl_full(b, &wide, F(0), cl_device(b, args[0]), cl_dtype(b, args[0]));
    Arg r =
        CALL("scatter", zeros, I(1), cl_reshape(b, args[1], &flat), cl_reshape(b, args[0], &flat));
    return cl_reshape(b, r, &out);
}

DECOMPOSE(d_max_unpool1d)
{
    return max_unpool(b, args, 1);
}

DECOMPOSE(d_max_unpool2d)
{
    return max_unpool(b, args, 2);
}

DECOMPOSE(d_max_unpool3d)
{
    return max_unpool(b, args, 3);
}

/* ---------------------------------------------------------------------------------------- slopes
 */

/* One end of the slopes along dim: one-sided, of first or second order. */
static Arg end_slope(Build *b, Arg x, int64_t dim, double h, bool first, int64_t order)
{
    int64_t n = cl_size(b, x, dim), at = first ? 0 : n - 1, step = first ? 1 : -1;
    Arg y[3];
    for (int64_t i = 0; i <= order; i++)
        y[i] = cl_slice(b, x, dim, at + i * step, at + i * step + 1, 1);
    double sign = first ? 1 : -1;
    if (order == 1)
        return MUL(SUB(y[1], y[0]), F(sign / h));
    Arg sum = ADD(MUL(y[0], F(-1.5)), SUB(MUL(y[1], F(2)), MUL(y[2], F(0.5))));
    return MUL(sum, F(sign / h));
}

static Arg slopes(Build *b, Arg x, int64_t dim, double h, int64_t order)
{
    int64_t n = cl_size(b, x, dim);
    if (n < order + 1) {
        build_error(b, 3,
                    "torch.gradient expected each dimension size to be at least edge_order+1");
        return A_NONE;
    }
    Arg middle = SUB(cl_slice(b, x, dim, 2, n, 1), cl_slice(b, x, dim, 0, n - 2, 1));
    const Arg parts[3] = {end_slope(b, x, dim, h, true, order), MUL(middle, F(0.5 / h)),
                          end_slope(b, x, dim, h, false, order)};
    return b->failed ? A_NONE : cl_cat(b, parts, 3, dim);
}

DECOMPOSE(d_gradient)
{
    uint32_t rank = cl_rank(b, args[0]);
    Dims dims = GIVEN(args[2]) ? cl_ints(b, args[2], 2) : cl_all_dims(rank);
    int64_t order = cl_int(b, args[3], 3);
    Arg spacing = args[1], x = args[0];
    if (order != 1 && order != 2)
        build_error(b, 3, "torch.gradient only supports edge_order=1 and edge_order=2.");
    if (arg_is_seq(spacing) && spacing.n != dims.n)
        build_error(b, 1,
                    "torch.gradient expected spacing to be unspecified, a scalar or a list of "
                    "length %u, but got a list of length %u",
                    dims.n, spacing.n);
    if (dtype_is_exact(cl_dtype(b, x)))
        x = TO(x, DT_f32);
    Arg *items = new_array(&b->t->arena, Arg, dims.n + 1);
    for (uint32_t i = 0; i < dims.n && !b->failed; i++) {
        Arg h = arg_is_seq(spacing) ? spacing.items[i] : spacing;
        int64_t dim = cl_dim(b, dims.v[i], rank, 2);
        if (!cl_is_number(b, h)) {
            build_error(b, 1, "torch.gradient takes numbers as spacing, not coordinates");
            return A_NONE;
        }
        items[i] = slopes(b, x, dim, cl_float(b, h), order);
    }
    return b->failed ? A_NONE : (Arg){.kind = ARG_list, .n = dims.n, .items = items};
}
