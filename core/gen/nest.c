/*
 * nest.c - from a region to the loops, points and stores of one loop nest.
 *
 * The loops run over the operand of the region's reductions (or over its outputs, when there are
 * none). Each output is asked for at the index where the loops stand; asking goes from a value to
 * the operands of the prim that makes it, at the index that the prim reads. A reduction may be
 * asked for at any index over the parallel loops; its operand is asked for with the reduced loops
 * put in.
 */
#include "nest.h"

#include <stdlib.h>
#include <string.h>

bool nest_fail(Nest *s, const char *fmt, ...)
{
    va_list ap;
    if (!s->failed && s->why) {
        va_start(ap, fmt);
        sb_vprintf(s->why, fmt, ap);
        va_end(ap);
    }
    s->failed = true;
    return false;
}

/* ------------------------------------------------------------------------- values of the region */

static ValueSlot *slot_of(Nest *s, ValueId v)
{
    uint32_t at = (v * 2654435761u) & (s->nslots - 1);
    while (s->slots[at].v && s->slots[at].v != v)
        at = (at + 1) & (s->nslots - 1);
    s->slots[at].v = v;
    return &s->slots[at];
}

typedef struct Noting {
    Nest *s;
    uint32_t node;
} Noting;

static void note_made(ValueId v, void *user)
{
    Noting *n = user;
    slot_of(n->s, v)->node = n->node + 1;
}

static void note_read(ValueId v, void *user)
{
    Noting *n = user;
    ValueSlot *slot = slot_of(n->s, v);
    const Value *value = value_get(n->s->r->t, v);
    if (slot->node || slot->input || arg_is_number(value->known))
        return;
    if (n->s->ninputs == MAX_REGION_INPUTS) {
        nest_fail(n->s, "it would read more than %d values", MAX_REGION_INPUTS);
        return;
    }
    n->s->inputs[n->s->ninputs++] = v;
    slot->input = n->s->ninputs;
}

static bool note_values(Nest *s)
{
    const Region *r = s->r;
    if (r->n > MAX_REGION_NODES)
        return nest_fail(s, "it would have more than %d statements", MAX_REGION_NODES);
    uint32_t need = 64;
    while (need < 8 * r->n)
        need *= 2;
    s->nslots = 2 * need;
    s->slots = new_array(&s->arena, ValueSlot, s->nslots);
    for (uint32_t i = 0; i < r->n; i++) {
        const Node *node = &r->t->nodes[r->nodes[i]];
        Noting n = {s, i};
        for (uint32_t k = 0; k < node->nargs; k++)
            arg_each_value(node->args[k], note_read, &n);
        arg_each_value(node->out, note_made, &n);
    }
    return !s->failed;
}

/* --------------------------------------------------------------------------------------- points */

/* Whether two steps of larger prims, or two numbers, are the same. */
static bool same_step(const Point *a, const Point *b)
{
    bool step = a->kind == POINT_number || a->kind == POINT_reduce ||
                (a->kind == POINT_op && a->step != STEP_prim);
    if (!step || a->kind != b->kind || a->step != b->step || a->dtype != b->dtype ||
        a->na != b->na || a->fold != b->fold || a->deps != b->deps ||
        !arg_equal(a->number, b->number))
        return false;
    for (uint32_t i = 0; i < a->na; i++)
        if (a->a[i] != b->a[i])
            return false;
    return true;
}

enum { LOOK_BACK = 64 };

/* A number, conversion or part of a variance that is there already among the latest points. */
static bool find_step(const Nest *s, const Point *p, uint32_t *at)
{
    for (uint32_t i = s->npoints, k = 0; i-- > 0 && k < LOOK_BACK; k++)
        if (same_step(p, &s->points[i]) && s->points[i].across == p->across) {
            *at = i;
            return true;
        }
    return false;
}

static uint32_t add_point(Nest *s, Point p)
{
    uint32_t at;
    if (s->npoints == MAX_POINTS) {
        nest_fail(s, "too much would be computed more than once");
        return 0;
    }
    if (s->npoints == s->point_cap) {
        Point *more = new_array(&s->arena, Point, 2 * s->point_cap + 32);
        if (s->npoints)
            memcpy(more, s->points, s->npoints * sizeof *more);
        s->points = more;
        s->point_cap = 2 * s->point_cap + 32;
    }
    for (uint32_t i = 0; i < p.na; i++) {
        const Point *a = &s->points[p.a[i]];
        uint32_t pass = a->pass;
        p.deps |= p.kind == POINT_reduce ? 0 : a->deps;
        p.pass = pass > p.pass ? pass : p.pass;
        if (a->across && p.kind == POINT_reduce) {
            nest_fail(s, "it reduces what reductions over the other dimensions leave");
            return 0;
        }
        p.across = p.across || a->across;
    }
    if (find_step(s, &p, &at))
        return at;
    s->points[s->npoints] = p;
    return s->npoints++;
}

static uint32_t add_number(Nest *s, Arg number, DType d)
{
    return add_point(s, (Point){.kind = POINT_number, .dtype = d, .number = number});
}

