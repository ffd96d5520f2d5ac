/*
 * check_across.c - kernels across the end of the forward part: which there are, and that nobody can
 * tell.
 *
 * Both parts of a training program run at once where pass join is on. Results and gradients are
 * those of the parts apart; nothing lives longer than it did.
 */
#include "support.h"

#include "gen.h"
#include "pass.h"
#include "session_fixture.h"

static const char *const loss =
    "def f(h: 'f32[48, 64]', w: 'f32[640, 64]', t: 'i64[48]'):\n"
    "    x = torch.nn.functional.linear(h, w)\n"
    "    return (torch.nn.functional.cross_entropy(x, t),)\n";

static Program *trained(const char *text, const char *executors)
{
    use_executors(executors);
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    Program *p = load_text(text);
    ck_assert(program_grad(s, p, S("all"), false, &d));
    ck_assert(program_bind_random(s, p, 3, &d));
    no_errors();
    return p;
}

static Stage *stage(Program *p, const char *name)
{
    Stage *st = program_find_stage(s, p, str_from(name), &d);
    no_errors();
    ck_assert_ptr_nonnull(st);
    ck_assert(trace_verify(st->trace, &d));
    return st;
}

static uint32_t slot_of(Program *p, const char *name)
{
    int slot = program_find_slot(p, str_from(name));
    ck_assert_int_ge(slot, 0);
    return (uint32_t)slot;
}

static void set_join(Program *p, bool on)
{
    ck_assert(program_slot_set(s, p, slot_of(p, "join"), on, &d));
    no_errors();
}

static Run run_stage(Program *p, const char *name, Rounding rounding)
{
    Run run;
    RunOptions o = {.rounding = rounding};
    ck_assert(session_run(s, p, stage(p, name), &o, &run, &d));
    no_errors();
    return run;
}

static void check_near(const Run *got, const Run *want, double tolerance)
{
    ck_assert_uint_eq(got->noutputs, want->noutputs);
    for (uint32_t i = 0; i < want->noutputs; i++) {
        if (!want->outputs[i])
            continue;
        Tensor *wide = tensor_cast(got->outputs[i], want->outputs[i]->dtype);
        Comparison c = tensor_compare(wide, want->outputs[i], tolerance, tolerance);
        tensor_unref(wide);
        ck_assert_msg(c.equal, "output %u is %.9g, not %.9g", i, c.got, c.want);
    }
}

static uint32_t count_kernels(const Trace *t)
{
    uint32_t n = 0;
    for_top(t, i)
        n += t->nodes[i].op->id == PRIM_call;
    return n;
}

/* How many nodes of a kernel are of that prim. */
static uint32_t count_inside(const Trace *t, NodeId kernel, enum PrimId prim)
{
    uint32_t n = 0;
    for (NodeId i = kernel + 1; i < kernel + t->nodes[kernel].span; i++)
        n += t->nodes[i].op->id == (uint32_t)prim;
    return n;
}

static int64_t most(const Trace *t)
{
    Peak k = trace_peak(t);
    int64_t bytes = k.most;
    peak_free(&k);
    return bytes;
}

/* The logits are read by one kernel, which writes their gradient over them, and computes the
 * exponentials once, and the mean of the loss. What counts the targets stands before it. */
START_TEST(a_loss_and_its_gradient_are_one_kernel)
{
    Program *p = trained(loss, "c,interp");
    const Trace *t = stage(p, "last")->trace;
    NodeId kernel = NO_NODE;
    uint32_t readers = 0;
    ValueId x = trace_find_value(t, S("x"));
    for_top(t, n) {
        ValueId in[MAX_REGION_INPUTS];
        uint32_t nin = t->nodes[n].op->id == PRIM_call
                           ? arg_values(t->nodes[n].args[1], in, MAX_REGION_INPUTS)
                           : 0;
        for (uint32_t i = 0; i < nin; i++)
            if (in[i] == x) {
                kernel = n;
                readers++;
            }
    }
    ck_assert_uint_eq(readers, 1);
    ck_assert_uint_eq(count_inside(t, kernel, PRIM_amax), 1);
    ck_assert_uint_eq(count_inside(t, kernel, PRIM_gather), 1);
    ck_assert_uint_eq(trace_end_of_forward(t), NO_NODE);
    ValueId outs[MAX_OUTPUTS];
    uint32_t n = arg_values(t->nodes[kernel].out, outs, MAX_OUTPUTS), over = 0;
    for (uint32_t i = 0; i < n; i++)
        over += value_is_over(t, outs[i], x);
    ck_assert_uint_eq(over, 1);
    ck_assert_uint_eq(count_kernels(t), 2);
    Run one = run_stage(p, "last", ROUND_dtype), oracle = run_stage(p, "joint", ROUND_f64);
    check_near(&one, &oracle, 1e-4); /* sums of 640 products of f32 */
    int64_t peak = most(t);
    set_join(p, false);
    ck_assert_int_le(peak, most(stage(p, "last")->trace));
    Run two = run_stage(p, "last", ROUND_dtype);
    check_near(&one, &two, 1e-6); /* exponentials kept, or made again from the logarithm of a sum */
    run_free(&one);
    run_free(&two);
    run_free(&oracle);
}
END_TEST

