// a map: 6 x 1 blocks of 256 threads
extern "C" __global__ void __launch_bounds__(256)
kernel0(
    const bf16 *__restrict__ in0, // x: cpu bf16[40, 288]
    bf16 *__restrict__ out0, // t2: cpu bf16[40, 288]
    int *error)
{
    int &bad = *error;
    let_later_begin();
    wait_for_earlier();
    Vec<bf16, 8> a0[1];
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 1440)
            break;
        const int i1 = c * 8;
        a0[k] = load<8>(in0 + i1);
    }
    const float v3 = 0.100000001f;
    #pragma unroll
    for (int k = 0; k < 1; k++) {
        const int c = blockIdx.x * (int)256 + threadIdx.x + k * 256;
        if (c >= 1440)
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
#ifndef CLUSTER
#define CLUSTER
#ifdef __CUDA_ARCH__
/* A barrier of all blocks of the cluster in two parts: behind it the others have begun, and
 * what they wrote before is seen. */
INLINE void cluster_arrives()
{
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
INLINE void cluster_is_here()
{
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
/* Writes into the shared memory of another block of the cluster, at the same place. */
INLINE void to_block(float *p, int rank, float a, float b)
{
    const uint32_t here = (uint32_t)__cvta_generic_to_shared(p);
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
    asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};"
        :: "r"(there), "f"(a), "f"(b) : "memory");
}
#endif
#endif
#ifndef STRIP
#define STRIP
typedef Vec<uint32_t, 4> Quad;
/* From the level-2 cache: what an earlier launch wrote, while this one ran already. */
INLINE Quad read_late(const void *p)
{
#ifdef __CUDA_ARCH__
    Quad q;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(q.x[0]), "=r"(q.x[1]), "=r"(q.x[2]), "=r"(q.x[3]) : "l"(p)
        : "memory");
    return q;
#else
    return load<4>((const uint32_t *)p);
#endif
}
/* 16 rows a (and 8 further on), b: eight elements of K of each of four threads. */
template <typename T>
INLINE void multiply_unit(float (&sum)[4], const Quad &a, const Quad &b, const Quad &w)
{
    const uint32_t low[4] = {a.x[0], b.x[0], a.x[1], b.x[1]};
    const uint32_t high[4] = {a.x[2], b.x[2], a.x[3], b.x[3]};
    multiply(T(), sum, low, w.x[0], w.x[1]);
    multiply(T(), sum, high, w.x[2], w.x[3]);
}
/* TURNS units of N times 8 rows of the weight, one in eight: each thread what it reads
 * back. rows, units: how many there are. */
template <int N, int TURNS, typename T>
INLINE void fetch_strip(Quad *slots, const T *from, int64_t step, int rows, int units)
{
    _Pragma("unroll")
    for (int n = 0; n < N; n++)
        _Pragma("unroll")
        for (int u = 0; u < TURNS; u++)
            if (n * 8 < rows && u * 8 < units)
                copy_async<8>((Vec<T, 8> *)(slots + (n * TURNS + u) * 32),
                    from + n * 8 * step + u * 256);
}
template <typename T, int RS, int NS, int TURNS>
INLINE void multiply_strip(float (&sum)[RS / 2][NS][4], const Quad (&x)[RS][TURNS],
                           const Quad *slots, int units)
{
    _Pragma("unroll")
    for (int u = 0; u < TURNS; u++) {
        if (u * 8 >= units)
            break;
        _Pragma("unroll")
        for (int n = 0; n < NS; n++) {
            const Quad w = slots[(n * TURNS + u) * 32];
            _Pragma("unroll")
            for (int r = 0; r < RS; r += 2)
                multiply_unit<T>(sum[r / 2][n], x[r][u], x[r + 1][u], w);
        }
    }
}
/* What a warp has of the tile, to rows of LINE elements. */
template <int LINE, int RS, int NS>
INLINE void store_strip(float *to, const float (&sum)[RS][NS][4])
{
    const int lane = threadIdx.x % 32;
    _Pragma("unroll")
    for (int r = 0; r < 2 * RS; r++)
        _Pragma("unroll")
        for (int n = 0; n < NS; n++) {
            Vec<float, 2> two;
            two.x[0] = sum[r / 2][n][r % 2 * 2];
            two.x[1] = sum[r / 2][n][r % 2 * 2 + 1];
            *(Vec<float, 2> *)(to + (r * 8 + lane / 4) * LINE + n * 8 + lane % 4 * 2) = two;
        }
}
/* Four results into the shared memory of another block of the cluster. */
INLINE void to_block(float *p, int rank, const Vec<float, 4> &v)
{
#ifdef __CUDA_ARCH__
    const uint32_t here = (uint32_t)__cvta_generic_to_shared(p);
    uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
    asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" :: "r"(there),
        "f"(v.x[0]), "f"(v.x[1]), "f"(v.x[2]), "f"(v.x[3]) : "memory");
