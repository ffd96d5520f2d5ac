/*
 * shape_move.c - shape rules of prims that move elements and of those that create tensors.
 *
 * Input: a tensor and sizes, dimensions or ranges as ints. Output: a tensor of the same dtype and
 * another shape. One idea: prims are strict, so every size is written out and every dimension is
 * non-negative; what may be left open in PyTorch is resolved by the languages above.
 */
#include "shape.h"
#include "shape_util.h"

#include <string.h>

static int64_t product(const Ints *shape)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < shape->n; i++)
        if (shape->v[i] == 0 || __builtin_mul_overflow(n, shape->v[i], &n))
            return shape->v[i] == 0 ? 0 : -1;
    return n;
}

static bool give_shaped(Infer *inf, const Type *a, uint32_t rank, const int64_t *shape)
{
    return give_tensor(inf, (DType)a->dtype, a->device, rank, shape);
}

bool sh_device_put(Infer *inf)
{
    Type t;
    Device dev;
    if (!want_tensor(inf, 0, &t) || !want_device(inf, 1, &dev))
        return false;
    return give_tensor(inf, (DType)t.dtype, dev, t.rank, t.shape);
}

bool sh_stride_order(Infer *inf)
{
    Type t;
    Ints order;
    return want_tensor(inf, 0, &t) && want_permutation(inf, 1, t.rank, &order) &&
           give_like(inf, &t, (DType)t.dtype);
}

bool sh_copy_(Infer *inf)
{
    Type from, to;
    if (!want_tensor(inf, 0, &from) || !want_tensor(inf, 1, &to))
        return false;
    if (!type_same_shape(&from, &to))
        return infer_error(inf, 0, "cannot copy shape %.*s into shape %.*s",
                           STR(describe_shape(inf, from.rank, from.shape)),
                           STR(describe_shape(inf, to.rank, to.shape)));
    if (dtype_is_complex((DType)from.dtype) && !dtype_is_complex((DType)to.dtype))
        return infer_error(inf, 0, "cannot copy %s into %s: the imaginary part would be lost",
                           dtype_info[from.dtype].name, dtype_info[to.dtype].name);
    return give_like(inf, &to, (DType)to.dtype);
}

bool sh_update_aliases(Infer *inf)
{
    Arg list = inf->args[0];
    if (!arg_is_seq(list) || list.n > MAX_OUTPUTS)
        return infer_error(inf, 0, "argument 'tensors' must be a sequence of at most %d tensors",
                           MAX_OUTPUTS);
    for (uint32_t i = 0; i < list.n; i++) {
        Type t = operand_type(inf, list.items[i]);
        if (!is_tensor_type(&t))
            return infer_error(inf, 0,
                               "element %u of argument 'tensors' must be a tensor, not %.*s", i,
                               STR(describe_arg(inf, list.items[i])));
        give_like(inf, &t, (DType)t.dtype);
    }
    inf->out_is_tuple = true;
    return true;
}

bool sh_item(Infer *inf)
{
    Type t;
    if (!want_tensor(inf, 0, &t))
        return false;
    if (element_count(&t) != 1)
        return infer_error(inf, 0, "argument 'a' must have one element, not shape %.*s",
                           STR(describe_shape(inf, t.rank, t.shape)));
    return give_number(inf, (DType)t.dtype, A_NONE);
}

/* ------------------------------------------------------------------------------------- shape */

bool sh_broadcast_in_dim(Infer *inf)
{
    Type t;
    Ints shape, dims;
    if (!want_tensor(inf, 0, &t) || !want_shape(inf, 1, &shape) || !want_ints(inf, 2, &dims))
        return false;
    if (dims.n != t.rank)
        return infer_error(inf, 2,
                           "argument 'broadcast_dims' has %u entries for a tensor of rank %u",
                           dims.n, t.rank);
    for (uint32_t i = 0; i < dims.n; i++) {
        if (dims.v[i] < 0 || dims.v[i] >= shape.n || (i && dims.v[i] <= dims.v[i - 1]))
            return infer_error(inf, 2,
                               "argument 'broadcast_dims' must be ascending dimensions of "
                               "a result of rank %u",
                               shape.n);
        if (t.shape[i] != 1 && t.shape[i] != shape.v[dims.v[i]])
            return infer_error(inf, 0, "dimension %u of size %lld cannot be stretched to size %lld",
                               i, (long long)t.shape[i], (long long)shape.v[dims.v[i]]);
    }
    return give_shaped(inf, &t, shape.n, shape.v);
}

