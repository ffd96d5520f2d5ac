/*
 * torch_loss.c - decompositions of losses and distances.
 *
 * A loss is computed element by element in the computation dtype, then averaged, summed or left as
 * it is; `reduction` is a word in torch and a number (0 none, 1 mean, 2 sum) in ATen.
 */
#include "notation.h"

#include <math.h>

typedef enum Reduction { LOSS_none, LOSS_mean, LOSS_sum, LOSS_batchmean } Reduction;

static Reduction reduction_of(Build *b, Arg x, int arg)
{
    static const char *const words[] = {"none", "mean", "sum", "batchmean"};
    if (x.kind == ARG_int && x.i >= 0 && x.i <= 2)
        return (Reduction)x.i;
    for (int i = 0; i < 4; i++)
        if (x.kind == ARG_str && str_is(arg_str(x), words[i]))
            return (Reduction)i;
    build_error(b, arg, "not a valid value for reduction: 'none', 'mean' or 'sum' is");
    return LOSS_none;
}

static Arg all_sum(Build *b, Arg x)
{
    Dims all = cl_all_dims(cl_rank(b, x));
    return cl_reduce(b, PRIM_sum, x, &all, false);
}

static Arg reduced(Build *b, Arg loss, Arg reduction, int arg, DType out)
{
    Reduction r = reduction_of(b, reduction, arg);
    Dims all = cl_all_dims(cl_rank(b, loss));
    if (r == LOSS_mean)
        loss = cl_mean(b, loss, &all, false);
    else if (r == LOSS_sum)
        loss = all_sum(b, loss);
    else if (r == LOSS_batchmean)
        loss = DIV(all_sum(b, loss), F((double)cl_size(b, loss, 0)));
    return TO(loss, out);
}

static void same_shape(Build *b, Arg x, Arg y, int arg)
{
    Dims sx = cl_shape(b, x), sy = cl_shape(b, y);
    bool equal = sx.n == sy.n;
    for (uint32_t i = 0; equal && i < sx.n; i++)
        equal = sx.v[i] == sy.v[i];
    if (!equal)
        build_error(b, arg, "target size must be the same as input size");
}

/* ------------------------------------------------------------------------------ elementwise losses
 */

DECOMPOSE(d_mse_loss)
{
    Arg xs[2] = {args[0], args[1]};
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    Arg loss = cl_square(b, SUB(xs[0], xs[1]));
    if (GIVEN(args[3]))
        loss = MUL(loss, args[3]);
    return reduced(b, loss, args[2], 2, out);
}

DECOMPOSE(d_l1_loss)
{
    Arg xs[2] = {args[0], args[1]};
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    Arg loss = ABS(SUB(xs[0], xs[1]));
    if (GIVEN(args[3]))
        loss = MUL(loss, args[3]);
    return reduced(b, loss, args[2], 2, dtype_real(out));
}

DECOMPOSE(d_smooth_l1_loss)
{
    Arg xs[2] = {args[0], args[1]}, beta = args[3];
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    double limit = cl_float(b, beta);
    if (limit < 0)
        build_error(b, 3, "smooth_l1_loss does not support negative values for beta.");
    Arg error = ABS(SUB(xs[0], xs[1]));
    if (limit == 0)
        return reduced(b, error, args[2], 2, out);
    Arg small = DIV(MUL(MUL(F(0.5), error), error), beta);
    return reduced(b, WHERE(LT(error, beta), small, SUB(error, F(0.5 * limit))), args[2], 2, out);
}

DECOMPOSE(d_huber_loss)
{
    Arg xs[2] = {args[0], args[1]}, delta = args[3];
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    double limit = cl_float(b, delta);
    if (limit <= 0)
        build_error(b, 3, "huber_loss does not support non-positive values for delta.");
    Arg error = ABS(SUB(xs[0], xs[1]));
    Arg small = MUL(MUL(F(0.5), error), error);
    Arg loss = WHERE(LE(error, delta), small, MUL(delta, SUB(error, F(0.5 * limit))));
    if (GIVEN(args[4]))
        loss = MUL(loss, args[4]);
    return reduced(b, loss, args[2], 2, out);
}

