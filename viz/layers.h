/*
 * layers.h - boxes in layers for a drawing of fixed width.
 */
#ifndef THUNDER_LAYERS_H
#define THUNDER_LAYERS_H

#include "arena.h"

/* A box, or a rail: where a line passes through a layer on its way down. */
typedef struct LayerBox {
    uint32_t width, height; /* with borders; a rail has width 1 */
    uint32_t layer, x;      /* leftmost column */
    double order;
    bool rail, late;        /* late: as far down as its successors allow */
} LayerBox;

typedef struct LayerEdge {
    uint32_t from, to;
    bool cut; /* set by layers_place: too long to draw */
} LayerEdge;

typedef struct Layers {
    Arena *arena;
    LayerBox *boxes;
    uint32_t nboxes, box_cap; /* grows by the rails */
    LayerEdge *edges;
    uint32_t nedges;
    LayerEdge *segments; /* between neighbouring layers, rails included */
    uint32_t nsegments;
    uint32_t nlayers;
    uint32_t columns;
    uint32_t per_layer; /* boxes side by side at most */
} Layers;

/* Boxes are given in topological order. Sets their layers, and cuts edges that would need rails
 * where there is no room. Widths are not needed yet. */
void layers_place(Layers *l);
/* Widths are known now: orders the boxes of each layer to avoid crossings, shrinks those that do
 * not fit, sets columns. */
void layers_arrange(Layers *l);

#endif
