/*
 * clang.h - the builders: what decompositions are written with.
 *
 * Input: values and literals of any mix of shapes and dtypes. Output: prims appended to the trace.
 * The one idea: a builder does what a PyTorch operator does with its operands (find the dtype,
 * stretch the shapes, convert) and then emits strict prims; on Python numbers alone it computes at
 * once. After an error every builder returns None and touches nothing, so that decompositions need
 * no checks between steps.
 */
#ifndef THUNDER_CLANG_H
#define THUNDER_CLANG_H

#include "ir.h"

/* A short list of sizes, dimensions or strides. */
typedef struct Dims {
    uint32_t n;
    int64_t v[MAX_RANK];
} Dims;

/* --------------------------------------------------------------------- asking about arguments */

const char *dtype_text(DType d);         /* "float32", for messages; also of DT_none */
DType cl_dtype(const Build *b, Arg x);   /* of a tensor or number; DT_none otherwise */
uint32_t cl_rank(const Build *b, Arg x); /* 0 for numbers */
int64_t cl_size(const Build *b, Arg x,
                int64_t dim); /* dim already normalised; 1 when out of range */
int64_t cl_numel(const Build *b, Arg x);
Device cl_device(const Build *b, Arg x);
Dims cl_shape(const Build *b, Arg x);
bool cl_is_number(const Build *b, Arg x); /* a literal number or a number value */
/* A literal number, or a number value that is known: gives the literal. */
bool cl_literal(const Build *b, Arg x, Arg *out);
bool cl_truth(const Build *b, Arg x);   /* Python's truth of a literal; None is false */
double cl_float(const Build *b, Arg x); /* of a literal number; 0 when it is none */
/* The int of argument number arg; an error when it is none. */
int64_t cl_int(Build *b, Arg x, int arg);
/* The int of argument number arg, which must lie within [low, high]: counts that decide how much is
 * built. Gives low after an error. */
int64_t cl_int_within(Build *b, Arg x, int64_t low, int64_t high, int arg);
enum { MANY = 1 << 20 }; /* no more pieces, places or sizes than this are enumerated */
int64_t cl_int_or(Build *b, Arg x, int64_t dflt, int arg); /* dflt for None */
/* An int or a sequence of ints (also one tuple in a tuple: view(*sizes) and view((2, 3))). */
Dims cl_ints(Build *b, Arg x, int arg);
/* An int for all n places, or n ints: kernel sizes, strides. Empty or None: all dflt. */
Dims cl_ints_n(Build *b, Arg x, uint32_t n, int64_t dflt, int arg);
/* dim counted from the end when negative; error "Dimension out of range" otherwise. Rank 0 counts
 * as 1. */
int64_t cl_dim(Build *b, int64_t dim, uint32_t rank, int arg);
/* Normalised reduction dimensions, ascending; None (and empty, when empty_is_all) means all of
 * them. */
Dims cl_dims(Build *b, Arg dims, uint32_t rank, bool empty_is_all, int arg);
bool cl_dims_have(const Dims *d, int64_t dim);
Dims cl_all_dims(uint32_t n); /* 0 .. n - 1 */
Arg cl_tuple(Build *b, const Dims *d);
DType cl_dtype_or(Arg x, DType dflt); /* of an ARG_dtype; dflt for None */
Device cl_device_or(Build *b, Arg x, Device dflt,
                    int arg); /* a device, or its name; dflt for None */

/* ------------------------------------------------------------------------------------- dtypes */

DType promote_types(DType a, DType c); /* of two tensors; DT_none when PyTorch has no common type */
/* Dtypes of an operator over args: computation (low precision raised to f32) and result. */
void cl_promote(Build *b, const Arg *args, uint32_t n, PromotionKind kind, DType *compute,
                DType *result);
DType cl_complex_dtype(DType d);       /* f32 -> c64 */
/* The element type of a number literal or value turned into dtype d; numbers stay numbers. */
Arg cl_number_to(Build *b, Arg x, DType d);
Arg cl_to(Build *b, Arg x, DType d); /* x itself when it has that dtype already */
Arg cl_opmath_of(Build *b, Arg x);   /* x in its computation dtype */
/* x as PyTorch's threshold compares it with a number: on a CPU in its computation dtype. */
Arg cl_compared(Build *b, Arg x);
/* Operands as the result's dtype has them, where that is computed in a wider one: PyTorch converts
 * operands before it computes. Tensors with dimensions always; tensors without, and numbers, where
 * `what` says so. */
