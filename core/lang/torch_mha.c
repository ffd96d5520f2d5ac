/*
 * torch_mha.c - the decomposition of multi_head_attention_forward.
 *
 * Input: query, key and value as [length, batch, width] (or without batch), the weights of the
 * projections, masks. Output: the attention and, when asked for, its weights. The steps are those
 * of PyTorch's function of this name.
 */
#include "notation.h"

#include <math.h>

/* Arguments by name, in canonical order. */
enum {
    QUERY, KEY, VALUE, WIDTH, HEADS, IN_WEIGHT, IN_BIAS, BIAS_K, BIAS_V, ZERO_ATTN, DROPOUT,
    OUT_WEIGHT, OUT_BIAS, TRAINING, PADDING_MASK, NEED_WEIGHTS, MASK, SEPARATE, Q_WEIGHT, K_WEIGHT,
    V_WEIGHT, STATIC_K, STATIC_V, AVERAGE, CAUSAL,
};

typedef struct Mha {
    const Arg *args;
    Arg q, k, v, mask, padding; /* masks are floats that are added to the scores */
    int64_t target, batch, width, heads, head;
    double dropout;
    bool batched, weights, causal;
} Mha;

/* A mask of bools as floats: -infinity where it holds. */
static Arg float_mask(Build *b, Arg mask, DType d)
{
    if (!GIVEN(mask) || cl_dtype(b, mask) != DT_b8)
        return GIVEN(mask) ? TO(mask, d) : mask;
    return TO(WHERE(mask, F(-INFINITY), F(0)), d);
}

static void check_inputs(Build *b, const Arg *args)
{
    uint32_t rank = cl_rank(b, args[QUERY]);
    if (rank != 2 && rank != 3)
        build_error(b, QUERY, "query should be unbatched 2D or batched 3D tensor but received %uD "
                              "query tensor", rank);
    for (int i = KEY; i <= VALUE; i++)
        if (cl_rank(b, args[i]) != rank)
            build_error(b, i, "expected `key` and `value` to be %uD, as query is", rank);
    if (b->failed)
        return;
    int64_t width = cl_int(b, args[WIDTH], WIDTH), heads = cl_int(b, args[HEADS], HEADS);
    if (cl_size(b, args[QUERY], rank - 1) != width)
        build_error(b, WIDTH, "was expecting embedding dimension of %lld, but got %lld",
                    (long long)width, (long long)cl_size(b, args[QUERY], rank - 1));
    else if (heads < 1 || width % heads)
        build_error(b, HEADS, "embed_dim %lld not divisible by num_heads %lld", (long long)width,
                    (long long)heads);
    else if (cl_truth(b, args[CAUSAL]) && !GIVEN(args[MASK]))
        build_error(b, CAUSAL, "Need attn_mask if specifying the is_causal hint.");
    if (cl_truth(b, args[SEPARATE]) &&
        !(GIVEN(args[Q_WEIGHT]) && GIVEN(args[K_WEIGHT]) && GIVEN(args[V_WEIGHT])))
        build_error(b, SEPARATE, "use_separate_proj_weight is True but a projection is None");
    else if (!cl_truth(b, args[SEPARATE]) && !GIVEN(args[IN_WEIGHT]))
        build_error(b, IN_WEIGHT, "use_separate_proj_weight is False but in_proj_weight is None");
}

/* Rows of the joint weight (or bias) for projection i of three. */
static Arg third(Build *b, Arg x, int64_t i, int64_t width)
{
    return GIVEN(x) ? cl_slice(b, x, 0, i * width, (i + 1) * width, 1) : x;
}

static Arg projected(Build *b, const Mha *m, Arg x, int i)
{
    Arg w = cl_truth(b, m->args[SEPARATE]) ? m->args[Q_WEIGHT + i]
                                           : third(b, m->args[IN_WEIGHT], i, m->width);
    return CALL("linear", x, w, third(b, m->args[IN_BIAS], i, m->width));
}

/* One more position of keys (or values): a bias for every batch element, or zeros. */
static Arg one_more(Build *b, Arg x, Arg bias, int64_t dim)
{
    Dims shape = cl_shape(b, x);
    shape.v[dim] = 1;
    Arg more = GIVEN(bias) ? cl_expand(b, bias, &shape)
                           : cl_full(b, &shape, F(0), cl_device(b, x), cl_dtype(b, x));
    return cl_cat(b, (const Arg[]){x, more}, 2, dim);
}

static void wider_masks(Build *b, Mha *m)
{
    Arg *masks[2] = {&m->mask, &m->padding};
    for (int i = 0; i < 2; i++)
        if (GIVEN(*masks[i]))
            *masks[i] = one_more(b, *masks[i], A_NONE, cl_rank(b, *masks[i]) - 1);
}

/* [length, batch, width] to [batch * heads, length, head]. */
static Arg by_heads(Build *b, const Mha *m, Arg x)
{
    Dims shape = {.n = 3, .v = {cl_size(b, x, 0), m->batch * m->heads, m->head}};
    return cl_swap(b, cl_reshape(b, x, &shape), 0, 1);
}

static void project(Build *b, Mha *m)
{
    m->q = projected(b, m, m->q, 0);
    m->k = projected(b, m, m->k, 1);
    m->v = projected(b, m, m->v, 2);
    if (GIVEN(m->args[BIAS_K]) && GIVEN(m->args[BIAS_V])) {
        m->k = one_more(b, m->k, m->args[BIAS_K], 0);
        m->v = one_more(b, m->v, m->args[BIAS_V], 0);
        wider_masks(b, m);
    }
    m->q = by_heads(b, m, m->q);
    m->k = GIVEN(m->args[STATIC_K]) ? m->args[STATIC_K] : by_heads(b, m, m->k);
    m->v = GIVEN(m->args[STATIC_V]) ? m->args[STATIC_V] : by_heads(b, m, m->v);
    if (cl_truth(b, m->args[ZERO_ATTN])) {
        m->k = one_more(b, m->k, A_NONE, 1);
        m->v = one_more(b, m->v, A_NONE, 1);
        wider_masks(b, m);
    }
}

