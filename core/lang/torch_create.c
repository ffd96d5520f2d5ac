/*
 * torch_create.c - decompositions of conversions, properties and creation operators.
 *
 * Input: tensors, Python numbers, dtypes and devices as written. Output: converted tensors and new
 * ones; sizes, dtypes and devices are known while loading, so asking for them gives literals.
 */
#include "notation.h"

#include <math.h>

/* -------------------------------------------------------------------------------- conversions */

static Arg convert(Build *b, Arg x, DType dtype, Device dev, bool copy)
{
    Arg r = TO(x, dtype);
    if (!b->failed && !device_eq(cl_device(b, r), dev))
        r = emit(b, device_put, r, A_DEVICE(dev));
    return copy && arg_equal(r, x) && !b->failed ? emit(b, clone, x) : r;
}

DECOMPOSE(d_to)
{
    Arg x = args[0], what = args[1];
    DType dtype = cl_dtype(b, x);
    Device dev = cl_device(b, x);
    if (arg_is_tensor(b, what)) {
        dtype = cl_dtype(b, what);
        dev = cl_device(b, what);
    } else if (what.kind == ARG_dtype) {
        dtype = (DType)what.dtype;
    } else if (GIVEN(what) && what.kind != ARG_word) {
        if (what.kind != ARG_device && what.kind != ARG_str)
            build_error(b, 1, "to() expects a dtype, a device or a tensor");
        dev = cl_device_or(b, what, dev, 1);
    }
    dtype = cl_dtype_or(args[5], cl_dtype_or(args[2], dtype));
    dev = cl_device_or(b, args[4], dev, 4);
    return convert(b, x, dtype, dev, cl_truth(b, args[3]));
}

DECOMPOSE(d_type_as)
{
    return convert(b, args[0], cl_dtype(b, args[1]), cl_device(b, args[1]), false);
}

DECOMPOSE(d_type)
{
    if (!GIVEN(args[1])) {
        StrBuf s = {0};
        sb_printf(&s, "torch.%s", dtype_text(cl_dtype(b, args[0])));
        Arg name = arg_string(b->t, sb_str(&s));
        sb_free(&s);
        return name;
    }
    DType d =
        args[1].kind == ARG_str ? dtype_parse(arg_str(args[1])) : cl_dtype_or(args[1], DT_none);
    if (d == DT_none)
        build_error(b, 1, "type() expects a dtype");
    return TO(args[0], d);
}

DECOMPOSE(d_contiguous)
{
    uint32_t rank = cl_rank(b, args[0]);
    Dims order = {.n = rank};
    bool last = args[1].kind == ARG_word && str_ends(arg_str(args[1]), "channels_last");
    for (uint32_t i = 0; i < rank; i++)
        order.v[i] = rank - 1 - i;
    if (last && rank >= 3) { /* channels (dimension 1) vary fastest */
        for (uint32_t i = 2; i < rank; i++)
            order.v[i] = rank - i;
        order.v[1] = 0;
        order.v[0] = rank - 1;
    }
    return emit(b, stride_order, args[0], cl_tuple(b, &order));
}

DECOMPOSE(d_clone)
{
    return emit(b, clone, args[0]);
}

DECOMPOSE(d_same)
{
    return args[0];
}

DECOMPOSE(d_view_dtype)
{
    DType d = cl_dtype_or(args[1], DT_none), from = cl_dtype(b, args[0]);
    if (dtype_info[d].bytes != dtype_info[from].bytes) {
        build_error(b, 1, "view of %s as %s: only dtypes of the same size are supported",
                    dtype_text(from), dtype_text(d));
        return A_NONE;
    }
    return d == from ? args[0] : emit(b, bitcast, args[0], args[1]);
}

/* --------------------------------------------------------------------------------- properties */

DECOMPOSE(d_rank)
{
    return I(cl_rank(b, args[0]));
}

DECOMPOSE(d_numel)
{
    return I(cl_numel(b, args[0]));
}

