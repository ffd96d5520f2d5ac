/*
 * sorts_text.h - sorting along one dimension of a tensor, in CUDA, as text.
 *
 * A tensor is [outer, N, inner]; a line has N elements, `inner` apart. Elements go with their
 * places in the line, so that no two are equal and there is one right order. What several launches
 * work on lies line by line: values first, then places.
 */
#ifndef THUNDER_SORTS_TEXT_H
#define THUNDER_SORTS_TEXT_H

/* The order, and where results go. */
#define SORT_ORDER                                                                                 \
    "#ifndef SORTS\n#define SORTS\n"                                                               \
    "/* As stable sorting leaves them: NaN above all, equals by their place; what is behind the\n" \
    " * line's end last. */\n"                                                                     \
    "template <bool DOWN, typename A> INLINE bool comes_before(A x, int i, A y, int k, int n)\n"   \
    "{\n"                                                                                          \
    "    if (i >= n || k >= n)\n"                                                                  \
    "        return i < k;\n"                                                                      \
    "    if (DOWN ? x > y || (x != x && y == y) : x < y || (y != y && x == x))\n"                  \
    "        return true;\n"                                                                       \
    "    if (DOWN ? y > x || (y != y && x == x) : y < x || (x != x && y == y))\n"                  \
    "        return false;\n"                                                                      \
    "    return i < k;\n"                                                                          \
    "}\n"                                                                                          \
    "/* Of a sorted line, results are elements FIRST to FIRST + COUNT; at: where one was. */\n"    \
    "template <int N, int FIRST, int COUNT, int64_t INNER, typename D>\n"                          \
    "INLINE void give_sorted(const D *in, D *out, int64_t *place, int64_t line, int i, int at)\n"  \
    "{\n"                                                                                          \
    "    if (i < FIRST || i >= FIRST + COUNT)\n"                                                   \
    "        return;\n"                                                                            \
    "    const int64_t above = line / INNER * INNER, below = line % INNER;\n"                      \
    "    const int64_t to = above * COUNT + (i - FIRST) * INNER + below;\n"                        \
    "    if (out)\n"                                                                               \
    "        out[to] = in[above * N + at * INNER + below];\n"                                      \
    "    if (place)\n"                                                                             \
    "        place[to] = at;\n"                                                                    \
    "}\n"

/* Sorting in a network of comparisons: who compares with whom is known beforehand. */
#define SORT_TILES                                                                                 \
    "/* A block sorts up to P elements, a power of two, in shared memory: a tile of the M that\n"  \
    " * a line has, or (LEFT) has left. The first KEEP of a tile are kept; from the last tile\n"   \
    " * that is left results are taken, when there are to be any. */\n"                            \
    "template <typename A, bool DOWN, int P, int THREADS, int N, int M, bool LEFT, int KEEP,\n"    \
    "          int FIRST, int COUNT, int64_t INNER, typename D>\n"                                 \
    "INLINE void sort_tile(const D *in, const A *left, const int *left_at, A *kept,\n"             \
    "                      int *kept_at, D *out, int64_t *place)\n"                                \
    "{\n"                                                                                          \
    "    SHARED_POOL(pool);\n"                                                                     \
    "    A *v = (A *)pool;\n"                                                                      \
    "    int *at = (int *)(v + P);\n"                                                              \
    "    const int tiles = (M + P - 1) / P, tile = blockIdx.x % tiles;\n"                          \
    "    const int64_t line = blockIdx.x / tiles;\n"                                               \
    "    const int64_t base = line / INNER * INNER * N + line % INNER;\n"                          \
    "    const int start = tile * P, here = M - start < P ? M - start : P;\n"                      \
    "    for (int i = threadIdx.x; i < P; i += THREADS) {\n"                                       \
    "        const int k = start + i;\n"                                                           \
    "        v[i] = i >= here ? (A)0\n"                                                            \
    "             : LEFT    ? left[line * M + k]\n"                                                \
    "                       : (A)get(in[base + k * INNER]);\n"                                     \
    "        at[i] = i >= here ? N + i : LEFT ? left_at[line * M + k] : k;\n"                      \
    "    }\n"                                                                                      \
    "    for (int size = 2; size <= P; size *= 2)\n"                                               \
    "        for (int step = size / 2; step > 0; step /= 2) {\n"                                   \
    "            __syncthreads();\n"                                                               \
    "            for (int t = threadIdx.x; t < P / 2; t += THREADS) {\n"                           \
    "                const int i = t / step * 2 * step + t % step, k = i + step;\n"                \
    "                const A x = v[i], y = v[k];\n"                                                \
    "                const int ix = at[i], iy = at[k];\n"                                          \
    "                if (comes_before<DOWN>(y, iy, x, ix, N) == ((i & size) == 0)) {\n"            \
    "                    v[i] = y, v[k] = x;\n"                                                    \
    "                    at[i] = iy, at[k] = ix;\n"                                                \
    "                }\n"                                                                          \
    "            }\n"                                                                              \
    "        }\n"                                                                                  \
    "    __syncthreads();\n"                                                                       \
    "    const int end = M - (tiles - 1) * P < KEEP ? M - (tiles - 1) * P : KEEP;\n"               \
    "    const int64_t to = line * ((tiles - 1) * KEEP + end) + tile * KEEP;\n"                    \
    "    for (int i = threadIdx.x; i < here; i += THREADS) {\n"                                    \
    "        if (tiles == 1 && COUNT) {\n"                                                         \
    "            give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, i, at[i]);\n"           \
    "        } else if (i < KEEP) {\n"                                                             \
    "            kept[to + i] = v[i];\n"                                                           \
    "            kept_at[to + i] = at[i];\n"                                                       \
    "        }\n"                                                                                  \
    "    }\n"                                                                                      \
    "}\n"

