/*
 * check_flash.c - attention by our own kernel, without a GPU.
 *
 * Its text runs on the CPU (cuda_emulator.h) as an executor, in programs of many shapes, against
 * the oracle, its threads forwards in one and backwards in the next; NVRTC, where there is one,
 * compiles it for three architectures and says what registers are spilled.
 */
#define _GNU_SOURCE
#include "support.h"

#include "session_fixture.h"

#include "cuda_emulator.h"
#include "flash_node.h"
#include "nvrtc.h"

typedef struct FlashEmu {
    Kernel k;
    Arena arena;
    Flash f;
    FlashLaunch launch[FLASH_LAUNCHES];
    EmuFunction *fn[FLASH_LAUNCHES];
    uint32_t nlaunch;
} FlashEmu;

static const Executor exec_flash_emulated;
static uint32_t shared_max; /* of the device that is not there */

static bool flash_compile(const Trace *t, NodeId n, const CompileOptions *o, Kernel **out,
                          Diag *diag)
{
    (void)o;
    FlashEmu *k = calloc(1, sizeof *k);
    StrBuf text = {0};
    k->k = (Kernel){.executor = &exec_flash_emulated, .name = S("flash"), .impl = k};
    flash_read(&k->f, &k->arena, t, n);
    k->f.shared_max = shared_max;
    k->nlaunch = flash_launches(&k->f, k->launch);
    add_file(TEST_DIR "/cuda_shim.h", &text);
    sb_puts(&text, gen_cuda_prelude());
    flash_text(&k->f, &text);
    for (uint32_t i = 0; i < k->nlaunch; i++)
        sb_printf(&text, "\nEMU_KERNEL(%s)\n", k->launch[i].name);
    void *lib = emu_build(&text, diag);
    sb_free(&text);
    for (uint32_t i = 0; lib && i < k->nlaunch; i++) {
        char name[64];
        snprintf(name, sizeof name, "emu_%s", k->launch[i].name);
        void *fn = dlsym(lib, name);
        memcpy(&k->fn[i], &fn, sizeof fn);
    }
    void (*setter)(Emu *);
    void *set = lib ? dlsym(lib, "emu_set") : NULL;
    memcpy(&setter, &set, sizeof set);
    if (lib)
        setter(&emu_machine);
    *out = &k->k;
    return lib != NULL;
}

/* A strided result in a buffer that is full of what nobody wrote: positions before heads. */
static Tensor *new_result(const Type *type)
{
    int64_t shape[4], strides[4];
    if (type->rank != 4)
        return tensor_new((DType)type->dtype, type->device, type->rank, type->shape);
    const int64_t order[4] = {type->shape[0], type->shape[2], type->shape[1], type->shape[3]};
    Tensor *t = tensor_new((DType)type->dtype, type->device, 4, order);
    memset(tensor_data(t), 0xff, (size_t)type_bytes(type));
    for (uint32_t i = 0; i < 4; i++) {
        shape[i] = type->shape[i];
        strides[i] = t->strides[i == 1 ? 2 : i == 2 ? 1 : i];
    }
    Tensor *view = tensor_view(t, 4, shape, strides, 0);
    tensor_unref(t);
    return view;
}

static bool flash_launch(Kernel *kernel, ExecCall *call)
{
    FlashEmu *k = kernel->impl;
    Tensor *in[FLASH_IN] = {0}, *out[FLASH_OUT] = {0};
    uint64_t in_at[FLASH_IN] = {0}, out_at[FLASH_OUT] = {0};
    FlashFacts facts;
    void *args[] = {&facts};
    for (uint32_t i = 0; i < FLASH_IN; i++) {
        Tensor *t = k->f.in[i] ? call->values[k->f.in[i]] : NULL;
        bool lies = t && i != FLASH_logs && flash_lays(&k->f.in_type[i], t->strides);
        in[i] = !t ? NULL : lies ? tensor_ref(t) : tensor_contiguous(t);
        in_at[i] = t ? (uint64_t)(uintptr_t)tensor_data(in[i]) : 0;
    }
    for (uint32_t i = 0; i < k->f.nout; i++) {
        out[i] = new_result(&k->f.out_type[i]);
        out_at[i] = (uint64_t)(uintptr_t)tensor_data(out[i]);
    }
    flash_facts(&k->f, in, in_at, out, out_at, &facts);
    void *sums = calloc(1, (size_t)flash_scratch(&k->f) + 1);
    facts.sums = (uint64_t)(uintptr_t)sums;
    bool good = true;
    for (uint32_t i = 0; i < k->nlaunch && good; i++) {
        GenLaunch l = {.grid = {(uint32_t)k->launch[i].blocks, 1, 1},
                       .block = {k->launch[i].threads, 1, 1}, .shared = k->launch[i].shared};
        facts.tiles = k->launch[i].tiles;
        good = emu_launch(&l, k->fn[i], args);
    }
    free(sums);
    for (uint32_t i = 0; i < FLASH_IN; i++)
        tensor_unref(in[i]);
    for (uint32_t i = 0; i < k->f.nout; i++) {
        tensor_unref(call->values[k->f.out[i]]);
        call->values[k->f.out[i]] = out[i];
    }
    return good || emu_fail(call, "threads wait for each other at different barriers");
}

