/*
 * torch_backward_nn.c - gradients that graphs after AOTAutograd call by name, part two:
 * normalisation, convolution, pooling, losses, attention. `output_mask` says which of several
 * gradients are wanted; the others are None.
 */
#include "notation.h"

#include <math.h>

static bool wanted(const Build *b, Arg mask, uint32_t i)
{
    return cl_truth(b, cl_item(mask, i));
}

/* --------------------------------------------------------------------------------- normalisation
 */

/* Gradient of (x - mean) rstd over dims, given that of its result. */
static Arg standardise_grad(Build *b, Arg grad, Arg hat, Arg rstd, const Dims *dims)
{
    Arg mean = cl_mean(b, grad, dims, true), along = cl_mean(b, MUL(grad, hat), dims, true);
    return MUL(rstd, SUB(SUB(grad, mean), MUL(hat, along)));
}

DECOMPOSE(d_native_layer_norm_backward)
{
    DType out = cl_dtype(b, args[1]);
    Arg g = cl_opmath_of(b, args[0]), x = cl_opmath_of(b, args[1]), w = cl_opmath_of(b, args[5]);
    Dims norm = cl_ints(b, args[2], 2);
    uint32_t rank = cl_rank(b, x), outer = rank - norm.n;
    Dims inner_dims = {.n = norm.n}, outer_dims = cl_all_dims(outer);
    if (norm.n > rank) {
        build_error(b, 2, "normalized_shape has more dimensions than the input");
        return A_NONE;
    }
    for (uint32_t i = 0; i < norm.n; i++)
        inner_dims.v[i] = outer + i;
    Arg hat = MUL(SUB(x, args[3]), args[4]), dx = A_NONE, dw = A_NONE, db = A_NONE;
    if (wanted(b, args[7], 0))
        dx = TO(standardise_grad(b, GIVEN(w) ? MUL(g, w) : g, hat, args[4], &inner_dims), out);
    if (wanted(b, args[7], 1) && GIVEN(w))
        dw = TO(cl_reduce(b, PRIM_sum, MUL(g, hat), &outer_dims, false), cl_dtype(b, args[5]));
    if (wanted(b, args[7], 2) && GIVEN(args[6]))
        db = TO(cl_reduce(b, PRIM_sum, g, &outer_dims, false), cl_dtype(b, args[6]));
    return TUPLE(dx, dw, db);
}

static Arg channel_shaped(Build *b, Arg v, uint32_t rank)
{
    Dims shape = {.n = rank};
    for (uint32_t i = 0; i < rank; i++)
        shape.v[i] = i == 1 ? cl_numel(b, v) : 1;
    return GIVEN(v) ? cl_reshape(b, cl_opmath_of(b, v), &shape) : v;
}

DECOMPOSE(d_native_batch_norm_backward)
{
    DType out = cl_dtype(b, args[1]);
    Arg g = cl_opmath_of(b, args[0]), x = cl_opmath_of(b, args[1]);
    uint32_t rank = cl_rank(b, x);
    bool train = cl_truth(b, args[7]);
    Dims dims = {0};
    for (uint32_t i = 0; i < rank; i++)
        if (i != 1)
            dims.v[dims.n++] = i;
    Arg mean = train ? args[5] : args[3], rstd = args[6];
    if (!GIVEN(mean) || (train ? !GIVEN(rstd) : !GIVEN(args[4]))) {
        build_error(b, train ? 5 : 3, "the statistics of the forward pass are needed");
        return A_NONE;
    }
    if (!train)
        rstd = RSQRT(ADD(cl_opmath_of(b, args[4]), args[8]));
    mean = channel_shaped(b, mean, rank);
    rstd = channel_shaped(b, rstd, rank);
    Arg hat = MUL(SUB(x, mean), rstd), dx = A_NONE, dw = A_NONE, db = A_NONE;
    if (wanted(b, args[9], 0)) {
        Arg scaled = GIVEN(args[2]) ? MUL(g, channel_shaped(b, args[2], rank)) : g;
        dx = TO(train ? standardise_grad(b, scaled, hat, rstd, &dims) : MUL(scaled, rstd), out);
    }
    DType wd = GIVEN(args[2]) ? cl_dtype(b, args[2]) : out;
    if (wanted(b, args[9], 1))
        dw = TO(cl_reduce(b, PRIM_sum, MUL(g, hat), &dims, false), wd);
    if (wanted(b, args[9], 2))
        db = TO(cl_reduce(b, PRIM_sum, g, &dims, false), wd);
    return TUPLE(dx, dw, db);
}

