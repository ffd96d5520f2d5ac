/*
 * cuda_plan.c - how a nest is laid over blocks and threads.
 *
 * Input: points, stores and loops. Output: which loop is taken in chunks of up to 16 bytes, which
 * loops make the line and which the rows, how many threads share a line, what is kept in registers
 * or shared memory, and how many blocks share one fold. Enough bytes must be in flight: a
 * multiprocessor asks for 32 KiB or more at once before memory is busy.
 */
#include "cuda.h"

#include <string.h>

enum {
    MAX_VECTOR = 8,
    F8_VECTOR = 16,        /* where floats of 8 bits are moved, and nothing wider than 2 bytes */
    KEEP_BYTES = 128,      /* of one thread, in registers */
    LONG_ROW = 1 << 15,    /* elements from which several blocks share a fold, when rows are few */
    COLUMN_THREADS = 256,
    LARGE = 8, /* from 1 / LARGE elements for each byte of the level-2 cache, columns are read by a
                * launch for each pass, so that all multiprocessors read */
    SM_REGISTERS = 1 << 16, /* of a multiprocessor */
};

/* 0 where there is nothing to divide among. */
static int64_t ceil_div(int64_t a, int64_t b)
{
    return b > 0 ? (a + b - 1) / b : 0;
}

static uint32_t power_from(int64_t n, uint32_t limit)
{
    uint32_t p = 1;
    while (p < n && p < limit)
        p *= 2;
    return p;
}

static uint32_t bytes_of(DType d)
{
    return d < DT_COUNT ? dtype_info[d].bytes : 8;
}

static DType store_dtype(const Cuda *x, const Store *st)
{
    return (DType)value_get(x->s->r->t, x->s->r->outs[st->out])->type.dtype;
}

/* --------------------------------------------------------------------------- the loop of chunks */

/* Turns of all loops in which something with these dependences differs. */
static double turns_of(const Cuda *x, uint64_t deps)
{
    double turns = 1;
    for (uint32_t i = 0; i < x->s->nloops; i++)
        if (deps >> i & 1)
            turns *= (double)x->s->vars[i].extent;
    return turns;
}

/* How much of what is read for a load along the loop of chunks it needs. */
static double share_of_sectors(const Cuda *x, Form f)
{
    enum { FARTHEST = 4 };
    int64_t step;
    bool near = cuda_step(x, f, &step) && step != 0 && step <= FARTHEST && step >= -FARTHEST;
    return !near ? 0 : 1.0 / (double)(step < 0 ? -step : step);
}

/* Bytes that are read and written side by side along loop w. */
static double unit_bytes(Cuda *x, int32_t w)
{
    double bytes = 0;
    int64_t step;
    x->w = w;
    x->vector = 2;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (p->kind == POINT_load && x->needed[i])
            bytes += bytes_of(p->dtype) * turns_of(x, p->deps) * share_of_sectors(x, p->form);
    }
    for (uint32_t i = 0; i < x->s->nstores; i++) {
        Form f = x->s->stores[i].form;
        if (cuda_step(x, f, &step) && step == 1)
            bytes += bytes_of(store_dtype(x, &x->s->stores[i])) * turns_of(x, form_deps(x->s, f));
    }
    return bytes;
}

/* The loop with the most of them; folds across rows need one that is reduced. */
static int32_t choose_loop(Cuda *x)
{
    int32_t best = -1;
    double most = 0;
    for (uint32_t i = 0; i < x->s->nloops; i++) {
        if (x->s->vars[i].extent == 1 || (x->nacross && x->s->vars[i].role != VAR_reduced))
            continue;
        double bytes = unit_bytes(x, (int32_t)i);
        if (best < 0 || bytes >= most) {
            best = (int32_t)i;
            most = bytes;
        }
    }
    return best;
}

