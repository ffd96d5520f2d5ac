/*
 * slots.c - the pipeline of a program: which passes, in what order, with what fuel and skips.
 *
 * Input: changes by a person. Output: slots that satisfy what the passes need, or a refusal with
 * the reason. After a change the cursor stays at the stage of the same name where there is one.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

static Str unique_slot_name(Program *p, const char *base)
{
    Str name = arena_str(&p->arena, str_from(base));
    for (uint32_t k = 2; program_find_slot(p, name) >= 0; k++)
        name = arena_printf(&p->arena, "%s.%u", base, k);
    return name;
}

static void slot_insert(Program *p, uint32_t at, const PassInfo *pass, const char *called)
{
    p->slots = run_realloc(p->slots, (p->nslots + 1) * sizeof *p->slots);
    Str name = unique_slot_name(p, called);
    memmove(&p->slots[at + 1], &p->slots[at], (p->nslots - at) * sizeof *p->slots);
    bool on = pass->when < WHEN_training;
    p->slots[at] = (Slot){.pass = pass, .name = name, .on = on, .usual = on, .fuel = UINT64_MAX};
    p->nslots++;
}

/* Where an added pass goes: behind the slot named after, else before the first that claims. */
static uint32_t place_of_added(const Program *p, Str after)
{
    int slot = after.n ? program_find_slot(p, after) : -1;
    if (slot >= 0)
        return (uint32_t)slot + 1;
    uint32_t at = 0;
    while (at < p->nslots && !(p->slots[at].pass->gives & FACT_claimed))
        at++;
    return at;
}

/* What works on joint traces is on where the program is one, whatever becomes of gradients. */
static void init_training(const Program *p, Slot *sl)
{
    bool here = (p->facts & FACT_joint) && (sl->pass->needs & (FACT_joint | FACT_split));
    sl->training = !here;
    sl->on = sl->usual = here;
}

void slots_init(Program *p)
{
    p->facts = trace_facts(p->root->trace);
    for (uint32_t i = 0; i < pass_line_length; i++) {
        slot_insert(p, p->nslots, pass_find(str_from(pass_line[i].pass)), pass_line[i].name);
        if (pass_line[i].training)
            init_training(p, &p->slots[p->nslots - 1]);
    }
    for (uint32_t i = 0; i < p->s->nadded; i++) {
        const PassInfo *pass = p->s->added[i];
        slot_insert(p, place_of_added(p, p->s->added_after[i]), pass, pass->name);
    }
}

void slots_free(Program *p)
{
    for (uint32_t i = 0; i < p->nslots; i++)
        free(p->slots[i].skip);
    free(p->slots);
}

uint32_t program_slot_count(const Program *p)
{
    return p->nslots;
}

const Slot *program_slot(const Program *p, uint32_t i)
{
    return i < p->nslots ? &p->slots[i] : NULL;
}

int program_find_slot(const Program *p, Str name)
{
    char buffer[PASS_WORD];
    name = pass_word(name, buffer);
    for (uint32_t i = 0; i < p->nslots; i++)
        if (str_eq(p->slots[i].name, name))
            return (int)i;
    return -1;
}

/* ----------------------------------------------------------------------- cursor after a change */

void line_invalidate(Program *p, uint32_t slot)
{
    while (p->anchor->parent && slot_of_stage(p, p->anchor) >= (int)slot)
        p->anchor = p->anchor->parent;
    /* An edited text may replace a stage that is itself still what the pipeline makes. */
    if (!p->anchor->parent && !p->anchor->edited)
        p->anchor = p->root;
}

/* Position on the line of the last stage whose slot is at or before `slot`. */
static uint32_t position_up_to(const Program *p, int slot)
{
    uint32_t position = p->anchor->position;
    for (int i = slot_after(p, slot_of_stage(p, p->anchor)); i >= 0 && i <= slot;
         i = slot_after(p, i))
        position++;
    return position;
}

