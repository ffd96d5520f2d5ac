/*
 * check_oracle.c - properties of every operator of the tables, on random inputs.
 *
 * For each operator calls are made by sample.c, on at least DRAWS random shapes where it takes any
 * shape, else with new data each time. Promises:
 *
 *   1. Of every prim in the decomposition, interp's rounded mode and its f64 oracle agree on the
 *      same operands: within one unit in the last place of the dtype (of the result, and of a
 *      number among the operands). Exceptions: matmul, linear and convolution add f32 in f32,
 *      within one rounding a term of the sum of absolute values; prod and cumprod multiply in the
 *      dtype, within one rounding a factor.
 *   2. An operator that has a prim of its name gives what that prim's kernel gives.
 *   3. An elementwise operator gives each element what it gives that element alone.
 */
#include "support.h"

#include "executors.h"
#include "front.h"
#include "lang.h"
#include "session.h"

#include <math.h>
#include <stdio.h>

enum { DRAWS = 20, TRIES = 400 };

static Registry reg;
static unsigned seed;

static void setup(void)
{
    Diag d = {0};
    registry_init(&reg);
    lang_register(&reg, &d);
    ck_no_errors(&d);
    seed = 11;
}

static void teardown(void)
{
    registry_free(&reg);
}

static double uniform(double low, double high)
{
    return low + (high - low) * rand_r(&seed) / (RAND_MAX + 1.0);
}

/* ---------------------------------------------------------------------------------- running */

/* Values of a trace while it runs. */
typedef struct Bench {
    const Trace *t;
    Tensor **values;
    Diag d;
} Bench;

static Tensor *random_tensor(const Type *type, double low, double high)
{
    DType d = (DType)type->dtype;
    Tensor *t = tensor_new(d, (Device){DEV_cpu, 0}, type->rank, type->shape);
    for (int64_t i = 0; i < tensor_numel(t); i++) {
        char *at = (char *)tensor_data(t) + i * dtype_info[d].bytes;
        double c[2] = {uniform(low, high), uniform(low, high)};
        if (dtype_is_inexact(d))
            elem_set_c128(at, d, c);
        else
            elem_set_i64(at, d, rand_r(&seed) % 2);
    }
    return t;
}

static void bench_open(Bench *b, const Trace *t)
{
    *b = (Bench){.t = t, .values = calloc(t->nvalues, sizeof(Tensor *))};
}

static void bench_close(Bench *b)
{
    for (uint32_t v = 0; v < b->t->nvalues; v++)
        tensor_unref(b->values[v]);
    free(b->values);
    diag_clear(&b->d);
}

static bool run_node(Bench *b, NodeId n, Tensor **values, Rounding rounding)
{
    ExecCall call = {
        .t = b->t, .node = n, .values = values, .rounding = rounding, .diag = &b->d};
    return exec_interp.run(&call);
}

/* Runs all prims; check (may be NULL) is called behind each. False when one refuses its values. */
static bool bench_run(Bench *b, Rounding rounding, void (*check)(Bench *b, NodeId n))
{
    for (NodeId n = 0; n < b->t->nnodes; n++) {
        if (b->t->nodes[n].span != 1)
            continue;
        if (!run_node(b, n, b->values, rounding))
            return false;
        if (check)
            check(b, n);
    }
    return true;
}

static Tensor *output(const Bench *b)
{
    Arg outs[MAX_OUTPUTS];
    uint32_t n = trace_outputs(b->t, outs, MAX_OUTPUTS);
    return n && outs[0].kind == ARG_value ? b->values[outs[0].v] : NULL;
}

/* ---------------------------------------------------------------------------------- samples */

static Dims random_shape(void)
{
    Dims s = {.n = (uint32_t)rand_r(&seed) % 5};
    for (uint32_t i = 0; i < s.n; i++)
        s.v[i] = rand_r(&seed) % 12 ? 1 + rand_r(&seed) % 5 : 0;
    return s;
}

/* A call of op on a random shape, or the one that sample.c finds. */
static Trace *draw_call(const Op *op, DType d, int attempt)
{
    for (int i = 0; i < TRIES / DRAWS; i++) {
        Dims shape = random_shape();
        Trace *t = op_sample_of(&reg, op, &shape, d, (uint32_t)(attempt + i) % SAMPLE_NUMBERS);
        if (t && t->nnodes)
            return t;
        trace_unref(t);
    }
    Trace *t = op_sample(&reg, op);
    if (t && t->nnodes)
        return t;
    trace_unref(t);
    return NULL;
}

static void bind_inputs(Bench *b, double low, double high)
{
    for (uint32_t i = 0; i < b->t->ninputs; i++) {
        ValueId v = b->t->inputs[i];
        b->values[v] = random_tensor(&b->t->values[v].type, low, high);
    }
}

