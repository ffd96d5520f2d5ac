/*
 * check_inplace.c - programs that write through views: every stage, and every number of rule
 * applications inside a pass, gives the bits that the program as written gives.
 *
 * The interpreter runs stage 0 with real views and writes in place; that is the reference.
 */
#include "executors.h"
#include "pass_lab.h"
#include "session.h"
#include "support.h"

#include <math.h>

static Session *session; /* runs traces */

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
    Tensor *inputs[4];
} Bench;

static void bench_begin(Bench *b)
{
    static const Executor *const only[] = {&exec_interp};
    *b = (Bench){.l = lab_new(only, 1)};
}

/* Inputs hold -0.0, NaN and infinities too: the passes must carry bits, not numbers. */
static void bench_inputs(Bench *b)
{
    static const float special[] = {-0.0f, 0.0f, 1.0f / 0.0f, -1.0f / 0.0f, 0.0f / 0.0f, 1e-40f};
    for (uint32_t i = 0; i < b->l->t->ninputs; i++) {
        const Type *type = &b->l->t->values[b->l->t->inputs[i]].type;
        b->inputs[i] = tensor_new((DType)type->dtype, type->device, type->rank, type->shape);
        char *p = tensor_data(b->inputs[i]);
        for (int64_t k = 0; k < type_numel(type); k++, p += dtype_info[type->dtype].bytes)
            elem_set_f64(p, (DType)type->dtype,
                         k % 7 == 3 ? (double)special[((uint64_t)k / 7 + i) % ARRAY_LEN(special)]
                                    : (double)(k * 3 % 11) - 4.5 + i);
    }
}

static void bench_end(Bench *b)
{
    for (uint32_t i = 0; i < ARRAY_LEN(b->inputs); i++)
        tensor_unref(b->inputs[i]);
    lab_free(b->l);
}

static Run bench_run(Bench *b, const Trace *t)
{
    Run run;
    RunOptions o = {.rounding = ROUND_dtype};
    bool good = trace_run(session, t, b->inputs, &o, &run, &b->l->d);
    ck_no_errors(&b->l->d);
    ck_assert(good);
    return run;
}

/* The same bits, or NaN for NaN. */
static bool same_elements(const Tensor *x, const Tensor *y)
{
    const char *p = tensor_data(x), *q = tensor_data(y);
    size_t bytes = dtype_info[y->dtype].bytes;
    if (x->dtype != y->dtype || tensor_numel(x) != tensor_numel(y))
        return false;
    for (int64_t k = 0; k < tensor_numel(y); k++, p += bytes, q += bytes)
        if (memcmp(p, q, bytes) != 0 &&
            !(isnan(elem_get_f64(p, x->dtype)) && isnan(elem_get_f64(q, y->dtype))))
            return false;
    return true;
}

static void same_tensor(Tensor *got, Tensor *want, const char *what, uint32_t i)
{
    if (!want || !got) {
        ck_assert_msg(!want && !got, "%s %u exists on one side only", what, i);
        return;
    }
    Tensor *x = tensor_contiguous(got), *y = tensor_contiguous(want);
    if (!same_elements(x, y)) {
        StrBuf text = {0};
        tensor_print(x, 0, 80, &text);
        sb_puts(&text, "\ninstead of\n");
        tensor_print(y, 0, 80, &text);
        ck_abort_msg("%s %u is\n%s", what, i, sb_cstr(&text));
    }
    tensor_unref(x);
    tensor_unref(y);
}

static void same_run(const Run *got, const Run *want, const Trace *t)
{
    ck_assert_uint_eq(got->noutputs, want->noutputs);
    for (uint32_t i = 0; i < want->noutputs; i++)
        same_tensor(got->outputs[i], want->outputs[i], "output", i);
    for (uint32_t i = 0; i < t->ninputs; i++)
        if (want->mutated[i] && got->mutated[i])
            same_tensor(got->mutated[i], want->mutated[i], "mutated input", i);
}

/* An input that one stage writes and another leaves alone must have kept its contents. */
static void untouched(const Bench *b, const Run *r, const Run *other)
{
    for (uint32_t i = 0; i < b->l->t->ninputs; i++)
        if (r->mutated[i] && !other->mutated[i])
            same_tensor(r->mutated[i], b->inputs[i], "input not written back", i);
}

static void compare_with(Bench *b, const Trace *t, const Run *want)
{
    Run got = bench_run(b, t);
    same_run(&got, want, t);
    untouched(b, &got, want);
    untouched(b, want, &got);
    run_free(&got);
}

