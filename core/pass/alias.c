/*
 * alias.c - storage sharing; see alias.h.
 *
 * One walk over all nodes, sub-nodes included. For every result of a view prim: the strides that
 * PyTorch's view would have, from those of the parent.
 */
#include "alias.h"
#include "rewrite.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------- strides */

static void dense_strides(uint32_t rank, const int64_t *shape, int64_t *strides)
{
    int64_t step = 1;
    for (uint32_t i = rank; i-- > 0;) {
        strides[i] = step;
        step *= shape[i] > 1 ? shape[i] : 1;
    }
}

static bool is_dense(uint32_t rank, const int64_t *shape, const int64_t *strides)
{
    int64_t step = 1;
    for (uint32_t i = rank; i-- > 0;) {
        if (shape[i] == 0)
            return true;
        if (shape[i] != 1 && strides[i] != step)
            return false;
        step *= shape[i];
    }
    return true;
}

/* Strides of a reshape that moves nothing: the old dimensions are cut into runs that are contiguous
 * in memory, and each run must hold a whole number of new dimensions. */
static bool reshape_strides(uint32_t rank, const int64_t *shape, const int64_t *strides,
                            uint32_t new_rank, const int64_t *new_shape, int64_t *out)
{
    uint32_t to = new_rank;
    for (uint32_t from = rank; from > 0;) {
        int64_t step = strides[from - 1], run = shape[from - 1], filled = 1;
        from--;
        while (from > 0 && (shape[from - 1] == 1 || strides[from - 1] == run * step))
            run *= shape[--from];
        while (to > 0 && (filled < run || new_shape[to - 1] == 1)) {
            out[to - 1] = filled * step;
            filled *= new_shape[--to];
        }
        if (filled != run)
            return false;
    }
    while (to > 0 && new_shape[to - 1] == 1)
        out[--to] = 1;
    return to == 0;
}

static bool layout_reshape(const Layout *l, const Type *to, Layout *out)
{
    if (type_numel(to) == 0) {
        dense_strides(to->rank, to->shape, out->strides);
        return true;
    }
    return reshape_strides(l->rank, l->shape, l->strides, to->rank, to->shape, out->strides);
}

static bool layout_broadcast(const Trace *t, const Node *n, const Layout *l, Layout *out)
{
    int64_t dims[MAX_RANK];
    uint32_t ndims;
    if (!known_dims(t, n->args[2], out->rank, dims, &ndims) || ndims != l->rank)
        return false;
    memset(out->strides, 0, sizeof out->strides);
    for (uint32_t i = 0; i < l->rank; i++)
        if (l->shape[i] != 1 || out->shape[dims[i]] == 1)
            out->strides[dims[i]] = l->strides[i];
    return true;
}

static bool layout_slice(const Trace *t, const Node *n, const Layout *l, Layout *out)
{
    int64_t start[MAX_RANK], step[MAX_RANK];
    uint32_t nstart, nstep = 0;
    if (!known_ints(t, n->args[1], start, MAX_RANK, &nstart) || nstart != l->rank)
        return false;
    if (!arg_is_none(n->args[3]) &&
        (!known_ints(t, n->args[3], step, MAX_RANK, &nstep) || nstep != l->rank))
        return false;
    for (uint32_t i = 0; i < l->rank; i++) {
        out->strides[i] = l->strides[i] * (nstep ? step[i] : 1);
        out->offset += l->strides[i] * start[i];
    }
    return true;
}

static bool layout_squeeze(const Trace *t, const Node *n, const Layout *l, Layout *out)
{
    int64_t dims[MAX_RANK];
    uint32_t ndims, to = 0;
    if (!known_dims(t, n->args[1], l->rank, dims, &ndims))
        return false;
    for (uint32_t i = 0; i < l->rank; i++) {
        bool gone = false;
        for (uint32_t k = 0; k < ndims; k++)
            gone |= dims[k] == (int64_t)i;
        if (!gone)
            out->strides[to++] = l->strides[i];
    }
    return to == out->rank;
}

static bool layout_transpose(const Trace *t, const Node *n, const Layout *l, Layout *out)
{
    int64_t perm[MAX_RANK];
    uint32_t nperm;
    if (!known_dims(t, n->args[1], l->rank, perm, &nperm) || nperm != l->rank)
        return false;
    for (uint32_t i = 0; i < l->rank; i++)
        out->strides[i] = l->strides[perm[i]];
    return true;
}

static bool layout_unfold(const Trace *t, const Node *n, const Layout *l, Layout *out)
{
    int64_t dim, step;
    if (!known_int(t, n->args[1], &dim) || !known_int(t, n->args[3], &step))
        return false;
    dim += dim < 0 ? (int64_t)l->rank : 0;
    if (dim < 0 || dim >= (int64_t)l->rank || out->rank != l->rank + 1)
        return false;
    memcpy(out->strides, l->strides, sizeof l->strides);
    out->strides[l->rank] = l->strides[dim];
    out->strides[dim] *= step;
    return true;
}

