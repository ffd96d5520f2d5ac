/*
 * check_places.c - results that take the places of operands: where the plan puts them, and that
 * nobody can tell.
 *
 * Each program says how many results its plan puts over operands. Its last stage runs with every
 * value in memory of its own, in the planned places, and again and again as a flat array of calls:
 * always the same bits, and those of a plan without such places.
 */
#include "support.h"

#include "session_fixture.h"

typedef struct Case {
    const char *text;
    const char *executors;
    uint32_t over; /* results over operands, in the plan */
} Case;

/* Each statement of these is a kernel of its own where fuse is off. */
#define C_ "c,interp"
static const Case cases[] = {
    /* One after the other, up to the output, which is not in the arena. */
    {"def f(x: 'f32[1023]'):\n    a = torch.exp(x)\n    b = a * 2\n    c = torch.tanh(b)\n"
     "    return c + 1\n", C_, 2},
    {"def f(x: 'f32[1023]'):\n    a = torch.exp(x)\n    b = a * 2\n    c = torch.tanh(b)\n"
     "    return c + 1\n", "interp", 2},
    /* Of two operands that die, one. */
    {"def f(x: 'f32[33, 65]', y: 'f32[33, 65]'):\n    a = torch.exp(x)\n    b = torch.exp(y)\n"
     "    c = a * b - a\n    return c.sum()\n", C_, 2},
    {"def f(x: 'f32[33, 65]'):\n    a = torch.exp(x)\n    b = a * a\n    return b.sum()\n", C_, 1},
    /* Chunks that threads share. */
    {"def f(x: 'f32[200000]'):\n    a = torch.exp(-x * x)\n    b = torch.erf(a)\n"
     "    c = torch.sqrt(b + 1)\n    return c * c\n", C_, 5},
    {"def f(x: 'f64[70000]'):\n    a = torch.exp(-x * x)\n    b = torch.erf(a)\n"
     "    return b * b\n", "interp", 3},
    /* Larger than the caches: results that lie over nothing are streamed. */
    {"def f(x: 'f32[2048, 2100]'):\n    a = x * 2\n    b = a + 1\n    c = b * b\n"
     "    return c.amax()\n", C_, 2},
    /* Rows: every pass over a row reads it before it is written. */
    {"def f(x: 'f32[70, 300]'):\n    a = x + 1\n    b = torch.softmax(a, 1)\n"
     "    return b.amax(1)\n", C_, 3},
    {"def f(x: 'bf16[70, 300]'):\n    a = x + 1\n"
     "    b = torch.nn.functional.layer_norm(a, (300,))\n    return b * 2\n", C_, 6},
    /* Of another dtype, or size: never. */
    {"def f(x: 'f32[40, 50]'):\n    a = torch.exp(x)\n    b = a.to(torch.float64)\n"
     "    c = b > 1\n    return c.sum()\n", C_, 0},
    {"def f(x: 'f32[16]'):\n    a = torch.exp(x[0])\n    b = x * a\n    c = b.sum()\n"
     "    return c * x\n", C_, 0},
    /* Read by another statement later, or by the caller: not there. */
    {"def f(x: 'f32[64]'):\n    a = torch.exp(x)\n    b = torch.tanh(a)\n"
     "    return b.sum() + a.sum()\n", C_, 0},
    {"def f(x: 'f32[64]'):\n    a = torch.exp(x)\n    b = a * 2\n    return a, b.sum()\n", C_, 0},
    /* Through a view of all of it; not through a part of it, or a view that somebody else has. */
    {"def f(x: 'f32[6, 8]'):\n    a = torch.exp(x)\n    b = a.view(48) * 2\n"
     "    return b.sum()\n", C_, 1},
    {"def f(x: 'f32[6, 8]'):\n    a = torch.exp(x)\n    b = a[1:3] * 2\n"
     "    return b.sum()\n", C_, 0},
    {"def f(x: 'f32[6, 8]'):\n    a = torch.exp(x)\n    v = a.view(48)\n    b = a * 2\n"
     "    return b.sum() + v.sum()\n", C_, 0},
    /* Turned around, or read elsewhere as well. */
    {"def f(x: 'f32[64, 64]'):\n    a = torch.exp(x)\n    b = a.t() * 2\n"
     "    return b.sum()\n", C_, 0},
    {"def f(x: 'f32[64, 64]'):\n    a = torch.exp(x)\n    b = torch.flip(a, (0,))\n"
     "    return b.sum()\n", C_, 0},
    /* A large angle launches the kernel again, on what it read: never in C. */
    {"def f(x: 'f32[5000]'):\n    a = x * 1e6\n    b = torch.sin(a)\n    return b.sum()\n", C_, 0},
    {"def f(x: 'f64[5000]'):\n    a = x * 1e6\n    b = torch.sin(a)\n    return b.sum()\n", C_, 1},
    /* An activation that oneDNN computes by itself. */
    {"def f(x: 'f32[40, 60]', w: 'f32[50, 60]'):\n    a = torch.nn.functional.linear(x, w)\n"
     "    b = torch.nn.functional.gelu(a)\n    return b.sum()\n", "onednn,c,interp", 1},
};