/* Every fuel and every skip of every pass. */
static void check_program(Bench *b)
{
    static const char *const rest[] = {"dce", "fold", "cse", "claim", "dce", "plan"};
    Lab *l = b->l;
    Run want = bench_run(b, l->t);
    Trace *full = lab_run(l, l->t, "inplace", UINT64_MAX, UINT64_MAX);
    uint64_t n = l->last.applied;
    for (uint64_t k = 0; k < n; k++) {
        Trace *some = lab_run(l, l->t, "inplace", k, UINT64_MAX);
        compare_with(b, some, &want);
        trace_unref(some);
        some = lab_run(l, l->t, "inplace", UINT64_MAX, k);
        compare_with(b, some, &want);
        Trace *joined = lab_run(l, some, "cse", UINT64_MAX, UINT64_MAX);
        Trace *folded = lab_run(l, joined, "fold", UINT64_MAX, UINT64_MAX);
        compare_with(b, folded, &want);
        trace_unref(folded);
        trace_unref(joined);
        trace_unref(some);
    }
    trace_unref(l->t);
    l->t = full;
    compare_with(b, l->t, &want);
    for (size_t p = 0; p < ARRAY_LEN(rest); p++) {
        full = lab_run(l, l->t, rest[p], UINT64_MAX, UINT64_MAX);
        n = l->last.applied;
        for (uint64_t k = 0; k < n; k++) {
            Trace *some = lab_run(l, l->t, rest[p], k, UINT64_MAX);
            compare_with(b, some, &want);
            trace_unref(some);
            some = lab_run(l, l->t, rest[p], UINT64_MAX, k);
            compare_with(b, some, &want);
            trace_unref(some);
        }
        trace_unref(l->t);
        l->t = full;
        compare_with(b, l->t, &want);
    }
    run_free(&want);
}

static void no_writes_but_last(const Trace *t)
{
    bool writing = false;
    for_top(t, n) {
        bool writes = t->nodes[n].op->id == PRIM_copy_;
        ck_assert_msg(writes || !writing, "%s follows a write-back", t->nodes[n].op->name);
        for (NodeId i = n; i < n + t->nodes[n].span; i++)
            ck_assert(writes || !(t->nodes[i].op->flags & OP_IN_PLACE));
        writing |= writes;
    }
}

/* ------------------------------------------------------------------------------ random programs */

enum { MAX_HAVE = 64 };

typedef struct Maker {
    Bench *b;
    uint64_t r;
    Arg have[MAX_HAVE];
    uint32_t n;
} Maker;

static Arg pick(Maker *m)
{
    return m->have[lab_random(&m->r, m->n)];
}

static uint32_t rank_of(Maker *m, Arg a)
{
    return m->b->l->t->values[a.v].type.rank;
}

static const int64_t *shape_of(Maker *m, Arg a)
{
    return m->b->l->t->values[a.v].type.shape;
}

static void give(Maker *m, Arg a)
{
    if (m->n < MAX_HAVE && arg_is_value(a))
        m->have[m->n++] = a;
}

static Arg ints(Maker *m, const int64_t *v, uint32_t n)
{
    return arg_ints(m->b->l->t, v, n);
}

static Arg make_slice(Maker *m, Arg a)
{
    int64_t start[8], end[8], step[8];
    uint32_t rank = rank_of(m, a);
    for (uint32_t i = 0; i < rank; i++) {
        int64_t size = shape_of(m, a)[i];
        start[i] = size > 1 ? lab_random(&m->r, (uint32_t)size) : 0;
        end[i] = start[i] + 1 + lab_random(&m->r, (uint32_t)(size - start[i]));
        step[i] = 1 + lab_random(&m->r, 3);
    }
    return emit(&m->b->l->b, slice_prim, a, ints(m, start, rank), ints(m, end, rank),
                ints(m, step, rank));
}

static Arg make_turn(Maker *m, Arg a)
{
    int64_t perm[8];
    uint32_t rank = rank_of(m, a);
    for (uint32_t i = 0; i < rank; i++)
        perm[i] = (i + 1) % rank;
    return emit(&m->b->l->b, transpose, a, ints(m, perm, rank));
}

