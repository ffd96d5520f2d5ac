/*
 * check_device.c - what tensors on a device promise: they move when somebody looks, repeated runs
 * are played as one piece, memory is given back, and a failing kernel is named.
 *
 * Input: a driver's library without a GPU (fake/fake_cuda.c), and an executor here that negates
 * on it. The second half of what runs on a GPU is tested on one, by tests/gpu.
 */
#include "support.h"

#include "session_fixture.h"

#include "fake/fake_cuda.h"
#include "negate.h"

#include <dlfcn.h>
#include <math.h>

static FakeCuda *fake;

/* ------------------------------------------------------------------------------------ a session */

static void setup_device(void)
{
    void *lib = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(lib != NULL, "%s", dlerror());
    fake = dlsym(lib, "fake_cuda");
    ck_assert_ptr_nonnull(fake);
    ExecList all, l;
    executors_default(&all);
    const Executor *interp = exec_find(&all, S("interp"));
    l = (ExecList){.items = {&exec_negate, interp}, .on = {true, true}, .n = 2};
    s = session_new(&l);
    d = (Diag){0};
    ck_assert(session_set_option(s, S("kernel.cuda_driver"), S(FAKE_CUDA), &d));
    ck_assert(session_set_option(s, S("kernel.cuda"), S(FAKE_LIBRARIES), &d));
}

static void teardown_device(void)
{
    session_free(s);
    diag_clear(&d);
    ck_assert_int_eq(fake->wrong, 0);
    ck_assert_int_eq(fake->blocks, 0);
    ck_assert_int_eq(fake->pinned, 0);
    ck_assert_int_eq(fake->streams, 0);
    ck_assert_int_eq(fake->events, 0);
    ck_assert_int_eq(fake->graphs, 0);
    ck_assert_int_eq(fake->contexts, 0);
}

static Program *bound(const char *text)
{
    Program *p = load_text(text);
    ck_assert(program_bind_random(s, p, 1, &d));
    return p;
}

static bool run_last(Program *p, bool whole, Run *run)
{
    Stage *st = program_find_stage(s, p, S("last"), &d);
    ck_assert_ptr_nonnull(st);
    return session_run(s, p, st, &(RunOptions){.whole = whole}, run, &d);
}

/* The same values, or none in both. */
static void check_same(const Tensor *got, const Tensor *want)
{
    ck_assert(!got == !want);
    ck_assert(!got || tensor_compare(got, want, 0, 0).equal);
}

/* Runs it and compares with the interpreter alone. */
static void check_run(Program *p, bool whole)
{
    Run run, want;
    ExecList interp = {.items = {session_executors(s)->items[1]}, .on = {true}, .n = 1};
    bool good = run_last(p, whole, &run);
    no_errors();
    ck_assert(good);
    ck_assert(session_run(s, p, program_root(p), &(RunOptions){.executors = &interp}, &want, &d));
    no_errors();
    for (uint32_t i = 0; i < want.noutputs; i++)
        check_same(run.outputs[i], want.outputs[i]);
    for (uint32_t i = 0; i < want.t->ninputs; i++)
        check_same(run.mutated[i], want.mutated[i]);
    run_free(&run);
    run_free(&want);
}

static const char *const chain = "def f(x: \"f32[4, 8]\"):\n"
                                 "    a = -x\n"
                                 "    b = -a\n"
                                 "    c = -b\n"
                                 "    return (c,)\n";

/* What fold would make of it is not meant here. */
static Program *unfolded(const char *text)
{
    Program *p = bound(text);
    ck_assert(program_slot_set(s, p, (uint32_t)program_find_slot(p, S("fold")), false, &d));
    return p;
}

static Program *plain_chain(void)
{
    return unfolded(chain);
}

START_TEST(no_device_is_touched_before_it_is_needed)
{
    Program *p = plain_chain();
    ck_assert_ptr_nonnull(program_find_stage(s, p, S("last"), &d));
    ck_assert_int_eq(fake->contexts, 0);
    check_run(p, false);
    ck_assert_int_eq(fake->contexts, 1);
}
END_TEST

/* What a device can compute in parts does not go to the host because that takes it whole. */
START_TEST(composites_are_opened_for_a_device_that_comes_first)
{
    ExecList l = *session_executors(s);
    l.items[2] = l.items[1];
    l.items[1] = &exec_whole;
    l.on[2] = true;
    l.n = 3;
    ck_assert(session_set_executors(s, &l));
    Program *p = plain_chain();
    const Trace *t = program_find_stage(s, p, S("last"), &d)->trace;
    no_errors();
    uint32_t there = 0;
    for_top(t, n)
        there += t->nodes[n].executor && strcmp(t->nodes[n].executor, "negate") == 0;
    ck_assert_uint_eq(there, 3);
    exec_move(&l, 1, 0); /* the host first: it is asked first */
    ck_assert(session_set_executors(s, &l));
    t = program_find_stage(s, p, S("claim"), &d)->trace;
    for_top(t, n)
        ck_assert(!t->nodes[n].executor || strcmp(t->nodes[n].executor, "negate") != 0);
}
END_TEST

