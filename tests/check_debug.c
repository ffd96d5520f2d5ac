/*
 * check_debug.c - what breakpoints, watchpoints and stopped runs promise, in the program as people
 * and scripts run it, and that looking into a fused kernel does not change what it gives.
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "support.h"
#include "tool_fixture.h"

#define MLP "load examples/mlp.py\n"

/* -------------------------------------------------------------------------- moves of the cursor */

START_TEST(a_break_on_a_pass_stops_before_it_and_only_once)
{
    ck_assert_int_eq(tool(MLP "break pass cse\ncontinue\nstages\ncontinue\nbt"), 0);
    sees("Breakpoint 1, before pass cse");
    sees(">       3  fold");
    sees("0  stage 8, plan");
}
END_TEST

START_TEST(a_break_on_a_rule_stops_before_its_application)
{
    ck_assert_int_eq(tool(MLP "break rule claim\ncontinue\nstages\nstep\ncontinue\ncontinue"), 0);
    sees("Breakpoint 1, before application 2 of claim, rule \"claim\" on %input_1");
    sees("claim+1");
    sees("claim 2: claim at %input_1");
    sees("before application 4 of claim, rule \"claim\" on %input_2");
    sees("before application 6 of claim, rule \"claim\" on %input_3");
}
END_TEST

START_TEST(rules_of_stages_made_earlier_stop_too)
{
    ck_assert_int_eq(tool(MLP "continue\ngoto 0\nbreak rule 'claim: claim' if op == 'relu'\n"
                              "until last\nstages"), 0);
    sees("before application 4 of claim");
    sees("claim+3");
}
END_TEST

START_TEST(skip_leaves_out_the_application_that_was_stopped_at)
{
    write_text("twice.py", ("def f(x: \"f32[4]\"):\n    a = torch.exp(x)\n    b = torch.exp(x)\n"
                             "    return (a + b,)\n"));
    ck_assert_int_eq(tool("load $D/twice.py\nbreak value %b\ncontinue\nskip\ndelete\ncontinue\n"
                          "list cse"), 0);
    sees("Breakpoint 1, before application 1 of cse");
    sees("b = ltorch.exp(x)");
}
END_TEST

START_TEST(dtype_changes_are_found_in_passes_and_runs)
{
    ck_assert_int_eq(tool(MLP "pass on autocast\nbreak dtype-change bf16\ncontinue\ndelete\n"
                              "continue\nbreak dtype-change if running\nrun\ninfo break"), 0);
    sees("Breakpoint 1, before application 1 of autocast");
    sees("Breakpoint 2, behind this node of stage plan");
    sees("prims.convert_element_type(");
}
END_TEST

/* ----------------------------------------------------------------------------------------- runs */

START_TEST(a_run_stops_goes_on_and_ends_as_without_breaks)
{
    ck_assert_int_eq(tool(MLP "run"), 0);
    Str plain = arena_str(&arena, sb_str(&out));
    ck_assert_int_eq(tool(MLP "break op relu\nrun\ncontinue"), 0);
    sees("Breakpoint 1, behind this node of stage acquired:");
    sees("input_2 = ltorch.relu(input_1, False)");
    ck_assert(str_ends(sb_str(&out), plain.p));
}
END_TEST

START_TEST(step_goes_node_by_node_and_values_can_be_printed)
{
    ck_assert_int_eq(tool(MLP "goto last\nbreak line 10\nrun\nprint %input_1.shape\nstep\n"
                              "print %input_2.min()\nbt\nstep\nstep"), 0);
    sees("input_1 = prims.linear(");
    sees("input_2 = prims.maximum(");
    sees("$2 = %input_2.min()");
    sees("0  input_2 = prims.maximum(");
    sees("$3 = %input_3");
}
END_TEST

START_TEST(what_the_run_has_not_made_is_said)
{
    ck_assert_int_eq(tool(MLP "break op relu\nrun\nprint %input_3"), 2);
    ck_assert(strstr(err.p, "the run has not made %input_3 yet") != NULL);
}
END_TEST

static const struct {
    const char *condition;
    bool stops;
} conditions[] = {
    {"shape[1] == 32", true},
    {"shape[1] > 32", false},
    {"dtype == torch.float32 and rank == 2", true},
    {"dtype == torch.bfloat16", false},
    {"op == 'relu' and name == 'input_2'", true},
    {"executor == 'c'", false},
    {"not running", false},
    {"line == 11", true},
    {"%input_2.max() > 1", true},
    {"%input_2.max() > 100", false},
    {"(%input_1 < 0).any() & (%input_2 >= 0).all()", true},
    {"%input_2.max() > 1 and not running", false},
    {"%input_2.max() > 100 or (dtype == torch.float32 and rank == 2)", true},
    {"not %input_2.max() > 100", true},
    {"numel == 160 and stage == 'acquired'", true},
};

