/*
 * nest.c - from a region to the loops, points and stores of one loop nest.
 *
 * The loops run over the operand of the region's reductions (or over its outputs, when there are
 * none). Each output is asked for at the index where the loops stand; asking goes from a value to
 * the operands of the prim that makes it, at the index that the prim reads. A reduction may be
 * asked for at any index over the parallel loops; its operand is asked for with the reduced loops
 * put in.
 */
#include "lines.h"
#include "nest_ask.h"

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

/* Whether two points are the same: what a region computes twice (what one part of a training
 * program keeps and the other one computes again) its kernel computes once. */
static bool same_point(const Nest *s, const Point *a, const Point *b)
{
    if (a->kind != b->kind || a->step != b->step || a->dtype != b->dtype || a->na != b->na ||
        a->fold != b->fold || a->deps != b->deps || a->across != b->across ||
        !arg_equal(a->number, b->number) || !form_equal(a->form, b->form))
        return false;
    for (uint32_t i = 0; i < a->na; i++)
        if (a->a[i] != b->a[i])
            return false;
    if (a->kind != POINT_op || a->step != STEP_prim)
        return true;
    const Node *m = &s->r->t->nodes[a->node], *n = &s->r->t->nodes[b->node];
    return m->op == n->op && expr_dtype(s->r->t, m) == expr_dtype(s->r->t, n);
}

static bool may_be_there(const Point *p)
{
    return p->kind == POINT_number || p->kind == POINT_index || p->kind == POINT_op ||
           p->kind == POINT_reduce;
}

static uint32_t point_hash(const Nest *s, const Point *p)
{
    uint64_t h = (uint64_t)p->kind * 31 + p->step;
    if (p->kind == POINT_op && p->step == STEP_prim)
        h = h * 31 + s->r->t->nodes[p->node].op->id;
    for (uint32_t i = 0; i < p->na; i++)
        h = (h + p->a[i] + 1) * 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < p->form.n; i++)
        h = (h + p->form.terms[i].var + (uint64_t)p->form.terms[i].k) * 0x9e3779b97f4a7c15u;
    h = arg_hash(p->number, h + (uint64_t)p->form.c);
    return (uint32_t)(h ^ h >> 32);
}

/* The place in the table of points where p is, or would be. */
static uint32_t *find_place(const Nest *s, const Point *p)
{
    uint32_t at = point_hash(s, p) & (s->nfound - 1);
    while (s->found[at] && !same_point(s, p, &s->points[s->found[at] - 1]))
        at = (at + 1) & (s->nfound - 1);
    return &s->found[at];
}

static void make_room(Nest *s)
{
    if (2 * s->npoints < s->nfound)
        return;
    s->nfound = s->nfound ? 2 * s->nfound : 128;
    s->found = new_array(&s->arena, uint32_t, s->nfound);
    for (uint32_t i = 0; i < s->npoints; i++)
        if (may_be_there(&s->points[i]))
            *find_place(s, &s->points[i]) = i + 1;
}

uint32_t add_point(Nest *s, Point p)
{
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
        p.whole = p.whole || a->whole;
        p.of_row = p.of_row || a->of_row;
    }
    p.of_row = p.kind == POINT_reduce ? !p.across
                                      : p.of_row || p.kind == POINT_scan || form_of_row(s, p.form);
    if (may_be_there(&p)) {
        make_room(s);
        uint32_t *place = find_place(s, &p);
        if (*place)
            return *place - 1;
        *place = s->npoints + 1;
    }
    s->points[s->npoints] = p;
    return s->npoints++;
}

uint32_t add_number(Nest *s, Arg number, DType d)
{
    return add_point(s, (Point){.kind = POINT_number, .dtype = d,
                                .number = number_round(number, d)});
}

uint32_t add_cast(Nest *s, uint32_t a, DType d)
{
    if (s->failed || s->points[a].dtype == d)
        return a;
    if (s->points[a].kind == POINT_number)
        return add_number(s, s->points[a].number, d);
    return add_point(
        s, (Point){.kind = POINT_op, .step = STEP_cast, .dtype = d, .a = {a}, .na = 1});
}

bool point_is_zero(const Nest *s, uint32_t i)
{
    const Point *p = &s->points[i];
    return p->kind == POINT_number && (p->number.kind == ARG_float ? p->number.f == 0
                                                                   : p->number.i == 0);
}

