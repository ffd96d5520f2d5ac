/*
 * check_fold.c - every rule of fold.def against the interpreter.
 *
 * For each rule the pattern is built as a program, for every dtype and with its numbers as literals
 * and as filled tensors; it runs as it is and after the fold pass. A rule that is called exact must
 * give the same bits (any NaN for a NaN). Rules that need code meet random chains of moves and
 * casts. A rule that never fires fails the test.
 */
#include "executors.h"
#include "fold_rules.h"
#include "pass_lab.h"
#include "session.h"
#include "support.h"

#include <math.h>

static const DType dtypes[] = {DT_f32, DT_f64, DT_f16, DT_bf16, DT_i64, DT_i32,
                               DT_i8,  DT_u8,  DT_b8,  DT_c64,  DT_c128};

enum { MAX_INPUTS = 4, SIZE = 48, MAX_RULES = 256 };

static Session *session; /* runs traces; one for a test, since making one takes a while */

static void setup(void)
{
    ExecList list;
    executors_default(&list);
    session = session_new(&list);
}

static void teardown(void)
{
    session_free(session);
}

typedef struct Bench {
    Lab *l;
    Tensor *inputs[MAX_INPUTS];
} Bench;

static void bench_begin(Bench *b)
{
    static const Executor *const only[] = {&exec_interp};
    *b = (Bench){.l = lab_new(only, 1)};
}

static void bench_end(Bench *b)
{
    for (uint32_t i = 0; i < MAX_INPUTS; i++)
        tensor_unref(b->inputs[i]);
    lab_free(b->l);
}

static double element(DType d, int64_t k, uint32_t input, bool tame)
{
    static const double special[] = {-0.0, 0.0, INFINITY, -INFINITY, NAN, 1e-42, -1e-42, 3e38};
    bool exact = dtype_is_exact(d);
    if (tame)
        return 0.5 + (double)((k * 7 + input * 3) % 13) / 8;
    if (exact) {
        int64_t n = (k * 37 + input * 11) % 256 - (d == DT_u8 || d == DT_b8 ? 0 : 128);
        return (double)(n == 0 && input ? 1 : n); /* only the first operand may be 0: divisors */
    }
    if (k % 3 == 0)
        return special[(k / 3 + input) % (int64_t)ARRAY_LEN(special)];
    return ((double)((k * 29 + input * 5) % 41) - 20) / 8;
}

static void fill_inputs(Bench *b, bool tame)
{
    const Trace *t = b->l->t;
    for (uint32_t i = 0; i < t->ninputs; i++) {
        const Type *type = &t->values[t->inputs[i]].type;
        DType d = (DType)type->dtype;
        b->inputs[i] = tensor_new(d, type->device, type->rank, type->shape);
        char *p = tensor_data(b->inputs[i]);
        for (int64_t k = 0; k < type_numel(type); k++, p += dtype_info[d].bytes) {
            double pair[2] = {element(d, k, i, tame), element(d, k + 5, i, tame)};
            if (dtype_is_complex(d))
                elem_set_c128(p, d, pair);
            else if (d == DT_b8)
                elem_set_i64(p, d, (int64_t)pair[0] & 1);
            else if (dtype_is_exact(d))
                elem_set_i64(p, d, (int64_t)pair[0]);
            else
                elem_set_f64(p, d, pair[0]);
        }
    }
}

static Tensor *result(Bench *b, const Trace *t)
{
    Run run;
    RunOptions o = {.rounding = ROUND_dtype};
    bool good = trace_run(session, t, b->inputs, &o, &run, &b->l->d);
    ck_no_errors(&b->l->d);
    ck_assert(good);
    Tensor *out = tensor_contiguous(run.outputs[0]);
    run_free(&run);
    return out;
}

/* A real or imaginary part: the same bits, or both NaN; close by when the rule may round. */
static bool same_number(double x, double y, double rtol)
{
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y);
    if (rtol > 0)
        return x == y || fabs(x - y) <= rtol * (fabs(y) + 0.05);
    return x == y && signbit(x) == signbit(y);
}

static bool same_tensor(const Tensor *x, const Tensor *y, double rtol, int64_t *at)
{
    const char *p = tensor_data(x), *q = tensor_data(y);
    int64_t bytes = dtype_info[x->dtype].bytes;
    if (x->dtype != y->dtype || x->rank != y->rank)
        return false;
    for (*at = 0; *at < tensor_numel(x); ++*at, p += bytes, q += bytes) {
        double a[2], c[2];
        if (dtype_is_exact(x->dtype)) {
            if (elem_get_i64(p, x->dtype) != elem_get_i64(q, y->dtype))
                return false;
            continue;
        }
        elem_get_c128(p, x->dtype, a);
        elem_get_c128(q, y->dtype, c);
        bool imaginary = !dtype_is_complex(x->dtype) || same_number(a[1], c[1], rtol);
        if (!same_number(a[0], c[0], rtol) || !imaginary)
            return false;
    }
    return true;
}

