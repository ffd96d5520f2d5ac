/*
 * check_random.c - random operators: their distributions, and that a program draws the same numbers
 * every time and at every stage, other ones at each call, and other ones for another seed.
 *
 * The bounds are those of tests at a level of 0.1 %; the seeds are fixed, so nothing varies.
 */
#include "session_fixture.h"

#include "draw.h"
#include "lang.h"

#include <math.h>

enum { N = 4000 };

/* Runs the first and the last stage of a program, which must agree; gives the output. */
static Tensor *draw(const char *body)
{
    StrBuf text = {0};
    sb_printf(&text, "def f(w: \"f32[3]\", z: \"f32[4000]\"):\n%s    return (r,)\n", body);
    use_executors("interp"); /* every stage draws the very same numbers */
    Program *p = load_text(sb_cstr(&text));
    int64_t three = 3, many = N;
    Tensor *w = tensor_new(DT_f32, (Device){DEV_cpu, 0}, 1, &three);
    Tensor *z = tensor_new(DT_f32, (Device){DEV_cpu, 0}, 1, &many);
    for (int i = 0; i < 3; i++)
        elem_set_f64((char *)tensor_data(w) + 4 * i, DT_f32, i + 1);
    for (int i = 0; i < N; i++)
        elem_set_f64((char *)tensor_data(z) + 4 * i, DT_f32, 0);
    program_bind_tensor(p, S("w"), w, &d);
    program_bind_tensor(p, S("z"), z, &d);
    no_errors();
    Tensor *outs[2];
    for (int i = 0; i < 2; i++) {
        Run run;
        Stage *st = program_stage(s, p, i ? program_stage_count(p) - 1 : 0, &d);
        no_errors();
        ck_assert(session_run(s, p, st, NULL, &run, &d));
        outs[i] = tensor_ref(run.outputs[0]);
        run_free(&run);
    }
    ck_assert_msg(tensor_compare(outs[1], outs[0], 0, 0).equal, "stages differ:\n%s", body);
    tensor_unref(outs[1]);
    tensor_unref(w);
    tensor_unref(z);
    sb_free(&text);
    return outs[0];
}

