/*
 * check_tensor.c - promises of core/exec: elements of every dtype, views, copies, printing,
 * executor lists.
 */
#include "support.h"

#include "elements.h"
#include "exec.h"

#include <math.h>
#include <stdio.h>

static const Device cpu = {DEV_cpu, 0};

/* ------------------------------------------------------------------------------------- elements */

static const struct {
    DType dtype;
    double in, out;
} roundings[] = {
    {DT_f16, 1.0 + 0x1p-11, 1.0}, /* half way: to even */
    {DT_f16, 1.0 + 3 * 0x1p-11, 1.0 + 0x1p-9},
    {DT_f16, 1.0 + 0x1p-11 + 0x1p-40, 1.0 + 0x1p-10}, /* not rounded twice */
    {DT_f16, 65504, 65504},
    {DT_f16, 65519.99, 65504},
    {DT_f16, 65520, INFINITY},
    {DT_f16, -1e300, -INFINITY},
    {DT_f16, 0x1p-24, 0x1p-24}, /* the smallest subnormal */
    {DT_f16, 0x1p-25, 0.0},
    {DT_f16, 0x1.8p-25, 0x1p-24},
    {DT_f16, 1023.5 * 0x1p-24, 0x1p-14}, /* up to the smallest normal */
    {DT_f16, -0.0, -0.0},
    {DT_f16, -INFINITY, -INFINITY},
    {DT_bf16, 1.0 + 0x1p-8, 1.0},
    {DT_bf16, 1.0 + 3 * 0x1p-8, 1.0 + 0x1p-6},
    {DT_bf16, 1.0 + 0x1p-8 + 0x1p-50, 1.0 + 0x1p-7},
    {DT_bf16, 0x1.ffp127, INFINITY},
    {DT_bf16, 3.39e38, 0x1.fep127},
    {DT_bf16, 0x1p-133, 0x1p-133},
    {DT_bf16, 0x1p-134, 0.0},
    {DT_bf16, INFINITY, INFINITY},
    {DT_f8_e4m3fn, 448, 448},
    {DT_f8_e4m3fn, 464, 448},
    {DT_f8_e4m3fn, 0x1p-9, 0x1p-9},
    {DT_f8_e4m3fn, 0x1p-10, 0.0},
    {DT_f8_e4m3fn, 1.0625, 1.0},
    {DT_f8_e4m3fn, 480, 448}, /* what is too large, as in PyTorch */
    {DT_f8_e4m3fn, -INFINITY, -448},
    {DT_f8_e4m3fn, 1.0625 + 0x1p-40, 1.0}, /* by way of f32 */
    {DT_f8_e5m2, 57344, 57344},
    {DT_f8_e5m2, 61440, INFINITY},
    {DT_f8_e5m2, 1.125, 1.0},
    {DT_f8_e5m2, 0x1p-16, 0x1p-16},
    {DT_f32, 16777217, 16777216},
    {DT_f32, 1e300, INFINITY},
    {DT_f64, 0.1, 0.1},
    {DT_u8, 255.9, 255},
    {DT_u8, -1, 255},
    {DT_i8, -128.9, -128},
    {DT_i32, 3e9, -2147483648.0},
    {DT_b8, NAN, 1},
    {DT_b8, -0.0, 0},
};

/* What storing v as d and reading it back gives. */
static double stored(double v, DType d)
{
    double room[2];
    elem_set_f64(room, d, v);
    return elem_get_f64(room, d);
}

START_TEST(storing_rounds_to_nearest_even)
{
    double have = stored(roundings[_i].in, roundings[_i].dtype);
    double want = roundings[_i].out;
    ck_assert_msg(have == want && signbit(have) == signbit(want), "%a as %s is %a, not %a",
                  roundings[_i].in, dtype_info[roundings[_i].dtype].name, have, want);
}
END_TEST

/* Numbers of programs are rounded without being stored: every exponent, near halves, both signs. */
START_TEST(dtype_round_gives_what_storing_gives)
{
    DType d = (DType)_i;
    if (!dtype_is_float(d))
        return;
    uint64_t seed = 88172645463325252u;
    for (int exponent = -1074; exponent < 1024; exponent++)
        for (int k = 0; k < 48; k++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            double near = k * 0x1p-12 * (double)(seed % 5), any = (double)(seed >> 12) * 0x1p-52;
            double m = 1 + (k < 24 ? near : any);
            double v = ldexp(k % 2 ? -m : m, exponent), have = dtype_round(v, d);
            ck_assert_msg(have == stored(v, d) && signbit(have) == signbit(v), "%a as %s is %a", v,
                          dtype_info[d].name, have);
        }
    ck_assert(dtype_round(INFINITY, d) == stored(INFINITY, d));
    ck_assert(isnan(dtype_round(NAN, d)));
    ck_assert(signbit(dtype_round(-0.0, d)));
}
END_TEST

