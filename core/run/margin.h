/*
 * margin.h - what a statement should give for its operands, and how far from it a right kernel may
 * be, as a trace of its own.
 *
 * Input: a node of a trace, and the part of its results that is asked about. Output: a trace in
 * double precision whose inputs are the node's operands as a run had them, and whose results are
 * the exact values and the bounds of their errors. It runs like any other trace: on a device, or in
 * the interpreter; the verdict is made on the host (margin_judge). One idea: the error of a value
 * is what the errors of its operands become in the prim that makes it, plus the rounding of that
 * prim; operands of the statement itself are exact.
 */
#ifndef THUNDER_MARGIN_H
#define THUNDER_MARGIN_H

#include "cone.h"
#include "session.h"

/* What is said of a result: the largest error in units of what is allowed, and in ULP of its dtype;
 * how many elements have more than MARGIN_ALLOWED of what is expected; how many are off where
 * anything is allowed, since a value inside is too large for its dtype (no other number has them in
 * it); and of the element with the largest error its place among those of the box, what the run
 * had, the exact value, and the ULP that are expected. */
typedef struct MarginNumbers {
    double excess, ulp;
    int64_t wrong, overflow, place;
    double got, exact, allowed;
} MarginNumbers;

enum { MARGIN_ALLOWED = 2 };
#define MARGIN_NONE UINT32_MAX

/* Which outputs of the trace a result has: its exact value, the bound of the error; `off`, where
 * that is no difference of values (places of equal elements, singular vectors). */
typedef struct MarginResult {
    uint32_t exact, bound, off; /* MARGIN_NONE = there is none */
} MarginResult;

typedef struct Margin {
    Trace *t;
    ValueId *inputs; /* the values of the statement's trace that they are, by input number */
    Box **boxes;     /* the part of each that is to be given */
    MarginResult *results;
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
/* What a run of the trace says of a result, of which `got` is the part that was asked about. */
MarginNumbers margin_judge(const MarginResult *r, const Tensor *got, const Run *run);

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
