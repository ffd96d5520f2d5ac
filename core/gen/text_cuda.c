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
#include "lines.h"
#include "product.h"

#include <stdio.h>
#include <string.h>
/* -------------------------------------------------------------------------------------- kernels */

void cuda_begin_shape(Cuda *x, CudaShape shape, uint64_t inner, uint32_t pass)
{
    x->shape = shape;
    x->inner = inner;
    x->pass = pass;
    x->vector = x->plan.vector;
    x->ragged = false;
    x->kept_now = NULL;
    cuda_find_elements(x);
}

static void print_map(Cuda *x, uint32_t pass)
{
    const CudaPlan *p = &x->plan;
    int64_t tile = (int64_t)p->threads * p->chunks;
    Turns t = {.chunks = p->chunks};
    cuda_begin_shape(x, CUDA_map, p->by_rows ? x->row_mask : x->line_mask, pass);
    if (p->by_rows) {
        cuda_open_kernel(x, "a map", p->threads, cuda_ceil_div(x->line_chunks, p->threads),
                    cuda_ceil_div(x->row_count, p->chunks));
        cuda_line(x, "const int c = blockIdx.x * %u + threadIdx.x;", p->threads);
        if (x->line_chunks % p->threads)
            cuda_line(x, "if (c >= %lld)\n        return;", (long long)x->line_chunks);
        cuda_print_places(x, "c", x->line, x->nline, true, x->out, x->depth);
        t = (Turns){"r", "", 1, x->row_count, p->chunks, x->row_count % p->chunks != 0, x->rows,
                    x->nrows, false};
        snprintf(t.start, sizeof t.start, "blockIdx.y * %u", p->chunks);
    } else {
        cuda_open_kernel(x, "a map", p->threads, cuda_ceil_div(x->line_chunks, tile), 1);
        t = (Turns){"c", "", p->threads, x->line_chunks, p->chunks, x->line_chunks % tile != 0,
                    x->line, x->nline, true};
        snprintf(t.start, sizeof t.start, "blockIdx.x * (%s)%lld + threadIdx.x", cuda_index_type(x),
                 (long long)tile);
    }
    t.count = t.always_checked ? t.count : t.step * t.chunks;
    if (pass)
        cuda_print_scratch(x, pass, false, PARTS_none);
    cuda_write_keep(x, &t);
    cuda_write_full_stores(x, &t);
    cuda_close_kernel(x);
}

/* Which row a thread stands in; opens the loop over several. */
static void print_row_place(Cuda *x, uint32_t pass, uint32_t deep)
{
    const CudaPlan *p = &x->plan;
    uint32_t at_once = p->threads / p->group;
    if (pass) {
        cuda_line(x, "const int t = threadIdx.x, split = blockIdx.x %% %u, row = blockIdx.x / %u;",
             p->splits, p->splits);
    } else if (p->cluster) {
        cuda_line(x, "const int t = threadIdx.x, rank = blockIdx.x %% %u, row = blockIdx.x / %u;",
                  p->cluster, p->cluster);
    } else if (at_once == 1) {
        cuda_line(x, "const int t = threadIdx.x, row = blockIdx.x;");
    } else if (deep > 1) {
        cuda_line(x, "const int t = threadIdx.x %% %u;", p->group);
        cuda_line(x, "#pragma unroll");
        cuda_line(x, "for (int n = 0; n < %u; n++) {", deep);
        x->depth++;
        cuda_line(x, "const int row = (blockIdx.x * %u + n) * %u + threadIdx.x / %u;", deep,
                  at_once, p->group);
    } else {
        cuda_line(x, "const int t = threadIdx.x %% %u, row = blockIdx.x * %u + threadIdx.x / %u;",
             p->group, at_once, p->group);
        if (x->row_count % at_once)
            cuda_line(x, "if (row >= %lld)\n        return;", (long long)x->row_count);
    }
    cuda_print_places(x, x->wide_index ? "(int64_t)row" : "row", x->rows, x->nrows, false, x->out,
                 x->depth);
}

