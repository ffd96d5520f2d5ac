/*
 * check_sorts.c - kernels that sort, without a GPU: lines of any length and dtype, with NaN,
 * infinities, zeros of either sign and many equal elements; sums of elements that meet in one
 * place.
 *
 * Input: random programs of one sort, topk or kthvalue, run by cuda_emulator.h with threads in
 * either order. Output is that of the interpreter; of topk and kthvalue, which leaves equals as a
 * partition happens to, the values are, and places are those of these values, equals in order.
 */
#define _GNU_SOURCE
#include "support.h"

#include "session_fixture.h"

#include "cuda_emulator.h"

#include <math.h>

enum { SORT, TOPK, KTH, KINDS };

static uint32_t seed;

static uint32_t draw(uint32_t n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

static void setup_emulator(void)
{
    setup();
    ExecList known = *session_executors(s), l;
    known.items[known.n] = &exec_emulated;
    known.on[known.n++] = true;
    ck_assert(exec_parse_list(&known, S("emulated,interp"), &l, &d));
    ck_assert(session_set_executors(s, &l));
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
}

/* Few different elements, or many, and what is no number among the floats. */
static void fill(Tensor *x, uint32_t different)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0};
    bool real = dtype_is_float(x->dtype);
    char *at = tensor_data(x);
    for (int64_t i = 0; i < tensor_numel(x); i++, at += dtype_info[x->dtype].bytes) {
        double v = draw(different);
        if (real)
            v = draw(10) ? v / 8 - different / 20.0 : odd[draw(ARRAY_LEN(odd))];
        elem_set_f64(at, x->dtype, v);
    }
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Places are those of the values, and equals come in their order. */
static void check_places(const Tensor *x, const Tensor *values, const Tensor *places)
{
    int64_t n = x->shape[1], k = values->shape[1];
    for (int64_t i = 0; i < tensor_numel(values); i++) {
        double v = element(values, i), at = element(places, i);
        ck_assert(at >= 0 && at < (double)n);
        ck_assert(same(element(x, i / k * n + (int64_t)at), v));
        if (i % k && same(element(values, i - 1), v))
            ck_assert(element(places, i - 1) < at);
    }
}

/* The list of the interpreter alone. */
static ExecList only_interp(void)
{
    const Executor *interp = exec_find(session_executors(s), S("interp"));
    return (ExecList){.items = {interp}, .on = {true}, .n = 1};
}

static void program_text(int kind, const char *dtype, int64_t n, int64_t k, bool down, StrBuf *out)
{
    sb_printf(out, "def f(x: \"%s[2, %lld]\"):\n    a, b = torch.", dtype, (long long)n);
    if (kind == SORT)
        sb_printf(out, "sort(x, 1, descending=%s)", down ? "True" : "False");
    else if (kind == TOPK)
        sb_printf(out, "topk(x, %lld, 1, largest=%s)", (long long)k, down ? "True" : "False");
    else
        sb_printf(out, "kthvalue(x, %lld, 1, True)", (long long)k);
    sb_puts(out, "\n    return (a, b)\n");
}

static void check_program(int kind, const char *dtype, int64_t n, int64_t k, bool down)
{
    StrBuf text = {0};
    ExecList interp = only_interp();
    Run got, want;
    program_text(kind, dtype, n, k, down, &text);
    Program *p = load_text(sb_cstr(&text));
    ck_assert(program_bind_random(s, p, 1, &d));
    Tensor *x = program_binding(p, value(p, "x"));
    fill(x, draw(2) ? 5 : 100);
    Stage *last = program_find_stage(s, p, S("last"), &d);
    no_errors();
    bool ran = session_run(s, p, last, NULL, &got, &d);
    no_errors();
    ck_assert(ran);
    ck_assert(session_run(s, p, program_root(p), &(RunOptions){.executors = &interp}, &want, &d));
    for (int64_t i = 0; i < tensor_numel(want.outputs[0]); i++)
        ck_assert_msg(same(element(got.outputs[0], i), element(want.outputs[0], i)),
                      "%selement %lld is %g, not %g", sb_cstr(&text), (long long)i,
                      element(got.outputs[0], i), element(want.outputs[0], i));
    if (kind == SORT)
        ck_assert(tensor_compare(got.outputs[1], want.outputs[1], 0, 0).equal);
    check_places(x, got.outputs[0], got.outputs[1]);
    run_free(&got);
    run_free(&want);
    session_unload(s, p);
    sb_free(&text);
}

START_TEST(any_lines)
{
    static const char *const dtypes[] = {"f32", "bf16", "f64", "f16", "i64", "i32", "u8", "i16"};
    static const int64_t sizes[] = {1, 2, 5, 33, 700, 4096, 4097, 9000, 18000};
    if (access("/usr/bin/g++", X_OK) != 0) {
        fprintf(stderr, "SKIPPED: CUDA texts do not run here: no g++\n");
        return;
    }
    seed = (uint32_t)_i + 1;
    for (int turn = 0; turn < 9; turn++) {
        int64_t n = sizes[(turn + _i) % (int)ARRAY_LEN(sizes)];
        int64_t k = 1 + draw((uint32_t)(draw(2) && n > 40 ? 40 : n));
        emu_backwards = turn % 2;
        check_program(turn % KINDS, dtypes[draw(ARRAY_LEN(dtypes))], n, k, draw(2));
    }
}
END_TEST

