/*
 * check_cuda_texts.c - the texts of CUDA kernels: those of the collection (cuda_rows.h) are the
 * ones of the golden files, and NVRTC, where there is one, compiles them for three architectures.
 */
#define _GNU_SOURCE
#include "support.h"

#include "cuda_fixture.h"

/* tests/golden/cuda/NAME.cu, for sm_90; THUNDER_BLESS=1 writes them anew. */
START_TEST(texts_are_those_of_the_golden_files)
{
    static const GenTarget target = {90, 132, 50 << 20, 227 << 10};
    StrBuf text = {0}, want = {0};
    char path[512];
    use_emulator();
    write_kernels(programs[_i].text, &target, &text);
    snprintf(path, sizeof path, TEST_DIR "/golden/cuda/%s.cu", programs[_i].name);
    if (getenv("THUNDER_BLESS")) {
        FILE *f = fopen(path, "wb");
        ck_assert_ptr_nonnull(f);
        fwrite(sb_cstr(&text), 1, text.n, f);
        fclose(f);
    }
    add_file(path, &want);
    ck_assert_msg(str_eq(sb_str(&text), sb_str(&want)),
                  "%s differs: THUNDER_BLESS=1 build/tests/check_cuda_texts writes it anew", path);
    sb_free(&text);
    sb_free(&want);
}
END_TEST

START_TEST(kernels_compile_for_three_architectures)
{
    static const GenTarget targets[] = {
        {80, 108, 40 << 20, 163 << 10}, {90, 132, 50 << 20, 227 << 10},
        {100, 148, 126 << 20, 227 << 10},
    };
    StrBuf kernels = {0};
    use_emulator();
    for (uint32_t i = 0; i < ARRAY_LEN(programs); i++) {
        sb_clear(&kernels);
        write_kernels(programs[i].text, &targets[_i], &kernels);
        ck_assert_msg(kernels.n > 0, "%s has no kernel", programs[i].name);
        check_compiles(sb_cstr(&kernels), targets[_i].arch, programs[i].name);
    }
    sb_free(&kernels);
}
END_TEST

/* A product on the way to an element number may need more bits than the number. */
START_TEST(steps_of_element_numbers_fit_their_type)
{
    static const GenTarget target = {90, 132, 50 << 20, 227 << 10};
    static const char *const shapes[] = {"1, 32, 4096, 128", "1, 4, 64, 32"};
    for (uint32_t i = 0; i < 2; i++) {
        StrBuf text = {0}, program = {0};
        sb_printf(&program,
                  "def f(x: \"bf16[%s]\"):\n    return (x.transpose(1, 2).reshape(-1) * 2,)\n",
                  shapes[i]);
        use_emulator();
        write_kernels(sb_cstr(&program), &target, &text);
        bool wide = strstr(sb_cstr(&text), "u * q") != NULL;
        ck_assert_msg(wide == (i == 0), "%s", sb_cstr(&text));
        sb_free(&text);
        sb_free(&program);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda_texts");
    TCase *c = tcase_create("cuda_texts");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 250);
    tcase_add_loop_test(c, texts_are_those_of_the_golden_files, 0, (int)ARRAY_LEN(programs));
    tcase_add_loop_test(c, kernels_compile_for_three_architectures, 0, 3);
    tcase_add_test(c, steps_of_element_numbers_fit_their_type);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
