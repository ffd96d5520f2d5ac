/*
 * torch_solve.c - decompositions of least squares, of functions of singular values, of powers and
 * inner products, and of products with Householder reflectors.
 */
#include "notation.h"

#include <math.h>

static int64_t at(const Build *b, Arg x, int64_t dim)
{
    return cl_size(b, x, dim + cl_rank(b, x));
}

/* ----------------------------------------------------------------------------- least squares */

typedef struct System {
    Arg a, rhs; /* matrices, of the same batch dimensions */
    Arg rcond, driver;
    Dims batch;
    int64_t m, n;
    bool vector; /* the right-hand sides were vectors */
} System;

static bool check_system(Build *b, const Arg *args, System *s)
{
    Arg a = args[0], rhs = args[1];
    uint32_t ra = cl_rank(b, a), rb = cl_rank(b, rhs);
    DType d = cl_dtype(b, a);
    if (ra < 2)
        build_error(b, 0, "torch.linalg.lstsq: input must have at least 2 dimensions.");
    else if (rb < 1)
        build_error(b, 1, "torch.linalg.lstsq: other must have at least 1 dimension.");
    else if (ra < rb || ra - rb > 1)
        build_error(b, 1, "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() "
                          "and (input.dim() - other.dim()) <= 1");
    else if (d != DT_f32 && d != DT_f64)
        build_error(b, 0, "torch.linalg.lstsq: least squares of %s are not defined here",
                    dtype_text(d));
    else if (cl_dtype(b, rhs) != d)
        build_error(b, 1, "torch.linalg.lstsq: Expected input and other to have the same dtype, "
                          "but got input's dtype %s and other's dtype %s",
                    dtype_text(d), dtype_text(cl_dtype(b, rhs)));
    if (b->failed)
        return false;
    s->vector = ra - 1 == rb;
    s->m = at(b, a, -2);
    s->n = at(b, a, -1);
    int64_t rows = at(b, rhs, s->vector ? -1 : -2);
    if (rows != s->m)
        build_error(b, 1, "torch.linalg.lstsq: input.size(-2) should match other.size(%d)",
                    s->vector ? -1 : -2);
    return !b->failed;
}

static const char *const drivers[] = {"gelsy", "gels", "gelsd", "gelss"};

static bool check_driver(Build *b, const System *s)
{
    Str name = GIVEN(s->driver) ? arg_str(s->driver) : S("gelsy");
    for (size_t i = 0; i < ARRAY_LEN(drivers); i++)
        if (str_is(name, drivers[i]))
            return true;
    build_error(b, 3, "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, "
                      "gelsd, gelss)");
    return false;
}

/* Both as matrices with common batch dimensions. */
static void broadcast_system(Build *b, System *s)
{
    s->rhs = s->vector ? cl_unsqueeze(b, s->rhs, cl_rank(b, s->rhs)) : s->rhs;
    Dims wa = cl_shape(b, s->a), wb = cl_shape(b, s->rhs);
    Dims ca = wa, cb = wb;
    ca.n -= 2;
    cb.n -= 2;
    Arg x = cl_full(b, &ca, I(0), cl_device(b, s->a), DT_b8);
    Arg y = cl_full(b, &cb, I(0), cl_device(b, s->a), DT_b8);
    s->batch = cl_broadcast_shapes(b, (const Arg[]){x, y}, 2);
    Dims to = s->batch;
    to.n += 2;
    to.v[to.n - 2] = s->m;
    to.v[to.n - 1] = s->n;
    s->a = cl_broadcast_to(b, s->a, &to);
    to.v[to.n - 1] = at(b, s->rhs, -1);
    s->rhs = cl_broadcast_to(b, s->rhs, &to);
}

static Arg nothing(Build *b, const System *s, DType d)
{
    Dims none = {.n = 1};
    return cl_full(b, &none, I(0), cl_device(b, s->a), d);
}

