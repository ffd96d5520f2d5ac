/*
 * grad_shape.c - vjp rules of prims that move elements: the cotangent goes back the same way.
 */
#include "rewrite.h"
#include "vjp.h"

Arg zeros_like(Build *b, Arg x)
{
    return cl_full_like(b, x, F(0));
}

Arg zeros_of(Build *b, const Dims *shape, Arg like)
{
    return cl_full(b, shape, F(0), cl_device(b, like), cl_dtype(b, like));
}

Arg sum_to(Build *b, Arg g, const Dims *shape)
{
    Dims have = cl_shape(b, g), summed = {0};
    uint32_t extra = shape->n < have.n ? have.n - shape->n : 0;
    uint32_t skip = shape->n > have.n ? shape->n - have.n : 0;
    for (uint32_t i = 0; i < have.n; i++)
        if (i < extra || shape->v[i - extra + skip] != have.v[i])
            summed.v[summed.n++] = i;
    if (summed.n)
        g = TO(cl_reduce(b, PRIM_sum, cl_opmath_of(b, g), &summed, false), cl_dtype(b, g));
    return cl_reshape(b, g, shape);
}

Dims grad_dims(Vjp *v, Arg dims, uint32_t rank)
{
    Dims d = {0};
    if (!known_dims(v->b->t, dims, rank, d.v, &d.n)) {
        vjp_unsupported(v, "its dimensions are not known");
        d.n = 0;
    }
    return d;
}

static Dims ints_of(Vjp *v, Arg a)
{
    Dims d = {0};
    if (!known_ints(v->b->t, a, d.v, MAX_RANK, &d.n)) {
        vjp_unsupported(v, "its sizes are not known");
        d.n = 0;
    }
    return d;
}

VJP(reshape)
{
    Dims shape = cl_shape(b, args[0]);
    GIVE(0, cl_reshape(b, g, &shape));
}

VJP(transpose)
{
    Dims order = grad_dims(v, args[1], cl_rank(b, args[0])), back = order;
    for (uint32_t i = 0; i < order.n; i++)
        back.v[order.v[i]] = i;
    GIVE(0, cl_permute(b, g, &back));
}

VJP(flip)
{
    Dims dims = grad_dims(v, args[1], cl_rank(b, args[0]));
    GIVE(0, cl_flip(b, g, &dims));
}

/* Dimensions that were added or stretched are summed; one of size 1 is only a matter of shape. */
VJP(broadcast_in_dim)
{
    Dims in = cl_shape(b, args[0]), out = cl_shape(b, g), to = grad_dims(v, args[2], out.n);
    Dims summed = {0};
    bool kept[MAX_RANK] = {false};
    for (uint32_t i = 0; i < to.n; i++)
        kept[to.v[i]] = in.v[i] == out.v[to.v[i]];
    for (uint32_t i = 0; i < out.n; i++)
        if (!kept[i] && out.v[i] != 1)
            summed.v[summed.n++] = i;
    if (!vjp_wants(v, args[0]))
        return;
    if (summed.n)
        g = TO(cl_reduce(b, PRIM_sum, cl_opmath_of(b, g), &summed, false), cl_dtype(b, args[0]));
    vjp_give(v, args[0], cl_reshape(b, g, &in));
}

VJP(cat)
{
    int64_t dim = cl_dim(b, cl_int(b, args[1], 1), cl_rank(b, g), 1), at = 0;
    for (uint32_t i = 0; i < args[0].n; i++) {
        Arg x = args[0].items[i];
        int64_t n = cl_size(b, x, dim);
        if (vjp_wants(v, x))
            vjp_give(v, x, cl_slice(b, g, dim, at, at + n, 1));
        at += n;
    }
}

/* prims.pad with these (low, high, interior) and zeros. */
static Arg pad_zeros(Build *b, Arg x, const Dims *low, const Dims *high, const Dims *interior)
{
    Arg *config = new_array(&b->t->arena, Arg, low->n + 1);
    for (uint32_t i = 0; i < low->n; i++)
        config[i] = arg_ints(b->t, (const int64_t[3]){low->v[i], high->v[i], interior->v[i]}, 3);
    return emit(b, pad, x, cl_number_to(b, F(0), cl_dtype(b, x)),
                ((Arg){.kind = ARG_tuple, .n = low->n, .items = config}));
}

VJP(slice_prim)
{
    Dims in = cl_shape(b, args[0]), out = cl_shape(b, g), start = ints_of(v, args[1]);
    Dims step = {.n = in.n}, high = {.n = in.n}, gap = {.n = in.n};
    if (GIVEN(args[3]))
        step = ints_of(v, args[3]);
    if (b->failed)
        return;
    for (uint32_t i = 0; i < in.n; i++) {
        if (!GIVEN(args[3]))
            step.v[i] = 1;
        if (out.v[i] == 0) {
            GIVE(0, zeros_like(b, args[0]));
            return;
        }
        gap.v[i] = step.v[i] - 1;
        high.v[i] = in.v[i] - start.v[i] - (out.v[i] - 1) * step.v[i] - 1;
    }
    GIVE(0, pad_zeros(b, g, &start, &high, &gap));
}

VJP(pad)
{
    Dims in = cl_shape(b, args[0]), low = {.n = in.n}, high = {.n = in.n}, none = {.n = in.n};
    bool empty = false;
    if (!vjp_wants(v, args[0]))
        return;
    for (uint32_t i = 0; i < in.n; i++) {
        Dims three = ints_of(v, args[2].items[i]);
        low.v[i] = three.v[0];
        high.v[i] = three.v[1];
        empty |= in.v[i] == 0;
    }
    if (empty || b->failed) {
        vjp_give(v, args[0], zeros_like(b, args[0]));
        return;
    }
    for (uint32_t i = 0; i < in.n; i++) { /* what was cut comes back as zeros */
        low.v[i] = -low.v[i];
        high.v[i] = -high.v[i];
    }
    Arg r = pad_zeros(b, g, &low, &high, &none);
    for (uint32_t i = 0; i < in.n; i++) {
        int64_t step = ints_of(v, args[2].items[i]).v[2] + 1;
        if (step > 1)
            r = cl_slice(b, r, i, 0, cl_size(b, r, i), step);
    }
    vjp_give(v, args[0], r);
}

VJP(unfold)
{
    Dims shape = cl_shape(b, args[0]);
    GIVE(0, CALL("unfold_backward", g, cl_tuple(b, &shape), args[1], args[2], args[3]));
}

/* Every element that is read gets its cotangent added. */
VJP(as_strided)
{
    Dims in = cl_shape(b, args[0]), out = cl_shape(b, g), stride = ints_of(v, args[2]);
    Dims flat = DIMS1(cl_numel(b, args[0])), count = DIMS1(cl_numel(b, g));
    Device dev = cl_device(b, g);
    Arg at = cl_full(b, &out, args[3], dev, DT_i64);
    for (uint32_t i = 0; i < out.n && !b->failed; i++) {
        Dims place = {.n = out.n};
        for (uint32_t k = 0; k < out.n; k++)
            place.v[k] = k == i ? out.v[i] : 1;
        Arg along = cl_iota(b, out.v[i], I(0), I(stride.v[i]), dev, DT_i64);
        at = ADD(at, cl_reshape(b, along, &place));
    }
    if (!vjp_wants(v, args[0]) || b->failed)
        return;
    Arg r = emit(b, index_add, zeros_of(b, &flat, g), cl_reshape(b, at, &count),
                 cl_reshape(b, g, &count), I(0));
    vjp_give(v, args[0], cl_reshape(b, r, &in));
}
