/*
 * remat.h - the inside of the remat pass: what it knows of a split trace, and what the cut says.
 */
#ifndef THUNDER_REMAT_H
#define THUNDER_REMAT_H

#include "cut.h"
#include "rewrite.h"

/* What a kept byte is worth in the units of the cut: enough for prices below one byte. */
enum { UNIT = 16 };

typedef struct RematOptions {
    double budget;     /* memory_budget: 1 = only what is cheap runs twice, 0 = all that can */
    double price;      /* bytes kept that one byte moved once more is worth */
    double reductions; /* elements read for one result from which a reduction is not repeated */
    double matmul;     /* operations for one byte kept up to which a product is; < 0 = never */
} RematOptions;

typedef struct Remat {
    PassCtx *c;
    const Trace *in;
    Trace *t;
    Arena scratch;
    RematOptions o;
    NodeId end;      /* the end_forward */
    NodeId *maker;   /* by value: the top-level node that makes it; NO_NODE = an input, or inner */
    bool *is_input;  /* by value */
    bool *late;      /* by value: depends on a cotangent */
    bool *late_node; /* by node */
    bool *wanted;    /* by value: late nodes, or the gradients, need it */
    bool *firm;      /* by value: some reader cannot take it from inside of its own kernel */
    bool *outside;   /* by value: read outside of the checkpoint region that makes it */
    bool *written;   /* by value: its storage is written at the end of the forward part */
    bool *again;     /* by value: the cut says it is not kept */
    bool *kept;      /* by value: the cut goes through it */
    double used_price; /* of a byte moved, for the cut that was chosen */
} Remat;

bool remat_read_options(Remat *r);
/* Fills the facts by value and by node. */
void remat_find_facts(Remat *r);
/* Solves for again and kept. */
void remat_cut(Remat *r);

/* Why node n may not run twice; NULL when it may. */
const char *remat_obstacle(const Remat *r, NodeId n);
/* The option whose threshold forbids it, and the figure that it is held against; else NULL. */
const char *remat_limit(const Remat *r, NodeId n, double *figure);
/* Bytes that running node n once more moves, as far as kernels are fused; and whether they are. */
double remat_traffic(const Remat *r, NodeId n, bool *fused);

#endif
