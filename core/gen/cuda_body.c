/*
 * cuda_body.c - the pieces that kernels are put together from.
 *
 * Where a thread stands, the loop over its chunks, what it keeps of them, a pass of reductions with
 * the fold behind it, stores. Which pieces a kernel has, and in which order, is text_cuda.c's.
 */
#include "cuda.h"

#include <stdio.h>
#include <string.h>

void cuda_line(Cuda *x, const char *fmt, ...)
{
    va_list ap;
    sb_pad(x->out, ' ', (size_t)4 * x->depth);
    va_start(ap, fmt);
    sb_vprintf(x->out, fmt, ap);
    va_end(ap);
    sb_putc(x->out, '\n');
}

const char *cuda_index_type(const Cuda *x)
{
    return x->wide_index ? "int64_t" : "int";
}

int64_t cuda_ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* ------------------------------------------------------------------------------------ signature */

static void print_parameters(Cuda *x)
{
    const Region *r = x->s->r;
    for (uint32_t i = 0; i < x->s->ninputs; i++) {
        const Value *v = value_get(r->t, x->s->inputs[i]);
        sb_printf(x->out, "    const %s *%sin%u, // %.*s: ", cuda_storage((DType)v->type.dtype),
                  nest_input_is_under(x->s, i) ? "" : "__restrict__ ", i, STR(v->name));
        type_print(&v->type, NULL, x->out);
        sb_putc(x->out, '\n');
    }
    for (uint32_t i = 0; i < r->nouts; i++) {
        const Value *v = value_get(r->t, r->outs[i]);
        sb_printf(x->out, "    %s *%sout%u, // %.*s: ", cuda_storage((DType)v->type.dtype),
                  nest_result_is_over(x->s, i) ? "" : "__restrict__ ", i, STR(v->name));
        type_print(&v->type, NULL, x->out);
        sb_putc(x->out, '\n');
    }
    if (x->launches->scratch)
        sb_puts(x->out, "    char *scratch,\n");
    sb_puts(x->out, "    int *error)\n{\n    int &bad = *error;\n");
}

/* What stands before the first statement. A launch of few blocks waits more than it works: it lets
 * the next one begin at once, and asks for small inputs of the program, which are there before the
 * launch before this one has ended. */
static void print_wait(Cuda *x, const GenLaunch *l)
{
    enum { MOST_BYTES = 16384 };
    bool few = (int64_t)l->grid[0] * l->grid[1] <= 2 * (int64_t)x->g->sms;
    for (uint32_t i = 0; i < x->s->ninputs && few; i++) {
        ValueId v = x->s->inputs[i];
        int64_t bytes = type_bytes(&value_get(x->s->r->t, v)->type);
        if (bytes > 0 && bytes <= MOST_BYTES && trace_is_input(x->s->r->t, v))
            sb_printf(x->out, "    ask_for<%lld, %u>(in%u);\n", (long long)bytes, l->block[0], i);
    }
    sb_puts(x->out, few ? "    let_later_begin();\n    wait_for_earlier();\n"
                        : "    wait_for_earlier();\n    let_later_begin();\n");
}

/* Opens a kernel of that many blocks. Blocks that go through all rows are all there at once. */
void cuda_open_kernel(Cuda *x, const char *what, uint32_t threads, int64_t gx, int64_t gy)
{
    GenLaunch *l = &x->launches->launch[x->launches->nlaunch];
    *l = (GenLaunch){.grid = {(uint32_t)gx, (uint32_t)gy, 1}, .block = {threads, 1, 1}};
    if (x->launches->nlaunch)
        snprintf(l->name, sizeof l->name, "%s_%u", x->symbol, x->launches->nlaunch);
    else
        snprintf(l->name, sizeof l->name, "%s", x->symbol);
    sb_printf(x->out, "%s// %s: %lld x %lld blocks of %u threads\n",
              x->launches->nlaunch ? "\n" : "", what, (long long)gx, (long long)gy, threads);
    bool cluster = x->plan.cluster && x->shape == CUDA_row;
    sb_puts(x->out, "extern \"C\" __global__ void ");
    if (cluster)
        sb_printf(x->out, "__cluster_dims__(%u, 1, 1) ", x->plan.cluster);
    sb_printf(x->out, "__launch_bounds__(%u", threads);
    l->cluster = cluster ? x->plan.cluster : 0;
    if (x->plan.resident && (x->shape == CUDA_row || x->shape == CUDA_column))
        sb_printf(x->out, ", %u", x->plan.resident);
    sb_printf(x->out, ")\n%s(\n", l->name);
    x->launches->nlaunch++;
    x->depth = 1;
    memset(x->printed, 0, x->s->npoints);
    memset(x->var_printed, 0, sizeof x->var_printed);
    print_parameters(x);
    l->early = true;
    print_wait(x, l);
}

