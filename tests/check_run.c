/*
 * check_run.c - what sessions promise: stages, cursor, branches, bindings, runs, questions.
 *
 * Input: programs in tests/cases and small texts. Each test makes a session of its own.
 */
#define _DEFAULT_SOURCE
#include "executors.h"
#include "session.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CASES TEST_DIR "/cases/"

static Session *s;
static Diag d;

static void setup(void)
{
    ExecList l;
    executors_default(&l);
    s = session_new(&l);
    d = (Diag){0};
}

static void teardown(void)
{
    session_free(s);
    diag_clear(&d);
}

static void no_errors(void)
{
    StrBuf b = {0};
    if (d.nerrors)
        diag_render_all(&d, false, &b);
    ck_assert_msg(d.nerrors == 0, "%s", sb_cstr(&b));
    sb_free(&b);
}

static Program *load_text(const char *text)
{
    session_load_text(s, S("test.py"), str_from(text), (Str){0}, &d);
    no_errors();
    ck_assert_ptr_nonnull(session_current(s));
    return session_current(s);
}

static Program *load_case(const char *file)
{
    session_load(s, str_from(file), &d);
    no_errors();
    return session_current(s);
}

static StrBuf text_of(const Stage *st)
{
    StrBuf b = {0};
    PrintOptions o = print_all;
    o.header = false; /* it tells times */
    trace_print(st->trace, &o, &b);
    return b;
}

static ValueId value(const Program *p, const char *name)
{
    ValueId v = trace_find_value(program_root(p)->trace, str_from(name));
    ck_assert_msg(v != 0, "no value %s", name);
    return v;
}

static double element(const Tensor *t, int64_t i)
{
    Tensor *c = tensor_contiguous((Tensor *)t);
    double x = elem_get_f64((char *)tensor_data(c) + i * dtype_info[c->dtype].bytes, c->dtype);
    tensor_unref(c);
    return x;
}

static const char *const simple =
    "def f(x: \"f32[2, 3]\", y: \"f32[3]\"):\n"
    "    a = x * 1\n"
    "    b = torch.add(a, y)\n"
    "    c = torch.add(a, y)\n"
    "    unused = torch.exp(x)\n"
    "    e = b * c\n"
    "    return (e,)\n";

/* ----------------------------------------------------------------------------------- stages */

START_TEST(every_stage_runs_and_agrees)
{
    Program *p = load_case(CASES "mlp.dynamo.py");
    ck_assert_uint_eq(session_program_count(s), 1);
    ck_assert_uint_eq(program_stage_count(p), 8);
    ck_assert(program_bind_file(s, p, S(CASES "mlp.dynamo.safetensors"), (Str){0}, &d));
    Run first = {0};
    for (uint32_t i = 0; i < program_stage_count(p); i++) {
        Stage *st = program_stage(s, p, i, &d);
        ck_assert_ptr_nonnull(st);
        ck_assert_uint_eq(st->position, i);
        Run run;
        ck_assert(session_run(s, p, st, NULL, &run, &d));
        no_errors();
        ck_assert_uint_eq(run.noutputs, 1);
        if (i == 0) {
            first = run;
            continue;
        }
        ck_assert(tensor_compare(run.outputs[0], first.outputs[0], 0, 0).equal);
        run_free(&run);
    }
    run_free(&first);
}
END_TEST

START_TEST(stages_have_names_numbers_and_serials)
{
    Program *p = load_text(simple);
    Stage *last = program_find_stage(s, p, S("last"), &d);
    ck_assert_ptr_eq(last, program_stage(s, p, program_stage_count(p) - 1, &d));
    ck_assert_ptr_eq(program_find_stage(s, p, S("acquired"), &d), program_root(p));
    Stage *cse = program_find_stage(s, p, S("cse"), &d);
    ck_assert_uint_eq(cse->position, 4);
    char serial[16];
    snprintf(serial, sizeof serial, "#%u", cse->serial);
    ck_assert_ptr_eq(program_find_stage(s, p, str_from(serial), &d), cse);
    no_errors();
    ck_assert_ptr_null(program_find_stage(s, p, S("csee"), &d));
    ck_assert_uint_eq(d.nerrors, 1);
    ck_assert_str_eq(d.first->code, "no-stage");
    ck_assert(strstr(d.first->note.p, "cse") != NULL);
    ck_assert_ptr_null(program_find_stage(s, p, S("99"), &d));
}
END_TEST