static bool is_prim_of(const Op *op, enum PrimId id)
{
    return op->language == LANG_prims && op->id == (uint32_t)id;
}

/* Boundary statements and writes are no functions of their operands. */
static bool is_function(const Op *op)
{
    uint32_t not = OP_OPAQUE | OP_UNPACK | OP_CHECK | OP_CONTROL | OP_IN_PLACE | OP_KEEP;
    return op->language < LANG_executor && !(op->flags & not);
}

/* ---------------------------------------------------------------- 1: rounded against the oracle */

/* What the two modes mean by these differs: the bits of a dtype, its next number, random bits. */
static bool depends_on_the_dtype(const Op *op)
{
    return is_prim_of(op, PRIM_bitcast) || is_prim_of(op, PRIM_nextafter) ||
           is_prim_of(op, PRIM_stride_order) || (op->flags & OP_RANDOM);
}

static Tensor *widened(const Tensor *t, bool absolute)
{
    DType wide = dtype_is_complex(t->dtype) ? DT_c128
                 : dtype_is_float(t->dtype) ? DT_f64
                                            : t->dtype;
    Tensor *w = tensor_cast(t, wide);
    double *p = tensor_data(w);
    for (int64_t i = 0; absolute && wide == DT_f64 && i < tensor_numel(w); i++)
        p[i] = fabs(p[i]);
    return w;
}

/* The results of node n in f64, of the operands that the rounded run has, or their absolute
 * values. */
static Tensor **oracle_of(Bench *b, NodeId n, bool absolute)
{
    const Node *node = &b->t->nodes[n];
    Tensor **wide = calloc(b->t->nvalues, sizeof *wide);
    ValueId used[256];
    for (uint32_t i = 0; i < node->nargs; i++) {
        uint32_t k = arg_values(node->args[i], used, ARRAY_LEN(used));
        ck_assert_uint_le(k, ARRAY_LEN(used));
        for (uint32_t j = 0; j < k; j++)
            if (!wide[used[j]] && b->values[used[j]])
                wide[used[j]] = widened(b->values[used[j]], absolute);
    }
    ck_assert(run_node(b, n, wide, ROUND_f64));
    return wide;
}

static void drop_values(const Bench *b, Tensor **values)
{
    for (uint32_t v = 0; v < b->t->nvalues; v++)
        tensor_unref(values[v]);
    free(values);
}

static double unit(DType d)
{
    static const double units[DT_COUNT] = {
        [DT_f8_e4m3fn] = 0x1p-3, [DT_f8_e5m2] = 0x1p-2, [DT_f16] = 0x1p-10, [DT_bf16] = 0x1p-7,
        [DT_f32] = 0x1p-23,      [DT_f64] = 0x1p-52,    [DT_c64] = 0x1p-23, [DT_c128] = 0x1p-52,
        [DT_c32] = 0x1p-10};
    return units[d];
}

/* Terms in the sums of a product, or factors. */
static double terms(const Bench *b, const Node *node)
{
    const Tensor *x = b->values[node->args[0].v];
    const Tensor *y = node->args[1].kind == ARG_value ? b->values[node->args[1].v] : NULL;
    if (is_prim_of(node->op, PRIM_convolution))
        return (double)tensor_numel(y);
    if (is_prim_of(node->op, PRIM_prod) || is_prim_of(node->op, PRIM_cumprod))
        return (double)tensor_numel(x);
    return x->rank ? (double)x->shape[x->rank - 1] : 1;
}

static bool rounds_each_step(const Op *op)
{
    return is_prim_of(op, PRIM_matmul) || is_prim_of(op, PRIM_linear) ||
           is_prim_of(op, PRIM_convolution) || is_prim_of(op, PRIM_prod) ||
           is_prim_of(op, PRIM_cumprod);
}

static bool within(double x, double y, double bound)
{
    if (isnan(x) || isnan(y) || isinf(x) || isinf(y))
        return (isnan(x) && isnan(y)) || x == y;
    return fabs(x - y) <= bound;
}

/* The largest number among the arguments: it is rounded to the dtype, too. */
static double number_in(const Node *node)
{
    double largest = 0;
    for (uint32_t i = 0; i < node->nargs; i++)
        if (node->args[i].kind == ARG_float)
            largest = fmax(largest, fabs(node->args[i].f));
    return largest;
}

/* have: rounded, want: the oracle; size: of the sum of absolute values, or NULL, of n terms;
 * number: an operand that is rounded as well. */
