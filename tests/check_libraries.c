/*
 * check_libraries.c - what cuBLASLt and cuDNN are asked for: products with what follows them, and
 * convolutions, give what the interpreter gives; what NVRTC made is found again.
 *
 * Input: a driver and two libraries without a GPU (tests/fake), which compute on the host what
 * their descriptors say. So a wrong stride, size or address shows as a wrong number.
 */
#define _GNU_SOURCE
#include "session_fixture.h"

#include "cudnn_conv.h"
#include "fake/fake_cublaslt.h"
#include "fake/fake_cuda.h"
#include "fake/fake_cudnn.h"
#include "nvrtc.h"
#include "run.h"

#include <dlfcn.h>
#include <math.h>
#include <unistd.h>

static FakeCuda *fake;
static FakeLt *lt;
static FakeDn *dn;

static void *symbol_of(const char *file, const char *name)
{
    void *lib = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(lib != NULL, "%s", dlerror());
    void *at = dlsym(lib, name);
    ck_assert_ptr_nonnull(at);
    return at;
}

static void setup_libraries(void)
{
    fake = symbol_of(FAKE_CUDA, "fake_cuda");
    lt = symbol_of(FAKE_LIBRARIES "/libcublasLt.so.13", "fake_lt");
    dn = symbol_of(FAKE_LIBRARIES "/libcudnn.so.9", "fake_dn");
    ExecList all, l;
    executors_default(&all);
    l = (ExecList){.items = {&exec_cudnn, &exec_cublaslt, exec_find(&all, S("interp"))},
                   .on = {true, true, true}, .n = 3};
    s = session_new(&l);
    d = (Diag){0};
    ck_assert(session_set_option(s, S("kernel.cuda_driver"), S(FAKE_CUDA), &d));
    ck_assert(session_set_option(s, S("kernel.cuda"), S(FAKE_LIBRARIES), &d));
}

static void teardown_libraries(void)
{
    session_free(s);
    diag_clear(&d);
    ck_assert_int_eq(lt->wrong, 0);
    ck_assert_int_eq(dn->wrong, 0);
    ck_assert_int_eq(fake->wrong, 0);
    ck_assert_int_eq(fake->blocks, 0);
}

static Program *bound(const char *text)
{
    Program *p = load_text(text);
    ck_assert(program_bind_random(s, p, 1, &d));
    return p;
}

static void check_close(const Tensor *got, const Tensor *want)
{
    double bound = want->dtype == DT_f32 ? 2e-5 : want->dtype == DT_f64 ? 1e-12 : 2e-2, norm = 0;
    int64_t n = tensor_numel(want);
    ck_assert_int_eq(tensor_numel(got), n);
    for (int64_t i = 0; i < n; i++)
        norm = fmax(norm, fabs(element(want, i)));
    for (int64_t i = 0; i < n; i++)
        ck_assert_msg(fabs(element(got, i) - element(want, i)) <= bound * (1 + norm),
                      "element %lld is %g, not %g", (long long)i, element(got, i),
                      element(want, i));
}

/* A stage of p on the libraries, and the last one on the interpreter. */
static void check_stage(Program *p, const Stage *st)
{
    Run run, want;
    ExecList interp = {.items = {session_executors(s)->items[2]}, .on = {true}, .n = 1};
    Diag none = {0};
    const Stage *plain = program_find_stage(s, p, S("joint.dce"), &none);
    if (!plain) /* without gradients there is no such */
        plain = program_find_stage(s, p, S("cse"), &d);
    diag_clear(&none);
    session_run(s, p, st, NULL, &run, &d);
    no_errors();
    ck_assert(session_run(s, p, plain, &(RunOptions){.executors = &interp}, &want, &d));
    no_errors();
    ck_assert_uint_eq(run.noutputs, want.noutputs);
    for (uint32_t i = 0; i < want.noutputs; i++)
        check_close(run.outputs[i], want.outputs[i]);
    run_free(&run);
    run_free(&want);
}

