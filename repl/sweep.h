/*
 * sweep.h - a search over sizes, dtypes, magnitudes and seeds: the points, and what was found.
 *
 * Axes are ranges or lists. One range is searched for each combination of the lists: from coarse to
 * fine, then by halving between a point that holds and one that fails. sweep.c is arithmetic only;
 * cmd_sweep.c makes programs of points and runs the command on them.
 */
#ifndef THUNDER_SWEEP_H
#define THUNDER_SWEEP_H

#include "arena.h"

typedef enum Outcome { POINT_unknown, POINT_good, POINT_bad } Outcome;

typedef struct Tried {
    double at;
    Outcome outcome;
    double measure; /* NAN = none */
} Tried;

typedef struct Range {
    double from, to;
    bool whole; /* whole numbers; else magnitudes, searched by their logarithm */
} Range;

typedef struct Search {
    Range range;
    Tried *tried; /* ascending */
    uint32_t n, cap;
    bool stopped;
} Search;

/* Runs point `at`; false when the search must stop. */
typedef bool TryFn(void *user, double at, Outcome *outcome, double *measure);

/* Tries at most `points` points of the range, ends first; where neighbours differ, halves the gap
 * until it is closed (of magnitudes: to one percent), then a few drawn from seed inside and outside
 * of what fails. */
void search_run(Search *s, uint32_t points, uint64_t seed, TryFn *fn, void *user);
void search_free(Search *s);

/* The intervals between tried points that fail: from and to are the outermost ones that do. */
typedef struct Interval {
    double from, to;
    bool open_from, open_to; /* the range ends there: it may go on */
    uint32_t bad;            /* points in it */
} Interval;
uint32_t search_intervals(const Search *s, Interval *out, uint32_t max);
/* A line of `columns` cells: '-' holds, '#' fails, '?' cannot tell, '+' both, '.' not tried; and
 * one of bars for the measures ("" when there are none). */
void search_chart(const Search *s, uint32_t columns, StrBuf *outcomes, StrBuf *bars);

#endif
