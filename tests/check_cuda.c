/*
 * check_cuda.c - the CUDA writer without a GPU.
 *
 * A collection of programs, one for each way of laying loops over threads. Their kernels run on the
 * CPU (cuda_emulator.h) against the oracle, with their blocks' threads in either order; their text
 * is that of the golden files; NVRTC, where there is one, compiles them for three architectures.
 */
#define _GNU_SOURCE
#include "support.h"

#include "session_fixture.h"

#include "cuda_emulator.h"
#include "nvrtc.h"

/* Without a C++ compiler there is nothing to run, and the suite says so. */
static bool no_compiler(void)
{
    bool none = access("/usr/bin/g++", X_OK) != 0;
    if (none)
        fprintf(stderr, "SKIPPED: CUDA texts do not run here: no g++\n");
    return none;
}

static void use_emulator(void)
{
    ExecList known = *session_executors(s), l;
    known.items[known.n] = &exec_emulated;
    known.on[known.n++] = true;
    ck_assert(exec_parse_list(&known, S("emulated,interp"), &l, &d));
    ck_assert(session_set_executors(s, &l));
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    ck_assert(session_set_option(s, S("fuse.products"), S("all"), &d));
}

static uint32_t put_over; /* results that were put over operands, by a test */

/* Kernels give the same bits with their results over operands. */
static void check_places(Program *p, const Stage *st)
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

/* The last stage gives what the oracle gives. */
static void check_stage(Program *p, Stage *st, const Run *want, const char *text, double tolerance)
{
    Run got;
    bool ran = session_run(s, p, st, NULL, &got, &d);
    no_errors();
    ck_assert(ran);
    for (uint32_t i = 0; i < got.noutputs; i++) {
        Tensor *w = tensor_cast(want->outputs[i], got.outputs[i]->dtype);
        Comparison c = tensor_compare(got.outputs[i], w, tolerance, tolerance);
        ck_assert_msg(c.equal, "%s\noutput %u: %g for %g", text, i, c.got, c.want);
        tensor_unref(w);
    }
    run_free(&got);
    check_places(p, st);
}

/* The same with the threads in either order: the kernels are compiled once. */
static void check_last(Program *p, const char *text, double tolerance)
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

static void check_program(const char *text, double tolerance)
{
    Program *p = load_text(text);
    ck_assert(program_bind_random(s, p, 3, &d));
    check_last(p, text, tolerance);
    session_unload(s, p);
}

/* The texts of all kernels of the last stage of a program. */
static void write_kernels(const char *text, const GenTarget *target, StrBuf *out)
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

