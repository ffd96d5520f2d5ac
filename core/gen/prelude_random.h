/*
 * prelude_random.h - random numbers in generated C and CUDA, as text. Included by both preludes.
 */
#ifndef THUNDER_PRELUDE_RANDOM_H
#define THUNDER_PRELUDE_RANDOM_H

/* The generator of interp_random.c: a counter-based one, the same numbers everywhere. */
#define RANDOM                                                                                     \
    "INLINE void philox(int64_t i, uint64_t seed, uint64_t offset, uint32_t w[4])\n{\n"            \
    "    uint32_t c0 = (uint32_t)(i >> 2), c1 = (uint32_t)(i >> 34);\n"                            \
    "    uint32_t c2 = (uint32_t)offset, c3 = (uint32_t)(offset >> 32);\n"                         \
    "    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);\n"                             \
    "    for (int round = 0; round < 10; round++) {\n"                                             \
    "        uint64_t p = (uint64_t)c0 * 0xd2511f53u, q = (uint64_t)c2 * 0xcd9e8d57u;\n"           \
    "        c0 = (uint32_t)(q >> 32) ^ c1 ^ k0;\n"                                                \
    "        c1 = (uint32_t)q;\n"                                                                  \
    "        c2 = (uint32_t)(p >> 32) ^ c3 ^ k1;\n"                                                \
    "        c3 = (uint32_t)p;\n"                                                                  \
    "        k0 += 0x9e3779b9u;\n"                                                                 \
    "        k1 += 0xbb67ae85u;\n    }\n"                                                          \
    "    w[0] = c0, w[1] = c1, w[2] = c2, w[3] = c3;\n}\n"                                         \
    "INLINE float uniform_f(int64_t i, uint64_t seed, uint64_t offset, double a, double b)\n{\n"   \
    "    uint32_t w[4];\n    philox(i, seed, offset, w);\n"                                        \
    "    uint32_t word = i & 2 ? (i & 1 ? w[3] : w[2]) : (i & 1 ? w[1] : w[0]);\n"                 \
    "    double ulp = 5.9604644775390625e-08, u = (word >> 8) * ulp, v = a + u * (b - a);\n"       \
    "    return (float)((float)v >= b && a < b ? a + (u - ulp) * (b - a) : v);\n}\n\n"

/* In C only. Box-Muller on two words; integers by the high half of a product. */
#define MORE_RANDOM                                                                                \
    "INLINE double normal_d(int64_t i, uint64_t seed, uint64_t offset, double a, double b)\n{\n"   \
    "    uint32_t w[4];\n    philox(i, seed, offset, w);\n"                                        \
    "    double first = i & 2 ? w[2] : w[0], second = i & 2 ? w[3] : w[1];\n"                      \
    "    double r = __builtin_sqrt(-2 * __builtin_log((first + 1) * 0x1p-32));\n"                  \
    "    double angle = 2 * 3.14159265358979323846 * second * 0x1p-32;\n"                          \
    "    return a + b * r * (i & 1 ? __builtin_sin(angle) : __builtin_cos(angle));\n}\n"           \
    "INLINE int64_t integer_i(int64_t i, uint64_t seed, uint64_t offset, int64_t low, "            \
    "uint64_t range)\n{\n"                                                                         \
    "    uint32_t w[4];\n    philox(i, seed, offset, w);\n"                                        \
    "    uint32_t word = i & 2 ? (i & 1 ? w[3] : w[2]) : (i & 1 ? w[1] : w[0]);\n"                 \
    "    return (int64_t)((uint64_t)low + (word * range >> 32));\n}\n\n"

#endif
