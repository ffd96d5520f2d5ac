// a map: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const int64_t *__restrict__ in0, // n: cpu i64[9000]
    int64_t *__restrict__ out0, // j: cpu i64[300]
    int64_t *__restrict__ out1, // t7: cpu i64[300]
    int64_t *__restrict__ out2, // t13: cpu i64[300]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    Vec<int64_t, 2> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 150)
            break;
        const int i0 = c * 2;
        a0[k] = load<2>(in0 + i0);
    }
    const int64_t v1 = (int64_t)30;
    const int64_t v3 = (int64_t)6;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 150)
            break;
        const int i0 = c * 2;
        int64_t b0[2];
        int64_t b1[2];
        int64_t b2[2];
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const int64_t v0 = get(a0[k], j); // n
            const int64_t v2 = (int64_t)(remainder_i(v0, v1, &bad)); // j
            b0[j] = v2;
            const int64_t v4 = (int64_t)(remainder_i(v2, v3, &bad)); // t7
            b1[j] = v4;
            const int64_t v5 = (int64_t)(div_i(v2, v3, &bad)); // t8
            const int64_t v6 = (int64_t)(mod_i(v2, v3, &bad)); // t9
            const uint8_t v7 = (v4 != v6) != 0; // t11
            const int64_t v8 = (int64_t)v7; // t12
            const int64_t v9 = (int64_t)(v5 - v8); // t13
            b2[j] = v9;
        }
        store<2>(out0 + i0, b0);
        store<2>(out1 + i0, b1);
        store<2>(out2 + i0, b2);
    }
}

// a map: 1 x 1 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel1(
    const int64_t *__restrict__ in0, // i: cpu i64[40]
    int64_t *__restrict__ out0, // t2: cpu i64[40]
    int *error)
{
    int &bad = *error;
    ask_for<320, 32>(in0);
    let_later_begin();
    wait_for_earlier();
    Vec<int64_t, 2> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 20)
            break;
        const int i0 = c * 2;
        a0[k] = load<2>(in0 + i0);
    }
    const int64_t v1 = (int64_t)7;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 20)
            break;
        const int i0 = c * 2;
        int64_t b0[2];
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const int64_t v0 = get(a0[k], j); // i
            const int64_t v2 = (int64_t)(remainder_i(v0, v1, &bad)); // t2
            b0[j] = v2;
        }
        store<2>(out0 + i0, b0);
    }
}

