/* check_base.c - promises of core/base: arenas, strings, diagnostics, the map, the rule log. */
#include "support.h"

#include <math.h>
#include <stdio.h>

#include "log.h"
#include "map.h"

/* -------------------------------------------------------------------------------------- arena */

static bool all_bytes(const void *p, size_t n, int value)
{
    const unsigned char *c = p;
    while (n && *c == value) {
        c++;
        n--;
    }
    return n == 0;
}

START_TEST(arena_memory_is_zeroed_aligned_and_stays)
{
    Arena a = {0};
    char *kept[200];
    for (int i = 0; i < 200; i++) {
        size_t size = (size_t)i * 37 + 1;
        kept[i] = arena_alloc(&a, size);
        ck_assert_uint_eq((uintptr_t)kept[i] % 16, 0);
        ck_assert(all_bytes(kept[i], size, 0));
        memset(kept[i], i, size);
    }
    for (int i = 0; i < 200; i++)
        ck_assert(all_bytes(kept[i], (size_t)i * 37 + 1, i));
    arena_free(&a);
    ck_assert_uint_eq(a.total, 0);
}
END_TEST

START_TEST(arena_release_gives_back_to_the_mark)
{
    Arena a = {0};
    int *before = new_of(&a, int);
    *before = 7;
    ArenaMark m = arena_mark(&a);
    size_t total = a.total;
    for (int i = 0; i < 100; i++)
        memset(arena_alloc(&a, 10000), 0xff, 10000);
    ck_assert_uint_gt(a.total, total);
    arena_release(&a, m);
    ck_assert_uint_eq(a.total, total);
    ck_assert_int_eq(*before, 7);
    ck_assert(all_bytes(arena_alloc(&a, 64), 64, 0));
    arena_release(&a, (ArenaMark){0});
    ck_assert_uint_eq(a.total, 0);
    arena_free(&a);
}
END_TEST

START_TEST(arena_takes_one_large_block)
{
    Arena a = {0};
    char *p = arena_alloc(&a, 5 << 20);
    p[(5 << 20) - 1] = 1;
    ck_assert_ptr_nonnull(arena_alloc(&a, 1));
    arena_free(&a);
}
END_TEST

START_TEST(arena_strings_end_in_nul)
{
    Arena a = {0};
    Str s = arena_str(&a, str_sub(S("matmul, linear"), 0, 6));
    ck_assert_str_eq(s.p, "matmul");
    ck_assert_str_eq(arena_str(&a, (Str){0}).p, "");
    char long_text[600];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    Str p = arena_printf(&a, "<%s:%d>", long_text, 42);
    ck_assert_uint_eq(p.n, sizeof long_text - 1 + 5);
    ck_assert_str_eq(p.p + p.n - 5, "x:42>");
    ck_assert_ptr_null(arena_copy(&a, "", 0));
    arena_free(&a);
}
END_TEST

/* ------------------------------------------------------------------------------------ strings */

START_TEST(strings_compare_and_search)
{
    ck_assert(str_eq(S("abc"), str_sub(S("xabcx"), 1, 3)));
    ck_assert(!str_eq(S("abc"), S("abcd")));
    ck_assert(str_eq((Str){0}, S("")));
    ck_assert_int_lt(str_cmp(S("ab"), S("abc")), 0);
    ck_assert_int_gt(str_cmp(S("b"), S("abc")), 0);
    ck_assert_int_eq(str_cmp(S("q"), S("q")), 0);
    ck_assert(str_starts(S("prims.add"), "prims."));
    ck_assert(!str_starts(S("pr"), "prims."));
    ck_assert(str_ends(S("model.py"), ".py"));
    ck_assert(!str_ends(S("py"), ".py"));
    ck_assert_uint_eq(str_find(S("a.b.c"), '.', 2), 3);
    ck_assert_uint_eq(str_find(S("abc"), '.', 0), SIZE_MAX);
    ck_assert_uint_eq(str_find(S("abc"), 'a', 17), SIZE_MAX);
}
END_TEST

START_TEST(text_of_xml_has_no_markup_and_no_control_characters)
{
    StrBuf b = {0};
    sb_xml(&b, S("a<b> & \"c\"\x1b[0m\x7f\td\n\xc3\xa9"));
    ck_text(sb_str(&b), "a&lt;b&gt; &amp; &quot;c&quot;[0m\td\n\xc3\xa9");
    sb_free(&b);
}
END_TEST

