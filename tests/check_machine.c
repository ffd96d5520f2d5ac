/*
 * check_machine.c - what runs, events, questions, estimates, comparisons and differences promise.
 *
 * Input: programs in tests/cases and small texts.
 */
#define _DEFAULT_SOURCE
#include "session_fixture.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

/* ---------------------------------------------------------------------------------------- runs */

START_TEST(runs_leave_the_inputs_alone)
{
    Program *p = load_text("def f(x: \"f32[3]\", y: \"f32[3]\"):\n"
                           "    v = x[1:]\n"
                           "    v.add_(1.0)\n"
                           "    x.mul_(2.0)\n"
                           "    return (v + 0, y + 0)\n");
    ck_assert(program_bind_random(s, p, 1, &d));
    Tensor *before = tensor_clone(program_binding(p, value(p, "x")));
    for (uint32_t k = 0; k < program_stage_count(p); k++) {
        Run run;
        Stage *st = program_stage(s, p, k, &d);
        ck_assert_ptr_nonnull(st);
        ck_assert(session_run(s, p, st, NULL, &run, &d));
        no_errors();
        ck_assert(tensor_compare(program_binding(p, value(p, "x")), before, 0, 0).equal);
        ck_assert_ptr_nonnull(run.mutated[0]);
        ck_assert_ptr_null(run.mutated[1]);
        float x0 = (float)element(before, 0), x1 = (float)element(before, 1);
        ck_assert(element(run.mutated[0], 0) == (double)(x0 * 2));
        ck_assert(element(run.mutated[0], 1) == (double)((x1 + 1) * 2));
        ck_assert(element(run.outputs[0], 0) == (double)((x1 + 1) * 2));
        run_free(&run);
    }
    tensor_unref(before);
}
END_TEST

START_TEST(kept_values_are_those_of_their_time)
{
    Program *p = load_text("def f(x: \"f32[2]\"):\n"
                           "    a = x + 1\n"
                           "    b = a * 2\n"
                           "    a.zero_()\n"
                           "    return (b + a,)\n");
    ck_assert(program_bind_random(s, p, 1, &d));
    RunOptions o = {.keep_values = true};
    Run run;
    ck_assert(session_run(s, p, program_root(p), &o, &run, &d));
    no_errors();
    Tensor *a = run.values[value(p, "a")], *b = run.values[value(p, "b")];
    ck_assert_ptr_nonnull(a);
    ck_assert_ptr_nonnull(b);
    ck_assert(element(a, 0) != 0);
    ck_assert(element(b, 0) == element(a, 0) * 2);
    run_free(&run);
}
END_TEST

START_TEST(errors_in_a_run_say_where)
{
    Program *p = load_text("def f(i: \"i64[2]\", w: \"f32[3, 2]\"):\n"
                           "    e = torch.nn.functional.embedding(i, w)\n"
                           "    return (e,)\n");
    ck_assert(program_bind_random(s, p, 1, &d));
    Tensor *bad = tensor_new(DT_i64, (Device){0}, 1, (int64_t[]){2});
    elem_set_i64(tensor_data(bad), DT_i64, 9);
    ck_assert(program_bind_tensor(p, S("i"), bad, &d));
    tensor_unref(bad);
    Run run;
    ck_assert(!session_run(s, p, program_find_stage(s, p, S("last"), &d), NULL, &run, &d));
    ck_assert_uint_eq(d.nerrors, 1);
    ck_assert_ptr_nonnull(d.first->span.src);
    ck_assert_ptr_nonnull(strstr(d.first->where.p, "embedding"));
    ck_assert_ptr_nonnull(strstr(d.first->where.p, "stage"));
}
END_TEST

START_TEST(interrupt_stops_work)
{
    Program *p = load_text(simple);
    ck_assert(program_bind_random(s, p, 1, &d));
    Stage *last = program_find_stage(s, p, S("last"), &d);
    *session_interrupt(s) = 1;
    Run run;
    ck_assert(!session_run(s, p, last, NULL, &run, &d));
    ck_assert_int_eq(d.last->kind, DIAG_interrupt);
    *session_interrupt(s) = 0;
    ck_assert(session_run(s, p, last, NULL, &run, &d));
    run_free(&run);
}
END_TEST

