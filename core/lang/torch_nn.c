/*
 * torch_nn.c - decompositions of normalisation, dropout and attention.
 *
 * Statistics are computed in f32 at least; (x - mean) * rstd * weight + bias is rounded once.
 */
#include "notation.h"

#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------------------- normalisation */

/* What a normalisation computes, in the computation dtype. */
typedef struct Norm {
    Arg out, mean, rstd;
} Norm;

/* x shifted and scaled to mean 0 and variance 1 over dims (statistics keep their sizes 1). */
static Norm standardise(Build *b, Arg x, const Dims *dims, Arg eps)
{
    Norm n;
    Arg var;
    if (cl_numel_over(b, x, dims) == 0)
        build_error(b, 0, "cannot normalise over no elements");
    cl_var_mean(b, x, dims, I(0), true, &var, &n.mean);
    n.rstd = RSQRT(ADD(var, eps));
    n.out = MUL(SUB(x, n.mean), n.rstd);
    return n;
}

static Arg scale_shift(Build *b, Arg x, Arg weight, Arg bias)
{
    DType d = cl_dtype(b, x);
    if (GIVEN(weight))
        x = MUL(x, TO(weight, d));
    return GIVEN(bias) ? ADD(x, TO(bias, d)) : x;
}

/* The dimensions of normalized_shape: the last ones, whose sizes it must equal. */
static Dims last_dims(Build *b, Arg x, Arg shape)
{
    Dims want = cl_ints(b, shape, 1), have = cl_shape(b, x), dims = {.n = want.n};
    bool fits = want.n > 0 && want.n <= have.n;
    for (uint32_t i = 0; fits && i < want.n; i++) {
        dims.v[i] = have.n - want.n + i;
        fits = want.v[i] == have.v[have.n - want.n + i];
    }
    if (!fits) {
        build_error(b, 1, "normalized_shape must be the sizes of the last dimensions of the input");
        dims.n = 0;
    }
    return dims;
}

static void check_shape(Build *b, Arg x, const Dims *want, int arg, const char *what)
{
    Dims have = cl_shape(b, x);
    if (GIVEN(x) && (have.n != want->n || memcmp(have.v, want->v, have.n * sizeof *have.v) != 0))
        build_error(b, arg, "expected %s to have the normalised shape", what);
}

static Norm layer_norm(Build *b, const Arg *args)
{
    Dims dims = last_dims(b, args[0], args[1]), want = cl_ints(b, args[1], 1);
    Norm n = {A_NONE, A_NONE, A_NONE};
    check_shape(b, args[2], &want, 2, "weight");
    check_shape(b, args[3], &want, 3, "bias");
    if (b->failed)
        return n;
    Arg x = cl_opmath_of(b, args[0]);
    if (cl_numel_over(b, x, &dims) == 0) { /* nothing is normalised, and has no statistics */
        n.mean = n.rstd = DIV(cl_reduce(b, PRIM_sum, x, &dims, true), F(0));
        n.out = args[0];
        return n;
    }
    n = standardise(b, x, &dims, args[4]);
    n.out = TO(scale_shift(b, n.out, args[2], args[3]), cl_dtype(b, args[0]));
    return n;
}

DECOMPOSE(d_layer_norm)
{
    return cl_item(CALL("native_layer_norm", args[0], args[1], args[2], args[3], args[4]), 0);
}

DECOMPOSE(d_native_layer_norm)
{
    Norm n = layer_norm(b, args);
    return TUPLE(n.out, n.mean, n.rstd);
}

static Norm rms_norm(Build *b, const Arg *args)
{
    Arg x = args[0];
    DType d = cl_dtype(b, x);
    Dims dims = last_dims(b, x, args[1]);
    Arg eps = GIVEN(args[3]) ? args[3] : F(dtype_epsilon(dtype_opmath(d)));
    Norm n = {A_NONE, A_NONE, A_NONE};
    if (b->failed)
        return n;
    x = cl_opmath_of(b, x);
    n.rstd = RSQRT(ADD(cl_mean(b, MUL(x, x), &dims, true), eps));
    n.out = TO(scale_shift(b, MUL(x, n.rstd), args[2], A_NONE), d);
    return n;
}

DECOMPOSE(d_rms_norm)
{
    return rms_norm(b, args).out;
}