static bool flash_run(ExecCall *call)
{
    return emu_fail(call, "no kernel was prepared");
}

static void flash_drop(Kernel *kernel)
{
    FlashEmu *k = kernel ? kernel->impl : NULL;
    if (!k)
        return;
    arena_free(&k->arena);
    free(k);
}

static const Executor exec_flash_emulated = {
    .name = "emulated",
    .kind = EXEC_stateful,
    .can = flash_takes,
    .run = flash_run,
    .compile = flash_compile,
    .launch = flash_launch,
    .drop = flash_drop,
};

static void setup_flash(void)
{
    ExecList l;
    executors_default(&l);
    l = (ExecList){.items = {&exec_flash_emulated, exec_find(&l, S("interp"))}, .on = {true, true},
                   .n = 2};
    s = session_new(&l);
    d = (Diag){0};
}

/* -------------------------------------------------------------------------------- the programs */

typedef struct Case {
    const char *dtype;
    int batch, heads, key_heads, queries, keys, width, value_width;
    const char *mask; /* a type, or NULL */
    bool causal, gradients;
    const char *hidden; /* where some rows are hidden: what the mask has there */
    double dropout;
    bool mask_gradient;
} Case;

static const Case cases[] = {
    {"bf16", 1, 1, 1, 16, 16, 16, 16, NULL, false, true, NULL, 0, false},
    {"bf16", 2, 2, 2, 37, 53, 40, 40, NULL, false, true, NULL, 0, false},
    {"f16", 1, 2, 2, 130, 130, 64, 64, NULL, true, true, NULL, 0, false},
    {"bf16", 1, 1, 1, 70, 33, 64, 64, NULL, true, true, NULL, 0, false},
    {"bf16", 1, 1, 1, 33, 150, 24, 24, NULL, true, true, NULL, 0, false},
    {"bf16", 2, 3, 3, 20, 70, 19, 19, "b8[20, 70]", false, true, NULL, 0, false},
    {"f16", 2, 1, 1, 65, 64, 80, 33, "f16[2, 1, 65, 64]", false, true, NULL, 0, false},
    {"bf16", 2, 2, 2, 17, 40, 128, 128, "f32[1, 1, 1, 40]", false, true, NULL, 0, false},
    {"bf16", 1, 2, 2, 70, 96, 64, 64, "b8[70, 96]", false, true, NULL, 0, false},
    {"bf16", 1, 4, 2, 35, 35, 72, 72, "b8[1, 4, 35, 35]", false, true, NULL, 0, false},
    {"f16", 2, 3, 1, 40, 20, 16, 16, NULL, true, true, NULL, 0, false},
    {"bf16", 1, 1, 1, 40, 70, 256, 256, NULL, false, true, NULL, 0, false},
    {"f16", 1, 1, 1, 20, 40, 144, 200, NULL, true, true, NULL, 0, false},
    {"f32", 1, 2, 2, 37, 53, 40, 40, NULL, false, true, NULL, 0, false},
    {"f32", 2, 1, 1, 70, 70, 16, 16, NULL, true, true, NULL, 0, false},
    {"f32", 1, 2, 1, 66, 20, 19, 33, "f32[66, 20]", false, true, NULL, 0, false},
    {"f32", 1, 2, 1, 20, 66, 19, 33, NULL, false, false, NULL, 0, false},
    {"f32", 1, 2, 2, 40, 66, 33, 19, "b8[1, 2, 40, 66]", false, true, NULL, 0, false},
    {"f32", 1, 1, 1, 40, 40, 256, 144, NULL, true, true, NULL, 0, false},
    {"bf16", 1, 2, 2, 20, 70, 16, 16, "b8[20, 70]", false, true, "False", 0, false},
    {"f16", 1, 1, 1, 20, 70, 16, 16, "f32[20, 70]", false, true, "-inf", 0, false},
    {"f32", 1, 1, 1, 20, 70, 16, 16, "f32[20, 70]", false, true, "-inf", 0, false},
    {"f32", 1, 1, 1, 20, 70, 16, 16, "f32[20, 70]", false, true, "-3.4028234663852886e+38", 0,
     false},
    {"bf16", 2, 2, 2, 37, 148, 40, 40, NULL, false, true, NULL, 0.3, false},
    {"f16", 1, 2, 2, 130, 131, 64, 64, NULL, true, true, NULL, 0.1, false}, /* begins in a four */
    {"bf16", 2, 4, 2, 70, 72, 16, 16, NULL, true, true, NULL, 0.5, false},
    {"f16", 1, 2, 2, 150, 40, 64, 33, "b8[1, 2, 150, 40]", false, true, NULL, 0.2, false},
    {"bf16", 1, 1, 1, 40, 72, 256, 256, "bf16[40, 72]", false, true, NULL, 0.9, false},
    {"f32", 1, 2, 1, 37, 72, 40, 33, NULL, false, true, NULL, 0.3, false},
    {"f32", 2, 1, 1, 70, 70, 16, 16, NULL, true, true, NULL, 0.7, false},
    {"f32", 1, 1, 1, 20, 140, 144, 16, "b8[20, 140]", false, true, "False", 0.4, false},
    {"f32", 1, 2, 1, 20, 66, 19, 33, NULL, false, false, NULL, 0.2, false},
    {"f32", 1, 2, 1, 70, 20, 19, 33, "f32[70, 20]", false, true, NULL, 0, true},
    {"f32", 2, 2, 2, 40, 70, 16, 16, "f32[2, 2, 40, 70]", false, true, NULL, 0.3, true},
    {"bf16", 2, 2, 2, 40, 136, 64, 40, "bf16[2, 1, 1, 136]", false, true, NULL, 0, true},
    {"f16", 2, 3, 3, 33, 40, 16, 16, "f16[3, 33, 40]", false, true, NULL, 0.2, true},
    {"bf16", 3, 2, 2, 130, 30, 24, 24, "f32[1, 2, 130, 1]", false, true, NULL, 0, true},
    {"f32", 2, 2, 2, 20, 30, 16, 16, "f32[2, 1, 1, 1]", false, true, NULL, 0, true},
    {"f16", 1, 1, 1, 40, 40, 256, 16, "f16[40, 40]", false, true, "-inf", 0, true},
    {"bf16", 2, 2, 1, 20, 66, 16, 16, "f32[66]", false, true, NULL, 0, true},
    {"bf16", 1, 3, 3, 64, 64, 64, 64, NULL, true, true, NULL, 0, false}, /* few keys, from here */
    {"f16", 2, 4, 2, 20, 120, 128, 48, NULL, false, true, NULL, 0, false},
    {"f16", 1, 2, 2, 150, 7, 32, 128, NULL, false, true, NULL, 0, false},
    {"bf16", 1, 2, 1, 33, 128, 96, 16, NULL, true, false, NULL, 0, false},
};