static Arg one_or_all(Build *b, const Dims *d, Arg dim)
{
    if (!GIVEN(dim))
        return cl_tuple(b, d);
    int64_t i = cl_dim(b, cl_int(b, dim, 1), d->n, 1);
    if (d->n == 0)
        build_error(b, 1, "Dimension specified as %lld but tensor has no dimensions",
                    (long long)cl_int(b, dim, 1));
    return b->failed ? A_NONE : I(d->v[i]);
}

DECOMPOSE(d_size)
{
    Dims shape = cl_shape(b, args[0]);
    return one_or_all(b, &shape, args[1]);
}

DECOMPOSE(d_stride)
{
    Dims shape = cl_shape(b, args[0]), strides = {.n = shape.n};
    int64_t step = 1;
    for (uint32_t i = shape.n; i-- > 0; step *= shape.v[i] > 1 ? shape.v[i] : 1)
        strides.v[i] = step;
    return one_or_all(b, &strides, args[1]);
}

DECOMPOSE(d_zero_int)
{
    return I(0);
}

DECOMPOSE(d_dtype)
{
    return A_DTYPE(cl_dtype(b, args[0]));
}

DECOMPOSE(d_device)
{
    return A_DEVICE(cl_device(b, args[0]));
}

DECOMPOSE(d_is_floating_point)
{
    return A_BOOL(dtype_is_float(cl_dtype(b, args[0])));
}

DECOMPOSE(d_is_complex)
{
    return A_BOOL(dtype_is_complex(cl_dtype(b, args[0])));
}

DECOMPOSE(d_is_cuda)
{
    return A_BOOL(cl_device(b, args[0]).type == DEV_cuda);
}

DECOMPOSE(d_is_cpu)
{
    return A_BOOL(cl_device(b, args[0]).type == DEV_cpu);
}

DECOMPOSE(d_requires_grad)
{
    return A_BOOL(args[0].kind == ARG_value &&
                  (b->t->values[args[0].v].flags & VF_REQUIRES_GRAD) != 0);
}

DECOMPOSE(d_sym_sum)
{
    Arg sum = I(0);
    for (uint32_t i = 0; i < args[0].n; i++)
        sum = cl_add(b, sum, args[0].items[i]);
    return sum;
}

/* A condition that is known is judged here. */
DECOMPOSE(d_assert_scalar)
{
    Arg lit;
    if (!cl_literal(b, args[0], &lit))
        return emit(b, assert_scalar, args[0], args[1]);
    if (!cl_truth(b, lit))
        build_error(b, 0, "the assertion does not hold");
    return A_NONE;
}

DECOMPOSE(d_nothing)
{
    return A_NONE;
}

DECOMPOSE(d_false)
{
    return A_BOOL(false);
}

DECOMPOSE(d_item)
{
    return emit(b, item, args[0]);
}

DECOMPOSE(d_assert_metadata)
{
    return emit(b, assert_tensor_metadata, args[0], args[1], args[2], args[3], args[4], args[5]);
}

/* ----------------------------------------------------------------------------------- creation */

static const Device cpu = {DEV_cpu, 0};

/* The dtype PyTorch gives to a Python number that becomes a tensor. */
static DType default_dtype(const Build *b, Arg x)
{
    DType d = cl_dtype(b, x);
    return d == DT_f64 ? DT_f32 : d == DT_c128 ? DT_c64 : d;
}

