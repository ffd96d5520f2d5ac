/*
 * put.h - the inverse of a view: a new base in which the elements that a view shows are replaced.
 */
#ifndef THUNDER_PUT_H
#define THUNDER_PUT_H

#include "ir.h"

/* Whether the elements of the base outside of the view are to be kept. */
bool view_keeps_base(const Node *step);

/* For the view `v = step(base, ...)` of a base of that type, and a tensor value of v's shape and
 * dtype: emits a tensor like base from which step would show value, the elements outside of the
 * view being base's own, bit for bit. The view must not overlap itself. base is not read (and may
 * be None) unless view_keeps_base. */
Arg view_put(Build *b, const Node *step, const Type *type, Arg base, Arg value);

#endif
