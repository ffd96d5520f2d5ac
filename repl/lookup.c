/*
 * lookup.c - what people name on the command line: programs, stages, values, ranges of values.
 * Every miss is an error with the nearest name.
 */
#include "repl.h"

#include "viz.h"

#include <stdlib.h>
#include <strings.h>

Program *current(Repl *r)
{
    return session_current(r->session);
}

/* ----------------------------------------------------------------------------------- programs */

Str base_name(Str path)
{
    size_t n = path.n;
    while (n && path.p[n - 1] != '/')
        n--;
    return str_sub(path, n, path.n);
}

/* "mlp" of "models/mlp.dynamo.py". */
static Str file_stem(Str path)
{
    path = base_name(path);
    size_t dot = str_find(path, '.', 0);
    return dot == SIZE_MAX || dot == 0 ? path : str_sub(path, 0, dot);
}

enum { MAX_LABEL = 24 };

Str program_label(const Repl *r, const Program *p, Arena *a)
{
    const Source *src = program_source(p);
    uint32_t n = session_program_count(r->session), same = 0;
    if (!src || !src->name.n)
        return arena_str(a, program_name(p));
    Str stem = file_stem(src->name);
    for (uint32_t i = 0; i < n; i++) {
        const Source *other = program_source(session_program(r->session, i));
        same += other && str_eq(file_stem(other->name), stem);
    }
    Str label = same == 1 && stem.n ? stem : program_name(p);
    if (label.n <= MAX_LABEL)
        return arena_str(a, label);
    label.n = MAX_LABEL - 1;
    while (label.n && ((unsigned char)label.p[label.n] & 0xC0) == 0x80)
        label.n--; /* not inside of a character */
    return arena_printf(a, "%.*s…", STR(label));
}

typedef struct ProgramWalk {
    const Repl *r;
    uint32_t i;
} ProgramWalk;

static bool next_program(void *state, Str *candidate)
{
    ProgramWalk *w = state;
    if (w->i == session_program_count(w->r->session))
        return false;
    *candidate = program_name(session_program(w->r->session, w->i++));
    return true;
}

Program *find_program(Repl *r, Str which)
{
    int64_t number;
    uint32_t n = session_program_count(r->session);
    if (str_to_i64(which, &number) && number >= 1 && number <= n)
        return session_program(r->session, (uint32_t)number - 1);
    for (uint32_t i = 0; i < n; i++) {
        Program *p = session_program(r->session, i);
        if (str_eq(program_name(p), which) || str_eq(program_label(r, p, &r->scratch), which))
            return p;
    }
    ProgramWalk walk = {r, 0};
    Str near = nearest(which, next_program, &walk);
    fail_with(r, DIAG_usage, "no-program", "there is no program %.*s%s", STR(which),
              did_you_mean(r, "", near));
    fail_help(r, "program");
    return NULL;
}

Stage *find_stage(Repl *r, Program *p, Str which)
{
    return program_find_stage(r->session, p, which, &r->diag);
}

/* ------------------------------------------------------------------------------------- values */

static bool same_letters(Str a, Str b)
{
    return a.n == b.n && strncasecmp(a.p, b.p, a.n) == 0;
}

typedef struct ValueWalk {
    const Trace *t;
    ValueId v;
} ValueWalk;

static bool next_value(void *state, Str *candidate)
{
    ValueWalk *w = state;
    while (++w->v < w->t->nvalues) {
        if (w->t->values[w->v].type.kind == VALUE_dead)
            continue;
        *candidate = w->t->values[w->v].name;
        return true;
    }
    return false;
}

/* -------------------------------------------------------------------------------- operators */

const Op *find_operator(Repl *r, Str name)
{
    Registry *reg = session_registry(r->session);
    const Op *op = registry_find(reg, name);
    const Spelling *s = op ? NULL : registry_lookup(reg, name);
    if (!op && !s)
        s = registry_lookup(reg, arena_printf(&r->scratch, "torch.%.*s", STR(name)));
    if (!op && !s)
        op = registry_find(reg, arena_printf(&r->scratch, "prims.%.*s", STR(name)));
    return op ? op : s ? s->op : NULL;
}

typedef struct OpWalk {
    const Registry *reg;
    uint32_t i;
} OpWalk;

static bool next_op(void *state, Str *candidate)
{
    OpWalk *w = state;
    if (w->i == w->reg->n)
        return false;
    *candidate = str_from(w->reg->ops[w->i++]->name);
    return true;
}

/* By its spellings (torch.relu), or by its own name (relu). */
static Str nearest_operator(Repl *r, Str name)
{
    const Registry *reg = session_registry(r->session);
    OpWalk walk = {reg, 0};
    Str near = registry_nearest(reg, name);
    return near.n ? near : nearest(name, next_op, &walk);
}

bool no_operator(Repl *r, Str name)
{
    Str near = nearest_operator(r, name);
    fail_with(r, DIAG_usage, "unknown-op", "there is no operator %.*s%s", STR(name),
              did_you_mean(r, "", near));
    fail_help(r, near.n ? "info %.*s" : "ops", STR(near));
    return false;
}

