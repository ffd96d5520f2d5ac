/*
 * interp_matmul.c - matrix products.
 *
 * Input: operands of one dtype in any layout. Output: the product, each element a sum in double (or
 * wrapping integers, or complex) that is rounded once, the bias included; sums of f32 are f32, in
 * PyTorch's order. One idea: a vector is a matrix with one row or column, and every product is a
 * batch of matrix products.
 */
#include "interp.h"

#include "gemm.h"

#include <stdlib.h>
#include <string.h>

/* A batch of products: operands by their strides, results dense. */
typedef struct Product {
    Interp *x;
    const Tensor *ta, *tb;
    const Tensor *bias; /* one an output column, or NULL */
    Tensor *out;
    GemmSum sum;
    Matrix a, b; /* of batch 0 */
    uint32_t nbatch;
    int64_t batch[MAX_RANK], a_batch[MAX_RANK], b_batch[MAX_RANK]; /* sizes and strides */
    int64_t batches;
} Product;

static Matrix matrix_of(const Tensor *t, int64_t rows, int64_t cols, int64_t row_stride,
                        int64_t col_stride)
{
    return (Matrix){.rows = rows,
                    .cols = cols,
                    .base = tensor_data(t),
                    .dtype = t->dtype,
                    .row_stride = row_stride,
                    .col_stride = col_stride};
}

/* The matrices of batch number i. */
static void batch_at(const Product *p, int64_t i, Matrix *a, Matrix *b)
{
    int64_t a_off = 0, b_off = 0;
    for (uint32_t d = p->nbatch; d-- > 0;) {
        a_off += i % p->batch[d] * p->a_batch[d];
        b_off += i % p->batch[d] * p->b_batch[d];
        i /= p->batch[d];
    }
    *a = p->a;
    *b = p->b;
    a->base += a_off * (int64_t)bytes_of(p->ta);
    b->base += b_off * (int64_t)bytes_of(p->tb);
}

static void store_tile(const Product *p, int64_t batch, int64_t i0, int64_t ni, int64_t j0,
                       int64_t nj, const double *tile, int64_t stride)
{
    double row[GEMM_COLS], bias[GEMM_COLS] = {0};
    char *out = tensor_data(p->out);
    if (p->bias)
        run_get_f64((char *)tensor_data(p->bias) +
                        j0 * p->bias->strides[0] * (int64_t)bytes_of(p->bias),
                    p->bias->dtype, p->bias->strides[0], nj, bias);
    for (int64_t i = 0; i < ni; i++) {
        for (int64_t j = 0; j < nj; j++)
            row[j] = tile[i * stride + j] + bias[j];
        int64_t at = (batch * p->a.rows + i0 + i) * p->b.cols + j0;
        run_set_f64(out + at * (int64_t)bytes_of(p->out), p->out->dtype, 1, nj,
                    p->bias ? row : tile + i * stride);
    }
}

static bool float_product(const Product *p)
{
    int64_t down = (p->a.rows + GEMM_ROWS - 1) / GEMM_ROWS;
    int64_t right = (p->b.cols + GEMM_COLS - 1) / GEMM_COLS;
    int64_t tiles = p->batches * down * right;
    size_t bytes = gemm_scratch(p->a.rows, p->b.cols, p->a.cols) * sizeof(double);
    bool no_memory = false;
    int64_t work = tiles * (p->a.cols + 1) * p->a.rows;
    PARALLEL_FOR(tiles > 1 && work >= PARALLEL_FROM)
    for (int64_t t = 0; t < tiles; t++) {
        int64_t batch = t / (down * right), i0 = t / right % down * GEMM_ROWS;
        int64_t j0 = t % right * GEMM_COLS, stride;
        int64_t ni = p->a.rows - i0 < GEMM_ROWS ? p->a.rows - i0 : GEMM_ROWS;
        int64_t nj = p->b.cols - j0 < GEMM_COLS ? p->b.cols - j0 : GEMM_COLS;
        double *scratch = aligned_alloc(64, (bytes + 63) / 64 * 64);
        Matrix a, b;
        if (!scratch) {
            no_memory = true;
        } else if (!stopped(p->x)) {
            batch_at(p, batch, &a, &b);
            const double *tile =
                gemm_tile(&a, &b, p->sum, i0, ni, j0, nj, scratch, &stride, p->x->call->interrupt);
            store_tile(p, batch, i0, ni, j0, nj, tile, stride);
        }
        free(scratch);
    }
    return no_memory ? keep(p->x, NULL) != NULL : true;
}

