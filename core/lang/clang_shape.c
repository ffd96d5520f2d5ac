/*
 * clang_shape.c - builders, part two: shapes, and tensors made from nothing.
 *
 * Input: tensors and sizes as PyTorch takes them (-1, negative dimensions already normalised,
 * shapes to be stretched). Output: prims.broadcast_in_dim, reshape, slice_prim, ... with everything
 * spelled out. A builder that would change nothing gives its operand back.
 */
#include "lang.h"

#include <string.h>

static bool same_dims(const Dims *a, const Dims *c)
{
    return a->n == c->n && memcmp(a->v, c->v, a->n * sizeof *a->v) == 0;
}

static Str dims_text(Build *b, const Dims *d)
{
    StrBuf s = {0};
    sb_putc(&s, '[');
    for (uint32_t i = 0; i < d->n; i++)
        sb_printf(&s, "%s%lld", i ? ", " : "", (long long)d->v[i]);
    sb_putc(&s, ']');
    Str text = arena_str(&b->t->arena, sb_str(&s));
    sb_free(&s);
    return text;
}

static int64_t product(const Dims *d)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < d->n; i++)
        if (__builtin_mul_overflow(n, d->v[i], &n))
            return -1;
    return n;
}

/* ------------------------------------------------------------------------------ broadcasting */

static void join_shape(Build *b, Dims *out, const Type *t, int arg)
{
    if (t->rank > out->n) {
        uint32_t more = t->rank - out->n;
        memmove(out->v + more, out->v, out->n * sizeof *out->v);
        for (uint32_t i = 0; i < more; i++)
            out->v[i] = 1;
        out->n = t->rank;
    }
    for (uint32_t i = 0; i < t->rank; i++) {
        uint32_t at = out->n - t->rank + i;
        if (t->shape[i] == 1 || t->shape[i] == out->v[at])
            continue;
        if (out->v[at] != 1) {
            build_error(b, arg,
                        "The size of tensor a (%lld) must match the size of tensor b (%lld) at "
                        "non-singleton dimension %u",
                        (long long)out->v[at], (long long)t->shape[i], at);
            return;
        }
        out->v[at] = t->shape[i];
    }
}

Dims cl_broadcast_shapes(Build *b, const Arg *args, uint32_t n)
{
    Dims out;
    out.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        Type t = arg_type(b, args[i]);
        if (t.kind == VALUE_tensor && t.rank <= MAX_RANK)
            join_shape(b, &out, &t, build_arg(b, args[i]));
    }
    return out;
}

Arg cl_broadcast_to(Build *b, Arg x, const Dims *shape)
{
    if (b->failed || !arg_is_tensor(b, x))
        return x;
    Type t = arg_type(b, x);
    if (shape_equal(t.rank, t.shape, shape->n, shape->v))
        return x;
    Dims dims;
    dims.n = t.rank;
    for (uint32_t i = 0; i < t.rank; i++)
        dims.v[i] = shape->n - t.rank + i;
    return emit(b, broadcast_in_dim, x, cl_tuple(b, shape), cl_tuple(b, &dims));
}

Arg cl_expand(Build *b, Arg x, const Dims *shape)
{
    Dims have = cl_shape(b, x), out = *shape;
    if (out.n < have.n) {
        build_error(b, build_arg(b, x),
                    "the number of sizes provided (%u) must be greater or equal to the number of "
                    "dimensions in the tensor (%u)",
                    out.n, have.n);
        return x;
    }
    for (uint32_t i = 0; i < out.n; i++) {
        int64_t k = (int64_t)i - (out.n - have.n);
        int64_t size = k < 0 ? -1 : have.v[k];
        if (out.v[i] == -1 && k >= 0)
            out.v[i] = size;
        if (out.v[i] < 0 || (k >= 0 && size != 1 && size != out.v[i])) {
            build_error(b, 1,
                        "The expanded size of the tensor (%lld) must match the existing size "
                        "(%lld) at non-singleton dimension %u",
                        (long long)out.v[i], (long long)size, i);
            return x;
        }
    }
    return cl_broadcast_to(b, x, &out);
}

/* ----------------------------------------------------------------------------------- reshaping */