/* The format columns of dtype.def, asked of the elements in memory. */
START_TEST(formats_are_those_of_the_elements)
{
    DType d = (DType)_i;
    if (!dtype_is_float(d)) {
        const DTypeInfo *have = &dtype_info[d], *want = &dtype_info[dtype_real(d)];
        ck_assert(dtype_is_complex(d) ? have->digits == want->digits : have->digits == 0);
        ck_assert(have->normal == want->normal && have->largest == want->largest &&
                  have->beyond == want->beyond);
        return;
    }
    double eps = dtype_epsilon(d), normal = dtype_smallest_normal(d);
    double most = dtype_info[d].largest;
    ck_assert_double_eq(stored(1 + eps, d), 1 + eps);
    ck_assert_double_eq(stored(1 + eps / 2, d), 1);
    ck_assert_double_eq(stored(normal * (1 + eps), d), normal * (1 + eps));
    if (d != DT_f64) /* there the test itself would round */
        ck_assert_double_ne(stored(normal * (1 + eps) / 2, d), normal * (1 + eps) / 2);
    ck_assert_double_eq(stored(most, d), most);
    ck_assert_double_eq(stored(most * 4, d), dtype_info[d].beyond);
}
END_TEST

START_TEST(nan_of_small_floats)
{
    ck_assert(isnan(stored(NAN, DT_f16)));
    ck_assert(isnan(stored(NAN, DT_bf16)));
    ck_assert(isnan(stored(NAN, DT_f8_e5m2)));
    ck_assert(isnan(stored(-NAN, DT_f8_e4m3fn)));
}
END_TEST

/* Every code of a small float reads as a number that stores as the same code. */
START_TEST(small_floats_read_back)
{
    static const DType dtypes[] = {DT_f16, DT_bf16, DT_f8_e4m3fn, DT_f8_e5m2};
    DType d = dtypes[_i];
    for (uint32_t code = 0; code < 1u << (8 * dtype_info[d].bytes); code++) {
        uint16_t in = (uint16_t)code, out = 0;
        uint8_t in8 = (uint8_t)code, out8 = 0;
        bool wide = dtype_info[d].bytes == 2;
        double v = elem_get_f64(wide ? (void *)&in : (void *)&in8, d);
        if (isnan(v))
            continue;
        elem_set_f64(wide ? (void *)&out : (void *)&out8, d, v);
        ck_assert_uint_eq(wide ? out : out8, wide ? in : in8);
    }
}
END_TEST

START_TEST(elements_convert)
{
    double c[2];
    elem_set_i64(c, DT_u64, -1);
    ck_assert(elem_get_f64(c, DT_u64) == 18446744073709551616.0);
    ck_assert_int_eq(elem_get_i64(c, DT_u64), -1);
    elem_set_c128(c, DT_c64, (const double[]){1.5, -2});
    double back[2];
    elem_get_c128(c, DT_c64, back);
    ck_assert(back[0] == 1.5 && back[1] == -2);
    ck_assert(elem_get_f64(c, DT_c64) == 1.5);
    elem_set_f64(c, DT_i64, NAN);
    ck_assert_int_eq(elem_get_i64(c, DT_i64), INT64_MIN);
    elem_set_i64(c, DT_f32, 16777217);
    ck_assert(elem_get_f64(c, DT_f32) == 16777216);
}
END_TEST

/* --------------------------------------------------------------------------------------- tensors
 */

static Tensor *counting(DType d, uint32_t rank, const int64_t *shape)
{
    Tensor *t = tensor_new(d, cpu, rank, shape);
    for (int64_t i = 0; i < tensor_numel(t); i++)
        elem_set_i64((char *)tensor_data(t) + i * dtype_info[d].bytes, d, i);
    return t;
}

START_TEST(new_tensors_are_zero_aligned_and_dense)
{
    Tensor *t = tensor_new(DT_f32, cpu, 3, (int64_t[]){2, 3, 4});
    ck_assert_int_eq(tensor_numel(t), 24);
    ck_assert_uint_eq((uintptr_t)tensor_data(t) % 64, 0);
    ck_assert(tensor_is_contiguous(t));
    for (int i = 0; i < 24; i++)
        ck_assert(((float *)tensor_data(t))[i] == 0);
    tensor_unref(t);
}
END_TEST