START_TEST(steps_are_single_rules_and_can_be_undone)
{
    Program *p = load_text(simple);
    ck_assert_ptr_eq(program_cursor(p), program_root(p));
    ck_assert_int_eq(program_back(s, p, 1, &d), STEP_at_start);
    uint32_t steps = 0, inside = 0;
    while (program_step(s, p, 1, &d) == STEP_moved && steps < 100) {
        const RuleEntry *e = program_cursor_entry(s, p);
        ck_assert_int_eq(program_cursor_rule(p) > 0, program_cursor(p)->partial);
        if (program_cursor(p)->partial) {
            inside++;
            ck_assert_ptr_nonnull(e);
            ck_assert_uint_eq(e->index + 1, program_cursor_rule(p));
        }
        steps++;
    }
    no_errors();
    ck_assert_uint_gt(inside, 3);
    ck_assert_ptr_eq(program_cursor(p), program_find_stage(s, p, S("last"), &d));
    ck_assert_int_eq(program_step(s, p, 1, &d), STEP_at_end);
    for (uint32_t i = 0; i < steps; i++)
        ck_assert_int_eq(program_back(s, p, 1, &d), STEP_moved);
    ck_assert_ptr_eq(program_cursor(p), program_root(p));
    ck_assert_int_eq(program_forward(s, p, steps, &d), STEP_moved);
    ck_assert_ptr_eq(program_cursor(p), program_find_stage(s, p, S("last"), &d));
    ck_assert_int_eq(program_forward(s, p, 1, &d), STEP_at_end);
}
END_TEST

START_TEST(many_steps_lead_where_one_long_step_leads)
{
    Program *p = load_text(simple);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(program_step(s, p, 1, &d), STEP_moved);
    StrBuf one_by_one = text_of(program_cursor(p));
    program_goto(s, p, program_root(p), &d);
    ck_assert_int_eq(program_step(s, p, 5, &d), STEP_moved);
    StrBuf at_once = text_of(program_cursor(p));
    ck_assert_str_eq(sb_cstr(&one_by_one), sb_cstr(&at_once));
    sb_free(&one_by_one);
    sb_free(&at_once);
}
END_TEST

START_TEST(every_point_inside_a_pass_is_a_program)
{
    Program *p = load_text(simple);
    ck_assert(program_bind_random(s, p, 1, &d));
    Run want;
    ck_assert(session_run(s, p, program_root(p), NULL, &want, &d));
    for (int i = 0; i < 100 && program_step(s, p, 1, &d) == STEP_moved; i++) {
        Run got;
        ck_assert(trace_verify(program_cursor(p)->trace, &d));
        ck_assert(session_run(s, p, program_cursor(p), NULL, &got, &d));
        ck_assert(tensor_compare(got.outputs[0], want.outputs[0], -1, -1).equal);
        run_free(&got);
    }
    no_errors();
    run_free(&want);
}
END_TEST

START_TEST(next_finish_and_continue_go_by_passes)
{
    Program *p = load_text(simple);
    ck_assert_int_eq(program_next(s, p, 2, &d), STEP_moved);
    ck_assert(str_is(program_cursor(p)->name, "dce"));
    ck_assert_int_eq(program_step(s, p, 1, &d), STEP_moved);
    if (program_cursor(p)->partial) {
        Str pass = program_cursor(p)->name;
        ck_assert_int_eq(program_finish(s, p, &d), STEP_moved);
        ck_assert(!program_cursor(p)->partial);
        ck_assert(str_eq(program_cursor(p)->name, pass));
    }
    ck_assert_int_eq(program_continue(s, p, &d), STEP_moved);
    ck_assert(str_is(program_cursor(p)->name, "plan"));
    ck_assert_int_eq(program_next(s, p, 1, &d), STEP_at_end);
    no_errors();
}
END_TEST

START_TEST(skip_leaves_one_application_out)
{
    Program *p = load_text(simple);
    program_goto(s, p, program_find_stage(s, p, S("inplace"), &d), &d);
    ck_assert_int_eq(program_skip(s, p, &d), STEP_moved);
    no_errors();
    const Slot *dce = program_slot(p, 1);
    ck_assert_uint_eq(dce->nskip, 1);
    ck_assert_uint_eq(dce->skip[0], 0);
    ck_assert(trace_verify(program_cursor(p)->trace, &d));
    /* exp(x) is still there at the end of dce: that was its only work */
    StrBuf b = text_of(program_find_stage(s, p, S("dce"), &d));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "unused"));
    sb_free(&b);
}
END_TEST