static bool layout_as_strided(const Trace *t, const Node *n, const Layout *l, Layout *out)
{
    int64_t offset;
    uint32_t nstrides;
    if (!is_dense(l->rank, l->shape, l->strides) || !known_int(t, n->args[3], &offset) ||
        !known_ints(t, n->args[2], out->strides, MAX_RANK, &nstrides))
        return false;
    out->offset += offset;
    return nstrides == out->rank;
}

/* A tensor that is laid out so already is no copy. */
static bool layout_stride_order(const Trace *t, const Node *n, const Layout *l, Layout *out)
{
    int64_t order[MAX_RANK], step = 1;
    uint32_t norder;
    if (!known_dims(t, n->args[1], l->rank, order, &norder) || norder != l->rank)
        return false;
    for (uint32_t place = 0; place < l->rank; place++)
        for (uint32_t i = 0; i < l->rank; i++)
            if (order[i] == (int64_t)place) {
                out->strides[i] = step;
                step *= l->shape[i] > 1 ? l->shape[i] : 1;
            }
    for (uint32_t i = 0; i < l->rank; i++)
        if (l->shape[i] != 1 && out->strides[i] != l->strides[i])
            return false;
    return true;
}

bool layout_step(const Trace *t, const Node *n, const Layout *l, const Type *to, Layout *out)
{
    out->rank = to->rank;
    out->shape = to->shape;
    out->offset = l->offset;
    switch (n->op->id) {
    case PRIM_reshape:
    case PRIM_view:
        return layout_reshape(l, to, out);
    case PRIM_broadcast_in_dim:
        return layout_broadcast(t, n, l, out);
    case PRIM_slice_prim:
        return layout_slice(t, n, l, out);
    case PRIM_squeeze:
        return layout_squeeze(t, n, l, out);
    case PRIM_transpose:
        return layout_transpose(t, n, l, out);
    case PRIM_unfold:
        return layout_unfold(t, n, l, out);
    case PRIM_as_strided:
        return layout_as_strided(t, n, l, out);
    case PRIM_stride_order:
        return layout_stride_order(t, n, l, out);
    case PRIM_device_put:
        memcpy(out->strides, l->strides, sizeof l->strides);
        return device_eq(t->values[n->args[0].v].type.device, to->device);
    default:
        memcpy(out->strides, l->strides, sizeof l->strides);
        return is_rename(n);
    }
}

static bool back_transpose(const Trace *t, const Node *n, const Layout *l, Layout *out)
{
    int64_t perm[MAX_RANK];
    uint32_t nperm;
    if (!known_dims(t, n->args[1], l->rank, perm, &nperm) || nperm != l->rank)
        return false;
    for (uint32_t i = 0; i < l->rank; i++)
        out->strides[perm[i]] = l->strides[i];
    return true;
}

bool layout_back(const Trace *t, const Node *n, const Layout *l, const Type *from, Layout *out)
{
    out->rank = from->rank;
    out->shape = from->shape;
    out->offset = l->offset;
    switch (n->op->id) {
    case PRIM_transpose:
        return back_transpose(t, n, l, out);
    case PRIM_reshape:
    case PRIM_view:
    case PRIM_squeeze:
        return layout_reshape(l, from, out);
    default:
        return false;
    }
}

void layout_dense(const Type *type, Layout *out)
{
    out->rank = type->rank;
    out->shape = type->shape;
    out->offset = 0;
    dense_strides(type->rank, type->shape, out->strides);
}

bool layout_is_dense(const Layout *l)
{
    return is_dense(l->rank, l->shape, l->strides);
}

/* ------------------------------------------------------------------------------------- walk */

bool is_rename(const Node *n)
{
    return node_is_prim(n, PRIM_shallow_copy) || node_is_prim(n, PRIM_update_aliases) ||
           node_is_prim(n, PRIM_stride_order) || node_is_prim(n, PRIM_device_put) ||
           (n->op->flags & OP_IN_PLACE);
}

ValueId shared_argument(const Trace *t, const Node *n)
{
    if (n->span != 1 || !(n->op->flags & (OP_VIEW | OP_IN_PLACE)) || n->nargs == 0)
        return 0;
    Arg a = n->args[node_is_prim(n, PRIM_copy_) ? 1 : 0];
    ValueId v = a.kind == ARG_value ? a.v : 0;
    return v && t->values[v].type.kind == VALUE_tensor ? v : 0;
}

void alias_layout(const Alias *a, ValueId v, Layout *l)
{
    const Type *type = &a->t->values[v].type;
    l->rank = type->rank;
    l->shape = type->shape;
    l->offset = a->offset[v];
    if (a->strides[v])
        memcpy(l->strides, a->strides[v], type->rank * sizeof *l->strides);
    else
        dense_strides(type->rank, type->shape, l->strides);
}

static void keep_strides(Alias *a, ValueId v, const Layout *l)
{
    if (!is_dense(l->rank, l->shape, l->strides))
        a->strides[v] = arena_copy(&a->arena, l->strides, l->rank * sizeof *l->strides);
}

