/*
 * check_each.c - each statement of a stage against the oracle, on the operands that it had.
 *
 * A kernel that a test has made wrong is found, in the element where it is wrong, and what comes
 * behind it is not blamed; programs as they are have nothing wrong. Looking at parts of results
 * gives what looking at all of them gives.
 */
#include "support.h"

#include "run.h"
#include "session_fixture.h"

#include <math.h>

static EachCheck check;

static void use_c(void)
{
    use_executors("c,interp");
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
}

static void leave(void)
{
    each_free(&check);
    teardown();
}

static void run_check(Program *p, const EachOptions *o)
{
    each_free(&check);
    ck_assert(session_check_each(s, p, program_find_stage(s, p, S("last"), &d), o, &check, &d));
    no_errors();
}

static Program *bound_text(const char *text)
{
    Program *p = load_text(text);
    ck_assert(program_bind_random(s, p, 5, &d));
    return p;
}

/* The row of a kernel. */
static const EachRow *row_of(const char *name)
{
    NodeId n = trace_find_kernel(check.t, str_from(name));
    for (uint32_t i = 0; i < check.n; i++)
        if (check.rows[i].node == n)
            return &check.rows[i];
    ck_abort_msg("there is no row of %s", name);
    return NULL;
}

/* From now on, kernel cFusion0 of p has this text in place of its first `what`. */
static void plant(Program *p, const char *what, const char *instead)
{
    Stage *last = program_find_stage(s, p, S("last"), &d);
    NodeId n = kernel_find(s, last, S("cFusion0"), &d);
    no_errors();
    Kernel *k = kernel_compile(s, last->trace, n, (Str){0}, &d);
    ck_assert_ptr_nonnull(k);
    StrBuf all = {0}, text = {0};
    sb_add(&all, k->text);
    const char *found = strstr(sb_cstr(&all), what);
    ck_assert_msg(found != NULL, "no %s in\n%s", what, sb_cstr(&all));
    size_t at = (size_t)(found - sb_cstr(&all));
    sb_add(&text, str_sub(k->text, 0, at));
    sb_puts(&text, instead);
    sb_add(&text, str_sub(k->text, at + strlen(what), SIZE_MAX));
    kernel_keep_edit(s, k->hash, sb_str(&text));
    k->executor->drop(k);
    sb_free(&all);
    sb_free(&text);
}

static const char *const scaled =
    "def f(x: \"f32[64, 48]\", w: \"f32[48, 48]\"):\n"
    "    a = torch.exp(x) * 3.25\n    b = torch.matmul(a, w)\n    c = torch.tanh(b) + b\n"
    "    return (a, c)\n";

START_TEST(right_kernels_are_right)
{
    EachOptions o = {.sample = 0};
    use_c();
    run_check(bound_text(scaled), &o);
    ck_assert_uint_eq(check.n, 3);
    ck_assert_uint_eq(check.wrong + check.untold, 0);
    for (uint32_t i = 0; i < check.n; i++)
        ck_assert_int_eq(check.rows[i].seen, 64 * 48);
    ck_assert(row_of("cFusion0")->ulp <= 2); /* the bound says something: nothing is far off */
}
END_TEST

/* Wrong by so many ULP; the product behind it is right for what it was given. */
START_TEST(a_wrong_kernel_is_found_and_nothing_behind_it)
{
    static const char *const constants[] = {"3.25001f", "3.250002f", "-3.25f"};
    EachOptions o = {.sample = 0};
    use_c();
    Program *p = bound_text(scaled);
    plant(p, "3.25f", constants[_i]);
    run_check(p, &o);
    ck_assert_uint_eq(check.wrong, 1);
    const EachRow *row = row_of("cFusion0");
    ck_assert_int_gt(row->wrong, _i == 1 ? 0 : 64 * 47);
    ck_assert(row->excess > 2);
    ck_assert(fabs(row->got - row->exact) > row->allowed * tensor_ulp(row->exact, DT_f32));
}
END_TEST

static const char *const one_kernel =
    "def f(x: \"f32[40, 50]\"):\n    y = torch.exp(x) * 2.5\n    return (y,)\n";