DECOMPOSE(d_fused_rms_norm)
{
    Norm n = rms_norm(b, args);
    return TUPLE(n.out, n.rstd);
}

/* A vector of channels in the place of dimension 1 of x. */
static Arg channels(Build *b, Arg v, Arg x)
{
    uint32_t rank = cl_rank(b, x);
    Dims shape = {.n = rank};
    if (!GIVEN(v) || b->failed)
        return v;
    for (uint32_t i = 0; i < rank; i++)
        shape.v[i] = i == 1 ? cl_numel(b, v) : 1;
    return cl_reshape(b, cl_opmath_of(b, v), &shape);
}

/* running = (1 - momentum) running + momentum new, in place; numbers of the batch are unbiased. */
static void update_running(Build *b, Arg running, Arg now, Arg momentum)
{
    if (!GIVEN(running))
        return;
    Arg kept = MUL(cl_opmath_of(b, running), SUB(F(1), momentum));
    Arg next = TO(ADD(kept, MUL(now, momentum)), cl_dtype(b, running));
    if (!b->failed)
        emit(b, copy_, next, running, A_BOOL(true));
}

typedef struct BatchNorm {
    Arg x, weight, bias, running_mean, running_var, momentum, eps;
    bool training;
} BatchNorm;

/* Statistics have the dtype of the parameters where those are more precise than the input. */
static DType statistics_dtype(const Build *b, const BatchNorm *k)
{
    DType x = cl_dtype(b, k->x), p = GIVEN(k->weight) ? cl_dtype(b, k->weight) : x;
    return p == dtype_opmath(x) ? p : x;
}

/* The (biased) variance as the statistics hold it: rounded with the sum of squares. */
static Arg kept_variance(Build *b, Arg var, double count, DType d)
{
    if (dtype_opmath(d) == d)
        return var;
    return cl_opmath_of(b, DIV(TO(MUL(var, F(count)), d), F(count)));
}

static Norm by_running(Build *b, const BatchNorm *k, Arg x)
{
    Norm n;
    n.mean = channels(b, k->running_mean, x);
    n.rstd = RSQRT(ADD(channels(b, k->running_var, x), k->eps));
    n.out = MUL(SUB(x, n.mean), n.rstd);
    return n;
}

static Norm by_batch(Build *b, const BatchNorm *k, Arg x)
{
    uint32_t rank = cl_rank(b, x);
    Dims dims = {0};
    for (uint32_t i = 0; i < rank; i++)
        if (i != 1)
            dims.v[dims.n++] = i;
    Norm n;
    Arg var, mean;
    double count = (double)cl_numel_over(b, x, &dims);
    DType d = statistics_dtype(b, k);
    cl_var_mean(b, x, &dims, I(0), false, &var, &mean);
    var = kept_variance(b, var, count, d);
    n.mean = TO(mean, d);
    n.rstd = TO(RSQRT(ADD(var, k->eps)), d);
    n.out = MUL(SUB(x, channels(b, n.mean, x)), channels(b, n.rstd, x));
    update_running(b, k->running_mean, mean, k->momentum);
    if (GIVEN(k->running_var))
        update_running(b, k->running_var, MUL(var, F(count / (count - 1))), k->momentum);
    return n;
}

static Norm batch_norm(Build *b, const BatchNorm *k)
{
    Norm n = {A_NONE, A_NONE, A_NONE};
    const Arg per_channel[4] = {k->running_mean, k->running_var, k->weight, k->bias};
    if (cl_rank(b, k->x) == 1 && cl_numel(b, k->x) == 0) {
        n.out = emit(b, clone, k->x);
        n.mean = emit(b, clone, k->x);
        n.rstd = emit(b, clone, k->x);
        return n;
    }
    if (cl_rank(b, k->x) < 2)
        build_error(b, 0, "batch_norm expects at least a 2-dimensional input");
    for (int i = 0; i < 4; i++)
        if (GIVEN(per_channel[i]) && cl_numel(b, per_channel[i]) != cl_size(b, k->x, 1))
            build_error(b, -1, "a statistic or weight should contain %lld elements not %lld",
                        (long long)cl_size(b, k->x, 1), (long long)cl_numel(b, per_channel[i]));
    if (!k->training && (!GIVEN(k->running_mean) || !GIVEN(k->running_var)))
        build_error(b, 1,
                    "Expected running_mean and running_var to be defined when "
                    "training=False");
    if (b->failed)
        return n;
    Arg x = cl_opmath_of(b, k->x);
    n = k->training ? by_batch(b, k, x) : by_running(b, k, x);
    n.out = scale_shift(b, n.out, channels(b, k->weight, x), channels(b, k->bias, x));
    n.out = TO(n.out, cl_dtype(b, k->x));
    return n;
}

