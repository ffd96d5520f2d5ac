/*
 * check_remat.c - what split and remat promise: two parts that give what the whole gives, less kept
 * for the backward part, any application of a rule left out, and a reason for every decision.
 */
#define _POSIX_C_SOURCE 200809L
#include "cut.h"
#include "support.h"
#include "session_fixture.h"

#include <math.h>
#include <unistd.h>

/* Chains, a product, a reduction, and an input that is written. */
static const char *const chain =
    "def f(x: \"f32[8, 6]\", w: \"f32[6, 6]\", n: \"f32[6]\"):\n"
    "    a = torch.nn.functional.linear(x, w)\n"
    "    b = torch.nn.functional.gelu(a)\n"
    "    c = torch.sigmoid(b) * torch.exp(a)\n"
    "    e = torch.nn.functional.linear(c, w)\n"
    "    g = torch.nn.functional.layer_norm(e, (6,), n)\n"
    "    n.copy_(n * 2)\n"
    "    return (g, torch.tanh(torch.sum(c, 0)))\n";

/* The same without the write: all can come back from the inputs. */
static const char *const pure =
    "def f(x: \"f32[8, 6]\", w: \"f32[6, 6]\", n: \"f32[6]\"):\n"
    "    a = torch.nn.functional.linear(x, w)\n"
    "    b = torch.nn.functional.gelu(a)\n"
    "    c = torch.sigmoid(b) * torch.exp(a)\n"
    "    e = torch.nn.functional.linear(c, w)\n"
    "    return (torch.nn.functional.layer_norm(e, (6,), n), torch.tanh(torch.sum(c, 0)))\n";

static Program *trained(const char *text)
{
    Program *p = load_text(text);
    use_executors("interp");
    ck_assert(program_bind_random(s, p, 3, &d));
    ck_assert(program_grad(s, p, S("all"), false, &d));
    no_errors();
    return p;
}

/* Keeps the parts apart to the end of the line. */
static void keep_apart(Program *p)
{
    uint32_t join = (uint32_t)program_find_slot(p, S("join"));
    ck_assert(program_slot_set(s, p, join, false, &d));
    no_errors();
}

static Stage *stage(Program *p, const char *name)
{
    Stage *st = program_find_stage(s, p, str_from(name), &d);
    no_errors();
    ck_assert_ptr_nonnull(st);
    return st;
}

static int64_t kept_bytes(const Trace *t)
{
    Saved *saved;
    uint32_t n = trace_saved(t, &saved);
    int64_t bytes = 0;
    for (uint32_t i = 0; i < n; i++)
        bytes += t->values[saved[i].v].producer == NO_NODE ? 0 : saved[i].bytes;
    free(saved);
    return bytes;
}

/* ------------------------------------------------------------------------------------ the cut */

enum { MOST = 8 };

/* The weight of the best of all cuts, tried one by one; vertex 0 is the source, 1 the sink. */
static int64_t best_cut(uint32_t n, int64_t edges[MOST][MOST])
{
    int64_t best = INT64_MAX;
    for (uint32_t set = 0; set < 1u << (n - 2); set++) {
        uint32_t sink_side = set << 2 | 2;
        int64_t weight = 0;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < n; k++)
                if (!(sink_side >> i & 1) && (sink_side >> k & 1))
                    weight += edges[i][k];
        best = weight < best ? weight : best;
    }
    return best;
}

START_TEST(the_cut_is_the_smallest)
{
    uint64_t state = 1;
    for (int round = 0; round < 500; round++) {
        int64_t edges[MOST][MOST] = {{0}}, weight = 0;
        uint32_t n = 3 + (uint32_t)round % (MOST - 2);
        bool side[MOST];
        Cut c;
        cut_init(&c, n);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < n; k++) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                if (i == k || (state >> 60) < 8)
                    continue;
                edges[i][k] = (int64_t)(state >> 40 & 63);
                cut_edge(&c, i, k, edges[i][k]);
            }
        int64_t flow = cut_solve(&c, 0, 1);
        ck_assert_int_eq(flow, best_cut(n, edges));
        cut_sides(&c, 1, side);
        ck_assert(!side[0] && side[1]);
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t k = 0; k < n; k++)
                weight += !side[i] && side[k] ? edges[i][k] : 0;
        ck_assert_int_eq(weight, flow);
        cut_free(&c);
    }
}
END_TEST

