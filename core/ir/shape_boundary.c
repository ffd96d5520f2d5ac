/*
 * shape_boundary.c - rules of statements that are not tensor computations: unpacking, checks, del.
 *
 * Their results, where they have any, take their types from the text, so most rules here accept
 * whatever comes and give nothing.
 */
#include "shape.h"
#include "shape_util.h"

bool sh_opaque(Infer *inf)
{
    inf->nout = 0;
    return true;
}

bool sh_nothing(Infer *inf)
{
    inf->nout = 0;
    return true;
}

static bool metadata_shape_differs(Infer *inf, const Type *a)
{
    Ints shape;
    if (arg_is_none(inf->args[1]))
        return false;
    if (!want_ints(inf, 1, &shape))
        return true;
    bool same = shape.n == a->rank;
    for (uint32_t i = 0; same && i < a->rank; i++)
        same = shape.v[i] == a->shape[i];
    if (!same)
        infer_error(inf, 1, "'a' has shape %.*s, not %.*s",
                    STR(describe_shape(inf, a->rank, a->shape)),
                    STR(describe_shape(inf, shape.n, shape.v)));
    return !same;
}

bool sh_assert_metadata(Infer *inf)
{
    Type a;
    DType dtype;
    Device dev;
    if (!want_tensor(inf, 0, &a) || metadata_shape_differs(inf, &a))
        return false;
    if (!arg_is_none(inf->args[3])) {
        if (!want_dtype(inf, 3, &dtype))
            return false;
        if (dtype != a.dtype)
            return infer_error(inf, 3, "'a' has dtype %s, not %s", dtype_info[a.dtype].name,
                               dtype_info[dtype].name);
    }
    if (!arg_is_none(inf->args[4])) {
        if (!want_device(inf, 4, &dev))
            return false;
        if (!device_eq(dev, a.device))
            return infer_error(inf, 4, "'a' (%.*s) is on another device",
                               STR(describe_type(inf, &a)));
    }
    inf->nout = 0;
    return true;
}