DECOMPOSE(d_native_group_norm_backward)
{
    DType out = cl_dtype(b, args[1]);
    Arg g = cl_opmath_of(b, args[0]), x = cl_opmath_of(b, args[1]);
    Dims shape = cl_shape(b, x);
    int64_t n = cl_int_within(b, args[5], 0, MANY, 5), c = cl_int_within(b, args[6], 0, MANY, 6);
    int64_t area = cl_int_within(b, args[7], 0, MANY, 7);
    int64_t groups = cl_int_within(b, args[8], 1, MANY, 8);
    if (b->failed || c % groups) {
        build_error(b, 8, "the number of channels must be divisible by the number of groups");
        return A_NONE;
    }
    Dims grouped = {.n = 3, .v = {n, groups, c / groups * area}},
         one = {.n = 3, .v = {n, groups, 1}};
    Dims flat = {.n = 3, .v = {n, c, area}}, outer = {.n = 2, .v = {0, 2}};
    Arg rstd = cl_reshape(b, cl_opmath_of(b, args[3]), &one);
    Arg mean = cl_reshape(b, cl_opmath_of(b, args[2]), &one);
    Arg hat = MUL(SUB(cl_reshape(b, x, &grouped), mean), rstd), dx = A_NONE, dw = A_NONE,
        db = A_NONE;
    Arg gc = cl_reshape(b, g, &flat);
    if (wanted(b, args[9], 0)) {
        Arg scaled = GIVEN(args[4]) ? MUL(gc, channel_shaped(b, args[4], 3)) : gc;
        Arg d = standardise_grad(b, cl_reshape(b, scaled, &grouped), hat, rstd, &DIMS1(2));
        dx = TO(cl_reshape(b, d, &shape), out);
    }
    DType wd = GIVEN(args[4]) ? cl_dtype(b, args[4]) : out;
    if (wanted(b, args[9], 1))
        dw = TO(cl_reduce(b, PRIM_sum, MUL(gc, cl_reshape(b, hat, &flat)), &outer, false), wd);
    if (wanted(b, args[9], 2))
        db = TO(cl_reduce(b, PRIM_sum, gc, &outer, false), wd);
    return TUPLE(dx, dw, db);
}

/* ----------------------------------------------------------------------------------- convolution
 */

typedef struct ConvGrad {
    Dims stride, padding, dilation;
    int64_t groups;
    uint32_t n; /* spatial dimensions */
} ConvGrad;

static Arg convolve(Build *b, Arg x, Arg w, const Dims *stride, const Dims *padding,
                    const Dims *dilation, bool transposed, const Dims *extra, int64_t groups)
{
    if (b->failed)
        return A_NONE;
    return emit(b, convolution, x, w, A_NONE, cl_tuple(b, stride), cl_tuple(b, padding),
                cl_tuple(b, dilation), A_BOOL(transposed), cl_tuple(b, extra), I(groups));
}

/* Gradient of a plain convolution with respect to its input: the transposed one. */
static Arg input_grad(Build *b, Arg grad, Arg x, Arg w, const ConvGrad *k)
{
    Dims extra = {.n = k->n};
    for (uint32_t i = 0; i < k->n; i++)
        extra.v[i] = cl_size(b, x, i + 2) -
                     ((cl_size(b, grad, i + 2) - 1) * k->stride.v[i] - 2 * k->padding.v[i] +
                      k->dilation.v[i] * (cl_size(b, w, i + 2) - 1) + 1);
    return convolve(b, grad, w, &k->stride, &k->padding, &k->dilation, true, &extra, k->groups);
}

/* Gradient of a transposed convolution with respect to its input: the plain one; output padding
 * may let it reach further than the input. */
static Arg transposed_input_grad(Build *b, Arg grad, Arg x, Arg w, const ConvGrad *k)
{
    Dims none = {.n = k->n};
    Arg r = convolve(b, grad, w, &k->stride, &k->padding, &k->dilation, false, &none, k->groups);
    for (uint32_t i = 2; i < k->n + 2 && !b->failed; i++)
        if (cl_size(b, r, i) != cl_size(b, x, i))
            r = cl_slice(b, r, i, 0, cl_size(b, x, i), 1);
    return r;
}

