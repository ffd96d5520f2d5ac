/*
 * grad_composite.c - vjp rules of composites: where the rule of the whole is more stable, or
 * cheaper, than those of its prims. All others are opened.
 */
#include "vjp.h"

#include <math.h>

VJP(softmax)
{
    GIVE(0, CALL("softmax_backward", g, OUT, args[1], A_DTYPE(cl_dtype(b, args[0]))));
}

VJP(log_softmax)
{
    GIVE(0, CALL("log_softmax_backward", g, OUT, args[1], A_DTYPE(cl_dtype(b, args[0]))));
}

VJP(sigmoid)
{
    GIVE(0, CALL("sigmoid_backward", g, OUT));
}

/* In low precision from the result as it is rounded, which is there anyway. */
VJP(rounded_tanh)
{
    GIVE(0, CALL("tanh_backward", g, OUT));
}

/* x |x|^(p - 2) / norm^(p - 1); PyTorch gives 0 where the norm is 0. */
VJP(linalg_vector_norm)
{
    Arg a = args[0], lit;
    Dims shape = cl_shape(b, a), dims = cl_dims(b, args[2], shape.n, true, 2);
    double p = cl_literal(b, args[1], &lit) ? cl_float(b, lit) : 2;
    if (!vjp_wants(v, a))
        return;
    Arg n = OUT;
    if (!cl_truth(b, args[3])) {
        n = cl_keep(b, n, &dims, true);
        g = cl_keep(b, g, &dims, true);
    }
    a = TO(a, cl_dtype(b, n));
    Arg slope;
    if (p == 0) {
        slope = zeros_like(b, a);
    } else if (isinf(p)) {
        Arg best = OR(EQ(ABS(a), cl_broadcast_to(b, n, &shape)), cl_isnan(b, a));
        Arg hits = TO(best, cl_dtype(b, n));
        Arg count = cl_reduce(b, PRIM_sum, hits, &dims, true);
        slope = MUL(MUL(cl_sign(b, a), hits), DIV(g, count));
    } else if (p == 1) {
        slope = MUL(cl_sign(b, a), g);
    } else if (p == 2) {
        slope = MUL(a, WHERE(EQ(n, F(0)), F(0), DIV(g, n)));
    } else {
        Arg along = WHERE(EQ(a, F(0)), F(0), MUL(cl_sign(b, a), POW(ABS(a), F(p - 1))));
        slope = MUL(along, WHERE(EQ(n, F(0)), F(0), MUL(g, POW(n, F(1 - p)))));
    }
    vjp_give(v, args[0], slope);
}

VJP(relu)
{
    GIVE(0, CALL("threshold_backward", g, OUT, I(0)));
}

VJP(relu6)
{
    GIVE(0, CALL("hardtanh_backward", g, args[0], F(0), F(6)));
}

VJP(hardtanh)
{
    GIVE(0, CALL("hardtanh_backward", g, args[0], args[1], args[2]));
}

VJP(hardsigmoid)
{
    GIVE(0, CALL("hardsigmoid_backward", g, args[0]));
}

VJP(hardswish)
{
    GIVE(0, CALL("hardswish_backward", g, args[0]));
}

VJP(gelu)
{
    GIVE(0, CALL("gelu_backward", g, args[0], args[1]));
}

VJP(silu)
{
    GIVE(0, CALL("silu_backward", g, args[0]));
}

VJP(mish)
{
    GIVE(0, CALL("mish_backward", g, args[0]));
}

VJP(logsigmoid)
{
    GIVE(0, CALL("log_sigmoid_backward", g, args[0]));
}

VJP(softplus)
{
    GIVE(0, CALL("softplus_backward", g, args[0], args[1], args[2]));
}

/* What a layer norm's input gets through the mean and 1 / (standard deviation), which second
 * derivatives need. */
