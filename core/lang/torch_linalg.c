/*
 * torch_linalg.c - decompositions of products of matrices and vectors.
 */
#include "notation.h"

#include <math.h>
#include <string.h>

static void want_rank(Build *b, Arg x, uint32_t rank, int arg)
{
    if (cl_rank(b, x) != rank)
        build_error(b, arg, "expected a %uD tensor, but got %uD", rank, cl_rank(b, x));
}

static void want_inner(Build *b, int64_t left, int64_t right, int arg)
{
    if (left != right)
        build_error(b, arg, "mat1 and mat2 shapes cannot be multiplied (inner sizes %lld and %lld)",
                    (long long)left, (long long)right);
}

static void want_same_dtype(Build *b, Arg x, Arg y, int arg)
{
    if (cl_dtype(b, x) != cl_dtype(b, y))
        build_error(b, arg, "expected both operands to have the same dtype, but got: %s != %s",
                    dtype_text(cl_dtype(b, x)), dtype_text(cl_dtype(b, y)));
}

DECOMPOSE(d_linear)
{
    Arg x = args[0], w = args[1], bias = args[2];
    want_same_dtype(b, x, w, 1);
    if (cl_rank(b, x) == 0)
        build_error(b, 0, "linear(): input must be at least 1D");
    if (b->failed)
        return A_NONE;
    uint32_t rank = cl_rank(b, x);
    if (cl_rank(b, w) == 1) { /* one output: no dimension for it */
        Arg r = cl_matmul(b, x, w);
        return GIVEN(bias) ? ADD(r, bias) : r;
    }
    want_rank(b, w, 2, 1);
    want_inner(b, cl_size(b, x, rank - 1), cl_size(b, w, 1), 1);
    if (GIVEN(bias))
        want_same_dtype(b, x, bias, 2);
    if (!GIVEN(bias) || (cl_rank(b, bias) == 1 && cl_size(b, bias, 0) == cl_size(b, w, 0)))
        return b->failed ? A_NONE : emit(b, linear, x, w, bias);
    return b->failed ? A_NONE : ADD(emit(b, linear, x, w, A_NONE), bias);
}

DECOMPOSE(d_matmul)
{
    return cl_matmul(b, args[0], args[1]);
}

static Arg product(Build *b, const Arg *args, uint32_t rank0, uint32_t rank1)
{
    want_rank(b, args[0], rank0, 0);
    want_rank(b, args[1], rank1, 1);
    want_same_dtype(b, args[0], args[1], 1);
    if (b->failed)
        return A_NONE;
    want_inner(b, cl_size(b, args[0], rank0 - 1), cl_size(b, args[1], rank1 > 1 ? rank1 - 2 : 0),
               1);
    if (rank0 == 3 && cl_size(b, args[0], 0) != cl_size(b, args[1], 0))
        build_error(b, 1,
                    "Expected size for first two dimensions of batch2 tensor to be: [%lld, "
                    "%lld]",
                    (long long)cl_size(b, args[0], 0), (long long)cl_size(b, args[0], 2));
    return b->failed ? A_NONE : cl_mm(b, args[0], args[1]);
}

DECOMPOSE(d_mm)
{
    return product(b, args, 2, 2);
}

DECOMPOSE(d_bmm)
{
    return product(b, args, 3, 3);
}

DECOMPOSE(d_mv)
{
    return product(b, args, 2, 1);
}

DECOMPOSE(d_dot)
{
    return product(b, args, 1, 1);
}

DECOMPOSE(d_outer)
{
    want_rank(b, args[0], 1, 0);
    want_rank(b, args[1], 1, 1);
    return MUL(cl_unsqueeze(b, args[0], 1), args[1]);
}

/* beta x + alpha y with y computed already; low precision is rounded once. beta 0 forgets x, even
 * NaN. */
static Arg blend(Build *b, Arg x, Arg y, Arg beta, Arg alpha)
{
    DType d = cl_dtype(b, y);
    Dims shape = cl_shape(b, y);
    x = cl_expand(b, x, &shape);
    want_same_dtype(b, x, y, 0);
    Arg scaled = cl_float(b, alpha) == 1 ? y : MUL(cl_opmath_of(b, y), cl_number_to(b, alpha, d));
    if (cl_float(b, beta) == 0)
        return TO(scaled, d);
    Arg kept = cl_opmath_of(b, x);
    if (cl_float(b, beta) != 1)
        kept = MUL(kept, cl_number_to(b, beta, d));
    return TO(ADD(kept, scaled), d);
}

