/*
 * bind_random.c - seeded data for inputs, fitted to how the program uses each of them.
 *
 * Input: stage 0 and a seed. Output: a binding for every input that has none. One walk over the
 * prims from last to first finds what each value must be (an index below a size, positive, between
 * 0 and 1) and carries it through operators that keep that property. The data of an input depends
 * on the seed and its name only.
 */
#include "draw.h"
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Need {
    int64_t limit; /* values are indices below this; 0 = no such use */
    bool positive, unit, over_one;
    bool divisor; /* numbers and vectors (epsilons, scales) are positive then; data may be any */
} Need;

/* ------------------------------------------------------------------------------- the analysis */

static void limit_to(Need *n, int64_t limit)
{
    if (limit > 0 && (n->limit == 0 || limit < n->limit))
        n->limit = limit;
}

static void need_index(Need *needs, Arg a, int64_t limit)
{
    if (a.kind == ARG_value)
        limit_to(&needs[a.v], limit);
}

static void join(Need *to, Need from)
{
    limit_to(to, from.limit);
    to->positive |= from.positive;
    to->unit |= from.unit;
    to->over_one |= from.over_one;
    to->divisor |= from.divisor;
}

static void join_all(Need *needs, Arg a, Need from)
{
    if (a.kind == ARG_value)
        join(&needs[a.v], from);
    for (uint32_t i = 0, n = arg_nitems(a); i < n; i++)
        join_all(needs, a.items[i], from);
}

static int64_t size_at(const Trace *t, Arg a, Arg dim)
{
    if (a.kind != ARG_value || dim.kind != ARG_int)
        return 0;
    const Type *type = &t->values[a.v].type;
    int64_t d = dim.i < 0 ? dim.i + type->rank : dim.i;
    return d >= 0 && d < type->rank ? type->shape[d] : 0;
}

/* Index tensors of a[i, None, j, ...]: each is limited by the dimension that it stands for. */
static void limit_keys(const Trace *t, Need *needs, Arg a, Arg key, bool none_is_dim)
{
    if (!arg_is_seq(key)) {
        need_index(needs, key, size_at(t, a, A_INT(0)));
        return;
    }
    int64_t dim = 0;
    for (uint32_t i = 0; i < key.n; i++) {
        Arg k = key.items[i];
        if (k.kind == ARG_ellipsis)
            dim = (int64_t)t->values[a.v].type.rank - (int64_t)(key.n - i - 1);
        else if (!arg_is_none(k) || none_is_dim) {
            need_index(needs, k, size_at(t, a, A_INT(dim)));
            dim++;
        }
    }
}

/* What prims demand of the numbers in their first two operands, wherever these come from. */
static const Need domains[PRIM_COUNT][2] = {
    [PRIM_sqrt] = {{.positive = true}},
    [PRIM_rsqrt] = {{.positive = true}},
    [PRIM_log] = {{.positive = true}},
    [PRIM_log2] = {{.positive = true}},
    [PRIM_log10] = {{.positive = true}},
    [PRIM_log1p] = {{.positive = true}},
    [PRIM_lgamma] = {{.positive = true}},
    [PRIM_digamma] = {{.positive = true}},
    [PRIM_igamma] = {{.positive = true}, {.positive = true}},
    [PRIM_igammac] = {{.positive = true}, {.positive = true}},
    [PRIM_zeta] = {{.over_one = true}, {.positive = true}},
    [PRIM_acosh] = {{.over_one = true}},
    [PRIM_div] = {{0}, {.divisor = true}},
    [PRIM_fmod] = {{0}, {.divisor = true}},
    [PRIM_remainder] = {{0}, {.divisor = true}},
    [PRIM_reciprocal] = {{.divisor = true}},
    [PRIM_acos] = {{.unit = true}},
    [PRIM_asin] = {{.unit = true}},
    [PRIM_atanh] = {{.unit = true}},
    [PRIM_erfinv] = {{.unit = true}},
    [PRIM_erfcinv] = {{.unit = true}},
    [PRIM_ndtri] = {{.unit = true}},
};

/* What an operator demands of its own arguments: a place in the tensor that it looks into, or a
 * number for which it is defined. */