#ifndef SUMS
#define SUMS
/* A slot; out of range it is none. */
INLINE int64_t slot_of(int64_t at, int64_t limit, int64_t none, int *error)
{
    if (at >= 0 && at < limit)
        return at;
    *error = 2;
    return none;
}
/* The same, counted from the end where it is negative. */
INLINE int64_t slot_of_wrapped(int64_t at, int64_t limit, int64_t none, int *error)
{
    return slot_of(at < 0 ? at + limit : at, limit, none, error);
}
/* The first of N items in order whose slot is this or a later one. */
template <int N> INLINE int first_item(const uint64_t *items, int64_t slot)
{
    int low = 0, high = N;
    while (low < high) {
        const int k = (low + high) / 2;
        if (items[k] < (uint64_t)slot << 32)
            low = k + 1;
        else
            high = k;
    }
    return low;
}
template <int V, typename A, typename D> INLINE void add_item(A (&sum)[V], const D *value)
{
    const Vec<D, V> x = load<V>(value);
    _Pragma("unroll")
    for (int j = 0; j < V; j++)
        sum[j] += (A)get(x.x[j]);
}
template <int V, typename A, typename D>
INLINE void start_sum(A (&sum)[V], const D *start)
{
    for (int j = 0; j < V; j++)
        sum[j] = start ? (A)get(start[j]) : (A)0;
}
template <int V, typename A, typename D> INLINE void give_sum(D *out, const A (&sum)[V])
{
    if constexpr (V == 1)
        set(out[0], sum[0]);
    else
        store(out, sum);
}
template <int64_t INNER, int V, typename A, typename D>
INLINE void add_items(A (&sum)[V], const D *from, const uint64_t *items, int k, int end)
{
    _Pragma("unroll 4")
    for (; k < end; k++)
        add_item(sum, from + (int)(uint32_t)items[k] * INNER);
}
/* The sums of pieces whose items are all of one slot. */
template <typename A, int V, int64_t OUTER, int64_t INNER, int N, int PIECE, typename D>
INLINE void sum_pieces(const uint64_t *items, const D *value, A *parts)
{
    const int64_t across = INNER / V, pieces = N / PIECE;
    const int64_t unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    const int first = (int)(unit / across % pieces * PIECE);
    if (unit >= OUTER * pieces * across ||
        items[first] >> 32 != items[first + PIECE - 1] >> 32)
        return;
    const D *from = value + unit / across / pieces * N * INNER + unit % across * V;
    A sum[V];
    start_sum(sum, (const D *)0);
    add_items<INNER>(sum, from, items, first, first + PIECE);
    for (int j = 0; j < V; j++)
        parts[unit * V + j] = sum[j];
}
/* A thread sums V neighbours of a slot: items up to a piece, whole pieces, the rest. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N,
          int PIECE, typename D>
INLINE void sum_sorted(const uint64_t *items, const D *start, const D *value,
                       D *out, const A *parts)
{
    const int64_t across = INNER / V, unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (unit >= OUTER * SLOTS * across)
        return;
    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;
    const int64_t column = unit % across * V;
    const int first = first_item<N>(items, slot), end = first_item<N>(items, slot + 1);
    const int piece = (first + PIECE - 1) / PIECE, last = end / PIECE;
    const D *from = value + outer * N * INNER + column;
    const A *part = parts + outer * (N / PIECE) * INNER + column;
    A sum[V];
    start_sum(sum, start ? start + unit * V : start);
    add_items<INNER>(sum, from, items, first, piece < last ? piece * PIECE : end);
    _Pragma("unroll 4")
    for (int k = piece; k < last; k++)
        for (int j = 0; j < V; j++)
            sum[j] += part[k * INNER + j];
    if (piece < last)
        add_items<INNER>(sum, from, items, last * PIECE, end);
    give_sum(out + unit * V, sum);
}
/* Of few items each thread looks at all. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N,
          typename F, typename D>
INLINE void sum_few(F slot_of_item, const D *start, const D *value, D *out)
{
    const int64_t across = INNER / V, unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (unit >= OUTER * SLOTS * across)
        return;
    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;
    const D *from = value + outer * N * INNER + unit % across * V;
    A sum[V];
    start_sum(sum, start ? start + unit * V : (const D *)0);
    for (int k = 0; k < N; k++)
        if (slot_of_item(k) == slot)
            add_item(sum, from + k * INNER);
    give_sum(out + unit * V, sum);
}
#endif

// sums few items by index: 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel2(
    const float *__restrict__ in0, // a: cpu f32[5, 7, 3]
    const int64_t *__restrict__ in1, // t2: cpu i64[40]
    const float *__restrict__ in2, // v: cpu f32[5, 40, 3]
    float *__restrict__ out, // c: cpu f32[5, 7, 3]
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    const auto slot_of_item = [&](int64_t i) {
        const int64_t at0 = slot_of(in1[i], 7, -1, error);
        const int64_t slot = at0 < 0 ? -1 : 0 + at0 * 1;
        return slot;
    };
    sum_few<double, 1, 5, 7, 3, 40>(slot_of_item, in0, in2, out);
}

#ifndef SUMS
#define SUMS
/* A slot; out of range it is none. */
INLINE int64_t slot_of(int64_t at, int64_t limit, int64_t none, int *error)
{
    if (at >= 0 && at < limit)
        return at;
    *error = 2;
    return none;
}
/* The same, counted from the end where it is negative. */
INLINE int64_t slot_of_wrapped(int64_t at, int64_t limit, int64_t none, int *error)
{
    return slot_of(at < 0 ? at + limit : at, limit, none, error);
}
/* The first of N items in order whose slot is this or a later one. */
template <int N> INLINE int first_item(const uint64_t *items, int64_t slot)
{
    int low = 0, high = N;
    while (low < high) {
        const int k = (low + high) / 2;
        if (items[k] < (uint64_t)slot << 32)
            low = k + 1;
        else
            high = k;
    }
    return low;
}
template <int V, typename A, typename D> INLINE void add_item(A (&sum)[V], const D *value)
{
    const Vec<D, V> x = load<V>(value);
    _Pragma("unroll")
    for (int j = 0; j < V; j++)
        sum[j] += (A)get(x.x[j]);
}
template <int V, typename A, typename D>
INLINE void start_sum(A (&sum)[V], const D *start)
{
    for (int j = 0; j < V; j++)
        sum[j] = start ? (A)get(start[j]) : (A)0;
}
template <int V, typename A, typename D> INLINE void give_sum(D *out, const A (&sum)[V])
{
    if constexpr (V == 1)
        set(out[0], sum[0]);
    else
        store(out, sum);
}
template <int64_t INNER, int V, typename A, typename D>
INLINE void add_items(A (&sum)[V], const D *from, const uint64_t *items, int k, int end)
{
    _Pragma("unroll 4")
    for (; k < end; k++)
        add_item(sum, from + (int)(uint32_t)items[k] * INNER);
}
/* The sums of pieces whose items are all of one slot. */
template <typename A, int V, int64_t OUTER, int64_t INNER, int N, int PIECE, typename D>
INLINE void sum_pieces(const uint64_t *items, const D *value, A *parts)
{
    const int64_t across = INNER / V, pieces = N / PIECE;
    const int64_t unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    const int first = (int)(unit / across % pieces * PIECE);
    if (unit >= OUTER * pieces * across ||
        items[first] >> 32 != items[first + PIECE - 1] >> 32)
        return;
    const D *from = value + unit / across / pieces * N * INNER + unit % across * V;
    A sum[V];
    start_sum(sum, (const D *)0);
    add_items<INNER>(sum, from, items, first, first + PIECE);
    for (int j = 0; j < V; j++)
        parts[unit * V + j] = sum[j];
}
/* A thread sums V neighbours of a slot: items up to a piece, whole pieces, the rest. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N,
          int PIECE, typename D>
INLINE void sum_sorted(const uint64_t *items, const D *start, const D *value,
                       D *out, const A *parts)
{
    const int64_t across = INNER / V, unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (unit >= OUTER * SLOTS * across)
        return;
    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;
    const int64_t column = unit % across * V;
    const int first = first_item<N>(items, slot), end = first_item<N>(items, slot + 1);
    const int piece = (first + PIECE - 1) / PIECE, last = end / PIECE;
    const D *from = value + outer * N * INNER + column;
    const A *part = parts + outer * (N / PIECE) * INNER + column;
    A sum[V];
    start_sum(sum, start ? start + unit * V : start);
    add_items<INNER>(sum, from, items, first, piece < last ? piece * PIECE : end);
    _Pragma("unroll 4")
    for (int k = piece; k < last; k++)
        for (int j = 0; j < V; j++)
            sum[j] += part[k * INNER + j];
    if (piece < last)
        add_items<INNER>(sum, from, items, last * PIECE, end);
    give_sum(out + unit * V, sum);
}
/* Of few items each thread looks at all. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N,
          typename F, typename D>
INLINE void sum_few(F slot_of_item, const D *start, const D *value, D *out)
{
    const int64_t across = INNER / V, unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (unit >= OUTER * SLOTS * across)
        return;
    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;
    const D *from = value + outer * N * INNER + unit % across * V;
    A sum[V];
    start_sum(sum, start ? start + unit * V : (const D *)0);
    for (int k = 0; k < N; k++)
        if (slot_of_item(k) == slot)
            add_item(sum, from + k * INNER);
    give_sum(out + unit * V, sum);
}
#endif
#ifndef SORTS
#define SORTS
/* Numbers that are in order as elements are: NaN above all, zeros of either sign equal. */
INLINE uint32_t order_of(float x)
{
    const uint32_t u = as_bits(x);
    return x != x ? ~0u : x == 0 ? 1u << 31 : u >> 31 ? ~u : u | 1u << 31;
}
INLINE uint64_t order_of(double x)
{
    union { double f; uint64_t u; } b = {x};
    return x != x ? ~0ull : x == 0 ? 1ull << 63 : b.u >> 63 ? ~b.u : b.u | 1ull << 63;
}
INLINE uint32_t order_of(int x)
{
    return (uint32_t)x ^ 1u << 31;
}
INLINE uint32_t order_of(uint32_t x)
{
    return x;
}
INLINE uint64_t order_of(int64_t x)
{
    return (uint64_t)x ^ 1ull << 63;
}
INLINE uint64_t order_of(uint64_t x)
{
    return x;
}
/* An element with its place: 32 bits of either in one number, or 64 and 32 bits. */
struct Wide { uint64_t order; int at; };
INLINE void pack(uint64_t &e, uint32_t order, int at)
{
    e = (uint64_t)order << 32 | (uint32_t)at;
}
INLINE void pack(Wide &e, uint64_t order, int at)
{
    e.order = order;
    e.at = at;
}
INLINE int place_of(uint64_t e)
{
    return (int)(uint32_t)e;
}
INLINE int place_of(Wide e)
{
    return e.at;
}
INLINE bool comes_before(uint64_t x, uint64_t y)
{
    return x < y;
}
INLINE bool comes_before(Wide x, Wide y)
{
    return x.order < y.order || (x.order == y.order && x.at < y.at);
}
INLINE uint64_t of_lane(uint64_t e, int d)
{
    return __shfl_xor_sync(0xffffffffu, e, d);
}
INLINE Wide of_lane(Wide e, int d)
{
    const int at = __shfl_xor_sync(0xffffffffu, e.at, d);
    return {__shfl_xor_sync(0xffffffffu, e.order, d), at};
}
/* Of a sorted line, results are elements FIRST to FIRST + COUNT; at: where one was. */
template <int N, int FIRST, int COUNT, int64_t INNER, typename D>
INLINE void give_sorted(const D *in, D *out, int64_t *place, int64_t line, int i, int at)
{
    if (i < FIRST || i >= FIRST + COUNT)
        return;
    const int64_t above = line / INNER * INNER, below = line % INNER;
    const int64_t to = above * COUNT + (i - FIRST) * INNER + below;
    if (out)
        out[to] = in[above * N + at * INNER + below];
    if (place)
        place[to] = at;
}
template <typename E> INLINE E pick(E mine, E other, bool least)
{
    return comes_before(other, mine) == least ? other : mine;
}
/* P elements, a power of two, PER of them in each thread: a thread's own are compared in
 * registers, those of a warp through lanes, others through shared memory. */
template <int P, int PER, typename E> INLINE void sort_network(E (&x)[PER], E *room)
{
    const int threads = P / PER, me = threadIdx.x, first = me * PER;
    for (int size = 2; size <= P; size *= 2) {
        int step = size / 2;
        for (; step >= 32 * PER; step /= 2) {
            const bool least = ((first & step) == 0) == ((first & size) == 0);
            __syncthreads();
            _Pragma("unroll")
            for (int j = 0; j < PER; j++)
                room[j * threads + me] = x[j];
            __syncthreads();
            _Pragma("unroll")
            for (int j = 0; j < PER; j++)
                x[j] = pick(x[j], room[j * threads + (me ^ step / PER)], least);
        }
        for (; step >= PER; step /= 2) {
            const bool least = ((first & step) == 0) == ((first & size) == 0);
            _Pragma("unroll")
            for (int j = 0; j < PER; j++)
                x[j] = pick(x[j], of_lane(x[j], step / PER), least);
        }
        _Pragma("unroll")
        for (int d = PER / 2; d > 0; d /= 2) {
            _Pragma("unroll")
            for (int j = 0; j < PER; j++) {
                if ((j & d) || d >= size)
                    continue;
                const bool up = ((first + j) & size) == 0;
                const E low = pick(x[j], x[j ^ d], up);
                x[j ^ d] = pick(x[j ^ d], x[j], !up);
                x[j] = low;
            }
        }
    }
    __syncthreads();
    _Pragma("unroll")
    for (int j = 0; j < PER; j++)
        room[first + j] = x[j];
    __syncthreads();
}
/* A block sorts up to P elements: a tile of the M that a line has, or (LEFT) has left. The
 * first KEEP of a tile are kept; from the last tile that is left results are taken, when
 * there are to be any. */
