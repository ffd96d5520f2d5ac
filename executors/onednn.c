/*
 * onednn.c - the executor that runs matrix products, convolutions and pooling with oneDNN, and
 * attention block by block.
 *
 * Input: a node that it claimed. Output: primitives of the library, made once for the layouts in
 * which the operands come, and their launches. Where oneDNN is fastest in a layout of its own,
 * operands are moved there and results back.
 */
#include "executors.h"

#ifndef THUNDER_HAVE_ONEDNN

static bool available(StrBuf *why_not)
{
    sb_puts(why_not, "this build is without oneDNN (package libdnnl-dev)");
    return false;
}

static bool can(const Trace *t, NodeId n, StrBuf *why_not)
{
    (void)t;
    (void)n;
    return available(why_not);
}

static bool run(ExecCall *call)
{
    diag_error(call->diag, DIAG_compile, (Span){0}, "no-onednn", "this build is without oneDNN");
    return false;
}

const Executor exec_onednn = {
    .name = "onednn",
    .help = "matrix products, convolutions, pooling by oneDNN; attention in blocks",
    .kind = EXEC_operator,
    .available = available,
    .can = can,
    .run = run,
};

#else

#include "attention.h"
#include "attention_op.h"
#include "log.h"
#include "onednn.h"

#include <stdlib.h>
#include <string.h>
#ifdef THUNDER_HAVE_OPENMP
#include <omp.h>
#endif

/* An operand of a primitive: the tensor's memory, and oneDNN's own when it wants another layout. */
typedef struct Bound {
    dnnl_memory_t outer, inner;
    dnnl_primitive_t move; /* from one to the other */
    void *handle;          /* that outer has now */
} Bound;

typedef struct Step {
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t args[MAX_PARTS];
    Bound bound[MAX_PARTS];
    uint32_t n;
} Step;

typedef struct Launch {
    Arena arena;
    Work work;
    Step steps[MAX_JOBS];
    uint32_t nsteps;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    bool small; /* one thread does it */
    AttentionNode *attention; /* not NULL: it runs there, not in oneDNN */
    int64_t strides[MAX_OPERANDS][MAX_RANK]; /* for which the steps were made */
} Launch;

/* ----------------------------------------------------------------------------------- primitives */

/* oneDNN asks OpenMP for the number of threads, when a primitive is made and when it runs. */
static int use_threads(int n)
{
#ifdef THUNDER_HAVE_OPENMP
    int before = omp_get_max_threads();
    omp_set_num_threads(n);
    return before;
#else
    return n;
#endif
}

static Md part_md(const Job *j, int role, int other)
{
    const Part *p = job_part(j, role);
    if (!p)
        p = job_part(j, other);
    if (p && p->layout == LAYOUT_blocked)
        return md_blocked(p->rank, p->dims, p->type);
    return p ? md_new(p->rank, p->dims, p->type, p->layout == LAYOUT_free ? NULL : p->strides)
             : NULL;
}

static dnnl_primitive_attr_t attributes(const Job *j)
{
    dnnl_primitive_attr_t attr = NULL;
    dnnl_post_ops_t ops = NULL;
    if (j->activation == dnnl_alg_kind_undef || j->kind == JOB_eltwise ||
        dnnl_primitive_attr_create(&attr) != dnnl_success)
        return NULL;
    if (dnnl_post_ops_create(&ops) == dnnl_success && append_eltwise(ops, j->activation, 1, 0))
        dnnl_primitive_attr_set_post_ops(attr, ops);
    dnnl_post_ops_destroy(ops);
    return attr;
}

static const char *desc_info(const_dnnl_primitive_desc_t pd)
{
    const char *info = "";
    dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, (void *)&info);
    return info;
}

/* oneDNN falls back to plain loops for layouts that it has no code for. */
static bool is_plain_loop(const_dnnl_primitive_desc_t pd)
{
    return strncmp(desc_info(pd), "ref", 3) == 0;
}

