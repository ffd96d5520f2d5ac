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

/* The joined program as it is and behind all passes, with more or less that is computed again. */
static const struct {
    const char *stage, *before;
} variants[] = {
    {"0", ""},
    {"split", ""},
    {"remat", ""},
    {"last", ""},
    {"last", "prepare = function(step) step:enable('remat', false) end"},
    {"last", "prepare = function(step)\n"
             "  step:enable('remat', false) step:enable('split', false)\n"
             "end"},
    {"remat", "thunder.option('remat.memory_budget', 0)"},
    {"last", "thunder.option('remat.memory_budget', 0)"},
    {"last", "thunder.option('remat.memory_budget', 0.3) thunder.option('remat.matmul', 1e9)"},
};

/* Runs train_step.lua; the programs of the steps stay in the session. */
static void train(const char *stage, const char *before)
{
    StrBuf said = {0}, code = {0};
    Script *sc = script_new(s, keep, &said);
    sb_printf(&code, "root, stage = '%s', '%s' %s", SOURCE_DIR, stage, before);
    script_run(sc, sb_str(&code), S("check_train"), &d);
    script_run_file(sc, TEST_DIR "/train_step.lua", &d);
    no_errors();
    ck_assert_str_eq(sb_cstr(&said), "18\n");
    script_free(sc);
    sb_free(&said);
    sb_free(&code);
}

START_TEST(three_steps_are_pytorchs)
{
    train(variants[_i].stage, variants[_i].before);
}
END_TEST

static Program *next_step(uint32_t *i)
{
    while (*i < session_program_count(s)) {
        Program *p = session_program(s, (*i)++);
        if (str_starts(program_name(p), "train_step"))
            return p;
    }
    return NULL;
}

static Stage *stage_of(Program *p, const char *name)
{
    Stage *st = program_find_stage(s, p, str_from(name), &d);
    no_errors();
    return st;
}

static void same(Tensor *const *a, Tensor *const *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        ck_assert(tensor_compare(a[i], b[i], 0, 0).equal);
}

/* A stage as a whole, and its parts one after the other: the loss is all that forward returns. */
static void check_parts(Program *p, const Stage *st)
{
    const Trace *t = st->trace;
    Run whole, forward, backward;
    Tensor *inputs[100];
    ck_assert_uint_lt(t->ninputs, ARRAY_LEN(inputs));
    for (uint32_t i = 0; i < t->ninputs; i++)
        inputs[i] = program_binding(p, t->inputs[i]);
    ck_assert(session_run(s, p, st, NULL, &whole, &d));
    ck_assert(trace_run_parts(s, t, inputs, &forward, &backward, &d));
    ck_assert_uint_gt(forward.noutputs, 1);
    ck_assert_uint_eq(backward.noutputs + 1, whole.noutputs);
    same(forward.outputs, whole.outputs, 1);
    same(backward.outputs, whole.outputs + 1, backward.noutputs);
    run_free(&whole);
    run_free(&forward);
    run_free(&backward);
}

START_TEST(the_parts_of_a_step_give_what_it_gives)
{
    static const char *const stages[] = {"split", "remat", "last"};
    uint32_t i = 0, steps = 0;
    train("last", "prepare = function(step) step:enable('join', false) end");
    for (Program *p = next_step(&i); p; p = next_step(&i), steps++)
        for (size_t k = 0; k < ARRAY_LEN(stages); k++)
            check_parts(p, stage_of(p, stages[k]));
    ck_assert_uint_eq(steps, 3);
}
END_TEST

/* As commands: the program of the update has the optimizer's state as inputs of its own. */
START_TEST(the_parts_of_a_step_are_programs)
{
    uint32_t i = 0;
    train("last", "");
    Program *p = next_step(&i), *forward = program_parts(s, p, stage_of(p, "remat"), &d);
    no_errors();
    Program *backward = session_program(s, session_program_count(s) - 1);
    Run whole, first, second;
    ck_assert(session_run(s, p, stage_of(p, "last"), NULL, &whole, &d));
    ck_assert(session_run(s, forward, stage_of(forward, "last"), NULL, &first, &d));
    ck_assert(session_run(s, backward, stage_of(backward, "last"), NULL, &second, &d));
    no_errors();
    same(first.outputs, whole.outputs, 1);
    same(second.outputs, whole.outputs + 1, second.noutputs);
    ck_assert(trace_find_value(program_root(backward)->trace, S("lr")) != 0);
    ck_assert_ptr_null(program_parts(s, p, stage_of(p, "0"), &d));
    ck_assert_str_eq(d.first->code, "not-split");
    run_free(&whole);
    run_free(&first);
    run_free(&second);
}
END_TEST

static int64_t kept(const Stage *st)
{
    Saved *list;
    int64_t bytes = 0;
    uint32_t n = trace_saved(st->trace, &list);
    for (uint32_t i = 0; i < n; i++)
        if (st->trace->values[list[i].v].producer != NO_NODE)
            bytes += list[i].bytes;
    free(list);
    return bytes;
}

static int64_t most(const Stage *st)
{
    Peak k = trace_peak(st->trace);
    int64_t bytes = k.most;
    peak_free(&k);
    return bytes;
}

START_TEST(rematerialisation_acts_on_the_step)
{
    Script *sc = script_new(s, keep, &(StrBuf){0});
    script_run(sc, S("local train_step = dofile('" SOURCE_DIR "/examples/train_step.lua')\n"
                     "train_step(thunder.load('" SOURCE_DIR "/examples/tiny_gpt.py'),\n"
                     "           '" SOURCE_DIR "/examples/adamw.py'):select()"),
               S("check_train"), &d);
    no_errors();
    script_free(sc);
    Program *p = session_current(s);
    ck_assert(session_set_option(s, S("remat.price"), S("0.0625"), &d));
    int64_t before = kept(stage_of(p, "split")), after = kept(stage_of(p, "remat"));
    ck_assert_int_gt(after, 0);
    ck_assert_int_lt(after, before * 2 / 3);
    int64_t with = most(stage_of(p, "last"));
    int slot = program_find_slot(p, S("remat"));
    ck_assert_int_lt(with, most(program_what_if(s, p, (uint32_t)slot, false, &d)));
    ck_assert(session_set_option(s, S("remat.memory_budget"), S("0"), &d));
    ck_assert_int_lt(kept(stage_of(p, "remat")), after);
    ck_assert_ptr_null(program_find_stage(s, p, S("joint"), &d));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("train");
    TCase *c = tcase_create("train");
    suite_add_tcase(suite, c);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, three_steps_are_pytorchs, 0, (int)ARRAY_LEN(variants));
    tcase_add_test(c, the_parts_of_a_step_give_what_it_gives);
    tcase_add_test(c, the_parts_of_a_step_are_programs);
    tcase_add_test(c, rematerialisation_acts_on_the_step);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
