/*
 * interp_scan.c - kernels that work along the lines of one dimension: scans, sorting, positions.
 *
 * Input: a tensor in any layout and a dimension. Output: dense results. One idea: each line is read
 * into a buffer, worked on there, and written back, so a kernel is one function on a line.
 */
#include "interp.h"

#include "complex_ops.h"

#include <stdlib.h>
#include <string.h>

/* All lines of a tensor along a dimension: where each begins, how long it is. */
typedef struct Lines {
    Walk starts, line;
} Lines;

/* A 0-d tensor is one line of one element. */
static void lines_of(Lines *l, const Tensor *t, uint32_t dim)
{
    static const int64_t one = 1;
    int64_t shape[MAX_RANK], strides[MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (i == dim)
            continue;
        shape[n] = t->shape[i];
        strides[n++] = t->strides[i];
    }
    walk_init_view(&l->starts, t, n, shape, strides, 0);
    walk_init_view(&l->line, t, 1, t->rank ? &t->shape[dim] : &one,
                   t->rank ? &t->strides[dim] : &one, 0);
}

static Walk line_at(const Lines *l, int64_t k)
{
    Walk w = l->line;
    w.base += walk_offset(&l->starts, k) * (int64_t)w.size;
    return w;
}

typedef struct Line {
    int64_t n, k; /* elements read; which (or how many) of them are wanted, where that is asked */
} Line;

/* Works on one line of n elements in src (read only): values go to out, positions to index; either
 * may be NULL. scratch has room for n elements of 16 bytes. */
typedef void LineFn(const Line *line, const void *src, void *out, int64_t *index, void *scratch);

/* A function on lines for each computation type; u64 and half where they differ from i64 and f64.
 */
typedef struct LineOp {
    LineFn *f64, *i64, *u64, *c128;
    LineFn *half; /* of floats of 16 bits and less */
} LineOp;

static LineFn *choose_line(const Interp *x, const LineOp *op, DType d)
{
    LoopType type = loop_type(d);
    if (dtype_is_float(d) && dtype_info[d].bytes <= 2 && !x->f64 && op->half)
        return op->half;
    if (d == DT_u64 && op->u64)
        return op->u64;
    return type == LOOP_f64 ? op->f64 : type == LOOP_i64 ? op->i64 : op->c128;
}

/* Where the results of one run go; values or index may have no rank-preserving dimension. */
typedef struct LineRun {
    Interp *x;
    LineFn *fn;
    LoopType type;
    Lines in, out, index;
    bool has_out, has_index;
    int64_t in_size, out_size; /* elements of a line read, and written (at most as many) */
    int64_t k;
} LineRun;

static void run_line(const LineRun *r, int64_t k, char *mem)
{
    size_t room = (size_t)r->in_size * 16;
    char *src = mem, *out = mem + room, *scratch = mem + 2 * room;
    int64_t *index = (int64_t *)(void *)(mem + 3 * room);
    Walk w = line_at(&r->in, k);
    load(&w, r->type, 0, r->in_size, src);
    Line line = {r->in_size, r->k};
    r->fn(&line, src, r->has_out ? out : NULL, index, scratch);
    if (r->has_out) {
        w = line_at(&r->out, k);
        store(&w, r->type, 0, r->out_size, out);
    }
    if (r->has_index) {
        w = line_at(&r->index, k);
        walk_set_i64(&w, 0, r->out_size, index);
    }
}

static bool run_lines(const LineRun *r)
{
    int64_t lines = r->in.starts.numel, group = 1 + PARALLEL_FROM / (r->in_size + 1);
    bool no_memory = false;
    if (r->in_size == 0)
        return true;
    PARALLEL_FOR(lines > group)
    for (int64_t first = 0; first < lines; first += group) {
        char *mem = malloc((size_t)r->in_size * (3 * 16 + sizeof(int64_t)));
        int64_t end = first + group < lines ? first + group : lines;
        for (int64_t k = first; mem && k < end && !stopped(r->x); k++)
            run_line(r, k, mem);
        if (!mem)
            no_memory = true;
        free(mem);
    }
    return no_memory ? keep(r->x, NULL) != NULL : true;
}

