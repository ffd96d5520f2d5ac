/*
 * shrink.h - smaller programs made from a program: what minify tries.
 */
#ifndef THUNDER_SHRINK_H
#define THUNDER_SHRINK_H

#include "session.h"

/* A program at stage 0 with its inputs. */
typedef struct Small {
    Trace *t;
    Tensor **inputs; /* by input number; NULL = unbound */
} Small;

void small_free(Small *s);
uint32_t small_size(const Small *s); /* statements */

/* What is changed on the way from one program to the next. */
typedef struct Change {
    const bool *drop;       /* by statement: left out; what is still read of it becomes an input */
    const ValueId *instead; /* by value: another one in its place, 0 = none; may be NULL */
    const Arg *outputs;     /* NULL = as they are */
    uint32_t noutputs;
    int64_t size, to_size;  /* every size and every int literal `size` becomes to_size */
    DType dtype, to_dtype;  /* of inputs; DT_none = as they are */
} Change;

/* from with that change. values: what from computes, by value, for inputs that were results. false
 * when operators do not take what they get then. Statements keep their names and places. */
bool shrink(const Small *from, const Change *c, Tensor *const *values, Small *out);

#endif
