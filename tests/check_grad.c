/*
 * check_grad.c - gradients against finite differences.
 *
 * Every vjp rule of prims.def and of the composites has a row in grad_rows.h: a program in f64 that
 * uses it. What is promised: for random inputs x, cotangents c and a random direction d, the sum of
 * d times the gradients is the slope of (c times the outputs) along d; and the same for gradients
 * of gradients where the row says so. What has no gradient says so, and what is cut off has none.
 */
#include "differences.h"
#include "executors.h"
#include "session.h"
#include "support.h"

#include <math.h>

typedef struct Row {
    const char *rule;    /* its name in prims.def, or that of a composite */
    const char *inputs;  /* "x: \"f64[3, 4]\"" */
    const char *result;  /* "prims.mul(x, x)" */
    double low, high;    /* of the elements of floating inputs */
    int order;           /* 2: gradients of gradients are checked, too */
} Row;

static const Row rows[] = {
#include "grad_rows.h"
};

static Session *s;
static Diag d;
static uint64_t state;

static void setup(void)
{
    ExecList l;
    executors_default(&l);
    d = (Diag){0};
    s = session_new(&l);
    state = 7;
}

static void teardown(void)
{
    session_free(s);
    diag_clear(&d);
}

static double uniform(double low, double high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

/* ------------------------------------------------------------------------------------ programs */

static Trace *program(const char *inputs, const char *result)
{
    StrBuf text = {0};
    sb_printf(&text, "def f(%s):\n    y = %s\n    return (y,)\n", inputs, result);
    ck_assert_uint_eq(session_load_text(s, S("row"), sb_str(&text), (Str){0}, &d), 1);
    ck_no_errors(&d);
    sb_free(&text);
    return trace_ref(program_root(session_current(s))->trace);
}

/* The joint trace for all inputs; NULL after an error. */
static Trace *joint(const Trace *t, const char *wrt, const char *cotangents)
{
    const Option options[2] = {{S("joint.wrt"), str_from(wrt)},
                               {S("joint.cotangents"), str_from(cotangents)}};
    PassCtx c = {.info = pass_find(S("joint")),
                 .reg = session_registry(s),
                 .diag = &d,
                 .fuel = UINT64_MAX,
                 .options = options,
                 .noptions = 2};
    Trace *r = pass_run(&c, t);
    if (r)
        ck_assert(trace_verify(r, &d));
    return r;
}

static Tensor *random_tensor(const Value *v, double low, double high)
{
    const Type *type = &v->type;
    Tensor *t = tensor_new((DType)type->dtype, type->device, type->rank, type->shape);
    size_t size = dtype_info[type->dtype].bytes;
    for (int64_t i = 0; i < type_numel(type); i++) {
        double x = dtype_is_inexact((DType)type->dtype) ? uniform(low, high)
                                                        : floor(uniform(0, 2));
        elem_set_f64((char *)tensor_data(t) + (size_t)i * size, (DType)type->dtype, x);
    }
    return t;
}

/* x + h d */
static Tensor *moved(const Tensor *x, const Tensor *dir, double h)
{
    Tensor *t = tensor_new_like(x);
    for (int64_t i = 0; i < tensor_numel(x); i++)
        elem_set_f64((double *)tensor_data(t) + i, DT_f64,
                     ((const double *)tensor_data(x))[i] +
                         h * ((const double *)tensor_data(dir))[i]);
    return t;
}

static double dot(const Tensor *a, const Tensor *b)
{
    Tensor *x = tensor_contiguous((Tensor *)a), *y = tensor_contiguous((Tensor *)b);
    double sum = 0;
    for (int64_t i = 0; i < tensor_numel(x); i++)
        sum += elem_get_f64((double *)tensor_data(x) + i, DT_f64) *
               elem_get_f64((double *)tensor_data(y) + i, DT_f64);
    tensor_unref(x);
    tensor_unref(y);
    return sum;
}

/* The sum of cots times the outputs of t that are floating; cots[k] belongs to output k. */
static double weighed(const Trace *t, Tensor *const *inputs, Tensor *const *cots)
{
    Run run;
    RunOptions o = {.rounding = ROUND_f64};
    double sum = 0;
    ck_assert_msg(trace_run(s, t, inputs, &o, &run, &d), "%s", diag_text(&d));
    for (uint32_t i = 0; i < run.noutputs; i++)
        if (cots[i] && run.outputs[i])
            sum += dot(cots[i], run.outputs[i]);
    run_free(&run);
    return sum;
}

enum { MOST = 16 };

/* Checks the gradients that j, the joint trace of t, gives. */
static void check_slope(const Trace *t, const Trace *j, const Row *row)
{
    Tensor *in[MOST] = {0}, *dir[MOST] = {0}, *cots[MOST] = {0}, *up[MOST] = {0}, *down[MOST] = {0};
    ck_assert_uint_le(j->ninputs, MOST);
    for (uint32_t i = 0; i < j->ninputs; i++) {
        const Value *v = &j->values[j->inputs[i]];
        bool cot = i >= t->ninputs;
        in[i] = random_tensor(v, cot ? -1 : row->low, cot ? 1 : row->high);
        if (cot)
            cots[atoi(v->name.p + 4)] = in[i];
    }
    const double h = 1e-5;
    for (uint32_t i = 0; i < t->ninputs; i++) {
        bool moves = t->values[t->inputs[i]].type.dtype == DT_f64;
        dir[i] = moves ? random_tensor(&t->values[t->inputs[i]], -1, 1) : NULL;
        up[i] = moves ? moved(in[i], dir[i], h) : tensor_ref(in[i]);
        down[i] = moves ? moved(in[i], dir[i], -h) : tensor_ref(in[i]);
    }
    double slope = (weighed(t, up, cots) - weighed(t, down, cots)) / (2 * h), sum = 0;
    Run run;
    RunOptions o = {.rounding = ROUND_f64};
    ck_assert_msg(trace_run(s, j, in, &o, &run, &d), "%s: %s", row->rule, diag_text(&d));
    uint32_t at = trace_outputs(t, NULL, 0);
    for (uint32_t i = 0; i < t->ninputs; i++) {
        if (!dir[i])
            continue;
        ck_assert_uint_lt(at, run.noutputs);
        if (run.outputs[at])
            sum += dot(run.outputs[at], dir[i]);
        at++;
    }
    ck_assert_msg(fabs(slope - sum) <= 1e-6 * (1 + fabs(slope)),
                  "%s, %s: the slope is %.12g, the gradient says %.12g", row->rule, row->result,
                  slope, sum);
    run_free(&run);
    for (uint32_t i = 0; i < MOST; i++) {
        tensor_unref(in[i]);
        tensor_unref(dir[i]);
        tensor_unref(up[i]);
        tensor_unref(down[i]);
    }
}

START_TEST(the_gradient_is_the_slope)
{
    const Row *row = &rows[_i];
    Trace *t = program(row->inputs, row->result), *j = joint(t, "all", "given");
    ck_no_errors(&d);
    check_slope(t, j, row);
    trace_unref(j);
    trace_unref(t);
}
END_TEST

START_TEST(the_gradient_of_the_gradient_is_its_slope)
{
    const Row *row = &rows[_i];
    if (row->order < 2)
        return;
    Trace *t = program(row->inputs, row->result), *j = joint(t, "all", "ones");
    ck_no_errors(&d);
    Trace *k = joint(j, "all", "given");
    ck_no_errors(&d);
    check_slope(j, k, row);
    trace_unref(k);
    trace_unref(j);
    trace_unref(t);
}
END_TEST

/* Every operator that has a sample, as programs use it: in directions of all its inputs. */
START_TEST(every_operator_has_the_slope_of_its_gradient)
{
    static const struct {
        const char *name, *why;
    } others[] = {
        {"special_zeta", NULL}, {"nextafter", NULL}, /* no gradient */
        {"frexp", "reads the bits of f32"}, {"scatter", "its indices meet, and one write wins"},
    };
    uint32_t n = session_load(s, S(TEST_DIR "/cases/lang/samples.py"), &d), checked = 0;
    ck_no_errors(&d);
    for (uint32_t i = 0; i < n; i++) {
        Program *p = session_program(s, i);
        Differences diff = {.agree = true};
        bool other = false, none = false;
        for (size_t k = 0; k < ARRAY_LEN(others); k++)
            if (str_is(program_name(p), others[k].name))
                other = true, none = !others[k].why;
        ck_assert(program_bind_random(s, p, 5, &d));
        bool has = program_grad(s, p, S("all"), false, &d);
        ck_assert_msg(has != none, "%.*s: %s", STR(program_name(p)), diag_text(&d));
        diag_clear(&d);
        if (other)
            continue;
        const Stage *joint = program_find_stage(s, p, S("joint"), &d);
        ck_assert_msg(differences_stage(s, p, joint, &diff, &d), "%s", diag_text(&d));
        ck_assert_msg(diff.agree, "%.*s, input %.*s: the slope is %.9g, the gradient says %.9g",
                      STR(program_name(p)), STR(diff.input), diff.want, diff.got);
        checked += diff.checked;
    }
    ck_assert_uint_gt(checked, n / 2);
}
END_TEST

/* ----------------------------------------------------------------------------- what is covered */

START_TEST(every_rule_has_a_row)
{
    static const char *const rules[] = {
#define PRIM(name, signature, facts, shape, kernel, gradient, ...) #gradient,
#include "prims.def"
#undef PRIM
#define COMPOSITE(name, rule) #rule,
#include "composites.def"
#undef COMPOSITE
    };
    for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
        bool found = strcmp(rules[i], "none") == 0;
        for (size_t k = 0; k < ARRAY_LEN(rows) && !found; k++)
            found = strcmp(rows[k].rule, rules[i]) == 0;
        ck_assert_msg(found, "rule %s has no row", rules[i]);
    }
}
END_TEST

