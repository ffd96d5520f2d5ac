/*
 * check_gen.c - generated kernels against the interpreter, and what the fusion pass joins.
 *
 * Random programs over dtypes and shapes run with executors c, interp and with interp alone in
 * double precision; every stage of the line must agree within the tolerance of the dtype. Without a
 * C compiler there is nothing to run, and the suite says so.
 */
#define _GNU_SOURCE
#include "support.h"

#include "cc.h"
#include "session_fixture.h"

#include <dlfcn.h>

static uint64_t seed;

static uint32_t draw(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

/* What built this test can compile kernels too: without a compiler a test fails. */
static void need_compiler(void)
{
    StrBuf why = {0};
    const Executor *c = exec_find(session_executors(s), S("c"));
    ck_assert_ptr_nonnull(c);
    ck_assert_msg(c->available(&why), "%s", sb_cstr(&why));
    sb_free(&why);
}

static void use_c(void)
{
    use_executors("c,interp");
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
}

/* ------------------------------------------------------------------- looking into kernels */

typedef struct Looking {
    const Run *want; /* the same stage without kernels, every value kept */
    double rtol, atol;
    uint32_t seen; /* values that kernels make and do not write out */
} Looking;

/* Looks at everything that a node makes, and compares what was made inside of it. */
static void look(const Event *e, void *user)
{
    Looking *l = user;
    if (e->kind != EVENT_node_end)
        return;
    const Trace *t = e->trace;
    Watch w = {.nan = true, .inf = true, .denormal = true, .above = 0};
    Sighting found;
    ck_assert(session_watch(s, t, e->node, e->values, &w, &found, &d));
    size_t bytes = t->nvalues * sizeof(Tensor *);
    Tensor **all = memcpy(malloc(bytes), e->values, bytes);
    for (ValueId v = 0; v < t->nvalues; v++)
        if (all[v])
            tensor_ref(all[v]);
    double ulp = 0;
    ck_assert(fusion_values(s, t, e->node, &w, all, &ulp, &d));
    ck_assert(ulp == 0);
    no_errors();
    for (ValueId v = 0; v < t->nvalues; v++) {
        if (all[v] && !e->values[v] && l->want->values[v]) {
            Comparison c = tensor_compare(all[v], l->want->values[v], l->rtol, l->atol);
            ck_assert_msg(c.equal, "%.*s: %g for %g", STR(t->values[v].name), c.got, c.want);
            l->seen++;
        }
        tensor_unref(all[v]);
    }
    free(all);
}

static bool same_bits(const Tensor *a, const Tensor *b)
{
    Tensor *x = tensor_contiguous((Tensor *)a), *y = tensor_contiguous((Tensor *)b);
    size_t bytes = (size_t)tensor_numel(x) * dtype_info[x->dtype].bytes;
    bool same = bytes == 0 || memcmp(tensor_data(x), tensor_data(y), bytes) == 0;
    tensor_unref(x);
    tensor_unref(y);
    return same;
}

/* A run in which somebody looks into every kernel gives the same bits as one without. */
static uint32_t check_looking(Program *p, const Stage *st, const Run *plain, double rtol,
                              double atol)
{
    Run want, got;
    ExecList interp;
    ck_assert(exec_parse_list(session_executors(s), S("interp"), &interp, &d));
    RunOptions keep = {.keep_values = true}, other = {.keep_values = true, .executors = &interp};
    ck_assert(session_run(s, p, st, &other, &want, &d));
    Looking l = {&want, rtol, atol, 0};
    uint32_t handle = session_listen(s, look, &l);
    ck_assert(session_run(s, p, st, &keep, &got, &d));
    session_unlisten(s, handle);
    for (uint32_t i = 0; i < got.noutputs; i++)
        ck_assert(same_bits(got.outputs[i], plain->outputs[i]));
    run_free(&got);
    run_free(&want);
    return l.seen;
}

static uint32_t looked_into; /* values seen inside kernels by a test */

/* Every stage with kernels gives what the oracle gives, also while somebody looks into them. */
static void check_program(const char *text, double rtol, double atol)
{
    Program *p = load_text(text);
    ck_assert(program_bind_random(s, p, 3, &d));
    RunOptions oracle = {.rounding = ROUND_f64};
    Run want, got;
    ck_assert(session_run(s, p, program_root(p), &oracle, &want, &d));
    for (uint32_t k = 0; k < program_stage_count(p); k++) {
        Stage *st = program_stage(s, p, k, &d);
        no_errors();
        bool ran = session_run(s, p, st, NULL, &got, &d);
        no_errors();
        ck_assert(ran);
        for (uint32_t i = 0; i < got.noutputs; i++) {
            Tensor *w = tensor_cast(want.outputs[i], got.outputs[i]->dtype);
            Comparison c = tensor_compare(got.outputs[i], w, rtol, atol);
            ck_assert_msg(c.equal, "%s\nstage %.*s, output %u: %g for %g", text, STR(st->name), i,
                          c.got, c.want);
            tensor_unref(w);
        }
        if (st == program_find_stage(s, p, S("last"), &d))
            looked_into += check_looking(p, st, &got, rtol, atol);
        run_free(&got);
    }
    run_free(&want);
    session_unload(s, p);
}

static const char *const shapes[][3] = {
    {"4, 6", "6", "4, 1"},     {"3, 5, 7", "7", "5, 1"}, {"2, 3, 4, 8", "8", "3, 1, 1"},
    {"1", "1", "1"},           {"", "", ""},             {"0, 4", "4", "0, 1"},
    {"70, 300", "300", "70, 1"}, {"33, 1024", "1024", "33, 1"},
};

static const char *const steps[] = {
    "torch.exp(-torch.abs(%s))", "torch.tanh(%s)", "torch.erf(%s)", "torch.sigmoid(%s)",
    "%s * 0.5 + y",              "torch.maximum(%s, y)", "torch.where(%s > 0, %s, z)",
    "%s - z",                    "torch.log(torch.abs(%s) + 1)", "torch.relu(%s)",
    "%s.to(torch.float64)",      "torch.remainder(%s, 1.5)", "torch.rsqrt(torch.abs(%s) + 1)",
};
static const char *const ends[] = {
    "%s.sum(-1)", "%s.amax(0)", "torch.softmax(%s, -1)", "%s.mean()", "%s * %s.sum(0)",
    "%s - %s.mean(-1, keepdim=True)", "torch.var(%s, -1, correction=0)", "(%s > 0).any(0)",
};

/* fmt with every %s replaced. */
static void fill(StrBuf *out, const char *fmt, const char *arg)
{
    for (; *fmt; fmt++) {
        if (fmt[0] == '%' && fmt[1] == 's') {
            sb_puts(out, arg);
            fmt++;
        } else {
            sb_putc(out, *fmt);
        }
    }
}

static void random_program(StrBuf *b, const char *dtype, uint32_t shape)
{
    const char *const *sh = shapes[shape];
    bool reduce = sh[0][0] && sh[0][0] != '0';
    sb_printf(b, "def f(x: \"%s[%s]\", y: \"%s[%s]\", z: \"%s[%s]\"):\n", dtype, sh[0], dtype,
              sh[1], dtype, sh[2]);
    sb_puts(b, "    v0 = x + y\n");
    uint32_t n = 2 + draw(6);
    char name[16];
    for (uint32_t i = 1; i <= n; i++) {
        snprintf(name, sizeof name, "v%u", i - 1 - draw(i > 2 ? 2 : 1));
        sb_printf(b, "    v%u = ", i);
        fill(b, steps[draw(ARRAY_LEN(steps))], name);
        sb_putc(b, '\n');
    }
    snprintf(name, sizeof name, "v%u", n);
    sb_puts(b, "    r = ");
    fill(b, reduce ? ends[draw(ARRAY_LEN(ends))] : "%s * 2", name);
    sb_printf(b, "\n    return (v%u, r)\n", n);
}

START_TEST(random_regions_agree_with_the_oracle)
{
    static const struct {
        const char *name;
        double rtol, atol;
    } dtypes[] = {{"f32", 2e-5, 2e-5}, {"f64", 1e-12, 1e-12}, {"bf16", 5e-2, 5e-2},
                  {"f16", 1e-2, 1e-2}};
    need_compiler();
    use_c();
    for (uint32_t i = 0; i < ARRAY_LEN(shapes); i++) {
        StrBuf b = {0};
        seed = (uint64_t)_i * 1000 + i + 1;
        random_program(&b, dtypes[_i].name, i);
        check_program(sb_cstr(&b), dtypes[_i].rtol, dtypes[_i].atol);
        sb_free(&b);
    }
    ck_assert_uint_gt(looked_into, 10);
}
END_TEST

START_TEST(moved_elements_and_integers)
{
    static const char *const programs[] = {
        "def f(x: \"f32[6, 8]\"):\n    a = x.t() * 2\n    b = a.reshape(4, 12) + 1\n"
        "    c = torch.flip(x[1:5, ::2], (1,)) - 1\n    return (a, b, c)\n",
        "def f(x: \"i64[5, 4]\", y: \"i64[4]\"):\n    a = x * 3 - y\n    b = a // 7\n"
        "    c = torch.maximum(a, y).sum(0)\n    return (a, b, c, (a > 2) & (y < 3))\n",
        "def f(x: \"u8[40]\"):\n    a = x + 250\n    return (a, -a, a.sum(), ~a)\n",
        "def f(x: \"f32[2, 300, 40]\"):\n    m = x.mean((0, 2), keepdim=True)\n"
        "    return (x - m, m, x.amax((0, 1)), x.sum())\n",
        "def f(x: \"f32[3, 8]\", y: \"f32[2, 8]\"):\n    a, b = torch.split(x, 4, -1)\n"
        "    return (x * torch.cat((-b, a), -1), torch.cat((x, y, x + 1)).sum(0),\n"
        "            F.pad(x, (1, 2, -1, 3), value=7.0) * 2, torch.roll(x, 3, 1).amax(1))\n",
        "def f(x: \"f32[8, 1]\", y: \"f32[1, 8]\", z: \"f32[]\"):\n    a = x * 2\n"
        "    return (a.sum(1), torch.softmax(x, 1), x.var(1, correction=0), y.exp().sum(0),\n"
        "            y.exp().mean(0), z.exp().sum())\n",
        "def f(x: \"f32[3, 4]\"):\n    n = x / 0\n"
        "    return (torch.maximum(n - n, x), n.amax(1))\n",
    };
    need_compiler();
    use_c();
    check_program(programs[_i], 2e-5, 2e-5);
}
END_TEST

/* Places of extremes (NaN wins, the first of equals counts), scans, integer powers, shifts, wide
 * cats: what is claimed must be in kernels, at each dtype and shape. */
static const char *const wide_steps[] = {
    "torch.argmax(x, %d)", "torch.argmin(x, %d)", "torch.argmax(n, %d)", "torch.argmin(n, %d)",
    "torch.cumsum(x, %d)", "torch.cumprod(x, %d)", "torch.cumsum(x + x, %d) * 2",
    "torch.cat((x, x, x, x, x, x, x, x, x, x), %d) + 1",
};
static const char *const integer_steps[] = {
    "x ** 3", "torch.pow(x, x)", "x << 2", "x >> 1", "torch.bitwise_left_shift(x, x)",
    "torch.bitwise_right_shift(x, x)",
};
static const char *const wide_dtypes[] = {"f32", "f64", "bf16", "f16", "i8", "i32", "i64", "u8"};

static void wide_program(StrBuf *b, const char *dtype, const char *shape, int dim)
{
    bool is_float = dtype[0] == 'f' || dtype[0] == 'b';
    sb_printf(b, "def f(x: \"%s[%s]\"):\n", dtype, shape);
    sb_puts(b, is_float ? "    n = torch.where(x > 0.5, x / 0 - x / 0, x)\n" : "    n = x\n");
    uint32_t k = 0;
    for (uint32_t i = 0; i < ARRAY_LEN(wide_steps); i++) {
        bool reduces = i < 4;
        if (shape[0] == '0' && reduces)
            continue;
        if (!shape[0] && i == ARRAY_LEN(wide_steps) - 1)
            continue;
        sb_printf(b, "    r%u = ", k++);
        sb_printf(b, wide_steps[i], dim);
        sb_putc(b, '\n');
    }
    for (uint32_t i = 0; i < ARRAY_LEN(integer_steps) && !is_float; i++)
        sb_printf(b, "    r%u = %s\n", k++, integer_steps[i]);
    sb_puts(b, "    return (");
    for (uint32_t i = 0; i < k; i++)
        sb_printf(b, "r%u, ", i);
    sb_puts(b, ")\n");
}

START_TEST(places_scans_powers_and_shifts)
{
    static const struct {
        const char *shape;
        int dim;
    } cases[] = {{"3, 5", 0}, {"2, 9, 4", 1}, {"", 0}, {"0, 3", 0}, {"33, 300", -1}, {"40000", 0}};
    const char *dtype = wide_dtypes[_i];
    uint32_t ntaken = 0;
    need_compiler();
    use_c();
    for (uint32_t i = 0; i < ARRAY_LEN(cases); i++) {
        StrBuf b = {0};
        wide_program(&b, dtype, cases[i].shape, cases[i].dim);
        bool half = strcmp(dtype, "bf16") == 0 || strcmp(dtype, "f16") == 0;
        check_program(sb_cstr(&b), half ? 5e-2 : 2e-5, half ? 5e-1 : 2e-5);
        Program *p = load_text(sb_cstr(&b));
        ck_assert(program_bind_random(s, p, 3, &d));
        Stage *st = program_find_stage(s, p, S("last"), &d);
        for_top(st->trace, n)
            for (NodeId m = n; m < n + st->trace->nodes[n].span; m++) {
                uint32_t op = st->trace->nodes[m].op->id;
                bool taken = op == PRIM_cumsum || op == PRIM_argmax || op == PRIM_cat ||
                             op == PRIM_pow;
                taken = taken && cases[i].shape[0] != '0'; /* a cat of nothing is left to others */
                ck_assert_msg(!taken || strcmp(st->trace->nodes[n].executor, "c") == 0, "%s",
                              sb_cstr(&b));
                ntaken += taken;
            }
        session_unload(s, p);
        sb_free(&b);
    }
    ck_assert_uint_gt(ntaken, 0);
}
END_TEST

/* Shapes of loops that small programs do not reach: threads that share rows or columns, tiles with
 * what is left at both ends, results that are written past the caches, values kept over a row. */
START_TEST(large_regions)
{
    static const char *const programs[] = {
        "def f(x: \"f32[300, 201]\"):\n    e = torch.exp(x)\n"
        "    return (e.sum(0), x.amax(0), e - e.mean(0))\n",
        "def f(x: \"f32[130, 70]\", y: \"f32[70, 130]\"):\n    return (x.t() * 2 + y, x + y.t())\n",
        "def f(x: \"bf16[5, 100, 90]\"):\n"
        "    return (x.transpose(1, 2).to(torch.float32) + 1,)\n",
        "def f(x: \"i8[80, 150]\", y: \"b8[80, 150]\", z: \"f64[80, 150]\"):\n"
        "    return (x.t() + y.t(), z.t() * 2)\n",
        "def f(x: \"f16[3, 90, 4, 70]\", y: \"f32[150, 80]\"):\n"
        "    return (x.permute(0, 2, 3, 1) * 2, torch.flip(y, [0]).t() + 1)\n",
        "def f(x: \"f32[2, 66, 70000]\"):\n    return (x.permute(0, 2, 1) + 1,)\n",
        "def f(x: \"f32[3000]\", y: \"f32[1100, 3000]\"):\n"
        "    return (torch.exp(-y * y) + x, y * x)\n",
        "def f(x: \"f32[1051, 4099]\"):\n    return (torch.softmax(x, -1), x.amax(-1))\n",
        "def f(x: \"f32[1030, 4096]\"):\n    y = torch.softmax(x, -1)\n"
        "    return (y, y.to(torch.bfloat16), torch.log_softmax(x, -1))\n",
        "def f(x: \"f32[1028, 4160]\", w: \"f32[4160]\", g: \"f32[1028, 4160]\"):\n"
        "    d = x - x.mean(-1, keepdim=True)\n"
        "    n = d * torch.rsqrt((d * d).mean(-1, keepdim=True) + 1e-5)\n"
        "    h = g * w\n"
        "    return (n * w, h - n * (h * n).mean(-1, keepdim=True), (g * n).sum(0))\n",
        "def f(x: \"f32[2901, 3003]\"):\n    return (x.t() + x[:, 0],)\n",
        "def f(x: \"f32[40000, 3]\"):\n    return (x.sum(), x.prod(0), torch.sin(x).amax(1))\n",
        "def f(x: \"f32[64, 700, 3]\"):\n    return (x.var((0, 1)), x - x.mean((0, 1)))\n",
        "def f(x: \"f32[300, 200]\", g: \"f32[300, 200]\", w: \"f32[200]\"):\n    h = g * w\n"
        "    return (h - h.mean(1, keepdim=True) * x, (g * x).sum(0), g.sum(0) * w, h.sum(1))\n",
        /* What rows keep in an array is needed once more behind all rows, where that is gone. */
        "def f(g: \"f32[2, 8]\", w: \"f32[8]\", b: \"f32[2, 1]\"):\n    t = torch.tanh(w)\n"
        "    return ((g * b).sum(0) * t, (g * t).sum(1))\n",
        "def f(x: \"f32[40, 30, 50]\"):\n"
        "    return (x.sum((0, 1)), torch.exp(x).sum(2), x - x.amax(2, keepdim=True))\n",
        "def f(x: \"f32[300, 133]\", y: \"f32[133, 300]\"):\n    a = x.t() + y\n"
        "    return (a.sum(1), torch.softmax(a, 1), a.cumsum(1))\n",
        "def f(x: \"f32[300, 133]\", y: \"f32[133, 300]\"):\n    a = x.t() * y\n"
        "    return (a.sum(0), torch.softmax(a, 0), a.cumsum(0))\n",
        "def f(x: \"bf16[3, 200, 70]\", w: \"f32[200]\"):\n    y = x.permute(0, 2, 1)\n"
        "    return (y.argmax(-1), (y * w).mean(-1), torch.softmax(y.to(torch.float32), -1))\n",
        "def f(x: \"f64[90, 2100]\", y: \"f32[2100, 90]\", z: \"i8[90, 2100]\"):\n"
        "    return (x.t().sum(0) + y.sum(0), z.t().amax(1), (y + x.t()).sum(1))\n",
        "def f(x: \"f32[1030, 4101]\", g: \"f32[4101, 1030]\"):\n    y = x.t() * 2\n"
        "    n = y - y.mean(-1, keepdim=True)\n    return (n * g, (g * n).sum(0), g.sum(0))\n",
        "def f(x: \"f32[20000, 40]\"):\n    return (x.t().amax(1), x.t().sum(1))\n",
    };
    need_compiler();
    use_c();
    check_program(programs[_i], 2e-5, 2e-5);
}
END_TEST

/* Long rows from memory follow each other through the passes: blocks of them that end anywhere,
 * pieces with a rest, what is kept for one row and for two, rows with a NaN, a place of the row
 * that is another case. */
static const char *const flights[] = {
    "def f(x: \"f32[1100, 4096]\"):\n    return (torch.softmax(x, -1), x.amax(-1))\n",
    "def f(x: \"f32[1030, 4099]\", g: \"f32[1030, 4099]\"):\n    e = torch.exp(x)\n"
    "    r = (g / e.sum(-1, keepdim=True)).sum(-1, keepdim=True)\n    return (e * r,)\n",
    "def f(x: \"bf16[1056, 8192]\"):\n    y = torch.log_softmax(x.float(), -1)\n"
    "    return (y.to(torch.bfloat16), x.amax(-1))\n",
    "def f(x: \"f32[1030, 4200]\"):\n    return (torch.softmax(x, -1), x.logsumexp(-1).mean())\n",
    "def f(x: \"f32[1031, 4112]\", t: \"i64[1031, 1]\"):\n    p = torch.softmax(x, -1)\n"
    "    return (torch.where(torch.arange(4112) == t * 40, p - 1, p), x.logsumexp(-1))\n",
    "def f(x: \"f32[1024, 4352]\"):\n    n = torch.where(x > 3.9, float('nan'), x)\n"
    "    return (torch.softmax(n, -1), n.amax(-1))\n",
    "def f(x: \"f32[1025, 4100]\", w: \"f32[4100]\", b: \"f32[4100]\"):\n"
    "    e = torch.exp(x - x.mean(-1, keepdim=True))\n"
    "    return (e / e.sum(-1, keepdim=True) * w + b,)\n",
};

START_TEST(long_rows_follow_each_other)
{
    need_compiler();
    use_c();
    Program *p = load_text(flights[_i]);
    StrBuf text = {0};
    Stage *last = program_find_stage(s, p, S("last"), &d);
    ck_assert(session_kernel_text(s, last, S("cFusion0"), S("c"), &text, &d));
    no_errors();
    ck_contains(sb_cstr(&text), "if (turn(s < u)) {");
    ck_assert_int_eq(strstr(sb_cstr(&text), " >= (uint64_t)m) {") != NULL,
                     strstr(flights[_i], "arange") != NULL);
    sb_free(&text);
    bool half = strstr(flights[_i], "bf16") != NULL; /* results may be rounded the other way */
    check_program(flights[_i], half ? 8e-3 : 2e-5, 2e-5);
}
END_TEST

/* An operand that the last loop strides through is read along its own rows, whatever the size of
 * its elements; one that comes from memory is fetched ahead. */
START_TEST(operands_across_the_loop_run_in_tiles)
{
    static const struct {
        const char *type, *statement;
        bool large;
    } rows[] = {
        {"u8[150, 80]", "transpose_1(", false},     {"bf16[150, 80]", "transpose_2(", false},
        {"f32[150, 80]", "transpose_4(", false},    {"f64[150, 80]", "transpose_8(", false},
        {"f32[2048, 2112]", "transpose_4(", true},  {"f32[600, 16]", "transpose_4(", false},
    };
    char text[200];
    use_c();
    snprintf(text, sizeof text, "def f(x: \"%s\"):\n    return (x.t() * x.t() + 2,)\n",
             rows[_i].type);
    Program *p = load_text(text);
    StrBuf kernel = {0};
    Stage *last = program_find_stage(s, p, S("last"), &d);
    ck_assert(session_kernel_text(s, last, S("cFusion0"), S("c"), &kernel, &d));
    no_errors();
    ck_contains(sb_cstr(&kernel), rows[_i].statement);
    ck_assert_int_eq(strstr(sb_cstr(&kernel), "fetch(next") != NULL, rows[_i].large);
    sb_free(&kernel);
}
END_TEST

/* So it is where rows or columns are reduced: some of its rows go into an array, which every pass
 * reads. A row that is too long for that is not. */
START_TEST(reductions_across_an_operand_read_panels)
{
    static const struct {
        const char *result, *statement, *element;
    } rows[] = {
        {"torch.softmax(x.t(), 1)", "transpose_4(tile0, 2064, &in0[bt], 2112, mt, 2048)",
         "tile0[i0 - bt][i1]"},
        {"(x.t() + y).sum(0)", "mt, m)", "tile0[i0 - bt][j]"},
        {"x.reshape(270336, 16).t().sum(1)", NULL, "in0["},
    };
    char text[200];
    use_c();
    snprintf(text, sizeof text,
             "def f(x: \"f32[2048, 2112]\", y: \"f32[2112, 2048]\"):\n    return (%s,)\n",
             rows[_i].result);
    Program *p = load_text(text);
    StrBuf kernel = {0};
    Stage *last = program_find_stage(s, p, S("last"), &d);
    ck_assert(session_kernel_text(s, last, S("cFusion0"), S("c"), &kernel, &d));
    no_errors();
    ck_contains(sb_cstr(&kernel), rows[_i].element);
    if (rows[_i].statement)
        ck_contains(sb_cstr(&kernel), rows[_i].statement);
    else
        ck_assert(!strstr(sb_cstr(&kernel), "transpose_4(tile"));
    sb_free(&kernel);
}
END_TEST

/* What is reduced has one element, so no loop is: neither tiles nor streamed pieces. */
static const char *const folds_of_one[] = {
    "def f(x: \"f32[128, 1, 64]\"):\n    return (torch.softmax(x.transpose(0, 2), 1),)\n",
    "def f(x: \"f32[64, 65]\"):\n"
    "    return (torch.nn.functional.layer_norm(x.t().unsqueeze(2), (1,)),)\n",
    "def f(x: \"f32[64, 64]\", y: \"f32[1, 64, 64]\"):\n    return (torch.sum(x.t() + y, 0),)\n",
    "def f(x: \"f32[65, 33, 1]\"):\n    y = x.transpose(0, 1)\n"
    "    return (torch.var(y, 2, correction=0), torch.amax(y, 2), torch.sum(y * y, 2))\n",
    "def f(x: \"f32[2100, 2000, 1]\"):\n    return (torch.softmax(x, 2), torch.sum(x, 2))\n",
};

START_TEST(dimensions_of_one_element_are_reduced)
{
    use_c();
    check_program(folds_of_one[_i], 1e-6, 1e-6);
}
END_TEST

/* Both passes behind the first fetch half of a row further on; exponentials are no part of the loop
 * that adds them up; results go past the caches line by line where rows are whole lines. */
START_TEST(rows_keep_memory_busy)
{
    static const char *const texts[2] = {
        "def f(x: \"f32[8192, 1024]\"):\n    return (torch.softmax(x, -1),)\n",
        "def f(x: \"f32[8192, 1023]\"):\n    return (torch.softmax(x, -1),)\n"};
    need_compiler();
    use_c();
    for (int i = 0; i < 2; i++) {
        Program *p = load_text(texts[i]);
        StrBuf text = {0};
        Stage *last = program_find_stage(s, p, S("last"), &d);
        ck_assert(session_kernel_text(s, last, S("cFusion0"), S("c"), &text, &d));
        no_errors();
        ck_contains(sb_cstr(&text), i ? " + b / 2 + k]" : "[1024 * i0 + 3072 + b / 2 + k]");
        ck_contains(sb_cstr(&text), i ? " + b / 2 + k]" : "[1024 * i0 + 3584 + b / 2 + k]");
        ck_contains(sb_cstr(&text), "exp_below_row(&keep3[b], m);");
        const char *term = strstr(sb_cstr(&text), "exp_below_row("), *sum = strstr(term, "acc4 +=");
        ck_assert(sum && strstr(term, "for (") < sum);
        ck_assert_int_eq(strstr(sb_cstr(&text), "stream_lines(") != NULL, i == 0);
        ck_assert_int_eq(strstr(sb_cstr(&text), "stream(") != NULL, i == 1);
        sb_free(&text);
    }
}
END_TEST

/* The gradient of a norm folds over each row and across the rows. */
START_TEST(one_kernel_folds_both_ways)
{
    need_compiler();
    use_c();
    Program *p = load_text("def f(x: \"f32[300, 200]\", g: \"f32[300, 200]\"):\n    h = g * x\n"
                           "    return (h - h.mean(1, keepdim=True), h.sum(0))\n");
    StrBuf text = text_of(program_find_stage(s, p, S("fuse"), &d));
    no_errors();
    ck_contains(sb_cstr(&text), "cFusion0(");
    ck_assert_ptr_null(strstr(sb_cstr(&text), "cFusion1("));
    ck_assert_ptr_null(strstr(sb_cstr(&text), "# @c\n  return"));
    sb_free(&text);
}
END_TEST

/* Folds of everything beside those of rows, or of columns: of what each of them comes to, so that
 * one kernel does. A NaN wins wherever it is. */
static const char *const folds_of_folds[] = {
    "def f(x: \"f32[300, 200]\"):\n    r = x.amax(1)\n    y = x * x\n"
    "    return (r, r.amax(), y.sum(1), y.sum())\n",
    "def f(x: \"f32[300, 200]\"):\n    n = torch.where(x > 3.5, float('nan'), x)\n"
    "    r = n.amax(1)\n    return (r, r.amax(), r.amin(), n.sum())\n",
    "def f(x: \"f32[200, 48]\"):\n    s = x.sum(0)\n"
    "    return (s, s.amax(), x.amin(), (x - s).abs())\n",
    "def f(x: \"f32[3, 70000]\"):\n    s = x.sum(1)\n    return (s, s.amin() * 2, x.amax())\n",
    "def f(x: \"i32[70, 30]\"):\n    s = x.sum(1)\n    p = x > 0\n"
    "    return (s, s.sum(), p.any(1), p.any(), (x > -100).all())\n",
    "def f(x: \"f32[4096, 1024]\", y: \"f32[4096, 1024]\"):\n"
    "    e = x - x.mean(1, keepdim=True) - y\n    return ((e * e).mean(), e)\n",
    "def f(x: \"bf16[40, 30, 50]\"):\n    s = x.sum((1, 2))\n"
    "    return (s, s.amax(), x.amax(), s.amin())\n",
    "def f(x: \"f64[64, 40, 30]\"):\n    m = x.mean((0, 2), keepdim=True)\n    d = x - m\n"
    "    return (d, (d * d).sum(), d.amax((0, 2)))\n",
};

START_TEST(folds_of_folds_are_in_the_kernel_of_those)
{
    need_compiler();
    use_c();
    Program *p = load_text(folds_of_folds[_i]);
    StrBuf text = text_of(program_find_stage(s, p, S("fuse"), &d));
    no_errors();
    ck_contains(sb_cstr(&text), "cFusion0(");
    ck_assert_msg(!strstr(sb_cstr(&text), "cFusion1("), "%s", sb_cstr(&text));
    ck_assert_msg(!strstr(sb_cstr(&text), "# @c\n  return"), "%s", sb_cstr(&text));
    sb_free(&text);
    check_program(folds_of_folds[_i], 2e-5, 2e-5);
}
END_TEST

/* What nothing in the kernel may need, or what keeps its order, is a kernel of its own. */
START_TEST(folds_of_folds_that_rows_need_are_apart)
{
    static const char *const programs[] = {
        "def f(x: \"f32[300, 200]\"):\n    r = x.amax(1)\n    return (r / r.amax(), r)\n",
        "def f(x: \"f32[30, 20]\"):\n    r = x.sum(1)\n"
        "    return (r.prod(), r.argmax(), r.var(), r)\n",
        "def f(x: \"f32[20, 20]\"):\n    r = x.sum(1)\n    return (r.sum(), r, x.sum(0))\n",
    };
    need_compiler();
    use_c();
    check_program(programs[_i], 2e-5, 2e-5);
}
END_TEST

/* A total of a vector is folded once a row where vectors, rows and columns are as long as each
 * other; behind the rows nothing may need it. */
START_TEST(totals_of_vectors_are_not_needed_behind_the_rows)
{
    static const char *const programs[] = {
        "def f(q: \"f32[64]\", c: \"f32[64, 64]\"):\n    p = q * q.sum(0)\n"
        "    r = (-c).sum(1)\n    return (p + c.sum(0) + r,)\n",
        "def f(v: \"f32[32]\", d: \"f32[32, 32]\"):\n"
        "    n = (v == v.amin(0)).to(torch.float32)\n"
        "    return (n * 2 - d.sum(1) + d.sum(0),)\n",
    };
    need_compiler();
    use_c();
    check_program(programs[_i], 2e-5, 2e-5);
}
END_TEST

/* The gradient of a cumsum, whose two flips turn its loop around: along rows, and along columns. */
START_TEST(a_scan_between_flips_is_one_kernel)
{
    need_compiler();
    use_c();
    char text[200];
    snprintf(text, sizeof text,
             "def f(x: \"f32[41, 70]\"):\n"
             "    return (torch.flip(torch.cumsum(torch.flip(x, [%d]), %d), [%d]) * 2,)\n", _i, _i,
             _i);
    Program *p = load_text(text);
    ck_assert(program_bind_random(s, p, 3, &d));
    Stage *st = program_find_stage(s, p, S("last"), &d);
    no_errors();
    uint32_t made = 0;
    for_top(st->trace, n)
        made += st->trace->nodes[n].executor != NULL;
    ck_assert_uint_eq(made, 1);
    RunOptions oracle = {.rounding = ROUND_f64};
    Run got, want;
    ck_assert(session_run(s, p, st, NULL, &got, &d));
    ck_assert(session_run(s, p, program_root(p), &oracle, &want, &d));
    Tensor *w = tensor_cast(want.outputs[0], DT_f32);
    ck_assert(tensor_compare(got.outputs[0], w, 1e-6, 1e-6).equal);
    tensor_unref(w);
    run_free(&got);
    run_free(&want);
}
END_TEST

/* Kernels draw the very numbers that the interpreter draws, in fused loops of any shape. */
START_TEST(random_numbers_are_the_same_everywhere)
{
    need_compiler();
    use_c();
    Program *p = load_text("def f(x: \"f32[37, 101]\"):\n"
                           "    d = torch.nn.functional.dropout(x.t(), 0.3, True)\n"
                           "    u = torch.rand(37, 101) + x\n"
                           "    n = torch.randn(37, 101) * x\n"
                           "    m = torch.randn(5, 9, dtype=torch.float64) + 1\n"
                           "    i = torch.randint(-3, 90, (37, 101)) * 2\n"
                           "    a = torch.rand(37, 101, dtype=torch.float16) * 2\n"
                           "    b = torch.randn(37, 101, dtype=torch.bfloat16) * 2\n"
                           "    e = torch.rand(5, 9, dtype=torch.float64) + 1\n"
                           "    return (d, u, n, m, i, torch.rand_like(x).amax(1), a, b, e)\n");
    ck_assert(program_bind_random(s, p, 3, &d));
    Run got, want;
    Stage *st = program_find_stage(s, p, S("last"), &d);
    no_errors();
    for_top(st->trace, n)
        ck_assert(!(st->trace->nodes[n].op->flags & OP_RANDOM) ||
                  strcmp(st->trace->nodes[n].executor, "c") == 0);
    ck_assert(session_run(s, p, st, NULL, &got, &d));
    ExecList interp;
    ck_assert(exec_parse_list(session_executors(s), S("interp"), &interp, &d));
    RunOptions o = {.executors = &interp};
    ck_assert(session_run(s, p, st, &o, &want, &d));
    for (uint32_t i = 0; i < got.noutputs; i++)
        ck_assert(tensor_compare(got.outputs[i], want.outputs[i], 0, 0).equal);
    run_free(&got);
    run_free(&want);
}
END_TEST

START_TEST(an_integer_division_by_zero_is_an_error)
{
    need_compiler();
    use_c();
    Program *p = load_text("def f(x: \"i64[3]\"):\n    y = x - x\n    return (x // y, )\n");
    ck_assert(program_bind_random(s, p, 3, &d));
    Run run;
    ck_assert(!session_run(s, p, program_find_stage(s, p, S("last"), &d), NULL, &run, &d));
    ck_assert_str_eq(d.first->code, "zero-division");
}
END_TEST

/* What kernels of one statement refuse is named as the interpreter names it, also where they have
 * written over what they read. */
START_TEST(a_value_that_is_refused_is_named)
{
    static const struct {
        const char *text, *says, *fuse;
    } cases[] = {
        {"def f(x: 'i64[5]', i: 'i64[3]'):\n    return (torch.index_select(x, 0, i), )\n",
         "take: index 9 is out of range for dimension 0 of size 5", "on"},
        {"def f(x: 'i64[5, 2]', i: 'i64[3]'):\n"
         "    return (torch.nn.functional.embedding(i, x), )\n",
         "embedding: index 9 is out of range for dimension 0 of size 5", "on"},
        {"def f(x: 'i64[3]', i: 'i64[3]'):\n    return (torch.ops.prims.div.default(x, i), )\n",
         "prims.div: integer division by zero", "on"},
        {"def f(x: 'i64[3]', i: 'i64[3]'):\n    t = i + x.sum() * 0\n"
         "    a = torch.index_select(x, 0, t)\n    return (torch.sort(a)[0], )\n",
         "take: index 9 is out of range for dimension 0 of size 3", "off"},
    };
    need_compiler();
    use_c();
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    for (size_t n = 0; n < ARRAY_LEN(cases); n++) {
        Program *p = load_text(cases[n].text);
        Tensor *i = tensor_new(DT_i64, (Device){0}, 1, (int64_t[]){3});
        memcpy(tensor_data(i), (int64_t[]){0, 9, 1}, 3 * sizeof(int64_t));
        ck_assert(program_bind_tensor(p, S("i"), i, &d));
        ck_assert(program_bind_random(s, p, 3, &d));
        ck_assert(program_slot_set(s, p, (uint32_t)program_find_slot(p, S("fuse")),
                                   strcmp(cases[n].fuse, "on") == 0, &d));
        for (int again = 0; again < 2; again++) {
            Run run;
            ck_assert(!session_run(s, p, program_find_stage(s, p, S("last"), &d), NULL, &run, &d));
            ck_text(d.first->message, cases[n].says);
            ck_assert_uint_eq(d.nerrors, 1);
            diag_clear(&d);
        }
        tensor_unref(i);
    }
}
END_TEST

/* ----------------------------------------------------------------------------------------- fuse */

static const char *const norm =
    "def f(x: \"f32[64, 128]\", w: \"f32[128]\"):\n"
    "    a = x * w\n"
    "    b = torch.softmax(a, -1)\n"
    "    c = torch.matmul(b, w)\n"
    "    e = torch.exp(c)\n"
    "    return (b, e + 1)\n";

/* Heads joined and seen as one dimension: the innermost loop copies, and divides nothing. */
START_TEST(loops_go_through_what_is_reshaped)
{
    need_compiler();
    use_c();
    Program *p = load_text(
        "def f(x: \"f32[2, 3, 5, 8]\", y: \"f32[2, 4, 5, 8]\"):\n"
        "    z = torch.cat([x.transpose(1, 2) * 2, y.transpose(1, 2) + 1], 2)\n"
        "    return z.reshape(10, 56)\n");
    ck_assert(program_bind_random(s, p, 1, &d));
    Stage *last = program_find_stage(s, p, S("last"), &d);
    Run fused, plain;
    ck_assert(session_run(s, p, last, NULL, &fused, &d));
    ck_assert(session_run(s, p, program_root(p), NULL, &plain, &d));
    ck_assert(tensor_compare(fused.outputs[0], plain.outputs[0], 0, 0).equal);
    StrBuf text = {0};
    ck_assert(session_kernel_text(s, last, S("cFusion0"), S("c"), &text, &d));
    no_errors();
    const char *kernel = strstr(sb_cstr(&text), "int kernel(");
    ck_assert_ptr_nonnull(kernel);
    ck_assert_msg(strstr(kernel, ") / ") == NULL, "%s", kernel);
    sb_free(&text);
    run_free(&fused);
    run_free(&plain);
}
END_TEST

/* A kernel says which lines it comes from, whatever is written there, and they do not name it. */
START_TEST(kernels_quote_the_source_lines_that_they_come_from)
{
    need_compiler();
    use_c();
    ck_assert(session_set_option(s, S("kernel.flags"), S("-Wall -Wextra -Werror"), &d));
    static const char *const texts[2] = {
        "def f(x: \"f32[4, 64]\"):\n"
        "    y = torch.exp(x)  # \u00e9 \\\n"
        "    z = y + 1; w = z * 2  # ?\?/\n"
        "    return w\n",
        "def g(x: \"f32[4, 64]\"):\n    return (torch.exp(x) + 1) * 2\n"};
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        Program *p = load_text(texts[i]);
        ck_assert(program_bind_random(s, p, 1, &d));
        Stage *last = program_find_stage(s, p, S("last"), &d);
        Run run;
        ck_assert(session_run(s, p, last, NULL, &run, &d));
        run_free(&run);
        StrBuf text = {0};
        ck_assert(session_kernel_text(s, last, S("cFusion0"), S("c"), &text, &d));
        no_errors();
        ck_assert_msg(strstr(sb_cstr(&text), i ? "// return (torch.exp(x) + 1) * 2  (line 2)\n"
                                               : "// y = torch.exp(x)  #") != NULL,
                      "%s", sb_cstr(&text));
        if (i == 0)
            ck_assert_ptr_nonnull(strstr(sb_cstr(&text), "  (line 3)\nint kernel("));
        hashes[i] = kernel_text_hash(sb_str(&text), 1);
        sb_free(&text);
    }
    ck_assert_uint_eq(hashes[0], hashes[1]);
}
END_TEST

