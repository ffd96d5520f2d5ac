/*
 * torch_backward.c - gradients that graphs after AOTAutograd call by name, part one: elementwise
 * operators, softmax, and operators that only move elements.
 *
 * Input: the gradient of the result and what the forward operator kept. Output: the gradient of its
 * first operand, computed in f32 at least and rounded once.
 */
#include "notation.h"

#include <math.h>

/* grad and x in the computation dtype; gives the result dtype. */
static DType enter2(Build *b, const Arg *args, Arg *grad, Arg *x)
{
    Arg xs[2] = {args[0], args[1]};
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    *grad = xs[0];
    *x = xs[1];
    return out;
}

/* ---------------------------------------------------------------------------------- elementwise */

DECOMPOSE(d_sigmoid_backward)
{
    Arg g, y;
    DType out = enter2(b, args, &g, &y);
    return TO(MUL(g, MUL(SUB(F(1), y), y)), out);
}

DECOMPOSE(d_tanh_backward)
{
    Arg g, y;
    DType out = enter2(b, args, &g, &y);
    return TO(MUL(g, SUB(F(1), MUL(y, y))), out);
}

DECOMPOSE(d_threshold_backward)
{
    Arg x = cl_compared(b, args[1]);
    DType d = cl_dtype(b, args[0]);
    return WHERE(LE(x, cl_number_to(b, args[2], cl_dtype(b, x))), cl_number_to(b, F(0), d),
                 args[0]);
}

DECOMPOSE(d_silu_backward)
{
    Arg g, x;
    DType out = enter2(b, args, &g, &x);
    Arg s = SIGMOID(x);
    return TO(MUL(g, MUL(s, ADD(F(1), MUL(x, SUB(F(1), s))))), out);
}

static Arg gelu_slope_tanh(Build *b, Arg x)
{
    const double k = 0.79788456080286535588;
    Arg square = MUL(x, x), inner = MUL(F(k), ADD(x, MUL(F(0.044715), MUL(square, x))));
    Arg t = TANH(inner), left = MUL(F(0.5), ADD(F(1), t));
    Arg slope = MUL(F(k), ADD(F(1), MUL(F(3 * 0.044715), square)));
    Arg right = MUL(MUL(MUL(F(0.5), x), SUB(F(1), MUL(t, t))), slope);
    return ADD(left, right);
}

DECOMPOSE(d_gelu_backward)
{
    Arg g, x;
    DType out = enter2(b, args, &g, &x);
    if (str_is(arg_str(args[2]), "tanh"))
        return TO(MUL(g, gelu_slope_tanh(b, x)), out);
    Arg cdf = MUL(F(0.5), ADD(F(1), ERF(MUL(x, F(0.70710678118654752440)))));
    Arg pdf = MUL(F(0.39894228040143267794), EXP(MUL(MUL(x, x), F(-0.5))));
    return TO(MUL(g, ADD(cdf, MUL(x, pdf))), out);
}

DECOMPOSE(d_elu_backward)
{
    Arg xs[2] = {args[0], args[5]};
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    Arg g = xs[0], x = xs[1];
    double alpha = cl_float(b, args[1]), scale = cl_float(b, args[2]), in = cl_float(b, args[3]);
    Arg low = cl_truth(b, args[4]) ? MUL(MUL(g, F(in)), ADD(x, F(alpha * scale)))
                                   : MUL(g, MUL(F(in * alpha * scale), EXP(MUL(x, F(in)))));
    return TO(WHERE(LE(x, F(0)), low, MUL(g, F(scale))), out);
}

DECOMPOSE(d_celu_backward)
{
    Arg xs[2] = {args[0], args[2]};
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    return TO(WHERE(LE(xs[1], F(0)), MUL(xs[0], EXP(DIV(xs[1], args[1]))), xs[0]), out);
}

DECOMPOSE(d_hardshrink_backward)
{
    Arg x = args[1], lambd = args[2];
    if (dtype_opmath(cl_dtype(b, x)) == cl_dtype(b, x)) /* whose kernel gives nothing at a NaN */
        return WHERE(OR(LT(x, NEG(lambd)), GT(x, lambd)), args[0], F(0));
    return WHERE(AND(GE(x, NEG(lambd)), LE(x, lambd)), F(0), args[0]);
}

DECOMPOSE(d_hardsigmoid_backward)
{
    Arg g, x;
    DType out = enter2(b, args, &g, &x);
    return TO(WHERE(AND(GT(x, F(-3)), LT(x, F(3))), MUL(g, F(1.0 / 6)), F(0)), out);
}

DECOMPOSE(d_hardswish_backward)
{
    Arg g, x;
    DType out = enter2(b, args, &g, &x);
    Arg middle = MUL(g, ADD(DIV(x, F(3)), F(0.5)));
    return TO(WHERE(LE(x, F(-3)), F(0), WHERE(LT(x, F(3)), middle, g)), out);
}

