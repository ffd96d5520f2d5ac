/*
 * torch_lists.c - operators over lists of tensors: ATen's _foreach_ operators and the fused steps
 * of optimizers.
 *
 * One idea: _foreach_NAME is NAME for the k-th tensors of all lists, for every k. Its parameters
 * stand in the order of those of NAME.
 */
#include "notation.h"

#include <string.h>

/* Item k of an argument that is a list, or one number or tensor for all. */
static Arg item_of(Build *b, Arg x, uint32_t k, bool value)
{
    if (arg_is_seq(x))
        return x.items[k];
    bool spread = value && arg_is_tensor(b, x) && cl_rank(b, x) == 1; /* a tensor of n numbers */
    return spread ? cl_select(b, x, 0, k) : x;
}

static void same_length(Build *b, const Arg *args, uint32_t nargs)
{
    for (uint32_t i = 1; i < nargs; i++)
        if (arg_is_seq(args[i]) && args[i].n != args[0].n)
            build_error(b, (int)i,
                        "Tensor lists must have the same number of tensors, got %u and %u",
                        args[0].n, args[i].n);
}

DECOMPOSE(d_foreach)
{
    Str name = str_sub(str_from(b->op->name), strlen("_foreach_"), SIZE_MAX);
    StrBuf full = {0};
    sb_printf(&full, "ltorch.%.*s", STR(name));
    const Op *op = registry_find(b->t->reg, sb_str(&full));
    sb_free(&full);
    uint32_t nargs = b->op->sig.n, n = args[0].n;
    Arg *out = new_array(&b->t->arena, Arg, n ? n : 1);
    same_length(b, args, nargs);
    for (uint32_t k = 0; k < n && !b->failed; k++) {
        Arg call[MAX_PARAMS];
        for (uint32_t i = 0; i < op->sig.n; i++)
            call[i] = i < nargs ? item_of(b, args[i], k, str_is(op->sig.params[i].name, "value"))
                                : op->sig.params[i].dflt;
        out[k] = op_call(b, op, call);
    }
    return b->failed ? A_NONE : arg_list(b->t, out, n);
}

DECOMPOSE(d_foreach_norm)
{
    Arg *out = new_array(&b->t->arena, Arg, args[0].n ? args[0].n : 1);
    for (uint32_t k = 0; k < args[0].n && !b->failed; k++)
        out[k] = CALL("linalg_vector_norm", args[0].items[k], args[1]);
    return b->failed ? A_NONE : arg_list(b->t, out, args[0].n);
}

/* ---------------------------------------------------------------------------------- optimizers */

enum { MAX_STATE = 5 };

/* One parameter with its gradient and state, before and after a step. */
typedef struct Step {
    Arg was[MAX_STATE], is[MAX_STATE]; /* parameter, gradient, state */
    Arg count, lr, weight_decay, grad_scale;
    uint32_t n;
    bool decoupled, maximize;
} Step;

/* The gradient as the formula takes it: scaled back, turned round, with the decay of the weight. */
static Arg step_gradient(Build *b, Step *s)
{
    if (GIVEN(s->grad_scale))
        s->is[1] = DIV(s->was[1], s->grad_scale);
    Arg g = s->maximize ? NEG(s->is[1]) : s->is[1];
    if (cl_float(b, s->weight_decay) == 0)
        return g;
    if (!s->decoupled)
        return ADD(g, MUL(s->is[0], s->weight_decay));
    s->is[0] = SUB(s->is[0], MUL(s->is[0], MUL(s->lr, s->weight_decay)));
    return g;
}

/* 1 - beta ^ count. */
static Arg correction(Build *b, const Step *s, Arg beta)
{
    return SUB(F(1), POW(beta, s->count));
}

