/* attention.c - reads attention nodes and finds memory for them; see attention.h. */
#include "attention.h"

#include "attention_kernel.h"
#include "attention_op.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct AttentionNode {
    const AttentionOp *op;
    Attention a; /* all but the addresses and strides */
    ValueId in[7], out[3];
    const Type *out_type[3];
    float *scratch;
    size_t size;
};

/* -------------------------------------------------------------------------------------- reading */

static bool number(Arg a, double fallback, double *out)
{
    *out = a.kind == ARG_float ? a.f : a.kind == ARG_int ? (double)a.i : fallback;
    return a.kind == ARG_float || a.kind == ARG_int || arg_is_none(a);
}

/* Equal leading sizes; of key and value the last may divide that of the query (GQA). */
static bool same_leading(const Type *q, const Type *x, bool gqa)
{
    if (x->rank != q->rank)
        return false;
    for (uint32_t i = 0; i + 2 < q->rank; i++) {
        bool head = gqa && i + 3 == q->rank && x->shape[i] > 0;
        if (x->shape[i] != q->shape[i] && !(head && q->shape[i] % x->shape[i] == 0))
            return false;
    }
    return true;
}

static bool mask_fits(const Type *q, const Type *k, const Type *mask)
{
    bool right = mask->dtype == DT_b8 || mask->dtype == DT_f32 || mask->dtype == DT_bf16;
    if (mask->kind == VALUE_any)
        return true;
    if (!right || mask->rank > q->rank || mask->rank < 1)
        return false;
    for (uint32_t i = 0; i < mask->rank; i++) {
        uint32_t at = i + q->rank - mask->rank;
        int64_t size = at + 1 == q->rank ? k->shape[k->rank - 2] : q->shape[at];
        if (mask->shape[i] != 1 && mask->shape[i] != size)
            return false;
    }
    return true;
}

static const char *objection(const Trace *t, NodeId n, const AttentionOp *op)
{
    const Node *node = &t->nodes[n];
    const Type *q = attention_type(t, node, op->q), *k = attention_type(t, node, op->k);
    const Type *v = attention_type(t, node, op->v), *mask = attention_type(t, node, op->mask);
    bool gqa = op->gqa >= 0 && node->args[op->gqa].i;
    AttentionDrop drop;
    double unused;
    if (q->kind != VALUE_tensor || k->kind != VALUE_tensor || v->kind != VALUE_tensor)
        return "an operand is no tensor";
    if ((q->dtype != DT_f32 && q->dtype != DT_bf16) || k->dtype != q->dtype ||
        v->dtype != q->dtype)
        return "takes attention in f32 and bf16 only";
    if (q->rank < 2 || q->rank > MAX_LEADING + 2 || !same_leading(q, k, gqa && q->rank > 2) ||
        !same_leading(q, v, gqa && q->rank > 2))
        return "batches or heads of query, key and value differ";
    if (gqa && q->rank > 2 && k->shape[k->rank - 3] != v->shape[v->rank - 3])
        return "key and value have different numbers of heads";
    if (op->nout == 4)
        return "a mask's gradient is a number for each score";
    if (type_numel(q) == 0 || type_numel(k) == 0 || type_numel(v) == 0)
        return "an operand is empty";
    if (!attention_drop(t, n, op, &drop))
        return "the numbers of its dropout are not known";
    if (!number(node->args[op->scale], 0, &unused) || node->args[op->causal].kind != ARG_bool)
        return "the scale is not known";
    if (type_numel(q) * k->shape[k->rank - 2] < ATTENTION_MIN_WORK)
        return "attention this small does not pay for blocks";
    return mask_fits(q, k, mask) ? NULL : "the mask is of another size or type";
}

bool attention_takes(const Trace *t, NodeId n, StrBuf *why_not)
{
    const Node *node = &t->nodes[n];
    const AttentionOp *op = attention_op(node->op);
    ValueId outs[3];
    const char *why = !op ? "is no attention" : objection(t, n, op);
    if (!why && arg_values(node->out, outs, 3) != op->nout)
        why = "a result is not wanted";
    if (why)
        sb_puts(why_not, why);
    return !why;
}