/* Both masks as one [batch or 1, heads or 1, target or 1, source], or None. */
static Arg joint_mask(Build *b, const Mha *m)
{
    int64_t source = cl_size(b, m->k, 1);
    Dims wide = {.n = 4, .v = {1, 1, m->target, source}};
    Arg mask = m->mask;
    if (GIVEN(mask)) {
        if (cl_rank(b, mask) == 3 && cl_size(b, mask, 0) != 1) {
            wide.v[0] = m->batch;
            wide.v[1] = m->heads;
        }
        if (cl_numel(b, mask) != wide.v[0] * wide.v[1] * m->target * source) {
            build_error(b, MASK, "attn_mask should be [%lld, %lld] or [%lld, %lld, %lld]",
                        (long long)m->target, (long long)source, (long long)(m->batch * m->heads),
                        (long long)m->target, (long long)source);
            return A_NONE;
        }
        mask = cl_reshape(b, mask, &wide);
    }
    if (!GIVEN(m->padding))
        return mask;
    Dims rows = {.n = 4, .v = {m->batch, 1, 1, source}};
    if (cl_numel(b, m->padding) != m->batch * source) {
        build_error(b, PADDING_MASK, "key_padding_mask should be [%lld, %lld]",
                    (long long)m->batch, (long long)source);
        return A_NONE;
    }
    Arg padding = cl_reshape(b, m->padding, &rows);
    return GIVEN(mask) ? ADD(mask, padding) : padding;
}

/* [batch * heads, length, n] to [batch, heads, length, n]. */
static Arg split_heads(Build *b, const Mha *m, Arg x)
{
    Dims shape = {.n = 4, .v = {m->batch, m->heads, cl_size(b, x, 1), cl_size(b, x, 2)}};
    return cl_reshape(b, x, &shape);
}

/* [batch, heads, target, head] through the last projection to [target, batch, width]. */
static Arg last_projection(Build *b, const Mha *m, Arg x)
{
    Dims order = {.n = 4, .v = {2, 0, 1, 3}}, flat = {.n = 3, .v = {m->target, m->batch, m->width}};
    Arg out = cl_reshape(b, cl_permute(b, x, &order), &flat);
    out = CALL("linear", out, m->args[OUT_WEIGHT], m->args[OUT_BIAS]);
    return m->batched ? out : cl_squeeze(b, out, &DIMS1(1));
}

static Arg with_weights(Build *b, const Mha *m, Arg mask)
{
    Arg q = MUL(split_heads(b, m, m->q), F(sqrt(1.0 / (double)m->head)));
    Arg scores = cl_matmul(b, q, cl_swap(b, split_heads(b, m, m->k), -2, -1));
    if (GIVEN(mask))
        scores = ADD(scores, mask);
    Arg weights = CALL("softmax", scores, I(-1));
    if (m->dropout > 0)
        weights = CALL("dropout", weights, F(m->dropout));
    Arg out = last_projection(b, m, cl_matmul(b, weights, split_heads(b, m, m->v)));
    if (!GIVEN(m->args[AVERAGE]) || cl_truth(b, m->args[AVERAGE]))
        weights = CALL("mean", weights, I(1));
    if (!m->batched)
        weights = cl_squeeze(b, weights, &DIMS1(0));
    return b->failed ? A_NONE : TUPLE(out, weights);
}

static void take_inputs(Build *b, Mha *m)
{
    const Arg *args = m->args;
    m->batched = cl_rank(b, args[QUERY]) == 3;
    m->q = m->batched ? args[QUERY] : cl_unsqueeze(b, args[QUERY], 1);
    m->k = m->batched ? args[KEY] : cl_unsqueeze(b, args[KEY], 1);
    m->v = m->batched ? args[VALUE] : cl_unsqueeze(b, args[VALUE], 1);
    m->target = cl_size(b, m->q, 0);
    m->batch = cl_size(b, m->q, 1);
    m->width = cl_int(b, args[WIDTH], WIDTH);
    m->heads = cl_int(b, args[HEADS], HEADS);
    m->head = m->heads > 0 ? m->width / m->heads : 1;
    m->weights = cl_truth(b, args[NEED_WEIGHTS]);
    m->dropout = cl_truth(b, args[TRAINING]) ? cl_float(b, args[DROPOUT]) : 0;
    /* A causal mask that nothing else is added to is computed, not read. */
    m->causal = cl_truth(b, args[CAUSAL]) && !GIVEN(args[PADDING_MASK]) && !m->weights;
    DType d = cl_dtype(b, m->q);
    m->mask = m->causal ? A_NONE : float_mask(b, args[MASK], d);
    m->padding = float_mask(b, args[PADDING_MASK], d);
}

DECOMPOSE(d_multi_head_attention)
{
    Mha m = {.args = args};
    check_inputs(b, args);
    if (b->failed)
        return A_NONE;
    take_inputs(b, &m);
    project(b, &m);
    Arg mask = joint_mask(b, &m);
    if (b->failed)
        return A_NONE;
    if (m.weights)
        return with_weights(b, &m, mask);
    Arg out = CALL("scaled_dot_product_attention", split_heads(b, &m, m.q), split_heads(b, &m, m.k),
                   split_heads(b, &m, m.v), mask, F(m.dropout), A_BOOL(m.causal));
    out = last_projection(b, &m, out);
    return b->failed ? A_NONE : TUPLE(out, A_NONE);
}
