/*
 * torch_norm.c - decompositions of softmax and its relatives, and of norms.
 */
#include "notation.h"

#include <math.h>

/* ------------------------------------------------------------------------------------- softmax */

/* F.softmax without dim: the last, or the first of up to three dimensions. */
static int64_t softmax_dim(Build *b, Arg x, Arg dim)
{
    uint32_t rank = cl_rank(b, x);
    if (!GIVEN(dim))
        return rank == 0 || rank == 1 || rank == 3 ? 0 : 1;
    return cl_dim(b, cl_int(b, dim, 1), rank, 1);
}

static Arg softmax(Build *b, Arg x, int64_t dim, DType out __attribute__((unused)))
{
    Arg e = EXP(SUB(x, cl_amax(b, x, dim, true)));
    return DIV(e, cl_sum(b, e, dim, true));
}

/* Along the last dimension PyTorch keeps the sum, and its logarithm, in the dtype of the result. */
static Arg log_softmax(Build *b, Arg x, int64_t dim, DType out)
{
    DType d = cl_dtype(b, x), kept = dim + 1 == cl_rank(b, x) ? out : d;
    Arg shifted = SUB(x, cl_amax(b, x, dim, true));
    Arg sum = TO(TO(cl_sum(b, EXP(shifted), dim, true), kept), d);
    return SUB(shifted, TO(TO(LOG(sum), kept), d));
}

static Arg softmax_like(Build *b, Arg x, Arg dim, Arg dtype,
                        Arg (*fn)(Build *, Arg, int64_t, DType))
{
    int64_t d = softmax_dim(b, x, dim);
    DType out = cl_dtype_or(dtype, cl_dtype(b, x));
    if (dtype_is_exact(out)) {
        build_error(b, 0, "softmax is not implemented for %s", dtype_text(out));
        return A_NONE;
    }
    x = cl_opmath_of(b, TO(x, out));
    if (cl_rank(b, x) == 0 ||
        cl_size(b, x, d) == 0) { /* one element, or none to take a maximum of */
        Arg e = EXP(SUB(x, x));
        return TO(fn == softmax ? e : LOG(e), out);
    }
    return TO(fn(b, x, d, out), out);
}

DECOMPOSE(d_softmax)
{
    return softmax_like(b, args[0], args[1], args[2], softmax);
}

DECOMPOSE(d_log_softmax)
{
    return softmax_like(b, args[0], args[1], args[2], log_softmax);
}

DECOMPOSE(d_softmax_f32)
{
    return softmax_like(b, args[0], args[1], A_DTYPE(DT_f32), softmax);
}

DECOMPOSE(d_log_softmax_f32)
{
    return softmax_like(b, args[0], args[1], A_DTYPE(DT_f32), log_softmax);
}

DECOMPOSE(d_softmin)
{
    return softmax_like(b, NEG(args[0]), args[1], args[2], softmax);
}

DECOMPOSE(d_logsumexp)
{
    Arg x = args[0];
    Dims dims = cl_dims(b, args[1], cl_rank(b, x), true, 1);
    bool keep = cl_truth(b, args[2]);
    DType out = cl_dtype(b, x);
    if (dtype_opmath(out) == out || cl_rank(b, x) == 0) /* in low precision each step is rounded */
        out = cl_enter(b, &x, 1, PROMOTE_INT_TO_FLOAT);
    if (cl_rank(b, x) == 0)
        return TO(x, out);
    if (cl_numel_over(b, x, &dims) == 0 || cl_numel(b, x) == 0)
        return TO(LOG(cl_reduce(b, PRIM_sum, EXP(x), &dims, keep)), out);
    return TO(cl_logsumexp(b, x, &dims, keep), out);
}

/* --------------------------------------------------------------------------------------- norms */

