// a map: 11 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const bf16 *__restrict__ in0, // x: cpu bf16[2, 20, 528]
    bf16 *__restrict__ out0, // t2: cpu bf16[2, 20, 528]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    Vec<bf16, 8> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 2640)
            break;
        const int i2 = c * 8;
        a0[k] = load<8>(in0 + i2);
    }
    const float v3 = 0.0199999996f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 2640)
            break;
        const int i2 = c * 8;
        float b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k].x[j]); // x
            const float v1 = (float)v0; // t0
            const float v4 = v1 * v3; // t1
            b0[j] = v4;
        }
        store<8>(out0 + i2, b0);
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
// chain of 1 products, 1 rows a block, 5 tiles, 6 at a time: 40 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel1(
    const bf16 *__restrict__ in0, // t2: cpu bf16[2, 20, 528]
    const bf16 *__restrict__ in1, // w: cpu bf16[130, 528]
    const bf16 *__restrict__ in2, // b: cpu bf16[130]
    const bf16 *__restrict__ in3, // r: cpu bf16[2, 20, 130]
    bf16 *__restrict__ out0, // t7: cpu bf16[2, 20, 130]
    bf16 *__restrict__ out1, // t18: cpu bf16[2, 20, 130]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    SHARED_POOL(pool);
    const int R = 1, STRIDE = 528;
    float *const rows0 = (float *)(pool + 172160);
    float *const parts = (float *)(pool + 174272);
    const int64_t first = (int64_t)blockIdx.x * R;
    const int most = first + R <= 40 ? R : (int)(40 - first);
    fetch<32, 66, 1072, 1056, 256>(pool + 0, in1 + 0, 1 << 30);
    fetch_slowly<1, 32, 64, 260, 256>(pool + 34304, in2 + 0, 1);
    fetch_slowly<1, 32, 64, 260, 256>(pool + 34368, in3 + first * 130 + 0, most);
    group_ends();
    fetch<32, 66, 1072, 1056, 256>(pool + 34432, in1 + 16896, 1 << 30);
    fetch_slowly<1, 32, 64, 260, 256>(pool + 68736, in2 + 32, 1);
    fetch_slowly<1, 32, 64, 260, 256>(pool + 68800, in3 + first * 130 + 32, most);
    group_ends();
    fetch<32, 66, 1072, 1056, 256>(pool + 68864, in1 + 33792, 1 << 30);
    fetch_slowly<1, 32, 64, 260, 256>(pool + 103168, in2 + 64, 1);
    fetch_slowly<1, 32, 64, 260, 256>(pool + 103232, in3 + first * 130 + 64, most);
    group_ends();
    fetch<32, 66, 1072, 1056, 256>(pool + 103296, in1 + 50688, 1 << 30);
    fetch_slowly<1, 32, 64, 260, 256>(pool + 137600, in2 + 96, 1);
    fetch_slowly<1, 32, 64, 260, 256>(pool + 137664, in3 + first * 130 + 96, most);
    group_ends();
    fetch<2, 66, 1072, 1056, 256>(pool + 137728, in1 + 67584, 1 << 30);
    fetch_slowly<1, 2, 64, 260, 256>(pool + 172032, in2 + 128, 1);
    fetch_slowly<1, 2, 64, 260, 256>(pool + 172096, in3 + first * 130 + 128, most);
    group_ends();
    read_rows<R, 528, STRIDE, 256>(rows0, in0 + first * 528, most);

    // y, columns 0 to 31
    arrived<4>();
    __syncthreads();
    group_ends();
    {
        const int column = threadIdx.x % 32, share = threadIdx.x / 32;
        float sum[R] = {};
        dot_row<R, 528, 67, 8, 528>(sum, (const bf16 *)(pool + 0), rows0, column, share);
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
        const float s2 = get(((const bf16 *)(pool + 34304))[column]);
        const float s3 = get(((const bf16 *)(pool + 34368))[r * WIDTH + column]);
        const float v4 = round_bf16(total + s2); // y
        const float v6 = (float)v4; // t5
        const float v7 = s3 + v6; // t6
        const float v8 = round_bf16((float)v7); // t7
        const float v9 = (float)v4; // t8
        const float v10 = v9 * v9; // t9
        const float v11 = v10 * v9; // t10
        const float v12 = 0.0447149985f * v11; // t11
        const float v13 = v9 + v12; // t12
        const float v14 = 0.797884583f * v13; // t13
        const float v15 = tanh_coarse(v14); // t14
        const float v16 = 1.0f + v15; // t15
        const float v17 = 0.5f * v9; // t16
        const float v18 = v17 * v16; // t17
        const float v19 = round_bf16((float)v18); // t18
        set(out0[(first + r) * 130 + at], v8);
        set(out1[(first + r) * 130 + at], v19);
    }

    // y, columns 32 to 63
    arrived<4>();
    __syncthreads();
    group_ends();
    {
        const int column = threadIdx.x % 32, share = threadIdx.x / 32;
        float sum[R] = {};
        dot_row<R, 528, 67, 8, 528>(sum, (const bf16 *)(pool + 34432), rows0, column, share);
        for (int r = 0; r < R; r++)
            parts[r * 256 + threadIdx.x] = sum[r];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < R * 32; i += 256) {
        const int WIDTH = 32, r = i / WIDTH, column = i % WIDTH;
        const int at = 32 + column;
        float total = parts[r * 256 + column];
        _Pragma("unroll")
        for (int k = 1; k < 8; k++)
            total += parts[r * 256 + k * WIDTH + column];
        const float s2 = get(((const bf16 *)(pool + 68736))[column]);
        const float s3 = get(((const bf16 *)(pool + 68800))[r * WIDTH + column]);
        const float v4 = round_bf16(total + s2); // y
        const float v6 = (float)v4; // t5
        const float v7 = s3 + v6; // t6
        const float v8 = round_bf16((float)v7); // t7
        const float v9 = (float)v4; // t8
        const float v10 = v9 * v9; // t9
        const float v11 = v10 * v9; // t10
        const float v12 = 0.0447149985f * v11; // t11
        const float v13 = v9 + v12; // t12
        const float v14 = 0.797884583f * v13; // t13
        const float v15 = tanh_coarse(v14); // t14
        const float v16 = 1.0f + v15; // t15
        const float v17 = 0.5f * v9; // t16
        const float v18 = v17 * v16; // t17
        const float v19 = round_bf16((float)v18); // t18
        set(out0[(first + r) * 130 + at], v8);
        set(out1[(first + r) * 130 + at], v19);
    }

    // y, columns 64 to 95
    arrived<4>();
    __syncthreads();
    group_ends();
    {
        const int column = threadIdx.x % 32, share = threadIdx.x / 32;
        float sum[R] = {};
        dot_row<R, 528, 67, 8, 528>(sum, (const bf16 *)(pool + 68864), rows0, column, share);
        for (int r = 0; r < R; r++)
            parts[r * 256 + threadIdx.x] = sum[r];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < R * 32; i += 256) {
        const int WIDTH = 32, r = i / WIDTH, column = i % WIDTH;
        const int at = 64 + column;
        float total = parts[r * 256 + column];
        _Pragma("unroll")
        for (int k = 1; k < 8; k++)
            total += parts[r * 256 + k * WIDTH + column];
        const float s2 = get(((const bf16 *)(pool + 103168))[column]);
        const float s3 = get(((const bf16 *)(pool + 103232))[r * WIDTH + column]);
        const float v4 = round_bf16(total + s2); // y
        const float v6 = (float)v4; // t5
        const float v7 = s3 + v6; // t6
        const float v8 = round_bf16((float)v7); // t7
        const float v9 = (float)v4; // t8
        const float v10 = v9 * v9; // t9
        const float v11 = v10 * v9; // t10
        const float v12 = 0.0447149985f * v11; // t11
        const float v13 = v9 + v12; // t12
        const float v14 = 0.797884583f * v13; // t13
        const float v15 = tanh_coarse(v14); // t14
        const float v16 = 1.0f + v15; // t15
        const float v17 = 0.5f * v9; // t16
        const float v18 = v17 * v16; // t17
        const float v19 = round_bf16((float)v18); // t18
        set(out0[(first + r) * 130 + at], v8);
        set(out1[(first + r) * 130 + at], v19);
    }

    // y, columns 96 to 127
    arrived<4>();
    __syncthreads();
    group_ends();
    {
        const int column = threadIdx.x % 32, share = threadIdx.x / 32;
        float sum[R] = {};
        dot_row<R, 528, 67, 8, 528>(sum, (const bf16 *)(pool + 103296), rows0, column, share);
        for (int r = 0; r < R; r++)
            parts[r * 256 + threadIdx.x] = sum[r];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < R * 32; i += 256) {
        const int WIDTH = 32, r = i / WIDTH, column = i % WIDTH;
        const int at = 96 + column;
        float total = parts[r * 256 + column];
        _Pragma("unroll")
        for (int k = 1; k < 8; k++)
            total += parts[r * 256 + k * WIDTH + column];
        const float s2 = get(((const bf16 *)(pool + 137600))[column]);
        const float s3 = get(((const bf16 *)(pool + 137664))[r * WIDTH + column]);
        const float v4 = round_bf16(total + s2); // y
        const float v6 = (float)v4; // t5
        const float v7 = s3 + v6; // t6
        const float v8 = round_bf16((float)v7); // t7
        const float v9 = (float)v4; // t8
        const float v10 = v9 * v9; // t9
        const float v11 = v10 * v9; // t10
        const float v12 = 0.0447149985f * v11; // t11
        const float v13 = v9 + v12; // t12
        const float v14 = 0.797884583f * v13; // t13
        const float v15 = tanh_coarse(v14); // t14
        const float v16 = 1.0f + v15; // t15
        const float v17 = 0.5f * v9; // t16
        const float v18 = v17 * v16; // t17
        const float v19 = round_bf16((float)v18); // t18
        set(out0[(first + r) * 130 + at], v8);
        set(out1[(first + r) * 130 + at], v19);
    }

    // y, columns 128 to 129
    arrived<4>();
    __syncthreads();
    group_ends();
    {
        const int column = threadIdx.x % 32, share = threadIdx.x / 32;
        float sum[R] = {};
        dot_row<R, 528, 67, 8, 528>(sum, (const bf16 *)(pool + 137728), rows0, column, share);
        for (int r = 0; r < R; r++)
            parts[r * 256 + threadIdx.x] = sum[r];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < R * 32; i += 256) {
        const int WIDTH = 32, r = i / WIDTH, column = i % WIDTH;
        const int at = 128 + column;
        if (column >= 2)
            continue;
        float total = parts[r * 256 + column];
        _Pragma("unroll")
        for (int k = 1; k < 8; k++)
            total += parts[r * 256 + k * WIDTH + column];
        const float s2 = get(((const bf16 *)(pool + 172032))[column]);
        const float s3 = get(((const bf16 *)(pool + 172096))[r * WIDTH + column]);
        const float v4 = round_bf16(total + s2); // y
        const float v6 = (float)v4; // t5
        const float v7 = s3 + v6; // t6
        const float v8 = round_bf16((float)v7); // t7
        const float v9 = (float)v4; // t8
        const float v10 = v9 * v9; // t9
        const float v11 = v10 * v9; // t10
        const float v12 = 0.0447149985f * v11; // t11
        const float v13 = v9 + v12; // t12
        const float v14 = 0.797884583f * v13; // t13
        const float v15 = tanh_coarse(v14); // t14
        const float v16 = 1.0f + v15; // t15
        const float v17 = 0.5f * v9; // t16
        const float v18 = v17 * v16; // t17
        const float v19 = round_bf16((float)v18); // t18
        set(out0[(first + r) * 130 + at], v8);
        set(out1[(first + r) * 130 + at], v19);
    }
}