START_TEST(a_value_moves_once)
{
    Program *p = plain_chain();
    int before = fake->downloads, sent = fake->uploads;
    Run run;
    for (int i = 0; i < 3; i++) {
        ck_assert(run_last(p, false, &run));
        if (i == 2) {
            ck_assert_int_eq(fake->downloads, before);
            element(run.outputs[0], 0);
            element(run.outputs[0], 1);
        }
        run_free(&run);
    }
    no_errors();
    ck_assert_int_eq(fake->uploads, sent + 1);
    ck_assert_int_eq(fake->downloads, before + 1);
}
END_TEST

/* Large ones go in chunks, through several threads. */
START_TEST(large_tensors_move_whole)
{
    Program *p = unfolded("def f(x: \"f32[4099, 2053]\"):\n    return (-x,)\n");
    int sent = fake->uploads, fetched = fake->downloads;
    Run run;
    for (int i = 0; i < 3; i++) {
        Tensor *x = program_binding(p, value(p, "x"));
        float *in = tensor_data(x);
        for (int64_t k = 0; k < tensor_numel(x); k++)
            in[k] = (float)(k % 9973 + i);
        ck_assert(run_last(p, false, &run));
        const float *out = tensor_read(run.outputs[0]);
        int64_t wrong = 0;
        for (int64_t k = 0; k < tensor_numel(x); k++)
            wrong += out[k] != -(float)(k % 9973 + i);
        ck_assert_int_eq(wrong, 0);
        run_free(&run);
    }
    no_errors();
    ck_assert_int_ge(fake->uploads, sent + 3 * 8);
    ck_assert_int_ge(fake->downloads, fetched + 3 * 8);
}
END_TEST

START_TEST(the_host_computes_in_between)
{
    check_run(bound("def f(x: \"f32[4, 8]\"):\n"
                    "    a = -x\n"
                    "    b = a.exp()\n"
                    "    c = -b\n"
                    "    e = c.transpose(0, 1) + a.transpose(0, 1)\n"
                    "    return (e, -b, x)\n"), false);
}
END_TEST

START_TEST(writes_of_the_host_are_sent_again)
{
    Program *p = plain_chain();
    check_run(p, false);
    Tensor *x = program_binding(p, value(p, "x"));
    elem_set_f64(tensor_data(x), x->dtype, 17);
    check_run(p, false);
    Run run;
    ck_assert(run_last(p, false, &run));
    ck_assert(element(run.outputs[0], 0) == -17);
    run_free(&run);
}
END_TEST

START_TEST(repeated_runs_are_played)
{
    Program *p = plain_chain();
    for (int i = 0; i < 6; i++)
        check_run(p, true);
    ck_assert_int_ge(fake->plays, 3);
    int launches = fake->launches;
    check_run(p, true);
    ck_assert_int_eq(fake->launches, launches);
    Tensor *x = program_binding(p, value(p, "x"));
    elem_set_f64(tensor_data(x), x->dtype, -3);
    check_run(p, true);
    ck_assert_int_eq(fake->launches, launches);
}
END_TEST

START_TEST(results_that_are_held_are_not_overwritten)
{
    Program *p = plain_chain();
    for (int i = 0; i < 4; i++)
        check_run(p, true);
    Run first, second;
    ck_assert(run_last(p, true, &first));
    Tensor *x = program_binding(p, value(p, "x"));
    double was = element(x, 0);
    elem_set_f64(tensor_data(x), x->dtype, was + 1);
    ck_assert(run_last(p, true, &second));
    no_errors();
    ck_assert(element(first.outputs[0], 0) == -was);
    ck_assert(element(second.outputs[0], 0) == -(double)(float)(was + 1));
    int launches = fake->launches, plays = fake->plays; /* what is held is moved out of the way */
    for (int i = 0; i < 5; i++)
        check_run(p, true);
    ck_assert_int_eq(fake->launches, launches);
    ck_assert_int_eq(fake->plays, plays + 5);
    ck_assert(element(first.outputs[0], 0) == -was);
    ck_assert(element(second.outputs[0], 0) == -(double)(float)(was + 1));
    run_free(&first);
    run_free(&second);
}
END_TEST

START_TEST(other_inputs_are_recorded_again)
{
    Program *p = plain_chain();
    for (int i = 0; i < 5; i++)
        check_run(p, true);
    ck_assert(program_bind_random(s, p, 2, &d));
    Tensor *other = tensor_clone(program_binding(p, value(p, "x")));
    elem_set_f64(tensor_data(other), other->dtype, 5);
    ck_assert(program_bind_tensor(p, S("x"), other, &d));
    tensor_unref(other);
    int plays = fake->plays;
    for (int i = 0; i < 5; i++)
        check_run(p, true);
    ck_assert_int_gt(fake->plays, plays);
}
END_TEST

