/*
 * check_direct.c - decompositions against direct kernels, on random inputs of twenty shapes each.
 *
 * A direct kernel is a formula of direct_rows.h: those calls are run by the f64 oracle, so that
 * only a wrong formula, not rounding, makes a difference. Or it is PyTorch's, recorded in
 * cases/direct by record_direct.py. Every operator has one or the other, or a reason why it has
 * none.
 */
#define _POSIX_C_SOURCE 200809L
#include "prim_lab.h"

#include "session.h"

#include <dirent.h>

#include "direct_support.h"

#include "direct_rows.h"

enum { SHAPES = 20, MOST = 8192 };

#define RECORDED TEST_DIR "/cases/direct"

static PrimLab lab;
static unsigned seed;

static void setup(void)
{
    lab_open(&lab);
    lab.rounding = ROUND_f64;
    seed = 5;
}

static void teardown(void)
{
    lab_close(&lab);
}

/* -------------------------------------------------------------------------------- the formulas */

/* A formula is a case of its number: __COUNTER__ counts on from where a table begins. */
enum { FIRST_MAP = __COUNTER__ + 1 };
#define CASE(formula) case __COUNTER__ - FIRST_MAP: return formula;
#define MAP_CASE(call, formula) CASE(formula)
static double map_value(int row, double x, double y, double z)
{
    int exponent;
    (void)y, (void)z, (void)exponent;
    switch (row) {
        MAPS(MAP_CASE)
    default:
        return NAN;
    }
}

enum { FIRST_FOLD = __COUNTER__ + 1 };
#define FOLD_CASE(call, ...) case __COUNTER__ - FIRST_FOLD: { __VA_ARGS__ }
static double fold_value(int row, const double *v, const double *w, int n)
{
    (void)w;
    switch (row) {
        FOLDS(FOLD_CASE)
    default:
        return NAN;
    }
}

enum { FIRST_LINE = __COUNTER__ + 1 };
#define LINE_CASE(call, ...) case __COUNTER__ - FIRST_LINE: { __VA_ARGS__ } break;
static void line_values(int row, const double *v, const double *w, int n, double *out)
{
    (void)w;
    switch (row) {
        LINES(LINE_CASE)
    default:
        break;
    }
}

/* Sizes by letter. */
typedef struct Sizes {
    int of[26];
} Sizes;

enum { FIRST_WHOLE = __COUNTER__ + 1 };
#define SIZE(letter, at) __attribute__((unused)) const int letter = z->of[at];
#define WHOLE_CASE(call, sa, sb, sc, ...) case __COUNTER__ - FIRST_WHOLE: { __VA_ARGS__ } break;
/* How many elements it puts. */
static int64_t whole_values(int row, const Sizes *z, const double *a, const double *b,
                            const double *c, double *OUT)
{
    SIZE(H, 7) SIZE(I, 8) SIZE(J, 9) SIZE(K, 10) SIZE(M, 12) SIZE(N, 13) SIZE(Q, 16) SIZE(W, 22)
    const double *first = OUT;
    switch (row) {
        WHOLES(WHOLE_CASE)
    default:
        break;
    }
    return OUT - first;
}

#define CALL_OF(call, ...) call,
static const char *const map_calls[] = {MAPS(CALL_OF)};
static const char *const fold_calls[] = {FOLDS(CALL_OF)};
static const char *const line_calls[] = {LINES(CALL_OF)};
#define ROW_OF(call, sa, sb, sc, ...) {call, {sa, sb, sc}},
static const struct {
    const char *call, *shapes[3];
} wholes[] = {WHOLES(ROW_OF)};

/* ------------------------------------------------------------------------------------- running */

static double uniform(void)
{
    return -2 + 4 * (rand_r(&seed) / (RAND_MAX + 1.0));
}

static Tensor *random_tensor(uint32_t rank, const int64_t *shape)
{
    Tensor *t = tensor_new(DT_f64, (Device){DEV_cpu, 0}, rank, shape);
    double *p = tensor_data(t);
    for (int64_t i = 0; i < tensor_numel(t); i++)
        p[i] = uniform();
    return t;
}

/* Runs the call; the result as doubles, dense. */
static Tensor *result_of(const char *call, Tensor *const *in)
{
    bool good = lab_compile(&lab, call, in) && lab_execute(&lab, in);
    char *said = diag_text(&lab.d);
    ck_assert_msg(good, "%s: %s", call, said);
    free(said);
    return tensor_cast(lab_output(&lab, 0), DT_f64);
}