/* Rows that threads share; with `pass` one pass of a staged plan, else all of them. */
static void print_row(Cuda *x, uint32_t pass)
{
    const CudaPlan *p = &x->plan;
    uint32_t at_once = p->threads / p->group;
    uint32_t deep = pass ? 1 : p->deep;
    int64_t blocks = cuda_ceil_div(x->row_count, at_once * deep);
    cuda_begin_shape(x, CUDA_row, x->line_mask, pass);
    cuda_open_kernel(x, pass ? "parts of rows" : "rows", p->threads,
                     pass ? blocks * p->splits : p->cluster ? blocks * p->cluster : blocks, 1);
    print_row_place(x, pass, deep);
    uint32_t blocks_of_row = pass ? p->splits : p->cluster ? p->cluster : 1;
    Turns t = {"c", "t", (int64_t)p->group * blocks_of_row, x->line_chunks, p->chunks,
               false, x->line, x->nline, true};
    if (p->cluster)
        snprintf(t.start, sizeof t.start, "rank * %u + t", p->group);
    if (pass)
        snprintf(t.start, sizeof t.start, "split * %u + t", p->group);
    cuda_print_scratch(x, pass, false, pass ? PARTS_pass : PARTS_none);
    cuda_write_keep(x, &t);
    for (uint32_t k = 1; k <= x->passes; k++)
        if (pass == 0 || k == pass)
            cuda_write_pass(x, &t, k);
    if (pass) {
        cuda_write_parts(x, pass, "t == 0");
        if (p->ticket)
            cuda_write_last_row(x, pass);
    } else if (!x->early) {
        cuda_write_full_stores(x, &t);
    }
    if (!pass || p->ticket)
        cuda_write_outer_stores(x, p->cluster ? "rank == 0 && t == 0" : "t == 0",
                                OUTER_rows);
    if (p->cluster)
        cuda_line(x, "meet_cluster(); // nobody leaves whose memory is still read");
    if (deep > 1) {
        x->depth--;
        cuda_line(x, "}");
    }
    cuda_close_kernel(x);
}

/* Partial results of folds across rows, one for each element of a thread's chunks. */
static void print_across_accs(Cuda *x)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!cuda_is_across(x, i))
            continue;
        StrBuf start = {0};
        cuda_print_start(x, i, &start);
        cuda_line(x, "%s acc%u[%u][%u];", cuda_acc_type(x, i), i, x->plan.chunks, x->vector);
        cuda_line(x, "#pragma unroll");
        cuda_line(x, "for (int k = 0; k < %u; k++)", x->plan.chunks);
        cuda_line(x, "    for (int j = 0; j < %u; j++)", x->vector);
        cuda_line(x, "        acc%u[k][j] = %s;", i, sb_cstr(&start));
        sb_free(&start);
    }
}

/* One fold after another, the rows of a block meet in shared memory; what they come to is the
 * block's part. */
static void write_met_parts(Cuda *x, const Turns *t)
{
    const CudaPlan *p = &x->plan;
    uint32_t at_once = p->threads / p->group;
    long long all = (long long)x->s->reduced_numel;
    bool first = true;
    StrBuf at = {0};
    cuda_print_form(x, x->across, true, &at);
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!cuda_is_across(x, i))
            continue;
        if (first)
            cuda_line(x, "__shared__ %s meet[%u][%lld];", cuda_acc_type(x, i), at_once, all);
        first = false;
        cuda_open_turns(x, t);
        x->depth++;
        cuda_line(x, "#pragma unroll");
        cuda_line(x, "for (int j = 0; j < %u; j++)", x->vector);
        cuda_line(x, "    meet[threadIdx.x / %u][%s] = acc%u[k][j];", p->group, sb_cstr(&at), i);
        x->depth--;
        cuda_line(x, "}");
        cuda_line(x, "__syncthreads();");
        cuda_line(x, "for (int n = threadIdx.x; n < %lld; n += %u) {", all, p->threads);
        cuda_line(x, "    %s v = meet[0][n];", cuda_acc_type(x, i));
        cuda_line(x, "    for (int k = 1; k < %u; k++)", at_once);
        cuda_line(x, "        v = %s::of(v, meet[k][n]);", cuda_fold(&x->s->points[i]));
        cuda_line(x, "    part%u[blockIdx.x * %lld + n] = v;", i, all);
        cuda_line(x, "}");
        cuda_line(x, "__syncthreads();");
    }
    sb_free(&at);
}