/* Element i of the sequence argument 0 as a tensor that fits beside the first along dim. */
static bool cat_element(Infer *inf, uint32_t i, uint32_t dim, const Type *first, Type *t)
{
    Arg a = inf->args[0].items[i];
    *t = operand_type(inf, a);
    if (!is_tensor_type(t))
        return infer_error(inf, 0, "element %u of argument 'tensors' must be a tensor, not %.*s", i,
                           STR(describe_arg(inf, a)));
    bool fits =
        t->rank == first->rank && t->dtype == first->dtype && device_eq(t->device, first->device);
    for (uint32_t d = 0; fits && d < t->rank; d++)
        fits = d == dim || t->shape[d] == first->shape[d];
    if (fits)
        return true;
    return infer_error(inf, 0,
                       "element %u of argument 'tensors' (%.*s) does not fit beside the "
                       "first (%.*s) along dimension %u",
                       i, STR(describe_type(inf, t)), STR(describe_type(inf, first)), dim);
}

bool sh_cat(Infer *inf)
{
    Arg list = inf->args[0];
    uint32_t dim;
    if (!arg_is_seq(list) || list.n == 0)
        return infer_error(inf, 0,
                           "argument 'tensors' must be a sequence of at least one tensor, "
                           "not %.*s",
                           STR(describe_arg(inf, list)));
    Type first = operand_type(inf, list.items[0]), t;
    if (!is_tensor_type(&first) || first.rank == 0)
        return infer_error(inf, 0,
                           "element 0 of argument 'tensors' must be a tensor of rank 1 or "
                           "more, not %.*s",
                           STR(describe_arg(inf, list.items[0])));
    if (!want_dim(inf, 1, first.rank, &dim))
        return false;
    int64_t shape[MAX_RANK];
    memcpy(shape, first.shape, first.rank * sizeof *shape);
    shape[dim] = 0;
    for (uint32_t i = 0; i < list.n; i++) {
        if (!cat_element(inf, i, dim, &first, &t))
            return false;
        if (__builtin_add_overflow(shape[dim], t.shape[dim], &shape[dim]))
            return infer_error(inf, 0, "the result has too many elements");
    }
    return give_shaped(inf, &first, first.rank, shape);
}

bool sh_flip(Infer *inf)
{
    Type t;
    Ints dims;
    return want_tensor(inf, 0, &t) && want_dims(inf, 1, t.rank, &dims) &&
           give_like(inf, &t, (DType)t.dtype);
}

bool sh_reshape(Infer *inf)
{
    Type t;
    Ints shape;
    if (!want_tensor(inf, 0, &t) || !want_shape(inf, 1, &shape))
        return false;
    if (product(&shape) != element_count(&t))
        return infer_error(inf, 1, "shape %.*s has another number of elements than %.*s",
                           STR(describe_shape(inf, shape.n, shape.v)),
                           STR(describe_shape(inf, t.rank, t.shape)));
    return give_shaped(inf, &t, shape.n, shape.v);
}

