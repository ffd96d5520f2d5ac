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
/* A block sorts one line of up to P elements, a power of two, in shared memory. */
template <typename A, bool DOWN, int P, int N, int64_t INNER, int THREADS, typename D>
INLINE void sort_line(const D *in, D *out, int64_t *place)
{
    SHARED_POOL(pool);
    A *v = (A *)pool;
    int *at = (int *)(v + P);
    const int64_t base = blockIdx.x / INNER * INNER * N + blockIdx.x % INNER;
    for (int i = threadIdx.x; i < P; i += THREADS) {
        v[i] = i < N ? (A)get(in[base + i * INNER]) : (A)0;
        at[i] = i;
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
    for (int i = threadIdx.x; i < N; i += THREADS) {
        if (out)
            out[base + i * INNER] = in[base + at[i] * INNER];
        if (place)
            place[base + i * INNER] = at[i];
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
    sort_line<float, true, 512, 300, 1, 256>(in, out, place);
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
/* A block sorts one line of up to P elements, a power of two, in shared memory. */
template <typename A, bool DOWN, int P, int N, int64_t INNER, int THREADS, typename D>
INLINE void sort_line(const D *in, D *out, int64_t *place)
{
    SHARED_POOL(pool);
    A *v = (A *)pool;
    int *at = (int *)(v + P);
    const int64_t base = blockIdx.x / INNER * INNER * N + blockIdx.x % INNER;
    for (int i = threadIdx.x; i < P; i += THREADS) {
        v[i] = i < N ? (A)get(in[base + i * INNER]) : (A)0;
        at[i] = i;
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
    for (int i = threadIdx.x; i < N; i += THREADS) {
        if (out)
            out[base + i * INNER] = in[base + at[i] * INNER];
        if (place)
            place[base + i * INNER] = at[i];
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
    sort_line<float, false, 128, 70, 9, 64>(in, out, place);
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
/* A block sorts one line of up to P elements, a power of two, in shared memory. */
template <typename A, bool DOWN, int P, int N, int64_t INNER, int THREADS, typename D>
INLINE void sort_line(const D *in, D *out, int64_t *place)
{
    SHARED_POOL(pool);
    A *v = (A *)pool;
    int *at = (int *)(v + P);
    const int64_t base = blockIdx.x / INNER * INNER * N + blockIdx.x % INNER;
    for (int i = threadIdx.x; i < P; i += THREADS) {
        v[i] = i < N ? (A)get(in[base + i * INNER]) : (A)0;
        at[i] = i;
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
    for (int i = threadIdx.x; i < N; i += THREADS) {
        if (out)
            out[base + i * INNER] = in[base + at[i] * INNER];
        if (place)
            place[base + i * INNER] = at[i];
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
    sort_line<int32_t, false, 64, 64, 1, 32>(in, out, place);
}

