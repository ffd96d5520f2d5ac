/* rewrite.c - helpers of the passes; see rewrite.h. */
#include "rewrite.h"

#include "numbers.h"

#include <stdlib.h>
#include <string.h>

uint32_t subtree_flags(const Trace *t, NodeId n)
{
    uint32_t flags = 0;
    for (NodeId i = n; i < n + t->nodes[n].span; i++)
        flags |= t->nodes[i].op->flags;
    return flags;
}

NodeId single_prim(const Trace *t, NodeId n)
{
    NodeId found = NO_NODE;
    for (NodeId i = n; i < n + t->nodes[n].span; i++) {
        if (t->nodes[i].op->flags & OP_NO_GRAD)
            return NO_NODE; /* more than its prim, as long as gradients may be asked for */
        if (t->nodes[i].span != 1)
            continue;
        if (found != NO_NODE)
            return NO_NODE;
        found = i;
    }
    const Node *leaf = &t->nodes[found], *node = &t->nodes[n];
    bool same = leaf->op->language == LANG_prims && leaf->out.kind == ARG_value &&
                node->out.kind == ARG_value && leaf->out.v == node->out.v;
    return same ? found : NO_NODE;
}

ValueId first_value(Arg a)
{
    ValueId v = 0;
    arg_values(a, &v, 1);
    return v;
}

bool known_int(const Trace *t, Arg a, int64_t *out)
{
    if (a.kind == ARG_value)
        a = t->values[a.v].known;
    if (a.kind != ARG_int)
        return false;
    *out = a.i;
    return true;
}

bool known_ints(const Trace *t, Arg a, int64_t *out, uint32_t max, uint32_t *n)
{
    *n = arg_is_seq(a) ? a.n : 1;
    if (*n > max)
        return false;
    if (!arg_is_seq(a))
        return known_int(t, a, out);
    for (uint32_t i = 0; i < a.n; i++)
        if (!known_int(t, a.items[i], &out[i]))
            return false;
    return true;
}

bool known_dims(const Trace *t, Arg a, uint32_t rank, int64_t *out, uint32_t *n)
{
    if (!known_ints(t, a, out, MAX_RANK, n))
        return false;
    for (uint32_t i = 0; i < *n; i++) {
        out[i] += out[i] < 0 ? (int64_t)rank : 0;
        if (out[i] < 0 || out[i] >= (int64_t)rank)
            return false;
    }
    return true;
}

Build build_for(PassCtx *c, Trace *t, const Node *n)
{
    return (Build){.t = t, .diag = c->diag, .span = n->src, .loc = n->loc,
                   .flags = n->flags & ~(uint32_t)NF_VERBATIM};
}

void arg_each_pair(Arg a, Arg b, void (*fn)(ValueId a, ValueId b, void *user), void *user)
{
    if (a.kind == ARG_value && b.kind == ARG_value)
        fn(a.v, b.v, user);
    for (uint32_t i = 0, n = arg_nitems(a); i < n && i < arg_nitems(b); i++)
        arg_each_pair(a.items[i], b.items[i], fn, user);
}

/* ------------------------------------------------------------------------------------ joins */

void joins_add(Joins *j, ValueId into, ValueId from)
{
    if (j->n == j->cap) {
        j->cap = j->cap ? 2 * j->cap : 64;
        j->items = mem_resize(j->items, j->cap * sizeof *j->items);
    }
    j->items[j->n++] = (Join){into, from};
}

static void joins_free(Joins *j)
{
    free(j->items);
    *j = (Joins){0};
}

static int by_into(const void *a, const void *b)
{
    const Join *x = a, *y = b;
    if (x->into != y->into)
        return x->into < y->into ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

typedef struct IdList {
    ValueId *ids;
    uint32_t n, cap;
} IdList;

static void add_origins(IdList *l, const Trace *t, ValueId v)
{
    ValueId self[1];
    uint32_t n;
    const ValueId *ids = value_origins(t, v, &n, self);
    if (l->n + n > l->cap) {
        l->cap = 2 * (l->n + n);
        l->ids = mem_resize(l->ids, l->cap * sizeof *l->ids);
    }
    if (n)
        memcpy(l->ids + l->n, ids, n * sizeof *ids);
    l->n += n;
}

static void set_origins(Trace *t, ValueId v, IdList *l)
{
    if (l->n == 0)
        return;
    qsort(l->ids, l->n, sizeof *l->ids, order_of_ids);
    Origins *o = arena_alloc(&t->arena, sizeof *o + l->n * sizeof *o->ids);
    for (uint32_t i = 0; i < l->n; i++)
        if (i == 0 || l->ids[i] != l->ids[i - 1])
            o->ids[o->n++] = l->ids[i];
    t->values[v].origins = o;
}

void joins_finish(Joins *j, Trace *t)
{
    IdList list = {0};
    if (j->n)
        qsort(j->items, j->n, sizeof *j->items, by_into);
    for (uint32_t i = 0; i < j->n;) {
        ValueId into = j->items[i].into;
        list.n = 0;
        add_origins(&list, t, into);
        for (; i < j->n && j->items[i].into == into; i++)
            add_origins(&list, t, j->items[i].from);
        set_origins(t, into, &list);
    }
    free(list.ids);
    joins_free(j);
}

typedef struct Readers {
    uint32_t *n;
    NodeId *last; /* by value: who read it last, from 1 */
    NodeId now;
} Readers;

static void count_reader(ValueId v, void *user)
{
    Readers *r = user;
    r->n[v] += r->last[v] != r->now;
    r->last[v] = r->now;
}

uint32_t *count_readers(const Trace *t, Arena *a)
{
    Readers r = {new_array(a, uint32_t, t->nvalues), new_array(a, NodeId, t->nvalues), 0};
    for_top(t, n) {
        r.now = n + 1;
        for (uint32_t k = 0; k < t->nodes[n].nargs && !node_is_del(&t->nodes[n]); k++)
            arg_each_value(t->nodes[n].args[k], count_reader, &r);
    }
    r.now = NO_NODE;
    arg_each_value(t->output, count_reader, &r);
    return r.n;
}
