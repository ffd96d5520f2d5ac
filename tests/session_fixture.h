/*
 * session_fixture.h - a session of its own for each test, and a few short ways to ask it things.
 *
 * Included by one test program each; what a program does not use is no warning.
 */
#ifndef THUNDER_SESSION_FIXTURE_H
#define THUNDER_SESSION_FIXTURE_H

#include "executors.h"
#include "session.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES TEST_DIR "/cases/"

static Session *s;
static Diag d;

static inline void setup(void)
{
    ExecList l;
    executors_default(&l);
    s = session_new(&l);
    d = (Diag){0};
}

static inline void teardown(void)
{
    session_free(s);
    diag_clear(&d);
}

static inline void no_errors(void)
{
    StrBuf b = {0};
    if (d.nerrors)
        diag_render_all(&d, false, &b);
    ck_assert_msg(d.nerrors == 0, "%s", sb_cstr(&b));
    sb_free(&b);
}

/* Exactly these executors, in this order: "c,interp". */
static inline void use_executors(const char *names)
{
    ExecList l;
    ck_assert(exec_parse_list(session_executors(s), str_from(names), &l, &d));
    ck_assert(session_set_executors(s, &l));
}

static inline Program *load_text(const char *text)
{
    session_load_text(s, S("test.py"), str_from(text), (Str){0}, &d);
    no_errors();
    ck_assert_ptr_nonnull(session_current(s));
    return session_current(s);
}

static inline Program *load_case(const char *file)
{
    session_load(s, str_from(file), &d);
    no_errors();
    return session_current(s);
}

static inline StrBuf text_of(const Stage *st)
{
    StrBuf b = {0};
    PrintOptions o = print_all;
    o.header = false; /* it tells times */
    trace_print(st->trace, &o, &b);
    return b;
}

static inline ValueId value(const Program *p, const char *name)
{
    ValueId v = trace_find_value(program_root(p)->trace, str_from(name));
    ck_assert_msg(v != 0, "no value %s", name);
    return v;
}

static inline double element(const Tensor *t, int64_t i)
{
    Tensor *c = tensor_contiguous((Tensor *)t);
    double x = elem_get_f64((char *)tensor_data(c) + i * dtype_info[c->dtype].bytes, c->dtype);
    tensor_unref(c);
    return x;
}

/* Work for every pass: fold, cse, dce. */
static const char *const simple __attribute__((unused)) =
    "def f(x: \"f32[2, 3]\", y: \"f32[3]\"):\n"
    "    a = x * 1\n"
    "    b = torch.add(a, y)\n"
    "    c = torch.add(a, y)\n"
    "    unused = torch.exp(x)\n"
    "    e = b * c\n"
    "    return (e,)\n";

#endif
