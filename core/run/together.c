/*
 * together.c - parts of a loop at the same time.
 *
 * Input: how many parts there are, and what to do with one. Output: all are done. Threads of its
 * own, since the pool of a thread in which a kernel crashed hangs (guard.h).
 */
#define _GNU_SOURCE
#include "run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MAX_THREADS = 16 };

typedef struct Work {
    uint32_t n;
    atomic_uint next;
    void (*part)(void *user, uint32_t k);
    void *user;
} Work;

static void *take_parts(void *user)
{
    Work *w = user;
    for (uint32_t k; (k = atomic_fetch_add(&w->next, 1)) < w->n;)
        w->part(w->user, k);
    return NULL;
}

void run_together(uint32_t n, void (*part)(void *user, uint32_t k), void *user)
{
    Work w = {.n = n, .part = part, .user = user};
    pthread_t threads[MAX_THREADS];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t made = 0;
    while (made + 1 < cores && made < MAX_THREADS && made + 1 < n &&
           pthread_create(&threads[made], NULL, take_parts, &w) == 0)
        made++;
    take_parts(&w);
    for (uint32_t i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
}
