/*
 * prelude.c - what every generated C file begins with.
 *
 * Types, conversions of f16 and bf16, integer division, and float functions that the compiler can
 * vectorise: no branches, no tables, no library calls. Their polynomials are minimax fits (Remez)
 * of the function named beside them; reductions of the argument as in Cody and Waite, Software
 * Manual for the Elementary Functions (1980). No header is included: compiling starts faster.
 */
#include "gen.h"

#define TYPES                                                                                      \
    "typedef __INT8_TYPE__ int8_t;\n"                                                              \
    "typedef __INT16_TYPE__ int16_t;\n"                                                            \
    "typedef __INT32_TYPE__ int32_t;\n"                                                            \
    "typedef __INT64_TYPE__ int64_t;\n"                                                            \
    "typedef __UINT8_TYPE__ uint8_t;\n"                                                            \
    "typedef __UINT16_TYPE__ uint16_t;\n"                                                          \
    "typedef __UINT32_TYPE__ uint32_t;\n"                                                          \
    "typedef __UINT64_TYPE__ uint64_t;\n"                                                          \
    "#define INT64_MIN (-__INT64_MAX__ - 1)\n"                                                     \
    "#define INLINE static inline __attribute__((always_inline, unused))\n\n"

#define BITS                                                                                       \
    "INLINE float as_float(uint32_t u)\n{\n"                                                       \
    "    union { uint32_t u; float f; } x = {u};\n    return x.f;\n}\n"                            \
    "INLINE uint32_t as_bits(float f)\n{\n"                                                        \
    "    union { float f; uint32_t u; } x = {f};\n    return x.u;\n}\n"                            \
    "INLINE float from_bf16(uint16_t h)\n{\n    return as_float((uint32_t)h << 16);\n}\n"          \
    "INLINE uint16_t to_bf16(float f)\n{\n"                                                        \
    "    uint32_t u = as_bits(f), r = (u + 0x7fff + ((u >> 16) & 1)) >> 16;\n"                     \
    "    return (uint16_t)(f != f ? 0x7fc0 : r);\n}\n"                                             \
    "INLINE float round_bf16(float f)\n{\n    return from_bf16(to_bf16(f));\n}\n"                  \
    "INLINE float round_f16(float f)\n{\n    return (float)(_Float16)f;\n}\n\n"

/* exp: 2^n e^r with |r| <= ln(2) / 2; e^r = 1 + r + r^2 q(r). The power is applied in two halves,
 * so that results below the smallest normal number are rounded once. */
#define EXP                                                                                        \
    "INLINE float scale_by_power(float y, int32_t n)\n{\n"                                         \
    "    int32_t h = n >> 1;\n"                                                                    \
    "    y *= as_float((uint32_t)(h + 127) << 23);\n"                                              \
    "    return y * as_float((uint32_t)(n - h + 127) << 23);\n"                                    \
    "}\n"                                                                                          \
    "INLINE float exp_reduced(float r)\n{\n"                                                       \
    "    float q = 1.3813169726e-3f;\n"                                                            \
    "    q = q * r + 8.3694186446e-3f;\n"                                                          \
    "    q = q * r + 4.16684564062e-2f;\n"                                                         \
    "    q = q * r + 1.66665147944e-1f;\n"                                                         \
    "    q = q * r + 4.99999930517e-1f;\n"                                                         \
    "    return q * r * r + r;\n}\n"                                                               \
    "INLINE float exp_f(float x)\n{\n"                                                             \
    "    float c = x < -104.0f ? -104.0f : x > 89.0f ? 89.0f : x;\n"                               \
    "    float n = __builtin_rintf(c * 1.44269504f);\n"                                            \
    "    float r = (c - n * 0.693359375f) + n * 2.12194440e-4f;\n"                                 \
    "    float y = scale_by_power(1.0f + exp_reduced(r), (int32_t)n);\n"                           \
    "    return x != x ? x : y;\n}\n\n"

