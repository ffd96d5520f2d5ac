/*
 * check_why.c - answers to why and why not: one sentence with facts, and the toggle that would
 * change it. The ten commonest refusals each have a sample here.
 */
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include "support.h"
#include "tool_fixture.h"

static const char *const program =
    "def f(x: \"f32[64, 128]\", w: \"f32[128, 128]\", b: \"f32[128]\", y: \"f32[9]\"):\n"
    "    h = torch.matmul(x, w)\n"
    "    a = h + b\n"
    "    g = torch.exp(a)\n"
    "    g2 = torch.exp(a)\n"
    "    s = g.sum(-1, keepdim=True)\n"
    "    p = g2 / s\n"
    "    t = p.amax(0)\n"
    "    o = torch.matmul(p, w)\n"
    "    r = torch.relu(o)\n"
    "    i = torch.argsort(r)\n"
    "    z = x * 1\n"
    "    d1 = torch.dropout(z, 0.5, True)\n"
    "    d2 = torch.dropout(z, 0.5, True)\n"
    "    q = torch.exp(y) + 1\n"
    "    n = q ** 2\n"
    "    unused = torch.sin(x)\n"
    "    e = x + 2\n"
    "    e2 = x + 3\n"
    "    return (r, t, i, d1, d2, q, n, e, e2)\n";

#define C_ONLY "executor off onednn\nexecutor on c\noption fuse.min_work 0\n"

static const struct {
    const char *setup, *question, *says, *toggle;
} answers[] = {
    /* the ten commonest refusals */
    {C_ONLY, "why not %h %a", "interp runs prims.matmul for h, and makes no kernels of several "
     "statements.", "c does not take prims.matmul: has no loop for prims.matmul. No toggle makes"},
    {C_ONLY, "why not %p %t", "%t has 128 elements and the loops run over 8192", "No toggle"},
    {C_ONLY, "why not %a %r", "between them stands `o = prims.matmul(p, w)", "No toggle"},
    {C_ONLY, "why not %g %q", "neither reads what the other makes, and they read nothing in common",
     "No toggle"},
    {"executor on c\noption fuse.min_work 100000000\n", "why not %g %s",
     "interp computes 8192 elements before a compiler starts",
     "They would be one with `option fuse.min_work 0` (tried)"},
    {C_ONLY, "pass off fuse\nwhy not %g %s", "no pass of the line makes kernels",
     "They would be one with `pass on fuse` (tried)"},
    {C_ONLY "executor off c\n", "why not %g %s", "c would take it and is off (`executor on c`)",
     "They would be one with `executor on c` (tried)"},
    {C_ONLY, "why not %d1 %d2", "same operator and arguments, but random draws are independent",
     "cse"},
    {C_ONLY, "why not %e %e2", "argument b differs: 2 and 3", "e and e2 "},
    {C_ONLY, "why %n", "not exact in f32", "option fold.fast is off"},
    /* what was done */
    {C_ONLY, "why %g %g2", "g2 was replaced by g in stage 4 (cse), rule \"equal -> joined\"",
     "`pass off cse` leaves it out; `pass fuel cse 0` stops before it"},
    {C_ONLY, "why %z", "rule \"x * 1 -> x\": the same bits in f32", "`pass off fold`"},
    {C_ONLY, "why %unused", "its result is not read and is no output", "`pass off dce`"},
    {C_ONLY, "why %g %s", "g and s are computed in one kernel, cFusion", "`pass off fuse`"},
    {C_ONLY, "why %g", "computes it with ", "and does not write it out; `pass off fuse`"},
    {C_ONLY, "why %i", "interp runs it in stage ", "`why executor %i`"},
    {C_ONLY, "why executor %i", "c does not take prims.sort: no loop nest sorts",
     "`executor off interp`"},
    {C_ONLY, "why executor %g", "c runs prims.exp for g", "`executor off c`"},
    {C_ONLY, "goto fuse > $D/x\nwhy not %e %e2", "argument b differs: 2", "e and e2 "},
    {"executor on c\noption fuse.min_work 100000000\n", "why executor %g",
     "interp runs prims.exp for g: c claimed it in stage claim and gives it back: interp computes "
     "8192 elements", "`option fuse.min_work 0` leaves it to c"},
    {C_ONLY, "why not %z %x", "z was replaced by x", "`pass off fold`"},
    /* kernels by their names */
    {C_ONLY, "why not cFusion0 cFusion1", "cFusion0 makes p. cFusion1 makes d1. p and d1 are "
     "computed apart", "No toggle"},
    {C_ONLY, "why not cFusion0 %t", "cFusion0 makes p. p and t are computed apart", "No toggle"},
    {C_ONLY, "why executor cFusion0", "c runs prims.div for p", "`executor off c`"},
    {C_ONLY, "why cFusion0", "kernel cFusion0 (c) computes it with ", "`pass off fuse`"},
};

