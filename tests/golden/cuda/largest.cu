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
kernel0(
    const float *__restrict__ in, // x: cpu f32[3, 50]
    float *__restrict__ out, // a: cpu f32[3, 7]
    int64_t *__restrict__ place, // b: cpu i64[3, 7]
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    sort_tile<uint64_t, float, true, 64, 2, 50, 50, false, 7, 0, 7, 1>(
        in, (uint64_t *)0, (uint64_t *)0, out, place);
}

// a map: 36 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel1(
    const float *__restrict__ in0, // y: cpu f32[2, 9001]
    float *__restrict__ out0, // t2: cpu f32[2, 9001]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    Vec<float, 2> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 9001)
            break;
        const int i1 = c * 2;
        a0[k] = load<2>(in0 + i1);
    }
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 9001)
            break;
        const int i1 = c * 2;
        float b0[2];
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const float v0 = get(a0[k], j); // y
            const float v1 = log_f(v0); // t2
            b0[j] = v1;
        }
        store<2>(out0 + i1, b0);
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
kernel2(
    const float *__restrict__ in, // t2: cpu f32[2, 9001]
    float *__restrict__ out, // c: cpu f32[2, 50]
    int64_t *__restrict__ place, // e: cpu i64[2, 50]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 2400);
    uint64_t *to = (uint64_t *)(scratch + 0);
    sort_tile<uint64_t, float, true, 4096, 8, 9001, 9001, false, 50, 0, 50, 1>(
        in, from, to, out, place);
}

// sorts lines: 2 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel2_1(
    const float *__restrict__ in, // t2: cpu f32[2, 9001]
    float *__restrict__ out, // c: cpu f32[2, 50]
    int64_t *__restrict__ place, // e: cpu i64[2, 50]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 0);
    uint64_t *to = (uint64_t *)(scratch + 2400);
    sort_tile<uint64_t, float, true, 256, 8, 9001, 150, true, 50, 0, 50, 1>(
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
kernel3(
    const bf16 *__restrict__ in, // z: cpu bf16[6000, 3]
    bf16 *__restrict__ out, // g: cpu bf16[5, 3]
    int64_t *__restrict__ place, // t6: cpu i64[5, 3]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 240);
    uint64_t *to = (uint64_t *)(scratch + 0);
    sort_tile<uint64_t, float, false, 4096, 8, 6000, 6000, false, 5, 0, 5, 3>(
        in, from, to, out, place);
}

// sorts lines: 3 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel3_1(
    const bf16 *__restrict__ in, // z: cpu bf16[6000, 3]
    bf16 *__restrict__ out, // g: cpu bf16[5, 3]
    int64_t *__restrict__ place, // t6: cpu i64[5, 3]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 0);
    uint64_t *to = (uint64_t *)(scratch + 240);
    sort_tile<uint64_t, float, false, 32, 1, 6000, 10, true, 5, 0, 5, 3>(
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
// sorts tiles of lines: 10 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel4(
    const float *__restrict__ in, // w: cpu f32[1, 40000]
    float *__restrict__ out, // h: cpu f32[1, 1000]
    int64_t *__restrict__ place, // i: cpu i64[1, 1000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 80000);
    uint64_t *to = (uint64_t *)(scratch + 0);
    sort_tile<uint64_t, float, true, 4096, 8, 40000, 40000, false, 1000, 0, 1000, 1>(
        in, from, to, out, place);
}

// sorts tiles of lines: 3 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel4_1(
    const float *__restrict__ in, // w: cpu f32[1, 40000]
    float *__restrict__ out, // h: cpu f32[1, 1000]
    int64_t *__restrict__ place, // i: cpu i64[1, 1000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 0);
    uint64_t *to = (uint64_t *)(scratch + 80000);
    sort_tile<uint64_t, float, true, 4096, 8, 40000, 10000, true, 1000, 0, 1000, 1>(
        in, from, to, out, place);
}

// sorts lines: 1 blocks of 512 threads
extern "C" __global__ void __launch_bounds__(512)
kernel4_2(
    const float *__restrict__ in, // w: cpu f32[1, 40000]
    float *__restrict__ out, // h: cpu f32[1, 1000]
    int64_t *__restrict__ place, // i: cpu i64[1, 1000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 80000);
    uint64_t *to = (uint64_t *)(scratch + 0);
    sort_tile<uint64_t, float, true, 4096, 8, 40000, 3000, true, 1000, 0, 1000, 1>(
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
kernel5(
    const float *__restrict__ in, // y: cpu f32[2, 9001]
    float *__restrict__ out, // t9: cpu f32[2, 2000]
    int64_t *__restrict__ place, // j: cpu i64[2, 2000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 144016);
    uint64_t *to = (uint64_t *)(scratch + 0);
    sort_tile<uint64_t, float, true, 4096, 8, 9001, 9001, false, 4096, 0, 2000, 1>(
        in, from, to, out, place);
}

// merges runs: 71 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel5_1(
    const float *__restrict__ in, // y: cpu f32[2, 9001]
    float *__restrict__ out, // t9: cpu f32[2, 2000]
    int64_t *__restrict__ place, // j: cpu i64[2, 2000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 0);
    uint64_t *to = (uint64_t *)(scratch + 144016);
    merge_runs<uint64_t, 9001, 4096, 4, 0, 2000, 1, 2, true>(
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
kernel6(
    const float *__restrict__ in, // y: cpu f32[2, 9001]
    float *__restrict__ out, // k: cpu f32[2, 9001]
    int64_t *__restrict__ place, // t12: cpu i64[2, 9001]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 144016);
    uint64_t *to = (uint64_t *)(scratch + 0);
    sort_tile<uint64_t, float, false, 4096, 8, 9001, 9001, false, 4096, 0, 9001, 1>(
        in, from, to, out, place);
}

// merges runs: 71 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel6_1(
    const float *__restrict__ in, // y: cpu f32[2, 9001]
    float *__restrict__ out, // k: cpu f32[2, 9001]
    int64_t *__restrict__ place, // t12: cpu i64[2, 9001]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    uint64_t *from = (uint64_t *)(scratch + 0);
    uint64_t *to = (uint64_t *)(scratch + 144016);
    merge_runs<uint64_t, 9001, 4096, 4, 0, 9001, 1, 2, true>(
        in, from, to, out, place);
}

