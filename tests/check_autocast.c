/*
 * check_autocast.c - mixed precision: results near those of f32, any prefix of it valid.
 *
 * Input: a small transformer block. Each test runs it with pass autocast in several forms.
 */
#include "autocast.h"
#include "executors.h"
#include "front.h"
#include "script.h"
#include "session.h"
#include "support.h"

#include <stdio.h>

static const char block[] =
    "def block(x: 'f32[2, 4, 8]', w: 'f32[24, 8]', b: 'f32[24]', o: 'f32[8, 8]', t: 'i64[8]'):\n"
    "    n = torch.nn.functional.layer_norm(x, (8,))\n"
    "    qkv = torch.nn.functional.linear(n, w * 0.25, b)\n"
    "    q, k, v = qkv.split(8, dim=2)\n"
    "    a = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)\n"
    "    y = x + torch.tanh(a @ (o * 0.25))\n"
    "    e = torch.exp(y * 0.1)\n"
    "    z = torch.cat([e, a], 2).sum(0)\n"
    "    loss = torch.nn.functional.cross_entropy(y.reshape(8, 8), t)\n"
    "    return loss, y, z\n";

static Session *s;
static Program *p;
static Diag d;

static void setup(void)
{
    ExecList l;
    executors_default(&l);
    s = session_new(&l);
    d = (Diag){0};
    session_load_text(s, S("block.py"), str_from(block), (Str){0}, &d);
    ck_no_errors(&d);
    p = session_current(s);
    ck_assert(program_bind_random(s, p, 5, &d));
}

static void teardown(void)
{
    session_free(s);
    diag_clear(&d);
}

static uint32_t slot_of(const char *name)
{
    int slot = program_find_slot(p, str_from(name));
    ck_assert_int_ge(slot, 0);
    return (uint32_t)slot;
}

static void set(const char *pass, bool on)
{
    ck_assert(program_slot_set(s, p, slot_of(pass), on, &d));
}

static void option(const char *name, const char *value)
{
    ck_assert(session_set_option(s, str_from(name), str_from(value), &d));
}

/* Runs the last stage; every stage on the way is valid. */
static Run run_last(void)
{
    Run r = {0};
    RunOptions o = {.rounding = ROUND_dtype};
    for (uint32_t i = 0; i < program_stage_count(p); i++) {
        Stage *st = program_stage(s, p, i, &d);
        ck_no_errors(&d);
        trace_verify(st->trace, &d);
        ck_no_errors(&d);
    }
    Stage *last = program_find_stage(s, p, S("last"), &d);
    ck_assert(session_run(s, p, last, &o, &r, &d));
    ck_no_errors(&d);
    return r;
}

/* 2^-8 is the unit of bf16, 2^-11 that of f16; the block is about ten operators deep. */
static void near(const Run *got, const Run *want, double tolerance)
{
    ck_assert_uint_eq(got->noutputs, want->noutputs);
    for (uint32_t i = 0; i < got->noutputs; i++) {
        Tensor *a = tensor_cast(got->outputs[i], DT_f32);
        Comparison c = tensor_compare(a, want->outputs[i], tolerance, tolerance);
        ck_assert_msg(c.equal, "output %u differs by %g", i, c.max_abs);
        tensor_unref(a);
    }
}

START_TEST(near_f32)
{
    static const struct {
        const char *list, *dtype;
        double tolerance;
    } forms[] = {{"cuda", "bf16", 0.06}, {"cpu", "bf16", 0.06}, {"cuda", "f16", 0.008},
                 {"cpu", "f16", 0.008}};
    Run want = run_last();
    set("autocast", true);
    option("autocast.list", forms[_i].list);
    option("autocast.dtype", forms[_i].dtype);
    for (int casts = 0; casts < 2; casts++) {
        set("casts", casts);
        Run got = run_last();
        near(&got, &want, forms[_i].tolerance);
        Comparison c = tensor_compare(got.outputs[0], want.outputs[0], 0, 0);
        ck_assert_msg(!c.equal, "the loss is what it is in f32");
        run_free(&got);
    }
    run_free(&want);
}
END_TEST