/* ---------------------------------------------------------------------------------- the parts */

static void same_tensors(Tensor *const *have, Tensor *const *want, uint32_t n, double tolerance)
{
    for (uint32_t i = 0; i < n; i++) {
        ck_assert_int_eq(have[i] != NULL, want[i] != NULL);
        if (want[i])
            ck_assert_msg(tensor_compare(have[i], want[i], tolerance, tolerance).equal,
                          "result %u differs", i);
    }
}

static Tensor **inputs_of(Program *p, const Trace *t)
{
    Tensor **in = malloc((t->ninputs + 1) * sizeof *in);
    const Trace *joint = stage(p, "joint")->trace;
    for (uint32_t i = 0; i < t->ninputs; i++)
        in[i] = program_binding(p, joint->inputs[i]);
    return in;
}

static void check_parts(Program *p, const char *name)
{
    keep_apart(p);
    Stage *st = stage(p, name);
    Run whole, forward, backward;
    ck_assert(session_run(s, p, st, NULL, &whole, &d));
    Tensor **in = inputs_of(p, st->trace);
    ck_assert_msg(trace_run_parts(s, st->trace, in, &forward, &backward, &d), "%s",
                  diag_text(&d));
    uint32_t own = trace_outputs(program_root(p)->trace, NULL, 0);
    same_tensors(forward.outputs, whole.outputs, own, 0);
    ck_assert_uint_eq(backward.noutputs, whole.noutputs - own);
    same_tensors(backward.outputs, whole.outputs + own, backward.noutputs, 0);
    for (uint32_t i = 0; i < st->trace->ninputs; i++) { /* written by the forward part */
        ck_assert(i >= forward.t->ninputs || !backward.mutated || i >= backward.t->ninputs ||
                  !backward.mutated[i]);
        if (whole.mutated[i])
            same_tensors(&forward.mutated[i], &whole.mutated[i], 1, 0);
    }
    free(in);
    run_free(&whole);
    run_free(&forward);
    run_free(&backward);
}

START_TEST(the_parts_together_are_the_whole)
{
    Program *p = trained(chain);
    static const char *const stages[] = {"split", "remat", "claim", "plan"};
    for (size_t i = 0; i < ARRAY_LEN(stages); i++)
        check_parts(p, stages[i]);
}
END_TEST

START_TEST(what_is_written_is_copied_for_the_backward_part)
{
    Program *p = trained("def f(x: \"f32[3]\"):\n    y = x * x\n    x.copy_(y)\n"
                         "    return (y * 2,)\n");
    const Trace *t = stage(p, "split")->trace;
    NodeId end = trace_end_of_forward(t);
    ck_assert_uint_ne(end, NO_NODE);
    for_top(t, n)
        ck_assert(!(t->nodes[n].op->flags & OP_IN_PLACE) || n < end);
    Saved *saved;
    ck_assert_uint_eq(trace_saved(t, &saved), 1);
    ck_assert_str_eq(t->nodes[t->values[saved[0].v].producer].op->name, "clone");
    free(saved);
    check_parts(p, "split");
    check_parts(p, "plan");
}
END_TEST

START_TEST(parts_are_programs_with_stages_of_their_own)
{
    Program *p = trained(chain);
    Run whole;
    ck_assert(session_run(s, p, stage(p, "last"), NULL, &whole, &d));
    Program *forward = program_parts(s, p, stage(p, "remat"), &d);
    ck_assert_ptr_nonnull(forward);
    ck_text(program_name(forward), "f.forward");
    ck_assert_ptr_eq(session_current(s), forward);
    Program *backward = session_program(s, session_program_count(s) - 1);
    ck_text(program_name(backward), "f.backward");
    ck_assert_int_eq(program_root(forward)->trace->kind, TRACE_forward);
    ck_assert_int_eq(program_root(backward)->trace->kind, TRACE_backward);
    Run run;
    ck_assert(session_run(s, forward, program_find_stage(s, forward, S("last"), &d), NULL, &run,
                          &d));
    run_free(&run);
    ck_assert_msg(session_run(s, backward, program_find_stage(s, backward, S("last"), &d), NULL,
                              &run, &d), "%s", diag_text(&d));
    uint32_t own = trace_outputs(program_root(p)->trace, NULL, 0);
    same_tensors(run.outputs, whole.outputs + own, run.noutputs, 1e-5);
    run_free(&run);
    run_free(&whole);
    session_unload(s, backward);
    ck_assert(session_run(s, forward, program_root(forward), NULL, &run, &d));
    run_free(&run);
    ck_assert_ptr_null(program_parts(s, p, stage(p, "joint"), &d));
    ck_error(&d, "not-split");
}
END_TEST

