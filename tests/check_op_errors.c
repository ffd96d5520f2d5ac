/*
 * check_op_errors.c - every operator refuses wrong calls: with a diagnostic whose caret is at the
 * argument at fault.
 *
 * The calls follow from the signatures of the tables: an argument that no operator has, one of the
 * wrong kind for each parameter, too many, none. Nothing here knows an operator.
 */
#include "support.h"

#include "front.h"
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

/* Loads "CALL(ARGUMENTS)"; the text under the caret of the first error, or "" without one. The
 * whole call counts as its own text. */
static void load_call(const Op *op, const char *arguments, char *marked, size_t size, char **said)
{
    StrBuf text = {0}, name = {0};
    Diag d = {0};
    op_qualified_name(op, &name);
    sb_printf(&text, "def f(x: \"f32[2, 3]\"):\n    return %s(%s)\n", sb_cstr(&name), arguments);
    Source src = {S("call"), sb_str(&text)};
    FrontFile *file = front_parse(&src, &d);
    Trace *t = NULL;
    if (d.nerrors == 0)
        t = front_acquire(front_function(file, 0), &reg, NULL, 0, NULL, &d);
    const DiagItem *item = d.first;
    while (item && item->severity != SEV_error)
        item = item->next;
    *marked = 0;
    if (item && item->span.src)
        snprintf(marked, size, "%.*s", STR(str_sub(src.text, item->span.off, item->span.len)));
    ck_assert_msg(!item || *item->message.p, "%s: an error without a message", sb_cstr(&text));
    *said = diag_text(&d);
    ck_assert_uint_eq(d.nerrors > 0, t == NULL || item != NULL);
    trace_unref(t);
    front_free(file);
    diag_clear(&d);
    sb_free(&text);
    sb_free(&name);
}

/* The error is at `part` of the arguments. */
static void refuse(const Op *op, const char *arguments, const char *part)
{
    char marked[256], *said;
    load_call(op, arguments, marked, sizeof marked, &said);
    ck_assert_msg(strcmp(marked, part) == 0, "%s(%s): the caret is at '%s', not at '%s'\n%s",
                  op->name, arguments, marked, part, said);
    free(said);
}

/* There is an error, somewhere in the call. */
static void refuse_somehow(const Op *op, const char *arguments)
{
    char marked[256], *said;
    load_call(op, arguments, marked, sizeof marked, &said);
    ck_assert_msg(*marked, "%s(%s) is accepted, or its error has no place:\n%s", op->name,
                  arguments, said);
    free(said);
}

/* Operators that a program calls by name. */
static bool called_by_name(const Op *op)
{
    return op->language == LANG_torch || op->language == LANG_numpy;
}

static bool takes_all(const Op *op)
{
    for (uint32_t i = 0; i < op->sig.n; i++)
        if (op->sig.params[i].variadic)
            return true;
    return false;
}

START_TEST(an_unknown_argument)
{
    for (uint32_t i = 0; i < reg.n; i++)
        if (called_by_name(reg.ops[i]))
            refuse(reg.ops[i], "no_such=7", "7");
}
END_TEST

/* What a parameter of this type is not; NULL when it takes anything. */
static const char *wrong_for(const Param *p)
{
    switch ((ParamType)p->type) {
    case PT_any:
        return NULL;
    case PT_str:
        return "5";
    default:
        return "'word'";
    }
}

START_TEST(a_wrong_kind_of_argument)
{
    uint32_t arguments = 0;
    for (uint32_t i = 0; i < reg.n; i++) {
        const Op *op = reg.ops[i];
        for (uint32_t k = 0; called_by_name(op) && k < op->sig.n; k++) {
            char text[256];
            const Param *p = &op->sig.params[k];
            const char *wrong = wrong_for(p);
            if (!wrong || p->variadic)
                continue;
            snprintf(text, sizeof text, "%.*s=%s", STR(p->name), wrong);
            refuse(op, text, wrong);
            arguments++;
        }
    }
    ck_assert_uint_gt(arguments, 1500);
}
END_TEST

START_TEST(too_many_arguments)
{
    for (uint32_t i = 0; i < reg.n; i++) {
        const Op *op = reg.ops[i];
        StrBuf text = {0};
        if (!called_by_name(op) || takes_all(op))
            continue;
        for (uint32_t k = 0; k < MAX_PARAMS + 1; k++)
            sb_puts(&text, k ? ", x" : "x");
        refuse_somehow(op, sb_cstr(&text));
        sb_free(&text);
    }
}
END_TEST

START_TEST(no_arguments)
{
    for (uint32_t i = 0; i < reg.n; i++) {
        const Op *op = reg.ops[i];
        bool needs = false;
        for (uint32_t k = 0; k < op->sig.n; k++)
            needs |= !op->sig.params[k].has_default && !op->sig.params[k].variadic;
        if (called_by_name(op) && needs)
            refuse_somehow(op, "");
    }
}
END_TEST

START_TEST(an_argument_given_twice)
{
    for (uint32_t i = 0; i < reg.n; i++) {
        const Op *op = reg.ops[i];
        char text[256];
        if (!called_by_name(op) || op->sig.n == 0 || op->sig.params[0].type != PT_tensor)
            continue;
        snprintf(text, sizeof text, "x, %.*s=(x)", STR(op->sig.params[0].name));
        refuse_somehow(op, text);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("operator errors");
    TCase *t = tcase_create("calls");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, an_unknown_argument);
    tcase_add_test(t, a_wrong_kind_of_argument);
    tcase_add_test(t, too_many_arguments);
    tcase_add_test(t, no_arguments);
    tcase_add_test(t, an_argument_given_twice);
    suite_add_tcase(s, t);
    return run_suite(s);
}
