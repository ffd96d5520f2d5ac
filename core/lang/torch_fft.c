/*
 * torch_fft.c - discrete Fourier transforms.
 *
 * Input: real or complex tensors, lengths, dimensions, a normalisation. Output: products with the
 * matrix of the transform, whose angles are reduced exactly (j k mod n, in whole numbers) before
 * they become floats. An executor that has a fast transform claims the operator whole.
 */
#include "notation.h"

#include <math.h>

enum { MOST_POINTS = 1 << 13 };

typedef enum FourierKind { COMPLEX_TO_COMPLEX, REAL_TO_COMPLEX, COMPLEX_TO_REAL } FourierKind;

/* What a family of transforms has in common; all of them have the same arguments:
 * (a, length or lengths, dimension or dimensions, norm). */
typedef struct Fourier {
    FourierKind kind;
    bool inverse;
} Fourier;

/* -------------------------------------------------------------------------------- one dimension */

static double scale_of(Build *b, bool inverse, int64_t n)
{
    Str norm = b->args[3].kind == ARG_str ? arg_str(b->args[3]) : S("backward");
    if (str_is(norm, "ortho"))
        return 1 / sqrt((double)n);
    if (!str_is(norm, "forward") && !str_is(norm, "backward"))
        build_error(b, 3, "Invalid normalization mode: \"%.*s\"", STR(norm));
    return str_is(norm, "forward") == inverse ? 1 : 1 / (double)n;
}

static Arg complex_of(Build *b, Arg x)
{
    DType d = cl_dtype(b, x);
    if (dtype_is_complex(d))
        return x;
    if (dtype_is_float(d) && dtype_info[d].bytes < 4) {
        build_error(b, 0, "%s: Unsupported dtype %s", b->op->name, dtype_text(d));
        return A_NONE;
    }
    x = dtype_is_float(d) ? x : TO(x, DT_f32);
    return TO(x, cl_complex_dtype(cl_dtype(b, x)));
}

/* exp(-2 pi i j k / n), conjugated for the inverse. */
static Arg matrix(Build *b, int64_t n, bool inverse, Device dev, DType d)
{
    Arg j = cl_range(b, n, dev);
    Arg turns = cl_remainder(b, MUL(cl_unsqueeze(b, j, 1), j), I(n));
    Arg angle = MUL(TO(turns, d), F((inverse ? 2 : -2) * 3.14159265358979323846 / (double)n));
    return b->failed ? A_NONE : emit(b, complex, cl_cos(b, angle), cl_sin(b, angle));
}

/* Cut, or filled with zeros, to n elements along dim. */
static Arg resized(Build *b, Arg x, int64_t dim, int64_t n)
{
    int64_t have = cl_size(b, x, dim);
    if (have >= n)
        return have == n ? x : cl_slice(b, x, dim, 0, n, 1);
    Dims low = {.n = cl_rank(b, x)}, high = {.n = cl_rank(b, x)};
    high.v[dim] = n - have;
    return cl_pad(b, x, &low, &high, I(0));
}

/* The whole spectrum of a real signal of n points from its first half. */
static Arg whole_spectrum(Build *b, Arg x, int64_t dim, int64_t n)
{
    Dims dims = DIMS1(dim);
    x = resized(b, x, dim, n / 2 + 1);
    Arg rest = cl_flip(b, cl_slice(b, x, dim, 1, (n + 1) / 2, 1), &dims);
    const Arg both[2] = {x, CALL("conj", rest)};
    return b->failed ? A_NONE : cl_cat(b, both, 2, dim);
}

