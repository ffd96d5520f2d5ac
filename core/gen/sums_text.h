/*
 * sums_text.h - sums of elements that meet in one place, in CUDA, as text.
 *
 * Results are [OUTER, SLOTS, INNER], values [OUTER, N, INNER]: of N items each belongs to a slot,
 * or to none (slot SLOTS). Items of a slot are added in their order, so sums are equal every time.
 */
#ifndef THUNDER_SUMS_TEXT_H
#define THUNDER_SUMS_TEXT_H

#define SUMS_BY_INDEX                                                                              \
    "#ifndef SUMS\n#define SUMS\n"                                                                 \
    "/* A slot, counted from the end where it is negative; out of range it is none. */\n"          \
    "INLINE int64_t slot_of(int64_t at, int64_t limit, int64_t none, int *error)\n"                \
    "{\n"                                                                                          \
    "    at += at < 0 ? limit : 0;\n"                                                              \
    "    if (at >= 0 && at < limit)\n"                                                             \
    "        return at;\n"                                                                         \
    "    *error = 2;\n"                                                                            \
    "    return none;\n"                                                                           \
    "}\n"                                                                                          \
    "/* The first of N items in order whose slot is this or a later one. */\n"                     \
    "template <int N> INLINE int first_item(const int *slots, int64_t slot)\n"                     \
    "{\n"                                                                                          \
    "    int low = 0, high = N;\n"                                                                 \
    "    while (low < high) {\n"                                                                   \
    "        const int k = (low + high) / 2;\n"                                                    \
    "        if (slots[k] < slot)\n            low = k + 1;\n"                                     \
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
    "/* A thread sums V neighbours of a slot, or one of SPLITS shares of its items. */\n"          \
    "template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N,\n"           \
    "          int SPLITS, typename D>\n"                                                          \
    "INLINE void sum_sorted(const int *slots, const int *at, const D *start, const D *value,\n"    \
    "                       D *out, A *parts)\n"                                                   \
    "{\n"                                                                                          \
    "    const int64_t units = OUTER * SLOTS * (INNER / V), across = INNER / V;\n"                 \
    "    const int64_t unit = blockIdx.x * (int64_t)256 + threadIdx.x;\n"                          \
    "    if (unit >= units)\n        return;\n"                                                    \
    "    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;\n"             \
    "    int k = first_item<N>(slots, slot), end = first_item<N>(slots, slot + 1);\n"              \
    "    const int share = (end - k + SPLITS - 1) / SPLITS;\n"                                     \
    "    k += (int)blockIdx.y * share;\n"                                                          \
    "    end = k + share < end ? k + share : end;\n"                                               \
    "    A sum[V];\n"                                                                              \
    "    start_sum(sum, SPLITS == 1 && start ? start + unit * V : (const D *)0);\n"                \
    "    const D *from = value + outer * N * INNER + unit % across * V;\n"                         \
    "    _Pragma(\"unroll 4\")\n"                                                                  \
    "    for (; k < end; k++)\n        add_item(sum, from + at[k] * INNER);\n"                     \
    "    if (SPLITS == 1)\n        give_sum(out + unit * V, sum);\n"                               \
    "    for (int j = 0; j < V && SPLITS > 1; j++)\n"                                              \
    "        parts[(blockIdx.y * units + unit) * V + j] = sum[j];\n"                               \
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
    "template <typename A, int64_t TOTAL, int SPLITS, typename D>\n"                               \
    "INLINE void sum_parts(const A *parts, const D *start, D *out)\n"                              \
    "{\n"                                                                                          \
    "    const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;\n"                             \
    "    if (i >= TOTAL)\n        return;\n"                                                       \
    "    A sum[1];\n"                                                                              \
    "    start_sum(sum, start ? start + i : start);\n"                                             \
    "    for (int k = 0; k < SPLITS; k++)\n        sum[0] += parts[k * TOTAL + i];\n"              \
    "    give_sum(out + i, sum);\n"                                                                \
    "}\n"                                                                                          \
    "#endif\n"

#endif