START_TEST(impossible_sizes_give_null)
{
    ck_assert_ptr_null(tensor_new(DT_f32, cpu, 1, (int64_t[]){-1}));
    ck_assert_ptr_null(tensor_new(DT_f64, cpu, 2, (int64_t[]){INT64_MAX / 8, 3}));
    ck_assert_ptr_null(tensor_new(DT_f64, cpu, 1, (int64_t[]){INT64_MAX / 8}));
    ck_assert_ptr_null(tensor_new(DT_none, cpu, 0, NULL));
    Tensor *empty = tensor_new(DT_f32, cpu, 2, (int64_t[]){0, 5});
    ck_assert_ptr_nonnull(empty);
    ck_assert_int_eq(tensor_numel(empty), 0);
    ck_assert(tensor_is_contiguous(empty));
    tensor_unref(empty);
}
END_TEST

START_TEST(views_share_and_keep_their_buffer)
{
    Tensor *t = counting(DT_f32, 2, (int64_t[]){2, 3});
    Tensor *v = tensor_view(t, 2, (int64_t[]){3, 2}, (int64_t[]){1, 3}, 0);
    ck_assert(tensor_same_storage(t, v));
    ck_assert(!tensor_is_contiguous(v));
    tensor_unref(t); /* the view still reads the buffer */
    Tensor *dense = tensor_contiguous(v);
    static const float want[] = {0, 3, 1, 4, 2, 5};
    ck_assert(!tensor_same_storage(v, dense));
    ck_assert(memcmp(tensor_data(dense), want, sizeof want) == 0);
    Tensor *same = tensor_contiguous(dense);
    ck_assert_ptr_eq(same, dense);
    tensor_unref(same);
    tensor_unref(dense);
    tensor_unref(v);
}
END_TEST

START_TEST(copies_follow_strides_both_ways)
{
    Tensor *t = counting(DT_i16, 2, (int64_t[]){40, 60});
    Tensor *big = tensor_new(DT_f64, cpu, 1, (int64_t[]){3 * 40 * 60});
    Tensor *v = tensor_view(big, 2, (int64_t[]){40, 60}, (int64_t[]){-3, 120}, 3 * 39);
    tensor_copy_into(v, t);
    const double *e = tensor_data(big);
    for (int64_t i = 0; i < 40; i++)
        for (int64_t j = 0; j < 60; j++)
            ck_assert(e[3 * 39 - 3 * i + 120 * j] == (double)(60 * i + j));
    Tensor *back = tensor_cast(v, DT_i16);
    ck_assert(memcmp(tensor_data(back), tensor_data(t), 2 * 40 * 60) == 0);
    tensor_unref(back);
    tensor_unref(v);
    tensor_unref(big);
    tensor_unref(t);
}
END_TEST

START_TEST(walks_join_dimensions)
{
    Tensor *t = counting(DT_i64, 3, (int64_t[]){2, 1, 6});
    Walk w;
    int64_t buf[5];
    walk_init(&w, t);
    ck_assert_uint_eq(w.rank, 1);
    walk_get_i64(&w, 4, 5, buf);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(buf[i], 4 + i);
    Tensor *column = tensor_view(t, 2, (int64_t[]){2, 2}, (int64_t[]){6, 5}, 0);
    walk_init(&w, column);
    walk_get_i64(&w, 1, 3, buf);
    ck_assert_int_eq(buf[0], 5);
    ck_assert_int_eq(buf[1], 6);
    ck_assert_int_eq(buf[2], 11);
    ck_assert_int_eq(walk_offset(&w, 3), 11);
    tensor_unref(column);
    tensor_unref(t);
}
END_TEST

START_TEST(numbers_become_0d_tensors)
{
    static const Arg parts[] = {{.kind = ARG_float, .f = 1}, {.kind = ARG_float, .f = -2}};
    static const struct {
        Arg number;
        DType dtype;
    } rows[] = {{{.kind = ARG_int, .i = 5}, DT_i64},
                {{.kind = ARG_float, .f = 0.5}, DT_f64},
                {{.kind = ARG_bool, .i = 1}, DT_b8},
                {{.kind = ARG_complex, .items = parts}, DT_c128}};
    Tensor *t = tensor_from_number(rows[_i].number);
    ck_assert_int_eq(t->dtype, rows[_i].dtype);
    ck_assert_uint_eq(t->rank, 0);
    double c[2];
    elem_get_c128(tensor_data(t), t->dtype, c);
    static const double real[] = {5, 0.5, 1, 1};
    ck_assert(c[0] == real[_i] && c[1] == (_i == 3 ? -2 : 0));
    tensor_unref(t);
    ck_assert_ptr_null(tensor_from_number(A_NONE));
}
END_TEST