/* All elements in one or two dimensions: a copy where the layout does not allow a view. */
static Arg make_reshape(Maker *m, Arg a)
{
    int64_t count = type_numel(&m->b->l->t->values[a.v].type), two[2] = {count, 1};
    if (count % 2 == 0) {
        two[0] = 2;
        two[1] = count / 2;
    }
    bool flat = two[1] == 1 || lab_random(&m->r, 2);
    return emit(&m->b->l->b, reshape, a, flat ? ints(m, &count, 1) : ints(m, two, 2));
}

static Arg make_view(Maker *m, Arg a)
{
    Build *b = &m->b->l->b;
    uint32_t rank = rank_of(m, a);
    int64_t count = type_numel(&m->b->l->t->values[a.v].type);
    switch (lab_random(&m->r, 8)) {
    case 7: {
        int64_t order[8];
        bool turned = lab_random(&m->r, 3) == 0;
        for (uint32_t i = 0; i < rank; i++)
            order[i] = turned ? i : rank - 1 - i;
        return emit(b, stride_order, a, ints(m, order, rank));
    }
    case 0:
        return rank ? make_slice(m, a) : a;
    case 1:
        return rank > 1 ? make_turn(m, a) : a;
    case 2: {
        int64_t flat = count;
        return emit(b, reshape, a, ints(m, &flat, 1));
    }
    case 3:
        return rank == 2 && shape_of(m, a)[0] == 4
                   ? lab_call(m->b->l, "ltorch.lab_row", a, A_INT(2))
                   : emit(b, shallow_copy, a);
    case 4: { /* a new dimension in front, then gone again half of the time */
        int64_t shape[9] = {1}, dims[8], zero = 0;
        for (uint32_t i = 0; i < rank; i++) {
            shape[i + 1] = shape_of(m, a)[i];
            dims[i] = i + 1;
        }
        if (rank > 5)
            return a;
        Arg wide = emit(b, broadcast_in_dim, a, ints(m, shape, rank + 1), ints(m, dims, rank));
        return lab_random(&m->r, 2) ? wide : emit(b, squeeze, wide, ints(m, &zero, 1));
    }
    case 5:
        return rank == 1 && count >= 6 ? emit(b, unfold, a, A_INT(0), A_INT(2), A_INT(3)) : a;
    default:
        return make_reshape(m, a);
    }
}

/* Values of a's shape: computed from it, or read from something that shares storage. */
static Arg make_like(Maker *m, Arg a)
{
    Build *b = &m->b->l->b;
    for (int tries = 0; tries < 4; tries++) {
        Arg other = pick(m);
        if (type_equal(&m->b->l->t->values[a.v].type, &m->b->l->t->values[other.v].type) &&
            lab_random(&m->r, 2))
            return other;
    }
    return emit(b, mul, a, A_FLOAT(0.5));
}

static void make_statement(Maker *m)
{
    Build *b = &m->b->l->b;
    Arg a = pick(m);
    switch (lab_random(&m->r, 8)) {
    case 0:
        give(m, emit(b, neg, a));
        break;
    case 1:
        give(m, emit(b, add, a, make_like(m, a)));
        break;
    case 2:
    case 3:
    case 4:
        give(m, make_view(m, a));
        break;
    case 5:
        give(m, lab_call(m->b->l, "ltorch.lab_plus_", a, A_FLOAT(1)));
        break;
    case 6:
        lab_call(m->b->l, "ltorch.lab_plus_", a, make_like(m, a));
        break;
    default: {
        Arg from = make_like(m, a);
        if (from.v != a.v)
            give(m, emit(b, copy_, emit(b, clone, from), a, A_BOOL(true)));
    }
    }
}

START_TEST(random_programs_give_the_same_bits)
{
    Bench b;
    bench_begin(&b);
    Maker m = {.b = &b, .r = (uint64_t)_i * 0x9e3779b97f4a7c15u + 7};
    give(&m, lab_matrix(b.l, "x"));
    give(&m, lab_matrix(b.l, "y"));
    give(&m, lab_input(b.l, "z", DT_f32, 1, (const int64_t[]){12}));
    for (uint32_t i = 0, n = 4 + lab_random(&m.r, 14); i < n; i++)
        make_statement(&m);
    Arg out[4];
    for (uint32_t i = 0; i < 4; i++)
        out[i] = i < 2 ? pick(&m) : emit(&b.l->b, abs, pick(&m));
    lab_finish(b.l, out, 4);
    bench_inputs(&b);
    Trace *full = lab_run(b.l, b.l->t, "inplace", UINT64_MAX, UINT64_MAX);
    no_writes_but_last(full);
    trace_unref(full);
    check_program(&b);
    bench_end(&b);
}
END_TEST

