/*
 * text_c_cost.c - what the C function of a region costs to run.
 *
 * Input: a region. Output: bytes that it moves to and from memory, instructions for its elements,
 * how many of these compute a value a second time, among how many threads they are shared. One
 * idea: the shape and the passes are those of the text that would be written, so what is counted
 * happens.
 */
#include "text_c.h"

enum {
    LANES = 16,           /* elements of one instruction, where a loop vectorises */
    STEPS_LIBRARY = 600,  /* of a function of the C library, for as many elements */
    STEPS_DOUBLE = 90,    /* of a function of f32 that the prelude computes in double */
    CACHED_ROW = 1 << 18, /* bytes of a row that are still in a cache when it is read again */
};

/* Instructions for LANES elements of f32. */
static uint32_t steps_of_prim(const Text *x, const Point *p)
{
    static const struct {
        uint32_t op, steps;
    } rows[] = {
        {PRIM_exp, 28},  {PRIM_log, 54},  {PRIM_tanh, 32}, {PRIM_erf, 46}, {PRIM_sin, 32},
        {PRIM_cos, 32},  {PRIM_div, 4},   {PRIM_sqrt, 8},  {PRIM_rsqrt, 10},
        {PRIM_pow, 200}, {PRIM_erfc, STEPS_LIBRARY},       {PRIM_lgamma, STEPS_LIBRARY},
        {PRIM_fmod, STEPS_LIBRARY},                        {PRIM_remainder, STEPS_LIBRARY},
    };
    const Node *n = &x->s->r->t->nodes[p->node];
    DType in = expr_dtype(x->s->r->t, n);
    bool wide = in == DT_f64;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].op == n->op->id && (dtype_is_float(in) || n->op->id == PRIM_div))
            return wide && rows[i].steps > 10 ? STEPS_LIBRARY : rows[i].steps;
    if (dtype_is_float(in) && c_is_dear(x, p))
        return wide ? STEPS_LIBRARY : STEPS_DOUBLE;
    return wide ? 2 : 1;
}

uint32_t c_steps(const Text *x, const Point *p)
{
    switch (p->kind) {
    case POINT_load:
        return c_is_narrow(p->dtype) ? 3 : 1;
    case POINT_reduce:
    case POINT_scan:
        return 4; /* in double */
    case POINT_op:
        return p->step == STEP_prim      ? steps_of_prim(x, p)
               : p->step == STEP_draw ? STEPS_DOUBLE
                                         : 2;
    default:
        return 0;
    }
}

static uint32_t count_bits(uint32_t bits)
{
    uint32_t n = 0;
    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

/* The passes that run one element after the other, since a product or a scan keeps its order. */
static uint32_t passes_in_order(const Text *x, const uint32_t *needed)
{
    uint32_t passes = 0;
    for (uint32_t i = 0; i < x->s->npoints && !x->column; i++) {
        const Point *p = &x->s->points[i];
        if (c_keeps_order(p))
            passes |= p->kind == POINT_scan ? needed[i] : 1u << p->pass;
    }
    return passes;
}

/* How often point i is computed for one element, in instructions of as many. */
static double count_steps(const Text *x, uint32_t i, uint32_t needed, uint32_t in_order,
                          double *again)
{
    const Point *p = &x->s->points[i];
    if (p->whole)
        return 0; /* once a row */
    if (p->kind == POINT_reduce)
        needed = 1u << p->pass;
    bool inner = c_is_inner(x, p->deps) || p->kind == POINT_reduce;
    double steps = c_steps(x, p), each = 0;
    uint32_t slow = inner ? needed & in_order : 0, passes = count_bits(needed);
    if (!inner)
        return 0; /* once a row */
    each = steps * (count_bits(slow) * LANES + count_bits(needed & ~slow));
    *again += passes > 1 && p->kind == POINT_op ? steps * (passes - 1) : 0;
    *again += p->kind == POINT_op && p->again ? steps : 0;
    return each;
}

/* Of inputs that are read in each pass, where they do not stay in a cache. */
static double reread_bytes(const Text *x, const uint32_t *needed)
{
    double bytes = 0;
    for (uint32_t k = 0; k < x->s->ninputs; k++) {
        const Type *type = &value_get(x->s->r->t, x->s->inputs[k])->type;
        uint32_t passes = 1;
        bool long_row = x->s->reduced_numel * (int64_t)dtype_info[type->dtype].bytes > CACHED_ROW;
        for (uint32_t i = 0; i < x->s->npoints && (x->column || long_row); i++)
            if (x->s->points[i].kind == POINT_load && x->s->points[i].v == x->s->inputs[k] &&
                count_bits(needed[i]) > passes)
                passes = count_bits(needed[i]);
        bytes += (double)type_bytes(type) * (passes - 1);
    }
    return bytes;
}

/* The most values that are needed at one place of the loop. */
static uint32_t most_live(Nest *s)
{
    uint32_t *last = new_array(&s->arena, uint32_t, s->npoints + 1);
    uint32_t live = 0, most = 0;
    for (uint32_t i = 0; i < s->npoints; i++)
        for (uint32_t k = 0; k < s->points[i].na; k++)
            last[s->points[i].a[k]] = i;
    for (uint32_t i = 0; i < s->npoints; i++) {
        live += last[i] > i;
        for (uint32_t k = 0; k < s->points[i].na; k++)
            live -= last[s->points[i].a[k]] == i &&
                    (k == 0 || s->points[i].a[k] != s->points[i].a[k - 1]);
        most = live > most ? live : most;
    }
    return most;
}

static void count(Text *x, GenCost *cost)
{
    Nest *s = x->s;
    uint32_t *needed = new_array(&x->s->arena, uint32_t, s->npoints + 1);
    double each = 0, again = 0, elements = (double)s->full_numel;
    c_choose_kept(x, needed);
    uint32_t in_order = passes_in_order(x, needed);
    for (uint32_t i = 0; i < s->npoints; i++)
        each += count_steps(x, i, needed[i], in_order, &again);
    int64_t turns = x->parallel_inside || !x->reduced ? FEW_TURNS
                    : x->column ? s->outer_numel / TILE
                                : s->outer_numel;
    cost->reread = reread_bytes(x, needed);
    cost->bytes = cost->reread + (double)c_region_bytes(s);
    cost->steps = each * elements / LANES;
    cost->again = again * elements / LANES;
    cost->in_order = in_order != 0;
    cost->threads = !x->parallel ? 1 : turns < 1 ? 1 : turns < FEW_TURNS ? (uint32_t)turns
                                                                         : FEW_TURNS;
    cost->live = most_live(s);
}

bool gen_cost(const Region *r, GenCost *cost, StrBuf *why)
{
    Nest s;
    bool fits = nest_build_rows(&s, r, why);
    *cost = (GenCost){.threads = 1};
    if (fits) {
        Text x = {0};
        c_choose_shape(&x, &s);
        count(&x, cost);
    }
    nest_free(&s);
    return fits;
}
