/*
 * stages.c - the tree of stages: children are found by what made them, or computed.
 *
 * Input: a parent stage and a slot. Output: the stage that the slot's pass makes of it. The key is
 * a hash of slot, pass, fuel, skips, options and executors, so equal requests meet the same stage.
 */
#include "run.h"

#include "inject.h"

Stage *stage_new(Session *s, Program *p, Stage *parent, Trace *t, Str name)
{
    Stage *st = new_of(&p->arena, Stage);
    *st = (Stage){.serial = s->next_serial++, .name = name, .trace = t, .parent = parent,
                  .fuel = UINT64_MAX};
    if (parent) {
        st->sibling = parent->children;
        parent->children = st;
    } else {
        t->stage = st->serial;
    }
    return st;
}

void stage_free_tree(Stage *st)
{
    for (Stage *c = st->children, *next; c; c = next) {
        next = c->sibling;
        stage_free_tree(c);
    }
    trace_unref(st->trace);
    st->trace = NULL;
}

/* Takes a leaf out of the tree. */
static void stage_drop(Stage *st)
{
    Stage **link = &st->parent->children;
    while (*link != st)
        link = &(*link)->sibling;
    *link = st->sibling;
    trace_unref(st->trace);
    st->trace = NULL;
}

int slot_of_stage(const Program *p, const Stage *st)
{
    while (st->edited)
        st = st->parent;
    return st->parent ? program_find_slot(p, st->name) : -1;
}

int slot_after(const Program *p, int slot)
{
    for (uint32_t i = (uint32_t)(slot + 1); i < p->nslots; i++)
        if (p->slots[i].on)
            return (int)i;
    return -1;
}

/* -------------------------------------------------------------------------- making a stage */

static uint64_t stage_key(const Program *p, const Slot *sl, uint64_t fuel)
{
    uint64_t h = hash_bytes(sl->name.p, sl->name.n, fuel);
    h = hash_bytes(&sl->pass, sizeof sl->pass, h);
    h = hash_bytes(sl->skip, sl->nskip * sizeof *sl->skip, h);
    h ^= session_options_hash(p->s, sl) * 3 ^ INJECT_KEY;
    /* Passes of scripts may look at the executors as those that claim do. */
    if (sl->pass->user || ((sl->pass->gives | sl->pass->needs) & FACT_claimed))
        h ^= exec_list_hash(program_executors(p)) * 7;
    return h;
}

static Stage *child_with_key(const Stage *parent, uint64_t key)
{
    for (Stage *c = parent->children; c; c = c->sibling)
        if (c->key == key && !c->edited)
            return c;
    return NULL;
}

static Stage *stage_known_child(const Program *p, const Stage *parent, uint32_t slot)
{
    return child_with_key(parent, stage_key(p, &p->slots[slot], p->slots[slot].fuel));
}

typedef struct RuleEvent {
    Session *s;
    Program *p;
    const PassInfo *pass;
    const Trace *in;
} RuleEvent;

static void on_rule(void *user, const RuleEntry *e)
{
    const RuleEvent *r = user;
    session_emit(r->s, &(Event){.kind = EVENT_rule, .program = r->p, .pass = r->pass, .rule = e,
                             .trace = r->in});
}

static void pass_failed(Session *s, Program *p, const Slot *sl, Diag *d, uint32_t errors)
{
    if (s->interrupt && d->nerrors == errors)
        diag_error(d, DIAG_interrupt, (Span){0}, "interrupted", "interrupted in pass %.*s",
                   STR(sl->name));
    else if (d->nerrors == errors)
        diag_error(d, DIAG_compile, (Span){0}, "pass-failed", "pass %.*s gave no trace",
                   STR(sl->name));
    if (d->nerrors > errors && !d->last->help.n && !sl->pass->mandatory)
        diag_help(d, d->last, "pass off %.*s", STR(sl->name));
    session_emit(s, &(Event){.kind = EVENT_error, .program = p, .pass = sl->pass});
}

/* Drops old stages that lie inside a pass: each is a whole trace, and stepping makes many. */
static void remember_partial(Program *p, Stage *st)
{
    enum { BYTES_KEPT = 128 << 20 };
    size_t bytes = st->trace->nvalues * sizeof(Value) + st->trace->nnodes * sizeof(Node);
    size_t most = BYTES_KEPT / (bytes + 1);
    most = most < 2 ? 2 : most > MAX_PARTIALS - 1 ? MAX_PARTIALS - 1 : most;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->npartials; i++) {
        Stage *old = p->partials[i];
        bool in_use = old == p->cursor || old->children || old == p->anchor;
        if (!in_use && p->npartials - i + kept > most)
            stage_drop(old);
        else
            p->partials[kept++] = old;
    }
    p->npartials = kept;
    if (p->npartials < MAX_PARTIALS)
        p->partials[p->npartials++] = st;
}

