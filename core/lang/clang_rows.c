/*
 * clang_rows.c - the core language by name: what scripts call as thunder.clang.NAME.
 *
 * One idea: a row is a signature and a builder of clang.h (or a decomposition of torch.h, which is
 * built of them) on the arguments that the signature binds. No node of the core language exists:
 * what a row appends are prims.
 */
#include "clang_rows.h"

#include "notation.h"

#include <string.h>

static const Device cpu = {DEV_cpu, 0};

/* ------------------------------------------------------------------------------------- creation */

static DType number_dtype(Arg x)
{
    return x.kind == ARG_float ? DT_f32 : x.kind == ARG_bool ? DT_b8 : DT_i64;
}

static Arg full(Build *b, const Arg *args)
{
    Dims shape = cl_ints(b, args[0], 0);
    return cl_full(b, &shape, args[1], cl_device_or(b, args[2], cpu, 2),
                   cl_dtype_or(args[3], number_dtype(args[1])));
}

static Arg full_like(Build *b, const Arg *args)
{
    DType d = cl_dtype_or(args[3], cl_dtype(b, args[0]));
    if (cl_is_number(b, args[0]))
        return cl_number_to(b, args[1], d);
    Dims shape = cl_shape(b, args[0]);
    return cl_full(b, &shape, cl_number_to(b, args[1], d),
                   cl_device_or(b, args[2], cl_device(b, args[0]), 2), d);
}

static Arg arange(Build *b, const Arg *args)
{
    const Arg ordered[] = {args[0], args[2], args[1], args[3], args[4]};
    return d_arange(b, ordered);
}

static Arg uniform(Build *b, const Arg *args)
{
    Dims shape = cl_ints(b, args[0], 0);
    return cl_uniform(b, &shape, args[1], args[2], cl_device_or(b, args[3], cpu, 3),
                      cl_dtype_or(args[4], DT_f32));
}

static Arg uniform_like(Build *b, const Arg *args)
{
    Dims shape = cl_shape(b, args[0]);
    return cl_uniform(b, &shape, args[1], args[2],
                      cl_device_or(b, args[3], cl_device(b, args[0]), 3),
                      cl_dtype_or(args[4], cl_dtype(b, args[0])));
}

/* --------------------------------------------------------------------------------------- shapes */

static Arg unsqueeze(Build *b, const Arg *args)
{
    Dims given = cl_ints(b, args[1], 1), dims = {0};
    uint32_t rank = cl_rank(b, args[0]) + given.n;
    for (int64_t d = 0; d < (int64_t)rank; d++)
        for (uint32_t i = 0; i < given.n; i++)
            if (cl_dim(b, given.v[i], rank, 1) == d)
                dims.v[dims.n++] = d;
    return b->failed ? A_NONE : cl_unsqueeze_at(b, args[0], &dims);
}

static Arg transpose(Build *b, const Arg *args)
{
    Dims order = cl_ints(b, args[1], 1);
    for (uint32_t i = 0; i < order.n; i++)
        order.v[i] = cl_dim(b, order.v[i], cl_rank(b, args[0]), 1);
    return b->failed ? A_NONE : cl_permute(b, args[0], &order);
}

static Arg slice_in_dim(Build *b, const Arg *args)
{
    int64_t dim = cl_dim(b, cl_int(b, args[4], 4), cl_rank(b, args[0]), 4);
    return cl_slice(b, args[0], dim, cl_int(b, args[1], 1), cl_int(b, args[2], 2),
                    cl_int(b, args[3], 3));
}

static Arg stride_order(Build *b, const Arg *args)
{
    uint32_t rank = cl_rank(b, args[0]);
    Dims order = {.n = rank};
    for (uint32_t i = 0; i < rank; i++)
        order.v[i] = rank - 1 - i;
    return emit(b, stride_order, args[0], GIVEN(args[1]) ? args[1] : cl_tuple(b, &order));
}

/* -------------------------------------------------------------------------------------- helpers */