/* given: the number of points, or 0 for as many as there are. */
static Arg along(Build *b, Arg x, int64_t dim, int64_t given, Fourier f)
{
    int64_t size = cl_size(b, x, dim);
    int64_t n = given ? given : f.kind == COMPLEX_TO_REAL ? 2 * (size - 1) : size;
    if (n < 1 || n > MOST_POINTS) {
        build_error(b, given ? 1 : 0,
                    n < 1 ? "Invalid number of data points (%lld) specified"
                          : "transforms of %lld points are not supported here",
                    (long long)n);
        return A_NONE;
    }
    if (f.kind == REAL_TO_COMPLEX && dtype_is_complex(cl_dtype(b, x)))
        build_error(b, 0, "%s expects a real input tensor, but got %s", b->op->name,
                    dtype_text(cl_dtype(b, x)));
    x = complex_of(b, x);
    x = f.kind == COMPLEX_TO_REAL ? whole_spectrum(b, x, dim, n) : resized(b, x, dim, n);
    double scale = scale_of(b, f.inverse, n);
    int64_t last = (int64_t)cl_rank(b, x) - 1;
    Arg w = matrix(b, n, f.inverse, cl_device(b, x), dtype_real(cl_dtype(b, x)));
    if (b->failed)
        return A_NONE;
    x = dim == last ? x : cl_swap(b, x, dim, last);
    x = cl_matmul(b, x, w);
    x = dim == last ? x : cl_swap(b, x, dim, last);
    if (f.kind == COMPLEX_TO_REAL)
        x = CALL("real", x);
    if (f.kind == REAL_TO_COMPLEX)
        x = cl_slice(b, x, dim, 0, n / 2 + 1, 1);
    return scale == 1 ? x : MUL(x, F(scale));
}

/* ----------------------------------------------------------------------- one or more dimensions */

static bool has_dimensions(Build *b, Arg x)
{
    if (cl_rank(b, x) > 0)
        return true;
    build_error(b, 0, "%s: Dimension specified as -1 but tensor has no dimensions", b->op->name);
    return false;
}

static Arg transform(Build *b, const Arg *args, FourierKind kind, bool inverse)
{
    Arg x = args[0];
    if (!has_dimensions(b, x))
        return A_NONE;
    int64_t n = cl_int_or(b, args[1], 0, 1);
    int64_t dim = cl_dim(b, cl_int(b, args[2], 2), cl_rank(b, x), 2);
    if (args[1].kind != ARG_none && n < 1) {
        build_error(b, 1, "Invalid number of data points (%lld) specified", (long long)n);
        return A_NONE;
    }
    return along(b, x, dim, n, (Fourier){kind, inverse});
}

/* Dimensions and lengths (0: as they are) of a transform over several. */
static bool read_dims(Build *b, const Arg *args, Dims *dims, Dims *lengths)
{
    uint32_t rank = cl_rank(b, args[0]);
    *lengths = GIVEN(args[1]) ? cl_ints(b, args[1], 1) : (Dims){0};
    *dims = GIVEN(args[2]) ? cl_ints(b, args[2], 2) : cl_all_dims(rank);
    if (GIVEN(args[1]) && !GIVEN(args[2]) && lengths->n <= rank) {
        dims->n = lengths->n;
        for (uint32_t i = 0; i < dims->n; i++)
            dims->v[i] = rank - dims->n + i;
    }
    if (GIVEN(args[1]) && lengths->n != dims->n)
        build_error(b, 1, "When given, dim and shape arguments must have the same length");
    for (uint32_t i = 0; i < dims->n; i++) {
        dims->v[i] = cl_dim(b, dims->v[i], rank, 2);
        for (uint32_t k = 0; k < i; k++)
            if (dims->v[k] == dims->v[i])
                build_error(b, 2, "FFT dims must be unique");
        int64_t *n = &lengths->v[i];
        if (!GIVEN(args[1]) || *n == -1)
            *n = 0;
        else if (*n < 1)
            build_error(b, 1, "Invalid number of data points (%lld) specified", (long long)*n);
    }
    return !b->failed;
}

static Arg transform_all(Build *b, const Arg *args, FourierKind kind, bool inverse)
{
    Dims dims, lengths;
    Arg x = args[0];
    if (!has_dimensions(b, x) || !read_dims(b, args, &dims, &lengths))
        return A_NONE;
    if (dims.n == 0) {
        if (kind != COMPLEX_TO_COMPLEX)
            build_error(b, 2, "%s must transform at least one axis", b->op->name);
        return complex_of(b, x);
    }
    uint32_t last = dims.n - 1;
    if (kind == REAL_TO_COMPLEX)
        x = along(b, x, dims.v[last], lengths.v[last], (Fourier){kind, inverse});
    for (uint32_t i = kind == COMPLEX_TO_COMPLEX ? dims.n : last; i-- > 0;)
        x = along(b, x, dims.v[i], lengths.v[i], (Fourier){COMPLEX_TO_COMPLEX, inverse});
    if (kind == COMPLEX_TO_REAL)
        x = along(b, x, dims.v[last], lengths.v[last], (Fourier){kind, inverse});
    return x;
}

