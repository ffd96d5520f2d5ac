/*
 * check_tutorial.c - the tutorial can be done as it says, notices what was done, and can be left.
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "support.h"
#include "tool_fixture.h"

static const char *const lessons[] = {
#define LESSON(check, title, text, commands) commands,
#include "tutorial.def"
#undef LESSON
};

START_TEST(the_lessons_lead_from_load_to_report)
{
    StrBuf b = {0};
    char seen[40];
    sb_puts(&b, "tutorial\n");
    for (size_t i = 0; i < ARRAY_LEN(lessons); i++)
        sb_printf(&b, "%s\n", lessons[i]);
    typed(b.p);
    for (size_t i = 1; i <= ARRAY_LEN(lessons); i++) {
        snprintf(seen, sizeof seen, "Lesson %zu of %zu: ", i, ARRAY_LEN(lessons));
        sees(seen);
    }
    sees("overflow: %p[2, 5]");
    sees("inf in %e[2, 5], 2 of 36 elements, made by prims.exp, attention.py:16, inside cFusion0");
    ck_contains(sb_cstr(&err), "output 0 is not as recorded");
    ck_contains(sb_cstr(&err), "outputs are as recorded");
    sees("That was all");
    sb_free(&b);
}
END_TEST

START_TEST(other_commands_do_not_count_and_bring_a_hint)
{
    typed("tutorial\nversion\nhelp\nshow depth\nload examples/mlp.py\n");
    sees("Lesson 1 of");
    sees_not("Lesson 2 of");
    ck_contains(sb_cstr(&err), "this lesson wants:");
    ck_contains(sb_cstr(&err), "   load examples/tutorial.py");
}
END_TEST

START_TEST(a_run_that_is_still_wrong_is_no_repair)
{
    typed("tutorial 10\nrun\ngoto acquired\nedit %e = torch.exp(scores * 0.5)\nrun\n");
    sees("Lesson 10 of");
    sees_not("Lesson 11 of");
}
END_TEST

START_TEST(it_can_be_left_and_taken_up_again)
{
    typed("tutorial\nload examples/tutorial.py\nlist\ntutorial off\nrun\n");
    sees("Lesson 3 of");
    sees_not("Lesson 4 of");
    typed("tutorial\nrun\n"); /* another session */
    sees("Lesson 3 of");
    sees("$1 = %out");
    sees("Lesson 4 of");
    typed("tutorial restart\ntutorial list\n");
    sees("Lesson 1 of");
    sees("write it down");
}
END_TEST

static Suite *suite(void)
{
    Suite *su = suite_create("tutorial");
    TCase *t = tcase_create("tutorial");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, the_lessons_lead_from_load_to_report);
    tcase_add_test(t, other_commands_do_not_count_and_bring_a_hint);
    tcase_add_test(t, a_run_that_is_still_wrong_is_no_repair);
    tcase_add_test(t, it_can_be_left_and_taken_up_again);
    suite_add_tcase(su, t);
    return su;
}

int main(void)
{
    return run_suite(suite());
}
