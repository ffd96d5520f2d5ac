/*
 * str.h - string views and a growable string builder.
 *
 * A Str is a pointer and a length into memory that somebody else owns; it need not end in NUL.
 * A StrBuf owns its memory. The library never prints: whatever has text to give appends it to a
 * StrBuf that the caller passes in.
 */
#ifndef THUNDER_STR_H
#define THUNDER_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

typedef struct Str {
    const char *p;
    size_t n;
} Str;

#define S(lit) ((Str){(lit), sizeof(lit) - 1})
/* For printf: printf("%.*s", STR(s)). */
#define STR(s) (int)(s).n, ((s).p ? (s).p : "")

Str str_from(const char *cstr); /* view of a NUL-terminated string; NULL gives the empty view */
bool str_eq(Str a, Str b);
bool str_is(Str a, const char *cstr);
int str_cmp(Str a, Str b); /* bytewise order, like strcmp */
bool str_starts(Str s, const char *prefix);
bool str_ends(Str s, const char *suffix);
Str str_trim(Str s);                    /* without white space at both ends */
Str str_sub(Str s, size_t from, size_t n); /* clamped to s */
/* Index of the first occurrence of c at or after from, or SIZE_MAX. */
size_t str_find(Str s, char c, size_t from);
/* Cuts *rest at the first sep: returns what precedes it and moves *rest past it. */
Str str_cut(Str *rest, char sep);
bool str_to_i64(Str s, int64_t *out); /* whole string, decimal, optional sign; false on overflow */
bool str_to_f64(Str s, double *out);  /* whole string as strtod reads it, also inf and nan */
/* Damerau-Levenshtein distance, cut off at limit (returns limit + 1 when larger). */
size_t str_distance(Str a, Str b, size_t limit);

typedef struct StrBuf {
    char *p; /* NUL-terminated once anything was added; NULL before */
    size_t n, cap;
} StrBuf;

void sb_add(StrBuf *b, Str s);
void sb_puts(StrBuf *b, const char *cstr);
void sb_putc(StrBuf *b, char c);
void sb_pad(StrBuf *b, char c, size_t times);
void sb_bytes(StrBuf *b, double bytes); /* "512 B", "1.5 MiB" */
void sb_printf(StrBuf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void sb_vprintf(StrBuf *b, const char *fmt, va_list ap);
void sb_clear(StrBuf *b);          /* empties it and keeps the memory */
void sb_free(StrBuf *b);           /* gives the memory back; the buffer may be used again */
Str sb_str(const StrBuf *b);       /* view, valid until the next change */
const char *sb_cstr(const StrBuf *b); /* never NULL */

/* Shortest decimal text that reads back as exactly v, in Python's notation ("1e-05", "0.1",
 * "2.0"); infinities and NaN as float('inf'), -float('inf'), float('NaN'), as Thunder prints. */
void sb_python_float(StrBuf *b, double v);
/* s as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void sb_json(StrBuf *b, Str s);
/* s as text of HTML, XML or SVG, also between quotes; control characters, which XML forbids, are
 * left out, but for tabs and line ends. */
void sb_xml(StrBuf *b, Str s);

/* The ending of a word that n things have: "s", or "" for one. */
static inline const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

#endif
