/*
 * cublaslt_ends.c - recognises what follows a product; see cublaslt_ends.h.
 *
 * One reader (add_node) takes node after node and says whether the library computes it, too. The
 * search asks it for readers of the product, the call's own nodes are read with it again, so the
 * two cannot differ. What is joined was measured to pay on an H200: docs/performance.md.
 */
#include "cublaslt_ends.h"

#include <stdlib.h>
#include <string.h>

static bool is_prim(const Node *n, enum PrimId id)
{
    return n->op->language == LANG_prims && n->op->id == (uint32_t)id;
}

static bool is_torch(const Node *n, const char *name)
{
    return n->op->language == LANG_torch && strcmp(n->op->name, name) == 0;
}

static bool is_product(const Node *n)
{
    return is_prim(n, PRIM_linear) || is_prim(n, PRIM_matmul);
}

static bool reads(const Node *n, uint32_t arg, ValueId v)
{
    return arg < n->nargs && n->args[arg].kind == ARG_value && n->args[arg].v == v;
}

static bool is_tanh(Arg a)
{
    return a.kind == ARG_str && str_is(arg_str(a), "tanh");
}

static const Type *type_of(const Trace *t, ValueId v)
{
    return &t->values[v].type;
}

static bool is_half(const Trace *t, ValueId v)
{
    return type_of(t, v)->dtype == DT_bf16 || type_of(t, v)->dtype == DT_f16;
}

/* Whether v is the matrix `of`, turned. */
static bool is_turned(const Trace *t, ValueId v, ValueId of)
{
    NodeId n = t->values[v].producer;
    if (n == NO_NODE)
        return false;
    const Node *leaf = &t->nodes[n + t->nodes[n].span - 1];
    return is_prim(leaf, PRIM_transpose) && reads(leaf, 0, of) && type_of(t, of)->rank == 2 &&
           arg_is_seq(leaf->args[1]) && leaf->args[1].items[0].i == 1;
}

/* --------------------------------------------------------------------------------- node by node */

static bool add_product(LtParts *p, const Trace *t, NodeId n)
{
    const Node *node = &t->nodes[n];
    if (p->made || node->out.kind != ARG_value)
        return false;
    p->product = n;
    p->made = p->result = node->out.v;
    return true;
}

/* What was cast to v, or v. */
static ValueId source_of(const LtParts *p, ValueId v)
{
    for (uint32_t i = 0; i < p->ncasts; i++)
        if (p->wide[i] == v)
            return p->narrow[i];
    return v;
}

/* A sum over all dimensions but the last. */
static bool sums_rows(const Trace *t, const Node *node)
{
    uint32_t rank = type_of(t, node->args[0].v)->rank, seen = 0;
    if (rank < 2 || !arg_is_seq(node->args[1]) || node->args[1].n + 1 != rank)
        return false;
    for (uint32_t i = 0; i + 1 < rank; i++) {
        Arg d = node->args[1].items[i];
        seen |= d.kind == ARG_int && d.i >= 0 && d.i < 32 ? 1u << d.i : 0;
    }
    return seen == (1u << (rank - 1)) - 1;
}

static bool add_sum(LtParts *p, const Trace *t, const Node *node)
{
    if (p->sum || p->end == LT_END_add || type_of(t, p->made)->dtype == DT_f64 ||
        node->args[0].kind != ARG_value || !sums_rows(t, node))
        return false;
    const Node *product = &t->nodes[p->product];
    p->summed = source_of(p, node->args[0].v);
    p->sum = node->out.v;
    if (p->end == LT_END_gelu_backward)
        return p->summed == p->result;
    if (p->end != LT_END_none || !is_prim(product, PRIM_matmul))
        return false;
    p->end = LT_END_sum;
    p->sums_right = product->args[1].v == p->summed;
    return p->sums_right || is_turned(t, product->args[0].v, p->summed);
}

/* To f32 before a sum or an addition, and back. */
static bool add_cast(LtParts *p, const Trace *t, const Node *node)
{
    ValueId from = node->args[0].v, to = node->out.v;
    bool back = type_of(t, to)->dtype == type_of(t, p->made)->dtype;
    if (back && from == p->sum)
        p->sum = to;
    else if (back && from == p->result && p->end == LT_END_add)
        p->result = to;
    else if (p->sum || p->ncasts == 2 || type_of(t, to)->dtype != DT_f32)
        return false;
    else {
        p->wide[p->ncasts] = to;
        p->narrow[p->ncasts++] = from;
    }
    return true;
}

static bool add_addition(LtParts *p, const Trace *t, const Node *node)
{
    if (p->end != LT_END_none || p->sum || type_of(t, p->made)->dtype == DT_f64 ||
        node->args[0].kind != ARG_value || node->args[1].kind != ARG_value)
        return false;
    ValueId a = source_of(p, node->args[0].v), b = source_of(p, node->args[1].v);
    if ((a == p->result) == (b == p->result))
        return false;
    p->aux = a == p->result ? b : a;
    if (!type_equal(type_of(t, p->aux), type_of(t, p->result)))
        return false;
    p->end = LT_END_add;
    p->result = node->out.v;
    return true;
}

