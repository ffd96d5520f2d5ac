/*
 * making.h - what the files that make a margin trace (margin.h) share.
 *
 * A trace is made prim by prim. Making has, for each value of the statement, its exact value and
 * the bound of its error in the trace that is made. margin_parts.c has arithmetic and how a prim is
 * emitted with other operands; margin_error.c what errors of operands become; margin_rounding.c
 * what a prim adds itself; margin_open.c what is right in several ways.
 */
#ifndef THUNDER_MAKING_H
#define THUNDER_MAKING_H

#include "margin.h"

typedef struct Making {
    Build b;
    const Cone *c;
    const Trace *from;
    Arg *exact; /* by value of from, the box that is needed of it */
    Arg *error; /* its bound in f64; of a bool, 1 where it may be the other one; None = none */
    bool plain;  /* no bounds */
    bool coarse; /* all results are narrow: functions inside may be coarse */
    const char *refused;
} Making;

/* ----------------------------------------------------------------------------------- arithmetic */

const Type *mg_type(const Making *m, Arg x);
bool mg_is_float(const Making *m, Arg x);
Arg mg_sizes(Making *m, const Type *type); /* its shape as an argument */
Arg mg_filled(Making *m, Arg like, double value);
Arg mg_f64(Making *m, Arg x);
Arg mg_times(Making *m, Arg x, double factor);
Arg mg_sum(Making *m, Arg a, Arg b); /* of two bounds, either of which may be none */
Arg mg_without_nan(Making *m, Arg x);
/* |moved - exact|; where that is no number, 0 when both are one infinity or NaN, else infinite. */
Arg mg_distance(Making *m, Arg moved, Arg exact);
/* The unit in the last place of d at each element of x; 0 where x is not finite. */
Arg mg_ulp(Making *m, Arg x, DType d);
double mg_unit(DType d); /* half of it at 1: the largest relative error of one rounding */

/* ---------------------------------------------------------------------------------------- prims */

typedef enum Which {
    WHICH_exact,
    WHICH_own,     /* as they are in their own dtypes */
    WHICH_size,    /* absolute values */
    WHICH_factors, /* absolute values of what multiplies `one`, else 0 */
    WHICH_error,   /* the errors; numbers are 0 */
} Which;

/* What the operands of a prim are replaced by. */
typedef struct Pick {
    Which which;
    NodeId leaf;
    ValueId one; /* this operand is `instead`; 0 = none is */
    Arg instead;
} Pick;

/* The part of operand v that prim `leaf` reads, from a table by value. */
Arg mg_operand(Making *m, NodeId leaf, ValueId v, const Arg *table);
/* The prim with its operands replaced; the tree of its results. */
Arg mg_emit(Making *m, const Pick *p);
/* Argument i of a prim, exact, and the bound of its error. */
Arg mg_exact(Making *m, NodeId leaf, uint32_t i);
Arg mg_error(Making *m, NodeId leaf, uint32_t i);

/* What the operands' errors become in the n results of a prim, whose exact values are `exact`. */
void mg_propagate(Making *m, NodeId leaf, const ValueId *exact, uint32_t n, Arg *errors);
/* What the prim itself adds to the error of result i, of dtype d. */
Arg mg_rounding(Making *m, NodeId leaf, Arg exact, uint32_t i, DType d);
/* Whether result v is right in several ways: places of equal elements, singular vectors. */
bool mg_is_open(const Making *m, ValueId v);
/* How far from right is what a run had for such a result (got); *may gets the bound. None where it
 * can be held against the exact values after all. */
Arg mg_open_off(Making *m, ValueId v, Arg got, Arg *may);

#endif