/* Whether all that lies side by side can be moved v elements at a time. */
static bool all_aligned(Cuda *x, uint32_t v, uint32_t *smallest)
{
    int64_t step;
    x->vector = v;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (p->kind != POINT_load || !x->needed[i])
            continue;
        if (cuda_step(x, p->form, &step) && step == 1 && !cuda_is_vector(x, p->form))
            return false;
        bool chunks = cuda_is_vector(x, p->form) || cuda_is_window(x, i);
        if (chunks && bytes_of(p->dtype) < *smallest)
            *smallest = bytes_of(p->dtype);
    }
    for (uint32_t i = 0; i < x->s->nstores; i++) {
        const Store *st = &x->s->stores[i];
        if (cuda_step(x, st->form, &step) && step == 1 && !cuda_is_vector(x, st->form))
            return false;
        if (cuda_is_vector(x, st->form) && bytes_of(store_dtype(x, st)) < *smallest)
            *smallest = bytes_of(store_dtype(x, st));
    }
    return true;
}

/* Chunks of f8 are 16 bytes too, unless what goes with them would take too many registers. */
static uint32_t most_of_chunk(const Cuda *x)
{
    bool f8 = false, wide = false;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        bool load = p->kind == POINT_load && x->needed[i] && x->w >= 0 && p->deps >> x->w & 1;
        f8 = f8 || (load && dtype_is_float(p->dtype) && bytes_of(p->dtype) == 1);
        wide = wide || (load && bytes_of(p->dtype) > 2);
    }
    for (uint32_t i = 0; i < x->s->nstores; i++) {
        DType d = store_dtype(x, &x->s->stores[i]);
        f8 = f8 || (dtype_is_float(d) && bytes_of(d) == 1);
        wide = wide || bytes_of(d) > 2;
    }
    return f8 && !wide ? F8_VECTOR : MAX_VECTOR;
}

static uint32_t choose_vector(Cuda *x, uint32_t most)
{
    int64_t extent = x->w < 0 ? 1 : x->s->vars[x->w].extent;
    for (uint32_t v = most; v > 1; v /= 2) {
        uint32_t smallest = 16;
        if (extent % v == 0 && all_aligned(x, v, &smallest) && v * smallest <= 16)
            return v;
    }
    return 1;
}

/* ----------------------------------------------------------------------------------- the spaces */

static void add_loop(Cuda *x, uint32_t var, bool line)
{
    const Var *v = &x->s->vars[var];
    if (line)
        x->line[x->nline++] = var;
    else
        x->rows[x->nrows++] = var;
    *(line ? &x->line_mask : &x->row_mask) |= (uint64_t)1 << var;
    *(line ? &x->line_chunks : &x->row_count) *= v->extent;
}

/* Loops into line and rows; a loop belongs to the line when `line` has its bit. The loop of chunks
 * comes last. */
static void make_spaces(Cuda *x, uint64_t line)
{
    x->nline = x->nrows = 0;
    x->line_mask = x->row_mask = 0;
    x->line_chunks = x->row_count = 1;
    for (uint32_t i = 0; i < x->s->nloops; i++)
        if (x->s->vars[i].extent != 1 && (int32_t)i != x->w)
            add_loop(x, i, line >> i & 1);
    if (x->w >= 0)
        add_loop(x, (uint32_t)x->w, true);
    x->line_chunks /= x->vector;
}

static uint64_t loops_with(const Cuda *x, Role role)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < x->s->nloops; i++)
        if (x->s->vars[i].role == role)
            mask |= (uint64_t)1 << i;
    return mask;
}

static Form number_over(Cuda *x, Role role)
{
    int64_t stride = 1;
    Form f = form_const(0);
    for (uint32_t i = x->s->nloops; i-- > 0;) {
        const Var *v = &x->s->vars[i];
        if (v->role != role || v->extent == 1)
            continue;
        f = form_add(x->s, f, form_var(x->s, i), stride);
        stride *= v->extent;
    }
    return f;
}

/* A loop that some whole chunk does not depend on, so that it is read once for many rows. */
static uint64_t find_row_loop(const Cuda *x)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (p->kind != POINT_load || !x->needed[i] || !cuda_is_vector(x, p->form))
            continue;
        for (uint32_t k = 0; k < x->s->nloops; k++)
            if (x->s->vars[k].extent != 1 && (int32_t)k != x->w && !(p->deps >> k & 1))
                return (uint64_t)1 << k;
    }
    return 0;
}

/* -------------------------------------------------------------------------------- the schedules */

int64_t cuda_keep_bytes(const Cuda *x)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (x->kept[i])
            bytes += (int64_t)x->vector * bytes_of(x->s->points[i].dtype);
    return bytes;
}

