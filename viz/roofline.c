/* roofline.c - the roofline model as a chart and as SVG; see roofline.h. */
#include "roofline.h"

#include "memory.h"
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void statement_ops(const Trace *t, NodeId n, uint32_t most, StrBuf *out)
{
    const Node *node = &t->nodes[n];
    uint32_t count = 0;
    if (node->op->id != PRIM_call) {
        sb_puts(out, node->op->name);
        return;
    }
    for_sub(t, n, i)
        if (count++ < most)
            sb_printf(out, "%s%s", count > 1 ? "+" : "", t->nodes[i].op->name);
    if (count > most)
        sb_printf(out, "+%u", count - most);
}

/* ------------------------------------------------------------------------------------ the plane */

typedef struct Plane {
    const Profile *p;
    double x0, x1, y0, y1; /* logarithms to base 10 of intensity and rate */
} Plane;

static bool has_place(const ProfileRow *r)
{
    return r->flops > 0 && r->bytes > 0 && r->ms > 0;
}

static double intensity(const ProfileRow *r)
{
    return log10(r->flops / r->bytes);
}

static double rate(const ProfileRow *r)
{
    return log10(r->flops / (r->ms * 1e-3));
}

static double roof(const Profile *p, double x)
{
    double slope = pow(10, x) * p->copy_rate;
    return log10(slope < p->matmul_rate ? slope : p->matmul_rate);
}

/* Room for all statements and for the ridge, where the two ceilings meet. */
static Plane plane_of(const Profile *p)
{
    double ridge = log10(p->matmul_rate / p->copy_rate);
    Plane a = {p, ridge - 1.5, ridge + 1, log10(p->matmul_rate) - 2, log10(p->matmul_rate) + 0.2};
    for (uint32_t i = 0; i < p->n; i++) {
        if (!has_place(&p->rows[i]))
            continue;
        double x = intensity(&p->rows[i]), y = rate(&p->rows[i]);
        a.x0 = x - 0.2 < a.x0 ? x - 0.2 : a.x0;
        a.x1 = x + 0.2 > a.x1 ? x + 0.2 : a.x1;
        a.y0 = y - 0.2 < a.y0 ? y - 0.2 : a.y0;
        a.y1 = y + 0.2 > a.y1 ? y + 0.2 : a.y1;
    }
    return a;
}

static int by_time(const void *x, const void *y)
{
    const ProfileRow *const *a = x, *const *b = y;
    return ((*a)->ms < (*b)->ms) - ((*a)->ms > (*b)->ms);
}

/* The rows that have a place, the longest first; to be freed. */
static const ProfileRow **longest(const Profile *p, uint32_t *n)
{
    const ProfileRow **rows = malloc((p->n + 1) * sizeof *rows);
    if (!rows)
        abort();
    *n = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (has_place(&p->rows[i]))
            rows[(*n)++] = &p->rows[i];
    qsort(rows, *n, sizeof *rows, by_time);
    return rows;
}

static void rate_text(double y, StrBuf *out)
{
    double x = pow(10, y);
    if (x >= 1e12)
        sb_printf(out, "%.3g TFLOP/s", x * 1e-12);
    else if (x >= 1e9)
        sb_printf(out, "%.3g GFLOP/s", x * 1e-9);
    else
        sb_printf(out, "%.3g MFLOP/s", x * 1e-6);
}

/* ---------------------------------------------------------------------------------------- ASCII */

enum { SCALE = 14 };

static void put_roof(const Plane *a, char *grid, uint32_t columns, uint32_t rows)
{
    for (uint32_t c = 0; c < columns; c++) {
        double x = a->x0 + (a->x1 - a->x0) * (c + 0.5) / columns, y = roof(a->p, x);
        int row = (int)((a->y1 - y) / (a->y1 - a->y0) * rows);
        bool flat = pow(10, x) * a->p->copy_rate >= a->p->matmul_rate;
        if (row >= 0 && row < (int)rows)
            grid[(uint32_t)row * columns + c] = flat ? '-' : '/';
    }
}

static uint32_t column_of(const Plane *a, double x, uint32_t columns)
{
    double c = (x - a->x0) / (a->x1 - a->x0) * columns;
    return c < 0 ? 0 : c >= columns ? columns - 1 : (uint32_t)c;
}

