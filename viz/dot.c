/*
 * dot.c - a Picture as DOT text. Needs no Graphviz: this is what .dot files hold, and what
 * graphviz.c lays out.
 *
 * Operators are cards: name and executor, result and type, literals, and below a rule the
 * parameters that the operator reads. Title and legend are the label of the graph.
 */
#include "picture.h"

#include <string.h>

#define FONT "Helvetica,Arial,sans-serif"
#define DIM "#68727E"

/* A card has its own line ends: those in names are left out. */
static void add_html(Str s, StrBuf *out)
{
    while (s.n)
        sb_xml(out, str_cut(&s, '\n'));
}

/* A double-quoted DOT string; line breaks become \n. */
static void add_quoted(Str s, StrBuf *out)
{
    sb_putc(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\\')
            sb_putc(out, '\\');
        if (c == '\n')
            sb_puts(out, "\\n");
        else if (c >= 0x20)
            sb_putc(out, (char)c);
    }
    sb_putc(out, '"');
}

static void row_begin(StrBuf *out, int points, const char *colour)
{
    sb_printf(out, "<TR><TD><FONT POINT-SIZE=\"%d\" COLOR=\"%s\">", points, colour);
}

static void row_end(StrBuf *out)
{
    sb_puts(out, "</FONT></TD></TR>");
}

typedef struct ParameterRows {
    const Trace *t;
    StrBuf *out;
    uint32_t n;
} ParameterRows;

static void parameter_row(ValueId v, void *user)
{
    ParameterRows *rows = user;
    StrBuf text = {0};
    label_name(rows->t->values[v].name, 36, &text);
    sb_puts(rows->out, rows->n++ ? "" : "<HR/>");
    row_begin(rows->out, 9, DIM);
    add_html(sb_str(&text), rows->out);
    sb_clear(&text);
    label_type(rows->t, v, &text);
    sb_puts(rows->out, "  ");
    add_html(sb_str(&text), rows->out);
    row_end(rows->out);
    sb_free(&text);
}

/* The value and its type in one row; long names and types take two. */
static void value_row(const Trace *t, ValueId v, const char *colour, StrBuf *out)
{
    StrBuf name = {0}, type = {0};
    label_name(t->values[v].name, 36, &name);
    label_type(t, v, &type);
    row_begin(out, 11, colour);
    add_html(sb_str(&name), out);
    if (name.n + type.n > 30) {
        row_end(out);
        row_begin(out, 11, colour);
    } else {
        sb_puts(out, "  ");
    }
    add_html(sb_str(&type), out);
    row_end(out);
    sb_free(&name);
    sb_free(&type);
}

static void op_card(const Item *item, StrBuf *out)
{
    const Node *node = &item->t->nodes[item->node];
    StrBuf text = {0};
    row_begin(out, 14, "#1B2530");
    sb_printf(out, "%s<B>", item->mark ? mark_styles[item->mark].sign : "");
    add_html(label_operator(item->t, item->node), out);
    sb_puts(out, "</B>");
    if (node->executor)
        sb_printf(out, " <FONT POINT-SIZE=\"9\" COLOR=\"" DIM "\">@%s</FONT>", node->executor);
    row_end(out);
    ValueId results[MAX_OUTPUTS];
    uint32_t n = arg_values(node->out, results, MAX_OUTPUTS), shown = n > 4 ? 3 : n;
    for (uint32_t i = 0; i < shown; i++)
        value_row(item->t, results[i], "#1B2530", out);
    if (shown < n) {
        row_begin(out, 11, DIM);
        sb_printf(out, "and %u more", n - shown);
        row_end(out);
    }
    label_literals(item->t, item->node, 40, &text);
    if (text.n) {
        row_begin(out, 9, DIM);
        add_html(sb_str(&text), out);
        row_end(out);
    }
    ParameterRows rows = {item->t, out, 0};
    each_parameter(item->t, item->node, parameter_row, &rows);
    sb_free(&text);
}

