/*
 * cublaslt.c - the executor of matrix products on a GPU: matmul and linear by cuBLASLt.
 *
 * Input: prims.matmul and prims.linear, operands in any layout that has a dense dimension, and gelu
 * behind a linear. Output: a dense product. Transposes and batches are strides to the library, so
 * views cost nothing; bias and gelu are computed before the product is written.
 */
#include "cublaslt.h"
#include "cuda_move.h"
#include "executors.h"

#include <stdlib.h>
#include <string.h>

typedef struct LtKernel {
    Arena arena;
    OpenDevice *device;
    Lt *lt;
    ValueId a, b, bias, out; /* bias 0 = none */
    Type ta, tb, tbias, tout;
    bool linear; /* b is read as its transpose */
    bool gelu;   /* of the product; or, without one (b is 0), of a */
    bool apart;  /* gelu is a kernel of its own */
    LtPlan plan; /* for operands that lie as they lay last time */
    Str cache;
    StrBuf text;
} LtKernel;

static bool available(StrBuf *why_not)
{
    return cuda_seems_present(why_not);
}

static bool takes_dtype(DType d)
{
    return d == DT_bf16 || d == DT_f16 || d == DT_f32 || d == DT_f64;
}

static bool can(const Trace *t, NodeId n, StrBuf *why_not)
{
    const Node *node = &t->nodes[n];
    if (node->span != 1 || (node->op->id != PRIM_matmul && node->op->id != PRIM_linear)) {
        sb_puts(why_not, "takes prims.matmul and prims.linear only");
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

static bool is_linear(const Op *op)
{
    return (op->language == LANG_prims && op->id == PRIM_linear) ||
           (op->language == LANG_torch && strcmp(op->name, "linear") == 0);
}

/* gelu by tanh, which is the one that the library has. */
static bool is_gelu(const Node *n)
{
    return n->op->language == LANG_torch && strcmp(n->op->name, "gelu") == 0 && n->nargs == 2 &&
           n->args[0].kind == ARG_value && n->args[1].kind == ARG_str &&
           str_is(arg_str(n->args[1]), "tanh");
}

static bool joins(const Trace *t, NodeId first, NodeId last)
{
    const Node *a = &t->nodes[first], *b = &t->nodes[last];
    if (!is_linear(a->op) || !is_gelu(b) || a->out.kind != ARG_value ||
        b->args[0].v != a->out.v)
        return false;
    DType d = (DType)t->values[a->out.v].type.dtype;
    return d == DT_bf16 || d == DT_f16; /* products of f32 with gelu are slower than two kernels */
}

/* ------------------------------------------------------------------------------------ compiling */

static Type own_type(Arena *a, const Type *type)
{
    Type copy = *type;
    copy.shape = arena_copy(a, type->shape, copy.rank * sizeof *type->shape);
    return copy;
}

static ValueId first_out(const Node *node)
{
    ValueId v = 0;
    arg_values(node->out, &v, 1);
    return v;
}

static void drop(Kernel *k)
{
    if (!k)
        return;
    LtKernel *l = k->impl;
    if (l->lt && l->device && !l->device->lost)
        lt_plan_free(l->lt, &l->plan);
    device_unref(l->device);
    sb_free(&l->text);
    arena_free(&l->arena);
    free(l);
    free(k);
}

/* What the node stands for: a product, one with gelu behind it, or gelu alone. */
static void read_node(LtKernel *l, const Trace *t, NodeId n)
{
    const Node *node = &t->nodes[n], *product = node;
    l->out = first_out(node);
    if (node->op->id == PRIM_call && node->op->language == LANG_prims)
        product = &t->nodes[n + 1];
    l->gelu = product != node || is_gelu(node);
    l->linear = product->op->id == PRIM_linear && product->op->language == LANG_prims;
    l->a = product->args[0].v;
    if (!is_gelu(product))
        l->b = product->args[1].v;
    l->bias = l->linear && product->args[2].kind == ARG_value ? product->args[2].v : 0;
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
    l->ta = own_type(&l->arena, &t->values[l->a].type);
    if (l->b)
        l->tb = own_type(&l->arena, &t->values[l->b].type);
    if (l->bias)
        l->tbias = own_type(&l->arena, &t->values[l->bias].type);
    l->tout = own_type(&l->arena, &t->values[l->out].type);
    k->name = arena_str(&l->arena, t->values[l->out].name);
    l->cache = arena_str(&l->arena, o->cache_dir);
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

/* Address and layout of an operand; a dense copy is made of what the library cannot read. */
static bool operand(ExecCall *call, const LtKernel *l, bool left, LtMatrix *m, int64_t *batches,
                    uint64_t *at, Tensor **made)
{
    Tensor *t;
    ValueId v = left ? l->a : l->b;
    const Type *type = left ? &l->ta : &l->tb;
    if (!cuda_strided_input(call, v, type, at, &t))
        return false;
    if (matrix_of(t, left, l->linear, m, batches) && lt_readable(m) && *at % 16 == 0)
        return true;
    *made = cuda_dense(call, t);
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

/* Of single products: as operand() does with tensors. */
static bool lays(const Trace *t, NodeId n, ValueId v, const int64_t *strides)
{
    const Node *node = &t->nodes[n];
    bool linear = node->op->id == PRIM_linear, good = node->span == 1 && node->nargs >= 2;
    for (uint32_t i = 0; good && i < node->nargs; i++)
        if (node->args[i].kind == ARG_value && node->args[i].v == v)
            good = i < 2 && reads(&t->values[v].type, i == 0, linear, strides);
    return good && first_out(node) != v;
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

/* Where the library has no product with gelu of these types, gelu is a kernel of its own. */
static bool product(LtKernel *l, ExecCall *call, LtProduct *p, uint64_t a, uint64_t b,
                    uint64_t bias, uint64_t out)
{
    bool wide = p->dtype == DT_f64;
    double beta = bias && wide ? 1 : 0;
    if (lt_run(l->lt, call->device, &l->plan, a, b, wide ? 0 : bias, out, beta, l->cache))
        return true;
    if (!l->gelu || l->apart || !l->plan.none)
        return false;
    l->apart = true;
    call->device->failure[0] = 0; /* it was asked what it can do, and goes on */
    p->epilogue = bias ? LT_bias : LT_nothing;
    return prepare(l, p) &&
           lt_run(l->lt, call->device, &l->plan, a, b, bias, out, beta, l->cache);
}

static bool multiply(LtKernel *l, ExecCall *call, LtProduct *p, uint64_t a, uint64_t b)
{
    uint64_t bias = 0, out = 0;
    Tensor *made = NULL;
    bool wide = p->dtype == DT_f64;
    bool good = (!l->bias || cuda_input(call, l->bias, &l->tbias, &bias, &made)) &&
                cuda_output(call, l->out, &l->tout, &out);
    p->epilogue = bias && !wide ? LT_bias : LT_nothing;
    if (l->gelu && !l->apart)
        p->epilogue = bias ? LT_gelu_bias : LT_gelu;
    if (good && type_numel(&l->tout) > 0) {
        if (p->a.cols == 0 && !bias)
            good = call->device->driver->fill(call->device, out, 0, (size_t)type_bytes(&l->tout));
        else if (p->a.cols == 0)
            good = spread_bias(call, bias, p, out);
        else
            good = prepare(l, p) && (!bias || !wide || spread_bias(call, bias, p, out)) &&
                   product(l, call, p, a, b, bias, out);
        if (good && l->gelu && (l->apart || p->a.cols == 0))
            good = cuda_gelu(call->device, p->dtype, out, out, type_numel(&l->tout));
    }
    tensor_unref(made);
    return good;
}

static bool launch_gelu(const LtKernel *l, ExecCall *call)
{
    uint64_t in = 0, out = 0;
    Tensor *made = NULL;
    bool good = cuda_input(call, l->a, &l->ta, &in, &made) &&
                cuda_output(call, l->out, &l->tout, &out) &&
                cuda_gelu(call->device, (DType)l->ta.dtype, out, in, type_numel(&l->tout)) &&
                device_settled(call->device);
    tensor_unref(made);
    return good;
}

static bool launch(Kernel *k, ExecCall *call)
{
    LtKernel *l = k->impl;
    if (!l->b)
        return launch_gelu(l, call) || cuda_failed(call, k->name);
    LtProduct p = {.dtype = (DType)l->ta.dtype};
    Tensor *made[2] = {0};
    uint64_t a = 0, b = 0;
    int64_t batches[2];
    bool good = operand(call, l, true, &p.a, &batches[0], &a, &made[0]) &&
                operand(call, l, false, &p.b, &batches[1], &b, &made[1]);
    if (good) {
        p.batches = batches[0] > batches[1] ? batches[0] : batches[1];
        good = multiply(l, call, &p, a, b) &&
               device_settled(call->device);
    }
    tensor_unref(made[0]);
    tensor_unref(made[1]);
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
    .joins = joins,
    .lays = lays,
};
