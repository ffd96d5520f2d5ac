/*
 * why.c - answers from the rule log: why a value is there, is gone, is another, is not.
 *
 * Input: values and the current line. Output: sentences with facts, one a line, each naming the
 * command that would change it. Every answer is a query on the entries that the line's passes made.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

Stage **line_stages(Session *s, Program *p, uint32_t *n)
{
    Diag d = {0};
    bool quiet = p->quiet;
    p->quiet = true; /* a question is no event */
    uint32_t count = program_stage_count(p);
    Stage **list = run_realloc(NULL, (count + 1) * sizeof *list);
    *n = 0;
    for (uint32_t i = 0; i < count; i++) {
        Stage *st = program_stage(s, p, i, &d);
        if (!st)
            break;
        list[(*n)++] = st;
    }
    if (p->cursor->partial && *n <= count)
        list[(*n)++] = p->cursor;
    p->quiet = quiet;
    diag_clear(&d);
    return list;
}

/* The latest trace that knows value v. */
static const Trace *trace_with(const Program *p, ValueId v)
{
    const Trace *t = p->cursor->trace;
    if (v < t->nvalues)
        return t;
    for (uint32_t i = 0; i < p->nmoves; i++)
        if (p->moves[i].full->trace && v < p->moves[i].full->trace->nvalues)
            return p->moves[i].full->trace;
    return NULL;
}

Str value_shown(const Program *p, ValueId v)
{
    const Trace *t = v ? trace_with(p, v) : NULL;
    return t ? t->values[v].name : S("?");
}

void producer_print(const Trace *t, ValueId v, StrBuf *out)
{
    static const PrintOptions one_line = {.depth = 0};
    node_print(t, t->values[v].producer, &one_line, out);
    while (out->n && (out->p[out->n - 1] == '\n' || out->p[out->n - 1] == ' '))
        out->p[--out->n] = 0;
}

void entry_print(const Program *p, const RuleEntry *e, StrBuf *out)
{
    static const char *const words[] = {"done", "refused", "skipped"};
    if (e->verdict != RULE_refused)
        sb_printf(out, "application %u, ", e->index + 1);
    sb_printf(out, "rule \"%s\" %s on %.*s", e->kind->rule, words[e->verdict],
              STR(value_shown(p, e->subject)));
    if (e->other)
        sb_printf(out, " with %.*s", STR(value_shown(p, e->other)));
    if (rule_reason(e).n)
        sb_printf(out, ": %.*s", STR(rule_reason(e)));
}

/* ---------------------------------------------------------------------------------- searching */

/* Asked of every entry of the line, from the first to the last; true stops. */
typedef bool EntryFn(const RuleEntry *e, const Stage *st, void *user);

static void each_entry(Session *s, Program *p, EntryFn *fn, void *user)
{
    uint32_t n;
    Stage **line = line_stages(s, p, &n);
    bool stop = false;
    for (uint32_t i = 0; i < n && !stop; i++) {
        const Trace *t = line[i]->trace;
        for (uint32_t k = t->log_begin; k < t->log_end && k < p->log->n && !stop; k++)
            stop = fn(log_at(p->log, k), line[i], user);
    }
    free(line);
}

/* Who runs a value and when it is deleted is told in one sentence, by why_placed. */
static bool is_placing(const RuleEntry *e)
{
    static const char *const rules[] = {"claim", "open", "join", "chain", "fuse",
                                        "last use -> del"};
    for (size_t i = 0; i < ARRAY_LEN(rules); i++)
        if (strcmp(e->kind->rule, rules[i]) == 0)
            return true;
    return false;
}

/* Of two values that an entry names, one stands for the other from then on; the plan only says
 * where they lie. */
static bool replaces(const RuleEntry *e)
{
    return !is_placing(e) && strcmp(e->kind->pass, "plan") != 0;
}

typedef struct Found {
    ValueId a, b; /* b = 0: any */
    bool as_subject;
    Verdict verdict;
    bool have;
    RuleEntry entry;
    const Stage *stage;
} Found;

static bool matches(const RuleEntry *e, const Stage *st, void *user)
{
    Found *f = user;
    if (e->verdict != f->verdict)
        return false;
    bool hit = f->b ? (e->subject == f->a && e->other == f->b) ||
                          (e->subject == f->b && e->other == f->a)
                    : f->as_subject ? e->subject == f->a
                                    : e->other == f->a && replaces(e);
    if (!hit)
        return false;
    f->have = true;
    f->entry = *e;
    f->stage = st;
    return true;
}

