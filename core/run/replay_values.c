/*
 * replay_values.c - whether a program that loads is refused for the values of its inputs.
 *
 * Input: a call of `replay --rejects` that loads. Output: the first error of running it on values
 * that suit no operator: recorded calls have types but no values, and an index out of range or a
 * negative probability is found only when it is read. The error must be one of a check of values,
 * by an operator of the program that makes such checks: any other says nothing about the call.
 */
#include "run.h"

#include <string.h>

static bool fill_input(Program *p, const Value *input, double x, Diag *d)
{
    const Type *type = &input->type;
    Tensor *t = tensor_new((DType)type->dtype, (Device){DEV_cpu, 0}, type->rank, type->shape);
    if (!t)
        return false;
    for (int64_t i = 0; i < tensor_numel(t); i++) {
        char *at = (char *)tensor_data(t) + i * dtype_info[type->dtype].bytes;
        if (dtype_is_inexact((DType)type->dtype))
            elem_set_f64(at, (DType)type->dtype, x);
        else
            elem_set_i64(at, (DType)type->dtype, (int64_t)x);
    }
    bool good = program_bind_value(p, input, t, d);
    tensor_unref(t);
    return good;
}

/* Runs the program with x everywhere; true after an error, which is in d. */
static bool fails_with(Session *s, Program *p, double x, Diag *d)
{
    const Trace *t = program_root(p)->trace;
    Run run;
    for (uint32_t i = 0; i < t->ninputs; i++) {
        const Value *input = &t->values[t->inputs[i]];
        if (input->type.kind != VALUE_tensor || !fill_input(p, input, x, d))
            return false;
    }
    if (!session_run(s, p, program_root(p), NULL, &run, d))
        return true;
    run_free(&run);
    return false;
}

/* The errors of such checks, and what the operators are that make them. */
static const struct {
    const char *code;
    uint32_t flags;
} value_checks[] = {
    {"index-out-of-range", OP_INDEXING},
    {"bad-index", OP_INDEXING},
    {"assertion-failed", OP_CHECK},
};

static bool checks_values(const Trace *t, const DiagItem *error)
{
    for (size_t i = 0; i < ARRAY_LEN(value_checks); i++) {
        if (strcmp(error->code, value_checks[i].code) != 0)
            continue;
        for (NodeId n = 0; n < t->nnodes; n++)
            if (t->nodes[n].op->language == LANG_prims &&
                t->nodes[n].op->flags & value_checks[i].flags)
                return true;
    }
    return false;
}

bool replay_refused_for_values(Session *s, Program *p, StrBuf *why)
{
    static const double fills[] = {-1, 0, 1e6};
    for (size_t i = 0; i < ARRAY_LEN(fills); i++) {
        Diag d = {0};
        bool failed = fails_with(s, p, fills[i], &d) && d.first &&
                      checks_values(program_root(p)->trace, d.first);
        if (failed)
            sb_printf(why,
                      "accepted: its values, which are not recorded, decide; with %g: %.*s",
                      fills[i], STR(d.first->message));
        diag_clear(&d);
        if (failed)
            return true;
    }
    return false;
}
