/*
 * gradients.c - switching gradients on and off for a program of the session.
 *
 * Input: which inputs. Output: pass joint on, with its options, and the cursor at the joint stage.
 * Cotangents are inputs of that stage; each that has no tensor yet is bound to ones, so that the
 * stage runs at once. They have the types of the program's outputs, which change when autocast is
 * switched or other sizes are bound; then they are made anew, from the tensor that was given.
 */
#include "run.h"

#include <stdlib.h>

typedef struct Cotangent {
    Tensor *given; /* NULL: filled with a number */
    double fill;
} Cotangent;

static Tensor *filled_like(const Value *v, double with)
{
    Tensor *t = tensor_new((DType)v->type.dtype, v->type.device, v->type.rank, v->type.shape);
    if (!t)
        return NULL;
    size_t size = dtype_info[t->dtype].bytes;
    char *at = tensor_data(t);
    const double number[2] = {with, 0};
    for (int64_t i = 0, n = tensor_numel(t); i < n; i++)
        elem_set_c128(at + (size_t)i * size, t->dtype, number);
    return t;
}

static Cotangent *remember(Program *p, Str name, Tensor *given, double fill)
{
    Cotangent *c = run_realloc(NULL, sizeof *c);
    *c = (Cotangent){given ? tensor_ref(given) : NULL, fill};
    return map_put(&p->cotangents, name, NULL)->p = c;
}

static void forget(MapEntry *e)
{
    Cotangent *c = e->p;
    tensor_unref(c->given);
    free(c);
}

void cotangents_forget(Program *p, Str name)
{
    MapEntry *one = name.n ? map_get(&p->cotangents, name) : NULL;
    if (one) {
        forget(one);
        map_remove(&p->cotangents, name);
    } else if (!name.n) {
        map_for_each(&p->cotangents, e)
            forget(e);
        map_free(&p->cotangents);
    }
}

void cotangents_fit(Program *p, const Trace *t)
{
    for (uint32_t i = program_root(p)->trace->ninputs; i < t->ninputs; i++) {
        const Value *v = &t->values[t->inputs[i]];
        MapEntry *e = map_get(&p->bindings, v->name), *known = map_get(&p->cotangents, v->name);
        Tensor *now = e ? e->p : NULL;
        if (!now || v->type.kind != VALUE_tensor ||
            (now->dtype == v->type.dtype && tensor_has_shape(now, &v->type)))
            continue;
        Cotangent *c = known ? known->p : remember(p, v->name, now, 0);
        if (c->given && !tensor_has_shape(c->given, &v->type))
            continue;
        Tensor *fit = c->given ? tensor_cast(c->given, (DType)v->type.dtype)
                               : filled_like(v, c->fill);
        if (!fit)
            continue;
        e->p = fit;
        tensor_unref(now);
    }
}

/* Inputs of t from number `first` on, which are cotangents: those named cot_K with K below `zeros`
 * get zeros, the others ones. */
static bool bind_cotangents(Program *p, const Trace *t, uint32_t first, uint32_t zeros, Diag *d)
{
    for (uint32_t i = first; i < t->ninputs; i++) {
        const Value *v = &t->values[t->inputs[i]];
        MapEntry *e = map_get(&p->bindings, v->name);
        if (e && e->p)
            continue;
        uint32_t number = 0;
        for (size_t k = 4; k < v->name.n && v->name.p[k] >= '0' && v->name.p[k] <= '9'; k++)
            number = 10 * number + (uint32_t)(v->name.p[k] - '0');
        double fill = number < zeros ? 0 : 1;
        Tensor *cot = filled_like(v, fill);
        bool good = cot && program_bind_value(p, v, cot, d);
        tensor_unref(cot);
        if (!good)
            return false;
        remember(p, v->name, NULL, fill);
    }
    return true;
}

bool program_grad(Session *s, Program *p, Str wrt, bool ones, Diag *d)
{
    int slot = program_find_slot(p, S("joint"));
    if (slot < 0) {
        diag_help(d, diag_error(d, DIAG_usage, (Span){0}, "no-pass",
                                "pass joint is not in the pipeline of %.*s", STR(p->name)),
                  "passes");
        return false;
    }
    if (wrt.n == 0) {
        int again = program_find_slot(p, S("joint.2"));
        return (again < 0 || program_slot_set(s, p, (uint32_t)again, false, d)) &&
               program_training(s, p, false, d);
    }
    if (!session_set_option(s, S("joint.wrt"), wrt, d) ||
        !session_set_option(s, S("joint.cotangents"), ones ? S("ones") : S("given"), d) ||
        !program_training(s, p, true, d))
        return false;
    Stage *st = program_find_stage(s, p, S("joint"), d);
    if (!st) {
        Diag ignored = {0};
        program_training(s, p, false, &ignored);
        diag_clear(&ignored);
        return false;
    }
    return bind_cotangents(p, st->trace, program_root(p)->trace->ninputs, 0, d) &&
           program_goto(s, p, st, d) != STEP_error;
}

/* How many of the outputs of the program have a number as cotangents: those that are not None. */
static uint32_t numbered_outputs(const Trace *t)
{
    uint32_t n = trace_outputs(t, NULL, 0), numbered = 0;
    Arg *outs = run_realloc(NULL, (n + 1) * sizeof *outs);
    trace_outputs(t, outs, n);
    for (uint32_t i = 0; i < n; i++)
        numbered += !arg_is_none(outs[i]);
    free(outs);
    return numbered;
}

bool program_grad_again(Session *s, Program *p, Str wrt, Diag *d)
{
    int first = program_find_slot(p, S("joint")), again = program_find_slot(p, S("joint.2"));
    if (first < 0 || again < 0 || !p->slots[first].on) {
        diag_help(d, diag_error(d, DIAG_usage, (Span){0}, "no-gradients",
                                "there are no gradients yet that could have gradients"),
                  "grad all");
        return false;
    }
    if (wrt.n == 0)
        return program_slot_set(s, p, (uint32_t)again, false, d);
    Stage *before = program_find_stage(s, p, S("joint"), d);
    if (!before || !session_set_option(s, S("joint.2.wrt"), wrt, d) ||
        !program_slot_set(s, p, (uint32_t)again, true, d))
        return false;
    Stage *st = program_find_stage(s, p, S("joint.2"), d);
    if (!st) {
        Diag ignored = {0};
        program_slot_set(s, p, (uint32_t)again, false, &ignored);
        diag_clear(&ignored);
        return false;
    }
    uint32_t zeros = numbered_outputs(program_root(p)->trace);
    return bind_cotangents(p, st->trace, before->trace->ninputs, zeros, d) &&
           program_goto(s, p, st, d) != STEP_error;
}
