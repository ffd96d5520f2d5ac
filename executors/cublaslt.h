/*
 * cublaslt.h - cuBLASLt, opened at run time: a matrix product with its layouts and what follows it.
 *
 * Input: sizes and strides of the operands as they lie on the GPU. Output: a prepared product whose
 * algorithm was chosen by measuring those that the library proposes. Declarations are our own.
 */
#ifndef THUNDER_CUBLASLT_H
#define THUNDER_CUBLASLT_H

#include "cuda_kernels.h"

typedef struct LtHandle LtHandle;
typedef struct LtDesc LtDesc;
typedef struct LtLayout LtLayout;
typedef struct LtPref LtPref;

typedef struct LtAlgo {
    uint64_t data[8];
} LtAlgo;

/* What is taken for a product, and the bytes that it works in. */
typedef struct LtChoice {
    LtAlgo algo;
    size_t workspace;
} LtChoice;

typedef struct LtHeuristic {
    LtAlgo algo;
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
} LtHeuristic;

#define CUBLASLT_FUNCTIONS(F)                                                                      \
    F(cublasLtCreate, create, (LtHandle * *h))                                                     \
    F(cublasLtDestroy, destroy, (LtHandle * h))                                                    \
    F(cublasLtMatmul, matmul,                                                                      \
      (LtHandle * h, LtDesc * op, const void *alpha, uint64_t a, LtLayout *la, uint64_t b,         \
       LtLayout *lb, const void *beta, uint64_t c, LtLayout *lc, uint64_t d, LtLayout *ld,         \
       const LtAlgo *algo, uint64_t workspace, size_t size, CuStream *s))                          \
    F(cublasLtMatmulDescCreate, desc_create, (LtDesc * *op, int compute, int scale_type))          \
    F(cublasLtMatmulDescDestroy, desc_destroy, (LtDesc * op))                                      \
    F(cublasLtMatmulDescSetAttribute, desc_set,                                                    \
      (LtDesc * op, int attribute, const void *value, size_t size))                                \
    F(cublasLtMatrixLayoutCreate, layout_create,                                                   \
      (LtLayout * *l, int type, uint64_t rows, uint64_t cols, int64_t ld))                         \
    F(cublasLtMatrixLayoutDestroy, layout_destroy, (LtLayout * l))                                 \
    F(cublasLtMatrixLayoutSetAttribute, layout_set,                                                \
      (LtLayout * l, int attribute, const void *value, size_t size))                               \
    F(cublasLtMatmulPreferenceCreate, pref_create, (LtPref * *p))                                  \
    F(cublasLtMatmulPreferenceDestroy, pref_destroy, (LtPref * p))                                 \
    F(cublasLtMatmulPreferenceSetAttribute, pref_set,                                              \
      (LtPref * p, int attribute, const void *value, size_t size))                                 \
    F(cublasLtMatmulAlgoGetHeuristic, heuristic,                                                   \
      (LtHandle * h, LtDesc * op, LtLayout *a, LtLayout *b, LtLayout *c, LtLayout *d, LtPref *p,   \
       int asked, LtHeuristic *results, int *found))                                               \
    F(cublasLtMatmulAlgoCheck, check,                                                              \
      (LtHandle * h, LtDesc * op, LtLayout *a, LtLayout *b, LtLayout *c, LtLayout *d,              \
       const LtAlgo *algo, LtHeuristic *result))

typedef struct Lt {
    void *lib;
    LtHandle *handle;
#define FIELD(symbol, name, params) int(*name) params;
    CUBLASLT_FUNCTIONS(FIELD)
#undef FIELD
    size_t (*version)(void);
    uint64_t workspace; /* address on the GPU */
    const Branches *lent_to; /* the recording that has workspaces of its own, */
    size_t lent;             /* of so many bytes */
    Map choices;        /* facts of a product -> LtChoice * */
    Arena arena;
} Lt;

enum { LT_WORKSPACE = 64 << 20, LT_LENT = 1 << 30 };

typedef enum LtEpilogue {
    LT_nothing = 1,
    LT_relu = 2, /* NaN stays NaN */
    LT_bias = 4,
    LT_gelu = 32, /* by tanh */
    LT_gelu_bias = 36,
    LT_aux = 128, /* what gelu is computed of is written, too */
} LtEpilogue;

/* One operand: element (r, c) of batch b lies at at + b batch + r row + c col, in elements. */
typedef struct LtMatrix {
    int64_t rows, cols, row, col, batch;
} LtMatrix;

/* d = a b, row by row: what cuBLASLt, which thinks in columns, calls b^T a^T. */
typedef struct LtProduct {
    DType dtype;
    LtMatrix a, b; /* m x k, k x n; d is dense */
    int64_t batches;
    int epilogue; /* of LtEpilogue */
    DType b_dtype, d_dtype; /* where they are others than dtype, of 8-bit floats; else DT_none */
    bool adds;    /* d = a b + c */
} LtProduct;

typedef struct LtPlan {
    LtProduct product;
    LtDesc *op;
    LtLayout *la, *lb, *ld;
    LtAlgo algo;
    size_t workspace; /* bytes that algo writes into the library's */
    bool chosen;
    bool apart; /* the other way is taken: it is faster, or the only one */
    double ms;  /* of the chosen one, when it was measured in this session */
} LtPlan;

/* Addresses on the GPU, 0 = none. */
typedef struct LtPlaces {
    uint64_t a, b, bias, aux, c, d;
    uint64_t scale_a, scale_b; /* of 8-bit floats: the product is multiplied by what lies there */
} LtPlaces;

/* Another way to the same results, and how long it takes (< 0: it failed). */
typedef struct LtOther {
    double (*time)(void *user);
    void *user;
} LtOther;

/* Loads the library, for lt_of to find it loaded. */
void lt_ahead(Str folder);
/* The library of a device, opened once. NULL with an error. */
Lt *lt_of(OpenDevice *dev, Str folder, Diag *d);
/* Whether the library can read the operand as it lies. */
bool lt_readable(const LtMatrix *m);
bool lt_plan(Lt *lt, const LtProduct *p, LtPlan *out);
void lt_plan_free(Lt *lt, LtPlan *plan);
/* The first call chooses the algorithm: one that the folder of compiled kernels remembers, else the
 * fastest, unless the device is recording. With beta, results are added to what d has. other may be
 * NULL; where it is faster, or the library has no way, plan->apart is set and nothing is computed:
 * that is no failure. */
bool lt_run(Lt *lt, OpenDevice *dev, LtPlan *plan, const LtPlaces *at, double beta, Str cache,
            const LtOther *other);

#endif
