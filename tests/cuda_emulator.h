/*
 * cuda_emulator.h - runs generated CUDA kernels without a GPU.
 *
 * Input: a kernel's text (core/gen). Output: its results, computed on the CPU: the text, behind
 * cuda_shim.h, is compiled as C++; each thread of a block is a fiber, blocks run one after another.
 * A barrier that some threads of a block never reach is found, as are writes behind the ends of
 * results and scratch memory and results that nobody writes. Fibers run forwards or backwards, so
 * a missing barrier changes a result. It is an Executor, so that whole programs run with it.
 */
#ifndef THUNDER_CUDA_EMULATOR_H
#define THUNDER_CUDA_EMULATOR_H

#include "executors.h"
#include "gen.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif
#include <unistd.h>

enum { EMU_THREADS = 2048, EMU_STACK = 64 << 10, EMU_GUARD = 256, EMU_POOL = 232448 };
enum { EMU_CLUSTER = 8, EMU_KNOWN = 64 };

typedef enum FiberState {
    FIBER_runs,
    FIBER_at_warp,
    FIBER_at_block,
    FIBER_at_cluster,
    FIBER_done,
} FiberState;

/* The part that cuda_shim.h knows comes first. */
typedef struct Emu {
    void (*sync)(int whole); /* 0 a warp, 1 a block, 2 a cluster */
    char (*slots)[16];
    char *pool, *pools; /* of the block, of the cluster's first */
    unsigned lane;
    struct { unsigned x, y, z; } thread, block;
} Emu;

typedef void EmuFunction(void **args);

/*
 * Where a thread was left. A kernel changes threads millions of times: swapcontext would ask the
 * kernel for the mask of signals each time, and the sanitizer clear what it knows of the stack.
 */
#ifdef __x86_64__
typedef void *EmuContext;

void emu_switch(EmuContext *leave, EmuContext *enter);
__asm__(".text\n"
        ".type emu_switch, @function\n"
        "emu_switch:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n    push %r13\n    push %r14\n    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov (%rsi), %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n"
        ".size emu_switch, . - emu_switch\n");
#else
typedef ucontext_t EmuContext;

static void emu_switch(EmuContext *leave, EmuContext *enter)
{
    swapcontext(leave, enter);
}
#endif

static Emu emu_machine;
static EmuContext emu_scheduler, emu_fibers[EMU_THREADS];
static FiberState emu_state[EMU_THREADS];
static uint32_t emu_now, emu_threads, emu_block; /* threads of a cluster, of a block */
static char emu_slots[EMU_THREADS][16], *emu_stacks, *emu_pool;
static EmuFunction *emu_function;
static void **emu_args;
static bool emu_backwards;
static GenTarget emu_target = {90, 132, 50 << 20, 227 << 10};
static uint32_t emu_schedule; /* that kernels are written with, as far as they have so many */

static void emu_sync(int whole)
{
    uint32_t me = emu_now;
    emu_state[me] = (FiberState)(FIBER_at_warp + whole);
    emu_switch(&emu_fibers[me], &emu_scheduler);
}

/* What a fiber does; it is never entered again when it is done. */
static void emu_body(void)
{
    emu_function(emu_args);
    emu_state[emu_now] = FIBER_done;
    emu_switch(&emu_fibers[emu_now], &emu_scheduler);
}

/* Lets go threads from `from` on that all wait like this, as far as they live; whether any did. */
static bool emu_release_all(FiberState how, uint32_t from, uint32_t n)
{
    bool all = true, some = false;
    for (uint32_t i = from; i < from + n && i < emu_threads; i++) {
        all = all && (emu_state[i] == how || emu_state[i] == FIBER_done);
        some = some || emu_state[i] == how;
    }
    for (uint32_t i = from; i < from + n && i < emu_threads && all && some; i++)
        if (emu_state[i] == how)
            emu_state[i] = FIBER_runs;
    return all && some;
}

/* Lets go who waits together: warps, else blocks, else the cluster; false when nobody can go on. */
static bool emu_release(void)
{
    bool any = false;
    for (uint32_t w = 0; w < emu_threads; w += 32)
        any |= emu_release_all(FIBER_at_warp, w, 32);
    for (uint32_t b = 0; b < emu_threads && !any; b += emu_block)
        any |= emu_release_all(FIBER_at_block, b, emu_block);
    return any || emu_release_all(FIBER_at_cluster, 0, emu_threads);
}