START_TEST(strings_are_cut_and_trimmed)
{
    ck_text(str_trim(S(" \t a b \r\n")), "a b");
    ck_text(str_trim(S("  ")), "");
    ck_text(str_sub(S("abcdef"), 4, 100), "ef");
    ck_text(str_sub(S("abc"), 9, 1), "");
    Str rest = S("dim, keepdim,");
    ck_text(str_cut(&rest, ','), "dim");
    ck_text(str_cut(&rest, ','), " keepdim");
    ck_text(rest, "");
    ck_text(str_cut(&rest, ','), "");
    Str whole = S("alone");
    ck_text(str_cut(&whole, ','), "alone");
    ck_assert_uint_eq(whole.n, 0);
}
END_TEST

START_TEST(numbers_are_read_whole_or_not_at_all)
{
    int64_t i = 0;
    double f = 0;
    ck_assert(str_to_i64(S("-9223372036854775808"), &i) && i == INT64_MIN);
    ck_assert(str_to_i64(S("9223372036854775807"), &i) && i == INT64_MAX);
    ck_assert(!str_to_i64(S("9223372036854775808"), &i));
    ck_assert(!str_to_i64(S("12x"), &i));
    ck_assert(!str_to_i64(S(" 1"), &i));
    ck_assert(!str_to_i64(S(""), &i));
    ck_assert(!str_to_i64(S("0.5"), &i));
    ck_assert(str_to_f64(S("1e-05"), &f) && f == 1e-05);
    ck_assert(str_to_f64(S("-inf"), &f) && isinf(f) && f < 0);
    ck_assert(!str_to_f64(S("1.0.0"), &f));
    ck_assert(!str_to_f64(S(""), &f));
}
END_TEST

START_TEST(distance_counts_edits_up_to_a_limit)
{
    ck_assert_uint_eq(str_distance(S("softmax"), S("softmax"), 3), 0);
    ck_assert_uint_eq(str_distance(S("sofmtax"), S("softmax"), 3), 1); /* one swap */
    ck_assert_uint_eq(str_distance(S("softmx"), S("softmax"), 3), 1);
    ck_assert_uint_eq(str_distance(S("softmaxx"), S("softmax"), 3), 1);
    ck_assert_uint_eq(str_distance(S("saftmix"), S("softmax"), 3), 2);
    ck_assert_uint_eq(str_distance(S("relu"), S("softmax"), 2), 3);
    ck_assert_uint_eq(str_distance(S(""), S("abc"), 5), 3);
}
END_TEST

START_TEST(builder_grows_and_is_reusable)
{
    StrBuf b = {0};
    ck_assert_str_eq(sb_cstr(&b), "");
    for (int i = 0; i < 1000; i++)
        sb_printf(&b, "%d,", i);
    ck_assert_uint_eq(b.n, 10 * 2 + 90 * 3 + 900 * 4);
    ck_assert_uint_eq(strlen(b.p), b.n);
    sb_clear(&b);
    sb_pad(&b, '-', 300);
    ck_assert_uint_eq(strlen(sb_cstr(&b)), 300);
    sb_free(&b);
    sb_putc(&b, 'x');
    ck_text(sb_str(&b), "x");
    sb_free(&b);
}
END_TEST

START_TEST(bytes_have_units)
{
    static const struct {
        double bytes;
        const char *text;
    } rows[] = {{0, "0 B"}, {1023, "1023 B"}, {1024, "1.0 KiB"}, {1536, "1.5 KiB"},
                {1048575, "1024.0 KiB"}, {1048576, "1.0 MiB"}, {1e18, "909494.7 TiB"}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        StrBuf b = {0};
        sb_bytes(&b, rows[i].bytes);
        ck_text(sb_str(&b), rows[i].text);
        sb_free(&b);
    }
}
END_TEST

static const struct {
    double value;
    const char *text;
} floats[] = {
    {0.1, "0.1"}, {2.0, "2.0"}, {-0.0, "-0.0"}, {1e-05, "1e-05"}, {0.0001, "0.0001"},
    {1e16, "1e+16"}, {123456789012345.0, "123456789012345.0"}, {1e15, "1000000000000000.0"},
    {-3.4028234663852886e+38, "-3.4028234663852886e+38"}, {5e-324, "5e-324"},
    {0.30000000000000004, "0.30000000000000004"}, {INFINITY, "float('inf')"},
    {-INFINITY, "-float('inf')"}, {NAN, "float('NaN')"}, {1.5e300, "1.5e+300"},
};

