/*
 * strip.c - one product of up to 64 rows, and what stands behind it, with no way through shared
 * memory for the rows: for programs of small batches, whose kernels wait more than they work.
 *
 * A block has some rows of the batch and some of the weight; its warps share K in units of 32. The
 * order of K within a unit is free as long as both operands agree, so a thread reads 16 bytes of a
 * row and has what the tensor core wants of it for two steps. Rows of the batch go straight into
 * registers; the weight is there before the launch before this one ends and waits in shared
 * memory, where each thread reads back what it copied, so there is no barrier before the sums of
 * the warps meet. Where K is long, the blocks of a cluster have a share of it each, and send their
 * sums to the block that owns the row.
 */
#include "product.h"

#include "cuda.h"

#include <math.h>
#include <stdio.h>

enum {
    THREADS = 256,
    WARPS = THREADS / 32,
    UNIT = 32,           /* of K: four threads with 16 bytes each */
    PIECE = THREADS * 16, /* bytes of shared memory for a unit of 8 rows of the weight, all warps */
    MOST_ROWS = 64,
    MOST_REGISTERS = 100, /* for rows and sums: two blocks fit into a multiprocessor */
    MOST_SCHEDULES = 6,
};

typedef struct Strip {
    const Products *p;
    const GenOptions *o;
    StrBuf *out;
    int64_t rows, columns; /* of a block */
    int64_t splits;        /* blocks of a cluster, which share K */
    int64_t bands, tiles;  /* blocks, times splits */
    int64_t units;         /* of K */
    int64_t turns;         /* units of a warp, at most */
    int64_t got;           /* where sums of other blocks come to, in shared memory */
    int64_t shared;
    bool early; /* the weight is fetched before the launch before this one ends */
} Strip;

static const uint8_t row_counts[] = {16, 32, 64}, column_counts[] = {8, 16, 24, 32, 48, 64},
                     split_counts[] = {1, 2, 4, 8};

enum {
    SHAPES = ARRAY_LEN(row_counts) * ARRAY_LEN(column_counts) * ARRAY_LEN(split_counts),
};

static int64_t ceil_div(int64_t n, int64_t by)
{
    return (n + by - 1) / by;
}

static Strip strip_of(const Products *p, uint32_t shape)
{
    const Segment *s = &p->segments[0];
    Strip b = {.p = p, .units = s->k / UNIT};
    b.splits = split_counts[shape % ARRAY_LEN(split_counts)];
    shape /= ARRAY_LEN(split_counts);
    b.columns = column_counts[shape % ARRAY_LEN(column_counts)];
    b.rows = row_counts[shape / ARRAY_LEN(column_counts)];
    b.bands = ceil_div(p->rows, b.rows);
    b.tiles = ceil_div(s->n, b.columns);
    b.turns = ceil_div(ceil_div(b.units, b.splits), WARPS);
    int64_t slots = b.columns / 8 * b.turns * PIECE;
    int64_t parts = WARPS * b.rows * (b.columns + 8) * 4;
    b.got = slots > parts ? slots : parts;
    b.shared = b.got + (b.splits > 1 ? b.rows * b.columns * 4 : 0);
    return b;
}

static bool shape_fits(const Strip *b, const GenTarget *g)
{
    int64_t registers = b->rows / 2 * b->turns + b->rows * b->columns / 32;
    bool beside = 2 * (b->shared + 1024) <= g->shared_max + 1024;
    return registers <= MOST_REGISTERS && beside && b->rows < b->p->rows + 16 &&
           (b->splits == 1 || (g->arch >= 90 && b->units >= b->splits * WARPS));
}

/* Of a launch whose beginning is hidden: its edge; rows from the level-2 cache; the weight, which
 * comes while the launch before this one runs, from memory once and to each band of blocks;
 * products; sums of warps, and of a cluster; once for each wave of blocks. */
static double seconds_of(const Strip *b, const GenTarget *g)
{
    const Segment *s = &b->p->segments[0];
    double blocks = (double)(b->bands * b->tiles * b->splits), sms = (double)g->sms;
    double k = (double)s->k / (double)b->splits, rows = (double)b->rows;
    double columns = (double)b->columns, waves = ceil(blocks / sms);
    double late = 0.5e-6 + 2 * rows * k / 2e11 + 2 * rows * k * blocks / 2e13;
    double weight = 2 * (double)s->n * (double)s->k;
    double early = weight / 3.5e12 + weight * (double)(b->bands - 1) / 5.5e12 - 1.2e-6;
    double work = rows * columns * k / (512 * 1.7e9) + rows * columns * WARPS / (24 * 1.7e9);
    double cluster = b->splits > 1 ? 0.8e-6 : 0;
    return 0.9e-6 + waves * (late + work) + cluster + (early > 0 ? early : 0);
}

