/*
 * check_steady.c - runs as a flat array of calls: the same results as those of the machine, run
 * after run, with inputs that change and results that somebody keeps.
 */
#include "support.h"

#include "run.h"
#include "session_fixture.h"

#include <malloc.h>

static const char *const programs[] = {
    /* kernels, views of them, reductions, a result that is a view, one that is an input */
    "def f(x: \"f32[40, 30]\", y: \"f32[30]\"):\n"
    "    a = torch.exp(-torch.abs(x)) + y\n"
    "    b = a.transpose(0, 1)\n"
    "    c = torch.cumsum(b, 1)\n"
    "    d = c.reshape(40, 30) * 2\n"
    "    return (d.sum(-1), b, x, a.view(30, 40)[1:3])\n",
    /* products and what surrounds them */
    "def f(x: \"f32[32, 64]\", w: \"f32[64, 64]\", v: \"f32[64]\"):\n"
    "    for_ = torch.nn.functional.linear(x, w, v)\n"
    "    h = torch.nn.functional.gelu(for_)\n"
    "    s, i = torch.sort(h, 1)\n"
    "    return (s @ w.t(), i, h.t().contiguous())\n",
    "def f(x: \"f32[50, 40]\", n: \"i64[7]\"):\n"
    "    a = torch.nn.functional.embedding(n, x)\n"
    "    b = torch.cat([a, a * 2], 0)\n"
    "    return (torch.softmax(b, -1), b.permute(1, 0), torch.argmax(b, 1))\n",
};

static void same(const Run *got, const Run *want, const char *text)
{
    ck_assert_uint_eq(got->noutputs, want->noutputs);
    for (uint32_t i = 0; i < got->noutputs; i++) {
        Comparison c = tensor_compare(got->outputs[i], want->outputs[i], 0, 0);
        ck_assert_msg(c.equal && c.same_type, "%s\noutput %u: %g for %g", text, i, c.got, c.want);
    }
}

static Stage *last_of(Program *p)
{
    Stage *last = program_find_stage(s, p, S("last"), &d);
    no_errors();
    return last;
}

static void run(Program *p, Stage *last, bool whole, Run *out)
{
    RunOptions o = {.whole = whole};
    bool ran = session_run(s, p, last, &o, out, &d);
    no_errors();
    ck_assert(ran);
}

/* Inputs of p that are others for each seed: those that another program of this text would get. */
static void bind_others(Program *p, const char *text, uint32_t seed)
{
    Program *other = load_text(text);
    const Trace *t = program_root(other)->trace;
    ck_assert(program_bind_random(s, other, seed, &d));
    Tensor **inputs = bound_inputs(other, t);
    for (uint32_t i = 0; i < t->ninputs; i++)
        ck_assert(program_bind_tensor(p, t->values[t->inputs[i]].name, inputs[i], &d));
    free(inputs);
    no_errors();
}

START_TEST(whole_runs_give_what_the_machine_gives)
{
    Run want[3], got, held;
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    Program *p = load_text(programs[_i]);
    Stage *last = last_of(p);
    for (uint32_t k = 0; k < 3; k++) {
        bind_others(p, programs[_i], k + 1);
        run(p, last, false, &want[k]);
        run(p, last, true, &held);
        for (int i = 0; i < 4; i++) {
            run(p, last, true, &got);
            same(&got, &want[k], programs[_i]);
            run_free(&got);
        }
        same(&held, &want[k], "results that were kept"); /* not written over by later runs */
        run_free(&held);
    }
    for (uint32_t k = 0; k < 3; k++)
        run_free(&want[k]);
}
END_TEST

/* Steady runs only, one after the other: each sees what is bound then, and what somebody keeps of
 * it stays as it was. */
START_TEST(steady_runs_see_new_inputs_and_leave_kept_results)
{
    enum { INPUTS = 4 };
    Run kept[INPUTS], want;
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    use_executors(_i < (int)ARRAY_LEN(programs) ? "c,interp" : "interp");
    const char *text = programs[(size_t)_i % ARRAY_LEN(programs)];
    Program *p = load_text(text);
    Stage *last = last_of(p);
    for (uint32_t k = 0; k < INPUTS; k++) {
        bind_others(p, text, k + 1);
        run(p, last, true, &kept[k]);
    }
    for (uint32_t k = 0; k < INPUTS; k++) {
        bind_others(p, text, k + 1);
        run(p, last, false, &want);
        same(&kept[k], &want, text);
        run_free(&want);
        run_free(&kept[k]);
    }
}
END_TEST

typedef struct Heard {
    uint32_t begun, ended, made;
} Heard;

