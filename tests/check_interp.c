/*
 * check_interp.c - promises of the interpreter: the value of every prim, on hand-known results.
 *
 * Each row is one call, its operands and its results. Every row runs four times: on dense operands,
 * on operands scattered in memory, and both in the f64 mode, whose results must round to the same.
 */
#include "prim_lab.h"

#include "prim_rows.h"

static PrimLab lab;

static void setup(void)
{
    lab_open(&lab);
}

static void teardown(void)
{
    lab_close(&lab);
}

static void load_row(const Row *r, Tensor **in)
{
    for (int i = 0; i < LAB_INPUTS; i++)
        in[i] = i < ROW_INPUTS && r->in[i] ? lab_tensor(r->in[i]) : NULL;
}

static void drop(Tensor **in)
{
    for (int i = 0; i < LAB_INPUTS; i++)
        tensor_unref(in[i]);
}

static void check_results(const Row *r, Rounding rounding)
{
    uint32_t n = 0;
    while (n < ROW_OUTPUTS && r->out[n])
        n++;
    ck_assert_msg(lab.noutputs == n, "%s: %u results, not %u", r->call, lab.noutputs, n);
    for (uint32_t i = 0; i < n; i++) {
        Tensor *want = lab_tensor(r->out[i]);
        Tensor *have = tensor_ref(lab_output(&lab, i));
        if (rounding == ROUND_f64 && have->dtype != want->dtype) {
            ck_assert_msg(have->dtype == (dtype_is_complex(want->dtype) ? DT_c128 : DT_f64),
                          "%s: dtype %s in f64 mode", r->call, dtype_info[have->dtype].name);
            Tensor *rounded = tensor_cast(have, want->dtype);
            tensor_unref(have);
            have = rounded;
        }
        ck_tensor(have, want, r->call);
        tensor_unref(have);
        tensor_unref(want);
    }
}

static void run_row(const Row *r, bool scatter, Rounding rounding)
{
    Tensor *in[LAB_INPUTS];
    unsigned seed = 7;
    load_row(r, in);
    for (int i = 0; scatter && i < LAB_INPUTS && in[i]; i++) {
        Tensor *dense = in[i];
        in[i] = lab_scatter(dense, &seed);
        tensor_unref(dense);
    }
    bool ok = lab_compile(&lab, r->call, in);
    char *said = diag_text(&lab.d);
    ck_assert_msg(ok, "%s: %s", r->call, said);
    free(said);
    lab.rounding = rounding;
    ok = lab_execute(&lab, in);
    said = diag_text(&lab.d);
    ck_assert_msg(ok, "%s: %s", r->call, said);
    free(said);
    check_results(r, rounding);
    drop(in);
}

START_TEST(prim_gives_the_known_result)
{
    const Row *r = &rows[_i];
    run_row(r, false, ROUND_dtype);
    run_row(r, true, ROUND_dtype);
    if (!r->rounded_only) {
        run_row(r, false, ROUND_f64);
        run_row(r, true, ROUND_f64);
    }
}
END_TEST

/* Prims that compute something appear in the table. */
START_TEST(every_prim_has_a_row)
{
    const Op *op = registry_op(&lab.reg, (uint32_t)_i);
    StrBuf call = {0};
    bool found = (op->flags & (OP_UNPACK | OP_CHECK | OP_CONTROL | OP_OPAQUE)) != 0;
    sb_printf(&call, "prims.%s(", op->name);
    for (size_t i = 0; i < ROWS && !found; i++)
        found = strstr(rows[i].call, sb_cstr(&call)) != NULL;
    ck_assert_msg(found, "no row calls %s", sb_cstr(&call));
    sb_free(&call);
}
END_TEST

START_TEST(mistakes_are_errors)
{
    const Mistake *m = &mistakes[_i];
    Row r = {.call = m->call};
    Tensor *in[LAB_INPUTS];
    memcpy(r.in, m->in, sizeof m->in);
    load_row(&r, in);
    if (lab_compile(&lab, m->call, in)) {
        lab.rounding = ROUND_dtype;
        ck_assert_msg(!lab_execute(&lab, in), "%s runs", m->call);
    }
    char *said = diag_text(&lab.d);
    ck_contains(said, m->says);
    free(said);
    drop(in);
}
END_TEST

