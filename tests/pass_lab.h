/*
 * pass_lab.h - a bench for the tests of passes: a registry with a few composites, an executor list,
 * and one function that runs a pass and checks what must hold of every stage.
 */
#ifndef PASS_LAB_H
#define PASS_LAB_H

#include "pass.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

typedef struct Lab {
    Registry reg;
    Diag d;
    RuleLog log;
    ExecList executors;
    Trace *t; /* the stage at hand */
    Build b;
    Option options[4];
    uint32_t noptions;
    PassCtx last; /* of the pass that ran last */
} Lab;

static inline void lab_fail_on_errors(Lab *l, const char *what)
{
    if (l->d.nerrors == 0)
        return;
    StrBuf text = {0};
    diag_render_all(&l->d, false, &text);
    ck_abort_msg("%s: %s", what, sb_cstr(&text));
}

/* Runs one pass on `in` with that fuel and without the application `skip` (UINT64_MAX = all). */
static inline Trace *lab_run(Lab *l, const Trace *in, const char *pass, uint64_t fuel,
                             uint64_t skip)
{
    l->last = (PassCtx){.info = pass_find(str_from(pass)),
                        .executors = &l->executors,
                        .reg = &l->reg,
                        .diag = &l->d,
                        .log = &l->log,
                        .stage = in->stage + 1,
                        .fuel = fuel,
                        .skip = &skip,
                        .nskip = 1,
                        .options = l->options,
                        .noptions = l->noptions};
    ck_assert_ptr_nonnull(l->last.info);
    Trace *out = pass_run(&l->last, in);
    lab_fail_on_errors(l, pass);
    ck_assert_ptr_nonnull(out);
    trace_verify(out, &l->d);
    lab_fail_on_errors(l, pass);
    return out;
}

/* Runs a pass on the stage at hand and goes on to what it made. */
static inline void lab_pass(Lab *l, const char *pass)
{
    Trace *out = lab_run(l, l->t, pass, UINT64_MAX, UINT64_MAX);
    trace_unref(l->t);
    l->t = out;
}

static inline Arg lab_input(Lab *l, const char *name, DType dtype, uint32_t rank,
                            const int64_t *shape)
{
    Type type = {.kind = VALUE_tensor, .dtype = (uint8_t)dtype, .rank = rank, .shape = shape};
    return A_VALUE(trace_add_input(l->t, type, str_from(name)));
}

static inline Arg lab_matrix(Lab *l, const char *name)
{
    return lab_input(l, name, DT_f32, 2, (const int64_t[]){4, 6});
}

static inline Arg lab_call(Lab *l, const char *op, Arg a, Arg b)
{
    const Op *found = registry_find(&l->reg, str_from(op));
    ck_assert_msg(found != NULL, "no operator %s", op);
    Arg args[MAX_PARAMS] = {a, b};
    return op_call(&l->b, found, args);
}

static inline void lab_finish(Lab *l, const Arg *outputs, uint32_t n)
{
    l->t->output = n == 1 ? outputs[0] : arg_tuple(l->t, outputs, n);
    trace_finish(l->t);
    ck_assert(!l->b.failed);
    trace_verify(l->t, &l->d);
    lab_fail_on_errors(l, "stage 0");
}

static inline uint32_t lab_count(const Lab *l, const char *op)
{
    uint32_t n = 0;
    for_top(l->t, i)
        n += strcmp(l->t->nodes[i].op->name, op) == 0;
    return n;
}

/* Composites: an elementwise one of several prims, an in-place one, and a view of two steps. */
static inline Arg lab_decompose_swish(Build *b, const Arg *a)
{
    Arg e = emit(b, exp, emit(b, neg, a[0]));
    return emit(b, mul, a[0], emit(b, reciprocal, emit(b, add, e, A_FLOAT(1.0))));
}

static inline Arg lab_decompose_plus(Build *b, const Arg *a)
{
    return emit(b, add, a[0], a[1]);
}

static inline Arg lab_decompose_plus_(Build *b, const Arg *a)
{
    return emit(b, copy_, emit(b, add, a[0], a[1]), a[0], A_BOOL(true));
}

static inline Arg lab_decompose_row(Build *b, const Arg *a)
{
    Type type = arg_type(b, a[0]);
    int64_t start[2] = {a[1].i, 0}, end[2] = {a[1].i + 1, type.shape[1]}, zero = 0;
    Arg part = emit(b, slice_prim, a[0], arg_ints(b->t, start, 2), arg_ints(b->t, end, 2), A_NONE);
    return emit(b, squeeze, part, arg_ints(b->t, &zero, 1));
}

static inline Lab *lab_new(const Executor *const *executors, uint32_t n)
{
    static const OpRow rows[] = {
        {.name = "lab_swish",
         .signature = "a:T",
         .flags = OP_ELEMENTWISE,
         .decompose = lab_decompose_swish},
        {.name = "lab_plus",
         .signature = "a:T, b:V",
         .flags = OP_ELEMENTWISE,
         .decompose = lab_decompose_plus},
        {.name = "lab_plus_",
         .signature = "a:T, b:V",
         .flags = OP_IN_PLACE,
         .decompose = lab_decompose_plus_},
        {.name = "lab_row",
         .signature = "a:T, i:i",
         .flags = OP_SHAPE | OP_VIEW,
         .decompose = lab_decompose_row},
    };
    Lab *l = calloc(1, sizeof *l);
    registry_init(&l->reg);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        OpRow row = rows[i];
        row.spellings = row.help = "";
        ck_assert_ptr_nonnull(registry_add(&l->reg, LANG_torch, &row, NULL, &l->d));
    }
    for (uint32_t i = 0; i < n; i++) {
        l->executors.items[l->executors.n] = executors[i];
        l->executors.on[l->executors.n++] = true;
    }
    l->t = trace_new(&l->reg, S("f"));
    l->b = (Build){.t = l->t, .diag = &l->d};
    return l;
}

static inline void lab_free(Lab *l)
{
    trace_unref(l->t);
    log_free(&l->log);
    diag_clear(&l->d);
    registry_free(&l->reg);
    free(l);
}

/* xorshift: the same programs on every machine. */
static inline uint32_t lab_random(uint64_t *state, uint32_t below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 33) % below;
}

#endif