static dnnl_primitive_desc_t desc_as_asked(dnnl_engine_t engine, const Job *j)
{
    Md src = part_md(j, DNNL_ARG_SRC, DNNL_ARG_DIFF_SRC);
    Md weights = part_md(j, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_WEIGHTS);
    Md bias = part_md(j, DNNL_ARG_BIAS, DNNL_ARG_DIFF_BIAS);
    Md dst = part_md(j, DNNL_ARG_DST, DNNL_ARG_DIFF_DST);
    dnnl_primitive_attr_t attr = attributes(j);
    dnnl_primitive_desc_t pd = NULL;
    bool single = j->kind == JOB_avg_pool || j->kind == JOB_eltwise;
    if (src && dst && (weights || single))
        pd = j->kind == JOB_eltwise  ? eltwise_desc(engine, j->activation, src, dst, 1, 0)
             : j->kind == JOB_matmul ? matmul_desc(engine, src, weights, bias, dst, attr)
             : j->kind == JOB_conv ? conv_desc(engine, j->pass, j->transposed, src, weights, bias,
                                               dst, &j->w, attr)
                                   : avg_pool_desc(engine, j->count_padding, src, dst, &j->w);
    if (attr)
        dnnl_primitive_attr_destroy(attr);
    md_free(src);
    md_free(weights);
    md_free(bias);
    md_free(dst);
    return pd;
}

/* The descriptor of a job's primitive; NULL when oneDNN has none. */
static dnnl_primitive_desc_t job_desc(dnnl_engine_t engine, const Job *j)
{
    dnnl_primitive_desc_t pd = desc_as_asked(engine, j);
    Job other = *j;
    bool blocked = false;
    for (uint32_t i = 0; i < other.nparts; i++) {
        blocked = blocked || other.parts[i].layout == LAYOUT_blocked;
        if (other.parts[i].layout == LAYOUT_blocked)
            other.parts[i].layout = LAYOUT_free;
    }
    if (!blocked || (pd && !is_plain_loop(pd)))
        return pd;
    dnnl_primitive_desc_destroy(pd);
    return desc_as_asked(engine, &other);
}

static void step_free(Step *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        dnnl_memory_destroy(s->bound[i].outer);
        dnnl_memory_destroy(s->bound[i].inner);
        dnnl_primitive_destroy(s->bound[i].move);
    }
    dnnl_primitive_destroy(s->primitive);
    *s = (Step){.n = 0};
}

static bool make_move(Launch *l, Bound *b, MdRef outer, MdRef inner, bool result)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_reorder_primitive_desc_create(&pd, result ? inner : outer, l->engine,
                                       result ? outer : inner, l->engine, NULL);
    bool good = pd && dnnl_primitive_create(&b->move, pd) == dnnl_success;
    dnnl_primitive_desc_destroy(pd);
    return good && dnnl_memory_create(&b->inner, inner, l->engine, DNNL_MEMORY_ALLOCATE) ==
                       dnnl_success;
}

static bool bind_part(Launch *l, Step *s, const Part *p, const_dnnl_primitive_desc_t pd)
{
    Bound *b = &s->bound[s->n];
    MdRef inner = dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, p->role);
    Md outer = md_new(p->rank, p->dims, p->type, p->strides);
    bool good = outer && dnnl_memory_create(&b->outer, outer, l->engine, DNNL_MEMORY_NONE) ==
                             dnnl_success;
    if (good && inner && p->layout != LAYOUT_own && !dnnl_memory_desc_equal(outer, inner))
        good = make_move(l, b, outer, inner, p->result);
    s->args[s->n++] = (dnnl_exec_arg_t){p->role, b->inner ? b->inner : b->outer};
    md_free(outer);
    return good;
}

static bool make_step(Launch *l, const Job *j)
{
    Step *s = &l->steps[l->nsteps++];
    dnnl_primitive_desc_t pd = job_desc(l->engine, j);
    bool good = pd && dnnl_primitive_create(&s->primitive, pd) == dnnl_success;
    for (uint32_t i = 0; i < j->nparts && good; i++)
        good = bind_part(l, s, &j->parts[i], pd);
    dnnl_primitive_desc_destroy(pd);
    return good;
}