#else
    to_block(p, rank, v.x[0], v.x[1]);
    to_block(p + 2, rank, v.x[2], v.x[3]);
#endif
}
/* The sum of what WARPS warps have of four results. */
template <int WARPS> INLINE Vec<float, 4> add_parts(const float *from, int step)
{
    Vec<float, 4> part[WARPS], sum;
    _Pragma("unroll")
    for (int w = 0; w < WARPS; w++)
        part[w] = load<4>(from + w * step);
    sum = part[0];
    _Pragma("unroll")
    for (int w = 1; w < WARPS; w++)
        _Pragma("unroll")
        for (int j = 0; j < 4; j++)
            sum.x[j] += part[w].x[j];
    return sum;
}
#endif
// 40 rows times a weight of 4603 rows: 3 x 83 tiles of 16 x 56, K in 1 parts
extern "C" __global__ void __launch_bounds__(256, 2)
kernel1(
    const bf16 *__restrict__ in0, // t2: cpu bf16[40, 288]
    const bf16 *__restrict__ in1, // w: cpu bf16[4603, 288]
    const bf16 *__restrict__ in2, // b: cpu bf16[4603]
    bf16 *__restrict__ out0, // t3: cpu bf16[40, 4603]
    int *error)
{
    int &bad = *error;
    SHARED_POOL(pool);
    const int M = 40, N = 4603, K = 288, ROWS = 16, COLUMNS = 56;
    const int TURNS = 2, SPLITS = 1, OWN = ROWS / SPLITS;
    const int EACH = (OWN * COLUMNS / 4 + 255) / 256;
    const int LINE = 56, PART = 1792;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int split = blockIdx.x % SPLITS, tile = blockIdx.x / SPLITS;
    const int top = tile % 3 * ROWS, first = tile / 3 * COLUMNS;
    const int begin = 9 * split / SPLITS + warp;
    const int place = begin * 32 + lane % 4 * 8;
    const int units = 9 * (split + 1) / SPLITS - begin;
    Quad *const slots = (Quad *)pool + warp * 448 + lane;
    fetch_strip<COLUMNS / 8, TURNS>(slots, in1 + (first + lane / 4) * (int64_t)K + place, K,
        N - first - lane / 4, units);
    Vec<bf16, 4> e2[EACH];
    _Pragma("unroll")
    for (int e = 0; e < EACH; e++) {
        const int i = e * 256 + threadIdx.x;
        const int row = i < OWN * COLUMNS / 4 ? top + split * OWN + i / (COLUMNS / 4) : M;
        const int at = first + i % (COLUMNS / 4) * 4;
        for (int j = 0; j < 4; j++)
            if (row < M && at + j < N)
                e2[e].x[j] = in2[at + j];
    }
    wait_for_earlier();
    let_later_begin();
    Quad x[ROWS / 8][TURNS];
    _Pragma("unroll")
    for (int r = 0; r < ROWS / 8; r++) {
        const int row = top + r * 8 + lane / 4;
        _Pragma("unroll")
        for (int u = 0; u < TURNS; u++)
            if (u * 8 < units)
                x[r][u] = read_late(in0 + (row < M ? row : M - 1) * K + place + u * 256);
    }
    copies_done();
    float sum[ROWS / 16][COLUMNS / 8][4] = {};
    multiply_strip<bf16>(sum, x, slots, units);
    float *const parts = (float *)pool; // where the warp's weight was
    __syncwarp();
    store_strip<LINE>(parts + warp * PART, sum);
    __syncthreads();
    float total[EACH][4];
    _Pragma("unroll")
    for (int e = 0; e < EACH; e++) {
        const int i = e * 256 + threadIdx.x, n = i < OWN * COLUMNS / 4 ? i : 0;
        const Vec<float, 4> s = add_parts<8>(parts + n / (COLUMNS / 4) * LINE +
                                              n % (COLUMNS / 4) * 4, PART);
        _Pragma("unroll")
        for (int j = 0; j < 4; j++)
            total[e][j] = s.x[j];
    }
    _Pragma("unroll")
    for (int e = 0; e < EACH; e++) {
        const int i = e * 256 + threadIdx.x;
        const int row = i < OWN * COLUMNS / 4 ? top + split * OWN + i / (COLUMNS / 4) : M;
        const int at = first + i % (COLUMNS / 4) * 4;
        if (row >= M || at >= N)
            continue;
        Vec<bf16, 4> r3;
        _Pragma("unroll")
        for (int j = 0; j < 4; j++) {
            const float s2 = get(e2[e].x[j]);
            const float v3 = round_bf16(total[e][j] + s2); // t3
            set(r3.x[j], v3);
        }
        for (int j = 0; j < 4 && at + j < N; j++)
            out0[row * N + at + j] = r3.x[j];
    }
}

