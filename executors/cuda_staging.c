/* cuda_staging.c - copies through pinned memory, by several threads; see cuda_staging.h. */
#define _GNU_SOURCE
#include "cuda_staging.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    CHUNK = 1 << 20, /* pinning costs more than a copy: half a millisecond for each MiB */
    LARGE = 32 << 20, /* bytes from which on starting threads pays */
    HUGE_PAGE = 2 << 20,
    HOST_PORTABLE_MAPPED = 3,
};

/* One copy, of which each lane takes the next chunk that is left. */
typedef struct Transfer {
    CudaDevice *c;
    const DevicePiece *pieces;
    const size_t *first; /* the number of each piece's first chunk, and behind them nchunks */
    size_t nchunks;
    bool up; /* else what the pieces come from is written */
    atomic_size_t next;
} Transfer;

typedef struct Worker {
    Transfer *t;
    StagingLane *lane;
    pthread_t thread;
    bool started;
    CuResult result;
} Worker;

/* ------------------------------------------------------------------------------------- opening */

static bool open_lane(CudaDevice *c, StagingLane *lane)
{
    for (size_t i = 0; i < STAGING_SLOTS; i++)
        if (!cuda_check(c, c->fn.host_alloc(&lane->data[i], CHUNK, HOST_PORTABLE_MAPPED),
                        "pinning memory") ||
            !cuda_check(c, c->fn.event_create(&lane->passed[i], 0), "making an event"))
            return false;
    return true;
}

bool staging_open(CudaDevice *c)
{
    c->nlanes = 1;
    return open_lane(c, &c->lanes[0]);
}

void staging_close(CudaDevice *c)
{
    for (uint32_t k = 0; k < c->nlanes; k++)
        for (size_t i = 0; i < STAGING_SLOTS; i++) {
            if (c->lanes[k].passed[i])
                c->fn.event_destroy(c->lanes[k].passed[i]);
            if (c->lanes[k].data[i])
                c->fn.host_free(c->lanes[k].data[i]);
        }
    c->nlanes = 0;
}

/* Lanes for a copy of n bytes; false when the driver failed. */
static bool open_lanes(CudaDevice *c, size_t n, uint32_t *lanes)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t most = cpus < 1 ? 1 : cpus < STAGING_LANES ? (uint32_t)cpus : STAGING_LANES;
    *lanes = n >= LARGE ? most : 1;
    while (c->nlanes < *lanes)
        if (!open_lane(c, &c->lanes[c->nlanes++]))
            return false;
    return true;
}

/* ------------------------------------------------------------------------------------- copying */

typedef struct Chunk {
    uint64_t there;
    char *here; /* only read when it is sent */
    size_t n;
} Chunk;

/* A lane's chunks come in order, so it looks for the piece from the last one on. */
static bool next_chunk(Transfer *t, size_t *piece, Chunk *out)
{
    size_t number = atomic_fetch_add(&t->next, 1);
    if (number >= t->nchunks)
        return false;
    while (t->first[*piece + 1] <= number)
        ++*piece;
    const DevicePiece *p = &t->pieces[*piece];
    size_t at = (number - t->first[*piece]) * CHUNK;
    *out = (Chunk){p->to + at, (char *)(uintptr_t)p->from + at,
                   p->n - at < CHUNK ? p->n - at : CHUNK};
    return true;
}

static CuResult send_chunks(Transfer *t, StagingLane *lane)
{
    const CudaFunctions *f = &t->c->fn;
    size_t piece = 0;
    Chunk k;
    CuResult r = 0;
    while (r == 0 && next_chunk(t, &piece, &k)) {
        uint32_t slot = lane->turn++ % STAGING_SLOTS;
        r = f->event_wait(lane->passed[slot]);
        if (r != 0)
            break;
        memcpy(lane->data[slot], k.here, k.n);
        r = f->to_device(k.there, lane->data[slot], k.n, t->c->stream);
        if (r == 0)
            r = f->event_record(lane->passed[slot], t->c->stream);
    }
    return r;
}

/* While one chunk is on its way the one before it is copied out. */
static CuResult fetch_chunks(Transfer *t, StagingLane *lane)
{
    const CudaFunctions *f = &t->c->fn;
    size_t piece = 0;
    Chunk k[STAGING_SLOTS] = {0};
    CuResult r = 0;
    for (uint32_t idle = 0; r == 0 && idle < STAGING_SLOTS;) {
        uint32_t slot = lane->turn++ % STAGING_SLOTS;
        if (k[slot].n) {
            r = f->event_wait(lane->passed[slot]);
            if (r == 0)
                memcpy(k[slot].here, lane->data[slot], k[slot].n);
            k[slot].n = 0;
        }
        if (r != 0 || !next_chunk(t, &piece, &k[slot])) {
            idle++;
            continue;
        }
        r = f->event_wait(lane->passed[slot]); /* it may still be on its way there */
        if (r == 0)
            r = f->to_host(lane->data[slot], k[slot].there, k[slot].n, t->c->stream);
        if (r == 0)
            r = f->event_record(lane->passed[slot], t->c->stream);
    }
    return r;
}

static void *work(void *user)
{
    Worker *w = user;
    if (w->started)
        w->result = w->t->c->fn.context_set(w->t->c->context);
    if (w->result == 0)
        w->result = w->t->up ? send_chunks(w->t, w->lane) : fetch_chunks(w->t, w->lane);
    return NULL;
}

static bool by_lanes(Transfer *t, size_t bytes, const char *what)
{
    CudaDevice *c = t->c;
    Worker workers[STAGING_LANES] = {0};
    uint32_t lanes;
    if (!open_lanes(c, bytes, &lanes))
        return false;
    for (uint32_t i = lanes; i-- > 0;) {
        workers[i] = (Worker){.t = t, .lane = &c->lanes[i], .started = i > 0};
        if (i > 0 && pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            workers[i].started = false; /* the others take its share */
    }
    work(&workers[0]);
    bool good = cuda_check(c, workers[0].result, what);
    for (uint32_t i = 1; i < lanes; i++) {
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
        good = cuda_check(c, workers[i].result, what) && good;
    }
    return good;
}

static bool transfer(CudaDevice *c, const DevicePiece *pieces, size_t n, bool up)
{
    size_t *first = calloc(n + 1, sizeof *first), bytes = 0;
    if (!first)
        abort();
    for (size_t i = 0; i < n; i++) {
        first[i + 1] = first[i] + (pieces[i].n + CHUNK - 1) / CHUNK;
        bytes += pieces[i].n;
    }
    Transfer t = {.c = c, .pieces = pieces, .first = first, .nchunks = first[n], .up = up};
    bool good = by_lanes(&t, bytes, up ? "sending data" : "fetching data");
    free(first);
    return good;
}

bool cuda_upload(OpenDevice *dev, const DevicePiece *pieces, size_t n)
{
    return transfer(cuda_of(dev), pieces, n, true);
}

/* Memory that nobody has touched yet is there faster in large pages; when not, nothing is lost. */
static void prefer_large_pages(void *p, size_t n)
{
    uintptr_t first = ((uintptr_t)p + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    uintptr_t end = ((uintptr_t)p + n) / HUGE_PAGE * HUGE_PAGE;
    if (end > first)
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
}

bool cuda_download(OpenDevice *dev, void *to, uint64_t from, size_t n)
{
    if (n >= LARGE)
        prefer_large_pages(to, n);
    return transfer(cuda_of(dev), &(DevicePiece){from, to, n}, 1, false);
}