/* ------------------------------------------------------------------------- every application */

static void same_as_joint(Program *p, const Stage *st, const Run *joint)
{
    Run run;
    RunOptions oracle = {.rounding = ROUND_f64};
    ck_assert_msg(trace_verify(st->trace, &d), "%s", diag_text(&d));
    ck_assert_msg(session_run(s, p, st, &oracle, &run, &d), "%s", diag_text(&d));
    same_tensors(run.outputs, joint->outputs, joint->noutputs, 1e-9);
    run_free(&run);
}

START_TEST(any_application_can_be_left_out)
{
    static const char *const passes[] = {"split", "remat"};
    Program *p = trained(chain);
    ck_assert(session_set_option(s, S("remat.price"), S("0.0625"), &d));
    RunOptions oracle = {.rounding = ROUND_f64};
    Run joint;
    ck_assert(session_run(s, p, stage(p, "joint.dce"), &oracle, &joint, &d));
    ck_assert_uint_ge(stage(p, "remat")->applied, 3);
    for (size_t k = 0; k < ARRAY_LEN(passes); k++) {
        uint32_t slot = (uint32_t)program_find_slot(p, str_from(passes[k]));
        uint64_t n = stage(p, passes[k])->applied;
        for (uint64_t i = 0; i <= n; i++) {
            ck_assert(program_slot_fuel(s, p, slot, i, &d));
            same_as_joint(p, stage(p, passes[k]), &joint);
            if (program_find_slot(p, S("remat")) == (int)slot && i > 0)
                check_parts(p, "remat");
        }
        ck_assert(program_slot_fuel(s, p, slot, UINT64_MAX, &d));
        for (uint64_t i = 0; i < n; i++) {
            ck_assert(program_slot_skip(s, p, slot, i, true, &d));
            same_as_joint(p, stage(p, passes[k]), &joint);
            ck_assert(program_slot_skip(s, p, slot, i, false, &d));
        }
    }
    run_free(&joint);
}
END_TEST

/* Programs that nobody wrote for this: remat gives the gradients of the joint trace, and the parts
 * what the whole gives, however little may be kept. */
START_TEST(random_programs_keep_their_gradients)
{
    static const char *const budgets[] = {"1", "0.5", "0"};
    use_executors("interp");
    uint32_t n = session_load(s, S(CASES "random.py"), &d), differentiable = 0;
    ck_assert_uint_gt(n, 10);
    for (uint32_t i = 0; i < n; i++) {
        Program *p = session_program(s, i);
        Run joint;
        RunOptions oracle = {.rounding = ROUND_f64};
        ck_assert(program_bind_random(s, p, i, &d));
        if (!program_grad(s, p, S("all"), false, &d)) {
            diag_clear(&d); /* no floating input, or complex numbers */
            continue;
        }
        differentiable++;
        ck_assert(session_run(s, p, stage(p, "joint"), &oracle, &joint, &d));
        for (size_t k = 0; k < ARRAY_LEN(budgets); k++) {
            ck_assert(session_set_option(s, S("remat.memory_budget"), str_from(budgets[k]), &d));
            same_as_joint(p, stage(p, "split"), &joint);
            same_as_joint(p, stage(p, "remat"), &joint);
            check_parts(p, "remat");
        }
        run_free(&joint);
    }
    ck_assert_uint_gt(differentiable, n / 2);
}
END_TEST

START_TEST(every_stage_prints_as_it_parses)
{
    Program *p = trained(chain);
    for (uint32_t i = 0; i < program_stage_count(p); i++) {
        Stage *st = program_stage(s, p, i, &d);
        StrBuf text = {0};
        trace_print(st->trace, &print_all, &text);
        session_load_text(s, S("again.py"), sb_str(&text), (Str){0}, &d);
        no_errors();
        StrBuf why = {0};
        ck_assert_msg(trace_equal(st->trace, program_root(session_current(s))->trace, &why),
                      "%.*s: %s", STR(st->name), sb_cstr(&why));
        sb_free(&text);
        session_unload(s, session_current(s));
    }
}
END_TEST

