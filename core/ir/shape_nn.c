/*
 * shape_nn.c - shape rules of matrix products, convolutions and embeddings.
 *
 * Input: operands of one dtype and device. Output: the product's type. Batch dimensions are equal,
 * not broadcast; every option of a convolution is written out.
 */
#include "shape.h"
#include "shape_util.h"

#include <string.h>

/* A second operand of the same dtype and device as the first. */
static bool want_partner(Infer *inf, int arg, const Type *first, Type *out)
{
    return want_tensor(inf, arg, out) && want_same_dtype(inf, arg, out, first) &&
           want_same_device(inf, arg, out, first);
}

static bool refuse_product(Infer *inf, const char *why, const Type *a, const Type *b)
{
    return infer_error(inf, 1, "shapes %.*s and %.*s cannot be multiplied: %s",
                       STR(describe_shape(inf, a->rank, a->shape)),
                       STR(describe_shape(inf, b->rank, b->shape)), why);
}

bool sh_matmul(Infer *inf)
{
    Type a, b;
    int64_t shape[MAX_RANK];
    uint32_t n = 0;
    if (!want_tensor(inf, 0, &a) || !want_partner(inf, 1, &a, &b))
        return false;
    if (a.rank == 0 || b.rank == 0)
        return refuse_product(inf, "both need at least one dimension", &a, &b);
    if (a.shape[a.rank - 1] != b.shape[b.rank == 1 ? 0 : b.rank - 2])
        return refuse_product(inf, "the inner sizes differ", &a, &b);
    if (a.rank > 1 && b.rank > 1 && a.rank != b.rank)
        return refuse_product(inf, "the ranks differ", &a, &b);
    const Type *batch = a.rank >= b.rank ? &a : &b;
    for (uint32_t i = 0; i + 2 < batch->rank; i++) {
        if (a.rank > 1 && b.rank > 1 && a.shape[i] != b.shape[i])
            return refuse_product(inf, "the batch sizes differ", &a, &b);
        shape[n++] = batch->shape[i];
    }
    if (a.rank > 1)
        shape[n++] = a.shape[a.rank - 2];
    if (b.rank > 1)
        shape[n++] = b.shape[b.rank - 1];
    return give_tensor(inf, (DType)a.dtype, a.device, n, shape);
}

/* An optional bias of length n. */
static bool want_bias(Infer *inf, int arg, const Type *a, int64_t n)
{
    Type bias;
    if (arg_is_none(inf->args[arg]))
        return true;
    if (!want_partner(inf, arg, a, &bias))
        return false;
    if (bias.rank == 1 && bias.shape[0] == n)
        return true;
    return infer_error(inf, arg, "argument '%s' must have shape [%lld], not %.*s",
                       param_name(inf, arg), (long long)n,
                       STR(describe_shape(inf, bias.rank, bias.shape)));
}

bool sh_linear(Infer *inf)
{
    Type a, w;
    int64_t shape[MAX_RANK];
    if (!want_tensor(inf, 0, &a) || !want_partner(inf, 1, &a, &w))
        return false;
    if (a.rank == 0 || w.rank != 2)
        return refuse_product(inf, "linear needs an input of rank 1 or more and a weight of rank 2",
                              &a, &w);
    if (a.shape[a.rank - 1] != w.shape[1])
        return refuse_product(inf, "the last sizes differ", &a, &w);
    if (!want_bias(inf, 2, &a, w.shape[0]))
        return false;
    memcpy(shape, a.shape, a.rank * sizeof *shape);
    shape[a.rank - 1] = w.shape[0];
    return give_tensor(inf, (DType)a.dtype, a.device, a.rank, shape);
}

/* -------------------------------------------------------------------------------- convolution */

typedef struct Conv {
    Type a, w;
    uint32_t dims; /* spatial */
    Ints stride, padding, dilation, output_padding;
    bool transposed;
    int64_t groups;
} Conv;

/* An option with one entry for each spatial dimension (or one for all), each at least `least`. */
static bool want_per_dim(Infer *inf, int arg, uint32_t dims, int64_t least, Ints *out)
{
    if (!want_ints(inf, arg, out))
        return false;
    if (out->n == 1)
        for (; out->n < dims; out->n++)
            out->v[out->n] = out->v[0];
    if (out->n != dims)
        return infer_error(inf, arg, "argument '%s' must have %u entries, not %u",
                           param_name(inf, arg), dims, out->n);
    for (uint32_t i = 0; i < dims; i++)
        if (out->v[i] < least || out->v[i] > INT32_MAX)
            return infer_error(inf, arg, "argument '%s' must hold sizes from %lld on, not %lld",
                               param_name(inf, arg), (long long)least, (long long)out->v[i]);
    return true;
}

static bool want_conv(Infer *inf, Conv *c)
{
    if (!want_tensor(inf, 0, &c->a) || !want_partner(inf, 1, &c->a, &c->w))
        return false;
    if (c->a.rank < 3 || c->a.rank > 5)
        return infer_error(inf, 0,
                           "argument 'a' must have a batch, channels and 1 to 3 more "
                           "dimensions, not shape %.*s",
                           STR(describe_shape(inf, c->a.rank, c->a.shape)));
    if (c->w.rank != c->a.rank)
        return infer_error(inf, 1, "argument 'weight' has rank %u, 'a' has %u", c->w.rank,
                           c->a.rank);
    c->dims = c->a.rank - 2;
    return want_per_dim(inf, 3, c->dims, 1, &c->stride) &&
           want_per_dim(inf, 4, c->dims, 0, &c->padding) &&
           want_per_dim(inf, 5, c->dims, 1, &c->dilation) && want_bool(inf, 6, &c->transposed) &&
           want_per_dim(inf, 7, c->dims, 0, &c->output_padding) &&
           want_int_at_least(inf, 8, 1, &c->groups);
}

