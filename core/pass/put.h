/*
 * put.h - the inverse of a view: a new base in which the elements that a view shows are replaced.
 */
#ifndef THUNDER_PUT_H
#define THUNDER_PUT_H

#include "ir.h"

/* For the view `v = step(base, ...)` and a tensor value of v's shape and dtype: emits a tensor like
 * base from which step would show value, the elements outside of the view being base's own, bit for
 * bit. The view must not overlap itself. */
Arg view_put(Build *b, const Node *step, Arg base, Arg value);

#endif