static bool agree(const Tensor *have, const Tensor *want, const Tensor *size, double n,
                  double number)
{
    DType d = have->dtype;
    Tensor *x = tensor_cast(have, DT_c128), *rounded = tensor_cast(want, d);
    Tensor *y = tensor_cast(rounded, DT_c128), *z = size ? tensor_cast(size, DT_c128) : NULL;
    const double *p = tensor_data(x), *q = tensor_data(y), *s = z ? tensor_data(z) : NULL;
    bool same = have->rank == want->rank;
    for (int64_t i = 0; same && i < 2 * tensor_numel(have); i++) {
        double scale = s ? (n + 1) * s[i] : hypot(q[i & ~1], q[i | 1]) + number;
        double bound = dtype_is_inexact(d) ? unit(d) * scale + 0x1p-149 : 0;
        same = p[i] == q[i] || within(p[i], q[i], bound);
    }
    tensor_unref(x);
    tensor_unref(y);
    tensor_unref(z);
    tensor_unref(rounded);
    return same;
}

static void check_node(Bench *b, NodeId n)
{
    const Node *node = &b->t->nodes[n];
    ValueId outs[64];
    uint32_t nouts = arg_values(node->out, outs, ARRAY_LEN(outs));
    if (!is_function(node->op) || depends_on_the_dtype(node->op))
        return;
    bool product = rounds_each_step(node->op) && nouts &&
                   dtype_is_float((DType)b->t->values[outs[0]].type.dtype);
    Tensor **wide = oracle_of(b, n, false), **sizes = product ? oracle_of(b, n, true) : NULL;
    for (uint32_t i = 0; i < nouts && i < ARRAY_LEN(outs); i++) {
        StrBuf text = {0};
        PrintOptions o = {.types = true};
        node_print(b->t, n, &o, &text);
        ck_assert_msg(agree(b->values[outs[i]], wide[outs[i]], sizes ? sizes[outs[i]] : NULL,
                            product ? terms(b, node) : 0, number_in(node)),
                      "rounded and f64 mode differ in result %u of %s", i, sb_cstr(&text));
        sb_free(&text);
    }
    drop_values(b, wide);
    if (sizes)
        drop_values(b, sizes);
}

static void compare_modes(const Op *op, DType d)
{
    for (int i = 0; i < DRAWS; i++) {
        Trace *t = draw_call(op, d, i);
        if (!t)
            return;
        Bench b;
        bench_open(&b, t);
        bind_inputs(&b, i % 2 ? 0 : -2, i % 2 ? 1 : 2);
        bench_run(&b, ROUND_dtype, check_node);
        bench_close(&b);
        trace_unref(t);
    }
}

/* A part of the operators in each test: none takes long. */
enum { PARTS = 16 };

START_TEST(both_modes_agree)
{
    for (uint32_t k = (uint32_t)_i; k < reg.n; k += PARTS) {
        if (!is_function(reg.ops[k]))
            continue;
        compare_modes(reg.ops[k], DT_f32);
        compare_modes(reg.ops[k], DT_bf16);
    }
}
END_TEST

/* ---------------------------------------------------------------------- 2: the prim of the name */

/* The prim's result on the operands of the composite at node 0; NULL when its parameters differ. */
static Tensor *by_prim(Bench *b, const Op *prim)
{
    const Node *node = &b->t->nodes[0];
    Trace *t = trace_derive(b->t);
    Diag d = {0};
    Build build = {.t = t, .diag = &d};
    Arg args[MAX_PARAMS];
    for (uint32_t i = 0; i < prim->sig.n; i++) {
        args[i] = i < node->nargs ? node->args[i] : prim->sig.params[i].dflt;
        if (i >= node->nargs && !prim->sig.params[i].has_default)
            build.failed = true;
    }
    t->output = build.failed ? A_NONE : op_call(&build, prim, args);
    diag_clear(&d);
    Tensor *out = NULL;
    if (!build.failed) {
        trace_finish(t);
        Bench p;
        bench_open(&p, t);
        for (uint32_t i = 0; i < t->ninputs; i++)
            p.values[t->inputs[i]] = tensor_ref(b->values[t->inputs[i]]);
        if (bench_run(&p, ROUND_f64, NULL) && output(&p))
            out = tensor_ref(output(&p));
        bench_close(&p);
    }
    trace_unref(t);
    return out;
}