/* What each shape of kernel must cope with: see cuda_plan.c. */
static const struct {
    const char *name, *text;
    double tolerance;
} programs[] = {
    {"map_broadcast",
     "def f(x: \"f32[33, 1024]\", y: \"f32[1024]\"):\n    return (torch.exp(x) * y + 1,)\n", 2e-5},
    {"softmax_bf16",
     "def f(x: \"bf16[64, 512]\"):\n    return (torch.softmax(x, -1),)\n", 2e-2},
    {"softmax_ragged",
     "def f(x: \"bf16[70, 300]\"):\n    return (torch.softmax(x, -1), x.amax(1))\n", 2e-2},
    {"sums",
     "def f(x: \"f32[5, 7]\"):\n    return (x.sum(1), x.mean(), x.sum(0))\n", 2e-5},
    {"columns_full",
     "def f(x: \"f32[300, 64]\", w: \"f32[64]\"):\n"
     "    m = x.mean(0)\n    return (m, (x - m) * w, x.amax(0))\n", 2e-5},
    {"columns_middle",
     "def f(x: \"bf16[3, 1000, 64]\"):\n    return (x.sum(1), torch.softmax(x, 1))\n", 2e-2},
    {"windows",
     "def f(x: \"bf16[40, 512]\", y: \"f32[37, 96]\", z: \"f32[64, 256, 3]\"):\n"
     "    a = x[:, ::2] + x[:, 1::2]\n    b = torch.flip(y, [1]) * y\n"
     "    return (a, b, torch.exp(x[:, 3::4]), z[:, :, 1] * 2, z[:, :, 2].sum(1), b.sum(1),\n"
     "            (x[1:, ::2] * x[:-1, 1::2]).sum(1), torch.flip(x, [1])[:, ::2] * 2)\n", 2e-2},
    {"windows_at_the_end",
     "def f(x: \"f32[255]\", y: \"f32[8, 60]\"):\n"
     "    return (x[::2] * 2, x[2::4] + 1, torch.flip(y[:, ::5], [1]) + 1, y[:, 4::2] * 3,\n"
     "            torch.flip(y, [0, 1])[:, 3::2] * 2)\n", 2e-5},
    {"columns_turned",
     "def f(x: \"bf16[320, 192]\", y: \"bf16[192, 320]\"):\n"
     "    return ((x.t() + y).amax(1),)\n", 2e-2},
    {"columns_turned_ragged",
     "def f(x: \"f32[3, 100, 68]\", y: \"f32[3, 68, 100]\", w: \"f32[100]\", b: \"f32[68, 1]\"):\n"
     "    return (((x.transpose(1, 2) * y + b) * w).sum(2),)\n", 2e-5},
    {"columns_turned_two_loops",
     "def f(x: \"f32[3, 100, 68]\", y: \"f32[3, 68, 100]\"):\n"
     "    return ((x.transpose(1, 2) - y).amax((0, 2)),)\n", 2e-5},
    {"columns_turned_long",
     "def f(x: \"f16[3000, 72]\", y: \"f32[72, 3000]\"):\n"
     "    return ((x.t() * y).sum(1), )\n", 2e-3},
    {"late_factors",
     "def f(x: \"f32[40, 300]\", g: \"f32[40, 300]\"):\n"
     "    r = torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-3)\n"
     "    s = (g * (x * r) * r * 3).sum(1, keepdim=True)\n    return (g - x * s, (r * r).sum())\n",
     2e-5},
    {"rows_long",
     "def f(x: \"f32[2, 100000]\"):\n    return (torch.softmax(x, 1), x.sum(1))\n", 2e-5},
    {"sums_long",
     "def f(x: \"f32[100000]\"):\n    return (x.sum(), x.var(), (x > 0).any())\n", 2e-5},
    {"draws",
     "def f(x: \"f32[37, 300]\"):\n"
     "    a = torch.rand(37, 300, dtype=torch.float16) * 2\n"
     "    b = torch.empty(37, 300, dtype=torch.bfloat16).uniform_(-1, 3) * 2\n"
     "    i = torch.randint(-3, 90, (37, 300)) * 2\n"
     "    e = torch.rand(5, 9, dtype=torch.float64) + 1\n"
     "    return (torch.randn(37, 300) * x, a, b, i, e, torch.randn(300, dtype=torch.float16))\n",
     1e-7},
    {"scan_rows",
     "def f(x: \"f32[5, 3000]\", y: \"bf16[3, 777]\"):\n"
     "    return (x.cumsum(1), y.cumprod(-1), x.cummax(1)[0], x.cummin(1)[1])\n", 2e-2},
    {"scan_columns",
     "def f(x: \"f32[300, 40]\", y: \"i32[2, 70, 9]\"):\n"
     "    a, b = torch.cummax(y, 1)\n    return (x.cumsum(0), a, b, x.cumprod(1))\n", 2e-5},
    {"scan_long",
     "def f(x: \"f32[3, 40000]\", y: \"f16[70000]\"):\n"
     "    return (x.cumsum(1), y.cummin(0)[1], y.cummin(0)[0])\n", 2e-5},
    {"scan_longest", "def f(x: \"f32[1200000]\"):\n    return (x.cumsum(0),)\n", 2e-5},
    {"scan_turned",
     "def f(x: \"f32[6, 500]\", y: \"f32[500, 6]\"):\n"
     "    a = torch.flip(torch.cumsum(torch.flip(x, [1]), 1), [1])\n"
     "    return (a, torch.flip(torch.cumsum(torch.flip(y, [0]), 0), [0]))\n", 2e-5},
    {"sorted",
     "def f(x: \"f32[5, 300]\", y: \"bf16[70, 9]\", z: \"i32[3, 64]\"):\n"
     "    a, b = torch.sort(x, 1, descending=True)\n"
     "    c, e = torch.sort(y, dim=0, stable=True)\n"
     "    return (a, b, c, e, torch.argsort(z % 5, 1, stable=True))\n", 0},
    {"sorted_long",
     "def f(x: \"f32[2, 9000]\", y: \"i64[17000]\", z: \"f16[4100, 2]\"):\n"
     "    a, b = torch.sort(x, 1)\n"
     "    c, e = torch.sort(y % 100, 0, descending=True)\n"
     "    g, h = torch.sort(z, dim=0, stable=True)\n"
     "    return (a, b, c, e, g, h, torch.sort(torch.log(x), 1, descending=True)[1])\n", 0},
    {"largest",
     "def f(x: \"f32[3, 50]\", y: \"f32[2, 9001]\", z: \"bf16[6000, 3]\", w: \"f32[1, 40000]\"):\n"
     "    a, b = torch.topk(x, 7)\n"
     "    c, e = torch.topk(torch.log(y), 50, largest=True)\n"
     "    g = torch.topk(z, 5, 0, largest=False)[0]\n"
     "    h, i = torch.topk(w, 1000, -1)\n"
     "    j, k = torch.topk(y, 2000)[1], torch.topk(y, 9001, largest=False)[0]\n"
     "    return (a, b, c, g, h, i, j, k)\n",
     0},
    {"kth",
     "def f(x: \"f32[5, 301]\", y: \"f64[9000, 2]\", z: \"i32[3, 5000]\"):\n"
     "    a, b = torch.kthvalue(x, 17)\n"
     "    c, e = torch.kthvalue(y, 8000, 0)\n"
     "    g, h = torch.median(y, 0)\n"
     "    return (a, b, c, e, g, h, torch.kthvalue(z, 900, 1, True)[0], torch.median(x))\n", 0},
    {"summed",
     "def f(a: \"f32[5, 7, 3]\", i: \"i64[40]\", v: \"f32[5, 40, 3]\", g: \"bf16[300, 16]\",\n"
     "      k: \"i64[9, 50]\", w: \"f32[9, 50]\", b: \"f32[20, 50]\", z: \"f32[4, 3]\",\n"
     "      n: \"i64[9000]\", o: \"f32[9000, 3]\", x: \"f32[300, 8]\", y: \"f32[6, 5, 8]\"):\n"
     "    j = n[:300] % 30\n"
     "    c = torch.index_add(a, 1, i % 7, v)\n"
     "    e = torch.ops.aten.embedding_dense_backward(g, j, 30, 3, False)\n"
     "    h = torch.scatter_add(b, 0, k % 20, w)\n"
     "    p = torch.index_put(y, (j % 6, j // 6), x, True)\n"
     "    return (c, e, h, p, torch.index_add(z, 0, n % 4, o))\n", 2e-2},
    {"places",
     "def f(x: \"f32[37, 300]\", y: \"bf16[70, 64]\"):\n"
     "    return (x.argmax(1), (x * 2).argmin(-1), y.argmax(0), x.amax(1), y.argmin())\n", 0},
    {"places_long",
     "def f(x: \"f32[3, 70000]\", y: \"i32[100000]\"):\n"
     "    return (x.argmax(1), y.argmax(), torch.softmax(x, 1).argmax(1))\n", 0},
    {"places_equal",
     "def f(x: \"f32[9000, 8]\"):\n    a = torch.round(x * 2)\n    b = x * 0 - float('inf')\n"
     "    c = torch.where(x > 3, float('nan'), x)\n"
     "    return (a.argmax(0), a.argmin(0), b.argmax(0), c.argmin(0), a.argmax(), b.argmax(),\n"
     "            c.argmax(), a.amax(0))\n", 0},
    {"mean_stored",
     "def f(x: \"f32[300, 256]\", y: \"f32[300, 256]\", c: \"f32[]\"):\n"
     "    t = torch.tanh(x)\n    e = t - y\n    g = e * (c / 38400)\n"
     "    return ((e * e).mean(), g, g * (1 - t * t))\n", 2e-5},
    {"f8_scaled",
     "def f(x: \"bf16[33, 1024]\", s: \"f32[]\"):\n"
     "    return ((x * s).to(torch.float8_e4m3fn), (x * s).to(torch.float8_e5m2))\n", 0.15},
    {"f8_read",
     "def f(x: \"f8_e4m3fn[64, 512]\", y: \"f8_e5m2[64, 512]\"):\n"
     "    a = x.to(torch.bfloat16) + y.to(torch.bfloat16)\n    return (a, a.amax(1), a.t() * 2)\n",
     2e-2},
    {"layer_norm_f16",
     "def f(x: \"f16[4, 5000]\"):\n"
     "    return (torch.nn.functional.layer_norm(x, (5000,)),)\n", 2e-2},
    {"moves",
     "def f(x: \"f32[6, 8]\"):\n    a = x.t() * 2\n    b = a.reshape(4, 12) + 1\n"
     "    c = torch.flip(x[1:5, ::2], (1,)) - 1\n    return (a, b, c)\n", 2e-5},
    {"integers",
     "def f(x: \"i64[5, 4]\", y: \"i64[4]\"):\n    a = x * 3 - y\n    b = a // 7\n"
     "    c = torch.maximum(a, y).sum(0)\n    return (a, b, c, (a > 2) & (y < 3))\n", 0},
    {"bytes",
     "def f(x: \"u8[40]\"):\n    a = x + 250\n    return (a, -a, a.sum(), ~a)\n", 0},
    {"narrow_integers",
     "def f(x: \"u8[40]\", y: \"i16[3, 70]\", z: \"b8[5, 6]\", w: \"i8[64, 3]\"):\n"
     "    return (x.amax(), y.amin(1), z.amax(1), w.amax(0), z.any(0), y.amax(0))\n", 0},
    {"both_and_middle",
     "def f(x: \"f32[2, 300, 40]\"):\n    m = x.mean((0, 2), keepdim=True)\n"
     "    return (x - m, m, x.amax((0, 1)), x.sum())\n", 2e-5},
    {"nan",
     "def f(x: \"f32[3, 4]\"):\n    n = x / 0\n"
     "    return (torch.maximum(n - n, x), n.amax(1))\n", 2e-5},
    {"f64",
     "def f(x: \"f64[9, 130]\", y: \"f64[130, 9]\"):\n"
     "    return (x + y.t(), torch.softmax(x, 0).sum(1))\n", 1e-12},
    {"empty",
     "def f(x: \"f32[]\", y: \"f32[0, 4]\"):\n    return (x * 2, y + 1, y.sum(0))\n", 2e-5},
    {"empty_rows",
     "def f(x: \"f32[0, 5]\", y: \"f32[5, 0]\"):\n    a = x * x.sum(1, True)\n"
     "    b = y * y.sum(0, True)\n"
     "    return (a, a.sum(0), torch.prod(a + 1, 0), b, b.sum(1), y.sum(0))\n", 2e-5},
    {"cat_pad_random",
     "def f(x: \"f32[6, 48]\", c: \"f32[48]\"):\n    a, b = torch.split(x, 24, -1)\n"
     "    r = torch.cat((-b, a), -1)\n    p = torch.nn.functional.pad(x, (2, 3, 1, 0), value=2.0)\n"
     "    return (x * c + r * c, p * 2, torch.nn.functional.dropout(x, 0.4, True) + 1)\n", 2e-5},
    {"columns_long",
     "def f(x: \"f32[8192, 128]\"):\n    return (x.sum(0), x.var(0), x * 2)\n", 2e-5},
    {"gather_scatter",
     "def f(x: \"f32[6, 50]\"):\n    i = torch.argmax(x, 1, keepdim=True)\n"
     "    return (torch.gather(torch.log_softmax(x, 1), 1, (i + 3) % 50),\n"
     "            torch.scatter_add(x * 2, 1, i, i * 0.5), torch.scatter(x, 1, i, 3.0))\n", 2e-5},
    {"embedding",
     "def f(w: \"f32[7, 24]\", x: \"f32[5, 9]\"):\n    i = torch.argmax(x, 1)\n"
     "    a = torch.nn.functional.embedding(i % 7, w)\n"
     "    return (a * 2, torch.index_select(w, 0, i % 7) + 1, torch.index_select(w, 1, i))\n",
     2e-5},
    {"cross_entropy",
     "def f(x: \"bf16[40, 1000]\", t: \"f32[40]\"):\n    i = (t.abs() * 100).to(torch.int64)\n"
     "    return (torch.nn.functional.cross_entropy(x.float(), i % 1000, reduction='none'),)\n",
     2e-2},
    {"norm_backward",
     "def f(x: \"bf16[70, 1024]\", g: \"bf16[70, 1024]\", w: \"bf16[1024]\"):\n"
     "    a = x.float() - x.float().mean(1, keepdim=True)\n    b = g.float() * w\n"
     "    c = b - (b * a).sum(1, keepdim=True) / 1024 * a\n"
     "    return (c.to(torch.bfloat16), (g * a).sum(0), g.float().sum(0), (a * a).amax(0))\n",
     3e-2},
    {"across_small",
     "def f(x: \"f32[300, 30]\"):\n    return (x.sum(1), x.sum(0), torch.softmax(x, 1))\n", 2e-5},
    {"across_square",
     "def f(x: \"f32[64, 64]\"):\n    a = torch.softmax(x, 1)\n"
     "    return (a.sum(0), x.amax(1), a * 2)\n", 2e-5},
    {"across_three",
     "def f(x: \"f32[3, 40, 77]\"):\n    a = x - x.mean(2, keepdim=True)\n"
     "    return (a, a.sum((0, 1)), a.abs().amax((0, 1)))\n", 2e-5},
    {"wholes_of_rows",
     "def f(x: \"bf16[70, 512]\", t: \"bf16[70, 512]\", w: \"bf16[512]\"):\n"
     "    n = torch.nn.functional.layer_norm(x.float(), (512,), w.float())\n    d = n - t\n"
     "    m = (d * d).mean()\n"
     "    return (n, m * 2 + 1, d.abs().amax(), (d * n).sum(0), d.sum(1))\n",
     3e-2},
    {"wholes_of_columns",
     "def f(x: \"f32[200, 72]\"):\n    m = x.mean(0)\n    d = x - m\n"
     "    return (d, (d * d).sum(), m.amin(), (m > 0).any())\n", 2e-5},
    {"wholes_of_shared_rows",
     "def f(x: \"f32[3, 70000]\"):\n    e = torch.logsumexp(x, 1)\n"
     "    return (e, e.mean(), torch.softmax(x, 1), torch.amax(x))\n", 2e-5},
    {"transpose_bf16",
     "def f(x: \"bf16[200, 136]\", y: \"bf16[136, 200]\", b: \"bf16[200]\"):\n"
     "    return ((x.t() + y) * b,)\n", 2e-2},
    {"transpose_heads",
     "def f(x: \"f32[2, 3, 70, 64]\"):\n    return (x.transpose(1, 3).reshape(128, 210) + 1,)\n",
     2e-5},
    {"rms_backward_square",
     "def f(g: \"bf16[64, 64]\", x: \"bf16[64, 64]\", w: \"bf16[64]\"):\n"
     "    d = g.float() * w.float()\n"
     "    return ((g.float() * x.float()).sum(0), (d * x.float()).sum(1, keepdim=True), d + 1)\n",
     3e-2},
    {"transpose_ragged",
     "def f(x: \"f32[45, 77]\", y: \"f32[77, 45]\"):\n    return (x.t() * y, x.t() - 1)\n", 2e-5},
    {"rotate_half",
     "def f(x: \"bf16[3, 20, 128]\", c: \"bf16[20, 128]\"):\n"
     "    a, b = x[..., :64], x[..., 64:]\n    r = torch.cat((-b, a), -1)\n"
     "    p = torch.nn.functional.pad(x[..., 32:96], (16, 48))\n"
     "    return (x * c + r, p + c, (r * c).float().sum(0), p.reshape(60, 128).float().sum(0))\n",
     3e-2},
    {"unread_reduction",
     "def f(x: \"f32[10, 5]\", s: \"f32[5, 5]\"):\n    i = (s.abs() * 3).to(torch.int64) % 10\n"
     "    return (torch.scatter_reduce(x, 0, i, s, 'amin', include_self=True),)\n", 2e-5},
    {"columns_last",
     "def f(x: \"f32[4096, 136]\"):\n    return (x.sum(0), x.amax(0), x * 2)\n", 2e-5},
    {"angles",
     "def f(x: \"f32[8]\"):\n    a = torch.arange(40000) * 2.625 - 52000.0\n"
     "    b = torch.arange(40000) * 0.000244140625 - 4.875\n"
     "    return (torch.sin(a), torch.cos(a), torch.sin(b), torch.cos(b), torch.sin(x * 0))\n",
     2.4e-7},
    {"error_function",
     "def f(x: \"f32[8]\"):\n    a = torch.arange(40000) * 0.000244140625 - 4.875\n"
     "    b = torch.arange(64) * 0.5 - 16.0\n"
     "    return (torch.erf(a), torch.erf(b), torch.erf(a * 0.000244140625), torch.erf(x / 0))\n",
     2.4e-7},
    {"rotate_backward",
     "def f(g: \"bf16[3, 20, 128]\", c: \"bf16[20, 128]\", n: \"bf16[20, 128]\"):\n"
     "    h = g * n\n    a, b = h[..., :64], h[..., 64:]\n"
     "    p = torch.nn.functional.pad(-a, (64, 0)) + torch.nn.functional.pad(b, (0, 64))\n"
     "    return (g * c + p, h.float().sum((0, 1)))\n",
     3e-2},
    {"one_hot",
     "def f(x: \"f32[20, 33]\", t: \"f32[20]\"):\n"
     "    i = (t.abs() * 20).to(torch.int64).unsqueeze(1) - 5\n"
     "    h = torch.where(i == torch.arange(33).unsqueeze(0), t.unsqueeze(1), 0.0)\n"
     "    return (h.sum(1), h - torch.exp(x) * h.sum(1, keepdim=True), x.amax(1))\n", 2e-5},
    {"scatter_sum",
     "def f(x: \"f32[20, 33]\", t: \"f32[20]\"):\n"
     "    i = (t.abs() * 7).to(torch.int64).unsqueeze(1) % 33\n"
     "    a = torch.scatter_add(torch.zeros_like(x), 1, i, t.unsqueeze(1))\n"
     "    return (a.sum(1), a - torch.exp(x) * a.sum(1, keepdim=True), x.amax(1))\n", 2e-5},
    {"heads",
     "def f(x: \"bf16[2, 4, 64, 32]\"):\n"
     "    return (x.transpose(1, 2).reshape(2, 64, 128) * 2,)\n", 2e-2},
    {"rows_shared_by_blocks",
     "def f(x: \"f32[2, 70001]\"):\n"
     "    return (x.sum(1), x.amax(1) - x.amin(1), (x > 9).any(1))\n", 2e-5},
    {"copies",
     "def f(x: \"bf16[200, 136]\", y: \"f32[3, 20, 4, 64]\", z: \"u8[45, 77]\"):\n"
     "    return (x.t().contiguous(), y.permute(0, 2, 1, 3).contiguous(),\n"
     "            z.t().contiguous())\n", 0},
    {"chain_mlp",
     "def f(x: \"f32[5, 64]\", a: \"f32[64, 64]\", b: \"f32[64]\", c: \"f32[64, 64]\"):\n"
     "    h = torch.nn.functional.linear(x, a, b)\n"
     "    h = torch.nn.functional.gelu(h, approximate='tanh')\n"
     "    h = torch.nn.functional.linear(h, c, b)\n"
     "    return (torch.nn.functional.gelu(h, approximate='tanh'),)\n",
     2e-5},
    {"chain_residuals",
     "def f(x: \"f32[2, 150, 32]\", a: \"f32[200, 32]\", b: \"f32[32, 200]\", c: \"f32[32]\",\n"
     "      e: \"f32[2, 150, 10]\", g: \"f32[10, 32]\"):\n"
     "    h = torch.relu(torch.nn.functional.linear(x * 0.02, a))\n"
     "    y = x + torch.nn.functional.linear(h, b, c)\n"
     "    z = torch.tanh(torch.nn.functional.linear(y, g)) * e + e.reshape(-1)[0]\n"
     "    return (y, z, h * 2)\n", 2e-5},
    {"chain_columns_bf16",
     "def f(x: \"bf16[7, 40]\", a: \"bf16[40, 72]\", b: \"bf16[72]\", c: \"bf16[72, 24]\"):\n"
     "    h = torch.nn.functional.silu(torch.matmul(x * 0.1, a) + b)\n"
     "    y = torch.matmul(h, c * 0.1)\n"
     "    return (torch.where(y > 0, y, y * y), h)\n", 3e-2},
    {"band_bf16",
     "def f(x: \"bf16[2, 20, 528]\", w: \"bf16[130, 528]\", b: \"bf16[130]\",\n"
     "      r: \"bf16[2, 20, 130]\"):\n"
     "    y = torch.nn.functional.linear(x * 0.02, w, b)\n"
     "    return (r + y, torch.nn.functional.gelu(y, approximate='tanh'))\n", 3e-2},
    {"band_long",
     "def f(x: \"f16[12, 3200]\", w: \"f16[64, 3200]\"):\n"
     "    return (torch.relu(torch.nn.functional.linear(x * 0.02, w)),)\n", 3e-2},
    {"strip_bf16",
     "def f(x: \"bf16[2, 25, 288]\", w: \"bf16[108, 288]\", b: \"bf16[108]\",\n"
     "      r: \"bf16[2, 25, 108]\"):\n"
     "    y = torch.nn.functional.linear(x * 0.02, w, b)\n"
     "    return (r + y, torch.nn.functional.gelu(y, approximate='tanh'))\n", 3e-2},
    {"strip_long",
     "def f(x: \"f16[33, 2080]\", w: \"f16[96, 2080]\", r: \"f16[33, 96]\"):\n"
     "    return (r + torch.nn.functional.linear(x * 0.02, w),)\n", 3e-2},
    {"strip_goes_on",
     "def f(x: \"bf16[40, 288]\", w: \"bf16[4603, 288]\", b: \"bf16[4603]\"):\n"
     "    return (torch.nn.functional.linear(x * 0.1, w, b),)\n", 3e-2},
    {"panel_norm",
     "def f(x: \"bf16[2, 21, 256]\", g: \"bf16[256]\", c: \"bf16[256]\", w: \"bf16[200, 256]\",\n"
     "      b: \"bf16[200]\"):\n"
     "    h = torch.nn.functional.layer_norm(x, (256,), g, c)\n"
     "    y = torch.nn.functional.linear(h * 0.1, w, b)\n"
     "    return (torch.nn.functional.gelu(y, approximate='tanh'), x + 1)\n", 3e-2},
    {"panel_rms",
     "def f(x: \"f16[50, 320]\", r: \"f16[50, 320]\", g: \"f16[320]\", w: \"f16[72, 320]\",\n"
     "      y: \"f16[50, 72]\"):\n"
     "    h = (x + r).float()\n"
     "    h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6)\n"
     "    return (y + torch.nn.functional.linear(g * h.to(torch.float16) * 0.1, w),)\n", 3e-2},
    {"panel_goes_on",
     "def f(x: \"bf16[40, 256]\", g: \"bf16[256]\", w: \"bf16[5003, 256]\", b: \"bf16[5003]\"):\n"
     "    h = torch.nn.functional.layer_norm(x, (256,), g)\n"
     "    return (torch.nn.functional.linear(h * 0.1, w, b),)\n", 3e-2},
    {"panel_softmax",
     "def f(x: \"bf16[9, 48]\", w: \"bf16[18, 48]\"):\n"
     "    return (torch.nn.functional.linear(torch.softmax(x, -1), w),)\n", 3e-2},
    {"skinny_bf16",
     "def f(x: \"bf16[1, 4096]\", w: \"bf16[70, 4096]\"):\n"
     "    return (torch.nn.functional.silu(torch.nn.functional.linear(x * 0.02, w)),)\n", 3e-2},
    {"skinny_rows",
     "def f(x: \"f32[5, 520]\", w: \"f32[37, 520]\", b: \"f32[37]\", r: \"f32[5, 37]\"):\n"
     "    y = torch.nn.functional.linear(x * 0.02, w, b)\n"
     "    return (torch.nn.functional.gelu(y) + r, y)\n", 2e-5},
    {"skinny_wide",
     "def f(x: \"f16[2, 1, 72]\", w: \"f16[3000, 72]\", b: \"f16[3000]\"):\n"
     "    return (torch.nn.functional.linear(x * 0.1, w, b),)\n", 3e-2},
    {"chain_wide",
     "def f(x: \"f16[3, 512]\", a: \"f16[300, 512]\", b: \"f16[512, 304]\", c: \"f16[300, 4]\"):\n"
     "    h = torch.sigmoid(torch.nn.functional.linear(x, a * 0.1))\n"
     "    g = torch.nn.functional.pad(h, (0, 4))\n"
     "    y = torch.nn.functional.linear(g, b * 0.1).float() ** 3\n"
     "    return (y, torch.matmul(h, c))\n", 3e-2},
};

