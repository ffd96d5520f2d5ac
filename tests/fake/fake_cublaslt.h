/*
 * fake_cublaslt.h - what tests may ask and set of the library of products that is none.
 */
#ifndef THUNDER_FAKE_CUBLASLT_H
#define THUNDER_FAKE_CUBLASLT_H

typedef struct FakeLt {
    int matmuls;   /* products computed so far, those that were measured, too */
    int epilogue;  /* of the last one */
    int adds;      /* the last one added what lay somewhere else */
    int refused;   /* an epilogue that the library has no algorithm for; 0 = none */
    int wrong;     /* calls that the library would refuse */
} FakeLt;

#endif
