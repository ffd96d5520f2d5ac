/*
 * prelude.c - what every generated C file begins with.
 *
 * Types, conversions of narrow floats, functions that the compiler has, integer division; the float
 * functions are in prelude_math.h, transposed tiles in prelude_tile.h. No header is included:
 * compiling starts faster.
 */
#include "gen.h"
#include "prelude_f8.h"
#include "prelude_integer.h"
#include "prelude_math.h"
#include "prelude_random.h"
#include "prelude_tile.h"

/* A program may compare with an end of its type's range (u8 > 255), which is no mistake of it. */
#define TYPES                                                                                      \
    "#pragma GCC diagnostic ignored \"-Wtype-limits\"\n"                                          \
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

#define ROUND_F8(name)                                                                             \
    "INLINE float round_" name "(float f)\n{\n"                                                    \
    "    return from_" name "(to_" name "(f));\n}\n"

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
    "INLINE float round_f16(float f)\n{\n    return (float)(_Float16)f;\n}\n" F8_CODES             \
    ROUND_F8("f8_e4m3fn") ROUND_F8("f8_e5m2") "\n"

/* stream: writes past the caches what is not read again soon. Such writes are ordered by the
 * barrier at the end of the loop that threads share, as any others. */
#define STREAM                                                                                     \
    "INLINE void stream(void *to, const void *from, uint64_t n)\n{\n"                              \
    "#if defined(__x86_64__) && !defined(__clang__)\n"                                             \
    "    char *t = to;\n    const char *f = from;\n"                                               \
    "    uint64_t head = -(uint64_t)t & 63;\n"                                                     \
    "    head = head < n ? head : n;\n"                                                            \
    "    if (head)\n        __builtin_memcpy(t, f, head);\n"                                       \
    "    uint64_t i = head;\n"                                                                     \
    "#if defined(__AVX512F__)\n"                                                                   \
    "    typedef long long Wide __attribute__((vector_size(64)));\n"                               \
    "    for (Wide v; i + 64 <= n; i += 64) {\n"                                                   \
    "        __builtin_memcpy(&v, f + i, 64);\n"                                                   \
    "        __builtin_ia32_movntdq512((Wide *)(t + i), v);\n    }\n"                              \
    "#elif defined(__AVX__)\n"                                                                     \
    "    typedef long long Wide __attribute__((vector_size(32)));\n"                               \
    "    for (Wide v; i + 32 <= n; i += 32) {\n"                                                   \
    "        __builtin_memcpy(&v, f + i, 32);\n"                                                   \
    "        __builtin_ia32_movntdq256((Wide *)(t + i), v);\n    }\n"                              \
    "#else\n"                                                                                      \
    "    typedef long long Wide __attribute__((vector_size(16)));\n"                               \
    "    for (Wide v; i + 16 <= n; i += 16) {\n"                                                   \
    "        __builtin_memcpy(&v, f + i, 16);\n"                                                   \
    "        __builtin_ia32_movntdq((Wide *)(t + i), v);\n    }\n"                                 \
    "#endif\n"                                                                                     \
    "    if (i < n)\n        __builtin_memcpy(t + i, f + i, n - i);\n"                             \
    "#else\n    __builtin_memcpy(to, from, n);\n#endif\n}\n"                                       \
    "// whole lines; n is a constant, and what is written may still be in registers\n"            \
    "INLINE void stream_lines(void *to, const void *from, uint64_t n)\n{\n"                        \
    "#if defined(__AVX512F__) && !defined(__clang__)\n"                                           \
    "    typedef long long Wide __attribute__((vector_size(64)));\n"                              \
    "    if ((uint64_t)to & 63) {\n        __builtin_memcpy(to, from, n);\n"                      \
    "        return;\n    }\n"                                                                    \
    "    for (uint64_t i = 0; i < n; i += 64) {\n"                                                \
    "        Wide v;\n"                                                                           \
    "        __builtin_memcpy(&v, (const char *)from + i, 64);\n"                                 \
    "        __builtin_ia32_movntdq512((Wide *)((char *)to + i), v);\n    }\n"                    \
    "#else\n    stream(to, from, n);\n#endif\n}\n\n"

/* Whether a row has its turn. Compilers must not know: what they copy for rows that have and have
 * not, they do not vectorise (gcc 12.2). */
#define TURN                                                                                       \
    "INLINE int turn(int on)\n{\n"                                                                 \
    "    __asm__ volatile(\"\" : \"+r\"(on));\n    return on;\n}\n\n"

#define BUILTIN(name, fn)                                                                          \
    "#define " name "_f(...) __builtin_" fn "f(__VA_ARGS__)\n"                                     \
    "#define " name "_d(...) __builtin_" fn "(__VA_ARGS__)\n"
#define SAME(name) BUILTIN(name, name)
#define DOUBLE(name) "#define " name "_d(...) __builtin_" name "(__VA_ARGS__)\n"

#define THROUGH_DOUBLE(name)                                                                       \
    DOUBLE(name) "#define " name "_f(x) ((float)__builtin_" name "((double)(x)))\n"

#define FUNCTIONS                                                                                  \
    SAME("fabs") SAME("ceil") SAME("floor") SAME("rint") SAME("sqrt") SAME("trunc")                \
    THROUGH_DOUBLE("erfc") THROUGH_DOUBLE("lgamma")                                                \
    DOUBLE("acos") DOUBLE("acosh") DOUBLE("asin") DOUBLE("asinh") DOUBLE("atan") DOUBLE("atanh")   \
    DOUBLE("atan2") DOUBLE("cos") DOUBLE("cosh") DOUBLE("erf") DOUBLE("exp") DOUBLE("exp2")        \
    DOUBLE("expm1") DOUBLE("log") DOUBLE("log10") DOUBLE("log1p") DOUBLE("log2") DOUBLE("pow")     \
    DOUBLE("sin") DOUBLE("sinh") DOUBLE("tan") DOUBLE("tanh")                                      \
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
    "    if ((uint64_t)i >= (uint64_t)n)\n        *bad = 2;\n"                                     \
    "    return (uint64_t)i >= (uint64_t)n ? 0 : i;\n}\n"                                          \
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
    return TYPES BITS STREAM TURN TILES FLOAT_FUNCTIONS FUNCTIONS FOR_FLOATS("float", "f", "fmod_f")
        FOR_FLOATS("double", "d", "fmod_d") INTEGERS SHIFTS_AND_POWERS RANDOM;
}
