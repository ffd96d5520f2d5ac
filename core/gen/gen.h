/*
 * gen.h - from a region of prims to the text of one C function.
 *
 * Input: a region (prims of a trace in order, and which of their values leave it). Output: whether
 * one loop nest can compute it, and if so a readable C function. One idea: a value is asked for at
 * an index, not computed as a whole; broadcasts, reshapes, transposes and slices only change the
 * index that is passed on, so they cost nothing in the loop.
 */
#ifndef THUNDER_GEN_H
#define THUNDER_GEN_H

#include "ir.h"

typedef struct Region {
    const Trace *t;
    const NodeId *nodes; /* prims without sub-nodes, in order */
    uint32_t n;
    const ValueId *outs; /* values that are needed outside */
    uint32_t nouts;
} Region;

typedef struct GenOptions {
    bool eager_rounding; /* round every intermediate f16 and bf16 value, as PyTorch eager does */
} GenOptions;

enum { MAX_REGION_INPUTS = 48, MAX_REGION_NODES = 160 };

/* Whether a loop nest can compute node n by itself; why_not gets one clause when it cannot. */
bool gen_takes(const Trace *t, NodeId n, StrBuf *why_not);
/* Whether one loop nest computes the whole region; why_not as above. */
bool gen_fits(const Region *r, StrBuf *why_not);
/* The region that a claimed node stands for: the leaves of a prims.call with its outputs, or a prim
 * by itself. Arrays lie in a. false when it has parts that are no prims. */
bool gen_region(const Trace *t, NodeId n, Arena *a, Region *out);
/* Values that the region reads, in order of first use; at most MAX_REGION_INPUTS are stored, the
 * count is returned. Numbers that are known are no inputs. */
uint32_t gen_inputs(const Region *r, ValueId in[MAX_REGION_INPUTS]);
/* Appends "int SYMBOL(void *const *in, void *const *out)": pointers to dense tensors in the order
 * of gen_inputs and of r->outs; its result is not 0 after an integer division by zero. Comments
 * name the values of the trace; without them equal computations have equal text. */
bool gen_c(const Region *r, const GenOptions *o, const char *symbol, StrBuf *out, StrBuf *why_not);
const char *gen_c_prelude(void); /* what every file of such functions begins with */

#endif