enum { NARROW_scalars = 1, NARROW_numbers = 2 };
/* What PyTorch converts of both operands of a prim: products and quotients take numbers, and 0-d
 * tensors on the CPU, as they are; sums and differences on a GPU take numbers as they are. */
uint32_t cl_narrowed(Build *b, enum PrimId prim, const Arg xs[2]);
void cl_narrow(Build *b, Arg *xs, uint32_t n, PromotionKind kind, uint32_t what);
/* Converts the n operands to their computation dtype, in place; gives the result dtype, to which
 * the decomposition converts once at its end. None operands are left alone. */
DType cl_enter(Build *b, Arg *xs, uint32_t n, PromotionKind kind);

/* ------------------------------------------------------------------------------------- shapes */

/* Common shape of tensors (numbers do not count); error with PyTorch's wording. */
Dims cl_broadcast_shapes(Build *b, const Arg *args, uint32_t n);
Arg cl_broadcast_to(Build *b, Arg x, const Dims *shape);     /* right-aligned; numbers unchanged */
Arg cl_expand(Build *b, Arg x, const Dims *shape);           /* -1 keeps a size */
Arg cl_reshape(Build *b, Arg x, const Dims *shape);          /* one -1 is inferred */
Arg cl_flatten(Build *b, Arg x, int64_t start, int64_t end); /* normalised, inclusive */
Arg cl_unsqueeze(Build *b, Arg x, int64_t dim);              /* of the result; normalised */
Arg cl_unsqueeze_at(Build *b, Arg x, const Dims *dims);      /* several, ascending, of the result */
Arg cl_squeeze(Build *b, Arg x, const Dims *dims);           /* those of size 1 among dims */
Arg cl_permute(Build *b, Arg x, const Dims *order);
Arg cl_swap(Build *b, Arg x, int64_t d0, int64_t d1); /* two dimensions exchanged; -1 = last */
Arg cl_movedim(Build *b, Arg x, const Dims *from, const Dims *to);
Arg cl_slice(Build *b, Arg x, int64_t dim, int64_t start, int64_t stop, int64_t step); /* clamps */
Arg cl_select(Build *b, Arg x, int64_t dim, int64_t index); /* normalised index */
Arg cl_flip(Build *b, Arg x, const Dims *dims);
Arg cl_cat(Build *b, const Arg *xs, uint32_t n,
           int64_t dim); /* promotes; 1-d empties are dropped */
Arg cl_stack(Build *b, const Arg *xs, uint32_t n, int64_t dim);
/* Adds low[i], high[i] elements to dimension i; negative numbers cut. */
Arg cl_pad(Build *b, Arg x, const Dims *low, const Dims *high, Arg value);
Arg cl_repeat(Build *b, Arg x, const Dims *repeats);
Arg cl_diagonal(Build *b, Arg x, int64_t offset, int64_t dim1, int64_t dim2);

/* ----------------------------------------------------------------------------------- creation */

Arg cl_full(Build *b, const Dims *shape, Arg value, Device dev, DType dtype);
Arg cl_full_like(Build *b, Arg x, Arg value); /* dtype, shape and device of x */
Arg cl_iota(Build *b, int64_t n, Arg start, Arg step, Device dev, DType dtype);
Arg cl_range(Build *b, int64_t n, Device dev); /* 0 .. n - 1, i64 */
/* Uniform numbers in [low, high), drawn in a computation dtype and rounded to d. */
Arg cl_uniform(Build *b, const Dims *shape, Arg low, Arg high, Device dev, DType d);
/* Uniform numbers in [0, 1) like x: those of a seed and an offset, or new ones without a seed. */
Arg cl_drawn_like(Build *b, Arg x, Arg seed, Arg offset);
/* A number as a 0-d tensor of x's device; tensors as they are. */
Arg cl_tensor_of(Build *b, Arg x, Device dev, DType dtype);

/* -------------------------------------------------------------------------------- elementwise */