static Stage *stage(Program *p, const char *name)
{
    Stage *st = program_find_stage(s, p, str_from(name), &d);
    no_errors();
    ck_assert_ptr_nonnull(st);
    return st;
}

static void check_last(Program *p)
{
    check_stage(p, stage(p, "last"));
}

static bool says(Program *p, const char *words)
{
    StrBuf text = text_of(stage(p, "claim"));
    bool found = strstr(sb_cstr(&text), words) != NULL;
    sb_free(&text);
    return found;
}

/* ------------------------------------------------------------------------------------- products */

static const char *const mlp = "def f(x: \"bf16[6, 16]cuda:0\", w: \"bf16[32, 16]cuda:0\", "
                               "b: \"bf16[32]cuda:0\", v: \"bf16[8, 32]cuda:0\", "
                               "c: \"bf16[8]cuda:0\"):\n"
                               "    a = torch.nn.functional.linear(x, w, b)\n"
                               "    h = torch.nn.functional.gelu(a, approximate='tanh')\n"
                               "    y = torch.nn.functional.linear(h, v, c)\n"
                               "    return (y,)\n";

START_TEST(products_in_all_layouts)
{
    check_last(bound("def f(x: \"f32[5, 8]cuda:0\", y: \"f32[5, 12]cuda:0\", "
                     "z: \"f32[3, 12, 8]cuda:0\", b: \"f32[12]cuda:0\", w: \"f32[12, 8]cuda:0\"):\n"
                     "    a = torch.matmul(x.transpose(0, 1), y)\n"
                     "    c = torch.matmul(z, z.transpose(1, 2))\n"
                     "    e = torch.nn.functional.linear(z.transpose(1, 2).transpose(1, 2), w, b)\n"
                     "    g = torch.matmul(z, x[1])\n"
                     "    return (a, c, e, g)\n"));
    ck_assert_int_gt(lt->matmuls, 0);
}
END_TEST

START_TEST(gelu_behind_a_product_is_part_of_it)
{
    Program *p = bound(mlp);
    ck_assert(says(p, "[h] = cublasltEnd0(x, w, b)  # @cublaslt"));
    check_last(p);
    ck_assert_int_eq(lt->wrong, 0);
}
END_TEST

START_TEST(training_keeps_what_gelu_is_computed_of)
{
    Program *p = bound(mlp);
    ck_assert(program_grad(s, p, S("all"), false, &d));
    ck_assert(program_bind_random(s, p, 1, &d));
    ck_assert(says(p, "[a, h] = cublasltEnd0(x, w, b)  # @cublaslt"));
    check_last(p);
}
END_TEST

START_TEST(additions_are_part_of_the_product)
{
    Program *p = bound("def f(x: \"f32[4, 6, 8]cuda:0\", w: \"f32[8, 8]cuda:0\", "
                       "b: \"f32[8]cuda:0\"):\n"
                       "    y = torch.nn.functional.linear(x, w, b)\n"
                       "    return (x + y,)\n");
    ck_assert(says(p, "cublasltEnd0("));
    check_last(p);
    ck_assert_int_eq(lt->adds, 1);
    /* the sum is in f32 and rounded once: two casts there, one back */
    p = bound("def f(x: \"bf16[4, 6, 8]cuda:0\", w: \"bf16[8, 8]cuda:0\", b: \"bf16[8]cuda:0\"):\n"
              "    y = torch.nn.functional.linear(x, w, b)\n"
              "    z = torch.nn.functional.linear(x + y, w)\n"
              "    return (z,)\n");
    ck_assert(program_grad(s, p, S("all"), false, &d));
    ck_assert(program_bind_random(s, p, 1, &d));
    ck_assert(says(p, "] = cublasltEnd0(x, w, b)"));
    check_last(p);
}
END_TEST