/* (sum of |x|^p)^(1/p), in the computation dtype. */
static Arg vector_norm(Build *b, Arg x, double p, const Dims *dims, bool keep)
{
    Arg size = ABS(x);
    if (isinf(p))
        return cl_reduce(b, p > 0 ? PRIM_amax : PRIM_amin, size, dims, keep);
    if (p == 0)
        return cl_reduce(b, PRIM_sum, TO(NE(x, F(0)), cl_dtype(b, size)), dims, keep);
    if (p == 1)
        return cl_reduce(b, PRIM_sum, size, dims, keep);
    if (p == 2)
        return SQRT(cl_reduce(b, PRIM_sum, MUL(size, size), dims, keep));
    return POW(cl_reduce(b, PRIM_sum, POW(size, F(p)), dims, keep), F(1 / p));
}

static void check_norm(Build *b, DType d, double p, bool empty)
{
    if (!dtype_is_inexact(d))
        build_error(b, 0,
                    "linalg.vector_norm: Expected a floating point or complex tensor as "
                    "input. Got %s",
                    dtype_text(d));
    if (empty && (isinf(p) || p < 0))
        build_error(b, 0,
                    "linalg.vector_norm cannot compute the %g norm on an empty dimension "
                    "because the operation does not have an identity",
                    p);
}

/* As a sub-node of its own, which has a gradient rule. */
static Arg norm_as(Build *b, Arg x, double p, const Dims *dims, bool keep, Arg dtype)
{
    check_norm(b, cl_dtype_or(dtype, cl_dtype(b, x)), p, cl_numel_over(b, x, dims) == 0);
    if (b->failed)
        return A_NONE;
    return CALL("linalg_vector_norm", x, F(p), cl_tuple(b, dims), A_BOOL(keep), dtype);
}

DECOMPOSE(d_vector_norm)
{
    Dims dims = cl_dims(b, args[2], cl_rank(b, args[0]), true, 2);
    double p = cl_float(b, args[1]);
    DType d = cl_dtype_or(args[4], cl_dtype(b, args[0]));
    check_norm(b, d, p, cl_numel_over(b, args[0], &dims) == 0);
    if (b->failed)
        return A_NONE;
    Arg x = cl_opmath_of(b, TO(args[0], d));
    return TO(vector_norm(b, x, p, &dims, cl_truth(b, args[3])), dtype_real(d));
}

/* (u, s, vh) of the matrices in the last two dimensions. */
static Arg factors(Build *b, Arg x)
{
    DType d = cl_dtype(b, x);
    if (cl_rank(b, x) < 2)
        build_error(b, 0, "linalg.svd: the input tensor must have at least 2 dimensions.");
    else if (d != DT_f32 && d != DT_f64)
        build_error(b, 0, "linalg.svd: singular values of %s are not defined here", dtype_text(d));
    return b->failed ? A_NONE : emit(b, svd, x);
}

DECOMPOSE(d_svdvals)
{
    return cl_item(factors(b, args[0]), 1);
}

/* Full matrices are those of the reduced form where the input is square. */
DECOMPOSE(d_svd)
{
    uint32_t rank = cl_rank(b, args[0]);
    if (rank >= 2 && cl_truth(b, args[1]) &&
        cl_size(b, args[0], rank - 2) != cl_size(b, args[0], rank - 1))
        build_error(b, 1, "linalg.svd: full_matrices is supported for square matrices only; "
                          "full_matrices=False for all");
    return factors(b, args[0]);
}

/* The sum of the singular values of matrices in two dimensions (p = 0), the largest (2) or the
 * smallest (-2). */
static Arg spectral_norm(Build *b, Arg x, double p, const Dims *both, bool keep)
{
    uint32_t rank = cl_rank(b, x);
    Dims last = {.n = 2, .v = {(int64_t)rank - 2, (int64_t)rank - 1}}, values = DIMS1(last.v[0]);
    Arg s = cl_item(factors(b, cl_movedim(b, x, both, &last)), 1);
    bool empty = cl_size(b, s, values.v[0]) == 0;
    if (empty && p < 0)
        build_error(b, 0, "linalg.matrix_norm: an empty matrix has no smallest singular value");
    enum PrimId how = p == 0 || empty ? PRIM_sum : p > 0 ? PRIM_amax : PRIM_amin;
    return cl_keep(b, cl_reduce(b, how, s, &values, false), both, keep);
}

