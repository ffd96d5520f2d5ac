/*
 * grad_augment.c - composites whose gradient wants more of the forward part than its result.
 *
 *     y = ltorch.group_norm(x, 2)   ->   (y, mean, rstd) = ltorch.native_group_norm(x, ...)
 *
 * Opened, they would keep what lies inside: attention a number for every pair of positions, a loss
 * the places that it picked. The call that stands in their place gives what the rule of the whole
 * reads instead. The rules hold for common uses only (random numbers of a known seed, statistics
 * that have no gradient of their own); other nodes are opened as before.
 */
#include "vjp.h"

#include <string.h>

static bool is_op(const Node *n, const char *name)
{
    return n->op->language == LANG_torch && strcmp(n->op->name, name) == 0;
}

static bool is_active(Arg a, const bool *active)
{
    return arg_is_value(a) && active[a.v];
}

/* Whether result number k of the node is read by nobody in the forward part. */
static bool unread(const Node *n, uint32_t k, const bool *needed)
{
    return arg_is_seq(n->out) && k < n->out.n &&
           (!arg_is_value(n->out.items[k]) || !needed[n->out.items[k].v]);
}

/* ------------------------------------------------------------------------------------ attention */

/* Equal batches and heads; each head of x may serve several of q. */
static bool batches_fit(const Type *q, const Type *x, bool shared)
{
    bool same = q->rank == x->rank && q->rank >= 2 && q->dtype == x->dtype;
    for (uint32_t i = 0; same && i + 2 < q->rank; i++)
        same = q->shape[i] == x->shape[i] || (shared && i + 3 == q->rank && x->shape[i] > 0 &&
                                              q->shape[i] % x->shape[i] == 0);
    return same;
}

/* Whether a gradient knows what dropout has kept: nothing was dropped, or some by numbers whose
 * seed and offset stand in the program. */
static bool dropout_fits(Arg p, Arg seed, Arg offset)
{
    double rate = p.kind == ARG_float ? p.f : p.kind == ARG_int ? (double)p.i : -1;
    return rate == 0 ||
           (rate > 0 && rate < 1 && seed.kind == ARG_int && offset.kind == ARG_int);
}

static bool attention_fits(const Trace *t, const Arg *args, bool shared)
{
    const Type *q = &t->values[args[0].v].type, *k = &t->values[args[1].v].type;
    const Type *v = &t->values[args[2].v].type;
    bool same_keys = k->rank < 3 || v->rank != k->rank ||
                     k->shape[k->rank - 3] == v->shape[k->rank - 3];
    return batches_fit(q, k, shared) && batches_fit(q, v, shared) && same_keys &&
           type_numel(k) && type_numel(q);
}

VJP(_scaled_dot_product_flash_attention_for_cpu)
{
    if (vjp_wants(v, args[5])) {
        Arg yes = A_BOOL(true), all = TUPLE(yes, yes, yes, yes);
        Arg r = CALL("_scaled_dot_product_efficient_attention_backward", g, args[0], args[1],
                     args[2], args[5], cl_item(OUT, 0), cl_item(OUT, 1), args[7], args[8], args[3],
                     all, args[4], args[6]);
        const uint32_t to[4] = {0, 1, 2, 5};
        for (uint32_t i = 0; i < 4; i++)
            vjp_give(v, args[to[i]], cl_item(r, i));
        return;
    }
    Arg r = CALL("_scaled_dot_product_flash_attention_for_cpu_backward", g, args[0], args[1],
                 args[2], cl_item(OUT, 0), cl_item(OUT, 1), args[3], args[4], args[5], args[6],
                 args[7], args[8]);
    for (uint32_t i = 0; i < 3; i++)
        vjp_give(v, args[i], cl_item(r, i));
}

static bool augment_attention(Build *b, const Node *n, const bool *active, Arg *result)
{
    (void)active;
    const Arg *args = n->args;
    const Node *draw = node_draw(n);
    Arg seed = draw ? draw->args[5] : A_NONE, offset = draw ? draw->args[6] : A_NONE;
    bool shared = args[7].kind == ARG_bool && args[7].i;
    if (!attention_fits(b->t, args, shared) || !dropout_fits(args[4], seed, offset))
        return false;
    *result = CALL("_scaled_dot_product_flash_attention_for_cpu", args[0], args[1], args[2],
                   args[4], args[5], args[3], args[6], seed, offset);
    return true;
}