static void emu_make_fiber(uint32_t i)
{
    char *stack = emu_stacks + (size_t)i * EMU_STACK;
#ifdef __x86_64__
    /* Six registers, where to go on, and where that would return to. */
    void **top = (void **)(void *)(stack + EMU_STACK) - 8;
    memset(top, 0, 8 * sizeof *top);
    void (*body)(void) = emu_body;
    memcpy(&top[6], &body, sizeof body);
    emu_fibers[i] = top;
#else
    ucontext_t *f = &emu_fibers[i];
    getcontext(f);
    f->uc_stack.ss_sp = stack;
    f->uc_stack.ss_size = EMU_STACK;
    f->uc_link = &emu_scheduler;
    makecontext(f, emu_body, 0);
#endif
    emu_state[i] = FIBER_runs;
}

/* The blocks of a cluster from number `first` on. */
static bool emu_run_cluster(uint32_t first)
{
    for (uint32_t i = 0; i < emu_threads; i++)
        emu_make_fiber(i);
    for (bool live = true; live;) {
        live = false;
        for (uint32_t k = 0; k < emu_threads; k++) {
            uint32_t i = emu_backwards ? emu_threads - 1 - k : k;
            if (emu_state[i] != FIBER_runs)
                continue;
            emu_now = emu_machine.lane = i;
            emu_machine.thread.x = i % emu_block;
            emu_machine.block.x = first + i / emu_block;
            emu_machine.pool = emu_pool + i / emu_block * (size_t)EMU_POOL;
            emu_switch(&emu_scheduler, &emu_fibers[i]);
        }
        for (uint32_t i = 0; i < emu_threads; i++)
            live = live || emu_state[i] != FIBER_done;
        if (live && !emu_release())
            return false;
    }
    return true;
}

static bool emu_launch(const GenLaunch *l, EmuFunction *fn, void **args)
{
    if (!emu_stacks) {
        emu_stacks = mmap(NULL, (size_t)EMU_THREADS * EMU_STACK, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        emu_pool = aligned_alloc(256, (size_t)EMU_POOL * EMU_CLUSTER);
    }
    emu_machine.sync = emu_sync;
    emu_machine.slots = emu_slots;
    emu_machine.pools = emu_pool;
    emu_function = fn;
    emu_args = args;
    uint32_t blocks = l->cluster > 1 ? l->cluster : 1;
    emu_block = l->block[0];
    emu_threads = blocks * emu_block;
    for (uint32_t y = 0; y < l->grid[1]; y++)
        for (uint32_t x = 0; x < l->grid[0]; x += blocks) {
            for (uint32_t b = 0; b < blocks; b++)
                memset(emu_pool + b * (size_t)EMU_POOL, 0xff, l->shared);
            emu_machine.block.y = y;
            if (!emu_run_cluster(x))
                return false;
        }
    return true;
}

/* ------------------------------------------------------------------------------------- executor */

typedef struct EmuKernel {
    Kernel k;
    Arena arena;
    GenCuda plan;
    EmuFunction *fn[MAX_LAUNCHES];
    void *lib;
    uint32_t nin, nout;
    ValueId in[MAX_REGION_INPUTS], out[MAX_OUTPUTS];
} EmuKernel;

static const Executor exec_emulated;

static bool emu_can(const Trace *t, NodeId n, StrBuf *why_not)
{
    Arena a = {0};
    Region r;
    bool fits = t->nodes[n].span == 1 && gen_takes(t, n, why_not) && gen_region(t, n, &a, &r) &&
                gen_fits_cuda(&r, why_not);
    arena_free(&a);
    return fits;
}

static void emu_in_place(const Trace *t, NodeId n, Overlay *pairs, uint32_t npairs)
{
    Arena a = {0};
    Region r;
    if (gen_region(t, n, &a, &r))
        gen_in_place(&r, true, pairs, npairs);
    arena_free(&a);
}

static bool emu_write(const Trace *t, NodeId n, uint32_t number, const CompileOptions *o,
                      EmuKernel *k, StrBuf *text, Diag *diag)
{
    Region r = {0};
    StrBuf why = {0};
    GenOptions options = {.eager_rounding = o->eager_rounding};
    char symbol[40];
    snprintf(symbol, sizeof symbol, "k%u", number);
    bool good = gen_region(t, n, &k->arena, &r);
    uint32_t most = good ? gen_cuda_schedules(&r, &emu_target) : 0;
    uint32_t schedule = emu_schedule < most ? emu_schedule : 0;
    good = good && gen_cuda(&r, &options, &emu_target, schedule, symbol, &k->plan, text, &why);
    if (!good)
        diag_error(diag, DIAG_compile, t->nodes[n].src, "no-kernel", "%s", sb_cstr(&why));
    sb_free(&why);
    if (!good)
        return false;
    for (uint32_t i = 0; i < k->plan.nlaunch; i++)
        sb_printf(text, "EMU_KERNEL(%s)\n", k->plan.launch[i].name);
    k->nin = gen_inputs(&r, k->in);
    k->nout = r.nouts;
    memcpy(k->out, r.outs, r.nouts * sizeof *r.outs);
    return true;
}

/* Compiles the text and opens it. */
static void *emu_compile_text(const StrBuf *text, Diag *diag)
{
    char source[64] = "/tmp/thunder-emu-XXXXXX", object[80], command[400];
    int fd = mkstemp(source);
    snprintf(object, sizeof object, "%s.so", source);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f)
        return NULL;
    fwrite(text->p, 1, text->n, f);
    fclose(f);
    snprintf(command, sizeof command,
             "g++ -std=c++17 -O1 -w -fPIC -shared -ffp-contract=off -x c++ -o %s %s 2>%s.log",
             object, source, source);
    void *lib = system(command) == 0 ? dlopen(object, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!lib) {
        diag_error(diag, DIAG_compile, (Span){0}, "kernel-compile", "see %s and %s.log", source,
                   source);
        return NULL;
    }
    unlink(source);
    unlink(object);
    snprintf(command, sizeof command, "%s.log", source);
    unlink(command);
    return lib;
}

