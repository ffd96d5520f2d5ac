/*
 * torch_random.c - decompositions of random operators.
 *
 * Input: shapes and parameters of distributions. Output: the philox prims with an explicit seed and
 * offset, so that a program draws the same numbers on every executor. The seed is the one in force
 * while the program is read; the offset is the number of values made so far, so that no two draws
 * of a program share their numbers.
 */
#include "notation.h"

#include <math.h>

static const Device cpu = {DEV_cpu, 0};

static Arg seed_of(const Build *b)
{
    return I(b->t->reg->seed);
}

static Arg offset_of(const Build *b)
{
    return I(b->t->nvalues);
}

Arg cl_uniform(Build *b, const Dims *shape, Arg low, Arg high, Device dev, DType d)
{
    DType compute = dtype_is_float(d) ? d : DT_f32;
    if (b->failed)
        return A_NONE;
    return TO(emit(b, uniform_philox, cl_tuple(b, shape), cl_number_to(b, low, compute),
                   cl_number_to(b, high, compute), A_DEVICE(dev), A_DTYPE(compute), seed_of(b),
                   offset_of(b)),
              d);
}

Arg cl_drawn_like(Build *b, Arg x, Arg seed, Arg offset)
{
    Dims shape = cl_shape(b, x);
    Device dev = cl_device(b, x);
    DType d = cl_dtype(b, x);
    if (b->failed)
        return A_NONE;
    if (!GIVEN(seed))
        return CALL("uniform", cl_full_like(b, x, F(0)));
    return emit(b, uniform_philox, cl_tuple(b, &shape), F(0), F(1), A_DEVICE(dev), A_DTYPE(d), seed,
                GIVEN(offset) ? offset : I(0));
}

static Arg normal(Build *b, const Dims *shape, Arg mean, Arg std, Device dev, DType d)
{
    if (!dtype_is_float(d))
        build_error(b, -1, "normally distributed numbers are floats, not %s", dtype_text(d));
    if (cl_float(b, std) < 0)
        build_error(b, 1, "normal expects std >= 0.0, but found std %g", cl_float(b, std));
    if (b->failed)
        return A_NONE;
    return emit(b, normal_philox, cl_tuple(b, shape), cl_number_to(b, mean, d),
                cl_number_to(b, std, d), A_DEVICE(dev), A_DTYPE(d), seed_of(b),
                offset_of(b));
}

static Arg integers(Build *b, const Dims *shape, Arg low, Arg high, Device dev, DType d)
{
    DType whole = dtype_is_int(d) ? d : DT_i64;
    int64_t from = cl_int(b, low, 0), to = cl_int(b, high, 1);
    if (from >= to)
        build_error(b, 1,
                    "random_ expects 'from' to be less than 'to', but got from=%lld >= to=%lld",
                    (long long)from, (long long)to);
    if (b->failed)
        return A_NONE;
    return TO(emit(b, randint_philox, cl_tuple(b, shape), low, high, A_DEVICE(dev), A_DTYPE(whole),
                   seed_of(b), offset_of(b)),
              d);
}

/* Shape, device and dtype of a tensor, or those that are given instead. */
typedef struct Like {
    Dims shape;
    Device device;
    DType dtype;
} Like;

static Like like(Build *b, Arg x, Arg device, Arg dtype)
{
    return (Like){cl_shape(b, x), cl_device_or(b, device, cl_device(b, x), 1),
                  cl_dtype_or(dtype, cl_dtype(b, x))};
}

static Like sized(Build *b, Arg size, Arg device, Arg dtype, DType dflt)
{
    return (Like){cl_ints(b, size, 0), cl_device_or(b, device, cpu, 1), cl_dtype_or(dtype, dflt)};
}

DECOMPOSE(d_rand)
{
    Like k = sized(b, args[0], args[1], args[2], DT_f32);
    return cl_uniform(b, &k.shape, F(0), F(1), k.device, k.dtype);
}

DECOMPOSE(d_rand_like)
{
    Like k = like(b, args[0], args[1], args[2]);
    return cl_uniform(b, &k.shape, F(0), F(1), k.device, k.dtype);
}

DECOMPOSE(d_randn)
{
    Like k = sized(b, args[0], args[1], args[2], DT_f32);
    return normal(b, &k.shape, F(0), F(1), k.device, k.dtype);
}

DECOMPOSE(d_randn_like)
{
    Like k = like(b, args[0], args[1], args[2]);
    return normal(b, &k.shape, F(0), F(1), k.device, k.dtype);
}

DECOMPOSE(d_randint)
{
    Like k = sized(b, args[2], args[3], args[4], DT_i64);
    return integers(b, &k.shape, args[0], args[1], k.device, k.dtype);
}

