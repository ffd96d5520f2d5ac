/*
 * check_edge.c - PyTorch's answers at the edge: values and gradients where indices are negative,
 * branches overflow, elements tie, tensors are empty; and errors where PyTorch refuses.
 *
 * Input: tests/cases/edge and edge_refused, which record_edge.py wrote.
 */
#include "support.h"

#include "session_fixture.h"

static const char *const lists[] = {"interp", "c,interp", "onednn,c,interp"};

static void report(void *user, Str line)
{
    sb_printf(user, "%.*s\n", STR(line));
}

START_TEST(values_and_gradients_are_those_of_pytorch)
{
    Str path = S(CASES "edge.py");
    StrBuf lines = {0};
    ReplayResult r;
    ReplayOptions o = {.report = report, .user = &lines, .rtol = -1, .atol = -1, .grad = true};
    use_executors(lists[_i]);
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    ck_assert(session_replay(s, &path, 1, &o, &r, &d));
    ck_assert_msg(r.failed == 0 && r.skipped == 0, "%s: %s", lists[_i], sb_cstr(&lines));
    ck_assert_uint_gt(r.passed, 120);
    sb_free(&lines);
}
END_TEST

/* Loads one function of edge_refused.py with its inputs and runs its last stage. */
static bool runs(Str name)
{
    StrBuf path = {0}, prefix = {0};
    sb_printf(&path, CASES "edge_refused.py:%.*s", STR(name));
    sb_printf(&prefix, "%.*s/in/", STR(name));
    session_load(s, sb_str(&path), &d);
    Program *p = d.nerrors ? NULL : session_current(s);
    const Stage *last = NULL;
    Run run;
    Str values = S(CASES "edge_refused.safetensors");
    bool good = p && program_bind_file(s, p, values, sb_str(&prefix), &d);
    if (good)
        last = program_find_stage(s, p, S("last"), &d);
    good = last && session_run(s, p, last, NULL, &run, &d);
    if (good)
        run_free(&run);
    sb_free(&path);
    sb_free(&prefix);
    return good;
}

/* Each is refused, while it is loaded or when it reads the values, and the error has a place. */
START_TEST(what_pytorch_refuses_is_an_error)
{
    char line[512], name[32];
    uint32_t n = 0;
    FILE *f = fopen(CASES "edge_refused.py", "r");
    ck_assert_ptr_nonnull(f);
    use_executors(lists[_i]);
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "def %31[a-z0-9](", name) != 1)
            continue;
        ck_assert_msg(!runs(str_from(name)), "%s: %s runs", lists[_i], name);
        ck_assert_ptr_nonnull(d.first);
        ck_assert_msg(d.first->span.src != NULL, "%s: no place: %.*s", name,
                      STR(d.first->message));
        diag_clear(&d);
        n++;
    }
    ck_assert_uint_gt(n, 80);
    fclose(f);
}
END_TEST

/* A kernel of several statements names the one that is refused. */
START_TEST(a_fused_kernel_names_the_statement)
{
    const int64_t two[1] = {2};
    load_text("def f(x: \"f32[3, 4]\", i: \"i64[2]\"):\n"
              "    y = torch.exp(x)\n"
              "    z = torch.index_select(y, 0, i)\n"
              "    return (torch.sigmoid(z),)\n");
    Program *p = session_current(s);
    use_executors("c,interp");
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    Tensor *i = tensor_new(DT_i64, (Device){DEV_cpu, 0}, 1, two);
    ((int64_t *)tensor_data(i))[1] = -1;
    ck_assert(program_bind_tensor(p, S("i"), i, &d));
    ck_assert(program_bind_random(s, p, 1, &d));
    const Stage *last = program_find_stage(s, p, S("last"), &d);
    Run run;
    ck_assert(!session_run(s, p, last, NULL, &run, &d));
    ck_text(d.first->message, "take: index -1 is out of range for dimension 0 of size 3");
    Place place = span_place(d.first->span);
    ck_assert_uint_eq(place.line, 3);
    ck_assert_uint_eq(d.nerrors, 1);
    tensor_unref(i);
    diag_clear(&d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("edge");
    TCase *c = tcase_create("edge");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, values_and_gradients_are_those_of_pytorch, 0, ARRAY_LEN(lists));
    tcase_add_loop_test(c, what_pytorch_refuses_is_an_error, 0, ARRAY_LEN(lists));
    tcase_add_test(c, a_fused_kernel_names_the_statement);
    suite_add_tcase(suite, c);
    return run_suite(suite);
}
