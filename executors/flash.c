/*
 * flash.c - the executor of attention on a GPU by a kernel of our own.
 *
 * Input: the composites of attention, whole, that cuDNN leaves over: masks, f32, grouped heads, any
 * width up to 256. Output: results by kernels that keep no scores; operands are read as they lie,
 * results written where the plan wants them.
 */
#include "cuda_kernels.h"
#include "executors.h"
#include "flash_node.h"

#include <stdlib.h>
#include <string.h>

typedef struct FlashKernel {
    Arena arena;
    OpenDevice *device; /* NULL: text only */
    Flash f;
    CudaCode code;
    FlashLaunch launch[FLASH_LAUNCHES];
} FlashKernel;

static bool available(StrBuf *why_not)
{
    return cuda_seems_present(why_not);
}

static bool can(const Trace *t, NodeId n, StrBuf *why_not)
{
    return flash_takes(t, n, why_not);
}

/* Of all but the logarithms, which lie densely. */
static bool lays(const Trace *t, NodeId n, ValueId v, const int64_t *strides)
{
    StrBuf why = {0};
    Arena a = {0};
    Flash f = {0};
    bool good = flash_takes(t, n, &why);
    if (good)
        flash_read(&f, &a, t, n);
    for (uint32_t i = 0; i < FLASH_IN && good; i++)
        good = f.in[i] != v || (i != FLASH_logs && flash_lays(&f.in_type[i], strides));
    for (uint32_t i = 0; i < f.nout && good; i++)
        good = f.out[i] != v ||
               ((f.backward ? i < 3 : i == 0) && flash_lays(&f.out_type[i], strides));
    arena_free(&a);
    sb_free(&why);
    return good;
}

/* ------------------------------------------------------------------------------------ compiling */

static void drop(Kernel *k)
{
    if (!k)
        return;
    FlashKernel *c = k->impl;
    if (c->device)
        cuda_code_free(&c->code, c->device);
    device_unref(c->device);
    arena_free(&c->arena);
    free(c);
    free(k);
}

static Kernel *prepare(const Trace *t, NodeId n, const CompileOptions *o)
{
    Kernel *k = calloc(1, sizeof *k);
    FlashKernel *c = calloc(1, sizeof *c);
    StrBuf text = {0};
    if (!k || !c)
        abort();
    *k = (Kernel){.executor = &exec_flash, .impl = c};
    flash_read(&c->f, &c->arena, t, n);
    if (o->device)
        c->f.shared_max = (uint32_t)o->device->info.shared_max;
    flash_text(&c->f, &text);
    k->name = arena_str(&c->arena, t->values[c->f.out[0]].name);
    k->text = arena_str(&c->arena, o->edited_text.n ? o->edited_text : sb_str(&text));
    sb_free(&text);
    c->code.plan.nlaunch = flash_launches(&c->f, c->launch);
    for (uint32_t i = 0; i < c->code.plan.nlaunch; i++) {
        GenLaunch *l = &c->code.plan.launch[i];
        strncpy(l->name, c->launch[i].name, sizeof l->name - 1);
        l->shared = c->launch[i].shared;
        l->grid[0] = (uint32_t)c->launch[i].blocks;
        l->block[0] = c->launch[i].threads;
        l->grid[1] = l->grid[2] = l->block[1] = l->block[2] = 1;
        l->early = true;
    }
    return k;
}

/* Widths near the most need more shared memory than small devices have. */
static bool fits_device(const Kernel *k, const CompileOptions *o, Diag *d)
{
    const FlashKernel *c = k->impl;
    uint32_t most = 0;
    for (uint32_t i = 0; i < c->code.plan.nlaunch; i++)
        most = c->launch[i].shared > most ? c->launch[i].shared : most;
    if (!o->device || most <= o->device->info.shared_max)
        return true;
    DiagItem *item = diag_error(d, DIAG_device, (Span){0}, "no-kernel",
                                "%.*s: a block needs %u bytes of shared memory, %s has %lld",
                                STR(k->name), most, o->device->info.name,
                                (long long)o->device->info.shared_max);
    diag_help(d, item, "executor off flash");
    return false;
}

static bool compile_all(const Trace *t, const NodeId *nodes, uint32_t n, const CompileOptions *o,
                        Kernel **out, Diag *d)
{
    CudaBuild *list = calloc(n + 1, sizeof *list);
    if (!list)
        abort();
    for (uint32_t i = 0; i < n; i++) {
        out[i] = prepare(t, nodes[i], o);
        FlashKernel *c = out[i]->impl;
        list[i] = (CudaBuild){.kernel = out[i], .text = out[i]->text, .code = &c->code};
        c->device = o->device;
        if (o->device)
            o->device->refs++;
    }
    bool good = true;
    for (uint32_t i = 0; i < n && good; i++)
        good = fits_device(out[i], o, d);
    good = good && (!o->device || cuda_code_load(list, n, o, d));
    for (uint32_t i = 0; i < n && good; i++) {
        out[i]->hash = list[i].hash;
        out[i]->cached = list[i].cached;
        out[i]->compile_ns = list[i].compile_ns;
    }
    free(list);
    if (!good)
        kernels_drop(out, n);
    return good;
}

