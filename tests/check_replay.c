/*
 * check_replay.c - recorded programs pass, wrong ones fail with the element, unknown ones are
 * skipped.
 *
 * Input: tests/cases, and files written to a temporary folder.
 */
#define _POSIX_C_SOURCE 200809L
#include "executors.h"
#include "session.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CASES TEST_DIR "/cases"

static Session *s;
static Diag d;
static StrBuf lines;
static char folder[64];

static void setup(void)
{
    ExecList l;
    executors_default(&l);
    s = session_new(&l);
    d = (Diag){0};
    lines = (StrBuf){0};
    strcpy(folder, "/tmp/thunder-replay-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void teardown(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/a.py", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/a.safetensors", folder);
    unlink(path);
    rmdir(folder);
    session_free(s);
    diag_clear(&d);
    sb_free(&lines);
}

static void report(void *user, Str line)
{
    (void)user;
    sb_printf(&lines, "%.*s\n", STR(line));
}

static ReplayResult replay(const char *path, ReplayOptions o)
{
    ReplayResult r;
    Str p = str_from(path);
    o.report = report;
    o.rtol = o.atol = -1;
    ck_assert(session_replay(s, &p, 1, &o, &r, &d));
    return r;
}

/* Writes a.py, and a.safetensors with x = in/x and y = out/0, both f32[2]. */
static void write_case(const char *text, const char *prefix, float y1)
{
    char path[128], in[32], out[32];
    snprintf(path, sizeof path, "%s/a.py", folder);
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    snprintf(path, sizeof path, "%s/a.safetensors", folder);
    snprintf(in, sizeof in, "%sin/x", prefix);
    snprintf(out, sizeof out, "%sout/0", prefix);
    float x[2] = {1, 2}, y[2] = {2, y1};
    int64_t shape[1] = {2};
    TensorView items[2] = {{str_from(in), DT_f32, 1, shape, x, sizeof x},
                           {str_from(out), DT_f32, 1, shape, y, sizeof y}};
    ck_assert(safetensors_write(path, items, 2, &d));
}

START_TEST(recorded_programs_pass_at_every_stage)
{
    ReplayResult last = replay(CASES, (ReplayOptions){0});
    ck_assert_msg(last.failed == 0 && last.skipped == 0, "%s", sb_cstr(&lines));
    ck_assert_uint_gt(last.passed, 50);
    ExecList interp; /* kernels of single nodes at every stage would take the compiler minutes */
    ck_assert(exec_parse_list(session_executors(s), S("interp"), &interp, &d));
    ReplayResult all = replay(CASES, (ReplayOptions){.all_stages = true, .executors = &interp});
    ck_assert_msg(all.failed == 0 && all.skipped == 0, "%s", sb_cstr(&lines));
    ck_assert_uint_eq(all.passed, last.passed);
    ck_assert_uint_eq(session_program_count(s), 0);
    ck_assert_uint_eq(session_log(s)->n, 0);
}
END_TEST

START_TEST(gradients_go_through_views_and_updates_in_place)
{
    ReplayResult r =
        replay(CASES "/alias_grad.py", (ReplayOptions){.grad = true, .strict = true});
    ck_assert_msg(r.failed == 0 && r.skipped == 0, "%s", sb_cstr(&lines));
    ck_assert_uint_eq(r.passed, 52);
}
END_TEST

START_TEST(gradients_go_through_autocast_and_checkpoint_regions)
{
    static const struct {
        const char *file;
        uint64_t cases;
    } recorded[] = {{CASES "/autocast_grad.py", 21}, {CASES "/checkpoint_calls.py", 3}};
    ExecList interp;
    ck_assert(exec_parse_list(session_executors(s), S("interp"), &interp, &d));
    for (size_t i = 0; i < ARRAY_LEN(recorded); i++) {
        ReplayResult r = replay(recorded[i].file, (ReplayOptions){.grad = true, .strict = true,
                                                                  .all_stages = true,
                                                                  .executors = &interp});
        ck_assert_msg(r.failed == 0 && r.skipped == 0, "%s", sb_cstr(&lines));
        ck_assert_uint_eq(r.passed, recorded[i].cases);
    }
}
END_TEST

START_TEST(input_sets_count_each)
{
    ReplayResult r = replay(CASES "/dynamic_mlp.py", (ReplayOptions){.verbose = true});
    ck_assert_uint_eq(r.passed, 3);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&lines), "run2: passed"));
}
END_TEST

