/*
 * check_bisect.c - what bisect and minify promise of themselves: the right answer in few runs, none
 * where there is none, nothing left behind, stopping and going on.
 *
 * Input: small programs and a pass that is wrong at one statement. What they find in real passes,
 * operators and kernels is in check_inject.c.
 */
#define _DEFAULT_SOURCE
#include "support.h"

#include "bisect.h"
#include "differences.h"
#include "minify.h"
#include "session_fixture.h"

/* ------------------------------------------------------------------------- a pass that is wrong */

typedef struct Odd {
    Trace *t;
    ValueId map[4096];
} Odd;

/* Looks at every statement, and takes away those whose name begins with "bad": their first operand
 * takes their place. */
static Trace *pass_odd(PassCtx *c, const Trace *in)
{
    static Odd odd;
    odd = (Odd){.t = trace_derive(in)};
    for_top(in, n) {
        const Node *node = &in->nodes[n];
        ValueId out = node->out.kind == ARG_value ? node->out.v : 0;
        Str name = out ? in->values[out].name : (Str){0};
        bool wrong = str_starts(name, "bad");
        bool go = !out || rule_apply(c, wrong ? "odd" : "even", out, 0, "looked at");
        if (go && wrong)
            odd.map[out] = node->args[0].v;
        else
            trace_copy_node(odd.t, in, n, odd.map);
    }
    odd.t->output = arg_map(odd.t, in->output, odd.map);
    return odd.t;
}

static const PassInfo odd_pass = {.name = "odd",
                                  .title = "Odd",
                                  .help = "a pass that is wrong",
                                  .run = pass_odd,
                                  .when = WHEN_always,
                                  .needs = FACT_functional,
                                  .refuses = FACT_claimed | FACT_planned};

static const char wrong_text[] = "def f(x: \"f32[4, 6]\", y: \"f32[4, 6]\"):\n"
                                 "    a = torch.add(x, y)\n"
                                 "    b = torch.sin(a)\n"
                                 "    bad = torch.mul(b, 0.5)\n"
                                 "    d = torch.sub(bad, y)\n"
                                 "    e = torch.tanh(d)\n"
                                 "    return (e, a)\n";

static Program *load_wrong(void)
{
    Program *p = load_text(wrong_text);
    ck_assert(session_add_pass(s, &odd_pass, S("cse"), &d));
    ck_assert(program_bind_random(s, p, 1, &d));
    no_errors();
    return p;
}

static Culprit bisect(Program *p, BisectOptions o)
{
    Culprit c;
    ck_assert(session_bisect(s, p, &o, &c, &d));
    no_errors();
    return c;
}

/* -------------------------------------------------------------------------------------- answers */

START_TEST(an_application_is_named)
{
    Program *p = load_wrong();
    Culprit c = bisect(p, (BisectOptions){0});
    ck_assert_int_eq(c.kind, CULPRIT_application);
    ck_text(c.pass, "odd");
    ck_text(c.rule, "odd");
    ck_text(c.subject, "bad");
    ck_text(c.op, "mul");
    ck_assert_uint_eq(c.application, 2);
    ck_text(c.good_stage, "odd+2");
    ck_text(c.bad_stage, "odd+3");
    ck_assert_uint_eq(c.nremedies, 2);
    ck_text(c.remedies[0], "pass skip odd 2");
    ck_text(c.remedies[1], "pass off odd");
    ck_assert(c.alone);
    culprit_free(&c);
}
END_TEST

/* Two wrong applications: the first is named, and it is told that it is not the only one. */
START_TEST(of_two_culprits_the_first_is_named)
{
    Program *p = load_text("def f(x: \"f32[4]\", y: \"f32[4]\"):\n"
                           "    bad1 = torch.sin(x)\n"
                           "    b = torch.add(bad1, y)\n"
                           "    bad2 = torch.exp(b)\n"
                           "    return (bad2,)\n");
    ck_assert(session_add_pass(s, &odd_pass, S("cse"), &d));
    ck_assert(program_bind_random(s, p, 1, &d));
    Culprit c = bisect(p, (BisectOptions){0});
    ck_text(c.subject, "bad1");
    ck_assert(!c.alone);
    culprit_free(&c);
}
END_TEST

START_TEST(a_right_program_has_no_culprit)
{
    Program *p = load_text(simple);
    ck_assert(program_bind_random(s, p, 1, &d));
    Culprit c = bisect(p, (BisectOptions){0});
    ck_assert_int_eq(c.kind, CULPRIT_none);
    ck_assert_uint_eq(c.tried, 3);
    culprit_free(&c);
}
END_TEST

