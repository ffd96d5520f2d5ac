/*
 * elements.c - conversion of elements between dtypes and the three computation types.
 *
 * Input and output: memory of a dtype on one side, double, int64_t or complex buffers on the other.
 * One idea: one macro a dtype gives load and store, and a switch outside the loop picks the pair,
 * so that every loop is simple enough for the compiler to vectorise.
 */
#include "elements.h"

#include "cpu.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------- small floats */

static double bits_f64(uint64_t u)
{
    double d;
    memcpy(&d, &u, sizeof d);
    return d;
}

static uint64_t f64_bits(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

static float bits_f32(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* Rounds v to nearest even in a format of `mant` fraction bits and exponent bias `bias`. `top` is
 * the code of the first number too large; larger results become `over`, NaN becomes `nan`. */
static uint32_t encode(double v, int mant, int bias, uint32_t top, uint32_t over, uint32_t nan)
{
    uint64_t bits = f64_bits(v), mag = bits & (UINT64_MAX >> 1);
    uint32_t sign = (uint32_t)(bits >> 63), code;
    if (mag > (UINT64_C(0x7ff) << 52))
        return nan;
    if ((int)(mag >> 52) - 1023 < 1 - bias) { /* subnormal: a multiple of 2^(1 - bias - mant) */
        code = (uint32_t)rint(fabs(v) * bits_f64((uint64_t)(1022 + bias + mant) << 52));
    } else {
        int drop = 52 - mant;
        uint64_t half = (UINT64_C(1) << (drop - 1)) - 1 + ((mag >> drop) & 1);
        uint64_t r = ((mag + half) >> drop) - ((uint64_t)(1023 - bias) << mant);
        code = r >= top ? over : (uint32_t)r;
    }
    int width = mant == 10 ? 15 : mant == 7 ? 15 : 7;
    return code | sign << width;
}

static double decode(uint32_t code, int mant, int bias, int width)
{
    uint32_t mag = code & ((1u << width) - 1), exponent = mag >> mant;
    double v = exponent ? bits_f64(((uint64_t)mag << (52 - mant)) + ((uint64_t)(1023 - bias) << 52))
                        : mag * bits_f64((uint64_t)(1024 - bias - mant) << 52);
    return code >> width ? -v : v;
}

static inline double get_f16(uint16_t h)
{
    uint32_t mag = (uint32_t)(h & 0x7fff) << 13;
    float f = bits_f32(mag) * 0x1p112f;
    if (mag >= 0x0f800000)
        f = bits_f32(mag | 0x7f800000);
    return h & 0x8000 ? -f : f;
}

static inline uint16_t set_f16(double v)
{
    return (uint16_t)encode(v, 10, 15, 0x7c00, 0x7c00, 0x7e00);
}

static inline double get_bf16(uint16_t h)
{
    return bits_f32((uint32_t)h << 16);
}

static inline uint16_t set_bf16(double v)
{
    return (uint16_t)encode(v, 7, 127, 0x7f80, 0x7f80, 0x7fc0);
}

/* As PyTorch: by way of f32; a NaN keeps its sign; e4m3fn takes what is too large as 448. */
static uint8_t encode_f8(double v, int mant, int bias, uint32_t top, uint32_t over)
{
    return (uint8_t)(encode((float)v, mant, bias, top, over, 0x7f) | (signbit(v) ? 0x80u : 0));
}

static inline double nan_f8(uint8_t c)
{
    return c & 0x80 ? -(double)NAN : (double)NAN;
}

static inline double get_e4m3(uint8_t c)
{
    return (c & 0x7f) == 0x7f ? nan_f8(c) : decode(c, 3, 7, 7);
}

static inline uint8_t set_e4m3(double v)
{
    return encode_f8(v, 3, 7, 0x7f, 0x7e);
}

static inline double get_e5m2(uint8_t c)
{
    uint32_t mag = c & 0x7f;
    if (mag < 0x7c)
        return decode(c, 2, 15, 7);
    return mag > 0x7c ? nan_f8(c) : c & 0x80 ? -(double)INFINITY : (double)INFINITY;
}

static inline uint8_t set_e5m2(double v)
{
    return encode_f8(v, 2, 15, 0x7c, 0x7c);
}

/* Truncates as x86 does: what does not fit, and NaN, is the smallest number. */
static inline int64_t trunc_i64(double v)
{
    return v >= -0x1p63 && v < 0x1p63 ? (int64_t)v : INT64_MIN;
}

static inline int64_t trunc_i32(double v)
{
    return v > -0x1p31 - 1 && v < 0x1p31 ? (int64_t)v : INT32_MIN;
}

static inline uint64_t trunc_u64(double v)
{
    return v >= 0x1p63 && v < 0x1p64 ? (uint64_t)v : (uint64_t)trunc_i64(v);
}

/* ---------------------------------------------------------------------------------- the dtypes */

/* EACH(dtype, C type, load as f64, load as i64, store f64, store i64) for every real dtype. x is
 * the element or the number. */
#define EACH_REAL(M)                                                                               \
    M(b8, uint8_t, (double)(x != 0), (int64_t)(x != 0), (uint8_t)(x != 0), (uint8_t)(x != 0))      \
    M(u8, uint8_t, (double)x, (int64_t)x, (uint8_t)trunc_i64(x), (uint8_t)x)                       \
    M(i8, int8_t, (double)x, (int64_t)x, (int8_t)trunc_i32(x), (int8_t)x)                          \
    M(i16, int16_t, (double)x, (int64_t)x, (int16_t)trunc_i32(x), (int16_t)x)                      \
    M(i32, int32_t, (double)x, (int64_t)x, (int32_t)trunc_i32(x), (int32_t)x)                      \
    M(i64, int64_t, (double)x, x, trunc_i64(x), x)                                                 \
    M(u16, uint16_t, (double)x, (int64_t)x, (uint16_t)trunc_i64(x), (uint16_t)x)                   \
    M(u32, uint32_t, (double)x, (int64_t)x, (uint32_t)trunc_i64(x), (uint32_t)x)                   \
    M(u64, uint64_t, (double)x, (int64_t)x, trunc_u64(x), (uint64_t)x)                             \
    M(f8_e4m3fn, uint8_t, get_e4m3(x), trunc_i64(get_e4m3(x)), set_e4m3(x), set_e4m3((float)x))    \
    M(f8_e5m2, uint8_t, get_e5m2(x), trunc_i64(get_e5m2(x)), set_e5m2(x), set_e5m2((float)x))      \
    M(f16, uint16_t, get_f16(x), trunc_i64(get_f16(x)), set_f16(x), set_f16((float)x))             \
    M(bf16, uint16_t, get_bf16(x), trunc_i64(get_bf16(x)), set_bf16(x), set_bf16((float)x))        \
    M(f32, float, (double)x, trunc_i64(x), (float)x, (float)x)                                     \
    M(f64, double, x, trunc_i64(x), x, (double)x)

#define EACH_COMPLEX(M)                                                                            \
    M(c32, uint16_t, get_f16(x), set_f16(x))                                                       \
    M(c64, float, (double)x, (float)x)                                                             \
    M(c128, double, x, x)

/* A loop over n elements with the usual case of stride 1 on its own, for the vectoriser. */
#define EACH_ELEMENT(body)                                                                         \
    if (stride == 1) {                                                                             \
        for (int64_t i = 0, at = 0; i < n; i++, at++) {                                            \
            body                                                                                   \
        }                                                                                          \
    } else {                                                                                       \
        for (int64_t i = 0, at = 0; i < n; i++, at += stride) {                                    \
            body                                                                                   \
        }                                                                                          \
    }

void run_get_f64(const void *p, DType d, int64_t stride, int64_t n, double *buf)
{
    switch (d) {
#define GET(name, T, as_f64, ...)                                                                  \
    case DT_##name: {                                                                              \
        const T *e = p;                                                                            \
        EACH_ELEMENT(T x = e[at]; buf[i] = as_f64;)                                                \
        return;                                                                                    \
    }
        EACH_REAL(GET)
#undef GET
#define GET(name, T, as_f64, ...)                                                                  \
    case DT_##name: {                                                                              \
        const T *e = p;                                                                            \
        EACH_ELEMENT(T x = e[2 * at]; buf[i] = as_f64;)                                            \
        return;                                                                                    \
    }
        EACH_COMPLEX(GET)
#undef GET
    case DT_COUNT:
        return;
    }
}

