/*
 * check_numbers.c - numbers beside tensors: PyTorch's answers to the last bit, the same bits from
 * the interpreter, C kernels and CUDA texts, and no verdict that calls one of them wrong.
 *
 * Input: tests/cases/numbers, which record_numbers.py wrote; prims with numbers of awkward size.
 */
#define _GNU_SOURCE
#include "support.h"

#include "cuda_fixture.h"

static const char *const lists[] = {"interp", "c,interp", "onednn,c,interp"};

static void report(void *user, Str line)
{
    sb_printf(user, "%.*s\n", STR(line));
}

START_TEST(values_are_those_of_pytorch_to_the_last_bit)
{
    Str path = S(CASES "numbers.py");
    StrBuf lines = {0};
    ReplayResult r;
    ReplayOptions o = {.report = report, .user = &lines, .rtol = 0, .atol = 0};
    use_executors(lists[_i]);
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    ck_assert(session_replay(s, &path, 1, &o, &r, &d));
    ck_assert_msg(r.failed == 0 && r.skipped == 0, "%s: %s", lists[_i], sb_cstr(&lines));
    ck_assert_uint_gt(r.passed, 80);
    sb_free(&lines);
}
END_TEST

/* ---------------------------------------------------------------------------------- verdicts */

/* Each statement and each result, against the f64 oracle. */
static void expect_right(Program *p, const char *name)
{
    ExecList interp;
    EachOptions each = {.sample = 0};
    EachCheck check;
    Run last, oracle;
    ck_assert(exec_parse_list(session_executors(s), S("interp"), &interp, &d));
    RunOptions keep = {.keep_values = true};
    RunOptions exact = {.keep_values = true, .executors = &interp, .rounding = ROUND_f64};
    Stage *st = program_find_stage(s, p, S("last"), &d);
    no_errors();
    ck_assert(session_check_each(s, p, st, &each, &check, &d));
    ck_assert_msg(check.wrong == 0, "%s: %u statements are called wrong", name, check.wrong);
    each_free(&check);
    ck_assert(session_run(s, p, st, &keep, &last, &d));
    ck_assert(session_run(s, p, program_root(p), &exact, &oracle, &d));
    Assess *a = assess_new(s, &oracle, (AssessSide){.run = &last}, (AssessSide){.run = &oracle});
    const Trace *t = program_root(p)->trace;
    for (uint32_t i = 0; i < arg_nitems(t->output); i++) {
        Assessed w = assess_value(a, t->output.items[i].v);
        ck_assert_msg(w.word != CAUSE_wrong, "%s: result %u is called wrong", name, i);
    }
    assess_free(a);
    run_free(&last);
    run_free(&oracle);
}

/* Calls what for each function of numbers.py whose name begins so, with its inputs bound. */
static void each_function(const char *begins, void (*what)(Program *p, const char *name))
{
    char line[512], name[64], path[600], prefix[80];
    uint32_t n = 0;
    FILE *f = fopen(CASES "numbers.py", "r");
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "def %63[a-z0-9_](", name) != 1 || strncmp(name, begins, strlen(begins)))
            continue;
        snprintf(path, sizeof path, CASES "numbers.py:%s", name);
        snprintf(prefix, sizeof prefix, "%s/in/", name);
        session_load(s, str_from(path), &d);
        no_errors();
        Program *p = session_current(s);
        ck_assert(program_bind_file(s, p, S(CASES "numbers.safetensors"), str_from(prefix), &d));
        what(p, name);
        session_unload(s, p);
        n++;
    }
    fclose(f);
    ck_assert_msg(n > 0, "no function %s", begins);
}

static const char *const kinds[] = {"exact_bf16", "exact_f16", "near_bf16", "near_f16",
                                    "wide_f32", "wide_f64"};

START_TEST(no_verdict_is_wrong)
{
    use_executors("c,interp");
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    each_function(kinds[_i], expect_right);
}
END_TEST

/* ------------------------------------------------------------------------------- CUDA, prims */