/* [N, g C, ...] as [C, g N, ...]: the batch takes the place of the channels of each group. */
static Arg batch_as_channels(Build *b, Arg x, int64_t groups)
{
    Dims s = cl_shape(b, x), split = {.n = s.n + 1}, order = {.n = s.n + 1}, out = s;
    int64_t c = s.v[1] / groups;
    split.v[0] = s.v[0];
    split.v[1] = groups;
    split.v[2] = c;
    order.v[0] = 2;
    order.v[1] = 1;
    order.v[2] = 0;
    for (uint32_t i = 2; i < s.n; i++) {
        split.v[i + 1] = s.v[i];
        order.v[i + 1] = i + 1;
    }
    out.v[0] = c;
    out.v[1] = groups * s.v[0];
    return cl_reshape(b, cl_permute(b, cl_reshape(b, x, &split), &order), &out);
}

/* Gradient with respect to the weight: the input convolved with the gradient, stride and dilation
 * exchanged; the rest beyond the kernel's size is cut. */
static Arg weight_grad(Build *b, Arg grad, Arg x, Arg w, const ConvGrad *k)
{
    Dims none = {.n = k->n};
    Arg xs = batch_as_channels(b, x, k->groups), gs = cl_swap(b, grad, 0, 1);
    Arg r = convolve(b, xs, gs, &k->dilation, &k->padding, &k->stride, false, &none, k->groups);
    for (uint32_t i = 0; i < k->n; i++)
        r = cl_slice(b, r, i + 2, 0, cl_size(b, w, i + 2), 1);
    return cl_swap(b, r, 0, 1);
}

DECOMPOSE(d_convolution_backward)
{
    Arg grad = args[0], x = args[1], w = args[2], dx = A_NONE, dw = A_NONE, db = A_NONE;
    uint32_t rank = cl_rank(b, x);
    ConvGrad k = {.n = rank - 2, .groups = cl_int(b, args[9], 9)};
    bool transposed = cl_truth(b, args[7]);
    Dims others = {0};
    if (rank < 3 || cl_rank(b, grad) != rank || cl_rank(b, w) != rank || k.groups <= 0) {
        build_error(b, 1, "expected gradient, input and weight of equal rank, at least 3");
        return A_NONE;
    }
    k.stride = cl_ints_n(b, args[4], k.n, 1, 4);
    k.padding = cl_ints_n(b, args[5], k.n, 0, 5);
    k.dilation = cl_ints_n(b, args[6], k.n, 1, 6);
    if (wanted(b, args[10], 0))
        dx = transposed ? transposed_input_grad(b, grad, x, w, &k) : input_grad(b, grad, x, w, &k);
    if (wanted(b, args[10], 1))
        dw = transposed ? weight_grad(b, x, grad, w, &k) : weight_grad(b, grad, x, w, &k);
    for (uint32_t i = 0; i < rank; i++)
        if (i != 1)
            others.v[others.n++] = i;
    if (wanted(b, args[10], 2))
        db = TO(cl_reduce(b, PRIM_sum, cl_opmath_of(b, grad), &others, false), cl_dtype(b, grad));
    return TUPLE(dx, dw, db);
}

/* --------------------------------------------------------------------------------------- pooling
 */

/* Gradients added where the largest elements stood; the last n dimensions are spatial. */
static Arg scatter_places(Build *b, Arg grad, Arg x, Arg indices, uint32_t n)
{
    Dims shape = cl_shape(b, x), flat = {.n = 2, .v = {1, 1}}, out = flat;
    if (shape.n < n || cl_rank(b, grad) != shape.n) {
        build_error(b, 0, "the gradient must have the rank of the input");
        return A_NONE;
    }
    for (uint32_t i = 0; i < shape.n; i++) {
        flat.v[i >= shape.n - n] *= shape.v[i];
        out.v[i >= shape.n - n] *= cl_size(b, grad, i);
    }
    Arg zeros = cl_full(b, &flat, F(0), cl_device(b, grad), cl_dtype(b, grad));
    if (b->failed)
        return A_NONE;
    Arg r =
        emit(b, scatter_add, zeros, cl_reshape(b, indices, &out), cl_reshape(b, grad, &out), I(1));
    return cl_reshape(b, r, &shape);
}