/* -------------------------------------------------------------------------------- distributions */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double uniform_cdf(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static double wide_cdf(double x)
{
    return uniform_cdf((x + 2) / 5);
}

static double normal_cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

static double shifted_cdf(double x)
{
    return normal_cdf((x - 3) / 2);
}

static double exponential_cdf(double x)
{
    return x < 0 ? 0 : 1 - exp(-2 * x);
}

static double cauchy_cdf(double x)
{
    return 0.5 + atan((x - 1) / 2) / acos(-1);
}

static double log_normal_cdf(double x)
{
    return x <= 0 ? 0 : normal_cdf((log(x) - 0.5) / 0.25);
}

/* Of two equal logits, the first share is uniform: the noises differ by a logistic variable. */
static double gumbel_cdf(double x)
{
    return uniform_cdf(log1p(x));
}

static const struct {
    const char *body;
    double (*cdf)(double x);
} continuous[] = {
    {"    r = torch.rand(4000)\n", uniform_cdf},
    {"    r = torch.rand_like(z)\n", uniform_cdf},
    {"    r = torch.rand(4000, dtype=torch.float64)\n", uniform_cdf},
    {"    r = z.uniform_(-2.0, 3.0)\n", wide_cdf},
    {"    r = torch.randn(4000)\n", normal_cdf},
    {"    r = torch.randn_like(z)\n", normal_cdf},
    {"    r = torch.normal(3.0, 2.0, (4000,))\n", shifted_cdf},
    {"    r = z.normal_(3.0, 2.0)\n", shifted_cdf},
    {"    r = z.exponential_(2.0)\n", exponential_cdf},
    {"    r = z.cauchy_(1.0, 2.0)\n", cauchy_cdf},
    {"    r = z.log_normal_(0.5, 0.25)\n", log_normal_cdf},
    {"    r = torch.exp(torch.nn.functional.gumbel_softmax(torch.zeros(4000, 2))[:, 0]) - 1\n",
     gumbel_cdf},
};

/* Kolmogorov and Smirnov: the largest distance between the distribution functions. */
START_TEST(continuous_distributions)
{
    double x[N], most = 0;
    Tensor *t = draw(continuous[_i].body);
    ck_assert_int_eq(tensor_numel(t), N);
    for (int i = 0; i < N; i++)
        x[i] = element(t, i);
    qsort(x, N, sizeof *x, ascending);
    for (int i = 0; i < N; i++) {
        double f = continuous[_i].cdf(x[i]);
        most = fmax(most, fmax(fabs(f - (double)i / N), fabs((double)(i + 1) / N - f)));
    }
    ck_assert_msg(most * sqrt(N) < 1.95, "%s is off by %g", continuous[_i].body, most);
    tensor_unref(t);
}
END_TEST

static const struct {
    const char *body;
    int low, n;
    double share[8];
    double limit; /* chi-square at 0.1 % */
} discrete[] = {
    {"    r = torch.randint(-2, 4, (4000,))\n", -2, 6, {1, 1, 1, 1, 1, 1}, 20.52},
    {"    r = torch.randint(5, (4000,))\n", 0, 5, {1, 1, 1, 1, 1}, 18.47},
    {"    r = torch.randint_like(z, 0, 4)\n", 0, 4, {1, 1, 1, 1}, 16.27},
    {"    r = torch.bernoulli(torch.full((4000,), 0.3))\n", 0, 2, {7, 3}, 10.83},
    {"    r = z.bernoulli_(0.3)\n", 0, 2, {7, 3}, 10.83},
    {"    r = torch.multinomial(w, 4000, True)\n", 0, 3, {1, 2, 3}, 13.82},
    {"    r = z.random_(2, 6)\n", 2, 4, {1, 1, 1, 1}, 16.27},
    {"    r = torch.clamp(z.geometric_(0.5), max=4.0)\n", 1, 4, {4, 2, 1, 1}, 16.27},
    {"    r = torch.nn.functional.dropout2d(torch.ones(2000, 1, 2, 1), 0.5)[:, :, 0]"
     ".repeat(2, 1, 1).reshape(4000)\n", 0, 3, {1, 0, 1}, 21.66},
    {"    r = (torch.nn.functional.alpha_dropout(z, 0.25, True) > 0).long()\n", 0, 2, {1, 3},
     10.83},
    {"    r = torch.nn.functional.dropout(torch.ones(4000), 0.5, True)\n", 0, 3, {1, 0, 1}, 10.83},
    {"    r = torch.ops.aten.native_dropout.default(torch.ones(4000), 0.75, True)[0]\n", 0, 5,
     {3, 0, 0, 0, 1}, 10.83},
};

START_TEST(discrete_distributions)
{
    double count[8] = {0}, total = 0, chi = 0;
    Tensor *t = draw(discrete[_i].body);
    ck_assert_int_eq(tensor_numel(t), N);
    for (int i = 0; i < N; i++) {
        int at = (int)element(t, i) - discrete[_i].low;
        ck_assert_msg(at >= 0 && at < discrete[_i].n, "%s gives %g", discrete[_i].body,
                      element(t, i));
        count[at]++;
    }
    for (int k = 0; k < discrete[_i].n; k++)
        total += discrete[_i].share[k];
    for (int k = 0; k < discrete[_i].n; k++) {
        double want = N * discrete[_i].share[k] / total;
        ck_assert_msg(want > 0 || count[k] == 0, "%s gives %d", discrete[_i].body, k);
        chi += want > 0 ? (count[k] - want) * (count[k] - want) / want : 0;
    }
    ck_assert_msg(chi < discrete[_i].limit, "%s: chi-square %g", discrete[_i].body, chi);
    tensor_unref(t);
}
END_TEST

/* Without replacement: every sample is a permutation, and the first is drawn by weight. */
START_TEST(permutations)
{
    Tensor *t = draw("    r = torch.randperm(4000)\n");
    bool seen[N] = {false};
    for (int i = 0; i < N; i++) {
        int at = (int)element(t, i);
        ck_assert(at >= 0 && at < N && !seen[at]);
        seen[at] = true;
    }
    tensor_unref(t);
    t = draw("    r = torch.multinomial(w.expand(4000, 3), 3)\n");
    double first[3] = {0};
    for (int i = 0; i < N; i++) {
        first[(int)element(t, 3 * i)]++;
        ck_assert_double_eq(element(t, 3 * i) + element(t, 3 * i + 1) + element(t, 3 * i + 2), 3);
    }
    for (int k = 0; k < 3; k++)
        ck_assert_double_lt(fabs(first[k] / N - (k + 1) / 6.0), 0.025);
    tensor_unref(t);
}
END_TEST

/* --------------------------------------------------------------------------------- draws, seeds */

START_TEST(two_draws_are_two)
{
    Tensor *t = draw("    a = torch.rand(4000)\n    b = torch.rand(4000)\n    r = a - b\n");
    int same = 0;
    for (int i = 0; i < N; i++)
        same += element(t, i) == 0;
    ck_assert_int_lt(same, 3);
    tensor_unref(t);
}
END_TEST

START_TEST(a_seed_is_a_sequence)
{
    Tensor *t[3];
    for (int i = 0; i < 3; i++) {
        session_registry(s)->seed = i == 1 ? 7 : 0;
        t[i] = draw("    r = torch.rand(4000)\n");
    }
    ck_assert(tensor_compare(t[0], t[2], 0, 0).equal);
    ck_assert_int_gt(tensor_compare(t[1], t[0], 0, 0).wrong, N - 3);
    StrBuf text = {0};
    session_registry(s)->seed = 7;
    Program *p = load_text("def f():\n    r = torch.rand(2)\n    return (r,)\n");
    text = text_of(program_root(p));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&text), "seed=7, offset="));
    sb_free(&text);
    for (int i = 0; i < 3; i++)
        tensor_unref(t[i]);
}
END_TEST

