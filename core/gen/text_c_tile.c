/*
 * text_c_tile.c - tiles of operands whose neighbours lie along another loop than the last.
 *
 * Input: loads, the two loops that run in tiles. Output: statements that transpose each operand's
 * tile into an array, which the loops then read along its rows. One idea: an operand from memory is
 * asked for in the order in which it lies there. Tiles are stacked along it, so that a row of a
 * stack is long; while one stack is worked on, the next is fetched row by row.
 *
 * Where loops are reduced, tiles are panels: some rows in all their length, so that every pass over
 * a row reads the array; or of the rows that a column goes through, the piece that it has of them.
 */
#include "text_c.h"

/* A load whose neighbours in memory lie along one loop, while another one strides through it. */
static bool c_is_transposed(const Text *x, const Point *p, uint32_t along, uint32_t across)
{
    if (p->kind != POINT_load || form_factor(p->form, along) != 1)
        return false;
    for (uint32_t i = 0; i < p->form.n; i++)
        if (!var_is_loop(&x->s->vars[p->form.terms[i].var]))
            return false;
    int64_t k = form_factor(p->form, across);
    return k >= LEAST_TILED || k <= -LEAST_TILED;
}

/* Lines of a short last loop stay in the first cache. */
int32_t c_tiled_loop(const Text *x, int32_t last)
{
    int32_t tiled = -1;
    uint32_t most = 0;
    for (uint32_t v = 0; v < x->s->nloops && last >= 0 && x->s->vars[last].extent >= TILE; v++) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < x->s->npoints && x->s->vars[v].extent >= LEAST_TILED; i++)
            found += c_is_transposed(x, &x->s->points[i], v, (uint32_t)last);
        if (found > most) {
            most = found;
            tiled = (int32_t)v;
        }
    }
    return tiled;
}

bool c_is_tile(const Text *x, const Point *p)
{
    return x->tiled >= 0 && c_is_transposed(x, p, (uint32_t)x->tiled, (uint32_t)x->cut);
}

/* The loop that strides through the operands. A row is the last reduced loop, whether it runs in
 * pieces or not. */
static uint32_t across(const Text *x)
{
    return (uint32_t)(x->panel >= 0 && !x->column ? x->last_reduced : x->cut);
}

bool c_is_panel(const Text *x, const Point *p)
{
    return x->panel >= 0 && c_is_transposed(x, p, (uint32_t)x->panel, across(x));
}

/* From one row of the operand's tile to the next, in elements: the loop strides through them. */
static long long step_of(const Text *x, const Point *p)
{
    return (long long)form_factor(p->form, across(x));
}

/* "&in0[", and what of the index the two loops do not change. */
static void print_corner(Text *x, const Point *p)
{
    int32_t along = x->panel >= 0 ? x->panel : x->tiled;
    Form rest = form_add(x->s, p->form, form_var(x->s, (uint32_t)along), -1);
    rest = form_add(x->s, rest, form_var(x->s, across(x)), -step_of(x, p));
    sb_printf(x->out, "&in%u[", c_input(x, p));
    if (rest.n == 0 && rest.c == 0)
        return;
    form_print(x->s, rest, x->out);
    sb_puts(x->out, " + ");
}

void c_fill_tiles(Text *x, uint32_t depth)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (!c_is_tile(x, p))
            continue;
        c_indent(x->out, depth);
        sb_printf(x->out, "%s tile%u[%d][%d];\n", c_storage(p->dtype), i, TILE, TILE);
        c_indent(x->out, depth);
        sb_printf(x->out, "transpose_%u(tile%u, %d, ", dtype_info[p->dtype].bytes, i, TILE);
        print_corner(x, p);
        sb_printf(x->out, "bt + %lld * b], %lld, mt, m);\n", step_of(x, p), step_of(x, p));
    }
}

