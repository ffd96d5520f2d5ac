// a map: 19 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const f16 *__restrict__ in0, // x: cpu f16[12, 3200]
    f16 *__restrict__ out0, // t2: cpu f16[12, 3200]
    int *error)
{
    int &bad = *error;
    wait_for_earlier();
    let_later_begin();
    Vec<f16, 8> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 4800)
            break;
        const int i1 = c * 8;
        a0[k] = load<8>(in0 + i1);
    }
    const float v3 = 0.0199999996f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 4800)
            break;
        const int i1 = c * 8;
        float b0[8];
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            const float v0 = get(a0[k].x[j]); // x
            const float v1 = (float)v0; // t0
            const float v4 = v1 * v3; // t1
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
#ifndef BAND
#define BAND
#ifdef __CUDA_ARCH__
/* All blocks of the cluster are here, and what they wrote into their shared memory. */
INLINE void cluster_barrier()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
/* What another block of the cluster has at the same place of its shared memory. */
INLINE void of_block(float (&to)[4], const float *p, int rank)
{
    const uint32_t here = (uint32_t)__cvta_generic_to_shared(p);
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
    asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
        : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3]) : "r"(there));
}
INLINE void read_tiles(uint32_t (&r)[4], const char *p)
{
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(p);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}
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
#endif
/* 16 rows of x times 16 rows of w, over 16 of K: lane l gets of rows l / 4 and l / 4 + 8
 * the columns l % 4 * 2 and the next, of each half of the columns. */
template <typename T, int STRIDE>
INLINE void multiply_16(float (&low)[4], float (&high)[4], const char *x, const char *w)
{
    const int lane = threadIdx.x % 32;
#ifdef __CUDA_ARCH__
    uint32_t a[4], b[4];
    read_tiles(a, x + lane % 16 * STRIDE + lane / 16 * 16);
    read_tiles(b, w + (lane % 8 + lane / 16 * 8) * STRIDE + lane / 8 % 2 * 16);
    multiply(T(), low, a, b[0], b[1]);
    multiply(T(), high, a, b[2], b[3]);
#else
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 16; k++) {
            const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
            const float a = get(((const T *)(x + row * STRIDE))[k]);
            low[i] += a * get(((const T *)(w + column * STRIDE))[k]);
            high[i] += a * get(((const T *)(w + (column + 8) * STRIDE))[k]);
        }
#endif
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
#endif
// 12 rows times a weight of 64 rows: 1 tiles, K in 8 parts
extern "C" __global__ void __cluster_dims__(8, 1, 1) __launch_bounds__(256)
kernel1(
    const f16 *__restrict__ in0, // t2: cpu f16[12, 3200]
    const f16 *__restrict__ in1, // w: cpu f16[64, 3200]
    f16 *__restrict__ out0, // t4: cpu f16[12, 64]
    int *error)
{
    int &bad = *error;
    SHARED_POOL(pool);
    const int M = 12, N = 64, K = 3200, ROWS = 32, COLUMNS = 64;
    const int SPLITS = 8, PART = 208, STRIDE = 432;
    const int EACH = (M * COLUMNS / 4 + SPLITS * 256 - 1) / (SPLITS * 256);
    const int split = blockIdx.x % SPLITS;
    const int first = blockIdx.x / SPLITS * COLUMNS;
    const int begin = K / 16 * split / SPLITS * 16;
    const int end = K / 16 * (split + 1) / SPLITS * 16;
    int at = begin, mine = end - begin < PART ? end - begin : PART;
    char *const xs = pool + COLUMNS * STRIDE;
    fetch_part<COLUMNS, PART / 8, STRIDE, 256>(pool, in1 + (int64_t)first * K + at, K, N - first, mine / 8);
    wait_for_earlier();
    let_later_begin();
    const int warp = threadIdx.x / 32, down = warp % (ROWS / 16) * 16;
    const int ACROSS = COLUMNS * ROWS / 128, across = warp / (ROWS / 16) * ACROSS;
    float sum[ACROSS / 8][4] = {};
    for (; at < end; at += PART) {
        mine = end - at < PART ? end - at : PART;
        if (at > begin) {
            __syncthreads();
            fetch_part<COLUMNS, PART / 8, STRIDE, 256>(pool, in1 + (int64_t)first * K + at, K, N - first, mine / 8);
        }
        fetch_part<ROWS, PART / 8, STRIDE, 256>(xs, in0 + at, K, M, mine / 8);
        copies_done();
        __syncthreads();
        _Pragma("unroll 4")
        for (int k = 0; k < mine; k += 16)
            _Pragma("unroll")
            for (int c = 0; c < ACROSS; c += 16)
                multiply_16<f16, STRIDE>(sum[c / 8], sum[c / 8 + 1],
                    xs + down * STRIDE + k * 2,
                    pool + (across + c) * STRIDE + k * 2);
    }
    __syncthreads();
    float *const parts = (float *)pool;
    const int LINE = COLUMNS + 8, lane = threadIdx.x % 32;
    _Pragma("unroll")
    for (int c = 0; c < ACROSS / 8; c++)
        _Pragma("unroll")
        for (int i = 0; i < 4; i++)
            parts[(down + lane / 4 + i / 2 * 8) * LINE + across + c * 8 +
                  lane % 4 * 2 + i % 2] = sum[c][i];
    cluster_barrier();
    float total[EACH][4];
    _Pragma("unroll")
    for (int e = 0; e < EACH; e++) {
        const int i = (e * SPLITS + split) * 256 + threadIdx.x;
        const int n = i < ROWS * COLUMNS / 4 ? i : 0;
        const float *const p = &parts[n / (COLUMNS / 4) * LINE + n % (COLUMNS / 4) * 4];
        float part[SPLITS][4];
        _Pragma("unroll")
        for (int k = 0; k < SPLITS; k++)
            of_block(part[k], p, k);
        _Pragma("unroll")
        for (int j = 0; j < 4; j++) {
            total[e][j] = part[0][j];
            _Pragma("unroll")
            for (int k = 1; k < SPLITS; k++)
                total[e][j] += part[k][j];
        }
    }
    _Pragma("unroll")
    for (int e = 0; e < EACH; e++) {
        const int i = (e * SPLITS + split) * 256 + threadIdx.x;
        const int row = i / (COLUMNS / 4);
        const int at = first + i % (COLUMNS / 4) * 4;
        if (row >= M || at >= N)
            continue;
        Vec<f16, 4> r3;
        _Pragma("unroll")
        for (int j = 0; j < 4; j++) {
            const float v2 = round_f16(total[e][j]); // t3
            const float v3 = max_nan_f(v2, 0.0f); // t4
            set(r3.x[j], v3);
        }
        *(Vec<f16, 4> *)(out0 + row * N + at) = r3;
    }
    cluster_barrier(); // nobody leaves whose memory is still read
}

