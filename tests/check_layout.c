/*
 * check_layout.c - results written as their readers want them: what is copied less, that the values
 * stay the same at every application of the pass, and that the text says it.
 *
 * Input: a driver's library without a GPU, and executors here that work on it: one negates and
 * writes with any strides, one joins and leaves alone what already lies in place.
 */
#include "session_fixture.h"

#include "cuda_driver.h"
#include "cuda_kernels.h"
#include "fake/fake_cuda.h"

#include <dlfcn.h>

static FakeCuda *fake;
static int moved; /* elements that the joiner moved */

typedef struct LabKernel {
    OpenDevice *device;
    CuModule *module;
    CuFunction *negate;
} LabKernel;

static const Executor exec_negate, exec_join;

/* ------------------------------------------------------------------------------------- a driver */

static DeviceDriver driver; /* the real one, but views are copied element by element */

static OpenDevice *open_lab(Str path, Diag *diag)
{
    OpenDevice *dev = cuda_driver.open(path, diag);
    if (dev)
        dev->driver = &driver;
    return dev;
}

static bool gather(OpenDevice *dev, uint64_t to, uint64_t from, size_t size, uint32_t rank,
                   const int64_t *sizes, const int64_t *strides)
{
    int64_t n = 1;
    bool good = true;
    for (uint32_t k = 0; k < rank; k++)
        n *= sizes[k];
    for (int64_t i = 0; i < n && good; i++) {
        int64_t at = 0, rest = i;
        for (uint32_t k = rank; k-- > 0; rest /= sizes[k])
            at += rest % sizes[k] * strides[k];
        good = driver.copy(dev, to + (uint64_t)i * size, from + (uint64_t)at * size, size);
    }
    return good;
}

/* ------------------------------------------------------------------------------- the executors */

static bool takes_neg(const Trace *t, NodeId n, StrBuf *why_not)
{
    sb_puts(why_not, "negates only");
    return t->nodes[n].op->id == PRIM_neg;
}

static bool takes_cat(const Trace *t, NodeId n, StrBuf *why_not)
{
    sb_puts(why_not, "joins only");
    return t->nodes[n].op->id == PRIM_cat;
}

static bool lays(const Trace *t, NodeId n, ValueId v, const int64_t *strides)
{
    uint32_t rank = t->values[v].type.rank;
    return rank > 0 && strides[rank - 1] == 1 && v == t->nodes[n].out.v;
}

static bool lays_any(const Trace *t, NodeId n, ValueId v, const int64_t *strides)
{
    return strides != NULL && v != t->nodes[n].out.v;
}

static bool compile(const Trace *t, NodeId n, const CompileOptions *o, Kernel **out, Diag *diag)
{
    (void)diag;
    LabKernel *k = calloc(1, sizeof *k);
    CudaDevice *c = cuda_of(o->device);
    k->device = o->device;
    k->device->refs++;
    bool good = c->fn.module_load(&k->module, "image") == 0 &&
                c->fn.module_function(&k->negate, k->module, "negate") == 0;
    *out = calloc(1, sizeof **out);
    bool negates = t->nodes[n].op->id == PRIM_neg;
    **out = (Kernel){.executor = negates ? &exec_negate : &exec_join, .impl = k};
    return good;
}

static void drop(Kernel *kernel)
{
    LabKernel *k = kernel->impl;
    cuda_of(k->device)->fn.module_unload(k->module);
    device_unref(k->device);
    free(k);
    free(kernel);
}

/* Where row i of the leading dimensions begins, in elements. */
static int64_t row_at(const Tensor *t, int64_t i)
{
    int64_t at = 0;
    for (uint32_t k = t->rank - 1; k-- > 0;) {
        at += i % t->shape[k] * t->strides[k];
        i /= t->shape[k];
    }
    return at;
}