static void drop_steps(Launch *l)
{
    for (uint32_t i = 0; i < l->nsteps; i++)
        step_free(&l->steps[i]);
    l->nsteps = 0;
}

static bool is_slow(const Launch *l)
{
    bool slow = false;
    for (uint32_t i = 0; i < l->nsteps; i++) {
        const_dnnl_primitive_desc_t pd = NULL;
        dnnl_primitive_get_primitive_desc(l->steps[i].primitive, &pd);
        slow = slow || is_plain_loop(pd);
    }
    return slow;
}

static bool make_steps(Launch *l, const Trace *t, NodeId n)
{
    StrBuf why = {0};
    drop_steps(l);
    bool good = work_read(t, n, &l->work, &why);
    l->small = good && job_work(&l->work.jobs[0]) < ONEDNN_THREADS_FROM;
    int threads = l->small ? use_threads(1) : 0;
    for (uint32_t i = 0; i < l->work.njobs && good; i++)
        good = make_step(l, &l->work.jobs[i]);
    if (threads)
        use_threads(threads);
    sb_free(&why);
    return good;
}

static bool any_strided(const Work *w)
{
    for (uint32_t i = 0; i < w->nin; i++)
        if (w->in[i].strides && !w->in[i].copy)
            return true;
    return false;
}

/* Steps for operands with these strides, or for dense copies where that is better. */
static bool build(Launch *l, const Trace *t, NodeId n)
{
    for (uint32_t i = 0; i < l->work.nin; i++)
        l->work.in[i].copy = false;
    bool good = make_steps(l, t, n);
    if ((good && !is_slow(l)) || !any_strided(&l->work))
        return good;
    for (uint32_t i = 0; i < l->work.nin; i++)
        l->work.in[i].copy = l->work.in[i].strides != NULL;
    return make_steps(l, t, n);
}

/* --------------------------------------------------------------------------------- the executor */

static bool available(StrBuf *why_not)
{
    (void)why_not;
    return true;
}

/* oneDNN has them, by themselves and at the end of products, but their maxima prefer numbers. */
static bool loses_nan(const Op *op)
{
    static const char *const names[] = {"relu", "maximum", "tanh", "sigmoid",
                                        "max_pool1d", "max_pool2d", "max_pool3d"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcmp(op->name, names[i]) == 0)
            return true;
    return false;
}

static bool can(const Trace *t, NodeId n, StrBuf *why_not)
{
    Work w;
    if (attention_op(t->nodes[n].op))
        return attention_takes(t, n, why_not);
    if (work_is_activation(t, n)) {
        sb_puts(why_not, "takes an activation only at the end of a product");
        return false;
    }
    if (loses_nan(t->nodes[n].op)) {
        sb_printf(why_not, "oneDNN's %s loses NaN", t->nodes[n].op->name);
        return false;
    }
    if (!work_begin(t, n, &w) || !work_read(t, n, &w, why_not)) {
        if (why_not->n == 0)
            sb_puts(why_not, "takes matrix products, convolutions, average pooling");
        return false;
    }
    dnnl_engine_t engine = NULL;
    bool good = w.jobs[0].kind == JOB_matmul;
    if (!good && dnnl_engine_create(&engine, dnnl_cpu, 0) == dnnl_success) {
        good = true;
        for (uint32_t i = 0; i < w.njobs && good; i++) {
            dnnl_primitive_desc_t pd = job_desc(engine, &w.jobs[i]);
            good = pd != NULL;
            dnnl_primitive_desc_destroy(pd);
        }
        dnnl_engine_destroy(engine);
    }
    if (!good)
        sb_puts(why_not, "oneDNN has nothing for these sizes");
    return good;
}

