/*
 * chain.c - all products of a region by one kernel: for many small ones, where launches cost most.
 *
 * A block owns R rows of the batch and takes them through all products: they stay in shared memory.
 * The weights come in tiles (some columns of one product), several tiles ahead of the one that is
 * computed, by copies that need no registers; so only the first tile is waited for. In a tile
 * each thread has a column and a share of K; the shares are added in order, then what stands
 * behind the product is computed. Every block reads all weights: more rows a block are less to
 * read, fewer are more blocks at work.
 */
#include "product.h"

#include "cuda.h"

#include <math.h>
#include <stdio.h>

enum { THREADS = 256, UNIT = 16, FEW_STAGES = 4, MAX_STAGES = 24, LARGEST_R = 8 };

typedef struct Chain {
    Products *p;
    const GenOptions *o;
    const GenTarget *g;
    StrBuf *out;
    int64_t r;          /* rows of a block */
    int64_t stride;     /* floats from row to row of what is kept */
    int64_t buffers;    /* places of kept rows */
    int64_t slot;       /* bytes of a tile */
    int64_t stages;     /* tiles that are on their way or computed, and so slots; one more when
                         * there is a slot for each */
    int64_t shared, parts_at, rows_at;
    int64_t tiles;
    int64_t width[MAX_SEGMENTS]; /* columns of a tile */
} Chain;

/* A column of a tile: which segment, from which column on, how many there are. */
typedef struct Tile {
    uint32_t segment;
    int64_t from, columns;
} Tile;

static int64_t up(int64_t n, int64_t to)
{
    return (n + to - 1) / to * to;
}

static int64_t bytes_of(const Products *p, uint32_t item)
{
    return dtype_info[item_dtype(p, item)].bytes;
}

/* -------------------------------------------------------------------------------------- places */

/* Units of 16 bytes from row to row of a weight's tile: odd, so that neighbouring rows begin in
 * different banks. */
static int64_t row_units(const Products *p, const Segment *s)
{
    return s->k * bytes_of(p, s->right) / UNIT | 1;
}

static int64_t weight_bytes(const Chain *c, uint32_t segment)
{
    const Segment *s = &c->p->segments[segment];
    int64_t w = c->width[segment];
    return s->columns ? up(s->k * w * bytes_of(c->p, s->right), UNIT)
                      : w * row_units(c->p, s) * UNIT;
}

static int64_t side_bytes(const Chain *c, uint32_t segment, uint32_t side)
{
    const Side *d = &c->p->segments[segment].sides[side];
    int64_t n = d->kind == SIDE_number ? 0 : d->kind == SIDE_line ? 1 : c->r;
    return up(n * c->width[segment] * bytes_of(c->p, d->item), UNIT);
}

static int64_t side_at(const Chain *c, uint32_t segment, uint32_t side)
{
    int64_t at = weight_bytes(c, segment);
    for (uint32_t i = 0; i < side; i++)
        at += side_bytes(c, segment, i);
    return at;
}

static int64_t tile_bytes(const Chain *c, uint32_t segment)
{
    return side_at(c, segment, c->p->segments[segment].nsides);
}

/* Kept rows get a place from where they are made to where they are read last. */
static void place_rows(Chain *c)
{
    uint32_t until[MAX_SEGMENTS + MAX_REGION_INPUTS] = {0};
    c->buffers = 0;
    for (uint32_t i = 0; i < c->p->nitems; i++) {
        Item *item = &c->p->items[i];
        const Type *type = item_type(c->p, i);
        int64_t b = 0, width = item->kept ? up(type->shape[type->rank - 1], 4) : 0;
        if (!item->kept)
            continue;
        c->stride = width > c->stride ? width : c->stride;
        while (b < c->buffers && (item->kind == ITEM_input || until[b] >= item->segment))
            b++;
        c->buffers = b == c->buffers ? b + 1 : c->buffers;
        until[b] = item->last;
        item->buffer = (int)b;
    }
}

/* Tiles as wide as shared memory allows while some more are on their way. */
static void choose_widths(Chain *c, int64_t room)
{
    c->slot = c->tiles = 0;
    for (uint32_t i = 0; i < c->p->n; i++) {
        int64_t n = c->p->segments[i].n;
        c->width[i] = 128;
        while (c->width[i] > 32 && (c->width[i] / 2 >= n || tile_bytes(c, i) * FEW_STAGES > room))
            c->width[i] /= 2;
        int64_t bytes = tile_bytes(c, i);
        c->slot = bytes > c->slot ? bytes : c->slot;
        c->tiles += (n + c->width[i] - 1) / c->width[i];
    }
}

