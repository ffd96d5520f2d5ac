/*
 * torch_pad.c - decompositions of padding, and of pixels moved between space and channels.
 */
#include "notation.h"

/* ------------------------------------------------------------------------------------- padding */

/* The elements that reflect, replicate and circular padding add at one side of dim. */
static Arg border(Build *b, Arg x, int64_t dim, int64_t n, bool before, Str mode)
{
    int64_t size = cl_size(b, x, dim);
    if (str_is(mode, "reflect")) {
        if (n >= size)
            build_error(b, 1,
                        "Padding size should be less than the corresponding input "
                        "dimension, but got: padding %lld at dimension %lld of size %lld",
                        (long long)n, (long long)dim, (long long)size);
        Arg part = before ? cl_slice(b, x, dim, 1, n + 1, 1)
                          : cl_slice(b, x, dim, size - 1 - n, size - 1, 1);
        return cl_flip(b, part, &DIMS1(dim));
    }
    if (str_is(mode, "circular")) {
        if (n > size)
            build_error(b, 1, "Padding value causes wrapping around more than once.");
        return before ? cl_slice(b, x, dim, size - n, size, 1) : cl_slice(b, x, dim, 0, n, 1);
    }
    Dims shape = cl_shape(b, x);
    if (size == 0)
        build_error(b, 0, "cannot replicate the border of an empty dimension");
    shape.v[dim] = n;
    return cl_expand(b, cl_slice(b, x, dim, before ? 0 : size - 1, before ? 1 : size, 1), &shape);
}

/* x without what negative paddings cut off. */
static Arg cut(Build *b, Arg x, int64_t dim, int64_t low, int64_t high)
{
    int64_t size = cl_size(b, x, dim);
    if (size + (low < 0 ? low : 0) + (high < 0 ? high : 0) < 0)
        build_error(b, 1, "the padding makes dimension %lld negative", (long long)dim);
    return cl_slice(b, x, dim, low < 0 ? -low : 0, high < 0 ? size + high : size, 1);
}

/* Elements are repeated and reflected as they are before the cut, carried round after it. */
static Arg pad_border(Build *b, Arg x, int64_t dim, int64_t low, int64_t high, Str mode)
{
    Arg parts[3];
    uint32_t n = 0;
    bool circular = str_is(mode, "circular");
    if (circular)
        x = cut(b, x, dim, low, high);
    if (low > 0)
        parts[n++] = border(b, x, dim, low, true, mode);
    parts[n++] = x;
    if (high > 0)
        parts[n++] = border(b, x, dim, high, false, mode);
    if (b->failed)
        return A_NONE;
    x = n > 1 ? cl_cat(b, parts, n, dim) : x;
    return circular ? x : cut(b, x, dim, low, high);
}

DECOMPOSE(d_pad)
{
    Arg x = args[0];
    Dims pairs = cl_ints(b, args[1], 1);
    for (uint32_t i = 0; i < pairs.n; i++)
        if (pairs.v[i] > INT32_MAX || pairs.v[i] < -INT32_MAX) {
            build_error(b, 1, "padding %lld is too large", (long long)pairs.v[i]);
            return A_NONE;
        }
    uint32_t rank = cl_rank(b, x);
    Str mode = arg_str(args[2]);
    if (pairs.n % 2 || pairs.n / 2 > rank) {
        build_error(b, 1, "Padding length too large: expected pairs for at most %u dimensions",
                    rank);
        return A_NONE;
    }
    if (str_is(mode, "constant")) {
        Dims low = {.n = rank}, high = {.n = rank};
        for (uint32_t i = 0; i < pairs.n / 2; i++) {
            low.v[rank - 1 - i] = pairs.v[2 * i];
            high.v[rank - 1 - i] = pairs.v[2 * i + 1];
        }
        return cl_pad(b, x, &low, &high, GIVEN(args[3]) ? args[3] : I(0));
    }
    if (!str_is(mode, "reflect") && !str_is(mode, "replicate") && !str_is(mode, "circular"))
        build_error(b, 2, "unrecognised padding mode '%.*s'", STR(mode));
    for (uint32_t i = 0; i < pairs.n / 2; i++)
        x = pad_border(b, x, rank - 1 - i, pairs.v[2 * i], pairs.v[2 * i + 1], mode);
    return x;
}

DECOMPOSE(d_pixel_shuffle)
{
    Dims s = cl_shape(b, args[0]);
    int64_t r = cl_int_within(b, args[1], 1, MANY, 1);
    if (s.n < 3 || r <= 0 || s.v[s.n - 3] % (r * r)) {
        build_error(b, 0,
                    "pixel_shuffle expects its input's 'channel' dimension to be divisible "
                    "by the square of upscale_factor");
        return A_NONE;
    }
    uint32_t k = s.n - 3;
    Dims wide = {.n = k + 5}, out = s, order = {.n = k + 5};
    const int64_t c = s.v[k] / (r * r), h = s.v[k + 1], w = s.v[k + 2];
    const int64_t tail[5] = {c, r, r, h, w}, place[5] = {0, 3, 1, 4, 2};
    for (uint32_t i = 0; i < k + 5; i++) {
        wide.v[i] = i < k ? s.v[i] : tail[i - k];
        order.v[i] = i < k ? i : k + place[i - k];
    }
    out.v[k] = c;
    out.v[k + 1] = h * r;
    out.v[k + 2] = w * r;
    return cl_reshape(b, cl_permute(b, cl_reshape(b, args[0], &wide), &order), &out);
}

DECOMPOSE(d_pixel_unshuffle)
{
    Dims s = cl_shape(b, args[0]);
    int64_t r = cl_int_within(b, args[1], 1, MANY, 1);
    if (s.n < 3 || r <= 0 || s.v[s.n - 2] % r || s.v[s.n - 1] % r) {
        build_error(b, 0,
                    "pixel_unshuffle expects height and width to be divisible by "
                    "downscale_factor");
        return A_NONE;
    }
    uint32_t k = s.n - 3;
    Dims wide = {.n = k + 5}, out = s, order = {.n = k + 5};
    const int64_t c = s.v[k], h = s.v[k + 1] / r, w = s.v[k + 2] / r;
    const int64_t tail[5] = {c, h, r, w, r}, place[5] = {0, 2, 4, 1, 3};
    for (uint32_t i = 0; i < k + 5; i++) {
        wide.v[i] = i < k ? s.v[i] : tail[i - k];
        order.v[i] = i < k ? i : k + place[i - k];
    }
    out.v[k] = c * r * r;
    out.v[k + 1] = h;
    out.v[k + 2] = w;
    return cl_reshape(b, cl_permute(b, cl_reshape(b, args[0], &wide), &order), &out);
}

DECOMPOSE(d_channel_shuffle)
{
    Dims s = cl_shape(b, args[0]);
    int64_t groups = cl_int_within(b, args[1], 1, MANY, 1);
    if (s.n < 3 || s.v[1] % groups) {
        build_error(b, 1, "Number of channels must be divisible by groups. Got %lld groups.",
                    (long long)groups);
        return A_NONE;
    }
    Dims wide = {.n = s.n + 1, .v = {s.v[0], groups, s.v[1] / groups}};
    for (uint32_t i = 2; i < s.n; i++)
        wide.v[i + 1] = s.v[i];
    return cl_reshape(b, cl_swap(b, cl_reshape(b, args[0], &wide), 1, 2), &s);
}
