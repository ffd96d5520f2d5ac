/*
 * torch_conv.c - decompositions of convolution and of pooling.
 *
 * Input: sizes per spatial dimension, one int standing for all. Output: prims.convolution; windows
 * by pad and unfold, then a reduction over the last dimensions. Windows of unequal size (adaptive
 * pooling) are gathered by a table of positions.
 */
#include "notation.h"

#include <math.h>
#include <string.h>

/* --------------------------------------------------------------------------------- convolution */

/* Spatial paddings as ints; "same" pads x itself where the two sides differ. */
static Dims conv_padding(Build *b, Arg padding, Arg *x, Arg weight, const Dims *stride,
                         const Dims *dilation, uint32_t n)
{
    uint32_t rank = cl_rank(b, *x);
    Dims out = {.n = n}, low = {.n = rank}, high = {.n = rank};
    if (padding.kind != ARG_str)
        return cl_ints_n(b, padding, n, 0, 4);
    if (str_is(arg_str(padding), "valid"))
        return out;
    if (!str_is(arg_str(padding), "same"))
        build_error(b, 4, "Invalid padding string: '%.*s'", STR(arg_str(padding)));
    bool even = true;
    for (uint32_t i = 0; i < n; i++) {
        int64_t total = dilation->v[i] * (cl_size(b, weight, i + 2) - 1);
        if (stride->v[i] != 1)
            build_error(b, 4, "padding='same' is not supported for strided convolutions");
        out.v[i] = low.v[i + 2] = total / 2;
        high.v[i + 2] = total - total / 2;
        even = even && total % 2 == 0;
    }
    if (even)
        return out;
    *x = cl_pad(b, *x, &low, &high, I(0));
    return (Dims){.n = n};
}

typedef struct Conv {
    Arg x, weight, bias, stride, padding, dilation, groups, output_padding;
    bool transposed;
} Conv;

static Arg convolve(Build *b, const Conv *c, uint32_t n)
{
    Arg x = c->x;
    bool batched = cl_rank(b, x) == n + 2;
    if (!batched && cl_rank(b, x) != n + 1) {
        build_error(b, 0,
                    "Expected %uD (unbatched) or %uD (batched) input to conv%ud, but got "
                    "input of rank %u",
                    n + 1, n + 2, n, cl_rank(b, x));
        return A_NONE;
    }
    if (cl_rank(b, c->weight) != n + 2) {
        build_error(b, 1, "weight should have %u dimensions", n + 2);
        return A_NONE;
    }
    if (cl_dtype(b, x) != cl_dtype(b, c->weight))
        build_error(b, 1, "Input type (%s) and weight type (%s) should be the same",
                    dtype_text(cl_dtype(b, x)), dtype_text(cl_dtype(b, c->weight)));
    if (!batched)
        x = cl_unsqueeze(b, x, 0);
    Dims stride = cl_ints_n(b, c->stride, n, 1, 3), dilation = cl_ints_n(b, c->dilation, n, 1, 5);
    Dims extra = cl_ints_n(b, c->output_padding, n, 0, 5);
    Dims padding = conv_padding(b, c->padding, &x, c->weight, &stride, &dilation, n);
    if (b->failed)
        return A_NONE;
    Arg r = emit(b, convolution, x, c->weight, c->bias, cl_tuple(b, &stride), cl_tuple(b, &padding),
                 cl_tuple(b, &dilation), A_BOOL(c->transposed), cl_tuple(b, &extra),
                 I(cl_int(b, c->groups, 6)));
    return batched ? r : cl_squeeze(b, r, &DIMS1(0));
}

static Arg conv(Build *b, const Arg *args, uint32_t n)
{
    const Conv c = {args[0], args[1], args[2], args[3], args[4], args[5], args[6], I(0), false};
    return convolve(b, &c, n);
}

DECOMPOSE(d_conv1d)
{
    return conv(b, args, 1);
}

DECOMPOSE(d_conv2d)
{
    return conv(b, args, 2);
}

DECOMPOSE(d_conv3d)
{
    return conv(b, args, 3);
}

static Arg conv_transpose(Build *b, const Arg *args, uint32_t n)
{
    const Conv c = {args[0], args[1], args[2], args[3], args[4], args[7], args[6], args[5], true};
    return convolve(b, &c, n);
}

DECOMPOSE(d_conv_transpose1d)
{
    return conv_transpose(b, args, 1);
}