START_TEST(relu_is_part_of_the_product)
{
    Program *p = bound("def f(x: \"f32[4, 6, 8]cuda:0\", w: \"f32[8, 8]cuda:0\", "
                       "b: \"f32[8]cuda:0\"):\n"
                       "    y = torch.nn.functional.relu(torch.nn.functional.linear(x, w, b))\n"
                       "    return (y,)\n");
    check_last(p);
    ck_assert_int_eq(lt->epilogue, 6);
    ck_assert(program_grad(s, p, S("all"), false, &d));
    ck_assert(program_bind_random(s, p, 1, &d));
    ck_assert(says(p, "] = cublasltEnd0(x, w, b)"));
    check_last(p);
}
END_TEST

START_TEST(products_of_8_bit_floats_with_their_scales)
{
    static const char *const calls[] = {
        "torch._scaled_mm(a, c.t(), s, t, out_dtype=torch.bfloat16)",
        "torch._scaled_mm(a, c.t(), s, t, bias=b, out_dtype=torch.float32)",
        "torch._scaled_mm(a, c.t(), t, s, bias=b, out_dtype=torch.bfloat16)",
        "torch._scaled_mm(a, e.t(), s[0], t[0], out_dtype=torch.bfloat16)",
    };
    StrBuf text = {0};
    sb_printf(&text, "def f(x: \"f32[5, 32]cuda:0\", y: \"f32[48, 32]cuda:0\", "
                     "s: \"f32[1]cuda:0\", t: \"f32[1]cuda:0\", b: \"bf16[48]cuda:0\"):\n"
                     "    a = x.to(torch.float8_e4m3fn)\n    c = y.to(torch.float8_e4m3fn)\n"
                     "    e = y.to(torch.float8_e5m2)\n"
                     "    return (%s,)\n", calls[_i]);
    Program *p = bound(sb_cstr(&text));
    ck_assert(says(p, "@cublaslt"));
    int before = lt->matmuls;
    check_last(p);
    ck_assert_int_gt(lt->matmuls, before);
    sb_free(&text);
}
END_TEST

START_TEST(nothing_is_joined_that_others_need_before)
{
    /* the host reads the product before what is added to it exists */
    Program *p = bound("def f(x: \"f32[6, 8]cuda:0\", w: \"f32[8, 8]cuda:0\"):\n"
                       "    y = torch.matmul(x, w)\n"
                       "    z = torch.exp(y)\n"
                       "    return (z + y,)\n");
    ck_assert(!says(p, "cublasltEnd"));
    check_last(p);
    p = bound(mlp);
    ck_assert(session_set_option(s, S("claim.join"), S("off"), &d));
    ck_assert(!says(p, "cublasltEnd"));
    check_last(p);
}
END_TEST

/* What follows a product is a kernel by itself, too, for where that is the faster way. */
START_TEST(the_other_way_can_be_generated)
{
    Program *p = bound(mlp);
    ck_assert(program_grad(s, p, S("all"), false, &d));
    const Trace *t = stage(p, "claim")->trace;
    int found = 0;
    for_top(t, n) {
        LtParts parts;
        if (t->nodes[n].op->id != PRIM_call)
            continue;
        ck_assert(lt_read_parts(t, n, &parts));
        Trace *rest = lt_rest(t, n, &parts);
        CompileOptions o = {0};
        Kernel *k = NULL;
        exec_cuda.compile(rest, 0, &o, &k, &d);
        no_errors();
        ck_assert_uint_gt(k->text.n, 0);
        exec_cuda.drop(k);
        trace_unref(rest);
        found++;
    }
    ck_assert_int_eq(found, 1);
}
END_TEST

/* Every prefix of the applications of claim gives a program that computes the same. */
START_TEST(every_step_of_joining_runs)
{
    Program *p = bound(mlp);
    ck_assert(program_grad(s, p, S("all"), false, &d));
    ck_assert(program_bind_random(s, p, 1, &d));
    uint32_t slot = (uint32_t)program_find_slot(p, S("claim"));
    for (uint64_t n = 0; n < 8; n++) {
        ck_assert(program_slot_fuel(s, p, slot, n, &d));
        check_stage(p, stage(p, "claim"));
    }
}
END_TEST

