/*
 * grad_special.c - vjp rules of composites at special values.
 *
 * Opened, these composites have gradients that are not numbers, or others than PyTorch's, where one
 * of their branches overflows (elu at inf), where a norm is 0, at a NaN, or where several elements
 * are the largest. Each rule is the derivative as PyTorch writes it down, of the whole.
 */
#include "vjp.h"

#include <math.h>

/* Gives argument k its share, summed over the dimensions that it was stretched along. */
static void give_summed(Vjp *v, Build *b, const Arg *args, uint32_t k, Arg cot)
{
    Dims shape = cl_shape(b, args[k]);
    vjp_give(v, args[k], sum_to(b, cot, &shape));
}
#define GIVE_SUMMED(k, x)                                                                          \
    do {                                                                                           \
        if (vjp_wants(v, args[k]))                                                                 \
            give_summed(v, b, args, k, (x));                                                       \
    } while (0)

/* ---------------------------------------------------------------------------------- activations */

VJP(elu)
{
    GIVE(0, CALL("elu_backward", g, args[1], F(1), F(1), A_BOOL(false), args[0]));
}

VJP(elu_scaled)
{
    GIVE(0, CALL("elu_backward", g, args[1], args[2], args[3], A_BOOL(false), args[0]));
}

VJP(celu)
{
    GIVE(0, CALL("celu_backward", g, args[1], args[0]));
}

VJP(selu)
{
    GIVE(0, CALL("elu_backward", g, F(1.6732632423543772848170429916717),
                 F(1.0507009873554804934193349852946), F(1), A_BOOL(false), args[0]));
}

VJP(hardshrink)
{
    GIVE(0, CALL("hardshrink_backward", g, args[0], args[1]));
}

VJP(softshrink)
{
    GIVE(0, CALL("hardshrink_backward", g, args[0], args[1]));
}

VJP(logit)
{
    GIVE(0, CALL("logit_backward", g, args[0], args[1]));
}

VJP(sinc)
{
    if (!vjp_wants(v, args[0]))
        return;
    Arg x = args[0], square = MUL(x, x), turned = MUL(x, F(PI));
    Arg top = SUB(MUL(turned, cl_cos(b, turned)), cl_sin(b, turned));
    vjp_give(v, x, WHERE(EQ(square, F(0)), F(0), MUL(g, DIV(top, MUL(F(PI), square)))));
}

/* x, but one where it is too small to divide by; *where says where that is. */
static Arg not_tiny(Build *b, Arg x, Arg *where)
{
    double eps = cl_dtype(b, x) == DT_f64 ? 0x1p-52 : 0x1p-23;
    *where = LE(ABS(x), F(eps));
    return WHERE(*where, F(1), x);
}

VJP(i0)
{
    GIVE(0, MUL(g, CALL("special_i1", args[0])));
}

VJP(special_i0e)
{
    GIVE(0, MUL(g, SUB(CALL("special_i1e", args[0]), MUL(CALL("sgn", args[0]), OUT))));
}

VJP(special_i1)
{
    if (!vjp_wants(v, args[0]))
        return;
    Arg tiny, x = not_tiny(b, args[0], &tiny);
    Arg slope = SUB(CALL("i0", x), DIV(OUT, x));
    vjp_give(v, args[0], MUL(g, WHERE(tiny, F(0.5), slope)));
}

VJP(special_i1e)
{
    if (!vjp_wants(v, args[0]))
        return;
    Arg tiny, x = not_tiny(b, args[0], &tiny);
    Arg share = MUL(OUT, ADD(CALL("sgn", x), cl_reciprocal(b, x)));
    vjp_give(v, args[0], MUL(g, WHERE(tiny, F(0.5), SUB(CALL("special_i0e", x), share))));
}

VJP(special_erfcx)
{
    GIVE(0, MUL(g, SUB(MUL(MUL(F(2), args[0]), OUT), F(2 / sqrt(PI)))));
}

VJP(special_log_ndtr)
{
    Arg tail = CALL("special_erfcx", MUL(args[0], F(-sqrt(0.5))));
    GIVE(0, MUL(DIV(g, tail), F(sqrt(2 / PI))));
}

/* -------------------------------------------------------------------------- of several operands */

VJP(copysign)
{
    GIVE_SUMMED(0, MUL(g, WHERE(EQ(args[0], F(0)), F(0), DIV(OUT, args[0]))));
}

VJP(hypot)
{
    GIVE_SUMMED(0, DIV(MUL(g, args[0]), OUT));
    GIVE_SUMMED(1, DIV(MUL(g, args[1]), OUT));
}

VJP(xlogy)
{
    Arg x = args[0], y = args[1];
    GIVE_SUMMED(0, WHERE(AND(EQ(x, F(0)), LE(y, F(0))), F(0), CALL("xlogy", g, y)));
    GIVE_SUMMED(1, DIV(MUL(g, x), y));
}

