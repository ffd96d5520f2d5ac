/*
 * judge.c - whether a stage does what the program says; see judge.h.
 */
#include "judge.h"

#include "differences.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- a program to experiment on */

void oracle_executors(const Program *p, ExecList *out)
{
    *out = *program_executors(p);
    bool taken = false;
    for (uint32_t i = out->n; i-- > 0;) {
        out->on[i] = out->on[i] && !taken && out->items[i]->kind != EXEC_fusion;
        taken |= out->on[i];
    }
}

const Stage *program_origin(const Program *p)
{
    return p->anchor->edited ? p->anchor : p->root;
}

static void copy_slots(Program *to, const Program *from, int skip_up_to)
{
    slots_free(to);
    to->nslots = from->nslots;
    to->slots = run_realloc(NULL, from->nslots * sizeof *to->slots);
    for (uint32_t i = 0; i < from->nslots; i++) {
        Slot *sl = &to->slots[i];
        *sl = from->slots[i];
        sl->name = arena_str(&to->arena, sl->name);
        sl->skip = NULL;
        if (sl->nskip) {
            sl->skip = run_realloc(NULL, sl->nskip * sizeof *sl->skip);
            memcpy(sl->skip, from->slots[i].skip, sl->nskip * sizeof *sl->skip);
        }
        sl->on = sl->on && (int)i > skip_up_to;
    }
}

Program *program_copy(Session *s, const Program *p, const Stage *from, RuleLog *log)
{
    uint32_t stage = from->trace->stage; /* a root's trace is numbered when it becomes one */
    Program *c = program_wrap(s, trace_ref(from->trace));
    from->trace->stage = stage;
    c->root->name = arena_str(&c->arena, from->name);
    c->name = arena_str(&c->arena, p->name);
    c->quiet = true;
    c->log = log;
    copy_slots(c, p, slot_of_stage(p, from));
    map_for_each(&p->bindings, e)
        map_put(&c->bindings, e->key, NULL)->p = e->p ? tensor_ref(e->p) : NULL;
    ExecList *l = new_of(&c->arena, ExecList);
    *l = *program_executors(p);
    c->executors = l;
    if (p->options) {
        c->options = p->options;
        c->noptions = p->noptions;
    }
    return c;
}

void program_copy_free(Program *p)
{
    if (p)
        program_free(p);
}

void program_lend(Session *s, Program *copy, const Stage *st)
{
    Diag ignored = {0};
    s->programs = run_realloc(s->programs, (s->nprograms + 1) * sizeof(Program *));
    s->programs[s->nprograms++] = copy;
    s->current = copy;
    program_goto(s, copy, (Stage *)st, &ignored);
    diag_clear(&ignored);
}

void program_take_back(Session *s, Program *copy, Program *current)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->nprograms; i++)
        if (s->programs[i] != copy)
            s->programs[n++] = s->programs[i];
    s->nprograms = n;
    s->current = current;
    copy->anchor = copy->root;
    cursor_reset(copy);
}

/* ---------------------------------------------------------------------------------- the oracle */

static bool run_origin(Judge *j, Rounding rounding, Run *out, Diag *d)
{
    ExecList list;
    oracle_executors(j->p, &list);
    RunOptions o = {.rounding = rounding, .executors = &list};
    Tensor **inputs = bound_inputs(j->p, j->origin);
    bool good = trace_run(j->s, j->origin, inputs, &o, out, d);
    free(inputs);
    j->runs++;
    return good;
}

bool judge_begin(Judge *j, Session *s, const Program *p, const Trace *origin,
                 const JudgeOptions *o, Diag *d)
{
    *j = (Judge){.s = s, .p = p, .origin = origin, .o = *o, .failure = ""};
    if (o->check)
        return true;
    if (run_origin(j, ROUND_f64, &j->exact, d) && run_origin(j, ROUND_dtype, &j->own, d))
        return true;
    judge_end(j);
    return false;
}

void judge_end(Judge *j)
{
    run_free(&j->exact);
    run_free(&j->own);
    arena_free(&j->arena);
}

/* ---------------------------------------------------------------------------------- one stage */

static Judgement bad(Judge *j, const char *failure, Str detail)
{
    j->failure = failure;
    j->detail = detail;
    return JUDGED_bad;
}

/* got against what the oracle has: in f64 and rounded once, with an allowance for what the program
 * loses in its own dtype; where that loses everything, what it gives there. */
