/*
 * band.c - one product of up to 64 rows, and what stands behind it: for programs of small batches.
 *
 * Such a product is bound by reading its weight, and by waiting. A block has 64 rows of the weight
 * and a share of K, mostly so small that all of it is on its way at once; tensor cores multiply.
 * The blocks that share a tile's K are a cluster: each adds up its part of the tile from the shared
 * memory of all of them, in order, and computes what stands behind. The weight is there before the
 * program begins, so it is fetched while the launch before this one still runs.
 */
#include "product.h"

#include "cuda.h"

#include <math.h>
#include <stdio.h>

enum {
    THREADS = 256,
    STEP = 16,        /* of K, that one instruction takes */
    MOST_ROWS = 64,
    COLUMNS = 64,     /* of the result, that a block computes */
    MOST_PART = 384,  /* of K, that a block has at once: two blocks fit into a multiprocessor */
    MOST_SPLITS = 8,  /* blocks of a cluster */
    PAD = 16,         /* bytes between rows in shared memory: rows begin in different banks */
};

typedef struct Band {
    const Products *p;
    const GenOptions *o;
    StrBuf *out;
    int64_t rows;    /* 32 or 64: rows of the batch, filled up */
    int64_t tiles;   /* of the weight's rows */
    int64_t splits;  /* blocks that share a tile's K */
    int64_t part;    /* of K, that a block has in shared memory */
    int64_t turns;   /* parts of a block, one after another */
    int64_t stride;  /* bytes from row to row in shared memory */
    int64_t shared;
    bool early;      /* the weight is fetched before the launch before this one ends */
} Band;

static const uint8_t schedules[] = {0, 1, 2, 3, 4, 6, 8}; /* splits; 0 = as many as fill the GPU */

static int64_t share_of(int64_t k, int64_t splits)
{
    return (k / STEP + splits - 1) / splits * STEP;
}

static Band plan_band(const Products *p, const GenTarget *g, uint32_t schedule)
{
    const Segment *s = &p->segments[0];
    Band b = {.p = p, .rows = p->rows > 32 ? 64 : 32, .tiles = (s->n + COLUMNS - 1) / COLUMNS};
    int64_t least = (s->k + MOST_PART - 1) / MOST_PART;
    b.splits = schedules[schedule];
    if (b.splits == 0)
        b.splits = (int64_t)g->sms / b.tiles;
    b.splits = b.splits < least ? least : b.splits;
    while (b.splits > least && share_of(s->k, b.splits) < 4 * STEP)
        b.splits--;
    b.splits = b.splits > MOST_SPLITS ? MOST_SPLITS : b.splits;
    b.splits = g->arch < 90 ? 1 : b.splits; /* no clusters of blocks */
    int64_t share = share_of(s->k, b.splits);
    b.turns = (share + MOST_PART - 1) / MOST_PART;
    b.part = share_of(share, b.turns);
    b.stride = b.part * 2 + PAD;
    b.shared = (COLUMNS + b.rows) * b.stride;
    int64_t sums = b.rows * (COLUMNS + 8) * 4;
    b.shared = b.shared > sums ? b.shared : sums;
    b.early = item_is_early(p, s->right);
    return b;
}

bool band_fits(const Products *p, const GenTarget *g, StrBuf *why)
{
    const Segment *s = &p->segments[0];
    DType d = item_dtype(p, s->right);
    (void)g;
    if (p->n != 1 || s->columns || p->rows > MOST_ROWS || (d != DT_bf16 && d != DT_f16))
        sb_printf(why, "takes one product of at most %d rows of bf16 or f16 with a weight's rows",
                  MOST_ROWS);
    else if (s->k % STEP)
        sb_printf(why, "takes rows of a multiple of %d elements", STEP);
    else
        return true;
    return false;
}

uint32_t band_schedules(const Products *p, const GenTarget *g)
{
    (void)p;
    (void)g;
    return ARRAY_LEN(schedules);
}

