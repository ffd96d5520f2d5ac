/*
 * text_cuda.c - the CUDA text of a loop nest.
 *
 * Input: points, stores and loops, and a plan (cuda_plan.c). Output: one to seven kernels and how
 * to launch them. A kernel is: where the thread stands, loads of what it keeps, a loop over chunks
 * for each pass of reductions with a fold behind it, a loop for the stores. When several blocks
 * share a fold, each pass is a launch that leaves its parts in scratch memory, and a small second
 * launch folds those; what needs the results reads them from there.
 */
#include "cuda.h"

#include <stdio.h>
#include <string.h>

static void line(Cuda *x, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void line(Cuda *x, const char *fmt, ...)
{
    va_list ap;
    sb_pad(x->out, ' ', (size_t)4 * x->depth);
    va_start(ap, fmt);
    sb_vprintf(x->out, fmt, ap);
    va_end(ap);
    sb_putc(x->out, '\n');
}

static const char *index_type(const Cuda *x)
{
    return x->wide_index ? "int64_t" : "int";
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* ------------------------------------------------------------------------------------ signature */

static void print_parameters(Cuda *x)
{
    const Region *r = x->s->r;
    for (uint32_t i = 0; i < x->s->ninputs; i++) {
        const Value *v = value_get(r->t, x->s->inputs[i]);
        sb_printf(x->out, "    const %s *__restrict__ in%u, // %.*s: ",
                  cuda_storage((DType)v->type.dtype), i, STR(v->name));
        type_print(&v->type, NULL, x->out);
        sb_putc(x->out, '\n');
    }
    for (uint32_t i = 0; i < r->nouts; i++) {
        const Value *v = value_get(r->t, r->outs[i]);
        sb_printf(x->out, "    %s *__restrict__ out%u, // %.*s: ",
                  cuda_storage((DType)v->type.dtype), i, STR(v->name));
        type_print(&v->type, NULL, x->out);
        sb_putc(x->out, '\n');
    }
    if (x->launches->scratch)
        sb_puts(x->out, "    char *scratch,\n");
    sb_puts(x->out, "    int *error)\n{\n    int &bad = *error;\n");
}

/* Opens a kernel of that many blocks. Blocks that go through all rows are all there at once. */
static void open_kernel(Cuda *x, const char *what, uint32_t threads, int64_t gx, int64_t gy)
{
    GenLaunch *l = &x->launches->launch[x->launches->nlaunch];
    *l = (GenLaunch){.grid = {(uint32_t)gx, (uint32_t)gy, 1}, .block = {threads, 1, 1}};
    if (x->launches->nlaunch)
        snprintf(l->name, sizeof l->name, "%s_%u", x->symbol, x->launches->nlaunch);
    else
        snprintf(l->name, sizeof l->name, "%s", x->symbol);
    sb_printf(x->out, "%s// %s: %lld x %lld blocks of %u threads\n",
              x->launches->nlaunch ? "\n" : "", what, (long long)gx, (long long)gy, threads);
    sb_printf(x->out, "extern \"C\" __global__ void __launch_bounds__(%u", threads);
    if (x->shape == CUDA_row && x->nacross)
        sb_printf(x->out, ", %u", x->plan.resident);
    sb_printf(x->out, ")\n%s(\n", l->name);
    x->launches->nlaunch++;
    x->depth = 1;
    memset(x->printed, 0, x->s->npoints);
    memset(x->var_printed, 0, sizeof x->var_printed);
    print_parameters(x);
}

static void close_kernel(Cuda *x)
{
    sb_puts(x->out, "}\n");
}

/* --------------------------------------------------------------------------------------- places */

/* The loop variables of element (or chunk) `number` of a space. */
static void print_places(Cuda *x, const char *number, const uint32_t *loops, uint32_t n,
                         bool chunks, StrBuf *b, uint32_t depth)
{
    int64_t below = 1;
    for (uint32_t i = n; i-- > 0;) {
        bool chunked = chunks && (int32_t)loops[i] == x->w && x->vector > 1;
        int64_t extent = x->s->vars[loops[i]].extent / (chunked ? x->vector : 1);
        sb_pad(b, ' ', (size_t)4 * depth);
        sb_printf(b, "const %s i%u = %s", index_type(x), loops[i], number);
        if (below != 1)
            sb_printf(b, " / %lld", (long long)below);
        if (i != 0)
            sb_printf(b, " %% %lld", (long long)extent);
        if (chunked)
            sb_printf(b, " * %u", x->vector);
        sb_puts(b, ";\n");
        below *= extent;
    }
}

typedef enum Parts { PARTS_none, PARTS_pass, PARTS_across } Parts;

/* Scratch memory as arrays: results of passes, parts of single blocks. */
static void print_scratch(Cuda *x, uint32_t pass, bool results, Parts parts)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (p->kind != POINT_reduce || !x->needed[i])
            continue;
        const char *type = cuda_acc_type(x, i);
        bool earlier = !p->across && p->pass < pass, now = !p->across && p->pass == pass;
        if (earlier || (results && now))
            line(x, "%s%s *red%u = (%s *)(scratch + %lld);", earlier ? "const " : "", type, i, type,
                 (long long)x->place[i]);
        if (parts == PARTS_across ? p->across : parts == PARTS_pass && now)
            line(x, "%s *part%u = (%s *)(scratch + %lld);", type, i, type, (long long)x->parts[i]);
    }
}

