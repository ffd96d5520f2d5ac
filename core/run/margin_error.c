/*
 * margin_error.c - what the errors of a prim's operands become in its results; see making.h.
 *
 * Of operators that move or add up, the operator of the errors; of products, the products with the
 * other factor's size; of all others, how far the result moves when an operand moves by its error.
 * Comparisons that an error may turn are uncertain, and so is what they choose between.
 *
 * Where the bounds come from: errors are followed to first order (Higham, Accuracy and Stability of
 * Numerical Algorithms, 2nd edition, chapters 1 and 3), products with the term of second order,
 * since a factor may be nearly 0. Sums and products of matrices are linear in each operand, so
 * |A B' - A B| <= |A| |B' - B| holds as it stands. That of a variance is Cauchy's inequality:
 * var(x + e) - var(x) = 2 cov(x, e) + var(e), and |cov(x, e)| <= sqrt(var(x) mean(e e)).
 */
#include "making.h"

#include "run.h"

#include <math.h>

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
        bool wrong = !arg_is_none(m->error[all[i]]), real = mg_is_float(m, m->exact[all[i]]);
        o.wrong_float |= wrong && real;
        o.wrong_other |= wrong && !real;
    }
    return o;
}

static Arg size_of(Making *m, Arg x)
{
    return x.kind == ARG_value ? emit(&m->b, abs, x)
                               : A_FLOAT(fabs(x.kind == ARG_float ? x.f : (double)x.i));
}

/* |a| error of b + |b| error of a + the product of the errors. */
static Arg product_error(Making *m, NodeId leaf)
{
    Arg sum = A_NONE, e[2] = {mg_error(m, leaf, 0), mg_error(m, leaf, 1)};
    for (uint32_t i = 0; i < 2; i++) {
        if (!arg_is_none(e[i]))
            sum = mg_sum(m, sum, emit(&m->b, mul, e[i], size_of(m, mg_exact(m, leaf, 1 - i))));
    }
    if (!arg_is_none(e[0]) && !arg_is_none(e[1]))
        sum = mg_sum(m, sum, emit(&m->b, mul, e[0], e[1]));
    return sum;
}

/* Whether two operands are nearer to each other than their errors; of one operand, nearer to 0. */
static Arg turned(Making *m, NodeId leaf)
{
    const Node *n = &m->from->nodes[leaf];
    Arg e = mg_sum(m, mg_error(m, leaf, 0), n->nargs > 1 ? mg_error(m, leaf, 1) : A_NONE);
    Arg a = mg_exact(m, leaf, 0);
    if (arg_is_none(e))
        return A_NONE;
    if (n->nargs > 1)
        a = emit(&m->b, sub, mg_f64(m, a), mg_f64(m, mg_exact(m, leaf, 1)));
    return mg_f64(m, emit(&m->b, le, emit(&m->b, abs, mg_f64(m, a)), e));
}

/* What an uncertain choice may be off by. */
static Arg choice_error(Making *m, NodeId leaf)
{
    Arg a = mg_exact(m, leaf, 1), b = mg_exact(m, leaf, 2), may = mg_error(m, leaf, 0);
    if (arg_is_none(may))
        return A_NONE;
    Arg gap = a.kind == ARG_value || b.kind == ARG_value
                  ? emit(&m->b, abs, emit(&m->b, sub, mg_f64(m, a), mg_f64(m, b)))
                  : mg_filled(m, may, 1);
    return emit(&m->b, where, emit(&m->b, gt, may, A_FLOAT(0)), mg_without_nan(m, gap), A_FLOAT(0));
}

/* |var(x + e) - var(x)| <= 2 sqrt(var(x) s) + s with s = mean(e e), of which two are taken for the
 * correction; |std(x + e) - std(x)| <= std(e). */
static Arg variance_error(Making *m, NodeId leaf, Arg result, bool root)
{
    const Node *n = &m->from->nodes[leaf];
    Arg e = mg_error(m, leaf, 0);
    Arg sum = emit(&m->b, sum, emit(&m->b, mul, e, e), n->args[1]);
    double count = (double)type_numel(mg_type(m, e)) / (double)type_numel(mg_type(m, sum));
    Arg square = mg_times(m, sum, 2 / fmax(count, 1));
    if (root)
        return emit(&m->b, sqrt, square);
    Arg mixed = emit(&m->b, sqrt, emit(&m->b, mul, result, square));
    return mg_sum(m, mg_times(m, mixed, 2), square);
}

