/*
 * synopsis.c - which words and options a command takes together, read from its synopsis.
 *
 * Input: "[STAGE] [--all] | --first" and the words and options of a line. Output: the first word
 * that no reading of the synopsis has a place for, or the options that do not go together. Idea: a
 * set of states is led through the synopsis, each the options that were met and the positions
 * between the words, one bit each, that may be reached with them; what it leads to is where a
 * complete call may end.
 *
 * Alternatives stand between " | ", optional parts in brackets. Words of small letters (with '|'
 * between them) mean themselves, NAME=VALUE a word with '=', all others any word. WORD... repeats,
 * and so do those that name text with blanks in it. An option that stands in the synopsis goes with
 * what stands beside it only ("--a|--b": either of the two); all others go with anything. Options
 * may stand anywhere in a line, so their places among the words do not matter.
 */
#include "repl.h"

#include <string.h>

enum { MOST_WORDS = 63, MOST_STATES = 32 }; /* of a line that are looked at; of a reading */
#define ANY_WORDS UINT32_MAX /* the words do not matter */

typedef struct State {
    uint32_t met; /* options of the line, one bit each */
    uint64_t at;
} State;

typedef struct States {
    uint32_t n;
    State all[MOST_STATES];
} States;

typedef struct Reading {
    const Command *cmd;
    const Args *line;
    uint32_t nwords;
    uint32_t given; /* options to be met */
    Str rest;       /* of the synopsis */
} Reading;

/* Whether b leads wherever a does. */
static bool covers(State b, State a)
{
    return (a.met & ~b.met) == 0 && (a.at & ~b.at) == 0;
}

static void add_state(States *s, State x)
{
    uint32_t kept = 0;
    if (!x.at)
        return;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->all[i].met == x.met)
            x.at |= s->all[i].at;
        else if (covers(s->all[i], x))
            return;
    }
    for (uint32_t i = 0; i < s->n; i++)
        if (!covers(x, s->all[i]))
            s->all[kept++] = s->all[i];
    s->n = kept;
    if (s->n < MOST_STATES)
        s->all[s->n++] = x;
}

static void add_states(States *s, const States *more)
{
    for (uint32_t i = 0; i < more->n; i++)
        add_state(s, more->all[i]);
}

/* Placeholders of text that a line need not quote. */
static const char *const texts[] = {"EXPRESSION", "CONDITION"};

static bool is_literal(Str pattern)
{
    for (size_t i = 0; i < pattern.n; i++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz-|", pattern.p[i]))
            return false;
    return true;
}

/* Whether a word of the synopsis may stand for a word of the line. */
static bool stands_for(Str pattern, Str word)
{
    if (str_find(pattern, '=', 0) != SIZE_MAX)
        return str_find(word, '=', 0) != SIZE_MAX;
    if (!is_literal(pattern))
        return true;
    while (pattern.n)
        if (str_eq(str_cut(&pattern, '|'), word))
            return true;
    return false;
}

static bool repeats(Str pattern)
{
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        if (str_is(pattern, texts[i]))
            return true;
    return str_ends(pattern, "...") && !str_ends(pattern, ",...");
}

static uint64_t through_word(const Reading *r, Str pattern, uint64_t in)
{
    uint64_t out = 0;
    bool again = repeats(pattern);
    if (r->nwords == ANY_WORDS)
        return in;
    for (uint32_t i = 0; i < r->nwords; i++) {
        bool first = in >> i & 1 && stands_for(pattern, r->line->words[i]);
        if (first || (again && out >> i & 1))
            out |= UINT64_C(1) << (i + 1);
    }
    return out;
}

/* Those of the line's options that a pattern "--a|--b" names. */
static uint32_t options_named(const Reading *r, Str pattern)
{
    uint32_t named = 0;
    while (pattern.n) {
        Str one = str_cut(&pattern, '|');
        for (uint32_t i = 0; i < r->line->noptions; i++)
            if (r->given >> i & 1 && str_eq(r->line->options[i].name, one))
                named |= UINT32_C(1) << i;
    }
    return named;
}

/* The next word of the synopsis, with brackets inside of it; "" before a bracket that begins or
 * ends a part, and at the end. */
static Str take_pattern(Str *rest)
{
    size_t n = 0;
    int depth = 0;
    while (n < rest->n && rest->p[n] != ' ') {
        depth += (rest->p[n] == '[') - (rest->p[n] == ']');
        if (depth < 0 || (n == 0 && depth > 0))
            break;
        n++;
    }
    Str pattern = str_sub(*rest, 0, n);
    *rest = str_sub(*rest, n, rest->n);
    return pattern;
}

Str synopsis_next(Str *synopsis)
{
    Str all = *synopsis;
    int depth = 0;
    for (size_t i = 0; i < all.n; i++) {
        depth += (all.p[i] == '[') - (all.p[i] == ']');
        if (depth || !str_starts(str_sub(all, i, SIZE_MAX), " | "))
            continue;
        *synopsis = str_sub(all, i + 3, SIZE_MAX);
        return str_sub(all, 0, i);
    }
    *synopsis = (Str){0};
    return all;
}

/* The names of an option of the synopsis, whose argument is passed over; "" = it is a word. */
static Str take_option(const Command *cmd, Str *rest)
{
    Str before = *rest, pattern = take_pattern(rest), names = pattern, one = str_cut(&names, '|');
    bool takes = false;
    if (pattern.n < 2 || pattern.p[0] != '-' || !command_option(cmd, one, &takes)) {
        *rest = before;
        return (Str){0};
    }
    if (takes) {
        *rest = str_trim(*rest);
        take_pattern(rest);
    }
    return pattern;
}

static States through_alternatives(Reading *r, const States *in);

static States through_one(Reading *r, const States *in)
{
    States out = {0};
    if (r->rest.p[0] == '[') {
        r->rest = str_sub(r->rest, 1, r->rest.n);
        out = through_alternatives(r, in);
        add_states(&out, in);
        r->rest = str_sub(r->rest, 1, r->rest.n);
        return out;
    }
    Str option = take_option(r->cmd, &r->rest);
    Str pattern = option.n ? option : take_pattern(&r->rest);
    uint32_t named = options_named(r, option);
    for (uint32_t i = 0; i < in->n; i++) {
        State s = in->all[i];
        if (!option.n)
            add_state(&out, (State){s.met, through_word(r, pattern, s.at)});
        for (uint32_t k = 0; k < r->line->noptions; k++)
            if (named >> k & 1)
                add_state(&out, (State){s.met | UINT32_C(1) << k, s.at});
    }
    return out;
}

static States through_alternatives(Reading *r, const States *in)
{
    States out = {0}, at = *in;
    while (r->rest.n && r->rest.p[0] != ']') {
        if (r->rest.p[0] == ' ') {
            r->rest = str_sub(r->rest, 1, r->rest.n);
        } else if (str_starts(r->rest, "| ")) {
            r->rest = str_sub(r->rest, 1, r->rest.n);
            add_states(&out, &at);
            at = *in;
        } else {
            at = through_one(r, &at);
        }
    }
    add_states(&out, &at);
    return out;
}

/* ------------------------------------------------------------------------------------- options */

/* Whether the synopsis names an option. */
static bool is_named(const Command *cmd, Str name)
{
    Str rest = str_from(cmd->synopsis);
    while (rest.n) {
        Str names = take_option(cmd, &rest);
        while (names.n)
            if (str_eq(str_cut(&names, '|'), name))
                return true;
        if (rest.n && !take_pattern(&rest).n)
            rest = str_sub(rest, 1, rest.n);
    }
    return false;
}

/* One bit for each option of the line that the synopsis names, where it is given the last time. */
static uint32_t named_options(const Command *cmd, const Args *line)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < line->noptions; i++) {
        bool again = false;
        for (uint32_t k = i + 1; k < line->noptions; k++)
            again |= str_eq(line->options[k].name, line->options[i].name);
        if (!again && is_named(cmd, line->options[i].name))
            set |= UINT32_C(1) << i;
    }
    return set;
}