DECOMPOSE(d_kl_div)
{
    Arg xs[2] = {args[0], args[1]};
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    Arg x = xs[0], t = xs[1], loss;
    if (cl_truth(b, args[3]))
        loss = MUL(EXP(t), SUB(t, x));
    else
        loss = SUB(CALL("xlogy", t, t), MUL(t, x));
    return reduced(b, loss, args[2], 2, out);
}

/* Logarithms no lower than -100, so that a certain mistake has a finite loss. */
DECOMPOSE(d_binary_cross_entropy)
{
    Arg xs[2] = {args[0], args[1]};
    same_shape(b, args[0], args[1], 1);
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    Arg x = xs[0], t = xs[1];
    Arg yes = cl_clamp(b, LOG(x), F(-100), A_NONE);
    Arg no = cl_clamp(b, LOG1P(NEG(x)), F(-100), A_NONE);
    Arg loss = SUB(MUL(SUB(t, F(1)), no), MUL(t, yes));
    if (GIVEN(args[2]))
        loss = MUL(loss, args[2]);
    return reduced(b, loss, args[3], 3, out);
}

DECOMPOSE(d_bce_with_logits)
{
    Arg xs[2] = {args[0], args[1]};
    same_shape(b, args[0], args[1], 1);
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    Arg x = xs[0], t = xs[1];
    Arg log_sigmoid = CALL("logsigmoid", x);
    Arg miss = MUL(SUB(F(1), t), x);
    if (GIVEN(args[4]))
        log_sigmoid = MUL(log_sigmoid, ADD(MUL(SUB(args[4], F(1)), t), F(1)));
    Arg loss = SUB(miss, log_sigmoid);
    if (GIVEN(args[2]))
        loss = MUL(loss, args[2]);
    return reduced(b, loss, args[3], 3, out);
}

DECOMPOSE(d_soft_margin_loss)
{
    Arg xs[2] = {args[0], args[1]};
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    return reduced(b, LOG1P(EXP(NEG(MUL(xs[1], xs[0])))), args[2], 2, out);
}

DECOMPOSE(d_poisson_nll_loss)
{
    Arg xs[2] = {args[0], args[1]};
    DType out = cl_enter(b, xs, 2, PROMOTE_INT_TO_FLOAT);
    Arg x = xs[0], t = xs[1], loss;
    if (cl_truth(b, args[2]))
        loss = SUB(EXP(x), MUL(t, x));
    else
        loss = SUB(x, MUL(t, LOG(ADD(x, args[4]))));
    if (cl_truth(b, args[3])) { /* Stirling's approximation of log(t!) */
        Arg stirling =
            ADD(SUB(MUL(t, LOG(t)), t), MUL(F(0.5), LOG(MUL(F(2 * 3.14159265358979323846), t))));
        loss = ADD(loss, WHERE(GT(t, F(1)), stirling, F(0)));
    }
    return reduced(b, loss, args[5], 5, out);
}

DECOMPOSE(d_gaussian_nll_loss)
{
    Arg xs[2] = {args[0], args[1]}, var = args[2];
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    uint32_t rank = cl_rank(b, xs[0]);
    if (arg_is_tensor(b, var) && cl_rank(b, var) + 1 == rank)
        var = cl_unsqueeze(b, var, rank - 1);
    var = cl_clamp(b, cl_opmath_of(b, var), args[4], A_NONE);
    if (cl_is_number(b, var))
        var = cl_full_like(b, xs[0], var);
    Arg loss = MUL(F(0.5), ADD(LOG(var), DIV(cl_square(b, SUB(xs[0], xs[1])), var)));
    if (cl_truth(b, args[3]))
        loss = ADD(loss, F(0.91893853320467274178));
    return reduced(b, loss, args[5], 5, out);
}

