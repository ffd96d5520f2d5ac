/*
 * support.h - what the Check programs share: assertions on strings and diagnostics, one main.
 */
#ifndef THUNDER_TEST_SUPPORT_H
#define THUNDER_TEST_SUPPORT_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

#define ck_text(have, want)                                                                     \
    do {                                                                                        \
        Str ck_have = (have), ck_want = str_from(want);                                         \
        ck_assert_msg(str_eq(ck_have, ck_want), "%s is \"%.*s\", not \"%.*s\"", #have,          \
                      STR(ck_have), STR(ck_want));                                              \
    } while (0)

/* Text contains a part; both are shown when it does not. */
#define ck_contains(have, part)                                                                 \
    do {                                                                                        \
        const char *ck_have = (have), *ck_part = (part);                                        \
        ck_assert_msg(strstr(ck_have, ck_part) != NULL, "\"%s\" is not in:\n%s", ck_part,       \
                      ck_have);                                                                 \
    } while (0)

/* All diagnostics as text; the caller frees it. Used as the message of an assertion. */
static inline char *diag_text(const Diag *d)
{
    StrBuf out = {0};
    diag_render_all(d, false, &out);
    sb_putc(&out, '\n');
    return out.p;
}

#define ck_no_errors(d)                                                                         \
    do {                                                                                        \
        char *ck_said = diag_text(d);                                                           \
        ck_assert_msg((d)->nerrors == 0, "%s", ck_said);                                        \
        free(ck_said);                                                                          \
    } while (0)

static inline const DiagItem *diag_with_code(const Diag *d, const char *code)
{
    for (const DiagItem *i = d->first; i; i = i->next)
        if (i->code && strcmp(i->code, code) == 0)
            return i;
    return NULL;
}

#define ck_error(d, code)                                                                       \
    do {                                                                                        \
        char *ck_said = diag_text(d);                                                           \
        ck_assert_msg(diag_with_code((d), (code)) != NULL, "no error [%s] among:\n%s", (code),  \
                      ck_said);                                                                 \
        free(ck_said);                                                                          \
    } while (0)

/* Adds what a stream still has. */
static inline void add_stream(FILE *f, StrBuf *out)
{
    char chunk[4096];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;)
        sb_add(out, (Str){chunk, n});
}

/* Adds a file, which has to be there. */
static inline void add_file(const char *path, StrBuf *out)
{
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "cannot open %s", path);
    add_stream(f, out);
    fclose(f);
}

static inline int run_suite(Suite *s)
{
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
