/*
 * compile.c - what it costs to have a program ready to run: load, all passes, all kernels.
 *
 * bench_compile PROGRAM.py: first with an empty cache of kernels, then again with the full one,
 * each time in a new session. Figures are processor time, of this process and of the compilers
 * that it starts, which other programs on the machine do not add to. Fails when a limit is passed:
 * 5 s cold, 0.3 s warm, and kernels that equal layers do not share.
 */
#define _GNU_SOURCE
#include "executors.h"
#include "run.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAX_FILES = 8 }; /* of twelve equal layers, and what surrounds them */
static const double cold_limit = 5, warm_limit = 0.3;

static double seconds(int who)
{
    struct rusage r;
    getrusage(who, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static double processor_time(void)
{
    return seconds(RUSAGE_SELF) + seconds(RUSAGE_CHILDREN);
}

/* What the first run of a stage makes before it begins. */
static bool make_kernels(Session *s, const Trace *t, uint32_t *kernels, Diag *d)
{
    const Executor **executors = calloc(t->nnodes + 1, sizeof(const Executor *));
    NodeId *nodes = calloc(t->nnodes + 1, sizeof *nodes);
    uint32_t n = 0;
    if (!executors || !nodes)
        abort();
    for_top(t, node) {
        const char *name = t->nodes[node].executor;
        const Executor *e = name ? exec_find(session_executors(s), str_from(name)) : NULL;
        if (!e || !e->compile)
            continue;
        executors[n] = e;
        nodes[n++] = node;
    }
    bool good = kernels_of(s, t, executors, nodes, n, d) != NULL;
    *kernels = n;
    free(executors);
    free(nodes);
    return good;
}

/* Seconds; negative after an error. */
static double prepare(const char *path, const char *cache, uint32_t *kernels, Diag *d)
{
    ExecList l;
    executors_default(&l);
    double start = processor_time();
    Session *s = session_new(&l);
    bool good = session_set_option(s, S("kernel.cache"), str_from(cache), d) &&
                session_load(s, str_from(path), d);
    Program *p = good ? session_current(s) : NULL;
    const Stage *last = p ? program_find_stage(s, p, S("last"), d) : NULL;
    good = last && make_kernels(s, last->trace, kernels, d);
    double took = processor_time() - start;
    session_free(s);
    return good ? took : -1;
}

/* Counts the files of a folder, and removes it. */
static uint32_t remove_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    char path[600];
    uint32_t n = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        n += unlink(path) == 0;
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
    return n;
}

int main(int argc, char **argv)
{
    char cache[] = "/tmp/thunder-compile-XXXXXX";
    Diag d = {0};
    uint32_t kernels = 0;
    if (argc != 2 || !mkdtemp(cache)) {
        fprintf(stderr, "usage: bench_compile PROGRAM.py\n");
        return 2;
    }
    double cold = prepare(argv[1], cache, &kernels, &d);
    double warm = cold >= 0 ? prepare(argv[1], cache, &kernels, &d) : -1;
    uint32_t files = remove_folder(cache);
    if (warm < 0) {
        StrBuf said = {0};
        diag_render_all(&d, false, &said);
        fprintf(stderr, "%s\n", sb_cstr(&said));
        return 1;
    }
    printf("%u kernels, %u of them compiled; processor time: %.2f s cold, %.3f s warm\n", kernels,
           files, cold, warm);
    bool good = files <= MAX_FILES && cold <= cold_limit && warm <= warm_limit;
    if (!good)
        printf("FAILED: the limits are %d compiled, %g s cold, %g s warm\n", MAX_FILES,
               cold_limit, warm_limit);
    return good ? 0 : 1;
}
