/*
 * differences.h - gradients against central differences of the f64 oracle.
 */
#ifndef THUNDER_DIFFERENCES_H
#define THUNDER_DIFFERENCES_H

#include "run.h"

typedef struct Differences {
    bool agree;
    Str input;        /* whose gradient differs most */
    double got, want; /* the derivative along one direction, by the gradient and by differences */
    uint32_t checked; /* inputs whose gradients were looked at */
} Differences;

/* The gradients among the outputs of a joint run (behind the `first` outputs of the program)
 * against differences of `forward`, the program before pass grad. Inputs and cotangents are the
 * bindings of p; cotangents without one are ones. false after an error. */
bool differences_check(Session *s, const Program *p, const Trace *forward, const Run *joint,
                       Differences *out, Diag *d);

/* How many nodes the forward part of a joint stage has, as pass grad has opened them. */
uint32_t differences_nodes(const Stage *joint);
/* The same for the program that ends behind forward node `n` (from 0) of the joint stage, with all
 * values so far as outputs: whether the rules up to there are right. *made gets what node n - 1
 * makes. slot: that of pass grad. */
bool differences_prefix(Session *s, const Program *p, const Stage *joint, uint32_t n,
                        Differences *out, ValueId *made, Diag *d);

#endif