static void adam_step(Build *b, Step *s, const Arg *args)
{
    Arg beta1 = args[7], beta2 = args[8], eps = args[10], g = step_gradient(b, s);
    s->is[2] = CALL("lerp", s->was[2], g, F(1 - cl_float(b, beta1)));
    s->is[3] = ADD(MUL(s->was[3], beta2), MUL(MUL(g, g), F(1 - cl_float(b, beta2))));
    Arg square = s->is[3];
    if (cl_truth(b, args[11]))
        square = s->is[4] = MAX(s->was[4], s->is[3]);
    Arg size = DIV(s->lr, correction(b, s, beta1));
    Arg spread = ADD(DIV(SQRT(square), SQRT(correction(b, s, beta2))), eps);
    s->is[0] = SUB(s->is[0], DIV(MUL(size, s->is[2]), spread));
}

static void sgd_step(Build *b, Step *s, const Arg *args)
{
    Arg g = step_gradient(b, s), momentum = args[4], dampening = args[6];
    if (cl_float(b, momentum) != 0) {
        bool first = cl_truth(b, args[9]);
        s->is[2] = first ? emit(b, clone, g)
                         : ADD(MUL(s->was[2], momentum), MUL(g, F(1 - cl_float(b, dampening))));
        g = cl_truth(b, args[7]) ? ADD(g, MUL(s->is[2], momentum)) : s->is[2];
    }
    s->is[0] = SUB(s->is[0], MUL(g, s->lr));
}

/* Every step of lists: `lists` of them change. found_inf, where not zero, keeps all as it was. */
static Arg all_steps(Build *b, const Arg *args, uint32_t lists, Step s, Arg found_inf, Arg counts,
                     void (*step)(Build *b, Step *s, const Arg *args))
{
    Arg out[MAX_STATE], *columns[MAX_STATE];
    uint32_t n = args[0].n;
    for (uint32_t i = 0; i < lists; i++)
        columns[i] = new_array(&b->t->arena, Arg, n ? n : 1);
    for (uint32_t i = 1; i < lists; i++)
        if (args[i].n && args[i].n != n)
            build_error(b, (int)i, "%u tensors, but %u parameters", args[i].n, n);
    if (arg_is_seq(counts) && counts.n != n)
        build_error(b, (int)lists, "%u counts of steps, but %u parameters", counts.n, n);
    for (uint32_t k = 0; k < n && !b->failed; k++) {
        for (uint32_t i = 0; i < lists; i++)
            s.is[i] = s.was[i] = cl_item(args[i], k);
        s.count = cl_item(counts, k);
        step(b, &s, args);
        for (uint32_t i = 0; i < lists; i++) {
            bool skips = GIVEN(found_inf) && !arg_equal(s.is[i], s.was[i]);
            Arg is = skips ? WHERE(NE(found_inf, I(0)), s.was[i], s.is[i]) : s.is[i];
            columns[i][k] = GIVEN(is) ? TO(is, cl_dtype(b, s.was[i])) : is;
        }
    }
    for (uint32_t i = 0; i < lists && !b->failed; i++)
        out[i] = arg_list(b->t, columns[i], i == 0 ? n : args[i].n);
    return b->failed ? A_NONE : arg_tuple(b->t, out, lists);
}

static Arg adam(Build *b, const Arg *args, bool decoupled)
{
    Step s = {.decoupled = decoupled, .lr = args[6], .weight_decay = args[9]};
    s.maximize = cl_truth(b, args[12]);
    s.grad_scale = args[13];
    if (cl_truth(b, args[11]) && args[4].n != args[0].n)
        build_error(b, 4, "amsgrad needs as many max_exp_avg_sqs as parameters");
    return all_steps(b, args, 5, s, args[14], args[5], adam_step);
}

DECOMPOSE(d_fused_adam)
{
    return adam(b, args, false);
}

DECOMPOSE(d_fused_adamw)
{
    return adam(b, args, true);
}

DECOMPOSE(d_fused_sgd)
{
    Step s = {.lr = args[5], .weight_decay = args[3], .maximize = cl_truth(b, args[8])};
    s.grad_scale = args[10];
    if (cl_float(b, args[4]) != 0 && args[2].n != args[0].n)
        build_error(b, 2, "momentum needs as many buffers as parameters");
    return all_steps(b, args, 3, s, args[11], A_NONE, sgd_step);
}
