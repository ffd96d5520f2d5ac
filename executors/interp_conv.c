/*
 * interp_conv.c - convolutions in one to three dimensions, and transposed ones.
 *
 * Input: [batch, channels, ...] and a weight. Output: each element a sum in double (integers wrap,
 * f32 is summed in f32 as PyTorch does), rounded once with the bias. One idea: for each batch
 * element and group it is a matrix product of the weight with a matrix that is computed while it is
 * packed: row (channel, kernel element), column output position. A transposed convolution differs
 * only in which input position that is.
 */
#include "interp.h"

#include "gemm.h"

#include <stdlib.h>
#include <string.h>

typedef struct Conv {
    Interp *x;
    uint32_t dims; /* always taken as 3: the missing ones have size 1 */
    int64_t in[3], kernel[3], out[3], stride[3], padding[3], dilation[3];
    int64_t groups, batch, in_channels, out_channels; /* channels of a group */
    bool transposed;
    const Tensor *a, *bias;
    Tensor *result;
    LoopType type;
    GemmSum sum;
    char *weight;         /* [groups, out_channels, in_channels, kernel], in the computation type */
    int64_t a_strides[3]; /* of the spatial dimensions */
} Conv;

static bool read_per_dim(Interp *x, int arg, uint32_t dims, int64_t fill, int64_t out[3])
{
    Sizes s;
    if (!in_sizes(x, arg, &s))
        return false;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t k = i + dims - 3; /* dimensions are the last ones of three */
        out[i] = i + dims < 3 ? fill : s.v[s.n == 1 ? 0 : k];
    }
    return true;
}

/* Input position along dimension d of output position o and kernel element k; -1 = none. */
static int64_t input_at(const Conv *c, int d, int64_t o, int64_t k)
{
    int64_t i;
    if (c->transposed) {
        int64_t at = o + c->padding[d] - k * c->dilation[d];
        if (at < 0 || at % c->stride[d] != 0)
            return -1;
        i = at / c->stride[d];
    } else {
        i = o * c->stride[d] - c->padding[d] + k * c->dilation[d];
    }
    return i >= 0 && i < c->in[d] ? i : -1;
}

/* The computed matrix of one batch element and group. */
typedef struct Columns {
    const Conv *c;
    const char *base; /* first channel of the group */
} Columns;

/* n output positions along the last dimension, from o on, at one kernel element. */
static void read_span(const Conv *c, const char *row, int64_t o, int64_t k, int64_t n, double *out)
{
    int64_t size = (int64_t)bytes_of(c->a), stride = c->a_strides[2];
    if (c->transposed) {
        for (int64_t j = 0; j < n; j++) {
            int64_t i = input_at(c, 2, o + j, k);
            out[j] = i < 0 ? 0 : elem_get_f64(row + i * stride * size, c->a->dtype);
        }
        return;
    }
    int64_t head = 0;
    while (head < n && input_at(c, 2, o + head, k) < 0)
        out[head++] = 0;
    int64_t end = n;
    while (end > head && input_at(c, 2, o + end - 1, k) < 0)
        out[--end] = 0;
    if (end > head)
        run_get_f64(row + input_at(c, 2, o + head, k) * stride * size, c->a->dtype,
                    stride * c->stride[2], end - head, out + head);
}

static void read_columns(const Matrix *m, int64_t row, int64_t col, int64_t n, double *out)
{
    const Columns *cols = m->user;
    const Conv *c = cols->c;
    int64_t k2 = row % c->kernel[2], k1 = row / c->kernel[2] % c->kernel[1];
    int64_t k0 = row / (c->kernel[2] * c->kernel[1]) % c->kernel[0];
    int64_t channel = row / (c->kernel[2] * c->kernel[1] * c->kernel[0]);
    int64_t size = (int64_t)bytes_of(c->a);
    const char *plane = cols->base + channel * c->a->strides[1] * size;
    while (n > 0) {
        int64_t o2 = col % c->out[2], o1 = col / c->out[2] % c->out[1];
        int64_t o0 = col / (c->out[2] * c->out[1]);
        int64_t span = c->out[2] - o2 < n ? c->out[2] - o2 : n;
        int64_t i0 = input_at(c, 0, o0, k0), i1 = input_at(c, 1, o1, k1);
        if (i0 < 0 || i1 < 0)
            memset(out, 0, (size_t)span * sizeof *out);
        else
            read_span(c, plane + (i0 * c->a_strides[0] + i1 * c->a_strides[1]) * size, o2, k2, span,
                      out);
        out += span;
        col += span;
        n -= span;
    }
}