bool sh_slice_prim(Infer *inf)
{
    Type t;
    Ints start, end, stride = {{0}, 0};
    int64_t shape[MAX_RANK];
    if (!want_tensor(inf, 0, &t) || !want_ints(inf, 1, &start) || !want_ints(inf, 2, &end) ||
        (!arg_is_none(inf->args[3]) && !want_ints(inf, 3, &stride)))
        return false;
    if (start.n != t.rank || end.n != t.rank || (stride.n && stride.n != t.rank))
        return infer_error(inf,
                           start.n != t.rank ? 1
                           : end.n != t.rank ? 2
                                             : 3,
                           "a tensor of rank %u needs %u indices, not %u starts, %u ends and %u "
                           "strides",
                           t.rank, t.rank, start.n, end.n, stride.n);
    for (uint32_t i = 0; i < t.rank; i++) {
        int64_t step = stride.n ? stride.v[i] : 1;
        if (start.v[i] < 0 || start.v[i] > end.v[i] || end.v[i] > t.shape[i])
            return infer_error(inf, start.v[i] < 0 ? 1 : 2,
                               "dimension %u of size %lld has no elements from %lld to %lld", i,
                               (long long)t.shape[i], (long long)start.v[i], (long long)end.v[i]);
        if (step < 1)
            return infer_error(inf, 3, "the stride of dimension %u must be at least 1, not %lld", i,
                               (long long)step);
        int64_t n = end.v[i] - start.v[i];
        shape[i] = n / step + (n % step != 0);
    }
    return give_shaped(inf, &t, t.rank, shape);
}

bool sh_squeeze(Infer *inf)
{
    Type t;
    Ints dims;
    int64_t shape[MAX_RANK];
    bool gone[MAX_RANK] = {0};
    uint32_t n = 0;
    if (!want_tensor(inf, 0, &t) || !want_dims(inf, 1, t.rank, &dims))
        return false;
    for (uint32_t i = 0; i < dims.n; i++) {
        if (t.shape[dims.v[i]] != 1)
            return infer_error(inf, 1, "dimension %lld has size %lld, only size 1 can be dropped",
                               (long long)dims.v[i], (long long)t.shape[dims.v[i]]);
        gone[dims.v[i]] = true;
    }
    for (uint32_t i = 0; i < t.rank; i++)
        if (!gone[i])
            shape[n++] = t.shape[i];
    return give_shaped(inf, &t, n, shape);
}

bool sh_transpose(Infer *inf)
{
    Type t;
    Ints perm;
    int64_t shape[MAX_RANK];
    if (!want_tensor(inf, 0, &t) || !want_permutation(inf, 1, t.rank, &perm))
        return false;
    for (uint32_t i = 0; i < t.rank; i++)
        shape[i] = t.shape[perm.v[i]];
    return give_shaped(inf, &t, t.rank, shape);
}

bool sh_unfold(Infer *inf)
{
    Type t;
    uint32_t dim;
    int64_t size, step, shape[MAX_RANK + 1];
    if (!want_tensor(inf, 0, &t) || !want_dim(inf, 1, t.rank, &dim) ||
        !want_int_at_least(inf, 2, 0, &size) || !want_int_at_least(inf, 3, 1, &step))
        return false;
    int64_t have = t.rank ? t.shape[dim] : 1;
    if (size > have)
        return infer_error(inf, 2,
                           "argument 'size' is %lld, but dimension %u has only %lld element%s",
                           (long long)size, dim, (long long)have, plural(have));
    if (t.rank)
        memcpy(shape, t.shape, t.rank * sizeof *shape);
    if (t.rank)
        shape[dim] = (have - size) / step + 1;
    shape[t.rank] = size;
    return give_shaped(inf, &t, t.rank + 1, shape);
}

/* One (low, high, interior) of the padding configuration applied to size n; -1 when refused. */
static int64_t padded_size(Infer *inf, uint32_t dim, Arg config, int64_t n)
{
    int64_t v[3], gaps, size;
    bool good = arg_is_seq(config) && config.n == 3;
    for (uint32_t i = 0; good && i < 3; i++) {
        Type t = operand_type(inf, config.items[i]);
        Arg a = config.items[i].kind == ARG_value && t.kind == VALUE_number
                    ? inf->t->values[config.items[i].v].known
                    : config.items[i];
        good = a.kind == ARG_int;
        v[i] = good ? a.i : 0;
    }
    if (!good || v[2] < 0) {
        infer_error(inf, 2,
                    "entry %u of argument 'padding_config' must be (low, high, interior) "
                    "with interior at least 0",
                    dim);
        return -1;
    }
    if (__builtin_mul_overflow(n > 0 ? n - 1 : 0, v[2], &gaps) ||
        __builtin_add_overflow(n, gaps, &size) || __builtin_add_overflow(size, v[0], &size) ||
        __builtin_add_overflow(size, v[1], &size) || size < 0) {
        infer_error(inf, 2, "padding dimension %u of size %lld by (%lld, %lld, %lld) gives no size",
                    dim, (long long)n, (long long)v[0], (long long)v[1], (long long)v[2]);
        return -1;
    }
    return size;
}

