/*
 * draw.c - uniform and normal numbers, by their number; see draw.h.
 *
 * The generator is splitmix64, whose n-th output is a function of n. Normal numbers come in pairs
 * from two uniform ones (Box and Muller). Logarithm, sine and cosine are written out, without
 * branches, so that loops over them become vector code.
 */
#include "draw.h"

#include "cpu.h"
#include "elements.h"
#include "shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = WALK_CHUNK, EACH = 64 * BLOCK }; /* elements at a time; of a thread's share */

static inline uint64_t bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double of_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline uint64_t output(uint64_t state, uint64_t n)
{
    uint64_t z = state + (n + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* In [0, 1), of 53 bits: their halves become doubles by way of exponents that make them whole. */
static inline double uniform(uint64_t bits)
{
    uint64_t n = bits >> 11;
    double high = of_bits(0x4530000000000000u | n >> 32) - 0x1p84;
    double low = of_bits(0x4330000000000000u | (n & 0xffffffffu)) - 0x1p52;
    return (high + low) * 0x1p-53;
}

/* The logarithm of a normal number, by that of a mantissa m between sqrt(1/2) and sqrt(2): a series
 * of (m - 1) / (m + 1), whose square is below 0.0295. */
static inline double natural_log(double x)
{
    static const uint64_t root = 0x3fe6a09e667f3bcd; /* sqrt(1/2) */
    uint64_t up = (bits_of(x) - root + (UINT64_C(1024) << 52)) >> 52;
    double k = of_bits(0x4330000000000000u | up) - (0x1p52 + 1024);
    double f = of_bits(bits_of(x) - ((up - 1024) << 52)) - 1;
    double s = f / (2 + f), z = s * s, half = 0.5 * f * f, r = 0;
    for (int i = 23; i >= 3; i -= 2)
        r = 2.0 / i + z * r;
    r = s * (half + z * r) + k * 0x1.a39ef35793c76p-33; /* log 2 in two parts */
    return k * 0x1.62e42feep-1 - ((half - r) - f);
}

/* Cosine and sine of `turns` whole turns, by their series within an eighth of one. */
static inline void on_circle(double turns, double *cosine, double *sine)
{
    double shifted = 4 * turns + 0x1.8p52; /* its last bits: the nearest quarter */
    uint64_t quarter = bits_of(shifted);
    double x = (4 * turns - (shifted - 0x1.8p52)) * 0x1.921fb54442d18p+0, z = x * x;
    double s = 1, c = 1;
    for (int i = 17; i >= 3; i -= 2)
        s = 1 - z * (1.0 / (i * (i - 1))) * s;
    for (int i = 16; i >= 4; i -= 2)
        c = 1 - z * (1.0 / (i * (i - 1))) * c;
    s = x * s;
    c = 1 - 0.5 * z * c;
    uint64_t odd = 0 - (quarter & 1), differ = (bits_of(s) ^ bits_of(c)) & odd;
    *cosine = of_bits((bits_of(c) ^ differ) ^ (((quarter + 1) & 2) << 62));
    *sine = of_bits((bits_of(s) ^ differ) ^ ((quarter & 2) << 62));
}

VECTORISED static void draw_uniform(uint64_t state, uint64_t first, int64_t n, double *out)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = uniform(output(state, first + (uint64_t)i));
}

/* n numbers from an even one on; n is even. */
VECTORISED static void draw_normal(uint64_t state, uint64_t first, int64_t n, double *out)
{
    for (int64_t i = 0; i < n; i += 2) {
        double u = uniform(output(state, first + (uint64_t)i)), cosine, sine;
        on_circle(uniform(output(state, first + (uint64_t)i + 1)), &cosine, &sine);
        double radius = sqrt(-2 * natural_log(1 - u));
        out[i] = radius * cosine;
        out[i + 1] = radius * sine;
    }
}

VECTORISED static void draw_floats(const Draw *d, uint64_t first, int64_t n, double *out)
{
    if (d->uniform)
        draw_uniform(d->state, first, n, out);
    else
        draw_normal(d->state, first, n + n % 2, out);
    for (int64_t i = 0; i < n; i++)
        out[i] = d->base + d->scale * (d->positive ? fabs(out[i]) : out[i]);
}

static void draw_integers(const Draw *d, DType dtype, uint64_t first, int64_t n, int64_t *out)
{
    bool coin = dtype_info[dtype].category == CAT_BOOL;
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = output(d->state, first + (uint64_t)i);
        out[i] = coin ? (int64_t)(bits >> 63)
                      : d->least + (int64_t)(uniform(bits) * (double)(d->most - d->least));
    }
}

/* Elements from .. from + n of a draw's tensor. */
static void fill_block(const Draw *d, size_t from, int64_t n)
{
    double floats[2 * BLOCK];
    int64_t integers[BLOCK];
    DType dtype = d->t->dtype;
    void *at = (char *)tensor_data(d->t) + from * dtype_info[dtype].bytes;
    switch (dtype_info[dtype].category) {
    case CAT_BOOL:
    case CAT_INT:
        draw_integers(d, dtype, from, n, integers);
        run_set_i64(at, dtype, 1, n, integers);
        break;
    case CAT_FLOAT:
        draw_floats(d, from, n, floats);
        run_set_f64(at, dtype, 1, n, floats);
        break;
    default:
        draw_floats(d, 2 * from, 2 * n, floats);
        run_set_c128(at, dtype, 1, n, floats);
        break;
    }
}

/* Shares are numbered through all draws: draw i has those from first[i] on. */
typedef struct Shares {
    const Draw *draws;
    size_t *first;
} Shares;

static void fill_shares(void *user, size_t from, size_t to)
{
    const Shares *s = user;
    size_t i = 0;
    for (size_t share = from; share < to; share++) {
        while (s->first[i + 1] <= share)
            i++;
        size_t start = (share - s->first[i]) * EACH, all = (size_t)tensor_numel(s->draws[i].t);
        size_t end = all - start < EACH ? all : start + EACH;
        for (size_t at = start; at < end; at += BLOCK)
            fill_block(&s->draws[i], at, (int64_t)(end - at < BLOCK ? end - at : BLOCK));
    }
}

void draw_all(const Draw *draws, size_t n)
{
    Shares s = {draws, calloc(n + 1, sizeof *s.first)};
    if (!s.first)
        abort();
    for (size_t i = 0; i < n; i++)
        s.first[i + 1] = s.first[i] + ((size_t)tensor_numel(draws[i].t) + EACH - 1) / EACH;
    share_work(s.first[n], 1, fill_shares, &s);
    free(s.first);
}
