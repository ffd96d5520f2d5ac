/*
 * fold_code.c - the rules of fold.def that need code: types, shapes and orders of dimensions.
 */
#include "fold_rules.h"

#include "inject.h"

#include <math.h>

static const Type *type_of(const Fold *f, Arg a)
{
    return &f->t->values[a.v].type;
}

static bool ints_of(const Fold *f, Arg a, int64_t *out, uint32_t want)
{
    uint32_t n;
    return known_ints(f->t, a, out, MAX_RANK, &n) && n == want;
}

static bool dims_of(const Fold *f, Arg a, uint32_t rank, int64_t *out, uint32_t want)
{
    uint32_t n;
    return known_dims(f->t, a, rank, out, &n) && n == want;
}

static Arg int_tuple(const Fold *f, const int64_t *v, uint32_t n)
{
    return arg_ints(f->t, v, n);
}

/* The prims for which "same type" says "same elements": the driver compares the types. */
bool fold_itself(Fold *f, const Node *leaf, Replacement *r)
{
    r->value = leaf->args[0];
    return arg_is_value(r->value) &&
           type_equal(type_of(f, r->value), &f->t->values[leaf->out.v].type);
}

/* Prims that can move elements without changing the type: the order of dimensions must be kept. */
bool fold_no_move(Fold *f, const Node *leaf, Replacement *r)
{
    int64_t dims[MAX_RANK];
    Arg order = leaf->args[leaf->op->sig.n - 1];
    if (!fold_itself(f, leaf, r))
        return false;
    uint32_t rank = type_of(f, r->value)->rank;
    if (!dims_of(f, order, rank, dims, rank))
        return false;
    for (uint32_t i = 0; i < rank; i++)
        if (dims[i] != (int64_t)i)
            return false;
    return true;
}

/* Every value of dtype a is a value of dtype b. */
static bool represents_all(DType b, DType a)
{
    const DTypeInfo *x = &dtype_info[a], *y = &dtype_info[b];
    if (a == b || x->category == CAT_BOOL)
        return y->category != CAT_COMPLEX;
    int bits = 8 * x->bytes - x->is_signed; /* of an integer */
    if (y->category == CAT_INT)
        return x->category == CAT_INT && (!x->is_signed || y->is_signed) &&
               (x->is_signed == y->is_signed ? x->bytes <= y->bytes : x->bytes < y->bytes);
    if (y->category != CAT_FLOAT || x->category == CAT_COMPLEX)
        return false;
    if (x->category == CAT_INT)
        return y->digits >= bits && y->largest >= ldexp(1, bits);
    return y->digits >= x->digits && y->normal - y->digits <= x->normal - x->digits &&
           y->largest >= x->largest && y->beyond >= x->beyond;
}

/* A cast to a dtype that holds every value of the first one changes nothing. What a float out of
 * range becomes as an integer is nobody's promise, so integers made from floats stay. */
bool fold_convert(Fold *f, const Node *leaf, Replacement *r)
{
    const Node *inner = made_by_prim(f, leaf->args[0], PRIM_convert_element_type);
    if (!inner || !arg_is_value(inner->args[0]))
        return false;
    DType a = (DType)type_of(f, inner->args[0])->dtype, b = (DType)type_of(f, inner->out)->dtype;
    DType c = (DType)type_of(f, leaf->out)->dtype;
    bool to_float = dtype_is_float(c) || c == DT_b8;
    if (!represents_all(b, a) || !(to_float || represents_all(c, a)))
        return false;
    if (a == c) {
        r->value = inner->args[0];
        return true;
    }
    r->op = leaf->op;
    r->args[0] = inner->args[0];
    r->args[1] = leaf->args[1];
    return true;
}

bool fold_transpose(Fold *f, const Node *leaf, Replacement *r)
{
    const Node *inner = made_by_prim(f, leaf->args[0], PRIM_transpose);
    int64_t first[MAX_RANK], second[MAX_RANK], both[MAX_RANK];
    if (!inner)
        return false;
    uint32_t rank = type_of(f, leaf->out)->rank;
    if (!dims_of(f, inner->args[1], rank, first, rank) ||
        !dims_of(f, leaf->args[1], rank, second, rank))
        return false;
    bool moves = false;
    for (uint32_t i = 0; i < rank; i++) {
        both[i] = INJECT(fold_order, f->t->values[leaf->out.v].name) ? second[first[i]]
                                                                     : first[second[i]];
        moves |= both[i] != (int64_t)i;
    }
    r->value = inner->args[0];
    r->op = moves ? leaf->op : NULL;
    r->args[0] = inner->args[0];
    r->args[1] = moves ? int_tuple(f, both, rank) : A_NONE;
    return true;
}

bool fold_reshape(Fold *f, const Node *leaf, Replacement *r)
{
    const Node *inner = made_by_prim(f, leaf->args[0], PRIM_reshape);
    if (!inner)
        inner = made_by_prim(f, leaf->args[0], PRIM_view);
    if (!inner)
        return false;
    r->value = inner->args[0];
    if (type_equal(type_of(f, r->value), type_of(f, leaf->out)))
        return true;
    r->op = registry_op(f->in->reg, PRIM_reshape);
    r->args[0] = inner->args[0];
    r->args[1] = leaf->args[1];
    return true;
}