void cursor_restore(Session *s, Program *p, Diag *d)
{
    if (!p->cursor->partial && stage_on_line(p, p->cursor))
        return;
    const CursorAt *now = &p->moves[p->at];
    if (now->fuel && stage_on_line(p, now->full)) {
        int slot = program_find_slot(p, now->slot);
        if (slot >= 0 && p->slots[slot].on &&
            slot_after(p, slot_of_stage(p, now->full)) == slot) {
            Stage *st = stage_make(s, p, now->full, (uint32_t)slot, now->fuel, d);
            if (st) {
                CursorAt to = st->partial ? *now : (CursorAt){.full = st};
                cursor_set(s, p, to, st, false);
                return;
            }
        }
    }
    int slot = slot_of_stage(p, now->full);
    uint32_t position = slot < 0 ? 0 : position_up_to(p, slot);
    Stage *st = program_stage(s, p, position, d);
    if (!st)
        st = p->anchor;
    cursor_set(s, p, (CursorAt){.full = st}, st, false);
}

/* ------------------------------------------------------------------------------------- changes */

static bool order_is_legal(const Program *p, const Slot *slots, Diag *d)
{
    uint32_t on = 0, n = p->nslots;
    const PassInfo **passes = run_realloc(NULL, n * sizeof *passes);
    for (uint32_t i = 0; i < n; i++)
        if (slots[i].on)
            passes[on++] = slots[i].pass;
    StrBuf why = {0};
    bool legal = pass_order_check(passes, on, p->facts, &why);
    free(passes);
    if (!legal)
        diag_help(d, diag_error(d, DIAG_usage, (Span){0}, "pass-order", "%s", sb_cstr(&why)),
                  "passes");
    sb_free(&why);
    return legal;
}

bool slot_change_is_legal(Program *p, uint32_t slot, bool on, Diag *d)
{
    bool now = p->slots[slot].on;
    p->slots[slot].on = on;
    bool legal = order_is_legal(p, p->slots, d);
    p->slots[slot].on = now;
    return legal;
}

static bool slot_exists(const Program *p, uint32_t slot, Diag *d)
{
    if (slot < p->nslots)
        return true;
    diag_help(d, diag_error(d, DIAG_usage, (Span){0}, "no-slot", "there is no pass number %u",
                            slot),
              "passes");
    return false;
}

/* Makes the line below `from` anew and brings the cursor back; true when no error came of it. */
static bool changed(Session *s, Program *p, uint32_t from, Diag *d)
{
    uint32_t errors = d->nerrors;
    line_invalidate(p, from);
    cursor_restore(s, p, d);
    return d->nerrors == errors;
}

bool program_slot_set(Session *s, Program *p, uint32_t slot, bool on, Diag *d)
{
    if (!slot_exists(p, slot, d))
        return false;
    Slot *sl = &p->slots[slot];
    if (sl->on == on)
        return true;
    sl->on = on;
    if (!order_is_legal(p, p->slots, d)) {
        sl->on = !on;
        return false;
    }
    return changed(s, p, slot, d);
}

bool program_training(Session *s, Program *p, bool on, Diag *d)
{
    Slot *next = run_realloc(NULL, p->nslots * sizeof *next);
    uint32_t first = p->nslots;
    memcpy(next, p->slots, p->nslots * sizeof *next);
    for (uint32_t i = 0; i < p->nslots; i++) {
        if (!next[i].training)
            continue;
        first = next[i].on != on && i < first ? i : first;
        next[i].on = on;
    }
    bool legal = first == p->nslots || order_is_legal(p, next, d);
    for (uint32_t i = first; legal && i < p->nslots; i++)
        p->slots[i].on = next[i].on;
    free(next);
    return legal && (first == p->nslots || changed(s, p, first, d));
}