/* Products of low precision that are added to something are kept in f32 until then. */
static Arg wide_product(Build *b, const Arg *args, uint32_t rank0, uint32_t rank1)
{
    const Arg wide[2] = {cl_opmath_of(b, args[0]), cl_opmath_of(b, args[1])};
    return product(b, wide, rank0, rank1);
}

static Arg blend_wide(Build *b, Arg x, Arg y, Arg beta, Arg alpha)
{
    DType d = cl_dtype(b, x);
    return TO(blend(b, cl_opmath_of(b, x), y, beta, alpha), d);
}

static bool is_f8(DType d)
{
    return dtype_is_float(d) && dtype_info[d].bytes == 1;
}

/* A scale of a whole matrix as a number without dimensions; one for each row or column (`size` of
 * them, along dim) stays. */
static Arg scale_of(Build *b, Arg x, uint32_t dim, int64_t size, int arg)
{
    Dims none = {.n = 0};
    bool f32 = cl_dtype(b, x) == DT_f32;
    if (f32 && cl_numel(b, x) == 1)
        return cl_reshape(b, x, &none);
    if (f32 && cl_rank(b, x) == 2 && cl_size(b, x, dim) == size && cl_size(b, x, 1 - dim) == 1)
        return x;
    build_error(b, arg, "Invalid scaling configuration: scales are f32, one of a matrix or one of "
                        "each row of the left and column of the right one");
    return A_NONE;
}

/* Sums in f32, times the scales, rounded once. */
DECOMPOSE(d_scaled_mm)
{
    want_rank(b, args[0], 2, 0);
    want_rank(b, args[1], 2, 1);
    for (int i = 0; i < 2; i++)
        if (!b->failed && !is_f8(cl_dtype(b, args[i])))
            build_error(b, i, "Invalid scaling configuration: a matrix of 8-bit floats is needed, "
                              "not %s", dtype_text(cl_dtype(b, args[i])));
    if (b->failed)
        return A_NONE;
    want_inner(b, cl_size(b, args[0], 1), cl_size(b, args[1], 0), 1);
    Arg left = scale_of(b, args[2], 0, cl_size(b, args[0], 0), 2);
    Arg right = scale_of(b, args[3], 1, cl_size(b, args[1], 1), 3);
    if (b->failed)
        return A_NONE;
    Arg sum = cl_mm(b, TO(args[0], DT_f32), TO(args[1], DT_f32));
    Arg out = MUL(MUL(sum, left), right);
    if (GIVEN(args[4]))
        out = ADD(out, TO(args[4], DT_f32));
    return TO(out, cl_dtype_or(args[6], cl_dtype(b, args[0])));
}

DECOMPOSE(d_addmm)
{
    return blend_wide(b, args[0], wide_product(b, args + 1, 2, 2), args[3], args[4]);
}

DECOMPOSE(d_addmv)
{
    return blend_wide(b, args[0], wide_product(b, args + 1, 2, 1), args[3], args[4]);
}

DECOMPOSE(d_baddbmm)
{
    return blend_wide(b, args[0], wide_product(b, args + 1, 3, 3), args[3], args[4]);
}

/* In low precision the batches are added one by one, each time rounded, as PyTorch does. */
static Arg add_one_by_one(Build *b, const Arg *args)
{
    Arg x = args[0], beta = args[3];
    Dims shape = {.n = 2, .v = {cl_size(b, args[1], 1), cl_size(b, args[2], 2)}};
    x = cl_expand(b, x, &shape);
    for (int64_t i = 0; i < cl_size(b, args[1], 0) && !b->failed; i++) {
        const Arg call[5] = {x, cl_select(b, args[1], 0, i), cl_select(b, args[2], 0, i), beta,
                             args[4]};
        x = d_addmm(b, call);
        beta = I(1);
    }
    return x;
}

