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
 *
 * Where the weight has many more rows than that, a block goes through several tiles of it: the rows
 * of the batch stay in registers, the next tiles are on their way, and the sums of a tile are added
 * while the next one is multiplied.
 */
#include "product.h"

#include "cuda.h"
#include "numbers.h"

#include <math.h>
#include <stdio.h>

enum {
    THREADS = 256,
    WARPS = THREADS / 32,
    UNIT = 32,           /* of K: four threads with 16 bytes each */
    PIECE = 32 * 16, /* bytes of shared memory for a unit of 8 rows of the weight */
    LEAST_ROWS = 9, /* fewer are for skinny.c */
    MOST_ROWS = 64,
    MOST_REGISTERS = 104, /* for rows and sums: two blocks fit into a multiprocessor */
    MOST_KEPT = 160,      /* the same where a block goes on: it has a multiprocessor for itself */
    MOST_STAGES = 5,      /* tiles in shared memory at once */
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
    int64_t stages;        /* tiles in shared memory at once; more than 1 = blocks go on */
    int64_t slot;          /* bytes of one */
    int64_t line;          /* elements from row to row of what a warp has of the tile */
    int64_t parts;         /* where sums of warps come to, in shared memory */
    int64_t part;          /* elements from one warp's to the next's */
    int64_t got;           /* where sums of other blocks come to */
    int64_t shared;
    bool early; /* the weight is fetched before the launch before this one ends */
} Strip;

static const uint8_t row_counts[] = {16, 32, 64}, column_counts[] = {8, 16, 24, 32, 48, 56, 64},
                     split_counts[] = {1, 2, 4, 8, 0}; /* 0: all of K, and blocks go on */

enum {
    SHAPES = ARRAY_LEN(row_counts) * ARRAY_LEN(column_counts) * ARRAY_LEN(split_counts),
};

/* Elements from row to row of a tile, so that four rows of four pairs meet no bank twice. */
static int64_t line_of(int64_t columns)
{
    return columns % 16 == 8 ? columns : columns + 8;
}

/* Sums of a warp come where its weight was, or beside it in turn when blocks go on. */
static Strip strip_of(const Products *p, const GenTarget *g, uint32_t shape)
{
    const Segment *s = &p->segments[0];
    Strip b = {.p = p, .units = s->k / UNIT, .stages = 1};
    uint8_t splits = split_counts[shape % ARRAY_LEN(split_counts)];
    shape /= ARRAY_LEN(split_counts);
    b.splits = splits ? splits : 1;
    b.columns = column_counts[shape % ARRAY_LEN(column_counts)];
    b.rows = row_counts[shape / ARRAY_LEN(column_counts)];
    b.bands = ceil_div(p->rows, b.rows);
    b.tiles = ceil_div(s->n, b.columns);
    b.turns = ceil_div(ceil_div(b.units, b.splits), WARPS);
    b.slot = WARPS * (b.columns / 8 * b.turns * PIECE);
    b.line = line_of(b.columns);
    b.part = b.rows * b.line;
    if (splits == 0) {
        int64_t both = 2 * WARPS * b.part * 4;
        b.stages = (g->shared_max - both) / b.slot;
        b.stages = b.stages > MOST_STAGES ? MOST_STAGES : b.stages;
        b.parts = b.stages * b.slot;
        b.shared = b.parts + both;
        return b;
    }
    b.part = b.slot / WARPS / 4 > b.part ? b.slot / WARPS / 4 : b.part;
    b.got = WARPS * b.part * 4;
    b.shared = b.got + (b.splits > 1 ? b.rows * b.columns * 4 : 0);
    return b;
}

static bool shape_fits(const Strip *b, bool goes_on, const GenTarget *g)
{
    int64_t registers = b->rows / 2 * b->turns + b->rows * b->columns / 32;
    if (b->rows >= b->p->rows + 16)
        return false;
    if (goes_on)
        return b->stages >= 3 && b->bands == 1 && b->tiles > 2 * (int64_t)g->sms &&
               registers <= MOST_KEPT;
    bool beside = 2 * (b->shared + 1024) <= g->shared_max + 1024;
    return registers <= MOST_REGISTERS && beside &&
           (b->splits == 1 || (g->arch >= 90 && b->units >= b->splits * WARPS));
}

