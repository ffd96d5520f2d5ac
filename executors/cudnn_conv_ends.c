/*
 * cudnn_conv_ends.c - a convolution and what follows it: in one plan of cuDNN, or in two kernels.
 *
 * Input: a call of a convolution in f16 or bf16, maybe an addition, maybe relu. Output: its result.
 * At the first launch both ways are timed, and the faster one is remembered beside the kernels;
 * where cuDNN has no plan of all, or while work is recorded, it is the two.
 */
#include "cuda_side.h"
#include "cudnn_conv.h"
#include "executors.h"

#include <stdlib.h>

typedef enum EndWay { WAY_unknown, WAY_joined, WAY_apart } EndWay;

typedef struct EndKernel {
    DnKind kind;
    Arena arena;
    OpenDevice *device;
    Dn *dn;
    LtParts parts;
    CompileOptions options;
    Kernel *joined, *conv, *rest; /* made when they are needed */
    EndWay way;
} EndKernel;

uint32_t dn_conv_ends(const Flow *f, NodeId n, NodeId members[MAX_ENDS], StrBuf *why)
{
    LtParts parts;
    if (!lt_read_parts(f->t, n, &parts))
        return 0;
    const Node *conv = &f->t->nodes[parts.product];
    bool plain = dn_is_conv(conv) && conv->args[6].kind == ARG_bool && !conv->args[6].i;
    return plain ? lt_conv_ends(f, n, members, why) : 0;
}

bool dn_end_takes(const Trace *t, NodeId n, StrBuf *why_not)
{
    LtParts parts;
    if (lt_read_parts(t, n, &parts) && dn_is_conv(&t->nodes[parts.product]))
        return dn_conv_takes(t, parts.product, why_not);
    sb_puts(why_not, "takes calls of a convolution and what follows it only");
    return false;
}

/* ------------------------------------------------------------------------------------ compiling */

bool dn_end_compile(const Trace *t, NodeId n, const CompileOptions *o, Dn *dn, Kernel *kernel,
                    Diag *d)
{
    (void)d;
    EndKernel *e = calloc(1, sizeof *e);
    if (!e)
        abort();
    kernel->impl = e;
    e->kind = DN_KIND_conv_end;
    e->dn = dn;
    e->device = o->device;
    e->device->refs++;
    e->options = cuda_later_options(&e->arena, o);
    lt_read_parts(t, n, &e->parts);
    kernel->name = arena_str(&e->arena, t->values[e->parts.result].name);
    if (o->eager_rounding && e->parts.end == LT_END_add)
        e->way = WAY_apart;
    return true;
}

static void drop_kernel(Kernel *k)
{
    if (k)
        k->executor->drop(k);
}

void dn_end_drop(Kernel *kernel)
{
    EndKernel *e = kernel->impl;
    drop_kernel(e->joined);
    drop_kernel(e->conv);
    drop_kernel(e->rest);
    device_unref(e->device);
    arena_free(&e->arena);
    free(e);
    free(kernel);
}

/* ------------------------------------------------------------------------------------ launching */

typedef struct Way {
    EndKernel *e;
    ExecCall *call;
    bool has_plan;
} Way;

static bool make_joined(EndKernel *e, const ExecCall *call)
{
    if (e->joined)
        return true;
    Kernel *k = calloc(1, sizeof *k);
    if (!k)
        abort();
    *k = (Kernel){.executor = &exec_cudnn};
    if (dn_joined_compile(call->t, call->node, &e->options, e->dn, k, call->diag))
        e->joined = k;
    else
        exec_cudnn.drop(k);
    return e->joined;
}

static bool run_joined(void *user)
{
    Way *w = user;
    return make_joined(w->e, w->call) && dn_joined_run(w->e->joined, w->call, &w->has_plan);
}

Trace *dn_conv_rest(const Trace *t, NodeId n, const LtParts *p, Diag *d)
{
    const Node *conv = &t->nodes[p->product];
    if (!arg_is_value(conv->args[2]))
        return lt_rest(t, n, p);
    Trace *rest = trace_derive(t);
    Build b = {.t = rest, .diag = d};
    NodeId at = trace_add_node(rest, t->nodes[n]);
    Arg biased = cuda_bias_added(&b, A_VALUE(p->made), &t->values[p->made].type, conv->args[2],
                                 &t->values[conv->args[2].v].type);
    ValueId *map = calloc(rest->nvalues, sizeof *map);
    if (!map)
        abort();
    map[p->made] = biased.v;
    for_sub(t, n, i)
        if (p->product < i || p->product >= i + t->nodes[i].span)
            trace_copy_node(rest, t, i, map);
    free(map);
    rest->nodes[at].executor = NULL;
    rest->nodes[at].span = rest->nnodes - at;
    return rest;
}

static bool make_apart(EndKernel *e, const ExecCall *call)
{
    if (e->rest)
        return true;
    if (!e->conv && !exec_cudnn.compile(call->t, e->parts.product, &e->options, &e->conv,
                                        call->diag))
        return false;
    dn_conv_drop_bias(e->conv);
    Trace *rest = dn_conv_rest(call->t, call->node, &e->parts, call->diag);
    bool good = exec_cuda.compile(rest, 0, &e->options, &e->rest, call->diag);
    trace_unref(rest);
    return good;
}

/* The convolution with its own node, which a host would run, then the rest. */
static bool run_apart(void *user)
{
    Way *w = user;
    EndKernel *e = w->e;
    ExecCall conv = *w->call;
    conv.node = e->parts.product;
    Tensor **made = &w->call->values[e->parts.made];
    bool good = make_apart(e, w->call) && exec_cudnn.launch(e->conv, &conv) &&
                exec_cuda.launch(e->rest, w->call);
    tensor_unref(*made);
    *made = NULL;
    return good;
}

/* Both ways are timed; the faster one is kept. */
static EndWay faster(EndKernel *e, ExecCall *call)
{
    Diag ignored = {0}; /* it is asked what it can do, and goes on */
    ExecCall own = *call;
    own.diag = &ignored;
    Way w = {e, &own, true};
    bool exists = run_joined(&w);
    uint64_t facts = e->joined ? dn_conv_facts(e->joined) : 0;
    int way = exists ? dn_recall(e->options.cache_dir, "de", facts) : WAY_apart;
    if (way != WAY_joined && way != WAY_apart) {
        double joined = cuda_time(call->device, run_joined, &w, -1);
        double apart = joined < 0 ? -1 : cuda_time(call->device, run_apart, &w, joined);
        way = joined >= 0 && (apart < 0 || joined < apart) ? WAY_joined : WAY_apart;
        dn_remember(e->options.cache_dir, "de", facts, way);
    }
    diag_clear(&ignored);
    if (!call->device->lost)
        call->device->failure[0] = 0;
    return (EndWay)way;
}

bool dn_end_launch(Kernel *kernel, ExecCall *call)
{
    EndKernel *e = kernel->impl;
    Way w = {e, call, true};
    bool good = false;
    if (e->way == WAY_unknown && !call->device->held)
        e->way = faster(e, call);
    if (e->way == WAY_joined)
        good = run_joined(&w);
    if (!w.has_plan)
        e->way = WAY_apart;
    if (e->way != WAY_joined)
        good = run_apart(&w);
    return (good && device_settled(call->device)) || cuda_failed(call, kernel->name);
}