/* ------------------------------------------------------------------------ the loop over chunks */

/* How a loop over chunks is written: `number` runs from `start` in steps to below `count`. */
typedef struct Turns {
    char number[8], start[96];
    int64_t step, count;
    uint32_t chunks;    /* 0 = a loop to the end */
    bool always_checked; /* every turn may be behind the end, not only the last */
    const uint32_t *loops;
    uint32_t nloops;
    bool are_chunks;
} Turns;

static void open_turns(Cuda *x, const Turns *t)
{
    if (t->chunks) {
        bool whole = (int64_t)t->chunks * t->step == t->count && !t->always_checked;
        line(x, "#pragma unroll");
        line(x, "for (int k = 0; k < %u; k++) {", t->chunks);
        x->depth++;
        line(x, "const %s %s = %s + k * %lld;", index_type(x), t->number, t->start,
             (long long)t->step);
        if (t->always_checked)
            line(x, "if (%s >= %lld)\n%*sbreak;", t->number, (long long)t->count,
                 4 * (int)x->depth + 4, "");
        else if (!whole)
            line(x, "if (k == %u && %s >= %lld)\n%*sbreak;", t->chunks - 1, t->number,
                 (long long)t->count, 4 * (int)x->depth + 4, "");
    } else {
        line(x, "#pragma unroll 4");
        line(x, "for (%s %s = %s; %s < %lld; %s += %lld) {", index_type(x), t->number, t->start,
             t->number, (long long)t->count, t->number, (long long)t->step);
        x->depth++;
    }
    print_places(x, t->number, t->loops, t->nloops, t->are_chunks, x->out, x->depth);
    x->depth--;
}

/* A body that has been printed for this loop; its head stands before it. */
static void write_turns(Cuda *x, const Turns *t)
{
    cuda_flush_head(x);
    open_turns(x, t);
    cuda_flush_body(x);
    line(x, "}");
}

static void begin_body(Cuda *x)
{
    x->inner_depth = x->depth + 1;
    cuda_begin_body(x);
}

/* Reads what is kept: before the first pass, or a row ahead under another letter. */
static void write_reads(Cuda *x, const Turns *t, const char *place, bool shared, char letter)
{
    begin_body(x);
    x->kept_now = NULL;
    x->keep_letter = letter;
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (x->kept[i])
            cuda_print_keep(x, i, place, shared);
    write_turns(x, t);
}

static void print_kept_registers(Cuda *x, char letter)
{
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (x->kept[i])
            line(x, "Vec<%s, %u> %c%u[%u];", cuda_storage(x->s->points[i].dtype), x->vector, letter,
                 i, x->plan.chunks);
}

static void write_keep(Cuda *x, const Turns *t)
{
    bool shared = x->plan.keep == KEEP_shared;
    int64_t offset = 0;
    x->kept_now = NULL;
    if (x->plan.keep == KEEP_nothing)
        return;
    if (shared)
        line(x, "SHARED_POOL(pool);");
    else
        print_kept_registers(x, 'a');
    for (uint32_t i = 0; i < x->s->npoints && shared; i++) {
        if (!x->kept[i])
            continue;
        const char *type = cuda_storage(x->s->points[i].dtype);
        line(x, "Vec<%s, %u> *a%u = (Vec<%s, %u> *)(pool + %lld);", type, x->vector, i, type,
             x->vector, (long long)offset);
        offset += x->line_chunks * x->vector * dtype_info[x->s->points[i].dtype].bytes;
        offset = (offset + 15) / 16 * 16;
    }
    write_reads(x, t, shared ? t->number : "k", shared, 'a');
    if (shared)
        line(x, "copies_done();");
    x->launches->launch[x->launches->nlaunch - 1].shared = shared ? (uint32_t)offset : 0;
    x->kept_now = shared ? "c" : "k";
}