START_TEST(kernels_give_what_the_oracle_gives)
{
    use_emulator();
    emu_schedule = 0;
    if (no_compiler())
        return;
    check_program(programs[_i].text, programs[_i].tolerance);
}
END_TEST

START_TEST(any_schedule_gives_what_the_oracle_gives)
{
    static const char *const names[] = {"map_broadcast", "softmax_bf16", "softmax_ragged",
                                        "norm_backward", "columns_last"};
    use_emulator();
    if (no_compiler())
        return;
    emu_schedule = (uint32_t)_i;
    for (uint32_t i = 0; i < ARRAY_LEN(programs); i++)
        for (uint32_t k = 0; k < ARRAY_LEN(names); k++)
            if (strcmp(programs[i].name, names[k]) == 0)
                check_program(programs[i].text, programs[i].tolerance);
    emu_schedule = 0;
}
END_TEST

/* Rows that fit nowhere: their maximum and the sum of what is in terms of it take one pass. */
START_TEST(softmax_of_long_rows_reads_them_twice)
{
    static const char *const texts[] = {
        "def f(x: \"f32[4, 40000]\"):\n"
        "    return (torch.softmax(x * 9, 1), x.amax(1))\n",
        "def f(x: \"f32[4, 40000]\"):\n    y = x.masked_fill(x < 2.5, float('-inf'))\n"
        "    return (torch.log_softmax(y, 1).amax(1), torch.softmax(y, 1))\n",
        "def f(x: \"f32[4, 40000]\"):\n"
        "    return (torch.nn.functional.cross_entropy(x, torch.arange(4), reduction='none'),)\n",
    };
    GenTarget whole = emu_target;
    use_emulator();
    if (no_compiler())
        return;
    emu_target.sms = 2;
    emu_target.shared_max = 4096;
    for (uint32_t i = 0; i < ARRAY_LEN(texts); i++)
        check_program(texts[i], 2e-5);
    StrBuf text = {0};
    write_kernels(texts[0], &emu_target, &text);
    ck_contains(sb_cstr(&text), "own");
    sb_free(&text);
    emu_target = whole;
}
END_TEST