void cuda_close_kernel(Cuda *x)
{
    sb_puts(x->out, "}\n");
}

/* --------------------------------------------------------------------------------------- places */

/* The loop variables of element (or chunk) `number` of a space. */
void cuda_print_places(Cuda *x, const char *number, const uint32_t *loops, uint32_t n,
                         bool chunks, StrBuf *b, uint32_t depth)
{
    int64_t below = 1;
    for (uint32_t i = n; i-- > 0;) {
        bool chunked = chunks && (int32_t)loops[i] == x->w && x->vector > 1;
        int64_t extent = x->s->vars[loops[i]].extent / (chunked ? x->vector : 1);
        sb_pad(b, ' ', (size_t)4 * depth);
        sb_printf(b, "const %s i%u = %s", cuda_index_type(x), loops[i], number);
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

/* Scratch memory as arrays: results of passes, parts of single blocks. */
void cuda_print_scratch(Cuda *x, uint32_t pass, bool results, Parts parts)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (p->kind != POINT_reduce || !x->needed[i])
            continue;
        const char *type = cuda_acc_type(x, i);
        bool earlier = !p->across && p->pass < pass, now = !p->across && p->pass == pass;
        if (earlier || (results && now))
            cuda_line(x, "%s%s *red%u = (%s *)(scratch + %lld);", earlier ? "const " : "", type, i,
                      type, (long long)x->place[i]);
        if (parts == PARTS_across ? cuda_is_across(x, i) : parts == PARTS_pass && now)
            cuda_line(x, "%s *part%u = (%s *)(scratch + %lld);", type, i, type,
                      (long long)x->parts[i]);
    }
}

/* ------------------------------------------------------------------------ the loop over chunks */

/* So many that enough bytes of a thread are under way. */
static uint32_t turns_at_once(const Cuda *x)
{
    int64_t bytes = cuda_keep_bytes(x);
    bool writes = x->early && x->full_stores;
    bool registers = x->shape == CUDA_column && x->plan.resident; /* there are enough for more */
    return x->kept_now || writes || bytes > 16 || bytes == 0 ? 4
           : bytes > 4 && !registers                         ? 8
                                                             : 16;
}

void cuda_open_turns(Cuda *x, const Turns *t)
{
    if (x->shape == CUDA_column && x->plan.other >= 0) {
        cuda_open_tile_turns(x);
        return;
    }
    if (t->chunks) {
        bool whole = (int64_t)t->chunks * t->step == t->count && !t->always_checked;
        cuda_line(x, "#pragma unroll");
        cuda_line(x, "for (int k = 0; k < %u; k++) {", t->chunks);
        x->depth++;
        cuda_line(x, "const %s %s = %s + k * %lld;", cuda_index_type(x), t->number, t->start,
             (long long)t->step);
        if (t->always_checked)
            cuda_line(x, "if (%s >= %lld)\n%*sbreak;", t->number, (long long)t->count,
                 4 * (int)x->depth + 4, "");
        else if (!whole)
            cuda_line(x, "if (k == %u && %s >= %lld)\n%*sbreak;", t->chunks - 1, t->number,
                 (long long)t->count, 4 * (int)x->depth + 4, "");
    } else {
        cuda_line(x, "#pragma unroll %u", turns_at_once(x));
        cuda_line(x, "for (%s %s = %s; %s < %lld; %s += %lld) {", cuda_index_type(x), t->number,
                  t->start, t->number, (long long)t->count, t->number, (long long)t->step);
        x->depth++;
    }
    cuda_print_places(x, t->number, t->loops, t->nloops, t->are_chunks, x->out, x->depth);
    x->depth--;
}