/* ----------------------------------------------------------------------------------- reductions */

static bool is_made(const Cuda *x, uint32_t i, uint32_t pass)
{
    const Point *p = &x->s->points[i];
    return p->kind == POINT_reduce && p->pass == pass && !p->across && x->needed[i];
}

static bool is_across(const Cuda *x, uint32_t i)
{
    return x->s->points[i].kind == POINT_reduce && x->s->points[i].across && x->needed[i];
}

static void print_acc(Cuda *x, uint32_t i)
{
    StrBuf start = {0};
    bool scalar = x->shape == CUDA_row;
    cuda_print_start(x, i, &start);
    if (scalar) {
        line(x, "%s acc%u = %s;", cuda_acc_type(x, i), i, sb_cstr(&start));
    } else if (x->vector == 1) {
        line(x, "%s acc%u[1] = {%s};", cuda_acc_type(x, i), i, sb_cstr(&start));
    } else {
        line(x, "%s acc%u[%u];", cuda_acc_type(x, i), i, x->vector);
        line(x, "#pragma unroll");
        line(x, "for (int j = 0; j < %u; j++)", x->vector);
        line(x, "    acc%u[j] = %s;", i, sb_cstr(&start));
    }
    sb_free(&start);
}

/* What the threads of a block have, through shared memory: all folds of a pass share a barrier.
 * With `turn` two rows take turns in it, else the barrier of another pass keeps rows apart. */
static void print_block_folds(Cuda *x, uint32_t pass)
{
    const char *turn = x->nacross && x->passes == 1 ? "[turn]" : "";
    uint32_t warps = x->plan.threads / 32;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!is_made(x, i, pass))
            continue;
        line(x, "__shared__ %s fold%u%s[%u];", cuda_acc_type(x, i), i, turn[0] ? "[2]" : "", warps);
        line(x, "fold_to<%s>(acc%u, fold%u%s);", cuda_fold(&x->s->points[i]), i, i, turn);
    }
    line(x, "__syncthreads();");
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (is_made(x, i, pass))
            line(x, "acc%u = fold_from<%s, %u>(fold%u%s);", i, cuda_fold(&x->s->points[i]), warps,
                 i, turn);
}

/* What the threads of a group have becomes what the group has. */
static void print_fold(Cuda *x, uint32_t i)
{
    const Point *p = &x->s->points[i];
    uint32_t group = x->plan.group, threads = x->plan.threads;
    const char *fold = cuda_fold(p);
    if (x->shape != CUDA_row)
        line(x, "fold_columns<%s, %u, %u, %u>(acc%u);", fold, group, threads / group, x->vector, i);
    else if (group > 1)
        line(x, "acc%u = fold_lanes<%s, %u>(acc%u);", i, fold, group, i);
}

static void write_pass(Cuda *x, const Turns *t, uint32_t pass)
{
    begin_body(x);
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!is_made(x, i, pass))
            continue;
        print_acc(x, i);
        cuda_print_point(x, x->s->points[i].a[0]);
        cuda_print_update(x, i);
    }
    write_turns(x, t);
    if (x->shape == CUDA_row && x->plan.group > 32) {
        print_block_folds(x, pass);
        return;
    }
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (is_made(x, i, pass))
            print_fold(x, i);
}

static bool is_full(const Cuda *x, const Store *st)
{
    return !x->s->points[st->point].across &&
           type_numel(&value_get(x->s->r->t, x->s->r->outs[st->out])->type) == x->s->full_numel;
}

static void write_full_stores(Cuda *x, const Turns *t)
{
    bool any = false;
    begin_body(x);
    for (uint32_t i = 0; i < x->s->nstores; i++)
        if (is_full(x, &x->s->stores[i])) {
            cuda_print_store(x, i);
            any = true;
        }
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (is_across(x, i)) {
            cuda_print_point(x, x->s->points[i].a[0]);
            cuda_print_update(x, i);
            any = true;
        }
    if (any)
        write_turns(x, t);
}

/* Stores of what there is once for a whole fold; by one thread of the group. */
static void write_outer_stores(Cuda *x, const char *who, bool across)
{
    bool any = false;
    begin_body(x);
    x->kept_now = NULL;
    for (uint32_t i = 0; i < x->s->nstores; i++)
        if (!is_full(x, &x->s->stores[i]) &&
            x->s->points[x->s->stores[i].point].across == across) {
            cuda_print_store(x, i);
            any = true;
        }
    if (!any)
        return;
    cuda_flush_head(x);
    line(x, "if (%s) {", who);
    cuda_flush_body(x);
    line(x, "}");
}