/* A launch whose beginning is hidden, then waves of blocks; a cluster's barrier in the end. */
double band_seconds(const Products *p, const GenTarget *g)
{
    const Segment *s = &p->segments[0];
    Band b = plan_band(p, g, 0);
    double waves = ceil((double)(b.tiles * b.splits) / (2 * g->sms));
    double bytes = 2 * (double)s->k * (double)(s->n + b.tiles * p->rows), bandwidth = 2.8e12;
    return 2.2e-6 + 1e-6 * ((double)b.turns * waves - 1) + bytes / bandwidth;
}

static const char helpers[] =
    "#ifndef BAND\n#define BAND\n"
    "#ifdef __CUDA_ARCH__\n"
    "/* All blocks of the cluster are here, and what they wrote into their shared memory. */\n"
    "INLINE void cluster_barrier()\n{\n"
    "    asm volatile(\"barrier.cluster.arrive.release.aligned;\\n\"\n"
    "                 \"barrier.cluster.wait.acquire.aligned;\" ::: \"memory\");\n}\n"
    "/* What another block of the cluster has at the same place of its shared memory. */\n"
    "INLINE void of_block(float (&to)[4], const float *p, int rank)\n{\n"
    "    const uint32_t here = (uint32_t)__cvta_generic_to_shared(p);\n"
    "    uint32_t there;\n"
    "    asm volatile(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(there) : \"r\"(here), "
    "\"r\"(rank));\n"
    "    asm volatile(\"ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];\"\n"
    "        : \"=f\"(to[0]), \"=f\"(to[1]), \"=f\"(to[2]), \"=f\"(to[3]) : \"r\"(there));\n"
    "}\n"
    "INLINE void read_tiles(uint32_t (&r)[4], const char *p)\n{\n"
    "    const uint32_t at = (uint32_t)__cvta_generic_to_shared(p);\n"
    "    asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\"\n"
    "        : \"=r\"(r[0]), \"=r\"(r[1]), \"=r\"(r[2]), \"=r\"(r[3]) : \"r\"(at) : \"memory\");\n"
    "}\n"
    "#define MULTIPLY(T, name) \\\n"
    "    INLINE void multiply(T, float (&d)[4], const uint32_t (&a)[4], uint32_t b, \\\n"
    "                         uint32_t c) \\\n"
    "    { \\\n"
    "        asm(\"mma.sync.aligned.m16n8k16.row.col.f32.\" name \".\" name \".f32 \" \\\n"
    "            \"{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\" \\\n"
    "            : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3]) \\\n"
    "            : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(b), \"r\"(c)); \\\n"
    "    }\n"
    "MULTIPLY(bf16, \"bf16\")\nMULTIPLY(f16, \"f16\")\n"
    "#endif\n"
    "/* 16 rows of x times 16 rows of w, over 16 of K: lane l gets of rows l / 4 and l / 4 + 8\n"
    " * the columns l % 4 * 2 and the next, of each half of the columns. */\n"
    "template <typename T, int STRIDE>\n"
    "INLINE void multiply_16(float (&low)[4], float (&high)[4], const char *x, const char *w)\n{\n"
    "    const int lane = threadIdx.x % 32;\n"
    "#ifdef __CUDA_ARCH__\n"
    "    uint32_t a[4], b[4];\n"
    "    read_tiles(a, x + lane % 16 * STRIDE + lane / 16 * 16);\n"
    "    read_tiles(b, w + (lane % 8 + lane / 16 * 8) * STRIDE + lane / 8 % 2 * 16);\n"
    "    multiply(T(), low, a, b[0], b[1]);\n"
    "    multiply(T(), high, a, b[2], b[3]);\n"
    "#else\n"
    "    for (int i = 0; i < 4; i++)\n"
    "        for (int k = 0; k < 16; k++) {\n"
    "            const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;\n"
    "            const float a = get(((const T *)(x + row * STRIDE))[k]);\n"
    "            low[i] += a * get(((const T *)(w + column * STRIDE))[k]);\n"
    "            high[i] += a * get(((const T *)(w + (column + 8) * STRIDE))[k]);\n"
    "        }\n"
    "#endif\n}\n"
    "/* As many of ROWS rows as there are, of their first `units` times 16 bytes. */\n"
    "template <int ROWS, int UNITS, int STRIDE, int THREADS, typename T>\n"
    "INLINE void fetch_part(char *to, const T *from, int64_t step, int rows, int units)\n{\n"
    "    _Pragma(\"unroll 8\")\n"
    "    for (int k = 0; k < (ROWS * UNITS + THREADS - 1) / THREADS; k++) {\n"
    "        const int i = k * THREADS + threadIdx.x, row = i / UNITS, unit = i % UNITS;\n"
    "        if (row < ROWS && row < rows && unit < units)\n"
    "            copy_async<8>((Vec<T, 8> *)(to + row * STRIDE + unit * 16),\n"
    "                from + row * step + unit * 8);\n"
    "    }\n}\n"
    "#endif\n";

