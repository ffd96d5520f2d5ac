/*
 * program.c - from a text to programs: functions found, symbolic sizes chosen, stage 0 acquired.
 *
 * Input: a file or a text. Output: programs in the session's list, each with its root stage. A
 * program whose sizes are symbols starts with sizes that load, and says which.
 */
#define _POSIX_C_SOURCE 200809L
#include "run.h"

#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --------------------------------------------------------------------------------------- texts */

static TextFile *text_file_take(Arena arena, Str name, Str text, Diag *d)
{
    TextFile *f = run_realloc(NULL, sizeof *f);
    *f = (TextFile){.refs = 1, .arena = arena};
    f->src = (Source){name, text};
    f->front = front_parse(&f->src, d);
    return f;
}

TextFile *text_file_new(Str name, Str text, Diag *d)
{
    Arena a = {0};
    Str kept_name = arena_str(&a, name), kept_text = arena_str(&a, text);
    return text_file_take(a, kept_name, kept_text, d);
}

/* To the end, or as far as it takes to see that this is no text: a device may have no end. */
static bool read_all(Arena *a, FILE *f, Str *out)
{
    enum { CHUNK = 1 << 16 };
    char *chunk = run_realloc(NULL, CHUNK);
    StrBuf text = {0};
    bool is_text = true;
    while (is_text) {
        size_t n = fread(chunk, 1, CHUNK, f);
        if (n == 0)
            break;
        sb_add(&text, (Str){chunk, n});
        is_text = !memchr(chunk, 0, n) && text.n <= FRONT_MOST_BYTES;
    }
    free(chunk);
    *out = arena_str(a, sb_str(&text));
    sb_free(&text);
    return !ferror(f);
}

bool text_read(Arena *a, Str path, Str *out, Diag *d)
{
    bool folder = false;
    errno = 0;
    FILE *f = path_exists(path, &folder) && !folder ? fopen(arena_str(a, path).p, "rb") : NULL;
    bool good = f && read_all(a, f, out);
    if (!good) {
        DiagItem *item =
            folder ? diag_error(d, DIAG_load, (Span){0}, "no-file", "%.*s is a folder", STR(path))
                   : diag_error(d, DIAG_load, (Span){0}, "no-file", "cannot read %.*s: %s",
                                STR(path), strerror(errno));
        diag_help(d, item, folder ? "examine %.*s" : "load FILE[:FUNCTION]", STR(path));
    }
    if (f)
        fclose(f);
    return good;
}

TextFile *text_file_read(Str path, Diag *d)
{
    Arena a = {0};
    Str name = arena_str(&a, path), text;
    if (text_read(&a, path, &text, d))
        return text_file_take(a, name, text, d);
    arena_free(&a);
    return NULL;
}

void text_file_unref(TextFile *f)
{
    if (!f || --f->refs > 0)
        return;
    front_free(f->front);
    arena_free(&f->arena);
    free(f);
}

/* The file stays for as long as diagnostics that point into it may be shown. */
static void text_file_keep(Session *s, TextFile *f)
{
    TextFile **place = &s->recent[s->nrecent++ % ARRAY_LEN(s->recent)];
    text_file_unref(*place);
    f->refs++;
    *place = f;
}

/* ---------------------------------------------------------------------------- stage 0, symbols */

static uint64_t symbols_hash(const SymbolValue *symbols, uint32_t n)
{
    uint64_t h = 1;
    for (uint32_t i = 0; i < n; i++)
        h = hash_bytes(&symbols[i].value, sizeof symbols[i].value, h);
    return h;
}

static Stage *root_with_key(const Program *p, uint64_t key)
{
    for (Stage *st = p->roots; st; st = st->sibling)
        if (st->key == key)
            return st;
    return NULL;
}

static void add_root(Program *p, Trace *t, uint64_t key)
{
    Stage *st = stage_new(p->s, p, NULL, t, S("acquired"));
    st->key = key;
    st->sibling = p->roots;
    p->roots = st;
    p->root = p->anchor = st;
}