static Comparison compare_result(const Judge *j, const Tensor *got, const Tensor *exact,
                                 const Tensor *own)
{
    double rtol = j->o.rtol, atol = j->o.atol;
    if (j->o.own_dtype)
        return tensor_compare(got, own, rtol, atol);
    Tensor *rounded = tensor_cast(exact, own->dtype);
    Comparison natural = tensor_compare(own, rounded, rtol, atol);
    default_tolerances(own->dtype, &rtol, &atol);
    bool hopeless = !isfinite(natural.max_abs);
    double more = hopeless || dtype_is_exact(own->dtype) ? 0 : 8 * natural.max_abs;
    Comparison c = tensor_compare(got, hopeless ? own : rounded, rtol, atol + more);
    tensor_unref(rounded);
    return c;
}

static Judgement judge_result(Judge *j, const char *what, Str name, const Tensor *got,
                              const Tensor *exact, const Tensor *own)
{
    if (!got || !own || !exact)
        return !got == !own ? JUDGED_good
                            : bad(j, "wrong-values",
                                  arena_printf(&j->arena, "%s%.*s is missing", what, STR(name)));
    Comparison c = compare_result(j, got, exact, own);
    if (c.equal)
        return JUDGED_good;
    if (!c.same_type)
        return bad(j, "wrong-type",
                   arena_printf(&j->arena, "%s%.*s has another type", what, STR(name)));
    return bad(j, "wrong-values",
               arena_printf(&j->arena, "%s%.*s: %lld of %lld element%s differ, %.9g against %.9g "
                                       "at number %lld",
                            what, STR(name), (long long)c.wrong, (long long)c.total,
                            plural(c.total), c.got, c.want,
                            (long long)c.first));
}

static Judgement judge_values(Judge *j, const Run *run)
{
    uint32_t n = j->own.noutputs;
    if (run->noutputs < n)
        return bad(j, "wrong-values", S("outputs are missing"));
    Judgement g = JUDGED_good;
    for (uint32_t i = 0; i < n && g == JUDGED_good; i++)
        g = judge_result(j, "output ", arena_printf(&j->arena, "%u", i), run->outputs[i],
                         j->exact.outputs[i], j->own.outputs[i]);
    for (uint32_t i = 0; i < j->origin->ninputs && g == JUDGED_good; i++) {
        Str name = j->origin->values[j->origin->inputs[i]].name;
        const Tensor *now = NULL;
        for (uint32_t k = 0; k < run->t->ninputs; k++)
            if (str_eq(run->t->values[run->t->inputs[k]].name, name))
                now = run->mutated[k];
        if (!now && j->own.mutated[i]) /* not written at all: still what was bound */
            now = map_get(&j->p->bindings, name) ? map_get(&j->p->bindings, name)->p : NULL;
        if (j->own.mutated[i])
            g = judge_result(j, "the input %", name, now, j->exact.mutated[i], j->own.mutated[i]);
    }
    return g;
}

/* A program in f16 or bf16 is asked twice, because differences of rounded values tell nothing: its
 * trace in double precision against differences finds a wrong rule, and its gradients against that
 * find a wrong kernel. */
static Judgement judge_lowered(Judge *j, const Program *p, const Stage *st, const Run *run,
                               Diag *d)
{
    ExecList list;
    oracle_executors(p, &list);
    Tensor **inputs = bound_inputs(p, st->trace);
    RunOptions wide = {.rounding = ROUND_f64, .executors = &list}, own = {.executors = &list};
    Run exact = {0}, natural = {0};
    Judgement g = JUDGED_stopped;
    if (trace_run(j->s, st->trace, inputs, &wide, &exact, d) &&
        trace_run(j->s, st->trace, inputs, &own, &natural, d)) {
        g = JUDGED_good;
        for (uint32_t i = j->own.noutputs; i < run->noutputs && g == JUDGED_good; i++)
            g = judge_result(j, "gradient ", arena_printf(&j->arena, "%u", i - j->own.noutputs),
                             run->outputs[i], exact.outputs[i], natural.outputs[i]);
        if (g == JUDGED_bad)
            j->failure = "wrong-gradient";
        j->kernel = g == JUDGED_bad;
    }
    free(inputs);
    run_free(&exact);
    run_free(&natural);
    j->runs += 2;
    return g;
}

static Judgement judge_gradients(Judge *j, Program *p, const Stage *st, const Run *run, Diag *d)
{
    const Stage *before = stage_before_gradients(st);
    const Trace *forward = before ? before->trace : j->forward;
    Differences diff = {.seconds = 0};
    bool low = before && in_low_precision(st->trace);
    if (!forward || run->noutputs <= j->own.noutputs)
        return JUDGED_good;
    if (!(low ? differences_stage(j->s, p, st, &diff, d)
              : differences_check(j->s, p, forward, run, &diff, d)))
        return JUDGED_stopped;
    if (diff.agree)
        return low ? judge_lowered(j, p, st, run, d) : JUDGED_good;
    return bad(j, "wrong-gradient",
               arena_printf(&j->arena, "the gradient of %%%.*s gives a slope of %.6g, differences "
                                       "give %.6g",
                            STR(diff.input), diff.got, diff.want));
}

