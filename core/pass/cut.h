/*
 * cut.h - the smallest cut of a flow network.
 *
 * Dinic's algorithm: E. A. Dinits, "Algorithm for solution of a problem of maximum flow in networks
 * with power estimation", Soviet Mathematics Doklady 11 (1970). Phases of shortest augmenting
 * paths; on the shallow networks of a program a few phases do.
 */
#ifndef THUNDER_CUT_H
#define THUNDER_CUT_H

#include "arena.h"

#include <stdint.h>

#define CUT_NEVER (INT64_MAX / 4) /* the capacity of an edge that no cut may go through */

typedef struct CutEdge {
    uint32_t to, next; /* next edge from the same vertex + 1; 0 = the last */
    int64_t room;      /* what more can flow */
} CutEdge;

typedef struct Cut {
    CutEdge *edges; /* edge e and its reverse e ^ 1 */
    uint32_t n, cap;
    uint32_t nvertices;
    uint32_t *first; /* by vertex: its first edge + 1 */
    uint32_t *level, *now, *queue;
} Cut;

void cut_init(Cut *c, uint32_t nvertices);
void cut_free(Cut *c);
void cut_edge(Cut *c, uint32_t from, uint32_t to, int64_t capacity);
/* The largest flow, which is the weight of the smallest cut. */
int64_t cut_solve(Cut *c, uint32_t source, uint32_t sink);
/* After cut_solve: sink_side[v] is true for the vertices behind the smallest cut that lies nearest
 * to the sink. */
void cut_sides(Cut *c, uint32_t sink, bool *sink_side);

#endif