START_TEST(a_wrong_element_is_named)
{
    write_case("def f(x: \"f32[2]\"):\n    return (x * 2,)\n", "", 4.5f);
    ReplayResult r = replay(folder, (ReplayOptions){0});
    ck_assert_uint_eq(r.failed, 1);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&lines), "out/0 [1] is 4, recorded 4.5; 1 of 2 wrong"));
    write_case("def f(x: \"f32[2]\"):\n    return (x * 2,)\n", "f/", 4);
    r = replay(folder, (ReplayOptions){0});
    ck_assert_uint_eq(r.passed, 1);
    ck_assert_uint_eq(r.failed, 0);
}
END_TEST

/* Writes a list of known differences beside the case; KEY names the folder. */
static Str write_known(const char *line)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/known.md", folder);
    FILE *f = fopen(path, "w");
    fprintf(f, "# Not read: /:\n\n```\n# nor this\n%s/%s\n```\n", strrchr(folder, '/') + 1, line);
    fclose(f);
    return str_from(path);
}

START_TEST(a_known_difference_is_told_but_does_not_fail)
{
    write_case("def f(x: \"f32[2]\"):\n    return (x * 2,)\n", "", 4.5f);
    Str known = write_known("a.py:f  drawn by lot");
    ReplayResult r = replay(folder, (ReplayOptions){.known = known});
    ck_assert_uint_eq(r.failed + r.passed, 0);
    ck_assert_uint_eq(r.known, 1);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&lines), ":f: known: out/0 [1] is 4"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&lines), "; drawn by lot"));
    sb_clear(&lines);
    write_case("def f(x: \"f32[2]\"):\n    return (x * 2,)\n", "", 4);
    r = replay(folder, (ReplayOptions){.known = known});
    ck_assert_uint_eq(r.passed, 1);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&lines), "listed as a known difference, but equal"));
    write_case("def f(x: \"f32[2]\"):\n    return ((x * 2).double(),)\n", "", 4);
    r = replay(folder, (ReplayOptions){.known = known});
    ck_assert_uint_eq(r.failed, 1);
    write_case("def f(x: \"f32[2]\"):\n    return (x * 2,)\n", "", 4.5f);
    known = write_known("a.py:other  drawn by lot");
    r = replay(folder, (ReplayOptions){.known = known});
    ck_assert_uint_eq(r.failed, 1);
    unlink(known.p);
}
END_TEST

START_TEST(a_list_of_known_differences_must_be_readable)
{
    write_case("def f(x: \"f32[2]\"):\n    return (x * 2,)\n", "", 4);
    ReplayOptions o = {.known = write_known("a.py:f"), .rtol = -1, .atol = -1};
    ReplayResult r;
    Str p = str_from(folder);
    ck_assert(!session_replay(s, &p, 1, &o, &r, &d));
    ck_assert_str_eq(d.first->code, "known-line");
    unlink(o.known.p);
    diag_clear(&d);
    ck_assert(!session_replay(s, &p, 1, &o, &r, &d));
    ck_assert_str_eq(d.first->code, "no-file");
}
END_TEST

START_TEST(a_wrong_type_is_named)
{
    write_case("def f(x: \"f32[2]\"):\n    return ((x * 2).double(),)\n", "", 4);
    ReplayResult r = replay(folder, (ReplayOptions){0});
    ck_assert_uint_eq(r.failed, 1);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&lines), "is f64[2], recorded f32[2]"));
}
END_TEST

START_TEST(unknown_operators_are_skipped)
{
    write_case("def f(x: \"f32[2]\"):\n    return (torch.nosuchop(x),)\n", "", 4);
    ReplayResult r = replay(folder, (ReplayOptions){0});
    ck_assert_uint_eq(r.skipped, 1);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&lines), "torch.nosuchop"));
    r = replay(folder, (ReplayOptions){.strict = true});
    ck_assert_uint_eq(r.failed, 1);
    ck_assert_uint_eq(r.skipped, 0);
}
END_TEST

START_TEST(a_program_that_does_not_load_fails)
{
    write_case("def f(x: \"f32[2]\"):\n    return (x + z,)\n", "", 4);
    ReplayResult r = replay(folder, (ReplayOptions){0});
    ck_assert_uint_eq(r.failed, 1);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&lines), "line 2"));
}
END_TEST

START_TEST(what_must_be_refused_may_not_be_accepted)
{
    write_case("def f(x: \"f32[2]\"):\n    return (torch.reshape(x, (3,)),)\n\n"
               "def g(x: \"f32[2]\"):\n    return (torch.exp(x),)\n\n"
               "def h(x: \"f32[2]\", i: \"i64[3]\"):\n    return (torch.gather(x, 0, i),)\n\n"
               "def k(x: \"f32[2]\", i: \"i64[3]\"):\n"
               "    return (x.expand(3, 2).mul_(2), torch.gather(x, 0, i))\n",
               "", 4);
    ReplayResult r = replay(folder, (ReplayOptions){.rejects = true});
    ck_assert_uint_eq(r.passed, 1);
    ck_assert_uint_eq(r.failed, 2);
    ck_assert_uint_eq(r.known, 1); /* refused for its indices */
    ck_assert_ptr_nonnull(strstr(sb_cstr(&lines), ":g: FAILED"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&lines), ":k: FAILED")); /* whatever its values are */
}
END_TEST