/* Folds the program and compares; counts in fired[] what the log says was applied. */
static void fold_and_compare(Bench *b, bool tame, double rtol, const Fold *f, uint32_t *fired)
{
    Lab *l = b->l;
    fill_inputs(b, tame);
    lab_pass(l, "inplace");
    Tensor *want = result(b, l->t);
    uint32_t before = l->log.n;
    lab_pass(l, "fold");
    Tensor *got = result(b, l->t);
    int64_t at = 0;
    const char *rule = l->log.n > before ? log_at(&l->log, before)->kind->rule : "nothing";
    if (!same_tensor(got, want, rtol, &at)) {
        StrBuf text = {0};
        tensor_print(got, 0, 80, &text);
        sb_puts(&text, "\ninstead of\n");
        tensor_print(want, 0, 80, &text);
        ck_abort_msg("rule %s in %s, element %lld:\n%s", rule, dtype_info[want->dtype].name,
                     (long long)at, sb_cstr(&text));
    }
    tensor_unref(got);
    tensor_unref(want);
    for (uint32_t i = before; i < l->log.n; i++)
        for (uint32_t k = 0; k < f->nrules; k++)
            fired[k] += log_at(&l->log, i)->verdict == RULE_done &&
                        strcmp(log_at(&l->log, i)->kind->rule, f->rules[k].text) == 0;
}

/* The rules, for a registry that lives as long as the bench. */
static Fold rules_of(Bench *b)
{
    Fold f = {.in = b->l->t};
    fold_rules(&f);
    return f;
}

/* ---------------------------------------------------------------------------------- patterns */

typedef struct Instance {
    Bench *b;
    DType dtype;
    bool filled; /* numbers as filled tensors */
    Arg variables[26];
} Instance;

static Arg instance_number(Instance *x, const Term *t)
{
    int64_t shape = SIZE;
    bool is_bool = t->kind == TERM_bool;
    Arg number = is_bool                    ? A_BOOL(t->number != 0)
                 : dtype_is_exact(x->dtype) ? A_INT((int64_t)t->number)
                                            : A_FLOAT(t->number);
    if (!x->filled)
        return number;
    return emit(&x->b->l->b, full, arg_ints(x->b->l->t, &shape, 1), number, A_DEVICE(((Device){0})),
                A_DTYPE(is_bool ? DT_b8 : x->dtype));
}

static Arg instance_of(Instance *x, const Term *t)
{
    Arg args[MAX_PARAMS] = {{0}};
    int64_t shape = SIZE;
    if (t->kind == TERM_variable) {
        Arg *v = &x->variables[t->variable];
        char name[2] = {(char)('a' + t->variable), 0};
        bool condition = name[0] == 'c';
        if (arg_is_none(*v))
            *v = lab_input(x->b->l, name, condition ? DT_b8 : x->dtype, 1, &shape);
        return *v;
    }
    if (t->kind != TERM_call)
        return instance_number(x, t);
    for (uint32_t i = 0; i < t->n; i++)
        args[i] = instance_of(x, &t->kids[i]);
    return op_call(&x->b->l->b, t->op, args);
}

static double tolerance(DType d)
{
    return d == DT_f64 ? 1e-9 : d == DT_f32 ? 1e-4 : 4e-2;
}

/* Tries rule k for one dtype; a dtype that its prims refuse is no case. */
static void try_rule(uint32_t k, DType dtype, bool filled, uint32_t *fired)
{
    Bench b;
    bench_begin(&b);
    Instance x = {&b, dtype, filled, {{0}}};
    Fold f = rules_of(&b);
    Arg out = instance_of(&x, &f.rules[k].pattern);
    bool fast = (f.rules[k].conditions & FAST) != 0;
    b.l->options[0] = (Option){S("fold.fast"), fast ? S("on") : S("off")};
    b.l->noptions = 1;
    if (!b.l->b.failed) {
        lab_finish(b.l, &out, 1);
        fold_and_compare(&b, fast, fast ? tolerance(dtype) : 0, &f, fired);
    }
    diag_clear(&b.l->d);
    arena_free(&f.scratch);
    bench_end(&b);
}

/* How many rules there are; which of them are patterns. */
static uint32_t rule_count(bool *is_pattern, uint32_t max)
{
    Bench b;
    bench_begin(&b);
    Fold f = rules_of(&b);
    ck_assert_uint_le(f.nrules, max);
    for (uint32_t k = 0; k < f.nrules; k++)
        is_pattern[k] = f.rules[k].fn == NULL;
    arena_free(&f.scratch);
    bench_end(&b);
    return f.nrules;
}

