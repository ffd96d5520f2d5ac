/*
 * check_chains.c - how exact kernels are: random chains of pointwise operators, statement by
 * statement; reductions; recorded programs.
 *
 * The bound of a chain: each statement inside of a kernel is within 2 ULP of what the oracle gives,
 * in double precision and rounded once to the statement's dtype, for the operands that the kernel
 * had (lerp, a formula, for each step of it). So errors that an operator makes larger do not count
 * against it, and no statement may be wrong behind a tolerance. f16 and bf16 are rounded at each
 * statement for that (kernel.eager_rounding).
 */
#include "support.h"

#include "run.h"
#include "session_fixture.h"

#include <math.h>

enum { LENGTH = 512, MAX_ENTRIES = 1024, MAX_STEPS = 12, MAX_POOL = 20, BOUND = 2 };

static uint64_t seed;

static uint32_t draw(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static void use_c(void)
{
    StrBuf why = {0};
    const Executor *c = exec_find(session_executors(s), S("c"));
    ck_assert_msg(c->available(&why), "%s", sb_cstr(&why));
    use_executors("c,interp");
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    ck_assert(session_set_option(s, S("kernel.eager_rounding"), S("on"), &d));
}

/* -------------------------------------------------------------------------------- the operators */

static const DType dtypes[] = {DT_f32, DT_bf16, DT_f16, DT_f64, DT_i64, DT_i32, DT_b8};

/* One way to call an operator that kernels take. */
typedef struct Entry {
    const char *call; /* "prims.add(%, %)": a % for each operand */
    DType in, out;
    bool selects; /* the first operand is a bool */
} Entry;

static Entry entries[MAX_ENTRIES];
static uint32_t nentries;
static char calls[MAX_ENTRIES][96];

static bool divides(const char *name)
{
    return strstr(name, "div") || strstr(name, "rem") || strstr(name, "mod");
}

static int operand_count(const char *call)
{
    int n = 0;
    for (; *call; call++)
        n += *call == '%';
    return n;
}

static void write_call(StrBuf *b, const char *call, const char *const *operands)
{
    for (; *call; call++)
        if (*call == '%')
            sb_puts(b, *operands++);
        else
            sb_putc(b, *call);
}

/* Whether a program of this one call loads, and c takes all of it. */
static bool taken(const char *call, DType in, bool selects, DType *out)
{
    static const char *const names[] = {"a", "b", "c"};
    const char *const chosen[] = {"m", "a", "b"};
    StrBuf b = {0};
    const char *type = dtype_info[in].name;
    sb_printf(&b, "def f(m: \"b8[8]\", a: \"%s[8]\", b: \"%s[8]\", c: \"%s[8]\"):\n    t = ", type,
              type, type);
    write_call(&b, call, selects ? chosen : names);
    sb_puts(&b, "\n    return t\n");
    session_load_text(s, S("one.py"), sb_str(&b), (Str){0}, &d);
    Program *p = d.nerrors ? NULL : session_current(s);
    bool good = p != NULL;
    const Stage *last = good ? program_find_stage(s, p, S("last"), &d) : NULL;
    for (NodeId n = 0; last && n < last->trace->nnodes; n++)
        good = good && !(last->trace->nodes[n].executor &&
                         strcmp(last->trace->nodes[n].executor, "interp") == 0);
    ValueId v = last ? trace_find_value(last->trace, S("t")) : 0;
    *out = v ? (DType)last->trace->values[v].type.dtype : DT_none;
    if (p)
        session_unload(s, p);
    diag_clear(&d);
    sb_free(&b);
    return good && v;
}

static void add_entry(const char *call, DType in, bool selects)
{
    DType out;
    if (nentries == MAX_ENTRIES || !taken(call, in, selects, &out))
        return;
    snprintf(calls[nentries], sizeof calls[0], "%s", call);
    entries[nentries] = (Entry){calls[nentries], in, out, selects};
    nentries++;
}

/* Every prim with a C text, for every dtype that it takes; conversions that lose no range. */
static void find_entries(void)
{
    static const char *const patterns[] = {"", "%", "%, %", "%, %, %"};
    char call[96];
    nentries = 0;
    for (size_t k = 0; k < ARRAY_LEN(dtypes); k++) {
        for (uint32_t id = 0; id < PRIM_COUNT; id++) {
            const Op *op = registry_op(session_registry(s), id);
            bool whole = !dtype_is_float(dtypes[k]);
            if (!op->c_text || op->sig.n > 3 || op->sig.n == 0 || (whole && divides(op->name)))
                continue;
            snprintf(call, sizeof call, "prims.%s(%s)", op->name, patterns[op->sig.n]);
            add_entry(call, dtypes[k], false);
            if (op->sig.n == 2 && !whole)
                snprintf(call, sizeof call, "prims.%s(%%, %s)", op->name, k % 2 ? "0.5" : "-3.0");
            if (op->sig.n == 2 && !whole)
                add_entry(call, dtypes[k], false);
        }
        add_entry("prims.where(%, %, %)", dtypes[k], true);
        for (size_t i = 0; i < ARRAY_LEN(dtypes); i++) {
            snprintf(call, sizeof call, "prims.convert_element_type(%%, torch.%s)",
                     dtype_info[dtypes[i]].full_name);
            if (i != k && (dtype_is_float(dtypes[i]) || dtypes[k] == DT_b8 || dtypes[i] == DT_b8))
                add_entry(call, dtypes[k], false);
        }
    }
}

/* ----------------------------------------------------------------------------------- the chains */

typedef struct Pool {
    char name[MAX_POOL][16];
    DType dtype[MAX_POOL];
    bool used[MAX_POOL];
    uint32_t n;
} Pool;

static void pool_add(Pool *p, const char *name, DType dtype)
{
    snprintf(p->name[p->n], sizeof p->name[0], "%s", name);
    p->dtype[p->n++] = dtype;
}

/* A value of this dtype, the latest one more often than not; NULL when there is none. */
static const char *pick(Pool *p, DType dtype)
{
    uint32_t n = 0, found[MAX_POOL];
    for (uint32_t i = 0; i < p->n; i++)
        if (p->dtype[i] == dtype)
            found[n++] = i;
    if (n == 0)
        return NULL;
    uint32_t chosen = found[draw(3) ? n - 1 : draw(n)];
    p->used[chosen] = true;
    return p->name[chosen];
}

/* A chain whose statements are taken from the entries in turn, from `at` on. It returns all that
 * nobody reads. */
static uint32_t write_chain(StrBuf *b, DType main, DType other, uint32_t at)
{
    Pool pool = {.n = 0};
    uint32_t steps = 1 + draw(MAX_STEPS), made = 0, tried = 0;
    const char *one = dtype_info[main].name, *two = dtype_info[other].name;
    sb_printf(b, "def f(x: \"%s[%d]\", y: \"%s[%d]\", z: \"%s[%d]\", n: \"i64[%d]\", "
                 "k: \"i32[%d]\", m: \"b8[%d]\"):\n",
              one, LENGTH, one, LENGTH, two, LENGTH, LENGTH, LENGTH, LENGTH);
    pool_add(&pool, "x", main);
    pool_add(&pool, "y", main);
    pool_add(&pool, "z", other);
    pool_add(&pool, "n", DT_i64);
    pool_add(&pool, "k", DT_i32);
    pool_add(&pool, "m", DT_b8);
    for (; made < steps && tried < nentries; tried++) {
        const Entry *e = &entries[(at + tried) % nentries];
        const char *operands[3];
        bool there = true;
        for (int i = 0; i < operand_count(e->call) && there; i++) {
            operands[i] = pick(&pool, e->selects && i == 0 ? DT_b8 : e->in);
            there = operands[i] != NULL;
        }
        if (!there)
            continue;
        char name[16];
        snprintf(name, sizeof name, "t%u", made++);
        sb_printf(b, "    %s = ", name);
        write_call(b, e->call, operands);
        sb_putc(b, '\n');
        pool_add(&pool, name, e->out);
    }
    sb_puts(b, "    return (");
    for (uint32_t i = pool.n - made; i < pool.n; i++)
        if (!pool.used[i])
            sb_printf(b, "%s, ", pool.name[i]);
    sb_puts(b, ")\n");
    return at + tried;
}

/* --------------------------------------------------------------------------------------- inputs */

static double random_float(uint32_t i)
{
    static const double special[] = {
        0, 1, 0.5, INFINITY, NAN, 1e-3, 3.14159265, 1.5, 88.7, 3e5, 1e10, 65504, 65520,
        3.4028234e38, 1.17549435e-38, 1.4e-45, 1.1754942e-38, 6e-8, 6.1e-5, 1.0000001, 0.99999994,
        1e-300,
    };
    double sign = draw(2) ? 1 : -1;
    if (i % 4 == 0)
        return sign * special[i / 4 % ARRAY_LEN(special)];
    int wide = i % 4 == 1 ? 130 : 8;
    return sign * ldexp(1 + draw(1 << 20) / 1048576.0, (int)draw(2u * (uint32_t)wide) - wide);
}

static void bind(Program *p, const char *name, DType dtype)
{
    int64_t shape = LENGTH;
    Tensor *t = tensor_new(dtype, (Device){0}, 1, &shape);
    char *at = tensor_data(t);
    for (uint32_t i = 0; i < LENGTH; i++, at += dtype_info[dtype].bytes)
        if (dtype_is_float(dtype))
            elem_set_f64(at, dtype, random_float(i));
        else
            elem_set_i64(at, dtype, dtype == DT_b8 ? draw(2) : (int64_t)draw(2001) - 1000);
    ck_assert(program_bind_tensor(p, str_from(name), t, &d));
    tensor_unref(t);
}

/* --------------------------------------------------------------------------------- the judgment */

/* Numbers of a float dtype in a row: neighbours differ by 1, both zeros are 0. */
static int64_t number_of(const void *at, DType dtype)
{
    uint64_t bits = 0;
    uint32_t n = 8u * dtype_info[dtype].bytes;
    memcpy(&bits, at, n / 8);
    uint64_t size = bits & ~((uint64_t)1 << (n - 1));
    return bits >> (n - 1) ? -(int64_t)size : (int64_t)size;
}

static bool near_enough(const char *a, const char *b, DType dtype, double *ulp)
{
    double x = elem_get_f64(a, dtype), y = elem_get_f64(b, dtype);
    *ulp = 0;
    if (!dtype_is_float(dtype))
        return elem_get_i64(a, dtype) == elem_get_i64(b, dtype);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    *ulp = fabs((double)(number_of(a, dtype) - number_of(b, dtype)));
    return *ulp <= BOUND;
}

typedef struct Judge {
    const char *text;
    uint32_t statements, operators;
    bool seen[PRIM_COUNT];
    double worst;
} Judge;

/* What the oracle gives for node n, for the operands that the kernel had. */
static Tensor *oracle_of(const Trace *t, NodeId n, Tensor *const *all, ValueId out)
{
    Tensor **values = calloc(t->nvalues, sizeof *values);
    Arg args = {.kind = ARG_tuple, .n = t->nodes[n].nargs, .items = t->nodes[n].args};
    ValueId in[8];
    uint32_t count = arg_values(args, in, ARRAY_LEN(in));
    for (uint32_t i = 0; i < count; i++) {
        const Tensor *x = all[in[i]];
        ck_assert_msg(x != NULL, "%.*s was not seen", STR(t->values[in[i]].name));
        if (!values[in[i]])
            values[in[i]] = dtype_is_float(x->dtype) ? tensor_cast(x, DT_f64) : tensor_clone(x);
    }
    ck_assert(node_run(s, session_current(s), t, n, values, ROUND_f64, &d));
    no_errors();
    Tensor *got = tensor_cast(values[out], (DType)t->values[out].type.dtype);
    for (ValueId v = 0; v < t->nvalues; v++)
        tensor_unref(values[v]);
    free(values);
    return got;
}

/* lerp is PyTorch's formula, whose terms may be larger than its result: step by step in the dtype,
 * in f32 for narrower ones. */
static double lerp_of(double start, double end, double weight, bool wide)
{
    if (wide)
        return fabs(weight) < 0.5 ? start + weight * (end - start)
                                  : end - (end - start) * (1 - weight);
    float a = (float)start, b = (float)end, w = (float)weight;
    float difference = b - a, near = w * difference, rest = 1 - w, far = difference * rest;
    return fabsf(w) < 0.5f ? a + near : b - far;
}

static void use_formula(const Trace *t, NodeId n, Tensor *const *all, Tensor *want)
{
    const Arg *args = t->nodes[n].args;
    double x[3];
    for (int64_t i = 0; i < tensor_numel(want); i++) {
        for (int k = 0; k < 3; k++) {
            const Tensor *of = args[k].kind == ARG_value ? all[args[k].v] : NULL;
            x[k] = of ? elem_get_f64((const char *)tensor_data(of) +
                                         i * dtype_info[of->dtype].bytes, of->dtype)
                      : args[k].f;
        }
        elem_set_f64((char *)tensor_data(want) + i * dtype_info[want->dtype].bytes, want->dtype,
                     lerp_of(x[0], x[1], x[2], want->dtype == DT_f64));
    }
}

static void judge_node(Judge *j, const Trace *t, NodeId n, Tensor *const *all)
{
    ValueId out = 0;
    if (t->nodes[n].span != 1 || arg_values(t->nodes[n].out, &out, 1) != 1)
        return;
    ck_assert_ptr_nonnull(all[out]);
    Tensor *want = oracle_of(t, n, all, out), *got = tensor_contiguous(all[out]);
    if (t->nodes[n].op->id == PRIM_lerp)
        use_formula(t, n, all, want);
    const char *a = tensor_data(got), *b = tensor_data(want);
    for (int64_t i = 0; i < tensor_numel(got); i++) {
        double ulp;
        bool good = near_enough(a, b, got->dtype, &ulp);
        j->worst = ulp > j->worst ? ulp : j->worst;
        ck_assert_msg(good, "%s%.*s[%lld] is %.9g, the oracle gives %.9g (%s)", j->text,
                      STR(t->values[out].name), (long long)i, elem_get_f64(a, got->dtype),
                      elem_get_f64(b, got->dtype), t->nodes[n].op->name);
        a += dtype_info[got->dtype].bytes;
        b += dtype_info[got->dtype].bytes;
    }
    j->statements++;
    j->operators += !j->seen[t->nodes[n].op->id];
    j->seen[t->nodes[n].op->id] = true;
    tensor_unref(want);
    tensor_unref(got);
}

static void judge_statement(const Event *e, void *user)
{
    Judge *j = user;
    if (e->kind != EVENT_node_end)
        return;
    const Trace *t = e->trace;
    const Node *node = &t->nodes[e->node];
    if (!node->executor || strcmp(node->executor, "c") != 0)
        return;
    Watch w = {.above = 0};
    Tensor **all = calloc(t->nvalues, sizeof *all);
    for (ValueId v = 0; v < t->nvalues; v++)
        all[v] = e->values[v] ? tensor_ref(e->values[v]) : NULL;
    double ulp = 0;
    ck_assert(fusion_values(s, t, e->node, &w, all, &ulp, &d));
    ck_assert(ulp == 0);
    no_errors();
    for (NodeId n = e->node; n < e->node + node->span; n++)
        judge_node(j, t, n, all);
    for (ValueId v = 0; v < t->nvalues; v++)
        tensor_unref(all[v]);
    free(all);
}

static void judge_chain(Judge *j, const char *text, DType main, DType other)
{
    Run run;
    RunOptions keep = {.keep_values = true};
    j->text = text;
    Program *p = load_text(text);
    bind(p, "x", main);
    bind(p, "y", main);
    bind(p, "z", other);
    bind(p, "n", DT_i64);
    bind(p, "k", DT_i32);
    bind(p, "m", DT_b8);
    Stage *last = program_find_stage(s, p, S("last"), &d);
    no_errors();
    uint32_t handle = session_listen(s, judge_statement, j);
    bool ran = session_run(s, p, last, &keep, &run, &d);
    session_unlisten(s, handle);
    no_errors();
    ck_assert(ran);
    run_free(&run);
    session_unload(s, p);
}

START_TEST(each_statement_of_a_chain_is_within_two_ulp)
{
    static const DType kinds[][2] = {
        {DT_f32, DT_f32}, {DT_bf16, DT_f32}, {DT_f16, DT_bf16}, {DT_f32, DT_f64}};
    Judge j = {0};
    use_c();
    find_entries();
    ck_assert_uint_gt(nentries, 150);
    seed = (uint64_t)_i + 1;
    for (uint32_t at = 0; at < nentries;) {
        StrBuf b = {0};
        at = write_chain(&b, kinds[_i][0], kinds[_i][1], at);
        judge_chain(&j, sb_cstr(&b), kinds[_i][0], kinds[_i][1]);
        sb_free(&b);
    }
    ck_assert_uint_gt(j.statements, 140);
    ck_assert_uint_gt(j.operators, 50);
    ck_assert(j.worst > 0); /* there are operators that no kernel rounds correctly */
}
END_TEST

/* ----------------------------------------------------------------------------------- reductions */

/* The bound of a reduction: 2 ULP of the result, and in proportion to the sum of sizes one rounding
 * an element of what collects it (float for up to 16384 of f16 and bf16, else double), where double
 * collects floats the three roundings of those that float adds up first, and those of the operators
 * that make the elements. */
typedef struct Reduction {
    const char *body, *sizes;
    double n;  /* elements of one sum */
    bool made; /* by operators that round, in the dtype */
} Reduction;

enum { ROWS = 37, COLUMNS = 1100 };

static const Reduction reductions[] = {
    {"torch.sum(x, 1)", "torch.sum(torch.abs(x), 1)", COLUMNS, false},
    {"torch.sum(x, 0)", "torch.sum(torch.abs(x), 0)", ROWS, false},
    {"torch.sum(x)", "torch.sum(torch.abs(x))", ROWS * COLUMNS, false},
    {"torch.mean(x, 0)", "torch.mean(torch.abs(x), 0)", ROWS, false},
    {"torch.var(x, 1, correction=0)", "torch.var(x, 1, correction=0)", COLUMNS, true},
    {"torch.var(torch.round(x) + 128, 1)", "torch.var(torch.round(x), 1)", COLUMNS, true},
    {"torch.std(x, 1)", "torch.std(x, 1)", COLUMNS, false},
    {"torch.sum(x * y, 1)", "torch.sum(torch.abs(x * y), 1)", COLUMNS, true},
    {"torch.sum(torch.exp(x) - y, 0)", "torch.sum(torch.exp(x) + torch.abs(y), 0)", ROWS, true},
    {"torch.amax(x, 1)", "torch.amax(x, 1) * 0", 0, false},
};

static void judge_reduction(const Reduction *r, DType dtype, const Run *got, const Run *want)
{
    bool wide = dtype == DT_f32 || r->n > 16384;
    double collected = r->n * ldexp(1, wide ? -53 : -24), parts = wide ? 3 * ldexp(1, -24) : 0;
    double unit = collected + parts + (r->made ? tensor_ulp(1, dtype) : 0), least = INFINITY;
    const double *exact = tensor_data(want->outputs[0]), *sizes = tensor_data(want->outputs[1]);
    const char *at = tensor_data(got->outputs[0]);
    for (int64_t i = 0; i < tensor_numel(got->outputs[0]); i++) {
        double x = elem_get_f64(at + i * dtype_info[dtype].bytes, dtype);
        double bound = 2 * tensor_ulp(exact[i], dtype) + unit * sizes[i];
        ck_assert_msg(fabs(x - exact[i]) <= bound, "%s of %s: [%lld] is %.9g, exactly %.9g",
                      r->body, dtype_info[dtype].name, (long long)i, x, exact[i]);
        least = fmin(least, bound / fmax(fabs(exact[i]), fabs(sizes[i])));
    }
    ck_assert(least < (dtype == DT_f32 ? 1e-6 : 2e-2)); /* the bound says something */
}

START_TEST(reductions_are_within_their_bound)
{
    static const DType kinds[] = {DT_f32, DT_bf16, DT_f16};
    const Reduction *r = &reductions[_i];
    use_c();
    ck_assert(session_set_option(s, S("kernel.eager_rounding"), S("off"), &d));
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
        StrBuf b = {0};
        const char *name = dtype_info[kinds[k]].name;
        sb_printf(&b, "def f(x: \"%s[%d, %d]\", y: \"%s[%d, %d]\"):\n    return (%s, %s)\n",
                  name, ROWS, COLUMNS, name, ROWS, COLUMNS, r->body, r->sizes);
        Program *p = load_text(sb_cstr(&b));
        ck_assert(program_bind_random(s, p, 7, &d));
        RunOptions exact = {.rounding = ROUND_f64};
        Run want, got;
        ck_assert(session_run(s, p, program_root(p), &exact, &want, &d));
        ck_assert(session_run(s, p, program_find_stage(s, p, S("last"), &d), NULL, &got, &d));
        no_errors();
        judge_reduction(r, kinds[k], &got, &want);
        run_free(&got);
        run_free(&want);
        session_unload(s, p);
        sb_free(&b);
    }
}
END_TEST

