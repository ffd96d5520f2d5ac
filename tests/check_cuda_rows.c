/*
 * check_cuda_rows.c - how CUDA kernels read long and short rows, without a GPU.
 *
 * Input: programs, and a GPU as small as the way wants it that is looked at. Promised: the way is
 * taken (a word of the text says so) and what comes out is what the oracle gives.
 */
#define _GNU_SOURCE
#include "support.h"

#include "cuda_fixture.h"

/* Rows that fit nowhere: their maximum and the sum of what is in terms of it take one pass. */
START_TEST(softmax_of_long_rows_reads_them_twice)
{
    static const char *const texts[] = {
        "def f(x: \"f32[4, 40000]\"):\n"
        "    return (torch.softmax(x * 9, 1), x.amax(1))\n",
        "def f(x: \"f32[4, 40000]\"):\n    y = x.masked_fill(x < 2.5, float('-inf'))\n"
        "    return (torch.log_softmax(y, 1).amax(1), torch.softmax(y, 1))\n",
        "def f(x: \"f32[4, 40000]\"):\n"
        "    return (torch.nn.functional.cross_entropy(x, torch.arange(4), reduction='none'),)\n",
    };
    GenTarget whole = emu_target;
    use_emulator();
    if (no_compiler())
        return;
    emu_target.sms = 2;
    emu_target.shared_max = 4096;
    for (uint32_t i = 0; i < ARRAY_LEN(texts); i++)
        check_program(texts[i], 2e-5);
    StrBuf text = {0};
    write_kernels(texts[0], &emu_target, &text);
    ck_contains(sb_cstr(&text), "own");
    sb_free(&text);
    emu_target = whole;
}
END_TEST

/* The same for variances: of rows, of columns, of rows and columns that several blocks share. The
 * means are far from 0; a thread may have nothing; an infinity is the mean's, and no variance. */
START_TEST(variances_of_long_rows_take_one_pass)
{
    static const struct {
        const char *text;
        uint32_t sms;
        int64_t l2;
    } cases[] = {
        {"def f(x: \"f32[4, 40000]\", w: \"f32[40000]\"):\n"
         "    return (torch.nn.functional.layer_norm(x * 0.1 + 3, (40000,), w), x.amax(1))\n",
         2, 50 << 20},
        {"def f(x: \"f32[4, 40001]\"):\n"
         "    a, b = torch.var_mean(x * 0.1 - 30, 1)\n    return (a, b, x.sum(1))\n", 2, 50 << 20},
        {"def f(x: \"f32[3, 40000]\"):\n    a, b = torch.var_mean(x * 0.1 + 30, 1)\n"
         "    return ((x - b.unsqueeze(1)) * a.unsqueeze(1), b)\n", 64, 50 << 20},
        {"def f(x: \"f32[20000, 24]\"):\n    a, b = torch.var_mean(x * 0.1 + 30, 0)\n"
         "    return (a, b, (x - b) / a)\n", 2, 50 << 20},
        {"def f(x: \"f32[5000, 96]\"):\n    a, b = torch.var_mean(x * 0.1 + 30, 0)\n"
         "    return (a, (x - b) / a, torch.softmax(x, 0))\n", 4, 1 << 20},
        {"def f(x: \"f32[4, 40000]\"):\n    y = torch.where(x > 3, float('inf'), x)\n"
         "    a, b = torch.var_mean(y, 1)\n    return (a.isnan(), b)\n", 2, 50 << 20},
    };
    GenTarget whole = emu_target;
    use_emulator();
    if (no_compiler())
        return;
    emu_target.shared_max = 4096;
    emu_target.sms = cases[_i].sms;
    emu_target.l2 = cases[_i].l2;
    check_program(cases[_i].text, 2e-5);
    StrBuf text = {0};
    write_kernels(cases[_i].text, &emu_target, &text);
    ck_contains(sb_cstr(&text), "first");
    sb_free(&text);
    emu_target = whole;
}
END_TEST

