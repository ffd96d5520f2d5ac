/*
 * sample.c - a call of an operator on small arguments, found by trying.
 *
 * Input: an operator. Output: a trace that calls it once, for manuals and tests. What an argument
 * may be follows from its type and, for indices, masks and shapes, from its name; what fits
 * together is known only to the operator, so combinations are tried until one is taken.
 */
#include "lang.h"

/* One combination: which shape the tensors have, of which dtype they are, what ints are. */
typedef struct Choice {
    uint32_t shape, dtype, number;
} Choice;

static const Dims shapes[] = {
    {2, {2, 3}},       {1, {4}},       {3, {2, 3, 4}}, {4, {1, 2, 4, 4}},
    {2, {4, 4}},       {0, {0}},       {3, {2, 4, 4}}, {5, {1, 1, 4, 4, 4}},
    {5, {1, 2, 4, 4, 4}}, {2, {2, 2}},
};
static const DType dtypes[] = {DT_f32, DT_i64, DT_b8, DT_c64};
enum { NUMBERS = 4 };

static bool named(Str name, const char *words)
{
    Str rest = str_from(words);
    while (rest.n)
        if (str_eq(str_cut(&rest, ' '), name))
            return true;
    return false;
}

static Arg sample_tensor(Build *b, const Choice *c, Str name)
{
    DType d = named(name, "index indices offsets sorter") ? DT_i64
              : named(name, "mask pred condition")           ? DT_b8
                                                             : dtypes[c->dtype];
    const Dims *shape = &shapes[c->shape];
    Type t = type_tensor(b->t, d, (Device){DEV_cpu, 0}, shape->n, shape->v);
    return A_VALUE(trace_add_input(b->t, t, (Str){0}));
}

static Arg sample_ints(Build *b, const Choice *c, Str name)
{
    const Dims *shape = &shapes[c->shape];
    Dims last = {.n = 1, .v = {shape->n ? shape->v[shape->n - 1] : 1}};
    Dims one = {.n = 1, .v = {1}}, none = {0};
    if (named(name, "normalized_shape"))
        return cl_tuple(b, &last);
    if (named(name, "size shape sizes output_size input_size"))
        return c->number == 1 ? cl_tuple(b, &last) : cl_tuple(b, shape);
    switch (c->number) {
    case 0:
        return A_INT(0);
    case 1:
        return A_INT(1);
    case 2:
        return cl_tuple(b, shape->n ? &one : &none);
    default:
        return A_INT(2);
    }
}

static Arg sample_arg(Build *b, const Choice *c, const Param *p)
{
    if (p->has_default && !(p->type == PT_tensor && c->number == 3))
        return p->dflt;
    switch ((ParamType)p->type) {
    case PT_tensor:
    case PT_scalar:
        return sample_tensor(b, c, p->name);
    case PT_tensors: {
        Arg two[2] = {sample_tensor(b, c, p->name), sample_tensor(b, c, p->name)};
        return arg_list(b->t, two, 2);
    }
    case PT_ints:
        return sample_ints(b, c, p->name);
    case PT_int:
    case PT_any:
        return A_INT((int64_t)c->number);
    case PT_number:
        return A_FLOAT(0.5 + (double)c->number);
    case PT_seq: {
        Arg one = sample_tensor(b, c, S("index"));
        return arg_tuple(b->t, &one, 1);
    }
    case PT_dtype:
        return A_DTYPE(DT_f64);
    case PT_str:
        return arg_string(b->t, named(p->name, "equation") ? S("ij,jk->ik") : S("sum"));
    default:
        return A_BOOL(p->type == PT_true);
    }
}

static Trace *try_call(const Registry *reg, const Op *op, const Choice *c)
{
    Diag d = {0};
    Trace *t = trace_new(reg, S("sample"));
    Build b = {.t = t, .diag = &d};
    Arg args[MAX_PARAMS];
    for (uint32_t i = 0; i < op->sig.n; i++)
        args[i] = sample_arg(&b, c, &op->sig.params[i]);
    t->output = op_call(&b, op, args);
    bool good = !b.failed && t->nnodes > 0;
    if (good)
        trace_finish(t);
    diag_clear(&d);
    if (good)
        return t;
    trace_unref(t);
    return NULL;
}

Trace *op_sample(const Registry *reg, const Op *op)
{
    if (op->flags & (OP_OPAQUE | OP_UNPACK | OP_COLLECTIVE))
        return NULL;
    for (uint32_t d = 0; d < ARRAY_LEN(dtypes); d++)
        for (uint32_t n = 0; n < NUMBERS; n++)
            for (uint32_t s = 0; s < ARRAY_LEN(shapes); s++) {
                Trace *t = try_call(reg, op, &(Choice){s, d, n});
                if (t)
                    return t;
            }
    return NULL;
}