static Trace *run_pass(Session *s, Program *p, const Stage *parent, const Slot *sl, PassCtx *c)
{
    RuleEvent r = {s, p, sl->pass, parent->trace};
    c->info = sl->pass;
    c->slot = sl->name;
    c->executors = program_executors(p);
    c->reg = &s->reg;
    c->log = p->log;
    c->stage = s->next_serial;
    c->skip = sl->skip;
    c->nskip = sl->nskip;
    c->options = p->options ? p->options : s->options;
    c->noptions = p->options ? p->noptions : s->noptions;
    c->interrupt = &s->interrupt;
    if (s->nlisteners && !p->quiet) {
        c->on_rule = on_rule;
        c->on_rule_user = &r;
    }
    session_emit(s, &(Event){.kind = EVENT_pass_begin, .program = p, .pass = sl->pass});
    SpentOn before = spent_turn(&s->spent, SPENT_passes);
    Trace *t = pass_run(c, parent->trace);
    spent_back(&s->spent, before);
    return t;
}

Trace *stage_trial(Session *s, Program *p, const Stage *parent, uint32_t slot, uint64_t fuel,
                   RuleLog *log, Diag *d)
{
    RuleLog *own = p->log;
    bool quiet = p->quiet;
    PassCtx c = {.diag = d, .fuel = fuel < p->slots[slot].fuel ? fuel : p->slots[slot].fuel};
    p->log = log;
    p->quiet = true;
    Trace *t = run_pass(s, p, parent, &p->slots[slot], &c);
    p->log = own;
    p->quiet = quiet;
    return t;
}

Stage *stage_make(Session *s, Program *p, Stage *parent, uint32_t slot, uint64_t fuel, Diag *d)
{
    const Slot *sl = &p->slots[slot];
    bool full = fuel >= sl->fuel;
    if (full)
        fuel = sl->fuel;
    uint64_t full_key = stage_key(p, sl, sl->fuel);
    /* A point inside the pass is another stage than a pass that has this fuel as its limit. */
    uint64_t key = full ? full_key : ~stage_key(p, sl, fuel);
    Stage *known = child_with_key(parent, key);
    if (known)
        return known;
    PassCtx c = {.diag = d, .fuel = fuel};
    uint32_t errors = d->nerrors;
    Trace *t = run_pass(s, p, parent, sl, &c);
    if (!t) {
        pass_failed(s, p, sl, d, errors);
        return NULL;
    }
    if (s->verify && !stage_is_sound(s, p, parent, slot, t, c.applied, d)) {
        trace_unref(t);
        return NULL;
    }
    if (!full && !c.exhausted) { /* it came to its end: this is the full stage */
        full = true;
        fuel = sl->fuel;
        key = full_key;
        if ((known = child_with_key(parent, key))) {
            trace_unref(t);
            return known;
        }
    }
    Stage *st = stage_new(s, p, parent, t, sl->name);
    st->position = parent->position + 1;
    st->pass = sl->pass;
    st->fuel = fuel;
    st->applied = c.applied;
    st->ns = t->made_ns;
    st->key = key;
    st->partial = !full;
    if (st->partial)
        remember_partial(p, st);
    session_emit(s, &(Event){.kind = EVENT_pass_end, .program = p, .stage = st, .pass = sl->pass});
    return st;
}

/* ---------------------------------------------------------------------------- the current line */

uint32_t program_stage_count(const Program *p)
{
    uint32_t n = p->anchor->position + 1;
    for (int i = slot_after(p, slot_of_stage(p, p->anchor)); i >= 0; i = slot_after(p, i))
        n++;
    return n;
}

/* The stage of the anchor's path at a position that is not below the anchor. */
static Stage *stage_above(const Program *p, uint32_t position)
{
    Stage *st = p->anchor;
    while (st->position > position)
        st = st->parent;
    return st;
}

Stage *program_stage(Session *s, Program *p, uint32_t position, Diag *d)
{
    if (position >= program_stage_count(p)) {
        diag_help(d, diag_error(d, DIAG_usage, (Span){0}, "no-stage",
                                "%.*s has stages 0 to %u, not %u", STR(p->name),
                                program_stage_count(p) - 1, position),
                  "stages");
        return NULL;
    }
    if (position <= p->anchor->position)
        return stage_above(p, position);
    Stage *st = p->anchor;
    int slot = slot_of_stage(p, st);
    while (st && st->position < position) {
        slot = slot_after(p, slot);
        st = stage_make(s, p, st, (uint32_t)slot, UINT64_MAX, d);
    }
    return st;
}

