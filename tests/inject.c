/*
 * inject.c - the one fault that is active in a test build, and what faults of operators do.
 *
 * Input: the name of a fault and of the value at which it acts. Output: answers to INJECT; results
 * of the interpreter, spoiled. Linked into thunder-repl-faults only. The fault is kept for the
 * whole process: that program runs one session.
 */
#include "inject.h"

#include "exec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const FaultInfo fault_table[FAULT_COUNT] = {
    {.name = "off"},
#define FAULT(name, kind, place, rule, site, value, setup, arguments, help)                        \
    {#name, kind, place, rule, site, value, setup, arguments, help},
#include "inject.def"
#undef FAULT
};

static FaultId active;
static char site[64];

bool inject_here(FaultId fault, Str value)
{
    return active == fault && str_is(value, site);
}

uint64_t inject_key(void)
{
    return active * 0x9e3779b97f4a7c15u;
}

bool inject_set(Str words, Diag *d)
{
    Str value = str_trim(words), name = str_cut(&value, ' ');
    for (int i = 0; i < FAULT_COUNT; i++) {
        if (!str_is(name, fault_table[i].name))
            continue;
        active = (FaultId)i;
        value = str_trim(value);
        if (value.n && value.p[0] == '%')
            value = str_sub(value, 1, value.n);
        if (!value.n)
            value = str_from(fault_table[i].site);
        snprintf(site, sizeof site, "%.*s", STR(value));
        return true;
    }
    diag_error(d, DIAG_usage, (Span){0}, "no-fault", "there is no fault '%.*s'", STR(name));
    return false;
}

/* --------------------------------------------------------------------------------------- nodes */

void inject_swap(Trace *t, NodeId n)
{
    Node *node = &t->nodes[n];
    Arg *args = arena_copy(&t->arena, node->args, node->nargs * sizeof *args);
    if (node->nargs < 2)
        return;
    args[0] = node->args[1];
    args[1] = node->args[0];
    node->args = args;
}

void inject_truncate(Trace *t, NodeId from)
{
    for (NodeId n = from; n < t->nnodes; n++) {
        Node *node = &t->nodes[n];
        for (uint32_t k = 0; k < node->nargs; k++) {
            if (node->args[k].kind != ARG_float || node->args[k].f == trunc(node->args[k].f))
                continue;
            Arg *args = arena_copy(&t->arena, node->args, node->nargs * sizeof *args);
            args[k].f = trunc(args[k].f);
            node->args = args;
            return;
        }
    }
}

/* ------------------------------------------------------------------------------------ operators */

static double get(const Tensor *t, int64_t i)
{
    return elem_get_f64((char *)tensor_data(t) + i * dtype_info[t->dtype].bytes, t->dtype);
}

static void set(Tensor *t, int64_t i, double v)
{
    elem_set_f64((char *)tensor_data(t) + i * dtype_info[t->dtype].bytes, t->dtype, v);
}

static void spoil_cat(Tensor *out)
{
    Tensor *right = tensor_clone(out);
    int64_t n = tensor_numel(out);
    for (int64_t i = 0; i < n; i++)
        set(out, i, get(right, (i + 1) % n));
    tensor_unref(right);
}

static void spoil_mask(Tensor *out, Tensor *taken)
{
    Tensor *dense = tensor_contiguous(taken);
    int64_t last = tensor_numel(out) - 1;
    if (last >= 0 && tensor_numel(dense) > last)
        set(out, last, get(dense, last));
    tensor_unref(dense);
}

static void spoil_zeros(Tensor *out)
{
    for (int64_t i = 0, n = tensor_numel(out); i < n; i++)
        if (get(out, i) == 0)
            set(out, i, 0);
}

static void spoil_factor(Tensor *out, const Node *node)
{
    for (uint32_t k = 0; k < node->nargs; k++)
        for (int64_t i = 0, n = tensor_numel(out); i < n && node->args[k].kind == ARG_float; i++)
            set(out, i, get(out, i) / node->args[k].f * trunc(node->args[k].f));
}

static void spoil_sum(Tensor *out, Tensor *summed)
{
    Tensor *dense = tensor_contiguous(summed);
    int64_t n = tensor_numel(out), m = n ? tensor_numel(dense) / n : 0;
    for (int64_t i = 0; i < n && m; i++)
        set(out, i, get(out, i) - get(dense, (i + 1) * m - 1));
    tensor_unref(dense);
}

void inject_result(struct ExecCall *call)
{
    const Node *node = &call->t->nodes[call->node];
    ValueId v = 0;
    if (call->rounding == ROUND_f64 || !active || !arg_values(node->out, &v, 1))
        return;
    Str name = call->t->values[v].name;
    Tensor *out = call->values[v];
    if (!out || !str_is(name, site) || !tensor_is_contiguous(out))
        return;
    if (active == FAULT_op_cat && node->op->id == PRIM_cat)
        spoil_cat(out);
    else if (active == FAULT_op_mask && node->op->id == PRIM_where && arg_is_value(node->args[1]))
        spoil_mask(out, call->values[node->args[1].v]);
    else if (active == FAULT_op_negative_zero && node->op->id == PRIM_neg)
        spoil_zeros(out);
    else if (active == FAULT_op_scalar && node->op->id == PRIM_mul)
        spoil_factor(out, node);
    else if (active == FAULT_op_sum && node->op->id == PRIM_sum)
        spoil_sum(out, call->values[node->args[0].v]);
}