static void count_nodes(const Event *e, void *user)
{
    Heard *seen = user;
    ValueId v = 0;
    seen->begun += e->kind == EVENT_node_begin;
    if (e->kind != EVENT_node_end)
        return;
    seen->ended++;
    arg_values(e->trace->nodes[e->node].out, &v, 1);
    seen->made += v && e->values[v];
}

/* Plain runs are flat from the second time on, and listeners see as much as before. */
START_TEST(listeners_hear_of_each_statement_of_a_flat_run)
{
    RunOptions flat = {.flat = true};
    Heard first = {0};
    Run want, got;
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    Program *p = load_text(programs[_i]);
    ck_assert(program_bind_random(s, p, 1, &d));
    Stage *last = last_of(p);
    for (int i = 0; i < 4; i++) {
        Heard seen = {0};
        uint32_t handle = session_listen(s, count_nodes, &seen);
        ck_assert(session_run(s, p, last, &flat, i ? &got : &want, &d));
        session_unlisten(s, handle);
        if (i == 0) {
            first = seen;
            ck_assert_uint_gt(first.made, 0);
            continue;
        }
        same(&got, &want, programs[_i]);
        run_free(&got);
        ck_assert_uint_eq(seen.begun, first.begun);
        ck_assert_uint_eq(seen.ended, first.ended);
        ck_assert_uint_eq(seen.made, first.made);
    }
    run_free(&want);
}
END_TEST

START_TEST(options_and_executors_may_change_between_runs)
{
    Run want, got;
    Program *p = load_text(programs[0]);
    ck_assert(program_bind_random(s, p, 1, &d));
    run(p, last_of(p), false, &want);
    for (int i = 0; i < 4; i++) {
        ExecList all, l;
        executors_default(&all);
        ck_assert(exec_parse_list(&all, i % 2 ? S("interp") : S("c,interp"), &l, &d));
        ck_assert(session_set_executors(s, &l));
        Stage *last = last_of(p);
        for (int k = 0; k < 3; k++) {
            run(p, last, true, &got);
            for (uint32_t o = 0; o < got.noutputs; o++)
                ck_assert(tensor_compare(got.outputs[o], want.outputs[o], 1e-3, 1e-3).equal);
            run_free(&got);
        }
    }
    run_free(&want);
}
END_TEST

/* Inputs that the program changes are not for this: they come out as from the machine. */
START_TEST(inputs_written_in_place)
{
    Run want, got;
    Program *p = load_text("def f(x: \"f32[40]\"):\n    x.add_(1)\n    return torch.exp(x)\n");
    ck_assert(program_bind_random(s, p, 1, &d));
    Stage *last = last_of(p);
    run(p, last, false, &want);
    for (int i = 0; i < 3; i++) {
        run(p, last, true, &got);
        same(&got, &want, "in place");
        ck_assert_ptr_nonnull(got.mutated[0]);
        ck_assert(tensor_compare(got.mutated[0], want.mutated[0], 0, 0).equal);
        run_free(&got);
    }
    run_free(&want);
}
END_TEST

/* A chain of kernels and views in place: later runs take no memory but the heads of results. */
START_TEST(nothing_is_allocated_in_the_steady_state)
{
    RunOptions o = {.whole = _i == 0, .flat = _i == 1};
    Run got;
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    use_executors("c,interp");
    Program *p = load_text("def f(x: \"f32[300, 200]\"):\n"
                           "    a = torch.exp(x)\n    b = torch.cumsum(a, 0)\n"
                           "    c = torch.softmax(b.transpose(0, 1), -1)\n    return c\n");
    ck_assert(program_bind_random(s, p, 1, &d));
    Stage *last = last_of(p);
    for (int i = 0; i < 3; i++) {
        ck_assert(session_run(s, p, last, &o, &got, &d));
        run_free(&got);
    }
    size_t before = mallinfo2().uordblks;
    for (int i = 0; i < 50; i++) {
        ck_assert(session_run(s, p, last, &o, &got, &d));
        run_free(&got);
    }
    ck_assert_uint_le(mallinfo2().uordblks, before + 256);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("steady");
    TCase *c = tcase_create("steady");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, whole_runs_give_what_the_machine_gives, 0, ARRAY_LEN(programs));
    tcase_add_loop_test(c, steady_runs_see_new_inputs_and_leave_kept_results, 0,
                        2 * ARRAY_LEN(programs));
    tcase_add_test(c, options_and_executors_may_change_between_runs);
    tcase_add_test(c, inputs_written_in_place);
    tcase_add_loop_test(c, nothing_is_allocated_in_the_steady_state, 0, 2);
    tcase_add_loop_test(c, listeners_hear_of_each_statement_of_a_flat_run, 0,
                        ARRAY_LEN(programs));
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
