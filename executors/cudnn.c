/*
 * cudnn.c - the executor of attention and convolutions on a GPU, by cuDNN.
 *
 * Input: the composites of attention, whole, in f16 or bf16; convolutions (cudnn_conv_kernel.c).
 * Output: attention by one fused kernel that keeps no scores. What cuDNN does not take (most masks,
 * other dtypes) is left to the next executor; the reason is in the rule log. What it has no plan
 * for on this device runs by the kernel of flash.
 */
#include "attention_op.h"
#include "cuda_side.h"
#include "cudnn_attention.h"
#include "cudnn_conv.h"
#include "executors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_IN = 7, MAX_OUT = 3, MAX_WIDTH = 256 };
enum { FEW_POSITIONS = 64, FEW_HEADS = 132 }; /* of attention */

/* Scores are taken times log2(e) in f32, where finite ones below this would become -inf. */
static const double least_added = -2e38;

typedef struct DnKernel {
    DnKind kind;
    Arena arena;
    OpenDevice *device;
    Dn *dn;
    DnAttention a;
    ValueId in[MAX_IN], out[MAX_OUT]; /* in the order of a plan's arguments */
    int which[MAX_IN];                /* DnStrided of each operand; -1 = dense */
    Type in_type[MAX_IN], out_type[MAX_OUT];
    uint32_t nin, nout;
    CudaSide side; /* makes the mask what the library adds; made when it is needed */
    Kernel *instead; /* our own, when the library has no plan */
    CompileOptions options; /* for it */
} DnKernel;

static bool available(StrBuf *why_not)
{
    return cuda_seems_present(why_not);
}

/* -------------------------------------------------------------------------------------- reading */

static bool no(StrBuf *why, const char *reason)
{
    sb_puts(why, reason);
    return false;
}

static bool is_zero(Arg a)
{
    return arg_is_none(a) || ((a.kind == ARG_int || a.kind == ARG_bool) && a.i == 0) ||
           (a.kind == ARG_float && a.f == 0);
}

/* Heads of queries may share those of keys, but for gradients. */
static bool heads_fit(const Type *q, const Type *k, bool shared)
{
    return q->rank == 4 && k->rank == 4 && q->shape[0] == k->shape[0] && q->dtype == k->dtype &&
           (q->shape[1] == k->shape[1] ||
            (shared && k->shape[1] > 0 && q->shape[1] % k->shape[1] == 0));
}

/* The size of dimension i of four. */
static int64_t size_of(const Type *x, uint32_t i)
{
    return i + x->rank < DN_RANK ? 1 : x->shape[i + x->rank - DN_RANK];
}

/* A mask is read once to make it what is added, so it must serve several heads; and its rows are
 * those of the scores. */
static bool mask_fits(const Type *q, const Type *k, const Type *mask, StrBuf *why)
{
    if (mask->kind == VALUE_any)
        return true;
    if (q->rank != DN_RANK || k->rank != DN_RANK || mask->rank > DN_RANK)
        return no(why, "cuDNN's attention takes rank 4 only");
    const int64_t sizes[4] = {q->shape[0], q->shape[1], q->shape[2], k->shape[2]};
    for (uint32_t i = 0; i < 4; i++)
        if (size_of(mask, i) != sizes[i] && (i == 3 || size_of(mask, i) != 1))
            return no(why, "cuDNN's attention takes masks with a number for each key only");
    if (mask->dtype != DT_b8 && mask->dtype != q->dtype && mask->dtype != DT_f32)
        return no(why, "cuDNN's attention takes masks of bools, f32, or the operands' dtype only");
    if (sizes[3] % 8 || sizes[2] == 1)
        return no(why, "cuDNN's attention is used with masks of whole vectors only");
    if (type_numel(mask) * 4 > sizes[0] * sizes[1] * sizes[2] * sizes[3])
        return no(why, "cuDNN's attention is used with masks that serve several heads only");
    return true;
}