Arg cl_unary(Build *b, enum PrimId prim, Arg x, PromotionKind kind);
Arg cl_binary(Build *b, enum PrimId prim, Arg x, Arg y, PromotionKind kind);
#define CLANG1(name, kind)                                                                         \
    static inline Arg cl_##name(Build *b, Arg x)                                                   \
    {                                                                                              \
        return cl_unary(b, PRIM_##name, x, PROMOTE_##kind);                                        \
    }
#define CLANG2(name, kind)                                                                         \
    static inline Arg cl_##name(Build *b, Arg x, Arg y)                                            \
    {                                                                                              \
        return cl_binary(b, PRIM_##name, x, y, PROMOTE_##kind);                                    \
    }
#define CLANG2_ONLY CLANG2
#include "clang.def"
#undef CLANG1
#undef CLANG2
#undef CLANG2_ONLY
Arg cl_abs(Build *b, Arg x);
Arg cl_true_divide(Build *b, Arg x, Arg y);
Arg cl_trunc_divide(Build *b, Arg x, Arg y);
Arg cl_floor_divide(Build *b, Arg x, Arg y);
Arg cl_pow(Build *b, Arg x, Arg y);
Arg cl_ceil(Build *b, Arg x);
Arg cl_floor(Build *b, Arg x);
Arg cl_round(Build *b, Arg x);
Arg cl_trunc(Build *b, Arg x);
Arg cl_isfinite(Build *b, Arg x);
Arg cl_isnan(Build *b, Arg x);
Arg cl_isinf(Build *b, Arg x);
Arg cl_signbit(Build *b, Arg x);
Arg cl_copysign(Build *b, Arg x, Arg y);
Arg cl_logical_and(Build *b, Arg x, Arg y);
Arg cl_logical_or(Build *b, Arg x, Arg y);
Arg cl_logical_xor(Build *b, Arg x, Arg y);
Arg cl_where(Build *b, Arg cond, Arg x, Arg y);
Arg cl_clamp(Build *b, Arg x, Arg low, Arg high); /* NaN stays; None = no bound */
Arg cl_sigmoid(Build *b, Arg x);
Arg cl_square(Build *b, Arg x);
Arg cl_to_bool(Build *b, Arg x); /* x != 0 */
/* Fails at run time, with this text, unless all elements of x hold. */
void cl_assert(Build *b, Arg x, const char *text);

/* --------------------------------------------------------------------- reductions and scans */

/* Reduce with a prim whose signature is (a, dims); keepdim puts the sizes 1 back. */
Arg cl_reduce(Build *b, enum PrimId prim, Arg x, const Dims *dims, bool keepdim);
Arg cl_keep(Build *b, Arg reduced, const Dims *dims, bool keepdim); /* puts sizes 1 back */
/* Of floats in their computation dtype; the result is not rounded back. */
Arg cl_mean(Build *b, Arg x, const Dims *dims, bool keepdim);
/* (variance, mean) of a float tensor. */
void cl_var_mean(Build *b, Arg x, const Dims *dims, Arg correction, bool keepdim, Arg *var,
                 Arg *mean);
Arg cl_amax(Build *b, Arg x, int64_t dim, bool keepdim);
Arg cl_sum(Build *b, Arg x, int64_t dim, bool keepdim);
int64_t cl_numel_over(const Build *b, Arg x, const Dims *dims);
Arg cl_logsumexp(Build *b, Arg x, const Dims *dims, bool keepdim);

/* ------------------------------------------------------------------------- indexing, products */

Arg cl_getitem(Build *b, Arg x, Arg key);               /* basic and advanced */
/* index with size added where it is negative. */
Arg cl_wrap_index(Build *b, Arg index, int64_t size);
/* index itself; an element that is not from 0 to size - 1 is an error when it is read. */
Arg cl_check_index(Build *b, Arg index, int64_t size);
Arg cl_take(Build *b, Arg x, Arg indices, int64_t dim); /* 0-d or 1-d indices */
Arg cl_gather(Build *b, Arg x, Arg indices, int64_t dim);
Arg cl_nonzero(Build *b, Arg x); /* rows of indices; how many depends on the data */
/* x with value (tensor or number) stored at key. */
Arg cl_setitem(Build *b, Arg x, Arg key, Arg value);
Arg cl_matmul(Build *b, Arg x, Arg y); /* vectors and broadcast batches as PyTorch */
Arg cl_mm(Build *b, Arg x, Arg y);     /* prims.matmul of operands that fit already */

/* Item i of a result tree; None when there is none (after an error). */
static inline Arg cl_item(Arg tree, uint32_t i)
{
    return arg_is_seq(tree) && i < tree.n ? tree.items[i] : A_NONE;
}
/* Calls an operator of the torch language as a sub-node: a decomposition that another executor
 * may want whole. Arguments in canonical order; those left out take their defaults. */
Arg cl_call(Build *b, const char *name, const Arg *args, uint32_t n);

#endif
