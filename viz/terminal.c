/*
 * terminal.c - graph_terminal: a trace as boxes in layers, for a page of fixed width.
 *
 * Input: a Picture. Output: text. Operators that follow one another without branching share a box,
 * a statement a line; long boxes and long programs are shortened with counts. Lines run from a box
 * down to those that use its values. A line too long to draw is left out, and the statement at its
 * end names the value with an arrow: "↑x".
 */
#include "canvas.h"
#include "layers.h"
#include "picture.h"
#include "wires.h"

#include <string.h>

enum {
    MAX_ITEMS = 160, MAX_GROUPS = 64,
    HEAD_LINES = 8, TAIL_LINES = 4, /* kept of a long box */
    EDGE_ANSI = 244, TYPE_ANSI = 244,
};

typedef struct Line {
    Str left, right;
    uint8_t ansi;
    bool bold;
} Line;

typedef struct Box {
    uint32_t first, last; /* items, linked by Drawing.next */
    uint32_t nitems, nlines;
    Line *lines;
    uint8_t ansi;
    bool input;
} Box;

typedef struct Drawing {
    Picture *p;
    Arena *a;
    uint32_t columns;
    bool several_executors;
    uint32_t *box_of;    /* by item: box + 1, 0 = not in a box (outputs) */
    uint32_t *next;      /* by item: the next one of its box + 1 */
    uint32_t *output_of; /* by item: output item + 1 that its value goes to */
    Box *boxes;
    uint32_t nboxes;
    Layers layers;
    Str *cut; /* by item: names of values whose lines are left out */
} Drawing;

/* ------------------------------------------------------------------------------------- boxes */

static uint32_t drawn_links(const Drawing *d, const Adjacency *adj, uint32_t i, bool by_source)
{
    uint32_t n = 0, last = UINT32_MAX;
    for (uint32_t k = adj->start[i]; k < adj->start[i + 1]; k++) {
        const Link *l = &d->p->links[adj->link[k]];
        uint32_t other = by_source ? l->to : l->from;
        n += d->p->items[other].kind != ITEM_output && other != last;
        last = other;
    }
    return n;
}

/* The one operator or input before item i, when nothing else uses that: both share a box. */
static uint32_t chain_before(const Drawing *d, const Adjacency *in, const Adjacency *out,
                             uint32_t i)
{
    if (drawn_links(d, in, i, false) != 1)
        return UINT32_MAX;
    uint32_t from = d->p->links[in->link[in->start[i]]].from;
    return drawn_links(d, out, from, true) == 1 ? from : UINT32_MAX;
}

static void make_boxes(Drawing *d)
{
    const Picture *p = d->p;
    Adjacency in = picture_adjacency(p, d->a, false), out = picture_adjacency(p, d->a, true);
    const char *executor = NULL;
    d->boxes = new_array(d->a, Box, p->nitems + 1);
    for (uint32_t i = 0; i < p->nitems; i++) {
        const Item *item = &p->items[i];
        if (item->kind == ITEM_output) {
            for (uint32_t k = in.start[i]; k < in.start[i + 1]; k++)
                d->output_of[p->links[in.link[k]].from] = i + 1;
            continue;
        }
        const char *claimed = item->kind == ITEM_op ? item->t->nodes[item->node].executor : NULL;
        d->several_executors |= claimed && executor && strcmp(claimed, executor) != 0;
        executor = claimed ? claimed : executor;
        uint32_t before = chain_before(d, &in, &out, i);
        if (before == UINT32_MAX) {
            d->boxes[d->nboxes++] = (Box){.first = i, .last = i, .nitems = 1,
                                          .input = item->kind == ITEM_input};
            d->box_of[i] = d->nboxes;
            continue;
        }
        d->box_of[i] = d->box_of[before];
        Box *box = &d->boxes[d->box_of[i] - 1];
        d->next[box->last] = i + 1;
        box->last = i;
        box->nitems++;
        box->input = false;
    }
}