/* The positions that readings with all of these options reach among the words. */
static uint64_t reached(const Command *cmd, const Args *line, uint32_t options)
{
    Reading r = {cmd, line, line->n < MOST_WORDS ? line->n : MOST_WORDS, options,
                 str_from(cmd->synopsis)};
    States all = through_alternatives(&r, &(States){1, {{0, 1}}});
    uint64_t ends = 0;
    for (uint32_t i = 0; i < all.n; i++)
        if (all.all[i].met == options)
            ends |= all.all[i].at;
    return ends;
}

/* Whether some line has these options, whatever its words. */
static bool go_together(const Command *cmd, const Args *line, uint32_t options)
{
    Reading r = {cmd, line, ANY_WORDS, options, str_from(cmd->synopsis)};
    States all = through_alternatives(&r, &(States){1, {{0, 1}}});
    bool found = false;
    for (uint32_t i = 0; i < all.n; i++)
        found |= all.all[i].met == options;
    return found;
}

/* An option that may not stand without another one: which, "" = none. */
static Str needed_by(const Command *cmd, Str name)
{
    Str rest = str_from(cmd->options);
    while (rest.n) {
        Str one = str_cut(&rest, ';'), other = str_cut(&one, ' ');
        Args both = {.cmd = cmd, .noptions = 2, .options = {{.name = name}, {.name = other}}};
        if (!str_eq(other, name) && is_named(cmd, other) && go_together(cmd, &both, 3))
            return other;
    }
    return (Str){0};
}

/* The first option that does not stand alone, or pair of them that does not go together. */
static bool find_clash(const Command *cmd, const Args *line, uint32_t options, Clash *out)
{
    for (uint32_t i = 0; i < line->noptions; i++) {
        Str name = line->options[i].name;
        for (uint32_t k = 0; k < i; k++) {
            uint32_t both = UINT32_C(1) << i | UINT32_C(1) << k;
            Str other = line->options[k].name;
            if ((options & both) == both && !go_together(cmd, line, both)) {
                *out = (Clash){.option = other, .with = name};
                return true;
            }
        }
    }
    for (uint32_t i = 0; i < line->noptions; i++) {
        Str name = line->options[i].name;
        if (options >> i & 1 && !go_together(cmd, line, UINT32_C(1) << i)) {
            *out = (Clash){.option = name, .needs = needed_by(cmd, name)};
            return true;
        }
    }
    return false;
}

bool line_clashes(const Command *cmd, const Args *line, Clash *out)
{
    uint32_t options = named_options(cmd, line), n = line->n < MOST_WORDS ? line->n : MOST_WORDS;
    *out = (Clash){.word = {0}};
    if (!go_together(cmd, line, options)) {
        if (!find_clash(cmd, line, options, out))
            out->option = line->options[0].name;
        return true;
    }
    uint64_t ends = reached(cmd, line, options);
    bool without = options && reached(cmd, line, 0) >> n & 1;
    uint32_t last = 0;
    for (uint32_t i = 0; i <= n; i++)
        if (ends >> i & 1)
            last = i;
    if (ends ? last == n : !without) /* what is missing is told by the command */
        return false;
    if (ends)
        out->word = line->words[last];
    for (uint32_t i = 0; i < line->noptions && without; i++)
        if (options >> i & 1)
            out->option = line->options[i].name;
    return true;
}