/* ---------------------------------------------------------------------------- recorded programs */

static const char *const models[] = {
    "mlp.dynamo.py", "mlp.export.py", "mlp.aot_fw.py", "mlp.aot_bw.py", "gpt_block.dynamo.py",
    "gpt_block.aot_fw.py", "gpt_block.aot_bw.py", "layernorm.fw00.py", "dynamic_mlp.py",
    "train_step.py",
};

/* Every value that differs between kernels and the interpreter has a cause other than "wrong". */
START_TEST(recorded_programs_have_no_unexplained_difference)
{
    StrBuf path = {0};
    Run a, b, oracle;
    ExecList interp;
    use_c();
    ck_assert(session_set_option(s, S("kernel.eager_rounding"), S("off"), &d));
    sb_printf(&path, CASES "%s", models[_i]);
    Program *p = load_case(sb_cstr(&path));
    ck_assert(program_bind_random(s, p, 3, &d));
    Stage *last = program_find_stage(s, p, S("last"), &d);
    ck_assert(exec_parse_list(session_executors(s), S("interp"), &interp, &d));
    RunOptions own = {.keep_values = true};
    RunOptions other = {.keep_values = true, .executors = &interp};
    RunOptions exact = {.keep_values = true, .executors = &interp, .rounding = ROUND_f64};
    ck_assert(session_run(s, p, last, &own, &a, &d));
    ck_assert(session_run(s, p, last, &other, &b, &d));
    ck_assert(session_run(s, p, last, &exact, &oracle, &d));
    no_errors();
    Assess *j = assess_new(s, &oracle, (AssessSide){.run = &a}, (AssessSide){.run = &b});
    uint32_t compared = 0;
    for (ValueId v = 1; v < last->trace->nvalues; v++) {
        if (!a.values[v] || !b.values[v])
            continue;
        Assessed why = assess_value(j, v);
        compared++;
        ck_assert_msg(why.word != CAUSE_wrong, "%s: %.*s is %g and %g ULP off, %g are expected",
                      models[_i], STR(last->trace->values[v].name), why.ulp[0], why.ulp[1],
                      why.expected);
    }
    ck_assert_uint_gt(compared, 3);
    assess_free(j);
    run_free(&a);
    run_free(&b);
    run_free(&oracle);
    sb_free(&path);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("chains");
    TCase *c = tcase_create("chains");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, each_statement_of_a_chain_is_within_two_ulp, 0, 4);
    tcase_add_loop_test(c, reductions_are_within_their_bound, 0, ARRAY_LEN(reductions));
    tcase_add_loop_test(c, recorded_programs_have_no_unexplained_difference, 0,
                        ARRAY_LEN(models));
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
