/*
 * check_train.c - loss, gradients and an optimizer's update as one program, against PyTorch.
 *
 * Input: train_step.lua beside this file, which joins the program by examples/train_step.lua.
 */
#include "script.h"
#include "session_fixture.h"

static void keep(void *user, Str text)
{
    sb_add(user, text);
}

/* The joined program, as it is and behind all passes. */
START_TEST(three_steps_are_pytorchs)
{
    static const char *const stages[] = {"0", "last"};
    StrBuf said = {0}, code = {0};
    Script *sc = script_new(s, keep, &said);
    sb_printf(&code, "root, stage = '%s', '%s'", SOURCE_DIR, stages[_i]);
    script_run(sc, sb_str(&code), S("check_train"), &d);
    script_run_file(sc, TEST_DIR "/train_step.lua", &d);
    no_errors();
    ck_assert_str_eq(sb_cstr(&said), "18\n");
    script_free(sc);
    sb_free(&said);
    sb_free(&code);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("train");
    TCase *c = tcase_create("train");
    suite_add_tcase(suite, c);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, three_steps_are_pytorchs, 0, 2);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