START_TEST(floats_print_as_python_does)
{
    StrBuf b = {0};
    sb_python_float(&b, floats[_i].value);
    ck_text(sb_str(&b), floats[_i].text);
    sb_free(&b);
}
END_TEST

/* -------------------------------------------------------------------------------- diagnostics */

static char *rendered(const char *text, uint32_t off, uint32_t len)
{
    Source src = {S("model.py"), str_from(text)};
    Diag d = {0};
    StrBuf out = {0};
    Span at = {&src, off, len};
    diag_error(&d, DIAG_load, at, "some-code", "what happened");
    diag_render(d.first, false, &out);
    diag_clear(&d);
    return out.p;
}

START_TEST(excerpt_shows_line_and_caret)
{
    char *text = rendered("a = 1\nb = foo(a)\nc = 2\n", 10, 3);
    ck_assert_str_eq(text, "error: what happened [some-code]\n"
                           "  at model.py:2:5\n"
                           " 2 | b = foo(a)\n"
                           "   |     ^^^\n");
    free(text);
}
END_TEST

START_TEST(columns_and_carets_count_characters)
{
    /* "é" and "→" take two and three bytes, one column each. */
    char *text = rendered("é→ = foo(é)\n", 8, 3);
    ck_contains(text, "model.py:1:6\n");
    ck_contains(text, " 1 | é→ = foo(é)\n   |      ^^^\n");
    free(text);
}
END_TEST

START_TEST(long_lines_are_cut_around_the_place)
{
    size_t n = 1 << 20;
    char *line = malloc(n + 1);
    memset(line, 'x', n);
    line[n] = 0;
    memcpy(line + n / 2, "HERE", 4);
    char *text = rendered(line, (uint32_t)(n / 2), 4);
    ck_assert_uint_lt(strlen(text), 400);
    ck_contains(text, "HERE");
    const char *caret = strstr(text, "^^^^"), *excerpt = strstr(text, "| …");
    ck_assert_ptr_nonnull(caret);
    ck_assert_ptr_nonnull(excerpt);
    /* The caret stands below the word: as many columns after its "|" as the word after its own. */
    const char *second = strchr(strchr(excerpt, '\n'), '|');
    const char *word = strstr(excerpt, "HERE");
    ck_assert_int_eq(caret - second, word - excerpt - 2); /* "…" is three bytes, one column */
    free(text);
    free(line);
}
END_TEST

START_TEST(cut_lines_keep_characters_whole)
{
    StrBuf line = {0};
    for (int i = 0; i < 200; i++)
        sb_puts(&line, "é");
    for (uint32_t off = 0; off < 400; off += 2) {
        char *text = rendered(sb_cstr(&line), off, 2);
        for (const char *p = text; *p; p++)
            if (((unsigned char)*p & 0xE0) == 0xC0)
                ck_assert_int_eq((unsigned char)p[1] & 0xC0, 0x80);
        free(text);
    }
    sb_free(&line);
}
END_TEST

START_TEST(places_outside_the_text_do_no_harm)
{
    free(rendered("", 0, 0));
    free(rendered("abc", 3, 0));
    free(rendered("abc\n", 4, 5));
    char *text = rendered("abc", 900, 900);
    ck_contains(text, "model.py:1:4");
    free(text);
    char *controls = rendered("a\033[31mb\n", 0, 1);
    ck_assert_ptr_null(strchr(controls, '\033'));
    free(controls);
}
END_TEST

START_TEST(crlf_lines_show_without_the_carriage_return)
{
    char *text = rendered("first\r\nsecond\r\n", 7, 6);
    ck_contains(text, " 2 | second\n");
    free(text);
}
END_TEST

START_TEST(items_carry_where_note_and_help)
{
    Diag d = {0};
    StrBuf out = {0};
    DiagItem *i = diag_error(&d, DIAG_compile, (Span){0}, "wrong-type", "t%d is wrong", 5);
    diag_where(&d, i, "stage %d, op %s", 3, "add");
    diag_note(&d, i, "a note");
    diag_help(&d, i, "list 3");
    diag_render_all(&d, false, &out);
    ck_text(sb_str(&out), "error: t5 is wrong [wrong-type]\n  in stage 3, op add\n"
                          "  note: a note\n  help: list 3\n");
    sb_clear(&out);
    diag_render_all(&d, true, &out);
    ck_contains(sb_cstr(&out), "\033[1;31merror:\033[0m");
    sb_free(&out);
    diag_clear(&d);
}
END_TEST