/* Row by row, since the kernel of the fake driver knows dense vectors only. */
static bool launch_negate(Kernel *kernel, ExecCall *call)
{
    LabKernel *k = kernel->impl;
    CudaDevice *c = cuda_of(call->device);
    const Node *node = &call->t->nodes[call->node];
    Tensor *in = cuda_dense(call, call->values[node->args[0].v]), *out = NULL;
    uint64_t from = 0, to = 0;
    bool good = tensor_on_device(in, call->device, false, &from) &&
                cuda_strided_output(call, node->out.v, &call->t->values[node->out.v].type, &to,
                                    &out);
    int64_t n = in->shape[in->rank - 1], rows = tensor_numel(in) / n;
    for (int64_t i = 0; i < rows && good; i++) {
        uint64_t a = from + (uint64_t)(i * n) * 4, b = to + (uint64_t)row_at(out, i) * 4;
        void *params[] = {&a, &b, &n};
        good = c->fn.launch(k->negate, 1, 1, 1, 32, 1, 1, 0, c->stream, params, NULL) == 0;
    }
    tensor_unref(in);
    return good;
}

static bool launch_join(Kernel *kernel, ExecCall *call)
{
    (void)kernel;
    const Node *node = &call->t->nodes[call->node];
    uint64_t to = 0, from = 0;
    if (!cuda_output(call, node->out.v, &call->t->values[node->out.v].type, &to))
        return false;
    Tensor *out = call->values[node->out.v];
    int64_t dim = node->args[1].i, at = 0;
    for (uint32_t i = 0; i < node->args[0].n; i++) {
        Tensor *in = call->values[node->args[0].items[i].v];
        if (!tensor_on_device(in, call->device, false, &from))
            return false;
        bool there = from == to + (uint64_t)(at * 4);
        for (uint32_t k = 0; k < in->rank; k++)
            there = there && (in->shape[k] == 1 || in->strides[k] == out->strides[k]);
        Tensor *part = tensor_view(out, out->rank, in->shape, out->strides, at);
        at += in->shape[dim] * out->strides[dim];
        for (int64_t r = 0, n = tensor_numel(in) / in->shape[in->rank - 1]; r < n && !there; r++)
            for (int64_t e = 0; e < in->shape[in->rank - 1]; e++, moved++)
                call->device->driver->copy(
                    call->device,
                    to + (uint64_t)(part->offset + row_at(part, r) + e) * 4,
                    from + (uint64_t)(row_at(in, r) + e * in->strides[in->rank - 1]) * 4, 4);
        tensor_unref(part);
    }
    return true;
}

static const Executor exec_negate = {
    .name = "negate",
    .kind = EXEC_stateful,
    .can = takes_neg,
    .compile = compile,
    .launch = launch_negate,
    .drop = drop,
    .device = &driver,
    .lays = lays,
};

static const Executor exec_join = {
    .name = "join",
    .kind = EXEC_stateful,
    .can = takes_cat,
    .compile = compile,
    .launch = launch_join,
    .drop = drop,
    .device = &driver,
    .lays = lays_any,
    .cats_in_place = true,
};

/* ------------------------------------------------------------------------------------ a session */

static void setup_lab(void)
{
    void *lib = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(lib != NULL, "%s", dlerror());
    fake = dlsym(lib, "fake_cuda");
    ck_assert_ptr_nonnull(fake);
    driver = cuda_driver;
    driver.open = open_lab;
    driver.gather = gather;
    ExecList all, l;
    executors_default(&all);
    l = (ExecList){.items = {&exec_negate, &exec_join, exec_find(&all, S("interp"))},
                   .on = {true, true, true}, .n = 3};
    s = session_new(&l);
    d = (Diag){0};
    moved = 0;
    ck_assert(session_set_option(s, S("kernel.cuda_driver"), S(FAKE_CUDA), &d));
}

static void teardown_lab(void)
{
    session_free(s);
    diag_clear(&d);
    ck_assert_int_eq(fake->wrong, 0);
    ck_assert_int_eq(fake->blocks, 0);
}

static Program *bound(const char *body)
{
    StrBuf text = {0};
    sb_printf(&text, "def f(x: \"f32[2, 6, 4, 8]cuda:0\", y: \"f32[2, 4, 2, 8]cuda:0\"):\n%s",
              body);
    Program *p = load_text(sb_cstr(&text));
    sb_free(&text);
    ck_assert(program_bind_random(s, p, 1, &d));
    ck_assert(program_slot_set(s, p, (uint32_t)program_find_slot(p, S("fold")), false, &d));
    return p;
}

