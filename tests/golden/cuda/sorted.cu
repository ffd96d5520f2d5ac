#ifndef SORTS
#define SORTS
/* As stable sorting leaves them: NaN above all, equals by their place; what is behind the
 * line's end last. */
template <bool DOWN, typename A> INLINE bool comes_before(A x, int i, A y, int k, int n)
{
    if (i >= n || k >= n)
        return i < k;
    if (DOWN ? x > y || (x != x && y == y) : x < y || (y != y && x == x))
        return true;
    if (DOWN ? y > x || (y != y && x == x) : y < x || (x != x && y == y))
        return false;
    return i < k;
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
/* A block sorts up to P elements, a power of two, in shared memory: a tile of the M that
 * a line has, or (LEFT) has left. The first KEEP of a tile are kept; from the last tile
 * that is left results are taken, when there are to be any. */
template <typename A, bool DOWN, int P, int THREADS, int N, int M, bool LEFT, int KEEP,
          int FIRST, int COUNT, int64_t INNER, typename D>
INLINE void sort_tile(const D *in, const A *left, const int *left_at, A *kept,
                      int *kept_at, D *out, int64_t *place)
{
    SHARED_POOL(pool);
    A *v = (A *)pool;
    int *at = (int *)(v + P);
    const int tiles = (M + P - 1) / P, tile = blockIdx.x % tiles;
    const int64_t line = blockIdx.x / tiles;
    const int64_t base = line / INNER * INNER * N + line % INNER;
    const int start = tile * P, here = M - start < P ? M - start : P;
    for (int i = threadIdx.x; i < P; i += THREADS) {
        const int k = start + i;
        v[i] = i >= here ? (A)0
             : LEFT    ? left[line * M + k]
                       : (A)get(in[base + k * INNER]);
        at[i] = i >= here ? N + i : LEFT ? left_at[line * M + k] : k;
    }
    for (int size = 2; size <= P; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            for (int t = threadIdx.x; t < P / 2; t += THREADS) {
                const int i = t / step * 2 * step + t % step, k = i + step;
                const A x = v[i], y = v[k];
                const int ix = at[i], iy = at[k];
                if (comes_before<DOWN>(y, iy, x, ix, N) == ((i & size) == 0)) {
                    v[i] = y, v[k] = x;
                    at[i] = iy, at[k] = ix;
                }
            }
        }
    __syncthreads();
    const int end = M - (tiles - 1) * P < KEEP ? M - (tiles - 1) * P : KEEP;
    const int64_t to = line * ((tiles - 1) * KEEP + end) + tile * KEEP;
    for (int i = threadIdx.x; i < here; i += THREADS) {
        if (tiles == 1 && COUNT) {
            give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, i, at[i]);
        } else if (i < KEEP) {
            kept[to + i] = v[i];
            kept_at[to + i] = at[i];
        }
    }
}
template <typename A, bool DOWN, int N, int64_t RUN, int WAYS, int FIRST, int COUNT,
          int64_t INNER, int64_t LINES, bool LAST, typename D>
INLINE void merge_runs(const D *in, const A *from, const int *from_at, A *to, int *to_at,
                       D *out, int64_t *place)
{
    const int64_t number = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (number >= LINES * N)
        return;
    const int64_t line = number / N, i = number % N, mine = i / RUN;
    const int64_t first = mine / WAYS * WAYS;
    const A x = from[number];
    const int at = from_at[number];
    int64_t rank = first * RUN + i % RUN;
    for (int64_t run = first; run < first + WAYS && run * RUN < N; run++) {
        const int64_t begin = line * N + run * RUN;
        int64_t low = 0, high = N - run * RUN < RUN ? N - run * RUN : RUN;
        while (run != mine && low < high) {
            const int64_t k = (low + high) / 2;
            if (comes_before<DOWN>(from[begin + k], from_at[begin + k], x, at, N))
                low = k + 1;
            else
                high = k;
        }
        rank += low;
    }
    if (LAST) {
        give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, (int)rank, at);
    } else {
        to[line * N + rank] = x;
        to_at[line * N + rank] = at;
    }
}
#endif
// sorts lines: 5 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const float *__restrict__ in, // x: cpu f32[5, 300]
    float *__restrict__ out, // a: cpu f32[5, 300]
    int64_t *__restrict__ place, // b: cpu i64[5, 300]
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    sort_tile<float, true, 512, 256, 300, 300, false, 300, 0, 300, 1>(
        in, (float *)0, (int *)0, (float *)0, (int *)0, out, place);
}

#ifndef SORTS
#define SORTS
/* As stable sorting leaves them: NaN above all, equals by their place; what is behind the
 * line's end last. */
