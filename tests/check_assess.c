/*
 * check_assess.c - verdicts about values that a test makes up: what no executor here would do.
 */
#include "support.h"

#include "session_fixture.h"

#include <math.h>

static Run plain, oracle, other;

static void begin(const char *text)
{
    Program *p = load_text(text);
    ck_assert(program_bind_random(s, p, 3, &d));
    ExecList interp;
    ck_assert(exec_parse_list(session_executors(s), S("interp"), &interp, &d));
    RunOptions keep = {.keep_values = true, .executors = &interp};
    RunOptions exact = {.keep_values = true, .executors = &interp, .rounding = ROUND_f64};
    ck_assert(session_run(s, p, program_root(p), &keep, &plain, &d));
    ck_assert(session_run(s, p, program_root(p), &keep, &other, &d));
    ck_assert(session_run(s, p, program_root(p), &exact, &oracle, &d));
}

static Assessed verdict(ValueId v)
{
    Assess *a = assess_new(s, &oracle, (AssessSide){.run = &other}, (AssessSide){.run = &plain});
    Assessed w = assess_value(a, v);
    assess_free(a);
    run_free(&plain);
    run_free(&other);
    run_free(&oracle);
    return w;
}

static float *elements(const Run *r, ValueId v)
{
    return tensor_data(r->values[v]);
}

static const char *const multiply_add =
    "def f(x: \"f32[200]\", y: \"f32[200]\", z: \"f32[200]\"):\n"
    "    m = x * y\n    r = m + z\n    return (r,)\n";

START_TEST(one_rounding_for_two_is_contraction)
{
    begin(multiply_add);
    ValueId r = trace_find_value(plain.t, S("r"));
    float *x = elements(&plain, trace_find_value(plain.t, S("x")));
    float *y = elements(&plain, trace_find_value(plain.t, S("y")));
    float *z = elements(&plain, trace_find_value(plain.t, S("z"))), *out = elements(&other, r);
    uint32_t changed = 0;
    for (int i = 0; i < 200; i++) {
        float was = out[i];
        out[i] = fmaf(x[i], y[i], z[i]);
        changed += out[i] != was;
    }
    ck_assert_uint_gt(changed, 10);
    Assessed w = verdict(r);
    ck_assert_int_eq(w.word, CAUSE_contraction);
    ck_assert_int_eq(w.side, 0);
}
END_TEST

START_TEST(the_last_bit_is_rounding_and_more_is_wrong)
{
    static const struct {
        float factor;
        Cause word;
    } rows[] = {{1, CAUSE_equal}, {1 + 0x1p-23f, CAUSE_rounding}, {1 + 0x1p-18f, CAUSE_wrong},
                {NAN, CAUSE_wrong}, {-1, CAUSE_wrong}};
    begin("def f(x: \"f32[200]\"):\n    r = torch.exp(x)\n    return (r,)\n");
    ValueId r = trace_find_value(plain.t, S("r"));
    elements(&other, r)[7] *= rows[_i].factor;
    Assessed w = verdict(r);
    ck_assert_str_eq(cause_word(w.word), cause_word(rows[_i].word));
    if (w.word != CAUSE_equal)
        ck_assert_int_eq(w.at, 7);
}
END_TEST

START_TEST(an_error_is_told_once_where_it_is_made)
{
    begin("def f(x: \"f32[200]\"):\n    a = torch.exp(x)\n    b = a * 3\n    return (b,)\n");
    ValueId a = trace_find_value(plain.t, S("a")), b = trace_find_value(plain.t, S("b"));
    elements(&other, a)[5] += 1;
    elements(&other, b)[5] += 3; /* as the error of a becomes in it */
    Assess *j = assess_new(s, &oracle, (AssessSide){.run = &other}, (AssessSide){.run = &plain});
    ck_assert_int_eq(assess_value(j, a).word, CAUSE_wrong);
    ck_assert_int_eq(assess_value(j, b).word, CAUSE_inherited);
    assess_free(j);
    run_free(&plain);
    run_free(&other);
    run_free(&oracle);
}
END_TEST

/* What is only added (a bias) does not make the operands' errors larger. */
START_TEST(a_bias_excuses_nothing)
{
    begin("def f(x: \"f32[20, 16]\", w: \"f32[8, 16]\", b: \"f32[8]\"):\n    a = torch.exp(x)\n"
          "    r = torch.nn.functional.linear(a, w, b + 1000)\n    return (r,)\n");
    ValueId r = trace_find_value(plain.t, S("r")), a = trace_find_value(plain.t, S("a"));
    elements(&other, a)[3] *= 1 + 0x1p-23f;
    elements(&other, r)[7] *= 1 + 0x1p-16f;
    ck_assert_str_eq(cause_word(verdict(r).word), "wrong");
}
END_TEST

/* Both factors are far off in both runs, and the product is right for them: as of gelu where x is
 * large, but exactly below -3, so that 1 + tanh is nearly nothing. _i = 1: it is not. */
START_TEST(a_product_has_the_errors_of_both_factors)
{
    begin("def f(x: \"f32[200]\", y: \"f32[200]\"):\n    a = x + 1\n    b = y + 1\n"
          "    r = a * b\n    return (r,)\n");
    ValueId a = trace_find_value(plain.t, S("a")), b = trace_find_value(plain.t, S("b"));
    ValueId r = trace_find_value(plain.t, S("r"));
    Run *runs[] = {&plain, &other};
    ((double *)tensor_data(oracle.values[a]))[5] = -2;
    ((double *)tensor_data(oracle.values[b]))[5] = 1e-4;
    ((double *)tensor_data(oracle.values[r]))[5] = -2e-4;
    for (int i = 0; i < 2; i++) {
        elements(runs[i], a)[5] = 10;
        elements(runs[i], b)[5] = 2;
        elements(runs[i], r)[5] = i ? 20.00001f : _i ? 80 : 20;
    }
    ck_assert_str_eq(cause_word(verdict(r).word), _i ? "wrong" : "rounding");
}
END_TEST

static Suite *suite(void)
{
    Suite *su = suite_create("assess");
    TCase *t = tcase_create("assess");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, one_rounding_for_two_is_contraction);
    tcase_add_loop_test(t, the_last_bit_is_rounding_and_more_is_wrong, 0, 5);
    tcase_add_test(t, an_error_is_told_once_where_it_is_made);
    tcase_add_test(t, a_bias_excuses_nothing);
    tcase_add_loop_test(t, a_product_has_the_errors_of_both_factors, 0, 2);
    suite_add_tcase(su, t);
    return su;
}

int main(void)
{
    return run_suite(suite());
}
