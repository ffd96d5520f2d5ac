/*
 * margin_open.c - results that are right in several ways; see making.h.
 *
 * topk, kthvalue and a sort that is not stable tell where elements were: which one of equal
 * elements they name is open, so the elements there are held against the right ones. Singular
 * vectors have either sign, and turn freely where values meet: they are held against what they have
 * to be.
 */
#include "making.h"

#include "notation.h"
#include "run.h"

#include <float.h>
#include <math.h>

/* The prim that leaves result v open, which may be another shape of that; NO_NODE = none. */
static NodeId open_leaf(const Making *m, ValueId v)
{
    for (uint32_t i = m->c->nleaves; i-- > 0;) {
        const Node *n = &m->from->nodes[m->c->leaves[i]];
        ValueId outs[MAX_OUTPUTS];
        uint32_t id = n->op->id;
        if (!node_makes(n, v))
            continue;
        if ((id == PRIM_reshape || id == PRIM_squeeze) && n->args[0].kind == ARG_value) {
            v = n->args[0].v;
            continue;
        }
        uint32_t count = arg_values(n->out, outs, MAX_OUTPUTS);
        bool places = id == PRIM_topk || id == PRIM_kthvalue ||
                      (id == PRIM_sort && !(n->args[3].kind == ARG_bool && n->args[3].i));
        bool open = (places && count == 2 && outs[1] == v) ||
                    (id == PRIM_svd && count == 3 && (outs[0] == v || outs[2] == v));
        return open ? m->c->leaves[i] : NO_NODE;
    }
    return NO_NODE;
}

/* 1 along dim where two of the places there are one, else 0. */
static Arg told_twice(Making *m, Arg places, int64_t dim)
{
    Type type = *mg_type(m, places);
    int64_t from[MAX_RANK] = {0}, end[MAX_RANK], others[MAX_RANK];
    uint32_t rank = type.rank, nothers = 0;
    ValueId sorted[2];
    Arg half[2];
    for (uint32_t i = 0; i < rank; i++) {
        end[i] = type.shape[i];
        if (i != (uint32_t)dim)
            others[nothers++] = i;
    }
    if (type.shape[dim] < 2 || arg_values(emit(&m->b, sort, places, A_INT(dim), A_BOOL(false),
                                               A_BOOL(true)), sorted, 2) != 2)
        return mg_filled(m, places, 0);
    for (int64_t k = 0; k < 2; k++) {
        from[dim] = k;
        end[dim] = type.shape[dim] - 1 + k;
        half[k] = emit(&m->b, slice_prim, A_VALUE(sorted[0]), arg_ints(m->b.t, from, rank),
                       arg_ints(m->b.t, end, rank), A_NONE);
    }
    Arg equal = mg_f64(m, emit(&m->b, eq, half[0], half[1]));
    Arg any = emit(&m->b, amax, equal, arg_ints(m->b.t, &dim, 1));
    return emit(&m->b, broadcast_in_dim, any, mg_sizes(m, &type),
                arg_ints(m->b.t, others, nothers));
}

/* How far the elements at the places that a run told are from those at the right ones; infinite
 * where there is no such place, or it was told already. */
