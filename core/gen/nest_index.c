/*
 * nest_index.c - what reads its operand at an index that is not known before the loops run.
 *
 * Input: a gather, scatter, cat, pad or a draw of random numbers, and the index of an element of
 * its result. Output: its point. An index tensor becomes a loaded variable; cat and pad select
 * between elements that are read at indices moved into range.
 */
#include "nest_ask.h"

uint32_t form_pass(const Nest *s, Form f)
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

bool form_of_row(const Nest *s, Form f)
{
    for (uint32_t i = 0; i < f.n; i++) {
        const Var *v = &s->vars[f.terms[i].var];
        if (v->role == VAR_loaded ? s->points[v->point].of_row
                                  : v->role == VAR_derived && form_of_row(s, v->of))
            return true;
    }
    return false;
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
    const Type *from = node_operand(s, n);
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
    const Type *indices = node_operand(s, n), *weight = &value_get(s->r->t, n->args[1].v)->type;
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
    uint32_t value = ask_operand(s, n, 2, d, one);
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
    if (!adds || point_is_zero(s, base))
        return picked;
    return add_point(s, (Point){.kind = POINT_op, .step = STEP_add, .dtype = d, .a = {base, picked},
                                .na = 2});
}

uint32_t ask_indexed(Nest *s, const Node *n, ValueId v, const Form *index)
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

bool nest_draw(const Trace *t, const Node *n, Draw *out)
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
    *out = (Draw){.a = ends[0], .b = ends[1], .seed = (uint64_t)args[2].i,
                  .offset = (uint64_t)args[3].i};
    if (n->op->id == PRIM_randint_philox) {
        out->low = args[0].i;
        out->range = (uint64_t)args[1].i - (uint64_t)args[0].i;
    }
    return true;
}

/* The dtype that a draw has before it is cast; DT_none = not one that kernels make. */
static DType drawn_as(const Node *n, DType d, const Draw *draw)
{
    bool f8 = dtype_info[d].bytes == 1;
    if (n->op->id == PRIM_uniform_philox)
        return dtype_is_float(d) && !f8 ? d : DT_none;
    if (n->op->id == PRIM_normal_philox)
        return !dtype_is_float(d) || f8 ? DT_none : d == DT_f32 ? DT_f64 : d;
    return draw->range > 0 && draw->range <= UINT32_MAX ? DT_i64 : DT_none;
}

uint32_t ask_draw(Nest *s, NodeId id, const Node *n, ValueId v, const Form *index)
{
    const Type *type = &value_get(s->r->t, v)->type;
    Draw draw;
    DType d = DT_none;
    if (nest_draw(s->r->t, n, &draw))
        d = drawn_as(n, (DType)type->dtype, &draw);
    if (d == DT_none)
        return (uint32_t)nest_fail(s, "it draws random numbers of another kind than kernels do, or "
                                      "from a seed that is not known");
    uint32_t at = add_index(s, form_linear(s, index, type));
    if (s->failed)
        return 0;
    at = add_point(s, (Point){.kind = POINT_op, .step = STEP_draw, .dtype = d, .node = id,
                              .number = A_INT(id), .a = {at}, .na = 1});
    return add_cast(s, at, (DType)type->dtype);
}

static uint32_t add_less(Nest *s, uint32_t a, int64_t n)
{
    uint32_t b = add_number(s, A_INT(n), DT_i64);
    return add_point(s, (Point){.kind = POINT_op, .step = STEP_less, .dtype = DT_b8, .a = {a, b},
                                .na = 2});
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

enum { MAX_PIECES = 32 };

uint32_t ask_cat(Nest *s, const Node *n, ValueId v, const Form *index)
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

uint32_t ask_pad(Nest *s, const Node *n, ValueId v, const Form *index)
{
    const Type *from = node_operand(s, n);
    DType d = (DType)value_get(s->r->t, v)->type.dtype;
    Form *to = new_array(&s->arena, Form, from->rank + 1);
    uint32_t padding = ask_operand(s, n, 1, d, NULL);
    int64_t ends[3];
    for (uint32_t i = 0; i < from->rank; i++) {
        if (!pad_of(s, n->args[2], i, ends))
            return 0;
        if (from->shape[i] == 0)
            return padding;
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
