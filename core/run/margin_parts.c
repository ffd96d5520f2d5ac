/*
 * margin_parts.c - what a margin trace is put together from; see making.h.
 *
 * Arithmetic on bounds, and a prim of the statement emitted once more: with its operands as they
 * are, with their sizes, or with one of them replaced. Boxes of operands are cut out as cone.c
 * says.
 */
#include "making.h"

#include "run.h"

#include <math.h>

static DType wide(DType d)
{
    return dtype_is_float(d) ? DT_f64 : d;
}

const Type *mg_type(const Making *m, Arg x)
{
    return &m->b.t->values[x.v].type;
}

bool mg_is_float(const Making *m, Arg x)
{
    return x.kind == ARG_value && dtype_is_float((DType)mg_type(m, x)->dtype);
}

Arg mg_sizes(Making *m, const Type *type)
{
    return arg_ints(m->b.t, type->shape, type->rank);
}

Arg mg_filled(Making *m, Arg like, double value)
{
    const Type *type = mg_type(m, like);
    return emit(&m->b, full, mg_sizes(m, type), A_FLOAT(value), A_DEVICE(type->device),
                A_DTYPE(DT_f64));
}

Arg mg_f64(Making *m, Arg x)
{
    if (x.kind != ARG_value || mg_type(m, x)->dtype == DT_f64)
        return x;
    return emit(&m->b, convert_element_type, x, A_DTYPE(DT_f64));
}

Arg mg_times(Making *m, Arg x, double factor)
{
    return emit(&m->b, mul, x, A_FLOAT(factor));
}

Arg mg_sum(Making *m, Arg a, Arg b)
{
    return arg_is_none(a) ? b : arg_is_none(b) ? a : emit(&m->b, add, a, b);
}

/* x, and `instead` where x is NaN. */
static Arg mg_or_else(Making *m, Arg x, Arg instead)
{
    return emit(&m->b, where, emit(&m->b, eq, x, x), x, instead);
}

Arg mg_without_nan(Making *m, Arg x)
{
    return mg_or_else(m, x, A_FLOAT(0));
}

static Arg mg_both_nan(Making *m, Arg x, Arg y)
{
    return emit(&m->b, bitwise_and, emit(&m->b, ne, x, x), emit(&m->b, ne, y, y));
}

Arg mg_distance(Making *m, Arg moved, Arg exact)
{
    Arg same = emit(&m->b, bitwise_or, emit(&m->b, eq, moved, exact), mg_both_nan(m, moved, exact));
    Arg gone = emit(&m->b, where, same, mg_filled(m, exact, 0), A_FLOAT(INFINITY));
    return mg_or_else(m, emit(&m->b, abs, emit(&m->b, sub, moved, exact)), gone);
}

Arg mg_ulp(Making *m, Arg x, DType d)
{
    double least = tensor_ulp(0, d), one = tensor_ulp(1, d);
    Arg size = emit(&m->b, maximum, emit(&m->b, abs, x), A_FLOAT(least / one));
    Arg power = emit(&m->b, exp2, emit(&m->b, floor, emit(&m->b, log2, size)));
    return emit(&m->b, where, emit(&m->b, isfinite, x), mg_times(m, power, one), A_FLOAT(0));
}

/* ------------------------------------------------------------------------------------- operands */

/* x, of which `have` is there, cut to what is wanted. */
static Arg cut(Making *m, Arg x, const Box *have, const Box *want)
{
    bool same = true;
    int64_t from[MAX_RANK], end[MAX_RANK];
    for (uint32_t i = 0; i < want->rank; i++) {
        from[i] = want->from[i] - have->from[i];
        end[i] = from[i] + want->size[i];
        same = same && want->size[i] == have->size[i];
    }
    return same ? x
                : emit(&m->b, slice_prim, x, arg_ints(m->b.t, from, want->rank),
                       arg_ints(m->b.t, end, want->rank), A_NONE);
}

Arg mg_operand(Making *m, NodeId leaf, ValueId v, const Arg *table)
{
    if (table[v].kind != ARG_value || m->from->values[v].type.kind != VALUE_tensor)
        return table[v];
    return cut(m, table[v], m->c->need[v], cone_operand(m->c, leaf, v));
}

static bool is_argument(const Node *n, uint32_t i, ValueId v)
{
    return n->nargs > i && n->args[i].kind == ARG_value && n->args[i].v == v;
}

/* Whether operand w is a factor of operand v in a sum of products; what is only added (a bias, the
 * tensor that is scattered into) is not. */
static bool op_multiplies(const Node *n, ValueId v, ValueId w)
{
    bool both = (is_argument(n, 0, v) && is_argument(n, 1, w)) ||
                (is_argument(n, 1, v) && is_argument(n, 0, w));
    return (n->op->flags & OP_MATMUL) && both;
}