/* Rows a block: all multiprocessors at work, but not more rows than keep a tile's time short. */
static int64_t choose_rows(const Products *p, const GenTarget *g, uint32_t schedule)
{
    static const int64_t tried[] = {1, 2, 4, 8};
    if (schedule > 0)
        return tried[(schedule - 1) % ARRAY_LEN(tried)];
    int64_t r = 1;
    while (r < LARGEST_R && (p->rows + r - 1) / r > (int64_t)g->sms)
        r *= 2;
    return r;
}

static bool plan_chain(Chain *c, uint32_t schedule)
{
    c->r = choose_rows(c->p, c->g, schedule);
    place_rows(c);
    int64_t rows = c->buffers * c->r * c->stride * 4, parts = THREADS * c->r * 4;
    int64_t room = c->g->shared_max - rows - parts;
    choose_widths(c, room);
    int64_t slots = room / c->slot > MAX_STAGES ? MAX_STAGES : room / c->slot;
    c->stages = slots < c->tiles ? slots : c->tiles + 1; /* all of them are on their way at once */
    c->rows_at = (slots < c->tiles ? slots : c->tiles) * c->slot;
    c->parts_at = c->rows_at + rows;
    c->shared = c->parts_at + parts;
    return room > 0 && c->stages >= 2;
}

bool chain_fits(const Products *p, const GenTarget *g, StrBuf *why)
{
    for (uint32_t i = 0; i < p->n; i++) {
        const Segment *s = &p->segments[i];
        int64_t line = (s->columns ? s->n : s->k) * bytes_of(p, s->right);
        if (line % UNIT == 0)
            continue;
        if (!why)
            return false;
        sb_printf(why, "a row of %%%.*s has %lld bytes, no multiple of 16",
                  STR(value_get(p->r->t, p->items[s->right].v)->name), (long long)line);
        return false;
    }
    Chain c = {.p = (Products *)p, .g = g};
    if (plan_chain(&c, 0))
        return true;
    if (why)
        sb_printf(why, "two tiles of its weights do not fit into %lld bytes of shared memory",
                  (long long)g->shared_max);
    return false;
}

/* Cycles of one tile: reading it from shared memory and multiplying, or its copy from the level-2
 * cache at some 60 bytes a cycle, whichever is longer; then two barriers and the end. */
static double tile_cycles(const Chain *c, uint32_t segment)
{
    const Segment *s = &c->p->segments[segment];
    double elements = (double)(s->k * c->width[segment]), rows = (double)c->r;
    double work = elements * (double)bytes_of(c->p, s->right) / 128 + rows * elements / 128 +
                  rows * (double)s->k / 4;
    double copy = (double)tile_bytes(c, segment) / 60;
    double end = 300 + 150 * ceil(rows * (double)c->width[segment] / THREADS);
    return (work > copy ? work : copy) + end;
}

double chain_seconds(const Products *p, const GenTarget *g)
{
    Chain c = {.p = (Products *)p, .g = g};
    double cycles = 0, clock = 1.7e9;
    if (!plan_chain(&c, 0))
        return INFINITY;
    for (uint32_t i = 0; i < p->n; i++)
        cycles += tile_cycles(&c, i) * ceil((double)p->segments[i].n / (double)c.width[i]);
    return CHAIN_START + cycles / clock * ceil((double)p->rows / (double)(c.r * g->sms));
}

uint32_t chain_schedules(const Products *p, const GenTarget *g)
{
    uint32_t n = 1;
    for (uint32_t s = 1; s <= 4; s++) {
        Chain c = {.p = (Products *)p, .g = g};
        n = plan_chain(&c, s) && (c.r == 1 || c.r / 2 < p->rows) ? s + 1 : n;
    }
    return n;
}

/* ---------------------------------------------------------------------------------------- text */