/* The shape with that place among those that fit, by estimate; false when there are fewer. */
static bool plan_strip(const Products *p, const GenTarget *g, uint32_t schedule, Strip *out)
{
    bool taken[SHAPES] = {0};
    for (uint32_t turn = 0; turn <= schedule; turn++) {
        int best = -1;
        for (uint32_t i = 0; i < SHAPES; i++) {
            Strip b = strip_of(p, i);
            if (!taken[i] && shape_fits(&b, g) &&
                (best < 0 || seconds_of(&b, g) < seconds_of(out, g))) {
                best = (int)i;
                *out = b;
            }
        }
        if (best < 0)
            return false;
        taken[best] = true;
    }
    return true;
}

bool strip_fits(const Products *p, const GenTarget *g, StrBuf *why)
{
    const Segment *s = &p->segments[0];
    DType d = item_dtype(p, s->right);
    Strip b;
    if (p->n != 1 || s->columns || p->rows > MOST_ROWS || (d != DT_bf16 && d != DT_f16))
        sb_printf(why, "takes one product of at most %d rows of bf16 or f16 with a weight's rows",
                  MOST_ROWS);
    else if (s->k % UNIT)
        sb_printf(why, "takes rows of a multiple of %d elements", UNIT);
    else if (!plan_strip(p, g, 0, &b))
        sb_puts(why, "rows of that length do not fit into registers");
    else
        return true;
    return false;
}

double strip_seconds(const Products *p, const GenTarget *g)
{
    Strip b;
    return plan_strip(p, g, 0, &b) ? seconds_of(&b, g) : INFINITY;
}

uint32_t strip_schedules(const Products *p, const GenTarget *g)
{
    uint32_t n = 0;
    Strip b;
    while (n < MOST_SCHEDULES && plan_strip(p, g, n, &b))
        n++;
    return n;
}

/* ---------------------------------------------------------------------------------------- text */

static const char helpers[] =
    "#ifndef STRIP\n#define STRIP\n"
    "typedef Vec<uint32_t, 4> Quad;\n"
    "/* From the level-2 cache: what an earlier launch wrote, while this one ran already. */\n"
    "INLINE Quad read_late(const void *p)\n{\n"
    "#ifdef __CUDA_ARCH__\n"
    "    Quad q;\n"
    "    asm volatile(\"ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];\"\n"
    "        : \"=r\"(q.x[0]), \"=r\"(q.x[1]), \"=r\"(q.x[2]), \"=r\"(q.x[3]) : \"l\"(p)\n"
    "        : \"memory\");\n"
    "    return q;\n"
    "#else\n    return load<4>((const uint32_t *)p);\n#endif\n"
    "}\n"
    "/* 16 rows a (and 8 further on), b: eight elements of K of each of four threads. */\n"
    "template <typename T>\n"
    "INLINE void multiply_unit(float (&sum)[4], const Quad &a, const Quad &b, const Quad &w)\n{\n"
    "    const uint32_t low[4] = {a.x[0], b.x[0], a.x[1], b.x[1]};\n"
    "    const uint32_t high[4] = {a.x[2], b.x[2], a.x[3], b.x[3]};\n"
    "    multiply(T(), sum, low, w.x[0], w.x[1]);\n"
    "    multiply(T(), sum, high, w.x[2], w.x[3]);\n"
    "}\n"
    "/* The sum of what WARPS warps have of four results. */\n"
    "template <int WARPS> INLINE Vec<float, 4> add_parts(const float *from, int step)\n{\n"
    "    Vec<float, 4> part[WARPS], sum;\n"
    "    _Pragma(\"unroll\")\n"
    "    for (int w = 0; w < WARPS; w++)\n"
    "        part[w] = load<4>(from + w * step);\n"
    "    sum = part[0];\n"
    "    _Pragma(\"unroll\")\n"
    "    for (int w = 1; w < WARPS; w++)\n"
    "        _Pragma(\"unroll\")\n"
    "        for (int j = 0; j < 4; j++)\n"
    "            sum.x[j] += part[w].x[j];\n"
    "    return sum;\n"
    "}\n"
    "#endif\n";

static const char place[] =
    "        const int i = e * 256 + threadIdx.x;\n"
    "        const int row = i < OWN * COLUMNS / 4 ? top + split * OWN + i / (COLUMNS / 4) : M;\n"
    "        const int at = first + i % (COLUMNS / 4) * 4;\n";