START_TEST(one_wrong_element_is_named)
{
    EachOptions o = {.sample = 0};
    use_c();
    Program *p = bound_text(one_kernel);
    plant(p, "2.5f", "(i1 == 777 ? 2.50001f : 2.5f)");
    run_check(p, &o);
    ck_assert_uint_eq(check.wrong, 1);
    ck_assert_int_eq(row_of("cFusion0")->wrong, 1);
    ck_assert_int_eq(row_of("cFusion0")->at, 777);
    o.most = 100; /* two rows at a time */
    run_check(p, &o);
    ck_assert_int_eq(row_of("cFusion0")->wrong, 1);
    ck_assert_int_eq(row_of("cFusion0")->at, 777);
    ck_assert_int_eq(row_of("cFusion0")->seen, 2000);
}
END_TEST

/* Four places of ten elements: the first and the last rows are among them. */
START_TEST(samples_look_at_some_elements)
{
    static const struct {
        const char *wrong;
        int64_t count;
    } rows[] = {{"(i1 < 10 ? 2.6f : 2.5f)", 10}, {"(i1 >= 1990 ? 2.6f : 2.5f)", 10},
                {"2.6f", 40}, {"(i1 == 777 ? 2.6f : 2.5f)", 0}};
    EachOptions o = {.sample = 40};
    use_c();
    Program *p = bound_text(one_kernel);
    plant(p, "2.5f", rows[_i].wrong);
    run_check(p, &o);
    ck_assert_int_eq(row_of("cFusion0")->seen, 40);
    ck_assert_int_eq(row_of("cFusion0")->wrong, rows[_i].count);
}
END_TEST

#define NORM_BF16 \
    "def f(x: \"bf16[40, 48]\", w: \"bf16[48]\", b: \"bf16[48]\"):\n" \
    "    return (torch.nn.functional.layer_norm(x, (48,), w, b),)\n"
#define GELU_BF16 \
    "def f(x: \"bf16[40, 48]\", b: \"bf16[48]\", r: \"bf16[40, 48]\"):\n" \
    "    return (torch.nn.functional.gelu(x + b) + r,)\n"
#define GELU "def f(x: \"f32[40, 48]\"):\n    return (torch.nn.functional.gelu(x),)\n"
#define SOFTMAX "def f(x: \"f32[40, 48]\"):\n    return (torch.softmax(x, -1),)\n"
#define SMALL_NORM \
    "def f(x: \"f32[40, 48]\"):\n" \
    "    return (torch.nn.functional.layer_norm(x * 0.001, (48,)),)\n"
#define TURNED "def f(x: \"f32[40, 40]\", y: \"f32[40, 40]\"):\n    return (x.t() * 2 + y,)\n"
#define COLUMNS "def f(x: \"f32[40, 48]\"):\n    return (torch.exp(x).sum(0),)\n"

/* Small errors of a kernel: the first `what` of its text becomes `instead`. */
static const struct {
    const char *text, *what, *instead;
} mutants[] = {
    {NORM_BF16, "i1 < 48", "i1 < 47"},               /* the mean lacks a term */
    {NORM_BF16, "v7 / 48.0", "v7 / 47.0"},           /* the variance of a sample */
    {NORM_BF16, "in1[i1]", "in1[0]"},                /* one weight for all */
    {NORM_BF16, "v17 * v19", "v17"},                 /* no weight */
    {NORM_BF16, "v20 + v22", "from_bf16(to_bf16(v20)) + v22"}, /* rounded too early */
    {NORM_BF16, "to_bf16(v23)", "to_bf16(v23) + (i0 == 39 && i1 == 47 ? 2 : 0)"}, /* 2 ULP */
    {SMALL_NORM, "9.99999975e-06f", "1.1e-05f"},     /* a wrong eps, of small variances */
    {SMALL_NORM, "9.99999975e-06f", "1.00001e-05f"},
    {SMALL_NORM, "1 / sqrt_f", "1.000003f / sqrt_f"},
    {SOFTMAX, "keep3[i1] = v3", "keep3[i1 ^ 1] = v3"}, /* neighbours change places */
    {SOFTMAX, "quotient_f(v3, v4)", "1.00001f * quotient_f(v3, v4)"},
    {SOFTMAX, "out0[48 * i0 + i1] = v5",
     "out0[48 * i0 + i1] = i0 == 39 && i1 == 47 ? v5 * 1.00001f : v5"},
    {GELU_BF16, "0.707106769f", "0.75f"},
    {GELU_BF16, "v19 + v21", "v19"},                 /* no residual */
    {GELU_BF16, "from_bf16(in1[i1])", "from_bf16(in1[i1 < 47 ? i1 : 46])"},
    {GELU, "1.0f + v8", "(float)(int)((1.0f + v8) * 256) / 256"}, /* eight bits inside */
    {TURNED, "in0[i0 + 40 * i1]", "in0[40 * i0 + i1]"},
    {TURNED, "v3 + v4", "v3 - v4"},
    {COLUMNS, "r < 40", "r < 36"},
};

