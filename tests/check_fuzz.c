/*
 * check_fuzz.c - mutated programs and tensor files: whatever the bytes are, loading ends with a
 * trace or with errors, and a trace that was loaded prints as text that loads as an equal trace.
 *
 * The mutations come from a fixed seed, so a failure repeats; each test is bounded in time. Run it
 * under the sanitizers.
 */
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <time.h>

#include "front.h"
#include "lang.h"

enum { MAX_SAMPLES = 64, SECONDS = 6, MAX_TEXT = 1 << 17 };

static Registry reg;
static Diag diag;
static StrBuf samples[MAX_SAMPLES];
static uint32_t nsamples;
static uint64_t state;

static uint32_t random_below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (uint32_t)((state >> 16) % n) : 0;
}

static void read_sample(const char *folder, const char *name)
{
    StrBuf path = {0};
    sb_printf(&path, "%s/%s", folder, name);
    add_file(sb_cstr(&path), &samples[nsamples]);
    sb_free(&path);
    if (samples[nsamples].n > MAX_TEXT)
        samples[nsamples].n = MAX_TEXT;
    nsamples++;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Every file of a folder with this ending, in order of name. */
static void read_samples(const char *folder, const char *ending)
{
    char names[MAX_SAMPLES][128];
    uint32_t n = 0;
    DIR *dir = opendir(folder);
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *e = readdir(dir); e; e = readdir(dir))
        if (str_ends(str_from(e->d_name), ending) && n < MAX_SAMPLES && strlen(e->d_name) < 128)
            strcpy(names[n++], e->d_name);
    closedir(dir);
    qsort(names, n, sizeof names[0], by_name);
    for (uint32_t i = 0; i < n && nsamples < MAX_SAMPLES; i++)
        read_sample(folder, names[i]);
}

static void setup(void)
{
    registry_init(&reg);
    lang_register(&reg, &diag);
    state = 0x9e3779b97f4a7c15u;
    nsamples = 0;
}

static void teardown(void)
{
    for (uint32_t i = 0; i < nsamples; i++)
        sb_free(&samples[i]);
    registry_free(&reg);
    diag_clear(&diag);
}

/* ------------------------------------------------------------------------------------ mutations */

static const char *const pieces[] = {
    "(", ")", "[", "]", "{", "}", "'", "\"", "\"\"\"", "\\\n", "\n", "    ", "#", "# ", ":", ";",
        ",", "=",
    " = ", "**", "...", "None", "True", "1e999", "-", "~", "not ", "9223372036854775808", "0", "-1",
    "slice(None, None, None)", "float('nan')", "del x", "return ", "def f(x: \"f32[2]\"):\n",
    "class a(b):\n", "self.", "torch.ops.aten.", "prims.", "ltorch.", "x", "t0", "\"f32[2]\"",
    "\"Sym(s0)\"", "f32[4611686018427387904]", "@interp", "+12,-", "\t", "\r\n", "\033[31m", "\xff",
        "```\n",
    "# Memory plan: 9 bytes\n", "% t", "*", "lambda", "1j", "\0", "if ", "_", ".", "=None",
        "{'a': 1}",
};

static void replace(StrBuf *b, size_t from, size_t len, Str with)
{
    StrBuf out = {0};
    sb_add(&out, str_sub(sb_str(b), 0, from));
    sb_add(&out, with);
    sb_add(&out, str_sub(sb_str(b), from + len, SIZE_MAX));
    sb_free(b);
    *b = out;
}

static void mutate(StrBuf *b)
{
    uint32_t n = (uint32_t)b->n, at = random_below(n + 1), len = random_below(1 + random_below(40));
    const StrBuf *other = &samples[random_below(nsamples)];
    Str piece = str_from(pieces[random_below(ARRAY_LEN(pieces))]);
    switch (random_below(8)) {
    case 0: /* flip a bit */
        if (at < n)
            b->p[at] = (char)(b->p[at] ^ (1 << random_below(8)));
        return;
    case 1: /* leave something out */
        replace(b, at, len, (Str){0});
        return;
    case 2: /* repeat something elsewhere */
        replace(b, at, 0, str_sub(sb_str(b), random_below(n), len));
        return;
    case 3: /* put something of another file here */
        replace(b, at, len, str_sub(sb_str(other), random_below((uint32_t)other->n), len * 3));
        return;
    case 4: /* cut the end off, seldom */
        if (random_below(6) == 0)
            replace(b, at, SIZE_MAX, (Str){0});
        return;
    default:
        replace(b, at, random_below(3), piece);
    }
}

/* A sample, mutated a few times; of a long one a part. */
static StrBuf mutant(void)
{
    StrBuf b = {0};
    Str s = sb_str(&samples[random_below(nsamples)]);
    size_t most = 6000;
    if (s.n > most) {
        size_t from = random_below((uint32_t)(s.n - most));
        while (from > 0 && s.p[from - 1] != '\n')
            from--;
        s = str_sub(s, from, most);
    }
    sb_add(&b, s);
    for (uint32_t i = 1 + random_below(4); i > 0; i--)
        mutate(&b);
    return b;
}

/* ------------------------------------------------------------------------------------- programs */