DECOMPOSE(d_randint_like)
{
    Like k = like(b, args[0], args[3], args[4]);
    return integers(b, &k.shape, args[1], args[2], k.device, k.dtype);
}

DECOMPOSE(d_uniform)
{
    Like k = like(b, args[0], A_NONE, A_NONE);
    if (cl_float(b, args[1]) > cl_float(b, args[2]))
        build_error(b, 1,
                    "uniform_ expects to return a [from, to) range, but found from=%g > to=%g",
                    cl_float(b, args[1]), cl_float(b, args[2]));
    return cl_uniform(b, &k.shape, args[1], args[2], k.device, k.dtype);
}

DECOMPOSE(d_normal_like)
{
    Like k = like(b, args[0], A_NONE, A_NONE);
    return normal(b, &k.shape, args[1], args[2], k.device, k.dtype);
}

DECOMPOSE(d_normal)
{
    Arg xs[2] = {args[0], args[1]};
    if (!arg_is_tensor(b, xs[0]) && !arg_is_tensor(b, xs[1])) {
        Like k = sized(b, args[2], args[3], args[4], DT_f32);
        if (!GIVEN(args[2]))
            build_error(b, 2, "normal of two numbers needs a size");
        return normal(b, &k.shape, xs[0], xs[1], k.device, k.dtype);
    }
    if (cl_is_number(b, xs[1]) && cl_float(b, xs[1]) < 0)
        build_error(b, 1, "normal expects std >= 0.0, but found std %g", cl_float(b, xs[1]));
    if (GIVEN(args[2]))
        build_error(b, 2, "normal of a tensor takes no size");
    DType out = cl_enter(b, xs, 2, PROMOTE_INT_TO_FLOAT);
    Dims shape = cl_broadcast_shapes(b, xs, 2);
    Device dev = cl_device(b, arg_is_tensor(b, xs[0]) ? xs[0] : xs[1]);
    Arg z = normal(b, &shape, F(0), F(1), dev, dtype_opmath(out));
    return TO(ADD(xs[0], MUL(xs[1], z)), out);
}

DECOMPOSE(d_exponential)
{
    Like k = like(b, args[0], A_NONE, A_NONE);
    DType d = dtype_opmath(k.dtype);
    if (!dtype_is_float(k.dtype))
        build_error(b, 0, "exponentially distributed numbers are floats");
    if (!(cl_float(b, args[1]) > 0))
        build_error(b, 1, "exponential_ expects lambda > 0.0, but found lambda=%g",
                    cl_float(b, args[1]));
    Arg u = cl_uniform(b, &k.shape, F(0), F(1), k.device, d);
    return TO(DIV(NEG(LOG1P(NEG(u))), args[1]), k.dtype);
}

/* How far the dtype counts without a gap. */
static int64_t counted_by(DType d)
{
    static const int64_t floats[DT_COUNT] = {[DT_f16] = 1 << 11, [DT_bf16] = 1 << 8,
                                             [DT_f32] = 1 << 24, [DT_f64] = 1ll << 53};
    if (!dtype_is_int(d))
        return d == DT_b8 ? 2 : floats[d] + (floats[d] > 0);
    uint32_t bits = 8u * dtype_info[d].bytes - dtype_info[d].is_signed;
    return bits < 63 ? 1ll << bits : INT64_MAX;
}

DECOMPOSE(d_random)
{
    Like k = like(b, args[0], A_NONE, A_NONE);
    Arg low = GIVEN(args[1]) ? args[1] : I(0);
    Arg high = GIVEN(args[2]) ? args[2] : I(counted_by(k.dtype));
    if (counted_by(k.dtype) < 2) {
        build_error(b, 0, "random_ is not defined for %s", dtype_text(k.dtype));
        return A_NONE;
    }
    return integers(b, &k.shape, low, high, k.device, k.dtype);
}

DECOMPOSE(d_geometric)
{
    Like k = like(b, args[0], A_NONE, A_NONE);
    double p = cl_float(b, args[1]);
    DType d = dtype_is_float(k.dtype) ? dtype_opmath(k.dtype) : DT_f32;
    if (!(p > 0 && p < 1))
        build_error(b, 1, "geometric_ expects p to be in (0, 1), but got p=%g", p);
    if (k.dtype == DT_b8 || dtype_is_complex(k.dtype))
        build_error(b, 0, "geometric_ is not defined for %s", dtype_text(k.dtype));
    Arg u = cl_uniform(b, &k.shape, F(0), F(1), k.device, d);
    Arg trials = cl_ceil(b, DIV(LOG1P(NEG(u)), F(log1p(-p))));
    return TO(MAX(trials, F(1)), k.dtype);
}

