/*
 * inject.c - the one fault that is active in a test build, and what faults of operators do.
 *
 * Input: the name of a fault and of the value at which it acts. Output: answers to INJECT; results
 * of the interpreter, spoiled. Linked into thunder-repl-faults only. The fault is kept for the
 * whole process: that program runs one session.
 */
#include "inject.h"

#include "pass.h"

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

/* Which law of ir.h is broken, by which pass, from which application on. */
typedef enum Law { LAW_none, LAW_definition, LAW_producer, LAW_type, LAW_output, LAW_COUNT } Law;
static const char *const law_names[] = {"", "definition", "producer", "type", "output"};
static Law law;
static char pass[32];
static uint64_t broken_from;

bool inject_here(FaultId fault, Str value)
{
    return active == fault && str_is(value, site);
}

uint64_t inject_key(void)
{
    return (active + 1000 * (law + LAW_COUNT * broken_from)) * 0x9e3779b97f4a7c15u;
}

/* "break LAW PASS N" */
static bool set_break(Str words)
{
    Str rest = words, name = str_cut(&rest, ' '), in = str_cut(&rest, ' ');
    int64_t n = 0;
    law = LAW_none;
    for (int i = 1; i < LAW_COUNT; i++)
        law = str_is(name, law_names[i]) ? (Law)i : law;
    snprintf(pass, sizeof pass, "%.*s", STR(in));
    broken_from = str_to_i64(str_trim(rest), &n) ? (uint64_t)n : 0;
    return law != LAW_none;
}

bool inject_set(Str words, Diag *d)
{
    Str value = str_trim(words), name = str_cut(&value, ' ');
    if (str_is(name, "break") && set_break(str_trim(value)))
        return true;
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

/* ---------------------------------------------------------------------------------------- laws */

/* The first statements that give one tensor; how many of the two there are. */
static int two_statements(const Trace *t, NodeId out[2])
{
    int n = 0;
    for (NodeId i = 0; i < t->nnodes && n < 2; i += t->nodes[i].span)
        if (t->nodes[i].out.kind == ARG_value && t->nodes[i].span == 1)
            out[n++] = i;
    return n;
}

void inject_break(const PassCtx *c, Trace *t)
{
    NodeId two[2];
    if (law == LAW_none || strcmp(c->info->name, pass) != 0 || c->applied <= broken_from)
        return;
    int n = two_statements(t, two);
    ValueId ghost = trace_add_value(t, (Type){.kind = VALUE_any}, S("ghost"));
    Arg *args = n ? arena_copy(&t->arena, t->nodes[two[0]].args,
                               t->nodes[two[0]].nargs * sizeof *args) : NULL;
    if (law == LAW_output || n < 2) {
        t->output = A_VALUE(ghost);
    } else if (law == LAW_definition) {
        args[0] = A_VALUE(t->nodes[two[1]].out.v);
        t->nodes[two[0]].args = args;
    } else if (law == LAW_producer) {
        t->nodes[two[1]].out = t->nodes[two[0]].out;
    } else {
        t->values[t->nodes[two[0]].out.v].type.dtype = DT_i8;
    }
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