static uint32_t count_over(const Trace *t)
{
    uint32_t count = 0;
    for_top(t, n) {
        ValueId out[MAX_OUTPUTS];
        uint32_t nout = arg_values(t->nodes[n].out, out, MAX_OUTPUTS);
        for (uint32_t i = 0; i < nout; i++)
            count += value_over(t, n, out[i]) != 0;
    }
    return count;
}

static void check_same(const Run *got, const Run *want, const char *how)
{
    ck_assert_uint_eq(got->noutputs, want->noutputs);
    for (uint32_t i = 0; i < want->noutputs; i++) {
        Comparison c = tensor_compare(got->outputs[i], want->outputs[i], 0, 0);
        ck_assert_msg(c.equal, "%s: output %u is %g, not %g", how, i, c.got, c.want);
    }
}

static void run_as(Program *p, RunOptions o, const Run *want, const char *how)
{
    Run got;
    bool good = session_run(s, p, program_find_stage(s, p, S("last"), &d), &o, &got, &d);
    no_errors();
    ck_assert(good);
    check_same(&got, want, how);
    run_free(&got);
}

static void begin(const char *executors)
{
    use_executors(executors);
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
}

START_TEST(nobody_can_tell)
{
    const Case *c = &cases[_i];
    begin(c->executors);
    Program *p = load_text(c->text);
    ck_assert(program_slot_set(s, p, (uint32_t)program_find_slot(p, S("fuse")), false, &d));
    ck_assert(program_bind_random(s, p, 3, &d));
    Stage *last = program_find_stage(s, p, S("last"), &d);
    no_errors();
    StrBuf text = text_of(last);
    ck_assert_msg(count_over(last->trace) == c->over, "%u over operands, not %u:\n%s",
                  count_over(last->trace), c->over, sb_cstr(&text));
    sb_free(&text);
    Run want;
    RunOptions keep = {.keep_values = true};
    ck_assert(session_run(s, p, last, &keep, &want, &d));
    for (int turn = 0; turn < 3; turn++) {
        run_as(p, (RunOptions){0}, &want, "in the planned places");
        run_as(p, (RunOptions){.whole = true}, &want, "as a flat array of calls");
    }
    ck_assert(session_set_option(s, S("plan.in_place"), S("off"), &d));
    Stage *off = program_find_stage(s, p, S("last"), &d);
    ck_assert_uint_eq(count_over(off->trace), 0);
    ck_assert(c->over ? off->trace->plan_bytes >= last->trace->plan_bytes : true);
    run_as(p, (RunOptions){.whole = true}, &want, "without places over operands");
    run_free(&want);
}
END_TEST

