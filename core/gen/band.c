/*
 * band.c - one product of up to 64 rows, and what stands behind it: for programs of small batches.
 *
 * Such a product is bound by reading its weight, and by waiting. A block has some rows of the
 * weight and a share of K, mostly so small that all of it is on its way at once; tensor cores
 * multiply.
 * The blocks that share a tile's K are a cluster: each owns some rows of the tile, gets what the
 * others have of these into its shared memory, adds that in order, and computes what stands behind.
 * The weight is there before the program begins, so it is fetched while the launch before this one
 * still runs.
 */
#include "product.h"

#include "cuda.h"

#include <math.h>
#include <stdio.h>

enum {
    THREADS = 256,
    STEP = 16,        /* of K, that one instruction takes */
    MOST_ROWS = 64,
    MOST_PART = 384,  /* of K, that a block has at once: two blocks fit into a multiprocessor */
    MOST_SPLITS = 8,  /* blocks of a cluster */
    PAD = 16,         /* bytes between rows in shared memory: rows begin in different banks */
};

typedef struct Band {
    const Products *p;
    const GenOptions *o;
    StrBuf *out;
    int64_t rows;    /* 32 or 64: rows of the batch, filled up */
    int64_t columns; /* of the result, that a block computes */
    int64_t tiles;   /* of the weight's rows */
    int64_t splits;  /* blocks that share a tile's K */
    int64_t part;    /* of K, that a block has in shared memory */
    int64_t turns;   /* parts of a block, one after another */
    int64_t stride;  /* bytes from row to row in shared memory */
    int64_t own;     /* rows of a tile that a block adds up */
    int64_t parts;   /* where what the blocks have of them comes to, in shared memory */
    int64_t shared;
    bool early;      /* the weight is fetched before the launch before this one ends */
} Band;

/* Columns of a block, and blocks that share K: 0 = as many as fill the GPU. */
static const struct {
    uint8_t columns, splits;
} schedules[] = {{64, 0}, {48, 0}, {32, 0}, {64, 1}, {64, 2}, {64, 3}, {64, 4}, {48, 4}, {32, 4}};

enum { BY_ESTIMATE = 3 }; /* the first of them are what estimates choose among */

static int64_t share_of(int64_t k, int64_t splits)
{
    return (k / STEP + splits - 1) / splits * STEP;
}

static Band band_of(const Products *p, const GenTarget *g, uint32_t schedule)
{
    const Segment *s = &p->segments[0];
    Band b = {.p = p, .rows = p->rows > 32 ? 64 : 32, .columns = schedules[schedule].columns};
    int64_t least = (s->k + MOST_PART - 1) / MOST_PART;
    b.columns = b.rows == 32 && b.columns == 48 ? 64 : b.columns; /* warps have 8 or 16 each */
    b.tiles = (s->n + b.columns - 1) / b.columns;
    b.splits = schedules[schedule].splits;
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
    b.own = (b.rows + b.splits - 1) / b.splits;
    b.parts = (b.columns + b.rows) * b.stride;
    b.shared = b.parts + b.splits * b.own * (b.columns + 8) * 4;
    return b;
}

/* Blocks that run at once, one on a multiprocessor: clusters of many blocks do not fill up the
 * groups of multiprocessors that they must lie in. */
static double at_once(const Band *b, const GenTarget *g)
{
    return (double)g->sms * (b->splits > 4 ? 0.75 : 1);
}

/* A launch whose beginning is hidden; of each wave of blocks the rows, the products and what is not
 * hidden of the weight's way; barriers of the cluster in the end. Measured in a layer of GPT, from
 * the end of the launch before: 5.3, 3.2, 6.3 and 5.0 us; this says 4.9, 4.0, 5.3 and 5.7. */
