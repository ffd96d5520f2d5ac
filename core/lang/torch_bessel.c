/*
 * torch_bessel.c - modified Bessel functions, and the scaled complement of the error function with
 * what stands on it, by Chebyshev series.
 *
 * The coefficients are those of the functions themselves, highest order first, down to the last bit
 * of f64; dtypes below f32 compute as f32 does.
 */
#include "notation.h"

#include <math.h>

/* x in [-2, 2]: the sum of c[k] T[k](x / 2), the last c halved. */
static Arg chebyshev(Build *b, Arg x, const double *c, size_t n)
{
    Arg b0 = F(c[0]), b1 = F(0), b2 = F(0);
    for (size_t i = 1; i < n; i++) {
        b2 = b1;
        b1 = b0;
        b0 = ADD(SUB(MUL(x, b1), b2), F(c[i]));
    }
    return MUL(F(0.5), SUB(b0, b2));
}

/* ----------------------------------------------------------------------------- Bessel functions */

/* exp(-x) I0(x) up to 8 in x / 2 - 2, and sqrt(x) times that above in 32 / x - 2. */
static const double i0_low[] = {
    -4.41534164647933937950e-18, 3.33079451882223809783e-17,  -2.43127984654795469359e-16,
    1.71539128555513303061e-15,  -1.16853328779934516808e-14, 7.67618549860493561688e-14,
    -4.85644678311192946090e-13, 2.95505266312963983461e-12,  -1.72682629144155570723e-11,
    9.67580903537323691224e-11,  -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8,  6.04699502254191894932e-8,   -2.67079385394061173391e-7,
    1.11738753912010371815e-6,   -4.41673835845875056359e-6,  1.64484480707288970893e-5,
    -5.75419501008210370398e-5,  1.88502885095841655729e-4,   -5.76375574538582365885e-4,
    1.63947561694133579842e-3,   -4.32430999505057594430e-3,  1.05464603945949983183e-2,
    -2.37374148058994688156e-2,  4.93052842396707084878e-2,   -9.49010970480476444210e-2,
    1.71620901522208775349e-1,   -3.04682672343198398683e-1,  6.76795274409476084995e-1};
static const double i0_high[] = {
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17,
    3.46122286769746109310e-17,  -2.82762398051658348494e-16, -3.42548561967721913462e-16,
    1.77256013305652638360e-15,  3.81168066935262242075e-15,  -9.55484669882830764870e-15,
    -4.15056934728722208663e-14, 1.54008621752140982691e-14,  3.85277838274214270114e-13,
    7.18012445138366623367e-13,  -1.79417853150680611778e-12, -1.32158118404477131188e-11,
    -3.14991652796324136454e-11, 1.18891471078464383424e-11,  4.94060238822496958910e-10,
    3.39623202570838634515e-9,   2.26666899049817806459e-8,   2.04891858946906374183e-7,
    2.89137052083475648297e-6,   6.88975834691682398426e-5,   3.36911647825569408990e-3,
    8.04490411014108831608e-1};

/* exp(-x) I1(x) / x up to 8, and exp(-x) sqrt(x) I1(x) above. */
static const double i1_low[] = {
    2.7779141127610464e-18,  -2.111421214358166e-17,  1.5536319577362005e-16,
    -1.1055969477353862e-15, 7.600684294735408e-15,   -5.042185504727912e-14,
    3.223793365945575e-13,   -1.9839743977649436e-12, 1.1736186298890901e-11,
    -6.663489723502027e-11,  3.625590281552117e-10,   -1.8872497517228294e-09,
    9.381537386495773e-09,   -4.445059128796328e-08,  2.0032947535521353e-07,
    -8.568720264695455e-07,  3.4702513081376785e-06,  -1.3273163656039436e-05,
    4.781565107550054e-05,   -0.00016176081582589674, 0.0005122859561685758,
    -0.0015135724506312532,  0.004156422944312888,    -0.010564084894626197,
    0.024726449030626516,    -0.05294598120809499,    0.1026436586898471,
    -0.17641651835783406,    0.25258718644363365};
static const double i1_high[] = {
    7.517296310842105e-18,   4.414348323071708e-18,   -4.6503053684893586e-17,
    -3.209525921993424e-17,  2.96262899764595e-16,    3.3082023109209285e-16,
    -1.8803547755107825e-15, -3.8144030724370075e-15, 1.0420276984128802e-14,
    4.272440016711951e-14,   -2.1015418427726643e-14, -4.0835511110921974e-13,
    -7.198551776245908e-13,  2.0356285441470896e-12,  1.4125807436613782e-11,
    3.2526035830154884e-11,  -1.8974958123505413e-11, -5.589743462196584e-10,
    -3.835380385964237e-09,  -2.6314688468895196e-08, -2.512236237870209e-07,
    -3.882564808877691e-06,  -0.00011058893876262371, -0.009761097491361469,
    0.7785762350182801};