static bool check_channels(Infer *inf, const Conv *c)
{
    int64_t have = c->a.shape[1], in = c->transposed ? c->w.shape[0] : c->w.shape[1] * c->groups;
    if (have != in)
        return infer_error(inf, 1,
                           "the weight %.*s with %lld groups takes %lld channels, 'a' has "
                           "%lld",
                           STR(describe_shape(inf, c->w.rank, c->w.shape)), (long long)c->groups,
                           (long long)in, (long long)have);
    if (c->w.shape[0] % c->groups != 0)
        return infer_error(inf, 8,
                           "argument 'groups' (%lld) does not divide the weight's first "
                           "size %lld",
                           (long long)c->groups, (long long)c->w.shape[0]);
    return true;
}

bool sh_convolution(Infer *inf)
{
    Conv c;
    int64_t shape[5];
    if (!want_conv(inf, &c) || !check_channels(inf, &c))
        return false;
    shape[0] = c.a.shape[0];
    shape[1] = c.transposed ? c.w.shape[1] * c.groups : c.w.shape[0];
    if (!want_bias(inf, 2, &c.a, shape[1]))
        return false;
    for (uint32_t i = 0; i < c.dims; i++) {
        int64_t n = c.a.shape[2 + i], kernel = c.w.shape[2 + i];
        if (kernel < 1 || kernel > INT32_MAX || n > INT32_MAX)
            return infer_error(inf, 1,
                               "dimension %u: sizes %lld and %lld are not those of a "
                               "convolution",
                               i, (long long)n, (long long)kernel);
        int64_t reach = c.dilation.v[i] * (kernel - 1) + 1;
        int64_t out = c.transposed ? (n - 1) * c.stride.v[i] - 2 * c.padding.v[i] + reach +
                                         c.output_padding.v[i]
                                   : n + 2 * c.padding.v[i] - reach;
        if (!c.transposed)
            out = out < 0 ? -1 : out / c.stride.v[i] + 1;
        if (out < 0)
            return infer_error(inf, 0,
                               "dimension %u: the padded input (%lld + 2 * %lld) is smaller "
                               "than the kernel (%lld)",
                               i, (long long)n, (long long)c.padding.v[i], (long long)reach);
        shape[2 + i] = out;
    }
    return give_tensor(inf, (DType)c.a.dtype, c.a.device, c.a.rank, shape);
}

/* ---------------------------------------------------------------------------------- embedding */

bool sh_embedding(Infer *inf)
{
    Type indices, weight;
    int64_t shape[MAX_RANK + 1];
    if (!want_tensor(inf, 0, &indices) || !want_index_dtype(inf, 0, &indices) ||
        !want_tensor(inf, 1, &weight))
        return false;
    if (weight.rank != 2)
        return infer_error(inf, 1, "argument 'weight' must have rank 2, not shape %.*s",
                           STR(describe_shape(inf, weight.rank, weight.shape)));
    if (indices.rank)
        memcpy(shape, indices.shape, indices.rank * sizeof *shape);
    shape[indices.rank] = weight.shape[1];
    return give_tensor(inf, (DType)weight.dtype, weight.device, indices.rank + 1, shape);
}

bool sh_embedding_backward(Infer *inf)
{
    Type grad, indices;
    int64_t rows;
    if (!want_tensor(inf, 0, &grad) || !want_tensor(inf, 1, &indices) ||
        !want_index_dtype(inf, 1, &indices) || !want_int_at_least(inf, 2, 0, &rows))
        return false;
    bool fits = grad.rank == indices.rank + 1;
    for (uint32_t i = 0; fits && i < indices.rank; i++)
        fits = grad.shape[i] == indices.shape[i];
    if (!fits)
        return infer_error(inf, 0,
                           "argument 'grad' of shape %.*s does not fit indices of shape %.*s",
                           STR(describe_shape(inf, grad.rank, grad.shape)),
                           STR(describe_shape(inf, indices.rank, indices.shape)));
    return give_tensor(inf, (DType)grad.dtype, grad.device, 2,
                       (int64_t[]){rows, grad.shape[grad.rank - 1]});
}

bool sh_svd(Infer *inf)
{
    Type a;
    int64_t shape[MAX_RANK];
    if (!want_tensor(inf, 0, &a))
        return false;
    if (a.rank < 2 || (a.dtype != DT_f32 && a.dtype != DT_f64))
        return infer_error(inf, 0, "argument 'a' must be a matrix of f32 or f64, not %.*s",
                           STR(describe_type(inf, &a)));
    int64_t m = a.shape[a.rank - 2], n = a.shape[a.rank - 1], k = m < n ? m : n;
    memcpy(shape, a.shape, a.rank * sizeof *shape);
    inf->out_is_tuple = true;
    shape[a.rank - 1] = k;
    if (!give_tensor(inf, (DType)a.dtype, a.device, a.rank, shape))
        return false;
    shape[a.rank - 2] = k;
    if (!give_tensor(inf, (DType)a.dtype, a.device, a.rank - 1, shape))
        return false;
    shape[a.rank - 1] = n;
    return give_tensor(inf, (DType)a.dtype, a.device, a.rank, shape);
}