static void demand(const Trace *t, const Node *n, Need *needs)
{
    const Arg *a = n->args;
    for (uint32_t k = 0; k < 2 && k < n->nargs; k++)
        join_all(needs, a[k], domains[n->op->id][k]);
    switch (n->op->id) {
    case PRIM_embedding:
        need_index(needs, a[0], size_at(t, a[1], A_INT(0)));
        break;
    case PRIM_embedding_backward:
        need_index(needs, a[1], a[2].kind == ARG_int ? a[2].i : 0);
        break;
    case PRIM_take:
    case PRIM_gather:
    case PRIM_take_along_axis:
        need_index(needs, a[1], size_at(t, a[0], a[2]));
        break;
    case PRIM_scatter:
    case PRIM_scatter_add:
    case PRIM_index_add:
    case PRIM_index_copy:
        need_index(needs, a[1], size_at(t, a[0], a[3]));
        break;
    case PRIM_index:
    case PRIM_index_put:
        limit_keys(t, needs, a[0], a[1], true);
        break;
    case PRIM_copy_with_setitem:
        limit_keys(t, needs, a[0], a[1], false);
        break;
    case PRIM_normal_philox:
        join_all(needs, a[2], (Need){.positive = true});
        break;
    case PRIM_pow:
        if (a[1].kind == ARG_value || (a[1].kind == ARG_float && a[1].f != floor(a[1].f)))
            join_all(needs, a[0], (Need){.positive = true});
        break;
    default:
        break;
    }
}

/* What is needed of the result, for a + c or c - a and the like. */
static void through_arithmetic(const Node *n, Need *needs, Need need)
{
    Arg a = n->args[0], b = n->args[1];
    bool literal = arg_is_number(b) && b.kind != ARG_complex;
    switch (n->op->id) {
    case PRIM_add:
        if (literal && need.limit)
            need.limit = need.limit > (int64_t)arg_f64(b) ? need.limit - (int64_t)arg_f64(b)
                                                          : 1;
        join_all(needs, a, need);
        join_all(needs, b, need);
        break;
    case PRIM_sub:
        if (a.kind == ARG_float && a.f == 1 && need.positive)
            join_all(needs, b, (Need){.unit = true});
        else if (literal && need.limit)
            join_all(needs, a, (Need){.limit = need.limit});
        break;
    case PRIM_mul:
        if (literal && need.limit && arg_f64(b) >= 1)
            need.limit = need.limit / (int64_t)arg_f64(b);
        if (!arg_equal(a, b)) { /* a square is positive by itself */
            join_all(needs, a, need);
            join_all(needs, b, need);
        }
        break;
    case PRIM_div:
        join_all(needs, a, need);
        break;
    default:
        break;
    }
}

static void through(const Node *n, Need *needs, Need need)
{
    switch (n->op->id) {
    case PRIM_maximum:
        join_all(needs, n->args[0], need);
        join_all(needs, n->args[1], (Need){.positive = need.positive, .divisor = need.divisor});
        break;
    case PRIM_where:
        join_all(needs, n->args[1], need);
        join_all(needs, n->args[2], need);
        break;
    case PRIM_add:
    case PRIM_sub:
    case PRIM_mul:
    case PRIM_div:
        through_arithmetic(n, needs, need);
        break;
    case PRIM_convert_element_type:
    case PRIM_device_put:
    case PRIM_clone:
    case PRIM_gather:
    case PRIM_take:
    case PRIM_take_along_axis:
    case PRIM_index:
    case PRIM_amax:
    case PRIM_amin:
        join_all(needs, n->args[0], need);
        break;
    case PRIM_sum:
    case PRIM_prod:
        join_all(needs, n->args[0], (Need){.positive = need.positive});
        break;
    default:
        if (n->op->flags & OP_SHAPE)
            join_all(needs, n->args[0], need);
        break;
    }
}

static Need *find_needs(const Trace *t)
{
    Need *needs = run_realloc(NULL, t->nvalues * sizeof *needs);
    memset(needs, 0, t->nvalues * sizeof *needs);
    for (NodeId i = t->nnodes; i-- > 0;) {
        const Node *n = &t->nodes[i];
        if (n->op->language != LANG_prims || n->nargs == 0)
            continue;
        ValueId outs[MAX_OUTPUTS];
        uint32_t nouts = arg_values(n->out, outs, MAX_OUTPUTS);
        demand(t, n, needs);
        if (nouts)
            through(n, needs, needs[outs[0]]);
    }
    return needs;
}

