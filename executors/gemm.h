/*
 * gemm.h - blocked matrix products.
 *
 * Input: two matrices of any real dtype and layout, or one whose elements a function computes.
 * Output: a tile of their product. Sums are taken in order of k, so the bits are the same on every
 * machine: in double, or in float with one rounding a step (fused multiply-add), which gives
 * PyTorch's f32 products to the last bit.
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
enum { GEMM_DEPTH = 256 };                /* so many terms of a sum are packed at a time */
enum { GEMV_LINES = 16 };

typedef enum GemmSum { GEMM_f64, GEMM_f32 } GemmSum;

/* Memory for tiles of a product of these sizes, in doubles; to be aligned to 64 bytes. */
size_t gemm_scratch(int64_t rows, int64_t cols, int64_t inner);
/* The tile of a b with rows i0 .. i0 + ni and columns j0 .. j0 + nj. Row r of it begins at the
 * result plus r times *stride; it lies in scratch. stop (may be NULL): gives up when it becomes
 * non-zero. */
const double *gemm_tile(const Matrix *a, const Matrix *b, GemmSum sum, int64_t i0, int64_t ni,
                        int64_t j0, int64_t nj, double *scratch, int64_t *stride,
                        const volatile int *stop);

/* Packs lines l0 .. l0 + nl of m over k0 .. k0 + nk (at most GEMM_DEPTH): panels of `unit` lines,
 * within a panel k after k. Lines are rows, or columns when by_column. Missing lines of the last
 * panel are zero. */
void gemm_pack(const Matrix *m, bool by_column, int64_t l0, int64_t nl, int64_t k0, int64_t nk,
               int64_t unit, double *out);

/* Products in float of lines l0 .. l0 + n (at most GEMV_LINES) of m and the vector v: rows of m, v
 * a column; or, when by_column, columns of m, v a row. */
void gemv_lines(const Matrix *m, bool by_column, const Matrix *v, int64_t l0, int64_t n,
                double out[GEMV_LINES], const volatile int *stop);

#endif