/* Rounded at every step: PyTorch puts it together from single operators. */
DECOMPOSE(d_hinge_embedding_loss)
{
    Arg x = args[0], t = args[1];
    DType out = cl_dtype(b, x);
    Arg margin = WHERE(NE(t, I(1)), cl_clamp(b, CALL("sub", args[2], x), F(0), A_NONE), F(0));
    Arg self = WHERE(NE(t, I(-1)), x, F(0));
    return reduced(b, ADD(margin, self), args[3], 3, out);
}

DECOMPOSE(d_margin_ranking_loss)
{
    Arg xs[3] = {args[0], args[1], args[2]};
    DType out = cl_enter(b, xs, 3, PROMOTE_DEFAULT);
    Arg loss = ADD(MUL(NEG(xs[2]), SUB(xs[0], xs[1])), F(cl_float(b, args[3])));
    return reduced(b, cl_clamp(b, loss, I(0), A_NONE), args[4], 4,
                   dtype_is_exact(out) ? DT_f32 : out);
}

/* ------------------------------------------------------------------------------------ class losses
 */

/* Dimension of the classes: the second, or the only one of a single sample. */
static int64_t class_dim(const Build *b, Arg x)
{
    return cl_rank(b, x) == 1 ? 0 : 1;
}

typedef struct Nll {
    Arg loss;   /* of each target, ignored ones 0, in the computation dtype */
    Arg weight; /* of each target, ignored ones 0; None = all 1 */
    Arg valid;  /* bool: not ignored */
} Nll;

static bool check_target(Build *b, Arg x, Arg target)
{
    Dims sx = cl_shape(b, x), st = cl_shape(b, target);
    bool fits = sx.n > 0 && st.n + 1 == sx.n;
    int64_t dim = class_dim(b, x);
    for (uint32_t i = 0, k = 0; fits && i < sx.n; i++)
        if (i != dim)
            fits = sx.v[i] == st.v[k++];
    if (!fits)
        build_error(b, 1, "Expected target to have the shape of input without its classes");
    else if (!dtype_is_int(cl_dtype(b, target)))
        build_error(b, 1, "expected scalar type Long but found %s",
                    dtype_text(cl_dtype(b, target)));
    return !b->failed;
}

/* Targets to be ignored look up class 0 and are masked afterwards. */
static Nll nll(Build *b, Arg x, Arg target, Arg weight, Arg ignore_index)
{
    Nll r = {A_NONE, A_NONE, A_NONE};
    if (!check_target(b, x, target))
        return r;
    int64_t dim = class_dim(b, x);
    Dims one = DIMS1(dim);
    r.valid = NE(target, ignore_index);
    Arg safe = WHERE(r.valid, target, I(0));
    Arg picked =
        cl_squeeze(b, cl_gather(b, cl_opmath_of(b, x), cl_unsqueeze(b, safe, dim), dim), &one);
    r.loss = NEG(picked);
    if (GIVEN(weight)) {
        Dims flat = DIMS1(cl_numel(b, safe)), shape = cl_shape(b, safe);
        Arg w = cl_take(b, cl_opmath_of(b, weight), cl_reshape(b, safe, &flat), 0);
        r.weight = WHERE(r.valid, cl_reshape(b, w, &shape), F(0));
        r.loss = MUL(r.loss, r.weight);
    }
    r.loss = WHERE(r.valid, r.loss, F(0));
    return r;
}

static Arg total_weight(Build *b, const Nll *n)
{
    if (GIVEN(n->weight))
        return all_sum(b, n->weight);
    return TO(all_sum(b, TO(n->valid, DT_i64)), cl_dtype(b, n->loss));
}

static Arg nll_reduced(Build *b, const Nll *n, Arg reduction, int arg, DType out)
{
    Reduction r = reduction_of(b, reduction, arg);
    if (r == LOSS_none || b->failed)
        return TO(n->loss, out);
    Arg sum = all_sum(b, n->loss);
    return TO(r == LOSS_mean ? DIV(sum, total_weight(b, n)) : sum, out);
}