/* To a number: the result may be a root, whose own rule says other things at its ends. */
VJP(pow_number)
{
    double n = cl_float(b, args[1]);
    Arg x = args[0];
    GIVE(0, n == 0 ? zeros_like(b, x) : MUL(g, MUL(POW(x, F(n - 1)), F(n))));
}

/* The prim of that name has a rule of its own. */
VJP(lerp_whole)
{
    GIVE_SUMMED(0, MUL(g, SUB(F(1), args[2])));
    GIVE_SUMMED(1, MUL(g, args[2]));
    GIVE_SUMMED(2, MUL(g, SUB(args[1], args[0])));
}

VJP(addcdiv)
{
    Arg x = args[1], y = args[2], value = args[3];
    GIVE_SUMMED(0, g);
    GIVE_SUMMED(1, MUL(g, DIV(value, y)));
    GIVE_SUMMED(2, NEG(MUL(g, DIV(MUL(value, x), MUL(y, y)))));
}

/* What both bounds of clamp leave to x is x's, a half where x has reached one of them. */
static void between_tensors(Vjp *v, Build *b, const Arg *args, Arg g)
{
    Arg x = args[0], low = args[1], high = args[2], half = MUL(g, F(0.5));
    Arg crossed = GT(low, high), apart = LT(low, high);
    Arg below = LT(x, low), above = GT(x, high);
    Arg at_low = AND(apart, EQ(x, low)), at_high = AND(apart, EQ(x, high));
    Arg mine = WHERE(OR(at_low, at_high), half, g);
    GIVE_SUMMED(0, WHERE(OR(crossed, OR(below, above)), F(0), mine));
    GIVE_SUMMED(1, WHERE(AND(below, NOT(crossed)), g, WHERE(at_low, half, F(0))));
    GIVE_SUMMED(2, WHERE(OR(crossed, above), g, WHERE(at_high, half, F(0))));
}

/* Bounds that are numbers leave to x what lies within them, themselves not included. */
VJP(clamp)
{
    Arg x = args[0], low = args[1], high = args[2];
    if (arg_is_tensor(b, low) && arg_is_tensor(b, high)) {
        between_tensors(v, b, args, g);
        return;
    }
    if (arg_is_tensor(b, low) || arg_is_tensor(b, high)) {
        uint32_t k = arg_is_tensor(b, low) ? 1 : 2;
        GIVE_SUMMED(0, extreme_share(b, g, x, args[k], k == 1));
        GIVE_SUMMED(k, extreme_share(b, g, args[k], x, k == 1));
        return;
    }
    Arg over = GIVEN(low) ? GT(x, low) : A_NONE, under = GIVEN(high) ? LT(x, high) : A_NONE;
    Arg inside = !GIVEN(over) ? under : !GIVEN(under) ? over : AND(over, under);
    GIVE(0, WHERE(inside, g, F(0)));
}

/* --------------------------------------------------------------------------------------- losses */

VJP(smooth_l1_loss)
{
    Arg slope = CALL("smooth_l1_loss_backward", g, args[0], args[1], args[2], args[3]);
    GIVE_SUMMED(0, slope);
    GIVE_SUMMED(1, NEG(slope));
}

VJP(huber_loss)
{
    Arg slope = CALL("huber_loss_backward", g, args[0], args[1], args[2], args[3]);
    slope = GIVEN(args[4]) ? MUL(slope, args[4]) : slope;
    GIVE_SUMMED(0, slope);
    GIVE_SUMMED(1, NEG(slope));
}

VJP(binary_cross_entropy)
{
    Arg x = args[0];
    GIVE(0, CALL("binary_cross_entropy_backward", g, x, args[1], args[2], args[3]));
    if (!vjp_wants(v, args[1]))
        return;
    Arg spread = SUB(LOG1P(NEG(x)), LOG(x));
    if (GIVEN(args[2]))
        spread = MUL(spread, args[2]);
    if (args[3].kind == ARG_str && str_is(arg_str(args[3]), "mean"))
        g = DIV(g, F((double)cl_numel(b, x)));
    vjp_give(v, args[1], MUL(g, spread));
}

/* The norms count as they are also where they are below eps; that of nothing has no slope. */
VJP(cosine_similarity)
{
    const Arg both[2] = {args[0], args[1]};
    Dims shape = cl_broadcast_shapes(b, both, 2);
    int64_t dim = cl_dim(b, cl_int(b, args[2], 2), shape.n, 2);
    Arg cos = cl_unsqueeze(b, OUT, dim);
    g = cl_unsqueeze(b, g, dim);
    Arg x[2], norm[2], safe[2];
    for (uint32_t k = 0; k < 2; k++) {
        x[k] = cl_broadcast_to(b, args[k], &shape);
        norm[k] = CALL("linalg_vector_norm", x[k], I(2), I(dim), A_BOOL(true));
        safe[k] = MAX(norm[k], args[3]);
    }
    for (uint32_t k = 0; k < 2 && !b->failed; k++) {
        if (!vjp_wants(v, args[k]))
            continue;
        Arg along = WHERE(EQ(norm[k], F(0)), F(0), DIV(x[k], MUL(safe[k], norm[k])));
        Arg slope = SUB(DIV(x[1 - k], MUL(safe[0], safe[1])), MUL(cos, along));
        GIVE_SUMMED(k, MUL(g, slope));
    }
}