uint32_t add_select(Nest *s, uint32_t condition, uint32_t a, uint32_t b, DType d)
{
    return add_point(s, (Point){.kind = POINT_op, .step = STEP_select, .dtype = d,
                                .a = {condition, a, b}, .na = 3});
}

bool point_is_prim(const Nest *s, const Point *p, uint32_t op)
{
    return p->kind == POINT_op && p->step == STEP_prim && s->r->t->nodes[p->node].op->id == op;
}

const Type *node_operand(const Nest *s, const Node *n)
{
    return &value_get(s->r->t, n->args[0].v)->type;
}

const char *name_of(const Nest *s, ValueId v, int *len)
{
    Str name = value_get(s->r->t, v)->name;
    *len = (int)name.n;
    return name.p;
}

uint64_t loops_with(const Nest *s, Role role)
{
    uint64_t mask = 0;
    for (uint32_t i = 0; i < s->nloops; i++)
        if (s->vars[i].role == role)
            mask |= (uint64_t)1 << i;
    return mask;
}

static DType number_dtype(Arg a)
{
    return a.kind == ARG_int ? DT_i64 : a.kind == ARG_bool ? DT_b8 : DT_f64;
}

uint32_t ask_arg(Nest *s, Arg a, const Form *index)
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

/* --------------------------------------------------------------------------------------- asking */

uint32_t ask_operand(Nest *s, const Node *n, uint32_t i, DType d, const Form *index)
{
    Arg a = n->args[i];
    bool number = a.kind != ARG_value || value_get(s->r->t, a.v)->type.kind == VALUE_number;
    DType own = number ? op_number_dtype(s->r->t, n, i) : DT_none;
    return add_cast(s, ask_arg(s, a, index), own == DT_none ? d : own);
}