static const char *const writer = "def f(x: \"f32[4, 8]\", y: \"f32[4, 8]\"):\n"
                                  "    a = -x\n"
                                  "    b = -a\n"
                                  "    y.copy_(-b)\n"
                                  "    x.neg_()\n"
                                  "    return (x, b)\n";

/* What was bound stays as it is; the new contents are results. */
START_TEST(runs_that_write_inputs_are_played)
{
    Program *p = unfolded(writer);
    Tensor *x = program_binding(p, value(p, "x")), *was = tensor_clone(x);
    for (int i = 0; i < 7; i++)
        check_run(p, true);
    ck_assert_int_ge(fake->plays, 3);
    int launches = fake->launches, plays = fake->plays, sent = fake->uploads;
    check_run(p, true);
    ck_assert_int_eq(fake->uploads, sent);
    ck_assert(tensor_compare(x, was, 0, 0).equal);
    elem_set_f64(tensor_data(x), x->dtype, 23);
    check_run(p, true);
    ck_assert_int_eq(fake->launches, launches);
    ck_assert_int_eq(fake->plays, plays + 2);
    tensor_unref(was);
}
END_TEST

/* Each run gets what the run before has written, twice in a row. */
START_TEST(written_inputs_that_are_bound_again_are_read)
{
    Program *p = unfolded(writer);
    double was = element(program_binding(p, value(p, "x")), 3);
    for (int i = 0; i < 12; i++) {
        Run run;
        int launches = fake->launches; /* from step 6 on nothing is launched any more */
        for (int again = 0; i < 6 && again < 4 * (i == 5) + 1; again++)
            check_run(p, true);
        ck_assert(run_last(p, true, &run));
        ck_assert_msg(i < 6 || fake->launches == launches, "run %d", i);
        ck_assert(element(run.mutated[0], 3) == (i % 2 ? was : -was));
        ck_assert(element(run.mutated[1], 3) == (i % 2 ? was : -was));
        ck_assert(program_bind_tensor(p, S("x"), run.mutated[0], &d));
        ck_assert(program_bind_tensor(p, S("y"), run.mutated[1], &d));
        run_free(&run);
    }
    ck_assert_int_ge(fake->plays, 8);
}
END_TEST

START_TEST(written_inputs_that_are_held_are_not_overwritten)
{
    Program *p = unfolded(writer);
    for (int i = 0; i < 5; i++)
        check_run(p, true);
    Run first, second;
    int plays = fake->plays;
    ck_assert(run_last(p, true, &first));
    ck_assert_int_eq(fake->plays, plays + 1);
    Tensor *x = program_binding(p, value(p, "x")), *held = tensor_ref(first.mutated[1]);
    double was = element(x, 0);
    run_free(&first);
    elem_set_f64(tensor_data(x), x->dtype, 29);
    ck_assert(run_last(p, true, &second));
    no_errors();
    ck_assert_int_eq(fake->plays, plays + 2);
    ck_assert(element(held, 0) == -was);
    ck_assert(element(second.mutated[1], 0) == -29);
    ck_assert(element(second.outputs[0], 0) == -29);
    run_free(&second);
    tensor_unref(held);
    check_run(p, true);
    ck_assert_int_eq(fake->plays, plays + 3);
}
END_TEST

/* A view of an input shows what is written later: then the write needs the storage. */
START_TEST(views_show_what_is_written)
{
    check_run(plain_chain(), true);
    Program *p = bound("def f(x: \"f32[4, 8]\"):\n"
                       "    v = prims.transpose(x, (1, 0))\n"
                       "    a = prims.neg(x)\n"
                       "    b = prims.copy_(a, x)\n"
                       "    return (v, b)\n");
    Tensor *x = program_binding(p, value(p, "x"));
    for (int i = 0; i < 5; i++) {
        Run run;
        ck_assert(session_run(s, p, program_root(p), &(RunOptions){.whole = true}, &run, &d));
        no_errors();
        ck_assert(element(run.outputs[0], 1) == -element(x, 8));
        ck_assert(element(run.outputs[1], 8) == -element(x, 8));
        ck_assert(element(run.mutated[0], 8) == -element(x, 8));
        run_free(&run);
    }
}
END_TEST

/* Five launches, a statement of the host, four, another one, and too few to record. */
static const char *const parts = "def f(x: \"f32[4, 8]\"):\n"
                                 "    a = -x\n"
                                 "    b = -a\n"
                                 "    v = b.transpose(0, 1)\n"
                                 "    c = -b\n"
                                 "    e = -c\n"
                                 "    g = -e\n"
                                 "    h = g.exp()\n"
                                 "    i = -h\n"
                                 "    j = -i\n"
                                 "    k = -j\n"
                                 "    l = -k\n"
                                 "    m = l.sin() + h + v.transpose(0, 1)\n"
                                 "    n = -m\n"
                                 "    return (n, -n, l, h, v)\n";

