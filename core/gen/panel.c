/*
 * panel.c - one product of up to 64 rows by blocks that have all of K, and what stands before and
 * behind it: a norm of the rows, the product, what its result goes through.
 *
 * A block has some rows of the batch and some rows of the weight, whole, so no block waits for
 * another. The weight is there before the program begins and comes while the launch before this
 * one still runs; the rows come behind that, and where they are made by statements of their own
 * (the head), each warp makes some of them in place in shared memory. Every block does that again
 * for the rows it has, which costs less than a launch. The warps share K; their sums are added in
 * order.
 *
 * Where the weight has many more rows than that, a block goes through several tiles of it: the rows
 * of the batch stay in registers, the next tiles are on their way.
 */
#include "product.h"

#include "cuda.h"
#include "numbers.h"

#include <math.h>
#include <stdio.h>

enum {
    THREADS = 256,
    WARPS = THREADS / 32,
    STEP = 16,        /* of K, that one instruction takes */
    MOST_ROWS = 64,
    MOST_SUMS = 2048, /* of a block: 64 registers a thread */
    MOST_KEPT = 112,  /* registers for rows of the batch */
    MOST_STAGES = 6,  /* tiles in shared memory at once */
    PAD = 16,         /* bytes between rows in shared memory: rows begin in different banks */
};

/* Rows of the batch and of the weight that a block has at once; whether it goes on with more. */
static const struct {
    uint8_t rows, columns;
    bool goes_on;
} shapes[] = {{16, 16, false}, {16, 32, false}, {16, 48, false}, {16, 64, false}, {16, 96, false},
              {32, 16, false}, {32, 32, false}, {32, 48, false}, {32, 64, false}, {64, 16, false},
              {64, 32, false}, {16, 16, true},  {16, 32, true},  {32, 16, true},  {32, 32, true},
              {64, 16, true},  {64, 32, true}};

typedef struct Panel {
    const Products *p;
    const GenOptions *o;
    const GenTarget *g;
    StrBuf *out;
    int64_t rows, columns; /* of a block */
    int64_t bands, tiles;  /* blocks, unless they go on */
    int64_t stages;        /* tiles in shared memory at once; more than 1 = blocks go on */
    int64_t slots;         /* where those begin */
    int64_t stride;        /* bytes from row to row in shared memory */
    int64_t lines;         /* bytes behind it: lines that the head reads, fetched early */
    int64_t shared;
    bool early; /* the weight is fetched before the launch before this one ends */
} Panel;

/* How an input of the head lies beside the rows: a matrix of them, one line for all, a number. */
static bool head_side(const Products *p, ValueId v, SideKind *kind)
{
    const Type *type = &value_get(p->r->t, v)->type;
    int64_t last = type->rank ? type->shape[type->rank - 1] : 1, count = type_numel(type);
    *kind = count == 1 ? SIDE_number : count == last ? SIDE_line : SIDE_matrix;
    return count == 1 || (last == p->segments[0].k && (count == last || count == p->rows * last));
}

/* Bytes of shared memory for an input of the head that is fetched with the weight; 0 = none. */
static int64_t line_bytes(const Products *p, ValueId v)
{
    SideKind kind;
    int64_t bytes = p->segments[0].k * dtype_info[value_get(p->r->t, v)->type.dtype].bytes;
    return head_side(p, v, &kind) && kind == SIDE_line && bytes % PAD == 0 &&
                   value_get(p->r->t, v)->producer == NO_NODE
               ? bytes
               : 0;
}

/* The sums of the warps come when neither rows nor, of a block that does not go on, its weight are
 * needed in shared memory. */
