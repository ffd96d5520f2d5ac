/*
 * parts.c - the two parts of a training program, run one after the other and as programs.
 *
 * Input: a split trace or stage. Output: the results of forward, then of backward on what forward
 * kept; or two programs of the session, NAME.forward and NAME.backward, where a run of the first
 * binds what it kept as inputs of the second.
 */
#include "run.h"

#include <stdlib.h>

/* Which tensor an input of a part is: a saved one, else the input of the whole that it is. */
static Tensor **part_inputs(const Trace *part, const Trace *t, Tensor *const *inputs,
                            Tensor *const *saved, uint32_t nsaved)
{
    Tensor **list = run_realloc(NULL, (part->ninputs + 1) * sizeof *list);
    Tensor **by_value = run_realloc(NULL, t->nvalues * sizeof *by_value);
    for (ValueId v = 0; v < t->nvalues; v++)
        by_value[v] = NULL;
    for (uint32_t i = 0; i < t->ninputs; i++)
        by_value[t->inputs[i]] = inputs[i];
    for (uint32_t i = 0; i < part->ninputs; i++)
        list[i] = i < nsaved ? saved[i] : by_value[part->inputs[i]];
    free(by_value);
    return list;
}

/* How many leaves the forward part returns before those that it keeps. */
static uint32_t count_leaves(Arg a)
{
    uint32_t n = 0;
    if (!arg_is_seq(a))
        return 1;
    for (uint32_t i = 0; i < a.n; i++)
        n += count_leaves(a.items[i]);
    return n;
}

static bool run_part(Session *s, const Trace *t, TraceKind kind, Tensor *const *inputs,
                     const Run *before, Run *out, Diag *d)
{
    Trace *part = trace_part(t, kind);
    uint32_t kept = before ? count_leaves(before->t->output.items[0]) : 0;
    Tensor **list = part_inputs(part, t, inputs, before ? before->outputs + kept : NULL,
                                before ? before->noutputs - kept : 0);
    bool good = trace_run(s, part, list, NULL, out, d);
    free(list);
    trace_unref(part);
    return good;
}

bool trace_run_parts(Session *s, const Trace *t, Tensor *const *inputs, Run *forward,
                     Run *backward, Diag *d)
{
    *forward = *backward = (Run){0};
    if (run_part(s, t, TRACE_forward, inputs, NULL, forward, d) &&
        run_part(s, t, TRACE_backward, inputs, forward, backward, d))
        return true;
    run_free(forward);
    return false;
}
