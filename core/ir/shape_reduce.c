/*
 * shape_reduce.c - shape rules of reductions, scans and sorting.
 *
 * Input: a tensor and the dimensions to work along. Output: a tensor without those dimensions
 * (reductions never keep them), or one of the same shape (scans, sort).
 */
#include "shape.h"
#include "shape_util.h"

#include <string.h>

/* Gives a tensor of dtype without the dimensions dims. */
static bool give_reduced(Infer *inf, const Type *a, const Ints *dims, DType dtype)
{
    bool gone[MAX_RANK] = {0};
    int64_t shape[MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < dims->n; i++)
        gone[dims->v[i]] = true;
    for (uint32_t i = 0; i < a->rank; i++)
        if (!gone[i])
            shape[n++] = a->shape[i];
    return give_tensor(inf, dtype, a->device, n, shape);
}

static bool must_be_real(Infer *inf, const Type *a)
{
    return !dtype_is_complex((DType)a->dtype)
               ? true
               : infer_error(inf, 0, "argument 'a' must be real: complex numbers have no order");
}

bool sh_reduce(Infer *inf)
{
    Type a;
    Ints dims;
    return want_tensor(inf, 0, &a) && want_dims(inf, 1, a.rank, &dims) &&
           give_reduced(inf, &a, &dims, (DType)a.dtype);
}

bool sh_reduce_bool(Infer *inf)
{
    Type a;
    Ints dims;
    return want_tensor(inf, 0, &a) && want_dims(inf, 1, a.rank, &dims) &&
           give_reduced(inf, &a, &dims, DT_b8);
}

bool sh_reduce_nonempty(Infer *inf)
{
    Type a;
    Ints dims;
    if (!want_tensor(inf, 0, &a) || !must_be_real(inf, &a) || !want_dims(inf, 1, a.rank, &dims))
        return false;
    for (uint32_t i = 0; i < dims.n; i++)
        if (a.shape[dims.v[i]] == 0)
            return infer_error(inf, 0, "%s over dimension %lld of %.*s: there is no element",
                               inf->op->name, (long long)dims.v[i],
                               STR(describe_shape(inf, a.rank, a.shape)));
    return give_reduced(inf, &a, &dims, (DType)a.dtype);
}

static bool want_inexact(Infer *inf, const Type *a)
{
    return dtype_is_inexact((DType)a->dtype)
               ? true
               : infer_error(inf, 0,
                             "argument 'a' must be of a floating or complex dtype, not %.*s",
                             STR(describe_type(inf, a)));
}

bool sh_var(Infer *inf)
{
    Type a, correction;
    Ints dims;
    return want_tensor(inf, 0, &a) && want_inexact(inf, &a) && want_dims(inf, 1, a.rank, &dims) &&
           want_number(inf, 2, &correction) &&
           give_reduced(inf, &a, &dims, dtype_real((DType)a.dtype));
}

bool sh_var_mean(Infer *inf)
{
    Type a;
    Ints dims;
    if (!sh_var(inf) || !want_tensor(inf, 0, &a) || !want_dims(inf, 1, a.rank, &dims))
        return false;
    inf->out_is_tuple = true;
    return give_reduced(inf, &a, &dims, (DType)a.dtype);
}

bool sh_argmax(Infer *inf)
{
    Type a;
    uint32_t dim;
    Ints dims = {.n = 0};
    if (!want_tensor(inf, 0, &a) || !must_be_real(inf, &a))
        return false;
    if (arg_is_none(inf->args[1])) {
        for (uint32_t i = 0; i < a.rank; i++)
            dims.v[dims.n++] = i;
    } else {
        if (!want_dim(inf, 1, a.rank, &dim))
            return false;
        if (a.rank)
            dims.v[dims.n++] = dim;
    }
    for (uint32_t i = 0; i < dims.n; i++)
        if (a.shape[dims.v[i]] == 0)
            return infer_error(inf, 0, "%s over dimension %lld of %.*s: there is no element",
                               inf->op->name, (long long)dims.v[i],
                               STR(describe_shape(inf, a.rank, a.shape)));
    return give_reduced(inf, &a, &dims, DT_i64);
}

bool sh_topk(Infer *inf)
{
    Type a;
    uint32_t dim;
    int64_t k, shape[MAX_RANK];
    bool largest, sorted;
    if (!want_tensor(inf, 0, &a) || !must_be_real(inf, &a) || !want_int_at_least(inf, 1, 0, &k) ||
        !want_dim(inf, 2, a.rank, &dim) || !want_bool(inf, 3, &largest) ||
        !want_bool(inf, 4, &sorted))
        return false;
    int64_t n = a.rank ? a.shape[dim] : 1;
    if (k > n)
        return infer_error(inf, 1, "argument 'k' is %lld, but dimension %u has only %lld element%s",
                           (long long)k, dim, (long long)n, plural(n));
    if (a.rank) {
        memcpy(shape, a.shape, a.rank * sizeof *shape);
        shape[dim] = k;
    }
    inf->out_is_tuple = true;
    return give_tensor(inf, (DType)a.dtype, a.device, a.rank, shape) &&
           give_tensor(inf, DT_i64, a.device, a.rank, shape);
}

bool sh_kthvalue(Infer *inf)
{
    Type a;
    uint32_t dim;
    int64_t k, shape[MAX_RANK];
    if (!want_tensor(inf, 0, &a) || !must_be_real(inf, &a) || !want_int_at_least(inf, 1, 0, &k) ||
        !want_dim(inf, 2, a.rank, &dim))
        return false;
    int64_t n = a.rank ? a.shape[dim] : 1;
    if (k >= n)
        return infer_error(inf, 1, "argument 'k' is %lld, but dimension %u has only %lld element%s",
                           (long long)k, dim, (long long)n, plural(n));
    if (a.rank) {
        memcpy(shape, a.shape, a.rank * sizeof *shape);
        shape[dim] = 1;
    }
    inf->out_is_tuple = true;
    return give_tensor(inf, (DType)a.dtype, a.device, a.rank, shape) &&
           give_tensor(inf, DT_i64, a.device, a.rank, shape);
}

bool sh_sort(Infer *inf)
{
    Type a;
    uint32_t dim;
    bool descending, stable;
    if (!want_tensor(inf, 0, &a) || !must_be_real(inf, &a) || !want_dim(inf, 1, a.rank, &dim) ||
        !want_bool(inf, 2, &descending) || !want_bool(inf, 3, &stable))
        return false;
    inf->out_is_tuple = true;
    return give_like(inf, &a, (DType)a.dtype) && give_like(inf, &a, DT_i64);
}

bool sh_scan(Infer *inf)
{
    Type a;
    uint32_t dim;
    return want_tensor(inf, 0, &a) && want_dim(inf, 1, a.rank, &dim) &&
           give_like(inf, &a, (DType)a.dtype);
}

bool sh_scan_index(Infer *inf)
{
    Type a;
    uint32_t dim;
    if (!want_tensor(inf, 0, &a) || !must_be_real(inf, &a) || !want_dim(inf, 1, a.rank, &dim))
        return false;
    inf->out_is_tuple = true;
    return give_like(inf, &a, (DType)a.dtype) && give_like(inf, &a, DT_i64);
}
