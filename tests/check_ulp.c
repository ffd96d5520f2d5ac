/*
 * check_ulp.c - how far the float functions of generated kernels are from the true value.
 *
 * A kernel of one statement runs over a dense sample of all f32 (every 1021st, zeros, infinities
 * and NaN among them); the truth is the C library's function in double. The bounds are those that
 * docs/performance.md states. NaN, infinities and zeros with their signs must be right exactly.
 */
#include "support.h"

#include "session_fixture.h"

#include <math.h>

enum { STRIDE = 1021 };

typedef struct Row {
    const char *name;
    double (*truth)(double);
    double bound; /* ULP of f32 */
} Row;

static const Row rows[] = {
    {"exp", exp, 1.0},     {"log", log, 1.0},     {"tanh", tanh, 1.5},   {"erf", erf, 1.5},
    {"sin", sin, 1.6},     {"cos", cos, 1.6},     {"tan", tan, 0.6},     {"log2", log2, 0.6},
    {"log10", log10, 0.6}, {"log1p", log1p, 0.6}, {"exp2", exp2, 0.6},   {"expm1", expm1, 0.6},
    {"sinh", sinh, 0.6},   {"cosh", cosh, 0.6},   {"asinh", asinh, 0.6}, {"acosh", acosh, 0.6},
    {"atanh", atanh, 0.6}, {"atan", atan, 0.6},   {"asin", asin, 0.6},   {"acos", acos, 0.6},
    {"erfc", erfc, 0.6},
};

/* ULP of f32 between got and the true value. */
static double distance(float got, double want)
{
    float rounded = (float)want;
    if (rounded == 0 && got == 0 && signbit(rounded) != signbit(got))
        return INFINITY;
    if (isnan(rounded) || isinf(rounded) || rounded == 0)
        return (isnan(rounded) && isnan(got)) ||
                       (rounded == got && signbit(rounded) == signbit(got))
                   ? 0
                   : rounded == 0 ? fabs(got) / ldexp(1, -149) : INFINITY;
    int e;
    frexp(want, &e);
    return fabs(got - want) / ldexp(1, (e < -125 ? -125 : e) - 24);
}

/* Without angles that the quick functions leave to the C library; far_angles is about those. */
static Tensor *sample(bool angles)
{
    int64_t n = (int64_t)(0x100000000 / STRIDE + 1);
    Tensor *t = tensor_new(DT_f32, (Device){DEV_cpu, 0}, 1, &n);
    uint32_t *bits = tensor_data(t);
    for (int64_t i = 0; i < n; i++)
        bits[i] = (uint32_t)((uint64_t)i * STRIDE);
    float *x = tensor_data(t);
    for (int64_t i = 0; i < n && angles; i++)
        x[i] = fabsf(x[i]) > 1e5f ? (float)(i % 100000) : x[i];
    static const float ends[] = {-0.0f, INFINITY, -INFINITY, NAN};
    memcpy(x + 1, ends, sizeof ends); /* behind the zero */
    return t;
}

START_TEST(functions_of_one_argument)
{
    const Row *row = &rows[_i];
    Tensor *x = sample(row->truth == sin || row->truth == cos || row->truth == tan);
    char text[256];
    use_executors("c,interp");
    snprintf(text, sizeof text, "def f(x: \"f32[%lld]\"):\n    return (torch.%s(x),)\n",
             (long long)x->shape[0], row->name);
    Program *p = load_text(text);
    ck_assert(program_bind_tensor(p, S("x"), x, &d));
    Run run;
    bool ran = session_run(s, p, program_find_stage(s, p, S("last"), &d), NULL, &run, &d);
    no_errors();
    ck_assert(ran);
    const float *in = tensor_data(x), *got = tensor_data(run.outputs[0]);
    double worst = 0;
    float at = 0;
    for (int64_t i = 0; i < x->shape[0]; i++) {
        double off = distance(got[i], row->truth(in[i]));
        if (off > worst) {
            worst = off;
            at = in[i];
        }
    }
    ck_assert_msg(worst <= row->bound, "%s(%a) is off by %g ULP", row->name, at, worst);
    run_free(&run);
    tensor_unref(x);
}
END_TEST

/* e^x where the largest element was subtracted, for which there is another function: all x <= 0
 * that the sample has, in a row with a 0. */