void run_get_i64(const void *p, DType d, int64_t stride, int64_t n, int64_t *buf)
{
    switch (d) {
#define GET(name, T, as_f64, as_i64, ...)                                                          \
    case DT_##name: {                                                                              \
        const T *e = p;                                                                            \
        EACH_ELEMENT(T x = e[at]; buf[i] = as_i64;)                                                \
        return;                                                                                    \
    }
        EACH_REAL(GET)
#undef GET
#define GET(name, T, as_f64, ...)                                                                  \
    case DT_##name: {                                                                              \
        const T *e = p;                                                                            \
        EACH_ELEMENT(T x = e[2 * at]; buf[i] = trunc_i64(as_f64);)                                 \
        return;                                                                                    \
    }
        EACH_COMPLEX(GET)
#undef GET
    case DT_COUNT:
        return;
    }
}

void run_get_c128(const void *p, DType d, int64_t stride, int64_t n, double *buf)
{
    switch (d) {
#define GET(name, T, as_f64, ...)                                                                  \
    case DT_##name: {                                                                              \
        const T *e = p;                                                                            \
        EACH_ELEMENT(T x = e[at]; buf[2 * i] = as_f64; buf[2 * i + 1] = 0;)                        \
        return;                                                                                    \
    }
        EACH_REAL(GET)
#undef GET
#define GET(name, T, as_f64, ...)                                                                  \
    case DT_##name: {                                                                              \
        const T *e = p;                                                                            \
        EACH_ELEMENT(T x = e[2 * at]; buf[2 * i] = as_f64; x = e[2 * at + 1];                      \
                     buf[2 * i + 1] = as_f64;)                                                     \
        return;                                                                                    \
    }
        EACH_COMPLEX(GET)