DECOMPOSE(d_max_pool_backward)
{
    Dims kernel = cl_ints(b, args[2], 2);
    uint32_t n = kernel.n == 1 ? 2 : kernel.n;
    return scatter_places(b, args[0], args[1], args[7], n);
}

DECOMPOSE(d_adaptive_max_pool_backward)
{
    uint32_t n = str_find(str_from(b->op->name), '3', 0) != SIZE_MAX ? 3 : 2;
    return scatter_places(b, args[0], args[1], args[2], n);
}

/* Windows along one dimension. */
typedef struct Line {
    int64_t size, out, kernel, stride, padding;
} Line;

/* How many elements each window counts, as a row of grad's dtype. Those beyond the padding never
 * count, those in it only when `pads`. */
static Arg window_counts(Build *b, Line l, bool pads, Arg grad)
{
    int64_t *counts = new_array(&b->t->arena, int64_t, l.out + 1);
    for (int64_t o = 0; o < l.out; o++) {
        int64_t from = o * l.stride - l.padding, to = from + l.kernel;
        to = to > l.size + l.padding ? l.size + l.padding : to;
        counts[o] = (pads || to < l.size ? to : l.size) - (pads || from > 0 ? from : 0);
    }
    return emit(b, tensor_from_sequence, arg_ints(b->t, counts, (uint32_t)l.out),
                A_DEVICE(cl_device(b, grad)), A_DTYPE(cl_dtype(b, grad)));
}

/* The means of windows count each element 1 / n: a transposed convolution with a kernel of ones. */
static Arg avg_pool_backward(Build *b, const Arg *args, uint32_t n)
{
    Arg grad = cl_opmath_of(b, args[0]), x = args[1];
    Dims kernel = cl_ints_n(b, args[2], n, 1, 2), none = {.n = n}, ones = {.n = n};
    Dims padding = cl_ints_n(b, args[4], n, 0, 4), stride = kernel, shape = cl_shape(b, x);
    if (arg_is_seq(args[3]) ? args[3].n > 0 : GIVEN(args[3]))
        stride = cl_ints_n(b, args[3], n, 1, 3);
    Dims planes = {.n = n + 2, .v = {1, 1}}, low = {.n = n + 2}, high = {.n = n + 2};
    Dims weight = {.n = n + 2, .v = {1, 1}};
    if (shape.n < n || cl_rank(b, grad) != shape.n) {
        build_error(b, 0, "the gradient must have the rank of the input");
        return A_NONE;
    }
    for (uint32_t i = 0; i < shape.n - n; i++)
        planes.v[0] *= shape.v[i];
    Arg count = A_NONE;
    for (uint32_t i = 0; i < n; i++) {
        Line l = {shape.v[shape.n - n + i], cl_size(b, grad, shape.n - n + i), kernel.v[i],
                  stride.v[i], padding.v[i]};
        planes.v[i + 2] = l.out;
        weight.v[i + 2] = l.kernel;
        ones.v[i] = 1;
        Dims place = {.n = n};
        for (uint32_t j = 0; j < n; j++)
            place.v[j] = j == i ? l.out : 1;
        Arg row = cl_reshape(b, window_counts(b, l, cl_truth(b, args[6]), grad), &place);
        count = GIVEN(count) ? MUL(count, row) : row;
    }
    Arg shares = DIV(grad, GIVEN(args[7]) ? cl_number_to(b, args[7], DT_f32) : count);
    Arg kernel_ones = cl_full(b, &weight, F(1), cl_device(b, grad), cl_dtype(b, grad));
    Arg r = convolve(b, cl_reshape(b, shares, &planes), kernel_ones, &stride, &none, &ones, true,
                     &none, 1);
    for (uint32_t i = 0; i < n; i++) { /* cut the padding, add what no window reached */
        low.v[i + 2] = -padding.v[i];
        high.v[i + 2] = shape.v[shape.n - n + i] + padding.v[i] - cl_size(b, r, i + 2);
    }
    r = cl_pad(b, r, &low, &high, F(0));
    return TO(cl_reshape(b, r, &shape), cl_dtype(b, args[0]));
}