START_TEST(parts_between_statements_of_the_host_are_played)
{
    Program *p = unfolded(parts);
    for (int i = 0; i < 4; i++)
        check_run(p, true);
    ck_assert_int_ge(fake->plays, 2);
    for (int i = 0; i < 6; i++) {
        int launches = fake->launches, plays = fake->plays;
        check_run(p, true);
        ck_assert_int_eq(fake->plays, plays + 2);
        ck_assert_int_eq(fake->launches, launches + 2);
        Tensor *x = program_binding(p, value(p, "x"));
        elem_set_f64(tensor_data(x), x->dtype, i * 0.25);
    }
    int plays = fake->plays; /* other inputs: nothing of the old ones is read */
    ck_assert(program_bind_random(s, p, 2, &d));
    Tensor *other = tensor_clone(program_binding(p, value(p, "x")));
    elem_set_f64(tensor_data(other), other->dtype, 5);
    ck_assert(program_bind_tensor(p, S("x"), other, &d));
    tensor_unref(other);
    check_run(p, true);
    check_run(p, true);
    ck_assert_int_eq(fake->plays, plays);
    check_run(p, true);
    check_run(p, true);
    ck_assert_int_eq(fake->plays, plays + 4);
    check_run(p, false);
    check_run(p, true);
    ck_assert_int_eq(fake->plays, plays + 6);
}
END_TEST

/* What somebody holds of an earlier run stays; the parts that would write it run plainly. */
START_TEST(results_of_parts_that_are_held_are_not_overwritten)
{
    Program *p = unfolded(parts);
    Run runs[5];
    for (int i = 0; i < 4; i++)
        check_run(p, true);
    Tensor *x = program_binding(p, value(p, "x"));
    for (int i = 0; i < 5; i++) {
        elem_set_f64(tensor_data(x), x->dtype, i * 0.5);
        ck_assert(run_last(p, true, &runs[i]));
        no_errors();
    }
    for (int i = 0; i < 5; i++) {
        double h = element(runs[i].outputs[3], 0), v = (double)(float)exp(-i * 0.5);
        ck_assert_msg(fabs(h - v) <= 1e-6 * v, "run %d: %g, not %g", i, h, v);
        ck_assert(element(runs[i].outputs[2], 0) == h);
        ck_assert(element(runs[i].outputs[4], 0) == i * 0.5);
        ck_assert(element(runs[i].outputs[0], 0) == -element(runs[i].outputs[1], 0));
    }
    for (int i = 0; i < 5; i++)
        run_free(&runs[i]);
    int plays = fake->plays;
    check_run(p, true);
    ck_assert_int_eq(fake->plays, plays + 2);
}
END_TEST

/* The statement that writes an input stands between parts. */
START_TEST(parts_and_written_inputs_go_together)
{
    Program *p = unfolded("def f(x: \"f32[4, 8]\", y: \"f32[4, 8]\"):\n"
                          "    a = -x\n"
                          "    b = -a\n"
                          "    c = -b\n"
                          "    e = -c\n"
                          "    h = e.exp()\n"
                          "    i = -h\n"
                          "    j = -i\n"
                          "    k = -j\n"
                          "    l = -k\n"
                          "    y.copy_(l)\n"
                          "    x.copy_(h)\n"
                          "    return (a, y)\n");
    for (int i = 0; i < 9; i++) {
        check_run(p, true);
        Tensor *x = program_binding(p, value(p, "x"));
        elem_set_f64(tensor_data(x), x->dtype, i * 0.25);
    }
    ck_assert_int_ge(fake->plays, 12);
    int plays = fake->plays;
    for (int i = 0; i < 4; i++) { /* each run gets what the run before has written */
        Run run;
        check_run(p, true);
        ck_assert(run_last(p, true, &run));
        ck_assert(program_bind_tensor(p, S("x"), run.mutated[0], &d));
        ck_assert(program_bind_tensor(p, S("y"), run.mutated[1], &d));
        run_free(&run);
    }
    ck_assert_int_ge(fake->plays, plays + 4);
}
END_TEST

static uint32_t next_random(uint32_t *state, uint32_t n)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % n;
}