/* Rows so short that a thread has several under way, columns so short that it has all of one. */
START_TEST(short_rows_and_columns)
{
    static const char *const texts[] = {
        "def f(x: \"bf16[4096, 8]\", w: \"bf16[8]\"):\n"
        "    return (torch.softmax(x, 1), (x * w).float().sum(1))\n",
        "def f(x: \"f32[1024, 24]\"):\n    return (torch.nn.functional.layer_norm(x, (24,)),)\n",
        "def f(x: \"bf16[4, 20000]\"):\n    return (x.float().sum(0), x.amax(0))\n",
    };
    static const char *const shows[] = {"int n = 0", "int n = 0", "fold_columns<Sum, 128, 1, 8>"};
    GenTarget whole = emu_target;
    use_emulator();
    if (no_compiler())
        return;
    emu_target.sms = 1;
    check_program(texts[_i], 2e-2);
    StrBuf text = {0};
    write_kernels(texts[_i], &emu_target, &text);
    ck_contains(sb_cstr(&text), shows[_i]);
    sb_free(&text);
    emu_target = whole;
}
END_TEST

/* Rows that the shared memory of a few blocks holds together are read once. */
START_TEST(blocks_of_a_cluster_share_rows)
{
    static const struct {
        const char *text;
        int64_t shared_max;
        const char *cluster;
    } cases[] = {
        {"def f(x: \"f32[4, 20000]\", w: \"f32[20000]\"):\n"
         "    return (torch.nn.functional.layer_norm(x * 0.1 + 3, (20000,), w), x.amax(1))\n",
         28 << 10, "__cluster_dims__(8, 1, 1)"},
        {"def f(x: \"bf16[3, 40001]\"):\n"
         "    return (torch.softmax(x.float(), 1), (x > 4).any(1), x.float().sum(1))\n", 48 << 10,
         "__cluster_dims__(4, 1, 1)"},
        {"def f(x: \"f64[4, 12000]\"):\n    return (x - x.mean(1, keepdim=True), x.prod(1))\n",
         94 << 10, "__cluster_dims__(4, 1, 1)"},
    };
    GenTarget whole = emu_target;
    use_emulator();
    if (no_compiler())
        return;
    emu_target.shared_max = cases[_i].shared_max;
    emu_target.sms = 4;
    check_program(cases[_i].text, 2e-5);
    StrBuf text = {0};
    write_kernels(cases[_i].text, &emu_target, &text);
    ck_contains(sb_cstr(&text), cases[_i].cluster);
    check_compiles(sb_cstr(&text), 90, cases[_i].cluster);
    check_compiles(sb_cstr(&text), 100, cases[_i].cluster);
    sb_clear(&text);
    emu_target.arch = 80; /* has no clusters */
    write_kernels(cases[_i].text, &emu_target, &text);
    ck_assert(!strstr(sb_cstr(&text), "cluster"));
    sb_free(&text);
    emu_target = whole;
}
END_TEST

/* Rows with folds across them: a warp a row, a block a row, two rows that share barriers, and what
 * does not come in chunks. */
