/*
 * interp_boundary.c - kernels of statements at the edges of a program: unpacking and checks.
 *
 * Containers do not exist at run time: whoever runs the program binds their elements, and these
 * kernels see that this was done.
 */
#include "interp.h"

static bool elements_bound(Interp *x, const char *what)
{
    for (uint32_t i = 0; i < x->nout; i++) {
        const Value *v = value_get(x->t, x->outs[i]);
        if (v->type.kind == VALUE_tensor && !x->call->values[x->outs[i]])
            return fail(x, "no-value", "%.*s, %s, is not bound", STR(v->name), what);
    }
    return true;
}

bool k_unpack_getitem(Interp *x)
{
    return elements_bound(x, "an element of a collection");
}

bool k_unpack_sequence(Interp *x)
{
    return elements_bound(x, "an element of a sequence");
}

static bool shape_matches(const Tensor *t, Arg shape)
{
    if (!arg_is_seq(shape) || shape.n != t->rank)
        return false;
    for (uint32_t i = 0; i < t->rank; i++)
        if (shape.items[i].kind == ARG_int && shape.items[i].i != t->shape[i])
            return false;
    return true;
}

/* Devices are not compared: a program may run on another one than it names. */
bool k_check_tensor(Interp *x)
{
    Tensor *t = in_tensor(x, 0);
    Arg dtype = x->node->args[3];
    if (!t)
        return false;
    if (!shape_matches(t, x->node->args[1]))
        return fail(x, "check-failed",
                    "%s does not have the shape that the program was traced with",
                    operand_name(x, 0));
    if (dtype.kind == ARG_dtype && run_dtype(x, (DType)dtype.dtype) != run_dtype(x, t->dtype))
        return fail(x, "check-failed", "%s has dtype %s, the program was traced with %s",
                    operand_name(x, 0), dtype_info[t->dtype].name, dtype_info[dtype.dtype].name);
    return true;
}

bool k_assert_scalar(Interp *x)
{
    Arg message = x->node->args[1];
    Tensor *t = in_tensor(x, 0);
    double v[2];
    if (!t)
        return false;
    if (tensor_numel(t) != 1)
        return fail(x, "assertion-failed", "%s is not one condition", operand_name(x, 0));
    elem_get_c128(tensor_data(t), t->dtype, v);
    if (v[0] != 0 || v[1] != 0)
        return true;
    Str text = message.kind == ARG_str ? arg_str(message) : S("the condition does not hold");
    return fail(x, "assertion-failed", "%.*s", STR(text));
}