static const char helpers[] =
    "#ifndef CHAIN\n#define CHAIN\n"
    "/* The same element by element, for rows that are no multiples of 16 bytes. */\n"
    "template <int ROWS, int N, int TO, int FROM, int THREADS, typename T>\n"
    "INLINE void fetch_slowly(char *to, const T *from, int most)\n{\n"
    "    for (int i = threadIdx.x; i < ROWS * N && i / N < most; i += THREADS)\n"
    "        *(T *)(to + i / N * TO + i % N * sizeof(T)) =\n"
    "            *(const T *)((const char *)from + (int64_t)(i / N) * FROM + i % N * sizeof(T));\n"
    "}\n"
    "/* Rows of the batch as floats. */\n"
    "template <int R, int N, int STRIDE, int THREADS, typename T>\n"
    "INLINE void read_rows(float *to, const T *from, int most)\n{\n"
    "    for (int i = threadIdx.x; i < R * N; i += THREADS)\n"
    "        to[i / N * STRIDE + i % N] = i / N < most ? get(from[i]) : 0;\n}\n"
    "/* This thread's share of K for one column and R rows. Rows of the weight, UNITS of 16 bytes\n"
    " * apart. */\n"
    "template <int R, int K, int UNITS, int SHARES, int STRIDE, typename T>\n"
    "INLINE void dot_row(float (&sum)[R], const T *w, const float *x, int column, int share)\n{\n"
    "    const int V = 16 / sizeof(T);\n"
    "    const Vec<T, V> *const row = (const Vec<T, V> *)w + column * UNITS;\n"
    "    _Pragma(\"unroll 4\")\n"
    "    for (int c = share; c < K / V; c += SHARES) {\n"
    "        const Vec<T, V> a = row[c];\n"
    "        _Pragma(\"unroll\")\n"
    "        for (int q = 0; q < V; q += 4) {\n"
    "            _Pragma(\"unroll\")\n"
    "            for (int r = 0; r < R; r++) {\n"
    "                const Vec<float, 4> b = load<4>(x + r * STRIDE + c * V + q);\n"
    "                _Pragma(\"unroll\")\n"
    "                for (int j = 0; j < 4; j++)\n"
    "                    sum[r] += get(a.x[q + j]) * b.x[j];\n"
    "            }\n        }\n    }\n}\n"
    "/* The same of a weight whose columns lie side by side, N of them in the tile. */\n"
    "template <int R, int K, int N, int SHARES, int STRIDE, typename T>\n"
    "INLINE void dot_column(float (&sum)[R], const T *w, const float *x, int column, int share)\n"
    "{\n"
    "    _Pragma(\"unroll 8\")\n"
    "    for (int k = share; k < K; k += SHARES) {\n"
    "        const float a = get(w[k * N + column]);\n"
    "        _Pragma(\"unroll\")\n"
    "        for (int r = 0; r < R; r++)\n"
    "            sum[r] += a * x[r * STRIDE + k];\n"
    "    }\n}\n"
    "#endif\n";

static const char *storage(const Chain *c, uint32_t item)
{
    return cuda_storage(item_dtype(c->p, item));
}

static int64_t tiles_of(const Chain *c, uint32_t segment)
{
    return (c->p->segments[segment].n + c->width[segment] - 1) / c->width[segment];
}

static Tile tile_number(const Chain *c, int64_t number)
{
    Tile t = {0};
    while (number >= tiles_of(c, t.segment))
        number -= tiles_of(c, t.segment++);
    const Segment *s = &c->p->segments[t.segment];
    t.from = number * c->width[t.segment];
    t.columns = s->n - t.from < c->width[t.segment] ? s->n - t.from : c->width[t.segment];
    return t;
}

static void print_fetch(Chain *c, int64_t rows, int64_t bytes, int64_t size, int64_t to,
                        int64_t from, const char *place, const char *source, const char *most)
{
    bool whole = bytes % UNIT == 0 && from % UNIT == 0 && to % UNIT == 0;
    sb_printf(c->out, "    %s<%lld, %lld, %lld, %lld, %d>(%s, %s, %s);\n",
              whole ? "fetch" : "fetch_slowly", (long long)rows,
              (long long)(whole ? bytes / UNIT : bytes / size), (long long)to, (long long)from,
              THREADS, place, source, most);
}

static void print_side_fetch(Chain *c, Tile t, uint32_t side, int64_t slot)
{
    const Products *p = c->p;
    const Segment *s = &p->segments[t.segment];
    const Side *d = &s->sides[side];
    bool line = d->kind == SIDE_line;
    if (!line && d->kind != SIDE_matrix)
        return;
    int64_t size = bytes_of(p, d->item);
    char place[64], source[96];
    snprintf(place, sizeof place, "pool + %lld",
             (long long)(slot * c->slot + side_at(c, t.segment, side)));
    if (line)
        snprintf(source, sizeof source, "in%u + %lld", item_input(p, d->item), (long long)t.from);
    else
        snprintf(source, sizeof source, "in%u + first * %lld + %lld", item_input(p, d->item),
                 (long long)s->n, (long long)t.from);
    print_fetch(c, line ? 1 : c->r, t.columns * size, size, c->width[t.segment] * size,
                s->n * size, place, source, line ? "1" : "most");
}