/* Training wants more than one value to take the variance of. */
static void check_count(Build *b, Arg x, bool training, int64_t count)
{
    StrBuf size = {0};
    for (uint32_t i = 0; training && count == 1 && i < cl_rank(b, x); i++)
        sb_printf(&size, "%s%lld", i ? ", " : "", (long long)cl_size(b, x, i));
    if (size.n)
        build_error(b, 0,
                    "Expected more than 1 value per channel when training, got input size [%s]",
                    sb_cstr(&size));
    sb_free(&size);
}

DECOMPOSE(d_batch_norm)
{
    if (cl_rank(b, args[0]) > 1 && cl_size(b, args[0], 1) > 0)
        check_count(b, args[0], cl_truth(b, args[5]),
                    cl_numel(b, args[0]) / cl_size(b, args[0], 1));
    const BatchNorm k = {args[0], args[3], args[4], args[1],
                         args[2], args[6], args[7], cl_truth(b, args[5])};
    return batch_norm(b, &k).out;
}

/* The statistics are those of the batch, empty where running ones were used. */
static Arg with_statistics(Build *b, const BatchNorm *k)
{
    Dims none = {.n = 1};
    Norm n = batch_norm(b, k);
    if (k->training || b->failed)
        return TUPLE(n.out, n.mean, n.rstd);
    DType d = statistics_dtype(b, k);
    Device dev = cl_device(b, k->x);
    return TUPLE(n.out, cl_full(b, &none, F(0), dev, d), cl_full(b, &none, F(0), dev, d));
}

DECOMPOSE(d_native_batch_norm)
{
    const BatchNorm k = {args[0], args[1], args[2], args[3],
                         args[4], args[6], args[7], cl_truth(b, args[5])};
    return with_statistics(b, &k);
}

DECOMPOSE(d_batch_norm_no_training)
{
    const BatchNorm k = {args[0], args[1], args[2], args[3], args[4], args[5], args[6], false};
    return with_statistics(b, &k);
}

/* Each sample is a batch of its own: its channels, side by side, are those of one large sample. */
DECOMPOSE(d_instance_norm)
{
    Arg x = args[0];
    uint32_t rank = cl_rank(b, x);
    Dims dims = {0};
    if (rank < 2) {
        build_error(b, 0, "instance_norm expects at least a 2-dimensional input");
        return A_NONE;
    }
    for (uint32_t i = 2; i < rank; i++)
        dims.v[dims.n++] = i;
    BatchNorm k = {x, args[3], args[4], args[1], args[2], args[6], args[7], false};
    if (!cl_truth(b, args[5]))
        return batch_norm(b, &k).out;
    DType d = cl_dtype(b, x);
    x = cl_opmath_of(b, x);
    Arg var, mean;
    double count = (double)cl_numel_over(b, x, &dims);
    cl_var_mean(b, x, &dims, I(0), true, &var, &mean);
    DType sd = statistics_dtype(b, &k);
    var = kept_variance(b, var, count, sd);
    Arg rstd = cl_opmath_of(b, TO(RSQRT(ADD(var, k.eps)), sd));
    Arg out = MUL(SUB(x, cl_opmath_of(b, TO(mean, sd))), rstd);
    Dims batch = DIMS1(0), one = DIMS1(cl_size(b, x, 1));
    if (GIVEN(k.running_mean)) {
        Arg m = cl_reshape(b, cl_mean(b, mean, &batch, false), &one);
        update_running(b, k.running_mean, m, k.momentum);
    }
    if (GIVEN(k.running_var)) {
        Arg v = cl_reshape(b, cl_mean(b, var, &batch, false), &one);
        update_running(b, k.running_var, MUL(v, F(count / (count - 1))), k.momentum);
    }
    return TO(scale_shift(b, out, channels(b, k.weight, x), channels(b, k.bias, x)), d);
}