DECOMPOSE(d_avg_pool2d_backward)
{
    return avg_pool_backward(b, args, 2);
}

DECOMPOSE(d_avg_pool3d_backward)
{
    return avg_pool_backward(b, args, 3);
}

/* share[o, i]: what window o takes of element i. */
static Arg shares_of(Build *b, int64_t out, int64_t size, Device dev, DType d)
{
    int64_t *start = new_array(&b->t->arena, int64_t, out + 1);
    int64_t *end = new_array(&b->t->arena, int64_t, out + 1);
    for (int64_t o = 0; o < out; o++) {
        start[o] = o * size / out;
        end[o] = ((o + 1) * size + out - 1) / out;
    }
    Arg s = emit(b, tensor_from_sequence, arg_ints(b->t, start, (uint32_t)out), A_DEVICE(dev),
                 A_DTYPE(DT_i64));
    Arg e = emit(b, tensor_from_sequence, arg_ints(b->t, end, (uint32_t)out), A_DEVICE(dev),
                 A_DTYPE(DT_i64));
    Arg at = cl_range(b, size, dev), from = cl_unsqueeze(b, s, 1), to = cl_unsqueeze(b, e, 1);
    Arg inside = AND(GE(at, from), LT(at, to));
    return DIV(TO(inside, d), TO(SUB(to, from), d));
}

static Arg adaptive_avg_backward(Build *b, const Arg *args, uint32_t n)
{
    Arg g = cl_opmath_of(b, args[0]);
    uint32_t rank = cl_rank(b, args[1]);
    if (rank < n || cl_rank(b, g) != rank) {
        build_error(b, 0, "the gradient must have the rank of the input");
        return A_NONE;
    }
    for (uint32_t k = 0; k < n && !b->failed; k++) {
        int64_t dim = rank - n + k, out = cl_size(b, g, dim), size = cl_size(b, args[1], dim);
        Arg share = shares_of(b, out, size, cl_device(b, g), cl_dtype(b, g));
        g = cl_swap(b, cl_matmul(b, cl_swap(b, g, dim, -1), share), dim, -1);
    }
    return TO(g, cl_dtype(b, args[0]));
}

DECOMPOSE(d_adaptive_avg_pool2d_backward)
{
    return adaptive_avg_backward(b, args, 2);
}

DECOMPOSE(d_adaptive_avg_pool3d_backward)
{
    return adaptive_avg_backward(b, args, 3);
}

/* ---------------------------------------------------------------------------------------- losses
 */

static bool is_reduction(Arg reduction, const char *word, int64_t number)
{
    return reduction.kind == ARG_str ? str_is(arg_str(reduction), word)
                                     : reduction.kind == ARG_int && reduction.i == number;
}

static Arg loss_share(Build *b, Arg grad, Arg like, Arg reduction)
{
    return is_reduction(reduction, "mean", 1) ? DIV(grad, F((double)cl_numel(b, like))) : grad;
}

DECOMPOSE(d_nll_loss_backward)
{
    Arg grad = args[0], x = args[1], target = args[2];
    int64_t dim = cl_rank(b, x) == 1 ? 0 : 1, classes = cl_size(b, x, dim);
    DType out = cl_dtype(b, x);
    Arg valid = NE(target, args[5]), safe = WHERE(valid, target, I(0));
    grad = cl_opmath_of(b, grad);
    if (is_reduction(args[4], "mean", 1))
        grad = DIV(grad, TO(args[6], cl_dtype(b, grad)));
    grad = NEG(grad);
    if (GIVEN(args[3])) {
        Dims flat = DIMS1(cl_numel(b, safe)), shape = cl_shape(b, safe);
        Arg w = cl_take(b, cl_opmath_of(b, args[3]), cl_reshape(b, safe, &flat), 0);
        grad = MUL(grad, cl_reshape(b, w, &shape));
    }
    Dims shape = cl_shape(b, target), place = {.n = cl_rank(b, x)};
    Arg share = cl_unsqueeze(b, cl_broadcast_to(b, WHERE(valid, grad, F(0)), &shape), dim);
    for (uint32_t i = 0; i < place.n; i++)
        place.v[i] = i == dim ? classes : 1;
    Arg numbers = cl_reshape(b, cl_range(b, classes, cl_device(b, x)), &place);
    return TO(WHERE(EQ(cl_unsqueeze(b, safe, dim), numbers), share, F(0)), out);
}

