/*
 * prelude_math.h - the float functions of generated C, as text.
 *
 * They vectorise: no branches, no library calls; the one table is a register. Those of f32 that
 * programs use most are computed in f32 (at most 1.6 ULP from the true value), the others in double
 * and rounded once (0.51 ULP); tests/check_ulp.c measures them all. Polynomials interpolate the
 * function at Chebyshev nodes or are minimax fits; arguments are reduced as in Cody and Waite,
 * Software Manual for the Elementary Functions (1980). Angles beyond 1e5 are not reduced: is_far
 * finds them, and the kernel is compiled again with ANY_ANGLE, where the C library computes them.
 * Included by prelude.c only.
 */
#ifndef THUNDER_PRELUDE_MATH_H
#define THUNDER_PRELUDE_MATH_H

/* Sums of products: fused where the processor has that, else with two roundings. */
#define PRODUCTS                                                                                   \
    "#ifdef __FMA__\n"                                                                             \
    "#define MADD(a, b, c) __builtin_fma(a, b, c)\n"                                               \
    "#define MADD_F(a, b, c) __builtin_fmaf(a, b, c)\n"                                            \
    "#else\n"                                                                                      \
    "#define MADD(a, b, c) ((a) * (b) + (c))\n"                                                    \
    "#define MADD_F(a, b, c) ((a) * (b) + (c))\n"                                                  \
    "#endif\n"