static void print_opening(const Strip *b, const char *symbol, GenCuda *plan)
{
    const Segment *s = &b->p->segments[0];
    sb_printf(b->out,
              "// %lld rows times a weight of %lld rows: %lld x %lld tiles of %lld x %lld, K in "
              "%lld parts\n", (long long)b->p->rows, (long long)s->n, (long long)b->bands,
              (long long)b->tiles, (long long)b->rows, (long long)b->columns, (long long)b->splits);
    GenLaunch l = {.grid = {(uint32_t)(b->bands * b->tiles * b->splits), 1, 1},
                   .block = {THREADS, 1, 1}, .shared = (uint32_t)b->shared,
                   .cluster = (uint32_t)b->splits, .beside = 2, .early = true};
    products_open_kernel(b->p, symbol, l, plan, b->out);
    sb_printf(b->out,
              "    SHARED_POOL(pool);\n"
              "    const int M = %lld, N = %lld, K = %lld, ROWS = %lld, COLUMNS = %lld;\n"
              "    const int SPLITS = %lld, TURNS = %lld, OWN = ROWS / SPLITS;\n"
              "    const int EACH = (OWN * COLUMNS / 4 + 255) / 256;\n"
              "    const int split = blockIdx.x %% SPLITS, tile = blockIdx.x / SPLITS;\n"
              "    const int top = tile %% %lld * ROWS, first = tile / %lld * COLUMNS;\n"
              "    const int warp = threadIdx.x / 32, lane = threadIdx.x %% 32;\n"
              "    const int begin = %lld * split / SPLITS, end = %lld * (split + 1) / SPLITS;\n"
              "    const int place = (begin + warp) * %d + lane %% 4 * 8;\n"
              "    Quad *const slots = (Quad *)pool + threadIdx.x;\n",
              (long long)b->p->rows, (long long)s->n, (long long)s->k, (long long)b->rows,
              (long long)b->columns, (long long)b->splits, (long long)b->turns,
              (long long)b->bands, (long long)b->bands, (long long)b->units, (long long)b->units,
              UNIT);
}

/* The condition of a unit that not all warps have; units of a warp are WARPS apart. */
static const char *ragged(const Strip *b)
{
    return b->units % (b->splits * WARPS) ? "begin + warp + u * 8 < end" : NULL;
}

static void print_weight_fetch(const Strip *b)
{
    const Segment *s = &b->p->segments[0];
    const char *if_there = ragged(b);
    sb_puts(b->out, "    _Pragma(\"unroll\")\n"
                    "    for (int n = 0; n < COLUMNS / 8; n++)\n"
                    "        _Pragma(\"unroll\")\n"
                    "        for (int u = 0; u < TURNS; u++)\n");
    if (if_there || s->n % b->columns)
        sb_printf(b->out, "            if (%s%s%s)\n", if_there ? if_there : "",
                  if_there && s->n % b->columns ? " && " : "",
                  s->n % b->columns ? "first + n * 8 + lane / 4 < N" : "");
    sb_printf(b->out,
              "            copy_async<8>((Vec<%s, 8> *)(slots + (n * TURNS + u) * %d),\n"
              "                in%u + (int64_t)(first + n * 8 + lane / 4) * K + place + u * %d);\n",
              cuda_storage(item_dtype(b->p, s->right)), THREADS, item_input(b->p, s->right),
              UNIT * WARPS);
}

/* Rows behind the last one are that one again; nobody stores what comes of them. */
static void print_rows(const Strip *b)
{
    const Segment *s = &b->p->segments[0];
    const char *if_there = ragged(b);
    bool whole = b->p->rows % b->rows == 0;
    sb_printf(b->out,
              "    Quad x[ROWS / 8][TURNS];\n"
              "    _Pragma(\"unroll\")\n"
              "    for (int r = 0; r < ROWS / 8; r++) {\n"
              "        const int row = top + r * 8 + lane / 4;\n"
              "        _Pragma(\"unroll\")\n"
              "        for (int u = 0; u < TURNS; u++)\n");
    if (if_there)
        sb_printf(b->out, "            if (%s)\n    ", if_there);
    sb_printf(b->out, "            x[r][u] = read_late(in%u + %s * K + place + u * %d);\n    }\n",
              item_input(b->p, s->left), whole ? "row" : "(row < M ? row : M - 1)", UNIT * WARPS);
}