DECOMPOSE(d_arange)
{
    Arg start = args[0], end = args[1], step = args[2], parts[3];
    if (!GIVEN(end)) {
        end = start;
        start = I(0);
    }
    const Arg given[3] = {start, end, step};
    bool whole = true;
    for (int i = 0; i < 3; i++) {
        if (!cl_literal(b, given[i], &parts[i]))
            build_error(b, i, "arange needs numbers that are known while loading");
        whole = whole && parts[i].kind != ARG_float;
    }
    DType dtype = cl_dtype_or(args[4], whole ? DT_i64 : DT_f32);
    Device dev = cl_device_or(b, args[3], cpu, 3);
    double from = cl_float(b, start), to = cl_float(b, end), by = cl_float(b, step);
    if (by == 0)
        build_error(b, 2, "step must be nonzero");
    else if ((to - from) / by < 0)
        build_error(b, 1, "upper bound and larger bound inconsistent with step sign");
    double count = b->failed ? 0 : ceil((to - from) / by);
    if (!(count < 1e12))
        build_error(b, 1, "arange of %g elements", count);
    int64_t n = b->failed ? 0 : (int64_t)count;
    if (dtype_is_exact(dtype))
        return cl_iota(b, n, cl_number_to(b, start, dtype), cl_number_to(b, step, dtype), dev,
                       dtype);
    return cl_iota(b, n, F(from), F(by), dev, dtype);
}

static Arg filled(Build *b, Arg size, double value, Arg device, Arg dtype)
{
    Dims shape = cl_ints(b, size, 0);
    return cl_full(b, &shape, F(value), cl_device_or(b, device, cpu, 1),
                   cl_dtype_or(dtype, DT_f32));
}

DECOMPOSE(d_empty)
{
    return filled(b, args[0], 0, args[1], args[2]);
}

DECOMPOSE(d_zeros)
{
    return filled(b, args[0], 0, args[1], args[2]);
}

DECOMPOSE(d_ones)
{
    return filled(b, args[0], 1, args[1], args[2]);
}

DECOMPOSE(d_empty_strided)
{
    return filled(b, args[0], 0, args[2], args[3]);
}

static Arg full_with(Build *b, const Dims *shape, Arg value, Device dev, Arg dtype, DType dflt)
{
    DType d = cl_dtype_or(dtype, dflt);
    if (!arg_is_tensor(b, value))
        return cl_full(b, shape, value, dev, d);
    return cl_broadcast_to(b, TO(value, d), shape);
}

DECOMPOSE(d_full)
{
    Dims shape = cl_ints(b, args[0], 0);
    return full_with(b, &shape, args[1], cl_device_or(b, args[2], cpu, 2), args[3],
                     default_dtype(b, args[1]));
}

DECOMPOSE(d_full_like)
{
    Dims shape = cl_shape(b, args[0]);
    return full_with(b, &shape, args[1], cl_device_or(b, args[2], cl_device(b, args[0]), 2),
                     args[3], cl_dtype(b, args[0]));
}

static Arg like(Build *b, Arg x, Arg device, Arg dtype, double value)
{
    Dims shape = cl_shape(b, x);
    return cl_full(b, &shape, F(value), cl_device_or(b, device, cl_device(b, x), 1),
                   cl_dtype_or(dtype, cl_dtype(b, x)));
}

DECOMPOSE(d_zeros_like)
{
    return like(b, args[0], args[1], args[2], 0);
}

DECOMPOSE(d_ones_like)
{
    return like(b, args[0], args[1], args[2], 1);
}

static Arg made_by(Build *b, Arg x, Arg size, Arg value, Arg device, Arg dtype)
{
    Dims shape = cl_ints(b, size, 1);
    return full_with(b, &shape, value, cl_device_or(b, device, cl_device(b, x), 2), dtype,
                     cl_dtype(b, x));
}

DECOMPOSE(d_new_zeros)
{
    return made_by(b, args[0], args[1], I(0), args[2], args[3]);
}

DECOMPOSE(d_new_ones)
{
    return made_by(b, args[0], args[1], I(1), args[2], args[3]);
}

DECOMPOSE(d_new_zeros_strided)
{
    return made_by(b, args[0], args[1], I(0), args[3], args[4]);
}

DECOMPOSE(d_new_full)
{
    return made_by(b, args[0], args[1], args[2], args[3], args[4]);
}

DECOMPOSE(d_scalar_tensor)
{
    Dims scalar = {0};
    return cl_full(b, &scalar, args[0], cl_device_or(b, args[1], cpu, 1),
                   cl_dtype_or(args[2], DT_f32));
}

