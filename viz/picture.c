/*
 * picture.c - from a trace and options to a Picture; see picture.h.
 *
 * Input: a finished trace. Output: items in program order and the links between them. One idea: an
 * array tells for each value which item produces it as the scan sees it, so opened composites need
 * no special case: their sub-nodes simply take over the values that they compute.
 */
#include "picture.h"

#include <stdlib.h>
#include <string.h>

const Style styles[STYLE_COUNT] = {
#define STYLE(name, legend, facts, fill, line, shape, style, ansi) \
    [STYLE_##name] = {legend, facts, fill, line, shape, style, ansi},
#include "style.def"
#undef STYLE
};

const MarkStyle mark_styles[] = {
    [MARK_none] = {"", "", "#5B6673", 250},
    [MARK_added] = {"+", "only here", "#0072B2", 39},
    [MARK_removed] = {"−", "only in the other stage", "#D55E00", 208},
    [MARK_changed] = {"~", "different in the other stage", "#8E44AD", 177},
};

uint32_t picture_add_item(Picture *p, Item item)
{
    if (p->nitems == p->item_cap) {
        p->item_cap = p->item_cap ? p->item_cap * 2 : 64;
        p->items = mem_resize(p->items, p->item_cap * sizeof *p->items);
    }
    p->items[p->nitems] = item;
    return p->nitems++;
}

void picture_add_link(Picture *p, Link link)
{
    if (p->nlinks == p->link_cap) {
        p->link_cap = p->link_cap ? p->link_cap * 2 : 64;
        p->links = mem_resize(p->links, p->link_cap * sizeof *p->links);
    }
    p->links[p->nlinks++] = link;
}

static uint32_t add_cluster(Picture *p, Cluster cluster)
{
    if (p->nclusters == p->cluster_cap) {
        p->cluster_cap = p->cluster_cap ? p->cluster_cap * 2 : 16;
        p->clusters = mem_resize(p->clusters, p->cluster_cap * sizeof *p->clusters);
    }
    p->clusters[p->nclusters++] = cluster;
    return p->nclusters;
}

void picture_free(Picture *p)
{
    free(p->items);
    free(p->links);
    free(p->clusters);
    arena_free(&p->arena);
    *p = (Picture){0};
}

/* ------------------------------------------------------------------------------------ scanning */

typedef struct Scan {
    Picture *p;
    const Trace *t;
    uint32_t *producer; /* by value: item + 1 */
    uint32_t *seen;     /* by value: item + 1 that used it last, so that x * x is one link */
    uint32_t item;
} Scan;

static void scan_use(ValueId v, void *user)
{
    Scan *s = user;
    if (!s->producer[v] || s->seen[v] == s->item + 1)
        return;
    s->seen[v] = s->item + 1;
    Link link = {.from = s->producer[v] - 1, .to = s->item, .value = v, .count = 1};
    picture_add_link(s->p, link);
}

static void scan_define(ValueId v, void *user)
{
    Scan *s = user;
    s->producer[v] = s->item + 1;
}

static void scan_op(Scan *s, NodeId n, uint32_t cluster)
{
    const Node *node = &s->t->nodes[n];
    ValueId first = node_result(s->t, n);
    s->item = picture_add_item(s->p, (Item){.kind = ITEM_op,
                                            .style = (uint8_t)style_of(s->t, n),
                                            .t = s->t,
                                            .node = n,
                                            .value = first,
                                            .cluster = cluster});
    for (uint32_t i = 0; i < node->nargs; i++)
        arg_each_value(node->args[i], scan_use, s);
    arg_each_value(node->out, scan_define, s);
    s->p->nops++;
}

/* A composite that is nothing but the prim of its own name is drawn as that prim. */
static void scan_range(Scan *s, NodeId from, NodeId end, uint32_t cluster, int depth)
{
    for (NodeId n = from; n < end; n += s->t->nodes[n].span) {
        const Node *node = &s->t->nodes[n];
        if (node->op->flags & OP_CONTROL)
            continue;
        bool wrapper = node->span == 2 && strcmp(node->op->name, node[1].op->name) == 0;
        if (node->span == 1 || depth == 0 || wrapper) {
            scan_op(s, wrapper && depth ? n + 1 : n, cluster);
            continue;
        }
        uint32_t inner = add_cluster(s->p, (Cluster){.node = n, .parent = cluster});
        scan_range(s, n + 1, n + node->span, inner, depth - 1);
    }
}

static void scan_inputs(Scan *s, const GraphOptions *o)
{
    for (uint32_t i = 0; i < s->t->ninputs; i++) {
        ValueId v = s->t->inputs[i];
        bool parameter = s->t->values[v].flags & VF_PARAMETER;
        bool asked = o && (v == o->around || v == o->path_from || v == o->path_to);
        if (parameter && !asked)
            continue;
        s->item = picture_add_item(
            s->p, (Item){.kind = ITEM_input,
                         .style = parameter ? STYLE_parameter : STYLE_input,
                         .t = s->t,
                         .node = NO_NODE,
                         .value = v,
                         .number = i});
        scan_define(v, s);
    }
}

static void scan_outputs(Scan *s)
{
    uint32_t n = trace_outputs(s->t, NULL, 0);
    Arg *outs = mem_resize(NULL, (n + 1) * sizeof *outs);
    trace_outputs(s->t, outs, n);
    for (uint32_t i = 0; i < n; i++) {
        if (outs[i].kind != ARG_value || !s->producer[outs[i].v])
            continue;
        s->item = picture_add_item(s->p, (Item){.kind = ITEM_output,
                                                .style = STYLE_output,
                                                .t = s->t,
                                                .node = NO_NODE,
                                                .value = outs[i].v,
                                                .number = i});
        scan_use(outs[i].v, s);
    }
    free(outs);
}

void picture_scan(Picture *p, const Trace *t, const GraphOptions *o)
{
    Scan s = {.p = p, .t = t};
    s.producer = calloc(t->nvalues + 1, sizeof *s.producer);
    s.seen = calloc(t->nvalues + 1, sizeof *s.seen);
    if (!s.producer || !s.seen)
        abort();
    scan_inputs(&s, o);
    scan_range(&s, 0, t->nnodes, 0, o->depth);
    scan_outputs(&s);
    free(s.producer);
    free(s.seen);
}

/* ----------------------------------------------------------------------------------- selecting */

Adjacency picture_adjacency(const Picture *p, Arena *a, bool by_source)
{
    Adjacency adj = {new_array(a, uint32_t, p->nitems + 2), new_array(a, uint32_t, p->nlinks + 1)};
    for (uint32_t l = 0; l < p->nlinks; l++)
        adj.start[(by_source ? p->links[l].from : p->links[l].to) + 2]++;
    for (uint32_t i = 2; i < p->nitems + 2; i++)
        adj.start[i] += adj.start[i - 1];
    for (uint32_t l = 0; l < p->nlinks; l++)
        adj.link[adj.start[(by_source ? p->links[l].from : p->links[l].to) + 1]++] = l;
    return adj;
}

static void keep_clusters(Picture *p)
{
    uint32_t *number = new_array(&p->arena, uint32_t, p->nclusters + 1);
    uint8_t *used = new_array(&p->arena, uint8_t, p->nclusters + 1);
    for (uint32_t i = 0; i < p->nitems; i++)
        for (uint32_t c = p->items[i].cluster; c && !used[c]; c = p->clusters[c - 1].parent)
            used[c] = 1;
    uint32_t n = 0;
    for (uint32_t c = 1; c <= p->nclusters; c++) {
        if (!used[c])
            continue;
        p->clusters[n] = p->clusters[c - 1];
        p->clusters[n].parent = number[p->clusters[n].parent]; /* parents come first */
        number[c] = ++n;
    }
    p->nclusters = n;
    for (uint32_t i = 0; i < p->nitems; i++)
        p->items[i].cluster = number[p->items[i].cluster];
}

/* Forgets the items where keep is 0, and links and clusters that lose their ends. */
static void picture_keep(Picture *p, const uint8_t *keep)
{
    uint32_t *number = new_array(&p->arena, uint32_t, p->nitems + 1);
    uint32_t n = 0, links = 0;
    for (uint32_t i = 0; i < p->nitems; i++) {
        if (!keep[i])
            continue;
        number[i] = n;
        p->items[n++] = p->items[i];
    }
    p->nitems = n;
    for (uint32_t l = 0; l < p->nlinks; l++) {
        Link link = p->links[l];
        if (!keep[link.from] || !keep[link.to])
            continue;
        link.from = number[link.from];
        link.to = number[link.to];
        p->links[links++] = link;
    }
    p->nlinks = links;
    keep_clusters(p);
}

/* Marks in reached what can be reached from the items in queue (n of them) in at most width
 * steps. */
static void reach(const Picture *p, Arena *a, const uint32_t *from, uint32_t n, uint32_t width,
                  bool forward, uint8_t *reached)
{
    Adjacency adj = picture_adjacency(p, a, forward);
    uint32_t *queue = new_array(a, uint32_t, p->nitems + 1);
    uint32_t *steps = new_array(a, uint32_t, p->nitems + 1);
    uint32_t tail = 0;
    for (uint32_t i = 0; i < n; i++) {
        reached[from[i]] = 1;
        queue[tail++] = from[i];
    }
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t i = queue[head];
        if (steps[i] == width)
            continue;
        for (uint32_t k = adj.start[i]; k < adj.start[i + 1]; k++) {
            const Link *l = &p->links[adj.link[k]];
            uint32_t j = forward ? l->to : l->from;
            if (reached[j])
                continue;
            reached[j] = 1;
            steps[j] = steps[i] + 1;
            queue[tail++] = j;
        }
    }
}

