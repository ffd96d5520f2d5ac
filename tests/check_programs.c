/*
 * check_programs.c - random programs of what models do: values and gradients are PyTorch's at every
 * stage, with each list of executors and with CUDA kernels on the CPU (cuda_emulator.h).
 *
 * Input: tests/cases/programs, those of record_random.py's that found something;
 * THUNDER_PROGRAMS names another file that it wrote.
 */
#define _GNU_SOURCE
#include "support.h"

#include "session_fixture.h"

#include "cuda_fixture.h"

static const char *const lists[] = {"interp", "c,interp", "onednn,c,interp", "emulated"};

static void report(void *user, Str line)
{
    sb_printf(user, "%.*s\n", STR(line));
}

/* f32 and f64 within the tolerances of replay, which are PyTorch's. */
START_TEST(values_and_gradients_are_those_of_pytorch)
{
    const char *other = getenv("THUNDER_PROGRAMS");
    bool emulated = strcmp(lists[_i], "emulated") == 0;
    Str path = other ? str_from(other) : S(CASES "programs.py");
    double loose = other ? 1e-2 : -1;
    StrBuf lines = {0};
    if (emulated && no_compiler())
        return;
    if (emulated)
        use_emulator();
    else
        use_executors(lists[_i]);
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    for (int grad = 0; grad < 2; grad++) {
        ReplayOptions o = {.report = report, .user = &lines, .rtol = loose, .atol = loose,
                           .grad = grad, .all_stages = !emulated && !other};
        ReplayResult r;
        ck_assert(session_replay(s, &path, 1, &o, &r, &d));
        ck_assert_msg(r.failed == 0 && r.skipped == 0, "%s: %s", lists[_i], sb_cstr(&lines));
        ck_assert_uint_gt(r.passed, 4);
    }
    sb_free(&lines);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("programs");
    TCase *c = tcase_create("programs");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, values_and_gradients_are_those_of_pytorch, 0, ARRAY_LEN(lists));
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