/* What fuse joins, between products that it does not join. */
static const Case regions[] = {
    {"def f(x: 'f32[64, 300]', w: 'f32[300]', t: 'f32[300, 300]'):\n"
     "    a = torch.nn.functional.layer_norm(x, (300,), w)\n    b = a @ t\n"
     "    c = torch.nn.functional.gelu(b, approximate='tanh') + x\n    e = c @ t\n"
     "    g = torch.softmax(e * 2, 1)\n    h = g @ t\n"
     "    return (torch.relu(h) + w).sum(1)\n", C_, 2},
    /* Tiles: x is turned around in an array, c is not. */
    {"def f(x: 'f32[200, 136]', y: 'f32[136, 64]', w: 'f32[64, 200]'):\n    c = y @ w\n"
     "    e = x.t() * c + 1\n    return (e @ w.t()).sum()\n", C_, 1},
    /* Two results of two operands: what is stored first must leave the operands to the second. */
    {"def f(y: 'f32[136, 64]', v: 'f32[64, 200]', w: 'f32[64, 200]'):\n    a = y @ v\n"
     "    b = y @ w\n    p = a + b\n    q = a * b - a\n"
     "    return (p @ w.t() + q @ v.t()).sum()\n", C_, 1},
    /* Larger than the caches. */
    {"def f(x: 'f32[2048, 2100]', y: 'f32[2048, 8]', w: 'f32[8, 2100]'):\n    c = y @ w\n"
     "    e = c * x + 1\n    return (e @ w.t()).sum()\n", C_, 1},
    /* Rows and sums across them. */
    {"def f(x: 'f32[300, 64]', y: 'f32[300, 8]', w: 'f32[8, 64]'):\n    g = y @ w\n"
     "    h = g - (g * x).sum(1, keepdim=True) * x\n"
     "    return (h @ w.t()).sum(), (h * x).sum(0)\n", C_, 1},
    /* A result of the row reads another element of it, before the row is written. Of another row:
     * never. */
    {"def f(x: 'f32[64, 40]', w: 'f32[40, 300]', t: 'i64[64, 1]'):\n    a = x @ w\n"
     "    b = torch.softmax(a, 1)\n    m = a - torch.amax(a, 1, keepdim=True)\n"
     "    return (b @ w.t()).sum(), torch.gather(m, 1, t)\n", C_, 1},
    {"def f(x: 'f32[64, 40]', w: 'f32[40, 300]', t: 'i64[64, 1]'):\n    a = x @ w\n"
     "    b = torch.softmax(a, 1)\n"
     "    c = torch.gather(a, 0, t) + torch.amax(a, 1, keepdim=True)\n"
     "    return (b @ w.t()).sum(), c\n", C_, 0},
    /* Launched again. */
    {"def f(y: 'f32[136, 64]', w: 'f32[64, 200]'):\n    c = y @ w\n"
     "    e = torch.sin(c * 1e6) * c\n    return (e @ w.t()).sum()\n", C_, 0},
};

/* As planned, and everything at once that the executors allow. */
START_TEST(fused_regions_too)
{
    const Case *c = &regions[_i / 2];
    begin(_i % 2 ? "onednn,c,interp" : c->executors);
    Program *p = load_text(c->text);
    ck_assert(program_bind_random(s, p, 3, &d));
    Stage *last = program_find_stage(s, p, S("last"), &d);
    no_errors();
    StrBuf text = text_of(last);
    ck_assert_msg(_i % 2 || count_over(last->trace) == c->over, "%u over operands, not %u:\n%s",
                  count_over(last->trace), c->over, sb_cstr(&text));
    sb_free(&text);
    Run want;
    RunOptions keep = {.keep_values = true};
    ck_assert(session_run(s, p, last, &keep, &want, &d));
    uint32_t tried = 0;
    for_top(last->trace, n)
        ck_assert(session_check_places(s, last->trace, n, want.values, &tried, &d));
    no_errors();
    ck_assert_uint_ge(tried, count_over(last->trace));
    for (int turn = 0; turn < 3; turn++)
        run_as(p, (RunOptions){.whole = turn > 0}, &want, "in the planned places");
    run_free(&want);
}
END_TEST

/* ------------------------------------------------------- executors that say more than is true */

static int lies_over; /* the result of sort that may lie over its operand, as the executor says */
static int first_one; /* the result that is written first */

static bool sorts(const Trace *t, NodeId n, StrBuf *why_not)
{
    sb_puts(why_not, "sorts only");
    return t->nodes[n].op->id == PRIM_sort;
}

static void says_in_place(const Trace *t, NodeId n, Overlay *pairs, uint32_t npairs)
{
    ValueId outs[2];
    arg_values(t->nodes[n].out, outs, 2);
    for (uint32_t i = 0; i < npairs; i++)
        pairs[i].legal = pairs[i].result == outs[lies_over];
}

/* Adds 1 to its operand for one result and 2 for the other: the later one reads what is left. */
static bool add_twice(ExecCall *call)
{
    ValueId outs[2];
    const Node *node = &call->t->nodes[call->node];
    arg_values(node->out, outs, 2);
    Tensor *x = call->values[node->args[0].v];
    for (int step = 0; step < 2; step++) {
        int k = step ? !first_one : first_one;
        Tensor **to = &call->values[outs[k]];
        if (!*to)
            *to = tensor_new(x->dtype, x->device, x->rank, x->shape);
        const int64_t *from = tensor_data(x);
        int64_t *at = tensor_data(*to);
        for (int64_t i = 0; i < tensor_numel(x); i++)
            at[i] = from[i] + 1 + k;
    }
    return true;
}