/* The same for variances: of rows, of columns, of rows and columns that several blocks share. The
 * means are far from 0; a thread may have nothing; an infinity is the mean's, and no variance. */
START_TEST(variances_of_long_rows_take_one_pass)
{
    static const struct {
        const char *text;
        uint32_t sms;
        int64_t l2;
    } cases[] = {
        {"def f(x: \"f32[4, 40000]\", w: \"f32[40000]\"):\n"
         "    return (torch.nn.functional.layer_norm(x * 0.1 + 3, (40000,), w), x.amax(1))\n",
         2, 50 << 20},
        {"def f(x: \"f32[4, 40001]\"):\n"
         "    a, b = torch.var_mean(x * 0.1 - 30, 1)\n    return (a, b, x.sum(1))\n", 2, 50 << 20},
        {"def f(x: \"f32[3, 40000]\"):\n    a, b = torch.var_mean(x * 0.1 + 30, 1)\n"
         "    return ((x - b.unsqueeze(1)) * a.unsqueeze(1), b)\n", 64, 50 << 20},
        {"def f(x: \"f32[20000, 24]\"):\n    a, b = torch.var_mean(x * 0.1 + 30, 0)\n"
         "    return (a, b, (x - b) / a)\n", 2, 50 << 20},
        {"def f(x: \"f32[5000, 96]\"):\n    a, b = torch.var_mean(x * 0.1 + 30, 0)\n"
         "    return (a, (x - b) / a, torch.softmax(x, 0))\n", 4, 1 << 20},
        {"def f(x: \"f32[4, 40000]\"):\n    y = torch.where(x > 3, float('inf'), x)\n"
         "    a, b = torch.var_mean(y, 1)\n    return (a.isnan(), b)\n", 2, 50 << 20},
    };
    GenTarget whole = emu_target;
    use_emulator();
    if (no_compiler())
        return;
    emu_target.shared_max = 4096;
    emu_target.sms = cases[_i].sms;
    emu_target.l2 = cases[_i].l2;
    check_program(cases[_i].text, 2e-5);
    StrBuf text = {0};
    write_kernels(cases[_i].text, &emu_target, &text);
    ck_contains(sb_cstr(&text), "first");
    sb_free(&text);
    emu_target = whole;
}
END_TEST

