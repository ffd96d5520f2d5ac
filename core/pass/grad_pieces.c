/*
 * grad_pieces.c - gradients of pieces of a tensor, put side by side.
 *
 *     t0 = prims.pad(dk, 0.0, ...)          t0 = prims.cat((dq, dk, dv), 2)
 *     t1 = prims.pad(dv, 0.0, ...)    ->
 *     t2 = prims.add(t0, t1)  ...
 *
 * Each piece of a split gives the whole tensor a gradient that is zero elsewhere. Where two such
 * pieces touch they are joined instead of added; what they leave free stays a pad. The pads that
 * nobody needs then go with the next dce.
 */
#include "grad_pieces.h"
#include "rewrite.h"

#include <string.h>

static Str key_of(const ValueId *v)
{
    return (Str){(const char *)v, sizeof *v};
}

void pieces_note(Pieces *p, Build *b, Arg x)
{
    const Node *last = b->t->nnodes ? &b->t->nodes[b->t->nnodes - 1] : NULL;
    if (!b->failed && x.kind == ARG_value && last && last->out.kind == ARG_value &&
        last->out.v == x.v && (node_is_prim(last, PRIM_pad) || node_is_prim(last, PRIM_cat) ||
                               node_is_prim(last, PRIM_reshape)))
        map_put(&p->made, key_of(&x.v), NULL)->u = b->t->nnodes - 1;
}

static const Node *made_by(const Pieces *p, const Build *b, Arg x, uint32_t prim)
{
    MapEntry *e = x.kind == ARG_value ? map_get(&p->made, key_of(&x.v)) : NULL;
    const Node *n = e ? &b->t->nodes[e->u] : NULL;
    return n && node_is_prim(n, prim) ? n : NULL;
}

/* A pad with zeros along one dimension: where its operand lies in the result. */
typedef struct Piece {
    Arg x;
    uint32_t rank, dim;
    int64_t low, high;
} Piece;

static bool is_zero(Arg a)
{
    return a.kind == ARG_float ? a.f == 0 : arg_is_number(a) && a.i == 0;
}

static bool read_piece(const Pieces *p, const Build *b, Arg x, Piece *out)
{
    const Node *n = made_by(p, b, x, PRIM_pad);
    uint32_t padded = 0;
    if (!n || !is_zero(n->args[1]))
        return false;
    *out = (Piece){.x = n->args[0], .rank = n->args[2].n};
    for (uint32_t i = 0; i < out->rank; i++) {
        const Arg *three = n->args[2].items[i].items;
        if (three[2].i != 0 || three[0].i < 0 || three[1].i < 0)
            return false;
        if (three[0].i == 0 && three[1].i == 0)
            continue;
        padded++;
        out->dim = i;
        out->low = three[0].i;
        out->high = three[1].i;
    }
    return padded == 1;
}

static uint32_t add_parts(const Pieces *p, const Build *b, const Piece *piece, Arg *parts)
{
    const Node *cat = made_by(p, b, piece->x, PRIM_cat);
    if (!cat || cat->args[1].i != piece->dim) {
        parts[0] = piece->x;
        return 1;
    }
    for (uint32_t i = 0; i < cat->args[0].n; i++)
        parts[i] = cat->args[0].items[i];
    return cat->args[0].n;
}

static uint32_t count_parts(const Pieces *p, const Build *b, const Piece *piece)
{
    const Node *cat = made_by(p, b, piece->x, PRIM_cat);
    return cat ? cat->args[0].n : 1;
}

/* What x was before its last two dimensions became one, the last of `inner` elements (0 = any, and
 * it is set); None when x is no such reshape. */
static Arg before_merge(const Pieces *p, const Build *b, Arg x, int64_t *inner)
{
    const Node *n = made_by(p, b, x, PRIM_reshape);
    if (!n)
        return A_NONE;
    Type from = arg_type(b, n->args[0]), to = arg_type(b, x);
    uint32_t r = to.rank;
    if (r == 0 || from.rank != r + 1 || memcmp(from.shape, to.shape, (r - 1) * sizeof *to.shape) ||
        (*inner && from.shape[r] != *inner))
        return A_NONE;
    *inner = from.shape[r];
    return n->args[0];
}

/* The parts side by side along the last dimension. Heads of attention come as (heads, width) made
 * one: they are joined as heads, so that what was transposed need not be copied first. */
static Arg join_last(Pieces *p, Build *b, const Piece *piece, const Arg *parts, uint32_t n)
{
    Arg *heads = new_array(&b->t->arena, Arg, n + 1), first = parts[0];
    Type type = arg_type(b, first);
    Dims shape = cl_shape(b, first);
    int64_t inner = 0;
    shape.v[piece->dim] = 0;
    for (uint32_t i = 0; i < n; i++) {
        heads[i] = before_merge(p, b, parts[i], &inner);
        shape.v[piece->dim] += arg_type(b, parts[i]).shape[piece->dim];
        if (arg_is_none(heads[i]) || piece->dim + 1 != type.rank)
            return A_NONE;
    }
    Arg all = emit(b, cat, ((Arg){.kind = ARG_tuple, .n = n, .items = heads}), A_INT(piece->dim));
    return b->failed ? A_NONE : cl_reshape(b, all, &shape);
}

/* first and second as one piece. */
static Arg join(Pieces *p, Build *b, const Piece *first, const Piece *second)
{
    uint32_t n = count_parts(p, b, first) + count_parts(p, b, second);
    Arg *parts = new_array(&b->t->arena, Arg, n + 1);
    n = add_parts(p, b, first, parts);
    n += add_parts(p, b, second, parts + n);
    bool whole = first->low == 0 && second->high == 0;
    Arg all = whole ? join_last(p, b, first, parts, n) : A_NONE;
    if (!arg_is_none(all))
        return all;
    all = emit(b, cat, ((Arg){.kind = ARG_tuple, .n = n, .items = parts}), A_INT(first->dim));
    pieces_note(p, b, all);
    if (b->failed || whole)
        return all;
    Arg *config = new_array(&b->t->arena, Arg, first->rank + 1);
    for (uint32_t i = 0; i < first->rank; i++) {
        bool here = i == first->dim;
        int64_t three[3] = {here ? first->low : 0, here ? second->high : 0, 0};
        config[i] = arg_ints(b->t, three, 3);
    }
    all = emit(b, pad, all, cl_number_to(b, A_FLOAT(0), cl_dtype(b, all)),
               ((Arg){.kind = ARG_tuple, .n = first->rank, .items = config}));
    pieces_note(p, b, all);
    return all;
}

Arg pieces_sum(Pieces *p, Build *b, Arg x, Arg y)
{
    Piece u, v;
    if (read_piece(p, b, x, &u) && read_piece(p, b, y, &v) && u.dim == v.dim) {
        int64_t whole = arg_type(b, x).shape[u.dim];
        if (whole - u.high == v.low)
            return join(p, b, &u, &v);
        if (whole - v.high == u.low)
            return join(p, b, &v, &u);
    }
    return emit(b, add, x, y);
}