/* --------------------------------------------------------------------------------- convolutions */

static void check_conv(const char *x, const char *w, const char *call)
{
    StrBuf text = {0};
    sb_printf(&text, "def f(x: \"%scuda:0\", w: \"%scuda:0\"):\n    y = %s\n    return (y,)\n", x,
              w, call);
    Program *p = bound(sb_cstr(&text));
    int runs = dn->runs;
    check_last(p);
    ck_assert_int_gt(dn->runs, runs);
    runs = dn->runs;
    ck_assert(program_grad(s, p, S("all"), false, &d));
    ck_assert(program_bind_random(s, p, 1, &d));
    check_last(p);
    ck_assert_int_gt(dn->runs, runs + 2);
    sb_free(&text);
}

START_TEST(convolutions_and_their_gradients)
{
    check_conv("f32[2, 4, 9]", "f32[6, 4, 3]",
               "torch.nn.functional.conv1d(x, w, None, 2, 1, 1, 1)");
    check_conv("f32[2, 4, 9, 8]", "f32[6, 2, 3, 2]",
               "torch.nn.functional.conv2d(x, w, None, (2, 1), (1, 0), (1, 2), 2)");
    check_conv("f32[1, 2, 5, 4, 6]", "f32[3, 2, 2, 3, 2]",
               "torch.nn.functional.conv3d(x, w, None, (1, 2, 1), (1, 0, 1))");
    check_conv("f64[2, 3, 6, 6]", "f64[2, 3, 3, 3]", "torch.nn.functional.conv2d(x, w)");
    check_conv("bf16[2, 3, 6, 6]", "bf16[2, 3, 3, 3]", "torch.nn.functional.conv2d(x, w)");
}
END_TEST

START_TEST(transposed_convolutions)
{
    check_conv("f32[2, 4, 5]", "f32[4, 3, 3]",
               "torch.nn.functional.conv_transpose1d(x, w, None, 2, 1, 1)");
    check_conv("f32[2, 4, 5, 4]", "f32[4, 3, 3, 2]",
               "torch.nn.functional.conv_transpose2d(x, w, None, (2, 1), (1, 0), (1, 0), 2)");
}
END_TEST

START_TEST(operands_that_lie_otherwise_are_taken_as_they_are)
{
    check_last(bound("def f(x: \"f32[2, 6, 5, 4]cuda:0\", w: \"f32[3, 4, 3, 3]cuda:0\"):\n"
                     "    return (torch.nn.functional.conv2d(x.permute(0, 3, 1, 2), w),)\n"));
}
END_TEST

static const char *const with_bias = "def f(x: \"bf16[2, 3, 6, 6]cuda:0\", "
                                     "w: \"bf16[4, 3, 3, 3]cuda:0\", b: \"bf16[4]cuda:0\"):\n"
                                     "    return (torch.nn.functional.conv2d(x, w, b),)\n";

START_TEST(a_bias_is_added_where_the_library_takes_it)
{
    dn->fuses = 1;
    check_last(bound(with_bias));
    dn->fuses = 0;
}
END_TEST

/* The end of a convolution, how many nodes go together, and whether the result is one plan. */
START_TEST(what_follows_a_convolution_is_part_of_its_plan)
{
    static const char *const bodies[] = {
        "torch.relu(torch.nn.functional.conv2d(x, w, b))",
        "torch.relu(torch.nn.functional.conv2d(x, w))",
        "torch.nn.functional.conv2d(x, w, b, 1, 1) + r",
        "torch.relu(r + torch.nn.functional.conv2d(x, w, b, 1, 1))",
        "torch.relu(torch.nn.functional.conv2d(x, w, None, 1, 1) + r)",
    };
    dn->fuses = 1;
    StrBuf text = {0};
    sb_printf(&text, "def f(x: \"bf16[2, 3, 6, 6]cuda:0\", w: \"bf16[4, 3, 3, 3]cuda:0\", "
                     "b: \"bf16[4]cuda:0\", r: \"bf16[2, 4, 6, 6]cuda:0\"):\n"
                     "    return (%s,)\n", bodies[_i]);
    Program *p = bound(sb_cstr(&text));
    ck_assert(says(p, "cudnnEnd0"));
    int runs = dn->runs;
    check_last(p);
    ck_assert_int_gt(dn->runs, runs);
    sb_free(&text);
    dn->fuses = 0;
}
END_TEST

