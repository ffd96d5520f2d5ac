/*
 * text_c_steps.c - long chains of functions, a loop for each over a piece.
 *
 * Input: a pointwise nest whose last loop runs in pieces. Output: loops over the piece that put
 * what a function comes to into an array, for the loop that stores results. One idea: a processor
 * has some hundred instructions under way, which is few elements of a long chain; of a short one it
 * is many, which do not wait for each other. What is cheap is computed again in each loop.
 */
#include "text_c.h"

enum {
    LONG_STEPS = 24, /* instructions of a function that is worth a loop */
    MOST_STEPS = 8,  /* loops before the one that stores: each computes again what is cheap */
};

/* Of f32, or of what is computed as such. */
static bool is_long(const Text *x, const Point *p)
{
    return p->kind == POINT_op && p->step == STEP_prim && dtype_is_float(p->dtype) &&
           p->dtype != DT_f64 && c_is_dear(x, p) && c_steps(x, p) >= LONG_STEPS;
}

/* Draws are too dear to be computed again, and scans go on from element to element. */
static bool may_have_steps(const Text *x)
{
    bool may = x->cut >= 0 && x->tiled < 0 && !x->reduced && !x->column && !x->s->reduces;
    for (uint32_t i = 0; i < x->s->npoints && may; i++) {
        const Point *p = &x->s->points[i];
        may = p->kind != POINT_scan && p->kind != POINT_reduce &&
              !(p->kind == POINT_op && p->step == STEP_draw) &&
              !(c_is_narrow(p->dtype) && x->o->eager_rounding);
    }
    return may;
}

static void print_step(Text *x, uint32_t i)
{
    bool exp = c_is_exp(x, &x->s->points[i]);
    c_indent(x->out, x->depth);
    sb_printf(x->out, "float step%u[%lld] __attribute__((aligned(%d)));\n", i, (long long)x->piece,
              LINE);
    c_begin_body(x, true);
    if (exp)
        c_point(x, x->s->points[i].a[0]);
    else
        c_point(x, i);
    c_indent(&x->body, x->body_depth);
    sb_printf(&x->body, "step%u[j] = ", i);
    c_operand(x, exp ? x->s->points[i].a[0] : i, &x->body);
    sb_puts(&x->body, ";\n");
    c_piece(x, x->depth, "");
    x->step[i] = true;
    if (!exp)
        return;
    c_indent(x->out, x->depth);
    sb_printf(x->out, "exp%s_row(step%u, m);\n",
              nest_is_shifted(x->s, x->s->points[i].a[0]) ? "_below" : "", i);
}

void c_print_steps(Text *x)
{
    uint32_t last = 0, n = 0; /* the last one has the loop that stores, if it is no exponential */
    if (!may_have_steps(x))
        return;
    for (uint32_t i = 0; i < x->s->npoints; i++)
        if (is_long(x, &x->s->points[i]) && !c_is_exp(x, &x->s->points[i]))
            last = i;
    for (uint32_t i = 0; i < x->s->npoints && n < MOST_STEPS; i++) {
        if (!is_long(x, &x->s->points[i]) || i == last)
            continue;
        print_step(x, i);
        n++;
    }
}