/* One edge for all values that run from box to box. */
static void make_edges(Drawing *d)
{
    Map seen = {0};
    Layers *l = &d->layers;
    l->edges = new_array(d->a, LayerEdge, d->p->nlinks + 1);
    for (uint32_t k = 0; k < d->p->nlinks; k++) {
        const uint32_t ends[2] = {d->box_of[d->p->links[k].from], d->box_of[d->p->links[k].to]};
        bool fresh;
        if (!ends[0] || !ends[1] || ends[0] == ends[1])
            continue;
        map_put(&seen, (Str){(const char *)ends, sizeof ends}, &fresh);
        if (fresh)
            l->edges[l->nedges++] = (LayerEdge){ends[0] - 1, ends[1] - 1, false};
    }
    map_free(&seen);
}

static void place_boxes(Drawing *d)
{
    Layers *l = &d->layers;
    *l = (Layers){.arena = d->a, .columns = d->columns, .nboxes = d->nboxes};
    l->per_layer = d->columns / 26 ? d->columns / 26 : 1;
    l->box_cap = d->nboxes * 2 + 16;
    l->boxes = new_array(d->a, LayerBox, l->box_cap);
    make_edges(d);
    for (uint32_t b = 0; b < d->nboxes; b++)
        l->boxes[b].late = true; /* what needs nothing stands just above who needs it */
    for (uint32_t e = 0; e < l->nedges; e++)
        l->boxes[l->edges[e].to].late = false;
    layers_place(l);
}

/* Names of values whose lines are left out go to the statements that use them. */
static void note_cuts(Drawing *d)
{
    Map cut = {0};
    for (uint32_t e = 0; e < d->layers.nedges; e++) {
        const LayerEdge *edge = &d->layers.edges[e];
        const uint32_t ends[2] = {edge->from + 1, edge->to + 1};
        if (edge->cut)
            map_put(&cut, (Str){(const char *)ends, sizeof ends}, NULL);
    }
    for (uint32_t k = 0; k < d->p->nlinks; k++) {
        const Link *l = &d->p->links[k];
        const uint32_t ends[2] = {d->box_of[l->from], d->box_of[l->to]};
        if (!map_get(&cut, (Str){(const char *)ends, sizeof ends}))
            continue;
        StrBuf text = {0};
        sb_printf(&text, "%.*s ↑", STR(d->cut[l->to]));
        const Item *from = &d->p->items[l->from];
        if (from->kind == ITEM_group)
            sb_add(&text, from->title);
        else
            label_name(from->t->values[l->value].name, 20, &text);
        d->cut[l->to] = arena_str(d->a, sb_str(&text));
        sb_free(&text);
    }
    map_free(&cut);
}

/* ------------------------------------------------------------------------------------- lines */

static void add_left(const Drawing *d, const Item *item, StrBuf *out)
{
    if (item->mark)
        sb_printf(out, "%s ", mark_styles[item->mark].sign);
    if (item->kind == ITEM_group) {
        sb_add(out, item->title);
        return;
    }
    if (item->kind == ITEM_input) {
        sb_puts(out, "input ");
        label_name(item->t->values[item->value].name, 32, out);
        return;
    }
    label_statement(item->t, item->node, out);
    const char *executor = item->t->nodes[item->node].executor;
    if (d->several_executors && executor)
        sb_printf(out, " @%s", executor);
}

/* The type, where there is one result, and which output it is. */
static void add_right(const Drawing *d, uint32_t i, StrBuf *out)
{
    const Item *item = &d->p->items[i];
    if (item->kind == ITEM_group) {
        if (item->style >= STYLE_input)
            return;
        label_count(item->count, out);
        sb_puts(out, item->count == 1 ? " op" : " ops");
        return;
    }
    if (item->kind == ITEM_input || item->t->nodes[item->node].out.kind == ARG_value)
        label_type(item->t, item->value, out);
    if (d->output_of[i])
        sb_printf(out, "%s→ output %u", out->n ? " " : "",
                  d->p->items[d->output_of[i] - 1].number);
}

static Line item_line(const Drawing *d, uint32_t i)
{
    const Item *item = &d->p->items[i];
    StrBuf left = {0}, right = {0};
    add_left(d, item, &left);
    sb_add(&left, d->cut[i]);
    add_right(d, i, &right);
    Line line = {.left = arena_str(d->a, sb_str(&left)),
                 .right = arena_str(d->a, sb_str(&right)),
                 .ansi = item->mark ? mark_styles[item->mark].ansi : styles[item->style].ansi,
                 .bold = item->focus || item->mark};
    sb_free(&left);
    sb_free(&right);
    return line;
}