static uint32_t compare_with_prim(const Op *op, const Op *prim)
{
    uint32_t compared = 0;
    for (int i = 0; i < DRAWS; i++) {
        Trace *t = draw_call(op, DT_f64, i);
        if (!t)
            return compared;
        Bench b;
        bench_open(&b, t);
        bind_inputs(&b, i % 2 ? 0.05 : -2, i % 2 ? 0.95 : 2);
        Tensor *want = bench_run(&b, ROUND_f64, NULL) && output(&b) ? by_prim(&b, prim) : NULL;
        bool same_type = want && want->dtype == output(&b)->dtype && want->rank == output(&b)->rank;
        if (same_type) {
            compared++;
            ck_assert_msg(tensor_compare(output(&b), want, 0, 0).equal,
                          "ltorch.%s is not what prims.%s gives", op->name, prim->name);
        }
        tensor_unref(want);
        bench_close(&b);
        trace_unref(t);
    }
    return compared;
}

START_TEST(a_composite_equals_the_prim_of_its_name)
{
    uint32_t operators = 0;
    for (uint32_t k = 0; k < reg.n; k++) {
        char name[128];
        const Op *op = reg.ops[k];
        snprintf(name, sizeof name, "prims.%s", op->name);
        const Op *prim = registry_find(&reg, str_from(name));
        bool both = op->language == LANG_torch && prim && is_function(op) && is_function(prim);
        /* reductions and random numbers: other parameters, and other draws */
        if (both && !(op->flags & OP_RANDOM) && !depends_on_the_dtype(prim))
            operators += compare_with_prim(op, prim) > 0;
    }
    ck_assert_uint_ge(operators, 70);
}
END_TEST

/* ------------------------------------------------------------------------ 3: element by element */

/* What the operator gives the i-th elements of the inputs alone. */
static bool alone(const Trace *one, const Bench *b, int64_t i, double out[2])
{
    Bench e;
    bench_open(&e, one);
    for (uint32_t k = 0; k < one->ninputs; k++) {
        Tensor *in = b->values[b->t->inputs[k]];
        Tensor *x = tensor_new(in->dtype, in->device, 0, NULL);
        memcpy(tensor_data(x), (char *)tensor_data(in) + i * dtype_info[in->dtype].bytes,
               dtype_info[in->dtype].bytes);
        e.values[one->inputs[k]] = x;
    }
    bool ran = bench_run(&e, ROUND_f64, NULL) && output(&e);
    if (ran)
        elem_get_c128(tensor_data(output(&e)), output(&e)->dtype, out);
    bench_close(&e);
    return ran;
}

static void compare_elements(const Op *op, const Trace *t, const Trace *one)
{
    Bench b;
    bench_open(&b, t);
    bind_inputs(&b, -2, 2);
    const Tensor *first = t->ninputs ? b.values[t->inputs[0]] : NULL;
    bool one_result = t->nodes[0].out.kind == ARG_value; /* where(mask) gives indices */
    bool ran = first && one_result && bench_run(&b, ROUND_f64, NULL) && output(&b);
    if (ran && tensor_numel(output(&b)) == tensor_numel(first)) {
        Tensor *all = tensor_clone(output(&b));
        for (int64_t i = 0; i < tensor_numel(all); i++) {
            double have[2], want[2];
            elem_get_c128((char *)tensor_data(all) + i * dtype_info[all->dtype].bytes, all->dtype,
                          have);
            if (alone(one, &b, i, want))
                ck_assert_msg(within(have[0], want[0], 0) && within(have[1], want[1], 0),
                              "ltorch.%s: element %lld is %.17g, alone %.17g", op->name,
                              (long long)i, have[0], want[0]);
        }
        tensor_unref(all);
    }
    bench_close(&b);
}

START_TEST(an_elementwise_operator_sees_one_element)
{
    uint32_t operators = 0;
    Dims scalar = {0};
    for (uint32_t k = 0; k < reg.n; k++) {
        const Op *op = reg.ops[k];
        int done = 0;
        if (op->language != LANG_torch || !(op->flags & OP_ELEMENTWISE) || !is_function(op))
            continue;
        for (int i = 0; i < TRIES && done < DRAWS; i++) {
            Dims shape = random_shape();
            uint32_t kind = (uint32_t)i % SAMPLE_NUMBERS;
            Trace *t = op_sample_of(&reg, op, &shape, DT_f64, kind);
            Trace *one = t ? op_sample_of(&reg, op, &scalar, DT_f64, kind) : NULL;
            if (one && one->nnodes && t->nnodes && one->ninputs == t->ninputs) {
                compare_elements(op, t, one);
                done++;
            }
            trace_unref(t);
            trace_unref(one);
        }
        operators += done == DRAWS;
    }
    ck_assert_uint_ge(operators, 150);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("oracle");
    TCase *t = tcase_create("operators");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, both_modes_agree, 0, PARTS);
    tcase_add_test(t, a_composite_equals_the_prim_of_its_name);
    tcase_add_test(t, an_elementwise_operator_sees_one_element);
    suite_add_tcase(s, t);
    return run_suite(s);
}