DECOMPOSE(d_conv_transpose2d)
{
    return conv_transpose(b, args, 2);
}

DECOMPOSE(d_conv_transpose3d)
{
    return conv_transpose(b, args, 3);
}

DECOMPOSE(d_convolution)
{
    uint32_t rank = cl_rank(b, args[1]);
    const Conv c = {args[0], args[1], args[2],
                    args[3], args[4], args[5],
                    args[8], args[7], cl_truth(b, args[6])};
    if (rank < 3) {
        build_error(b, 1, "weight should have at least three dimensions");
        return A_NONE;
    }
    return convolve(b, &c, rank - 2);
}

/* ------------------------------------------------------------------------------------- windows */

/* Sliding windows over the last n dimensions of x. */
typedef struct Window {
    uint32_t n;
    Dims kernel, stride, padding, dilation, out; /* n each */
    bool ceil;
} Window;

/* How many windows there are along dimension i, whose input is that long. */
static bool count_windows(Build *b, Window *w, uint32_t i, int64_t size)
{
    int64_t k = w->kernel.v[i], s = w->stride.v[i], p = w->padding.v[i];
    int64_t reach = w->dilation.v[i] * (k - 1) + 1;
    if (k <= 0 || s <= 0 || w->dilation.v[i] <= 0)
        build_error(b, k <= 0 ? 1 : 2,
                    "kernel size, stride and dilation should be greater than zero");
    else if (p < 0 || 2 * p > k)
        build_error(b, 3,
                    "pad should be at most half of effective kernel size, but got pad=%lld, "
                    "kernel_size=%lld",
                    (long long)p, (long long)k);
    if (b->failed)
        return false;
    int64_t span = size + 2 * p - reach + (w->ceil ? s - 1 : 0);
    int64_t out = (span >= 0 ? span / s : -1) + 1;
    if (w->ceil && (out - 1) * s >= size + p)
        out--;
    if (out < 1)
        build_error(b, 0, "the output would be empty: input size %lld, kernel size %lld",
                    (long long)size, (long long)k);
    w->out.v[i] = out;
    return true;
}

static bool window_of(Build *b, Arg x, Window *w, Arg kernel, Arg stride, Arg padding, Arg dilation)
{
    uint32_t rank = cl_rank(b, x);
    if (rank != w->n + 1 && rank != w->n + 2) {
        build_error(b, 0, "Expected %uD or %uD input, but got %uD", w->n + 1, w->n + 2, rank);
        return false;
    }
    for (uint32_t i = rank == w->n + 1 ? 0 : 1; i < rank; i++)
        if (cl_size(b, x, i) == 0)
            build_error(b, 0,
                        "Expected %uD or %uD (batch mode) tensor with optional 0 dim batch "
                        "size for input",
                        w->n + 1, w->n + 2);
    w->kernel = cl_ints_n(b, kernel, w->n, 1, 1);
    w->stride = w->kernel;
    if (GIVEN(stride) && !(arg_is_seq(stride) && stride.n == 0))
        w->stride = cl_ints_n(b, stride, w->n, 1, 2);
    w->padding = cl_ints_n(b, padding, w->n, 0, 3);
    w->dilation = cl_ints_n(b, dilation, w->n, 1, 4);
    w->out.n = w->n;
    for (uint32_t i = 0; i < w->n; i++)
        if (!count_windows(b, w, i, cl_size(b, x, rank - w->n + i)))
            return false;
    return !b->failed;
}

/* [.., out_1 .. out_n, kernel_1 .. kernel_n] of x padded with fill. */
static Arg windows(Build *b, Arg x, const Window *w, Arg fill)
{
    uint32_t rank = cl_rank(b, x), first = rank - w->n;
    Dims low = {.n = rank}, high = {.n = rank};
    for (uint32_t i = 0; i < w->n; i++) {
        int64_t reach = w->dilation.v[i] * (w->kernel.v[i] - 1) + 1;
        low.v[first + i] = w->padding.v[i];
        high.v[first + i] =
            (w->out.v[i] - 1) * w->stride.v[i] + reach - cl_size(b, x, first + i) - w->padding.v[i];
    }
    x = cl_pad(b, x, &low, &high, fill);
    for (uint32_t i = 0; i < w->n && !b->failed; i++) {
        int64_t d = w->dilation.v[i], reach = d * (w->kernel.v[i] - 1) + 1;
        x = emit(b, unfold, x, I(first + i), I(reach), I(w->stride.v[i]));
        if (d > 1)
            x = cl_slice(b, x, rank + i, 0, reach, d);
    }
    return x;
}

