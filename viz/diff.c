/*
 * diff.c - marks a picture against another stage: added, removed, changed.
 *
 * A value keeps its number through the stages that have a common ancestor, so an operator is the
 * same in both stages when its first result is the same value (by number where the ancestor knew
 * it, by name where each stage made its own). It has changed when operator or arguments differ.
 * What the other stage alone has is put into the picture, beside the operator that it followed
 * there.
 */
#include "picture.h"

#include <stdlib.h>
#include <string.h>

/* Values with numbers below this are the same in both traces. */
static uint32_t common_values(const Trace *a, const Trace *b)
{
    for (const Trace *x = a; x; x = x->parent)
        for (const Trace *y = b; y; y = y->parent)
            if (x == y)
                return x->nvalues;
    return 0;
}

typedef struct Hasher {
    const Trace *t;
    uint32_t common;
    uint64_t h;
} Hasher;

static void hash_value(ValueId v, void *user)
{
    Hasher *s = user;
    Str name = s->t->values[v].name;
    s->h = v < s->common ? hash_bytes(&v, sizeof v, s->h) : hash_bytes(name.p, name.n, s->h);
}

static uint64_t hash_tree(const Trace *t, uint32_t common, Arg a, uint64_t seed)
{
    Hasher s = {t, common, seed};
    if (a.kind == ARG_value)
        hash_value(a.v, &s);
    else if (arg_nitems(a) == 0)
        return arg_hash(a, seed);
    s.h += a.kind;
    for (uint32_t i = 0; i < arg_nitems(a); i++)
        s.h = hash_tree(t, common, a.items[i], s.h);
    return s.h;
}

/* What an item says: its operator and arguments. */
static uint64_t content(const Item *item, uint32_t common)
{
    if (item->kind != ITEM_op)
        return item->number;
    const Node *n = &item->t->nodes[item->node];
    uint64_t h = hash_bytes(n->op->name, strlen(n->op->name), n->op->language);
    for (uint32_t i = 0; i < n->nargs; i++)
        h = hash_tree(item->t, common, n->args[i], h);
    return h;
}

/* What an item is: the value that it makes, or its content when it makes none. */
static uint64_t identity(const Item *item, uint32_t common)
{
    Hasher s = {item->t, common, item->kind};
    if (!item->value)
        return content(item, common);
    hash_value(item->value, &s);
    return s.h;
}

static Str key_bytes(const uint64_t *h)
{
    return (Str){(const char *)h, sizeof *h};
}

/* by_identity: identity -> item + 1 of ours. match[i] = our item + 1 for item i of the other. */
static void match_items(Picture *p, const Picture *other, uint32_t common, uint32_t *match)
{
    Map by_identity = {0};
    for (uint32_t i = 0; i < p->nitems; i++) {
        uint64_t h = identity(&p->items[i], common);
        map_put(&by_identity, key_bytes(&h), NULL)->u = i + 1;
        p->items[i].mark = MARK_added;
    }
    for (uint32_t i = 0; i < other->nitems; i++) {
        uint64_t h = identity(&other->items[i], common);
        MapEntry *e = map_get(&by_identity, key_bytes(&h));
        if (!e)
            continue;
        Item *ours = &p->items[e->u - 1];
        match[i] = (uint32_t)e->u;
        bool same = content(ours, common) == content(&other->items[i], common);
        ours->mark = same ? MARK_none : MARK_changed;
    }
    map_free(&by_identity);
}

/* Our items and the removed ones in one order: number[i] and removed[i] tell where they went. */
static void merge_items(Picture *p, const Picture *other, const uint32_t *match, uint32_t *number,
                        uint32_t *removed)
{
    Item *ours = p->items;
    uint32_t nours = p->nitems, *next = new_array(&p->arena, uint32_t, other->nitems + 1);
    uint32_t *first = new_array(&p->arena, uint32_t, nours + 1);
    uint32_t *last = new_array(&p->arena, uint32_t, nours + 1);
    for (uint32_t i = 0, after = 0; i < other->nitems; i++) {
        if (match[i]) {
            after = match[i];
            continue;
        }
        if (last[after])
            next[last[after] - 1] = i + 1;
        else
            first[after] = i + 1;
        last[after] = i + 1;
    }
    p->items = NULL;
    p->nitems = p->item_cap = 0;
    for (uint32_t i = 0; i <= nours; i++) {
        if (i)
            number[i - 1] = picture_add_item(p, ours[i - 1]);
        for (uint32_t k = first[i]; k; k = next[k - 1]) {
            Item item = other->items[k - 1];
            item.mark = MARK_removed;
            item.cluster = 0;
            removed[k - 1] = picture_add_item(p, item);
        }
    }
    free(ours);
}

void picture_mark(Picture *p, const Trace *with, const GraphOptions *o)
{
    Picture other = {.t = with};
    picture_scan(&other, with, o);
    uint32_t common = common_values(p->t, with);
    uint32_t *match = new_array(&p->arena, uint32_t, other.nitems + 1);
    uint32_t *number = new_array(&p->arena, uint32_t, p->nitems + 1);
    uint32_t *removed = new_array(&p->arena, uint32_t, other.nitems + 1);
    match_items(p, &other, common, match);
    merge_items(p, &other, match, number, removed);
    for (uint32_t l = 0; l < p->nlinks; l++) {
        p->links[l].from = number[p->links[l].from];
        p->links[l].to = number[p->links[l].to];
    }
    for (uint32_t l = 0; l < other.nlinks; l++) {
        Link link = other.links[l];
        if (match[link.from] && match[link.to])
            continue;
        link.mark = MARK_removed;
        link.from = match[link.from] ? number[match[link.from] - 1] : removed[link.from];
        link.to = match[link.to] ? number[match[link.to] - 1] : removed[link.to];
        picture_add_link(p, link);
    }
    p->compared = true;
    picture_free(&other);
}