/* -------------------------------------------------------------------------------------- printing
 */

static const struct {
    DType dtype;
    uint32_t rank;
    int64_t shape[3];
    double e[8];
    uint32_t max_items, width;
    const char *text;
} prints[] = {
    {DT_f32, 0, {0}, {1.5}, 0, 80, "1.5000"},
    {DT_i64, 0, {0}, {-7}, 0, 80, "-7"},
    {DT_f32, 1, {3}, {1, 2, 3}, 0, 80, "[1., 2., 3.]"},
    {DT_f32, 1, {3}, {1, -2.5, INFINITY}, 0, 80, "[ 1.0000, -2.5000,     inf]"},
    {DT_f32, 1, {2}, {1, 12345.5}, 0, 80, "[1.0000e+00, 1.2346e+04]"},
    {DT_f32, 1, {2}, {0.00001, 0.5}, 0, 80, "[1.0000e-05, 5.0000e-01]"},
    {DT_b8, 1, {2}, {1, 0}, 0, 80, "[ True, False]"},
    {DT_i32, 2, {2, 2}, {1, -10, 100, 2}, 0, 80, "[[  1, -10],\n [100,   2]]"},
    {DT_i64, 3, {2, 1, 2}, {1, 2, 3, 4}, 0, 80, "[[[1, 2]],\n\n [[3, 4]]]"},
    {DT_i64, 1, {8}, {0, 1, 2, 3, 4, 5, 6, 7}, 4, 80, "[0, 1, ..., 6, 7]"},
    {DT_i64, 2, {1, 4}, {10, 11, 12, 13}, 0, 12, "[[10, 11,\n  12, 13]]"},
    {DT_f32, 1, {0}, {0}, 0, 80, "[]"},
    {DT_c64, 1, {2}, {1, 2}, 0, 80, "[1.+0.j, 2.+0.j]"},
};

START_TEST(prints_as_pytorch_does)
{
    Tensor *t = tensor_new(prints[_i].dtype, cpu, prints[_i].rank, prints[_i].shape);
    for (int64_t i = 0; i < tensor_numel(t); i++)
        elem_set_f64((char *)tensor_data(t) + i * dtype_info[t->dtype].bytes, t->dtype,
                     prints[_i].e[i]);
    StrBuf b = {0};
    tensor_print(t, prints[_i].max_items, prints[_i].width, &b);
    ck_text(sb_str(&b), prints[_i].text);
    sb_free(&b);
    tensor_unref(t);
}
END_TEST

/* ------------------------------------------------------------------------------------- executors
 */

static const Executor first = {.name = "first"}, second = {.name = "second"},
                      third = {.name = "third"};

static bool never(StrBuf *why_not)
{
    sb_puts(why_not, "no such device");
    return false;
}
static const Executor absent = {.name = "absent", .available = never};

static ExecList known(void)
{
    return (ExecList){
        .items = {&first, &second, &third, &absent}, .on = {true, true, true, true}, .n = 4};
}

START_TEST(executors_move)
{
    ExecList l = known();
    l.on[0] = false;
    exec_move(&l, 0, 2);
    ck_assert_int_eq(exec_index(&l, S("second")), 0);
    ck_assert_int_eq(exec_index(&l, S("third")), 1);
    ck_assert_int_eq(exec_index(&l, S("first")), 2);
    ck_assert(!l.on[2] && l.on[0] && l.on[1]);
    exec_move(&l, 2, 0);
    ck_assert_ptr_eq(l.items[0], &first);
    ck_assert(!l.on[0] && l.on[2]);
    ck_assert_ptr_null(exec_find(&l, S("fourth")));
}
END_TEST

START_TEST(lists_are_read_from_text)
{
    ExecList l, all = known();
    Diag d = {0};
    ck_assert(exec_parse_list(&all, S("third, first"), &l, &d));
    ck_assert_uint_eq(l.n, 2);
    ck_assert_ptr_eq(l.items[0], &third);
    ck_assert(l.on[0] && l.on[1]);
    ExecList other = l;
    ck_assert_uint_eq(exec_list_hash(&l), exec_list_hash(&other));
    exec_move(&other, 0, 1);
    ck_assert_uint_ne(exec_list_hash(&l), exec_list_hash(&other));
    other = l;
    other.on[1] = false;
    ck_assert_uint_ne(exec_list_hash(&l), exec_list_hash(&other));
    diag_clear(&d);
}
END_TEST

