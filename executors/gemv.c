/*
 * gemv.c - a matrix times a vector, in float.
 *
 * One idea: the order of the sums is that of the library under PyTorch, so that results agree where
 * terms cancel. Four sums take turns, from the last term to the first; the terms that do not fill
 * a turn come before all others and go to the last of the four. Lines of floats that stand close
 * are read where they are; all others are packed.
 */
#include "gemm.h"

#include <math.h>
#include <string.h>

enum { TURN = 4, BLOCK = GEMM_DEPTH, ROWS = 4 };

typedef float Turn __attribute__((vector_size(TURN * sizeof(float))));

typedef struct Sums {
    float of[TURN][GEMV_LINES];
} Sums;

/* Lines l0 .. l0 + n of a matrix: element k of line l is at base + l * line + k * inner. */
typedef struct Lines {
    const Matrix *m;
    bool by_column;
    int64_t l0, n, length, line, inner;
    const float *base; /* NULL: to be packed */
} Lines;

static Lines lines_of(const Matrix *m, bool by_column, int64_t l0, int64_t n)
{
    Lines x = {m, by_column, l0, n, by_column ? m->rows : m->cols,
               by_column ? m->col_stride : m->row_stride,
               by_column ? m->row_stride : m->col_stride, NULL};
    if (m->dtype == DT_f32 && !m->row && (x.inner == 1 || (x.line == 1 && n == GEMV_LINES)))
        x.base = (const float *)(const void *)m->base + l0 * x.line;
    return x;
}

/* The terms that do not fill a turn, with one rounding a step. */
static void add_head(Sums *s, int64_t n, const float *lines, const float *vector)
{
    for (int64_t k = 0; k < n; k++)
        for (int64_t l = 0; l < GEMV_LINES; l++)
            s->of[TURN - 1][l] =
                fmaf(lines[k * GEMV_LINES + l], vector[k], s->of[TURN - 1][l]);
}

/* n terms of every line: elements k of all lines stand beside each other, `step` apart from those
 * of k + 1. */
static void add_across(Sums *s, int64_t n, const float *lines, int64_t step, const float *vector)
{
    for (int64_t k = n - TURN; k >= 0; k -= TURN)
        for (int64_t j = 0; j < TURN; j++)
            for (int64_t l = 0; l < GEMV_LINES; l++)
                s->of[j][l] += lines[(k + j) * step + l] * vector[k + j];
}

/* n terms of ROWS lines from l on; elements of a line stand beside each other. */
static void add_rows(Sums *s, int64_t n, const float *lines, int64_t line, int64_t l,
                     const float *vector)
{
    Turn sum[ROWS];
    for (int r = 0; r < ROWS; r++) {
        float start[TURN];
        for (int j = 0; j < TURN; j++)
            start[j] = s->of[j][l + r];
        memcpy(&sum[r], start, sizeof start);
    }
    for (int64_t k = n - TURN; k >= 0; k -= TURN) {
        Turn v, x;
        memcpy(&v, vector + k, sizeof v);
        for (int r = 0; r < ROWS; r++) {
            memcpy(&x, lines + (l + r) * line + k, sizeof x);
            sum[r] += x * v;
        }
    }
    for (int r = 0; r < ROWS; r++)
        for (int j = 0; j < TURN; j++)
            s->of[j][l + r] = sum[r][j];
}

/* Terms k0 .. k0 + n of all lines, k after k. */
static void pack_floats(const Matrix *m, bool by_column, int64_t l0, int64_t lines, int64_t k0,
                        int64_t n, int64_t unit, float *out)
{
    double wide[BLOCK * GEMV_LINES];
    gemm_pack(m, by_column, l0, lines, k0, n, unit, wide);
    for (int64_t i = 0; i < n * unit; i++)
        out[i] = (float)wide[i];
}

static void add_block(Sums *s, const Lines *x, int64_t k0, int64_t n, const float *vector)
{
    float packed[BLOCK * GEMV_LINES];
    int64_t whole = x->inner == 1 && x->base ? x->n / ROWS * ROWS : 0;
    if (x->base && x->inner != 1) {
        add_across(s, n, x->base + k0 * x->inner, x->inner, vector);
        return;
    }
    for (int64_t l = 0; l < whole; l += ROWS)
        add_rows(s, n, x->base + k0, x->line, l, vector);
    if (whole == x->n)
        return;
    Sums rest = *s; /* a last few lines are packed with the others */
    pack_floats(x->m, x->by_column, x->l0, x->n, k0, n, GEMV_LINES, packed);
    add_across(&rest, n, packed, GEMV_LINES, vector);
    for (int64_t j = 0; j < TURN; j++)
        memcpy(s->of[j] + whole, rest.of[j] + whole, (size_t)(x->n - whole) * sizeof(float));
}

void gemv_lines(const Matrix *m, bool by_column, const Matrix *v, int64_t l0, int64_t n,
                double out[GEMV_LINES], const volatile int *stop)
{
    float packed[TURN * GEMV_LINES], vector[BLOCK];
    Lines x = lines_of(m, by_column, l0, n);
    int64_t head = x.length % TURN;
    Sums s = {0};
    pack_floats(m, by_column, l0, n, 0, head, GEMV_LINES, packed);
    pack_floats(v, !by_column, 0, 1, 0, head, 1, vector);
    add_head(&s, head, packed, vector);
    for (int64_t end = x.length, step; end > head && !(stop && *stop); end -= step) {
        step = end - head < BLOCK ? end - head : BLOCK;
        pack_floats(v, !by_column, 0, 1, end - step, step, 1, vector);
        add_block(&s, &x, end - step, step, vector);
    }
    for (int64_t l = 0; l < n; l++)
        out[l] = (s.of[0][l] + s.of[2][l]) + (s.of[1][l] + s.of[3][l]);
}
