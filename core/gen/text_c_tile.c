/*
 * text_c_tile.c - tiles of operands whose neighbours lie along another loop than the last.
 *
 * Input: loads, the two loops that run in tiles. Output: statements that transpose each operand's
 * tile into an array, which the loops then read along its rows. One idea: an operand from memory is
 * asked for in the order in which it lies there. Tiles are stacked along it, so that a row of a
 * stack is long; while one stack is worked on, the next is fetched row by row.
 */
#include "text_c.h"

bool c_is_transposed(const Text *x, const Point *p, uint32_t along, uint32_t across)
{
    if (p->kind != POINT_load || form_factor(p->form, along) != 1)
        return false;
    for (uint32_t i = 0; i < p->form.n; i++)
        if (!var_is_loop(&x->s->vars[p->form.terms[i].var]))
            return false;
    int64_t k = form_factor(p->form, across);
    return k >= LEAST_TILED || k <= -LEAST_TILED;
}

bool c_is_tile(const Text *x, const Point *p)
{
    return x->tiled >= 0 && c_is_transposed(x, p, (uint32_t)x->tiled, (uint32_t)x->cut);
}

/* From one row of the operand's tile to the next, in elements. */
static long long step_of(const Text *x, const Point *p)
{
    return (long long)form_factor(p->form, (uint32_t)x->cut);
}

/* "&in0[", and what of the index the two loops do not change. */
static void print_corner(Text *x, const Point *p)
{
    Form rest = form_add(x->s, p->form, form_var(x->s, (uint32_t)x->tiled), -1);
    rest = form_add(x->s, rest, form_var(x->s, (uint32_t)x->cut), -step_of(x, p));
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
        sb_printf(x->out, "transpose_%u(tile%u, ", dtype_info[p->dtype].bytes, i);
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
