/* log.c - the rule log; see log.h. */
#define _POSIX_C_SOURCE 200809L
#include "log.h"

#include <stdlib.h>
#include <time.h>

uint32_t log_add(RuleLog *log, RuleEntry e)
{
    if (log->n == log->cap) {
        uint32_t cap = log->cap ? log->cap * 2 : 256;
        RuleEntry *p = realloc(log->entries, cap * sizeof *p);
        if (!p)
            abort();
        log->entries = p;
        log->cap = cap;
    }
    e.ns = clock_ns();
    log->entries[log->n] = e;
    return log->n++;
}

void log_free(RuleLog *log)
{
    free(log->entries);
    arena_free(&log->arena);
    *log = (RuleLog){0};
}

uint64_t clock_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}