/* An index out of range is found as before, though what it reads may be written over. */
START_TEST(a_wrong_target_is_reported)
{
    Program *p = trained(loss, "c,interp");
    for (int on = 1; on >= 0; on--) {
        Run run;
        set_join(p, on);
        Tensor *t = tensor_new(DT_i64, (Device){0}, 1, (int64_t[]){48});
        for (int64_t i = 0; i < 48; i++)
            ((int64_t *)tensor_data(t))[i] = i == 7 ? 640 : i;
        ck_assert(program_bind_tensor(p, S("t"), t, &d));
        ck_assert(!session_run(s, p, stage(p, "last"), NULL, &run, &d));
        ck_assert_str_eq(d.first->code, "index-out-of-range");
        diag_clear(&d);
        tensor_unref(t);
    }
}
END_TEST

/* What a layer computes again stays where it is needed: the kernels before are as they were. */
START_TEST(what_is_needed_much_later_is_not_moved)
{
    Program *p = trained("def f(x: 'f32[256, 64]', v: 'f32[64, 64]', w: 'f32[64, 64]'):\n"
                         "    a = torch.nn.functional.gelu(x)\n    b = a @ v\n"
                         "    c = torch.nn.functional.gelu(b)\n    e = c @ w\n"
                         "    return (torch.softmax(e, 1),)\n", "onednn,c,interp");
    int64_t peak = most(stage(p, "last")->trace);
    uint32_t kernels = count_kernels(stage(p, "last")->trace);
    Run one = run_stage(p, "last", ROUND_dtype);
    set_join(p, false);
    ck_assert_int_le(peak, most(stage(p, "last")->trace));
    ck_assert_uint_eq(kernels + 1, count_kernels(stage(p, "last")->trace)); /* the softmax */
    Run two = run_stage(p, "last", ROUND_dtype);
    check_near(&one, &two, 0);
    run_free(&one);
    run_free(&two);
}
END_TEST

static uint32_t count_text(const char *text, const char *part)
{
    uint32_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at++)
        n++;
    return n;
}

/* A mean over everything, and gradients that go past the caches: the loop that adds up, which
 * threads share, stores them, and reads each operand once. */
START_TEST(a_mean_and_its_gradients_read_once)
{
    Program *p = trained("def f(x: 'f32[1024, 4096]', y: 'f32[1024, 4096]'):\n"
                         "    return (torch.nn.functional.mse_loss(torch.tanh(x), y),)\n",
                         "c,interp");
    Stage *last = stage(p, "last");
    StrBuf text = {0};
    ck_assert_uint_eq(count_kernels(last->trace), 1);
    ck_assert(session_kernel_text(s, last, S("cFusion0"), S("c"), &text, &d));
    no_errors();
    ck_assert_uint_eq(count_text(sb_cstr(&text), "stream("), 2);
    ck_assert_uint_eq(count_text(sb_cstr(&text), "omp parallel for reduction"), 1);
    ck_assert_uint_eq(count_text(sb_cstr(&text), " in0["), 1);
    ck_assert_uint_eq(count_text(sb_cstr(&text), " in1["), 1);
    sb_free(&text);
    Run one = run_stage(p, "last", ROUND_dtype), oracle = run_stage(p, "joint", ROUND_f64);
    check_near(&one, &oracle, 1e-6);
    run_free(&one);
    run_free(&oracle);
}
END_TEST