static Dims last_n(Build *b, Arg x, uint32_t n)
{
    uint32_t rank = cl_rank(b, x);
    Dims d = {.n = n};
    for (uint32_t i = 0; i < n; i++)
        d.v[i] = rank - n + i;
    return d;
}

static Arg lowest(DType d)
{
    if (dtype_is_float(d))
        return F(-INFINITY);
    if (!dtype_is_int(d) || !dtype_info[d].is_signed)
        return I(0);
    return I(d == DT_i64 ? INT64_MIN : -((int64_t)1 << (8 * dtype_info[d].bytes - 1)));
}

/* ----------------------------------------------------------------------------------- max pooling
 */

/* The places in the flattened input that windows start at and step by, summed over dimensions:
 * place[o_1 .., flat index of the largest in its window]. Where all are the lowest number the first
 * is in the padding; the first of the input is meant. */
static Arg window_places(Build *b, Arg x, const Window *w, Arg which)
{
    Device dev = cl_device(b, x);
    uint32_t rank = cl_rank(b, which), first = cl_rank(b, x) - w->n;
    Arg place = A_NONE, rest = which;
    int64_t step = 1;
    for (uint32_t k = w->n; k-- > 0;) {
        Arg in_window = cl_remainder(b, rest, I(w->kernel.v[k]));
        rest = emit(b, div, rest, I(w->kernel.v[k]));
        Arg start = cl_iota(b, w->out.v[k], I(-w->padding.v[k]), I(w->stride.v[k]), dev, DT_i64);
        Dims shape = {.n = rank};
        for (uint32_t i = 0; i < rank; i++)
            shape.v[i] = i == rank - w->n + k ? w->out.v[k] : 1;
        start = cl_reshape(b, start, &shape);
        int64_t d = w->dilation.v[k];
        Arg at = ADD(start, MUL(in_window, I(d)));
        if (w->padding.v[k] > 0)
            at = MAX(at, d == 1 ? I(0) : cl_remainder(b, at, I(d)));
        Arg part = step == 1 ? at : MUL(at, I(step));
        place = GIVEN(place) ? ADD(place, part) : part;
        step *= cl_size(b, x, first + k);
    }
    return place;
}

static Arg max_pool(Build *b, const Arg *args, uint32_t n, bool indices)
{
    Window w = {.n = n, .ceil = cl_truth(b, args[5])};
    Arg x = args[0];
    if (!window_of(b, x, &w, args[1], args[2], args[3], args[4]))
        return A_NONE;
    Arg all = windows(b, x, &w, lowest(cl_dtype(b, x)));
    Dims last = last_n(b, all, n);
    if (!indices)
        return cl_reduce(b, PRIM_amax, all, &last, false);
    uint32_t rank = cl_rank(b, x);
    Arg flat = cl_flatten(b, all, rank, rank + n - 1);
    if (b->failed)
        return A_NONE;
    Arg which = emit(b, argmax, flat, I(rank));
    Arg values = cl_reduce(b, PRIM_amax, all, &last, false);
    return TUPLE(values, window_places(b, x, &w, which));
}

DECOMPOSE(d_max_pool1d)
{
    return max_pool(b, args, 1, cl_truth(b, args[6]));
}

DECOMPOSE(d_max_pool2d)
{
    return max_pool(b, args, 2, cl_truth(b, args[6]));
}

DECOMPOSE(d_max_pool3d)
{
    return max_pool(b, args, 3, cl_truth(b, args[6]));
}

DECOMPOSE(d_max_pool1d_with_indices)
{
    return max_pool(b, args, 1, true);
}

DECOMPOSE(d_max_pool2d_with_indices)
{
    return max_pool(b, args, 2, true);
}

DECOMPOSE(d_max_pool3d_with_indices)
{
    return max_pool(b, args, 3, true);
}

/* ------------------------------------------------------------------------------- average pooling
 */

/* How many elements window o of dimension k counts, with or without padding. */
static int64_t counted(const Window *w, uint32_t k, int64_t o, int64_t size, bool with_padding)
{
    int64_t from = o * w->stride.v[k] - w->padding.v[k], to = from + w->kernel.v[k];
    to = to > size + w->padding.v[k] ? size + w->padding.v[k] : to;
    if (with_padding)
        return to - from;
    from = from < 0 ? 0 : from;
    return (to > size ? size : to) - from;
}

