/*
 * c.c - the executor that runs regions and single prims as generated C.
 *
 * Input: a node that it claimed. Output: a kernel compiled by the system's C compiler, and its
 * launches on dense tensors. core/gen writes the text, cc.c compiles and loads it.
 */
#include "cc.h"
#include "executors.h"
#include "gen.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* What launch needs to know, so that it looks at nothing in the trace. */
typedef struct CLaunch {
    CcKernel cc;
    CcKernel any_angle;     /* the same text compiled for every angle, when that was needed */
    CompileOptions options; /* to compile that; texts are in the arena */
    Arena arena;
    uint32_t nin, nout;
    ValueId in[MAX_REGION_INPUTS], out[MAX_OUTPUTS];
    Type in_type[MAX_REGION_INPUTS], out_type[MAX_OUTPUTS];
} CLaunch;

static bool available(StrBuf *why_not)
{
    char path[256];
    if (cc_find(path, sizeof path))
        return true;
    sb_puts(why_not, "no C compiler (gcc, cc or clang) was found");
    return false;
}

static bool can(const Trace *t, NodeId n, StrBuf *why_not)
{
    if (t->nodes[n].span != 1) {
        sb_puts(why_not, "takes prims only");
        return false;
    }
    if (!gen_takes(t, n, why_not))
        return false;
    Arena a = {0};
    Region r;
    bool fits = gen_region(t, n, &a, &r) && gen_fits(&r, why_not);
    arena_free(&a);
    return fits;
}

static double cost(const Trace *t, NodeId n)
{
    ValueId values[MAX_OUTPUTS];
    double bytes = 0;
    Arg args = {.kind = ARG_tuple, .n = t->nodes[n].nargs, .items = t->nodes[n].args};
    uint32_t found = arg_values(args, values, MAX_OUTPUTS);
    for (uint32_t i = 0; i < found && i < MAX_OUTPUTS; i++)
        bytes += (double)type_bytes(&t->values[values[i]].type);
    found = arg_values(t->nodes[n].out, values, MAX_OUTPUTS);
    for (uint32_t i = 0; i < found && i < MAX_OUTPUTS; i++)
        bytes += (double)type_bytes(&t->values[values[i]].type);
    return 2e-6 + bytes * 1e-10;
}

static void in_place(const Trace *t, NodeId n, Overlay *pairs, uint32_t npairs)
{
    Arena a = {0};
    Region r;
    if (gen_region(t, n, &a, &r))
        gen_in_place(&r, false, pairs, npairs);
    arena_free(&a);
}

/* ------------------------------------------------------------------------------------ compiling */

static void drop(Kernel *k)
{
    if (!k)
        return;
    CLaunch *l = k->impl;
    if (l->cc.lib)
        dlclose(l->cc.lib);
    if (l->any_angle.lib)
        dlclose(l->any_angle.lib);
    arena_free(&l->arena);
    free(l);
    free(k);
}

/* What of the options a second compilation needs; it happens in the middle of a run. */
static void keep_options(CLaunch *l, const CompileOptions *o)
{
    StrBuf flags = {0};
    sb_printf(&flags, GEN_ANY_ANGLE " %.*s", STR(o->flags));
    l->options = (CompileOptions){.cache_dir = arena_str(&l->arena, o->cache_dir),
                                  .compiler = arena_str(&l->arena, o->compiler),
                                  .flags = arena_str(&l->arena, sb_str(&flags)),
                                  .fast_math = o->fast_math,
                                  .interrupt = o->interrupt};
    sb_free(&flags);
}