template <typename E, typename A, bool DOWN, int P, int PER, int N, int M, bool LEFT,
          int KEEP, int FIRST, int COUNT, int64_t INNER, typename D>
INLINE void sort_tile(const D *in, const E *left, E *kept, D *out, int64_t *place)
{
    SHARED_POOL(pool);
    E *room = (E *)pool;
    const int tiles = (M + P - 1) / P, tile = blockIdx.x % tiles, threads = P / PER;
    const int64_t line = blockIdx.x / tiles;
    const int64_t base = line / INNER * INNER * N + line % INNER;
    const int start = tile * P, here = M - start < P ? M - start : P;
    E x[PER];
    _Pragma("unroll")
    for (int j = 0; j < PER; j++) {
        const int i = j * threads + (int)threadIdx.x, k = start + i;
        pack(x[j], ~(decltype(order_of(A())))0, N + i);
        if (i < here && LEFT)
            x[j] = left[line * M + k];
        else if (i < here) {
            const auto order = order_of((A)get(in[base + k * INNER]));
            pack(x[j], DOWN ? ~order : order, k);
        }
    }
    sort_network<P>(x, room);
    const int end = M - (tiles - 1) * P < KEEP ? M - (tiles - 1) * P : KEEP;
    const int64_t to = line * ((tiles - 1) * KEEP + end) + tile * KEEP;
    for (int i = threadIdx.x; i < here; i += threads)
        if (tiles == 1 && COUNT)
            give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, i,
                                                place_of(room[i]));
        else if (i < KEEP)
            kept[to + i] = room[i];
}
template <typename E, int N, int64_t RUN, int WAYS, int FIRST, int COUNT, int64_t INNER,
          int64_t LINES, bool LAST, typename D>
INLINE void merge_runs(const D *in, const E *from, E *to, D *out, int64_t *place)
{
    const int64_t number = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (number >= LINES * N)
        return;
    const int64_t line = number / N, i = number % N, mine = i / RUN;
    const int64_t first = mine / WAYS * WAYS;
    const E x = from[number];
    int64_t rank = first * RUN + i % RUN;
    for (int64_t run = first; run < first + WAYS && run * RUN < N; run++) {
        const E *other = from + line * N + run * RUN;
        int low = 0, high = (int)(N - run * RUN < RUN ? N - run * RUN : RUN);
        while (run != mine && low < high) {
            const int k = (low + high) / 2;
            if (comes_before(other[k], x))
                low = k + 1;
            else
                high = k;
        }
        rank += low;
    }
    if (LAST)
        give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, (int)rank, place_of(x));
    else
        to[line * N + rank] = x;
}
#endif

// the slot of each item: 2 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel3(
    const bf16 *__restrict__ in0, // g: cpu bf16[300, 16]
    const int64_t *__restrict__ in1, // j: cpu i64[300]
    bf16 *__restrict__ out, // e: cpu bf16[30, 16]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 2400);
    uint64_t *to = (uint64_t *)(scratch + 0);
    const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (i >= 300)
        return;
    const int64_t at0 = slot_of(in1[i], 30, -1, error);
    const int64_t slot = at0 < 0 || at0 == 3 ? -1 : 0 + at0 * 1;
    pack(to[i], slot < 0 ? 30u : (uint32_t)slot, (int)i);
}

// sorts tiles: 1 blocks of 64 threads
extern "C" __global__ void __launch_bounds__(64)
kernel3_1(
    const bf16 *__restrict__ in0, // g: cpu bf16[300, 16]
    const int64_t *__restrict__ in1, // j: cpu i64[300]
    bf16 *__restrict__ out, // e: cpu bf16[30, 16]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 0);
    uint64_t *to = (uint64_t *)(scratch + 2400);
    sort_tile<uint64_t, int, false, 512, 8, 300, 300, true, 4096, 0, 0, 1>(
        (const int *)0, from, to, (int *)0, (int64_t *)0);
}

// sums pieces: 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel3_2(
    const bf16 *__restrict__ in0, // g: cpu bf16[300, 16]
    const int64_t *__restrict__ in1, // j: cpu i64[300]
    bf16 *__restrict__ out, // e: cpu bf16[30, 16]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 2400);
    uint64_t *to = (uint64_t *)(scratch + 0);
    float *parts = (float *)(scratch + 4800);
    sum_pieces<float, 8, 1, 16, 300, 64>(from, in0, parts);
}

// sums items by index: 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel3_3(
    const bf16 *__restrict__ in0, // g: cpu bf16[300, 16]
    const int64_t *__restrict__ in1, // j: cpu i64[300]
    bf16 *__restrict__ out, // e: cpu bf16[30, 16]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 2400);
    uint64_t *to = (uint64_t *)(scratch + 0);
    float *parts = (float *)(scratch + 4800);
    sum_sorted<float, 8, 1, 30, 16, 300, 64>(from, (const bf16 *)0, in0, out, parts);
}

// a map: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel4(
    const int64_t *__restrict__ in0, // k: cpu i64[9, 50]
    int64_t *__restrict__ out0, // t5: cpu i64[9, 50]
    int *error)
{
    int &bad = *error;
    ask_for<3600, 256>(in0);
    let_later_begin();
    wait_for_earlier();
    Vec<int64_t, 2> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 225)
            break;
        const int i1 = c * 2;
        a0[k] = load<2>(in0 + i1);
    }
    const int64_t v1 = (int64_t)20;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 225)
            break;
        const int i1 = c * 2;
        int64_t b0[2];
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const int64_t v0 = get(a0[k], j); // k
            const int64_t v2 = (int64_t)(remainder_i(v0, v1, &bad)); // t5
            b0[j] = v2;
        }
        store<2>(out0 + i1, b0);
    }
}

