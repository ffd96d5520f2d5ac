/*
 * cuda.c - the executor that runs regions and single prims as generated CUDA kernels.
 *
 * Input: a node that it claimed. Output: a kernel compiled by NVRTC, loaded on the GPU, and its
 * launches on dense tensors there. core/gen writes the text; kernels of equal text share a module.
 */
#include "cuda_move.h"
#include "executors.h"

#include <stdlib.h>
#include <string.h>

/* What launch needs to know, so that it looks at nothing in the trace. */
typedef struct CudaKernel {
    Arena arena;
    OpenDevice *device; /* NULL: text only */
    CudaCode code;
    uint32_t nin, nout;
    ValueId in[MAX_REGION_INPUTS], out[MAX_OUTPUTS];
    Type in_type[MAX_REGION_INPUTS], out_type[MAX_OUTPUTS];
    int *flag; /* set by the kernel: 1 a division by zero, 2 an index out of range */
    CudaTuning *tuning; /* schedules still to be measured; NULL = none */
    CudaMove *move;     /* instead of generated code */
} CudaKernel;

static const GenTarget any_target = {.arch = 90, .sms = 132, .l2 = 50 << 20, .shared_max = 232448};

static bool available(StrBuf *why_not)
{
    return cuda_seems_present(why_not);
}

static bool is_move(const Trace *t, NodeId n)
{
    StrBuf why = {0};
    bool move = t->nodes[n].span == 1 && cuda_move_takes(t, n, &why);
    sb_free(&why);
    return move;
}

static bool can(const Trace *t, NodeId n, StrBuf *why_not)
{
    if (t->nodes[n].span != 1) {
        sb_puts(why_not, "takes prims only");
        return false;
    }
    if (is_move(t, n))
        return true;
    if (!gen_takes(t, n, why_not))
        return false;
    Arena a = {0};
    Region r;
    bool fits = gen_region(t, n, &a, &r) && gen_fits_cuda(&r, why_not);
    if (fits && gen_cuda_schedules(&r, &any_target) == 0) {
        sb_puts(why_not, "has no CUDA text for it");
        fits = false;
    }
    arena_free(&a);
    return fits;
}

/* A cat goes through its operands by their strides. */
static bool lays(const Trace *t, NodeId n, ValueId v, const int64_t *strides)
{
    (void)strides;
    const Node *node = &t->nodes[n];
    return node->op->id == PRIM_cat && node->out.v != v && is_move(t, n);
}

static void in_place(const Trace *t, NodeId n, Overlay *pairs, uint32_t npairs)
{
    Arena a = {0};
    Region r;
    if (!is_move(t, n) && gen_region(t, n, &a, &r))
        gen_in_place(&r, true, pairs, npairs);
    arena_free(&a);
}

/* ------------------------------------------------------------------------------------ compiling */

static void drop(Kernel *k)
{
    if (!k)
        return;
    CudaKernel *c = k->impl;
    cuda_code_free(&c->code, c->device);
    cuda_tuning_free(c->tuning, c->device);
    device_unref(c->device);
    arena_free(&c->arena);
    free(c);
    free(k);
}

static void note_values(CudaKernel *c, const Region *r)
{
    c->nin = gen_inputs(r, c->in);
    c->nout = r->nouts;
    for (uint32_t i = 0; i < c->nin; i++)
        c->in_type[i] = type_own(&c->arena, &r->t->values[c->in[i]].type);
    for (uint32_t i = 0; i < c->nout; i++) {
        c->out[i] = r->outs[i];
        c->out_type[i] = type_own(&c->arena, &r->t->values[r->outs[i]].type);
    }
}

static int *flag_of(OpenDevice *dev)
{
    CudaDevice *c = cuda_of(dev);
    return &c->flags[c->nflags++ % (MAX_FLAGS - 1)]; /* the last one tells progress */
}

static void use_device(CudaKernel *c, OpenDevice *dev)
{
    if (!dev)
        return;
    c->device = dev;
    dev->refs++;
    c->flag = flag_of(dev);
}

static Kernel *new_kernel(const Trace *t, NodeId n)
{
    Kernel *k = calloc(1, sizeof *k);
    CudaKernel *c = calloc(1, sizeof *c);
    if (!k || !c)
        abort();
    *k = (Kernel){.executor = &exec_cuda, .impl = c};
    k->name = arena_str(&c->arena, statement_name(t, n));
    return k;
}

/* Text and launch facts; nothing is compiled yet. NULL after an error. */
static Kernel *prepare(const Trace *t, NodeId n, const CompileOptions *o, Diag *d)
{
    Kernel *k = new_kernel(t, n);
    CudaKernel *c = k->impl;
    if (is_move(t, n)) {
        c->move = cuda_move_new(&c->arena, t, n);
        use_device(c, o->device);
        return k;
    }
    GenTarget target = o->device ? cuda_target(o->device) : any_target;
    GenOptions options = {.eager_rounding = o->eager_rounding};
    StrBuf text = {0}, why = {0};
    Region r = {0};
    bool good = gen_region(t, n, &c->arena, &r) &&
                gen_cuda(&r, &options, &target, 0, "kernel", &c->code.plan, &text, &why);
    if (good) {
        k->text = arena_str(&c->arena, o->edited_text.n ? o->edited_text : sb_str(&text));
        note_values(c, &r);
        use_device(c, o->device);
        if (o->tune && o->device && o->edited_text.n == 0)
            c->tuning = cuda_tuning_new(&r, &options, &target, k->text, o);
    } else {
        DiagItem *item = diag_error(d, DIAG_compile, t->nodes[n].src, "no-kernel",
                                    "no CUDA kernel for %.*s: %s", STR(k->name), sb_cstr(&why));
        diag_help(d, item, "executor off cuda");
        drop(k);
        k = NULL;
    }
    sb_free(&text);
    sb_free(&why);
    return k;
}