static void count_event(const Event *e, void *user)
{
    uint32_t *n = user;
    n[e->kind]++;
}

START_TEST(two_sessions_know_nothing_of_each_other)
{
    ExecList l;
    executors_default(&l);
    Session *other = session_new(&l);
    uint32_t mine[16] = {0}, theirs[16] = {0};
    uint32_t handle = session_listen(s, count_event, mine);
    session_listen(other, count_event, theirs);
    Program *p = load_text(simple);
    session_load_text(other, S("b.py"), str_from(simple), (Str){0}, &d);
    Program *q = session_current(other);
    ck_assert(program_bind_random(s, p, 1, &d) && program_bind_random(other, q, 1, &d));
    ck_assert(session_set_option(s, S("fold.fast"), S("on"), &d));
    ck_assert_uint_eq(session_option(other, S("fold.fast"), (Str){0}).n, 0);
    memset(mine, 0, sizeof mine);
    memset(theirs, 0, sizeof theirs);
    Stage *last = program_find_stage(s, p, S("last"), &d);
    Run run;
    ck_assert(session_run(s, p, last, NULL, &run, &d));
    run_free(&run);
    ck_assert_uint_eq(mine[EVENT_pass_begin], 8);
    ck_assert_uint_eq(mine[EVENT_pass_end], 8);
    ck_assert_uint_gt(mine[EVENT_rule], 0);
    ck_assert_uint_gt(mine[EVENT_node_begin], 0);
    ck_assert_uint_eq(mine[EVENT_node_begin], mine[EVENT_node_end]);
    for (int k = 0; k < 16; k++)
        ck_assert_uint_eq(theirs[k], 0);
    session_unlisten(s, handle);
    memset(mine, 0, sizeof mine);
    program_next(s, p, 1, &d);
    ck_assert_uint_eq(mine[EVENT_cursor], 0);
    program_next(other, q, 1, &d);
    ck_assert_uint_eq(theirs[EVENT_cursor], 1);
    session_free(other);
    no_errors();
}
END_TEST

/* ----------------------------------------------------------------------------------- questions */

START_TEST(why_names_rule_and_toggle)
{
    Program *p = load_text(simple);
    program_continue(s, p, &d);
    StrBuf b = {0};
    why_value(s, p, value(p, "unused"), &b);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "dce"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "pass off dce"));
    sb_clear(&b);
    why_pair(s, p, value(p, "b"), value(p, "c"), &b);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "cse"));
    sb_clear(&b);
    why_not(s, p, value(p, "b"), value(p, "e"), &b);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "computed apart"));
    sb_clear(&b);
    why_value(s, p, value(p, "x"), &b);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "input"));
    sb_free(&b);
}
END_TEST

START_TEST(history_tells_stage_by_stage)
{
    Program *p = load_text(simple);
    StrBuf b = {0};
    history_value(s, p, value(p, "unused"), &b);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "stage 0"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "gone"));
    sb_clear(&b);
    history_line(s, p, 6, &b); /* e = b * c */
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "@interp"));
    sb_clear(&b);
    history_line(s, p, 600, &b);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "computes no value"));
    sb_free(&b);
}
END_TEST

START_TEST(examine_counts_what_is_not_supported)
{
    char path[] = "/tmp/thunder-examine-XXXXXX.py";
    int fd = mkstemps(path, 3);
    FILE *f = fdopen(fd, "w");
    fputs("def f(x: \"f32[4]\"):\n    a = torch.softmaxx(x)\n    b = torch.exp(x)\n"
          "    return (b,)\n", f);
    fclose(f);
    StrBuf b = {0};
    ck_assert(session_examine(s, str_from(path), &(ExamineOptions){.json = true}, &b, &d));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "\"written\":\"torch.softmaxx\",\"count\":1,"
                                              "\"supported\":false"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "torch.softmax\""));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "\"share\":0.5"));
    sb_clear(&b);
    ck_assert(session_examine(s, S(CASES "mlp.dynamo.py"), &(ExamineOptions){0}, &b, &d));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "1 of 1 function would compile"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "by interp"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "is ltorch.linear by "));
    sb_clear(&b);
    ck_assert(session_examine(s, S(CASES), &(ExamineOptions){.html = true}, &b, &d));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "</html>"));
    ck_assert_ptr_null(strstr(sb_cstr(&b), "http"));
    sb_free(&b);
    no_errors();
    unlink(path);
}
END_TEST