bool stage_on_line(const Program *p, const Stage *st)
{
    if (st->position <= p->anchor->position)
        return stage_above(p, st->position) == st;
    const Stage *at = p->anchor;
    int slot = slot_of_stage(p, at);
    while (at && at->position < st->position) {
        slot = slot_after(p, slot);
        at = slot < 0 ? NULL : stage_known_child(p, at, (uint32_t)slot);
    }
    return at == st;
}

Stage *stage_by_serial(Stage *st, uint64_t serial)
{
    for (; st; st = st->sibling) {
        if (st->serial == serial)
            return st;
        Stage *found = stage_by_serial(st->children, serial);
        if (found)
            return found;
    }
    return NULL;
}

typedef struct NameWalk {
    const Program *p;
    int slot;
    uint32_t step;
} NameWalk;

static bool next_stage_name(void *state, Str *candidate)
{
    NameWalk *w = state;
    switch (w->step++) {
    case 0:
        *candidate = S("acquired");
        return true;
    case 1:
        *candidate = S("last");
        return true;
    default:
        w->slot = slot_after(w->p, w->slot);
        if (w->slot < 0)
            return false;
        *candidate = w->p->slots[w->slot].name;
        return true;
    }
}

/* Position of the stage with this name on the current line, -1 when it has none. */
static int position_by_name(const Program *p, Str name)
{
    for (const Stage *st = p->anchor; st; st = st->parent)
        if (str_eq(st->name, name))
            return (int)st->position;
    int position = (int)p->anchor->position;
    for (int i = slot_after(p, slot_of_stage(p, p->anchor)); i >= 0; i = slot_after(p, i)) {
        position++;
        if (str_eq(p->slots[i].name, name))
            return position;
    }
    return -1;
}

/* "fold+3": the point inside pass fold where three rules were applied. Its length is 0, and *fuel
 * stays, when the word is no such place. */
static Str cut_fuel(Str which, uint64_t *fuel)
{
    int64_t number;
    size_t plus = which.n;
    while (plus > 0 && which.p[plus - 1] != '+')
        plus--;
    if (plus < 2 || !str_to_i64(str_sub(which, plus, which.n), &number) || number < 0)
        return (Str){0};
    *fuel = (uint64_t)number;
    return str_sub(which, 0, plus - 1);
}

/* The stage that slot `name` of the line makes with this fuel; NULL with or without an error. */
static Stage *stage_inside(Session *s, Program *p, Str name, uint64_t fuel, Diag *d)
{
    int slot = program_find_slot(p, name), position = position_by_name(p, name);
    if (slot < 0 || position < 1)
        return NULL;
    Stage *parent = program_stage(s, p, (uint32_t)position - 1, d);
    return parent ? stage_make(s, p, parent, (uint32_t)slot, fuel, d) : NULL;
}

Stage *program_find_stage(Session *s, Program *p, Str which, Diag *d)
{
    uint64_t fuel;
    uint32_t errors = d->nerrors;
    char buffer[PASS_WORD];
    which = pass_word(which, buffer);
    Str inside = cut_fuel(which, &fuel);
    Stage *partial = inside.n ? stage_inside(s, p, inside, fuel, d) : NULL;
    if (partial || d->nerrors > errors)
        return partial;
    int64_t number;
    if (which.n > 1 && which.p[0] == '#' && str_to_i64(str_sub(which, 1, SIZE_MAX), &number)) {
        Stage *st = number >= 0 ? stage_by_serial(p->roots, (uint64_t)number) : NULL;
        if (!st)
            diag_help(d, diag_error(d, DIAG_usage, (Span){0}, "no-stage",
                                    "%.*s has no stage %.*s", STR(p->name), STR(which)),
                      "stages --tree");
        return st;
    }
    if (str_to_i64(which, &number) && number >= 0 && number <= UINT32_MAX)
        return program_stage(s, p, (uint32_t)number, d);
    if (str_is(which, "last"))
        return program_stage(s, p, program_stage_count(p) - 1, d);
    int position = position_by_name(p, which);
    if (position >= 0)
        return program_stage(s, p, (uint32_t)position, d);
    NameWalk walk = {p, -1, 0};
    Str near = nearest(which, next_stage_name, &walk);
    int slot = program_find_slot(p, which);
    DiagItem *item = diag_error(d, DIAG_usage, (Span){0}, "no-stage", "%s %.*s",
                                slot >= 0 ? "switched off: pass" : "there is no stage",
                                STR(which));
    if (near.n && slot < 0)
        diag_note(d, item, "did you mean %.*s?", STR(near));
    bool training = slot >= 0 && p->slots[slot].pass->when == WHEN_training;
    if (slot >= 0 && (training || p->slots[slot].training))
        diag_help(d, item, "grad all"); /* which switches on all that training needs */
    else
        diag_help(d, item, slot >= 0 ? "pass on %.*s" : "stages", STR(which));
    return NULL;
}

Stage *program_root(const Program *p)
{
    return p->root;
}