/* Rows may be counted otherwise, their length stays. */
static bool add_reshape(LtParts *p, const Trace *t, const Node *node)
{
    const Type *from = type_of(t, p->result), *to = type_of(t, node->out.v);
    if (!reads(node, 0, p->result) || from->rank == 0 || to->rank == 0 ||
        from->shape[from->rank - 1] != to->shape[to->rank - 1])
        return false;
    p->result = node->out.v;
    return true;
}

static bool add_gelu(LtParts *p, const Trace *t, const Node *node)
{
    bool backward = is_torch(node, "gelu_backward");
    const Node *product = &t->nodes[p->product];
    if (p->end != LT_END_none || node->out.kind != ARG_value || !is_half(t, p->made) ||
        type_of(t, product->args[1].v)->rank != 2 || !reads(node, 0, p->result) ||
        !is_tanh(node->args[backward ? 2 : 1]))
        return false;
    if (backward && product->nargs > 2 && !arg_is_none(product->args[2]))
        return false; /* its place is that of the sums */
    if (backward && (node->args[1].kind != ARG_value ||
                     !type_equal(type_of(t, node->args[1].v), type_of(t, p->result))))
        return false;
    p->aux = backward ? node->args[1].v : p->result;
    p->end = backward ? LT_END_gelu_backward : LT_END_gelu;
    p->result = node->out.v;
    return true;
}

static bool add_prim(LtParts *p, const Trace *t, NodeId n)
{
    const Node *node = &t->nodes[n];
    if (is_product(node))
        return add_product(p, t, n);
    if (!p->made || node->out.kind != ARG_value || node->nargs == 0)
        return false;
    if (is_prim(node, PRIM_sum))
        return add_sum(p, t, node);
    if (is_prim(node, PRIM_convert_element_type))
        return add_cast(p, t, node);
    if (is_prim(node, PRIM_add))
        return add_addition(p, t, node);
    return is_prim(node, PRIM_reshape) && add_reshape(p, t, node);
}

static bool add_node(LtParts *p, const Trace *t, NodeId n)
{
    const Node *node = &t->nodes[n];
    if (is_torch(node, "gelu") || is_torch(node, "gelu_backward"))
        return p->made && add_gelu(p, t, node);
    for (NodeId i = n; i < n + node->span; i++)
        if (t->nodes[i].span == 1 && !add_prim(p, t, i))
            return false;
    return true;
}

static bool is_complete(const LtParts *p, const Trace *t)
{
    return type_of(t, p->result)->dtype == type_of(t, p->made)->dtype;
}

static bool has_product(const Trace *t, NodeId n)
{
    for (NodeId i = n; i < n + t->nodes[n].span; i++)
        if (is_product(&t->nodes[i]))
            return true;
    return false;
}

bool lt_read_parts(const Trace *t, NodeId n, LtParts *out)
{
    *out = (LtParts){0};
    if (t->nodes[n].span == 1)
        return add_node(out, t, n);
    NodeId product = n;
    for_sub(t, n, i)
        if (has_product(t, i))
            product = i;
    bool good = product != n && add_node(out, t, product);
    for_sub(t, n, i)
        good = good && (i == product || add_node(out, t, i));
    return good && is_complete(out, t);
}

/* ------------------------------------------------------------------------------------ searching */

typedef struct Search {
    const Flow *f;
    LtParts parts;
    NodeId *members;
    uint32_t n;
} Search;

static bool take(Search *s, NodeId n)
{
    LtParts parts = s->parts;
    if (n == NO_NODE || s->n == MAX_ENDS || !add_node(&parts, s->f->t, n))
        return false;
    s->parts = parts;
    s->members[s->n++] = n;
    return true;
}

static ValueId out_of(const Flow *f, NodeId n)
{
    const Node *node = &f->t->nodes[n];
    return node->out.kind == ARG_value ? node->out.v : 0;
}

/* Follows readers of v, each the only one of the one before, to sums over the rows of v. */
static bool take_sum(Search *s, ValueId v)
{
    for (uint32_t i = s->f->start[v]; i < s->f->start[v + 1]; i++) {
        Search ahead = *s;
        NodeId n = s->f->readers[i];
        while (n != NO_NODE && take(&ahead, n) && out_of(s->f, n))
            n = flow_only_reader(s->f, out_of(s->f, n));
        const Type *sum = ahead.parts.sum ? type_of(s->f->t, ahead.parts.sum) : NULL;
        if (!sum || sum->dtype != type_of(s->f->t, s->parts.made)->dtype)
            continue;
        *s = ahead;
        return true;
    }
    return false;
}

static void say(StrBuf *why, const char *what, const Trace *t, ValueId v, int times)
{
    sb_printf(why, "cublaslt computes %s at the end of the product, %.3f GB less are moved", what,
              (double)type_bytes(type_of(t, v)) * times * 1e-9);
}

/* The only reader of the result, behind a reshape that is its only reader. */
static NodeId behind_reshape(Search *s)
{
    const Flow *f = s->f;
    NodeId n = flow_only_reader(f, s->parts.result);
    if (n != NO_NODE && is_prim(&f->t->nodes[n + f->t->nodes[n].span - 1], PRIM_reshape) &&
        take(s, n))
        n = flow_only_reader(f, s->parts.result);
    return n;
}

