/*
 * lines_text.h - scans along one dimension of a tensor, in CUDA, as text.
 *
 * A tensor is [outer, N, inner]; a line has N elements, `inner` apart. Every kernel is a template
 * for one F (how two elements become one), type A that is collected in, and layout. Before what
 * gen_cuda writes with it, once in a file.
 */
#ifndef THUNDER_LINES_TEXT_H
#define THUNDER_LINES_TEXT_H

/* What is scanned: an element; for cummax and cummin with its place. */
#define SCAN_ELEMENTS                                                                              \
    "#ifndef SCANS\n#define SCANS\n"                                                               \
    "template <typename A> struct Placed { A v; int at; };\n"                                      \
    "/* The later one wins where both are as good; a NaN, once met, stays. */\n"                   \
    "template <bool MAX> struct Latest {\n"                                                        \
    "    template <typename A> INLINE Placed<A> of(Placed<A> a, Placed<A> b)\n    {\n"             \
    "        if (a.at < 0 || b.at < 0)\n            return a.at < 0 ? b : a;\n"                    \
    "        bool better = MAX ? b.v >= a.v : b.v <= a.v;\n"                                       \
    "        return b.v != b.v || (a.v == a.v && better) ? b : a;\n    }\n};\n"                    \
    "template <typename A> INLINE A lower_lane(A v, int d)\n{\n"                                   \
    "    return __shfl_up_sync(0xffffffffu, v, d);\n}\n"                                           \
    "template <typename A> INLINE Placed<A> lower_lane(Placed<A> v, int d)\n{\n"                   \
    "    return {lower_lane(v.v, d), lower_lane(v.at, d)};\n}\n"                                   \
    "template <typename A, typename D> INLINE void take(A &to, D from, int)\n{\n"                  \
    "    to = (A)get(from);\n}\n"                                                                  \
    "template <typename A, typename D> INLINE void take(Placed<A> &to, D from, int at)\n{\n"       \
    "    to.v = (A)get(from);\n    to.at = at;\n}\n"                                               \
    "template <typename A> INLINE A none_of(Sum, A)\n{\n    return 0;\n}\n"                        \
    "template <typename A> INLINE A none_of(Prod, A)\n{\n    return 1;\n}\n"                       \
    "template <bool MAX, typename A> INLINE Placed<A> none_of(Latest<MAX>, Placed<A>)\n{\n"        \
    "    return {0, -1};\n}\n"                                                                     \
    "template <typename D, typename A> INLINE void give(D *to, int64_t *, int64_t i, A v)\n{\n"    \
    "    set(to[i], v);\n}\n"                                                                      \
    "template <typename D, typename A> INLINE void give(D *to, int64_t *place, int64_t i, "        \
    "Placed<A> v)\n{\n"                                                                            \
    "    if (to)\n        set(to[i], v.v);\n"                                                      \
    "    if (place)\n        place[i] = v.at;\n}\n"

/* V neighbours. */
#define SCAN_STORES                                                                                \
    "template <int V, typename D, typename A> INLINE void give_side_by_side(D *to, "               \
    "const A (&v)[V])\n{\n"                                                                        \
    "    if constexpr (V == 1)\n        set(*to, v[0]);\n"                                         \
    "    else\n        store<V>(to, v);\n}\n"                                                      \
    "template <int V, typename D, typename A> INLINE void give_chunk(D *to, int64_t *, int64_t i, "\
    "const A (&v)[V])\n{\n"                                                                        \
    "    give_side_by_side(to + i, v);\n}\n"                                                       \
    "template <int V, typename D, typename A> INLINE void give_chunk(D *to, int64_t *place, "      \
    "int64_t i,\n                                                       const Placed<A> (&v)[V])\n"\
    "{\n    A values[V];\n    int places[V];\n"                                                    \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int j = 0; j < V; j++)\n        values[j] = v[j].v, places[j] = v[j].at;\n"          \
    "    if (to)\n        give_side_by_side(to + i, values);\n"                                    \
    "    if (place)\n        give_side_by_side(place + i, places);\n}\n"

