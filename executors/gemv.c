/*
 * gemv.c - a matrix times a vector, in float.
 *
 * One idea: the order of the sums is that of the library under PyTorch, so that results agree where
 * terms cancel. Four sums take turns, from the last term to the first; the terms that do not fill
 * a turn come before all others and go to the last of the four.
 */
#include "gemm.h"

#include <math.h>

enum { TURN = 4, BLOCK = GEMM_DEPTH };

typedef struct Sums {
    float of[TURN][GEMV_LINES];
} Sums;

/* The terms that do not fill a turn, with one rounding a step. */
static void add_head(Sums *s, int64_t n, const double *lines, const double *vector)
{
    for (int64_t k = 0; k < n; k++)
        for (int64_t l = 0; l < GEMV_LINES; l++)
            s->of[TURN - 1][l] = fmaf((float)lines[k * GEMV_LINES + l], (float)vector[k],
                                      s->of[TURN - 1][l]);
}

static void add_turns(Sums *s, int64_t n, const double *lines, const double *vector)
{
    for (int64_t k = n - TURN; k >= 0; k -= TURN)
        for (int64_t j = 0; j < TURN; j++)
            for (int64_t l = 0; l < GEMV_LINES; l++)
                s->of[j][l] +=
                    (float)lines[(k + j) * GEMV_LINES + l] * (float)vector[k + j];
}

void gemv_lines(const Matrix *m, bool by_column, const Matrix *v, int64_t l0, int64_t n,
                double out[GEMV_LINES], const volatile int *stop)
{
    double lines[BLOCK * GEMV_LINES], vector[BLOCK];
    int64_t length = by_column ? m->rows : m->cols, head = length % TURN;
    Sums s = {0};
    gemm_pack(m, by_column, l0, n, 0, head, GEMV_LINES, lines);
    gemm_pack(v, !by_column, 0, 1, 0, head, 1, vector);
    add_head(&s, head, lines, vector);
    for (int64_t end = length, step; end > head && !(stop && *stop); end -= step) {
        step = end - head < BLOCK ? end - head : BLOCK;
        gemm_pack(m, by_column, l0, n, end - step, step, GEMV_LINES, lines);
        gemm_pack(v, !by_column, 0, 1, end - step, step, 1, vector);
        add_turns(&s, step, lines, vector);
    }
    for (int64_t l = 0; l < n; l++)
        out[l] = (s.of[0][l] + s.of[2][l]) + (s.of[1][l] + s.of[3][l]);
}
