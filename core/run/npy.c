/*
 * npy.c - reads one array of a NumPy .npy file.
 *
 * Input: a file, formats 1.0 to 3.0. Output: a dense tensor on the CPU. The header is a Python dict
 * of three known keys; anything else, and sizes that disagree with the file, are errors.
 */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct NpyHeader {
    DType dtype;
    bool fortran;
    uint32_t rank;
    int64_t shape[MAX_RANK];
} NpyHeader;

static DType npy_dtype(Str descr)
{
    static const struct {
        const char *descr;
        DType dtype;
    } table[] = {{"b1", DT_b8},  {"u1", DT_u8},  {"i1", DT_i8},  {"i2", DT_i16},
                 {"i4", DT_i32}, {"i8", DT_i64}, {"f2", DT_f16}, {"f4", DT_f32},
                 {"f8", DT_f64}, {"c8", DT_c64}, {"c16", DT_c128}};
    if (descr.n < 3 || descr.p[0] == '>')
        return DT_none;
    Str code = str_sub(descr, 1, SIZE_MAX);
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_is(code, table[i].descr))
            return table[i].dtype;
    return DT_none;
}

/* What follows 'key': in the header; empty when it is not there. */
static Str npy_field(Str header, const char *key)
{
    size_t n = strlen(key);
    for (size_t i = 0; i + n + 2 < header.n; i++) {
        if ((header.p[i] != '\'' && header.p[i] != '"') || memcmp(header.p + i + 1, key, n) != 0)
            continue;
        size_t colon = str_find(header, ':', i + 1 + n);
        return colon == SIZE_MAX ? (Str){0} : str_trim(str_sub(header, colon + 1, SIZE_MAX));
    }
    return (Str){0};
}

static bool npy_shape(Str text, NpyHeader *h)
{
    size_t close = str_find(text, ')', 0);
    if (text.n == 0 || text.p[0] != '(' || close == SIZE_MAX)
        return false;
    Str rest = str_sub(text, 1, close - 1);
    while (str_trim(rest).n) {
        Str item = str_trim(str_cut(&rest, ','));
        if (item.n == 0 || h->rank == MAX_RANK || !str_to_i64(item, &h->shape[h->rank]) ||
            h->shape[h->rank] < 0)
            return false;
        h->rank++;
    }
    return true;
}

static bool npy_header(Str text, NpyHeader *h)
{
    Str descr = npy_field(text, "descr");
    if (descr.n < 2)
        return false;
    size_t end = str_find(descr, descr.p[0], 1);
    h->dtype = end == SIZE_MAX ? DT_none : npy_dtype(str_sub(descr, 1, end - 1));
    h->fortran = str_starts(npy_field(text, "fortran_order"), "True");
    return h->dtype != DT_none && npy_shape(npy_field(text, "shape"), h);
}

/* Whether the file goes on for this many elements of the header's dtype. */
static bool npy_has(const NpyHeader *h, FILE *f)
{
    int64_t at = ftell(f);
    if (at < 0 || fseek(f, 0, SEEK_END) != 0)
        return false;
    uint64_t left = (uint64_t)(ftell(f) - at), need = dtype_info[h->dtype].bytes;
    for (uint32_t i = 0; i < h->rank; i++)
        if (h->shape[i] == 0)
            need = 0;
    for (uint32_t i = 0; i < h->rank && need; i++) {
        if ((uint64_t)h->shape[i] > left / need)
            return false;
        need *= (uint64_t)h->shape[i];
    }
    return need <= left && fseek(f, at, SEEK_SET) == 0;
}

/* The elements in the order of the file; in a Fortran array the first size runs fastest. */
static Tensor *npy_tensor(const NpyHeader *h, FILE *f)
{
    int64_t shape[MAX_RANK], strides[MAX_RANK], step = 1;
    if (!npy_has(h, f))
        return NULL;
    for (uint32_t i = 0; i < h->rank; i++)
        shape[i] = h->shape[h->fortran ? h->rank - 1 - i : i];
    Tensor *t = tensor_new(h->dtype, (Device){DEV_cpu, 0}, h->rank, shape);
    if (!t)
        return NULL;
    size_t bytes = (size_t)tensor_numel(t) * dtype_info[h->dtype].bytes;
    if (bytes && fread(tensor_data(t), 1, bytes, f) != bytes) {
        tensor_unref(t);
        return NULL;
    }
    if (!h->fortran)
        return t;
    for (uint32_t i = 0; i < h->rank; i++) {
        strides[i] = step;
        step *= h->shape[i];
    }
    Tensor *view = tensor_view(t, h->rank, h->shape, strides, 0);
    Tensor *dense = tensor_clone(view);
    tensor_unref(view);
    tensor_unref(t);
    return dense;
}

static Tensor *npy_parse(FILE *f)
{
    unsigned char head[12];
    if (fread(head, 1, 10, f) != 10 || memcmp(head, "\x93NUMPY", 6) != 0)
        return NULL;
    size_t n = head[8] | (size_t)head[9] << 8;
    if (head[6] >= 2) {
        if (fread(head + 10, 1, 2, f) != 2)
            return NULL;
        n |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
    }
    if (n > 1 << 20)
        return NULL;
    char *text = run_realloc(NULL, n + 1);
    NpyHeader h = {0};
    bool good = fread(text, 1, n, f) == n && npy_header((Str){text, n}, &h);
    free(text);
    return good ? npy_tensor(&h, f) : NULL;
}

Tensor *npy_read(Str path, Diag *d)
{
    Arena a = {0};
    FILE *f = fopen(arena_str(&a, path).p, "rb");
    Tensor *t = f ? npy_parse(f) : NULL;
    if (!t)
        diag_error(d, DIAG_load, (Span){0}, f ? "bad-npy" : "no-file",
                   f ? "%.*s is not an .npy file of numbers" : "cannot read %.*s", STR(path));
    if (f)
        fclose(f);
    arena_free(&a);
    return t;
}