START_TEST(the_search_is_logarithmic)
{
    enum { STATEMENTS = 1000 };
    StrBuf text = {0};
    sb_puts(&text, "def f(x: \"f32[3]\"):\n    s0 = torch.sin(x)\n");
    for (int i = 1; i < STATEMENTS; i++)
        sb_printf(&text, "    %s%d = torch.add(%s%d, 0.%d)\n", i == 400 ? "bad" : "s", i,
                  i == 401 ? "bad" : "s", i - 1, i % 7 + 1);
    sb_printf(&text, "    return (s%d,)\n", STATEMENTS - 1);
    Program *p = load_text(sb_cstr(&text));
    ck_assert(session_add_pass(s, &odd_pass, S("cse"), &d));
    ck_assert(program_bind_random(s, p, 1, &d));
    Culprit c = bisect(p, (BisectOptions){.no_remedies = true});
    ck_text(c.subject, "bad400");
    ck_assert_uint_le(c.runs, 25); /* 4 of the oracle, 3 of the whole, 4 stages, 10 applications */
    culprit_free(&c);
    sb_free(&text);
}
END_TEST

START_TEST(an_edit_that_is_wrong_is_told)
{
    Program *p = load_text(simple);
    ck_assert(program_bind_random(s, p, 1, &d));
    program_goto(s, p, program_find_stage(s, p, S("fold"), &d), &d);
    StrBuf text = text_of(program_cursor(p));
    char *at = strstr(text.p, "ltorch.mul(");
    ck_assert_ptr_nonnull(at);
    memcpy(at, "ltorch.sub(", 11);
    at = strstr(at, "prims.mul(");
    ck_assert_ptr_nonnull(at); /* its decomposition */
    memcpy(at, "prims.sub(", 10);
    ck_assert_ptr_nonnull(program_edit(s, p, sb_str(&text), &d));
    no_errors();
    Culprit c = bisect(p, (BisectOptions){0});
    ck_assert_int_eq(c.kind, CULPRIT_program);
    ck_assert(c.edited);
    ck_text(c.bad_stage, "fold");
    culprit_free(&c);
    sb_free(&text);
}
END_TEST

/* ------------------------------------------------------------------------- checks of the caller */

static Judgement alternate(void *user, Program *p, const Stage *st, StrBuf *how)
{
    uint32_t *n = user;
    (void)p;
    (void)st;
    (void)how;
    return (*n)++ % 2 ? JUDGED_good : JUDGED_bad;
}

START_TEST(what_fails_sometimes_is_not_searched)
{
    Program *p = load_wrong();
    uint32_t n = 0;
    Culprit c = bisect(p, (BisectOptions){.judge = {.check = alternate, .user = &n}});
    ck_assert_int_eq(c.kind, CULPRIT_flaky);
    ck_assert_uint_eq(c.failed, 2);
    ck_assert_uint_eq(c.tried, 3);
    culprit_free(&c);
}
END_TEST

/* Good is a trace that still has the statement; nothing can be told of odd numbers of applications.
 */
static Judgement even_only(void *user, Program *p, const Stage *st, StrBuf *how)
{
    (void)user;
    (void)p;
    (void)how;
    if (st->partial && st->fuel % 2)
        return JUDGED_unknown;
    for (NodeId n = 0; n < st->trace->nnodes; n++) {
        const Arg out = st->trace->nodes[n].out;
        if (out.kind == ARG_value && str_is(st->trace->values[out.v].name, "bad"))
            return JUDGED_good;
    }
    return JUDGED_bad;
}

START_TEST(where_a_check_cannot_tell_a_range_is_left)
{
    Program *p = load_wrong();
    Culprit c = bisect(p, (BisectOptions){.judge = {.check = even_only}});
    ck_assert_int_eq(c.kind, CULPRIT_range);
    ck_text(c.good_stage, "odd+2");
    ck_text(c.bad_stage, "odd+4");
    ck_text(c.good, "goto odd+2");
    culprit_free(&c);
}
END_TEST

/* ------------------------------------------------------------------------- nothing stays behind */

static uint32_t count_stages(const Stage *st)
{
    uint32_t n = 0;
    for (; st; st = st->sibling)
        n += 1 + count_stages(st->children);
    return n;
}

typedef struct State {
    uint32_t stages, programs, entries;
    uint64_t executors;
    const Stage *cursor;
    Program *current;
    StrBuf slots;
} State;