/* What one block of several has folded, for the launch that folds theirs. */
static void write_parts(Cuda *x, uint32_t pass, const char *who)
{
    StrBuf at = {0};
    bool many = x->shape == CUDA_column && x->vector > 1;
    cuda_print_form(x, x->outer, many, &at);
    line(x, "if (%s) {", who);
    if (many) {
        line(x, "    #pragma unroll");
        line(x, "    for (int j = 0; j < %u; j++) {", x->vector);
    }
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (is_made(x, i, pass))
            line(x, "%*spart%u[split * %lld + %s] = acc%u%s;", many ? 8 : 4, "", i,
                 (long long)x->s->outer_numel, sb_cstr(&at), i, cuda_acc_at(x, i));
    if (many)
        line(x, "    }");
    line(x, "}");
    sb_free(&at);
}

/* -------------------------------------------------------------------------------------- kernels */

static void begin_shape(Cuda *x, CudaShape shape, uint64_t inner, uint32_t pass)
{
    x->shape = shape;
    x->inner = inner;
    x->pass = pass;
    x->vector = x->plan.vector;
    x->kept_now = NULL;
    cuda_find_elements(x);
}

static void print_map(Cuda *x, uint32_t pass)
{
    const CudaPlan *p = &x->plan;
    int64_t tile = (int64_t)p->threads * p->chunks;
    Turns t = {.chunks = p->chunks};
    begin_shape(x, CUDA_map, p->by_rows ? x->row_mask : x->line_mask, pass);
    if (p->by_rows) {
        open_kernel(x, "a map", p->threads, ceil_div(x->line_chunks, p->threads),
                    ceil_div(x->row_count, p->chunks));
        line(x, "const int c = blockIdx.x * %u + threadIdx.x;", p->threads);
        if (x->line_chunks % p->threads)
            line(x, "if (c >= %lld)\n        return;", (long long)x->line_chunks);
        print_places(x, "c", x->line, x->nline, true, x->out, x->depth);
        t = (Turns){"r", "", 1, x->row_count, p->chunks, x->row_count % p->chunks != 0, x->rows,
                    x->nrows, false};
        snprintf(t.start, sizeof t.start, "blockIdx.y * %u", p->chunks);
    } else {
        open_kernel(x, "a map", p->threads, ceil_div(x->line_chunks, tile), 1);
        t = (Turns){"c", "", p->threads, x->line_chunks, p->chunks, x->line_chunks % tile != 0,
                    x->line, x->nline, true};
        snprintf(t.start, sizeof t.start, "blockIdx.x * (%s)%lld + threadIdx.x", index_type(x),
                 (long long)tile);
    }
    t.count = t.always_checked ? t.count : t.step * t.chunks;
    if (pass)
        print_scratch(x, pass, false, PARTS_none);
    write_keep(x, &t);
    write_full_stores(x, &t);
    close_kernel(x);
}

/* The places of chunk c of a tile that starts at element w0 of the loop of chunks and at u0 of the
 * other one. Chunks lie along the other loop while the tile is filled. */
static void print_tile_places(Cuda *x, bool filling)
{
    uint32_t n = cuda_tile_chunks(x), w = (uint32_t)x->w, u = (uint32_t)x->plan.other;
    line(x, "const int c = threadIdx.x + k * %u;", x->plan.threads);
    line(x, "const %s i%u = %s + c %% %u * %u, i%u = %s + c / %u;", index_type(x), filling ? u : w,
         filling ? "u0" : "w0", n, x->vector, filling ? w : u, filling ? "w0" : "u0", n);
    int64_t side = (int64_t)n * x->vector, ew = x->s->vars[w].extent, eu = x->s->vars[u].extent;
    if (ew % side || eu % side)
        line(x, "if (i%u >= %lld || i%u >= %lld)\n%*scontinue;", w, (long long)ew, u,
             (long long)eu, 4 * (int)x->depth + 4, "");
}

static void open_tile_turns(Cuda *x, bool filling)
{
    line(x, "#pragma unroll");
    line(x, "for (int k = 0; k < %u; k++) {", x->plan.chunks);
    x->depth++;
    print_tile_places(x, filling);
}

static void close_tile_turns(Cuda *x)
{
    cuda_flush_body(x);
    x->depth--;
    line(x, "}");
}

/* Fills a tile of each input that is turned around: a row of it is read along the other loop. The
 * row's number decides where a chunk of it stands, so that columns lie in different banks. */