/* -------------------------------------------------------------------------- toggles, branches */

START_TEST(a_toggle_makes_a_branch_and_finds_the_old_one_again)
{
    Program *p = load_text(simple);
    Stage *with = program_find_stage(s, p, S("last"), &d);
    uint32_t count = program_stage_count(p);
    program_goto(s, p, program_find_stage(s, p, S("cse"), &d), &d);
    int fold = program_find_slot(p, S("fold"));
    ck_assert(program_slot_set(s, p, (uint32_t)fold, false, &d));
    ck_assert_uint_eq(program_stage_count(p), count - 1);
    ck_assert(str_is(program_cursor(p)->name, "cse"));
    ck_assert_uint_eq(program_cursor(p)->position, 3);
    Stage *without = program_find_stage(s, p, S("last"), &d);
    ck_assert_ptr_ne(with, without);
    ck_assert(program_slot_set(s, p, (uint32_t)fold, true, &d));
    ck_assert_ptr_eq(program_find_stage(s, p, S("last"), &d), with);
    ck_assert_uint_eq(program_cursor(p)->position, 4);
    no_errors();
}
END_TEST

START_TEST(an_order_that_breaks_a_pass_is_refused)
{
    Program *p = load_text(simple);
    Stage *last = program_find_stage(s, p, S("last"), &d);
    int inplace = program_find_slot(p, S("inplace")), plan = program_find_slot(p, S("plan"));
    ck_assert(!program_slot_set(s, p, (uint32_t)inplace, false, &d));
    ck_assert(!program_slot_move(s, p, (uint32_t)plan, 0, &d));
    ck_assert_uint_eq(d.nerrors, 2);
    ck_assert_str_eq(d.first->code, "pass-order");
    ck_assert_uint_gt(d.first->message.n, 10);
    ck_assert_ptr_eq(program_find_stage(s, p, S("last"), &d), last);
    ck_assert_int_eq(program_find_slot(p, S("plan")), plan);
}
END_TEST

START_TEST(a_legal_move_changes_the_order)
{
    Program *p = load_text(simple);
    int fold = program_find_slot(p, S("fold")), cse = program_find_slot(p, S("cse"));
    ck_assert(program_slot_move(s, p, (uint32_t)fold, (uint32_t)cse, &d));
    no_errors();
    ck_assert_int_lt(program_find_slot(p, S("cse")), program_find_slot(p, S("fold")));
    ck_assert_ptr_nonnull(program_find_stage(s, p, S("last"), &d));
    no_errors();
}
END_TEST

START_TEST(fuel_stops_a_pass_early)
{
    Program *p = load_text(simple);
    Stage *full = program_find_stage(s, p, S("cse"), &d);
    int fold = program_find_slot(p, S("fold"));
    ck_assert(program_slot_fuel(s, p, (uint32_t)fold, 0, &d));
    Stage *st = program_find_stage(s, p, S("fold"), &d);
    ck_assert_ptr_nonnull(st);
    ck_assert_uint_eq(st->applied, 0);
    StrBuf b = text_of(st);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "mul(x, 1"));
    sb_free(&b);
    ck_assert(program_slot_fuel(s, p, (uint32_t)fold, UINT64_MAX, &d));
    ck_assert_ptr_eq(program_find_stage(s, p, S("cse"), &d), full);
}
END_TEST

START_TEST(executors_change_stages_from_claim_on)
{
    Program *p = load_text(simple);
    Stage *cse = program_find_stage(s, p, S("cse"), &d);
    Stage *last = program_find_stage(s, p, S("last"), &d);
    ExecList before = *session_executors(s), l;
    ck_assert(exec_parse_list(&before, S("null"), &l, &d));
    ck_assert(session_set_executors(s, &l));
    ck_assert_ptr_eq(program_find_stage(s, p, S("cse"), &d), cse);
    ck_assert_ptr_ne(program_find_stage(s, p, S("last"), &d), last);
    ck_assert(session_set_executors(s, &before));
    ck_assert_ptr_eq(program_find_stage(s, p, S("last"), &d), last);
    no_errors();
}
END_TEST

/* --------------------------------------------------------------------------------------- edit */

/* text with `from` replaced by `to`, once. */
static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    ck_assert_msg(at != NULL, "no %s in\n%s", from, text);
    char *out = malloc(strlen(text) + strlen(to) + 1);
    sprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