/* log: x = 2^n m with sqrt(1/2) <= m < sqrt(2); log(1 + f) = f - f^2 / 2 + f^3 p(f). */
#define LOG                                                                                        \
    "INLINE float log_f(float x)\n{\n"                                                             \
    "    int32_t tiny = x < 1.17549435e-38f;\n"                                                    \
    "    uint32_t u = as_bits(tiny ? x * 8388608.0f : x) - 0x3f3504f3u;\n"                         \
    "    float n = (float)((int32_t)u >> 23) - (tiny ? 23.0f : 0.0f);\n"                           \
    "    float f = as_float((u & 0x7fffffu) + 0x3f3504f3u) - 1.0f, z = f * f;\n"                   \
    "    float p = 6.91558617599e-2f;\n"                                                           \
    "    p = p * f - 1.17898392299e-1f;\n"                                                         \
    "    p = p * f + 1.18728948988e-1f;\n"                                                         \
    "    p = p * f - 1.23843384867e-1f;\n"                                                         \
    "    p = p * f + 1.42186682592e-1f;\n"                                                         \
    "    p = p * f - 1.66692517273e-1f;\n"                                                         \
    "    p = p * f + 2.00022261108e-1f;\n"                                                         \
    "    p = p * f - 2.49999865759e-1f;\n"                                                         \
    "    p = p * f + 3.33333104479e-1f;\n"                                                         \
    "    float y = p * z * f - n * 2.12194440e-4f;\n"                                              \
    "    y = y - 0.5f * z;\n"                                                                      \
    "    y = (f + y) + n * 0.693359375f;\n"                                                        \
    "    y = x == 0.0f ? -__builtin_inff() : x == __builtin_inff() ? x : y;\n"                     \
    "    return x < 0.0f || x != x ? __builtin_nanf(\"\") : y;\n}\n\n"

/* tanh: a polynomial in x^2 near 0, else 1 - 2 / (e^2x + 1). */
#define TANH                                                                                       \
    "INLINE float tanh_f(float x)\n{\n"                                                            \
    "    float t = __builtin_fabsf(x), s = x * x;\n"                                               \
    "    float p = 2.06466955380e-3f;\n"                                                           \
    "    p = p * s - 8.09197208749e-3f;\n"                                                         \
    "    p = p * s + 2.16663476096e-2f;\n"                                                         \
    "    p = p * s - 5.39405630241e-2f;\n"                                                         \
    "    p = p * s + 1.33331578911e-1f;\n"                                                         \
    "    p = p * s - 3.33333296133e-1f;\n"                                                         \
    "    float small = p * s * x + x;\n"                                                           \
    "    float large = 1.0f - 2.0f / (exp_f(t + t) + 1.0f);\n"                                     \
    "    return t < 0.65f ? small : __builtin_copysignf(large, x);\n}\n\n"

/* erf: x + x p(x^2) below 0.93, else 1 - e^(-x - x q(x)). */
#define ERF                                                                                        \
    "INLINE float erf_f(float x)\n{\n"                                                             \
    "    float t = __builtin_fabsf(x), s = x * x;\n"                                               \
    "    float p = 8.34483317065e-5f;\n"                                                           \
    "    p = p * s - 8.13734321476e-4f;\n"                                                         \
    "    p = p * s + 5.20062582793e-3f;\n"                                                         \
    "    p = p * s - 2.68592672952e-2f;\n"                                                         \
    "    p = p * s + 1.12836938779e-1f;\n"                                                         \
    "    p = p * s - 3.76126336929e-1f;\n"                                                         \
    "    p = p * s + 1.28379166642e-1f;\n"                                                         \
    "    float small = p * x + x;\n"                                                               \
    "    float c = t > 3.95f ? 3.95f : t;\n"                                                       \
    "    float q = 4.93662746065e-6f;\n"                                                           \
    "    q = q * c - 4.55622008067e-5f;\n"                                                         \
    "    q = q * c - 4.96816322943e-5f;\n"                                                         \
    "    q = q * c + 2.93041447170e-3f;\n"                                                         \
    "    q = q * c - 2.26745454085e-2f;\n"                                                         \
    "    q = q * c + 1.05263077501e-1f;\n"                                                         \
    "    q = q * c + 6.35625082684e-1f;\n"                                                         \
    "    q = q * c + 1.28551787568e-1f;\n"                                                         \
    "    float large = t > 3.92f ? 1.0f : 1.0f - exp_f(-c - c * q);\n"                             \
    "    float y = t < 0.93f ? small : __builtin_copysignf(large, x);\n"                           \
    "    return x != x ? x : y;\n}\n\n"

