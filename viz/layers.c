/*
 * layers.c - placing boxes in layers: who stands above whom, and where.
 *
 * Input: boxes in topological order and edges between them. Output: a layer and a column for each
 * box, and the edges cut into segments between neighbouring layers. The classical method: longest
 * path for the layers, rails for edges that pass through layers, barycentres for the order. One
 * rail serves all edges of its source. Long edges are cut: the text names the value anyway.
 */
#include "layers.h"

#include <string.h>

enum { MAX_SPAN = 12, GAP = 2 };

/* --------------------------------------------------------------------------------- placing */

static uint32_t free_layer(const uint32_t *load, uint32_t want, uint32_t per_layer)
{
    while (load[want] >= per_layer)
        want++;
    return want;
}

/* Boxes that are not late go as far up as their predecessors and the room allow. */
static void place_down(Layers *l, uint32_t *load, const uint32_t *first, const uint32_t *next)
{
    for (uint32_t i = 0; i < l->nboxes; i++) {
        LayerBox *b = &l->boxes[i];
        if (b->late)
            continue;
        uint32_t want = 1; /* layer 0 stays free for late ones */
        for (uint32_t e = first[i]; e; e = next[e - 1]) {
            const LayerBox *from = &l->boxes[l->edges[e - 1].from];
            if (!from->late && from->layer + 1 > want)
                want = from->layer + 1;
        }
        b->layer = free_layer(load, want, l->per_layer);
        load[b->layer]++;
    }
}

static void place_late(Layers *l, uint32_t *load)
{
    uint32_t *lowest = new_array(l->arena, uint32_t, l->nboxes + 1);
    for (uint32_t e = 0; e < l->nedges; e++) {
        const LayerEdge *edge = &l->edges[e];
        uint32_t layer = l->boxes[edge->to].layer;
        if (!lowest[edge->from] || layer < lowest[edge->from])
            lowest[edge->from] = layer;
    }
    for (uint32_t i = l->nboxes; i--;) {
        LayerBox *b = &l->boxes[i];
        if (!b->late)
            continue;
        b->layer = lowest[i] ? lowest[i] - 1 : 0;
        while (b->layer && load[b->layer] >= l->per_layer)
            b->layer--;
        load[b->layer]++;
    }
}

static void drop_empty_layers(Layers *l, const uint32_t *load, uint32_t nlayers)
{
    uint32_t *number = new_array(l->arena, uint32_t, nlayers + 1);
    for (uint32_t k = 0; k < nlayers; k++)
        number[k + 1] = number[k] + (load[k] > 0);
    for (uint32_t i = 0; i < l->nboxes; i++)
        l->boxes[i].layer = number[l->boxes[i].layer];
    l->nlayers = number[nlayers];
}

/* ----------------------------------------------------------------------------------- rails */

static uint32_t add_rail(Layers *l, uint32_t layer)
{
    if (l->nboxes == l->box_cap) {
        LayerBox *bigger = new_array(l->arena, LayerBox, l->box_cap * 2);
        memcpy(bigger, l->boxes, l->nboxes * sizeof *bigger);
        l->boxes = bigger;
        l->box_cap *= 2;
    }
    l->boxes[l->nboxes] = (LayerBox){.width = 1, .layer = layer, .rail = true};
    return l->nboxes++;
}

static void add_segment(Layers *l, uint32_t from, uint32_t to)
{
    l->segments[l->nsegments++] = (LayerEdge){.from = from, .to = to};
}

/* How far down the rail of box i may go: to its farthest near successor, as long as there is
 * room. */
static uint32_t rail_end(Layers *l, uint32_t i, const uint32_t *first, const uint32_t *next,
                         const uint32_t *rails, uint32_t most)
{
    uint32_t top = l->boxes[i].layer, end = top + 1, room = top + 1;
    while (room < l->nlayers && rails[room] < most)
        room++;
    for (uint32_t e = first[i]; e; e = next[e - 1]) {
        uint32_t layer = l->boxes[l->edges[e - 1].to].layer;
        if (layer - top <= MAX_SPAN && layer <= room && layer > end)
            end = layer;
    }
    return end;
}

static void route_box(Layers *l, uint32_t i, const uint32_t *first, const uint32_t *next,
                      uint32_t *rails, uint32_t most)
{
    uint32_t top = l->boxes[i].layer, end = rail_end(l, i, first, next, rails, most);
    uint32_t above[MAX_SPAN + 2]; /* above[k]: what an edge to layer top + k comes from */
    above[1] = i;
    for (uint32_t layer = top + 1; layer < end; layer++) {
        above[layer - top + 1] = add_rail(l, layer);
        add_segment(l, above[layer - top], above[layer - top + 1]);
        rails[layer]++;
    }
    for (uint32_t e = first[i]; e; e = next[e - 1]) {
        LayerEdge *edge = &l->edges[e - 1];
        uint32_t layer = l->boxes[edge->to].layer;
        edge->cut = layer > end;
        if (!edge->cut)
            add_segment(l, above[layer - top], edge->to);
    }
}