static Panel panel_of(const Products *p, const GenTarget *g, uint32_t shape)
{
    const Segment *s = &p->segments[0];
    Panel b = {.p = p, .g = g, .rows = shapes[shape].rows, .columns = shapes[shape].columns};
    b.bands = ceil_div(p->rows, b.rows);
    b.tiles = ceil_div(s->n, b.columns);
    b.stride = s->k * 2 + PAD;
    ValueId in[MAX_REGION_INPUTS];
    uint32_t n = p->head.n ? gen_inputs(&p->head, in) : 0;
    for (uint32_t i = 0; i < n && i < MAX_REGION_INPUTS; i++)
        b.lines += line_bytes(p, in[i]);
    int64_t sums = WARPS * b.rows * (b.columns + 8) * 4, rows = b.rows * b.stride;
    int64_t tile = b.columns * b.stride;
    b.stages = 1;
    if (shapes[shape].goes_on) {
        b.slots = rows > sums ? rows : sums;
        b.stages = (g->shared_max - b.slots - b.lines) / tile;
        b.stages = b.stages > MOST_STAGES ? MOST_STAGES : b.stages;
        b.shared = b.slots + b.stages * tile;
    } else {
        b.shared = tile + rows > sums ? tile + rows : sums;
    }
    b.shared += b.lines;
    return b;
}

/* Registers that hold the rows of a block that goes on. */
static int64_t kept_registers(const Panel *b)
{
    return b->p->segments[0].k / (STEP * WARPS) * (b->rows / 16) * 4;
}

static bool shape_fits(const Panel *b, bool goes_on, const GenTarget *g)
{
    bool fits = b->rows * b->columns <= MOST_SUMS && b->shared <= g->shared_max &&
                b->rows < b->p->rows + STEP;
    if (!goes_on)
        return fits;
    return fits && b->stages >= 3 && b->bands == 1 && b->tiles > g->sms &&
           b->p->segments[0].k % (STEP * WARPS) == 0 && kept_registers(b) <= MOST_KEPT;
}

/* What a multiprocessor does behind the launch before: rows from the level-2 cache, the head (rows
 * of a warp one after another), tensor cores, sums of the warps; and that part of the weight's way
 * which is not hidden, because two blocks do not fit beside each other or there is more of it than
 * one launch lasts. Measured in GPT of 64 rows: blocks of 32 rows with a norm take as long as a
 * band and a kernel for the norm, which is where START is from. Blocks that go on read all of the
 * weight at the rate of memory, unless they take longer to multiply. */
#define START 3.5e-6
static double seconds_of(const Panel *b, const GenTarget *g)
{
    const Segment *s = &b->p->segments[0];
    double turns = ceil((double)(b->bands * b->tiles) / (double)g->sms), k = (double)s->k;
    double rows = (double)b->rows, columns = (double)b->columns, rate = 1e11, clock = 1.7e9;
    double late = 2 * rows * k / rate, early = 2 * columns * k / rate;
    double head = b->p->head.n ? ceil(rows / WARPS) * k * 5e-10 + 3e-7 : 0;
    double work = rows * columns * k / (512 * clock) + rows * columns / (16 * clock);
    if (b->stages > 1) {
        double tile = (columns * k / 64 + rows * columns / 2 + 200) / clock;
        double bytes = 2 * (double)s->n * k / 2e12; /* measured: 42 us for 77 MB */
        double busy = head + turns * tile;
        return START + late + (bytes > busy ? bytes : busy);
    }
    bool beside = 2 * (b->shared + 1024) <= g->shared_max + 1024;
    early = turns * early - (beside ? 2e-6 : 0.5e-6);
    return START + turns * (late + head + work) + (early > 0 ? early : 0);
}

