/*
 * bisect.c - finds what breaks a program: an operator, a pass, an application, a kernel's member.
 *
 * Input: a program whose last stage is judged bad. The search goes down one axis after another, and
 * halves what is left each time:
 *
 *   operators      each in its own dtype against f64 on the same operands (one run, no search)
 *   passes         the first stage of the line that is bad
 *   applications   of that pass: the least fuel with which it is bad
 *
 * Executors need no search of their own: a stage runs on those that claimed its nodes, so a wrong
 * kernel shows at the application of claim or fuse that made it, and is told from a wrong trace by
 * running the same stage on the oracle's executor. Output: the culprit, the stages on either side
 * of it, and what else repairs it. All happens in a copy of the program.
 */
#include "bisect.h"

#include "differences.h"
#include "run.h"

typedef struct Bisect {
    Session *s;
    Program *p; /* the copy */
    RuleLog log;
    const BisectOptions *o;
    Judge judge;
    Culprit *c;
    Diag why; /* errors of the stage judged last, when it could not be made */
    bool stopped;
} Bisect;

const char *judgement_name(Judgement j)
{
    static const char *const names[] = {"cannot tell", "good", "bad", "stopped"};
    return names[j];
}

static Str keep(Bisect *b, Str s)
{
    return arena_str(&b->c->arena, s);
}

/* ------------------------------------------------------------------------------------- probing */

/* A stage by a name that `goto` takes. NULL, with errors in b->why, when a pass fails. */
static Stage *stage_named(Bisect *b, Str name)
{
    diag_clear(&b->why);
    return program_find_stage(b->s, b->p, name, &b->why);
}

static Judgement known_verdict(const Bisect *b, Str what)
{
    MapEntry *e = b->o->memory ? map_get(&b->o->memory->verdicts, what) : NULL;
    return e ? (Judgement)e->u : JUDGED_stopped;
}

static void tell(Bisect *b, Str what, Judgement j, bool known)
{
    if (b->o->memory && !known && j != JUDGED_stopped)
        map_put(&b->o->memory->verdicts, what, NULL)->u = j;
    if (b->o->probed)
        b->o->probed(b->o->user, what, j, known);
    b->stopped |= j == JUDGED_stopped;
}

/* Judges the stage of this name, on the executors that claimed or on those given. */
static Judgement probe(Bisect *b, Str name, const ExecList *executors, const char *suffix)
{
    Str what = arena_printf(&b->judge.arena, "%.*s%s", STR(name), suffix);
    Judgement j = known_verdict(b, what);
    if (b->stopped || b->s->interrupt) {
        b->stopped = true;
        return JUDGED_stopped;
    }
    if (j != JUDGED_stopped) {
        tell(b, what, j, true);
        return j;
    }
    Stage *st = stage_named(b, name);
    j = judge_stage(&b->judge, b->p, st, executors, &b->why);
    tell(b, what, j, false);
    return j;
}

static Judgement probe_oracle(Bisect *b, Str name)
{
    ExecList list;
    oracle_executors(b->p, &list);
    return probe(b, name, &list, "@oracle");
}

/* Judges again, without looking into the memory. */
static Judgement probe_anew(Bisect *b, Str name)
{
    Judgement j = judge_stage(&b->judge, b->p, stage_named(b, name), NULL, &b->why);
    tell(b, name, j, false);
    return j;
}

/* -------------------------------------------------------------------------------------- search */

/* The name of point `at` on an axis. */
typedef Str NameFn(const Bisect *b, uint64_t at, Arena *a);

/* lo is good, hi is bad: moves them together until they are neighbours, or until nothing between
 * them can be judged. */
static void search(Bisect *b, NameFn *name, uint64_t *lo, uint64_t *hi)
{
    while (*hi - *lo > 1 && !b->stopped) {
        uint64_t mid = *lo + (*hi - *lo) / 2, at = mid;
        Judgement j = probe(b, name(b, at, &b->judge.arena), NULL, "");
        while (j == JUDGED_unknown && at + 1 < *hi) /* look at its neighbours */
            j = probe(b, name(b, ++at, &b->judge.arena), NULL, "");
        for (at = j == JUDGED_unknown ? mid : at; j == JUDGED_unknown && at - 1 > *lo;)
            j = probe(b, name(b, --at, &b->judge.arena), NULL, "");
        if (j == JUDGED_unknown || j == JUDGED_stopped)
            return;
        *(j == JUDGED_bad ? hi : lo) = at;
    }
}