START_TEST(rows_come_through_a_ring)
{
    static const struct {
        const char *text;
        bool ring, two;
    } cases[] = {
        {"def f(x: \"bf16[211, 520]\", g: \"bf16[211, 520]\", w: \"bf16[520]\"):\n"
         "    b = g.float() * w\n    m = (b * x).sum(1, keepdim=True) / 520\n"
         "    return ((b - m * x).to(torch.bfloat16), (g.float() * x).sum(0), g.float().sum(0))\n",
         true, false},
        {"def f(x: \"f32[151, 3000]\", g: \"bf16[151, 3000]\"):\n"
         "    m = (g.float() * x).sum(1, keepdim=True) / 3000\n"
         "    return (g - m * x, (g * x).sum(0), x.amax(0))\n", true, false},
        {"def f(x: \"f32[150, 301]\"):\n"
         "    return (x - x.mean(1, keepdim=True), x.sum(0))\n", false, false},
        {"def f(x: \"bf16[50, 1040]\", g: \"bf16[50, 1040]\", w: \"bf16[1040]\"):\n"
         "    b = g.float() * w\n    m = (b * x).sum(1, keepdim=True) / 1040\n"
         "    return ((b - m * x).to(torch.bfloat16), (g.float() * x).sum(0), m.sum())\n",
         true, true},
        {"def f(x: \"f32[6, 8, 520]\", g: \"f32[6, 8, 520]\", w: \"f32[520]\"):\n"
         "    d = x - x.mean(2, keepdim=True)\n    v = (d * d).mean(2, keepdim=True) + 1e-5\n"
         "    n = d * torch.rsqrt(v)\n    b = g * w\n"
         "    return (n * w, b - (b * n).mean(2, keepdim=True), v, (g * n).sum((0, 1)),\n"
         "            n.abs().amax((0, 1)))\n", true, true},
    };
    GenTarget whole = emu_target;
    use_emulator();
    if (no_compiler())
        return;
    emu_target.sms = 1;
    check_program(cases[_i].text, 3e-2);
    StrBuf text = {0};
    write_kernels(cases[_i].text, &emu_target, &text);
    ck_assert_msg((strstr(sb_cstr(&text), "groups_done") != NULL) == cases[_i].ring, "%s",
                  sb_cstr(&text));
    bool two = strstr(sb_cstr(&text), "for (int r = 0; r < 2; r++)") != NULL;
    ck_assert(two == cases[_i].two);
    sb_free(&text);
    emu_target = whole;
}
END_TEST

/* An input that is larger than the cache and is folded in one pass does not push out what is there;
 * one whose results have its size, or that is read again, is read as ever. */
START_TEST(what_is_folded_in_one_pass_leaves_the_cache_first)
{
    static const struct {
        const char *text;
        int64_t l2;
        bool once;
    } cases[] = {
        {"def f(x: \"f32[512, 64]\"):\n    return (x.sum(0),)\n", 1 << 14, true},
        {"def f(x: \"bf16[64, 512]\", y: \"f32[512]\"):\n    return ((x * y).amax(1),)\n", 1 << 14,
         true},
        {"def f(x: \"f32[512, 64]\"):\n    return (x.sum(0),)\n", 50 << 20, false},
        {"def f(x: \"f32[512, 64]\"):\n    return (x.sum(0), x + 1)\n", 1 << 14, false},
        {"def f(x: \"f32[512, 64]\"):\n    return (((x - x.mean(0)) ** 4).sum(0),)\n", 1 << 14,
         false},
    };
    GenTarget whole = emu_target;
    use_emulator();
    if (no_compiler())
        return;
    emu_target.l2 = cases[_i].l2;
    check_program(cases[_i].text, 2e-5);
    StrBuf text = {0};
    write_kernels(cases[_i].text, &emu_target, &text);
    ck_assert_msg((strstr(sb_cstr(&text), "load_passing<") != NULL) == cases[_i].once, "%s",
                  sb_cstr(&text));
    sb_free(&text);
    emu_target = whole;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda_rows");
    TCase *c = tcase_create("cuda_rows");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 250);
    tcase_add_test(c, softmax_of_long_rows_reads_them_twice);
    tcase_add_loop_test(c, variances_of_long_rows_take_one_pass, 0, 6);
    tcase_add_loop_test(c, short_rows_and_columns, 0, 3);
    tcase_add_loop_test(c, rows_come_through_a_ring, 0, 5);
    tcase_add_loop_test(c, what_is_folded_in_one_pass_leaves_the_cache_first, 0, 5);
    tcase_add_loop_test(c, blocks_of_a_cluster_share_rows, 0, 3);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