/* The bias goes with what follows where the two ways are apart, and the result is the same. */
START_TEST(what_follows_a_convolution_can_be_generated)
{
    Program *p = bound("def f(x: \"bf16[2, 3, 6, 6]cuda:0\", w: \"bf16[4, 3, 3, 3]cuda:0\", "
                       "b: \"bf16[4]cuda:0\", r: \"bf16[2, 4, 4, 4]cuda:0\"):\n"
                       "    return (torch.relu(torch.nn.functional.conv2d(x, w, b) + r),)\n");
    const Trace *t = stage(p, "claim")->trace;
    LtParts parts;
    ck_assert(lt_read_parts(t, 0, &parts));
    ck_assert(parts.relu);
    Trace *rest = dn_conv_rest(t, 0, &parts, &d);
    CompileOptions o = {0};
    Kernel *k = NULL;
    exec_cuda.compile(rest, 0, &o, &k, &d);
    no_errors();
    const uint16_t in[3] = {0x3f80, 0x4000, 0xc080}; /* bf16: of the convolution 1, the bias 2, */
    const ValueId of[3] = {parts.made, t->nodes[parts.product].args[2].v, parts.aux};
    Tensor **values = calloc(rest->nvalues, sizeof *values);
    for (int i = 0; i < 3; i++) {
        const Type *type = &t->values[of[i]].type;
        values[of[i]] = tensor_new(DT_bf16, (Device){0}, type->rank, type->shape);
        uint16_t *at = tensor_data(values[of[i]]);
        for (int64_t j = 0; j < type_numel(type); j++)
            at[j] = j == 5 && i == 2 ? 0x4080 : in[i]; /* what is added -4, of element 5 it is 4 */
    }
    for (NodeId n = 1; n < rest->nnodes; n++) {
        ExecCall call = {.t = rest, .node = n, .values = values, .diag = &d};
        if (rest->nodes[n].span == 1)
            ck_assert(exec_interp.run(&call));
    }
    const Tensor *out = values[parts.result];
    ck_assert(element(out, 0) == 0); /* 1 + 2 - 4 is negative */
    ck_assert(element(out, 5) == 7);
    for (ValueId v = 0; v < rest->nvalues; v++)
        tensor_unref(values[v]);
    free(values);
    exec_cuda.drop(k);
    trace_unref(rest);
}
END_TEST