DECOMPOSE(d_nll_loss)
{
    Nll n = nll(b, args[0], args[1], args[2], args[3]);
    return nll_reduced(b, &n, args[4], 4, cl_dtype(b, args[0]));
}

DECOMPOSE(d_nll_loss_forward)
{
    Nll n = nll(b, args[0], args[1], args[2], args[4]);
    DType d = cl_dtype(b, args[0]);
    Dims scalar = {0};
    bool none = reduction_of(b, args[3], 3) == LOSS_none;
    Arg total = none ? cl_full(b, &scalar, F(0), cl_device(b, args[0]), d) : total_weight(b, &n);
    return TUPLE(nll_reduced(b, &n, args[3], 3, d), TO(total, d));
}

/* A vector of class weights in its place in the shape of x. */
static Arg class_weight(Build *b, Arg weight, Arg x)
{
    Dims shape = {.n = cl_rank(b, x)};
    for (uint32_t i = 0; i < shape.n; i++)
        shape.v[i] = i == class_dim(b, x) ? cl_numel(b, weight) : 1;
    return cl_reshape(b, cl_opmath_of(b, weight), &shape);
}

/* Targets given as probabilities of classes. */
static Arg cross_entropy_soft(Build *b, Arg logs, const Arg *args, DType out)
{
    int64_t dim = class_dim(b, logs), classes = cl_size(b, logs, dim);
    Arg target = cl_opmath_of(b, args[1]);
    double smoothing = cl_float(b, args[7]);
    same_shape(b, logs, target, 1);
    if (smoothing > 0)
        target = ADD(MUL(target, F(1 - smoothing)), F(smoothing / (double)classes));
    Arg loss = MUL(logs, target);
    if (GIVEN(args[2]))
        loss = MUL(loss, class_weight(b, args[2], logs));
    loss = NEG(cl_sum(b, loss, dim, false));
    if (reduction_of(b, args[6], 6) == LOSS_mean)
        return TO(DIV(all_sum(b, loss), F((double)(cl_numel(b, logs) / (classes ? classes : 1)))),
                  out);
    return reduced(b, loss, args[6], 6, out);
}

/* The part of label smoothing that all classes share. */
static Arg smooth_part(Build *b, Arg logs, const Nll *n, Arg weight, Arg reduction)
{
    int64_t dim = class_dim(b, logs);
    Arg terms = GIVEN(weight) ? MUL(logs, class_weight(b, weight, logs)) : logs;
    Arg loss = WHERE(n->valid, NEG(cl_sum(b, terms, dim, false)), F(0));
    Reduction r = reduction_of(b, reduction, 6);
    if (r == LOSS_none)
        return loss;
    return r == LOSS_sum ? all_sum(b, loss) : DIV(all_sum(b, loss), total_weight(b, n));
}

DECOMPOSE(d_cross_entropy)
{
    Arg x = args[0], target = args[1];
    double smoothing = cl_float(b, args[7]);
    DType out = cl_dtype(b, x);
    if (cl_rank(b, x) == 0 || !dtype_is_float(out)) {
        build_error(b, 0, "cross_entropy expects a float input with a dimension of classes");
        return A_NONE;
    }
    int64_t dim = class_dim(b, x), classes = cl_size(b, x, dim);
    if (smoothing < 0 || smoothing > 1)
        build_error(b, 7, "label_smoothing must be between 0.0 and 1.0. Got: %g", smoothing);
    Arg logs = CALL("log_softmax", cl_opmath_of(b, x), I(dim));
    if (dtype_is_float(cl_dtype(b, target)))
        return cross_entropy_soft(b, logs, args, out);
    if (smoothing == 0)
        return TO(CALL("nll_loss", logs, target, args[2], args[4], args[6]), out);
    Nll n = nll(b, logs, target, args[2], args[4]);
    Arg hard = nll_reduced(b, &n, args[6], 6, cl_dtype(b, logs));
    Arg smooth = smooth_part(b, logs, &n, args[2], args[6]);
    return TO(ADD(MUL(hard, F(1 - smoothing)), MUL(smooth, F(smoothing / (double)classes))), out);
}