static void print_fetch(const Band *b, bool weight)
{
    const Segment *s = &b->p->segments[0];
    uint32_t in = item_input(b->p, weight ? s->right : s->left);
    sb_printf(b->out, "fetch_part<%s, PART / 8, STRIDE, %d>(%s, in%u + %sat, K, %s, mine / 8);\n",
              weight ? "COLUMNS" : "ROWS", THREADS, weight ? "pool" : "xs", in,
              weight ? "(int64_t)first * K + " : "", weight ? "N - first" : "M");
}

/* What a block has of K, in parts; the first of the weight is on its way already. */
static void print_multiply(const Band *b, const char *type)
{
    sb_puts(b->out,
            "    const int warp = threadIdx.x / 32, down = warp % (ROWS / 16) * 16;\n"
            "    const int ACROSS = COLUMNS * ROWS / 128, across = warp / (ROWS / 16) * ACROSS;\n"
            "    float sum[ACROSS / 8][4] = {};\n");
    if (b->turns > 1) {
        sb_puts(b->out, "    for (; at < end; at += PART) {\n"
                        "        mine = end - at < PART ? end - at : PART;\n"
                        "        if (at > begin) {\n            __syncthreads();\n            ");
        print_fetch(b, true);
        sb_puts(b->out, "        }\n        ");
    } else {
        sb_puts(b->out, "    {\n        ");
    }
    print_fetch(b, false);
    sb_printf(b->out,
              "        copies_done();\n        __syncthreads();\n"
              "        _Pragma(\"unroll 4\")\n"
              "        for (int k = 0; k < mine; k += 16)\n"
              "            _Pragma(\"unroll\")\n"
              "            for (int c = 0; c < ACROSS; c += 16)\n"
              "                multiply_16<%s, STRIDE>(sum[c / 8], sum[c / 8 + 1],\n"
              "                    xs + down * STRIDE + k * 2,\n"
              "                    pool + (across + c) * STRIDE + k * 2);\n    }\n", type);
    sb_puts(b->out,
            "    __syncthreads();\n"
            "    float *const parts = (float *)pool;\n"
            "    const int LINE = COLUMNS + 8, lane = threadIdx.x % 32;\n"
            "    _Pragma(\"unroll\")\n"
            "    for (int c = 0; c < ACROSS / 8; c++)\n"
            "        _Pragma(\"unroll\")\n"
            "        for (int i = 0; i < 4; i++)\n"
            "            parts[(down + lane / 4 + i / 2 * 8) * LINE + across + c * 8 +\n"
            "                  lane % 4 * 2 + i % 2] = sum[c][i];\n");
}

/* The four results, side by side, that a thread has in turn e. */
static void print_place(const Band *b)
{
    sb_printf(b->out, "        const int i = (e * SPLITS + split) * %d + threadIdx.x;\n"
                      "        const int row = i / (COLUMNS / 4);\n"
                      "        const int at = first + i %% (COLUMNS / 4) * 4;\n", THREADS);
}