/* sums divided by the counts of dimension k: one number where all windows count alike. */
static Arg divide_counts(Build *b, Arg sums, const int64_t *counts, int64_t n, int64_t dim)
{
    uint32_t rank = cl_rank(b, sums);
    bool equal = true;
    for (int64_t i = 1; i < n; i++)
        equal = equal && counts[i] == counts[0];
    if (equal)
        return counts[0] == 1 ? sums : DIV(sums, F((double)counts[0]));
    Dims shape = {.n = rank};
    for (uint32_t i = 0; i < rank; i++)
        shape.v[i] = i == dim ? n : 1;
    Arg row = emit(b, tensor_from_sequence, arg_ints(b->t, counts, (uint32_t)n),
                   A_DEVICE(cl_device(b, sums)), A_DTYPE(cl_dtype(b, sums)));
    return DIV(sums, cl_reshape(b, row, &shape));
}

static Arg avg_pool(Build *b, const Arg *args, uint32_t n, Arg divisor)
{
    Window w = {.n = n, .ceil = cl_truth(b, args[4])};
    Arg x = args[0];
    bool with_padding = cl_truth(b, args[5]);
    if (!window_of(b, x, &w, args[1], args[2], args[3], I(1)))
        return A_NONE;
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    Arg all = windows(b, x, &w, I(0));
    Dims last = last_n(b, all, n);
    Arg r = cl_reduce(b, PRIM_sum, all, &last, false);
    if (GIVEN(divisor)) {
        if (cl_int(b, divisor, 6) == 0)
            build_error(b, 6, "divisor must be not zero");
        return dtype_is_exact(out) ? cl_trunc_divide(b, r, divisor) : TO(DIV(r, divisor), out);
    }
    uint32_t rank = cl_rank(b, x);
    for (uint32_t k = 0; k < n; k++) {
        int64_t *counts = new_array(&b->t->arena, int64_t, w.out.v[k]);
        for (int64_t o = 0; o < w.out.v[k]; o++)
            counts[o] = counted(&w, k, o, cl_size(b, x, rank - n + k), with_padding);
        r = divide_counts(b, r, counts, w.out.v[k], rank - n + k);
    }
    return TO(r, out);
}

DECOMPOSE(d_avg_pool1d)
{
    return avg_pool(b, args, 1, A_NONE);
}

DECOMPOSE(d_avg_pool2d)
{
    return avg_pool(b, args, 2, args[6]);
}

DECOMPOSE(d_avg_pool3d)
{
    return avg_pool(b, args, 3, args[6]);
}

/* The p-th root of the sum of the p-th powers in each window. */
static Arg lp_pool(Build *b, const Arg *args, uint32_t dims)
{
    double p = cl_float(b, args[1]), taps = 1;
    Dims kernel = cl_ints_n(b, args[2], dims, 1, 2);
    for (uint32_t i = 0; i < dims; i++)
        taps *= (double)kernel.v[i];
    const Arg call[] = {POW(args[0], args[1]), args[2], args[3], I(0), args[4], A_BOOL(true)};
    Arg mean = avg_pool(b, call, dims, A_NONE);
    Arg size = MUL(CALL("sign", mean), CALL("relu", ABS(mean)));
    return POW(MUL(size, F(taps)), F(1 / p));
}

DECOMPOSE(d_lp_pool1d)
{
    return lp_pool(b, args, 1);
}

DECOMPOSE(d_lp_pool2d)
{
    return lp_pool(b, args, 2);
}

/* ------------------------------------------------------------------------------ adaptive pooling
 */

/* Window o of dimension k is [start, start + count). */
typedef struct Adaptive {
    uint32_t n;
    int64_t *start[3], *count[3], longest[3];
    Dims out;
} Adaptive;