DECOMPOSE(d_hardtanh_backward)
{
    Arg x = args[1];
    if (dtype_opmath(cl_dtype(b, x)) == cl_dtype(b, x)) /* whose kernel gives nothing at a NaN */
        return WHERE(AND(GT(x, args[2]), LT(x, args[3])), args[0], F(0));
    x = cl_opmath_of(b, x); /* which PyTorch compares in */
    return WHERE(OR(LE(x, args[2]), GE(x, args[3])), F(0), args[0]);
}

DECOMPOSE(d_leaky_relu_backward)
{
    Arg g, x;
    DType out = enter2(b, args, &g, &x);
    return TO(WHERE(GT(x, F(0)), g, MUL(g, args[2])), out);
}

DECOMPOSE(d_log_sigmoid_backward)
{
    Arg g, x;
    DType out = enter2(b, args, &g, &x);
    return TO(MUL(g, SIGMOID(NEG(x))), out);
}

DECOMPOSE(d_logit_backward)
{
    Arg g, x;
    DType out = enter2(b, args, &g, &x);
    Arg slope = DIV(g, MUL(x, SUB(F(1), x)));
    double eps = GIVEN(args[2]) ? cl_float(b, args[2]) : 0;
    Arg outside = OR(LT(x, F(eps)), GT(x, F(1 - eps)));
    if (!GIVEN(args[2])) /* of either sign, 0 counts as 0 from above */
        slope = WHERE(EQ(x, F(0)), MUL(g, F(INFINITY)), slope);
    return TO(WHERE(outside, F(GIVEN(args[2]) ? 0 : NAN), slope), out);
}

DECOMPOSE(d_mish_backward)
{
    Arg g, x;
    DType out = enter2(b, args, &g, &x);
    Arg soft = WHERE(GT(x, F(20)), x, LOG1P(EXP(x))), t = TANH(soft), s = SIGMOID(x);
    return TO(MUL(g, ADD(t, MUL(MUL(x, s), SUB(F(1), MUL(t, t))))), out);
}

DECOMPOSE(d_prelu_backward)
{
    Arg g = args[0], x = args[1], w = args[2], positive = GT(x, F(0));
    return TUPLE(WHERE(positive, g, MUL(w, g)), WHERE(positive, F(0), MUL(x, g)));
}

DECOMPOSE(d_softplus_backward)
{
    Arg g, x;
    DType out = enter2(b, args, &g, &x);
    Arg scaled = MUL(x, args[2]);
    return TO(WHERE(GT(scaled, args[3]), g, MUL(g, SIGMOID(scaled))), out);
}

DECOMPOSE(d_glu_backward)
{
    Arg g, x;
    DType out = enter2(b, args, &g, &x);
    int64_t dim = cl_dim(b, cl_int(b, args[2], 2), cl_rank(b, x), 2), n = cl_size(b, x, dim);
    Arg left = cl_slice(b, x, dim, 0, n / 2, 1), s = SIGMOID(cl_slice(b, x, dim, n / 2, n, 1));
    const Arg halves[2] = {MUL(g, s), MUL(MUL(g, left), MUL(s, SUB(F(1), s)))};
    return b->failed ? A_NONE : TO(cl_cat(b, halves, 2, dim), out);
}

DECOMPOSE(d_native_dropout_backward)
{
    return MUL(args[0], MUL(TO(args[1], cl_dtype(b, args[0])), args[2]));
}

/* ------------------------------------------------------------------------------------- softmax */

DECOMPOSE(d_softmax_backward)
{
    Arg g, y;
    DType out = enter2(b, args, &g, &y);
    int64_t dim = cl_dim(b, cl_int(b, args[2], 2), cl_rank(b, y), 2);
    if (cl_rank(b, y) == 0)
        return TO(MUL(g, F(0)), cl_dtype_or(args[3], out));
    Arg gy = MUL(g, y);
    return TO(SUB(gy, MUL(y, cl_sum(b, gy, dim, true))), cl_dtype_or(args[3], out));
}

DECOMPOSE(d_log_softmax_backward)
{
    Arg g, y;
    DType out = enter2(b, args, &g, &y);
    int64_t dim = cl_dim(b, cl_int(b, args[2], 2), cl_rank(b, y), 2);
    if (cl_rank(b, y) == 0)
        return TO(MUL(g, F(0)), cl_dtype_or(args[3], out));
    return TO(SUB(g, MUL(EXP(y), cl_sum(b, g, dim, true))), cl_dtype_or(args[3], out));
}

/* ------------------------------------------------------------------------------- moved elements */

/* Sizes of a gradient, none so large that sums of them overflow. */
static Dims input_sizes(Build *b, Arg sizes)
{
    Dims shape = cl_ints(b, sizes, 1);
    for (uint32_t i = 0; i < shape.n; i++)
        if (shape.v[i] < 0 || shape.v[i] > INT32_MAX) {
            build_error(b, 1, "size %lld is negative, or too large", (long long)shape.v[i]);
            shape.v[i] = 1;
        }
    return shape;
}