static const char *storage(const Band *b, uint32_t item)
{
    return cuda_storage(item_dtype(b->p, item));
}

/* What the members read of inputs, for each of the results that a thread will have: asked for
 * while the operands are on their way. Inputs of the program are there before earlier launches
 * have ended. */
static void print_sides(const Band *b, bool early)
{
    const Segment *s = &b->p->segments[0];
    for (uint32_t k = 0; k < s->nsides; k++) {
        const Side *d = &s->sides[k];
        uint32_t in = item_input(b->p, d->item);
        const char *from = d->kind == SIDE_line ? "at" : "row * N + at";
        if (item_is_early(b->p, d->item) != early)
            continue;
        if (d->kind == SIDE_number) {
            sb_printf(b->out, "    const %s s%u = get(in%u[0]);\n",
                      c_type(item_dtype(b->p, d->item)), d->item, in);
            continue;
        }
        sb_printf(b->out, "    Vec<%s, 4> e%u[EACH];\n    _Pragma(\"unroll\")\n"
                          "    for (int e = 0; e < EACH; e++) {\n", storage(b, d->item), d->item);
        print_place(b);
        if (s->n % 4 == 0)
            sb_printf(b->out, "        if (row < M && at < N)\n"
                              "            e%u[e] = load<4>(in%u + %s);\n    }\n", d->item, in,
                      from);
        else
            sb_printf(b->out, "        for (int j = 0; j < 4; j++)\n"
                              "            if (row < M && at + j < N)\n"
                              "                e%u[e].x[j] = in%u[%s + j];\n    }\n", d->item, in,
                      from);
    }
}

/* The sums of all blocks of the cluster, for all results of the thread at once. */
static void print_sums(const Band *b)
{
    bool several = b->splits > 1;
    sb_printf(b->out, "    %s;\n    float total[EACH][4];\n    _Pragma(\"unroll\")\n"
                      "    for (int e = 0; e < EACH; e++) {\n"
                      "        const int i = (e * SPLITS + split) * %d + threadIdx.x;\n"
                      "        const int n = i < ROWS * COLUMNS / 4 ? i : 0;\n"
                      "        const float *const p = &parts[n / (COLUMNS / 4) * LINE + n %% "
                      "(COLUMNS / 4) * 4];\n"
                      "        float part[SPLITS][4];\n"
                      "        _Pragma(\"unroll\")\n"
                      "        for (int k = 0; k < SPLITS; k++)\n"
                      "            %s;\n"
                      "        _Pragma(\"unroll\")\n"
                      "        for (int j = 0; j < 4; j++) {\n"
                      "            total[e][j] = part[0][j];\n"
                      "            _Pragma(\"unroll\")\n"
                      "            for (int k = 1; k < SPLITS; k++)\n"
                      "                total[e][j] += part[k][j];\n"
                      "        }\n    }\n",
              several ? "cluster_barrier()" : "__syncthreads()", THREADS,
              several ? "of_block(part[k], p, k)"
                      : "for (int j = 0; j < 4; j++)\n                part[k][j] = p[j]");
}

static void print_results(const Band *b)
{
    const Products *p = b->p;
    for (uint32_t i = 0; i < p->nitems; i++) {
        if (p->items[i].kind != ITEM_made || p->items[i].out < 0)
            continue;
        if (p->segments[0].n % 4 == 0)
            sb_printf(b->out, "        *(Vec<%s, 4> *)(out%d + row * N + at) = r%u;\n",
                      storage(b, i), p->items[i].out, i);
        else
            sb_printf(b->out, "        for (int j = 0; j < 4 && at + j < N; j++)\n"
                              "            out%d[row * N + at + j] = r%u.x[j];\n",
                      p->items[i].out, i);
    }
}