/* A body that has been printed for this loop; its head stands before it. */
static void cuda_write_turns(Cuda *x, const Turns *t)
{
    cuda_flush_head(x);
    cuda_open_turns(x, t);
    cuda_flush_body(x);
    cuda_line(x, "}");
}

void cuda_start_body(Cuda *x)
{
    x->inner_depth = x->depth + 1;
    cuda_begin_body(x);
}

static void write_reads(Cuda *x, const Turns *t, const uint8_t *which, const char *place,
                        bool shared, char letter)
{
    cuda_start_body(x);
    x->kept_now = NULL;
    x->keep_letter = letter;
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (which[i])
            cuda_print_keep(x, i, place, shared);
    cuda_write_turns(x, t);
}

/* Reads what is kept: before the first pass, or a row ahead under another letter. */
void cuda_write_reads(Cuda *x, const Turns *t, const char *place, bool shared, char letter)
{
    write_reads(x, t, x->kept, place, shared, letter);
}

static void print_registers(Cuda *x, const uint8_t *which, char letter, uint32_t rows)
{
    char of_rows[16] = "";
    if (rows > 1)
        snprintf(of_rows, sizeof of_rows, "[%u]", rows);
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (which[i])
            cuda_line(x, "Vec<%s, %u> %c%u%s[%u];", cuda_storage(x->s->points[i].dtype), x->vector,
                      letter, i, of_rows, x->plan.chunks);
}

void cuda_print_kept_registers(Cuda *x, char letter)
{
    print_registers(x, x->kept, letter, x->plan.together);
}

void cuda_open_rows(Cuda *x, const char *number)
{
    char row[48];
    if (x->plan.together < 2)
        return;
    cuda_line(x, "#pragma unroll");
    cuda_line(x, "for (int r = 0; r < %u; r++) {", x->plan.together);
    x->depth++;
    memset(x->printed, 0, x->s->npoints);
    memset(x->var_printed, 0, sizeof x->var_printed);
    snprintf(row, sizeof row, "(%s * %u + r)", number, x->plan.together);
    cuda_print_places(x, row, x->rows, x->nrows, false, x->out, x->depth);
}

void cuda_close_rows(Cuda *x)
{
    if (x->plan.together < 2)
        return;
    x->depth--;
    cuda_line(x, "}");
}

void cuda_write_lines(Cuda *x, const Turns *t)
{
    bool any = false;
    for (uint32_t i = 0; i < x->s->npoints; i++)
        any = any || x->stays[i];
    if (!any)
        return;
    print_registers(x, x->stays, 'a', 1);
    write_reads(x, t, x->stays, "k", false, 'a');
}

void cuda_write_keep(Cuda *x, const Turns *t)
{
    const CudaPlan *p = &x->plan;
    bool shared = p->keep == KEEP_shared;
    int64_t chunks = p->cluster ? cuda_ceil_div(x->line_chunks, t->step) * p->threads
                                : x->line_chunks;
    x->kept_now = NULL;
    x->pool = 0;
    if (x->plan.keep == KEEP_nothing)
        return;
    if (shared)
        cuda_line(x, "SHARED_POOL(pool);");
    else
        cuda_print_kept_registers(x, 'a');
    for (uint32_t i = 0; i < x->s->npoints && shared; i++) {
        if (!x->kept[i])
            continue;
        const char *type = cuda_storage(x->s->points[i].dtype);
        cuda_line(x, "Vec<%s, %u> *a%u = (Vec<%s, %u> *)(pool + %lld);", type, x->vector, i, type,
             x->vector, (long long)x->pool);
        x->pool += chunks * x->vector * dtype_info[x->s->points[i].dtype].bytes;
        x->pool = (x->pool + 15) / 16 * 16;
    }
    snprintf(x->kept_at, sizeof x->kept_at, p->cluster ? "%s / %lld * %u + t" : "%s",
             shared ? t->number : p->together > 1 ? "r][k" : "k", (long long)t->step, p->threads);
    cuda_open_rows(x, "row");
    cuda_write_reads(x, t, x->kept_at, shared, 'a');
    cuda_close_rows(x);
    if (shared)
        cuda_line(x, "copies_done();");
    x->launches->launch[x->launches->nlaunch - 1].shared = (uint32_t)x->pool;
    x->kept_now = x->kept_at;
}