/* A loss behind what updates running statistics, which is returned as well. */
static const char *const normed =
    "def f(x: 'f32[64, 32]', m: 'f32[32]', v: 'f32[32]', w: 'f32[640, 32]', t: 'i64[64]'):\n"
    "    h = torch.nn.functional.batch_norm(x, m, v, None, None, True, 0.1, 1e-5)\n"
    "    z = torch.nn.functional.linear(h, w)\n"
    "    return (torch.nn.functional.cross_entropy(z, t), m)\n";

/* Of the statements that are no deletions: how many stand behind the first write. */
static uint32_t count_behind_writes(const Trace *t)
{
    uint32_t behind = 0, writes = 0;
    for_top(t, n) {
        bool write = t->nodes[n].op->id == PRIM_copy_;
        writes += write;
        behind += writes && !write && t->nodes[n].op->id != PRIM_python_del;
    }
    ck_assert_uint_gt(writes, 0);
    return behind;
}

/* Small writes go behind all else, so the loss and its gradient are one kernel; written are the
 * same values. */
START_TEST(running_statistics_are_written_last)
{
    Program *p = trained(normed, "c,interp");
    const Trace *t = stage(p, "last")->trace;
    uint32_t kernels = count_kernels(t);
    ck_assert_uint_eq(count_behind_writes(t), 0);
    Run one = run_stage(p, "last", ROUND_dtype);
    set_join(p, false);
    t = stage(p, "last")->trace;
    ck_assert_uint_gt(count_behind_writes(t), 0);
    ck_assert_uint_gt(count_kernels(t), kernels);
    Run two = run_stage(p, "last", ROUND_dtype);
    check_near(&one, &two, 1e-6);
    run_free(&one);
    run_free(&two);
}
END_TEST

/* The sums of a relu and of its gradient, whose conditions follow from each other. gcc 12.2 adds up
 * what it was not given when it threads jumps through them (cc.c). */
START_TEST(sums_under_conditions_that_follow_from_each_other)
{
    static const char *const shapes[] = {"3, 1, 33", "1, 1, 99", "3, 1, 1025", "9, 1, 11"};
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
        StrBuf text = {0};
        sb_printf(&text,
                  "def f(x: 'bf16[%s]', m: 'bf16[1]', v: 'bf16[1]'):\n"
                  "    y = torch.nn.functional.batch_norm(x, m, v, None, None, True, 0.1, 1e-5)\n"
                  "    z = torch.relu(y)\n"
                  "    return (z.mean(), z)\n",
                  shapes[i]);
        Program *p = trained(sb_cstr(&text), "c,interp");
        ck_assert_uint_gt(count_kernels(stage(p, "last")->trace), 0);
        Run one = run_stage(p, "last", ROUND_dtype), exact = run_stage(p, "joint", ROUND_f64);
        check_near(&one, &exact, 0.03);
        run_free(&one);
        run_free(&exact);
        sb_free(&text);
    }
}
END_TEST

/* A column of zeros beside two joined ones: a choice within a choice, which gcc 12.2 takes for one
 * when it may turn branches into choices (cc.c). */
START_TEST(a_pad_of_a_cat_has_its_zeros)
{
    static const char *const rows[] = {"1", "5", "64", "1000"};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        StrBuf text = {0};
        sb_printf(&text,
                  "def f(a: 'f32[%s, 1]', b: 'f32[%s, 1]', c: 'f32[%s, 3]'):\n"
                  "    y = torch.nn.functional.pad(torch.cat((a, b), 1), (0, 1)) + c\n"
                  "    return (y * y,)\n",
                  rows[i], rows[i], rows[i]);
        Program *p = trained(sb_cstr(&text), "c,interp");
        ck_assert_uint_gt(count_kernels(stage(p, "last")->trace), 0);
        Run one = run_stage(p, "last", ROUND_dtype), exact = run_stage(p, "joint", ROUND_f64);
        check_near(&one, &exact, 1e-5);
        run_free(&one);
        run_free(&exact);
        sb_free(&text);
    }
}
END_TEST

