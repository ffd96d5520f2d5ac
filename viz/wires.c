/*
 * wires.c - routing lines between two neighbouring layers; see wires.h.
 *
 * Input: boxes with their columns, segments between neighbouring layers. Output: for each segment a
 * column where it arrives, for each source a row in which its lines turn. Sources never share a
 * column with arrivals of others where they could overlap, so lines that touch belong together.
 */
#include "wires.h"

#include <string.h>

static uint32_t middle(const LayerBox *b)
{
    return b->x + (b->width - 1) / 2;
}

static bool taken(const Gap *g, uint32_t upto, uint32_t column, uint32_t source)
{
    for (uint32_t s = 0; s < upto; s++)
        if (g->column[s] == column)
            return true;
    for (uint32_t r = 0; r < g->nroutes; r++)
        if (g->routes[r].from_column == column && g->routes[r].source != source)
            return true;
    return false;
}

/* Where segment s arrives: below its source when it can, else at the nearest free column. */
static uint32_t arrival(const Gap *g, const Layers *l, uint32_t s)
{
    const LayerBox *to = &l->boxes[g->segments[s].to];
    uint32_t source = g->segments[s].from, want = middle(&l->boxes[source]);
    if (to->rail || to->width < 3)
        return to->x;
    uint32_t lo = to->x + 1, hi = to->x + to->width - 2;
    want = want < lo ? lo : want > hi ? hi : want;
    for (uint32_t k = 0; k < to->width; k++) {
        if (want + k <= hi && !taken(g, s, want + k, source))
            return want + k;
        if (want >= lo + k && !taken(g, s, want - k, source))
            return want - k;
    }
    return want;
}

static void make_routes(Gap *g, const Layers *l)
{
    for (uint32_t s = 0; s < g->n; s++) {
        uint32_t source = g->segments[s].from;
        if (s == 0 || source != g->segments[s - 1].from) {
            uint32_t column = middle(&l->boxes[source]);
            g->routes[g->nroutes++] = (Route){source, column, column, column, 0};
        }
        g->route[s] = g->nroutes - 1;
    }
    for (uint32_t s = 0; s < g->n; s++) {
        Route *r = &g->routes[g->route[s]];
        uint32_t c = g->column[s] = arrival(g, l, s);
        r->lo = c < r->lo ? c : r->lo;
        r->hi = c > r->hi ? c : r->hi;
    }
}

static bool turns(const Route *r)
{
    return r->lo != r->hi;
}

/* Route a must turn above route b when a line of b arrives where a leaves: else they would
 * overlap. */
static bool must_be_above(const Gap *g, uint32_t a, uint32_t b)
{
    for (uint32_t s = 0; s < g->n; s++)
        if (g->route[s] == b && g->column[s] == g->routes[a].from_column)
            return true;
    return false;
}

/* First row where route r neither runs into another route nor lies above one that it must not. */
static uint32_t lowest_row(const Gap *g, uint32_t r)
{
    const Route *route = &g->routes[r];
    uint32_t row = 1;
    for (uint32_t o = 0; o < g->nroutes;) {
        const Route *other = &g->routes[o++];
        if (other == route || other->row < row)
            continue;
        bool overlap = other->lo <= route->hi + 1 && route->lo <= other->hi + 1;
        if (!overlap && !must_be_above(g, o - 1, r))
            continue;
        row = other->row + 1;
        o = 0;
    }
    return row;
}

/* The next route to get a row: one with nothing left that must lie above it, or just the first. */
static uint32_t pick_route(const Gap *g)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t r = 0; r < g->nroutes; r++) {
        if (!turns(&g->routes[r]) || g->routes[r].row)
            continue;
        first = first == UINT32_MAX ? r : first;
        bool blocked = false;
        for (uint32_t o = 0; o < g->nroutes && !blocked; o++)
            blocked = o != r && turns(&g->routes[o]) && !g->routes[o].row &&
                      must_be_above(g, o, r);
        if (!blocked)
            return r;
    }
    return first;
}

static void assign_rows(Gap *g)
{
    for (uint32_t r = pick_route(g); r != UINT32_MAX; r = pick_route(g)) {
        g->routes[r].row = lowest_row(g, r);
        g->rows = g->routes[r].row > g->rows ? g->routes[r].row : g->rows;
    }
}

/* Segments by the layer of their source, those of one source together; start by layer. */
static LayerEdge *sort_segments(const Layers *l, uint32_t *start)
{
    LayerEdge *sorted = new_array(l->arena, LayerEdge, l->nsegments + 1);
    uint32_t *at = new_array(l->arena, uint32_t, l->nboxes + 1);
    uint32_t *by_box = new_array(l->arena, uint32_t, l->nboxes + 1);
    uint32_t *next = new_array(l->arena, uint32_t, l->nlayers + 2);
    for (uint32_t s = 0; s < l->nsegments; s++) {
        start[l->boxes[l->segments[s].from].layer + 1]++;
        by_box[l->segments[s].from]++;
    }
    for (uint32_t k = 1; k <= l->nlayers; k++)
        start[k] += start[k - 1];
    memcpy(next, start, (l->nlayers + 1) * sizeof *next);
    for (uint32_t b = 0; b < l->nboxes; b++) {
        at[b] = next[l->boxes[b].layer];
        next[l->boxes[b].layer] += by_box[b];
    }
    for (uint32_t s = 0; s < l->nsegments; s++)
        sorted[at[l->segments[s].from]++] = l->segments[s];
    return sorted;
}

Gap *wires_plan(const Layers *l)
{
    uint32_t *start = new_array(l->arena, uint32_t, l->nlayers + 2);
    const LayerEdge *sorted = sort_segments(l, start);
    Gap *gaps = new_array(l->arena, Gap, l->nlayers + 1);
    for (uint32_t k = 0; k < l->nlayers; k++) {
        Gap *g = &gaps[k];
        g->segments = sorted + start[k];
        g->n = start[k + 1] - start[k];
        g->routes = new_array(l->arena, Route, g->n + 1);
        g->column = new_array(l->arena, uint32_t, g->n + 1);
        g->route = new_array(l->arena, uint32_t, g->n + 1);
        make_routes(g, l);
        assign_rows(g);
    }
    return gaps;
}

static void draw_turn(const Gap *g, uint32_t r, Canvas *c, uint32_t top, uint8_t ansi)
{
    const Route *route = &g->routes[r];
    uint32_t net = route->source + 1, turn = top + route->row - 1, end = top + g->rows;
    canvas_horizontal(c, turn, route->lo, route->hi, net, ansi);
    canvas_join(c, turn, route->from_column, NORTH, net, ansi);
    canvas_vertical(c, top, turn, route->from_column, net, ansi);
    for (uint32_t s = 0; s < g->n; s++) {
        if (g->route[s] != r)
            continue;
        canvas_join(c, turn, g->column[s], SOUTH, net, ansi);
        canvas_vertical(c, turn + 1, end, g->column[s], net, ansi);
    }
}

void wires_draw(const Gap *g, Canvas *c, uint32_t top, uint8_t ansi)
{
    for (uint32_t r = 0; r < g->nroutes; r++) {
        if (g->routes[r].row)
            draw_turn(g, r, c, top, ansi);
        else
            canvas_vertical(c, top, top + g->rows, g->routes[r].from_column,
                            g->routes[r].source + 1, ansi);
    }
}
