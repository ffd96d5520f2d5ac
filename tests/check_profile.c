/*
 * check_profile.c - profile and versus: rows that add up to the run, statements of both sides
 * beside each other, and reasons.
 */
#include "support.h"

#include "roofline.h"
#include "run.h"
#include "session_fixture.h"

#include <math.h>

static const char *const text = "def f(x: \"f32[64, 96]\", w: \"f32[96, 96]\"):\n"
                                "    a = torch.exp(-torch.abs(x))\n"
                                "    b = torch.relu(a) * 2\n"
                                "    c = b @ w\n"
                                "    d = torch.cumsum(c, 1)\n"
                                "    return torch.softmax(d, -1)\n";

static Program *load_bound(void)
{
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    Program *p = load_text(text);
    ck_assert(program_bind_random(s, p, 1, &d));
    return p;
}

START_TEST(rows_and_rest_are_the_run)
{
    Program *p = load_bound();
    for (uint32_t k = 0; k < program_stage_count(p); k++) {
        Profile x;
        Stage *st = program_stage(s, p, k, &d);
        no_errors();
        ck_assert(session_profile(s, p, st, 0.01, &x, &d));
        no_errors();
        double sum = 0;
        for (uint32_t i = 0; i < x.n; i++) {
            ck_assert(x.rows[i].ms >= 0 && x.rows[i].bytes >= 0);
            sum += x.rows[i].ms;
        }
        ck_assert_uint_ge(x.n, 2);
        ck_assert_uint_ge(x.runs, 4);
        ck_assert_msg(sum > 0 && sum <= x.run_ms, "%g of %g", sum, x.run_ms);
        ck_assert(x.copy_rate > 1e8 && x.matmul_rate > 1e7);
        profile_free(&x);
    }
}
END_TEST

/* Two configurations: every row of both is counted once. */
START_TEST(versus_adds_up_and_says_why)
{
    static const char *const sides[][2] = {
        {"interp", ""}, {"c,interp", ""}, {"c,interp", "-fuse"}, {"", "-cse-fold"}};
    Program *p = load_bound();
    uint32_t stages = program_stage_count(p);
    for (size_t k = 0; k < ARRAY_LEN(sides); k++) {
        Versus v = {.side = {{.executors = S("interp")},
                             {.executors = str_from(sides[k][0]),
                              .passes = str_from(sides[k][1])}}};
        bool good = session_versus(s, p, 0.02, &v, &d);
        no_errors();
        ck_assert(good);
        for (int i = 0; i < 2; i++) {
            double sum = 0;
            for (uint32_t r = 0; r < v.n; r++)
                sum += v.rows[r].ms[i];
            ck_assert_msg(fabs(sum - v.side[i].profile.run_ms) < 1e-9 + 1e-6 * sum, "%g, not %g",
                          sum, v.side[i].profile.run_ms);
        }
        versus_free(&v);
    }
    ck_assert_uint_eq(program_stage_count(p), stages); /* the program itself is as it was */
}
END_TEST

START_TEST(what_one_side_fuses_shares_a_row)
{
    Program *p = load_bound();
    Versus v = {.side = {{.executors = S("interp")}, {.executors = S("c,interp")}}};
    ck_assert(session_versus(s, p, 0.02, &v, &d));
    bool found = false; /* abs, neg, exp, relu and mul are one kernel of c */
    for (uint32_t r = 0; r < v.n; r++) {
        Str source = v.rows[r].source;
        uint32_t names = source.n > 0;
        for (size_t i = 0; i < source.n; i++)
            names += source.p[i] == ' ';
        found = found || (names >= 4 && source.p[0] != '(' && v.rows[r].why.n > 0);
    }
    ck_assert(found);
    versus_free(&v);
}
END_TEST

/* What both sides of a round suffer together is no noise; what one of them suffers is. */
START_TEST(noise_is_what_differences_vary_by)
{
    Turns same = {.n = 8}, other = {.n = 8};
    for (uint32_t i = 0; i < 8; i++) {
        same.ms[0][i] = 1 + i;
        same.ms[1][i] = 3 + i;
        other.ms[0][i] = 1;
        other.ms[1][i] = 3 + i;
    }
    ck_assert(turns_noise(&same) == 0);
    ck_assert(turns_noise(&other) == 3); /* differences 2 .. 9: the middle half is 4 .. 7 */
    ck_assert(turns_median(same.ms[0], 8) == 4.5);
    ck_assert(turns_median(same.ms[0], 7) == 4);
    ck_assert(turns_median(same.ms[0], 0) == 0 && turns_noise(&(Turns){0}) == 0);
}
END_TEST

/* Reasons are rows that make the faster side faster, and no more than it takes. */
START_TEST(versus_names_the_rows_that_explain)
{
    VersusRow rows[] = {{.ms = {1, 9}}, {.ms = {9, 4}}, {.ms = {2, 4}}, {.ms = {0, 3}}};
    Versus v = {.rows = rows, .n = 4, .differs = true};
    const VersusRow *reasons[VERSUS_REASONS];
    v.side[0].profile.run_ms = 12;
    v.side[1].profile.run_ms = 20;
    ck_assert_uint_eq(versus_reasons(&v, reasons), 1); /* 8 of 8 ms */
    ck_assert_ptr_eq(reasons[0], &rows[0]);
    v.side[1].profile.run_ms = 30;
    ck_assert_uint_eq(versus_reasons(&v, reasons), 2); /* 8 and 3 of 18 */
    ck_assert_ptr_eq(reasons[1], &rows[3]);
    v.side[1].profile.run_ms = 7;
    ck_assert_uint_eq(versus_reasons(&v, reasons), 1);
    ck_assert_ptr_eq(reasons[0], &rows[1]);
    v.differs = false;
    ck_assert_uint_eq(versus_reasons(&v, reasons), 0);
}
END_TEST

