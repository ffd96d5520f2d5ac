/*
 * check_f8.c - floats of 8 bits, converted as PyTorch converts them, by whoever converts.
 *
 * The truth is found by search: of all codes the nearest, of two as near the even one. What is too
 * large becomes 448 in e4m3fn and infinity in e5m2, and a NaN keeps its sign (PyTorch 2.15). Every
 * f16 and bf16, all codes, and a dense sample of f32 go through the interpreter, through kernels in
 * C and through CUDA kernels on the CPU; results are compared bit by bit.
 */
#define _GNU_SOURCE
#include "support.h"

#include "session_fixture.h"

#include "cuda_emulator.h"

#include <math.h>

enum { STRIDE = 8209, NEAR = 3 };

static const DType narrow[] = {DT_f8_e4m3fn, DT_f8_e5m2};
static const char *const executors[] = {"interp", "c,interp", "emulated,interp"};

/* The number that a code without its sign stands for. */
static double number_of(DType f8, uint32_t code)
{
    int bits = f8 == DT_f8_e4m3fn ? 3 : 2, bias = f8 == DT_f8_e4m3fn ? 7 : 15;
    int exponent = (int)(code >> bits), fraction = (int)(code & ((1u << bits) - 1));
    if (f8 == DT_f8_e4m3fn ? code == 0x7f : code > 0x7c)
        return NAN;
    if (f8 == DT_f8_e5m2 && code == 0x7c)
        return INFINITY;
    return exponent ? ldexp((1 << bits) + fraction, exponent - bias - bits)
                    : ldexp(fraction, 1 - bias - bits);
}

static uint8_t code_of(DType f8, double x)
{
    uint32_t sign = signbit(x) ? 0x80 : 0, last = f8 == DT_f8_e4m3fn ? 0x7e : 0x7b, best = 0;
    double a = fabs(x);
    if (isnan(x))
        return (uint8_t)(sign | 0x7f);
    if (f8 == DT_f8_e5m2 && a >= 61440) /* half a step beyond the last number */
        return (uint8_t)(sign | 0x7c);
    for (uint32_t step = 64; step; step /= 2) /* numbers grow with their codes */
        if (best + step <= last && number_of(f8, best + step) <= a)
            best += step;
    if (best < last) {
        double below = a - number_of(f8, best), above = number_of(f8, best + 1) - a;
        best += above < below || (above == below && best % 2);
    }
    return (uint8_t)(sign | best);
}

static void choose_executors(const char *names)
{
    ExecList known = *session_executors(s), l;
    known.items[known.n] = &exec_emulated;
    known.on[known.n++] = true;
    ck_assert(exec_parse_list(&known, str_from(names), &l, &d));
    ck_assert(session_set_executors(s, &l));
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
}

/* Who comes first in the list runs the whole program. */
static void check_claimed(const Trace *t)
{
    for_top(t, n)
        ck_assert_msg(!t->nodes[n].executor || !session_executors(s)->on[0] ||
                          t->nodes[n].executor == session_executors(s)->items[0]->name,
                      "%s runs on %s", t->nodes[n].op->name, t->nodes[n].executor);
}

/* Runs `return (RESULT,)` of x. */
static Tensor *run_on(Tensor *x, const char *result)
{
    StrBuf text = {0};
    Run run;
    Type type = {.kind = VALUE_tensor, .dtype = x->dtype, .rank = 1, .shape = x->shape};
    sb_puts(&text, "def f(x: \"");
    type_print(&type, NULL, &text);
    sb_printf(&text, "\"):\n    return (%s,)\n", result);
    Program *p = load_text(sb_cstr(&text));
    sb_free(&text);
    ck_assert(program_bind_tensor(p, S("x"), x, &d));
    Stage *st = program_find_stage(s, p, S("last"), &d);
    no_errors();
    check_claimed(st->trace);
    bool ran = session_run(s, p, st, NULL, &run, &d);
    no_errors();
    ck_assert(ran);
    Tensor *out = tensor_ref(run.outputs[0]);
    run_free(&run);
    session_unload(s, p);
    return out;
}

/* A dense sample of f32, and what is near numbers of f8 and near the middles between two. */
static Tensor *sample(void)
{
    int64_t regular = 0x100000000 / STRIDE + 1, n = regular + 2 * 4 * 128 * (2 * NEAR + 1);
    Tensor *t = tensor_new(DT_f32, (Device){DEV_cpu, 0}, 1, &n);
    uint32_t *bits = tensor_data(t);
    for (int64_t i = 0; i < regular; i++)
        *bits++ = (uint32_t)((uint64_t)i * STRIDE);
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t code = 0; code < 128; code++) {
            double here = number_of(narrow[k], code), next = number_of(narrow[k], code + 1);
            float two[] = {(float)here, (float)(isinf(next) ? 61440 : (here + next) / 2)};
            for (uint32_t m = 0; m < 4; m++)
                for (int off = -NEAR; off <= NEAR; off++) {
                    uint32_t u;
                    memcpy(&u, &two[m / 2], sizeof u);
                    *bits++ = (u + (uint32_t)off) ^ (m % 2) << 31;
                }
        }
    return t;
}

static void check_codes(DType d8, const Tensor *x)
{
    char result[64];
    snprintf(result, sizeof result, "x.to(torch.%s)", dtype_info[d8].full_name);
    Tensor *y = run_on((Tensor *)(uintptr_t)x, result);
    const uint8_t *got = tensor_data(y);
    const char *in = tensor_data((Tensor *)(uintptr_t)x);
    ck_assert_int_eq(y->dtype, d8);
    for (int64_t i = 0; i < x->shape[0]; i++) {
        double v = elem_get_f64(in + i * dtype_info[x->dtype].bytes, x->dtype);
        ck_assert_msg(got[i] == code_of(d8, v), "%a as %s is %#x, not %#x", v,
                      dtype_info[d8].name, got[i], code_of(d8, v));
    }
    tensor_unref(y);
}