/* ----------------------------------------------------------------------------------- reductions */

bool cuda_is_made(const Cuda *x, uint32_t i, uint32_t pass)
{
    const Point *p = &x->s->points[i];
    return p->kind == POINT_reduce && p->pass == pass && !p->across && x->needed[i];
}

bool cuda_is_across(const Cuda *x, uint32_t i)
{
    const Point *p = &x->s->points[i];
    return p->kind == POINT_reduce && p->across && !p->whole && x->needed[i];
}

bool cuda_is_whole(const Cuda *x, uint32_t i)
{
    return x->s->points[i].kind == POINT_reduce && x->s->points[i].whole && x->needed[i];
}

void cuda_print_acc(Cuda *x, uint32_t i)
{
    StrBuf start = {0};
    bool scalar = x->shape == CUDA_row;
    cuda_print_start(x, i, &start);
    if (scalar && x->plan.together > 1) {
        cuda_line(x, "acc%u[r] = %s;", i, sb_cstr(&start));
    } else if (scalar) {
        cuda_line(x, "%s acc%u = %s;", cuda_acc_type(x, i), i, sb_cstr(&start));
    } else if (x->vector == 1) {
        cuda_line(x, "%s acc%u[1] = {%s};", cuda_acc_type(x, i), i, sb_cstr(&start));
    } else {
        cuda_line(x, "%s acc%u[%u];", cuda_acc_type(x, i), i, x->vector);
        cuda_line(x, "#pragma unroll");
        cuda_line(x, "for (int j = 0; j < %u; j++)", x->vector);
        cuda_line(x, "    acc%u[j] = %s;", i, sb_cstr(&start));
    }
    sb_free(&start);
}

/* What the threads of a cluster of blocks have: each block has its parts at the same place. */
static void print_cluster_folds(Cuda *x, uint32_t pass)
{
    uint32_t warps = x->plan.threads / 32;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!cuda_is_made(x, i, pass))
            continue;
        cuda_line(x, "%s *fold%u = (%s *)(pool + %lld);", cuda_acc_type(x, i), i,
                  cuda_acc_type(x, i), (long long)x->pool);
        cuda_line(x, "fold_to<%s>(acc%u, fold%u);", cuda_fold(&x->s->points[i]), i, i);
        x->pool += 8 * warps;
    }
    x->launches->launch[x->launches->nlaunch - 1].shared = (uint32_t)x->pool;
    cuda_line(x, "meet_cluster();");
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (cuda_is_made(x, i, pass))
            cuda_line(x, "acc%u = fold_cluster<%s, %u, %u>(fold%u);", i,
                      cuda_fold(&x->s->points[i]), warps, x->plan.cluster, i);
}

/* Folds of a pass that are made at once: of one kind, and a power of two. */
enum { AT_ONCE = 8 };
typedef struct Folds {
    uint32_t point[AT_ONCE], n;
} Folds;

/* The next ones, of up to `most`, of those that are not yet `done`. */
static bool next_folds(const Cuda *x, uint32_t pass, bool online, uint32_t most, uint8_t *done,
                       Folds *f)
{
    const Point *points = x->s->points;
    f->n = 0;
    for (uint32_t i = 0; i < x->s->npoints && f->n < most; i++) {
        bool alike = f->n == 0 || (points[f->point[0]].fold == points[i].fold &&
                                   strcmp(cuda_acc_type(x, f->point[0]), cuda_acc_type(x, i)) == 0);
        if (!done[i] && alike && cuda_is_made(x, i, pass) && cuda_is_online_second(x, i) == online)
            f->point[f->n++] = i;
    }
    while (f->n & (f->n - 1))
        f->n--;
    for (uint32_t k = 0; k < f->n; k++)
        done[f->point[k]] = 1;
    return f->n > 0;
}

