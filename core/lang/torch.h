/* torch.h - the decompositions that torch.def names; the table itself declares them. */
#ifndef THUNDER_TORCH_H
#define THUNDER_TORCH_H

#include "ir.h"

/* Facts of table rows that core/ir does not know. */
enum {
    IN_PLACE_TOO = 1 << 30, /* a row NAME_ is derived: the same, then prims.copy_ into the first argument */
};

#define TORCH(name, sig, facts, fn, ...) DecomposeFn fn;
#include "torch.def"
#undef TORCH

#endif
