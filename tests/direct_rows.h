/*
 * direct_rows.h - operators and direct formulas for them, written without the languages.
 *
 * MAP(call, formula): each element, of x (a), y (b), z (c). FOLD and LINE: the last dimension, v[0]
 * to v[n - 1] (and w, of b), to one number or to out[0 .. n - 1]. WHOLE: any sizes, named by the
 * letters of the operands' shapes: "MK" is a matrix of M rows and K columns, "M3" one of 3 columns;
 * a, b, c are their elements and PUT gives those of the result, in row-major order.
 */
#ifndef DIRECT_ROWS_H
#define DIRECT_ROWS_H

#define FN "torch.nn.functional."
#define ATEN "torch.ops.aten."
#define POS(x) ((x) > 0 ? (x) : 0)
#define CLIP(x, lo, hi) fmin(fmax(x, lo), hi)
#define SIGM(x) (1 / (1 + exp(-(x))))
#define SOFTPLUS(x) (POS(x) + log1p(exp(-fabs(x))))
#define PHI(x) (0.5 * erfc(-(x) / sqrt(2)))
#define BELL(x) (exp(-(x) * (x) / 2) / sqrt(2 * acos(-1)))

#define MAPS(MAP)                                                                                  \
    MAP("torch.abs(a)", fabs(x))                                                                   \
    MAP("torch.acos(a / 3)", acos(x / 3))                                                          \
    MAP("torch.asinh(a)", asinh(x))                                                                \
    MAP("torch.atan2(a, b)", atan2(x, y))                                                          \
    MAP("torch.atanh(a / 3)", atanh(x / 3))                                                        \
    MAP("torch.celu_backward(a, 0.7, b)", y > 0 ? x : x * exp(y / 0.7))                            \
    MAP("torch.ceil(a)", ceil(x))                                                                  \
    MAP("torch.deg2rad(a)", x * acos(-1) / 180)                                                    \
    MAP("torch.rad2deg(a)", x * 180 / acos(-1))                                                    \
    MAP("torch.erf(a)", erf(x))                                                                    \
    MAP("torch.erfcinv(1 + a / 3)", -quantile(0.5 + x / 6) / sqrt(2))                              \
    MAP("torch.erfc(a)", erfc(x))                                                                  \
    MAP("torch.exp2(a)", exp2(x))                                                                  \
    MAP("torch.expm1(a)", expm1(x))                                                                \
    MAP("torch.frac(a)", x - trunc(x))                                                             \
    MAP("torch.lgamma(a)", lgamma(x))                                                              \
    MAP("torch.logit(a, 0.01)",                                                                    \
        log(CLIP(x, 0.01, 0.99) / (1 - CLIP(x, 0.01, 0.99))))                                      \
    MAP("torch.reciprocal(a)", 1 / x)                                                              \
    MAP("torch.round(a, decimals=1)", rint(x * 10) / 10)                                           \
    MAP("torch.rsqrt(a * a)", 1 / fabs(x))                                                         \
    MAP("torch.sgn(a)", (x > 0) - (x < 0))                                                         \
    MAP("torch.sigmoid(a)", SIGM(x))                                                               \
    MAP("torch.sinc(a)", x == 0 ? 1 : sin(acos(-1) * x) / (acos(-1) * x))                          \
    MAP("torch.square(a)", x * x)                                                                  \
    MAP("torch.nan_to_num(torch.log(a), 5.0)", x < 0 ? 5 : log(x))                                 \
    MAP(FN "celu(a, 0.7)", POS(x) + fmin(0, 0.7 * expm1(x / 0.7)))                                 \
    MAP(FN "elu(a, 0.7)", x > 0 ? x : 0.7 * expm1(x))                                              \
    MAP(FN "gelu(a)", x * PHI(x))                                                                  \
    MAP(FN "gelu(a, approximate='tanh')",                                                          \
        0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x))))                     \
    MAP(FN "hardshrink(a)", fabs(x) > 0.5 ? x : 0)                                                 \
    MAP(FN "hardsigmoid(a)", CLIP(x + 3, 0, 6) / 6)                                                \
    MAP(FN "hardswish(a)", x * CLIP(x + 3, 0, 6) / 6)                                              \
    MAP(FN "hardtanh(a, -0.5, 0.8)", CLIP(x, -0.5, 0.8))                                           \
    MAP(FN "leaky_relu(a, 0.2)", x > 0 ? x : 0.2 * x)                                              \
    MAP(FN "logsigmoid(a)", -SOFTPLUS(-x))                                                         \
    MAP(FN "mish(a)", x * tanh(SOFTPLUS(x)))                                                       \
    MAP(FN "relu(a)", POS(x))                                                                      \
    MAP(FN "relu6(a * 5)", CLIP(5 * x, 0, 6))                                                      \
    MAP(FN "selu(a)",                                                                              \
        1.0507009873554804934 * (x > 0 ? x : 1.6732632423543772848 * expm1(x)))                    \
    MAP(FN "silu(a)", x * SIGM(x))                                                                 \
    MAP(FN "softplus(a, 2.0)", SOFTPLUS(2 * x) / 2)                                                \
    MAP(FN "softshrink(a)", x > 0.5 ? x - 0.5 : x < -0.5 ? x + 0.5 : 0)                            \
    MAP(FN "softsign(a)", x / (1 + fabs(x)))                                                       \
    MAP(FN "tanhshrink(a)", x - tanh(x))                                                           \
    MAP(FN "threshold(a, 0.1, 7.0)", x > 0.1 ? x : 7)                                              \
    MAP("torch.add(a, b, alpha=3)", x + 3 * y)                                                     \
    MAP("torch.sub(a, b, alpha=3)", x - 3 * y)                                                     \
    MAP("torch.rsub(a, b)", y - x)                                                                 \
    MAP("torch.rsub(a, b, alpha=3)", y - 3 * x)                                                    \
    MAP("torch.div(a, b, rounding_mode='floor')", floor(x / y))                                    \
    MAP("torch.div(a, b, rounding_mode='trunc')", trunc(x / y))                                    \
    MAP("torch.copysign(a, b)", copysign(x, y))                                                    \
    MAP("torch.fmod(a, b)", fmod(x, y))                                                            \
    MAP("torch.remainder(a, b)", x - y * floor(x / y))                                             \
    MAP("torch.fmax(a, b)", fmax(x, y))                                                            \
    MAP("torch.fmin(a, b)", fmin(x, y))                                                            \
    MAP("torch.heaviside(a, b)", x < 0 ? 0 : x > 0 ? 1 : y)                                        \
    MAP("torch.hypot(a, b)", hypot(x, y))                                                          \
    MAP("torch.ldexp(a, b)", x * exp2(y))                                                          \
    MAP("torch.logaddexp(a, b)", log(exp(x) + exp(y)))                                             \
    MAP("torch.logaddexp2(a, b)", log2(exp2(x) + exp2(y)))                                         \
    MAP("torch.maximum(a, b)", x > y ? x : y)                                                      \
    MAP("torch.minimum(a, b)", x < y ? x : y)                                                      \
    MAP("torch.pow(torch.abs(a), b)", pow(fabs(x), y))                                             \
    MAP("torch.xlogy(a, torch.abs(b))", x * log(fabs(y)))                                          \
    MAP("torch.special.xlog1py(a, torch.abs(b))", x * log1p(fabs(y)))                              \
    MAP("torch.addcdiv(a, b, c, value=0.5)", x + 0.5 * y / z)                                      \
    MAP("torch.addcmul(a, b, c, value=0.5)", x + 0.5 * y * z)                                      \
    MAP("torch.clamp(a, -0.3, 0.4)", CLIP(x, -0.3, 0.4))                                           \
    MAP("torch.clamp(a, b, c)", fmin(fmax(x, y), z))                                               \
    MAP("torch.clamp_max(a, 0.2)", fmin(x, 0.2))                                                   \
    MAP("torch.clamp_min(a, 0.2)", fmax(x, 0.2))                                                   \
    MAP("torch.lerp(a, b, c)", x + z * (y - x))                                                    \
    MAP("torch.where(a > 0, b, c)", x > 0 ? y : z)                                                 \
    MAP("torch.masked_fill(a, b > 0, 9.0)", y > 0 ? 9 : x)                                         \
    MAP("torch.float_power(torch.abs(a), 1.5)", pow(fabs(x), 1.5))                                 \
    MAP("torch.true_divide(a, b)", x / y)                                                          \
    MAP("torch.floor_divide(a, b)", floor(x / y))                                                  \
    MAP("torch.nextafter(a, b)", nextafter(x, y))                                                  \
    MAP("torch.special.hermite_polynomial_h(a, 3)", 8 * x * x * x - 12 * x)                        \
    MAP("torch.special.chebyshev_polynomial_t(a, 3)", 4 * x * x * x - 3 * x)                       \
    MAP("torch.special.legendre_polynomial_p(a, 3)", (5 * x * x * x - 3 * x) / 2)                  \
    MAP("torch.special.laguerre_polynomial_l(a, 2)", (x * x - 4 * x + 2) / 2)                      \
    MAP("torch.special.ndtri(torch.sigmoid(a))", quantile(SIGM(x)))                                \
    MAP("torch.erfinv(torch.tanh(a))", quantile((tanh(x) + 1) / 2) / sqrt(2))                      \
    MAP("torch.special.entr(torch.abs(a))", -fabs(x) * log(fabs(x)))                               \
    MAP("torch.special.ndtr(a)", PHI(x))                                                           \
    MAP("torch.special.spherical_bessel_j0(a)", sin(x) / x)                                        \
    MAP("torch.polygamma(0, torch.exp(a))", slope(lgamma, exp(x)))                                 \
    MAP("torch.special.i0e(a)", bessel(fabs(x)))                                                   \
    MAP("torch.special.multigammaln(torch.exp(a) + 1, 2)",                                         \
        0.5 * log(acos(-1)) + lgamma(exp(x) + 1) + lgamma(exp(x) + 0.5))                           \
    MAP("torch.isnan(torch.log(a)).double()", x < 0)                                               \
    MAP("torch.isinf(a / torch.clamp(b, min=0.0)).double()", y <= 0)                               \
    MAP("torch.isposinf(torch.exp(1000 * a)).double()", exp(1000 * x) > 1e308)                     \
    MAP("torch.isneginf(torch.log(torch.clamp(a, min=0.0))).double()", x <= 0)                     \
    MAP("torch.logical_and(a > 0, b > 0).double()", x > 0 && y > 0)                                \
    MAP("torch.logical_or(a > 0, b > 0).double()", x > 0 || y > 0)                                 \
    MAP("torch.logical_xor(a > 0, b > 0).double()", (x > 0) != (y > 0))                            \
    MAP("torch.isclose(a, b, 0.5, 0.5).double()", fabs(x - y) <= 0.5 + 0.5 * fabs(y))              \
    MAP("torch.bucketize(a, torch.tensor([-1.0, 0.0, 1.0])).double()",                             \
         (x > -1) + (x > 0) + (x > 1))                                                             \
    MAP("torch.searchsorted(torch.tensor([-1.0, 0.0, 1.0]), a).double()",                          \
         (x > -1) + (x > 0) + (x > 1))                                                             \
    MAP("torch.frexp(a)[0]", frexp(x, &exponent))                                                  \
    MAP("torch.polar(torch.exp(a), b).imag", exp(x) * sin(y))                                      \
    MAP("torch.angle(torch.complex(a, b))", atan2(y, x))                                           \
    MAP("torch.conj(torch.complex(a, b)).imag", -y)                                                \
    MAP("torch.view_as_real(torch.complex(a, b))[..., 1]", y)                                      \
    MAP("torch.special.i0(a)", bessel(fabs(x)) * exp(fabs(x)))                                     \
    MAP("torch.full_like(a, 3.0)", 3)                                                              \
    MAP("torch.special.chebyshev_polynomial_u(a, 3)", 8 * x * x * x - 4 * x)                       \
    MAP("torch.special.chebyshev_polynomial_v(a, 3)", 8 * x * x * x - 4 * x * x - 4 * x + 1)       \
    MAP("torch.special.chebyshev_polynomial_w(a, 3)", 8 * x * x * x + 4 * x * x - 4 * x - 1)       \
    MAP("torch.special.hermite_polynomial_he(a, 3)", x * x * x - 3 * x)                            \
    MAP("torch.special.shifted_chebyshev_polynomial_t(a, 3)",                                      \
         4 * pow(2 * x - 1, 3) - 3 * (2 * x - 1))                                                  \
    MAP("torch.special.shifted_chebyshev_polynomial_u(a, 3)",                                      \
         8 * pow(2 * x - 1, 3) - 4 * (2 * x - 1))                                                  \
    MAP(ATEN "elu_backward(a, 0.7, 1.0, 1.0, False, b)", y > 0 ? x : x * 0.7 * exp(y))             \
    MAP(ATEN "hardshrink_backward(a, b, 0.5)", fabs(y) > 0.5 ? x : 0)                              \
    MAP(ATEN "hardswish_backward(a, b)", fabs(y) < 3 ? x * (y / 3 + 0.5) : 0)                      \
    MAP(ATEN "log_sigmoid_backward(a, b, b)", x * SIGM(-y))                                        \
    MAP(ATEN "mish_backward(a, b)",                                                                \
         x * (tanh(SOFTPLUS(y)) + y * SIGM(y) * (1 - pow(tanh(SOFTPLUS(y)), 2))))                  \
    MAP(ATEN "softplus_backward(a, b, 2.0, 20.0)", x * SIGM(2 * y))                                \
    MAP(ATEN "logit_backward(a, torch.sigmoid(b))", x / (SIGM(y) * (1 - SIGM(y))))                 \
    MAP(ATEN "huber_loss_backward(a, b, c, 2, 0.7)", x * CLIP(y - z, -0.7, 0.7))                   \
    MAP(ATEN "smooth_l1_loss_backward(a, b, c, 2, 0.7)", x * CLIP((y - z) / 0.7, -1, 1))           \
    MAP(ATEN "binary_cross_entropy_backward(a, torch.sigmoid(b), c, None, 2)",                     \
         x * (SIGM(y) - z) / (SIGM(y) * (1 - SIGM(y))))                                            \
    MAP(ATEN "sigmoid_backward(a, b)", x * (1 - y) * y)                                            \
    MAP(ATEN "tanh_backward(a, b)", x * (1 - y * y))                                               \
    MAP(ATEN "gelu_backward(a, b)", x * (PHI(y) + y * BELL(y)))                                    \
    MAP(ATEN "silu_backward(a, b)", x * SIGM(y) * (1 + y * (1 - SIGM(y))))                         \
    MAP(ATEN "threshold_backward(a, b, 0.1)", y > 0.1 ? x : 0)                                     \
    MAP(ATEN "hardtanh_backward(a, b, -0.5, 0.8)", y > -0.5 && y < 0.8 ? x : 0)                    \
    MAP(ATEN "hardsigmoid_backward(a, b)", y > -3 && y < 3 ? x / 6 : 0)                            \
    MAP(ATEN "leaky_relu_backward(a, b, 0.2, False)", y > 0 ? x : 0.2 * x)                         \
    MAP(ATEN "mse_loss_backward(a, b, c, 2)", 2 * (y - z) * x)                                     \
    MAP(FN "mse_loss(a, b, reduction='none')", (x - y) * (x - y))                                  \
    MAP(FN "l1_loss(a, b, reduction='none')", fabs(x - y))                                         \
    MAP(FN "huber_loss(a, b, reduction='none', delta=0.7)",                                        \
        fabs(x - y) < 0.7 ? 0.5 * (x - y) * (x - y) : 0.7 * (fabs(x - y) - 0.35))                  \
    MAP(FN "smooth_l1_loss(a, b, reduction='none', beta=0.7)",                                     \
        fabs(x - y) < 0.7 ? 0.5 * (x - y) * (x - y) / 0.7 : fabs(x - y) - 0.35)                    \
    MAP(FN "soft_margin_loss(a, torch.sign(b), reduction='none')",                                 \
        log1p(exp(-x * ((y > 0) - (y < 0)))))                                                      \
    MAP(FN "poisson_nll_loss(a, b, reduction='none')", exp(x) - y * x)                             \
    MAP(FN "binary_cross_entropy_with_logits(a, b, reduction='none')", SOFTPLUS(x) - x * y)        \
    MAP(FN "binary_cross_entropy(torch.sigmoid(a), torch.sigmoid(b), reduction='none')",           \
        -(SIGM(y) * log(SIGM(x)) + (1 - SIGM(y)) * log(1 - SIGM(x))))                              \
    MAP(FN "kl_div(a, torch.sigmoid(b), reduction='none')", SIGM(y) * (log(SIGM(y)) - x))          \
    MAP(FN "margin_ranking_loss(a, b, torch.sign(c), 0.1, reduction='none')",                      \
        POS(-((z > 0) - (z < 0)) * (x - y) + 0.1))                                                 \
    MAP(FN "hinge_embedding_loss(a, torch.sign(b), 0.9, reduction='none')",                        \
        y > 0 ? x : y < 0 ? POS(0.9 - x) : x + POS(0.9 - x))                                       \
    MAP(FN "gaussian_nll_loss(a, b, torch.exp(c), reduction='none')",                              \
        0.5 * (z + (x - y) * (x - y) / exp(z)))