/* Rows so short that a thread has several under way, columns so short that it has all of one. */
START_TEST(short_rows_and_columns)
{
    static const char *const texts[] = {
        "def f(x: \"bf16[4096, 8]\", w: \"bf16[8]\"):\n"
        "    return (torch.softmax(x, 1), (x * w).float().sum(1))\n",
        "def f(x: \"f32[1024, 24]\"):\n    return (torch.nn.functional.layer_norm(x, (24,)),)\n",
        "def f(x: \"bf16[4, 20000]\"):\n    return (x.float().sum(0), x.amax(0))\n",
    };
    static const char *const shows[] = {"int n = 0", "int n = 0", "fold_columns<Sum, 128, 1, 8>"};
    GenTarget whole = emu_target;
    use_emulator();
    if (no_compiler())
        return;
    emu_target.sms = 1;
    check_program(texts[_i], 2e-2);
    StrBuf text = {0};
    write_kernels(texts[_i], &emu_target, &text);
    ck_contains(sb_cstr(&text), shows[_i]);
    sb_free(&text);
    emu_target = whole;
}
END_TEST

/* Where there is NVRTC, it takes the text and spills nothing. */
static void check_compiles(const char *kernels, uint32_t arch, const char *name)
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

/* Rows that the shared memory of a few blocks holds together are read once. */
START_TEST(blocks_of_a_cluster_share_rows)
{
    static const struct {
        const char *text;
        int64_t shared_max;
        const char *cluster;
    } cases[] = {
        {"def f(x: \"f32[4, 20000]\", w: \"f32[20000]\"):\n"
         "    return (torch.nn.functional.layer_norm(x * 0.1 + 3, (20000,), w), x.amax(1))\n",
         28 << 10, "__cluster_dims__(8, 1, 1)"},
        {"def f(x: \"bf16[3, 40001]\"):\n"
         "    return (torch.softmax(x.float(), 1), (x > 4).any(1), x.float().sum(1))\n", 48 << 10,
         "__cluster_dims__(4, 1, 1)"},
        {"def f(x: \"f64[4, 12000]\"):\n    return (x - x.mean(1, keepdim=True), x.prod(1))\n",
         94 << 10, "__cluster_dims__(4, 1, 1)"},
    };
    GenTarget whole = emu_target;
    use_emulator();
    if (no_compiler())
        return;
    emu_target.shared_max = cases[_i].shared_max;
    emu_target.sms = 4;
    check_program(cases[_i].text, 2e-5);
    StrBuf text = {0};
    write_kernels(cases[_i].text, &emu_target, &text);
    ck_contains(sb_cstr(&text), cases[_i].cluster);
    check_compiles(sb_cstr(&text), 90, cases[_i].cluster);
    check_compiles(sb_cstr(&text), 100, cases[_i].cluster);
    sb_clear(&text);
    emu_target.arch = 80; /* has no clusters */
    write_kernels(cases[_i].text, &emu_target, &text);
    ck_assert(!strstr(sb_cstr(&text), "cluster"));
    sb_free(&text);
    emu_target = whole;
}
END_TEST