START_TEST(small_errors_are_caught)
{
    EachOptions o = {.sample = 0};
    use_c();
    Program *p = bound_text(mutants[_i].text);
    plant(p, mutants[_i].what, mutants[_i].instead);
    run_check(p, &o);
    ck_assert_msg(check.wrong == 1, "%s -> %s: %g ULP", mutants[_i].what, mutants[_i].instead,
                  row_of("cFusion0")->ulp);
}
END_TEST

START_TEST(samples_look_at_no_more_than_asked)
{
    static const int64_t rows[][2] = {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {7, 7}, {50, 50}, {300, 200},
                                      {1999, 1950}};
    EachOptions o = {.sample = rows[_i][0]};
    use_c();
    run_check(bound_text(one_kernel), &o);
    ck_assert_int_eq(row_of("cFusion0")->seen, rows[_i][1]); /* of long ones whole rows of 50 */
}
END_TEST

/* What is written is judged by what was there before. */
START_TEST(writes_are_judged_by_what_was_there)
{
    EachOptions o = {.sample = 0};
    use_c();
    Program *p = bound_text("def f(x: \"f32[300]\", y: \"f32[300]\"):\n"
                            "    a = x * 3.25 + y\n    torch.ops.aten.copy_(x, a)\n"
                            "    return (a,)\n");
    run_check(p, &o);
    ck_assert_uint_eq(check.wrong + check.untold, 0);
    plant(p, "3.25f", "3.5f");
    run_check(p, &o);
    ck_assert_uint_eq(check.wrong, 1);
}
END_TEST

/* An attention and its gradients in double precision, whose scores are never there as a whole. */
START_TEST(a_statement_in_blocks_gives_what_it_gives)
{
    use_executors("interp");
    Program *p = bound_text("def f(q: \"f64[2, 3, 20, 8]\", k: \"f64[2, 3, 20, 8]\", "
                            "v: \"f64[2, 3, 20, 8]\"):\n"
                            "    y = torch.nn.functional.scaled_dot_product_attention(q, k, v, "
                            "is_causal=True)\n    return (y,)\n");
    ck_assert(program_grad(s, p, S("all"), true, &d));
    ck_assert(program_bind_random(s, p, 5, &d));
    const Trace *t = program_cursor(p)->trace;
    Run run;
    RunOptions keep = {.keep_values = true, .rounding = ROUND_f64};
    ck_assert(session_run(s, p, program_cursor(p), &keep, &run, &d));
    uint32_t compared = 0;
    for_top(t, n) {
        ValueId outs[MAX_OUTPUTS];
        uint32_t count = arg_values(t->nodes[n].out, outs, MAX_OUTPUTS);
        if (t->nodes[n].span == 1 || !count)
            continue;
        Tensor *was[MAX_OUTPUTS];
        for (uint32_t i = 0; i < count; i++) {
            was[i] = run.values[outs[i]];
            run.values[outs[i]] = NULL;
        }
        ck_assert(blocks_run(&(BlockRun){s, t, n, run.values, session_executors(s), &d, 500}));
        for (uint32_t i = 0; i < count; i++) {
            Comparison c = tensor_compare(run.values[outs[i]], was[i], 1e-12, 1e-12);
            ck_assert_msg(c.equal, "%.*s: %.17g, not %.17g", STR(t->values[outs[i]].name), c.got,
                          c.want);
            compared++;
            tensor_unref(was[i]);
        }
    }
    ck_assert_uint_ge(compared, 1);
    run_free(&run);
}
END_TEST