static Str stage_name_at(const Bisect *b, uint64_t at, Arena *a)
{
    int slot = slot_of_stage(b->p, b->p->anchor);
    (void)a;
    for (; at; at--)
        slot = slot_after(b->p, slot);
    return slot < 0 ? b->p->root->name : b->p->slots[slot].name;
}

static Str fuel_name_at(const Bisect *b, uint64_t at, Arena *a)
{
    return arena_printf(a, "%.*s+%llu", STR(b->c->pass), (unsigned long long)at);
}

/* ----------------------------------------------------------------------------- naming a culprit */

static void name_line(Bisect *b, const Node *n)
{
    if (n->loc && n->loc->line)
        b->c->where = arena_printf(&b->c->arena, "%.*s:%u", STR(n->loc->file), n->loc->line);
    else if (n->src.src)
        b->c->where = arena_printf(&b->c->arena, "%.*s:%u", STR(n->src.src->name),
                                   span_place(n->src).line);
}

/* The leaf node that computes v; NO_NODE for inputs. */
static NodeId leaf_of(const Trace *t, ValueId v)
{
    NodeId n = v < t->nvalues ? t->values[v].producer : NO_NODE;
    if (n == NO_NODE)
        return n;
    for (NodeId i = n; i < n + t->nodes[n].span; i++) {
        ValueId outs[MAX_OUTPUTS];
        uint32_t nout = arg_values(t->nodes[i].out, outs, MAX_OUTPUTS);
        for (uint32_t k = 0; k < nout && k < MAX_OUTPUTS && t->nodes[i].span == 1; k++)
            if (outs[k] == v)
                return i;
    }
    return n;
}

/* The kernel of the last stage that v is computed in. */
static void name_fusion(Bisect *b, ValueId v)
{
    Diag ignored = {0};
    Stage *last = program_find_stage(b->s, b->p, S("last"), &ignored);
    diag_clear(&ignored);
    const Trace *t = last ? last->trace : NULL;
    for (NodeId n = 0; t && n < t->nnodes; n += t->nodes[n].span) {
        const Node *node = &t->nodes[n];
        if (node->op->id != PRIM_call || node->args[0].kind != ARG_str)
            continue;
        for (NodeId i = n + 1; i < n + node->span; i++) {
            ValueId out = 0;
            if (!arg_values(t->nodes[i].out, &out, 1) || out != v)
                continue;
            b->c->fusion = keep(b, arg_str(node->args[0]));
            b->c->member = i - n;
            b->c->members = node->span - 1;
        }
    }
}

static void name_subject(Bisect *b, const Trace *t, ValueId v)
{
    if (!v || v >= t->nvalues)
        return;
    b->c->subject = keep(b, t->values[v].name);
    NodeId n = leaf_of(t, v);
    if (n == NO_NODE)
        return;
    b->c->op = keep(b, str_from(t->nodes[n].op->name));
    name_line(b, &t->nodes[n]);
}

/* The executor that claimed the statement of t in which v is computed, maybe inside. */
static Str claimer(const Trace *t, ValueId v)
{
    for_top(t, n)
        for (NodeId i = n; i < n + t->nodes[n].span; i++) {
            ValueId out = 0;
            if (arg_values(t->nodes[i].out, &out, 1) && out == v && t->nodes[n].executor)
                return str_from(t->nodes[n].executor);
        }
    return (Str){0};
}

static void name_commands(Bisect *b)
{
    Culprit *c = b->c;
    const char *verb = b->judge.o.check ? "goto" : "compare";
    const char *with = b->judge.o.check ? "" : b->judge.o.own_dtype ? "@interp" : "@f64";
    Str origin = b->judge.o.check ? (Str){0}
                                  : arena_printf(&c->arena, " %.*s", STR(b->p->root->name));
    if (b->judge.kernel) { /* the stage itself is right: only its executors tell the two apart */
        origin = (Str){0};
        with = " @interp";
    }
    c->good = arena_printf(&c->arena, "%s %.*s%.*s%s", verb, STR(c->good_stage), STR(origin), with);
    c->bad = arena_printf(&c->arena, "%s %.*s%.*s%s", verb, STR(c->bad_stage), STR(origin), with);
}

static void finish(Bisect *b, CulpritKind kind)
{
    b->c->kind = b->stopped ? CULPRIT_stopped : kind;
    b->c->failure = b->judge.failure;
    b->c->detail = keep(b, b->judge.detail);
}

/* -------------------------------------------------------------------------------- applications */

