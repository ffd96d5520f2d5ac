/*
 * grad_reduce.c - vjp rules of reductions, scans and sorting.
 *
 * Products are differentiated without dividing by their factors, so that zeros need no care and
 * the rules can be differentiated again.
 */
#include "vjp.h"

/* A result that was reduced over dims, stretched back to shape. */
static Arg unreduce(Build *b, Arg reduced, const Dims *dims, const Dims *shape)
{
    Dims kept = {0};
    for (uint32_t i = 0; i < shape->n; i++)
        if (!cl_dims_have(dims, i))
            kept.v[kept.n++] = i;
    if (kept.n == shape->n || b->failed)
        return reduced;
    return emit(b, broadcast_in_dim, reduced, cl_tuple(b, shape), cl_tuple(b, &kept));
}

VJP(sum)
{
    Dims shape = cl_shape(b, args[0]), dims = grad_dims(v, args[1], shape.n);
    GIVE(0, unreduce(b, g, &dims, &shape));
}

/* Ties share equally. */
VJP(amax)
{
    Dims shape = cl_shape(b, args[0]), dims = grad_dims(v, args[1], shape.n);
    if (!vjp_wants(v, args[0]))
        return;
    Arg best = EQ(args[0], unreduce(b, OUT, &dims, &shape));
    Arg hits = TO(best, cl_dtype(b, g));
    Arg count = cl_reduce(b, PRIM_sum, hits, &dims, false);
    vjp_give(v, args[0], MUL(hits, unreduce(b, DIV(g, count), &dims, &shape)));
}

/* 2 (a - mean) / (n - correction), times a cotangent of the variance. */
static Arg var_slope(Build *b, Arg a, Arg mean, Arg correction, Arg g, const Dims *dims)
{
    Dims shape = cl_shape(b, a);
    double n = (double)cl_numel_over(b, a, dims) - cl_float(b, correction);
    Arg gap = SUB(a, unreduce(b, mean, dims, &shape));
    return MUL(unreduce(b, g, dims, &shape), MUL(gap, F(2 / (n > 0 ? n : 0))));
}

VJP(var)
{
    Dims dims = grad_dims(v, args[1], cl_rank(b, args[0]));
    GIVE(0, var_slope(b, args[0], cl_mean(b, args[0], &dims, false), args[2], g, &dims));
}

VJP(std)
{
    Dims dims = grad_dims(v, args[1], cl_rank(b, args[0]));
    if (!vjp_wants(v, args[0]))
        return;
    Arg half = WHERE(EQ(OUT, F(0)), F(0), DIV(g, MUL(OUT, F(2))));
    Arg mean = cl_mean(b, args[0], &dims, false);
    vjp_give(v, args[0], var_slope(b, args[0], mean, args[2], half, &dims));
}

VJP(var_mean)
{
    Dims shape = cl_shape(b, args[0]), dims = grad_dims(v, args[1], shape.n);
    double n = (double)cl_numel_over(b, args[0], &dims);
    if (GIVEN(v->cot[0]))
        GIVE(0, var_slope(b, args[0], cl_item(OUT, 1), args[2], v->cot[0], &dims));
    if (GIVEN(v->cot[1]))
        GIVE(0, unreduce(b, DIV(v->cot[1], F(n)), &dims, &shape));
}

/* ------------------------------------------------------------------------------------- products */

/* x without its last (or first) element along dim, a one put in front: the products that end
 * just before each element. */
static Arg product_before(Build *b, Arg x, int64_t dim)
{
    Dims one = cl_shape(b, x);
    int64_t n = one.v[dim];
    one.v[dim] = 1;
    const Arg parts[2] = {cl_full(b, &one, F(1), cl_device(b, x), cl_dtype(b, x)),
                          cl_slice(b, x, dim, 0, n - 1, 1)};
    if (b->failed)
        return A_NONE;
    return emit(b, cumprod, cl_cat(b, parts, 2, dim), I(dim));
}