/* In f32. */
#define HOT_FUNCTIONS                                                                              \
    "// The smaller one; on the bits of floats of one sign it compares what they are worth.\n"     \
    "INLINE uint32_t least_u(uint32_t a, uint32_t b)\n"                                            \
    "{\n"                                                                                          \
    "    return a < b ? a : b;\n"                                                                  \
    "}\n"                                                                                          \
    "INLINE int32_t least_i(int32_t a, int32_t b)\n"                                               \
    "{\n"                                                                                          \
    "    return a < b ? a : b;\n"                                                                  \
    "}\n"                                                                                          \
    "// x in -104 .. 89, beyond which e^x is 0 or infinite; NaN becomes one of them\n"             \
    "INLINE float exp_range(float x)\n"                                                            \
    "{\n"                                                                                          \
    "    uint32_t above = least_u(as_bits(x), 0xc2d00000u);\n"                                     \
    "    return as_float((uint32_t)least_i((int32_t)above, 0x42b20000));\n"                        \
    "}\n"                                                                                          \
    "// e^x = 2^n e^r, |r| <= ln(2) / 2. Adding 1.5 2^23 + 127 rounds to n and leaves n + 127\n"   \
    "// in the lowest bits. The power is applied in two halves, so that results below the\n"       \
    "// smallest normal number are rounded once.\n"                                                \
    "INLINE float exp_f(float x)\n"                                                                \
    "{\n"                                                                                          \
    "    float c = exp_range(x), t = MADD_F(c, 1.44269504f, 12583039.0f), n = t - 12583039.0f;\n"  \
    "    float r = MADD_F(n, 2.12194440e-4f, MADD_F(n, -0.693359375f, c));\n"                      \
    "    float q = MADD_F(1.3813169726e-3f, r, 8.3694186446e-3f);\n"                               \
    "    q = MADD_F(q, r, 4.16684564062e-2f);\n"                                                   \
    "    q = MADD_F(q, r, 1.66665147944e-1f);\n"                                                   \
    "    q = MADD_F(q, r, 4.99999930517e-1f);\n"                                                   \
    "    q = MADD_F(MADD_F(q, r, 1.0f), r, 1.0f);\n"                                               \
    "    uint32_t h = as_bits(MADD_F(n, 0.5f, 12583039.0f)), k = as_bits(t) - h;\n"                \
    "    float y = as_float(as_bits(q) + (k << 23)) * as_float(h << 23);\n"                        \
    "    return x != x ? x : y;\n"                                                                 \
    "}\n"                                                                                          \
    "// e^x for x <= 0 or NaN, as above. e^r is computed 2^64 times too small and 2^n as much\n"  \
    "// too large, which is a normal number then, so that one product rounds once. Where x is\n"  \
    "// below the range, whatever comes out is replaced by 0; a NaN goes through r.\n"            \
    "INLINE float exp_below_f(float x)\n"                                                         \
    "{\n"                                                                                         \
    "    const float small = 5.42101086e-20f;\n"                                                  \
    "    float t = MADD_F(x, 1.44269504f, 12583103.0f), n = t - 12583103.0f;\n"                   \
    "    float r = MADD_F(n, 2.12194440e-4f, MADD_F(n, -0.693359375f, x));\n"                     \
    "    float q = MADD_F(1.3813169726e-3f * small, r, 8.3694186446e-3f * small);\n"              \
    "    q = MADD_F(q, r, 4.16684564062e-2f * small);\n"                                          \
    "    q = MADD_F(q, r, 1.66665147944e-1f * small);\n"                                          \
    "    q = MADD_F(q, r, 4.99999930517e-1f * small);\n"                                          \
    "    q = MADD_F(MADD_F(q, r, small), r, small);\n"                                            \
    "    float y = q * as_float(as_bits(t) << 23);\n"                                             \
    "    return x < -104.0f ? 0.0f : y;\n"                                                        \
    "}\n"                                                                                         \
    "// a / b for 0 <= a <= 1 <= b, where b stays the same in a loop: its reciprocal is taken\n"   \
    "// once, and what the product is off by is added, so that it is rounded as a division is\n"   \
    "INLINE float quotient_f(float a, float b)\n"                                                  \
    "{\n"                                                                                          \
    "#ifdef __FMA__\n"                                                                             \
    "    float r = 1.0f / b, q = a * r;\n"                                                         \
    "    return MADD_F(MADD_F(-q, b, a), r, q);\n"                                                 \
    "#else\n"                                                                                      \
    "    return a / b;\n"                                                                          \
    "#endif\n"                                                                                     \
    "}\n"                                                                                          \
    "// x = 2^n m with sqrt(1/2) <= m < sqrt(2); log(1 + f) = f - f^2 / 2 + f^3 p(f)\n"            \
    "INLINE float log_f(float x)\n"                                                                \
    "{\n"                                                                                          \
    "    int32_t tiny = x < 1.17549435e-38f;\n"                                                    \
    "    uint32_t u = as_bits(tiny ? x * 8388608.0f : x) - 0x3f3504f3u;\n"                         \
    "    float n = (float)((int32_t)u >> 23) - (tiny ? 23.0f : 0.0f);\n"                           \
    "    float f = as_float((u & 0x7fffffu) + 0x3f3504f3u) - 1.0f, z = f * f;\n"                   \
    "    float p = 6.91558617599e-2f;\n"                                                           \
    "    p = MADD_F(p, f, -1.17898392299e-1f);\n"                                                  \
    "    p = MADD_F(p, f, 1.18728948988e-1f);\n"                                                   \
    "    p = MADD_F(p, f, -1.23843384867e-1f);\n"                                                  \
    "    p = MADD_F(p, f, 1.42186682592e-1f);\n"                                                   \
    "    p = MADD_F(p, f, -1.66692517273e-1f);\n"                                                  \
    "    p = MADD_F(p, f, 2.00022261108e-1f);\n"                                                   \
    "    p = MADD_F(p, f, -2.49999865759e-1f);\n"                                                  \
    "    p = MADD_F(p, f, 3.33333104479e-1f);\n"                                                   \
    "    float y = MADD_F(p * z, f, n * -2.12194440e-4f);\n"                                       \
    "    y = MADD_F(-0.5f, z, y);\n"                                                               \
    "    y = MADD_F(n, 0.693359375f, f + y);\n"                                                    \
    "    y = x == 0.0f ? -__builtin_inff() : x == __builtin_inff() ? x : y;\n"                     \
    "    return x < 0.0f || x != x ? __builtin_nanf(\"\") : y;\n"                                  \
    "}\n"                                                                                          \
    "// a polynomial in x^2 near 0, else 1 - 2 / (e^2x + 1), which is 1 from 10 on; as in exp_f,\n"\
    "// but 2x = n ln(2) + 2r, and the power is applied at once\n"                                 \
    "INLINE float tanh_f(float x)\n"                                                               \
    "{\n"                                                                                          \
    "    float t = __builtin_fabsf(x), s = x * x;\n"                                               \
    "    float p = 2.06466955380e-3f;\n"                                                           \
    "    p = MADD_F(p, s, -8.09197208749e-3f);\n"                                                  \
    "    p = MADD_F(p, s, 2.16663476096e-2f);\n"                                                   \
    "    p = MADD_F(p, s, -5.39405630241e-2f);\n"                                                  \
    "    p = MADD_F(p, s, 1.33331578911e-1f);\n"                                                   \
    "    p = MADD_F(p, s, -3.33333296133e-1f);\n"                                                  \
    "    float small = MADD_F(p * s, x, x);\n"                                                     \
    "    float c = as_float(least_u(as_bits(t), 0x41200000u));\n"                                  \
    "    float k = MADD_F(c, 2.88539008f, 12583039.0f), n = k - 12583039.0f;\n"                    \
    "    float r = MADD_F(n, -0.346573591f, c), q = MADD_F(0.0884042829f, r, 0.267821401f);\n"     \
    "    q = MADD_F(q, r, 0.666695297f);\n"                                                        \
    "    q = MADD_F(q, r, 1.33332121f);\n"                                                         \
    "    q = MADD_F(q, r, 1.99999976f);\n"                                                         \
    "    q = MADD_F(MADD_F(q, r, 2.0f), r, 1.0f);\n"                                               \
    "    float large = 1.0f - 2.0f / MADD_F(q, as_float(as_bits(k) << 23), 1.0f);\n"               \
    "    return __builtin_copysignf(t >= 0.65f ? large : small, x);\n"                             \
    "}\n"                                                                                          \
    "// x + x p(x^2) below 0.9, else a polynomial about 2.4; terms in pairs, which can be\n"       \
    "// computed side by side\n"                                                                   \
    "INLINE float erf_f(float x)\n"                                                                \
    "{\n"                                                                                          \
    "    float t = __builtin_fabsf(x), s = x * x;\n"                                               \
    "    float s2 = s * s, p0 = MADD_F(-0.376126352f, s, 0.128379167f);\n"                         \
    "    float p1 = MADD_F(-0.0268606648f, s, 0.11283718f);\n"                                     \
    "    float p2 = MADD_F(MADD_F(8.52940132e-05f, s, -0.000817963218f), s, 0.00520422669f);\n"    \
    "    float p = MADD_F(MADD_F(p2, s2, p1), s2, p0);\n"                                          \
    "    float small = MADD_F(p, x, x);\n"                                                         \
    "    // from 3.92 on it is 1\n"                                                                \
    "    float u = MADD_F(as_float(least_u(as_bits(t), 0x407ae148u)), 0.666666687f, -1.6f);\n"     \
    "    float u2 = u * u, u4 = u2 * u2;\n"                                                        \
    "    float q0 = 0.0053333056f * u;\n"                                                          \
    "    float q1 = MADD_F(0.0420872685f, u, -0.0192007116f);\n"                                   \
    "    float q2 = MADD_F(0.0598663594f, u, -0.0613414606f);\n"                                   \
    "    float q3 = MADD_F(0.0043307157f, u, -0.0351427447f);\n"                                   \
    "    float q4 = MADD_F(-0.0132324299f, u, 0.0134283164f);\n"                                   \
    "    float q5 = MADD_F(0.00338061297f, u, 0.00341835732f);\n"                                  \
    "    float q6 = MADD_F(-0.000219958279f, u, -0.00240256567f);\n"                               \
    "    float low = MADD_F(MADD_F(q3, u2, q2), u4, MADD_F(q1, u2, q0));\n"                        \
    "    float high = MADD_F(MADD_F(0.000383401779f, u2, q6), u4, MADD_F(q5, u2, q4));\n"          \
    "    float q = MADD_F(high, u4 * u4, low) + 0.999311488f;\n"                                   \
    "    return t >= 0.9f ? __builtin_copysignf(q, x) : small;\n"                                  \
    "}\n"

