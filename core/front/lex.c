/*
 * lex.c - program text to tokens.
 *
 * Input: a range of the source text. Output: tokens with byte offsets into it. One idea: whatever
 * is framing (log prefixes, ANSI colours, Markdown fences) is skipped where lines begin, so that
 * offsets stay those of the text as it was read. Line breaks count only outside brackets; comments
 * are tokens since Thunder keeps types and decompositions in them.
 */
#include "syntax.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

bool lex_is_name_char(char c)
{
    return is_name_start(c) || is_digit(c);
}

void lex_init(Lexer *lx, Str text, uint32_t from, uint32_t to)
{
    *lx = (Lexer){.text = text.p, .pos = from, .end = to, .line_start = true};
}

/* Bytes of an ANSI escape sequence at p; 0 = none. */
static uint32_t lex_ansi(const char *p, const char *end)
{
    if (end - p < 2 || p[0] != '\033' || p[1] != '[')
        return 0;
    const char *q = p + 2;
    while (q < end && (is_digit(*q) || *q == ';'))
        q++;
    return q < end ? (uint32_t)(q + 1 - p) : 0;
}

/* ------------------------------------------------------------------------------- log prefixes */

static bool is_path_char(char c)
{
    return lex_is_name_char(c) || c == '.' || c == '/' || c == '\\' || c == '-' || c == ':' ||
           c == '<' || c == '>';
}

/* "path/graph.py:1983]" up to and including the bracket. */
static const char *skip_file_line(const char *p, const char *end)
{
    const char *limit = end - p > 400 ? p + 400 : end;
    for (const char *q = p; q < limit && is_path_char(*q); q++) {
        if (*q != ':' || q + 1 >= limit || !is_digit(q[1]))
            continue;
        const char *r = q + 1;
        while (r < limit && is_digit(*r))
            r++;
        if (r < limit && *r == ']')
            return r + 1;
    }
    return NULL;
}

/* " [0/0]" or " [__graph_code]", any number of them, then one blank. */
static const char *skip_tags(const char *p, const char *end)
{
    while (end - p > 2 && p[0] == ' ' && p[1] == '[' &&
           (p[2] == '_' || p[2] == '!' || is_digit(p[2]))) {
        const char *q = p + 2;
        while (q < end && (lex_is_name_char(*q) || *q == '/' || *q == '!'))
            q++;
        if (q == end || *q != ']')
            break;
        p = q + 1;
    }
    return p < end && *p == ' ' ? p + 1 : p;
}

/* "V0401 12:00:01.250000 4242 path.py:19] [0/0] [__graph_code] ", "[rank0]:" before it allowed. */
static const char *skip_glog(const char *p, const char *end)
{
    if (end - p > 8 && memcmp(p, "[rank", 5) == 0) {
        const char *q = p + 5;
        while (q < end && is_digit(*q))
            q++;
        if (end - q < 2 || q[0] != ']' || q[1] != ':')
            return NULL;
        p = q + 2;
        while (p < end && *p == ' ')
            p++;
    }
    if (end - p < 12 || !strchr("VIWEC", *p) || !is_digit(p[1]) || !is_digit(p[4]) || p[5] != ' ')
        return NULL;
    for (int word = 0; word < 3; word++) { /* date, time, process */
        while (p < end && *p != ' ' && *p != '\n')
            p++;
        while (p < end && *p == ' ')
            p++;
    }
    p = skip_file_line(p, end);
    return p ? skip_tags(p, end) : NULL;
}

/* "[2023-05-01 12:00:00,123] torch._dynamo.output_graph: [DEBUG] " */
static const char *skip_old_log(const char *p, const char *end)
{
    if (end - p < 30 || p[0] != '[' || !is_digit(p[1]) || p[5] != '-' || p[8] != '-')
        return NULL;
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    const char *limit = nl ? nl : end;
    for (const char *q = p; q + 3 < limit && q - p < 300; q++) {
        if (memcmp(q, ": [", 3) != 0)
            continue;
        const char *r = memchr(q + 3, ']', (size_t)(limit - q - 3));
        if (!r)
            return NULL;
        return r + 1 < limit && r[1] == ' ' ? r + 2 : r + 1;
    }
    return NULL;
}

