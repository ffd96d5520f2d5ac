/*
 * check_sweep.c - what sweep promises: it finds the interval in which something fails, with both of
 * its ends, and the commands that lead there.
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "support.h"
#include "tool_fixture.h"

#include "sweep.h"

#include <math.h>

/* ----------------------------------------------------------------------------------- the search */

typedef struct Fault {
    double from, to;
    uint32_t asked;
} Fault;

static bool ask(void *user, double at, Outcome *outcome, double *measure)
{
    Fault *f = user;
    f->asked++;
    *outcome = at >= f->from && at <= f->to ? POINT_bad : POINT_good;
    *measure = NAN;
    return true;
}

static const struct {
    double from, to, bad_from, bad_to;
    bool whole;
} searches[] = {
    {512, 640, 551, 563, true}, {1, 100000, 40000, 45000, true}, {1, 64, 64, 64, true},
    {1, 64, 1, 1, true},        {1, 1000, 1, 1000, true},        {7, 7, 7, 7, true},
    {1e-6, 1e6, 0.01, 3, false}, {1, 4096, 4000, 5000, true},
};

START_TEST(both_ends_of_what_fails_are_found)
{
    Fault f = {searches[_i].bad_from, searches[_i].bad_to, 0};
    Search s = {.range = {searches[_i].from, searches[_i].to, searches[_i].whole}};
    Interval v[4];
    search_run(&s, 48, 1, ask, &f);
    ck_assert_uint_eq(search_intervals(&s, v, 4), 1);
    double to = searches[_i].bad_to < searches[_i].to ? searches[_i].bad_to : searches[_i].to;
    if (searches[_i].whole) {
        ck_assert_double_eq(v[0].from, searches[_i].bad_from);
        ck_assert_double_eq(v[0].to, to);
    } else {
        ck_assert_double_eq_tol(v[0].from / searches[_i].bad_from, 1, 0.011);
        ck_assert_double_eq_tol(v[0].to / to, 1, 0.011);
    }
    ck_assert_uint_lt(f.asked, 110); /* a search, not a grid */
    search_free(&s);
}
END_TEST

START_TEST(a_chart_has_a_sign_for_each_cell)
{
    Fault f = {60, 64, 0};
    Search s = {.range = {1, 64, true}};
    StrBuf chart = {0}, bars = {0};
    search_run(&s, 64, 1, ask, &f);
    search_chart(&s, 64, &chart, &bars);
    ck_assert_str_eq(chart.p, "-----------------------------------------------------------#####");
    ck_assert_uint_eq(bars.n, 0);
    sb_free(&chart);
    search_free(&s);
}
END_TEST

/* ---------------------------------------------------------------------------------- the command */

/* f16 overflows inside for sizes from 551 to 563 only. */
static const char *const narrow = "def f(s0: \"Sym(s0)\", x: \"f16[s0]\"):\n"
                                  "    n = s0 - 557\n    k = n * n\n"
                                  "    big = 11000.0 / (k + 1)\n    a = x * 0 + big\n"
                                  "    b = a * a\n    c = b * 0.001\n    return (c,)\n";

START_TEST(a_fault_between_two_sizes_is_found)
{
    write_text("narrow.py", narrow);
    ck_assert_int_eq(tool("load $D/narrow.py\nsweep s0=512..640 --to $D/again"), 1);
    sees("fails for s0 in 551..563");
    sees("set s0=551\nbind --random");
    sees("--check \"compare last @f64\"");
    sees("##");
    ck_assert_int_eq(tool("load $D/narrow.py\nset s0=551\nbind --random\ncompare last @f64"), 1);
    ck_assert_int_eq(tool("load $D/narrow.py\nset s0=550\nbind --random\ncompare last @f64"), 0);
    ck_assert_int_eq(tool("load $D/narrow.py\nbind --random\nsweep s0=512..640"), 1);
    sees("fails for s0 in 551..563"); /* what is bound has one size: it is drawn for others */
    sees("set s0=551\nbind --random");
    ck_assert_int_eq(tool("load $D/narrow.py\nset s0=5\nbind --random\nset s0=7\nrun -q"), 3);
    ck_assert_int_eq(tool("load $D/narrow.py\nset s0=5\nbind --random\nset s0=7\nbind --random\n"
                          "run -q"), 0);
    read_back("again", &out);
    sees("set s0=551");
}
END_TEST

START_TEST(lists_are_combined_and_the_present_program_stays)
{
    ck_assert_int_eq(tool("load examples/mlp.py\nnext 2\nsweep 5=1..6 dtype=f32,f64 do "
                          "compare last acquired\nprogram\nrun -q"), 0);
    sees("dtype=f32");
    sees("dtype=f64");
    sees("6 points, none fails");
    sees("dce"); /* the cursor is where it was */
}
END_TEST

START_TEST(magnitudes_are_searched_by_their_logarithm)
{
    write_text("square.py", "def f(x: \"f16[64]\"):\n    a = x * x\n    b = torch.sqrt(a)\n"
                            "    return (b,)\n");
    ck_assert_int_eq(tool("load $D/square.py\nbind x=torch.ones((64,),dtype=torch.float16)\n"
                          "sweep scale=1..10000 do compare acquired @f64 --rtol 0.1"), 1);
    sees("fails for scale from 25"); /* 256^2 is the first square beyond f16 */
    sees("bind 'x=%x * 25");
    ck_assert_int_eq(tool("load $D/square.py\nbind x=torch.ones((64,),dtype=torch.float16)\n"
                          "bind 'x=%x * 200'\nbind 'x=%x * 2'\nprint %x[0]"), 0);
    sees("400.");
}
END_TEST

START_TEST(mistakes_are_told)
{
    static const char *const bad[] = {"sweep", "sweep nosuch=1..3", "sweep 5=9..3", "sweep 5=",
                                      "sweep dtype=f32,i64", "sweep 5=1..3 16=1..2",
                                      "sweep scale=0..3",
                                      "sweep scale:nosuch=1..2"};
    char text[200];
    snprintf(text, sizeof text, "load examples/mlp.py\n%s", bad[_i]);
    ck_assert_int_eq(tool(text), 2);
    ck_contains(sb_cstr(&err), "error: ");
}
END_TEST

static Suite *suite(void)
{
    Suite *su = suite_create("sweep");
    TCase *t = tcase_create("sweep");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, both_ends_of_what_fails_are_found, 0, (int)ARRAY_LEN(searches));
    tcase_add_test(t, a_chart_has_a_sign_for_each_cell);
    tcase_add_test(t, a_fault_between_two_sizes_is_found);
    tcase_add_test(t, lists_are_combined_and_the_present_program_stays);
    tcase_add_test(t, magnitudes_are_searched_by_their_logarithm);
    tcase_add_loop_test(t, mistakes_are_told, 0, 8);
    suite_add_tcase(su, t);
    return su;
}

int main(void)
{
    return run_suite(suite());
}