/* Application `index` of the pass that made st is the culprit. */
static void name_application(Bisect *b, const Stage *st, uint64_t index)
{
    const RuleEntry *e = log_application(&b->log, st->trace->log_begin, st->trace->log_end,
                                         index);
    b->c->application = index;
    if (!e)
        return;
    b->c->rule = keep(b, str_from(e->kind->rule));
    b->c->reason = keep(b, rule_reason(e));
    /* what a pass removed is in the trace before it */
    const Trace *t = st->trace, *before = st->parent->trace;
    bool removed = e->subject < before->nvalues && before->values[e->subject].producer != NO_NODE;
    name_subject(b, removed ? before : t, e->subject);
    if (b->c->executor.n == 0 || !e->subject)
        return;
    Str by = claimer(t, e->subject);
    b->c->executor = by.n ? keep(b, by) : b->c->executor;
    name_fusion(b, e->subject);
}

/* The executors that are on besides the oracle's, in words. */
static Str executors_on(Bisect *b)
{
    StrBuf names = {0};
    ExecList oracle;
    oracle_executors(b->p, &oracle);
    const ExecList *l = program_executors(b->p);
    for (uint32_t i = 0; i < l->n; i++)
        if (l->on[i] && !oracle.on[i])
            sb_printf(&names, "%s%s", names.n ? ", " : "", l->items[i]->name);
    Str text = keep(b, sb_str(&names));
    sb_free(&names);
    return text;
}

static void bisect_applications(Bisect *b, const Stage *st)
{
    Culprit *c = b->c;
    uint64_t lo = 0, hi = st->applied;
    if (probe_oracle(b, c->bad_stage) == JUDGED_good)
        c->executor = executors_on(b);
    if (st->applied > 0)
        search(b, fuel_name_at, &lo, &hi);
    Str bad_stage = hi && st->applied ? fuel_name_at(b, hi, &c->arena) : c->bad_stage;
    if (st->applied > 0) {
        c->good_stage = fuel_name_at(b, lo, &c->arena);
        c->bad_stage = bad_stage;
    }
    if (!b->stopped && probe_anew(b, bad_stage) != JUDGED_bad) { /* and for the way it fails */
        finish(b, CULPRIT_flaky);
        return;
    }
    if (st->applied > 0 && hi - lo == 1)
        name_application(b, st, hi - 1);
    finish(b, st->applied == 0 ? CULPRIT_pass : hi - lo == 1 ? CULPRIT_application : CULPRIT_range);
    name_commands(b);
}

/* ----------------------------------------------------------------------------------- gradients */

/* Without all of its applications pass joint gives no gradients, so fuel cannot be searched.
 * Instead the program is cut: gradients of its first k nodes are right, those of k + 1 are not. */
static void bisect_gradients(Bisect *b, const Stage *st)
{
    uint64_t lo = 0, hi = differences_nodes(st);
    ValueId made = 0, right = 0;
    Culprit *c = b->c;
    Str detail = b->judge.detail;
    while (hi - lo > 1 && !b->s->interrupt) {
        uint64_t mid = lo + (hi - lo) / 2;
        Differences diff = {.seconds = 0};
        Diag d = {0};
        bool ran = differences_prefix(b->s, b->p, st, (uint32_t)mid, &diff, &made, &d);
        bool is_bad = !ran || !diff.agree;
        diag_clear(&d);
        b->judge.runs++;
        tell(b, arena_printf(&b->judge.arena, "gradients of %u node%s", (uint32_t)mid,
                             plural((int64_t)mid)),
             is_bad ? JUDGED_bad : JUDGED_good, false);
        *(is_bad ? &hi : &lo) = mid;
    }
    Differences diff = {.seconds = 0};
    Diag d = {0};
    differences_prefix(b->s, b->p, st, (uint32_t)lo, &diff, &right, &d);
    differences_prefix(b->s, b->p, st, (uint32_t)hi, &diff, &made, &d);
    diag_clear(&d);
    for (uint64_t i = 0; i < st->applied; i++) {
        const RuleEntry *e = log_application(&b->log, st->trace->log_begin, st->trace->log_end,
                                             i);
        if (e && e->subject == made)
            name_application(b, st, i);
    }
    b->stopped |= b->s->interrupt != 0;
    b->judge.failure = "wrong-gradient";
    b->judge.detail = detail;
    finish(b, c->rule.n ? CULPRIT_application : CULPRIT_pass);
    c->good = arena_printf(&c->arena, "grad --check%s%.*s", right ? " %" : " none",
                           STR(st->trace->values[right].name));
    c->bad = arena_printf(&c->arena, "grad --check %%%.*s", STR(st->trace->values[made].name));
}