/* Groups of channels of each sample are the rows of a matrix. */
static Norm group_norm(Build *b, Arg x, int64_t groups, Arg weight, Arg bias, Arg eps)
{
    Norm n = {A_NONE, A_NONE, A_NONE};
    Dims shape = cl_shape(b, x);
    DType d = cl_dtype(b, x);
    if (shape.n < 2 || groups <= 0 || shape.v[1] % groups) {
        build_error(b, 1, "Expected number of channels in input to be divisible by num_groups");
        return n;
    }
    Dims grouped = {.n = 3, .v = {shape.v[0], groups, shape.v[1] / groups}}, last = DIMS1(2);
    Dims per_group = {.n = 2, .v = {shape.v[0], groups}};
    for (uint32_t i = 2; i < shape.n; i++)
        grouped.v[2] *= shape.v[i];
    x = cl_reshape(b, cl_opmath_of(b, x), &grouped);
    n = standardise(b, x, &last, eps);
    Arg out = cl_reshape(b, n.out, &shape);
    n.out = TO(scale_shift(b, out, channels(b, weight, out), channels(b, bias, out)), d);
    n.mean = cl_reshape(b, n.mean, &per_group);
    n.rstd = cl_reshape(b, n.rstd, &per_group);
    return n;
}

DECOMPOSE(d_group_norm)
{
    return group_norm(b, args[0], cl_int(b, args[1], 1), args[2], args[3], args[4]).out;
}

DECOMPOSE(d_native_group_norm)
{
    Norm n = group_norm(b, args[0], cl_int(b, args[6], 6), args[1], args[2], args[7]);
    DType d = cl_dtype(b, args[0]);
    return TUPLE(n.out, TO(n.mean, d), TO(n.rstd, d));
}

DECOMPOSE(d_local_response_norm)
{
    Arg x = args[0];
    uint32_t rank = cl_rank(b, x);
    int64_t size = cl_int_within(b, args[1], 1, MANY, 1);
    Dims low = {.n = rank}, high = {.n = rank};
    if (rank < 3) {
        build_error(b, 0, "Expected 3D or higher dimensionality input (got %u dimensions)", rank);
        return A_NONE;
    }
    low.v[1] = size / 2;
    high.v[1] = (size - 1) / 2;
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    Arg squares = cl_pad(b, MUL(x, x), &low, &high, F(0));
    if (b->failed)
        return A_NONE;
    Arg windows = emit(b, unfold, squares, I(1), I(size), I(1));
    Arg sum = cl_sum(b, windows, rank, false);
    Arg mean = dtype_is_exact(out) ? cl_trunc_divide(b, sum, I(size)) : DIV(sum, I(size));
    Arg scale = POW(ADD(MUL(mean, args[2]), args[4]), args[3]);
    return TO(DIV(x, scale), dtype_is_exact(out) ? DT_f32 : out);
}

DECOMPOSE(d_normalize)
{
    Arg norm = CALL("linalg_vector_norm", args[0], args[1], args[2], A_BOOL(true));
    return DIV(args[0], cl_clamp(b, norm, args[3], A_NONE));
}

/* ------------------------------------------------------------------------------------- dropout */

/* What is kept of x, scaled up, and the mask of it. */
static Arg drop(Build *b, Arg x, double p, Arg seed, Arg offset, Arg *mask)
{
    DType d = cl_dtype(b, x);
    *mask = LT(cl_drawn_like(b, cl_opmath_of(b, x), seed, offset), F(1 - p));
    Arg kept = MUL(cl_opmath_of(b, x), TO(*mask, dtype_opmath(d)));
    return TO(MUL(kept, F(1 / (1 - p))), d);
}

static double probability(Build *b, Arg p)
{
    double v = cl_float(b, p);
    if (!(v >= 0 && v <= 1))
        build_error(b, 1, "dropout probability has to be between 0 and 1, but got %g", v);
    return v;
}

DECOMPOSE(d_dropout)
{
    Arg mask;
    double p = probability(b, args[1]);
    if (p == 0 || !cl_truth(b, args[2]))
        return args[0];
    return p == 1 ? MUL(args[0], F(0)) : drop(b, args[0], p, A_NONE, A_NONE, &mask);
}