#define SUM(term)                                                                                  \
    double s = 0;                                                                                  \
    for (int i = 0; i < n; i++)                                                                    \
        s += (term);
#define MEAN SUM(v[i]) s /= n;

#define FOLDS(FOLD)                                                                                \
    FOLD("torch.max(a, -1)[0]", return largest(v, n);)                                             \
    FOLD("torch.min(a, -1)[1].double()", return place(v, n, smallest(v, n));)                      \
    FOLD("torch.nanmean(a, -1)", return mean(v, n);)                                               \
    FOLD("torch.aminmax(a, dim=-1)[0]", return smallest(v, n);)                                    \
    FOLD("torch.std_mean(a, -1)[0]", return sqrt(variance(v, n, 1));)                              \
    FOLD("torch.linalg.norm(a, 1, -1)", SUM(fabs(v[i])) return s;)                                 \
    FOLD("torch.mode(torch.round(a), -1)[0]", return commonest(v, n);)                             \
    FOLD("torch.sum(a, -1)", SUM(v[i]) return s;)                                                  \
    FOLD("torch.mean(a, -1)", MEAN return s;)                                                      \
    FOLD("torch.prod(a, -1)", double s = 1; for (int i = 0; i < n; i++) s *= v[i]; return s;)      \
    FOLD("torch.amax(a, -1)", return largest(v, n);)                                               \
    FOLD("torch.amin(a, -1)", return smallest(v, n);)                                              \
    FOLD("torch.argmax(a, -1)", return place(v, n, largest(v, n));)                                \
    FOLD("torch.var(a, -1)", return variance(v, n, 1);)                                            \
    FOLD("torch.std(a, -1, correction=0)", return sqrt(variance(v, n, 0));)                        \
    FOLD("torch.logsumexp(a, -1)", SUM(exp(v[i])) return log(s);)                                  \
    FOLD("torch.nansum(a, -1)", SUM(v[i]) return s;)                                               \
    FOLD("torch.count_nonzero(a > 0, -1)", SUM(v[i] > 0) return s;)                                \
    FOLD("torch.any(a > 1, -1)", SUM(v[i] > 1) return s > 0;)                                      \
    FOLD("torch.all(a > -1, -1)", SUM(v[i] > -1) return s == n;)                                   \
    FOLD("torch.median(a, -1)[0]", return ranked(v, n, (n - 1) / 2);)                              \
    FOLD("torch.kthvalue(a, 1, -1)[0]", return ranked(v, n, 0);)                                   \
    FOLD("torch.linalg.vector_norm(a, 3, -1)",                                                     \
         SUM(pow(fabs(v[i]), 3)) return pow(s, 1 / 3.0);)                                          \
    FOLD("torch.norm(a, 1, -1)", SUM(fabs(v[i])) return s;)                                        \
    FOLD("torch.trapezoid(a, dim=-1)", SUM(i ? (v[i] + v[i - 1]) / 2 : 0) return s;)               \
    FOLD(FN "cosine_similarity(a, b, dim=-1)",                                                     \
         SUM(v[i] * w[i]) return s / sqrt(dot(v, v, n) * dot(w, w, n));)                           \
    FOLD(FN "pairwise_distance(a, b)",                                                             \
         SUM((v[i] - w[i] + 1e-6) * (v[i] - w[i] + 1e-6)) return sqrt(s);)