/* The shape with that place among those that fit, by estimate; false when there are fewer. */
static bool plan_panel(const Products *p, const GenTarget *g, uint32_t schedule, Panel *out)
{
    bool taken[ARRAY_LEN(shapes)] = {0};
    for (uint32_t turn = 0; turn <= schedule; turn++) {
        int best = -1;
        for (uint32_t i = 0; i < ARRAY_LEN(shapes); i++) {
            Panel b = panel_of(p, g, i);
            if (!taken[i] && shape_fits(&b, shapes[i].goes_on, g) &&
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

/* The input that is replaced by what is made of it, row by row: the first matrix of that type. */
static bool staged_input(const Products *p, ValueId *staged)
{
    ValueId in[MAX_REGION_INPUTS];
    uint32_t n = gen_inputs(&p->head, in);
    SideKind kind;
    for (uint32_t i = 0; i < n && i < MAX_REGION_INPUTS; i++)
        if (head_side(p, in[i], &kind) && kind == SIDE_matrix &&
            value_get(p->r->t, in[i])->type.dtype == item_dtype(p, p->segments[0].left)) {
            *staged = in[i];
            return true;
        }
    return false;
}

static bool head_fits(const Products *p, const GenTarget *g, StrBuf *why)
{
    ValueId in[MAX_REGION_INPUTS], staged;
    GenOptions o = {0};
    SideKind kind;
    uint32_t n = gen_inputs(&p->head, in);
    for (uint32_t i = 0; i < n; i++)
        if (i == MAX_REGION_INPUTS || !head_side(p, in[i], &kind)) {
            sb_puts(why, "makes rows of rows of that length, lines and numbers only");
            return false;
        }
    if (!staged_input(p, &staged)) {
        sb_puts(why, "makes rows of rows of their type only");
        return false;
    }
    return cuda_rows_function(&p->head, &o, g, "make_row", NULL, why);
}

bool panel_fits(const Products *p, const GenTarget *g, StrBuf *why)
{
    const Segment *s = &p->segments[0];
    DType d = item_dtype(p, s->right);
    Panel b;
    if (p->n != 1 || s->columns || p->rows > MOST_ROWS || (d != DT_bf16 && d != DT_f16))
        sb_printf(why, "takes one product of at most %d rows of bf16 or f16 with a weight's rows",
                  MOST_ROWS);
    else if (s->k % STEP)
        sb_printf(why, "takes rows of a multiple of %d elements", STEP);
    else if (!plan_panel(p, g, 0, &b))
        sb_printf(why, "16 rows do not fit into %lld bytes of shared memory",
                  (long long)g->shared_max);
    else
        return p->head.n == 0 || head_fits(p, g, why);
    return false;
}

double panel_seconds(const Products *p, const GenTarget *g)
{
    Panel b;
    return plan_panel(p, g, 0, &b) ? seconds_of(&b, g) : INFINITY;
}

uint32_t panel_schedules(const Products *p, const GenTarget *g)
{
    uint32_t n = 0;
    Panel b;
    while (plan_panel(p, g, n, &b))
        n++;
    return n;
}

/* ---------------------------------------------------------------------------------------- text */

static const char place[] =
    "        const int i = e * 256 + threadIdx.x;\n"
    "        const int row = i < ROWS * COLUMNS / 4 ? top + i / (COLUMNS / 4) : M;\n"
    "        const int at = first + i % (COLUMNS / 4) * 4;\n";

static uint32_t input_number(const Products *p, ValueId v)
{
    uint32_t i = 0;
    while (p->inputs[i] != v)
        i++;
    return i;
}

static int64_t lines_at(const Panel *b)
{
    return b->shared - b->lines;
}

/* Lines that the head reads come with the weight. */
static void print_lines(const Panel *b)
{
    ValueId in[MAX_REGION_INPUTS];
    uint32_t n = b->lines ? gen_inputs(&b->p->head, in) : 0;
    int64_t at = lines_at(b);
    for (uint32_t i = 0; i < n; i++) {
        long long bytes = line_bytes(b->p, in[i]);
        if (bytes)
            sb_printf(b->out, "    fetch<1, %lld, 0, 0, %d>(pool + %lld, in%u, 1);\n", bytes / PAD,
                      THREADS, (long long)at, input_number(b->p, in[i]));
        at += bytes;
    }
}

static void print_weight_fetch(const Panel *b)
{
    sb_printf(b->out,
              "    fetch_part<COLUMNS, K / 8, STRIDE, %d>(pool, in%u + (int64_t)first * K, K,\n"
              "        N - first, K / 8);\n", THREADS, item_input(b->p, b->p->segments[0].right));
}

static void print_rows_fetch(const Panel *b, uint32_t in)
{
    sb_printf(b->out, "    fetch_part<ROWS, K / 8, STRIDE, %d>(xs, in%u + top * K, K, M - top, "
                      "K / 8);\n", THREADS, in);
}

/* Each warp makes some of the rows, where they lie. */
static void print_head(const Panel *b, const char *symbol, ValueId staged)
{
    const Products *p = b->p;
    ValueId in[MAX_REGION_INPUTS];
    uint32_t n = gen_inputs(&p->head, in);
    const char *type = cuda_storage(item_dtype(p, p->segments[0].left));
    int64_t line = lines_at(b);
    sb_printf(b->out,
              "    _Pragma(\"unroll 1\")\n"
              "    for (int r = threadIdx.x / 32; r < ROWS && top + r < M; r += %d) {\n"
              "        %s *const x = (%s *)(xs + r * STRIDE);\n        %s_row(", WARPS, type,
              type, symbol);
    for (uint32_t i = 0; i < n; i++) {
        SideKind kind;
        int64_t bytes = line_bytes(p, in[i]);
        head_side(p, in[i], &kind);
        if (in[i] == staged)
            sb_puts(b->out, "x, ");
        else if (bytes)
            sb_printf(b->out, "(const %s *)(pool + %lld), ",
                      cuda_storage((DType)value_get(p->r->t, in[i])->type.dtype), (long long)line);
        else
            sb_printf(b->out, "in%u%s, ", input_number(p, in[i]),
                      kind == SIDE_matrix ? " + (int64_t)(top + r) * K" : "");
        line += bytes;
    }
    sb_puts(b->out, "x, error);\n    }\n    __syncthreads();\n");
}

/* The sums of all warps, in order, as float total[EACH][4]. */
static void print_sums(StrBuf *out)
{
    sb_printf(out,
              "    const int LINE = COLUMNS + 8, PART = ROWS * LINE;\n"
              "    float *const parts = (float *)pool;\n"
              "    _Pragma(\"unroll\")\n"
              "    for (int r = 0; r < ROWS / 8; r++)\n"
              "        _Pragma(\"unroll\")\n"
              "        for (int c = 0; c < COLUMNS / 8; c++) {\n"
              "            float *const to = parts + warp * PART + (r * 8 + lane / 4) * LINE +\n"
              "                              c * 8 + lane %% 4 * 2;\n"
              "            to[0] = sum[r / 2][c][r %% 2 * 2];\n"
              "            to[1] = sum[r / 2][c][r %% 2 * 2 + 1];\n"
              "        }\n"
              "    __syncthreads();\n"
              "    float total[EACH][4];\n"
              "    _Pragma(\"unroll\")\n"
              "    for (int e = 0; e < EACH; e++) {\n"
              "        const int i = e * %d + threadIdx.x, n = i < ROWS * COLUMNS / 4 ? i : 0;\n"
              "        const float *const from = parts + n / (COLUMNS / 4) * LINE +\n"
              "                                  n %% (COLUMNS / 4) * 4;\n"
              "        Vec<float, 4> sums[%d];\n"
              "        _Pragma(\"unroll\")\n"
              "        for (int w = 0; w < %d; w++)\n"
              "            sums[w] = load<4>(from + w * PART);\n"
              "        _Pragma(\"unroll\")\n"
              "        for (int j = 0; j < 4; j++) {\n"
              "            total[e][j] = sums[0].x[j];\n"
              "            _Pragma(\"unroll\")\n"
              "            for (int w = 1; w < %d; w++)\n"
              "                total[e][j] += sums[w].x[j];\n"
              "        }\n    }\n", THREADS, WARPS, WARPS, WARPS);
}

static void print_multiply(const Panel *b, const char *type)
{
    sb_printf(b->out,
              "    const int warp = threadIdx.x / 32, lane = threadIdx.x %% 32;\n"
              "    float sum[ROWS / 16][COLUMNS / 8][4] = {};\n"
              "    _Pragma(\"unroll 2\")\n"
              "    for (int k = warp * 16; k < K; k += %d)\n"
              "        multiply_tile<%s, STRIDE>(sum, xs + k * 2, pool + k * 2);\n"
              "    __syncthreads();\n", WARPS * STEP, type);
    print_sums(b->out);
}

/* -------------------------------------------------------------------------- blocks that go on */

static void print_slot_fetch(const Panel *b, const char *tile, const char *slot, const char *indent)
{
    sb_printf(b->out,
              "%sif (%s < %lld)\n"
              "%s    fetch_part<COLUMNS, K / 8, STRIDE, %d>(slots + %s * COLUMNS * STRIDE,\n"
              "%s        in%u + (int64_t)(%s) * COLUMNS * K, K, N - (%s) * COLUMNS, K / 8);\n"
              "%sgroup_ends();\n", indent, tile, (long long)b->tiles, indent, THREADS, slot, indent,
              item_input(b->p, b->p->segments[0].right), tile, tile, indent);
}

/* The rows stay in registers; a turn is a tile of the weight. */
static void print_turns(const Panel *b, const char *type)
{
    TileEnd end = {b->p, b->o, place, &(StrBuf){0}};
    sb_printf(b->out,
              "    const int warp = threadIdx.x / 32, lane = threadIdx.x %% 32;\n"
              "    uint32_t kept[K / %d][ROWS / 16][4];\n"
              "    _Pragma(\"unroll\")\n"
              "    for (int k = 0; k < K / %d; k++)\n"
              "        read_rows_of<STRIDE>(kept[k], xs + (k * %d + warp * 16) * 2);\n"
              "    for (int tile = blockIdx.x, turn = 0; tile < %lld; tile += GRID, turn++) {\n"
              "        const int first = tile * COLUMNS;\n"
              "        arrived<STAGES - 2>();\n"
              "        __syncthreads();\n", WARPS * STEP, WARPS * STEP, WARPS * STEP,
              (long long)b->tiles);
    print_slot_fetch(b, "tile + (STAGES - 1) * GRID", "((turn + STAGES - 1) % STAGES)", "        ");
    tile_print_sides(&end, true);
    tile_print_sides(&end, false);
    sb_printf(end.out,
              "    float sum[ROWS / 16][COLUMNS / 8][4] = {};\n"
              "    const char *const w = slots + turn %% STAGES * COLUMNS * STRIDE + warp * 32;\n"
              "    _Pragma(\"unroll\")\n"
              "    for (int k = 0; k < K / %d; k++)\n"
              "        multiply_rows<%s, STRIDE>(sum, kept[k], w + k * %d);\n", WARPS * STEP, type,
              WARPS * STEP * 2);
    print_sums(end.out);
    tile_print_end(&end);
    tile_print_indented(b->out, sb_str(end.out));
    sb_free(end.out);
    sb_puts(b->out, "    }\n}\n");
}

static void print_opening(const Panel *b, const char *symbol, GenCuda *plan)
{
    const Segment *s = &b->p->segments[0];
    bool goes_on = b->stages > 1;
    int64_t blocks = goes_on ? b->g->sms : b->bands * b->tiles;
    sb_printf(b->out,
              "// %lld rows times a weight of %lld rows: %lld x %lld tiles of %lld x %lld, %lld "
              "blocks\n", (long long)b->p->rows, (long long)s->n, (long long)b->bands,
              (long long)b->tiles, (long long)b->rows, (long long)b->columns, (long long)blocks);
    GenLaunch l = {.grid = {(uint32_t)blocks, 1, 1}, .block = {THREADS, 1, 1},
                   .shared = (uint32_t)b->shared, .early = true};
    products_open_kernel(b->p, symbol, l, plan, b->out);
    sb_printf(b->out, "    SHARED_POOL(pool);\n"
                      "    const int M = %lld, N = %lld, K = %lld, ROWS = %lld, COLUMNS = %lld;\n"
                      "    const int STRIDE = %lld, EACH = (ROWS * COLUMNS / 4 + 255) / 256;\n",
              (long long)b->p->rows, (long long)s->n, (long long)s->k, (long long)b->rows,
              (long long)b->columns, (long long)b->stride);
    if (goes_on)
        sb_printf(b->out, "    const int top = 0, STAGES = %lld, GRID = %lld;\n"
                          "    char *const xs = pool, *const slots = pool + %lld;\n",
                  (long long)b->stages, (long long)blocks, (long long)b->slots);
    else
        sb_printf(b->out, "    const int top = blockIdx.x %% %lld * ROWS;\n"
                          "    const int first = blockIdx.x / %lld * COLUMNS;\n"
                          "    char *const xs = pool + COLUMNS * STRIDE;\n",
                  (long long)b->bands, (long long)b->bands);
    if (!b->early)
        sb_puts(b->out, "    wait_for_earlier();\n");
}

/* The weight, or what fits of it, is asked for; then the rows, when the launch before has ended. */
static void print_operands(const Panel *b, const TileEnd *end, ValueId rows)
{
    uint32_t in = input_number(b->p, rows);
    bool goes_on = b->stages > 1;
    print_lines(b);
    if (goes_on) {
        sb_puts(b->out, "    for (int s = 0; s < STAGES - 1; s++) {\n");
        print_slot_fetch(b, "blockIdx.x + s * GRID", "s", "        ");
        sb_puts(b->out, "    }\n");
    } else {
        print_weight_fetch(b);
        tile_print_sides(end, true);
    }
    if (b->early)
        sb_puts(b->out, "    wait_for_earlier();\n");
    sb_puts(b->out, "    let_later_begin();\n");
    if (goes_on) {
        sb_printf(b->out, "    read_part<ROWS, K / 8, STRIDE, %d>(xs, in%u, K, M);\n"
                          "    arrived<STAGES - 2>();\n", THREADS, in);
    } else {
        print_rows_fetch(b, in);
        tile_print_sides(end, false);
    }
    sb_puts(b->out, goes_on ? "    __syncthreads();\n"
                            : "    copies_done();\n    __syncthreads();\n");
}

void panel_print(const Products *p, const GenOptions *o, const GenTarget *g, uint32_t schedule,
                 const char *symbol, GenCuda *plan, StrBuf *out)
{
    const Segment *s = &p->segments[0];
    const char *type = cuda_storage(item_dtype(p, s->right));
    Panel b;
    ValueId rows = p->items[s->left].v;
    if (!plan_panel(p, g, schedule, &b))
        plan_panel(p, g, 0, &b);
    b.early = item_is_early(p, s->right);
    b.o = o;
    b.out = out;
    TileEnd end = {p, o, place, out};
    tile_print_helpers(out);
    if (p->head.n) {
        char name[96];
        snprintf(name, sizeof name, "%s_row", symbol);
        cuda_rows_function(&p->head, o, g, name, out, NULL);
        staged_input(p, &rows);
    }
    print_opening(&b, symbol, plan);
    print_operands(&b, &end, rows);
    if (p->head.n)
        print_head(&b, symbol, rows);
    if (b.stages > 1) {
        print_turns(&b, type);
        return;
    }
    print_multiply(&b, type);
    tile_print_end(&end);
    sb_puts(out, "}\n");
}