/* ---------------------------------------------------------------------------------------- norms */

VJP(native_group_norm)
{
    Arg mask = TUPLE(A_BOOL(vjp_wants(v, args[0])), A_BOOL(vjp_wants(v, args[1])),
                     A_BOOL(vjp_wants(v, args[2])));
    Arg r = CALL("native_group_norm_backward", g, args[0], cl_item(OUT, 1), cl_item(OUT, 2),
                 args[1], args[3], args[4], args[5], args[6], mask);
    for (uint32_t i = 0; i < 3; i++)
        vjp_give(v, args[i], cl_item(r, i));
}

static bool augment_group_norm(Build *b, const Node *n, const bool *active, Arg *result)
{
    (void)active;
    const Arg *args = n->args;
    Dims shape = cl_shape(b, args[0]);
    int64_t area = 1;
    for (uint32_t i = 2; i < shape.n; i++)
        area *= shape.v[i];
    if (shape.n < 2 || cl_numel(b, args[0]) == 0)
        return false;
    *result = CALL("native_group_norm", args[0], args[2], args[3], I(shape.v[0]), I(shape.v[1]),
                   I(area), args[1], args[4]);
    return true;
}

/* By running statistics, which are no functions of the input. */
VJP(batch_norm)
{
    Arg mask = TUPLE(A_BOOL(vjp_wants(v, args[0])), A_BOOL(vjp_wants(v, args[3])),
                     A_BOOL(vjp_wants(v, args[4])));
    Arg r = CALL("native_batch_norm_backward", g, args[0], args[3], args[1], args[2], A_NONE,
                 A_NONE, A_BOOL(false), args[7], mask);
    vjp_give(v, args[0], cl_item(r, 0));
    vjp_give(v, args[3], cl_item(r, 1));
    vjp_give(v, args[4], cl_item(r, 2));
}

static bool batch_norm_fits(const Trace *t, const Node *n, const bool *active)
{
    const Arg *args = n->args;
    return type_numel(&t->values[args[0].v].type) && args[5].kind == ARG_bool && !args[5].i &&
           arg_is_value(args[1]) && arg_is_value(args[2]) && !is_active(args[1], active) &&
           !is_active(args[2], active);
}

/* ----------------------------------------------------------------------------------------- loss */

VJP(nll_loss_forward)
{
    GIVE(0, CALL("nll_loss_backward", g, args[0], args[1], args[2], args[3], args[4],
                 cl_item(OUT, 1)));
}

static bool augment_nll_loss(Build *b, const Node *n, const bool *active, Arg *result)
{
    const Arg *args = n->args;
    if (is_active(args[2], active) || cl_numel(b, args[0]) == 0)
        return false;
    *result = CALL("nll_loss_forward", args[0], args[1], args[2], args[4], args[3]);
    return true;
}

/* ----------------------------------------------------------------------------------- the tables */

bool composite_augment(Build *b, const Node *n, const bool *active, Arg *result)
{
    static const struct {
        const char *name;
        bool (*augment)(Build *b, const Node *n, const bool *active, Arg *result);
    } table[] = {{"group_norm", augment_group_norm},
                 {"nll_loss", augment_nll_loss},
                 {"scaled_dot_product_attention", augment_attention}};
    for (size_t i = 0; n->out.kind == ARG_value && i < ARRAY_LEN(table); i++)
        if (is_op(n, table[i].name))
            return table[i].augment(b, n, active, result);
    return false;
}

bool composite_fits(const Trace *t, const Node *n, const bool *active, const bool *needed)
{
    if (is_op(n, "_scaled_dot_product_flash_attention_for_cpu"))
        return unread(n, 1, needed) && attention_fits(t, n->args, true) &&
               dropout_fits(n->args[3], n->args[7], n->args[8]);
    if (is_op(n, "native_group_norm"))
        return unread(n, 1, needed) && unread(n, 2, needed);
    if (is_op(n, "huber_loss"))
        return !is_active(n->args[4], active);
    if (is_op(n, "pow"))
        return arg_is_value(n->args[0]) && arg_is_number(n->args[1]) &&
               n->args[1].kind != ARG_complex;
    if (is_op(n, "nll_loss_forward"))
        return !is_active(n->args[2], active);
    return !is_op(n, "batch_norm") || batch_norm_fits(t, n, active);
}
