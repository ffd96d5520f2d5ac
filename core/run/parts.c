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

static bool run_part(Session *s, const Trace *t, TraceKind kind, Tensor *const *inputs,
                     const Run *before, Run *out, Diag *d)
{
    Trace *part = trace_part(t, kind);
    uint32_t kept = before ? arg_leaves(before->t->output.items[0]) : 0;
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

/* ---------------------------------------------------------------------------------- as programs */

static Program *part_program(Session *s, const Program *whole, const Trace *t, TraceKind kind)
{
    Trace *part = trace_part(t, kind);
    const char *what = kind == TRACE_forward ? "forward" : "backward";
    part->norigins = part->nvalues; /* stage 0 of a program: every value is its own origin */
    Program *p = session_add_trace(s, part);
    session_rename(s, p, arena_printf(&p->arena, "%.*s.%s", STR(whole->name), what));
    for (uint32_t i = 0; i < part->ninputs; i++) {
        const Value *v = &part->values[part->inputs[i]];
        MapEntry *e = map_get(&whole->bindings, v->name);
        Diag ignored = {0};
        if (e && e->p)
            program_bind_value(p, v, e->p, &ignored);
        diag_clear(&ignored);
    }
    return p;
}

bool program_link(Program *forward, Program *backward, Diag *d)
{
    const Trace *f = program_root(forward)->trace, *b = program_root(backward)->trace;
    bool two = f->output.kind == ARG_tuple && f->output.n == 2 && arg_is_seq(f->output.items[1]);
    uint32_t n = two ? arg_leaves(f->output.items[1]) : 0;
    ValueId *kept = run_realloc(NULL, (n + 1) * sizeof *kept);
    bool fits = two && forward != backward && n <= b->ninputs &&
                arg_values(f->output.items[1], kept, n) == n;
    for (uint32_t i = 0; fits && i < n; i++)
        fits = type_equal(&f->values[kept[i]].type, &b->values[b->inputs[i]].type);
    free(kept);
    if (!fits) {
        diag_help(d, diag_error(d, DIAG_usage, (Span){0}, "not-parts",
                                "%.*s does not keep what %.*s takes first", STR(forward->name),
                                STR(backward->name)),
                  "parts");
        return false;
    }
    forward->feeds = backward;
    forward->nfed = n;
    return true;
}

Program *program_fed(const Program *forward)
{
    return forward->feeds;
}

Program *program_parts(Session *s, Program *p, const Stage *st, Diag *d)
{
    if (!trace_is_split(st->trace)) {
        bool ends = trace_end_of_forward(st->trace) != NO_NODE;
        diag_help(d, diag_error(d, DIAG_usage, (Span){0}, "not-split", "stage %.*s %s",
                                STR(st->name),
                                ends ? "does not list all that its backward part reads"
                                     : "has no forward and backward part"),
                  ends ? "parts split" : "grad all, then parts remat");
        return NULL;
    }
    Program *forward = part_program(s, p, st->trace, TRACE_forward);
    Program *backward = part_program(s, p, st->trace, TRACE_backward);
    session_select(s, forward);
    program_link(forward, backward, d);
    return forward;
}

void program_feed(Program *p, const Run *run)
{
    if (!p->feeds || run->noutputs < p->nfed)
        return;
    const Trace *t = program_root(p->feeds)->trace;
    for (uint32_t i = 0; i < p->nfed && i < t->ninputs; i++) {
        Tensor *kept = run->outputs[run->noutputs - p->nfed + i];
        Diag ignored = {0};
        if (kept)
            program_bind_value(p->feeds, &t->values[t->inputs[i]], kept, &ignored);
        diag_clear(&ignored);
    }
}