static bool pick_line_fn(Interp *x, LineRun *r, const LineOp *op, const Tensor *t)
{
    r->x = x;
    r->type = loop_type(t->dtype);
    r->fn = choose_line(x, op, t->dtype);
    return r->fn ? true
                 : fail(x, "unsupported-dtype", "prims.%s is not defined for %s", x->node->op->name,
                        dtype_info[t->dtype].name);
}

/* Results along dim_arg: values first, then positions when there are two. */
static bool along_k(Interp *x, int dim_arg, int64_t k, const LineOp *op)
{
    Tensor *t = in_tensor(x, 0);
    int64_t dim;
    LineRun r = {.has_out = true, .has_index = x->nout > 1, .k = k};
    if (!t || !in_int(x, dim_arg, &dim) || !pick_line_fn(x, &r, op, t))
        return false;
    Tensor *out = out_new(x, 0), *index = r.has_index ? out_new(x, 1) : NULL;
    if (!out || (r.has_index && !index))
        return false;
    lines_of(&r.in, t, (uint32_t)dim);
    lines_of(&r.out, out, (uint32_t)dim);
    if (index)
        lines_of(&r.index, index, (uint32_t)dim);
    r.in_size = r.in.line.numel;
    r.out_size = r.out.line.numel;
    return run_lines(&r);
}

static bool along(Interp *x, int dim_arg, const LineOp *op)
{
    return along_k(x, dim_arg, 0, op);
}

/* --------------------------------------------------------------------------------------- scans */

#define SCAN(name, T, first, expr)                                                                 \
    static void name(const Line *line, const void *src, void *out, int64_t *index, void *scratch)  \
    {                                                                                              \
        const int64_t n = line->n;                                                                 \
        const T *e = src;                                                                          \
        T *y = out, a = first;                                                                     \
        (void)index;                                                                               \
        (void)scratch;                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                          \
            T v = e[i];                                                                            \
            y[i] = a = (T)(expr);                                                                  \
        }                                                                                          \
    }

/* PyTorch collects f32 in double, narrower floats in f32. */
SCAN(cumsum_f, double, 0, a + v)
SCAN(cumsum_h, double, 0, (float)(a + v))
SCAN(cumprod_h, double, 1, (float)(a *v))
SCAN(cumsum_i, uint64_t, 0, a + v)
SCAN(cumsum_c, Cplx, 0, a + v)
SCAN(cumprod_f, double, 1, a *v)
SCAN(cumprod_i, uint64_t, 1, a *v)
SCAN(cumprod_c, Cplx, 1, complex_mul(a, v))

bool k_cumsum(Interp *x)
{
    static const LineOp op = {.f64 = cumsum_f, .i64 = cumsum_i, .c128 = cumsum_c, .half = cumsum_h};
    return along(x, 1, &op);
}

bool k_cumprod(Interp *x)
{
    static const LineOp op = {
        .f64 = cumprod_f, .i64 = cumprod_i, .c128 = cumprod_c, .half = cumprod_h};
    return along(x, 1, &op);
}

/* The best so far and where it was last reached; once NaN, always NaN. */
#define SCAN_INDEX(name, T, better)                                                                \
    static void name(const Line *line, const void *src, void *out, int64_t *index, void *scratch)  \
    {                                                                                              \
        const int64_t n = line->n;                                                                 \
        const T *e = src;                                                                          \
        T *y = out, a = e[0];                                                                      \
        int64_t at = 0;                                                                            \
        (void)scratch;                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                          \
            T v = e[i];                                                                            \
            if (v != v || (a == a && (better))) {                                                  \
                a = v;                                                                             \
                at = i;                                                                            \
            }                                                                                      \
            y[i] = a;                                                                              \
            index[i] = at;                                                                         \
        }                                                                                          \
    }
SCAN_INDEX(cummax_f, double, v >= a)
SCAN_INDEX(cummax_i, int64_t, v >= a)
SCAN_INDEX(cummax_u, uint64_t, v >= a)
SCAN_INDEX(cummin_f, double, v <= a)
SCAN_INDEX(cummin_i, int64_t, v <= a)
SCAN_INDEX(cummin_u, uint64_t, v <= a)

