/*
 * interp_shape.c - kernels that move elements: views, copies, joins, and changes of type.
 *
 * Input: a tensor in any layout. Output: a view of the same buffer wherever strides can say it (so
 * that writes are seen through it, as in PyTorch), else a copy.
 */
#include "interp.h"

#include <string.h>

/* --------------------------------------------------------------------------------------- views */

bool k_view_same(Interp *x)
{
    if (x->nout == 0)
        return true;
    Arg a = x->node->args[0];
    if (a.kind == ARG_value && !x->call->values[a.v] && x->t->values[a.v].known.kind == ARG_none)
        return x->t->values[a.v].type.kind == VALUE_tensor ? in_tensor(x, 0) != NULL : true;
    Tensor *t = in_tensor(x, 0);
    return t && out_give(x, 0, tensor_ref(t));
}

bool k_update_aliases(Interp *x)
{
    Arg list = x->node->args[0];
    for (uint32_t i = 0; i < list.n; i++) {
        Tensor *t = in_value(x, 0, list.items[i]);
        if (!t || !out_give(x, i, tensor_ref(t)))
            return false;
    }
    return true;
}

bool k_broadcast_in_dim(Interp *x)
{
    Tensor *t = in_tensor(x, 0);
    Sizes shape, dims;
    int64_t strides[MAX_RANK] = {0};
    if (!t || !in_sizes(x, 1, &shape) || !in_sizes(x, 2, &dims))
        return false;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->shape[i] == shape.v[dims.v[i]])
            strides[dims.v[i]] = t->strides[i];
    return out_view(x, 0, t, shape.n, shape.v, strides, t->offset);
}

/* Strides that read t, row-major, as another shape; false when t's layout does not allow it. */
static bool strides_as(const Tensor *t, uint32_t rank, const int64_t *shape, int64_t *strides)
{
    Walk w; /* joins the dimensions that lie behind each other */
    walk_layout(&w, t->dtype, t->rank, t->shape, t->strides);
    uint32_t d = rank;
    for (uint32_t chunk = w.rank; chunk-- > 0;) {
        int64_t stride = w.strides[chunk], left = w.shape[chunk];
        while (d > 0 && (left > 1 || shape[d - 1] == 1)) {
            int64_t size = shape[--d];
            strides[d] = stride;
            if (size == 0 || left % size != 0)
                return false;
            left /= size;
            stride *= size;
        }
        if (left != 1)
            return false;
    }
    for (; d > 0; d--)
        if (shape[d - 1] != 1)
            return false;
        else
            strides[d - 1] = 1;
    return true;
}

static void row_major(uint32_t rank, const int64_t *shape, int64_t *strides)
{
    int64_t stride = 1;
    for (uint32_t i = rank; i-- > 0;) {
        strides[i] = stride;
        if (shape[i] > 1)
            stride *= shape[i];
    }
}

bool k_reshape(Interp *x)
{
    Tensor *t = in_tensor(x, 0);
    Sizes shape;
    int64_t strides[MAX_RANK];
    if (!t || !in_sizes(x, 1, &shape))
        return false;
    bool dense = tensor_is_contiguous(t);
    if (!dense && strides_as(t, shape.n, shape.v, strides))
        return out_view(x, 0, t, shape.n, shape.v, strides, t->offset);
    row_major(shape.n, shape.v, strides);
    Tensor *copy = dense ? t : keep(x, tensor_clone(t));
    return copy && out_view(x, 0, copy, shape.n, shape.v, strides, copy->offset);
}

bool k_slice_prim(Interp *x)
{
    Tensor *t = in_tensor(x, 0);
    Sizes start, end, step = {.n = 0};
    int64_t shape[MAX_RANK], strides[MAX_RANK], offset;
    if (!t || !in_sizes(x, 1, &start) || !in_sizes(x, 2, &end) ||
        (!in_is_none(x, 3) && !in_sizes(x, 3, &step)))
        return false;
    offset = t->offset;
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t by = step.n ? step.v[i] : 1, n = end.v[i] - start.v[i];
        shape[i] = n / by + (n % by != 0);
        strides[i] = shape[i] > 1 ? t->strides[i] * by : t->strides[i]; /* by may be any number */
        if (shape[i])
            offset += start.v[i] * t->strides[i];
    }
    return out_view(x, 0, t, t->rank, shape, strides, offset);
}