/* exp(-x) times the Bessel function of that order, of x >= 0. */
static Arg scaled_bessel(Build *b, Arg x, int order)
{
    /* Either series stays where it converges: else the gradient of the other would be 0 times
     * infinity. */
    Arg small = LE(x, F(8)), near = WHERE(small, x, F(8)), far = WHERE(small, F(8), x);
    Arg below = SUB(DIV(near, F(2)), F(2)), above = SUB(DIV(F(32), far), F(2));
    if (order == 0) {
        below = chebyshev(b, below, i0_low, ARRAY_LEN(i0_low));
        above = chebyshev(b, above, i0_high, ARRAY_LEN(i0_high));
    } else {
        below = MUL(chebyshev(b, below, i1_low, ARRAY_LEN(i1_low)), near);
        above = chebyshev(b, above, i1_high, ARRAY_LEN(i1_high));
    }
    return WHERE(small, below, DIV(above, SQRT(far)));
}

static Arg bessel(Build *b, Arg x, int order, bool scaled)
{
    if (dtype_is_complex(cl_dtype(b, x))) {
        build_error(b, 0, "\"%s\" not implemented for '%s'", b->op->name,
                    dtype_text(cl_dtype(b, x)));
        return A_NONE;
    }
    DType out = cl_enter(b, &x, 1, PROMOTE_INT_TO_FLOAT);
    Arg size = ABS(x), r = scaled_bessel(b, size, order);
    r = scaled ? r : MUL(EXP(size), r);
    return TO(order ? WHERE(LT(x, F(0)), NEG(r), r) : r, out);
}

DECOMPOSE(d_i0)
{
    return bessel(b, args[0], 0, false);
}

DECOMPOSE(d_i0e)
{
    return bessel(b, args[0], 0, true);
}

DECOMPOSE(d_i1)
{
    return bessel(b, args[0], 1, false);
}

DECOMPOSE(d_i1e)
{
    return bessel(b, args[0], 1, true);
}

/* -------------------------------------------------------------------------------- scaled erfc */

/* (1 + 2 x) exp(x x) erfc(x) of x >= 0, in 2 (x - 3.75) / (x + 3.75). */
static const double erfc_series[] = {
    5.068148904796111e-17,  7.418235256624044e-17,   -1.2507950530688648e-15,
    -1.864562880419313e-15, 3.3478119482868056e-14,  3.25254814814874e-14,
    -9.65469674843344e-13,  1.9455868545777347e-13,  2.86879501093067e-11,
    -6.318088340886684e-11, -7.754400208831351e-10,  4.521959811218287e-09,
    1.076499946567091e-08,  -2.1886401049234397e-07, 7.74038306619849e-07,
    4.13902798607301e-06,   -6.916973302501207e-05,  0.0004907758365258086,
    -0.002413163540417608,  0.009074997670705265,    -0.026658668435305753,
    0.05920993999819189,    -0.08424913336651792,    -0.004590054580646478,
    2.3551578691348034};

/* exp(x x) erfc(x), which neither overflows nor vanishes where x is large. */
static Arg scaled_erfc(Build *b, Arg x)
{
    Arg size = ABS(x), t = SUB(F(2), DIV(F(15), ADD(size, F(3.75))));
    Arg r = DIV(chebyshev(b, t, erfc_series, ARRAY_LEN(erfc_series)), ADD(MUL(size, F(2)), F(1)));
    return WHERE(LT(x, F(0)), SUB(MUL(EXP(MUL(x, x)), F(2)), r), r);
}

/* x as f32 or f64; PyTorch has no other dtypes of these two. */
static DType enter_wide(Build *b, Arg *x)
{
    DType d = cl_dtype(b, *x);
    if (!dtype_is_exact(d) && d != DT_f32 && d != DT_f64)
        build_error(b, 0, "\"%s\" not implemented for '%s'", b->op->name, dtype_text(d));
    return cl_enter(b, x, 1, PROMOTE_INT_TO_FLOAT);
}

DECOMPOSE(d_erfcx)
{
    Arg x = args[0];
    DType out = enter_wide(b, &x);
    return TO(scaled_erfc(b, x), out);
}

/* log(ndtr(x)), by the scaled function where ndtr is so small that it would lose its digits. */
DECOMPOSE(d_log_ndtr)
{
    Arg x = args[0];
    DType out = enter_wide(b, &x);
    Arg t = MUL(x, F(sqrt(0.5))), low = LT(x, F(-1));
    Arg tail = WHERE(low, t, F(-1)), head = WHERE(low, F(0), t);
    Arg below = SUB(LOG(DIV(scaled_erfc(b, NEG(tail)), F(2))), MUL(tail, tail));
    return TO(WHERE(low, below, LOG1P(DIV(cl_erfc(b, head), F(-2)))), out);
}