bool k_cummax(Interp *x)
{
    static const LineOp op = {.f64 = cummax_f, .i64 = cummax_i, .u64 = cummax_u};
    return along(x, 1, &op);
}

bool k_cummin(Interp *x)
{
    static const LineOp op = {.f64 = cummin_f, .i64 = cummin_i, .u64 = cummin_u};
    return along(x, 1, &op);
}

/* -------------------------------------------------------------------------------------- sorting */

/* A stable merge sort of positions; before(x, y) says whether value x must stand before y. NaN
 * counts as larger than everything. */
#define SORT(name, T, before)                                                                      \
    static void name(const Line *line, const void *src, void *out, int64_t *index, void *scratch)  \
    {                                                                                              \
        const int64_t n = line->n;                                                                 \
        const T *e = src;                                                                          \
        T *y = out;                                                                                \
        int64_t *from = index, *to = scratch;                                                      \
        for (int64_t i = 0; i < n; i++)                                                            \
            from[i] = i;                                                                           \
        for (int64_t width = 1; width < n; width *= 2) {                                           \
            for (int64_t lo = 0; lo < n; lo += 2 * width) {                                        \
                int64_t mid = lo + width < n ? lo + width : n;                                     \
                int64_t end = mid + width < n ? mid + width : n;                                   \
                for (int64_t i = lo, l = lo, r = mid; i < end; i++) {                              \
                    bool right = l == mid;                                                         \
                    if (l < mid && r < end) {                                                      \
                        T a = e[from[r]], b = e[from[l]];                                          \
                        right = (before);                                                          \
                    }                                                                              \
                    to[i] = right ? from[r++] : from[l++];                                         \
                }                                                                                  \
            }                                                                                      \
            int64_t *swap = from;                                                                  \
            from = to;                                                                             \
            to = swap;                                                                             \
        }                                                                                          \
        if (from != index)                                                                         \
            memcpy(index, from, (size_t)n * sizeof *index);                                        \
        for (int64_t i = 0; i < n; i++)                                                            \
            y[i] = e[index[i]];                                                                    \
    }
SORT(sort_up_f, double, a < b || (b != b && a == a))
SORT(sort_up_i, int64_t, a < b)
SORT(sort_up_u, uint64_t, a < b)
SORT(sort_down_f, double, a > b || (a != a && b == b))
SORT(sort_down_i, int64_t, a > b)
SORT(sort_down_u, uint64_t, a > b)

static bool sort_along(Interp *x, int dim_arg, bool descending)
{
    static const LineOp up = {.f64 = sort_up_f, .i64 = sort_up_i, .u64 = sort_up_u};
    static const LineOp down = {.f64 = sort_down_f, .i64 = sort_down_i, .u64 = sort_down_u};
    return along(x, dim_arg, descending ? &down : &up);
}

bool k_sort(Interp *x)
{
    int64_t descending;
    return in_int(x, 2, &descending) && sort_along(x, 1, descending != 0);
}

/* ------------------------------------------------------------------------------------ selection
 *
 * Positions of a line are moved until number k stands where sorting would put it. Equal elements
 * are told apart only by how that is done, and PyTorch's users see its way: topk partitions as
 * std::nth_element, kthvalue as the quickselect of Sedgewick with the median of three.
 */

/* Whether element x of the line must stand before element y. */
typedef bool Before(const void *elements, int64_t x, int64_t y);

#define BEFORE(name, T, expr)                                                                      \
    static bool name(const void *elements, int64_t x, int64_t y)                                   \
    {                                                                                              \
        const T *e = elements;                                                                     \
        T a = e[x], b = e[y];                                                                      \
        return expr;                                                                               \
    }
BEFORE(less_f, double, a < b || (b != b && a == a))
BEFORE(less_i, int64_t, a < b)
BEFORE(less_u, uint64_t, a < b)
BEFORE(more_f, double, a > b || (a != a && b == b))
BEFORE(more_i, int64_t, a > b)
BEFORE(more_u, uint64_t, a > b)

typedef struct Choice {
    Before *before;
    const void *e;
    int64_t *at; /* positions */
} Choice;

static bool precedes(const Choice *c, int64_t i, int64_t j)
{
    return c->before(c->e, c->at[i], c->at[j]);
}