START_TEST(every_rule_of_a_composite_has_its_operator)
{
    static const char *const names[] = {
#define COMPOSITE(name, rule) "ltorch." #name,
#include "composites.def"
#undef COMPOSITE
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        ck_assert_msg(registry_find(session_registry(s), str_from(names[i])) != NULL,
                      "composites.def: there is no %s", names[i]);
}
END_TEST

/* --------------------------------------------------------------------------------- no gradient */

START_TEST(what_is_cut_off_has_no_gradient)
{
    Trace *t = program("x: \"f64[3]\", y: \"f64[3]\", n: \"i64[3]\"", "x * 2 + y.detach() * n");
    Trace *j = joint(t, "all", "given");
    ck_no_errors(&d);
    Arg outs[8];
    ck_assert_uint_eq(trace_outputs(j, outs, 8), 3);
    ck_assert_uint_eq(outs[1].kind, ARG_value);
    ck_assert_uint_eq(outs[2].kind, ARG_none);
    trace_unref(j);
    trace_unref(t);
}
END_TEST

/* Pieces that fill their tensor are put side by side; a hole stays, and what overlaps is added. */
START_TEST(pieces_of_a_gradient_lie_side_by_side)
{
    static const struct {
        Row row;
        uint32_t cats, adds; /* that what is returned comes from */
    } cases[] = {
        {{.rule = "thirds", .inputs = "x: \"f64[2, 9]\"", .low = -1, .high = 1,
          .result = "x[:, :3].exp() * x[:, 3:6].sin() * x[:, 6:].exp()"}, 1, 0},
        {{.rule = "heads", .inputs = "x: \"f64[2, 8]\"", .low = -1, .high = 1,
          .result = "x[:, 4:].reshape(2, 2, 2).exp() * x[:, :4].reshape(2, 2, 2).sin()"}, 1, 0},
        {{.rule = "a hole", .inputs = "x: \"f64[2, 9]\"", .low = -1, .high = 1,
          .result = "x[:, 6:].exp() * x[:, :3].sin()"}, 0, 1},
        {{.rule = "overlap", .inputs = "x: \"f64[2, 9]\"", .low = -1, .high = 1,
          .result = "x[:, 3:8].exp() * x[:, :5].sin()"}, 0, 1},
    };
    Trace *t = program(cases[_i].row.inputs, cases[_i].row.result), *j = joint(t, "all", "given");
    ck_no_errors(&d);
    check_slope(t, j, &cases[_i].row);
    PassCtx c = {.info = pass_find(S("dce")), .reg = session_registry(s), .diag = &d,
                 .fuel = UINT64_MAX};
    Trace *lean = pass_run(&c, j);
    uint32_t cats = 0, adds = 0;
    for_top(lean, n) {
        cats += strcmp(lean->nodes[n].op->name, "cat") == 0;
        adds += strcmp(lean->nodes[n].op->name, "add") == 0;
    }
    ck_assert_uint_eq(cats, cases[_i].cats);
    ck_assert_uint_eq(adds, cases[_i].adds);
    trace_unref(lean);
    trace_unref(j);
    trace_unref(t);
}
END_TEST

START_TEST(a_region_without_gradients_gives_none)
{
    StrBuf text = {0};
    sb_puts(&text,
            "class GraphModule(torch.nn.Module):\n"
            "    def forward(self, x: \"f64[3]\", y: \"f64[3]\"):\n"
            "        g = self.g\n"
            "        w = torch.ops.higher_order.wrap_with_set_grad_enabled(False, g, y)\n"
            "        z = w[0]\n"
            "        return (x * z,)\n\n"
            "    class g(torch.nn.Module):\n"
            "        def forward(self, y: \"f64[3]\"):\n"
            "            return (torch.exp(y),)\n");
    ck_assert_uint_eq(session_load_text(s, S("row"), sb_str(&text), (Str){0}, &d), 1);
    ck_no_errors(&d);
    Trace *j = joint(program_root(session_current(s))->trace, "all", "given");
    ck_no_errors(&d);
    Arg outs[8];
    ck_assert_uint_eq(trace_outputs(j, outs, 8), 3);
    ck_assert_uint_eq(outs[1].kind, ARG_value);
    ck_assert_uint_eq(outs[2].kind, ARG_none);
    trace_unref(j);
    sb_free(&text);
}
END_TEST

START_TEST(what_the_backward_part_keeps_is_known)
{
    Trace *t = program("x: \"f64[3, 4]\"", "torch.sin(torch.exp(x))");
    Trace *j = joint(t, "all", "given");
    ck_no_errors(&d);
    Saved *saved;
    uint32_t n = trace_saved(j, &saved), bytes = 0;
    for (uint32_t i = 0; i < n; i++)
        bytes += (uint32_t)saved[i].bytes;
    ck_assert_uint_eq(n, 2); /* exp(x), and the cotangent */
    ck_assert_uint_eq(bytes, 2 * 12 * 8);
    free(saved);
    ck_assert_uint_eq(trace_saved(t, &saved), 0);
    free(saved);
    trace_unref(j);
    trace_unref(t);
}
END_TEST

START_TEST(an_operator_without_a_rule_is_named)
{
    Trace *t = program("x: \"f64[3]\"", "prims.nextafter(x, x)");
    ck_assert_ptr_null(joint(t, "all", "given"));
    ck_error(&d, "unsupported-gradient");
    ck_contains(d.first->message.p, "prims.nextafter");
    trace_unref(t);
}
END_TEST

START_TEST(a_name_that_is_no_input_is_refused)
{
    Trace *t = program("x: \"f64[3]\", n: \"i64[3]\"", "x * n");
    ck_assert_ptr_null(joint(t, "x, n", "given"));
    ck_error(&d, "no-input");
    trace_unref(t);
}
END_TEST

/* ------------------------------------------------------------------------------------ stepping */

START_TEST(a_part_of_the_rules_leaves_the_outputs)
{
    Trace *t = program("x: \"f64[3]\"", "torch.sin(torch.exp(x)) * x");
    const Option wrt = {S("joint.wrt"), S("all")};
    for (uint64_t fuel = 0; fuel < 5; fuel++) {
        PassCtx c = {.info = pass_find(S("joint")), .reg = session_registry(s), .diag = &d,
                     .fuel = fuel, .options = &wrt, .noptions = 1};
        Trace *j = pass_run(&c, t);
        ck_no_errors(&d);
        ck_assert(trace_verify(j, &d));
        ck_assert_uint_eq(trace_outputs(j, NULL, 0), fuel < 3 ? 1 : 2);
        ck_assert_uint_eq(c.applied, fuel < 3 ? fuel : 3);
        trace_unref(j);
    }
    trace_unref(t);
}
END_TEST

START_TEST(changed_inputs_are_written_back_after_the_backward_part)
{
    StrBuf text = {0};
    sb_puts(&text, "def f(x: \"f32[3]\", y: \"f32[3]\"):\n    z = x * y\n    x.mul_(2)\n"
                   "    return (z * x,)\n");
    ck_assert_uint_eq(session_load_text(s, S("row"), sb_str(&text), (Str){0}, &d), 1);
    Program *p = session_current(s);
    ck_assert(program_bind_random(s, p, 3, &d));
    ck_assert(program_grad(s, p, S("all"), false, &d));
    Run run;
    ck_assert(session_run(s, p, program_cursor(p), NULL, &run, &d));
    ck_no_errors(&d);
    const float *x = tensor_data(program_binding(p, run.t->inputs[0]));
    const float *y = tensor_data(program_binding(p, run.t->inputs[1]));
    ck_assert_uint_eq(run.noutputs, 3);
    for (int i = 0; i < 3; i++) { /* z x is 2 x^2 y */
        ck_assert_float_eq_tol(((float *)tensor_data(run.outputs[1]))[i], 4 * x[i] * y[i], 1e-5f);
        ck_assert_float_eq_tol(((float *)tensor_data(run.outputs[2]))[i], 2 * x[i] * x[i], 1e-5f);
        ck_assert_float_eq_tol(((float *)tensor_data(run.mutated[0]))[i], 2 * x[i], 1e-5f);
    }
    run_free(&run);
    sb_free(&text);
}
END_TEST

START_TEST(gradients_go_on_and_off)
{
    const char *text = "def f(x: \"f32[3]\"):\n    return (torch.exp(x),)\n";
    ck_assert_uint_eq(session_load_text(s, S("row"), str_from(text), (Str){0}, &d), 1);
    Program *p = session_current(s);
    uint32_t stages = program_stage_count(p);
    ck_assert(!program_grad(s, p, S("nope"), false, &d));
    ck_error(&d, "no-input");
    diag_clear(&d);
    ck_assert_uint_eq(program_stage_count(p), stages);
    ck_assert(program_grad(s, p, S("x"), true, &d));
    ck_assert_uint_gt(program_stage_count(p), stages + 4); /* with those that split it */
    ck_text(program_cursor(p)->name, "joint");
    ck_assert_uint_eq(program_cursor(p)->trace->ninputs, 1);
    StrBuf why = {0};
    why_value(s, p, trace_find_value(program_cursor(p)->trace, S("grad_x")), &why);
    ck_contains(sb_cstr(&why), "was made in stage 5 (joint), rule \"exp\"");
    sb_free(&why);
    ck_assert(program_grad(s, p, (Str){0}, false, &d));
    ck_assert_uint_eq(program_stage_count(p), stages);
    ck_no_errors(&d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("grad");
    TCase *t = tcase_create("rules");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, the_gradient_is_the_slope, 0, (int)ARRAY_LEN(rows));
    tcase_add_loop_test(t, the_gradient_of_the_gradient_is_its_slope, 0, (int)ARRAY_LEN(rows));
    tcase_add_test(t, every_operator_has_the_slope_of_its_gradient);
    tcase_add_test(t, every_rule_has_a_row);
    tcase_add_test(t, every_rule_of_a_composite_has_its_operator);
    suite_add_tcase(suite, t);
    t = tcase_create("pass");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, what_is_cut_off_has_no_gradient);
    tcase_add_loop_test(t, pieces_of_a_gradient_lie_side_by_side, 0, 4);
    tcase_add_test(t, a_region_without_gradients_gives_none);
    tcase_add_test(t, what_the_backward_part_keeps_is_known);
    tcase_add_test(t, an_operator_without_a_rule_is_named);
    tcase_add_test(t, a_name_that_is_no_input_is_refused);
    tcase_add_test(t, a_part_of_the_rules_leaves_the_outputs);
    tcase_add_test(t, changed_inputs_are_written_back_after_the_backward_part);
    tcase_add_test(t, gradients_go_on_and_off);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