/* ---------------------------------------------------------------------------------- other laws */

static Tensor *run_on(const char *call, Tensor **in)
{
    ck_assert(lab_compile(&lab, call, in));
    ck_assert(lab_execute(&lab, in));
    return lab_output(&lab, 0);
}

/* Elementwise prims on random shapes and layouts: scattered operands give what dense ones give. */
START_TEST(layout_does_not_matter)
{
    const Op *op = registry_op(&lab.reg, (uint32_t)_i);
    unsigned seed = (unsigned)_i + 1;
    if (!(op->flags & OP_ELEMENTWISE) || op->sig.n > 3 || op->id == PRIM_convert_element_type ||
        op->id == PRIM_bitcast)
        return;
    static const DType dtypes[] = {DT_f32, DT_f64, DT_bf16, DT_i32, DT_i64, DT_b8, DT_c64};
    uint32_t ran = 0;
    for (int round = 0; round < 40; round++) {
        Tensor *in[LAB_INPUTS] = {NULL}, *scattered[LAB_INPUTS] = {NULL};
        int64_t shape[4];
        uint32_t rank = (uint32_t)rand_r(&seed) % 5;
        for (uint32_t i = 0; i < rank; i++)
            shape[i] = rand_r(&seed) % 8;
        StrBuf call = {0};
        sb_printf(&call, "prims.%s(", op->name);
        for (uint32_t i = 0; i < op->sig.n; i++) {
            DType d = op->id == PRIM_where && i == 0 ? DT_b8 : dtypes[round % 7];
            in[i] = tensor_new(d, (Device){DEV_cpu, 0}, rank, shape);
            char *e = tensor_data(in[i]);
            for (int64_t k = 0; k < tensor_numel(in[i]); k++)
                elem_set_f64(e + k * dtype_info[d].bytes, d, 1 + rand_r(&seed) % 100 / 7.0);
            scattered[i] = lab_scatter(in[i], &seed);
            sb_printf(&call, "%s%c", i ? ", " : "", 'a' + (int)i);
        }
        sb_putc(&call, ')');
        if (lab_compile(&lab, sb_cstr(&call), in)) { /* not every dtype is allowed */
            ck_assert(lab_execute(&lab, in));
            Tensor *dense = tensor_ref(lab_output(&lab, 0));
            ck_tensor(run_on(sb_cstr(&call), scattered), dense, sb_cstr(&call));
            tensor_unref(dense);
            ran++;
        }
        drop(in);
        drop(scattered);
        sb_free(&call);
    }
    ck_assert_uint_gt(ran, 0);
}
END_TEST

START_TEST(views_share_storage)
{
    static const char *const calls[] = {
        "prims.shallow_copy(a)",
        "prims.reshape(a, (3, 2))",
        "prims.view(a, (6,))",
        "prims.transpose(a, (1, 0))",
        "prims.slice_prim(a, (0, 1), (2, 3), (1, 1))",
        "prims.broadcast_in_dim(a, (4, 2, 3), (1, 2))",
        "prims.unfold(a, 1, 2, 1)",
        "prims.as_strided(a, (2, 2), (1, 2), 1)",
    };
    Tensor *in[LAB_INPUTS] = {lab_tensor("f32[2,3] 1 2 3 4 5 6")};
    Tensor *out = run_on(calls[_i], in);
    ck_assert(tensor_same_storage(out, in[0]));
    drop(in);
}
END_TEST

START_TEST(copies_do_not_share_storage)
{
    static const char *const calls[] = {"prims.clone(a)", "prims.flip(a, (0,))",
                                        "prims.reshape(prims.transpose(a, (1, 0)), (6,))",
                                        "prims.cat([a], 0)", "prims.copy_with_setitem(a, 0, 1.0)"};
    Tensor *in[LAB_INPUTS] = {lab_tensor("f32[2,3] 1 2 3 4 5 6")};
    Tensor *out = run_on(calls[_i], in);
    ck_assert(!tensor_same_storage(out, in[0]));
    drop(in);
}
END_TEST

