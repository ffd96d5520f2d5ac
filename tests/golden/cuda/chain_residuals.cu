// a map: 10 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[2, 150, 32]
    float *__restrict__ out0, // t0: cpu f32[2, 150, 32]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 2400)
            break;
        const int i2 = c * 4;
        a0[k] = load<4>(in0 + i2);
    }
    const float v2 = 0.0199999996f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 2400)
            break;
        const int i2 = c * 4;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const float v3 = v0 * v2; // t0
            b0[j] = v3;
        }
        store<4>(out0 + i2, b0);
    }
}

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
// chain of 3 products, 4 rows a block, 4 tiles, 5 at a time: 75 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel1(
    const float *__restrict__ in0, // t0: cpu f32[2, 150, 32]
    const float *__restrict__ in1, // a: cpu f32[200, 32]
    const float *__restrict__ in2, // b: cpu f32[32, 200]
    const float *__restrict__ in3, // c: cpu f32[32]
    const float *__restrict__ in4, // x: cpu f32[2, 150, 32]
    const float *__restrict__ in5, // g: cpu f32[10, 32]
    const float *__restrict__ in6, // e: cpu f32[2, 150, 10]
    const float *__restrict__ in7, // t10: cpu f32[]
    float *__restrict__ out0, // h: cpu f32[2, 150, 200]
    float *__restrict__ out1, // y: cpu f32[2, 150, 32]
    float *__restrict__ out2, // z: cpu f32[2, 150, 10]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    SHARED_POOL(pool);
    const int R = 4, STRIDE = 200;
    float *const rows0 = (float *)(pool + 107008);
    float *const rows1 = (float *)(pool + 110208);
    float *const parts = (float *)(pool + 113408);
    const int64_t first = (int64_t)blockIdx.x * R;
    const int most = first + R <= 300 ? R : (int)(300 - first);
    fetch<128, 8, 144, 128, 256>(pool + 0, in1 + 0, 1 << 30);
    group_ends();
    fetch<72, 8, 144, 128, 256>(pool + 26752, in1 + 4096, 1 << 30);
    group_ends();
    fetch<32, 50, 816, 800, 256>(pool + 53504, in2 + 0, 1 << 30);
    fetch<1, 8, 128, 128, 256>(pool + 79616, in3 + 0, 1);
    fetch<4, 8, 128, 128, 256>(pool + 79744, in4 + first * 32 + 0, most);
    group_ends();
    fetch<10, 8, 144, 128, 256>(pool + 80256, in5 + 0, 1 << 30);
    fetch_slowly<4, 10, 128, 40, 256>(pool + 84864, in6 + first * 10 + 0, most);
    group_ends();
    const float s7 = get(in7[0]);
    read_rows<R, 32, STRIDE, 256>(rows0, in0 + first * 32, most);

    // t1, columns 0 to 127
    arrived<3>();
    __syncthreads();
    group_ends();
    {
        const int column = threadIdx.x % 128, share = threadIdx.x / 128;
        float sum[R] = {};
        dot_row<R, 32, 9, 2, 200>(sum, (const float *)(pool + 0), rows0, column, share);
        for (int r = 0; r < R; r++)
            parts[r * 256 + threadIdx.x] = sum[r];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < R * 128; i += 256) {
        const int WIDTH = 128, r = i / WIDTH, column = i % WIDTH;
        const int at = 0 + column;
        float total = parts[r * 256 + column];
        _Pragma("unroll")
        for (int k = 1; k < 2; k++)
            total += parts[r * 256 + k * WIDTH + column];
        const float v8 = total; // t1
        const float v9 = max_nan_f(v8, 0.0f); // h
        rows1[r * STRIDE + at] = v9;
        set(out0[(first + r) * 200 + at], v9);
    }

    // t1, columns 128 to 199
    arrived<3>();
    __syncthreads();
    group_ends();
    {
        const int column = threadIdx.x % 128, share = threadIdx.x / 128;
        float sum[R] = {};
        dot_row<R, 32, 9, 2, 200>(sum, (const float *)(pool + 26752), rows0, column, share);
        for (int r = 0; r < R; r++)
            parts[r * 256 + threadIdx.x] = sum[r];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < R * 128; i += 256) {
        const int WIDTH = 128, r = i / WIDTH, column = i % WIDTH;
        const int at = 128 + column;
        if (column >= 72)
            continue;
        float total = parts[r * 256 + column];
        _Pragma("unroll")
        for (int k = 1; k < 2; k++)
            total += parts[r * 256 + k * WIDTH + column];
        const float v8 = total; // t1
        const float v9 = max_nan_f(v8, 0.0f); // h
        rows1[r * STRIDE + at] = v9;
        set(out0[(first + r) * 200 + at], v9);
    }

    // t3, columns 0 to 31
    arrived<3>();
    __syncthreads();
    group_ends();
    {
        const int column = threadIdx.x % 32, share = threadIdx.x / 32;
        float sum[R] = {};
        dot_row<R, 200, 51, 8, 200>(sum, (const float *)(pool + 53504), rows1, column, share);
        for (int r = 0; r < R; r++)
            parts[r * 256 + threadIdx.x] = sum[r];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < R * 32; i += 256) {
        const int WIDTH = 32, r = i / WIDTH, column = i % WIDTH;
        const int at = 0 + column;
        float total = parts[r * 256 + column];
        _Pragma("unroll")
        for (int k = 1; k < 8; k++)
            total += parts[r * 256 + k * WIDTH + column];
        const float s3 = get(((const float *)(pool + 79616))[column]);
        const float s4 = get(((const float *)(pool + 79744))[r * WIDTH + column]);
        const float v10 = total + s3; // t3
        const float v11 = s4 + v10; // y
        rows0[r * STRIDE + at] = v11;
        set(out1[(first + r) * 32 + at], v11);
    }

    // t5, columns 0 to 9
    arrived<3>();
    __syncthreads();
    group_ends();
    {
        const int column = threadIdx.x % 32, share = threadIdx.x / 32;
        float sum[R] = {};
        dot_row<R, 32, 9, 8, 200>(sum, (const float *)(pool + 80256), rows0, column, share);
        for (int r = 0; r < R; r++)
            parts[r * 256 + threadIdx.x] = sum[r];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < R * 32; i += 256) {
        const int WIDTH = 32, r = i / WIDTH, column = i % WIDTH;
        const int at = 0 + column;
        if (column >= 10)
            continue;
        float total = parts[r * 256 + column];
        _Pragma("unroll")
        for (int k = 1; k < 8; k++)
            total += parts[r * 256 + k * WIDTH + column];
        const float s6 = get(((const float *)(pool + 84864))[r * WIDTH + column]);
        const float v12 = total; // t5
        const float v13 = tanh_f(v12); // t6
        const float v14 = v13 * s6; // t7
        const float v16 = v14 + s7; // z
        set(out2[(first + r) * 10 + at], v16);
    }
}

// a map: 59 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel2(
    const float *__restrict__ in0, // h: cpu f32[2, 150, 200]
    float *__restrict__ out0, // t13: cpu f32[2, 150, 200]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 15000)
            break;
        const int i2 = c * 4;
        a0[k] = load<4>(in0 + i2);
    }
    const float v2 = 2.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 15000)
            break;
        const int i2 = c * 4;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // h
            const float v3 = v0 * v2; // t13
            b0[j] = v3;
        }
        store<4>(out0 + i2, b0);
    }
}