static void write_tiles(Cuda *x)
{
    uint32_t n = cuda_tile_chunks(x);
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (x->turned[i])
            line(x, "__shared__ Vec<%s, %u> tile%u[%u][%u];",
                 cuda_storage(x->s->points[i].dtype), x->vector, i, n * x->vector, n);
    begin_body(x);
    open_tile_turns(x, true);
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!x->turned[i])
            continue;
        StrBuf at = {0};
        cuda_print_form(x, x->s->points[i].form, false, &at);
        line(x, "tile%u[c / %u][c %% %u ^ c / %u] = load<%u>(in%u + %s);", i, n, n, n * x->vector,
             x->vector, cuda_input_number(x, i), sb_cstr(&at));
        sb_free(&at);
    }
    close_tile_turns(x);
}

/* A map with inputs that lie along another loop than the results. */
static void print_tiles(Cuda *x)
{
    int64_t side = (int64_t)cuda_tile_chunks(x) * x->vector, blocks;
    uint32_t loops[MAX_LOOPS], n = 0, u = (uint32_t)x->plan.other, w = (uint32_t)x->w;
    int64_t tw = ceil_div(x->s->vars[w].extent, side), tu = ceil_div(x->s->vars[u].extent, side);
    blocks = tw * tu;
    for (uint32_t i = 0; i < x->s->nloops; i++)
        if (i != u && i != w && x->s->vars[i].extent != 1) {
            loops[n++] = i;
            blocks *= x->s->vars[i].extent;
        }
    begin_shape(x, CUDA_map, x->line_mask, 0);
    open_kernel(x, "a map in tiles", x->plan.threads, blocks, 1);
    line(x, "const int w0 = blockIdx.x %% %lld * %lld, u0 = blockIdx.x / %lld %% %lld * %lld;",
         (long long)tw, (long long)side, (long long)tw, (long long)tu, (long long)side);
    line(x, "const %s rest = blockIdx.x / %lld;", index_type(x), (long long)(tw * tu));
    print_places(x, "rest", loops, n, false, x->out, x->depth);
    print_kept_registers(x, 'a');
    write_tiles(x);
    begin_body(x);
    x->keep_letter = 'a';
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (x->kept[i])
            cuda_print_keep(x, i, "k", false);
    cuda_flush_head(x);
    open_tile_turns(x, false);
    close_tile_turns(x);
    line(x, "__syncthreads();");
    x->kept_now = "k";
    begin_body(x);
    for (uint32_t i = 0; i < x->s->nstores; i++)
        cuda_print_store(x, i);
    cuda_flush_head(x);
    open_tile_turns(x, false);
    close_tile_turns(x);
    close_kernel(x);
}

/* Rows that threads share; with `pass` one pass of a staged plan, else all of them. */
static void print_row(Cuda *x, uint32_t pass)
{
    const CudaPlan *p = &x->plan;
    uint32_t at_once = p->threads / p->group;
    int64_t blocks = ceil_div(x->row_count, at_once);
    begin_shape(x, CUDA_row, x->line_mask, pass);
    open_kernel(x, pass ? "parts of rows" : "rows", p->threads, pass ? blocks * p->splits : blocks,
                1);
    if (pass) {
        line(x, "const int t = threadIdx.x, split = blockIdx.x %% %u, row = blockIdx.x / %u;",
             p->splits, p->splits);
    } else if (at_once == 1) {
        line(x, "const int t = threadIdx.x, row = blockIdx.x;");
    } else {
        line(x, "const int t = threadIdx.x %% %u, row = blockIdx.x * %u + threadIdx.x / %u;",
             p->group, at_once, p->group);
        if (x->row_count % at_once)
            line(x, "if (row >= %lld)\n        return;", (long long)x->row_count);
    }
    print_places(x, x->wide_index ? "(int64_t)row" : "row", x->rows, x->nrows, false, x->out,
                 x->depth);
    Turns t = {"c", "t", (int64_t)p->group * (pass ? p->splits : 1), x->line_chunks, p->chunks,
               false, x->line, x->nline, true};
    if (pass)
        snprintf(t.start, sizeof t.start, "split * %u + t", p->group);
    print_scratch(x, pass, false, pass ? PARTS_pass : PARTS_none);
    write_keep(x, &t);
    for (uint32_t k = 1; k <= x->passes; k++)
        if (pass == 0 || k == pass)
            write_pass(x, &t, k);
    if (pass) {
        write_parts(x, pass, "t == 0");
    } else {
        write_full_stores(x, &t);
        write_outer_stores(x, "t == 0", false);
    }
    close_kernel(x);
}

