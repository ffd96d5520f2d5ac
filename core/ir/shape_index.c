/*
 * shape_index.c - shape rules of gathers, scatters and indexing, and the reading of index keys.
 *
 * Input: a tensor, index tensors and a dimension or a key. Output: result types; for keys also the
 * IndexPlan that executors follow. One idea: a key is first split into items, each of which takes
 * known dimensions; only then is the place of the block of index tensors decided.
 */
#include "shape.h"
#include "shape_util.h"

#include <string.h>

/* ---------------------------------------------------------------------------------- index keys */

static bool known_int_arg(const Infer *inf, Arg a, int64_t *out)
{
    if (a.kind == ARG_value && a.v && a.v < inf->t->nvalues)
        a = inf->t->values[a.v].known;
    *out = a.i;
    return a.kind == ARG_int;
}

static bool is_mask_dtype(uint8_t dtype)
{
    return dtype == DT_b8 || dtype == DT_u8; /* u8 masks are PyTorch's old form */
}

/* Dimensions of the indexed tensor that a key item takes; -1 when it cannot be a key. */
static int dims_taken(const Infer *inf, Arg key, bool python_key)
{
    int64_t i;
    Type t = operand_type(inf, key);
    if (is_tensor_type(&t))
        return is_mask_dtype(t.dtype) ? (int)t.rank : dtype_is_int((DType)t.dtype) ? 1 : -1;
    if (key.kind == ARG_none)
        return python_key ? 0 : 1;
    if (!python_key)
        return -1;
    if (key.kind == ARG_ellipsis || key.kind == ARG_bool)
        return 0;
    return key.kind == ARG_slice || known_int_arg(inf, key, &i) ? 1 : -1;
}

static bool read_slice_part(const Infer *inf, Arg part, int64_t dflt, int64_t *out)
{
    *out = dflt;
    return part.kind == ARG_none || known_int_arg(inf, part, out);
}

static int64_t clamp_bound(int64_t i, int64_t size)
{
    if (i < 0)
        i = i < -size ? 0 : i + size;
    return i > size ? size : i;
}

static bool read_slice(Infer *inf, int arg, Arg key, int64_t size, IndexItem *item)
{
    int64_t stop;
    if (!read_slice_part(inf, key.items[0], 0, &item->start) ||
        !read_slice_part(inf, key.items[1], size, &stop) ||
        !read_slice_part(inf, key.items[2], 1, &item->step))
        return infer_error(inf, arg, "the parts of a slice must be ints or None");
    if (item->step < 1)
        return infer_error(inf, arg, "the step of a slice must be at least 1, not %lld",
                           (long long)item->step);
    item->kind = INDEX_slice;
    item->start = clamp_bound(item->start, size);
    stop = clamp_bound(stop, size);
    int64_t n = stop > item->start ? stop - item->start : 0;
    item->n = n / item->step + (n % item->step != 0);
    return true;
}

static bool read_int(Infer *inf, int arg, int64_t i, uint32_t dim, int64_t size, IndexItem *item)
{
    if (i < -size || i >= size)
        return infer_error(inf, arg, "index %lld is out of range for dimension %u of size %lld",
                           (long long)i, dim, (long long)size);
    item->kind = INDEX_int;
    item->start = i < 0 ? i + size : i;
    return true;
}

static bool check_mask_shape(Infer *inf, int arg, const Type *a, const Type *mask, uint32_t dim)
{
    for (uint32_t i = 0; i < mask->rank; i++)
        if (mask->shape[i] != a->shape[dim + i])
            return infer_error(inf, arg,
                               "a mask of shape %.*s does not fit dimensions %u.. of %.*s",
                               STR(describe_shape(inf, mask->rank, mask->shape)), dim,
                               STR(describe_shape(inf, a->rank, a->shape)));
    return true;
}

/* One key item (not Ellipsis) that begins at dimension dim. */
static bool read_item(Infer *inf, int arg, const Type *a, Arg key, uint32_t dim, bool python_key,
                      IndexItem *item)
{
    int64_t i, size = dim < a->rank ? a->shape[dim] : 0;
    Type t = operand_type(inf, key);
    *item = (IndexItem){.dim = dim, .step = 1};
    if (is_tensor_type(&t)) {
        item->tensor = key.v;
        if (is_mask_dtype(t.dtype)) {
            item->kind = INDEX_mask;
            return check_mask_shape(inf, arg, a, &t, dim);
        }
        item->kind = python_key && t.rank == 0 ? INDEX_scalar : INDEX_tensor;
        return true;
    }
    if (key.kind == ARG_bool) {
        item->kind = INDEX_mask;
        item->literal = key.i != 0;
        return true;
    }
    if (key.kind == ARG_none) {
        item->kind = python_key ? INDEX_new : INDEX_slice;
        item->n = python_key ? 1 : size;
        return true;
    }
    if (key.kind == ARG_slice)
        return read_slice(inf, arg, key, size, item);
    known_int_arg(inf, key, &i);
    return read_int(inf, arg, i, dim, size, item);
}