static Program *load_attention(const Case *c)
{
    StrBuf text = {0};
    const char *last = c->mask ? ", m" : "";
    sb_printf(&text, "def f(q: \"%s[%d, %d, %d, %d]\", k: \"%s[%d, %d, %d, %d]\", ", c->dtype,
              c->batch, c->queries, c->heads, c->width, c->dtype, c->batch, c->keys, c->key_heads,
              c->width);
    sb_printf(&text, "v: \"%s[%d, %d, %d, %d]\"", c->dtype, c->batch, c->key_heads, c->keys,
              c->value_width);
    if (c->mask)
        sb_printf(&text, ", m: \"%s\"", c->mask);
    if (c->hidden)
        sb_printf(&text, ", e: \"b8[%d, 1]\"", c->queries);
    sb_puts(&text, "):\n");
    if (c->hidden)
        sb_printf(&text, "    m = torch.where(e, m, %s)\n", c->hidden);
    sb_printf(&text, "    r = torch.nn.functional.scaled_dot_product_attention("
                     "q.transpose(1, 2), k.transpose(1, 2), v%s, dropout_p=%g, is_causal=%s%s)\n"
                     "    return (r,)\n", last, c->dropout, c->causal ? "True" : "False",
              c->heads != c->key_heads ? ", enable_gqa=True" : "");
    Program *p = load_text(sb_cstr(&text));
    sb_free(&text);
    if (c->gradients) {
        ck_assert(program_grad(s, p, c->mask_gradient ? S("q k v m") : S("q k v"), false, &d));
    }
    ck_assert(program_bind_random(s, p, 3, &d));
    no_errors();
    return p;
}

