/*
 * why_saved.c - why the backward part of a training program is given a value, or computes it again.
 *
 * Input: a value of any stage. Output: sentences with the figures of the pass that decided, and the
 * command that changes it.
 */
#include "run.h"

#include <stdlib.h>

typedef struct Answer {
    Session *s;
    Program *p;
    Stage **line;
    uint32_t n;
    const Stage *split, *remat; /* NULL where the line has none */
    StrBuf *out;
} Answer;

static void find_stages(Answer *a)
{
    a->line = line_stages(a->s, a->p, &a->n);
    for (uint32_t i = 0; i < a->n; i++) {
        const Stage *st = a->line[i];
        if (!a->split && trace_end_of_forward(st->trace) != NO_NODE)
            a->split = st;
        if (st->pass == pass_find(S("remat")))
            a->remat = st;
    }
}

/* The entry of remat about v, or about the value that v is a copy of. */
static const RuleEntry *decision(const Answer *a, ValueId v)
{
    const Trace *t = a->remat ? a->remat->trace : NULL;
    for (uint32_t k = t ? t->log_begin : 0; t && k < t->log_end && k < a->p->log->n; k++) {
        const RuleEntry *e = log_at(a->p->log, k);
        if (e->subject == v || (e->other && e->other == v))
            return e;
    }
    return NULL;
}

/* Half the budget of now keeps less, while there is one. */
static void kept_sentence(const Answer *a, Str name, Str reason)
{
    double budget = 1;
    str_to_f64(session_option(a->s, S("remat.memory_budget"), S("1")), &budget);
    sb_printf(a->out, "%.*s: %.*s.", STR(name), STR(reason));
    if (budget > 0)
        sb_printf(a->out, " `option remat.memory_budget %.2g` keeps less, for more time.",
                  budget > 0.1 ? budget / 2 : 0);
    sb_putc(a->out, '\n');
}

static void decision_sentence(const Answer *a, const RuleEntry *e)
{
    Str name = value_shown(a->p, e->subject);
    if (e->verdict == RULE_done && e->other)
        sb_printf(a->out, "%.*s is computed again in the backward part, as %%%.*s: %.*s. "
                          "`pass skip remat %u` keeps it.\n",
                  STR(name), STR(a->remat->trace->values[e->other].name), STR(rule_reason(e)),
                  e->index + 1);
    else if (e->verdict == RULE_done && str_starts(str_from(e->kind->rule), "kept"))
        sb_printf(a->out, "%.*s is kept no more, and the backward part has no need of it: %.*s.\n",
                  STR(name), STR(rule_reason(e)));
    else if (e->verdict == RULE_done)
        sb_printf(a->out, "%.*s is computed by the forward part and kept: %.*s. "
                          "`pass skip remat %u` leaves it to the backward part.\n",
                  STR(name), STR(rule_reason(e)), e->index + 1);
    else if (e->verdict == RULE_skipped)
        sb_printf(a->out, "%.*s is kept, since this application was left out: %.*s.\n", STR(name),
                  STR(rule_reason(e)));
    else
        kept_sentence(a, name, rule_reason(e));
}

static void saved_sentence(const Answer *a, const Trace *t, const Saved *saved)
{
    const Value *v = &t->values[saved->v];
    StrBuf op = {0};
    op_qualified_name(t->nodes[saved->reader].op, &op);
    sb_printf(a->out, "%.*s, ", STR(v->name));
    sb_bytes(a->out, (double)saved->bytes);
    sb_printf(a->out, ", is read by %s in the backward part; ", sb_cstr(&op));
    if (trace_is_input(t, saved->v))
        sb_puts(a->out, "it is an input, which is the caller's: keeping it costs nothing.\n");
    else if (!a->remat)
        sb_puts(a->out, "pass remat is off. `pass on remat` computes again what is cheap.\n");
    else
        sb_puts(a->out, "it is what other values are computed again from.\n");
    sb_free(&op);
}

/* The first result of the first node behind `maker` that reads v; 0 = none. */
static ValueId first_reader(const Trace *t, NodeId maker, ValueId v)
{
    ValueId out = 0;
    for (NodeId n = maker + t->nodes[maker].span; n < t->nnodes; n += t->nodes[n].span)
        if (node_reads(&t->nodes[n], v) && arg_values(t->nodes[n].out, &out, 1))
            return out;
    return 0;
}

static void on_the_way_sentence(const Answer *a, const Trace *t, ValueId v)
{
    NodeId maker = t->values[v].producer;
    ValueId reader = first_reader(t, maker, v);
    StrBuf op = {0};
    op_qualified_name(t->nodes[maker].op, &op);
    sb_printf(a->out, "%.*s, ", STR(value_shown(a->p, v)));
    sb_bytes(a->out, (double)type_bytes(&t->values[v].type));
    sb_printf(a->out, " that are not kept, is computed again by %s", sb_cstr(&op));
    if (reader)
        sb_printf(a->out, ", on the way to %%%.*s", STR(t->values[reader].name));
    sb_puts(a->out, ".\n");
    sb_free(&op);
}

/* What the trace itself says of v. */
static void plain_sentence(const Answer *a, ValueId v)
{
    const Trace *t = (a->remat ? a->remat : a->split)->trace;
    Saved *saved;
    uint32_t n = trace_saved(t, &saved), i = 0;
    while (i < n && saved[i].v != v)
        i++;
    NodeId maker = v < t->nvalues ? t->values[v].producer : NO_NODE;
    Str name = value_shown(a->p, v);
    if (i < n)
        saved_sentence(a, t, &saved[i]);
    else if (maker != NO_NODE && (t->nodes[maker].flags & NF_RECOMPUTE))
        on_the_way_sentence(a, t, v);
    else if (maker != NO_NODE && maker > trace_end_of_forward(t))
        sb_printf(a->out, "%.*s is computed by the backward part.\n", STR(name));
    else
        sb_printf(a->out, "%.*s is not kept: nothing in the backward part reads it.\n", STR(name));
    free(saved);
}

void why_saved(Session *s, Program *p, ValueId v, StrBuf *out)
{
    Answer a = {.s = s, .p = p, .out = out};
    find_stages(&a);
    const RuleEntry *e = decision(&a, v);
    if (e)
        decision_sentence(&a, e);
    if (!a.split)
        sb_puts(out, "There is no backward part: `grad all` makes one.\n");
    else if (!e)
        plain_sentence(&a, v);
    free(a.line);
}