/* Partial results of folds across rows, one for each element of a thread's chunks. */
static void print_across_accs(Cuda *x)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!is_across(x, i))
            continue;
        StrBuf start = {0};
        cuda_print_start(x, i, &start);
        line(x, "%s acc%u[%u][%u];", cuda_acc_type(x, i), i, x->plan.chunks, x->vector);
        line(x, "#pragma unroll");
        line(x, "for (int k = 0; k < %u; k++)", x->plan.chunks);
        line(x, "    for (int j = 0; j < %u; j++)", x->vector);
        line(x, "        acc%u[k][j] = %s;", i, sb_cstr(&start));
        sb_free(&start);
    }
}

static void write_across_parts(Cuda *x, const Turns *t)
{
    bool vector = cuda_is_vector(x, x->across);
    StrBuf at = {0};
    cuda_print_form(x, x->across, !vector, &at);
    open_turns(x, t);
    x->depth++;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!is_across(x, i))
            continue;
        if (vector) {
            line(x, "store<%u>(part%u + split * %lld + %s, acc%u[k]);", x->vector, i,
                 (long long)x->s->reduced_numel, sb_cstr(&at), i);
            continue;
        }
        line(x, "for (int j = 0; j < %u; j++)", x->vector);
        line(x, "    part%u[split * %lld + %s] = acc%u[k][j];", i, (long long)x->s->reduced_numel,
             sb_cstr(&at), i);
    }
    x->depth--;
    line(x, "}");
    sb_free(&at);
}

/* Reads row `number` under letter n, in a scope of its own. */
static void write_ahead(Cuda *x, const Turns *t, const char *number)
{
    line(x, "if (%s < %lld) {", number, (long long)x->row_count);
    x->depth++;
    print_places(x, number, x->rows, x->nrows, false, x->out, x->depth);
    write_reads(x, t, "k", false, 'n');
    x->depth--;
    line(x, "}");
}

static void write_row(Cuda *x, const Turns *t, uint32_t step)
{
    const CudaPlan *p = &x->plan;
    print_places(x, "row", x->rows, x->nrows, false, x->out, x->depth);
    if (p->ahead) {
        print_kept_registers(x, 'a');
        line(x, "#pragma unroll");
        line(x, "for (int k = 0; k < %u; k++) {", p->chunks);
        for (uint32_t i = 0; i < x->s->npoints; i++)
            if (x->kept[i])
                line(x, "    a%u[k] = n%u[k];", i, i);
        line(x, "}");
        line(x, "const %s next = row + %u;", index_type(x), step);
        write_ahead(x, t, "next");
        x->kept_now = "k";
    } else {
        write_keep(x, t);
    }
    for (uint32_t k = 1; k <= x->passes; k++)
        write_pass(x, t, k);
    write_full_stores(x, t);
    write_outer_stores(x, "t == 0", false);
}

/* Columns that threads own; their rows are shared by the threads of a block, and by blocks. */
static void print_column(Cuda *x, uint32_t pass)
{
    const CudaPlan *p = &x->plan;
    uint32_t ty = p->threads / p->group;
    bool ragged = x->line_chunks % p->group != 0;
    begin_shape(x, CUDA_column, x->row_mask, pass);
    open_kernel(x, pass ? "parts of columns" : "columns", p->threads,
                ceil_div(x->line_chunks, p->group), pass ? p->splits : 1);
    line(x, "const int tx = threadIdx.x %% %u, ty = threadIdx.x / %u;", p->group, p->group);
    if (pass)
        line(x, "const int split = blockIdx.y;");
    const char *who = ragged ? "ty == 0 && live" : "ty == 0";
    if (ragged) {
        line(x, "const bool live = blockIdx.x * %u + tx < %lld;", p->group,
             (long long)x->line_chunks);
        line(x, "const %s c = live ? blockIdx.x * %u + tx : %lld;", index_type(x), p->group,
             (long long)x->line_chunks - 1);
    } else {
        line(x, "const %s c = blockIdx.x * %u + tx;", index_type(x), p->group);
    }
    print_places(x, "c", x->line, x->nline, true, x->out, x->depth);
    Turns t = {"r", "ty", (int64_t)ty * (pass ? p->splits : 1), x->row_count, p->chunks, false,
               x->rows, x->nrows, false};
    if (pass)
        snprintf(t.start, sizeof t.start, "split * %u + ty", ty);
    print_scratch(x, pass, false, pass ? PARTS_pass : PARTS_none);
    write_keep(x, &t);
    for (uint32_t k = 1; k <= x->passes; k++)
        if (pass == 0 || k == pass)
            write_pass(x, &t, k);
    if (pass) {
        write_parts(x, pass, who);
    } else {
        write_full_stores(x, &t);
        write_outer_stores(x, who, false);
    }
    close_kernel(x);
}