/* The texts of CUDA kernels give the bits of the interpreter. */
static void expect_bits(Program *p, const char *name)
{
    ExecList interp;
    Run got, want;
    ck_assert(exec_parse_list(session_executors(s), S("interp"), &interp, &d));
    RunOptions own = {.executors = &interp};
    ck_assert(session_run(s, p, program_root(p), &own, &want, &d));
    bool ran = session_run(s, p, program_find_stage(s, p, S("last"), &d), NULL, &got, &d);
    no_errors();
    ck_assert(ran);
    for (uint32_t i = 0; i < got.noutputs; i++) {
        Comparison c = tensor_compare(got.outputs[i], want.outputs[i], 0, 0);
        ck_assert_msg(c.equal, "%s, result %u: %.9g for %.9g", name, i, c.got, c.want);
    }
    run_free(&got);
    run_free(&want);
}

START_TEST(cuda_texts_give_the_same_bits)
{
    if (no_compiler())
        return;
    use_emulator();
    each_function(_i ? "exact_f16" : "exact_bf16", expect_bits);
}
END_TEST

/* What comes of a number that a prim chooses, compares or stores: looked at by a widening cast, a
 * comparison, and as it is. */
static const char *const chosen[] = {
    "prims.maximum(x, %s)", "prims.minimum(%s, x)", "prims.where(prims.gt(x, 1.0), x, %s)",
    "prims.where(prims.gt(x, 1.0), %s, x)", "prims.pad(x, %s, ((1, 2, 0),))",
    "prims.full((12,), %s, device=devices.Device(\"cpu\"), dtype=dtypes.DTYPE)",
    "prims.copy_with_setitem(x, 3, %s)",
};
/* And of one that it computes with. Inside of a kernel what is narrow is rounded only where that is
 * asked for, and f32 lies between: no more than verdicts are alike. */
static const char *const computed[] = {
    "prims.add(x, %s)", "prims.sub(x, %s)", "prims.sub(%s, x)", "prims.mul(x, %s)",
    "prims.fmod(x, %s)", "prims.remainder(x, %s)", "prims.div(x, %s)",
};
static const char *const numbers[] = {"0.9", "-0.7", "257", "1e-9", "-0.0", "100000.0", "16777217",
                                      "float('inf')", "float('nan')", "True"};
static const char *const dtypes[][2] = {
    {"bf16", "bfloat16"}, {"f16", "float16"}, {"f32", "float32"}, {"f64", "float64"}};

/* The call with the number and the name of the dtype in place. */
static void print_call(const char *prim, const char *number, const char *dtype, StrBuf *out)
{
    for (const char *c = prim; *c; c++) {
        if (strncmp(c, "%s", 2) == 0) {
            sb_puts(out, number);
            c += 1;
        } else if (strncmp(c, "DTYPE", 5) == 0) {
            sb_puts(out, dtype);
            c += 4;
        } else {
            sb_putc(out, *c);
        }
    }
}

static void run_prim(const char *const dtype[2], const char *prim, const char *number, bool bits)
{
    StrBuf text = {0};
    sb_printf(&text, "def f(x: \"%s[12]\"):\n    y = ", dtype[0]);
    print_call(prim, number, dtype[1], &text);
    sb_printf(&text,
              "\n    wide = prims.convert_element_type(y, dtypes.float64)\n"
              "    same = prims.ge(y, %s)\n    return (y, wide, same)\n", number);
    Program *p = load_text(sb_cstr(&text));
    ck_assert(program_bind_random(s, p, 3, &d));
    if (bits)
        expect_bits(p, sb_cstr(&text));
    expect_right(p, sb_cstr(&text));
    session_unload(s, p);
    sb_free(&text);
}

START_TEST(prims_take_the_same_number_everywhere)
{
    const char *const *dtype = dtypes[(size_t)_i / ARRAY_LEN(numbers)];
    const char *number = numbers[(size_t)_i % ARRAY_LEN(numbers)];
    use_executors("c,interp");
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    for (uint32_t i = 0; i < ARRAY_LEN(chosen); i++)
        run_prim(dtype, chosen[i], number, true);
    ck_assert(session_set_option(s, S("kernel.eager_rounding"), S("on"), &d));
    for (uint32_t i = 0; i < ARRAY_LEN(computed); i++)
        run_prim(dtype, computed[i], number, false);
}
END_TEST

