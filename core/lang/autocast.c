/*
 * autocast.c - the table of autocast.def, and regions that follow it while a program is read.
 *
 * Input: calls on their way into a trace that is being built. Output: the same calls on operands
 * that were cast as torch.autocast does. As in PyTorch, nothing is cast again inside of an operator
 * that the lists have.
 */
#include "autocast.h"

#include "lang.h"

static const CastRow cast_table[] = {
#define CAST(op, cuda, cpu) {#op, CAST_##cuda, CAST_##cpu},
#include "autocast.def"
#undef CAST
};

const CastRow *cast_row(Map *index, const Op *op)
{
    for (size_t i = index->n; i < ARRAY_LEN(cast_table); i++)
        map_put(index, str_from(cast_table[i].op), NULL)->cp = &cast_table[i];
    const MapEntry *found = map_get(index, str_from(op->name));
    return found && op->language != LANG_executor ? found->cp : NULL;
}

static bool names_dtype(const Arg *args, uint32_t nargs)
{
    for (uint32_t i = 0; i < nargs; i++)
        if (args[i].kind == ARG_dtype)
            return true;
    return false;
}

CastKind cast_kind(const CastRow *row, bool cuda, const Arg *args, uint32_t nargs)
{
    CastKind kind = !row ? CAST_unlisted : (CastKind)(cuda ? row->cuda : row->cpu);
    if (kind != CAST_sum)
        return kind;
    return names_dtype(args, nargs) ? CAST_none : CAST_wide;
}

bool may_cast(const Type *type)
{
    return type->kind == VALUE_tensor && dtype_is_float((DType)type->dtype) &&
           dtype_info[type->dtype].bytes >= 2 && type->dtype != DT_f64;
}

/* ------------------------------------------------------------------------------------- regions */

typedef struct Casting {
    Build *b;
    CastRegion *r;
    DType to;
    uint32_t seen; /* dtypes of the operands, a bit each */
} Casting;

static void note_dtype(ValueId v, void *user)
{
    Casting *c = user;
    const Type *type = &c->b->t->values[v].type;
    if (may_cast(type))
        c->seen |= 1u << type->dtype;
}

/* Inputs have ascending numbers while a program is read. */
static bool is_input(const Trace *t, ValueId v)
{
    uint32_t low = 0, high = t->ninputs;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (t->inputs[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->ninputs && t->inputs[low] == v;
}

/* An input is cast to low precision once, as PyTorch's cache does it for the sake of weights; so
 * its gradients are added in low precision. Other values are cast for each call. */
static Arg cast_value(Casting *c, ValueId v)
{
    if (!c->r->leaves || c->to != c->r->low || !is_input(c->b->t, v))
        return cl_to(c->b, A_VALUE(v), c->to);
    const uint32_t key[2] = {v, c->to};
    Str text = {(const char *)key, sizeof key};
    const MapEntry *known = map_get(c->r->leaves, text);
    if (known)
        return A_VALUE((ValueId)known->u);
    Arg made = cl_to(c->b, A_VALUE(v), c->to);
    if (!c->r->inside) /* else the cast belongs to the operator at hand */
        map_put(c->r->leaves, text, NULL)->u = made.v;
    return made;
}

static Arg cast_operand(Casting *c, Arg a)
{
    if (a.kind == ARG_value) {
        const Type *type = &c->b->t->values[a.v].type;
        return may_cast(type) && type->dtype != c->to ? cast_value(c, a.v) : a;
    }
    if (!arg_is_seq(a) || a.n == 0)
        return a;
    Arg *items = new_array(&c->b->t->arena, Arg, a.n);
    for (uint32_t i = 0; i < a.n; i++)
        items[i] = cast_operand(c, a.items[i]);
    a.items = items;
    return a;
}

/* The arguments of a call of this kind, cast. */
static const Arg *cast_args(Casting *c, CastKind kind, const Op *op, const Arg *args)
{
    uint32_t n = op->sig.n;
    Arg all = {.kind = ARG_tuple, .n = n, .items = args};
    if (kind == CAST_widest) {
        arg_each_value(all, note_dtype, c);
        if ((c->seen & (c->seen - 1)) == 0)
            return args;
    }
    return n ? cast_operand(c, all).items : args;
}

/* What happens to a call where only products are looked at: in what is no operator of the lists. */
static CastKind kind_here(const CastRegion *r, const Op *op, const Arg *args)
{
    if (op->flags & OP_IN_PLACE)
        return CAST_none; /* the result has the dtype of what is written */
    CastKind kind = cast_kind(cast_row(r->index, op), r->cuda, args, op->sig.n);
    if (kind == CAST_low || kind == CAST_none || kind == CAST_open)
        return kind;
    if (!op->decompose)
        return CAST_none;
    return r->products && kind != CAST_unlisted ? CAST_none : kind;
}

Arg cast_around(Build *b, const Op *op, const Arg *args)
{
    CastRegion *r = b->around_user;
    AroundFn *around = b->around;
    CastKind kind = kind_here(r, op, args);
    bool products = r->products;
    Casting c = {b, r, kind == CAST_low ? r->low : DT_f32, 0};
    if (kind == CAST_banned) {
        build_error(b, -1, "%s is unsafe under autocast: use binary_cross_entropy_with_logits",
                    op->name);
        return A_NONE;
    }
    if ((op->flags & OP_IN_PLACE) && r->leaves)
        map_clear(r->leaves); /* what is written may be one of them */
    b->around = NULL;
    bool opened = kind == CAST_open || kind == CAST_unlisted;
    if (opened)
        b->around = around;
    else if (kind != CAST_none)
        args = cast_args(&c, kind, op, args);
    r->products |= kind == CAST_unlisted;
    r->inside += opened;
    Arg out = op_append(b, op, args);
    r->inside -= opened;
    r->products = products;
    b->around = around;
    return out;
}
