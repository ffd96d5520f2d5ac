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
// sorts tiles of lines: 6 blocks of 1024 threads
extern "C" __global__ void __launch_bounds__(1024)
kernel0(
    const float *__restrict__ in, // x: cpu f32[2, 9000]
    float *__restrict__ out, // a: cpu f32[2, 9000]
    int64_t *__restrict__ place, // b: cpu i64[2, 9000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    float *from = (float *)(scratch + 144000);
    int *from_at = (int *)(scratch + 216000);
    float *to = (float *)(scratch + 0);
    int *to_at = (int *)(scratch + 72000);
    sort_tile<float, false, 4096, 1024, 9000, 9000, false, 4096, 0, 9000, 1>(
        in, from, from_at, to, to_at, out, place);
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
    float *from = (float *)(scratch + 0);
    int *from_at = (int *)(scratch + 72000);
    float *to = (float *)(scratch + 144000);
    int *to_at = (int *)(scratch + 216000);
    merge_runs<float, false, 9000, 4096, 4, 0, 9000, 1, 2, true>(
        in, from, from_at, to, to_at, out, place);
}

// a map: 34 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel1(
    const int64_t *__restrict__ in0, // y: cpu i64[17000]
    int64_t *__restrict__ out0, // t2: cpu i64[17000]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
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
            const int64_t v0 = get(a0[k].x[j]); // y
            const int64_t v2 = (int64_t)(remainder_i(v0, v1, &bad)); // t2
            b0[j] = v2;
        }
        store<2>(out0 + i0, b0);
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
// sorts tiles of lines: 5 blocks of 1024 threads
extern "C" __global__ void __launch_bounds__(1024)
kernel2(
    const int64_t *__restrict__ in, // t2: cpu i64[17000]
    int64_t *__restrict__ out, // c: cpu i64[17000]
    int64_t *__restrict__ place, // e: cpu i64[17000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int64_t *from = (int64_t *)(scratch + 204000);
    int *from_at = (int *)(scratch + 340000);
    int64_t *to = (int64_t *)(scratch + 0);
    int *to_at = (int *)(scratch + 136000);
    sort_tile<int64_t, true, 4096, 1024, 17000, 17000, false, 4096, 0, 17000, 1>(
        in, from, from_at, to, to_at, out, place);
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
    int64_t *from = (int64_t *)(scratch + 0);
    int *from_at = (int *)(scratch + 136000);
    int64_t *to = (int64_t *)(scratch + 204000);
    int *to_at = (int *)(scratch + 340000);
    merge_runs<int64_t, true, 17000, 4096, 4, 0, 17000, 1, 1, false>(
        in, from, from_at, to, to_at, out, place);
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
    int64_t *from = (int64_t *)(scratch + 204000);
    int *from_at = (int *)(scratch + 340000);
    int64_t *to = (int64_t *)(scratch + 0);
    int *to_at = (int *)(scratch + 136000);
    merge_runs<int64_t, true, 17000, 16384, 4, 0, 17000, 1, 1, true>(
        in, from, from_at, to, to_at, out, place);
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
// sorts tiles of lines: 4 blocks of 1024 threads
extern "C" __global__ void __launch_bounds__(1024)
kernel3(
    const f16 *__restrict__ in, // z: cpu f16[4100, 2]
    f16 *__restrict__ out, // g: cpu f16[4100, 2]
    int64_t *__restrict__ place, // h: cpu i64[4100, 2]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    float *from = (float *)(scratch + 65600);
    int *from_at = (int *)(scratch + 98400);
    float *to = (float *)(scratch + 0);
    int *to_at = (int *)(scratch + 32800);
    sort_tile<float, false, 4096, 1024, 4100, 4100, false, 4096, 0, 4100, 2>(
        in, from, from_at, to, to_at, out, place);
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
    float *from = (float *)(scratch + 0);
    int *from_at = (int *)(scratch + 32800);
    float *to = (float *)(scratch + 65600);
    int *to_at = (int *)(scratch + 98400);
    merge_runs<float, false, 4100, 4096, 4, 0, 4100, 2, 2, true>(
        in, from, from_at, to, to_at, out, place);
}

// a map: 18 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel4(
    const float *__restrict__ in0, // x: cpu f32[2, 9000]
    float *__restrict__ out0, // t7: cpu f32[2, 9000]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
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
            const float v0 = get(a0[k].x[j]); // x
            const float v1 = log_f(v0); // t7
            b0[j] = v1;
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
// sorts tiles of lines: 6 blocks of 1024 threads
extern "C" __global__ void __launch_bounds__(1024)
kernel5(
    const float *__restrict__ in, // t7: cpu f32[2, 9000]
    float *__restrict__ out, // t8: cpu f32[2, 9000]
    int64_t *__restrict__ place, // t9: cpu i64[2, 9000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    float *from = (float *)(scratch + 144000);
    int *from_at = (int *)(scratch + 216000);
    float *to = (float *)(scratch + 0);
    int *to_at = (int *)(scratch + 72000);
    sort_tile<float, true, 4096, 1024, 9000, 9000, false, 4096, 0, 9000, 1>(
        in, from, from_at, to, to_at, out, place);
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
    float *from = (float *)(scratch + 0);
    int *from_at = (int *)(scratch + 72000);
    float *to = (float *)(scratch + 144000);
    int *to_at = (int *)(scratch + 216000);
    merge_runs<float, true, 9000, 4096, 4, 0, 9000, 1, 2, true>(
        in, from, from_at, to, to_at, out, place);
}