/* Rows with folds across them: a warp a row, a block a row, two rows that share barriers, and what
 * does not come in chunks. */
START_TEST(rows_come_through_a_ring)
{
    static const struct {
        const char *text;
        bool ring, two;
    } cases[] = {
        {"def f(x: \"bf16[211, 520]\", g: \"bf16[211, 520]\", w: \"bf16[520]\"):\n"
         "    b = g.float() * w\n    m = (b * x).sum(1, keepdim=True) / 520\n"
         "    return ((b - m * x).to(torch.bfloat16), (g.float() * x).sum(0), g.float().sum(0))\n",
         true, false},
        {"def f(x: \"f32[151, 3000]\", g: \"bf16[151, 3000]\"):\n"
         "    m = (g.float() * x).sum(1, keepdim=True) / 3000\n"
         "    return (g - m * x, (g * x).sum(0), x.amax(0))\n", true, false},
        {"def f(x: \"f32[150, 301]\"):\n"
         "    return (x - x.mean(1, keepdim=True), x.sum(0))\n", false, false},
        {"def f(x: \"bf16[50, 1040]\", g: \"bf16[50, 1040]\", w: \"bf16[1040]\"):\n"
         "    b = g.float() * w\n    m = (b * x).sum(1, keepdim=True) / 1040\n"
         "    return ((b - m * x).to(torch.bfloat16), (g.float() * x).sum(0), m.sum())\n",
         true, true},
        {"def f(x: \"f32[6, 8, 520]\", g: \"f32[6, 8, 520]\", w: \"f32[520]\"):\n"
         "    d = x - x.mean(2, keepdim=True)\n    v = (d * d).mean(2, keepdim=True) + 1e-5\n"
         "    n = d * torch.rsqrt(v)\n    b = g * w\n"
         "    return (n * w, b - (b * n).mean(2, keepdim=True), v, (g * n).sum((0, 1)),\n"
         "            n.abs().amax((0, 1)))\n", true, true},
    };
    GenTarget whole = emu_target;
    use_emulator();
    if (no_compiler())
        return;
    emu_target.sms = 1;
    check_program(cases[_i].text, 3e-2);
    StrBuf text = {0};
    write_kernels(cases[_i].text, &emu_target, &text);
    ck_assert_msg((strstr(sb_cstr(&text), "groups_done") != NULL) == cases[_i].ring, "%s",
                  sb_cstr(&text));
    bool two = strstr(sb_cstr(&text), "for (int r = 0; r < 2; r++)") != NULL;
    ck_assert(two == cases[_i].two);
    sb_free(&text);
    emu_target = whole;
}
END_TEST

/* An input that is larger than the cache and is folded in one pass does not push out what is there;
 * one whose results have its size, or that is read again, is read as ever. */
