/*
 * interp_random.c - counter-based random numbers.
 *
 * Input: shape, parameters, seed and offset. Output: the same numbers for the same seed and offset
 * on every executor. The generator is Philox 4x32-10 (Salmon et al., "Parallel random numbers: as
 * easy as 1, 2, 3", 2011): key = seed (low word first), counter = (block number, offset), both 64
 * bits, low word first. A block gives four words; element i takes
 *   - word i % 4 of block i / 4 where 32 bits are enough,
 *   - words 2 (i % 2) and 2 (i % 2) + 1 (high, low) of block i / 2 where 64 bits are needed: f64
 *     uniforms and ranges of integers of 2^32 or more.
 * Uniform: as many leading bits as the dtype's significand has, times a power of two, scaled to the
 * interval. Normal: Box-Muller on words (0, 1) and (2, 3) of block i / 4, cosine first:
 *   r = sqrt(-2 log((w + 1) / 2^32)), angle = 2 pi w' / 2^32.
 * Integer: low + floor(word * range / 2^32), or with 64 bits. The dtype that counts is the one of
 * the program, so that the oracle mode draws the same numbers.
 */
#include "interp.h"

#include <math.h>

enum { ROUNDS = 10 };

typedef struct Draw {
    uint64_t seed, offset;
    DType dtype;
    double a, b; /* minval and maxval, or mean and std */
    int64_t low;
    uint64_t range; /* of integers; 0 = 2^64 */
} Draw;

static void philox(uint64_t block, uint64_t offset, uint64_t seed, uint32_t out[4])
{
    uint32_t c0 = (uint32_t)block, c1 = (uint32_t)(block >> 32);
    uint32_t c2 = (uint32_t)offset, c3 = (uint32_t)(offset >> 32);
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t p0 = (uint64_t)c0 * 0xD2511F53u, p1 = (uint64_t)c2 * 0xCD9E8D57u;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

static uint32_t word32(const Draw *d, int64_t i)
{
    uint32_t w[4];
    philox((uint64_t)i / 4, d->offset, d->seed, w);
    return w[i % 4];
}

static uint64_t word64(const Draw *d, int64_t i)
{
    uint32_t w[4];
    philox((uint64_t)i / 2, d->offset, d->seed, w);
    int at = 2 * (int)(i % 2);
    return (uint64_t)w[at] << 32 | w[at + 1];
}

static double uniform(const Draw *d, int64_t i)
{
    int bits = dtype_info[d->dtype].digits;
    double u = bits > 32 ? ldexp((double)(word64(d, i) >> (64 - bits)), -bits)
                         : ldexp((double)(word32(d, i) >> (32 - bits)), -bits);
    double v = d->a + u * (d->b - d->a);
    /* Rounding must not reach the end of the interval. */
    return dtype_round(v, d->dtype) >= d->b && d->a < d->b
               ? d->a + (u - ldexp(1, -bits)) * (d->b - d->a)
               : v;
}

static double normal(const Draw *d, int64_t i)
{
    uint32_t w[4];
    philox((uint64_t)i / 4, d->offset, d->seed, w);
    int pair = 2 * (int)(i % 4 / 2);
    double r = sqrt(-2 * log(((double)w[pair] + 1) * 0x1p-32));
    double angle = 2 * 3.14159265358979323846 * (double)w[pair + 1] * 0x1p-32;
    return d->a + d->b * r * (i % 2 ? sin(angle) : cos(angle));
}

static int64_t integer(const Draw *d, int64_t i)
{
    uint64_t w;
    if (d->range == 0)
        w = word64(d, i);
    else if (d->range <= UINT32_MAX)
        w = word32(d, i) * d->range >> 32;
    else
        w = (uint64_t)((unsigned __int128)word64(d, i) * d->range >> 64);
    return (int64_t)((uint64_t)d->low + w);
}

static bool read_state(Interp *x, Draw *d)
{
    int64_t seed, offset;
    if (!in_int(x, 5, &seed) || !in_int(x, 6, &offset))
        return false;
    d->seed = (uint64_t)seed;
    d->offset = (uint64_t)offset;
    d->dtype = (DType)out_type(x, 0)->dtype;
    return true;
}

static bool draw_floats(Interp *x, double (*fn)(const Draw *d, int64_t i))
{
    Draw d = {0};
    Walk w;
    if (!in_f64(x, 1, &d.a) || !in_f64(x, 2, &d.b) || !read_state(x, &d))
        return false;
    Tensor *out = out_new(x, 0);
    if (!out)
        return false;
    walk_init(&w, out);
    PARALLEL_FOR(w.numel >= PARALLEL_FROM)
    for (int64_t start = 0; start < w.numel; start += WALK_CHUNK) {
        double buf[WALK_CHUNK];
        int64_t n = w.numel - start < WALK_CHUNK ? w.numel - start : WALK_CHUNK;
        for (int64_t i = 0; i < n && !stopped(x); i++)
            buf[i] = fn(&d, start + i);
        walk_set_f64(&w, start, n, buf);
    }
    return true;
}

bool k_uniform_philox(Interp *x)
{
    return draw_floats(x, uniform);
}

bool k_normal_philox(Interp *x)
{
    return draw_floats(x, normal);
}

bool k_randint_philox(Interp *x)
{
    Draw d = {0};
    Walk w;
    int64_t high;
    if (!in_int(x, 1, &d.low) || !in_int(x, 2, &high) || !read_state(x, &d))
        return false;
    d.range = (uint64_t)high - (uint64_t)d.low;
    Tensor *out = out_new(x, 0);
    if (!out)
        return false;
    walk_init(&w, out);
    PARALLEL_FOR(w.numel >= PARALLEL_FROM)
    for (int64_t start = 0; start < w.numel; start += WALK_CHUNK) {
        int64_t buf[WALK_CHUNK];
        int64_t n = w.numel - start < WALK_CHUNK ? w.numel - start : WALK_CHUNK;
        for (int64_t i = 0; i < n && !stopped(x); i++)
            buf[i] = integer(&d, start + i);
        walk_set_i64(&w, start, n, buf);
    }
    return true;
}
