/*
 * interp_index.c - gathers and scatters along a dimension.
 *
 * Input: tensors in any layout, integer indices from 0 on. Output: dense
 * results; an index out of range is an error before anything is read. One idea: index values become
 * offsets first, and then whole elements or rows move, whatever their dtype. Sums of floats are
 * collected in double and rounded once.
 */
#include "interp.h"

#include <math.h>
#include <string.h>

/* The elements of an integer tensor, all of them from 0 to size - 1, in arena memory. */
static int64_t *positions(Interp *x, const Tensor *t, uint32_t dim, int64_t size)
{
    Walk w;
    walk_init(&w, t);
    int64_t *at = arena_alloc(&x->arena, (size_t)w.numel * sizeof *at + 1);
    walk_get_i64(&w, 0, w.numel, at);
    for (int64_t i = 0; i < w.numel; i++) {
        if (at[i] < 0 || at[i] >= size) {
            fail_index(x, at[i], dim, size);
            return NULL;
        }
    }
    return at;
}

/* A dense tensor seen as [outer, n, inner] around one of its dimensions; 0-d as [1, 1, 1]. */
typedef struct Around {
    int64_t outer, n, inner;
} Around;

static Around around(const Tensor *t, int64_t dim)
{
    Around a = {1, 1, 1};
    for (uint32_t i = 0; i < t->rank; i++) {
        if (i < dim)
            a.outer *= t->shape[i];
        else if (i == dim)
            a.n = t->shape[i];
        else
            a.inner *= t->shape[i];
    }
    return a;
}

/* --------------------------------------------------------------------------------- take, embed */

/* out[o, k] = a[o, at[k]], rows of `row` bytes. */
static void take_rows(const Interp *x, char *out, const char *a, Around s, const int64_t *at,
                      int64_t nat, size_t row)
{
    PARALLEL_FOR(s.outer * nat * (int64_t)row >= 4 * PARALLEL_FROM)
    for (int64_t i = 0; i < s.outer * nat; i++)
        if (!stopped(x))
            memcpy(out + (size_t)i * row, a + (size_t)(i / nat * s.n + at[i % nat]) * row, row);
}

bool k_take(Interp *x)
{
    int64_t dim;
    Tensor *a = in_dense(x, 0, out_dtype(x, 0)), *indices = in_tensor(x, 1);
    if (!a || !indices || !in_int(x, 2, &dim))
        return false;
    Around s = around(a, dim);
    int64_t *at = positions(x, indices, (uint32_t)dim, s.n);
    Tensor *out = at ? out_new(x, 0) : NULL;
    if (!out)
        return false;
    if (tensor_numel(out))
        take_rows(x, tensor_data(out), tensor_data(a), s, at, tensor_numel(indices),
                  (size_t)s.inner * bytes_of(a));
    return true;
}

/* A copy of weight whose rows have at most the norm max_norm. */
static Tensor *limit_norms(Interp *x, const Tensor *weight)
{
    Tensor *t = keep(x, tensor_cast(weight, DT_f64));
    double limit, p;
    if (!t || !in_f64(x, 3, &limit) || !in_f64(x, 4, &p))
        return NULL;
    double *e = tensor_data(t);
    int64_t n = t->shape[1];
    for (int64_t row = 0; e && row < t->shape[0]; row++, e += n) {
        double norm = 0;
        for (int64_t i = 0; i < n; i++)
            norm = isinf(p) ? fmax(norm, fabs(e[i])) : norm + pow(fabs(e[i]), p);
        norm = isinf(p) ? norm : pow(norm, 1 / p);
        for (int64_t i = 0; norm > limit && i < n; i++)
            e[i] *= limit / (norm + 1e-7);
    }
    return keep(x, tensor_cast(t, weight->dtype));
}

bool k_embedding(Interp *x)
{
    Tensor *indices = in_tensor(x, 0), *weight = in_dense(x, 1, out_dtype(x, 0));
    if (!indices || !weight)
        return false;
    if (!in_is_none(x, 3) && !(weight = limit_norms(x, weight)))
        return false;
    int64_t *at = positions(x, indices, 0, weight->shape[0]);
    Tensor *out = at ? out_new(x, 0) : NULL;
    if (!out)
        return false;
    if (tensor_numel(out))
        take_rows(x, tensor_data(out), tensor_data(weight), around(weight, 0), at,
                  tensor_numel(indices), (size_t)weight->shape[1] * bytes_of(weight));
    return true;
}

/* ---------------------------------------------------------------------------------- accumulating
 */

/* The rows that are looked up get numbers from 1 on, in slot; how many they are. */
static int64_t number_rows(const int64_t *at, int64_t nat, int64_t padding, int64_t *slot)
{
    int64_t n = 0;
    for (int64_t i = 0; i < nat; i++)
        if (at[i] != padding && slot[at[i]] == 0)
            slot[at[i]] = ++n;
    return n;
}