static void write_across_parts(Cuda *x, const Turns *t)
{
    bool vector = cuda_is_vector(x, x->across);
    StrBuf at = {0};
    cuda_print_form(x, x->across, !vector, &at);
    cuda_open_turns(x, t);
    x->depth++;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!cuda_is_across(x, i))
            continue;
        if (vector) {
            cuda_line(x, "store<%u>(part%u + split * %lld + %s, acc%u[k]);", x->vector, i,
                 (long long)x->s->reduced_numel, sb_cstr(&at), i);
            continue;
        }
        cuda_line(x, "for (int j = 0; j < %u; j++)", x->vector);
        cuda_line(x, "    part%u[split * %lld + %s] = acc%u[k][j];", i,
                  (long long)x->s->reduced_numel, sb_cstr(&at), i);
    }
    x->depth--;
    cuda_line(x, "}");
    sb_free(&at);
}

/* How many times some rows are taken together. */
static int64_t row_groups(const Cuda *x)
{
    return x->row_count / (x->plan.together > 1 ? x->plan.together : 1);
}

/* Asks for row `number`, which is to come to `place` of the arrays with letter n, in a scope of its
 * own: what is printed there is not known behind it. */
static void write_ahead(Cuda *x, const Turns *t, const char *number, const char *place)
{
    size_t n = x->s->npoints;
    uint8_t vars[MAX_VARS], *points = arena_copy(&x->s->arena, x->printed, n);
    memcpy(vars, x->var_printed, sizeof vars);
    cuda_line(x, "const %s next = %s;", cuda_index_type(x), number);
    cuda_line(x, "if (next < %lld) {", (long long)row_groups(x));
    x->depth++;
    if (x->plan.together < 2)
        cuda_print_places(x, "next", x->rows, x->nrows, false, x->out, x->depth);
    cuda_open_rows(x, "next");
    cuda_write_reads(x, t, place, true, 'n');
    cuda_close_rows(x);
    x->depth--;
    cuda_line(x, "}");
    cuda_line(x, "end_group();");
    memcpy(x->var_printed, vars, sizeof vars);
    memcpy(x->printed, points, n);
}

/* Rows wait in a ring in shared memory, of which a thread reads what it copied there itself, so
 * that no barrier is needed. Its place for chunk k of the row in `slot`. */
static void print_ring_place(const Cuda *x, const char *slot, char *place, size_t size)
{
    const CudaPlan *p = &x->plan;
    if (p->together > 1)
        snprintf(place, size, "((%s * %u + r) * %u + k) * %u + threadIdx.x", slot, p->together,
                 p->chunks, p->threads);
    else
        snprintf(place, size, "(%s * %u + k) * %u + threadIdx.x", slot, p->chunks, p->threads);
}

static void open_ring(Cuda *x, const Turns *t)
{
    const CudaPlan *p = &x->plan;
    int64_t offset = 0, each = (int64_t)p->ring * p->chunks * p->threads * x->vector;
    each *= p->together > 1 ? p->together : 1;
    char place[96], number[96];
    cuda_line(x, "SHARED_POOL(pool);");
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!x->kept[i])
            continue;
        const char *type = cuda_storage(x->s->points[i].dtype);
        cuda_line(x, "Vec<%s, %u> *n%u = (Vec<%s, %u> *)(pool + %lld);", type, x->vector, i, type,
                  x->vector, (long long)offset);
        offset += (each * dtype_info[x->s->points[i].dtype].bytes + 15) / 16 * 16;
    }
    x->launches->launch[x->launches->nlaunch - 1].shared = (uint32_t)offset;
    cuda_line(x, "for (int slot = 0; slot < %u; slot++) {", p->ring - 1);
    x->depth++;
    print_ring_place(x, "slot", place, sizeof place);
    snprintf(number, sizeof number, "split + slot * %u", p->rows);
    write_ahead(x, t, number, place);
    x->depth--;
    cuda_line(x, "}");
    cuda_line(x, "int slot = 0;");
}

