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
kernel0(
    const float *__restrict__ in, // x: cpu f32[3, 50]
    float *__restrict__ out, // a: cpu f32[3, 7]
    int64_t *__restrict__ place, // b: cpu i64[3, 7]
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    sort_tile<float, true, 64, 32, 50, 50, false, 7, 0, 7, 1>(
        in, (float *)0, (int *)0, (float *)0, (int *)0, out, place);
}

// a map: 36 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel1(
    const float *__restrict__ in0, // y: cpu f32[2, 9001]
    float *__restrict__ out0, // t2: cpu f32[2, 9001]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
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
            const float v0 = get(a0[k].x[j]); // y
            const float v1 = log_f(v0); // t2
            b0[j] = v1;
        }
        store<2>(out0 + i1, b0);
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
kernel2(
    const float *__restrict__ in, // t2: cpu f32[2, 9001]
    float *__restrict__ out, // c: cpu f32[2, 50]
    int64_t *__restrict__ place, // e: cpu i64[2, 50]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    float *from = (float *)(scratch + 2400);
    int *from_at = (int *)(scratch + 3600);
    float *to = (float *)(scratch + 0);
    int *to_at = (int *)(scratch + 1200);
    sort_tile<float, true, 4096, 1024, 9001, 9001, false, 50, 0, 50, 1>(
        in, from, from_at, to, to_at, out, place);
}

// sorts lines: 2 blocks of 128 threads
extern "C" __global__ void __launch_bounds__(128)
kernel2_1(
    const float *__restrict__ in, // t2: cpu f32[2, 9001]
    float *__restrict__ out, // c: cpu f32[2, 50]
    int64_t *__restrict__ place, // e: cpu i64[2, 50]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    float *from = (float *)(scratch + 0);
    int *from_at = (int *)(scratch + 1200);
    float *to = (float *)(scratch + 2400);
    int *to_at = (int *)(scratch + 3600);
    sort_tile<float, true, 256, 128, 9001, 150, true, 50, 0, 50, 1>(
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
// sorts tiles of lines: 6 blocks of 1024 threads
extern "C" __global__ void __launch_bounds__(1024)
kernel3(
    const bf16 *__restrict__ in, // z: cpu bf16[6000, 3]
    bf16 *__restrict__ out, // g: cpu bf16[5, 3]
    int64_t *__restrict__ place, // t6: cpu i64[5, 3]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    float *from = (float *)(scratch + 240);
    int *from_at = (int *)(scratch + 360);
    float *to = (float *)(scratch + 0);
    int *to_at = (int *)(scratch + 120);
    sort_tile<float, false, 4096, 1024, 6000, 6000, false, 5, 0, 5, 3>(
        in, from, from_at, to, to_at, out, place);
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
    float *from = (float *)(scratch + 0);
    int *from_at = (int *)(scratch + 120);
    float *to = (float *)(scratch + 240);
    int *to_at = (int *)(scratch + 360);
    sort_tile<float, false, 16, 32, 6000, 10, true, 5, 0, 5, 3>(
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
// sorts tiles of lines: 10 blocks of 1024 threads
extern "C" __global__ void __launch_bounds__(1024)
kernel4(
    const float *__restrict__ in, // w: cpu f32[1, 40000]
    float *__restrict__ out, // h: cpu f32[1, 1000]
    int64_t *__restrict__ place, // i: cpu i64[1, 1000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    float *from = (float *)(scratch + 80000);
    int *from_at = (int *)(scratch + 120000);
    float *to = (float *)(scratch + 0);
    int *to_at = (int *)(scratch + 40000);
    sort_tile<float, true, 4096, 1024, 40000, 40000, false, 1000, 0, 1000, 1>(
        in, from, from_at, to, to_at, out, place);
}

// sorts tiles of lines: 3 blocks of 1024 threads
extern "C" __global__ void __launch_bounds__(1024)
kernel4_1(
    const float *__restrict__ in, // w: cpu f32[1, 40000]
    float *__restrict__ out, // h: cpu f32[1, 1000]
    int64_t *__restrict__ place, // i: cpu i64[1, 1000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    float *from = (float *)(scratch + 0);
    int *from_at = (int *)(scratch + 40000);
    float *to = (float *)(scratch + 80000);
    int *to_at = (int *)(scratch + 120000);
    sort_tile<float, true, 4096, 1024, 40000, 10000, true, 1000, 0, 1000, 1>(
        in, from, from_at, to, to_at, out, place);
}

// sorts lines: 1 blocks of 1024 threads
extern "C" __global__ void __launch_bounds__(1024)
kernel4_2(
    const float *__restrict__ in, // w: cpu f32[1, 40000]
    float *__restrict__ out, // h: cpu f32[1, 1000]
    int64_t *__restrict__ place, // i: cpu i64[1, 1000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    float *from = (float *)(scratch + 80000);
    int *from_at = (int *)(scratch + 120000);
    float *to = (float *)(scratch + 0);
    int *to_at = (int *)(scratch + 40000);
    sort_tile<float, true, 4096, 1024, 40000, 3000, true, 1000, 0, 1000, 1>(
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
// sorts tiles of lines: 6 blocks of 1024 threads
extern "C" __global__ void __launch_bounds__(1024)
kernel5(
    const float *__restrict__ in, // y: cpu f32[2, 9001]
    float *__restrict__ out, // t9: cpu f32[2, 2000]
    int64_t *__restrict__ place, // j: cpu i64[2, 2000]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    float *from = (float *)(scratch + 144016);
    int *from_at = (int *)(scratch + 216024);
    float *to = (float *)(scratch + 0);
    int *to_at = (int *)(scratch + 72008);
    sort_tile<float, true, 4096, 1024, 9001, 9001, false, 4096, 0, 2000, 1>(
        in, from, from_at, to, to_at, out, place);
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
    float *from = (float *)(scratch + 0);
    int *from_at = (int *)(scratch + 72008);
    float *to = (float *)(scratch + 144016);
    int *to_at = (int *)(scratch + 216024);
    merge_runs<float, true, 9001, 4096, 4, 0, 2000, 1, 2, true>(
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
// sorts tiles of lines: 6 blocks of 1024 threads
extern "C" __global__ void __launch_bounds__(1024)
kernel6(
    const float *__restrict__ in, // y: cpu f32[2, 9001]
    float *__restrict__ out, // k: cpu f32[2, 9001]
    int64_t *__restrict__ place, // t12: cpu i64[2, 9001]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    float *from = (float *)(scratch + 144016);
    int *from_at = (int *)(scratch + 216024);
    float *to = (float *)(scratch + 0);
    int *to_at = (int *)(scratch + 72008);
    sort_tile<float, false, 4096, 1024, 9001, 9001, false, 4096, 0, 9001, 1>(
        in, from, from_at, to, to_at, out, place);
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
    float *from = (float *)(scratch + 0);
    int *from_at = (int *)(scratch + 72008);
    float *to = (float *)(scratch + 144016);
    int *to_at = (int *)(scratch + 216024);
    merge_runs<float, false, 9001, 4096, 4, 0, 9001, 1, 2, true>(
        in, from, from_at, to, to_at, out, place);
}

