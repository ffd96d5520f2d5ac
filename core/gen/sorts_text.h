/*
 * sorts_text.h - sorting along one dimension of a tensor, in CUDA, as text.
 *
 * A tensor is [outer, N, inner]; a line has N elements, `inner` apart. What several launches work
 * on lies line by line.
 */
#ifndef THUNDER_SORTS_TEXT_H
#define THUNDER_SORTS_TEXT_H

/* Elements in their order, each with its place in the line, so that no two are equal. */
#define SORT_ORDER                                                                                 \
    "#ifndef SORTS\n"                                                                              \
    "#define SORTS\n"                                                                              \
    "/* Numbers that are in order as elements are: NaN above all, zeros of either sign equal. */\n"\
    "INLINE uint32_t order_of(float x)\n"                                                          \
    "{\n"                                                                                          \
    "    const uint32_t u = as_bits(x);\n"                                                         \
    "    return x != x ? ~0u : x == 0 ? 1u << 31 : u >> 31 ? ~u : u | 1u << 31;\n"                 \
    "}\n"                                                                                          \
    "INLINE uint64_t order_of(double x)\n"                                                         \
    "{\n"                                                                                          \
    "    union { double f; uint64_t u; } b = {x};\n"                                               \
    "    return x != x ? ~0ull : x == 0 ? 1ull << 63 : b.u >> 63 ? ~b.u : b.u | 1ull << 63;\n"     \
    "}\n"                                                                                          \
    "INLINE uint32_t order_of(int x)\n"                                                            \
    "{\n"                                                                                          \
    "    return (uint32_t)x ^ 1u << 31;\n"                                                         \
    "}\n"                                                                                          \
    "INLINE uint32_t order_of(uint32_t x)\n"                                                       \
    "{\n"                                                                                          \
    "    return x;\n"                                                                              \
    "}\n"                                                                                          \
    "INLINE uint64_t order_of(int64_t x)\n"                                                        \
    "{\n"                                                                                          \
    "    return (uint64_t)x ^ 1ull << 63;\n"                                                       \
    "}\n"                                                                                          \
    "INLINE uint64_t order_of(uint64_t x)\n"                                                       \
    "{\n"                                                                                          \
    "    return x;\n"                                                                              \
    "}\n"                                                                                          \
    "/* An element with its place: 32 bits of either in one number, or 64 and 32 bits. */\n"       \
    "struct Wide { uint64_t order; int at; };\n"                                                   \
    "INLINE void pack(uint64_t &e, uint32_t order, int at)\n"                                      \
    "{\n"                                                                                          \
    "    e = (uint64_t)order << 32 | (uint32_t)at;\n"                                              \
    "}\n"                                                                                          \
    "INLINE void pack(Wide &e, uint64_t order, int at)\n"                                          \
    "{\n"                                                                                          \
    "    e.order = order;\n"                                                                       \
    "    e.at = at;\n"                                                                             \
    "}\n"                                                                                          \
    "INLINE int place_of(uint64_t e)\n"                                                            \
    "{\n"                                                                                          \
    "    return (int)(uint32_t)e;\n"                                                               \
    "}\n"                                                                                          \
    "INLINE int place_of(Wide e)\n"                                                                \
    "{\n"                                                                                          \
    "    return e.at;\n"                                                                           \
    "}\n"                                                                                          \
    "INLINE bool comes_before(uint64_t x, uint64_t y)\n"                                           \
    "{\n"                                                                                          \
    "    return x < y;\n"                                                                          \
    "}\n"                                                                                          \
    "INLINE bool comes_before(Wide x, Wide y)\n"                                                   \
    "{\n"                                                                                          \
    "    return x.order < y.order || (x.order == y.order && x.at < y.at);\n"                       \
    "}\n"                                                                                          \
    "INLINE uint64_t of_lane(uint64_t e, int d)\n"                                                 \
    "{\n"                                                                                          \
    "    return __shfl_xor_sync(0xffffffffu, e, d);\n"                                             \
    "}\n"                                                                                          \
    "INLINE Wide of_lane(Wide e, int d)\n"                                                         \
    "{\n"                                                                                          \
    "    const int at = __shfl_xor_sync(0xffffffffu, e.at, d);\n"                                  \
    "    return {__shfl_xor_sync(0xffffffffu, e.order, d), at};\n"                                 \
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
    "template <typename E> INLINE E pick(E mine, E other, bool least)\n"                           \
    "{\n"                                                                                          \
    "    return comes_before(other, mine) == least ? other : mine;\n"                              \
    "}\n"                                                                                          \
    "/* P elements, a power of two, PER of them in each thread: a thread's own are compared in\n"  \
    " * registers, those of a warp through lanes, others through shared memory. */\n"              \
    "template <int P, int PER, typename E> INLINE void sort_network(E (&x)[PER], E *room)\n"       \
    "{\n"                                                                                          \
    "    const int threads = P / PER, me = threadIdx.x, first = me * PER;\n"                       \
    "    for (int size = 2; size <= P; size *= 2) {\n"                                             \
    "        int step = size / 2;\n"                                                               \
    "        for (; step >= 32 * PER; step /= 2) {\n"                                              \
    "            const bool least = ((first & step) == 0) == ((first & size) == 0);\n"             \
    "            __syncthreads();\n"                                                               \
    "            _Pragma(\"unroll\")\n"                                                            \
    "            for (int j = 0; j < PER; j++)\n"                                                  \
    "                room[j * threads + me] = x[j];\n"                                             \
    "            __syncthreads();\n"                                                               \
    "            _Pragma(\"unroll\")\n"                                                            \
    "            for (int j = 0; j < PER; j++)\n"                                                  \
    "                x[j] = pick(x[j], room[j * threads + (me ^ step / PER)], least);\n"           \
    "        }\n"                                                                                  \
    "        for (; step >= PER; step /= 2) {\n"                                                   \
    "            const bool least = ((first & step) == 0) == ((first & size) == 0);\n"             \
    "            _Pragma(\"unroll\")\n"                                                            \
    "            for (int j = 0; j < PER; j++)\n"                                                  \
    "                x[j] = pick(x[j], of_lane(x[j], step / PER), least);\n"                       \
    "        }\n"                                                                                  \
    "        _Pragma(\"unroll\")\n"                                                                \
    "        for (int d = PER / 2; d > 0; d /= 2) {\n"                                             \
    "            _Pragma(\"unroll\")\n"                                                            \
    "            for (int j = 0; j < PER; j++) {\n"                                                \
    "                if ((j & d) || d >= size)\n"                                                  \
    "                    continue;\n"                                                              \
    "                const bool up = ((first + j) & size) == 0;\n"                                 \
    "                const E low = pick(x[j], x[j ^ d], up);\n"                                    \
    "                x[j ^ d] = pick(x[j ^ d], x[j], !up);\n"                                      \
    "                x[j] = low;\n"                                                                \
    "            }\n"                                                                              \
    "        }\n"                                                                                  \
    "    }\n"                                                                                      \
    "    __syncthreads();\n"                                                                       \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int j = 0; j < PER; j++)\n"                                                          \
    "        room[first + j] = x[j];\n"                                                            \
    "    __syncthreads();\n"                                                                       \
    "}\n"                                                                                          \
    "/* A block sorts up to P elements: a tile of the M that a line has, or (LEFT) has left. The\n"\
    " * first KEEP of a tile are kept; from the last tile that is left results are taken, when\n"  \
    " * there are to be any. */\n"                                                                 \
    "template <typename E, typename A, bool DOWN, int P, int PER, int N, int M, bool LEFT,\n"      \
    "          int KEEP, int FIRST, int COUNT, int64_t INNER, typename D>\n"                       \
    "INLINE void sort_tile(const D *in, const E *left, E *kept, D *out, int64_t *place)\n"         \
    "{\n"                                                                                          \
    "    SHARED_POOL(pool);\n"                                                                     \
    "    E *room = (E *)pool;\n"                                                                   \
    "    const int tiles = (M + P - 1) / P, tile = blockIdx.x % tiles, threads = P / PER;\n"       \
    "    const int64_t line = blockIdx.x / tiles;\n"                                               \
    "    const int64_t base = line / INNER * INNER * N + line % INNER;\n"                          \
    "    const int start = tile * P, here = M - start < P ? M - start : P;\n"                      \
    "    E x[PER];\n"                                                                              \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int j = 0; j < PER; j++) {\n"                                                        \
    "        const int i = j * threads + (int)threadIdx.x, k = start + i;\n"                       \
    "        pack(x[j], ~(decltype(order_of(A())))0, N + i);\n"                                    \
    "        if (i < here && LEFT)\n"                                                              \
    "            x[j] = left[line * M + k];\n"                                                     \
    "        else if (i < here) {\n"                                                               \
    "            const auto order = order_of((A)get(in[base + k * INNER]));\n"                     \
    "            pack(x[j], DOWN ? ~order : order, k);\n"                                          \
    "        }\n"                                                                                  \
    "    }\n"                                                                                      \
    "    sort_network<P>(x, room);\n"                                                              \
    "    const int end = M - (tiles - 1) * P < KEEP ? M - (tiles - 1) * P : KEEP;\n"               \
    "    const int64_t to = line * ((tiles - 1) * KEEP + end) + tile * KEEP;\n"                    \
    "    for (int i = threadIdx.x; i < here; i += threads)\n"                                      \
    "        if (tiles == 1 && COUNT)\n"                                                           \
    "            give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, i,\n"                   \
    "                                                place_of(room[i]));\n"                        \
    "        else if (i < KEEP)\n"                                                                 \
    "            kept[to + i] = room[i];\n"                                                        \
    "}\n"

/* An element's place among sorted runs is how many of each stand before it. */
#define MERGE_RUNS                                                                                 \
    "template <typename E, int N, int64_t RUN, int WAYS, int FIRST, int COUNT, int64_t INNER,\n"   \
    "          int64_t LINES, bool LAST, typename D>\n"                                            \
    "INLINE void merge_runs(const D *in, const E *from, E *to, D *out, int64_t *place)\n"          \
    "{\n"                                                                                          \
    "    const int64_t number = blockIdx.x * (int64_t)256 + threadIdx.x;\n"                        \
    "    if (number >= LINES * N)\n"                                                               \
    "        return;\n"                                                                            \
    "    const int64_t line = number / N, i = number % N, mine = i / RUN;\n"                       \
    "    const int64_t first = mine / WAYS * WAYS;\n"                                              \
    "    const E x = from[number];\n"                                                              \
    "    int64_t rank = first * RUN + i % RUN;\n"                                                  \
    "    for (int64_t run = first; run < first + WAYS && run * RUN < N; run++) {\n"                \
    "        const E *other = from + line * N + run * RUN;\n"                                      \
    "        int low = 0, high = (int)(N - run * RUN < RUN ? N - run * RUN : RUN);\n"              \
    "        while (run != mine && low < high) {\n"                                                \
    "            const int k = (low + high) / 2;\n"                                                \
    "            if (comes_before(other[k], x))\n"                                                 \
    "                low = k + 1;\n"                                                               \
    "            else\n"                                                                           \
    "                high = k;\n"                                                                  \
    "        }\n"                                                                                  \
    "        rank += low;\n"                                                                       \
    "    }\n"                                                                                      \
    "    if (LAST)\n"                                                                              \
    "        give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, (int)rank, place_of(x));\n" \
    "    else\n"                                                                                   \
    "        to[line * N + rank] = x;\n"                                                           \
    "}\n"                                                                                          \
    "#endif\n"

#define SORTS SORT_ORDER SORT_TILES MERGE_RUNS

#endif