START_TEST(conditions_decide)
{
    const char *line = conditions[_i].condition;
    char text[200];
    snprintf(text, sizeof text, MLP "break op relu if %s\nrun\ninfo break", line);
    ck_assert_int_eq(tool(text), 0);
    ck_assert_msg((strstr(out.p, "Breakpoint 1, behind") != NULL) == conditions[_i].stops, "%s\n%s",
                  line, out.p);
}
END_TEST

START_TEST(a_bad_condition_is_an_error_with_help)
{
    ck_assert_int_eq(tool(MLP "break op relu if shap[0] > 1\nrun"), 2);
    ck_assert(strstr(err.p, "shap is not defined") != NULL);
    ck_assert(strstr(err.p, "did you mean shape?") != NULL ||
              strstr(err.p, "help conditions") != NULL);
}
END_TEST

/* Conditions are read when they are set: nothing has to be hit to find an error in one. */
static const struct {
    const char *line, *error, *marked; /* what stands above the carets */
} bad_conditions[] = {
    {"break op relu if %input_1.sum( > 3", "expected an expression", "^"},
    {"break op relu if shap[0] > 1", "shap is not defined", "^^^^"},
    {"break op relu if %input_1 > 3", "gives 160 elements, not one", "^^^^^^^^^^^^"},
    {"tbreak op relu if op", "neither a number nor a tensor", "^^"},
    {"break pass cse if numel > 1 and %nope.sum() > 1", "no value %nope", "^^^^^"},
    {"watch nan if not $3 > 1", "no result $3", "^^"},
    {"watch nan if numel > 5 and", "the text ends here", "^"},
    {"break op linear\ncondition 1 )", "not ')'", "^"},
};

START_TEST(bad_conditions_are_refused_when_set)
{
    char text[200];
    StrBuf caret = {0};
    snprintf(text, sizeof text, MLP "%s", bad_conditions[_i].line);
    ck_assert_int_eq(tool(text), 2);
    ck_contains(sb_cstr(&err), bad_conditions[_i].error);
    sb_printf(&caret, " %s\n", bad_conditions[_i].marked);
    ck_contains(sb_cstr(&err), sb_cstr(&caret));
    sb_free(&caret);
}
END_TEST

/* A value that a later stage will have can be named before that stage is there. */
START_TEST(conditions_name_values_of_later_stages)
{
    ck_assert_int_eq(tool(MLP "grad all\ngoto acquired\nbreak pass dce if %cot_0.sum() > 1\n"
                              "info break"), 0);
    sees("if %cot_0.sum() > 1");
}
END_TEST

START_TEST(lists_numbers_and_counts)
{
    ck_assert_int_eq(tool(MLP "break op linear\ntbreak op relu\nwatch nan|inf\nignore 1 1\n"
                              "disable 3\nrun\ninfo break\ndelete 1\nbreak op exp\ninfo break"), 0);
    ck_contains(sb_cstr(&err), "breakpoint 2: tbreak op relu");
    sees("Breakpoint 2, behind");
    sees_not("Breakpoint 1, behind");
    sees("1  yes     1  break op linear");
    sees("3  no      0  watch nan|inf");
    sees("4  yes     0  break op exp");
}
END_TEST

START_TEST(commands_run_at_the_stop)
{
    ck_assert_int_eq(tool(MLP "break op relu\ncommands\nprint %input_1.min()\ncontinue\nend\nrun\n"
                              "info break"), 0);
    sees("$1 = %input_1.min()");
    sees("$2 = %input_3");
    sees("print %input_1.min(); continue");
}
END_TEST

START_TEST(displays_are_shown_at_stops_and_moves)
{
    ck_assert_int_eq(tool(MLP "display %input_2.max()\nbreak op linear\nrun\nnext\nundisplay 1\n"
                              "continue"), 0);
    sees("$1 = %input_2.max()");
    sees("%input_2.max(): not known here");
    sees("$2 = %input_2.max()");
    sees_not("$4");
}
END_TEST