/* The errors in d are those of the stage: they say how it failed. */
static Judgement judge_error(Judge *j, const Diag *d)
{
    const DiagItem *item = d->first;
    while (item && item->severity != SEV_error)
        item = item->next;
    if (!item || item->kind == DIAG_interrupt)
        return JUDGED_stopped;
    return bad(j, item->code, arena_str(&j->arena, item->message));
}

static Judgement judge_run(Judge *j, Program *p, const Stage *st, const ExecList *executors,
                           Diag *d)
{
    Run run = {0};
    RunOptions o = {.executors = executors};
    if (!trace_verify(st->trace, d) || !session_run(j->s, p, st, &o, &run, d))
        return judge_error(j, d);
    Judgement g = judge_values(j, &run);
    if (g == JUDGED_good)
        g = judge_gradients(j, p, st, &run, d);
    run_free(&run);
    return g;
}

Judgement judge_stage(Judge *j, Program *p, const Stage *st, const ExecList *executors, Diag *why)
{
    j->failure = "";
    j->detail = (Str){0};
    j->kernel = false;
    if (!st)
        return judge_error(j, why);
    j->runs++;
    if (j->o.check && executors)
        return JUDGED_unknown; /* commands run a stage on the executors that claimed */
    if (j->o.check) {
        StrBuf how = {0};
        Judgement g = j->o.check(j->o.user, p, st, &how);
        if (g == JUDGED_bad)
            bad(j, "check-failed", arena_str(&j->arena, sb_str(&how)));
        sb_free(&how);
        return g;
    }
    Diag d = {0};
    Judgement g = judge_run(j, p, st, executors, &d);
    diag_clear(&d);
    return g;
}