START_TEST(writes_are_seen_through_views)
{
    Tensor *in[LAB_INPUTS] = {lab_tensor("f32[2,3] 1 2 3 4 5 6"), lab_tensor("f32[2] 7 8")};
    Tensor *want = lab_tensor("f32[2,3] 1 2 7 4 5 8"), *column = lab_tensor("f32[2] 7 8");
    run_on("prims.copy_(b, prims.squeeze(prims.slice_prim(a, (0, 2), (2, 3), (1, 1)), (1,)))", in);
    ck_tensor(in[0], want, "the input");
    ck_tensor(lab_output(&lab, 0), column, "the result");
    ck_assert(tensor_same_storage(lab_output(&lab, 0), in[0]));
    drop(in);
    tensor_unref(want);
    tensor_unref(column);
}
END_TEST

START_TEST(f64_mode_does_not_round)
{
    Tensor *in[LAB_INPUTS] = {lab_tensor("bf16[1] 1")};
    ck_assert(lab_compile(&lab, "prims.sub(prims.add(a, 0.001), 1.0)", in));
    lab.rounding = ROUND_f64;
    ck_assert(lab_execute(&lab, in));
    ck_assert_int_eq(lab_output(&lab, 0)->dtype, DT_f64);
    double v = elem_get_f64(tensor_data(lab_output(&lab, 0)), DT_f64);
    ck_assert(fabs(v - (double)0.001f) < 1e-12); /* the number is the program's: an f32 */
    drop(in);
}
END_TEST

/* In f32 the large terms take the small one with them. */
START_TEST(f64_mode_adds_products_of_f32_in_f64)
{
    static const struct {
        const char *text, *a, *b;
    } products[] = {
        {"prims.matmul(a, b)", "f32[1,3] 1e9 1 -1e9", "f32[3,1] 1 1 1"},
        {"prims.matmul(a, b)", "f32[2,3] 1e9 1 -1e9 1e9 1 -1e9", "f32[3,2] 1 1 1 1 1 1"},
        {"prims.linear(a, b, None)", "f32[2,3] 1e9 1 -1e9 1e9 1 -1e9", "f32[2,3] 1 1 1 1 1 1"},
        {"prims.convolution(a, b, None, (1,), (0,), (1,), False, (0,), 1)",
         "f32[1,1,3] 1e9 1 -1e9", "f32[1,1,3] 1 1 1"},
    };
    Tensor *in[LAB_INPUTS] = {lab_tensor(products[_i].a), lab_tensor(products[_i].b)};
    ck_assert(lab_compile(&lab, products[_i].text, in));
    lab.rounding = ROUND_f64;
    ck_assert(lab_execute(&lab, in));
    ck_assert_int_eq(lab_output(&lab, 0)->dtype, DT_f64);
    double v = elem_get_f64(tensor_data(lab_output(&lab, 0)), DT_f64);
    ck_assert_msg(fabs(v - 1) < 1e-12, "%s gives %g", products[_i].text, v);
    drop(in);
}
END_TEST

START_TEST(matmul_equals_the_definition)
{
    unsigned seed = (unsigned)_i;
    int64_t m = 1 + rand_r(&seed) % 150, n = 1 + rand_r(&seed) % 250, k = rand_r(&seed) % 300;
    Tensor *x = tensor_new(DT_f32, (Device){0}, 2, (int64_t[]){m, k});
    Tensor *y = tensor_new(DT_f32, (Device){0}, 2, (int64_t[]){k, n});
    float *a = tensor_data(x), *b = tensor_data(y);
    for (int64_t i = 0; i < m * k; i++)
        a[i] = (float)(rand_r(&seed) % 17 - 8);
    for (int64_t i = 0; i < k * n; i++)
        b[i] = (float)(rand_r(&seed) % 17 - 8);
    Tensor *in[LAB_INPUTS] = {lab_scatter(x, &seed), lab_scatter(y, &seed)};
    const float *c = tensor_data(run_on("prims.matmul(a, b)", in));
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float sum = 0;
            for (int64_t p = 0; p < k; p++)
                sum += a[i * k + p] * b[p * n + j];
            ck_assert_msg(c[i * n + j] == sum, "[%d, %d] is %g, not %g", (int)i, (int)j,
                          (double)c[i * n + j], (double)sum);
        }
    drop(in);
    tensor_unref(x);
    tensor_unref(y);
}
END_TEST