#undef GET
    case DT_COUNT:
        return;
    }
}

VECTORISED void run_set_f64(void *p, DType d, int64_t stride, int64_t n, const double *buf)
{
    switch (d) {
#define SET(name, T, as_f64, as_i64, from_f64, ...)                                                \
    case DT_##name: {                                                                              \
        T *e = p;                                                                                  \
        EACH_ELEMENT(double x = buf[i]; e[at] = from_f64;)                                         \
        return;                                                                                    \
    }
        EACH_REAL(SET)
#undef SET
#define SET(name, T, as_f64, from_f64)                                                             \
    case DT_##name: {                                                                              \
        T *e = p;                                                                                  \
        EACH_ELEMENT(double x = buf[i]; e[2 * at] = from_f64; e[2 * at + 1] = 0;)                  \
        return;                                                                                    \
    }
        EACH_COMPLEX(SET)
#undef SET
    case DT_COUNT:
        return;
    }
}

void run_set_i64(void *p, DType d, int64_t stride, int64_t n, const int64_t *buf)
{
    switch (d) {
#define SET(name, T, as_f64, as_i64, from_f64, from_i64)                                           \
    case DT_##name: {                                                                              \
        T *e = p;                                                                                  \
        EACH_ELEMENT(int64_t x = buf[i]; e[at] = from_i64;)                                        \
        return;                                                                                    \
    }
        EACH_REAL(SET)
#undef SET
#define SET(name, T, as_f64, from_f64)                                                             \
    case DT_##name: {                                                                              \
        T *e = p;                                                                                  \
        EACH_ELEMENT(double x = (double)buf[i]; e[2 * at] = from_f64; e[2 * at + 1] = 0;)          \
        return;                                                                                    \
    }
        EACH_COMPLEX(SET)
