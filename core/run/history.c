/*
 * history.c - what happened to a value, stage by stage.
 *
 * Input: a value, or a line of the source. Output: for each stage that touched it the rules that
 * did and the line that computes it then; where another value takes its place, that one is
 * followed.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

/* The text that computes v at a stage: a node, an input, or nothing. */
static void state_print(const Trace *t, ValueId v, StrBuf *out)
{
    if (v >= t->nvalues)
        return;
    const Value *val = &t->values[v];
    if (val->producer != NO_NODE) {
        producer_print(t, v, out);
    } else if (val->type.kind != VALUE_dead) {
        sb_printf(out, "input %.*s: ", STR(val->name));
        type_print(&val->type, &val->known, out);
    }
}

typedef struct Trail {
    Program *p;
    ValueId v;
    StrBuf before, now;
    bool started;
} Trail;

/* Prints the entries of this stage about the value; returns what replaced it (or 0). */
static ValueId print_rules(const Trail *tr, const Stage *st, StrBuf *out)
{
    ValueId next = 0;
    const Trace *t = st->trace;
    for (uint32_t k = t->log_begin; k < t->log_end && k < tr->p->log->n; k++) {
        const RuleEntry *e = log_at(tr->p->log, k);
        bool declined = e->verdict == RULE_refused && strcmp(e->kind->rule, "claim") == 0;
        if ((e->subject != tr->v && e->other != tr->v) || declined)
            continue; /* `why executor` tells who declined */
        sb_puts(out, "    ");
        entry_print(tr->p, e, out);
        sb_putc(out, '\n');
        if (e->verdict == RULE_done && e->subject == tr->v && e->other && e->other != tr->v &&
            strcmp(e->kind->rule, "fuse") != 0 && strcmp(e->kind->rule, "join") != 0)
            next = e->other;
    }
    return next;
}

static void print_stage(Trail *tr, const Stage *st, StrBuf *out)
{
    StrBuf rules = {0};
    ValueId next = print_rules(tr, st, &rules);
    bool follow = next && next < st->trace->nvalues &&
                  (tr->v >= st->trace->nvalues ||
                   st->trace->values[tr->v].type.kind == VALUE_dead);
    if (follow)
        tr->v = next;
    sb_clear(&tr->now);
    state_print(st->trace, tr->v, &tr->now);
    bool changed = !tr->started ? tr->now.n > 0 : !str_eq(sb_str(&tr->now), sb_str(&tr->before));
    if (changed || rules.n) {
        sb_printf(out, "stage %u (%.*s%s):", st->position, STR(st->name),
                  st->edited ? ", edited by hand" : "");
        if (!changed)
            sb_puts(out, " unchanged");
        else if (tr->now.n)
            sb_printf(out, " %.*s", STR(sb_str(&tr->now)));
        else
            sb_puts(out, " gone");
        sb_putc(out, '\n');
        sb_add(out, sb_str(&rules));
        tr->started |= tr->now.n > 0;
    }
    sb_clear(&tr->before);
    sb_add(&tr->before, sb_str(&tr->now));
    sb_free(&rules);
}

void history_value(Session *s, Program *p, ValueId v, StrBuf *out)
{
    Trail tr = {.p = p, .v = v};
    uint32_t n;
    Stage **line = line_stages(s, p, &n);
    for (uint32_t i = 0; i < n; i++)
        if (!line[i]->partial)
            print_stage(&tr, line[i], out);
    if (!tr.started)
        sb_printf(out, "no stage of %.*s computes it\n", STR(p->name));
    free(line);
    sb_free(&tr.before);
    sb_free(&tr.now);
}

/* -------------------------------------------------------------------------------- source lines */

/* Byte range of a line of a text; false when the text is shorter. */
static bool line_range(Str text, uint32_t line, size_t *from, size_t *to)
{
    *from = 0;
    for (uint32_t i = 1; i < line; i++) {
        size_t end = str_find(text, '\n', *from);
        if (end == SIZE_MAX)
            return false;
        *from = end + 1;
    }
    size_t end = str_find(text, '\n', *from);
    *to = end == SIZE_MAX ? text.n : end;
    return line > 0 && *from <= text.n;
}

typedef struct LineValues {
    Session *s;
    Program *p;
    StrBuf *out;
    uint32_t n;
} LineValues;

static void history_of(ValueId v, void *user)
{
    LineValues *lv = user;
    sb_printf(lv->out, "%s%.*s\n", lv->n++ ? "\n" : "", STR(value_shown(lv->p, v)));
    history_value(lv->s, lv->p, v, lv->out);
}

void history_line(Session *s, Program *p, uint32_t line, StrBuf *out)
{
    const Trace *t = p->anchor->edited ? p->anchor->trace : p->root->trace;
    LineValues lv = {s, p, out, 0};
    size_t from, to;
    const Source *src = program_source(p);
    if (line_range(src->text, line, &from, &to))
        for_top(t, n) {
            Span at = t->nodes[n].src;
            if (at.src == src && at.off < to && at.off + at.len > from)
                arg_each_value(t->nodes[n].out, history_of, &lv);
        }
    if (lv.n == 0) /* then it is a line of the model that the text was made from */
        for_top(t, n)
            if (t->nodes[n].loc && t->nodes[n].loc->line == line)
                arg_each_value(t->nodes[n].out, history_of, &lv);
    if (lv.n == 0)
        sb_printf(out, "line %u of %.*s computes no value\n", line, STR(src->name));
}
