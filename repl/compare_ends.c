/*
 * compare_ends.c - compare: what no node of a trace shows.
 *
 * Input: two runs that were compared value by value. Output: how many more differences there are,
 * and lines that tell them: inputs that the program changed, results of the ordinary run (in the
 * memory that was planned, where a value may have been overwritten too early), and gradients, which
 * the oracle knows by central differences only.
 */
#include "compare.h"
#include "differences.h"

static bool differs(Repl *r, const char *what, Str name, const Tensor *got, const Tensor *want,
                    double rtol, double atol)
{
    bool floats = want && dtype_is_float(got->dtype) && dtype_is_float(want->dtype);
    Tensor *rounded = want && !floats ? tensor_cast(want, got->dtype) : NULL;
    Comparison c = {.equal = !want};
    if (floats)
        c = tensor_compare_as(got, want, got->dtype, rtol, atol);
    else if (rounded)
        c = tensor_compare(got, rounded, rtol, atol);
    tensor_unref(rounded);
    if (c.equal)
        return false;
    if (r->out.mode != MODE_json)
        sentence(r, "%s%.*s: %lld of %lld element%s differ, by at most %.3g; first at number %lld, "
                 "%.9g against %.9g\n",
              what, STR(name), (long long)c.wrong, (long long)c.total,
              plural(c.total), c.max_abs,
              (long long)c.first, c.got, c.want);
    return true;
}

/* Final values of the inputs that y changed. */
static uint32_t compare_changed(Repl *r, Program *p, const Run *x, const Run *y, double rtol,
                                double atol)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < y->t->ninputs && y->mutated; i++) {
        Str name = y->t->values[y->t->inputs[i]].name;
        ValueId v = y->mutated[i] ? trace_find_value(x->t, name) : 0;
        if (!v)
            continue;
        const Tensor *now = program_binding(p, v);
        for (uint32_t k = 0; k < x->t->ninputs && x->mutated; k++)
            if (x->t->inputs[k] == v && x->mutated[k])
                now = x->mutated[k];
        found += now && differs(r, "changed in place, %", name, now, y->mutated[i], rtol, atol);
    }
    return found;
}

/* Results of a planned stage st against those of run y. */
static uint32_t compare_outputs(Repl *r, Program *p, const Stage *st, const Run *y, double rtol,
                                double atol, uint32_t *compared)
{
    Run run = {0};
    RunOptions o = {0};
    uint32_t found = 0;
    if (st->trace->plan_bytes < 0 || !session_run(r->session, p, st, &o, &run, &r->diag))
        return 0;
    for (uint32_t i = 0; i < run.noutputs && i < y->noutputs; i++)
        if (run.outputs[i] && y->outputs[i] && ++*compared)
            found += differs(r, "run as planned, output ",
                             arena_printf(&r->scratch, "%u", i), run.outputs[i], y->outputs[i],
                             rtol, atol);
    run_free(&run);
    return found;
}

static uint32_t compare_gradients(Repl *r, Program *p, const Stage *st)
{
    Differences d = {.seconds = 10};
    if (!differences_stage(r->session, p, st, &d, &r->diag))
        return 0;
    if (d.left && r->out.mode != MODE_json)
        sentence(r, "gradients of %u of %u inputs were checked by central differences: all would "
                 "take too long\n", d.checked, d.checked + d.left);
    if (d.agree)
        return 0;
    if (r->out.mode != MODE_json)
        sentence(r, "the gradient of %%%.*s gives a slope of %.6g, central differences give %.6g\n",
              STR(d.input), d.got, d.want);
    return 1;
}

uint32_t compare_ends(Repl *r, Program *p, const Operand *x, const Operand *y, Tolerance tol,
                      bool alike, uint32_t *results)
{
    bool oracle = y->rounding == ROUND_f64;
    uint32_t found = compare_changed(r, p, x->run, y->run, tol.rtol, tol.atol);
    if (x->st->trace->plan_bytes >= 0)
        found += compare_outputs(r, p, x->st, y->run, tol.rtol, tol.atol, results);
    else if (alike && !oracle)
        found += compare_outputs(r, p, y->st, x->run, tol.rtol, tol.atol, results);
    bool gradients = x->st->trace->kind == TRACE_joint;
    if (!oracle && gradients != (y->st->trace->kind == TRACE_joint) && r->out.mode != MODE_json)
        sentence(r, "one of the two has no gradients; compare last @f64 checks the others'\n");
    return found + (oracle ? compare_gradients(r, p, x->st) : 0);
}
