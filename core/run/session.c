/*
 * session.c - the life of a session: executors, options, listeners, added passes, its programs.
 *
 * Input: an executor list and calls from above. Output: events to listeners. A change that makes
 * stages of programs obsolete is passed on to slots.c, which knows what stays valid.
 */
#include "run.h"

#include "lang.h"

#include <stdlib.h>
#include <string.h>

void *run_realloc(void *p, size_t size)
{
    void *q = realloc(p, size ? size : 1);
    if (!q)
        abort();
    return q;
}

Session *session_new(const ExecList *executors)
{
    Session *s = run_realloc(NULL, sizeof *s);
    *s = (Session){.executors = *executors, .next_handle = 1};
    registry_init(&s->reg);
    Diag d = {0};
    lang_register(&s->reg, &d);
    diag_clear(&d);
    return s;
}

void session_free(Session *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->nprograms; i++)
        program_free(s->programs[i]);
    for (size_t i = 0; i < ARRAY_LEN(s->recent); i++)
        text_file_unref(s->recent[i]);
    kernels_free(s);
    devices_free(s);
    map_free(&s->names);
    free(s->programs);
    free(s->listeners);
    free(s->added);
    free(s->added_after);
    free(s->options);
    log_free(&s->log);
    registry_free(&s->reg);
    arena_free(&s->arena);
    free(s);
}

Registry *session_registry(Session *s)
{
    return &s->reg;
}

ExecList *session_executors(Session *s)
{
    return &s->executors;
}

RuleLog *session_log(Session *s)
{
    return &s->log;
}

const Spent *session_spent(const Session *s)
{
    return &s->spent;
}

volatile int *session_interrupt(Session *s)
{
    return &s->interrupt;
}

const ExecList *program_executors(const Program *p)
{
    return p->executors ? p->executors : &p->s->executors;
}

/* ------------------------------------------------------------------------------------- events */

uint32_t session_listen(Session *s, ListenFn *fn, void *user)
{
    s->listeners = run_realloc(s->listeners, (s->nlisteners + 1) * sizeof *s->listeners);
    s->listeners[s->nlisteners++] = (Listener){s->next_handle, fn, user, false};
    return s->next_handle++;
}

void session_unlisten(Session *s, uint32_t handle)
{
    for (uint32_t i = 0; i < s->nlisteners; i++) {
        if (s->listeners[i].handle != handle)
            continue;
        s->nlisteners--;
        memmove(&s->listeners[i], &s->listeners[i + 1],
                (s->nlisteners - i) * sizeof *s->listeners);
        return;
    }
}

void session_listen_nodes(Session *s, uint32_t handle, bool nodes)
{
    for (uint32_t i = 0; i < s->nlisteners; i++)
        if (s->listeners[i].handle == handle)
            s->listeners[i].nodes = nodes;
}

void session_emit(Session *s, const Event *e)
{
    if (e->program && e->program->quiet)
        return;
    /* From the last to the first: a listener may remove itself. */
    for (uint32_t i = s->nlisteners; i-- > 0;)
        if (i < s->nlisteners)
            s->listeners[i].fn(e, s->listeners[i].user);
}

/* ---------------------------------------------------------------------- what stages depend on */

bool session_set_executors(Session *s, const ExecList *l)
{
    bool same = exec_list_hash(l) == exec_list_hash(&s->executors);
    s->changes++;
    s->executors = *l; /* in any case: the hash does not see those that are off */
    if (same)
        return true;
    Diag d = {0};
    for (uint32_t i = 0; i < s->nprograms; i++) {
        Program *p = s->programs[i];
        uint32_t slot = 0;
        while (slot < p->nslots && !(p->slots[slot].pass->gives & FACT_claimed))
            slot++;
        line_invalidate(p, slot);
        cursor_restore(s, p, &d);
    }
    bool good = d.nerrors == 0;
    diag_clear(&d);
    return good;
}

static bool option_of(Str name, Str owner)
{
    return name.n > owner.n && name.p[owner.n] == '.' && str_eq(str_sub(name, 0, owner.n), owner);
}

/* Whether option `name` belongs to the slot: fold.fast does to each of pass fold. */
static bool option_of_slot(Str name, const Slot *sl)
{
    return option_of(name, sl->name) || option_of(name, str_from(sl->pass->name));
}

uint64_t session_options_hash(const Session *s, const Slot *sl)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < s->noptions; i++) {
        const Option *o = &s->options[i];
        if (option_of_slot(o->name, sl)) /* a sum: the order of setting does not matter */
            h += hash_bytes(o->value.p, o->value.n, hash_bytes(o->name.p, o->name.n, 1));
    }
    return h;
}

/* Only the current program's errors are told: another that does not fit the new value, say for
 * lack of an input whose gradient is wanted, stands at its last good stage and tells it there. */
static void option_changed(Session *s, Str name, Diag *d)
{
    Diag others = {0};
    for (uint32_t i = 0; i < s->nprograms; i++) {
        Program *p = s->programs[i];
        bool told = p == session_current(s) || !session_current(s);
        for (uint32_t k = 0; k < p->nslots; k++) {
            if (!option_of_slot(name, &p->slots[k]))
                continue;
            line_invalidate(p, k);
            cursor_restore(s, p, told ? d : &others);
            break;
        }
    }
    diag_clear(&others);
}

bool session_set_option(Session *s, Str name, Str value, Diag *d)
{
    Option *o = NULL;
    for (uint32_t i = 0; i < s->noptions; i++)
        if (str_eq(s->options[i].name, name))
            o = &s->options[i];
    if (o && str_eq(o->value, value))
        return true;
    if (!o) {
        s->options = run_realloc(s->options, (s->noptions + 1) * sizeof *s->options);
        o = &s->options[s->noptions++];
        o->name = arena_str(&s->arena, name);
    }
    o->value = arena_str(&s->arena, value);
    s->changes++;
    uint32_t before = d->nerrors;
    option_changed(s, name, d);
    return d->nerrors == before;
}

Str session_option(const Session *s, Str name, Str dflt)
{
    for (uint32_t i = 0; i < s->noptions; i++)
        if (str_eq(s->options[i].name, name))
            return s->options[i].value;
    return dflt;
}

const PassInfo *session_find_pass(const Session *s, Str name)
{
    for (uint32_t i = 0; i < s->nadded; i++)
        if (str_is(name, s->added[i]->name))
            return s->added[i];
    return pass_find(name);
}

/* ----------------------------------------------------------------------------------- programs */

uint32_t session_program_count(const Session *s)
{
    return s->nprograms;
}

Program *session_program(const Session *s, uint32_t i)
{
    return i < s->nprograms ? s->programs[i] : NULL;
}

Program *session_current(const Session *s)
{
    return s->current;
}

void session_select(Session *s, Program *p)
{
    s->current = p;
    session_emit(s, &(Event){.kind = EVENT_cursor, .program = p, .stage = p->cursor});
}

void session_unload(Session *s, Program *p)
{
    for (uint32_t i = 0; i < s->nprograms; i++) {
        if (s->programs[i] != p)
            continue;
        for (uint32_t k = 0; k < s->nprograms; k++)
            if (s->programs[k]->feeds == p)
                s->programs[k]->feeds = NULL;
        s->nprograms--;
        memmove(&s->programs[i], &s->programs[i + 1],
                (s->nprograms - i) * sizeof(Program *));
        if (s->current == p)
            s->current = s->nprograms ? s->programs[i < s->nprograms ? i : i - 1] : NULL;
        map_remove(&s->names, p->name);
        program_free(p);
        return;
    }
}
