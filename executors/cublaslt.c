/*
 * cublaslt.c - the executor of matrix products on a GPU: matmul and linear by cuBLASLt.
 *
 * Input: prims.matmul and prims.linear, operands in any layout that has a dense dimension, and what
 * follows them (cublaslt_ends.h); whole products of 8-bit floats. Output: dense results. Transposes
 * and batches are strides to the library, so views cost nothing. What follows a product is computed
 * before it is written, or by a kernel of its own: whichever was faster when both were measured.
 */
#include "cublaslt.h"
#include "cublaslt_ends.h"
#include "cuda_side.h"
#include "executors.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_TRUSTED = 130000 }; /* version of the library */

typedef struct LtKernel {
    Arena arena;
    OpenDevice *device;
    Lt *lt;
    LtParts parts;
    ValueId a, b, bias; /* bias 0 = none */
    Type ta, tb, tbias, tresult, taux;
    ValueId scale_a, scale_b; /* of 8-bit floats; else 0 */
    bool on_host; /* the library has no such product here */
    bool linear;  /* b is read as its transpose */
    bool aux_out; /* what gelu is computed of is a result, too */
    bool made_out; /* so is what the product gives by itself */
    LtPlan plan; /* for operands that lie as they lay last time */
    Str cache;
    CompileOptions options; /* of the kernels below */
    Kernel *product, *rest; /* the product alone and what follows it; made when they are needed */
} LtKernel;

static bool available(StrBuf *why_not)
{
    return cuda_seems_present(why_not);
}

static bool takes_dtype(DType d)
{
    return d == DT_bf16 || d == DT_f16 || d == DT_f32 || d == DT_f64;
}

/* --------------------------------------------------------------------------------- 8-bit floats */

static bool is_scaled(const Node *node)
{
    return node->op->language == LANG_torch && strcmp(node->op->name, "_scaled_mm") == 0;
}

static const Type *type_at(const Trace *t, const Node *node, uint32_t arg)
{
    return node->args[arg].kind == ARG_value ? &t->values[node->args[arg].v].type : NULL;
}

static bool is_f8(DType d)
{
    return d == DT_f8_e4m3fn || d == DT_f8_e5m2;
}

static const char *scaled_objection(const Trace *t, const Node *node)
{
    const Type *a = type_at(t, node, 0), *b = type_at(t, node, 1), *bias = type_at(t, node, 4);
    const Type *scale[2] = {type_at(t, node, 2), type_at(t, node, 3)};
    DType out = (DType)t->values[node->out.v].type.dtype;
    if (!a || !b || a->rank != 2 || b->rank != 2 || !is_f8((DType)a->dtype) ||
        !is_f8((DType)b->dtype) || (a->dtype == DT_f8_e5m2 && b->dtype == DT_f8_e5m2))
        return "cuBLASLt has no product of these 8-bit floats";
    if (a->shape[0] == 0 || a->shape[1] == 0 || a->shape[1] % 16 || b->shape[1] == 0 ||
        b->shape[1] % 16)
        return "cuBLASLt takes 8-bit floats in sizes that 16 divides only";
    if (!scale[0] || !scale[1] || type_numel(scale[0]) != 1 || type_numel(scale[1]) != 1)
        return "it is used with one scale for each matrix only";
    if (out != DT_bf16 && out != DT_f16 && out != DT_f32)
        return "it is used for results in bf16, f16 and f32 only";
    if (bias && (DType)bias->dtype != (out == DT_f16 ? DT_f16 : DT_bf16))
        return "cuBLASLt takes a bias in another dtype only";
    return NULL;
}

static void read_scaled(LtKernel *l, const Node *node)
{
    const Arg *args = node->args;
    l->a = args[0].v;
    l->b = args[1].v;
    l->scale_a = args[2].v;
    l->scale_b = args[3].v;
    l->bias = args[4].kind == ARG_value ? args[4].v : 0;
    l->parts = (LtParts){.made = node->out.v, .result = node->out.v};
}