START_TEST(recorded_gradients_are_checked)
{
    ReplayResult r = replay(CASES "/add_mul.fw00.py", (ReplayOptions){.grad = true});
    ck_assert_uint_eq(r.passed, 1);
    r = replay(CASES "/layernorm.fw00.py", (ReplayOptions){.grad = true, .all_stages = true});
    ck_assert_uint_eq(r.passed, 1);
}
END_TEST

/* a.py, which doubles x, with a recorded gradient of this name: 2 and 10 * slope. */
static void write_grad_case(const char *gradient, float slope)
{
    char path[128];
    write_case("def f(x: \"f32[2]\"):\n    return (x * 2 + x.detach() * 0,)\n", "", 4);
    snprintf(path, sizeof path, "%s/a.safetensors", folder);
    float x[2] = {1, 2}, y[2] = {2, 4}, cot[2] = {1, 10}, grad[2] = {2, 10 * slope};
    int64_t shape[1] = {2};
    TensorView items[4] = {{S("in/x"), DT_f32, 1, shape, x, sizeof x},
                           {S("out/0"), DT_f32, 1, shape, y, sizeof y},
                           {S("cot/0"), DT_f32, 1, shape, cot, sizeof cot},
                           {str_from(gradient), DT_f32, 1, shape, grad, sizeof grad}};
    ck_assert(safetensors_write(path, items, 4, &d));
}

START_TEST(a_wrong_or_missing_gradient_fails)
{
    write_grad_case("grad/x", 2);
    ck_assert_uint_eq(replay(folder, (ReplayOptions){.grad = true}).passed, 1);
    write_grad_case("grad/x", 3);
    ck_assert_uint_eq(replay(folder, (ReplayOptions){.grad = true}).failed, 1);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&lines), "grad/x [1] is 20, recorded 30"));
    ck_assert_uint_eq(replay(folder, (ReplayOptions){.grad = false}).passed, 1);
    write_grad_case("grad/y", 2);
    ck_assert_uint_eq(replay(folder, (ReplayOptions){.grad = true}).failed, 1);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&lines), "belongs to no input"));
}
END_TEST

START_TEST(paths_without_programs_are_errors)
{
    ReplayResult r;
    Str paths[] = {S("/nonexistent/x.py"), str_from(folder)};
    ReplayOptions o = {.rtol = -1, .atol = -1};
    ck_assert(!session_replay(s, &paths[0], 1, &o, &r, &d));
    ck_assert(!session_replay(s, &paths[1], 1, &o, &r, &d));
    ck_assert_uint_eq(d.nerrors, 2);
    ck_assert_str_eq(d.first->code, "no-file");
}
END_TEST

START_TEST(an_interrupt_ends_the_replay)
{
    *session_interrupt(s) = 1;
    ReplayResult r;
    Str path = S(CASES);
    ReplayOptions o = {.rtol = -1, .atol = -1};
    session_replay(s, &path, 1, &o, &r, &d);
    ck_assert_uint_eq(r.passed + r.failed + r.skipped, 0);
    ck_assert_int_eq(d.last->kind, DIAG_interrupt);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("replay");
    TCase *tc = tcase_create("replay");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, recorded_programs_pass_at_every_stage);
    tcase_add_test(tc, gradients_go_through_views_and_updates_in_place);
    tcase_add_test(tc, gradients_go_through_autocast_and_checkpoint_regions);
    tcase_add_test(tc, input_sets_count_each);
    tcase_add_test(tc, a_wrong_element_is_named);
    tcase_add_test(tc, a_wrong_type_is_named);
    tcase_add_test(tc, a_known_difference_is_told_but_does_not_fail);
    tcase_add_test(tc, a_list_of_known_differences_must_be_readable);
    tcase_add_test(tc, unknown_operators_are_skipped);
    tcase_add_test(tc, a_program_that_does_not_load_fails);
    tcase_add_test(tc, what_must_be_refused_may_not_be_accepted);
    tcase_add_test(tc, recorded_gradients_are_checked);
    tcase_add_test(tc, a_wrong_or_missing_gradient_fails);
    tcase_add_test(tc, paths_without_programs_are_errors);
    tcase_add_test(tc, an_interrupt_ends_the_replay);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
