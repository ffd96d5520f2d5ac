// a map: 3 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const float *__restrict__ in0, // x: cpu f32[5, 520]
    float *__restrict__ out0, // t0: cpu f32[5, 520]
    int *error)
{
    int &bad = *error;
    ask_for<10400, 256>(in0);
    let_later_begin();
    wait_for_earlier();
    Vec<float, 4> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 650)
            break;
        const int i1 = c * 4;
        a0[k] = load<4>(in0 + i1);
    }
    const float v2 = 0.0199999996f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 650)
            break;
        const int i1 = c * 4;
        float b0[4];
        #pragma unroll
        for (int j = 0; j < 4; j++) {
            const float v0 = get(a0[k], j); // x
            const float v3 = v0 * v2; // t0
            b0[j] = v3;
        }
        store<4>(out0 + i1, b0);
    }
}

#ifndef SKINNY
#define SKINNY
/* What is read once does not take the place of what is read again. */
template <int N, typename T> INLINE Vec<T, N> load_once(const T *p)
{
#ifdef __CUDA_ARCH__
    union { uint32_t u[4]; Vec<T, N> v; } x;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(x.u[0]), "=r"(x.u[1]), "=r"(x.u[2]), "=r"(x.u[3]) : "l"(p));
    return x.v;
#else
    return load<N>(p);
#endif
}
/* Products of M rows of x with the W rows of w from `first` on (the last one again where
 * there are no more), over this lane's part of K, A reads of each row at once. An early
 * weight is there before earlier launches have ended. */
template <int M, int W, int SHARES, int A, int K, int N, bool EARLY, typename T>
INLINE void dot_lanes(float (&sum)[W][M], const T *w, const T *x, int first, int share)
{
    const int V = 16 / sizeof(T), STEP = 32 * SHARES, TURNS = (K / V + STEP - 1) / STEP;
    const bool EVEN = K / V % STEP == 0 && TURNS % A == 0;
    const int lane = share * 32 + threadIdx.x % 32;
    int row[W];
    for (int c = 0; c < W; c++)
        row[c] = first + c < N ? first + c : N - 1;
    for (int turn = 0; turn < TURNS; turn += A) {
        Vec<T, V> a[A][W], b[A][M];
        _Pragma("unroll")
        for (int i = 0; i < A; i++) {
            const int at = ((turn + i) * STEP + lane) * V;
            _Pragma("unroll")
            for (int c = 0; c < W; c++)
                if (EVEN || at < K)
                    a[i][c] = load_once<V>(w + (int64_t)row[c] * K + at);
        }
        if (EARLY && turn == 0)
            wait_for_earlier();
        _Pragma("unroll")
        for (int i = 0; i < A; i++) {
            const int at = ((turn + i) * STEP + lane) * V;
            _Pragma("unroll")
            for (int m = 0; m < M; m++)
                if (EVEN || at < K)
                    b[i][m] = load<V>(x + (int64_t)m * K + at);
        }
        _Pragma("unroll")
        for (int i = 0; i < A; i++) {
            if (!EVEN && ((turn + i) * STEP + lane) * V >= K)
                continue;
            _Pragma("unroll")
            for (int j = 0; j < V; j++)
                _Pragma("unroll")
                for (int c = 0; c < W; c++)
                    _Pragma("unroll")
                    for (int m = 0; m < M; m++)
                        sum[c][m] += get(a[i][c].x[j]) * get(b[i][m].x[j]);
        }
    }
}
#endif
// 5 rows times a weight of 37 rows: 10 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel1(
    const float *__restrict__ in0, // t0: cpu f32[5, 520]
    const float *__restrict__ in1, // w: cpu f32[37, 520]
    const float *__restrict__ in2, // b: cpu f32[37]
    const float *__restrict__ in3, // r: cpu f32[5, 37]
    float *__restrict__ out0, // y: cpu f32[5, 37]
    float *__restrict__ out1, // t7: cpu f32[5, 37]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    const int M = 5, W = 1, SHARES = 2, GROUPS = 4, N = 37;
    const int warp = threadIdx.x / 32, share = warp % SHARES, group = warp / SHARES;
    float sum[W][M] = {};
    dot_lanes<M, W, SHARES, 3, 520, N, true>(sum, in1, in0,
        (blockIdx.x * GROUPS + group) * W, share);
    __shared__ float parts[SHARES][4][W * M];
    _Pragma("unroll")
    for (int i = 0; i < W * M; i++) {
        const float folded = fold_lanes<Sum, 32>(sum[i / M][i % M]);
        if (threadIdx.x % 32 == 0)
            parts[share][group][i] = folded;
    }
    __syncthreads();
    if (threadIdx.x >= 20)
        return;
    const int which = threadIdx.x / (W * M), i = threadIdx.x % (W * M);
    const int row = i % M, at = (blockIdx.x * GROUPS + which) * W + i / M;
    if (at >= N)
        return;
    float total = parts[0][which][i];
    _Pragma("unroll")
    for (int k = 1; k < SHARES; k++)
        total += parts[k][which][i];
    const float s2 = get(in2[at]);
    const float s3 = get(in3[row * N + at]);
    const float v4 = total + s2; // y
    const float v5 = v4 * 0.707106769f; // t2
    const float v6 = erf_f(v5); // t3
    const float v7 = 1.0f + v6; // t4
    const float v8 = 0.5f * v7; // t5
    const float v9 = v4 * v8; // t6
    const float v10 = v9 + s3; // t7
    set(out0[row * N + at], v4);
    set(out1[row * N + at], v10);
}

