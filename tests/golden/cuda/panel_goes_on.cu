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
#ifndef TILE
#define TILE
/* Four matrices of 8 x 8: lane l names a row of 16 bytes, gets two neighbours of each. */
INLINE void read_tiles(uint32_t (&r)[4], const char *p)
{
#ifdef __CUDA_ARCH__
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
#else
    emu_ldmatrix(r, p, false);
#endif
}
#ifdef __CUDA_ARCH__
#define MULTIPLY(T, name) \
    INLINE void multiply(T, float (&d)[4], const uint32_t (&a)[4], uint32_t b, \
                         uint32_t c) \
    { \
        asm("mma.sync.aligned.m16n8k16.row.col.f32." name "." name ".f32 " \
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) \
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b), "r"(c)); \
    }
MULTIPLY(bf16, "bf16")
MULTIPLY(f16, "f16")
#else
template <typename T>
INLINE void multiply(T, float (&d)[4], const uint32_t (&a)[4], uint32_t b, uint32_t c)
{
    float *sums[4] = {&d[0], &d[1], &d[2], &d[3]};
    emu_mma<T>(sums, a, b, c);
}
#endif
/* 16 elements of K of 16 * RS rows. */
template <int STRIDE, int RS>
INLINE void read_rows_of(uint32_t (&a)[RS][4], const char *x)
{
    const int lane = threadIdx.x % 32;
    _Pragma("unroll")
    for (int r = 0; r < RS; r++)
        read_tiles(a[r], x + (r * 16 + lane % 16) * STRIDE + lane / 16 * 16);
}
/* Those times 8 * CS rows of w: lane l gets of rows l / 4 and l / 4 + 8 of each 16 the
 * columns l % 4 * 2 and the next, of each 8. */
