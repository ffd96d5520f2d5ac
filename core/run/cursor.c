/*
 * cursor.c - the stage a person looks at: stepping by rule and by pass, undo and redo.
 *
 * Input: moves. Output: the cursor's stage, EVENT_cursor. A point inside a pass is the pass run
 * with fuel k; the history keeps (stage, pass, k), not the partial stage, which may be dropped and
 * made again.
 */
#include "run.h"

void cursor_reset(Program *p)
{
    p->moves = run_realloc(p->moves, sizeof *p->moves);
    p->moves[0] = (CursorAt){.full = p->root};
    p->nmoves = p->move_cap = 1;
    p->at = 0;
    p->cursor = p->root;
}

void cursor_set(Session *s, Program *p, CursorAt to, Stage *stage, bool record)
{
    if (record) {
        p->at++;
        if (p->at == p->move_cap) {
            p->move_cap *= 2;
            p->moves = run_realloc(p->moves, p->move_cap * sizeof *p->moves);
        }
        p->nmoves = p->at + 1;
    }
    p->moves[p->at] = to;
    p->cursor = stage;
    session_emit(s, &(Event){.kind = EVENT_cursor, .program = p, .stage = stage});
}

Stage *program_cursor(const Program *p)
{
    return p->cursor;
}

uint64_t program_cursor_rule(const Program *p)
{
    return p->moves[p->at].fuel;
}

const RuleEntry *program_cursor_entry(const Session *s, const Program *p)
{
    uint64_t fuel = program_cursor_rule(p);
    if (!fuel || !p->cursor->partial)
        return NULL;
    const Trace *t = p->cursor->trace;
    for (uint32_t i = t->log_end; i-- > t->log_begin && i < s->log.n;) {
        const RuleEntry *e = log_at(&s->log, i);
        if (e->verdict != RULE_refused && e->index + 1 == fuel)
            return e;
    }
    return NULL;
}

/* Where the cursor is, as a place to go on from. */
typedef struct Walk {
    Stage *full;
    uint64_t fuel;
    int slot; /* the slot to run next on full; -1 = none */
} Walk;

static Walk walk_start(Program *p)
{
    CursorAt now = p->moves[p->at];
    if (!stage_on_line(p, now.full))
        p->anchor = now.full; /* go on from here, with the slots as they are now */
    Walk w = {now.full, now.fuel, slot_after(p, slot_of_stage(p, now.full))};
    if (w.fuel && (w.slot < 0 || !str_eq(p->slots[w.slot].name, now.slot)))
        w.fuel = 0;
    return w;
}

static CursorAt place_of(const Program *p, const Walk *w, const Stage *st)
{
    if (!st->partial)
        return (CursorAt){.full = (Stage *)st};
    return (CursorAt){w->full, st->fuel, p->slots[w->slot].name};
}

/* Runs the walk's pass to `fuel` and goes on to the next pass when it came to its end. */
static Stage *walk_to(Session *s, Program *p, Walk *w, uint64_t fuel, Diag *d)
{
    Stage *st = stage_make(s, p, w->full, (uint32_t)w->slot, fuel, d);
    if (!st)
        return NULL;
    w->fuel = st->partial ? st->fuel : 0;
    if (!st->partial) {
        w->full = st;
        w->slot = slot_after(p, w->slot);
    }
    return st;
}

StepResult program_step(Session *s, Program *p, uint64_t n, Diag *d)
{
    Walk w = walk_start(p);
    CursorAt to = p->moves[p->at];
    Stage *st = NULL;
    while (n > 0 && w.slot >= 0) {
        uint64_t done = w.fuel, want = done > UINT64_MAX - n ? UINT64_MAX : done + n;
        Walk before = w;
        Stage *next = walk_to(s, p, &w, want, d);
        if (!next)
            return STEP_error;
        st = next;
        to = place_of(p, &before, st);
        uint64_t applied = st->partial ? st->fuel : st->applied;
        n -= applied - done < n ? applied - done : n;
    }
    if (!st)
        return STEP_at_end;
    cursor_set(s, p, to, st, true);
    return STEP_moved;
}

StepResult program_next(Session *s, Program *p, uint32_t n, Diag *d)
{
    Walk w = walk_start(p);
    Stage *st = NULL;
    for (; n > 0 && w.slot >= 0; n--) {
        Stage *next = walk_to(s, p, &w, UINT64_MAX, d);
        if (!next && !st)
            return STEP_error;
        if (!next)
            break;
        st = next;
    }
    if (!st)
        return STEP_at_end;
    cursor_set(s, p, (CursorAt){.full = st}, st, true);
    return n > 0 && w.slot >= 0 ? STEP_error : STEP_moved;
}

StepResult program_finish(Session *s, Program *p, Diag *d)
{
    return program_next(s, p, 1, d);
}

StepResult program_continue(Session *s, Program *p, Diag *d)
{
    return program_next(s, p, UINT32_MAX, d);
}

/* The number of the first application, from `from` to below `to`, at which to stop; `to` when there
 * is none. */
static uint64_t first_stop(const Program *p, const Walk *w, const Stage *after, uint64_t to,
                           const Stops *stops)
{
    const Trace *t = after->trace;
    for (uint32_t k = t->log_begin; k < t->log_end && k < p->log->n; k++) {
        const RuleEntry *e = log_at(p->log, k);
        if (e->verdict == RULE_done && e->index >= w->fuel && e->index < to &&
            stops->rule(stops->user, w->full, after, e))
            return e->index;
    }
    return to;
}

