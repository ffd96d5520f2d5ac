/*
 * grad_nn.c - vjp rules of matrix products and convolutions.
 */
#include "vjp.h"

static Arg transposed(Build *b, Arg x)
{
    return cl_swap(b, x, -2, -1);
}

/* Ranks 1 are rows (of a) or columns (of the second operand) of matrices. */
/* Of the singular values only: u diag(g) vh. The vectors turn without bound where values meet. */
VJP(svd)
{
    if (GIVEN(v->cot[0]) || GIVEN(v->cot[2])) {
        build_error(b, 0, "the gradient of singular vectors is not defined here; that of the "
                          "singular values is");
        return;
    }
    Arg u = cl_item(OUT, 0), row = v->cot[1];
    if (GIVEN(row))
        GIVE(0, cl_matmul(b, MUL(u, cl_unsqueeze(b, row, cl_rank(b, row) - 1)), cl_item(OUT, 2)));
}

VJP(matmul)
{
    Arg x = args[0], y = args[1];
    Dims xs = cl_shape(b, x), ys = cl_shape(b, y);
    if (xs.n == 1 && ys.n == 1) {
        GIVE(0, MUL(g, y));
        GIVE(1, MUL(g, x));
        return;
    }
    if (xs.n == 1) { /* [k] times [.., k, n] gives [.., n] */
        Arg row = cl_unsqueeze(b, g, cl_rank(b, g) - 1);
        if (vjp_wants(v, x)) {
            Dims outer = cl_all_dims(ys.n - 2), last = DIMS1(ys.n - 1);
            Arg all = cl_reduce(b, PRIM_sum, MUL(y, row), &last, false);
            vjp_give(v, x, outer.n ? cl_reduce(b, PRIM_sum, all, &outer, false) : all);
        }
        GIVE(1, MUL(row, cl_unsqueeze(b, x, 1)));
        return;
    }
    if (ys.n == 1) { /* [.., m, k] times [k] gives [.., m] */
        Arg column = cl_unsqueeze(b, g, cl_rank(b, g));
        Dims outer = cl_all_dims(xs.n - 1);
        GIVE(0, MUL(column, y));
        GIVE(1, cl_reduce(b, PRIM_sum, MUL(x, column), &outer, false));
        return;
    }
    GIVE(0, cl_mm(b, g, transposed(b, y)));
    GIVE(1, cl_mm(b, transposed(b, x), g));
}

/* x with all dimensions but the last as one. */
static Arg rows_of(Build *b, Arg x)
{
    uint32_t rank = cl_rank(b, x);
    Dims flat = {.n = 2, .v = {1, cl_size(b, x, rank - 1)}};
    for (uint32_t i = 0; i + 1 < rank; i++)
        flat.v[0] *= cl_size(b, x, i);
    return rank == 2 ? x : cl_reshape(b, x, &flat);
}

VJP(linear)
{
    Dims shape = cl_shape(b, args[0]), outer = DIMS1(0);
    Arg rows = rows_of(b, g);
    GIVE(0, cl_reshape(b, cl_mm(b, rows, args[1]), &shape));
    GIVE(1, cl_mm(b, transposed(b, rows), rows_of(b, args[0])));
    if (GIVEN(args[2]))
        GIVE(2, TO(cl_reduce(b, PRIM_sum, cl_opmath_of(b, rows), &outer, false), cl_dtype(b, g)));
}

VJP(convolution)
{
    Arg bias = GIVEN(args[2]) ? TUPLE(I(cl_size(b, args[2], 0))) : A_NONE;
    Arg mask = TUPLE(A_BOOL(vjp_wants(v, args[0])), A_BOOL(vjp_wants(v, args[1])),
                     A_BOOL(vjp_wants(v, args[2])));
    Arg r = CALL("convolution_backward", g, args[0], args[1], bias, args[3], args[4], args[5],
                 args[6], args[7], args[8], mask);
    for (uint32_t i = 0; i < 3; i++)
        vjp_give(v, args[i], cl_item(r, i));
}