template <typename T, int STRIDE, int RS, int CS>
INLINE void multiply_rows(float (&sum)[RS][CS][4], const uint32_t (&a)[RS][4],
                          const char *w)
{
    const int lane = threadIdx.x % 32;
    uint32_t b[4];
    _Pragma("unroll")
    for (int c = 0; c < CS; c += 2) {
        read_tiles(b, w + (c * 8 + lane % 8 + lane / 16 * 8) * STRIDE + lane / 8 % 2 * 16);
        _Pragma("unroll")
        for (int r = 0; r < RS; r++) {
            multiply(T(), sum[r][c], a[r], b[0], b[1]);
            if (c + 1 < CS)
                multiply(T(), sum[r][c + 1], a[r], b[2], b[3]);
        }
    }
}
template <typename T, int STRIDE, int RS, int CS>
INLINE void multiply_tile(float (&sum)[RS][CS][4], const char *x, const char *w)
{
    uint32_t a[RS][4];
    read_rows_of<STRIDE>(a, x);
    multiply_rows<T, STRIDE>(sum, a, w);
}
/* As many of ROWS rows as there are, of their first `units` times 16 bytes. */
template <int ROWS, int UNITS, int STRIDE, int THREADS, typename T>
INLINE void fetch_part(char *to, const T *from, int64_t step, int rows, int units)
{
    _Pragma("unroll 8")
    for (int k = 0; k < (ROWS * UNITS + THREADS - 1) / THREADS; k++) {
        const int i = k * THREADS + threadIdx.x, row = i / UNITS, unit = i % UNITS;
        if (row < ROWS && row < rows && unit < units)
            copy_async<8>((Vec<T, 8> *)(to + row * STRIDE + unit * 16),
                from + row * step + unit * 8);
    }
}
/* The same through registers: known behind the next barrier. */
template <int ROWS, int UNITS, int STRIDE, int THREADS, typename T>
INLINE void read_part(char *to, const T *from, int64_t step, int rows)
{
    const int EACH = (ROWS * UNITS + THREADS - 1) / THREADS, ONCE = 12;
    for (int k = 0; k < EACH; k += ONCE) {
        Vec<T, 8> x[ONCE];
        _Pragma("unroll")
        for (int j = 0; j < ONCE; j++) {
            const int i = (k + j) * THREADS + threadIdx.x, row = i / UNITS;
            if (row < ROWS && row < rows)
                x[j] = load<8>(from + row * step + i % UNITS * 8);
        }
        _Pragma("unroll")
        for (int j = 0; j < ONCE; j++) {
            const int i = (k + j) * THREADS + threadIdx.x, row = i / UNITS;
            if (row < ROWS && row < rows)
                *(Vec<T, 8> *)(to + row * STRIDE + i % UNITS * 16) = x[j];
        }
    }
}
#endif
/* A warp computes a row of t17. */
INLINE void kernel0_row(const bf16 *in0, const bf16 *in1, 
    bf16 *out0, int *error)
{
    int &bad = *error;
    const int t = threadIdx.x % 32, row = 0;
    const int i0 = row;
    Vec<bf16, 8> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        const int i1 = c * 8;
        a0[k] = load<8>(in0 + 256 * i0 + i1);
    }
    float acc3 = 0;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        const int i1 = c * 8;
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // x
            const float v1 = (float)v0; // t0
            const float v2 = (float)v1;
            acc3 += v2;
        }
    }
    acc3 = fold_lanes<Sum, 32>(acc3);
    float acc8 = 0;
    const float v3 = (float)acc3;
    const float v4 = v3 / 256.0f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        const int i1 = c * 8;
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // x
            const float v1 = (float)v0; // t0
            const float v2 = (float)v1;
            const float v7 = (v2 - v4) * (v2 - v4);
            acc8 += v7;
        }
    }
    acc8 = fold_lanes<Sum, 32>(acc8);
    const float v5 = (float)v4; // t2
    const float v8 = (float)acc8;
    const float v9 = v8 / 256.0f;
    const float v10 = (float)v9; // t1
    const float v12 = 9.99999975e-06f;
    const float v13 = v10 + v12; // t5
    const float v14 = rsqrt_f(v13); // t6
    const float v22 = 0.100000001f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = t + k * 32;
        const int i1 = c * 8;
        const Vec<bf16, 8> a16 = load<8>(in1 + i1);
        float b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k], j); // x
            const float v1 = (float)v0; // t0
            const float v6 = v1 - v5; // t8
            const float v15 = v6 * v14; // t10
            const float v16 = get(a16, j); // g
            const float v17 = (float)v16; // t11
            const float v18 = v15 * v17; // t13
            const float v19 = round_bf16((float)v18); // h
            const float v20 = (float)v19; // t15
            const float v23 = v20 * v22; // t16
            b0[j] = v23;
        }
        store<8>(out0 + 256 * i0 + i1, b0);
    }
}
// 40 rows times a weight of 5003 rows: 3 x 79 tiles of 16 x 64, 237 blocks
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const bf16 *__restrict__ in0, // x: cpu bf16[40, 256]
    const bf16 *__restrict__ in1, // g: cpu bf16[256]
    const bf16 *__restrict__ in2, // w: cpu bf16[5003, 256]
    const bf16 *__restrict__ in3, // b: cpu bf16[5003]
    bf16 *__restrict__ out0, // t18: cpu bf16[40, 5003]
    int *error)
{
    int &bad = *error;
    SHARED_POOL(pool);
    const int M = 40, N = 5003, K = 256, ROWS = 16, COLUMNS = 64;
    const int STRIDE = 528, EACH = (ROWS * COLUMNS / 4 + 255) / 256;
    const int top = blockIdx.x % 3 * ROWS;
    const int first = blockIdx.x / 3 * COLUMNS;
    char *const xs = pool + COLUMNS * STRIDE;
    fetch<1, 32, 0, 0, 256>(pool + 42240, in1, 1);
    fetch_part<COLUMNS, K / 8, STRIDE, 256>(pool, in2 + (int64_t)first * K, K,
        N - first, K / 8);
    Vec<bf16, 4> e3[EACH];
    _Pragma("unroll")
    for (int e = 0; e < EACH; e++) {
        const int i = e * 256 + threadIdx.x;
        const int row = i < ROWS * COLUMNS / 4 ? top + i / (COLUMNS / 4) : M;
        const int at = first + i % (COLUMNS / 4) * 4;
        for (int j = 0; j < 4; j++)
            if (row < M && at + j < N)
                e3[e].x[j] = in3[at + j];
    }
    wait_for_earlier();
    let_later_begin();
    fetch_part<ROWS, K / 8, STRIDE, 256>(xs, in0 + top * K, K, M - top, K / 8);
    copies_done();
    __syncthreads();
    _Pragma("unroll 1")
    for (int r = threadIdx.x / 32; r < ROWS && top + r < M; r += 8) {
        bf16 *const x = (bf16 *)(xs + r * STRIDE);
        kernel0_row(x, (const bf16 *)(pool + 42240), x, error);
    }
    __syncthreads();
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float sum[ROWS / 16][COLUMNS / 8][4] = {};
    _Pragma("unroll 2")
    for (int k = warp * 16; k < K; k += 128)
        multiply_tile<bf16, STRIDE>(sum, xs + k * 2, pool + k * 2);
    __syncthreads();
    const int LINE = COLUMNS + 8, PART = ROWS * LINE;
    float *const parts = (float *)pool;
    _Pragma("unroll")
    for (int r = 0; r < ROWS / 8; r++)
        _Pragma("unroll")
        for (int c = 0; c < COLUMNS / 8; c++) {
            float *const to = parts + warp * PART + (r * 8 + lane / 4) * LINE +
                              c * 8 + lane % 4 * 2;
            to[0] = sum[r / 2][c][r % 2 * 2];
            to[1] = sum[r / 2][c][r % 2 * 2 + 1];
        }
    __syncthreads();
    float total[EACH][4];
    _Pragma("unroll")
    for (int e = 0; e < EACH; e++) {
        const int i = e * 256 + threadIdx.x, n = i < ROWS * COLUMNS / 4 ? i : 0;
        const float *const from = parts + n / (COLUMNS / 4) * LINE +
                                  n % (COLUMNS / 4) * 4;
        Vec<float, 4> sums[8];
        _Pragma("unroll")
        for (int w = 0; w < 8; w++)
            sums[w] = load<4>(from + w * PART);
        _Pragma("unroll")
        for (int j = 0; j < 4; j++) {
            total[e][j] = sums[0].x[j];
            _Pragma("unroll")
            for (int w = 1; w < 8; w++)
                total[e][j] += sums[w].x[j];
        }
    }
    _Pragma("unroll")
    for (int e = 0; e < EACH; e++) {
        const int i = e * 256 + threadIdx.x;
        const int row = i < ROWS * COLUMNS / 4 ? top + i / (COLUMNS / 4) : M;
        const int at = first + i % (COLUMNS / 4) * 4;
        if (row >= M || at >= N)
            continue;
        Vec<bf16, 4> r5;
        _Pragma("unroll")
        for (int j = 0; j < 4; j++) {
            const float s3 = get(e3[e].x[j]);
            const float v5 = round_bf16(total[e][j] + s3); // t18
            set(r5.x[j], v5);
        }
        for (int j = 0; j < 4 && at + j < N; j++)
            out0[row * N + at + j] = r5.x[j];
    }
}