DECOMPOSE(d_addbmm)
{
    DType d = cl_dtype(b, args[0]);
    int64_t batches = cl_size(b, args[1], 0);
    if (dtype_opmath(d) != d && batches > 0 && batches <= 64 && cl_rank(b, args[1]) == 3 &&
        cl_rank(b, args[2]) == 3 && cl_size(b, args[2], 0) == batches)
        return add_one_by_one(b, args);
    Arg products = wide_product(b, args + 1, 3, 3);
    return b->failed ? A_NONE
                     : blend_wide(b, args[0], cl_sum(b, products, 0, false), args[3], args[4]);
}

/* The product in low precision, rounded at once, also inside of a fused kernel. */
static Arg rounded_product(Build *b, Arg x, Arg y)
{
    return TO(MUL(cl_opmath_of(b, x), cl_opmath_of(b, y)), cl_dtype(b, x));
}

/* alpha and beta are rounded too. */
static Arg addr_rounded(Build *b, const Arg *args)
{
    DType d = cl_dtype(b, args[0]);
    Arg beta = F(dtype_round(cl_float(b, args[3]), d));
    Arg alpha = F(dtype_round(cl_float(b, args[4]), d));
    Arg left = cl_unsqueeze(b, rounded_product(b, args[1], alpha), 1);
    Arg outer = rounded_product(b, left, args[2]);
    if (cl_float(b, args[3]) == 0)
        return outer;
    Arg kept = rounded_product(b, args[0], beta);
    return TO(ADD(cl_opmath_of(b, kept), cl_opmath_of(b, outer)), d);
}

DECOMPOSE(d_addr)
{
    DType d = cl_dtype(b, args[0]);
    if (dtype_opmath(d) != d && cl_rank(b, args[1]) == 1 && cl_rank(b, args[2]) == 1)
        return addr_rounded(b, args);
    Arg outer = TO(d_outer(b, args + 1), d);
    if (d == DT_b8) {
        Arg kept = cl_truth(b, args[3]) ? args[0] : A_BOOL(false);
        Arg added = cl_truth(b, args[4]) ? outer : cl_full_like(b, outer, I(0));
        return OR(added, kept);
    }
    return blend(b, args[0], outer, args[3], args[4]);
}

DECOMPOSE(d_kron)
{
    Dims sx = cl_shape(b, args[0]), sy = cl_shape(b, args[1]);
    uint32_t rank = sx.n > sy.n ? sx.n : sy.n;
    Dims wx = {.n = 2 * rank}, wy = {.n = 2 * rank}, out = {.n = rank};
    if (2 * rank > MAX_RANK) {
        build_error(b, 0, "more than %d dimensions", MAX_RANK / 2);
        return A_NONE;
    }
    for (uint32_t i = 0; i < rank; i++) {
        int64_t kx = (int64_t)i - (rank - sx.n), ky = (int64_t)i - (rank - sy.n);
        wx.v[2 * i] = kx < 0 ? 1 : sx.v[kx];
        wy.v[2 * i + 1] = ky < 0 ? 1 : sy.v[ky];
        wx.v[2 * i + 1] = wy.v[2 * i] = 1;
        out.v[i] = wx.v[2 * i] * wy.v[2 * i + 1];
    }
    Arg r = MUL(cl_reshape(b, args[0], &wx), cl_reshape(b, args[1], &wy));
    return cl_reshape(b, r, &out);
}

DECOMPOSE(d_cross)
{
    const Arg both[2] = {args[0], args[1]};
    Dims shape = cl_broadcast_shapes(b, both, 2);
    int64_t dim = 0;
    if (GIVEN(args[2]))
        dim = cl_dim(b, cl_int(b, args[2], 2), shape.n, 2);
    else
        while (dim + 1 < shape.n && shape.v[dim] != 3)
            dim++;
    if (cl_rank(b, args[0]) != cl_rank(b, args[1])) {
        build_error(b, 1, "linalg.cross: inputs must have the same number of dimensions.");
        return A_NONE;
    }
    if (shape.n == 0 || cl_size(b, args[0], dim) != 3 || cl_size(b, args[1], dim) != 3) {
        build_error(b, shape.n && cl_size(b, args[0], dim) == 3,
                    "linalg.cross: inputs dimension %lld must have length 3", (long long)dim);
        return A_NONE;
    }
    Arg x = cl_broadcast_to(b, args[0], &shape), y = cl_broadcast_to(b, args[1], &shape), parts[3];
    for (int64_t i = 0; i < 3; i++) {
        int64_t j = (i + 1) % 3, k = (i + 2) % 3;
        Arg plus = MUL(cl_slice(b, x, dim, j, j + 1, 1), cl_slice(b, y, dim, k, k + 1, 1));
        Arg minus = MUL(cl_slice(b, x, dim, k, k + 1, 1), cl_slice(b, y, dim, j, j + 1, 1));
        parts[i] = SUB(plus, minus);
    }
    return b->failed ? A_NONE : cl_cat(b, parts, 3, dim);
}