START_TEST(masks_that_serve_several_heads_go_to_the_library)
{
    static const struct {
        const char *mask;
        bool taken;
    } masks[] = {
        {"bf16[1, 1, 16, 32]", true}, {"b8[16, 32]", true},           {"bf16[2, 1, 1, 32]", true},
        {"f32[16, 32]", true},        {"bf16[2, 4, 16, 32]", false}, {"b8[1, 1, 16, 1]", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(masks); i++) {
        StrBuf text = {0};
        sb_printf(&text, "def f(q: \"bf16[2, 4, 16, 64]cuda:0\", k: \"bf16[2, 4, 32, 64]cuda:0\", "
                         "m: \"%scuda:0\"):\n    return (torch.nn.functional."
                         "scaled_dot_product_attention(q, k, k, m),)\n", masks[i].mask);
        Program *p = load_text(sb_cstr(&text));
        ck_assert_msg(says(p, "@cudnn") == masks[i].taken, "%s", masks[i].mask);
        sb_free(&text);
    }
}
END_TEST

START_TEST(a_convolution_that_others_read_stands_alone)
{
    static const char *const bodies[] = {
        "y = torch.nn.functional.conv2d(x, w)\n    return (torch.relu(y), y)",
        "return (torch.relu(torch.nn.functional.conv_transpose2d(x, w)),)",
        "return (torch.relu(torch.nn.functional.conv2d(x.float(), w.float())),)",
    };
    StrBuf text = {0};
    sb_printf(&text, "def f(x: \"bf16[2, 3, 6, 6]cuda:0\", w: \"bf16[3, 3, 3, 3]cuda:0\"):\n"
                     "    %s\n", bodies[_i]);
    Program *p = bound(sb_cstr(&text));
    ck_assert(!says(p, "cudnnEnd0"));
    check_last(p);
    sb_free(&text);
}
END_TEST

START_TEST(engines_that_round_more_are_left_alone)
{
    dn->numbers = 1; /* tensor cores take shorter formats than f32 */
    check_last(bound("def f(x: \"f32[2, 3, 6, 6]cuda:0\", w: \"f32[4, 3, 3, 3]cuda:0\"):\n"
                     "    return (torch.nn.functional.conv2d(x, w),)\n"));
    ck_assert_int_eq(dn->runs, 1); /* nothing is measured */
    ck_assert_int_eq(dn->proposal, 1);
    dn->numbers = 0;
}
END_TEST

START_TEST(plans_are_compared_when_that_is_asked_for)
{
    ck_assert(session_set_option(s, S("kernel.tune"), S("on"), &d));
    check_last(bound("def f(x: \"f32[2, 3, 6, 6]cuda:0\", w: \"f32[4, 3, 3, 3]cuda:0\"):\n"
                     "    return (torch.nn.functional.conv2d(x, w),)\n"));
    ck_assert_int_gt(dn->runs, 2);
}
END_TEST

START_TEST(what_the_library_refuses_is_computed_by_the_host)
{
    dn->refuses = 1;
    int runs = dn->runs;
    Program *p = bound("def f(x: \"f32[2, 3, 6, 6]cuda:0\", w: \"f32[4, 3, 3, 3]cuda:0\"):\n"
                       "    y = torch.nn.functional.conv2d(x, w)\n"
                       "    return (y,)\n");
    ck_assert(program_grad(s, p, S("all"), false, &d));
    ck_assert(program_bind_random(s, p, 1, &d));
    check_last(p);
    ck_assert_ptr_nonnull(d.first);
    ck_assert_str_eq(d.first->code, "on-host");
    ck_assert_ptr_nonnull(strstr(d.first->message.p, "cuDNN 91900 refuses"));
    check_last(p);
    ck_assert_int_eq(dn->runs, runs);
    dn->refuses = 0;
}
END_TEST

/* Our kernel begins while the launch before it runs, which counts where there is little to do. */
START_TEST(attention_of_few_positions_is_left_to_our_kernel)
{
    static const struct {
        int positions;
        bool flash;
        const char *taker;
    } rows[] = {{64, true, "@flash"}, {64, false, "@cudnn"}, {65, true, "@cudnn"}};
    ExecList all, l;
    executors_default(&all);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        StrBuf text = {0};
        session_free(s);
        l = (ExecList){.items = {&exec_cudnn, &exec_flash, exec_find(&all, S("interp"))},
                       .on = {true, rows[i].flash, true}, .n = 3};
        s = session_new(&l);
        sb_printf(&text,
                  "def f(q: \"bf16[1, 12, %d, 64]cuda:0\", k: \"bf16[1, 12, 64, 64]cuda:0\"):\n"
                  "    return (torch.nn.functional.scaled_dot_product_attention(q, k, k),)\n",
                  rows[i].positions);
        ck_assert_msg(says(load_text(sb_cstr(&text)), rows[i].taker), "%d positions",
                      rows[i].positions);
        sb_free(&text);
    }
}
END_TEST