static void add_view(Alias *a, NodeId n, ValueId from, ValueId v)
{
    Layout have, next;
    const Type *type = &a->t->values[v].type;
    const Type *old = &a->t->values[from].type;
    if (type->kind != VALUE_tensor || old->kind != VALUE_tensor || type->rank > MAX_RANK ||
        old->rank > MAX_RANK)
        return;
    alias_layout(a, from, &have);
    if (!layout_step(a->t, &a->t->nodes[n], &have, type, &next)) {
        a->copied[v] = from;
        a->maker[v] = n;
        if (node_is_prim(&a->t->nodes[n],
                         PRIM_stride_order)) /* the one copy that is not row-major */
            keep_strides(a, v, &next);
        return;
    }
    a->parent[v] = from;
    a->root[v] = a->root[from];
    bool rename = is_rename(&a->t->nodes[n]);
    a->same[v] = rename ? a->same[from] : v;
    a->depth[v] = a->depth[from] + !rename;
    a->maker[v] = n;
    a->offset[v] = next.offset;
    keep_strides(a, v, &next);
}

typedef struct Walk {
    Alias *a;
    NodeId n;
} Walk;

static void view_pair(ValueId from, ValueId v, void *user)
{
    Walk *w = user;
    add_view(w->a, w->n, from, v);
}

static void walk_leaf(Alias *a, NodeId n)
{
    const Node *node = &a->t->nodes[n];
    ValueId from = shared_argument(a->t, node);
    if (node_is_prim(node, PRIM_update_aliases))
        arg_each_pair(node->args[0], node->out, view_pair, &(Walk){a, n});
    else if (from && node->out.kind == ARG_value)
        add_view(a, n, from, node->out.v);
    if (node->op->flags & OP_IN_PLACE) {
        a->nwrites++;
        if (from)
            a->written[a->root[from]] = 1;
    }
}

/* A result that its kernel writes into a part of another value's storage, or not densely. */
static void lay(Alias *a, ValueId v, const Layouts *l)
{
    Layout have = {.rank = a->t->values[v].type.rank, .shape = a->t->values[v].type.shape};
    const int64_t *strides = l->values[v].layout;
    if (strides && have.rank <= MAX_RANK) {
        memcpy(have.strides, strides, have.rank * sizeof *strides);
        keep_strides(a, v, &have);
    }
    if (l->whole && l->whole[v]) {
        a->root[v] = l->whole[v];
        a->offset[v] = l->at[v];
    }
}

void alias_build(Alias *a, const Trace *t)
{
    alias_build_laid(a, t, &(Layouts){0});
}

void alias_build_laid(Alias *a, const Trace *t, const Layouts *l)
{
    *a = (Alias){.t = t};
    a->parent = new_array(&a->arena, ValueId, t->nvalues);
    a->root = new_array(&a->arena, ValueId, t->nvalues);
    a->same = new_array(&a->arena, ValueId, t->nvalues);
    a->depth = new_array(&a->arena, uint32_t, t->nvalues);
    a->maker = new_array(&a->arena, NodeId, t->nvalues);
    a->strides = new_array(&a->arena, const int64_t *, t->nvalues);
    a->offset = new_array(&a->arena, int64_t, t->nvalues);
    a->copied = new_array(&a->arena, ValueId, t->nvalues);
    a->written = new_array(&a->arena, uint8_t, t->nvalues);
    for (ValueId v = 0; v < t->nvalues; v++) {
        a->root[v] = a->same[v] = v;
        a->maker[v] = NO_NODE;
        if (l->values)
            lay(a, v, l);
    }
    for (NodeId n = 0; n < t->nnodes; n++) {
        const Node *node = &t->nodes[n];
        if (node->span == 1)
            walk_leaf(a, n);
        else if (node->op->id == PRIM_call && node->executor)
            n += node->span - 1; /* a kernel writes its results into storage of their own */
    }
}

void alias_free(Alias *a)
{
    arena_free(&a->arena);
}

bool trace_has_writes(const Trace *t)
{
    for (NodeId n = 0; n < t->nnodes; n++)
        if (t->nodes[n].span == 1 && (t->nodes[n].op->flags & OP_IN_PLACE))
            return true;
    return false;
}

bool alias_join_is_unsafe(const Alias *a, ValueId x, ValueId y)
{
    ValueId p = a->root[x], q = a->root[y];
    return p != q && (a->written[p] || a->written[q]);
}

typedef struct Dim {
    int64_t size, stride;
} Dim;

static int by_stride(const void *a, const void *b)
{
    const Dim *x = a, *y = b;
    return (x->stride > y->stride) - (x->stride < y->stride);
}

bool alias_overlaps(const Alias *a, ValueId v)
{
    const Type *type = &a->t->values[v].type;
    Dim dims[MAX_RANK];
    uint32_t n = 0;
    int64_t reach = 0;
    if (!a->strides[v] || type_numel(type) == 0)
        return false;
    for (uint32_t i = 0; i < type->rank; i++)
        if (type->shape[i] > 1)
            dims[n++] = (Dim){type->shape[i], llabs(a->strides[v][i])};
    qsort(dims, n, sizeof *dims, by_stride);
    for (uint32_t i = 0; i < n; i++) {
        if (dims[i].stride <= reach)
            return true;
        reach += (dims[i].size - 1) * dims[i].stride;
    }
    return false;
}