void c_name_next_tiles(Text *x, uint32_t depth)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (!x->next_tiles || !c_is_tile(x, p))
            continue;
        const char *start = x->tall > TILE ? "st" : "bt";
        c_indent(x->out, depth);
        sb_printf(x->out, "const %s *next%u = ", c_storage(p->dtype), i);
        print_corner(x, p);
        sb_printf(x->out, "(b + %d < %lld ? %s + %lld * (b + %d) : %s + %lld)];\n", TILE,
                  (long long)x->s->vars[x->cut].extent, start, step_of(x, p), TILE, start,
                  (long long)x->tall);
    }
}

/* A stack of n tiles has n times as many rows to work on as rows of the operand to fetch. */
void c_fetch_tiles(Text *x, uint32_t depth)
{
    long long n = x->tall / TILE;
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (!x->next_tiles || !c_is_tile(x, p))
            continue;
        c_indent(x->out, depth);
        sb_printf(x->out, "fetch(next%u + ", i);
        if (n == 1)
            sb_printf(x->out, "k * %lld", step_of(x, p));
        else
            sb_printf(x->out, "(bt - st + k) / %lld * %lld + (bt - st + k) %% %lld * %d", n,
                      step_of(x, p), n, TILE);
        sb_printf(x->out, ", %d * sizeof *next%u);\n", TILE, i);
    }
}

/* -------------------------------------------------------------------------------------- panels */

/* Elements from row to row of a panel: a line more than a row has, or lines of one place of all
 * rows would compete for the same few places of the first cache. */
static long long panel_width(const Text *x, const Point *p)
{
    int64_t n = x->column ? x->piece : x->s->reduced_numel;
    return (long long)(n + LINE / (int64_t)dtype_info[p->dtype].bytes);
}

/* A column's panel has as many rows as a tile, a row's as there is room for. */
void c_choose_panel(Text *x, int32_t last)
{
    uint32_t vars[MAX_LOOPS], n = c_loops(x, VAR_reduced, vars);
    int32_t along = c_tiled_loop(x, last);
    int64_t bytes = 0;
    if (along < 0 || (x->column ? along != x->last_reduced : n != 1 || x->parallel_inside))
        return;
    x->panel = along;
    x->panel_rows = TILE;
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (c_is_panel(x, &x->s->points[i]))
            bytes += panel_width(x, &x->s->points[i]) *
                     (int64_t)dtype_info[x->s->points[i].dtype].bytes;
    while (x->panel_rows > LEAST_TILED && x->panel_rows * bytes > PANEL_BYTES)
        x->panel_rows /= 2;
    if (x->panel_rows * bytes > 2 * PANEL_BYTES)
        x->panel = -1;
}

void c_fill_panels(Text *x, uint32_t depth)
{
    for (uint32_t i = 0; i < x->s->npoints; i++) {
        const Point *p = &x->s->points[i];
        if (!c_is_panel(x, p) || (x->column && !(x->printed[i] & IN_body)))
            continue;
        long long width = panel_width(x, p);
        c_indent(x->out, depth);
        sb_printf(x->out, "%s tile%u[%lld][%lld];\n", c_storage(p->dtype), i,
                  (long long)x->panel_rows, width);
        c_indent(x->out, depth);
        sb_printf(x->out, "transpose_%u(tile%u, %lld, ", dtype_info[p->dtype].bytes, i, width);
        print_corner(x, p);
        if (x->column)
            sb_printf(x->out, "bt + %lld * b], %lld, mt, m);\n", step_of(x, p), step_of(x, p));
        else
            sb_printf(x->out, "bt], %lld, mt, %lld);\n", step_of(x, p),
                      (long long)x->s->reduced_numel);
    }
}

void c_panel_element(const Text *x, uint32_t i, StrBuf *out)
{
    sb_printf(out, "tile%u[i%d - bt][", i, x->panel);
    if (x->column)
        sb_puts(out, "j]");
    else
        sb_printf(out, "i%d]", x->last_reduced);
}
