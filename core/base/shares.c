/* shares.c - threads that take one part after the other; see shares.h. */
#define _GNU_SOURCE
#include "shares.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

enum { MAX_THREADS = 16 };

typedef struct Shares {
    size_t n, each;
    atomic_size_t next;
    void (*part)(void *user, size_t from, size_t to);
    void *user;
} Shares;

static void *work(void *user)
{
    Shares *s = user;
    for (;;) {
        size_t from = atomic_fetch_add(&s->next, s->each);
        if (from >= s->n)
            return NULL;
        s->part(s->user, from, s->n - from < s->each ? s->n : from + s->each);
    }
}

void share_work(size_t n, size_t each, void (*part)(void *user, size_t from, size_t to),
                void *user)
{
    Shares s = {.n = n, .each = each, .part = part, .user = user};
    size_t parts = n / each + (n % each != 0);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = cpus < 1 ? 1 : cpus > MAX_THREADS ? MAX_THREADS : (size_t)cpus;
    pthread_t threads[MAX_THREADS];
    bool started[MAX_THREADS] = {false};
    for (size_t i = 1; i < most && i < parts; i++)
        started[i] = pthread_create(&threads[i], NULL, work, &s) == 0;
    work(&s);
    for (size_t i = 1; i < most; i++)
        if (started[i])
            pthread_join(threads[i], NULL);
}