bool judge_program(Judge *j, Str *detail)
{
    const double rtol = 1e-2, atol = 1e-3;
    for (uint32_t i = 0; !j->o.check && i < j->own.noutputs; i++) {
        const Tensor *own = j->own.outputs[i], *exact = j->exact.outputs[i];
        Tensor *rounded = own && exact ? tensor_cast(exact, own->dtype) : NULL;
        Comparison c = {.equal = true};
        if (rounded)
            c = tensor_compare(own, rounded, rtol, atol);
        tensor_unref(rounded);
        if (!c.equal && c.first >= 0) {
            *detail = arena_printf(&j->arena, "%lld of %lld element%s of output %u: %.6g, not %.6g",
                                   (long long)c.wrong, (long long)c.total, plural(c.total), i,
                                   c.got, c.want);
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------------------- single operators */

/* Whether node n can be run again on what a run kept: it reads no storage that is written, and
 * draws nothing. */
static bool is_repeatable(const Trace *t, NodeId n)
{
    uint32_t stays_out = OP_IN_PLACE | OP_RANDOM | OP_OPAQUE | OP_HOST | OP_CONTROL | OP_KEEP |
                         OP_UNPACK | OP_CHECK | OP_COLLECTIVE;
    const Node *node = &t->nodes[n];
    return node->span == 1 && node->op->language == LANG_prims && !(node->op->flags & stays_out);
}

/* terms: how large the terms may be that were added up, of which little may be left. */
static Comparison compare_operator(const Tensor *own, const Tensor *exact, double terms)
{
    double rtol = -1, atol = -1;
    default_tolerances(own->dtype, &rtol, &atol);
    Tensor *rounded = tensor_cast(exact, own->dtype);
    Comparison c = tensor_compare(own, rounded, 8 * rtol, 8 * (atol + rtol * terms));
    c.equal = c.equal && tensor_same_zeros(own, rounded);
    tensor_unref(rounded);
    return c;
}

/* Runs node n in f64 on the values of a run; the results that it should have had are in out. */
static bool run_again(Judge *j, const Trace *t, NodeId n, const Executor *e, Tensor *const *kept,
                      Tensor **values, Diag *d)
{
    ValueId ids[64];
    Arg all = {.kind = ARG_tuple, .n = t->nodes[n].nargs, .items = t->nodes[n].args};
    uint32_t nin = arg_values(all, ids, ARRAY_LEN(ids));
    for (uint32_t i = 0; i < nin && i < ARRAY_LEN(ids); i++)
        values[ids[i]] = kept[ids[i]];
    ExecCall call = {.t = t, .node = n, .values = values, .rounding = ROUND_f64, .diag = d,
                     .interrupt = &j->s->interrupt};
    bool good = e->run(&call);
    for (uint32_t i = 0; i < nin && i < ARRAY_LEN(ids); i++)
        values[ids[i]] = NULL;
    return good;
}

/* Whether an element of the result is a sum of operands, or of products of them. */
static bool adds_up(const Op *op)
{
    return op->id == PRIM_matmul || op->id == PRIM_linear || op->id == PRIM_convolution ||
           op->id == PRIM_sum || op->id == PRIM_cumsum;
}

static Tensor *sizes_of(const Tensor *x)
{
    Tensor *t = tensor_cast(x, DT_f64);
    double *at = t ? tensor_data(t) : NULL;
    for (int64_t i = 0, n = t ? tensor_numel(t) : 0; i < n; i++)
        at[i] = fabs(at[i]);
    return t;
}

/* The largest sum of sizes that node n makes of what a run kept; 0 where it adds nothing up. */
static double largest_terms(Judge *j, const Trace *t, NodeId n, const Executor *e,
                            Tensor *const *kept, Tensor **values)
{
    ValueId ids[64], out;
    Arg all = {.kind = ARG_tuple, .n = t->nodes[n].nargs, .items = t->nodes[n].args};
    uint32_t nin = arg_values(all, ids, ARRAY_LEN(ids));
    Tensor *sizes[ARRAY_LEN(ids)] = {0};
    Diag ignored = {0};
    double most = 0;
    if (!adds_up(t->nodes[n].op) || nin > ARRAY_LEN(ids) ||
        arg_values(t->nodes[n].out, &out, 1) != 1)
        return 0;
    for (uint32_t i = 0; i < nin; i++) {
        if (!kept[ids[i]] || dtype_is_complex(kept[ids[i]]->dtype))
            continue;
        values[ids[i]] = sizes[i] = sizes_of(kept[ids[i]]);
    }
    ExecCall call = {.t = t, .node = n, .values = values, .rounding = ROUND_f64,
                     .diag = &ignored, .interrupt = &j->s->interrupt};
    Tensor *sums = e->run(&call) ? values[out] : NULL;
    Tensor *wide = sums ? tensor_cast(sums, DT_f64) : NULL;
    for (int64_t i = 0, m = wide ? tensor_numel(wide) : 0; i < m; i++)
        most = fmax(most, ((const double *)tensor_data(wide))[i]);
    tensor_unref(wide);
    tensor_unref(sums);
    values[out] = NULL;
    for (uint32_t i = 0; i < nin; i++) {
        values[ids[i]] = NULL;
        tensor_unref(sizes[i]);
    }
    diag_clear(&ignored);
    return isfinite(most) ? most : 0;
}

/* Products leave the range of their dtype on the way, which f64 does not show. */
static bool is_product(const Op *op)
{
    return op->id == PRIM_prod || op->id == PRIM_cumprod;
}

static bool is_right(Judge *j, const Trace *t, NodeId n, const Executor *e, const Run *run,
                     Tensor **values, Str *detail)
{
    ValueId outs[MAX_OUTPUTS];
    uint32_t nout = arg_values(t->nodes[n].out, outs, MAX_OUTPUTS);
    Diag ignored = {0};
    bool right = true;
    double terms = largest_terms(j, t, n, e, run->values, values);
    if (run_again(j, t, n, e, run->values, values, &ignored))
        for (uint32_t i = 0; i < nout && i < MAX_OUTPUTS; i++) {
            Tensor *own = run->values[outs[i]], *exact = values[outs[i]];
            Comparison c = {.equal = true};
            if (own && exact && right)
                c = compare_operator(own, exact, terms);
            c.equal |= c.first >= 0 && !isfinite(c.got) && is_product(t->nodes[n].op);
            right = right && c.equal;
            if (!c.equal && c.first < 0)
                *detail = S("a zero of the other sign");
            else if (!c.equal)
                *detail = arena_printf(&j->arena, "%.9g instead of %.9g at number %lld", c.got,
                                       c.want, (long long)c.first);
            tensor_unref(exact);
            values[outs[i]] = NULL;
        }
    diag_clear(&ignored);
    return right;
}

NodeId judge_operators(Judge *j, const Trace *t, Str *detail, Diag *d)
{
    ExecList list;
    oracle_executors(j->p, &list);
    const Executor *e = NULL;
    for (uint32_t i = 0; i < list.n; i++)
        e = list.on[i] ? list.items[i] : e;
    RunOptions o = {.keep_values = true, .executors = &list};
    Tensor **inputs = bound_inputs(j->p, t);
    Run run = {0};
    NodeId found = NO_NODE;
    if (e && trace_run(j->s, t, inputs, &o, &run, d)) {
        Tensor **values = run_realloc(NULL, t->nvalues * sizeof *values);
        memset(values, 0, t->nvalues * sizeof *values);
        for (NodeId n = 0; n < t->nnodes && found == NO_NODE && !j->s->interrupt; n++)
            if (is_repeatable(t, n) && !is_right(j, t, n, e, &run, values, detail))
                found = n;
        free(values);
        run_free(&run);
    }
    free(inputs);
    j->runs += 2;
    return found;
}
