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
    "INLINE uint32_t random_word(int64_t i, uint64_t seed, uint64_t offset)\n{\n"                  \
    "    uint32_t w[4];\n    philox(i, seed, offset, w);\n"                                        \
    "    return i & 2 ? (i & 1 ? w[3] : w[2]) : (i & 1 ? w[1] : w[0]);\n}\n"                       \
    "INLINE float uniform_f(int64_t i, uint64_t seed, uint64_t offset, double a, double b)\n{\n"   \
    "    uint32_t word = random_word(i, seed, offset);\n"                                          \
    "    double ulp = 5.9604644775390625e-08, u = (word >> 8) * ulp, v = a + u * (b - a);\n"       \
    "    return (float)((float)v >= b && a < b ? a + (u - ulp) * (b - a) : v);\n}\n"               \
    "INLINE double uniform_d(int64_t i, uint64_t seed, uint64_t offset, double a, double b)\n{\n"  \
    "    uint32_t w[4];\n    philox(2 * i, seed, offset, w);\n"                                    \
    "    uint64_t word = (uint64_t)(i & 1 ? w[2] : w[0]) << 32 | (i & 1 ? w[3] : w[1]);\n"         \
    "    double ulp = 1.1102230246251565e-16, u = (word >> 11) * ulp, v = a + u * (b - a);\n"      \
    "    return v >= b && a < b ? a + (u - ulp) * (b - a) : v;\n}\n"                               \
    "/* Box-Muller on two words. */\n"                                                             \
    "INLINE double normal_d(int64_t i, uint64_t seed, uint64_t offset, double a, double b)\n{\n"   \
    "    uint32_t w[4];\n    philox(i, seed, offset, w);\n"                                        \
    "    double first = i & 2 ? w[2] : w[0], second = i & 2 ? w[3] : w[1];\n"                      \
    "    double r = sqrt_d(-2 * log_d((first + 1) * 2.3283064365386963e-10));\n"                   \
    "    double angle = 2 * 3.14159265358979323846 * second * 2.3283064365386963e-10;\n"           \
    "    return a + b * r * (i & 1 ? sin_d(angle) : cos_d(angle));\n}\n"                           \
    "/* By the high half of a product. */\n"                                                       \
    "INLINE int64_t integer_i(int64_t i, uint64_t seed, uint64_t offset, int64_t low, "            \
    "uint64_t range)\n{\n"                                                                         \
    "    uint32_t word = random_word(i, seed, offset);\n"                                          \
    "    return (int64_t)((uint64_t)low + (word * range >> 32));\n}\n"                             \
    "/* Rounded so that rounding again, to fewer bits, is as if it were done once. */\n"           \
    "INLINE float to_odd(double v)\n{\n"                                                           \
    "    float f = (float)v;\n    uint32_t u = as_bits(f);\n"                                      \
    "    if ((double)f == v || f != f)\n        return f;\n"                                       \
    "    u -= f > 0 ? f > v : f < 0 && f < v;\n"                                                   \
    "    return as_float(u | 1);\n}\n" NARROW_DRAWS("f16", "21", "0.00048828125")                  \
    NARROW_DRAWS("bf16", "24", "0.00390625") "\n"

/* With as many bits as the dtype has. */
#define NARROW_DRAWS(name, drop, ulp)                                                              \
    "INLINE float uniform_" name "(int64_t i, uint64_t seed, uint64_t offset, double a, "          \
    "double b)\n{\n"                                                                               \
    "    double u = (random_word(i, seed, offset) >> " drop ") * " ulp ";\n"                       \
    "    float v = round_" name "(to_odd(a + u * (b - a)));\n"                                     \
    "    return v >= b && a < b ? round_" name "(to_odd(a + (u - " ulp ") * (b - a))) : v;\n}\n"   \
    "INLINE float normal_" name "(int64_t i, uint64_t seed, uint64_t offset, double a, "           \
    "double b)\n{\n"                                                                               \
    "    return round_" name "(to_odd(normal_d(i, seed, offset, a, b)));\n}\n"

#endif