/* ---------------------------------------------------------------------------- what is decided */

static uint32_t count_again(const Trace *t, uint32_t facts)
{
    uint32_t n = 0;
    for (NodeId i = 0; i < t->nnodes; i++)
        n += (t->nodes[i].flags & NF_RECOMPUTE) && (t->nodes[i].op->flags & facts);
    return n;
}

START_TEST(less_is_kept_and_no_product_runs_twice)
{
    Program *p = trained(pure);
    int64_t split = kept_bytes(stage(p, "split")->trace);
    ck_assert_int_lt(kept_bytes(stage(p, "remat")->trace), split);
    ck_assert(session_set_option(s, S("remat.price"), S("0.0625"), &d));
    const Trace *t = stage(p, "remat")->trace;
    ck_assert_int_lt(kept_bytes(t), split / 2);
    ck_assert_uint_gt(count_again(t, UINT32_MAX), 0);
    ck_assert_uint_eq(count_again(t, OP_MATMUL | OP_RANDOM), 0);
    int64_t before = kept_bytes(t);
    static const char *const budgets[] = {"0.9", "0.5", "0.2", "0"};
    for (size_t i = 0; i < ARRAY_LEN(budgets); i++) {
        ck_assert(session_set_option(s, S("remat.memory_budget"), str_from(budgets[i]), &d));
        int64_t now = kept_bytes(stage(p, "remat")->trace);
        ck_assert_int_le(now, before);
        before = now;
    }
    ck_assert_int_eq(before, 0); /* all comes back from the inputs, products too */
    ck_assert_uint_gt(count_again(stage(p, "remat")->trace, OP_MATMUL), 0);
    check_parts(p, "remat");
    session_set_option(s, S("remat.memory_budget"), S("2"), &d);
    program_find_stage(s, p, S("remat"), &d);
    ck_error(&d, "bad-option");
}
END_TEST

/* One kernel forward, which writes the result alone, and one backward, which starts from inputs. */
START_TEST(what_is_computed_again_fuses_with_its_reader)
{
    Program *p = load_text("def f(x: \"f32[512, 64]\", y: \"f32[512, 64]\"):\n"
                           "    a = torch.exp(x)\n    b = torch.sin(a) * y\n"
                           "    return (torch.tanh(b) * torch.cos(b),)\n");
    use_executors("c,interp");
    ck_assert(program_grad(s, p, S("all"), false, &d));
    keep_apart(p);
    const Trace *t = stage(p, "plan")->trace;
    uint32_t kernels[2] = {0, 0}, others = 0;
    NodeId end = trace_end_of_forward(t);
    for_top(t, n)
        if (!(t->nodes[n].op->flags & OP_CONTROL)) {
            bool kernel = t->nodes[n].op->id == PRIM_call;
            kernels[n > end] += kernel;
            others += !kernel;
            ck_assert_uint_eq(arg_values(t->nodes[n].out, NULL, 0), n > end ? 2 : 1);
        }
    ck_assert_uint_eq(kernels[0], 1);
    ck_assert_uint_eq(kernels[1], 1);
    ck_assert_uint_eq(others, 0);
    ck_assert_int_eq(kept_bytes(t), 0);
}
END_TEST

START_TEST(options_open_what_is_closed)
{
    Program *p = trained("def f(x: \"f32[64, 4]\", w: \"f32[64, 4]\"):\n"
                         "    a = torch.nn.functional.linear(x, w)\n" /* little work, much result */
                         "    return (torch.sin(a),)\n");
    ck_assert_uint_eq(count_again(stage(p, "remat")->trace, OP_MATMUL), 0);
    ck_assert(session_set_option(s, S("remat.matmul"), S("100"), &d));
    ck_assert_uint_eq(count_again(stage(p, "remat")->trace, OP_MATMUL), 1);
    ck_assert_int_eq(kept_bytes(stage(p, "remat")->trace), 0);
    ck_assert(session_set_option(s, S("remat.price"), S("1000"), &d));
    ck_assert_uint_eq(count_again(stage(p, "remat")->trace, OP_MATMUL), 0);
}
END_TEST

static bool again(const Trace *t, const char *name)
{
    return trace_find_value(t, str_from(name)) != 0;
}

/* It lies in memory for the product of the forward part, and would be written once more for that
 * of the backward part. What only kernels read is theirs to compute. */
