/*
 * copying.c - how fast the host copies memory: the ceiling of what moves memory.
 *
 * Input: how many bytes a program reads and writes at least. Output: bytes a second, read plus
 * written, of copies of just that: as many bytes are copied as both have, and what one has more is
 * only read, or only written. One idea: what a program reaches is compared with the same bytes, in
 * the same mix, with the same threads, between its runs, since all of these change the rate, and
 * the rate of a shared machine changes from second to second. Each sample copies by way of the
 * caches and past them, on memory that was just copied, as a program's is; the way with the faster
 * median counts.
 */
#include "run.h"

#include "numbers.h"

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

/* One way to move memory. Bytes are whole lines. */
typedef struct Way {
    void (*copy)(char *to, const char *from, size_t bytes);
    void (*read)(const char *from, size_t bytes);
    void (*write)(char *to, size_t bytes);
} Way;

static void copy_cached(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

static void write_cached(char *to, size_t bytes)
{
    memset(to, 1, bytes);
}

#if defined(__x86_64__)
/* What is read is used, or it would not be. */
static void read_lines(const char *from, size_t bytes)
{
    __m128i any = _mm_setzero_si128();
    for (size_t i = 0; i < bytes; i += sizeof any)
        any = _mm_or_si128(any, _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
    __asm__ volatile("" : : "x"(any));
}

static void copy_lines(char *to, const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(__m128i))
        _mm_stream_si128((__m128i *)(void *)(to + i),
                         _mm_loadu_si128((const __m128i *)(const void *)(from + i)));
    _mm_sfence();
}

static void write_lines(char *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(__m128i))
        _mm_stream_si128((__m128i *)(void *)(to + i), _mm_set1_epi8(1));
    _mm_sfence();
}

#define WIDE __attribute__((target("avx512f")))

WIDE static void read_wide(const char *from, size_t bytes)
{
    __m512i any = _mm512_setzero_si512(), other = any;
    size_t i = 0;
    for (; i + 2 * sizeof any <= bytes; i += 2 * sizeof any) {
        any = _mm512_or_si512(any, _mm512_loadu_si512(from + i));
        other = _mm512_or_si512(other, _mm512_loadu_si512(from + i + sizeof any));
    }
    __asm__ volatile("" : : "v"(any), "v"(other));
}

WIDE static void copy_wide(char *to, const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(__m512i))
        _mm512_stream_si512((void *)(to + i), _mm512_loadu_si512(from + i));
    _mm_sfence();
}

WIDE static void write_wide(char *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += sizeof(__m512i))
        _mm512_stream_si512((void *)(to + i), _mm512_set1_epi32(0x01010101));
    _mm_sfence();
}

/* By way of the caches (0), and past them. */
static Way way_of(uint32_t number)
{
    bool wide = __builtin_cpu_supports("avx512f");
    if (number == 0)
        return (Way){copy_cached, wide ? read_wide : read_lines, write_cached};
    return wide ? (Way){copy_wide, read_wide, write_wide}
                : (Way){copy_lines, read_lines, write_lines};
}
#else
static void read_lines(const char *from, size_t bytes)
{
    volatile uint64_t used;
    uint64_t any = 0, word;
    for (size_t i = 0; i < bytes; i += sizeof word) {
        memcpy(&word, from + i, sizeof word);
        any |= word;
    }
    used = any;
    (void)used;
}

static Way way_of(uint32_t number)
{
    (void)number;
    return (Way){copy_cached, read_lines, write_cached};
}
#endif

/* Part i of n of a place: whole lines. */
typedef struct Part {
    size_t start, bytes;
} Part;

static Part part_of(size_t from, size_t to, size_t i, size_t n)
{
    size_t lines = (to - from) / LINE, first = lines * i / n;
    return (Part){from + first * LINE, (lines * (i + 1) / n - first) * LINE};
}

/* What one of n threads does. */
static void move_part(const Copying *c, const Way *way, size_t i, size_t n)
{
    size_t both = c->read < c->written ? c->read : c->written;
    Part copied = part_of(0, both, i, n);
    Part read = part_of(both, c->read, i, n), written = part_of(both, c->written, i, n);
    way->copy(c->to + copied.start, c->from + copied.start, copied.bytes);
    if (c->read > both)
        way->read(c->from + read.start, read.bytes);
    if (c->written > both)
        way->write(c->to + written.start, written.bytes);
}

typedef void PartFn(const Copying *c, const Way *way, size_t i, size_t n);

/* Memory belongs to who touches it first: those who will copy it. */
static void touch_part(const Copying *c, const Way *way, size_t i, size_t n)
{
    Part from = part_of(0, c->read, i, n), to = part_of(0, c->written, i, n);
    way->write(c->from + from.start, from.bytes);
    way->write(c->to + to.start, to.bytes);
}

static void with_threads(const Copying *c, const Way *way, PartFn *part)
{
#ifdef THUNDER_HAVE_OPENMP
#pragma omp parallel if (c->read + c->written >= SHARED_FROM)
    part(c, way, (size_t)omp_get_thread_num(), (size_t)omp_get_num_threads());
#else
    part(c, way, 0, 1);
#endif
}

void copying_once(const Copying *c, uint32_t number)
{
    Way way = way_of(number);
    with_threads(c, &way, move_part);
}

double copying_large(void)
{
    long known = sysconf(_SC_LEVEL3_CACHE_SIZE);
    double cache = CACHES * (known > 0 ? (double)known : CACHE);
    return cache > MEMORY_MOVED ? cache : MEMORY_MOVED;
}

static size_t whole_lines(double bytes)
{
    return (size_t)(bytes / LINE) * LINE;
}

bool copying_begin(Copying *c, double read, double written)
{
    double moved = read + written, most = moved > MOST_MOVED ? MOST_MOVED / moved : 1;
    if (moved < LEAST_MOVED)
        read = written = LEAST_MOVED / 2;
    *c = (Copying){.read = whole_lines(read * most), .written = whole_lines(written * most)};
    const int64_t sizes[] = {(int64_t)c->written + LINE, (int64_t)c->read + LINE};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
        c->memory[i] = tensor_new(DT_u8, (Device){DEV_cpu, 0}, 1, &sizes[i]);
    if (!c->memory[0] || !c->memory[1]) {
        copying_end(c);
        return false;
    }
    c->to = tensor_data(c->memory[0]);
    c->from = tensor_data(c->memory[1]);
    Way way = way_of(0);
    with_threads(c, &way, touch_part);
    return true;
}

void copying_sample(Copying *c)
{
    if (c->n == MAX_COPIES)
        return;
    for (uint32_t i = 0; i < COPY_WAYS; i++) {
        copying_once(c, i);
        uint64_t start = clock_ns();
        copying_once(c, i);
        c->ns[i][c->n] = (double)(clock_ns() - start);
    }
    c->n++;
}

double copying_rate(Copying *c)
{
    double rate = 0;
    for (size_t i = 0; i < COPY_WAYS && c->n; i++) {
        qsort(c->ns[i], c->n, sizeof c->ns[i][0], order_of_doubles);
        double way = (double)(c->read + c->written) / (c->ns[i][c->n / 2] * 1e-9);
        rate = way > rate ? way : rate;
    }
    return rate;
}

void copying_end(Copying *c)
{
    for (size_t i = 0; i < ARRAY_LEN(c->memory); i++)
        tensor_unref(c->memory[i]);
    *c = (Copying){0};
}