static bool by_emulator(const Stage *st, const char *op)
{
    for_top(st->trace, n) {
        const Node *node = &st->trace->nodes[n];
        if (strcmp(node->op->name, op) == 0 && node->executor &&
            strcmp(node->executor, "emulated") == 0)
            return true;
    }
    return false;
}

/* Results of the last stage against those of an earlier one in double precision. */
static void compare_stages(Program *p, const char *exact, uint32_t results, double tolerance,
                           const char *what)
{
    Stage *last = program_find_stage(s, p, S("last"), &d);
    Stage *joint = program_find_stage(s, p, str_from(exact), &d);
    Run want, got;
    bool known = session_run(s, p, joint, &(RunOptions){.rounding = ROUND_f64}, &want, &d);
    no_errors();
    ck_assert(known);
    bool ran = session_run(s, p, last, NULL, &got, &d);
    no_errors();
    ck_assert(ran);
    ck_assert_uint_eq(want.noutputs, results);
    for (uint32_t i = 0; i < got.noutputs; i++) {
        Tensor *w = tensor_cast(want.outputs[i], got.outputs[i]->dtype);
        Comparison r = tensor_compare(got.outputs[i], w, tolerance, 2 * tolerance);
        ck_assert_msg(r.equal, "%s: output %u: %g for %g", what, i, r.got, r.want);
        tensor_unref(w);
    }
    run_free(&got);
    run_free(&want);
}

static void check_case(const Case *c)
{
    Program *p = load_attention(c);
    Stage *st = program_find_stage(s, p, S("last"), &d);
    no_errors();
    const char *op = c->mask_gradient ? "_scaled_dot_product_efficient_attention_backward"
                     : c->gradients   ? "_scaled_dot_product_flash_attention_for_cpu_backward"
                                      : "scaled_dot_product_attention";
    char what[128];
    ck_assert(by_emulator(st, op));
    double tolerance = strcmp(c->dtype, "f32") == 0 ? 2e-6 : strcmp(c->dtype, "f16") == 0 ? 2e-3
                                                                                          : 2e-2;
    snprintf(what, sizeof what, "%s %d x %d, widths %d %d, mask %s%s", c->dtype, c->queries,
             c->keys, c->width, c->value_width, c->mask ? c->mask : "none",
             c->causal ? ", causal" : "");
    compare_stages(p, c->gradients ? "joint" : "acquired",
                   c->mask_gradient ? 5 : c->gradients ? 4 : 1, tolerance, what);
}

static bool no_compiler(void)
{
    bool none = access("/usr/bin/g++", X_OK) != 0;
    if (none)
        fprintf(stderr, "SKIPPED: CUDA texts do not run here: no g++\n");
    return none;
}

START_TEST(attention_is_what_the_oracle_says)
{
    if (no_compiler())
        return;
    emu_backwards = _i % 2;
    shared_max = _i % 3 == 1 ? 40 << 10 : 0;
    check_case(&cases[_i]);
}
END_TEST

/* Operands side by side in one tensor are read where they lie, also where that is no place for 16
 * bytes at a time. */
START_TEST(operands_may_begin_anywhere)
{
    static const char *const texts[] = {
        "def f(x: \"bf16[1, 20, 2, 98]\"):\n    y = x.transpose(1, 2)\n"
        "    r = torch.nn.functional.scaled_dot_product_attention(y[..., 1:33], y[..., 33:65], "
        "y[..., 65:97], is_causal=True)\n    return (r,)\n",
        "def f(x: \"f16[2, 20, 192]\"):\n    y = x.reshape(2, 20, 2, 96).transpose(1, 2)\n"
        "    r = torch.nn.functional.scaled_dot_product_attention(y[..., :32], y[..., 32:64], "
        "y[..., 64:])\n    return (r,)\n",
    };
    if (no_compiler())
        return;
    Program *p = load_text(texts[_i]);
    ck_assert(program_bind_random(s, p, 3, &d));
    no_errors();
    ck_assert(by_emulator(program_find_stage(s, p, S("last"), &d),
                          "scaled_dot_product_attention"));
    compare_stages(p, "acquired", 1, 2e-2, texts[_i]);
}
END_TEST