DECOMPOSE(d_native_dropout)
{
    Arg mask;
    Dims shape = cl_shape(b, args[0]);
    double p = probability(b, args[1]);
    bool train = !GIVEN(args[2]) || cl_truth(b, args[2]);
    if (train && p > 0 && p < 1) {
        Arg out = drop(b, args[0], p, A_NONE, A_NONE, &mask);
        return TUPLE(out, mask);
    }
    bool all_go = train && p == 1;
    mask = cl_full(b, &shape, A_BOOL(!all_go), cl_device(b, args[0]), DT_b8);
    return TUPLE(all_go ? MUL(args[0], F(0)) : emit(b, clone, args[0]), mask);
}

/* ----------------------------------------------------------------------------------- attention */

DECOMPOSE(d_masked_softmax)
{
    int64_t dim = GIVEN(args[2]) ? cl_int(b, args[2], 2) : -1;
    return CALL("softmax", WHERE(args[1], F(-INFINITY), args[0]), I(dim));
}

typedef struct Attention {
    Arg out, logsumexp;
} Attention;

Arg attention_heads(Build *b, Arg x, Arg query)
{
    uint32_t rank = cl_rank(b, query);
    if (rank < 3 || cl_rank(b, x) != rank)
        return x;
    int64_t have = cl_size(b, x, rank - 3), heads = cl_size(b, query, rank - 3);
    if (have == heads)
        return x;
    if (have == 0 || heads % have) {
        build_error(b, 1, "the number of query heads must be divisible by the number of key heads");
        return A_NONE;
    }
    return CALL("repeat_interleave", x, I(heads / have), I(-3));
}

/* True below the diagonal of the scores. */
static Arg causal_mask(Build *b, Arg scores)
{
    uint32_t rank = cl_rank(b, scores);
    Device dev = cl_device(b, scores);
    Arg rows = cl_unsqueeze(b, cl_range(b, cl_size(b, scores, rank - 2), dev), 1);
    Arg cols = cl_unsqueeze(b, cl_range(b, cl_size(b, scores, rank - 1), dev), 0);
    return GE(rows, cols);
}

static Arg masked_scores(Build *b, Arg scores, Arg mask, bool causal)
{
    if (causal && GIVEN(mask))
        build_error(b, 3,
                    "scaled_dot_product_attention: Explicit attn_mask should not be set when "
                    "is_causal=True");
    if (causal)
        return WHERE(causal_mask(b, scores), scores, F(-INFINITY));
    if (!GIVEN(mask))
        return scores;
    if (cl_dtype(b, mask) == DT_b8)
        return WHERE(mask, scores, F(-INFINITY));
    return ADD(scores, TO(mask, cl_dtype(b, scores)));
}

/* What attention is made of; `flash`: in the order of PyTorch's fused kernel, which scales the
 * scores and divides the products, where its other implementation scales both factors by the root
 * and divides the weights. */
typedef struct Heads {
    Arg q, k, v, mask, scale, seed, offset; /* of the numbers for dropout; None: new ones */
    DType dtype;
    bool causal, flash;
    double dropout;
} Heads;

/* Whether PyTorch takes its fused kernel for these. */
static bool fits_flash(const Build *b, const Heads *h)
{
    const Arg x[] = {h->q, h->k, h->v};
    for (int i = 0; i < 3; i++)
        if (cl_rank(b, x[i]) != 4 || cl_size(b, x[i], 3) != cl_size(b, h->q, 3) ||
            cl_size(b, x[i], 2) == 0)
            return false;
    return h->dropout == 0;
}

static Arg attention_scores(Build *b, const Heads *h)
{
    Arg q = cl_opmath_of(b, h->q), k = cl_swap(b, cl_opmath_of(b, h->k), -2, -1);
    double width = (double)cl_size(b, h->q, cl_rank(b, h->q) - 1);
    double scale = GIVEN(h->scale) ? cl_float(b, h->scale) : 1 / sqrt(width);
    if (h->flash)
        return masked_scores(b, MUL(cl_matmul(b, q, k), F(scale)), h->mask, h->causal);
    double root = sqrt(fabs(scale));
    q = MUL(q, F(scale < 0 ? -root : root));
    return masked_scores(b, cl_matmul(b, q, MUL(k, F(root))), h->mask, h->causal);
}

