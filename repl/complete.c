/*
 * complete.c - what may stand at the cursor: commands first, then what the command's row says for
 * the position. Reads tables and names that exist already; never computes a stage, never blocks.
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "repl.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_CANDIDATES = 5000 };

typedef struct Completer {
    Repl *r;
    Arena *a;
    Candidates *out;
    Str word; /* what is typed of it */
} Completer;

static void offer(Completer *c, Str text)
{
    Candidates *o = c->out;
    if (text.n < c->word.n || memcmp(text.p, c->word.p, c->word.n) != 0 || o->n == MAX_CANDIDATES)
        return;
    if (o->n == o->cap) {
        uint32_t cap = o->cap ? 2 * o->cap : 32;
        Str *more = new_array(c->a, Str, cap);
        if (o->n)
            memcpy(more, o->items, o->n * sizeof(Str));
        o->items = more;
        o->cap = cap;
    }
    o->items[o->n++] = arena_str(c->a, text);
}

static void offer_c(Completer *c, const char *text)
{
    offer(c, str_from(text));
}

/* -------------------------------------------------------------------------------------- kinds */

static void offer_commands(Completer *c)
{
    for (uint32_t i = 0; i < command_count; i++)
        offer_c(c, command_table[i].name);
}

static void offer_topics(Completer *c)
{
    offer_commands(c);
    for (uint32_t i = 0; i < topic_count; i++)
        offer_c(c, topic_table[i].name);
}

static void offer_settings(Completer *c)
{
    uint32_t n = 0;
    Program *p = current(c->r);
    for (int i = 0; i < SET_COUNT; i++)
        offer_c(c, setting_table[i].name);
    const SymbolValue *symbols = p ? program_symbols(p, &n) : NULL;
    for (uint32_t i = 0; i < n; i++)
        offer(c, arena_printf(c->a, "%.*s=", STR(symbols[i].name)));
}

static void offer_programs(Completer *c)
{
    for (uint32_t i = 0; i < session_program_count(c->r->session); i++)
        offer(c, program_name(session_program(c->r->session, i)));
}

static void offer_stages(Completer *c)
{
    Program *p = current(c->r);
    if (!p)
        return;
    offer_c(c, "acquired");
    offer_c(c, "last");
    for (uint32_t i = 0; i < program_slot_count(p); i++) {
        if (program_slot(p, i)->on)
            offer(c, program_slot(p, i)->name);
    }
}

static void offer_passes(Completer *c)
{
    Program *p = current(c->r);
    for (uint32_t i = 0; p && i < program_slot_count(p); i++)
        offer(c, program_slot(p, i)->name);
}

static void offer_executors(Completer *c)
{
    const ExecList *l = session_executors(c->r->session);
    for (uint32_t i = 0; i < l->n; i++)
        offer_c(c, l->items[i]->name);
}

static void offer_options(Completer *c)
{
    for (uint32_t i = 0; i < option_count; i++)
        offer_c(c, option_table[i].name);
}

static void offer_values(Completer *c)
{
    Program *p = current(c->r);
    if (!p)
        return;
    const Trace *t = program_cursor(p)->trace;
    bool marked = c->word.n && c->word.p[0] == '%';
    for (ValueId v = 1; v < t->nvalues; v++) {
        if (t->values[v].type.kind == VALUE_dead)
            continue;
        Str name = t->values[v].name;
        offer(c, marked || !c->word.n ? arena_printf(c->a, "%%%.*s", STR(name)) : name);
    }
}

/* "%a..%b": completes the name behind the dots. */
static void offer_range(Completer *c)
{
    Program *p = current(c->r);
    size_t dots = SIZE_MAX;
    for (size_t i = 0; i + 1 < c->word.n; i++) {
        if (c->word.p[i] == '.' && c->word.p[i + 1] == '.')
            dots = i + 2;
    }
    if (dots == SIZE_MAX) {
        offer_values(c);
        return;
    }
    const Trace *t = p ? program_cursor(p)->trace : NULL;
    Str head = str_sub(c->word, 0, dots);
    for (ValueId v = 1; t && v < t->nvalues; v++) {
        if (t->values[v].type.kind != VALUE_dead)
            offer(c, arena_printf(c->a, "%.*s%%%.*s", STR(head), STR(t->values[v].name)));
    }
}

static void offer_inputs(Completer *c)
{
    Program *p = current(c->r);
    const Trace *t = p ? program_root(p)->trace : NULL;
    for (uint32_t i = 0; t && i < t->ninputs; i++)
        offer(c, arena_printf(c->a, "%.*s=", STR(t->values[t->inputs[i]].name)));
}

static void offer_ops(Completer *c)
{
    const Registry *reg = session_registry(c->r->session);
    StrBuf b = {0};
    for (uint32_t i = 0; i < reg->n; i++) {
        offer_c(c, reg->ops[i]->name);
        sb_clear(&b);
        op_qualified_name(reg->ops[i], &b);
        offer(c, sb_str(&b));
    }
    sb_free(&b);
}

/* Where the word's last part begins: behind the last '/'. */
static size_t folder_part(Str word)
{
    size_t n = word.n;
    while (n && word.p[n - 1] != '/')
        n--;
    return n;
}

