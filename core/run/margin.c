/*
 * margin.c - see margin.h. Each prim is emitted once for its exact result, and beside it what its
 * operands' errors become: of operators that move or add up, the operator of the errors; of
 * products, the products with the other factor's size; of all others, how far the result moves
 * when an operand moves by its error. Comparisons that an error may turn are uncertain, and so is
 * what they choose between.
 */
#include "margin.h"

#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALLOWED_TWICE = 2 }; /* errors are followed to first order */

typedef struct Making {
    Build b;
    const Cone *c;
    const Trace *from;
    Arg *exact; /* by value of from, the box that is needed of it */
    Arg *error; /* its bound in f64; of a bool, 1 where it may be the other one; None = none */
    bool plain; /* no bounds */
    const char *refused;
} Making;

static DType wide(DType d)
{
    return dtype_is_float(d) ? DT_f64 : d;
}

static const Type *type_of(const Making *m, Arg x)
{
    return &m->b.t->values[x.v].type;
}

static bool is_float(const Making *m, Arg x)
{
    return x.kind == ARG_value && dtype_is_float((DType)type_of(m, x)->dtype);
}

static Arg sizes(Making *m, const Type *type)
{
    return arg_ints(m->b.t, type->shape, type->rank);
}

static Arg filled(Making *m, Arg like, double value)
{
    const Type *type = type_of(m, like);
    return emit(&m->b, full, sizes(m, type), A_FLOAT(value), A_DEVICE(type->device),
                A_DTYPE(DT_f64));
}

static Arg as_f64(Making *m, Arg x)
{
    if (x.kind != ARG_value || type_of(m, x)->dtype == DT_f64)
        return x;
    return emit(&m->b, convert_element_type, x, A_DTYPE(DT_f64));
}

static Arg times(Making *m, Arg x, double factor)
{
    return emit(&m->b, mul, x, A_FLOAT(factor));
}

/* The sum of two bounds, either of which may be none. */
static Arg sum_of(Making *m, Arg a, Arg b)
{
    return arg_is_none(a) ? b : arg_is_none(b) ? a : emit(&m->b, add, a, b);
}

static Arg or_else(Making *m, Arg x, Arg instead)
{
    return emit(&m->b, where, emit(&m->b, eq, x, x), x, instead);
}

static Arg without_nan(Making *m, Arg x)
{
    return or_else(m, x, A_FLOAT(0));
}

static Arg both_nan(Making *m, Arg x, Arg y)
{
    return emit(&m->b, bitwise_and, emit(&m->b, ne, x, x), emit(&m->b, ne, y, y));
}

/* |moved - exact|; where that is no number, 0 when both are one infinity or NaN, else infinite. */
static Arg distance(Making *m, Arg moved, Arg exact)
{
    Arg same = emit(&m->b, bitwise_or, emit(&m->b, eq, moved, exact), both_nan(m, moved, exact));
    Arg gone = emit(&m->b, where, same, filled(m, exact, 0), A_FLOAT(INFINITY));
    return or_else(m, emit(&m->b, abs, emit(&m->b, sub, moved, exact)), gone);
}