static Arg zeros_of(Build *b, Arg like, Arg sizes)
{
    Dims shape = input_sizes(b, sizes);
    return cl_full(b, &shape, F(0), cl_device(b, like), cl_dtype(b, like));
}

/* grad padded with zeros to the size it was cut from. */
DECOMPOSE(d_slice_backward)
{
    Dims shape = input_sizes(b, args[1]);
    int64_t dim = cl_dim(b, cl_int(b, args[2], 2), shape.n, 2),
            step = cl_int_within(b, args[5], 1, INT32_MAX, 5);
    int64_t size = shape.n ? shape.v[dim] : 0, start = cl_int(b, args[3], 3), n;
    Dims low = {.n = shape.n}, high = {.n = shape.n};
    start = start < 0 ? start + size : start;
    start = start < 0 ? 0 : start > size ? size : start;
    n = cl_size(b, args[0], dim);
    if (b->failed || n == 0 || cl_rank(b, args[0]) != shape.n)
        return zeros_of(b, args[0], args[1]);
    if (step == 1) {
        low.v[dim] = start;
        high.v[dim] = size - start - n;
        return cl_pad(b, args[0], &low, &high, F(0));
    }
    Arg *config = new_array(&b->t->arena, Arg, shape.n);
    for (uint32_t i = 0; i < shape.n; i++) {
        const int64_t triple[3] = {i == dim ? start : 0,
                                   i == dim ? size - start - (n - 1) * step - 1 : 0,
                                   i == dim ? step - 1 : 0};
        config[i] = arg_ints(b->t, triple, 3);
    }
    return emit(b, pad, args[0], cl_number_to(b, F(0), cl_dtype(b, args[0])),
                ((Arg){.kind = ARG_tuple, .n = shape.n, .items = config}));
}

DECOMPOSE(d_select_backward)
{
    Dims shape = input_sizes(b, args[1]), low = {.n = shape.n}, high = {.n = shape.n};
    int64_t dim = cl_dim(b, cl_int(b, args[2], 2), shape.n, 2),
            index = cl_int_within(b, args[3], INT32_MIN, INT32_MAX, 3);
    if (shape.n == 0 || b->failed)
        return args[0];
    index += index < 0 ? shape.v[dim] : 0;
    low.v[dim] = index;
    high.v[dim] = shape.v[dim] - index - 1;
    return cl_pad(b, cl_unsqueeze(b, args[0], dim), &low, &high, F(0));
}

DECOMPOSE(d_diagonal_backward)
{
    return CALL("diagonal_scatter", zeros_of(b, args[0], args[1]), args[0], args[2], args[3],
                args[4]);
}

/* Each window element is added at its place along dim. */
DECOMPOSE(d_unfold_backward)
{
    Dims shape = input_sizes(b, args[1]);
    int64_t dim = cl_dim(b, cl_int(b, args[2], 2), shape.n, 2),
            size = cl_int_within(b, args[3], 0, INT32_MAX, 3);
    int64_t step = cl_int_within(b, args[4], 1, INT32_MAX, 4), n = cl_size(b, args[0], dim);
    Device dev = cl_device(b, args[0]);
    if (shape.n == 0 || b->failed)
        return args[0];
    Arg starts = cl_iota(b, n, I(0), I(step), dev, DT_i64), at = cl_range(b, size, dev);
    Arg places = cl_flatten(b, ADD(cl_unsqueeze(b, starts, 1), at), 0, 1);
    Dims from = DIMS1(shape.n), to = DIMS1(dim + 1);
    Arg values = cl_flatten(b, cl_movedim(b, args[0], &from, &to), dim, dim + 1);
    if (b->failed)
        return A_NONE;
    return emit(b, index_add, zeros_of(b, args[0], args[1]), places, values, I(dim));
}

DECOMPOSE(d_embedding_backward)
{
    return emit(b, embedding_backward, args[0], args[1], args[2], args[3], args[4], args[5]);
}

DECOMPOSE(d_masked_scatter_backward)
{
    Dims sizes = input_sizes(b, args[2]), flat = DIMS1(cl_numel(b, args[0]));
    int64_t n = 1;
    for (uint32_t i = 0; i < sizes.n; i++)
        if (__builtin_mul_overflow(n, sizes.v[i], &n) || n > (int64_t)1 << 60) {
            build_error(b, 2, "sizes are too large");
            return A_NONE;
        }
    Dims room = DIMS1(n + 1); /* one more place, for what the mask leaves out */
    Arg mask = cl_reshape(b, args[1], &flat);
    Arg place = SUB(CALL("cumsum", mask, I(0)), I(1));
    place = WHERE(AND(mask, LT(place, I(n))), place, I(n));
    Arg zeros = cl_full(b, &room, F(0), cl_device(b, args[0]), cl_dtype(b, args[0]));
    if (b->failed)
        return A_NONE;
    Arg r = emit(b, scatter, zeros, place, cl_reshape(b, args[0], &flat), I(0));
    return cl_reshape(b, cl_slice(b, r, 0, 0, n, 1), &sizes);
}