uint32_t lex_log_prefix(const char *line, const char *end)
{
    if (line == end || *line == ' ' || *line == '\n' || *line == '\t')
        return 0;
    const char *p = skip_glog(line, end);
    if (!p)
        p = skip_old_log(line, end);
    if (!p && (p = skip_file_line(line, end)) && end - p > 1 && p[0] == ' ' && p[1] == '[')
        p = skip_tags(p, end);
    else if (!p)
        return 0;
    return (uint32_t)(p - line);
}

/* ----------------------------------------------------------------------------- between tokens */

static void skip_line(Lexer *lx)
{
    const char *nl = memchr(lx->text + lx->pos, '\n', lx->end - lx->pos);
    lx->pos = nl ? (uint32_t)(nl + 1 - lx->text) : lx->end;
}

/* At the start of a line: past prefix and indentation. False when the whole line was framing. */
static bool enter_line(Lexer *lx)
{
    const char *p = lx->text + lx->pos, *end = lx->text + lx->end;
    uint32_t prefix = lex_log_prefix(p, end);
    if (prefix == 0 && lx->only_prefixed && p < end) {
        skip_line(lx);
        return false;
    }
    lx->pos += prefix;
    lx->col = 0;
    for (; lx->pos < lx->end; lx->pos++) {
        char c = lx->text[lx->pos];
        if (c == '\t')
            lx->col = (lx->col / TAB_WIDTH + 1) * TAB_WIDTH;
        else if (c == ' ')
            lx->col++;
        else
            break;
    }
    if (lx->end - lx->pos >= 3 && memcmp(lx->text + lx->pos, "```", 3) == 0) {
        skip_line(lx);
        return false;
    }
    return true;
}

/* Inside brackets a line that begins with one of these words shows that a bracket was left open. */
static bool begins_statement(const Lexer *lx)
{
    static const char *const words[] = {"def", "class", "return", "import", "del"};
    Str rest = {lx->text + lx->pos, lx->end - lx->pos};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        size_t n = strlen(words[i]);
        if (str_starts(rest, words[i]) && rest.n > n && rest.p[n] == ' ')
            return true;
    }
    return false;
}

/* Moves to the next token. *first tells whether it is the first of its line. Returns true when a
 * line break that counts was passed. */
static bool skip_blank(Lexer *lx, bool *first)
{
    for (;;) {
        if (lx->line_start) {
            uint32_t start = lx->pos;
            if (!enter_line(lx)) {
                if (lx->pos >= lx->end)
                    return false;
                continue;
            }
            lx->line_start = false;
            *first = true;
            if (lx->depth && begins_statement(lx)) {
                lx->depth = 0;
                lx->resync = true;
                lx->line_start = true; /* the line is entered again after the newline token */
                lx->pos = start;
                return true;
            }
        }
        if (lx->pos >= lx->end)
            return false;
        const char *p = lx->text + lx->pos;
        uint32_t left = lx->end - lx->pos, ansi = lex_ansi(p, p + left);
        if (ansi) {
            lx->pos += ansi;
        } else if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\f') {
            lx->pos++;
        } else if (*p == '\\' && left > 1 && (p[1] == '\n' || (p[1] == '\r' && left > 2))) {
            lx->pos += p[1] == '\n' ? 2 : 3;
            enter_line(lx);
        } else if (*p == '#' && lx->depth) {
            skip_line(lx);
            lx->line_start = true;
        } else if (*p == '\n') {
            lx->pos++;
            lx->line_start = true;
            if (!lx->depth)
                return true;
        } else {
            return false;
        }
    }
}

/* -------------------------------------------------------------------------------------- tokens */