/* The same of numbers that only a run tells: no verdict takes them as they are. */
START_TEST(numbers_of_a_run_are_of_the_dtype_too)
{
    static const char *const names[] = {"bf16", "f16", "f32"};
    StrBuf text = {0};
    sb_printf(&text,
              "def f(x: \"%s[8]\", y: \"f64[]\"):\n    n = y.item()\n"
              "    a = torch.clamp(x, max=n).to(torch.float64)\n    b = x < n\n    c = x * n\n"
              "    e = torch.where(x > 0, x, n).to(torch.float64)\n    g = x == n\n"
              "    return (a, b, c, e, g)\n", names[_i]);
    use_executors("c,interp");
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    Program *p = load_text(sb_cstr(&text));
    const int64_t shape[1] = {8};
    Tensor *x = tensor_new(dtype_parse(str_from(names[_i])), (Device){DEV_cpu, 0}, 1, shape);
    Tensor *y = tensor_new(DT_f64, (Device){DEV_cpu, 0}, 0, shape);
    char *element = tensor_data(x);
    for (int i = 0; i < 8; i++, element += dtype_info[x->dtype].bytes)
        elem_set_f64(element, x->dtype, i % 2 ? 0.9 : 0.3 * i - 1);
    elem_set_f64(tensor_data(y), DT_f64, 0.9);
    ck_assert(program_bind_tensor(p, S("x"), x, &d));
    ck_assert(program_bind_tensor(p, S("y"), y, &d));
    expect_bits(p, sb_cstr(&text));
    expect_right(p, sb_cstr(&text));
    tensor_unref(x);
    tensor_unref(y);
    sb_free(&text);
}
END_TEST

static bool has_number(const Trace *t, double number)
{
    for (NodeId n = 0; n < t->nnodes; n++)
        for (uint32_t i = 0; t->nodes[n].op->language == LANG_prims && i < t->nodes[n].nargs; i++)
            if (t->nodes[n].args[i].kind == ARG_float && t->nodes[n].args[i].f == number)
                return true;
    return false;
}

/* Which of its numbers PyTorch rounds to bf16 depends on where the tensors are: found on both. */
START_TEST(sums_take_numbers_by_device)
{
    static const struct {
        const char *call;
        bool on_cpu, on_gpu; /* rounded */
    } rows[] = {
        {"x + 0.9", true, false},          {"x - 0.9", true, false},
        {"0.9 - x", true, false},          {"torch.add(x, x, alpha=0.9)", true, false},
        {"x * 0.9", false, false},         {"x / 0.9", false, false},
        {"x % 0.9", true, true},           {"x ** 0.9", true, true},
        {"torch.fmod(x, 0.9)", true, true}, {"torch.xlogy(0.9, x)", true, true},
    };
    static const char *const devices[] = {"cpu", "cuda:0"};
    for (uint32_t i = 0; i < 2 * ARRAY_LEN(rows); i++) {
        StrBuf text = {0};
        bool rounded = i % 2 ? rows[i / 2].on_gpu : rows[i / 2].on_cpu;
        sb_printf(&text, "def f(x: \"%s bf16[8]\"):\n    y = %s\n    return (y,)\n",
                  devices[i % 2], rows[i / 2].call);
        Program *p = load_text(sb_cstr(&text));
        ck_assert_msg(has_number(program_root(p)->trace, rounded ? 0.8984375 : 0.9), "%s",
                      sb_cstr(&text));
        session_unload(s, p);
        sb_free(&text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("numbers");
    TCase *c = tcase_create("numbers");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, values_are_those_of_pytorch_to_the_last_bit, 0, ARRAY_LEN(lists));
    tcase_add_loop_test(c, no_verdict_is_wrong, 0, ARRAY_LEN(kinds));
    tcase_add_loop_test(c, cuda_texts_give_the_same_bits, 0, 2);
    tcase_add_loop_test(c, numbers_of_a_run_are_of_the_dtype_too, 0, 3);
    tcase_add_test(c, sums_take_numbers_by_device);
    tcase_add_loop_test(c, prims_take_the_same_number_everywhere, 0,
                        ARRAY_LEN(dtypes) * ARRAY_LEN(numbers));
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