/* exp(x) is too large for f32, the quotient is not. */
START_TEST(overflow_inside_is_not_wrong)
{
    EachOptions o = {.sample = 0};
    use_c();
    Program *p = bound_text("def f(x: \"f32[500]\"):\n    e = torch.exp(x * 100)\n"
                            "    y = e / (e + 1)\n    return (y,)\n");
    run_check(p, &o);
    ck_assert_uint_eq(check.wrong, 0);
    ck_assert_int_gt(row_of("cFusion0")->overflowed, 0);
    ck_assert(row_of("cFusion0")->ulp < 1000); /* of those that are in range */
}
END_TEST

START_TEST(a_run_keeps_what_is_asked_for)
{
    use_executors("interp");
    Program *p = bound_text(scaled);
    const Stage *root = program_root(p);
    ValueId a = trace_find_value(root->trace, S("a")), b = trace_find_value(root->trace, S("b"));
    bool *keep = calloc(root->trace->nvalues, sizeof *keep);
    keep[b] = true;
    Run run;
    RunOptions o = {.keep_values = true, .keep = keep};
    ck_assert(session_run(s, p, root, &o, &run, &d));
    ck_assert_ptr_nonnull(run.values[b]);
    ck_assert_ptr_null(run.values[a]);
    ck_assert_ptr_nonnull(run.outputs[0]);
    run_free(&run);
    free(keep);
}
END_TEST

/* ------------------------------------------------------------------ right in several ways */

/* A run of the last stage by the interpreter, whose values a test may change, and the statement
 * whose op has this name. */
static Run changed;
static NodeId statement;

static void run_to_change(const char *text, const char *stage, const char *op)
{
    RunOptions keep = {.keep_values = true};
    use_executors("interp");
    Program *p = bound_text(text);
    ck_assert(session_run(s, p, program_find_stage(s, p, str_from(stage), &d), &keep, &changed,
                          &d));
    statement = NO_NODE;
    for_top(changed.t, n)
        statement = strcmp(changed.t->nodes[n].op->name, op) == 0 ? n : statement;
    ck_assert_uint_ne(statement, NO_NODE);
}

static Tensor *operand_of(uint32_t i)
{
    return changed.values[changed.t->nodes[statement].args[i].v];
}

static Tensor *result_of(uint32_t i)
{
    ValueId outs[MAX_OUTPUTS];
    ck_assert_uint_gt(arg_values(changed.t->nodes[statement].out, outs, MAX_OUTPUTS), i);
    return changed.values[outs[i]];
}

static int64_t count_wrong(void)
{
    EachRow row = {0};
    ck_assert(session_check_statement(s, &changed, statement, 0, &row));
    ck_assert_int_eq(row.overflowed, 0);
    return row.wrong;
}

static const char *const takers[] = {
    "def f(x: \"f32[6]\"):\n    v, i = torch.topk(x, 3)\n    return (v, i)\n",
    "def f(x: \"f32[6]\"):\n    v, i = torch.sort(x, descending=True)\n    return (v, i)\n",
    "def f(x: \"f32[6]\"):\n    v, i = torch.sort(x, descending=True, stable=True)\n"
    "    return (v, i)\n",
    "def f(x: \"f32[6]\"):\n    v, i = torch.kthvalue(x, 5)\n    return (v, i)\n",
};

/* Of x = 5 3 5 1 0 -1: the places of the two 5 may change places, where the rule is open. */
START_TEST(places_of_equal_elements_are_all_right)
{
    static const struct {
        int taker;
        int64_t places[6], wrong;
    } rows[] = {
        {0, {0, 2, 1}, 0}, {0, {2, 0, 1}, 0}, {0, {0, 0, 1}, 3}, {0, {0, 2, 3}, 1},
        {0, {0, 2, 6}, 1}, {0, {-4, 2, 1}, 1}, {1, {2, 0, 1, 3, 4, 5}, 0},
        {1, {2, 0, 1, 3, 5, 4}, 2}, {1, {2, 2, 1, 3, 4, 5}, 6}, {2, {0, 2, 1, 3, 4, 5}, 0},
        {2, {2, 0, 1, 3, 4, 5}, 2}, {3, {0}, 0}, {3, {2}, 0}, {3, {1}, 1},
    };
    static const char *const names[] = {"topk", "sort", "sort", "kthvalue"};
    static const float x[] = {5, 3, 5, 1, 0, -1}, sorted[] = {5, 5, 3, 1, 0, -1};
    int k = rows[_i].taker;
    run_to_change(takers[k], "last", names[k]);
    Tensor *values = result_of(0), *places = result_of(1);
    size_t n = (size_t)tensor_numel(values);
    memcpy(tensor_data(operand_of(0)), x, sizeof x);
    memcpy(tensor_data(values), sorted, n * sizeof *sorted);
    memcpy(tensor_data(places), rows[_i].places, n * sizeof *rows[_i].places);
    ck_assert_int_eq(count_wrong(), rows[_i].wrong);
    run_free(&changed);
}
END_TEST

