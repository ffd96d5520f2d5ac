/*
 * shape_elementwise.c - shape rules of elementwise prims.
 *
 * Input: operands that are tensors of one shape and dtype, or tensors and numbers, or numbers only.
 * Output: a tensor of that shape, or a number. One idea: join() finds the common type of the
 * operands, and each rule says which dtypes it takes and what dtype comes out.
 */
#include "shape.h"
#include "shape_util.h"

static bool refuse_dtype(Infer *inf, int arg, const Type *t, const char *need)
{
    return infer_error(
        inf, arg, "argument '%s' must be %s, not %.*s", param_name(inf, arg), need,
        STR(t->kind == VALUE_number ? describe_arg(inf, inf->args[arg]) : describe_type(inf, t)));
}

/* ------------------------------------------------------------------------------- one operand */

bool sh_same(Infer *inf)
{
    Arg a = inf->args[0];
    Type t = operand_type(inf, a);
    if (is_tensor_type(&t))
        return give_like(inf, &t, (DType)t.dtype);
    if (is_number_type(&t))
        return give_number(inf, (DType)t.dtype,
                           inf->op->id == PRIM_shallow_copy
                               ? (a.kind == ARG_value ? inf->t->values[a.v].known : a)
                               : A_NONE);
    if (t.kind == VALUE_dead || inf->op->id != PRIM_shallow_copy)
        return refuse_dtype(inf, 0, &(Type){.kind = VALUE_number}, "a tensor or a number");
    inf->out[inf->nout++] = t; /* a collection, a string: a new name for it */
    return true;
}

bool sh_real_only(Infer *inf)
{
    Type t;
    if (!want_operand(inf, 0, &t))
        return false;
    if (dtype_is_complex((DType)t.dtype))
        return refuse_dtype(inf, 0, &t, "real");
    return give_operand(inf, &t, (DType)t.dtype);
}

bool sh_neg(Infer *inf)
{
    Type t;
    if (!want_operand(inf, 0, &t))
        return false;
    if (t.kind == VALUE_tensor && t.dtype == DT_b8)
        return refuse_dtype(inf, 0, &t, "a number type (use logical_not or bitwise_not)");
    return give_operand(inf, &t,
                        t.kind == VALUE_number && t.dtype == DT_b8 ? DT_i64 : (DType)t.dtype);
}

/* Of a number that is an int or bool the result is a float. */
static bool inexact(Infer *inf, bool complex_too)
{
    Type t;
    if (!want_operand(inf, 0, &t))
        return false;
    if (!complex_too && dtype_is_complex((DType)t.dtype))
        return refuse_dtype(inf, 0, &t, "real");
    if (t.kind == VALUE_number)
        return give_number(inf, dtype_is_exact((DType)t.dtype) ? DT_f64 : (DType)t.dtype, A_NONE);
    if (!dtype_is_inexact((DType)t.dtype))
        return refuse_dtype(inf, 0, &t,
                            complex_too ? "of a floating or complex dtype" : "of a floating dtype");
    return give_like(inf, &t, (DType)t.dtype);
}

bool sh_same_inexact(Infer *inf)
{
    return inexact(inf, true);
}

bool sh_same_float(Infer *inf)
{
    return inexact(inf, false);
}

bool sh_same_exact(Infer *inf)
{
    Type t;
    if (!want_operand(inf, 0, &t))
        return false;
    if (!dtype_is_exact((DType)t.dtype))
        return refuse_dtype(inf, 0, &t, "of integers or bools");
    return give_operand(inf, &t, (DType)t.dtype);
}

bool sh_same_bool(Infer *inf)
{
    Type t;
    return want_operand(inf, 0, &t) && give_operand(inf, &t, DT_b8);
}

bool sh_signbit(Infer *inf)
{
    Type t;
    if (!want_operand(inf, 0, &t))
        return false;
    if (dtype_is_complex((DType)t.dtype))
        return refuse_dtype(inf, 0, &t, "real");
    return give_operand(inf, &t, DT_b8);
}

bool sh_abs(Infer *inf)
{
    Type t;
    return want_operand(inf, 0, &t) && give_operand(inf, &t, dtype_real((DType)t.dtype));
}

bool sh_real(Infer *inf)
{
    return sh_abs(inf);
}

bool sh_imag(Infer *inf)
{
    Type t;
    if (!want_operand(inf, 0, &t))
        return false;
    if (!dtype_is_complex((DType)t.dtype))
        return refuse_dtype(inf, 0, &t, "complex");
    return give_operand(inf, &t, dtype_real((DType)t.dtype));
}

