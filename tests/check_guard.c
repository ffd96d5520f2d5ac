/*
 * check_guard.c - kernels that crash or never end: an error with the kernel's name and statement,
 * and a session that lives on with its state, its kernels and its threads.
 *
 * An executor of this file makes kernels that do so on purpose, in the launching thread or in a
 * thread of its pool.
 */
#define _GNU_SOURCE
#include "support.h"

#include "session_fixture.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

typedef enum Deed {
    DEED_good,
    DEED_segv,
    DEED_fpe,
    DEED_ill,
    DEED_bus,
    DEED_stack,
    DEED_loop,
} Deed;

static volatile Deed deed;   /* of the next launch */
static volatile bool in_pool; /* by a thread of the pool rather than by the launching one */

static volatile bool deeper = true;

/* Takes a page of the stack for each call until none is left. */
static int sink(int depth)
{
    volatile char page[4096];
    page[0] = (char)depth;
    return deeper ? sink(depth + 1) + page[0] : 0;
}

static void commit(void)
{
    volatile int zero = 0;
    switch (deed) {
    case DEED_segv:
        *(volatile int *)(uintptr_t)(16 + zero) = 1;
        break;
    case DEED_fpe:
        raise(SIGFPE);
        break;
    case DEED_ill:
        __builtin_trap();
        break;
    case DEED_bus:
        raise(SIGBUS);
        break;
    case DEED_stack:
        sink(0);
        break;
    case DEED_loop:
        for (volatile int i = 0;; i = i + 1)
            if (i < 0)
                i = 0;
        break;
    case DEED_good:
        break;
    }
}

static bool evil_can(const Trace *t, NodeId n, StrBuf *why)
{
    sb_puts(why, "takes exp only");
    return t->nodes[n].op->id == PRIM_exp && t->nodes[n].op->language == LANG_prims;
}

static bool evil_compile(const Trace *t, NodeId n, const CompileOptions *o, Kernel **out,
                         Diag *diag)
{
    extern const Executor exec_evil;
    (void)t;
    (void)n;
    (void)o;
    (void)diag;
    *out = calloc(1, sizeof **out);
    **out = (Kernel){.executor = &exec_evil, .name = S("evil0")};
    (*out)->edited = o->edited_text.n > 0;
    void (*fn)(void) = commit;
    memcpy(&(*out)->code, &fn, sizeof fn);
    return true;
}

static bool evil_launch(Kernel *k, ExecCall *call)
{
    const Node *node = &call->t->nodes[call->node];
    Tensor *x = call->values[node->args[0].v];
    (void)k;
    int team = 1;
#ifdef _OPENMP
    #pragma omp parallel num_threads(2)
    {
        #pragma omp single
        team = omp_get_num_threads();
        if (omp_get_thread_num() == (in_pool && team > 1 ? 1 : 0))
            commit();
    }
#else
    commit();
#endif
    Tensor *y = tensor_new_like(x);
    ((float *)tensor_data(y))[0] = (float)team;
    tensor_unref(call->values[node->out.v]);
    call->values[node->out.v] = y;
    return true;
}

static void evil_drop(Kernel *k)
{
    free(k);
}

const Executor exec_evil = {
    .name = "evil",
    .help = "kernels that crash",
    .kind = EXEC_stateful,
    .can = evil_can,
    .compile = evil_compile,
    .launch = evil_launch,
    .drop = evil_drop,
};

static const char *const text = "def f(x: \"f32[640]\"):\n    y = torch.exp(x)\n    return y * 2\n";

static void setup_evil(void)
{
    ExecList l = {.items = {&exec_evil, &exec_interp}, .on = {true, true}, .n = 2};
    s = session_new(&l);
    d = (Diag){0};
    deed = DEED_good;
    in_pool = false;
}

static Stage *last_stage(void)
{
    Program *p = load_text(text);
    ck_assert(program_bind_random(s, p, 1, &d));
    Stage *last = program_find_stage(s, p, S("last"), &d);
    no_errors();
    return last;
}

/* How many threads a kernel gets. */
static int good_run(Stage *last)
{
    Run run;
    deed = DEED_good;
    bool ran = session_run(s, session_current(s), last, NULL, &run, &d);
    no_errors();
    ck_assert(ran);
    int team = (int)(element(run.outputs[0], 0) / 2);
    run_free(&run);
    return team;
}

static void bad_run(Stage *last, Deed what, const char *code)
{
    Run run;
    deed = what;
    ck_assert(!session_run(s, session_current(s), last, NULL, &run, &d));
    ck_assert_uint_eq(d.nerrors, 1);
    ck_assert_str_eq(d.first->code, code);
    StrBuf b = {0};
    diag_render_all(&d, false, &b);
    ck_assert_ptr_nonnull(strstr(sb_cstr(&b), "evil0"));
    ck_assert_msg(strstr(sb_cstr(&b), "y = prims.exp(x)") != NULL, "%s", sb_cstr(&b));
    sb_free(&b);
    diag_clear(&d);
}

/* Every kind of crash, in either thread, twice over; the session goes on with as many threads. */
START_TEST(a_crash_is_an_error_and_the_session_lives_on)
{
    static const Deed deeds[] = {DEED_segv, DEED_fpe, DEED_ill, DEED_bus, DEED_stack};
    Stage *last = last_stage();
    int team = good_run(last);
    in_pool = _i / 5 == 1;
    for (int i = 0; i < 2; i++) {
        bad_run(last, deeds[_i % 5], "kernel-crash");
        ck_assert_int_eq(good_run(last), team);
    }
    Program *other = load_text("def g(x: \"f32[2]\"):\n    return torch.exp(x)\n");
    ck_assert(program_bind_random(s, other, 1, &d));
    good_run(program_find_stage(s, other, S("last"), &d));
}
END_TEST