static void every_rule_fired(const uint32_t *fired, bool with_code)
{
    Bench b;
    bench_begin(&b);
    Fold f = rules_of(&b);
    for (uint32_t k = 0; k < f.nrules; k++)
        if ((f.rules[k].fn != NULL) == with_code)
            ck_assert_msg(fired[k] > 0, "rule %s was never applied", f.rules[k].text);
    arena_free(&f.scratch);
    bench_end(&b);
}

START_TEST(patterns_give_the_same_bits)
{
    bool is_pattern[MAX_RULES];
    uint32_t n = rule_count(is_pattern, MAX_RULES), fired[MAX_RULES] = {0};
    for (uint32_t k = 0; k < n; k++)
        for (size_t d = 0; d < ARRAY_LEN(dtypes) && is_pattern[k]; d++)
            for (int filled = 0; filled < 2; filled++)
                try_rule(k, dtypes[d], filled, fired);
    every_rule_fired(fired, false);
}
END_TEST

/* ---------------------------------------------------------------------------- moves and casts */

typedef struct Chain {
    Bench *b;
    uint64_t r;
    Arg at;
} Chain;

static Arg chain_ints(Chain *c, const int64_t *v, uint32_t n)
{
    return arg_ints(c->b->l->t, v, n);
}

static void chain_slice(Chain *c, const Type *type)
{
    int64_t start[MAX_RANK], end[MAX_RANK], step[MAX_RANK];
    bool whole = lab_random(&c->r, 4) == 0;
    for (uint32_t i = 0; i < type->rank; i++) {
        int64_t size = type->shape[i];
        start[i] = whole || size < 2 ? 0 : lab_random(&c->r, 2);
        end[i] = whole ? size : size - (size > 3 ? lab_random(&c->r, 2) : 0);
        step[i] = whole ? 1 : 1 + lab_random(&c->r, 2);
    }
    c->at = emit(&c->b->l->b, slice_prim, c->at, chain_ints(c, start, type->rank),
                 chain_ints(c, end, type->rank),
                 lab_random(&c->r, 2) || !whole ? chain_ints(c, step, type->rank) : A_NONE);
}

static void chain_broadcast(Chain *c, const Type *type)
{
    int64_t shape[MAX_RANK], dims[MAX_RANK];
    uint32_t front = lab_random(&c->r, 2), n = type->rank + front;
    shape[0] = 2;
    for (uint32_t i = 0; i < type->rank; i++) {
        shape[i + front] = type->shape[i];
        dims[i] = i + front;
    }
    if (type->rank > 3 && front)
        return;
    c->at = emit(&c->b->l->b, broadcast_in_dim, c->at, chain_ints(c, shape, n),
                 chain_ints(c, dims, type->rank));
}

static void chain_reshape(Chain *c, const Type *type)
{
    int64_t count = type_numel(type), two[2] = {2, count / 2};
    uint32_t kind = lab_random(&c->r, 3);
    Arg shape = kind == 0                ? chain_ints(c, type->shape, type->rank)
                : kind == 1 || count % 2 ? chain_ints(c, &count, 1)
                                         : chain_ints(c, two, 2);
    c->at = lab_random(&c->r, 2) ? emit(&c->b->l->b, reshape, c->at, shape)
                                 : emit(&c->b->l->b, view, c->at, shape);
}

static void chain_pad(Chain *c, const Type *type)
{
    Arg widths[MAX_RANK];
    int64_t shift = lab_random(&c->r, 2);
    for (uint32_t i = 0; i < type->rank; i++)
        widths[i] = chain_ints(c, (int64_t[]){shift, -shift, 0}, 3);
    Arg zero = dtype_is_exact((DType)type->dtype) ? A_INT(0) : A_FLOAT(0);
    c->at = emit(&c->b->l->b, pad, c->at, zero, arg_tuple(c->b->l->t, widths, type->rank));
}