DECOMPOSE(d_mse_loss_backward)
{
    Arg xs[3] = {args[0], args[1], args[2]};
    DType out = cl_enter(b, xs, 3, PROMOTE_DEFAULT);
    Arg gap = SUB(xs[1], xs[2]);
    return TO(MUL(MUL(F(2), gap), loss_share(b, xs[0], gap, args[3])), out);
}

DECOMPOSE(d_smooth_l1_loss_backward)
{
    Arg xs[3] = {args[0], args[1], args[2]}, beta = args[4];
    DType out = cl_enter(b, xs, 3, PROMOTE_DEFAULT);
    Arg gap = SUB(xs[1], xs[2]), g = loss_share(b, xs[0], gap, args[3]);
    Arg slope = cl_sign(b, gap);
    if (cl_float(b, beta) > 0)
        slope = WHERE(LE(gap, NEG(beta)), F(-1), WHERE(GE(gap, beta), F(1), DIV(gap, beta)));
    return TO(MUL(g, slope), out);
}

DECOMPOSE(d_huber_loss_backward)
{
    Arg xs[3] = {args[0], args[1], args[2]}, delta = args[4];
    DType out = cl_enter(b, xs, 3, PROMOTE_DEFAULT);
    Arg gap = SUB(xs[1], xs[2]), g = loss_share(b, xs[0], gap, args[3]);
    Arg slope = cl_clamp(b, gap, NEG(delta), delta);
    return TO(MUL(g, slope), out);
}

DECOMPOSE(d_bce_backward)
{
    Arg xs[3] = {args[0], args[1], args[2]};
    DType out = cl_enter(b, xs, 3, PROMOTE_DEFAULT);
    Arg x = xs[1], spread = cl_clamp(b, MUL(SUB(F(1), x), x), F(1e-12), A_NONE);
    Arg slope = DIV(SUB(x, xs[2]), spread);
    if (GIVEN(args[3]))
        slope = MUL(slope, args[3]);
    return TO(MUL(loss_share(b, xs[0], x, args[4]), slope), out);
}

/* ------------------------------------------------------------------------------------- attention
 */

/* The gradient of a key or value from that of its repeated heads. */
static Arg sum_heads(Build *b, Arg x, Arg like)
{
    uint32_t rank = cl_rank(b, like);
    if (b->failed || rank < 3 || cl_size(b, x, rank - 3) == cl_size(b, like, rank - 3))
        return x;
    Dims have = cl_shape(b, x), want = {.n = rank + 1};
    for (uint32_t i = 0; i < rank; i++)
        want.v[i < rank - 2 ? i : i + 1] = have.v[i];
    want.v[rank - 3] = cl_size(b, like, rank - 3);
    want.v[rank - 2] = have.v[rank - 3] / want.v[rank - 3];
    return cl_sum(b, cl_reshape(b, x, &want), rank - 2, false);
}

/* What dropout has multiplied the weights by: 0, or what keeps their sum. None without a seed. */
static Arg attention_factor(Build *b, Arg weights, double p, Arg seed, Arg offset)
{
    if (p == 0 || !GIVEN(seed))
        return A_NONE;
    Arg kept = LT(cl_drawn_like(b, weights, seed, offset), F(1 - p));
    return MUL(TO(kept, cl_dtype(b, weights)), F(p == 1 ? 0 : 1 / (1 - p)));
}

/* What the gradient of attention is made of. */
typedef struct AttentionGrad {
    Arg grad, q, k, v, out, logs, mask, scale, seed, offset;
    double dropout;
    bool causal;
} AttentionGrad;

typedef struct AttentionGrads {
    Arg q, k, v, scores; /* scores: of those that the mask was added to */
} AttentionGrads;

