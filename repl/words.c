/* words.c - cuts a command line into words; see words.h. */
#include "words.h"

#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

Str line_name(Str line, uint8_t *query, Str *rest)
{
    line = str_trim(line);
    *query = 0;
    size_t n = 0;
    if (line.n && line.p[0] == '!') {
        n = 1;
    } else if (line.n && line.p[0] == '#') {
        line.n = 0;
    } else {
        while (n < line.n && !is_space(line.p[n]))
            n++;
    }
    Str name = str_sub(line, 0, n);
    *rest = str_trim(str_sub(line, n, line.n));
    while (name.n > 1 && name.p[name.n - 1] == '?' && *query < 2) {
        name.n--;
        ++*query;
    }
    return name;
}

/* Whether a comment begins at i: '#' at the start of a word and followed by white space or the end,
 * so that #12 can name a stage. */
static bool is_comment(Str s, size_t i)
{
    return s.p[i] == '#' && (i + 1 == s.n || is_space(s.p[i + 1]));
}

/* One word from *i on; quotes are removed, and brackets keep white space together. */
static Str take_word(Arena *a, Str s, size_t *i, bool *quoted, const char **error)
{
    char *out = arena_alloc(a, s.n - *i + 1);
    size_t n = 0;
    int depth = 0;
    char quote = 0;
    *quoted = false;
    for (; *i < s.n; ++*i) {
        char c = s.p[*i];
        if (quote) {
            if (c == quote)
                quote = 0;
            else if (c == '\\' && quote == '"' && *i + 1 < s.n &&
                     (s.p[*i + 1] == '"' || s.p[*i + 1] == '\\'))
                out[n++] = s.p[++*i];
            else
                out[n++] = c;
            continue;
        }
        if (c == '"' || c == '\'') {
            quote = c;
            *quoted = true;
            continue;
        }
        if (is_space(c) && depth <= 0)
            break;
        depth += (c == '[' || c == '(') - (c == ']' || c == ')');
        out[n++] = c;
    }
    if (quote)
        *error = "a quote is not closed";
    else if (depth > 0)
        *error = "a bracket is not closed";
    return (Str){out, n};
}

static void take_redirect(Arena *a, Str s, size_t i, CommandLine *out)
{
    char c = s.p[i++];
    bool append = c == '>' && i < s.n && s.p[i] == '>';
    i += append;
    Str target = str_trim(str_sub(s, i, s.n));
    out->redirect = c == '|' ? REDIRECT_pipe : append ? REDIRECT_append : REDIRECT_file;
    if (c == '|') {
        out->target = target;
    } else if (target.n) {
        size_t at = 0;
        bool quoted;
        out->target = take_word(a, target, &at, &quoted, &out->error);
        Str more = str_trim(str_sub(target, at, target.n));
        if (more.n && !is_comment(more, 0))
            out->error = "one file name belongs after '>'";
    }
    if (!out->target.n && !out->error)
        out->error =
            c == '|' ? "a shell command belongs after '|'" : "a file name belongs after '>'";
}

void line_split(Arena *a, Str line, bool raw, CommandLine *out)
{
    *out = (CommandLine){0};
    out->name = line_name(line, &out->query, &out->rest);
    if (raw || !out->rest.n)
        return;
    Str s = out->rest;
    out->words = new_array(a, Str, s.n / 2 + 1);
    out->quoted = new_array(a, bool, s.n / 2 + 1);
    for (size_t i = 0; i < s.n && !out->error;) {
        if (is_space(s.p[i])) {
            i++;
            continue;
        }
        if (is_comment(s, i))
            break;
        if (s.p[i] == '>' || s.p[i] == '|') {
            take_redirect(a, s, i, out);
            break;
        }
        out->words[out->n] = take_word(a, s, &i, &out->quoted[out->n], &out->error);
        out->n++;
    }
}

void word_quote(Str w, StrBuf *out)
{
    bool plain = w.n > 0;
    for (size_t i = 0; i < w.n; i++)
        plain &= !is_space(w.p[i]) && !strchr("\"'\\()[]", w.p[i]);
    if (plain && w.p[0] != '>' && w.p[0] != '|' && w.p[0] != '-' && !is_comment(w, 0)) {
        sb_add(out, w);
        return;
    }
    sb_putc(out, '"');
    for (size_t i = 0; i < w.n; i++) {
        if (w.p[i] == '"' || w.p[i] == '\\')
            sb_putc(out, '\\');
        sb_putc(out, w.p[i]);
    }
    sb_putc(out, '"');
}