static bool takes(const Trace *t, const Node *node, const AttentionOp *op, StrBuf *why)
{
    for (int i = 0; i < 3; i++)
        if (node->args[(int[]){op->q, op->k, op->v}[i]].kind != ARG_value)
            return no(why, "an operand is no tensor");
    const Type *q = attention_type(t, node, op->q), *k = attention_type(t, node, op->k);
    const Type *v = attention_type(t, node, op->v);
    Arg scale = node->args[op->scale], causal = node->args[op->causal];
    bool shared = op->gqa >= 0 ? node->args[op->gqa].kind == ARG_bool && node->args[op->gqa].i
                               : op->grad < 0;
    if (!mask_fits(q, k, attention_type(t, node, op->mask), why))
        return false;
    if (op->nout == 4)
        return no(why, "cuDNN's attention is used without a gradient of the mask only");
    if (!is_zero(node->args[op->dropout]))
        return no(why, "cuDNN's attention is used without dropout only");
    if (q->dtype != DT_bf16 && q->dtype != DT_f16)
        return no(why, "cuDNN's attention takes bf16 and f16 only");
    if (!heads_fit(q, k, shared) || !heads_fit(q, v, shared) || k->shape[1] != v->shape[1] ||
        q->shape[3] != k->shape[3] || k->shape[2] != v->shape[2])
        return no(why, op->grad < 0 ? "cuDNN's attention takes rank 4 and heads that fit only"
                                    : "cuDNN's gradient takes rank 4 and equal heads only");
    if (q->shape[3] % 8 || v->shape[3] % 8 || q->shape[3] > MAX_WIDTH || v->shape[3] > MAX_WIDTH)
        return no(why, "cuDNN's attention is used for widths that 8 divides, up to 256");
    if (type_numel(q) == 0 || type_numel(k) == 0 || type_numel(v) == 0)
        return no(why, "an operand is empty");
    if (!(arg_is_none(scale) || scale.kind == ARG_float || scale.kind == ARG_int) ||
        !(causal.kind == ARG_bool || arg_is_none(causal)))
        return no(why, "its scale or causal flag is not known");
    return true;
}

static bool can(const Trace *t, NodeId n, StrBuf *why_not)
{
    const Node *node = &t->nodes[n];
    const AttentionOp *op = attention_op(node->op);
    if (dn_is_conv(node))
        return dn_conv_takes(t, n, why_not);
    if (node->op->language == LANG_prims && node->op->id == PRIM_call)
        return dn_end_takes(t, n, why_not);
    return op ? takes(t, node, op, why_not) : no(why_not, "takes attention and convolutions only");
}

/* So few positions that a launch of its own takes longer than they do: our kernel begins while the
 * launch before it still runs. */
static const Executor *yields(const Trace *t, NodeId n)
{
    const Node *node = &t->nodes[n];
    const AttentionOp *op = attention_op(node->op);
    if (!op || op->grad >= 0)
        return NULL;
    const Type *q = attention_type(t, node, op->q), *k = attention_type(t, node, op->k);
    bool few = q->shape[2] <= FEW_POSITIONS && k->shape[2] <= FEW_POSITIONS &&
               q->shape[0] * q->shape[1] <= FEW_HEADS;
    return few ? &exec_flash : NULL;
}

/* ------------------------------------------------------------------------------------ compiling */

static void drop(Kernel *k)
{
    if (!k)
        return;
    const DnKind kind = *(const DnKind *)k->impl;
    if (kind != DN_KIND_attention) {
        (kind == DN_KIND_conv ? dn_conv_drop : dn_end_drop)(k);
        return;
    }
    DnKernel *c = k->impl;
    exec_flash.drop(c->instead);
    cuda_side_drop(&c->side);
    device_unref(c->device);
    arena_free(&c->arena);
    free(c);
    free(k);
}

static void read_attention(DnAttention *a, const Trace *t, const Node *node, const AttentionOp *op)
{
    const Type *q = attention_type(t, node, op->q), *v = attention_type(t, node, op->v);
    Arg scale = node->args[op->scale], causal = node->args[op->causal];
    *a = (DnAttention){.dtype = (DType)q->dtype, .backward = op->grad >= 0};
    a->causal = causal.kind == ARG_bool && causal.i;
    a->batch = q->shape[0];
    a->heads = q->shape[1];
    a->key_heads = v->shape[1];
    a->queries = q->shape[2];
    a->width = q->shape[3];
    a->keys = v->shape[2];
    a->value_width = v->shape[3];
    const Type *mask = attention_type(t, node, op->mask);
    a->mask = mask->kind == VALUE_any ? DT_none
              : mask->dtype == DT_b8  ? a->dtype
                                      : (DType)mask->dtype;
    a->scale = scale.kind == ARG_float ? (float)scale.f
               : scale.kind == ARG_int ? (float)scale.i
                                       : (float)(1 / sqrt((double)a->width));
}

static void read_values(DnKernel *c, const Trace *t, const Node *node, const AttentionOp *op)
{
    const int where[MAX_IN] = {op->q, op->k, op->v, op->mask, op->out, op->logs, op->grad};
    const int which[MAX_IN] = {DN_query, DN_key, DN_value, DN_mask, DN_result, -1, DN_grad};
    for (int i = 0; i < MAX_IN; i++) {
        if (where[i] < 0 || !arg_is_value(node->args[where[i]]))
            continue;
        c->which[c->nin] = which[i];
        c->in[c->nin++] = node->args[where[i]].v;
    }
    c->nout = arg_values(node->out, c->out, MAX_OUT);
    for (uint32_t i = 0; i < c->nin; i++)
        c->in_type[i] = type_own(&c->arena, &t->values[c->in[i]].type);
    for (uint32_t i = 0; i < c->nout; i++)
        c->out_type[i] = type_own(&c->arena, &t->values[c->out[i]].type);
    c->a.logs = c->a.backward || c->nout == 2;
}