static bool add_item(Infer *inf, int arg, IndexPlan *p, IndexItem item)
{
    if (p->n == MAX_INDEX_ITEMS)
        return infer_error(inf, arg, "a key of more than %d items", MAX_INDEX_ITEMS);
    p->items[p->n++] = item;
    return true;
}

static bool add_whole_dims(Infer *inf, int arg, const Type *a, uint32_t from, uint32_t to,
                           IndexPlan *p)
{
    for (uint32_t d = from; d < to; d++)
        if (!add_item(inf, arg, p,
                      (IndexItem){.kind = INDEX_slice, .dim = d, .step = 1, .n = a->shape[d]}))
            return false;
    return true;
}

static bool read_items(Infer *inf, int arg, const Type *a, const Arg *keys, uint32_t nkeys,
                       bool python_key, IndexPlan *p)
{
    uint32_t taken = 0, ellipses = 0, dim = 0;
    for (uint32_t i = 0; i < nkeys; i++) {
        int dims = dims_taken(inf, keys[i], python_key);
        if (dims < 0)
            return infer_error(inf, arg, "%.*s cannot be part of a key",
                               STR(describe_arg(inf, keys[i])));
        taken += (uint32_t)dims;
        ellipses += keys[i].kind == ARG_ellipsis;
        if (taken > a->rank)
            return infer_error(inf, arg, "more indices than the %u dimensions of %.*s", a->rank,
                               STR(describe_shape(inf, a->rank, a->shape)));
    }
    if (ellipses > 1)
        return infer_error(inf, arg, "a key can have only one '...'");
    for (uint32_t i = 0; i < nkeys; i++) {
        IndexItem item;
        if (keys[i].kind == ARG_ellipsis) {
            if (!add_whole_dims(inf, arg, a, dim, dim + a->rank - taken, p))
                return false;
            dim += a->rank - taken;
            continue;
        }
        if (!read_item(inf, arg, a, keys[i], dim, python_key, &item) ||
            !add_item(inf, arg, p, item))
            return false;
        dim += (uint32_t)dims_taken(inf, keys[i], python_key);
    }
    return add_whole_dims(inf, arg, a, dim, a->rank, p);
}

/* Broadcasts the shape of one more index tensor into the block. */
static bool join_block(Infer *inf, int arg, const Type *t, IndexPlan *p)
{
    uint32_t rank = t->rank > p->block_rank ? t->rank : p->block_rank;
    int64_t joined[MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        int64_t x = i < rank - t->rank ? 1 : t->shape[i - (rank - t->rank)];
        int64_t y = i < rank - p->block_rank ? 1 : p->block[i - (rank - p->block_rank)];
        if (x != y && x != 1 && y != 1)
            return infer_error(inf, arg,
                               "index tensors of shapes %.*s and %.*s cannot be "
                               "broadcast together",
                               STR(describe_shape(inf, p->block_rank, p->block)),
                               STR(describe_shape(inf, t->rank, t->shape)));
        joined[i] = x == 1 ? y : x;
    }
    memcpy(p->block, joined, rank * sizeof *joined);
    p->block_rank = rank;
    return true;
}

static bool is_block_item(const IndexItem *item)
{
    return item->kind == INDEX_tensor || item->kind == INDEX_mask;
}

/* Finds the block: its shape, and the result dimension where it begins. */
static bool place_block(Infer *inf, int arg, IndexPlan *p)
{
    uint32_t plain = 0, runs = 0; /* plain: result dimensions that are not the block's */
    bool inside = false;
    for (uint32_t i = 0; i < p->n; i++) {
        const IndexItem *item = &p->items[i];
        if (is_block_item(item)) {
            runs += !inside;
            if (!p->has_block)
                p->block_at = plain;
            inside = p->has_block = true;
            p->has_mask |= item->kind == INDEX_mask;
            if (item->kind == INDEX_tensor &&
                !join_block(inf, arg, &inf->t->values[item->tensor].type, p))
                return false;
        } else if (item->kind == INDEX_slice || item->kind == INDEX_new) {
            plain++;
            inside = false;
        }
    }
    if (runs > 1)
        p->block_at = 0;
    return true;
}

static void put_block(IndexPlan *p)
{
    if (p->has_block && p->rank == p->block_at && p->rank + p->block_rank <= MAX_RANK) {
        memcpy(p->shape + p->rank, p->block, p->block_rank * sizeof *p->block);
        p->rank += p->block_rank;
    }
}

