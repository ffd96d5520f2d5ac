/* cut.c - the smallest cut of a flow network; see cut.h. */
#include "cut.h"

#include <stdlib.h>
#include <string.h>

void cut_init(Cut *c, uint32_t nvertices)
{
    size_t bytes = nvertices * sizeof(uint32_t);
    *c = (Cut){.nvertices = nvertices};
    c->first = memset(mem_resize(NULL, bytes), 0, bytes);
    c->level = mem_resize(NULL, bytes);
    c->now = mem_resize(NULL, bytes);
    c->queue = mem_resize(NULL, bytes);
}

void cut_free(Cut *c)
{
    free(c->edges);
    free(c->first);
    free(c->level);
    free(c->now);
    free(c->queue);
}

static void half_edge(Cut *c, uint32_t from, uint32_t to, int64_t room)
{
    if (c->n == c->cap) {
        c->cap = c->cap ? 2 * c->cap : 256;
        c->edges = mem_resize(c->edges, c->cap * sizeof *c->edges);
    }
    c->edges[c->n] = (CutEdge){to, c->first[from], room};
    c->first[from] = ++c->n;
}

void cut_edge(Cut *c, uint32_t from, uint32_t to, int64_t capacity)
{
    half_edge(c, from, to, capacity);
    half_edge(c, to, from, 0);
}

/* Distances from the source; false when the sink is out of reach. */
static bool find_levels(Cut *c, uint32_t source, uint32_t sink)
{
    uint32_t head = 0, tail = 0;
    memset(c->level, 0, c->nvertices * sizeof *c->level);
    c->level[source] = 1;
    c->queue[tail++] = source;
    while (head < tail && !c->level[sink]) {
        uint32_t v = c->queue[head++];
        for (uint32_t e = c->first[v]; e; e = c->edges[e - 1].next) {
            const CutEdge *edge = &c->edges[e - 1];
            if (edge->room <= 0 || c->level[edge->to])
                continue;
            c->level[edge->to] = c->level[v] + 1;
            c->queue[tail++] = edge->to;
        }
    }
    return c->level[sink] != 0;
}

/* Sends what fits along the path of edges queue[0 .. n); returns how much. */
static int64_t send(Cut *c, uint32_t n)
{
    int64_t most = INT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        int64_t room = c->edges[c->queue[i]].room;
        most = room < most ? room : most;
    }
    for (uint32_t i = 0; i < n; i++) {
        c->edges[c->queue[i]].room -= most;
        c->edges[c->queue[i] ^ 1].room += most;
    }
    return most;
}

/* How many edges of the path come before the first one that is full. */
static uint32_t first_full(const Cut *c, uint32_t n)
{
    uint32_t i = 0;
    while (i < n && c->edges[c->queue[i]].room > 0)
        i++;
    return i;
}

/* All shortest paths, found by going forward one level at a time and back from dead ends. */
static int64_t one_phase(Cut *c, uint32_t source, uint32_t sink)
{
    int64_t flow = 0;
    uint32_t n = 0, v = source;
    memcpy(c->now, c->first, c->nvertices * sizeof *c->now);
    for (;;) {
        if (v == sink) {
            flow += send(c, n);
            n = first_full(c, n);
            v = c->edges[c->queue[n] ^ 1].to;
        }
        uint32_t e = c->now[v];
        while (e && (c->edges[e - 1].room <= 0 || c->level[c->edges[e - 1].to] != c->level[v] + 1))
            e = c->edges[e - 1].next;
        c->now[v] = e;
        if (e) {
            c->queue[n++] = e - 1;
            v = c->edges[e - 1].to;
            continue;
        }
        if (n == 0)
            return flow;
        c->level[v] = 0; /* nothing gets through here any more */
        v = c->edges[c->queue[--n] ^ 1].to;
    }
}

int64_t cut_solve(Cut *c, uint32_t source, uint32_t sink)
{
    int64_t flow = 0;
    while (find_levels(c, source, sink))
        flow += one_phase(c, source, sink);
    return flow;
}

void cut_sides(Cut *c, uint32_t sink, bool *sink_side)
{
    uint32_t head = 0, tail = 0;
    memset(sink_side, 0, c->nvertices * sizeof *sink_side);
    sink_side[sink] = true;
    c->queue[tail++] = sink;
    while (head < tail) {
        uint32_t v = c->queue[head++];
        for (uint32_t e = c->first[v]; e; e = c->edges[e - 1].next) {
            uint32_t from = c->edges[e - 1].to;
            if (sink_side[from] || c->edges[(e - 1) ^ 1].room <= 0)
                continue;
            sink_side[from] = true;
            c->queue[tail++] = from;
        }
    }
}