DECOMPOSE(d_trace)
{
    want_rank(b, args[0], 2, 0);
    return b->failed ? A_NONE : CALL("sum", cl_diagonal(b, args[0], 0, 0, 1));
}

/* The cheapest order of multiplication, by the classical table over sub-chains. */
static Arg chain(Build *b, const Arg *m, uint32_t n)
{
    enum { MAX_CHAIN = 32 };
    int64_t size[MAX_CHAIN + 1];
    double cost[MAX_CHAIN][MAX_CHAIN];
    uint32_t cut[MAX_CHAIN][MAX_CHAIN];
    if (n > MAX_CHAIN) {
        build_error(b, 0, "more than %d matrices", MAX_CHAIN);
        return A_NONE;
    }
    for (uint32_t i = 0; i < n; i++) {
        size[i] = cl_size(b, m[i], 0);
        cost[i][i] = 0;
        cut[i][i] = i;
    }
    size[n] = cl_size(b, m[n - 1], 1);
    for (uint32_t len = 2; len <= n; len++)
        for (uint32_t i = 0; i + len <= n; i++) {
            uint32_t j = i + len - 1;
            cost[i][j] = INFINITY;
            cut[i][j] = i;
            for (uint32_t k = i; k < j; k++) {
                double c = cost[i][k] + cost[k + 1][j] +
                           (double)size[i] * (double)size[k + 1] * (double)size[j + 1];
                if (c >= cost[i][j])
                    continue;
                cost[i][j] = c;
                cut[i][j] = k;
            }
        }
    if (n == 1)
        return m[0];
    uint32_t k = cut[0][n - 1];
    return cl_matmul(b, chain(b, m, k + 1), chain(b, m + k + 1, n - k - 1));
}

DECOMPOSE(d_multi_dot)
{
    uint32_t n = args[0].n;
    if (n < 2) {
        build_error(b, 0, "multi_dot(): expected at least 2 tensors but got %u", n);
        return A_NONE;
    }
    Arg *m = new_array(&b->t->arena, Arg, n);
    memcpy(m, args[0].items, n * sizeof *m);
    bool row = cl_rank(b, m[0]) == 1, column = cl_rank(b, m[n - 1]) == 1;
    if (row)
        m[0] = cl_unsqueeze(b, m[0], 0);
    if (column)
        m[n - 1] = cl_unsqueeze(b, m[n - 1], 1);
    for (uint32_t i = 0; i < n; i++) {
        want_rank(b, m[i], 2, 0);
        if (i && !b->failed)
            want_inner(b, cl_size(b, m[i - 1], 1), cl_size(b, m[i], 0), 0);
    }
    if (b->failed)
        return A_NONE;
    Arg r = chain(b, m, n);
    Dims drop = {0};
    if (row)
        drop.v[drop.n++] = 0;
    if (column)
        drop.v[drop.n++] = 1;
    return drop.n ? emit(b, squeeze, r, cl_tuple(b, &drop)) : r;
}

