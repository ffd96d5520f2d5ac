/*
 * bench_log.c - what the rule log costs: passes with it against the same passes without it.
 *
 *    bench_log PROGRAM.py...
 *
 * Each program goes through its passes many times, with and without the log in turn; processor time
 * of the one thread that does it, of the quickest tenth of all runs. Prints a table; exit 1 when
 * the log takes more than its share of the time of the passes.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "executors.h"
#include "numbers.h"
#include "run.h"

enum { RUNS = 101, MOST_PERCENT = 5 };

static double processor_ms(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* All passes of a copy of p; the entries go to log, or nowhere. */
static double passes_ms(Session *s, Program *p, RuleLog *log)
{
    Diag d = {0};
    Program *copy = program_wrap(s, trace_ref(p->root->trace));
    copy->quiet = true;
    copy->log = log;
    double start = processor_ms();
    Stage *last = program_find_stage(s, copy, S("last"), &d);
    double ms = processor_ms() - start;
    program_free(copy);
    diag_clear(&d);
    return last ? ms : -1;
}

/* The tenth of the runs that were quickest: what the machine does when little disturbs it. */
static double quick(double *v)
{
    qsort(v, RUNS, sizeof *v, order_of_doubles);
    return v[RUNS / 10];
}

static bool measure(Session *s, const char *path)
{
    Diag d = {0};
    double with[RUNS], without[RUNS];
    uint32_t entries = 0;
    if (!session_load(s, str_from(path), &d))
        return false;
    Program *p = session_current(s);
    RuleLog log = {0}; /* goes on growing, as that of a session does */
    for (int i = 0; i < RUNS; i++) {
        uint32_t before = log.n;
        with[i] = passes_ms(s, p, &log);
        without[i] = passes_ms(s, p, NULL);
        entries = log.n - before;
    }
    log_free(&log);
    diag_clear(&d);
    double a = quick(with), b = quick(without), percent = 100 * (a - b) / a;
    bool ok = with[0] >= 0 && percent < MOST_PERCENT;
    const char *name = strrchr(path, '/');
    printf("%-36s %8u %9.3f %9.3f %8.2f %%  %s\n", name ? name + 1 : path, entries, a, b, percent,
           ok ? "ok" : "OVER ITS LIMIT");
    return ok;
}

int main(int argc, char **argv)
{
    ExecList executors;
    executors_default(&executors);
    Session *s = session_new(&executors);
    bool ok = argc > 1;
    printf("%-36s %8s %9s %9s %10s\n", "program", "entries", "with ms", "without", "the log");
    for (int i = 1; i < argc; i++)
        ok &= measure(s, argv[i]);
    session_free(s);
    puts(ok ? "the log is within its limit" : "FAILED: the log takes too much");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