START_TEST(exponential_below_zero)
{
    Tensor *x = sample(false);
    float *in = tensor_data(x);
    for (int64_t i = 0; i < x->shape[0]; i++)
        in[i] = i == 0 || isnan(in[i]) ? 0 : -fabsf(in[i]);
    char text[256];
    use_executors("c,interp");
    snprintf(text, sizeof text,
             "def f(x: \"f32[%lld]\"):\n    return (torch.exp(x - torch.amax(x, 0)),)\n",
             (long long)x->shape[0]);
    Program *p = load_text(text);
    ck_assert(program_bind_tensor(p, S("x"), x, &d));
    Run run;
    ck_assert(session_run(s, p, program_find_stage(s, p, S("last"), &d), NULL, &run, &d));
    const float *got = tensor_data(run.outputs[0]);
    for (int64_t i = 0; i < x->shape[0]; i++)
        ck_assert_msg(distance(got[i], exp(in[i])) <= 1.0, "exp(%a) is %a", in[i], got[i]);
    run_free(&run);
    tensor_unref(x);
}
END_TEST

/* NaN of any sign and bits, and infinities, in a row whose largest element is subtracted; one by
 * one and, beside a sum, of the whole row. */
START_TEST(exponential_below_nan)
{
    enum { N = 256, ROWS = 6 };
    static const uint32_t odd[ROWS - 1] = {0x7fc00000, 0xffc00000, 0xffffffff, 0x7f8000ff,
                                           0x7f800000};
    int64_t shape[2] = {ROWS, N};
    Tensor *x = tensor_new(DT_f32, (Device){DEV_cpu, 0}, 2, shape);
    float *in = tensor_data(x);
    for (int i = 0; i < ROWS * N; i++)
        in[i] = i / N == ROWS - 1 ? -INFINITY : (float)(i % 7);
    for (int r = 0; r + 1 < ROWS; r++)
        memcpy(&in[r * N + 37], &odd[r], sizeof odd[r]);
    use_executors("c,interp");
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    Program *p = load_text(_i ? "def f(x: \"f32[6, 256]\"):\n"
                                "    e = torch.exp(x - torch.amax(x, (1,), True))\n"
                                "    return (e, torch.sum(e, 1))\n"
                              : "def f(x: \"f32[6, 256]\"):\n"
                                "    return (torch.exp(x - torch.amax(x, (1,), True)),)\n");
    ck_assert(program_bind_tensor(p, S("x"), x, &d));
    Run run;
    ck_assert(session_run(s, p, program_find_stage(s, p, S("last"), &d), NULL, &run, &d));
    const float *got = tensor_data(run.outputs[0]);
    for (int i = 0; i < ROWS * N; i++) {
        bool zero = i / N == 4 && i % N != 37; /* e^-inf; all others are NaN */
        ck_assert_msg(zero ? got[i] == 0 : isnan(got[i]), "row %d, element %d: %a", i / N, i % N,
                      got[i]);
    }
    run_free(&run);
    tensor_unref(x);
}
END_TEST

/* e^x of whole rows, as where their sum is wanted, too; with and without an upper end. The rows do
 * not end with a line, and each begins with a 0, the largest or the least in size. */
static const char *const exponentials_of_rows_of[] = {"torch.amax(x, 1, True)",
                                                      "torch.amin(torch.abs(x), 1, True)"};

START_TEST(exponentials_of_rows)
{
    enum { N = 1061 };
    Tensor *all = sample(false);
    int64_t shape[2] = {all->shape[0] / N, N};
    Tensor *x = tensor_new(DT_f32, (Device){DEV_cpu, 0}, 2, shape);
    float *in = tensor_data(x);
    memcpy(in, tensor_data(all), sizeof *in * (size_t)(shape[0] * N));
    for (int64_t i = 0; i < shape[0] * N; i++)
        in[i] = i % N == 0 || isnan(in[i]) ? 0 : _i == 0 ? -fabsf(in[i]) : in[i];
    char text[256];
    use_executors("c,interp");
    snprintf(text, sizeof text,
             "def f(x: \"f32[%lld, %d]\"):\n    e = torch.exp(x - %s)\n"
             "    return (e, torch.sum(e, 1))\n",
             (long long)shape[0], N, exponentials_of_rows_of[_i]);
    Program *p = load_text(text);
    ck_assert(program_bind_tensor(p, S("x"), x, &d));
    Stage *last = program_find_stage(s, p, S("last"), &d);
    StrBuf kernel = {0};
    ck_assert(session_kernel_text(s, last, S("cFusion0"), S("c"), &kernel, &d));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&kernel), _i == 0 ? "exp_below_row(&" : "exp_row(&"));
    sb_free(&kernel);
    Run run;
    ck_assert(session_run(s, p, last, NULL, &run, &d));
    const float *got = tensor_data(run.outputs[0]);
    for (int64_t i = 0; i < shape[0] * N; i++)
        ck_assert_msg(distance(got[i], exp(in[i])) <= 1.0, "exp(%a) is %a", in[i], got[i]);
    run_free(&run);
    tensor_unref(x);
    tensor_unref(all);
}
END_TEST