/* -------------------------------------------------------------------------------- single cases */

START_TEST(an_input_written_often_is_written_back_once)
{
    Bench b;
    bench_begin(&b);
    Arg x = lab_matrix(b.l, "x");
    for (int i = 0; i < 5; i++)
        lab_call(b.l, "ltorch.lab_plus_", x, A_FLOAT(i));
    Arg row = lab_call(b.l, "ltorch.lab_row", x, A_INT(1));
    lab_call(b.l, "ltorch.lab_plus_", row, A_FLOAT(3));
    Arg out[2] = {x, row};
    lab_finish(b.l, out, 2);
    bench_inputs(&b);
    check_program(&b);
    ck_assert_uint_eq(lab_count(b.l, "copy_"), 1);
    bench_end(&b);
}
END_TEST

START_TEST(what_is_copied_in_stays_when_its_source_is_written)
{
    Bench b;
    bench_begin(&b);
    Arg x = lab_matrix(b.l, "x"), y = lab_matrix(b.l, "y");
    emit(&b.l->b, copy_, x, y, A_BOOL(true)); /* y = x */
    lab_call(b.l, "ltorch.lab_plus_", x, A_FLOAT(1));
    emit(&b.l->b, copy_, y, x, A_BOOL(true)); /* x = y: as it was */
    lab_call(b.l, "ltorch.lab_plus_", y, A_FLOAT(2));
    Arg out[2] = {x, y};
    lab_finish(b.l, out, 2);
    bench_inputs(&b);
    check_program(&b);
    bench_end(&b);
}
END_TEST

static Arg decompose_norm(Build *b, const Arg *a)
{
    Arg mean = emit(b, mul, a[0], A_FLOAT(0.25));
    Arg kept = emit(b, add, emit(b, mul, a[1], A_FLOAT(0.9)), mean);
    emit(b, copy_, kept, a[1], A_BOOL(true));
    return emit(b, sub, a[0], mean);
}

START_TEST(writes_among_the_sub_nodes_of_a_composite_count)
{
    static const OpRow row = {.name = "lab_norm",
                              .signature = "a:T, running:T",
                              .spellings = "",
                              .help = "",
                              .decompose = decompose_norm};
    Bench b;
    bench_begin(&b);
    registry_add(&b.l->reg, LANG_torch, &row, NULL, &b.l->d);
    Arg x = lab_matrix(b.l, "x"), running = lab_matrix(b.l, "running");
    Arg out = lab_call(b.l, "ltorch.lab_norm", x, running);
    out = lab_call(b.l, "ltorch.lab_norm", out, running);
    lab_finish(b.l, &out, 1);
    bench_inputs(&b);
    check_program(&b);
    ck_assert_uint_eq(lab_count(b.l, "copy_"), 1);
    bench_end(&b);
}
END_TEST

static Arg decompose_inner(Build *b, const Arg *a)
{
    int64_t flat = 24;
    return emit(b, reshape, emit(b, exp, a[0]), arg_ints(b->t, &flat, 1));
}

START_TEST(a_result_that_views_a_value_inside_a_composite_can_be_written)
{
    static const OpRow row = {.name = "lab_inner",
                              .signature = "a:T",
                              .spellings = "",
                              .help = "",
                              .decompose = decompose_inner};
    Bench b;
    bench_begin(&b);
    registry_add(&b.l->reg, LANG_torch, &row, NULL, &b.l->d);
    Arg x = lab_matrix(b.l, "x"), flat = lab_call(b.l, "ltorch.lab_inner", x, A_NONE);
    Arg half = emit(&b.l->b, slice_prim, flat, arg_ints(b.l->t, (int64_t[]){3}, 1),
                    arg_ints(b.l->t, (int64_t[]){20}, 1), arg_ints(b.l->t, (int64_t[]){2}, 1));
    lab_call(b.l, "ltorch.lab_plus_", half, A_FLOAT(1));
    Arg out[2] = {flat, half};
    lab_finish(b.l, out, 2);
    bench_inputs(&b);
    check_program(&b);
    bench_end(&b);
}
END_TEST