#define BUILTIN(name, fn)                                                                          \
    "#define " name "_f(...) __builtin_" fn "f(__VA_ARGS__)\n"                                     \
    "#define " name "_d(...) __builtin_" fn "(__VA_ARGS__)\n"
#define SAME(name) BUILTIN(name, name)
#define DOUBLE(name) "#define " name "_d(x) __builtin_" name "(x)\n"

#define FUNCTIONS                                                                                  \
    SAME("fabs") SAME("acos") SAME("acosh") SAME("asin") SAME("asinh") SAME("atan") SAME("atanh")  \
    SAME("ceil") SAME("cos") SAME("cosh") SAME("erfc") SAME("exp2") SAME("expm1") SAME("floor")    \
    SAME("lgamma") SAME("log10") SAME("log1p") SAME("log2") SAME("rint") SAME("sin") SAME("sinh")  \
    SAME("sqrt") SAME("tan") SAME("trunc") SAME("atan2") SAME("pow")                  \
    SAME("nextafter")                                                                              \
    DOUBLE("exp") DOUBLE("log") DOUBLE("tanh") DOUBLE("erf")                                       \
    "#define isfinite_f(x) __builtin_isfinite(x)\n"                                                \
    "#define isfinite_d(x) __builtin_isfinite(x)\n"                                                \
    "#define signbit_f(x) (as_bits(x) >> 31)\n"                                                    \
    "#define signbit_d(x) (__builtin_copysign(1.0, x) < 0)\n"                                      \
    "extern float fmod_f(float x, float y) __asm__(\"fmodf\");\n"                                  \
    "extern double fmod_d(double x, double y) __asm__(\"fmod\");\n"

#define FOR_FLOATS(T, s, fmod)                                                                     \
    "INLINE " T " remainder_" s "(" T " x, " T " y)\n{\n"                                          \
    "    " T " r = " fmod "(x, y);\n"                                                              \
    "    return r != 0 && (r < 0) != (y < 0) ? r + y : r;\n}\n"                                    \
    "INLINE " T " lerp_" s "(" T " a, " T " b, " T " w)\n{\n"                                      \
    "    return w > -0.5f && w < 0.5f ? a + w * (b - a) : b - (b - a) * (1 - w);\n}\n"

/* A division by zero (1) and an index out of range (2) are reported by the kernel's result. */
#define INTEGERS                                                                                   \
    "INLINE int64_t index_i(int64_t i, int64_t n, volatile int *bad)\n{\n"                         \
    "    int64_t at = i < 0 ? i + n : i;\n"                                                        \
    "    if (at < 0 || at >= n)\n        *bad = 2;\n"                                              \
    "    return at < 0 || at >= n ? 0 : at;\n}\n"                                                  \
    "INLINE int64_t div_i(int64_t x, int64_t y, volatile int *bad)\n{\n"                           \
    "    if (y == 0)\n        *bad = 1;\n"                                                         \
    "    return y == 0 ? 0 : y == -1 ? -x : x / y;\n}\n"                                           \
    "INLINE int64_t mod_i(int64_t x, int64_t y, volatile int *bad)\n{\n"                           \
    "    if (y == 0)\n        *bad = 1;\n"                                                         \
    "    return y == 0 || y == -1 ? 0 : x % y;\n}\n"                                               \
    "INLINE int64_t remainder_i(int64_t x, int64_t y, volatile int *bad)\n{\n"                     \
    "    int64_t r = mod_i(x, y, bad);\n"                                                          \
    "    return r != 0 && (r < 0) != (y < 0) ? r + y : r;\n}\n"                                    \
    "INLINE uint64_t div_u(uint64_t x, uint64_t y, volatile int *bad)\n{\n"                        \
    "    if (y == 0)\n        *bad = 1;\n"                                                         \
    "    return y == 0 ? 0 : x / y;\n}\n"                                                          \
    "INLINE uint64_t mod_u(uint64_t x, uint64_t y, volatile int *bad)\n{\n"                        \
    "    if (y == 0)\n        *bad = 1;\n"                                                         \
    "    return y == 0 ? 0 : x % y;\n}\n\n"

const char *gen_c_prelude(void)
{
    return TYPES BITS EXP LOG TANH ERF FUNCTIONS FOR_FLOATS("float", "f", "fmod_f")
        FOR_FLOATS("double", "d", "fmod_d") INTEGERS;
}
