/*
 * check_cuda_products.c - which products share a kernel: chains of small ones, with what stands
 * around them. Promised: what is joined, what the rule log says of it, and that it is text that
 * parses back. What such kernels compute is check_cuda's.
 */
#define _GNU_SOURCE
#include "support.h"

#include "cuda_fixture.h"

static const char small_products[] =
    "def f(x: \"f32[40, 64]\", a: \"f32[64, 64]\", b: \"f32[64]\", c: \"f32[48, 64]\"):\n"
    "    h = torch.relu(torch.nn.functional.linear(x, a, b))\n"
    "    return (torch.nn.functional.linear(h, c), h)\n";

/* The last stage of small_products with option fuse.products. */
static const Trace *stage_with(const char *products)
{
    use_emulator();
    ck_assert(session_set_option(s, S("fuse.products"), str_from(products), &d));
    Program *p = load_text(small_products);
    Stage *st = program_find_stage(s, p, S("fuse"), &d);
    no_errors();
    return st->trace;
}

static uint32_t count_calls(const Trace *t)
{
    uint32_t n = 0;
    for_top(t, i)
        n += t->nodes[i].op == registry_op(t->reg, PRIM_call);
    return n;
}

/* Reasons of rule "chain" with that verdict that contain a text. */
static uint32_t count_reasons(Verdict verdict, const char *text)
{
    uint32_t n = 0;
    const RuleLog *log = session_log(s);
    for (uint32_t i = 0; i < log->n; i++) {
        const RuleEntry *e = log_at(log, i);
        n += e->verdict == verdict && strcmp(e->kind->rule, "chain") == 0 &&
             strstr(rule_reason(e).p, text) != NULL;
    }
    return n;
}

START_TEST(chains_print_and_parse_back_equal)
{
    const Trace *t = stage_with("pays");
    StrBuf text = {0}, why = {0};
    trace_print(t, &print_all, &text);
    ck_assert_uint_eq(count_calls(t), 1);
    ck_assert_uint_eq(count_reasons(RULE_done, "one kernel computes 2 products"), 1);
    ck_assert(trace_verify(t, &d));
    Program *q = load_text(sb_cstr(&text));
    no_errors();
    ck_assert_msg(trace_equal(program_root(q)->trace, t, &why), "%s", sb_cstr(&why));
    sb_free(&text);
    sb_free(&why);
}
END_TEST

START_TEST(chains_can_be_switched_off)
{
    const Trace *t = stage_with("off");
    for_top(t, i)
        ck_assert(t->nodes[i].op != registry_op(t->reg, PRIM_call) || t->nodes[i].span == 2);
    ck_assert_uint_eq(count_reasons(RULE_done, ""), 0);
}
END_TEST

/* Many rows take one block after another: the estimate says so, and what it would be. */
START_TEST(chains_that_do_not_pay_are_refused_with_figures)
{
    use_emulator();
    ck_assert(session_set_option(s, S("fuse.products"), S("pays"), &d));
    Program *p = load_text(
        "def f(x: \"f32[100000, 512]\", a: \"f32[256, 512]\", c: \"f32[512, 256]\"):\n"
        "    h = torch.relu(torch.nn.functional.linear(x, a))\n"
        "    return (torch.nn.functional.linear(h, c),)\n");
    const Trace *t = program_find_stage(s, p, S("fuse"), &d)->trace;
    no_errors();
    for_top(t, i)
        for (NodeId k = i + 1; k < i + t->nodes[i].span; k++)
            ck_assert(t->nodes[k].op != registry_op(t->reg, PRIM_linear));
    ck_assert_uint_eq(count_reasons(RULE_done, ""), 0);
    ck_assert_uint_gt(count_reasons(RULE_refused, " us"), 0);
}
END_TEST

/* A norm goes into the kernel of the product that reads it, if wanted, not when another reads it
 * too. */
START_TEST(a_norm_goes_into_the_product_behind_it)
{
    static const char *const ends[] = {"y", "y, h"};
    for (uint32_t i = 0; i < ARRAY_LEN(ends); i++) {
        StrBuf text = {0};
        use_emulator();
        ck_assert(session_set_option(s, S("fuse.products"), S("all"), &d));
        sb_printf(&text,
                  "def f(x: \"bf16[16, 768]\", g: \"bf16[768]\", w: \"bf16[1536, 768]\"):\n"
                  "    h = torch.nn.functional.layer_norm(x, (768,), g)\n"
                  "    y = torch.nn.functional.linear(h, w)\n    return (%s,)\n", ends[i]);
        const Trace *t = program_find_stage(s, load_text(sb_cstr(&text)), S("fuse"), &d)->trace;
        no_errors();
        ck_assert_uint_eq(count_calls(t), i + 1);
        /* the log goes on: it was done once, in the first program */
        ck_assert_uint_eq(count_reasons(RULE_done, "computes the rows before, 1 product"), 1);
        sb_free(&text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda_products");
    TCase *c = tcase_create("cuda_products");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_set_timeout(c, 250);
    tcase_add_test(c, chains_print_and_parse_back_equal);
    tcase_add_test(c, chains_can_be_switched_off);
    tcase_add_test(c, chains_that_do_not_pay_are_refused_with_figures);
    tcase_add_test(c, a_norm_goes_into_the_product_behind_it);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
