/*
 * interp_key.c - indexing with keys: a[i, 1:3, None, mask], reading and writing.
 *
 * Input: a tensor and the IndexPlan of its key. Output: the selected elements, or a copy with
 * others in their place. One idea: index tensors become one list of offsets (the block); the
 * selection is plain strided dimensions with the block among them.
 */
#include "interp.h"

#include "shape.h"

#include <string.h>

/* What a key selects of a dense tensor: plain dimensions with strides, and for the block of index
 * tensors one offset an element. */
typedef struct Selection {
    int64_t base;
    int64_t shape[MAX_RANK], strides[MAX_RANK]; /* plain dimensions */
    uint32_t nplain, block_at;
    bool has_block;
    uint32_t block_rank;
    int64_t block[MAX_RANK], nblock;
    int64_t *offsets; /* of the block's elements */
} Selection;

typedef struct BlockPart {
    const Tensor *t; /* integer positions */
    int64_t size, stride;
    uint32_t dim;
} BlockPart;

/* Coordinates along `axis` of the elements of a mask that are set. */
static Tensor *mask_positions(Interp *x, const Tensor *mask, uint32_t axis, int64_t count)
{
    Tensor *out = keep(x, tensor_new(DT_i64, mask->device, 1, &count));
    Walk w;
    int64_t n = 0, after = 1;
    if (!out)
        return NULL;
    int64_t *at = tensor_data(out);
    for (uint32_t i = axis + 1; i < mask->rank; i++)
        after *= mask->shape[i];
    walk_init(&w, mask);
    for (int64_t i = 0; i < w.numel; i++) {
        int64_t set;
        walk_get_i64(&w, i, 1, &set);
        if (set)
            at[n++] = mask->rank ? i / after % mask->shape[axis] : 0;
    }
    return out;
}

/* The parts that a mask becomes: one for each dimension that it covers; a 0-d mask is one part that
 * selects nothing or everything. */
static bool mask_parts(Interp *x, const IndexItem *item, const Tensor *a, const int64_t *strides,
                       BlockPart *parts, uint32_t *n)
{
    Tensor *mask = item->tensor ? in_value(x, 1, A_VALUE(item->tensor))
                                : keep(x, tensor_from_number(A_BOOL(item->literal)));
    if (!mask)
        return false;
    int64_t count = count_set(mask);
    for (uint32_t i = 0; i < (mask->rank ? mask->rank : 1); i++) {
        Tensor *t = mask_positions(x, mask, i, count);
        if (!t)
            return false;
        uint32_t dim = item->dim + i;
        parts[(*n)++] =
            mask->rank ? (BlockPart){t, a->shape[dim], strides[dim], dim} : (BlockPart){t, 1, 0, 0};
    }
    return true;
}

/* Joins the shape of one more index tensor into the block. */
static bool join_block(Interp *x, Selection *s, const Tensor *t)
{
    uint32_t rank = t->rank > s->block_rank ? t->rank : s->block_rank;
    int64_t joined[MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        int64_t p = i < rank - t->rank ? 1 : t->shape[i - (rank - t->rank)];
        int64_t q = i < rank - s->block_rank ? 1 : s->block[i - (rank - s->block_rank)];
        if (p != q && p != 1 && q != 1)
            return fail(x, "bad-index", "%s: index tensors select %lld and %lld element%s",
                        x->node->op->name, (long long)p, (long long)q, plural(q));
        joined[i] = p == 1 ? q : p;
    }
    memcpy(s->block, joined, rank * sizeof *joined);
    s->block_rank = rank;
    return true;
}

static bool add_offsets(Interp *x, Selection *s, const BlockPart *part)
{
    int64_t strides[MAX_RANK] = {0};
    Walk w;
    uint32_t skip = s->block_rank - part->t->rank;
    for (uint32_t i = 0; i < part->t->rank; i++)
        strides[skip + i] = part->t->shape[i] == 1 ? 0 : part->t->strides[i];
    walk_init_view(&w, part->t, s->block_rank, s->block, strides, 0);
    for (int64_t i = 0; i < s->nblock; i++) {
        int64_t at;
        walk_get_i64(&w, i, 1, &at);
        if (at < -part->size || at >= part->size)
            return fail_index(x, at, part->dim, part->size);
        s->offsets[i] += (at < 0 ? at + part->size : at) * part->stride;
    }
    return true;
}