START_TEST(items_above_the_limit_are_counted)
{
    Diag d = {.limit = 3};
    StrBuf out = {0};
    for (int i = 0; i < 10; i++)
        diag_help(&d, diag_error(&d, DIAG_load, (Span){0}, "e", "number %d", i), "h");
    diag_add(&d, SEV_warning, DIAG_load, (Span){0}, "w", "a warning");
    ck_assert_uint_eq(d.nerrors, 10);
    ck_assert_uint_eq(d.nitems, 11);
    diag_render_all(&d, false, &out);
    ck_contains(sb_cstr(&out), "number 2");
    ck_assert_ptr_null(strstr(sb_cstr(&out), "number 3"));
    ck_contains(sb_cstr(&out), "... and 8 more\n");
    diag_clear(&d);
    ck_assert_uint_eq(d.nerrors, 0);
    ck_assert_uint_eq(d.limit, 3);
    sb_free(&out);
}
END_TEST

START_TEST(moved_items_outlive_their_source)
{
    Diag from = {0}, to = {0};
    DiagItem *i = diag_error(&from, DIAG_load, (Span){0}, "a", "first %s", "one");
    diag_note(&from, i, "note %d", 1);
    diag_add(&from, SEV_note, DIAG_load, (Span){0}, "b", "second");
    diag_move(&to, &from);
    ck_assert_ptr_null(from.first);
    ck_assert_uint_eq(to.nitems, 2);
    ck_assert_uint_eq(to.nerrors, 1);
    ck_text(to.first->message, "first one");
    ck_text(to.first->note, "note 1");
    diag_clear(&to);
}
END_TEST

START_TEST(spans_join_to_cover_both)
{
    Source a = {S("a"), S("0123456789")}, b = {S("b"), S("")};
    Span s = span_join((Span){&a, 2, 1}, (Span){&a, 6, 3});
    ck_assert_uint_eq(s.off, 2);
    ck_assert_uint_eq(s.len, 7);
    ck_assert_ptr_eq(span_join((Span){0}, (Span){&b, 0, 0}).src, &b);
    ck_assert_ptr_eq(span_join((Span){&a, 1, 1}, (Span){&b, 0, 0}).src, &a);
}
END_TEST

typedef struct Words {
    const char *const *next;
} Words;

static bool next_word(void *state, Str *candidate)
{
    Words *w = state;
    if (!*w->next)
        return false;
    *candidate = str_from(*w->next++);
    return true;
}

START_TEST(nearest_word_is_offered_only_when_near)
{
    static const char *const words[] = {"softmax", "softplus", "matmul", "mul", NULL};
    Words w = {words};
    ck_text(nearest(S("sotfmax"), next_word, &w), "softmax");
    w.next = words;
    ck_text(nearest(S("matmull"), next_word, &w), "matmul");
    w.next = words;
    ck_assert_uint_eq(nearest(S("convolution"), next_word, &w).n, 0);
    w.next = words;
    ck_assert_uint_eq(nearest(S("zz"), next_word, &w).n, 0);
    static const char *const short_words[] = {"!", "x", NULL};
    w.next = short_words;
    ck_assert_uint_eq(nearest(S("a"), next_word, &w).n, 0); /* no letter is shared */
}
END_TEST

/* ---------------------------------------------------------------------------------------- map */

START_TEST(map_finds_what_was_put)
{
    enum { N = 20000 };
    Map m = {0};
    char key[32];
    bool fresh;
    ck_assert_ptr_null(map_get(&m, S("anything")));
    for (unsigned i = 0; i < N; i++) {
        int n = snprintf(key, sizeof key, "t%u", i);
        MapEntry *e = map_put(&m, (Str){key, (size_t)n}, &fresh);
        ck_assert(fresh);
        ck_assert_uint_eq(e->u, 0);
        e->u = i + 1;
    }
    ck_assert_uint_eq(m.live, N);
    for (unsigned i = 0; i < N; i++) {
        int n = snprintf(key, sizeof key, "t%u", i);
        ck_assert_uint_eq(map_get(&m, (Str){key, (size_t)n})->u, i + 1);
    }
    map_put(&m, S("t7"), &fresh);
    ck_assert(!fresh);
    ck_assert_ptr_null(map_get(&m, S("t20000")));
    map_free(&m);
}
END_TEST