static void check_stage(Program *p, const Stage *st)
{
    Run run, want;
    ExecList interp = {.items = {session_executors(s)->items[2]}, .on = {true}, .n = 1};
    ck_assert(session_run(s, p, st, NULL, &run, &d));
    ck_assert(session_run(s, p, program_root(p), &(RunOptions){.executors = &interp}, &want, &d));
    no_errors();
    for (uint32_t i = 0; i < want.noutputs; i++)
        ck_assert(tensor_compare(run.outputs[i], want.outputs[i], 0, 0).equal);
    run_free(&run);
    run_free(&want);
}

/* The last stage with the first n applications of its pass; all when n is UINT64_MAX. */
static Stage *last_with(Program *p, uint64_t n)
{
    ck_assert(program_slot_fuel(s, p, (uint32_t)program_find_slot(p, S("plan")), n, &d));
    Stage *st = program_find_stage(s, p, S("last"), &d);
    no_errors();
    ck_assert_ptr_nonnull(st);
    return st;
}

static void check_reads_again(const Stage *st)
{
    StrBuf why = {0}, text = {0};
    trace_print(st->trace, &print_all, &text);
    session_load_text(s, S("again.py"), sb_str(&text), (Str){0}, &d);
    no_errors();
    ck_assert_msg(trace_equal(program_root(session_current(s))->trace, st->trace, &why), "%s",
                  sb_cstr(&why));
    sb_free(&text);
    sb_free(&why);
}

/* Every number of applications gives a program that computes the same, prints, and reads again. */
static void check_all(Program *p)
{
    StrBuf full = text_of(last_with(p, UINT64_MAX));
    bool all = false;
    for (uint64_t n = 0; !all && n < 100; n++) {
        Stage *st = last_with(p, n);
        StrBuf text = text_of(st);
        check_stage(p, st);
        check_reads_again(st);
        all = str_eq(sb_str(&text), sb_str(&full));
        sb_free(&text);
    }
    ck_assert(all);
    sb_free(&full);
}

static bool says(const Stage *st, const char *words)
{
    StrBuf text = text_of(st);
    bool found = strstr(sb_cstr(&text), words) != NULL;
    sb_free(&text);
    return found;
}

/* ---------------------------------------------------------------------------------------- tests */

START_TEST(a_reshape_of_a_transposed_result_is_a_view)
{
    Program *p = bound("    a = -x\n"
                       "    r = a.transpose(1, 2).reshape(2, 4, 48)\n"
                       "    return (-r,)\n");
    Stage *st = last_with(p, UINT64_MAX);
    ck_assert(says(st, "strides (192, 8, 48, 1)"));
    check_all(p);
}
END_TEST

START_TEST(what_another_reader_would_copy_stays_dense)
{
    /* the second negation reads dense operands only */
    Program *p = bound("    a = -x\n"
                       "    r = a.transpose(1, 2).reshape(2, 4, 48)\n"
                       "    return (-r, -a)\n");
    ck_assert(!says(last_with(p, UINT64_MAX), "strides"));
    check_all(p);
}
END_TEST

START_TEST(results_of_the_program_stay_dense)
{
    Program *p = bound("    a = -x\n"
                       "    r = a.transpose(1, 2).reshape(2, 4, 48)\n"
                       "    return (-r, a)\n");
    ck_assert(!says(last_with(p, UINT64_MAX), "strides"));
    check_all(p);
}
END_TEST

START_TEST(operands_of_a_cat_are_written_into_its_result)
{
    Program *p = bound("    a = -x\n"
                       "    b = -y\n"
                       "    c = torch.cat((a.transpose(1, 2), b), 2)\n"
                       "    return (-c,)\n");
    ck_assert(says(last_with(p, UINT64_MAX), "strides (256, 8, 64, 1)"));
    moved = 0;
    check_stage(p, last_with(p, UINT64_MAX));
    ck_assert_int_eq(moved, 0);
    check_all(p);
}
END_TEST

