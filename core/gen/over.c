/*
 * over.c - which results of a kernel may lie where one of its inputs lies.
 *
 * Input: the nest of a region. Output: for pairs of a result and an input, whether the kernel reads
 * each element of the input for the last time before it writes the same element of the result. One
 * idea: one turn of all loops writes one element of the result; so the input must be read at that
 * very element wherever it is read, and nothing that is computed behind the store may read it. Only
 * what a result of a whole row needs may be another element of that row: it is read early.
 *
 * What this takes from the writers (text_c.c, text_cuda.c), in whatever shape and schedule: an
 * element of a full-size result is stored in one turn; passes over the reduced loops that a store
 * needs come before it in the same turn of the other loops or in an earlier launch, and so does the
 * first one, unless no full-size result needs any: then it may store them, each element behind all
 * that its own turn reads; full-size stores of one body stand in the order of the results, each
 * behind what it needs; sums across the rows come behind them.
 */
#include "nest.h"

#include <string.h>

/* Read for what comes behind all full-size stores: sums across the rows; results of a row, and what
 * folds of all take of it. */
enum { BEHIND = 1u << MAX_OUTPUTS, OF_ROW = BEHIND << 1 };

typedef struct Readers {
    const Nest *s;
    uint32_t *stores; /* by point: mask of the results that need it in their turn; BEHIND */
    uint32_t *pass;   /* by point: the last pass that needs it; 0 = none */
} Readers;

static void need(Readers *x, uint32_t point, uint32_t stores, uint32_t pass)
{
    x->stores[point] |= stores;
    x->pass[point] = pass > x->pass[point] ? pass : x->pass[point];
}

/* The points that give the indices in a form. */
static void need_form(Readers *x, Form f, uint32_t stores, uint32_t pass)
{
    for (uint32_t i = 0; i < f.n; i++) {
        const Var *v = &x->s->vars[f.terms[i].var];
        if (v->role == VAR_loaded)
            need(x, v->point, stores, pass);
        else if (v->role == VAR_derived)
            need_form(x, v->of, stores, pass);
    }
}

/* From the results to the operands, which stand before them. What is stored by `over` is known from
 * then on: what comes behind it takes it as it is. */
static void find_readers(Readers *x, const Store *over)
{
    const Nest *s = x->s;
    memset(x->stores, 0, s->npoints * sizeof *x->stores);
    memset(x->pass, 0, s->npoints * sizeof *x->pass);
    for (uint32_t i = 0; i < s->nstores; i++) {
        const Store *st = &s->stores[i];
        need(x, st->point, nest_is_full(s, st)             ? 1u << st->out
                           : s->points[st->point].across ? BEHIND
                                                         : OF_ROW, 0);
    }
    for (uint32_t i = s->npoints; i-- > 0;) {
        const Point *p = &s->points[i];
        uint32_t stores = x->stores[i], pass = x->pass[i];
        if (p->kind == POINT_reduce) {
            stores = p->whole ? OF_ROW : p->across ? BEHIND : 0;
            pass = p->across ? 0 : p->pass;
        }
        if (i == over->point)
            stores = 1u << over->out;
        for (uint32_t k = 0; k < p->na; k++)
            need(x, p->a[k], stores, pass);
        need_form(x, p->form, stores, pass);
    }
}

/* Whether a load of no reduced loop reads the row of which the store writes an element, at an index
 * that is known before the loops. Writers read it before the last pass, so before the row's stores:
 * see nest_is_read_early. */
