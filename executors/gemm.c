/*
 * gemm.c - one tile of a matrix product.
 *
 * One idea: both operands are packed into panels of doubles as narrow as the kernel's register
 * block, which hides their dtype and layout; the inner kernel then reads memory in order.
 */
#include "gemm.h"

#include <string.h>

enum { MR = 6, NR = 8, KC = 256 };

typedef double Vec __attribute__((vector_size(NR * sizeof(double))));

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_CPU __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_CPU
#endif

static int64_t round_up(int64_t n, int64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

size_t gemm_scratch(int64_t rows, int64_t cols, int64_t inner)
{
    int64_t m = round_up(smaller(rows, GEMM_ROWS), MR);
    int64_t n = round_up(smaller(cols, GEMM_COLS), NR), k = round_up(smaller(inner, KC), 8);
    return (size_t)(m * n + k * m + k * n + 3 * 8);
}

/* c (MR rows, `stride` apart) += panel a times panel b, over k. Written out row by row, so that the
 * sums stay in registers. */
#define EACH_ROW(M) M(0) M(1) M(2) M(3) M(4) M(5)

FOR_EACH_CPU
static void kernel(int64_t k, const double *restrict a, const double *restrict b,
                   double *restrict c, int64_t stride)
{
#define READ(r)                                                                                    \
    Vec sum##r;                                                                                    \
    memcpy(&sum##r, c + r * stride, sizeof(Vec));
#define ADD(r)   sum##r += a[r] * row;
#define WRITE(r) memcpy(c + r * stride, &sum##r, sizeof(Vec));
    EACH_ROW(READ)
    for (int64_t p = 0; p < k; p++, a += MR, b += NR) {
        Vec row;
        memcpy(&row, b, sizeof row);
        EACH_ROW(ADD)
    }
    EACH_ROW(WRITE)
#undef READ
#undef ADD
#undef WRITE
}
_Static_assert(MR == 6, "EACH_ROW names the rows");

/* Packs lines l0 .. l0 + nl of m over k0 .. k0 + nk: panels of `unit` lines, within a panel k after
 * k. Lines are rows, or columns when by_column. Missing lines of the last panel are zero. */
static void pack(const Matrix *m, bool by_column, int64_t l0, int64_t nl, int64_t k0, int64_t nk,
                 int64_t unit, double *out)
{
    double buf[KC]; /* KC is the larger of KC and the sides of a tile */
    int64_t line = by_column ? m->col_stride : m->row_stride;
    int64_t inner = by_column ? m->row_stride : m->col_stride;
    int64_t size = dtype_info[m->dtype].bytes;
    bool across = m->row ? by_column : (line < 0 ? -line : line) < (inner < 0 ? -inner : inner);
    if (nl % unit)
        memset(out + nl / unit * unit * nk, 0, (size_t)(unit * nk) * sizeof *out);
    for (int64_t k = 0; across && k < nk; k++) {
        if (m->row)
            m->row(m, k0 + k, l0, nl, buf);
        else
            run_get_f64(m->base + (l0 * line + (k0 + k) * inner) * size, m->dtype, line, nl, buf);
        for (int64_t l = 0; l < nl; l++)
            out[l / unit * unit * nk + k * unit + l % unit] = buf[l];
    }
    for (int64_t l = 0; !across && l < nl; l++) {
        double *to = out + l / unit * unit * nk + l % unit;
        if (m->row)
            m->row(m, l0 + l, k0, nk, buf);
        else
            run_get_f64(m->base + ((l0 + l) * line + k0 * inner) * size, m->dtype, inner, nk, buf);
        for (int64_t k = 0; k < nk; k++)
            to[k * unit] = buf[k];
    }
}

const double *gemm_tile(const Matrix *a, const Matrix *b, int64_t i0, int64_t ni, int64_t j0,
                        int64_t nj, double *scratch, int64_t *stride, const volatile int *stop)
{
    int64_t m = round_up(ni, MR), n = round_up(nj, NR);
    double *c = scratch, *pa = c + round_up(m * n, 8);
    double *pb = pa + round_up(m * round_up(smaller(a->cols, KC), 8), 8);
    *stride = n;
    memset(c, 0, (size_t)(m * n) * sizeof *c);
    for (int64_t k = 0; k < a->cols && !(stop && *stop); k += KC) {
        int64_t nk = smaller(KC, a->cols - k);
        pack(a, false, i0, ni, k, nk, MR, pa);
        pack(b, true, j0, nj, k, nk, NR, pb);
        for (int64_t j = 0; j < n; j += NR)
            for (int64_t i = 0; i < m; i += MR)
                kernel(nk, pa + i * nk, pb + j * nk, c + i * n + j, n);
    }
    return c;
}
