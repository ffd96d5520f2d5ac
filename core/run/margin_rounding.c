/*
 * margin_rounding.c - what a prim adds to the error of its result; see making.h.
 *
 * Its result is rounded, and what it sums up inside is. Where the bounds come from:
 *
 * - One rounding is half a unit (IEEE 754). Elementwise functions: own_ulp, which is
 *   the larger one of what tests/check_ulp.c measures of C kernels and of the maximum errors that
 *   the CUDA programming guide states for its functions.
 * - A sum of n terms: 2 sqrt(n) u times the sum of their sizes, of which twice is allowed. Any
 *   order of addition stays within (n - 1) u. Roundings that are as good as independent (Higham and
 *   Mary, A new approach to probabilistic rounding error analysis, SIAM J. Sci. Comput. 41, 2019)
 *   are spread over at most u of each partial sum on either side, so the standard deviation of
 *   their sum is sqrt(n / 3) u at most, even if every partial sum were as large as the sum of the
 *   sizes. What is allowed is 6.9 of it: one false alarm in 2e11 sums.
 *   u is that of f32, since every kernel sums up in it at least; sums by index are added one by one
 *   where they go, in the dtype of the result.
 * - Products of narrow matrices: tensor cores cut the sum off towards 0 behind every 16 terms
 *   (Fasi, Higham, Mikaitis and Pranesh, Numerical behavior of NVIDIA tensor cores, PeerJ Computer
 *   Science 7:e330, 2021), which no sign evens out: n / 16 times 2 u of a partial sum at most. Half
 *   of it is the mean, of which twice is allowed.
 * - A bias of its own kernel is added to a rounded sum, fused attention rounds its weights: what
 *   libraries do.
 */
#include "making.h"

#include "run.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CUT_OFF = 16 }; /* terms that a tensor core adds to a sum at a time, at least */

/* ULP that a correct implementation may be off by itself, of elementwise prims. */
static double own_ulp(const Op *op)
{
    static const struct {
        uint32_t op;
        double ulp;
    } table[] = {
        {PRIM_add, 0.5},   {PRIM_sub, 0.5},  {PRIM_mul, 0.5},       {PRIM_div, 0.5},
        {PRIM_sqrt, 0.5},  {PRIM_neg, 0},    {PRIM_abs, 0},         {PRIM_maximum, 0},
        {PRIM_minimum, 0}, {PRIM_where, 0},  {PRIM_sign, 0},        {PRIM_floor, 0},
        {PRIM_ceil, 0},    {PRIM_round, 0},  {PRIM_trunc, 0},       {PRIM_clone, 0},
        {PRIM_exp, 2},     {PRIM_log, 2},    {PRIM_reciprocal, 0.5}, {PRIM_rsqrt, 1.5},
        {PRIM_lerp, 1.5},  {PRIM_fmod, 0.5}, {PRIM_remainder, 1},
        {PRIM_convert_element_type, 0.5},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i].op == op->id)
            return table[i].ulp;
    if (op->flags & (OP_SHAPE | OP_CREATION))
        return 0;
    return op->flags & OP_ELEMENTWISE ? 4 : 0.5;
}

/* Whether a kernel of its own may add the bias, to the sum as rounded to d. */
static bool adds_bias_apart(const Node *n, DType d)
{
    return n->op->id == PRIM_convolution && n->args[2].kind == ARG_value &&
           dtype_info[d].bytes < dtype_info[DT_f32].bytes;
}

/* The attention that prim n is a part of; NO_NODE = none. */
static NodeId attention_around(const Trace *t, NodeId n)
{
    enum { MOST = 256 }; /* nodes inside of one, and more */
    for (NodeId i = n; i-- > 0 && n - i < MOST;)
        if (i + t->nodes[i].span > n && t->nodes[i].op->language != LANG_prims &&
            strstr(t->nodes[i].op->name, "attention"))
            return i;
    return NO_NODE;
}

/* The narrower dtype that a fused attention may round factor v of its product n to, because an
 * earlier product made it: weights and their gradients. DT_none = it does not. */