bool k_squeeze(Interp *x)
{
    Tensor *t = in_tensor(x, 0);
    bool gone[MAX_RANK];
    int64_t shape[MAX_RANK], strides[MAX_RANK];
    uint32_t n = 0;
    if (!t || !in_dims(x, 1, t->rank, gone))
        return false;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (gone[i])
            continue;
        shape[n] = t->shape[i];
        strides[n++] = t->strides[i];
    }
    return out_view(x, 0, t, n, shape, strides, t->offset);
}

bool k_transpose(Interp *x)
{
    Tensor *t = in_tensor(x, 0);
    Sizes order;
    int64_t shape[MAX_RANK], strides[MAX_RANK];
    if (!t || !in_sizes(x, 1, &order))
        return false;
    for (uint32_t i = 0; i < t->rank; i++) {
        shape[i] = t->shape[order.v[i]];
        strides[i] = t->strides[order.v[i]];
    }
    return out_view(x, 0, t, t->rank, shape, strides, t->offset);
}

bool k_unfold(Interp *x)
{
    Tensor *t = in_tensor(x, 0);
    int64_t dim, size, step, shape[MAX_RANK + 1], strides[MAX_RANK + 1];
    if (!t || !in_int(x, 1, &dim) || !in_int(x, 2, &size) || !in_int(x, 3, &step))
        return false;
    if (t->rank) {
        memcpy(shape, t->shape, t->rank * sizeof *shape);
        memcpy(strides, t->strides, t->rank * sizeof *strides);
        shape[dim] = (t->shape[dim] - size) / step + 1;
        strides[dim] = t->strides[dim] * step;
    }
    shape[t->rank] = size;
    strides[t->rank] = t->rank ? t->strides[dim] : 1;
    return out_view(x, 0, t, t->rank + 1, shape, strides, t->offset);
}

bool k_as_strided(Interp *x)
{
    Tensor *t = in_tensor(x, 0);
    Sizes size, stride;
    int64_t offset;
    if (!t || !in_sizes(x, 1, &size) || !in_sizes(x, 2, &stride) || !in_int(x, 3, &offset))
        return false;
    if (!tensor_is_contiguous(t) && !(t = keep(x, tensor_clone(t))))
        return false;
    return out_view(x, 0, t, size.n, size.v, stride.v, t->offset + offset);
}

/* -------------------------------------------------------------------------------------- copies */

bool k_clone(Interp *x)
{
    Tensor *t = in_tensor(x, 0);
    return t && out_give(x, 0, tensor_clone(t));
}

/* order[i] is the place of dimension i counted from the innermost: (3, 0, 2, 1) of a 4-d tensor
 * puts dimension 1 innermost, as channels_last does. */
bool k_stride_order(Interp *x)
{
    Tensor *t = in_tensor(x, 0);
    Sizes order;
    int64_t strides[MAX_RANK], stride = 1;
    if (!t || !in_sizes(x, 1, &order))
        return false;
    for (uint32_t place = 0; place < t->rank; place++)
        for (uint32_t i = 0; i < t->rank; i++)
            if (order.v[i] == place) {
                strides[i] = stride;
                stride *= t->shape[i] > 1 ? t->shape[i] : 1;
            }
    bool laid_out_so = true;
    for (uint32_t i = 0; i < t->rank; i++)
        laid_out_so &= t->shape[i] == 1 || strides[i] == t->strides[i];
    if (laid_out_so)
        return out_give(x, 0, tensor_ref(t));
    Tensor *storage = keep(x, tensor_new_like(t));
    if (!storage || !out_view(x, 0, storage, t->rank, t->shape, strides, 0))
        return false;
    tensor_copy_into(x->call->values[x->outs[0]], t);
    return true;
}

bool k_device_put(Interp *x)
{
    Tensor *t = in_tensor(x, 0);
    if (!t)
        return false;
    Device to = out_type(x, 0)->device;
    if (device_eq(to, t->device))
        return out_give(x, 0, tensor_ref(t));
    Tensor *copy = tensor_clone(t);
    if (copy)
        copy->device = to;
    return out_give(x, 0, copy);
}