START_TEST(regions_print_and_parse_back_equal)
{
    need_compiler();
    use_c();
    Program *p = load_text(norm);
    Stage *st = program_find_stage(s, p, S("fuse"), &d);
    no_errors();
    StrBuf text = text_of(st), why = {0};
    ck_contains(sb_cstr(&text), "= cFusion0(w, x)");
    ck_contains(sb_cstr(&text), "= cFusion1(c)");
    ck_assert(trace_verify(st->trace, &d));
    Program *q = load_text(sb_cstr(&text));
    ck_assert_msg(trace_equal(program_root(q)->trace, st->trace, &why), "%s", sb_cstr(&why));
    sb_free(&text);
    sb_free(&why);
}
END_TEST

/* The transposed exp(x) is read by the product alone: the kernel writes exp(x) once. */
START_TEST(what_only_a_product_looks_at_stays_a_view)
{
    need_compiler();
    use_c();
    Program *p = load_text("def f(x: \"f32[64, 128]\", w: \"f32[64, 8]\"):\n"
                           "    a = torch.exp(x) * 2\n    b = a.t()\n"
                           "    return (torch.matmul(b, w), b.sum(1))\n");
    StrBuf text = text_of(program_find_stage(s, p, S("fuse"), &d));
    no_errors();
    ck_contains(sb_cstr(&text), "] = cFusion0(x)");
    sb_clear(&text);
    p = load_text("def f(x: \"f32[64, 128]\", w: \"f32[64, 8]\"):\n"
                  "    a = torch.exp(x) * 2\n    return (torch.matmul(a.t(), w), a.sum(1))\n");
    sb_free(&text);
    text = text_of(program_find_stage(s, p, S("fuse"), &d));
    const char *view = strstr(sb_cstr(&text), "= prims.transpose(a, (1, 0))");
    ck_assert_msg(view && strncmp(strchr(view, '@'), "@interp", 7) == 0, "%s", sb_cstr(&text));
    sb_free(&text);
}
END_TEST

