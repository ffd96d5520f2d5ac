/*
 * cudnn_conv_kernel.c - nodes that are convolutions, as launches of cuDNN's plans.
 *
 * Input: prims.convolution, also transposed, and ltorch.convolution_backward, whole. Output: their
 * results. Each is one or two of three operations on input x, weight w and result y; a transposed
 * convolution is the gradient of one with respect to x. A bias is added in the same kernel where
 * cuDNN has one, else by one of our own, and its gradient is a sum of our own. What cuDNN turns out
 * to have no plan for is computed by the host.
 */
#include "cuda_side.h"
#include "cudnn_conv.h"
#include "executors.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_JOBS = 2 };

typedef struct Job {
    DnConv c;
    ValueId x, w, y; /* one of them is the result */
    ValueId out;
} Job;

/* How a bias is added, best first: in the same kernel; to a result in f32 that is rounded once; to
 * one in the result's dtype. */
typedef enum BiasWay { BIAS_fused, BIAS_wide, BIAS_apart } BiasWay;

typedef struct ConvKernel {
    DnKind kind;
    Arena arena;
    OpenDevice *device;
    Dn *dn;
    Job jobs[MAX_JOBS];
    int njobs;
    ValueId bias;      /* added to the result; 0 = none */
    bool joined;       /* what follows is in the plan, too, or there is none */
    ValueId added;     /* of that; 0 = none */
    ValueId sum_of, sum; /* a bias's gradient; 0 = none */
    BiasWay way;
    bool way_known; /* it was measured */
    bool on_host; /* cuDNN has no plan for it */
    CudaSide side; /* adds the bias, or sums; made when it is needed */
    CompileOptions options; /* of that */
} ConvKernel;

/* -------------------------------------------------------------------------------------- reading */

bool dn_is_conv(const Node *node)
{
    return (node->op->language == LANG_prims && node->op->id == PRIM_convolution) ||
           (node->op->language == LANG_torch &&
            strcmp(node->op->name, "convolution_backward") == 0);
}

static bool is_backward(const Node *node)
{
    return node->op->language == LANG_torch;
}

static bool no(StrBuf *why, const char *reason)
{
    sb_puts(why, reason);
    return false;
}

static bool known_sizes(const Node *node, uint32_t first)
{
    for (uint32_t i = first; i < first + 3; i++) {
        Arg a = node->args[i];
        for (uint32_t k = 0; arg_is_seq(a) && k < a.n; k++)
            if (a.items[k].kind != ARG_int)
                return false;
        if (!arg_is_seq(a) && a.kind != ARG_int)
            return false;
    }
    return true;
}

bool dn_conv_takes(const Trace *t, NodeId n, StrBuf *why)
{
    const Node *node = &t->nodes[n];
    bool backward = is_backward(node);
    uint32_t last = backward ? 2 : 1, window = backward ? 4 : 3;
    for (uint32_t i = 0; i <= last; i++) {
        if (node->args[i].kind != ARG_value)
            return no(why, "an operand is no tensor");
        const Type *type = &t->values[node->args[i].v].type;
        if (!dtype_is_float((DType)type->dtype) || dtype_info[type->dtype].bytes < 2)
            return no(why, "cuDNN's convolutions are used for f16, bf16, f32 and f64 only");
        if (type->rank < 3 || type->rank > DN_MAX_RANK)
            return no(why, "cuDNN's convolutions have one to three dimensions");
        if (type_numel(type) == 0)
            return no(why, "an operand is empty");
    }
    if (!known_sizes(node, window) || node->args[window + 5].kind != ARG_int)
        return no(why, "its stride, padding, dilation or groups are not known");
    ValueId outs[MAX_OUTPUTS];
    uint32_t nouts = arg_values(node->out, outs, MAX_OUTPUTS);
    for (uint32_t i = 0; i < nouts; i++)
        if (type_numel(&t->values[outs[i]].type) == 0)
            return no(why, "a result is empty");
    return nouts > 0 || no(why, "nothing is asked for");
}