/* Items that stand for value v of p->t: its input, or the innermost operator that produces it. */
static uint32_t items_of(Picture *p, ValueId v, uint32_t out[1])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->nitems; i++) {
        Item *item = &p->items[i];
        if (item->t != p->t)
            continue;
        bool hit = (item->kind == ITEM_input && item->value == v) ||
                   (item->kind == ITEM_op && node_makes(&item->t->nodes[item->node], v));
        if (!hit)
            continue;
        item->focus = true;
        out[0] = i;
        n = 1;
    }
    return n;
}

static void select_items(Picture *p, const GraphOptions *o)
{
    uint8_t *keep = new_array(&p->arena, uint8_t, p->nitems + 1);
    uint8_t *back = new_array(&p->arena, uint8_t, p->nitems + 1);
    uint32_t from[1], to[1];
    if (o->around) {
        uint32_t n = items_of(p, o->around, from);
        reach(p, &p->arena, from, n, o->width, true, keep);
        reach(p, &p->arena, from, n, o->width, false, back);
        for (uint32_t i = 0; i < p->nitems; i++)
            keep[i] |= back[i];
    } else {
        uint32_t nfrom = items_of(p, o->path_from, from), nto = items_of(p, o->path_to, to);
        reach(p, &p->arena, from, nfrom, UINT32_MAX, true, keep);
        reach(p, &p->arena, to, nto, UINT32_MAX, false, back);
        for (uint32_t i = 0; i < p->nitems; i++)
            keep[i] &= back[i];
    }
    p->selected = true;
    picture_keep(p, keep);
}

void picture_build(Picture *p, const Trace *t, const GraphOptions *o, uint32_t max_items,
                   uint32_t ngroups)
{
    *p = (Picture){.t = t};
    picture_scan(p, t, o);
    if (o->diff_with)
        picture_mark(p, o->diff_with, o);
    if (o->around || (o->path_from && o->path_to))
        select_items(p, o);
    for (uint32_t i = 0; i < p->nitems; i++)
        p->nselected += p->items[i].kind == ITEM_op && p->items[i].mark != MARK_removed;
    if (p->nitems > max_items)
        picture_collapse(p, ngroups);
}