static bool is_in_row(const Nest *s, const Point *p, const Store *st)
{
    int64_t row = 0, most = p->form.c - st->form.c;
    if (p->pass > 0 || s->points[st->point].pass == 0 || most < 0)
        return false;
    for (uint32_t i = 0; i < s->nloops; i++) {
        int64_t k = form_factor(st->form, i), in = form_factor(p->form, i);
        bool reduced = s->vars[i].role == VAR_reduced;
        if (s->vars[i].extent != 1 && in != (reduced ? 0 : k))
            return false;
        row += reduced ? k * (s->vars[i].extent - 1) : 0;
    }
    for (uint32_t i = 0; i < p->form.n; i++) {
        const Term *t = &p->form.terms[i];
        if (var_is_loop(&s->vars[t->var]))
            continue;
        if (s->vars[t->var].role != VAR_loaded || t->k < 0)
            return false;
        most += t->k * (s->vars[t->var].extent - 1);
    }
    return row == s->reduced_numel - 1 && most <= row;
}

bool nest_input_is_under(const Nest *s, uint32_t input)
{
    for (uint32_t i = 0; i < s->r->nouts; i++)
        if (value_is_over(s->r->t, s->r->outs[i], s->inputs[input]))
            return true;
    return false;
}

bool nest_result_is_over(const Nest *s, uint32_t result)
{
    for (uint32_t i = 0; i < s->ninputs; i++)
        if (value_is_over(s->r->t, s->r->outs[result], s->inputs[i]))
            return true;
    return false;
}

static const Store *store_of(const Nest *s, ValueId result)
{
    for (uint32_t i = 0; i < s->nstores; i++)
        if (s->r->outs[s->stores[i].out] == result)
            return &s->stores[i];
    return NULL;
}

bool nest_is_read_early(const Nest *s, uint32_t point)
{
    const Point *p = &s->points[point];
    for (uint32_t i = 0; i < s->nstores && p->kind == POINT_load; i++)
        if (value_is_over(s->r->t, s->r->outs[s->stores[i].out], p->v) &&
            !form_equal(p->form, s->stores[i].form))
            return true;
    return false;
}

static bool may_be_over(Readers *x, ValueId result, ValueId input)
{
    const Nest *s = x->s;
    const Store *st = store_of(s, result);
    if (!st || !nest_is_full(s, st))
        return false;
    find_readers(x, st);
    uint32_t first = s->points[st->point].pass, later = ~((2u << st->out) - 1);
    for (uint32_t i = 0; i < s->npoints; i++) {
        const Point *p = &s->points[i];
        bool early = x->stores[i] == OF_ROW && is_in_row(s, p, st);
        if (p->kind == POINT_load && p->v == input &&
            ((!early && (!form_equal(p->form, st->form) || (x->stores[i] & later))) ||
             x->pass[i] > (first ? first : 1)))
            return false;
    }
    return true;
}

bool nest_is_angle(const Nest *s, const Point *p)
{
    if (p->kind != POINT_op || p->step != STEP_prim)
        return false;
    const Node *n = &s->r->t->nodes[p->node];
    bool angle = n->op->id == PRIM_sin || n->op->id == PRIM_cos || n->op->id == PRIM_tan;
    return angle && expr_dtype(s->r->t, n) != DT_f64;
}

/* A kernel that meets a large angle is launched again, on the same inputs. */
static bool is_launched_again(const Nest *s)
{
    for (uint32_t i = 0; i < s->npoints; i++)
        if (nest_is_angle(s, &s->points[i]))
            return true;
    return false;
}

void gen_in_place(const Region *r, bool cuda, Overlay *pairs, uint32_t n)
{
    Nest s;
    StrBuf why = {0};
    bool good = cuda ? nest_build_both_ways(&s, r, &why) : nest_build_rows(&s, r, &why);
    good = good && (cuda || !is_launched_again(&s));
    Readers x = {.s = &s};
    if (good) {
        x.stores = new_array(&s.arena, uint32_t, s.npoints + 1);
        x.pass = new_array(&s.arena, uint32_t, s.npoints + 1);
    }
    for (uint32_t i = 0; i < n; i++)
        pairs[i].legal = good && may_be_over(&x, pairs[i].result, pairs[i].operand);
    nest_free(&s);
    sb_free(&why);
}
