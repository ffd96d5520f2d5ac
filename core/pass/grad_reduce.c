/*
 * grad_reduce.c - vjp rules of reductions, scans and sorting.
 *
 * Products are differentiated without dividing by their factors, so that zeros need no care and
 * the rules can be differentiated again.
 */
#include "vjp.h"

Arg unreduce(Build *b, Arg reduced, const Dims *dims, const Dims *shape)
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

/* The share of element k is (product of those before k) times the sum over j >= k of g[j] times
 * the product of those from k + 1 to j. A matrix with row k and column j holds these products. */
VJP(cumprod)
{
    uint32_t rank = cl_rank(b, g), last = rank ? rank - 1 : 0;
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), rank, 1), n = cl_size(b, g, dim);
    if (!vjp_wants(v, args[0]))
        return;
    if (rank == 0 || n == 0) {
        vjp_give(v, args[0], g);
        return;
    }
    Arg x = cl_swap(b, args[0], dim, last), along = cl_swap(b, g, dim, last);
    Arg number = cl_range(b, n, cl_device(b, g)), row = cl_unsqueeze(b, number, 1);
    Dims square = cl_shape(b, x);
    square.v[square.n++] = n;
    Arg wide = WHERE(GT(number, row), cl_unsqueeze(b, x, last), F(1));
    wide = cl_broadcast_to(b, wide, &square);
    if (b->failed)
        return;
    Arg runs = WHERE(GE(number, row), emit(b, cumprod, wide, I(rank)), F(0));
    Arg sums = cl_sum(b, MUL(runs, cl_unsqueeze(b, along, last)), rank, false);
    vjp_give(v, args[0], cl_swap(b, MUL(product_before(b, x, last), sums), dim, last));
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