static void exchange(const Choice *c, int64_t i, int64_t j)
{
    int64_t t = c->at[i];
    c->at[i] = c->at[j];
    c->at[j] = t;
}

static void insertion_sort(const Choice *c, int64_t lo, int64_t hi)
{
    for (int64_t i = lo + 1; i < hi; i++)
        for (int64_t j = i; j > lo && precedes(c, j, j - 1); j--)
            exchange(c, j, j - 1);
}

/* The median of elements lo + 1, the middle one and hi - 1 goes to lo. */
static void median_first(const Choice *c, int64_t lo, int64_t hi)
{
    int64_t x = lo + 1, y = lo + (hi - lo) / 2, z = hi - 1;
    if (precedes(c, x, y))
        exchange(c, lo, precedes(c, y, z) ? y : precedes(c, x, z) ? z : x);
    else
        exchange(c, lo, precedes(c, x, z) ? x : precedes(c, y, z) ? z : y);
}

/* Those before element lo to the left, the others to the right; where the right ones begin. */
static int64_t partition(const Choice *c, int64_t lo, int64_t hi)
{
    int64_t i = lo + 1, j = hi;
    for (;;) {
        while (precedes(c, i, lo))
            i++;
        for (j--; precedes(c, lo, j);)
            j--;
        if (i >= j)
            return i;
        exchange(c, i++, j);
    }
}

static void merge_sort(const Choice *c, int64_t n, int64_t *scratch)
{
    int64_t *from = c->at, *to = scratch;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t lo = 0; lo < n; lo += 2 * width) {
            int64_t mid = lo + width < n ? lo + width : n, end = mid + width < n ? mid + width : n;
            for (int64_t i = lo, l = lo, r = mid; i < end; i++) {
                bool right = l == mid || (r < end && c->before(c->e, from[r], from[l]));
                to[i] = right ? from[r++] : from[l++];
            }
        }
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != c->at)
        memcpy(c->at, from, (size_t)n * sizeof *from);
}

/* Bad luck in choosing the pivots ends in sorting everything. */
static void select_nth(const Choice *c, int64_t n, int64_t nth, int64_t *scratch)
{
    int64_t lo = 0, hi = n;
    int turns = 2;
    for (int64_t i = n; i > 1; i /= 2)
        turns += 2;
    for (; hi - lo > 3; turns--) {
        if (turns == 0) {
            merge_sort(c, n, scratch);
            return;
        }
        median_first(c, lo, hi);
        int64_t cut = partition(c, lo, hi);
        if (cut <= nth)
            lo = cut;
        else
            hi = cut;
    }
    insertion_sort(c, lo, hi);
}

static Choice all_of(const Line *line, const void *src, Before *before, int64_t *index)
{
    for (int64_t i = 0; i < line->n; i++)
        index[i] = i;
    return (Choice){before, src, index};
}

static void top_line(const Line *line, const void *src, void *out, int64_t *index, void *scratch,
                     Before *before)
{
    const uint64_t *e = src; /* elements of 8 bytes, whatever they are */
    uint64_t *y = out;
    Choice c = all_of(line, src, before, index);
    if (line->k == 0)
        return;
    select_nth(&c, line->n, line->k - 1, scratch);
    merge_sort(&c, line->k - 1, scratch);
    for (int64_t i = 0; i < line->k; i++)
        y[i] = e[index[i]];
}

/* The three of which the pivot is the median stand at the ends, so that the inner loops end there.
 */
static void kth_line(const Line *line, const void *src, void *out, int64_t *index,
                     void *scratch __attribute__((unused)), Before *before)
{
    Choice c = all_of(line, src, before, index);
    int64_t lo = 0, hi = line->n - 1, k = line->k;
    while (hi > lo + 1) {
        exchange(&c, lo + (hi - lo) / 2, lo + 1);
        if (precedes(&c, hi, lo + 1))
            exchange(&c, lo + 1, hi);
        if (precedes(&c, hi, lo))
            exchange(&c, lo, hi);
        if (precedes(&c, lo, lo + 1))
            exchange(&c, lo + 1, lo);
        int64_t i = lo + 1, j = hi;
        for (;;) {
            for (i++; precedes(&c, i, lo);)
                i++;
            for (j--; precedes(&c, lo, j);)
                j--;
            if (j < i)
                break;
            exchange(&c, i, j);
        }
        exchange(&c, lo, j);
        if (j >= k)
            hi = j - 1;
        if (j <= k)
            lo = i;
    }
    if (hi == lo + 1 && precedes(&c, hi, lo))
        exchange(&c, lo, hi);
    index[0] = index[k];
    *(uint64_t *)out = ((const uint64_t *)src)[index[0]];
}