typedef struct PathWalk {
    const Trace *t;
    Arena *arena;
    uint32_t input;
} PathWalk;

/* The only live value with this name in any case; 0 when none or several. */
static ValueId find_any_case(const Trace *t, Str name)
{
    ValueId found = 0;
    for (ValueId v = 1; v < t->nvalues; v++) {
        if (t->values[v].type.kind == VALUE_dead || !same_letters(t->values[v].name, name))
            continue;
        if (found)
            return 0;
        found = v;
    }
    return found;
}

/* The only input that the model calls so: h.0.ln_1.weight, or as much of its end as is unique. */
static ValueId find_by_path(const Trace *t, Str path)
{
    ValueId found = 0;
    StrBuf label = {0};
    for (uint32_t i = 0; i < t->ninputs && path.n; i++) {
        sb_clear(&label);
        label_name(t->values[t->inputs[i]].name, SIZE_MAX, &label);
        Str whole = sb_str(&label),
            end = whole.n > path.n ? str_sub(whole, whole.n - path.n, path.n) : whole;
        bool same = str_eq(end, path) && (end.n == whole.n || whole.p[whole.n - path.n - 1] == '.');
        if (same && found) {
            found = 0;
            break;
        }
        if (same)
            found = t->inputs[i];
    }
    sb_free(&label);
    return found;
}

/* Inputs as the model calls them. */
static bool next_path(void *state, Str *candidate)
{
    PathWalk *w = state;
    if (w->input >= w->t->ninputs)
        return false;
    StrBuf label = {0};
    label_name(w->t->values[w->t->inputs[w->input++]].name, SIZE_MAX, &label);
    *candidate = arena_str(w->arena, sb_str(&label));
    sb_free(&label);
    return true;
}

/* A stage made so far, from st on down, that has a value of this name. */
static const Stage *stage_with(const Stage *st, Str name)
{
    const Stage *found = NULL;
    for (; st && !found; st = st->sibling) {
        bool here = !st->partial && trace_find_value(st->trace, name);
        found = here ? st : stage_with(st->children, name);
    }
    return found;
}

Str nearest_value(Repl *r, const Trace *t, Str name)
{
    ValueWalk walk = {t, 0};
    PathWalk paths = {t, &r->scratch, 0};
    Str near = nearest(name, next_value, &walk);
    return near.n ? near : nearest(name, next_path, &paths);
}

static ValueId no_value(Repl *r, const Trace *t, Str name)
{
    const Program *p = session_current(r->session);
    const Stage *other = p ? stage_with(program_root(p), name) : NULL;
    Str near = nearest_value(r, t, name);
    if (trace_find_kernel(t, name) != NO_NODE) {
        fail_with(r, DIAG_usage, "no-value", "%.*s is a kernel, not a value", STR(name));
        fail_help(r, "kernel %.*s", STR(name));
        return 0;
    }
    if (other) {
        fail_with(r, DIAG_usage, "no-value",
                  "there is no value %%%.*s here, but at stage %.*s there is", STR(name),
                  STR(other->name));
        fail_help(r, "goto %.*s", STR(other->name));
        return 0;
    }
    fail_with(r, DIAG_usage, "no-value", "there is no value %%%.*s here%s", STR(name),
              did_you_mean(r, "%", near));
    fail_help(r, "list");
    return 0;
}

ValueId find_value(Repl *r, const Trace *t, Str word)
{
    Str name = word.n && word.p[0] == '%' ? str_sub(word, 1, word.n) : word;
    ValueId v = trace_find_value(t, name);
    v = v ? v : find_any_case(t, name);
    v = v ? v : find_by_path(t, name);
    if (v)
        return v;
    return no_value(r, t, name);
}

bool find_range(Repl *r, const Trace *t, Str word, ValueId *from, ValueId *to, bool *bad)
{
    *bad = false;
    for (size_t i = 1; i + 2 < word.n; i++) {
        if (word.p[i] != '.' || word.p[i + 1] != '.')
            continue;
        *from = find_value(r, t, str_sub(word, 0, i));
        *to = *from ? find_value(r, t, str_sub(word, i + 2, word.n)) : 0;
        *bad = !*to;
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------- how programs came to be */

Past *program_past(Repl *r, const Program *p)
{
    for (uint32_t i = 0; i < r->npasts; i++) {
        if (r->pasts[i].program == p)
            return &r->pasts[i];
    }
    if (r->npasts == r->past_cap) {
        r->past_cap = r->past_cap ? 2 * r->past_cap : 8;
        r->pasts = realloc(r->pasts, r->past_cap * sizeof *r->pasts);
        if (!r->pasts)
            abort();
    }
    r->pasts[r->npasts] = (Past){.program = (Program *)p};
    return &r->pasts[r->npasts++];
}

void remember_bind(Repl *r, Program *p, Str args)
{
    Past *past = program_past(r, p);
    if (past->nbinds == past->bind_cap) {
        past->bind_cap = past->bind_cap ? 2 * past->bind_cap : 8;
        past->binds = realloc(past->binds, past->bind_cap * sizeof(Str));
        if (!past->binds)
            abort();
    }
    past->binds[past->nbinds++] = arena_str(&r->arena, args);
}