/* The dtype of nested sequences of numbers: the highest category found. */
static DType data_dtype(const Build *b, Arg data, DType so_far)
{
    if (!arg_is_seq(data))
        return promote_types(so_far, default_dtype(b, data));
    for (uint32_t i = 0; i < data.n; i++)
        so_far = data_dtype(b, data.items[i], so_far);
    return so_far;
}

static Arg from_data(Build *b, Arg data, Device dev, Arg dtype)
{
    Dims scalar = {0};
    if (arg_is_tensor(b, data))
        return convert(b, data, cl_dtype_or(dtype, cl_dtype(b, data)), dev, true);
    DType d = data_dtype(b, data, DT_none);
    d = cl_dtype_or(dtype, d == DT_none ? DT_f32 : d);
    if (cl_is_number(b, data))
        return cl_full(b, &scalar, data, dev, d);
    if (!arg_is_seq(data)) {
        build_error(b, 0, "expected numbers, or sequences of numbers");
        return A_NONE;
    }
    return emit(b, tensor_from_sequence, data, A_DEVICE(dev), A_DTYPE(d));
}

DECOMPOSE(d_tensor)
{
    Device dflt = arg_is_tensor(b, args[0]) ? cl_device(b, args[0]) : cpu;
    return from_data(b, args[0], cl_device_or(b, args[1], dflt, 1), args[2]);
}

DECOMPOSE(d_new_tensor)
{
    Device dev = cl_device_or(b, args[2], cl_device(b, args[0]), 2);
    return from_data(b, args[1], dev, A_DTYPE(cl_dtype_or(args[3], cl_dtype(b, args[0]))));
}

DECOMPOSE(d_eye)
{
    int64_t n = cl_int(b, args[0], 0), m = cl_int_or(b, args[1], n, 1);
    Device dev = cl_device_or(b, args[2], cpu, 2);
    if (n > INT32_MAX || m > INT32_MAX)
        build_error(b, n > INT32_MAX ? 0 : 1, "%lld is too large",
                    (long long)(n > INT32_MAX ? n : m));
    if (n < 0 || m < 0) {
        build_error(b, n < 0 ? 0 : 1, "%c must be greater or equal to 0, got %lld",
                    n < 0 ? 'n' : 'm', (long long)(n < 0 ? n : m));
        return A_NONE;
    }
    Arg rows = cl_unsqueeze(b, cl_range(b, n, dev), 1), cols = cl_range(b, m, dev);
    return TO(EQ(rows, cols), cl_dtype_or(args[3], DT_f32));
}

/* From both ends, so that the last element is exactly the end. Both are of the result's dtype d. */
static Arg evenly_spaced(Build *b, Arg start, Arg end, int64_t n, Device dev, DType d)
{
    Dims one = {.n = 1, .v = {n}};
    DType compute = dtype_is_exact(d) ? DT_f64 : dtype_opmath(d);
    start = cl_tensor_of(b, number_round(cl_number_to(b, start, d), d), dev, compute);
    end = cl_tensor_of(b, number_round(cl_number_to(b, end, d), d), dev, compute);
    if (cl_rank(b, start) || cl_rank(b, end))
        build_error(b, cl_rank(b, start) ? 0 : 1,
                    "linspace only supports 0-dimensional start and "
                    "end tensors");
    if (n < 0 || n > (int64_t)1 << 40)
        build_error(b, 2, "number of steps must be non-negative, and not that large");
    if (n < 2 || b->failed)
        return cl_broadcast_to(b, start, &one);
    Arg step = DIV(SUB(end, start), F((double)(n - 1)));
    Arg at = cl_iota(b, n, F(0), F(1), dev, compute);
    Arg back = SUB(end, MUL(step, SUB(F((double)(n - 1)), at)));
    return WHERE(LT(at, F((double)(n / 2))), ADD(start, MUL(step, at)), back);
}