AttentionNode *attention_new(const Trace *t, NodeId n)
{
    const Node *node = &t->nodes[n];
    const AttentionOp *op = attention_op(node->op);
    AttentionNode *x = calloc(1, sizeof *x);
    if (!x)
        abort();
    const Type *q = attention_type(t, node, op->q), *k = attention_type(t, node, op->k);
    const Type *v = attention_type(t, node, op->v);
    const int args[7] = {op->q, op->k, op->v, op->mask, op->grad, op->out, op->logs};
    uint32_t r = q->rank;
    Attention *a = &x->a;
    double scale;
    x->op = op;
    for (int i = 0; i < 7; i++)
        if (attention_type(t, node, args[i])->kind == VALUE_tensor)
            x->in[i] = node->args[args[i]].v;
    arg_values(node->out, x->out, 3);
    for (uint32_t i = 0; i < op->nout; i++)
        x->out_type[i] = &t->values[x->out[i]].type;
    *a = (Attention){.nleading = r - 2, .group = 1};
    for (uint32_t i = 0; i + 2 < r; i++)
        a->leading[i] = q->shape[i];
    if (r > 2)
        a->group = q->shape[r - 3] / k->shape[r - 3];
    a->queries = q->shape[r - 2];
    a->keys = k->shape[r - 2];
    a->width = q->shape[r - 1];
    a->value_width = v->shape[r - 1];
    number(node->args[op->scale], 1 / sqrt((double)a->width), &scale);
    a->scale = (float)scale;
    a->causal = node->args[op->causal].i != 0;
    attention_drop(t, n, op, &a->drop);
    return x;
}

void attention_free(AttentionNode *a)
{
    if (!a)
        return;
    free(a->scratch);
    free(a);
}

/* ------------------------------------------------------------------------------------ launching */

/* matrix: the last two dimensions are rows and columns; else the last one is rows. */
static AttentionTensor over(const Attention *a, const Tensor *x, bool matrix)
{
    AttentionTensor t = {.p = tensor_data(x)};
    uint32_t inner = matrix ? 2 : 1;
    t.type = x->dtype == DT_bf16 ? ATTENTION_bf16
             : x->dtype == DT_b8 ? ATTENTION_bool
                                 : ATTENTION_f32;
    int64_t strides[MAX_LEADING + 2] = {0};
    uint32_t rank = a->nleading + inner;
    for (uint32_t i = 0; i < x->rank && i < rank; i++)
        strides[rank - 1 - i] =
            x->shape[x->rank - 1 - i] == 1 ? 0 : x->strides[x->rank - 1 - i];
    memcpy(t.leading, strides, a->nleading * sizeof *strides);
    t.row = strides[a->nleading];
    t.col = matrix ? strides[a->nleading + 1] : 0;
    return t;
}

static bool failed(ExecCall *call, const char *code, const char *what, ValueId v)
{
    diag_error(call->diag, DIAG_compile, (Span){0}, code, "%s %.*s", what,
               STR(value_get(call->t, v)->name));
    return false;
}

static bool take_operands(AttentionNode *x, ExecCall *call, Attention *a)
{
    AttentionTensor *to[7] = {&a->q, &a->k, &a->v, &a->mask, &a->grad, &a->out, &a->lse};
    for (int i = 0; i < 7; i++) {
        if (!x->in[i])
            continue;
        const Tensor *t = call->values[x->in[i]];
        const Type *type = &value_get(call->t, x->in[i])->type;
        if (!t || !tensor_is_of(t, type))
            return failed(call, "no-value", "there is no value of its type for", x->in[i]);
        *to[i] = over(a, t, i != 6);
    }
    return true;
}

static bool take_results(AttentionNode *x, ExecCall *call, Attention *a)
{
    bool gradient = x->op->grad >= 0;
    AttentionTensor *to[3] = {gradient ? &a->dq : &a->out, gradient ? &a->dk : &a->lse, &a->dv};
    for (uint32_t i = 0; i < x->op->nout; i++) {
        Tensor **place = &call->values[x->out[i]];
        const Type *type = x->out_type[i];
        if (*place && !tensor_is_contiguous(*place)) {
            tensor_unref(*place);
            *place = NULL;
        }
        if (!*place)
            *place = tensor_new((DType)type->dtype, type->device, type->rank, type->shape);
        if (!*place)
            return failed(call, "out-of-memory", "not enough memory for", x->out[i]);
        *to[i] = over(a, *place, gradient || i == 0);
    }
    return true;
}

/* Scratch memory of the size that the present number of threads needs; kept between launches. */
static bool find_scratch(AttentionNode *x)
{
    size_t bytes = attention_scratch(&x->a, x->op->grad >= 0) * sizeof(float);
    if (bytes <= x->size)
        return true;
    free(x->scratch);
    x->scratch = aligned_alloc(64, (bytes + 63) / 64 * 64);
    x->size = x->scratch ? bytes : 0;
    return x->scratch != NULL;
}

bool attention_launch(AttentionNode *x, ExecCall *call)
{
    Attention a = x->a;
    if (!take_operands(x, call, &a) || !take_results(x, call, &a))
        return false;
    if (!find_scratch(x))
        return failed(call, "out-of-memory", "not enough scratch memory for", x->out[0]);
    if (x->op->grad >= 0)
        attention_backward(&a, x->scratch, call->interrupt);
    else
        attention_forward(&a, x->scratch, call->interrupt);
    return true;
}