START_TEST(what_is_folded_in_one_pass_leaves_the_cache_first)
{
    static const struct {
        const char *text;
        int64_t l2;
        bool once;
    } cases[] = {
        {"def f(x: \"f32[512, 64]\"):\n    return (x.sum(0),)\n", 1 << 14, true},
        {"def f(x: \"bf16[64, 512]\", y: \"f32[512]\"):\n    return ((x * y).amax(1),)\n", 1 << 14,
         true},
        {"def f(x: \"f32[512, 64]\"):\n    return (x.sum(0),)\n", 50 << 20, false},
        {"def f(x: \"f32[512, 64]\"):\n    return (x.sum(0), x + 1)\n", 1 << 14, false},
        {"def f(x: \"f32[512, 64]\"):\n    return (((x - x.mean(0)) ** 4).sum(0),)\n", 1 << 14,
         false},
    };
    GenTarget whole = emu_target;
    use_emulator();
    if (no_compiler())
        return;
    emu_target.l2 = cases[_i].l2;
    check_program(cases[_i].text, 2e-5);
    StrBuf text = {0};
    write_kernels(cases[_i].text, &emu_target, &text);
    ck_assert_msg((strstr(sb_cstr(&text), "load_passing<") != NULL) == cases[_i].once, "%s",
                  sb_cstr(&text));
    sb_free(&text);
    emu_target = whole;
}
END_TEST

/* Pieces that become whole again, what they are pieces of, and a view of a result. */
START_TEST(any_fuel_of_fuse_gives_a_right_program)
{
    const char *text =
        "def f(g: \"f32[2, 6, 32]\", n: \"f32[6, 32]\"):\n"
        "    h = g * n\n    a, b = h[..., :16], h[..., 16:]\n"
        "    y = torch.nn.functional.pad(-a, (16, 0)) + torch.cat((b * 2, a), -1) + g\n"
        "    return (y, torch.matmul(y.reshape(12, 32), n.t()), h.sum((0, 1)))\n";
    use_emulator();
    if (no_compiler())
        return;
    Program *p = load_text(text);
    ck_assert(program_bind_random(s, p, 3, &d));
    int slot = program_find_slot(p, S("fuse"));
    ck_assert_int_ge(slot, 0);
    for (uint64_t fuel = (uint64_t)_i * 3; fuel < ((uint64_t)_i + 1) * 3; fuel++) {
        ck_assert(program_slot_fuel(s, p, (uint32_t)slot, fuel, &d));
        check_last(p, text, 2e-5);
    }
}
END_TEST

/* Right in every schedule, also then: rows that wait in registers, in shared memory and nowhere,
 * rows with sums across them, columns, chunks of rows, tiles. */
static const char *const in_place[] = {
    "def f(x: \"bf16[70, 300]\"):\n    return (torch.softmax(x, -1), x.amax(1))\n",
    "def f(g: \"f32[300, 32]\", x: \"f32[300, 32]\"):\n"
    "    h = g - (g * x).sum(1, keepdim=True) * x\n    return (h, (h * x).sum(0))\n",
    "def f(x: \"f32[300, 64]\", w: \"f32[64]\"):\n    return ((x - x.mean(0)) * w,)\n",
    "def f(x: \"f32[45, 77]\", y: \"f32[77, 45]\", b: \"f32[45]\"):\n"
    "    return (x.t() * y + b,)\n",
    "def f(x: \"bf16[70, 300]\", i: \"i64[70, 1]\"):\n    p = torch.softmax(x, -1)\n"
    "    return (p, torch.gather(x - x.amax(1, keepdim=True), 1, i) * 2)\n",
    "def f(x: \"f32[3, 20000]\", i: \"i64[3, 1]\"):\n    p = torch.softmax(x, -1)\n"
    "    return (p, torch.gather(x - x.amax(1, keepdim=True), 1, i) * 2)\n",
};

START_TEST(results_lie_over_operands_in_every_schedule)
{
    use_emulator();
    if (no_compiler())
        return;
    for (emu_schedule = 0; emu_schedule < 7; emu_schedule++) {
        Program *p = load_text(in_place[_i]);
        ck_assert(program_bind_random(s, p, 3, &d));
        put_over = 0;
        check_last(p, in_place[_i], 3e-2);
        ck_assert_uint_gt(put_over, 0);
        session_unload(s, p);
    }
    emu_schedule = 0;
}
END_TEST

START_TEST(kernels_compile_for_three_architectures)
{
    static const GenTarget targets[] = {
        {80, 108, 40 << 20, 163 << 10}, {90, 132, 50 << 20, 227 << 10},
        {100, 148, 126 << 20, 227 << 10},
    };
    StrBuf kernels = {0};
    use_emulator();
    for (uint32_t i = 0; i < ARRAY_LEN(programs); i++) {
        sb_clear(&kernels);
        write_kernels(programs[i].text, &targets[_i], &kernels);
        ck_assert_msg(kernels.n > 0, "%s has no kernel", programs[i].name);
        check_compiles(sb_cstr(&kernels), targets[_i].arch, programs[i].name);
    }
    sb_free(&kernels);
}
END_TEST

/* A product on the way to an element number may need more bits than the number. */
START_TEST(steps_of_element_numbers_fit_their_type)
{
    static const GenTarget target = {90, 132, 50 << 20, 227 << 10};
    static const char *const shapes[] = {"1, 32, 4096, 128", "1, 4, 64, 32"};
    for (uint32_t i = 0; i < 2; i++) {
        StrBuf text = {0}, program = {0};
        sb_printf(&program,
                  "def f(x: \"bf16[%s]\"):\n    return (x.transpose(1, 2).reshape(-1) * 2,)\n",
                  shapes[i]);
        use_emulator();
        write_kernels(sb_cstr(&program), &target, &text);
        bool wide = strstr(sb_cstr(&text), "u * q") != NULL;
        ck_assert_msg(wide == (i == 0), "%s", sb_cstr(&text));
        sb_free(&text);
        sb_free(&program);
    }
}
END_TEST

static const char small_products[] =
    "def f(x: \"f32[40, 64]\", a: \"f32[64, 64]\", b: \"f32[64]\", c: \"f32[48, 64]\"):\n"
    "    h = torch.relu(torch.nn.functional.linear(x, a, b))\n"
    "    return (torch.nn.functional.linear(h, c), h)\n";

/* The last stage of small_products with option fuse.products. */
static const Trace *stage_with(const char *products)
{
    use_emulator();
    ck_assert(session_set_option(s, S("fuse.products"), str_from(products), &d));
    Program *p = load_text(small_products);
    Stage *st = program_find_stage(s, p, S("fuse"), &d);
    no_errors();
    return st->trace;
}

