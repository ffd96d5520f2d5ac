/*
 * fake_cuda.h - what tests may ask and set of the GPU that is none (fake_cuda.c).
 */
#ifndef THUNDER_FAKE_CUDA_H
#define THUNDER_FAKE_CUDA_H

#include <stddef.h>

typedef struct FakeCuda {
    size_t memory;  /* bytes that the GPU has; set by tests */
    size_t used;
    int blocks;     /* allocations on the GPU, and pinned ones, that are not freed */
    int pinned;
    int streams, events, graphs, contexts; /* alive */
    int launches, plays, uploads, downloads;
    int early; /* launches that may begin before the one before them has ended */
    int fail_launch; /* the launch with this number, from 1, breaks the context; 0 = none */
    int fail_play;   /* the next graph that is played breaks it */
    int for_good;    /* not even a reset mends it */
    int endless_launch; /* the launch with this number does not end */
    int waits; /* calls that would wait for ever behind it */
    int wrong;       /* calls that a driver would refuse: sizes out of bounds, bad order, an
                      * early launch behind several works */
} FakeCuda;

/* A kernel: works on the memory that the parameters point to. */
typedef void FakeKernel(void **params);

#endif