START_TEST(what_products_of_both_parts_read_is_kept)
{
    Program *p = trained("def f(x: \"f32[64, 64]\", w: \"f32[64, 64]\"):\n"
                         "    a = torch.nn.functional.linear(x, w)\n"
                         "    b = torch.nn.functional.gelu(a)\n"
                         "    c = torch.nn.functional.linear(b, w)\n"
                         "    e = torch.sin(torch.exp(c))\n"
                         "    return (e * e,)\n");
    const Trace *t = stage(p, "remat")->trace;
    ck_assert(!again(t, "bw_b"));
    ck_assert(again(t, "bw_e"));
    ck_assert(session_set_option(s, S("remat.price"), S("0.25"), &d));
    ck_assert(again(stage(p, "remat")->trace, "bw_b"));
}
END_TEST

/* The gradient of the loss wants the shape of the logarithms, and their numbers only within the
 * kernel that makes them again of the logits: these are kept, in their own dtype. */
START_TEST(of_a_softmax_the_logits_are_kept)
{
    Program *p = trained("def f(x: \"bf16[32, 16]\", w: \"bf16[64, 16]\", i: \"i64[32]\"):\n"
                         "    a = torch.nn.functional.linear(x, w).float()\n"
                         "    return (torch.nn.functional.cross_entropy(a, i),)\n");
    ck_assert_int_lt(kept_bytes(stage(p, "remat")->trace), 32 * 64 * 2 + 32 * 4 * 3);
}
END_TEST

START_TEST(random_numbers_are_drawn_once)
{
    Program *p = trained("def f(x: \"f32[8, 8]\"):\n"
                         "    y = torch.nn.functional.dropout(torch.exp(x), 0.5, True)\n"
                         "    return (torch.sin(y),)\n");
    const Trace *t = stage(p, "remat")->trace;
    ck_assert_uint_eq(count_again(t, OP_RANDOM), 0);
    Saved *saved;
    uint32_t n = trace_saved(t, &saved), masks = 0;
    for (uint32_t i = 0; i < n; i++)
        masks += t->values[saved[i].v].type.dtype == DT_b8;
    free(saved);
    ck_assert_uint_eq(masks, 1); /* a byte an element, not the numbers that were drawn */
    check_parts(p, "plan");
}
END_TEST

START_TEST(checkpoint_regions_are_run_again)
{
    Program *p = load_case(CASES "checkpoint.py");
    ck_assert(program_bind_file(s, p, S(CASES "checkpoint.safetensors"), (Str){0}, &d));
    ck_assert(program_grad(s, p, S("all"), false, &d));
    const Trace *t = stage(p, "remat")->trace;
    ck_assert_uint_eq(count_again(t, OP_MATMUL), 1); /* the first; the second ends its region */
    uint32_t regions = 0;
    for (NodeId n = 0; n < t->nnodes; n++)
        regions = node_region(&t->nodes[n]) > regions ? node_region(&t->nodes[n]) : regions;
    ck_assert_uint_eq(regions, 2);
    StrBuf text = text_of(program_root(p));
    ck_contains(sb_cstr(&text), "\"cpu f32[8, 32]\" region 1");
    sb_free(&text);
}
END_TEST

/* A function of the file as a region, with dropout in it: nothing inside is kept, and the numbers
 * that are drawn again are those of the forward part. */
START_TEST(draws_of_a_checkpoint_region_are_the_same_again)
{
    Program *p = trained("def body(x, w):\n"
                         "    h = torch.nn.functional.dropout(torch.exp(x @ w), 0.5, True)\n"
                         "    return torch.sin(h) @ w\n"
                         "def f(x: \"f32[8, 8]\", w: \"f32[8, 8]\"):\n"
                         "    y = torch.utils.checkpoint.checkpoint(body, x, w,\n"
                         "                                          use_reentrant=True)\n"
                         "    return (torch.tanh(y),)\n");
    ck_assert_uint_eq(session_program_count(s), 1);
    const Trace *t = stage(p, "remat")->trace;
    ck_assert_uint_gt(count_again(t, OP_RANDOM), 0);
    ck_assert_uint_eq(count_again(t, OP_MATMUL), 1);
    Saved *saved;
    uint32_t n = trace_saved(t, &saved);
    for (uint32_t i = 0; i < n; i++) {
        NodeId maker = t->values[saved[i].v].producer;
        ck_assert(maker == NO_NODE || node_region(&t->nodes[maker]) == 0 ||
                  (t->nodes[maker].op->flags & OP_MATMUL)); /* what the region gives */
    }
    free(saved);
    Run before, after;
    ck_assert(session_run(s, p, stage(p, "joint"), NULL, &before, &d));
    ck_assert(session_run(s, p, stage(p, "remat"), NULL, &after, &d));
    same_tensors(after.outputs, before.outputs, before.noutputs, 0);
    run_free(&before);
    run_free(&after);
    check_parts(p, "plan");
}
END_TEST

