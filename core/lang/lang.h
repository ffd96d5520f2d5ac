/*
 * lang.h - the languages above the prims: clang (promotion, broadcasting, builders) and torch.
 *
 * clang builders take numbers and tensors of any mix of shapes and dtypes, promote and broadcast,
 * and append prims; they never appear in a trace themselves. The torch language is the table
 * torch.def: signature, spellings and decomposition of every operator.
 */
#ifndef THUNDER_LANG_H
#define THUNDER_LANG_H

#include "ir.h"

/* Registers the torch language (prims are there from registry_init). */
void lang_register(Registry *r, Diag *d);

/* How an operator finds computation and result dtypes (thunder.md 5.2; values are PyTorch's). */
typedef enum PromotionKind {
    PROMOTE_DEFAULT,
    PROMOTE_PRESERVE,
    PROMOTE_INT_TO_FLOAT,
    PROMOTE_ALWAYS_BOOL,
    PROMOTE_COMPLEX_TO_FLOAT,
    PROMOTE_BOOL_TO_LONG,
} PromotionKind;

/* A finished trace that calls op once on small arguments; NULL when none that were tried fit. It
 * has no nodes where the result is known while the program is read (x.dim()): the output. */
Trace *op_sample(const Registry *reg, const Op *op);

#include "clang.h"

/* The same with tensors of this shape and dtype, and numbers of one of SAMPLE_NUMBERS kinds; NULL
 * when op refuses them. */
enum { SAMPLE_NUMBERS = 4 };
Trace *op_sample_of(const Registry *reg, const Op *op, const Dims *shape, DType d, uint32_t number);

#endif
