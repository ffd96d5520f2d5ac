/*
 * check_run.c - what sessions promise: stages, cursor, branches, edits, sizes, inputs.
 *
 * Input: programs in tests/cases and small texts.
 */
#define _DEFAULT_SOURCE
#include "session_fixture.h"

#include <unistd.h>

/* ----------------------------------------------------------------------------------- stages */

START_TEST(every_stage_runs_and_agrees)
{
    use_executors("interp");
    Program *p = load_case(CASES "mlp.dynamo.py");
    ck_assert_uint_eq(session_program_count(s), 1);
    ck_assert_uint_eq(program_stage_count(p), 9);
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

/* Every stage of p, replaced by its own text: the same trace, and the same stages behind it. */
static void edit_every_stage(Program *p)
{
    uint32_t n = program_stage_count(p);
    Stage *stages[16];
    for (uint32_t i = 0; i < n; i++)
        ck_assert_ptr_nonnull(stages[i] = program_stage(s, p, i, &d));
    StrBuf want = text_of(stages[n - 1]);
    for (uint32_t i = 0; i < n; i++) {
        StrBuf text = {0}, why = {0};
        program_goto(s, p, stages[i], &d);
        trace_print(stages[i]->trace, &print_all, &text);
        Stage *edited = program_edit(s, p, sb_str(&text), &d);
        no_errors();
        ck_assert_msg(trace_equal(stages[i]->trace, edited->trace, &why), "%s", sb_cstr(&why));
        for (ValueId v = 1; v < stages[i]->trace->nvalues; v++)
            ck_assert(str_eq(stages[i]->trace->values[v].name, edited->trace->values[v].name));
        StrBuf got = text_of(program_find_stage(s, p, S("last"), &d));
        ck_assert_str_eq(sb_cstr(&got), sb_cstr(&want));
        sb_free(&got);
        sb_free(&text);
    }
    sb_free(&want);
}

START_TEST(a_stage_replaced_by_its_own_text_changes_nothing)
{
    static const char *const files[] = {"mlp.dynamo.py", "mlp.aot_fw.py", "layernorm.fw00.py",
                                        "random.py", "alias.py"};
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        char path[256];
        snprintf(path, sizeof path, CASES "%s", files[i]);
        load_case(path);
    }
    ck_assert_uint_gt(session_program_count(s), 30);
    for (uint32_t i = 0; i < session_program_count(s); i++)
        edit_every_stage(session_program(s, i));
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

static int64_t selected(Program *p)
{
    const Trace *t = program_root(p)->trace;
    return t->values[t->output.items[0].v].type.shape[0];
}

static void bind_mask(Program *p, const uint8_t bits[4])
{
    Tensor *mask = tensor_new(DT_b8, (Device){0}, 1, (const int64_t[]){4});
    memcpy(tensor_data(mask), bits, 4);
    ck_assert(program_bind_tensor(p, S("m"), mask, &d));
    tensor_unref(mask);
    no_errors();
}

START_TEST(sizes_follow_the_data_of_a_mask)
{
    Program *p = load_text("def f(x: \"f32[4]\", m: \"b8[4]\"):\n"
                           "    return (x[m], torch.nonzero(m))\n");
    ck_assert_int_eq(selected(p), 4); /* nothing is bound: as many as there can be */
    ck_assert(program_bind_random(s, p, 1, &d));
    bind_mask(p, (const uint8_t[]){1, 0, 1, 1});
    ck_assert_int_eq(selected(p), 3);
    Stage *before = program_root(p);
    bind_mask(p, (const uint8_t[]){0, 1, 1, 1}); /* the same size: the stages hold */
    ck_assert_ptr_eq(program_root(p), before);
    bind_mask(p, (const uint8_t[]){0, 0, 0, 1});
    ck_assert_int_eq(selected(p), 1);
    Run run;
    Stage *last = program_stage(s, p, program_stage_count(p) - 1, &d);
    ck_assert(session_run(s, p, last, NULL, &run, &d));
    ck_assert_int_eq(run.outputs[0]->shape[0], 1);
    ck_assert_int_eq(elem_get_i64(tensor_data(run.outputs[1]), DT_i64), 3);
    run_free(&run);
    ck_assert(!session_run(s, p, before, NULL, &run, &d)); /* a stage made for other data */
    ck_assert_str_eq(d.first->code, "data-size");
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

/* Each function is one whose argument p must be positive (or above one) to give finite numbers. */
/* How many results there are comes from data, and each brings a cotangent. */
START_TEST(random_inputs_have_cotangents_of_all_results)
{
    Program *p = load_text("def f(x: \"f32[6, 4]\", n: \"i64[]\"):\n"
                           "    out = torch.tensor_split(x, n)\n    return out\n");
    ck_assert(program_grad(s, p, S("all"), false, &d));
    ck_assert(program_bind_random(s, p, 1, &d));
    const Trace *t = program_bindable(p);
    ck_assert_uint_gt(t->ninputs, 3);
    for (uint32_t i = 0; i < t->ninputs; i++)
        ck_assert_ptr_nonnull(program_binding(p, t->inputs[i]));
}
END_TEST

START_TEST(random_inputs_are_positive_where_they_must_be)
{
    static const char *const uses[] = {
        "x * torch.rsqrt(x * x + p)",
        "x / (torch.sqrt(x * x) + p)",
        "x / torch.maximum(torch.abs(x), p)",
        "(x - 1) / p",
        "torch.lgamma(p) + x",
        "torch.acosh(p) + x",
        "torch.pow(p, x)",
        "torch.log(0.9 * p + 0.1 * x * x)",
        "x / (torch.sqrt(p / (1 - 0.5)) + 1e-8)",
        "torch.reciprocal(p) * x",
    };
    for (size_t k = 0; k < ARRAY_LEN(uses); k++) {
        char text[200];
        snprintf(text, sizeof text, "def f(x: \"f32[50]\", p: \"f32[50]\"):\n    return (%s,)\n",
                 uses[k]);
        Program *p = load_text(text);
        ck_assert(program_bind_random(s, p, 3, &d));
        no_errors();
        for (int64_t i = 0; i < 50; i++)
            ck_assert_msg(element(program_binding(p, value(p, "p")), i) > 0, "%s", uses[k]);
    }
    Program *ints = load_text("def f(x: \"i64[50]\", p: \"i64[50]\"):\n"
                              "    return (x % p, x // p)\n");
    ck_assert(program_bind_random(s, ints, 3, &d));
    for (int64_t i = 0; i < 50; i++)
        ck_assert(element(program_binding(ints, value(ints, "p")), i) > 0);
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

/* What a first run comes to is told once each, and adds up to no more than went by. */
START_TEST(time_is_told_by_what_it_went_to)
{
    const Spent *spent = session_spent(s);
    uint64_t start = clock_ns(), sum = 0;
    Program *p = load_text(simple);
    ck_assert_int_eq(spent->times[SPENT_passes], 0);
    ck_assert(program_bind_random(s, p, 1, &d));
    Run run;
    ck_assert(session_run(s, p, program_find_stage(s, p, S("last"), &d), NULL, &run, &d));
    for (int i = SPENT_nothing + 1; i < SPENT_COUNT; i++)
        sum += spent->ns[i];
    ck_assert_int_eq(spent->on, SPENT_nothing);
    ck_assert_int_eq(spent->times[SPENT_inputs], 1);
    ck_assert_int_eq(spent->times[SPENT_run], 1);
    ck_assert_int_eq(spent->times[SPENT_driver], 0);
    ck_assert(spent->times[SPENT_passes] > 4 && spent->ns[SPENT_run] >= run.ns / 2);
    ck_assert(sum <= clock_ns() - start);
    ck_assert(run.once_ns <= run.ns);
    run_free(&run);
}
END_TEST

START_TEST(names_of_checkpoints_are_those_of_graph_inputs)
{
    char path[] = "/tmp/thunder-names-XXXXXX";
    close(mkstemp(path));
    static const char *const names[] = {"fc1.weight", "layers.0.norm.bias", "c_attn.bias",
                                        "running.mean"};
    float x[4][1] = {{1}, {2}, {3}, {4}};
    int64_t shape[1] = {1};
    TensorView items[4];
    for (int i = 0; i < 4; i++)
        items[i] = (TensorView){str_from(names[i]), DT_f32, 1, shape, x[i], 4};
    ck_assert(safetensors_write(path, items, 4, &d));
    static const char *const inputs[] = {"L_self_modules_fc1_parameters_weight_",
                                         "p_layers_0_norm_bias", "t_c_attn_bias",
                                         "b_running_mean"};
    Program *p = load_text("def f(L_self_modules_fc1_parameters_weight_: \"f32[1]\", "
                           "p_layers_0_norm_bias: \"f32[1]\", t_c_attn_bias: \"f32[1]\", "
                           "b_running_mean: \"f32[1]\", other: \"f32[1]\"):\n"
                           "    return (other,)\n");
    ck_assert(program_bind_file(s, p, str_from(path), (Str){0}, &d));
    no_errors();
    for (int i = 0; i < 4; i++) {
        Tensor *t = program_binding(p, value(p, inputs[i]));
        ck_assert_msg(t != NULL, "%s is not bound", inputs[i]);
        ck_assert(element(t, 0) == i + 1);
    }
    ck_assert_ptr_null(program_binding(p, value(p, "other")));
    unlink(path);
}
END_TEST

/* Writes an array of six numbers under this header to a new file; its name goes to npy. */
static void write_npy(const char *header, char npy[64])
{
    char path[] = "/tmp/thunder-npy-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "wb");
    fwrite("\x93NUMPY\x01\x00", 1, 8, f);
    unsigned short n = (unsigned short)strlen(header);
    fwrite(&n, 2, 1, f);
    fwrite(header, 1, n, f);
    fwrite((const float[]){1, 2, 3, 4, 5, 6}, 4, 6, f);
    fclose(f);
    snprintf(npy, 64, "%s.npy", path);
    rename(path, npy);
}

START_TEST(npy_files_bind_by_name)
{
    char npy[64];
    write_npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }    \n", npy);
    Program *p = load_text(simple);
    ck_assert(program_bind_file(s, p, str_from(npy), S("x"), &d));
    no_errors();
    Tensor *x = program_binding(p, value(p, "x"));
    ck_assert(element(x, 0) == 1 && element(x, 1) == 3 && element(x, 3) == 2);
    truncate(npy, 90);
    ck_assert(!program_bind_file(s, p, str_from(npy), S("x"), &d));
    ck_assert_str_eq(d.first->code, "bad-npy");
    unlink(npy);
}
END_TEST

/* A header that promises more than the file holds is refused before anything is allocated. */
START_TEST(npy_headers_that_lie_are_refused)
{
    static const char *const shapes[] = {"(7,)", "(4611686018427387904, 4)", "(99999999999999999,)",
                                         "(2, 3", "(-6,)"};
    Program *p = load_text(simple);
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
        char header[128], npy[64];
        snprintf(header, sizeof header, "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }\n",
                 shapes[i]);
        write_npy(header, npy);
        ck_assert(!program_bind_file(s, p, str_from(npy), S("x"), &d));
        ck_assert_str_eq(d.first->code, "bad-npy");
        diag_clear(&d);
        unlink(npy);
    }
}
END_TEST

static void join_line(void *user, char sign, Str line)
{
    sb_printf(user, "%c%.*s\n", sign, STR(line));
}

START_TEST(texts_differ_by_line_and_not_by_where_they_are_planned)
{
    static const struct {
        const char *a, *b, *diff;
    } rows[] = {
        {"a\nb\nc\n", "a\nc\nd\n", " a\n-b\n c\n+d\n"},
        {"", "a\n", "+a\n"},
        {"x = f(y)  # @interp\n", "x = f(y)  # @interp +64\ndel y\n",
         " x = f(y)  # @interp +64\n+del y\n"},
        {"(a, b) = f(y)  # @interp +0,-\n", "(a, b) = f(y)  # @interp\n",
         " (a, b) = f(y)  # @interp\n"},
        {"x = f(y)  # @interp +0\n", "x = f(y)  # @interp +64\n", /* both are planned */
         "-x = f(y)  # @interp +0\n+x = f(y)  # @interp +64\n"},
        {"x = y + 1\n", "x = y +2\n", "-x = y + 1\n+x = y +2\n"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        StrBuf got = {0};
        text_diff(str_from(rows[i].a), str_from(rows[i].b), join_line, &got);
        ck_assert_str_eq(sb_cstr(&got), rows[i].diff);
        sb_free(&got);
    }
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
    tcase_add_test(tc, a_stage_replaced_by_its_own_text_changes_nothing);
    tcase_add_test(tc, a_wrong_edit_changes_nothing);
    tcase_add_test(tc, sizes_follow_the_tensors_that_are_bound);
    tcase_add_test(tc, sizes_follow_the_data_of_a_mask);
    tcase_add_test(tc, random_inputs_have_cotangents_of_all_results);
    tcase_add_test(tc, inputs_must_fit);
    tcase_add_test(tc, random_inputs_suit_their_use_and_repeat);
    tcase_add_test(tc, time_is_told_by_what_it_went_to);
    tcase_add_test(tc, random_inputs_are_positive_where_they_must_be);
    tcase_add_test(tc, names_of_checkpoints_are_those_of_graph_inputs);
    tcase_add_test(tc, npy_files_bind_by_name);
    tcase_add_test(tc, npy_headers_that_lie_are_refused);
    tcase_add_test(tc, texts_differ_by_line_and_not_by_where_they_are_planned);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
