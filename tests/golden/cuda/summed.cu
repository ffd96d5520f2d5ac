// a map: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const int64_t *__restrict__ in0, // n: cpu i64[9000]
    int64_t *__restrict__ out0, // j: cpu i64[300]
    int64_t *__restrict__ out1, // t8: cpu i64[300]
    int64_t *__restrict__ out2, // t14: cpu i64[300]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
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
            const int64_t v0 = get(a0[k].x[j]); // n
            const int64_t v2 = (int64_t)(remainder_i(v0, v1, &bad)); // j
            b0[j] = v2;
            const int64_t v4 = (int64_t)(remainder_i(v2, v3, &bad)); // t8
            b1[j] = v4;
            const int64_t v5 = (int64_t)(div_i(v2, v3, &bad)); // t9
            const int64_t v6 = (int64_t)(mod_i(v2, v3, &bad)); // t10
            const uint8_t v7 = (v4 != v6) != 0; // t12
            const int64_t v8 = (int64_t)v7; // t13
            const int64_t v9 = (int64_t)(v5 - v8); // t14
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
    int64_t *__restrict__ out0, // t3: cpu i64[40]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
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
            const int64_t v0 = get(a0[k].x[j]); // i
            const int64_t v2 = (int64_t)(remainder_i(v0, v1, &bad)); // t2
            const int64_t v3 = (int64_t)(v2 - v1); // t3
            b0[j] = v3;
        }
        store<2>(out0 + i0, b0);
    }
}

#ifndef SUMS
#define SUMS
/* A slot, counted from the end where it is negative; an index out of range belongs to none.
 */