START_TEST(an_edit_is_a_branch_with_the_old_value_numbers)
{
    Program *p = load_text(simple);
    Stage *old = program_find_stage(s, p, S("dce"), &d);
    ValueId e = value(p, "e");
    program_goto(s, p, old, &d);
    StrBuf text = {0};
    PrintOptions o = print_all;
    o.depth = 0;
    trace_print(old->trace, &o, &text);
    char *changed = replaced(sb_cstr(&text), "mul(b, c)", "sub(b, c)");
    Stage *st = program_edit(s, p, str_from(changed), &d);
    no_errors();
    ck_assert_ptr_nonnull(st);
    ck_assert(st->edited);
    ck_assert_uint_eq(st->position, old->position);
    ck_assert_ptr_eq(program_cursor(p), st);
    ck_assert(str_is(st->trace->values[e].name, "e"));
    ck_assert_uint_ne(st->trace->values[e].producer, NO_NODE);
    ck_assert(program_bind_random(s, p, 3, &d));
    Run run;
    Stage *last = program_find_stage(s, p, S("last"), &d);
    ck_assert(session_run(s, p, last, NULL, &run, &d));
    no_errors();
    for (int64_t i = 0; i < 6; i++)
        ck_assert(element(run.outputs[0], i) == 0);
    run_free(&run);
    /* a toggle above the edit leaves it, and the old line is as it was */
    ck_assert(program_slot_set(s, p, (uint32_t)program_find_slot(p, S("dce")), false, &d));
    ck_assert(program_slot_set(s, p, (uint32_t)program_find_slot(p, S("dce")), true, &d));
    ck_assert_ptr_eq(program_find_stage(s, p, S("dce"), &d), old);
    sb_free(&text);
    free(changed);
}
END_TEST

START_TEST(a_wrong_edit_changes_nothing)
{
    Program *p = load_text(simple);
    Stage *before = program_cursor(p);
    ck_assert_ptr_null(program_edit(s, p, S("def f(x):\n    return (y,)\n"), &d));
    ck_assert_uint_gt(d.nerrors, 0);
    ck_assert_ptr_eq(program_cursor(p), before);
    StrBuf b = {0};
    diag_render_all(&d, false, &b); /* its places point into the text, which is kept */
    ck_assert_uint_gt(b.n, 0);
    sb_free(&b);
}
END_TEST

/* ------------------------------------------------------------------------------- sizes, inputs */

START_TEST(sizes_follow_the_tensors_that_are_bound)
{
    Program *p = load_case(CASES "dynamic_mlp.py");
    uint32_t n;
    ck_assert_uint_eq((program_symbols(p, &n), n), 1);
    for (int i = 0; i < 3; i++) {
        char prefix[] = "run0";
        prefix[3] = (char)('0' + i);
        ck_assert(program_bind_file(s, p, S(CASES "dynamic_mlp.safetensors"), str_from(prefix),
                                    &d));
        Run run;
        ck_assert(session_run(s, p, program_find_stage(s, p, S("last"), &d), NULL, &run, &d));
        no_errors();
        ck_assert_int_eq(run.outputs[0]->shape[0], program_symbols(p, &n)[0].value);
        run_free(&run);
    }
    ck_assert(program_set_symbol(s, p, S("s33"), 5, &d));
    Stage *five = program_root(p);
    ck_assert(program_set_symbol(s, p, S("s33"), 6, &d));
    ck_assert_ptr_ne(program_root(p), five);
    ck_assert(program_set_symbol(s, p, S("s33"), 5, &d));
    ck_assert_ptr_eq(program_root(p), five);
    ck_assert(!program_set_symbol(s, p, S("s34"), 5, &d));
    ck_assert_str_eq(d.last->code, "no-symbol");
}
END_TEST

START_TEST(inputs_must_fit)
{
    Program *p = load_text(simple);
    Tensor *t = tensor_new(DT_f32, (Device){0}, 1, (int64_t[]){4});
    ck_assert(!program_bind_tensor(p, S("y"), t, &d));
    ck_assert_str_eq(d.first->code, "wrong-input");
    ck_assert(!program_bind_tensor(p, S("yy"), t, &d));
    ck_assert_str_eq(d.first->next->code, "no-input");
    tensor_unref(t);
    Run run;
    ck_assert(!session_run(s, p, program_root(p), NULL, &run, &d));
    ck_assert_str_eq(d.last->code, "unbound-input");
}
END_TEST