/* e^x of an array, in its place. */
#define EXP_OF_ROWS                                                                                \
    "// Of four lines: a step for each, then the next step, so that none waits for another.\n"     \
    "#if defined(__AVX512F__) && !defined(__clang__)\n"                                            \
    "typedef float Line __attribute__((vector_size(64)));\n"                                       \
    "typedef uint32_t LineBits __attribute__((vector_size(64)));\n"                                \
    "#define LINES(step) _Pragma(\"GCC unroll 4\") for (int k = 0; k < 4; k++) step\n"             \
    "#define MADD_L(a, b, c) __builtin_ia32_vfmaddps512_mask(a, b, c, (uint16_t)-1, 4)\n"          \
    "INLINE Line all_of(float f)\n"                                                                \
    "{\n"                                                                                          \
    "    return (Line){f, f, f, f, f, f, f, f, f, f, f, f, f, f, f, f};\n"                         \
    "}\n"                                                                                          \
    "// e^x = 2^n e^r, n in sixteenths, |r| <= ln(2) / 32. Adding 1.5 2^19 rounds to n and\n"      \
    "// leaves its sixteenths in the lowest bits: a place in a table, which is a register.\n"      \
    "// The table is 1.00865602 times too large, so that it is within 0.23 ULP, and e^r as\n"      \
    "// much too small. A NaN goes through all of it.\n"                                           \
    "INLINE void exp_of_lines(float *v, int above)\n"                                              \
    "{\n"                                                                                          \
    "    const Line table = {1.00865602f, 1.05331302f, 1.09994721f, 1.148646f,\n"                  \
    "                        1.19950092f, 1.25260735f, 1.30806506f, 1.365978f,\n"                  \
    "                        1.42645502f, 1.4896096f,  1.55556023f, 1.62443078f,\n"                \
    "                        1.69635046f, 1.77145433f, 1.84988332f, 1.93178463f};\n"               \
    "    const Line least = all_of(-104.0f), most = all_of(89.0f), magic = all_of(786432.0f);\n"   \
    "    Line x[4], n[4], r[4], q[4], t[4];\n"                                                     \
    "    LINES(__builtin_memcpy(&x[k], v + 16 * k, 64);)\n"                                        \
    "    LINES(x[k] = __builtin_ia32_maxps512_mask(least, x[k], x[k], (uint16_t)-1, 4);)\n"        \
    "    if (above)\n"                                                                             \
    "        LINES(x[k] = __builtin_ia32_minps512_mask(most, x[k], x[k], (uint16_t)-1, 4);)\n"     \
    "    LINES(n[k] = MADD_L(x[k], all_of(1.44269504f), magic);)\n"                                \
    "    LINES(t[k] = __builtin_shuffle(table, (LineBits)n[k]);)\n"                                \
    "    LINES(n[k] = n[k] - magic;)\n"                                                            \
    "    LINES(r[k] = MADD_L(n[k], all_of(-0.693359375f), x[k]);)\n"                               \
    "    LINES(r[k] = MADD_L(n[k], all_of(2.12194440e-4f), r[k]);)\n"                              \
    "    LINES(q[k] = MADD_L(r[k], all_of(0.165240258f), all_of(0.495728552f));)\n"                \
    "    LINES(q[k] = MADD_L(q[k], r[k], all_of(0.991418242f));)\n"                                \
    "    LINES(q[k] = MADD_L(q[k], r[k], all_of(-0.00858174264f));)\n"                             \
    "    LINES(q[k] = MADD_L(q[k], t[k], t[k]);)\n"                                                \
    "    LINES(q[k] = __builtin_ia32_scalefps512_mask(q[k], n[k], q[k], (uint16_t)-1, 4);)\n"      \
    "    LINES(__builtin_memcpy(v + 16 * k, &q[k], 64);)\n"                                        \
    "}\n"                                                                                          \
    "INLINE void exp_of_row(float *v, int64_t n, int above)\n"                                     \
    "{\n"                                                                                          \
    "    int64_t i = 0;\n"                                                                         \
    "    for (; i + 64 <= n; i += 64)\n"                                                           \
    "        exp_of_lines(v + i, above);\n"                                                        \
    "    if (i < n) {\n"                                                                           \
    "        float rest[64] = {0};\n"                                                              \
    "        __builtin_memcpy(rest, v + i, sizeof *v * (uint64_t)(n - i));\n"                      \
    "        exp_of_lines(rest, above);\n"                                                         \
    "        __builtin_memcpy(v + i, rest, sizeof *v * (uint64_t)(n - i));\n"                      \
    "    }\n"                                                                                      \
    "}\n"                                                                                          \
    "#define exp_row(v, n) exp_of_row(v, n, 1)\n"                                                  \
    "#define exp_below_row(v, n) exp_of_row(v, n, 0)\n"                                            \
    "#else\n"                                                                                      \
    "INLINE void exp_row(float *v, int64_t n)\n"                                                   \
    "{\n"                                                                                          \
    "    #pragma omp simd\n"                                                                       \
    "    for (int64_t i = 0; i < n; i++)\n"                                                        \
    "        v[i] = exp_f(v[i]);\n"                                                                \
    "}\n"                                                                                          \
    "INLINE void exp_below_row(float *v, int64_t n)\n"                                             \
    "{\n"                                                                                          \
    "    #pragma omp simd\n"                                                                       \
    "    for (int64_t i = 0; i < n; i++)\n"                                                        \
    "        v[i] = exp_below_f(v[i]);\n"                                                          \
    "}\n"                                                                                          \
    "#endif\n"