static double seconds_of(const Band *b, const GenTarget *g)
{
    double turns = ceil((double)(b->tiles * b->splits) / at_once(b, g)) * (double)b->turns;
    double rows = (double)b->rows, columns = (double)b->columns, part = (double)b->part;
    double rate = 1e11, late = 2 * rows * part / rate;
    double early = 2 * columns * part * turns / rate - 2e-6;
    double work = rows * columns * part / (512 * 1.7e9);
    return 2.6e-6 + (b->splits > 1 ? 0.8e-6 : 0) + turns * (late + work) + (early > 0 ? early : 0);
}

static Band plan_band(const Products *p, const GenTarget *g, uint32_t schedule)
{
    Band best = band_of(p, g, schedule);
    for (uint32_t i = 1; i < BY_ESTIMATE && schedule == 0; i++) {
        Band b = band_of(p, g, i);
        best = seconds_of(&b, g) < seconds_of(&best, g) ? b : best;
    }
    return best;
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

double band_seconds(const Products *p, const GenTarget *g)
{
    Band b = plan_band(p, g, 0);
    return seconds_of(&b, g);
}

static void print_fetch(const Band *b, bool weight)
{
    const Segment *s = &b->p->segments[0];
    uint32_t in = item_input(b->p, weight ? s->right : s->left);
    const char *rows = weight ? "COLUMNS" : "ROWS", *to = weight ? "pool" : "xs";
    const char *from = weight ? "(int64_t)first * K + " : "", *most = weight ? "N - first" : "M";
    sb_printf(b->out, "fetch_part<%s, PART / 8, STRIDE, %d>(%s, in%u + %sat, K, %s, mine / 8);\n",
              rows, THREADS, to, in, from, most);
}

/* What the blocks have of the tile goes to the owners of its rows, who add that up. */
static void print_parts(const Band *b)
{
    bool several = b->splits > 1;
    sb_printf(b->out,
              "    float *const parts = (float *)(pool + %lld); // [SPLITS][OWN][LINE]\n"
              "    const int LINE = COLUMNS + 8, lane = threadIdx.x %% 32;\n%s"
              "    _Pragma(\"unroll\")\n"
              "    for (int i = 0; i < 2; i++) {\n"
              "        const int row = down + i * 8 + lane / 4;\n"
              "        float *const to = parts + (split * OWN + row %% OWN) * LINE + across +\n"
              "                          lane %% 4 * 2;\n"
              "        _Pragma(\"unroll\")\n"
              "        for (int c = 0; c < ACROSS / 8; c++) {\n"
              "            const float x = sum[0][c][i * 2], y = sum[0][c][i * 2 + 1];\n"
              "%s        }\n    }\n%s",
              (long long)b->parts, several ? "    cluster_is_here();\n" : "",
              several ? "            to_block(to + c * 8, row / OWN, x, y);\n"
                      : "            to[c * 8] = x;\n            to[c * 8 + 1] = y;\n",
              several ? "    cluster_arrives();\n    cluster_is_here();\n"
                      : "    __syncthreads();\n");
    sb_puts(b->out,
            "    float total[EACH][4];\n"
            "    _Pragma(\"unroll\")\n"
            "    for (int e = 0; e < EACH; e++) {\n"
            "        const int i = e * 256 + threadIdx.x, n = i < OWN * COLUMNS / 4 ? i : 0;\n"
            "        const float *const from = parts + n / (COLUMNS / 4) * LINE +\n"
            "                                  n % (COLUMNS / 4) * 4;\n"
            "        Vec<float, 4> part[SPLITS];\n"
            "        _Pragma(\"unroll\")\n"
            "        for (int k = 0; k < SPLITS; k++)\n"
            "            part[k] = load<4>(from + k * OWN * LINE);\n"
            "        _Pragma(\"unroll\")\n"
            "        for (int j = 0; j < 4; j++) {\n"
            "            total[e][j] = part[0].x[j];\n"
            "            _Pragma(\"unroll\")\n"
            "            for (int k = 1; k < SPLITS; k++)\n"
            "                total[e][j] += part[k].x[j];\n"
            "        }\n    }\n");
}

/* What a block has of K, in parts; the first of the weight is on its way already. */
static void print_multiply(const Band *b, const char *type)
{
    sb_puts(b->out,
            "    const int warp = threadIdx.x / 32, down = warp % (ROWS / 16) * 16;\n"
            "    const int ACROSS = COLUMNS * ROWS / 128, across = warp / (ROWS / 16) * ACROSS;\n"
            "    float sum[1][ACROSS / 8][4] = {};\n");
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
    sb_puts(b->out, "        copies_done();\n        __syncthreads();\n");
    sb_printf(b->out,
              "        _Pragma(\"unroll 4\")\n"
              "        for (int k = 0; k < mine; k += 16)\n"
              "            multiply_tile<%s, STRIDE>(sum, xs + down * STRIDE + k * 2,\n"
              "                pool + across * STRIDE + k * 2);\n    }\n", type);
    print_parts(b);
}

static const char place[] =
    "        const int i = e * 256 + threadIdx.x;\n"
    "        const int row = i < OWN * COLUMNS / 4 ? split * OWN + i / (COLUMNS / 4) : M;\n"
    "        const int at = first + i % (COLUMNS / 4) * 4;\n";

void band_print(const Products *p, const GenOptions *o, const GenTarget *g, uint32_t schedule,
                const char *symbol, GenCuda *plan, StrBuf *out)
{
    const Segment *s = &p->segments[0];
    Band b = plan_band(p, g, schedule);
    const char *type = cuda_storage(item_dtype(p, s->right));
    b.early = item_is_early(p, s->right);
    b.o = o;
    b.out = out;
    TileEnd end = {p, o, place, out};
    tile_print_helpers(out);
    tile_print_cluster(out);
    sb_printf(out, "// %lld rows times a weight of %lld rows: %lld tiles, K in %lld parts\n",
              (long long)p->rows, (long long)s->n, (long long)b.tiles, (long long)b.splits);
    GenLaunch l = {.grid = {(uint32_t)(b.tiles * b.splits), 1, 1}, .block = {THREADS, 1, 1},
                   .shared = (uint32_t)b.shared, .cluster = (uint32_t)b.splits, .early = true};
    products_open_kernel(p, symbol, l, plan, out);
    sb_printf(out, "    SHARED_POOL(pool);\n"
                   "    const int M = %lld, N = %lld, K = %lld, ROWS = %lld, COLUMNS = %lld;\n"
                   "    const int SPLITS = %lld, PART = %lld, STRIDE = %lld, OWN = %lld;\n"
                   "    const int EACH = (OWN * COLUMNS / 4 + 255) / 256;\n",
              (long long)p->rows, (long long)s->n, (long long)s->k, (long long)b.rows,
              (long long)b.columns, (long long)b.splits, (long long)b.part, (long long)b.stride,
              (long long)b.own);
    sb_printf(out, "    const int split = blockIdx.x %% SPLITS;\n"
                   "    const int first = blockIdx.x / SPLITS * COLUMNS;\n"
                   "    const int begin = K / 16 * split / SPLITS * 16;\n"
                   "    const int end = K / 16 * (split + 1) / SPLITS * 16;\n"
                   "    %sint at = begin, mine = end - begin < PART ? end - begin : PART;\n"
                   "    char *const xs = pool + COLUMNS * STRIDE;\n",
              b.turns > 1 ? "" : "const ");
    if (b.splits > 1)
        sb_puts(out, "    cluster_arrives();\n");
    if (!b.early)
        sb_puts(out, "    wait_for_earlier();\n");
    sb_puts(out, "    ");
    print_fetch(&b, true);
    tile_print_sides(&end, true);
    if (b.early)
        sb_puts(out, "    wait_for_earlier();\n");
    sb_puts(out, "    let_later_begin();\n");
    tile_print_sides(&end, false);
    print_multiply(&b, type);
    tile_print_end(&end);
    sb_puts(out, "}\n");
}