/* ----------------------------------------------------------------------------- largest elements */

/* All elements that are the median share equally; all that are NaN where it is one. */
VJP(median)
{
    Arg x = args[0], hits = OR(EQ(x, OUT), AND(cl_isnan(b, x), cl_isnan(b, OUT)));
    Dims all = cl_all_dims(cl_rank(b, x));
    hits = TO(hits, cl_dtype(b, g));
    GIVE(0, MUL(hits, DIV(g, cl_reduce(b, PRIM_sum, hits, &all, false))));
}

/* n ints of an argument of pooling, and one more in front for a dimension of size 1. */
static Arg with_line(Build *b, Arg x, uint32_t n, Arg otherwise, int64_t front)
{
    bool given = GIVEN(x) && !(arg_is_seq(x) && x.n == 0);
    Dims have = cl_ints_n(b, given ? x : otherwise, n, 1, 1), out = have;
    if (n == 1) {
        out.n = 2;
        out.v[0] = front;
        out.v[1] = have.v[0];
    }
    return cl_tuple(b, &out);
}

/* The first largest element of each window gets all of it. Lines are planes of one row. */
static void first_of_window(Vjp *v, Build *b, const Arg *args, Arg g, uint32_t n, Arg places)
{
    Arg x = args[0], kernel = args[1];
    if (!vjp_wants(v, x) || !GIVEN(g))
        return;
    Dims shape = cl_shape(b, x);
    if (n == 1) {
        x = cl_unsqueeze(b, x, shape.n - 1);
        g = cl_unsqueeze(b, g, shape.n - 1);
    }
    Arg call[6] = {x, with_line(b, kernel, n, kernel, 1), with_line(b, args[2], n, kernel, 1),
                   with_line(b, args[3], n, args[3], 0), with_line(b, args[4], n, args[4], 1),
                   args[5]};
    if (GIVEN(places))
        places = n == 1 ? cl_unsqueeze(b, places, shape.n - 1) : places;
    else
        places = cl_item(cl_call(b, n == 3 ? "ltorch.max_pool3d_with_indices"
                                           : "ltorch.max_pool2d_with_indices", call, 6), 1);
    Arg r = CALL("max_pool2d_with_indices_backward", g, x, call[1], call[2], call[3], call[4],
                 call[5], places);
    vjp_give(v, args[0], cl_reshape(b, r, &shape));
}

#define POOL(n)                                                                                    \
    VJP(max_pool##n##d)                                                                            \
    {                                                                                              \
        first_of_window(v, b, args, g, n, arg_is_seq(OUT) ? cl_item(OUT, 1) : A_NONE);             \
    }                                                                                              \
    VJP(max_pool##n##d_with_indices)                                                               \
    {                                                                                              \
        first_of_window(v, b, args, g, n, cl_item(OUT, 1));                                        \
    }
POOL(1)
POOL(2)
POOL(3)

/* The same for windows that grow with the size. */
static void first_of_adaptive(Vjp *v, Build *b, const Arg *args, Arg g, uint32_t n)
{
    Arg x = args[0], places = arg_is_seq(OUT) ? cl_item(OUT, 1) : A_NONE;
    static const char *const names[3] = {"ltorch.adaptive_max_pool1d", "ltorch.adaptive_max_pool2d",
                                         "ltorch.adaptive_max_pool3d"};
    if (!vjp_wants(v, x) || !GIVEN(g))
        return;
    Dims shape = cl_shape(b, x);
    const Arg call[3] = {x, args[1], A_BOOL(true)};
    if (!GIVEN(places))
        places = cl_item(cl_call(b, names[n - 1], call, 3), 1);
    if (n == 1) {
        x = cl_unsqueeze(b, x, shape.n - 1);
        g = cl_unsqueeze(b, g, shape.n - 1);
        places = cl_unsqueeze(b, places, shape.n - 1);
    }
    Arg r = n == 3 ? CALL("adaptive_max_pool3d_backward", g, x, places)
                   : CALL("adaptive_max_pool2d_backward", g, x, places);
    vjp_give(v, args[0], cl_reshape(b, r, &shape));
}

VJP(adaptive_max_pool1d)
{
    first_of_adaptive(v, b, args, g, 1);
}

VJP(adaptive_max_pool2d)
{
    first_of_adaptive(v, b, args, g, 2);
}

VJP(adaptive_max_pool3d)
{
    first_of_adaptive(v, b, args, g, 3);
}