enum { ROWS_AT_ONCE = 64, COLUMNS_AT_ONCE = 64 };

/* Sums of the rows that are looked up; the others are zeros. */
static bool give_rows(Interp *x, const Sums *s, const int64_t *slot, int64_t rows, int64_t n)
{
    Tensor *out = out_unset(x, 0);
    Walk w;
    if (!out)
        return false;
    walk_init(&w, out);
    char *data = tensor_data(out);
    size_t row = (size_t)n * bytes_of(out);
    PARALLEL_FOR(rows * n >= 4 * PARALLEL_FROM)
    for (int64_t first = 0; first < rows; first += ROWS_AT_ONCE)
        for (int64_t i = first; i < rows && i < first + ROWS_AT_ONCE; i++)
            if (slot[i])
                store(&w, s->type, i * n, n, s->data + (size_t)((slot[i] - 1) * n) * s->size);
            else if (row)
                memset(data + (size_t)i * row, 0, row);
    return true;
}

/* Adds up rows of n elements; threads share the columns, so that each sum keeps its order. */
static void add_rows(const Interp *x, const Sums *s, const Walk *w, const int64_t *at, int64_t nat,
                     int64_t padding, const int64_t *slot, int64_t n)
{
    PARALLEL_FOR(nat * n >= 4 * PARALLEL_FROM)
    for (int64_t first = 0; first < n; first += COLUMNS_AT_ONCE) {
        int64_t columns = n - first < COLUMNS_AT_ONCE ? n - first : COLUMNS_AT_ONCE;
        for (int64_t i = 0; i < nat && !stopped(x); i++)
            if (at[i] != padding)
                sums_add(s, (slot[at[i]] - 1) * n + first, w, i * n + first, columns);
    }
}

bool k_embedding_backward(Interp *x)
{
    Tensor *grad = in_tensor(x, 0), *indices = in_tensor(x, 1);
    int64_t rows, padding = -1, by_count = 0;
    Sums s;
    Walk w;
    if (!grad || !indices || !in_int(x, 2, &rows) ||
        (!in_is_none(x, 3) && !in_int(x, 3, &padding)) ||
        (!in_is_none(x, 4) && !in_int(x, 4, &by_count)))
        return false;
    int64_t n = grad->shape[grad->rank - 1], nat = tensor_numel(indices);
    int64_t *at = positions(x, indices, 0, rows);
    int64_t *slot = arena_alloc(&x->arena, (size_t)rows * sizeof *slot + 1);
    int64_t used = at ? number_rows(at, nat, padding, slot) : 0;
    if (!at || !sums_begin(x, &s, out_dtype(x, 0), used * n, NULL))
        return false;
    walk_init(&w, grad);
    add_rows(x, &s, &w, at, nat, padding, slot, n);
    if (by_count) {
        double *count = arena_alloc(&x->arena, (size_t)used * sizeof *count + 1);
        for (int64_t i = 0; i < nat; i++)
            if (at[i] != padding)
                count[slot[at[i]] - 1]++;
        for (int64_t i = 0; i < used * n; i++)
            ((double *)(void *)s.data)[i] /= count[i / n];
    }
    return give_rows(x, &s, slot, rows, n);
}

/* index_add and index_copy: slices of value, along dim, go to at[k]. */
static bool index_slices(Interp *x, bool add)
{
    int64_t dim;
    Tensor *a = in_dense(x, 0, out_dtype(x, 0)), *indices = in_tensor(x, 1);
    Tensor *value = in_dense(x, 2, out_dtype(x, 0));
    if (!a || !indices || !value || !in_int(x, 3, &dim))
        return false;
    Around s = around(a, dim);
    int64_t *at = positions(x, indices, (uint32_t)dim, s.n), nat = tensor_numel(indices);
    Sums sums;
    Walk w;
    if (!at)
        return false;
    if (add && !sums_begin(x, &sums, a->dtype, 0, a))
        return false;
    if (!add && !out_give(x, 0, tensor_clone(a)))
        return false;
    walk_init(&w, value);
    size_t row = (size_t)s.inner * bytes_of(a);
    for (int64_t i = 0; i < s.outer * nat && !stopped(x) && s.inner; i++) {
        int64_t to = (i / nat * s.n + at[i % nat]) * s.inner;
        if (add)
            sums_add(&sums, to, &w, i * s.inner, s.inner);
        else
            memcpy((char *)tensor_data(x->call->values[x->outs[0]]) + (size_t)to * bytes_of(a),
                   w.base + (size_t)i * row, row);
    }
    return add ? sums_give(x, &sums) : true;
}

bool k_index_add(Interp *x)
{
    return index_slices(x, true);
}