#ifndef SUMS
#define SUMS
/* A slot; out of range it is none. */
INLINE int64_t slot_of(int64_t at, int64_t limit, int64_t none, int *error)
{
    if (at >= 0 && at < limit)
        return at;
    *error = 2;
    return none;
}
/* The same, counted from the end where it is negative. */
INLINE int64_t slot_of_wrapped(int64_t at, int64_t limit, int64_t none, int *error)
{
    return slot_of(at < 0 ? at + limit : at, limit, none, error);
}
/* The first of N items in order whose slot is this or a later one. */
template <int N> INLINE int first_item(const uint64_t *items, int64_t slot)
{
    int low = 0, high = N;
    while (low < high) {
        const int k = (low + high) / 2;
        if (items[k] < (uint64_t)slot << 32)
            low = k + 1;
        else
            high = k;
    }
    return low;
}
template <int V, typename A, typename D> INLINE void add_item(A (&sum)[V], const D *value)
{
    const Vec<D, V> x = load<V>(value);
    _Pragma("unroll")
    for (int j = 0; j < V; j++)
        sum[j] += (A)get(x.x[j]);
}
template <int V, typename A, typename D>
INLINE void start_sum(A (&sum)[V], const D *start)
{
    for (int j = 0; j < V; j++)
        sum[j] = start ? (A)get(start[j]) : (A)0;
}
template <int V, typename A, typename D> INLINE void give_sum(D *out, const A (&sum)[V])
{
    if constexpr (V == 1)
        set(out[0], sum[0]);
    else
        store(out, sum);
}
template <int64_t INNER, int V, typename A, typename D>
INLINE void add_items(A (&sum)[V], const D *from, const uint64_t *items, int k, int end)
{
    _Pragma("unroll 4")
    for (; k < end; k++)
        add_item(sum, from + (int)(uint32_t)items[k] * INNER);
}
/* The sums of pieces whose items are all of one slot. */
template <typename A, int V, int64_t OUTER, int64_t INNER, int N, int PIECE, typename D>
INLINE void sum_pieces(const uint64_t *items, const D *value, A *parts)
{
    const int64_t across = INNER / V, pieces = N / PIECE;
    const int64_t unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    const int first = (int)(unit / across % pieces * PIECE);
    if (unit >= OUTER * pieces * across ||
        items[first] >> 32 != items[first + PIECE - 1] >> 32)
        return;
    const D *from = value + unit / across / pieces * N * INNER + unit % across * V;
    A sum[V];
    start_sum(sum, (const D *)0);
    add_items<INNER>(sum, from, items, first, first + PIECE);
    for (int j = 0; j < V; j++)
        parts[unit * V + j] = sum[j];
}
/* A thread sums V neighbours of a slot: items up to a piece, whole pieces, the rest. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N,
          int PIECE, typename D>
INLINE void sum_sorted(const uint64_t *items, const D *start, const D *value,
                       D *out, const A *parts)
{
    const int64_t across = INNER / V, unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (unit >= OUTER * SLOTS * across)
        return;
    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;
    const int64_t column = unit % across * V;
    const int first = first_item<N>(items, slot), end = first_item<N>(items, slot + 1);
    const int piece = (first + PIECE - 1) / PIECE, last = end / PIECE;
    const D *from = value + outer * N * INNER + column;
    const A *part = parts + outer * (N / PIECE) * INNER + column;
    A sum[V];
    start_sum(sum, start ? start + unit * V : start);
    add_items<INNER>(sum, from, items, first, piece < last ? piece * PIECE : end);
    _Pragma("unroll 4")
    for (int k = piece; k < last; k++)
        for (int j = 0; j < V; j++)
            sum[j] += part[k * INNER + j];
    if (piece < last)
        add_items<INNER>(sum, from, items, last * PIECE, end);
    give_sum(out + unit * V, sum);
}
/* Of few items each thread looks at all. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N,
          typename F, typename D>
INLINE void sum_few(F slot_of_item, const D *start, const D *value, D *out)
{
    const int64_t across = INNER / V, unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (unit >= OUTER * SLOTS * across)
        return;
    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;
    const D *from = value + outer * N * INNER + unit % across * V;
    A sum[V];
    start_sum(sum, start ? start + unit * V : (const D *)0);
    for (int k = 0; k < N; k++)
        if (slot_of_item(k) == slot)
            add_item(sum, from + k * INNER);
    give_sum(out + unit * V, sum);
}
#endif
#ifndef SORTS
#define SORTS
/* Numbers that are in order as elements are: NaN above all, zeros of either sign equal. */
INLINE uint32_t order_of(float x)
{
    const uint32_t u = as_bits(x);
    return x != x ? ~0u : x == 0 ? 1u << 31 : u >> 31 ? ~u : u | 1u << 31;
}
INLINE uint64_t order_of(double x)
{
    union { double f; uint64_t u; } b = {x};
    return x != x ? ~0ull : x == 0 ? 1ull << 63 : b.u >> 63 ? ~b.u : b.u | 1ull << 63;
}
INLINE uint32_t order_of(int x)
{
    return (uint32_t)x ^ 1u << 31;
}
INLINE uint32_t order_of(uint32_t x)
{
    return x;
}
INLINE uint64_t order_of(int64_t x)
{
    return (uint64_t)x ^ 1ull << 63;
}
INLINE uint64_t order_of(uint64_t x)
{
    return x;
}
/* An element with its place: 32 bits of either in one number, or 64 and 32 bits. */
struct Wide { uint64_t order; int at; };
INLINE void pack(uint64_t &e, uint32_t order, int at)
{
    e = (uint64_t)order << 32 | (uint32_t)at;
}
INLINE void pack(Wide &e, uint64_t order, int at)
{
    e.order = order;
    e.at = at;
}
INLINE int place_of(uint64_t e)
{
    return (int)(uint32_t)e;
}
INLINE int place_of(Wide e)
{
    return e.at;
}
INLINE bool comes_before(uint64_t x, uint64_t y)
{
    return x < y;
}
INLINE bool comes_before(Wide x, Wide y)
{
    return x.order < y.order || (x.order == y.order && x.at < y.at);
}
INLINE uint64_t of_lane(uint64_t e, int d)
{
    return __shfl_xor_sync(0xffffffffu, e, d);
}
INLINE Wide of_lane(Wide e, int d)
{
    const int at = __shfl_xor_sync(0xffffffffu, e.at, d);
    return {__shfl_xor_sync(0xffffffffu, e.order, d), at};
}
/* Of a sorted line, results are elements FIRST to FIRST + COUNT; at: where one was. */
template <int N, int FIRST, int COUNT, int64_t INNER, typename D>
INLINE void give_sorted(const D *in, D *out, int64_t *place, int64_t line, int i, int at)
{
    if (i < FIRST || i >= FIRST + COUNT)
        return;
    const int64_t above = line / INNER * INNER, below = line % INNER;
    const int64_t to = above * COUNT + (i - FIRST) * INNER + below;
    if (out)
        out[to] = in[above * N + at * INNER + below];
    if (place)
        place[to] = at;
}
template <typename E> INLINE E pick(E mine, E other, bool least)
{
    return comes_before(other, mine) == least ? other : mine;
}
/* P elements, a power of two, PER of them in each thread: a thread's own are compared in
 * registers, those of a warp through lanes, others through shared memory. */
template <int P, int PER, typename E> INLINE void sort_network(E (&x)[PER], E *room)
{
    const int threads = P / PER, me = threadIdx.x, first = me * PER;
    for (int size = 2; size <= P; size *= 2) {
        int step = size / 2;
        for (; step >= 32 * PER; step /= 2) {
            const bool least = ((first & step) == 0) == ((first & size) == 0);
            __syncthreads();
            _Pragma("unroll")
            for (int j = 0; j < PER; j++)
                room[j * threads + me] = x[j];
            __syncthreads();
            _Pragma("unroll")
            for (int j = 0; j < PER; j++)
                x[j] = pick(x[j], room[j * threads + (me ^ step / PER)], least);
        }
        for (; step >= PER; step /= 2) {
            const bool least = ((first & step) == 0) == ((first & size) == 0);
            _Pragma("unroll")
            for (int j = 0; j < PER; j++)
                x[j] = pick(x[j], of_lane(x[j], step / PER), least);
        }
        _Pragma("unroll")
        for (int d = PER / 2; d > 0; d /= 2) {
            _Pragma("unroll")
            for (int j = 0; j < PER; j++) {
                if ((j & d) || d >= size)
                    continue;
                const bool up = ((first + j) & size) == 0;
                const E low = pick(x[j], x[j ^ d], up);
                x[j ^ d] = pick(x[j ^ d], x[j], !up);
                x[j] = low;
            }
        }
    }
    __syncthreads();
    _Pragma("unroll")
    for (int j = 0; j < PER; j++)
        room[first + j] = x[j];
    __syncthreads();
}
/* A block sorts up to P elements: a tile of the M that a line has, or (LEFT) has left. The
 * first KEEP of a tile are kept; from the last tile that is left results are taken, when
 * there are to be any. */
template <typename E, typename A, bool DOWN, int P, int PER, int N, int M, bool LEFT,
          int KEEP, int FIRST, int COUNT, int64_t INNER, typename D>
INLINE void sort_tile(const D *in, const E *left, E *kept, D *out, int64_t *place)
{
    SHARED_POOL(pool);
    E *room = (E *)pool;
    const int tiles = (M + P - 1) / P, tile = blockIdx.x % tiles, threads = P / PER;
    const int64_t line = blockIdx.x / tiles;
    const int64_t base = line / INNER * INNER * N + line % INNER;
    const int start = tile * P, here = M - start < P ? M - start : P;
    E x[PER];
    _Pragma("unroll")
    for (int j = 0; j < PER; j++) {
        const int i = j * threads + (int)threadIdx.x, k = start + i;
        pack(x[j], ~(decltype(order_of(A())))0, N + i);
        if (i < here && LEFT)
            x[j] = left[line * M + k];
        else if (i < here) {
            const auto order = order_of((A)get(in[base + k * INNER]));
            pack(x[j], DOWN ? ~order : order, k);
        }
    }
    sort_network<P>(x, room);
    const int end = M - (tiles - 1) * P < KEEP ? M - (tiles - 1) * P : KEEP;
    const int64_t to = line * ((tiles - 1) * KEEP + end) + tile * KEEP;
    for (int i = threadIdx.x; i < here; i += threads)
        if (tiles == 1 && COUNT)
            give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, i,
                                                place_of(room[i]));
        else if (i < KEEP)
            kept[to + i] = room[i];
}
template <typename E, int N, int64_t RUN, int WAYS, int FIRST, int COUNT, int64_t INNER,
          int64_t LINES, bool LAST, typename D>
