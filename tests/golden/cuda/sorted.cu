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
// sorts lines: 5 blocks of 64 threads
extern "C" __global__ void __launch_bounds__(64)
kernel0(
    const float *__restrict__ in, // x: cpu f32[5, 300]
    float *__restrict__ out, // a: cpu f32[5, 300]
    int64_t *__restrict__ place, // b: cpu i64[5, 300]
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    sort_tile<uint64_t, float, true, 512, 8, 300, 300, false, 300, 0, 300, 1>(
        in, (uint64_t *)0, (uint64_t *)0, out, place);
}

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
// sorts lines: 9 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel1(
    const bf16 *__restrict__ in, // y: cpu bf16[70, 9]
    bf16 *__restrict__ out, // c: cpu bf16[70, 9]
    int64_t *__restrict__ place, // e: cpu i64[70, 9]
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    sort_tile<uint64_t, float, false, 128, 4, 70, 70, false, 70, 0, 70, 9>(
        in, (uint64_t *)0, (uint64_t *)0, out, place);
}

// a map: 1 x 1 blocks of 64 threads
extern "C" __global__ void __launch_bounds__(64)
kernel2(
    const int32_t *__restrict__ in0, // z: cpu i32[3, 64]
    int32_t *__restrict__ out0, // t4: cpu i32[3, 64]
    int *error)
{
    int &bad = *error;
    ask_for<768, 64>(in0);
    let_later_begin();
    wait_for_earlier();
    Vec<int32_t, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)64 + threadIdx.x + k * 64;
        if (c >= 48)
            break;
        const int i1 = c * 4;
        a0[k] = load<4>(in0 + i1);
    }
    const int32_t v2 = (int32_t)5;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)64 + threadIdx.x + k * 64;
        if (c >= 48)
            break;
        const int i1 = c * 4;
        int32_t b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const int32_t v0 = get(a0[k], j); // z
            const int32_t v3 = (int32_t)(remainder_i(v0, v2, &bad)); // t4
            b0[j] = v3;
        }
        store<4>(out0 + i1, b0);
    }
}

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
// sorts lines: 3 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel3(
    const int32_t *__restrict__ in, // t4: cpu i32[3, 64]
    int32_t *__restrict__ out, // t5: cpu i32[3, 64]
    int64_t *__restrict__ place, // t6: cpu i64[3, 64]
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    sort_tile<uint64_t, int32_t, false, 64, 2, 64, 64, false, 64, 0, 64, 1>(
        in, (uint64_t *)0, (uint64_t *)0, out, place);
}