Arg cl_reshape(Build *b, Arg x, const Dims *shape)
{
    Dims out = *shape, have = cl_shape(b, x);
    int64_t numel = product(&have), known = 1;
    int unknown = -1;
    bool fits = true;
    for (uint32_t i = 0; i < out.n; i++) {
        if (out.v[i] == -1 && unknown < 0)
            unknown = (int)i;
        else if (out.v[i] < 0 || __builtin_mul_overflow(known, out.v[i], &known))
            fits = false;
    }
    if (fits && unknown >= 0 && known > 0 && numel % known == 0) {
        out.v[unknown] = numel / known;
        known = numel;
        unknown = -1;
    }
    if (!fits || unknown >= 0 || known != numel) {
        build_error(b, 1, "shape '%.*s' is invalid for input of size %lld",
                    STR(dims_text(b, shape)), (long long)numel);
        return x;
    }
    return same_dims(&out, &have) ? x : emit(b, reshape, x, cl_tuple(b, &out));
}

Arg cl_flatten(Build *b, Arg x, int64_t start, int64_t end)
{
    Dims have = cl_shape(b, x), out = {0};
    if (have.n == 0) {
        out.v[out.n++] = 1;
        return cl_reshape(b, x, &out);
    }
    int64_t joined = 1;
    for (int64_t i = 0; i < have.n; i++) {
        joined *= i >= start && i <= end ? have.v[i] : 1;
        if (i < start || i > end)
            out.v[out.n++] = have.v[i];
        else if (i == end)
            out.v[out.n++] = joined;
    }
    return cl_reshape(b, x, &out);
}

Arg cl_unsqueeze_at(Build *b, Arg x, const Dims *dims)
{
    Dims have = cl_shape(b, x), out = {.n = have.n + dims->n}, keep = {0};
    if (dims->n == 0 || b->failed)
        return x;
    if (out.n > MAX_RANK) {
        build_error(b, -1, "more than %d dimensions", MAX_RANK);
        return x;
    }
    for (uint32_t i = 0, k = 0; i < out.n; i++) {
        bool added = cl_dims_have(dims, i);
        if (!added)
            keep.v[keep.n++] = i;
        out.v[i] = added ? 1 : have.v[k++];
    }
    return emit(b, broadcast_in_dim, x, cl_tuple(b, &out), cl_tuple(b, &keep));
}

Arg cl_unsqueeze(Build *b, Arg x, int64_t dim)
{
    Dims d = {.n = 1, .v = {dim}};
    return cl_unsqueeze_at(b, x, &d);
}

Arg cl_squeeze(Build *b, Arg x, const Dims *dims)
{
    Dims out = {0};
    for (uint32_t i = 0; i < dims->n; i++)
        if (dims->v[i] < cl_rank(b, x) && cl_size(b, x, dims->v[i]) == 1)
            out.v[out.n++] = dims->v[i];
    return out.n ? emit(b, squeeze, x, cl_tuple(b, &out)) : x;
}

Arg cl_permute(Build *b, Arg x, const Dims *order)
{
    Dims all = cl_all_dims(order->n);
    return same_dims(&all, order) ? x : emit(b, transpose, x, cl_tuple(b, order));
}

Arg cl_swap(Build *b, Arg x, int64_t d0, int64_t d1)
{
    uint32_t rank = cl_rank(b, x);
    Dims order = cl_all_dims(rank);
    d0 += d0 < 0 ? rank : 0;
    d1 += d1 < 0 ? rank : 0;
    if (d0 < 0 || d1 < 0 || d0 >= rank || d1 >= rank)
        return x;
    order.v[d0] = d1;
    order.v[d1] = d0;
    return cl_permute(b, x, &order);
}

Arg cl_movedim(Build *b, Arg x, const Dims *from, const Dims *to)
{
    uint32_t rank = cl_rank(b, x);
    Dims order = {.n = rank};
    for (uint32_t i = 0, next = 0; i < rank; i++) {
        order.v[i] = -1;
        for (uint32_t k = 0; k < to->n; k++)
            if (to->v[k] == i)
                order.v[i] = from->v[k];
        if (order.v[i] >= 0)
            continue;
        while (next < rank && cl_dims_have(from, next))
            next++;
        order.v[i] = next++;
    }
    return cl_permute(b, x, &order);
}

/* -------------------------------------------------------------------------- slicing and joining */