/* The same text is compiled once. */
static void *emu_build(const StrBuf *text, Diag *diag)
{
    static struct { char *text; void *lib; } known[EMU_KNOWN];
    static uint32_t nknown;
    for (uint32_t i = 0; i < nknown && i < EMU_KNOWN; i++)
        if (strcmp(known[i].text, text->p) == 0)
            return known[i].lib;
    void *lib = emu_compile_text(text, diag);
    if (!lib)
        return NULL;
    uint32_t at = nknown++ % EMU_KNOWN;
    free(known[at].text);
    known[at].text = strdup(text->p);
    known[at].lib = lib;
    return lib;
}

static void emu_drop(Kernel *kernel)
{
    EmuKernel *k = (EmuKernel *)kernel;
    if (!k)
        return;
    arena_free(&k->arena);
    free(k);
}

static bool emu_compile_all(const Trace *t, const NodeId *nodes, uint32_t n,
                            const CompileOptions *o, Kernel **out, Diag *diag)
{
    StrBuf text = {0};
    bool good = true;
    add_file(TEST_DIR "/cuda_shim.h", &text);
    sb_puts(&text, gen_cuda_prelude());
    for (uint32_t i = 0; i < n; i++) {
        EmuKernel *k = calloc(1, sizeof *k);
        out[i] = &k->k;
        k->k.executor = &exec_emulated;
        k->k.name = S("emulated");
        k->k.impl = k;
        good = good && emu_write(t, nodes[i], i, o, k, &text, diag);
    }
    void *lib = good ? emu_build(&text, diag) : NULL;
    sb_free(&text);
    void *set = lib ? dlsym(lib, "emu_set") : NULL;
    for (uint32_t i = 0; lib && i < n; i++) {
        EmuKernel *k = (EmuKernel *)out[i];
        for (uint32_t l = 0; l < k->plan.nlaunch; l++) {
            char name[120];
            snprintf(name, sizeof name, "emu_%s", k->plan.launch[l].name);
            void *fn = dlsym(lib, name);
            memcpy(&k->fn[l], &fn, sizeof fn);
        }
    }
    void (*setter)(Emu *);
    memcpy(&setter, &set, sizeof set);
    if (lib)
        setter(&emu_machine);
    for (uint32_t i = 0; i < n && !lib; i++) {
        emu_drop(out[i]);
        out[i] = NULL;
    }
    return lib != NULL;
}

static bool emu_compile(const Trace *t, NodeId n, const CompileOptions *o, Kernel **out, Diag *diag)
{
    return emu_compile_all(t, &n, 1, o, out, diag);
}

