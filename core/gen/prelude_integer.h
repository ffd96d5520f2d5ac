/*
 * prelude_integer.h - shifts and powers of integers in generated C and CUDA, as text. Included by
 * both preludes.
 */
#ifndef THUNDER_PRELUDE_INTEGER_H
#define THUNDER_PRELUDE_INTEGER_H

/* Shifts by a negative count, or by the width or more, move every bit out. A power with a negative
 * exponent is the reciprocal, truncated. */
#define SHIFTS_AND_POWERS                                                                          \
    "#define shift_left_i(x, by) shift_left(x, by, 8 * (int64_t)sizeof(x))\n"                      \
    "#define shift_right_i(x, by) shift_right(x, by, 8 * (int64_t)sizeof(x) - 1)\n"                \
    "INLINE int64_t shift_left(int64_t x, int64_t by, int64_t width)\n{\n"                         \
    "    return by < 0 || by >= width ? 0 : (int64_t)((uint64_t)x << by);\n}\n"                    \
    "INLINE int64_t shift_right(int64_t x, int64_t by, int64_t most)\n{\n"                         \
    "    return x >> (by < 0 || by > most ? most : by);\n}\n"                                      \
    "INLINE uint64_t shift_right_u(uint64_t x, int64_t by)\n{\n"                                   \
    "    return by < 0 || by > 63 ? 0 : x >> by;\n}\n"                                             \
    "INLINE uint64_t pow_u(uint64_t base, uint64_t exponent)\n{\n"                                 \
    "    uint64_t result = 1;\n"                                                                   \
    "    for (; exponent; exponent >>= 1) {\n"                                                     \
    "        result = exponent & 1 ? result * base : result;\n"                                    \
    "        base *= base;\n    }\n    return result;\n}\n"                                        \
    "INLINE int64_t pow_i(int64_t x, int64_t y)\n{\n"                                              \
    "    int64_t whole = (int64_t)pow_u((uint64_t)x, (uint64_t)(y < 0 ? -y : y));\n"               \
    "    return y >= 0 || x == 1 || x == -1 ? whole : 0;\n}\n\n"

#endif
