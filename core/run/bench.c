/*
 * bench.c - how long a stage takes, beside how fast this machine copies memory.
 *
 * Input: a stage and its bound inputs. Output: times of many runs, bytes and FLOPs from its types,
 * and the measured copy rate, in one place so that both sides come from one machine and session.
 */
#define _GNU_SOURCE
#include "run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COPY_BYTES = 128 << 20, COPY_ROUNDS = 7, MAX_COPIERS = 64, MAX_TIMES = 100000 };

typedef struct Copier {
    pthread_t thread;
    bool started;
    char *to;
    const char *from;
    size_t bytes;
} Copier;

static void *copy_part(void *user)
{
    const Copier *c = user;
    memcpy(c->to, c->from, c->bytes);
    return NULL;
}

/* One copy with all processors; nanoseconds. */
static uint64_t copy_once(char *to, const char *from, uint32_t n)
{
    Copier c[MAX_COPIERS] = {0};
    size_t part = COPY_BYTES / n;
    uint64_t start = clock_ns();
    for (uint32_t i = 0; i < n; i++) {
        c[i] = (Copier){.to = to + i * part, .from = from + i * part, .bytes = part};
        c[i].started = i + 1 < n && pthread_create(&c[i].thread, NULL, copy_part, &c[i]) == 0;
        if (!c[i].started)
            copy_part(&c[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        if (c[i].started)
            pthread_join(c[i].thread, NULL);
    return clock_ns() - start;
}

/* The best of some copies of memory larger than any cache. */
static double measure_copy(void)
{
    char *a = malloc(COPY_BYTES), *b = malloc(COPY_BYTES);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t n = cpus < 1 ? 1 : cpus > MAX_COPIERS ? MAX_COPIERS : (uint32_t)cpus;
    uint64_t best = UINT64_MAX;
    if (a && b) {
        memset(a, 1, COPY_BYTES);
        memset(b, 2, COPY_BYTES);
        for (int i = 0; i < COPY_ROUNDS; i++) {
            uint64_t ns = copy_once(b, a, n);
            best = ns < best ? ns : best;
        }
    }
    free(a);
    free(b);
    return best == UINT64_MAX ? 0 : 2.0 * COPY_BYTES / ((double)best * 1e-9);
}

static int by_time(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool run_once(Session *s, Program *p, const Stage *st, double *ms, Diag *d)
{
    Run run = {0};
    uint64_t start = clock_ns();
    if (!session_run(s, p, st, NULL, &run, d))
        return false;
    run_free(&run);
    *ms = (double)(clock_ns() - start) * 1e-6;
    return true;
}

bool session_bench(Session *s, Program *p, const Stage *st, double seconds, BenchResult *out,
                   Diag *d)
{
    double ms, total = 0, *times = run_realloc(NULL, MAX_TIMES * sizeof *times);
    *out = (BenchResult){0};
    bool good = run_once(s, p, st, &ms, d);
    out->first_s = good ? ms * 1e-3 : 0;
    while (good && out->n < MAX_TIMES && (out->n < 5 || total < seconds * 1e3)) {
        good = run_once(s, p, st, &ms, d);
        times[out->n++] = ms;
        total += ms;
    }
    if (good) {
        qsort(times, out->n, sizeof *times, by_time);
        out->median_ms = times[out->n / 2];
        out->p10_ms = times[out->n / 10];
        out->p90_ms = times[(uint32_t)((uint64_t)out->n * 9 / 10)];
        Cost c = trace_cost(st->trace);
        out->bytes = c.bytes_moved;
        out->least = c.bytes_least;
        out->flops = c.flops;
        if (s->copy_rate <= 0)
            s->copy_rate = measure_copy();
        out->copy_rate = s->copy_rate;
    }
    free(times);
    return good;
}
