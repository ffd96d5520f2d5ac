/*
 * torch_interp.c - decompositions of resampling: interpolate, upsample_*, grid_sampler_2d.
 *
 * Places and weights along each dimension depend on sizes only; they are computed here, in the
 * precision PyTorch uses, and become small constant tensors. One dimension is resampled at a time.
 */
#include "notation.h"

#include <math.h>

enum { MAX_TAPS = 4 };

typedef enum Kind { NEAREST, NEAREST_EXACT, LINEAR, CUBIC } Kind;

/* Output element o of one dimension is the sum over taps of weight[k][o] in[place[k][o]]. */
typedef struct Taps {
    int64_t in, out;
    uint32_t n;
    int64_t *place[MAX_TAPS];
    double *weight[MAX_TAPS]; /* NULL: 1 */
} Taps;

/* Step in the input for a step of one in the output; scale 0 = not given. */
static double step_of(int64_t in, int64_t out, double scale, bool align)
{
    if (align)
        return out > 1 ? (double)(in - 1) / (double)(out - 1) : 0;
    return scale > 0 ? 1 / scale : (double)in / (double)out;
}

static int64_t clip(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* Weights of four neighbours at a distance t past the second of them. */
static void cubic_weights(double t, double w[4])
{
    const double a = -0.75;
    double d = t + 1;
    w[0] = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
    w[1] = ((a + 2) * t - (a + 3)) * t * t + 1;
    d = 1 - t;
    w[2] = ((a + 2) * d - (a + 3)) * d * d + 1;
    d = 2 - t;
    w[3] = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
}

static void set_tap(Taps *t, int64_t o, Kind kind, double at, bool single)
{
    double w[MAX_TAPS] = {1, 0, 0, 0};
    int64_t first = (int64_t)floor(at);
    if (kind == LINEAR) {
        w[1] = single ? (float)at - (float)first : at - (double)first;
        w[0] = 1 - w[1];
    } else if (kind == CUBIC) {
        cubic_weights(at - (double)first, w);
        first--;
    }
    for (uint32_t k = 0; k < t->n; k++) {
        t->place[k][o] = clip(first + k, t->in);
        if (t->weight[k])
            t->weight[k][o] = w[k];
    }
}

static Taps taps_of(Build *b, Kind kind, int64_t in, int64_t out, double scale, bool align, DType d)
{
    Taps t = {.in = in, .out = out, .n = kind == CUBIC ? 4 : kind == LINEAR ? 2 : 1};
    bool single = d != DT_f64;
    bool same = kind == LINEAR && in == out; /* copied, whatever the scale */
    double step = step_of(in, out, same ? 0 : scale, align);
    step = single ? (float)step : step;
    for (uint32_t k = 0; k < t.n; k++) {
        t.place[k] = new_array(&b->t->arena, int64_t, out + 1);
        t.weight[k] = t.n > 1 ? new_array(&b->t->arena, double, out + 1) : NULL;
    }
    for (int64_t o = 0; o < out; o++) {
        double dst = (double)o, at = step * dst;
        if (kind == NEAREST || kind == NEAREST_EXACT)
            at = (float)step * (float)(kind == NEAREST ? dst : dst + 0.5);
        else if (!align)
            at = step * (dst + 0.5) - 0.5;
        if (kind == LINEAR && at < 0)
            at = 0;
        set_tap(&t, o, kind, single ? (double)(float)at : at, single);
    }
    return t;
}

/* In low precision the second weight is rounded first, and the first is what remains to 1. */
static void round_pair(const Taps *t, DType d)
{
    for (int64_t o = 0; o < t->out; o++) {
        t->weight[1][o] = dtype_round(t->weight[1][o], d);
        t->weight[0][o] = 1 - t->weight[1][o];
    }
}

static Arg places_tensor(Build *b, const int64_t *v, int64_t n, Device dev)
{
    return emit(b, tensor_from_sequence, arg_ints(b->t, v, (uint32_t)n), A_DEVICE(dev),
                A_DTYPE(DT_i64));
}

/* A row of weights in the place of dim, rounded to d. */
static Arg weights_tensor(Build *b, const double *w, int64_t n, Arg like, int64_t dim, DType d)
{
    Arg *items = new_array(&b->t->arena, Arg, n + 1);
    Dims shape = {.n = cl_rank(b, like)};
    for (int64_t i = 0; i < n; i++)
        items[i] = F(w[i]);
    for (uint32_t i = 0; i < shape.n; i++)
        shape.v[i] = i == dim ? n : 1;
    Arg row =
        emit(b, tensor_from_sequence, ((Arg){.kind = ARG_list, .n = (uint32_t)n, .items = items}),
             A_DEVICE(cl_device(b, like)), A_DTYPE(d));
    return cl_reshape(b, TO(row, cl_dtype(b, like)), &shape);
}

/* The whole factor by which each element is repeated in order; 0 when it is not that simple. */
static int64_t repeats(const Taps *t)
{
    if (t->n != 1 || t->in == 0 || t->out % t->in)
        return 0;
    int64_t k = t->out / t->in;
    for (int64_t o = 0; o < t->out; o++)
        if (t->place[0][o] != o / k)
            return 0;
    return k;
}

static Arg resample(Build *b, Arg x, int64_t dim, const Taps *t, DType d)
{
    int64_t k = repeats(t);
    if (t->n == 2)
        round_pair(t, d);
    if (k == 1)
        return x;
    if (k > 1)
        return CALL("repeat_interleave", x, I(k), I(dim));
    Arg sum = A_NONE;
    for (uint32_t i = 0; i < t->n && !b->failed; i++) {
        Arg part = cl_take(b, x, places_tensor(b, t->place[i], t->out, cl_device(b, x)), dim);
        if (t->weight[i])
            part = MUL(part, weights_tensor(b, t->weight[i], t->out, part, dim, d));
        sum = GIVEN(sum) ? ADD(sum, part) : part;
    }
    return sum;
}

/* What resample adds up, added back to where it came from. */
static Arg resample_backward(Build *b, Arg grad, int64_t dim, const Taps *t)
{
    Dims shape = cl_shape(b, grad);
    shape.v[dim] = t->in;
    Arg sum = cl_full(b, &shape, F(0), cl_device(b, grad), cl_dtype(b, grad));
    for (uint32_t i = 0; i < t->n && !b->failed; i++) {
        Arg part = grad;
        if (t->weight[i])
            part = MUL(grad, weights_tensor(b, t->weight[i], t->out, grad, dim, cl_dtype(b, grad)));
        Arg places = places_tensor(b, t->place[i], t->out, cl_device(b, grad));
        sum = b->failed ? A_NONE : emit(b, index_add, sum, places, part, I(dim));
    }
    return sum;
}

/* ---------------------------------------------------------------------------------- interpolate */

typedef struct Resize {
    uint32_t n; /* spatial dimensions, the last ones */
    int64_t out[3];
    double scale[3]; /* 0 = follows from the sizes */
} Resize;

static Arg resized(Build *b, Arg x, const Resize *r, Kind kind, bool align)
{
    uint32_t first = cl_rank(b, x) - r->n;
    DType out = cl_dtype(b, x);
    if (kind == LINEAR || kind == CUBIC)
        x = cl_opmath_of(b, x);
    for (uint32_t k = r->n; k-- > 0 && !b->failed;) {
        int64_t in = cl_size(b, x, first + k);
        if (in <= 0 || r->out[k] <= 0) {
            build_error(b, 0,
                        "Input and output sizes should be greater than 0, but got input %lld "
                        "and output %lld",
                        (long long)in, (long long)r->out[k]);
            return A_NONE;
        }
        Taps t = taps_of(b, kind, in, r->out[k], r->scale[k], align, cl_dtype(b, x));
        x = resample(b, x, first + k, &t, kind == LINEAR && r->n == 2 ? cl_dtype(b, x) : out);
    }
    return TO(x, out);
}

static double scale_at(const Build *b, Arg scale, uint32_t k)
{
    return arg_is_seq(scale) ? cl_float(b, cl_item(scale, scale.n == 1 ? 0 : k))
                             : cl_float(b, scale);
}

static bool resize_of(Build *b, Arg x, Arg size, Arg scale, bool keep_scale, Resize *r)
{
    uint32_t rank = cl_rank(b, x);
    *r = (Resize){.n = rank - 2};
    if (rank < 3 || rank > 5 || GIVEN(size) == GIVEN(scale)) {
        build_error(b, rank < 3 || rank > 5 ? 0 : 1,
                    "interpolate takes 3-D to 5-D input, and either "
                    "size or scale_factor");
        return false;
    }
    Dims sizes = GIVEN(size) ? cl_ints_n(b, size, r->n, 1, 1) : (Dims){0};
    if (arg_is_seq(scale) && scale.n != 1 && scale.n != r->n)
        build_error(b, 2, "expected %u scale factors, not %u", r->n, scale.n);
    for (uint32_t k = 0; k < r->n; k++) {
        double s = scale_at(b, scale, k);
        if (GIVEN(scale) && !(s > 0 && s * (double)cl_size(b, x, k + 2) <= MANY)) {
            build_error(b, 2, "scale factor %g is not positive, or too large", s);
            return false;
        }
        r->out[k] = GIVEN(size) ? sizes.v[k] : (int64_t)floor((double)cl_size(b, x, k + 2) * s);
        r->scale[k] = GIVEN(size) || !keep_scale ? 0 : s;
    }
    return !b->failed;
}

static bool kind_of(Str mode, uint32_t n, Kind *kind)
{
    static const struct {
        const char *mode;
        Kind kind;
        uint32_t n; /* 0 = any */
    } modes[] = {{"nearest", NEAREST, 0},  {"nearest-exact", NEAREST_EXACT, 0},
                 {"linear", LINEAR, 1},    {"bilinear", LINEAR, 2},
                 {"trilinear", LINEAR, 3}, {"bicubic", CUBIC, 2}};
    for (size_t i = 0; i < ARRAY_LEN(modes); i++)
        if (str_is(mode, modes[i].mode) && (modes[i].n == 0 || modes[i].n == n)) {
            *kind = modes[i].kind;
            return true;
        }
    return false;
}

DECOMPOSE(d_interpolate)
{
    static const char *const pools[] = {"ltorch.adaptive_avg_pool1d", "ltorch.adaptive_avg_pool2d",
                                        "ltorch.adaptive_avg_pool3d"};
    Resize r;
    Kind kind;
    Str mode = arg_str(args[3]);
    bool align = cl_truth(b, args[4]);
    if (!resize_of(b, args[0], args[1], args[2], !cl_truth(b, args[5]), &r))
        return A_NONE;
    if (cl_truth(b, args[6]))
        build_error(b, 6, "antialias is not supported");
    if (str_is(mode, "area")) {
        const Arg call[2] = {args[0], arg_ints(b->t, r.out, r.n)};
        return cl_call(b, pools[r.n - 1], call, 2);
    }
    if (!kind_of(mode, r.n, &kind)) {
        build_error(b, 3, "mode '%.*s' does not fit input of %u dimensions", STR(mode), r.n + 2);
        return A_NONE;
    }
    if ((kind == NEAREST || kind == NEAREST_EXACT) && GIVEN(args[4]))
        build_error(b, 4,
                    "align_corners option can only be set with the interpolating modes: linear "
                    "| bilinear | bicubic | trilinear");
    return resized(b, args[0], &r, kind, align);
}

/* ------------------------------------------------------------------------------- ATen's upsample
 */

/* a, output_size, then the scales: one each, or one list of them (the "vec" overload). */
static Arg upsample(Build *b, const Arg *args, uint32_t n, Kind kind, bool align, const Arg *scales)
{
    Resize r;
    Arg list = scales[0];
    bool vec = arg_is_seq(list);
    if (cl_rank(b, args[0]) != n + 2) {
        build_error(b, 0, "It is expected input_size equals to %u, but got size %u", n + 2,
                    cl_rank(b, args[0]));
        return A_NONE;
    }
    if (!resize_of(b, args[0], args[1], GIVEN(args[1]) ? A_NONE : list, true, &r))
        return A_NONE;
    for (uint32_t k = 0; k < n && !vec; k++)
        r.scale[k] = GIVEN(scales[k]) ? cl_float(b, scales[k]) : 0;
    return resized(b, args[0], &r, kind, align);
}

DECOMPOSE(d_upsample_nearest1d)
{
    return upsample(b, args, 1, NEAREST, false, args + 2);
}

DECOMPOSE(d_upsample_nearest2d)
{
    return upsample(b, args, 2, NEAREST, false, args + 2);
}

DECOMPOSE(d_upsample_nearest3d)
{
    return upsample(b, args, 3, NEAREST, false, args + 2);
}

DECOMPOSE(d_upsample_nearest_exact1d)
{
    return upsample(b, args, 1, NEAREST_EXACT, false, args + 2);
}

DECOMPOSE(d_upsample_nearest_exact2d)
{
    return upsample(b, args, 2, NEAREST_EXACT, false, args + 2);
}

DECOMPOSE(d_upsample_nearest_exact3d)
{
    return upsample(b, args, 3, NEAREST_EXACT, false, args + 2);
}

DECOMPOSE(d_upsample_linear1d)
{
    return upsample(b, args, 1, LINEAR, cl_truth(b, args[2]), args + 3);
}

DECOMPOSE(d_upsample_bilinear2d)
{
    return upsample(b, args, 2, LINEAR, cl_truth(b, args[2]), args + 3);
}

DECOMPOSE(d_upsample_trilinear3d)
{
    return upsample(b, args, 3, LINEAR, cl_truth(b, args[2]), args + 3);
}

DECOMPOSE(d_upsample_bicubic2d)
{
    return upsample(b, args, 2, CUBIC, cl_truth(b, args[2]), args + 3);
}

static Arg upsample2d_backward(Build *b, const Arg *args, Kind kind, bool align, const Arg *scales)
{
    Dims in = cl_ints(b, args[2], 2);
    DType d = cl_dtype(b, args[0]);
    Arg g = cl_opmath_of(b, args[0]);
    if (cl_rank(b, g) != 4 || in.n != 4) {
        build_error(b, 0, "expected a 4-D gradient and input size");
        return A_NONE;
    }
    for (uint32_t k = 0; k < 2 && !b->failed; k++) {
        double scale = GIVEN(scales[k]) ? cl_float(b, scales[k]) : 0;
        Taps t = taps_of(b, kind, in.v[k + 2], cl_size(b, g, k + 2), scale, align, cl_dtype(b, g));
        g = resample_backward(b, g, k + 2, &t);
    }
    return TO(g, d);
}

DECOMPOSE(d_upsample_nearest2d_backward)
{
    return upsample2d_backward(b, args, NEAREST, false, args + 3);
}

DECOMPOSE(d_upsample_bilinear2d_backward)
{
    return upsample2d_backward(b, args, LINEAR, cl_truth(b, args[3]), args + 4);
}

/* ---------------------------------------------------------------------------------- grid sampling
 */

typedef struct Sampler {
    Arg flat; /* [N, C, H W] */
    int64_t n, c, h, w, points;
    int64_t padding; /* 0 zeros, 1 border, 2 reflection */
    bool align;
} Sampler;

/* x reflected between low / 2 and high / 2. */
static Arg reflected(Build *b, Arg x, int64_t low, int64_t high)
{
    double min = (double)low / 2, span = (double)(high - low) / 2;
    if (low == high)
        return MUL(x, F(0));
    Arg off = ABS(SUB(x, F(min))), extra = cl_fmod(b, off, F(span));
    Arg flips = cl_floor(b, DIV(off, F(span)));
    Arg even = EQ(cl_fmod(b, flips, F(2)), F(0));
    return WHERE(even, ADD(extra, F(min)), SUB(F(span + min), extra));
}

/* A coordinate brought into the image, by the padding mode. */
static Arg inside(Build *b, const Sampler *s, Arg x, int64_t size)
{
    if (s->padding == 2)
        x = s->align ? reflected(b, x, 0, 2 * (size - 1)) : reflected(b, x, -1, 2 * size - 1);
    return s->padding ? cl_clamp(b, x, F(0), F((double)(size - 1))) : x;
}

/* From [-1, 1] to element numbers. */
static Arg unnormalised(Build *b, const Sampler *s, Arg x, int64_t size)
{
    double n = (double)size;
    if (s->align)
        return MUL(DIV(ADD(x, F(1)), F(2)), F(n - 1));
    return DIV(SUB(MUL(ADD(x, F(1)), F(n)), F(1)), F(2));
}

/* Elements at whole coordinates (x, y), of shape [N, points]; 0 outside. Gives [N, C, points]. */
static Arg pixels(Build *b, const Sampler *s, Arg x, Arg y)
{
    Arg fits = AND(AND(GE(x, F(0)), LE(x, F((double)(s->w - 1)))),
                   AND(GE(y, F(0)), LE(y, F((double)(s->h - 1)))));
    Arg column = TO(cl_clamp(b, x, F(0), F((double)(s->w - 1))), DT_i64);
    Arg row = TO(cl_clamp(b, y, F(0), F((double)(s->h - 1))), DT_i64);
    Arg at = cl_unsqueeze(b, ADD(MUL(row, I(s->w)), column), 1);
    Dims shape = {.n = 3, .v = {s->n, s->c, s->points}};
    Arg values = cl_gather(b, s->flat, cl_expand(b, at, &shape), 2);
    return WHERE(cl_unsqueeze(b, fits, 1), values, F(0));
}

static Arg sample_linear(Build *b, const Sampler *s, Arg x, Arg y)
{
    Arg x0 = cl_floor(b, x), y0 = cl_floor(b, y), sum = A_NONE;
    for (int i = 0; i < 4; i++) {
        Arg cx = i & 1 ? ADD(x0, F(1)) : x0, cy = i & 2 ? ADD(y0, F(1)) : y0;
        Arg wx = i & 1 ? SUB(x, x0) : SUB(ADD(x0, F(1)), x);
        Arg wy = i & 2 ? SUB(y, y0) : SUB(ADD(y0, F(1)), y);
        Arg part = MUL(pixels(b, s, cx, cy), cl_unsqueeze(b, MUL(wx, wy), 1));
        sum = GIVEN(sum) ? ADD(sum, part) : part;
    }
    return sum;
}

/* The four cubic weights of a distance t, as tensors. */
static void cubic_tensors(Build *b, Arg t, Arg w[4])
{
    const double a = -0.75;
    for (int i = 0; i < 4; i++) {
        Arg d = i == 0 ? ADD(t, F(1)) : i == 1 ? t : i == 2 ? SUB(F(1), t) : SUB(F(2), t);
        if (i == 1 || i == 2)
            w[i] = ADD(MUL(MUL(SUB(MUL(F(a + 2), d), F(a + 3)), d), d), F(1));
        else
            w[i] = SUB(MUL(ADD(MUL(SUB(MUL(F(a), d), F(5 * a)), d), F(8 * a)), d), F(4 * a));
    }
}

static Arg sample_cubic(Build *b, const Sampler *s, Arg x, Arg y)
{
    Arg x0 = cl_floor(b, x), y0 = cl_floor(b, y), wx[4], wy[4], sum = A_NONE;
    cubic_tensors(b, SUB(x, x0), wx);
    cubic_tensors(b, SUB(y, y0), wy);
    for (int j = 0; j < 4; j++) {
        Arg line = A_NONE, cy = inside(b, s, ADD(y0, F(j - 1)), s->h);
        for (int i = 0; i < 4; i++) {
            Arg cx = inside(b, s, ADD(x0, F(i - 1)), s->w);
            Arg part = MUL(pixels(b, s, cx, cy), cl_unsqueeze(b, wx[i], 1));
            line = GIVEN(line) ? ADD(line, part) : part;
        }
        Arg part = MUL(line, cl_unsqueeze(b, wy[j], 1));
        sum = GIVEN(sum) ? ADD(sum, part) : part;
    }
    return sum;
}

/* Low precision is rounded at every step, as PyTorch's kernel does. */
static Arg grid_sampled(Build *b, Arg x, Arg grid, int64_t mode, int64_t padding, bool align)
{
    Dims sx = cl_shape(b, x), sg = cl_shape(b, grid);
    if (sx.n != 4 || sg.n != 4 || sg.v[3] != 2 || sx.v[0] != sg.v[0]) {
        build_error(b, sx.n == 4 ? 1 : 0,
                    "grid_sampler(): expected 4-D input and a 4-D grid of pairs "
                    "with the same batch size");
        return A_NONE;
    }
    if (mode < 0 || mode > 2 || padding < 0 || padding > 2 || sx.v[2] <= 0 || sx.v[3] <= 0) {
        build_error(b, 2, "grid_sampler(): unknown mode, or an empty image");
        return A_NONE;
    }
    DType out = cl_dtype(b, x);
    Sampler s = {.n = sx.v[0],
                 .c = sx.v[1],
                 .h = sx.v[2],
                 .w = sx.v[3],
                 .points = sg.v[1] * sg.v[2],
                 .padding = padding,
                 .align = align};
    Dims image = {.n = 3, .v = {s.n, s.c, s.h * s.w}}, points = {.n = 2, .v = {s.n, s.points}};
    Dims result = {.n = 4, .v = {s.n, s.c, sg.v[1], sg.v[2]}};
    s.flat = cl_reshape(b, x, &image);
    Arg px = cl_reshape(b, cl_select(b, grid, 3, 0), &points);
    Arg py = cl_reshape(b, cl_select(b, grid, 3, 1), &points);
    px = unnormalised(b, &s, px, s.w);
    py = unnormalised(b, &s, py, s.h);
    Arg r;
    if (mode == 2)
        r = sample_cubic(b, &s, px, py);
    else {
        px = inside(b, &s, px, s.w);
        py = inside(b, &s, py, s.h);
        r = mode == 1 ? pixels(b, &s, cl_round(b, px), cl_round(b, py))
                      : sample_linear(b, &s, px, py);
    }
    return TO(cl_reshape(b, r, &result), out);
}

DECOMPOSE(d_grid_sampler_2d)
{
    return grid_sampled(b, args[0], args[1], cl_int(b, args[2], 2), cl_int(b, args[3], 3),
                        cl_truth(b, args[4]));
}

static int64_t word_number(Build *b, Arg word, const char *const words[3], int arg)
{
    for (int i = 0; i < 3; i++)
        if (str_is(arg_str(word), words[i]))
            return i;
    build_error(b, arg, "expected '%s', '%s' or '%s'", words[0], words[1], words[2]);
    return 0;
}

DECOMPOSE(d_grid_sample)
{
    static const char *const modes[3] = {"bilinear", "nearest", "bicubic"};
    static const char *const paddings[3] = {"zeros", "border", "reflection"};
    int64_t mode = word_number(b, args[2], modes, 2),
            padding = word_number(b, args[3], paddings, 3);
    return grid_sampled(b, args[0], args[1], mode, padding, cl_truth(b, args[4]));
}

/* --------------------------------------------------------------------------- grids of positions */

/* -1 to 1 in n steps: between the middles of the first and last element, or, without aligned
 * corners, between the outer edges. */
static Arg positions_of(Build *b, int64_t n, bool corners, Arg like)
{
    double first = n == 1 ? 0 : corners ? -1 : -1 + 1.0 / (double)n;
    double step = n == 1 ? 0 : corners ? 2.0 / (double)(n - 1) : 2.0 / (double)n;
    DType d = cl_dtype(b, like);
    return cl_iota(b, n, F(first), F(step), cl_device(b, like), d);
}

/* The places that grid_sample reads for an affine map, theta: [batch, k, k + 1]. */
DECOMPOSE(d_affine_grid)
{
    Dims size = cl_ints(b, args[1], 1);
    Arg theta = args[0], columns[4];
    uint32_t k = size.n - 2;
    if (size.n < 4 || size.n > 5) {
        build_error(b, 1, "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine "
                          "transforms, respectively. Got size of %u dimensions", size.n);
        return A_NONE;
    }
    if (cl_rank(b, theta) != 3 || cl_size(b, theta, 1) != k || cl_size(b, theta, 2) != k + 1)
        build_error(b, 0, "Expected a batch of %s affine matrices of shape Nx%ux%u",
                    k == 2 ? "2D" : "3D", k, k + 1);
    Dims spatial = {.n = k + 1}, flat = {.n = 2, .v = {-1, (int64_t)k + 1}}, out = {.n = k + 2};
    for (uint32_t i = 0; i < k; i++)
        spatial.v[i] = out.v[i + 1] = size.v[i + 2];
    spatial.v[k] = 1;
    out.v[0] = size.v[0];
    out.v[k + 1] = k;
    for (uint32_t i = 0; i <= k && !b->failed; i++) { /* x is the last dimension */
        Dims along = {.n = k + 1};
        for (uint32_t j = 0; j <= k; j++)
            along.v[j] = i < k && j == k - 1 - i ? spatial.v[j] : 1;
        Arg line = i < k ? positions_of(b, spatial.v[k - 1 - i], cl_truth(b, args[2]), theta)
                         : cl_full_like(b, positions_of(b, 1, true, theta), F(1));
        columns[i] = cl_broadcast_to(b, cl_reshape(b, line, &along), &spatial);
    }
    if (b->failed)
        return A_NONE;
    Arg places = cl_reshape(b, cl_cat(b, columns, k + 1, k), &flat);
    return cl_reshape(b, cl_matmul(b, places, cl_swap(b, theta, -2, -1)), &out);
}