/* Large enough for threads: 2500 rows of 70 columns into 2100, some of which nobody looks up. */
START_TEST(embedding_backward_equals_the_definition)
{
    enum { NAT = 2500, WEIGHTS = 2100, WIDTH = 70, PADDING = 6 };
    unsigned seed = 3;
    Tensor *grad = tensor_new(DT_f32, (Device){0}, 2, (int64_t[]){NAT, WIDTH});
    Tensor *index = tensor_new(DT_i64, (Device){0}, 1, (int64_t[]){NAT});
    Tensor *want = tensor_new(DT_f32, (Device){0}, 2, (int64_t[]){WEIGHTS, WIDTH});
    float *g = tensor_data(grad), *w = tensor_data(want);
    int64_t *at = tensor_data(index);
    for (int64_t i = 0; i < NAT * WIDTH; i++)
        g[i] = (float)(rand_r(&seed) % 17 - 8);
    for (int64_t i = 0; i < NAT; i++) {
        at[i] = rand_r(&seed) % (WEIGHTS / 3) * 3 + i % 2;
        for (int64_t j = 0; at[i] != PADDING && j < WIDTH; j++)
            w[at[i] * WIDTH + j] += g[i * WIDTH + j];
    }
    Tensor *in[LAB_INPUTS] = {tensor_ref(grad), index};
    for (int round = 0; round < 2; round++) {
        ck_tensor(run_on("prims.embedding_backward(a, b, 2100, 6, False, False)", in), want,
                  "embedding_backward");
        tensor_unref(in[0]);
        in[0] = lab_scatter(grad, &seed);
    }
    drop(in);
    tensor_unref(grad);
    tensor_unref(want);
}
END_TEST

START_TEST(random_numbers_follow_their_distribution)
{
    static const struct {
        const char *call;
        double mean, var;
    } cases[] = {
        {"prims.uniform_philox((100000,), 2.0, 4.0, device='cpu', dtype=torch.float32, seed=1, "
         "offset=0)",
         3, 1.0 / 3},
        {"prims.uniform_philox((100000,), 0.0, 1.0, device='cpu', dtype=torch.float64, seed=2, "
         "offset=5)",
         0.5, 1.0 / 12},
        {"prims.normal_philox((100000,), 1.0, 2.0, device='cpu', dtype=torch.float32, seed=3, "
         "offset=0)",
         1, 4},
        {"prims.randint_philox((100000,), 0, 10, device='cpu', dtype=torch.int64, seed=4, "
         "offset=0)",
         4.5, 8.25},
    };
    Tensor *in[LAB_INPUTS] = {NULL};
    Tensor *t = tensor_cast(run_on(cases[_i].call, in), DT_f64);
    const double *e = tensor_data(t);
    double mean = 0, var = 0;
    for (int i = 0; i < 100000; i++)
        mean += e[i] / 100000;
    for (int i = 0; i < 100000; i++)
        var += (e[i] - mean) * (e[i] - mean) / 100000;
    ck_assert_msg(fabs(mean - cases[_i].mean) < 0.02, "mean %g", mean);
    ck_assert_msg(fabs(var - cases[_i].var) < 0.02 * cases[_i].var + 0.01, "variance %g", var);
    tensor_unref(t);
}
END_TEST

START_TEST(other_offsets_give_other_numbers)
{
    Tensor *in[LAB_INPUTS] = {NULL};
    Tensor *first = tensor_ref(run_on("prims.uniform_philox((8,), 0.0, 1.0, device='cpu', "
                                      "dtype=torch.float32, seed=1, offset=0)",
                                      in));
    Tensor *second = tensor_ref(run_on("prims.uniform_philox((8,), 0.0, 1.0, device='cpu', "
                                       "dtype=torch.float32, seed=1, offset=1)",
                                       in));
    Tensor *again = run_on("prims.uniform_philox((8,), 0.0, 1.0, device='cpu', "
                           "dtype=torch.float32, seed=1, offset=0)",
                           in);
    ck_assert(tensors_agree(first, again));
    ck_assert(!tensors_agree(first, second));
    tensor_unref(first);
    tensor_unref(second);
}
END_TEST

