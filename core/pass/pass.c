/*
 * pass.c - the table of passes, running one, and the accounting of rule applications.
 *
 * Input: a pass context and a trace. Output: the next trace, with its provenance. Every change that
 * a pass makes goes through rule_apply, which is where fuel, skips, the rule log and events live.
 */
#include "pass.h"

#include "inject.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define AGAIN(...)
#define PASS(name, title, fn, ...) PassFn fn;
#include "passes.def"
#undef PASS

const PassInfo pass_table[] = {
#define PASS(id, head, fn, when_, must, needs_, gives_, spoils_, refuses_, text)                   \
    {.name = #id,                                                                                  \
     .title = head,                                                                                \
     .help = text,                                                                                 \
     .run = fn,                                                                                    \
     .when = when_,                                                                                \
     .mandatory = must,                                                                            \
     .needs = needs_,                                                                              \
     .gives = gives_,                                                                              \
     .spoils = spoils_,                                                                            \
     .refuses = refuses_},
#include "passes.def"
#undef PASS
#undef AGAIN
};
const uint32_t pass_count = ARRAY_LEN(pass_table);

const PassPlace pass_line[] = {
#define PASS(id, head, fn, when, ...) {#id, #id, (when) == WHEN_training},
#define AGAIN(id, place, training) {#id, place, training},
#include "passes.def"
#undef PASS
#undef AGAIN
};
const uint32_t pass_line_length = ARRAY_LEN(pass_line);

/* Words that stand for the name of a pass, beside its own. */
static const struct {
    const char *said, *name;
} other_words[] = {{"grad", "joint"}};

Str pass_word(Str word, char buffer[PASS_WORD])
{
    for (size_t i = 0; i < ARRAY_LEN(other_words); i++) {
        size_t n = strlen(other_words[i].said);
        bool whole = word.n == n || (word.n > n && (word.p[n] == '.' || word.p[n] == '+'));
        if (!whole || !str_starts(word, other_words[i].said))
            continue;
        int length = snprintf(buffer, PASS_WORD, "%s%.*s", other_words[i].name,
                              STR(str_sub(word, n, SIZE_MAX)));
        return length < PASS_WORD ? str_from(buffer) : word;
    }
    return word;
}

const PassInfo *pass_find(Str name)
{
    char buffer[PASS_WORD];
    name = pass_word(name, buffer);
    for (uint32_t i = 0; i < pass_count; i++)
        if (str_is(name, pass_table[i].name))
            return &pass_table[i];
    return NULL;
}

/* ----------------------------------------------------------------------------- applications */

static bool is_skipped(const PassCtx *c, uint64_t index)
{
    uint32_t lo = 0, hi = c->nskip;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (c->skip[mid] < index)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < c->nskip && c->skip[lo] == index;
}

static void log_entry(PassCtx *c, Verdict verdict, const char *rule, ValueId subject, ValueId other,
                      const char *reason, va_list *ap)
{
    if (!c->log)
        return;
    RuleEntry e = {.stage = c->stage,
                   .index = (uint32_t)c->applied,
                   .subject = subject,
                   .other = other,
                   .verdict = (uint8_t)verdict};
    const RuleEntry *added = log_add(c->log, c->info->name, rule, &e, reason, ap);
    if (c->on_rule)
        c->on_rule(c->on_rule_user, added);
}

bool rule_apply(PassCtx *c, const char *rule, ValueId subject, ValueId other, const char *reason,
                ...)
{
    if (c->exhausted)
        return false; /* the first one left out is in the log; the others would only repeat it */
    bool out_of_fuel = c->applied >= c->fuel;
    bool go = !out_of_fuel && !is_skipped(c, c->applied);
    va_list ap;
    va_start(ap, reason);
    log_entry(c, go ? RULE_done : RULE_skipped, rule, subject, other, reason, &ap);
    va_end(ap);
    c->exhausted = out_of_fuel;
    c->applied += !out_of_fuel;
    return go;
}

void rule_refuse(PassCtx *c, const char *rule, ValueId subject, ValueId other, const char *reason,
                 ...)
{
    if (c->exhausted)
        return;
    va_list ap;
    va_start(ap, reason);
    log_entry(c, RULE_refused, rule, subject, other, reason, &ap);
    va_end(ap);
}