static bool adaptive_of(Build *b, Arg x, Adaptive *a, Arg output_size)
{
    uint32_t rank = cl_rank(b, x);
    if (rank != a->n + 1 && rank != a->n + 2) {
        build_error(b, 0, "Expected %uD or %uD input, but got %uD", a->n + 1, a->n + 2, rank);
        return false;
    }
    if (arg_is_seq(output_size) && output_size.n != a->n && output_size.n != 1)
        build_error(b, 1, "output_size must have %u elements", a->n);
    a->out.n = a->n;
    for (uint32_t k = 0; k < a->n && !b->failed; k++) {
        int64_t size = cl_size(b, x, rank - a->n + k);
        Arg want =
            arg_is_seq(output_size) ? output_size.items[output_size.n == 1 ? 0 : k] : output_size;
        int64_t out = a->out.v[k] = cl_int_or(b, want, size, 1);
        if (out > MANY || size > INT32_MAX)
            build_error(b, 1, "sizes are too large");
        if (out < 0 || size == 0 || b->failed) {
            build_error(b, out < 0 ? 1 : 0, "adaptive pooling: sizes must be positive");
            return false;
        }
        a->start[k] = new_array(&b->t->arena, int64_t, out + 1);
        a->count[k] = new_array(&b->t->arena, int64_t, out + 1);
        a->longest[k] = 1;
        for (int64_t o = 0; o < out; o++) {
            a->start[k][o] = o * size / out;
            a->count[k][o] = ((o + 1) * size + out - 1) / out - a->start[k][o];
            if (a->count[k][o] > a->longest[k])
                a->longest[k] = a->count[k][o];
        }
    }
    return !b->failed;
}

static bool divides(Build *b, Arg x, const Adaptive *a)
{
    uint32_t rank = cl_rank(b, x);
    for (uint32_t k = 0; k < a->n; k++)
        if (a->out.v[k] == 0 || cl_size(b, x, rank - a->n + k) % a->out.v[k])
            return false;
    return true;
}

/* Dimension dim of x replaced by its windows; their elements stand last, fill beyond their ends. */
static Arg gathered(Build *b, Arg x, const Adaptive *a, uint32_t k, int64_t dim, Arg fill)
{
    Device dev = cl_device(b, x);
    int64_t out = a->out.v[k], longest = a->longest[k], size = cl_size(b, x, dim);
    uint32_t rank = cl_rank(b, x);
    int64_t *at = new_array(&b->t->arena, int64_t, out * longest + 1);
    bool full = true;
    for (int64_t o = 0; o < out; o++)
        for (int64_t i = 0; i < longest; i++) {
            int64_t place = a->start[k][o] + i;
            at[o * longest + i] = place < size ? place : size - 1;
            full = full && i < a->count[k][o];
        }
    Arg index = emit(b, tensor_from_sequence, arg_ints(b->t, at, (uint32_t)(out * longest)),
                     A_DEVICE(dev), A_DTYPE(DT_i64));
    Dims shape = cl_shape(b, x), from = DIMS1(dim + 1), to = DIMS1(rank);
    memmove(shape.v + dim + 2, shape.v + dim + 1, (shape.n - (uint32_t)dim - 1) * sizeof *shape.v);
    shape.n++;
    shape.v[dim] = out;
    shape.v[dim + 1] = longest;
    x = cl_movedim(b, cl_reshape(b, cl_take(b, x, index, dim), &shape), &from, &to);
    if (full)
        return x;
    Arg counts = emit(b, tensor_from_sequence, arg_ints(b->t, a->count[k], (uint32_t)out),
                      A_DEVICE(dev), A_DTYPE(DT_i64));
    Arg inside = LT(cl_range(b, longest, dev), cl_unsqueeze(b, counts, 1));
    Dims place = {.n = rank + 1};
    for (uint32_t i = 0; i <= rank; i++)
        place.v[i] = i == dim ? out : i == rank ? longest : 1;
    return WHERE(cl_reshape(b, inside, &place), x, fill);
}

static Arg all_gathered(Build *b, Arg x, const Adaptive *a, Arg fill)
{
    uint32_t first = cl_rank(b, x) - a->n;
    for (uint32_t k = 0; k < a->n && !b->failed; k++)
        x = gathered(b, x, a, k, first + k, fill);
    return x;
}

/* In three dimensions PyTorch adds and divides in the dtype of the input, also in low precision:
 * the last dimensions of `all`, added one element after the other. */
static Arg added_in_order(Build *b, Arg all, uint32_t rank, const Adaptive *a)
{
    Arg flat = cl_flatten(b, all, rank, rank + a->n - 1), sum = A_NONE;
    for (int64_t i = 0; i < cl_size(b, flat, rank) && !b->failed; i++) {
        Arg part = cl_select(b, flat, rank, i);
        sum = GIVEN(sum) ? ADD(sum, part) : part;
    }
    return sum;
}