INLINE void merge_runs(const D *in, const E *from, E *to, D *out, int64_t *place)
{
    const int64_t number = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (number >= LINES * N)
        return;
    const int64_t line = number / N, i = number % N, mine = i / RUN;
    const int64_t first = mine / WAYS * WAYS;
    const E x = from[number];
    int64_t rank = first * RUN + i % RUN;
    for (int64_t run = first; run < first + WAYS && run * RUN < N; run++) {
        const E *other = from + line * N + run * RUN;
        int low = 0, high = (int)(N - run * RUN < RUN ? N - run * RUN : RUN);
        while (run != mine && low < high) {
            const int k = (low + high) / 2;
            if (comes_before(other[k], x))
                low = k + 1;
            else
                high = k;
        }
        rank += low;
    }
    if (LAST)
        give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, (int)rank, place_of(x));
    else
        to[line * N + rank] = x;
}
#endif

// the slot of each item: 2 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel5(
    const float *__restrict__ in0, // b: cpu f32[20, 50]
    const int64_t *__restrict__ in1, // t5: cpu i64[9, 50]
    const float *__restrict__ in2, // w: cpu f32[9, 50]
    float *__restrict__ out, // h: cpu f32[20, 50]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 3600);
    uint64_t *to = (uint64_t *)(scratch + 0);
    const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (i >= 450)
        return;
    const int64_t at0 = slot_of(in1[i], 20, -1, error);
    const int64_t slot = at0 < 0 ? -1 : 0 + i / 1 % 50 * 1 + at0 * 50;
    pack(to[i], slot < 0 ? 1000u : (uint32_t)slot, (int)i);
}

// sorts tiles: 1 blocks of 64 threads
extern "C" __global__ void __launch_bounds__(64)
kernel5_1(
    const float *__restrict__ in0, // b: cpu f32[20, 50]
    const int64_t *__restrict__ in1, // t5: cpu i64[9, 50]
    const float *__restrict__ in2, // w: cpu f32[9, 50]
    float *__restrict__ out, // h: cpu f32[20, 50]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 0);
    uint64_t *to = (uint64_t *)(scratch + 3600);
    sort_tile<uint64_t, int, false, 512, 8, 450, 450, true, 4096, 0, 0, 1>(
        (const int *)0, from, to, (int *)0, (int64_t *)0);
}

// sums pieces: 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel5_2(
    const float *__restrict__ in0, // b: cpu f32[20, 50]
    const int64_t *__restrict__ in1, // t5: cpu i64[9, 50]
    const float *__restrict__ in2, // w: cpu f32[9, 50]
    float *__restrict__ out, // h: cpu f32[20, 50]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 3600);
    uint64_t *to = (uint64_t *)(scratch + 0);
    double *parts = (double *)(scratch + 7200);
    sum_pieces<double, 1, 1, 1, 450, 64>(from, in2, parts);
}

// sums items by index: 4 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel5_3(
    const float *__restrict__ in0, // b: cpu f32[20, 50]
    const int64_t *__restrict__ in1, // t5: cpu i64[9, 50]
    const float *__restrict__ in2, // w: cpu f32[9, 50]
    float *__restrict__ out, // h: cpu f32[20, 50]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 3600);
    uint64_t *to = (uint64_t *)(scratch + 0);
    double *parts = (double *)(scratch + 7200);
    sum_sorted<double, 1, 1, 1000, 1, 450, 64>(from, in0, in2, out, parts);
}

#ifndef SUMS
#define SUMS
/* A slot; out of range it is none. */
INLINE int64_t slot_of(int64_t at, int64_t limit, int64_t none, int *error)
{
    if (at >= 0 && at < limit)
        return at;
    *error = 2;
    return none;
}
/* The same, counted from the end where it is negative. */
INLINE int64_t slot_of_wrapped(int64_t at, int64_t limit, int64_t none, int *error)
{
    return slot_of(at < 0 ? at + limit : at, limit, none, error);
}
/* The first of N items in order whose slot is this or a later one. */
template <int N> INLINE int first_item(const uint64_t *items, int64_t slot)
{
    int low = 0, high = N;
    while (low < high) {
        const int k = (low + high) / 2;
        if (items[k] < (uint64_t)slot << 32)
            low = k + 1;
        else
            high = k;
    }
    return low;
}
template <int V, typename A, typename D> INLINE void add_item(A (&sum)[V], const D *value)
{
    const Vec<D, V> x = load<V>(value);
    _Pragma("unroll")
    for (int j = 0; j < V; j++)
        sum[j] += (A)get(x.x[j]);
}
template <int V, typename A, typename D>
INLINE void start_sum(A (&sum)[V], const D *start)
{
    for (int j = 0; j < V; j++)
        sum[j] = start ? (A)get(start[j]) : (A)0;
}
template <int V, typename A, typename D> INLINE void give_sum(D *out, const A (&sum)[V])
{
    if constexpr (V == 1)
        set(out[0], sum[0]);
    else
        store(out, sum);
}
template <int64_t INNER, int V, typename A, typename D>
INLINE void add_items(A (&sum)[V], const D *from, const uint64_t *items, int k, int end)
{
    _Pragma("unroll 4")
    for (; k < end; k++)
        add_item(sum, from + (int)(uint32_t)items[k] * INNER);
}
/* The sums of pieces whose items are all of one slot. */
template <typename A, int V, int64_t OUTER, int64_t INNER, int N, int PIECE, typename D>
INLINE void sum_pieces(const uint64_t *items, const D *value, A *parts)
{
    const int64_t across = INNER / V, pieces = N / PIECE;
    const int64_t unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    const int first = (int)(unit / across % pieces * PIECE);
    if (unit >= OUTER * pieces * across ||
        items[first] >> 32 != items[first + PIECE - 1] >> 32)
        return;
    const D *from = value + unit / across / pieces * N * INNER + unit % across * V;
    A sum[V];
    start_sum(sum, (const D *)0);
    add_items<INNER>(sum, from, items, first, first + PIECE);
    for (int j = 0; j < V; j++)
        parts[unit * V + j] = sum[j];
}
/* A thread sums V neighbours of a slot: items up to a piece, whole pieces, the rest. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N,
          int PIECE, typename D>
INLINE void sum_sorted(const uint64_t *items, const D *start, const D *value,
                       D *out, const A *parts)
{
    const int64_t across = INNER / V, unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (unit >= OUTER * SLOTS * across)
        return;
    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;
    const int64_t column = unit % across * V;
    const int first = first_item<N>(items, slot), end = first_item<N>(items, slot + 1);
    const int piece = (first + PIECE - 1) / PIECE, last = end / PIECE;
    const D *from = value + outer * N * INNER + column;
    const A *part = parts + outer * (N / PIECE) * INNER + column;
    A sum[V];
    start_sum(sum, start ? start + unit * V : start);
    add_items<INNER>(sum, from, items, first, piece < last ? piece * PIECE : end);
    _Pragma("unroll 4")
    for (int k = piece; k < last; k++)
        for (int j = 0; j < V; j++)
            sum[j] += part[k * INNER + j];
    if (piece < last)
        add_items<INNER>(sum, from, items, last * PIECE, end);
    give_sum(out + unit * V, sum);
}
/* Of few items each thread looks at all. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N,
          typename F, typename D>
INLINE void sum_few(F slot_of_item, const D *start, const D *value, D *out)
{
    const int64_t across = INNER / V, unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (unit >= OUTER * SLOTS * across)
        return;
    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;
    const D *from = value + outer * N * INNER + unit % across * V;
    A sum[V];
    start_sum(sum, start ? start + unit * V : (const D *)0);
    for (int k = 0; k < N; k++)
        if (slot_of_item(k) == slot)
            add_item(sum, from + k * INNER);
    give_sum(out + unit * V, sum);
}
#endif
#ifndef SORTS
#define SORTS
/* Numbers that are in order as elements are: NaN above all, zeros of either sign equal. */
INLINE uint32_t order_of(float x)
{
    const uint32_t u = as_bits(x);
    return x != x ? ~0u : x == 0 ? 1u << 31 : u >> 31 ? ~u : u | 1u << 31;
}
INLINE uint64_t order_of(double x)
{
    union { double f; uint64_t u; } b = {x};
    return x != x ? ~0ull : x == 0 ? 1ull << 63 : b.u >> 63 ? ~b.u : b.u | 1ull << 63;
}
INLINE uint32_t order_of(int x)
{
    return (uint32_t)x ^ 1u << 31;
}
INLINE uint32_t order_of(uint32_t x)
{
    return x;
}
INLINE uint64_t order_of(int64_t x)
{
    return (uint64_t)x ^ 1ull << 63;
}
INLINE uint64_t order_of(uint64_t x)
{
    return x;
}
/* An element with its place: 32 bits of either in one number, or 64 and 32 bits. */
struct Wide { uint64_t order; int at; };
INLINE void pack(uint64_t &e, uint32_t order, int at)
{
    e = (uint64_t)order << 32 | (uint32_t)at;
}
INLINE void pack(Wide &e, uint64_t order, int at)
{
    e.order = order;
    e.at = at;
}
INLINE int place_of(uint64_t e)
{
    return (int)(uint32_t)e;
}
INLINE int place_of(Wide e)
{
    return e.at;
}
INLINE bool comes_before(uint64_t x, uint64_t y)
{
    return x < y;
}
INLINE bool comes_before(Wide x, Wide y)
{
    return x.order < y.order || (x.order == y.order && x.at < y.at);
}
INLINE uint64_t of_lane(uint64_t e, int d)
{
    return __shfl_xor_sync(0xffffffffu, e, d);
}
INLINE Wide of_lane(Wide e, int d)
{
    const int at = __shfl_xor_sync(0xffffffffu, e.at, d);
    return {__shfl_xor_sync(0xffffffffu, e.order, d), at};
}
/* Of a sorted line, results are elements FIRST to FIRST + COUNT; at: where one was. */
template <int N, int FIRST, int COUNT, int64_t INNER, typename D>
INLINE void give_sorted(const D *in, D *out, int64_t *place, int64_t line, int i, int at)
{
    if (i < FIRST || i >= FIRST + COUNT)
        return;
    const int64_t above = line / INNER * INNER, below = line % INNER;
    const int64_t to = above * COUNT + (i - FIRST) * INNER + below;
    if (out)
        out[to] = in[above * N + at * INNER + below];
    if (place)
        place[to] = at;
}
template <typename E> INLINE E pick(E mine, E other, bool least)
{
    return comes_before(other, mine) == least ? other : mine;
}
/* P elements, a power of two, PER of them in each thread: a thread's own are compared in
 * registers, those of a warp through lanes, others through shared memory. */