START_TEST(random_inputs_suit_their_use_and_repeat)
{
    Program *p = load_text(
        "def f(i: \"i64[50]\", w: \"f32[7, 4]\", var: \"f32[4]\", m: \"b8[50, 4]\"):\n"
        "    e = torch.nn.functional.embedding(i, w)\n"
        "    n = e * torch.rsqrt(var + 1e-5)\n"
        "    return (torch.where(m, n, 0.0),)\n");
    ck_assert(program_bind_random(s, p, 7, &d));
    no_errors();
    Tensor *i = program_binding(p, value(p, "i")), *var = program_binding(p, value(p, "var"));
    for (int64_t k = 0; k < 50; k++)
        ck_assert(element(i, k) >= 0 && element(i, k) < 7);
    for (int64_t k = 0; k < 4; k++)
        ck_assert(element(var, k) > 0);
    Run run;
    ck_assert(session_run(s, p, program_root(p), NULL, &run, &d));
    no_errors();
    Program *again = load_text("def f(i: \"i64[50]\", w: \"f32[7, 4]\"):\n"
                               "    return (torch.nn.functional.embedding(i, w),)\n");
    ck_assert(program_bind_random(s, again, 7, &d));
    Tensor *w = program_binding(p, value(p, "w"));
    ck_assert(tensor_compare(program_binding(again, value(again, "w")), w, 0, 0).equal);
    run_free(&run);
}
END_TEST

START_TEST(npy_files_bind_by_name)
{
    static const char header[] =
        "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }                      \n";
    char path[] = "/tmp/thunder-npy-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "wb");
    fwrite("\x93NUMPY\x01\x00", 1, 8, f);
    unsigned short n = sizeof header - 1;
    fwrite(&n, 2, 1, f);
    fwrite(header, 1, n, f);
    fwrite((const float[]){1, 2, 3, 4, 5, 6}, 4, 6, f);
    fclose(f);
    char npy[64];
    snprintf(npy, sizeof npy, "%s.npy", path);
    rename(path, npy);
    Program *p = load_text(simple);
    ck_assert(program_bind_file(s, p, str_from(npy), S("x"), &d));
    no_errors();
    Tensor *x = program_binding(p, value(p, "x"));
    ck_assert(element(x, 0) == 1 && element(x, 1) == 3 && element(x, 3) == 2);
    truncate(npy, 100);
    ck_assert(!program_bind_file(s, p, str_from(npy), S("x"), &d));
    ck_assert_str_eq(d.first->code, "bad-npy");
    unlink(npy);
}
END_TEST

/* ---------------------------------------------------------------------------------------- runs */

START_TEST(runs_leave_the_inputs_alone)
{
    Program *p = load_text("def f(x: \"f32[3]\", y: \"f32[3]\"):\n"
                           "    v = x[1:]\n"
                           "    v.add_(1.0)\n"
                           "    x.mul_(2.0)\n"
                           "    return (v + 0, y + 0)\n");
    ck_assert(program_bind_random(s, p, 1, &d));
    Tensor *before = tensor_clone(program_binding(p, value(p, "x")));
    for (uint32_t k = 0; k < program_stage_count(p); k++) {
        Run run;
        Stage *st = program_stage(s, p, k, &d);
        ck_assert_ptr_nonnull(st);
        ck_assert(session_run(s, p, st, NULL, &run, &d));
        no_errors();
        ck_assert(tensor_compare(program_binding(p, value(p, "x")), before, 0, 0).equal);
        ck_assert_ptr_nonnull(run.mutated[0]);
        ck_assert_ptr_null(run.mutated[1]);
        float x0 = (float)element(before, 0), x1 = (float)element(before, 1);
        ck_assert(element(run.mutated[0], 0) == (double)(x0 * 2));
        ck_assert(element(run.mutated[0], 1) == (double)((x1 + 1) * 2));
        ck_assert(element(run.outputs[0], 0) == (double)((x1 + 1) * 2));
        run_free(&run);
    }
    tensor_unref(before);
}
END_TEST

START_TEST(kept_values_are_those_of_their_time)
{
    Program *p = load_text("def f(x: \"f32[2]\"):\n"
                           "    a = x + 1\n"
                           "    b = a * 2\n"
                           "    a.zero_()\n"
                           "    return (b + a,)\n");
    ck_assert(program_bind_random(s, p, 1, &d));
    RunOptions o = {.keep_values = true};
    Run run;
    ck_assert(session_run(s, p, program_root(p), &o, &run, &d));
    no_errors();
    Tensor *a = run.values[value(p, "a")], *b = run.values[value(p, "b")];
    ck_assert_ptr_nonnull(a);
    ck_assert_ptr_nonnull(b);
    ck_assert(element(a, 0) != 0);
    ck_assert(element(b, 0) == element(a, 0) * 2);
    run_free(&run);
}
END_TEST