static void check_reads_again(const Trace *t, Str original)
{
    StrBuf text = {0}, why = {0};
    Diag d = {0};
    trace_print(t, &print_all, &text);
    Source src = {S("printed"), sb_str(&text)};
    FrontFile *f = front_parse(&src, &d);
    Trace *again =
        front_count(f) ? front_acquire(front_function(f, 0), &reg, NULL, 0, NULL, &d) : NULL;
    char *said = diag_text(&d);
    ck_assert_msg(again != NULL, "%.600s\n%.1000s\nfrom:\n%.*s", said,
                  sb_cstr(&text), STR(str_sub(original, 0, 2000)));
    ck_assert_msg(trace_equal(t, again, &why), "%.600s\n%.1000s\nfrom:\n%.*s", sb_cstr(&why),
                  sb_cstr(&text),
                  STR(str_sub(original, 0, 2000)));
    free(said);
    trace_unref(again);
    front_free(f);
    diag_clear(&d);
    sb_free(&text);
    sb_free(&why);
}

static uint32_t load_all(Str text)
{
    static const SymbolValue symbols[] = {{{"s0", 2}, 3}, {{"s33", 3}, 5}};
    Source src = {S("mutant"), text};
    FrontFile *f = front_parse(&src, &diag);
    uint32_t loaded = 0;
    if (front_count(f) == 0)
        ck_assert_uint_gt(diag.nerrors, 0);
    for (uint32_t i = 0; i < front_count(f) && i < 4; i++) {
        uint32_t before = diag.nerrors;
        OpUses uses = {0};
        Trace *t = front_acquire(front_function(f, i), &reg, symbols, 2, &uses, &diag);
        ck_assert(t != NULL || diag.nerrors > 0);
        ck_assert(t == NULL || diag.nerrors == before);
        if (t)
            check_reads_again(t, text);
        loaded += t != NULL;
        trace_unref(t);
        op_uses_free(&uses);
    }
    front_free(f);
    StrBuf said = {0};
    diag_render_all(&diag, false, &said); /* spans lie inside the text */
    sb_free(&said);
    diag_clear(&diag);
    return loaded;
}

START_TEST(mutated_programs)
{
    uint32_t loaded = 0, tried = 0;
    read_samples(TEST_DIR "/cases", ".py");
    read_samples(TEST_DIR "/cases/front", ".py");
    ck_assert_uint_gt(nsamples, 5);
    clock_t end = clock() + SECONDS * CLOCKS_PER_SEC;
    while (clock() < end) {
        StrBuf text = mutant();
        loaded += load_all(sb_str(&text));
        tried++;
        sb_free(&text);
    }
    ck_assert_uint_gt(tried, 50); /* the samples are mutated lightly: some still load */
    ck_assert_uint_gt(loaded, 0);
}
END_TEST

START_TEST(mutated_expressions)
{
    static const char *const texts[] = {
        "torch.softmax(x * 2 + 1, dim=-1)", "x[..., None, 1:2][0]", "(x, [1, 2.5], {'a': None})",
        "x.view(2, -1).transpose(0, 1) @ x", "-x ** 2 // 3 << 1 if", "prims.add(x, x)",
        "float('inf') * 1e5 - 3 % 2", "%x + %y"};
    clock_t end = clock() + SECONDS / 3 * CLOCKS_PER_SEC;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        sb_puts(&samples[nsamples++], texts[i]);
    while (clock() < end) {
        static const int64_t shape[] = {2, 2};
        StrBuf text = mutant();
        Trace *t = trace_new(&reg, S("f"));
        trace_add_input(t, type_tensor(t, DT_f32, (Device){DEV_cpu, 0}, 2, shape), S("x"));
        Build b = {.t = t, .diag = &diag};
        Source src = {S("<command>"), sb_str(&text)};
        front_expression(&b, &src, NULL, NULL, 0);
        ck_assert_int_eq(b.failed, diag.nerrors > 0);
        StrBuf said = {0};
        diag_render_all(&diag, false, &said);
        sb_free(&said);
        diag_clear(&diag);
        trace_unref(t);
        sb_free(&text);
    }
}
END_TEST

/* --------------------------------------------------------------------------------- tensor files */

START_TEST(mutated_tensor_files)
{
    read_samples(TEST_DIR "/cases", ".safetensors");
    ck_assert_uint_gt(nsamples, 3);
    clock_t end = clock() + SECONDS / 3 * CLOCKS_PER_SEC;
    while (clock() < end) {
        SafeTensors st;
        StrBuf b = {0};
        Str s = sb_str(&samples[random_below(nsamples)]);
        sb_add(&b, s);
        for (uint32_t i = random_below(4); i > 0; i--) {
            uint32_t at = random_below(random_below(4) ? 600 : (uint32_t)b.n);
            if (at >= b.n || random_below(9) == 0)
                mutate(&b);
            else
                b.p[at] = (char)(random_below(3) ? "0123456789,[]{}\":"[random_below(17)]
                                                 : (char)random_below(256));
        }
        bool ok = safetensors_parse(&st, b.p, b.n, S("mutant"), &diag);
        ck_assert_int_eq(ok, diag.nerrors == 0);
        for (uint32_t i = 0; ok && i < st.n; i++) {
            const char *p = st.items[i].data;
            ck_assert(p >= b.p && p + st.items[i].bytes <= b.p + b.n);
        }
        if (ok)
            safetensors_close(&st);
        diag_clear(&diag);
        sb_free(&b);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("fuzz");
    TCase *tc = tcase_create("fuzz");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, mutated_programs);
    tcase_add_test(tc, mutated_expressions);
    tcase_add_test(tc, mutated_tensor_files);
    suite_add_tcase(s, tc);
    return run_suite(s);
}