bool k_convert(Interp *x)
{
    Tensor *t = in_tensor(x, 0);
    return t && out_give(x, 0, tensor_cast(t, out_dtype(x, 0)));
}

/* A dense view of t's bytes as dtype, of the same element size. */
static Tensor *reinterpret(Interp *x, Tensor *t, DType dtype)
{
    if (!tensor_is_contiguous(t) && !(t = keep(x, tensor_clone(t))))
        return NULL;
    Tensor *v = tensor_view(t, t->rank, t->shape, t->strides, t->offset);
    if (v)
        v->dtype = dtype;
    return keep(x, v);
}

bool k_bitcast(Interp *x)
{
    DType from = (DType)x->t->values[x->node->args[0].v].type.dtype;
    DType to = (DType)out_type(x, 0)->dtype;
    Tensor *t = in_dense(x, 0, from);
    if (!t || !(t = reinterpret(x, t, to)))
        return false;
    return out_give(x, 0, tensor_cast(t, out_dtype(x, 0)));
}

bool k_item(Interp *x)
{
    Tensor *t = in_tensor(x, 0), *out = out_new(x, 0);
    if (!t || !out)
        return false;
    Tensor *scalar = keep(x, tensor_view(t, 0, NULL, NULL, t->offset));
    if (!scalar)
        return false;
    tensor_copy_into(out, scalar);
    return true;
}

/* Whether several elements of the view lie in one place. */
static bool repeats_itself(const Tensor *t)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->shape[i] > 1 && t->strides[i] == 0)
            return true;
    return false;
}

bool k_copy_(Interp *x)
{
    Tensor *from = in_tensor(x, 0), *to = in_tensor(x, 1);
    if (!from || !to)
        return false;
    if (repeats_itself(to))
        return fail(x, "overlap",
                    "cannot write into %s: several of its elements lie in one place "
                    "(clone it first)",
                    operand_name(x, 1));
    if (tensor_same_storage(from, to) && !(from = keep(x, tensor_clone(from))))
        return false;
    tensor_copy_into(to, from);
    return x->nout == 0 || out_give(x, 0, tensor_ref(to));
}

/* ------------------------------------------------------------------------------ joins and others
 */

/* The part of out that begins at element `at` of dimension dim and has t's size there. */
static Tensor *part_of(Interp *x, const Tensor *out, const Tensor *t, uint32_t dim, int64_t at)
{
    return keep(
        x, tensor_view(out, t->rank, t->shape, out->strides, out->offset + at * out->strides[dim]));
}

bool k_cat(Interp *x)
{
    Arg list = x->node->args[0];
    int64_t dim, at = 0;
    Tensor *out = out_new(x, 0);
    if (!out || !in_int(x, 1, &dim))
        return false;
    for (uint32_t i = 0; i < list.n; i++) {
        Tensor *t = in_value(x, 0, list.items[i]);
        Tensor *part = t ? part_of(x, out, t, (uint32_t)dim, at) : NULL;
        if (!part)
            return false;
        tensor_copy_into(part, t);
        at += t->shape[dim];
    }
    return true;
}

bool k_flip(Interp *x)
{
    Tensor *t = in_tensor(x, 0);
    bool flipped[MAX_RANK];
    int64_t strides[MAX_RANK], offset;
    if (!t || !in_dims(x, 1, t->rank, flipped))
        return false;
    offset = t->offset;
    for (uint32_t i = 0; i < t->rank; i++) {
        strides[i] = flipped[i] ? -t->strides[i] : t->strides[i];
        if (flipped[i] && t->shape[i] > 0)
            offset += (t->shape[i] - 1) * t->strides[i];
    }
    Tensor *v = keep(x, tensor_view(t, t->rank, t->shape, strides, offset));
    return v && out_give(x, 0, tensor_clone(v));
}

typedef struct PadDim {
    int64_t low, high, interior;
} PadDim;

static bool read_padding(Interp *x, uint32_t rank, PadDim *pad)
{
    Arg config = x->node->args[2];
    for (uint32_t i = 0; i < rank; i++) {
        const Arg *v = config.items[i].items;
        if (!in_int_arg(x, 2, v[0], &pad[i].low) || !in_int_arg(x, 2, v[1], &pad[i].high) ||
            !in_int_arg(x, 2, v[2], &pad[i].interior))
            return false;
    }
    return true;
}