/* Marks the loads that differ in every turn of the line and the rows: those read more than once.
 * They are read before the first pass, so none whose place a fold of the row decides. */
static void find_kept(Cuda *x)
{
    bool by_rows = x->plan.shape == CUDA_column || x->plan.by_rows;
    uint64_t inner = by_rows ? x->row_mask : x->line_mask;
    uint64_t rest = by_rows ? x->line_mask : x->row_mask;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        bool both = (p->deps & inner) && ((p->deps & rest) || rest == 0);
        x->kept[i] = x->needed[i] && p->kind == POINT_load && both && !x->turned[i] && !p->of_row &&
                     (x->vector == 1 || x->elements[i]);
    }
}

uint32_t cuda_tile_chunks(const Cuda *x)
{
    return x->vector == 1 ? 32 : 8;
}

/* The number is of a chunk when the loop `var` is taken in chunks instead. */
static bool lies_along(Cuda *x, uint32_t var, Form f)
{
    int32_t w = x->w;
    int64_t step;
    x->w = (int32_t)var;
    bool good = x->vector > 1 ? cuda_step(x, f, &step) && step == 1 && cuda_is_vector(x, f)
                              : form_factor(f, var) == 1;
    x->w = w;
    for (uint32_t i = 0; i < f.n; i++)
        good = good && var_is_loop(&x->s->vars[f.terms[i].var]);
    return good;
}

/* Finds the loop along which an input lies that strides along the loop of chunks, and marks what is
 * turned around: any loop of a map, of folds one that is folded. */
static int32_t find_other(Cuda *x)
{
    int64_t least = cuda_tile_chunks(x) * x->vector;
    int32_t other = -1;
    if (x->w < 0 || x->s->vars[x->w].extent < least)
        return -1;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (p->kind != POINT_load || !x->needed[i] || form_factor(p->form, (uint32_t)x->w) <= 1)
            continue;
        for (uint32_t k = 0; k < x->s->nloops; k++) {
            const Var *v = &x->s->vars[k];
            bool fits = (int32_t)k != x->w && v->extent >= least && v->extent % x->vector == 0 &&
                        v->role == (x->s->reduces ? VAR_reduced : VAR_parallel) &&
                        (other < 0 || other == (int32_t)k) && lies_along(x, k, p->form);
            if (fits) {
                other = (int32_t)k;
                x->turned[i] = 1;
            }
        }
    }
    return other;
}

static int64_t at_least(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t turned_bytes(const Cuda *x)
{
    int64_t bytes = 0;
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (x->turned[i])
            bytes += (int64_t)x->vector * bytes_of(x->s->points[i].dtype);
    return bytes;
}

static void plan_tiles(Cuda *x)
{
    CudaPlan *p = &x->plan;
    enum { WANTED = 32 }; /* bytes of a thread under way */
    uint32_t chunks = cuda_tile_chunks(x) * cuda_tile_chunks(x) * x->vector, each = 1;
    int64_t bytes = at_least(cuda_keep_bytes(x) + turned_bytes(x), 1);
    while (each < 8 && bytes * each < WANTED && chunks / each > 64)
        each *= 2;
    p->threads = chunks / each < 512 ? chunks / each : 512;
    p->chunks = chunks / p->threads;
    p->keep = KEEP_registers;
}

/* Some input's chunks differ in every turn of loop `var` as well. */
static bool has_chunks_of(const Cuda *x, uint32_t var)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (p->kind == POINT_load && x->needed[i] && p->deps >> var & 1 &&
            cuda_is_vector(x, p->form))
            return true;
    }
    return false;
}

/* One fold of inputs of which some lie along a loop that is folded and others along one that is
 * not: chunks are taken along the latter, and the former are turned in tiles. */
static bool choose_column_tiles(Cuda *x)
{
    int32_t loop = x->w;
    bool one_fold = x->passes == 1 && !x->nacross && !x->full_stores;
    for (uint32_t w = 0; one_fold && w < x->s->nloops; w++) {
        if (x->s->vars[w].role != VAR_parallel || x->s->vars[w].extent == 1)
            continue;
        x->w = (int32_t)w;
        x->vector = choose_vector(x, MAX_VECTOR);
        x->plan.other = x->vector > 1 ? find_other(x) : -1;
        if (x->plan.other >= 0 && has_chunks_of(x, (uint32_t)x->plan.other))
            return true;
        memset(x->turned, 0, x->s->npoints);
    }
    x->w = loop;
    x->vector = 1;
    x->plan.other = -1;
    return false;
}