#define SELECT(name, line_fn, before)                                                              \
    static void name(const Line *line, const void *src, void *out, int64_t *index, void *scratch)  \
    {                                                                                              \
        line_fn(line, src, out, index, scratch, before);                                           \
    }
SELECT(top_f, top_line, more_f)
SELECT(top_i, top_line, more_i)
SELECT(top_u, top_line, more_u)
SELECT(bottom_f, top_line, less_f)
SELECT(bottom_i, top_line, less_i)
SELECT(bottom_u, top_line, less_u)
SELECT(kth_f, kth_line, less_f)
SELECT(kth_i, kth_line, less_i)
SELECT(kth_u, kth_line, less_u)

bool k_topk(Interp *x)
{
    static const LineOp top = {.f64 = top_f, .i64 = top_i, .u64 = top_u};
    static const LineOp bottom = {.f64 = bottom_f, .i64 = bottom_i, .u64 = bottom_u};
    int64_t k, largest;
    return in_int(x, 1, &k) && in_int(x, 3, &largest) &&
           along_k(x, 2, k, largest ? &top : &bottom);
}

bool k_kthvalue(Interp *x)
{
    static const LineOp op = {.f64 = kth_f, .i64 = kth_i, .u64 = kth_u};
    int64_t k;
    return in_int(x, 1, &k) && along_k(x, 2, k, &op);
}

/* ------------------------------------------------------------------------------------ positions */

#define FIND(name, T, better)                                                                      \
    static void name(const Line *line, const void *src, void *out, int64_t *index, void *scratch)  \
    {                                                                                              \
        const int64_t n = line->n;                                                                 \
        const T *e = src;                                                                          \
        int64_t at = 0;                                                                            \
        (void)out;                                                                                 \
        (void)scratch;                                                                             \
        for (int64_t i = 1; i < n; i++) {                                                          \
            T v = e[i], a = e[at];                                                                 \
            if (a == a && (v != v || (better)))                                                    \
                at = i;                                                                            \
        }                                                                                          \
        index[0] = at;                                                                             \
    }
FIND(argmax_f, double, v > a)
FIND(argmax_i, int64_t, v > a)
FIND(argmax_u, uint64_t, v > a)
FIND(argmin_f, double, v < a)
FIND(argmin_i, int64_t, v < a)
FIND(argmin_u, uint64_t, v < a)

/* The result is [..] without dim; lines of one element stand in its place. */
static bool position(Interp *x, const LineOp *op)
{
    Tensor *t = in_tensor(x, 0);
    LineRun r = {.has_index = true, .out_size = 1};
    int64_t dim = 0, numel;
    static const int64_t one = 1;
    if (!t || !pick_line_fn(x, &r, op, t))
        return false;
    if (in_is_none(x, 1)) { /* all of a, in row-major order, is one line */
        numel = tensor_numel(t);
        t = keep(x, tensor_clone(t));
        t = t ? keep(x, tensor_view(t, 1, &numel, &one, 0)) : NULL;
    } else if (!in_int(x, 1, &dim)) {
        return false;
    }
    Tensor *out = out_new(x, 0);
    if (!t || !out)
        return false;
    lines_of(&r.in, t, (uint32_t)dim);
    walk_init(&r.index.starts, out);
    walk_init_view(&r.index.line, out, 0, NULL, NULL, 0);
    r.in_size = r.in.line.numel;
    return run_lines(&r);
}

bool k_argmax(Interp *x)
{
    static const LineOp op = {.f64 = argmax_f, .i64 = argmax_i, .u64 = argmax_u};
    return position(x, &op);
}

bool k_argmin(Interp *x)
{
    static const LineOp op = {.f64 = argmin_f, .i64 = argmin_i, .u64 = argmin_u};
    return position(x, &op);
}
