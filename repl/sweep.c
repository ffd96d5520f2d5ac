/*
 * sweep.c - the search of sweep over one range; see sweep.h.
 */
#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------- places */

static double place(const Range *r, double fraction)
{
    if (r->whole)
        return floor(r->from + fraction * (r->to - r->from) + 0.5);
    return exp(log(r->from) + fraction * (log(r->to) - log(r->from)));
}

static double fraction_of(const Range *r, double at)
{
    if (r->to == r->from)
        return 0;
    return r->whole ? (at - r->from) / (r->to - r->from)
                    : (log(at) - log(r->from)) / (log(r->to) - log(r->from));
}

static double between(const Range *r, double a, double b)
{
    return r->whole ? floor((a + b) / 2) : sqrt(a * b);
}

static bool is_close(const Range *r, double a, double b)
{
    return r->whole ? b - a <= 1 : b / a <= 1.01;
}

/* The number i in base two with its digits behind the point reversed: every prefix of the sequence
 * is spread evenly. */
static double spread(uint32_t i)
{
    double x = 0, half = 0.5;
    for (; i; i >>= 1, half /= 2)
        x += i & 1 ? half : 0;
    return x;
}

/* --------------------------------------------------------------------------------------- trying */

static uint32_t place_in(const Search *s, double at)
{
    uint32_t low = 0, high = s->n;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (s->tried[mid].at < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Tries a point unless that was done before; false when it was, or the search is to stop. */
static bool try_point(Search *s, double at, TryFn *fn, void *user)
{
    uint32_t i = place_in(s, at);
    if (s->stopped || (i < s->n && s->tried[i].at == at))
        return false;
    Tried t = {.at = at, .measure = NAN};
    if (!fn(user, at, &t.outcome, &t.measure)) {
        s->stopped = true;
        return false;
    }
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->tried = realloc(s->tried, s->cap * sizeof *s->tried);
        if (!s->tried)
            abort();
    }
    memmove(&s->tried[i + 1], &s->tried[i], (s->n - i) * sizeof *s->tried);
    s->tried[i] = t;
    s->n++;
    return true;
}

/* From coarse to fine; returns how many were tried. */
static uint32_t scatter(Search *s, uint32_t points, TryFn *fn, void *user)
{
    double all = s->range.whole ? s->range.to - s->range.from + 1 : INFINITY;
    uint32_t n = (uint32_t)try_point(s, s->range.from, fn, user);
    n += try_point(s, s->range.to, fn, user);
    for (uint32_t i = 1; n < points && n < all && i < 64 * points && !s->stopped; i++)
        n += try_point(s, place(&s->range, spread(i)), fn, user);
    for (double at = s->range.from; n < points && n < all && !s->stopped; at++)
        n += try_point(s, at, fn, user); /* what rounding left out of a short range */
    return n;
}

/* Halves every gap between neighbours of another outcome. */
static void close_gaps(Search *s, TryFn *fn, void *user)
{
    for (uint32_t i = 0; i + 1 < s->n && !s->stopped;) {
        const Tried *a = &s->tried[i], *b = &s->tried[i + 1];
        bool gap = a->outcome != b->outcome && a->outcome && b->outcome;
        if (!gap || is_close(&s->range, a->at, b->at) ||
            !try_point(s, between(&s->range, a->at, b->at), fn, user))
            i++;
    }
}

void search_run(Search *s, uint32_t points, uint64_t seed, TryFn *fn, void *user)
{
    scatter(s, points, fn, user);
    uint64_t state = seed * 6364136223846793005u + 1442695040888963407u;
    for (uint32_t i = 0; i < points / 8 && !s->stopped; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        try_point(s, place(&s->range, (double)(state >> 11) * 0x1p-53), fn, user);
    }
    close_gaps(s, fn, user);
}

void search_free(Search *s)
{
    free(s->tried);
    *s = (Search){0};
}

/* -------------------------------------------------------------------------------------- results */

uint32_t search_intervals(const Search *s, Interval *out, uint32_t max)
{
    uint32_t n = 0;
    bool inside = false;
    for (uint32_t i = 0; i < s->n; i++) {
        const Tried *t = &s->tried[i];
        if (t->outcome == POINT_good)
            inside = false;
        if (t->outcome != POINT_bad)
            continue;
        if (!inside && n++ < max)
            out[n - 1] = (Interval){.from = t->at, .open_from = i == 0};
        inside = true;
        if (n <= max) {
            out[n - 1].to = t->at;
            out[n - 1].open_to = i + 1 == s->n;
            out[n - 1].bad++;
        }
    }
    return n < max ? n : max;
}

enum { MAX_CELLS = 200 };

void search_chart(const Search *s, uint32_t columns, StrBuf *outcomes, StrBuf *bars)
{
    static const char *const heights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    bool good[MAX_CELLS] = {0}, bad[MAX_CELLS] = {0}, unknown[MAX_CELLS] = {0};
    double most[MAX_CELLS], low = INFINITY, high = 0;
    columns = columns < 1 ? 1 : columns > MAX_CELLS ? MAX_CELLS : columns;
    for (uint32_t i = 0; i < columns; i++)
        most[i] = -1;
    for (uint32_t i = 0; i < s->n; i++) {
        const Tried *t = &s->tried[i];
        uint32_t at = (uint32_t)(fraction_of(&s->range, t->at) * (columns - 1) + 0.5);
        good[at] |= t->outcome == POINT_good;
        bad[at] |= t->outcome == POINT_bad;
        unknown[at] |= t->outcome == POINT_unknown;
        if (isnan(t->measure))
            continue;
        double m = isinf(t->measure) ? 1e300 : t->measure;
        most[at] = m > most[at] ? m : most[at];
        low = m > 0 && m < low ? m : low;
        high = m > high ? m : high;
    }
    for (uint32_t i = 0; i < columns; i++)
        sb_putc(outcomes, good[i] && bad[i] ? '+' : bad[i] ? '#' : good[i] ? '-' : unknown[i] ? '?'
                                                                                         : '.');
    if (high <= 0)
        return;
    for (uint32_t i = 0; i < columns; i++) {
        double h = most[i] <= 0 || high == low ? 0 : log(most[i] / low) / log(high / low);
        sb_puts(bars, most[i] < 0 ? " " : heights[(int)(h * 7 + 0.5)]);
    }
}