/* Without a toolkit there is nothing to compile with, and the suite says so. */
START_TEST(the_text_compiles_for_every_architecture)
{
    static const struct {
        Flash f;
        uint32_t arch;
    } texts[] = {
        {{.dtype = DT_bf16, .mask_dtype = DT_none, .causal = true, .width = 64,
          .value_width = 64, .keys = 1000}, 80},
        {{.dtype = DT_f16, .mask_dtype = DT_none, .causal = true, .width = 64,
          .value_width = 64, .keys = 64}, 80},
        {{.dtype = DT_bf16, .mask_dtype = DT_none, .width = 128, .value_width = 128,
          .keys = 128}, 90},
        {{.dtype = DT_f16, .mask_dtype = DT_f32, .width = 128, .value_width = 128}, 100},
        {{.dtype = DT_bf16, .mask_dtype = DT_b8, .backward = true, .width = 128,
          .value_width = 128}, 90},
        {{.dtype = DT_f32, .mask_dtype = DT_none, .backward = true, .causal = true, .width = 80,
          .value_width = 256}, 90},
        {{.dtype = DT_bf16, .mask_dtype = DT_none, .width = 128, .value_width = 128, .keys = 64,
          .drop = {.below = 1}}, 90},
        {{.dtype = DT_bf16, .mask_dtype = DT_none, .backward = true, .width = 64,
          .value_width = 64, .keys = 64, .drop = {.below = 1}}, 90},
        {{.dtype = DT_f32, .mask_dtype = DT_none, .backward = true, .width = 64,
          .value_width = 64, .keys = 63, .drop = {.below = 1}}, 80},
        {{.dtype = DT_bf16, .mask_dtype = DT_b8, .backward = true, .width = 128,
          .value_width = 128, .keys = 64, .drop = {.below = 1}}, 90},
        {{.dtype = DT_bf16, .mask_dtype = DT_b8, .width = 256,
          .value_width = 256, .keys = 64, .drop = {.below = 1}}, 90},
        {{.dtype = DT_bf16, .mask_dtype = DT_none, .width = 64, .causal = true,
          .value_width = 64, .keys = 64, .drop = {.below = 1}}, 90},
        {{.dtype = DT_f16, .mask_dtype = DT_none, .width = 64,
          .value_width = 64, .keys = 66, .drop = {.below = 1}}, 100},
        {{.dtype = DT_bf16, .mask_dtype = DT_bf16, .backward = true, .width = 64, .nout = 4,
          .value_width = 64, .keys = 64}, 90},
    };
    StrBuf why = {0};
    Nvrtc *n = nvrtc_open((Str){0}, &why);
    if (!n)
        fprintf(stderr, "SKIPPED: %s\n", sb_cstr(&why));
    for (size_t i = 0; n && i < ARRAY_LEN(texts); i++) {
        StrBuf text = {0};
        CudaImage image = {0};
        sb_puts(&text, gen_cuda_prelude());
        flash_text(&texts[i].f, &text);
        bool good = nvrtc_compile(n, sb_str(&text), CUDA_cubin, texts[i].arch, false, (Str){0},
                                  &image, &d);
        no_errors();
        ck_assert(good);
        for (uint32_t k = 0; k < image.nuse; k++)
            ck_assert_uint_le(image.use[k].spill_stores, 64);
        cuda_image_free(&image);
        sb_free(&text);
    }
    nvrtc_close(n);
    sb_free(&why);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("flash");
    TCase *t = tcase_create("flash");
    tcase_add_checked_fixture(t, setup_flash, teardown);
    tcase_add_loop_test(t, attention_is_what_the_oracle_says, 0, ARRAY_LEN(cases));
    tcase_add_loop_test(t, operands_may_begin_anywhere, 0, 2);
    tcase_add_test(t, the_text_compiles_for_every_architecture);
    tcase_set_timeout(t, 120);
    suite_add_tcase(suite, t);
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