START_TEST(interrupt_stops_a_kernel)
{
    Tensor *in[LAB_INPUTS] = {lab_tensor("f32[64,64] 1"), lab_tensor("f32[64,64] 1")};
    volatile int interrupt = 1;
    ck_assert(lab_compile(&lab, "prims.matmul(a, b)", in));
    lab.values = calloc(lab.t->nvalues, sizeof *lab.values);
    for (uint32_t i = 0; i < lab.t->ninputs; i++)
        lab.values[lab.t->inputs[i]] = tensor_ref(in[i]);
    ExecCall call = {.t = lab.t, .values = lab.values, .diag = &lab.d, .interrupt = &interrupt};
    ck_assert(!exec_interp.run(&call));
    ck_error(&lab.d, "interrupted");
    ck_assert_int_eq(lab.d.first->kind, DIAG_interrupt);
    drop(in);
}
END_TEST

/* ------------------------------------------------------------------------------------ executors */

START_TEST(default_list_ends_with_one_that_runs_all)
{
    ExecList l;
    executors_default(&l);
    ck_assert_uint_gt(l.n, 1);
    ck_assert(l.on[l.n - 1]);
    ck_assert_ptr_eq(l.items[l.n - 1], &exec_interp);
    ck_assert_ptr_eq(exec_find(&l, S("null")), &exec_null);
    ck_assert(!l.on[exec_index(&l, S("null"))]);
}
END_TEST

START_TEST(null_gives_zeros_of_the_right_type)
{
    Tensor *in[LAB_INPUTS] = {lab_tensor("f32[2,3] 1 2 3 4 5 6")};
    ck_assert(lab_compile(&lab, "torch.softmax(a, 1)", in));
    lab.values = calloc(lab.t->nvalues, sizeof *lab.values);
    ExecCall call = {.t = lab.t, .values = lab.values, .diag = &lab.d};
    StrBuf why = {0};
    ck_assert(exec_null.can(lab.t, 0, &why));
    ck_assert(!exec_interp.can(lab.t, 0, &why));
    ck_assert(exec_null.run(&call));
    lab.noutputs = trace_outputs(lab.t, lab.outputs, ARRAY_LEN(lab.outputs));
    Tensor *want = lab_tensor("f32[2,3] 0");
    ck_tensor(lab_output(&lab, 0), want, "null");
    tensor_unref(want);
    sb_free(&why);
    drop(in);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("interp");
    TCase *values = tcase_create("values"), *laws = tcase_create("laws");
    tcase_add_checked_fixture(values, setup, teardown);
    tcase_add_loop_test(values, prim_gives_the_known_result, 0, ROWS);
    tcase_add_loop_test(values, every_prim_has_a_row, 0, PRIM_COUNT);
    tcase_add_loop_test(values, mistakes_are_errors, 0, MISTAKES);
    tcase_add_checked_fixture(laws, setup, teardown);
    tcase_add_loop_test(laws, layout_does_not_matter, 0, PRIM_COUNT);
    tcase_add_loop_test(laws, views_share_storage, 0, 8);
    tcase_add_loop_test(laws, copies_do_not_share_storage, 0, 5);
    tcase_add_test(laws, writes_are_seen_through_views);
    tcase_add_test(laws, f64_mode_does_not_round);
    tcase_add_loop_test(laws, f64_mode_adds_products_of_f32_in_f64, 0, 4);
    tcase_add_loop_test(laws, matmul_equals_the_definition, 0, 12);
    tcase_add_test(laws, embedding_backward_equals_the_definition);
    tcase_add_loop_test(laws, random_numbers_follow_their_distribution, 0, 4);
    tcase_add_test(laws, other_offsets_give_other_numbers);
    tcase_add_test(laws, interrupt_stops_a_kernel);
    tcase_add_test(laws, default_list_ends_with_one_that_runs_all);
    tcase_add_test(laws, null_gives_zeros_of_the_right_type);
    suite_add_tcase(s, values);
    suite_add_tcase(s, laws);
    return run_suite(s);
}