/* The unit in the last place of d at each element of x; 0 where x is not finite. */
static Arg ulp_at(Making *m, Arg x, DType d)
{
    double least = tensor_ulp(0, d), one = tensor_ulp(1, d);
    Arg size = emit(&m->b, maximum, emit(&m->b, abs, x), A_FLOAT(least / one));
    Arg power = emit(&m->b, exp2, emit(&m->b, floor, emit(&m->b, log2, size)));
    return emit(&m->b, where, emit(&m->b, isfinite, x), times(m, power, one), A_FLOAT(0));
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

static Arg operand(Making *m, NodeId leaf, ValueId v, const Arg *table)
{
    if (table[v].kind != ARG_value || m->from->values[v].type.kind != VALUE_tensor)
        return table[v];
    return cut(m, table[v], m->c->need[v], cone_operand(m->c, leaf, v));
}

typedef enum Which {
    WHICH_exact,
    WHICH_size,    /* absolute values */
    WHICH_factors, /* absolute values of what multiplies `one`, else 0 */
    WHICH_error,   /* the errors; numbers are 0 */
} Which;

/* What the operands of a prim are replaced by. */
typedef struct Pick {
    Which which;
    NodeId leaf;
    ValueId one; /* this operand is `instead`; 0 = none is */
    Arg instead;
} Pick;

static Arg pick_value(Making *m, const Pick *p, ValueId v)
{
    if (v == p->one)
        return p->instead;
    Arg x = operand(m, p->leaf, v, m->exact);
    if (p->which == WHICH_exact || !is_float(m, x))
        return x;
    if (p->which == WHICH_error) {
        Arg e = operand(m, p->leaf, v, m->error);
        return arg_is_none(e) ? filled(m, x, 0) : e;
    }
    bool factor = p->which == WHICH_size || op_multiplies(&m->from->nodes[p->leaf], p->one, v);
    return factor ? emit(&m->b, abs, x) : filled(m, x, 0);
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

/* The prim with its operands replaced; the tree of its results. */
static Arg emit_leaf(Making *m, const Pick *p)
{
    const Node *n = &m->from->nodes[p->leaf];
    const Arg *args = cone_args(m->c, p->leaf, &m->b.t->arena);
    Arg given[MAX_PARAMS];
    for (uint32_t i = 0; i < n->nargs && i < MAX_PARAMS; i++) {
        uint8_t type = n->op->sig.params[i].type;
        bool number = type == PT_scalar || type == PT_number;
        given[i] = p->which == WHICH_error && number && arg_is_number(args[i])
                       ? A_FLOAT(0)
                       : pick_tree(m, p, args[i], n->op->flags & OP_RANDOM);
    }
    return prim_call(&m->b, (enum PrimId)n->op->id, given, n->nargs);
}

/* --------------------------------------------------------------------------- errors of operands */

typedef struct Operands {
    ValueId all[64];
    uint32_t n;
    bool wrong_float; /* a float among them has an error */
    bool wrong_other; /* so has a bool or an integer */
} Operands;

/* Each operand once. */
static Operands operands_of(const Making *m, NodeId leaf)
{
    const Node *n = &m->from->nodes[leaf];
    Operands o = {.n = 0};
    ValueId all[64];
    uint32_t count = arg_values((Arg){.kind = ARG_tuple, .n = n->nargs, .items = n->args}, all,
                                ARRAY_LEN(all));
    for (uint32_t i = 0; i < count && i < ARRAY_LEN(all); i++) {
        bool again = false;
        for (uint32_t k = 0; k < o.n; k++)
            again |= o.all[k] == all[i];
        if (again)
            continue;
        o.all[o.n++] = all[i];
        bool wrong = !arg_is_none(m->error[all[i]]), real = is_float(m, m->exact[all[i]]);
        o.wrong_float |= wrong && real;
        o.wrong_other |= wrong && !real;
    }
    return o;
}

static Arg exact_arg(Making *m, NodeId leaf, uint32_t i)
{
    Arg a = m->from->nodes[leaf].args[i];
    return a.kind == ARG_value ? operand(m, leaf, a.v, m->exact) : a;
}

static Arg error_arg(Making *m, NodeId leaf, uint32_t i)
{
    Arg a = m->from->nodes[leaf].args[i];
    return a.kind == ARG_value ? operand(m, leaf, a.v, m->error) : A_NONE;
}

/* |a| error of b + |b| error of a + the product of the errors. */
static Arg product_error(Making *m, NodeId leaf)
{
    Arg sum = A_NONE, e[2] = {error_arg(m, leaf, 0), error_arg(m, leaf, 1)};
    for (uint32_t i = 0; i < 2; i++) {
        Arg other = exact_arg(m, leaf, 1 - i);
        if (arg_is_none(e[i]))
            continue;
        Arg size = other.kind == ARG_value ? emit(&m->b, abs, other)
                                           : A_FLOAT(fabs(other.kind == ARG_float ? other.f
                                                                          : (double)other.i));
        sum = sum_of(m, sum, emit(&m->b, mul, e[i], size));
    }
    if (!arg_is_none(e[0]) && !arg_is_none(e[1]))
        sum = sum_of(m, sum, emit(&m->b, mul, e[0], e[1]));
    return sum;
}

/* Whether two operands are nearer to each other than their errors; of one operand, nearer to 0. */
static Arg turned(Making *m, NodeId leaf)
{
    const Node *n = &m->from->nodes[leaf];
    Arg e = sum_of(m, error_arg(m, leaf, 0), n->nargs > 1 ? error_arg(m, leaf, 1) : A_NONE);
    Arg a = exact_arg(m, leaf, 0);
    if (arg_is_none(e))
        return A_NONE;
    if (n->nargs > 1)
        a = emit(&m->b, sub, as_f64(m, a), as_f64(m, exact_arg(m, leaf, 1)));
    return as_f64(m, emit(&m->b, le, emit(&m->b, abs, as_f64(m, a)), e));
}

/* What an uncertain choice may be off by. */
static Arg choice_error(Making *m, NodeId leaf)
{
    Arg a = exact_arg(m, leaf, 1), b = exact_arg(m, leaf, 2), may = error_arg(m, leaf, 0);
    if (arg_is_none(may))
        return A_NONE;
    Arg gap = a.kind == ARG_value || b.kind == ARG_value
                  ? emit(&m->b, abs, emit(&m->b, sub, as_f64(m, a), as_f64(m, b)))
                  : filled(m, may, 1);
    return emit(&m->b, where, emit(&m->b, gt, may, A_FLOAT(0)), without_nan(m, gap), A_FLOAT(0));
}

/* |var(x + e) - var(x)| <= 2 sqrt(var(x) mean(e e)) + mean(e e), and so for its root. */
static Arg variance_error(Making *m, NodeId leaf, Arg result, bool root)
{
    const Node *n = &m->from->nodes[leaf];
    Arg e = error_arg(m, leaf, 0);
    Arg sum = emit(&m->b, sum, emit(&m->b, mul, e, e), n->args[1]);
    double count = (double)type_numel(type_of(m, e)) / (double)type_numel(type_of(m, sum));
    Arg square = times(m, sum, 2 / fmax(count, 1));
    if (root)
        return emit(&m->b, sqrt, square);
    Arg mixed = emit(&m->b, sqrt, emit(&m->b, mul, result, square));
    return sum_of(m, times(m, mixed, 2), square);
}

/* How far result i moves when one operand moves by its error, up or down. */
static void moved_error(Making *m, NodeId leaf, ValueId k, const ValueId *exact, uint32_t n,
                        Arg *errors)
{
    Arg x = operand(m, leaf, k, m->exact), e = operand(m, leaf, k, m->error), most[MAX_OUTPUTS];
    for (int sign = 0; sign < 2; sign++) {
        Pick p = {WHICH_exact, leaf, k, sign ? emit(&m->b, sub, x, e) : emit(&m->b, add, x, e)};
        ValueId moved[MAX_OUTPUTS];
        if (arg_values(emit_leaf(m, &p), moved, MAX_OUTPUTS) != n)
            return;
        for (uint32_t i = 0; i < n; i++) {
            Arg off = distance(m, as_f64(m, A_VALUE(moved[i])), as_f64(m, A_VALUE(exact[i])));
            most[i] = sign ? emit(&m->b, maximum, most[i], off) : off;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        if (m->from->nodes[leaf].op->flags & OP_ELEMENTWISE) /* anything of anything is anything */
            most[i] = emit(&m->b, where, emit(&m->b, isfinite, e), most[i], A_FLOAT(INFINITY));
        errors[i] = sum_of(m, errors[i], most[i]);
    }
}

/* Moves elements, chooses among them or adds them up, each with a factor of 1 or -1. */
static bool is_linear(const Op *op)
{
    static const uint32_t ids[] = {PRIM_clone, PRIM_neg, PRIM_abs, PRIM_sum, PRIM_cumsum,
                                   PRIM_where, PRIM_convert_element_type};
    for (size_t i = 0; i < ARRAY_LEN(ids); i++)
        if (op->id == ids[i])
            return true;
    return (op->flags & (OP_SHAPE | OP_VIEW)) ||
           ((op->flags & OP_INDEXING) && !(op->flags & OP_REDUCTION) && op->id != PRIM_sort);
}

static bool is_logic(const Op *op)
{
    return op->id == PRIM_bitwise_and || op->id == PRIM_bitwise_or || op->id == PRIM_bitwise_xor ||
           op->id == PRIM_bitwise_not || op->id == PRIM_logical_not;
}

static Arg mean_error(Making *m, NodeId leaf)
{
    Arg e = error_arg(m, leaf, 0);
    Arg sum = emit(&m->b, sum, e, m->from->nodes[leaf].args[1]);
    double count = (double)type_numel(type_of(m, e)) / (double)type_numel(type_of(m, sum));
    return times(m, sum, 1 / fmax(count, 1));
}

static void everything_wrong(Making *m, const ValueId *exact, uint32_t n, Arg *errors)
{
    for (uint32_t i = 0; i < n; i++)
        errors[i] = filled(m, A_VALUE(exact[i]), INFINITY);
}

static void linear_error(Making *m, NodeId leaf, uint32_t n, Arg *errors)
{
    ValueId made[MAX_OUTPUTS];
    const Op *op = m->from->nodes[leaf].op;
    if (op->id == PRIM_neg || op->id == PRIM_abs || op->id == PRIM_convert_element_type ||
        op->id == PRIM_clone) {
        errors[0] = error_arg(m, leaf, 0);
        return;
    }
    Pick p = {.which = WHICH_error, .leaf = leaf};
    if (arg_values(emit_leaf(m, &p), made, MAX_OUTPUTS) == n)
        for (uint32_t i = 0; i < n; i++)
            errors[i] = A_VALUE(made[i]);
}

/* What the operands' errors become in results that are not of a float dtype. */
static bool other_error(Making *m, NodeId leaf, const ValueId *exact, uint32_t n, Arg *errors)
{
    const Node *node = &m->from->nodes[leaf];
    if (is_float(m, A_VALUE(exact[0])))
        return false;
    if (node->op->id == PRIM_isfinite)
        return true;
    if (node->op->flags & OP_COMPARISON)
        errors[0] = turned(m, leaf);
    else if (is_logic(node->op))
        errors[0] = sum_of(m, error_arg(m, leaf, 0),
                           node->nargs > 1 ? error_arg(m, leaf, 1) : A_NONE);
    else if (node->op->flags & OP_SHAPE)
        return false;
    else
        everything_wrong(m, exact, n, errors);
    return true;
}

/* Zero or a negative number to the power of what may or may not be whole. */
static Arg unless_negative(Making *m, NodeId leaf, Arg error)
{
    Arg base = exact_arg(m, leaf, 0);
    return base.kind == ARG_value
               ? emit(&m->b, where, emit(&m->b, le, base, A_FLOAT(0)), A_FLOAT(INFINITY), error)
               : error;
}

/* A product of a matrix with itself. */
static bool node_is_square(const Node *n)
{
    return (n->op->flags & OP_MATMUL) && arg_equal(n->args[0], n->args[1]);
}

/* What the operands' errors become in the results of a prim. */
static void propagate(Making *m, NodeId leaf, const ValueId *exact, uint32_t n, Arg *errors)
{
    const Node *node = &m->from->nodes[leaf];
    uint32_t id = node->op->id;
    Operands o = operands_of(m, leaf);
    if ((!o.wrong_float && !o.wrong_other) || other_error(m, leaf, exact, n, errors))
        return;
    if (id == PRIM_add || id == PRIM_sub) {
        errors[0] = sum_of(m, error_arg(m, leaf, 0), error_arg(m, leaf, 1));
    } else if (id == PRIM_mul) {
        errors[0] = product_error(m, leaf);
    } else if (id == PRIM_sin || id == PRIM_cos) { /* large angles: all of the range */
        Arg e = error_arg(m, leaf, 0);
        errors[0] = emit(&m->b, where, emit(&m->b, isfinite, e),
                         emit(&m->b, minimum, e, A_FLOAT(2)), e);
    } else if (id == PRIM_var || id == PRIM_std) {
        errors[0] = variance_error(m, leaf, A_VALUE(exact[0]), id == PRIM_std);
    } else if (id == PRIM_var_mean) {
        errors[0] = variance_error(m, leaf, A_VALUE(exact[0]), false);
        errors[1] = mean_error(m, leaf);
    } else if (is_linear(node->op)) {
        if (o.wrong_float || id == PRIM_convert_element_type)
            linear_error(m, leaf, n, errors);
        if (id == PRIM_where)
            errors[0] = sum_of(m, errors[0], choice_error(m, leaf));
        else if (o.wrong_other && id != PRIM_convert_element_type)
            everything_wrong(m, exact, n, errors);
    } else if (o.wrong_other) {
        everything_wrong(m, exact, n, errors);
    } else {
        for (uint32_t i = 0; i < o.n; i++) {
            Pick p = {WHICH_factors, leaf, o.all[i], operand(m, leaf, o.all[i], m->error)};
            ValueId through;
            if (arg_is_none(m->error[o.all[i]]))
                continue;
            if (!op_is_sum(node->op) || node_is_square(node))
                moved_error(m, leaf, o.all[i], exact, n, errors);
            else if (arg_values(emit_leaf(m, &p), &through, 1) == 1)
                errors[0] = sum_of(m, errors[0], A_VALUE(through));
        }
        if (id == PRIM_pow && !arg_is_none(error_arg(m, leaf, 1)))
            errors[0] = unless_negative(m, leaf, errors[0]);
    }
}

/* --------------------------------------------------------------------------------- own rounding */

static double unit_of(DType d)
{
    return tensor_ulp(1, d) / 2;
}

/* Casts that lose nothing. */
static bool is_exact_cast(const Making *m, const Node *n, DType d)
{
    const Arg a = n->args[0];
    DType of = a.kind == ARG_value ? (DType)m->from->values[a.v].type.dtype : DT_none;
    return n->op->id == PRIM_convert_element_type && dtype_is_float(of) &&
           (of == d || (dtype_info[of].bytes < dtype_info[d].bytes && dtype_info[d].bytes >= 4));
}

/* What the rounding of sums inside a prim adds: in proportion to the sum of the terms' sizes, and
 * to the root of how many there are. */
static Arg sum_rounding(Making *m, NodeId leaf, Arg result, uint32_t i, DType d)
{
    const Node *n = &m->from->nodes[leaf];
    uint32_t id = n->op->id;
    ValueId outs[MAX_OUTPUTS];
    arg_values(n->out, outs, MAX_OUTPUTS);
    bool adds = op_is_sum(n->op), folds = n->op->flags & OP_REDUCTION;
    if ((!adds && !folds) || id == PRIM_amax || id == PRIM_amin || id == PRIM_topk ||
        id == PRIM_kthvalue || id == PRIM_cummax || id == PRIM_cummin)
        return A_NONE;
    double unit = fmin(unit_of(d), unit_of(DT_f32));
    if (id == PRIM_scatter_add || id == PRIM_index_add || id == PRIM_embedding_backward)
        unit = unit_of(d); /* added one by one where they go */
    double factor = 4 * sqrt(op_terms(m->from, n, (double)type_numel(
                                                      &m->from->values[outs[i]].type))) * unit;
    Pick p = {.which = WHICH_size, .leaf = leaf};
    ValueId made[MAX_OUTPUTS];
    bool mean = id == PRIM_var_mean && i == 1;
    if (!adds && !mean) /* variances about their mean, products */
        return times(m, emit(&m->b, abs, result), factor);
    if (arg_values(emit_leaf(m, &p), made, MAX_OUTPUTS) <= i)
        return A_NONE;
    return times(m, A_VALUE(made[i]), factor);
}

/* A number beside a tensor is one of the dtype that the tensor is computed in. */
static Arg number_rounding(Making *m, const Node *n, Arg exact, DType d)
{
    double plain, share;
    op_number_error(n, d, &plain, &share);
    Arg part = A_NONE;
    if (share > 0) {
        part = times(m, emit(&m->b, abs, exact), share);
        part = emit(&m->b, where, emit(&m->b, isfinite, exact), part, A_FLOAT(0));
    }
    return plain > 0 ? sum_of(m, part, filled(m, exact, plain)) : part;
}

/* A bias that is added by a kernel of its own is added to the rounded sum. */
static Arg bias_rounding(Making *m, NodeId leaf, Arg exact, DType d)
{
    int64_t channels = 1;
    if (!op_adds_bias_apart(&m->from->nodes[leaf], d))
        return A_NONE;
    Arg bias = emit(&m->b, broadcast_in_dim, as_f64(m, exact_arg(m, leaf, 2)),
                    sizes(m, type_of(m, exact)), arg_ints(m->b.t, &channels, 1));
    return times(m, ulp_at(m, emit(&m->b, sub, exact, bias), d), 0.5);
}

/* Fused attention rounds weights before it multiplies. */
static Arg factor_rounding(Making *m, NodeId leaf)
{
    const Node *n = &m->from->nodes[leaf];
    Arg sum = A_NONE;
    for (uint32_t i = 0; (n->op->flags & OP_MATMUL) && i < 2; i++) {
        ValueId v = n->args[i].kind == ARG_value ? n->args[i].v : 0, through;
        DType narrow = v ? op_factor_dtype(m->from, leaf, v) : DT_none;
        if (narrow == DT_none)
            continue;
        Arg size = emit(&m->b, abs, operand(m, leaf, v, m->exact));
        Pick p = {WHICH_factors, leaf, v, times(m, size, unit_of(narrow))};
        if (arg_values(emit_leaf(m, &p), &through, 1) == 1)
            sum = sum_of(m, sum, A_VALUE(through));
    }
    return sum;
}

/* A product may leave the range of its dtype on the way: the product of the factors beyond 1. */
static Arg unless_range_left(Making *m, NodeId leaf, Arg bound, DType d)
{
    ValueId k = m->from->nodes[leaf].args[0].v, made;
    Arg size = emit(&m->b, abs, operand(m, leaf, k, m->exact));
    Pick p = {WHICH_exact, leaf, k, emit(&m->b, maximum, size, A_FLOAT(1))};
    if (arg_values(emit_leaf(m, &p), &made, 1) != 1)
        return bound;
    Arg rounded = emit(&m->b, convert_element_type, A_VALUE(made), A_DTYPE(d));
    return emit(&m->b, where, emit(&m->b, isfinite, rounded), bound, A_FLOAT(INFINITY));
}

/* The bound is infinite where the dtype cannot hold the exact value. */
static Arg unless_too_large(Making *m, Arg bound, Arg exact, DType d)
{
    Arg rounded = emit(&m->b, convert_element_type, exact, A_DTYPE(d));
    Arg gone = emit(&m->b, where, emit(&m->b, isfinite, exact), A_FLOAT(INFINITY), bound);
    return emit(&m->b, where, emit(&m->b, isfinite, rounded), bound, gone);
}

/* Whether a result may leave the range of d where its operands are within it. */
static bool may_be_too_large(const Op *op, DType d)
{
    static const uint32_t ids[] = {PRIM_exp, PRIM_exp2, PRIM_expm1, PRIM_sinh, PRIM_cosh, PRIM_pow,
                                   PRIM_mul, PRIM_div, PRIM_reciprocal, PRIM_rsqrt, PRIM_lgamma,
                                   PRIM_convert_element_type};
    for (size_t i = 0; i < ARRAY_LEN(ids); i++)
        if (op->id == ids[i])
            return true;
    return op_is_sum(op) || (op->flags & OP_REDUCTION) ||
           (dtype_info[d].bytes < 4 && d != DT_bf16 && !(op->flags & OP_SHAPE));
}

static Arg own_rounding(Making *m, NodeId leaf, Arg exact, uint32_t i, DType d)
{
    const Node *n = &m->from->nodes[leaf];
    if (!dtype_is_float(d))
        return A_NONE;
    double ulp = is_exact_cast(m, n, d) ? 0 : op_own_ulp(n->op);
    Arg bound = ulp > 0 ? times(m, ulp_at(m, exact, d), ulp) : A_NONE;
    bound = sum_of(m, bound, sum_rounding(m, leaf, exact, i, d));
    for (uint32_t k = 0; n->op->id == PRIM_lerp && k < 2; k++) /* terms larger than the result */
        bound = sum_of(m, bound, ulp_at(m, exact_arg(m, leaf, k), d));
    bound = sum_of(m, bound, number_rounding(m, n, exact, d));
    bound = sum_of(m, bound, bias_rounding(m, leaf, exact, d));
    bound = sum_of(m, bound, factor_rounding(m, leaf));
    if (!arg_is_none(bound) && d != DT_f64 && may_be_too_large(n->op, d))
        bound = unless_too_large(m, bound, exact, d);
    if ((n->op->id == PRIM_prod || n->op->id == PRIM_cumprod) && d != DT_f64)
        bound = unless_range_left(m, leaf, bound, d);
    return bound;
}

/* ---------------------------------------------------------------------------------------- prims */

/* Why nothing can be said about a prim; NULL when it can. */
static const char *refusal(const Trace *t, const Node *n)
{
    ValueId all[64];
    Arg both[2] = {{.kind = ARG_tuple, .n = n->nargs, .items = n->args}, n->out};
    uint32_t count = arg_values((Arg){.kind = ARG_tuple, .n = 2, .items = both}, all,
                                ARRAY_LEN(all));
    if (n->op->flags & (OP_HOST | OP_UNPACK | OP_CHECK | OP_COLLECTIVE | OP_OPAQUE))
        return "computes no tensor that can be followed";
    if ((n->op->flags & OP_RANDOM) && arg_is_none(n->args[n->nargs - 1]))
        return "draws numbers without a seed";
    if (n->op->id == PRIM_svd || n->op->id == PRIM_bitcast || n->op->id == PRIM_empty ||
        n->op->id == PRIM_nextafter)
        return "gives another thing in double precision";
    if ((n->op->flags & OP_IN_PLACE) && n->op->id != PRIM_copy_)
        return "writes in place";
    if (count > ARRAY_LEN(all))
        return "has too many operands";
    for (uint32_t i = 0; i < count; i++) {
        const Type *type = &t->values[all[i]].type;
        if (dtype_is_complex((DType)type->dtype))
            return "is of complex numbers";
        if (type->kind != VALUE_tensor && type->kind != VALUE_number)
            return "has operands that are no tensors";
    }
    return NULL;
}

/* The exact result of a cast among floats is its operand; of a write, what is written. */
static bool is_renamed(Making *m, NodeId leaf)
{
    const Node *n = &m->from->nodes[leaf];
    bool cast = n->op->id == PRIM_convert_element_type && n->args[1].kind == ARG_dtype &&
                dtype_is_float((DType)n->args[1].dtype);
    return (cast && is_float(m, exact_arg(m, leaf, 0))) || n->op->id == PRIM_copy_;
}

static void make_leaf(Making *m, NodeId leaf)
{
    const Node *n = &m->from->nodes[leaf];
    ValueId outs[MAX_OUTPUTS], made[MAX_OUTPUTS];
    uint32_t count = arg_values(n->out, outs, MAX_OUTPUTS);
    Arg errors[MAX_OUTPUTS] = {{0}};
    bool needed = false;
    for (uint32_t i = 0; i < count; i++)
        needed |= m->c->need[outs[i]] != NULL;
    if (!needed)
        return;
    Pick p = {.which = WHICH_exact, .leaf = leaf};
    Arg result = is_renamed(m, leaf) ? as_f64(m, exact_arg(m, leaf, 0)) : emit_leaf(m, &p);
    if (n->op->flags & OP_RANDOM)
        result = dtype_is_float((DType)type_of(m, result)->dtype) ? as_f64(m, result) : result;
    if (m->b.failed || arg_values(result, made, MAX_OUTPUTS) != count) {
        m->refused = m->refused ? m->refused : "gives no tensors in double precision";
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        m->exact[outs[i]] = A_VALUE(made[i]);
    if (m->plain)
        return;
    if (n->op->id == PRIM_copy_)
        errors[0] = error_arg(m, leaf, 0);
    else
        propagate(m, leaf, made, count, errors);
    for (uint32_t i = 0; i < count; i++) {
        DType d = (DType)m->from->values[outs[i]].type.dtype;
        m->error[outs[i]] = sum_of(m, errors[i], own_rounding(m, leaf, A_VALUE(made[i]), i, d));
    }
}

/* -------------------------------------------------------------------------------------- verdict */

static Arg flat(Making *m, Arg x)
{
    int64_t n = type_numel(type_of(m, x));
    return emit(&m->b, reshape, as_f64(m, x), arg_ints(m->b.t, &n, 1));
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
    Type type = *type_of(m, places);
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
        return filled(m, places, 0);
    for (int64_t k = 0; k < 2; k++) {
        from[dim] = k;
        end[dim] = type.shape[dim] - 1 + k;
        half[k] = emit(&m->b, slice_prim, A_VALUE(sorted[0]), arg_ints(m->b.t, from, rank),
                       arg_ints(m->b.t, end, rank), A_NONE);
    }
    Arg equal = as_f64(m, emit(&m->b, eq, half[0], half[1]));
    Arg any = emit(&m->b, amax, equal, arg_ints(m->b.t, &dim, 1));
    return emit(&m->b, broadcast_in_dim, any, sizes(m, &type), arg_ints(m->b.t, others, nothers));
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
    Arg x = exact_arg(m, leaf, 0), right = m->exact[outs[0]], e = error_arg(m, leaf, 0);
    Type type = *type_of(m, x);
    int64_t dim = n->args[n->op->id == PRIM_sort ? 1 : 2].i;
    if (type.rank == 0 || type_numel(type_of(m, got)) != type_numel(type_of(m, right)))
        return A_NONE;
    dim += dim < 0 ? type.rank : 0;
    got = emit(&m->b, reshape, got, sizes(m, type_of(m, right)));
    Arg there_is = emit(&m->b, bitwise_and, emit(&m->b, ge, got, A_INT(0)),
                        emit(&m->b, lt, got, A_INT(type.shape[dim])));
    Arg safe = emit(&m->b, where, there_is, got, A_INT(0));
    Arg found = as_f64(m, emit(&m->b, gather, x, safe, A_INT(dim)));
    Arg off = distance(m, found, as_f64(m, right));
    off = emit(&m->b, where, there_is, off, A_FLOAT(INFINITY));
    Arg twice = emit(&m->b, gt, told_twice(m, got, dim), A_FLOAT(0));
    *may = arg_is_none(e) ? A_NONE : flat(m, emit(&m->b, gather, e, safe, A_INT(dim)));
    if (!arg_is_none(m->error[outs[0]]))
        *may = sum_of(m, *may, flat(m, m->error[outs[0]]));
    return flat(m, emit(&m->b, where, twice, A_FLOAT(INFINITY), off));
}

/* The numbers of margin.h for one result, all of it in one dimension. */
static void compare_result(Making *m, ValueId v, Arg got, Arg out[MARGIN_NUMBERS])
{
    DType d = (DType)m->from->values[v].type.dtype;
    bool real = dtype_is_float(d);
    int64_t n = type_numel(type_of(m, got)), zero = 0;
    Arg x = flat(m, got), o = flat(m, m->exact[v]), rounded = o;
    if (real && d != DT_f64)
        rounded = as_f64(m, emit(&m->b, convert_element_type, o, A_DTYPE(d)));
    Arg same = emit(&m->b, bitwise_or, emit(&m->b, eq, x, rounded), both_nan(m, x, rounded));
    Arg off = emit(&m->b, abs, emit(&m->b, sub, x, rounded));
    off = emit(&m->b, where, emit(&m->b, eq, off, off), off, A_FLOAT(INFINITY));
    off = emit(&m->b, where, same, A_FLOAT(0), off);
    Arg unit = real ? ulp_at(m, o, d) : filled(m, x, 1);
    Arg may = real ? times(m, unit, 0.5) : A_NONE, open = places_off(m, v, got, &may);
    if (!arg_is_none(open))
        off = open;
    else if (!arg_is_none(m->error[v]))
        may = sum_of(m, may, flat(m, m->error[v]));
    may = arg_is_none(may) ? filled(m, x, 0) : or_else(m, may, A_FLOAT(INFINITY));
    Arg anything = emit(&m->b, eq, may, A_FLOAT(INFINITY));
    Arg beyond = emit(&m->b, bitwise_and, anything, emit(&m->b, gt, off, A_FLOAT(0)));
    off = emit(&m->b, where, anything, A_FLOAT(0), off);
    Arg excess = without_nan(m, emit(&m->b, div, off, may));
    out[MARGIN_excess] = most(m, excess);
    Arg worst = emit(&m->b, broadcast_in_dim, out[MARGIN_excess], arg_ints(m->b.t, &n, 1),
                     arg_ints(m->b.t, &zero, 0));
    Arg chosen = emit(&m->b, eq, excess, worst);
    Arg place = emit(&m->b, iota, A_INT(n), A_INT(0), A_INT(1), A_DEVICE(type_of(m, x)->device),
                     A_DTYPE(DT_f64));
    Arg many = as_f64(m, emit(&m->b, gt, excess, A_FLOAT(ALLOWED_TWICE)));
    out[MARGIN_overflow] = emit(&m->b, sum, as_f64(m, beyond), arg_ints(m->b.t, &zero, 1));
    out[MARGIN_ulp] = most(m, without_nan(m, emit(&m->b, div, off, unit)));
    out[MARGIN_wrong] = emit(&m->b, sum, many, arg_ints(m->b.t, &zero, 1));
    out[MARGIN_place] = there(m, chosen, place);
    out[MARGIN_got] = there(m, chosen, x);
    out[MARGIN_exact] = there(m, chosen, o);
    out[MARGIN_allowed] = there(m, chosen, without_nan(m, emit(&m->b, div, may, unit)));
}

/* --------------------------------------------------------------------------------------- inputs */

static Arg add_input(Making *m, Margin *out, ValueId v, bool result)
{
    const Value *value = &m->from->values[v];
    const Box *box = result || value->type.kind == VALUE_tensor ? m->c->need[v] : NULL;
    Type type = value->type;
    if (box)
        type.shape = box->size;
    ValueId x = trace_add_input(m->b.t, type, (Str){0});
    out->inputs[m->b.t->ninputs - 1] = v;
    out->boxes[m->b.t->ninputs - 1] = (Box *)box;
    return A_VALUE(x);
}

typedef struct Reading {
    Making *m;
    Margin *out;
} Reading;

static void read_value(ValueId v, void *user)
{
    const Reading *r = user;
    Making *m = r->m;
    if (!arg_is_none(m->exact[v]) || !m->c->need[v])
        return;
    const Value *value = &m->from->values[v];
    m->exact[v] = arg_is_number(value->known) ? value->known : add_input(m, r->out, v, false);
}

static void read_number(ValueId v, void *user)
{
    const Reading *r = user;
    const Value *value = &r->m->from->values[v];
    if (value->type.kind == VALUE_number && arg_is_none(r->m->exact[v]))
        r->m->exact[v] = arg_is_number(value->known) ? value->known
                                                     : add_input(r->m, r->out, v, false);
}

static void widen_inputs(Making *m)
{
    for (ValueId v = 1; v < m->from->nvalues; v++)
        if (m->exact[v].kind == ARG_value && type_of(m, m->exact[v])->kind == VALUE_tensor &&
            is_float(m, m->exact[v]))
            m->exact[v] = as_f64(m, m->exact[v]);
}

/* Values that are read before the statement makes them come from outside. */
static void add_operands(Making *m, Margin *out)
{
    bool *made = new_array(m->c->arena, bool, m->from->nvalues);
    for (uint32_t i = 0; i < m->c->nleaves; i++) {
        const Node *n = &m->from->nodes[m->c->leaves[i]];
        ValueId in[64], outs[MAX_OUTPUTS];
        uint32_t nin = arg_values((Arg){.kind = ARG_tuple, .n = n->nargs, .items = n->args}, in,
                                  ARRAY_LEN(in));
        Reading r = {m, out};
        for (uint32_t k = 0; k < nin; k++) {
            read_number(in[k], &r);
            if (!made[in[k]])
                read_value(in[k], &r);
        }
        uint32_t nout = arg_values(n->out, outs, MAX_OUTPUTS);
        for (uint32_t k = 0; k < nout && k < MAX_OUTPUTS; k++)
            made[outs[k]] = true;
    }
    widen_inputs(m);
}

uint32_t statement_leaves(const Trace *t, NodeId n, NodeId *out)
{
    uint32_t count = 0;
    for (NodeId i = n; i < n + t->nodes[n].span; i++) {
        const Node *node = &t->nodes[i];
        bool leaf = node->span == 1 && node->op->language == LANG_prims &&
                    !(node->op->flags & OP_CONTROL);
        if (leaf && out)
            out[count] = i;
        count += leaf;
    }
    return count;
}

/* The operands and the prims, in double precision. */
static Margin begin(Making *m, const Cone *c, uint32_t nouts, Diag *d)
{
    const Trace *t = c->t;
    Margin out = {.t = NULL};
    m->c = c;
    m->from = t;
    m->b = (Build){.t = trace_new(t->reg, S("margin")), .diag = d};
    m->exact = new_array(c->arena, Arg, t->nvalues);
    m->error = new_array(c->arena, Arg, t->nvalues);
    out.inputs = new_array(c->arena, ValueId, t->nvalues + nouts);
    out.boxes = new_array(c->arena, Box *, t->nvalues + nouts);
    add_operands(m, &out);
    return out;
}

static void finish(Making *m, Margin *out, const Arg *results, uint32_t n, Diag *d)
{
    if (m->b.failed && !m->refused)
        m->refused = arena_str(m->c->arena, d->first ? d->first->message : S("")).p;
    m->b.t->output = arg_tuple(m->b.t, results, n);
    trace_finish(m->b.t);
    out->t = m->b.t;
    if (m->refused) {
        trace_unref(m->b.t);
        out->t = NULL;
        out->refused = m->refused;
    }
    diag_clear(d);
}

const char *statement_refusal(const Cone *c)
{
    const char *why = NULL;
    for (uint32_t i = 0; i < c->nleaves && !why; i++)
        why = refusal(c->t, &c->t->nodes[c->leaves[i]]);
    return why;
}

Margin margin_trace(const Cone *c, const ValueId *outs, uint32_t nouts)
{
    Diag d = {0};
    Making m = {.refused = NULL};
    const char *why = statement_refusal(c);
    if (why || c->nleaves == 0)
        return (Margin){.refused = why};
    Margin out = begin(&m, c, nouts, &d);
    Arg *got = new_array(c->arena, Arg, nouts + 1);
    for (uint32_t i = 0; i < nouts; i++)
        got[i] = add_input(&m, &out, outs[i], true);
    for (uint32_t i = 0; i < c->nleaves && !m.refused; i++)
        make_leaf(&m, c->leaves[i]);
    Arg *numbers = new_array(c->arena, Arg, nouts * MARGIN_NUMBERS + 1);
    for (uint32_t i = 0; i < nouts && !m.refused; i++)
        compare_result(&m, outs[i], got[i], numbers + i * MARGIN_NUMBERS);
    finish(&m, &out, numbers, nouts * MARGIN_NUMBERS, &d);
    return out;
}

Margin exact_trace(const Cone *c, const ValueId *outs, uint32_t nouts)
{
    Diag d = {0};
    Making m = {.plain = true};
    const char *why = statement_refusal(c);
    if (why || c->nleaves == 0)
        return (Margin){.refused = why};
    Margin out = begin(&m, c, nouts, &d);
    Arg *results = new_array(c->arena, Arg, nouts + 1);
    for (uint32_t i = 0; i < c->nleaves && !m.refused; i++)
        make_leaf(&m, c->leaves[i]);
    for (uint32_t i = 0; i < nouts && !m.refused; i++)
        results[i] = m.exact[outs[i]];
    finish(&m, &out, results, nouts, &d);
    return out;
}

Tensor **margin_inputs(const Margin *m, Tensor *const *values)
{
    Tensor **inputs = run_realloc(NULL, (m->t->ninputs + 1) * sizeof *inputs);
    for (uint32_t i = 0; i < m->t->ninputs; i++) {
        Tensor *x = values[m->inputs[i]];
        inputs[i] = !x ? NULL : m->boxes[i] ? box_of(x, m->boxes[i]) : tensor_ref(x);
    }
    return inputs;
}

void margin_inputs_free(const Margin *m, Tensor **inputs)
{
    for (uint32_t i = 0; i < m->t->ninputs; i++)
        tensor_unref(inputs[i]);
    free(inputs);
}
