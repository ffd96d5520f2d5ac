/* fold.h - arithmetic on literal numbers, inside core/lang. */
#ifndef THUNDER_FOLD_H
#define THUNDER_FOLD_H

#include "ir.h"

/* Each gives the literal that Python computes; false where it raises, overflows or is complex. */
bool fold_unary(enum PrimId prim, Arg x, Arg *out);
bool fold_binary(enum PrimId prim, Arg x, Arg y, Arg *out);
bool fold_floor_divide(Arg x, Arg y, Arg *out);

#endif