static void border_card(const Item *item, StrBuf *out)
{
    bool dark = item->style == STYLE_input;
    const char *colour = dark ? "#FFFFFF" : "#1B2530";
    row_begin(out, 9, dark ? "#C3CCD6" : DIM);
    sb_printf(out, "%s%s", item->mark ? mark_styles[item->mark].sign : "",
              styles[item->style].legend);
    if (item->kind == ITEM_output)
        sb_printf(out, " %u", item->number);
    row_end(out);
    value_row(item->t, item->value, colour, out);
}

/* Lines of at most about 40 characters, broken between the clauses that " · " separates. */
static void add_clauses(Str detail, StrBuf *out)
{
    static const char sep[] = " · ";
    size_t width = 0;
    while (detail.n) {
        size_t n = 0;
        while (n < detail.n && !str_starts(str_sub(detail, n, SIZE_MAX), sep))
            n++;
        sb_puts(out, width ? (width > 28 ? "<BR/>" : sep) : "");
        width = width > 28 ? n : width + n;
        add_html(str_sub(detail, 0, n), out);
        detail = str_sub(detail, n + strlen(sep), SIZE_MAX);
    }
}

static void group_card(const Item *item, StrBuf *out)
{
    bool dark = item->style == STYLE_input;
    row_begin(out, 12, dark ? "#FFFFFF" : "#1B2530");
    sb_puts(out, "<B>");
    add_html(item->title, out);
    sb_puts(out, "</B>");
    row_end(out);
    const SrcLoc *loc = item->node == NO_NODE ? NULL : item->t->nodes[item->node].loc;
    if (loc && loc->code.n) {
        StrBuf code = {0};
        label_cut(str_trim(loc->code), 44, &code);
        row_begin(out, 9, DIM);
        add_html(sb_str(&code), out);
        row_end(out);
        sb_free(&code);
    }
    if (item->detail.n) {
        row_begin(out, 10, "#1B2530");
        add_clauses(item->detail, out);
        row_end(out);
    }
    for (int m = MARK_added; m <= MARK_changed; m++) {
        if (!item->marks[m])
            continue;
        row_begin(out, 10, mark_styles[m].line);
        sb_printf(out, "%s %u %s", mark_styles[m].sign, item->marks[m], mark_styles[m].legend);
        row_end(out);
    }
}

static void add_node(const Picture *p, uint32_t i, bool tooltips, StrBuf *out)
{
    const Item *item = &p->items[i];
    const Style *s = &styles[item->style];
    const char *line = item->mark ? mark_styles[item->mark].line : s->line;
    sb_printf(out, "n%u [shape=\"%s\", style=\"%s%s\", fillcolor=\"%s\", color=\"%s\"", i,
              item->kind == ITEM_group && item->style < STYLE_input ? "box" : s->shape, s->style,
              item->mark == MARK_removed ? ",dashed" : "",
              item->mark == MARK_removed ? "#FFFFFF" : s->fill, line);
    if (item->mark || item->focus)
        sb_puts(out, ", penwidth=3");
    sb_puts(out, ", label=<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" "
                 "CELLPADDING=\"2\">");
    if (item->kind == ITEM_op)
        op_card(item, out);
    else if (item->kind == ITEM_group)
        group_card(item, out);
    else
        border_card(item, out);
    sb_puts(out, "</TABLE>>");
    if (tooltips) {
        StrBuf tip = {0};
        label_tooltip(item, &tip);
        sb_puts(out, ", tooltip=");
        add_quoted(sb_str(&tip), out);
        sb_free(&tip);
    }
    sb_puts(out, "];\n");
}

static uint32_t result_count(const Item *item)
{
    return item->kind == ITEM_op ? arg_values(item->t->nodes[item->node].out, NULL, 0) : 1;
}