static State state_of(Program *p)
{
    State st = {count_stages(program_root(p)), session_program_count(s), session_log(s)->n,
                exec_list_hash(session_executors(s)), program_cursor(p), session_current(s), {0}};
    for (uint32_t i = 0; i < program_slot_count(p); i++) {
        const Slot *sl = program_slot(p, i);
        sb_printf(&st.slots, "%.*s %d %llu %u;", STR(sl->name), sl->on,
                  (unsigned long long)sl->fuel, sl->nskip);
    }
    return st;
}

static void ck_same_state(State *a, State *b)
{
    ck_assert_uint_eq(a->stages, b->stages);
    ck_assert_uint_eq(a->programs, b->programs);
    ck_assert_uint_eq(a->entries, b->entries);
    ck_assert_uint_eq(a->executors, b->executors);
    ck_assert_ptr_eq(a->cursor, b->cursor);
    ck_assert_ptr_eq(a->current, b->current);
    ck_assert_str_eq(sb_cstr(&a->slots), sb_cstr(&b->slots));
    sb_free(&a->slots);
    sb_free(&b->slots);
}

typedef struct Stop {
    uint32_t after, seen, known;
} Stop;

static void stop_later(void *user, Str what, Judgement j, bool known)
{
    Stop *stop = user;
    (void)what;
    (void)j;
    stop->known += known;
    if (++stop->seen == stop->after)
        *session_interrupt(s) = 1;
}

START_TEST(nothing_stays_behind)
{
    Program *p = load_wrong();
    program_goto(s, p, program_find_stage(s, p, S("dce"), &d), &d);
    ck_assert_int_eq(program_step(s, p, 1, &d), STEP_moved);
    State before = state_of(p);
    Culprit c = bisect(p, (BisectOptions){0});
    culprit_free(&c);
    Minified m;
    ck_assert(session_minify(s, p, &(MinifyOptions){0}, &m, &d));
    ck_assert(m.fails);
    minified_free(&m);
    State after = state_of(p);
    ck_same_state(&before, &after);
}
END_TEST

START_TEST(a_stopped_search_goes_on)
{
    Program *p = load_wrong();
    State before = state_of(p);
    BisectMemory memory = {0};
    Stop stop = {.after = 5};
    BisectOptions o = {.memory = &memory, .probed = stop_later, .user = &stop};
    Culprit c = bisect(p, o);
    ck_assert_int_eq(c.kind, CULPRIT_stopped);
    culprit_free(&c);
    State after = state_of(p);
    ck_same_state(&before, &after);
    *session_interrupt(s) = 0;
    stop = (Stop){.after = UINT32_MAX};
    c = bisect(p, o);
    ck_assert_int_eq(c.kind, CULPRIT_application);
    ck_text(c.subject, "bad");
    ck_assert_uint_gt(stop.known, 0);
    culprit_free(&c);
    bisect_memory_free(&memory);
}
END_TEST

/* --------------------------------------------------------------------------------------- minify */

START_TEST(one_statement_is_left)
{
    Program *p = load_wrong();
    Minified m;
    ck_assert(session_minify(s, p, &(MinifyOptions){0}, &m, &d));
    no_errors();
    ck_assert_uint_eq(m.from, 5);
    ck_assert_uint_eq(m.to, 1);
    ck_text(m.culprit.rule, "odd");
    ck_assert(trace_verify(m.best.t, &d));
    for (uint32_t i = 0; i < m.best.t->ninputs; i++)
        ck_assert_int_eq(type_numel(&m.best.t->values[m.best.t->inputs[i]].type), 1);
    minified_free(&m);
}
END_TEST

static void stop_minify(void *user, uint32_t statements, uint32_t tries, bool better)
{
    (void)statements;
    (void)better;
    if (tries == *(uint32_t *)user)
        *session_interrupt(s) = 1;
}

START_TEST(a_stopped_minify_has_the_best_so_far)
{
    Program *p = load_wrong();
    Minified m;
    uint32_t after = 3;
    ck_assert(session_minify(s, p, &(MinifyOptions){.tried = stop_minify, .user = &after}, &m, &d));
    ck_assert(m.stopped && m.fails);
    ck_assert_uint_le(m.tries, 3);
    ck_assert_uint_ge(m.to, 1);
    ck_assert_ptr_nonnull(m.best.t);
    *session_interrupt(s) = 0;
    minified_free(&m);
}
END_TEST

START_TEST(nothing_is_minified_where_nothing_fails)
{
    Program *p = load_text(simple);
    ck_assert(program_bind_random(s, p, 1, &d));
    Minified m;
    ck_assert(session_minify(s, p, &(MinifyOptions){0}, &m, &d));
    ck_assert(!m.fails);
    minified_free(&m);
}
END_TEST

