/*
 * gemm.c - one tile of a matrix product.
 *
 * One idea: both operands are packed into panels as narrow as the kernel's register block, which
 * hides their dtype and layout; the inner kernel then reads memory in order. Panels are packed in
 * double and, for sums in float, narrowed where they lie.
 */
#include "gemm.h"

#include "numbers.h"

#include <math.h>
#include <string.h>

enum { MR = 6, NR_f64 = 8, NR_f32 = 16, KC = GEMM_DEPTH };

typedef double Doubles __attribute__((vector_size(NR_f64 * sizeof(double))));
typedef float Floats __attribute__((vector_size(NR_f32 * sizeof(float))));

/* GCC on x86-64 makes a version for each kind of processor; there fused multiply-add is asked for
 * by contraction, as its vectors have no builtin for it. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_CPU __attribute__((target_clones("avx512f", "avx2", "default")))
#define FOR_EACH_FMA                                                                               \
    __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"),                   \
                   optimize("fp-contract=fast")))
#define HAVE_FMA (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"))
#else
#define FOR_EACH_CPU
#endif

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

size_t gemm_scratch(int64_t rows, int64_t cols, int64_t inner)
{
    int64_t m = round_up(smaller(rows, GEMM_ROWS), MR);
    int64_t n = round_up(smaller(cols, GEMM_COLS), NR_f32), k = round_up(smaller(inner, KC), 8);
    return (size_t)(m * n + k * m + k * n + 3 * 8);
}

/* Each kernel: c (MR rows, `stride` apart) += panel a times panel b, over k. Written out row by
 * row, so that the sums stay in registers. */
#define EACH_ROW(M) M(0) M(1) M(2) M(3) M(4) M(5)
_Static_assert(MR == 6, "EACH_ROW names the rows");

#define READ(r)                                                                                    \
    Row sum##r;                                                                                    \
    memcpy(&sum##r, c + r * stride, sizeof sum##r);
#define ADD(r)   sum##r += a[r] * row;
#define WRITE(r) memcpy(c + r * stride, &sum##r, sizeof sum##r);
#define KERNEL_BODY(T, NR)                                                                         \
    typedef T Row;                                                                                 \
    EACH_ROW(READ)                                                                                 \
    for (int64_t p = 0; p < k; p++, a += MR, b += NR) {                                            \
        Row row;                                                                                   \
        memcpy(&row, b, sizeof row);                                                               \
        EACH_ROW(ADD)                                                                              \
    }                                                                                              \
    EACH_ROW(WRITE)

FOR_EACH_CPU
static void kernel_f64(int64_t k, const double *restrict a, const double *restrict b,
                       double *restrict c, int64_t stride)
{
    KERNEL_BODY(Doubles, NR_f64)
}

#ifdef FOR_EACH_FMA
FOR_EACH_FMA
static void kernel_fused(int64_t k, const float *restrict a, const float *restrict b,
                         float *restrict c, int64_t stride)
{
    KERNEL_BODY(Floats, NR_f32)
}
#endif

/* The same bits on any processor. */
static void kernel_f32(int64_t k, const float *restrict a, const float *restrict b,
                       float *restrict c, int64_t stride)
{
#ifdef FOR_EACH_FMA
    if (HAVE_FMA) {
        kernel_fused(k, a, b, c, stride);
        return;
    }
#endif
    for (int64_t p = 0; p < k; p++)
        for (int64_t r = 0; r < MR; r++)
            for (int64_t j = 0; j < NR_f32; j++)
                c[r * stride + j] =
                    fmaf(a[p * MR + r], b[p * NR_f32 + j], c[r * stride + j]);
}

void gemm_pack(const Matrix *m, bool by_column, int64_t l0, int64_t nl, int64_t k0, int64_t nk,
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

/* The n doubles at p as floats, at the same place. */
static float *narrow(double *p, int64_t n)
{
    char *to = (char *)p;
    for (int64_t i = 0; i < n; i++) {
        float f = (float)p[i];
        memcpy(to + i * (int64_t)sizeof f, &f, sizeof f);
    }
    return (float *)(void *)p;
}

/* And back. */
static void widen(double *p, int64_t n)
{
    const char *from = (const char *)p;
    for (int64_t i = n; i-- > 0;) {
        float f;
        memcpy(&f, from + i * (int64_t)sizeof f, sizeof f);
        p[i] = f;
    }
}

/* The m by n tile += panels of m rows and n columns, over k. */
static void multiply(GemmSum sum, int64_t k, int64_t m, int64_t n, double *a, double *b, double *c)
{
    if (sum == GEMM_f32) {
        const float *fa = narrow(a, m * k), *fb = narrow(b, n * k);
        for (int64_t j = 0; j < n; j += NR_f32)
            for (int64_t i = 0; i < m; i += MR)
                kernel_f32(k, fa + i * k, fb + j * k, (float *)(void *)c + i * n + j, n);
        return;
    }
    for (int64_t j = 0; j < n; j += NR_f64)
        for (int64_t i = 0; i < m; i += MR)
            kernel_f64(k, a + i * k, b + j * k, c + i * n + j, n);
}

const double *gemm_tile(const Matrix *a, const Matrix *b, GemmSum sum, int64_t i0, int64_t ni,
                        int64_t j0, int64_t nj, double *scratch, int64_t *stride,
                        const volatile int *stop)
{
    int64_t unit = sum == GEMM_f32 ? NR_f32 : NR_f64;
    int64_t m = round_up(ni, MR), n = round_up(nj, unit);
    double *c = scratch, *pa = c + round_up(m * n, 8);
    double *pb = pa + round_up(m * round_up(smaller(a->cols, KC), 8), 8);
    *stride = n;
    memset(c, 0, (size_t)(m * n) * sizeof *c);
    for (int64_t k = 0; k < a->cols && !(stop && *stop); k += KC) {
        int64_t nk = smaller(KC, a->cols - k);
        gemm_pack(a, false, i0, ni, k, nk, MR, pa);
        gemm_pack(b, true, j0, nj, k, nk, unit, pb);
        multiply(sum, nk, m, n, pa, pb, c);
    }
    if (sum == GEMM_f32)
        widen(c, m * n);
    return c;
}