/* The weights come back from the scores and the logarithms of their sums. */
static Arg attention_weights(Build *b, const AttentionGrad *a, Arg q, Arg k, Arg scale)
{
    uint32_t last = cl_rank(b, q) - 1;
    Arg scores = MUL(cl_matmul(b, q, cl_swap(b, k, -2, -1)), scale);
    Device dev = cl_device(b, q);
    if (a->causal) {
        Arg rows = cl_unsqueeze(b, cl_range(b, cl_size(b, q, last - 1), dev), 1);
        scores = WHERE(GE(rows, cl_range(b, cl_size(b, k, last - 1), dev)), scores, F(-INFINITY));
    }
    if (GIVEN(a->mask))
        scores = cl_dtype(b, a->mask) == DT_b8 ? WHERE(a->mask, scores, F(-INFINITY))
                                               : ADD(scores, a->mask);
    Arg sums = cl_unsqueeze(b, cl_opmath_of(b, a->logs), last);
    Arg p = EXP(SUB(scores, sums));
    return GIVEN(a->mask) ? WHERE(EQ(sums, F(-INFINITY)), F(0), p) : p; /* without any partner */
}

static AttentionGrads attention_grads(Build *b, const AttentionGrad *a)
{
    AttentionGrads r = {A_NONE, A_NONE, A_NONE, A_NONE};
    Arg q = cl_opmath_of(b, a->q), k = cl_opmath_of(b, attention_heads(b, a->k, a->q));
    Arg v = cl_opmath_of(b, attention_heads(b, a->v, a->q));
    Arg g = cl_opmath_of(b, a->grad), out = cl_opmath_of(b, a->out);
    DType d = cl_dtype(b, a->q);
    uint32_t rank = cl_rank(b, q), last = rank - 1;
    if (rank < 2) {
        build_error(b, 1, "query must have at least 2 dimensions");
        return r;
    }
    double width = (double)cl_size(b, q, last);
    Arg scale = F(GIVEN(a->scale) ? cl_float(b, a->scale) : 1 / sqrt(width));
    Arg p = attention_weights(b, a, q, k, scale);
    Arg factor = attention_factor(b, p, a->dropout, a->seed, a->offset);
    Arg kept = GIVEN(factor) ? MUL(p, factor) : p;
    Arg dv = cl_matmul(b, cl_swap(b, kept, -2, -1), g);
    Arg dp = cl_matmul(b, g, cl_swap(b, v, -2, -1));
    if (GIVEN(factor))
        dp = MUL(dp, factor);
    r.scores = MUL(p, SUB(dp, cl_sum(b, MUL(g, out), last, true)));
    Arg ds = MUL(r.scores, scale);
    Arg dq = cl_matmul(b, ds, k), dk = cl_matmul(b, cl_swap(b, ds, -2, -1), q);
    r.q = TO(dq, d);
    r.k = TO(sum_heads(b, dk, a->k), d);
    r.v = TO(sum_heads(b, dv, a->v), d);
    return r;
}

DECOMPOSE(d_flash_attention_cpu_backward)
{
    AttentionGrad a = {.grad = args[0], .q = args[1], .k = args[2], .v = args[3], .out = args[4],
                       .logs = args[5], .mask = args[8], .scale = args[9], .seed = args[10],
                       .offset = args[11]};
    a.dropout = cl_float(b, args[6]);
    a.causal = cl_truth(b, args[7]);
    AttentionGrads r = attention_grads(b, &a);
    return TUPLE(r.q, r.k, r.v);
}

DECOMPOSE(d_efficient_attention_backward)
{
    AttentionGrad a = {.grad = args[0], .q = args[1], .k = args[2], .v = args[3], .mask = args[4],
                       .out = args[5], .logs = args[6], .seed = args[7], .offset = args[8],
                       .scale = args[12]};
    a.dropout = cl_float(b, args[9]);
    a.causal = cl_truth(b, args[11]);
    AttentionGrads r = attention_grads(b, &a);
    Arg given[4] = {r.q, r.k, r.v, A_NONE};
    if (GIVEN(a.mask) && cl_dtype(b, a.mask) != DT_b8 && wanted(b, args[10], 3)) {
        Dims shape = cl_shape(b, a.mask);
        Arg sum = CALL("sum_to_size", r.scores, cl_tuple(b, &shape));
        given[3] = TO(sum, cl_dtype(b, a.mask));
    }
    for (uint32_t i = 0; i < 3; i++)
        given[i] = wanted(b, args[10], i) ? given[i] : A_NONE;
    return TUPLE(given[0], given[1], given[2], given[3]);
}