Arg cl_slice(Build *b, Arg x, int64_t dim, int64_t start, int64_t stop, int64_t step)
{
    Dims end = cl_shape(b, x), begin = {.n = end.n}, strides = {.n = end.n};
    if (b->failed || dim < 0 || dim >= end.n)
        return x;
    int64_t size = end.v[dim];
    start = start < 0 ? start + size : start;
    stop = stop < 0 ? stop + size : stop;
    start = start < 0 ? 0 : start > size ? size : start;
    stop = stop < start ? start : stop > size ? size : stop;
    if (start == 0 && stop == size && step == 1)
        return x;
    for (uint32_t i = 0; i < end.n; i++) {
        begin.v[i] = 0;
        strides.v[i] = 1;
    }
    begin.v[dim] = start;
    end.v[dim] = stop;
    strides.v[dim] = step;
    return emit(b, slice_prim, x, cl_tuple(b, &begin), cl_tuple(b, &end), cl_tuple(b, &strides));
}

Arg cl_select(Build *b, Arg x, int64_t dim, int64_t index)
{
    if (b->failed)
        return x;
    Dims d = {.n = 1, .v = {dim}};
    return cl_squeeze(b, cl_slice(b, x, dim, index, index + 1, 1), &d);
}

Arg cl_flip(Build *b, Arg x, const Dims *dims)
{
    return dims->n ? emit(b, flip, x, cl_tuple(b, dims)) : x;
}

static bool check_cat(Build *b, const Arg *xs, uint32_t n, int64_t dim)
{
    Dims first = cl_shape(b, xs[0]);
    for (uint32_t i = 1; i < n; i++) {
        Dims s = cl_shape(b, xs[i]);
        if (s.n != first.n) {
            build_error(b, 0, "Tensors must have same number of dimensions: got %u and %u", first.n,
                        s.n);
            return false;
        }
        for (uint32_t k = 0; k < s.n; k++) {
            if (k == dim || s.v[k] == first.v[k])
                continue;
            build_error(b, 0,
                        "Sizes of tensors must match except in dimension %lld. Expected size %lld "
                        "but got size %lld for tensor number %u in the list.",
                        (long long)dim, (long long)first.v[k], (long long)s.v[k], i);
            return false;
        }
    }
    return true;
}

Arg cl_cat(Build *b, const Arg *xs, uint32_t n, int64_t dim)
{
    DType compute, result;
    if (b->failed)
        return A_NONE;
    cl_promote(b, xs, n, PROMOTE_PRESERVE, &compute, &result);
    Arg *kept = new_array(&b->t->arena, Arg, n + 1);
    uint32_t nkept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (cl_rank(b, xs[i]) != 1 || cl_size(b, xs[i], 0) != 0)
            kept[nkept++] = xs[i];
    if (nkept == 0)
        return n ? cl_to(b, xs[0], result) : A_NONE;
    if (!check_cat(b, kept, nkept, dim))
        return A_NONE;
    for (uint32_t i = 0; i < nkept; i++)
        kept[i] = cl_to(b, kept[i], result);
    if (nkept == 1)
        return kept[0];
    Arg list = {.kind = ARG_list, .n = nkept, .items = kept};
    return emit(b, cat, list, A_INT(dim));
}

Arg cl_stack(Build *b, const Arg *xs, uint32_t n, int64_t dim)
{
    Arg *wide = new_array(&b->t->arena, Arg, n + 1);
    Dims first = cl_shape(b, n ? xs[0] : A_NONE);
    for (uint32_t i = 0; i < n; i++) {
        Dims s = cl_shape(b, xs[i]);
        if (!same_dims(&first, &s)) {
            build_error(b, 0,
                        "stack expects each tensor to be equal size, but got %.*s at entry 0 and "
                        "%.*s at entry %u",
                        STR(dims_text(b, &first)), STR(dims_text(b, &s)), i);
            return A_NONE;
        }
        wide[i] = cl_unsqueeze(b, xs[i], dim);
    }
    return cl_cat(b, wide, n, dim);
}

Arg cl_pad(Build *b, Arg x, const Dims *low, const Dims *high, Arg value)
{
    Dims have = cl_shape(b, x);
    Arg *config = new_array(&b->t->arena, Arg, have.n + 1);
    bool any = false;
    for (uint32_t i = 0; i < have.n && !b->failed; i++) {
        const int64_t limit = (int64_t)1 << 60;
        int64_t lo = low->v[i], hi = high->v[i], size = have.v[i];
        if (lo < -limit || lo > limit || hi < -limit || hi > limit || size + lo + hi < 0) {
            build_error(b, 1, "padding (%lld, %lld) makes dimension %u of size %lld negative",
                        (long long)lo, (long long)hi, i, (long long)size);
            return x;
        }
        if (lo < 0 || hi < 0)
            x = cl_slice(b, x, i, lo < 0 ? -lo : 0, hi < 0 ? size + hi : size, 1);
        const int64_t triple[3] = {lo > 0 ? lo : 0, hi > 0 ? hi : 0, 0};
        any = any || triple[0] || triple[1];
        config[i] = arg_ints(b->t, triple, 3);
    }
    if (!any || b->failed)
        return x;
    Arg all = {.kind = ARG_tuple, .n = have.n, .items = config};
    return emit(b, pad, x, cl_number_to(b, value, cl_dtype(b, x)), all);
}

