/*
 * check_peak.c - memory over time: lifetimes counted by hand, pictures, what if.
 */
#include "memory.h"
#include "session_fixture.h"

/* f32[256]: 1024 bytes each. b is a view of a; a and x live while c is made. */
static const char chain[] = "def chain(x: 'f32[256]'):\n"
                            "    a = torch.exp(x)\n"
                            "    b = a.view(16, 16)\n"
                            "    c = torch.tanh(b)\n"
                            "    e = c * 2\n"
                            "    f = e.sum()\n"
                            "    return f\n";

START_TEST(bytes_by_step)
{
    Program *p = load_text(chain);
    Stage *st = program_find_stage(s, p, S("cse"), &d);
    Peak k = trace_peak(st->trace);
    static const int64_t want[] = {2048, 2048, 3072, 3072, 2052, 1028};
    ck_assert_uint_eq(k.nsteps, 6);
    for (uint32_t i = 0; i < k.nsteps; i++)
        ck_assert_int_eq(k.bytes[i], want[i]);
    ck_assert_uint_eq(k.at, 2);
    ck_assert_int_eq(k.most, 3072);
    ck_assert_uint_eq(k.nalive, 3); /* x, a, c; the view owns nothing */
    for (uint32_t i = 0; i < k.nalive; i++)
        ck_assert(!str_is(st->trace->values[k.alive[i].value].name, "b"));
    peak_free(&k);
    no_errors();
}
END_TEST

/* The same on the planned trace: dels change nothing, they say the same. Results over operands do:
 * c takes the place of a, e that of c. */
START_TEST(the_plan_agrees)
{
    Program *p = load_text(chain);
    Stage *plan = program_find_stage(s, p, S("last"), &d);
    Stage *off = program_what_if_option(s, p, S("plan.in_place"), S("off"), &d);
    no_errors();
    ck_assert_ptr_ne(plan, off);
    ck_assert_ptr_eq(plan, program_find_stage(s, p, S("last"), &d));
    ck_assert_ptr_eq(plan, program_what_if_option(s, p, S("plan.in_place"), S("on"), &d));
    Peak k = trace_peak(plan->trace), without = trace_peak(off->trace);
    ck_assert_int_eq(k.most, 2052); /* x, what lies in the one place, and the sum */
    ck_assert_int_eq(without.most, 3072);
    ck_assert_int_eq(plan->trace->plan_bytes, 1024);
    ck_assert_int_eq(off->trace->plan_bytes, 2048);
    for (uint32_t i = 0; i < k.nalive; i++)
        ck_assert(!k.alive[i].over || k.alive[i].last < k.at);
    peak_free(&k);
    peak_free(&without);
    ck_assert_ptr_null(program_what_if_option(s, p, S("plan.in_place"), S("maybe"), &d));
    ck_assert_uint_eq(d.nerrors, 1);
}
END_TEST

START_TEST(empty_programs_have_a_peak)
{
    Program *p = load_text("def same(x: 'f32[4]'):\n    return x\n");
    Stage *st = program_find_stage(s, p, S("last"), &d);
    Peak k = trace_peak(st->trace);
    ck_assert_int_eq(k.most, 16);
    StrBuf out = {0};
    peak_chart(&k, 80, 4, &out);
    peak_svg(st->trace, &k, &out);
    ck_assert(strstr(sb_cstr(&out), "</svg>") != NULL);
    sb_free(&out);
    peak_free(&k);
    no_errors();
}
END_TEST

/* Lines of the chart fit, the highest column reaches the top, and only the peak does. */
START_TEST(the_chart_fits)
{
    Program *p = load_text(chain);
    Peak k = trace_peak(program_find_stage(s, p, S("cse"), &d)->trace);
    static const uint32_t widths[] = {30, 40, 80};
    for (size_t i = 0; i < ARRAY_LEN(widths); i++) {
        StrBuf out = {0};
        peak_chart(&k, widths[i], 6, &out);
        Str rest = sb_str(&out), first = str_cut(&rest, '\n');
        ck_assert(memchr(first.p, '#', first.n) != NULL);
        for (k.at = 0; k.at < k.nsteps; k.at++) { /* the arrow, wherever it stands */
            sb_clear(&out);
            peak_chart(&k, widths[i], 6, &out);
            for (rest = sb_str(&out); rest.n;)
                ck_assert_uint_le(str_cut(&rest, '\n').n, widths[i]);
        }
        sb_free(&out);
    }
    peak_free(&k);
}
END_TEST

