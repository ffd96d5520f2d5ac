/*
 * json.h - just enough JSON for headers of tensor files: strict, without recursion.
 *
 * The reader takes what it expects next and fails otherwise; the first failure is kept in `error`
 * with its place. Private to core/front.
 */
#ifndef THUNDER_JSON_H
#define THUNDER_JSON_H

#include "front.h"

typedef struct Json {
    const char *start, *p, *end;
    StrBuf error; /* "" = none yet */
} Json;

void json_init(Json *j, Str text);
bool json_fail(Json *j, const char *fmt, ...) PRINTF_LIKE(2, 3); /* returns false */
bool json_take(Json *j, char c);   /* blanks, then c; fails otherwise */
bool json_accept(Json *j, char c); /* blanks, then c if it is there */
bool json_end(Json *j);            /* only blanks are left */
bool json_string(Json *j, Arena *a, Str *out);
bool json_key(Json *j, Arena *a, Str *out); /* a string and ':' */
bool json_size(Json *j, int64_t *out);      /* a whole number >= 0 */
void json_write_string(Str s, StrBuf *out);

#endif