static bool is_part(const Cuda *x, uint32_t i, uint32_t pass, bool across)
{
    return across ? is_across(x, i) : is_made(x, i, pass);
}

/* Folds the parts of one pass, or of the folds across rows. */
static void print_combine(Cuda *x, uint32_t pass, bool across)
{
    CudaPlan saved = x->plan;
    int64_t results = across ? x->s->reduced_numel : x->s->outer_numel;
    Role role = across ? VAR_reduced : VAR_parallel;
    uint32_t loops[MAX_LOOPS], n = 0;
    begin_shape(x, CUDA_combine, 0, pass);
    uint32_t group = 1;
    while (group < (saved.splits > 64 ? 8 : 32) && group < results)
        group *= 2;
    x->plan.threads = 256;
    x->plan.group = group;
    x->vector = 1;
    cuda_find_elements(x);
    uint32_t ty = 256 / group;
    open_kernel(x, "folds the parts", 256, ceil_div(results, group), 1);
    line(x, "const int tx = threadIdx.x %% %u, ty = threadIdx.x / %u;", group, group);
    line(x, "const bool live = blockIdx.x * %u + tx < %lld;", group, (long long)results);
    line(x, "const int n = live ? blockIdx.x * %u + tx : 0;", group);
    for (uint32_t i = 0; i < x->s->nloops; i++)
        if (x->s->vars[i].role == role && x->s->vars[i].extent != 1)
            loops[n++] = i;
    print_places(x, x->wide_index ? "(int64_t)n" : "n", loops, n, false, x->out, x->depth);
    print_scratch(x, pass, !across, across ? PARTS_across : PARTS_pass);
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (is_part(x, i, pass, across))
            print_acc(x, i);
    line(x, "#pragma unroll 4");
    line(x, "for (int split = ty; split < %u; split += %u) {", saved.splits, ty);
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (is_part(x, i, pass, across))
            line(x, "    acc%u[0] = %s::of(acc%u[0], part%u[split * %lld + n]);", i,
                 cuda_fold(&x->s->points[i]), i, i, (long long)results);
    line(x, "}");
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (is_part(x, i, pass, across))
            print_fold(x, i);
    if (!across)
        line(x, "if (ty == 0 && live) {");
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (is_made(x, i, pass) && !across)
            line(x, "    red%u[n] = acc%u[0];", i, i);
    if (!across)
        line(x, "}");
    if (across || pass == x->passes)
        write_outer_stores(x, "ty == 0 && live", across);
    close_kernel(x);
    x->plan = saved;
}

/* Rows, and folds across them: blocks go through all rows and leave their parts of those folds. */
static void print_across(Cuda *x)
{
    const CudaPlan *p = &x->plan;
    uint32_t at_once = p->threads / p->group;
    begin_shape(x, CUDA_row, x->line_mask, 0);
    open_kernel(x, "rows, and parts of folds across them", p->threads, p->blocks, 1);
    if (at_once == 1)
        line(x, "const int t = threadIdx.x, split = blockIdx.x;");
    else
        line(x, "const int t = threadIdx.x %% %u, split = blockIdx.x * %u + threadIdx.x / %u;",
             p->group, at_once, p->group);
    Turns t = {"c", "t", p->group, x->line_chunks, p->chunks, false, x->line, x->nline, true};
    print_scratch(x, 0, false, PARTS_across);
    print_across_accs(x);
    if (p->ahead) {
        print_kept_registers(x, 'n');
        write_ahead(x, &t, "split");
    }
    line(x, "#pragma unroll 1");
    line(x, "for (%s row = split, turn = 0; row < %lld; row += %u, turn ^= 1) {", index_type(x),
         (long long)x->row_count, p->splits);
    x->depth++;
    memset(x->printed, 0, x->s->npoints);
    memset(x->var_printed, 0, sizeof x->var_printed);
    write_row(x, &t, p->splits);
    x->depth--;
    line(x, "}");
    write_across_parts(x, &t);
    close_kernel(x);
    print_combine(x, 0, true);
}

static void print_staged(Cuda *x)
{
    bool row = x->plan.shape == CUDA_row;
    for (uint32_t pass = 1; pass <= x->passes; pass++) {
        if (row)
            print_row(x, pass);
        else
            print_column(x, pass);
        print_combine(x, pass, false);
    }
    if (!x->full_stores)
        return;
    memset(x->kept, 0, x->s->npoints);
    x->plan.by_rows = false;
    cuda_choose_map(x);
    print_map(x, x->passes + 1);
}

/* ------------------------------------------------------------------------------------ the whole */

