/*
 * skinny.c - one product of few rows with a large weight, and what stands behind it.
 *
 * The weight is read once and everything else is small, so bytes in flight decide. A warp has W
 * rows of the weight; its lanes read 16 bytes each, side by side, several reads ahead of the
 * products. Where there are too few rows of the weight for all multiprocessors, S warps of a
 * block share each row. Sums are folded over lanes, then over the warps in order: the same result
 * every time.
 */
#include "product.h"

#include "cuda.h"

#include <math.h>
#include <stdio.h>

enum { THREADS = 256, WARPS = THREADS / 32, UNIT = 16, MOST_ROWS = 8, REGISTERS = 96 };

typedef struct Skinny {
    const Products *p;
    const GenOptions *o;
    StrBuf *out;
    int64_t rows, columns; /* of the batch; rows of the weight that a warp has */
    int64_t shares;        /* warps that share them */
    int64_t ahead;         /* reads of each row under way at once */
    int64_t blocks;
} Skinny;

static const struct {
    uint8_t columns, shares; /* 0 = as many as fill the GPU */
} schedules[] = {{1, 0}, {2, 0}, {4, 0}, {2, 1}, {1, 1}, {4, 1}, {2, 4}, {1, 4}, {1, 8}};

bool skinny_fits(const Products *p, const GenTarget *g, StrBuf *why)
{
    (void)g;
    const Segment *s = &p->segments[0];
    int64_t line = s->k * dtype_info[item_dtype(p, s->right)].bytes;
    if (p->n != 1 || s->columns || p->rows > MOST_ROWS)
        sb_printf(why, "takes one product of at most %d rows with a weight's rows", MOST_ROWS);
    else if (line % UNIT)
        sb_printf(why, "a row of the weight has %lld bytes, no multiple of 16", (long long)line);
    else
        return true;
    return false;
}

/* As many warps share a row as have two reads a lane: many small blocks, whose reads overlap. */
static Skinny plan_skinny(const Products *p, const GenTarget *g, uint32_t schedule)
{
    const Segment *s = &p->segments[0];
    Skinny k = {.p = p, .rows = p->rows, .columns = schedules[schedule].columns,
                .shares = schedules[schedule].shares};
    int64_t units = s->k * dtype_info[item_dtype(p, s->right)].bytes / UNIT;
    (void)g;
    if (k.shares == 0)
        for (k.shares = 1; k.shares < WARPS && units >= 2 * 64 * k.shares;)
            k.shares *= 2;
    k.ahead = REGISTERS / (4 * (k.columns + k.rows));
    k.ahead = k.ahead < 1 ? 1 : k.ahead > 8 ? 8 : k.ahead;
    int64_t turns = (units + 32 * k.shares - 1) / (32 * k.shares);
    k.ahead = k.ahead > turns ? turns : k.ahead;
    int64_t block = k.columns * WARPS / k.shares;
    k.blocks = (s->n + block - 1) / block;
    return k;
}

uint32_t skinny_schedules(const Products *p, const GenTarget *g)
{
    (void)p;
    (void)g;
    return ARRAY_LEN(schedules);
}

double skinny_seconds(const Products *p, const GenTarget *g)
{
    const Segment *s = &p->segments[0];
    double bytes = dtype_info[item_dtype(p, s->right)].bytes, launch = 2e-6, bandwidth = 3.8e12;
    double elements = (double)s->n * (double)s->k;
    double work = elements * (double)(p->rows + 2) / ((double)g->sms * 128 * 1.7e9);
    double moved = bytes * elements / bandwidth;
    return launch + (moved > work ? moved : work);
}

