/*
 * torch_activation.c - decompositions of activation functions.
 *
 * They convert once to the computation dtype, work there, and round once at the end, as PyTorch's
 * kernels do.
 */
#include "notation.h"

static Arg softplus(Build *b, Arg x, Arg beta, Arg threshold)
{
    Arg scaled = MUL(x, beta);
    return WHERE(GT(scaled, threshold), x, DIV(LOG1P(EXP(scaled)), beta));
}

DECOMPOSE(d_celu)
{
    Arg x = args[0], alpha = args[1];
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    Arg low = MUL(alpha, cl_expm1(b, DIV(x, alpha)));
    return TO(WHERE(GT(x, F(0)), x, low), out);
}

DECOMPOSE(d_elu)
{
    Arg x = args[0], alpha = args[1];
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    return TO(WHERE(GT(x, F(0)), x, MUL(alpha, cl_expm1(b, x))), out);
}

DECOMPOSE(d_elu_scaled)
{
    Arg x = args[0];
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    Arg low = MUL(args[1], cl_expm1(b, MUL(x, args[3])));
    return TO(MUL(WHERE(GT(x, F(0)), x, low), args[2]), out);
}

static Arg gelu_tanh(Build *b, Arg x)
{
    const double k = 0.79788456080286535588; /* sqrt(2 / pi) */
    Arg cube = MUL(MUL(x, x), x);
    Arg inner = MUL(F(k), ADD(x, MUL(F(0.044715), cube)));
    return MUL(MUL(F(0.5), x), ADD(F(1), TANH(inner)));
}

DECOMPOSE(d_gelu)
{
    Arg x = args[0];
    Str how = arg_str(args[1]);
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    if (str_is(how, "tanh"))
        return TO(gelu_tanh(b, x), out);
    if (!str_is(how, "none"))
        build_error(b, 1, "approximate argument must be either none or tanh.");
    Arg cdf = MUL(F(0.5), ADD(F(1), ERF(MUL(x, F(0.70710678118654752440)))));
    return TO(MUL(x, cdf), out);
}

DECOMPOSE(d_hardshrink)
{
    Arg x = args[0], lambd = args[1];
    Arg inside = AND(GE(x, NEG(lambd)), LE(x, lambd));
    return WHERE(inside, F(0), x);
}

DECOMPOSE(d_hardsigmoid)
{
    Arg x = args[0];
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    return TO(DIV(cl_clamp(b, ADD(x, F(3)), F(0), F(6)), F(6)), out);
}

DECOMPOSE(d_hardswish)
{
    Arg x = args[0];
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    return TO(DIV(MUL(x, cl_clamp(b, ADD(x, F(3)), F(0), F(6))), F(6)), out);
}

DECOMPOSE(d_hardtanh)
{
    Arg low = args[1], high = args[2];
    if (cl_float(b, low) > cl_float(b, high))
        build_error(b, 1, "min_val cannot be greater than max_val");
    if (dtype_is_exact(cl_dtype(b, args[0]))) { /* whose results stay integers */
        low = cl_number_to(b, low, DT_i64);
        high = cl_number_to(b, high, DT_i64);
    }
    return cl_clamp(b, args[0], low, high);
}

DECOMPOSE(d_leaky_relu)
{
    Arg x = args[0];
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    return TO(WHERE(GT(x, F(0)), x, MUL(x, args[1])), out);
}

DECOMPOSE(d_logsigmoid)
{
    Arg x = args[0];
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    return TO(SUB(MIN(x, F(0)), LOG1P(EXP(NEG(ABS(x))))), out);
}

DECOMPOSE(d_mish)
{
    Arg x = args[0];
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    return TO(MUL(x, TANH(softplus(b, x, F(1), F(20)))), out);
}

