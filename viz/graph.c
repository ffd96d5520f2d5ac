/*
 * graph.c - graph_write: a trace as a picture file.
 *
 * Builds the Picture, writes it as DOT text, and has Graphviz lay that out for every format but
 * .dot itself. SVG gets tooltips: each title that Graphviz made from a node's number is replaced
 * by the statement, its type and its line in the user's model.
 */
#include "picture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ITEMS = 2000, MAX_GROUPS = 120 };

/* In an attribute: a line end has to be named. */
static void add_attribute(Str s, StrBuf *out)
{
    while (s.n) {
        sb_xml(out, str_cut(&s, '\n'));
        if (s.n)
            sb_puts(out, "&#10;");
    }
}

/* Reads "n12" or "cluster_12" at the front of *s. */
static bool take_number(Str *s, const char *prefix, uint32_t *out)
{
    if (!str_starts(*s, prefix))
        return false;
    Str rest = str_sub(*s, strlen(prefix), SIZE_MAX);
    size_t n = 0;
    while (n < rest.n && rest.p[n] >= '0' && rest.p[n] <= '9')
        n++;
    int64_t v;
    if (!str_to_i64(str_sub(rest, 0, n), &v) || v < 0 || v >= UINT32_MAX)
        return false;
    *out = (uint32_t)v;
    *s = str_sub(rest, n, SIZE_MAX);
    return true;
}

/* The values that run from one item to another. */
static void link_title(const Picture *p, const Adjacency *adj, uint32_t from, uint32_t to,
                       StrBuf *text)
{
    for (uint32_t k = adj->start[from]; k < adj->start[from + 1]; k++) {
        const Link *l = &p->links[adj->link[k]];
        if (l->to != to)
            continue;
        const Trace *t = p->items[from].t;
        sb_printf(text, "%s%.*s: ", text->n ? "\n" : "", STR(t->values[l->value].name));
        label_type(t, l->value, text);
        if (l->count > 1)
            sb_printf(text, " and %u more", l->count - 1);
    }
}

static void title_text(const Picture *p, const Adjacency *adj, Str title, StrBuf *text)
{
    uint32_t a, b;
    Str rest = title;
    if (take_number(&rest, "cluster_", &a) && rest.n == 0 && a && a <= p->nclusters) {
        Item composite = {.kind = ITEM_op, .t = p->t, .node = p->clusters[a - 1].node};
        label_tooltip(&composite, text);
        return;
    }
    rest = title;
    if (!take_number(&rest, "n", &a) || a >= p->nitems) {
        sb_add(text, p->t->name);
        return;
    }
    if (rest.n == 0)
        label_tooltip(&p->items[a], text);
    else if (take_number(&rest, "&#45;&gt;n", &b) && b < p->nitems)
        link_title(p, adj, a, b, text);
}

/* Replaces the generated titles of Graphviz's SVG by tooltips. */
static void svg_finish(const Picture *p, Str svg, StrBuf *out)
{
    static const char hover[] = "<style>.node:hover path,.node:hover polygon"
                                "{stroke-width:3}.edge:hover path{stroke-width:3}</style>\n";
    Arena a = {0};
    Adjacency adj = picture_adjacency(p, &a, true);
    StrBuf text = {0};
    bool styled = false;
    while (svg.n) {
        Str line = str_cut(&svg, '\n');
        if (!str_starts(line, "<title>") || !str_ends(line, "</title>")) {
            sb_puts(out, !styled && str_starts(line, "<g id=\"graph0\"") ? hover : "");
            styled |= str_starts(line, "<g id=\"graph0\"");
            sb_add(out, line);
            sb_putc(out, '\n');
            continue;
        }
        sb_clear(&text);
        title_text(p, &adj, str_sub(line, 7, line.n - 15), &text);
        sb_puts(out, "<title>");
        add_attribute(sb_str(&text), out);
        sb_puts(out, "</title>\n");
    }
    sb_free(&text);
    arena_free(&a);
}

