/*
 * check_report.c - a report holds what is needed to see the same again, and nothing else is needed.
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "support.h"
#include "tool_fixture.h"

#define BROKEN "load examples/mlp.py\noption fuse.min_work 0\npass off cse\nnext 2\n" \
               "edit %input_2 = torch.sigmoid(input_1)\nwatch nan\n"

START_TEST(the_archive_runs_elsewhere_and_finds_the_same)
{
#ifdef THUNDER_HAVE_ZIP
    char line[500];
    ck_assert_int_eq(tool(BROKEN "report $D/r.zip --note 'since monday'\n"
                                 "compare last acquired"), 1);
    Str before = arena_str(&arena, sb_str(&out));
    snprintf(line, sizeof line,
             "cd %s && mkdir r && cd r && cmake -E tar xf ../r.zip && '%s' --batch -x "
             "session -e 'compare last acquired' >../out 2>../err; cat report.txt >>../out; ls "
             "stages kernels . >>../out", folder, THUNDER_REPL);
    ck_assert_int_eq(system(line), 0);
    read_back("out", &out);
    const char *table = strstr(before.p, "value");
    ck_assert_ptr_nonnull(table);
    sees(arena_str(&arena, str_sub(str_from(table), 0, 200)).p);
    sees("since monday");
    sees("thunder-repl --batch -x session");
    sees("wrong: %input_2");
    sees("inputs.safetensors");
    sees("5-fuse.py");
    sees("cFusion0.c");
    sees("session.forward.edited.py");
#else
    ck_assert_int_eq(tool(BROKEN "report $D/r.zip"), 2);
    ck_contains(sb_cstr(&err), "report FILE.html");
#endif
}
END_TEST

START_TEST(the_page_needs_no_other_file)
{
    ck_assert_int_eq(tool(BROKEN "report $D/r.html"), 0);
    read_back("r.html", &out);
    sees("<!DOCTYPE html>");
    sees("compare last @f64");
    sees("download=\"inputs.safetensors\"");
    sees("download=\"session\"");
    sees("ltorch.sigmoid(input_1)");
    sees("</html>");
    sees_not("http-equiv");
    sees_not("<script");
    sees_not("<link");
    sees_not("src=\"");
#ifdef THUNDER_HAVE_GRAPHVIZ
    sees("<svg");
#endif
}
END_TEST

START_TEST(random_inputs_are_a_command)
{
    ck_assert_int_eq(tool("load examples/silu.py\nbind --random 5\nreport $D/r.html"), 0);
    read_back("r.html", &out);
    sees("bind --random 5");
    sees_not("inputs.safetensors");
}
END_TEST

START_TEST(a_report_is_a_zip_or_a_page)
{
    ck_assert_int_eq(tool("load examples/mlp.py\nreport $D/r.txt"), 2);
    ck_assert_int_eq(tool("load examples/mlp.py\nreport /no/such/r.html"), 2);
}
END_TEST

static Suite *suite(void)
{
    Suite *su = suite_create("report");
    TCase *t = tcase_create("report");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, the_archive_runs_elsewhere_and_finds_the_same);
    tcase_add_test(t, the_page_needs_no_other_file);
    tcase_add_test(t, random_inputs_are_a_command);
    tcase_add_test(t, a_report_is_a_zip_or_a_page);
    suite_add_tcase(su, t);
    return su;
}

int main(void)
{
    return run_suite(suite());
}
