/*
 * negate.h - an executor that negates on a device, for tests without one: its kernel is one of
 * fake/fake_cuda.c. It also takes takes: of those it only looks at the indices.
 */
#ifndef THUNDER_NEGATE_H
#define THUNDER_NEGATE_H

#include "cuda_kernels.h"

typedef struct NegKernel {
    OpenDevice *device;
    CuModule *module;
    CuFunction *fn;
    Tensor *index; /* of the latest launch of a take, which only looks at its indices */
    int64_t rows;
} NegKernel;

static const Executor exec_negate;

static bool can(const Trace *t, NodeId n, StrBuf *why_not)
{
    if (t->nodes[n].op->id == PRIM_neg || t->nodes[n].op->id == PRIM_take)
        return true;
    sb_puts(why_not, "negates and takes only");
    return false;
}

static bool compile(const Trace *t, NodeId n, const CompileOptions *o, Kernel **out, Diag *diag)
{
    (void)t;
    (void)n;
    (void)diag;
    NegKernel *k = calloc(1, sizeof *k);
    CudaDevice *c = cuda_of(o->device);
    k->device = o->device;
    k->device->refs++;
    bool good = c->fn.module_load(&k->module, "image") == 0 &&
                c->fn.module_function(&k->fn, k->module, "negate") == 0;
    *out = calloc(1, sizeof **out);
    **out = (Kernel){.executor = &exec_negate, .impl = k};
    return good;
}

static bool launch(Kernel *kernel, ExecCall *call)
{
    NegKernel *k = kernel->impl;
    OpenDevice *dev = call->device;
    CudaDevice *c = cuda_of(dev);
    const Node *node = &call->t->nodes[call->node];
    Tensor *a = call->values[node->args[0].v], **place = &call->values[node->out.v];
    int64_t n = tensor_numel(a);
    if (node->op->id == PRIM_take) {
        tensor_unref(k->index);
        k->index = tensor_ref(call->values[node->args[1].v]);
        k->rows = a->shape[0];
    }
    uint64_t from = 0, to = 0;
    if (!*place) {
        Buffer *b = device_buffer(dev, a->buf->bytes, NULL, 0);
        if (!b)
            return device_no_memory(dev, call->diag, n * 4, "a result");
        *place = tensor_over(b, a->dtype, a->device, a->rank, a->shape, 0);
        buffer_unref(b);
    }
    if (!tensor_on_device(a, dev, false, &from) || !tensor_on_device(*place, dev, true, &to))
        return dev->failure[0] ? false : device_no_memory(dev, call->diag, n * 4, "an operand");
    void *params[] = {&from, &to, &n};
    GenLaunch how = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .early = true};
    CuResult r = cuda_launch_one(dev, &how, true, k->fn, params);
    bool good = cuda_check(c, r, "launching") && device_settled(dev);
    if (!good)
        diag_error(call->diag, DIAG_device, (Span){0}, "kernel-failed", "%s", dev->failure);
    return good;
}

/* As a kernel of the GPU: that some index is bad, not which. */
static bool check(Kernel *kernel, Diag *diag)
{
    const NegKernel *k = kernel->impl;
    for (int64_t i = 0; k->index && i < tensor_numel(k->index); i++) {
        int64_t at = ((int64_t *)tensor_data(k->index))[i];
        if (at >= 0 && at < k->rows)
            continue;
        diag_error(diag, DIAG_compile, (Span){0}, "index-out-of-range", "an index");
        return false;
    }
    return true;
}

static void drop(Kernel *kernel)
{
    NegKernel *k = kernel->impl;
    tensor_unref(k->index);
    if (!k->device->lost)
        cuda_of(k->device)->fn.module_unload(k->module);
    device_unref(k->device);
    free(k);
    free(kernel);
}

static const Executor exec_negate = {
    .name = "negate",
    .kind = EXEC_stateful,
    .can = can,
    .compile = compile,
    .launch = launch,
    .check = check,
    .drop = drop,
    .device = &cuda_driver,
};

/* Takes the composite whole, on the host. */
static bool whole_can(const Trace *t, NodeId n, StrBuf *why_not)
{
    sb_puts(why_not, "takes composites only");
    return t->nodes[n].span > 1;
}

static bool whole_run(ExecCall *call)
{
    diag_error(call->diag, DIAG_compile, (Span){0}, "whole", "nothing should come here");
    return false;
}

static const Executor exec_whole = {
    .name = "whole", .kind = EXEC_operator, .can = whole_can, .run = whole_run};

#endif