/* A tile's threads have a chunk each. Three tiles are there or on their way, or two where that is
 * what fits; false when it does not. */
static bool plan_column_tiles(Cuda *x)
{
    enum { RING = 3, WANTED = 1024, OTHER = 1 << 10 };
    CudaPlan *p = &x->plan;
    uint32_t n = cuda_tile_chunks(x), folds = 0;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        x->kept[i] = x->kept[i] && cuda_is_vector(x, x->s->points[i].form) &&
                     x->vector * bytes_of(x->s->points[i].dtype) >= 4;
        folds += x->s->points[i].kind == POINT_reduce && x->needed[i];
    }
    p->keep = KEEP_shared;
    p->group = n;
    p->threads = n * n * x->vector;
    int64_t room = 0;
    for (p->ring = RING; p->ring > 1 && room == 0; p->ring -= room == 0) {
        int64_t bytes = p->ring * (cuda_keep_bytes(x) + turned_bytes(x)) +
                        8 * (int64_t)x->vector * folds;
        room = x->g->shared_max / (bytes * p->threads + OTHER);
    }
    p->resident = WANTED / p->threads < room ? WANTED / p->threads : (uint32_t)room;
    int64_t want = (int64_t)x->g->sms * p->resident / at_least(cuda_tile_blocks(x), 1);
    int64_t share = cuda_tile_turns(x) / 4;
    p->splits = (uint32_t)at_least(want < share ? want : share, 1);
    if (room == 0) {
        p->ring = 0;
        p->other = -1;
        memset(x->turned, 0, x->s->npoints);
        find_kept(x);
    }
    return room > 0;
}

static void plan_map(Cuda *x, uint32_t schedule)
{
    static const uint32_t flights[] = {0, 1, 2, 4, 8}, threads[] = {256, 128, 512};
    CudaPlan *p = &x->plan;
    int64_t bytes = at_least(cuda_keep_bytes(x), x->vector);
    uint32_t flight = flights[schedule % ARRAY_LEN(flights)];
    p->threads = threads[schedule / ARRAY_LEN(flights) % ARRAY_LEN(threads)];
    p->chunks = flight ? flight : bytes > 16 ? 1 : bytes > 4 ? 4 : 8;
    int64_t chunks = x->line_chunks * x->row_count;
    while (p->chunks > 1 && !flight && chunks < (int64_t)p->threads * p->chunks * x->g->sms * 2)
        p->chunks /= 2;
    while (p->by_rows && ceil_div(x->row_count, p->chunks) > 65535)
        p->chunks *= 2;
    while (p->threads > 32 && p->threads / 2 >= x->line_chunks * (p->by_rows ? 1 : x->row_count))
        p->threads /= 2;
    p->keep = KEEP_registers;
}

/* Short rows: a thread asks for several before it waits for one, where they come out even. */
static uint32_t rows_at_once(const Cuda *x, int64_t bytes)
{
    const CudaPlan *p = &x->plan;
    enum { WANTED = 64 }; /* bytes of a thread */
    uint32_t deep = 1;
    int64_t rows = p->threads / p->group;
    while (p->group <= 32 && p->chunks == 1 && deep < 8 && bytes * deep < WANTED &&
           x->row_count % (2 * deep * rows) == 0 &&
           x->row_count / (2 * deep * rows) >= 16 * (int64_t)x->g->sms)
        deep *= 2;
    return deep;
}

/* Rows that fit the shared memory of a few blocks, two of which a multiprocessor can have. */
static void plan_cluster(Cuda *x, int64_t bytes)
{
    enum { MOST = 8, THREADS = 2048, OTHER = 3 << 10 };
    CudaPlan *p = &x->plan;
    uint32_t n = 2;
    while (n < MOST && bytes / n + OTHER > x->g->shared_max / 2)
        n *= 2;
    if (x->g->arch < 90 || bytes / n + OTHER > x->g->shared_max ||
        2 * x->row_count * n < x->g->sms)
        return;
    p->cluster = n;
    p->keep = KEEP_shared;
    p->group = p->threads = THREADS / n < 512 ? THREADS / n : 512;
}