static bool rounds_each_step(const Build *b, Arg x, const Adaptive *a)
{
    enum { MAX_IN_ORDER = 64 };
    DType d = cl_dtype(b, x);
    return a->n == 3 && dtype_opmath(d) != d &&
           a->longest[0] * a->longest[1] * a->longest[2] <= MAX_IN_ORDER;
}

static Arg adaptive_avg(Build *b, const Arg *args, uint32_t n)
{
    Adaptive a = {.n = n};
    Arg x = args[0];
    uint32_t rank = cl_rank(b, x);
    if (!adaptive_of(b, x, &a, args[1]))
        return A_NONE;
    bool in_order = rounds_each_step(b, x, &a);
    DType out = in_order ? cl_dtype(b, x) : cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    if (!in_order && divides(b, x, &a)) { /* windows side by side: split each dimension in two */
        Dims split = cl_shape(b, x), inner = {.n = n};
        split.n = rank - n;
        for (uint32_t k = 0; k < n; k++) {
            split.v[split.n++] = a.out.v[k];
            inner.v[k] = split.n;
            split.v[split.n++] = a.longest[k];
        }
        return TO(cl_mean(b, cl_reshape(b, x, &split), &inner, false), out);
    }
    Arg all = all_gathered(b, x, &a, F(0));
    Dims last = last_n(b, all, n);
    Arg r = in_order ? added_in_order(b, all, rank, &a)
                     : cl_reduce(b, PRIM_sum, all, &last, false);
    for (uint32_t k = 0; k < n && !b->failed; k++)
        if (a.out.v[k])
            r = divide_counts(b, r, a.count[k], a.out.v[k], rank - n + k);
    return TO(r, out);
}

DECOMPOSE(d_adaptive_avg_pool1d)
{
    return adaptive_avg(b, args, 1);
}

DECOMPOSE(d_adaptive_avg_pool2d)
{
    return adaptive_avg(b, args, 2);
}

DECOMPOSE(d_adaptive_avg_pool3d)
{
    return adaptive_avg(b, args, 3);
}

/* Where in the flattened input the largest elements stand. */
static Arg adaptive_places(Build *b, Arg x, const Adaptive *a, Arg which)
{
    uint32_t rank = cl_rank(b, x), first = rank - a->n;
    Arg place = A_NONE, rest = which;
    int64_t step = 1;
    for (uint32_t k = a->n; k-- > 0;) {
        Arg in_window = cl_remainder(b, rest, I(a->longest[k]));
        rest = emit(b, div, rest, I(a->longest[k]));
        Arg start =
            emit(b, tensor_from_sequence, arg_ints(b->t, a->start[k], (uint32_t)a->out.v[k]),
                 A_DEVICE(cl_device(b, x)), A_DTYPE(DT_i64));
        Dims shape = {.n = rank};
        for (uint32_t i = 0; i < rank; i++)
            shape.v[i] = i == first + k ? a->out.v[k] : 1;
        Arg part = MUL(ADD(cl_reshape(b, start, &shape), in_window), I(step));
        place = GIVEN(place) ? ADD(place, part) : part;
        step *= cl_size(b, x, first + k);
    }
    return place;
}

static Arg adaptive_max(Build *b, const Arg *args, uint32_t n)
{
    Adaptive a = {.n = n};
    Arg x = args[0];
    uint32_t rank = cl_rank(b, x);
    if (!adaptive_of(b, x, &a, args[1]))
        return A_NONE;
    Arg all = all_gathered(b, x, &a, lowest(cl_dtype(b, x)));
    Dims last = last_n(b, all, n);
    Arg values = cl_reduce(b, PRIM_amax, all, &last, false);
    if (!cl_truth(b, args[2]))
        return values;
    Arg flat = cl_flatten(b, all, rank, rank + n - 1);
    if (b->failed)
        return A_NONE;
    return TUPLE(values, adaptive_places(b, x, &a, emit(b, argmax, flat, I(rank))));
}

DECOMPOSE(d_adaptive_max_pool1d)
{
    return adaptive_max(b, args, 1);
}

DECOMPOSE(d_adaptive_max_pool2d)
{
    return adaptive_max(b, args, 2);
}

DECOMPOSE(d_adaptive_max_pool3d)
{
    return adaptive_max(b, args, 3);
}
