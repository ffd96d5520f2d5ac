/*
 * draw.h - elements of tensors from a seeded generator.
 *
 * The number of an element and the state are all that decides it, so any part can be drawn by
 * itself: results are the same for any number of threads and on every processor.
 */
#ifndef THUNDER_DRAW_H
#define THUNDER_DRAW_H

#include "tensor.h"

typedef struct Draw {
    Tensor *t; /* dense */
    uint64_t state;
    bool uniform;        /* floats: base + scale u, u in [0, 1); else of a normal variable */
    bool positive;       /* floats: of its magnitude */
    double base, scale;  /* floats: base + scale x; complex numbers: scale times two of them */
    int64_t least, most; /* integers: least <= i < most. Bools are fair */
} Draw;

/* Fills the tensors of n draws, by as many threads as pays. */
void draw_all(const Draw *draws, size_t n);

#endif