/* Rows of negations with statements of the host, views and writes of inputs in between. */
static void random_program(uint32_t seed, StrBuf *out)
{
    bool view[48] = {false};
    uint32_t n = 2, state = seed;
    sb_puts(out, "def f(v0: \"f32[8, 8]\", v1: \"f32[8, 8]\"):\n");
    while (n < 40) {
        uint32_t a = n - 1 - next_random(&state, n < 5 ? n : 5), what = next_random(&state, 24);
        if (what == 0 && !view[a])
            sb_printf(out, "    v%u.copy_(v%u * 2)\n", next_random(&state, 2), a);
        else if (what == 1)
            sb_printf(out, "    v%u.neg_()\n", next_random(&state, 2));
        else if (what == 2)
            view[n] = true, sb_printf(out, "    v%u = v%u.transpose(0, 1)\n", n, a), n++;
        else if (view[a] && what % 2)
            sb_printf(out, "    v%u = v%u.reshape(4, 16).reshape(8, 8)\n", n, a), n++;
        else if (what <= 4 || view[a])
            sb_printf(out, "    v%u = v%u.sin()\n", n, a), n++;
        else if (what == 5)
            sb_printf(out, "    v%u = v%u + v%u\n", n, a, n - 1), n++;
        else
            sb_printf(out, "    v%u = -v%u\n", n, a), n++;
    }
    uint32_t last[] = {39, 2 + next_random(&state, 37), 2 + next_random(&state, 37)};
    sb_printf(out, "    return (v%u, v%u, v%u, v0)\n", last[0], last[1], last[2]);
}

static void check_repeated_runs(void)
{
    StrBuf text = {0};
    int plays = fake->plays;
    for (uint32_t seed = 1; seed <= 80; seed++) {
        sb_clear(&text);
        random_program(seed, &text);
        Program *p = unfolded(sb_cstr(&text));
        Run held = {0};
        for (int i = 0; i < 9; i++) {
            check_run(p, i != 6);
            Tensor *x = program_binding(p, value(p, i % 2 ? "v0" : "v1"));
            if (i != 2 && i != 3)
                elem_set_f64(tensor_data(x), x->dtype, i * 0.25 + seed);
            if (i >= 5 && seed % 2) { /* other tensors */
                x = tensor_clone(x);
                ck_assert(program_bind_tensor(p, i % 2 ? S("v0") : S("v1"), x, &d));
                tensor_unref(x);
            }
            if (i == 5)
                ck_assert(run_last(p, true, &held));
            if (i == 7)
                run_free(&held);
        }
    }
    ck_assert_int_ge(fake->plays, plays + 200);
    sb_free(&text);
}

START_TEST(repeated_runs_of_any_program_are_those_of_the_interpreter)
{
    check_repeated_runs();
}
END_TEST

/* The fake does what nothing orders the wrong way round: an order that is missing shows. */
START_TEST(repeated_runs_in_branches_are_those_of_the_interpreter)
{
    ck_assert(session_set_option(s, S("graph.branches"), S("on"), &d));
    check_repeated_runs();
}
END_TEST

static const char *const two_rows = "def f(x: \"f32[4, 8]\", y: \"f32[4, 8]\"):\n"
                                    "    a = -x\n"
                                    "    b = -y\n"
                                    "    c = -a\n"
                                    "    e = -b\n"
                                    "    g = -c\n"
                                    "    h = -e\n"
                                    "    return (g, h)\n";

/* Views are copied on the device by nodes of the host, between statements of the device's. */
static void program_with_copies(uint32_t seed, StrBuf *out)
{
    uint32_t n = 2, state = seed;
    sb_puts(out, "def f(v0: \"f32[8, 8]\", v1: \"f32[8, 8]\"):\n");
    while (n < 16) {
        uint32_t a = n - 1 - next_random(&state, n < 6 ? n : 6);
        bool copies = a >= 2 && next_random(&state, 2); /* inputs are on the host as well */
        const char *how = copies ? ".transpose(0, 1).reshape(64)" : "";
        sb_printf(out, "    v%u = -v%u%s%s\n", n, a, how, *how ? ".reshape(8, 8)" : "");
        n++;
    }
    sb_puts(out, "    return (v15, v14, v13, v12, v11)\n");
}

START_TEST(copies_between_statements_are_in_order)
{
    StrBuf text = {0};
    uint32_t forked = 0;
    ck_assert(session_set_option(s, S("graph.branches"), S("on"), &d));
    for (uint32_t seed = 1; seed <= 40; seed++) {
        RecordingChoice c;
        sb_clear(&text);
        program_with_copies(seed, &text);
        Program *p = unfolded(sb_cstr(&text));
        for (int i = 0; i < 6; i++) {
            for (int k = 0; k < 2 && i >= 3; k++) { /* what lies there from before is wrong */
                Tensor *x = program_binding(p, value(p, k ? "v0" : "v1"));
                for (int e = 0; e < 64; e++)
                    elem_set_f64((float *)tensor_data(x) + e, x->dtype, i * 100 + k * 64 + e);
            }
            check_run(p, true);
        }
        const Trace *t = program_find_stage(s, p, S("last"), &d)->trace;
        ck_assert(recording_choice(s, t, &c));
        forked += c.forked && c.forks > 0;
        session_unload(s, p);
    }
    ck_assert_uint_ge(forked, 30);
    ck_assert_int_gt(fake->early, 100);
    sb_free(&text);
}
END_TEST