/* out[n, o] = sum over i, j of x[n, i] w[o, i, j] y[n, j]. */
DECOMPOSE(d_bilinear)
{
    Arg x = args[0], y = args[1], w = args[2];
    uint32_t rank = cl_rank(b, x);
    want_rank(b, w, 3, 2);
    if (rank == 0 || cl_rank(b, y) != rank)
        build_error(b, 1, "bilinear(): input dimensions do not match");
    if (b->failed)
        return A_NONE;
    int64_t ni = cl_size(b, w, 1), nj = cl_size(b, w, 2), no = cl_size(b, w, 0);
    want_inner(b, cl_size(b, x, rank - 1), ni, 0);
    want_inner(b, cl_size(b, y, rank - 1), nj, 1);
    Dims out = cl_shape(b, x), rows = {.n = 2, .v = {-1, ni}}, cols = {.n = 2, .v = {-1, nj}};
    out.v[rank - 1] = no;
    if (cl_numel(b, x) == 0)
        rows.v[0] = cols.v[0] = 0;
    DType d = cl_dtype(b, x);
    x = cl_reshape(b, cl_opmath_of(b, x), &rows);
    y = cl_reshape(b, cl_opmath_of(b, y), &cols);
    w = cl_opmath_of(b, w);
    Arg wy = cl_matmul(b, w, cl_swap(b, y, 0, 1)); /* [o, i, n] */
    Arg r = cl_sum(b, MUL(wy, cl_swap(b, x, 0, 1)), 1, false);
    r = cl_reshape(b, cl_swap(b, r, 0, 1), &out);
    return TO(GIVEN(args[3]) ? ADD(r, cl_opmath_of(b, args[3])) : r, d);
}

DECOMPOSE(d_cdist)
{
    Arg x = args[0], y = args[1];
    uint32_t rx = cl_rank(b, x), ry = cl_rank(b, y);
    double p = cl_float(b, args[2]);
    if (rx < 2 || ry < 2 || cl_size(b, x, rx - 1) != cl_size(b, y, ry - 1)) {
        build_error(b, 1,
                    "X1 and X2 must have the same number of columns and at least 2 dimensions");
        return A_NONE;
    }
    if (p < 0)
        build_error(b, 2, "cdist only supports non-negative p values");
    Arg gap = SUB(cl_unsqueeze(b, x, rx - 1), cl_unsqueeze(b, y, ry - 2));
    uint32_t last = cl_rank(b, gap) - 1;
    if (cl_size(b, x, rx - 1) == 0)
        return cl_sum(b, gap, last, false);
    return CALL("linalg_vector_norm", gap, F(p), I(last));
}

/* Powers from 0 to n - 1 of each element, along a new dimension. */
static Arg powers(Build *b, Arg x, int64_t n)
{
    uint32_t rank = cl_rank(b, x);
    Dims shape = cl_shape(b, x);
    shape.v[shape.n++] = n - 1;
    x = cl_broadcast_to(b, cl_unsqueeze(b, x, rank), &shape);
    x = CALL("cumprod", x, I(rank), A_NONE);
    shape.v[rank] = 1;
    Arg parts[2] = {cl_full(b, &shape, I(1), cl_device(b, x), cl_dtype(b, x)), x};
    return cl_cat(b, parts, 2, rank);
}

DECOMPOSE(d_linalg_vander)
{
    Arg x = args[0];
    DType d = cl_dtype(b, x);
    if (d == DT_b8 || d == DT_f16 || d == DT_bf16)
        build_error(b, 0,
                    "linalg.vander supports floating point, complex, and integer tensors, but got "
                    "%s",
                    dtype_text(d));
    x = cl_rank(b, x) == 0 ? cl_unsqueeze(b, x, 0) : x;
    int64_t n = GIVEN(args[1]) ? cl_int_within(b, args[1], INT32_MIN, INT32_MAX, 1)
                               : cl_size(b, x, cl_rank(b, x) - 1);
    if (n <= 1)
        build_error(b, 1, "N must be greater than 1.");
    return b->failed ? A_NONE : powers(b, x, n);
}

DECOMPOSE(d_vander)
{
    Arg x = args[0];
    if (cl_rank(b, x) != 1)
        build_error(b, 0, "x must be a one-dimensional tensor.");
    int64_t size = cl_size(b, x, 0);
    int64_t n = GIVEN(args[1]) ? cl_int_within(b, args[1], INT32_MIN, INT32_MAX, 1) : size;
    if (n < 0)
        build_error(b, 1, "N must be non-negative.");
    if (b->failed)
        return A_NONE;
    if (dtype_is_exact(cl_dtype(b, x)))
        x = TO(x, DT_i64);
    Dims shape = {.n = 2, .v = {size, n}};
    if (n <= 1)
        return cl_full(b, &shape, I(1), cl_device(b, x), cl_dtype(b, x));
    Arg r = powers(b, x, n);
    return cl_truth(b, args[2]) ? r : cl_flip(b, r, &DIMS1(1));
}
