/*
 * cuda_tiles.c - inputs that lie the other way around, turned in shared memory.
 *
 * Input: a nest and a plan with a loop `other`. Output: the text of a map, or of folds of columns.
 * A tile is a square of elements along two loops. Its rows are read along the loop that elements of
 * such an input lie side by side along; threads that have chunks along the other loop take columns
 * of it. Maps fill one tile and write it; folds go through tiles, of which the next ones are on
 * their way meanwhile.
 */
#include "cuda.h"

#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------- maps */

/* The places of chunk c of a tile that starts at element w0 of the loop of chunks and at u0 of the
 * other one. Chunks lie along the other loop while the tile is filled. What is read for a place
 * behind an end is another element, so that no branch keeps reads from going on together. */
typedef enum TileTurns { TILE_fills, TILE_reads, TILE_stores } TileTurns;

static void print_tile_places(Cuda *x, TileTurns turns)
{
    uint32_t n = cuda_tile_chunks(x), w = (uint32_t)x->w, u = (uint32_t)x->plan.other;
    int64_t side = (int64_t)n * x->vector, ew = x->s->vars[w].extent, eu = x->s->vars[u].extent;
    bool filling = turns == TILE_fills, ragged = ew % side || eu % side;
    const char *name[2] = {filling ? "u0" : "w0", filling ? "w0" : "u0"};
    uint32_t loop[2] = {filling ? u : w, filling ? w : u};
    cuda_line(x, "const int c = threadIdx.x + k * %u;", x->plan.threads);
    for (int i = 0; i < 2; i++) {
        char at[64];
        int64_t last = x->s->vars[loop[i]].extent - (i == 0 ? x->vector : 1);
        bool stays = ragged && turns != TILE_stores;
        snprintf(at, sizeof at, i == 0 ? "%s + c %% %u * %u" : "%s + c / %u", name[i], n,
                 x->vector);
        if (stays)
            cuda_line(x, "const %s i%u = into_range(%s, %lld);", cuda_index_type(x), loop[i], at,
                      (long long)last);
        else
            cuda_line(x, "const %s i%u = %s;", cuda_index_type(x), loop[i], at);
    }
    if (ragged && turns == TILE_stores)
        cuda_line(x, "if (i%u >= %lld || i%u >= %lld)\n%*scontinue;", w, (long long)ew, u,
             (long long)eu, 4 * (int)x->depth + 4, "");
}

static void open_tile_turns(Cuda *x, TileTurns turns)
{
    cuda_line(x, "#pragma unroll");
    cuda_line(x, "for (int k = 0; k < %u; k++) {", x->plan.chunks);
    x->depth++;
    print_tile_places(x, turns);
}

static void close_tile_turns(Cuda *x)
{
    cuda_flush_body(x);
    x->depth--;
    cuda_line(x, "}");
}

/* Fills a tile of each input that is turned around: a row of it is read along the other loop. The
 * row's number decides where a chunk of it stands, so that columns lie in different banks. */
static void write_tiles(Cuda *x)
{
    uint32_t n = cuda_tile_chunks(x);
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (x->turned[i])
            cuda_line(x, "__shared__ Vec<%s, %u> tile%u[%u][%u];",
                 cuda_storage(x->s->points[i].dtype), x->vector, i, n * x->vector, n);
    cuda_start_body(x);
    open_tile_turns(x, TILE_fills);
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!x->turned[i])
            continue;
        StrBuf at = {0};
        cuda_print_form(x, x->s->points[i].form, false, &at);
        cuda_line(x, "tile%u[c / %u][c %% %u ^ c / %u] = load<%u>(in%u + %s);", i, n, n,
                  n * x->vector, x->vector, cuda_input_number(x, i), sb_cstr(&at));
        sb_free(&at);
    }
    close_tile_turns(x);
}

/* A map with inputs that lie along another loop than the results. */
void cuda_print_tiles(Cuda *x)
{
    int64_t side = (int64_t)cuda_tile_chunks(x) * x->vector, blocks;
    uint32_t loops[MAX_LOOPS], n = 0, u = (uint32_t)x->plan.other, w = (uint32_t)x->w;
    int64_t tw = cuda_ceil_div(x->s->vars[w].extent, side);
    int64_t tu = cuda_ceil_div(x->s->vars[u].extent, side);
    blocks = tw * tu;
    for (uint32_t i = 0; i < x->s->nloops; i++)
        if (i != u && i != w && x->s->vars[i].extent != 1) {
            loops[n++] = i;
            blocks *= x->s->vars[i].extent;
        }
    cuda_begin_shape(x, CUDA_map, x->line_mask, 0);
    cuda_open_kernel(x, "a map in tiles", x->plan.threads, blocks, 1);
    cuda_line(x, "const int w0 = blockIdx.x %% %lld * %lld, u0 = blockIdx.x / %lld %% %lld * %lld;",
         (long long)tw, (long long)side, (long long)tw, (long long)tu, (long long)side);
    cuda_line(x, "const %s rest = blockIdx.x / %lld;", cuda_index_type(x), (long long)(tw * tu));
    cuda_print_places(x, "rest", loops, n, false, x->out, x->depth);
    cuda_print_kept_registers(x, 'a');
    write_tiles(x);
    cuda_start_body(x);
    x->keep_letter = 'a';
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (x->kept[i])
            cuda_print_keep(x, i, "k", false);
    cuda_flush_head(x);
    open_tile_turns(x, TILE_reads);
    close_tile_turns(x);
    cuda_line(x, "__syncthreads();");
    x->kept_now = "k";
    cuda_start_body(x);
    for (uint32_t i = 0; i < x->s->nstores; i++)
        cuda_print_store(x, i);
    cuda_flush_head(x);
    open_tile_turns(x, TILE_stores);
    close_tile_turns(x);
    cuda_close_kernel(x);
}