static uint32_t add_cast(Nest *s, uint32_t a, DType d)
{
    if (s->failed || s->points[a].dtype == d)
        return a;
    if (s->points[a].kind == POINT_number && s->points[a].v == 0)
        return add_number(s, s->points[a].number, d);
    return add_point(
        s, (Point){.kind = POINT_op, .step = STEP_cast, .dtype = d, .a = {a}, .na = 1});
}

static bool is_zero(const Nest *s, uint32_t i)
{
    const Point *p = &s->points[i];
    if (p->kind == POINT_op && p->step == STEP_cast)
        return is_zero(s, p->a[0]);
    return p->kind == POINT_number && (p->number.kind == ARG_float ? p->number.f == 0
                                                                   : p->number.i == 0);
}

static uint32_t ask(Nest *s, ValueId v, const Form *index);

static DType number_dtype(Arg a)
{
    return a.kind == ARG_int ? DT_i64 : a.kind == ARG_bool ? DT_b8 : DT_f64;
}

static uint32_t ask_arg(Nest *s, Arg a, const Form *index)
{
    if (a.kind == ARG_value && arg_is_number(value_get(s->r->t, a.v)->known))
        a = value_get(s->r->t, a.v)->known;
    if (a.kind == ARG_value)
        return ask(s, a.v, index);
    if (!arg_is_number(a) || a.kind == ARG_complex) {
        nest_fail(s, "it has an operand that is no real number");
        return 0;
    }
    return add_number(s, a, number_dtype(a));
}

/* ----------------------------------------------------------------------------------- reductions */

static bool fold_of(uint32_t op, Fold *out)
{
    switch (op) {
    case PRIM_sum:
    case PRIM_var:
    case PRIM_var_mean:
    case PRIM_std:
        *out = FOLD_sum;
        return true;
    case PRIM_prod:
        *out = FOLD_prod;
        return true;
    case PRIM_amax:
        *out = FOLD_max;
        return true;
    case PRIM_amin:
        *out = FOLD_min;
        return true;
    case PRIM_any:
        *out = FOLD_any;
        return true;
    case PRIM_all:
        *out = FOLD_all;
        return true;
    default:
        return false;
    }
}

static const Type *operand_type(const Nest *s, const Node *n)
{
    return &value_get(s->r->t, n->args[0].v)->type;
}

static const char *name_of(const Nest *s, ValueId v, int *len)
{
    Str name = value_get(s->r->t, v)->name;
    *len = (int)name.n;
    return name.p;
}

/* The index of a reduction's operand: the result's index, the loops of that role where it
 * reduces. */
static const Form *reduced_index(Nest *s, const Node *n, const Form *index, Role role)
{
    int64_t all = role == VAR_reduced ? s->reduced_numel : s->outer_numel;
    const Type *from = operand_type(s, n);
    bool mask[MAX_RANK];
    if (!nest_in_dims(s, n->args[1], from->rank, mask))
        return NULL;
    int64_t sizes[MAX_RANK], numel = 1;
    Type inner = {.shape = sizes};
    for (uint32_t i = 0; i < from->rank; i++) {
        if (mask[i]) {
            sizes[inner.rank++] = from->shape[i];
            numel *= from->shape[i];
        }
    }
    Form linear = form_const(0);
    int64_t stride = 1;
    for (uint32_t i = s->nloops; i-- > 0;) {
        if (s->vars[i].role != role)
            continue;
        linear = form_add(s, linear, form_var(s, i), stride);
        stride *= s->vars[i].extent;
    }
    if (numel != all) {
        nest_fail(s, "it reduces over %lld elements, the others over %lld", (long long)numel,
                  (long long)all);
        return NULL;
    }
    const Form *rest = form_unravel(s, linear, &inner);
    Form *to = new_array(&s->arena, Form, from->rank + 1);
    for (uint32_t i = 0, in = 0, out = 0; i < from->rank; i++)
        to[i] = mask[i] ? rest[in++] : index[out++];
    return to;
}

static uint64_t loops_with(const Nest *s, Role role)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < s->nloops; i++)
        if (s->vars[i].role == role)
            mask |= (uint64_t)1 << i;
    return mask;
}

static uint32_t add_reduce(Nest *s, Fold fold, DType d, uint32_t a, uint64_t deps)
{
    if (s->failed)
        return 0;
    return add_point(s, (Point){.kind = POINT_reduce, .fold = fold, .dtype = d, .a = {a}, .na = 1,
                                .deps = deps, .pass = s->points[a].pass + 1});
}

static uint32_t add_step(Nest *s, Step step, uint32_t a, uint32_t b, uint32_t na, double by)
{
    if (s->failed)
        return 0;
    return add_point(s, (Point){.kind = POINT_op, .step = step, .dtype = DT_f64, .a = {a, b},
                                .na = na, .number = A_FLOAT(by)});
}