/* Sequences are converted item by item. */
static Arg converted(Build *b, Arg x, DType d, bool safe)
{
    Arg items[64];
    if (arg_is_seq(x) && x.n <= ARRAY_LEN(items)) {
        for (uint32_t i = 0; i < x.n; i++)
            items[i] = converted(b, x.items[i], d, safe);
        return b->failed ? A_NONE : arg_tuple(b->t, items, x.n);
    }
    if (!arg_is_tensor(b, x) && !cl_is_number(b, x)) {
        build_error(b, 0, "a tensor, a number or a sequence of them is converted");
        return A_NONE;
    }
    DType from = cl_dtype(b, x);
    if (safe && from < DT_COUNT && dtype_info[from].category > dtype_info[d].category)
        build_error(b, 1, "%s cannot be cast to %s safely", dtype_text(from), dtype_text(d));
    return cl_is_number(b, x) ? cl_number_to(b, x, d) : cl_to(b, x, d);
}

/* `out` stretched so that `shape` fits; false where neither size is 1. */
static bool join_shape(Dims *out, const Dims *shape)
{
    Dims wide = out->n >= shape->n ? *out : *shape, thin = out->n >= shape->n ? *shape : *out;
    for (uint32_t i = 0; i < thin.n; i++) {
        int64_t *size = &wide.v[wide.n - thin.n + i];
        if (*size != thin.v[i] && *size != 1 && thin.v[i] != 1)
            return false;
        *size = *size == 1 ? thin.v[i] : *size;
    }
    *out = wide;
    return true;
}

static Arg broadcast_shape(Build *b, Arg shapes)
{
    Dims out = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < shapes.n; i++) {
        Dims shape = {0};
        if (!GIVEN(shapes.items[i]))
            continue;
        shape = cl_ints(b, shapes.items[i], 0);
        if (!b->failed && !join_shape(&out, &shape))
            build_error(b, 0, "shape %u cannot be broadcast with those before it", i);
        n++;
    }
    return b->failed || n == 0 ? A_NONE : cl_tuple(b, &out);
}

static Arg broadcast_all(Build *b, Arg xs)
{
    Arg items[64];
    if (xs.n > ARRAY_LEN(items)) {
        build_error(b, -1, "more than %d operands", (int)ARRAY_LEN(items));
        return A_NONE;
    }
    Dims shape = cl_broadcast_shapes(b, xs.items, xs.n);
    for (uint32_t i = 0; i < xs.n; i++)
        items[i] = arg_is_tensor(b, xs.items[i]) ? cl_broadcast_to(b, xs.items[i], &shape)
                                                 : xs.items[i];
    return b->failed ? A_NONE : arg_tuple(b->t, items, xs.n);
}

/* ---------------------------------------------------------------------------------------- rows */

#define CLANG(name, sig, result)                                                                   \
    static DECOMPOSE(row_##name)                                                                   \
    {                                                                                              \
        return result;                                                                             \
    }
#define CLANG_PRIM(name)                                                                           \
    static DECOMPOSE(row_##name)                                                                   \
    {                                                                                              \
        return op_call(b, registry_op(b->t->reg, PRIM_##name), args);                              \
    }
#define CLANG1(name, kind) CLANG(name, , cl_##name(b, args[0]))
#define CLANG2(name, kind) CLANG(name, , cl_##name(b, args[0], args[1]))
#define CLANG2_ONLY CLANG2
#include "clang.def"
#include "clang_rows.def"
#undef CLANG
#undef CLANG_PRIM
#undef CLANG1
#undef CLANG2

static const char *const prim_signatures[] = {
#define PRIM(name, sig, ...) [PRIM_##name] = sig,
#include "prims.def"
#undef PRIM
};

const ClangRow *clang_row(uint32_t i)
{
    static const ClangRow rows[] = {
#define CLANG(name, sig, result) {#name, sig, row_##name},
#define CLANG_PRIM(name) {#name, NULL, row_##name},
#define CLANG1(name, kind) {#name, "a:V", row_##name},
#define CLANG2(name, kind) {#name, "a:V, b:V", row_##name},
#include "clang.def"
#include "clang_rows.def"
    };
    return i < ARRAY_LEN(rows) ? &rows[i] : NULL;
}

const char *clang_signature(const ClangRow *row)
{
    static const char *const names[] = {
#define PRIM(name, ...) [PRIM_##name] = #name,
#include "prims.def"
#undef PRIM
    };
    for (size_t i = 0; !row->signature && i < ARRAY_LEN(names); i++)
        if (strcmp(names[i], row->name) == 0)
            return prim_signatures[i];
    return row->signature;
}

const ClangRow *clang_find(Str name)
{
    uint32_t i = 0;
    while (clang_row(i) && !str_is(name, clang_row(i)->name))
        i++;
    return clang_row(i);
}