enum { INDEX_ADD, EMBEDDING, SCATTER_ADD, INDEX_PUT, SUMS };

/* Sums of n items that go to at most `slots` places. */
static void sum_text(int kind, const char *dtype, int64_t n, int64_t slots, StrBuf *out)
{
    long long items = n, to = slots, inner = 1 + draw(9);
    static const char *const calls[SUMS] = {
        "torch.index_add(a, 1, i, v)",
        "torch.ops.aten.embedding_dense_backward(v, i, %lld, 1, False)",
        "torch.scatter_add(a, 0, i.reshape(%lld, 1).expand(%lld, %lld), v)",
        "torch.index_put(a, (i, i // 2), v, True)"};
    sb_printf(out, "def f(i: \"i64[%lld]\", v: \"%s[%s%lld, %lld]\", a: \"%s[", items, dtype,
              kind == INDEX_ADD ? "3, " : "", items, inner, dtype);
    sb_printf(out, kind == INDEX_ADD ? "3, %lld, %lld" : kind == INDEX_PUT ? "%lld, %lld, %lld"
                                                                           : "%lld, %lld",
              to, kind == INDEX_PUT ? to : inner, inner);
    sb_printf(out, "]\"):\n    i = i %% %lld\n    return (", to);
    if (kind == EMBEDDING)
        sb_printf(out, calls[kind], to);
    else if (kind == SCATTER_ADD)
        sb_printf(out, calls[kind], items, items, inner);
    else
        sb_puts(out, calls[kind]);
    sb_puts(out, ",)\n");
}

static void check_sum(int kind, const char *dtype, int64_t n, int64_t slots)
{
    StrBuf text = {0};
    ExecList interp = only_interp();
    Run got, want;
    sum_text(kind, dtype, n, slots, &text);
    Program *p = load_text(sb_cstr(&text));
    ck_assert(program_bind_random(s, p, seed, &d));
    Stage *last = program_find_stage(s, p, S("last"), &d);
    StrBuf how = text_of(last);
    no_errors();
    ck_assert_msg(strstr(sb_cstr(&how), "@emulated") != NULL, "%s", sb_cstr(&how));
    bool ran = session_run(s, p, last, NULL, &got, &d);
    no_errors();
    ck_assert(ran);
    ck_assert(session_run(s, p, program_root(p), &(RunOptions){.executors = &interp}, &want, &d));
    double rtol = strcmp(dtype, "bf16") == 0 ? 1e-2 : dtype[0] == 'f' ? 1e-6 : 0;
    Comparison c = tensor_compare(got.outputs[0], want.outputs[0], rtol, rtol);
    ck_assert_msg(c.equal, "%s: %g for %g", sb_cstr(&text), c.got, c.want);
    run_free(&got);
    run_free(&want);
    session_unload(s, p);
    sb_free(&how);
    sb_free(&text);
}

START_TEST(any_sums_by_index)
{
    static const char *const dtypes[] = {"f32", "bf16", "f64", "i64", "i32"};
    static const int64_t sizes[] = {1, 128, 129, 700, 4097, 20000};
    if (access("/usr/bin/g++", X_OK) != 0) {
        fprintf(stderr, "SKIPPED: CUDA texts do not run here: no g++\n");
        return;
    }
    seed = (uint32_t)_i + 77;
    for (int turn = 0; turn < 8; turn++) {
        emu_backwards = turn % 2;
        check_sum(turn % SUMS, dtypes[draw(ARRAY_LEN(dtypes))],
                  sizes[(turn + _i) % (int)ARRAY_LEN(sizes)], 2 + draw(draw(2) ? 4 : 60));
    }
}
END_TEST

/* A line that would take more launches than there are is the host's. */
START_TEST(lines_without_end_are_refused)
{
    Program *p = load_text("def f(x: \"f32[1000000000]\", y: \"f32[1, 2000000000]\"):\n"
                           "    return (torch.sort(x)[0], torch.topk(y, 5)[0])\n");
    StrBuf text = text_of(program_find_stage(s, p, S("last"), &d));
    no_errors();
    ck_assert_ptr_nonnull(strstr(sb_cstr(&text), "prims.sort(x, 0, False, False)  # @emulated"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&text), "prims.topk(y, 5, 1, True, True)  # @interp"));
    sb_free(&text);
}
END_TEST

/* A kernel of an empty result has no threads that would look at the indices: the host does. */
START_TEST(indices_of_an_empty_result_are_looked_at)
{
    Program *p = load_text("def f(a: \"f32[0, 3]\", i: \"i64[2]\", v: \"f32[2, 3]\"):\n"
                           "    return (torch.index_add(a, 0, i, v),)\n");
    Run run;
    ck_assert(program_bind_random(s, p, 1, &d));
    ck_assert(!session_run(s, p, program_find_stage(s, p, S("last"), &d), NULL, &run, &d));
    ck_assert_uint_ge(d.nerrors, 1);
    ck_assert_str_eq(d.first->code, "index-out-of-range");
    diag_clear(&d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sorts");
    TCase *c = tcase_create("sorts");
    tcase_add_checked_fixture(c, setup_emulator, teardown);
    tcase_set_timeout(c, 250);
    tcase_add_loop_test(c, any_lines, 0, 4);
    tcase_add_loop_test(c, any_sums_by_index, 0, 4);
    tcase_add_test(c, lines_without_end_are_refused);
    tcase_add_test(c, indices_of_an_empty_result_are_looked_at);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