static uint32_t row_of(const Plane *a, double y, uint32_t rows)
{
    double r = (a->y1 - y) / (a->y1 - a->y0) * rows;
    return r < 0 ? 0 : r >= rows ? rows - 1 : (uint32_t)r;
}

/* Numbers under the whole powers of ten. */
static void put_scale(const Plane *a, uint32_t columns, StrBuf *out)
{
    char line[256];
    uint32_t n = columns < sizeof line ? columns : sizeof line - 1;
    memset(line, ' ', n);
    for (double x = ceil(a->x0); x <= a->x1; x++) {
        char text[16];
        int len = snprintf(text, sizeof text, "%g", pow(10, x));
        uint32_t at = column_of(a, x, n);
        if (len > 0 && at + (uint32_t)len <= n)
            memcpy(line + at, text, (size_t)len);
    }
    while (n && line[n - 1] == ' ')
        n--;
    sb_printf(out, "%*s %.*s\n", SCALE, "FLOP/byte", (int)n, line);
}

void roofline_chart(const Profile *p, uint32_t columns, uint32_t rows, StrBuf *out)
{
    uint32_t n, wide = columns > SCALE + 20 ? columns - SCALE - 2 : 20;
    Plane a = plane_of(p);
    const ProfileRow **sorted = longest(p, &n);
    char *grid = malloc((size_t)wide * rows + 1);
    if (!grid)
        abort();
    memset(grid, ' ', (size_t)wide * rows);
    put_roof(&a, grid, wide, rows);
    for (uint32_t i = n < 26 ? n : 26; i-- > 0;) /* the longest on top */
        grid[row_of(&a, rate(sorted[i]), rows) * wide +
             column_of(&a, intensity(sorted[i]), wide)] = (char)('A' + i);
    for (uint32_t r = 0; r < rows; r++) {
        StrBuf label = {0};
        uint32_t end = wide;
        if (r % 4 == 0)
            rate_text(a.y1 - (a.y1 - a.y0) * (r + 0.5) / rows, &label);
        while (end && grid[r * wide + end - 1] == ' ')
            end--;
        sb_printf(out, "%*s |%.*s\n", SCALE - 1, sb_cstr(&label), (int)end, grid + r * wide);
        sb_free(&label);
    }
    sb_printf(out, "%*s +", SCALE - 1, "");
    for (uint32_t c = 0; c < wide; c++)
        sb_putc(out, '-');
    sb_putc(out, '\n');
    put_scale(&a, wide, out);
    free(grid);
    free(sorted);
}

/* ------------------------------------------------------------------------------------------ SVG */

enum { LEFT = 110, TOP = 50, WIDTH = 760, HEIGHT = 420, LISTED = 12, FITS = 104 };

static double svg_x(const Plane *a, double x)
{
    return LEFT + (x - a->x0) / (a->x1 - a->x0) * WIDTH;
}

static double svg_y(const Plane *a, double y)
{
    return TOP + (a->y1 - y) / (a->y1 - a->y0) * HEIGHT;
}

static void svg_text(double x, double y, const char *anchor, Str text, StrBuf *out)
{
    sb_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    sb_xml(out, text);
    sb_puts(out, "</text>\n");
}

static void svg_grid(const Plane *a, StrBuf *out)
{
    StrBuf text = {0};
    for (double x = ceil(a->x0); x <= a->x1; x++) {
        sb_printf(out, "<path d=\"M%.1f %dv%d\" stroke=\"#ddd\"/>\n", svg_x(a, x), TOP, HEIGHT);
        sb_clear(&text);
        sb_printf(&text, "%g", pow(10, x));
        svg_text(svg_x(a, x), TOP + HEIGHT + 18, "middle", sb_str(&text), out);
    }
    for (double y = ceil(a->y0); y <= a->y1; y++) {
        sb_printf(out, "<path d=\"M%d %.1fh%d\" stroke=\"#ddd\"/>\n", LEFT, svg_y(a, y), WIDTH);
        sb_clear(&text);
        rate_text(y, &text);
        svg_text(LEFT - 8, svg_y(a, y) + 4, "end", sb_str(&text), out);
    }
    svg_text(LEFT + WIDTH / 2.0, TOP + HEIGHT + 40, "middle", S("operations a byte"), out);
    sb_free(&text);
}