/* Without cse the two equal exps both live; the session stays where it was. */
START_TEST(what_if_leaves_the_session_alone)
{
    Program *p = load_text("def twice(x: 'f32[256]'):\n"
                           "    a = torch.exp(x)\n"
                           "    b = torch.exp(x)\n"
                           "    c = torch.tanh(a)\n"
                           "    e = c * 2\n"
                           "    return e + a + b\n");
    ck_assert(session_set_option(s, S("plan.in_place"), S("off"), &d)); /* which makes up for it */
    uint32_t cse = (uint32_t)program_find_slot(p, S("cse"));
    Stage *last = program_find_stage(s, p, S("last"), &d), *cursor = program_cursor(p);
    Stage *other = program_what_if(s, p, cse, false, &d);
    no_errors();
    ck_assert_ptr_nonnull(other);
    ck_assert_ptr_ne(other, last);
    Peak with = trace_peak(last->trace), without = trace_peak(other->trace);
    ck_assert_int_eq(without.most - with.most, 1024);
    ck_assert_ptr_eq(program_cursor(p), cursor);
    ck_assert(program_slot(p, cse)->on);
    ck_assert_ptr_eq(program_find_stage(s, p, S("last"), &d), last);
    ck_assert_ptr_eq(program_what_if(s, p, cse, true, &d), last);
    peak_free(&with);
    peak_free(&without);
    uint32_t grad = (uint32_t)program_find_slot(p, S("joint"));
    ck_assert(session_set_option(s, S("joint.cotangents"), S("ones"), &d));
    ck_assert(program_slot_set(s, p, grad, true, &d));
    ck_assert(program_slot_set(s, p, (uint32_t)program_find_slot(p, S("split")), true, &d));
    Stage *plain = program_what_if(s, p, grad, false, &d); /* split needs gradients: off too */
    no_errors();
    ck_assert(trace_equal(plain->trace, last->trace, NULL));
    ck_assert(program_slot(p, grad)->on);
    uint32_t claim = (uint32_t)program_find_slot(p, S("claim"));
    ck_assert_ptr_null(program_what_if(s, p, claim, false, &d));
    ck_assert_uint_eq(d.nerrors, 1);
    ck_assert(program_slot(p, claim)->on);
}
END_TEST

/* a is read last by tanh; with gradients a node far behind reads it. Nothing else lengthens it. */
START_TEST(gradients_lengthen_lifetimes)
{
    Program *p = load_text("def two(x: 'f32[256]'):\n"
                           "    a = torch.exp(x)\n"
                           "    b = torch.tanh(a)\n"
                           "    return (b * b).sum()\n");
    Stage *st = program_find_stage(s, p, S("cse"), &d);
    Peak k = trace_peak(st->trace);
    peak_lengthened(st, &k);
    for (uint32_t i = 0; i < k.nalive; i++)
        ck_assert_uint_eq(k.alive[i].longer, 0);
    peak_free(&k);
    use_executors("interp");
    ck_assert(session_set_option(s, S("joint.cotangents"), S("ones"), &d));
    ck_assert(program_slot_set(s, p, (uint32_t)program_find_slot(p, S("joint")), true, &d));
    st = program_find_stage(s, p, S("last"), &d);
    no_errors();
    k = trace_peak(st->trace);
    peak_lengthened(st, &k);
    uint32_t found = 0;
    for (uint32_t i = 0; i < k.nalive; i++) {
        const PeakValue *x = &k.alive[i];
        if (!str_is(st->trace->values[x->value].name, "a"))
            continue;
        found++;
        ck_assert_uint_ge(x->longer, 2);
        ck_assert(str_is(x->since->name, "joint"));
    }
    ck_assert_uint_eq(found, 1);
    peak_free(&k);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("peak");
    TCase *c = tcase_create("peak");
    suite_add_tcase(suite, c);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, bytes_by_step);
    tcase_add_test(c, the_plan_agrees);
    tcase_add_test(c, empty_programs_have_a_peak);
    tcase_add_test(c, the_chart_fits);
    tcase_add_test(c, gradients_lengthen_lifetimes);
    tcase_add_test(c, what_if_leaves_the_session_alone);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
