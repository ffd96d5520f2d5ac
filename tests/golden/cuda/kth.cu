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
    const float *__restrict__ in, // x: cpu f32[5, 301]
    float *__restrict__ out, // t0: cpu f32[5, 1]
    int64_t *__restrict__ place, // t1: cpu i64[5, 1]
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    sort_tile<uint64_t, float, false, 512, 8, 301, 301, false, 17, 16, 1, 1>(
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
// sorts tiles of lines: 6 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel1(
    const double *__restrict__ in, // y: cpu f64[9000, 2]
    double *__restrict__ out, // t4: cpu f64[1, 2]
    int64_t *__restrict__ place, // t5: cpu i64[1, 2]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    Wide *from = (Wide *)(scratch + 288000);
    Wide *to = (Wide *)(scratch + 0);
    sort_tile<Wide, double, false, 4096, 8, 9000, 9000, false, 4096, 7999, 1, 2>(
        in, from, to, out, place);
}

// merges runs: 71 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel1_1(
    const double *__restrict__ in, // y: cpu f64[9000, 2]
    double *__restrict__ out, // t4: cpu f64[1, 2]
    int64_t *__restrict__ place, // t5: cpu i64[1, 2]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    Wide *from = (Wide *)(scratch + 0);
    Wide *to = (Wide *)(scratch + 288000);
    merge_runs<Wide, 9000, 4096, 4, 7999, 1, 2, 2, true>(
        in, from, to, out, place);
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
// sorts tiles of lines: 6 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel2(
    const double *__restrict__ in, // y: cpu f64[9000, 2]
    double *__restrict__ out, // t8: cpu f64[9000, 2]
    int64_t *__restrict__ place, // t9: cpu i64[9000, 2]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    Wide *from = (Wide *)(scratch + 288000);
    Wide *to = (Wide *)(scratch + 0);
    sort_tile<Wide, double, false, 4096, 8, 9000, 9000, false, 4096, 0, 9000, 2>(
        in, from, to, out, place);
}

// merges runs: 71 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel2_1(
    const double *__restrict__ in, // y: cpu f64[9000, 2]
    double *__restrict__ out, // t8: cpu f64[9000, 2]
    int64_t *__restrict__ place, // t9: cpu i64[9000, 2]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    Wide *from = (Wide *)(scratch + 0);
    Wide *to = (Wide *)(scratch + 288000);
    merge_runs<Wide, 9000, 4096, 4, 0, 9000, 2, 2, true>(
        in, from, to, out, place);
}

// parts of columns: 1 x 4 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel3(
    const int64_t *__restrict__ in0, // t9: cpu i64[9000, 2]
    const double *__restrict__ in1, // y: cpu f64[9000, 2]
    double *__restrict__ out0, // g: cpu f64[2]
    int64_t *__restrict__ out1, // h: cpu i64[2]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 1, ty = threadIdx.x / 1;
    const int split = blockIdx.y;
    const int c = blockIdx.x * 1 + tx;
    const int i1 = c * 2;
    int64_t *part3 = (int64_t *)(scratch + 256);
    int64_t *part8 = (int64_t *)(scratch + 1536);
    int64_t acc3[2];
    #pragma unroll
    for (int j = 0; j < 2; j++)
        acc3[j] = (int64_t)((uint64_t)1 << 63);
    int64_t acc8[2];
    #pragma unroll
    for (int j = 0; j < 2; j++)
        acc8[j] = (int64_t)~((uint64_t)1 << 63);
    #pragma unroll 8
    for (int r = split * 256 + ty; r < 9000; r += 1024) {
        const int i0 = r;
        const Vec<double, 2> a0 = load<2>(in1 + 2 * i0 + i1);
        const int64_t v4 = i0;
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const double v0 = get(a0, j); // y
            const uint8_t v1 = (v0 != v0) != 0; // t12
            const int64_t v2 = (int64_t)v1; // t13
            take_place<Max>(acc3[j], acc8[j], v2, v4);
        }
    }
    int64_t own3[2];
    #pragma unroll
    for (int j = 0; j < 2; j++) {
        own3[j] = acc3[j];
    }
    fold_columns<Max, 1, 256, 2>(acc3);
    #pragma unroll
    for (int j = 0; j < 2; j++) {
        acc8[j] = is_same(own3[j], acc3[j]) ? acc8[j] : 9000;
    }
    fold_columns<Min, 1, 256, 2>(acc8);
    if (ty == 0) {
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            part3[split * 2 + i1 + j] = acc3[j];
            part8[split * 2 + i1 + j] = acc8[j];
        }
    }
}