/* A write of much stays, since its value would live through the backward part. */
START_TEST(large_writes_stay)
{
    Program *p = trained("def f(x: 'f32[64, 96]', c: 'f32[64, 96]'):\n"
                         "    c.copy_(x * 2)\n"
                         "    return (torch.exp(x).sum(),)\n",
                         "c,interp");
    ck_assert_uint_gt(count_behind_writes(stage(p, "last")->trace), 0);
}
END_TEST

static void check_prefixes(const char *text)
{
    static const char *const passes[] = {"join", "fuse"};
    Program *p = trained(text, "c,interp");
    Run want = run_stage(p, "joint", ROUND_f64);
    for (size_t k = 0; k < ARRAY_LEN(passes); k++) {
        uint32_t slot = slot_of(p, passes[k]);
        uint64_t n = stage(p, passes[k])->applied, every = n > 24 ? 5 : 1;
        ck_assert_uint_gt(n, 4);
        for (uint64_t i = 0; i <= n; i += every) {
            ck_assert(program_slot_fuel(s, p, slot, i, &d));
            Run run = run_stage(p, "last", ROUND_dtype);
            check_near(&run, &want, 1e-5);
            run_free(&run);
        }
        ck_assert(program_slot_fuel(s, p, slot, UINT64_MAX, &d));
        for (uint64_t i = 0; i < n; i += every) {
            ck_assert(program_slot_skip(s, p, slot, i, true, &d));
            Run run = run_stage(p, "last", ROUND_dtype);
            check_near(&run, &want, 1e-5);
            run_free(&run);
            ck_assert(program_slot_skip(s, p, slot, i, false, &d));
        }
    }
    run_free(&want);
}

/* Any number of applications of join and of fuse, and any of them left out. */
START_TEST(every_prefix_gives_the_same)
{
    check_prefixes("def f(x: 'f32[40, 96]', t: 'i64[40]'):\n"
                   "    return (torch.nn.functional.cross_entropy(x * 2, t),)\n");
    check_prefixes(normed);
}
END_TEST

/* Differences of all pairs, whose gradients fold both ways, beside an extreme of the vector. */
START_TEST(an_extreme_beside_folds_of_pairs)
{
    Program *p = trained("def f(v: 'f32[32]'):\n"
                         "    return (v - v.unsqueeze(1), torch.amin(v, 0))\n", "c,interp");
    Run want = run_stage(p, "joint", ROUND_f64), run = run_stage(p, "last", ROUND_dtype);
    check_near(&run, &want, 1e-5);
    run_free(&run);
    run_free(&want);
}
END_TEST

/* Programs that nobody wrote for this, some kernels of which go across. */
START_TEST(random_programs_give_the_same)
{
    use_executors("c,interp");
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    uint32_t n = session_load(s, S(CASES "random.py"), &d), fewer = 0;
    for (uint32_t i = 0; i < n; i += 3) {
        Program *p = session_program(s, i);
        ck_assert(program_bind_random(s, p, i, &d));
        if (!program_grad(s, p, S("all"), false, &d)) {
            diag_clear(&d); /* no floating input, or complex numbers */
            continue;
        }
        Run one = run_stage(p, "last", ROUND_dtype);
        uint32_t kernels = count_kernels(stage(p, "last")->trace);
        set_join(p, false);
        fewer += kernels < count_kernels(stage(p, "last")->trace);
        Run two = run_stage(p, "last", ROUND_dtype);
        check_near(&one, &two, 1e-5);
        run_free(&one);
        run_free(&two);
    }
    ck_assert_uint_gt(fewer, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("across");
    TCase *c = tcase_create("across");
    suite_add_tcase(suite, c);
    tcase_set_timeout(c, 240);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, a_loss_and_its_gradient_are_one_kernel);
    tcase_add_test(c, a_wrong_target_is_reported);
    tcase_add_test(c, what_is_needed_much_later_is_not_moved);
    tcase_add_test(c, a_mean_and_its_gradients_read_once);
    tcase_add_test(c, running_statistics_are_written_last);
    tcase_add_test(c, sums_under_conditions_that_follow_from_each_other);
    tcase_add_test(c, a_pad_of_a_cat_has_its_zeros);
    tcase_add_test(c, large_writes_stay);
    tcase_add_test(c, every_prefix_gives_the_same);
    tcase_add_test(c, an_extreme_beside_folds_of_pairs);
    tcase_add_test(c, random_programs_give_the_same);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