/* What the left-out items of a long box are: "⋮ 30 more: 25 elementwise, 5 reduction". */
static Line more_line(const Drawing *d, const Box *box)
{
    uint32_t counts[STYLE_COUNT] = {0}, k = 0, n = 0;
    for (uint32_t i = box->first + 1; i; i = d->next[i - 1], k++) {
        if (k < HEAD_LINES || k >= box->nitems - TAIL_LINES)
            continue;
        counts[d->p->items[i - 1].style]++;
        n++;
    }
    StrBuf text = {0};
    sb_puts(&text, "⋮ ");
    label_count(n, &text);
    const char *sep = " more: ";
    for (int s = 0; s < STYLE_COUNT; s++) {
        if (!counts[s])
            continue;
        sb_puts(&text, sep);
        label_count(counts[s], &text);
        sb_printf(&text, " %s", styles[s].legend);
        sep = ", ";
    }
    Line line = {.left = arena_str(d->a, sb_str(&text)), .ansi = TYPE_ANSI};
    sb_free(&text);
    return line;
}

static void make_lines(Drawing *d, Box *box, LayerBox *place)
{
    uint32_t k = 0, width = 0;
    bool cut = box->nitems > HEAD_LINES + TAIL_LINES + 1 && !d->p->collapsed;
    box->lines = new_array(d->a, Line, cut ? 2 * (HEAD_LINES + TAIL_LINES) + 1 : 2 * box->nitems);
    for (uint32_t i = box->first + 1; i; i = d->next[i - 1], k++) {
        if (cut && k == HEAD_LINES)
            box->lines[box->nlines++] = more_line(d, box);
        if (cut && k >= HEAD_LINES && k < box->nitems - TAIL_LINES)
            continue;
        box->lines[box->nlines++] = item_line(d, i - 1);
        Str detail = d->p->items[i - 1].detail;
        if (detail.n)
            box->lines[box->nlines++] =
                (Line){.left = arena_printf(d->a, "  %.*s", STR(detail)), .ansi = TYPE_ANSI};
    }
    for (uint32_t i = 0; i < box->nlines; i++) {
        size_t left = utf8_length(box->lines[i].left), right = utf8_length(box->lines[i].right);
        size_t w = left + right + (right ? 2 : 0) + 4;
        width = w > width ? (uint32_t)(w < 1000 ? w : 1000) : width;
    }
    place->width = width < d->columns ? width : d->columns;
    place->height = box->nlines + 2;
    box->ansi = styles[d->p->items[box->first].style].ansi;
}

/* ----------------------------------------------------------------------------------- drawing */

static void draw_box(const Box *box, const LayerBox *place, Canvas *c, uint32_t top)
{
    static const uint16_t square[4] = {0x250C, 0x2510, 0x2514, 0x2518};
    static const uint16_t round[4] = {0x256D, 0x256E, 0x2570, 0x256F};
    const uint16_t *corner = box->input ? round : square;
    uint32_t left = place->x, right = place->x + place->width - 1;
    uint32_t bottom = top + box->nlines + 1;
    for (uint32_t x = left + 1; x < right; x++) {
        canvas_char(c, top, x, 0x2500, box->ansi);
        canvas_char(c, bottom, x, 0x2500, box->ansi);
    }
    canvas_char(c, top, left, corner[0], box->ansi);
    canvas_char(c, top, right, corner[1], box->ansi);
    canvas_char(c, bottom, left, corner[2], box->ansi);
    canvas_char(c, bottom, right, corner[3], box->ansi);
    for (uint32_t i = 0; i < box->nlines; i++) {
        const Line *line = &box->lines[i];
        uint32_t end = right - 1, width = (uint32_t)utf8_length(line->right);
        uint32_t need = (uint32_t)utf8_length(line->left);
        bool fits = width && left + 2 + (need < 16 ? need : 16) + 1 + width <= end;
        canvas_char(c, top + 1 + i, left, 0x2502, box->ansi);
        canvas_char(c, top + 1 + i, right, 0x2502, box->ansi);
        canvas_text(c, top + 1 + i, left + 2, fits ? end - width - 1 : end, line->left, line->ansi,
                    line->bold);
        if (fits)
            canvas_text(c, top + 1 + i, end - width, end, line->right, TYPE_ANSI, false);
    }
}