static const Executor exec_adds = {
    .name = "adds", .kind = EXEC_operator, .can = sorts, .run = add_twice,
    .in_place = says_in_place};

START_TEST(a_place_that_spoils_a_result_is_told)
{
    ExecList all, l;
    executors_default(&all);
    l = (ExecList){.items = {&exec_adds, exec_find(&all, S("interp"))}, .on = {true, true}, .n = 2};
    session_free(s);
    s = session_new(&l);
    Program *p = load_text("def f(x: 'i64[6]'):\n    v, i = torch.sort(x)\n    return v, i\n");
    ck_assert(program_bind_random(s, p, 3, &d));
    Stage *last = program_find_stage(s, p, S("claim"), &d);
    RunOptions keep = {.keep_values = true};
    Run run;
    ck_assert(session_run(s, p, last, &keep, &run, &d));
    no_errors();
    for (int way = 0; way < 4; way++) {
        uint32_t tried = 0;
        bool good = true;
        lies_over = way % 2;
        first_one = way / 2;
        for_top(last->trace, n)
            good = session_check_places(s, last->trace, n, run.values, &tried, &d) && good;
        ck_assert_uint_eq(tried, 1);
        ck_assert(good == (lies_over != first_one));
        if (!good) { /* what is written later has read the other result */
            ck_assert_str_eq(d.first->code, "place-differs");
            ck_assert_int_eq(d.first->message.p[0], first_one ? 'v' : 'i');
        }
        diag_clear(&d);
    }
    run_free(&run);
}
END_TEST

/* The kernel is told: what may overlap has no restrict, all else has. */
START_TEST(only_what_overlaps_is_without_restrict)
{
    begin(C_);
    Program *p = load_text("def f(x: 'f32[640]', y: 'f32[640]'):\n"
                           "    a = torch.exp(x)\n    b = a * y\n    return b.sum()\n");
    ck_assert(program_slot_set(s, p, (uint32_t)program_find_slot(p, S("fuse")), false, &d));
    StrBuf with = {0}, without = {0};
    Stage *last = program_find_stage(s, p, S("last"), &d);
    ck_assert(session_kernel_text(s, last, S("b"), S("c"), &with, &d));
    no_errors();
    ck_assert_ptr_nonnull(strstr(sb_cstr(&with), "const float *in0 = in[0]; // a:"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&with), "const float *restrict in1 = in[1]; // y:"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&with), "float *out0 = out[0]; // b:"));
    ck_assert(session_set_option(s, S("plan.in_place"), S("off"), &d));
    last = program_find_stage(s, p, S("last"), &d);
    ck_assert(session_kernel_text(s, last, S("b"), S("c"), &without, &d));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&without), "const float *restrict in0 = in[0]; // a:"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&without), "float *restrict out0 = out[0]; // b:"));
    sb_free(&with);
    sb_free(&without);
}
END_TEST

static const char chain[] = "def f(x: 'f32[640]'):\n    a = torch.exp(x)\n    b = a * 2\n"
                            "    c = torch.tanh(b)\n    return c.sum()\n";

/* What was written over is gone for those who look on. */
static void look(const Event *e, void *user)
{
    const ValueId *watched = user;
    if (e->kind != EVENT_node_end || !e->values[watched[1]])
        return;
    ck_assert_ptr_null(e->values[watched[0]]);
}

START_TEST(what_was_written_over_is_not_shown)
{
    begin(C_);
    Program *p = load_text(chain);
    ck_assert(program_slot_set(s, p, (uint32_t)program_find_slot(p, S("fuse")), false, &d));
    ck_assert(program_bind_random(s, p, 3, &d));
    Stage *last = program_find_stage(s, p, S("last"), &d);
    ValueId watched[2] = {value(p, "a"), value(p, "b")};
    ck_assert_uint_eq(value_over(last->trace, last->trace->values[watched[1]].producer, watched[1]),
                      watched[0]);
    uint32_t handle = session_listen(s, look, watched);
    Run run;
    ck_assert(session_run(s, p, last, NULL, &run, &d));
    run_free(&run);
    session_unlisten(s, handle);
    no_errors();
}
END_TEST