/* Asks for the row that comes last into the ring and waits for the one under way. */
static void take_from_ring(Cuda *x, const Turns *t)
{
    const CudaPlan *p = &x->plan;
    char place[96], number[96];
    cuda_line(x, "const int last = slot ? slot - 1 : %u;", p->ring - 1);
    cuda_line(x, "{");
    x->depth++;
    print_ring_place(x, "last", place, sizeof place);
    snprintf(number, sizeof number, "row + %u", (p->ring - 1) * p->rows);
    write_ahead(x, t, number, place);
    x->depth--;
    cuda_line(x, "}");
    cuda_line(x, "groups_done<%u>();", p->ring - 1);
    cuda_print_kept_registers(x, 'a');
    x->kept_now = p->together > 1 ? "r][k" : "k";
    if (p->together > 1) {
        cuda_line(x, "#pragma unroll");
        cuda_line(x, "for (int r = 0; r < %u; r++)", p->together);
    }
    cuda_line(x, "#pragma unroll");
    cuda_line(x, "for (int k = 0; k < %u; k++) {", p->chunks);
    print_ring_place(x, "slot", place, sizeof place);
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (x->kept[i])
            cuda_line(x, "    a%u[%s] = n%u[%s];", i, x->kept_now, i, place);
    cuda_line(x, "}");
    cuda_line(x, "slot = slot == %u ? 0 : slot + 1;", p->ring - 1);
}

static void write_row(Cuda *x, const Turns *t)
{
    if (x->plan.together < 2)
        cuda_print_places(x, "row", x->rows, x->nrows, false, x->out, x->depth);
    if (x->plan.ring)
        take_from_ring(x, t);
    else
        cuda_write_keep(x, t);
    for (uint32_t k = 1; k <= x->passes; k++)
        cuda_write_pass(x, t, k);
    cuda_open_rows(x, "row");
    cuda_write_full_stores(x, t);
    cuda_write_outer_stores(x, "t == 0", OUTER_rows);
    cuda_close_rows(x);
}

/* Columns that threads own; their rows are shared by the threads of a block, and by blocks. */
static void print_column(Cuda *x, uint32_t pass)
{
    const CudaPlan *p = &x->plan;
    uint32_t ty = p->threads / p->group;
    bool ragged = x->line_chunks % p->group != 0;
    cuda_begin_shape(x, CUDA_column, x->row_mask, pass);
    cuda_open_kernel(x, pass ? "parts of columns" : "columns", p->threads,
                cuda_ceil_div(x->line_chunks, p->group), pass ? p->splits : 1);
    cuda_line(x, "const int tx = threadIdx.x %% %u, ty = threadIdx.x / %u;", p->group, p->group);
    if (pass)
        cuda_line(x, "const int split = blockIdx.y;");
    const char *who = ragged ? "ty == 0 && live" : "ty == 0";
    x->ragged = ragged;
    if (ragged) {
        cuda_line(x, "const bool live = blockIdx.x * %u + tx < %lld;", p->group,
             (long long)x->line_chunks);
        cuda_line(x, "const %s c = live ? blockIdx.x * %u + tx : %lld;", cuda_index_type(x),
                  p->group, (long long)x->line_chunks - 1);
    } else {
        cuda_line(x, "const %s c = blockIdx.x * %u + tx;", cuda_index_type(x), p->group);
    }
    cuda_print_places(x, "c", x->line, x->nline, true, x->out, x->depth);
    Turns t = {"r", "ty", (int64_t)ty * (pass ? p->splits : 1), x->row_count, p->chunks, false,
               x->rows, x->nrows, false};
    if (pass)
        snprintf(t.start, sizeof t.start, "split * %u + ty", ty);
    cuda_print_scratch(x, pass, false, pass ? PARTS_pass : PARTS_none);
    cuda_write_keep(x, &t);
    for (uint32_t k = 1; k <= x->passes; k++)
        if (pass == 0 || k == pass)
            cuda_write_pass(x, &t, k);
    if (pass)
        cuda_write_parts(x, pass, who);
    if (pass && p->ticket)
        cuda_write_last(x, pass);
    if (!pass && !x->early)
        cuda_write_full_stores(x, &t);
    if (!pass || p->ticket)
        cuda_write_outer_stores(x, who, OUTER_rows);
    cuda_close_kernel(x);
}

static bool is_part(const Cuda *x, uint32_t i, uint32_t pass, bool across)
{
    return across ? cuda_is_across(x, i) : cuda_is_made(x, i, pass);
}

