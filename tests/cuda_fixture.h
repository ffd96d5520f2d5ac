/*
 * cuda_fixture.h - programs on the CUDA writer without a GPU: run by the emulator against the
 * oracle, written as text, compiled by NVRTC where there is one.
 *
 * Included by one test program each, behind session_fixture.h; what a program does not use is no
 * warning.
 */
#ifndef THUNDER_CUDA_FIXTURE_H
#define THUNDER_CUDA_FIXTURE_H

#include "session_fixture.h"

#include "cuda_emulator.h"
#include "nvrtc.h"

#include <math.h>

typedef struct CudaRow {
    const char *name, *text;
    double tolerance;
} CudaRow;

static const CudaRow programs[] __attribute__((unused)) = {
#include "cuda_rows.h"
};

/* Without a C++ compiler there is nothing to run, and the suite says so. */
static inline bool no_compiler(void)
{
    bool none = access("/usr/bin/g++", X_OK) != 0;
    if (none)
        fprintf(stderr, "SKIPPED: CUDA texts do not run here: no g++\n");
    return none;
}

static inline void use_emulator(void)
{
    ExecList known = *session_executors(s), l;
    known.items[known.n] = &exec_emulated;
    known.on[known.n++] = true;
    ck_assert(exec_parse_list(&known, S("emulated,interp"), &l, &d));
    ck_assert(session_set_executors(s, &l));
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    ck_assert(session_set_option(s, S("fuse.products"), S("all"), &d));
}

/* Results that were put over operands, by a test. */
static uint32_t put_over __attribute__((unused));

/* Kernels give the same bits with their results over operands. */
static inline void check_places(Program *p, const Stage *st)
{
    RunOptions keep = {.keep_values = true};
    Run run;
    ck_assert(session_run(s, p, st, &keep, &run, &d));
    for_top(st->trace, n) {
        ck_assert_msg(session_check_places(s, st->trace, n, run.values, &put_over, &d) || d.nerrors,
                      "no memory");
        no_errors();
    }
    run_free(&run);
}

/* The largest finite element of a result, at most 1: shares of long rows are far below that, and
 * any answer would be near enough to them if the bound were not of their size. */
static inline double size_of(const Tensor *t)
{
    Tensor *c = tensor_cast(t, DT_f64);
    const double *v = tensor_read(c);
    double most = 0;
    for (int64_t i = 0; i < tensor_numel(c); i++)
        most = isfinite(v[i]) && fabs(v[i]) > most ? fabs(v[i]) : most;
    tensor_unref(c);
    return most < 1 ? most : 1;
}

/* The last stage gives what the oracle gives. */
static inline void check_stage(Program *p, Stage *st, const Run *want, const char *text,
                               double tolerance)
{
    Run got;
    bool ran = session_run(s, p, st, NULL, &got, &d);
    no_errors();
    ck_assert(ran);
    for (uint32_t i = 0; i < got.noutputs; i++) {
        Tensor *w = tensor_cast(want->outputs[i], got.outputs[i]->dtype);
        bool complex = dtype_is_complex(w->dtype);
        double atol = complex ? tolerance : tolerance * size_of(w);
        Comparison c = tensor_compare(got.outputs[i], w, tolerance, atol);
        ck_assert_msg(c.equal, "%s\noutput %u: %g for %g", text, i, c.got, c.want);
        tensor_unref(w);
    }
    run_free(&got);
    check_places(p, st);
}

/* The same with the threads in either order: the kernels are compiled once. */
static inline void check_last(Program *p, const char *text, double tolerance)
{
    RunOptions oracle = {.rounding = ROUND_f64};
    Run want;
    ck_assert(session_run(s, p, program_root(p), &oracle, &want, &d));
    Stage *st = program_find_stage(s, p, S("last"), &d);
    no_errors();
    for (int turn = 0; turn < 2; turn++) {
        emu_backwards = turn;
        check_stage(p, st, &want, text, tolerance);
    }
    run_free(&want);
}

static inline void check_program(const char *text, double tolerance)
{
    Program *p = load_text(text);
    ck_assert(program_bind_random(s, p, 3, &d));
    check_last(p, text, tolerance);
    session_unload(s, p);
}

/* The texts of all kernels of the last stage of a program. */
static inline void write_kernels(const char *text, const GenTarget *target, StrBuf *out)
{
    Program *p = load_text(text);
    const Trace *t = program_find_stage(s, p, S("last"), &d)->trace;
    GenOptions o = {0};
    no_errors();
    uint32_t number = 0;
    for_top(t, n) {
        const char *executor = t->nodes[n].executor;
        Arena a = {0};
        Region r;
        GenCuda plan;
        StrBuf why = {0};
        char symbol[16];
        if (!executor || strcmp(executor, "emulated") != 0)
            continue;
        snprintf(symbol, sizeof symbol, "kernel%u", number++);
        ck_assert(gen_region(t, n, &a, &r));
        bool good = gen_cuda(&r, &o, target, 0, symbol, &plan, out, &why);
        ck_assert_msg(good, "%s", sb_cstr(&why));
        sb_putc(out, '\n');
        sb_free(&why);
        arena_free(&a);
    }
    session_unload(s, p);
}

/* Where there is NVRTC, it takes the text and spills nothing. */
static inline void check_compiles(const char *kernels, uint32_t arch, const char *name)
{
    CudaImage image;
    StrBuf why = {0}, text = {0};
    Nvrtc *n = nvrtc_open((Str){0}, &why);
    sb_puts(&text, gen_cuda_prelude());
    sb_puts(&text, kernels);
    if (!n)
        fprintf(stderr, "SKIPPED: kernels do not compile here: %s\n", sb_cstr(&why));
    else if (nvrtc_compile(n, sb_str(&text), CUDA_cubin, arch, false, (Str){0}, &image, &d)) {
        ck_assert(image.size > 0 && image.nuse > 0);
        for (uint32_t k = 0; k < image.nuse; k++) {
            ck_assert_uint_gt(image.use[k].registers, 0);
            ck_assert_msg(image.use[k].spill_stores == 0, "%s: %s spills for sm_%u", name,
                          image.use[k].name, arch);
        }
        cuda_image_free(&image);
    }
    no_errors();
    nvrtc_close(n);
    sb_free(&why);
    sb_free(&text);
}

#endif