bool program_acquire(Program *p, const SymbolValue *symbols, uint32_t nsymbols, Diag *d)
{
    uint64_t key = symbols_hash(symbols, nsymbols) + p->data_number;
    Stage *known = root_with_key(p, key);
    if (!known) {
        OpUses uses = {0};
        Trace *t = acquire_with_data(p, symbols, nsymbols, &uses, d);
        op_uses_free(&p->uses);
        p->uses = uses;
        if (!t)
            return false;
        add_root(p, t, key);
    } else {
        p->root = p->anchor = known;
    }
    for (uint32_t i = 0; i < p->nsymbols; i++)
        p->symbols[i].value = symbols[i].value;
    return true;
}

static void tell_sizes(const Program *p, Diag *d)
{
    StrBuf list = {0};
    for (uint32_t i = 0; i < p->nsymbols; i++)
        sb_printf(&list, "%s%.*s = %lld", i ? ", " : "", STR(p->symbols[i].name),
                  (long long)p->symbols[i].value);
    DiagItem *note = diag_add(d, SEV_note, DIAG_load, (Span){0}, "symbol-size",
                              "symbolic sizes are chosen: %s", sb_cstr(&list));
    diag_help(d, note, "set %.*s=N, or bind inputs", STR(p->symbols[0].name));
    sb_free(&list);
}

/* Tries sizes in turn until the program loads; the errors are those of the first try. */
static bool acquire_guessing(Program *p, const SymbolValue *start, uint32_t nstart, Diag *d)
{
    static const int64_t guesses[] = {8, 4, 16, 2, 32, 1};
    bool guessed = false;
    Diag first = {0};
    for (size_t g = 0; g < ARRAY_LEN(guesses); g++) {
        for (uint32_t i = 0; i < p->nsymbols; i++) {
            p->symbols[i].value = guesses[g];
            bool given = false;
            for (uint32_t k = 0; k < nstart; k++)
                if (str_eq(start[k].name, p->symbols[i].name)) {
                    p->symbols[i].value = start[k].value;
                    given = true;
                }
            guessed |= !given;
        }
        Diag now = {0};
        bool good = program_acquire(p, p->symbols, p->nsymbols, &now);
        if (good || g == 0)
            diag_move(good ? d : &first, &now);
        diag_clear(&now);
        if (good || !guessed)
            break;
    }
    bool good = p->root != NULL;
    if (!good)
        diag_move(d, &first);
    diag_clear(&first);
    if (good && guessed)
        tell_sizes(p, d);
    return good;
}

static Program *program_alloc(Session *s)
{
    Program *p = run_realloc(NULL, sizeof *p);
    *p = (Program){.s = s, .log = &s->log};
    return p;
}

Program *program_make(Session *s, TextFile *file, const FrontFunction *fn,
                      const SymbolValue *symbols, uint32_t nsymbols, Diag *d)
{
    Program *p = program_alloc(s);
    file->refs++;
    p->file = file;
    p->fn = fn;
    p->name = arena_str(&p->arena, front_name(fn));
    const Str *names = front_symbols(fn, &p->nsymbols);
    p->symbols = new_array(&p->arena, SymbolValue, p->nsymbols);
    for (uint32_t i = 0; i < p->nsymbols; i++)
        p->symbols[i].name = names[i];
    bool good = p->nsymbols ? acquire_guessing(p, symbols, nsymbols, d)
                            : program_acquire(p, NULL, 0, d);
    if (!good) {
        program_free(p);
        return NULL;
    }
    slots_init(p);
    cursor_reset(p);
    return p;
}

Program *program_wrap(Session *s, Trace *t)
{
    Program *p = program_alloc(s);
    p->name = arena_str(&p->arena, t->name.n ? t->name : S("program"));
    StrBuf text = {0};
    trace_print(t, &print_all, &text);
    p->memory_text = (Source){p->name, arena_str(&p->arena, sb_str(&text))};
    sb_free(&text);
    add_root(p, t, 0);
    slots_init(p);
    cursor_reset(p);
    return p;
}

void program_free(Program *p)
{
    for (Stage *st = p->roots, *next; st; st = next) {
        next = st->sibling;
        stage_free_tree(st);
    }
    map_for_each(&p->bindings, e)
        tensor_unref(e->p);
    map_free(&p->bindings);
    cotangents_forget(p, (Str){0});
    for (Kept *k = p->kept, *next; k; k = next) {
        next = k->next;
        trace_unref(k->trace);
        text_file_unref(k->file);
        free(k);
    }
    slots_free(p);
    op_uses_free(&p->uses);
    free(p->moves);
    text_file_unref(p->file);
    arena_free(&p->arena);
    free(p);
}