/* a is written once, and b is the same memory. */
START_TEST(a_reshape_of_what_is_written_is_a_view)
{
    need_compiler();
    use_c();
    Program *p = load_text("def f(x: \"f32[4, 16, 128]\", w: \"f32[128, 8]\"):\n"
                           "    a = torch.exp(x) * 2\n    b = a.reshape(64, 128)\n"
                           "    return (a, torch.matmul(b, w), b.sum(0))\n");
    StrBuf text = text_of(program_find_stage(s, p, S("fuse"), &d));
    no_errors();
    const char *view = strstr(sb_cstr(&text), " b = prims.reshape(a, (64, 128))");
    ck_contains(sb_cstr(&text), "[a, t");
    ck_assert_msg(view && strncmp(strchr(view, '@'), "@interp", 7) == 0, "%s", sb_cstr(&text));
    sb_free(&text);
    ck_assert(program_bind_random(s, p, 5, &d));
    Run run;
    bool ran = session_run(s, p, program_find_stage(s, p, S("last"), &d), NULL, &run, &d);
    no_errors();
    ck_assert(ran);
    run_free(&run);
}
END_TEST

/* contiguous() copies the transposed x, and moves nothing of x and of what a kernel made. */
START_TEST(what_contiguous_copies_is_a_kernel)
{
    need_compiler();
    use_c();
    Program *p = load_text("def f(x: \"f32[64, 128]\"):\n"
                           "    a = x.t().contiguous()\n    return (a,)\n");
    StrBuf text = text_of(program_find_stage(s, p, S("fuse"), &d));
    no_errors();
    ck_contains(sb_cstr(&text), "[a] = cFusion0(x)");
    ck_assert(program_bind_random(s, p, 5, &d));
    Run run;
    bool ran = session_run(s, p, program_find_stage(s, p, S("last"), &d), NULL, &run, &d);
    no_errors();
    ck_assert(ran && tensor_is_contiguous(run.outputs[0]));
    const float *x = tensor_read(program_binding(p, program_root(p)->trace->inputs[0]));
    const float *a = tensor_read(run.outputs[0]);
    ck_assert_float_eq(a[3 * 64 + 5], x[5 * 128 + 3]);
    run_free(&run);
    sb_clear(&text);
    p = load_text("def f(x: \"f32[64, 128]\"):\n    a = x.contiguous()\n"
                  "    b = torch.exp(a).contiguous()\n    return (a, b)\n");
    sb_free(&text);
    text = text_of(program_find_stage(s, p, S("fuse"), &d));
    ck_contains(sb_cstr(&text), "a = prims.stride_order(x, (1, 0))");
    ck_contains(sb_cstr(&text), "b = prims.stride_order(t1, (1, 0))");
    sb_free(&text);
}
END_TEST

