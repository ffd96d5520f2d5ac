/*
 * layout.h - how kernels lay out what they write, so that those who read it need not copy.
 *
 * Input: a claimed trace. Output: strides for results whose readers want another order of the
 * dimensions, and places inside the result of a cat for its operands.
 */
#ifndef THUNDER_LAYOUT_H
#define THUNDER_LAYOUT_H

#include "alias.h"
#include "pass.h"

/* Chooses layouts of results of `in`, one application each: t, derived from in, gets them in its
 * values, *out the places. Memory of *out is scratch's. False when there is none to choose. */
bool layouts_choose(PassCtx *c, const Trace *in, Trace *t, Arena *scratch, Layouts *out);

/* alias_build of a trace as its plan has it: results lie as their layouts say, and operands of a
 * cat that share its offsets are parts of its result. */
void alias_build_planned(Alias *a, const Trace *t);

#endif