/* One of the operands is a vector. */
static bool vector_product(const Product *p)
{
    bool by_column = p->b.cols > 1;
    int64_t lines = by_column ? p->b.cols : p->a.rows;
    int64_t panels = (lines + GEMV_LINES - 1) / GEMV_LINES, tiles = p->batches * panels;
    PARALLEL_FOR(tiles > 1 && tiles * p->a.cols >= PARALLEL_FROM / GEMV_LINES)
    for (int64_t t = 0; t < tiles; t++) {
        int64_t l0 = t % panels * GEMV_LINES;
        int64_t n = lines - l0 < GEMV_LINES ? lines - l0 : GEMV_LINES;
        double out[GEMV_LINES];
        Matrix a, b;
        if (stopped(p->x))
            continue;
        batch_at(p, t / panels, &a, &b);
        gemv_lines(by_column ? &b : &a, by_column, by_column ? &a : &b, l0, n, out,
                   p->x->call->interrupt);
        store_tile(p, t / panels, by_column ? 0 : l0, by_column ? 1 : n, by_column ? l0 : 0,
                   by_column ? n : 1, out, 1);
    }
    return true;
}

/* Integers and complex numbers: a plain sum for each element. Rows of a and columns of b are read
 * into buffers first. */
static void other_row(const Product *p, LoopType type, const Matrix *a, const Matrix *b, int64_t i,
                      char *mem, char *out)
{
    int64_t k = a->cols, shape = k;
    char *x = mem, *y = mem + (size_t)k * 16;
    Walk w;
    walk_init_view(&w, p->ta, 1, &shape, &a->col_stride, 0);
    w.base = (char *)a->base + i * a->row_stride * (int64_t)w.size;
    load(&w, type, 0, k, x);
    walk_init_view(&w, p->tb, 1, &shape, &b->row_stride, 0);
    for (int64_t j = 0; j < b->cols; j++) {
        w.base = (char *)b->base + j * b->col_stride * (int64_t)w.size;
        load(&w, type, 0, k, y);
        const uint64_t *xi = (const void *)x, *yi = (const void *)y;
        const double *xc = (const void *)x, *yc = (const void *)y;
        double re = 0, im = 0;
        uint64_t sum = 0;
        for (int64_t n = 0; n < k; n++) {
            if (type == LOOP_i64) {
                sum += xi[n] * yi[n];
            } else {
                re += xc[2 * n] * yc[2 * n] - xc[2 * n + 1] * yc[2 * n + 1];
                im += xc[2 * n] * yc[2 * n + 1] + xc[2 * n + 1] * yc[2 * n];
            }
        }
        if (type == LOOP_i64)
            memcpy(out + 8 * j, &sum, 8);
        else
            memcpy(out + 16 * j, (double[]){re, im}, 16);
    }
}

static bool add_bias(const Product *p, LoopType type, int64_t n, char *row)
{
    Walk w;
    if (!p->bias)
        return true;
    char *bias = malloc((size_t)n * 16 + 1);
    if (!bias)
        return keep(p->x, NULL) != NULL;
    walk_init(&w, p->bias);
    load(&w, type, 0, n, bias);
    for (int64_t j = 0; j < n; j++) {
        if (type == LOOP_i64)
            ((uint64_t *)(void *)row)[j] += ((uint64_t *)(void *)bias)[j];
        for (int64_t c = 2 * j; type == LOOP_c128 && c < 2 * j + 2; c++)
            ((double *)(void *)row)[c] += ((double *)(void *)bias)[c];
    }
    free(bias);
    return true;
}

