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
    const float *__restrict__ in, // x: cpu f32[5, 301]
    float *__restrict__ out, // t0: cpu f32[5, 1]
    int64_t *__restrict__ place, // t1: cpu i64[5, 1]
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    sort_tile<float, false, 512, 256, 301, 301, false, 17, 16, 1, 1>(
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
// sorts tiles of lines: 6 blocks of 1024 threads
extern "C" __global__ void __launch_bounds__(1024)
kernel1(
    const double *__restrict__ in, // y: cpu f64[9000, 2]
    double *__restrict__ out, // t4: cpu f64[1, 2]
    int64_t *__restrict__ place, // t5: cpu i64[1, 2]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    double *from = (double *)(scratch + 216000);
    int *from_at = (int *)(scratch + 360000);
    double *to = (double *)(scratch + 0);
    int *to_at = (int *)(scratch + 144000);
    sort_tile<double, false, 4096, 1024, 9000, 9000, false, 4096, 7999, 1, 2>(
        in, from, from_at, to, to_at, out, place);
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
    double *from = (double *)(scratch + 0);
    int *from_at = (int *)(scratch + 144000);
    double *to = (double *)(scratch + 216000);
    int *to_at = (int *)(scratch + 360000);
    merge_runs<double, false, 9000, 4096, 4, 7999, 1, 2, 2, true>(
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
kernel2(
    const double *__restrict__ in, // y: cpu f64[9000, 2]
    double *__restrict__ out, // t8: cpu f64[9000, 2]
    int64_t *__restrict__ place, // t9: cpu i64[9000, 2]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    double *from = (double *)(scratch + 216000);
    int *from_at = (int *)(scratch + 360000);
    double *to = (double *)(scratch + 0);
    int *to_at = (int *)(scratch + 144000);
    sort_tile<double, false, 4096, 1024, 9000, 9000, false, 4096, 0, 9000, 2>(
        in, from, from_at, to, to_at, out, place);
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
    double *from = (double *)(scratch + 0);
    int *from_at = (int *)(scratch + 144000);
    double *to = (double *)(scratch + 216000);
    int *to_at = (int *)(scratch + 360000);
    merge_runs<double, false, 9000, 4096, 4, 0, 9000, 2, 2, true>(
        in, from, from_at, to, to_at, out, place);
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
    wait_for_earlier();
    let_later_begin();
    const int tx = threadIdx.x % 1, ty = threadIdx.x / 1;
    const int split = blockIdx.y;
    const int c = blockIdx.x * 1 + tx;
    const int i1 = c * 2;
    int64_t *part3 = (int64_t *)(scratch + 256);
    int64_t acc3[2];
    #pragma unroll
    for (int j = 0; j < 2; j++)
        acc3[j] = (int64_t)((uint64_t)1 << 63);
    #pragma unroll 8
    for (int r = split * 256 + ty; r < 9000; r += 1024) {
        const int i0 = r;
        const Vec<double, 2> a0 = load<2>(in1 + 2 * i0 + i1);
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const double v0 = get(a0.x[j]); // y
            const uint8_t v1 = (v0 != v0) != 0; // t12
            const int64_t v2 = (int64_t)v1; // t13
            acc3[j] = larger(acc3[j], v2);
        }
    }
    fold_columns<Max, 1, 256, 2>(acc3);
    if (ty == 0) {
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            part3[split * 2 + i1 + j] = acc3[j];
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
    wait_for_earlier();
    let_later_begin();
    const int tx = threadIdx.x % 2, ty = threadIdx.x / 2;
    const bool live = blockIdx.x * 2 + tx < 2;
    const int n = live ? blockIdx.x * 2 + tx : 0;
    const int i1 = n;
    int64_t *red3 = (int64_t *)(scratch + 0);
    int64_t *part3 = (int64_t *)(scratch + 256);
    int64_t acc3[1] = {(int64_t)((uint64_t)1 << 63)};
    #pragma unroll 4
    for (int split = ty; split < 4; split += 128) {
        acc3[0] = Max::of(acc3[0], part3[split * 2 + n]);
    }
    fold_columns<Max, 2, 128, 1>(acc3);
    if (ty == 0 && live) {
        red3[n] = acc3[0];
    }
}

// parts of columns: 1 x 4 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel3_2(
    const int64_t *__restrict__ in0, // t9: cpu i64[9000, 2]
    const double *__restrict__ in1, // y: cpu f64[9000, 2]
    double *__restrict__ out0, // g: cpu f64[2]
    int64_t *__restrict__ out1, // h: cpu i64[2]
    char *scratch,
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    const int tx = threadIdx.x % 1, ty = threadIdx.x / 1;
    const int split = blockIdx.y;
    const int c = blockIdx.x * 1 + tx;
    const int i1 = c * 2;
    const int64_t *red3 = (int64_t *)(scratch + 0);
    int64_t *part8 = (int64_t *)(scratch + 1536);
    int64_t acc8[2];
    #pragma unroll
    for (int j = 0; j < 2; j++)
        acc8[j] = (int64_t)~((uint64_t)1 << 63);
    const Vec<int64_t, 2> a3 = load<2>(red3 + i1);
    const int64_t v5 = (int64_t)9000;
    #pragma unroll 8
    for (int r = split * 256 + ty; r < 9000; r += 1024) {
        const int i0 = r;
        const Vec<double, 2> a0 = load<2>(in1 + 2 * i0 + i1);
        const int64_t v4 = i0;
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            const double v0 = get(a0.x[j]); // y
            const uint8_t v1 = (v0 != v0) != 0; // t12
            const int64_t v2 = (int64_t)v1; // t13
            const int64_t v3 = (int64_t)get(a3.x[j]);
            const uint8_t v6 = v2 == v3;
            const int64_t v7 = v6 ? v4 : v5;
            acc8[j] = smaller(acc8[j], v7);
        }
    }
    fold_columns<Min, 1, 256, 2>(acc8);
    if (ty == 0) {
        #pragma unroll
        for (int j = 0; j < 2; j++) {
            part8[split * 2 + i1 + j] = acc8[j];
        }
    }
}

// folds the parts: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel3_3(
    const int64_t *__restrict__ in0, // t9: cpu i64[9000, 2]
    const double *__restrict__ in1, // y: cpu f64[9000, 2]
    double *__restrict__ out0, // g: cpu f64[2]
    int64_t *__restrict__ out1, // h: cpu i64[2]
    char *scratch,
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    const int tx = threadIdx.x % 2, ty = threadIdx.x / 2;
    const bool live = blockIdx.x * 2 + tx < 2;
    const int n = live ? blockIdx.x * 2 + tx : 0;
    const int i1 = n;
    const int64_t *red3 = (int64_t *)(scratch + 0);
    int64_t *red8 = (int64_t *)(scratch + 1280);
    int64_t *part8 = (int64_t *)(scratch + 1536);
    int64_t acc8[1] = {(int64_t)~((uint64_t)1 << 63)};
    #pragma unroll 4
    for (int split = ty; split < 4; split += 128) {
        acc8[0] = Min::of(acc8[0], part8[split * 2 + n]);
    }
    fold_columns<Min, 2, 128, 1>(acc8);
    if (ty == 0 && live) {
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
kernel4(
    const int32_t *__restrict__ in, // z: cpu i32[3, 5000]
    int32_t *__restrict__ out, // t22: cpu i32[3, 1]
    int64_t *__restrict__ place, // t23: cpu i64[3, 1]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int32_t *from = (int32_t *)(scratch + 43200);
    int *from_at = (int *)(scratch + 64800);
    int32_t *to = (int32_t *)(scratch + 0);
    int *to_at = (int *)(scratch + 21600);
    sort_tile<int32_t, false, 4096, 1024, 5000, 5000, false, 900, 899, 1, 1>(
        in, from, from_at, to, to_at, out, place);
}

// sorts lines: 3 blocks of 1024 threads
extern "C" __global__ void __launch_bounds__(1024)
kernel4_1(
    const int32_t *__restrict__ in, // z: cpu i32[3, 5000]
    int32_t *__restrict__ out, // t22: cpu i32[3, 1]
    int64_t *__restrict__ place, // t23: cpu i64[3, 1]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int32_t *from = (int32_t *)(scratch + 0);
    int *from_at = (int *)(scratch + 21600);
    int32_t *to = (int32_t *)(scratch + 43200);
    int *to_at = (int *)(scratch + 64800);
    sort_tile<int32_t, false, 2048, 1024, 5000, 1800, true, 900, 899, 1, 1>(
        in, from, from_at, to, to_at, out, place);
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
    wait_for_earlier();
    let_later_begin();
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
        const float v0 = get(a0[k].x[0]); // x
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
        const float v0 = get(a0[k].x[0]); // x
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
// sorts lines: 1 blocks of 1024 threads
extern "C" __global__ void __launch_bounds__(1024)
kernel6(
    const float *__restrict__ in, // t24: cpu f32[1505]
    float *__restrict__ out, // t25: cpu f32[1505]
    int64_t *__restrict__ place, // t26: cpu i64[1505]
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    sort_tile<float, false, 2048, 1024, 1505, 1505, false, 4096, 0, 1505, 1>(
        in, (float *)0, (int *)0, (float *)0, (int *)0, out, place);
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
    wait_for_earlier();
    let_later_begin();
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