/* In double, for functions of f32: good to 1e-10. */
#define DOUBLE_CORES                                                                               \
    "INLINE double as_double(uint64_t u)\n"                                                        \
    "{\n"                                                                                          \
    "    union { uint64_t u; double d; } x = {u};\n"                                               \
    "    return x.d;\n"                                                                            \
    "}\n"                                                                                          \
    "INLINE uint64_t as_bits_d(double d)\n"                                                        \
    "{\n"                                                                                          \
    "    union { double d; uint64_t u; } x = {d};\n"                                               \
    "    return x.u;\n"                                                                            \
    "}\n"                                                                                          \
    "INLINE double power_of_two(double n)\n"                                                       \
    "{\n"                                                                                          \
    "    return as_double((uint64_t)(int64_t)((int32_t)n + 1023) << 52);\n"                        \
    "}\n"                                                                                          \
    "// e^x - 1 = 2^n (e^r - 1) + (2^n - 1), |r| <= ln(2) / 2; for |x| < 700\n"                    \
    "INLINE double expm1_core(double x, double *scale)\n"                                          \
    "{\n"                                                                                          \
    "    double n = __builtin_rint(x * 1.4426950408889634);\n"                                     \
    "    double r = MADD(n, -0.69314718055994531, x), s = power_of_two(n);\n"                      \
    "    double q = 2.7618763206396978e-06;\n"                                                     \
    "    q = MADD(q, r, 2.4869188954759244e-05);\n"                                                \
    "    q = MADD(q, r, 0.00019841222782522139);\n"                                                \
    "    q = MADD(q, r, 0.0013888837110961759);\n"                                                 \
    "    q = MADD(q, r, 0.0083333333448642535);\n"                                                 \
    "    q = MADD(q, r, 0.041666666793542445);\n"                                                  \
    "    q = MADD(q, r, 0.16666666666662253);\n"                                                   \
    "    q = MADD(q, r, 0.49999999999951428);\n"                                                   \
    "    *scale = s;\n"                                                                            \
    "    return MADD(q * r, r, r);\n"                                                              \
    "}\n"                                                                                          \
    "INLINE double clamp_exponent(double x)\n"                                                     \
    "{\n"                                                                                          \
    "    return x < -700.0 ? -700.0 : x > 700.0 ? 700.0 : x;\n"                                    \
    "}\n"                                                                                          \
    "INLINE double exp_core(double x)\n"                                                           \
    "{\n"                                                                                          \
    "    double s, e = expm1_core(clamp_exponent(x), &s);\n"                                       \
    "    return MADD(s, e, s);\n"                                                                  \
    "}\n"                                                                                          \
    "INLINE double less_one(double x)\n"                                                           \
    "{\n"                                                                                          \
    "    double s, e = expm1_core(clamp_exponent(x), &s);\n"                                       \
    "    return MADD(s, e, s - 1.0);\n"                                                            \
    "}\n"                                                                                          \
    "// x = 2^n m, sqrt(1/2) <= m < sqrt(2); log(m) = 2 s + s^3 q(s^2), s = (m - 1) / (m + 1)\n"   \
    "INLINE double log_parts(double x, double *n)\n"                                               \
    "{\n"                                                                                          \
    "    int64_t u = (int64_t)(as_bits_d(x) - 0x3fe6a09e667f3bcd);\n"                              \
    "    *n = (double)(int32_t)(u >> 52);\n"                                                       \
    "    double f = as_double((uint64_t)(u & 0xfffffffffffff) + 0x3fe6a09e667f3bcd) - 1.0;\n"      \
    "    double s = f / (2.0 + f), z = s * s;\n"                                                   \
    "    double q = 0.19362653755489395;\n"                                                        \
    "    q = MADD(q, z, 0.2219140082757585);\n"                                                    \
    "    q = MADD(q, z, 0.28571754535974764);\n"                                                   \
    "    q = MADD(q, z, 0.39999998797337094);\n"                                                   \
    "    q = MADD(q, z, 0.66666666667375096);\n"                                                   \
    "    return MADD(q * z, s, 2.0 * s);\n"                                                        \
    "}\n"                                                                                          \
    "// of a positive normal number\n"                                                             \
    "INLINE double log_core(double x)\n"                                                           \
    "{\n"                                                                                          \
    "    double n, y = log_parts(x, &n);\n"                                                        \
    "    return MADD(n, 0.69314718055994531, y);\n"                                                \
    "}\n"                                                                                          \
    "// log(1 + x) for x > -1; what 1 + x loses is put back\n"                                     \
    "INLINE double log1p_core(double x)\n"                                                         \
    "{\n"                                                                                          \
    "    double u = 1.0 + x, lost = x - (u - 1.0);\n"                                              \
    "    return log_core(u) + lost / u;\n"                                                         \
    "}\n"                                                                                          \
    "INLINE double log_ends(double x, double y)\n"                                                 \
    "{\n"                                                                                          \
    "    y = x == 0.0 ? -__builtin_inf() : x == __builtin_inf() ? x : y;\n"                        \
    "    return x < 0.0 || x != x ? __builtin_nan(\"\") : y;\n"                                    \
    "}\n"