static Arg places_off(Making *m, NodeId leaf, const ValueId *outs, Arg got, Arg *may)
{
    const Node *n = &m->from->nodes[leaf];
    Arg x = mg_exact(m, leaf, 0), right = m->exact[outs[0]], e = mg_error(m, leaf, 0);
    Type type = *mg_type(m, x);
    int64_t dim = n->args[n->op->id == PRIM_sort ? 1 : 2].i;
    if (type.rank == 0 || type_numel(mg_type(m, got)) != type_numel(mg_type(m, right)))
        return A_NONE;
    dim += dim < 0 ? type.rank : 0;
    got = emit(&m->b, reshape, got, mg_sizes(m, mg_type(m, right)));
    Arg there_is = emit(&m->b, bitwise_and, emit(&m->b, ge, got, A_INT(0)),
                        emit(&m->b, lt, got, A_INT(type.shape[dim])));
    Arg safe = emit(&m->b, where, there_is, got, A_INT(0));
    Arg found = mg_f64(m, emit(&m->b, gather, x, safe, A_INT(dim)));
    Arg off = mg_distance(m, found, mg_f64(m, right));
    off = emit(&m->b, where, there_is, off, A_FLOAT(INFINITY));
    Arg twice = emit(&m->b, gt, told_twice(m, got, dim), A_FLOAT(0));
    *may = arg_is_none(e) ? A_NONE : mg_f64(m, emit(&m->b, gather, e, safe, A_INT(dim)));
    if (!arg_is_none(m->error[outs[0]]))
        *may = mg_sum(m, *may, mg_f64(m, m->error[outs[0]]));
    return mg_f64(m, emit(&m->b, where, twice, A_FLOAT(INFINITY), off));
}

/* x as its own transpose where it is the last factor. */
static Arg upright(Making *m, Arg x, bool last)
{
    return last ? cl_swap(&m->b, x, -2, -1) : x;
}

/* For the columns u of a factor of a = u s v^T: |u^T u - 1|, the largest one, and |a a^T u - u s^2|
 * in units of 2 s^2 of the largest s. The bound is that of products so long (margin_rounding.c), in
 * the dtype of the columns. */
static Arg vectors_off(Making *m, NodeId leaf, const ValueId *outs, ValueId v, Arg got, Arg *may)
{
    Build *b = &m->b;
    bool last = v == outs[2];
    Arg a = upright(m, mg_exact(m, leaf, 0), last), u = upright(m, mg_f64(m, got), last);
    Arg s = m->exact[outs[1]];
    const Type *type = mg_type(m, u), *whole = mg_type(m, a);
    uint32_t rank = type->rank;
    int64_t rows = type->shape[rank - 2], columns = type->shape[rank - 1];
    double terms = (double)(rows + whole->shape[rank - 1]);
    Dims both = {2, {rank - 2, rank - 1}};
    Arg square = cl_unsqueeze(b, emit(b, mul, s, s), rank - 2);
    Arg most = cl_reduce(b, PRIM_amax, square, &(Dims){1, {rank - 1}}, true);
    most = cl_maximum(b, most, A_FLOAT(DBL_MIN));
    Arg turned = cl_mm(b, a, cl_mm(b, cl_swap(b, a, -2, -1), u));
    Arg far = cl_true_divide(b, emit(b, abs, emit(b, sub, turned, cl_mul(b, u, square))),
                             emit(b, mul, most, A_FLOAT(2)));
    Arg number = cl_range(b, columns, type->device);
    Arg one = mg_f64(m, cl_eq(b, number, cl_unsqueeze(b, number, 1)));
    Arg off = emit(b, abs, cl_sub(b, cl_mm(b, cl_swap(b, u, -2, -1), u), one));
    Arg sum = cl_add(b, far, cl_reduce(b, PRIM_amax, off, &both, true));
    *may = mg_filled(m, got, 2 * sqrt(terms) * mg_unit((DType)m->from->values[v].type.dtype));
    return upright(m, sum, last);
}

Arg mg_open_off(Making *m, ValueId v, Arg got, Arg *may)
{
    NodeId leaf = open_leaf(m, v);
    ValueId outs[MAX_OUTPUTS];
    if (leaf == NO_NODE || !arg_values(m->from->nodes[leaf].out, outs, MAX_OUTPUTS))
        return A_NONE;
    if (m->from->nodes[leaf].op->id != PRIM_svd)
        return places_off(m, leaf, outs, got, may);
    bool itself = outs[0] == v || outs[2] == v;
    return itself && type_numel(mg_type(m, got)) > 0 ? vectors_off(m, leaf, outs, v, got, may)
                                                     : A_NONE;
}

bool mg_is_open(const Making *m, ValueId v)
{
    return open_leaf(m, v) != NO_NODE;
}