/* The fake's clock counts works that come one after the other. */
START_TEST(branches_are_taken_where_they_are_faster)
{
    RecordingChoice c;
    Program *rows = unfolded(two_rows), *chain_of = plain_chain();
    ck_assert(session_set_option(s, S("graph.branches"), S("auto"), &d));
    for (int i = 0; i < 5; i++) {
        check_run(rows, true);
        check_run(chain_of, true);
    }
    const Trace *t = program_find_stage(s, rows, S("last"), &d)->trace;
    ck_assert(recording_choice(s, t, &c));
    ck_assert(c.forked);
    ck_assert(c.ordered_ms >= 6 && c.forked_ms <= 5);
    ck_assert_uint_ge(c.forks, 1);
    ck_assert(recording_choice(s, program_find_stage(s, chain_of, S("last"), &d)->trace, &c));
    ck_assert(!c.forked);
    ck_assert(session_set_option(s, S("graph.branches"), S("off"), &d));
    for (int i = 0; i < 5; i++)
        check_run(rows, true);
    ck_assert(recording_choice(s, t, &c));
    ck_assert(!c.forked && c.forks == 0 && c.ordered_ms == 0);
    ck_assert(session_set_option(s, S("graph.branches"), S("auto"), &d));
    int plays = fake->plays;
    for (int i = 0; i < 5; i++)
        check_run(rows, true);
    ck_assert_int_le(fake->plays, plays + 5); /* nothing is measured again */
    ck_assert(recording_choice(s, t, &c));
    ck_assert(c.forked && c.ordered_ms >= 6);
}
END_TEST

static void count_nodes(const Event *e, void *user)
{
    int *n = user;
    *n += e->kind == EVENT_node_end;
}

/* What `run` does: no pauses, but statements are heard of by whoever wants to. */
START_TEST(flat_runs_are_played_unless_somebody_listens)
{
    Program *p = plain_chain();
    Stage *last = program_find_stage(s, p, S("last"), &d);
    RunOptions o = {.flat = true};
    Run run;
    int heard = 0;
    double was = element(program_binding(p, value(p, "x")), 3);
    uint32_t handle = session_listen(s, count_nodes, &heard);
    for (int i = 0; i < 12; i++) {
        session_listen_nodes(s, handle, i >= 6 && i < 9);
        heard = 0;
        ck_assert(session_run(s, p, last, &o, &run, &d));
        no_errors();
        ck_assert_msg(run.played == ((i >= 2 && i < 6) || i >= 9), "%d", i);
        ck_assert_int_eq(heard > 0, run.played == 0);
        ck_assert(element(run.outputs[0], 3) == -was);
        run_free(&run);
    }
    session_unlisten(s, handle);
}
END_TEST

/* A recording does not tell how far it came: the run is repeated step by step. */
START_TEST(a_failure_in_a_flat_run_is_named)
{
    Program *p = plain_chain();
    Stage *last = program_find_stage(s, p, S("last"), &d);
    RunOptions o = {.flat = true};
    Run run;
    for (int played = 0; played < 2; played++) {
        for (int i = 0; i < 4 * played + 1; i++) {
            bool good = session_run(s, p, last, &o, &run, &d);
            no_errors();
            ck_assert(good);
            run_free(&run);
        }
        fake->fail_play = played;
        fake->fail_launch = fake->launches + 2;
        ck_assert(!session_run(s, p, last, &o, &run, &d));
        ck_assert_msg(d.nerrors > 0, "%d", played);
        ck_assert_ptr_nonnull(strstr(d.first->message.p, "illegal memory access"));
        ck_assert_ptr_nonnull(d.first->where.p);
        ck_assert_ptr_nonnull(strstr(d.first->where.p, "b = prims.neg(a)"));
        diag_clear(&d);
        fake->fail_launch = fake->fail_play = 0;
    }
}
END_TEST

START_TEST(a_failure_in_a_part_is_named)
{
    Program *p = unfolded(parts);
    for (int i = 0; i < 5; i++)
        check_run(p, true);
    fake->fail_launch = fake->launches + 2;
    Run run;
    ck_assert(!run_last(p, true, &run));
    ck_assert_uint_ge(d.nerrors, 1);
    ck_assert_ptr_nonnull(strstr(d.first->message.p, "illegal memory access"));
    diag_clear(&d);
    fake->fail_launch = 0;
    for (int i = 0; i < 5; i++)
        check_run(p, true);
}
END_TEST

/* Marks tell how long each statement takes; the fake counts a millisecond for each. */
START_TEST(a_profile_is_timed_by_marks)
{
    Program *p = plain_chain();
    Profile x;
    Stage *last = program_find_stage(s, p, S("last"), &d);
    ck_assert(session_profile(s, p, last, 0.01, &x, &d));
    no_errors();
    ck_assert_uint_eq(x.n, 3);
    for (uint32_t i = 0; i < x.n; i++)
        ck_assert_msg(fabs(x.rows[i].ms - 1) < 1e-9, "%g ms", x.rows[i].ms);
    ck_assert(x.run_ms == 3);
    ck_assert(x.matmul_rate > 0);
    profile_free(&x);
}
END_TEST