static void print_multiply(const Strip *b, const char *type)
{
    const char *if_there = ragged(b);
    sb_puts(b->out, "    copies_done();\n"
                    "    float sum[ROWS / 16][COLUMNS / 8][4] = {};\n"
                    "    _Pragma(\"unroll\")\n"
                    "    for (int u = 0; u < TURNS; u++) {\n");
    if (if_there)
        sb_printf(b->out, "        if (!(%s))\n            break;\n", if_there);
    sb_printf(b->out,
              "        _Pragma(\"unroll\")\n"
              "        for (int n = 0; n < COLUMNS / 8; n++) {\n"
              "            const Quad w = slots[(n * TURNS + u) * %d];\n"
              "            _Pragma(\"unroll\")\n"
              "            for (int r = 0; r < ROWS / 16; r++)\n"
              "                multiply_unit<%s>(sum[r][n], x[2 * r][u], x[2 * r + 1][u], w);\n"
              "        }\n    }\n"
              "    __syncthreads();\n", THREADS, type);
    sb_puts(b->out,
            "    const int LINE = COLUMNS + 8, PART = ROWS * LINE;\n"
            "    float *const parts = (float *)pool; // where the weight was\n"
            "    _Pragma(\"unroll\")\n"
            "    for (int r = 0; r < ROWS / 8; r++)\n"
            "        _Pragma(\"unroll\")\n"
            "        for (int n = 0; n < COLUMNS / 8; n++) {\n"
            "            const float (&d)[4] = sum[r / 2][n];\n"
            "            Vec<float, 2> two;\n"
            "            two.x[0] = d[r % 2 * 2];\n"
            "            two.x[1] = d[r % 2 * 2 + 1];\n"
            "            *(Vec<float, 2> *)(parts + warp * PART + (r * 8 + lane / 4) * LINE +\n"
            "                               n * 8 + lane % 4 * 2) = two;\n"
            "        }\n"
            "    __syncthreads();\n");
}

/* Sums of all warps go to the owners of their rows, and are added there. */
static void print_shared_sums(const Strip *b)
{
    sb_printf(b->out,
              "    float *const got = (float *)(pool + %lld); // [SPLITS][OWN][COLUMNS]\n"
              "    cluster_is_here();\n"
              "    _Pragma(\"unroll\")\n"
              "    for (int i = threadIdx.x; i < ROWS * COLUMNS / 4; i += %d) {\n"
              "        const int row = i / (COLUMNS / 4), at = i %% (COLUMNS / 4) * 4;\n"
              "        const Vec<float, 4> s = add_parts<%d>(parts + row * LINE + at, PART);\n"
              "        float *const to = got + (split * OWN + row %% OWN) * COLUMNS + at;\n"
              "        to_block(to, row / OWN, s.x[0], s.x[1]);\n"
              "        to_block(to + 2, row / OWN, s.x[2], s.x[3]);\n"
              "    }\n"
              "    cluster_arrives();\n"
              "    cluster_is_here();\n", (long long)b->got, THREADS, WARPS);
}

static void print_sums(const Strip *b)
{
    if (b->splits > 1)
        print_shared_sums(b);
    sb_printf(b->out,
              "    float total[EACH][4];\n"
              "    _Pragma(\"unroll\")\n"
              "    for (int e = 0; e < EACH; e++) {\n"
              "        const int i = e * %d + threadIdx.x, n = i < OWN * COLUMNS / 4 ? i : 0;\n",
              THREADS);
    if (b->splits > 1)
        sb_puts(b->out, "        const Vec<float, 4> s = add_parts<SPLITS>(got + n * 4, OWN * "
                        "COLUMNS);\n");
    else
        sb_printf(b->out, "        const Vec<float, 4> s = add_parts<%d>(parts + n / (COLUMNS / 4) "
                          "* LINE +\n"
                          "                                              n %% (COLUMNS / 4) * 4, "
                          "PART);\n", WARPS);
    sb_puts(b->out, "        _Pragma(\"unroll\")\n"
                    "        for (int j = 0; j < 4; j++)\n"
                    "            total[e][j] = s.x[j];\n"
                    "    }\n");
}

void strip_print(const Products *p, const GenOptions *o, const GenTarget *g, uint32_t schedule,
                 const char *symbol, GenCuda *plan, StrBuf *out)
{
    const Segment *s = &p->segments[0];
    Strip b;
    if (!plan_strip(p, g, schedule, &b))
        plan_strip(p, g, 0, &b);
    b.early = item_is_early(p, s->right);
    b.o = o;
    b.out = out;
    TileEnd end = {p, o, place, out};
    tile_print_helpers(out);
    tile_print_cluster(out);
    sb_puts(out, helpers);
    print_opening(&b, symbol, plan);
    if (b.splits > 1)
        sb_puts(out, "    cluster_arrives();\n");
    if (!b.early)
        sb_puts(out, "    wait_for_earlier();\n");
    print_weight_fetch(&b);
    tile_print_sides(&end, true);
    if (b.early)
        sb_puts(out, "    wait_for_earlier();\n");
    sb_puts(out, "    let_later_begin();\n");
    print_rows(&b);
    tile_print_sides(&end, false);
    print_multiply(&b, cuda_storage(item_dtype(p, s->right)));
    print_sums(&b);
    tile_print_end(&end);
    sb_puts(out, "}\n");
}