#define ALL(x) for (int i = 0; i < n; i++) out[i] = (x);

#define LINES(LINE)                                                                                \
    LINE("torch.argsort(a, -1).double()", ALL(place(v, n, ranked(v, n, i))))                       \
    LINE("torch.take_along_dim(a, torch.argsort(a, -1), -1)", ALL(ranked(v, n, i)))                \
    LINE("torch.fft.ifft(torch.fft.fft(a)).real", ALL(v[i]))                                       \
    LINE("torch.fft.fftshift(a, -1)", ALL(v[(i + (n + 1) / 2) % n]))                               \
    LINE("torch.fft.ifftshift(a, -1)", ALL(v[(i + n / 2) % n]))                                    \
    LINE("torch.gradient(a, dim=-1)[0]", ALL(difference(v, n, i)))                                 \
    LINE(ATEN "_safe_softmax(a, -1)", SUM(exp(v[i])) ALL(exp(v[i]) / s))                           \
    LINE("torch.fft.irfft(torch.fft.rfft(a), a.shape[-1])", ALL(v[i]))                             \
    LINE("torch.fft.hfft(torch.fft.ihfft(a), a.shape[-1])", ALL(v[i]))                             \
    LINE(ATEN "_softmax(a, -1, True)", SUM(exp(v[i])) ALL(exp(v[i]) / s))                          \
    LINE(ATEN "_log_softmax(a, -1, True)", SUM(exp(v[i])) ALL(v[i] - log(s)))                      \
    LINE("torch.softmax(a, -1)", SUM(exp(v[i])) ALL(exp(v[i]) / s))                                \
    LINE("torch.log_softmax(a, -1)", SUM(exp(v[i])) ALL(v[i] - log(s)))                            \
    LINE(FN "softmin(a, -1)", SUM(exp(-v[i])) ALL(exp(-v[i]) / s))                                 \
    LINE("torch.cumsum(a, -1)", double s = 0; ALL(s += v[i]))                                      \
    LINE("torch.cumprod(a, -1)", double s = 1; ALL(s *= v[i]))                                     \
    LINE("torch.logcumsumexp(a, -1)", double s = 0; ALL(log(s += exp(v[i]))))                      \
    LINE("torch.cummax(a, -1)[0]", double s = -INFINITY; ALL(s = fmax(s, v[i])))                   \
    LINE("torch.cummin(a, -1)[0]", double s = INFINITY; ALL(s = fmin(s, v[i])))                    \
    LINE("torch.sort(a, -1)[0]", ALL(ranked(v, n, i)))                                             \
    LINE("torch.flip(a, (-1,))", ALL(v[n - 1 - i]))                                                \
    LINE("torch.roll(a, 1, -1)", ALL(v[(i + n - 1) % n]))                                          \
    LINE(FN "normalize(a, dim=-1)", double s = sqrt(dot(v, v, n)); ALL(v[i] / s))                  \
    LINE(FN "layer_norm(a, a.shape[-1:])",                                                         \
         MEAN ALL((v[i] - s) / sqrt(variance(v, n, 0) + 1e-5)))                                    \
    LINE(FN "rms_norm(a, a.shape[-1:], None, 1e-5)",                                               \
         double s = dot(v, v, n) / n; ALL(v[i] / sqrt(s + 1e-5)))                                  \
    LINE(ATEN "_softmax_backward_data(a, b, -1, torch.float64)",                                   \
         double s = dot(v, w, n); ALL(w[i] * (v[i] - s)))                                          \
    LINE(ATEN "_log_softmax_backward_data(a, b, -1, torch.float64)",                               \
         SUM(v[i]) ALL(v[i] - exp(w[i]) * s))