/* Sizes with one spatial dimension taken as the second of two. */
static int sizes_of(const Type *type, int64_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < type->rank; i++) {
        if (i == 2 && type->rank == 3)
            out[n++] = 1;
        out[n++] = type->shape[i];
    }
    return (int)n;
}

static void dense_strides(int rank, const int64_t *sizes, int64_t *strides)
{
    int64_t step = 1;
    for (int i = rank; i-- > 0;) {
        strides[i] = step;
        step *= sizes[i];
    }
}

static void read_window(DnWindow *w, const Node *node, uint32_t first, uint32_t spatial)
{
    int64_t *to[3] = {w->stride, w->padding, w->dilation};
    w->dims = spatial == 1 ? 2 : (int)spatial;
    for (uint32_t k = 0; k < 3; k++) {
        Arg a = node->args[first + k];
        uint32_t at = 0;
        if (spatial == 1)
            to[k][at++] = k == 1 ? 0 : 1;
        for (uint32_t i = 0; i < spatial; i++)
            to[k][at++] = !arg_is_seq(a) ? a.i : a.items[a.n == 1 ? 0 : i].i;
    }
}

static void add_job(ConvKernel *k, const Trace *t, const DnWindow *window, DnConvKind kind,
                    ValueId x, ValueId w, ValueId y)
{
    Job *j = &k->jobs[k->njobs++];
    memset(j, 0, sizeof *j);
    j->c.kind = kind;
    j->c.dtype = (DType)t->values[x].type.dtype;
    j->c.window = *window;
    j->x = x;
    j->w = w;
    j->y = y;
    j->out = kind == DN_conv ? y : kind == DN_conv_data_gradient ? x : w;
    int64_t *sizes[3] = {j->c.x, j->c.w, j->c.y};
    int64_t *strides[3] = {j->c.x_strides, j->c.w_strides, j->c.y_strides};
    const ValueId values[3] = {x, w, y};
    for (int i = 0; i < 3; i++) {
        j->c.rank = sizes_of(&t->values[values[i]].type, sizes[i]);
        dense_strides(j->c.rank, sizes[i], strides[i]);
    }
}

static void read_forward(ConvKernel *k, const Trace *t, const Node *node)
{
    DnWindow window = {0};
    ValueId a = node->args[0].v, w = node->args[1].v, out = node->out.v;
    read_window(&window, node, 3, t->values[a].type.rank - 2);
    if (node->args[6].i)
        add_job(k, t, &window, DN_conv_data_gradient, out, w, a);
    else
        add_job(k, t, &window, DN_conv, a, w, out);
    k->bias = node->args[2].kind == ARG_value ? node->args[2].v : 0;
    DType d = (DType)t->values[a].type.dtype;
    k->way = d != DT_f16 && d != DT_bf16 ? BIAS_apart
             : node->args[6].i           ? BIAS_wide
                                         : BIAS_fused;
}

static void read_backward(ConvKernel *k, const Trace *t, const Node *node)
{
    DnWindow window = {0};
    ValueId grad = node->args[0].v, a = node->args[1].v, w = node->args[2].v;
    ValueId results[3] = {0};
    bool transposed = node->args[7].i;
    read_window(&window, node, 4, t->values[a].type.rank - 2);
    for (uint32_t i = 0; arg_is_seq(node->out) && i < 3 && i < node->out.n; i++)
        results[i] = node->out.items[i].kind == ARG_value ? node->out.items[i].v : 0;
    if (results[0] && transposed)
        add_job(k, t, &window, DN_conv, grad, w, results[0]);
    else if (results[0])
        add_job(k, t, &window, DN_conv_data_gradient, results[0], w, grad);
    if (results[1])
        add_job(k, t, &window, DN_conv_weight_gradient, transposed ? grad : a, results[1],
                transposed ? a : grad);
    k->sum = results[2];
    k->sum_of = results[2] ? grad : 0;
}