#undef SET
    case DT_COUNT:
        return;
    }
}

void run_set_c128(void *p, DType d, int64_t stride, int64_t n, const double *buf)
{
    switch (d) {
#define SET(name, T, as_f64, as_i64, from_f64, ...)                                                \
    case DT_##name: {                                                                              \
        T *e = p;                                                                                  \
        EACH_ELEMENT(double x = buf[2 * i]; e[at] = from_f64;)                                     \
        return;                                                                                    \
    }
        EACH_REAL(SET)
#undef SET
#define SET(name, T, as_f64, from_f64)                                                             \
    case DT_##name: {                                                                              \
        T *e = p;                                                                                  \
        EACH_ELEMENT(double x = buf[2 * i]; e[2 * at] = from_f64; x = buf[2 * i + 1];              \
                     e[2 * at + 1] = from_f64;)                                                    \
        return;                                                                                    \
    }
        EACH_COMPLEX(SET)
#undef SET
    case DT_COUNT:
        return;
    }
}

typedef struct Pair128 {
    uint64_t lo, hi;
} Pair128;

/* Copies elements of `size` bytes (1, 2, 4, 8, 16) as they are. */
static void run_copy(void *dst, int64_t dstride, const void *src, int64_t sstride, int64_t n,
                     size_t size)
{
    if (dstride == 1 && sstride == 1) {
        memcpy(dst, src, (size_t)n * size);
        return;
    }
    switch (size) {
#define COPY(bytes, T)                                                                             \
    case bytes: {                                                                                  \
        T *to = dst;                                                                               \
        const T *from = src;                                                                       \
        for (int64_t i = 0; i < n; i++)                                                            \
            to[i * dstride] = from[i * sstride];                                                   \
        return;                                                                                    \
    }
        COPY(1, uint8_t)
        COPY(2, uint16_t)
        COPY(4, uint32_t)
        COPY(8, uint64_t)
        COPY(16, Pair128)
#undef COPY
    default:
        return;
    }
}

/* -------------------------------------------------------------------------------- one element */

double elem_get_f64(const void *p, DType d)
{
    double v = 0;
    run_get_f64(p, d, 1, 1, &v);
    return v;
}

int64_t elem_get_i64(const void *p, DType d)
{
    int64_t v = 0;
    run_get_i64(p, d, 1, 1, &v);
    return v;
}

void elem_get_c128(const void *p, DType d, double out[2])
{
    out[0] = out[1] = 0;
    run_get_c128(p, d, 1, 1, out);
}

void elem_set_f64(void *p, DType d, double v)
{
    run_set_f64(p, d, 1, 1, &v);
}

void elem_set_i64(void *p, DType d, int64_t v)
{
    run_set_i64(p, d, 1, 1, &v);
}

void elem_set_c128(void *p, DType d, const double v[2])
{
    run_set_c128(p, d, 1, 1, v);
}

/* ---------------------------------------------------------------------------------------- walks */

void walk_layout(Walk *w, DType dtype, uint32_t rank, const int64_t *shape, const int64_t *strides)
{
    *w = (Walk){.dtype = dtype, .size = dtype_info[dtype].bytes, .numel = 1};
    for (uint32_t i = 0; i < rank; i++) {
        w->numel *= shape[i];
        if (shape[i] == 1)
            continue;
        uint32_t last = w->rank - 1;
        if (w->rank && w->strides[last] == strides[i] * shape[i]) {
            w->shape[last] *= shape[i];
            w->strides[last] = strides[i];
            continue;
        }
        w->shape[w->rank] = shape[i];
        w->strides[w->rank++] = strides[i];
    }
    if (w->rank == 0) {
        w->rank = 1;
        w->shape[0] = w->strides[0] = 1;
    }
}