/* As AOTAutograd's dumps say which nodes a checkpoint has. */
START_TEST(comments_of_pytorch_name_regions)
{
    Program *p = trained("def f(x: \"f32[8, 8]\", w: \"f32[8, 8]\"):\n"
                         "     # ac_graph_id: 1 - PREFER_RECOMPUTE File: m.py:3 in f\n"
                         "    a = torch.ops.aten.mm.default(x, w)\n"
                         "    b = torch.ops.aten.exp.default(a)\n"
                         "     # ac_graph_id: 1 - MUST_SAVE File: m.py:4 in f, code: c = b @ w\n"
                         "    c = torch.ops.aten.mm.default(b, w)\n"
                         "     # File: m.py:5 in f, code: d = c.sin()\n"
                         "    d = torch.ops.aten.sin.default(c)\n"
                         "    return (d,)\n");
    StrBuf text = text_of(program_root(p));
    ck_contains(sb_cstr(&text), "a = ltorch.mm(x, w)  # a: \"cpu f32[8, 8]\" region 2");
    ck_contains(sb_cstr(&text), "b = ltorch.exp(a)  # b: \"cpu f32[8, 8]\" region 2");
    ck_contains(sb_cstr(&text), "c = ltorch.mm(b, w)  # c: \"cpu f32[8, 8]\" region 2 kept\n");
    sb_free(&text);
    ck_assert_uint_eq(count_again(stage(p, "remat")->trace, OP_MATMUL), 1);
    ck_assert_int_eq(kept_bytes(stage(p, "remat")->trace), 8 * 8 * 4); /* c */
}
END_TEST

START_TEST(a_function_that_calls_itself_is_an_error)
{
    session_load_text(s, S("self.py"),
                      S("def body(x):\n"
                        "    return body(torch.sin(x))\n"
                        "def f(x: \"f32[8]\"):\n"
                        "    return (torch.utils.checkpoint.checkpoint(body, x),)\n"),
                      (Str){0}, &d);
    ck_assert_uint_ge(d.nerrors, 1);
    ck_assert_str_eq(d.first->code, "too-deep");
}
END_TEST

/* What it proposes keeps less than now, whatever the budget is; nothing is proposed below 0. */
START_TEST(the_budget_proposed_is_less)
{
    static const char *const budgets[][2] = {{"1", "budget 0.5`"}, {"0.5", "budget 0.25`"},
                                             {"0.1", "budget 0`"}};
    Program *p = load_case(SOURCE_DIR "/examples/tiny_gpt.py");
    use_executors("interp");
    ValueId a = trace_find_value(program_root(p)->trace, S("y_0"));
    ck_assert(program_grad(s, p, S("all"), false, &d));
    ck_assert(session_set_option(s, S("remat.price"), S("1000"), &d));
    for (size_t i = 0; i < ARRAY_LEN(budgets); i++) {
        StrBuf b = {0};
        ck_assert(session_set_option(s, S("remat.memory_budget"), str_from(budgets[i][0]), &d));
        why_saved(s, p, a, &b);
        ck_contains(sb_cstr(&b), " are kept");
        ck_contains(sb_cstr(&b), budgets[i][1]);
        sb_free(&b);
    }
}
END_TEST