START_TEST(too_little_memory_is_an_error_that_says_how_much)
{
    fake->memory = 24 << 20;
    Program *p = bound("def f(x: \"f32[4096, 1024]\"):\n"
                       "    a = -x\n"
                       "    b = a.exp()\n"
                       "    return (-b,)\n");
    Run run;
    ck_assert(!run_last(p, false, &run));
    ck_assert_uint_ge(d.nerrors, 1);
    ck_assert_str_eq(d.first->code, "out-of-memory");
    ck_assert_ptr_nonnull(strstr(d.first->message.p, "0.017 GB"));
    ck_assert_ptr_nonnull(strstr(d.first->where.p, "prims.neg"));
    ck_assert_uint_eq(span_place(d.first->span).line, 2);
    ck_assert_ptr_nonnull(strstr(d.first->note.p, "needs 0.050 GB at most"));
    ck_assert_ptr_nonnull(strstr(d.first->note.p, "%x 0.017 GB (input)"));
    ck_assert_str_eq(d.first->help.p, "peak plan");
    diag_clear(&d);
    size_t used = fake->used;
    Program *small = plain_chain(); /* the session goes on, and holds nothing of the failed run */
    check_run(small, false);
    ck_assert_uint_le(fake->used, used + (1 << 20));
    fake->memory = (size_t)1 << 30;
    check_run(p, false);
}
END_TEST

/* The planned block is taken as a whole, and results lie beside it. */
START_TEST(a_peak_is_what_the_driver_gives)
{
    Program *p = unfolded("def f(x: \"f32[512, 1024]\", y: \"f32[512, 1024]\"):\n"
                          "    a = -x\n"
                          "    b = -y\n"
                          "    c = -a\n"
                          "    e = -b\n"
                          "    return (c, -e, -c)\n");
    Run run;
    size_t before = fake->used;
    ck_assert(run_last(p, false, &run));
    no_errors();
    Peak k = trace_peak(run.t);
    ck_assert_int_gt(k.reserved, k.most);
    ck_assert_uint_eq(fake->used - before, (size_t)k.reserved);
    DeviceUse u;
    ck_assert(session_device_use(s, &u));
    ck_assert_int_eq(u.most, k.reserved);
    ck_assert_int_eq(u.taken, k.reserved);
    peak_free(&k);
    run_free(&run);
}
END_TEST

/* What other programs left there is given back when a run needs it. */
START_TEST(memory_of_other_programs_is_given_back)
{
    static const char text[] = "def f(x: \"f32[1024, 1024]\"):\n"
                               "    a = -x\n"
                               "    b = a.exp()\n"
                               "    return (-b,)\n";
    fake->memory = 30 << 20;
    Program *p[3];
    for (int i = 0; i < 3; i++)
        p[i] = bound(text);
    for (int i = 0; i < 9; i++)
        check_run(p[i % 3], i % 2);
}
END_TEST

START_TEST(a_failing_kernel_is_named_and_the_session_goes_on)
{
    Program *p = plain_chain();
    check_run(p, false);
    fake->fail_launch = fake->launches + 2;
    Run run;
    ck_assert(!run_last(p, false, &run));
    ck_assert_uint_ge(d.nerrors, 1);
    ck_assert_ptr_nonnull(strstr(d.first->message.p, "illegal memory access"));
    ck_assert_ptr_nonnull(d.first->where.p);
    ck_assert_ptr_nonnull(strstr(d.first->where.p, "b = prims.neg(a)"));
    diag_clear(&d);
    fake->fail_launch = 0;
    check_run(p, false);
}
END_TEST

/* When a kernel of the device says so, what it read is gone: the run goes again, step by step. */
START_TEST(an_index_that_a_kernel_refuses_is_named)
{
    Program *p = load_text("def f(x: \"f32[4, 8]\", i: \"i64[4]\"):\n"
                           "    a = -x\n"
                           "    b = torch.index_select(a, 0, i)\n"
                           "    return (-b,)\n");
    Tensor *i = tensor_new(DT_i64, (Device){0}, 1, (int64_t[]){4});
    memset(tensor_data(i), 0, 4 * sizeof(int64_t));
    ck_assert(program_bind_tensor(p, S("i"), i, &d));
    ck_assert(program_bind_random(s, p, 1, &d));
    Run run;
    for (int n = 0; n < 12; n++) { /* from the sixth run on, what was recorded is played */
        int64_t bad = n % 3 == 2 ? 9 + n : 0;
        ((int64_t *)tensor_data(i))[2] = bad;
        bool good = run_last(p, n > 4, &run);
        ck_assert(good == !bad);
        if (good)
            run_free(&run);
        if (good)
            continue;
        char wanted[80];
        snprintf(wanted, sizeof wanted, "take: index %d is out of range for dimension 0 of size 4",
                 (int)bad);
        ck_text(d.first->message, wanted);
        ck_assert_uint_eq(d.nerrors, 1);
        ck_assert_ptr_nonnull(strstr(d.first->where.p, "b = prims.take(a, i, 0)"));
        ck_assert_uint_eq(span_place(d.first->span).line, 3);
        diag_clear(&d);
    }
    tensor_unref(i);
}
END_TEST

