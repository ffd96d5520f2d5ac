/* cuda_side.c - builds the few prims and hands them to the executor cuda; see cuda_side.h. */
#include "cuda_side.h"

#include "executors.h"

#include <math.h>

enum { MAX_SIDE_VALUES = 16 };

/* Opens a call on inputs of these types. */
static NodeId begin(CudaSide *s, const Registry *reg, const Type *a, const Type *b)
{
    *s = (CudaSide){.t = trace_new(reg, S("side"))};
    s->in[0] = trace_add_input(s->t, *a, (Str){0});
    if (b)
        s->in[1] = trace_add_input(s->t, *b, (Str){0});
    Arg ins[2] = {A_VALUE(s->in[0]), A_VALUE(s->in[1])};
    Arg args[2] = {arg_string(s->t, S("side")), arg_tuple(s->t, ins, b ? 2 : 1)};
    return trace_add_node(s->t, (Node){.op = registry_op(reg, PRIM_call),
                                       .args = arena_copy(&s->t->arena, args, sizeof args),
                                       .nargs = 2,
                                       .executor = exec_cuda.name,
                                       .flags = NF_VERBATIM});
}

static bool finish(CudaSide *s, NodeId call, Arg out, const CompileOptions *o, Diag *d)
{
    s->out = out.v;
    s->t->nodes[call].out = arg_list(s->t, &out, 1);
    s->t->nodes[call].span = s->t->nnodes - call;
    trace_finish(s->t);
    return exec_cuda.compile(s->t, call, o, &s->kernel, d);
}

static bool is_half(const Type *t)
{
    return t->dtype == DT_bf16 || t->dtype == DT_f16;
}

static Arg widened(Build *b, Arg a, const Type *type)
{
    return is_half(type) ? emit(b, convert_element_type, a, A_DTYPE(DT_f32)) : a;
}

static Arg narrowed(Build *b, Arg a, const Type *type)
{
    return is_half(type) ? emit(b, convert_element_type, a, A_DTYPE(type->dtype)) : a;
}

Arg cuda_bias_added(Build *b, Arg y, const Type *type, Arg bias, const Type *bias_type)
{
    Arg shape = arg_ints(b->t, type->shape, type->rank);
    Arg channel = arg_ints(b->t, (int64_t[]){1}, 1);
    Arg each = emit(b, broadcast_in_dim, bias, shape, channel);
    Arg sum = emit(b, add, widened(b, y, type), widened(b, each, bias_type));
    return narrowed(b, sum, bias_type);
}

bool cuda_side_add_bias(CudaSide *s, const Registry *reg, const Type *y, const Type *bias,
                        const CompileOptions *o, Diag *d)
{
    NodeId call = begin(s, reg, y, bias);
    Build b = {.t = s->t, .diag = d};
    Arg out = cuda_bias_added(&b, A_VALUE(s->in[0]), y, A_VALUE(s->in[1]), bias);
    return !b.failed && finish(s, call, out, o, d);
}

bool cuda_side_sum_channels(CudaSide *s, const Registry *reg, const Type *y,
                            const CompileOptions *o, Diag *d)
{
    NodeId call = begin(s, reg, y, NULL);
    Build b = {.t = s->t, .diag = d};
    int64_t dims[MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < y->rank; i++)
        if (i != 1)
            dims[n++] = i;
    Arg sum = emit(&b, sum, widened(&b, A_VALUE(s->in[0]), y), arg_ints(s->t, dims, n));
    Arg out = narrowed(&b, sum, y);
    return !b.failed && finish(s, call, out, o, d);
}

bool cuda_side_mask(CudaSide *s, const Registry *reg, const Type *mask, DType d, double least,
                    const CompileOptions *o, Diag *diag)
{
    NodeId call = begin(s, reg, mask, NULL);
    Build b = {.t = s->t, .diag = diag};
    Arg m = A_VALUE(s->in[0]), none = A_FLOAT(-INFINITY), out;
    if (mask->dtype == DT_b8) {
        Arg shape = arg_ints(s->t, mask->shape, mask->rank);
        Arg zero = emit(&b, full, shape, A_FLOAT(0), A_DEVICE(mask->device), A_DTYPE(d));
        out = emit(&b, where, m, zero, none);
    } else {
        out = emit(&b, where, emit(&b, eq, m, none), m, emit(&b, maximum, m, A_FLOAT(least)));
    }
    return !b.failed && finish(s, call, out, o, diag);
}

bool cuda_side_run(const CudaSide *s, ExecCall *call, Tensor *a, Tensor *b, Tensor **out)
{
    Tensor *values[MAX_SIDE_VALUES] = {0};
    values[s->in[0]] = a;
    values[s->in[1]] = s->in[1] ? b : NULL;
    values[s->out] = *out;
    ExecCall own = *call;
    own.t = s->t;
    own.node = 0;
    own.values = values;
    bool good = s->kernel->executor->launch(s->kernel, &own);
    *out = values[s->out];
    return good;
}

void cuda_side_drop(CudaSide *s)
{
    if (s->kernel)
        s->kernel->executor->drop(s->kernel);
    if (s->t)
        trace_unref(s->t);
    *s = (CudaSide){0};
}

bool cuda_run_on_host(ExecCall *call)
{
    const Trace *t = call->t;
    const Node *node = &t->nodes[call->node];
    NodeId end = call->node + node->span;
    bool good = true;
    for (int pass = 0; pass < 2; pass++) /* drops places on the device, then what only helped */
        for (NodeId n = call->node; n < end; n++) {
            ValueId outs[MAX_OUTPUTS];
            uint32_t nouts = t->nodes[n].span == 1 ? arg_values(t->nodes[n].out, outs, MAX_OUTPUTS)
                                                   : 0;
            for (uint32_t i = 0; i < nouts; i++) {
                if (pass && node_makes(node, outs[i]))
                    continue;
                tensor_unref(call->values[outs[i]]);
                call->values[outs[i]] = NULL;
            }
            ExecCall own = *call;
            own.node = n;
            own.device = NULL;
            own.placed = false;
            if (pass == 0 && t->nodes[n].span == 1)
                good = good && exec_interp.run(&own);
        }
    return good;
}

CompileOptions cuda_later_options(Arena *a, const CompileOptions *o)
{
    CompileOptions own = *o;
    own.cache_dir = arena_str(a, o->cache_dir);
    own.cuda_path = arena_str(a, o->cuda_path);
    own.flags = own.edited_text = own.compiler = (Str){0};
    own.interrupt = NULL;
    own.progress = NULL;
    return own;
}
