/*
 * autocast.h - what torch.autocast does with an operator: the table of autocast.def, and regions.
 */
#ifndef THUNDER_AUTOCAST_H
#define THUNDER_AUTOCAST_H

#include "ir.h"

typedef enum CastKind {
    CAST_unlisted,
    CAST_none,
    CAST_open,
    CAST_low,
    CAST_wide,
    CAST_sum,
    CAST_widest,
    CAST_banned,
} CastKind;

typedef struct CastRow {
    const char *op;
    uint8_t cuda, cpu; /* CastKind */
} CastRow;

/* The row of an operator, by name; NULL when it has none. `index` is empty at first; the caller
 * keeps and frees it. */
const CastRow *cast_row(Map *index, const Op *op);
/* What the table says about a call on a device type: never CAST_sum, which depends on args. */
CastKind cast_kind(const CastRow *row, bool cuda, const Arg *args, uint32_t nargs);
/* As in PyTorch: floats of 16 bits and more, but not f64. */
bool may_cast(const Type *type);

/* A region of the program: calls in it have their operands cast as they are appended. */
typedef struct CastRegion {
    DType low; /* bf16 or f16 */
    bool cuda; /* which lists */
    bool products; /* inside an operator without a row, where only products are looked at */
    Map *index;
    Map *leaves; /* input -> its cast to `low`; NULL: each operator has casts of its own */
    uint32_t inside; /* depth of operators whose parts are looked at */
} CastRegion;

/* An AroundFn (ir.h); user is a CastRegion. */
Arg cast_around(Build *b, const Op *op, const Arg *args);

#endif