static void compare(const char *call, const Tensor *have, const double *want, int64_t n)
{
    const double *p = tensor_data(have);
    ck_assert_msg(tensor_numel(have) == n, "%s gives %lld elements, not %lld", call,
                  (long long)tensor_numel(have), (long long)n);
    for (int64_t i = 0; i < n; i++)
        ck_assert_msg((isnan(p[i]) && isnan(want[i])) || p[i] == want[i] ||
                          fabs(p[i] - want[i]) <= 1e-9 * (1 + fabs(want[i])),
                      "%s: element %lld is %.17g, the formula gives %.17g", call, (long long)i,
                      p[i], want[i]);
}

/* A shape of 1 to 3 dimensions for three operands. */
static void open_operands(Tensor *in[LAB_INPUTS])
{
    int64_t shape[3];
    uint32_t rank = 1 + (uint32_t)rand_r(&seed) % 3;
    for (uint32_t i = 0; i < rank; i++)
        shape[i] = 1 + rand_r(&seed) % 6;
    shape[rank - 1] = 2 + rand_r(&seed) % 6; /* the last dimension is what is folded */
    for (int i = 0; i < LAB_INPUTS; i++)
        in[i] = i < 3 ? random_tensor(rank, shape) : NULL;
}

static void close_operands(Tensor *in[LAB_INPUTS], Tensor *have)
{
    for (int i = 0; i < LAB_INPUTS; i++)
        tensor_unref(in[i]);
    tensor_unref(have);
}

START_TEST(maps)
{
    for (int i = 0; i < SHAPES; i++) {
        Tensor *in[LAB_INPUTS];
        double want[MOST];
        open_operands(in);
        Tensor *have = result_of(map_calls[_i], in);
        const double *a = tensor_data(in[0]), *b = tensor_data(in[1]), *c = tensor_data(in[2]);
        for (int64_t k = 0; k < tensor_numel(in[0]); k++)
            want[k] = map_value(_i, a[k], b[k], c[k]);
        compare(map_calls[_i], have, want, tensor_numel(in[0]));
        close_operands(in, have);
    }
}
END_TEST

START_TEST(folds)
{
    for (int i = 0; i < SHAPES; i++) {
        Tensor *in[LAB_INPUTS];
        double want[MOST];
        open_operands(in);
        Tensor *have = result_of(fold_calls[_i], in);
        int n = (int)in[0]->shape[in[0]->rank - 1];
        const double *a = tensor_data(in[0]), *b = tensor_data(in[1]);
        int64_t lines = tensor_numel(in[0]) / n;
        for (int64_t k = 0; k < lines; k++)
            want[k] = fold_value(_i, a + k * n, b + k * n, n);
        compare(fold_calls[_i], have, want, lines);
        close_operands(in, have);
    }
}
END_TEST

START_TEST(lines)
{
    for (int i = 0; i < SHAPES; i++) {
        Tensor *in[LAB_INPUTS];
        double want[MOST];
        open_operands(in);
        Tensor *have = result_of(line_calls[_i], in);
        int n = (int)in[0]->shape[in[0]->rank - 1];
        const double *a = tensor_data(in[0]), *b = tensor_data(in[1]);
        for (int64_t k = 0; k < tensor_numel(in[0]); k += n)
            line_values(_i, a + k, b + k, n, want + k);
        compare(line_calls[_i], have, want, tensor_numel(in[0]));
        close_operands(in, have);
    }
}
END_TEST

/* Sizes that suit every row: kernels (J) are shorter than what they pass over, there are no more
 * reflectors (I) than rows, and more rows (M) than unknowns (K). */
static Sizes random_sizes(void)
{
    Sizes z;
    for (int i = 0; i < 26; i++)
        z.of[i] = 3 + rand_r(&seed) % 3;
    z.of['J' - 'A'] = z.of['I' - 'A'] = 2 + rand_r(&seed) % 2;
    z.of['M' - 'A'] = 5 + rand_r(&seed) % 2;
    z.of['Q' - 'A'] = 1 + rand_r(&seed) % 3;
    return z;
}