START_TEST(errors_in_a_run_say_where)
{
    Program *p = load_text("def f(i: \"i64[2]\", w: \"f32[3, 2]\"):\n"
                           "    e = torch.nn.functional.embedding(i, w)\n"
                           "    return (e,)\n");
    ck_assert(program_bind_random(s, p, 1, &d));
    Tensor *bad = tensor_new(DT_i64, (Device){0}, 1, (int64_t[]){2});
    elem_set_i64(tensor_data(bad), DT_i64, 9);
    ck_assert(program_bind_tensor(p, S("i"), bad, &d));
    tensor_unref(bad);
    Run run;
    ck_assert(!session_run(s, p, program_find_stage(s, p, S("last"), &d), NULL, &run, &d));
    ck_assert_uint_eq(d.nerrors, 1);
    ck_assert_ptr_nonnull(d.first->span.src);
    ck_assert_ptr_nonnull(strstr(d.first->where.p, "embedding"));
    ck_assert_ptr_nonnull(strstr(d.first->where.p, "stage"));
}
END_TEST

START_TEST(interrupt_stops_work)
{
    Program *p = load_text(simple);
    ck_assert(program_bind_random(s, p, 1, &d));
    Stage *last = program_find_stage(s, p, S("last"), &d);
    *session_interrupt(s) = 1;
    Run run;
    ck_assert(!session_run(s, p, last, NULL, &run, &d));
    ck_assert_int_eq(d.last->kind, DIAG_interrupt);
    *session_interrupt(s) = 0;
    ck_assert(session_run(s, p, last, NULL, &run, &d));
    run_free(&run);
}
END_TEST

static void count_event(const Event *e, void *user)
{
    uint32_t *n = user;
    n[e->kind]++;
}

START_TEST(two_sessions_know_nothing_of_each_other)
{
    ExecList l;
    executors_default(&l);
    Session *other = session_new(&l);
    uint32_t mine[16] = {0}, theirs[16] = {0};
    uint32_t handle = session_listen(s, count_event, mine);
    session_listen(other, count_event, theirs);
    Program *p = load_text(simple);
    session_load_text(other, S("b.py"), str_from(simple), (Str){0}, &d);
    Program *q = session_current(other);
    ck_assert(program_bind_random(s, p, 1, &d) && program_bind_random(other, q, 1, &d));
    ck_assert(session_set_option(s, S("fold.fast"), S("on"), &d));
    ck_assert_uint_eq(session_option(other, S("fold.fast"), (Str){0}).n, 0);
    memset(mine, 0, sizeof mine);
    memset(theirs, 0, sizeof theirs);
    Stage *last = program_find_stage(s, p, S("last"), &d);
    Run run;
    ck_assert(session_run(s, p, last, NULL, &run, &d));
    run_free(&run);
    ck_assert_uint_eq(mine[EVENT_pass_begin], 7);
    ck_assert_uint_eq(mine[EVENT_pass_end], 7);
    ck_assert_uint_gt(mine[EVENT_rule], 0);
    ck_assert_uint_gt(mine[EVENT_node_begin], 0);
    ck_assert_uint_eq(mine[EVENT_node_begin], mine[EVENT_node_end]);
    for (int k = 0; k < 16; k++)
        ck_assert_uint_eq(theirs[k], 0);
    session_unlisten(s, handle);
    memset(mine, 0, sizeof mine);
    program_next(s, p, 1, &d);
    ck_assert_uint_eq(mine[EVENT_cursor], 0);
    program_next(other, q, 1, &d);
    ck_assert_uint_eq(theirs[EVENT_cursor], 1);
    session_free(other);
    no_errors();
}
END_TEST

/* ----------------------------------------------------------------------------------- questions */

START_TEST(why_names_rule_and_toggle)
{
    Program *p = load_text(simple);
    program_continue(s, p, &d);
    StrBuf b = {0};
    why_value(s, p, value(p, "unused"), &b);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "dce"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "pass off dce"));
    sb_clear(&b);
    why_pair(s, p, value(p, "b"), value(p, "c"), &b);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "cse"));
    sb_clear(&b);
    why_not(s, p, value(p, "b"), value(p, "e"), &b);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "operators differ"));
    sb_clear(&b);
    why_value(s, p, value(p, "x"), &b);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "input"));
    sb_free(&b);
}
END_TEST

