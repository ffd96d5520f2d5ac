/*
 * interp.c - the interpreter: runs any prim, naively; the last resort and the oracle.
 *
 * Input: a node whose operands are computed. Output: its results, each rounded to its dtype as
 * PyTorch does, or everything in f64. One idea: the kernel column of prims.def is the dispatch
 * table, so a prim without a kernel does not compile.
 */
#include "interp.h"

#include "executors.h"
#include "inject.h"

#include <string.h>

struct Temp {
    Temp *next;
    Tensor *t;
};

static PrimKernel *const kernels[PRIM_COUNT] = {
#define PRIM(name, sig, flags, sh, kernel, ...) [PRIM_##name] = kernel,
#include "prims.def"
#undef PRIM
};

bool k_none(Interp *x)
{
    (void)x;
    return true;
}

bool k_not_here(Interp *x)
{
    return fail(x, "not-runnable", "prims.%s cannot be run by itself", x->node->op->name);
}

/* ------------------------------------------------------------------------------------- errors */

bool fail(Interp *x, const char *code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag_vadd(x->call->diag, SEV_error, DIAG_compile, x->node->src, code, fmt, ap);
    va_end(ap);
    return false;
}

bool fail_index(Interp *x, int64_t index, uint32_t dim, int64_t size)
{
    return fail(x, "index-out-of-range",
                "%s: index %lld is out of range for dimension %u of size "
                "%lld",
                x->node->op->name, (long long)index, dim, (long long)size);
}

bool stopped(const Interp *x)
{
    return x->call->interrupt && *x->call->interrupt;
}

Tensor *keep(Interp *x, Tensor *t)
{
    if (!t) {
        fail(x, "out-of-memory", "not enough memory to run prims.%s", x->node->op->name);
        return NULL;
    }
    Temp *temp = new_of(&x->arena, Temp);
    *temp = (Temp){x->temps, t};
    x->temps = temp;
    return t;
}

/* ----------------------------------------------------------------------------------- operands */

const char *operand_name(const Interp *x, int arg)
{
    Arg a = x->node->args[arg];
    Str name = a.kind == ARG_value ? x->t->values[a.v].name : x->node->op->sig.params[arg].name;
    return arena_str(&((Interp *)x)->arena, name).p;
}

static bool shape_as_declared(const Tensor *t, const Type *type)
{
    bool same = t->rank == type->rank;
    for (uint32_t i = 0; same && i < t->rank; i++)
        same = t->shape[i] == type->shape[i];
    return same;
}

Tensor *in_value(Interp *x, int arg, Arg a)
{
    if (a.kind != ARG_value) {
        if (arg_is_number(a))
            return keep(x, tensor_from_number(a));
        fail(x, "bad-argument", "argument '%s' of prims.%s is not a tensor or a number",
             operand_name(x, arg), x->node->op->name);
        return NULL;
    }
    const Value *v = value_get(x->t, a.v);
    Tensor *t = x->call->values[a.v];
    if (!t && arg_is_number(v->known))
        return keep(x, tensor_from_number(v->known));
    if (!t) {
        fail(x, "no-value", "%.*s has no value: it is not bound, or was deleted", STR(v->name));
        return NULL;
    }
    if (v->type.kind == VALUE_tensor && !shape_as_declared(t, &v->type)) {
        StrBuf b = {0};
        type_print(&v->type, NULL, &b);
        fail(x, "wrong-shape", "%.*s holds a tensor of another shape than %s", STR(v->name),
             sb_cstr(&b));
        sb_free(&b);
        return NULL;
    }
    return t;
}

Tensor *in_tensor(Interp *x, int arg)
{
    Tensor *t = in_value(x, arg, x->node->args[arg]);
    DType d = t && in_is_number(x, arg) ? op_number_dtype(x->t, x->node, (uint32_t)arg) : DT_none;
    if (dtype_is_float(d) && dtype_is_complex(t->dtype)) /* no prim takes it: the kernel says so */
        return t;
    return d == DT_none || d == t->dtype ? t : keep(x, tensor_cast(t, d));
}

Tensor *in_dense(Interp *x, int arg, DType dtype)
{
    Tensor *t = in_tensor(x, arg);
    if (!t || (t->dtype == dtype && tensor_is_contiguous(t)))
        return t;
    return keep(x, tensor_cast(t, dtype));
}