bool sh_pad(Infer *inf)
{
    Type t, value;
    Arg config = inf->args[2];
    int64_t shape[MAX_RANK];
    if (!want_tensor(inf, 0, &t) || !want_number(inf, 1, &value))
        return false;
    if (dtype_info[value.dtype].category > dtype_info[t.dtype].category)
        return infer_error(inf, 1,
                           "argument 'padding_value' is %.*s, which a tensor of %s cannot "
                           "hold",
                           STR(describe_arg(inf, inf->args[1])), dtype_info[t.dtype].name);
    if (!arg_is_seq(config) || config.n != t.rank)
        return infer_error(inf, 2,
                           "argument 'padding_config' must have one (low, high, interior) "
                           "for each of %u dimensions",
                           t.rank);
    for (uint32_t i = 0; i < t.rank; i++)
        if ((shape[i] = padded_size(inf, i, config.items[i], t.shape[i])) < 0)
            return false;
    return give_shaped(inf, &t, t.rank, shape);
}

bool sh_as_strided(Infer *inf)
{
    Type t;
    Ints size, stride;
    int64_t offset, last, step;
    if (!want_tensor(inf, 0, &t) || !want_shape(inf, 1, &size) || !want_ints(inf, 2, &stride) ||
        !want_int_at_least(inf, 3, 0, &offset))
        return false;
    if (size.n != stride.n)
        return infer_error(inf, 2, "arguments 'size' and 'stride' have %u and %u entries", size.n,
                           stride.n);
    last = offset;
    for (uint32_t i = 0; i < size.n; i++) {
        if (stride.v[i] < 0)
            return infer_error(inf, 2, "argument 'stride' has the negative stride %lld",
                               (long long)stride.v[i]);
        if (size.v[i] > 1 && (__builtin_mul_overflow(size.v[i] - 1, stride.v[i], &step) ||
                              __builtin_add_overflow(last, step, &last)))
            return infer_error(inf, 2, "argument 'stride' reaches too far");
    }
    if (product(&size) != 0 && last >= element_count(&t))
        return infer_error(inf, 2, "element %lld would be read, but a has only %lld element%s",
                           (long long)last, (long long)element_count(&t),
                           plural(element_count(&t)));
    return give_shaped(inf, &t, size.n, size.v);
}

/* ---------------------------------------------------------------------------------- creation */

bool sh_full(Infer *inf)
{
    Ints shape;
    Type value;
    Device dev;
    DType dtype;
    if (!want_shape(inf, 0, &shape) || !want_number(inf, 1, &value) || !want_device(inf, 2, &dev) ||
        !want_dtype(inf, 3, &dtype))
        return false;
    if (dtype_is_complex((DType)value.dtype) && !dtype_is_complex(dtype))
        return infer_error(inf, 1, "argument 'value' is complex, dtype %s is not",
                           dtype_info[dtype].name);
    return give_tensor(inf, dtype, dev, shape.n, shape.v);
}

bool sh_iota(Infer *inf)
{
    int64_t length;
    Type start, step;
    Device dev;
    DType dtype;
    if (!want_int_at_least(inf, 0, 0, &length) || !want_number(inf, 1, &start) ||
        !want_number(inf, 2, &step) || !want_device(inf, 3, &dev) || !want_dtype(inf, 4, &dtype))
        return false;
    for (int i = 1; i <= 2; i++)
        if (dtype_is_complex((DType)(i == 1 ? start : step).dtype))
            return infer_error(inf, i, "argument '%s' must be real", param_name(inf, i));
    if (dtype == DT_b8 || dtype_is_complex(dtype))
        return infer_error(inf, 4, "argument 'dtype' must be of integers or floats, not %s",
                           dtype_info[dtype].name);
    return give_tensor(inf, dtype, dev, 1, &length);
}