/* A launch of few short rows waits more than it works: lines that all rows read are asked for with
 * the rows, not when they are needed. */
static void keep_lines(Cuda *x)
{
    enum { FEW_CHUNKS = 4 };
    const CudaPlan *p = &x->plan;
    int64_t blocks = ceil_div(x->row_count, p->threads / p->group);
    if (p->keep != KEEP_registers || p->chunks > FEW_CHUNKS || blocks > 2 * (int64_t)x->g->sms)
        return;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *f = &x->s->points[i];
        if (x->needed[i] && f->kind == POINT_load && !f->of_row && (f->deps & x->line_mask) &&
            !(f->deps & x->row_mask) && !x->turned[i] && (x->vector == 1 || x->elements[i]))
            x->kept[i] = true;
    }
}

/* Threads of a row: as few as leave each no more than it can keep in registers. */
static void plan_row(Cuda *x, uint32_t schedule)
{
    CudaPlan *p = &x->plan;
    if (x->by_warp) {
        p->group = p->threads = 32;
        p->keep = KEEP_registers;
        p->chunks = (uint32_t)at_least(ceil_div(x->line_chunks, 32), 1);
        return;
    }
    int64_t chunks = x->line_chunks, bytes = at_least(cuda_keep_bytes(x), 1);
    int64_t most = at_least(KEEP_BYTES / at_least(bytes, 2 * x->vector), 1);
    bool rereads = x->passes + (x->full_stores && !x->early) > 1;
    uint32_t shift = schedule % 4;
    if (chunks <= 32) {
        p->group = power_from(chunks, 32) >> (shift < 3 ? shift : 0);
        p->group = p->group ? p->group : 1;
    } else {
        p->group = 32;
        int64_t few = at_least(32 / bytes, 2); /* a warp to itself needs no barrier */
        few = chunks <= 2 * 32 * few ? 2 * few : few;
        while (p->group < 1024 && (int64_t)p->group * (most > few ? few : most) < chunks)
            p->group *= 2;
        p->group = shift == 1 ? p->group / 2 : shift == 2 && p->group < 1024 ? 2 * p->group
                                                                              : p->group;
    }
    int64_t each = ceil_div(chunks, p->group);
    int64_t fit = p->group >= 1024 ? most / 2 : most;
    p->keep = each <= fit && schedule < 4    ? KEEP_registers
              : rereads && p->group > 32 && /* a block that has one row only */
                      chunks * bytes + 16 * MAX_REGION_INPUTS <= x->g->shared_max
                  ? KEEP_shared
                  : KEEP_nothing;
    p->chunks = p->keep == KEEP_registers ? (uint32_t)at_least(each, 1) : 0;
    if (p->keep != KEEP_registers && p->group > 512 && shift != 2)
        p->group = 512;
    if (p->keep == KEEP_shared && p->group < 32)
        p->group = 32;
    p->threads = p->group > 32 || p->keep == KEEP_shared ? p->group : 128;
    if (p->keep == KEEP_nothing && rereads && schedule < 4)
        plan_cluster(x, chunks * bytes);
    p->splits = 1;
    p->deep = p->keep == KEEP_registers && schedule == 0 ? rows_at_once(x, bytes) : 1;
    int64_t blocks = ceil_div(x->row_count, p->threads / p->group);
    if (blocks * 2 < x->g->sms && x->s->reduced_numel >= LONG_ROW && !p->cluster) {
        int64_t share = ceil_div(chunks, (int64_t)p->threads * 4);
        int64_t want = ceil_div(2 * (int64_t)x->g->sms, at_least(x->row_count, 1));
        p->splits = (uint32_t)(share < want ? share : want);
        p->group = p->threads;
        p->keep = KEEP_nothing;
        p->chunks = 0;
    }
    keep_lines(x);
}

/* Whether a block folds what its rows left of the folds across before it writes that. */
static bool blocks_meet(const Cuda *x)
{
    enum { MOST = 32 << 10 }; /* bytes of shared memory */
    const char *type = NULL;
    uint32_t at_once = x->plan.threads / x->plan.group;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (!cuda_is_across(x, i))
            continue;
        if (type && strcmp(type, cuda_acc_type(x, i)) != 0)
            return false;
        type = cuda_acc_type(x, i);
    }
    return at_once > 1 && x->s->reduced_numel * 8 * at_once <= MOST;
}