static Found find_entry(Session *s, Program *p, ValueId a, ValueId b, bool as_subject, Verdict v)
{
    Found f = {.a = a, .b = b, .as_subject = as_subject, .verdict = v};
    each_entry(s, p, matches, &f);
    return f;
}

/* "pass off fold changes it; pass fuel fold 2 stops before it." */
static void undo_print(const Program *p, const Found *f, StrBuf *out)
{
    int slot = program_find_slot(p, f->stage->name);
    if (slot >= 0 && !p->slots[slot].pass->mandatory)
        sb_printf(out, " `pass off %.*s` leaves it out;", STR(f->stage->name));
    if (f->entry.verdict != RULE_refused)
        sb_printf(out, " `pass fuel %.*s %u` stops before it.", STR(f->stage->name),
                  f->entry.index);
    else if (out->n && out->p[out->n - 1] == ';')
        out->p[out->n - 1] = '.';
}

static void rule_sentence(const Program *p, const Found *f, const char *verb, StrBuf *out)
{
    sb_printf(out, "%.*s was %s", STR(value_shown(p, f->entry.subject)), verb);
    if (f->entry.other)
        sb_printf(out, " by %.*s", STR(value_shown(p, f->entry.other)));
    sb_printf(out, " in stage %u (%.*s), rule \"%s\"", f->stage->position, STR(f->stage->name),
              f->entry.kind->rule);
    if (rule_reason(&f->entry).n)
        sb_printf(out, ": %.*s", STR(rule_reason(&f->entry)));
    sb_putc(out, '.');
    undo_print(p, f, out);
    sb_putc(out, '\n');
}

/* ------------------------------------------------------------------------------------ one value */

static void place_sentence(const Trace *t, ValueId v, StrBuf *out)
{
    const Node *n = &t->nodes[t->values[v].producer];
    sb_printf(out, "%.*s is computed by `", STR(t->values[v].name));
    producer_print(t, v, out);
    sb_putc(out, '`');
    if (n->loc && n->loc->line)
        sb_printf(out, " for %.*s:%u", STR(n->loc->file), n->loc->line);
    else if (n->src.src)
        sb_printf(out, " from line %u", span_place(n->src).line);
    sb_puts(out, ".\n");
}

static bool stands_for(const Trace *t, ValueId v, ValueId origin)
{
    ValueId self[1];
    uint32_t n;
    const ValueId *ids = value_origins(t, v, &n, self);
    for (uint32_t i = 0; i < n; i++)
        if (ids[i] == origin)
            return true;
    return false;
}

/* Live values of the cursor's stage that stand for a stage-0 value. */
static void stand_ins(const Program *p, ValueId v, StrBuf *out)
{
    const Trace *t = p->cursor->trace;
    uint32_t n = 0;
    for (ValueId w = 1; w < t->nvalues; w++) {
        if (w == v || t->values[w].type.kind == VALUE_dead || !stands_for(t, w, v))
            continue;
        sb_printf(out, "%s%.*s", n++ ? ", " : "", STR(t->values[w].name));
    }
    if (n)
        sb_printf(out, " stand%s for %.*s here.\n", n == 1 ? "s" : "", STR(value_shown(p, v)));
}

/* Prints entries about a value: those that a filter lets through, at most a few. */
typedef struct About {
    const Program *p;
    ValueId v;
    bool refused; /* refusals and skips; else what was done */
    RuleEntry but; /* an entry that was told already */
    StrBuf *out;
    uint32_t n;
} About;

static bool print_about(const RuleEntry *e, const Stage *st, void *user)
{
    enum { MOST = 8 };
    About *a = user;
    bool told = e->stage == a->but.stage && e->index == a->but.index &&
                a->but.kind && e->kind->rule == a->but.kind->rule;
    if ((e->verdict != RULE_done) != a->refused || told || e->subject != a->v || is_placing(e))
        return false;
    sb_printf(a->out, "Stage %u (%.*s): ", st->position, STR(st->name));
    entry_print(a->p, e, a->out);
    sb_puts(a->out, ".\n");
    return ++a->n == MOST;
}