static double element_at(const Tensor *x, int64_t i)
{
    return elem_get_f64((char *)tensor_data(x) + i * dtype_info[x->dtype].bytes, x->dtype);
}

static void set_element(const Tensor *x, int64_t i, double value)
{
    elem_set_f64((char *)tensor_data(x) + i * dtype_info[x->dtype].bytes, x->dtype, value);
}

/* The bias is added to the sum as rounded to the dtype, by four units too much for _i = 1. */
START_TEST(a_bias_may_be_added_to_the_rounded_sum)
{
    enum { LENGTH = 1000, CHANNELS = 4, TAPS = 3 };
    run_to_change("def f(x: \"bf16[1, 4, 1002]\", w: \"bf16[2, 4, 3]\", b: \"bf16[2]\"):\n"
                  "    y = torch.nn.functional.conv1d(x, w, b)\n    return (y,)\n", "last",
                  "convolution");
    Tensor *x = operand_of(0), *w = operand_of(1), *b = operand_of(2), *y = result_of(0);
    for (int64_t i = 0; i < 2 * LENGTH; i++) {
        double sum = 0, bias = element_at(b, i / LENGTH);
        for (int64_t k = 0; k < CHANNELS * TAPS; k++)
            sum += element_at(x, k / TAPS * (LENGTH + 2) + i % LENGTH + k % TAPS) *
                   element_at(w, i / LENGTH * CHANNELS * TAPS + k);
        double rounded = dtype_round(sum, DT_bf16);
        set_element(y, i, rounded + _i * 4 * tensor_ulp(sum, DT_bf16) + bias);
    }
    if (_i)
        ck_assert_int_gt(count_wrong(), LENGTH / 2);
    else
        ck_assert_int_eq(count_wrong(), 0);
    run_free(&changed);
}
END_TEST

/* What row _i of the table does to singular vectors or values of a 6 x 4 matrix. */
START_TEST(singular_vectors_have_either_sign)
{
    static const struct {
        int result, column;
        double factor; /* of its elements */
        bool right;
    } rows[] = {{0, 1, 1, true}, {0, 1, -1, true}, {2, 3, -1, true}, {0, 2, 1.00001, false},
                {2, 0, 0.99999, false}, {1, 0, 1.00001, false}, {1, 3, 1.000001, true},
                {1, 3, 1.0001, false}};
    run_to_change("def f(x: \"f32[6, 4]\"):\n    u, s, v = torch.linalg.svd(x, False)\n"
                  "    return (u, s, v)\n", "last", "svd");
    Tensor *x = result_of((uint32_t)rows[_i].result);
    for (int64_t k = 0; k < 4 || (k < 6 && rows[_i].result == 0); k++) {
        int64_t at = rows[_i].result == 0   ? 4 * k + rows[_i].column
                     : rows[_i].result == 2 ? 4 * rows[_i].column + k
                                            : rows[_i].column;
        if (rows[_i].result != 1 || k == 0)
            set_element(x, at, element_at(x, at) * rows[_i].factor);
    }
    if (rows[_i].right)
        ck_assert_int_eq(count_wrong(), 0);
    else
        ck_assert_int_gt(count_wrong(), 0);
    run_free(&changed);
}
END_TEST

