/*
 * check_safetensors.c - promises of the safetensors reader and writer: what is written reads back
 * the same, and a malformed file is one error, never a wrong tensor.
 */
#include "support.h"

#include <stdio.h>
#include <unistd.h>

#include "front.h"

static Diag diag;
static SafeTensors st;

static void setup(void)
{
    st = (SafeTensors){0};
}

static void teardown(void)
{
    safetensors_close(&st);
    diag_clear(&diag);
}

/* Length, header, then data_bytes zero bytes. */
static bool parse(const char *header, size_t data_bytes)
{
    static char buf[1 << 16];
    size_t n = strlen(header);
    memset(buf, 0, sizeof buf);
    for (int i = 0; i < 8; i++)
        buf[i] = (char)(n >> (8 * i));
    memcpy(buf + 8, header, n);
    return safetensors_parse(&st, buf, 8 + n + data_bytes, S("t.safetensors"), &diag);
}

START_TEST(views_of_all_tensors)
{
    ck_assert(parse("{\"b\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[4,16]},"
                    "\"__metadata__\":{\"format\":\"pt\",\"\\u00e9\":\"x\"}, "
                    "\"a\\u0041\" : {\"data_offsets\":[0, 4],\"shape\":[],\"dtype\":\"F32\"},"
                    "\"none\":{\"dtype\":\"I64\",\"shape\":[0,5],\"data_offsets\":[16,16]}}   ",
                    16));
    ck_no_errors(&diag);
    ck_assert_uint_eq(st.n, 3);
    ck_text(st.items[0].name, "b");
    ck_assert_uint_eq(st.items[0].rank, 2);
    ck_assert_int_eq(st.items[0].shape[1], 3);
    ck_assert_int_eq(st.items[0].dtype, DT_bf16);
    const TensorView *a = safetensors_find(&st, S("aA"));
    ck_assert_ptr_nonnull(a);
    ck_assert_uint_eq(a->rank, 0);
    ck_assert_uint_eq(a->bytes, 4);
    ck_assert_ptr_eq(st.items[0].data, (const char *)a->data + 4);
    ck_assert_uint_eq(safetensors_find(&st, S("none"))->bytes, 0);
    ck_assert_ptr_null(safetensors_find(&st, S("a")));
}
END_TEST

START_TEST(no_tensors_at_all)
{
    ck_assert(parse("{}", 0));
    ck_assert_uint_eq(st.n, 0);
}
END_TEST