START_TEST(every_decision_has_a_reason)
{
    Program *p = trained(chain);
    ck_assert(session_set_option(s, S("remat.price"), S("0.0625"), &d));
    StrBuf b = {0};
    const Trace *root = program_root(p)->trace;
    why_saved(s, p, trace_find_value(root, S("a")), &b);
    ck_contains(sb_cstr(&b), "192 B are kept: prims.linear does not run twice, since products are "
                             "not repeated (3 operations for a byte; `option remat.matmul 4`");
    sb_clear(&b);
    why_saved(s, p, trace_find_value(root, S("c")), &b);
    ck_contains(sb_cstr(&b), "is computed again in the backward part, as %bw_c: 192 B less");
    sb_clear(&b);
    why_saved(s, p, trace_find_value(stage(p, "remat")->trace, S("bw_c")), &b);
    ck_contains(sb_cstr(&b), "as %bw_c");
    sb_clear(&b);
    why_saved(s, p, trace_find_value(root, S("w")), &b);
    ck_contains(sb_cstr(&b), "it is an input");
    sb_clear(&b);
    ck_assert(program_grad(s, p, (Str){0}, false, &d));
    why_saved(s, p, trace_find_value(root, S("a")), &b);
    ck_contains(sb_cstr(&b), "There is no backward part");
    sb_free(&b);
}
END_TEST

/* ------------------------------------------------------------------------------ second order */

START_TEST(a_vector_gives_its_product_with_the_hessian)
{
    Program *p = load_text("def f(x: \"f64[3]\", y: \"f64[3]\"):\n"
                           "    return (torch.sum(torch.sin(x) * y),)\n");
    const double xs[3] = {1, 2, 3}, ys[3] = {4, 5, 6}, vs[3] = {1, -2, 0.5};
    Tensor *x = tensor_new(DT_f64, (Device){0}, 1, (const int64_t[]){3});
    Tensor *y = tensor_new_like(x), *v = tensor_new_like(x);
    memcpy(tensor_data(x), xs, sizeof xs);
    memcpy(tensor_data(y), ys, sizeof ys);
    memcpy(tensor_data(v), vs, sizeof vs);
    ck_assert(!program_grad_again(s, p, S("x"), &d));
    ck_error(&d, "no-gradients");
    diag_clear(&d);
    ck_assert(program_bind_tensor(p, S("x"), x, &d) && program_bind_tensor(p, S("y"), y, &d));
    ck_assert(program_grad(s, p, S("x"), false, &d));
    ck_assert(program_grad_again(s, p, S("x"), &d));
    ck_text(program_cursor(p)->name, "joint.2");
    ck_assert(program_bind_tensor(p, S("cot_1"), v, &d));
    Run run;
    ck_assert_msg(session_run(s, p, stage(p, "last"), NULL, &run, &d), "%s", diag_text(&d));
    ck_assert_uint_eq(run.noutputs, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(element(run.outputs[2], i), -sin(xs[i]) * ys[i] * vs[i], 1e-12);
    run_free(&run);
    ck_assert(program_grad(s, p, (Str){0}, false, &d));
    ck_assert(!program_slot(p, (uint32_t)program_find_slot(p, S("joint.2")))->on);
    tensor_unref(x);
    tensor_unref(y);
    tensor_unref(v);
}
END_TEST

/* --------------------------------------------------------------------------------- recordings */

static ReplayResult replay(const char *path, StrBuf *lines)
{
    ReplayResult r;
    Str p = str_from(path);
    ExecList interp; /* the point is the gradients, not the kernels */
    ck_assert(exec_parse_list(session_executors(s), S("interp"), &interp, &d));
    ReplayOptions o = {.grad = true, .rtol = -1, .atol = -1, .user = lines, .executors = &interp};
    ck_assert(session_replay(s, &p, 1, &o, &r, &d));
    return r;
}

START_TEST(our_backward_part_gives_what_aotautograd_recorded)
{
    ReplayResult r = replay(CASES "mlp.dynamo.py", NULL);
    ck_assert_uint_eq(r.passed, 1);
    r = replay(CASES "gpt_block.dynamo.py", NULL);
    ck_assert_uint_eq(r.passed, 1);
}
END_TEST

static void copy_file(const char *name, const char *folder, long change)
{
    char path[256];
    Arena a = {0};
    snprintf(path, sizeof path, CASES "%s", name);
    FILE *in = fopen(path, "rb");
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "wb");
    ck_assert(in && out);
    fseek(in, 0, SEEK_END);
    long n = ftell(in);
    rewind(in);
    char *data = arena_alloc(&a, (size_t)n);
    ck_assert_uint_eq(fread(data, 1, (size_t)n, in), (size_t)n);
    if (change)
        data[n - change] ^= 0x40;
    ck_assert_uint_eq(fwrite(data, 1, (size_t)n, out), (size_t)n);
    fclose(in);
    fclose(out);
    arena_free(&a);
}