static Arg pick_value(Making *m, const Pick *p, ValueId v)
{
    if (v == p->one)
        return p->instead;
    Arg x = mg_operand(m, p->leaf, v, m->exact);
    if (p->which == WHICH_exact || !mg_is_float(m, x))
        return x;
    if (p->which == WHICH_own)
        return emit(&m->b, convert_element_type, x,
                    A_DTYPE((DType)m->from->values[v].type.dtype));
    if (p->which == WHICH_error) {
        Arg e = mg_operand(m, p->leaf, v, m->error);
        return arg_is_none(e) ? mg_filled(m, x, 0) : e;
    }
    bool factor = p->which == WHICH_size || op_multiplies(&m->from->nodes[p->leaf], p->one, v);
    return factor ? emit(&m->b, abs, x) : mg_filled(m, x, 0);
}

/* Draws keep their dtype, which decides about the numbers. */
static Arg pick_tree(Making *m, const Pick *p, Arg a, bool keep_dtype)
{
    if (a.kind == ARG_value)
        return pick_value(m, p, a.v);
    if (a.kind == ARG_dtype && !keep_dtype)
        return A_DTYPE(wide((DType)a.dtype));
    if (!arg_is_seq(a) && a.kind != ARG_slice)
        return a;
    uint32_t n = arg_nitems(a);
    Arg *items = new_array(&m->b.t->arena, Arg, n + 1);
    for (uint32_t i = 0; i < n; i++)
        items[i] = pick_tree(m, p, a.items[i], keep_dtype);
    a.items = items;
    return a;
}

/* a, which is operand i of prim n, as the prim takes it: a number in its dtype there, also one that
 * only a run tells. */
static Arg taken(Making *m, const Node *n, uint32_t i, Arg a)
{
    DType d = op_number_dtype(m->from, n, i);
    bool told = a.kind == ARG_value && mg_type(m, a)->kind == VALUE_number;
    if (!told || !dtype_is_float(d) || d == DT_f64)
        return number_round(a, d);
    Arg one = emit(&m->b, full, arg_ints(m->b.t, NULL, 0), a, A_DEVICE(((Device){DEV_cpu, 0})),
                   A_DTYPE(d));
    return emit(&m->b, item, one);
}

Arg mg_emit(Making *m, const Pick *p)
{
    const Node *n = &m->from->nodes[p->leaf];
    const Arg *args = cone_args(m->c, p->leaf, &m->b.t->arena);
    Arg given[MAX_PARAMS];
    for (uint32_t i = 0; i < n->nargs && i < MAX_PARAMS; i++) {
        uint8_t type = n->op->sig.params[i].type;
        bool number = type == PT_scalar || type == PT_number;
        Arg a = pick_tree(m, p, args[i], p->which == WHICH_own || (n->op->flags & OP_RANDOM));
        given[i] = p->which == WHICH_error && number && arg_is_number(args[i])
                       ? A_FLOAT(0)
                       : taken(m, n, i, a);
    }
    return prim_call(&m->b, (enum PrimId)n->op->id, given, n->nargs);
}

Arg mg_exact(Making *m, NodeId leaf, uint32_t i)
{
    const Node *n = &m->from->nodes[leaf];
    Arg a = n->args[i];
    return taken(m, n, i, a.kind == ARG_value ? mg_operand(m, leaf, a.v, m->exact) : a);
}

Arg mg_error(Making *m, NodeId leaf, uint32_t i)
{
    Arg a = m->from->nodes[leaf].args[i];
    return a.kind == ARG_value ? mg_operand(m, leaf, a.v, m->error) : A_NONE;
}

double mg_unit(DType d)
{
    return tensor_ulp(1, d) / 2;
}

/* -------------------------------------------------------------------------------------- facts */

bool op_is_sum(const Op *op)
{
    return (op->flags & OP_MATMUL) || op->id == PRIM_sum || op->id == PRIM_cumsum ||
           op->id == PRIM_scatter_add || op->id == PRIM_index_add ||
           op->id == PRIM_embedding_backward;
}

double op_terms(const Trace *t, const Node *n, double results)
{
    const Type *a = n->args[0].kind == ARG_value ? &t->values[n->args[0].v].type : NULL;
    if (!a || a->rank == 0)
        return 1;
    if (n->op->id == PRIM_convolution) {
        const Type *w = &t->values[n->args[1].v].type;
        return w->rank && w->shape[0] ? (double)type_numel(w) / (double)w->shape[0] : 1;
    }
    if (n->op->flags & OP_MATMUL)
        return (double)a->shape[a->rank - 1];
    if (n->op->id == PRIM_cumsum)
        return (double)type_numel(a);
    return results > 0 ? (double)type_numel(a) / results : 1;
}