static DType factor_dtype(const Trace *t, NodeId n, ValueId v)
{
    enum { MOST = 256 };
    NodeId whole = t->nodes[n].op->flags & OP_MATMUL ? attention_around(t, n) : NO_NODE;
    if (whole == NO_NODE || !t->nodes[whole].nargs || t->nodes[whole].args[0].kind != ARG_value)
        return DT_none;
    DType d = (DType)t->values[t->nodes[whole].args[0].v].type.dtype;
    DType of = (DType)t->values[v].type.dtype;
    ValueId after[MOST]; /* what comes of a product */
    uint32_t count = 0;
    bool found = false;
    for (NodeId i = whole + 1; i < n; i++) {
        const Node *node = &t->nodes[i];
        bool comes = node->op->flags & OP_MATMUL;
        for (uint32_t k = 0; k < count && !comes; k++)
            comes = node_reads(node, after[k]);
        bool cast = node->op->id == PRIM_convert_element_type && node->args[0].kind == ARG_value &&
                    t->values[node->args[0].v].type.dtype == d; /* rounded in the program */
        if (node->span == 1 && comes && count < MOST - MAX_OUTPUTS) {
            found |= !cast && node_makes(node, v);
            count += arg_values(node->out, after + count, MAX_OUTPUTS);
        }
    }
    bool narrow = dtype_is_float(d) && dtype_info[d].bytes < dtype_info[of].bytes;
    return found && narrow ? d : DT_none;
}

/* Singular values are those of a matrix that is off by so much (Weyl), whatever their own size. */
static Arg spectrum_rounding(Making *m, NodeId leaf, Arg exact, uint32_t i, DType d)
{
    const Type *a = mg_type(m, mg_exact(m, leaf, 0)), *type = mg_type(m, exact);
    if (m->from->nodes[leaf].op->id != PRIM_svd || i != 1 || type_numel(type) == 0)
        return A_NONE;
    int64_t dim = type->rank - 1, dims[MAX_RANK];
    for (uint32_t k = 0; k + 1 < type->rank; k++)
        dims[k] = k;
    double terms = (double)(a->shape[a->rank - 1] + a->shape[a->rank - 2]);
    Arg most = emit(&m->b, amax, exact, arg_ints(m->b.t, &dim, 1));
    most = emit(&m->b, broadcast_in_dim, most, mg_sizes(m, mg_type(m, exact)),
                arg_ints(m->b.t, dims, (uint32_t)dim));
    return mg_times(m, most, 2 * sqrt(terms) * mg_unit(d));
}

/* What kernels of a GPU do in f32: exponentials below the smallest normal number are 0; where
 * results are narrow, tanh.approx is off by 2^-11 of its value and ex2.approx, for the rounding of
 * its argument, by 2^-17 (PTX ISA). */
static Arg device_rounding(Making *m, const Node *n, Arg exact, DType d)
{
    bool power = n->op->id == PRIM_exp || n->op->id == PRIM_exp2;
    if (d != DT_f32 || (!power && n->op->id != PRIM_tanh))
        return A_NONE;
    Arg flushed = power ? mg_filled(m, exact, FLT_MIN) : A_NONE;
    Arg size = m->coarse ? emit(&m->b, abs, exact) : A_NONE;
    return m->coarse ? mg_sum(m, flushed, mg_times(m, size, power ? 0x1p-17 : 0x1p-11)) : flushed;
}

/* Casts that lose nothing. */
static bool is_exact_cast(const Making *m, const Node *n, DType d)
{
    const Arg a = n->args[0];
    DType of = a.kind == ARG_value ? (DType)m->from->values[a.v].type.dtype : DT_none;
    return n->op->id == PRIM_convert_element_type && dtype_is_float(of) &&
           (of == d || (dtype_info[of].bytes < dtype_info[d].bytes && dtype_info[d].bytes >= 4));
}