static bool emu_fail(ExecCall *call, const char *what)
{
    diag_error(call->diag, DIAG_compile, (Span){0}, "emulator", "%s", what);
    return false;
}

/* The memory of an input over which a result is to be put; NULL = it is to have its own. */
static char *emu_place(const Tensor *result, Tensor *const *in, uint32_t nin)
{
    for (uint32_t i = 0; result && i < nin; i++)
        if (tensor_data(result) == tensor_data(in[i]))
            return tensor_data(in[i]);
    return NULL;
}

static bool emu_launch_kernel(Kernel *kernel, ExecCall *call)
{
    EmuKernel *k = (EmuKernel *)kernel;
    void *args[MAX_REGION_INPUTS + MAX_OUTPUTS + 2];
    Tensor *in[MAX_REGION_INPUTS] = {0};
    char *result[MAX_OUTPUTS] = {0}, *scratch = NULL;
    uint32_t n = 0;
    int error = 0;
    for (uint32_t i = 0; i < k->nin; i++) {
        in[i] = tensor_contiguous(call->values[k->in[i]]);
        args[n++] = tensor_data(in[i]);
    }
    for (uint32_t i = 0; i < k->nout; i++) {
        size_t bytes = (size_t)type_bytes(&call->t->values[k->out[i]].type);
        args[n] = emu_place(call->values[k->out[i]], in, k->nin);
        if (args[n] && ++n)
            continue;
        result[i] = aligned_alloc(256, (bytes + EMU_GUARD + 255) / 256 * 256);
        memset(result[i], 0xcd, (bytes + EMU_GUARD + 255) / 256 * 256);
        args[n++] = result[i];
    }
    if (k->plan.scratch) {
        size_t bytes = ((size_t)k->plan.scratch + EMU_GUARD + 255) / 256 * 256;
        args[n++] = scratch = aligned_alloc(256, bytes);
        memset(scratch, 0xcd, bytes);
        memset(scratch, 0, (size_t)k->plan.zeros);
    }
    args[n++] = &error;
    bool good = true;
    for (uint32_t l = 0; l < k->plan.nlaunch && good; l++)
        if (!emu_launch(&k->plan.launch[l], k->fn[l], args))
            good = emu_fail(call, "threads wait for each other at different barriers");
    for (int64_t i = 0; i < k->plan.zeros && good; i++)
        if (scratch[i] != 0)
            good = emu_fail(call, "leaves a ticket behind");
    for (uint32_t i = 0; scratch && i < EMU_GUARD; i++)
        if ((unsigned char)scratch[k->plan.scratch + i] != 0xcd && good)
            good = emu_fail(call, "writes behind the scratch memory");
    for (uint32_t i = 0; i < k->nout; i++) {
        const Type *type = &call->t->values[k->out[i]].type;
        size_t bytes = (size_t)type_bytes(type);
        if (!result[i])
            continue;
        for (uint32_t g = 0; g < EMU_GUARD; g++)
            if ((unsigned char)result[i][bytes + g] != 0xcd && good)
                good = emu_fail(call, "writes behind a result");
        Tensor *t = tensor_new((DType)type->dtype, type->device, type->rank, type->shape);
        if (bytes)
            memcpy(tensor_data(t), result[i], bytes);
        tensor_unref(call->values[k->out[i]]);
        call->values[k->out[i]] = t;
        free(result[i]);
    }
    for (uint32_t i = 0; i < k->nin; i++)
        tensor_unref(in[i]);
    free(scratch);
    if (good && error) {
        diag_error(call->diag, DIAG_compile, (Span){0}, "zero-division",
                   "integer division by zero");
        good = false;
    }
    return good;
}

static bool emu_run(ExecCall *call)
{
    Kernel *k = NULL;
    CompileOptions o = {0};
    bool good = emu_compile(call->t, call->node, &o, &k, call->diag) && emu_launch_kernel(k, call);
    emu_drop(k);
    return good;
}

static const Executor exec_emulated = {
    .name = "emulated",
    .help = "runs CUDA kernels on the CPU, for tests",
    .kind = EXEC_fusion,
    .both_ways = true,
    .products = true,
    .can = emu_can,
    .in_place = emu_in_place,
    .run = emu_run,
    .compile = emu_compile,
    .compile_all = emu_compile_all,
    .launch = emu_launch_kernel,
    .drop = emu_drop,
};

#endif