static void print_end(const Band *b)
{
    const Products *p = b->p;
    const Segment *s = &p->segments[0];
    sb_puts(b->out, "    _Pragma(\"unroll\")\n    for (int e = 0; e < EACH; e++) {\n");
    print_place(b);
    sb_puts(b->out, "        if (row >= M || at >= N)\n            continue;\n");
    for (uint32_t i = 0; i < p->nitems; i++)
        if (p->items[i].kind == ITEM_made && p->items[i].out >= 0)
            sb_printf(b->out, "        Vec<%s, 4> r%u;\n", storage(b, i), i);
    sb_puts(b->out, "        _Pragma(\"unroll\")\n        for (int j = 0; j < 4; j++) {\n");
    for (uint32_t k = 0; k < s->nsides; k++)
        if (s->sides[k].kind != SIDE_number)
            sb_printf(b->out, "            const %s s%u = get(e%u[e].x[j]);\n",
                      c_type(item_dtype(p, s->sides[k].item)), s->sides[k].item,
                      s->sides[k].item);
    segment_print(p, 0, b->o, "total[e][j]", "            ", b->out);
    for (uint32_t i = 0; i < p->nitems; i++)
        if (p->items[i].kind == ITEM_made && p->items[i].out >= 0)
            sb_printf(b->out, "            set(r%u.x[j], v%u);\n", i, i);
    sb_puts(b->out, "        }\n");
    print_results(b);
    sb_puts(b->out, "    }\n");
    if (b->splits > 1)
        sb_puts(b->out, "    cluster_barrier(); // nobody leaves whose memory is still read\n");
}

void band_print(const Products *p, const GenOptions *o, const GenTarget *g, uint32_t schedule,
                const char *symbol, GenCuda *plan, StrBuf *out)
{
    const Segment *s = &p->segments[0];
    Band b = plan_band(p, g, schedule);
    const char *type = cuda_storage(item_dtype(p, s->right));
    b.o = o;
    b.out = out;
    products_print_copies(out);
    sb_puts(out, helpers);
    sb_printf(out, "// %lld rows times a weight of %lld rows: %lld tiles, K in %lld parts\n",
              (long long)p->rows, (long long)s->n, (long long)b.tiles, (long long)b.splits);
    GenLaunch l = {.grid = {(uint32_t)(b.tiles * b.splits), 1, 1}, .block = {THREADS, 1, 1},
                   .shared = (uint32_t)b.shared, .cluster = (uint32_t)b.splits, .early = true};
    products_open_kernel(p, symbol, l, plan, out);
    sb_printf(out, "    SHARED_POOL(pool);\n"
                   "    const int M = %lld, N = %lld, K = %lld, ROWS = %lld, COLUMNS = %d;\n"
                   "    const int SPLITS = %lld, PART = %lld, STRIDE = %lld;\n"
                   "    const int EACH = (M * COLUMNS / 4 + SPLITS * 256 - 1) / (SPLITS * 256);\n",
              (long long)p->rows, (long long)s->n, (long long)s->k, (long long)b.rows, COLUMNS,
              (long long)b.splits, (long long)b.part, (long long)b.stride);
    sb_printf(out, "    const int split = blockIdx.x %% SPLITS;\n"
                   "    const int first = blockIdx.x / SPLITS * COLUMNS;\n"
                   "    const int begin = K / 16 * split / SPLITS * 16;\n"
                   "    const int end = K / 16 * (split + 1) / SPLITS * 16;\n"
                   "    %sint at = begin, mine = end - begin < PART ? end - begin : PART;\n"
                   "    char *const xs = pool + COLUMNS * STRIDE;\n",
              b.turns > 1 ? "" : "const ");
    if (!b.early)
        sb_puts(out, "    wait_for_earlier();\n");
    sb_puts(out, "    ");
    print_fetch(&b, true);
    print_sides(&b, true);
    if (b.early)
        sb_puts(out, "    wait_for_earlier();\n");
    sb_puts(out, "    let_later_begin();\n");
    print_sides(&b, false);
    print_multiply(&b, type);
    print_sums(&b);
    print_end(&b);
    sb_puts(out, "}\n");
}
