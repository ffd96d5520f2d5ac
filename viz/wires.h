/*
 * wires.h - the lines between two neighbouring layers of a terminal drawing.
 */
#ifndef THUNDER_WIRES_H
#define THUNDER_WIRES_H

#include "canvas.h"
#include "layers.h"

/* One source of lines: the column where they leave it, and the row where they turn. */
typedef struct Route {
    uint32_t source, from_column;
    uint32_t lo, hi; /* columns that it spans */
    uint32_t row;    /* of the turn, from 1; 0 = straight down */
} Route;

typedef struct Gap {
    const LayerEdge *segments; /* those of one source stand together */
    uint32_t n;
    uint32_t *column; /* by segment: where it arrives */
    uint32_t *route;  /* by segment: its route */
    Route *routes;
    uint32_t nroutes, rows; /* rows needed between the layers */
} Gap;

/* The gaps below each layer, nlayers of them. */
Gap *wires_plan(const Layers *l);
void wires_draw(const Gap *g, Canvas *c, uint32_t top, uint8_t ansi);

#endif