/* What the threads of a block before this one have, in order; *all: what all have. */
#define SCAN_BLOCK                                                                                 \
    "template <typename F, int WARPS, typename A> INLINE A scan_block(A v, A none, A *all)\n{\n"   \
    "    __shared__ A parts[WARPS];\n"                                                             \
    "    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;\n"                            \
    "    A sum = v, before = none;\n"                                                              \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int d = 1; d < 32; d *= 2) {\n"                                                      \
    "        const A other = lower_lane(sum, d);\n"                                                \
    "        if (lane >= d)\n            sum = F::of(other, sum);\n    }\n"                        \
    "    v = lower_lane(sum, 1);\n"                                                                \
    "    if (lane == 31)\n        parts[warp] = sum;\n"                                            \
    "    __syncthreads();\n"                                                                       \
    "    *all = none;\n"                                                                           \
    "    _Pragma(\"unroll\")\n"                                                                    \
    "    for (int w = 0; w < WARPS; w++) {\n"                                                      \
    "        if (w == warp)\n            before = *all;\n"                                         \
    "        *all = F::of(*all, parts[w]);\n    }\n"                                               \
    "    __syncthreads();\n"                                                                       \
    "    return lane == 0 ? before : F::of(before, v);\n}\n"

/* A block goes through its share of a line, V elements a thread at a time. With PARTS it leaves
 * what its share comes to; else it begins with what the shares before come to. */
#define SCAN_ROWS                                                                                  \
    "template <typename F, typename A, int64_t N, int V, int WARPS, int SPLITS, bool PARTS,\n"     \
    "          bool IN_TURNED, bool OUT_TURNED, typename D, typename R>\n"                         \
    "INLINE void scan_rows(const D *in, R *out, int64_t *place, A *parts)\n{\n"                    \
    "    const int64_t share = (N + SPLITS * V - 1) / (SPLITS * V) * V;\n"                         \
    "    const int tile = 32 * WARPS * V, split = blockIdx.x % SPLITS;\n"                          \
    "    const int64_t row = blockIdx.x / SPLITS, first = split * share;\n"                        \
    "    const int64_t end = first + share < N ? first + share : N;\n"                             \
    "    const A none = none_of(F(), A());\n"                                                      \
    "    A carry = none, all;\n"                                                                   \
    "    in += row * N;\n    out += out ? row * N : 0;\n    place += place ? row * N : 0;\n"       \
    "    if (!PARTS && SPLITS > 1) {\n"                                                            \
    "        const int each = (SPLITS + 32 * WARPS - 1) / (32 * WARPS);\n"                         \
    "        A mine = none;\n"                                                                     \
    "        _Pragma(\"unroll\")\n"                                                                \
    "        for (int k = 0; k < each; k++)\n"                                                     \
    "            if ((int)threadIdx.x * each + k < split)\n"                                       \
    "                mine = F::of(mine, parts[row * SPLITS + threadIdx.x * each + k]);\n"          \
    "        scan_block<F, WARPS>(mine, none, &carry);\n    }\n"                                   \
    "    for (int64_t start = first; start < end; start += tile) {\n"                              \
    "        const int64_t i = start + threadIdx.x * V;\n"                                         \
    "        A x[V], sum = none;\n"                                                                \
    "        if (i < end) {\n"                                                                     \
    "            const Vec<D, V> w = load<V>(in + (IN_TURNED ? N - V - i : i));\n"                 \
    "            _Pragma(\"unroll\")\n"                                                            \
    "            for (int j = 0; j < V; j++) {\n"                                                  \
    "                take(x[j], w.x[IN_TURNED ? V - 1 - j : j], (int)i + j);\n"                    \
    "                x[j] = sum = F::of(sum, x[j]);\n            }\n        }\n"                   \
    "        const A before = F::of(carry, scan_block<F, WARPS>(sum, none, &all));\n"              \
    "        carry = F::of(carry, all);\n"                                                         \
    "        if (!PARTS && i < end) {\n"                                                           \
    "            A y[V];\n"                                                                        \
    "            _Pragma(\"unroll\")\n"                                                            \
    "            for (int j = 0; j < V; j++)\n"                                                    \
    "                y[OUT_TURNED ? V - 1 - j : j] = F::of(before, x[j]);\n"                       \
    "            give_chunk<V>(out, place, OUT_TURNED ? N - V - i : i, y);\n"                      \
    "        }\n    }\n"                                                                           \
    "    if (PARTS && threadIdx.x == 0)\n        parts[row * SPLITS + split] = carry;\n}\n"

/* A thread goes through its share of a line; neighbouring threads have neighbouring lines. */
#define SCAN_COLUMNS                                                                               \
    "template <typename F, typename A, int64_t LINES, int64_t N, int64_t INNER, int SPLITS,\n"     \
    "          bool PARTS, bool IN_TURNED, bool OUT_TURNED, typename D, typename R>\n"             \
    "INLINE void scan_columns(const D *in, R *out, int64_t *place, A *parts)\n{\n"                 \
    "    const int64_t line = blockIdx.x * (int64_t)128 + threadIdx.x;\n"                          \
    "    if (line >= LINES)\n        return;\n"                                                    \
    "    const int64_t share = (N + SPLITS - 1) / SPLITS, first = blockIdx.y * share;\n"           \
    "    const int64_t end = first + share < N ? first + share : N;\n"                             \
    "    const int64_t base = line / INNER * INNER * N + line % INNER;\n"                          \
    "    A sum = none_of(F(), A());\n"                                                             \
    "    for (int k = 0; !PARTS && k < (int)blockIdx.y; k++)\n"                                    \
    "        sum = F::of(sum, parts[k * LINES + line]);\n"                                         \
    "    for (int64_t start = first; start < end; start += 8) {\n"                                 \
    "        A x[8];\n"                                                                            \
    "        _Pragma(\"unroll\")\n"                                                                \
    "        for (int j = 0; j < 8; j++) {\n"                                                      \
    "            const int64_t i = start + j < end ? start + j : end - 1;\n"                       \
    "            take(x[j], in[base + (IN_TURNED ? N - 1 - i : i) * INNER], (int)i);\n        }\n" \
    "        _Pragma(\"unroll\")\n"                                                                \
    "        for (int j = 0; j < 8; j++) {\n"                                                      \
    "            const int64_t i = start + j;\n"                                                   \
    "            if (i >= end)\n                break;\n"                                          \
    "            sum = F::of(sum, x[j]);\n"                                                        \
    "            if (!PARTS)\n"                                                                    \
    "                give(out, place, base + (OUT_TURNED ? N - 1 - i : i) * INNER, sum);\n"        \
    "        }\n    }\n"                                                                           \
    "    if (PARTS)\n        parts[blockIdx.y * LINES + line] = sum;\n}\n"                         \
    "#endif\n"

#define SCANS SCAN_ELEMENTS SCAN_STORES SCAN_BLOCK SCAN_ROWS SCAN_COLUMNS

#endif
