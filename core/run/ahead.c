/*
 * ahead.c - opening a device, and loading the libraries used there, while something else goes on.
 *
 * Input: executors that will run something before long. Output: an opened device for the first who
 * asks for it. The driver takes longest, so it has a thread of its own; a second one loads what the
 * executors will open there. Nothing of the session is touched by them, and whoever asks waits for
 * both.
 */
#define _GNU_SOURCE
#include "run.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct Opening {
    Arena arena;
    const DeviceDriver *driver;
    Str path, folder; /* of the driver's library, of the others */
    const Executor *executors[MAX_EXECUTORS];
    uint32_t n;
    OpenDevice *dev;
    Diag diag;
    pthread_t opener;
};

static void *load_libraries(void *user)
{
    Opening *o = user;
    for (uint32_t i = 0; i < o->n; i++)
        if (o->executors[i]->ahead)
            o->executors[i]->ahead(o->folder);
    return NULL;
}

static void *open_driver(void *user)
{
    Opening *o = user;
    pthread_t loader;
    if (o->driver->wake)
        o->driver->wake(o->path);
    bool loads = pthread_create(&loader, NULL, load_libraries, o) == 0;
    o->dev = o->driver->open(o->path, &o->diag);
    if (loads)
        pthread_join(loader, NULL);
    return NULL;
}

static Opening *opening_new(Session *s, const Executor *const *executors, uint32_t n)
{
    Opening *o = run_realloc(NULL, sizeof *o);
    *o = (Opening){.driver = NULL};
    for (uint32_t i = 0; i < n && o->n < MAX_EXECUTORS; i++) {
        uint32_t k = 0;
        while (k < o->n && o->executors[k] != executors[i])
            k++;
        if (k == o->n && executors[i]->device)
            o->executors[o->n++] = executors[i];
    }
    o->driver = o->n ? o->executors[0]->device : NULL;
    o->path = arena_str(&o->arena, session_option(s, S("kernel.cuda_driver"), (Str){0}));
    o->folder = arena_str(&o->arena, session_option(s, S("kernel.cuda"), (Str){0}));
    return o;
}

static void opening_free(Opening *o)
{
    diag_clear(&o->diag);
    arena_free(&o->arena);
    free(o);
}

/* Signals are for the threads that were there before. */
void opening_begin(Session *s, const Executor *const *executors, uint32_t n)
{
    if (s->opening || s->devices[0] || s->device_lost)
        return;
    Opening *o = opening_new(s, executors, n);
    if (!o->driver) {
        opening_free(o);
        return;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool opens = pthread_create(&o->opener, NULL, open_driver, o) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (opens)
        s->opening = o;
    else
        opening_free(o);
}

OpenDevice *opening_end(Session *s, const DeviceDriver *driver, Str path, Diag *d)
{
    Opening *o = s->opening;
    s->opening = NULL;
    if (!o)
        return NULL;
    pthread_join(o->opener, NULL);
    OpenDevice *dev = o->dev;
    if (dev && (o->driver != driver || !str_eq(o->path, path) || !driver->enter(dev))) {
        device_unref(dev);
        dev = NULL;
    } else if (!dev && o->driver == driver) {
        diag_move(d, &o->diag);
    }
    opening_free(o);
    return dev;
}

void session_expect_run(Session *s, const Program *p)
{
    const ExecList *l = program_executors(p);
    const Executor *on[MAX_EXECUTORS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n; i++)
        if (l->on[i])
            on[n++] = l->items[i];
    opening_begin(s, on, n);
}
