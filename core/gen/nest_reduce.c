/*
 * nest_reduce.c - reductions of a region as points of its loop nest.
 *
 * Input: a reduction and the index of an element of its result. Output: a fold over the reduced
 * loops, or over the parallel ones where both are allowed; a variance is two of them. A sum that
 * has only one element which is not zero is that element.
 */
#include "nest_ask.h"

bool fold_of(uint32_t op, Fold *out)
{
    switch (op) {
    case PRIM_sum:
    case PRIM_cumsum:
    case PRIM_var:
    case PRIM_var_mean:
    case PRIM_std:
        *out = FOLD_sum;
        return true;
    case PRIM_prod:
    case PRIM_cumprod:
        *out = FOLD_prod;
        return true;
    case PRIM_amax:
    case PRIM_argmax:
    case PRIM_cummax:
        *out = FOLD_max;
        return true;
    case PRIM_amin:
    case PRIM_argmin:
    case PRIM_cummin:
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

/* The index of a reduction's operand: the result's index, the loops of that role where it
 * reduces. */
static const Form *reduced_index(Nest *s, const Node *n, const Form *index, Role role)
{
    int64_t all = role == VAR_reduced ? s->reduced_numel : s->outer_numel;
    const Type *from = node_operand(s, n);
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
        nest_fail(s, "it reduces over %lld element%s, the others over %lld", (long long)numel,
                  plural(numel), (long long)all);
        return NULL;
    }
    const Form *rest = form_unravel(s, linear, &inner);
    Form *to = new_array(&s->arena, Form, from->rank + 1);
    for (uint32_t i = 0, in = 0, out = 0; i < from->rank; i++)
        to[i] = mask[i] ? rest[in++] : index[out++];
    return to;
}

/* What is folded has a name in the text, which a number has not (the sum of what `full` makes). */
static uint32_t named(Nest *s, uint32_t a)
{
    const Point *p = &s->points[a];
    if (s->failed || p->kind != POINT_number)
        return a;
    return add_point(
        s, (Point){.kind = POINT_op, .step = STEP_cast, .dtype = p->dtype, .a = {a}, .na = 1});
}

static uint32_t add_reduce(Nest *s, Fold fold, DType d, uint32_t a, uint64_t deps)
{
    a = named(s, a);
    if (s->failed)
        return 0;
    return add_point(s, (Point){.kind = POINT_reduce, .fold = fold, .dtype = d, .a = {a}, .na = 1,
                                .deps = deps, .pass = s->points[a].pass + 1});
}

static uint32_t add_step(Nest *s, Step step, DType d, uint32_t a, uint32_t b, uint32_t na,
                         double by)
{
    if (s->failed)
        return 0;
    return add_point(s, (Point){.kind = POINT_op, .step = step, .dtype = d, .a = {a, b},
                                .na = na, .number = A_FLOAT(by)});
}

static uint32_t add_scale(Nest *s, uint32_t a, double by)
{
    return add_step(s, STEP_scale, DT_f64, a, 0, 1, by);
}

/* The squares of what differs from the mean, added up and divided by `left`, of floats: they are
 * taken about the mean as a float, and what that is off by is taken back. */
static uint32_t add_spread(Nest *s, uint32_t x, uint32_t mean, double left, uint64_t deps)
{
    uint32_t center = add_cast(s, mean, DT_f32);
    uint32_t square = add_step(s, STEP_square_difference, DT_f32, x, center, 2, 0);
    uint32_t spread = add_scale(s, add_reduce(s, FOLD_sum, DT_f64, square, deps), left);
    uint32_t off = add_step(s, STEP_square_difference, DT_f64, mean, center, 2, 0);
    double times = -left / (double)s->reduced_numel;
    return left > 0 ? add_step(s, STEP_add, DT_f64, spread, add_scale(s, off, times), 2, 0)
                    : spread;
}

/* var, std and var_mean: the mean in one pass, the squares of what differs from it in the next.
 * Those of a standard deviation leave the range of floats where it does not. */
static uint32_t add_variance(Nest *s, const Node *n, ValueId v, uint32_t x, uint64_t deps)
{
    double count = (double)s->reduced_numel, correction = 0;
    Arg c = n->args[2];
    if (c.kind == ARG_value)
        c = value_get(s->r->t, c.v)->known;
    if (c.kind != ARG_int && c.kind != ARG_float && c.kind != ARG_bool)
        return (uint32_t)nest_fail(s, "its correction is not known");
    correction = c.kind == ARG_float ? c.f : (double)c.i;
    DType d = (DType)value_get(s->r->t, v)->type.dtype;
    bool narrow = s->in_c && d != DT_f64 && n->op->id != PRIM_std;
    uint32_t wide = narrow ? x : add_cast(s, x, DT_f64);
    uint32_t mean = add_scale(s, add_reduce(s, FOLD_sum, DT_f64, wide, deps), count);
    ValueId outs[2] = {0};
    arg_values(n->out, outs, 2);
    if (n->op->id == PRIM_var_mean && v == outs[1])
        return add_cast(s, mean, d);
    double left = count - correction > 0 ? count - correction : 0;
    if (narrow)
        return add_cast(s, add_spread(s, x, mean, left, deps), d);
    uint32_t square = add_step(s, STEP_square_difference, DT_f64, wide, mean, 2, 0);
    uint32_t var = add_scale(s, add_reduce(s, FOLD_sum, DT_f64, square, deps), left);
    if (n->op->id == PRIM_std)
        var = add_step(s, STEP_sqrt, DT_f64, var, 0, 1, 0);
    return add_cast(s, var, d);
}

enum { NO_POINT = UINT32_MAX };

static uint32_t add_product(Nest *s, NodeId node, uint32_t a, uint32_t b)
{
    return add_point(s, (Point){.kind = POINT_op, .step = STEP_prim, .node = node, .a = {a, b},
                                .na = 2, .dtype = s->points[a].dtype});
}

/* Product x without the factors that are the same for all that is summed and of pass `pass`: these
 * come to *before. NO_POINT = x is nothing else. */
static uint32_t take_out(Nest *s, uint32_t x, uint32_t pass, NodeId node, uint32_t *before)
{
    if (s->failed)
        return x;
    const Point p = s->points[x];
    if (!(p.deps & loops_with(s, VAR_reduced)) && p.pass == pass) {
        *before = *before == NO_POINT ? x : add_product(s, node, *before, x);
        return NO_POINT;
    }
    if (!point_is_prim(s, &p, PRIM_mul))
        return x;
    uint32_t a = take_out(s, p.a[0], pass, node, before);
    uint32_t b = take_out(s, p.a[1], pass, node, before);
    bool same = a == p.a[0] && b == p.a[1];
    return a == NO_POINT ? b : b == NO_POINT ? a : same ? x : add_product(s, p.node, a, b);
}

/* A sum of products. A factor that an earlier fold gives, as the deviation of a row, would make the
 * sum wait for that fold, and take a pass of its own. */
static uint32_t add_sum(Nest *s, DType d, uint32_t x, uint64_t deps)
{
    uint32_t before = NO_POINT;
    if (s->failed || s->in_c || d != DT_f32 || !point_is_prim(s, &s->points[x], PRIM_mul))
        return add_reduce(s, FOLD_sum, d, x, deps);
    const Point p = s->points[x];
    if (p.dtype != d || p.pass == 0 || p.across)
        return add_reduce(s, FOLD_sum, d, x, deps);
    uint32_t rest = take_out(s, x, p.pass, p.node, &before);
    if (s->failed || rest == NO_POINT || before == NO_POINT || s->points[rest].pass == p.pass)
        return add_reduce(s, FOLD_sum, d, x, deps);
    uint32_t sum = add_reduce(s, FOLD_sum, d, rest, deps);
    return s->failed ? 0 : add_product(s, p.node, before, sum);
}

static bool finds_place(const Node *n)
{
    return n->op->id == PRIM_argmax || n->op->id == PRIM_argmin;
}

/* Where the extreme is: the least number of an element that equals it, or is NaN as it is. */
static uint32_t add_place(Nest *s, Fold fold, uint32_t x, uint64_t deps)
{
    DType d = s->points[x].dtype;
    uint32_t most = add_reduce(s, fold, d, x, deps);
    uint32_t here = add_point(s, (Point){.kind = POINT_index, .dtype = DT_i64, .form = s->across,
                                         .deps = form_deps(s, s->across)});
    uint32_t nowhere = add_number(s, A_INT(s->reduced_numel), DT_i64);
    Point equal = {.kind = POINT_op, .step = STEP_equal, .dtype = DT_b8, .a = {x, most}, .na = 2};
    uint32_t place = add_select(s, add_point(s, equal), here, nowhere, DT_i64);
    equal.a[1] = x;
    if (dtype_is_float(d))
        place = add_select(s, add_point(s, equal), place, here, DT_i64);
    return add_reduce(s, FOLD_min, DT_i64, place, deps);
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
    if (finds_place(n))
        return (uint32_t)nest_fail(s, "places of extremes are over the other dimensions");
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

/* The sum over all reduced loops of where(index == loop, value, 0) is the value when the index is
 * one of theirs: *at. */
static bool sums_one_hot(Nest *s, uint32_t x, uint32_t *at)
{
    const Point *pick = &s->points[x];
    if (!point_is_prim(s, pick, PRIM_where) || !point_is_zero(s, pick->a[2]))
        return false;
    uint32_t value = pick->a[1], zero = pick->a[2];
    DType d = pick->dtype;
    const Point *same = &s->points[pick->a[0]];
    uint64_t reduced = loops_with(s, VAR_reduced);
    if (!point_is_prim(s, same, PRIM_eq) || s->points[value].deps & reduced)
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
    if (pick->kind != POINT_op || pick->step != STEP_select || !point_is_zero(s, pick->a[2]))
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
    const Type *from = node_operand(s, n);
    Form number = form_const(0);
    int64_t stride = 1;
    if (!s->both_ways || s->outer_numel != s->reduced_numel || type_numel(from) != s->full_numel)
        return false;
    for (uint32_t i = from->rank; i-- > 0; stride *= from->shape[i])
        number = form_add(s, number, index[i], stride);
    return !form_equal(number, s->full);
}

static bool is_scan(const Node *n)
{
    return n->op->id == PRIM_cumsum || n->op->id == PRIM_cumprod || n->op->id == PRIM_cummax ||
           n->op->id == PRIM_cummin;
}

static uint32_t add_scan(Nest *s, Fold fold, uint32_t a, DType d)
{
    if (s->failed || s->reduced_numel == 1)
        return s->failed ? 0 : add_cast(s, a, d);
    a = named(s, a);
    return add_point(s, (Point){.kind = POINT_scan, .fold = fold, .dtype = d, .a = {a}, .na = 1,
                                .deps = loops_with(s, VAR_reduced)});
}

/* Where x was last as good as the best so far, or NaN: the largest number of such an element. */
static uint32_t add_latest(Nest *s, uint32_t x, uint32_t best)
{
    DType d = s->points[x].dtype;
    uint32_t here = add_point(s, (Point){.kind = POINT_index, .dtype = DT_i64, .form = s->across,
                                         .deps = form_deps(s, s->across)});
    uint32_t nowhere = add_number(s, A_INT(-1), DT_i64);
    Point equal = {.kind = POINT_op, .step = STEP_equal, .dtype = DT_b8, .a = {x, best}, .na = 2};
    uint32_t place = add_select(s, add_point(s, equal), here, nowhere, DT_i64);
    equal.a[1] = x;
    if (dtype_is_float(d))
        place = add_select(s, add_point(s, equal), place, here, DT_i64);
    return add_scan(s, FOLD_max, place, DT_i64);
}

/* A scan along the reduced loops, at the element where all loops stand. */
static uint32_t ask_scan(Nest *s, const Node *n, ValueId v, const Form *index, Fold fold)
{
    const Type *type = node_operand(s, n);
    bool mask[MAX_RANK];
    if (!nest_in_dims(s, n->args[1], type->rank, mask))
        return 0;
    Form *rest = new_array(&s->arena, Form, type->rank + 1);
    for (uint32_t i = 0, k = 0; i < type->rank; i++)
        if (!mask[i])
            rest[k++] = index[i];
    const Form *here = reduced_index(s, n, rest, VAR_reduced);
    bool along = here && s->in_c;
    for (uint32_t i = 0; i < type->rank && along; i++)
        along = form_equal(here[i], index[i]);
    if (s->failed || !along)
        return (uint32_t)nest_fail(s, "it scans along other loops");
    uint32_t a = ask(s, n->args[0].v, index);
    DType d = (DType)value_get(s->r->t, v)->type.dtype;
    ValueId outs[2] = {0};
    arg_values(n->out, outs, 2);
    if (s->failed || v != outs[1])
        return add_scan(s, fold, a, d);
    return add_latest(s, a, add_scan(s, fold, a, s->points[a].dtype));
}

static bool is_whole(const Nest *s, const Node *n, ValueId v)
{
    int64_t size = type_numel(node_operand(s, n));
    return nest_has_wholes(s) && s->outer_numel > 1 && s->reduced_numel > 1 &&
           type_numel(&value_get(s->r->t, v)->type) == 1 &&
           (size == s->full_numel || (size == s->outer_numel && size != s->reduced_numel));
}

/* A fold of everything where rows are reduced, too: of what each row comes to, which double has of
 * a sum of floats. */
static uint32_t ask_whole(Nest *s, const Node *n, ValueId v, Fold fold)
{
    uint64_t parallel = loops_with(s, VAR_parallel);
    const Type *from = node_operand(s, n);
    DType d = (DType)value_get(s->r->t, v)->type.dtype;
    bool each = type_numel(from) == s->full_numel;
    if (n->op->id != PRIM_sum && n->op->id != PRIM_amax && n->op->id != PRIM_amin &&
        n->op->id != PRIM_any && n->op->id != PRIM_all)
        return (uint32_t)nest_fail(s, "no loop over rows makes such a fold of what they come to");
    uint32_t x = ask(s, n->args[0].v, form_unravel(s, each ? s->full : s->outer, from));
    if (!s->failed && each)
        x = add_reduce(s, fold, fold == FOLD_sum && dtype_is_float(d) ? DT_f64 : d, x, parallel);
    if (s->failed || s->points[x].deps & ~parallel)
        return (uint32_t)nest_fail(s, "it is folded before the rows are known");
    return add_point(s, (Point){.kind = POINT_reduce, .fold = fold, .dtype = d, .a = {x}, .na = 1,
                                .pass = s->points[x].pass, .across = true, .whole = true});
}

uint32_t ask_reduction(Nest *s, const Node *n, ValueId v, const Form *index, Fold fold)
{
    if (is_scan(n))
        return ask_scan(s, n, v, index, fold);
    if (is_whole(s, n, v))
        return ask_whole(s, n, v, fold);
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
    if (finds_place(n))
        return s->failed ? 0 : add_place(s, fold, x, deps);
    if (n->op->id == PRIM_sum)
        return add_sum(s, (DType)value_get(s->r->t, v)->type.dtype, x, deps);
    return add_reduce(s, fold, (DType)value_get(s->r->t, v)->type.dtype, x, deps);
}

bool nest_is_shifted(const Nest *s, uint32_t i)
{
    const Point *p = &s->points[i], *most = &s->points[p->a[1]];
    return point_is_prim(s, p, PRIM_sub) && most->kind == POINT_reduce && most->fold == FOLD_max &&
           !most->across && most->a[0] == p->a[0];
}

/* Whether sum adds up e, which is e^a where the largest element has been subtracted from a: it is
 * 1 or more then, and no e is larger. */
static bool sums_shifted(const Nest *s, uint32_t e, uint32_t sum)
{
    const Point *all = s->points;
    if (!s->in_c || all[sum].kind != POINT_reduce || all[sum].fold != FOLD_sum ||
        all[sum].across || all[sum].a[0] != e || !point_is_prim(s, &all[e], PRIM_exp))
        return false;
    return nest_is_shifted(s, all[e].a[0]);
}

/* e^x for x = a - log(sum of e^a): dividing e^a by the sum loses nothing, and saves the second
 * exponential. */
static bool is_softmax_exp(const Nest *s, uint32_t x, uint32_t *e, uint32_t *sum)
{
    const Point *all = s->points, *difference = &all[x];
    if (!point_is_prim(s, difference, PRIM_sub) ||
        !point_is_prim(s, &all[difference->a[1]], PRIM_log))
        return false;
    *sum = all[difference->a[1]].a[0];
    *e = all[*sum].a[0];
    return sums_shifted(s, *e, *sum) && all[*e].a[0] == difference->a[0];
}

bool is_softmax(const Nest *s, Point *p)
{
    uint32_t e = p->a[0], sum = p->a[1];
    bool quotient = point_is_prim(s, p, PRIM_div) && sums_shifted(s, e, sum);
    if ((p->dtype != DT_f32 && p->dtype != DT_f64) ||
        !(quotient || (point_is_prim(s, p, PRIM_exp) && is_softmax_exp(s, p->a[0], &e, &sum))))
        return false;
    *p = (Point){.kind = POINT_op, .step = STEP_quotient, .dtype = p->dtype,
                 .a = {e, sum}, .na = 2};
    return true;
}