static void drop(Kernel *k)
{
    if (!k)
        return;
    Launch *l = k->impl;
    drop_steps(l);
    attention_free(l->attention);
    dnnl_stream_destroy(l->stream);
    dnnl_engine_destroy(l->engine);
    arena_free(&l->arena);
    free(l);
    free(k);
}

/* Which operands are moved to another layout, at every launch. */
static void describe_moves(const Step *s, StrBuf *text)
{
    const char *between = ", moves ";
    for (uint32_t i = 0; i < s->n; i++) {
        int role = s->args[i].arg;
        bool weights = role == DNNL_ARG_WEIGHTS || role == DNNL_ARG_DIFF_WEIGHTS;
        if (!s->bound[i].move)
            continue;
        sb_printf(text, "%s%s", between,
                  weights                                             ? "the weights"
                  : role == DNNL_ARG_SRC || role == DNNL_ARG_DIFF_SRC ? "the input"
                                                                      : "the result");
        between = " and ";
    }
}

static void describe(Launch *l, Kernel *k)
{
    StrBuf text = {0};
    if (l->attention)
        sb_puts(&text, "/* attention, block by block with a running softmax */\n");
    for (uint32_t i = 0; i < l->nsteps; i++) {
        const_dnnl_primitive_desc_t pd = NULL;
        dnnl_primitive_get_primitive_desc(l->steps[i].primitive, &pd);
        sb_printf(&text, "/* oneDNN %d.%d: %s", DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR,
                  desc_info(pd));
        describe_moves(&l->steps[i], &text);
        sb_puts(&text, " */\n");
    }
    k->text = arena_str(&l->arena, sb_str(&text));
    sb_free(&text);
}

static bool prepare(Launch *l, const Trace *t, NodeId n)
{
    if (attention_op(t->nodes[n].op)) {
        l->attention = attention_new(t, n);
        return true;
    }
    return work_begin(t, n, &l->work) &&
           dnnl_engine_create(&l->engine, dnnl_cpu, 0) == dnnl_success &&
           dnnl_stream_create(&l->stream, l->engine, dnnl_stream_default_flags) == dnnl_success &&
           build(l, t, n);
}

static bool compile(const Trace *t, NodeId n, const CompileOptions *o, Kernel **out, Diag *d)
{
    Kernel *k = calloc(1, sizeof *k);
    Launch *l = calloc(1, sizeof *l);
    (void)o;
    if (!k || !l)
        abort();
    uint64_t start = clock_ns();
    *k = (Kernel){.executor = &exec_onednn, .impl = l};
    k->name = arena_str(&l->arena, statement_name(t, n));
    if (prepare(l, t, n)) {
        describe(l, k);
        k->compile_ns = clock_ns() - start;
        *out = k;
        return true;
    }
    diag_help(d, diag_error(d, DIAG_compile, t->nodes[n].src, "no-kernel",
                            "oneDNN makes no primitive for %.*s", STR(k->name)),
              "executor off onednn");
    drop(k);
    return false;
}

/* An activation by itself goes through its elements one by one. */
static void in_place(const Trace *t, NodeId n, Overlay *pairs, uint32_t npairs)
{
    for (uint32_t i = 0; i < npairs; i++)
        pairs[i].legal = work_is_activation(t, n);
}

/* ------------------------------------------------------------------------------------ launching */

static bool failed(ExecCall *call, const char *code, const char *what, ValueId v)
{
    diag_error(call->diag, DIAG_compile, (Span){0}, code, "%s %.*s", what,
               STR(value_get(call->t, v)->name));
    return false;
}

/* The layouts of the operands are those that the steps were made for. */
static bool take_layouts(Launch *l, ExecCall *call, Tensor **in, bool *changed)
{
    for (uint32_t i = 0; i < l->work.nin; i++) {
        Operand *o = &l->work.in[i];
        Tensor *x = in[i] = call->values[o->v];
        if (!x || !tensor_is_of(x, o->type))
            return failed(call, "no-value", "there is no value of its type for", o->v);
        size_t bytes = x->rank * sizeof *x->strides;
        if (o->strides ? memcmp(l->strides[i], x->strides, bytes) == 0 : tensor_is_contiguous(x))
            continue;
        memcpy(l->strides[i], x->strides, bytes);
        o->strides = tensor_is_contiguous(x) ? NULL : l->strides[i];
        *changed = true;
    }
    return true;
}