bool fold_broadcast(Fold *f, const Node *leaf, Replacement *r)
{
    const Node *inner = made_by_prim(f, leaf->args[0], PRIM_broadcast_in_dim);
    int64_t first[MAX_RANK], second[MAX_RANK], both[MAX_RANK];
    if (!inner)
        return false;
    uint32_t rank = type_of(f, inner->args[0])->rank, mid = type_of(f, inner->out)->rank;
    if (!dims_of(f, inner->args[2], mid, first, rank) ||
        !dims_of(f, leaf->args[2], type_of(f, leaf->out)->rank, second, mid))
        return false;
    for (uint32_t i = 0; i < rank; i++)
        both[i] = second[first[i]];
    r->op = leaf->op;
    r->args[0] = inner->args[0];
    r->args[1] = leaf->args[1];
    r->args[2] = int_tuple(f, both, rank);
    return true;
}

/* Starts, ends and strides of a slice. */
static bool slice_of(const Fold *f, const Node *n, uint32_t rank, int64_t out[3][MAX_RANK])
{
    for (uint32_t i = 0; i < rank; i++)
        out[2][i] = 1;
    return ints_of(f, n->args[1], out[0], rank) && ints_of(f, n->args[2], out[1], rank) &&
           (arg_is_none(n->args[3]) || ints_of(f, n->args[3], out[2], rank));
}

bool fold_slice(Fold *f, const Node *leaf, Replacement *r)
{
    const Node *inner = made_by_prim(f, leaf->args[0], PRIM_slice_prim);
    int64_t a[3][MAX_RANK], b[3][MAX_RANK];
    if (!inner)
        return false;
    const Type *type = type_of(f, leaf->out);
    if (!slice_of(f, inner, type->rank, a) || !slice_of(f, leaf, type->rank, b))
        return false;
    int64_t late = INJECT(fold_slice, f->t->values[leaf->out.v].name);
    for (uint32_t i = 0; i < type->rank; i++) {
        int64_t start = a[0][i] + b[0][i] * a[2][i] + late, step = a[2][i] * b[2][i];
        a[0][i] = type->shape[i] ? start : 0;
        a[1][i] = type->shape[i] ? start + (type->shape[i] - 1) * step + 1 : 0;
        a[2][i] = type->shape[i] > 1 ? step : 1;
    }
    r->op = leaf->op;
    r->args[0] = inner->args[0];
    for (uint32_t k = 0; k < 3; k++)
        r->args[k + 1] = int_tuple(f, a[k], type->rank);
    return true;
}

bool fold_flip(Fold *f, const Node *leaf, Replacement *r)
{
    const Node *inner = made_by_prim(f, leaf->args[0], PRIM_flip);
    int64_t dims[2][MAX_RANK];
    bool flipped[MAX_RANK] = {false};
    uint32_t n[2] = {0}, rank = type_of(f, leaf->out)->rank;
    if (!inner || !known_dims(f->t, inner->args[1], rank, dims[0], &n[0]) ||
        !known_dims(f->t, leaf->args[1], rank, dims[1], &n[1]))
        return false;
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = 0; i < n[k]; i++)
            flipped[dims[k][i]] ^= true;
    for (uint32_t i = 0; i < rank; i++)
        if (flipped[i])
            return false;
    r->value = inner->args[0];
    return true;
}

/* Padding may be negative, so that an unchanged shape does not say that nothing moved. */
bool fold_pad(Fold *f, const Node *leaf, Replacement *r)
{
    int64_t widths[3];
    if (!fold_itself(f, leaf, r) || !arg_is_seq(leaf->args[2]))
        return false;
    for (uint32_t i = 0; i < leaf->args[2].n; i++) {
        if (!ints_of(f, leaf->args[2].items[i], widths, 3) || widths[0] || widths[1] || widths[2])
            return false;
    }
    return true;
}

bool fold_cat(Fold *f, const Node *leaf, Replacement *r)
{
    (void)f;
    if (!arg_is_seq(leaf->args[0]) || leaf->args[0].n != 1)
        return false;
    r->value = leaf->args[0].items[0];
    return arg_is_value(r->value);
}

/* Of integers only, where the order of additions does not matter; the sum must fit the dtype. */
bool fold_add(Fold *f, const Node *leaf, Replacement *r)
{
    const Node *inner = made_by_prim(f, leaf->args[0], PRIM_add);
    int64_t sum;
    if (!inner || !arg_is_value(inner->args[0]) || inner->args[1].kind != ARG_int ||
        leaf->args[1].kind != ARG_int ||
        __builtin_add_overflow(inner->args[1].i, leaf->args[1].i, &sum))
        return false;
    const DTypeInfo *info = &dtype_info[type_of(f, leaf->out)->dtype];
    int bits = 8 * info->bytes - info->is_signed;
    if (info->category != CAT_INT ||
        (bits < 63 &&
         (sum >= (int64_t)1 << bits || sum < (info->is_signed ? -((int64_t)1 << bits) : 0))))
        return false;
    r->op = leaf->op;
    r->args[0] = inner->args[0];
    r->args[1] = A_INT(sum);
    return true;
}