void layers_place(Layers *l)
{
    uint32_t n = l->nboxes, room = n + 2;
    uint32_t *load = new_array(l->arena, uint32_t, room + 1);
    uint32_t *first_in = new_array(l->arena, uint32_t, n + 1);
    uint32_t *first_out = new_array(l->arena, uint32_t, n + 1);
    uint32_t *next_in = new_array(l->arena, uint32_t, l->nedges + 1);
    uint32_t *next_out = new_array(l->arena, uint32_t, l->nedges + 1);
    for (uint32_t e = l->nedges; e--;) {
        next_in[e] = first_in[l->edges[e].to];
        first_in[l->edges[e].to] = e + 1;
        next_out[e] = first_out[l->edges[e].from];
        first_out[l->edges[e].from] = e + 1;
    }
    place_down(l, load, first_in, next_in);
    place_late(l, load);
    drop_empty_layers(l, load, room);
    uint32_t *rails = new_array(l->arena, uint32_t, l->nlayers + 1);
    uint32_t most = l->columns / 8;
    l->segments = new_array(l->arena, LayerEdge, l->nedges + (size_t)n * MAX_SPAN + 1);
    for (uint32_t i = 0; i < n; i++)
        route_box(l, i, first_out, next_out, rails, most);
}

/* ------------------------------------------------------------------------------- arranging */

typedef struct Rows {
    uint32_t *start; /* by layer, nlayers + 1 */
    uint32_t *box;
} Rows;

static Rows layer_rows(Layers *l)
{
    Rows r = {new_array(l->arena, uint32_t, l->nlayers + 2),
              new_array(l->arena, uint32_t, l->nboxes + 1)};
    for (uint32_t i = 0; i < l->nboxes; i++)
        r.start[l->boxes[i].layer + 2]++;
    for (uint32_t k = 2; k <= l->nlayers + 1; k++)
        r.start[k] += r.start[k - 1];
    for (uint32_t i = 0; i < l->nboxes; i++)
        r.box[r.start[l->boxes[i].layer + 1]++] = i;
    return r;
}

static double centre(const LayerBox *b)
{
    return b->x + (b->width - 1) / 2.0;
}

/* Neighbours of each box in the layer above (up) and below (down), as ranges of one array. */
typedef struct Neighbours {
    uint32_t *start[2], *box[2]; /* [0] above, [1] below */
} Neighbours;

static Neighbours find_neighbours(const Layers *l)
{
    Neighbours nb;
    for (int side = 0; side < 2; side++) {
        uint32_t *start = new_array(l->arena, uint32_t, l->nboxes + 2);
        uint32_t *box = new_array(l->arena, uint32_t, l->nsegments + 1);
        for (uint32_t s = 0; s < l->nsegments; s++)
            start[(side ? l->segments[s].from : l->segments[s].to) + 2]++;
        for (uint32_t i = 2; i < l->nboxes + 2; i++)
            start[i] += start[i - 1];
        for (uint32_t s = 0; s < l->nsegments; s++) {
            const LayerEdge *e = &l->segments[s];
            box[start[(side ? e->from : e->to) + 1]++] = side ? e->to : e->from;
        }
        nb.start[side] = start;
        nb.box[side] = box;
    }
    return nb;
}

/* Mean over the neighbours on one side, of order or of columns; otherwise when it has none. */
static double neighbour_mean(const Layers *l, const Neighbours *nb, int side, bool columns,
                             uint32_t i, double otherwise)
{
    double sum = 0;
    uint32_t from = nb->start[side][i], end = nb->start[side][i + 1];
    for (uint32_t k = from; k < end; k++) {
        const LayerBox *b = &l->boxes[nb->box[side][k]];
        sum += columns ? centre(b) : b->order;
    }
    return end > from ? sum / (end - from) : otherwise;
}

static void sort_row(Layers *l, uint32_t *row, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) { /* rows are short: insertion keeps equals in order */
        uint32_t b = row[i], k = i;
        for (; k && l->boxes[row[k - 1]].order > l->boxes[b].order; k--)
            row[k] = row[k - 1];
        row[k] = b;
    }
    for (uint32_t i = 0; i < n; i++)
        l->boxes[row[i]].order = i + 0.5 * (l->per_layer > n ? l->per_layer - n : 0);
}

/* Goes through the layers in turn, since each uses the order just found in the last. */
static void order_sweep(Layers *l, const Rows *r, const Neighbours *nb, int side)
{
    for (uint32_t step = 0; step < l->nlayers; step++) {
        uint32_t k = side == 0 ? step : l->nlayers - 1 - step;
        uint32_t *row = r->box + r->start[k], n = r->start[k + 1] - r->start[k];
        for (uint32_t i = 0; i < n; i++) {
            LayerBox *b = &l->boxes[row[i]];
            b->order = neighbour_mean(l, nb, side, false, row[i], b->order);
        }
        sort_row(l, row, n);
    }
}