static bool compile(const Trace *t, NodeId n, const CompileOptions *o, Kernel **out, Diag *d)
{
    const Node *node = &t->nodes[n];
    Dn *dn = o->device ? dn_of(o->device, o->cuda_path, d) : NULL;
    if (!dn)
        return false;
    Kernel *k = calloc(1, sizeof *k);
    if (k && !attention_op(node->op)) {
        *k = (Kernel){.executor = &exec_cudnn};
        bool good = (dn_is_conv(node) ? dn_conv_compile : dn_end_compile)(t, n, o, dn, k, d);
        *out = good ? k : NULL;
        if (!good)
            drop(k);
        return good;
    }
    DnKernel *c = calloc(1, sizeof *c);
    if (!k || !c)
        abort();
    *k = (Kernel){.executor = &exec_cudnn, .impl = c};
    c->device = o->device;
    c->device->refs++;
    c->dn = dn;
    c->options = cuda_later_options(&c->arena, o);
    read_attention(&c->a, t, node, attention_op(node->op));
    read_values(c, t, node, attention_op(node->op));
    k->name = arena_str(&c->arena, t->values[c->out[0]].name);
    *out = k;
    return true;
}

/* ------------------------------------------------------------------------------------ launching */

/* What the engines address: whole vectors of eight elements along the width. */
static bool strides_fit(const int64_t *shape, const int64_t *strides)
{
    bool good = strides[3] == 1;
    for (uint32_t k = 0; k < 3 && good; k++)
        good = strides[k] % 8 == 0 && (strides[k] > 0 || shape[k] == 1);
    return good;
}

static bool fits(const Tensor *t, uint64_t at)
{
    return t->rank == DN_RANK && at % 16 == 0 && strides_fit(t->shape, t->strides);
}

/* Address and strides of operand i; of a dense copy when it does not fit. */
static bool operand(ExecCall *call, const DnKernel *c, uint32_t i, int64_t strides[DN_RANK],
                    uint64_t *at, Tensor **made)
{
    Tensor *t;
    if (!cuda_strided_input(call, c->in[i], &c->in_type[i], at, &t))
        return false;
    if (!fits(t, *at)) {
        *made = t = cuda_dense(call, t);
        if (!t || !tensor_on_device(t, call->device, false, at))
            return false;
    }
    memcpy(strides, t->strides, DN_RANK * sizeof *strides);
    return true;
}

/* The mask as it is to be added: f16 and dense ones are that already. */
static bool mask(ExecCall *call, DnKernel *c, uint32_t i, uint64_t *at, Tensor **made)
{
    const Type *type = &c->in_type[i];
    int64_t *strides = c->a.strides[DN_mask];
    if (!cuda_input(call, c->in[i], type, at, made))
        return false;
    Tensor *t = *made ? *made : call->values[c->in[i]], *added = NULL;
    memset(strides, 0, DN_RANK * sizeof *strides);
    for (uint32_t k = 0; k < t->rank; k++)
        strides[DN_RANK - t->rank + k] = t->shape[k] == 1 ? 0 : t->strides[k];
    if (type->dtype == DT_f16 && *at % 16 == 0)
        return true;
    bool good = (c->side.kernel || cuda_side_mask(&c->side, call->t->reg, type, c->a.mask,
                                                  least_added, &c->options, call->diag)) &&
                cuda_side_run(&c->side, call, t, NULL, &added) &&
                tensor_on_device(added, call->device, false, at);
    tensor_unref(*made);
    *made = added;
    return good;
}

/* The same of result i: where the plan has put it, or dense. */
static bool result(ExecCall *call, const DnKernel *c, uint32_t i, bool dense,
                   int64_t strides[DN_RANK], uint64_t *at)
{
    Tensor *t;
    bool good = !dense && cuda_strided_output(call, c->out[i], &c->out_type[i], at, &t) &&
                fits(t, *at);
    if (!good && !cuda_output(call, c->out[i], &c->out_type[i], at))
        return false;
    memcpy(strides, call->values[c->out[i]]->strides, DN_RANK * sizeof *strides);
    return true;
}

