/*
 * margin.h - what a statement should give for its operands, and how far from it a right kernel may
 * be, as a trace of its own.
 *
 * Input: a node of a trace, and the part of its results that is asked about. Output: a trace in
 * double precision whose inputs are the node's operands and results as a run had them, and whose
 * results say by how much those are off. It runs like any other trace: on a device, or in the
 * interpreter. One idea: the error of a value is what the errors of its operands become in the
 * prim that makes it, plus the rounding of that prim; operands of the statement itself are exact.
 */
#ifndef THUNDER_MARGIN_H
#define THUNDER_MARGIN_H

#include "cone.h"
#include "session.h"

/* Numbers that the trace gives for each result, 0-d tensors of f64, in this order: the largest
 * error in units of what is allowed, and in ULP of the result's dtype; how many elements have more
 * than twice of what is allowed; how many are off where anything is allowed, since a value inside
 * is too large for its dtype (no other number has them in it); and of the element with the
 * largest error its place among those of the box, what the run had, the exact value, and the ULP
 * that are allowed. */
enum MarginNumber {
    MARGIN_excess,
    MARGIN_ulp,
    MARGIN_wrong,
    MARGIN_overflow,
    MARGIN_place,
    MARGIN_got,
    MARGIN_exact,
    MARGIN_allowed,
    MARGIN_NUMBERS,
};

typedef struct Margin {
    Trace *t;
    ValueId *inputs; /* the values of the statement's trace that they are, by input number */
    Box **boxes;     /* the part of each that is to be given */
    const char *refused; /* why there is no trace: a clause; NULL = there is one */
} Margin;

/* The prims that node n of t consists of; returns how many there are (out may be NULL). */
uint32_t statement_leaves(const Trace *t, NodeId n, NodeId *out);
/* Why there is no exact_trace of the statement: a clause; NULL = there is one. */
const char *statement_refusal(const Cone *c);
/* c has the statement's prims and boxes (cone_find); outs are its results that are wanted. All but
 * the trace lies in c->arena. */
Margin margin_trace(const Cone *c, const ValueId *outs, uint32_t nouts);
/* The same with the exact results themselves instead of what is said about them; its inputs are the
 * operands. */
Margin exact_trace(const Cone *c, const ValueId *outs, uint32_t nouts);
/* The inputs of m->t out of the values of the statement's trace (by value). */
Tensor **margin_inputs(const Margin *m, Tensor *const *values);
void margin_inputs_free(const Margin *m, Tensor **inputs);

/* The bounds of single prims of a trace, whatever statement they are of: what their operands'
 * errors become in them, and their own rounding. */
typedef struct Bounds Bounds;

typedef struct BoundOf {
    NodeId leaf;
    ValueId v;              /* a result of it, of a float dtype */
    Tensor *const *exact;   /* by value: of its operands and results */
    Tensor *const *errors;  /* by value: of its operands, in f64; NULL = it has none */
} BoundOf;

Bounds *bounds_new(const Trace *t, const ExecList *executors); /* both are kept by the caller */
void bounds_free(Bounds *b);
/* In f64; NULL where nothing can be said: complex numbers, or a value that is not there. */
Tensor *bound_of_result(Bounds *b, Session *s, const BoundOf *x);

#endif
