/*
 * cone.c - see cone.h. One sweep from the last prim to the first: the box of a result gives those
 * of the operands, and a value that several prims read is needed from the least to the last of
 * their boxes.
 */
#include "cone.h"

#include <string.h>

/* ---------------------------------------------------------------------------------------- boxes */

static Box *box_new(Arena *a, uint32_t rank)
{
    Box *x = new_of(a, Box);
    *x = (Box){rank, new_array(a, int64_t, rank + 1), new_array(a, int64_t, rank + 1)};
    return x;
}

Box *box_whole(Arena *a, const Type *type)
{
    Box *x = box_new(a, type->rank);
    for (uint32_t i = 0; i < type->rank; i++)
        x->size[i] = type->shape[i];
    return x;
}

Box *box_copy(Arena *a, const Box *x)
{
    Box *y = box_new(a, x->rank);
    memcpy(y->from, x->from, x->rank * sizeof *x->from);
    memcpy(y->size, x->size, x->rank * sizeof *x->size);
    return y;
}

int64_t box_numel(const Box *x)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < x->rank; i++)
        n *= x->size[i];
    return n;
}

/* The smallest box around both. */
static void box_join(Box *x, const Box *y)
{
    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t end = x->from[i] + x->size[i], other = y->from[i] + y->size[i];
        x->from[i] = y->from[i] < x->from[i] ? y->from[i] : x->from[i];
        x->size[i] = (other > end ? other : end) - x->from[i];
    }
}

static void set_range(Box *x, uint32_t i, const Box *y, uint32_t k)
{
    x->from[i] = y->from[k];
    x->size[i] = y->size[k];
}

/* ---------------------------------------------------------------------------------------- rules */

typedef enum Rule {
    RULE_whole,     /* every operand whole, every result whole */
    RULE_same,      /* element by element */
    RULE_create,    /* no operands */
    RULE_broadcast,
    RULE_transpose,
    RULE_reduce,
    RULE_matmul,
    RULE_linear,
    RULE_reshape,
} Rule;

static int64_t int_at(Arg list, uint32_t i)
{
    return list.items[i].i;
}

static bool all_ints(Arg list)
{
    bool good = arg_is_seq(list);
    for (uint32_t i = 0; good && i < list.n; i++)
        good = list.items[i].kind == ARG_int;
    return good;
}

static const Type *operand_type(const Cone *c, const Node *n, uint32_t i)
{
    return n->nargs > i && n->args[i].kind == ARG_value ? &c->t->values[n->args[i].v].type : NULL;
}

static ValueId only_result(const Node *n)
{
    return n->out.kind == ARG_value ? n->out.v : 0;
}

/* Leading dimensions that a reshape leaves as they are. */
static uint32_t kept_dims(const Type *a, const Type *out)
{
    uint32_t n = 0;
    while (n < a->rank && n < out->rank && a->shape[n] == out->shape[n])
        n++;
    return n;
}

/* Whether the box takes part of kept leading dimensions only. */
static bool splits_kept(const Type *a, const Type *out, const Box *box)
{
    for (uint32_t i = kept_dims(a, out); i < out->rank; i++)
        if (box->size[i] != out->shape[i])
            return false;
    return true;
}

static Rule move_rule(const Cone *c, const Node *n, const Type *a, const Type *out)
{
    switch (n->op->id) {
    case PRIM_full:
        return RULE_create;
    case PRIM_iota:
        return n->args[1].kind == ARG_int && n->args[2].kind == ARG_int ? RULE_create : RULE_whole;
    case PRIM_broadcast_in_dim:
        return a && all_ints(n->args[2]) ? RULE_broadcast : RULE_whole;
    case PRIM_transpose:
        return a && all_ints(n->args[1]) ? RULE_transpose : RULE_whole;
    case PRIM_shallow_copy:
    case PRIM_clone:
    case PRIM_stride_order:
        return RULE_same;
    case PRIM_reshape:
    case PRIM_view:
    case PRIM_squeeze:
        return a && splits_kept(a, out, c->need[n->out.v]) ? RULE_reshape : RULE_whole;
    default:
        return RULE_whole;
    }
}

