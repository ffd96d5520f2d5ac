/*
 * gradients.c - switching gradients on and off for a program of the session.
 *
 * Input: which inputs. Output: pass grad on, with its options, and the cursor at the joint stage.
 * Cotangents are inputs of that stage; each that has no tensor yet is bound to ones, so that the
 * stage runs at once.
 */
#include "run.h"

#include <string.h>

static Tensor *ones_like(const Value *v)
{
    Tensor *t = tensor_new((DType)v->type.dtype, v->type.device, v->type.rank, v->type.shape);
    if (!t)
        return NULL;
    size_t size = dtype_info[t->dtype].bytes;
    char *at = tensor_data(t);
    const double one[2] = {1, 0};
    for (int64_t i = 0, n = tensor_numel(t); i < n; i++)
        elem_set_c128(at + (size_t)i * size, t->dtype, one);
    return t;
}

static bool bind_cotangents(Program *p, const Trace *t, Diag *d)
{
    for (uint32_t i = program_root(p)->trace->ninputs; i < t->ninputs; i++) {
        const Value *v = &t->values[t->inputs[i]];
        MapEntry *e = map_get(&p->bindings, v->name);
        if (e && e->p)
            continue;
        Tensor *ones = ones_like(v);
        bool good = ones && program_bind_value(p, v, ones, d);
        tensor_unref(ones);
        if (!good)
            return false;
    }
    return true;
}

bool program_grad(Session *s, Program *p, Str wrt, bool ones, Diag *d)
{
    int slot = program_find_slot(p, S("grad"));
    if (slot < 0) {
        diag_help(d, diag_error(d, DIAG_usage, (Span){0}, "no-pass",
                                "pass grad is not in the pipeline of %.*s", STR(p->name)),
                  "passes");
        return false;
    }
    if (wrt.n == 0)
        return program_training(s, p, false, d);
    if (!session_set_option(s, S("grad.wrt"), wrt, d) ||
        !session_set_option(s, S("grad.cotangents"), ones ? S("ones") : S("given"), d) ||
        !program_training(s, p, true, d))
        return false;
    Stage *st = program_find_stage(s, p, S("grad"), d);
    if (!st) {
        Diag ignored = {0};
        program_training(s, p, false, &ignored);
        diag_clear(&ignored);
        return false;
    }
    return bind_cotangents(p, st->trace, d) && program_goto(s, p, st, d) != STEP_error;
}
