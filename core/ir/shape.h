/* shape.h - the shape rules that prims.def names; their declarations come from the table itself. */
#ifndef THUNDER_SHAPE_H
#define THUNDER_SHAPE_H

#include "ir.h"

#define PRIM(name, sig, flags, sh, ...) ShapeFn sh;
#include "prims.def"
#undef PRIM

#endif