/* Whether words follow each other in the text of a program's one kernel. */
static void check_order(const char *program, const char *const *words, size_t n)
{
    StrBuf text = {0};
    Program *p = load_text(program);
    Stage *last = program_find_stage(s, p, S("last"), &d);
    ck_assert(session_kernel_text(s, last, S("cFusion0"), S("c"), &text, &d));
    no_errors();
    const char *at = sb_cstr(&text);
    for (size_t i = 0; i < n && at; i++)
        at = strstr(at, words[i]);
    ck_assert_msg(at != NULL, "%s", sb_cstr(&text));
    sb_free(&text);
}

/* Sums over pieces of a row stay in lanes from piece to piece. Where another exponential needs one
 * in the loop that fills their arrays, that one is computed there. */
START_TEST(rows_are_summed_in_lanes)
{
    static const char *const sums[] = {"double lane4[16] = {0};", "for (int64_t b = 0;",
                                       "exp_below_row(",          "lane4[h] += part4;",
                                       "acc4 += lane4[h];",       "end4["};
    static const char *const needed[] = {"= exp_below_f(", "exp_row(&"};
    use_executors("c,interp");
    check_order("def f(x: \"f32[2048, 8192]\"):\n    return (torch.softmax(x, -1),)\n", sums,
                ARRAY_LEN(sums));
    check_order("def f(x: \"f32[8192, 1024]\"):\n    e = torch.exp(x - torch.amax(x, 1, True))\n"
                "    y = torch.exp(-e)\n    return (torch.sum(e, 1), torch.sum(y, 1))\n",
                needed, ARRAY_LEN(needed));
}
END_TEST

/* Long functions of a large pointwise kernel have loops of their own, each before what reads it;
 * the last one is in the loop that stores, and so is one alone. */
START_TEST(long_functions_have_loops_of_their_own)
{
    static const char *const steps[] = {"float step", "= erf_f(", "float step", "exp_row(step",
                                        "float row0[",  "= step",   "= sin_f(",   "= step"};
    static const char *const alone[] = {"float row0[", "= tanh_f("};
    static const char *const exponential[] = {"float step", "exp_row(step", "float row0[",
                                              "= step"};
    use_executors("c,interp");
    check_order("def f(x: \"f32[4096, 1100]\"):\n"
                "    return (torch.sin(torch.erf(x) * x) * torch.exp(-torch.abs(x)),)\n",
                steps, ARRAY_LEN(steps));
    check_order("def f(x: \"f32[4096, 1100]\"):\n    return (torch.tanh(x) + x,)\n", alone,
                ARRAY_LEN(alone));
    check_order("def f(x: \"f32[4096, 1100]\"):\n    return (1 / (1 + torch.exp(x)),)\n",
                exponential, ARRAY_LEN(exponential));
}
END_TEST

/* What they come to: the same as one by one, in pieces that end within a line, too. */
static const char *const chains[] = {
    "def f(x: \"f32[4096, 1101]\"):\n"
    "    a = torch.erf(x) * x\n    b = torch.exp(-torch.abs(a))\n"
    "    return (torch.sin(a) * b, torch.log(b + 1))\n",
    "def f(x: \"bf16[5000, 2000]\", y: \"f32[2000]\"):\n"
    "    a = torch.exp(x) + torch.tanh(x.float() * y)\n    return (a, a.to(torch.bfloat16))\n",
    "def f(x: \"f32[10, 419430]\"):\n    y = torch.exp(torch.exp(-torch.abs(x)))\n"
    "    return (y + torch.flip(torch.cos(x * 300000), (1,)),)\n",
};

START_TEST(long_functions_are_right)
{
    Run want, got;
    ExecList interp;
    use_executors("c,interp");
    Program *p = load_text(chains[_i]);
    ck_assert(program_bind_random(s, p, 3, &d));
    Stage *last = program_find_stage(s, p, S("last"), &d);
    ck_assert(exec_parse_list(session_executors(s), S("interp"), &interp, &d));
    RunOptions plain = {.executors = &interp};
    ck_assert(session_run(s, p, program_root(p), &plain, &want, &d));
    ck_assert(session_run(s, p, last, NULL, &got, &d));
    no_errors();
    for (uint32_t i = 0; i < got.noutputs; i++) {
        double near = got.outputs[i]->dtype == DT_bf16 ? 1e-2 : 3e-6;
        Comparison c = tensor_compare(got.outputs[i], want.outputs[i], near, near);
        ck_assert_msg(c.equal, "output %u: %g for %g", i, c.got, c.want);
    }
    run_free(&want);
    run_free(&got);
}
END_TEST