static bool operands(ExecCall *call, DnKernel *c, uint64_t *at, Tensor **made)
{
    for (uint32_t i = 0; i < c->nin; i++) {
        int which = c->which[i];
        bool good = which == DN_mask ? mask(call, c, i, &at[i], &made[i])
                    : which >= 0
                        ? operand(call, c, i, c->a.strides[which], &at[i], &made[i])
                        : cuda_input(call, c->in[i], &c->in_type[i], &at[i], &made[i]);
        if (!good)
            return false;
    }
    return true;
}

static bool results(ExecCall *call, DnKernel *c, bool dense, uint64_t *at)
{
    bool logs = !c->a.backward && c->nout == 2;
    for (uint32_t i = 0; i < c->nout; i++) {
        int which = c->a.backward ? DN_grad_query + (int)i : DN_result;
        bool good = logs && i == 1
                        ? cuda_output(call, c->out[i], &c->out_type[i], &at[c->nin + i])
                        : result(call, c, i, dense, c->a.strides[which], &at[c->nin + i]);
        if (!good)
            return false;
    }
    return true;
}

/* Scratch of the backward part, and what the plan asks for, in one piece. */
static bool run_plan(ExecCall *call, const DnKernel *c, const DnPlan *plan, uint64_t *at)
{
    OpenDevice *dev = call->device;
    int64_t wide = (dn_attention_scratch(&c->a, 0) + 255) / 256 * 256;
    int64_t sums = (dn_attention_scratch(&c->a, 1) + 255) / 256 * 256;
    size_t bytes = (size_t)(wide + sums + plan->workspace);
    uint64_t space = 0;
    if (!device_take(dev, bytes, &space))
        return device_no_memory(dev, call->diag, (int64_t)bytes, "attention's scratch memory");
    uint32_t n = c->nin + c->nout;
    at[n] = space;
    at[n + 1] = space + (uint64_t)wide;
    bool good = dn_run(c->dn, plan, at, space + (uint64_t)(wide + sums));
    device_give(dev, space, bytes);
    return good || device_fail(dev, "cuDNN could not run attention");
}

/* With results where the plan has put them, else with dense ones. */
static const DnPlan *find_plan(ExecCall *call, DnKernel *c, uint64_t *at, StrBuf *why)
{
    const DnPlan *plan = NULL;
    for (int dense = 0; dense < 2 && !plan; dense++) {
        sb_clear(why);
        if (!results(call, c, dense, at))
            return NULL;
        plan = dn_attention(c->dn, &c->a, c->options.cache_dir, why);
    }
    return plan;
}

/* What the library has no plan for on this device runs by our own kernel. */
static bool launch_instead(DnKernel *c, ExecCall *call)
{
    return (c->instead || exec_flash.compile(call->t, call->node, &c->options, &c->instead,
                                             call->diag)) &&
           exec_flash.launch(c->instead, call);
}

static bool launch(Kernel *k, ExecCall *call)
{
    const DnKind kind = *(const DnKind *)k->impl;
    if (kind != DN_KIND_attention)
        return (kind == DN_KIND_conv ? dn_conv_launch : dn_end_launch)(k, call);
    DnKernel *c = k->impl;
    uint64_t at[MAX_IN + MAX_OUT + 2];
    Tensor *made[MAX_IN] = {0};
    StrBuf why = {0};
    bool good = operands(call, c, at, made);
    const DnPlan *plan = good ? find_plan(call, c, at, &why) : NULL;
    if (plan)
        good = run_plan(call, c, plan, at) && device_settled(call->device);
    else
        good = good && why.n && launch_instead(c, call);
    for (uint32_t i = 0; i < c->nin; i++)
        tensor_unref(made[i]);
    sb_free(&why);
    return good || cuda_failed(call, k->name);
}

static bool run(ExecCall *call)
{
    return cuda_needs_session(call, "cudnn");
}

/* All but the logarithms may lie in any order that the engines address. */
static bool lays(const Trace *t, NodeId n, ValueId v, const int64_t *strides)
{
    const Node *node = &t->nodes[n];
    const AttentionOp *op = attention_op(node->op);
    const Type *type = &t->values[v].type;
    return op && type->rank == DN_RANK && strides_fit(type->shape, strides) &&
           !(op->logs >= 0 && node->args[op->logs].v == v);
}

const Executor exec_cudnn = {
    .name = "cudnn",
    .help = "attention and convolutions on a GPU, forward and backward, by cuDNN",
    .kind = EXEC_stateful,
    .available = available,
    .can = can,
    .run = run,
    .compile = compile,
    .launch = launch,
    .drop = drop,
    .device = &cuda_driver,
    .ahead = dn_ahead,
    .yields = yields,
    .lays = lays,
    .ends = dn_conv_ends,
};