/* gelu's gradient, what makes rows of it again, and its sums. */
static bool take_gelu_backward(Search *s, StrBuf *why)
{
    const Flow *f = s->f;
    Search ahead = *s;
    NodeId n = behind_reshape(&ahead);
    if (n == NO_NODE || !is_torch(&f->t->nodes[n], "gelu_backward") || !take(&ahead, n))
        return false;
    behind_reshape(&ahead);
    bool sums = take_sum(&ahead, ahead.parts.result);
    *s = ahead;
    say(why, sums ? "gelu's gradient and its sums" : "gelu's gradient", f->t, s->parts.made, 2);
    return true;
}

static bool take_gelu(Search *s, StrBuf *why)
{
    const Flow *f = s->f;
    ValueId v = s->parts.made;
    for (uint32_t i = f->start[v]; i < f->start[v + 1]; i++) {
        NodeId n = f->readers[i];
        if (n == NO_NODE || !is_torch(&f->t->nodes[n], "gelu") || !take(s, n))
            continue;
        say(why, "gelu", f->t, v, flow_readers(f, v) == 1 ? 2 : 1);
        return true;
    }
    return false;
}

static bool is_cast(const Trace *t, NodeId n)
{
    return t->nodes[n].span == 1 && is_prim(&t->nodes[n], PRIM_convert_element_type);
}

static bool is_taken(const Search *s, NodeId n)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->members[i] == n)
            return true;
    return false;
}

static bool take_addition(Search *s, StrBuf *why)
{
    const Flow *f = s->f;
    NodeId n = behind_reshape(s);
    if (n != NO_NODE && is_cast(f->t, n) && take(s, n))
        n = flow_only_reader(f, out_of(f, n));
    if (n == NO_NODE)
        return false;
    for (uint32_t i = 0; i < f->t->nodes[n].nargs; i++) { /* a cast of what is added */
        Arg a = f->t->nodes[n].args[i];
        NodeId maker = a.kind == ARG_value ? f->maker[a.v] : NO_NODE;
        if (maker != NO_NODE && is_cast(f->t, maker) && flow_readers(f, a.v) == 1 &&
            !is_taken(s, maker))
            take(s, maker);
    }
    if (!take(s, n) || s->parts.end != LT_END_add)
        return false;
    n = flow_only_reader(f, s->parts.result);
    if (n != NO_NODE && !is_complete(&s->parts, f->t))
        take(s, n);
    if (!is_complete(&s->parts, f->t))
        return false;
    say(why, "the addition", s->f->t, s->parts.made, 2);
    return true;
}

/* Whether a generated kernel makes v: that one sums on the way, for nothing. */
static bool sums_for_free(const Flow *f, ValueId v)
{
    NodeId n = f->maker[v];
    while (n != NO_NODE && is_prim(&f->t->nodes[n], PRIM_reshape))
        n = f->maker[f->t->nodes[n].args[0].v];
    uint32_t flags = 0;
    for (NodeId i = n; n != NO_NODE && i < n + f->t->nodes[n].span; i++)
        flags |= f->t->nodes[i].op->flags;
    return (flags & (OP_ELEMENTWISE | OP_REDUCTION)) && !(flags & OP_MATMUL);
}

/* Sums of the operand that is the gradient of what a layer gave: its bias gradient. */
static bool take_operand_sum(Search *s, StrBuf *why)
{
    const Trace *t = s->f->t;
    const Node *product = &t->nodes[s->parts.product];
    if (!is_prim(product, PRIM_matmul) || type_of(t, s->parts.made)->rank != 2)
        return false;
    ValueId left = product->args[0].v, right = product->args[1].v;
    NodeId turned = s->f->maker[left];
    const Node *leaf = turned == NO_NODE ? NULL : &t->nodes[turned + t->nodes[turned].span - 1];
    bool turns = leaf && is_prim(leaf, PRIM_transpose) && leaf->args[0].kind == ARG_value;
    ValueId from = turns && take_sum(s, leaf->args[0].v) ? leaf->args[0].v
                   : take_sum(s, right)                  ? right
                                                         : 0;
    if (from && !sums_for_free(s->f, from))
        say(why, "sums of an operand", t, from, 1);
    else if (from)
        sb_puts(why, "what makes the operand also makes its sums");
    return from && !sums_for_free(s->f, from);
}

static int by_number(const void *a, const void *b)
{
    const NodeId *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

uint32_t lt_ends(const Flow *f, NodeId n, NodeId members[MAX_ENDS], StrBuf *why)
{
    Search s = {.f = f, .members = members};
    if (!take(&s, n))
        return 0;
    bool (*const ways[])(Search *, StrBuf *) = {take_gelu_backward, take_gelu, take_addition,
                                               take_operand_sum};
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        Search one = s;
        if (!ways[i](&one, why))
            continue;
        qsort(members, one.n, sizeof *members, by_number);
        return one.n;
    }
    return 0;
}