/* Logarithms, exponentials and hyperbolic functions. */
#define EXPONENTIALS                                                                               \
    "INLINE float log2_f(float a)\n"                                                               \
    "{\n"                                                                                          \
    "    double n, x = a, y = log_parts(x, &n);\n"                                                 \
    "    return (float)log_ends(x, MADD(y, 1.4426950408889634, n));\n"                             \
    "}\n"                                                                                          \
    "INLINE float log10_f(float a)\n"                                                              \
    "{\n"                                                                                          \
    "    return (float)log_ends(a, log_core(a) * 0.43429448190325183);\n"                          \
    "}\n"                                                                                          \
    "INLINE float log1p_f(float a)\n"                                                              \
    "{\n"                                                                                          \
    "    double x = a;\n"                                                                          \
    "    return (float)(x == 0.0 ? x : log_ends(1.0 + x, log1p_core(x)));\n"                       \
    "}\n"                                                                                          \
    "INLINE float exp2_f(float a)\n"                                                               \
    "{\n"                                                                                          \
    "    double x = a < -160.0f ? -160.0f : a > 160.0f ? 160.0f : a;\n"                            \
    "    double n = __builtin_rint(x), s, e = expm1_core((x - n) * 0.69314718055994531, &s);\n"    \
    "    s *= power_of_two(n);\n"                                                                  \
    "    return a != a ? a : (float)MADD(s, e, s);\n"                                              \
    "}\n"                                                                                          \
    "INLINE float expm1_f(float a)\n"                                                              \
    "{\n"                                                                                          \
    "    double x = a;\n"                                                                          \
    "    return a != a || a == 0.0f ? a : (float)less_one(x);\n"                                   \
    "}\n"                                                                                          \
    "INLINE float sinh_f(float a)\n"                                                               \
    "{\n"                                                                                          \
    "    double e = less_one(__builtin_fabs((double)a));\n"                                        \
    "    float y = (float)(0.5 * (e + e / (e + 1.0)));\n"                                          \
    "    return a != a ? a : __builtin_copysignf(y, a);\n"                                         \
    "}\n"                                                                                          \
    "INLINE float cosh_f(float a)\n"                                                               \
    "{\n"                                                                                          \
    "    double e = exp_core(__builtin_fabs((double)a));\n"                                        \
    "    return a != a ? a : (float)(0.5 * (e + 1.0 / e));\n"                                      \
    "}\n"                                                                                          \
    "INLINE float asinh_f(float a)\n"                                                              \
    "{\n"                                                                                          \
    "    double t = __builtin_fabs((double)a), z = t * t;\n"                                       \
    "    double y = log1p_core(t + z / (1.0 + __builtin_sqrt(1.0 + z)));\n"                        \
    "    y = t == __builtin_inf() ? t : y;\n"                                                      \
    "    return a != a ? a : __builtin_copysignf((float)y, a);\n"                                  \
    "}\n"                                                                                          \
    "INLINE float acosh_f(float a)\n"                                                              \
    "{\n"                                                                                          \
    "    double u = (double)a - 1.0, y = log1p_core(u + __builtin_sqrt(u * (u + 2.0)));\n"         \
    "    y = u == __builtin_inf() ? u : y;\n"                                                      \
    "    return u < 0.0 || u != u ? __builtin_nanf(\"\") : (float)y;\n"                            \
    "}\n"                                                                                          \
    "INLINE float atanh_f(float a)\n"                                                              \
    "{\n"                                                                                          \
    "    double t = __builtin_fabs((double)a), y = 0.5 * log1p_core(2.0 * t / (1.0 - t));\n"       \
    "    y = t == 1.0 ? __builtin_inf() : y;\n"                                                    \
    "    return t > 1.0 || t != t ? __builtin_nanf(\"\") : __builtin_copysignf((float)y, a);\n"    \
    "}\n"