START_TEST(saved_sessions_have_breakpoints_again)
{
    ck_assert_int_eq(tool(MLP "break op relu if shape[1] > 3\ncommands\nbt\nend\n"
                              "watch nan %input_2\n"
                              "ignore 2 5\ndisable 1\nsave $D/a.session"), 0);
    ck_assert_int_eq(tool("source $D/a.session\ninfo break"), 0);
    sees("1  no      0       0  bt        break op relu if shape[1] > 3");
    sees("watch nan %input_2");
    sees("bt");
}
END_TEST

/* ------------------------------------------------------------------------------------- watching */

START_TEST(a_transcript_with_breakpoints_is_a_test)
{
    ck_assert_int_eq(typed("load examples/mlp.py\nset times off\nrecord on $D/log\n"
                           "break op relu\ncommands\nprint %input_1.min()\nend\n"
                           "watch %input_3\nrun -q\nbt\ncontinue\ncompare acquired last\n"
                           "record off\n"), 0);
    read_back("log", &out);
    sees("commands\nprint %input_1.min()\nend\n");
    sees("#> $1 = %input_1.min()");
    ck_assert_int_eq(tool("load examples/mlp.py\nset times off\nsource --check $D/log"), 0);
    ck_assert_int_eq(tool("load examples/mlp.py\nset times off\npass off cse\nedit %input_2 = "
                          "torch.sigmoid(input_1)\nsource --check $D/log"), 1);
}
END_TEST

/* An infinity that nothing outside of the fusion sees. */
static const char *const swallowed =
    "def f(x: \"f32[4, 6]\", y: \"f32[4, 6]\"):\n"
    "    a = torch.exp(x * 100)\n"
    "    b = 1 / (a + 1)\n"
    "    c = b + y\n"
    "    return (torch.relu(c),)\n";

#define FUSED "executor on c\noption fuse.min_work 0\nload $D/inf.py\nbind --random 1\n"

START_TEST(an_infinity_swallowed_inside_a_fusion_is_found)
{
    write_text("inf.py", swallowed);
    ck_assert_int_eq(tool(FUSED "continue\nwatch nan\nrun\n"
                          "list"), 0);
    sees("cFusion0(x, y)");
    sees("$1 = ");
    ck_assert_int_eq(tool(FUSED "continue\nwatch inf\nrun"),
                     1);
    sees("inf in %a[0, 2], 7 of 24 elements, made by prims.exp, line 2, inside cFusion0");
    sees("from %t0 92.5");
}
END_TEST

static const struct {
    const char *watch, *value, *sees;
} kinds[] = {
    {"nan", "[-1.0, 1.0]", "nan in %c[0], 1 of 2 elements, made by prims.log, line 4; from %x -1."},
    {"inf", "[1.0, 100.0]", "inf in %a[1], 1 of 2 elements, made by prims.exp"},
    {"denormal", "[1.0, -90.0]", " in %a[1], 1 of 2 elements"},
    {"abs>100", "[1.0, 6.0]", "403.428"},
    {"nan|inf %b", "[1.0, 100.0]", "inf in %b[1]"},
};

START_TEST(watches_find_each_kind)
{
    char text[300];
    write_text("kinds.py", "def f(x: \"f32[2]\"):\n    a = torch.exp(x)\n    b = a + 1\n"
                           "    c = torch.log(x)\n    return (b, c)\n");
    snprintf(text, sizeof text, "load $D/kinds.py\nbind 'x=%s'\nwatch %s\nrun", kinds[_i].value,
             kinds[_i].watch);
    ck_assert_int_eq(tool(text), 1);
    sees(kinds[_i].sees);
    snprintf(text, sizeof text, "load $D/kinds.py\nbind x=[0.5,1]\nwatch %s\nrun", kinds[_i].watch);
    ck_assert_int_eq(tool(text), 0);
}
END_TEST

START_TEST(watching_a_value_stops_when_it_is_made)
{
    ck_assert_int_eq(tool(MLP "watch %input_2\nrun\nprint %input_2.max()"), 0);
    sees("Watchpoint 1, %input_2 was made: ");
    sees("from %input_1 ");
}
END_TEST

START_TEST(a_check_that_cannot_be_run_blames_nothing)
{
    ck_assert_int_eq(tool("load examples/mlp.py\nbisect --check bogus"), 2);
    ck_assert_int_eq(tool("load examples/mlp.py\nminify --check bogus"), 2);
    ck_assert_int_eq(tool("load examples/mlp.py\nsweep 5=1..3 do bogus"), 2);
    ck_assert_int_eq(tool("load examples/mlp.py\nbisect --check 'compare nope'"), 0);
    sees("the check cannot tell of the last stage (3 of 3 runs)");
}
END_TEST