/* var, std and var_mean: the mean in one pass, the squares of what differs from it in the next. */
static uint32_t add_variance(Nest *s, const Node *n, ValueId v, uint32_t x, uint64_t deps)
{
    double count = (double)s->reduced_numel, correction = 0;
    Arg c = n->args[2];
    if (c.kind == ARG_value)
        c = value_get(s->r->t, c.v)->known;
    if (c.kind != ARG_int && c.kind != ARG_float && c.kind != ARG_bool)
        return (uint32_t)nest_fail(s, "its correction is not known");
    correction = c.kind == ARG_float ? c.f : (double)c.i;
    uint32_t wide = add_cast(s, x, DT_f64);
    uint32_t mean = add_step(s, STEP_scale, add_reduce(s, FOLD_sum, DT_f64, wide, deps), 0, 1,
                             count);
    ValueId outs[2] = {0};
    arg_values(n->out, outs, 2);
    DType d = (DType)value_get(s->r->t, v)->type.dtype;
    if (n->op->id == PRIM_var_mean && v == outs[1])
        return add_cast(s, mean, d);
    uint32_t square = add_step(s, STEP_square_difference, wide, mean, 2, 0);
    double left = count - correction;
    uint32_t var = add_step(s, STEP_scale, add_reduce(s, FOLD_sum, DT_f64, square, deps), 0, 1,
                            left > 0 ? left : 0);
    if (n->op->id == PRIM_std)
        var = add_step(s, STEP_sqrt, var, 0, 1, 0);
    return add_cast(s, var, d);
}

/* A few KiB of partial results a block is what a writer keeps of a fold over the parallel loops. */
enum { MAX_ACROSS = 1 << 14 };

/* A fold over the parallel loops, beside those over the reduced ones: nothing inside the loops may
 * depend on it. */
static uint32_t ask_across(Nest *s, const Node *n, ValueId v, const Form *index, Fold fold,
                           uint64_t deps)
{
    if (n->op->id == PRIM_var || n->op->id == PRIM_var_mean || n->op->id == PRIM_std)
        return (uint32_t)nest_fail(s, "variances over two sets of dimensions take two loops");
    if (s->reduced_numel > MAX_ACROSS)
        return (uint32_t)nest_fail(s, "it has too many results for one loop over rows");
    const Form *inner = reduced_index(s, n, index, VAR_parallel);
    uint32_t x = inner ? ask(s, n->args[0].v, inner) : 0;
    if (s->failed)
        return 0;
    return add_point(s, (Point){.kind = POINT_reduce, .fold = fold, .a = {x}, .na = 1,
                                .dtype = (DType)value_get(s->r->t, v)->type.dtype, .deps = deps,
                                .pass = s->points[x].pass, .across = true});
}

static bool is_prim(const Nest *s, const Point *p, uint32_t op)
{
    return p->kind == POINT_op && p->step == STEP_prim && s->r->t->nodes[p->node].op->id == op;
}

/* The sum over all reduced loops of where(index == loop, value, 0) is the value when the index is
 * one of theirs: *at. */
static bool sums_one_hot(Nest *s, uint32_t x, uint32_t *at)
{
    const Point *pick = &s->points[x];
    if (!is_prim(s, pick, PRIM_where) || !is_zero(s, pick->a[2]))
        return false;
    uint32_t value = pick->a[1], zero = pick->a[2];
    DType d = pick->dtype;
    const Point *same = &s->points[pick->a[0]];
    uint64_t reduced = loops_with(s, VAR_reduced);
    if (!is_prim(s, same, PRIM_eq) || s->points[value].deps & reduced)
        return false;
    uint32_t index = same->a[0], loop = same->a[1];
    if (s->points[index].kind == POINT_index) {
        index = same->a[1];
        loop = same->a[0];
    }
    if (s->points[loop].kind != POINT_index || !form_equal(s->points[loop].form, s->across) ||
        s->points[index].deps & reduced || s->points[index].dtype != DT_i64)
        return false;
    uint32_t inside = add_point(s, (Point){.kind = POINT_op, .step = STEP_inside, .dtype = DT_b8,
                                           .a = {index}, .na = 1,
                                           .number = A_INT(s->reduced_numel)});
    *at = add_point(s, (Point){.kind = POINT_op, .step = STEP_select, .dtype = d,
                               .a = {inside, value, zero}, .na = 3});
    return !s->failed;
}

/* The same of what a scatter into zeros gives. */
static bool sums_one_place(Nest *s, uint32_t x, uint32_t *at)
{
    const Point *pick = &s->points[x];
    if (pick->kind != POINT_op || pick->step != STEP_select || !is_zero(s, pick->a[2]))
        return false;
    const Point *same = &s->points[pick->a[0]];
    const Point *here = &s->points[same->a[0]], *there = &s->points[same->a[1]];
    uint64_t reduced = loops_with(s, VAR_reduced);
    if (!form_equal(here->form, s->across) || there->form.n != 1 || there->deps & reduced ||
        s->vars[there->form.terms[0].var].extent != s->reduced_numel ||
        s->points[pick->a[1]].deps & reduced)
        return false;
    *at = pick->a[1];
    return true;
}

/* Where rows are as long as there are rows, a sum along rows can be had from loops of sums along
 * columns: index is then that of its operand with both exchanged, which would be read across. */
static bool is_turned(Nest *s, const Node *n, const Form *index)
{
    const Type *from = operand_type(s, n);
    Form number = form_const(0);
    int64_t stride = 1;
    if (!s->both_ways || s->outer_numel != s->reduced_numel || type_numel(from) != s->full_numel)
        return false;
    for (uint32_t i = from->rank; i-- > 0; stride *= from->shape[i])
        number = form_add(s, number, index[i], stride);
    return !form_equal(number, s->full);
}

