/*
 * grad_elementwise.c - vjp rules of elementwise prims and of those that only rename.
 *
 * At points where a function has a corner, the value is PyTorch's: 0 for abs, a half each for
 * maximum and minimum at ties, 1 at a bound that is a number, 0 for steps (sign, floor, round).
 */
#include "inject.h"
#include "vjp.h"

#include <math.h>

/* -------------------------------------------------------------------------------- one operand */

VJP(none)
{
    vjp_unsupported(v, "it has no gradient rule");
}

VJP(zero)
{
    GIVE(0, zeros_like(b, args[0]));
}

VJP(same)
{
    GIVE(0, g);
}

VJP(convert_element_type)
{
    GIVE(0, TO(g, cl_dtype(b, args[0])));
}

VJP(device_put)
{
    GIVE(0, emit(b, device_put, g, A_DEVICE(cl_device(b, args[0]))));
}

VJP(abs)
{
    bool complex = dtype_is_complex(cl_dtype(b, args[0]));
    Arg length = complex ? WHERE(EQ(OUT, F(0)), F(1), OUT) : A_NONE;
    GIVE(0, MUL(g, complex ? DIV(args[0], length) : cl_sign(b, args[0])));
}

VJP(real)
{
    bool whole = !dtype_is_complex(cl_dtype(b, args[0]));
    GIVE(0, whole ? g : emit(b, complex, g, zeros_like(b, g)));
}

VJP(imag)
{
    GIVE(0, emit(b, complex, zeros_like(b, g), g));
}

/* g is the conjugate of the cotangent, as of every complex result. */
VJP(complex)
{
    GIVE(0, emit(b, real, g));
    GIVE(1, NEG(emit(b, imag, g)));
}

VJP(acos)
{
    GIVE(0, NEG(MUL(g, RSQRT(SUB(F(1), MUL(args[0], args[0]))))));
}

VJP(acosh)
{
    GIVE(0, MUL(g, RSQRT(SUB(MUL(args[0], args[0]), F(1)))));
}

VJP(asin)
{
    GIVE(0, MUL(g, RSQRT(SUB(F(1), MUL(args[0], args[0])))));
}

VJP(asinh)
{
    GIVE(0, MUL(g, RSQRT(ADD(MUL(args[0], args[0]), F(1)))));
}

VJP(atan)
{
    GIVE(0, DIV(g, ADD(MUL(args[0], args[0]), F(1))));
}

VJP(atanh)
{
    GIVE(0, DIV(g, SUB(F(1), MUL(args[0], args[0]))));
}

VJP(cos)
{
    GIVE(0, NEG(MUL(g, cl_sin(b, args[0]))));
}

VJP(cosh)
{
    GIVE(0, MUL(g, cl_sinh(b, args[0])));
}

/* The sum of 1 / (x + k)^2, reflected at 1/2 as PyTorch does. */
static Arg trigamma(Build *b, Arg x)
{
    Arg low = LT(x, F(0.5)), sine = cl_sin(b, MUL(x, F(PI)));
    Arg two = cl_full_like(b, x, F(2)), right = cl_zeta(b, two, WHERE(low, SUB(F(1), x), x));
    Arg r = WHERE(low, SUB(DIV(F(PI * PI), MUL(sine, sine)), right), right);
    return WHERE(EQ(x, F(INFINITY)), F(0), r);
}

VJP(digamma)
{
    GIVE(0, MUL(g, trigamma(b, args[0])));
}

VJP(erf)
{
    GIVE(0, MUL(MUL(g, F(2 / sqrt(PI))), EXP(NEG(MUL(args[0], args[0])))));
}

VJP(erfc)
{
    GIVE(0, MUL(MUL(g, F(-2 / sqrt(PI))), EXP(NEG(MUL(args[0], args[0])))));
}

VJP(erfinv)
{
    GIVE(0, MUL(MUL(g, F(sqrt(PI) / 2)), EXP(MUL(OUT, OUT))));
}

VJP(erfcinv)
{
    GIVE(0, MUL(MUL(g, F(-sqrt(PI) / 2)), EXP(MUL(OUT, OUT))));
}

VJP(exp)
{
    GIVE(0, MUL(g, OUT));
}

VJP(exp2)
{
    GIVE(0, MUL(MUL(g, OUT), F(LN2)));
}

VJP(expm1)
{
    GIVE(0, MUL(g, ADD(OUT, F(1))));
}

VJP(lgamma)
{
    GIVE(0, MUL(g, cl_digamma(b, args[0])));
}

VJP(log)
{
    GIVE(0, DIV(g, args[0]));
}

VJP(log10)
{
    GIVE(0, DIV(g, MUL(args[0], F(LN10))));
}

VJP(log1p)
{
    GIVE(0, DIV(g, ADD(args[0], F(1))));
}

VJP(log2)
{
    GIVE(0, DIV(g, MUL(args[0], F(LN2))));
}

VJP(ndtri)
{
    GIVE(0, MUL(MUL(g, F(sqrt(2 * PI))), EXP(MUL(MUL(OUT, OUT), F(0.5)))));
}

VJP(neg)
{
    GIVE(0, NEG(g));
}

VJP(reciprocal)
{
    GIVE(0, NEG(MUL(g, MUL(OUT, OUT))));
}

VJP(rsqrt)
{
    GIVE(0, MUL(MUL(g, F(-0.5)), MUL(OUT, MUL(OUT, OUT))));
}