/* weight has one element, or one for each channel (dimension 1). */
DECOMPOSE(d_prelu)
{
    Arg x = args[0], weight = args[1];
    uint32_t rank = cl_rank(b, x);
    int64_t n = cl_numel(b, weight), channels = rank < 2 ? 1 : cl_size(b, x, 1);
    if (n != 1 && cl_rank(b, weight) == 1) {
        if (n != channels)
            build_error(b, 1,
                        "Mismatch of parameter numbers and input channel size. Found "
                        "parameter numbers = %lld and channel size = %lld.",
                        (long long)n, (long long)channels);
        Dims shape = {.n = rank};
        for (uint32_t i = 0; i < rank; i++)
            shape.v[i] = i == 1 ? n : 1;
        weight = cl_reshape(b, weight, &shape);
    } else if (n == 1) {
        Dims shape = {0};
        weight = cl_reshape(b, weight, &shape);
    }
    return WHERE(GT(x, I(0)), x, MUL(x, weight));
}

DECOMPOSE(d_relu)
{
    if (cl_dtype(b, args[0]) == DT_b8)
        build_error(b, 0, "Boolean inputs not supported for relu");
    return MAX(args[0], I(0));
}

DECOMPOSE(d_relu6)
{
    return cl_clamp(b, args[0], I(0), I(6));
}

/* While training the slopes are random. */
DECOMPOSE(d_rrelu)
{
    Arg x = args[0];
    if (cl_float(b, args[1]) > cl_float(b, args[2]))
        build_error(b, 1, "Lower bound should be less than or equal to the upper bound");
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    if (cl_truth(b, args[3])) {
        Arg slopes = CALL("uniform", x, args[1], args[2]);
        return TO(WHERE(LE(x, F(0)), MUL(x, slopes), x), out);
    }
    double slope = (cl_float(b, args[1]) + cl_float(b, args[2])) / 2;
    return TO(WHERE(GT(x, F(0)), x, MUL(x, F(slope))), out);
}

DECOMPOSE(d_selu)
{
    const double alpha = 1.6732632423543772848170429916717;
    const double scale = 1.0507009873554804934193349852946;
    Arg x = args[0];
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    Arg low = MUL(F(scale * alpha), cl_expm1(b, x));
    return TO(WHERE(GT(x, F(0)), MUL(F(scale), x), low), out);
}

DECOMPOSE(d_silu)
{
    Arg x = args[0];
    DType out = cl_enter(b, &x, 1, PROMOTE_INT_TO_FLOAT);
    return TO(MUL(x, SIGMOID(x)), out);
}

DECOMPOSE(d_softplus)
{
    Arg x = args[0];
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    return TO(softplus(b, x, args[1], args[2]), out);
}

DECOMPOSE(d_softshrink)
{
    Arg x = args[0], lambd = args[1];
    if (cl_float(b, lambd) < 0)
        build_error(b, 1, "lambda must be greater or equal to 0, but found to be %g.",
                    cl_float(b, lambd));
    lambd = number_round(lambd, cl_dtype(b, x));
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    Arg inner = WHERE(LT(x, NEG(lambd)), ADD(x, lambd), MUL(x, F(0)));
    return TO(WHERE(GT(x, lambd), SUB(x, lambd), inner), out);
}

DECOMPOSE(d_softsign)
{
    return DIV(args[0], ADD(ABS(args[0]), I(1)));
}

DECOMPOSE(d_tanhshrink)
{
    return SUB(args[0], TANH(args[0]));
}

DECOMPOSE(d_threshold)
{
    Arg x = args[0];
    DType d = cl_dtype(b, x);
    return WHERE(LE(cl_compared(b, x), cl_number_to(b, args[1], d)), cl_number_to(b, args[2], d),
                 x);
}

DECOMPOSE(d_glu)
{
    Arg x = args[0];
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), cl_rank(b, x), 1), size = cl_size(b, x, dim);
    if (cl_rank(b, x) == 0)
        build_error(b, 0, "glu does not support 0-dimensional tensors");
    if (size % 2)
        build_error(b, 1, "Halving dimension must be even, but dimension %lld is size %lld",
                    (long long)dim, (long long)size);
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    Arg left = cl_slice(b, x, dim, 0, size / 2, 1), right = cl_slice(b, x, dim, size / 2, size, 1);
    return TO(MUL(left, CALL("sigmoid", right)), out);
}