static uint32_t ask_reduction(Nest *s, const Node *n, ValueId v, const Form *index, Fold fold)
{
    uint32_t rank = value_get(s->r->t, v)->type.rank;
    uint64_t deps = 0;
    for (uint32_t i = 0; i < rank; i++)
        deps |= form_deps(s, index[i]);
    int len;
    const char *name = name_of(s, v, &len);
    if (deps & loops_with(s, VAR_reduced))
        return s->both_ways && !(deps & loops_with(s, VAR_parallel))
                   ? ask_across(s, n, v, index, fold, deps)
                   : (uint32_t)nest_fail(s, "%%%.*s is a reduction over other dimensions", len,
                                         name);
    const Form *inner = reduced_index(s, n, index, VAR_reduced);
    if (!inner)
        return 0;
    if (is_turned(s, n, inner))
        return (uint32_t)nest_fail(s, "%%%.*s is a reduction along the other loops", len, name);
    uint32_t x = ask(s, n->args[0].v, inner), one;
    if (!s->failed && n->op->id == PRIM_sum &&
        (sums_one_place(s, x, &one) || sums_one_hot(s, x, &one)))
        return add_cast(s, one, (DType)value_get(s->r->t, v)->type.dtype);
    if (n->op->id == PRIM_var || n->op->id == PRIM_var_mean || n->op->id == PRIM_std)
        return add_variance(s, n, v, x, deps);
    return add_reduce(s, fold, (DType)value_get(s->r->t, v)->type.dtype, x, deps);
}

/* --------------------------------------------------------------------------------------- asking */

static uint32_t ask_elementwise(Nest *s, NodeId id, const Node *n, ValueId v, const Form *index)
{
    Point p = {.kind = POINT_op, .dtype = (DType)value_get(s->r->t, v)->type.dtype, .node = id};
    DType in = expr_dtype(s->r->t, n);
    if (n->nargs > 3)
        return (uint32_t)nest_fail(s, "it has too many operands");
    for (uint32_t i = 0; i < n->nargs && !s->failed; i++) {
        bool condition = n->op->id == PRIM_where && i == 0;
        p.a[i] = add_cast(s, ask_arg(s, n->args[i], index), condition ? DT_b8 : in);
    }
    p.na = n->nargs;
    return s->failed ? 0 : add_point(s, p);
}

static uint32_t ask_iota(Nest *s, const Node *n, ValueId v, const Form *index)
{
    int64_t range[2];
    if (!nest_ints(s, n->args[1], &range[0], 1) || !nest_ints(s, n->args[2], &range[1], 1))
        return 0;
    Form f = form_add(s, form_const(range[0]), index[0], range[1]);
    uint32_t p = add_point(s, (Point){.kind = POINT_index, .dtype = DT_i64, .form = f,
                                      .deps = form_deps(s, f)});
    return add_cast(s, p, (DType)value_get(s->r->t, v)->type.dtype);
}

/* ------------------------------------------------------------------------- gather and scatter */

/* Passes before all indices in a form are known. */
static uint32_t form_pass(const Nest *s, Form f)
{
    uint32_t pass = 0;
    for (uint32_t i = 0; i < f.n; i++) {
        const Var *v = &s->vars[f.terms[i].var];
        uint32_t p = v->role == VAR_loaded    ? s->points[v->point].pass
                     : v->role == VAR_derived ? form_pass(s, v->of)
                                              : 0;
        pass = p > pass ? p : pass;
    }
    return pass;
}

/* The number of the element of dimension `dim`, of size extent, that index tensor `indices` names
 * at this index. */
static Form ask_position(Nest *s, Arg indices, const Form *index, int64_t extent)
{
    uint32_t p = indices.kind == ARG_value ? ask(s, indices.v, index) : 0;
    if (indices.kind != ARG_value || s->failed || !dtype_is_int(s->points[p].dtype) ||
        s->points[p].across) {
        nest_fail(s, "its indices are no integers");
        return form_const(0);
    }
    return form_loaded(s, add_cast(s, p, DT_i64), extent);
}

static bool one_dim(Nest *s, Arg a, uint32_t rank, uint32_t *dim)
{
    *dim = 0;
    int64_t d = 0;
    if (rank == 0 || !nest_ints(s, a, &d, 1))
        return nest_fail(s, "it has no dimensions");
    *dim = (uint32_t)(d < 0 ? d + rank : d);
    return *dim < rank || nest_fail(s, "a dimension of it is not known");
}

/* gather, take_along_axis: the index tensor has the rank of the operand. take: it is a vector. */
static uint32_t ask_gather(Nest *s, const Node *n, const Form *index)
{
    const Type *from = operand_type(s, n);
    bool vector = n->op->id == PRIM_take;
    uint32_t dim;
    if (!one_dim(s, n->args[2], from->rank, &dim))
        return 0;
    bool scalar = vector && value_get(s->r->t, n->args[1].v)->type.rank == 0;
    Form *to = arena_copy(&s->arena, index, from->rank * sizeof *index);
    to[dim] = ask_position(s, n->args[1], scalar ? NULL : vector ? &index[dim] : index,
                           from->shape[dim]);
    return s->failed ? 0 : ask(s, n->args[0].v, to);
}