static bool write_file(const char *path, Str bytes, Diag *d)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && (bytes.n == 0 || fwrite(bytes.p, 1, bytes.n, f) == bytes.n);
    int error = errno;
    if (f && fclose(f) != 0 && ok) {
        ok = false;
        error = errno;
    }
    if (!ok) {
        DiagItem *item = diag_error(d, DIAG_load, (Span){0}, "cannot-write", "cannot write %s: %s",
                                    path, strerror(error));
        diag_help(d, item, "graph FILE.svg with a file in a folder that exists and is writable");
    }
    return ok;
}

static void graph_word(const Picture *p, StrBuf *note)
{
    label_count(p->nselected, note);
    sb_printf(note, " operator%s", plural(p->nselected));
    if (p->selected) {
        sb_puts(note, " of ");
        label_count(p->nops, note);
    }
}

void picture_note(const Picture *p, const GraphOptions *o, StrBuf *note)
{
    if (p->nitems == 0) {
        const char *why = p->nops == 0         ? "the trace has no operators"
                          : o->path_from       ? "there is no path between the two values"
                                               : "no operator makes or uses this value";
        sb_printf(note, "nothing to draw: %s", why);
        return;
    }
    graph_word(p, note);
    if (p->collapsed) {
        uint32_t groups = 0;
        for (uint32_t i = 0; i < p->nitems; i++)
            groups += p->items[i].style < STYLE_input;
        sb_printf(note, ", too many to draw one by one: collapsed into %u groups by %s; "
                        "'graph FILE %%t 3' draws what is around a value", groups, p->grouping);
    }
    if (!p->compared)
        return;
    uint32_t marks[4] = {0};
    for (uint32_t i = 0; i < p->nitems; i++)
        for (int m = 0; m < 4; m++)
            marks[m] += p->items[i].kind == ITEM_group ? p->items[i].marks[m]
                                                       : p->items[i].mark == m;
    sb_printf(note, "; %u only here, %u only in the other stage, %u different",
              marks[MARK_added], marks[MARK_removed], marks[MARK_changed]);
}

/* The format of a file by its ending; NULL when it has none that we write. */
static const char *format_of(Str path)
{
    static const char *const formats[] = {"svg", "png", "pdf", "dot", "gv"};
    for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
        size_t n = strlen(formats[i]);
        if (path.n > n + 1 && path.p[path.n - n - 1] == '.' && str_ends(path, formats[i]))
            return formats[i];
    }
    return NULL;
}

bool graph_is_picture(Str path)
{
    return format_of(path) != NULL;
}

bool graph_write(const Trace *t, const GraphOptions *o, const char *path, StrBuf *note, Diag *d)
{
    Picture p;
    StrBuf dot = {0}, bytes = {0};
    const char *format = format_of(str_from(path));
    if (!format) {
        DiagItem *item = diag_error(d, DIAG_usage, (Span){0}, "graph-format",
                                    "cannot tell what kind of picture %s should be", path);
        diag_help(d, item, "graph FILE.svg, or with .png, .pdf or .dot");
        return false;
    }
    picture_build(&p, t, o, o->max_nodes ? o->max_nodes : MAX_ITEMS, MAX_GROUPS);
    bool text = strcmp(format, "dot") == 0 || strcmp(format, "gv") == 0;
    picture_dot(&p, text, &dot);
    bool ok = text || graphviz_render(sb_str(&dot), format, &bytes, d);
    if (ok && strcmp(format, "svg") == 0) {
        StrBuf svg = bytes;
        bytes = (StrBuf){0};
        svg_finish(&p, sb_str(&svg), &bytes);
        sb_free(&svg);
    }
    ok = ok && write_file(path, text ? sb_str(&dot) : sb_str(&bytes), d);
    if (ok && note)
        picture_note(&p, o, note);
    sb_free(&dot);
    sb_free(&bytes);
    picture_free(&p);
    return ok;
}