static void add_edge(const Picture *p, const Link *l, StrBuf *out)
{
    const Item *from = &p->items[l->from], *to = &p->items[l->to];
    sb_printf(out, "n%u -> n%u [", l->from, l->to);
    StrBuf label = {0};
    if (l->count > 1) {
        sb_printf(&label, " ×%u", l->count);
    } else if (!p->collapsed && result_count(from) > 1) {
        sb_putc(&label, ' '); /* keeps the text off the line */
        label_name(from->t->values[l->value].name, 24, &label);
    }
    if (label.n) {
        sb_puts(out, "label=");
        add_quoted(sb_str(&label), out);
    }
    if (l->count > 1)
        sb_printf(out, ", penwidth=%.1f", l->count < 8 ? 1.6 : l->count < 64 ? 2.4 : 3.2);
    if (l->mark == MARK_removed)
        sb_printf(out, "%scolor=\"%s\", style=dashed", label.n ? ", " : "",
                  mark_styles[MARK_removed].line);
    else if (from->kind == ITEM_op && to->kind == ITEM_op)
        sb_printf(out, "%sweight=2", label.n || l->count > 1 ? ", " : "");
    sb_puts(out, "];\n");
    sb_free(&label);
}

/* Clusters nest, and the items of one are written inside it: child and sibling lists by number. */
typedef struct Nesting {
    const Picture *p;
    uint32_t *first_item, *next_item;       /* by cluster, by item; number + 1 */
    uint32_t *first_cluster, *next_cluster; /* by cluster; number + 1 */
    bool tooltips;
} Nesting;

static void add_inside(const Nesting *nest, uint32_t cluster, StrBuf *out)
{
    const Picture *p = nest->p;
    for (uint32_t i = nest->first_item[cluster]; i; i = nest->next_item[i - 1])
        add_node(p, i - 1, nest->tooltips, out);
    for (uint32_t c = nest->first_cluster[cluster]; c; c = nest->next_cluster[c - 1]) {
        Str name = label_operator(p->t, p->clusters[c - 1].node);
        const Style *s = &styles[style_of(p->t, p->clusters[c - 1].node)];
        sb_printf(out, "subgraph cluster_%u {\n", c);
        sb_printf(out, "label=<<B>%.*s</B>>; labeljust=l; fontsize=12; fontcolor=\"%s\"; "
                       "style=\"rounded,filled\"; fillcolor=\"#FAFBFC\"; color=\"%s\"; "
                       "margin=12;\n",
                  STR(name), s->line, s->line);
        add_inside(nest, c, out);
        sb_puts(out, "}\n");
    }
}

static void add_nodes(const Picture *p, bool tooltips, StrBuf *out)
{
    Arena a = {0};
    Nesting nest = {.p = p, .tooltips = tooltips};
    nest.first_item = new_array(&a, uint32_t, p->nclusters + 1);
    nest.next_item = new_array(&a, uint32_t, p->nitems + 1);
    nest.first_cluster = new_array(&a, uint32_t, p->nclusters + 1);
    nest.next_cluster = new_array(&a, uint32_t, p->nclusters + 1);
    for (uint32_t i = p->nitems; i--;) {
        uint32_t c = p->items[i].cluster;
        nest.next_item[i] = nest.first_item[c];
        nest.first_item[c] = i + 1;
    }
    for (uint32_t c = p->nclusters; c--;) {
        uint32_t parent = p->clusters[c].parent;
        nest.next_cluster[c] = nest.first_cluster[parent];
        nest.first_cluster[parent] = c + 1;
    }
    add_inside(&nest, 0, out);
    arena_free(&a);
}

/* ------------------------------------------------------------------------- title and legend */

typedef struct Legend {
    uint32_t styles[STYLE_COUNT], marks[4];
    bool parameters;
} Legend;

static void see_parameter(ValueId v, void *user)
{
    (void)v;
    ((Legend *)user)->parameters = true;
}

static void count_legend(const Picture *p, Legend *legend)
{
    for (uint32_t i = 0; i < p->nitems; i++) {
        const Item *item = &p->items[i];
        for (int m = 0; m < 4; m++)
            legend->marks[m] += item->kind == ITEM_group ? item->marks[m] : item->mark == m;
        if (item->kind != ITEM_group)
            legend->styles[item->style]++;
        else
            for (int s = 0; s < STYLE_COUNT; s++)
                legend->styles[s] += item->counts[s];
        if (item->kind == ITEM_op)
            each_parameter(item->t, item->node, see_parameter, legend);
    }
}