START_TEST(every_prefix_is_valid)
{
    Run want = run_last();
    set("autocast", true);
    set("casts", true);
    option("autocast.list", "cuda");
    uint64_t n = program_find_stage(s, p, S("autocast"), &d)->applied;
    ck_assert_uint_ge(n, 4);
    for (uint64_t fuel = 0; fuel <= n; fuel++) {
        ck_assert(program_slot_fuel(s, p, slot_of("autocast"), fuel, &d));
        Run got = run_last();
        near(&got, &want, 0.06);
        run_free(&got);
    }
    ck_assert(program_slot_fuel(s, p, slot_of("autocast"), UINT64_MAX, &d));
    for (uint64_t skip = 0; skip < n; skip++) {
        ck_assert(program_slot_skip(s, p, slot_of("autocast"), skip, true, &d));
        Run got = run_last();
        near(&got, &want, 0.06);
        run_free(&got);
        ck_assert(program_slot_skip(s, p, slot_of("autocast"), skip, false, &d));
    }
    run_free(&want);
}
END_TEST

/* The gradients come in the dtypes of the inputs, and near those of f32. */
START_TEST(gradients_through_casts)
{
    option("joint.cotangents", "ones");
    option("joint.wrt", "w,b,o");
    set("joint", true);
    Run want = run_last();
    set("autocast", true);
    option("autocast.list", "cuda");
    Run got = run_last();
    ck_assert_uint_eq(got.noutputs, 6);
    for (uint32_t i = 3; i < 6; i++) {
        ck_assert_int_eq(got.outputs[i]->dtype, DT_f32);
        Comparison c = tensor_compare(got.outputs[i], want.outputs[i], 0.08, 0.3);
        ck_assert_msg(c.equal, "gradient %u differs by %g", i, c.max_abs);
    }
    run_free(&got);
    run_free(&want);
}
END_TEST

/* ----------------------------------------------------------------------------- PyTorch's lists */

static const CastRow rows[] = {
#define CAST(op, cuda, cpu) {#op, CAST_##cuda, CAST_##cpu},
#include "autocast.def"
#undef CAST
};

static Str file_text(const char *name, Arena *a)
{
    char path[512];
    snprintf(path, sizeof path, "%s/cases/%s", TEST_DIR, name);
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    char *text = arena_alloc(a, 1 << 16);
    size_t n = fread(text, 1, 1 << 16, f);
    fclose(f);
    ck_assert_uint_lt(n, 1 << 16);
    return (Str){text, n};
}

static CastKind kind_named(Str word)
{
    static const char *const names[] = {[CAST_low] = "low",       [CAST_wide] = "wide",
                                        [CAST_sum] = "sum",       [CAST_widest] = "widest",
                                        [CAST_banned] = "banned"};
    for (uint32_t i = CAST_low; i < ARRAY_LEN(names); i++)
        if (str_is(word, names[i]))
            return (CastKind)i;
    ck_abort_msg("no policy %.*s", STR(word));
}

static CastKind kind_in_table(Str op, bool cuda)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (str_is(op, rows[i].op))
            return (CastKind)(cuda ? rows[i].cuda : rows[i].cpu);
    return CAST_unlisted;
}

/* The names that PyTorch's lists have for what these call there; "" = nothing that is listed. */
static const struct {
    const char *op, *cuda, *cpu;
} calls[] = {
    {"cross_entropy", "nll_loss", "cross_entropy_loss"},
    {"cumulative_trapezoid", "cumsum", ""},
    {"grid_sample", "grid_sampler", "grid_sampler"},
    {"interpolate", "upsample_nearest2d", ""},
    {"linalg_norm", "linalg_vector_norm", ""},
    {"local_response_norm", "pow", ""},
    {"multilabel_soft_margin_loss", "sum", ""},
    {"normalize", "norm", ""},
    {"pairwise_distance", "norm", ""},
    {"softmin", "softmax", ""},
    {"square", "pow", ""},
    {"sum_to_size", "sum", ""},
    {"trapezoid", "sum", ""},
};

static Str listed_name(Str op, bool cuda)
{
    for (size_t i = 0; i < ARRAY_LEN(calls); i++)
        if (str_is(op, calls[i].op))
            return str_from(cuda ? calls[i].cuda : calls[i].cpu);
    return op;
}

static CastKind kind_in_lists(Str lists, Str op, bool cuda)
{
    for (Str rest = lists; rest.n;) {
        Str line = str_cut(&rest, '\n'), device = str_cut(&line, ' '), kind = str_cut(&line, ' ');
        if (str_is(device, cuda ? "cuda" : "cpu") && str_eq(line, op))
            return kind_named(kind);
    }
    return CAST_unlisted;
}