static void svg_roof(const Plane *a, StrBuf *out)
{
    StrBuf text = {0};
    double ridge = log10(a->p->matmul_rate / a->p->copy_rate), top = log10(a->p->matmul_rate);
    sb_printf(out, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1f\" fill=\"none\" stroke=\"#222\" "
                   "stroke-width=\"2\"/>\n",
              svg_x(a, a->x0), svg_y(a, roof(a->p, a->x0)), svg_x(a, ridge), svg_y(a, top),
              svg_x(a, a->x1), svg_y(a, top));
    rate_text(top, &text);
    sb_puts(&text, ", a large matrix product");
    svg_text(LEFT + WIDTH, svg_y(a, top) - 6, "end", sb_str(&text), out);
    sb_clear(&text);
    sb_printf(&text, "%.1f GB/s, copying", a->p->copy_rate * 1e-9);
    double mid = (a->x0 + ridge) / 2;
    svg_text(svg_x(a, mid) - 10, svg_y(a, roof(a->p, mid)) - 6, "end", sb_str(&text), out);
    sb_free(&text);
}

static void svg_row(const Plane *a, const ProfileRow *r, uint32_t number, StrBuf *out)
{
    StrBuf text = {0};
    bool memory;
    double floor = profile_floor(a->p, r, &memory), share = r->ms / a->p->run_ms;
    sb_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" fill-opacity=\"0.7\">"
                   "<title>",
              svg_x(a, intensity(r)), svg_y(a, rate(r)), 3 + 22 * sqrt(share),
              memory ? "#5b8db8" : "#c0392b");
    sb_add(&text, statement_name(a->p->t, r->node));
    sb_puts(&text, ": ");
    statement_ops(a->p->t, r->node, 8, &text);
    sb_printf(&text, ", %.4f ms, %.1f %% of the run, %.0f %% of what the ceilings allow, ", r->ms,
              100 * share, 100 * floor / r->ms);
    node_place(a->p->t, r->node, &text);
    sb_xml(out, sb_str(&text));
    sb_puts(out, "</title></circle>\n");
    if (number < LISTED) {
        sb_clear(&text);
        sb_printf(&text, "%c", (char)('A' + number));
        svg_text(svg_x(a, intensity(r)), svg_y(a, rate(r)) + 4, "middle", sb_str(&text), out);
    }
    sb_free(&text);
}

static void svg_legend(const Plane *a, const ProfileRow *const *rows, uint32_t n, StrBuf *out)
{
    for (uint32_t i = 0; i < n && i < LISTED; i++) {
        StrBuf text = {0}, line = {0};
        bool memory;
        double floor = profile_floor(a->p, rows[i], &memory);
        sb_printf(&text, "%c  %9.4f ms  %3.0f %% of the %s ceiling  ", (char)('A' + i),
                  rows[i]->ms, 100 * floor / rows[i]->ms, memory ? "copy  " : "matmul");
        node_place(a->p->t, rows[i]->node, &text);
        sb_puts(&text, "  ");
        sb_add(&text, statement_name(a->p->t, rows[i]->node));
        sb_puts(&text, "  ");
        statement_ops(a->p->t, rows[i]->node, 5, &text);
        label_cut(sb_str(&text), FITS, &line);
        sb_puts(out, "<g xml:space=\"preserve\">");
        svg_text(LEFT, TOP + HEIGHT + 70 + 16.0 * i, "start", sb_str(&line), out);
        sb_puts(out, "</g>");
        sb_free(&text);
        sb_free(&line);
    }
}

void roofline_svg(const Profile *p, StrBuf *out)
{
    uint32_t n;
    Plane a = plane_of(p);
    const ProfileRow **rows = longest(p, &n);
    StrBuf title = {0};
    uint32_t listed = n < LISTED ? n : LISTED;
    sb_printf(out,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
              "font-family=\"monospace\" font-size=\"12\">\n"
              "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
              LEFT + WIDTH + 30, TOP + HEIGHT + 80 + 16 * (int)listed);
    sb_printf(&title, "%.*s: %.4f ms, of %u run%s", STR(p->t->name), p->run_ms, p->runs,
              plural(p->runs));
    svg_text(LEFT, 24, "start", sb_str(&title), out);
    svg_grid(&a, out);
    svg_roof(&a, out);
    for (uint32_t i = n; i-- > 0;)
        svg_row(&a, rows[i], i, out);
    svg_legend(&a, rows, n, out);
    sb_puts(out, "</svg>\n");
    sb_free(&title);
    free(rows);
}
