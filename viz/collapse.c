/*
 * collapse.c - a picture of groups, for programs too large to draw operator by operator.
 *
 * Input: a picture in program order. Output: the same picture with consecutive operators joined
 * into at most ngroups groups, all inputs into one and all outputs into one, links between them
 * added up. Operators of one source line stay together; when that gives too many groups, those of
 * one function; when that does too, neighbours are joined until the number fits. Groups of
 * consecutive operators keep the order of the program, so the result has no cycles.
 */
#include "picture.h"

typedef enum Level { BY_LINE, BY_FUNCTION, BY_RUN } Level;

static const SrcLoc *location(const Item *item)
{
    return item->node == NO_NODE ? NULL : item->t->nodes[item->node].loc;
}

static bool same_place(const SrcLoc *a, const SrcLoc *b, Level level)
{
    if (a == b)
        return true;
    if (!a || !b || !str_eq(a->file, b->file) || !str_eq(a->func, b->func))
        return false;
    return level != BY_LINE || a->line == b->line;
}

/* Numbers the group of every operator from 1; returns how many there are. Runs longer than most are
 * cut, so that a program without locations is still divided. */
static uint32_t number_groups(const Picture *p, Level level, uint32_t most, uint32_t least,
                              uint32_t *group)
{
    uint32_t n = 0, size = 0;
    const SrcLoc *last = NULL;
    for (uint32_t i = 0; i < p->nitems; i++) {
        if (p->items[i].kind != ITEM_op)
            continue;
        const SrcLoc *loc = location(&p->items[i]);
        bool same = same_place(loc, last, level);
        if (n == 0 || size >= most || (!same && size >= least)) {
            n++;
            size = 0;
        }
        size++;
        group[i] = n;
        last = loc;
    }
    return n;
}

static uint32_t choose_groups(Picture *p, uint32_t ngroups, uint32_t *group)
{
    static const char *const names[] = {"source line", "function of the model",
                                        "runs of operators"};
    enum { PLAIN_GROUPS = 40 }; /* enough where only the position tells them apart */
    uint32_t nops = 0, n = 0, located = 0;
    for (uint32_t i = 0; i < p->nitems; i++) {
        const SrcLoc *loc = location(&p->items[i]);
        nops += p->items[i].kind == ITEM_op;
        located += loc && loc->line;
    }
    if (located < nops / 2 && ngroups > PLAIN_GROUPS)
        ngroups = PLAIN_GROUPS;
    uint32_t share = nops / ngroups + 1, most = nops / 12 + 8;
    if (most < share)
        most = share;
    for (int level = located < nops / 2 ? BY_RUN : BY_LINE; level <= BY_RUN; level++) {
        if (level == BY_RUN)
            most = share;
        n = number_groups(p, (Level)level, most, level == BY_RUN ? share : 1, group);
        p->grouping = names[level];
        if (n <= ngroups)
            break;
    }
    return n;
}

static void add_counts(const Item *g, Str *detail, Arena *a)
{
    StrBuf text = {0};
    for (int s = 0; s < STYLE_COUNT; s++) {
        if (!g->counts[s])
            continue;
        sb_puts(&text, text.n ? " · " : "");
        label_count(g->counts[s], &text);
        sb_printf(&text, " %s", styles[s].legend);
    }
    *detail = arena_str(a, sb_str(&text));
    sb_free(&text);
}

/* A group looks like a composite that contains the same operators would. */
static uint8_t main_style(const Item *g)
{
    for (int s = 0; s < STYLE_input; s++)
        if (g->counts[s])
            return (uint8_t)s;
    return STYLE_group;
}

static Str group_title(Picture *p, const Item *first, const Item *last, uint32_t count)
{
    const SrcLoc *loc = location(first);
    StrBuf text = {0};
    if (loc && loc->line) {
        size_t slash = loc->file.n;
        while (slash && loc->file.p[slash - 1] != '/')
            slash--;
        sb_printf(&text, "%.*s:%u", STR(str_sub(loc->file, slash, SIZE_MAX)), loc->line);
        if (loc->func.n)
            sb_printf(&text, " %.*s", STR(loc->func));
    } else if (first->value && last->value) {
        label_name(first->t->values[first->value].name, 24, &text);
        sb_puts(&text, " … ");
        label_name(last->t->values[last->value].name, 24, &text);
    } else {
        label_count(count, &text);
        sb_puts(&text, " operators");
    }
    Str title = arena_str(&p->arena, sb_str(&text));
    sb_free(&text);
    return title;
}

