/*
 * margin_verdict.c - how far a result is off, in units of what it may be off by; see making.h.
 */
#include "making.h"

#include "run.h"

#include <math.h>

enum { ALLOWED_TWICE = 2 }; /* errors are followed to first order */

/* All of x in one dimension. */
static Arg in_line(Making *m, Arg x)
{
    int64_t n = type_numel(mg_type(m, x));
    return emit(&m->b, reshape, x, arg_ints(m->b.t, &n, 1));
}

static Arg flat(Making *m, Arg x)
{
    return in_line(m, mg_f64(m, x));
}

static Arg most(Making *m, Arg x)
{
    int64_t dim = 0;
    return emit(&m->b, amax, x, arg_ints(m->b.t, &dim, 1));
}

/* x at the element of the largest excess. */
static Arg there(Making *m, Arg chosen, Arg x)
{
    return most(m, emit(&m->b, where, chosen, x, A_FLOAT(-INFINITY)));
}

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

/* Of equal elements any place is right: how far the elements at the places that a run told are from
 * those at the right ones; infinite where there is no such place, or it was told already. None
 * where v tells no such places; *may gets the bound. */
static Arg places_off(Making *m, ValueId v, Arg got, Arg *may)
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
    *may = arg_is_none(e) ? A_NONE : flat(m, emit(&m->b, gather, e, safe, A_INT(dim)));
    if (!arg_is_none(m->error[outs[0]]))
        *may = mg_sum(m, *may, flat(m, m->error[outs[0]]));
    return flat(m, emit(&m->b, where, twice, A_FLOAT(INFINITY), off));
}

/* What kernels may be off by inside before they round to d, in units of it: functions are computed
 * in f32, on a GPU by coarse ones where the result is narrow. */
static double inner_unit(DType d)
{
    return d == DT_f64 ? 0 : d == DT_f32 ? 0x1p-20 : d == DT_bf16 ? 0.25 : 0.75;
}

/* The error of x beyond that of rounding the exact value o once, in units of what is expected of
 * the rest. In f64 the oracle is no better than the run: there all of it counts. */
static Arg excess_of(Making *m, Arg x, Arg o, Arg off, Arg may, Arg unit, DType d)
{
    if (!dtype_is_float(d) || d == DT_f64)
        return emit(&m->b, div, off, may);
    Arg half = mg_times(m, unit, 0.5);
    Arg far = emit(&m->b, sub, emit(&m->b, abs, emit(&m->b, sub, x, o)), half);
    far = emit(&m->b, where, emit(&m->b, isfinite, far), far, off); /* infinities, NaN */
    far = emit(&m->b, where, emit(&m->b, gt, off, A_FLOAT(0)),
               emit(&m->b, maximum, far, A_FLOAT(0)), A_FLOAT(0));
    Arg rest = emit(&m->b, maximum, emit(&m->b, sub, may, unit), A_FLOAT(0));
    return emit(&m->b, div, far, emit(&m->b, add, rest, mg_times(m, unit, inner_unit(d))));
}

/* The numbers of margin.h for one result, all of it in one dimension. */
void mg_compare(Making *m, ValueId v, Arg got, Arg out[MARGIN_NUMBERS])
{
    DType d = (DType)m->from->values[v].type.dtype;
    bool real = dtype_is_float(d);
    int64_t n = type_numel(mg_type(m, got)), zero = 0;
    Arg x = flat(m, got), o = flat(m, m->exact[v]), rounded = o;
    if (real && d != DT_f64)
        rounded = mg_f64(m, emit(&m->b, convert_element_type, o, A_DTYPE(d)));
    Arg same = real ? emit(&m->b, eq, x, rounded)
                    : emit(&m->b, eq, in_line(m, got), in_line(m, m->exact[v]));
    if (real)
        same = emit(&m->b, bitwise_or, same, mg_both_nan(m, x, rounded));
    Arg off = emit(&m->b, abs, emit(&m->b, sub, x, rounded));
    if (!real) /* integers that double precision does not tell apart */
        off = emit(&m->b, maximum, off, A_FLOAT(1));
    off = emit(&m->b, where, emit(&m->b, eq, off, off), off, A_FLOAT(INFINITY));
    off = emit(&m->b, where, same, A_FLOAT(0), off);
    Arg unit = real ? mg_ulp(m, o, d) : mg_filled(m, x, 1);
    Arg may = real ? mg_times(m, unit, 0.5) : A_NONE, open = places_off(m, v, got, &may);
    if (!arg_is_none(open))
        off = open;
    else if (!arg_is_none(m->error[v]))
        may = mg_sum(m, may, flat(m, m->error[v]));
    may = arg_is_none(may) ? mg_filled(m, x, 0) : mg_or_else(m, may, A_FLOAT(INFINITY));
    Arg anything = emit(&m->b, eq, may, A_FLOAT(INFINITY));
    Arg beyond = emit(&m->b, bitwise_and, anything, emit(&m->b, gt, off, A_FLOAT(0)));
    off = emit(&m->b, where, anything, A_FLOAT(0), off);
    Arg excess = mg_without_nan(m, excess_of(m, x, o, off, may, unit, d));
    out[MARGIN_excess] = most(m, excess);
    Arg worst = emit(&m->b, broadcast_in_dim, out[MARGIN_excess], arg_ints(m->b.t, &n, 1),
                     arg_ints(m->b.t, &zero, 0));
    Arg chosen = emit(&m->b, eq, excess, worst);
    Arg place = emit(&m->b, iota, A_INT(n), A_INT(0), A_INT(1), A_DEVICE(mg_type(m, x)->device),
                     A_DTYPE(DT_f64));
    Arg many = mg_f64(m, emit(&m->b, gt, excess, A_FLOAT(ALLOWED_TWICE)));
    out[MARGIN_overflow] = emit(&m->b, sum, mg_f64(m, beyond), arg_ints(m->b.t, &zero, 1));
    out[MARGIN_ulp] = most(m, mg_without_nan(m, emit(&m->b, div, off, unit)));
    out[MARGIN_wrong] = emit(&m->b, sum, many, arg_ints(m->b.t, &zero, 1));
    out[MARGIN_place] = there(m, chosen, place);
    out[MARGIN_got] = there(m, chosen, x);
    out[MARGIN_exact] = there(m, chosen, o);
    out[MARGIN_allowed] = there(m, chosen, mg_without_nan(m, emit(&m->b, div, may, unit)));
}