/* Marks on the borders where lines leave and arrive, and lines past boxes lower than their
 * layer. */
static void draw_ends(const Drawing *d, const Gap *g, Canvas *c, uint32_t top, uint32_t end,
                      uint32_t next_top)
{
    const Layers *l = &d->layers;
    for (uint32_t r = 0; r < g->nroutes; r++) {
        const Route *route = &g->routes[r];
        const LayerBox *b = &l->boxes[route->source];
        uint32_t from = b->rail ? top : top + b->height;
        if (!b->rail)
            canvas_char(c, from - 1, route->from_column, 0x252C, d->boxes[route->source].ansi);
        canvas_vertical(c, from, end, route->from_column, route->source + 1, EDGE_ANSI);
    }
    for (uint32_t s = 0; s < g->n; s++)
        if (!l->boxes[g->segments[s].to].rail)
            canvas_char(c, next_top, g->column[s], 0x25BC, EDGE_ANSI);
}

static void draw(Drawing *d, bool colour, bool ascii, StrBuf *out)
{
    const Layers *l = &d->layers;
    uint32_t *height = new_array(d->a, uint32_t, l->nlayers + 1);
    uint32_t *top = new_array(d->a, uint32_t, l->nlayers + 1), rows = 0;
    Gap *gaps = wires_plan(l);
    for (uint32_t b = 0; b < l->nboxes; b++)
        if (l->boxes[b].height > height[l->boxes[b].layer])
            height[l->boxes[b].layer] = l->boxes[b].height;
    for (uint32_t k = 0; k < l->nlayers; k++) {
        top[k] = rows;
        rows += height[k] + gaps[k].rows;
    }
    Canvas c = canvas_new(d->a, rows, d->columns);
    for (uint32_t b = 0; b < d->nboxes; b++)
        draw_box(&d->boxes[b], &l->boxes[b], &c, top[l->boxes[b].layer]);
    for (uint32_t k = 0; k + 1 < l->nlayers; k++) {
        draw_ends(d, &gaps[k], &c, top[k], top[k] + height[k], top[k + 1]);
        wires_draw(&gaps[k], &c, top[k] + height[k], EDGE_ANSI);
    }
    canvas_write(&c, colour, ascii, out);
}

static void draw_legend(const Drawing *d, StrBuf *out)
{
    bool seen[STYLE_COUNT] = {false};
    for (uint32_t i = 0; i < d->p->nitems; i++)
        seen[d->p->items[i].style] |= d->p->items[i].kind != ITEM_output;
    for (int s = 0; s < STYLE_input; s++)
        if (seen[s])
            sb_printf(out, "\033[38;5;%um■ %s\033[0m  ", styles[s].ansi, styles[s].legend);
    sb_putc(out, '\n');
}

void graph_terminal(const Trace *t, const GraphOptions *o, uint32_t columns, bool colour,
                    StrBuf *out, StrBuf *note)
{
    Picture p;
    Arena a = {0};
    picture_build(&p, t, o, o->max_nodes ? o->max_nodes : MAX_ITEMS, MAX_GROUPS);
    Drawing d = {.p = &p, .a = &a, .columns = columns < 24 ? 24 : columns > 400 ? 400 : columns};
    d.box_of = new_array(&a, uint32_t, p.nitems + 1);
    d.next = new_array(&a, uint32_t, p.nitems + 1);
    d.output_of = new_array(&a, uint32_t, p.nitems + 1);
    d.cut = new_array(&a, Str, p.nitems + 1);
    if (p.nitems) {
        make_boxes(&d);
        place_boxes(&d);
        note_cuts(&d);
        for (uint32_t b = 0; b < d.nboxes; b++)
            make_lines(&d, &d.boxes[b], &d.layers.boxes[b]);
        layers_arrange(&d.layers);
        draw(&d, colour, o->ascii, out);
    }
    if (colour && p.nitems)
        draw_legend(&d, out);
    if (note)
        picture_note(&p, o, note);
    arena_free(&a);
    picture_free(&p);
}
