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
kernel0(
    const float *__restrict__ in, // x: cpu f32[2, 9000]
    float *__restrict__ out, // a: cpu f32[2, 9000]
    int64_t *__restrict__ place, // b: cpu i64[2, 9000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 144000);
    uint64_t *to = (uint64_t *)(scratch + 0);
    sort_tile<uint64_t, float, false, 4096, 8, 9000, 9000, false, 4096, 0, 9000, 1>(
        in, from, to, out, place);
}

// merges runs: 71 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0_1(
    const float *__restrict__ in, // x: cpu f32[2, 9000]
    float *__restrict__ out, // a: cpu f32[2, 9000]
    int64_t *__restrict__ place, // b: cpu i64[2, 9000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 0);
    uint64_t *to = (uint64_t *)(scratch + 144000);
    merge_runs<uint64_t, 9000, 4096, 4, 0, 9000, 1, 2, true>(
        in, from, to, out, place);
}

// a map: 34 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel1(
    const int64_t *__restrict__ in0, // y: cpu i64[17000]
    int64_t *__restrict__ out0, // t2: cpu i64[17000]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    Vec<int64_t, 2> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 8500)
            break;
        const int i0 = c * 2;
        a0[k] = load<2>(in0 + i0);
    }
    const int64_t v1 = (int64_t)100;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 8500)
            break;
        const int i0 = c * 2;
        int64_t b0[2];
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const int64_t v0 = get(a0[k], j); // y
            const int64_t v2 = (int64_t)(remainder_i(v0, v1, &bad)); // t2
            b0[j] = v2;
        }
        store<2>(out0 + i0, b0);
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
// sorts tiles of lines: 5 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel2(
    const int64_t *__restrict__ in, // t2: cpu i64[17000]
    int64_t *__restrict__ out, // c: cpu i64[17000]
    int64_t *__restrict__ place, // e: cpu i64[17000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    Wide *from = (Wide *)(scratch + 272000);
    Wide *to = (Wide *)(scratch + 0);
    sort_tile<Wide, int64_t, true, 4096, 8, 17000, 17000, false, 4096, 0, 17000, 1>(
        in, from, to, out, place);
}

// merges runs: 67 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel2_1(
    const int64_t *__restrict__ in, // t2: cpu i64[17000]
    int64_t *__restrict__ out, // c: cpu i64[17000]
    int64_t *__restrict__ place, // e: cpu i64[17000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    Wide *from = (Wide *)(scratch + 0);
    Wide *to = (Wide *)(scratch + 272000);
    merge_runs<Wide, 17000, 4096, 4, 0, 17000, 1, 1, false>(
        in, from, to, out, place);
}

// merges runs: 67 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel2_2(
    const int64_t *__restrict__ in, // t2: cpu i64[17000]
    int64_t *__restrict__ out, // c: cpu i64[17000]
    int64_t *__restrict__ place, // e: cpu i64[17000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    Wide *from = (Wide *)(scratch + 272000);
    Wide *to = (Wide *)(scratch + 0);
    merge_runs<Wide, 17000, 16384, 4, 0, 17000, 1, 1, true>(
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
// sorts tiles of lines: 4 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel3(
    const f16 *__restrict__ in, // z: cpu f16[4100, 2]
    f16 *__restrict__ out, // g: cpu f16[4100, 2]
    int64_t *__restrict__ place, // h: cpu i64[4100, 2]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 65600);
    uint64_t *to = (uint64_t *)(scratch + 0);
    sort_tile<uint64_t, float, false, 4096, 8, 4100, 4100, false, 4096, 0, 4100, 2>(
        in, from, to, out, place);
}

// merges runs: 33 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel3_1(
    const f16 *__restrict__ in, // z: cpu f16[4100, 2]
    f16 *__restrict__ out, // g: cpu f16[4100, 2]
    int64_t *__restrict__ place, // h: cpu i64[4100, 2]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 0);
    uint64_t *to = (uint64_t *)(scratch + 65600);
    merge_runs<uint64_t, 4100, 4096, 4, 0, 4100, 2, 2, true>(
        in, from, to, out, place);
}

// a map: 18 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel4(
    const float *__restrict__ in0, // x: cpu f32[2, 9000]
    float *__restrict__ out0, // t7: cpu f32[2, 9000]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 4500)
            break;
        const int i1 = c * 4;
        a0[k] = load<4>(in0 + i1);
    }
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 4500)
            break;
        const int i1 = c * 4;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const float v1 = log_f(v0); // t7
            b0[j] = v1;
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
// sorts tiles of lines: 6 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel5(
    const float *__restrict__ in, // t7: cpu f32[2, 9000]
    float *__restrict__ out, // t8: cpu f32[2, 9000]
    int64_t *__restrict__ place, // t9: cpu i64[2, 9000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 144000);
    uint64_t *to = (uint64_t *)(scratch + 0);
    sort_tile<uint64_t, float, true, 4096, 8, 9000, 9000, false, 4096, 0, 9000, 1>(
        in, from, to, out, place);
}

// merges runs: 71 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel5_1(
    const float *__restrict__ in, // t7: cpu f32[2, 9000]
    float *__restrict__ out, // t8: cpu f32[2, 9000]
    int64_t *__restrict__ place, // t9: cpu i64[2, 9000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 0);
    uint64_t *to = (uint64_t *)(scratch + 144000);
    merge_runs<uint64_t, 9000, 4096, 4, 0, 9000, 1, 2, true>(
        in, from, to, out, place);
}

