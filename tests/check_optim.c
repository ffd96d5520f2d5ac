/*
 * check_optim.c - the optimizer steps of examples/ against PyTorch's formulas, computed in f64.
 *
 * Each optimizer makes ten steps with its state fed back, at the first and at the last stage.
 */
#include "session_fixture.h"

#include <math.h>

enum { N = 12, STEPS = 10, INPUTS = 6 };

static const double lr = 0.05, decay = 0.01;

typedef struct State {
    double param[N], m[N], v[N], step;
} State;

static double gradient(int step, int i)
{
    return sin(0.7 * i + 1.3 * step) * (1 + 0.1 * i);
}

/* torch.optim.SGD: d = g + wd p; b = momentum b + d (b = d at first); p -= lr b. */
static void want_sgd(State *w, const double *g)
{
    for (int i = 0; i < N; i++) {
        double d_p = g[i] + decay * w->param[i];
        w->m[i] = w->step > 0 ? 0.9 * w->m[i] + d_p : d_p;
        w->param[i] -= lr * w->m[i];
    }
    w->step++;
}

static void adam_step(State *w, const double *g)
{
    w->step++;
    double c1 = 1 - pow(0.9, w->step), c2 = 1 - pow(0.999, w->step);
    for (int i = 0; i < N; i++) {
        w->m[i] = 0.9 * w->m[i] + 0.1 * g[i];
        w->v[i] = 0.999 * w->v[i] + 0.001 * g[i] * g[i];
        w->param[i] -= lr / c1 * w->m[i] / (sqrt(w->v[i]) / sqrt(c2) + 1e-8);
    }
}

/* torch.optim.Adam: the decay goes into the gradient. */
static void want_adam(State *w, const double *g)
{
    double decayed[N];
    for (int i = 0; i < N; i++)
        decayed[i] = g[i] + decay * w->param[i];
    adam_step(w, decayed);
}

/* torch.optim.AdamW: p *= 1 - lr wd, then a step without decay. */
static void want_adamw(State *w, const double *g)
{
    for (int i = 0; i < N; i++)
        w->param[i] *= 1 - lr * decay;
    adam_step(w, g);
}

static const struct {
    const char *file;
    void (*want)(State *w, const double *g);
    const char *inputs[INPUTS]; /* param, grad, state in the order of the outputs; then lr */
} optimizers[] = {
    {"sgd_momentum.py", want_sgd, {"param", "grad", "velocity", "lr"}},
    {"adam.py", want_adam, {"param", "grad", "exp_avg", "exp_avg_sq", "step", "lr"}},
    {"adamw.py", want_adamw, {"param", "grad", "exp_avg", "exp_avg_sq", "step", "lr"}},
};

static void bind_numbers(Program *p, const char *name, uint32_t n, const double *x)
{
    static const int64_t shape[] = {4, 3};
    Tensor *t = tensor_new(DT_f32, (Device){0}, n == 1 ? 0 : 2, shape);
    for (uint32_t i = 0; i < n; i++)
        elem_set_f64((char *)tensor_data(t) + 4 * i, DT_f32, x[i]);
    ck_assert(program_bind_tensor(p, str_from(name), t, &d));
    tensor_unref(t);
    no_errors();
}

static void one_step(Program *p, const Stage *st, int o, const double *g, const State *want)
{
    Run r = {0};
    bind_numbers(p, "grad", N, g);
    ck_assert(session_run(s, p, st, NULL, &r, &d));
    no_errors();
    for (int i = 0; i < N; i++)
        ck_assert_double_eq_tol(element(r.outputs[0], i), want->param[i], 2e-6);
    program_bind_tensor(p, S("param"), r.outputs[0], &d);
    for (uint32_t k = 1; k < r.noutputs; k++)
        program_bind_tensor(p, str_from(optimizers[o].inputs[k + 1]), r.outputs[k], &d);
    run_free(&r);
    no_errors();
}

START_TEST(ten_steps)
{
    int o = _i / 2;
    char path[512];
    snprintf(path, sizeof path, "%s/examples/%s", SOURCE_DIR, optimizers[o].file);
    Program *p = load_case(path);
    const Stage *st = program_find_stage(s, p, _i % 2 ? S("last") : S("acquired"), &d);
    State want = {.step = 0};
    const double zero[N] = {0};
    for (int i = 0; i < N; i++)
        want.param[i] = cos(i);
    bind_numbers(p, "param", N, want.param);
    bind_numbers(p, "lr", 1, &lr);
    for (int k = 2; k < INPUTS && strcmp(optimizers[o].inputs[k], "lr") != 0; k++)
        bind_numbers(p, optimizers[o].inputs[k],
                     strcmp(optimizers[o].inputs[k], "step") == 0 ? 1 : N, zero);
    for (int step = 0; step < STEPS; step++) {
        double g[N];
        for (int i = 0; i < N; i++)
            g[i] = gradient(step, i);
        optimizers[o].want(&want, g);
        one_step(p, st, o, g, &want);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("optim");
    TCase *c = tcase_create("optim");
    suite_add_tcase(suite, c);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, ten_steps, 0, 2 * (int)ARRAY_LEN(optimizers));
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