static bool can(const Trace *t, NodeId n, StrBuf *why_not)
{
    const Node *node = &t->nodes[n];
    LtParts parts;
    if (is_scaled(node)) {
        const char *why = scaled_objection(t, node);
        if (why)
            sb_puts(why_not, why);
        return !why;
    }
    if (!(node->span == 1 || node->op->id == PRIM_call) || !lt_read_parts(t, n, &parts)) {
        sb_puts(why_not, "takes prims.matmul and prims.linear only");
        return false;
    }
    node = &t->nodes[parts.product];
    if (node->op->id == PRIM_convolution) {
        sb_puts(why_not, "takes no convolutions");
        return false;
    }
    for (uint32_t i = 0; i < node->nargs; i++) {
        if (node->args[i].kind != ARG_value)
            continue;
        const Type *type = &t->values[node->args[i].v].type;
        if (takes_dtype((DType)type->dtype) && type_numel(type) < INT32_MAX * (int64_t)1024)
            continue;
        sb_printf(why_not, "has no product of %s", dtype_info[type->dtype].name);
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------ compiling */

static void drop_kernel(Kernel *k)
{
    if (k)
        k->executor->drop(k);
}

static void drop(Kernel *k)
{
    if (!k)
        return;
    LtKernel *l = k->impl;
    drop_kernel(l->product);
    drop_kernel(l->rest);
    if (l->lt && l->device && !l->device->lost)
        lt_plan_free(l->lt, &l->plan);
    device_unref(l->device);
    arena_free(&l->arena);
    free(l);
    free(k);
}

static void read_product(LtKernel *l, const Trace *t, NodeId n)
{
    lt_read_parts(t, n, &l->parts);
    const LtParts *p = &l->parts;
    const Node *product = &t->nodes[p->product];
    l->linear = product->op->id == PRIM_linear;
    l->a = product->args[0].v;
    l->b = product->args[1].v;
    l->bias = l->linear && product->args[2].kind == ARG_value ? product->args[2].v : 0;
    l->made_out = node_makes(&t->nodes[n], p->made);
    l->aux_out = p->end == LT_END_gelu && node_makes(&t->nodes[n], p->aux);
}

static void read_node(LtKernel *l, const Trace *t, NodeId n)
{
    const LtParts *p = &l->parts;
    if (is_scaled(&t->nodes[n]))
        read_scaled(l, &t->nodes[n]);
    else
        read_product(l, t, n);
    const ValueId from[] = {l->a, l->b, l->bias, p->result, p->aux};
    Type *const to[] = {&l->ta, &l->tb, &l->tbias, &l->tresult, &l->taux};
    for (size_t i = 0; i < ARRAY_LEN(from); i++)
        if (from[i])
            *to[i] = type_own(&l->arena, &t->values[from[i]].type);
}

static bool compile(const Trace *t, NodeId n, const CompileOptions *o, Kernel **out, Diag *d)
{
    Lt *lt = o->device ? lt_of(o->device, o->cuda_path, d) : NULL;
    if (!lt)
        return false;
    Kernel *k = calloc(1, sizeof *k);
    LtKernel *l = calloc(1, sizeof *l);
    if (!k || !l)
        abort();
    *k = (Kernel){.executor = &exec_cublaslt, .impl = l};
    l->device = o->device;
    l->device->refs++;
    l->lt = lt;
    read_node(l, t, n);
    k->name = arena_str(&l->arena, t->values[l->parts.result].name);
    l->options = cuda_later_options(&l->arena, o);
    l->cache = l->options.cache_dir;
    *out = k;
    return true;
}

/* ------------------------------------------------------------------------------------- operands */

/* Leading dimensions as one, when equal steps lead from each to the next. */
static bool joined(const Tensor *t, uint32_t from, uint32_t to, int64_t *count, int64_t *step)
{
    *count = 1;
    *step = 0;
    for (uint32_t i = to; i-- > from;) {
        if (t->shape[i] == 1)
            continue;
        if (*count == 1)
            *step = t->strides[i];
        else if (t->strides[i] != *step * *count)
            return false;
        *count *= t->shape[i];
    }
    return true;
}

/* Operand number `which` (0 = left) of a product as matrices. */
static bool matrix_of(const Tensor *t, bool left, bool linear, LtMatrix *m, int64_t *batches)
{
    uint32_t r = t->rank;
    *batches = 1;
    *m = (LtMatrix){1, 1, 1, 1, 0};
    if (r == 1) {
        int64_t *n = left ? &m->cols : &m->rows, *step = left ? &m->col : &m->row;
        *n = t->shape[0];
        *step = t->strides[0];
        m->row = left ? t->shape[0] : m->row;
        return true;
    }
    if (linear && left) { /* all leading dimensions are rows */
        m->cols = t->shape[r - 1];
        m->col = t->strides[r - 1];
        return joined(t, 0, r - 1, &m->rows, &m->row);
    }
    m->rows = t->shape[r - 2];
    m->row = t->strides[r - 2];
    m->cols = t->shape[r - 1];
    m->col = t->strides[r - 1];
    if (linear)
        *m = (LtMatrix){m->cols, m->rows, m->col, m->row, 0};
    return joined(t, 0, r - 2, batches, &m->batch);
}

/* What 8-bit floats need: those that are summed lie next to each other. */
static bool is_along(const LtMatrix *m, bool left)
{
    return left ? m->col == 1 && m->row % 16 == 0 : m->row == 1 && m->col % 16 == 0;
}

/* A copy whose columns are dense. */
static Tensor *dense_columns(ExecCall *call, Tensor *t)
{
    const int64_t shape[2] = {t->shape[1], t->shape[0]};
    const int64_t strides[2] = {t->strides[1], t->strides[0]};
    Tensor *turned = tensor_view(t, 2, shape, strides, 0), *copy = cuda_dense(call, turned);
    const int64_t back[2] = {1, t->shape[0]};
    Tensor *out = copy ? tensor_view(copy, 2, t->shape, back, 0) : NULL;
    tensor_unref(turned);
    tensor_unref(copy);
    return out;
}

/* Address and layout of an operand; a dense copy is made of what the library cannot read. */
static bool operand(ExecCall *call, const LtKernel *l, bool left, LtMatrix *m, int64_t *batches,
                    uint64_t *at, Tensor **made)
{
    Tensor *t;
    ValueId v = left ? l->a : l->b;
    const Type *type = left ? &l->ta : &l->tb;
    if (!cuda_strided_input(call, v, type, at, &t))
        return false;
    bool good = matrix_of(t, left, l->linear, m, batches) && lt_readable(m) && *at % 16 == 0;
    if (good && (!l->scale_a || is_along(m, left)))
        return true;
    *made = l->scale_a && !left ? dense_columns(call, t) : cuda_dense(call, t);
    return *made && tensor_on_device(*made, call->device, false, at) &&
           matrix_of(*made, left, l->linear, m, batches);
}

static bool reads(const Type *type, bool left, bool linear, const int64_t *strides)
{
    int64_t shape[MAX_RANK], steps[MAX_RANK], batches;
    LtMatrix m;
    memcpy(shape, type->shape, type->rank * sizeof *shape);
    memcpy(steps, strides, type->rank * sizeof *steps);
    Tensor t = {.rank = type->rank, .shape = shape, .strides = steps};
    return matrix_of(&t, left, linear, &m, &batches) && lt_readable(&m);
}

/* Operands of the product, as operand() does with tensors; what follows reads dense ones. */
static bool lays(const Trace *t, NodeId n, ValueId v, const int64_t *strides)
{
    LtParts p;
    if (!lt_read_parts(t, n, &p))
        return false;
    const Node *product = &t->nodes[p.product];
    bool good = v != p.result && v != p.aux && v != p.made;
    bool found = false;
    for (uint32_t i = 0; good && i < product->nargs; i++) {
        if (product->args[i].kind != ARG_value || product->args[i].v != v)
            continue;
        found = true;
        good = i < 2 && reads(&t->values[v].type, i == 0, product->op->id == PRIM_linear, strides);
    }
    return good && found;
}

static bool same_matrix(const LtMatrix *a, const LtMatrix *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static bool prepare(LtKernel *l, const LtProduct *p)
{
    const LtProduct *old = &l->plan.product;
    if (l->plan.op && old->epilogue == p->epilogue && old->batches == p->batches &&
        same_matrix(&old->a, &p->a) && same_matrix(&old->b, &p->b))
        return true;
    lt_plan_free(l->lt, &l->plan);
    return lt_plan(l->lt, p, &l->plan);
}

/* Every row of the result starts as the bias: for dtypes whose products take none. */
static bool spread_bias(ExecCall *call, uint64_t bias, const LtProduct *p, uint64_t out)
{
    int64_t sizes[2] = {p->a.rows * p->batches, p->b.cols}, strides[2] = {0, 1};
    return cuda_gather(call->device, out, bias, dtype_info[p->dtype].bytes, 2, sizes, strides);
}

/* --------------------------------------------------------------------------------- without ends */

static bool multiply(LtKernel *l, ExecCall *call, LtProduct *p, LtPlaces *at)
{
    bool wide = p->dtype == DT_f64;
    if (type_numel(&l->tresult) == 0)
        return true;
    if (p->a.cols == 0 && !at->bias)
        return call->device->driver->fill(call->device, at->d, 0, (size_t)type_bytes(&l->tresult));
    if (p->a.cols == 0)
        return spread_bias(call, at->bias, p, at->d);
    double beta = at->bias && wide ? 1 : 0;
    if (beta != 0 && !spread_bias(call, at->bias, p, at->d))
        return false;
    if (wide)
        at->bias = 0;
    p->epilogue = at->bias ? LT_bias : LT_nothing;
    return prepare(l, p) && lt_run(l->lt, call->device, &l->plan, at, beta, l->cache, NULL);
}

/* ----------------------------------------------------------------------------------- both apart */

static bool make_product(LtKernel *l, const ExecCall *call, Diag *d)
{
    return l->product || compile(call->t, l->parts.product, &l->options, &l->product, d);
}

static bool make_apart(LtKernel *l, const ExecCall *call, Diag *d)
{
    if (l->rest)
        return true;
    if (!make_product(l, call, d))
        return false;
    Trace *rest = lt_rest(call->t, call->node, &l->parts);
    bool good = exec_cuda.compile(rest, 0, &l->options, &l->rest, d);
    trace_unref(rest);
    return good;
}

typedef struct Apart {
    LtKernel *l;
    ExecCall *call;
} Apart;

/* The product alone, or with what follows it. */
static bool run_kernels(const Apart *a, bool rest)
{
    LtKernel *l = a->l;
    bool good = l->product->executor->launch(l->product, a->call) &&
                (!rest || l->rest->executor->launch(l->rest, a->call));
    Tensor **made = &a->call->values[l->parts.made];
    if (!l->made_out) {
        tensor_unref(*made);
        *made = NULL;
    }
    return good;
}

static bool run_apart(void *user)
{
    return run_kernels(user, true);
}

static bool run_product(void *user)
{
    return run_kernels(user, false);
}

/* Seconds that what follows the product takes at least: no GPU's memory is faster. */
static double rest_seconds(const LtKernel *l)
{
    return (double)type_bytes(&l->tresult) * (l->parts.end == LT_END_add ? 3 : 2) / 8e12;
}

/* The kernel of what follows is only compiled where it can make the other way the faster one. */
static double time_apart(void *user)
{
    const Apart *a = user;
    Diag ignored = {0};
    double beat = a->l->plan.ms > 0 ? a->l->plan.ms : -1;
    bool good = make_product(a->l, a->call, &ignored);
    double ms = good ? cuda_time(a->call->device, run_product, user, beat) : -1;
    if (ms >= 0 && a->l->plan.ms > 0 && ms + rest_seconds(a->l) * 1e3 >= a->l->plan.ms) {
        diag_clear(&ignored);
        return ms + rest_seconds(a->l) * 1e3;
    }
    good = good && make_apart(a->l, a->call, &ignored);
    diag_clear(&ignored);
    if (!good && !a->call->device->lost)
        a->call->device->failure[0] = 0; /* it was asked what it can do, and goes on */
    return good ? cuda_time(a->call->device, run_apart, user, beat) : -1;
}

/* ------------------------------------------------------------------------------------ with ends */

static int epilogue(const LtKernel *l)
{
    int bias = l->bias ? LT_bias : 0;
    if (l->parts.end == LT_END_gelu)
        return LT_gelu | bias | (l->aux_out ? LT_aux : 0);
    if (l->parts.end == LT_END_relu)
        return LT_relu | bias;
    return bias ? bias : LT_nothing;
}

/* relu's treatment of NaN was looked at from this version on. */
static bool is_trusted(const LtKernel *l)
{
    return l->parts.end != LT_END_relu || l->lt->version() >= FIRST_TRUSTED;
}

/* Where the product's end reads and writes beside the result. */
static bool end_places(LtKernel *l, ExecCall *call, LtPlaces *at, Tensor **made)
{
    if (l->parts.end == LT_END_add)
        return cuda_input(call, l->parts.aux, &l->taux, &at->c, made);
    return !l->aux_out || cuda_output(call, l->parts.aux, &l->taux, &at->aux);
}

static bool with_end(LtKernel *l, ExecCall *call, LtProduct *p, LtPlaces *at)
{
    Apart apart = {l, call};
    LtOther other = {time_apart, &apart};
    Tensor *made = NULL;
    bool together = type_numel(&l->tresult) > 0 && p->a.cols > 0 && !l->options.eager_rounding &&
                    is_trusted(l);
    p->epilogue = epilogue(l);
    p->adds = l->parts.end == LT_END_add;
    bool good = !together ||
                (end_places(l, call, at, &made) && prepare(l, p) &&
                 lt_run(l->lt, call->device, &l->plan, at, 0, l->cache, &other));
    tensor_unref(made);
    if (good && (!together || l->plan.apart))
        good = make_apart(l, call, call->diag) && run_apart(&apart);
    return good;
}

static double no_other(void *user)
{
    (void)user;
    return -1;
}

/* Products of 8-bit floats, which older devices have not: the host computes them then. */
static bool multiply_scaled(LtKernel *l, ExecCall *call, LtProduct *p, LtPlaces *at)
{
    const LtOther other = {no_other, NULL};
    Tensor *made[2] = {0};
    Type types[2] = {call->t->values[l->scale_a].type, call->t->values[l->scale_b].type};
    p->b_dtype = (DType)l->tb.dtype;
    p->d_dtype = (DType)l->tresult.dtype;
    p->epilogue = at->bias ? LT_bias : LT_nothing;
    bool good = cuda_input(call, l->scale_a, &types[0], &at->scale_a, &made[0]) &&
                cuda_input(call, l->scale_b, &types[1], &at->scale_b, &made[1]) && prepare(l, p) &&
                lt_run(l->lt, call->device, &l->plan, at, 0, l->cache, &other);
    l->on_host = good && l->plan.apart;
    for (size_t i = 0; i < ARRAY_LEN(made); i++)
        tensor_unref(made[i]);
    return good;
}

static bool launch(Kernel *k, ExecCall *call)
{
    LtKernel *l = k->impl;
    if (l->on_host)
        return cuda_run_on_host(call);
    LtProduct p = {.dtype = (DType)l->ta.dtype};
    LtPlaces at = {0};
    Tensor *made[3] = {0};
    int64_t batches[2];
    bool good = operand(call, l, true, &p.a, &batches[0], &at.a, &made[0]) &&
                operand(call, l, false, &p.b, &batches[1], &at.b, &made[1]) &&
                (!l->bias || cuda_input(call, l->bias, &l->tbias, &at.bias, &made[2])) &&
                cuda_output(call, l->parts.result, &l->tresult, &at.d);
    if (good) {
        p.batches = batches[0] > batches[1] ? batches[0] : batches[1];
        good = l->scale_a                    ? multiply_scaled(l, call, &p, &at)
               : l->parts.end == LT_END_none ? multiply(l, call, &p, &at)
                                             : with_end(l, call, &p, &at);
        good = good && (l->on_host ? cuda_run_on_host(call) : device_settled(call->device));
    }
    for (size_t i = 0; i < ARRAY_LEN(made); i++)
        tensor_unref(made[i]);
    return good || cuda_failed(call, k->name);
}

static bool run(ExecCall *call)
{
    return cuda_needs_session(call, "cublaslt");
}

const Executor exec_cublaslt = {
    .name = "cublaslt",
    .help = "matrix products on a GPU by cuBLASLt, the algorithm chosen by measuring",
    .kind = EXEC_stateful,
    .available = available,
    .can = can,
    .run = run,
    .compile = compile,
    .launch = launch,
    .drop = drop,
    .device = &cuda_driver,
    .ahead = lt_ahead,
    .lays = lays,
    .ends = lt_ends,
};