static void print_gathered(Cuda *x, const Folds *f)
{
    StrBuf all = {0};
    for (uint32_t k = 0; k < f->n; k++)
        sb_printf(&all, "%sacc%u", k ? ", " : "", f->point[k]);
    cuda_line(x, "%s all%u[%u] = {%s};", cuda_acc_type(x, f->point[0]), f->point[0], f->n,
              sb_cstr(&all));
    sb_free(&all);
}

static void print_scattered(Cuda *x, const Folds *f)
{
    for (uint32_t k = 0; k < f->n; k++)
        cuda_line(x, "acc%u = all%u[%u];", f->point[k], f->point[0], k);
}

/* What the threads of a block have, through shared memory: all folds of a pass share a barrier.
 * With `turn` two rows take turns in it, else the barrier of another pass keeps rows apart. */
static void print_block_folds(Cuda *x, uint32_t pass, bool online)
{
    const char *turn = x->nacross && x->passes == 1 ? "[turn]" : "";
    uint32_t warps = x->plan.threads / 32;
    uint8_t *to = new_array(&x->s->arena, uint8_t, x->s->npoints + 1);
    uint8_t *from = new_array(&x->s->arena, uint8_t, x->s->npoints + 1);
    uint32_t rows = x->plan.together > 1 ? x->plan.together : 1;
    Folds f;
    if (x->plan.cluster) {
        print_cluster_folds(x, pass);
        return;
    }
    while (next_folds(x, pass, online, rows > 1 ? 1 : AT_ONCE, to, &f)) {
        uint32_t i = f.point[0];
        const char *fold = cuda_fold(&x->s->points[i]);
        cuda_line(x, "__shared__ %s fold%u%s[%u];", cuda_acc_type(x, i), i, turn[0] ? "[2]" : "",
                  f.n * rows * warps);
        if (rows > 1) {
            cuda_line(x, "fold_to<%s, %u>(acc%u, fold%u%s);", fold, warps, i, i, turn);
        } else if (f.n > 1) {
            print_gathered(x, &f);
            cuda_line(x, "fold_to<%s, %u>(all%u, fold%u%s);", fold, warps, i, i, turn);
        } else {
            cuda_line(x, "fold_to<%s>(acc%u, fold%u%s);", fold, i, i, turn);
        }
    }
    cuda_line(x, "__syncthreads();");
    while (next_folds(x, pass, online, rows > 1 ? 1 : AT_ONCE, from, &f)) {
        uint32_t i = f.point[0];
        const char *fold = cuda_fold(&x->s->points[i]);
        if (rows > 1) {
            cuda_line(x, "fold_from<%s, %u>(acc%u, fold%u%s);", fold, warps, i, i, turn);
        } else if (f.n > 1) {
            cuda_line(x, "fold_from<%s, %u>(all%u, fold%u%s);", fold, warps, i, i, turn);
            print_scattered(x, &f);
        } else {
            cuda_line(x, "acc%u = fold_from<%s, %u>(fold%u%s);", i, fold, warps, i, turn);
        }
    }
}

/* What the lanes of a group of up to 32 have. */
static void print_lane_folds(Cuda *x, uint32_t pass, bool online)
{
    uint32_t group = x->plan.group;
    uint8_t *done = new_array(&x->s->arena, uint8_t, x->s->npoints + 1);
    Folds f;
    while (next_folds(x, pass, online, group < AT_ONCE ? group : AT_ONCE, done, &f)) {
        if (f.n == 1) {
            cuda_print_fold(x, f.point[0]);
            continue;
        }
        print_gathered(x, &f);
        cuda_line(x, "fold_lanes<%s, %u>(all%u);", cuda_fold(&x->s->points[f.point[0]]), group,
                  f.point[0]);
        print_scattered(x, &f);
    }
}