static Arg through_statistics(Vjp *v, Build *b, const Arg *args)
{
    Dims all = cl_shape(b, args[0]), norm = cl_ints(b, args[1], 1), dims = {.n = norm.n};
    for (uint32_t i = 0; i < norm.n; i++)
        dims.v[i] = all.n - norm.n + i;
    double n = (double)cl_numel_over(b, args[0], &dims);
    Arg rstd = cl_item(OUT, 2), sum = A_NONE;
    if (GIVEN(v->cot[1]))
        sum = cl_broadcast_to(b, DIV(v->cot[1], F(n)), &all);
    if (GIVEN(v->cot[2])) {
        Arg gap = SUB(cl_opmath_of(b, args[0]), cl_item(OUT, 1));
        Arg slope = MUL(MUL(v->cot[2], F(-1 / n)), MUL(rstd, MUL(rstd, rstd)));
        Arg part = MUL(gap, slope);
        sum = GIVEN(sum) ? ADD(sum, part) : part;
    }
    return sum;
}

VJP(native_layer_norm)
{
    Arg mask = TUPLE(A_BOOL(vjp_wants(v, args[0])), A_BOOL(vjp_wants(v, args[2])),
                     A_BOOL(vjp_wants(v, args[3])));
    if (GIVEN(g)) {
        Arg r = CALL("native_layer_norm_backward", g, args[0], args[1], cl_item(OUT, 1),
                     cl_item(OUT, 2), args[2], args[3], mask);
        vjp_give(v, args[0], cl_item(r, 0));
        vjp_give(v, args[2], cl_item(r, 1));
        vjp_give(v, args[3], cl_item(r, 2));
    }
    if (vjp_wants(v, args[0]))
        vjp_give(v, args[0], through_statistics(v, b, args));
}

/* The share of element k is exp(x[k]) times the sum over j >= k of g[j] / exp(out[j]). Positive and
 * negative g are summed apart, as logarithms. That of 0 is a large number, not infinity, so that
 * the sum can be differentiated again. */
static Arg sum_behind(Build *b, Arg g, Arg x, Arg out, int64_t dim)
{
    double nothing = cl_dtype(b, g) == DT_f64 ? -1e300 : -1e38;
    Arg logs = WHERE(GT(g, F(0)), LOG(WHERE(GT(g, F(0)), g, F(1))), F(nothing));
    Dims one = DIMS1(dim);
    Arg sums = CALL("logcumsumexp", cl_flip(b, SUB(logs, out), &one), I(dim));
    return EXP(ADD(cl_flip(b, sums, &one), x));
}

VJP(logcumsumexp)
{
    uint32_t rank = cl_rank(b, args[0]);
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), rank, 1);
    if (!vjp_wants(v, args[0]))
        return;
    if (rank == 0 || cl_numel(b, g) == 0) {
        vjp_give(v, args[0], g);
        return;
    }
    Arg x = cl_opmath_of(b, args[0]), out = cl_opmath_of(b, OUT);
    g = cl_opmath_of(b, g);
    vjp_give(v, args[0], SUB(sum_behind(b, g, x, out, dim), sum_behind(b, NEG(g), x, out, dim)));
}

/* The bits that the exponent is read from say nothing of slopes. */
VJP(frexp)
{
    Arg scale = emit(b, exp2, TO(cl_item(OUT, 1), DT_f64));
    if (GIVEN(g))
        GIVE(0, TO(DIV(TO(g, DT_f64), scale), cl_dtype(b, g)));
}

/* The share of each element is its softmax. Where all is -inf, PyTorch's is not a number either. */
VJP(logsumexp)
{
    Arg x = args[0], out = OUT;
    Dims shape = cl_shape(b, x), dims = cl_dims(b, args[1], shape.n, true, 1);
    if (!cl_truth(b, args[2])) {
        out = cl_keep(b, out, &dims, true);
        g = cl_keep(b, g, &dims, true);
    }
    GIVE(0, MUL(EXP(SUB(x, out)), g));
}
