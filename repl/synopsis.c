/*
 * synopsis.c - how many words a command takes, read from its synopsis in commands.def.
 *
 * Input: "[FILE] [%v [WIDTH] | diff A [B]]" and the words of a line. Output: the first word that no
 * reading of the synopsis has a place for. Idea: a set of positions between the words, one bit
 * each, is led through the synopsis; what it leads to is where a complete call may end.
 *
 * Alternatives stand between " | ", optional parts in brackets. Words of small letters (with '|'
 * between them) mean themselves, NAME=VALUE a word with '=', all others any word. WORD... repeats,
 * and so do those that name text with blanks in it. Options and their arguments have been taken out
 * of the line before.
 */
#include "repl.h"

#include <string.h>

enum { MOST_WORDS = 63 }; /* of a line that are looked at */

typedef struct Reading {
    const Command *cmd;
    const Str *words;
    uint32_t n;
    Str rest; /* of the synopsis */
} Reading;

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
    for (uint32_t i = 0; i < r->n; i++) {
        bool first = in >> i & 1 && stands_for(pattern, r->words[i]);
        if (first || (again && out >> i & 1))
            out |= UINT64_C(1) << (i + 1);
    }
    return out;
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

static uint64_t through_alternatives(Reading *r, uint64_t in);

static uint64_t through_one(Reading *r, uint64_t in)
{
    if (r->rest.p[0] == '[') {
        r->rest = str_sub(r->rest, 1, r->rest.n);
        uint64_t out = in | through_alternatives(r, in);
        r->rest = str_sub(r->rest, 1, r->rest.n);
        return out;
    }
    Str pattern = take_pattern(&r->rest);
    bool takes = false;
    if (!str_starts(pattern, "--"))
        return through_word(r, pattern, in);
    if (command_option(r->cmd, pattern, &takes) && takes) {
        r->rest = str_trim(r->rest);
        take_pattern(&r->rest);
    }
    return in;
}

static uint64_t through_alternatives(Reading *r, uint64_t in)
{
    uint64_t out = 0, at = in;
    while (r->rest.n && r->rest.p[0] != ']') {
        if (r->rest.p[0] == ' ') {
            r->rest = str_sub(r->rest, 1, r->rest.n);
        } else if (str_starts(r->rest, "| ")) {
            r->rest = str_sub(r->rest, 1, r->rest.n);
            out |= at;
            at = in;
        } else {
            at = through_one(r, at);
        }
    }
    return out | at;
}

bool superfluous_word(const Command *cmd, const Str *words, uint32_t n, uint32_t *which)
{
    Reading r = {cmd, words, n < MOST_WORDS ? n : MOST_WORDS, str_from(cmd->synopsis)};
    uint64_t ends = through_alternatives(&r, 1);
    uint32_t last = 0;
    for (uint32_t i = 0; i <= r.n; i++)
        if (ends >> i & 1)
            last = i;
    *which = last;
    return ends && last < r.n;
}
