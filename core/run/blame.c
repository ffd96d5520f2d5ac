/*
 * blame.c - which application of which rule breaks a law of ir.h.
 *
 * Input: the trace that a pass has just made, with `set verify on`. Output: nothing when it is
 * sound; else one error that names pass, application and rule, with the lines on which the traces
 * before and after that application differ. The pass is run again with other fuel, as in bisect.
 */
#include "run.h"

typedef struct Blame {
    Session *s;
    Program *p;
    const Stage *parent;
    uint32_t slot;
    RuleLog log;
} Blame;

static Trace *trial(Blame *b, uint64_t fuel)
{
    Diag ignored = {0};
    Trace *t = stage_trial(b->s, b->p, b->parent, b->slot, fuel, &b->log, &ignored);
    diag_clear(&ignored);
    return t;
}

static bool is_sound(Blame *b, uint64_t fuel)
{
    Trace *t = trial(b, fuel);
    Diag ignored = {0};
    bool sound = t && trace_verify(t, &ignored);
    diag_clear(&ignored);
    trace_unref(t);
    return sound;
}

/* ---------------------------------------------------------------------------- the two traces */

enum { MOST_LINES = 8 };

typedef struct Lines {
    StrBuf text;
    uint32_t n;
} Lines;

static void add_line(void *user, char sign, Str line)
{
    Lines *l = user;
    if (sign == ' ')
        return;
    if (l->n++ < MOST_LINES)
        sb_printf(&l->text, "\n    %c %.*s", sign, STR(str_trim(line)));
}

static void print_plain(const Trace *t, StrBuf *out)
{
    PrintOptions o = print_all;
    o.header = false;
    o.depth = 0;
    trace_print(t, &o, out);
}

/* What changed between fuel - 1 and fuel. */
static void describe_change(Blame *b, uint64_t fuel, Lines *out)
{
    StrBuf before = {0}, after = {0};
    Trace *x = trial(b, fuel - 1), *y = trial(b, fuel);
    if (x && y) {
        print_plain(x, &before);
        print_plain(y, &after);
        text_diff(sb_str(&before), sb_str(&after), add_line, out);
        if (out->n > MOST_LINES)
            sb_printf(&out->text, "\n    ... and %u more line%s", out->n - MOST_LINES,
                      plural(out->n - MOST_LINES));
    }
    trace_unref(x);
    trace_unref(y);
    sb_free(&before);
    sb_free(&after);
}

/* -------------------------------------------------------------------------------------- blaming */

static void blame_application(Blame *b, uint64_t fuel, const DiagItem *broken, Diag *d)
{
    Str pass = b->p->slots[b->slot].name;
    Trace *t = trial(b, fuel);
    const RuleEntry *e = t ? log_application(&b->log, t->log_begin, t->log_end, fuel - 1) : NULL;
    Str name = e && e->subject && e->subject < t->nvalues ? t->values[e->subject].name : (Str){0};
    DiagItem *item = diag_error(d, DIAG_compile, broken->span, "broken-invariant",
                                "pass %.*s breaks the program in application %llu, rule \"%s\"%s"
                                "%.*s: %.*s",
                                STR(pass), (unsigned long long)(fuel - 1), e ? e->kind->rule : "?",
                                name.n ? " at %" : "", STR(name), STR(broken->message));
    Lines lines = {0};
    describe_change(b, fuel, &lines);
    diag_where(d, item, "%.*s, [%s]", STR(broken->where), broken->code);
    diag_note(d, item, "%.*s%s%s", STR(e ? rule_reason(e) : (Str){0}),
              lines.n ? "; what it changed:" : "", sb_cstr(&lines.text));
    diag_help(d, item, "pass skip %.*s %llu", STR(pass), (unsigned long long)(fuel - 1));
    sb_free(&lines.text);
    trace_unref(t);
}

static void blame_pass(const Blame *b, const DiagItem *broken, Diag *d)
{
    Str pass = b->p->slots[b->slot].name;
    DiagItem *item = diag_error(d, DIAG_compile, broken->span, "broken-invariant",
                                "pass %.*s breaks the program before its first rule: %.*s",
                                STR(pass), STR(broken->message));
    diag_where(d, item, "%.*s, [%s]", STR(broken->where), broken->code);
    diag_help(d, item, "pass off %.*s", STR(pass));
}

bool stage_is_sound(Session *s, Program *p, const Stage *parent, uint32_t slot, const Trace *t,
                    uint64_t applied, Diag *d)
{
    Diag broken = {0};
    Blame b = {.s = s, .p = p, .parent = parent, .slot = slot};
    bool sound = trace_verify(t, &broken);
    if (!sound && !is_sound(&b, 0)) {
        blame_pass(&b, broken.first, d);
    } else if (!sound) {
        uint64_t lo = 0, hi = applied;
        while (hi - lo > 1) {
            uint64_t mid = lo + (hi - lo) / 2;
            *(is_sound(&b, mid) ? &lo : &hi) = mid;
        }
        blame_application(&b, hi, broken.first, d);
    }
    diag_clear(&broken);
    log_free(&b.log);
    return sound;
}

void session_set_verify(Session *s, bool on)
{
    s->verify = on;
}