template <int P, int PER, typename E> INLINE void sort_network(E (&x)[PER], E *room)
{
    const int threads = P / PER, me = threadIdx.x, first = me * PER;
    for (int size = 2; size <= P; size *= 2) {
        int step = size / 2;
        for (; step >= 32 * PER; step /= 2) {
            const bool least = ((first & step) == 0) == ((first & size) == 0);
            __syncthreads();
            _Pragma("unroll")
            for (int j = 0; j < PER; j++)
                room[j * threads + me] = x[j];
            __syncthreads();
            _Pragma("unroll")
            for (int j = 0; j < PER; j++)
                x[j] = pick(x[j], room[j * threads + (me ^ step / PER)], least);
        }
        for (; step >= PER; step /= 2) {
            const bool least = ((first & step) == 0) == ((first & size) == 0);
            _Pragma("unroll")
            for (int j = 0; j < PER; j++)
                x[j] = pick(x[j], of_lane(x[j], step / PER), least);
        }
        _Pragma("unroll")
        for (int d = PER / 2; d > 0; d /= 2) {
            _Pragma("unroll")
            for (int j = 0; j < PER; j++) {
                if ((j & d) || d >= size)
                    continue;
                const bool up = ((first + j) & size) == 0;
                const E low = pick(x[j], x[j ^ d], up);
                x[j ^ d] = pick(x[j ^ d], x[j], !up);
                x[j] = low;
            }
        }
    }
    __syncthreads();
    _Pragma("unroll")
    for (int j = 0; j < PER; j++)
        room[first + j] = x[j];
    __syncthreads();
}
/* A block sorts up to P elements: a tile of the M that a line has, or (LEFT) has left. The
 * first KEEP of a tile are kept; from the last tile that is left results are taken, when
 * there are to be any. */
template <typename E, typename A, bool DOWN, int P, int PER, int N, int M, bool LEFT,
          int KEEP, int FIRST, int COUNT, int64_t INNER, typename D>
INLINE void sort_tile(const D *in, const E *left, E *kept, D *out, int64_t *place)
{
    SHARED_POOL(pool);
    E *room = (E *)pool;
    const int tiles = (M + P - 1) / P, tile = blockIdx.x % tiles, threads = P / PER;
    const int64_t line = blockIdx.x / tiles;
    const int64_t base = line / INNER * INNER * N + line % INNER;
    const int start = tile * P, here = M - start < P ? M - start : P;
    E x[PER];
    _Pragma("unroll")
    for (int j = 0; j < PER; j++) {
        const int i = j * threads + (int)threadIdx.x, k = start + i;
        pack(x[j], ~(decltype(order_of(A())))0, N + i);
        if (i < here && LEFT)
            x[j] = left[line * M + k];
        else if (i < here) {
            const auto order = order_of((A)get(in[base + k * INNER]));
            pack(x[j], DOWN ? ~order : order, k);
        }
    }
    sort_network<P>(x, room);
    const int end = M - (tiles - 1) * P < KEEP ? M - (tiles - 1) * P : KEEP;
    const int64_t to = line * ((tiles - 1) * KEEP + end) + tile * KEEP;
    for (int i = threadIdx.x; i < here; i += threads)
        if (tiles == 1 && COUNT)
            give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, i,
                                                place_of(room[i]));
        else if (i < KEEP)
            kept[to + i] = room[i];
}
template <typename E, int N, int64_t RUN, int WAYS, int FIRST, int COUNT, int64_t INNER,
          int64_t LINES, bool LAST, typename D>
INLINE void merge_runs(const D *in, const E *from, E *to, D *out, int64_t *place)
{
    const int64_t number = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (number >= LINES * N)
        return;
    const int64_t line = number / N, i = number % N, mine = i / RUN;
    const int64_t first = mine / WAYS * WAYS;
    const E x = from[number];
    int64_t rank = first * RUN + i % RUN;
    for (int64_t run = first; run < first + WAYS && run * RUN < N; run++) {
        const E *other = from + line * N + run * RUN;
        int low = 0, high = (int)(N - run * RUN < RUN ? N - run * RUN : RUN);
        while (run != mine && low < high) {
            const int k = (low + high) / 2;
            if (comes_before(other[k], x))
                low = k + 1;
            else
                high = k;
        }
        rank += low;
    }
    if (LAST)
        give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, (int)rank, place_of(x));
    else
        to[line * N + rank] = x;
}
#endif

// the slot of each item: 2 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel6(
    const float *__restrict__ in0, // y: cpu f32[6, 5, 8]
    const int64_t *__restrict__ in1, // t7: cpu i64[300]
    const int64_t *__restrict__ in2, // t13: cpu i64[300]
    const float *__restrict__ in3, // x: cpu f32[300, 8]
    float *__restrict__ out, // p: cpu f32[6, 5, 8]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 2400);
    uint64_t *to = (uint64_t *)(scratch + 0);
    const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (i >= 300)
        return;
    const int64_t at0 = slot_of_wrapped(in2[i], 5, -1, error);
    const int64_t at1 = slot_of_wrapped(in1[i], 6, -1, error);
    const int64_t slot = at0 < 0 || at1 < 0 ? -1 : 0 + at0 * 1 + at1 * 5;
    pack(to[i], slot < 0 ? 30u : (uint32_t)slot, (int)i);
}

// sorts tiles: 1 blocks of 64 threads
extern "C" __global__ void __launch_bounds__(64)
kernel6_1(
    const float *__restrict__ in0, // y: cpu f32[6, 5, 8]
    const int64_t *__restrict__ in1, // t7: cpu i64[300]
    const int64_t *__restrict__ in2, // t13: cpu i64[300]
    const float *__restrict__ in3, // x: cpu f32[300, 8]
    float *__restrict__ out, // p: cpu f32[6, 5, 8]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 0);
    uint64_t *to = (uint64_t *)(scratch + 2400);
    sort_tile<uint64_t, int, false, 512, 8, 300, 300, true, 4096, 0, 0, 1>(
        (const int *)0, from, to, (int *)0, (int64_t *)0);
}