static void chain_step(Chain *c)
{
    static const DType casts[] = {DT_f32, DT_f64, DT_bf16, DT_f16, DT_i64, DT_i32, DT_i8, DT_u8};
    Build *b = &c->b->l->b;
    Type type = arg_type(b, c->at);
    int64_t perm[MAX_RANK];
    switch (lab_random(&c->r, 12)) {
    case 0:
        chain_slice(c, &type);
        return;
    case 1:
        chain_broadcast(c, &type);
        return;
    case 2:
        chain_reshape(c, &type);
        return;
    case 3:
        chain_pad(c, &type);
        return;
    case 4: {
        bool still = lab_random(&c->r, 3) == 0;
        for (uint32_t i = 0; i < type.rank; i++)
            perm[i] = still ? i : type.rank - 1 - i;
        c->at = emit(b, transpose, c->at, chain_ints(c, perm, type.rank));
        return;
    }
    case 5: {
        int64_t last = (int64_t)type.rank - 1;
        c->at = emit(b, flip, c->at, chain_ints(c, &last, type.rank ? 1 : 0));
        return;
    }
    case 6:
        c->at = emit(b, squeeze, c->at, chain_ints(c, perm, 0));
        return;
    case 7:
        c->at = emit(b, cat, arg_list(c->b->l->t, &c->at, 1), A_INT(0));
        return;
    case 8:
        c->at = lab_random(&c->r, 2) ? emit(b, shallow_copy, c->at) : emit(b, clone, c->at);
        return;
    case 9:
        c->at = lab_random(&c->r, 4) ? emit(b, device_put, c->at, A_DEVICE(type.device))
                                     : emit(b, neg, c->at);
        return;
    case 10:
        if (dtype_is_int((DType)type.dtype))
            c->at = emit(b, add, c->at, A_INT(1 + lab_random(&c->r, 90)));
        return;
    default:
        c->at = emit(b, convert_element_type, c->at,
                     A_DTYPE(casts[lab_random(&c->r, ARRAY_LEN(casts))]));
    }
}

/* Casts of floats to integers get numbers that fit; what others become is left open. */
START_TEST(chains_of_moves_and_casts_give_the_same_bits)
{
    uint32_t fired[MAX_RULES] = {0};
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        static const DType from[] = {DT_f32, DT_bf16, DT_f16, DT_i32, DT_i8, DT_u8, DT_b8};
        Bench b;
        bench_begin(&b);
        Fold f = rules_of(&b);
        Chain c = {&b, seed * 0x9e3779b97f4a7c15u, {0}};
        DType dtype = from[lab_random(&c.r, ARRAY_LEN(from))];
        c.at = lab_input(b.l, "x", dtype, 2, (const int64_t[]){4, 6});
        for (uint32_t i = 0, k = 2 + lab_random(&c.r, 7); i < k; i++)
            chain_step(&c);
        if (!b.l->b.failed) {
            lab_finish(b.l, &c.at, 1);
            fold_and_compare(&b, true, 0, &f, fired);
        }
        arena_free(&f.scratch);
        bench_end(&b);
    }
    every_rule_fired(fired, true);
}
END_TEST

/* ------------------------------------------------------------------------------- single cases */

START_TEST(a_composite_counts_as_the_prim_that_it_is)
{
    Bench b;
    bench_begin(&b);
    Arg x = lab_input(b.l, "x", DT_i64, 2, (const int64_t[]){4, 6});
    Arg y = lab_call(b.l, "ltorch.lab_plus", x, A_INT(0)), out = emit(&b.l->b, neg, y);
    lab_finish(b.l, &out, 1);
    lab_pass(b.l, "inplace");
    lab_pass(b.l, "fold");
    ck_assert_uint_eq(b.l->t->nnodes, 1);
    ck_assert_uint_eq(b.l->t->nodes[0].args[0].v, x.v);
    bench_end(&b);
}
END_TEST

START_TEST(without_the_option_only_exact_rules_apply)
{
    Bench b;
    bench_begin(&b);
    Arg x = lab_matrix(b.l, "x"), out = emit(&b.l->b, add, x, A_FLOAT(0));
    lab_finish(b.l, &out, 1);
    lab_pass(b.l, "inplace");
    lab_pass(b.l, "fold");
    ck_assert_uint_eq(b.l->t->nnodes, 1); /* -0.0 + 0 is 0 */
    ck_assert_uint_eq(b.l->last.applied, 0);
    const RuleEntry *e = log_at(&b.l->log, b.l->log.n - 1);
    ck_assert_int_eq(e->verdict, RULE_refused);
    ck_contains(rule_reason(e).p, "fold.fast");
    bench_end(&b);
}
END_TEST

START_TEST(a_value_does_not_become_an_input_that_is_written_back)
{
    Bench b;
    bench_begin(&b);
    Arg x = lab_matrix(b.l, "x"), out = emit(&b.l->b, mul, x, A_INT(1));
    lab_call(b.l, "ltorch.lab_plus_", x, A_FLOAT(5));
    lab_finish(b.l, &out, 1);
    lab_pass(b.l, "inplace");
    lab_pass(b.l, "fold");
    ck_assert_uint_eq(b.l->t->output.v, out.v);
    ck_assert_uint_eq(lab_count(b.l, "mul"), 1);
    bench_end(&b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("fold");
    TCase *c = tcase_create("fold");
    tcase_add_unchecked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, patterns_give_the_same_bits);
    tcase_add_test(c, chains_of_moves_and_casts_give_the_same_bits);
    tcase_add_test(c, a_composite_counts_as_the_prim_that_it_is);
    tcase_add_test(c, without_the_option_only_exact_rules_apply);
    tcase_add_test(c, a_value_does_not_become_an_input_that_is_written_back);
    suite_add_tcase(s, c);
    return run_suite(s);
}