/* What the threads of a group have becomes what the group has. */
void cuda_print_fold(Cuda *x, uint32_t i)
{
    const Point *p = &x->s->points[i];
    uint32_t group = x->plan.group, threads = x->plan.threads;
    const char *fold = cuda_fold(p);
    if (x->shape != CUDA_row)
        cuda_line(x, "fold_columns<%s, %u, %u, %u>(acc%u);", fold, group, threads / group,
                  x->vector, i);
    else if (group > 1)
        cuda_line(x, "acc%u = fold_lanes<%s, %u>(acc%u);", i, fold, group, i);
}

static void print_folds(Cuda *x, uint32_t pass, bool online)
{
    if (x->shape == CUDA_row && x->plan.group > 32) {
        print_block_folds(x, pass, online);
        return;
    }
    if (x->shape == CUDA_row) {
        print_lane_folds(x, pass, online);
        return;
    }
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (cuda_is_made(x, i, pass) && cuda_is_online_second(x, i) == online)
            cuda_print_fold(x, i);
}

void cuda_write_pass(Cuda *x, const Turns *t, uint32_t pass)
{
    for (uint32_t i = 0; i < x->s->npoints && x->plan.together > 1; i++)
        if (cuda_is_made(x, i, pass))
            cuda_line(x, "%s acc%u[%u];", cuda_acc_type(x, i), i, x->plan.together);
    cuda_open_rows(x, "row");
    cuda_start_body(x);
    x->turns = t;
    /* All threads have read it when they have folded. */
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (pass == x->passes && !x->plan.staged && x->needed[i] && nest_is_read_early(x->s, i))
            cuda_print_point(x, i);
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!cuda_is_made(x, i, pass))
            continue;
        cuda_print_acc(x, i);
        cuda_print_online_state(x, i);
        if (x->online[i] && !cuda_is_online_second(x, i))
            continue; /* the second one takes care of it */
        cuda_print_folded(x, i);
        cuda_print_update(x, i);
    }
    for (uint32_t i = 0; i < x->s->nstores && x->early && pass == 1; i++)
        if (nest_is_full(x->s, &x->s->stores[i]))
            cuda_print_store(x, i);
    cuda_write_turns(x, t);
    cuda_close_rows(x);
    cuda_write_own_firsts(x, pass);
    for (int online = 0; online < 2; online++) {
        bool any = false;
        for (uint32_t i = 0; i < x->s->npoints; i++)
            any = any || (cuda_is_made(x, i, pass) && cuda_is_online_second(x, i) == online);
        if (online)
            cuda_write_online_scales(x, pass);
        if (any)
            print_folds(x, pass, online);
    }
}

void cuda_write_full_stores(Cuda *x, const Turns *t)
{
    bool any = false;
    cuda_start_body(x);
    for (uint32_t i = 0; i < x->s->nstores; i++)
        if (nest_is_full(x->s, &x->s->stores[i])) {
            cuda_print_store(x, i);
            any = true;
        }
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (cuda_is_across(x, i)) {
            cuda_print_point(x, x->s->points[i].a[0]);
            cuda_print_update(x, i);
            any = true;
        }
    if (any)
        cuda_write_turns(x, t);
}

/* Stores of what there is once for a whole fold; by one thread of the group. */
void cuda_write_outer_stores(Cuda *x, const char *who, Outer which)
{
    bool any = false;
    cuda_start_body(x);
    x->kept_now = NULL;
    for (uint32_t i = 0; i < x->s->nstores; i++) {
        const Point *p = &x->s->points[x->s->stores[i].point];
        Outer of = p->whole ? OUTER_whole : p->across ? OUTER_across : OUTER_rows;
        if (of != which || nest_is_full(x->s, &x->s->stores[i]))
            continue;
        cuda_print_store(x, i);
        any = true;
    }
    for (uint32_t i = 0; i < x->s->npoints && which == OUTER_rows; i++) {
        if (!cuda_is_whole(x, i))
            continue;
        cuda_print_whole(x, i);
        any = true;
    }
    if (!any)
        return;
    cuda_flush_head(x);
    cuda_line(x, "if (%s) {", who);
    cuda_flush_body(x);
    cuda_line(x, "}");
}

