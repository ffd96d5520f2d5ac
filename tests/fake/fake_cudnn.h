/*
 * fake_cudnn.h - what tests may ask and set of the library of convolutions that is none.
 */
#ifndef THUNDER_FAKE_CUDNN_H
#define THUNDER_FAKE_CUDNN_H

typedef struct FakeDn {
    int runs;       /* plans run so far, those that were measured, too */
    int proposal;   /* number of the one that ran last */
    int fuses;      /* set by tests: graphs of more than one operation are taken */
    int refuses;    /* set by tests: nothing is taken */
    int numbers;    /* set by tests: a bit for each thing that the first engine does to numbers */
    int asked;      /* how often engines were asked for */
    int wrong;      /* calls that the library would refuse */
} FakeDn;

#endif