static uint32_t ask_embedding(Nest *s, const Node *n, const Form *index)
{
    const Type *indices = operand_type(s, n), *weight = &value_get(s->r->t, n->args[1].v)->type;
    if (n->args[3].kind != ARG_none)
        return (uint32_t)nest_fail(s, "rows of an embedding with a largest norm change");
    Form *to = new_array(&s->arena, Form, 2);
    to[0] = ask_position(s, n->args[0], index, weight->shape[0]);
    to[1] = index[indices->rank];
    return s->failed ? 0 : ask(s, n->args[1].v, to);
}

/* scatter and scatter_add with one index along dim: a comparison for each element. */
static uint32_t ask_scatter(Nest *s, const Node *n, ValueId v, const Form *index)
{
    const Type *type = &value_get(s->r->t, v)->type;
    const Type *at = &value_get(s->r->t, n->args[1].v)->type;
    DType d = (DType)type->dtype;
    uint32_t dim;
    if (!one_dim(s, n->args[3], type->rank, &dim))
        return 0;
    for (uint32_t i = 0; i < type->rank; i++)
        if (at->shape[i] != (i == dim ? 1 : type->shape[i]))
            return (uint32_t)nest_fail(s, "it scatters more than one element to a place");
    Form *one = arena_copy(&s->arena, index, type->rank * sizeof *index);
    one[dim] = form_const(0);
    Form to = ask_position(s, n->args[1], one, type->shape[dim]);
    uint32_t base = add_cast(s, ask_arg(s, n->args[0], index), d);
    uint32_t value = add_cast(s, ask_arg(s, n->args[2], one), d);
    if (s->failed)
        return 0;
    uint32_t here = add_point(s, (Point){.kind = POINT_index, .dtype = DT_i64, .form = index[dim],
                                         .deps = form_deps(s, index[dim])});
    uint32_t there = add_point(s, (Point){.kind = POINT_index, .dtype = DT_i64, .form = to,
                                          .deps = form_deps(s, to), .pass = form_pass(s, to)});
    uint32_t same = add_point(s, (Point){.kind = POINT_op, .step = STEP_equal, .dtype = DT_b8,
                                         .a = {here, there}, .na = 2});
    bool adds = n->op->id == PRIM_scatter_add;
    uint32_t other = adds ? add_cast(s, add_number(s, A_INT(0), DT_i64), d) : base;
    uint32_t picked = add_point(s, (Point){.kind = POINT_op, .step = STEP_select, .dtype = d,
                                           .a = {same, value, other}, .na = 3});
    if (!adds || is_zero(s, base))
        return picked;
    return add_point(s, (Point){.kind = POINT_op, .step = STEP_add, .dtype = d, .a = {base, picked},
                                .na = 2});
}

static uint32_t ask_indexed(Nest *s, const Node *n, ValueId v, const Form *index)
{
    switch (n->op->id) {
    case PRIM_embedding:
        return ask_embedding(s, n, index);
    case PRIM_scatter:
    case PRIM_scatter_add:
        return ask_scatter(s, n, v, index);
    default:
        return ask_gather(s, n, index);
    }
}

/* ----------------------------------------------------------------- random numbers, cat and pad */

static uint32_t add_index(Nest *s, Form f)
{
    return add_point(s, (Point){.kind = POINT_index, .dtype = DT_i64, .form = f,
                                .deps = form_deps(s, f), .pass = form_pass(s, f)});
}

bool nest_uniform(const Trace *t, const Node *n, Uniform *u)
{
    Arg args[4] = {n->args[1], n->args[2], n->args[5], n->args[6]};
    double ends[2];
    for (uint32_t i = 0; i < 4; i++) {
        if (args[i].kind == ARG_value)
            args[i] = value_get(t, args[i].v)->known;
        if (args[i].kind != ARG_int && (i > 1 || args[i].kind != ARG_float))
            return false;
        if (i < 2)
            ends[i] = args[i].kind == ARG_float ? args[i].f : (double)args[i].i;
    }
    *u = (Uniform){ends[0], ends[1], (uint64_t)args[2].i, (uint64_t)args[3].i};
    return true;
}

static uint32_t ask_uniform(Nest *s, NodeId id, const Node *n, ValueId v, const Form *index)
{
    const Type *type = &value_get(s->r->t, v)->type;
    Uniform u;
    if (type->dtype != DT_f32 || !nest_uniform(s->r->t, n, &u))
        return (uint32_t)nest_fail(s, "random numbers are drawn as f32, from a seed that is known");
    uint32_t at = add_index(s, form_linear(s, index, type));
    return s->failed ? 0
                     : add_point(s, (Point){.kind = POINT_op, .step = STEP_uniform, .dtype = DT_f32,
                                            .node = id, .number = A_INT(id), .a = {at}, .na = 1});
}

static uint32_t add_less(Nest *s, uint32_t a, int64_t n)
{
    uint32_t b = add_number(s, A_INT(n), DT_i64);
    return add_point(s, (Point){.kind = POINT_op, .step = STEP_less, .dtype = DT_b8, .a = {a, b},
                                .na = 2});
}

