/*
 * prelude_f8.h - floats of 8 bits in generated C and CUDA, as text. Included by both preludes.
 *
 * As in PyTorch: nearest, ties to even; e4m3fn has no infinity, and what is too large for it, with
 * infinity, becomes 448; a NaN keeps its sign. Plain integer arithmetic, which compilers vectorise:
 * a multiple of the smallest number is found by adding a power of two whose last place that is.
 */
#ifndef THUNDER_PRELUDE_F8_H
#define THUNDER_PRELUDE_F8_H

#define F8_CODES                                                                                   \
    "INLINE uint8_t to_f8_e4m3fn(float f)\n{\n"                                                    \
    "    uint32_t u = as_bits(f), a = u & 0x7fffffffu;\n"                                          \
    "    uint32_t tiny = as_bits(as_float(a) + 16384.0f) - 0x46800000u;\n"                         \
    "    uint32_t code = ((a + 0x7ffffu + (a >> 20 & 1)) >> 20) - 960;\n"                          \
    "    code = a < 0x3c800000u ? tiny : code;\n"                                                  \
    "    code = code > 0x7e ? 0x7e : code;\n"                                                      \
    "    code = a > 0x7f800000u ? 0x7f : code;\n"                                                  \
    "    return (uint8_t)(code | (u >> 24 & 0x80));\n}\n"                                          \
    "INLINE uint8_t to_f8_e5m2(float f)\n{\n"                                                      \
    "    uint32_t u = as_bits(f), a = u & 0x7fffffffu;\n"                                          \
    "    uint32_t tiny = as_bits(as_float(a) + 128.0f) - 0x43000000u;\n"                           \
    "    uint32_t code = ((a + 0xfffffu + (a >> 21 & 1)) >> 21) - 448;\n"                          \
    "    code = a < 0x38800000u ? tiny : code;\n"                                                  \
    "    code = code > 0x7c ? 0x7c : code;\n"                                                      \
    "    code = a > 0x7f800000u ? 0x7f : code;\n"                                                  \
    "    return (uint8_t)(code | (u >> 24 & 0x80));\n}\n"                                          \
    "INLINE float from_f8_e4m3fn(uint8_t c)\n{\n"                                                  \
    "    uint32_t a = c & 0x7f, u = (a << 20) + 0x3c000000u;\n"                                    \
    "    u = a < 8 ? as_bits((float)(int)a * 0.001953125f) : u;\n"                                 \
    "    u = a == 0x7f ? 0x7fc00000u : u;\n"                                                       \
    "    return as_float(u | (uint32_t)(c & 0x80) << 24);\n}\n"                                    \
    "INLINE float from_f8_e5m2(uint8_t c)\n{\n"                                                    \
    "    uint32_t a = c & 0x7f, u = (a << 21) + 0x38000000u;\n"                                    \
    "    u = a < 4 ? as_bits((float)(int)a * 0.0000152587890625f) : u;\n"                          \
    "    u = a == 0x7c ? 0x7f800000u : a > 0x7c ? 0x7fc00000u : u;\n"                              \
    "    return as_float(u | (uint32_t)(c & 0x80) << 24);\n}\n"

#endif
