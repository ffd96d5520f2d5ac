/*
 * check_core_aten.c - every overload of Core ATen is an operator here and takes its arguments.
 *
 * tests/cases/lang/core_aten.txt has a line an overload: its name, its parameters in order ("="
 * where there is a default), and "*" before those that are given by name.
 */
#include "support.h"

#include "lang.h"

#include <stdio.h>

static Registry reg;

static void setup(void)
{
    Diag d = {0};
    registry_init(&reg);
    lang_register(&reg, &d);
    ck_no_errors(&d);
}

static void teardown(void)
{
    registry_free(&reg);
}

static const Param *named(const Signature *sig, Str name)
{
    for (uint32_t i = 0; i < sig->n; i++)
        if (!sig->params[i].fixed && str_eq(sig->params[i].name, name))
            return &sig->params[i];
    return NULL;
}

/* The k-th parameter that may be given by position. */
static const Param *positional(const Signature *sig, uint32_t k)
{
    for (uint32_t i = 0; i < sig->n; i++)
        if (!sig->params[i].fixed && !sig->params[i].keyword_only && k-- == 0)
            return &sig->params[i];
    return NULL;
}

/* Whether a spelling takes these parameters; why says which one it does not. */
static bool takes(const Spelling *s, Str params, StrBuf *why)
{
    bool by_name = false;
    uint32_t k = 0;
    while (params.n) {
        Str word = str_cut(&params, ' ');
        bool has_default = str_ends(word, "=");
        Str name = has_default ? str_sub(word, 0, word.n - 1) : word;
        if (str_is(word, "*")) {
            by_name = true;
            continue;
        }
        if (str_is(name, "out"))
            continue; /* refused when it is given; see op_bind */
        const Param *p = by_name ? named(&s->sig, name) : positional(&s->sig, k++);
        bool variadic = p && p->variadic;
        if (p && (str_eq(p->name, name) || variadic) &&
            (!has_default || p->has_default || variadic || s->op->sig.params[p->target].has_default))
            continue;
        sb_printf(why, "%s%.*s (%.*s)", why->n ? "; " : "", STR(name),
                  STR(p ? p->name : S("missing")));
        return false;
    }
    return true;
}

static void check_overload(Str line, StrBuf *wrong)
{
    Str name = str_cut(&line, ' ');
    StrBuf full = {0}, why = {0};
    sb_printf(&full, "torch.ops.aten.%.*s", STR(name));
    const Spelling *s = registry_lookup(&reg, sb_str(&full));
    bool good = false;
    for (; s && !good; s = s->next)
        good = takes(s, line, &why);
    if (!good)
        sb_printf(wrong, "%.*s: %s\n", STR(name), why.n ? sb_cstr(&why) : "unknown");
    sb_free(&full);
    sb_free(&why);
}

START_TEST(every_overload_takes_its_arguments)
{
    FILE *f = fopen(TEST_DIR "/cases/lang/core_aten.txt", "r");
    char line[1024];
    StrBuf wrong = {0};
    uint32_t n = 0;
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f)) {
        check_overload(str_trim(str_from(line)), &wrong);
        n++;
    }
    fclose(f);
    ck_assert_uint_eq(n, 189);
    ck_assert_msg(wrong.n == 0, "\n%s", wrong.n ? sb_cstr(&wrong) : "");
    sb_free(&wrong);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("core aten");
    TCase *t = tcase_create("overloads");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, every_overload_takes_its_arguments);
    suite_add_tcase(s, t);
    return run_suite(s);
}
