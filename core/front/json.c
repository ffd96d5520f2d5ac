/* json.c - a strict reader of JSON pieces; see json.h. */
#include "json.h"

#include "syntax.h"

void json_init(Json *j, Str text)
{
    *j = (Json){.start = text.p, .p = text.p, .end = text.p + text.n};
}

bool json_fail(Json *j, const char *fmt, ...)
{
    if (j->error.n)
        return false;
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(&j->error, fmt, ap);
    va_end(ap);
    return false;
}

static bool unexpected(Json *j, const char *wanted)
{
    return json_fail(j, "bad header: expected %s at byte %zu", wanted, (size_t)(j->p - j->start));
}

static void skip_blanks(Json *j)
{
    while (j->p < j->end && (*j->p == ' ' || *j->p == '\n' || *j->p == '\t' || *j->p == '\r'))
        j->p++;
}

bool json_accept(Json *j, char c)
{
    skip_blanks(j);
    if (j->p == j->end || *j->p != c)
        return false;
    j->p++;
    return true;
}

bool json_take(Json *j, char c)
{
    const char wanted[] = {'\'', c, '\'', 0};
    return json_accept(j, c) || unexpected(j, wanted);
}

bool json_end(Json *j)
{
    skip_blanks(j);
    return j->p == j->end || unexpected(j, "the end of the header");
}

bool json_size(Json *j, int64_t *out)
{
    skip_blanks(j);
    const char *first = j->p;
    while (j->p < j->end && *j->p >= '0' && *j->p <= '9')
        j->p++;
    size_t n = (size_t)(j->p - first);
    if (n == 0 || (n > 1 && *first == '0') || !str_to_i64((Str){first, n}, out)) {
        j->p = first;
        return unexpected(j, "a whole number of at most 63 bits");
    }
    return true;
}

/* Four hex digits; -1 when they are none. */
static int32_t hex4(const Json *j)
{
    int32_t v = 0;
    if (j->end - j->p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = j->p[i];
        int h = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
        if (h < 0)
            return -1;
        v = v * 16 + h;
    }
    return v;
}

/* After "\u": one code point, of a surrogate pair when need be. */
static bool unicode_escape(Json *j, StrBuf *b)
{
    int32_t c = hex4(j);
    if (c < 0)
        return unexpected(j, "four hex digits");
    j->p += 4;
    if (c >= 0xDC00 && c < 0xE000)
        return unexpected(j, "a whole surrogate pair");
    if (c >= 0xD800 && c < 0xDC00) {
        if (j->end - j->p < 6 || j->p[0] != '\\' || j->p[1] != 'u')
            return unexpected(j, "a whole surrogate pair");
        j->p += 2;
        int32_t low = hex4(j);
        if (low < 0xDC00 || low >= 0xE000)
            return unexpected(j, "a whole surrogate pair");
        j->p += 4;
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    lex_add_utf8(b, (uint32_t)c);
    return true;
}

static bool escape(Json *j, StrBuf *b)
{
    static const char letters[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    if (j->p == j->end)
        return unexpected(j, "an escape");
    char c = *j->p++;
    if (c == 'u')
        return unicode_escape(j, b);
    for (size_t i = 0; i + 1 < sizeof letters - 1; i += 2)
        if (letters[i] == c) {
            sb_putc(b, letters[i + 1]);
            return true;
        }
    return unexpected(j, "a known escape");
}

bool json_string(Json *j, Arena *a, Str *out)
{
    if (!json_accept(j, '"'))
        return unexpected(j, "a string");
    StrBuf b = {0};
    bool ok = true;
    while (ok && j->p < j->end && *j->p != '"') {
        unsigned char c = (unsigned char)*j->p++;
        if (c < 0x20)
            ok = unexpected(j, "no control character in a string");
        else if (c == '\\')
            ok = escape(j, &b);
        else
            sb_putc(&b, (char)c);
    }
    if (ok && j->p == j->end)
        ok = unexpected(j, "the end of a string");
    if (ok) {
        j->p++;
        *out = arena_str(a, sb_str(&b));
    }
    sb_free(&b);
    return ok;
}

bool json_key(Json *j, Arena *a, Str *out)
{
    return json_string(j, a, out) && json_take(j, ':');
}

void json_write_string(Str s, StrBuf *out)
{
    sb_putc(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\\')
            sb_putc(out, '\\');
        if (c < 0x20)
            sb_printf(out, "\\u%04x", c);
        else
            sb_putc(out, (char)c);
    }
    sb_putc(out, '"');
}
