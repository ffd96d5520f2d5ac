/*
 * gemm.h - blocked matrix products in double precision.
 *
 * Input: two matrices of any real dtype and layout, or one whose elements a function computes.
 * Output: a tile of their product in double. Sums are taken in order of k within blocks, without
 * fused multiply-add, so the bits are the same on every machine.
 */
#ifndef THUNDER_GEMM_H
#define THUNDER_GEMM_H

#include "elements.h"

typedef struct Matrix Matrix;

/* Elements (row, col) .. (row, col + n) of a computed matrix. */
typedef void MatrixRow(const Matrix *m, int64_t row, int64_t col, int64_t n, double *out);

struct Matrix {
    int64_t rows, cols;
    const char *base;
    DType dtype;
    int64_t row_stride, col_stride; /* in elements */
    MatrixRow *row;                 /* not NULL: the matrix is computed by it */
    const void *user;
};

enum { GEMM_ROWS = 96, GEMM_COLS = 192 }; /* largest tile */

/* Memory for tiles of a product of these sizes, in doubles; to be aligned to 64 bytes. */
size_t gemm_scratch(int64_t rows, int64_t cols, int64_t inner);
/* The tile of a b with rows i0 .. i0 + ni and columns j0 .. j0 + nj. Row r of it begins at the
 * result plus r times *stride; it lies in scratch. stop (may be NULL): gives up when it becomes
 * non-zero. */
const double *gemm_tile(const Matrix *a, const Matrix *b, int64_t i0, int64_t ni, int64_t j0,
                        int64_t nj, double *scratch, int64_t *stride, const volatile int *stop);

#endif