static bool select_block(Interp *x, Selection *s, const BlockPart *parts, uint32_t n)
{
    s->nblock = 1;
    for (uint32_t i = 0; i < n; i++)
        if (!join_block(x, s, parts[i].t))
            return false;
    for (uint32_t i = 0; i < s->block_rank; i++)
        s->nblock *= s->block[i];
    s->offsets = arena_alloc(&x->arena, (size_t)s->nblock * sizeof *s->offsets + 1);
    for (uint32_t i = 0; i < n; i++)
        if (!add_offsets(x, s, &parts[i]))
            return false;
    return true;
}

/* Resolves the key of argument 1 against a dense tensor shaped as a. */
static bool select_key(Interp *x, const Tensor *a, bool python_key, Selection *s)
{
    Arg key = x->node->args[1];
    bool many = key.kind == ARG_tuple || !python_key;
    IndexPlan plan;
    BlockPart parts[MAX_INDEX_ITEMS + MAX_RANK];
    int64_t strides[MAX_RANK];
    uint32_t nparts = 0;
    Infer inf = {.t = x->t, .arena = &x->arena, .op = x->node->op, .args = x->node->args};
    Type type = {VALUE_tensor, (uint8_t)a->dtype, a->device, a->rank, a->shape};
    if (!index_plan(&inf, 1, &type, many ? key.items : &x->node->args[1], many ? key.n : 1,
                    python_key, &plan))
        return fail(x, "bad-index", "%s: %.*s", x->node->op->name, STR(inf.error));
    *s = (Selection){.has_block = plan.has_block, .block_at = plan.block_at};
    dense_strides(a, strides);
    for (uint32_t i = 0; i < plan.n; i++) {
        const IndexItem *item = &plan.items[i];
        int64_t at = item->start, stride = item->dim < a->rank ? strides[item->dim] : 0;
        switch (item->kind) {
        case INDEX_new:
        case INDEX_slice:
            s->base += item->n ? item->start * stride : 0;
            s->shape[s->nplain] = item->n;
            s->strides[s->nplain++] = /* that of at most one element is never used */
                item->kind == INDEX_new || item->n <= 1 ? 0 : item->step * stride;
            break;
        case INDEX_scalar: {
            int64_t size = a->shape[item->dim];
            if (!in_int_arg(x, 1, A_VALUE(item->tensor), &at))
                return false;
            if (at < -size || at >= size)
                return fail_index(x, at, item->dim, size);
            s->base += (at < 0 ? at + size : at) * stride;
            break;
        }
        case INDEX_int:
            s->base += at * stride;
            break;
        case INDEX_tensor:
            parts[nparts] = (BlockPart){in_value(x, 1, A_VALUE(item->tensor)), a->shape[item->dim],
                                        stride, item->dim};
            if (!parts[nparts++].t)
                return false;
            break;
        case INDEX_mask:
            if (!mask_parts(x, item, a, strides, parts, &nparts))
                return false;
            break;
        }
    }
    return select_block(x, s, parts, nparts);
}

/* What happens to the elements that are selected. */
typedef struct Mover {
    char *dense; /* of the tensor that is indexed */
    size_t size;
    char *read_to;    /* reading: where the selection goes, in order */
    const Walk *from; /* writing: the values, in order of the selection */
    const Sums *sums; /* adding */
} Mover;

/* Elements i .. i + n of the selection lie side by side from offset on. */
static void move(const Mover *m, int64_t i, int64_t offset, int64_t n)
{
    if (m->read_to)
        memcpy(m->read_to + (size_t)i * m->size, m->dense + (size_t)offset * m->size,
               (size_t)n * m->size);
    else if (m->sums)
        sums_add(m->sums, offset, m->from, i, n);
    else
        walk_get_raw(m->from, i, n, m->dense + (size_t)offset * m->size);
}

static int64_t plain_offset(const Selection *s, uint32_t from, uint32_t to, int64_t i)
{
    int64_t offset = 0;
    for (uint32_t d = to; d-- > from;) {
        offset += i % s->shape[d] * s->strides[d];
        i /= s->shape[d];
    }
    return offset;
}

/* Moves the whole selection in row-major order, in runs as long as they get. */
static void each_selected(Interp *x, const Selection *s, const Mover *m)
{
    int64_t before = 1, after = 1, run = 1, i = 0;
    uint32_t last = s->nplain;
    for (; last > s->block_at && (s->shape[last - 1] == 1 || s->strides[last - 1] == run); last--)
        run *= s->shape[last - 1];
    for (uint32_t d = 0; d < last; d++)
        *(d < s->block_at ? &before : &after) *= s->shape[d];
    for (int64_t p = 0; run > 0 && p < before; p++) {
        int64_t outer = s->base + plain_offset(s, 0, s->block_at, p);
        for (int64_t b = 0; b < s->nblock && !stopped(x); b++)
            for (int64_t q = 0; q < after; q++, i += run)
                move(m, i, outer + s->offsets[b] + plain_offset(s, s->block_at, last, q), run);
    }
}

