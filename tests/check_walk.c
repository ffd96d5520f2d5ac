/*
 * check_walk.c - random walks: whatever a person does in whatever order, the session holds.
 *
 * Input: small programs and a seeded choice of moves, toggles, fuel, skips, edits and executors.
 * After each: the cursor is a verified trace that runs to the results of stage 0, and the line can
 * be computed to its end.
 */
#define _DEFAULT_SOURCE
#include "session_fixture.h"

static uint64_t state;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

static void toggle(Program *p)
{
    uint32_t slot = below(program_slot_count(p));
    if (program_slot(p, slot)->pass->when >= WHEN_training)
        return; /* gives another program */
    program_slot_set(s, p, slot, !program_slot(p, slot)->on, &d);
}

static void limit_fuel(Program *p)
{
    uint32_t slot = below(program_slot_count(p));
    program_slot_fuel(s, p, slot, below(3) ? UINT64_MAX : below(6), &d);
}

static void edit(Program *p)
{
    StrBuf text = {0};
    trace_print(program_cursor(p)->trace, &print_all, &text);
    ck_assert_ptr_nonnull(program_edit(s, p, sb_str(&text), &d));
    sb_free(&text);
}

static void executors(void)
{
    ExecList l = *session_executors(s);
    for (uint32_t i = 0; i < l.n; i++)
        if (str_is(str_from(l.items[i]->name), "null"))
            l.on[i] = false;
    exec_move(&l, below(l.n), below(l.n));
    session_set_executors(s, &l);
}

/* A refusal is an answer too; a failure of a pass is not. */
static void only_refusals(void)
{
    StrBuf b = {0};
    for (const DiagItem *i = d.first; i; i = i->next)
        if (i->severity == SEV_error && i->kind != DIAG_usage)
            diag_render(i, false, &b);
    ck_assert_msg(b.n == 0, "%s", sb_cstr(&b));
    sb_free(&b);
    diag_clear(&d);
}

static void one_move(Program *p)
{
    uint32_t count = program_slot_count(p);
    switch (below(14)) {
    case 0:
        toggle(p);
        break;
    case 1:
        program_slot_move(s, p, below(count), below(count), &d);
        break;
    case 2:
        limit_fuel(p);
        break;
    case 3:
        program_slot_skip(s, p, below(count), below(5), below(2), &d);
        break;
    case 4:
        edit(p);
        break;
    case 5:
        executors();
        break;
    case 6:
        program_skip(s, p, &d);
        break;
    case 7:
        program_next(s, p, 1 + below(3), &d);
        break;
    case 8:
        program_back(s, p, 1 + below(4), &d);
        break;
    case 9:
        program_forward(s, p, 1 + below(3), &d);
        break;
    case 10:
        program_goto(s, p, program_stage(s, p, below(program_stage_count(p)), &d), &d);
        break;
    case 11:
        session_set_option(s, below(2) ? S("fold.fast") : S("cse.none"),
                           below(2) ? S("on") : S("off"), &d);
        break;
    default:
        program_step(s, p, 1 + below(4), &d);
        break;
    }
}

static void check_results(Program *p, const Stage *st, const Run *want)
{
    Run got;
    ck_assert(session_run(s, p, st, NULL, &got, &d));
    ck_assert_uint_eq(got.noutputs, want->noutputs);
    for (uint32_t i = 0; i < got.noutputs; i++)
        ck_assert(tensor_compare(got.outputs[i], want->outputs[i], 1e-4, 1e-5).equal);
    run_free(&got);
}

static void walk(Program *p, uint32_t moves)
{
    Run want;
    ck_assert(program_bind_random(s, p, 5, &d));
    ck_assert(session_run(s, p, program_root(p), NULL, &want, &d));
    for (uint32_t i = 0; i < moves; i++) {
        one_move(p);
        only_refusals();
        const Stage *at = program_cursor(p);
        ck_assert_ptr_nonnull(at);
        ck_assert_int_eq(at->partial, program_cursor_rule(p) > 0);
        ck_assert(trace_verify(at->trace, &d));
        check_results(p, at, &want);
        Stage *last = program_find_stage(s, p, S("last"), &d);
        ck_assert_ptr_nonnull(last);
        ck_assert_uint_eq(last->position + 1, program_stage_count(p));
        check_results(p, last, &want);
        only_refusals();
    }
    run_free(&want);
    ck_assert_uint_gt(session_log(s)->n, 100); /* the walk went somewhere */
}

START_TEST(a_random_walk_holds)
{
    state = (uint64_t)_i * 7919 + 1;
    Program *p = _i % 4 == 0   ? load_text(simple)
                 : _i % 4 == 1 ? load_case(CASES "layernorm.fw00.py")
                 : _i % 4 == 2 ? load_case(CASES "alias.py")
                               : load_case(CASES "random.py");
    uint32_t n = session_program_count(s);
    if (n > 1)
        p = session_program(s, (uint32_t)_i % n);
    walk(p, 150);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("walk");
    TCase *tc = tcase_create("session");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, a_random_walk_holds, 0, 24);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