static void add_chip(const char *fill, const char *line, const char *text, uint32_t count,
                     uint32_t *column, StrBuf *out)
{
    sb_puts(out, *column && *column % 3 == 0 ? "</TR><TR>" : "");
    sb_printf(out,
              "<TD FIXEDSIZE=\"TRUE\" WIDTH=\"18\" HEIGHT=\"12\" BGCOLOR=\"%s\" COLOR=\"%s\" "
              "BORDER=\"1\"></TD><TD ALIGN=\"LEFT\"><FONT POINT-SIZE=\"10\">%s",
              fill, line, text);
    if (count)
        sb_printf(out, " <FONT COLOR=\"" DIM "\">%u</FONT>", count);
    sb_puts(out, "</FONT></TD>");
    ++*column;
}

static void add_title(const Picture *p, StrBuf *out)
{
    StrBuf text = {0};
    sb_puts(out, "<FONT POINT-SIZE=\"16\"><B>");
    add_html(p->t->name, out);
    sb_puts(out, "</B></FONT><FONT POINT-SIZE=\"11\" COLOR=\"" DIM "\"> · ");
    if (p->t->made_by.n) {
        sb_puts(out, "after ");
        add_html(p->t->made_by, out);
        sb_puts(out, ", ");
    }
    if (p->selected) {
        label_count(p->nselected, &text);
        sb_puts(&text, " of ");
    }
    label_count(p->nops, &text);
    sb_printf(out, "%s operators%s</FONT>", sb_cstr(&text), p->collapsed ? ", in groups" : "");
    sb_free(&text);
}

static void add_heading(const Picture *p, StrBuf *out)
{
    Legend legend = {0};
    uint32_t column = 0;
    count_legend(p, &legend);
    sb_puts(out, "label=<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"4\" "
                 "CELLPADDING=\"1\"><TR><TD ALIGN=\"LEFT\">");
    add_title(p, out);
    sb_puts(out, "</TD></TR><TR><TD ALIGN=\"LEFT\"><TABLE BORDER=\"0\" CELLBORDER=\"0\" "
                 "CELLSPACING=\"4\" CELLPADDING=\"1\"><TR>");
    for (int s = 0; s < STYLE_COUNT; s++)
        if (legend.styles[s] && s < STYLE_input)
            add_chip(styles[s].fill, styles[s].line, styles[s].legend, legend.styles[s], &column,
                     out);
    if (legend.parameters)
        add_chip(styles[STYLE_parameter].fill, styles[STYLE_parameter].line,
                 "parameters", 0, &column, out);
    for (int m = MARK_added; m <= MARK_changed && p->compared; m++)
        if (legend.marks[m]) {
            StrBuf text = {0};
            sb_printf(&text, "%s %s", mark_styles[m].sign, mark_styles[m].legend);
            add_chip("#FFFFFF", mark_styles[m].line, sb_cstr(&text), legend.marks[m], &column,
                     out);
            sb_free(&text);
        }
    sb_puts(out, column ? "" : "<TD></TD>");
    sb_puts(out, "</TR></TABLE></TD></TR></TABLE>>;\n");
}

void picture_dot(const Picture *p, bool tooltips, StrBuf *out)
{
    bool large = p->nitems > 400;
    sb_puts(out, "digraph ");
    add_quoted(p->t->name, out);
    sb_puts(out, " {\n");
    sb_printf(out, "graph [rankdir=TB, ranksep=0.32, nodesep=0.28, pad=0.3, bgcolor=\"#FFFFFF\", "
                   "fontname=\"" FONT "\", labelloc=t, labeljust=l%s];\n",
              large ? ", splines=polyline, nslimit=2, nslimit1=2, mclimit=0.3" : "");
    sb_puts(out, "node [fontname=\"" FONT "\", margin=\"0.12,0.05\", penwidth=1.2];\n");
    sb_printf(out, "edge [fontname=\"" FONT "\", fontsize=9, fontcolor=\"" DIM "\", "
                   "color=\"%s\", arrowsize=0.6, penwidth=1.1];\n",
              mark_styles[MARK_none].line);
    add_heading(p, out);
    add_nodes(p, tooltips, out);
    for (uint32_t l = 0; l < p->nlinks; l++)
        add_edge(p, &p->links[l], out);
    sb_puts(out, "}\n");
}
