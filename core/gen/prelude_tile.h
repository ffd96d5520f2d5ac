/*
 * prelude_tile.h - tiles of operands that lie across the loop, in generated C, as text.
 *
 * transpose_BYTES fills a tile with elements of so many bytes. A square with as many rows as a
 * vector has elements stays in registers: each round deals the rows out as one does with two
 * halves of a pack of cards, which turns the digits of an element's number by one; after as many
 * rounds as a row's number has digits, row and column have changed places. What is left at the ends
 * goes element by element. Included by prelude.c only.
 */
#ifndef THUNDER_PRELUDE_TILE_H
#define THUNDER_PRELUDE_TILE_H

/* What a round leaves of two rows: the front halves dealt out, and the back halves. */
#define DEALS                                                                                      \
    "#if defined(__clang__)\n"                                                                     \
    "#define DEALT(Row, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)\n"                   \
    "#else\n"                                                                                      \
    "#define DEALT(Row, a, b, ...) __builtin_shuffle(a, b, (Row){__VA_ARGS__})\n"                  \
    "#endif\n"                                                                                     \
    "#define FRONT_2 0, 2\n"                                                                       \
    "#define BACK_2 1, 3\n"                                                                        \
    "#define FRONT_4 0, 4, 1, 5\n"                                                                 \
    "#define BACK_4 2, 6, 3, 7\n"                                                                  \
    "#define FRONT_8 0, 8, 1, 9, 2, 10, 3, 11\n"                                                   \
    "#define BACK_8 4, 12, 5, 13, 6, 14, 7, 15\n"                                                  \
    "#define FRONT_16 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23\n"                    \
    "#define BACK_16 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31\n"               \
    "#define FRONT_32 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, \\\n"                \
    "                 8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47\n"              \
    "#define BACK_32 16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53, 22, 54, 23, 55, \\\n"         \
    "                24, 56, 25, 57, 26, 58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63\n"             \
    "#define EACH(n) _Pragma(\"GCC unroll 32\") for (int i = 0; i < (n); i++)\n"                   \
    "#define ROUND(n) \\\n"                                                                        \
    "    EACH(n / 2) { \\\n"                                                                       \
    "        dealt[2 * i] = DEALT(Row, r[i], r[i + n / 2], FRONT_##n); \\\n"                       \
    "        dealt[2 * i + 1] = DEALT(Row, r[i], r[i + n / 2], BACK_##n); \\\n"                    \
    "    } \\\n"                                                                                   \
    "    EACH(n) r[i] = dealt[i];\n"

/* tile[k][j] = from[k + step * j] for `rows` k and `columns` j; a row of the tile has `width`
 * elements. n: the elements of a vector. */
#define TRANSPOSITION                                                                              \
    "#define TRANSPOSE(T, bytes, n) \\\n"                                                          \
    "INLINE void transpose_##bytes(void *tile, int64_t width, const void *from, \\\n"              \
    "                              int64_t step, int64_t rows, int64_t columns) \\\n"              \
    "{ \\\n"                                                                                       \
    "    typedef T Word __attribute__((may_alias)); \\\n"                                          \
    "    typedef T Row __attribute__((vector_size(bytes * n))); \\\n"                              \
    "    Word *to = tile; \\\n"                                                                    \
    "    const Word *f = from; \\\n"                                                               \
    "    for (int64_t j = 0; j < columns; j += n) { \\\n"                                          \
    "        for (int64_t k = 0; k < rows; k += n) { \\\n"                                         \
    "            if (j + n > columns || k + n > rows) { \\\n"                                      \
    "                for (int64_t b = j; b < j + n && b < columns; b++) \\\n"                      \
    "                    for (int64_t a = k; a < k + n && a < rows; a++) \\\n"                     \
    "                        to[width * a + b] = f[a + step * b]; \\\n"                            \
    "                continue; \\\n"                                                               \
    "            } \\\n"                                                                           \
    "            Row r[n], dealt[n]; \\\n"                                                         \
    "            EACH(n) __builtin_memcpy(&r[i], f + k + step * (j + i), sizeof(Row)); \\\n"       \
    "            ROUND(n) \\\n"                                                                    \
    "            if (n > 2) { ROUND(n) } \\\n"                                                     \
    "            if (n > 4) { ROUND(n) } \\\n"                                                     \
    "            if (n > 8) { ROUND(n) } \\\n"                                                     \
    "            if (n > 16) { ROUND(n) } \\\n"                                                    \
    "            EACH(n) __builtin_memcpy(to + width * (k + i) + j, &r[i], sizeof(Row)); \\\n"     \
    "        } \\\n"                                                                               \
    "    } \\\n"                                                                                   \
    "}\n"                                                                                          \
    "TRANSPOSE(uint8_t, 1, 16)\n"                                                                  \
    "#if defined(__AVX512BW__)\n"                                                                  \
    "TRANSPOSE(uint16_t, 2, 32)\nTRANSPOSE(uint32_t, 4, 16)\nTRANSPOSE(uint64_t, 8, 8)\n"          \
    "#elif defined(__AVX2__)\n"                                                                    \
    "TRANSPOSE(uint16_t, 2, 16)\nTRANSPOSE(uint32_t, 4, 8)\nTRANSPOSE(uint64_t, 8, 4)\n"           \
    "#else\n"                                                                                      \
    "TRANSPOSE(uint16_t, 2, 8)\nTRANSPOSE(uint32_t, 4, 4)\nTRANSPOSE(uint64_t, 8, 2)\n"            \
    "#endif\n"

/* Asks for what is read soon, into the second cache. */
#define FETCH                                                                                      \
    "INLINE void fetch(const void *from, uint64_t bytes)\n{\n"                                     \
    "    for (uint64_t i = 0; i < bytes; i += 64)\n"                                               \
    "        __builtin_prefetch((const char *)from + i, 0, 2);\n}\n\n"

#define TILES DEALS TRANSPOSITION FETCH

#endif