/* Wherever a statement nests them, behind whatever fails in it first; known operators count too. */
START_TEST(examine_finds_every_operator_of_a_statement)
{
    static const char *const unknown[] = {
        "torch.one", "torch.two", "Tensor.three", "torch.four", "torch.five", "Tensor.six",
        "torch.seven", "torch.eight", "torch.nine", "torch.ten", "torch.eleven"};
    const char *text =
        "def f(x: \"f32[4, 4]\", y: \"f32[4, 4]\"):\n"
        "    a = torch.cat([torch.one(x), torch.two(y)], 0)\n"
        "    b = x.three(torch.four(y)) + torch.add(torch.five(a), y).six()\n"
        "    c = torch.sum(x, dim=77, keepdim=torch.seven())\n"
        "    x[torch.eight(x), {1: torch.nine(2)}] = -torch.ten(b)\n"
        "    return (torch.exp(c), torch.eleven(torch.exp(b)))\n";
    StrBuf b = {0};
    char path[] = "/tmp/thunder-examine-XXXXXX.py";
    FILE *f = fdopen(mkstemps(path, 3), "w");
    fputs(text, f);
    fclose(f);
    ck_assert(session_examine(s, str_from(path), &(ExamineOptions){.json = true}, &b, &d));
    for (size_t i = 0; i < ARRAY_LEN(unknown); i++) {
        char want[100];
        snprintf(want, sizeof want, "\"written\":\"%s\",\"count\":1,\"supported\":false",
                 unknown[i]);
        ck_assert_msg(strstr(sb_cstr(&b), want) != NULL, "%s is not in %s", want, sb_cstr(&b));
    }
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "\"written\":\"torch.exp\",\"count\":2"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "\"written\":\"torch.cat\",\"count\":1"));
    sb_free(&b);
    ck_assert_uint_eq(session_load(s, str_from(path), &d), 0);
    uint32_t errors = 0;
    for (const DiagItem *i = d.first; i; i = i->next)
        errors += strcmp(i->code, "unknown-op") == 0;
    ck_assert_uint_eq(errors, ARRAY_LEN(unknown));
    unlink(path);
}
END_TEST

START_TEST(costs_are_counted_from_types)
{
    Program *p = load_text("def f(a: \"f32[8, 16]\", b: \"f32[16, 4]\"):\n"
                           "    c = torch.matmul(a, b)\n"
                           "    return (c,)\n");
    Cost c = trace_cost(program_root(p)->trace);
    ck_assert(c.flops == 2.0 * 8 * 16 * 4);
    ck_assert(c.bytes_least == 4.0 * (8 * 16 + 16 * 4 + 8 * 4));
    ck_assert_int_eq(c.peak, 4 * (8 * 16 + 16 * 4 + 8 * 4));
}
END_TEST

/* ---------------------------------------------------------------------------- compare and diff */

static Tensor *floats(DType dt, const double *v, int64_t n)
{
    Tensor *t = tensor_new(dt, (Device){0}, 1, &n);
    for (int64_t i = 0; i < n; i++)
        elem_set_f64((char *)tensor_data(t) + i * dtype_info[dt].bytes, dt, v[i]);
    return t;
}

START_TEST(comparison_is_that_of_assert_close)
{
    Tensor *want = floats(DT_f32, (double[]){1, NAN, INFINITY, 0}, 4);
    Tensor *near = floats(DT_f32, (double[]){1.000009, NAN, INFINITY, -0.0}, 4);
    Tensor *far = floats(DT_f32, (double[]){1, NAN, -INFINITY, 1e-4}, 4);
    Comparison c = tensor_compare(near, want, -1, -1);
    ck_assert(c.equal && c.same_type && c.first == -1);
    ck_assert(c.max_ulp > 50 && c.max_ulp < 100);
    c = tensor_compare(far, want, -1, -1);
    ck_assert(!c.equal && c.first == 2 && c.wrong == 2);
    ck_assert(!tensor_compare(near, want, 0, 0).equal);
    Tensor *half = floats(DT_f16, (double[]){1, NAN, INFINITY, 0}, 4);
    ck_assert(!tensor_compare(half, want, -1, -1).same_type);
    Tensor *next = floats(DT_f16, (double[]){1.0009765625, NAN, INFINITY, 0}, 4);
    ck_assert(tensor_compare(next, half, -1, -1).max_ulp == 1);
    int64_t one = 1;
    Tensor *big = tensor_new(DT_i64, (Device){0}, 1, &one), *more = tensor_clone(big);
    *(int64_t *)tensor_data(big) = INT64_MAX;
    *(int64_t *)tensor_data(more) = INT64_MAX - 1; /* the same number as a double */
    ck_assert(tensor_compare(big, big, -1, -1).equal);
    c = tensor_compare(more, big, -1, -1);
    ck_assert(!c.equal && c.max_abs == 1);
    tensor_unref(big);
    tensor_unref(more);
    tensor_unref(want);
    tensor_unref(near);
    tensor_unref(far);
    tensor_unref(half);
    tensor_unref(next);
}
END_TEST