/* An image is kept under all that decides it: asked for otherwise, it is made anew. */
START_TEST(images_are_kept_for_what_they_were_made_for)
{
    static const struct {
        const char *text;
        CudaImageKind kind;
        uint32_t arch;
        bool fast, cached;
    } asks[] = {
        {"one", CUDA_cubin, 90, false, false}, {"one", CUDA_cubin, 90, false, true},
        {"two", CUDA_cubin, 90, false, false}, {"one", CUDA_cubin, 100, false, false},
        {"one", CUDA_cubin, 90, true, false},  {"one", CUDA_ptx, 90, false, false},
        {"one", CUDA_cubin, 100, false, true}, {"one", CUDA_ptx, 90, false, true},
    };
    char folder[] = "/tmp/thunder-images-XXXXXX", command[80];
    StrBuf why = {0};
    ck_assert_ptr_nonnull(mkdtemp(folder));
    Nvrtc *n = nvrtc_open(S(FAKE_LIBRARIES), &why);
    ck_assert_msg(n != NULL, "%s", sb_cstr(&why));
    for (uint32_t i = 0; i < ARRAY_LEN(asks); i++) {
        CudaImage image;
        ck_assert(nvrtc_compile(n, str_from(asks[i].text), asks[i].kind, asks[i].arch,
                                asks[i].fast, str_from(folder), &image, &d));
        ck_assert_msg(image.cached == asks[i].cached, "%u", i);
        ck_assert_str_eq(image.data, asks[i].text);
        cuda_image_free(&image);
    }
    nvrtc_close(n);
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
    sb_free(&why);
}
END_TEST

static const char product[] = "def f(x: \"f32[8, 4]\", y: \"f32[4, 8]\"):\n    return (x @ y,)\n";

static bool run_product(Program *p)
{
    Run run;
    Stage *last = program_find_stage(s, p, S("last"), &d);
    bool good = session_run(s, p, last, NULL, &run, &d);
    if (good)
        run_free(&run);
    return good;
}

/* Opened while something else goes on: it is the device that runs, and the only one. */
START_TEST(a_device_that_is_opened_ahead_is_used)
{
    Program *p = bound(product);
    session_expect_run(s, p);
    session_expect_run(s, p);
    for (int i = 0; i < 2; i++) {
        ck_assert(run_product(p));
        ck_assert_int_eq(fake->contexts, 1);
        session_expect_run(s, p);
    }
    const Spent *spent = session_spent(s);
    ck_assert_uint_eq(spent->times[SPENT_driver], 1);
    ck_assert_uint_eq(spent->times[SPENT_libraries], 1);
    ck_assert_uint_gt(spent->times[SPENT_send], 0);
    ck_assert_uint_gt(spent->times[SPENT_plans], 0);
}
END_TEST

/* It is closed where nobody runs anything, and where it is not the one that is asked for. */
START_TEST(a_device_that_is_opened_in_vain_is_closed)
{
    Program *p = bound(product);
    session_expect_run(s, p);
    ck_assert(session_set_option(s, S("kernel.cuda_driver"), S("/no/such/driver.so"), &d));
    ck_assert(!run_product(p));
    ck_assert_str_eq(d.first->code, "no-device");
    ck_assert_int_eq(fake->contexts, 0);
    ck_assert(session_set_option(s, S("kernel.cuda_driver"), S(FAKE_CUDA), &d));
    session_expect_run(s, p);
    session_free(s);
    ck_assert_int_eq(fake->contexts, 0);
    s = session_new(&(ExecList){.n = 0});
}
END_TEST