static void start_again(Cuda *x, uint32_t pass)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        StrBuf start = {0};
        if (!cuda_is_made(x, i, pass))
            continue;
        cuda_print_start(x, i, &start);
        if (x->shape == CUDA_column)
            cuda_line(x, "for (int j = 0; j < %u; j++)", x->vector);
        cuda_line(x, x->shape == CUDA_column ? "    acc%u[j] = %s;" : "acc%u = %s;", i,
                  sb_cstr(&start));
        sb_free(&start);
    }
}

void cuda_write_last_row(Cuda *x, uint32_t pass)
{
    const CudaPlan *p = &x->plan;
    StrBuf at = {0};
    cuda_print_form(x, x->outer, false, &at);
    cuda_line(x, "if (!comes_last((int *)scratch + row, %u))\n        return;", p->splits);
    start_again(x, pass);
    cuda_line(x, "for (int n = t; n < %u; n += %u) {", p->splits, p->threads);
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (cuda_is_made(x, i, pass))
            cuda_line(x, "    acc%u = %s::of(acc%u, part%u[n * %lld + %s]);", i,
                      cuda_fold(&x->s->points[i]), i, i, (long long)x->s->outer_numel,
                      sb_cstr(&at));
    cuda_line(x, "}");
    cuda_line(x, "{");
    x->depth++;
    print_folds(x, pass, false);
    x->depth--;
    cuda_line(x, "}");
    sb_free(&at);
}

/* Parts of all blocks, columns: the last block goes on with what these come to. */
void cuda_write_last(Cuda *x, uint32_t pass)
{
    uint32_t splits = x->plan.splits, ty = x->plan.threads / x->plan.group, v = x->vector;
    StrBuf at = {0};
    cuda_print_form(x, x->outer, false, &at);
    cuda_line(x, "if (!comes_last((int *)scratch + blockIdx.x, %u))\n        return;", splits);
    start_again(x, pass);
    cuda_line(x, "#pragma unroll 8");
    cuda_line(x, "for (int n = ty; n < %u; n += %u) {", splits, ty);
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!cuda_is_made(x, i, pass))
            continue;
        cuda_line(x, "    const Vec<%s, %u> w%u = load<%u>(part%u + n * %lld + %s);",
                  cuda_acc_type(x, i), v, i, v, i, (long long)x->s->outer_numel, sb_cstr(&at));
        cuda_line(x, "    for (int j = 0; j < %u; j++)", v);
        cuda_line(x, "        acc%u[j] = %s::of(acc%u[j], w%u.x[j]);", i,
                  cuda_fold(&x->s->points[i]), i, i);
    }
    cuda_line(x, "}");
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (cuda_is_made(x, i, pass))
            cuda_print_fold(x, i);
    sb_free(&at);
}

/* What one block of several has folded, for the launch that folds theirs. */
void cuda_write_parts(Cuda *x, uint32_t pass, const char *who)
{
    StrBuf at = {0};
    bool many = x->shape == CUDA_column && x->vector > 1;
    cuda_print_form(x, x->outer, many, &at);
    cuda_line(x, "if (%s) {", who);
    if (many) {
        cuda_line(x, "    #pragma unroll");
        cuda_line(x, "    for (int j = 0; j < %u; j++) {", x->vector);
    }
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (cuda_is_made(x, i, pass))
            cuda_line(x, "%*spart%u[split * %lld + %s] = acc%u%s;", many ? 8 : 4, "", i,
                 (long long)x->s->outer_numel, sb_cstr(&at), i, cuda_acc_at(x, i));
    if (many)
        cuda_line(x, "    }");
    cuda_line(x, "}");
    sb_free(&at);
}