static void collect_line(void *user, char sign, Str line)
{
    sb_printf(user, "%c%.*s\n", sign, STR(line));
}

START_TEST(a_difference_rebuilds_both_texts)
{
    StrBuf b = {0};
    text_diff(S("a\nb\nc\nd\n"), S("a\nx\nc\nd\ne\n"), collect_line, &b);
    ck_assert_str_eq(sb_cstr(&b), " a\n-b\n+x\n c\n d\n+e\n");
    sb_clear(&b);
    text_diff(S("same\n"), S("same\n"), collect_line, &b);
    ck_assert_str_eq(sb_cstr(&b), " same\n");
    sb_clear(&b);
    text_diff((Str){0}, S("new\n"), collect_line, &b);
    ck_assert_str_eq(sb_cstr(&b), "+new\n");
    sb_free(&b);
}
END_TEST

typedef struct Rebuild {
    StrBuf a, b;
    uint32_t common;
} Rebuild;

static void rebuild(void *user, char sign, Str line)
{
    Rebuild *r = user;
    if (sign != '+')
        sb_printf(&r->a, "%.*s\n", STR(line));
    if (sign != '-')
        sb_printf(&r->b, "%.*s\n", STR(line));
    r->common += sign == ' ';
}

START_TEST(large_texts_are_compared_in_linear_time)
{
    enum { N = 200000 };
    StrBuf a = {0}, b = {0};
    for (int i = 0; i < N; i++) {
        sb_printf(&a, "t%d = prims.add(t%d, t%d)\n", i, i - 1, i - 2);
        if (i % 10)
            sb_printf(&b, "t%d = prims.add(t%d, t%d)\n", i, i - 1, i - 2);
        else
            sb_printf(&b, "t%d = prims.mul(t%d, t%d)\n", i, i - 1, i % 7);
    }
    Rebuild r = {0};
    clock_t start = clock();
    text_diff(sb_str(&a), sb_str(&b), rebuild, &r);
    ck_assert(str_eq(sb_str(&r.a), sb_str(&a)));
    ck_assert(str_eq(sb_str(&r.b), sb_str(&b)));
    ck_assert_uint_eq(r.common, N - N / 10);
    ck_assert_int_lt((clock() - start) / CLOCKS_PER_SEC, 5);
    sb_free(&a);
    sb_free(&b);
    sb_free(&r.a);
    sb_free(&r.b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("machine");
    TCase *tc = tcase_create("session");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, runs_leave_the_inputs_alone);
    tcase_add_test(tc, kept_values_are_those_of_their_time);
    tcase_add_test(tc, errors_in_a_run_say_where);
    tcase_add_test(tc, interrupt_stops_work);
    tcase_add_test(tc, two_sessions_know_nothing_of_each_other);
    tcase_add_test(tc, why_names_rule_and_toggle);
    tcase_add_test(tc, history_tells_stage_by_stage);
    tcase_add_test(tc, examine_counts_what_is_not_supported);
    tcase_add_test(tc, examine_finds_every_operator_of_a_statement);
    tcase_add_test(tc, costs_are_counted_from_types);
    tcase_add_test(tc, comparison_is_that_of_assert_close);
    tcase_add_test(tc, a_difference_rebuilds_both_texts);
    tcase_add_test(tc, large_texts_are_compared_in_linear_time);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
