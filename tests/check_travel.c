/*
 * check_travel.c - time travel: going back, editing and going on again is the same as an edit in a
 * fresh session, at every stage; the old line stays as it was.
 */
#define _DEFAULT_SOURCE
#include "support.h"

#include "session_fixture.h"

static const char *const program =
    "def f(x: \"f32[40, 30]\", y: \"f32[30]\"):\n"
    "    a = torch.exp(x)\n    b = a * y\n    c = b + 1\n    d = c.sum(-1)\n"
    "    e = torch.nn.functional.linear(b, c)\n    return (d, e)\n";

static void use(const char *executors)
{
    ExecList l;
    ck_assert(exec_parse_list(session_executors(s), str_from(executors), &l, &d));
    ck_assert(session_set_executors(s, &l));
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
}

static Program *fresh(void)
{
    Program *p = load_text(program);
    ck_assert(program_bind_random(s, p, 3, &d));
    no_errors();
    return p;
}

/* The stage's text with another function in the place of exp, also inside a fusion. */
static void edited_text(const Stage *st, StrBuf *out)
{
    StrBuf text = {0};
    trace_print(st->trace, &print_all, &text);
    const char *at = strstr(text.p, ".exp(");
    ck_assert_msg(at != NULL, "%s", text.p);
    while (at) { /* a composite and its decomposition */
        sb_add(out, (Str){text.p, (size_t)(at - text.p)});
        sb_puts(out, ".sin(");
        Str rest = str_from(at + 5);
        StrBuf left = {0};
        sb_add(&left, rest);
        sb_free(&text);
        text = left;
        at = strstr(text.p, ".exp(");
    }
    sb_add(out, sb_str(&text));
    sb_free(&text);
}

static Run run_last(Program *p)
{
    Run run;
    const Stage *last = program_find_stage(s, p, S("last"), &d);
    no_errors();
    bool ran = session_run(s, p, last, NULL, &run, &d);
    no_errors();
    ck_assert(ran);
    return run;
}

static bool same(const Run *a, const Run *b)
{
    bool equal = a->noutputs == b->noutputs;
    for (uint32_t i = 0; i < a->noutputs && equal; i++)
        equal = tensor_compare(a->outputs[i], b->outputs[i], 0, 0).equal;
    return equal;
}

/* Edits the stage at a position and goes on to the end. */
static Run edit_and_resume(Program *p, uint32_t position)
{
    StrBuf text = {0};
    Stage *st = program_stage(s, p, position, &d);
    ck_assert_int_eq(program_goto(s, p, st, &d), STEP_moved);
    edited_text(program_cursor(p), &text);
    ck_assert_ptr_nonnull(program_edit(s, p, sb_str(&text), &d));
    no_errors();
    StepResult how = program_continue(s, p, &d);
    ck_assert(how == STEP_moved || how == STEP_at_end);
    sb_free(&text);
    return run_last(p);
}

static void travel(uint32_t position)
{
    Program *p = fresh();
    ck_assert_int_eq(program_continue(s, p, &d), STEP_moved);
    Run plain = run_last(p);
    Stage *old = program_cursor(p);
    ck_assert_int_eq(program_back(s, p, 1, &d), STEP_moved);
    Run there_and_back = edit_and_resume(p, position);
    ck_assert_msg(!same(&plain, &there_and_back), "the edit changed nothing at %u", position);

    Program *q = fresh();
    Run straight = edit_and_resume(q, position);
    ck_assert_msg(same(&there_and_back, &straight), "stage %u", position);

    ck_assert_int_eq(program_goto(s, p, old, &d), STEP_moved); /* the old line is still there */
    Run again;
    ck_assert(session_run(s, p, old, NULL, &again, &d));
    ck_assert(same(&plain, &again));
    run_free(&plain);
    run_free(&there_and_back);
    run_free(&straight);
    run_free(&again);
    session_unload(s, p);
    session_unload(s, q);
}

START_TEST(back_edit_and_resume_is_a_fresh_run_with_that_edit)
{
    use(_i ? "c,interp" : "interp");
    Program *p = fresh();
    uint32_t n = program_stage_count(p);
    ck_assert_ptr_nonnull(program_find_stage(s, p, S("last"), &d));
    session_unload(s, p);
    for (uint32_t k = 0; k < n; k++)
        travel(k);
}
END_TEST

/* Inside a pass, too: any number of rules, back, an edit, and on. */
START_TEST(an_edit_inside_a_pass_goes_on)
{
    use("interp");
    for (uint64_t rules = 1; rules < 12; rules += 3) {
        Program *p = fresh(), *q = fresh();
        Run runs[2];
        Program *both[2] = {p, q};
        for (int i = 0; i < 2; i++) {
            StrBuf text = {0};
            session_select(s, both[i]);
            if (i == 0) {
                ck_assert_int_eq(program_continue(s, p, &d), STEP_moved);
                ck_assert_int_eq(program_back(s, p, 1, &d), STEP_moved);
            }
            ck_assert_int_eq(program_step(s, both[i], rules, &d), STEP_moved);
            edited_text(program_cursor(both[i]), &text);
            ck_assert_ptr_nonnull(program_edit(s, both[i], sb_str(&text), &d));
            runs[i] = run_last(both[i]);
            sb_free(&text);
        }
        ck_assert(same(&runs[0], &runs[1]));
        run_free(&runs[0]);
        run_free(&runs[1]);
    }
}
END_TEST

/* A recorded model: every stage that a person can stand on gives PyTorch's values. */
START_TEST(every_stage_gives_what_was_recorded)
{
    static const char *const models[] = {CASES "mlp.dynamo.py", CASES "layernorm.fw00.py",
                                         CASES "alias.py"};
    Str path = str_from(models[_i]);
    ReplayOptions o = {.all_stages = true, .rtol = -1, .atol = -1};
    ReplayResult r;
    ck_assert(session_replay(s, &path, 1, &o, &r, &d));
    ck_assert_uint_eq(r.failed, 0);
    ck_assert_uint_gt(r.passed, 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *su = suite_create("travel");
    TCase *t = tcase_create("travel");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, back_edit_and_resume_is_a_fresh_run_with_that_edit, 0, 2);
    tcase_add_test(t, an_edit_inside_a_pass_goes_on);
    tcase_add_loop_test(t, every_stage_gives_what_was_recorded, 0, 3);
    suite_add_tcase(su, t);
    return su;
}

int main(void)
{
    return run_suite(suite());
}