/* The cursor goes to a point inside the pass behind w->full, or to w->full itself. */
static StepResult stop_at(Session *s, Program *p, const Walk *w, uint64_t fuel, Diag *d)
{
    CursorAt to = {.full = w->full};
    Stage *st = w->full;
    if (fuel) {
        st = stage_make(s, p, w->full, (uint32_t)w->slot, fuel, d);
        if (!st)
            return STEP_error;
        to = place_of(p, w, st);
        to.fuel = fuel;
    }
    if (st != p->cursor)
        cursor_set(s, p, to, st, true);
    return STEP_stopped;
}

StepResult program_walk(Session *s, Program *p, uint64_t rules, uint32_t passes,
                        const Stops *stops, Diag *d)
{
    Walk w = walk_start(p);
    CursorAt to = p->moves[p->at];
    Stage *st = NULL;
    for (; rules > 0 && passes > 0 && w.slot >= 0; passes--) {
        if (!w.fuel && stops->pass(stops->user, w.full, &p->slots[w.slot]))
            return stop_at(s, p, &w, 0, d);
        Stage *full = stage_make(s, p, w.full, (uint32_t)w.slot, UINT64_MAX, d);
        uint64_t done = w.fuel, want = done > UINT64_MAX - rules ? UINT64_MAX : done + rules;
        uint64_t stop = full ? first_stop(p, &w, full, want, stops) : want;
        if (stop < want)
            return stop_at(s, p, &w, stop, d);
        Walk before = w;
        Stage *next = full ? walk_to(s, p, &w, want, d) : NULL;
        if (!next) {
            if (st)
                cursor_set(s, p, to, st, true);
            return STEP_error;
        }
        st = next;
        to = place_of(p, &before, st);
        uint64_t applied = st->partial ? st->fuel : st->applied;
        if (rules != UINT64_MAX)
            rules -= applied - done < rules ? applied - done : rules;
    }
    if (!st)
        return STEP_at_end;
    cursor_set(s, p, to, st, true);
    return STEP_moved;
}

StepResult program_goto(Session *s, Program *p, Stage *stage, Diag *d)
{
    if (!stage)
        return STEP_error;
    if (!stage->trace) {
        diag_error(d, DIAG_usage, (Span){0}, "no-stage", "stage %u is gone", stage->serial);
        return STEP_error;
    }
    if (stage->partial) {
        if (!stage_on_line(p, stage->parent))
            p->anchor = stage->parent;
        cursor_set(s, p, (CursorAt){stage->parent, stage->fuel, stage->name}, stage, true);
        return STEP_moved;
    }
    if (!stage_on_line(p, stage))
        p->anchor = stage;
    cursor_set(s, p, (CursorAt){.full = stage}, stage, true);
    return STEP_moved;
}

/* ---------------------------------------------------------------------------------- undo, redo */

/* The stage of a place in the history, made again when it was dropped. */
static Stage *stage_of_place(Session *s, Program *p, CursorAt *at, Diag *d)
{
    if (!at->fuel)
        return at->full;
    int slot = program_find_slot(p, at->slot);
    if (slot < 0)
        return NULL;
    Stage *st = stage_make(s, p, at->full, (uint32_t)slot, at->fuel, d);
    if (st && !st->partial)
        *at = (CursorAt){.full = st};
    return st;
}

static StepResult history_move(Session *s, Program *p, uint32_t to, Diag *d)
{
    uint32_t was = p->at;
    CursorAt place = p->moves[to];
    Stage *st = stage_of_place(s, p, &place, d);
    if (!st)
        return STEP_error;
    p->at = to;
    if (!stage_on_line(p, place.full))
        p->anchor = place.full;
    cursor_set(s, p, place, st, false);
    return was == to ? STEP_at_start : STEP_moved;
}

StepResult program_back(Session *s, Program *p, uint32_t n, Diag *d)
{
    if (p->at == 0)
        return STEP_at_start;
    return history_move(s, p, n < p->at ? p->at - n : 0, d);
}

StepResult program_forward(Session *s, Program *p, uint32_t n, Diag *d)
{
    uint32_t last = p->nmoves - 1;
    if (p->at == last)
        return STEP_at_end;
    return history_move(s, p, n < last - p->at ? p->at + n : last, d);
}

StepResult program_skip(Session *s, Program *p, Diag *d)
{
    Walk w = walk_start(p);
    while (w.slot >= 0) {
        Walk before = w;
        Stage *st = walk_to(s, p, &w, before.fuel + 1, d);
        if (!st)
            return STEP_error;
        if (st->partial ? st->fuel == before.fuel : st->applied == before.fuel)
            continue; /* this pass has nothing more to apply */
        if (!program_slot_skip(s, p, (uint32_t)before.slot, before.fuel, true, d))
            return STEP_error;
        w = before;
        st = walk_to(s, p, &w, before.fuel + 1, d);
        if (!st)
            return STEP_error;
        cursor_set(s, p, place_of(p, &before, st), st, true);
        return STEP_moved;
    }
    return STEP_at_end;
}