INLINE int64_t slot_of(int64_t at, int64_t limit, int64_t none, int *error)
{
    at += at < 0 ? limit : 0;
    if (at >= 0 && at < limit)
        return at;
    *error = 2;
    return none;
}
/* The first of N items in order whose slot is this or a later one. */
template <int N> INLINE int first_item(const int *slots, int64_t slot)
{
    int low = 0, high = N;
    while (low < high) {
        const int k = (low + high) / 2;
        if (slots[k] < slot)
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
template <int V, typename A, typename D> INLINE void start_sum(A (&sum)[V], const D *start)
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
/* A thread sums V neighbours of a slot, or one of SPLITS shares of its items. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N, int SPLITS,
          typename D>
INLINE void sum_sorted(const int *slots, const int *at, const D *start, const D *value,
                       D *out, A *parts)
{
    const int64_t units = OUTER * SLOTS * (INNER / V), across = INNER / V;
    const int64_t unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (unit >= units)
        return;
    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;
    int k = first_item<N>(slots, slot), end = first_item<N>(slots, slot + 1);
    const int share = (end - k + SPLITS - 1) / SPLITS;
    k += (int)blockIdx.y * share;
    end = k + share < end ? k + share : end;
    A sum[V];
    start_sum(sum, SPLITS == 1 && start ? start + unit * V : (const D *)0);
    const D *from = value + outer * N * INNER + unit % across * V;
    _Pragma("unroll 4")
    for (; k < end; k++)
        add_item(sum, from + at[k] * INNER);
    if (SPLITS == 1)
        give_sum(out + unit * V, sum);
    for (int j = 0; j < V && SPLITS > 1; j++)
        parts[(blockIdx.y * units + unit) * V + j] = sum[j];
}
/* Of few items each thread looks at all. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N, typename F,
          typename D>
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
template <typename A, int64_t TOTAL, int SPLITS, typename D>
INLINE void sum_parts(const A *parts, const D *start, D *out)
{
    const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (i >= TOTAL)
        return;
    A sum[1];
    start_sum(sum, start ? start + i : start);
    for (int k = 0; k < SPLITS; k++)
        sum[0] += parts[k * TOTAL + i];
    give_sum(out + i, sum);
}
#endif

// sums few items by index: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel2(
    const float *__restrict__ in0, // a: cpu f32[5, 7, 3]
    const int64_t *__restrict__ in1, // t3: cpu i64[40]
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
/* A slot, counted from the end where it is negative; an index out of range belongs to none.
 */
INLINE int64_t slot_of(int64_t at, int64_t limit, int64_t none, int *error)
{
    at += at < 0 ? limit : 0;
    if (at >= 0 && at < limit)
        return at;
    *error = 2;
    return none;
}
/* The first of N items in order whose slot is this or a later one. */
template <int N> INLINE int first_item(const int *slots, int64_t slot)
{
    int low = 0, high = N;
    while (low < high) {
        const int k = (low + high) / 2;
        if (slots[k] < slot)
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
template <int V, typename A, typename D> INLINE void start_sum(A (&sum)[V], const D *start)
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
/* A thread sums V neighbours of a slot, or one of SPLITS shares of its items. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N, int SPLITS,
          typename D>
INLINE void sum_sorted(const int *slots, const int *at, const D *start, const D *value,
                       D *out, A *parts)
{
    const int64_t units = OUTER * SLOTS * (INNER / V), across = INNER / V;
    const int64_t unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (unit >= units)
        return;
    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;
    int k = first_item<N>(slots, slot), end = first_item<N>(slots, slot + 1);
    const int share = (end - k + SPLITS - 1) / SPLITS;
    k += (int)blockIdx.y * share;
    end = k + share < end ? k + share : end;
    A sum[V];
    start_sum(sum, SPLITS == 1 && start ? start + unit * V : (const D *)0);
    const D *from = value + outer * N * INNER + unit % across * V;
    _Pragma("unroll 4")
    for (; k < end; k++)
        add_item(sum, from + at[k] * INNER);
    if (SPLITS == 1)
        give_sum(out + unit * V, sum);
    for (int j = 0; j < V && SPLITS > 1; j++)
        parts[(blockIdx.y * units + unit) * V + j] = sum[j];
}
/* Of few items each thread looks at all. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N, typename F,
          typename D>
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
template <typename A, int64_t TOTAL, int SPLITS, typename D>
INLINE void sum_parts(const A *parts, const D *start, D *out)
{
    const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (i >= TOTAL)
        return;
    A sum[1];
    start_sum(sum, start ? start + i : start);
    for (int k = 0; k < SPLITS; k++)
        sum[0] += parts[k * TOTAL + i];
    give_sum(out + i, sum);
}
#endif
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

// the slot of each item: 2 x 1 blocks of 256 threads
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
    int *from = (int *)(scratch + 2400);
    int *from_at = (int *)(scratch + 3600);
    int *to = (int *)(scratch + 0);
    int *to_at = (int *)(scratch + 1200);
    const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (i >= 300)
        return;
    const int64_t at0 = slot_of(in1[i], 30, -1, error);
    const int64_t slot = at0 < 0 || at0 == 3 ? -1 : 0 + at0 * 1;
    to[i] = slot < 0 ? 30 : (int)slot;
    to_at[i] = (int)i;
}

// sorts tiles: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel3_1(
    const bf16 *__restrict__ in0, // g: cpu bf16[300, 16]
    const int64_t *__restrict__ in1, // j: cpu i64[300]
    bf16 *__restrict__ out, // e: cpu bf16[30, 16]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int *from = (int *)(scratch + 0);
    int *from_at = (int *)(scratch + 1200);
    int *to = (int *)(scratch + 2400);
    int *to_at = (int *)(scratch + 3600);
    sort_tile<int, false, 512, 256, 300, 300, true, 4096, 0, 0, 1>(
        (const int *)0, from, from_at, to, to_at, (int *)0, (int64_t *)0);
}

// sums items by index: 1 x 1 blocks of 256 threads
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
    int *from = (int *)(scratch + 2400);
    int *from_at = (int *)(scratch + 3600);
    int *to = (int *)(scratch + 0);
    int *to_at = (int *)(scratch + 1200);
    float *parts = (float *)(scratch + 4800);
    sum_sorted<float, 8, 1, 30, 16, 300, 1>(from, from_at, (const bf16 *)0, in0, out, parts);
}

// a map: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel4(
    const int64_t *__restrict__ in0, // k: cpu i64[9, 50]
    int64_t *__restrict__ out0, // t6: cpu i64[9, 50]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
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
            const int64_t v0 = get(a0[k].x[j]); // k
            const int64_t v2 = (int64_t)(remainder_i(v0, v1, &bad)); // t6
            b0[j] = v2;
        }
        store<2>(out0 + i1, b0);
    }
}

#ifndef SUMS
#define SUMS
/* A slot, counted from the end where it is negative; an index out of range belongs to none.
 */
INLINE int64_t slot_of(int64_t at, int64_t limit, int64_t none, int *error)
{
    at += at < 0 ? limit : 0;
    if (at >= 0 && at < limit)
        return at;
    *error = 2;
    return none;
}
/* The first of N items in order whose slot is this or a later one. */
template <int N> INLINE int first_item(const int *slots, int64_t slot)
{
    int low = 0, high = N;
    while (low < high) {
        const int k = (low + high) / 2;
        if (slots[k] < slot)
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
template <int V, typename A, typename D> INLINE void start_sum(A (&sum)[V], const D *start)
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
/* A thread sums V neighbours of a slot, or one of SPLITS shares of its items. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N, int SPLITS,
          typename D>
INLINE void sum_sorted(const int *slots, const int *at, const D *start, const D *value,
                       D *out, A *parts)
{
    const int64_t units = OUTER * SLOTS * (INNER / V), across = INNER / V;
    const int64_t unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (unit >= units)
        return;
    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;
    int k = first_item<N>(slots, slot), end = first_item<N>(slots, slot + 1);
    const int share = (end - k + SPLITS - 1) / SPLITS;
    k += (int)blockIdx.y * share;
    end = k + share < end ? k + share : end;
    A sum[V];
    start_sum(sum, SPLITS == 1 && start ? start + unit * V : (const D *)0);
    const D *from = value + outer * N * INNER + unit % across * V;
    _Pragma("unroll 4")
    for (; k < end; k++)
        add_item(sum, from + at[k] * INNER);
    if (SPLITS == 1)
        give_sum(out + unit * V, sum);
    for (int j = 0; j < V && SPLITS > 1; j++)
        parts[(blockIdx.y * units + unit) * V + j] = sum[j];
}
/* Of few items each thread looks at all. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N, typename F,
          typename D>
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
template <typename A, int64_t TOTAL, int SPLITS, typename D>
INLINE void sum_parts(const A *parts, const D *start, D *out)
{
    const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (i >= TOTAL)
        return;
    A sum[1];
    start_sum(sum, start ? start + i : start);
    for (int k = 0; k < SPLITS; k++)
        sum[0] += parts[k * TOTAL + i];
    give_sum(out + i, sum);
}
#endif
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

// the slot of each item: 2 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel5(
    const float *__restrict__ in0, // b: cpu f32[20, 50]
    const int64_t *__restrict__ in1, // t6: cpu i64[9, 50]
    const float *__restrict__ in2, // w: cpu f32[9, 50]
    float *__restrict__ out, // h: cpu f32[20, 50]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int *from = (int *)(scratch + 3600);
    int *from_at = (int *)(scratch + 5400);
    int *to = (int *)(scratch + 0);
    int *to_at = (int *)(scratch + 1800);
    const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (i >= 450)
        return;
    const int64_t at0 = slot_of(in1[i], 20, -1, error);
    const int64_t slot = at0 < 0 ? -1 : 0 + i / 1 % 50 * 1 + at0 * 50;
    to[i] = slot < 0 ? 1000 : (int)slot;
    to_at[i] = (int)i;
}

// sorts tiles: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel5_1(
    const float *__restrict__ in0, // b: cpu f32[20, 50]
    const int64_t *__restrict__ in1, // t6: cpu i64[9, 50]
    const float *__restrict__ in2, // w: cpu f32[9, 50]
    float *__restrict__ out, // h: cpu f32[20, 50]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int *from = (int *)(scratch + 0);
    int *from_at = (int *)(scratch + 1800);
    int *to = (int *)(scratch + 3600);
    int *to_at = (int *)(scratch + 5400);
    sort_tile<int, false, 512, 256, 450, 450, true, 4096, 0, 0, 1>(
        (const int *)0, from, from_at, to, to_at, (int *)0, (int64_t *)0);
}

// sums items by index: 4 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel5_2(
    const float *__restrict__ in0, // b: cpu f32[20, 50]
    const int64_t *__restrict__ in1, // t6: cpu i64[9, 50]
    const float *__restrict__ in2, // w: cpu f32[9, 50]
    float *__restrict__ out, // h: cpu f32[20, 50]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int *from = (int *)(scratch + 3600);
    int *from_at = (int *)(scratch + 5400);
    int *to = (int *)(scratch + 0);
    int *to_at = (int *)(scratch + 1800);
    double *parts = (double *)(scratch + 7200);
    sum_sorted<double, 1, 1, 1000, 1, 450, 1>(from, from_at, in0, in2, out, parts);
}

#ifndef SUMS
#define SUMS
/* A slot, counted from the end where it is negative; an index out of range belongs to none.
 */
INLINE int64_t slot_of(int64_t at, int64_t limit, int64_t none, int *error)
{
    at += at < 0 ? limit : 0;
    if (at >= 0 && at < limit)
        return at;
    *error = 2;
    return none;
}
/* The first of N items in order whose slot is this or a later one. */
template <int N> INLINE int first_item(const int *slots, int64_t slot)
{
    int low = 0, high = N;
    while (low < high) {
        const int k = (low + high) / 2;
        if (slots[k] < slot)
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
template <int V, typename A, typename D> INLINE void start_sum(A (&sum)[V], const D *start)
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
/* A thread sums V neighbours of a slot, or one of SPLITS shares of its items. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N, int SPLITS,
          typename D>
INLINE void sum_sorted(const int *slots, const int *at, const D *start, const D *value,
                       D *out, A *parts)
{
    const int64_t units = OUTER * SLOTS * (INNER / V), across = INNER / V;
    const int64_t unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (unit >= units)
        return;
    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;
    int k = first_item<N>(slots, slot), end = first_item<N>(slots, slot + 1);
    const int share = (end - k + SPLITS - 1) / SPLITS;
    k += (int)blockIdx.y * share;
    end = k + share < end ? k + share : end;
    A sum[V];
    start_sum(sum, SPLITS == 1 && start ? start + unit * V : (const D *)0);
    const D *from = value + outer * N * INNER + unit % across * V;
    _Pragma("unroll 4")
    for (; k < end; k++)
        add_item(sum, from + at[k] * INNER);
    if (SPLITS == 1)
        give_sum(out + unit * V, sum);
    for (int j = 0; j < V && SPLITS > 1; j++)
        parts[(blockIdx.y * units + unit) * V + j] = sum[j];
}
/* Of few items each thread looks at all. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N, typename F,
          typename D>
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
template <typename A, int64_t TOTAL, int SPLITS, typename D>
INLINE void sum_parts(const A *parts, const D *start, D *out)
{
    const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (i >= TOTAL)
        return;
    A sum[1];
    start_sum(sum, start ? start + i : start);
    for (int k = 0; k < SPLITS; k++)
        sum[0] += parts[k * TOTAL + i];
    give_sum(out + i, sum);
}
#endif
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

// the slot of each item: 2 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel6(
    const float *__restrict__ in0, // y: cpu f32[6, 5, 8]
    const int64_t *__restrict__ in1, // t8: cpu i64[300]
    const int64_t *__restrict__ in2, // t14: cpu i64[300]
    const float *__restrict__ in3, // x: cpu f32[300, 8]
    float *__restrict__ out, // p: cpu f32[6, 5, 8]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int *from = (int *)(scratch + 2400);
    int *from_at = (int *)(scratch + 3600);
    int *to = (int *)(scratch + 0);
    int *to_at = (int *)(scratch + 1200);
    const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (i >= 300)
        return;
    const int64_t at0 = slot_of(in2[i], 5, -1, error);
    const int64_t at1 = slot_of(in1[i], 6, -1, error);
    const int64_t slot = at0 < 0 || at1 < 0 ? -1 : 0 + at0 * 1 + at1 * 5;
    to[i] = slot < 0 ? 30 : (int)slot;
    to_at[i] = (int)i;
}

// sorts tiles: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel6_1(
    const float *__restrict__ in0, // y: cpu f32[6, 5, 8]
    const int64_t *__restrict__ in1, // t8: cpu i64[300]
    const int64_t *__restrict__ in2, // t14: cpu i64[300]
    const float *__restrict__ in3, // x: cpu f32[300, 8]
    float *__restrict__ out, // p: cpu f32[6, 5, 8]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int *from = (int *)(scratch + 0);
    int *from_at = (int *)(scratch + 1200);
    int *to = (int *)(scratch + 2400);
    int *to_at = (int *)(scratch + 3600);
    sort_tile<int, false, 512, 256, 300, 300, true, 4096, 0, 0, 1>(
        (const int *)0, from, from_at, to, to_at, (int *)0, (int64_t *)0);
}

// sums items by index: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel6_2(
    const float *__restrict__ in0, // y: cpu f32[6, 5, 8]
    const int64_t *__restrict__ in1, // t8: cpu i64[300]
    const int64_t *__restrict__ in2, // t14: cpu i64[300]
    const float *__restrict__ in3, // x: cpu f32[300, 8]
    float *__restrict__ out, // p: cpu f32[6, 5, 8]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int *from = (int *)(scratch + 2400);
    int *from_at = (int *)(scratch + 3600);
    int *to = (int *)(scratch + 0);
    int *to_at = (int *)(scratch + 1200);
    double *parts = (double *)(scratch + 4800);
    sum_sorted<double, 4, 1, 30, 8, 300, 1>(from, from_at, in0, in3, out, parts);
}

// a map: 18 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel7(
    const int64_t *__restrict__ in0, // n: cpu i64[9000]
    int64_t *__restrict__ out0, // t16: cpu i64[9000]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
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
            const int64_t v0 = get(a0[k].x[j]); // n
            const int64_t v2 = (int64_t)(remainder_i(v0, v1, &bad)); // t16
            b0[j] = v2;
        }
        store<2>(out0 + i0, b0);
    }
}

#ifndef SUMS
#define SUMS
/* A slot, counted from the end where it is negative; an index out of range belongs to none.
 */
INLINE int64_t slot_of(int64_t at, int64_t limit, int64_t none, int *error)
{
    at += at < 0 ? limit : 0;
    if (at >= 0 && at < limit)
        return at;
    *error = 2;
    return none;
}
/* The first of N items in order whose slot is this or a later one. */
template <int N> INLINE int first_item(const int *slots, int64_t slot)
{
    int low = 0, high = N;
    while (low < high) {
        const int k = (low + high) / 2;
        if (slots[k] < slot)
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
template <int V, typename A, typename D> INLINE void start_sum(A (&sum)[V], const D *start)
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
/* A thread sums V neighbours of a slot, or one of SPLITS shares of its items. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N, int SPLITS,
          typename D>
INLINE void sum_sorted(const int *slots, const int *at, const D *start, const D *value,
                       D *out, A *parts)
{
    const int64_t units = OUTER * SLOTS * (INNER / V), across = INNER / V;
    const int64_t unit = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (unit >= units)
        return;
    const int64_t slot = unit / across % SLOTS, outer = unit / across / SLOTS;
    int k = first_item<N>(slots, slot), end = first_item<N>(slots, slot + 1);
    const int share = (end - k + SPLITS - 1) / SPLITS;
    k += (int)blockIdx.y * share;
    end = k + share < end ? k + share : end;
    A sum[V];
    start_sum(sum, SPLITS == 1 && start ? start + unit * V : (const D *)0);
    const D *from = value + outer * N * INNER + unit % across * V;
    _Pragma("unroll 4")
    for (; k < end; k++)
        add_item(sum, from + at[k] * INNER);
    if (SPLITS == 1)
        give_sum(out + unit * V, sum);
    for (int j = 0; j < V && SPLITS > 1; j++)
        parts[(blockIdx.y * units + unit) * V + j] = sum[j];
}
/* Of few items each thread looks at all. */
template <typename A, int V, int64_t OUTER, int64_t SLOTS, int64_t INNER, int N, typename F,
          typename D>
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
template <typename A, int64_t TOTAL, int SPLITS, typename D>
INLINE void sum_parts(const A *parts, const D *start, D *out)
{
    const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (i >= TOTAL)
        return;
    A sum[1];
    start_sum(sum, start ? start + i : start);
    for (int k = 0; k < SPLITS; k++)
        sum[0] += parts[k * TOTAL + i];
    give_sum(out + i, sum);
}
#endif
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

// the slot of each item: 36 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel8(
    const float *__restrict__ in0, // z: cpu f32[4, 3]
    const int64_t *__restrict__ in1, // t16: cpu i64[9000]
    const float *__restrict__ in2, // o: cpu f32[9000, 3]
    float *__restrict__ out, // t17: cpu f32[4, 3]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int *from = (int *)(scratch + 72000);
    int *from_at = (int *)(scratch + 108000);
    int *to = (int *)(scratch + 0);
    int *to_at = (int *)(scratch + 36000);
    const int64_t i = blockIdx.x * (int64_t)256 + threadIdx.x;
    if (i >= 9000)
        return;
    const int64_t at0 = slot_of(in1[i], 4, -1, error);
    const int64_t slot = at0 < 0 ? -1 : 0 + at0 * 1;
    to[i] = slot < 0 ? 4 : (int)slot;
    to_at[i] = (int)i;
}

// sorts tiles: 3 x 1 blocks of 1024 threads
extern "C" __global__ void __launch_bounds__(1024)
kernel8_1(
    const float *__restrict__ in0, // z: cpu f32[4, 3]
    const int64_t *__restrict__ in1, // t16: cpu i64[9000]
    const float *__restrict__ in2, // o: cpu f32[9000, 3]
    float *__restrict__ out, // t17: cpu f32[4, 3]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int *from = (int *)(scratch + 0);
    int *from_at = (int *)(scratch + 36000);
    int *to = (int *)(scratch + 72000);
    int *to_at = (int *)(scratch + 108000);
    sort_tile<int, false, 4096, 1024, 9000, 9000, true, 4096, 0, 0, 1>(
        (const int *)0, from, from_at, to, to_at, (int *)0, (int64_t *)0);
}

// merges runs: 36 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel8_2(
    const float *__restrict__ in0, // z: cpu f32[4, 3]
    const int64_t *__restrict__ in1, // t16: cpu i64[9000]
    const float *__restrict__ in2, // o: cpu f32[9000, 3]
    float *__restrict__ out, // t17: cpu f32[4, 3]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int *from = (int *)(scratch + 72000);
    int *from_at = (int *)(scratch + 108000);
    int *to = (int *)(scratch + 0);
    int *to_at = (int *)(scratch + 36000);
    merge_runs<int, false, 9000, 4096, 4, 0, 0, 1, 1, false>(
        (const int *)0, from, from_at, to, to_at, (int *)0, (int64_t *)0);
}

// sums items by index: 1 x 28 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel8_3(
    const float *__restrict__ in0, // z: cpu f32[4, 3]
    const int64_t *__restrict__ in1, // t16: cpu i64[9000]
    const float *__restrict__ in2, // o: cpu f32[9000, 3]
    float *__restrict__ out, // t17: cpu f32[4, 3]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int *from = (int *)(scratch + 0);
    int *from_at = (int *)(scratch + 36000);
    int *to = (int *)(scratch + 72000);
    int *to_at = (int *)(scratch + 108000);
    double *parts = (double *)(scratch + 144000);
    sum_sorted<double, 1, 1, 4, 3, 9000, 28>(from, from_at, in0, in2, out, parts);
}

// sums shares: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel8_4(
    const float *__restrict__ in0, // z: cpu f32[4, 3]
    const int64_t *__restrict__ in1, // t16: cpu i64[9000]
    const float *__restrict__ in2, // o: cpu f32[9000, 3]
    float *__restrict__ out, // t17: cpu f32[4, 3]
    char *scratch,
    int *error)
{
    wait_for_earlier();
    let_later_begin();
    int *from = (int *)(scratch + 72000);
    int *from_at = (int *)(scratch + 108000);
    int *to = (int *)(scratch + 0);
    int *to_at = (int *)(scratch + 36000);
    double *parts = (double *)(scratch + 144000);
    sum_parts<double, 12, 28>(parts, in0, out);
}