static uint32_t add_select(Nest *s, uint32_t condition, uint32_t a, uint32_t b, DType d)
{
    return add_point(s, (Point){.kind = POINT_op, .step = STEP_select, .dtype = d,
                                .a = {condition, a, b}, .na = 3});
}

/* The index f, moved into 0 .. size - 1 where it may be below or above: elements are read there and
 * then not taken. */
static Form into_range(Nest *s, Form f, int64_t size, bool below, bool above)
{
    if (s->failed || (!below && !above))
        return f;
    uint32_t p = add_index(s, f);
    if (below)
        p = add_select(s, add_less(s, p, 0), add_number(s, A_INT(0), DT_i64), p, DT_i64);
    if (above)
        p = add_select(s, add_less(s, p, size), p, add_number(s, A_INT(size - 1), DT_i64), DT_i64);
    Form to = form_loaded(s, p, size);
    if (!s->failed) {
        s->vars[to.terms[0].var].in_range = true;
        s->vars[to.terms[0].var].of = f;
    }
    return to;
}

enum { MAX_PIECES = 8 };

static uint32_t ask_cat(Nest *s, const Node *n, ValueId v, const Form *index)
{
    const Type *type = &value_get(s->r->t, v)->type;
    Arg list = n->args[0];
    uint32_t dim, made = 0, pieces = 0;
    if (!one_dim(s, n->args[1], type->rank, &dim))
        return 0;
    int64_t end = type->shape[dim];
    if (list.n > MAX_PIECES)
        return (uint32_t)nest_fail(s, "it joins more than %d tensors", MAX_PIECES);
    for (uint32_t k = list.n; k-- > 0 && !s->failed;) {
        if (list.items[k].kind != ARG_value)
            return (uint32_t)nest_fail(s, "a tensor that it joins is not known");
        const Type *from = &value_get(s->r->t, list.items[k].v)->type;
        if (from->rank != type->rank || from->shape[dim] == 0)
            continue;
        int64_t size = from->shape[dim], start = end - size;
        Form *to = arena_copy(&s->arena, index, type->rank * sizeof *index);
        to[dim] = into_range(s, form_add(s, index[dim], form_const(start), -1), size, start > 0,
                             pieces > 0);
        uint32_t piece = add_cast(s, ask(s, list.items[k].v, to), (DType)type->dtype);
        if (s->failed)
            return 0;
        made = pieces++ == 0 ? piece
                             : add_select(s, add_less(s, add_index(s, index[dim]), end), piece,
                                          made, (DType)type->dtype);
        end = start;
    }
    return pieces ? made : (uint32_t)nest_fail(s, "it joins nothing");
}

/* Low and high of one dimension; false where elements are spread. */
static bool pad_of(Nest *s, Arg config, uint32_t dim, int64_t ends[3])
{
    if (!arg_is_seq(config) || dim >= config.n || !nest_ints(s, config.items[dim], ends, 3))
        return nest_fail(s, "a size of its padding is not known");
    return ends[2] == 0 || nest_fail(s, "it puts padding between elements");
}

static uint32_t ask_pad(Nest *s, const Node *n, ValueId v, const Form *index)
{
    const Type *from = operand_type(s, n);
    DType d = (DType)value_get(s->r->t, v)->type.dtype;
    Form *to = new_array(&s->arena, Form, from->rank + 1);
    uint32_t padding = add_cast(s, ask_arg(s, n->args[1], NULL), d);
    int64_t ends[3];
    for (uint32_t i = 0; i < from->rank; i++) {
        if (!pad_of(s, n->args[2], i, ends))
            return 0;
        if (from->shape[i] == 0)
            return (uint32_t)nest_fail(s, "it pads a tensor without elements");
        to[i] = into_range(s, form_add(s, index[i], form_const(ends[0]), -1), from->shape[i],
                           ends[0] > 0, ends[1] > 0);
    }
    uint32_t made = add_cast(s, ask(s, n->args[0].v, to), d);
    for (uint32_t i = 0; i < from->rank && !s->failed; i++) {
        pad_of(s, n->args[2], i, ends);
        uint32_t at = add_index(s, index[i]);
        if (ends[1] > 0)
            made = add_select(s, add_less(s, at, ends[0] + from->shape[i]), made, padding, d);
        if (ends[0] > 0)
            made = add_select(s, add_less(s, at, ends[0]), padding, made, d);
    }
    return s->failed ? 0 : made;
}

static uint32_t ask_made(Nest *s, NodeId id, ValueId v, const Form *index)
{
    const Node *n = &s->r->t->nodes[id];
    const Type *type = &value_get(s->r->t, v)->type;
    Fold fold;
    if (fold_of(n->op->id, &fold))
        return ask_reduction(s, n, v, index, fold);
    if (n->op->id == PRIM_full)
        return add_cast(s, ask_arg(s, n->args[1], NULL), (DType)type->dtype);
    if (n->op->id == PRIM_iota)
        return ask_iota(s, n, v, index);
    if (n->op->id == PRIM_convert_element_type)
        return add_cast(s, ask_arg(s, n->args[0], index), (DType)type->dtype);
    if ((n->op->flags & OP_ELEMENTWISE) && n->op->id != PRIM_clone)
        return ask_elementwise(s, id, n, v, index);
    if (n->op->flags & OP_INDEXING)
        return ask_indexed(s, n, v, index);
    if (n->op->id == PRIM_uniform_philox)
        return ask_uniform(s, id, n, v, index);
    if (n->op->id == PRIM_cat)
        return ask_cat(s, n, v, index);
    if (n->op->id == PRIM_pad)
        return ask_pad(s, n, v, index);
    if (n->args[0].kind != ARG_value)
        return ask_arg(s, n->args[0], index);
    return ask(s, n->args[0].v, nest_moved_index(s, n, operand_type(s, n), type, index));
}

