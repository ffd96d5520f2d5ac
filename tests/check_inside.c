/*
 * check_inside.c - values that a fused kernel makes and does not write out.
 *
 * Each is asked for by itself, of kernels in C and of those for a GPU on the CPU (cuda_emulator.h);
 * what comes is what the interpreter gives. One that no kernel can write stays unseen.
 */
#define _GNU_SOURCE
#include "support.h"

#include "session_fixture.h"

#include "cuda_emulator.h"

static const char *const programs[] = {
    "def f(x: \"bf16[70, 256]\", r: \"bf16[70, 256]\", w: \"bf16[256]\"):\n    s = x + r\n"
    "    y = torch.nn.functional.rms_norm(s, (256,), w)\n    return (y, s)\n",
    "def f(x: \"f32[64, 64]\", w: \"bf16[64]\"):\n    m = (x * x).mean(0, keepdim=True)\n"
    "    c = w.float() + 1\n    y = x * torch.rsqrt(m + 1e-05) * c\n    return (y, y.sum(1))\n",
    /* So long that blocks share the columns of a kernel that folds. */
    "def f(x: \"f32[2048, 96]\", w: \"bf16[96]\"):\n    m = (x * x).mean(-1, keepdim=True)\n"
    "    y = x * torch.rsqrt(m + 1e-05) * w.float()\n    return (y, y.sum(0))\n",
};

static bool use_kernels(bool cuda)
{
    ExecList known = *session_executors(s), l;
    if (cuda && access("/usr/bin/g++", X_OK) != 0) {
        fprintf(stderr, "SKIPPED: CUDA texts do not run here: no g++\n");
        return false;
    }
    known.items[known.n] = &exec_emulated;
    known.on[known.n++] = true;
    ck_assert(exec_parse_list(&known, cuda ? S("emulated,interp") : S("c,interp"), &l, &d));
    ck_assert(session_set_executors(s, &l));
    return session_set_option(s, S("fuse.min_work"), S("0"), &d);
}

/* Value v of fused node n by itself, beside the interpreter's; whether there was one. */
static bool check_value(const Trace *t, NodeId n, ValueId v, const Run *got, const Run *want)
{
    Tensor **all = calloc(t->nvalues, sizeof *all);
    Watch w = {.every = true, .only = v};
    double ulp = 0;
    memcpy(all, got->values, t->nvalues * sizeof *all);
    ck_assert(fusion_values(s, t, n, &w, all, &ulp, &d));
    no_errors();
    Tensor *x = all[v];
    if (x && want->values[v]) {
        Comparison c = tensor_compare(x, want->values[v], 2e-2, 1e-3);
        ck_assert_msg(c.equal, "%.*s: %g, not %g", STR(t->values[v].name), c.got, c.want);
    }
    for (ValueId i = 0; i < t->nvalues; i++)
        if (all[i] != got->values[i])
            tensor_unref(all[i]);
    free(all);
    return x != NULL;
}

/* Every value of every kernel, in C and for a GPU. */
START_TEST(values_inside_are_those_of_the_interpreter)
{
    RunOptions keep = {.keep_values = true};
    ExecList interp;
    Run got, want;
    uint32_t seen = 0;
    if (!use_kernels(_i & 1))
        return;
    Program *p = load_text(programs[_i / 2]);
    ck_assert(program_bind_random(s, p, 3, &d));
    Stage *last = program_find_stage(s, p, S("last"), &d);
    no_errors();
    const Trace *t = last->trace;
    ck_assert(session_run(s, p, last, &keep, &got, &d));
    ck_assert(exec_parse_list(session_executors(s), S("interp"), &interp, &d));
    RunOptions plain = {.keep_values = true, .executors = &interp};
    ck_assert(session_run(s, p, last, &plain, &want, &d));
    for_top(t, n) {
        for (NodeId i = n + 1; i < n + t->nodes[n].span; i++) {
            ValueId outs[MAX_OUTPUTS];
            uint32_t count = arg_values(t->nodes[i].out, outs, MAX_OUTPUTS);
            for (uint32_t k = 0; k < count; k++)
                if (!got.values[outs[k]])
                    seen += check_value(t, n, outs[k], &got, &want);
        }
    }
    ck_assert_uint_gt(seen, 0);
    run_free(&got);
    run_free(&want);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("inside");
    TCase *c = tcase_create("inside");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 250);
    tcase_add_loop_test(c, values_inside_are_those_of_the_interpreter, 0,
                        2 * (int)ARRAY_LEN(programs));
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
