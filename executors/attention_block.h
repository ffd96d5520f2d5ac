/*
 * attention_block.h - loops over blocks of floats, for one set of vector instructions.
 *
 * attention_kernel.c includes this once for each: NAME(x) is the name of its version, LANES the
 * floats in a vector, ROWS the rows of a tile that fit in registers, TARGET what tells the
 * compiler. Hence no include guard. Widths are multiples of two vectors.
 */

typedef float NAME(V) __attribute__((vector_size(4 * LANES)));
typedef int32_t NAME(VI) __attribute__((vector_size(4 * LANES)));
typedef uint64_t NAME(W) __attribute__((vector_size(4 * LANES)));
typedef float NAME(VU) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

TARGET static inline NAME(V) NAME(load)(const float *p)
{
    return *(const NAME(VU) *)(const void *)p;
}

TARGET static inline void NAME(store)(float *p, NAME(V) x)
{
    *(NAME(VU) *)(void *)p = x;
}

TARGET static inline NAME(V) NAME(select)(NAME(VI) mask, NAME(V) a, NAME(V) b)
{
    return (NAME(V))((mask & (NAME(VI))a) | (~mask & (NAME(VI))b));
}

/* c += a b for one tile: `rows` rows of c by two vectors. Unrolled, so that sums are registers. */
#define UNROLLED _Pragma("GCC unroll 8")
#define TILE(rows)                                                                                 \
    do {                                                                                           \
        NAME(V) sum[rows][2];                                                                      \
        UNROLLED for (int r = 0; r < (rows); r++) {                                                \
            sum[r][0] = NAME(load)(c + (i + r) * ldc + j);                                         \
            sum[r][1] = NAME(load)(c + (i + r) * ldc + j + LANES);                                 \
        }                                                                                          \
        for (int64_t p = 0; p < k; p++) {                                                          \
            const NAME(V) b0 = NAME(load)(b + p * ldb + j);                                        \
            const NAME(V) b1 = NAME(load)(b + p * ldb + j + LANES);                                \
            UNROLLED for (int r = 0; r < (rows); r++) {                                            \
                const float x = a[(i + r) * row + p * col];                                        \
                sum[r][0] += x * b0;                                                               \
                sum[r][1] += x * b1;                                                               \
            }                                                                                      \
        }                                                                                          \
        UNROLLED for (int r = 0; r < (rows); r++) {                                                \
            NAME(store)(c + (i + r) * ldc + j, sum[r][0]);                                         \
            NAME(store)(c + (i + r) * ldc + j + LANES, sum[r][1]);                                 \
        }                                                                                          \
    } while (0)

/* c += a b: a is m by k with the strides row and col, b k by n, c m by n. */
TARGET static void NAME(product)(int64_t m, int64_t n, int64_t k, const float *a, int64_t row,
                                 int64_t col, const float *b, int64_t ldb, float *c, int64_t ldc)
{
    for (int64_t j = 0; j < n; j += 2 * LANES) {
        int64_t i = 0;
        for (; i + ROWS <= m; i += ROWS)
            TILE(ROWS);
        for (; i < m; i++)
            TILE(1);
    }
}

#undef TILE

/* exp of what is not positive, within 2 ULP; 0 below -87, NaN stays. */
TARGET static inline NAME(V) NAME(exp)(NAME(V) x)
{
    const NAME(V) zero = {0}, low = zero - 87.3f;
    const NAME(VI) under = x < low;
    const NAME(V) y = NAME(select)(under, low, x);
    const NAME(V) n = (y * 1.44269504f + 12582912.0f) - 12582912.0f;
    const NAME(V) r = (y - n * 0.693359375f) + n * 2.12194440e-4f;
    NAME(V) p = r * 1.98412698e-4f + 1.38888889e-3f;
    p = p * r + 8.33333333e-3f;
    p = p * r + 4.16666667e-2f;
    p = p * r + 1.66666667e-1f;
    p = p * r + 5.0e-1f;
    p = p * (r * r) + r + 1.0f;
    const NAME(VI) power = (__builtin_convertvector(n, NAME(VI)) + 127) << 23;
    return NAME(select)(under, zero, p * (NAME(V))power);
}

/* The sum of the lanes, and the largest one: halves upon halves. */
TARGET static inline float NAME(sum_lanes)(NAME(V) x)
{
    UNROLLED for (int n = LANES / 2; n > 0; n /= 2)
        UNROLLED for (int l = 0; l < n; l++)
            x[l] += x[l + n];
    return x[0];
}

TARGET static inline float NAME(max_lanes)(NAME(V) x)
{
    UNROLLED for (int n = LANES / 2; n > 0; n /= 2)
        UNROLLED for (int l = 0; l < n; l++)
            x[l] = x[l + n] > x[l] ? x[l + n] : x[l];
    return x[0];
}