START_TEST(an_endless_loop_ends)
{
    Stage *last = last_stage();
    int team = good_run(last);
    ck_assert(session_set_option(s, S("kernel.timeout"), S("0.3"), &d));
    in_pool = _i == 1;
    bad_run(last, DEED_loop, "kernel-timeout");
    ck_assert_int_eq(good_run(last), team);
}
END_TEST

#ifndef __SANITIZE_ADDRESS__
/* What crashes outside of kernels is not ours to hide. */
START_TEST(other_crashes_stay_crashes)
{
    good_run(last_stage());
    raise(SIGSEGV);
}
END_TEST
#endif

/* ------------------------------------------------------------------------------ edited kernels */

static void setup_c(void)
{
    setup();
    use_executors("c,interp");
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    ck_assert(session_set_option(s, S("kernel.timeout"), S("1"), &d));
}

/* text with the first `from` replaced. */
static void changed(const char *whole, const char *from, const char *to, StrBuf *out)
{
    const char *at = strstr(whole, from);
    ck_assert_msg(at != NULL, "no %s in %s", from, whole);
    sb_add(out, (Str){whole, (size_t)(at - whole)});
    sb_puts(out, to);
    sb_puts(out, at + strlen(from));
}

START_TEST(edited_kernels_are_tried_before_they_are_used)
{
    static const struct {
        const char *from, *to, *error;
    } edits[] = {
        {"i0 < 640", "i0 < 320", "kernel-wrong"},
        {"i0 < 640", "i0 < 1 << 30", "kernel-crash"},
        {"const float v0", "for (volatile int k = 0;; k = 1) ;\nconst float v0", "kernel-timeout"},
        {"float", "flaot", "kernel-compile"},
        {"int kernel(", "int colonel(", "kernel-load"},
        {"const float v0", "extern void _exit(int);\n_exit(0);\nconst float v0", "kernel-crash"},
        {"int kernel(", "int kernel(void *const *in, void *const *out);\n"
                        "static int deep(void *const *in, void *const *out, int n)\n"
                        "{ volatile char page[4096]; page[0] = 1;\n"
                        "  return n < 0 ? 0 : deep(in, out, n + page[0]) + page[0]; }\n"
                        "static int (*volatile sink)(void *const *, void *const *, int) = deep;\n"
                        "int kernel(void *const *in, void *const *out) "
                        "{ return sink(in, out, 0); }\nint other(", "kernel-crash"},
        {"{\n", "{\n    // by hand\n    int mine = 0;\n    (void)mine;\n", NULL},
    };
    Stage *last = last_stage();
    StrBuf before = {0}, after = {0};
    KernelEdit e;
    Run first, now;
    ck_assert(session_run(s, session_current(s), last, NULL, &first, &d));
    ck_assert(session_kernel_text(s, last, S("cFusion0"), S("c"), &before, &d));
    for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
        sb_clear(&after);
        changed(sb_cstr(&before), edits[i].from, edits[i].to, &after);
        Str edited = str_trim(sb_str(&after)); /* editors need not end the last line */
        bool good =
            session_kernel_edit(s, session_current(s), last, S("cFusion0"), edited, &e, &d);
        ck_assert_int_eq(good, edits[i].error == NULL);
        if (edits[i].error && strcmp(edits[i].error, "kernel-compile") == 0) {
            ck_assert_ptr_nonnull(strstr(d.first->note.p, "\nedited.c:"));
            ck_text(d.first->help, "kernel cFusion0 edit");
        }
        if (edits[i].error)
            ck_assert_str_eq(d.first->code, edits[i].error);
        else
            ck_assert(e.old_ms > 0 && e.new_ms > 0 && e.after.equal);
        diag_clear(&d);
        ck_assert(session_run(s, session_current(s), last, NULL, &now, &d));
        ck_assert(tensor_compare(now.outputs[0], first.outputs[0], 0, 0).equal);
        run_free(&now);
    }
    sb_clear(&after);
    ck_assert(session_kernel_text(s, last, S("cFusion0"), S("c"), &after, &d));
    ck_assert_ptr_nonnull(strstr(sb_cstr(&after), "by hand"));
    ck_assert(session_kernel_revert(s, last, S("cFusion0"), &d));
    sb_clear(&after);
    ck_assert(session_kernel_text(s, last, S("cFusion0"), S("c"), &after, &d));
    ck_assert(str_eq(sb_str(&after), sb_str(&before)));
    run_free(&first);
    sb_free(&before);
    sb_free(&after);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("guard");
    TCase *c = tcase_create("guard");
    tcase_add_checked_fixture(c, setup_evil, teardown);
    tcase_add_loop_test(c, a_crash_is_an_error_and_the_session_lives_on, 0, 10);
    tcase_add_loop_test(c, an_endless_loop_ends, 0, 2);
#ifndef __SANITIZE_ADDRESS__ /* which ends the process in its own way */
    tcase_add_test_raise_signal(c, other_crashes_stay_crashes, SIGSEGV);
#endif
    suite_add_tcase(suite, c);
    TCase *e = tcase_create("edited");
    tcase_add_checked_fixture(e, setup_c, teardown);
    tcase_add_test(e, edited_kernels_are_tried_before_they_are_used);
    suite_add_tcase(suite, e);
    return run_suite(suite);
}