static bool take_results(Launch *l, ExecCall *call, Tensor **out)
{
    for (uint32_t i = 0; i < l->work.nout; i++) {
        Tensor **place = &call->values[l->work.out[i]];
        const Type *type = l->work.out_type[i];
        if (*place && !(tensor_is_of(*place, type) && tensor_is_contiguous(*place))) {
            tensor_unref(*place);
            *place = NULL;
        }
        if (!*place)
            *place = tensor_new((DType)type->dtype, type->device, type->rank, type->shape);
        if (!*place)
            return failed(call, "out-of-memory", "not enough memory for", l->work.out[i]);
        out[i] = *place;
    }
    return true;
}

static bool move(Launch *l, const Bound *b, bool result)
{
    const dnnl_exec_arg_t args[2] = {{DNNL_ARG_FROM, result ? b->inner : b->outer},
                                     {DNNL_ARG_TO, result ? b->outer : b->inner}};
    return !b->move || dnnl_primitive_execute(b->move, l->stream, 2, args) == dnnl_success;
}

static bool execute(Launch *l, uint32_t number, Tensor *const *in, Tensor *const *out)
{
    Step *s = &l->steps[number];
    const Job *j = &l->work.jobs[number];
    bool good = true;
    for (uint32_t i = 0; i < s->n && good; i++) {
        const Part *p = &j->parts[i];
        void *data = tensor_data(p->result ? out[p->operand] : in[p->operand]);
        if (s->bound[i].handle != data)
            good = dnnl_memory_set_data_handle(s->bound[i].outer, data) == dnnl_success;
        s->bound[i].handle = data;
        good = good && (p->result || move(l, &s->bound[i], false));
    }
    good = good &&
           dnnl_primitive_execute(s->primitive, l->stream, (int)s->n, s->args) == dnnl_success;
    for (uint32_t i = 0; i < s->n && good; i++)
        good = !j->parts[i].result || move(l, &s->bound[i], true);
    return good && dnnl_stream_wait(l->stream) == dnnl_success;
}

static bool launch(Kernel *k, ExecCall *call)
{
    Launch *l = k->impl;
    if (l->attention)
        return attention_launch(l->attention, call);
    Tensor *in[MAX_OPERANDS], *made[MAX_OPERANDS] = {0}, *out[MAX_OPERANDS];
    bool changed = false;
    if (!take_layouts(l, call, in, &changed) || !take_results(l, call, out))
        return false;
    bool good = !changed || build(l, call->t, call->node);
    for (uint32_t i = 0; i < l->work.nin && good; i++) {
        if (!l->work.in[i].copy)
            continue;
        in[i] = made[i] = tensor_contiguous(in[i]);
        good = made[i] != NULL;
    }
    int threads = l->small ? use_threads(1) : 0;
    for (uint32_t i = 0; i < l->nsteps && good; i++)
        good = execute(l, i, in, out);
    if (threads)
        use_threads(threads);
    for (uint32_t i = 0; i < l->work.nin; i++)
        tensor_unref(made[i]);
    return good || failed(call, "onednn", "oneDNN could not compute", l->work.out[0]);
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
    return exec_run_once(&exec_onednn, call);
}

const Executor exec_onednn = {
    .name = "onednn",
    .help = "matrix products, convolutions, pooling by oneDNN; attention in blocks",
    .kind = EXEC_stateful,
    .available = available,
    .can = can,
    .joins = work_joins,
    .in_place = in_place,
    .run = run,
    .compile = compile,
    .launch = launch,
    .source = source,
    .drop = drop,
};
#endif