/* Text and launch facts; the kernel is not loaded yet. NULL after an error. */
static Kernel *prepare(const Trace *t, NodeId n, const CompileOptions *o, Diag *d)
{
    Kernel *k = calloc(1, sizeof *k);
    CLaunch *l = calloc(1, sizeof *l);
    if (!k || !l)
        abort();
    *k = (Kernel){.executor = &exec_c, .impl = l};
    k->name = arena_str(&l->arena, statement_name(t, n));
    GenOptions options = {.eager_rounding = o->eager_rounding};
    StrBuf text = {0}, why = {0};
    Region r = {0};
    bool good = gen_region(t, n, &l->arena, &r);
    if (good)
        gen_sources(&r, &text);
    good = good && gen_c(&r, &options, "kernel", &text, &why);
    if (good) {
        k->text = arena_str(&l->arena, o->edited_text.n ? o->edited_text : sb_str(&text));
        l->cc.text = k->text;
        keep_options(l, o);
        l->nin = gen_inputs(&r, l->in);
        l->nout = r.nouts;
        for (uint32_t i = 0; i < l->nin; i++)
            l->in_type[i] = type_own(&l->arena, &t->values[l->in[i]].type);
        for (uint32_t i = 0; i < l->nout; i++) {
            l->out[i] = r.outs[i];
            l->out_type[i] = type_own(&l->arena, &t->values[r.outs[i]].type);
        }
    } else {
        DiagItem *item = diag_error(d, DIAG_compile, t->nodes[n].src, "no-kernel",
                                    "no C kernel for %.*s: %s", STR(k->name), sb_cstr(&why));
        diag_help(d, item, "executor off c");
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
    uint64_t start = clock_ns();
    for (uint32_t i = 0; i < n; i++) {
        out[i] = prepare(t, nodes[i], o, d);
        if (!out[i]) {
            kernels_drop(out, i);
            return false;
        }
    }
    CcKernel *list = calloc(n + 1, sizeof *list);
    if (!list)
        abort();
    for (uint32_t i = 0; i < n; i++)
        list[i] = ((CLaunch *)out[i]->impl)->cc;
    bool good = cc_load(list, n, gen_c_prelude(), o, d);
    for (uint32_t i = 0; i < n; i++) {
        ((CLaunch *)out[i]->impl)->cc = list[i];
        out[i]->hash = list[i].hash;
        out[i]->cached = list[i].cached;
        memcpy(&out[i]->code, &list[i].fn, sizeof list[i].fn);
        out[i]->edited = o->edited_text.n > 0;
        out[i]->compile_ns = list[i].cached ? 0 : clock_ns() - start;
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

static void compile_ahead(const KernelSpec *specs, uint32_t n, const CompileOptions *o)
{
    Diag d = {0};
    CcKernel *list = calloc(n + 1, sizeof *list);
    Kernel **made = calloc(n + 1, sizeof *made);
    if (!list || !made)
        abort();
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        if ((made[count] = prepare(specs[i].t, specs[i].n, o, &d))) {
            list[count] = ((CLaunch *)made[count]->impl)->cc;
            count++;
        }
    cc_fill_cache(list, count, gen_c_prelude(), o);
    kernels_drop(made, count);
    free(made);
    free(list);
    diag_clear(&d);
}

/* ------------------------------------------------------------------------------------ launching */

static bool no_memory(ExecCall *call, ValueId v)
{
    const Value *value = value_get(call->t, v);
    diag_error(call->diag, DIAG_compile, (Span){0}, "out-of-memory",
               "not enough memory for %.*s (%lld bytes)", STR(value->name),
               (long long)type_bytes(&value->type));
    return false;
}

/* The dense tensor of input i; a copy of another layout goes to *made. */
static bool take_input(ExecCall *call, const CLaunch *l, uint32_t i, void **p, Tensor **made)
{
    Tensor *t = call->values[l->in[i]];
    const Value *value = value_get(call->t, l->in[i]);
    if (!t || !tensor_is_of(t, &l->in_type[i])) {
        diag_error(call->diag, DIAG_compile, (Span){0}, "no-value",
                   "%.*s has no value of its type: it is not bound, or was deleted",
                   STR(value->name));
        return false;
    }
    if (!tensor_is_contiguous(t)) {
        *made = t = tensor_contiguous(t);
        if (!t)
            return no_memory(call, l->in[i]);
    }
    *p = tensor_data(t);
    return true;
}

static bool make_output(ExecCall *call, const CLaunch *l, uint32_t i, void **p)
{
    Tensor **place = &call->values[l->out[i]];
    const Type *type = &l->out_type[i];
    if (*place && !(tensor_is_of(*place, type) && tensor_is_contiguous(*place))) {
        tensor_unref(*place);
        *place = NULL;
    }
    if (!*place)
        *place = tensor_new((DType)type->dtype, type->device, type->rank, type->shape);
    if (!*place)
        return no_memory(call, l->out[i]);
    *p = tensor_data(*place);
    return true;
}

/* Launches again, with functions that take every angle. */
static bool launch_any_angle(CLaunch *l, void **in, void **out, int *bad, Diag *d)
{
    if (!l->any_angle.fn) {
        l->any_angle.text = l->cc.text;
        if (!cc_load(&l->any_angle, 1, gen_c_prelude(), &l->options, d))
            return false;
    }
    *bad = l->any_angle.fn(in, out);
    return true;
}

static bool launch(Kernel *k, ExecCall *call)
{
    CLaunch *l = k->impl;
    void *in[MAX_REGION_INPUTS], *out[MAX_OUTPUTS];
    Tensor *made[MAX_REGION_INPUTS] = {0};
    bool good = true;
    for (uint32_t i = 0; i < l->nin && good; i++)
        good = take_input(call, l, i, &in[i], &made[i]);
    for (uint32_t i = 0; i < l->nout && good; i++)
        good = make_output(call, l, i, &out[i]);
    int bad = good ? l->cc.fn(in, out) : 0;
    if (bad & GEN_far_angles)
        good = launch_any_angle(l, in, out, &bad, call->diag);
    if (good && bad) {
        bool index = bad & GEN_index_range;
        diag_error(call->diag, DIAG_compile, (Span){0},
                   index ? "index-out-of-range" : "zero-division", "%.*s: %s", STR(k->name),
                   index ? "an index is out of range" : "integer division by zero");
        good = false;
    }
    for (uint32_t i = 0; i < l->nin; i++)
        tensor_unref(made[i]);
    return good;
}

static bool source(const Kernel *k, Str form, StrBuf *out)
{
    if (!str_is(form, "c"))
        return false;
    sb_add(out, k->text);
    return true;
}

static bool run(ExecCall *call)
{
    return exec_run_once(&exec_c, call);
}

const Executor exec_c = {
    .name = "c",
    .help = "compiles fused regions and single prims to C with the system's compiler",
    .kind = EXEC_fusion,
    .available = available,
    .can = can,
    .cost = cost,
    .in_place = in_place,
    .run = run,
    .compile = compile,
    .compile_all = compile_all,
    .compile_ahead = compile_ahead,
    .launch = launch,
    .source = source,
    .drop = drop,
};
