/*
 * fuse_pieces.c - pieces of what a kernel makes, for kernels that make a whole of them again.
 *
 *     a = slice(x)      b = neg(a)      y = add(x, pad(b))
 *
 * A piece has fewer elements than the loops of the kernel that makes x, so it could not be computed
 * there. But the pad, or cat, that makes a whole of it can, and a loop nest asks for elements where
 * it needs them: so the piece is in no group, and every kernel that reads it computes it. Only for
 * executors whose kernels fold both ways: their loops read whole chunks there, others element by
 * element.
 */
#include "fuse.h"

#include <string.h>

/* The only tensor that a node reads; 0 = there is none, or more. */
static ValueId only_operand(const Fuse *f, NodeId n)
{
    const Node *node = &f->in->nodes[n];
    ValueId v = 0;
    for (uint32_t k = 0; k < node->nargs; k++) {
        Arg a = node->args[k];
        if (a.kind != ARG_value || f->in->values[a.v].type.kind != VALUE_tensor)
            continue;
        if (v)
            return 0;
        v = a.v;
    }
    return v;
}

static bool changes_elements(const Fuse *f, NodeId n)
{
    return (f->in->nodes[n].op->flags & OP_ELEMENTWISE) && only_operand(f, n);
}

static bool reads_chunks(const Fuse *f, const char *executor)
{
    const Executor *e = exec_find(f->c->executors, str_from(executor));
    return e && e->both_ways;
}

/* Padding around a tensor; none between its elements, which is no kernel's. */
static bool pads_around(const Node *node)
{
    bool around = node_is_prim(node, PRIM_pad) && arg_is_seq(node->args[2]);
    for (uint32_t i = 0; around && i < node->args[2].n; i++) {
        Arg ends = node->args[2].items[i];
        around = arg_is_seq(ends) && ends.n == 3 && arg_equal(ends.items[2], A_INT(0));
    }
    return around;
}

static bool makes_whole(const Node *node)
{
    return pads_around(node) ||
           (node_is_prim(node, PRIM_cat) && node->args[0].n <= MAX_CANDIDATES);
}

/* Whether all that is made of node n's result, element by element, ends in pads and cats that
 * nothing keeps apart from it (the same `part`). */
static bool ends_whole(Fuse *f, NodeId n, const bool *ends, const uint32_t *part)
{
    const char *executor = f->in->nodes[n].executor;
    ValueId v = fuse_value(f, n);
    bool good = fuse_takes(f, n) && !f->shown[n] && reads_chunks(f, executor) &&
                f->use_start[v] < f->use_start[v + 1];
    for (uint32_t i = f->use_start[v]; i < f->use_start[v + 1] && good; i++) {
        NodeId r = f->uses[i];
        good = r != NO_NODE && part[r] == part[n] && fuse_takes(f, r) && !f->shown[r] &&
               strcmp(f->in->nodes[r].executor, executor) == 0 &&
               gen_takes(f->in, r, &f->why) &&
               (makes_whole(&f->in->nodes[r]) || (changes_elements(f, r) && ends[r]));
    }
    return good;
}

/* What the piece that node n makes is made of; 0 = it makes none. */
static ValueId source_of(const Fuse *f, NodeId n)
{
    ValueId v = only_operand(f, n);
    NodeId made = v ? f->made[v] : NO_NODE;
    if (made == NO_NODE)
        return 0;
    if (node_is_prim(&f->in->nodes[n], PRIM_slice_prim))
        return fuse_takes(f, made) && !f->shown[made] ? v : 0;
    return changes_elements(f, n) && f->piece[made] ? v : 0;
}

void fuse_find_pieces(Fuse *f)
{
    NodeId *top = new_array(&f->scratch, NodeId, f->in->nnodes + 1);
    uint32_t *part = new_array(&f->scratch, uint32_t, f->in->nnodes + 1), n = 0, parts = 0;
    bool *ends = new_array(&f->scratch, bool, f->in->nnodes + 1);
    for_top(f->in, i) {
        top[n++] = i;
        parts += i == f->border;
        part[i] = parts;
        parts += (subtree_flags(f->in, i) & OP_IN_PLACE) ||
                 node_is_prim(&f->in->nodes[i], PRIM_end_forward);
    }
    for (uint32_t i = n; i-- > 0;)
        ends[top[i]] = ends_whole(f, top[i], ends, part);
    for (uint32_t i = 0; i < n; i++) {
        ValueId v = ends[top[i]] ? source_of(f, top[i]) : 0;
        f->piece[top[i]] = v && rule_apply(f->c, "lend", fuse_value(f, top[i]), v,
                                           "kernels that make a whole of it compute it");
        f->lent[top[i]] = f->piece[top[i]];
    }
    sb_clear(&f->why);
}