// folds the parts: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel3_1(
    const int64_t *__restrict__ in0, // t9: cpu i64[9000, 2]
    const double *__restrict__ in1, // y: cpu f64[9000, 2]
    double *__restrict__ out0, // g: cpu f64[2]
    int64_t *__restrict__ out1, // h: cpu i64[2]
    char *scratch,
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    const int tx = threadIdx.x % 2, ty = threadIdx.x / 2;
    const bool live = blockIdx.x * 2 + tx < 2;
    const int n = live ? blockIdx.x * 2 + tx : 0;
    const int i1 = n;
    int64_t *red3 = (int64_t *)(scratch + 0);
    int64_t *part3 = (int64_t *)(scratch + 256);
    int64_t *red8 = (int64_t *)(scratch + 1280);
    int64_t *part8 = (int64_t *)(scratch + 1536);
    int64_t acc3[1] = {(int64_t)((uint64_t)1 << 63)};
    int64_t acc8[1] = {(int64_t)~((uint64_t)1 << 63)};
    #pragma unroll 4
    for (int split = ty; split < 4; split += 128) {
        acc3[0] = Max::of(acc3[0], part3[split * 2 + n]);
    }
    fold_columns<Max, 2, 128, 1>(acc3);
    for (int split = ty; split < 4; split += 128) {
        if (is_same(part3[split * 2 + n], acc3[0]))
            acc8[0] = smaller(acc8[0], part8[split * 2 + n]);
    }
    fold_columns<Min, 2, 128, 1>(acc8);
    if (ty == 0 && live) {
        red3[n] = acc3[0];
        red8[n] = acc8[0];
    }
    const int64_t v8 = (int64_t)acc8[0]; // t14
    const int q2 = (int)index_i(v8, 9000, &bad);
    const double v9 = get(in1[i1 + 2 * q2]); // y
    const uint8_t v10 = (v9 != v9) != 0; // t17
    const int64_t v11 = get(in0[i1 + 8998]); // t9
    const int64_t v12 = (int64_t)(v10 ? v8 : v11); // t18
    const int q3 = (int)index_i(v12, 9000, &bad);
    const double v13 = get(in1[i1 + 2 * q3]); // y
    if (ty == 0 && live) {
        set(out0[i1], v13);
        set(out1[i1], v12);
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
// sorts tiles of lines: 6 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel4(
    const int32_t *__restrict__ in, // z: cpu i32[3, 5000]
    int32_t *__restrict__ out, // t22: cpu i32[3, 1]
    int64_t *__restrict__ place, // t23: cpu i64[3, 1]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 43200);
    uint64_t *to = (uint64_t *)(scratch + 0);
    sort_tile<uint64_t, int32_t, false, 4096, 8, 5000, 5000, false, 900, 899, 1, 1>(
        in, from, to, out, place);
}

// sorts lines: 3 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel4_1(
    const int32_t *__restrict__ in, // z: cpu i32[3, 5000]
    int32_t *__restrict__ out, // t22: cpu i32[3, 1]
    int64_t *__restrict__ place, // t23: cpu i64[3, 1]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 0);
    uint64_t *to = (uint64_t *)(scratch + 43200);
    sort_tile<uint64_t, int32_t, false, 2048, 8, 5000, 1800, true, 900, 899, 1, 1>(
        in, from, to, out, place);
}