DECOMPOSE(d_cauchy)
{
    Like k = like(b, args[0], A_NONE, A_NONE);
    DType d = dtype_opmath(k.dtype);
    if (!dtype_is_float(k.dtype))
        build_error(b, 0, "Cauchy distribution is a continuous probability distribution: its "
                          "numbers are floats, not %s", dtype_text(k.dtype));
    if (!(cl_float(b, args[2]) > 0))
        build_error(b, 2, "cauchy_ expects sigma > 0.0, but found sigma=%g",
                    cl_float(b, args[2]));
    Arg u = cl_uniform(b, &k.shape, F(0), F(1), k.device, d);
    Arg slope = cl_tan(b, MUL(SUB(u, F(0.5)), F(acos(-1))));
    return TO(ADD(args[1], MUL(slope, args[2])), k.dtype);
}

DECOMPOSE(d_log_normal)
{
    Like k = like(b, args[0], A_NONE, A_NONE);
    if (!dtype_is_float(k.dtype))
        build_error(b, 0, "log_normal_ gives floats, not %s", dtype_text(k.dtype));
    if (!(cl_float(b, args[2]) > 0))
        build_error(b, 2, "log_normal_ expects std > 0.0, but found std=%g", cl_float(b, args[2]));
    Arg z = normal(b, &k.shape, args[1], args[2], k.device, dtype_opmath(k.dtype));
    return TO(EXP(z), k.dtype);
}

/* Probabilities are the elements of a themselves, or p. */
DECOMPOSE(d_bernoulli)
{
    Like k = like(b, args[0], A_NONE, A_NONE);
    Arg p = GIVEN(args[1]) ? args[1] : args[0];
    if (cl_is_number(b, p) && !(cl_float(b, p) >= 0 && cl_float(b, p) <= 1))
        build_error(b, 1, "bernoulli_ expects p to be in [0, 1], but got p=%g", cl_float(b, p));
    if (arg_is_tensor(b, p) && !dtype_is_float(cl_dtype(b, p)))
        build_error(b, 0, "expected probabilities tensor to have floating type, got %s",
                    dtype_text(cl_dtype(b, p)));
    Arg u = cl_uniform(b, &k.shape, F(0), F(1), k.device, DT_f32);
    return TO(LT(u, cl_opmath_of(b, p)), k.dtype);
}

/* The order of random keys. */
DECOMPOSE(d_randperm)
{
    int64_t n = cl_int_within(b, args[0], 0, INT32_MAX, 0);
    Dims shape = DIMS1(n);
    Arg keys = cl_uniform(b, &shape, F(0), F(1), cl_device_or(b, args[1], cpu, 1), DT_f64);
    return TO(CALL("argsort", keys, I(0)), cl_dtype_or(args[2], DT_i64));
}

static void check_weights(Build *b, Arg w, uint32_t rank)
{
    Arg fine = AND(GE(w, F(0)), LT(w, F(INFINITY)));
    Arg some = GT(cl_sum(b, w, rank - 1, false), F(0));
    cl_assert(b, fine, "probability tensor contains either `inf`, `nan` or element < 0");
    cl_assert(b, some, "invalid multinomial distribution (sum of probabilities <= 0)");
}

/* With replacement: each draw falls into an interval of the running sum. Without: the largest of
 * the weights divided by exponentially distributed numbers (an exponential race). */
DECOMPOSE(d_multinomial)
{
    Arg w = args[0];
    uint32_t rank = cl_rank(b, w);
    int64_t n = cl_int(b, args[1], 1), classes = rank ? cl_size(b, w, rank - 1) : 0;
    if (rank < 1 || rank > 2 || !dtype_is_float(cl_dtype(b, w))) {
        build_error(b, 0,
                    "multinomial only supports floating-point dtypes for input, of 1 or 2 "
                    "dimensions");
        return A_NONE;
    }
    bool again = cl_truth(b, args[2]);
    if (n <= 0 || (!again && n > classes) || n > INT32_MAX)
        build_error(b, 1,
                    n <= 0 ? "cannot sample n_sample <= 0 samples"
                           : "cannot sample n_sample > prob_dist.size(-1) samples without "
                             "replacement");
    w = cl_opmath_of(b, w);
    check_weights(b, w, rank);
    if (!again) {
        Arg race = DIV(w, CALL("exponential", w));
        return cl_item(CALL("topk", race, I(n), I(-1)), 1);
    }
    Dims shape = cl_shape(b, w);
    shape.v[rank - 1] = n;
    Arg sums = CALL("cumsum", w, I(rank - 1));
    Arg u = cl_uniform(b, &shape, F(0), F(1), cl_device(b, w), cl_dtype(b, w));
    Arg at = MUL(u, cl_slice(b, sums, rank - 1, classes - 1, classes, 1));
    Arg passed = LE(cl_unsqueeze(b, sums, rank - 1), cl_unsqueeze(b, at, rank));
    Arg index = cl_sum(b, TO(passed, DT_i64), rank, false);
    return cl_clamp(b, index, I(0), I(classes - 1));
}