VJP(prod)
{
    Dims shape = cl_shape(b, args[0]), dims = grad_dims(v, args[1], shape.n), order = {0};
    if (!vjp_wants(v, args[0]))
        return;
    if (dims.n == 0 || cl_numel(b, args[0]) == 0) {
        vjp_give(v, args[0], dims.n ? zeros_like(b, args[0]) : g);
        return;
    }
    for (uint32_t i = 0; i < shape.n; i++)
        if (!cl_dims_have(&dims, i))
            order.v[order.n++] = i;
    uint32_t outer = order.n;
    for (uint32_t i = 0; i < dims.n; i++)
        order.v[order.n++] = dims.v[i];
    Arg x = cl_permute(b, args[0], &order);
    Dims moved = cl_shape(b, x), back = order, last = DIMS1(outer);
    for (uint32_t i = 0; i < order.n; i++)
        back.v[order.v[i]] = i;
    x = cl_flatten(b, x, outer, order.n - 1);
    Arg after = cl_flip(b, product_before(b, cl_flip(b, x, &last), outer), &last);
    Arg others = MUL(product_before(b, x, outer), after);
    Arg r = MUL(others, cl_unsqueeze(b, g, outer));
    vjp_give(v, args[0], cl_permute(b, cl_reshape(b, r, &moved), &back));
}

VJP(cumsum)
{
    Dims dim = DIMS1(0);
    dim.v[0] = cl_dim(b, cl_int(b, args[1], 1), cl_rank(b, g), 1);
    if (!vjp_wants(v, args[0]))
        return;
    if (cl_rank(b, g) == 0) {
        vjp_give(v, args[0], g);
        return;
    }
    Arg turned = cl_flip(b, g, &dim);
    if (!b->failed)
        turned = emit(b, cumsum, turned, I(dim.v[0]));
    vjp_give(v, args[0], cl_flip(b, turned, &dim));
}

/* The sum over j >= k, for every k. */
static Arg sum_from(Build *b, Arg x, int64_t dim)
{
    Dims one = DIMS1(dim);
    return cl_flip(b, CALL("cumsum", cl_flip(b, x, &one), I(dim)), &one);
}

/* The share of element k is the sum over j >= k of g[j] times the product up to j without x[k].
 * That is out[j] / x[k], where x[k] is not 0. Behind the first zero all products are 0; at the
 * first zero itself it is the product with that zero left out. */
VJP(cumprod)
{
    uint32_t rank = cl_rank(b, g);
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), rank, 1);
    if (!vjp_wants(v, args[0]))
        return;
    if (rank == 0 || cl_numel(b, g) == 0) {
        vjp_give(v, args[0], g);
        return;
    }
    Arg x = args[0], zero = EQ(x, F(0));
    Arg count = CALL("cumsum", TO(zero, DT_i64), I(dim)), first = AND(zero, EQ(count, I(1)));
    Arg without = WHERE(first, F(1), x);
    if (b->failed)
        return;
    Arg at_first = sum_from(b, MUL(g, emit(b, cumprod, without, I(dim))), dim);
    Arg before = DIV(sum_from(b, MUL(g, OUT), dim), WHERE(zero, F(1), x));
    vjp_give(v, x, WHERE(first, at_first, WHERE(EQ(count, I(0)), before, F(0))));
}

/* ------------------------------------------------------------------------------ picked elements */

/* g added to zeros like x where indices say. */
static Arg put_back(Build *b, Arg x, Arg indices, Arg g, Arg dim)
{
    if (b->failed)
        return A_NONE;
    return emit(b, scatter_add, zeros_like(b, x), indices, g, dim);
}

VJP(topk)
{
    if (GIVEN(g))
        GIVE(0, put_back(b, args[0], cl_item(OUT, 1), g, args[2]));
}

VJP(kthvalue)
{
    if (GIVEN(g))
        GIVE(0, put_back(b, args[0], cl_item(OUT, 1), g, args[2]));
}

VJP(sort)
{
    if (GIVEN(g))
        GIVE(0, put_back(b, args[0], cl_item(OUT, 1), g, args[1]));
}

VJP(cummax)
{
    if (GIVEN(g))
        GIVE(0, put_back(b, args[0], cl_item(OUT, 1), g, args[1]));
}
