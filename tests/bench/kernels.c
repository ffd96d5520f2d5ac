/*
 * kernels.c - processor time of programs that fused kernels compute, beside that of a copy.
 *
 * bench_kernels PROGRAM.py...: each program runs on random inputs with executors c and interp on
 * one thread; for each, the best of many runs, the least bytes (inputs read once, outputs written
 * once) over it, and the share of the best rate of copies between the runs (core/run/copying.c).
 * Processor time does not count what other programs take, so that figures of a busy machine mean
 * something. A program with "fwdbwd" in its name runs with its gradients. Arguments NAME=VALUE set
 * options, NAME=off switches a pass off, to compare.
 */
#define _GNU_SOURCE
#include "executors.h"
#include "run.h"
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 60 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The best time of a copy so far, and of one more each way. */
static double copy_ms(const Copying *c, double best)
{
    for (uint32_t way = 0; way < COPY_WAYS; way++) {
        double start = now_ms();
        copying_once(c, way);
        double ms = now_ms() - start;
        best = ms < best ? ms : best;
    }
    return best;
}

/* Switches off the passes that arguments NAME=off name. */
static bool switch_off(Session *s, Program *p, char **argv, Diag *d)
{
    for (; *argv; argv++) {
        const char *value = strchr(*argv, '=');
        int slot = value && strcmp(value, "=off") == 0
                       ? program_find_slot(p, (Str){*argv, (size_t)(value - *argv)})
                       : -1;
        if (slot >= 0 && !program_slot_set(s, p, (uint32_t)slot, false, d))
            return false;
    }
    return true;
}

static bool measure(Session *s, const char *path, char **argv, Diag *d)
{
    if (!session_load(s, str_from(path), d))
        return false;
    Program *p = session_current(s);
    bool gradients = strstr(path, "fwdbwd") != NULL;
    if (gradients && !program_grad(s, p, S("all"), false, d))
        return false;
    if (!switch_off(s, p, argv, d))
        return false;
    Stage *st = program_find_stage(s, p, S("last"), d);
    if (!st)
        return false;
    program_goto(s, p, st, d); /* cotangents are inputs there */
    if (!program_bind_random(s, p, 1, d))
        return false;
    Cost least = trace_cost(st->trace);
    double best = 1e9, copied = 1e9, bytes = least.bytes_least;
    Copying *copies = calloc(1, sizeof *copies);
    if (!copies || !copying_begin(copies, least.bytes_in, bytes - least.bytes_in))
        abort();
    RunOptions flat = {.whole = true, .flat = true};
    for (int i = 0; i < ROUNDS; i++) {
        Run run;
        double start = now_ms();
        if (!session_run(s, p, st, &flat, &run, d))
            return false;
        double ms = now_ms() - start;
        run_free(&run);
        best = i && ms < best ? ms : best; /* the first run compiles */
        copied = copy_ms(copies, copied);
    }
    double copy = (double)(copies->read + copies->written) / copied;
    copying_end(copies);
    free(copies);
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    printf("| %.*s | %.2f ms | %.3f GB | %.1f GB/s | %.1f GB/s | %.0f %% |\n",
           (int)(strlen(name) - 3), name, best, bytes * 1e-9, bytes / best * 1e-6, copy * 1e-6,
           100 * bytes / best / copy);
    fflush(stdout);
    return true;
}

/* The arguments NAME=VALUE, for all programs. */
static bool set_options(Session *s, int argc, char **argv, Diag *d)
{
    for (int i = 1; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        Str name = {argv[i], value ? (size_t)(value - argv[i]) : 0};
        if (value && !session_set_option(s, name, str_from(value + 1), d))
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    setenv("OMP_NUM_THREADS", "1", 1);
    if (!getenv("BENCH_ONE_THREAD")) { /* OpenMP reads its variables before main */
        setenv("BENCH_ONE_THREAD", "1", 1);
        execv("/proc/self/exe", argv);
    }
    printf("| program | processor time | least bytes | rate | copy rate | share |\n"
           "|---|---:|---:|---:|---:|---:|\n");
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        if (strchr(argv[i], '='))
            continue;
        ExecList known, list;
        Diag d = {0};
        executors_default(&known);
        Session *s = session_new(&known);
        bool good = exec_parse_list(&known, S("c,interp"), &list, &d) &&
                    session_set_executors(s, &list) && set_options(s, argc, argv, &d) &&
                    measure(s, argv[i], argv + 1, &d);
        if (!good) {
            StrBuf said = {0};
            diag_render_all(&d, false, &said);
            fprintf(stderr, "%s: %s\n", argv[i], sb_cstr(&said));
            sb_free(&said);
            failed = 1;
        }
        session_free(s);
        diag_clear(&d);
    }
    return failed;
}