START_TEST(map_keeps_order_of_insertion)
{
    Map m = {0};
    static const char *const keys[] = {"z", "a", "m", "", "b"};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        map_put(&m, str_from(keys[i]), NULL)->u = i;
    ck_assert(map_remove(&m, S("m")));
    ck_assert(!map_remove(&m, S("m")));
    size_t seen[8], n = 0;
    map_for_each (&m, e)
        seen[n++] = (size_t)e->u;
    ck_assert_uint_eq(n, 4);
    ck_assert(seen[0] == 0 && seen[1] == 1 && seen[2] == 3 && seen[3] == 4);
    map_free(&m);
}
END_TEST

START_TEST(map_survives_many_removals)
{
    Map m = {0};
    char key[32];
    for (unsigned round = 0; round < 50; round++)
        for (unsigned i = 0; i < 200; i++) {
            int n = snprintf(key, sizeof key, "%u/%u", round, i);
            map_put(&m, (Str){key, (size_t)n}, NULL)->u = i;
            if (i % 4)
                ck_assert(map_remove(&m, (Str){key, (size_t)n}));
        }
    ck_assert_uint_eq(m.live, 50 * 50);
    ck_assert_uint_eq(map_get(&m, S("49/196"))->u, 196);
    ck_assert_ptr_null(map_get(&m, S("49/197")));
    map_clear(&m);
    ck_assert_ptr_null(map_get(&m, S("49/196")));
    map_put(&m, S("again"), NULL)->u = 1;
    ck_assert_uint_eq(m.live, 1);
    map_free(&m);
}
END_TEST

START_TEST(map_keys_are_bytes)
{
    Map m = {0};
    map_put(&m, (Str){"a\0b", 3}, NULL)->u = 1;
    map_put(&m, (Str){"a\0c", 3}, NULL)->u = 2;
    map_put(&m, S("a"), NULL)->u = 3;
    ck_assert_uint_eq(map_get(&m, (Str){"a\0c", 3})->u, 2);
    ck_assert_uint_eq(map_get(&m, S("a"))->u, 3);
    map_free(&m);
}
END_TEST

START_TEST(hash_depends_on_every_byte)
{
    unsigned char bytes[33] = {0};
    uint64_t zero = hash_bytes(bytes, sizeof bytes, 0);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = 1;
        ck_assert_uint_ne(hash_bytes(bytes, sizeof bytes, 0), zero);
        bytes[i] = 0;
    }
    ck_assert_uint_ne(hash_bytes(bytes, 5, 0), hash_bytes(bytes, 6, 0));
    ck_assert_uint_ne(hash_bytes(bytes, 5, 0), hash_bytes(bytes, 5, 1));
    for (uint32_t a = 0; a < 16; a++) /* a small seed and a small key do not cancel out */
        for (uint32_t c = 0; c < a; c++)
            ck_assert_uint_ne(hash_bytes(&a, sizeof a, c), hash_bytes(&c, sizeof c, a));
}
END_TEST

/* ---------------------------------------------------------------------------------------- log */

static void log_with(RuleLog *log, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    log_add(log, "p", "r", &(RuleEntry){0}, format, &ap);
    va_end(ap);
}

START_TEST(reasons_become_text_when_they_are_read)
{
    RuleLog log = {0};
    char name[] = "t1", why[] = "it is small";
    log_with(&log, "same as %%%.*s: %s, %s", 2, name, why, "a literal");
    log_with(&log, "%u of %d, %lld, %zu, %.1f, %g", 7u, -3, 1ll << 40, (size_t)9, 2.25, 0.5);
    log_with(&log, "no arguments");
    log_with(&log, "100 %%");
    log_with(&log, "%5d|%-4s|%x", 42, "ab", 255); /* conversions that are formatted at once */
    log_with(&log, "");
    strcpy(name, "??");
    strcpy(why, "??");
    static const char *const want[] = {"same as %t1: it is small, a literal",
                                       "7 of -3, 1099511627776, 9, 2.2, 0.5",
                                       "no arguments",
                                       "100 %",
                                       "   42|ab  |ff",
                                       ""};
    for (int again = 0; again < 2; again++)
        for (uint32_t i = 0; i < log.n; i++)
            ck_text(rule_reason(log_at(&log, i)), want[i]);
    log_free(&log);
}
END_TEST

static void log_number_with(RuleLog *log, uint32_t i, const char *format, ...)
{
    static const char *const rules[] = {"x * 1 -> x", "x + 0 -> x", "equal -> joined"};
    va_list ap;
    va_start(ap, format);
    log_add(log, "fold", rules[i % 3], &(RuleEntry){.subject = i, .index = i}, format, &ap);
    va_end(ap);
}