/* How many rows of a group wait in shared memory or are on their way there; 0 where fewer than two
 * fit, or what a thread has of a row cannot be copied past registers. */
static uint32_t ring_of(const Cuda *x, int64_t bytes)
{
    enum { MOST = 2, OTHER = 2 << 10 };
    const CudaPlan *p = &x->plan;
    int64_t stage = bytes * p->chunks * p->threads * at_least(p->together, 1);
    int64_t meet = p->splits == p->blocks ? x->s->reduced_numel * 8 * (p->threads / p->group) : 0;
    int64_t room = (x->g->shared_max - (int64_t)p->resident * (meet + OTHER)) / p->resident;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *f = &x->s->points[i];
        if (x->kept[i] && (!cuda_is_vector(x, f->form) || x->vector * bytes_of(f->dtype) < 4))
            return 0;
    }
    int64_t at_once = p->rows * at_least(p->together, 1);
    if (stage == 0 || room < 2 * stage || x->row_count <= 2 * at_once)
        return 0;
    return room < MOST * stage ? (uint32_t)(room / stage) : MOST;
}

/* Loads that every row has, of a whole chunk. */
static bool is_line(const Cuda *x, uint32_t i)
{
    const Point *p = &x->s->points[i];
    return x->needed[i] && p->kind == POINT_load && (p->deps & x->line_mask) &&
           !(p->deps & ~x->line_mask) && cuda_is_vector(x, p->form);
}

/* Which blocks go through which rows of those that are also folded across. */
static void deal_rows(Cuda *x, int64_t bytes, bool ring)
{
    CudaPlan *p = &x->plan;
    uint32_t at_once = p->threads / p->group;
    int64_t most = ceil_div(x->row_count, at_once * at_least(p->together, 1));
    int64_t want = (int64_t)x->g->sms * p->resident;
    p->blocks = (uint32_t)at_least(most < want ? most : want, 1);
    p->rows = p->blocks * at_once;
    p->splits = blocks_meet(x) ? p->blocks : p->rows;
    p->ring = ring ? ring_of(x, bytes) : 0;
}

/* Two rows of a block share barriers where a thread has one chunk of each: while one waits for its
 * folds, the other computes. They have so many registers that lines stay there, too. */
static bool take_two_rows(Cuda *x, int64_t bytes)
{
    enum { WORDS = 128 };
    CudaPlan *p = &x->plan;
    int64_t lines = 0;
    if (p->group <= 32 || p->chunks != 1 || x->row_count % 2)
        return false;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        if (x->needed[i] && nest_is_read_early(x->s, i))
            return false;
        lines += is_line(x, i);
    }
    if (32 + (x->nacross + lines) * x->vector + 2 * (bytes / 4 + x->vector) > WORDS)
        return false;
    p->together = 2;
    p->resident = (uint32_t)at_least(SM_REGISTERS / (WORDS * p->threads), 1);
    deal_rows(x, bytes, true);
    for (uint32_t i = 0; i < x->s->npoints; i++)
        x->stays[i] = p->ring && is_line(x, i);
    p->together = p->ring ? 2 : 0;
    return p->ring > 0;
}

/* Rows that are also folded across: a thread keeps its chunks' partial results in registers while
 * it goes through rows. A warp to itself has no barriers, where its part of a row fits; else many
 * threads share a row. The next rows are on their way to shared memory meanwhile. */
static void plan_across(Cuda *x, uint32_t schedule)
{
    enum { FEW = 3 };
    static const int64_t eaches[] = {0, 1, 2, 4};
    CudaPlan *p = &x->plan;
    int64_t bytes = cuda_keep_bytes(x), each = eaches[schedule % 4];
    bool alone = each == 0 && x->line_chunks > 32 && x->line_chunks <= 32 * FEW;
    each = alone ? FEW : at_least(each, 1);
    p->group = 32;
    while (p->group < (each == 1 ? 512 : 1024) && (int64_t)p->group * each < x->line_chunks)
        p->group *= 2;
    p->chunks = (uint32_t)at_least(ceil_div(x->line_chunks, p->group), 1);
    p->threads = p->group > 32 ? p->group : 128;
    p->keep = KEEP_registers;
    if (schedule == 0 && take_two_rows(x, bytes))
        return;
    int64_t words = 32 + (int64_t)x->nacross * p->chunks * x->vector +
                    bytes * p->chunks / 4;
    words += alone ? words / 2 : 0; /* what was computed in one pass is kept for the next */
    p->resident = (uint32_t)at_least(SM_REGISTERS / (words * p->threads), 1);
    if (alone && p->resident > FEW)
        p->resident = FEW;
    deal_rows(x, bytes, schedule < 4);
}