#define FOURIER(name, kind, inverse)                                                               \
    DECOMPOSE(d_fft_##name)                                                                        \
    {                                                                                              \
        return transform(b, args, kind, inverse);                                                  \
    }                                                                                              \
    DECOMPOSE(d_fft_##name##n)                                                                     \
    {                                                                                              \
        return transform_all(b, args, kind, inverse);                                              \
    }
FOURIER(fft, COMPLEX_TO_COMPLEX, false)
FOURIER(ifft, COMPLEX_TO_COMPLEX, true)
FOURIER(rfft, REAL_TO_COMPLEX, false)
FOURIER(irfft, COMPLEX_TO_REAL, true)
FOURIER(hfft, COMPLEX_TO_REAL, false)
FOURIER(ihfft, REAL_TO_COMPLEX, true)

/* ------------------------------------------------------------------------------- ATen's own */

/* ATen's number for a normalisation, as the word that means it in that direction. */
static Arg norm_word(Build *b, Arg code, bool inverse)
{
    static const char *const words[3] = {"backward", "ortho", "forward"};
    int64_t k = cl_int_within(b, code, 0, 2, 2);
    return WORD(words[inverse ? 2 - k : k]);
}

DECOMPOSE(d_fft_r2c)
{
    if (dtype_is_complex(cl_dtype(b, args[0])))
        build_error(b, 0, "_fft_r2c expects a real input tensor");
    Arg norm = norm_word(b, args[2], false);
    if (b->failed)
        return A_NONE;
    return cl_truth(b, args[3]) ? CALL("fft_rfftn", args[0], A_NONE, args[1], norm)
                                : CALL("fft_fftn", args[0], A_NONE, args[1], norm);
}

DECOMPOSE(d_fft_c2r)
{
    Dims dims = cl_ints(b, args[1], 1), sizes = {.n = dims.n};
    for (uint32_t i = 0; i < dims.n; i++)
        sizes.v[i] = cl_size(b, args[0], cl_dim(b, dims.v[i], cl_rank(b, args[0]), 1));
    if (dims.n)
        sizes.v[dims.n - 1] = cl_int(b, args[3], 3);
    Arg norm = norm_word(b, args[2], true);
    return b->failed ? A_NONE
                     : CALL("fft_irfftn", args[0], cl_tuple(b, &sizes), args[1], norm);
}

DECOMPOSE(d_fft_c2c)
{
    bool forward = cl_truth(b, args[3]);
    if (!dtype_is_complex(cl_dtype(b, args[0])))
        build_error(b, 0, "_fft_c2c expects a complex input tensor");
    Arg norm = norm_word(b, args[2], !forward);
    if (b->failed)
        return A_NONE;
    return forward ? CALL("fft_fftn", args[0], A_NONE, args[1], norm)
                   : CALL("fft_ifftn", args[0], A_NONE, args[1], norm);
}

/* ---------------------------------------------------------------------------------- frequencies */

/* Halves exchanged: the zero frequency goes to the middle, or back. */
static Arg shifted(Build *b, const Arg *args, bool back)
{
    Dims dims = cl_dims(b, args[1], cl_rank(b, args[0]), false, 1), by = {.n = dims.n};
    for (uint32_t i = 0; i < dims.n; i++) {
        int64_t n = cl_size(b, args[0], dims.v[i]);
        by.v[i] = back ? (n + 1) / 2 : n / 2;
    }
    return dims.n ? CALL("roll", args[0], cl_tuple(b, &by), cl_tuple(b, &dims)) : args[0];
}

DECOMPOSE(d_fft_fftshift)
{
    return shifted(b, args, false);
}

DECOMPOSE(d_fft_ifftshift)
{
    return shifted(b, args, true);
}