DECOMPOSE(d_linspace)
{
    DType d = cl_dtype_or(args[4], DT_f32);
    Device dev = cl_device_or(b, args[3], cpu, 3);
    return TO(evenly_spaced(b, args[0], args[1], cl_int(b, args[2], 2), dev, d), d);
}

DECOMPOSE(d_logspace)
{
    DType d = cl_dtype_or(args[5], DT_f32);
    DType compute = dtype_is_exact(d) ? DT_f64 : dtype_opmath(d);
    Device dev = cl_device_or(b, args[4], cpu, 4);
    Arg exponent = evenly_spaced(b, args[0], args[1], cl_int(b, args[2], 2), dev, d);
    return TO(POW(cl_number_to(b, args[3], compute), exponent), d);
}

/* The triangle is enumerated on the host: its size depends on literals only. */
static Arg triangle(Build *b, const Arg *args, bool lower)
{
    int64_t rows = cl_int_within(b, args[0], 0, 1 << 12, 0);
    int64_t cols = cl_int_within(b, args[1], 0, 1 << 12, 1);
    int64_t offset = cl_int_within(b, args[2], -MANY, MANY, 2), n = 0, at = 0;
    for (int64_t i = 0; i < rows && !b->failed; i++)
        for (int64_t j = 0; j < cols; j++)
            n += lower ? j <= i + offset : j >= i + offset;
    if (b->failed)
        return A_NONE;
    Arg *both = new_array(&b->t->arena, Arg, 2 * n + 1);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            if (lower ? j > i + offset : j < i + offset)
                continue;
            both[at] = I(i);
            both[n + at++] = I(j);
        }
    const Arg halves[2] = {{.kind = ARG_list, .n = (uint32_t)n, .items = both},
                           {.kind = ARG_list, .n = (uint32_t)n, .items = both + n}};
    return emit(b, tensor_from_sequence, arg_list(b->t, halves, 2),
                A_DEVICE(cl_device_or(b, args[3], cpu, 3)), A_DTYPE(cl_dtype_or(args[4], DT_i64)));
}

DECOMPOSE(d_tril_indices)
{
    return triangle(b, args, true);
}

DECOMPOSE(d_triu_indices)
{
    return triangle(b, args, false);
}

DECOMPOSE(d_copy)
{
    Dims shape = cl_shape(b, args[0]);
    return full_with(b, &shape, args[1], cl_device(b, args[0]), A_NONE, cl_dtype(b, args[0]));
}

DECOMPOSE(d_fill)
{
    if (cl_rank(b, args[1]) != 0)
        build_error(b, 1,
                    "fill only supports 0-dimension value tensor but got tensor with %u "
                    "dimensions.",
                    cl_rank(b, args[1]));
    return d_copy(b, args);
}

/* In row-major order the diagonal is every (sum of strides)-th element. */
DECOMPOSE(d_fill_diagonal)
{
    Arg x = args[0];
    Dims shape = cl_shape(b, x);
    int64_t step = 0, stride = 1;
    for (uint32_t i = shape.n; i-- > 0; stride *= shape.v[i])
        step += stride;
    if (shape.n < 2)
        build_error(b, 0, "dimensions must larger than 1");
    for (uint32_t i = 1; shape.n > 2 && i < shape.n; i++)
        if (shape.v[i] != shape.v[0])
            build_error(b, 0, "all dimensions of input must be of equal length");
    if (b->failed)
        return A_NONE;
    Arg at = cl_reshape(b, cl_range(b, stride, cl_device(b, x)), &shape);
    Arg on = EQ(cl_remainder(b, at, I(step)), I(0));
    if (shape.n == 2 && !cl_truth(b, args[2]))
        on = AND(on, LT(at, I(shape.v[1] * shape.v[1])));
    return WHERE(on, TO(args[1], cl_dtype(b, x)), x);
}

DECOMPOSE(d_zero)
{
    return cl_full_like(b, args[0], I(0));
}
