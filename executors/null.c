/*
 * null.c - the executor that takes everything and computes nothing.
 *
 * Input: any node. Output: zeros of the right types. It lets claiming, planning and running be
 * tested without the cost or the numbers of a real executor.
 */
#include "executors.h"

static bool can(const Trace *t, NodeId n, StrBuf *why_not)
{
    (void)t;
    (void)n;
    (void)why_not;
    return true;
}

static double cost(const Trace *t, NodeId n)
{
    (void)t;
    (void)n;
    return 0;
}

static bool zero_result(ExecCall *call, ValueId v)
{
    const Value *value = value_get(call->t, v);
    const Type *type = &value->type;
    if (call->values[v] || (type->kind != VALUE_tensor && type->kind != VALUE_number))
        return true;
    DType dtype = (DType)type->dtype;
    if (call->rounding == ROUND_f64 && dtype_is_inexact(dtype))
        dtype = dtype_is_complex(dtype) ? DT_c128 : DT_f64;
    uint32_t rank = type->kind == VALUE_tensor ? type->rank : 0;
    call->values[v] = tensor_new(dtype, type->device, rank, type->shape);
    if (call->values[v])
        return true;
    diag_error(call->diag, DIAG_compile, (Span){0}, "out-of-memory",
               "not enough memory for %.*s (%lld bytes)", STR(value->name),
               (long long)type_bytes(type));
    return false;
}

static bool run(ExecCall *call)
{
    ValueId outs[MAX_OUTPUTS];
    uint32_t n = arg_values(call->t->nodes[call->node].out, outs, MAX_OUTPUTS);
    for (uint32_t i = 0; i < n && i < MAX_OUTPUTS; i++)
        if (!zero_result(call, outs[i]))
            return false;
    return true;
}

const Executor exec_null = {
    .name = "null",
    .help = "takes everything and computes nothing: results are zeros",
    .kind = EXEC_operator,
    .can = can,
    .cost = cost,
    .run = run,
};
