/*
 * compare.h - what compare and compare --special share: operands, matching, judging.
 */
#ifndef THUNDER_COMPARE_H
#define THUNDER_COMPARE_H

#include "repl.h"

/* STAGE[@EXECUTORS|@f64] */
typedef struct Operand {
    const Stage *st;
    ExecList list;
    const ExecList *executors; /* NULL = those that claimed */
    Rounding rounding;
    const Run *run;
    Str name;
} Operand;

typedef struct Tolerance {
    double rtol, atol; /* < 0 = those of the dtype */
    bool zeros;        /* 0 and -0 differ */
} Tolerance;

/* Differences that no node shows (inputs changed in place, the run as planned, gradients), told
 * as lines; returns how many. alike: no value differs. *results gets the number of results that
 * were compared. */
uint32_t compare_ends(Repl *r, Program *p, const Operand *x, const Operand *y, Tolerance tol,
                      bool alike, uint32_t *results);

/* Stage-0 value -> value of run y that stands for it. */
ValueId *map_origins(Repl *r, const Run *y);
/* The value of y that v of x corresponds to; 0 when there is none. */
ValueId partner_of(const Run *x, ValueId v, const Run *y, const ValueId *origin_map);
Comparison compare_pair(const Operand *x, const Operand *y, Tensor *a, Tensor *b, Tolerance tol);

/* Differences of two runs, judged by the second one's stage in double precision. */
typedef struct Assessing {
    const Operand *x, *y;
    Run run;
    const Run *oracle;
    const ValueId *origin_map;
    const bool *top_a, *top_b; /* by value: a statement of its own makes it, or it is an input */
    Assess *assess;
} Assessing;

/* x and y have run. The Assessing must stay where it is until assessing_end. */
bool assessing_begin(Repl *r, Program *p, const Operand *x, const Operand *y, Assessing *out);
void assessing_end(Assessing *g);

/* Each statement of x's stage (or the one that makes `only`) against the oracle. */
bool compare_each(Repl *r, const Args *a, Program *p, const Operand *x, ValueId only);
/* Runs both with special values in every input, class by class. */
bool compare_special(Repl *r, const Args *a, Program *p, Operand *x, Operand *y, Tolerance tol);

#endif