template <bool DOWN, typename A> INLINE bool comes_before(A x, int i, A y, int k, int n)
{
    if (i >= n || k >= n)
        return i < k;
    if (DOWN ? x > y || (x != x && y == y) : x < y || (y != y && x == x))
        return true;
    if (DOWN ? y > x || (y != y && x == x) : y < x || (x != x && y == y))
        return false;
    return i < k;
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
/* A block sorts up to P elements, a power of two, in shared memory: a tile of the M that
 * a line has, or (LEFT) has left. The first KEEP of a tile are kept; from the last tile
 * that is left results are taken, when there are to be any. */
template <typename A, bool DOWN, int P, int THREADS, int N, int M, bool LEFT, int KEEP,
          int FIRST, int COUNT, int64_t INNER, typename D>
INLINE void sort_tile(const D *in, const A *left, const int *left_at, A *kept,
                      int *kept_at, D *out, int64_t *place)
{
    SHARED_POOL(pool);
    A *v = (A *)pool;
    int *at = (int *)(v + P);
    const int tiles = (M + P - 1) / P, tile = blockIdx.x % tiles;
    const int64_t line = blockIdx.x / tiles;
    const int64_t base = line / INNER * INNER * N + line % INNER;
    const int start = tile * P, here = M - start < P ? M - start : P;
    for (int i = threadIdx.x; i < P; i += THREADS) {
        const int k = start + i;
        v[i] = i >= here ? (A)0
             : LEFT    ? left[line * M + k]
                       : (A)get(in[base + k * INNER]);
        at[i] = i >= here ? N + i : LEFT ? left_at[line * M + k] : k;
    }
    for (int size = 2; size <= P; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            for (int t = threadIdx.x; t < P / 2; t += THREADS) {
                const int i = t / step * 2 * step + t % step, k = i + step;
                const A x = v[i], y = v[k];
                const int ix = at[i], iy = at[k];
                if (comes_before<DOWN>(y, iy, x, ix, N) == ((i & size) == 0)) {
                    v[i] = y, v[k] = x;
                    at[i] = iy, at[k] = ix;
                }
            }
        }
    __syncthreads();
    const int end = M - (tiles - 1) * P < KEEP ? M - (tiles - 1) * P : KEEP;
    const int64_t to = line * ((tiles - 1) * KEEP + end) + tile * KEEP;
    for (int i = threadIdx.x; i < here; i += THREADS) {
        if (tiles == 1 && COUNT) {
            give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, i, at[i]);
        } else if (i < KEEP) {
            kept[to + i] = v[i];
            kept_at[to + i] = at[i];
        }
    }
}
template <typename A, bool DOWN, int N, int64_t RUN, int WAYS, int FIRST, int COUNT,
          int64_t INNER, int64_t LINES, bool LAST, typename D>
INLINE void merge_runs(const D *in, const A *from, const int *from_at, A *to, int *to_at,
                       D *out, int64_t *place)
{
    const int64_t number = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (number >= LINES * N)
        return;
    const int64_t line = number / N, i = number % N, mine = i / RUN;
    const int64_t first = mine / WAYS * WAYS;
    const A x = from[number];
    const int at = from_at[number];
    int64_t rank = first * RUN + i % RUN;
    for (int64_t run = first; run < first + WAYS && run * RUN < N; run++) {
        const int64_t begin = line * N + run * RUN;
        int64_t low = 0, high = N - run * RUN < RUN ? N - run * RUN : RUN;
        while (run != mine && low < high) {
            const int64_t k = (low + high) / 2;
            if (comes_before<DOWN>(from[begin + k], from_at[begin + k], x, at, N))
                low = k + 1;
            else
                high = k;
        }
        rank += low;
    }
    if (LAST) {
        give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, (int)rank, at);
    } else {
        to[line * N + rank] = x;
        to_at[line * N + rank] = at;
    }
}
#endif
// sorts lines: 9 blocks of 64 threads
extern "C" __global__ void __launch_bounds__(64)
kernel1(
    const bf16 *__restrict__ in, // y: cpu bf16[70, 9]
    bf16 *__restrict__ out, // c: cpu bf16[70, 9]
    int64_t *__restrict__ place, // e: cpu i64[70, 9]
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    sort_tile<float, false, 128, 64, 70, 70, false, 70, 0, 70, 9>(
        in, (float *)0, (int *)0, (float *)0, (int *)0, out, place);
}