START_TEST(why_not_gives_the_reason)
{
    need_compiler();
    use_c();
    Program *p = load_text("def f(x: \"f32[64, 128]\"):\n    a = torch.exp(x)\n    b = a.amax(0)\n"
                           "    c = a.amax(1)\n    return (b, c)\n");
    ck_assert_ptr_nonnull(program_find_stage(s, p, S("fuse"), &d));
    bool refused = false;
    const RuleLog *log = session_log(s);
    for (uint32_t i = 0; i < log->n; i++)
        refused |= strcmp(log_at(log, i)->kind->pass, "fuse") == 0 &&
                   log_at(log, i)->verdict == RULE_refused && rule_reason(log_at(log, i)).n > 0;
    ck_assert(refused);
}
END_TEST

START_TEST(any_fuel_of_fuse_gives_a_program_that_runs)
{
    need_compiler();
    use_c();
    Program *p = load_text(norm);
    ck_assert(program_bind_random(s, p, 5, &d));
    int slot = program_find_slot(p, S("fuse"));
    ck_assert_int_ge(slot, 0);
    for (uint64_t fuel = 0; fuel < 6; fuel++) {
        Run run;
        ck_assert(program_slot_fuel(s, p, (uint32_t)slot, fuel, &d));
        Stage *st = program_find_stage(s, p, S("last"), &d);
        bool ran = session_run(s, p, st, NULL, &run, &d);
        no_errors();
        ck_assert(ran);
        run_free(&run);
    }
}
END_TEST