/* Folds the parts of one pass, or of the folds across rows. */
static void print_combine(Cuda *x, uint32_t pass, bool across)
{
    CudaPlan saved = x->plan;
    int64_t results = across ? x->s->reduced_numel : x->s->outer_numel;
    Role role = across ? VAR_reduced : VAR_parallel;
    uint32_t loops[MAX_LOOPS], n = 0;
    cuda_begin_shape(x, CUDA_combine, 0, pass);
    uint32_t group = 1;
    while (group < (saved.splits > 64 ? 8 : 32) && group < results)
        group *= 2;
    x->plan.threads = 256;
    x->plan.group = group;
    x->vector = 1;
    cuda_find_elements(x);
    uint32_t ty = 256 / group;
    cuda_open_kernel(x, "folds the parts", 256, cuda_ceil_div(results, group), 1);
    cuda_line(x, "const int tx = threadIdx.x %% %u, ty = threadIdx.x / %u;", group, group);
    cuda_line(x, "const bool live = blockIdx.x * %u + tx < %lld;", group, (long long)results);
    cuda_line(x, "const int n = live ? blockIdx.x * %u + tx : 0;", group);
    for (uint32_t i = 0; i < x->s->nloops; i++)
        if (x->s->vars[i].role == role && x->s->vars[i].extent != 1)
            loops[n++] = i;
    cuda_print_places(x, x->wide_index ? "(int64_t)n" : "n", loops, n, false, x->out, x->depth);
    cuda_print_scratch(x, pass, !across, across ? PARTS_across : PARTS_pass);
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (is_part(x, i, pass, across))
            cuda_print_acc(x, i);
    cuda_line(x, "#pragma unroll 4");
    cuda_line(x, "for (int split = ty; split < %u; split += %u) {", saved.splits, ty);
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (is_part(x, i, pass, across) && !cuda_is_online_second(x, i))
            cuda_line(x, "    acc%u[0] = %s::of(acc%u[0], part%u[split * %lld + n]);", i,
                 cuda_fold(&x->s->points[i]), i, i, (long long)results);
    cuda_line(x, "}");
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!is_part(x, i, pass, across))
            continue;
        if (cuda_is_online_second(x, i))
            cuda_write_online_parts(x, i, &saved, results, ty);
        cuda_print_fold(x, i);
    }
    if (!across)
        cuda_line(x, "if (ty == 0 && live) {");
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (cuda_is_made(x, i, pass) && !across)
            cuda_line(x, "    red%u[n] = acc%u[0];", i, i);
    if (!across)
        cuda_line(x, "}");
    if (across || pass == x->passes)
        cuda_write_outer_stores(x, "ty == 0 && live", across ? OUTER_across : OUTER_rows);
    cuda_close_kernel(x);
    x->plan = saved;
}

/* Rows, and folds across them: blocks go through all rows and leave their parts of those folds. */
static void print_across(Cuda *x)
{
    const CudaPlan *p = &x->plan;
    uint32_t at_once = p->threads / p->group;
    cuda_begin_shape(x, CUDA_row, x->line_mask, 0);
    cuda_open_kernel(x, "rows, and parts of folds across them", p->threads, p->blocks, 1);
    if (at_once == 1)
        cuda_line(x, "const int t = threadIdx.x, split = blockIdx.x;");
    else
        cuda_line(x, "const int t = threadIdx.x %% %u, split = blockIdx.x * %u + threadIdx.x / %u;",
             p->group, at_once, p->group);
    Turns t = {"c", "t", p->group, x->line_chunks, p->chunks, false, x->line, x->nline, true};
    cuda_print_scratch(x, 0, false, PARTS_across);
    print_across_accs(x);
    cuda_write_lines(x, &t);
    if (p->ring)
        open_ring(x, &t);
    cuda_line(x, "#pragma unroll 1");
    cuda_line(x, "for (%s row = split, turn = 0; row < %lld; row += %u, turn ^= 1) {",
              cuda_index_type(x), (long long)row_groups(x), p->rows);
    x->depth++;
    memset(x->printed, 0, x->s->npoints);
    memset(x->var_printed, 0, sizeof x->var_printed);
    write_row(x, &t);
    x->depth--;
    cuda_line(x, "}");
    if (p->splits == p->rows)
        write_across_parts(x, &t);
    else
        write_met_parts(x, &t);
    cuda_close_kernel(x);
    print_combine(x, 0, true);
}