static void need_form(Cuda *x, Form f)
{
    for (uint32_t i = 0; i < f.n; i++) {
        const Var *v = &x->s->vars[f.terms[i].var];
        if (v->role == VAR_loaded)
            x->needed[v->point] = 1;
        else if (v->role == VAR_derived)
            need_form(x, v->of);
    }
}

/* Points that a store needs, and the passes that come before those. */
static void find_needed(Cuda *x)
{
    for (uint32_t i = 0; i < x->s->nstores; i++) {
        x->needed[x->s->stores[i].point] = 1;
        x->full_stores = x->full_stores || is_full(x, &x->s->stores[i]);
    }
    for (uint32_t i = x->s->npoints; i-- > 0;) {
        const Point *p = &x->s->points[i];
        if (!x->needed[i])
            continue;
        need_form(x, p->form);
        for (uint32_t k = 0; k < p->na; k++)
            x->needed[p->a[k]] = 1;
        if (p->kind == POINT_reduce && p->pass > x->passes)
            x->passes = p->pass;
        x->nacross += p->kind == POINT_reduce && p->across;
    }
}

/* Places in scratch memory for results, and for the parts of splits blocks. */
static void place_scratch(Cuda *x)
{
    int64_t at = 0, parts = x->plan.splits;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        bool across = is_across(x, i);
        if (x->s->points[i].kind != POINT_reduce || !x->needed[i] || !(across || x->plan.staged))
            continue;
        int64_t results = across ? x->s->reduced_numel : x->s->outer_numel;
        int64_t size = x->s->points[i].fold == FOLD_prod ? 8 : dtype_info[x->dtypes[i]].bytes;
        size = size < 4 ? 4 : size;
        int64_t bytes = (results * size + 255) / 256 * 256;
        x->place[i] = at;
        at += across ? 0 : bytes;
        x->parts[i] = at;
        at += bytes * parts;
    }
    x->launches->scratch = at;
}

static bool prepare(Cuda *x, Nest *s, const Region *r, uint32_t schedule, StrBuf *why)
{
    x->s = s;
    if (!nest_build_both_ways(s, r, why))
        return false;
    nest_merge_loops(s);
    uint32_t n = s->npoints + 1;
    x->needed = new_array(&s->arena, uint8_t, n);
    x->dtypes = new_array(&s->arena, uint8_t, n);
    x->coarse = new_array(&s->arena, uint8_t, n);
    x->elements = new_array(&s->arena, uint8_t, n);
    x->printed = new_array(&s->arena, uint8_t, n);
    x->kept = new_array(&s->arena, uint8_t, n);
    x->turned = new_array(&s->arena, uint8_t, n);
    x->place = new_array(&s->arena, int64_t, n);
    x->parts = new_array(&s->arena, int64_t, n);
    find_needed(x);
    cuda_find_dtypes(x);
    cuda_find_coarse(x);
    cuda_choose(x, schedule);
    if (x->plan.staged && 2 * x->passes + x->full_stores > MAX_LAUNCHES)
        return nest_fail(s, "its reductions follow one another more than three times");
    return true;
}

static void finish(Cuda *x)
{
    sb_free(&x->head);
    sb_free(&x->chunk);
    sb_free(&x->element);
    sb_free(&x->after);
    nest_free(x->s);
}

bool gen_cuda(const Region *r, const GenOptions *o, const GenTarget *g, uint32_t schedule,
              const char *symbol, GenCuda *plan, StrBuf *out, StrBuf *why)
{
    Nest s;
    *plan = (GenCuda){0};
    Cuda x = {.o = o, .g = g, .symbol = symbol, .launches = plan, .out = out};
    bool good = prepare(&x, &s, r, schedule, why);
    if (good && (x.s->outer_numel > 0 || x.s->full_numel > 0)) {
        place_scratch(&x);
        if (x.plan.staged)
            print_staged(&x);
        else if (x.nacross)
            print_across(&x);
        else if (x.plan.shape == CUDA_row)
            print_row(&x, 0);
        else if (x.plan.shape == CUDA_column)
            print_column(&x, 0);
        else if (x.plan.other >= 0)
            print_tiles(&x);
        else
            print_map(&x, 0);
    }
    finish(&x);
    return good;
}

uint32_t gen_cuda_schedules(const Region *r, const GenTarget *g)
{
    Nest s;
    GenCuda plan = {0};
    GenOptions o = {0};
    Cuda x = {.o = &o, .g = g, .launches = &plan};
    uint32_t n = prepare(&x, &s, r, 0, NULL) ? cuda_count_schedules(&x) : 0;
    finish(&x);
    return n;
}