/* Every operator of PyTorch's lists that the torch language has is in the table as it is there. */
START_TEST(every_listed_operator_has_its_row)
{
    Arena a = {0};
    uint32_t found = 0;
    for (Str rest = file_text("autocast_lists.txt", &a); rest.n;) {
        Str line = str_cut(&rest, '\n'), device = str_cut(&line, ' '), kind = str_cut(&line, ' ');
        char name[128];
        snprintf(name, sizeof name, "ltorch.%.*s", STR(line));
        if (!registry_find(session_registry(s), str_from(name)))
            continue;
        found++;
        ck_assert_msg(kind_in_table(line, str_is(device, "cuda")) == kind_named(kind),
                      "%.*s on %.*s is %.*s", STR(line), STR(device), STR(kind));
    }
    ck_assert_uint_ge(found, 150);
    arena_free(&a);
}
END_TEST

/* And no row of the table says what PyTorch's lists do not. */
START_TEST(every_row_is_listed)
{
    Arena a = {0};
    Str lists = file_text("autocast_lists.txt", &a);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (int cuda = 0; cuda < 2; cuda++) {
            Str op = str_from(rows[i].op);
            CastKind have = kind_in_table(op, cuda);
            CastKind want = kind_in_lists(lists, listed_name(op, cuda), cuda);
            bool same = have == want ||
                        (want == CAST_unlisted && (have == CAST_none || have == CAST_open));
            ck_assert_msg(same, "%s on %s", rows[i].op, cuda ? "CUDA" : "the CPU");
        }
    arena_free(&a);
}
END_TEST

/* ------------------------------------------------------------- programs recorded under autocast */

static void keep(void *user, Str text)
{
    sb_add(user, text);
}

/* Dtypes of all operators that the tests have a call of, on CUDA's and on the CPU's lists. */
START_TEST(dtypes_are_pytorchs)
{
    StrBuf said = {0};
    Script *sc = script_new(s, keep, &said);
    script_run(sc, S("root = '" SOURCE_DIR "'"), S("check_autocast"), &d);
    script_run_file(sc, TEST_DIR "/autocast_dtypes.lua", &d);
    ck_no_errors(&d);
    ck_assert_str_eq(sb_cstr(&said), "1453\n");
    script_free(sc);
    sb_free(&said);
}
END_TEST

/* Gradients, with regions and by the pass, where PyTorch's kernels round as the prims do and where
 * they do not. */
START_TEST(recorded_gradients)
{
    StrBuf said = {0};
    Script *sc = script_new(s, keep, &said);
    script_run(sc, S("root = '" SOURCE_DIR "'"), S("check_autocast"), &d);
    script_run_file(sc, TEST_DIR "/autocast_grad.lua", &d);
    ck_no_errors(&d);
    ck_assert_str_eq(sb_cstr(&said), "209\n");
    script_free(sc);
    sb_free(&said);
}
END_TEST

static bool line_has(Str line, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= line.n; i++)
        if (memcmp(line.p + i, word, n) == 0)
            return true;
    return false;
}

static void load_recorded(Str text, Str function)
{
    session_load_text(s, S("autocast.py"), text, function, &d);
    ck_no_errors(&d);
    p = session_current(s);
    ck_assert(program_bind_file(s, p, str_from(TEST_DIR "/cases/autocast.safetensors"), function,
                                &d));
}

/* The dtypes of a program's outputs and their values are those that PyTorch gave. */
static void check_recorded(Str function)
{
    SafeTensors recorded;
    ck_assert(safetensors_open(&recorded, TEST_DIR "/cases/autocast.safetensors", &d));
    Run r = run_last();
    for (uint32_t i = 0; i < r.noutputs; i++) {
        char name[128];
        snprintf(name, sizeof name, "%.*s/out/%u", STR(function), i);
        const TensorView *want = safetensors_find(&recorded, str_from(name));
        ck_assert_ptr_nonnull(want);
        ck_assert_msg(r.outputs[i]->dtype == want->dtype, "%s is %s", name,
                      dtype_info[r.outputs[i]->dtype].name);
        Tensor *t = tensor_new(want->dtype, (Device){0}, want->rank, want->shape);
        memcpy(tensor_data(t), want->data, want->bytes);
        bool half = want->dtype == DT_bf16;
        Comparison c = tensor_compare(r.outputs[i], t, half ? 1.6e-2 : 1.3e-6, 1e-5);
        ck_assert_msg(c.equal, "%s differs by %g", name, c.max_abs);
        tensor_unref(t);
    }
    run_free(&r);
    safetensors_close(&recorded);
}

/* Regions in the source; and the pass on the same programs without them, but for the one that is
 * valid only in its region. */