static void fit_widths(Layers *l, const uint32_t *row, uint32_t n)
{
    uint32_t total = n ? (n - 1) * GAP + l->boxes[row[n - 1]].rail : 0;
    for (uint32_t i = 0; i < n; i++)
        total += l->boxes[row[i]].width;
    while (total > l->columns) {
        uint32_t widest = row[0];
        for (uint32_t i = 1; i < n; i++)
            if (l->boxes[row[i]].width > l->boxes[widest].width)
                widest = row[i];
        if (l->boxes[widest].width <= 8)
            return;
        l->boxes[widest].width--;
        total--;
    }
}

/* Columns as near to the wanted centres as the order and the width of the page allow. */
static void pack_row(Layers *l, const uint32_t *row, uint32_t n, const Neighbours *nb, int side)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        LayerBox *b = &l->boxes[row[i]];
        double want = neighbour_mean(l, nb, side, true, row[i], centre(b)) - (b->width - 1) / 2.0;
        uint32_t x = want > 0 ? (uint32_t)(want + 0.5) : 0;
        b->x = x > at ? x : at;
        at = b->x + b->width + GAP;
    }
    /* A box below a rail at the edge must reach past it. */
    uint32_t limit = n && l->boxes[row[n - 1]].rail ? l->columns - 1 : l->columns;
    for (uint32_t i = n; i--;) {
        LayerBox *b = &l->boxes[row[i]];
        if (b->x + b->width > limit)
            b->x = limit > b->width ? limit - b->width : 0;
        limit = b->x > GAP ? b->x - GAP : 0;
    }
}

static void first_columns(Layers *l, const Rows *r)
{
    for (uint32_t k = 0; k < l->nlayers; k++) {
        uint32_t *row = r->box + r->start[k], n = r->start[k + 1] - r->start[k], total = 0;
        fit_widths(l, row, n);
        for (uint32_t i = 0; i < n; i++)
            total += l->boxes[row[i]].width + (i ? GAP : 0);
        uint32_t x = total < l->columns ? (l->columns - total) / 2 : 0;
        for (uint32_t i = 0; i < n; i++) {
            l->boxes[row[i]].x = x;
            x += l->boxes[row[i]].width + GAP;
        }
    }
}

/* Widens boxes a little where that lets lines from above come straight down into them. */
static void stretch_row(Layers *l, const uint32_t *row, uint32_t n, const Neighbours *nb)
{
    enum { MOST = 14 };
    for (uint32_t i = 0; i < n; i++) {
        LayerBox *b = &l->boxes[row[i]];
        uint32_t left = b->x, right = b->x + b->width;
        uint32_t least = i ? l->boxes[row[i - 1]].x + l->boxes[row[i - 1]].width + 1 : 0;
        uint32_t most = i + 1 < n ? l->boxes[row[i + 1]].x - 1 : l->columns;
        for (uint32_t k = nb->start[0][row[i]]; k < nb->start[0][row[i] + 1] && !b->rail; k++) {
            uint32_t c = (uint32_t)centre(&l->boxes[nb->box[0][k]]);
            if (c + 2 > right && c + 2 <= most && c + 2 - right <= MOST)
                right = c + 2;
            if (c < left + 1 && c >= least + 1 && left + 1 - c <= MOST)
                left = c - 1;
        }
        b->x = left;
        b->width = right - left;
    }
}

static void align_left(Layers *l)
{
    uint32_t least = l->columns;
    for (uint32_t i = 0; i < l->nboxes; i++)
        least = l->boxes[i].x < least ? l->boxes[i].x : least;
    for (uint32_t i = 0; i < l->nboxes; i++)
        l->boxes[i].x -= least;
}

void layers_arrange(Layers *l)
{
    Rows r = layer_rows(l);
    Neighbours nb = find_neighbours(l);
    for (uint32_t k = 0; k < l->nlayers; k++)
        sort_row(l, r.box + r.start[k], r.start[k + 1] - r.start[k]);
    for (int pass = 0; pass < 4; pass++)
        order_sweep(l, &r, &nb, pass % 2);
    first_columns(l, &r);
    for (int pass = 0; pass < 5; pass++) {
        for (uint32_t step = 0; step < l->nlayers; step++) {
            uint32_t k = pass % 2 == 0 ? step : l->nlayers - 1 - step;
            pack_row(l, r.box + r.start[k], r.start[k + 1] - r.start[k], &nb, pass % 2);
        }
    }
    for (uint32_t k = 0; k < l->nlayers; k++)
        stretch_row(l, r.box + r.start[k], r.start[k + 1] - r.start[k], &nb);
    align_left(l);
}