/* Squares of what is left over; only where there are more rows than unknowns. */
static Arg residuals(Build *b, const System *s, Arg solution)
{
    if (s->m <= s->n)
        return nothing(b, s, cl_dtype(b, s->a));
    Arg left = SUB(s->rhs, cl_matmul(b, s->a, solution));
    return cl_sum(b, MUL(left, left), cl_rank(b, left) - 2, false);
}

/* The solution of least norm, by the singular values: x = v diag(1 / s) u^T b. Matrices are taken
 * to have full rank where PyTorch's residuals depend on that. */
DECOMPOSE(d_lstsq)
{
    System s = {.a = args[0], .rhs = args[1], .rcond = args[2], .driver = args[3]};
    if (!check_system(b, args, &s) || !check_driver(b, &s))
        return A_NONE;
    broadcast_system(b, &s);
    DType d = cl_dtype(b, s.a);
    double eps = d == DT_f32 ? 0x1p-23 : 0x1p-52;
    double rcond = GIVEN(s.rcond) ? cl_float(b, s.rcond) : eps * (double)(s.m > s.n ? s.m : s.n);
    Arg f = b->failed ? A_NONE : emit(b, svd, s.a);
    Arg u = cl_item(f, 0), values = cl_item(f, 1), vh = cl_item(f, 2);
    uint32_t last = s.batch.n;
    Arg kept = GT(values, MUL(cl_slice(b, values, last, 0, 1, 1), F(rcond)));
    Arg factor = WHERE(kept, cl_reciprocal(b, values), F(0));
    Arg coefficients = MUL(cl_matmul(b, cl_swap(b, u, -2, -1), s.rhs),
                           cl_unsqueeze(b, factor, last + 1));
    Arg x = cl_matmul(b, cl_swap(b, vh, -2, -1), coefficients);
    Str driver = GIVEN(s.driver) ? arg_str(s.driver) : S("gelsy");
    bool by_values = str_is(driver, "gelsd") || str_is(driver, "gelss");
    Arg rank = str_is(driver, "gels") ? nothing(b, &s, DT_i64)
                                      : cl_sum(b, TO(kept, DT_i64), last, false);
    Arg left = residuals(b, &s, x);
    if (s.vector) {
        x = cl_squeeze(b, x, &DIMS1(last + 1));
        left = s.m > s.n ? cl_squeeze(b, left, &DIMS1(last)) : left;
    }
    return b->failed ? A_NONE : TUPLE(x, left, rank, by_values ? values : nothing(b, &s, d));
}

/* ------------------------------------------------------------- functions of the singular values */

static Arg factors_of(Build *b, Arg a, const char *name)
{
    DType d = cl_dtype(b, a);
    if (cl_rank(b, a) < 2)
        build_error(b, 0, "%s: the input tensor must have at least 2 dimensions.", name);
    else if (d != DT_f32 && d != DT_f64)
        build_error(b, 0, "%s: singular values of %s are not defined here", name, dtype_text(d));
    return b->failed ? A_NONE : emit(b, svd, a);
}

/* Which singular values count: those above the larger of atol and rtol times the largest. */
static Arg counted(Build *b, Arg a, Arg values, Arg atol, Arg rtol)
{
    double eps = cl_dtype(b, a) == DT_f32 ? 0x1p-23 : 0x1p-52, m = (double)at(b, a, -2);
    double n = (double)at(b, a, -1), absolute = GIVEN(atol) ? cl_float(b, atol) : 0;
    double relative = GIVEN(rtol) ? cl_float(b, rtol) : absolute > 0 ? 0 : eps * fmax(m, n);
    uint32_t last = cl_rank(b, values) - 1;
    if (b->failed || cl_size(b, values, last) == 0)
        return cl_full_like(b, values, F(0));
    Arg cut = MUL(cl_slice(b, values, last, 0, 1, 1), F(relative));
    return GT(values, MAX(cut, F(absolute)));
}

