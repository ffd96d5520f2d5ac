#ifndef COPIES
#define COPIES
/* A barrier of copies: all but the newest N groups of this thread's are there. */
template <int N> INLINE void arrived()
{
#ifdef __CUDA_ARCH__
    asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory");
#endif
}
INLINE void group_ends()
{
#ifdef __CUDA_ARCH__
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/* ROWS rows of UNITS times 16 bytes, FROM bytes apart, to where they are TO bytes apart. */
template <int ROWS, int UNITS, int TO, int FROM, int THREADS, typename T>
INLINE void fetch(char *to, const T *from, int most)
{
    const int V = 16 / sizeof(T);
    _Pragma("unroll")
    for (int k = 0; k < (ROWS * UNITS + THREADS - 1) / THREADS; k++) {
        const int i = k * THREADS + threadIdx.x, row = i / UNITS, unit = i % UNITS;
        if (i < ROWS * UNITS && row < most)
            copy_async<V>((Vec<T, V> *)(to + row * TO + unit * 16),
                (const T *)((const char *)from + (int64_t)row * FROM + unit * 16));
    }
}
#endif
#ifndef CHAIN
#define CHAIN
/* The same element by element, for rows that are no multiples of 16 bytes. */
template <int ROWS, int N, int TO, int FROM, int THREADS, typename T>
INLINE void fetch_slowly(char *to, const T *from, int most)
{
    for (int i = threadIdx.x; i < ROWS * N && i / N < most; i += THREADS)
        *(T *)(to + i / N * TO + i % N * sizeof(T)) =
            *(const T *)((const char *)from + (int64_t)(i / N) * FROM + i % N * sizeof(T));
}
/* Rows of the batch as floats. */
template <int R, int N, int STRIDE, int THREADS, typename T>
INLINE void read_rows(float *to, const T *from, int most)
{
    for (int i = threadIdx.x; i < R * N; i += THREADS)
        to[i / N * STRIDE + i % N] = i / N < most ? get(from[i]) : 0;
}
/* This thread's share of K for one column and R rows. Rows of the weight, UNITS of 16 bytes
 * apart. */
template <int R, int K, int UNITS, int SHARES, int STRIDE, typename T>
INLINE void dot_row(float (&sum)[R], const T *w, const float *x, int column, int share)
{
    const int V = 16 / sizeof(T);
    const Vec<T, V> *const row = (const Vec<T, V> *)w + column * UNITS;
    _Pragma("unroll 4")
    for (int c = share; c < K / V; c += SHARES) {
        const Vec<T, V> a = row[c];
        _Pragma("unroll")
        for (int q = 0; q < V; q += 4) {
            _Pragma("unroll")
            for (int r = 0; r < R; r++) {
                const Vec<float, 4> b = load<4>(x + r * STRIDE + c * V + q);
                _Pragma("unroll")
                for (int j = 0; j < 4; j++)
                    sum[r] += get(a.x[q + j]) * b.x[j];
            }
        }
    }
}
/* The same of a weight whose columns lie side by side, N of them in the tile. */
template <int R, int K, int N, int SHARES, int STRIDE, typename T>
INLINE void dot_column(float (&sum)[R], const T *w, const float *x, int column, int share)
{
    _Pragma("unroll 8")
    for (int k = share; k < K; k += SHARES) {
        const float a = get(w[k * N + column]);
        _Pragma("unroll")
        for (int r = 0; r < R; r++)
            sum[r] += a * x[r * STRIDE + k];
    }
}
#endif
// chain of 2 products, 1 rows a block, 2 tiles, 3 at a time: 5 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[5, 64]
    const float *__restrict__ in1, // a: cpu f32[64, 64]
    const float *__restrict__ in2, // b: cpu f32[64]
    const float *__restrict__ in3, // c: cpu f32[64, 64]
    float *__restrict__ out0, // t19: cpu f32[5, 64]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    SHARED_POOL(pool);
    const int R = 1, STRIDE = 64;
    float *const rows0 = (float *)(pool + 35328);
    float *const rows1 = (float *)(pool + 35584);
    float *const parts = (float *)(pool + 35840);
    const int64_t first = (int64_t)blockIdx.x * R;
    const int most = first + R <= 5 ? R : (int)(5 - first);
    fetch<64, 16, 272, 256, 256>(pool + 0, in1 + 0, 1 << 30);
    fetch<1, 16, 256, 256, 256>(pool + 17408, in2 + 0, 1);
    group_ends();
    fetch<64, 16, 272, 256, 256>(pool + 17664, in3 + 0, 1 << 30);
    fetch<1, 16, 256, 256, 256>(pool + 35072, in2 + 0, 1);
    group_ends();
    read_rows<R, 64, STRIDE, 256>(rows0, in0 + first * 64, most);

    // h, columns 0 to 63
    arrived<1>();
    __syncthreads();
    group_ends();
    {
        const int column = threadIdx.x % 64, share = threadIdx.x / 64;
        float sum[R] = {};
        dot_row<R, 64, 17, 4, 64>(sum, (const float *)(pool + 0), rows0, column, share);
        for (int r = 0; r < R; r++)
            parts[r * 256 + threadIdx.x] = sum[r];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < R * 64; i += 256) {
        const int WIDTH = 64, r = i / WIDTH, column = i % WIDTH;
        const int at = 0 + column;
        float total = parts[r * 256 + column];
        _Pragma("unroll")
        for (int k = 1; k < 4; k++)
            total += parts[r * 256 + k * WIDTH + column];
        const float s2 = get(((const float *)(pool + 17408))[column]);
        const float v4 = total + s2; // h
        const float v5 = v4 * v4; // t1
        const float v6 = v5 * v4; // t2
        const float v7 = 0.0447149985f * v6; // t3
        const float v8 = v4 + v7; // t4
        const float v9 = 0.797884583f * v8; // t5
        const float v10 = tanh_f(v9); // t6
        const float v11 = 1.0f + v10; // t7
        const float v12 = 0.5f * v4; // t8
        const float v13 = v12 * v11; // h_1
        rows1[r * STRIDE + at] = v13;
    }

    // h_2, columns 0 to 63
    arrived<1>();
    __syncthreads();
    group_ends();
    {
        const int column = threadIdx.x % 64, share = threadIdx.x / 64;
        float sum[R] = {};
        dot_row<R, 64, 17, 4, 64>(sum, (const float *)(pool + 17664), rows1, column, share);
        for (int r = 0; r < R; r++)
            parts[r * 256 + threadIdx.x] = sum[r];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < R * 64; i += 256) {
        const int WIDTH = 64, r = i / WIDTH, column = i % WIDTH;
        const int at = 0 + column;
        float total = parts[r * 256 + column];
        _Pragma("unroll")
        for (int k = 1; k < 4; k++)
            total += parts[r * 256 + k * WIDTH + column];
        const float s2 = get(((const float *)(pool + 35072))[column]);
        const float v14 = total + s2; // h_2
        const float v15 = v14 * v14; // t11
        const float v16 = v15 * v14; // t12
        const float v17 = 0.0447149985f * v16; // t13
        const float v18 = v14 + v17; // t14
        const float v19 = 0.797884583f * v18; // t15
        const float v20 = tanh_f(v19); // t16
        const float v21 = 1.0f + v20; // t17
        const float v22 = 0.5f * v14; // t18
        const float v23 = v22 * v21; // t19
        set(out0[(first + r) * 64 + at], v23);
    }
}