START_TEST(an_answer_has_facts_and_a_toggle)
{
    char text[600];
    write_text("why.py", program);
    snprintf(text, sizeof text, "%sload $D/why.py\n%s", answers[_i].setup, answers[_i].question);
    ck_assert_int_eq(tool(text), 0);
    sees(answers[_i].says);
    sees(answers[_i].toggle);
    StrBuf first = {0};
    Str rest = sb_str(&out);
    for (Str line; rest.n && (line = str_cut(&rest, '\n')).p;)
        if (!str_starts(line, "option ") && !str_starts(line, "executor ") &&
            !str_starts(line, "pass "))
            sb_printf(&first, "%.*s\n", STR(line));
    /* The same from results that are there already, at another place of the cursor. */
    snprintf(text, sizeof text, "%sload $D/why.py\nbind --random\ncontinue > $D/x\nrun -q\n"
             "goto acquired > $D/x\n%s", answers[_i].setup, answers[_i].question);
    ck_assert_int_eq(tool(text), 0);
    ck_assert_msg(str_ends(sb_str(&out), sb_cstr(&first)), "%s\nis not the end of\n%s",
                  sb_cstr(&first), end_of(&out));
    sb_free(&first);
}
END_TEST

/* What the answer says would help does help. */
START_TEST(the_toggle_that_was_tried_works)
{
    write_text("why.py", program);
    ck_assert_int_eq(tool("executor on c\noption fuse.min_work 0\nload $D/why.py\nwhy %g %s"), 0);
    sees("g and s are computed in one kernel");
    ck_assert_int_eq(tool(C_ONLY "load $D/why.py\npass off fuse\nwhy not %g %s\npass on fuse\n"
                          "why %g %s"), 0);
    sees("They would be one with `pass on fuse`");
    sees("g and s are computed in one kernel");
}
END_TEST

/* What one kernel would lose: work for another pass over the columns; vectors, to a product's
 * order; a chain by itself loses nothing. */
START_TEST(a_join_that_loses_is_refused_with_its_figures)
{
    write_text("cost.py",
               "def f(x: \"f32[1024, 4096]\"):\n"
               "    u = torch.exp(torch.sin(x))\n"
               "    v = torch.erf(u)\n"
               "    s = torch.sum(v, 0)\n"
               "    w = torch.tanh(x + 1)\n"
               "    p = torch.prod(w, 1)\n"
               "    return (v, s, p)\n");
    ck_assert_int_eq(tool(C_ONLY "load $D/cost.py\nwhy not %v %s"), 0);
    sees("one kernel would save no bytes, but compute 49 % of its work a second time: ");
    sees("They would be one with `option fuse.cost off` (tried)");
    ck_assert_int_eq(tool(C_ONLY "load $D/cost.py\noption fuse.cost off\nwhy %v %s"), 0);
    sees("v and s are computed in one kernel");
    ck_assert_int_eq(tool(C_ONLY "load $D/cost.py\nwhy not %w %p"), 0);
    sees("but compute everything one element after the other, as the product's order wants it");
    ck_assert_int_eq(tool(C_ONLY "load $D/cost.py\nwhy %u %v"), 0);
    sees("is not written and read again, 33.6 MB less");
}
END_TEST

START_TEST(a_question_changes_nothing)
{
    write_text("why.py", program);
    ck_assert_int_eq(tool("executor on c\noption fuse.min_work 100000000\nload $D/why.py\nnext 2\n"
                          "why not %g %s\noption\nstages\nexecutors"), 0);
    sees("option fuse.min_work 100000000");
    sees(">       2  dce");
}
END_TEST

static Suite *suite(void)
{
    Suite *su = suite_create("why");
    TCase *t = tcase_create("why");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, an_answer_has_facts_and_a_toggle, 0, (int)ARRAY_LEN(answers));
    tcase_add_test(t, the_toggle_that_was_tried_works);
    tcase_add_test(t, a_join_that_loses_is_refused_with_its_figures);
    tcase_add_test(t, a_question_changes_nothing);
    suite_add_tcase(su, t);
    return su;
}

int main(void)
{
    return run_suite(suite());
}