/* Norms of matrices in dimensions d0, d1: Frobenius, nuclear, by singular values (2), or the
 * largest (or smallest) sum of absolute values of a row (inf) or column (1). */
static Arg matrix_norm(Build *b, Arg x, Arg ord, int64_t d0, int64_t d1, bool keep, Arg dtype)
{
    Dims both = {.n = 2, .v = {d0 < d1 ? d0 : d1, d0 < d1 ? d1 : d0}};
    DType d = cl_dtype_or(dtype, cl_dtype(b, x));
    if (d0 == d1 || !dtype_is_inexact(d)) {
        build_error(b, d0 == d1 ? 2 : 0,
                    "linalg.matrix_norm: expected a floating point or complex "
                    "matrix in two different dimensions");
        return A_NONE;
    }
    if (!GIVEN(ord) || (ord.kind == ARG_str && str_is(arg_str(ord), "fro")))
        return norm_as(b, x, 2, &both, keep, dtype);
    double p = cl_float(b, ord), size = fabs(p);
    bool nuclear = ord.kind == ARG_str && str_is(arg_str(ord), "nuc");
    if (nuclear || (ord.kind != ARG_str && size == 2))
        return spectral_norm(b, TO(x, d), nuclear ? 0 : p, &both, keep);
    if (ord.kind == ARG_str || (size != 1 && !isinf(p))) {
        build_error(b, 1,
                    "linalg.matrix_norm: the order must be 'fro', 'nuc', 1, -1, 2, -2, inf or "
                    "-inf");
        return A_NONE;
    }
    int64_t along = size == 1 ? d0 : d1, over = size == 1 ? d1 : d0;
    x = ABS(cl_opmath_of(b, TO(x, d)));
    Arg sums = cl_sum(b, x, along, true);
    enum PrimId best = p > 0 ? PRIM_amax : PRIM_amin;
    if (p > 0 && cl_size(b, x, over) == 0)
        best = PRIM_sum; /* the largest of no sums is 0 */
    Arg r = cl_reduce(b, best, sums, &DIMS1(over), true);
    return TO(keep ? r : cl_squeeze(b, r, &both), dtype_real(d));
}

DECOMPOSE(d_matrix_norm)
{
    uint32_t rank = cl_rank(b, args[0]);
    Dims dims = GIVEN(args[2]) ? cl_ints(b, args[2], 2) : (Dims){.n = 2, .v = {-2, -1}};
    if (dims.n != 2 || rank < 2) {
        build_error(b, rank < 2 ? 0 : 2,
                    "linalg.matrix_norm: dim must be a 2-tuple and the input "
                    "must have at least 2 dimensions");
        return A_NONE;
    }
    return matrix_norm(b, args[0], args[1], cl_dim(b, dims.v[0], rank, 2),
                       cl_dim(b, dims.v[1], rank, 2), cl_truth(b, args[3]), args[4]);
}

DECOMPOSE(d_linalg_norm)
{
    uint32_t rank = cl_rank(b, args[0]);
    Arg ord = args[1], dim = args[2];
    bool keep = cl_truth(b, args[3]);
    Dims given = GIVEN(dim) ? cl_ints(b, dim, 2) : cl_all_dims(rank);
    if (!GIVEN(ord)) {
        Dims dims = cl_dims(b, dim, rank, true, 2);
        return norm_as(b, args[0], 2, &dims, keep, args[4]);
    }
    if (given.n == 1) {
        Dims one = DIMS1(cl_dim(b, given.v[0], rank, 2));
        return norm_as(b, args[0], cl_float(b, ord), &one, keep, args[4]);
    }
    if (given.n != 2) {
        build_error(b, 2,
                    "linalg.norm: If ord is given but dim is not, the input must be 1D or 2D. "
                    "Got %uD",
                    given.n);
        return A_NONE;
    }
    return matrix_norm(b, args[0], ord, cl_dim(b, given.v[0], rank, 2),
                       cl_dim(b, given.v[1], rank, 2), keep, args[4]);
}