static uint32_t ask_elementwise(Nest *s, NodeId id, const Node *n, ValueId v, const Form *index)
{
    Point p = {.kind = POINT_op, .dtype = (DType)value_get(s->r->t, v)->type.dtype, .node = id};
    DType in = expr_dtype(s->r->t, n);
    if (n->nargs > 3)
        return (uint32_t)nest_fail(s, "it has too many operands");
    for (uint32_t i = 0; i < n->nargs && !s->failed; i++) {
        bool condition = n->op->id == PRIM_where && i == 0;
        p.a[i] = ask_operand(s, n, i, condition ? DT_b8 : in, index);
    }
    p.na = n->nargs;
    if (s->failed)
        return 0;
    is_softmax(s, &p);
    return add_point(s, p);
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

static uint32_t ask_made(Nest *s, NodeId id, ValueId v, const Form *index)
{
    const Node *n = &s->r->t->nodes[id];
    const Type *type = &value_get(s->r->t, v)->type;
    Fold fold;
    if (fold_of(n->op->id, &fold))
        return ask_reduction(s, n, v, index, fold);
    if (n->op->id == PRIM_full)
        return ask_operand(s, n, 1, (DType)type->dtype, NULL);
    if (n->op->id == PRIM_iota)
        return ask_iota(s, n, v, index);
    if (n->op->id == PRIM_convert_element_type)
        return add_cast(s, ask_arg(s, n->args[0], index), (DType)type->dtype);
    if ((n->op->flags & OP_ELEMENTWISE) && n->op->id != PRIM_clone)
        return ask_elementwise(s, id, n, v, index);
    if (n->op->id == PRIM_sort || n->op->id == PRIM_topk || n->op->id == PRIM_kthvalue)
        return (uint32_t)nest_fail(s, "no loop nest sorts");
    if (n->op->id == PRIM_index_put || is_sum_by_index(s->r->t, n))
        return (uint32_t)nest_fail(s, "no loop nest writes several elements to places by index");
    if (n->op->flags & OP_INDEXING)
        return ask_indexed(s, n, v, index);
    if (n->op->flags & OP_RANDOM)
        return ask_draw(s, id, n, v, index);
    if (n->op->id == PRIM_cat)
        return ask_cat(s, n, v, index);
    if (n->op->id == PRIM_pad)
        return ask_pad(s, n, v, index);
    if (n->args[0].kind != ARG_value)
        return ask_arg(s, n->args[0], index);
    return ask(s, n->args[0].v, nest_moved_index(s, n, node_operand(s, n), type, index));
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
uint32_t ask(Nest *s, ValueId v, const Form *index)
{
    if (s->failed)
        return 0;
    ValueSlot *slot = slot_of(s, v);
    const Type *type = &value_get(s->r->t, v)->type;
    uint32_t rank = type->kind == VALUE_tensor ? type->rank : 0;
    for (const Asked *a = slot->asked; a; a = a->next) {
        bool same = true;
        for (uint32_t k = 0; k < rank && same; k++)
            same = form_equal(a->index[k], index[k]);
        if (same)
            return a->point;
    }
    uint32_t made = slot->node ? ask_made(s, s->r->nodes[slot->node - 1], v, index)
                               : add_load(s, v, index);
    if (s->failed)
        return 0;
    /* A value that only moves or renames another one's element, or equals it, gives it no name. */
    Point *p = &s->points[made];
    if (p->v == 0) {
        p->v = v;
        p->again = slot->asked != NULL;
    }
    Asked *asked = new_array(&s->arena, Asked, 1);
    *asked = (Asked){made, arena_copy(&s->arena, index, rank * sizeof *index), slot->asked};
    slot->asked = asked;
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
        Form at = form_var(s, i);
        if (s->turned && s->vars[i].role == VAR_reduced)
            at = form_add(s, form_const(s->vars[i].extent - 1), at, -1);
        s->full = form_add(s, s->full, at, full);
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

/* The shape that loops without reductions go through: that of the first result, or of what it is
 * a reshape of. Its dimensions are those of the steps before; taken apart again they would be
 * divisions in the innermost loop. */
static const Type *mapped_shape(Nest *s)
{
    const Trace *t = s->r->t;
    ValueId v = s->r->outs[0];
    for (uint32_t node; s->in_c && (node = slot_of(s, v)->node) != 0;) {
        const Node *n = &t->nodes[s->r->nodes[node - 1]];
        if (n->op->id != PRIM_reshape || n->args[0].kind != ARG_value ||
            slot_of(s, n->args[0].v)->node == 0)
            break;
        v = n->args[0].v;
    }
    return &value_get(t, v)->type;
}

static int64_t numel_of_result(const Nest *s, const Node *n)
{
    ValueId outs[2] = {0};
    arg_values(n->out, outs, 2);
    return type_numel(&value_get(s->r->t, outs[0])->type);
}

/* A reduction of as many elements that leaves more than one, where the first one leaves one: then
 * that one is a fold of what the rows come to. NULL = there is none. */
static const Node *reduction_of_rows(const Nest *s, const Node *one)
{
    const Trace *t = s->r->t;
    Fold fold;
    int64_t size = type_numel(node_operand(s, one));
    for (uint32_t i = 0; i < s->r->n && nest_has_wholes(s); i++) {
        const Node *n = &t->nodes[s->r->nodes[i]];
        if (fold_of(n->op->id, &fold) && type_numel(node_operand(s, n)) == size &&
            numel_of_result(s, n) > 1)
            return n;
    }
    return NULL;
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
        if (!first_type && numel_of_result(s, n) == 1) {
            const Node *rows = reduction_of_rows(s, n);
            n = rows ? rows : n;
        }
        const Type *from = node_operand(s, n);
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
    return make_loops(s, mapped_shape(s), NULL);
}

/* What is rounded to the dtype of memory is rounded by storing it. */
static uint32_t stored_point(const Nest *s, uint32_t i)
{
    const Point *p = &s->points[i];
    if (p->kind != POINT_op || p->step != STEP_cast || !c_is_narrow(p->dtype))
        return i;
    DType from = s->points[p->a[0]].dtype;
    return from == DT_f32 || c_is_narrow(from) ? p->a[0] : i;
}

/* Output `out` at element number `at` of some of the loops. */
static bool store_at(Nest *s, uint32_t out, Form at, bool across)
{
    ValueId v = s->r->outs[out];
    uint32_t p = ask(s, v, form_unravel(s, at, &value_get(s->r->t, v)->type));
    if (s->failed)
        return false;
    if (s->points[p].across != across || (across && s->points[p].whole != (at.n == 0)))
        return nest_fail(s, across ? "no reduction gives a result of its size"
                                   : "it is needed again in the loops over which it is folded");
    if (across && s->points[p].of_row)
        return nest_fail(s, "it needs behind the rows what is folded in each of them");
    s->stores[s->nstores++] = (Store){out, stored_point(s, p), at};
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
    if (!full && !outer && !across && nest_has_wholes(s) && s->reduces && numel == 1)
        return store_at(s, out, form_const(0), true);
    if (!full && !outer && !across)
        return nest_fail(s, "%%%.*s has %lld element%s and the loops run over %lld", len, name,
                         (long long)numel, plural(numel), (long long)s->full_numel);
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

typedef struct Manner {
    bool both_ways, other, in_c, turned; /* other: the loops of the second set of dimensions */
} Manner;

static bool build(Nest *s, const Region *r, Manner how, StrBuf *why)
{
    *s = (Nest){.r = r, .why = why, .both_ways = how.both_ways, .in_c = how.in_c,
                .turned = how.turned};
    if (r->nouts == 0 || r->nouts > MAX_OUTPUTS)
        return nest_fail(s, "it would have more than %d results", MAX_OUTPUTS);
    for (uint32_t i = 0; i < r->n; i++)
        if (!gen_takes(r->t, r->nodes[i], why)) {
            s->failed = true;
            return false;
        }
    if (!note_values(s) || !find_loops(s, how.other))
        return false;
    for (uint32_t i = 0; i < r->nouts; i++)
        if (!add_store(s, i))
            return false;
    return true;
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
    if (build(s, r, (Manner){.both_ways = true}, why)) {
        if (!is_better_turned(s))
            return true;
        nest_free(s);
        if (build(s, r, (Manner){.both_ways = true, .other = true}, NULL)) {
            s->why = why;
            return true;
        }
        nest_free(s);
        return build(s, r, (Manner){.both_ways = true}, why);
    }
    nest_free(s);
    StrBuf again = {0}; /* what was said first counts */
    bool good = build(s, r, (Manner){.both_ways = true, .other = true}, &again);
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
        if (p->kind != POINT_reduce || !p->across || p->whole)
            continue;
        folds++;
        if (p->fold != FOLD_sum || !dtype_is_float(p->dtype))
            return false;
    }
    return last_is_reduced && reduced == 1 && folds <= MAX_ROW_FOLDS &&
           s->reduced_numel <= MAX_ROW;
}

bool nest_has_wholes(const Nest *s)
{
    enum { MOST = 1 << 17 }; /* rows whose results one block of a GPU folds soon enough */
    return s->in_c || (s->both_ways && s->outer_numel <= MOST);
}

bool nest_is_full(const Nest *s, const Store *st)
{
    int64_t numel = type_numel(&value_get(s->r->t, s->r->outs[st->out])->type);
    return numel == s->full_numel && !s->points[st->point].across;
}

bool nest_writes_early(const Nest *s)
{
    bool any = false, folds = false;
    for (uint32_t i = 0; i < s->npoints; i++) {
        const Point *p = &s->points[i];
        if ((p->kind == POINT_reduce && p->across && !p->whole) || p->kind == POINT_scan)
            return false;
        folds |= p->kind == POINT_reduce;
    }
    for (uint32_t i = 0; i < s->nstores; i++) {
        if (!nest_is_full(s, &s->stores[i]))
            continue;
        if (s->points[s->stores[i].point].pass > 0)
            return false;
        any = true;
    }
    return any && folds && s->reduced_numel != 1;
}

/* The gradient of a cumsum goes from the ends of lines to their beginnings. */
static bool has_flipped_scan(const Region *r)
{
    bool scan = false, flip = false;
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t op = r->t->nodes[r->nodes[i]].op->id;
        flip |= op == PRIM_flip;
        scan |= op == PRIM_cumsum || op == PRIM_cumprod || op == PRIM_cummax || op == PRIM_cummin;
    }
    return scan && flip;
}

bool nest_build_rows(Nest *s, const Region *r, StrBuf *why)
{
    size_t said = why ? why->n : 0;
    if (build(s, r, (Manner){.in_c = true}, why))
        return true;
    bool good = false;
    StrBuf unsaid = {0}; /* the first reason is the one to give */
    if (has_flipped_scan(r)) {
        nest_free(s);
        good = build(s, r, (Manner){.in_c = true, .turned = true}, &unsaid);
    }
    for (int other = 0; other < 2 && !good; other++) {
        nest_free(s);
        Manner how = {.both_ways = true, .other = other, .in_c = true};
        good = build(s, r, how, &unsaid) && is_row_of_sums(s);
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