/* The first stage of the line at which v is no longer computed; NULL when it lives to the end. */
static Stage *death_of(Session *s, Program *p, ValueId v)
{
    uint32_t n;
    Stage **line = line_stages(s, p, &n);
    Stage *death = NULL;
    bool lived = false;
    for (uint32_t i = 0; i < n && !line[i]->partial; i++) {
        const Trace *t = line[i]->trace;
        bool lives = v < t->nvalues && t->values[v].type.kind != VALUE_dead;
        if (lived && !lives) {
            death = line[i];
            break;
        }
        lived |= lives;
    }
    free(line);
    return death;
}

typedef struct LastEntry {
    ValueId v;
    const Stage *within;
    Found found;
} LastEntry;

static bool last_about(const RuleEntry *e, const Stage *st, void *user)
{
    LastEntry *l = user;
    if (st == l->within && e->verdict == RULE_done && e->subject == l->v)
        l->found = (Found){.have = true, .entry = *e, .stage = st};
    return false;
}

/* How v went away; the entry that did it, when the log has one. */
static RuleEntry death_sentence(Session *s, Program *p, ValueId v, const Stage *death, StrBuf *out)
{
    LastEntry l = {.v = v, .within = death};
    each_entry(s, p, last_about, &l);
    if (l.found.have)
        rule_sentence(p, &l.found, l.found.entry.other ? "replaced" : "removed", out);
    else
        sb_printf(out, "%.*s is gone from stage %u (%.*s) on, with what needed it.\n",
                  STR(value_shown(p, v)), death->position, STR(death->name));
    return l.found.entry;
}

/* The rule whose work value v is, in the stage where it appears: by the entry that says so, or the
 * one about v. NULL when the log does not know. */
static const RuleEntry *maker_of(const Program *p, const Stage *st, ValueId v)
{
    const Trace *t = st->trace;
    const RuleEntry *about = NULL, *maker = NULL;
    for (uint32_t k = t->log_begin; k < t->log_end && k < p->log->n; k++) {
        const RuleEntry *e = log_at(p->log, k);
        if (e->verdict != RULE_done)
            continue;
        if (e->made && e->made <= v)
            maker = e;
        if (e->subject == v && !about)
            about = e;
    }
    return maker ? maker : about;
}

/* Where a value that stage 0 does not have comes from. */
static void birth_sentence(Session *s, Program *p, ValueId v, StrBuf *out)
{
    Found f = find_entry(s, p, v, 0, false, RULE_done);
    if (f.have) {
        rule_sentence(p, &f, "replaced", out);
        return;
    }
    uint32_t n;
    Stage **line = line_stages(s, p, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (v >= line[i]->trace->nvalues)
            continue;
        sb_printf(out, "%.*s was made in stage %u (%.*s)", STR(value_shown(p, v)),
                  line[i]->position, STR(line[i]->name));
        const RuleEntry *e = maker_of(p, line[i], v);
        if (e)
            sb_printf(out, ", rule \"%s\"%s%.*s", e->kind->rule, rule_reason(e).n ? ": " : "",
                      STR(rule_reason(e)));
        sb_puts(out, ".\n");
        break;
    }
    free(line);
}

void why_value(Session *s, Program *p, ValueId v, StrBuf *out)
{
    const Trace *t = p->cursor->trace;
    RuleEntry told = {.stage = UINT32_MAX};
    if (v >= p->root->trace->nvalues)
        birth_sentence(s, p, v, out);
    if (v >= t->nvalues)
        sb_printf(out, "Stage %u (%.*s) does not have it yet.\n", p->cursor->position,
                  STR(p->cursor->name));
    else if (trace_is_input(t, v))
        sb_printf(out, "%.*s is an input of %.*s.\n", STR(value_shown(p, v)), STR(p->name));
    else if (t->values[v].producer != NO_NODE)
        place_sentence(t, v, out);
    Stage *death = death_of(s, p, v);
    if (death)
        told = death_sentence(s, p, v, death, out);
    if (v < t->nvalues && t->values[v].type.kind == VALUE_dead)
        stand_ins(p, v, out);
    About done = {.p = p, .v = v, .but = told, .out = out};
    each_entry(s, p, print_about, &done);
    About refused = {.p = p, .v = v, .refused = true, .but = told, .out = out};
    each_entry(s, p, print_about, &refused);
    if (!death)
        why_placed(s, p, v, out);
}