/* A graph of one convolution as a plan, which the file at path remembers. */
static DnPlan *finish_one(Dn *lib, const char *path)
{
    static const DnWindow window = {.dims = 2, .stride = {1, 1}, .dilation = {1, 1}};
    static const int64_t shape[4] = {1, 1, 2, 2}, strides[4] = {4, 4, 2, 1};
    DnGraph g;
    StrBuf why = {0};
    dn_begin(&g, lib);
    int x = dn_real(&g, DN_f32, shape, strides), w = dn_real(&g, DN_f32, shape, strides);
    int y = dn_real(&g, DN_f32, (int64_t[]){1, 1, 1, 1}, (int64_t[]){1, 1, 1, 1});
    dn_convolution(&g, DN_conv, &window, DN_f32, x, w, y);
    DnPlan *plan = dn_finish(&g, path, &why);
    ck_assert_msg(plan != NULL, "%s", sb_cstr(&why));
    ck_assert_int_eq(plan->n, 3);
    ck_assert_int_eq(plan->workspace, 64);
    sb_free(&why);
    return plan;
}

START_TEST(plans_are_remembered_in_files)
{
    char path[] = "/tmp/thunder-plan-XXXXXX";
    OpenDevice *dev = session_device(s, &cuda_driver, &d);
    Dn *lib = dn_of(dev, S(FAKE_LIBRARIES), &d);
    no_errors();
    close(mkstemp(path)); /* empty: no plan */
    int asked = dn->asked;
    for (int i = 0; i < 3; i++) {
        dn_plan_free(lib, finish_one(lib, path));
        ck_assert_int_eq(dn->asked, asked + 1);
    }
    FILE *f = fopen(path, "w"); /* of another version, say */
    fputs("plan 0x1", f);
    fclose(f);
    dn_plan_free(lib, finish_one(lib, path));
    dn_plan_free(lib, finish_one(lib, path));
    ck_assert_int_eq(dn->asked, asked + 2);
    dn_plan_free(lib, finish_one(lib, ""));
    ck_assert_int_eq(dn->asked, asked + 3);
    unlink(path);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("libraries");
    TCase *t = tcase_create("libraries");
    tcase_add_checked_fixture(t, setup_libraries, teardown_libraries);
    tcase_add_test(t, products_in_all_layouts);
    tcase_add_test(t, gelu_behind_a_product_is_part_of_it);
    tcase_add_test(t, training_keeps_what_gelu_is_computed_of);
    tcase_add_test(t, additions_are_part_of_the_product);
    tcase_add_test(t, relu_is_part_of_the_product);
    tcase_add_loop_test(t, products_of_8_bit_floats_with_their_scales, 0, 4);
    tcase_add_test(t, nothing_is_joined_that_others_need_before);
    tcase_add_test(t, the_other_way_can_be_generated);
    tcase_add_test(t, every_step_of_joining_runs);
    tcase_add_test(t, convolutions_and_their_gradients);
    tcase_add_test(t, transposed_convolutions);
    tcase_add_test(t, operands_that_lie_otherwise_are_taken_as_they_are);
    tcase_add_test(t, a_bias_is_added_where_the_library_takes_it);
    tcase_add_loop_test(t, what_follows_a_convolution_is_part_of_its_plan, 0, 5);
    tcase_add_test(t, what_follows_a_convolution_can_be_generated);
    tcase_add_test(t, masks_that_serve_several_heads_go_to_the_library);
    tcase_add_loop_test(t, a_convolution_that_others_read_stands_alone, 0, 3);
    tcase_add_test(t, engines_that_round_more_are_left_alone);
    tcase_add_test(t, plans_are_compared_when_that_is_asked_for);
    tcase_add_test(t, what_the_library_refuses_is_computed_by_the_host);
    tcase_add_test(t, attention_of_few_positions_is_left_to_our_kernel);
    tcase_add_test(t, images_are_kept_for_what_they_were_made_for);
    tcase_add_test(t, plans_are_remembered_in_files);
    tcase_add_test(t, a_device_that_is_opened_ahead_is_used);
    tcase_add_test(t, a_device_that_is_opened_in_vain_is_closed);
    suite_add_tcase(suite, t);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