/* An edited kernel of such a place is tried beside the generated one on whole operands. */
START_TEST(kernels_in_place_can_be_edited)
{
    begin(C_);
    Program *p = load_text(chain);
    ck_assert(program_slot_set(s, p, (uint32_t)program_find_slot(p, S("fuse")), false, &d));
    ck_assert(program_bind_random(s, p, 3, &d));
    Stage *last = program_find_stage(s, p, S("last"), &d);
    StrBuf text = {0}, edited = {0};
    Run want;
    ck_assert(session_run(s, p, last, NULL, &want, &d));
    ck_assert(session_kernel_text(s, last, S("b"), S("c"), &text, &d));
    sb_printf(&edited, "/* by hand */\n%s", sb_cstr(&text));
    KernelEdit result;
    ck_assert(session_kernel_edit(s, p, last, S("b"), sb_str(&edited), &result, &d));
    no_errors();
    run_as(p, (RunOptions){0}, &want, "with an edited kernel");
    run_as(p, (RunOptions){.whole = true}, &want, "with an edited kernel");
    run_free(&want);
    sb_free(&text);
    sb_free(&edited);
}
END_TEST

/* Printed, read, printed: the same; names that the offsets belie are an error. */
START_TEST(the_text_says_it)
{
    use_executors("interp");
    Program *p = load_text(chain);
    StrBuf text = text_of(program_find_stage(s, p, S("last"), &d));
    const char *line = strstr(sb_cstr(&text), "b = prims.mul(a, 2.0)");
    ck_assert_msg(line && strstr(line, "@interp +0 over a\n"), "%s", sb_cstr(&text));
    StrBuf planned = {0};
    PrintOptions o = print_all;
    trace_print(program_find_stage(s, p, S("last"), &d)->trace, &o, &planned);
    Program *again = load_text(sb_cstr(&planned));
    StrBuf why = {0};
    ck_assert_msg(trace_equal(program_root(again)->trace,
                              program_find_stage(s, p, S("last"), &d)->trace, &why) || why.n,
                  "the text reads as another trace");
    ck_assert_uint_eq(count_over(program_root(again)->trace), 2);
    char *name = strstr(planned.p, "over a");
    ck_assert_ptr_nonnull(name);
    name[5] = 'x';
    ck_assert(!session_load_text(s, S("test.py"), sb_str(&planned), (Str){0}, &d));
    ck_assert_uint_eq(d.nerrors, 1);
    ck_assert_str_eq(d.first->code, "bad-place");
    sb_free(&why);
    sb_free(&text);
    sb_free(&planned);
}
END_TEST

/* One application a place; left out by fuel or by hand, the plan does without. */
START_TEST(places_are_applications)
{
    use_executors("interp");
    Program *p = load_text(chain);
    uint32_t plan = (uint32_t)program_find_slot(p, S("plan")), places = 0;
    Stage *last = program_find_stage(s, p, S("last"), &d);
    const RuleLog *log = session_log(s);
    uint64_t first = 0;
    for (uint32_t i = last->trace->log_begin; i < last->trace->log_end; i++) {
        const RuleEntry *e = log_at(log, i);
        if (strcmp(e->kind->rule, "in place") != 0)
            continue;
        first = places++ ? first : e->index;
        ck_assert(e->verdict == RULE_done && e->subject && e->other);
        ck_assert_ptr_nonnull(strstr(rule_reason(e).p, "2560 bytes less"));
    }
    ck_assert_uint_eq(places, 2);
    ck_assert(program_slot_skip(s, p, plan, first, true, &d));
    no_errors();
    ck_assert_uint_eq(count_over(program_find_stage(s, p, S("last"), &d)->trace), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("places");
    TCase *c = tcase_create("places");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, nobody_can_tell, 0, (int)ARRAY_LEN(cases));
    tcase_add_loop_test(c, fused_regions_too, 0, 2 * (int)ARRAY_LEN(regions));
    tcase_add_test(c, only_what_overlaps_is_without_restrict);
    tcase_add_test(c, a_place_that_spoils_a_result_is_told);
    tcase_add_test(c, what_was_written_over_is_not_shown);
    tcase_add_test(c, kernels_in_place_can_be_edited);
    tcase_add_test(c, the_text_says_it);
    tcase_add_test(c, places_are_applications);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