/* ------------------------------------------------------------------------------------ compiling */

/* Of the result before the bias is added by a kernel of our own. */
static Type unbiased_type(const ConvKernel *k, const Trace *t)
{
    Type y = t->values[k->jobs[0].out].type;
    if (k->way == BIAS_wide)
        y.dtype = DT_f32;
    return y;
}

static bool make_side(ConvKernel *k, const Trace *t, Diag *d)
{
    if (k->side.kernel)
        return true;
    if (k->sum)
        return cuda_side_sum_channels(&k->side, t->reg, &t->values[k->sum_of].type, &k->options, d);
    Type y = unbiased_type(k, t);
    return cuda_side_add_bias(&k->side, t->reg, &y, &t->values[k->bias].type, &k->options, d);
}

bool dn_conv_compile(const Trace *t, NodeId n, const CompileOptions *o, Dn *dn, Kernel *kernel,
                     Diag *d)
{
    const Node *node = &t->nodes[n];
    ConvKernel *k = calloc(1, sizeof *k);
    if (!k)
        abort();
    kernel->impl = k;
    k->kind = DN_KIND_conv;
    k->dn = dn;
    k->device = o->device;
    k->device->refs++;
    k->options = cuda_later_options(&k->arena, o);
    if (is_backward(node))
        read_backward(k, t, node);
    else
        read_forward(k, t, node);
    kernel->name = arena_str(&k->arena, statement_name(t, n));
    return (!k->sum && !(k->bias && k->way == BIAS_apart)) || make_side(k, t, d);
}

bool dn_joined_compile(const Trace *t, NodeId n, const CompileOptions *o, Dn *dn, Kernel *kernel,
                       Diag *d)
{
    LtParts parts;
    if (!lt_read_parts(t, n, &parts) || !dn_conv_compile(t, parts.product, o, dn, kernel, d))
        return false;
    ConvKernel *k = kernel->impl;
    Job *j = &k->jobs[0];
    j->y = j->out = parts.result;
    j->c.relu = parts.relu || parts.end == LT_END_relu;
    j->c.add = parts.end == LT_END_add;
    k->added = j->c.add ? parts.aux : 0;
    k->joined = true;
    return true;
}

void dn_conv_drop(Kernel *kernel)
{
    ConvKernel *k = kernel->impl;
    cuda_side_drop(&k->side);
    device_unref(k->device);
    arena_free(&k->arena);
    free(k);
    free(kernel);
}

/* ------------------------------------------------------------------------------------ launching */

/* Whether elements lie without gaps, in whatever order of dimensions. */
static bool is_packed(const Tensor *t)
{
    bool done[MAX_RANK] = {false};
    int64_t step = 1;
    for (uint32_t i = 0; i < t->rank; i++) {
        uint32_t next = MAX_RANK;
        for (uint32_t k = 0; k < t->rank; k++)
            if (!done[k] && (t->strides[k] == step || t->shape[k] == 1))
                next = k;
        if (next == MAX_RANK)
            return false;
        done[next] = true;
        step *= t->shape[next];
    }
    return true;
}

static void strides_of(const Tensor *t, int64_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (i == 2 && t->rank == 3)
            out[n++] = t->strides[2] * t->shape[2];
        out[n++] = t->strides[i];
    }
}

/* An operand as it lies; a dense copy of one with gaps. */
static bool operand(ExecCall *call, ValueId v, int64_t *strides, uint64_t *at, Tensor **made)
{
    Tensor *t;
    if (!cuda_strided_input(call, v, &call->t->values[v].type, at, &t))
        return false;
    if (!is_packed(t) || *at % 16 != 0) {
        *made = t = cuda_dense(call, t);
        if (!t || !tensor_on_device(t, call->device, false, at))
            return false;
    }
    strides_of(t, strides);
    return true;
}