static void open_whole(int row, const Sizes *z, Tensor *in[LAB_INPUTS])
{
    for (int k = 0; k < LAB_INPUTS; k++)
        in[k] = NULL;
    for (int k = 0; k < 3 && *wholes[row].shapes[k]; k++) {
        int64_t shape[8];
        uint32_t rank = 0;
        for (const char *s = wholes[row].shapes[k]; *s; s++)
            shape[rank++] = *s < 'A' ? *s - '0' : z->of[*s - 'A'];
        in[k] = random_tensor(rank, shape);
    }
}

START_TEST(whole_operators)
{
    for (int i = 0; i < SHAPES; i++) {
        Tensor *in[LAB_INPUTS];
        double want[MOST];
        Sizes z = random_sizes();
        const double *data[3] = {NULL};
        open_whole(_i, &z, in);
        for (int k = 0; k < 3 && in[k]; k++)
            data[k] = tensor_data(in[k]);
        Tensor *have = result_of(wholes[_i].call, in);
        int64_t n = whole_values(_i, &z, data[0], data[1], data[2], want);
        compare(wholes[_i].call, have, want, n ? n : tensor_numel(have));
        close_operands(in, have);
    }
}
END_TEST

/* --------------------------------------------------------------------------- recorded kernels */

static Session *open_session(void)
{
    ExecList l;
    executors_default(&l);
    return session_new(&l);
}

static void collect_line(void *user, Str line)
{
    sb_printf(user, "%.*s\n", STR(line));
}

/* executors NULL: those of every program. */
static void replay_all(const char *executors, bool grad)
{
    Session *s = open_session();
    Diag d = {0};
    StrBuf said = {0};
    ExecList list;
    ReplayResult r;
    Str folder = S(RECORDED);
    ReplayOptions o = {.grad = grad, .strict = true, .rtol = -1, .atol = -1};
    if (executors) {
        ck_assert(exec_parse_list(session_executors(s), str_from(executors), &list, &d));
        o.executors = &list;
    }
    o.report = collect_line;
    o.user = &said;
    ck_assert(session_replay(s, &folder, 1, &o, &r, &d));
    ck_assert_msg(r.failed == 0 && r.skipped == 0, "%s", sb_cstr(&said));
    ck_assert_uint_ge(r.passed, 600);
    diag_clear(&d);
    sb_free(&said);
    session_free(s);
}

START_TEST(recorded_kernels)
{
    replay_all("interp", false);
}
END_TEST

START_TEST(recorded_gradients)
{
    replay_all("interp", true);
}
END_TEST

START_TEST(recorded_kernels_with_all_executors)
{
    replay_all(NULL, false);
}
END_TEST

/* -------------------------------------------------------------------------- the whole op table */

/* Operators by what checks them: how many shapes each was seen with. */
typedef struct Cover {
    bool *formula;
    uint32_t *shapes;
    Map seen; /* "NAME shapes of arguments and results" */
} Cover;

/* Marks the operators of a call, also those inside of others: the formula tests them as well. */
static void mark_call(Cover *c, const char *call, Tensor *const *in)
{
    ck_assert(lab_compile(&lab, call, in));
    for (NodeId n = 0; n < lab.t->nnodes; n++)
        c->formula[lab.t->nodes[n].op->id] = true;
}

static void mark_formulas(Cover *c)
{
    Tensor *in[LAB_INPUTS];
    open_operands(in);
    for (size_t i = 0; i < ARRAY_LEN(map_calls); i++)
        mark_call(c, map_calls[i], in);
    for (size_t i = 0; i < ARRAY_LEN(fold_calls); i++)
        mark_call(c, fold_calls[i], in);
    for (size_t i = 0; i < ARRAY_LEN(line_calls); i++)
        mark_call(c, line_calls[i], in);
    close_operands(in, NULL);
    for (size_t i = 0; i < ARRAY_LEN(wholes); i++) {
        Sizes z = random_sizes();
        open_whole((int)i, &z, in);
        mark_call(c, wholes[i].call, in);
        close_operands(in, NULL);
    }
}

static void put_shapes(const Trace *t, Arg tree, StrBuf *out)
{
    ValueId values[64];
    uint32_t n = arg_values(tree, values, ARRAY_LEN(values));
    for (uint32_t i = 0; i < n && i < ARRAY_LEN(values); i++) {
        const Type *type = &value_get(t, values[i])->type;
        sb_puts(out, " [");
        for (uint32_t k = 0; k < type->rank; k++)
            sb_printf(out, "%lld,", (long long)type->shape[k]);
        sb_puts(out, "]");
    }
}