static void offer_files(Completer *c)
{
    Str folder = str_sub(c->word, 0, folder_part(c->word));
    const char *home = getenv("HOME");
    Str path = folder.n ? folder : S(".");
    if (str_starts(folder, "~/") && home)
        path = arena_printf(c->a, "%s/%.*s", home, STR(str_sub(folder, 2, folder.n)));
    DIR *dir = opendir(arena_str(c->a, path).p);
    bool hidden = c->word.n > folder.n && c->word.p[folder.n] == '.';
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        if (e->d_name[0] == '.' && (!hidden || !e->d_name[1] || !strcmp(e->d_name, "..")))
            continue;
        struct stat st;
        Str full = arena_printf(c->a, "%.*s/%s", STR(path), e->d_name);
        bool is_folder = stat(full.p, &st) == 0 && S_ISDIR(st.st_mode);
        offer(c, arena_printf(c->a, "%.*s%s%s", STR(folder), e->d_name, is_folder ? "/" : ""));
    }
    if (dir)
        closedir(dir);
}

static void offer_literals(Completer *c, Str list)
{
    while (list.n)
        offer(c, str_cut(&list, '|'));
}

static const struct {
    const char *kind;
    void (*offer)(Completer *c);
} kinds[] = {
    {"file", offer_files},         {"program", offer_programs}, {"stage", offer_stages},
    {"value", offer_values},       {"range", offer_range},      {"pass", offer_passes},
    {"executor", offer_executors}, {"setting", offer_settings}, {"command", offer_commands},
    {"topic", offer_topics},       {"op", offer_ops},           {"option", offer_options},
    {"input", offer_inputs},
};

/* Names that stand for a command of their own: settings, passes, executors. */
static void offer_toggles(Completer *c)
{
    for (int i = 0; i < SET_COUNT; i++)
        offer_c(c, setting_table[i].name);
    offer_passes(c);
    offer_executors(c);
}

static void offer_kind(Completer *c, Str kind)
{
    if (str_starts(kind, "=")) {
        offer_literals(c, str_sub(kind, 1, kind.n));
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (str_is(kind, kinds[i].kind))
            kinds[i].offer(c);
    }
}

/* ------------------------------------------------------------------------------------- places */

static void offer_flags(Completer *c, const Command *cmd)
{
    Str rest = str_from(cmd->options);
    while (rest.n) {
        Str one = str_cut(&rest, ';');
        offer(c, str_cut(&one, ' '));
    }
}

/* The kind for a position: the row's words in order, the last one for all that follow. */
static Str kind_at(const Command *cmd, uint32_t position)
{
    Str rest = str_from(cmd->completion), kind = {0};
    for (uint32_t i = 0; i <= position && rest.n; i++)
        kind = str_cut(&rest, ' ');
    return kind;
}

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const Str *)a, *(const Str *)b);
}

static void sort_unique(Candidates *o)
{
    uint32_t n = 0;
    if (o->n)
        qsort(o->items, o->n, sizeof(Str), by_text);
    for (uint32_t i = 0; i < o->n; i++) {
        if (!n || !str_eq(o->items[n - 1], o->items[i]))
            o->items[n++] = o->items[i];
    }
    o->n = n;
}

/* What follows a setting's or a toggle's name. */
static void offer_setting_values(Completer *c, Str name)
{
    int id = setting_find(name);
    if (id < 0)
        return;
    if (setting_table[id].type == SETTING_bool)
        offer_literals(c, S("on|off"));
    else if (setting_table[id].type == SETTING_choice)
        offer_literals(c, str_from(setting_table[id].values));
    else if (id == SET_pager)
        offer_literals(c, S("on|off"));
}

static void complete_argument(Completer *c, Str name, Str before)
{
    const Command *found[2];
    CommandLine line;
    line_split(c->a, before, false, &line);
    if (line.redirect != REDIRECT_none) {
        offer_files(c);
        return;
    }
    if (command_lookup(name, found, 2) != 1) {
        offer_setting_values(c, name);
        return;
    }
    const Command *cmd = found[0];
    if (c->word.n && c->word.p[0] == '-') {
        offer_flags(c, cmd);
        return;
    }
    uint32_t position = 0;
    for (uint32_t i = 0; i < line.n; i++)
        position += !str_starts(line.words[i], "-");
    if (position == 1 && str_is(kind_at(cmd, 0), "setting")) {
        offer_setting_values(c, line.words[0]);
        return;
    }
    Str kinds_here = kind_at(cmd, position);
    if (str_starts(kinds_here, "=")) {
        offer_kind(c, kinds_here);
        return;
    }
    while (kinds_here.n)
        offer_kind(c, str_cut(&kinds_here, '|'));
}

void complete(Repl *r, Str line, size_t cursor, Arena *a, Candidates *out)
{
    Completer c = {.r = r, .a = a, .out = out};
    line = str_sub(line, 0, cursor);
    size_t start = line.n, lead = 0;
    while (start && line.p[start - 1] != ' ' && line.p[start - 1] != '\t')
        start--;
    while (lead < line.n && (line.p[lead] == ' ' || line.p[lead] == '\t'))
        lead++;
    *out = (Candidates){.start = start};
    c.word = str_sub(line, start, line.n);
    if (start <= lead) {
        offer_commands(&c);
        if (c.word.n)
            offer_toggles(&c);
    } else {
        uint8_t query;
        Str rest, name = line_name(line, &query, &rest);
        complete_argument(&c, name, str_sub(line, 0, start));
    }
    sort_unique(out);
}