/* A literal's value as another number type; None when it is not known. */
static Arg convert_known(const Infer *inf, Arg a, DType to)
{
    if (a.kind == ARG_value)
        a = inf->t->values[a.v].known;
    bool is_float = a.kind == ARG_float;
    if (a.kind != ARG_int && a.kind != ARG_bool && !is_float)
        return A_NONE;
    switch (dtype_info[to].category) {
    case CAT_BOOL:
        return A_BOOL(is_float ? a.f != 0 : a.i != 0);
    case CAT_INT:
        if (!is_float)
            return A_INT(a.i);
        return a.f > -9.2e18 && a.f < 9.2e18 ? A_INT((int64_t)a.f) : A_NONE;
    case CAT_FLOAT:
        return A_FLOAT(is_float ? a.f : (double)a.i);
    default:
        return A_NONE;
    }
}

bool sh_convert(Infer *inf)
{
    Type t;
    DType dtype;
    if (!want_operand(inf, 0, &t) || !want_dtype(inf, 1, &dtype))
        return false;
    if (t.kind == VALUE_number)
        return give_number(inf, dtype, convert_known(inf, inf->args[0], dtype));
    return give_like(inf, &t, dtype);
}

bool sh_bitcast(Infer *inf)
{
    Type t;
    DType dtype;
    if (!want_tensor(inf, 0, &t) || !want_dtype(inf, 1, &dtype))
        return false;
    if (dtype_info[dtype].bytes != dtype_info[t.dtype].bytes)
        return infer_error(inf, 1, "%s has %u byte%s, %s has %u: the bits cannot be read as it",
                           dtype_info[t.dtype].name, dtype_info[t.dtype].bytes,
                           plural(dtype_info[t.dtype].bytes), dtype_info[dtype].name,
                           dtype_info[dtype].bytes);
    return give_like(inf, &t, dtype);
}

/* -------------------------------------------------------------------------- several operands */

/* What the operands have in common. */
typedef struct Joined {
    Type type;  /* of the result: shape and device of the tensors, or a number */
    Type first; /* the first tensor with that shape */
    int first_arg;
    bool any_tensor;
} Joined;

/* A 0-d tensor in host memory may stand beside tensors on another device, like a number. */
static bool is_host_scalar(const Type *t)
{
    return t->kind == VALUE_tensor && t->rank == 0 && t->device.type == DEV_cpu;
}

static bool join_tensor(Infer *inf, Joined *j, int arg, const Type *t)
{
    if (!j->any_tensor || (is_host_scalar(&j->first) && !device_eq(t->device, j->first.device))) {
        j->any_tensor = true;
        j->first = *t;
        j->first_arg = arg;
        return true;
    }
    if (is_host_scalar(t) && !device_eq(t->device, j->first.device))
        return true;
    if (!type_same_shape(t, &j->first))
        return infer_error(inf, arg,
                           "arguments '%s' and '%s' have shapes %.*s and %.*s, "
                           "which differ",
                           param_name(inf, j->first_arg), param_name(inf, arg),
                           STR(describe_shape(inf, j->first.rank, j->first.shape)),
                           STR(describe_shape(inf, t->rank, t->shape)));
    return want_same_device(inf, arg, t, &j->first);
}

/* A number meets a tensor of at least its category: ints meet floats, floats do not meet ints. */
static bool check_number(Infer *inf, int arg, const Type *number, DType tensor)
{
    if (dtype_info[number->dtype].category <= dtype_info[tensor].category)
        return true;
    return infer_error(inf, arg, "argument '%s' is %.*s, which a tensor of %s cannot meet",
                       param_name(inf, arg), STR(describe_arg(inf, inf->args[arg])),
                       dtype_info[tensor].name);
}

/* Joins the operands args[from..to): one shape, one device, one dtype. */
static bool join(Infer *inf, int from, int to, Joined *j)
{
    Type t[4];
    DType dtype = DT_none;
    int dtype_arg = -1;
    *j = (Joined){.first_arg = -1};
    for (int i = from; i < to; i++) {
        if (!want_operand(inf, i, &t[i - from]))
            return false;
        if (t[i - from].kind == VALUE_tensor && !join_tensor(inf, j, i, &t[i - from]))
            return false;
    }
    uint8_t category = 0;
    for (int i = from; i < to; i++) {
        const Type *x = &t[i - from];
        if (x->kind == VALUE_number) {
            if (dtype_info[x->dtype].category > category)
                category = dtype_info[x->dtype].category;
        } else if (dtype == DT_none) {
            dtype = (DType)x->dtype;
            dtype_arg = i;
        } else if (x->dtype != dtype) {
            return infer_error(inf, i,
                               "arguments '%s' and '%s' have dtypes %s and %s, which differ",
                               param_name(inf, dtype_arg), param_name(inf, i),
                               dtype_info[dtype].name, dtype_info[x->dtype].name);
        }
    }
    static const DType of_category[] = {DT_b8, DT_i64, DT_f64, DT_c128};
    j->type = j->any_tensor ? j->first : type_number(of_category[category]);
    if (!j->any_tensor)
        return true;
    j->type.dtype = (uint8_t)dtype;
    for (int i = from; i < to; i++)
        if (t[i - from].kind == VALUE_number && !check_number(inf, i, &t[i - from], dtype))
            return false;
    return true;
}

