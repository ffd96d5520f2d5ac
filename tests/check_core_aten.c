/*
 * check_core_aten.c - every overload of Core ATen is an operator here and takes its arguments.
 *
 * tests/cases/lang/core_aten.txt has a line an overload: its name and its parameters in order, as
 * NAME:KIND, with "?" where None is allowed, "=" where there is a default, and "*" before those
 * that are given by name. Kinds: T tensor, L tensors, O tensors or None, i int, I ints, N number,
 * f float, F floats, b bool, B bools, s string, D dtype, d device, w word, g generator.
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

/* "NAME:KIND?=" taken apart. */
typedef struct Schema {
    Str name;
    char kind;
    bool none, has_default;
} Schema;

static Schema read_schema(Str word)
{
    Schema s = {0};
    size_t colon = str_find(word, ':', 0);
    s.name = str_sub(word, 0, colon);
    s.kind = word.p[colon + 1];
    s.has_default = str_ends(word, "=");
    s.none = colon + 2 < word.n && word.p[colon + 2] == '?';
    return s;
}

/* Whether a spelling takes these parameters; why says which one it does not. */
static bool takes(const Spelling *s, Str params, StrBuf *why)
{
    bool by_name = false;
    uint32_t k = 0;
    while (params.n) {
        Str word = str_cut(&params, ' ');
        if (str_is(word, "*")) {
            by_name = true;
            continue;
        }
        Schema c = read_schema(word);
        if (str_is(c.name, "out"))
            continue; /* refused when it is given; see op_bind */
        const Param *p = by_name ? named(&s->sig, c.name) : positional(&s->sig, k++);
        bool variadic = p && p->variadic;
        if (p && (str_eq(p->name, c.name) || variadic) &&
            (!c.has_default || p->has_default || variadic ||
             s->op->sig.params[p->target].has_default))
            continue;
        sb_printf(why, "%s%.*s (%.*s)", why->n ? "; " : "", STR(c.name),
                  STR(p ? p->name : S("missing")));
        return false;
    }
    return true;
}

/* An argument of a kind. */
static Arg argument(Trace *t, char kind)
{
    const int64_t shape[2] = {2, 3};
    Arg x = A_VALUE(trace_add_input(t, type_tensor(t, DT_f32, (Device){DEV_cpu, 0}, 2, shape),
                                    (Str){0}));
    Arg one = A_INT(1), half = A_FLOAT(0.5), yes = A_BOOL(true);
    switch (kind) {
    case 'T':
        return x;
    case 'L':
    case 'O':
        return arg_list(t, &x, 1);
    case 'i':
        return one;
    case 'I':
        return arg_list(t, &one, 1);
    case 'N':
    case 'f':
        return half;
    case 'F':
        return arg_list(t, &half, 1);
    case 'b':
        return yes;
    case 'B':
        return arg_list(t, &yes, 1);
    case 's':
        return arg_string(t, S("sum"));
    case 'D':
        return A_DTYPE(DT_f32);
    case 'd':
        return A_DEVICE(((Device){DEV_cpu, 0}));
    case 'w':
        return (Arg){.kind = ARG_word, .n = 13, .s = "torch.strided"};
    default:
        return A_NONE; /* a generator */
    }
}

/* Binds arguments of the right kinds: without those that have defaults, with them, with None where
 * it is allowed. */
static void bind_all(const Spelling *s, Str name, Str params, int round, StrBuf *wrong)
{
    Diag d = {0};
    Trace *t = trace_new(&reg, S("f"));
    Build b = {.t = t, .diag = &d};
    Arg pos[MAX_PARAMS], kw[MAX_PARAMS], out[MAX_PARAMS];
    Str names[MAX_PARAMS];
    Span spans[MAX_PARAMS];
    uint32_t npos = 0, nkw = 0;
    bool by_name = false;
    while (params.n) {
        Str word = str_cut(&params, ' ');
        by_name |= str_is(word, "*");
        if (str_is(word, "*"))
            continue;
        Schema c = read_schema(word);
        if (str_is(c.name, "out") || (round == 0 && c.has_default))
            continue;
        Arg a = round == 2 && c.none ? A_NONE : argument(t, c.kind);
        if (by_name) {
            names[nkw] = c.name;
            kw[nkw++] = a;
        } else {
            pos[npos++] = a;
        }
    }
    if (!op_bind(&b, s, pos, npos, names, kw, nkw, NULL, out, spans)) {
        char *said = diag_text(&d);
        sb_printf(wrong, "%.*s: %s", STR(name), said);
        free(said);
    }
    diag_clear(&d);
    trace_unref(t);
}

static void check_overload(Str line, StrBuf *wrong)
{
    Str name = str_cut(&line, ' ');
    StrBuf full = {0}, why = {0};
    sb_printf(&full, "torch.ops.aten.%.*s", STR(name));
    const Spelling *all = registry_lookup(&reg, sb_str(&full));
    bool good = false;
    for (const Spelling *s = all; s && !good; s = s->next)
        good = takes(s, line, &why);
    if (!good)
        sb_printf(wrong, "%.*s: %s\n", STR(name), why.n ? sb_cstr(&why) : "unknown");
    for (int round = 0; good && round < 3; round++)
        bind_all(all, name, line, round, wrong);
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