/* contiguous() gives a tensor that is laid out so already itself, not a copy. */
START_TEST(a_layout_that_is_there_already_is_no_copy)
{
    Bench b;
    bench_begin(&b);
    int64_t turn[2] = {1, 0}, rows[2] = {1, 0};
    Arg x = lab_matrix(b.l, "x"), same = emit(&b.l->b, stride_order, x, arg_ints(b.l->t, rows, 2));
    Arg turned = emit(&b.l->b, transpose, x, arg_ints(b.l->t, turn, 2));
    Arg copy = emit(&b.l->b, stride_order, turned, arg_ints(b.l->t, rows, 2));
    lab_call(b.l, "ltorch.lab_plus_", same, A_FLOAT(1));
    lab_call(b.l, "ltorch.lab_plus_", copy, A_FLOAT(10));
    Arg out[3] = {x, copy, same};
    lab_finish(b.l, out, 3);
    bench_inputs(&b);
    check_program(&b);
    ck_assert_uint_eq(lab_count(b.l, "copy_"), 1);
    bench_end(&b);
}
END_TEST

/* A copy in the program as written may be a view of what stands in its place; when the write into
 * it stays in place, nothing else may change. */
START_TEST(a_reshape_that_copies_stays_a_copy)
{
    Bench b;
    bench_begin(&b);
    int64_t turn[2] = {1, 0}, flat = 24;
    Arg x = lab_matrix(b.l, "x"), turned = emit(&b.l->b, transpose, x, arg_ints(b.l->t, turn, 2));
    lab_call(b.l, "ltorch.lab_plus_", turned, A_FLOAT(1));
    Arg one = emit(&b.l->b, reshape, turned, arg_ints(b.l->t, &flat, 1));
    Arg two = emit(&b.l->b, reshape, turned, arg_ints(b.l->t, &flat, 1));
    lab_call(b.l, "ltorch.lab_plus_", two, A_FLOAT(3));
    Arg out[3] = {turned, one, two};
    lab_finish(b.l, out, 3);
    bench_inputs(&b);
    check_program(&b);
    bench_end(&b);
}
END_TEST

START_TEST(a_write_that_converts_the_dtype_rounds)
{
    Bench b;
    bench_begin(&b);
    int64_t shape[2] = {4, 6};
    Arg x = lab_matrix(b.l, "x"), h = lab_input(b.l, "h", DT_bf16, 2, shape);
    emit(&b.l->b, copy_, emit(&b.l->b, mul, x, A_FLOAT(1.0 / 3)), h, A_BOOL(true));
    Arg out = emit(&b.l->b, neg, h);
    lab_finish(b.l, &out, 1);
    bench_inputs(&b);
    check_program(&b);
    bench_end(&b);
}
END_TEST

START_TEST(a_write_into_a_stretched_tensor_is_refused)
{
    Bench b;
    bench_begin(&b);
    int64_t row = 6, shape[2] = {4, 6}, dim = 1;
    Arg x = lab_input(b.l, "x", DT_f32, 1, &row);
    Arg wide =
        emit(&b.l->b, broadcast_in_dim, x, arg_ints(b.l->t, shape, 2), arg_ints(b.l->t, &dim, 1));
    lab_call(b.l, "ltorch.lab_plus_", wide, A_FLOAT(1));
    lab_finish(b.l, &wide, 1);
    PassCtx c = {.info = pass_find(S("inplace")),
                 .reg = &b.l->reg,
                 .diag = &b.l->d,
                 .log = &b.l->log,
                 .fuel = UINT64_MAX};
    ck_assert_ptr_null(pass_run(&c, b.l->t));
    ck_error(&b.l->d, "overlapping-write");
    bench_end(&b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("inplace");
    TCase *c = tcase_create("inplace");
    tcase_add_unchecked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 60);
    tcase_add_test(c, an_input_written_often_is_written_back_once);
    tcase_add_test(c, what_is_copied_in_stays_when_its_source_is_written);
    tcase_add_test(c, writes_among_the_sub_nodes_of_a_composite_count);
    tcase_add_test(c, a_result_that_views_a_value_inside_a_composite_can_be_written);
    tcase_add_test(c, a_layout_that_is_there_already_is_no_copy);
    tcase_add_test(c, a_reshape_that_copies_stays_a_copy);
    tcase_add_test(c, a_write_that_converts_the_dtype_rounds);
    tcase_add_test(c, a_write_into_a_stretched_tensor_is_refused);
    tcase_add_loop_test(c, random_programs_give_the_same_bits, 0, 300);
    suite_add_tcase(s, c);
    return run_suite(s);
}
