/*
 * differences.h - gradients against central differences of the f64 oracle.
 */
#ifndef THUNDER_DIFFERENCES_H
#define THUNDER_DIFFERENCES_H

#include "session.h"

typedef struct Differences {
    bool agree;
    Str input;        /* whose gradient differs most */
    double got, want; /* the derivative along one direction, by the gradient and by differences */
    uint32_t checked; /* inputs whose gradients were looked at */
    uint32_t left;    /* and were not, for want of time */
    double seconds;   /* set by the caller: no further input is begun after that; 0 = any time */
} Differences;

/* The gradients among the outputs of a joint run (behind the `first` outputs of the program)
 * against differences of `forward`, the program before pass joint. Inputs and cotangents are the
 * bindings of p; cotangents without one are ones. false after an error. */
bool differences_check(Session *s, const Program *p, const Trace *forward, const Run *joint,
                       Differences *out, Diag *d);

/* Whether a trace computes in f16 or bf16: what these round is more than a wrong rule may change,
 * so that its gradients are compared with differences in double precision. */
bool in_low_precision(const Trace *t);
/* Runs st (in double precision when that is so) and checks its gradients so; nothing is checked
 * (and all agrees) when st has none. */
bool differences_stage(Session *s, Program *p, const Stage *st, Differences *out, Diag *d);
/* The stage in front of pass joint on the way to st; NULL when there is none. */
const Stage *stage_before_gradients(const Stage *st);
/* How many nodes the forward part of a joint stage has, as pass joint has opened them. */
uint32_t differences_nodes(const Stage *joint);
/* How many of them there are up to the one that makes v; 0 when none does. */
uint32_t differences_upto(const Stage *joint, ValueId v);
/* The same for the program that ends behind forward node `n` (from 0) of the joint stage, with all
 * values so far as outputs: whether the rules up to there are right. *made gets what node n - 1
 * makes. */
bool differences_prefix(Session *s, const Program *p, const Stage *joint, uint32_t n,
                        Differences *out, ValueId *made, Diag *d);

#endif