bool program_slot_move(Session *s, Program *p, uint32_t slot, uint32_t to, Diag *d)
{
    if (!slot_exists(p, slot, d) || !slot_exists(p, to, d))
        return false;
    if (slot == to)
        return true;
    Slot *next = run_realloc(NULL, p->nslots * sizeof *next);
    memcpy(next, p->slots, p->nslots * sizeof *next);
    Slot moved = next[slot];
    memmove(&next[slot], &next[slot + 1], (p->nslots - slot - 1) * sizeof *next);
    memmove(&next[to + 1], &next[to], (p->nslots - to - 1) * sizeof *next);
    next[to] = moved;
    if (!order_is_legal(p, next, d)) {
        free(next);
        return false;
    }
    uint32_t first = slot < to ? slot : to;
    line_invalidate(p, first); /* with the old numbers */
    free(p->slots);
    p->slots = next;
    return changed(s, p, first, d);
}

bool program_slot_fuel(Session *s, Program *p, uint32_t slot, uint64_t fuel, Diag *d)
{
    if (!slot_exists(p, slot, d))
        return false;
    if (p->slots[slot].fuel == fuel)
        return true;
    p->slots[slot].fuel = fuel;
    return changed(s, p, slot, d);
}

bool program_slot_skip(Session *s, Program *p, uint32_t slot, uint64_t application, bool skip,
                       Diag *d)
{
    if (!slot_exists(p, slot, d))
        return false;
    Slot *sl = &p->slots[slot];
    uint32_t at = 0;
    while (at < sl->nskip && sl->skip[at] < application)
        at++;
    bool there = at < sl->nskip && sl->skip[at] == application;
    if (there == skip)
        return true;
    if (skip) {
        sl->skip = run_realloc(sl->skip, (sl->nskip + 1) * sizeof *sl->skip);
        memmove(&sl->skip[at + 1], &sl->skip[at], (sl->nskip - at) * sizeof *sl->skip);
        sl->skip[at] = application;
        sl->nskip++;
    } else {
        sl->nskip--;
        memmove(&sl->skip[at], &sl->skip[at + 1], (sl->nskip - at) * sizeof *sl->skip);
    }
    return changed(s, p, slot, d);
}

/* ------------------------------------------------------------------------------- added passes */

static void remember_added(Session *s, const PassInfo *info, Str after)
{
    s->added = run_realloc(s->added, (s->nadded + 1) * sizeof *s->added);
    s->added_after = run_realloc(s->added_after, (s->nadded + 1) * sizeof *s->added_after);
    s->added[s->nadded] = info;
    s->added_after[s->nadded++] = arena_str(&s->arena, after);
}

/* A pass of this name is already in the slots: the new definition takes its place. */
static bool replace_added(Session *s, const PassInfo *old, const PassInfo *info, Diag *d)
{
    uint32_t errors = d->nerrors;
    for (uint32_t i = 0; i < s->nadded; i++)
        if (s->added[i] == old)
            s->added[i] = info;
    for (uint32_t i = 0; i < s->nprograms; i++)
        for (uint32_t k = 0; k < s->programs[i]->nslots; k++)
            if (s->programs[i]->slots[k].pass == old) {
                s->programs[i]->slots[k].pass = info;
                changed(s, s->programs[i], k, d);
            }
    return d->nerrors == errors;
}

bool session_add_pass(Session *s, const PassInfo *info, Str after, Diag *d)
{
    const PassInfo *old = session_find_pass(s, str_from(info->name));
    if (old && pass_find(str_from(info->name))) {
        diag_help(d, diag_error(d, DIAG_usage, (Span){0}, "pass-name",
                                "there is a built-in pass named %s", info->name),
                  "passes");
        return false;
    }
    if (old)
        return replace_added(s, old, info, d);
    uint32_t errors = d->nerrors;
    remember_added(s, info, after);
    for (uint32_t i = 0; i < s->nprograms; i++) {
        Program *p = s->programs[i];
        if (after.n && program_find_slot(p, after) < 0)
            diag_add(d, SEV_warning, DIAG_usage, (Span){0}, "no-slot",
                     "%.*s has no pass %.*s; %s goes before claim", STR(p->name), STR(after),
                     info->name);
        uint32_t at = place_of_added(p, after);
        line_invalidate(p, at);
        slot_insert(p, at, info, info->name);
        if (order_is_legal(p, p->slots, d))
            cursor_restore(s, p, d);
        else
            p->slots[at].on = false;
    }
    return d->nerrors == errors;
}