DECOMPOSE(d_multi_margin_loss)
{
    Arg x = args[0], target = args[1];
    double p = cl_float(b, args[2]);
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    bool single = cl_rank(b, x) < 2;
    if (single) {
        Dims row = {.n = 2, .v = {1, cl_numel(b, x)}}, one = DIMS1(1);
        x = cl_reshape(b, x, &row);
        target = cl_reshape(b, target, &one);
    }
    int64_t classes = cl_size(b, x, 1);
    Arg at = cl_unsqueeze(b, target, 1), right = cl_gather(b, x, at, 1);
    Arg margin = cl_clamp(b, ADD(SUB(args[3], right), x), F(0), A_NONE);
    if (p == 2)
        margin = cl_square(b, margin);
    if (GIVEN(args[4]))
        margin = MUL(margin, cl_unsqueeze(b, cl_take(b, cl_opmath_of(b, args[4]), target, 0), 1));
    Arg other = NE(cl_range(b, classes, cl_device(b, x)), at);
    Arg loss = DIV(cl_sum(b, WHERE(other, margin, F(0)), 1, false), F((double)classes));
    if (single)
        loss = cl_squeeze(b, loss, &DIMS1(0));
    return reduced(b, loss, args[5], 5, out);
}

/* Targets are class numbers up to the first -1 of each row. */
DECOMPOSE(d_multilabel_margin_loss)
{
    Arg x = args[0], target = args[1];
    same_shape(b, x, target, 1);
    DType out = cl_enter(b, &x, 1, PROMOTE_DEFAULT);
    bool single = cl_rank(b, x) < 2;
    if (single) {
        Dims row = {.n = 2, .v = {1, cl_numel(b, x)}};
        x = cl_reshape(b, x, &row);
        target = cl_reshape(b, target, &row);
    }
    int64_t n = cl_size(b, x, 1);
    Device dev = cl_device(b, x);
    cl_assert(b, AND(GE(target, I(-1)), LT(target, I(n))), "argument 'target' is out of range");
    Arg ended = GT(CALL("cumsum", TO(LT(target, I(0)), DT_i64), I(1)), I(0));
    Arg valid = NOT(ended), safe = WHERE(valid, target, I(0));
    Arg classes = cl_range(b, n, dev); /* one-hot rows of valid targets: [batch, target, class] */
    Arg hot = AND(EQ(cl_unsqueeze(b, safe, 2), classes), cl_unsqueeze(b, valid, 2));
    Arg is_target = cl_reduce(b, PRIM_any, hot, &DIMS1(1), false);
    Arg right = cl_gather(b, x, safe, 1);
    Arg margin =
        cl_clamp(b, ADD(SUB(F(1), cl_unsqueeze(b, right, 2)), cl_unsqueeze(b, x, 1)), F(0), A_NONE);
    Arg counts = AND(cl_unsqueeze(b, valid, 2), NOT(cl_unsqueeze(b, is_target, 1)));
    Dims inner = {.n = 2, .v = {1, 2}};
    Arg loss = cl_reduce(b, PRIM_sum, WHERE(counts, margin, F(0)), &inner, false);
    loss = DIV(loss, F((double)n));
    if (single)
        loss = cl_squeeze(b, loss, &DIMS1(0));
    return reduced(b, loss, args[2], 2, out);
}

DECOMPOSE(d_multilabel_soft_margin_loss)
{
    Arg xs[2] = {args[0], args[1]};
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    Arg x = xs[0], t = xs[1];
    Arg yes = CALL("logsigmoid", x), no = CALL("logsigmoid", NEG(x));
    Arg loss = NEG(ADD(MUL(t, yes), MUL(SUB(F(1), t), no)));
    if (GIVEN(args[2]))
        loss = MUL(loss, args[2]);
    Dims last = DIMS1(cl_rank(b, x) ? cl_rank(b, x) - 1 : 0);
    return reduced(b, cl_mean(b, loss, &last, false), args[3], 3, out);
}