static const char *const mlp_files[] = {"mlp.dynamo.py", "mlp.dynamo.safetensors", "mlp.aot_fw.py",
                                        "mlp.aot_fw.safetensors", "mlp.aot_bw.py",
                                        "mlp.aot_bw.safetensors"};

/* A copy of the recordings in which one bit of file `changed` is another. */
static ReplayResult replay_changed(size_t changed, long at)
{
    char folder[] = "/tmp/thunder-remat-XXXXXX", path[256];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (size_t i = 0; i < ARRAY_LEN(mlp_files); i++)
        copy_file(mlp_files[i], folder, i == changed ? at : 0);
    snprintf(path, sizeof path, "%s/mlp.dynamo.py", folder);
    ReplayResult r = replay(path, NULL);
    for (size_t i = 0; i < ARRAY_LEN(mlp_files); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, mlp_files[i]);
        unlink(path);
    }
    rmdir(folder);
    return r;
}

START_TEST(a_recording_that_says_something_else_fails)
{
    ck_assert_uint_eq(replay_changed(SIZE_MAX, 0).passed, 1);
    ck_assert_uint_eq(replay_changed(5, 1).failed, 1); /* the last number of a gradient */
    ck_assert_uint_eq(replay_changed(3, 2209).failed, 1); /* primals_4 is no input then */
}
END_TEST

/* ----------------------------------------------------------------------- the same every time */

static void text_of_a_process(StrBuf *b)
{
    FILE *f = popen(THUNDER_REPL " --batch -n -e 'executor off c' -e 'load " CASES
                    "gpt_block.dynamo.py' -e 'grad all' -e 'goto last' -e 'list acquired' "
                    "-e 'list joint' -e 'list split' -e 'list remat' -e 'list claim' -e list "
                    "2>/dev/null", "r");
    ck_assert_ptr_nonnull(f);
    add_stream(f, b);
    ck_assert_int_eq(pclose(f), 0);
}

/* The columns of times differ. */
static Str without_table(Str text)
{
    size_t at = 0;
    for (size_t i = 0; i + 4 < text.n && !at; i++)
        if (memcmp(text.p + i, "def ", 4) == 0)
            at = i;
    return str_sub(text, at, SIZE_MAX);
}

START_TEST(the_text_is_the_same_in_every_process)
{
    enum { PROCESSES = 20 };
    StrBuf first = {0}, other = {0};
    text_of_a_process(&first);
    ck_assert_uint_gt(without_table(sb_str(&first)).n, 10000);
    for (int i = 1; i < PROCESSES; i++) {
        sb_clear(&other);
        text_of_a_process(&other);
        ck_assert(str_eq(without_table(sb_str(&other)), without_table(sb_str(&first))));
    }
    sb_free(&first);
    sb_free(&other);
}
END_TEST

static Suite *remat_suite(void)
{
    const TTest *const tests[] = {
        the_cut_is_the_smallest, the_parts_together_are_the_whole,
        what_is_written_is_copied_for_the_backward_part,
        parts_are_programs_with_stages_of_their_own,
        any_application_can_be_left_out, random_programs_keep_their_gradients,
        every_stage_prints_as_it_parses,
        less_is_kept_and_no_product_runs_twice, what_is_computed_again_fuses_with_its_reader,
        options_open_what_is_closed, what_products_of_both_parts_read_is_kept,
        of_a_softmax_the_logits_are_kept,
        random_numbers_are_drawn_once, checkpoint_regions_are_run_again,
        draws_of_a_checkpoint_region_are_the_same_again, comments_of_pytorch_name_regions,
        a_function_that_calls_itself_is_an_error,
        every_decision_has_a_reason, the_budget_proposed_is_less,
        a_vector_gives_its_product_with_the_hessian,
        our_backward_part_gives_what_aotautograd_recorded,
        a_recording_that_says_something_else_fails, the_text_is_the_same_in_every_process};
    Suite *suite = suite_create("remat");
    TCase *c = tcase_create("all");
    tcase_add_checked_fixture(c, setup, teardown);
    for (size_t i = 0; i < ARRAY_LEN(tests); i++)
        tcase_add_test(c, tests[i]);
    suite_add_tcase(suite, c);
    return suite;
}

int main(void)
{
    return run_suite(remat_suite());
}