/* Arc functions and pow. */
#define ARCS_AND_POWERS                                                                            \
    "// atan(t) for t = y / x >= 0, about 0, 1 or infinity; |z| <= tan(pi / 8)\n"                  \
    "INLINE double atan_core(double y, double x)\n"                                                \
    "{\n"                                                                                          \
    "    int high = y > 2.4142135623730951 * x, middle = y > 0.41421356237309503 * x;\n"           \
    "    double top = high ? -x : middle ? y - x : y, bottom = high ? y : middle ? y + x : x;\n"   \
    "    double base = high ? 1.5707963267948966 : middle ? 0.78539816339744828 : 0.0;\n"          \
    "    double z = top / bottom, s = z * z;\n"                                                    \
    "    double p = 0.050481384995103934;\n"                                                       \
    "    p = MADD(p, s, -0.086246761393000956);\n"                                                 \
    "    p = MADD(p, s, 0.11071365020859965);\n"                                                   \
    "    p = MADD(p, s, -0.14284151193551289);\n"                                                  \
    "    p = MADD(p, s, 0.19999977258686);\n"                                                      \
    "    p = MADD(p, s, -0.33333333279254779);\n"                                                  \
    "    return base + MADD(p * s, z, z);\n"                                                       \
    "}\n"                                                                                          \
    "INLINE float atan_f(float a)\n"                                                               \
    "{\n"                                                                                          \
    "    double t = __builtin_fabs((double)a);\n"                                                  \
    "    double y = t == __builtin_inf() ? 1.5707963267948966 : atan_core(t, 1.0);\n"              \
    "    return a != a ? a : __builtin_copysignf((float)y, a);\n"                                  \
    "}\n"                                                                                          \
    "INLINE float atan2_f(float b, float a)\n"                                                     \
    "{\n"                                                                                          \
    "    double y = __builtin_fabs((double)b), x = __builtin_fabs((double)a);\n"                   \
    "    int both = x == y; // also both infinite, or both zero\n"                                 \
    "    double t = both ? 0.78539816339744828 : y == __builtin_inf() ? 1.5707963267948966\n"      \
    "             : x == __builtin_inf() ? 0.0 : atan_core(y, x);\n"                               \
    "    t = y == 0.0 ? 0.0 : t;\n"                                                                \
    "    t = __builtin_copysign(1.0, (double)a) < 0.0 ? 3.1415926535897931 - t : t;\n"             \
    "    return a != a || b != b ? __builtin_nanf(\"\") : __builtin_copysignf((float)t, b);\n"     \
    "}\n"                                                                                          \
    "INLINE float asin_f(float a)\n"                                                               \
    "{\n"                                                                                          \
    "    double x = a, t = __builtin_fabs(x);\n"                                                   \
    "    double y = atan_core(t, __builtin_sqrt((1.0 - t) * (1.0 + t)));\n"                        \
    "    return t > 1.0 || t != t ? __builtin_nanf(\"\") : __builtin_copysignf((float)y, a);\n"    \
    "}\n"                                                                                          \
    "INLINE float acos_f(float a)\n"                                                               \
    "{\n"                                                                                          \
    "    double x = a, t = __builtin_fabs(x);\n"                                                   \
    "    double y = atan_core(__builtin_sqrt((1.0 - t) * (1.0 + t)), t);\n"                        \
    "    y = x < 0.0 ? 3.1415926535897931 - y : y;\n"                                              \
    "    return t > 1.0 || t != t ? __builtin_nanf(\"\") : (float)y;\n"                            \
    "}\n"                                                                                          \
    "// a^b = e^(b log |a|), with the sign of a where b is an odd whole number\n"                  \
    "INLINE float pow_f(float a, float b)\n"                                                       \
    "{\n"                                                                                          \
    "    if (__builtin_constant_p(b) && (b == 2.0f || b == 3.0f))\n"                               \
    "        return b == 2.0f ? a * a : a * a * a;\n"                                              \
    "    double x = __builtin_fabs((double)a), y = b, n = __builtin_trunc(y);\n"                   \
    "    double rest = n - 2.0 * __builtin_trunc(0.5 * n);\n"                                      \
    "    int whole = n == y, odd = whole && __builtin_fabs(rest) == 1.0;\n"                        \
    "    int zero = x == 0.0, infinite = x == __builtin_inf();\n"                                  \
    "    double l = log_core(x);\n"                                                                \
    "    l = zero ? -__builtin_inf() : infinite ? x : l;\n"                                        \
    "    double p = exp_core(y * l);\n"                                                            \
    "    p = (zero || infinite) ? ((zero == (y > 0.0)) ? 0.0 : __builtin_inf()) : p;\n"            \
    "    int root = a < 0.0f && !whole && !infinite && __builtin_fabs(y) != __builtin_inf();\n"    \
    "    p = root ? __builtin_nan(\"\") : p;\n"                                                    \
    "    p = odd && __builtin_copysignf(1.0f, a) < 0.0f ? -p : p;\n"                               \
    "    p = a != a || b != b ? __builtin_nan(\"\") : p;\n"                                        \
    "    int edge = a == -1.0f && __builtin_fabs(y) == __builtin_inf();\n"                         \
    "    return b == 0.0f || a == 1.0f || edge ? 1.0f : (float)p;\n"                               \
    "}\n"