/* Columns that change places are no longer those of their values. */
START_TEST(singular_vectors_belong_to_their_values)
{
    run_to_change("def f(x: \"f32[6, 4]\"):\n    u, s, v = torch.linalg.svd(x, False)\n"
                  "    return (u, s, v)\n", "last", "svd");
    Tensor *u = result_of(0);
    for (int64_t k = 0; k < 6; k++) {
        double first = element_at(u, 4 * k), second = element_at(u, 4 * k + 1);
        set_element(u, 4 * k, second);
        set_element(u, 4 * k + 1, first);
    }
    ck_assert_int_gt(count_wrong(), 0);
    run_free(&changed);
}
END_TEST

/* Bits and next numbers are those of the operand's dtype; whole numbers are exact. */
START_TEST(bits_and_whole_numbers_are_exact)
{
    static const struct {
        const char *text, *op;
        double wrong; /* for element 3 */
    } rows[] = {
        {"def f(x: \"f32[9]\", y: \"f32[9]\"):\n    return (torch.nextafter(x, y),)\n", "nextafter",
         0.1234},
        {"def f(x: \"f32[9]\"):\n    return (x.view(torch.int32),)\n", "bitcast", 7},
        {"def f(x: \"i64[9]\"):\n    return (x * 0 + 9007199254740993,)\n", "add",
         9007199254740992},
    };
    run_to_change(rows[_i].text, "last", rows[_i].op);
    ck_assert_int_eq(count_wrong(), 0);
    set_element(result_of(0), 3, rows[_i].wrong);
    ck_assert_int_eq(count_wrong(), 1);
    run_free(&changed);
}
END_TEST

/* exp(-88) is below the smallest normal number, which a GPU makes 0; exp(-80) is not. */
START_TEST(exponentials_may_be_flushed_below_normal_numbers)
{
    run_to_change("def f(x: \"f32[9]\"):\n    return (torch.exp(x),)\n", "last", "exp");
    set_element(operand_of(0), 3, _i ? -80 : -88);
    set_element(result_of(0), 3, 0);
    ck_assert_int_eq(count_wrong(), _i);
    run_free(&changed);
}
END_TEST

/* Row i of an attention with weights as bf16; it leaves out the last `without` keys. */
static void attend(int64_t i, int64_t without)
{
    Tensor *q = operand_of(0), *k = operand_of(1), *v = operand_of(2), *y = result_of(0);
    int64_t keys = k->shape[2], size = k->shape[3], wide = v->shape[3];
    double total = 0, out[64] = {0};
    for (int64_t j = 0; j < keys - without; j++) {
        double score = 0;
        for (int64_t e = 0; e < size; e++)
            score += element_at(q, i * size + e) * element_at(k, j * size + e);
        double weight = exp(score / sqrt((double)size));
        total += weight;
        for (int64_t e = 0; e < wide; e++)
            out[e] += dtype_round(weight, DT_bf16) * element_at(v, j * wide + e);
    }
    for (int64_t e = 0; e < wide; e++)
        set_element(y, i * wide + e, out[e] / total);
}

/* Values of another size than keys: PyTorch's decomposition keeps the weights in f32. */
START_TEST(attention_may_round_its_weights)
{
    enum { KEYS = 400 };
    run_to_change("def f(q: \"bf16[1, 1, 400, 16]\", k: \"bf16[1, 1, 400, 16]\", "
                  "v: \"bf16[1, 1, 400, 8]\"):\n"
                  "    y = torch.nn.functional.scaled_dot_product_attention(q, k, v)\n"
                  "    return (y,)\n", "acquired", "scaled_dot_product_attention");
    for (int64_t i = 0; i < KEYS; i++)
        attend(i, _i ? 40 : 0);
    if (_i)
        ck_assert_int_gt(count_wrong(), KEYS);
    else
        ck_assert_int_eq(count_wrong(), 0);
    run_free(&changed);
}
END_TEST

/* A number is one of the dtype: 1.00000017762 is 1 + 2^-23 in f32. */
START_TEST(numbers_are_rounded)
{
    EachOptions o = {.sample = 0};
    use_c();
    Program *p = bound_text("def f(x: \"f32[2000]\"):\n    y = x * 1.00000017762 - x\n"
                            "    return (y,)\n");
    run_check(p, &o);
    ck_assert_uint_eq(check.wrong, 0);
    plant(p, "1.00000012f", "1.0000006f");
    run_check(p, &o);
    ck_assert_uint_eq(check.wrong, 1);
}
END_TEST