/* Fills a tensor with the one element of `value`. */
static bool fill(Interp *x, Tensor *out, const Tensor *value)
{
    static const int64_t zeros[MAX_RANK];
    Tensor *one = keep(x, tensor_cast(value, out->dtype));
    Tensor *all = one ? keep(x, tensor_view(one, out->rank, out->shape, zeros, one->offset)) : NULL;
    if (!all)
        return false;
    tensor_copy_into(out, all);
    return true;
}

/* Element k of dimension i of a goes to low + k (interior + 1); those that fall outside are cut. */
bool k_pad(Interp *x)
{
    Tensor *t = in_tensor(x, 0), *value = in_tensor(x, 1), *out = out_new(x, 0);
    PadDim pad[MAX_RANK];
    int64_t shape[MAX_RANK], strides[MAX_RANK], from, to;
    if (!t || !value || !out || !read_padding(x, t->rank, pad) || !fill(x, out, value))
        return false;
    from = t->offset;
    to = out->offset;
    for (uint32_t i = 0; i < t->rank; i++) {
        int64_t step = pad[i].interior + 1;
        int64_t first = pad[i].low < 0 ? (-pad[i].low + step - 1) / step : 0;
        int64_t place = pad[i].low + first * step;
        int64_t room = out->shape[i] > place ? (out->shape[i] - place + step - 1) / step : 0;
        shape[i] = t->shape[i] - first < room ? t->shape[i] - first : room;
        if (shape[i] <= 0)
            return true;
        strides[i] = out->strides[i] * step;
        from += first * t->strides[i];
        to += place * out->strides[i];
    }
    Tensor *src = keep(x, tensor_view(t, t->rank, shape, t->strides, from));
    Tensor *dst = keep(x, tensor_view(out, t->rank, shape, strides, to));
    if (!src || !dst)
        return false;
    tensor_copy_into(dst, src);
    return true;
}

/* ------------------------------------------------------------------------------------ creation */

bool k_empty(Interp *x)
{
    return out_new(x, 0) != NULL;
}

bool k_full(Interp *x)
{
    Tensor *value = in_tensor(x, 1), *out = out_new(x, 0);
    return value && out && fill(x, out, value);
}

bool k_iota(Interp *x)
{
    Tensor *start = in_tensor(x, 1), *step = in_tensor(x, 2), *out = out_new(x, 0);
    Walk w;
    if (!start || !step || !out)
        return false;
    walk_init(&w, out);
    bool ints = dtype_is_exact(start->dtype) && dtype_is_exact(step->dtype);
    int64_t first = elem_get_i64(tensor_data(start), start->dtype);
    int64_t by = elem_get_i64(tensor_data(step), step->dtype);
    double from = elem_get_f64(tensor_data(start), start->dtype);
    double apart = elem_get_f64(tensor_data(step), step->dtype);
    for (int64_t i = 0; i < w.numel; i++) {
        int64_t v = (int64_t)((uint64_t)first + (uint64_t)i * (uint64_t)by);
        double f = from + (double)i * apart;
        if (ints)
            walk_set_i64(&w, i, 1, &v);
        else
            walk_set_f64(&w, i, 1, &f);
    }
    return true;
}

/* Stores the leaves of the sequence a, of `level` more dimensions, from element *at on. */
static bool store_sequence(Interp *x, Arg a, Tensor *out, uint32_t level, int64_t *at)
{
    if (level == out->rank) {
        Tensor *number = in_value(x, 0, a);
        if (!number)
            return false;
        Tensor *place = tensor_view(out, 0, NULL, NULL, out->offset + (*at)++);
        if (!place)
            return keep(x, place) != NULL;
        tensor_copy_into(place, number);
        tensor_unref(place);
        return true;
    }
    for (uint32_t i = 0; i < a.n; i++)
        if (!store_sequence(x, a.items[i], out, level + 1, at))
            return false;
    return true;
}

bool k_from_sequence(Interp *x)
{
    Tensor *out = out_new(x, 0);
    int64_t at = 0;
    return out && store_sequence(x, x->node->args[0], out, 0, &at);
}
