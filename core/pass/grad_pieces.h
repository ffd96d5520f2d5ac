/*
 * grad_pieces.h - sums of cotangents, where pieces of one tensor are put side by side.
 */
#ifndef THUNDER_GRAD_PIECES_H
#define THUNDER_GRAD_PIECES_H

#include "grad.h"

/* The pads, cats and reshapes that made cotangents. map_free(&p.made) ends it. */
typedef struct Pieces {
    Map made; /* value -> its node */
} Pieces;

/* Remembers x when the node emitted last is one of those and made it. */
void pieces_note(Pieces *p, Build *b, Arg x);
/* x + y; of two pieces that touch, both as one piece. */
Arg pieces_sum(Pieces *p, Build *b, Arg x, Arg y);

#endif