static uint32_t add_load(Nest *s, ValueId v, const Form *index)
{
    const Type *type = &value_get(s->r->t, v)->type;
    Type flat = *type;
    if (type->kind != VALUE_tensor)
        flat.rank = 0;
    Form f = form_linear(s, index, &flat);
    /* Without elements, all strides are 0: no loop must seem to be without influence. */
    uint64_t deps = type_numel(&flat) ? form_deps(s, f) : ((uint64_t)1 << s->nloops) - 1;
    return add_point(s, (Point){.kind = POINT_load, .dtype = (DType)type->dtype, .form = f,
                                .deps = deps, .pass = form_pass(s, f)});
}

/* The point of value v at that index. */
static uint32_t ask(Nest *s, ValueId v, const Form *index)
{
    if (s->failed)
        return 0;
    ValueSlot *slot = slot_of(s, v);
    const Type *type = &value_get(s->r->t, v)->type;
    uint32_t rank = type->kind == VALUE_tensor ? type->rank : 0;
    for (uint32_t i = slot->point; i; i = s->points[i - 1].next) {
        bool same = true;
        for (uint32_t k = 0; k < rank && same; k++)
            same = form_equal(s->points[i - 1].index[k], index[k]);
        if (same)
            return i - 1;
    }
    uint32_t made = slot->node ? ask_made(s, s->r->nodes[slot->node - 1], v, index)
                               : add_load(s, v, index);
    if (s->failed)
        return 0;
    /* A value that only moves or renames another one's element keeps a point of its own name. */
    Point *p = &s->points[made];
    if (p->v == 0) {
        p->v = v;
        p->index = arena_copy(&s->arena, index, rank * sizeof *index);
        p->next = slot->point;
        slot->point = made + 1;
    }
    return made;
}

/* ---------------------------------------------------------------------------------------- loops */

/* Loops over a shape; `mask` says which dimensions are reduced. */
static bool make_loops(Nest *s, const Type *shape, const bool *mask)
{
    s->full = s->outer = s->across = form_const(0);
    s->full_numel = s->outer_numel = s->reduced_numel = 1;
    uint32_t loops = 0;
    for (uint32_t i = 0; i < shape->rank; i++)
        loops += shape->shape[i] != 1;
    if (loops > MAX_LOOPS)
        return nest_fail(s, "it has more than %d dimensions", MAX_LOOPS);
    for (uint32_t i = 0; i < shape->rank; i++) {
        bool reduced = mask && mask[i];
        int64_t size = shape->shape[i];
        s->full_numel *= size;
        *(reduced ? &s->reduced_numel : &s->outer_numel) *= size;
        if (size != 1)
            nest_add_var(s, reduced ? VAR_reduced : VAR_parallel, size);
    }
    s->nloops = s->nvars;
    int64_t full = 1, outer = 1, across = 1;
    for (uint32_t i = s->nloops; i-- > 0;) {
        s->full = form_add(s, s->full, form_var(s, i), full);
        full *= s->vars[i].extent;
        if (s->vars[i].role == VAR_parallel) {
            s->outer = form_add(s, s->outer, form_var(s, i), outer);
            outer *= s->vars[i].extent;
        } else {
            s->across = form_add(s, s->across, form_var(s, i), across);
            across *= s->vars[i].extent;
        }
    }
    return true;
}

/* The reductions' loops: of the first one, or with `other` of the first over other dimensions. */
static bool find_loops(Nest *s, bool other)
{
    const Trace *t = s->r->t;
    bool first[MAX_RANK], mask[MAX_RANK];
    const Type *first_type = NULL;
    Fold fold;
    for (uint32_t i = 0; i < s->r->n; i++) {
        const Node *n = &t->nodes[s->r->nodes[i]];
        if (!fold_of(n->op->id, &fold))
            continue;
        const Type *from = operand_type(s, n);
        if (!nest_in_dims(s, n->args[1], from->rank, first_type ? mask : first))
            return false;
        bool same = !first_type || (from->rank == first_type->rank &&
                                    memcmp(first, mask, from->rank * sizeof *mask) == 0);
        if (!first_type)
            first_type = from;
        if (other && same)
            continue;
        s->reduces = true;
        return make_loops(s, from, other ? mask : first);
    }
    if (other)
        return nest_fail(s, "its reductions are all over the same dimensions");
    return make_loops(s, &value_get(t, s->r->outs[0])->type, NULL);
}