/* Nothing of the device is left but what the driver keeps: the process can only be started anew. */
static void goes_on_without_a_device(Program *p, const char *says)
{
    Run run;
    ck_assert(!run_last(p, false, &run));
    ck_assert_ptr_nonnull(strstr(d.first->message.p, says));
    ck_assert_ptr_nonnull(strstr(d.first->where.p, "b = prims.neg(a)"));
    ck_assert_ptr_nonnull(strstr(d.last->help.p, "restart"));
    ck_assert(session_device_lost(s));
    diag_clear(&d);
    ck_assert(!run_last(p, false, &run));
    ck_assert_str_eq(d.last->code, "device-lost");
    ck_assert_ptr_nonnull(strstr(d.last->help.p, "restart"));
    diag_clear(&d);
    ExecList interp = {.items = {session_executors(s)->items[1]}, .on = {true}, .n = 1};
    ck_assert(session_run(s, p, program_root(p), &(RunOptions){.executors = &interp}, &run, &d));
    run_free(&run);
    session_free(s);
    ck_assert_int_eq(fake->waits, 0);
    ck_assert_int_eq(fake->wrong, 0);
}

START_TEST(a_device_that_cannot_be_opened_again_is_lost)
{
    Program *p = plain_chain();
    check_run(p, false);
    fake->fail_launch = fake->launches + 2;
    fake->for_good = 1;
    goes_on_without_a_device(p, "illegal memory access");
}
END_TEST

START_TEST(a_kernel_that_does_not_end_is_left_alone)
{
    Program *p = plain_chain();
    check_run(p, false);
    ck_assert(session_set_option(s, S("kernel.timeout"), S("0.2"), &d));
    fake->endless_launch = fake->launches + 2;
    goes_on_without_a_device(p, "did not end within 0.2 s");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("device");
    TCase *t = tcase_create("device");
    tcase_add_checked_fixture(t, setup_device, teardown_device);
    tcase_add_test(t, no_device_is_touched_before_it_is_needed);
    tcase_add_test(t, composites_are_opened_for_a_device_that_comes_first);
    tcase_add_test(t, a_value_moves_once);
    tcase_add_test(t, large_tensors_move_whole);
    tcase_add_test(t, the_host_computes_in_between);
    tcase_add_test(t, writes_of_the_host_are_sent_again);
    tcase_add_test(t, repeated_runs_are_played);
    tcase_add_test(t, results_that_are_held_are_not_overwritten);
    tcase_add_test(t, other_inputs_are_recorded_again);
    tcase_add_test(t, runs_that_write_inputs_are_played);
    tcase_add_test(t, written_inputs_that_are_bound_again_are_read);
    tcase_add_test(t, written_inputs_that_are_held_are_not_overwritten);
    tcase_add_test(t, views_show_what_is_written);
    tcase_add_test(t, parts_between_statements_of_the_host_are_played);
    tcase_add_test(t, results_of_parts_that_are_held_are_not_overwritten);
    tcase_add_test(t, parts_and_written_inputs_go_together);
    tcase_add_test(t, repeated_runs_of_any_program_are_those_of_the_interpreter);
    tcase_add_test(t, repeated_runs_in_branches_are_those_of_the_interpreter);
    tcase_add_test(t, copies_between_statements_are_in_order);
    tcase_add_test(t, branches_are_taken_where_they_are_faster);
    tcase_add_test(t, flat_runs_are_played_unless_somebody_listens);
    tcase_add_test(t, a_failure_in_a_flat_run_is_named);
    tcase_add_test(t, a_failure_in_a_part_is_named);
    tcase_add_test(t, a_profile_is_timed_by_marks);
    tcase_add_test(t, too_little_memory_is_an_error_that_says_how_much);
    tcase_add_test(t, a_peak_is_what_the_driver_gives);
    tcase_add_test(t, memory_of_other_programs_is_given_back);
    tcase_add_test(t, a_failing_kernel_is_named_and_the_session_goes_on);
    tcase_add_test(t, an_index_that_a_kernel_refuses_is_named);
    suite_add_tcase(suite, t);
    t = tcase_create("lost");
    tcase_add_checked_fixture(t, setup_device, NULL);
    tcase_add_test(t, a_device_that_cannot_be_opened_again_is_lost);
    tcase_add_test(t, a_kernel_that_does_not_end_is_left_alone);
    suite_add_tcase(suite, t);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