START_TEST(recorded_programs)
{
    Arena a = {0};
    bool pass = _i;
    Str text = file_text("autocast.py", &a);
    StrBuf plain = {0};
    uint32_t n = 0;
    for (Str rest = text; rest.n;) {
        Str line = str_cut(&rest, '\n');
        if (!line_has(line, "autocast_mode"))
            sb_printf(&plain, "%.*s\n", STR(line));
    }
    for (Str rest = text; rest.n;) {
        Str line = str_cut(&rest, '\n'), name = line;
        if (!str_is(str_cut(&name, ' '), "def"))
            continue;
        Str function = str_cut(&name, '(');
        if (pass && (str_is(function, "disabled") || str_is(function, "half_inputs")))
            continue;
        load_recorded(pass ? sb_str(&plain) : text, function);
        set("autocast", pass);
        check_recorded(function);
        n++;
    }
    ck_assert_uint_ge(n, 11);
    sb_free(&plain);
    arena_free(&a);
}
END_TEST

/* ---------------------------------------------------------------------------------- rounding */

static const char half[] = "def half(x: 'f32[8, 8]', y: 'bf16[8, 8]'):\n"
                           "    a = torch.exp(y * y + y) * y\n"
                           "    c = x.to(torch.bfloat16).to(torch.float32) * 3\n"
                           "    return a, c\n";

/* Elements of the last stage, by kernels, that have other bits than eager PyTorch's. */
static uint32_t rounded_otherwise(void)
{
    Run eager = {0}, r = run_last();
    RunOptions o = {.rounding = ROUND_dtype};
    ck_assert(session_run(s, p, program_root(p), &o, &eager, &d));
    uint32_t n = 0;
    for (uint32_t i = 0; i < 2; i++)
        n += (uint32_t)tensor_compare(r.outputs[i], eager.outputs[i], 0, 0).wrong;
    run_free(&eager);
    run_free(&r);
    return n;
}

static uint64_t rounding_rules(Verdict verdict)
{
    uint64_t n = 0;
    const RuleLog *log = session_log(s);
    for (uint32_t i = 0; i < log->n; i++) {
        const RuleEntry *e = log_at(log, i);
        n += e->verdict == verdict &&
             strcmp(e->kind->rule, "rounded in between -> not rounded") == 0;
    }
    return n;
}

/* With the options of `set rounding eager`, kernels and casts give PyTorch's bits. */
START_TEST(eager_rounding_gives_eager_bits)
{
    ExecList l;
    session_load_text(s, S("half.py"), str_from(half), (Str){0}, &d);
    p = session_current(s);
    ck_assert(program_bind_random(s, p, 5, &d));
    ck_assert(exec_parse_list(session_executors(s), S("c,interp"), &l, &d));
    ck_assert(session_set_executors(s, &l));
    option("fuse.min_work", "0");
    set("casts", true);
    ck_assert_uint_gt(rounded_otherwise(), 0);
    ck_assert_uint_ge(rounding_rules(RULE_done), 4);
    uint64_t refused = rounding_rules(RULE_refused);
    option("kernel.eager_rounding", "on");
    option("casts.rounding", "eager");
    ck_assert_uint_eq(rounded_otherwise(), 0);
    ck_assert_uint_ge(rounding_rules(RULE_refused), refused + 4);
}
END_TEST

START_TEST(bad_options_are_errors)
{
    option("autocast.dtype", "f64");
    set("autocast", true);
    ck_assert_ptr_null(program_find_stage(s, p, S("autocast"), &d));
    ck_error(&d, "bad-option");
    diag_clear(&d);
    option("autocast.dtype", "bf16");
    option("autocast.list", "tpu");
    ck_assert_ptr_null(program_find_stage(s, p, S("autocast"), &d));
    ck_error(&d, "bad-option");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("autocast");
    TCase *c = tcase_create("autocast");
    suite_add_tcase(suite, c);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, near_f32, 0, 4);
    tcase_add_test(c, every_prefix_is_valid);
    tcase_add_test(c, gradients_through_casts);
    tcase_add_test(c, every_listed_operator_has_its_row);
    tcase_add_test(c, every_row_is_listed);
    tcase_add_loop_test(c, recorded_programs, 0, 2);
    tcase_add_test(c, recorded_gradients);
    tcase_add_test(c, dtypes_are_pytorchs);
    tcase_add_test(c, eager_rounding_gives_eager_bits);
    tcase_add_test(c, bad_options_are_errors);
    return run_suite(suite);
}