/* -------------------------------------------------------------------------- the session's list */

/* f, f.2, f.3, ...: the entry of a name holds the last suffix that was given to it. */
static void unique_name(Session *s, Program *p)
{
    Str base = p->name;
    bool fresh;
    map_put(&s->names, base, &fresh);
    for (uint64_t k = map_get(&s->names, base)->u; !fresh; map_put(&s->names, p->name, &fresh)) {
        k = k ? k + 1 : 2;
        p->name = arena_printf(&p->arena, "%.*s.%llu", STR(base), (unsigned long long)k);
        map_get(&s->names, base)->u = k;
    }
}

static void program_list(Session *s, Program *p)
{
    unique_name(s, p);
    s->programs = run_realloc(s->programs, (s->nprograms + 1) * sizeof(Program *));
    s->programs[s->nprograms++] = p;
}

static void unknown_function(const TextFile *f, Str function, Diag *d)
{
    DiagItem *item = diag_error(d, DIAG_load, (Span){0}, "no-function",
                                "%.*s has no function named %.*s", STR(f->src.name),
                                STR(function));
    StrBuf names = {0};
    uint32_t n = front_count(f->front);
    for (uint32_t i = 0; i < n && i < 12; i++) {
        Str name = front_name(front_function(f->front, i));
        sb_printf(&names, "%s%.*s", i ? ", " : "it has ", STR(name));
    }
    if (n > 12)
        sb_printf(&names, " and %u more", n - 12);
    if (n)
        diag_note(d, item, "%s", sb_cstr(&names));
    sb_free(&names);
    diag_help(d, item, "load %.*s", STR(f->src.name));
}

void session_rename(Session *s, Program *p, Str name)
{
    p->name = (Str){0}; /* it is no rival of itself */
    for (uint32_t i = 0; i < s->nprograms; i++)
        if (s->programs[i] == p) {
            s->programs[i] = s->programs[--s->nprograms];
            break;
        }
    p->name = name;
    program_list(s, p);
}

/* Makes programs of the functions of f (or of the one with this name) and drops f. errors: how many
 * there were before the text was read. */
static uint32_t load_functions(Session *s, TextFile *f, Str function, uint32_t errors, Diag *d)
{
    Program *first = NULL;
    uint32_t loaded = 0, tried = 0;
    for (uint32_t i = 0; i < front_count(f->front); i++) {
        const FrontFunction *fn = front_function(f->front, i);
        if (function.n && !str_eq(front_name(fn), function))
            continue;
        tried++;
        Program *p = program_make(s, f, fn, NULL, 0, d);
        if (!p)
            continue;
        program_list(s, p);
        first = first ? first : p;
        loaded++;
    }
    if (function.n && tried == 0)
        unknown_function(f, function, d);
    else if (tried == 0 && d->nerrors == errors) /* else the reader has said what is wrong */
        diag_help(d, diag_error(d, DIAG_load, (Span){0}, "no-program",
                                "%.*s holds no function to load", STR(f->src.name)),
                  "help formats");
    if (first)
        session_select(s, first);
    if (d->nitems)
        text_file_keep(s, f);
    text_file_unref(f);
    return loaded;
}

uint32_t session_load(Session *s, Str path_and_function, Diag *d)
{
    Str path = path_and_function, function = {0};
    bool folder;
    if (!path_exists(path, &folder)) {
        size_t colon = path.n;
        while (colon > 0 && path.p[colon - 1] != ':')
            colon--;
        if (colon > 1 && path_exists(str_sub(path, 0, colon - 1), &folder)) {
            function = str_sub(path, colon, SIZE_MAX);
            path = str_sub(path, 0, colon - 1);
        }
    }
    uint32_t errors = d->nerrors;
    SpentOn before = spent_turn(&s->spent, SPENT_load);
    TextFile *f = text_file_read(path, d);
    uint32_t n = f ? load_functions(s, f, function, errors, d) : 0;
    spent_back(&s->spent, before);
    return n;
}