/* --------------------------------------------------------------------------------- two values */

typedef struct Follow {
    ValueId now;
    const RuleEntry *last;
} Follow;

static bool follow(const RuleEntry *e, const Stage *st, void *user)
{
    (void)st;
    Follow *f = user;
    if (e->verdict == RULE_done && e->subject == f->now && e->other && e->other != f->now &&
        replaces(e)) {
        f->now = e->other;
        f->last = e;
    }
    return false;
}

/* The value that v ends as, through all replacements of the line. */
static Follow end_of(Session *s, Program *p, ValueId v)
{
    Follow f = {v, NULL};
    each_entry(s, p, follow, &f);
    return f;
}

ValueId value_end(Session *s, Program *p, ValueId v)
{
    return end_of(s, p, v).now;
}

static void mark_value(ValueId v, void *user)
{
    ((bool *)user)[v] = true;
}

/* Whether b is computed from a at the cursor's stage: one sweep over the nodes. */
static bool depends(const Trace *t, ValueId a, ValueId b)
{
    bool *from = run_realloc(NULL, t->nvalues * sizeof *from);
    bool *args = run_realloc(NULL, t->nvalues * sizeof *args);
    memset(from, 0, t->nvalues * sizeof *from);
    memset(args, 0, t->nvalues * sizeof *args);
    from[a] = true;
    for_top(t, n) {
        const Node *node = &t->nodes[n];
        ValueId used[256], outs[MAX_OUTPUTS];
        Arg all = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
        uint32_t nused = arg_values(all, used, ARRAY_LEN(used));
        uint32_t nouts = arg_values(node->out, outs, MAX_OUTPUTS);
        bool hit = false;
        for (uint32_t i = 0; i < nused && i < ARRAY_LEN(used); i++)
            hit |= from[used[i]];
        if (nused > ARRAY_LEN(used)) { /* long argument lists: through the marks */
            arg_each_value(all, mark_value, args);
            for (ValueId v = 1; v < t->nvalues; v++) {
                hit |= args[v] && from[v];
                args[v] = false;
            }
        }
        for (uint32_t i = 0; hit && i < nouts && i < MAX_OUTPUTS; i++)
            from[outs[i]] = true;
    }
    bool yes = from[b];
    free(from);
    free(args);
    return yes;
}

void why_pair(Session *s, Program *p, ValueId a, ValueId b, StrBuf *out)
{
    Found f = find_entry(s, p, a, b, true, RULE_done);
    if (f.have && replaces(&f.entry)) {
        rule_sentence(p, &f, "replaced", out);
        return;
    }
    if (f.have && !is_placing(&f.entry)) {
        sb_printf(out, "Stage %u (%.*s): ", f.stage->position, STR(f.stage->name));
        entry_print(p, &f.entry, out);
        sb_puts(out, ".\n");
        return;
    }
    if (why_fused(s, p, a, b, out))
        return;
    Follow fa = end_of(s, p, a), fb = end_of(s, p, b);
    Str na = value_shown(p, a), nb = value_shown(p, b);
    const Trace *t = p->cursor->trace;
    if (fa.now == fb.now && (fa.last || fb.last)) {
        sb_printf(out, "%.*s and %.*s are one value, %.*s, at the end of the line.\n", STR(na),
                  STR(nb), STR(value_shown(p, fa.now)));
        for (int i = 0; i < 2; i++) {
            const RuleEntry *e = i ? fb.last : fa.last;
            if (!e)
                continue;
            sb_printf(out, "%s: ", e->kind->pass);
            entry_print(p, e, out);
            sb_puts(out, ".\n");
        }
    } else if (a < t->nvalues && b < t->nvalues && depends(t, a, b)) {
        sb_printf(out, "%.*s is computed from %.*s; `paths %%%.*s %%%.*s` shows how.\n", STR(nb),
                  STR(na), STR(na), STR(nb));
    } else if (a < t->nvalues && b < t->nvalues && depends(t, b, a)) {
        sb_printf(out, "%.*s is computed from %.*s; `paths %%%.*s %%%.*s` shows how.\n", STR(na),
                  STR(nb), STR(nb), STR(na));
    } else {
        sb_printf(out, "No rule relates %.*s and %.*s, and neither is computed from the other.\n",
                  STR(na), STR(nb));
    }
}