// a map: 1 x 1 blocks of 64 threads
extern "C" __global__ void __launch_bounds__(64)
kernel2(
    const int32_t *__restrict__ in0, // z: cpu i32[3, 64]
    int32_t *__restrict__ out0, // t4: cpu i32[3, 64]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
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
            const int32_t v0 = get(a0[k].x[j]); // z
            const int32_t v3 = (int32_t)(remainder_i(v0, v2, &bad)); // t4
            b0[j] = v3;
        }
        store<4>(out0 + i1, b0);
    }
}

#ifndef SORTS
#define SORTS
/* As stable sorting leaves them: NaN above all, equals by their place; what is behind the
 * line's end last. */
template <bool DOWN, typename A> INLINE bool comes_before(A x, int i, A y, int k, int n)
{
    if (i >= n || k >= n)
        return i < k;
    if (DOWN ? x > y || (x != x && y == y) : x < y || (y != y && x == x))
        return true;
    if (DOWN ? y > x || (y != y && x == x) : y < x || (x != x && y == y))
        return false;
    return i < k;
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
/* A block sorts up to P elements, a power of two, in shared memory: a tile of the M that
 * a line has, or (LEFT) has left. The first KEEP of a tile are kept; from the last tile
 * that is left results are taken, when there are to be any. */
template <typename A, bool DOWN, int P, int THREADS, int N, int M, bool LEFT, int KEEP,
          int FIRST, int COUNT, int64_t INNER, typename D>
INLINE void sort_tile(const D *in, const A *left, const int *left_at, A *kept,
                      int *kept_at, D *out, int64_t *place)
{
    SHARED_POOL(pool);
    A *v = (A *)pool;
    int *at = (int *)(v + P);
    const int tiles = (M + P - 1) / P, tile = blockIdx.x % tiles;
    const int64_t line = blockIdx.x / tiles;
    const int64_t base = line / INNER * INNER * N + line % INNER;
    const int start = tile * P, here = M - start < P ? M - start : P;
    for (int i = threadIdx.x; i < P; i += THREADS) {
        const int k = start + i;
        v[i] = i >= here ? (A)0
             : LEFT    ? left[line * M + k]
                       : (A)get(in[base + k * INNER]);
        at[i] = i >= here ? N + i : LEFT ? left_at[line * M + k] : k;
    }
    for (int size = 2; size <= P; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            for (int t = threadIdx.x; t < P / 2; t += THREADS) {
                const int i = t / step * 2 * step + t % step, k = i + step;
                const A x = v[i], y = v[k];
                const int ix = at[i], iy = at[k];
                if (comes_before<DOWN>(y, iy, x, ix, N) == ((i & size) == 0)) {
                    v[i] = y, v[k] = x;
                    at[i] = iy, at[k] = ix;
                }
            }
        }
    __syncthreads();
    const int end = M - (tiles - 1) * P < KEEP ? M - (tiles - 1) * P : KEEP;
    const int64_t to = line * ((tiles - 1) * KEEP + end) + tile * KEEP;
    for (int i = threadIdx.x; i < here; i += THREADS) {
        if (tiles == 1 && COUNT) {
            give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, i, at[i]);
        } else if (i < KEEP) {
            kept[to + i] = v[i];
            kept_at[to + i] = at[i];
        }
    }
}
template <typename A, bool DOWN, int N, int64_t RUN, int WAYS, int FIRST, int COUNT,
          int64_t INNER, int64_t LINES, bool LAST, typename D>
INLINE void merge_runs(const D *in, const A *from, const int *from_at, A *to, int *to_at,
                       D *out, int64_t *place)
{
    const int64_t number = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (number >= LINES * N)
        return;
    const int64_t line = number / N, i = number % N, mine = i / RUN;
    const int64_t first = mine / WAYS * WAYS;
    const A x = from[number];
    const int at = from_at[number];
    int64_t rank = first * RUN + i % RUN;
    for (int64_t run = first; run < first + WAYS && run * RUN < N; run++) {
        const int64_t begin = line * N + run * RUN;
        int64_t low = 0, high = N - run * RUN < RUN ? N - run * RUN : RUN;
        while (run != mine && low < high) {
            const int64_t k = (low + high) / 2;
            if (comes_before<DOWN>(from[begin + k], from_at[begin + k], x, at, N))
                low = k + 1;
            else
                high = k;
        }
        rank += low;
    }
    if (LAST) {
        give_sorted<N, FIRST, COUNT, INNER>(in, out, place, line, (int)rank, at);
    } else {
        to[line * N + rank] = x;
        to_at[line * N + rank] = at;
    }
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
    sort_tile<int32_t, false, 64, 32, 64, 64, false, 64, 0, 64, 1>(
        in, (int32_t *)0, (int *)0, (int32_t *)0, (int *)0, out, place);
}