void walk_init_view(Walk *w, const Tensor *t, uint32_t rank, const int64_t *shape,
                    const int64_t *strides, int64_t offset)
{
    walk_layout(w, t->dtype, rank, shape, strides);
    w->base = tensor_data(t);
    if (w->base)
        w->base += offset * (int64_t)w->size;
}

void walk_init(Walk *w, const Tensor *t)
{
    walk_init_view(w, t, t->rank, t->shape, t->strides, 0);
}

int64_t walk_offset(const Walk *w, int64_t i)
{
    int64_t offset = 0;
    for (uint32_t d = w->rank; d-- > 0;) {
        offset += i % w->shape[d] * w->strides[d];
        i /= w->shape[d];
    }
    return offset;
}

/* Calls step(run of elements) for elements start .. start + n, row by row. */
#define WALK_ROWS(w, start, n, step)                                                               \
    do {                                                                                           \
        int64_t at[MAX_RANK], rest = (start), left = (n), done = 0, offset = 0;                    \
        uint32_t last = (w)->rank - 1;                                                             \
        if (left <= 0)                                                                             \
            break;                                                                                 \
        for (uint32_t d = (w)->rank; d-- > 0;) {                                                   \
            at[d] = rest % (w)->shape[d];                                                          \
            rest /= (w)->shape[d];                                                                 \
            offset += at[d] * (w)->strides[d];                                                     \
        }                                                                                          \
        while (left > 0) {                                                                         \
            int64_t run = (w)->shape[last] - at[last];                                             \
            if (run > left)                                                                        \
                run = left;                                                                        \
            char *p = (w)->base + offset * (int64_t)(w)->size;                                     \
            step;                                                                                  \
            done += run;                                                                           \
            left -= run;                                                                           \
            offset -= at[last] * (w)->strides[last];                                               \
            at[last] = 0;                                                                          \
            for (uint32_t d = last; d-- > 0;) {                                                    \
                offset += (w)->strides[d];                                                         \
                if (++at[d] < (w)->shape[d])                                                       \
                    break;                                                                         \
                offset -= at[d] * (w)->strides[d];                                                 \
                at[d] = 0;                                                                         \
            }                                                                                      \
        }                                                                                          \
    } while (0)

void walk_get_f64(const Walk *w, int64_t start, int64_t n, double *buf)
{
    WALK_ROWS(w, start, n, run_get_f64(p, w->dtype, w->strides[last], run, buf + done));
}

void walk_get_i64(const Walk *w, int64_t start, int64_t n, int64_t *buf)
{
    WALK_ROWS(w, start, n, run_get_i64(p, w->dtype, w->strides[last], run, buf + done));
}

void walk_get_c128(const Walk *w, int64_t start, int64_t n, double *buf)
{
    WALK_ROWS(w, start, n, run_get_c128(p, w->dtype, w->strides[last], run, buf + 2 * done));
}

void walk_set_f64(const Walk *w, int64_t start, int64_t n, const double *buf)
{
    WALK_ROWS(w, start, n, run_set_f64(p, w->dtype, w->strides[last], run, buf + done));
}

void walk_set_i64(const Walk *w, int64_t start, int64_t n, const int64_t *buf)
{
    WALK_ROWS(w, start, n, run_set_i64(p, w->dtype, w->strides[last], run, buf + done));
}

void walk_set_c128(const Walk *w, int64_t start, int64_t n, const double *buf)
{
    WALK_ROWS(w, start, n, run_set_c128(p, w->dtype, w->strides[last], run, buf + 2 * done));
}

void walk_get_raw(const Walk *w, int64_t start, int64_t n, void *buf)
{
    WALK_ROWS(
        w, start, n,
        run_copy((char *)buf + done * (int64_t)w->size, 1, p, w->strides[last], run, w->size));
}

void walk_set_raw(const Walk *w, int64_t start, int64_t n, const void *buf)
{
    WALK_ROWS(w, start, n,
              run_copy(p, w->strides[last], (const char *)buf + done * (int64_t)w->size, 1, run,
                       w->size));
}
