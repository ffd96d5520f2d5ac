/* torch.h - the decompositions that torch.def names; the table itself declares them. */
#ifndef THUNDER_TORCH_H
#define THUNDER_TORCH_H

#include "ir.h"

/* Facts of table rows that core/ir does not know. */
enum {
    IN_PLACE_TOO =
        1 << 30, /* a row NAME_ is derived: the same, then prims.copy_ into the first argument */
};

#define TORCH(name, sig, facts, fn, ...) DecomposeFn fn;
#include "torch.def"
#undef TORCH

/* torch_data.c: slice k of x along dim repeats[k] times. */
Arg repeat_by_tensor(Build *b, Arg x, Arg repeats, int64_t dim);
/* torch_nn.c: key or value with as many heads as the query has: each of its own serves several. */
Arg attention_heads(Build *b, Arg x, Arg query);
void numpy_register(Registry *r, Diag *d); /* the rows of numpy.c */

/* Shared by torch_reduce.c and torch_sort.c. The place of the first largest (prim argmax) or
 * smallest element along dim, or in all of x when dim is None. */
Arg extreme_index(Build *b, Arg x, Arg dim, bool keepdim, enum PrimId prim);
/* (values, indices), whose size 1 along dim stays only with keepdim. */
Arg values_and_indices(Build *b, Arg values, Arg indices, int64_t dim, bool keepdim);

#endif
