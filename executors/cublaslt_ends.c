/*
 * cublaslt_ends.c - recognises what follows a product; see cublaslt_ends.h.
 *
 * One reader (add_node) takes node after node and says whether the library computes it, too. The
 * search asks it for readers of the product, the call's own nodes are read with it again, so the
 * two cannot differ. What is joined was measured to pay on an H200: docs/performance-log.md.
 */
#include "cublaslt_ends.h"

#include "numbers.h"

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
    return is_prim(n, PRIM_linear) || is_prim(n, PRIM_matmul) || is_prim(n, PRIM_convolution);
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

/* To f32 before an addition, and back. */
static bool add_cast(LtParts *p, const Trace *t, const Node *node)
{
    ValueId from = node->args[0].v, to = node->out.v;
    bool back = type_of(t, to)->dtype == type_of(t, p->made)->dtype;
    if (back && from == p->result && p->end == LT_END_add) {
        p->result = to;
        return true;
    }
    if (p->ncasts == 2 || type_of(t, to)->dtype != DT_f32)
        return false;
    p->wide[p->ncasts] = to;
    p->narrow[p->ncasts++] = from;
    return true;
}

static bool add_addition(LtParts *p, const Trace *t, const Node *node)
{
    if (p->end != LT_END_none || type_of(t, p->made)->dtype == DT_f64 ||
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
    const Node *product = &t->nodes[p->product];
    if (p->end != LT_END_none || node->out.kind != ARG_value || !is_half(t, p->made) ||
        type_of(t, product->args[1].v)->rank != 2 || !reads(node, 0, p->result) ||
        !is_tanh(node->args[1]))
        return false;
    p->aux = p->result;
    p->end = LT_END_gelu;
    p->result = node->out.v;
    return true;
}

static bool is_complete(const LtParts *p, const Trace *t)
{
    return type_of(t, p->result)->dtype == type_of(t, p->made)->dtype;
}

static bool add_relu(LtParts *p, const Trace *t, const Node *node)
{
    if (p->end == LT_END_add && !p->relu && is_prim(&t->nodes[p->product], PRIM_convolution) &&
        is_complete(p, t) && reads(node, 0, p->result)) {
        p->relu = true;
        p->result = node->out.v;
        return true;
    }
    if (p->end != LT_END_none || node->out.kind != ARG_value || !reads(node, 0, p->result) ||
        type_of(t, p->made)->dtype == DT_f64)
        return false;
    p->end = LT_END_relu;
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
    if (is_prim(node, PRIM_convert_element_type))
        return add_cast(p, t, node);
    if (is_prim(node, PRIM_add))
        return add_addition(p, t, node);
    return is_prim(node, PRIM_reshape) && add_reshape(p, t, node);
}

static bool add_node(LtParts *p, const Trace *t, NodeId n)
{
    const Node *node = &t->nodes[n];
    if (is_torch(node, "relu"))
        return p->made && add_relu(p, t, node);
    if (is_torch(node, "gelu"))
        return p->made && add_gelu(p, t, node);
    for (NodeId i = n; i < n + node->span; i++)
        if (t->nodes[i].span == 1 && !add_prim(p, t, i))
            return false;
    return true;
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

Trace *lt_rest(const Trace *t, NodeId n, const LtParts *p)
{
    Trace *rest = trace_derive(t);
    ValueId outs[MAX_OUTPUTS];
    Arg results[MAX_OUTPUTS];
    uint32_t count = arg_values(t->nodes[n].out, outs, MAX_OUTPUTS), nresults = 0;
    for (uint32_t i = 0; i < count; i++)
        if (outs[i] != p->made)
            results[nresults++] = A_VALUE(outs[i]);
    Node call = t->nodes[n];
    call.out = arg_list(rest, results, nresults);
    call.executor = NULL;
    NodeId at = trace_add_node(rest, call);
    for_sub(t, n, i)
        if (p->product < i || p->product >= i + t->nodes[i].span)
            trace_copy_node(rest, t, i, NULL);
    rest->nodes[at].span = rest->nnodes - at;
    return rest;
}

/* ------------------------------------------------------------------------------------ searching */

typedef struct Search {
    const Flow *f;
    LtParts parts;
    const char *library;
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

static void say(const Search *s, StrBuf *why, const char *what, int times)
{
    sb_printf(why, "%s computes %s at the end of the product, %.3f GB less are moved", s->library,
              what, (double)type_bytes(type_of(s->f->t, s->parts.made)) * times * 1e-9);
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

static bool take_gelu(Search *s, StrBuf *why)
{
    const Flow *f = s->f;
    ValueId v = s->parts.made;
    for (uint32_t i = f->start[v]; i < f->start[v + 1]; i++) {
        NodeId n = f->readers[i];
        if (n == NO_NODE || !is_torch(&f->t->nodes[n], "gelu") || !take(s, n))
            continue;
        say(s, why, "gelu", flow_readers(f, v) == 1 ? 2 : 1);
        return true;
    }
    return false;
}

static bool take_relu(Search *s, StrBuf *why)
{
    NodeId n = behind_reshape(s);
    if (n == NO_NODE || !is_torch(&s->f->t->nodes[n], "relu") || !take(s, n))
        return false;
    say(s, why, "relu", 2);
    return true;
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
    say(s, why, "the addition", 2);
    return true;
}

static bool take_addition_and_relu(Search *s, StrBuf *why)
{
    if (!take_addition(s, why))
        return false;
    NodeId n = flow_only_reader(s->f, s->parts.result);
    if (n == NO_NODE || !is_torch(&s->f->t->nodes[n], "relu") || !take(s, n))
        return true;
    sb_clear(why);
    say(s, why, "addition and relu", 4);
    return true;
}

typedef bool Way(Search *s, StrBuf *why);

/* The first way that leads on from n. */
static uint32_t search(Search s, NodeId n, Way *const *ways, size_t nways, StrBuf *why)
{
    if (!take(&s, n))
        return 0;
    for (size_t i = 0; i < nways; i++) {
        Search one = s;
        if (!ways[i](&one, why))
            continue;
        qsort(s.members, one.n, sizeof *s.members, order_of_ids);
        return one.n;
    }
    return 0;
}

uint32_t lt_ends(const Flow *f, NodeId n, NodeId members[MAX_ENDS], StrBuf *why)
{
    static Way *const ways[] = {take_gelu, take_relu, take_addition};
    return search((Search){.f = f, .library = "cublaslt", .members = members}, n, ways,
                  ARRAY_LEN(ways), why);
}

uint32_t lt_conv_ends(const Flow *f, NodeId n, NodeId members[MAX_ENDS], StrBuf *why)
{
    static Way *const ways[] = {take_relu, take_addition_and_relu};
    ValueId made = out_of(f, n);
    if (!made || !is_half(f->t, made))
        return 0;
    return search((Search){.f = f, .library = "cudnn", .members = members}, n, ways,
                  ARRAY_LEN(ways), why);
}