START_TEST(values_made_before_a_failure_can_be_looked_at)
{
    write_text("late.py", "def f(x: \"f32[2, 3]\", y: \"i64[2, 3]\"):\n    a = x * 2\n"
                          "    b = a + 1\n    w = y // 0\n    c = b * 3\n    return (c, w)\n");
    ck_assert_int_eq(tool("load $D/late.py\nbind x=3\nbind y=1\nprint %b.max() + %x.max()"), 0);
    sees("10.");
    ck_assert_int_eq(tool("load $D/late.py\nbind x=3\nbind y=1\ngoto last\nprint %y.max()"), 0);
    ck_assert_int_eq(tool("load $D/late.py\nbind x=3\nbind y=1\nprint %c"), 4);
    ck_assert_int_eq(tool("load $D/late.py\nbind x=3\nbind y=1\nrun"), 4);
}
END_TEST

START_TEST(an_option_that_nothing_reads_is_refused)
{
    static const char *const wrong[] = {"fuse.min_wrk 0", "fuse.min_work abc", "fuse.min_work -1",
                                        "fold.fast maybe", "remat.memory_budget 2", "claim.x 1"};
    static const char *const right[] = {"fuse.min_work 0", "fold.2.fast on", "remat.matmul never",
                                        "remat.matmul 100", "kernel.cc gcc", "joint.wrt x"};
    char text[100];
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        snprintf(text, sizeof text, "option %s", wrong[i]);
        ck_assert_msg(tool(text) == 2, "%s", text);
    }
    for (size_t i = 0; i < ARRAY_LEN(right); i++) {
        snprintf(text, sizeof text, "option %s", right[i]);
        ck_assert_msg(tool(text) == 0, "%s", text);
        sees(text);
    }
    ck_assert_int_eq(tool("option kernel.flags -O1"), 0);
}
END_TEST

START_TEST(a_break_on_nothing_is_refused)
{
    static const char *const wrong[] = {"watch abs>nan", "watch abs>-1", "watch abs>1e400",
                                        "break op linear if", "break op relu linear",
                                        "break op reluu", "tbreak op relu* linear*",
                                        "break op onednnFusion7"};
    char text[100];
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        snprintf(text, sizeof text, "load examples/mlp.py\n%s", wrong[i]);
        ck_assert_msg(tool(text) == 2, "%s", text);
    }
}
END_TEST

START_TEST(operators_are_broken_on_by_any_of_their_names)
{
    static const char *const names[] = {"relu", "ltorch.relu", "torch.relu", "re?u", "*.relu"};
    char text[200];
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        snprintf(text, sizeof text, "load examples/mlp.py\nbind --random\nbreak op %s\nrun\n",
                 names[i]);
        ck_assert_msg(tool(text) == 0, "%s", text);
        sees("behind this node of stage acquired");
    }
    ck_assert_int_eq(tool("executor off onednn\noption fuse.min_work 0\nload examples/block.py\n"
                          "bind --random\nbreak op cFusion*\ncontinue\nrun"), 0);
    sees("behind this node of stage plan");
}
END_TEST

/* The count of turns that libgomp says it has read, at the last start; 0 = it says none: it is
 * another OpenMP, or there is none. */
static unsigned long long spin_count(const char *name, const char *value)
{
    static const char says[] = "GOMP_SPINCOUNT = '";
    const char *at = NULL;
    unsetenv("OMP_WAIT_POLICY");
    unsetenv("GOMP_SPINCOUNT");
    setenv("OMP_DISPLAY_ENV", "verbose", 1);
    setenv(name, value, 1);
    ck_assert_int_eq(tool("version"), 0);
    for (const char *p = sb_cstr(&err); (p = strstr(p, says)); at = p)
        p += sizeof says - 1;
    return at ? strtoull(at, NULL, 10) : 0;
}

START_TEST(threads_wait_for_a_short_time)
{
    if (spin_count("GOMP_SPINCOUNT", "77") == 0 || sysconf(_SC_NPROCESSORS_ONLN) < 2)
        return;
    ck_assert_uint_eq(spin_count("GOMP_SPINCOUNT", "77"), 77); /* who says how long is heard */
    ck_assert_uint_eq(spin_count("OMP_WAIT_POLICY", "passive"), 0);
    ck_assert_uint_gt(spin_count("OMP_WAIT_POLICY", "active"), 1000000);
    unsigned long long ours = spin_count("OMP_DISPLAY_ENV", "verbose");
    ck_assert_uint_gt(ours, 100);
    ck_assert_uint_lt(ours, 100000);
}
END_TEST