static const char helpers[] =
    "#ifndef SKINNY\n#define SKINNY\n"
    "/* What is read once does not take the place of what is read again. */\n"
    "template <int N, typename T> INLINE Vec<T, N> load_once(const T *p)\n{\n"
    "#ifdef __CUDA_ARCH__\n"
    "    union { uint32_t u[4]; Vec<T, N> v; } x;\n"
    "    asm volatile(\"ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];\"\n"
    "        : \"=r\"(x.u[0]), \"=r\"(x.u[1]), \"=r\"(x.u[2]), \"=r\"(x.u[3]) : \"l\"(p));\n"
    "    return x.v;\n"
    "#else\n    return load<N>(p);\n#endif\n}\n"
    "/* Products of M rows of x with the W rows of w from `first` on (the last one again where\n"
    " * there are no more), over this lane's part of K, A reads of each row at once. An early\n"
    " * weight is there before earlier launches have ended. */\n"
    "template <int M, int W, int SHARES, int A, int K, int N, bool EARLY, typename T>\n"
    "INLINE void dot_lanes(float (&sum)[W][M], const T *w, const T *x, int first, int share)\n{\n"
    "    const int V = 16 / sizeof(T), STEP = 32 * SHARES, TURNS = (K / V + STEP - 1) / STEP;\n"
    "    const bool EVEN = K / V % STEP == 0 && TURNS % A == 0;\n"
    "    const int lane = share * 32 + threadIdx.x % 32;\n"
    "    int row[W];\n"
    "    for (int c = 0; c < W; c++)\n"
    "        row[c] = first + c < N ? first + c : N - 1;\n"
    "    for (int turn = 0; turn < TURNS; turn += A) {\n"
    "        Vec<T, V> a[A][W], b[A][M];\n"
    "        _Pragma(\"unroll\")\n"
    "        for (int i = 0; i < A; i++) {\n"
    "            const int at = ((turn + i) * STEP + lane) * V;\n"
    "            _Pragma(\"unroll\")\n"
    "            for (int c = 0; c < W; c++)\n"
    "                if (EVEN || at < K)\n"
    "                    a[i][c] = load_once<V>(w + (int64_t)row[c] * K + at);\n"
    "        }\n"
    "        if (EARLY && turn == 0)\n"
    "            wait_for_earlier();\n"
    "        _Pragma(\"unroll\")\n"
    "        for (int i = 0; i < A; i++) {\n"
    "            const int at = ((turn + i) * STEP + lane) * V;\n"
    "            _Pragma(\"unroll\")\n"
    "            for (int m = 0; m < M; m++)\n"
    "                if (EVEN || at < K)\n"
    "                    b[i][m] = load<V>(x + (int64_t)m * K + at);\n"
    "        }\n"
    "        _Pragma(\"unroll\")\n"
    "        for (int i = 0; i < A; i++) {\n"
    "            if (!EVEN && ((turn + i) * STEP + lane) * V >= K)\n"
    "                continue;\n"
    "            _Pragma(\"unroll\")\n"
    "            for (int j = 0; j < V; j++)\n"
    "                _Pragma(\"unroll\")\n"
    "                for (int c = 0; c < W; c++)\n"
    "                    _Pragma(\"unroll\")\n"
    "                    for (int m = 0; m < M; m++)\n"
    "                        sum[c][m] += get(a[i][c].x[j]) * get(b[i][m].x[j]);\n"
    "        }\n    }\n}\n"
    "#endif\n";

/* Sums over lanes and warps; then a thread for each result. */
static void print_end(const Skinny *k)
{
    const Products *p = k->p;
    sb_printf(k->out, "    __shared__ float parts[SHARES][%lld][W * M];\n"
                      "    _Pragma(\"unroll\")\n"
                      "    for (int i = 0; i < W * M; i++) {\n"
                      "        const float folded = fold_lanes<Sum, 32>(sum[i / M][i %% M]);\n"
                      "        if (threadIdx.x %% 32 == 0)\n"
                      "            parts[share][group][i] = folded;\n"
                      "    }\n"
                      "    __syncthreads();\n", (long long)(WARPS / k->shares));
    sb_printf(k->out, "    if (threadIdx.x >= %lld)\n        return;\n",
              (long long)(WARPS / k->shares * k->columns * k->rows));
    sb_puts(k->out, "    const int which = threadIdx.x / (W * M), i = threadIdx.x % (W * M);\n"
                    "    const int row = i % M, at = (blockIdx.x * GROUPS + which) * W + i / M;\n"
                    "    if (at >= N)\n        return;\n"
                    "    float total = parts[0][which][i];\n"
                    "    _Pragma(\"unroll\")\n"
                    "    for (int k = 1; k < SHARES; k++)\n"
                    "        total += parts[k][which][i];\n");
    products_print_sides(p, "    ", k->out);
    segment_print(p, 0, k->o, "total", "    ", k->out);
    products_print_results(p, "    ", k->out);
}

void skinny_print(const Products *p, const GenOptions *o, const GenTarget *g, uint32_t schedule,
                  const char *symbol, GenCuda *plan, StrBuf *out)
{
    const Segment *s = &p->segments[0];
    Skinny k = plan_skinny(p, g, schedule);
    k.o = o;
    k.out = out;
    sb_puts(out, helpers);
    sb_printf(out, "// %lld rows times a weight of %lld rows: %lld blocks of %d threads\n",
              (long long)k.rows, (long long)s->n, (long long)k.blocks, THREADS);
    GenLaunch l = {.grid = {(uint32_t)k.blocks, 1, 1}, .block = {THREADS, 1, 1},
                   .early = true};
    products_open_kernel(p, symbol, l, plan, out);
    bool early = item_is_early(p, s->right);
    sb_printf(out, "%s    let_later_begin();\n", early ? "" : "    wait_for_earlier();\n");
    sb_printf(out, "    const int M = %lld, W = %lld, SHARES = %lld, GROUPS = %lld, N = %lld;\n",
              (long long)k.rows, (long long)k.columns, (long long)k.shares,
              (long long)(WARPS / k.shares), (long long)s->n);
    sb_puts(out, "    const int warp = threadIdx.x / 32, share = warp % SHARES, group = warp / "
                 "SHARES;\n    float sum[W][M] = {};\n");
    sb_printf(out, "    dot_lanes<M, W, SHARES, %lld, %lld, N, %s>(sum, in%u, in%u,\n"
                   "        (blockIdx.x * GROUPS + group) * W, share);\n", (long long)k.ahead,
              (long long)s->k, early ? "true" : "false",
              item_input(p, s->right), item_input(p, s->left));
    print_end(&k);
    sb_puts(out, "}\n");
}