// sums pieces: 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel6_2(
    const float *__restrict__ in0, // y: cpu f32[6, 5, 8]
    const int64_t *__restrict__ in1, // t7: cpu i64[300]
    const int64_t *__restrict__ in2, // t13: cpu i64[300]
    const float *__restrict__ in3, // x: cpu f32[300, 8]
    float *__restrict__ out, // p: cpu f32[6, 5, 8]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 2400);
    uint64_t *to = (uint64_t *)(scratch + 0);
    double *parts = (double *)(scratch + 4800);
    sum_pieces<double, 4, 1, 8, 300, 64>(from, in3, parts);
}

// sums items by index: 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel6_3(
    const float *__restrict__ in0, // y: cpu f32[6, 5, 8]
    const int64_t *__restrict__ in1, // t7: cpu i64[300]
    const int64_t *__restrict__ in2, // t13: cpu i64[300]
    const float *__restrict__ in3, // x: cpu f32[300, 8]
    float *__restrict__ out, // p: cpu f32[6, 5, 8]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 2400);
    uint64_t *to = (uint64_t *)(scratch + 0);
    double *parts = (double *)(scratch + 4800);
    sum_sorted<double, 4, 1, 30, 8, 300, 64>(from, in0, in3, out, parts);
}

// a map: 18 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel7(
    const int64_t *__restrict__ in0, // n: cpu i64[9000]
    int64_t *__restrict__ out0, // t15: cpu i64[9000]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    Vec<int64_t, 2> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 4500)
            break;
        const int i0 = c * 2;
        a0[k] = load<2>(in0 + i0);
    }
    const int64_t v1 = (int64_t)4;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 4500)
            break;
        const int i0 = c * 2;
        int64_t b0[2];
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const int64_t v0 = get(a0[k], j); // n
            const int64_t v2 = (int64_t)(remainder_i(v0, v1, &bad)); // t15
            b0[j] = v2;
        }
        store<2>(out0 + i0, b0);
    }
}

#ifndef SUMS
#define SUMS
/* A slot; out of range it is none. */
INLINE int64_t slot_of(int64_t at, int64_t limit, int64_t none, int *error)
{
    if (at >= 0 && at < limit)
        return at;
    *error = 2;
    return none;
}
/* The same, counted from the end where it is negative. */
INLINE int64_t slot_of_wrapped(int64_t at, int64_t limit, int64_t none, int *error)
{
    return slot_of(at < 0 ? at + limit : at, limit, none, error);
}
/* The first of N items in order whose slot is this or a later one. */
template <int N> INLINE int first_item(const uint64_t *items, int64_t slot)
{
    int low = 0, high = N;
    while (low < high) {
        const int k = (low + high) / 2;
        if (items[k] < (uint64_t)slot << 32)
            low = k + 1;
        else
            high = k;
    }
    return low;
}
template <int V, typename A, typename D> INLINE void add_item(A (&sum)[V], const D *value)
{
    const Vec<D, V> x = load<V>(value);
    _Pragma("unroll")
    for (int j = 0; j < V; j++)
        sum[j] += (A)get(x.x[j]);
}
template <int V, typename A, typename D>
INLINE void start_sum(A (&sum)[V], const D *start)
{
    for (int j = 0; j < V; j++)
        sum[j] = start ? (A)get(start[j]) : (A)0;
}
template <int V, typename A, typename D> INLINE void give_sum(D *out, const A (&sum)[V])
{
    if constexpr (V == 1)
        set(out[0], sum[0]);
    else
        store(out, sum);
}
template <int64_t INNER, int V, typename A, typename D>
INLINE void add_items(A (&sum)[V], const D *from, const uint64_t *items, int k, int end)
{
    _Pragma("unroll 4")
    for (; k < end; k++)
        add_item(sum, from + (int)(uint32_t)items[k] * INNER);
}
/* The sums of pieces whose items are all of one slot. */
template <typename A, int V, int64_t OUTER, int64_t INNER, int N, int PIECE, typename D>
INLINE void sum_pieces(const uint64_t *items, const D *value, A *parts)
{
    const int64_t across = INNER / V, pieces = N / PIECE;
    const int64_t unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    const int first = (int)(unit / across % pieces * PIECE);
    if (unit >= OUTER * pieces * across ||
        items[first] >> 32 != items[first + PIECE - 1] >> 32)
        return;
    const D *from = value + unit / across / pieces * N * INNER + unit % across * V;
    A sum[V];
    start_sum(sum, (const D *)0);
    add_items<INNER>(sum, from, items, first, first + PIECE);
    for (int j = 0; j < V; j++)
        parts[unit * V + j] = sum[j];
}
/* A thread sums V neighbours of a slot: items up to a piece, whole pieces, the rest. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N,
          int PIECE, typename D>
INLINE void sum_sorted(const uint64_t *items, const D *start, const D *value,
                       D *out, const A *parts)
{
    const int64_t across = INNER / V, unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (unit >= OUTER * SLOTS * across)
        return;
    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;
    const int64_t column = unit % across * V;
    const int first = first_item<N>(items, slot), end = first_item<N>(items, slot + 1);
    const int piece = (first + PIECE - 1) / PIECE, last = end / PIECE;
    const D *from = value + outer * N * INNER + column;
    const A *part = parts + outer * (N / PIECE) * INNER + column;
    A sum[V];
    start_sum(sum, start ? start + unit * V : start);
    add_items<INNER>(sum, from, items, first, piece < last ? piece * PIECE : end);
    _Pragma("unroll 4")
    for (int k = piece; k < last; k++)
        for (int j = 0; j < V; j++)
            sum[j] += part[k * INNER + j];
    if (piece < last)
        add_items<INNER>(sum, from, items, last * PIECE, end);
    give_sum(out + unit * V, sum);
}
/* Of few items each thread looks at all. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N,
          typename F, typename D>
INLINE void sum_few(F slot_of_item, const D *start, const D *value, D *out)
{
    const int64_t across = INNER / V, unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (unit >= OUTER * SLOTS * across)
        return;
    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;
    const D *from = value + outer * N * INNER + unit % across * V;
    A sum[V];
    start_sum(sum, start ? start + unit * V : (const D *)0);
    for (int k = 0; k < N; k++)
        if (slot_of_item(k) == slot)
            add_item(sum, from + k * INNER);
    give_sum(out + unit * V, sum);
}
#endif
#ifndef SORTS
#define SORTS
/* Numbers that are in order as elements are: NaN above all, zeros of either sign equal. */
INLINE uint32_t order_of(float x)
{
    const uint32_t u = as_bits(x);
    return x != x ? ~0u : x == 0 ? 1u << 31 : u >> 31 ? ~u : u | 1u << 31;
}
INLINE uint64_t order_of(double x)
{
    union { double f; uint64_t u; } b = {x};
    return x != x ? ~0ull : x == 0 ? 1ull << 63 : b.u >> 63 ? ~b.u : b.u | 1ull << 63;
}
INLINE uint32_t order_of(int x)
{
    return (uint32_t)x ^ 1u << 31;
}
INLINE uint32_t order_of(uint32_t x)
{
    return x;
}
INLINE uint64_t order_of(int64_t x)
{
    return (uint64_t)x ^ 1ull << 63;
}
INLINE uint64_t order_of(uint64_t x)
{
    return x;
}
/* An element with its place: 32 bits of either in one number, or 64 and 32 bits. */
struct Wide { uint64_t order; int at; };
INLINE void pack(uint64_t &e, uint32_t order, int at)
{
    e = (uint64_t)order << 32 | (uint32_t)at;
}
INLINE void pack(Wide &e, uint64_t order, int at)
{
    e.order = order;
    e.at = at;
}
INLINE int place_of(uint64_t e)
{
    return (int)(uint32_t)e;
}
INLINE int place_of(Wide e)
{
    return e.at;
}
INLINE bool comes_before(uint64_t x, uint64_t y)
{
    return x < y;
}
INLINE bool comes_before(Wide x, Wide y)
{
    return x.order < y.order || (x.order == y.order && x.at < y.at);
}
INLINE uint64_t of_lane(uint64_t e, int d)
{
    return __shfl_xor_sync(0xffffffffu, e, d);
}
INLINE Wide of_lane(Wide e, int d)
{
    const int at = __shfl_xor_sync(0xffffffffu, e.at, d);
    return {__shfl_xor_sync(0xffffffffu, e.order, d), at};
}
/* Of a sorted line, results are elements FIRST to FIRST + COUNT; at: where one was. */
template <int N, int FIRST, int COUNT, int64_t INNER, typename D>
INLINE void give_sorted(const D *in, D *out, int64_t *place, int64_t line, int i, int at)
{
    if (i < FIRST || i >= FIRST + COUNT)
        return;
    const int64_t above = line / INNER * INNER, below = line % INNER;
    const int64_t to = above * COUNT + (i - FIRST) * INNER + below;
    if (out)
        out[to] = in[above * N + at * INNER + below];
    if (place)
        place[to] = at;
}
template <typename E> INLINE E pick(E mine, E other, bool least)
{
    return comes_before(other, mine) == least ? other : mine;
}
/* P elements, a power of two, PER of them in each thread: a thread's own are compared in
 * registers, those of a warp through lanes, others through shared memory. */