DECOMPOSE(d_pinv)
{
    Arg f = factors_of(b, args[0], "linalg.pinv"), values = cl_item(f, 1);
    if (b->failed)
        return A_NONE;
    Arg kept = counted(b, args[0], values, args[1], args[2]);
    Arg inverse = WHERE(kept, cl_reciprocal(b, values), F(0));
    Arg v = cl_swap(b, cl_item(f, 2), -2, -1), u = cl_swap(b, cl_item(f, 0), -2, -1);
    return cl_matmul(b, MUL(v, cl_unsqueeze(b, inverse, cl_rank(b, inverse) - 1)), u);
}

DECOMPOSE(d_matrix_rank)
{
    Arg f = factors_of(b, args[0], "linalg.matrix_rank"), values = cl_item(f, 1);
    if (b->failed)
        return A_NONE;
    Arg kept = counted(b, args[0], values, args[1], args[2]);
    return cl_sum(b, TO(kept, DT_i64), cl_rank(b, values) - 1, false);
}

/* n products in the order of the bits of n. */
DECOMPOSE(d_matrix_power)
{
    Arg x = args[0], out = A_NONE;
    uint32_t rank = cl_rank(b, x);
    int64_t n = cl_int_within(b, args[1], 0, INT32_MAX, 1);
    if (rank < 2 || at(b, x, -1) != at(b, x, -2)) {
        build_error(b, 0, "linalg.matrix_power: A must be batches of square matrices");
        return A_NONE;
    }
    for (int64_t bits = n; bits && !b->failed; bits >>= 1) {
        if (bits & 1)
            out = GIVEN(out) ? cl_matmul(b, out, x) : x;
        if (bits > 1)
            x = cl_matmul(b, x, x);
    }
    if (GIVEN(out) || b->failed)
        return out;
    Dims shape = cl_shape(b, x);
    Arg rows = cl_unsqueeze(b, cl_range(b, at(b, x, -1), cl_device(b, x)), 1);
    Arg one = EQ(rows, cl_range(b, at(b, x, -1), cl_device(b, x)));
    return cl_broadcast_to(b, TO(one, cl_dtype(b, x)), &shape);
}

DECOMPOSE(d_vecdot)
{
    Arg x = args[0], y = args[1];
    if (dtype_is_complex(cl_dtype(b, x)))
        x = CALL("conj", x);
    Arg product = MUL(x, y);
    return cl_sum(b, product, cl_dim(b, cl_int(b, args[2], 2), cl_rank(b, product), 2), false);
}

/* Sums of products over the last dimensions. */
DECOMPOSE(d_inner)
{
    uint32_t rx = cl_rank(b, args[0]), ry = cl_rank(b, args[1]);
    if (rx == 0 || ry == 0)
        return MUL(args[0], args[1]);
    if (at(b, args[0], -1) != at(b, args[1], -1))
        build_error(b, 1, "inner() the last dimension must match on both input tensors but got "
                          "sizes %lld and %lld",
                    (long long)at(b, args[0], -1), (long long)at(b, args[1], -1));
    Arg last = I(-1), one = arg_tuple(b->t, &last, 1);
    return b->failed ? A_NONE : CALL("tensordot", args[0], args[1], TUPLE(one, one));
}

/* ---------------------------------------------------------------------- Householder reflectors */