static uint32_t count_calls(const Trace *t)
{
    uint32_t n = 0;
    for_top(t, i)
        n += t->nodes[i].op == registry_op(t->reg, PRIM_call);
    return n;
}

/* Reasons of rule "chain" with that verdict that contain a text. */
static uint32_t count_reasons(Verdict verdict, const char *text)
{
    uint32_t n = 0;
    const RuleLog *log = session_log(s);
    for (uint32_t i = 0; i < log->n; i++) {
        const RuleEntry *e = log_at(log, i);
        n += e->verdict == verdict && strcmp(e->kind->rule, "chain") == 0 &&
             strstr(rule_reason(e).p, text) != NULL;
    }
    return n;
}

START_TEST(chains_print_and_parse_back_equal)
{
    const Trace *t = stage_with("pays");
    StrBuf text = {0}, why = {0};
    trace_print(t, &print_all, &text);
    ck_assert_uint_eq(count_calls(t), 1);
    ck_assert_uint_eq(count_reasons(RULE_done, "one kernel computes 2 products"), 1);
    ck_assert(trace_verify(t, &d));
    Program *q = load_text(sb_cstr(&text));
    no_errors();
    ck_assert_msg(trace_equal(program_root(q)->trace, t, &why), "%s", sb_cstr(&why));
    sb_free(&text);
    sb_free(&why);
}
END_TEST

START_TEST(chains_can_be_switched_off)
{
    const Trace *t = stage_with("off");
    for_top(t, i)
        ck_assert(t->nodes[i].op != registry_op(t->reg, PRIM_call) || t->nodes[i].span == 2);
    ck_assert_uint_eq(count_reasons(RULE_done, ""), 0);
}
END_TEST

/* Many rows take one block after another: the estimate says so, and what it would be. */
START_TEST(chains_that_do_not_pay_are_refused_with_figures)
{
    use_emulator();
    ck_assert(session_set_option(s, S("fuse.products"), S("pays"), &d));
    Program *p = load_text(
        "def f(x: \"f32[100000, 512]\", a: \"f32[256, 512]\", c: \"f32[512, 256]\"):\n"
        "    h = torch.relu(torch.nn.functional.linear(x, a))\n"
        "    return (torch.nn.functional.linear(h, c),)\n");
    const Trace *t = program_find_stage(s, p, S("fuse"), &d)->trace;
    no_errors();
    for_top(t, i)
        for (NodeId k = i + 1; k < i + t->nodes[i].span; k++)
            ck_assert(t->nodes[k].op != registry_op(t->reg, PRIM_linear));
    ck_assert_uint_eq(count_reasons(RULE_done, ""), 0);
    ck_assert_uint_gt(count_reasons(RULE_refused, " us"), 0);
}
END_TEST

/* A norm goes into the kernel of the product that reads it, if wanted, not when another reads it
 * too. */
START_TEST(a_norm_goes_into_the_product_behind_it)
{
    static const char *const ends[] = {"y", "y, h"};
    for (uint32_t i = 0; i < ARRAY_LEN(ends); i++) {
        StrBuf text = {0};
        use_emulator();
        ck_assert(session_set_option(s, S("fuse.products"), S("all"), &d));
        sb_printf(&text,
                  "def f(x: \"bf16[16, 768]\", g: \"bf16[768]\", w: \"bf16[1536, 768]\"):\n"
                  "    h = torch.nn.functional.layer_norm(x, (768,), g)\n"
                  "    y = torch.nn.functional.linear(h, w)\n    return (%s,)\n", ends[i]);
        const Trace *t = program_find_stage(s, load_text(sb_cstr(&text)), S("fuse"), &d)->trace;
        no_errors();
        ck_assert_uint_eq(count_calls(t), i + 1);
        /* the log goes on: it was done once, in the first program */
        ck_assert_uint_eq(count_reasons(RULE_done, "computes the rows before, 1 product"), 1);
        sb_free(&text);
    }
}
END_TEST

/* tests/golden/cuda/NAME.cu, for sm_90; THUNDER_BLESS=1 writes them anew. */
START_TEST(texts_are_those_of_the_golden_files)
{
    static const GenTarget target = {90, 132, 50 << 20, 227 << 10};
    StrBuf text = {0}, want = {0};
    char path[512];
    use_emulator();
    write_kernels(programs[_i].text, &target, &text);
    snprintf(path, sizeof path, TEST_DIR "/golden/cuda/%s.cu", programs[_i].name);
    if (getenv("THUNDER_BLESS")) {
        FILE *f = fopen(path, "wb");
        ck_assert_ptr_nonnull(f);
        fwrite(sb_cstr(&text), 1, text.n, f);
        fclose(f);
    }
    add_file(path, &want);
    ck_assert_msg(str_eq(sb_str(&text), sb_str(&want)),
                  "%s differs: THUNDER_BLESS=1 build/tests/check_cuda writes it anew", path);
    sb_free(&text);
    sb_free(&want);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda");
    TCase *c = tcase_create("cuda");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 250);
    tcase_add_loop_test(c, kernels_give_what_the_oracle_gives, 0, (int)ARRAY_LEN(programs));
    tcase_add_loop_test(c, any_schedule_gives_what_the_oracle_gives, 1, 8);
    tcase_add_loop_test(c, any_fuel_of_fuse_gives_a_right_program, 0, 6);
    tcase_add_loop_test(c, results_lie_over_operands_in_every_schedule, 0,
                        (int)ARRAY_LEN(in_place));
    tcase_add_test(c, steps_of_element_numbers_fit_their_type);
    tcase_add_test(c, chains_print_and_parse_back_equal);
    tcase_add_test(c, chains_can_be_switched_off);
    tcase_add_test(c, chains_that_do_not_pay_are_refused_with_figures);
    tcase_add_test(c, a_norm_goes_into_the_product_behind_it);
    suite_add_tcase(suite, c);
    c = tcase_create("shapes");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 250);
    tcase_add_test(c, softmax_of_long_rows_reads_them_twice);
    tcase_add_loop_test(c, variances_of_long_rows_take_one_pass, 0, 6);
    tcase_add_loop_test(c, short_rows_and_columns, 0, 3);
    tcase_add_loop_test(c, rows_come_through_a_ring, 0, 5);
    tcase_add_loop_test(c, what_is_folded_in_one_pass_leaves_the_cache_first, 0, 5);
    tcase_add_loop_test(c, blocks_of_a_cluster_share_rows, 0, 3);
    suite_add_tcase(suite, c);
    c = tcase_create("texts");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 250);
    tcase_add_loop_test(c, texts_are_those_of_the_golden_files, 0, (int)ARRAY_LEN(programs));
    tcase_add_loop_test(c, kernels_compile_for_three_architectures, 0, 3);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