static bool refuse_joined(Infer *inf, const Joined *j, const char *need)
{
    return infer_error(inf, j->first_arg < 0 ? 0 : j->first_arg,
                       "the operands must be %s, not %.*s", need,
                       STR(describe_type(inf, &j->type)));
}

bool sh_elementwise(Infer *inf)
{
    Joined j;
    if (!join(inf, 0, 2, &j))
        return false;
    DType d = (DType)j.type.dtype;
    if (j.any_tensor && d == DT_b8 && inf->op->id == PRIM_sub)
        return refuse_joined(inf, &j, "of a number type (use logical or bitwise operators)");
    return give_operand(inf, &j.type, !j.any_tensor && d == DT_b8 ? DT_i64 : d);
}

bool sh_elementwise_real(Infer *inf)
{
    Joined j;
    if (!join(inf, 0, 2, &j))
        return false;
    if (dtype_is_complex((DType)j.type.dtype))
        return refuse_joined(inf, &j, "real");
    return give_operand(inf, &j.type, (DType)j.type.dtype);
}

bool sh_elementwise_float(Infer *inf)
{
    Joined j;
    if (!join(inf, 0, 2, &j))
        return false;
    if (!j.any_tensor && dtype_is_exact((DType)j.type.dtype))
        return give_number(inf, DT_f64, A_NONE);
    if (!dtype_is_float((DType)j.type.dtype))
        return refuse_joined(inf, &j, "of a floating dtype");
    return give_operand(inf, &j.type, (DType)j.type.dtype);
}

bool sh_elementwise_exact(Infer *inf)
{
    Joined j;
    if (!join(inf, 0, 2, &j))
        return false;
    if (!dtype_is_exact((DType)j.type.dtype))
        return refuse_joined(inf, &j, "integers or bools");
    return give_operand(inf, &j.type, (DType)j.type.dtype);
}

bool sh_compare(Infer *inf)
{
    Joined j;
    return join(inf, 0, 2, &j) && give_operand(inf, &j.type, DT_b8);
}

bool sh_order(Infer *inf)
{
    Joined j;
    if (!join(inf, 0, 2, &j))
        return false;
    if (dtype_is_complex((DType)j.type.dtype))
        return refuse_joined(inf, &j, "real: complex numbers have no order");
    return give_operand(inf, &j.type, DT_b8);
}

bool sh_complex(Infer *inf)
{
    Joined j;
    if (!join(inf, 0, 2, &j))
        return false;
    if (!j.any_tensor && !dtype_is_complex((DType)j.type.dtype))
        return give_number(inf, DT_c128, A_NONE);
    DType d = complex_dtype((DType)j.type.dtype);
    if (d == DT_none)
        return refuse_joined(inf, &j, "f16, f32 or f64");
    return give_like(inf, &j.type, d);
}

bool sh_lerp(Infer *inf)
{
    Joined j;
    Type start, end;
    if (!want_tensor(inf, 0, &start) || !want_tensor(inf, 1, &end) || !join(inf, 0, 3, &j))
        return false;
    if (!dtype_is_inexact((DType)j.type.dtype))
        return refuse_joined(inf, &j, "of a floating or complex dtype");
    return give_like(inf, &j.type, (DType)j.type.dtype);
}

/* The dtype of a tensor made from numbers alone, as PyTorch's defaults have it. */
static DType default_dtype(DType number)
{
    return number == DT_f64 ? DT_f32 : number == DT_c128 ? DT_c64 : number;
}

bool sh_where(Infer *inf)
{
    Joined j;
    Type pred;
    if (!want_operand(inf, 0, &pred) || !join(inf, 1, 3, &j))
        return false;
    if (pred.dtype != DT_b8)
        return refuse_dtype(inf, 0, &pred, "of bools");
    DType d = (DType)j.type.dtype;
    if (pred.kind == VALUE_number)
        return give_operand(inf, &j.type, d);
    if (!j.any_tensor)
        return give_like(inf, &pred, default_dtype(d));
    Joined shape = j;
    if (!join_tensor(inf, &shape, 0, &pred))
        return false;
    return give_like(inf, &shape.first, d);
}