/* ------------------------------------------------------------------- layers that draw numbers */

/* One draw for each channel: the sizes of a up to dimension `channel`, then ones. */
static Dims channels_of(Build *b, Arg a, uint32_t channel)
{
    Dims shape = cl_shape(b, a);
    for (uint32_t i = channel + 1; i < shape.n; i++)
        shape.v[i] = 1;
    return shape;
}

/* True with probability 1 - p, for each element of shape. */
static Arg kept_with(Build *b, Arg a, const Dims *shape, double p)
{
    DType d = dtype_opmath(cl_dtype(b, a));
    return LT(cl_uniform(b, shape, F(0), F(1), cl_device(b, a), d), F(1 - p));
}

/* Whether a dropout of probability p changes anything; an error where p is none. */
static bool drops(Build *b, const Arg *args)
{
    double p = cl_float(b, args[1]);
    if (!(p >= 0 && p <= 1))
        build_error(b, 1, "dropout probability has to be between 0 and 1, but got %g", p);
    return !b->failed && p > 0 && cl_truth(b, args[2]);
}

/* Dropout that keeps mean and variance of what selu gives. */
static Arg drop_alpha(Build *b, const Arg *args, const Dims *shape)
{
    double p = cl_float(b, args[1]), alpha = 1.7580993408473766;
    if (p == 1)
        return MUL(args[0], F(0));
    double a = 1 / sqrt((alpha * alpha * p + 1) * (1 - p));
    Arg kept = kept_with(b, args[0], shape, p);
    Arg out = WHERE(kept, MUL(cl_opmath_of(b, args[0]), F(a)), F(-alpha * a));
    return TO(ADD(out, F(alpha * a * p)), cl_dtype(b, args[0]));
}

DECOMPOSE(d_alpha_dropout)
{
    Dims shape = cl_shape(b, args[0]);
    return drops(b, args) ? drop_alpha(b, args, &shape) : args[0];
}

DECOMPOSE(d_feature_alpha_dropout)
{
    Dims shape = channels_of(b, args[0], 1);
    return drops(b, args) ? drop_alpha(b, args, &shape) : args[0];
}

DECOMPOSE(d_feature_dropout)
{
    uint32_t rank = cl_rank(b, args[0]);
    Dims shape = channels_of(b, args[0], (int64_t)rank == cl_int(b, args[4], 4) ? 0 : 1);
    if (rank < 2)
        build_error(b, 0, "Feature dropout requires at least 2 dimensions in the input");
    if (!drops(b, args))
        return args[0];
    double p = cl_float(b, args[1]);
    if (p == 1)
        return MUL(args[0], F(0));
    Arg scaled = MUL(cl_opmath_of(b, args[0]), F(1 / (1 - p)));
    return TO(WHERE(kept_with(b, args[0], &shape, p), scaled, F(0)), cl_dtype(b, args[0]));
}

/* softmax of logits with Gumbel noise; hard: one 1, with the gradient of the soft one. */
DECOMPOSE(d_gumbel_softmax)
{
    Arg dim = args[4];
    if (!(cl_float(b, args[1]) > 0))
        build_error(b, 1, "gumbel_softmax expects tau > 0, but got %g", cl_float(b, args[1]));
    Arg noise = NEG(LOG(CALL("exponential", args[0])));
    Arg soft = CALL("softmax", DIV(ADD(args[0], noise), args[1]), dim);
    if (!cl_truth(b, args[2]))
        return soft;
    Arg largest = CALL("argmax", soft, dim, A_BOOL(true));
    int64_t d = cl_dim(b, cl_int(b, dim, 4), cl_rank(b, soft), 4);
    Dims shape = {.n = cl_rank(b, soft)};
    for (uint32_t i = 0; i < shape.n; i++)
        shape.v[i] = (int64_t)i == d ? cl_size(b, soft, d) : 1;
    Arg places = cl_range(b, b->failed ? 0 : shape.v[d], cl_device(b, soft));
    Arg hard = TO(EQ(largest, cl_reshape(b, places, &shape)), cl_dtype(b, soft));
    return ADD(SUB(hard, CALL("detach", soft)), soft);
}
