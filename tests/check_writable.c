/*
 * check_writable.c - what the pass `fuse` makes one kernel of, the writers of kernels can write.
 *
 * All recorded programs of the tests, as they are and with gradients of all inputs, for C and for
 * CUDA: every call of a kernel in the last stage has a text. No compiler is needed.
 */
#define _GNU_SOURCE
#include "support.h"

#include "session_fixture.h"

#include "cuda_emulator.h"

#include <glob.h>

static const char *executor;
static uint32_t kernels; /* that were written */

static void use(const char *name)
{
    ExecList known = *session_executors(s), l;
    StrBuf list = {0};
    executor = name;
    sb_printf(&list, "%s,interp", name);
    known.items[known.n] = &exec_emulated;
    known.on[known.n++] = true;
    ck_assert(exec_parse_list(&known, sb_str(&list), &l, &d));
    ck_assert(session_set_executors(s, &l));
    ck_assert(session_set_option(s, S("fuse.min_work"), S("0"), &d));
    sb_free(&list);
}

static void write_kernel(const Trace *t, NodeId n, const char *name)
{
    static const GenTarget target = {90, 132, 50 << 20, 227 << 10};
    Arena a = {0};
    StrBuf text = {0}, why = {0};
    GenOptions o = {0};
    GenCuda plan;
    Region r;
    ck_assert(gen_region(t, n, &a, &r));
    bool good = strcmp(executor, "c") == 0 ?
                    gen_c(&r, &o, "kernel", &text, &why) :
                    gen_cuda(&r, &o, &target, 0, "kernel", &plan, &text, &why);
    ck_assert_msg(good, "%s, %s: statement %u: %s", name, executor, n, sb_cstr(&why));
    kernels++;
    sb_free(&text);
    sb_free(&why);
    arena_free(&a);
}

static void write_last(Program *p, const char *name)
{
    const Stage *last = program_find_stage(s, p, S("last"), &d);
    if (!last)
        diag_clear(&d); /* programs that are there to be refused */
    for (NodeId n = 0; last && n < last->trace->nnodes; n += last->trace->nodes[n].span) {
        const Node *node = &last->trace->nodes[n];
        if (node->op && node->op->id == PRIM_call && node->executor &&
            strcmp(node->executor, executor) == 0)
            write_kernel(last->trace, n, name);
    }
}

/* The programs of one file, first as they are. */
static void write_file(const char *file)
{
    session_load(s, str_from(file), &d);
    diag_clear(&d);
    for (Program *p = session_current(s); p; p = session_current(s)) {
        write_last(p, file);
        if (program_grad(s, p, S("all"), false, &d))
            write_last(p, file);
        diag_clear(&d);
        session_unload(s, p);
    }
}

static void write_all(const char *pattern, const char *name, uint32_t least)
{
    glob_t files;
    StrBuf path = {0};
    sb_printf(&path, "%s%s", CASES, pattern);
    ck_assert_int_eq(glob(sb_cstr(&path), 0, NULL, &files), 0);
    kernels = 0;
    use(name);
    for (size_t i = 0; i < files.gl_pathc; i++)
        write_file(files.gl_pathv[i]);
    ck_assert_msg(kernels >= least, "%u kernels of %s", kernels, pattern);
    globfree(&files);
    sb_free(&path);
}

/* A sum by index reads a reshape of places that another kernel writes: it stays a kernel. */
static const char *const pooled =
    "def f(x: \"f32[1, 4, 4, 4]\", g: \"f32[4, 6]\", z: \"f32[4, 16]\"):\n"
    "    v, i = torch.nn.functional.adaptive_max_pool2d(x, (2, 3), True)\n"
    "    return (v, i, torch.scatter_add(z, 1, i.reshape(4, 6), g))\n";

START_TEST(a_sum_by_index_reads_the_view_of_its_indices)
{
    use(_i ? "emulated" : "c");
    kernels = 0;
    write_last(load_text(pooled), "pooled");
    ck_assert_uint_ge(kernels, 1);
}
END_TEST

static const struct {
    const char *pattern;
    uint32_t least;
} files[] = {{"*.py", 500}, {"direct/*.py", 500}};

START_TEST(every_fusion_has_a_kernel)
{
    write_all(files[_i / 2].pattern, _i % 2 ? "emulated" : "c", files[_i / 2].least);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("writable");
    TCase *c = tcase_create("writable");
    suite_add_tcase(suite, c);
    tcase_set_timeout(c, 240);
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, a_sum_by_index_reads_the_view_of_its_indices, 0, 2);
    tcase_add_loop_test(c, every_fusion_has_a_kernel, 0, 2 * (int)ARRAY_LEN(files));
    SRunner *r = srunner_create(suite);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
