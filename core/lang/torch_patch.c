/*
 * torch_patch.c - decompositions that take images apart into patches and put them together.
 */
#include "notation.h"

/* Sizes of a sliding window over an image; blocks are its places. */
typedef struct Patch {
    Dims kernel, dilation, padding, stride, blocks; /* 2 each */
} Patch;

static bool patch_of(Build *b, Patch *p, const int64_t image[2], const Arg *args)
{
    p->kernel = cl_ints_n(b, args[0], 2, 1, 1);
    p->dilation = cl_ints_n(b, args[1], 2, 1, 2);
    p->padding = cl_ints_n(b, args[2], 2, 0, 3);
    p->stride = cl_ints_n(b, args[3], 2, 1, 4);
    p->blocks.n = 2;
    for (int i = 0; i < 2; i++) {
        int64_t reach = p->dilation.v[i] * (p->kernel.v[i] - 1) + 1;
        if (p->kernel.v[i] <= 0 || p->stride.v[i] <= 0 || p->dilation.v[i] <= 0) {
            build_error(b, 1, "kernel size, dilation and stride should be greater than zero");
            return false;
        }
        int64_t span = image[i] + 2 * p->padding.v[i] - reach;
        p->blocks.v[i] = span < 0 ? 0 : span / p->stride.v[i] + 1;
        if (span < 0)
            build_error(b, 0, "the window does not fit into the image");
    }
    return !b->failed;
}

DECOMPOSE(d_im2col)
{
    Arg x = args[0];
    Patch p;
    uint32_t rank = cl_rank(b, x);
    if (rank != 3 && rank != 4) {
        build_error(b, 0, "Expected 3D or 4D (batch mode) tensor for input, but got %uD", rank);
        return A_NONE;
    }
    const int64_t image[2] = {cl_size(b, x, rank - 2), cl_size(b, x, rank - 1)};
    if (!patch_of(b, &p, image, args + 1))
        return A_NONE;
    if (rank == 3)
        x = cl_unsqueeze(b, x, 0);
    Dims pad = {.n = 4, .v = {0, 0, p.padding.v[0], p.padding.v[1]}};
    x = cl_pad(b, x, &pad, &pad, I(0));
    for (int i = 0; i < 2 && !b->failed; i++) {
        int64_t d = p.dilation.v[i], reach = d * (p.kernel.v[i] - 1) + 1;
        x = emit(b, unfold, x, I(2 + i), I(reach), I(p.stride.v[i]));
        x = cl_slice(b, x, 4 + i, 0, reach, d);
    }
    Dims order = {.n = 6, .v = {0, 1, 4, 5, 2, 3}};
    x = cl_permute(b, x, &order);
    Dims out = {.n = 3,
                .v = {cl_size(b, x, 0), cl_size(b, x, 1) * p.kernel.v[0] * p.kernel.v[1],
                      p.blocks.v[0] * p.blocks.v[1]}};
    x = cl_reshape(b, x, &out);
    return rank == 3 ? cl_squeeze(b, x, &DIMS1(0)) : x;
}

/* Where in the padded image, row by row, an element of a window lies:
 * [kernel rows, kernel columns, blocks down, blocks across]. */
static Arg patch_places(Build *b, const Patch *p, int64_t width, Device dev)
{
    Arg places = A_NONE;
    for (uint32_t i = 0; i < 2; i++) {
        int64_t step = i == 0 ? width : 1;
        Arg k = cl_iota(b, p->kernel.v[i], I(0), I(step * p->dilation.v[i]), dev, DT_i64);
        Arg o = cl_iota(b, p->blocks.v[i], I(0), I(step * p->stride.v[i]), dev, DT_i64);
        Dims sk = {.n = 4, .v = {1, 1, 1, 1}}, so = sk;
        sk.v[i] = p->kernel.v[i];
        so.v[2 + i] = p->blocks.v[i];
        Arg part = ADD(cl_reshape(b, k, &sk), cl_reshape(b, o, &so));
        places = GIVEN(places) ? ADD(places, part) : part;
    }
    return places;
}

/* Each column element is added at its place in the padded image, which is then cut. */
DECOMPOSE(d_col2im)
{
    Arg x = args[0];
    Patch p;
    uint32_t rank = cl_rank(b, x);
    Dims size = cl_ints_n(b, args[1], 2, 1, 1);
    if ((rank != 2 && rank != 3) || !patch_of(b, &p, size.v, args + 2)) {
        build_error(b, 0, "Expected 2D or 3D (batch mode) tensor for input, but got %uD", rank);
        return A_NONE;
    }
    if (rank == 2)
        x = cl_unsqueeze(b, x, 0);
    int64_t area = p.kernel.v[0] * p.kernel.v[1], n = p.blocks.v[0] * p.blocks.v[1];
    int64_t channels = cl_size(b, x, 1) / area, batch = cl_size(b, x, 0);
    if (cl_size(b, x, 1) % area || cl_size(b, x, 2) != n) {
        build_error(b, 0, "the input has not the size of %lld columns of %lld elements a channel",
                    (long long)n, (long long)area);
        return A_NONE;
    }
    int64_t h = size.v[0] + 2 * p.padding.v[0], w = size.v[1] + 2 * p.padding.v[1];
    Device dev = cl_device(b, x);
    Arg place = patch_places(b, &p, w, dev);
    Dims flat = DIMS1(area * n), columns = {.n = 3, .v = {batch, channels, area * n}};
    Dims image = {.n = 3, .v = {batch, channels, h * w}},
         out = {.n = 4, .v = {batch, channels, h, w}};
    Arg zeros = cl_full(b, &image, I(0), dev, cl_dtype(b, x));
    if (b->failed)
        return A_NONE;
    Arg r =
        emit(b, index_add, zeros, cl_reshape(b, place, &flat), cl_reshape(b, x, &columns), I(2));
    r = cl_reshape(b, r, &out);
    r = cl_slice(b, r, 2, p.padding.v[0], p.padding.v[0] + size.v[0], 1);
    r = cl_slice(b, r, 3, p.padding.v[1], p.padding.v[1] + size.v[1], 1);
    return rank == 2 ? cl_squeeze(b, r, &DIMS1(0)) : r;
}