static uint32_t scan_number(const char *p, uint32_t n, uint8_t *kind)
{
    uint32_t i = 0;
    *kind = TOK_int;
    if (n > 2 && p[0] == '0' && strchr("xXbBoO", p[1])) {
        for (i = 2; i < n && (lex_is_name_char(p[i])); i++)
            ;
        return i;
    }
    while (i < n && (is_digit(p[i]) || p[i] == '_'))
        i++;
    if (i < n && p[i] == '.') {
        *kind = TOK_float;
        for (i++; i < n && (is_digit(p[i]) || p[i] == '_'); i++)
            ;
    }
    if (i < n && (p[i] == 'e' || p[i] == 'E')) {
        uint32_t j = i + 1;
        if (j < n && (p[j] == '+' || p[j] == '-'))
            j++;
        if (j < n && is_digit(p[j])) {
            *kind = TOK_float;
            for (i = j; i < n && is_digit(p[i]); i++)
                ;
        }
    }
    if (i < n && (p[i] == 'j' || p[i] == 'J')) {
        *kind = TOK_imag;
        i++;
    }
    return i;
}

/* Length of the string literal whose quote is at p[at]; 0 when it does not end. */
static uint32_t scan_string(const char *p, uint32_t n, uint32_t at)
{
    char quote = p[at];
    bool triple = n - at >= 3 && p[at + 1] == quote && p[at + 2] == quote;
    uint32_t i = at + (triple ? 3 : 1);
    for (; i < n; i++) {
        if (p[i] == '\\') {
            i++;
        } else if (p[i] == '\n' && !triple) {
            return 0;
        } else if (p[i] == quote) {
            if (!triple)
                return i + 1;
            if (n - i >= 3 && p[i + 1] == quote && p[i + 2] == quote)
                return i + 3;
        }
    }
    return 0;
}

static bool is_prefix_letter(char c)
{
    c = (char)(c | 32);
    return c == 'r' || c == 'b' || c == 'u' || c == 'f';
}

/* Whether a string literal starts at p, prefix letters included; *quote is where its quote
 * stands. */
static bool starts_string(const char *p, uint32_t n, uint32_t *quote)
{
    uint32_t i = 0;
    while (i < n && i < 2 && is_prefix_letter(p[i]))
        i++;
    *quote = i;
    return i < n && (p[i] == '"' || p[i] == '\'');
}

static uint32_t scan_op(const char *p, uint32_t n)
{
    static const char *const three[] = {"**=", "//=", ">>=", "<<=", "..."};
    static const char *const two[] = {"**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->",
                                      "+=", "-=", "*=", "/=", "%=", "@=", "&=", "|=", "^="};
    for (size_t i = 0; n >= 3 && i < ARRAY_LEN(three); i++)
        if (memcmp(p, three[i], 3) == 0)
            return 3;
    for (size_t i = 0; n >= 2 && i < ARRAY_LEN(two); i++)
        if (memcmp(p, two[i], 2) == 0)
            return 2;
    return strchr("+-*/%@&|^~<>=()[]{},:;.?$!", *p) && *p ? 1 : 0;
}

static void lex_op(Lexer *lx, Tok *t, const char *p, uint32_t n)
{
    t->len = scan_op(p, n);
    if (t->len == 0) {
        t->kind = TOK_bad;
        t->len = 1;
        return;
    }
    t->kind = TOK_op;
    for (uint32_t i = 0; i < t->len; i++)
        t->op |= OP1(p[i]) << (8 * i);
    if (t->len == 1 && strchr("([{", *p))
        lx->depth++;
    else if (t->len == 1 && strchr(")]}", *p) && lx->depth)
        lx->depth--;
}

