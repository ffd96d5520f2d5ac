/*
 * margin_places.c - places of equal elements, any of which is right; see making.h.
 *
 * topk, kthvalue and a sort that is not stable tell where elements were. Which one of equal elements
 * they name is open, so the elements there are held against the right ones.
 */
#include "making.h"

#include "run.h"

#include <math.h>

/* The prim without a rule for equal elements whose places v tells, as they are or as another shape
 * of them; NO_NODE = none. */
static NodeId places_leaf(const Making *m, ValueId v)
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
        bool open = id == PRIM_topk || id == PRIM_kthvalue ||
                    (id == PRIM_sort && !(n->args[3].kind == ARG_bool && n->args[3].i));
        return open && arg_values(n->out, outs, MAX_OUTPUTS) == 2 && outs[1] == v ? m->c->leaves[i]
                                                                                   : NO_NODE;
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

Arg mg_places_off(Making *m, ValueId v, Arg got, Arg *may)
{
    NodeId leaf = places_leaf(m, v);
    ValueId outs[MAX_OUTPUTS];
    if (leaf == NO_NODE || !arg_values(m->from->nodes[leaf].out, outs, MAX_OUTPUTS))
        return A_NONE;
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

bool mg_tells_places(const Making *m, ValueId v)
{
    return places_leaf(m, v) != NO_NODE;
}