/* Whether n is a product of narrow matrices: tensor cores cut its sum off after some terms. */
static bool is_cut_off(const Trace *t, const Node *n)
{
    const Arg a = n->args[0];
    DType d = (n->op->flags & OP_MATMUL) && a.kind == ARG_value ?
                  (DType)t->values[a.v].type.dtype : DT_none;
    return dtype_is_float(d) && dtype_info[d].bytes < dtype_info[DT_f32].bytes;
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
    double unit = fmin(mg_unit(d), mg_unit(DT_f32));
    if (id == PRIM_scatter_add || id == PRIM_index_add || id == PRIM_embedding_backward)
        unit = mg_unit(d); /* added one by one where they go */
    double terms = op_terms(m->from, n, (double)type_numel(&m->from->values[outs[i]].type));
    double factor = (2 * sqrt(terms) + (is_cut_off(m->from, n) ? terms / CUT_OFF : 0)) * unit;
    Pick p = {.which = WHICH_size, .leaf = leaf};
    ValueId made[MAX_OUTPUTS];
    bool mean = id == PRIM_var_mean && i == 1;
    if (!adds && !mean) /* variances about their mean, products */
        return mg_times(m, emit(&m->b, abs, result), factor);
    if (arg_values(mg_emit(m, &p), made, MAX_OUTPUTS) <= i)
        return A_NONE;
    return mg_times(m, A_VALUE(made[i]), factor);
}

/* A bias that is added by a kernel of its own is added to the rounded sum. */
static Arg bias_rounding(Making *m, NodeId leaf, Arg exact, DType d)
{
    int64_t channels = 1;
    if (!adds_bias_apart(&m->from->nodes[leaf], d))
        return A_NONE;
    Arg bias = emit(&m->b, broadcast_in_dim, mg_f64(m, mg_exact(m, leaf, 2)),
                    mg_sizes(m, mg_type(m, exact)), arg_ints(m->b.t, &channels, 1));
    return mg_times(m, mg_ulp(m, emit(&m->b, sub, exact, bias), d), 0.5);
}

/* Fused attention rounds weights before it multiplies. */
static Arg factor_rounding(Making *m, NodeId leaf)
{
    const Node *n = &m->from->nodes[leaf];
    Arg sum = A_NONE;
    for (uint32_t i = 0; (n->op->flags & OP_MATMUL) && i < 2; i++) {
        ValueId v = n->args[i].kind == ARG_value ? n->args[i].v : 0, through;
        DType narrow = v ? factor_dtype(m->from, leaf, v) : DT_none;
        if (narrow == DT_none)
            continue;
        Arg size = emit(&m->b, abs, mg_operand(m, leaf, v, m->exact));
        Pick p = {WHICH_factors, leaf, v, mg_times(m, size, mg_unit(narrow))};
        if (arg_values(mg_emit(m, &p), &through, 1) == 1)
            sum = mg_sum(m, sum, A_VALUE(through));
    }
    return sum;
}

/* A product may leave the range of its dtype on the way: the product of the factors beyond 1. */
static Arg unless_range_left(Making *m, NodeId leaf, Arg bound, DType d)
{
    ValueId k = m->from->nodes[leaf].args[0].v, made;
    Arg size = emit(&m->b, abs, mg_operand(m, leaf, k, m->exact));
    Pick p = {WHICH_exact, leaf, k, emit(&m->b, maximum, size, A_FLOAT(1))};
    if (arg_values(mg_emit(m, &p), &made, 1) != 1)
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

Arg mg_rounding(Making *m, NodeId leaf, Arg exact, uint32_t i, DType d)
{
    const Node *n = &m->from->nodes[leaf];
    if (!dtype_is_float(d))
        return A_NONE;
    double ulp = is_exact_cast(m, n, d) ? 0 : own_ulp(n->op);
    Arg bound = ulp > 0 ? mg_times(m, mg_ulp(m, exact, d), ulp) : A_NONE;
    bound = mg_sum(m, bound, sum_rounding(m, leaf, exact, i, d));
    for (uint32_t k = 0; n->op->id == PRIM_lerp && k < 2; k++) /* terms larger than the result */
        bound = mg_sum(m, bound, mg_ulp(m, mg_exact(m, leaf, k), d));
    bound = mg_sum(m, bound, bias_rounding(m, leaf, exact, d));
    bound = mg_sum(m, bound, spectrum_rounding(m, leaf, exact, i, d));
    bound = mg_sum(m, bound, device_rounding(m, n, exact, d));
    bound = mg_sum(m, bound, factor_rounding(m, leaf));
    if (!arg_is_none(bound) && d != DT_f64 && may_be_too_large(n->op, d))
        bound = unless_too_large(m, bound, exact, d);
    if ((n->op->id == PRIM_prod || n->op->id == PRIM_cumprod) && d != DT_f64)
        bound = unless_range_left(m, leaf, bound, d);
    return bound;
}