/* s = exp(s - shift), row by row; the sums of the rows. */
TARGET static void NAME(exp_rows)(int64_t m, int64_t n, float *s, int64_t ld, const float *shift,
                                  float *sum)
{
    for (int64_t i = 0; i < m; i++) {
        NAME(V) total = {0};
        for (int64_t j = 0; j < n; j += LANES) {
            const NAME(V) e = NAME(exp)(NAME(load)(s + i * ld + j) - shift[i]);
            NAME(store)(s + i * ld + j, e);
            total += e;
        }
        sum[i] = NAME(sum_lanes)(total);
    }
}

TARGET static void NAME(max_rows)(int64_t m, int64_t n, const float *s, int64_t ld, float *max)
{
    for (int64_t i = 0; i < m; i++) {
        NAME(V) top = NAME(load)(s + i * ld);
        for (int64_t j = LANES; j < n; j += LANES) {
            const NAME(V) x = NAME(load)(s + i * ld + j);
            top = NAME(select)(top > x, top, x);
        }
        max[i] = NAME(max_lanes)(top);
    }
}

/* Rows of x times their factor. */
TARGET static void NAME(scale_rows)(int64_t m, int64_t n, float *x, int64_t ld,
                                    const float *factor)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j += LANES)
            NAME(store)(x + i * ld + j, NAME(load)(x + i * ld + j) * factor[i]);
}

/* The words that Philox gives for elements 4 `quad` to 4 `quad` + 2 LANES - 1, in order. */
TARGET static inline void NAME(draw_words)(int64_t quad, uint64_t seed, uint64_t offset,
                                           uint32_t *out)
{
    const NAME(W) low = (NAME(W)){0} + 0xffffffffu;
    NAME(W) c0, c1, c2 = (NAME(W)){0} + (offset & 0xffffffffu);
    NAME(W) c3 = (NAME(W)){0} + (offset >> 32);
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int l = 0; l < LANES / 2; l++) {
        c0[l] = (uint64_t)(quad + l) & 0xffffffffu;
        c1[l] = (uint64_t)(quad + l) >> 32;
    }
    for (int i = 0; i < 10; i++) {
        const NAME(W) p = c0 * 0xd2511f53u, q = c2 * 0xcd9e8d57u;
        c0 = (q >> 32) ^ c1 ^ k0;
        c1 = q & low;
        c2 = (p >> 32) ^ c3 ^ k1;
        c3 = p & low;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    const NAME(W) first = c0 | c1 << 32, second = c2 | c3 << 32;
    for (int l = 0; l < LANES / 2; l++) {
        memcpy(out + 4 * l, (const char *)&first + 8 * l, 8);
        memcpy(out + 4 * l + 2, (const char *)&second + 8 * l, 8);
    }
}

/* What dropout multiplies m rows of BLOCK weights by: factor or 0. The first weight is number
 * `first` of all, and rows are `step` apart. */
TARGET static void NAME(draw_rows)(const AttentionDrop *d, int64_t m, int64_t first, int64_t step,
                                   float *out)
{
    for (int64_t i = 0; i < m; i++) {
        const int64_t at = first + i * step;
        uint32_t words[BLOCK + 3 + 2 * LANES];
        for (int64_t j = 0; j < BLOCK + at % 4; j += 2 * LANES)
            NAME(draw_words)(at / 4 + j / 4, d->seed, d->offset, words + j);
        for (int64_t j = 0; j < BLOCK; j++)
            out[i * BLOCK + j] = words[at % 4 + j] >> 8 < d->below ? d->factor : 0;
    }
}

/* y = y x, both BLOCK wide. */
TARGET static void NAME(multiply_rows)(int64_t m, const float *x, float *y)
{
    for (int64_t i = 0; i < m * BLOCK; i += LANES)
        NAME(store)(y + i, NAME(load)(y + i) * NAME(load)(x + i));
}

/* d = p (d - shift), row by row. */
TARGET static void NAME(slope_rows)(int64_t m, int64_t n, const float *p, float *d, int64_t ld,
                                    const float *shift)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j += LANES)
            NAME(store)(d + i * ld + j, NAME(load)(p + i * ld + j) *
                                            (NAME(load)(d + i * ld + j) - shift[i]));
}

static const BlockLoops NAME(loops) = {
    .product = NAME(product),
    .exp_rows = NAME(exp_rows),
    .max_rows = NAME(max_rows),
    .scale_rows = NAME(scale_rows),
    .draw_rows = NAME(draw_rows),
    .multiply_rows = NAME(multiply_rows),
    .slope_rows = NAME(slope_rows),
};

#undef UNROLLED