/* |prod(x + e) - prod(x)| <= prod(|x| + |e|) - prod(|x|), whatever the signs. */
static Arg many_error(Making *m, NodeId leaf)
{
    ValueId k = m->from->nodes[leaf].args[0].v, far, near;
    Arg size = emit(&m->b, abs, mg_exact(m, leaf, 0));
    Pick p = {WHICH_exact, leaf, k, emit(&m->b, add, size, mg_error(m, leaf, 0))};
    if (arg_values(mg_emit(m, &p), &far, 1) != 1)
        return A_NONE;
    p.instead = size;
    return arg_values(mg_emit(m, &p), &near, 1) == 1
               ? emit(&m->b, sub, A_VALUE(far), A_VALUE(near))
               : A_NONE;
}

/* How far result i moves when one operand moves by its error, up or down. */
static void moved_error(Making *m, NodeId leaf, ValueId k, const ValueId *exact, uint32_t n,
                        Arg *errors)
{
    Arg x = mg_operand(m, leaf, k, m->exact), e = mg_operand(m, leaf, k, m->error);
    Arg most[MAX_OUTPUTS];
    for (int sign = 0; sign < 2; sign++) {
        Pick p = {WHICH_exact, leaf, k, sign ? emit(&m->b, sub, x, e) : emit(&m->b, add, x, e)};
        ValueId moved[MAX_OUTPUTS];
        if (arg_values(mg_emit(m, &p), moved, MAX_OUTPUTS) != n)
            return;
        for (uint32_t i = 0; i < n; i++) {
            Arg off = mg_distance(m, mg_f64(m, A_VALUE(moved[i])), mg_f64(m, A_VALUE(exact[i])));
            most[i] = sign ? emit(&m->b, maximum, most[i], off) : off;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        if (m->from->nodes[leaf].op->flags & OP_ELEMENTWISE) /* anything of anything is anything */
            most[i] = emit(&m->b, where, emit(&m->b, isfinite, e), most[i], A_FLOAT(INFINITY));
        errors[i] = mg_sum(m, errors[i], most[i]);
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
    Arg e = mg_error(m, leaf, 0);
    Arg sum = emit(&m->b, sum, e, m->from->nodes[leaf].args[1]);
    double count = (double)type_numel(mg_type(m, e)) / (double)type_numel(mg_type(m, sum));
    return mg_times(m, sum, 1 / fmax(count, 1));
}

static void everything_wrong(Making *m, const ValueId *exact, uint32_t n, Arg *errors)
{
    for (uint32_t i = 0; i < n; i++)
        errors[i] = mg_filled(m, A_VALUE(exact[i]), INFINITY);
}

static void linear_error(Making *m, NodeId leaf, uint32_t n, Arg *errors)
{
    ValueId made[MAX_OUTPUTS];
    const Op *op = m->from->nodes[leaf].op;
    if (op->id == PRIM_neg || op->id == PRIM_abs || op->id == PRIM_convert_element_type ||
        op->id == PRIM_clone) {
        errors[0] = mg_error(m, leaf, 0);
        return;
    }
    Pick p = {.which = WHICH_error, .leaf = leaf};
    if (arg_values(mg_emit(m, &p), made, MAX_OUTPUTS) == n)
        for (uint32_t i = 0; i < n; i++)
            errors[i] = A_VALUE(made[i]);
}

/* What the operands' errors become in results that are not of a float dtype. */
static bool other_error(Making *m, NodeId leaf, const ValueId *exact, uint32_t n, Arg *errors)
{
    const Node *node = &m->from->nodes[leaf];
    if (mg_is_float(m, A_VALUE(exact[0])))
        return false;
    if (node->op->id == PRIM_isfinite)
        return true;
    if (node->op->flags & OP_COMPARISON)
        errors[0] = turned(m, leaf);
    else if (is_logic(node->op))
        errors[0] = mg_sum(m, mg_error(m, leaf, 0),
                           node->nargs > 1 ? mg_error(m, leaf, 1) : A_NONE);
    else if (node->op->flags & OP_SHAPE)
        return false;
    else
        everything_wrong(m, exact, n, errors);
    return true;
}

/* Zero or a negative number to the power of what may or may not be whole. */
static Arg unless_negative(Making *m, NodeId leaf, Arg error)
{
    Arg base = mg_exact(m, leaf, 0);
    return base.kind == ARG_value
               ? emit(&m->b, where, emit(&m->b, le, base, A_FLOAT(0)), A_FLOAT(INFINITY), error)
               : error;
}

/* A remainder that the operands' errors may bring past a multiple of the divisor is anything below
 * that; else they move it as far as moved_error says. */
static Arg wrapped_error(Making *m, NodeId leaf, Arg exact)
{
    Arg a = mg_exact(m, leaf, 0), b = mg_exact(m, leaf, 1), off = mg_error(m, leaf, 0);
    Arg size = size_of(m, b), by = mg_error(m, leaf, 1);
    if (!arg_is_none(by)) {
        Arg turns = emit(&m->b, abs, emit(&m->b, div, mg_f64(m, a), mg_f64(m, b)));
        off = mg_sum(m, off, emit(&m->b, mul, emit(&m->b, add, turns, A_FLOAT(1)), by));
    }
    Arg far = emit(&m->b, abs, exact), end = emit(&m->b, add, far, off);
    Arg stays = emit(&m->b, bitwise_and, emit(&m->b, le, off, far), emit(&m->b, lt, end, size));
    return emit(&m->b, where, stays, mg_filled(m, exact, 0), size);
}

/* A product of a matrix with itself. */
static bool node_is_square(const Node *n)
{
    return (n->op->flags & OP_MATMUL) && arg_equal(n->args[0], n->args[1]);
}

/* What the operands' errors become in the results of a prim. */
void mg_propagate(Making *m, NodeId leaf, const ValueId *exact, uint32_t n, Arg *errors)
{
    const Node *node = &m->from->nodes[leaf];
    uint32_t id = node->op->id;
    Operands o = operands_of(m, leaf);
    if ((!o.wrong_float && !o.wrong_other) || other_error(m, leaf, exact, n, errors))
        return;
    if (id == PRIM_add || id == PRIM_sub) {
        errors[0] = mg_sum(m, mg_error(m, leaf, 0), mg_error(m, leaf, 1));
    } else if (id == PRIM_mul) {
        errors[0] = product_error(m, leaf);
    } else if (id == PRIM_svd) {
        everything_wrong(m, exact, n, errors);
    } else if ((id == PRIM_prod || id == PRIM_cumprod) && o.wrong_float) {
        errors[0] = many_error(m, leaf);
    } else if (id == PRIM_sin || id == PRIM_cos) { /* large angles: all of the range */
        Arg e = mg_error(m, leaf, 0);
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
            errors[0] = mg_sum(m, errors[0], choice_error(m, leaf));
        else if (o.wrong_other && id != PRIM_convert_element_type)
            everything_wrong(m, exact, n, errors);
    } else if (o.wrong_other) {
        everything_wrong(m, exact, n, errors);
    } else {
        for (uint32_t i = 0; i < o.n; i++) {
            Pick p = {WHICH_factors, leaf, o.all[i], mg_operand(m, leaf, o.all[i], m->error)};
            ValueId through;
            if (arg_is_none(m->error[o.all[i]]))
                continue;
            if (!op_is_sum(node->op) || node_is_square(node))
                moved_error(m, leaf, o.all[i], exact, n, errors);
            else if (arg_values(mg_emit(m, &p), &through, 1) == 1)
                errors[0] = mg_sum(m, errors[0], A_VALUE(through));
        }
        if (id == PRIM_pow && !arg_is_none(mg_error(m, leaf, 1)))
            errors[0] = unless_negative(m, leaf, errors[0]);
        if (id == PRIM_fmod || id == PRIM_remainder)
            errors[0] = mg_sum(m, errors[0], wrapped_error(m, leaf, A_VALUE(exact[0])));
    }
}