/* -------------------------------------------------------------------------------------- passes */

static void bisect_passes(Bisect *b)
{
    uint64_t lo = 0, hi = program_stage_count(b->p) - 1;
    search(b, stage_name_at, &lo, &hi);
    Culprit *c = b->c;
    c->good_stage = keep(b, stage_name_at(b, lo, &c->arena));
    c->bad_stage = c->pass = keep(b, stage_name_at(b, hi, &c->arena));
    if (b->stopped || hi - lo > 1) {
        finish(b, CULPRIT_range);
        name_commands(b);
        return;
    }
    Stage *st = stage_named(b, c->bad_stage);
    if (!st) {
        judge_stage(&b->judge, b->p, NULL, NULL, &b->why);
        finish(b, CULPRIT_pass);
        name_commands(b);
    } else if (st->pass->gives & FACT_joint) {
        bisect_gradients(b, st);
    } else {
        bisect_applications(b, st);
    }
}

/* ------------------------------------------------------------------------------------- remedies */

static bool repairs(Bisect *b, const char *what)
{
    Stage *last = stage_named(b, S("last"));
    Judgement j = judge_stage(&b->judge, b->p, last, NULL, &b->why);
    tell(b, str_from(what), j, false);
    return j == JUDGED_good;
}

static void add_remedy(Bisect *b, Str what)
{
    if (b->c->nremedies < MAX_REMEDIES)
        b->c->remedies[b->c->nremedies++] = keep(b, what);
}

/* Leaving out the application that was found, and nothing else. */
static void try_skipping(Bisect *b)
{
    Program *p = b->p;
    int slot = program_find_slot(p, b->c->pass);
    Diag ignored = {0};
    if (b->c->kind != CULPRIT_application || slot < 0)
        return;
    b->c->alone = (p->slots[slot].pass->gives & FACT_joint) != 0;
    if (b->c->alone)
        return; /* without one of its applications pass joint gives no gradients to look at */
    Str what = arena_printf(&b->judge.arena, "pass skip %.*s %llu", STR(b->c->pass),
                            (unsigned long long)b->c->application);
    program_slot_skip(b->s, p, (uint32_t)slot, b->c->application, true, &ignored);
    b->c->alone = repairs(b, what.p);
    if (b->c->alone)
        add_remedy(b, what);
    program_slot_skip(b->s, p, (uint32_t)slot, b->c->application, false, &ignored);
    diag_clear(&ignored);
}

static bool try_passes(Bisect *b)
{
    Program *p = b->p;
    bool repaired = false;
    Diag ignored = {0};
    for (uint32_t i = 0; i < p->nslots && !b->stopped && !b->s->interrupt; i++) {
        if (!p->slots[i].on || !slot_change_is_legal(p, i, false, &ignored))
            continue;
        Str what = arena_printf(&b->judge.arena, "pass off %.*s", STR(p->slots[i].name));
        p->slots[i].on = false;
        if (repairs(b, what.p)) {
            add_remedy(b, what);
            repaired = true;
        }
        p->slots[i].on = true;
    }
    diag_clear(&ignored);
    return repaired;
}

static bool try_executors(Bisect *b)
{
    ExecList *l = (ExecList *)b->p->executors, all = *l, oracle;
    bool repaired = false;
    oracle_executors(b->p, &oracle);
    for (uint32_t i = 0; i < l->n && !b->stopped && !b->s->interrupt; i++) {
        if (!all.on[i] || oracle.on[i])
            continue;
        Str what = arena_printf(&b->judge.arena, "executor off %s", all.items[i]->name);
        l->on[i] = false;
        if (repairs(b, what.p)) {
            add_remedy(b, what);
            repaired = true;
        }
        *l = all;
    }
    return repaired;
}

/* Whether leaving out what was found, a pass or an executor repairs the whole. */
static void try_remedies(Bisect *b)
{
    const char *failure = b->c->failure;
    try_skipping(b);
    bool by_pass = try_passes(b), by_executor = try_executors(b);
    b->c->failure = failure;
    b->c->axes = (uint32_t)by_pass + by_executor;
}

/* ----------------------------------------------------------------------------------- the whole */

