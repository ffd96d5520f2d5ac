/*
 * memory.c - memory over time as a picture; see memory.h.
 *
 * A column of the chart stands for one step, or for the highest of several where there are more
 * steps than columns, so that the peak is always seen.
 */
#include "memory.h"

void node_place(const Trace *t, NodeId n, StrBuf *out)
{
    const Node *node = n == NO_NODE ? NULL : &t->nodes[n];
    if (node && node->loc && node->loc->line)
        sb_printf(out, "%.*s:%u", STR(node->loc->file), node->loc->line);
    else if (node && node->src.src)
        sb_printf(out, "line %u", span_place(node->src).line);
}

enum { SCALE = 11 }; /* columns left of the chart */

static int64_t column_bytes(const Peak *p, uint32_t c, uint32_t columns)
{
    uint64_t from = (uint64_t)c * p->nsteps / columns, to = (uint64_t)(c + 1) * p->nsteps / columns;
    int64_t most = 0;
    for (uint64_t i = from; i < to || i == from; i++)
        most = p->bytes[i] > most ? p->bytes[i] : most;
    return most;
}

/* The step of the peak, named on the side of the arrow that has room. */
static void put_pointer(uint32_t at, uint32_t columns, const Peak *p, StrBuf *out)
{
    StrBuf name = {0};
    sb_printf(&name, "step %u of %u", p->at + 1, p->nsteps);
    if (at + 2 + name.n <= columns || at < name.n + 1)
        sb_printf(out, "\n%*s^ %s\n", (int)at, "", sb_cstr(&name));
    else
        sb_printf(out, "\n%*s ^\n", (int)at - 1, sb_cstr(&name));
    sb_free(&name);
}

void peak_chart(const Peak *p, uint32_t columns, uint32_t rows, StrBuf *out)
{
    uint32_t room = columns > SCALE + 10 ? columns - SCALE - 2 : 10;
    uint32_t wide = p->nsteps < room ? room / p->nsteps : 1; /* columns of a step */
    uint32_t n = p->nsteps < room ? p->nsteps : room;
    for (uint32_t row = rows; row-- > 0;) {
        StrBuf label = {0};
        sb_bytes(&label, (double)p->most * (row + 1) / rows);
        sb_printf(out, "%*s |", SCALE - 1, sb_cstr(&label));
        sb_free(&label);
        size_t end = out->n;
        for (uint32_t c = 0; c < n; c++) {
            double filled = p->most ? (double)column_bytes(p, c, n) / (double)p->most * rows : 0;
            bool on = filled > row + 0.001;
            for (uint32_t k = 0; k < wide; k++)
                sb_putc(out, on ? '#' : ' ');
            end = on ? out->n : end;
        }
        out->n = end;
        sb_putc(out, '\n');
    }
    sb_printf(out, "%*s +", SCALE - 1, "0 B");
    for (uint32_t c = 0; c < n * wide; c++)
        sb_putc(out, '-');
    uint32_t at = (uint32_t)(((uint64_t)p->at + 1) * n - 1) / p->nsteps;
    put_pointer(SCALE + 1 + at * wide, columns, p, out);
}

/* ----------------------------------------------------------------------------------------- SVG */

static void step_text(const Trace *t, const Peak *p, uint32_t step, StrBuf *out)
{
    sb_bytes(out, (double)p->bytes[step]);
    if (p->nodes[step] == NO_NODE) {
        sb_puts(out, " at the end");
        return;
    }
    PrintOptions o = {0};
    sb_puts(out, " in ");
    node_print(t, p->nodes[step], &o, out);
}

static void svg_steps(const Trace *t, const Peak *p, double width, double height, StrBuf *out)
{
    enum { MOST = 4000 };
    uint32_t n = p->nsteps < MOST ? p->nsteps : MOST;
    double w = width / n;
    for (uint32_t c = 0; c < n; c++) {
        uint32_t from = (uint32_t)((uint64_t)c * p->nsteps / n);
        uint32_t to = (uint32_t)((uint64_t)(c + 1) * p->nsteps / n), best = from;
        for (uint32_t i = from; i < to; i++)
            best = p->bytes[i] > p->bytes[best] ? i : best;
        double h = p->most ? height * (double)p->bytes[best] / (double)p->most : 0;
        StrBuf text = {0};
        step_text(t, p, best, &text);
        sb_printf(out,
                  "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                  "fill=\"%s\"><title>",
                  80 + c * w, 40 + height - h, w, h, best == p->at ? "#c0392b" : "#5b8db8");
        sb_xml(out, str_trim(sb_str(&text)));
        sb_puts(out, "</title></rect>\n");
        sb_free(&text);
    }
}

static void svg_label(double x, double y, const char *anchor, Str text, StrBuf *out)
{
    sb_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    sb_xml(out, text);
    sb_puts(out, "</text>\n");
}

static void svg_scale(const Peak *p, double width, double height, StrBuf *out)
{
    for (int i = 0; i <= 4; i++) {
        StrBuf text = {0};
        double y = 40 + height - height * i / 4;
        sb_bytes(&text, (double)(p->most * i / 4));
        svg_label(74, y + 4, "end", sb_str(&text), out);
        sb_printf(out, "<path d=\"M80 %.1fH%.1f\" stroke=\"#ccc\" fill=\"none\"/>\n", y,
                  80 + width);
        sb_free(&text);
    }
}

enum { LISTED = 30 };

void peak_svg(const Trace *t, const Peak *p, StrBuf *out)
{
    double width = 800, height = 300;
    uint32_t listed = p->nalive < LISTED ? p->nalive : LISTED;
    sb_printf(out,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
              "font-family=\"monospace\" font-size=\"12\">\n"
              "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
              width + 110, height + 90 + 16.0 * (listed + 1));
    StrBuf text = {0};
    sb_printf(&text, "%.*s: peak ", STR(t->name));
    sb_bytes(&text, (double)p->most);
    sb_printf(&text, ", step %u of %u", p->at + 1, p->nsteps);
    svg_label(80, 24, "start", sb_str(&text), out);
    svg_scale(p, width, height, out);
    svg_steps(t, p, width, height, out);
    for (uint32_t i = 0; i < listed; i++) {
        const Value *v = &t->values[p->alive[i].value];
        sb_clear(&text);
        sb_bytes(&text, (double)p->alive[i].bytes);
        sb_printf(&text, "  %.*s  ", STR(v->name));
        type_print(&v->type, NULL, &text);
        sb_puts(&text, "  ");
        node_place(t, v->producer, &text);
        svg_label(80, height + 70 + 16.0 * i, "start", sb_str(&text), out);
    }
    if (listed < p->nalive) {
        sb_clear(&text);
        sb_printf(&text, "and %u more", p->nalive - listed);
        svg_label(80, height + 70 + 16.0 * listed, "start", sb_str(&text), out);
    }
    sb_free(&text);
    sb_puts(out, "</svg>\n");
}