Tok lex_next(Lexer *lx)
{
    Tok t = {0};
    uint32_t before = lx->pos, quote;
    if (skip_blank(lx, &t.first)) {
        t.kind = TOK_newline;
        t.off = before < lx->pos ? before : lx->pos;
        t.first = false;
        return t;
    }
    t.col = lx->col;
    t.off = lx->pos;
    if (lx->pos >= lx->end)
        return t;
    const char *p = lx->text + lx->pos;
    uint32_t n = lx->end - lx->pos;
    if (*p == '#') {
        const char *nl = memchr(p, '\n', n);
        t.kind = TOK_comment;
        t.len = nl ? (uint32_t)(nl - p) : n;
    } else if (starts_string(p, n, &quote)) {
        t.kind = TOK_string;
        t.len = scan_string(p, n, quote);
        if (t.len == 0) {
            const char *nl = memchr(p, '\n', n);
            t.kind = TOK_bad;
            t.len = nl ? (uint32_t)(nl - p) : n;
        }
    } else if (is_name_start(*p)) {
        t.kind = TOK_name;
        while (t.len < n && lex_is_name_char(p[t.len]))
            t.len++;
    } else if (is_digit(*p) || (*p == '.' && n > 1 && is_digit(p[1]))) {
        t.len = scan_number(p, n, &t.kind);
    } else {
        lex_op(lx, &t, p, n);
    }
    lx->pos += t.len;
    return t;
}

/* ------------------------------------------------------------------------------------- strings */

void lex_string_inside(Str literal, uint32_t *from, uint32_t *len)
{
    uint32_t i = 0, n = (uint32_t)literal.n;
    while (i < n && literal.p[i] != '"' && literal.p[i] != '\'')
        i++;
    uint32_t quotes =
        n - i >= 6 && literal.p[i + 1] == literal.p[i] && literal.p[i + 2] == literal.p[i] ? 3 : 1;
    *from = i + quotes;
    *len = n - *from - quotes;
}

static int hex_value(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

void lex_add_utf8(StrBuf *b, uint32_t c)
{
    if (c < 0x80) {
        sb_putc(b, (char)c);
        return;
    }
    if (c < 0x800) {
        sb_putc(b, (char)(0xC0 | c >> 6));
    } else {
        if (c < 0x10000) {
            sb_putc(b, (char)(0xE0 | c >> 12));
        } else {
            sb_putc(b, (char)(0xF0 | (c >> 18 & 7)));
            sb_putc(b, (char)(0x80 | (c >> 12 & 0x3F)));
        }
        sb_putc(b, (char)(0x80 | (c >> 6 & 0x3F)));
    }
    sb_putc(b, (char)(0x80 | (c & 0x3F)));
}

/* One escape after the backslash at s.p[i]; returns the index of what follows it. */
static size_t add_escape(StrBuf *b, Str s, size_t i)
{
    static const char letters[] = "n\nt\tr\r0\0a\ab\bf\fv\v\\\\''\"\"";
    char c = s.p[i];
    size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    uint32_t code = 0;
    if (c == '\n')
        return i + 1;
    if (digits && i + digits < s.n) {
        for (size_t k = 1; k <= digits; k++) {
            int h = hex_value(s.p[i + k]);
            if (h < 0)
                return lex_add_utf8(b, '\\'), i;
            code = code << 4 | (uint32_t)h;
        }
        if (c == 'x')
            sb_putc(b, (char)code);
        else
            lex_add_utf8(b, code);
        return i + digits + 1;
    }
    for (size_t k = 0; k + 1 < sizeof letters; k += 2)
        if (letters[k] == c) {
            sb_putc(b, letters[k + 1]);
            return i + 1;
        }
    sb_putc(b, '\\');
    return i;
}

Str lex_string(Arena *a, Str literal)
{
    uint32_t from, len;
    lex_string_inside(literal, &from, &len);
    Str s = str_sub(literal, from, len);
    bool raw = literal.p[0] == 'r' || literal.p[0] == 'R';
    if (raw || str_find(s, '\\', 0) == SIZE_MAX)
        return arena_str(a, s);
    StrBuf b = {0};
    for (size_t i = 0; i < s.n;) {
        if (s.p[i] == '\\' && i + 1 < s.n)
            i = add_escape(&b, s, i + 1);
        else
            sb_putc(&b, s.p[i++]);
    }
    Str out = arena_str(a, sb_str(&b));
    sb_free(&b);
    return out;
}