VJP(sin)
{
    GIVE(0, MUL(g, cl_cos(b, args[0])));
}

VJP(sinh)
{
    GIVE(0, MUL(g, cl_cosh(b, args[0])));
}

VJP(sqrt)
{
    GIVE(0, DIV(g, MUL(OUT, F(2))));
}

VJP(tan)
{
    GIVE(0, MUL(g, ADD(MUL(OUT, OUT), F(1))));
}

VJP(tanh)
{
    GIVE(0, MUL(g, SUB(F(1), MUL(OUT, OUT))));
}

/* ----------------------------------------------------------------------- two and three operands */

VJP(add)
{
    GIVE(0, g);
    GIVE(1, g);
}

VJP(sub)
{
    GIVE(0, g);
    GIVE(1, NEG(g));
}

VJP(mul)
{
    bool swapped = INJECT(grad_operands, b->t->values[OUT.v].name);
    GIVE(0, MUL(g, args[swapped ? 0 : 1]));
    GIVE(1, MUL(g, args[swapped ? 1 : 0]));
}

VJP(div)
{
    GIVE(0, DIV(g, args[1]));
    GIVE(1, NEG(MUL(g, DIV(OUT, args[1]))));
}

VJP(atan2)
{
    Arg a = args[0], c = args[1];
    Arg part = cl_reciprocal(b, ADD(MUL(a, a), MUL(c, c))), none = cl_isinf(b, part);
    GIVE(0, WHERE(none, F(0), MUL(MUL(g, c), part)));
    GIVE(1, WHERE(none, F(0), MUL(MUL(g, NEG(a)), part)));
}

VJP(fmod)
{
    GIVE(0, g);
    GIVE(1, NEG(MUL(g, cl_trunc(b, DIV(args[0], args[1])))));
}

VJP(remainder)
{
    GIVE(0, g);
    GIVE(1, NEG(MUL(g, cl_floor_divide(b, args[0], args[1]))));
}

Arg extreme_share(Build *b, Arg g, Arg x, Arg y, bool larger)
{
    if (!arg_is_tensor(b, y))
        return WHERE(larger ? GT(x, y) : LT(x, y), g, F(0));
    Arg loses = larger ? LT(x, y) : GT(x, y);
    return WHERE(EQ(x, y), MUL(g, F(0.5)), WHERE(loses, F(0), g));
}

VJP(maximum)
{
    GIVE(0, extreme_share(b, g, args[0], args[1], true));
    GIVE(1, extreme_share(b, g, args[1], args[0], true));
}

VJP(minimum)
{
    GIVE(0, extreme_share(b, g, args[0], args[1], false));
    GIVE(1, extreme_share(b, g, args[1], args[0], false));
}

/* d(a^e)/da = e a^(e - 1), which is 0 for e = 0 also where a is 0. */
static Arg pow_base(Build *b, Arg g, Arg a, Arg e)
{
    Arg lit;
    if (cl_literal(b, e, &lit)) {
        double n = cl_float(b, lit);
        return n == 0 ? zeros_like(b, a) : MUL(g, MUL(cl_pow(b, a, F(n - 1)), F(n)));
    }
    return WHERE(EQ(e, F(0)), F(0), MUL(g, MUL(e, cl_pow(b, a, SUB(e, F(1))))));
}

/* d(a^e)/de = a^e log a, which is 0 where a is 0 and e is not negative. */
static Arg pow_exponent(Build *b, Arg g, Arg a, Arg e, Arg out)
{
    Arg lit;
    if (cl_literal(b, a, &lit)) {
        double base = cl_float(b, lit);
        Arg slope = MUL(g, MUL(out, F(log(base))));
        return base == 0 ? WHERE(GE(e, F(0)), F(0), slope) : slope;
    }
    Arg flat = AND(EQ(a, F(0)), GE(e, F(0)));
    return WHERE(flat, F(0), MUL(g, MUL(out, LOG(a))));
}

VJP(pow)
{
    GIVE(0, pow_base(b, g, args[0], args[1]));
    GIVE(1, pow_exponent(b, g, args[0], args[1], OUT));
}

VJP(zeta)
{
    if (vjp_wants(v, args[0]))
        vjp_unsupported(v, "no derivative with respect to its first argument is known");
    GIVE(1, MUL(g, NEG(MUL(args[0], cl_zeta(b, ADD(args[0], F(1)), args[1])))));
}

/* x^(a - 1) e^-x / gamma(a) */
static Arg gamma_density(Build *b, Arg a, Arg x)
{
    Arg log = SUB(MUL(SUB(a, F(1)), LOG(x)), x);
    return EXP(SUB(log, emit(b, lgamma, a)));
}

VJP(igamma)
{
    if (vjp_wants(v, args[0]))
        vjp_unsupported(v, "no derivative with respect to its first argument is known");
    GIVE(1, MUL(g, gamma_density(b, args[0], args[1])));
}

VJP(igammac)
{
    if (vjp_wants(v, args[0]))
        vjp_unsupported(v, "no derivative with respect to its first argument is known");
    GIVE(1, NEG(MUL(g, gamma_density(b, args[0], args[1]))));
}

VJP(lerp)
{
    Arg w = args[2];
    GIVE(0, MUL(g, SUB(F(1), w)));
    GIVE(1, MUL(g, w));
    GIVE(2, MUL(g, SUB(args[1], args[0])));
}

VJP(where)
{
    GIVE(1, WHERE(args[0], g, F(0)));
    GIVE(2, WHERE(args[0], F(0), g));
}