/* Starts the copies of a tile into its slot; a group of copies ends even when there are none. */
static void print_tile_fetch(Chain *c, int64_t number)
{
    if (number < c->tiles) {
        Tile t = tile_number(c, number);
        const Segment *s = &c->p->segments[t.segment];
        int64_t slot = number % c->stages, size = bytes_of(c->p, s->right);
        char place[64], source[64];
        snprintf(place, sizeof place, "pool + %lld", (long long)(slot * c->slot));
        uint32_t in = item_input(c->p, s->right);
        if (s->columns) {
            snprintf(source, sizeof source, "in%u + %lld", in, (long long)t.from);
            print_fetch(c, s->k, t.columns * size, size, c->width[t.segment] * size, s->n * size,
                        place, source, "1 << 30");
        } else {
            snprintf(source, sizeof source, "in%u + %lld", in, (long long)(t.from * s->k));
            print_fetch(c, t.columns, s->k * size, size, row_units(c->p, s) * UNIT, s->k * size,
                        place, source, "1 << 30");
        }
        for (uint32_t i = 0; i < s->nsides; i++)
            print_side_fetch(c, t, i, slot);
    }
    sb_puts(c->out, "    group_ends();\n");
}

static void print_dot(Chain *c, Tile t, int64_t slot)
{
    const Products *p = c->p;
    const Segment *s = &p->segments[t.segment];
    int64_t w = c->width[t.segment], shares = THREADS / w;
    sb_printf(c->out,
              "    {\n        const int column = threadIdx.x %% %lld, share = threadIdx.x / %lld;\n"
              "        float sum[R] = {};\n", (long long)w, (long long)w);
    sb_printf(c->out, "        %s<R, %lld, %lld, %lld, %lld>(sum, (const %s *)(pool + %lld), "
                      "rows%d, column, share);\n",
              s->columns ? "dot_column" : "dot_row", (long long)s->k,
              (long long)(s->columns ? w : row_units(p, s)), (long long)shares,
              (long long)c->stride, storage(c, s->right), (long long)(slot * c->slot),
              p->items[s->left].buffer);
    sb_puts(c->out, "        for (int r = 0; r < R; r++)\n"
                    "            parts[r * 256 + threadIdx.x] = sum[r];\n    }\n");
}

static void print_side_reads(Chain *c, Tile t, int64_t slot)
{
    const Products *p = c->p;
    const Segment *s = &p->segments[t.segment];
    for (uint32_t i = 0; i < s->nsides; i++) {
        const Side *d = &s->sides[i];
        if (d->kind == SIDE_kept)
            sb_printf(c->out, "        const float a%u = rows%d[r * STRIDE + at];\n", d->item,
                      p->items[d->item].buffer);
        else if (d->kind != SIDE_number)
            sb_printf(c->out, "        const %s s%u = get(((const %s *)(pool + %lld))"
                              "[%scolumn]);\n", c_type(item_dtype(p, d->item)), d->item,
                      storage(c, d->item),
                      (long long)(slot * c->slot + side_at(c, t.segment, i)),
                      d->kind == SIDE_line ? "" : "r * WIDTH + ");
    }
}

/* Rows are kept as they would be stored. */
static void print_keep(Chain *c, uint32_t item)
{
    DType d = item_dtype(c->p, item);
    bool narrow = d == DT_bf16 || d == DT_f16;
    sb_printf(c->out, "        rows%d[r * STRIDE + at] = %s%s%sv%u%s;\n", c->p->items[item].buffer,
              narrow ? "round_" : "", narrow ? dtype_info[d].name : "", narrow ? "(" : "", item,
              narrow ? ")" : "");
}

static void print_results(Chain *c, uint32_t segment)
{
    const Products *p = c->p;
    for (uint32_t i = 0; i < p->nitems; i++) {
        const Item *item = &p->items[i];
        if (item->kind != ITEM_made || item->segment != segment)
            continue;
        if (item->buffer >= 0)
            print_keep(c, i);
        if (item->out >= 0)
            sb_printf(c->out, "        set(out%d[(first + r) * %lld + at], v%u);\n", item->out,
                      (long long)p->segments[segment].n, i);
    }
}