bool sh_empty(Infer *inf)
{
    Ints shape;
    Device dev;
    DType dtype;
    return want_shape(inf, 0, &shape) && want_device(inf, 1, &dev) && want_dtype(inf, 2, &dtype) &&
           give_tensor(inf, dtype, dev, shape.n, shape.v);
}

/* Checks that a nests like the shape found along its first elements. */
static bool nests_as(Infer *inf, Arg a, const Ints *shape, uint32_t level)
{
    if (level == shape->n) {
        Type t = operand_type(inf, a);
        return is_number_type(&t) ? true
                                  : infer_error(inf, 0,
                                                "argument 'sequence' must hold numbers in "
                                                "rows of equal length, not %.*s",
                                                STR(describe_arg(inf, a)));
    }
    if (!arg_is_seq(a) || a.n != shape->v[level])
        return infer_error(inf, 0,
                           "argument 'sequence' has rows of different length: %lld and %lld",
                           (long long)shape->v[level], arg_is_seq(a) ? (long long)a.n : 1LL);
    for (uint32_t i = 0; i < a.n; i++)
        if (!nests_as(inf, a.items[i], shape, level + 1))
            return false;
    return true;
}

bool sh_from_sequence(Infer *inf)
{
    Ints shape = {.n = 0};
    Device dev;
    DType dtype;
    for (Arg a = inf->args[0]; arg_is_seq(a); a = a.items[0]) {
        if (shape.n == MAX_RANK)
            return infer_error(inf, 0, "argument 'sequence' nests deeper than %d", MAX_RANK);
        shape.v[shape.n++] = a.n;
        if (a.n == 0)
            break;
    }
    if (!nests_as(inf, inf->args[0], &shape, 0) || !want_device(inf, 1, &dev) ||
        !want_dtype(inf, 2, &dtype))
        return false;
    return give_tensor(inf, dtype, dev, shape.n, shape.v);
}

/* A seed or an offset: an int, known or not, or a 0-d tensor of ints. */
static bool want_seed(Infer *inf, int arg)
{
    Type t = operand_type(inf, inf->args[arg]);
    if ((is_number_type(&t) || (is_tensor_type(&t) && t.rank == 0)) &&
        dtype_is_exact((DType)t.dtype))
        return true;
    return infer_error(inf, arg, "argument '%s' must be an int, not %.*s", param_name(inf, arg),
                       STR(describe_arg(inf, inf->args[arg])));
}

bool sh_random(Infer *inf)
{
    Ints shape;
    Type a, b;
    Device dev;
    DType dtype;
    if (!want_shape(inf, 0, &shape) || !want_number(inf, 1, &a) || !want_number(inf, 2, &b) ||
        !want_device(inf, 3, &dev) || !want_dtype(inf, 4, &dtype) || !want_seed(inf, 5) ||
        !want_seed(inf, 6))
        return false;
    bool ints = inf->op->id == PRIM_randint_philox;
    int64_t low, high;
    if (dtype_is_complex((DType)a.dtype) || dtype_is_complex((DType)b.dtype))
        return infer_error(inf, 1, "arguments '%s' and '%s' must be real", param_name(inf, 1),
                           param_name(inf, 2));
    if (dtype_is_complex(dtype) || (!ints && !dtype_is_float(dtype)))
        return infer_error(inf, 4, "argument 'dtype' must be %s, not %s",
                           ints ? "real" : "of floats", dtype_info[dtype].name);
    if (ints && (!want_int(inf, 1, &low) || !want_int(inf, 2, &high)))
        return false;
    if (ints && low >= high)
        return infer_error(inf, 2, "argument 'high' (%lld) must be larger than 'low' (%lld)",
                           (long long)high, (long long)low);
    return give_tensor(inf, dtype, dev, shape.n, shape.v);
}