/* The interpreter and a compiled kernel: as different as sides can be. */
START_TEST(sides_differ_by_more_than_noise)
{
    Program *p = load_text("def f(x: \"f32[512, 512]\"):\n"
                           "    return torch.sin(torch.exp(torch.tanh(x)))\n");
    Versus v = {.side = {{.executors = S("interp")}, {.executors = S("c,interp")}}};
    const VersusRow *reasons[VERSUS_REASONS];
    ck_assert(program_bind_random(s, p, 1, &d));
    ck_assert(session_versus(s, p, 0.2, &v, &d));
    ck_assert_uint_ge(v.rounds, 5);
    ck_assert(v.noise >= 0 && v.ms[1] < v.ms[0]);
    ck_assert(v.differs == (v.ms[0] - v.ms[1] > v.noise));
    ck_assert_uint_eq(versus_reasons(&v, reasons), v.differs);
    versus_free(&v);
}
END_TEST

/* The ceiling moves what it says: what both sides have is copied, the rest read or written. */
START_TEST(copies_are_of_the_same_bytes)
{
    static const double mixes[][2] = {{1 << 20, 1 << 20}, {3 << 20, 1 << 20}, {1 << 20, 4 << 20},
                                      {5 << 20, 0}, {0, 5 << 20}};
    for (size_t k = 0; k < ARRAY_LEN(mixes); k++) {
        static Copying c;
        ck_assert(copying_begin(&c, mixes[k][0], mixes[k][1]));
        ck_assert(c.read == (size_t)mixes[k][0] && c.written == (size_t)mixes[k][1]);
        for (uint32_t way = 0; way < COPY_WAYS; way++) {
            size_t both = c.read < c.written ? c.read : c.written;
            for (size_t i = 0; i < c.read; i++)
                c.from[i] = (char)(i * 7 + way);
            memset(c.to, 0, c.written);
            copying_once(&c, way);
            for (size_t i = 0; i < c.written; i++)
                ck_assert(i < both ? c.to[i] == c.from[i] : c.to[i] != 0);
        }
        ck_assert(copying_rate(&c) == 0);
        copying_sample(&c);
        ck_assert(copying_rate(&c) > 1e7);
        copying_end(&c);
    }
    static Copying small;
    ck_assert(copying_begin(&small, 64, 0) && small.read == 1 << 15 && small.written == 1 << 15);
    copying_end(&small);
}
END_TEST

START_TEST(bad_sides_are_refused)
{
    static const char *const passes[] = {"-nothing", "fuse", "-claim"};
    Program *p = load_bound();
    for (size_t i = 0; i < ARRAY_LEN(passes); i++) {
        Versus v = {.side = {{.passes = str_from(passes[i])}, {.executors = S("interp")}}};
        ck_assert(!session_versus(s, p, 0.02, &v, &d));
        ck_assert_uint_ge(d.nerrors, 1);
        diag_clear(&d);
    }
    Versus v = {.side = {{.executors = S("nobody")}, {.executors = S("interp")}}};
    ck_assert(!session_versus(s, p, 0.02, &v, &d));
}
END_TEST

START_TEST(pictures_of_a_profile)
{
    Profile x;
    StrBuf chart = {0}, svg = {0};
    Program *p = load_bound();
    Stage *last = program_find_stage(s, p, S("last"), &d);
    ck_assert(session_profile(s, p, last, 0.01, &x, &d));
    roofline_chart(&x, 80, 20, &chart);
    roofline_svg(&x, &svg);
    ck_assert_ptr_nonnull(strchr(sb_cstr(&chart), 'A'));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&chart), "FLOP/byte"));
    for (Str rest = sb_str(&chart); rest.n;) /* 80 columns are enough */
        ck_assert_uint_le(str_cut(&rest, '\n').n, 80);
    ck_assert(str_starts(sb_str(&svg), "<svg") && str_ends(sb_str(&svg), "</svg>\n"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&svg), "matmul"));
    sb_free(&chart);
    sb_free(&svg);
    profile_free(&x);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("profile");
    TCase *c = tcase_create("profile");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, rows_and_rest_are_the_run);
    tcase_add_test(c, versus_adds_up_and_says_why);
    tcase_add_test(c, what_one_side_fuses_shares_a_row);
    tcase_add_test(c, noise_is_what_differences_vary_by);
    tcase_add_test(c, versus_names_the_rows_that_explain);
    tcase_add_test(c, sides_differ_by_more_than_noise);
    tcase_add_test(c, copies_are_of_the_same_bytes);
    tcase_add_test(c, bad_sides_are_refused);
    tcase_add_test(c, pictures_of_a_profile);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
