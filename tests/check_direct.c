/*
 * check_direct.c - decompositions against direct formulas, on random inputs of twenty shapes each.
 *
 * The formulas stand in direct_rows.h. Every call is run by the f64 oracle, so that only a wrong
 * formula, not rounding, makes a difference.
 */
#include "prim_lab.h"

#include "direct_support.h"

#include "direct_rows.h"

enum { SHAPES = 20, MOST = 8192 };

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

/* Marks the operators of a call, also those inside of others: the formula tests them as well. */
static void mark(const char *call, Tensor *const *in, bool *used)
{
    ck_assert(lab_compile(&lab, call, in));
    for (NodeId n = 0; n < lab.t->nnodes; n++)
        used[lab.t->nodes[n].op->id] = true;
}

START_TEST(how_many_operators_have_a_formula)
{
    Tensor *in[LAB_INPUTS];
    bool *used = calloc(lab.reg.n, sizeof *used);
    uint32_t covered = 0;
    open_operands(in);
    for (size_t i = 0; i < ARRAY_LEN(map_calls); i++)
        mark(map_calls[i], in, used);
    for (size_t i = 0; i < ARRAY_LEN(fold_calls); i++)
        mark(fold_calls[i], in, used);
    for (size_t i = 0; i < ARRAY_LEN(line_calls); i++)
        mark(line_calls[i], in, used);
    close_operands(in, NULL);
    for (size_t i = 0; i < ARRAY_LEN(wholes); i++) {
        Sizes z = random_sizes();
        open_whole((int)i, &z, in);
        mark(wholes[i].call, in, used);
        close_operands(in, NULL);
    }
    for (uint32_t i = 0; i < lab.reg.n; i++)
        covered += used[i] && lab.reg.ops[i]->language == LANG_torch;
    free(used);
    ck_assert_msg(covered >= 330, "only %u operators are in a formula", covered);
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
    tcase_add_test(t, how_many_operators_have_a_formula);
    suite_add_tcase(s, t);
    return run_suite(s);
}