/* Output n of splitmix64 as a number in [0, 1), by the textbook. */
static double plain_uniform(uint64_t state, int64_t n)
{
    uint64_t z = state + (uint64_t)(n + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Element i of a pair of normal numbers, by libm. */
static double plain_normal(uint64_t state, int64_t i)
{
    double radius = sqrt(-2 * log(1 - plain_uniform(state, i - i % 2)));
    double angle = 2 * acos(-1) * plain_uniform(state, i - i % 2 + 1);
    return radius * (i % 2 ? sin(angle) : cos(angle));
}

/* Many threads' shares, and an odd rest: each element is what its number says. */
START_TEST(inputs_are_drawn_by_the_number_of_their_elements)
{
    int64_t n = 3 * 65536 + 1031, pairs = n / 2;
    Draw draw = {.state = 99, .scale = 2, .base = 0.5, .least = -3, .most = 40};
    Tensor *f = tensor_new(DT_f64, (Device){DEV_cpu, 0}, 1, &n);
    Tensor *i = tensor_new(DT_i32, (Device){DEV_cpu, 0}, 1, &n);
    Tensor *c = tensor_new(DT_c128, (Device){DEV_cpu, 0}, 1, &pairs);
    Draw two[2] = {draw, draw};
    two[0].t = f;
    two[1].t = i;
    draw_all(two, 2);
    const double *x = tensor_data(f);
    const int32_t *k = tensor_data(i);
    for (int64_t at = 0; at < n; at++) {
        ck_assert_double_eq_tol(x[at], 0.5 + 2 * plain_normal(99, at), 2e-14);
        ck_assert_int_eq(k[at], -3 + (int64_t)(43 * plain_uniform(99, at)));
    }
    draw.base = 0;
    draw.t = c;
    draw_all(&draw, 1);
    const double *pair = tensor_data(c);
    for (int64_t at = 0; at < 2 * pairs; at++)
        ck_assert_double_eq_tol(pair[at], 2 * plain_normal(99, at), 2e-14);
    draw.uniform = true;
    draw.t = f;
    draw_all(&draw, 1);
    for (int64_t at = 0; at < n; at++)
        ck_assert_double_eq(x[at], 2 * plain_uniform(99, at));
    tensor_unref(f);
    tensor_unref(i);
    tensor_unref(c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("random");
    TCase *t = tcase_create("random");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, continuous_distributions, 0, (int)ARRAY_LEN(continuous));
    tcase_add_loop_test(t, discrete_distributions, 0, (int)ARRAY_LEN(discrete));
    tcase_add_test(t, permutations);
    tcase_add_test(t, two_draws_are_two);
    tcase_add_test(t, a_seed_is_a_sequence);
    tcase_add_test(t, inputs_are_drawn_by_the_number_of_their_elements);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