/* One item for all inputs or all outputs. */
static Item border_group(Picture *p, ItemKind kind, uint32_t count)
{
    uint8_t style = kind == ITEM_input ? STYLE_input : STYLE_output;
    Item g = {.kind = ITEM_group, .style = style, .t = p->t, .node = NO_NODE, .count = count};
    StrBuf text = {0};
    label_count(count, &text);
    sb_printf(&text, " %s%s", styles[style].legend, plural(count));
    g.title = arena_str(&p->arena, sb_str(&text));
    g.counts = new_array(&p->arena, uint32_t, STYLE_COUNT);
    sb_free(&text);
    return g;
}

static void fill_groups(Picture *p, const uint32_t *group, Item *groups, uint32_t n)
{
    uint32_t *last = new_array(&p->arena, uint32_t, n + 2);
    uint32_t *first = new_array(&p->arena, uint32_t, n + 2);
    for (uint32_t i = 0; i < p->nitems; i++) {
        const Item *item = &p->items[i];
        if (item->kind != ITEM_op)
            continue;
        Item *g = &groups[group[i]];
        if (!g->count++) {
            *g = (Item){.kind = ITEM_group, .t = item->t, .node = item->node, .count = 1,
                        .value = item->value};
            g->counts = new_array(&p->arena, uint32_t, STYLE_COUNT);
            first[group[i]] = i;
        }
        g->focus |= item->focus;
        g->marks[item->mark]++;
        g->counts[item->style]++;
        last[group[i]] = i;
    }
    for (uint32_t k = 1; k <= n; k++) {
        Item *g = &groups[k];
        g->title = group_title(p, &p->items[first[k]], &p->items[last[k]], g->count);
        g->style = main_style(g);
        add_counts(g, &g->detail, &p->arena);
    }
}

/* Links between different groups, added up. */
static void join_links(Picture *p, const uint32_t *group, const uint32_t *number)
{
    Map seen = {0};
    uint32_t n = 0;
    for (uint32_t l = 0; l < p->nlinks; l++) {
        Link link = p->links[l];
        const uint32_t ends[2] = {number[group[link.from]], number[group[link.to]]};
        if (ends[0] == ends[1])
            continue;
        bool fresh;
        MapEntry *e = map_put(&seen, (Str){(const char *)ends, sizeof ends}, &fresh);
        if (!fresh) {
            p->links[e->u].count += link.count;
            continue;
        }
        e->u = n;
        link.from = ends[0];
        link.to = ends[1];
        link.mark = MARK_none;
        p->links[n++] = link;
    }
    p->nlinks = n;
    map_free(&seen);
}

void picture_collapse(Picture *p, uint32_t ngroups)
{
    uint32_t *group = new_array(&p->arena, uint32_t, p->nitems + 1);
    uint32_t n = choose_groups(p, ngroups, group), count[2] = {0};
    for (uint32_t i = 0; i < p->nitems; i++) {
        if (p->items[i].kind == ITEM_op)
            continue;
        bool output = p->items[i].kind == ITEM_output;
        group[i] = output ? n + 1 : 0;
        count[output]++;
    }
    Item *groups = new_array(&p->arena, Item, n + 2);
    fill_groups(p, group, groups, n);
    groups[0] = border_group(p, ITEM_input, count[0]);
    groups[n + 1] = border_group(p, ITEM_output, count[1]);
    uint32_t *number = new_array(&p->arena, uint32_t, n + 2);
    p->nitems = 0;
    for (uint32_t k = 0; k < n + 2; k++)
        if (groups[k].count)
            number[k] = picture_add_item(p, groups[k]);
    join_links(p, group, number);
    p->nclusters = 0;
    p->collapsed = true;
}
