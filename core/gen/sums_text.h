/*
 * sums_text.h - sums of elements that meet in one place, in CUDA, as text.
 *
 * Results are [OUTER, SLOTS, INNER], values [OUTER, N, INNER]: of N items each belongs to a slot,
 * or to none (slot SLOTS). In order of their slots they are numbers of 64 bits: slot and item.
 * Those of a slot are added in their order, so sums are equal every time.
 */
#ifndef THUNDER_SUMS_TEXT_H
#define THUNDER_SUMS_TEXT_H

#define SUMS_BY_INDEX                                                                              \
    "#ifndef SUMS\n#define SUMS\n"                                                                 \
    "/* A slot; out of range it is none. */\n"                                                     \
    "INLINE int64_t slot_of(int64_t at, int64_t limit, int64_t none, int *error)\n"                \
    "{\n"                                                                                          \
    "    if (at >= 0 && at < limit)\n"                                                             \
    "        return at;\n"                                                                         \
    "    *error = 2;\n"                                                                            \
    "    return none;\n"                                                                           \
    "}\n"                                                                                          \
    "/* The same, counted from the end where it is negative. */\n"                                 \
    "INLINE int64_t slot_of_wrapped(int64_t at, int64_t limit, int64_t none, int *error)\n"        \
    "{\n"                                                                                          \
    "    return slot_of(at < 0 ? at + limit : at, limit, none, error);\n"                          \
    "}\n"                                                                                          \
    "/* The first of N items in order whose slot is this or a later one. */\n"                     \
    "template <int N> INLINE int first_item(const uint64_t *items, int64_t slot)\n"                \
    "{\n"                                                                                          \
    "    int low = 0, high = N;\n"                                                                 \
    "    while (low < high) {\n"                                                                   \
    "        const int k = (low + high) / 2;\n"                                                    \
    "        if (items[k] < (uint64_t)slot << 32)\n            low = k + 1;\n"                     \
    "        else\n            high = k;\n"                                                        \
    "    }\n"                                                                                      \
    "    return low;\n"                                                                            \
    "}\n"                                                                                          \
    "template <int V, typename A, typename D> INLINE void add_item(A (&sum)[V], const D *value)\n" \
    "{\n"                                                                                          \
    "    const Vec<D, V> x = load<V>(value);\n"                                                    \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int j = 0; j < V; j++)\n        sum[j] += (A)get(x.x[j]);\n"                         \
    "}\n"                                                                                          \
    "template <int V, typename A, typename D>\n"                                                   \
    "INLINE void start_sum(A (&sum)[V], const D *start)\n"                                         \
    "{\n"                                                                                          \
    "    for (int j = 0; j < V; j++)\n        sum[j] = start ? (A)get(start[j]) : (A)0;\n"         \
    "}\n"                                                                                          \
    "template <int V, typename A, typename D> INLINE void give_sum(D *out, const A (&sum)[V])\n"   \
    "{\n"                                                                                          \
    "    if constexpr (V == 1)\n        set(out[0], sum[0]);\n"                                    \
    "    else\n        store(out, sum);\n"                                                         \
    "}\n"                                                                                          \
    "template <int64_t INNER, int V, typename A, typename D>\n"                                    \
    "INLINE void add_items(A (&sum)[V], const D *from, const uint64_t *items, int k, int end)\n"   \
    "{\n"                                                                                          \
    "    _Pragma(\"unroll 4\")\n"                                                                  \
    "    for (; k < end; k++)\n        add_item(sum, from + (int)(uint32_t)items[k] * INNER);\n"   \
    "}\n"                                                                                          \
    "/* The sums of pieces whose items are all of one slot. */\n"                                  \
    "template <typename A, int V, int64_t OUTER, int64_t INNER, int N, int PIECE, typename D>\n"   \
    "INLINE void sum_pieces(const uint64_t *items, const D *value, A *parts)\n"                    \
    "{\n"                                                                                          \
    "    const int64_t across = INNER / V, pieces = N / PIECE;\n"                                  \
    "    const int64_t unit = blockIdx.x * (int64_t)256 + threadIdx.x;\n"                          \
    "    const int first = (int)(unit / across % pieces * PIECE);\n"                               \
    "    if (unit >= OUTER * pieces * across ||\n"                                                 \
    "        items[first] >> 32 != items[first + PIECE - 1] >> 32)\n"                              \
    "        return;\n"                                                                            \
    "    const D *from = value + unit / across / pieces * N * INNER + unit % across * V;\n"        \
    "    A sum[V];\n"                                                                              \
    "    start_sum(sum, (const D *)0);\n"                                                          \
    "    add_items<INNER>(sum, from, items, first, first + PIECE);\n"                              \
    "    for (int j = 0; j < V; j++)\n        parts[unit * V + j] = sum[j];\n"                     \
    "}\n"                                                                                          \
    "/* A thread sums V neighbours of a slot: items up to a piece, whole pieces, the rest. */\n"   \
    "template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N,\n"           \
    "          int PIECE, typename D>\n"                                                           \
    "INLINE void sum_sorted(const uint64_t *items, const D *start, const D *value,\n"              \
    "                       D *out, const A *parts)\n"                                             \
    "{\n"                                                                                          \
    "    const int64_t across = INNER / V, unit = blockIdx.x * (int64_t)256 + threadIdx.x;\n"      \
    "    if (unit >= OUTER * SLOTS * across)\n        return;\n"                                   \
    "    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;\n"             \
    "    const int64_t column = unit % across * V;\n"                                              \
    "    const int first = first_item<N>(items, slot), end = first_item<N>(items, slot + 1);\n"    \
    "    const int piece = (first + PIECE - 1) / PIECE, last = end / PIECE;\n"                     \
    "    const D *from = value + outer * N * INNER + column;\n"                                    \
    "    const A *part = parts + outer * (N / PIECE) * INNER + column;\n"                          \
    "    A sum[V];\n"                                                                              \
    "    start_sum(sum, start ? start + unit * V : start);\n"                                      \
    "    add_items<INNER>(sum, from, items, first, piece < last ? piece * PIECE : end);\n"         \
    "    _Pragma(\"unroll 4\")\n"                                                                  \
    "    for (int k = piece; k < last; k++)\n"                                                     \
    "        for (int j = 0; j < V; j++)\n            sum[j] += part[k * INNER + j];\n"            \
    "    if (piece < last)\n"                                                                      \
    "        add_items<INNER>(sum, from, items, last * PIECE, end);\n"                             \
    "    give_sum(out + unit * V, sum);\n"                                                         \
    "}\n"                                                                                          \
    "/* Of few items each thread looks at all. */\n"                                               \
    "template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N,\n"           \
    "          typename F, typename D>\n"                                                          \
    "INLINE void sum_few(F slot_of_item, const D *start, const D *value, D *out)\n"                \
    "{\n"                                                                                          \
    "    const int64_t across = INNER / V, unit = blockIdx.x * (int64_t)256 + threadIdx.x;\n"      \
    "    if (unit >= OUTER * SLOTS * across)\n        return;\n"                                   \
    "    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;\n"             \
    "    const D *from = value + outer * N * INNER + unit % across * V;\n"                         \
    "    A sum[V];\n"                                                                              \
    "    start_sum(sum, start ? start + unit * V : (const D *)0);\n"                               \
    "    for (int k = 0; k < N; k++)\n"                                                            \
    "        if (slot_of_item(k) == slot)\n            add_item(sum, from + k * INNER);\n"         \
    "    give_sum(out + unit * V, sum);\n"                                                         \
    "}\n"                                                                                          \
    "#endif\n"

#endif