static void plan_column(Cuda *x, uint32_t schedule)
{
    static const uint32_t widths[] = {32, 16, 8, 64};
    CudaPlan *p = &x->plan;
    int64_t most = at_least(KEEP_BYTES / at_least(cuda_keep_bytes(x), 2 * x->vector), 1);
    bool rereads = x->passes + (x->full_stores && !x->early) > 1;
    bool writes = x->early && x->full_stores; /* has more to compute, and to keep in registers */
    p->threads = writes && !rereads ? COLUMN_THREADS / 2 : COLUMN_THREADS;
    p->resident = writes || rereads ? 0 : 2;
    p->group = power_from(x->line_chunks, widths[schedule % ARRAY_LEN(widths)]);
    bool large = x->row_count * (int64_t)p->group / p->threads > most &&
                 x->s->full_numel >= x->g->l2 / LARGE;
    while (schedule == 0 && rereads && !large && p->group > 8 &&
           ceil_div(x->line_chunks, p->group) < x->g->sms)
        p->group /= 2;
    while (schedule == 0 && !rereads && p->group > 16 && ceil_div(x->line_chunks, p->group) < 32)
        p->group /= 2; /* fewer parts of each tile */
    while (p->threads > 32 && p->threads / 2 / p->group >= x->row_count)
        p->threads /= 2;
    while (schedule == 0 && p->group < p->threads && p->threads / p->group * 8 > x->row_count &&
           ceil_div(x->line_chunks, 2 * p->group) >= 8 * (int64_t)x->g->sms)
        p->group *= 2; /* few rows: each thread has them all, and nothing is left to fold */
    if (p->group > p->threads)
        p->group = p->threads;
    uint32_t ty = p->threads / p->group;
    int64_t each = ceil_div(x->row_count, ty), tiles = ceil_div(x->line_chunks, p->group);
    tiles = at_least(tiles, 1);
    p->keep = rereads && each <= most ? KEEP_registers : KEEP_nothing;
    p->chunks = p->keep == KEEP_registers ? (uint32_t)at_least(each, 1) : 0;
    int64_t want = (int64_t)x->g->sms * (rereads ? 4 : writes ? 8 : p->resident) / tiles;
    int64_t share = each / 8; /* of rows, for a thread of each block */
    p->splits = (uint32_t)at_least(want < share ? want : share, 1);
    if (rereads && tiles * 2 >= x->g->sms && !large)
        p->splits = 1;
    if (p->splits > 1) {
        p->keep = KEEP_nothing;
        p->chunks = 0;
    }
}

static double most_of_form(const Cuda *x, Form f, int sign);

static double most_of_var(const Cuda *x, uint32_t var)
{
    const Var *v = &x->s->vars[var];
    return v->role == VAR_derived ? most_of_form(x, v->of, 1) / (double)v->by
                                  : (double)(v->extent - 1);
}

/* What the positive (or negative) terms of a form can come to. */
static double most_of_form(const Cuda *x, Form f, int sign)
{
    double most = sign * (double)f.c > 0 ? sign * (double)f.c : 0;
    for (uint32_t i = 0; i < f.n; i++)
        if (sign * f.terms[i].k > 0)
            most += (double)(sign * f.terms[i].k) * most_of_var(x, f.terms[i].var);
    return most;
}

bool cuda_is_wide_form(const Cuda *x, Form f)
{
    const double most = INT32_MAX - (1 << 20); /* turns behind the end are counted too */
    return most_of_form(x, f, 1) > most || most_of_form(x, f, -1) > most;
}