/* Whether the last stage always fails. false: the search ends here. */
static bool always_fails(Bisect *b)
{
    uint32_t runs = b->o->runs ? b->o->runs : 3;
    Judgement first = known_verdict(b, S("last"));
    if (first != JUDGED_stopped) { /* a search that goes on */
        b->c->tried = b->c->failed = 1;
        return first == JUDGED_bad;
    }
    for (uint32_t i = 0; i < runs && !b->stopped; i++) {
        Judgement j = probe_anew(b, S("last"));
        b->c->failed += j == JUDGED_bad;
        b->c->untold += j == JUDGED_unknown;
        b->c->tried++;
    }
    bool always = b->c->failed == b->c->tried;
    if (b->stopped || !always)
        finish(b, b->c->failed ? CULPRIT_flaky : CULPRIT_none);
    return always && !b->stopped;
}

/* The first stage in which operators can be looked at one by one: without writes. */
static const Stage *functional_stage(Bisect *b)
{
    const Stage *st = b->p->root;
    for (NodeId n = 0; n < st->trace->nnodes; n++)
        if (st->trace->nodes[n].op->flags & OP_IN_PLACE)
            return stage_named(b, S("inplace"));
    return st;
}

/* The operands of the operator are right, its result is not. */
static void name_operator_commands(Bisect *b, const Stage *st, NodeId n)
{
    Culprit *c = b->c;
    const Node *node = &st->trace->nodes[n];
    Arg all = {.kind = ARG_tuple, .n = node->nargs, .items = node->args};
    ValueId operand = 0;
    arg_values(all, &operand, 1);
    c->good = arena_printf(&c->arena, "compare %.*s %.*s@f64 --zeros --only %%%.*s", STR(st->name),
                           STR(st->name), STR(st->trace->values[operand].name));
    c->bad = arena_printf(&c->arena, "compare %.*s %.*s@f64 --zeros --only %%%.*s", STR(st->name),
                          STR(st->name), STR(c->subject));
}

/* Looks at each operator by itself; true when one is wrong. */
static bool bisect_operators(Bisect *b, Diag *d)
{
    const Stage *st = b->judge.o.check ? NULL : functional_stage(b);
    Str detail = {0};
    NodeId n = st ? judge_operators(&b->judge, st->trace, &detail, d) : NO_NODE;
    if (n == NO_NODE)
        return false;
    Culprit *c = b->c;
    const Node *node = &st->trace->nodes[n];
    name_subject(b, st->trace, node_result(st->trace, n));
    c->op = keep(b, str_from(node->op->name));
    ExecList oracle;
    oracle_executors(b->p, &oracle);
    for (uint32_t i = 0; i < oracle.n; i++)
        if (oracle.on[i])
            c->executor = keep(b, str_from(oracle.items[i]->name));
    c->good_stage = c->bad_stage = keep(b, st->name);
    b->judge.failure = "wrong-values";
    b->judge.detail = detail;
    finish(b, CULPRIT_operator);
    name_operator_commands(b, st, n);
    return true;
}

static void bisect_all(Bisect *b, Diag *d)
{
    if (bisect_operators(b, d) || !always_fails(b))
        return;
    if (probe(b, b->p->root->name, NULL, "") != JUDGED_good) {
        b->c->good_stage = b->c->bad_stage = keep(b, b->p->root->name);
        finish(b, CULPRIT_program);
        return;
    }
    bisect_passes(b);
    if (!b->stopped && !b->o->no_remedies)
        try_remedies(b);
}

bool session_bisect(Session *s, const Program *p, const BisectOptions *o, Culprit *out, Diag *d)
{
    Bisect b = {.s = s, .o = o, .c = out};
    uint64_t start = clock_ns();
    *out = (Culprit){.failure = ""};
    const Stage *from = program_origin(p);
    out->edited = from->edited;
    out->origin = arena_str(&out->arena, from->name);
    b.p = program_copy(s, p, from, &b.log);
    bool good = judge_begin(&b.judge, s, b.p, p->root->trace, &o->judge, d);
    if (good) {
        const Stage *before = stage_before_gradients(from);
        b.judge.forward = before ? before->trace : NULL;
        bisect_all(&b, d);
        Str lost;
        if (out->kind == CULPRIT_none && judge_program(&b.judge, &lost))
            out->lost = keep(&b, lost);
        out->runs = b.judge.runs;
        judge_end(&b.judge);
    }
    out->ns = clock_ns() - start;
    program_copy_free(b.p);
    log_free(&b.log);
    diag_clear(&b.why);
    return good;
}

void culprit_free(Culprit *c)
{
    arena_free(&c->arena);
    *c = (Culprit){0};
}

void bisect_memory_free(BisectMemory *m)
{
    map_free(&m->verdicts);
    *m = (BisectMemory){0};
}