static int64_t positions(const Conv *c)
{
    return c->out[0] * c->out[1] * c->out[2];
}

static int64_t taps(const Conv *c)
{
    return c->in_channels * c->kernel[0] * c->kernel[1] * c->kernel[2];
}

static double bias_of(const Conv *c, int64_t channel)
{
    if (!c->bias)
        return 0;
    return elem_get_f64((char *)tensor_data(c->bias) +
                            channel * c->bias->strides[0] * (int64_t)bytes_of(c->bias),
                        c->bias->dtype);
}

/* One tile: channels i0.. of group g, positions j0.. of batch element n. */
static void conv_tile(const Conv *c, int64_t n, int64_t g, int64_t i0, int64_t j0, double *scratch)
{
    int64_t size = (int64_t)bytes_of(c->a), k = taps(c), np = positions(c), stride;
    Columns cols = {c, (char *)tensor_data(c->a) +
                           (n * c->a->strides[0] + g * c->in_channels * c->a->strides[1]) * size};
    Matrix a = {.rows = c->out_channels,
                .cols = k,
                .dtype = DT_f64,
                .row_stride = k,
                .col_stride = 1,
                .base = c->weight + g * c->out_channels * k * 8};
    Matrix b = {.rows = k, .cols = np, .dtype = DT_f64, .row = read_columns, .user = &cols};
    int64_t ni = a.rows - i0 < GEMM_ROWS ? a.rows - i0 : GEMM_ROWS;
    int64_t nj = np - j0 < GEMM_COLS ? np - j0 : GEMM_COLS;
    const double *tile =
        gemm_tile(&a, &b, c->sum, i0, ni, j0, nj, scratch, &stride, c->x->call->interrupt);
    for (int64_t i = 0; i < ni; i++) {
        double row[GEMM_COLS];
        int64_t channel = g * c->out_channels + i0 + i;
        double bias = bias_of(c, channel);
        for (int64_t j = 0; j < nj; j++)
            row[j] = c->bias ? tile[i * stride + j] + bias : tile[i * stride + j];
        int64_t at = (n * c->groups * c->out_channels + channel) * np + j0;
        run_set_f64((char *)tensor_data(c->result) + at * (int64_t)bytes_of(c->result),
                    c->result->dtype, 1, nj, row);
    }
}

static bool float_conv(const Conv *c)
{
    int64_t down = (c->out_channels + GEMM_ROWS - 1) / GEMM_ROWS;
    int64_t right = (positions(c) + GEMM_COLS - 1) / GEMM_COLS;
    int64_t tiles = c->batch * c->groups * down * right;
    size_t bytes = gemm_scratch(c->out_channels, positions(c), taps(c)) * sizeof(double);
    bool no_memory = false;
    PARALLEL_FOR(tiles > 1)
    for (int64_t t = 0; t < tiles; t++) {
        double *scratch = aligned_alloc(64, (bytes + 63) / 64 * 64);
        if (!scratch)
            no_memory = true;
        else if (!stopped(c->x))
            conv_tile(c, t / (c->groups * down * right), t / (down * right) % c->groups,
                      t / right % down * GEMM_ROWS, t % right * GEMM_COLS, scratch);
        free(scratch);
    }
    return no_memory ? keep(c->x, NULL) != NULL : true;
}

/* Adds x y to the sum; integers wrap, complex numbers by parts. */
static void multiply_add(LoopType type, void *sum, const void *x, const void *y)
{
    if (type == LOOP_i64) {
        *(uint64_t *)sum += *(const uint64_t *)x * *(const uint64_t *)y;
        return;
    }
    const double *p = x, *q = y;
    ((double *)sum)[0] += p[0] * q[0] - p[1] * q[1];
    ((double *)sum)[1] += p[0] * q[1] + p[1] * q[0];
}

