/*
 * copying.c - how fast the host copies memory: the ceiling of what moves memory.
 *
 * Input: how many bytes a program moves at least. Output: bytes a second, read plus written, of
 * copies in the same class of size: as many bytes where the last cache holds them, else more than
 * any cache. One idea: copies are timed between the runs that they are compared with, with the same
 * threads, since the rate of a shared machine changes from second to second. Each sample copies by
 * way of the caches and past them; the way with the faster median counts.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef THUNDER_HAVE_OPENMP
#include <omp.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
    LINE = 64,
    LEAST_MOVED = 1 << 16,
    SHARED_FROM = 2 << 20, /* bytes that are worth threads */
    MEMORY_MOVED = 256 << 20, /* beyond any cache, or CACHES times the last one */
    MOST_MOVED = 1 << 30,
    CACHES = 4,
    CACHE = 32 << 20, /* where the system does not tell */
};

typedef void Copy(char *to, const char *from, size_t bytes);

static void copy_cached(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

#if defined(__x86_64__)
static void copy_lines(char *to, const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(__m128i))
        _mm_stream_si128((__m128i *)(void *)(to + i),
                         _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
    _mm_sfence();
}

__attribute__((target("avx512f"))) static void copy_wide(char *to, const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(__m512i))
        _mm512_stream_si512((void *)(to + i), _mm512_loadu_si512(from + i));
    _mm_sfence();
}

static Copy *copy_past_caches(void)
{
    return __builtin_cpu_supports("avx512f") ? copy_wide : copy_lines;
}
#else
static Copy *copy_past_caches(void)
{
    return copy_cached;
}
#endif

/* A part of both places for each thread: whole lines. */
static void with_threads(const Copying *c, Copy *copy)
{
#ifdef THUNDER_HAVE_OPENMP
#pragma omp parallel if (c->bytes >= SHARED_FROM)
    {
        size_t n = (size_t)omp_get_num_threads(), i = (size_t)omp_get_thread_num();
        size_t lines = c->bytes / LINE, start = lines * i / n * LINE;
        copy(c->to + start, c->from + start, lines * (i + 1) / n * LINE - start);
    }
#else
    copy(c->to, c->from, c->bytes);
#endif
}

static void clear_both(char *to, const char *from, size_t bytes)
{
    memset(to, 1, bytes);
    memset((char *)(uintptr_t)from, 2, bytes);
}

bool copying_begin(Copying *c, double moved)
{
    long known = sysconf(_SC_LEVEL3_CACHE_SIZE);
    double cache = known > 0 ? (double)known : CACHE;
    if (moved > cache)
        moved = CACHES * cache > MEMORY_MOVED ? CACHES * cache : MEMORY_MOVED;
    moved = moved < LEAST_MOVED ? LEAST_MOVED : moved > MOST_MOVED ? MOST_MOVED : moved;
    *c = (Copying){.bytes = (size_t)(moved / 2) / LINE * LINE};
    c->to = aligned_alloc(LINE, c->bytes);
    c->from = aligned_alloc(LINE, c->bytes);
    bool good = c->to && c->from;
    if (good)
        with_threads(c, clear_both); /* by the threads that will copy it */
    else
        copying_end(c);
    return good;
}

void copying_once(const Copying *c, uint32_t way)
{
    with_threads(c, way == 0 ? copy_cached : copy_past_caches());
}

void copying_sample(Copying *c)
{
    if (c->n == MAX_COPIES)
        return;
    for (uint32_t i = 0; i < COPY_WAYS; i++) {
        uint64_t start = clock_ns();
        copying_once(c, i);
        c->ns[i][c->n] = (double)(clock_ns() - start);
    }
    c->n++;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

double copying_rate(Copying *c)
{
    double rate = 0;
    for (size_t i = 0; i < COPY_WAYS && c->n; i++) {
        qsort(c->ns[i], c->n, sizeof c->ns[i][0], by_size);
        double way = 2 * (double)c->bytes / (c->ns[i][c->n / 2] * 1e-9);
        rate = way > rate ? way : rate;
    }
    return rate;
}

void copying_end(Copying *c)
{
    free(c->to);
    free(c->from);
    *c = (Copying){0};
}