START_TEST(a_value_has_one_place)
{
    Program *p = bound("    a = -x\n"
                       "    c = torch.cat((a, a), 1)\n"
                       "    e = torch.cat((a, x), 0)\n"
                       "    return (-c, -e)\n");
    moved = 0;
    check_stage(p, last_with(p, UINT64_MAX));
    ck_assert_int_eq(moved, 3 * 2 * 6 * 4 * 8);
    check_all(p);
}
END_TEST

START_TEST(places_of_parts_live_as_long_as_the_whole)
{
    /* what is made between the parts and after the cat must not lie in it */
    Program *p = bound("    a = -x\n"
                       "    m = -a.exp()\n"
                       "    b = -m.exp()\n"
                       "    c = torch.cat((a, b, m), 3)\n"
                       "    u = -(x * 2)\n"
                       "    w = -u\n"
                       "    return (-c, -w, -u)\n");
    moved = 0;
    check_stage(p, last_with(p, UINT64_MAX));
    ck_assert_int_eq(moved, 0);
    check_all(p);
}
END_TEST

START_TEST(peak_counts_a_whole_and_its_parts_once)
{
    Program *p = bound("    a = -x\n"
                       "    b = -x.exp()\n"
                       "    c = torch.cat((a, b), 1)\n"
                       "    return (-c,)\n");
    Stage *st = last_with(p, UINT64_MAX);
    Peak peak = trace_peak(st->trace);
    ck_assert_uint_eq(d.nerrors, 0);
    /* at the last negation: x and y, the cat's result, the result of the program */
    ck_assert_int_eq(peak.most, 4 * (2 * 6 * 4 * 8 + 2 * 4 * 2 * 8) + 2 * 4 * (2 * 12 * 4 * 8));
    peak_free(&peak);
}
END_TEST

START_TEST(a_cat_that_is_returned_has_no_parts)
{
    Program *p = bound("    a = -x\n"
                       "    c = torch.cat((a, x), 1)\n"
                       "    return (c,)\n");
    check_all(p);
}
END_TEST

START_TEST(any_strides_of_a_text_are_survived)
{
    static const char *const words[] = {
        "@negate +0 strides (1, 1, 1, 1)", "@negate +0 strides (-8, 1, 1, 1)",
        "@negate +0 strides (9223372036854775807, 8, 8, 8)", "@negate +0 strides (1, 2)",
        "@negate +0 strides", "@negate +0 strides (", "@negate +0 strides -",
        "@negate +9223372036854775800 strides (192, 32, 8, 1)",
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        StrBuf text = {0};
        sb_printf(&text, "# Memory plan: 4096 bytes\n"
                         "def f(x):\n"
                         "  # x: \"cuda:0 f32[2, 6, 4, 8]\"\n"
                         "  a = prims.neg(x)  # a: \"cuda:0 f32[2, 6, 4, 8]\" %s\n"
                         "  b = prims.neg(a)  # b: \"cuda:0 f32[2, 6, 4, 8]\" @negate\n"
                         "  return (b,)\n", words[i]);
        Program *p = load_text(sb_cstr(&text));
        ck_assert(program_bind_random(s, p, 1, &d));
        Run run;
        ck_assert(session_run(s, p, program_root(p), NULL, &run, &d));
        no_errors();
        run_free(&run);
        sb_free(&text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("layout");
    TCase *t = tcase_create("layout");
    tcase_add_checked_fixture(t, setup_lab, teardown_lab);
    tcase_add_test(t, a_reshape_of_a_transposed_result_is_a_view);
    tcase_add_test(t, what_another_reader_would_copy_stays_dense);
    tcase_add_test(t, results_of_the_program_stay_dense);
    tcase_add_test(t, operands_of_a_cat_are_written_into_its_result);
    tcase_add_test(t, a_value_has_one_place);
    tcase_add_test(t, places_of_parts_live_as_long_as_the_whole);
    tcase_add_test(t, peak_counts_a_whole_and_its_parts_once);
    tcase_add_test(t, a_cat_that_is_returned_has_no_parts);
    tcase_add_test(t, any_strides_of_a_text_are_survived);
    suite_add_tcase(suite, t);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