bool in_is_number(const Interp *x, int arg)
{
    Arg a = x->node->args[arg];
    return arg_is_number(a) || (a.kind == ARG_value && x->t->values[a.v].type.kind == VALUE_number);
}

bool in_is_none(const Interp *x, int arg)
{
    return x->node->args[arg].kind == ARG_none;
}

bool in_int_arg(Interp *x, int arg, Arg a, int64_t *out)
{
    if (a.kind == ARG_int || a.kind == ARG_bool) {
        *out = a.i;
        return true;
    }
    Tensor *t = in_value(x, arg, a);
    if (!t)
        return false;
    if (tensor_numel(t) != 1 || !dtype_is_exact(t->dtype))
        return fail(x, "bad-argument", "argument '%s' of prims.%s must be an int",
                    operand_name(x, arg), x->node->op->name);
    *out = elem_get_i64(tensor_data(t), t->dtype);
    return true;
}

bool in_int(Interp *x, int arg, int64_t *out)
{
    return in_int_arg(x, arg, x->node->args[arg], out);
}

bool in_f64(Interp *x, int arg, double *out)
{
    Tensor *t = in_tensor(x, arg);
    if (!t)
        return false;
    if (tensor_numel(t) != 1)
        return fail(x, "bad-argument", "argument '%s' of prims.%s must be a number",
                    operand_name(x, arg), x->node->op->name);
    *out = elem_get_f64(tensor_data(t), t->dtype);
    return true;
}

bool in_sizes(Interp *x, int arg, Sizes *out)
{
    Arg a = x->node->args[arg];
    out->n = 0;
    if (!arg_is_seq(a)) {
        out->n = 1;
        return in_int(x, arg, &out->v[0]);
    }
    if (a.n > MAX_RANK)
        return fail(x, "bad-argument", "argument '%s' has too many elements", operand_name(x, arg));
    for (; out->n < a.n; out->n++)
        if (!in_int_arg(x, arg, a.items[out->n], &out->v[out->n]))
            return false;
    return true;
}

bool in_dims(Interp *x, int arg, uint32_t rank, bool mask[MAX_RANK])
{
    Sizes dims;
    for (uint32_t i = 0; i < MAX_RANK; i++)
        mask[i] = false;
    if (!in_sizes(x, arg, &dims))
        return false;
    for (uint32_t i = 0; i < dims.n; i++) {
        if (dims.v[i] >= 0 && dims.v[i] < rank)
            mask[dims.v[i]] = true;
        else if (rank != 0)
            return fail(x, "bad-argument", "a tensor of rank %u has no dimension %lld", rank,
                        (long long)dims.v[i]);
    }
    return true;
}

/* ------------------------------------------------------------------------------------ results */

DType run_dtype(const Interp *x, DType declared)
{
    if (!x->f64 || !dtype_is_inexact(declared))
        return declared;
    return dtype_is_complex(declared) ? DT_c128 : DT_f64;
}

const Type *out_type(const Interp *x, uint32_t i)
{
    return &x->t->values[i < x->nout ? x->outs[i] : 0].type;
}

DType out_dtype(const Interp *x, uint32_t i)
{
    return run_dtype(x, (DType)out_type(x, i)->dtype);
}

/* The place that the caller has for result i, when it is one for this dtype and shape. */
static Tensor *out_place(const Interp *x, uint32_t i, const Type *type)
{
    Tensor *t = x->call->placed && i < x->nout ? x->call->values[x->outs[i]] : NULL;
    if (!t || type->kind != VALUE_tensor || t->dtype != out_dtype(x, i) ||
        !shape_as_declared(t, type) || !tensor_is_contiguous(t))
        return NULL;
    return t;
}

Tensor *out_new(Interp *x, uint32_t i)
{
    Tensor *place = out_place(x, i, out_type(x, i));
    if (place)
        memset(tensor_data(place), 0, (size_t)tensor_numel(place) * bytes_of(place));
    return place ? place : out_unset(x, i);
}

Tensor *out_unset(Interp *x, uint32_t i)
{
    const Type *type = out_type(x, i);
    uint32_t rank = type->kind == VALUE_tensor ? type->rank : 0;
    Tensor *place = out_place(x, i, type);
    if (place)
        return place;
    Tensor *t = i < x->nout ? tensor_new(out_dtype(x, i), type->device, rank, type->shape) : NULL;
    return out_give(x, i, t) ? t : NULL;
}