/* -------------------------------------------------------------------------------------- columns */

static int64_t side_of_tile(const Cuda *x)
{
    return (int64_t)cuda_tile_chunks(x) * x->plan.vector;
}

/* Turns of the loops but `var`, of which a tile takes many at once. */
static int64_t tiles_of(const Cuda *x, const uint32_t *loops, uint32_t n, uint32_t var)
{
    int64_t tiles = 1;
    for (uint32_t i = 0; i < n; i++) {
        int64_t extent = x->s->vars[loops[i]].extent;
        tiles *= loops[i] == var ? cuda_ceil_div(extent, side_of_tile(x)) : extent;
    }
    return tiles;
}

int64_t cuda_tile_blocks(const Cuda *x)
{
    return tiles_of(x, x->line, x->nline, (uint32_t)x->w);
}

int64_t cuda_tile_turns(const Cuda *x)
{
    return tiles_of(x, x->rows, x->nrows, (uint32_t)x->plan.other);
}

/* Where tile `number` of a space begins: places in its other loops, and the element of loop `var`
 * as "u0" or "w0". */
static void print_tile_start(Cuda *x, const char *number, const char *name, const uint32_t *loops,
                             uint32_t n, uint32_t var)
{
    uint32_t others[MAX_LOOPS], count = 0;
    char above[64];
    long long tiles = cuda_ceil_div(x->s->vars[var].extent, side_of_tile(x));
    for (uint32_t i = 0; i < n; i++)
        if (loops[i] != var)
            others[count++] = loops[i];
    snprintf(above, sizeof above, "(%s / %lld)", number, tiles);
    cuda_print_places(x, above, others, count, false, x->out, x->depth);
    snprintf(above, sizeof above, count ? "%s %% %lld" : "%s", number, tiles);
    cuda_line(x, "const %s %s = %s * %lld;", cuda_index_type(x), name, above,
              (long long)side_of_tile(x));
}

/* An element of loop `var`; behind its end the last one that `size` elements lie behind, so that no
 * branch keeps reads from going on together. */
static void print_tile_place(Cuda *x, uint32_t var, const char *at, uint32_t size)
{
    int64_t extent = x->s->vars[var].extent;
    bool stays = extent % side_of_tile(x) != 0;
    cuda_line(x, stays ? "const %s i%u = into_range(%s, %lld);" : "const %s i%u = %s;",
              cuda_index_type(x), var, at, (long long)extent - size);
}

/* Shared memory: of each input that is turned as many tiles as are under way, of each other one
 * that is read in chunks a thread's own chunks. */
static void print_tile_pool(Cuda *x)
{
    int64_t offset = 0;
    uint32_t n = cuda_tile_chunks(x), v = x->vector, ring = x->plan.ring;
    cuda_line(x, "SHARED_POOL(pool);");
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const char *type = cuda_storage(x->s->points[i].dtype);
        if (x->turned[i])
            cuda_line(x, "auto tiles%u = (Vec<%s, %u> (*)[%u][%u])(pool + %lld);", i, type, v,
                      n * v, n, (long long)offset);
        else if (x->kept[i])
            cuda_line(x, "auto a%u = (Vec<%s, %u> *)(pool + %lld);", i, type, v,
                      (long long)offset);
        else
            continue;
        offset += (int64_t)ring * x->plan.threads * v * dtype_info[x->s->points[i].dtype].bytes;
    }
    x->launches->launch[x->launches->nlaunch - 1].shared = (uint32_t)offset;
}

/* A row of the tile is read along the other loop, and its number decides where its chunks stand. */
static void print_turned_copies(Cuda *x)
{
    uint32_t n = cuda_tile_chunks(x), v = x->vector;
    char at[64];
    cuda_line(x, "{");
    x->depth++;
    snprintf(at, sizeof at, "u0 + threadIdx.x %% %u * %u", n, v);
    print_tile_place(x, (uint32_t)x->plan.other, at, v);
    snprintf(at, sizeof at, "w0 + threadIdx.x / %u", n);
    print_tile_place(x, (uint32_t)x->w, at, 1);
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        StrBuf form = {0};
        if (!x->turned[i])
            continue;
        cuda_print_form(x, x->s->points[i].form, false, &form);
        cuda_line(x, "copy_async(&tiles%u[slot][threadIdx.x / %u]"
                     "[threadIdx.x %% %u ^ threadIdx.x / %u],",
                  i, n, n, n * v);
        cuda_line(x, "           in%u + %s);", cuda_input_number(x, i), sb_cstr(&form));
        sb_free(&form);
    }
    x->depth--;
    cuda_line(x, "}");
}