static bool compile_all(const Trace *t, const NodeId *nodes, uint32_t n, const CompileOptions *o,
                        Kernel **out, Diag *d)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i] = prepare(t, nodes[i], o, d);
        if (!out[i]) {
            kernels_drop(out, i);
            return false;
        }
    }
    if (!o->device)
        return true;
    CudaBuild *list = calloc(n + 1, sizeof *list);
    if (!list)
        abort();
    uint32_t texts = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!((CudaKernel *)out[i]->impl)->move)
            list[texts++] = (CudaBuild){.kernel = out[i], .text = out[i]->text,
                                        .code = &((CudaKernel *)out[i]->impl)->code};
    bool good = cuda_code_load(list, texts, o, d);
    for (uint32_t i = 0; i < texts; i++) {
        list[i].kernel->hash = list[i].hash;
        list[i].kernel->cached = list[i].cached;
        list[i].kernel->compile_ns = list[i].compile_ns;
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

/* ------------------------------------------------------------------------------------ launching */

/* Schedules are measured on the arguments of the first launch, which must find its inputs as they
 * are: where a result lies over one, it goes elsewhere meanwhile. */
static void tune(CudaKernel *c, OpenDevice *dev, const uint64_t *at, uint32_t n)
{
    uint64_t apart[MAX_REGION_INPUTS + MAX_OUTPUTS + 2], taken[MAX_OUTPUTS] = {0};
    bool good = true;
    memcpy(apart, at, n * sizeof *at);
    for (uint32_t i = 0; i < c->nout && good; i++)
        for (uint32_t k = 0; k < c->nin && good && !taken[i]; k++)
            if (at[c->nin + i] == at[k]) {
                good = device_take(dev, (size_t)type_bytes(&c->out_type[i]), &taken[i]);
                apart[c->nin + i] = taken[i];
            }
    if (good)
        cuda_tune(c->tuning, dev, apart, n, c->flag, &c->code);
    for (uint32_t i = 0; i < c->nout; i++)
        if (taken[i])
            device_give(dev, taken[i], (size_t)type_bytes(&c->out_type[i]));
    cuda_tuning_free(c->tuning, c->device);
    c->tuning = NULL;
}

static bool launch(Kernel *k, ExecCall *call)
{
    CudaKernel *c = k->impl;
    uint64_t at[MAX_REGION_INPUTS + MAX_OUTPUTS + 2];
    Tensor *made[MAX_REGION_INPUTS] = {0};
    uint32_t n = 0;
    bool good = true;
    if (c->move)
        return (cuda_move_launch(c->move, call) && device_settled(call->device)) ||
               cuda_failed(call, k->name);
    for (uint32_t i = 0; i < c->nin && good; i++)
        good = cuda_input(call, c->in[i], &c->in_type[i], &at[n++], &made[i]);
    for (uint32_t i = 0; i < c->nout && good; i++)
        good = cuda_output(call, c->out[i], &c->out_type[i], &at[n++]);
    if (good && c->tuning && !call->device->held)
        tune(c, call->device, at, n);
    c->code.late = false;
    for (uint32_t i = 0; i < c->nin; i++)
        c->code.late = c->code.late || made[i];
    good = good && cuda_code_launch(&c->code, call->device, at, n, c->flag);
    for (uint32_t i = 0; i < c->nin; i++)
        tensor_unref(made[i]);
    return good || cuda_failed(call, k->name);
}

static bool check(Kernel *k, Diag *d)
{
    CudaKernel *c = k->impl;
    int bad = *c->flag;
    if (!bad)
        return true;
    *c->flag = 0;
    const char *code = bad == 2 ? "index-out-of-range" : "zero-division";
    diag_error(d, DIAG_compile, (Span){0}, code, "%.*s: %s", STR(k->name),
               bad == 2 ? "an index is out of range" : "integer division by zero");
    return false;
}

static bool source(const Kernel *k, Str form, StrBuf *out)
{
    if (!str_is(form, "cuda") || k->text.n == 0)
        return false;
    sb_add(out, k->text);
    return true;
}

/* NVRTC stays loaded when it is closed. */
static void ahead(Str folder)
{
    StrBuf why = {0};
    nvrtc_close(nvrtc_open(folder, &why));
    sb_free(&why);
}

static bool run(ExecCall *call)
{
    return cuda_needs_session(call, "cuda");
}

const Executor exec_cuda = {
    .name = "cuda",
    .help = "compiles fused regions and single prims to CUDA with NVRTC",
    .kind = EXEC_fusion,
    .both_ways = true,
    .products = true,
    .available = available,
    .can = can,
    .in_place = in_place,
    .run = run,
    .compile = compile,
    .compile_all = compile_all,
    .launch = launch,
    .source = source,
    .drop = drop,
    .device = &cuda_driver,
    .ahead = ahead,
    .check = check,
    .lays = lays,
    .cats_in_place = true,
};