START_TEST(history_tells_stage_by_stage)
{
    Program *p = load_text(simple);
    StrBuf b = {0};
    history_value(s, p, value(p, "unused"), &b);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "stage 0"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "gone"));
    sb_clear(&b);
    history_line(s, p, 6, &b); /* e = b * c */
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "@interp"));
    sb_clear(&b);
    history_line(s, p, 600, &b);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "computes no value"));
    sb_free(&b);
}
END_TEST

START_TEST(examine_counts_what_is_not_supported)
{
    char path[] = "/tmp/thunder-examine-XXXXXX.py";
    int fd = mkstemps(path, 3);
    FILE *f = fdopen(fd, "w");
    fputs("def f(x: \"f32[4]\"):\n    a = torch.softmaxx(x)\n    b = torch.exp(x)\n"
          "    return (b,)\n", f);
    fclose(f);
    StrBuf b = {0};
    ck_assert(session_examine(s, str_from(path), &(ExamineOptions){.json = true}, &b, &d));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "\"written\":\"torch.softmaxx\",\"count\":1,"
                                              "\"supported\":false"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "torch.softmax\""));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "\"share\":0.5"));
    sb_clear(&b);
    ck_assert(session_examine(s, S(CASES "mlp.dynamo.py"), &(ExamineOptions){0}, &b, &d));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "1 of 1 functions would compile"));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "by interp"));
    sb_clear(&b);
    ck_assert(session_examine(s, S(CASES), &(ExamineOptions){.html = true}, &b, &d));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "</html>"));
    ck_assert_ptr_null(strstr(sb_cstr(&b), "http"));
    sb_free(&b);
    no_errors();
    unlink(path);
}
END_TEST

START_TEST(costs_are_counted_from_types)
{
    Program *p = load_text("def f(a: \"f32[8, 16]\", b: \"f32[16, 4]\"):\n"
                           "    c = torch.matmul(a, b)\n"
                           "    return (c,)\n");
    Cost c = trace_cost(program_root(p)->trace);
    ck_assert(c.flops == 2.0 * 8 * 16 * 4);
    ck_assert(c.bytes_least == 4.0 * (8 * 16 + 16 * 4 + 8 * 4));
    ck_assert_int_eq(c.peak, 4 * (8 * 16 + 16 * 4 + 8 * 4));
}
END_TEST

/* ---------------------------------------------------------------------------- compare and diff */

static Tensor *floats(DType dt, const double *v, int64_t n)
{
    Tensor *t = tensor_new(dt, (Device){0}, 1, &n);
    for (int64_t i = 0; i < n; i++)
        elem_set_f64((char *)tensor_data(t) + i * dtype_info[dt].bytes, dt, v[i]);
    return t;
}

START_TEST(comparison_is_that_of_assert_close)
{
    Tensor *want = floats(DT_f32, (double[]){1, NAN, INFINITY, 0}, 4);
    Tensor *near = floats(DT_f32, (double[]){1.000009, NAN, INFINITY, -0.0}, 4);
    Tensor *far = floats(DT_f32, (double[]){1, NAN, -INFINITY, 1e-4}, 4);
    Comparison c = tensor_compare(near, want, -1, -1);
    ck_assert(c.equal && c.same_type && c.first == -1);
    ck_assert(c.max_ulp > 50 && c.max_ulp < 100);
    c = tensor_compare(far, want, -1, -1);
    ck_assert(!c.equal && c.first == 2 && c.wrong == 2);
    ck_assert(!tensor_compare(near, want, 0, 0).equal);
    Tensor *half = floats(DT_f16, (double[]){1, NAN, INFINITY, 0}, 4);
    ck_assert(!tensor_compare(half, want, -1, -1).same_type);
    Tensor *next = floats(DT_f16, (double[]){1.0009765625, NAN, INFINITY, 0}, 4);
    ck_assert(tensor_compare(next, half, -1, -1).max_ulp == 1);
    tensor_unref(want);
    tensor_unref(near);
    tensor_unref(far);
    tensor_unref(half);
    tensor_unref(next);
}
END_TEST

static void collect_line(void *user, char sign, Str line)
{
    sb_printf(user, "%c%.*s\n", sign, STR(line));
}