/* Clusters whose blocks have a multiprocessor each, all at once: those of a cluster are neighbours,
 * so some multiprocessors are left over. Of 132, 28 clusters of four have, 32 have not. */
static double clusters_apart(const Strip *b, const GenTarget *g)
{
    return floor((double)g->sms * 7 / 8 / (double)b->splits);
}

/* Of a launch whose beginning is hidden: its edge; rows from the level-2 cache; the weight, which
 * comes while the launch before this one runs, from memory once and to each band of blocks;
 * products; sums of warps, and of a cluster; once for each wave of blocks. Blocks that go on read
 * the weight at the rate of memory, unless products, sums and a barrier a tile take longer.
 * Measured in a layer of GPT, from the end of the launch before: 3.3, 1.9, 4.1 and, of 32 clusters,
 * 5.9 us; this says 3.7, 1.8, 4.3 and 5.9. */
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
    bool shared = b->splits > 1 && (double)(b->bands * b->tiles) > clusters_apart(b, g);
    cluster += shared ? 0.8e-6 : 0; /* the two on one end later, and the launch with them */
    if (b->stages > 1) {
        double cycles = rows * columns * k / 1024 + rows * columns * WARPS / 16 + 400;
        double busy = ceil((double)b->tiles / sms) * cycles / 1.7e9, reads = weight / 3.5e12;
        return 3e-6 + (busy > reads ? busy : reads);
    }
    return 0.6e-6 + waves * (late + work) + cluster + (early > 0 ? early : 0);
}

/* The shape with that place among those that fit, by estimate, but that the second is of the other
 * kind, where both kinds fit; false when there are fewer. */