/* Memory for what the bias is still to be added to. */
static Tensor *unfinished(ExecCall *call, const Type *type)
{
    Buffer *b = device_buffer(call->device, (size_t)type_bytes(type), NULL, 0);
    Tensor *t = b ? tensor_over(b, (DType)type->dtype, type->device, type->rank, type->shape, 0)
                  : NULL;
    if (b)
        buffer_unref(b);
    return t;
}

static bool run_plan(ConvKernel *k, ExecCall *call, const DnPlan *plan, const uint64_t *at)
{
    OpenDevice *dev = call->device;
    size_t bytes = (size_t)plan->workspace;
    uint64_t space = 0;
    if (bytes && !device_take(dev, bytes, &space))
        return device_no_memory(dev, call->diag, (int64_t)bytes, "a convolution's scratch memory");
    bool good = dn_run(k->dn, plan, at, space);
    if (bytes)
        device_give(dev, space, bytes);
    return good || device_fail(dev, "cuDNN could not run a convolution");
}

static void leave_to_host(ConvKernel *k, ExecCall *call, const char *why)
{
    k->on_host = true;
    DiagItem *item = diag_add(call->diag, SEV_note, DIAG_device, call->t->nodes[call->node].src,
                              "on-host", "the host computes a convolution: %s", why);
    diag_help(call->diag, item, "executor off cudnn");
}

/* What the plan adds: a number for each channel, and as many as there are results. */
static bool addends(ConvKernel *k, ExecCall *call, bool bias, uint64_t *at, int *n, Tensor **made)
{
    const Value *values = call->t->values;
    return (!bias || cuda_input(call, k->bias, &values[k->bias].type, &at[(*n)++], &made[0])) &&
           (!k->added || cuda_input(call, k->added, &values[k->added].type, &at[(*n)++], &made[1]));
}

/* Runs the job with its result at place; no plan: k->on_host, or the call is not joined. */
static bool run_job(ConvKernel *k, ExecCall *call, Job *j, uint64_t place)
{
    Tensor *made[5] = {0};
    uint64_t at[5] = {0};
    int n = 0;
    bool fused = k->bias && k->way == BIAS_fused;
    ValueId values[3] = {j->x, j->w, j->y};
    int64_t *strides[3] = {j->c.x_strides, j->c.w_strides, j->c.y_strides};
    StrBuf why = {0};
    bool good = true;
    for (int i = 0; i < 3 && good; i++) {
        if (i == 2)
            good = addends(k, call, fused, at, &n, &made[3]);
        if (values[i] == j->out)
            at[n++] = place;
        else
            good = good && operand(call, values[i], strides[i], &at[n++], &made[i]);
    }
    j->c.bias = fused;
    j->c.wide = k->bias && k->way == BIAS_wide;
    DnChoice how = {call->device, at, k->options.cache_dir, k->options.tune};
    const DnPlan *plan = good ? dn_conv(k->dn, &j->c, &how, &why) : NULL;
    if (k->joined)
        k->joined = plan != NULL;
    else if (good && !plan && k->bias && k->way < BIAS_apart)
        k->way++;
    else if (good && !plan)
        leave_to_host(k, call, sb_cstr(&why));
    good = good && plan && run_plan(k, call, plan, at);
    for (size_t i = 0; i < ARRAY_LEN(made); i++)
        tensor_unref(made[i]);
    sb_free(&why);
    return good;
}

static bool run_with_bias(ConvKernel *k, ExecCall *call, Job *j)
{
    Type type = unbiased_type(k, call->t);
    Tensor *before = unfinished(call, &type);
    uint64_t at = 0;
    bool good = before && tensor_on_device(before, call->device, true, &at) &&
                run_job(k, call, j, at) && make_side(k, call->t, call->diag) &&
                cuda_side_run(&k->side, call, before, call->values[k->bias],
                              &call->values[j->out]);
    if (!before)
        device_no_memory(call->device, call->diag, type_bytes(&type), "a convolution");
    tensor_unref(before);
    return good;
}