template <int P, int PER, typename E> INLINE void sort_network(E (&x)[PER], E *room)
{
    const int threads = P / PER, me = threadIdx.x, first = me * PER;
    for (int size = 2; size <= P; size *= 2) {
        int step = size / 2;
        for (; step >= 32 * PER; step /= 2) {
            const bool least = ((first & step) == 0) == ((first & size) == 0);
            __syncthreads();
            _Pragma("unroll")
            for (int j = 0; j < PER; j++)
                room[j * threads + me] = x[j];
            __syncthreads();
            _Pragma("unroll")
            for (int j = 0; j < PER; j++)
                x[j] = pick(x[j], room[j * threads + (me ^ step / PER)], least);
        }
        for (; step >= PER; step /= 2) {
            const bool least = ((first & step) == 0) == ((first & size) == 0);
            _Pragma("unroll")
            for (int j = 0; j < PER; j++)
                x[j] = pick(x[j], of_lane(x[j], step / PER), least);
        }
        _Pragma("unroll")
        for (int d = PER / 2; d > 0; d /= 2) {
            _Pragma("unroll")
            for (int j = 0; j < PER; j++) {
                if ((j & d) || d >= size)
                    continue;
                const bool up = ((first + j) & size) == 0;
                const E low = pick(x[j], x[j ^ d], up);
                x[j ^ d] = pick(x[j ^ d], x[j], !up);
                x[j] = low;
            }
        }
    }
    __syncthreads();
    _Pragma("unroll")
    for (int j = 0; j < PER; j++)
        room[first + j] = x[j];
    __syncthreads();
}
/* A block sorts up to P elements: a tile of the M that a line has, or (LEFT) has left. The
 * first KEEP of a tile are kept; from the last tile that is left results are taken, when
 * there are to be any. */
template <typename E, typename A, bool DOWN, int P, int PER, int N, int M, bool LEFT,
          int KEEP, int FIRST, int COUNT, int64_t INNER, typename D>
INLINE void sort_tile(const D *in, const E *left, E *kept, D *out, int64_t *place)
{
    SHARED_POOL(pool);
    E *room = (E *)pool;
    const int tiles = (M + P - 1) / P, tile = blockIdx.x % tiles, threads = P / PER;
    const int64_t line = blockIdx.x / tiles;
    const int64_t base = line / INNER * INNER * N + line % INNER;
    const int start = tile * P, here = M - start < P ? M - start : P;
    E x[PER];
    _Pragma("unroll")
    for (int j = 0; j < PER; j++) {
        const int i = j * threads + (int)threadIdx.x, k = start + i;
        pack(x[j], ~(decltype(order_of(A())))0, N + i);
        if (i < here && LEFT)
            x[j] = left[line * M + k];
        else if (i < here) {
            const auto order = order_of((A)get(in[base + k * INNER]));
            pack(x[j], DOWN ? ~order : order, k);
        }
    }
    sort_network<P>(x, room);
    const int end = M - (tiles - 1) * P < KEEP ? M - (tiles - 1) * P : KEEP;
    const int64_t to = line * ((tiles - 1) * KEEP + end) + tile * KEEP;
    for (int i = threadIdx.x; i < here; i += threads)
        if (tiles == 1 && COUNT)
            give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, i,
                                                place_of(room[i]));
        else if (i < KEEP)
            kept[to + i] = room[i];
}
template <typename E, int N, int64_t RUN, int WAYS, int FIRST, int COUNT, int64_t INNER,
          int64_t LINES, bool LAST, typename D>
INLINE void merge_runs(const D *in, const E *from, E *to, D *out, int64_t *place)
{
    const int64_t number = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (number >= LINES * N)
        return;
    const int64_t line = number / N, i = number % N, mine = i / RUN;
    const int64_t first = mine / WAYS * WAYS;
    const E x = from[number];
    int64_t rank = first * RUN + i % RUN;
    for (int64_t run = first; run < first + WAYS && run * RUN < N; run++) {
        const E *other = from + line * N + run * RUN;
        int low = 0, high = (int)(N - run * RUN < RUN ? N - run * RUN : RUN);
        while (run != mine && low < high) {
            const int k = (low + high) / 2;
            if (comes_before(other[k], x))
                low = k + 1;
            else
                high = k;
        }
        rank += low;
    }
    if (LAST)
        give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, (int)rank, place_of(x));
    else
        to[line * N + rank] = x;
}
#endif

// the slot of each item: 36 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel8(
    const float *__restrict__ in0, // z: cpu f32[4, 3]
    const int64_t *__restrict__ in1, // t15: cpu i64[9000]
    const float *__restrict__ in2, // o: cpu f32[9000, 3]
    float *__restrict__ out, // t16: cpu f32[4, 3]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 72000);
    uint64_t *to = (uint64_t *)(scratch + 0);
    const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (i >= 9000)
        return;
    const int64_t at0 = slot_of(in1[i], 4, -1, error);
    const int64_t slot = at0 < 0 ? -1 : 0 + at0 * 1;
    pack(to[i], slot < 0 ? 4u : (uint32_t)slot, (int)i);
}

// sorts tiles: 3 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel8_1(
    const float *__restrict__ in0, // z: cpu f32[4, 3]
    const int64_t *__restrict__ in1, // t15: cpu i64[9000]
    const float *__restrict__ in2, // o: cpu f32[9000, 3]
    float *__restrict__ out, // t16: cpu f32[4, 3]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 0);
    uint64_t *to = (uint64_t *)(scratch + 72000);
    sort_tile<uint64_t, int, false, 4096, 8, 9000, 9000, true, 4096, 0, 0, 1>(
        (const int *)0, from, to, (int *)0, (int64_t *)0);
}

// merges runs: 36 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel8_2(
    const float *__restrict__ in0, // z: cpu f32[4, 3]
    const int64_t *__restrict__ in1, // t15: cpu i64[9000]
    const float *__restrict__ in2, // o: cpu f32[9000, 3]
    float *__restrict__ out, // t16: cpu f32[4, 3]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 72000);
    uint64_t *to = (uint64_t *)(scratch + 0);
    merge_runs<uint64_t, 9000, 4096, 4, 0, 0, 1, 1, false>(
        (const int *)0, from, to, (int *)0, (int64_t *)0);
}

// sums pieces: 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel8_3(
    const float *__restrict__ in0, // z: cpu f32[4, 3]
    const int64_t *__restrict__ in1, // t15: cpu i64[9000]
    const float *__restrict__ in2, // o: cpu f32[9000, 3]
    float *__restrict__ out, // t16: cpu f32[4, 3]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 0);
    uint64_t *to = (uint64_t *)(scratch + 72000);
    double *parts = (double *)(scratch + 144000);
    sum_pieces<double, 1, 1, 3, 9000, 128>(from, in2, parts);
}

// sums items by index: 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel8_4(
    const float *__restrict__ in0, // z: cpu f32[4, 3]
    const int64_t *__restrict__ in1, // t15: cpu i64[9000]
    const float *__restrict__ in2, // o: cpu f32[9000, 3]
    float *__restrict__ out, // t16: cpu f32[4, 3]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 0);
    uint64_t *to = (uint64_t *)(scratch + 72000);
    double *parts = (double *)(scratch + 144000);
    sum_sorted<double, 1, 1, 4, 3, 9000, 128>(from, in0, in2, out, parts);
}