static Rule rule_of(const Cone *c, const Node *n)
{
    ValueId v = only_result(n);
    const Type *out = v ? &c->t->values[v].type : NULL, *a = operand_type(c, n, 0);
    if (!out || out->kind != VALUE_tensor || !c->need[v])
        return RULE_whole;
    if (n->op->id == PRIM_matmul) {
        const Type *b = operand_type(c, n, 1);
        return a && b && a->rank == b->rank && a->rank >= 2 ? RULE_matmul : RULE_whole;
    }
    if (n->op->id == PRIM_linear)
        return a && a->rank ? RULE_linear : RULE_whole;
    switch (n->op->id) {
    case PRIM_sum:
    case PRIM_amax:
    case PRIM_amin:
    case PRIM_var:
    case PRIM_std:
        return a && all_ints(n->args[1]) ? RULE_reduce : RULE_whole;
    }
    Rule moves = move_rule(c, n, a, out);
    return moves != RULE_whole            ? moves
           : n->op->id == PRIM_bitcast    ? RULE_whole
           : n->op->flags & OP_ELEMENTWISE ? RULE_same
                                           : RULE_whole;
}

/* ---------------------------------------------------------------------------- boxes of operands */

static void broadcast_box(const Node *n, const Type *a, const Box *out, Box *in)
{
    for (uint32_t i = 0; i < a->rank; i++) {
        uint32_t k = (uint32_t)int_at(n->args[2], i);
        if (a->shape[i] != 1)
            set_range(in, i, out, k);
    }
}

static bool is_reduced(const Node *n, uint32_t dim)
{
    bool found = false;
    for (uint32_t i = 0; i < n->args[1].n; i++)
        found |= int_at(n->args[1], i) == (int64_t)dim;
    return found;
}

static void reduced_box(const Node *n, const Type *a, const Box *out, Box *in)
{
    for (uint32_t i = 0, k = 0; i < a->rank; i++)
        if (!is_reduced(n, i))
            set_range(in, i, out, k++);
}

static void matmul_box(const Type *type, uint32_t operand, const Box *out, Box *in)
{
    uint32_t last = type->rank - 1;
    for (uint32_t i = 0; i + 2 < type->rank; i++)
        set_range(in, i, out, i);
    if (operand == 0)
        set_range(in, last - 1, out, last - 1);
    else
        set_range(in, last, out, last);
}

static void linear_box(const Type *type, uint32_t operand, const Box *out, Box *in)
{
    for (uint32_t i = 0; operand == 0 && i + 1 < type->rank; i++)
        set_range(in, i, out, i);
    if (operand > 0) /* rows of the weight, elements of the bias */
        set_range(in, 0, out, out->rank - 1);
}

Box *cone_operand(const Cone *c, NodeId leaf, ValueId v)
{
    const Node *n = &c->t->nodes[leaf];
    const Type *type = &c->t->values[v].type;
    Box *in = box_whole(c->arena, type);
    Rule rule = rule_of(c, n);
    const Box *out = rule == RULE_whole ? NULL : c->need[only_result(n)];
    uint32_t operand = 0;
    while (operand < n->nargs && !arg_has_value(n->args[operand], v))
        operand++;
    switch (rule) {
    case RULE_same:
        for (uint32_t i = 0; i < in->rank && in->rank == out->rank; i++)
            set_range(in, i, out, i);
        break;
    case RULE_broadcast:
        broadcast_box(n, type, out, in);
        break;
    case RULE_transpose:
        for (uint32_t i = 0; i < in->rank; i++)
            set_range(in, (uint32_t)int_at(n->args[1], i), out, i);
        break;
    case RULE_reduce:
        reduced_box(n, type, out, in);
        break;
    case RULE_matmul:
        matmul_box(type, operand, out, in);
        if (n->args[0].v == n->args[1].v)
            in = box_whole(c->arena, type);
        break;
    case RULE_linear:
        linear_box(type, operand, out, in);
        break;
    case RULE_reshape:
        for (uint32_t i = 0; i < kept_dims(type, &c->t->values[n->out.v].type); i++)
            set_range(in, i, out, i);
        break;
    default:
        break;
    }
    return in;
}

/* ------------------------------------------------------------------------------------ the sweep */

typedef struct Reads {
    Cone *c;
    NodeId leaf;
} Reads;

static void need_operand(ValueId v, void *user)
{
    const Reads *r = user;
    Cone *c = r->c;
    if (c->t->values[v].type.kind != VALUE_tensor)
        return;
    Box *box = cone_operand(c, r->leaf, v);
    if (c->need[v])
        box_join(c->need[v], box);
    else
        c->need[v] = box;
}

