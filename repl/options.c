/* options.c - the command line, from the table in options.def; see options.h. */
#include "options.h"

#include "diag.h"

#include <stdio.h>

typedef enum OptionId {
#define OPTION(name, letter, arg, id, help) OPT_##id,
#include "options.def"
#undef OPTION
    OPT_COUNT
} OptionId;

static const struct {
    const char *name;
    char letter;
    const char *arg, *help;
} rows[OPT_COUNT] = {
#define OPTION(name, letter, arg, id, help) {name, letter, arg, help},
#include "options.def"
#undef OPTION
};

static bool next_name(void *state, Str *candidate)
{
    uint32_t *i = state;
    if (*i == OPT_COUNT)
        return false;
    *candidate = str_from(rows[(*i)++].name);
    return true;
}

static void add_action(Options *o, ActionKind kind, Str text)
{
    o->actions[o->nactions++] = (Action){kind, text};
}

static void apply(Options *o, Arena *a, OptionId id, Str value)
{
    switch (id) {
    case OPT_EXECUTE:
        add_action(o, ACTION_execute, value);
        break;
    case OPT_SCRIPT:
        add_action(o, ACTION_script, value);
        break;
    case OPT_BATCH:
        o->batch = true;
        break;
    case OPT_KEEP_GOING:
        o->keep_going = true;
        break;
    case OPT_JSON:
        o->json = true;
        break;
    case OPT_QUIET:
        o->quiet = true;
        break;
    case OPT_NO_INIT:
        o->no_init = true;
        break;
    case OPT_YES:
        o->yes = true;
        break;
    case OPT_MANUAL:
        o->manual = true;
        break;
    case OPT_VERSION:
        o->version = true;
        break;
    case OPT_HELP:
        o->help = true;
        break;
    case OPT_COLOR:
        o->color = value;
        if (!str_is(value, "auto") && !str_is(value, "always") && !str_is(value, "never"))
            o->error =
                arena_printf(a, "--color takes auto, always or never, not '%.*s'", STR(value));
        break;
    case OPT_COUNT:
        break;
    }
}

static int find_option(Str word, bool is_long)
{
    for (uint32_t i = 0; i < OPT_COUNT; i++) {
        if (is_long ? str_is(word, rows[i].name) : word.n == 1 && word.p[0] == rows[i].letter)
            return (int)i;
    }
    return -1;
}

static void unknown(Options *o, Arena *a, Str word, Str name)
{
    uint32_t state = 0;
    Str near = nearest(name, next_name, &state);
    o->error = arena_printf(a, "unknown option '%.*s'", STR(word));
    if (near.n)
        o->hint = arena_printf(a, "--%.*s", STR(near));
}

/* One word that begins with '-'; returns how many words of argv were used. */
static int take_option(Options *o, Arena *a, int left, char **argv)
{
    Str word = str_from(argv[0]), name = word, value = {0};
    bool is_long = str_starts(word, "--"), has_value = false;
    if (is_long) {
        Str rest = str_sub(word, 2, word.n);
        has_value = str_find(rest, '=', 0) != SIZE_MAX;
        name = str_cut(&rest, '=');
        value = rest;
    } else {
        name = str_sub(word, 1, 1);
        has_value = word.n > 2;
        value = str_sub(word, 2, word.n);
    }
    int id = find_option(name, is_long || (word.n > 2 && find_option(name, false) < 0));
    if (id < 0) {
        unknown(o, a, word, is_long ? name : str_sub(word, 1, word.n));
        return 1;
    }
    if (has_value && !rows[id].arg) {
        unknown(o, a, word, name);
        return 1;
    }
    int used = 1;
    if (rows[id].arg && !has_value) {
        if (left < 2) {
            o->error =
                arena_printf(a, "option '%.*s' needs an argument: %s", STR(word), rows[id].arg);
            return 1;
        }
        value = str_from(argv[1]);
        used = 2;
    }
    apply(o, a, (OptionId)id, value);
    return used;
}

void options_parse(int argc, char **argv, Arena *a, Options *out)
{
    *out = (Options){.actions = new_array(a, Action, (size_t)argc + 1)};
    bool only_files = false;
    for (int i = 1; i < argc && !out->error.n;) {
        if (!only_files && str_is(str_from(argv[i]), "--")) {
            only_files = true;
            i++;
        } else if (!only_files && argv[i][0] == '-' && argv[i][1]) {
            i += take_option(out, a, argc - i, argv + i);
        } else {
            add_action(out, ACTION_load, str_from(argv[i++]));
        }
    }
}

void options_usage(StrBuf *out)
{
    sb_puts(out, "Usage: thunder-repl [OPTION]... [FILE]...\n"
                 "Loads each FILE (a graph that PyTorch printed or a trace that Thunder printed)\n"
                 "and asks for commands; `help` lists them.\n\n");
    for (uint32_t i = 0; i < OPT_COUNT; i++) {
        StrBuf left = {0};
        if (rows[i].letter)
            sb_printf(&left, "  -%c, --%s", rows[i].letter, rows[i].name);
        else
            sb_printf(&left, "      --%s", rows[i].name);
        if (rows[i].arg)
            sb_printf(&left, "=%s", rows[i].arg);
        sb_printf(out, "%-24s %s\n", sb_cstr(&left), rows[i].help);
        sb_free(&left);
    }
    sb_puts(
        out,
        "\nExit codes: 0 good, 1 a check failed, 2 usage or unknown command, 3 cannot load,\n"
        "4 compile or kernel failure, 5 no suitable device, 124 time limit, 130 interrupted.\n");
}
