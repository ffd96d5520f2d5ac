/*
 * plan.h - inside pass plan: lifetimes, which plan.c notes, and places, which places.c finds.
 */
#ifndef THUNDER_PLAN_H
#define THUNDER_PLAN_H

#include "alias.h"
#include "pass.h"

enum { MAX_DEVICES = 16 };

typedef struct Plan {
    PassCtx *c;
    const Trace *in;
    Trace *t;
    Alias alias;
    NodeId *last; /* by value: the top-level node of its last use (at least the one making it) */
    NodeId *last_any; /* by root: of the last use of any value in this storage */
    NodeId *made; /* by value: the top-level node that makes it; NO_NODE = not seen at top level */
    uint8_t *output; /* by root: reaches the output */
    uint8_t *placed; /* by root: it is among the temporaries */
    ValueId *over;   /* by root: the root whose place it takes; 0 = it has one of its own */
    ValueId *under;  /* the other way round */
    Device devices[MAX_DEVICES];
    uint32_t ndevices;
    NodeId node; /* of the walk under way */
} Plan;

/* Lifetimes are noted: gives every temporary of p->t an offset, or none when the application that
 * does it is left out. */
void plan_memory(Plan *p, Arena *scratch);

#endif