/* One output element of integers or complex numbers. */
static void other_element(const Conv *c, int64_t n, int64_t channel, int64_t position,
                          double sum[2])
{
    int64_t g = channel / c->out_channels,
            o[3] = {position / (c->out[2] * c->out[1]), position / c->out[2] % c->out[1],
                    position % c->out[2]};
    int64_t size = (int64_t)bytes_of(c->a), wsize = (int64_t)loop_size(c->type);
    for (int64_t row = 0; row < taps(c); row++) {
        int64_t k[3] = {row / (c->kernel[2] * c->kernel[1]) % c->kernel[0],
                        row / c->kernel[2] % c->kernel[1], row % c->kernel[2]};
        int64_t in_channel = row / (c->kernel[0] * c->kernel[1] * c->kernel[2]);
        int64_t at = n * c->a->strides[0] + (g * c->in_channels + in_channel) * c->a->strides[1];
        bool outside = false;
        for (int d = 0; d < 3; d++) {
            int64_t i = input_at(c, d, o[d], k[d]);
            outside |= i < 0;
            at += i * c->a_strides[d];
        }
        double v[2] = {0};
        if (outside)
            continue;
        if (c->type == LOOP_i64)
            run_get_i64((char *)tensor_data(c->a) + at * size, c->a->dtype, 1, 1, (int64_t *)v);
        else
            run_get_c128((char *)tensor_data(c->a) + at * size, c->a->dtype, 1, 1, v);
        multiply_add(c->type, sum, v, c->weight + (channel * taps(c) + row) * wsize);
    }
}

static bool other_conv(const Conv *c)
{
    int64_t np = positions(c), channels = c->groups * c->out_channels;
    Walk out, bias;
    walk_init(&out, c->result);
    if (c->bias)
        walk_init(&bias, c->bias);
    for (int64_t i = 0; i < out.numel && !stopped(c->x); i++) {
        double sum[2] = {0}, one[2] = {0, 0};
        uint64_t unit = 1, b[2] = {0};
        int64_t channel = i / np % channels;
        other_element(c, i / np / channels, channel, i % np, sum);
        if (c->bias) {
            load(&bias, c->type, channel, 1, b);
            one[0] = 1;
            multiply_add(c->type, sum, b, c->type == LOOP_i64 ? (void *)&unit : (void *)one);
        }
        store(&out, c->type, i, 1, sum);
    }
    return true;
}

/* The weight as [groups, out_channels, in_channels, kernel] in the computation type. */
static bool take_weight(Conv *c, const Tensor *w)
{
    static const DType of[] = {DT_f64, DT_i64, DT_c128};
    int64_t k = c->kernel[0] * c->kernel[1] * c->kernel[2];
    int64_t shape[4] = {c->groups, c->out_channels, c->in_channels, k};
    Tensor *dense = keep(c->x, tensor_cast(w, of[c->type]));
    if (!dense)
        return false;
    if (c->transposed) { /* from [groups, in_channels, out_channels, kernel] */
        int64_t strides[4] = {c->in_channels * c->out_channels * k, k, c->out_channels * k, 1};
        Tensor *v = keep(c->x, tensor_view(dense, 4, shape, strides, dense->offset));
        dense = v ? keep(c->x, tensor_clone(v)) : NULL;
    }
    c->weight = dense ? tensor_data(dense) : NULL;
    return dense != NULL;
}

bool k_convolution(Interp *x)
{
    int64_t transposed;
    const Tensor *a = in_tensor(x, 0), *w = a ? in_tensor(x, 1) : NULL;
    Conv c = {.x = x, .a = a};
    if (!w || (!in_is_none(x, 2) && !(c.bias = in_tensor(x, 2))))
        return false;
    c.dims = a->rank - 2;
    if (!read_per_dim(x, 3, c.dims, 1, c.stride) || !read_per_dim(x, 4, c.dims, 0, c.padding) ||
        !read_per_dim(x, 5, c.dims, 1, c.dilation) || !in_int(x, 6, &transposed) ||
        !in_int(x, 8, &c.groups) || !(c.result = out_new(x, 0)))
        return false;
    c.transposed = transposed != 0;
    c.batch = a->shape[0];
    c.in_channels = a->shape[1] / c.groups;
    c.out_channels = c.result->shape[1] / c.groups;
    for (uint32_t i = 0; i < 3; i++) {
        bool missing = i + c.dims < 3;
        uint32_t d = missing ? 0 : i + c.dims - 3 + 2;
        c.in[i] = missing ? 1 : a->shape[d];
        c.out[i] = missing ? 1 : c.result->shape[d];
        c.kernel[i] = missing ? 1 : w->shape[d];
        c.a_strides[i] = missing ? 0 : a->strides[d];
    }
    c.type = loop_type(a->dtype);
    c.sum = a->dtype == DT_f32 && w->dtype == DT_f32 && !x->f64 ? GEMM_f32 : GEMM_f64;
    if (tensor_numel(c.result) == 0)
        return true;
    return take_weight(&c, w) && (c.type == LOOP_f64 ? float_conv(&c) : other_conv(&c));
}