static const float pow_values[] = {
    0.0f, -0.0f,  1.0f,   -1.0f,  0.5f,    -0.5f,  2.0f,  -2.0f,    3.0f,       -3.0f,
    7.5f, -1e-3f, 1e-30f, 1e30f,  -1e30f,  1.1f,   33.0f, -101.0f,  16777216.0f, 1.4e-45f,
    0.9f, 88.0f,  127.0f, -149.0f, 1e-8f,  1e8f,   0.33333f, -0.25f, INFINITY,  -INFINITY,
    NAN,
};

START_TEST(pow_and_atan2)
{
    enum { N = ARRAY_LEN(pow_values) };
    static const struct {
        const char *name;
        double (*truth)(double, double);
    } both[] = {{"pow", pow}, {"atan2", atan2}};
    int64_t n = N;
    Tensor *x = tensor_new(DT_f32, (Device){DEV_cpu, 0}, 1, &n);
    memcpy(tensor_data(x), pow_values, sizeof pow_values);
    char text[256];
    use_executors("c,interp");
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    snprintf(text, sizeof text,
             "def f(x: \"f32[%d]\"):\n    a = x.reshape(%d, 1)\n    b = x.reshape(1, %d)\n"
             "    return (torch.%s(a, b),)\n", N, N, N, both[_i].name);
    Program *p = load_text(text);
    ck_assert(program_bind_tensor(p, S("x"), x, &d));
    Run run;
    ck_assert(session_run(s, p, program_find_stage(s, p, S("last"), &d), NULL, &run, &d));
    const float *got = tensor_data(run.outputs[0]);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            double want = both[_i].truth(pow_values[i], pow_values[k]);
            ck_assert_msg(distance(got[i * N + k], want) <= 0.6, "%s(%a, %a) is %a, not %a",
                          both[_i].name, pow_values[i], pow_values[k], got[i * N + k], want);
        }
    run_free(&run);
    tensor_unref(x);
}
END_TEST

/* Angles that are too large for the quick functions: the C library computes those. */
START_TEST(far_angles)
{
    static const float angles[] = {1e4f, 99999.0f, 1e5f, 123456.7f, 1e10f, 3e38f, -7e20f, 1.0f};
    static const Row far[] = {{"sin", sin, 1.6}, {"cos", cos, 1.6}, {"tan", tan, 0.6}};
    int64_t n = ARRAY_LEN(angles);
    Tensor *x = tensor_new(DT_f32, (Device){DEV_cpu, 0}, 1, &n);
    memcpy(tensor_data(x), angles, sizeof angles);
    char text[256];
    use_executors("c,interp");
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    snprintf(text, sizeof text, "def f(x: \"f32[8]\"):\n    return (torch.%s(x),)\n", far[_i].name);
    Program *p = load_text(text);
    ck_assert(program_bind_tensor(p, S("x"), x, &d));
    Run run;
    ck_assert(session_run(s, p, program_find_stage(s, p, S("last"), &d), NULL, &run, &d));
    const float *got = tensor_data(run.outputs[0]);
    for (int64_t i = 0; i < n; i++)
        ck_assert_msg(distance(got[i], far[_i].truth(angles[i])) <= far[_i].bound,
                      "%s(%a) is %a", far[_i].name, angles[i], got[i]);
    run_free(&run);
    tensor_unref(x);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ulp");
    TCase *c = tcase_create("ulp");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, functions_of_one_argument, 0, ARRAY_LEN(rows));
    tcase_add_test(c, exponential_below_zero);
    tcase_add_loop_test(c, exponential_below_nan, 0, 2);
    tcase_add_test(c, rows_are_summed_in_lanes);
    tcase_add_test(c, long_functions_have_loops_of_their_own);
    tcase_add_loop_test(c, long_functions_are_right, 0, ARRAY_LEN(chains));
    tcase_add_loop_test(c, exponentials_of_rows, 0, ARRAY_LEN(exponentials_of_rows_of));
    tcase_add_loop_test(c, pow_and_atan2, 0, 2);
    tcase_add_loop_test(c, far_angles, 0, 3);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