#define EACH(i, n) for (int i = 0; i < n; i++)
#define EACH2(i, j, n, m) EACH(i, n) EACH(j, m)
#define OVER(k, n, term) EACH(k, n) s += (term);
#define PUT(x) *OUT++ = (x)

#define WHOLES(WHOLE)                                                                              \
    WHOLE("torch.mm(a, b)", "MK", "KN", "",                                                        \
          EACH2(i, j, M, N) { double s = 0; OVER(l, K, a[i * K + l] * b[l * N + j]) PUT(s); })     \
    WHOLE("torch.matmul(a, b)", "MK", "KN", "",                                                    \
          EACH2(i, j, M, N) { double s = 0; OVER(l, K, a[i * K + l] * b[l * N + j]) PUT(s); })     \
    WHOLE("torch.mv(a, b)", "MK", "K", "",                                                         \
          EACH(i, M) PUT(dot(a + i * K, b, K));)                                                   \
    WHOLE("torch.bmm(a, b)", "QMK", "QKN", "",                                                     \
          EACH(q, Q) EACH2(i, j, M, N) { double s = 0;                                             \
          OVER(l, K, a[(q * M + i) * K + l] * b[(q * K + l) * N + j]) PUT(s); })                   \
    WHOLE(FN "linear(a, b, c)", "MK", "NK", "N",                                                   \
          EACH2(i, j, M, N) PUT(c[j] + dot(a + i * K, b + j * K, K));)                             \
    WHOLE("torch.einsum('mk,nk->mn', a, b)", "MK", "NK", "",                                       \
          EACH2(i, j, M, N) PUT(dot(a + i * K, b + j * K, K));)                                    \
    WHOLE("torch.addmm(c, a, b, beta=0.5, alpha=2)", "MK", "KN", "MN",                             \
          EACH2(i, j, M, N) { double s = 0; OVER(l, K, a[i * K + l] * b[l * N + j])                \
          PUT(0.5 * c[i * N + j] + 2 * s); })                                                      \
    WHOLE("torch.dot(a, b)", "K", "K", "",                                                         \
          PUT(dot(a, b, K));)                                                                      \
    WHOLE("torch.outer(a, b)", "M", "N", "",                                                       \
          EACH2(i, j, M, N) PUT(a[i] * b[j]);)                                                     \
    WHOLE("torch.kron(a, b)", "M", "N", "",                                                        \
          EACH2(i, j, M, N) PUT(a[i] * b[j]);)                                                     \
    WHOLE("torch.cdist(a, b)", "MK", "NK", "",                                                     \
          EACH2(i, j, M, N) { double s = 0;                                                        \
          OVER(l, K, pow(a[i * K + l] - b[j * K + l], 2)) PUT(sqrt(s)); })                         \
    WHOLE("torch.linalg.multi_dot((a, b, c))", "MK", "KN", "NJ",                                   \
          EACH2(r, o, M, J) { double s = 0; EACH2(p, q, K, N)                                      \
          s += a[r * K + p] * b[p * N + q] * c[q * J + o]; PUT(s); })                              \
    WHOLE(FN "bilinear(a, b, c)", "MI", "MJ", "KIJ",                                               \
          EACH2(r, o, M, K) { double s = 0; EACH2(p, q, I, J)                                      \
          s += a[r * I + p] * c[(o * I + p) * J + q] * b[r * J + q]; PUT(s); })                    \
    WHOLE("torch.ops.aten._scaled_dot_product_efficient_attention_backward(a, b, b, b, c, "        \
          FN "scaled_dot_product_attention(b, b, b, c), "                                          \
          "torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(b, b, b, attn_mask=c)[1], "  \
          "0, 0, 0.0, (True, True, True, True))[3]", "MK", "MK", "MM",                             \
          EACH(i, M) { double t = 0, s = 0; const double *g = a + i * K, *x = b + i * K;           \
          EACH(j, M) t += exp(dot(x, b + j * K, K) / sqrt(K) + c[i * M + j]);                      \
          EACH(j, M) s += exp(dot(x, b + j * K, K) / sqrt(K) + c[i * M + j]) / t                   \
                          * dot(g, b + j * K, K);                                                  \
          EACH(j, M) PUT(exp(dot(x, b + j * K, K) / sqrt(K) + c[i * M + j]) / t                    \
                         * (dot(g, b + j * K, K) - s)); })                                         \
    WHOLE("torch.inner(a, b)", "MK", "NK", "",                                                     \
          EACH2(i, j, M, N) PUT(dot(a + i * K, b + j * K, K));)                                    \
    WHOLE("torch.linalg.vecdot(a, b)", "MK", "MK", "",                                             \
          EACH(i, M) PUT(dot(a + i * K, b + i * K, K));)                                           \
    WHOLE("a @ torch.linalg.pinv(a) @ a", "MK", "", "",                                            \
          EACH(i, M * K) PUT(a[i]);)                                                               \
    WHOLE("torch.linalg.matrix_power(a, 2)", "MM", "", "",                                         \
          EACH2(i, j, M, M) { double s = 0; OVER(l, M, a[i * M + l] * a[l * M + j]) PUT(s); })     \
    WHOLE("torch.linalg.matrix_rank(torch.outer(a, b))", "M", "N", "",                             \
          PUT(1);)                                                                                 \
    WHOLE("torch.diagflat(a, 1)", "N", "", "",                                                     \
          EACH2(i, j, N + 1, N + 1) PUT(j == i + 1 ? a[i] : 0);)                                   \
    WHOLE("torch.cartesian_prod(a, b)", "M", "N", "",                                              \
          EACH2(i, j, M, N) { PUT(a[i]); PUT(b[j]); })                                             \
    WHOLE("torch.histc(a, 4, -2.0, 2.0)", "MN", "", "",                                            \
          EACH(q, 4) { double s = 0; OVER(i, M * N, a[i] >= q - 2 && a[i] < q - 1) PUT(s); })      \
    WHOLE(FN "lp_pool1d(torch.abs(a), 3.0, 2)", "QMN", "", "",                                     \
          EACH2(i, t, Q * M, N / 2)                                                                \
          PUT(cbrt(pow(fabs(a[i * N + 2 * t]), 3) + pow(fabs(a[i * N + 2 * t + 1]), 3)));)         \
    WHOLE("torch.narrow(a, 1, 1, 2)", "MN", "", "",                                                \
          EACH2(i, j, M, 2) PUT(a[i * N + j + 1]);)                                                \
    WHOLE("torch.select(a, 1, -1)", "MN", "", "",                                                  \
          EACH(i, M) PUT(a[i * N + N - 1]);)                                                       \
    WHOLE("torch.chunk(a, 2, 1)[1]", "MN", "", "",                                                 \
          EACH2(i, j, M, N / 2) PUT(a[i * N + (N + 1) / 2 + j]);)                                  \
    WHOLE("torch.split(a, 2, 1)[0]", "MN", "", "",                                                 \
          EACH2(i, j, M, 2) PUT(a[i * N + j]);)                                                    \
    WHOLE("torch.tensor_split(a, 2, 1)[1]", "MN", "", "",                                          \
          EACH2(i, j, M, N / 2) PUT(a[i * N + (N + 1) / 2 + j]);)                                  \
    WHOLE("torch.unbind(a, 1)[1]", "MN", "", "",                                                   \
          EACH(i, M) PUT(a[i * N + 1]);)                                                           \
    WHOLE("torch.movedim(a, 0, 1)", "MN", "", "",                                                  \
          EACH2(j, i, N, M) PUT(a[i * N + j]);)                                                    \
    WHOLE("torch.permute(a, (1, 0))", "MN", "", "",                                                \
          EACH2(j, i, N, M) PUT(a[i * N + j]);)                                                    \
    WHOLE("torch.swapaxes(a, 0, 1)", "MN", "", "",                                                 \
          EACH2(j, i, N, M) PUT(a[i * N + j]);)                                                    \
    WHOLE("a.mT", "MN", "", "",                                                                    \
          EACH2(j, i, N, M) PUT(a[i * N + j]);)                                                    \
    WHOLE("torch.unsqueeze(a, 0).squeeze(0).t()", "MN", "", "",                                    \
          EACH2(j, i, N, M) PUT(a[i * N + j]);)                                                    \
    WHOLE("torch.unflatten(torch.flatten(a), 0, a.shape).t()", "MN", "", "",                       \
          EACH2(j, i, N, M) PUT(a[i * N + j]);)                                                    \
    WHOLE("a.expand_as(b)", "N", "MN", "",                                                         \
          EACH2(i, j, M, N) PUT(a[j]);)                                                            \
    WHOLE("torch.broadcast_tensors(a, b)[0]", "N", "MN", "",                                       \
          EACH2(i, j, M, N) PUT(a[j]);)                                                            \
    WHOLE("torch.column_stack((a, b))", "M", "M", "",                                              \
          EACH(i, M) { PUT(a[i]); PUT(b[i]); })                                                    \
    WHOLE("torch.dstack((a, b))", "M", "M", "",                                                    \
          EACH(i, M) { PUT(a[i]); PUT(b[i]); })                                                    \
    WHOLE("torch.hstack((a, b))", "M", "N", "",                                                    \
          EACH(i, M + N) PUT(i < M ? a[i] : b[i - M]);)                                            \
    WHOLE("torch.vstack((a, b))", "M", "M", "",                                                    \
          EACH(i, 2 * M) PUT(i < M ? a[i] : b[i - M]);)                                            \
    WHOLE("torch.block_diag(a[None], b[None])", "M", "N", "",                                      \
          EACH2(i, j, 2, M + N) PUT(i ? (j < M ? 0 : b[j - M]) : (j < M ? a[j] : 0));)             \
    WHOLE("torch.diag_embed(a)", "MN", "", "",                                                     \
          EACH(i, M) EACH2(j, l, N, N) PUT(j == l ? a[i * N + j] : 0);)                            \
    WHOLE("torch.diagonal(a, 1)", "MM", "", "",                                                    \
          EACH(i, M - 1) PUT(a[i * M + i + 1]);)                                                   \
    WHOLE("torch.fliplr(a)", "MN", "", "",                                                         \
          EACH2(i, j, M, N) PUT(a[i * N + N - 1 - j]);)                                            \
    WHOLE("torch.flipud(a)", "MN", "", "",                                                         \
          EACH2(i, j, M, N) PUT(a[(M - 1 - i) * N + j]);)                                          \
    WHOLE("torch.pixel_shuffle(a, 2)", "Q4HW", "", "",                                             \
          EACH(q, Q) EACH2(y, x, 2 * H, 2 * W)                                                     \
          PUT(a[((q * 4 + y % 2 * 2 + x % 2) * H + y / 2) * W + x / 2]);)                          \
    WHOLE("torch.pixel_unshuffle(torch.pixel_shuffle(a, 2), 2)", "Q4HW", "", "",                   \
          EACH(i, Q * 4 * H * W) PUT(a[i]);)                                                       \
    WHOLE(FN "channel_shuffle(a, 2)", "Q4N1", "", "",                                              \
          EACH(q, Q) EACH2(l, t, 4, N) PUT(a[(q * 4 + l % 2 * 2 + l / 2) * N + t]);)               \
    WHOLE("torch.cumulative_trapezoid(a, dim=1)", "MN", "", "",                                    \
          EACH(i, M) { double s = 0;                                                               \
          for (int j = 1; j < N; j++) { s += (a[i * N + j] + a[i * N + j - 1]) / 2; PUT(s); } })   \
    WHOLE(FN "prelu(a, b)", "QMN", "M", "",                                                        \
          EACH(q, Q) EACH2(i, t, M, N) { double x = a[(q * M + i) * N + t];                        \
          PUT(x > 0 ? x : b[i] * x); })                                                            \
    WHOLE(FN "glu(a)", "M4", "", "",                                                               \
          EACH2(i, j, M, 2) PUT(a[i * 4 + j] * SIGM(a[i * 4 + j + 2]));)                           \
    WHOLE(FN "one_hot((a > 0).long(), 2).double()", "M", "", "",                                   \
          EACH2(i, j, M, 2) PUT(j == (a[i] > 0));)                                                 \
    WHOLE("torch.index_select(a, 1, torch.tensor([1, 0]))", "MN", "", "",                          \
          EACH2(i, j, M, 2) PUT(a[i * N + 1 - j]);)                                                \
    WHOLE("torch.index_fill(a, 1, torch.tensor([1]), 7.0)", "MN", "", "",                          \
          EACH2(i, j, M, N) PUT(j == 1 ? 7 : a[i * N + j]);)                                       \
    WHOLE("torch.scatter_reduce(a, 1, (b > 0).long(), b, 'sum')", "MN", "MN", "",                  \
          EACH2(i, j, M, N) { double s = a[i * N + j];                                             \
          OVER(l, N, (b[i * N + l] > 0) == j ? b[i * N + l] : 0) PUT(s); })                        \
    WHOLE("torch.select_scatter(a, b, 1, 1)", "MN", "M", "",                                       \
          EACH2(i, j, M, N) PUT(j == 1 ? b[i] : a[i * N + j]);)                                    \
    WHOLE("torch.slice_scatter(a, b, 1, 0, 2)", "MN", "M2", "",                                    \
          EACH2(i, j, M, N) PUT(j < 2 ? b[i * 2 + j] : a[i * N + j]);)                             \
    WHOLE("torch.diagonal_scatter(a, b)", "MM", "M", "",                                           \
          EACH2(i, j, M, M) PUT(i == j ? b[i] : a[i * M + j]);)                                    \
    WHOLE("torch.addmv(c, a, b, beta=0.5, alpha=2)", "MK", "K", "M",                               \
          EACH(i, M) PUT(0.5 * c[i] + 2 * dot(a + i * K, b, K));)                                  \
    WHOLE("torch.addr(c, a, b, beta=0.5, alpha=2)", "M", "N", "MN",                                \
          EACH2(i, j, M, N) PUT(0.5 * c[i * N + j] + 2 * a[i] * b[j]);)                            \
    WHOLE("torch.baddbmm(c, a, b)", "QMK", "QKN", "QMN",                                           \
          EACH(q, Q) EACH2(i, j, M, N) { double s = c[(q * M + i) * N + j];                        \
          OVER(l, K, a[(q * M + i) * K + l] * b[(q * K + l) * N + j]) PUT(s); })                   \
    WHOLE("torch.addbmm(c, a, b)", "QMK", "QKN", "MN",                                             \
          EACH2(i, j, M, N) { double s = c[i * N + j];                                             \
          EACH(q, Q) OVER(l, K, a[(q * M + i) * K + l] * b[(q * K + l) * N + j]) PUT(s); })        \
    WHOLE("torch.cross(a, b, dim=1)", "M3", "M3", "",                                              \
          EACH2(i, j, M, 3) PUT(a[i * 3 + (j + 1) % 3] * b[i * 3 + (j + 2) % 3] -                  \
          a[i * 3 + (j + 2) % 3] * b[i * 3 + (j + 1) % 3]);)                                       \
    WHOLE(FN "max_pool2d(a, 2)", "QMHW", "", "",                                                   \
          EACH(q, Q * M) EACH2(y, x, H / 2, W / 2) {                                               \
          const double *v = a + (q * H + 2 * y) * W + 2 * x;                                       \
          PUT(fmax(fmax(v[0], v[1]), fmax(v[W], v[W + 1]))); })                                    \
    WHOLE(FN "avg_pool2d(a, 2)", "QMHW", "", "",                                                   \
          EACH(q, Q * M) EACH2(y, x, H / 2, W / 2) {                                               \
          const double *v = a + (q * H + 2 * y) * W + 2 * x;                                       \
          PUT((v[0] + v[1] + v[W] + v[W + 1]) / 4); })                                             \
    WHOLE(FN "adaptive_avg_pool2d(a, 1)", "QMHW", "", "",                                          \
          EACH(q, Q * M) PUT(mean(a + q * H * W, H * W));)                                         \
    WHOLE(FN "adaptive_max_pool1d(a, 1)", "QMN", "", "",                                           \
          EACH(q, Q * M) PUT(largest(a + q * N, N));)                                              \
    WHOLE(FN "unfold(a, (2, 2))", "QMHW", "", "",                                                  \
          EACH(i, Q * M) EACH2(p, l, 2, 2) EACH2(y, x, H - 1, W - 1)                               \
          PUT(a[(i * H + y + p) * W + x + l]);)                                                    \
    WHOLE(FN "nll_loss(a, (b > 0).long())", "M3", "M", "",                                         \
          double s = 0; OVER(i, M, -a[i * 3 + (b[i] > 0)] / M) PUT(s);)                            \
    WHOLE(FN "triplet_margin_loss(a, b, c)", "MK", "MK", "MK",                                     \
          double s = 0;                                                                            \
          OVER(i, M, POS(apart(a + i * K, b + i * K, K) - apart(a + i * K, c + i * K, K) + 1) /    \
          M)                                                                                       \
          PUT(s);)                                                                                 \
    WHOLE(FN "cosine_embedding_loss(a, b, torch.ones(a.shape[0]))", "MK", "MK", "",                \
          double s = 0; OVER(i, M, (1 - dot(a + i * K, b + i * K, K) /                             \
          sqrt(dot(a + i * K, a + i * K, K) * dot(b + i * K, b + i * K, K))) / M) PUT(s);)         \
    WHOLE(FN "interpolate(a, scale_factor=2.0, mode='linear')", "QMN", "", "",                     \
          EACH2(i, t, Q * M, 2 * N) PUT(between(a + i * N, N, (t + 0.5) / 2 - 0.5));)              \
    WHOLE("torch._weight_norm(a, b, 0)", "MN", "M1", "",                                           \
          EACH2(i, j, M, N)                                                                        \
          PUT(a[i * N + j] * b[i] / sqrt(dot(a + i * N, a + i * N, N)));)                          \
    WHOLE("torch.dist(a, b)", "MN", "MN", "",                                                      \
          double s = 0; OVER(i, M * N, pow(a[i] - b[i], 2)) PUT(sqrt(s));)                         \
    WHOLE(FN "pdist(a)", "MN", "", "",                                                             \
          EACH(i, M) for (int j = i + 1; j < M; j++) { double s = 0;                               \
          OVER(l, N, pow(a[i * N + l] - a[j * N + l], 2)) PUT(sqrt(s)); })                         \
    WHOLE("torch.linalg.svdvals(a).square().sum()", "MN", "", "",                                  \
          PUT(dot(a, a, M * N));)                                                                  \
    WHOLE("torch.linalg.svd(a, False)[0] @ torch.linalg.svd(a, False)[0].t() @ a", "MK", "", "",   \
          EACH(i, M * K) PUT(a[i]);)                                                               \
    WHOLE("torch.fft.fftn(a).real[0, 0]", "MN", "", "",                                            \
          double s = 0; OVER(i, M * N, a[i]) PUT(s);)                                              \
    WHOLE("torch.bincount((a > 0).long(), None, 2).double()", "M", "", "",                         \
          double s = 0; OVER(i, M, a[i] > 0) PUT(M - s); PUT(s);)                                  \
    WHOLE("torch.tril_indices(4, 4)[0].double() + 0 * a.sum()", "M", "", "",                       \
          EACH2(i, j, 4, i + 1) PUT(i);)                                                           \
    WHOLE("torch.eye(3) + 0 * a.sum()", "M", "", "",                                               \
          EACH2(i, j, 3, 3) PUT(i == j);)                                                          \
    WHOLE("torch.linspace(0.0, 1.0, 5) + 0 * a.sum()", "M", "", "",                                \
          EACH(i, 5) PUT(i / 4.0);)                                                                \
    WHOLE("torch.signal.windows.hann(8, dtype=torch.float64) + 0 * a.sum()", "M",                  \
          "", "",                                                                                  \
          EACH(i, 8) PUT(pow(sin(acos(-1) * i / 7), 2));)                                          \
    WHOLE("torch.signal.windows.blackman(8, dtype=torch.float64) + 0 * a.sum()", "M",              \
          "", "",                                                                                  \
          EACH(i, 8) PUT(0.42 - 0.5 * cos(acos(-1) * i / 3.5) + 0.08 * cos(acos(-1) * i /          \
          1.75));)                                                                                 \
    WHOLE("torch.signal.windows.gaussian(8, std=2.0, dtype=torch.float64) + 0 * a.sum()", "M",     \
          "", "",                                                                                  \
          EACH(i, 8) PUT(exp(-(i - 3.5) * (i - 3.5) / 8));)                                        \
    WHOLE(ATEN "slice_backward(a, [a.shape[0], 5], 1, 1, 4, 1)", "M3", "", "",                     \
          EACH2(i, j, M, 5) PUT(j < 1 || j > 3 ? 0 : a[i * 3 + j - 1]);)                           \
    WHOLE(ATEN "select_backward(a, [a.shape[0], 3], 1, 1)", "M", "", "",                           \
          EACH2(i, j, M, 3) PUT(j == 1 ? a[i] : 0);)                                               \
    WHOLE("torch.trace(a)", "MM", "", "",                                                          \
          double s = 0; OVER(i, M, a[i * M + i]) PUT(s);)                                          \
    WHOLE("torch.tril(a)", "MN", "", "",                                                           \
          EACH2(i, j, M, N) PUT(j <= i ? a[i * N + j] : 0);)                                       \
    WHOLE("torch.triu(a, 1)", "MN", "", "",                                                        \
          EACH2(i, j, M, N) PUT(j > i ? a[i * N + j] : 0);)                                        \
    WHOLE("torch.transpose(a, 0, 1)", "MN", "", "",                                                \
          EACH2(j, i, N, M) PUT(a[i * N + j]);)                                                    \
    WHOLE("torch.rot90(a)", "MN", "", "",                                                          \
          EACH2(i, j, N, M) PUT(a[j * N + N - 1 - i]);)                                            \
    WHOLE("torch.cat((a, b), 1)", "MK", "MN", "",                                                  \
          EACH2(i, j, M, K + N) PUT(j < K ? a[i * K + j] : b[i * N + j - K]);)                     \
    WHOLE("torch.stack((a, b), 1)", "MK", "MK", "",                                                \
          EACH2(i, j, M, 2 * K) PUT(j < K ? a[i * K + j] : b[i * K + j - K]);)                     \
    WHOLE("torch.diag(a)", "N", "", "",                                                            \
          EACH2(i, j, N, N) PUT(i == j ? a[i] : 0);)                                               \
    WHOLE("torch.meshgrid(a, b, indexing='ij')[1]", "M", "N", "",                                  \
          EACH2(i, j, M, N) PUT(b[j]);)                                                            \
    WHOLE(FN "pad(a, (1, 2), value=7.0)", "MN", "", "",                                            \
          EACH2(i, j, M, N + 3) PUT(j < 1 || j > N ? 7 : a[i * N + j - 1]);)                       \
    WHOLE("a.repeat(2, 1)", "MN", "", "",                                                          \
          EACH2(i, j, 2 * M, N) PUT(a[i % M * N + j]);)                                            \
    WHOLE("torch.repeat_interleave(a, 2, 0)", "MN", "", "",                                        \
          EACH2(i, j, 2 * M, N) PUT(a[i / 2 * N + j]);)                                            \
    WHOLE("torch.tile(a, (2,))", "MN", "", "",                                                     \
          EACH2(i, j, M, 2 * N) PUT(a[i * N + j % N]);)                                            \
    WHOLE("torch.diff(a, dim=0)", "MN", "", "",                                                    \
          EACH2(i, j, M - 1, N) PUT(a[(i + 1) * N + j] - a[i * N + j]);)                           \
    WHOLE("torch.cov(a)", "MN", "", "",                                                            \
          EACH2(i, j, M, M) { double p = mean(a + i * N, N), q = mean(a + j * N, N), s = 0;        \
          OVER(l, N, (a[i * N + l] - p) * (a[j * N + l] - q)) PUT(s / (N - 1)); })                 \
    WHOLE("torch.fft.fft(a).real", "MN", "", "",                                                   \
          EACH2(i, f, M, N) { double s = 0;                                                        \
          OVER(t, N, a[i * N + t] * cos(2 * acos(-1) * f * t / N)) PUT(s); })                      \
    WHOLE("torch.linalg.matrix_norm(a)", "MN", "", "",                                             \
          PUT(sqrt(dot(a, a, M * N)));)                                                            \
    WHOLE(FN "conv1d(a, b, c, padding=1)", "QMN", "KMJ", "K",                                      \
          EACH(q, Q) EACH2(o, t, K, N + 3 - J) { double s = c[o]; EACH2(i, l, M, J)                \
          s += line_at(a + (q * M + i) * N, N, t + l - 1) * b[(o * M + i) * J + l]; PUT(s); })     \
    WHOLE(FN "conv2d(a, b, stride=2, padding=1)", "QMHW", "KMJJ", "",                              \
          EACH2(q, o, Q, K) EACH2(y, x, (H + 2 - J) / 2 + 1, (W + 2 - J) / 2 + 1) { double s = 0;  \
          EACH(i, M) EACH2(p, l, J, J)                                                             \
          s += plane_at(a + (q * M + i) * H * W, H, W, 2 * y + p - 1, 2 * x + l - 1) *             \
          b[((o * M + i) * J + p) * J + l];                                                        \
          PUT(s); })                                                                               \
    WHOLE(FN "conv_transpose1d(a, b)", "QMN", "MKJ", "",                                           \
          EACH(q, Q) EACH2(o, t, K, N + J - 1) { double s = 0; EACH2(i, l, M, J)                   \
          s += line_at(a + (q * M + i) * N, N, t - l) * b[(i * K + o) * J + l]; PUT(s); })         \
    WHOLE(FN "avg_pool1d(a, 2)", "QMN", "", "",                                                    \
          EACH2(i, t, Q * M, N / 2) PUT((a[i * N + 2 * t] + a[i * N + 2 * t + 1]) / 2);)           \
    WHOLE(FN "max_pool1d(a, 2)", "QMN", "", "",                                                    \
          EACH2(i, t, Q * M, N / 2) PUT(fmax(a[i * N + 2 * t], a[i * N + 2 * t + 1]));)            \
    WHOLE(FN "adaptive_avg_pool1d(a, 1)", "QMN", "", "",                                           \
          EACH(i, Q * M) PUT(mean(a + i * N, N));)                                                 \
    WHOLE(FN "interpolate(a, scale_factor=2.0)", "QMN", "", "",                                    \
          EACH2(i, t, Q * M, 2 * N) PUT(a[i * N + t / 2]);)                                        \
    WHOLE(FN "batch_norm(a, b, torch.exp(c))", "MKN", "K", "K",                                    \
          EACH(q, M) EACH2(i, t, K, N)                                                             \
          PUT((a[(q * K + i) * N + t] - b[i]) / sqrt(exp(c[i]) + 1e-5));)                          \
    WHOLE(FN "instance_norm(a)", "MKN", "", "",                                                    \
          EACH2(i, t, M * K, N) PUT((a[i * N + t] - mean(a + i * N, N)) /                          \
          sqrt(variance(a + i * N, N, 0) + 1e-5));)                                                \
    WHOLE(FN "group_norm(a, 1)", "MKN", "", "",                                                    \
          EACH2(i, t, M, K * N) PUT((a[i * K * N + t] - mean(a + i * K * N, K * N)) /              \
          sqrt(variance(a + i * K * N, K * N, 0) + 1e-5));)                                        \
    WHOLE(FN "scaled_dot_product_attention(a, b, c)", "MK", "NK", "NJ",                            \
          EACH2(i, o, M, J) PUT(attended(a + i * K, b, c + o, N, K, J));)                          \
    WHOLE(FN "scaled_dot_product_attention(a[None, None], b[None, None], c[None, None])",          \
          "MK", "NK", "NK",                                                                        \
          EACH2(i, o, M, K) PUT(attended(a + i * K, b, c + o, N, K, K));)                          \
    WHOLE(FN "cross_entropy(a, torch.softmax(b, 1))", "MK", "MK", "",                              \
          double s = 0; EACH2(i, l, M, K)                                                          \
          s -= softmax_at(b + i * K, K, l) * log(softmax_at(a + i * K, K, l)) / M; PUT(s);)        \
    WHOLE(FN "mse_loss(a, b)", "MK", "MK", "",                                                     \
          double s = 0; OVER(i, M * K, pow(a[i] - b[i], 2)) PUT(s / (M * K));)                     \
    WHOLE("torch.ormqr(a, b, c)", "MI", "I", "MN",                                                 \
          reflect_all(M, I, N, a, b, c, OUT);)                                                     \
    WHOLE("torch.ormqr(a, b, c.t(), False, True).t()", "MI", "I", "MN",                            \
          reflect_all(M, I, N, a, b, c, OUT);)                                                     \
    WHOLE("a.t() @ (a @ torch.linalg.lstsq(a, b)[0] - b) + c", "MK", "MN", "KN",                   \
          EACH(i, K * N) PUT(c[i]);)                                                               \
    WHOLE("torch._foreach_mul([a, b], [2.0, 3.0])[1]", "MN", "K", "",                              \
          EACH(i, K) PUT(3 * b[i]);)                                                               \
    WHOLE("torch._fused_adamw([a], [b], [c * 0], [c * 0], [], [a[:1].sum() * 0 + 1], lr=0.1, "     \
          "beta1=0.9, beta2=0.99, weight_decay=0.5, eps=0.0, amsgrad=False, maximize=False)[0][0]",\
          "M", "M", "M",                                                                           \
          EACH(i, M) PUT(a[i] * (1 - 0.1 * 0.5) - copysign(0.1, b[i]));)                           \
    WHOLE("torch._fused_adam([a], [b], [c * 0], [c * 0], [], [a[:1].sum() * 0 + 1], lr=0.1, "      \
          "beta1=0.9, beta2=0.99, weight_decay=0.5, eps=0.0, amsgrad=False, maximize=True)[0][0]", \
          "M", "M", "M",                                                                           \
          EACH(i, M) PUT(a[i] - copysign(0.1, 0.5 * a[i] - b[i]));)                                \
    WHOLE("torch._fused_sgd([a], [b], [c], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, "\
          "nesterov=True, maximize=False, is_first_step=False)[0][0]", "M", "M", "M",              \
          EACH(i, M) { double g = b[i] + 0.1 * a[i];                                               \
          PUT(a[i] - 0.1 * (g + 0.9 * (0.9 * c[i] + g))); })

#endif