START_TEST(log_entries_keep_number_place_and_kind)
{
    enum { MANY = 200000 };
    RuleLog log = {0};
    log_number_with(&log, 0, "number %u", 0);
    const RuleEntry *first = log_at(&log, 0);
    for (uint32_t i = 1; i < MANY; i++)
        log_number_with(&log, i, "number %u", i);
    ck_assert_uint_eq(log.n, MANY);
    ck_assert_ptr_eq(log_at(&log, 0), first);
    for (uint32_t i = 0; i < MANY; i++) {
        const RuleEntry *e = log_at(&log, i);
        ck_assert_uint_eq(e->subject, i);
        ck_assert_uint_eq(log_number(&log, e), i);
        ck_assert_ptr_eq(e->kind, log_at(&log, i % 3)->kind);
        ck_assert_str_eq(e->kind->pass, "fold");
    }
    ck_text(rule_reason(log_at(&log, MANY - 1)), "number 199999");
    log_free(&log);
    ck_assert_uint_eq(log.n, 0);
}
END_TEST

/* More kinds than there is room for at first, as scripts may make. */
START_TEST(log_knows_many_kinds)
{
    enum { KINDS = 3000 };
    static char formats[KINDS][32];
    RuleLog log = {0};
    for (int again = 0; again < 2; again++)
        for (int i = 0; i < KINDS; i++) {
            snprintf(formats[i], sizeof formats[i], "kind %d of %%u", i);
            log_number_with(&log, (uint32_t)i, formats[i], 7u);
        }
    for (uint32_t i = 0; i < KINDS; i++) {
        char want[32];
        snprintf(want, sizeof want, "kind %u of 7", i);
        ck_text(rule_reason(log_at(&log, i)), want);
        ck_assert_ptr_eq(log_at(&log, i)->kind, log_at(&log, KINDS + i)->kind);
    }
    log_free(&log);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("base");
    TCase *arena = tcase_create("arena"), *str = tcase_create("str");
    TCase *diag = tcase_create("diag"), *map = tcase_create("map"), *log = tcase_create("log");
    tcase_add_test(arena, arena_memory_is_zeroed_aligned_and_stays);
    tcase_add_test(arena, arena_release_gives_back_to_the_mark);
    tcase_add_test(arena, arena_takes_one_large_block);
    tcase_add_test(arena, arena_strings_end_in_nul);
    tcase_add_test(str, strings_compare_and_search);
    tcase_add_test(str, strings_are_cut_and_trimmed);
    tcase_add_test(str, text_of_xml_has_no_markup_and_no_control_characters);
    tcase_add_test(str, numbers_are_read_whole_or_not_at_all);
    tcase_add_test(str, distance_counts_edits_up_to_a_limit);
    tcase_add_test(str, builder_grows_and_is_reusable);
    tcase_add_test(str, bytes_have_units);
    tcase_add_loop_test(str, floats_print_as_python_does, 0, (int)ARRAY_LEN(floats));
    tcase_add_test(diag, excerpt_shows_line_and_caret);
    tcase_add_test(diag, columns_and_carets_count_characters);
    tcase_add_test(diag, long_lines_are_cut_around_the_place);
    tcase_add_test(diag, cut_lines_keep_characters_whole);
    tcase_add_test(diag, places_outside_the_text_do_no_harm);
    tcase_add_test(diag, crlf_lines_show_without_the_carriage_return);
    tcase_add_test(diag, items_carry_where_note_and_help);
    tcase_add_test(diag, items_above_the_limit_are_counted);
    tcase_add_test(diag, moved_items_outlive_their_source);
    tcase_add_test(diag, spans_join_to_cover_both);
    tcase_add_test(diag, nearest_word_is_offered_only_when_near);
    tcase_add_test(map, map_finds_what_was_put);
    tcase_add_test(map, map_keeps_order_of_insertion);
    tcase_add_test(map, map_survives_many_removals);
    tcase_add_test(map, map_keys_are_bytes);
    tcase_add_test(map, hash_depends_on_every_byte);
    tcase_add_test(log, log_entries_keep_number_place_and_kind);
    tcase_add_test(log, log_knows_many_kinds);
    tcase_add_test(log, reasons_become_text_when_they_are_read);
    suite_add_tcase(s, arena);
    suite_add_tcase(s, str);
    suite_add_tcase(s, diag);
    suite_add_tcase(s, map);
    suite_add_tcase(s, log);
    return run_suite(s);
}