START_TEST(bad_lists_are_refused)
{
    static const struct {
        const char *names, *code;
    } rows[] = {{"frist", "unknown-executor"},
                {"", "no-executor"},
                {"first,first", "executor-twice"},
                {"absent", "executor-unavailable"}};
    ExecList all = known(), l = {.n = 7};
    Diag d = {0};
    ck_assert(!exec_parse_list(&all, str_from(rows[_i].names), &l, &d));
    ck_error(&d, rows[_i].code);
    ck_assert_uint_eq(l.n, 7);
    ck_assert_uint_gt(d.first->help.n + d.first->note.n + (size_t)(_i == 2), 0);
    if (_i == 0) {
        char *said = diag_text(&d);
        ck_contains(said, "did you mean 'first'?");
        free(said);
    }
    diag_clear(&d);
}
END_TEST

static bool takes(const Trace *t, NodeId n, StrBuf *why_not)
{
    (void)t, (void)n, (void)why_not;
    return true;
}

static bool takes_none(const Trace *t, NodeId n, StrBuf *why_not)
{
    (void)t, (void)n;
    sb_puts(why_not, "no");
    return false;
}

static const Executor taker = {.name = "taker", .can = takes},
                      other_taker = {.name = "other", .can = takes},
                      picky = {.name = "picky", .can = takes_none},
                      absent_taker = {.name = "gone", .can = takes, .available = never};

/* Of those that are off the last that takes it and can be used. */
START_TEST(who_would_take_a_node_is_named)
{
    ExecList l = {.items = {&taker, &other_taker, &picky, &absent_taker}, .n = 4};
    ck_assert_ptr_eq(exec_off_taker(&l, NULL, 0), &other_taker);
    l.on[1] = true;
    ck_assert_ptr_eq(exec_off_taker(&l, NULL, 0), &taker);
    l.on[0] = true;
    ck_assert_ptr_null(exec_off_taker(&l, NULL, 0));
}
END_TEST

static int compiled, dropped;
static bool launch_works;
static const Executor once;

static bool compile_once(const Trace *t, NodeId n, const CompileOptions *o, Kernel **out,
                         Diag *diag)
{
    (void)t, (void)n, (void)o, (void)diag;
    *out = calloc(1, sizeof **out);
    (*out)->executor = &once;
    compiled++;
    return true;
}

static bool launch_once(Kernel *k, ExecCall *call)
{
    (void)call;
    return k->executor == &once && launch_works;
}

static void drop_once(Kernel *k)
{
    dropped++;
    free(k);
}

static const Executor once = {
    .name = "once", .compile = compile_once, .launch = launch_once, .drop = drop_once};

START_TEST(a_kernel_for_one_run_is_dropped)
{
    ExecCall call = {0};
    for (int i = 1; i <= 2; i++) {
        launch_works = i == 1;
        ck_assert(exec_run_once(&once, &call) == launch_works);
        ck_assert_int_eq(compiled, i);
        ck_assert_int_eq(dropped, i);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tensor");
    TCase *elements = tcase_create("elements"), *tensors = tcase_create("tensors"),
          *executors = tcase_create("executors");
    tcase_add_loop_test(elements, storing_rounds_to_nearest_even, 0, ARRAY_LEN(roundings));
    tcase_add_loop_test(elements, dtype_round_gives_what_storing_gives, 0, DT_COUNT);
    tcase_add_loop_test(elements, formats_are_those_of_the_elements, 0, DT_COUNT);
    tcase_add_test(elements, nan_of_small_floats);
    tcase_add_loop_test(elements, small_floats_read_back, 0, 4);
    tcase_add_test(elements, elements_convert);
    tcase_add_test(tensors, new_tensors_are_zero_aligned_and_dense);
    tcase_add_test(tensors, impossible_sizes_give_null);
    tcase_add_test(tensors, views_share_and_keep_their_buffer);
    tcase_add_test(tensors, copies_follow_strides_both_ways);
    tcase_add_test(tensors, walks_join_dimensions);
    tcase_add_loop_test(tensors, numbers_become_0d_tensors, 0, 4);
    tcase_add_loop_test(tensors, prints_as_pytorch_does, 0, ARRAY_LEN(prints));
    tcase_add_test(executors, executors_move);
    tcase_add_test(executors, lists_are_read_from_text);
    tcase_add_loop_test(executors, bad_lists_are_refused, 0, 4);
    tcase_add_test(executors, who_would_take_a_node_is_named);
    tcase_add_test(executors, a_kernel_for_one_run_is_dropped);
    suite_add_tcase(s, elements);
    suite_add_tcase(s, tensors);
    suite_add_tcase(s, executors);
    return run_suite(s);
}