bool out_give(Interp *x, uint32_t i, Tensor *t)
{
    if (i >= x->nout) {
        tensor_unref(t);
        return fail(x, "bad-node", "prims.%s has no place for its result %u", x->node->op->name, i);
    }
    const Value *v = value_get(x->t, x->outs[i]);
    if (!t)
        return fail(x, "out-of-memory", "not enough memory for %.*s (%lld bytes)", STR(v->name),
                    (long long)type_bytes(&v->type));
    tensor_unref(x->call->values[x->outs[i]]);
    x->call->values[x->outs[i]] = t;
    return true;
}

bool out_view(Interp *x, uint32_t i, const Tensor *t, uint32_t rank, const int64_t *shape,
              const int64_t *strides, int64_t offset)
{
    return out_give(x, i, tensor_view(t, rank, shape, strides, offset));
}

/* ----------------------------------------------------------------------------------- executor */

static bool can(const Trace *t, NodeId n, StrBuf *why_not)
{
    const Op *op = t->nodes[n].op;
    if (op->language != LANG_prims || op->id >= PRIM_COUNT) {
        sb_puts(why_not, "runs prims only");
        return false;
    }
    if (kernels[op->id] == k_not_here) {
        sb_printf(why_not, "prims.%s cannot be run by itself", op->name);
        return false;
    }
    return true;
}

/* A rough figure: a few nanoseconds for every element read or written. */
static double cost(const Trace *t, NodeId n)
{
    ValueId values[MAX_OUTPUTS];
    double elements = 0;
    const Node *node = &t->nodes[n];
    uint32_t found = arg_values(node->out, values, MAX_OUTPUTS);
    for (uint32_t i = 0; i < found && i < MAX_OUTPUTS; i++)
        elements += (double)type_numel(&t->values[values[i]].type);
    if ((node->op->flags & OP_MATMUL) && node->args[1].kind == ARG_value) {
        const Type *w = &t->values[node->args[1].v].type;
        for (uint32_t i = 0; i < w->rank; i++)
            elements *= i + 2 >= w->rank ? (double)w->shape[i] / 2 : 1;
    }
    return 1e-7 + elements * 4e-9;
}

/* Kernels of the elementwise loop take a chunk of all operands before they write it. Those beside
 * it that copy make a tensor of their own. */
static void in_place(const Trace *t, NodeId n, Overlay *pairs, uint32_t npairs)
{
    for (uint32_t i = 0; i < npairs; i++) {
        const Type *from = &t->values[pairs[i].operand].type;
        const Type *to = &t->values[pairs[i].result].type;
        pairs[i].legal = (t->nodes[n].op->flags & OP_ELEMENTWISE) && type_equal(from, to);
    }
}

static void drop_results(Interp *x)
{
    for (uint32_t i = 0; i < x->nout; i++) {
        tensor_unref(x->call->values[x->outs[i]]);
        x->call->values[x->outs[i]] = NULL;
    }
}

static bool run(ExecCall *call)
{
    const Node *node = &call->t->nodes[call->node];
    Interp x = {.call = call, .t = call->t, .node = node, .f64 = call->rounding == ROUND_f64};
    uint32_t nout = arg_values(node->out, x.outs, MAX_OUTPUTS);
    x.nout = nout < MAX_OUTPUTS ? nout : MAX_OUTPUTS;
    if (node->op->language != LANG_prims || node->op->id >= PRIM_COUNT)
        return fail(&x, "not-runnable", "interp runs prims only, not %s", node->op->name);
    bool ok = kernels[node->op->id](&x);
    if (ok)
        INJECT_RESULT(call);
    if (ok && stopped(&x)) {
        diag_error(call->diag, DIAG_interrupt, node->src, "interrupted", "interrupted in prims.%s",
                   node->op->name);
        ok = false;
    }
    for (Temp *temp = x.temps; temp; temp = temp->next)
        tensor_unref(temp->t);
    arena_free(&x.arena);
    if (!ok)
        drop_results(&x);
    return ok;
}

const Executor exec_interp = {
    .name = "interp",
    .help = "runs every prim, naively and exactly; what the others are compared with",
    .kind = EXEC_operator,
    .can = can,
    .cost = cost,
    .in_place = in_place,
    .run = run,
};