static bool run_alone(ConvKernel *k, ExecCall *call, Job *j)
{
    uint64_t at = 0;
    return cuda_output(call, j->out, &call->t->values[j->out].type, &at) &&
           run_job(k, call, j, at);
}

void dn_conv_drop_bias(Kernel *kernel)
{
    ConvKernel *k = kernel->impl;
    k->bias = 0;
}

uint64_t dn_conv_facts(const Kernel *kernel)
{
    const ConvKernel *k = kernel->impl;
    uint64_t facts[3] = {k->device->info.arch, k->device->info.sms, k->dn->version()};
    return hash_bytes(&k->jobs[0].c, sizeof k->jobs[0].c, hash_bytes(facts, sizeof facts, 37));
}

bool dn_joined_run(Kernel *kernel, ExecCall *call, bool *has_plan)
{
    ConvKernel *k = kernel->impl;
    Job *j = &k->jobs[0];
    k->joined = true;
    bool good = run_alone(k, call, j);
    *has_plan = k->joined;
    return good;
}

typedef struct Way {
    ConvKernel *k;
    ExecCall *call;
} Way;

static bool run_fused(void *user)
{
    const Way *w = user;
    w->k->way = BIAS_fused;
    return run_alone(w->k, w->call, &w->k->jobs[0]);
}

static bool run_apart(void *user)
{
    const Way *w = user;
    w->k->way = BIAS_apart;
    return run_with_bias(w->k, w->call, &w->k->jobs[0]);
}

/* Whether one kernel with the bias, or two, was measured to be faster. */
static BiasWay faster(const Kernel *kernel, ExecCall *call)
{
    ConvKernel *k = kernel->impl;
    Diag ignored = {0}; /* it is asked what it can do, and goes on */
    ExecCall own = *call;
    own.diag = &ignored;
    Way w = {k, &own};
    int known = run_fused(&w) ? dn_recall(k->options.cache_dir, "db", dn_conv_facts(kernel)) : -1;
    if (known != BIAS_fused && known != BIAS_apart && k->way == BIAS_fused) {
        uint64_t facts = dn_conv_facts(kernel);
        double together = cuda_time(call->device, run_fused, &w, -1);
        double apart = together < 0 ? -1 : cuda_time(call->device, run_apart, &w, together);
        known = apart < 0 || together <= apart ? BIAS_fused : BIAS_apart;
        dn_remember(k->options.cache_dir, "db", facts, known);
    }
    diag_clear(&ignored);
    if (!call->device->lost)
        call->device->failure[0] = 0;
    k->on_host = false;
    return known < 0 ? BIAS_wide : (BiasWay)known;
}

/* A way to add the bias that turns out not to exist is followed by the next. */
static bool run_on_device(ConvKernel *k, ExecCall *call)
{
    for (int i = 0; i < k->njobs; i++) {
        Job *j = &k->jobs[i];
        bool good = (!k->bias || k->way == BIAS_fused) && run_alone(k, call, j);
        for (BiasWay tried = BIAS_fused; !good && k->bias && tried < k->way && !k->on_host;) {
            tried = k->way;
            good = run_with_bias(k, call, j);
        }
        if (!good)
            return false;
    }
    return !k->sum || cuda_side_run(&k->side, call, call->values[k->sum_of], NULL,
                                    &call->values[k->sum]);
}

bool dn_conv_launch(Kernel *kernel, ExecCall *call)
{
    ConvKernel *k = kernel->impl;
    if (k->bias && k->way == BIAS_fused && !k->way_known && !call->device->held) {
        k->way = faster(kernel, call);
        k->way_known = true;
    }
    if (!k->on_host && run_on_device(k, call))
        return device_settled(call->device) || cuda_failed(call, kernel->name);
    return k->on_host ? cuda_run_on_host(call) : cuda_failed(call, kernel->name);
}