static bool other_product(const Product *p, LoopType type)
{
    int64_t rows = p->a.rows, n = p->b.cols;
    char *mem = malloc((size_t)p->a.cols * 32 + 1), *row = malloc((size_t)n * 16 + 1);
    bool ok = mem && row;
    Matrix a, b;
    Walk w;
    walk_init(&w, p->out);
    for (int64_t i = 0; ok && i < p->batches * rows && !stopped(p->x); i++) {
        batch_at(p, i / rows, &a, &b);
        other_row(p, type, &a, &b, i % rows, mem, row);
        ok = add_bias(p, type, n, row);
        store(&w, type, i * n, n, row);
    }
    if (!mem || !row)
        keep(p->x, NULL);
    free(mem);
    free(row);
    return ok;
}

static bool product(Product *p)
{
    if (tensor_numel(p->out) == 0)
        return true;
    LoopType type = loop_type(p->ta->dtype);
    bool narrow = p->ta->dtype == DT_f32 && p->tb->dtype == DT_f32;
    p->sum = narrow && !p->x->f64 ? GEMM_f32 : GEMM_f64;
    if (type != LOOP_f64 || loop_type(p->tb->dtype) != LOOP_f64)
        return other_product(p, type);
    bool vector = (p->a.rows == 1 || p->b.cols == 1) && !p->bias;
    return p->sum == GEMM_f32 && vector ? vector_product(p) : float_product(p);
}

bool k_matmul(Interp *x)
{
    const Tensor *a = in_tensor(x, 0), *b = a ? in_tensor(x, 1) : NULL;
    Tensor *out = b ? out_new(x, 0) : NULL;
    if (!out)
        return false;
    uint32_t ra = a->rank, rb = b->rank;
    Product p = {.x = x, .ta = a, .tb = b, .out = out, .batches = 1};
    p.a = ra == 1 ? matrix_of(a, 1, a->shape[0], 0, a->strides[0])
                  : matrix_of(a, a->shape[ra - 2], a->shape[ra - 1], a->strides[ra - 2],
                              a->strides[ra - 1]);
    p.b = rb == 1 ? matrix_of(b, b->shape[0], 1, b->strides[0], 0)
                  : matrix_of(b, b->shape[rb - 2], b->shape[rb - 1], b->strides[rb - 2],
                              b->strides[rb - 1]);
    const Tensor *batch = ra >= rb ? a : b;
    for (uint32_t i = 0; i + 2 < batch->rank; i++) {
        p.batch[i] = batch->shape[i];
        p.a_batch[i] = ra > 2 ? a->strides[i] : 0;
        p.b_batch[i] = rb > 2 ? b->strides[i] : 0;
        p.batches *= batch->shape[i];
        p.nbatch++;
    }
    return product(&p);
}

/* The leading dimensions of a are rows where they can be joined, else batches. */
bool k_linear(Interp *x)
{
    Tensor *a = in_tensor(x, 0);
    const Tensor *w = a ? in_tensor(x, 1) : NULL;
    const Tensor *bias = w && !in_is_none(x, 2) ? in_tensor(x, 2) : NULL;
    Tensor *out = w && (bias || in_is_none(x, 2)) ? out_new(x, 0) : NULL;
    if (!out)
        return false;
    if (a->rank > 2 && !tensor_is_contiguous(a) && !(a = keep(x, tensor_clone(a))))
        return false;
    int64_t k = w->shape[1], rows = 1;
    for (uint32_t i = 0; i + 1 < a->rank; i++)
        rows *= a->shape[i];
    Product p = {.x = x, .ta = a, .tb = w, .bias = bias, .out = out, .batches = 1};
    p.a = matrix_of(a, rows, k, a->rank == 2 ? a->strides[0] : k, a->strides[a->rank - 1]);
    p.b = matrix_of(w, k, w->shape[0], w->strides[1], w->strides[0]);
    return product(&p);
}