/* Some element number, or an index that is computed with, does not fit into 32 bits. */
static bool is_wide(const Cuda *x)
{
    const int64_t most = INT32_MAX - (1 << 20); /* turns behind the end are counted too */
    const Region *r = x->s->r;
    bool wide = x->s->full_numel > most;
    for (uint32_t i = 0; i < x->s->ninputs; i++)
        wide = wide || type_numel(&value_get(r->t, x->s->inputs[i])->type) > most;
    for (uint32_t i = 0; i < r->nouts; i++)
        wide = wide || type_numel(&value_get(r->t, r->outs[i])->type) > most;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        wide = wide || (p->kind == POINT_index && cuda_is_wide_form(x, p->form));
    }
    return wide;
}

static CudaShape shape_of(const Cuda *x)
{
    if (!x->s->reduces)
        return CUDA_map;
    return x->nacross || x->w < 0 || x->s->vars[x->w].role == VAR_reduced ? CUDA_row : CUDA_column;
}

/* Which loop is taken in chunks, and what is turned around. */
static void choose_chunks(Cuda *x)
{
    CudaPlan *p = &x->plan;
    x->w = choose_loop(x);
    bool tiles = x->s->reduces && choose_column_tiles(x);
    int32_t other = tiles ? p->other : -1;
    if (!tiles)
        x->vector = 1;
    *p = (CudaPlan){.shape = shape_of(x), .splits = 1, .other = other};
    x->early = p->shape != CUDA_map && x->passes > 0 && nest_writes_early(x->s);
    if (!tiles)
        x->vector = choose_vector(x, most_of_chunk(x));
    if (p->shape == CUDA_map)
        p->other = find_other(x);
    if (p->shape == CUDA_map && p->other >= 0 && x->vector > MAX_VECTOR) {
        memset(x->turned, 0, x->s->npoints); /* tiles fit shared memory with fewer */
        x->vector = choose_vector(x, MAX_VECTOR);
        p->other = find_other(x);
    }
    p->vector = x->vector;
}

static void choose_shape(Cuda *x, uint32_t schedule)
{
    CudaPlan *p = &x->plan;
    if (p->shape == CUDA_map && p->other >= 0)
        plan_tiles(x);
    else if (p->shape == CUDA_map)
        plan_map(x, schedule);
    else if (p->shape == CUDA_row && x->nacross)
        plan_across(x, schedule);
    else if (p->shape == CUDA_row)
        plan_row(x, schedule);
    else if (p->other < 0 || !plan_column_tiles(x))
        plan_column(x, schedule);
}

void cuda_choose(Cuda *x, uint32_t schedule)
{
    CudaPlan *p = &x->plan;
    x->wide_index = is_wide(x);
    choose_chunks(x);
    x->outer = number_over(x, VAR_parallel);
    x->across = number_over(x, VAR_reduced);
    uint64_t row_loop = p->shape == CUDA_map && p->other < 0 ? find_row_loop(x) : 0;
    make_spaces(x, p->shape == CUDA_row      ? loops_with(x, VAR_reduced)
                   : p->shape == CUDA_column ? loops_with(x, VAR_parallel)
                                             : ~row_loop);
    p->by_rows = row_loop && x->line_chunks >= 128 && x->row_count > 1;
    if (row_loop && !p->by_rows)
        make_spaces(x, ~(uint64_t)0);
    x->shape = p->shape;
    cuda_find_elements(x);
    find_kept(x);
    choose_shape(x, schedule);
    p->staged = p->splits > 1 && !x->nacross;
    if (p->staged && (x->passes == 0 || /* nothing is folded: no launch would write a result */
                      2 * x->passes + (x->full_stores && !x->early) + x->wholes > MAX_LAUNCHES)) {
        p->staged = false; /* one block has to do for a fold */
        p->splits = 1;
    }
    p->ticket = p->staged && x->passes == 1 && (!x->full_stores || x->early);
}

void cuda_choose_map(Cuda *x)
{
    x->plan.other = -1;
    x->vector = x->plan.vector;
    make_spaces(x, ~(uint64_t)0);
    cuda_find_elements(x);
    find_kept(x);
    plan_map(x, 0);
}

uint32_t cuda_count_schedules(const Cuda *x)
{
    return x->plan.other >= 0            ? 1
           : x->plan.shape == CUDA_map ? 15 : x->plan.shape == CUDA_row && !x->nacross ? 8
                                                                                           : 4;
}