/* An element's place among sorted runs is how many of each stand before it. */
#define MERGE_RUNS                                                                                 \
    "template <typename A, bool DOWN, int N, int64_t RUN, int WAYS, int FIRST, int COUNT,\n"       \
    "          int64_t INNER, int64_t LINES, bool LAST, typename D>\n"                             \
    "INLINE void merge_runs(const D *in, const A *from, const int *from_at, A *to, int *to_at,\n"  \
    "                       D *out, int64_t *place)\n"                                             \
    "{\n"                                                                                          \
    "    const int64_t number = blockIdx.x * (int64_t)256 + threadIdx.x;\n"                        \
    "    if (number >= LINES * N)\n"                                                               \
    "        return;\n"                                                                            \
    "    const int64_t line = number / N, i = number % N, mine = i / RUN;\n"                       \
    "    const int64_t first = mine / WAYS * WAYS;\n"                                              \
    "    const A x = from[number];\n"                                                              \
    "    const int at = from_at[number];\n"                                                        \
    "    int64_t rank = first * RUN + i % RUN;\n"                                                  \
    "    for (int64_t run = first; run < first + WAYS && run * RUN < N; run++) {\n"                \
    "        const int64_t begin = line * N + run * RUN;\n"                                        \
    "        int64_t low = 0, high = N - run * RUN < RUN ? N - run * RUN : RUN;\n"                 \
    "        while (run != mine && low < high) {\n"                                                \
    "            const int64_t k = (low + high) / 2;\n"                                            \
    "            if (comes_before<DOWN>(from[begin + k], from_at[begin + k], x, at, N))\n"         \
    "                low = k + 1;\n"                                                               \
    "            else\n"                                                                           \
    "                high = k;\n"                                                                  \
    "        }\n"                                                                                  \
    "        rank += low;\n"                                                                       \
    "    }\n"                                                                                      \
    "    if (LAST) {\n"                                                                            \
    "        give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, (int)rank, at);\n"          \
    "    } else {\n"                                                                               \
    "        to[line * N + rank] = x;\n"                                                           \
    "        to_at[line * N + rank] = at;\n"                                                       \
    "    }\n"                                                                                      \
    "}\n"                                                                                          \
    "#endif\n"

#define SORTS SORT_ORDER SORT_TILES MERGE_RUNS

#endif