static void mark_trace(Cover *c, const Trace *t)
{
    StrBuf key = {0};
    for (NodeId i = 0; i < t->nnodes; i++) {
        const Node *n = &t->nodes[i];
        bool is_new;
        sb_clear(&key);
        op_qualified_name(n->op, &key);
        const Op *op = registry_find(&lab.reg, sb_str(&key));
        for (uint32_t k = 0; k < n->nargs; k++)
            put_shapes(t, n->args[k], &key);
        put_shapes(t, n->out, &key);
        map_put(&c->seen, sb_str(&key), &is_new);
        c->shapes[op->id] += is_new;
    }
    sb_free(&key);
}

static void mark_recorded(Cover *c)
{
    Session *s = open_session();
    DIR *folder = opendir(RECORDED);
    ck_assert_ptr_nonnull(folder);
    for (const struct dirent *e; (e = readdir(folder)) != NULL;) {
        char path[512];
        Diag d = {0};
        snprintf(path, sizeof path, RECORDED "/%s", e->d_name);
        if (!strstr(path, ".py"))
            continue;
        ck_assert_uint_gt(session_load(s, str_from(path), &d), 0);
        ck_no_errors(&d);
        diag_clear(&d);
    }
    closedir(folder);
    for (uint32_t i = 0; i < session_program_count(s); i++)
        mark_trace(c, program_root(session_program(s, i))->trace);
    session_free(s);
}

/* Operators that cannot be seen with as many shapes. */
static const struct {
    const char *name, *reason;
} single[] = {
    {"item", "of one element; the recorded programs `layouts` use it"},
    {"scalar_tensor", "gives one element; in the recorded programs `creation`"},
    {"sym_sum", "adds sizes, not tensors; samples_more.py has a call"},
};

/* What has no value that a kernel could give as well: random operators (check_random tests their
 * distributions), statements and checks, and what is answered while the program is read. */
static bool has_no_kernel(const Op *op)
{
    for (size_t i = 0; i < ARRAY_LEN(single); i++)
        if (strcmp(op->name, single[i].name) == 0)
            return true;
    if (op->flags & (OP_RANDOM | OP_OPAQUE | OP_CONTROL | OP_CHECK))
        return true;
    Trace *t = op_sample(&lab.reg, op);
    bool answered = t && t->nnodes == 0;
    trace_unref(t);
    return answered;
}

static bool is_covered(const Cover *c, const Op *op)
{
    return c->formula[op->id] || c->shapes[op->id] >= SHAPES;
}

/* In-place forms are derived, all in one way, from the functional operator that is their `user`. */
static const Op *computes(const Op *op)
{
    return op->flags & OP_IN_PLACE && op->user ? op->user : op;
}

START_TEST(every_operator_has_a_direct_kernel)
{
    Cover c = {calloc(lab.reg.n, sizeof *c.formula), calloc(lab.reg.n, sizeof *c.shapes), {0}};
    StrBuf missing = {0};
    mark_formulas(&c);
    mark_recorded(&c);
    for (uint32_t i = 0; i < lab.reg.n; i++) {
        const Op *op = lab.reg.ops[i];
        if (op->language != LANG_torch || is_covered(&c, computes(op)) ||
            has_no_kernel(computes(op)))
            continue;
        sb_printf(&missing, " %s (%u)", op->name, c.shapes[i]);
    }
    ck_assert_msg(missing.n == 0, "no formula, and fewer than %d recorded shapes:%s", SHAPES,
                  sb_cstr(&missing));
    sb_free(&missing);
    map_free(&c.seen);
    free(c.formula);
    free(c.shapes);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("direct");
    TCase *t = tcase_create("formulas");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, maps, 0, (int)ARRAY_LEN(map_calls));
    tcase_add_loop_test(t, folds, 0, (int)ARRAY_LEN(fold_calls));
    tcase_add_loop_test(t, lines, 0, (int)ARRAY_LEN(line_calls));
    tcase_add_loop_test(t, whole_operators, 0, (int)ARRAY_LEN(wholes));
    tcase_add_test(t, recorded_kernels);
    tcase_add_test(t, recorded_gradients);
    tcase_add_test(t, recorded_kernels_with_all_executors);
    tcase_add_test(t, every_operator_has_a_direct_kernel);
    suite_add_tcase(s, t);
    return run_suite(s);
}