static void print_staged(Cuda *x)
{
    bool row = x->plan.shape == CUDA_row;
    for (uint32_t pass = 1; pass <= x->passes; pass++) {
        if (row)
            print_row(x, pass);
        else if (x->plan.other >= 0)
            cuda_print_column_tiles(x, pass);
        else
            print_column(x, pass);
        if (!x->plan.ticket)
            print_combine(x, pass, false);
    }
    if (!x->full_stores || x->early)
        return;
    memset(x->kept, 0, x->s->npoints);
    x->plan.by_rows = false;
    cuda_choose_map(x);
    print_map(x, x->passes + 1);
}

/* Folds of everything: one block folds what the launches before left of each row. */
static void print_wholes(Cuda *x)
{
    enum { MOST = 1024 };
    CudaPlan saved = x->plan;
    long long rows = (long long)x->s->outer_numel;
    cuda_begin_shape(x, CUDA_combine, 0, 0);
    x->plan.threads = 32;
    while (x->plan.threads < MOST && x->plan.threads < rows)
        x->plan.threads *= 2;
    x->plan.group = x->vector = 1;
    cuda_find_elements(x);
    cuda_open_kernel(x, "folds what rows came to", x->plan.threads, 1, 1);
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!cuda_is_whole(x, i))
            continue;
        const char *type = cuda_acc_type(x, i);
        cuda_line(x, "const %s *part%u = (const %s *)(scratch + %lld);", type, i, type,
                  (long long)x->parts[i]);
        cuda_print_acc(x, i);
        cuda_line(x, "#pragma unroll 8");
        cuda_line(x, "for (int n = threadIdx.x; n < %lld; n += %u)", rows, x->plan.threads);
        cuda_line(x, "    acc%u[0] = %s::of(acc%u[0], part%u[n]);", i, cuda_fold(&x->s->points[i]),
                  i, i);
        cuda_print_fold(x, i);
    }
    cuda_write_outer_stores(x, "threadIdx.x == 0", OUTER_whole);
    cuda_close_kernel(x);
    x->plan = saved;
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
        x->full_stores = x->full_stores || nest_is_full(x->s, &x->s->stores[i]);
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
        x->nacross += cuda_is_across(x, i);
        x->wholes = x->wholes || cuda_is_whole(x, i);
    }
}

/* Places in scratch memory for results, and for the parts of splits blocks. */
static void place_scratch(Cuda *x)
{
    int64_t at = 0, parts = x->plan.splits;
    if (x->plan.ticket) { /* one of 4 bytes for each fold that blocks share */
        bool row = x->plan.shape == CUDA_row;
        at = 4 * (row                  ? x->row_count
                  : x->plan.other >= 0 ? cuda_tile_blocks(x)
                                       : cuda_ceil_div(x->line_chunks, x->plan.group));
        at = cuda_ceil_div(at, 256) * 256;
    }
    x->launches->zeros = at;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        bool across = cuda_is_across(x, i), whole = cuda_is_whole(x, i);
        if (x->s->points[i].kind != POINT_reduce || !x->needed[i] ||
            !(across || whole || x->plan.staged))
            continue;
        int64_t results = across ? x->s->reduced_numel : x->s->outer_numel;
        int64_t size = x->s->points[i].fold == FOLD_prod ? 8 : dtype_info[x->dtypes[i]].bytes;
        size = size < 4 ? 4 : size;
        int64_t bytes = (results * size + 255) / 256 * 256;
        x->place[i] = at;
        at += across || whole ? 0 : bytes;
        x->parts[i] = at;
        at += whole ? bytes : bytes * parts;
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
    x->online = new_array(&s->arena, uint32_t, n);
    x->elements = new_array(&s->arena, uint8_t, n);
    x->printed = new_array(&s->arena, uint8_t, n);
    x->kept = new_array(&s->arena, uint8_t, n);
    x->turned = new_array(&s->arena, uint8_t, n);
    x->stays = new_array(&s->arena, uint8_t, n);
    x->place = new_array(&s->arena, int64_t, n);
    x->parts = new_array(&s->arena, int64_t, n);
    find_needed(x);
    cuda_find_dtypes(x);
    cuda_find_coarse(x);
    cuda_choose(x, schedule);
    cuda_find_online(x);
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
    if (region_has_lines(r))
        return lines_cuda(r, g, symbol, plan, out, why);
    if (region_has_sums(r))
        return sums_cuda(r, symbol, plan, out, why);
    if (region_has_product(r))
        return products_cuda(r, o, g, schedule, symbol, plan, out, why);
    Cuda x = {.o = o, .g = g, .symbol = symbol, .launches = plan, .out = out};
    bool good = prepare(&x, &s, r, schedule, why);
    bool across = x.nacross && x.s->reduced_numel > 0; /* folds of no rows have results, too */
    if (good && (x.s->outer_numel > 0 || x.s->full_numel > 0 || across)) {
        place_scratch(&x);
        if (x.plan.staged)
            print_staged(&x);
        else if (x.nacross)
            print_across(&x);
        else if (x.plan.shape == CUDA_row)
            print_row(&x, 0);
        else if (x.plan.shape == CUDA_column && x.plan.other >= 0)
            cuda_print_column_tiles(&x, 0);
        else if (x.plan.shape == CUDA_column)
            print_column(&x, 0);
        else if (x.plan.other >= 0)
            cuda_print_tiles(&x);
        else
            print_map(&x, 0);
        if (x.wholes)
            print_wholes(&x);
    }
    finish(&x);
    return good;
}