bool index_plan(Infer *inf, int arg, const Type *a, const Arg *keys, uint32_t nkeys,
                bool python_key, IndexPlan *p)
{
    uint32_t plain = 0;
    *p = (IndexPlan){.n = 0};
    if (!read_items(inf, arg, a, keys, nkeys, python_key, p) || !place_block(inf, arg, p))
        return false;
    for (uint32_t i = 0; i < p->n; i++)
        plain += p->items[i].kind == INDEX_slice || p->items[i].kind == INDEX_new;
    if (plain + p->block_rank > MAX_RANK)
        return infer_error(inf, arg, "the result would have more than %d dimensions", MAX_RANK);
    for (uint32_t i = 0, seen = 0; i < p->n; i++) {
        if (p->has_block && seen == p->block_at && p->rank == seen)
            put_block(p);
        if (p->items[i].kind != INDEX_slice && p->items[i].kind != INDEX_new)
            continue;
        p->shape[p->rank++] = p->items[i].n;
        seen++;
    }
    if (p->has_block && p->rank == plain)
        put_block(p);
    return true;
}

/* ------------------------------------------------------------------------------------- indexing */

bool sh_index(Infer *inf)
{
    Type a;
    IndexPlan p;
    Arg keys = inf->args[1];
    if (!want_tensor(inf, 0, &a))
        return false;
    if (!arg_is_seq(keys))
        return infer_error(inf, 1, "argument 'indices' must be a sequence of tensors or None");
    if (!index_plan(inf, 1, &a, keys.items, keys.n, false, &p))
        return false;
    if (p.has_mask)
        return infer_error(inf, 1,
                           "the result of indexing with a mask has a size that depends on "
                           "its data (use where, or index_put)");
    return give_tensor(inf, (DType)a.dtype, a.device, p.rank, p.shape);
}

/* A value that is stored where a key points must stretch to what the key selects; leading sizes
 * of 1 too many are allowed, as in PyTorch. */
static bool value_fits(Infer *inf, int arg, const Type *value, const IndexPlan *p)
{
    uint32_t skip = 0;
    if (value->kind != VALUE_tensor || p->has_mask)
        return true;
    while (value->rank - skip > p->rank && value->shape[skip] == 1)
        skip++;
    if (shape_stretches(value->rank - skip, value->shape + skip, p->rank, p->shape))
        return true;
    return infer_error(inf, arg, "argument '%s' of shape %.*s does not fit the selected %.*s",
                       param_name(inf, arg), STR(describe_shape(inf, value->rank, value->shape)),
                       STR(describe_shape(inf, p->rank, p->shape)));
}

static bool value_dtype_fits(Infer *inf, int arg, const Type *value, const Type *a)
{
    if (value->kind == VALUE_tensor)
        return want_same_dtype(inf, arg, value, a);
    if (dtype_is_complex((DType)value->dtype) && !dtype_is_complex((DType)a->dtype))
        return infer_error(inf, arg, "argument '%s' is complex, 'a' is %s", param_name(inf, arg),
                           dtype_info[a->dtype].name);
    return true;
}

bool sh_setitem(Infer *inf)
{
    Type a, value;
    IndexPlan p;
    Arg key = inf->args[1];
    if (!want_tensor(inf, 0, &a) || !want_operand(inf, 2, &value) ||
        !value_dtype_fits(inf, 2, &value, &a))
        return false;
    bool many = key.kind == ARG_tuple;
    if (!index_plan(inf, 1, &a, many ? key.items : &inf->args[1], many ? key.n : 1, true, &p) ||
        !value_fits(inf, 2, &value, &p))
        return false;
    return give_like(inf, &a, (DType)a.dtype);
}

bool sh_index_put(Infer *inf)
{
    Type a, values;
    IndexPlan p;
    bool accumulate;
    Arg keys = inf->args[1];
    if (!want_tensor(inf, 0, &a) || !want_tensor(inf, 2, &values) ||
        !want_same_dtype(inf, 2, &values, &a) || !want_bool(inf, 3, &accumulate))
        return false;
    if (!arg_is_seq(keys))
        return infer_error(inf, 1, "argument 'indices' must be a sequence of tensors or None");
    if (!index_plan(inf, 1, &a, keys.items, keys.n, false, &p) || !value_fits(inf, 2, &values, &p))
        return false;
    return give_like(inf, &a, (DType)a.dtype);
}

/* ---------------------------------------------------------------------------- gather, scatter */

/* A 0-d tensor takes part as if it had one dimension of size 1. */
static uint32_t rank1(const Type *t)
{
    return t->rank ? t->rank : 1;
}

static int64_t size1(const Type *t, uint32_t dim)
{
    return t->rank ? t->shape[dim] : 1;
}

