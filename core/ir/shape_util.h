/*
 * shape_util.h - what the shape rules share: reading arguments and refusing them in one voice.
 *
 * Input: an Infer. Every want_* answers false after infer_error; none of them trusts a kind, a
 * value number or a size, so a rule built from them is total. Private to core/ir/shape*.c.
 */
#ifndef THUNDER_SHAPE_UTIL_H
#define THUNDER_SHAPE_UTIL_H

#include "ir.h"

/* A list of sizes or dimensions read from an argument. */
typedef struct Ints {
    int64_t v[MAX_RANK];
    uint32_t n;
} Ints;

/* The type of an operand: of the value, or of the literal number. Kind VALUE_dead when it is
 * neither (None, a string, a value number that does not exist). */
Type operand_type(const Infer *inf, Arg a);
Str describe_arg(const Infer *inf, Arg a); /* "t3: cpu f32[2]", "a float", "None" */
Str describe_type(const Infer *inf, const Type *t);
Str describe_shape(const Infer *inf, uint32_t rank, const int64_t *shape); /* "[2, 3]" */
const char *param_name(const Infer *inf, int arg);

/* Product of the sizes, INT64_MAX when it does not fit. */
int64_t element_count(const Type *t);
bool is_tensor_type(const Type *t);
bool is_number_type(const Type *t);
DType complex_dtype(DType d); /* f32 -> c64, ...; DT_none when there is none */

bool want_tensor(Infer *inf, int arg, Type *out);
bool want_number(Infer *inf, int arg, Type *out);
bool want_operand(Infer *inf, int arg, Type *out); /* a tensor or a number */
bool want_int(Infer *inf, int arg, int64_t *out);  /* with a known value */
bool want_int_at_least(Infer *inf, int arg, int64_t least, int64_t *out);
bool want_bool(Infer *inf, int arg, bool *out);
bool want_ints(Infer *inf, int arg, Ints *out);  /* an int or a sequence of ints */
bool want_shape(Infer *inf, int arg, Ints *out); /* sizes: none negative */
bool want_dtype(Infer *inf, int arg, DType *out);
bool want_device(Infer *inf, int arg, Device *out); /* None: cpu */
/* A dimension of a tensor of that rank, 0 <= dim < rank; a 0-d tensor has dimension 0 too. */
bool want_dim(Infer *inf, int arg, uint32_t rank, uint32_t *out);
bool want_dims(Infer *inf, int arg, uint32_t rank, Ints *out); /* distinct ones */
bool want_permutation(Infer *inf, int arg, uint32_t rank, Ints *out);
bool want_same_dtype(Infer *inf, int arg, const Type *t, const Type *first);
bool want_same_device(Infer *inf, int arg, const Type *t, const Type *first);
bool want_index_dtype(Infer *inf, int arg, const Type *t); /* integers, not bool */

/* Adds a result. Sizes are copied; refused when the element count does not fit. */
bool give_tensor(Infer *inf, DType dtype, Device dev, uint32_t rank, const int64_t *shape);
bool give_like(Infer *inf, const Type *t, DType dtype);
bool give_number(Infer *inf, DType dtype, Arg known);
/* A tensor of t's shape, or a number, of dtype. */
bool give_operand(Infer *inf, const Type *t, DType dtype);

/* Whether `from` can be stretched to `to` by broadcasting (sizes of 1, missing leading ones). */
bool shape_stretches(uint32_t nfrom, const int64_t *from, uint32_t nto, const int64_t *to);

#endif