/* Rows that fit into a warp's registers, each of which is folded by itself. */
static bool fits_warp(const Cuda *x, StrBuf *why)
{
    enum { MOST = 256 }; /* bytes of a row that a lane keeps */
    bool good = x->plan.shape == CUDA_row && !x->nacross && !x->wide_index &&
                x->plan.chunks * cuda_keep_bytes(x) <= MOST && x->s->nstores == 1 &&
                x->s->r->nouts == 1 && nest_is_full(x->s, &x->s->stores[0]);
    if (!good && why)
        sb_puts(why, "its rows are no short rows that are folded");
    return good;
}

static void print_row_function(Cuda *x, const char *name)
{
    const Region *r = x->s->r;
    cuda_begin_shape(x, CUDA_row, x->line_mask, 0);
    sb_printf(x->out, "/* A warp computes a row of %.*s. */\nINLINE void %s(",
              STR(value_get(r->t, r->outs[0])->name), name);
    for (uint32_t i = 0; i < x->s->ninputs; i++) {
        const Type *type = &value_get(r->t, x->s->inputs[i])->type;
        sb_printf(x->out, "const %s *in%u, ", cuda_storage((DType)type->dtype), i);
    }
    sb_printf(x->out, "\n    %s *out0, int *error)\n{\n    int &bad = *error;\n",
              cuda_storage((DType)value_get(r->t, r->outs[0])->type.dtype));
    x->depth = 1;
    cuda_line(x, "const int t = threadIdx.x %% 32, row = 0;");
    cuda_print_places(x, "row", x->rows, x->nrows, false, x->out, x->depth);
    Turns t = {"c", "t", 32, x->line_chunks, x->plan.chunks, false, x->line, x->nline, true};
    cuda_write_keep(x, &t);
    for (uint32_t k = 1; k <= x->passes; k++)
        cuda_write_pass(x, &t, k);
    if (!x->early)
        cuda_write_full_stores(x, &t);
    cuda_close_kernel(x);
}

bool cuda_rows_function(const Region *r, const GenOptions *o, const GenTarget *g, const char *name,
                        StrBuf *out, StrBuf *why)
{
    Nest s;
    GenCuda none = {.nlaunch = 1};
    Cuda x = {.o = o, .g = g, .launches = &none, .by_warp = true, .out = out};
    bool good = prepare(&x, &s, r, 0, why) && fits_warp(&x, why);
    if (good && out)
        print_row_function(&x, name);
    finish(&x);
    return good;
}

uint32_t gen_cuda_schedules(const Region *r, const GenTarget *g)
{
    Nest s;
    GenCuda plan = {0};
    GenOptions o = {0};
    StrBuf why = {0};
    if (region_has_lines(r))
        return lines_fit(r, NULL) ? 1 : 0;
    if (region_has_sums(r))
        return sums_fit(r, NULL) ? 1 : 0;
    if (region_has_product(r))
        return products_schedules(r, g);
    Cuda x = {.o = &o, .g = g, .launches = &plan};
    uint32_t n = prepare(&x, &s, r, 0, &why) ? cuda_count_schedules(&x) : 0;
    finish(&x);
    sb_free(&why);
    return n;
}