Arg cl_repeat(Build *b, Arg x, const Dims *repeats)
{
    Dims have = cl_shape(b, x), wide = {0}, place = {0}, out = {.n = repeats->n};
    if (repeats->n < have.n) {
        build_error(b, 1,
                    "Number of dimensions of repeat dims can not be smaller than number of "
                    "dimensions of tensor");
        return x;
    }
    if (2 * repeats->n > MAX_RANK) {
        build_error(b, 1, "more than %d dimensions", MAX_RANK / 2);
        return x;
    }
    uint32_t lead = repeats->n - have.n;
    for (uint32_t i = 0; i < repeats->n; i++) {
        int64_t size = i < lead ? 1 : have.v[i - lead];
        if (repeats->v[i] < 0) {
            build_error(b, 1, "Trying to create tensor with negative dimension %lld",
                        (long long)repeats->v[i]);
            return x;
        }
        if (__builtin_mul_overflow(size, repeats->v[i], &out.v[i])) {
            build_error(b, 1, "the result is too large");
            return x;
        }
        if (repeats->v[i] != 1)
            wide.v[wide.n++] = repeats->v[i];
        if (i >= lead) {
            place.v[place.n++] = wide.n;
            wide.v[wide.n++] = size;
        }
    }
    if (!same_dims(&wide, &have))
        x = emit(b, broadcast_in_dim, x, cl_tuple(b, &wide), cl_tuple(b, &place));
    return cl_reshape(b, x, &out);
}

/* The diagonal is every (m + 1)-th element of the flattened matrix. */
Arg cl_diagonal(Build *b, Arg x, int64_t offset, int64_t dim1, int64_t dim2)
{
    uint32_t rank = cl_rank(b, x);
    if (b->failed || offset > INT32_MAX || offset < INT32_MIN) {
        build_error(b, 1, "offset %lld is too large", (long long)offset);
        return x;
    }
    int64_t rows = cl_size(b, x, dim1), cols = cl_size(b, x, dim2);
    int64_t start = offset >= 0 ? offset : -offset * cols;
    int64_t n = offset >= 0 ? (rows < cols - offset ? rows : cols - offset)
                            : (rows + offset < cols ? rows + offset : cols);
    Dims from = {.n = 2, .v = {dim1, dim2}}, to = {.n = 2, .v = {rank - 2, rank - 1}};
    x = cl_movedim(b, x, &from, &to);
    x = cl_flatten(b, x, rank - 2, rank - 1);
    if (n <= 0)
        return cl_slice(b, x, rank - 2, 0, 0, 1);
    return cl_slice(b, x, rank - 2, start, start + (n - 1) * (cols + 1) + 1, cols + 1);
}

/* ------------------------------------------------------------------------------------ creation */

Arg cl_full(Build *b, const Dims *shape, Arg value, Device dev, DType dtype)
{
    for (uint32_t i = 0; i < shape->n; i++)
        if (shape->v[i] < 0) {
            build_error(b, -1, "Trying to create tensor with negative dimension %lld",
                        (long long)shape->v[i]);
            return A_NONE;
        }
    return emit(b, full, cl_tuple(b, shape), cl_number_to(b, value, dtype), A_DEVICE(dev),
                A_DTYPE(dtype));
}

Arg cl_full_like(Build *b, Arg x, Arg value)
{
    Dims shape = cl_shape(b, x);
    return cl_full(b, &shape, value, cl_device(b, x), cl_dtype(b, x));
}

Arg cl_iota(Build *b, int64_t n, Arg start, Arg step, Device dev, DType dtype)
{
    return emit(b, iota, A_INT(n), start, step, A_DEVICE(dev), A_DTYPE(dtype));
}

Arg cl_range(Build *b, int64_t n, Device dev)
{
    return cl_iota(b, n, A_INT(0), A_INT(1), dev, DT_i64);
}

Arg cl_tensor_of(Build *b, Arg x, Device dev, DType dtype)
{
    Dims scalar = {0};
    return cl_is_number(b, x) ? cl_full(b, &scalar, x, dev, dtype) : cl_to(b, x, dtype);
}
