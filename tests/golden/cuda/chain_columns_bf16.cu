// a map: 1 x 1 blocks of 64 threads
extern "C" __global__ void __launch_bounds__(64)
kernel0(
    const bf16 *__restrict__ in0, // x: cpu bf16[7, 40]
    bf16 *__restrict__ out0, // t2: cpu bf16[7, 40]
    int *error)
{
    int &bad = *error;
    ask_for<560, 64>(in0);
    let_later_begin();
    wait_for_earlier();
    Vec<bf16, 8> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)64 + threadIdx.x + k * 64;
        if (c >= 35)
            break;
        const int i1 = c * 8;
        a0[k] = load<8>(in0 + i1);
    }
    const float v3 = 0.100000001f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)64 + threadIdx.x + k * 64;
        if (c >= 35)
            break;
        const int i1 = c * 8;
        float b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // x
            const float v1 = (float)v0; // t0
            const float v4 = v1 * v3; // t1
            b0[j] = v4;
        }
        store<8>(out0 + i1, b0);
    }
}

// a map: 1 x 1 blocks of 32 threads
extern "C" __global__ void __launch_bounds__(32)
kernel1(
    const bf16 *__restrict__ in0, // b: cpu bf16[72]
    float *__restrict__ out0, // t5: cpu f32[72]
    int *error)
{
    int &bad = *error;
    ask_for<144, 32>(in0);
    let_later_begin();
    wait_for_earlier();
    Vec<bf16, 8> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 9)
            break;
        const int i0 = c * 8;
        a0[k] = load<8>(in0 + i0);
    }
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)32 + threadIdx.x + k * 32;
        if (c >= 9)
            break;
        const int i0 = c * 8;
        float b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // b
            const float v1 = (float)v0; // t5
            b0[j] = v1;
        }
        store<8>(out0 + i0, b0);
    }
}

// a map: 1 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel2(
    const bf16 *__restrict__ in0, // c: cpu bf16[72, 24]
    bf16 *__restrict__ out0, // t18: cpu bf16[72, 24]
    int *error)
{
    int &bad = *error;
    ask_for<3456, 256>(in0);
    let_later_begin();
    wait_for_earlier();
    Vec<bf16, 8> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 216)
            break;
        const int i1 = c * 8;
        a0[k] = load<8>(in0 + i1);
    }
    const float v3 = 0.100000001f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 216)
            break;
        const int i1 = c * 8;
        float b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // c
            const float v1 = (float)v0; // t16
            const float v4 = v1 * v3; // t17
            b0[j] = v4;
        }
        store<8>(out0 + i1, b0);
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
// chain of 2 products, 1 rows a block, 2 tiles, 3 at a time: 7 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel3(
    const bf16 *__restrict__ in0, // t2: cpu bf16[7, 40]
    const bf16 *__restrict__ in1, // a: cpu bf16[40, 72]
    const float *__restrict__ in2, // t5: cpu f32[72]
    const bf16 *__restrict__ in3, // t18: cpu bf16[72, 24]
    bf16 *__restrict__ out0, // h: cpu bf16[7, 72]
    bf16 *__restrict__ out1, // t25: cpu bf16[7, 24]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    SHARED_POOL(pool);
    const int R = 1, STRIDE = 72;
    float *const rows0 = (float *)(pool + 21504);
    float *const rows1 = (float *)(pool + 21792);
    float *const parts = (float *)(pool + 22080);
    const int64_t first = (int64_t)blockIdx.x * R;
    const int most = first + R <= 7 ? R : (int)(7 - first);
    fetch<40, 9, 256, 144, 256>(pool + 0, in1 + 0, 1 << 30);
    fetch<1, 18, 512, 288, 256>(pool + 10240, in2 + 0, 1);
    group_ends();
    fetch<72, 3, 64, 48, 256>(pool + 10752, in3 + 0, 1 << 30);
    group_ends();
    read_rows<R, 40, STRIDE, 256>(rows0, in0 + first * 40, most);

    // t3, columns 0 to 71
    arrived<1>();
    __syncthreads();
    group_ends();
    {
        const int column = threadIdx.x % 128, share = threadIdx.x / 128;
        float sum[R] = {};
        dot_column<R, 40, 128, 2, 72>(sum, (const bf16 *)(pool + 0), rows0, column, share);
        for (int r = 0; r < R; r++)
            parts[r * 256 + threadIdx.x] = sum[r];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < R * 128; i += 256) {
        const int WIDTH = 128, r = i / WIDTH, column = i % WIDTH;
        const int at = 0 + column;
        if (column >= 72)
            continue;
        float total = parts[r * 256 + column];
        _Pragma("unroll")
        for (int k = 1; k < 2; k++)
            total += parts[r * 256 + k * WIDTH + column];
        const float s2 = get(((const float *)(pool + 10240))[column]);
        const float v4 = round_bf16(total); // t3
        const float v5 = (float)v4; // t4
        const float v7 = v5 + s2; // t7
        const float v8 = round_bf16((float)v7); // t8
        const float v9 = (float)v8; // t9
        const float v10 = -v9; // t10
        const float v11 = exp_coarse(v10); // t11
        const float v12 = 1.0f + v11; // t12
        const float v13 = 1 / v12; // t13
        const float v14 = v9 * v13; // t14
        const float v15 = round_bf16((float)v14); // h
        rows1[r * STRIDE + at] = round_bf16(v15);
        set(out0[(first + r) * 72 + at], v15);
    }

    // y, columns 0 to 23
    arrived<1>();
    __syncthreads();
    group_ends();
    {
        const int column = threadIdx.x % 32, share = threadIdx.x / 32;
        float sum[R] = {};
        dot_column<R, 72, 32, 8, 72>(sum, (const bf16 *)(pool + 10752), rows1, column, share);
        for (int r = 0; r < R; r++)
            parts[r * 256 + threadIdx.x] = sum[r];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < R * 32; i += 256) {
        const int WIDTH = 32, r = i / WIDTH, column = i % WIDTH;
        const int at = 0 + column;
        if (column >= 24)
            continue;
        float total = parts[r * 256 + column];
        _Pragma("unroll")
        for (int k = 1; k < 8; k++)
            total += parts[r * 256 + k * WIDTH + column];
        const float v16 = round_bf16(total); // y
        const uint8_t v17 = (v16 > 0.0f) != 0; // t20
        const float v18 = (float)v16; // t21
        const float v19 = (float)v16; // t22
        const float v20 = v18 * v19; // t23
        const float v21 = round_bf16((float)v20); // t24
        const float v22 = v17 ? v16 : v21; // t25
        set(out1[(first + r) * 24 + at], v22);
    }
}