/* ------------------------------------------------------------------------------------ the data */

/* Parameters of rank 2 and more are scaled by their fan-in, so that deep programs stay in range. */
static double scale_of(const Value *v)
{
    const Type *t = &v->type;
    if (!(v->flags & VF_PARAMETER) || t->rank < 2 || t->shape[0] <= 0)
        return 1;
    double fan_in = (double)type_numel(t) / (double)t->shape[0];
    return fan_in > 1 ? 1 / sqrt(fan_in) : 1;
}

static Draw draw_of(const Value *v, Tensor *t, uint64_t seed, Need need)
{
    enum { INTS = 10 };
    uint64_t state = hash_bytes(v->name.p, v->name.n, seed);
    Draw d = {.t = t, .state = state, .scale = scale_of(v), .most = need.limit ? need.limit : INTS};
    need.positive |= need.divisor && v->type.rank < 2;
    d.least = (need.positive || need.divisor) && !need.limit;
    d.uniform = need.unit;
    d.positive = need.over_one || need.positive;
    if (need.unit) {
        d.base = 0.02;
        d.scale = 0.96;
    } else if (d.positive) {
        d.base = need.over_one ? 1.1 : 0.1;
    }
    return d;
}

/* A tensor for v, to be filled unless its value is known. */
static Tensor *empty_input(const Value *v, bool *known)
{
    const Type *type = &v->type;
    *known = type->kind == VALUE_number && v->known.kind != ARG_none;
    return *known ? tensor_from_number(v->known)
                  : tensor_new(type->dtype, type->device, type->rank, type->shape);
}

/* Not what was bound before a symbolic size was set to another number. */
static bool still_fits(const Value *v, const Tensor *t)
{
    Diag ignored = {0};
    bool fits = t && tensor_fits(v, t, (Str){0}, &ignored);
    diag_clear(&ignored);
    return fits;
}

static bool bind_all(Session *s, Program *p, uint64_t seed, Diag *d)
{
    const Trace *t = program_bindable(p);
    Need *needs = find_needs(t);
    Draw *draws = run_realloc(NULL, t->ninputs * sizeof *draws);
    uint32_t ndraws = 0;
    bool good = true;
    cotangents_fit(p, t);
    for (uint32_t i = 0; i < t->ninputs && good; i++) {
        const Value *v = &t->values[t->inputs[i]];
        bool is_new, known;
        if (v->type.kind != VALUE_tensor && v->type.kind != VALUE_number)
            continue;
        MapEntry *e = map_put(&p->bindings, v->name, &is_new);
        if (!is_new && still_fits(v, e->p))
            continue;
        tensor_unref(is_new ? NULL : e->p);
        e->p = empty_input(v, &known);
        good = e->p != NULL;
        if (good && !known)
            draws[ndraws++] = draw_of(v, e->p, seed, needs[t->inputs[i]]);
        if (!good)
            diag_error(d, DIAG_load, (Span){0}, "no-memory", "no memory for input %.*s",
                       STR(v->name));
    }
    draw_all(draws, ndraws);
    free(draws);
    free(needs);
    return good && program_adapt_data(s, p, d);
}

/* Sizes that come from data may have brought further inputs: cotangents of more results. */
static bool has_unbound(const Program *p)
{
    const Trace *t = program_bindable(p);
    for (uint32_t i = 0; i < t->ninputs; i++) {
        const Value *v = &t->values[t->inputs[i]];
        if ((v->type.kind == VALUE_tensor || v->type.kind == VALUE_number) &&
            !program_binding(p, t->inputs[i]))
            return true;
    }
    return false;
}

bool program_bind_random(Session *s, Program *p, uint64_t seed, Diag *d)
{
    SpentOn before = spent_turn(&s->spent, SPENT_inputs);
    bool good = bind_all(s, p, seed, d) && (!has_unbound(p) || bind_all(s, p, seed, d));
    spent_back(&s->spent, before);
    return good;
}