/* Shape of a selection: plain dimensions with the block among them. */
static uint32_t selection_shape(const Selection *s, int64_t *shape)
{
    uint32_t n = 0;
    for (uint32_t d = 0; d <= s->nplain; d++) {
        if (d == s->block_at && s->has_block)
            for (uint32_t b = 0; b < s->block_rank; b++)
                shape[n++] = s->block[b];
        if (d < s->nplain)
            shape[n++] = s->shape[d];
    }
    return n;
}

bool k_index(Interp *x)
{
    Tensor *a = in_dense(x, 0, out_dtype(x, 0));
    Selection s;
    if (!a || !select_key(x, a, false, &s))
        return false;
    Tensor *out = out_new(x, 0);
    if (!out)
        return false;
    Mover m = {.dense = tensor_data(a), .size = bytes_of(a), .read_to = tensor_data(out)};
    if (tensor_numel(out))
        each_selected(x, &s, &m);
    return true;
}

/* The values stretched to the selection's shape; leading sizes of 1 too many are dropped. */
static bool stretch_value(Interp *x, const Tensor *value, const Selection *s, Walk *out)
{
    int64_t shape[2 * MAX_RANK], strides[2 * MAX_RANK] = {0};
    uint32_t rank = selection_shape(s, shape), skip = 0;
    while (value->rank - skip > rank && value->shape[skip] == 1)
        skip++;
    uint32_t n = value->rank - skip;
    bool fits = n <= rank && rank <= MAX_RANK;
    for (uint32_t i = 0; fits && i < n; i++) {
        int64_t have = value->shape[skip + i], want = shape[rank - n + i];
        fits = have == want || have == 1;
        strides[rank - n + i] = have == 1 ? 0 : value->strides[skip + i];
    }
    if (!fits)
        return fail(x, "bad-index", "%s: the value does not fit the elements that are selected",
                    x->node->op->name);
    walk_init_view(out, value, rank, shape, strides, 0);
    return true;
}

static bool put(Interp *x, bool python_key, bool add)
{
    Tensor *a = in_dense(x, 0, out_dtype(x, 0)), *value = in_dense(x, 2, out_dtype(x, 0));
    Selection s;
    Sums sums;
    Walk from;
    if (!a || !value || !select_key(x, a, python_key, &s) || !stretch_value(x, value, &s, &from))
        return false;
    if (add) {
        if (!sums_begin(x, &sums, a->dtype, 0, a))
            return false;
        each_selected(x, &s, &(Mover){.from = &from, .sums = &sums});
        return sums_give(x, &sums);
    }
    Tensor *out = tensor_clone(a);
    if (!out_give(x, 0, out))
        return false;
    each_selected(x, &s, &(Mover){.dense = tensor_data(out), .size = bytes_of(a), .from = &from});
    return true;
}

bool k_copy_with_setitem(Interp *x)
{
    return put(x, true, false);
}

bool k_index_put(Interp *x)
{
    int64_t accumulate;
    return in_int(x, 3, &accumulate) && put(x, false, accumulate != 0);
}

/* One row of coordinates for each element that is not zero. */
bool k_nonzero(Interp *x)
{
    int64_t size;
    Tensor *a = in_tensor(x, 0);
    Tensor *set = a ? keep(x, tensor_cast(a, DT_b8)) : NULL;
    if (!set || !in_int(x, 1, &size))
        return false;
    int64_t shape[2] = {count_set(set), a->rank};
    if (shape[0] != size)
        return fail(x, "data-size",
                    "nonzero: %lld element%s not zero, but the program was loaded for %lld; "
                    "bind the inputs before it is used",
                    (long long)shape[0], shape[0] == 1 ? " is" : "s are", (long long)size);
    Tensor *out = tensor_new(DT_i64, a->device, 2, shape);
    if (!out_give(x, 0, out))
        return false;
    const uint8_t *bit = tensor_data(set);
    int64_t *row = tensor_data(out);
    for (int64_t i = 0, n = tensor_numel(set); i < n && row; i++) {
        if (!bit[i])
            continue;
        int64_t rest = i;
        for (uint32_t d = a->rank; d-- > 0;) {
            row[d] = rest % a->shape[d];
            rest /= a->shape[d];
        }
        row += a->rank;
    }
    return true;
}