static bool compile(const Trace *t, NodeId n, const CompileOptions *o, Kernel **out, Diag *d)
{
    return compile_all(t, &n, 1, o, out, d);
}

static bool source(const Kernel *k, Str form, StrBuf *out)
{
    if (!str_is(form, "cuda"))
        return false;
    sb_add(out, k->text);
    return true;
}

/* ------------------------------------------------------------------------------------ launching */

typedef struct Arguments {
    Tensor *in[FLASH_IN], *out[FLASH_OUT], *made[FLASH_IN];
    uint64_t in_at[FLASH_IN], out_at[FLASH_OUT];
} Arguments;

static bool take_operand(ExecCall *call, const Flash *f, uint32_t i, Arguments *a)
{
    Tensor *t;
    if (!cuda_strided_input(call, f->in[i], &f->in_type[i], &a->in_at[i], &t))
        return false;
    bool good = i == FLASH_mask ? t->rank <= 4 : flash_lays(&f->in_type[i], t->strides);
    if (i == FLASH_logs)
        good = tensor_is_contiguous(t);
    if (!good) {
        a->made[i] = t = cuda_dense(call, t);
        if (!t || !tensor_on_device(t, call->device, false, &a->in_at[i]))
            return false;
    }
    a->in[i] = t;
    return true;
}

static bool take_result(ExecCall *call, const Flash *f, uint32_t i, Arguments *a)
{
    const Type *type = &f->out_type[i];
    bool strided = f->backward ? i < 3 : i == 0; /* logarithms and a mask's gradient are dense */
    bool good = strided && cuda_strided_output(call, f->out[i], type, &a->out_at[i], &a->out[i]) &&
                flash_lays(type, a->out[i]->strides);
    if (!good && !cuda_output(call, f->out[i], type, &a->out_at[i]))
        return false;
    a->out[i] = call->values[f->out[i]];
    return true;
}

static bool take_arguments(ExecCall *call, const Flash *f, Arguments *a)
{
    for (uint32_t i = 0; i < FLASH_IN; i++)
        if (f->in[i] && !take_operand(call, f, i, a))
            return false;
    for (uint32_t i = 0; i < f->nout; i++)
        if (!take_result(call, f, i, a))
            return false;
    return true;
}

static bool launch_all(const FlashKernel *k, ExecCall *call, bool early, FlashFacts *facts)
{
    CudaDevice *c = cuda_of(call->device);
    size_t bytes = (size_t)flash_scratch(&k->f);
    if (bytes && !device_take(call->device, bytes, &facts->sums))
        return device_no_memory(call->device, call->diag, (int64_t)bytes, "sums of a gradient");
    bool good = true;
    for (uint32_t i = 0; i < k->code.plan.nlaunch && good; i++) {
        facts->tiles = k->launch[i].tiles;
        void *params[] = {facts};
        CuResult r = cuda_launch_one(call->device, &k->code.plan.launch[i], early, k->code.fn[i],
                                     params);
        good = cuda_check(c, r, "attention");
    }
    if (bytes)
        device_give(call->device, facts->sums, bytes);
    return good && device_settled(call->device);
}

static bool launch(Kernel *k, ExecCall *call)
{
    const FlashKernel *c = k->impl;
    Arguments a = {0};
    FlashFacts facts;
    bool good = take_arguments(call, &c->f, &a);
    if (good) {
        flash_facts(&c->f, a.in, a.in_at, a.out, a.out_at, &facts);
        bool early = true; /* what was copied just before is waited for as always */
        for (uint32_t i = 0; i < FLASH_IN; i++)
            early = early && !a.made[i];
        good = launch_all(c, call, early, &facts);
    }
    for (uint32_t i = 0; i < FLASH_IN; i++)
        tensor_unref(a.made[i]);
    return good || cuda_failed(call, k->name);
}

static bool run(ExecCall *call)
{
    return cuda_needs_session(call, "flash");
}

const Executor exec_flash = {
    .name = "flash",
    .help = "attention on a GPU with any mask, in f32 too, by a kernel of our own",
    .kind = EXEC_stateful,
    .available = available,
    .can = can,
    .run = run,
    .compile = compile,
    .compile_all = compile_all,
    .launch = launch,
    .source = source,
    .drop = drop,
    .device = &cuda_driver,
    .lays = lays,
};