/* sin, cos and tan. */
#define ANGLES                                                                                     \
    "#ifdef ANY_ANGLE\n"                                                                           \
    "#define sin_f(x) (float)__builtin_sin((double)(x))\n"                                         \
    "#define cos_f(x) (float)__builtin_cos((double)(x))\n"                                         \
    "#define tan_f(x) (float)__builtin_tan((double)(x))\n"                                         \
    "#define is_far(x) 0\n"                                                                        \
    "#else\n"                                                                                      \
    "// whether an angle is too large for the reductions below\n"                                  \
    "INLINE int is_far(float x)\n"                                                                 \
    "{\n"                                                                                          \
    "    float t = __builtin_fabsf(x);\n"                                                          \
    "    return t > 1e5f && t != __builtin_inff();\n"                                              \
    "}\n"                                                                                          \
    "// x = n pi / 2 + r; pi / 2 in parts of 33 bits, so that the products are exact\n"            \
    "INLINE double reduce_angle(double x, int32_t *n)\n"                                           \
    "{\n"                                                                                          \
    "    double k = __builtin_rint(x * 0.63661977236758138);\n"                                    \
    "    *n = (int32_t)k;\n"                                                                       \
    "    double r = x - k * 1.5707963267341256 - k * 6.077100506303966e-11;\n"                     \
    "    return r - k * 2.0222662487959506e-21;\n"                                                 \
    "}\n"                                                                                          \
    "// the same in f32: a fused product makes the first difference exact. Adding 1.5 2^23\n"      \
    "// rounds to n and leaves it in the lowest bits.\n"                                           \
    "INLINE float reduce_angle_f(float x, uint32_t *n)\n"                                          \
    "{\n"                                                                                          \
    "    float t = MADD_F(x, 0.636619747f, 12582912.0f), k = t - 12582912.0f;\n"                   \
    "    *n = as_bits(t);\n"                                                                       \
    "#ifdef __FMA__\n"                                                                             \
    "    float r = MADD_F(k, -1.57079637f, x);\n"                                                  \
    "    return MADD_F(k, 1.71512451e-15f, MADD_F(k, 4.37113883e-08f, r));\n"                      \
    "#else\n"                                                                                      \
    "    double r = (double)x - k * 1.5707963267341256 - k * 6.077100506303966e-11;\n"             \
    "    return (float)(r - k * 2.0222662487959506e-21);\n"                                        \
    "#endif\n"                                                                                     \
    "}\n"                                                                                          \
    "INLINE float sin_core(float r, float z)\n"                                                    \
    "{\n"                                                                                          \
    "    float p = MADD_F(-0.000195853732f, z, 0.00833273656f);\n"                                 \
    "    p = MADD_F(p, z, -0.166666646f);\n"                                                       \
    "    return MADD_F(p * z, r, r);\n"                                                            \
    "}\n"                                                                                          \
    "INLINE float cos_core(float z)\n"                                                             \
    "{\n"                                                                                          \
    "    float p = MADD_F(2.45454187e-05f, z, -0.00138882913f);\n"                                 \
    "    p = MADD_F(p, z, 0.0416666646f);\n"                                                       \
    "    return MADD_F(p * z, z, MADD_F(-0.5f, z, 1.0f));\n"                                       \
    "}\n"                                                                                          \
    "// negative when bit 1 of n is set\n"                                                         \
    "INLINE float with_sign(float y, uint32_t n)\n"                                                \
    "{\n"                                                                                          \
    "    return as_float(as_bits(y) ^ (n << 30 & 0x80000000u));\n"                                 \
    "}\n"                                                                                          \
    "INLINE float sin_f(float x)\n"                                                                \
    "{\n"                                                                                          \
    "    uint32_t n;\n"                                                                            \
    "    float r = reduce_angle_f(x, &n), z = r * r;\n"                                            \
    "    float y = with_sign(n & 1 ? cos_core(z) : sin_core(r, z), n);\n"                          \
    "    return x == 0.0f ? x : y;\n"                                                              \
    "}\n"                                                                                          \
    "INLINE float cos_f(float x)\n"                                                                \
    "{\n"                                                                                          \
    "    uint32_t n;\n"                                                                            \
    "    float r = reduce_angle_f(x, &n), z = r * r;\n"                                            \
    "    return with_sign(n & 1 ? sin_core(r, z) : cos_core(z), n + 1);\n"                         \
    "}\n"                                                                                          \
    "INLINE float tan_f(float x)\n"                                                                \
    "{\n"                                                                                          \
    "    int32_t n;\n"                                                                             \
    "    double r = reduce_angle(x, &n), z = r * r;\n"                                             \
    "    double s = 2.7249925802563189e-06, c = 2.4463788292720365e-05;\n"                         \
    "    s = MADD(s, z, -0.00019840086735379485);\n"                                               \
    "    s = MADD(s, z, 0.0083333318747101925);\n"                                                 \
    "    s = MADD(s, z, -0.1666666666385529);\n"                                                   \
    "    s = MADD(s * z, r, r);\n"                                                                 \
    "    c = MADD(c, z, -0.0013887589155594687);\n"                                                \
    "    c = MADD(c, z, 0.041666650644516849);\n"                                                  \
    "    c = MADD(c, z, -0.49999999969119308);\n"                                                  \
    "    c = MADD(c, z, 1.0);\n"                                                                   \
    "    double y = n & 1 ? -c / s : s / c;\n"                                                     \
    "    return x == 0.0f ? x : (float)y;\n"                                                       \
    "}\n"                                                                                          \
    "#endif\n"

#define FLOAT_FUNCTIONS                                                                            \
    PRODUCTS HOT_FUNCTIONS EXP_OF_ROWS DOUBLE_CORES EXPONENTIALS ARCS_AND_POWERS ANGLES

#endif