START_TEST(a_difference_rebuilds_both_texts)
{
    StrBuf b = {0};
    text_diff(S("a\nb\nc\nd\n"), S("a\nx\nc\nd\ne\n"), collect_line, &b);
    ck_assert_str_eq(sb_cstr(&b), " a\n-b\n+x\n c\n d\n+e\n");
    sb_clear(&b);
    text_diff(S("same\n"), S("same\n"), collect_line, &b);
    ck_assert_str_eq(sb_cstr(&b), " same\n");
    sb_clear(&b);
    text_diff((Str){0}, S("new\n"), collect_line, &b);
    ck_assert_str_eq(sb_cstr(&b), "+new\n");
    sb_free(&b);
}
END_TEST

typedef struct Rebuild {
    StrBuf a, b;
    uint32_t common;
} Rebuild;

static void rebuild(void *user, char sign, Str line)
{
    Rebuild *r = user;
    if (sign != '+')
        sb_printf(&r->a, "%.*s\n", STR(line));
    if (sign != '-')
        sb_printf(&r->b, "%.*s\n", STR(line));
    r->common += sign == ' ';
}

START_TEST(large_texts_are_compared_in_linear_time)
{
    enum { N = 200000 };
    StrBuf a = {0}, b = {0};
    for (int i = 0; i < N; i++) {
        sb_printf(&a, "t%d = prims.add(t%d, t%d)\n", i, i - 1, i - 2);
        if (i % 10)
            sb_printf(&b, "t%d = prims.add(t%d, t%d)\n", i, i - 1, i - 2);
        else
            sb_printf(&b, "t%d = prims.mul(t%d, t%d)\n", i, i - 1, i % 7);
    }
    Rebuild r = {0};
    uint64_t start = clock_ns();
    text_diff(sb_str(&a), sb_str(&b), rebuild, &r);
    ck_assert(str_eq(sb_str(&r.a), sb_str(&a)));
    ck_assert(str_eq(sb_str(&r.b), sb_str(&b)));
    ck_assert_uint_eq(r.common, N - N / 10);
    ck_assert_uint_lt((clock_ns() - start) / 1000000, 5000);
    sb_free(&a);
    sb_free(&b);
    sb_free(&r.a);
    sb_free(&r.b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run");
    TCase *tc = tcase_create("session");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, every_stage_runs_and_agrees);
    tcase_add_test(tc, stages_have_names_numbers_and_serials);
    tcase_add_test(tc, steps_are_single_rules_and_can_be_undone);
    tcase_add_test(tc, many_steps_lead_where_one_long_step_leads);
    tcase_add_test(tc, every_point_inside_a_pass_is_a_program);
    tcase_add_test(tc, next_finish_and_continue_go_by_passes);
    tcase_add_test(tc, skip_leaves_one_application_out);
    tcase_add_test(tc, a_toggle_makes_a_branch_and_finds_the_old_one_again);
    tcase_add_test(tc, an_order_that_breaks_a_pass_is_refused);
    tcase_add_test(tc, a_legal_move_changes_the_order);
    tcase_add_test(tc, fuel_stops_a_pass_early);
    tcase_add_test(tc, executors_change_stages_from_claim_on);
    tcase_add_test(tc, an_edit_is_a_branch_with_the_old_value_numbers);
    tcase_add_test(tc, a_wrong_edit_changes_nothing);
    tcase_add_test(tc, sizes_follow_the_tensors_that_are_bound);
    tcase_add_test(tc, inputs_must_fit);
    tcase_add_test(tc, random_inputs_suit_their_use_and_repeat);
    tcase_add_test(tc, npy_files_bind_by_name);
    tcase_add_test(tc, runs_leave_the_inputs_alone);
    tcase_add_test(tc, kept_values_are_those_of_their_time);
    tcase_add_test(tc, errors_in_a_run_say_where);
    tcase_add_test(tc, interrupt_stops_work);
    tcase_add_test(tc, two_sessions_know_nothing_of_each_other);
    tcase_add_test(tc, why_names_rule_and_toggle);
    tcase_add_test(tc, history_tells_stage_by_stage);
    tcase_add_test(tc, examine_counts_what_is_not_supported);
    tcase_add_test(tc, costs_are_counted_from_types);
    tcase_add_test(tc, comparison_is_that_of_assert_close);
    tcase_add_test(tc, a_difference_rebuilds_both_texts);
    tcase_add_test(tc, large_texts_are_compared_in_linear_time);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