static bool check_reflectors(Build *b, const Arg *args, bool left)
{
    Arg x = args[0], tau = args[1], y = args[2];
    uint32_t rank = cl_rank(b, x);
    const char *side = left ? "-2" : "-1";
    if (rank < 2)
        build_error(b, 0, "torch.ormqr: input must have at least 2 dimensions.");
    else if (cl_rank(b, y) < 2)
        build_error(b, 2, "torch.ormqr: other must have at least 2 dimensions.");
    else if (cl_rank(b, tau) + 1 != rank)
        build_error(b, 1, "torch.ormqr: Expected tau to have one dimension less than input, but "
                          "got tau.ndim equal to %u and input.ndim is equal to %u",
                    cl_rank(b, tau), rank);
    else if (cl_rank(b, y) != rank)
        build_error(b, 2, "torch.ormqr: Expected other to have the same number of dimensions as "
                          "input, but got other.ndim equal to %u and input.ndim is equal to %u",
                    cl_rank(b, y), rank);
    else if (at(b, y, left ? -2 : -1) < at(b, tau, -1))
        build_error(b, 2, "torch.ormqr: other.shape[%s] must be greater than or equal to "
                          "tau.shape[-1]", side);
    else if (at(b, y, left ? -2 : -1) != at(b, x, -2))
        build_error(b, 2, "torch.ormqr: other.shape[%s] must be equal to input.shape[-2]", side);
    else if (at(b, tau, -1) > at(b, x, -1))
        build_error(b, 1, "torch.ormqr: tau.shape[-1] must be less than or equal to "
                          "input.shape[-1]");
    for (uint32_t i = 0; !b->failed && i + 2 < rank; i++)
        if (cl_size(b, tau, i) != cl_size(b, x, i) || cl_size(b, y, i) != cl_size(b, x, i))
            build_error(b, cl_size(b, tau, i) != cl_size(b, x, i) ? 1 : 2,
                        "torch.ormqr: Expected batch dimensions of tau and other to be equal to "
                        "those of input");
    return !b->failed;
}

/* Column i of the reflectors: zeros above row i, one there, elements of x below. */
static Arg reflector(Build *b, Arg x, int64_t i)
{
    uint32_t rank = cl_rank(b, x);
    Arg rows = cl_unsqueeze(b, cl_range(b, at(b, x, -2), cl_device(b, x)), 1);
    Arg column = cl_slice(b, x, rank - 1, i, i + 1, 1);
    return WHERE(GT(rows, I(i)), column, TO(EQ(rows, I(i)), cl_dtype(b, x)));
}

/* (1 - tau v v^H) y, or y (1 - tau v v^H). */
static Arg reflect(Build *b, Arg v, Arg tau, Arg y, bool left)
{
    Arg vh = cl_swap(b, dtype_is_complex(cl_dtype(b, v)) ? CALL("conj", v) : v, -2, -1);
    Arg moved = left ? cl_matmul(b, MUL(v, tau), cl_matmul(b, vh, y))
                     : cl_matmul(b, cl_matmul(b, y, v), MUL(vh, tau));
    return SUB(y, moved);
}

DECOMPOSE(d_ormqr)
{
    Arg x = args[0], tau = args[1], y = args[2];
    bool left = cl_truth(b, args[3]), transposed = cl_truth(b, args[4]);
    DType d = cl_dtype(b, x);
    if (!check_reflectors(b, args, left))
        return A_NONE;
    if (!dtype_is_inexact(d) || dtype_opmath(d) != d)
        build_error(b, 0, "torch.ormqr: reflectors of %s are not defined", dtype_text(d));
    else if (cl_dtype(b, tau) != d || cl_dtype(b, y) != d)
        build_error(b, cl_dtype(b, tau) != d ? 1 : 2,
                    "torch.ormqr: Expected input, tau and other to have the same dtype");
    int64_t n = cl_int_within(b, I(at(b, tau, -1)), 0, 1024, 1);
    if (transposed && dtype_is_complex(d))
        tau = CALL("conj", tau);
    tau = cl_unsqueeze(b, tau, cl_rank(b, tau)); /* a matrix of one column */
    for (int64_t k = 0; k < n && !b->failed; k++) {
        int64_t i = left == transposed ? k : n - 1 - k;
        Arg one = cl_slice(b, tau, cl_rank(b, tau) - 2, i, i + 1, 1);
        y = reflect(b, reflector(b, x, i), one, y, left);
    }
    return y;
}
