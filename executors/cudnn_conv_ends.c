/*
 * cudnn_conv_ends.c - a convolution and what follows it: in one plan of cuDNN, or in two kernels.
 *
 * Input: a call of a convolution in f16 or bf16, maybe an addition, maybe relu. Output: its result.
 * At the first launch both ways are timed, and the faster one is remembered beside the kernels;
 * where cuDNN has no plan of all, or while work is recorded, it is the two.
 */
#include "cublaslt_ends.h"
#include "cuda_side.h"
#include "cudnn_conv.h"
#include "executors.h"

#include <stdio.h>
#include <stdlib.h>

typedef enum EndWay { WAY_unknown, WAY_joined, WAY_apart } EndWay;

enum { MAX_PATH = 512 };

typedef struct EndKernel {
    DnKind kind;
    Arena arena;
    OpenDevice *device;
    Dn *dn;
    LtParts parts;
    CompileOptions options;
    Kernel *joined, *conv, *rest; /* made when they are needed */
    EndWay way;
    char path[MAX_PATH]; /* of the file that remembers the way */
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

static uint64_t facts_of(const EndKernel *e, const Trace *t)
{
    const Node *conv = &t->nodes[e->parts.product];
    uint64_t facts[] = {e->device->info.arch, e->device->info.sms, e->dn->version(), e->parts.end,
                        e->parts.relu, conv->args[2].kind};
    uint64_t h = hash_bytes(facts, sizeof facts, 37);
    for (uint32_t i = 0; i < 2; i++) {
        const Type *type = &t->values[conv->args[i].v].type;
        h = hash_bytes(&type->dtype, sizeof type->dtype, h);
        h = hash_bytes(type->shape, type->rank * sizeof *type->shape, h);
    }
    for (uint32_t i = 3; i < conv->nargs; i++) { /* its window: numbers and rows of numbers */
        Arg a = conv->args[i];
        for (uint32_t k = 0; k < (arg_is_seq(a) ? a.n : 1); k++)
            h = hash_bytes(arg_is_seq(a) ? &a.items[k].i : &a.i, sizeof a.i, h);
    }
    return h;
}

static void recall(EndKernel *e, const Trace *t)
{
    int way = WAY_unknown;
    int n = e->options.cache_dir.n ? snprintf(e->path, sizeof e->path, "%.*s/de%016llx",
                                              STR(e->options.cache_dir),
                                              (unsigned long long)facts_of(e, t))
                                   : 0;
    if (n < 0 || (size_t)n >= sizeof e->path)
        e->path[0] = 0;
    FILE *f = e->path[0] ? fopen(e->path, "r") : NULL;
    if (f && fscanf(f, "%d", &way) == 1 && (way == WAY_joined || way == WAY_apart))
        e->way = (EndWay)way;
    if (f)
        fclose(f);
}

static void remember(const EndKernel *e)
{
    FILE *f = e->path[0] ? fopen(e->path, "w") : NULL;
    if (!f)
        return;
    fprintf(f, "%d\n", e->way);
    fclose(f);
}

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
    else
        recall(e, t);
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

static bool make_apart(EndKernel *e, const ExecCall *call)
{
    if (e->rest)
        return true;
    if (!e->conv && !exec_cudnn.compile(call->t, e->parts.product, &e->options, &e->conv,
                                        call->diag))
        return false;
    Trace *rest = lt_rest(call->t, call->node, &e->parts);
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
    double joined = cuda_time(call->device, run_joined, &w);
    double apart = joined < 0 ? -1 : cuda_time(call->device, run_apart, &w);
    diag_clear(&ignored);
    if (!call->device->lost)
        call->device->failure[0] = 0;
    return joined >= 0 && (apart < 0 || joined < apart) ? WAY_joined : WAY_apart;
}

bool dn_end_launch(Kernel *kernel, ExecCall *call)
{
    EndKernel *e = kernel->impl;
    Way w = {e, call, true};
    bool good = false;
    if (e->way == WAY_unknown && !call->device->held) {
        e->way = faster(e, call);
        remember(e);
    }
    if (e->way == WAY_joined)
        good = run_joined(&w);
    if (!w.has_plan)
        e->way = WAY_apart;
    if (e->way != WAY_joined)
        good = run_apart(&w);
    return (good && device_settled(call->device)) || cuda_failed(call, kernel->name);
}