/* --------------------------------------------------------------------------------------- distances
 */

static Arg distance(Build *b, Arg x, Arg y, Arg p, Arg eps, bool keepdim)
{
    Arg gap = ADD(SUB(x, y), eps);
    uint32_t rank = cl_rank(b, gap);
    return CALL("linalg_vector_norm", gap, p, rank ? I(rank - 1) : A_NONE, A_BOOL(keepdim));
}

DECOMPOSE(d_pairwise_distance)
{
    return distance(b, args[0], args[1], args[2], args[3], cl_truth(b, args[4]));
}

static Arg cosine(Build *b, Arg x, Arg y, int64_t dim, double eps)
{
    Arg xx = cl_sum(b, MUL(x, x), dim, true), yy = cl_sum(b, MUL(y, y), dim, true);
    Arg nx = cl_clamp(b, SQRT(xx), F(eps), A_NONE), ny = cl_clamp(b, SQRT(yy), F(eps), A_NONE);
    return cl_sum(b, MUL(DIV(x, nx), DIV(y, ny)), dim, false);
}

DECOMPOSE(d_cosine_similarity)
{
    Arg xs[2] = {args[0], args[1]};
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    Dims shape = cl_broadcast_shapes(b, xs, 2);
    if (!dtype_is_float(out))
        build_error(b, 0, "expected common dtype to be floating point, yet common dtype is %s",
                    dtype_text(out));
    int64_t dim = cl_dim(b, cl_int(b, args[2], 2), shape.n, 2);
    Arg x = cl_broadcast_to(b, xs[0], &shape), y = cl_broadcast_to(b, xs[1], &shape);
    return TO(cosine(b, x, y, dim, cl_float(b, args[3])), out);
}

DECOMPOSE(d_cosine_embedding_loss)
{
    Arg xs[2] = {args[0], args[1]}, t = args[2];
    DType out = cl_enter(b, xs, 2, PROMOTE_DEFAULT);
    uint32_t rank = cl_rank(b, t);
    Arg x = xs[0], y = xs[1], eps = F(1e-12);
    Arg xx = ADD(cl_sum(b, MUL(x, x), rank, false), eps);
    Arg yy = ADD(cl_sum(b, MUL(y, y), rank, false), eps);
    Arg cos = DIV(cl_sum(b, MUL(x, y), rank, false), SQRT(MUL(xx, yy)));
    Arg apart = cl_clamp(b, SUB(cos, args[3]), F(0), A_NONE);
    Arg loss = ADD(WHERE(EQ(t, I(1)), SUB(F(1), cos), F(0)), WHERE(EQ(t, I(-1)), apart, F(0)));
    return reduced(b, loss, args[4], 4, out);
}

DECOMPOSE(d_triplet_margin_loss)
{
    if (cl_float(b, args[3]) <= 0)
        build_error(b, 3, "Expected margin to be greater than 0, got %g instead",
                    cl_float(b, args[3]));
    Arg far = distance(b, args[0], args[2], args[4], args[5], false);
    Arg near = distance(b, args[0], args[1], args[4], args[5], false);
    if (cl_truth(b, args[6]))
        far = MIN(far, distance(b, args[1], args[2], args[4], args[5], false));
    DType out = cl_dtype(b, near);
    Arg loss = cl_clamp(b, SUB(ADD(args[3], near), far), I(0), A_NONE);
    return reduced(b, loss, args[7], 7, out);
}

/* Only the distance that is the default can be named in a program's text. */
DECOMPOSE(d_triplet_with_distance)
{
    if (GIVEN(args[3]))
        build_error(b, 3, "a distance function of one's own is not supported");
    const Arg call[8] = {args[0], args[1], args[2], args[4], F(2), F(1e-06), args[5], args[6]};
    for (int i = 1; i < 3; i++)
        same_shape(b, args[0], args[i], i);
    reduction_of(b, args[6], 6);
    return b->failed ? A_NONE : cl_call(b, "ltorch.triplet_margin_loss", call, 8);
}