START_TEST(versus_takes_passes_with_a_dash)
{
    ck_assert_int_eq(tool("load examples/mlp.py\nversus -cse --time 0.01"), 0);
    ck_assert_int_eq(tool("load examples/mlp.py\nversus . -cse --time 0.01"), 0);
    ck_assert_int_eq(tool("load examples/mlp.py\nversus -nope --time 0.01"), 2);
}
END_TEST

/* The joint trace is stage `joint`; the command's name finds it too, wherever a pass is named. */
START_TEST(the_word_grad_finds_stage_joint)
{
    ck_assert_int_eq(tool(MLP "grad all --ones\ngoto 0\ngoto grad\nstages\nlist grad+2\n"
                              "option grad.cotangents\npass grad\npeak --grad off"), 0);
    sees(">       5  joint ");
    sees("option joint.cotangents ones");
    sees("pass on joint");
    sees("with joint off");
    ck_assert_int_eq(tool(MLP "grad all\ngoto 0\nbreak pass grad\nbreak pass joint.fold\n"
                              "continue\ncontinue"), 0);
    sees("before pass joint (Joint");
    sees("before pass joint.fold (Fold)");
    ck_assert_int_eq(tool(MLP "grad all\ngoto jiont"), 2);
    ck_contains(sb_cstr(&err), "did you mean joint?");
}
END_TEST

START_TEST(an_expression_with_an_open_bracket_is_refused)
{
    ck_assert_int_eq(tool("load examples/mlp.py\nedit %input_2 = torch.sigmoid(input_1"), 2);
}
END_TEST

static Suite *suite(void)
{
    Suite *su = suite_create("debug");
    TCase *t = tcase_create("debug");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_test(t, a_check_that_cannot_be_run_blames_nothing);
    tcase_add_test(t, values_made_before_a_failure_can_be_looked_at);
    tcase_add_test(t, an_option_that_nothing_reads_is_refused);
    tcase_add_test(t, a_break_on_nothing_is_refused);
    tcase_add_test(t, operators_are_broken_on_by_any_of_their_names);
    tcase_add_test(t, threads_wait_for_a_short_time);
    tcase_add_test(t, versus_takes_passes_with_a_dash);
    tcase_add_test(t, an_expression_with_an_open_bracket_is_refused);
    tcase_add_test(t, the_word_grad_finds_stage_joint);
    tcase_add_test(t, a_break_on_a_pass_stops_before_it_and_only_once);
    tcase_add_test(t, a_break_on_a_rule_stops_before_its_application);
    tcase_add_test(t, rules_of_stages_made_earlier_stop_too);
    tcase_add_test(t, skip_leaves_out_the_application_that_was_stopped_at);
    tcase_add_test(t, dtype_changes_are_found_in_passes_and_runs);
    tcase_add_test(t, a_run_stops_goes_on_and_ends_as_without_breaks);
    tcase_add_test(t, step_goes_node_by_node_and_values_can_be_printed);
    tcase_add_test(t, what_the_run_has_not_made_is_said);
    tcase_add_loop_test(t, conditions_decide, 0, (int)ARRAY_LEN(conditions));
    tcase_add_test(t, a_bad_condition_is_an_error_with_help);
    tcase_add_loop_test(t, bad_conditions_are_refused_when_set, 0, ARRAY_LEN(bad_conditions));
    tcase_add_test(t, conditions_name_values_of_later_stages);
    tcase_add_test(t, lists_numbers_and_counts);
    tcase_add_test(t, commands_run_at_the_stop);
    tcase_add_test(t, displays_are_shown_at_stops_and_moves);
    tcase_add_test(t, saved_sessions_have_breakpoints_again);
    tcase_add_test(t, a_transcript_with_breakpoints_is_a_test);
    tcase_add_test(t, an_infinity_swallowed_inside_a_fusion_is_found);
    tcase_add_loop_test(t, watches_find_each_kind, 0, (int)ARRAY_LEN(kinds));
    tcase_add_test(t, watching_a_value_stops_when_it_is_made);
    suite_add_tcase(su, t);
    return su;
}

int main(void)
{
    return run_suite(suite());
}