static bool plan_strip(const Products *p, const GenTarget *g, uint32_t schedule, Strip *out)
{
    bool taken[SHAPES] = {0}, goes_on = false;
    for (uint32_t turn = 0; turn <= schedule; turn++) {
        int best = -1;
        bool better = false; /* of the kind that is wanted */
        for (uint32_t i = 0; i < SHAPES; i++) {
            Strip b = strip_of(p, g, i);
            bool kind = split_counts[i % ARRAY_LEN(split_counts)] == 0;
            bool wanted = turn == 1 && kind != goes_on;
            if (taken[i] || !shape_fits(&b, kind, g) || better > wanted)
                continue;
            if (best < 0 || wanted > better || seconds_of(&b, g) < seconds_of(out, g)) {
                best = (int)i;
                better = wanted;
                *out = b;
            }
        }
        goes_on = turn == 0 && best >= 0 ? out->stages > 1 : goes_on;
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
    else if (p->rows < LEAST_ROWS)
        sb_printf(why, "takes at least %d rows", LEAST_ROWS);
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
    "/* TURNS units of N times 8 rows of the weight, one in eight: each thread what it reads\n"
    " * back. rows, units: how many there are. */\n"
    "template <int N, int TURNS, typename T>\n"
    "INLINE void fetch_strip(Quad *slots, const T *from, int64_t step, int rows, int units)\n{\n"
    "    _Pragma(\"unroll\")\n"
    "    for (int n = 0; n < N; n++)\n"
    "        _Pragma(\"unroll\")\n"
    "        for (int u = 0; u < TURNS; u++)\n"
    "            if (n * 8 < rows && u * 8 < units)\n"
    "                copy_async<8>((Vec<T, 8> *)(slots + (n * TURNS + u) * 32),\n"
    "                    from + n * 8 * step + u * 256);\n"
    "}\n"
    "template <typename T, int RS, int NS, int TURNS>\n"
    "INLINE void multiply_strip(float (&sum)[RS / 2][NS][4], const Quad (&x)[RS][TURNS],\n"
    "                           const Quad *slots, int units)\n{\n"
    "    _Pragma(\"unroll\")\n"
    "    for (int u = 0; u < TURNS; u++) {\n"
    "        if (u * 8 >= units)\n            break;\n"
    "        _Pragma(\"unroll\")\n"
    "        for (int n = 0; n < NS; n++) {\n"
    "            const Quad w = slots[(n * TURNS + u) * 32];\n"
    "            _Pragma(\"unroll\")\n"
    "            for (int r = 0; r < RS; r += 2)\n"
    "                multiply_unit<T>(sum[r / 2][n], x[r][u], x[r + 1][u], w);\n"
    "        }\n"
    "    }\n}\n"
    "/* What a warp has of the tile, to rows of LINE elements. */\n"
    "template <int LINE, int RS, int NS>\n"
    "INLINE void store_strip(float *to, const float (&sum)[RS][NS][4])\n{\n"
    "    const int lane = threadIdx.x % 32;\n"
    "    _Pragma(\"unroll\")\n"
    "    for (int r = 0; r < 2 * RS; r++)\n"
    "        _Pragma(\"unroll\")\n"
    "        for (int n = 0; n < NS; n++) {\n"
    "            Vec<float, 2> two;\n"
    "            two.x[0] = sum[r / 2][n][r % 2 * 2];\n"
    "            two.x[1] = sum[r / 2][n][r % 2 * 2 + 1];\n"
    "            *(Vec<float, 2> *)(to + (r * 8 + lane / 4) * LINE + n * 8 + lane % 4 * 2) = two;\n"
    "        }\n}\n"
    "/* Four results into the shared memory of another block of the cluster. */\n"
    "INLINE void to_block(float *p, int rank, const Vec<float, 4> &v)\n{\n"
    "#ifdef __CUDA_ARCH__\n"
    "    const uint32_t here = (uint32_t)__cvta_generic_to_shared(p);\n"
    "    uint32_t there;\n"
    "    asm volatile(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(there) : \"r\"(here), "
    "\"r\"(rank));\n"
    "    asm volatile(\"st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};\" :: \"r\"(there),\n"
    "        \"f\"(v.x[0]), \"f\"(v.x[1]), \"f\"(v.x[2]), \"f\"(v.x[3]) : \"memory\");\n"
    "#else\n"
    "    to_block(p, rank, v.x[0], v.x[1]);\n    to_block(p + 2, rank, v.x[2], v.x[3]);\n"
    "#endif\n}\n"
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

/* Two blocks of one launch on a multiprocessor end a microsecond later than those that have one to
 * themselves, and the launch with them. So a block asks for more than half of the memory, though a
 * block of another such launch does not fit beside it then. Clusters do not: theirs fits beside a
 * block that has more than half. Measured in layers of GPT: 22.0 us, 23.7 without, 24.5 when
 * clusters ask for it as well. */
static uint32_t asked_memory(const Strip *b, const GenTarget *g)
{
    int64_t half = (g->shared_max + 1024) / 2 - 1024;
    bool alone = g->arch >= 90 && b->splits == 1 && b->shared <= half;
    return (uint32_t)(alone ? half + 16 : b->shared);
}

static void print_opening(const Strip *b, const GenTarget *g, const char *symbol, GenCuda *plan)
{
    const Segment *s = &b->p->segments[0];
    bool goes_on = b->stages > 1;
    int64_t blocks = goes_on ? (int64_t)g->sms : b->bands * b->tiles * b->splits;
    sb_printf(b->out,
              "// %lld rows times a weight of %lld rows: %lld x %lld tiles of %lld x %lld, K in "
              "%lld parts\n", (long long)b->p->rows, (long long)s->n, (long long)b->bands,
              (long long)b->tiles, (long long)b->rows, (long long)b->columns, (long long)b->splits);
    GenLaunch l = {.grid = {(uint32_t)blocks, 1, 1}, .block = {THREADS, 1, 1},
                   .shared = asked_memory(b, g), .cluster = (uint32_t)b->splits,
                   .beside = goes_on ? 1 : 2, .early = true};
    products_open_kernel(b->p, symbol, l, plan, b->out);
    sb_printf(b->out,
              "    SHARED_POOL(pool);\n"
              "    const int M = %lld, N = %lld, K = %lld, ROWS = %lld, COLUMNS = %lld;\n"
              "    const int TURNS = %lld, SPLITS = %lld, OWN = ROWS / SPLITS;\n"
              "    const int EACH = (OWN * COLUMNS / 4 + 255) / 256;\n"
              "    const int LINE = %lld, PART = %lld;\n"
              "    const int warp = threadIdx.x / 32, lane = threadIdx.x %% 32;\n",
              (long long)b->p->rows, (long long)s->n, (long long)s->k, (long long)b->rows,
              (long long)b->columns, (long long)b->turns, (long long)b->splits,
              (long long)b->line, (long long)b->part);
    if (goes_on)
        sb_printf(b->out, "    const int STAGES = %lld, TILES = %lld, GRID = %lld;\n"
                          "    const int split = 0, top = 0;\n", (long long)b->stages,
                  (long long)b->tiles, (long long)blocks);
    else
        sb_printf(b->out,
                  "    const int split = blockIdx.x %% SPLITS, tile = blockIdx.x / SPLITS;\n"
                  "    const int top = tile %% %lld * ROWS, first = tile / %lld * COLUMNS;\n",
                  (long long)b->bands, (long long)b->bands);
    sb_printf(b->out, "    const int begin = %lld * split / SPLITS + warp;\n"
                      "    const int place = begin * %d + lane %% 4 * 8;\n", (long long)b->units,
              UNIT);
    if (b->units % (b->splits * WARPS))
        sb_printf(b->out, "    const int units = %lld * (split + 1) / SPLITS - begin;\n",
                  (long long)b->units);
    else
        sb_printf(b->out, "    const int units = TURNS * %d;\n", WARPS);
    sb_printf(b->out, "    Quad *const slots = (Quad *)pool + warp * %lld + lane;\n",
              (long long)(goes_on ? b->slot / WARPS / 16 : b->part / 4));
}

/* first: text of the tile's first row of the weight. */
static void print_fetch(const Strip *b, const char *slots, const char *first, StrBuf *out)
{
    const Segment *s = &b->p->segments[0];
    sb_printf(out, "fetch_strip<COLUMNS / 8, TURNS>(%s, in%u + (%s + lane / 4) * (int64_t)K + "
                      "place, K,\n        ", slots, item_input(b->p, s->right), first);
    if (s->n % b->columns)
        sb_printf(out, "N - %s - lane / 4, units);\n", first);
    else
        sb_puts(out, "COLUMNS, units);\n");
}

/* Rows behind the last one are that one again; nobody stores what comes of them. */
static void print_rows(const Strip *b)
{
    const Segment *s = &b->p->segments[0];
    bool whole = b->p->rows % b->rows == 0;
    sb_printf(b->out,
              "    Quad x[ROWS / 8][TURNS];\n"
              "    _Pragma(\"unroll\")\n"
              "    for (int r = 0; r < ROWS / 8; r++) {\n"
              "        const int row = top + r * 8 + lane / 4;\n"
              "        _Pragma(\"unroll\")\n"
              "        for (int u = 0; u < TURNS; u++)\n"
              "            if (u * 8 < units)\n"
              "                x[r][u] = read_late(in%u + %s * K + place + u * %d);\n    }\n",
              item_input(b->p, s->left), whole ? "row" : "(row < M ? row : M - 1)", UNIT * WARPS);
}

static void print_multiply(const Strip *b, const char *slots, StrBuf *out)
{
    sb_printf(out, "    float sum[ROWS / 16][COLUMNS / 8][4] = {};\n"
                   "    multiply_strip<%s>(sum, x, %s, units);\n",
              cuda_storage(item_dtype(b->p, b->p->segments[0].right)), slots);
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
              "        to_block(to, row / OWN, s);\n"
              "    }\n"
              "    cluster_arrives();\n"
              "    cluster_is_here();\n", (long long)b->got, THREADS, WARPS);
}

static void print_sums(const Strip *b, const char *parts, StrBuf *out)
{
    if (b->splits > 1)
        print_shared_sums(b);
    sb_printf(out,
              "    float total[EACH][4];\n"
              "    _Pragma(\"unroll\")\n"
              "    for (int e = 0; e < EACH; e++) {\n"
              "        const int i = e * %d + threadIdx.x, n = i < OWN * COLUMNS / 4 ? i : 0;\n",
              THREADS);
    if (b->splits > 1)
        sb_puts(out, "        const Vec<float, 4> s = add_parts<SPLITS>(got + n * 4, OWN * "
                        "COLUMNS);\n");
    else
        sb_printf(out, "        const Vec<float, 4> s = add_parts<%d>(%s + n / (COLUMNS / 4) "
                          "* LINE +\n"
                          "                                              n %% (COLUMNS / 4) * 4, "
                          "PART);\n", WARPS, parts);
    sb_puts(out, "        _Pragma(\"unroll\")\n"
                    "        for (int j = 0; j < 4; j++)\n"
                    "            total[e][j] = s.x[j];\n"
                    "    }\n");
}

static void print_tile(const Strip *b, const TileEnd *end)
{
    sb_puts(b->out, "    copies_done();\n");
    print_multiply(b, "slots", b->out);
    sb_puts(b->out, "    float *const parts = (float *)pool; // where the warp's weight was\n"
                    "    __syncwarp();\n"
                    "    store_strip<LINE>(parts + warp * PART, sum);\n"
                    "    __syncthreads();\n");
    print_sums(b, "parts", b->out);
    tile_print_end(end);
    sb_puts(b->out, "}\n");
}

/* Where the warps' sums of a turn come to; its weight is there, the next one asked for. */
static void print_turn_products(const Strip *b, StrBuf *out)
{
    sb_puts(out, "    arrived<STAGES - 2>();\n"
                 "    if (tile + (STAGES - 1) * GRID < TILES)\n        ");
    print_fetch(b, "slots + (turn + STAGES - 1) % STAGES * SLOT",
                "(tile + (STAGES - 1) * GRID) * COLUMNS", out);
    sb_puts(out, "    group_ends();\n");
    print_multiply(b, "slots + turn % STAGES * SLOT", out);
}

static void print_turn_store(StrBuf *out)
{
    sb_puts(out, "    store_strip<LINE>(parts + (turn % 2 * 8 + warp) * PART, sum);\n"
                 "    __syncthreads();\n");
}

/* The results of the tile at `first`, whose sums are in that half of parts. */
static void print_turn_end(const Strip *b, const char *half, StrBuf *out)
{
    TileEnd end = {b->p, b->o, place, out};
    tile_print_sides(&end, true);
    tile_print_sides(&end, false);
    sb_printf(out, "    const float *const from = parts + %s * 8 * PART;\n", half);
    print_sums(b, "from", out);
    tile_print_end(&end);
}

/* A turn is a tile of the weight. The sums of a tile are added while the next is multiplied; one
 * barrier a turn, since sums of the next go elsewhere. */
static void print_turns(const Strip *b)
{
    StrBuf text = {0};
    sb_printf(b->out, "    float *const parts = (float *)(pool + %lld);\n"
                      "    int tile = blockIdx.x, turn = 0;\n    {\n", (long long)b->parts);
    print_turn_products(b, &text);
    print_turn_store(&text);
    tile_print_indented(b->out, sb_str(&text));
    sb_clear(&text);
    sb_puts(b->out, "    }\n    while (tile + GRID < TILES) {\n"
                    "        const int first = tile * COLUMNS;\n"
                    "        tile += GRID;\n        turn++;\n");
    print_turn_products(b, &text);
    print_turn_end(b, "(turn + 1) % 2", &text);
    print_turn_store(&text);
    tile_print_indented(b->out, sb_str(&text));
    sb_free(&text);
    sb_puts(b->out, "    }\n    const int first = tile * COLUMNS;\n");
    print_turn_end(b, "turn % 2", b->out);
    sb_puts(b->out, "}\n");
}

/* The weight, or what fits of it, is asked for before the launch before this one has ended. */
static void print_first_fetch(const Strip *b)
{
    if (b->stages == 1) {
        sb_puts(b->out, "    ");
        print_fetch(b, "slots", "first", b->out);
        return;
    }
    sb_printf(b->out, "    const int SLOT = %lld;\n"
                      "    for (int s = 0; s < STAGES - 1; s++) {\n"
                      "        const int tile = blockIdx.x + s * GRID;\n"
                      "        if (tile < TILES)\n            ", (long long)b->slot / 16);
    print_fetch(b, "slots + s * SLOT", "tile * COLUMNS", b->out);
    sb_puts(b->out, "        group_ends();\n    }\n");
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
    print_opening(&b, g, symbol, plan);
    if (b.splits > 1)
        sb_puts(out, "    cluster_arrives();\n");
    if (!b.early)
        sb_puts(out, "    wait_for_earlier();\n");
    print_first_fetch(&b);
    if (b.stages == 1)
        tile_print_sides(&end, true);
    if (b.early)
        sb_puts(out, "    wait_for_earlier();\n");
    sb_puts(out, "    let_later_begin();\n");
    print_rows(&b);
    if (b.stages > 1) {
        print_turns(&b);
        return;
    }
    tile_print_sides(&end, false);
    print_tile(&b, &end);
}
