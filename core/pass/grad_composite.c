/*
 * grad_composite.c - vjp rules of composites: where the rule of the whole is more stable, or
 * cheaper, than those of its prims. All others are opened.
 */
#include "vjp.h"

VJP(softmax)
{
    GIVE(0, CALL("softmax_backward", g, OUT, args[1], A_DTYPE(cl_dtype(b, args[0]))));
}

VJP(log_softmax)
{
    GIVE(0, CALL("log_softmax_backward", g, OUT, args[1], A_DTYPE(cl_dtype(b, args[0]))));
}

VJP(sigmoid)
{
    GIVE(0, CALL("sigmoid_backward", g, OUT));
}

static const struct {
    const char *name;
    VjpFn *rule;
} table[] = {
    {"softmax", vjp_softmax},
    {"log_softmax", vjp_log_softmax},
    {"sigmoid", vjp_sigmoid},
};

VjpFn *composite_vjp(const Op *op)
{
    for (size_t i = 0; op->language == LANG_torch && i < ARRAY_LEN(table); i++)
        if (str_is(str_from(op->name), table[i].name))
            return table[i].rule;
    return NULL;
}

bool op_stops_grad(const Op *op)
{
    return (op->flags & OP_NO_GRAD) != 0;
}