/* A kernel is kept under all that decides its code: asked for otherwise, it is compiled anew. */
START_TEST(kernels_are_kept_for_what_they_were_made_for)
{
    static const struct {
        const char *prelude, *text, *flags;
        bool fast, cached;
        int gives;
    } asks[] = {
        {"#define ONE 1\n", "ONE", "", false, false, 1},
        {"#define ONE 1\n", "ONE", "", false, true, 1},
        {"#define ONE 2\n", "ONE", "", false, false, 2},
        {"#define ONE 1\n", "ONE + 3", "", false, false, 4},
        {"#define ONE 1\n", "ONE// as before", "", false, true, 1},
        {"#define ONE 1\n", "ONE", "-DONCE", false, false, 1},
        {"#define ONE 1\n", "ONE", "", true, false, 1},
        {"#define ONE 2\n", "ONE", "", false, true, 2},
    };
    char folder[] = "/tmp/thunder-kernels-XXXXXX", command[80], compiler[256];
    if (!cc_find(compiler, sizeof compiler)) {
        fprintf(stderr, "SKIPPED: kernels are not compiled here: no C compiler\n");
        return;
    }
    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (uint32_t i = 0; i < ARRAY_LEN(asks); i++) {
        StrBuf text = {0};
        sb_printf(&text, "int kernel(void *const *in, void *const *out)\n{\n    return %s\n;\n}\n",
                  asks[i].text);
        CcKernel k = {.text = sb_str(&text)};
        CompileOptions o = {.cache_dir = str_from(folder), .flags = str_from(asks[i].flags),
                            .fast_math = asks[i].fast};
        bool good = cc_load(&k, 1, asks[i].prelude, &o, &d);
        no_errors();
        ck_assert(good);
        ck_assert_msg(k.cached == asks[i].cached, "%u", i);
        ck_assert_int_eq(k.fn(NULL, NULL), asks[i].gives);
        dlclose(k.lib);
        sb_free(&text);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("gen");
    TCase *rows = tcase_create("rows");
    tcase_add_checked_fixture(rows, setup, teardown);
    tcase_set_timeout(rows, 250);
    tcase_add_loop_test(rows, long_rows_follow_each_other, 0, (int)ARRAY_LEN(flights));
    suite_add_tcase(suite, rows);
    TCase *c = tcase_create("gen");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 250);
    tcase_add_loop_test(c, random_regions_agree_with_the_oracle, 0, 4);
    tcase_add_loop_test(c, places_scans_powers_and_shifts, 0, 8);
    tcase_add_loop_test(c, moved_elements_and_integers, 0, 6);
    tcase_add_loop_test(c, large_regions, 0, 22);
    tcase_add_loop_test(c, operands_across_the_loop_run_in_tiles, 0, 6);
    tcase_add_loop_test(c, reductions_across_an_operand_read_panels, 0, 3);
    tcase_add_loop_test(c, dimensions_of_one_element_are_reduced, 0,
                        (int)ARRAY_LEN(folds_of_one));
    tcase_add_test(c, rows_keep_memory_busy);
    tcase_add_test(c, loops_go_through_what_is_reshaped);
    tcase_add_test(c, kernels_quote_the_source_lines_that_they_come_from);
    tcase_add_loop_test(c, folds_of_folds_are_in_the_kernel_of_those, 0,
                        (int)ARRAY_LEN(folds_of_folds));
    tcase_add_loop_test(c, folds_of_folds_that_rows_need_are_apart, 0, 3);
    tcase_add_loop_test(c, totals_of_vectors_are_not_needed_behind_the_rows, 0, 2);
    tcase_add_test(c, one_kernel_folds_both_ways);
    tcase_add_loop_test(c, a_scan_between_flips_is_one_kernel, 0, 2);
    tcase_add_test(c, random_numbers_are_the_same_everywhere);
    tcase_add_test(c, an_integer_division_by_zero_is_an_error);
    tcase_add_test(c, a_value_that_is_refused_is_named);
    tcase_add_test(c, regions_print_and_parse_back_equal);
    tcase_add_test(c, what_only_a_product_looks_at_stays_a_view);
    tcase_add_test(c, a_reshape_of_what_is_written_is_a_view);
    tcase_add_test(c, what_contiguous_copies_is_a_kernel);
    tcase_add_test(c, why_not_gives_the_reason);
    tcase_add_test(c, any_fuel_of_fuse_gives_a_program_that_runs);
    tcase_add_test(c, kernels_are_kept_for_what_they_were_made_for);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