/* The node that makes v; of a kernel, its member that does. */
static const Node *member_of(const Trace *t, ValueId v)
{
    NodeId n = t->values[v].producer;
    for (NodeId i = n + 1; t->nodes[n].op->id == PRIM_call && i < n + t->nodes[n].span; i++)
        if (node_makes(&t->nodes[i], v))
            return &t->nodes[i];
    return &t->nodes[n];
}

/* The first fact by which the producers of two live values differ. */
static void difference(const Trace *t, ValueId a, ValueId b, StrBuf *out)
{
    const Value *va = &t->values[a], *vb = &t->values[b];
    if (va->producer == NO_NODE || vb->producer == NO_NODE) {
        const Value *v = va->producer == NO_NODE ? va : vb;
        sb_printf(out, "%.*s is %s", STR(v->name),
                  v->type.kind == VALUE_dead ? "not computed at this stage" : "an input");
        return;
    }
    const Node *na = member_of(t, a), *nb = member_of(t, b);
    if (na->op != nb->op) {
        sb_puts(out, "the operators differ: ");
        op_qualified_name(na->op, out);
        sb_puts(out, " and ");
        op_qualified_name(nb->op, out);
    } else if (na->op->flags & OP_RANDOM) {
        sb_puts(out, "random draws are never joined");
    } else {
        for (uint32_t i = 0; i < na->nargs; i++) {
            if (arg_equal(na->args[i], nb->args[i]))
                continue;
            sb_printf(out, "argument %.*s differs: ", STR(na->op->sig.params[i].name));
            arg_print(t, na->args[i], out);
            sb_puts(out, " and ");
            arg_print(t, nb->args[i], out);
            return;
        }
        sb_puts(out, "operator and arguments are the same");
    }
}

static bool same_operator(const Trace *t, ValueId a, ValueId b)
{
    NodeId x = t->values[a].producer, y = t->values[b].producer;
    return x == NO_NODE || y == NO_NODE || member_of(t, a)->op == member_of(t, b)->op;
}

/* Slots that repeat a pass for other programs (joint.cse) wait for those. */
static bool is_extra(const Slot *sl)
{
    return str_find(sl->name, '.', 0) != SIZE_MAX;
}

static void passes_off(const Program *p, StrBuf *out)
{
    for (uint32_t i = 0; i < p->nslots; i++)
        if (!p->slots[i].on && p->slots[i].pass->when <= WHEN_inference &&
            !is_extra(&p->slots[i]))
            sb_printf(out, "Pass %.*s is off; `pass on %.*s` lets it run.\n",
                      STR(p->slots[i].name), STR(p->slots[i].name));
}

void why_not(Session *s, Program *p, ValueId a, ValueId b, StrBuf *out)
{
    static const Verdict verdicts[] = {RULE_refused, RULE_skipped};
    bool have = false;
    for (size_t i = 0; i < ARRAY_LEN(verdicts); i++) {
        Found f = find_entry(s, p, a, b, true, verdicts[i]);
        if (!f.have)
            continue;
        if (is_placing(&f.entry))
            continue;
        have = true;
        sb_printf(out, "Stage %u (%.*s): ", f.stage->position, STR(f.stage->name));
        entry_print(p, &f.entry, out);
        sb_puts(out, ".\n");
    }
    Follow fa = end_of(s, p, a), fb = end_of(s, p, b);
    if (fa.now == fb.now) {
        why_pair(s, p, a, b, out);
        return;
    }
    const Trace *t = p->cursor->trace;
    bool alike = a < t->nvalues && b < t->nvalues && same_operator(t, a, b);
    if (!have && alike) {
        sb_printf(out, "%.*s and %.*s stay two values: ", STR(value_shown(p, a)),
                  STR(value_shown(p, b)));
        difference(t, a, b, out);
        sb_puts(out, ".\n");
    }
    bool kernels = !have && (why_fused(s, p, a, b, out) || why_not_fused(s, p, a, b, out));
    if (!have && !alike && !kernels)
        sb_printf(out, "%.*s and %.*s are two values: no rule of the line looks at both.\n",
                  STR(value_shown(p, a)), STR(value_shown(p, b)));
    passes_off(p, out);
}