uint32_t session_load_text(Session *s, Str name, Str text, Str function, Diag *d)
{
    uint32_t errors = d->nerrors;
    return load_functions(s, text_file_new(name, text, d), function, errors, d);
}

Program *session_add_trace(Session *s, Trace *t)
{
    Program *p = program_wrap(s, t);
    program_list(s, p);
    session_select(s, p);
    return p;
}

/* ----------------------------------------------------------------------------------- questions */

Str program_name(const Program *p)
{
    return p->name;
}

const Source *program_source(const Program *p)
{
    return p->file ? &p->file->src : &p->memory_text;
}

const SymbolValue *program_symbols(const Program *p, uint32_t *n)
{
    *n = p->nsymbols;
    return p->symbols;
}

/* ------------------------------------------------------------------------------------- symbols */

static bool next_symbol(void *state, Str *candidate)
{
    struct { const Program *p; uint32_t i; } *it = state;
    if (it->i == it->p->nsymbols)
        return false;
    *candidate = it->p->symbols[it->i++].name;
    return true;
}

bool program_set_symbol(Session *s, Program *p, Str name, int64_t value, Diag *d)
{
    uint32_t i = 0;
    while (i < p->nsymbols && !str_eq(p->symbols[i].name, name))
        i++;
    if (i == p->nsymbols) {
        struct { const Program *p; uint32_t i; } it = {p, 0};
        Str near = nearest(name, next_symbol, &it);
        DiagItem *item = diag_error(d, DIAG_usage, (Span){0}, "no-symbol",
                                    "%.*s has no symbolic size %.*s", STR(p->name), STR(name));
        if (near.n)
            diag_note(d, item, "did you mean %.*s?", STR(near));
        diag_help(d, item, "info");
        return false;
    }
    SymbolValue *now = run_realloc(NULL, p->nsymbols * sizeof *now);
    memcpy(now, p->symbols, p->nsymbols * sizeof *now);
    now[i].value = value;
    bool good = program_acquire(p, now, p->nsymbols, d);
    free(now);
    if (good) {
        line_invalidate(p, 0);
        cursor_restore(s, p, d);
    }
    return good;
}

typedef struct Given {
    Map sizes;
    const FrontFunction *fn;
    Diag *d;
    bool good;
} Given;

static void give_size(Given *g, Str symbol, int64_t size, Str by)
{
    bool is_new;
    MapEntry *e = map_put(&g->sizes, symbol, &is_new);
    if (is_new)
        e->u = (uint64_t)size;
    if (e->u == (uint64_t)size)
        return;
    g->good = false;
    diag_error(g->d, DIAG_load, front_span(g->fn), "symbol-conflict",
               "size %.*s is %lld by one input and %lld by %.*s", STR(symbol), (long long)e->u,
               (long long)size, STR(by));
}

bool symbols_from_tensors(const FrontFunction *fn, SymbolValue *out, uint32_t n,
                          const Tensor *(*find)(void *user, Str name), void *user, bool *changed,
                          Diag *d)
{
    Str name, sym[MAX_RANK];
    uint32_t rank;
    int64_t dims[MAX_RANK];
    Given g = {.fn = fn, .d = d, .good = true};
    *changed = false;
    for (uint32_t i = 0; n && g.good; i++) {
        bool has_shape = front_param_shape(fn, i, &name, &rank, dims, sym);
        if (name.n == 0)
            break;
        const Tensor *t = find(user, name);
        if (!t)
            continue;
        if (!has_shape && t->rank == 0 && t->buf && dtype_is_int(t->dtype))
            give_size(&g, name, elem_get_i64(tensor_data(t), t->dtype), name);
        for (uint32_t k = 0; has_shape && t->rank == rank && g.good && k < rank; k++)
            if (dims[k] == -1)
                give_size(&g, sym[k], t->shape[k], name);
    }
    for (uint32_t i = 0; g.good && i < n; i++) {
        MapEntry *e = map_get(&g.sizes, out[i].name);
        if (!e || out[i].value == (int64_t)e->u)
            continue;
        out[i].value = (int64_t)e->u;
        *changed = true;
    }
    map_free(&g.sizes);
    return g.good;
}