/* ------------------------------------------------------------------------------------ gradients */

START_TEST(gradients_agree_with_differences)
{
    Program *p = load_text("def f(x: \"f32[4, 3]\", w: \"f32[3, 5]\"):\n"
                           "    a = torch.matmul(x, w)\n"
                           "    b = torch.nn.functional.gelu(a)\n"
                           "    c = torch.softmax(b, 1)\n"
                           "    y = torch.sum(c * a, 1)\n"
                           "    return (y,)\n");
    ck_assert(program_bind_random(s, p, 3, &d));
    ck_assert(program_grad(s, p, S("all"), false, &d));
    Differences diff = {.seconds = 0};
    ck_assert(differences_stage(s, p, program_cursor(p), &diff, &d));
    no_errors();
    ck_assert(diff.agree);
    ck_assert_uint_eq(diff.checked, 2);
}
END_TEST

/* ------------------------------------------------------------------------ back, edit and resume */

static const char *const edit_stages[] = {"acquired", "inplace", "dce", "fold", "cse"};

/* Step on, go back, edit a stage, and go on: the same as a program that had the edit from the
 * start. */
START_TEST(back_edit_and_resume_is_a_fresh_run_with_that_edit)
{
    static const char text[] = "def f(x: \"f32[4, 6]\", y: \"f32[6]\"):\n"
                               "    a = torch.mul(x, y)\n"
                               "    b = torch.%s(a)\n"
                               "    c = torch.add(b, a)\n"
                               "    unused = torch.exp(c)\n"
                               "    x.add_(c)\n"
                               "    return (torch.tanh(c) * x,)\n";
    char plain[400], edited[400];
    snprintf(plain, sizeof plain, text, "sin");
    snprintf(edited, sizeof edited, text, "cos");
    Program *fresh = load_text(edited);
    ck_assert(program_bind_random(s, fresh, 5, &d));
    Run want, got;
    ck_assert(session_run(s, fresh, program_find_stage(s, fresh, S("last"), &d), NULL, &want, &d));
    Program *p = load_text(plain);
    ck_assert(program_bind_random(s, p, 5, &d));
    ck_assert_int_eq(program_continue(s, p, &d), STEP_moved);
    ck_assert_int_eq(program_back(s, p, 1, &d), STEP_moved);
    program_goto(s, p, program_find_stage(s, p, str_from(edit_stages[_i]), &d), &d);
    StrBuf stage = text_of(program_cursor(p));
    char *at = strstr(stage.p, "ltorch.sin(a)");
    ck_assert_ptr_nonnull(at);
    memcpy(at, "ltorch.cos(a)", 13);
    while ((at = strstr(at, "prims.sin(a)")))
        memcpy(at, "prims.cos(a)", 12);
    ck_assert_ptr_nonnull(program_edit(s, p, sb_str(&stage), &d));
    ck_assert_int_eq(program_continue(s, p, &d), STEP_moved);
    no_errors();
    ck_assert(session_run(s, p, program_cursor(p), NULL, &got, &d));
    ck_assert(tensor_compare(got.outputs[0], want.outputs[0], 0, 0).equal);
    ck_assert_ptr_nonnull(got.mutated[0]);
    ck_assert(tensor_compare(got.mutated[0], want.mutated[0], 0, 0).equal);
    run_free(&want);
    run_free(&got);
    sb_free(&stage);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bisect");
    TCase *t = tcase_create("search");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, an_application_is_named);
    tcase_add_test(t, of_two_culprits_the_first_is_named);
    tcase_add_test(t, a_right_program_has_no_culprit);
    tcase_add_test(t, the_search_is_logarithmic);
    tcase_add_test(t, an_edit_that_is_wrong_is_told);
    tcase_add_test(t, what_fails_sometimes_is_not_searched);
    tcase_add_test(t, where_a_check_cannot_tell_a_range_is_left);
    tcase_add_test(t, nothing_stays_behind);
    tcase_add_test(t, a_stopped_search_goes_on);
    tcase_add_test(t, one_statement_is_left);
    tcase_add_test(t, a_stopped_minify_has_the_best_so_far);
    tcase_add_test(t, nothing_is_minified_where_nothing_fails);
    tcase_add_test(t, gradients_agree_with_differences);
    tcase_add_loop_test(t, back_edit_and_resume_is_a_fresh_run_with_that_edit, 0,
                        ARRAY_LEN(edit_stages));
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