/* ------------------------------------------------------------------------------------- programs */

static const char *const models[] = {
    "mlp.dynamo.py", "mlp.aot_fw.py", "mlp.aot_bw.py", "gpt_block.dynamo.py",
    "gpt_block.aot_fw.py", "gpt_block.aot_bw.py", "layernorm.fw00.py", "dynamic_mlp.py",
    "train_step.py",
};

static Program *bound_model(const char *name)
{
    StrBuf path = {0};
    sb_printf(&path, CASES "%s", name);
    Program *p = load_case(sb_cstr(&path));
    ck_assert(program_bind_random(s, p, 3, &d));
    sb_free(&path);
    return p;
}

START_TEST(recorded_programs_have_nothing_wrong)
{
    EachOptions o = {.sample = 0};
    if (_i % 2)
        use_c();
    else
        use_executors("interp");
    run_check(bound_model(models[_i / 2]), &o);
    ck_assert_uint_gt(check.n, 0);
    ck_assert_uint_eq(check.untold, 0);
    for (uint32_t i = 0; i < check.n; i++)
        ck_assert_msg(check.rows[i].wrong == 0, "%s: %.*s is %.9g, exactly %.9g", models[_i / 2],
                      STR(check.t->values[check.rows[i].v].name), check.rows[i].got,
                      check.rows[i].exact);
}
END_TEST

/* Values that no block may be larger than: every element is seen once, and found as before. */
START_TEST(blocks_are_like_the_whole)
{
    EachOptions o = {.sample = 0};
    use_c();
    Program *p = bound_model(models[_i]);
    run_check(p, &o);
    EachCheck whole = check;
    check = (EachCheck){0};
    o.most = 100;
    run_check(p, &o);
    ck_assert_uint_eq(check.n, whole.n);
    for (uint32_t i = 0; i < check.n; i++) {
        const EachRow *a = &check.rows[i], *b = &whole.rows[i];
        ck_assert_int_eq(a->seen, b->seen);
        ck_assert_msg(a->ulp == b->ulp, "%s, row %u: %g and %g ULP", models[_i], i, a->ulp, b->ulp);
        ck_assert_int_eq(a->wrong, b->wrong);
    }
    each_free(&whole);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("each");
    TCase *c = tcase_create("each");
    tcase_add_checked_fixture(c, setup, leave);
    tcase_add_test(c, right_kernels_are_right);
    tcase_add_loop_test(c, a_wrong_kernel_is_found_and_nothing_behind_it, 0, 3);
    tcase_add_test(c, one_wrong_element_is_named);
    tcase_add_loop_test(c, samples_look_at_some_elements, 0, 4);
    tcase_add_loop_test(c, small_errors_are_caught, 0, ARRAY_LEN(mutants));
    tcase_add_loop_test(c, samples_look_at_no_more_than_asked, 0, 8);
    tcase_add_test(c, writes_are_judged_by_what_was_there);
    tcase_add_test(c, overflow_inside_is_not_wrong);
    tcase_add_test(c, a_run_keeps_what_is_asked_for);
    tcase_add_test(c, a_statement_in_blocks_gives_what_it_gives);
    tcase_add_loop_test(c, places_of_equal_elements_are_all_right, 0, 14);
    tcase_add_loop_test(c, singular_vectors_have_either_sign, 0, 8);
    tcase_add_test(c, singular_vectors_belong_to_their_values);
    tcase_add_loop_test(c, exponentials_may_be_flushed_below_normal_numbers, 0, 2);
    tcase_add_loop_test(c, bits_and_whole_numbers_are_exact, 0, 3);
    tcase_add_loop_test(c, a_bias_may_be_added_to_the_rounded_sum, 0, 2);
    tcase_add_loop_test(c, attention_may_round_its_weights, 0, 2);
    tcase_add_test(c, numbers_are_rounded);
    tcase_add_loop_test(c, recorded_programs_have_nothing_wrong, 0, 2 * ARRAY_LEN(models));
    tcase_add_loop_test(c, blocks_are_like_the_whole, 0, ARRAY_LEN(models));
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
