/*
 * chain.h - inside pass fuse: matrix products that one kernel computes with what follows them.
 */
#ifndef THUNDER_CHAIN_H
#define THUNDER_CHAIN_H

#include "pass.h"

/* What the search goes by. */
typedef struct ChainSearch {
    PassCtx *c;
    const Trace *in;
    const NodeId *made; /* by value: the top-level node that makes it; NO_NODE = an input */
    const bool *late;   /* by node: it may be moved behind where it stands */
    const bool *piece;  /* by node: it is not computed by itself */
    NodeId border;      /* where the backward part begins: no chain goes across */
    Arena *scratch;
} ChainSearch;

/* Top-level nodes, ascending; all stand where the last of them does: nothing between them reads
 * what they make. */
typedef struct Chain {
    const char *executor;
    const NodeId *nodes;
    uint32_t n;
} Chain;

/* All chains in order; each has been applied as one change. */
uint32_t chains_find(const ChainSearch *s, const Chain **out);

#endif