DECOMPOSE(d_norm)
{
    uint32_t rank = cl_rank(b, args[0]);
    Dims dims = cl_dims(b, args[2], rank, true, 2);
    double p = 2;
    if (args[1].kind == ARG_str && str_is(arg_str(args[1]), "nuc")) {
        if (dims.n != 2) {
            build_error(b, 2, "the nuclear norm is defined over 2 dimensions, not %u", dims.n);
            return A_NONE;
        }
        return matrix_norm(b, args[0], args[1], dims.v[0], dims.v[1], cl_truth(b, args[3]),
                           args[4]);
    }
    if (GIVEN(args[1]) && args[1].kind != ARG_str)
        p = cl_float(b, args[1]);
    return norm_as(b, args[0], p, &dims, cl_truth(b, args[3]), args[4]);
}

DECOMPOSE(d_renorm)
{
    Arg x = args[0], limit = args[3];
    uint32_t rank = cl_rank(b, x);
    int64_t dim = cl_dim(b, cl_int(b, args[2], 2), rank, 2);
    Dims others = {0};
    if (rank < 2)
        build_error(b, 0, "renorm: input needs at least 2 dimensions, got %u dimensions", rank);
    if (cl_float(b, args[1]) <= 0)
        build_error(b, 1, "renorm: non-positive norm not supported");
    for (uint32_t i = 0; i < rank; i++)
        if (i != dim)
            others.v[others.n++] = i;
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    Arg norm = CALL("linalg_vector_norm", x, args[1], cl_tuple(b, &others), A_BOOL(true));
    Arg scale = DIV(limit, ADD(norm, F(1e-7)));
    return TO(MUL(x, WHERE(GT(norm, limit), scale, F(1))), out);
}

DECOMPOSE(d_safe_softmax)
{
    int64_t dim = softmax_dim(b, args[0], args[1]);
    Arg soft = CALL("softmax", args[0], args[1], args[2]);
    Arg any = cl_reduce(b, PRIM_any, NE(args[0], F(-INFINITY)), &DIMS1(dim), true);
    return WHERE(any, soft, F(0));
}

/* The norms of v over all dimensions but dim, whose sizes 1 stay. */
static Arg norm_but(Build *b, Arg v, int64_t dim)
{
    Dims others = {0};
    for (uint32_t i = 0; i < cl_rank(b, v); i++)
        if (i != dim)
            others.v[others.n++] = i;
    return vector_norm(b, v, 2, &others, true);
}

DECOMPOSE(d_weight_norm_interface)
{
    DType d = cl_dtype(b, args[0]);
    int64_t dim = cl_dim(b, cl_int(b, args[2], 2), cl_rank(b, args[0]), 2);
    Arg v = cl_opmath_of(b, args[0]), norm = norm_but(b, v, dim);
    return TUPLE(TO(MUL(v, DIV(cl_opmath_of(b, args[1]), norm)), d),
                 TO(norm, cl_dtype(b, args[1])));
}

DECOMPOSE(d_weight_norm)
{
    return cl_item(d_weight_norm_interface(b, args), 0);
}

DECOMPOSE(d_dist)
{
    Arg gap = SUB(args[0], args[1]);
    return CALL("linalg_vector_norm", gap, F(cl_float(b, args[2])));
}

/* The rows of all pairs, each pair once. */
DECOMPOSE(d_pdist)
{
    int64_t n = cl_size(b, args[0], 0);
    if (cl_rank(b, args[0]) != 2 || n > 1 << 11) {
        build_error(b, 0, "pdist only supports 2D tensors, of at most %d rows", 1 << 11);
        return A_NONE;
    }
    if (cl_float(b, args[1]) < 0)
        build_error(b, 1, "pdist only supports non-negative p values");
    Arg pairs = CALL("triu_indices", I(n), I(n), I(1), A_DEVICE(cl_device(b, args[0])));
    Arg left = cl_take(b, args[0], cl_select(b, pairs, 0, 0), 0);
    Arg right = cl_take(b, args[0], cl_select(b, pairs, 0, 1), 0);
    return CALL("linalg_vector_norm", SUB(left, right), args[1], I(1));
}