Str pass_option(const PassCtx *c, const char *name, const char *dflt)
{
    const Str owners[2] = {c->slot, str_from(c->info->name)};
    for (size_t k = 0; k < ARRAY_LEN(owners); k++)
        for (uint32_t i = 0; i < c->noptions; i++) {
            Str full = c->options[i].name, own = owners[k];
            if (own.n && full.n > own.n && str_eq(str_sub(full, 0, own.n), own) &&
                full.p[own.n] == '.' && str_is(str_sub(full, own.n + 1, SIZE_MAX), name))
                return c->options[i].value;
        }
    return str_from(dflt);
}

bool pass_interrupted(PassCtx *c)
{
    if (!c->interrupt || !*c->interrupt)
        return false;
    DiagItem *item =
        diag_error(c->diag, DIAG_interrupt, (Span){0}, "interrupted", "stopped by an interrupt");
    diag_where(c->diag, item, "pass %s", c->info->name);
    return true;
}

/* ---------------------------------------------------------------------------------- running */

static Trace *pass_failed(PassCtx *c, Trace *out, uint32_t errors_before)
{
    trace_unref(out);
    if (c->diag->nerrors == errors_before) {
        DiagItem *item = diag_error(c->diag, DIAG_compile, (Span){0}, "pass-failed",
                                    "pass %s gave no trace", c->info->name);
        diag_help(c->diag, item, "pass off %s", c->info->name);
    }
    return NULL;
}

/* A trace made from a planned one is planned no more, unless its pass planned it again. */
static void forget_plan(const Trace *in, Trace *out)
{
    if (in->plan_bytes < 0 || out->plan_bytes >= 0 || out->finished)
        return;
    for (ValueId v = 0; v < out->nvalues; v++)
        out->values[v].offset = -1;
}

Trace *pass_run(PassCtx *c, const Trace *in)
{
    uint32_t errors = c->diag->nerrors;
    uint32_t log_begin = c->log ? c->log->n : 0;
    uint64_t start = clock_ns();
    assert(in->finished);
    Trace *out = c->info->run(c, in);
    if (out)
        INJECT_BREAK(c, out);
    if (!out || c->diag->nerrors > errors)
        return pass_failed(c, out, errors);
    out->made_by = str_from(c->info->title);
    out->stage = c->stage;
    out->log_begin = log_begin;
    out->log_end = c->log ? c->log->n : 0;
    forget_plan(in, out);
    if (!out->finished)
        trace_finish(out);
    out->made_ns = clock_ns() - start;
    return out;
}

/* ------------------------------------------------------------------------------------ order */

/* What a fact is called when an order is refused, and the pass that establishes it. */
static const char *fact_words(uint32_t fact)
{
    static const struct {
        uint32_t fact;
        const char *words;
    } table[] = {
        {FACT_functional, "without in-place operators"},
        {FACT_claimed, "claimed by executors"},
        {FACT_fused, "fused"},
        {FACT_planned, "planned in memory"},
        {FACT_joint, "a joint forward and backward trace"},
        {FACT_split, "split into forward and backward"},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (fact & table[i].fact)
            return table[i].words;
    return "in another state";
}

static const char *giver(const PassInfo *const *passes, uint32_t n, uint32_t fact)
{
    for (uint32_t i = 0; i < n; i++)
        if (passes[i]->gives & fact)
            return passes[i]->name;
    for (uint32_t i = 0; i < pass_count; i++)
        if (pass_table[i].gives & fact)
            return pass_table[i].name;
    return "nothing";
}

uint32_t trace_facts(const Trace *t)
{
    return trace_end_of_forward(t) == NO_NODE ? 0 : FACT_joint;
}

bool pass_order_check(const PassInfo *const *passes, uint32_t n, uint32_t facts, StrBuf *why)
{
    for (uint32_t i = 0; i < n; i++) {
        const PassInfo *p = passes[i];
        uint32_t missing = p->needs & ~facts, present = p->refuses & facts;
        if (missing) {
            sb_printf(why, "%s needs a program that is %s: %s must come before it", p->name,
                      fact_words(missing), giver(passes, n, missing));
            return false;
        }
        if (present) {
            sb_printf(why, "%s cannot work on a program that is %s: it must come before %s",
                      p->name, fact_words(present), giver(passes, i, present));
            return false;
        }
        facts = (facts & ~p->spoils) | p->gives;
    }
    for (uint32_t i = 0; i < pass_count; i++) {
        bool there = !pass_table[i].mandatory || pass_table[i].when != WHEN_always;
        for (uint32_t k = 0; k < n && !there; k++)
            there = passes[k] == &pass_table[i];
        if (!there) {
            sb_printf(why, "%s is mandatory: without it the program is not %s", pass_table[i].name,
                      fact_words(pass_table[i].gives));
            return false;
        }
    }
    return true;
}
