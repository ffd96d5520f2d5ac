/*
 * number.c - the one rule for numbers beside tensors.
 *
 * Input: a prim and one of its operands that is a number, not a tensor. Output: the dtype that the
 * number is of there, and the number as it is in that dtype. Whoever runs a prim, writes its text
 * or computes it in f64 asks here, so that all of them take the same number.
 */
#include "ir.h"

#include <math.h>

double dtype_round(double v, DType d)
{
    int exponent;
    if (d == DT_f32)
        return (double)(float)v;
    if (!dtype_is_float(d) || d == DT_f64 || isnan(v) || v == 0)
        return v;
    const DTypeInfo *f = &dtype_info[d];
    if (f->bytes == 1) /* as PyTorch: by way of f32 */
        v = (double)(float)v;
    if (isinf(v))
        return copysign(f->beyond, v);
    frexp(v, &exponent);
    int unit = (exponent > f->normal ? exponent : f->normal + 1) - f->digits;
    double r = ldexp(rint(ldexp(v, -unit)), unit);
    return copysign(fabs(r) > f->largest ? f->beyond : r, v);
}

/* Gives one of its operands, or tells which is larger: nothing is computed. */
static bool chooses(const Op *op)
{
    return (op->flags & OP_COMPARISON) || op->id == PRIM_where || op->id == PRIM_maximum ||
           op->id == PRIM_minimum || op->id == PRIM_nextafter;
}

static bool is_element(uint32_t prim, uint32_t i)
{
    return (prim == PRIM_full && i == 1) || (prim == PRIM_pad && i == 1) ||
           (prim == PRIM_scatter && i == 2) || (prim == PRIM_copy_with_setitem && i == 2);
}

/* The dtype of the tensors among the operands; a condition is none of them. */
static DType tensor_dtype(const Trace *t, const Node *n)
{
    for (uint32_t i = n->op->id == PRIM_where ? 1 : 0; i < n->nargs; i++) {
        const Value *v = n->args[i].kind == ARG_value ? value_get(t, n->args[i].v) : NULL;
        if (v && v->type.kind == VALUE_tensor)
            return (DType)v->type.dtype;
    }
    return DT_none;
}

DType op_number_dtype(const Trace *t, const Node *n, uint32_t i)
{
    DType d = DT_none;
    if (n->op->language != LANG_prims)
        return DT_none;
    bool element = is_element(n->op->id, i);
    if (element && n->out.kind == ARG_value)
        d = (DType)value_get(t, n->out.v)->type.dtype;
    else if ((n->op->flags & OP_ELEMENTWISE) && !(n->op->id == PRIM_where && i == 0))
        d = tensor_dtype(t, n);
    if (!dtype_is_inexact(d))
        return DT_none;
    return element || chooses(n->op) ? d : dtype_opmath(d);
}

Arg number_round(Arg x, DType d)
{
    bool real = x.kind == ARG_int || x.kind == ARG_float || x.kind == ARG_bool;
    if (!real || !dtype_is_inexact(d))
        return x;
    double v = x.kind == ARG_float ? x.f : (double)x.i, r = dtype_round(v, dtype_real(d));
    return r == v || isnan(v) ? x : A_FLOAT(r);
}

Arg op_number(const Trace *t, const Node *n, uint32_t i)
{
    Arg x = n->args[i];
    if (x.kind == ARG_value && arg_is_number(value_get(t, x.v)->known))
        x = value_get(t, x.v)->known;
    return number_round(x, op_number_dtype(t, n, i));
}