/* exp(scores - max) v / sum; rows that are masked out altogether give 0, as PyTorch has it. */
static Arg attention_output(Build *b, const Heads *h, Arg e, Arg sum)
{
    Arg v = cl_opmath_of(b, h->v), kept;
    Arg empty = GIVEN(h->mask) ? EQ(sum, F(0)) : A_NONE;
    if (h->flash) {
        Arg product = cl_matmul(b, cl_opmath_of(b, TO(e, h->dtype)), v);
        Arg factor = cl_reciprocal(b, sum);
        return MUL(product, GIVEN(empty) ? WHERE(empty, F(0), factor) : factor);
    }
    Arg weights = DIV(e, sum);
    if (GIVEN(empty))
        weights = WHERE(empty, F(0), weights);
    if (h->dropout > 0)
        weights = h->dropout == 1
                      ? MUL(weights, F(0))
                      : drop(b, weights, h->dropout, h->seed, h->offset, &kept);
    return cl_matmul(b, weights, v);
}

static Attention attention(Build *b, Heads h, Arg dropout)
{
    Attention a = {A_NONE, A_NONE};
    h.dtype = cl_dtype(b, h.q);
    uint32_t rank = cl_rank(b, h.q);
    if (rank < 2 || cl_dtype(b, h.k) != h.dtype || cl_dtype(b, h.v) != h.dtype) {
        build_error(b, rank < 2 ? 0 : 1,
                    "Expected query, key, and value to have the same dtype and "
                    "at least 2 dimensions");
        return a;
    }
    h.dropout = probability(b, dropout);
    h.flash = fits_flash(b, &h);
    Arg scores = attention_scores(b, &h);
    uint32_t last = cl_rank(b, scores) - 1;
    if (b->failed || cl_size(b, scores, last) == 0) {
        a.out = cl_matmul(b, TO(scores, h.dtype), h.v);
        return a;
    }
    Arg max = cl_amax(b, scores, last, true);
    if (GIVEN(h.mask))
        max = WHERE(EQ(max, F(-INFINITY)), F(0), max);
    Arg e = EXP(SUB(scores, max)), sum = cl_sum(b, e, last, true);
    a.out = TO(attention_output(b, &h, e, sum), h.dtype);
    a.logsumexp = cl_squeeze(b, ADD(LOG(sum), max), &DIMS1(last));
    return a;
}

DECOMPOSE(d_sdpa)
{
    Arg k = args[1], v = args[2];
    if (cl_truth(b, args[7])) {
        k = attention_heads(b, k, args[0]);
        v = attention_heads(b, v, args[0]);
    }
    if (b->failed)
        return A_NONE;
    Heads h = {.q = args[0], .k = k, .v = v, .mask = args[3], .scale = args[6]};
    h.causal = cl_truth(b, args[5]);
    return attention(b, h, args[4]).out;
}

DECOMPOSE(d_flash_attention_cpu)
{
    Arg k = attention_heads(b, args[1], args[0]), v = attention_heads(b, args[2], args[0]);
    Heads h = {.q = args[0], .k = k, .v = v, .mask = args[5], .scale = args[6], .seed = args[7],
               .offset = args[8]};
    h.causal = cl_truth(b, args[4]);
    Attention a = attention(b, h, args[3]);
    return TUPLE(a.out, a.logsumexp);
}

/* The state of the random numbers is empty: draws have their seed and offset in the program. */
static Arg no_state(Build *b, Arg like)
{
    Dims none = {.n = 1};
    return cl_full(b, &none, I(0), cl_device(b, like), DT_i64);
}

DECOMPOSE(d_efficient_attention)
{
    Heads h = {.q = args[0], .k = args[1], .v = args[2], .mask = args[3], .scale = args[7]};
    h.causal = cl_truth(b, args[6]);
    Attention a = attention(b, h, args[5]);
    return TUPLE(a.out, a.logsumexp, no_state(b, args[0]), no_state(b, args[0]));
}

DECOMPOSE(d_flash_attention)
{
    Heads h = {.q = args[0], .k = args[1], .v = args[2], .scale = args[6]};
    h.causal = cl_truth(b, args[4]);
    Attention a = attention(b, h, args[3]);
    uint32_t rank = cl_rank(b, args[0]);
    Arg state = no_state(b, args[0]), unused = no_state(b, args[0]), mask = no_state(b, args[0]);
    return TUPLE(a.out, a.logsumexp, A_NONE, A_NONE, I(cl_size(b, args[0], rank - 2)),
                 I(cl_size(b, args[1], rank - 2)), state, unused, mask);
}