typedef struct Results {
    Cone *c;
    bool any;
} Results;

static void ask_result(ValueId v, void *user)
{
    Results *r = user;
    r->any |= r->c->need[v] != NULL;
}

static void make_whole(ValueId v, void *user)
{
    Results *r = user;
    r->c->need[v] = box_whole(r->c->arena, &r->c->t->values[v].type);
}

void cone_find(Cone *c)
{
    for (uint32_t i = c->nleaves; i-- > 0;) {
        const Node *n = &c->t->nodes[c->leaves[i]];
        Results r = {c, false};
        arg_each_value(n->out, ask_result, &r);
        if (!r.any)
            continue;
        if (rule_of(c, n) == RULE_whole)
            arg_each_value(n->out, make_whole, &r);
        arg_each_value((Arg){.kind = ARG_tuple, .n = n->nargs, .items = n->args}, need_operand,
                       &(Reads){c, c->leaves[i]});
    }
}

/* ------------------------------------------------------------------------------------ arguments */

static Arg sizes_of(Arena *a, const Box *box, Arg like)
{
    Arg *items = new_array(a, Arg, box->rank + 1);
    for (uint32_t i = 0; i < box->rank; i++)
        items[i] = A_INT(box->size[i]);
    return (Arg){.kind = like.kind, .n = box->rank, .items = items};
}

/* The shape of a reshape: the kept dimensions as long as the box, the others as they are. */
const Arg *cone_args(const Cone *c, NodeId leaf, Arena *a)
{
    const Node *n = &c->t->nodes[leaf];
    Rule rule = rule_of(c, n);
    if (rule != RULE_create && rule != RULE_broadcast && rule != RULE_reshape)
        return n->args;
    Arg *args = new_array(a, Arg, n->nargs + 1);
    memcpy(args, n->args, n->nargs * sizeof *args);
    const Box *out = c->need[n->out.v];
    if (n->op->id == PRIM_iota) {
        args[0] = A_INT(out->size[0]);
        args[1] = A_INT(n->args[1].i + n->args[2].i * out->from[0]);
    } else if (n->op->id == PRIM_full) {
        args[0] = sizes_of(a, out, n->args[0]);
    } else if (n->op->id != PRIM_squeeze) {
        args[1] = sizes_of(a, out, n->args[1]);
    }
    return args;
}

int64_t cone_largest(const Cone *c)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < c->nleaves; i++) {
        ValueId outs[MAX_OUTPUTS];
        uint32_t n = arg_values(c->t->nodes[c->leaves[i]].out, outs, MAX_OUTPUTS);
        for (uint32_t k = 0; k < n && k < MAX_OUTPUTS; k++) {
            const Box *box = c->need[outs[k]];
            int64_t m = box ? box_numel(box) : 0;
            most = m > most ? m : most;
        }
    }
    return most;
}

static int64_t largest_for(const Cone *of, ValueId v, const Box *box)
{
    Cone c = *of;
    c.need = new_array(of->arena, Box *, of->t->nvalues);
    c.need[v] = box_copy(of->arena, box);
    cone_find(&c);
    return cone_largest(&c);
}

Box *cone_block(const Cone *c, ValueId v, int64_t most)
{
    Box *block = box_whole(c->arena, &c->t->values[v].type);
    int64_t largest = largest_for(c, v, block);
    for (uint32_t i = 0; i < block->rank && largest > most;) {
        int64_t was = block->size[i];
        block->size[i] = (was + 1) / 2;
        int64_t now = was > 1 ? largest_for(c, v, block) : largest;
        if (now < largest) {
            largest = now;
            continue;
        }
        block->size[i++] = was;
    }
    return block;
}

bool box_next(const Type *type, const Box *block, Box *at)
{
    for (uint32_t i = block->rank; i-- > 0;) {
        at->from[i] += at->size[i];
        if (at->from[i] < type->shape[i]) {
            int64_t left = type->shape[i] - at->from[i];
            at->size[i] = left < block->size[i] ? left : block->size[i];
            return true;
        }
        at->from[i] = 0;
        at->size[i] = block->size[i];
    }
    return false;
}

Tensor *box_of(const Tensor *x, const Box *box)
{
    int64_t offset = x->offset;
    for (uint32_t i = 0; i < box->rank; i++)
        offset += box->from[i] * x->strides[i];
    return tensor_view(x, x->rank, box->size, x->strides, offset);
}