START_TEST(f32_becomes_f8)
{
    Tensor *x = sample();
    choose_executors(executors[_i / 2]);
    check_codes(narrow[_i % 2], x);
    tensor_unref(x);
}
END_TEST

/* All of them. */
static Tensor *all_codes(DType from)
{
    int64_t n = 1 << 8 * dtype_info[from].bytes;
    Tensor *t = tensor_new(from, (Device){DEV_cpu, 0}, 1, &n);
    for (int64_t i = 0; i < n; i++)
        if (n == 256)
            ((uint8_t *)tensor_data(t))[i] = (uint8_t)i;
        else
            ((uint16_t *)tensor_data(t))[i] = (uint16_t)i;
    return t;
}

START_TEST(f16_and_bf16_become_f8)
{
    static const DType from[] = {DT_f16, DT_bf16};
    Tensor *x = all_codes(from[_i % 4 / 2]);
    choose_executors(executors[_i / 4]);
    check_codes(narrow[_i % 2], x);
    tensor_unref(x);
}
END_TEST

/* Narrow again, by one kernel: what is stored was rounded twice. */
START_TEST(f8_becomes_f16_and_bf16)
{
    static const DType to[] = {DT_f16, DT_bf16};
    DType d8 = narrow[_i % 2], d16 = to[_i % 4 / 2];
    Tensor *x = sample();
    char result[96];
    choose_executors(executors[_i / 4]);
    snprintf(result, sizeof result, "x.to(torch.%s).to(torch.%s)", dtype_info[d8].full_name,
             dtype_info[d16].full_name);
    Tensor *y = run_on(x, result);
    for (int64_t i = 0; i < x->shape[0]; i++) {
        uint8_t code = code_of(d8, ((float *)tensor_data(x))[i]);
        double have = elem_get_f64((char *)tensor_data(y) + 2 * i, d16);
        double want = number_of(d8, code & 0x7f);
        ck_assert_msg(isnan(want) ? isnan(have) : have == (code & 0x80 ? -want : want),
                      "%a for %#x of %s", have, code, dtype_info[d8].name);
    }
    tensor_unref(y);
    tensor_unref(x);
}
END_TEST

START_TEST(f8_is_read)
{
    static const char *const to[] = {"float64", "float32", "float16", "bfloat16"};
    DType d8 = narrow[_i % 2];
    Tensor *x = all_codes(d8);
    choose_executors(executors[_i / 2]);
    for (uint32_t k = 0; k < ARRAY_LEN(to); k++) {
        char result[64];
        snprintf(result, sizeof result, "x.to(torch.%s)", to[k]);
        Tensor *y = run_on(x, result);
        const char *got = tensor_data(y);
        for (uint32_t c = 0; c < 256; c++) {
            double want = number_of(d8, c & 0x7f);
            double have = elem_get_f64(got + c * dtype_info[y->dtype].bytes, y->dtype);
            ck_assert_msg(isnan(want) ? isnan(have)
                                      : fabs(have) == want && !signbit(have) == (c < 128),
                          "%#x of %s is %a as %s", c, dtype_info[d8].name, have, to[k]);
        }
        tensor_unref(y);
    }
    tensor_unref(x);
}
END_TEST

/* Through f32 and back; from f64 by way of f32; with statements before, behind and between. */
START_TEST(f8_in_a_chain)
{
    static const double ties[] = {1.0625 + 0x1p-40, 1.1875 - 0x1p-40, 1.125 + 0x1p-40, 1e300,
                                  -1e300};
    int64_t n = ARRAY_LEN(ties);
    DType d8 = narrow[_i % 2];
    Tensor *x = all_codes(d8), *wide = tensor_new(DT_f64, (Device){DEV_cpu, 0}, 1, &n);
    char result[160];
    choose_executors(executors[_i / 2]);
    snprintf(result, sizeof result, "(x.to(torch.float32) * 1).to(torch.%s)",
             dtype_info[d8].full_name);
    Tensor *y = run_on(x, result);
    for (int c = 0; c < 256; c++)
        ck_assert_int_eq(((uint8_t *)tensor_data(y))[c] | (isnan(number_of(d8, c & 127)) ? 127 : 0),
                         c | (isnan(number_of(d8, c & 127)) ? 127 : 0));
    tensor_unref(y);
    memcpy(tensor_data(wide), ties, sizeof ties);
    snprintf(result, sizeof result, "x.to(torch.%s).to(torch.float32)", dtype_info[d8].full_name);
    y = run_on(wide, result);
    for (int64_t i = 0; i < n; i++) {
        uint8_t code = code_of(d8, (float)ties[i]);
        double want = number_of(d8, code & 127);
        ck_assert(fabs(((float *)tensor_data(y))[i]) == want);
    }
    tensor_unref(y);
    tensor_unref(wide);
    tensor_unref(x);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("f8");
    TCase *c = tcase_create("conversions");
    bool emulated = access("/usr/bin/g++", X_OK) == 0;
    int ways = emulated ? 3 : 2;
    if (!emulated)
        fprintf(stderr, "SKIPPED: CUDA texts do not run here: no g++\n");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, f32_becomes_f8, 0, 2 * ways);
    tcase_add_loop_test(c, f16_and_bf16_become_f8, 0, 4 * ways);
    tcase_add_loop_test(c, f8_becomes_f16_and_bf16, 0, 4 * ways);
    tcase_add_loop_test(c, f8_is_read, 0, 2 * ways);
    tcase_add_loop_test(c, f8_in_a_chain, 0, 2 * ways);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
