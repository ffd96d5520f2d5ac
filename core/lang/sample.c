/*
 * sample.c - a call of an operator on small arguments.
 *
 * Input: an operator. Output: a trace that calls it once, for manuals and tests. What an argument
 * may be follows from its type and, for indices, masks and shapes, from its name; what fits
 * together is known only to the operator, so combinations are tried until one is taken. Where none
 * is, sample.def has the arguments.
 */
#include "lang.h"

#include <string.h>

/* One combination: which shape the tensors have, of which dtype they are, what ints are. */
typedef struct Choice {
    const Dims *shape;
    DType dtype;
    uint32_t number;
} Choice;

static const Dims shapes[] = {
    {2, {2, 3}},       {1, {4}},       {3, {2, 3, 4}}, {4, {1, 2, 4, 4}},
    {2, {4, 4}},       {0, {0}},       {3, {2, 4, 4}}, {5, {1, 1, 4, 4, 4}},
    {5, {1, 2, 4, 4, 4}}, {2, {2, 2}},
};
static const DType dtypes[] = {DT_f32, DT_i64, DT_b8, DT_c64};

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
                                                             : c->dtype;
    Type t = type_tensor(b->t, d, (Device){DEV_cpu, 0}, c->shape->n, c->shape->v);
    return A_VALUE(trace_add_input(b->t, t, (Str){0}));
}

static Arg sample_ints(Build *b, const Choice *c, Str name)
{
    const Dims *shape = c->shape;
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

/* ------------------------------------------------------------------------------ by the table */

static const struct {
    Language language;
    const char *op, *args;
} samples[] = {
#define SAMPLE(language, op, args) {LANG_##language, #op, args},
#include "sample.def"
#undef SAMPLE
};

static const char *sample_text(const Op *op)
{
    for (size_t i = 0; i < ARRAY_LEN(samples); i++)
        if (op->language == samples[i].language && strcmp(op->name, samples[i].op) == 0)
            return samples[i].args;
    return NULL;
}

/* The next argument of the text, up to a blank outside of brackets. */
static Str next_word(Str *s)
{
    size_t n = 0;
    int open = 0;
    *s = str_trim(*s);
    for (; n < s->n && (open || s->p[n] != ' '); n++)
        open += strchr("([", s->p[n]) ? 1 : strchr(")]", s->p[n]) ? -1 : 0;
    Str word = str_sub(*s, 0, n);
    *s = str_sub(*s, n, SIZE_MAX);
    return word;
}

/* f32[2,3] */
static Arg written_tensor(Build *b, DType d, Str sizes)
{
    Dims shape = {0};
    sizes.n--; /* the bracket */
    while (sizes.n)
        if (str_to_i64(str_cut(&sizes, ','), &shape.v[shape.n]))
            shape.n++;
    Type t = type_tensor(b->t, d, (Device){DEV_cpu, 0}, shape.n, shape.v);
    return A_VALUE(trace_add_input(b->t, t, (Str){0}));
}

static Arg written_arg(Build *b, Str word)
{
    size_t bracket = str_find(word, '[', 0);
    Arg items[8];
    uint32_t n = 0;
    int64_t i;
    double f;
    if (word.p[0] == '(' || word.p[0] == '[') {
        Str rest = str_sub(word, 1, word.n - 2);
        while (str_trim(rest).n && n < ARRAY_LEN(items))
            items[n++] = written_arg(b, next_word(&rest));
        return word.p[0] == '(' ? arg_tuple(b->t, items, n) : arg_list(b->t, items, n);
    }
    if (bracket != SIZE_MAX)
        return written_tensor(b, dtype_parse(str_sub(word, 0, bracket)),
                              str_sub(word, bracket + 1, SIZE_MAX));
    if (word.p[0] == '\'')
        return arg_string(b->t, str_sub(word, 1, word.n - 2));
    if (str_to_i64(word, &i))
        return A_INT(i);
    if (str_to_f64(word, &f))
        return A_FLOAT(f);
    if (str_is(word, "cpu"))
        return A_DEVICE(((Device){DEV_cpu, 0}));
    if (dtype_parse(word) != DT_none)
        return A_DTYPE(dtype_parse(word));
    return str_is(word, "None") ? A_NONE : A_BOOL(str_is(word, "True"));
}

/* ------------------------------------------------------------------------------------ the call */

static Arg next_arg(Build *b, const Choice *c, Str *written, const Param *p)
{
    if (!written->p)
        return sample_arg(b, c, p);
    Str word = next_word(written);
    return word.n ? written_arg(b, word) : p->dflt;
}

/* Calls op with written arguments, or those of a choice; NULL when it refuses them. */
static Trace *try_call(const Registry *reg, const Op *op, const Choice *c, const char *text)
{
    Diag d = {0};
    Trace *t = trace_new(reg, S("sample"));
    Build b = {.t = t, .diag = &d};
    Str written = text ? str_from(text) : (Str){0};
    Arg args[MAX_PARAMS];
    for (uint32_t i = 0; i < op->sig.n; i++)
        args[i] = next_arg(&b, c, &written, &op->sig.params[i]);
    t->output = op_call(&b, op, args);
    diag_clear(&d);
    if (!b.failed) {
        trace_finish(t);
        return t;
    }
    trace_unref(t);
    return NULL;
}

Trace *op_sample_of(const Registry *reg, const Op *op, const Dims *shape, DType d, uint32_t number)
{
    return try_call(reg, op, &(Choice){shape, d, number}, NULL);
}

Trace *op_sample(const Registry *reg, const Op *op)
{
    const char *text = sample_text(op);
    Trace *found = NULL; /* one that computes something is better */
    if (op->flags & (OP_OPAQUE | OP_UNPACK | OP_COLLECTIVE))
        return NULL;
    if (text)
        return try_call(reg, op, NULL, text);
    for (uint32_t d = 0; d < ARRAY_LEN(dtypes); d++)
        for (uint32_t n = 0; n < SAMPLE_NUMBERS; n++)
            for (uint32_t s = 0; s < ARRAY_LEN(shapes); s++) {
                Trace *t = op_sample_of(reg, op, &shapes[s], dtypes[d], n);
                if (!t)
                    continue;
                trace_unref(found);
                found = t;
                if (t->nnodes > 0)
                    return t;
            }
    return found;
}