#define T(fields) "{\"t\":{" fields "}}"
static const struct {
    const char *header;
    size_t data_bytes;
    const char *says;
} malformed[] = {
    {"[]", 0, "does not start with '{'"},
    {" {}", 0, "does not start with '{'"},
    {"{ ", 0, "expected"},
    {"{}x", 0, "the end of the header"},
    {"{,}", 0, "a string"},
    {"{\"t\"}", 0, "':'"},
    {"{\"t\":3}", 0, "'{'"},
    {"{\"t", 0, "the end of a string"},
    {"{\"\\q\":{}}", 0, "a known escape"},
    {"{\"\\ud800\":{}}", 0, "surrogate"},
    {"{\"a\nb\":{}}", 0, "control character"},
    {T("\"dtype\":\"F32\",\"shape\":[1]"), 4, "','"},
    {T("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":1"), 4, "'}'"},
    {T("\"dtype\":\"F32\",\"dtype\":\"F32\",\"shape\":[]"), 4, "there twice"},
    {T("\"dtype\":\"F32\",\"size\":[],\"data_offsets\":[0,4]"), 4, "unknown"},
    {T("\"dtype\":\"Q8\",\"shape\":[4],\"data_offsets\":[0,4]"), 4, "'Q8' is not supported"},
    {T("\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]"), 4, "a whole number"},
    {T("\"dtype\":\"F32\",\"shape\":[1.0],\"data_offsets\":[0,4]"), 4, "','"},
    {T("\"dtype\":\"F32\",\"shape\":[01],\"data_offsets\":[0,4]"), 4, "a whole number"},
    {T("\"dtype\":\"F32\",\"shape\":[1,],\"data_offsets\":[0,4]"), 4, "a whole number"},
    {T("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,8]"), 4, "']'"},
    {T("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]"), 4, "outside of the file"},
    {T("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]"), 4, "outside of the file"},
    {T("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]"), 4, "needs 8 bytes but has 4"},
    {T("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]"), 8, "leaves a hole"},
    {T("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]"), 8, "belong to no tensor"},
    {T("\"dtype\":\"F32\",\"shape\":[4611686018427387904,4611686018427387904],"
       "\"data_offsets\":[0,4]"),
     4, "too large"},
    {T("\"dtype\":\"F32\",\"shape\":[9223372036854775808],\"data_offsets\":[0,4]"), 4,
     "a whole number"},
    {"{\"t\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
     "\"u\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]}}",
     3, "overlaps"},
    {"{\"t\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
     "\"\\u0074\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}}",
     4, "there twice"},
    {"{\"__metadata__\":{\"a\":1}}", 0, "a string"},
    {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", 0, "there twice"},
    {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "there twice"},
};

START_TEST(malformed_header_is_an_error)
{
    ck_assert(!parse(malformed[_i].header, malformed[_i].data_bytes));
    ck_assert_uint_eq(diag.nerrors, 1);
    ck_error(&diag, "bad-safetensors");
    char *said = diag_text(&diag);
    ck_contains(said, malformed[_i].says);
    ck_contains(said, "t.safetensors");
    free(said);
    ck_assert_uint_eq(st.n, 0);
}
END_TEST

START_TEST(too_many_dimensions)
{
    StrBuf header = {0};
    sb_puts(&header, "{\"t\":{\"dtype\":\"U8\",\"shape\":[1");
    for (int i = 0; i < MAX_RANK; i++)
        sb_puts(&header, ",1");
    sb_puts(&header, "],\"data_offsets\":[0,1]}}");
    ck_assert(!parse(sb_cstr(&header), 1));
    ck_error(&diag, "bad-safetensors");
    sb_free(&header);
}
END_TEST

START_TEST(short_files_and_wrong_lengths)
{
    static const unsigned char bytes[][12] = {{0},
                                              {2, 0, 0, 0, 0, 0, 0, 0, '{'},
                                              {255, 255, 255, 255, 255, 255, 255, 255, '{', '}'},
                                              {200, 0, 0, 0, 0, 0, 0, 0, '{', '}'},
                                              {1, 0, 0, 0, 0, 0, 0, 0, '{', '}'}};
    static const size_t sizes[] = {0, 9, 10, 12, 10};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        ck_assert(!safetensors_parse(&st, bytes[i], sizes[i], S("t"), &diag));
        ck_assert_uint_eq(diag.nerrors, i + 1);
    }
}
END_TEST

/* ---------------------------------------------------------------------------------------- files */

static char path[64];

static void temporary(void)
{
    snprintf(path, sizeof path, "check_safetensors.%ld.tmp", (long)getpid());
}

START_TEST(written_files_read_back)
{
    static const float w[6] = {1, 2, 3, 4, 5, 6};
    static const uint8_t flags[3] = {1, 0, 1};
    static const int64_t shape[] = {2, 3}, three[] = {3}, none[] = {4, 0};
    const TensorView items[] = {
        {S("mask \"\\\n"), DT_b8, 1, three, flags, sizeof flags},
        {S("w"), DT_f32, 2, shape, w, sizeof w},
        {S("scalar"), DT_i64, 0, NULL, w, 8},
        {S("empty"), DT_f16, 2, none, NULL, 0},
    };
    temporary();
    ck_assert(safetensors_write(path, items, 4, &diag));
    ck_assert(safetensors_open(&st, path, &diag));
    ck_no_errors(&diag);
    ck_assert_uint_eq(st.n, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const TensorView *v = safetensors_find(&st, items[i].name);
        ck_assert_ptr_nonnull(v);
        ck_assert_int_eq(v->dtype, items[i].dtype);
        ck_assert_uint_eq(v->rank, items[i].rank);
        ck_assert_uint_eq(v->bytes, items[i].bytes);
        ck_assert(v->bytes == 0 || memcmp(v->data, items[i].data, v->bytes) == 0);
        if (v->bytes)
            ck_assert_uint_eq((uintptr_t)v->data % dtype_info[v->dtype].bytes, 0);
    }
    /* Views of the old file may be the source of the new one. */
    ck_assert(safetensors_write(path, st.items, st.n, &diag));
    ck_assert_float_eq(((const float *)safetensors_find(&st, S("w"))->data)[5], 6);
    remove(path);
}
END_TEST

START_TEST(wrong_items_are_not_written)
{
    static const int64_t shape[] = {2, 3};
    static const float w[6];
    const TensorView twice[] = {{S("w"), DT_f32, 2, shape, w, 24},
                                {S("w"), DT_f32, 2, shape, w, 24}};
    const TensorView short_one = {S("w"), DT_f32, 2, shape, w, 20};
    temporary();
    ck_assert(!safetensors_write(path, twice, 2, &diag));
    ck_assert(!safetensors_write(path, &short_one, 1, &diag));
    ck_assert_uint_eq(diag.nerrors, 2);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert(!safetensors_write("no-such-folder/t.safetensors", NULL, 0, &diag));
    ck_error(&diag, "no-file");
}
END_TEST

START_TEST(files_that_are_not_there)
{
    ck_assert(!safetensors_open(&st, "no-such-file.safetensors", &diag));
    ck_assert(!safetensors_open(&st, ".", &diag));
    ck_assert_uint_eq(diag.nerrors, 2);
}
END_TEST

START_TEST(recorded_file_opens)
{
    ck_assert(safetensors_open(&st, TEST_DIR "/cases/mlp.dynamo.safetensors", &diag));
    const TensorView *v = safetensors_find(&st, S("in/L_args_0_"));
    ck_assert_ptr_nonnull(v);
    ck_assert_int_eq(v->shape[0], 5);
    ck_assert_int_eq(v->shape[1], 16);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("safetensors");
    TCase *tc = tcase_create("safetensors");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, views_of_all_tensors);
    tcase_add_test(tc, no_tensors_at_all);
    tcase_add_loop_test(tc, malformed_header_is_an_error, 0, ARRAY_LEN(malformed));
    tcase_add_test(tc, too_many_dimensions);
    tcase_add_test(tc, short_files_and_wrong_lengths);
    tcase_add_test(tc, written_files_read_back);
    tcase_add_test(tc, wrong_items_are_not_written);
    tcase_add_test(tc, files_that_are_not_there);
    tcase_add_test(tc, recorded_file_opens);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