/* Reads a (argument 0), integer indices (1) and the dimension (dim_arg). */
static bool want_indexed(Infer *inf, int dim_arg, Type *a, Type *indices, uint32_t *dim)
{
    return want_tensor(inf, 0, a) && want_tensor(inf, 1, indices) &&
           want_index_dtype(inf, 1, indices) && want_dim(inf, dim_arg, a->rank, dim);
}

/* indices must not reach past t in any dimension but `except`. */
static bool indices_within(Infer *inf, const Type *indices, int arg, const Type *t, int64_t except)
{
    if (rank1(indices) != rank1(t))
        return infer_error(inf, 1, "argument 'indices' has rank %u, '%s' has %u", indices->rank,
                           param_name(inf, arg), t->rank);
    for (uint32_t d = 0; d < rank1(t); d++)
        if (d != except && size1(indices, d) > size1(t, d))
            return infer_error(inf, 1,
                               "argument 'indices' of shape %.*s reaches past '%s' of shape "
                               "%.*s in dimension %u",
                               STR(describe_shape(inf, indices->rank, indices->shape)),
                               param_name(inf, arg), STR(describe_shape(inf, t->rank, t->shape)),
                               d);
    return true;
}

bool sh_gather(Infer *inf)
{
    Type a, indices;
    uint32_t dim;
    if (!want_indexed(inf, 2, &a, &indices, &dim))
        return false;
    bool empty = element_count(&indices) == 0; /* reads nothing, so nothing can be out of place */
    if (!empty && !indices_within(inf, &indices, 0, &a, dim))
        return false;
    return give_tensor(inf, (DType)a.dtype, a.device, indices.rank, indices.shape);
}

bool sh_scatter(Infer *inf)
{
    Type a, indices, value;
    uint32_t dim;
    if (!want_indexed(inf, 3, &a, &indices, &dim) || !want_operand(inf, 2, &value) ||
        !value_dtype_fits(inf, 2, &value, &a))
        return false;
    if (inf->op->id == PRIM_scatter_add && value.kind != VALUE_tensor)
        return infer_error(inf, 2, "argument 'value' must be a tensor");
    if (element_count(&indices) != 0 &&
        (!indices_within(inf, &indices, 0, &a, dim) ||
         (value.kind == VALUE_tensor && !indices_within(inf, &indices, 2, &value, -1))))
        return false;
    return give_like(inf, &a, (DType)a.dtype);
}

static bool want_index_vector(Infer *inf, const Type *indices)
{
    return indices->rank <= 1
               ? true
               : infer_error(inf, 1, "argument 'indices' must have rank 0 or 1, not shape %.*s",
                             STR(describe_shape(inf, indices->rank, indices->shape)));
}

bool sh_index_add(Infer *inf)
{
    Type a, indices, value;
    uint32_t dim;
    if (!want_indexed(inf, 3, &a, &indices, &dim) || !want_index_vector(inf, &indices) ||
        !want_tensor(inf, 2, &value) || !want_same_dtype(inf, 2, &value, &a))
        return false;
    bool fits = rank1(&value) == rank1(&a);
    for (uint32_t d = 0; fits && d < rank1(&a); d++)
        fits = size1(&value, d) == (d == dim ? size1(&indices, 0) : size1(&a, d));
    if (!fits)
        return infer_error(inf, 2,
                           "argument 'value' of shape %.*s does not fit %lld slices of %.*s "
                           "along dimension %u",
                           STR(describe_shape(inf, value.rank, value.shape)),
                           (long long)size1(&indices, 0), STR(describe_shape(inf, a.rank, a.shape)),
                           dim);
    return give_like(inf, &a, (DType)a.dtype);
}

bool sh_take(Infer *inf)
{
    Type a, indices;
    uint32_t dim;
    int64_t shape[MAX_RANK];
    if (!want_indexed(inf, 2, &a, &indices, &dim) || !want_index_vector(inf, &indices))
        return false;
    if (a.rank == 0 && size1(&indices, 0) != 1)
        return infer_error(inf, 1, "a 0-d tensor takes one index, not %lld",
                           (long long)size1(&indices, 0));
    if (a.rank) {
        memcpy(shape, a.shape, a.rank * sizeof *shape);
        shape[dim] = size1(&indices, 0);
    }
    return give_tensor(inf, (DType)a.dtype, a.device, a.rank, shape);
}

bool sh_nonzero(Infer *inf)
{
    Type a;
    int64_t size;
    if (!want_tensor(inf, 0, &a) || !want_int_at_least(inf, 1, 0, &size))
        return false;
    if (size > type_numel(&a))
        return infer_error(inf, 1, "%lld elements cannot be non-zero, there are %lld",
                           (long long)size, (long long)type_numel(&a));
    return give_tensor(inf, DT_i64, a.device, 2, (const int64_t[]){size, a.rank});
}