/* Output `out` at element number `at` of some of the loops. */
static bool store_at(Nest *s, uint32_t out, Form at, bool across)
{
    ValueId v = s->r->outs[out];
    uint32_t p = ask(s, v, form_unravel(s, at, &value_get(s->r->t, v)->type));
    if (s->failed)
        return false;
    if (s->points[p].across != across)
        return nest_fail(s, across ? "no reduction gives a result of its size"
                                   : "it is needed again in the loops over which it is folded");
    s->stores[s->nstores++] = (Store){out, p, at};
    return true;
}

static bool add_store(Nest *s, uint32_t out)
{
    ValueId v = s->r->outs[out];
    const Type *type = &value_get(s->r->t, v)->type;
    int len;
    const char *name = name_of(s, v, &len);
    if (type->kind != VALUE_tensor)
        return nest_fail(s, "%%%.*s is not a tensor", len, name);
    if (!c_storage((DType)type->dtype))
        return nest_fail(s, "%%%.*s has a dtype that C lacks", len, name);
    int64_t numel = type_numel(type);
    bool full = numel == s->full_numel, outer = s->reduces && numel == s->outer_numel;
    bool across = s->both_ways && s->reduces && numel == s->reduced_numel && !full;
    if (!full && !outer && !across)
        return nest_fail(s, "%%%.*s has %lld elements and the loops run over %lld", len, name,
                         (long long)numel, (long long)s->full_numel);
    if (full || outer) {
        size_t said = s->why ? s->why->n : 0;
        if (store_at(s, out, full ? s->full : s->outer, false) || !across)
            return !s->failed;
        s->failed = false; /* perhaps it is a result over the other dimensions: there are as many */
        if (s->why)
            s->why->n = said;
    }
    return store_at(s, out, s->across, true);
}

static bool build(Nest *s, const Region *r, bool both_ways, bool other, StrBuf *why)
{
    *s = (Nest){.r = r, .why = why, .both_ways = both_ways};
    if (r->nouts == 0 || r->nouts > MAX_OUTPUTS)
        return nest_fail(s, "it would have more than %d results", MAX_OUTPUTS);
    for (uint32_t i = 0; i < r->n; i++)
        if (!gen_takes(r->t, r->nodes[i], why)) {
            s->failed = true;
            return false;
        }
    if (!note_values(s) || !find_loops(s, other))
        return false;
    for (uint32_t i = 0; i < r->nouts; i++)
        if (!add_store(s, i))
            return false;
    return true;
}

bool nest_build(Nest *s, const Region *r, StrBuf *why)
{
    return build(s, r, false, false, why);
}

/* Folds in both directions, of which those across the rows read side by side. */
static bool is_better_turned(const Nest *s)
{
    bool across = false;
    uint32_t last = s->nloops;
    for (uint32_t i = 0; i < s->npoints; i++)
        across |= s->points[i].kind == POINT_reduce && s->points[i].across;
    while (last > 0 && s->vars[last - 1].extent == 1)
        last--;
    return across && last > 0 && s->vars[last - 1].role != VAR_reduced;
}

bool nest_build_both_ways(Nest *s, const Region *r, StrBuf *why)
{
    size_t said = why ? why->n : 0;
    if (build(s, r, true, false, why)) {
        if (!is_better_turned(s))
            return true;
        nest_free(s);
        if (build(s, r, true, true, NULL)) {
            s->why = why;
            return true;
        }
        nest_free(s);
        return build(s, r, true, false, why);
    }
    nest_free(s);
    StrBuf again = {0}; /* what was said first counts */
    bool good = build(s, r, true, true, &again);
    sb_free(&again);
    s->why = why;
    if (good && why)
        why->n = said;
    return good;
}

enum { MAX_ROW_FOLDS = 4, MAX_ROW = 1 << 13 };

/* Rows whose elements are reduced, with a few sums across the rows of modest length: a thread can
 * keep those in arrays. */
static bool is_row_of_sums(Nest *s)
{
    uint32_t reduced = 0, folds = 0;
    bool last_is_reduced = false;
    nest_merge_loops(s);
    for (uint32_t i = 0; i < s->nloops; i++) {
        if (s->vars[i].extent == 1)
            continue;
        last_is_reduced = s->vars[i].role == VAR_reduced;
        reduced += last_is_reduced;
    }
    for (uint32_t i = 0; i < s->npoints; i++) {
        const Point *p = &s->points[i];
        if (p->kind != POINT_reduce || !p->across)
            continue;
        folds++;
        if (p->fold != FOLD_sum || !dtype_is_float(p->dtype))
            return false;
    }
    return last_is_reduced && reduced == 1 && folds <= MAX_ROW_FOLDS &&
           s->reduced_numel <= MAX_ROW;
}

bool nest_build_rows(Nest *s, const Region *r, StrBuf *why)
{
    size_t said = why ? why->n : 0;
    if (build(s, r, false, false, why))
        return true;
    bool good = false;
    StrBuf unsaid = {0}; /* the first reason is the one to give */
    for (int other = 0; other < 2 && !good; other++) {
        nest_free(s);
        good = build(s, r, true, other, &unsaid) && is_row_of_sums(s);
    }
    sb_free(&unsaid);
    if (good && why)
        why->n = said;
    s->why = why;
    return good;
}

void nest_free(Nest *s)
{
    arena_free(&s->arena);
}