/* The function that asks for a tile. What is printed there is not known behind it. */
static void write_ask(Cuda *x)
{
    size_t n = x->s->npoints;
    uint8_t vars[MAX_VARS], *points = arena_copy(&x->s->arena, x->printed, n);
    char place[48];
    memcpy(vars, x->var_printed, sizeof vars);
    cuda_line(x, "const auto ask = [&](int next, int slot) {");
    x->depth++;
    cuda_line(x, "if (next < %lld) {", (long long)cuda_tile_turns(x));
    x->depth++;
    print_tile_start(x, "next", "u0", x->rows, x->nrows, (uint32_t)x->plan.other);
    print_turned_copies(x);
    print_tile_place(x, (uint32_t)x->plan.other, "u0 + ty", 1);
    x->depth--;
    cuda_start_body(x);
    snprintf(place, sizeof place, "slot * %u + threadIdx.x", x->plan.threads);
    x->kept_now = NULL;
    x->keep_letter = 'a';
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (x->kept[i])
            cuda_print_keep(x, i, place, true);
    cuda_flush_head(x);
    cuda_flush_body(x);
    cuda_line(x, "}");
    cuda_line(x, "end_group();");
    x->depth--;
    cuda_line(x, "};");
    memcpy(x->var_printed, vars, sizeof vars);
    memcpy(x->printed, points, n);
}

/* The loop over tiles. Behind its barrier a tile has come, and the one before has been read, whose
 * place the one that comes last takes. */
void cuda_open_tile_turns(Cuda *x)
{
    const CudaPlan *p = &x->plan;
    uint32_t u = (uint32_t)p->other;
    cuda_line(x, "for (int n = 0; n < %u; n++)", p->ring - 1);
    cuda_line(x, "    ask(split + n * %u, n);", p->splits);
    cuda_line(x, "int slot = 0;");
    cuda_line(x, "#pragma unroll 1");
    cuda_line(x, "for (int turn = split; turn < %lld; turn += %u) {",
              (long long)cuda_tile_turns(x), p->splits);
    x->depth++;
    cuda_line(x, "groups_done<%u>();", p->ring - 2);
    cuda_line(x, "__syncthreads();");
    cuda_line(x, "ask(turn + %u, slot ? slot - 1 : %u);", (p->ring - 1) * p->splits, p->ring - 1);
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (x->turned[i])
            cuda_line(x, "const auto &tile%u = tiles%u[slot];", i, i);
    cuda_line(x, "const int own = slot * %u + threadIdx.x;", p->threads);
    cuda_line(x, "slot = slot == %u ? 0 : slot + 1;", p->ring - 1);
    print_tile_start(x, "turn", "u0", x->rows, x->nrows, u);
    cuda_line(x, "const %s i%u = u0 + ty;", cuda_index_type(x), u);
    if (x->s->vars[u].extent % side_of_tile(x))
        cuda_line(x, "if (i%u >= %lld)\n%*scontinue;", u, (long long)x->s->vars[u].extent,
                  4 * (int)x->depth + 4, "");
    x->depth--;
}

/* Folds of columns, some of whose inputs lie along a loop that is folded. */
void cuda_print_column_tiles(Cuda *x, uint32_t pass)
{
    const CudaPlan *p = &x->plan;
    int64_t extent = x->s->vars[x->w].extent;
    char at[64];
    Turns t = {0};
    cuda_begin_shape(x, CUDA_column, x->row_mask, pass);
    cuda_open_kernel(x, pass ? "parts of columns in tiles" : "columns in tiles", p->threads,
                     cuda_tile_blocks(x), p->splits);
    x->ragged = extent % side_of_tile(x) != 0;
    cuda_line(x, "const int c = threadIdx.x, tx = c %% %u, ty = c / %u, split = blockIdx.y;",
              p->group, p->group);
    print_tile_start(x, "blockIdx.x", "w0", x->line, x->nline, (uint32_t)x->w);
    if (x->ragged)
        cuda_line(x, "const bool live = w0 + tx * %u < %lld;", p->vector, (long long)extent);
    snprintf(at, sizeof at, "w0 + tx * %u", p->vector);
    print_tile_place(x, (uint32_t)x->w, at, p->vector);
    cuda_print_scratch(x, pass, false, pass ? PARTS_pass : PARTS_none);
    print_tile_pool(x);
    write_ask(x);
    x->kept_now = "own";
    cuda_write_pass(x, &t, 1);
    const char *who = x->ragged ? "ty == 0 && live" : "ty == 0";
    if (pass) {
        cuda_write_parts(x, pass, who);
        cuda_write_last(x, pass);
    }
    cuda_write_outer_stores(x, who, OUTER_rows);
    cuda_close_kernel(x);
}