/* Adds the shares, computes what stands behind the product, keeps and gives out results. */
static void print_end(Chain *c, Tile t, int64_t slot)
{
    int64_t w = c->width[t.segment];
    sb_printf(c->out, "    for (int i = threadIdx.x; i < R * %lld; i += %d) {\n"
                      "        const int WIDTH = %lld, r = i / WIDTH, column = i %% WIDTH;\n"
                      "        const int at = %lld + column;\n", (long long)w, THREADS,
              (long long)w, (long long)t.from);
    if (t.columns < w)
        sb_printf(c->out, "        if (column >= %lld)\n            continue;\n",
                  (long long)t.columns);
    if (c->p->rows % c->r)
        sb_puts(c->out, "        if (r >= most)\n            continue;\n");
    sb_printf(c->out, "        float total = parts[r * %d + column];\n"
                      "        _Pragma(\"unroll\")\n"
                      "        for (int k = 1; k < %lld; k++)\n"
                      "            total += parts[r * %d + k * WIDTH + column];\n",
              THREADS, (long long)(THREADS / w), THREADS);
    print_side_reads(c, t, slot);
    segment_print(c->p, t.segment, c->o, "total", "        ", c->out);
    print_results(c, t.segment);
    sb_puts(c->out, "    }\n");
}

static void print_opening(Chain *c, const char *symbol, GenCuda *plan)
{
    const Products *p = c->p;
    int64_t blocks = (p->rows + c->r - 1) / c->r;
    products_print_copies(c->out);
    sb_puts(c->out, helpers);
    sb_printf(c->out, "// chain of %u products, %lld rows a block, %lld tiles, %lld at a time: "
                      "%lld blocks of %d threads\n", p->n, (long long)c->r, (long long)c->tiles,
              (long long)c->stages, (long long)blocks, THREADS);
    GenLaunch l = {.grid = {(uint32_t)blocks, 1, 1}, .block = {THREADS, 1, 1},
                   .shared = (uint32_t)c->shared, .early = true};
    products_open_kernel(p, symbol, l, plan, c->out);
    sb_puts(c->out, "    wait_for_earlier();\n    let_later_begin();\n");
    sb_puts(c->out, "    SHARED_POOL(pool);\n");
    sb_printf(c->out, "    const int R = %lld, STRIDE = %lld;\n", (long long)c->r,
              (long long)c->stride);
    for (int64_t b = 0; b < c->buffers; b++)
        sb_printf(c->out, "    float *const rows%lld = (float *)(pool + %lld);\n", (long long)b,
                  (long long)(c->rows_at + b * c->r * c->stride * 4));
    sb_printf(c->out, "    float *const parts = (float *)(pool + %lld);\n"
                      "    const int64_t first = (int64_t)blockIdx.x * R;\n"
                      "    const int most = first + R <= %lld ? R : (int)(%lld - first);\n",
              (long long)c->parts_at, (long long)p->rows, (long long)p->rows);
}

static void print_numbers_and_rows(Chain *c)
{
    const Products *p = c->p;
    bool *done = new_array(&c->p->arena, bool, p->nitems);
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < p->segments[i].nsides; k++) {
            const Side *d = &p->segments[i].sides[k];
            if (d->kind != SIDE_number || done[d->item])
                continue;
            done[d->item] = true;
            sb_printf(c->out, "    const %s s%u = get(in%u[0]);\n",
                      c_type(item_dtype(p, d->item)), d->item, item_input(p, d->item));
        }
    for (uint32_t i = 0; i < p->nitems; i++) {
        const Type *type = item_type(p, i);
        if (p->items[i].kind != ITEM_input || p->items[i].buffer < 0)
            continue;
        int64_t n = type->shape[type->rank - 1];
        sb_printf(c->out, "    read_rows<R, %lld, STRIDE, %d>(rows%d, in%u + first * %lld, "
                          "most);\n", (long long)n, THREADS, p->items[i].buffer,
                  item_input(p, i), (long long)n);
    }
}

void chain_print(const Products *p, const GenOptions *o, const GenTarget *g, uint32_t schedule,
                 const char *symbol, GenCuda *plan, StrBuf *out)
{
    Chain c = {.p = (Products *)p, .o = o, .g = g, .out = out};
    if (!plan_chain(&c, schedule))
        plan_chain(&c, 0);
    print_opening(&c, symbol, plan);
    for (int64_t i = 0; i < c.stages - 1; i++)
        print_tile_fetch(&c, i);
    print_numbers_and_rows(&c);
    for (int64_t i = 0; i < c.tiles; i++) {
        Tile t = tile_number(&c, i);
        sb_printf(out, "\n    // %.*s, columns %lld to %lld\n",
                  STR(value_get(p->r->t, p->items[p->segments[t.segment].result].v)->name),
                  (long long)t.from, (long long)(t.from + t.columns - 1));
        sb_printf(out, "    arrived<%lld>();\n    __syncthreads();\n",
                  (long long)(c.stages - 2));
        print_tile_fetch(&c, i + c.stages - 1);
        print_dot(&c, t, i % c.stages);
        sb_puts(out, "    __syncthreads();\n");
        print_end(&c, t, i % c.stages);
    }
    sb_puts(out, "}\n");
}
