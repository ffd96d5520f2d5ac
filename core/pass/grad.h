/*
 * grad.h - the inside of the grad pass: what a vjp rule sees and may do.
 *
 * A rule belongs to a prim (gradient column of prims.def) or to a composite (composites.def). It
 * gets a node of the forward trace and the cotangents of its results, and gives each differentiable
 * argument its share. The one idea: a rule only emits nodes, with the same builders that
 * decompositions are written with, so that what it emits can be differentiated again.
 */
#ifndef THUNDER_GRAD_H
#define THUNDER_GRAD_H

#include "lang.h"
#include "pass.h"

typedef struct Grad Grad;

typedef struct Vjp {
    Build *b;
    Grad *g;
    const Op *op;
    const Arg *args;
    uint32_t nargs;
    Arg out;        /* the node's result tree: rules may use results, too */
    const Arg *cot; /* by result value in order; None = no cotangent reached it */
    bool conjugated; /* the results are complex: see conjugate in grad.c */
} Vjp;

/* cot is the cotangent of the first result, None when only others have one. */
typedef void VjpFn(Vjp *v, Build *b, const Arg *args, Arg cot);

/* Whether argument x is a tensor that the gradient flows to. */
bool vjp_wants(const Vjp *v, Arg x);
/* Adds to the cotangent of x; cot has x's shape, and is converted to its dtype. None is nothing. */
void vjp_give(Vjp *v, Arg x, Arg cot);
/* An error "unsupported": this operator (or this use of it) has no gradient here. */
void vjp_unsupported(Vjp *v, const char *why);

/* Whether the rule of a composite (composites.def) holds for this very node: an argument that it
 * says nothing about must not be active, nor a result that it says nothing about be needed. Both
 * arrays by value of t. */
bool composite_fits(const Trace *t, const Node *n, const bool *active, const bool *needed);
/* Emits a call that computes the result of n, as the first of *result, and with it what a rule
 * wants to read; false when there is none. */
bool composite_augment(Build *b, const Node *n, const bool *active, Arg *result);

/* ------------------------------------------------------------------------ helpers of the rules */

Arg zeros_like(Build *b, Arg x);
Arg zeros_of(Build *b, const Dims *shape, Arg like); /* dtype and device of like */
/* The share of x in the larger (or smaller) of x and y: a half where they are equal. A number is a
 * bound, as in clamp, at which x has none. */
Arg extreme_share(Build *b, Arg g, Arg x, Arg y, bool larger);
/* g summed over what stretched a value of this shape to g's; leading ones too many come back. */
Arg sum_to(Build *b, Arg g, const Dims *shape);
/* Ints of a literal argument, dimensions counted from the end when negative. */
Dims grad_dims(Vjp *v, Arg dims, uint32_t rank);

#endif