bool k_index_copy(Interp *x)
{
    return index_slices(x, false);
}

/* ----------------------------------------------------------------------------- gather, scatter */

/* Walks the elements of `indices` in row-major order with the matching elements of two dense
 * tensors: `indexed`, whose coordinate along dim is the index, and `beside`, at the same
 * coordinates. */
typedef struct GatherWalk {
    uint32_t rank;
    int64_t numel;
    int64_t shape[MAX_RANK], indexed[MAX_RANK], beside[MAX_RANK]; /* strides; 0 along dim */
    int64_t dim_stride;
} GatherWalk;

static void gather_walk(GatherWalk *g, const Tensor *indices, const Tensor *indexed,
                        const Tensor *beside, int64_t dim)
{
    *g = (GatherWalk){.rank = indices->rank, .numel = tensor_numel(indices), .dim_stride = 1};
    for (uint32_t i = 0; i < indices->rank; i++)
        g->shape[i] = indices->shape[i];
    dense_strides(indexed, g->indexed);
    dense_strides(beside, g->beside);
    if (indexed->rank)
        g->dim_stride = g->indexed[dim];
    g->indexed[dim] = 0;
}

/* Offsets of element i in both tensors, the index not included. */
static void gather_offsets(const GatherWalk *g, int64_t i, int64_t *indexed, int64_t *beside)
{
    *indexed = *beside = 0;
    for (uint32_t d = g->rank; d-- > 0;) {
        int64_t c = i % g->shape[d];
        i /= g->shape[d];
        *indexed += c * g->indexed[d];
        *beside += c * g->beside[d];
    }
}

static int64_t size_along(const Tensor *t, int64_t dim)
{
    return t->rank ? t->shape[dim] : 1;
}

bool k_gather(Interp *x)
{
    int64_t dim;
    Tensor *a = in_dense(x, 0, out_dtype(x, 0)), *indices = in_tensor(x, 1);
    GatherWalk g;
    if (!a || !indices || !in_int(x, 2, &dim))
        return false;
    int64_t *at = positions(x, indices, (uint32_t)dim, size_along(a, dim));
    Tensor *out = at ? out_new(x, 0) : NULL;
    if (!out)
        return false;
    gather_walk(&g, indices, a, out, dim);
    const char *from = tensor_data(a);
    char *to = tensor_data(out);
    size_t size = bytes_of(a);
    PARALLEL_FOR(g.numel >= PARALLEL_FROM)
    for (int64_t start = 0; start < g.numel; start += WALK_CHUNK)
        for (int64_t i = start; i < g.numel && i < start + WALK_CHUNK && !stopped(x); i++) {
            int64_t source, target;
            gather_offsets(&g, i, &source, &target);
            source += at[i] * g.dim_stride;
            memcpy(to + (size_t)i * size, from + (size_t)source * size, size);
        }
    return true;
}

/* The value of a scatter: dense in the result's dtype; a number is repeated. */
static Tensor *scatter_value(Interp *x, const Tensor *indices)
{
    static const int64_t zeros[MAX_RANK];
    Tensor *value = in_dense(x, 2, out_dtype(x, 0));
    if (!value || !in_is_number(x, 2))
        return value;
    Tensor *all = tensor_view(value, indices->rank, indices->shape, zeros, value->offset);
    all = keep(x, all);
    return all ? keep(x, tensor_clone(all)) : NULL;
}

static bool scatter(Interp *x, bool add)
{
    int64_t dim;
    Tensor *a = in_dense(x, 0, out_dtype(x, 0)), *indices = in_tensor(x, 1);
    Tensor *value = indices ? scatter_value(x, indices) : NULL;
    GatherWalk g;
    Sums sums;
    Walk w;
    if (!a || !value || !in_int(x, 3, &dim))
        return false;
    int64_t *at = positions(x, indices, (uint32_t)dim, size_along(a, dim));
    if (!at || (add ? !sums_begin(x, &sums, a->dtype, 0, a) : !out_give(x, 0, tensor_clone(a))))
        return false;
    gather_walk(&g, indices, a, value, dim);
    walk_init(&w, value);
    size_t size = bytes_of(a);
    for (int64_t i = 0; i < g.numel && !stopped(x); i++) {
        int64_t target, source;
        gather_offsets(&g, i, &target, &source);
        target += at[i] * g.dim_stride;
        if (add)
            sums_add(&sums, target, &w, source, 1);
        else
            memcpy((char *)tensor_data(x->call->values[x->outs[0]]) + (size_t)target * size,
                   w.base + (size_t)source * size, size);
    }
    return add ? sums_give(x, &sums) : true;
}

bool k_scatter(Interp *x)
{
    return scatter(x, false);
}

bool k_scatter_add(Interp *x)
{
    return scatter(x, true);
}
