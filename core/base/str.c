/* str.c - string views and the string builder; see str.h. */
#include "str.h"

#include "arena.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Str str_from(const char *cstr)
{
    return (Str){cstr, cstr ? strlen(cstr) : 0};
}

bool str_eq(Str a, Str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool str_is(Str a, const char *cstr)
{
    return str_eq(a, str_from(cstr));
}

int str_cmp(Str a, Str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.p, b.p, n) : 0;
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

bool str_starts(Str s, const char *prefix)
{
    size_t n = strlen(prefix);
    return s.n >= n && memcmp(s.p, prefix, n) == 0;
}

bool str_ends(Str s, const char *suffix)
{
    size_t n = strlen(suffix);
    return s.n >= n && memcmp(s.p + s.n - n, suffix, n) == 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

Str str_trim(Str s)
{
    while (s.n && is_space(s.p[0])) {
        s.p++;
        s.n--;
    }
    while (s.n && is_space(s.p[s.n - 1]))
        s.n--;
    return s;
}

Str str_sub(Str s, size_t from, size_t n)
{
    if (from > s.n)
        from = s.n;
    if (n > s.n - from)
        n = s.n - from;
    return (Str){s.p ? s.p + from : NULL, n};
}

size_t str_find(Str s, char c, size_t from)
{
    if (from >= s.n)
        return SIZE_MAX;
    const char *hit = memchr(s.p + from, c, s.n - from);
    return hit ? (size_t)(hit - s.p) : SIZE_MAX;
}

Str str_cut(Str *rest, char sep)
{
    size_t at = str_find(*rest, sep, 0);
    if (at == SIZE_MAX) {
        Str all = *rest;
        *rest = (Str){rest->p ? rest->p + rest->n : NULL, 0};
        return all;
    }
    Str head = str_sub(*rest, 0, at);
    *rest = str_sub(*rest, at + 1, SIZE_MAX);
    return head;
}

bool str_to_i64(Str s, int64_t *out)
{
    char buf[32];
    if (s.n == 0 || s.n >= sizeof buf || is_space(s.p[0]))
        return false;
    memcpy(buf, s.p, s.n);
    buf[s.n] = 0;
    char *end;
    errno = 0;
    long long v = strtoll(buf, &end, 10);
    if (errno || *end || end == buf)
        return false;
    *out = v;
    return true;
}

bool str_to_f64(Str s, double *out)
{
    char buf[64];
    if (s.n == 0 || s.n >= sizeof buf || is_space(s.p[0]))
        return false;
    memcpy(buf, s.p, s.n);
    buf[s.n] = 0;
    char *end;
    double v = strtod(buf, &end);
    if (*end || end == buf)
        return false;
    *out = v;
    return true;
}

size_t str_distance(Str a, Str b, size_t limit)
{
    enum { MAX = 96 };
    size_t row[3][MAX + 1];
    size_t gap = a.n > b.n ? a.n - b.n : b.n - a.n;
    if (gap > limit || a.n > MAX || b.n > MAX)
        return limit + 1;
    for (size_t j = 0; j <= b.n; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        size_t *cur = row[i % 3], *prev = row[(i - 1) % 3], *prev2 = row[(i + 1) % 3];
        cur[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            size_t d = prev[j - 1] + (a.p[i - 1] != b.p[j - 1]);
            if (prev[j] + 1 < d)
                d = prev[j] + 1;
            if (cur[j - 1] + 1 < d)
                d = cur[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1];
            if (swapped && prev2[j - 2] + 1 < d)
                d = prev2[j - 2] + 1;
            cur[j] = d;
        }
    }
    size_t d = row[a.n % 3][b.n];
    return d > limit ? limit + 1 : d;
}

static void sb_reserve(StrBuf *b, size_t extra)
{
    size_t need = b->n + extra + 1;
    if (need <= b->cap)
        return;
    size_t cap = b->cap ? b->cap * 2 : 128;
    while (cap < need)
        cap *= 2;
    b->p = mem_resize(b->p, cap);
    b->cap = cap;
}

void sb_add(StrBuf *b, Str s)
{
    sb_reserve(b, s.n);
    if (s.n)
        memcpy(b->p + b->n, s.p, s.n);
    b->n += s.n;
    b->p[b->n] = 0;
}

void sb_puts(StrBuf *b, const char *cstr)
{
    sb_add(b, str_from(cstr));
}

void sb_putc(StrBuf *b, char c)
{
    sb_add(b, (Str){&c, 1});
}

void sb_bytes(StrBuf *b, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t u = 0;
    for (; bytes >= 1024 && u + 1 < ARRAY_LEN(units); u++)
        bytes /= 1024;
    sb_printf(b, u ? "%.1f %s" : "%.0f %s", bytes, units[u]);
}

void sb_pad(StrBuf *b, char c, size_t times)
{
    sb_reserve(b, times);
    memset(b->p + b->n, c, times);
    b->n += times;
    b->p[b->n] = 0;
}

void sb_vprintf(StrBuf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    sb_reserve(b, 64);
    int n = vsnprintf(b->p + b->n, b->cap - b->n, fmt, ap);
    if (n >= 0 && (size_t)n >= b->cap - b->n) {
        sb_reserve(b, (size_t)n);
        vsnprintf(b->p + b->n, b->cap - b->n, fmt, again);
    }
    va_end(again);
    if (n > 0)
        b->n += (size_t)n;
    b->p[b->n] = 0;
}

void sb_printf(StrBuf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(b, fmt, ap);
    va_end(ap);
}

void sb_clear(StrBuf *b)
{
    b->n = 0;
    if (b->p)
        b->p[0] = 0;
}

void sb_free(StrBuf *b)
{
    free(b->p);
    *b = (StrBuf){0};
}

Str sb_str(const StrBuf *b)
{
    return (Str){b->p, b->n};
}

const char *sb_cstr(const StrBuf *b)
{
    return b->p ? b->p : "";
}

/* Python writes an exponent below 1e-4 and from 1e16 on, with at least two exponent digits. */
void sb_python_float(StrBuf *b, double v)
{
    if (isnan(v)) {
        sb_puts(b, "float('NaN')");
        return;
    }
    if (isinf(v)) {
        sb_puts(b, v > 0 ? "float('inf')" : "-float('inf')");
        return;
    }
    char digits[40];
    int precision = 1;
    do {
        snprintf(digits, sizeof digits, "%.*e", precision - 1, v);
    } while (strtod(digits, NULL) != v && ++precision <= 17);
    int exponent = atoi(strchr(digits, 'e') + 1);
    if (v != 0 && (exponent < -4 || exponent >= 16)) {
        sb_puts(b, digits);
        return;
    }
    int decimals = precision - 1 - exponent;
    sb_printf(b, "%.*f", decimals < 1 ? 1 : decimals, v);
}

/* Bytes of the UTF-8 sequence at p (n left), 0 when it is none. */
static size_t utf8_length(const unsigned char *p, size_t n)
{
    size_t len = p[0] < 0x80 ? 1 : (p[0] & 0xE0) == 0xC0 && p[0] >= 0xC2 ? 2
                 : (p[0] & 0xF0) == 0xE0 ? 3 : (p[0] & 0xF8) == 0xF0 && p[0] <= 0xF4 ? 4 : 0;
    if (len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xC0) != 0x80)
            return 0;
    return len;
}

void sb_json(StrBuf *b, Str s)
{
    sb_putc(b, '"');
    for (size_t i = 0; i < s.n;) {
        unsigned char c = (unsigned char)s.p[i];
        size_t len = utf8_length((const unsigned char *)s.p + i, s.n - i);
        if (c == '"' || c == '\\')
            sb_printf(b, "\\%c", c);
        else if (c == '\n')
            sb_puts(b, "\\n");
        else if (c == '\t')
            sb_puts(b, "\\t");
        else if (c < 0x20)
            sb_printf(b, "\\u%04x", c);
        else if (len)
            sb_add(b, (Str){s.p + i, len});
        else
            sb_puts(b, "\\ufffd");
        i += len ? len : 1;
    }
    sb_putc(b, '"');
}

void sb_xml(StrBuf *b, Str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        const char *name = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;"
                           : c == '"' ? "&quot;" : NULL;
        if (name)
            sb_puts(b, name);
        else if ((c >= 0x20 && c != 0x7f) || c == '\t' || c == '\n')
            sb_putc(b, (char)c);
    }
}