// rows: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel5(
    const float *__restrict__ in0, // x: cpu f32[5, 301]
    float *__restrict__ out0, // t24: cpu f32[1505]
    int64_t *__restrict__ out1, // t32: cpu i64[1]
    uint8_t *__restrict__ out2, // t34: cpu b8[1]
    int *error)
{
    int &bad = *error;
    ask_for<6020, 256>(in0);
    let_later_begin();
    wait_for_earlier();
    const int t = threadIdx.x, row = blockIdx.x;
    Vec<float, 1> a0[6];
    #pragma unroll
    for (int k = 0; k < 6; k++) {
        const int c = t + k * 256;
        if (k == 5 && c >= 1505)
            break;
        const int i0 = c;
        a0[k].x[0] = in0[i0];
    }
    int64_t acc3 = (int64_t)((uint64_t)1 << 63);
    #pragma unroll
    for (int k = 0; k < 6; k++) {
        const int c = t + k * 256;
        if (k == 5 && c >= 1505)
            break;
        const int i0 = c;
        const float v0 = get(a0[k], 0); // x
        const uint8_t v1 = (v0 != v0) != 0; // t29
        const int64_t v2 = (int64_t)v1; // t30
        acc3 = larger(acc3, v2);
        set(out0[i0], v0);
    }
    __shared__ int64_t fold3[8];
    fold_to<Max>(acc3, fold3);
    __syncthreads();
    acc3 = fold_from<Max, 8>(fold3);
    int64_t acc8 = (int64_t)~((uint64_t)1 << 63);
    const int64_t v3 = (int64_t)acc3;
    const int64_t v5 = (int64_t)1505;
    #pragma unroll
    for (int k = 0; k < 6; k++) {
        const int c = t + k * 256;
        if (k == 5 && c >= 1505)
            break;
        const int i0 = c;
        const float v0 = get(a0[k], 0); // x
        const uint8_t v1 = (v0 != v0) != 0; // t29
        const int64_t v2 = (int64_t)v1; // t30
        const uint8_t v6 = v2 == v3;
        const int64_t v4 = i0;
        const int64_t v7 = v6 ? v4 : v5;
        acc8 = smaller(acc8, v7);
    }
    __shared__ int64_t fold8[8];
    fold_to<Min>(acc8, fold8);
    __syncthreads();
    acc8 = fold_from<Min, 8>(fold8);
    const int64_t v8 = (int64_t)acc8; // t31
    const int q2 = (int)index_i(v8, 1505, &bad);
    const float v9 = get(in0[q2]); // x
    const uint8_t v10 = (v9 != v9) != 0; // t34
    if (t == 0) {
        set(out1[0], v8);
        set(out2[0], v10);
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
// sorts lines: 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel6(
    const float *__restrict__ in, // t24: cpu f32[1505]
    float *__restrict__ out, // t25: cpu f32[1505]
    int64_t *__restrict__ place, // t26: cpu i64[1505]
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    sort_tile<uint64_t, float, false, 2048, 8, 1505, 1505, false, 4096, 0, 1505, 1>(
        in, (uint64_t *)0, (uint64_t *)0, out, place);
}

// a map: 1 x 1 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel7(
    const int64_t *__restrict__ in0, // t26: cpu i64[1505]
    const uint8_t *__restrict__ in1, // t34: cpu b8[1]
    const int64_t *__restrict__ in2, // t32: cpu i64[1]
    const float *__restrict__ in3, // t24: cpu f32[1505]
    float *__restrict__ out0, // t37: cpu f32[]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 1)
            break;
    }
    const uint8_t v0 = get(in1[0]); // t34
    const int64_t v1 = get(in2[0]); // t32
    const int64_t v2 = get(in0[752]); // t26
    const int64_t v3 = (int64_t)(v0 ? v1 : v2); // t35
    const int q0 = (int)index_i(v3, 1505, &bad);
    const float v4 = get(in3[q0]); // t24
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 1)
            break;
        set(out0[0], v4);
    }
}

