/*
 * tensor.c - tensors in host memory: making, viewing, copying, converting.
 *
 * Input: dtypes, shapes, other tensors. Output: reference-counted views of reference-counted
 * buffers. One idea: a tensor never changes but for its elements, so sharing one is always safe.
 */
#define _DEFAULT_SOURCE
#include "device.h"
#include "elements.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    ALIGNMENT = 64,
    LARGE_PAGE = 2 << 20,
    LARGE_FROM = 2 * LARGE_PAGE, /* bytes from which a buffer begins with such a page */
};

static void release_aligned(Buffer *b)
{
    free(b->owner);
}

/* Asks for large pages where they are filled from end to end: fewer of them are to be found and
 * touched, and a loop that strides from row to row stays among those that the processor knows. */
static void use_large_pages(Buffer *b)
{
#ifdef MADV_HUGEPAGE
    if (b->bytes >= LARGE_FROM)
        (void)madvise(b->data, b->bytes / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#else
    (void)b;
#endif
}

/* Zeroed memory: calloc gives untouched pages where it can, which aligned_alloc would not. */
static Buffer *buffer_new(size_t bytes)
{
    Buffer *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->refs = 1;
    b->bytes = bytes;
    if (bytes == 0)
        return b;
    size_t alignment = bytes >= LARGE_FROM ? LARGE_PAGE : ALIGNMENT;
    b->owner = calloc(1, bytes + alignment);
    if (!b->owner) {
        free(b);
        return NULL;
    }
    size_t off = alignment - (uintptr_t)b->owner % alignment;
    b->data = (char *)b->owner + off;
    b->release = release_aligned;
    use_large_pages(b);
    return b;
}

void buffer_unref(Buffer *b)
{
    if (!b || --b->refs > 0)
        return;
    if (b->copy)
        b->drop_copy(b);
    if (b->release)
        b->release(b);
    else
        free(b->data);
    free(b);
}

/* A tensor without buffer; shape and strides lie behind it in the same block. */
static Tensor *tensor_shell(DType dtype, Device dev, uint32_t rank, const int64_t *shape)
{
    Tensor *t = malloc(sizeof *t + 2 * rank * sizeof(int64_t));
    if (!t)
        return NULL;
    int64_t *sizes = (int64_t *)(void *)(t + 1);
    *t = (Tensor){.refs = 1,
                  .dtype = dtype,
                  .device = dev,
                  .rank = rank,
                  .shape = sizes,
                  .strides = sizes + rank};
    if (rank)
        memcpy(sizes, shape, rank * sizeof *shape);
    return t;
}

static void set_contiguous_strides(Tensor *t)
{
    int64_t stride = 1;
    for (uint32_t i = t->rank; i-- > 0;) {
        t->strides[i] = stride;
        if (t->shape[i] > 1)
            stride *= t->shape[i];
    }
}

/* Bytes of such a tensor; false when a size is negative or the product does not fit. */
static bool count_bytes(DType dtype, uint32_t rank, const int64_t *shape, size_t *bytes)
{
    int64_t n = dtype_info[dtype].bytes;
    bool empty = false;
    for (uint32_t i = 0; i < rank; i++) {
        if (shape[i] < 0)
            return false;
        empty |= shape[i] == 0;
        if (shape[i] > 1 && __builtin_mul_overflow(n, shape[i], &n))
            return false;
    }
    if (n > INT64_MAX - 2 * LARGE_PAGE)
        return false;
    *bytes = empty ? 0 : (size_t)n;
    return true;
}

Tensor *tensor_over(Buffer *b, DType dtype, Device dev, uint32_t rank, const int64_t *shape,
                    int64_t at)
{
    Tensor *t = tensor_shell(dtype, dev, rank, shape);
    if (!t)
        return NULL;
    set_contiguous_strides(t);
    t->offset = at / dtype_info[dtype].bytes;
    t->buf = b;
    b->refs++;
    return t;
}

Tensor *tensor_new(DType dtype, Device dev, uint32_t rank, const int64_t *shape)
{
    size_t bytes;
    if (dtype >= DT_COUNT || rank > MAX_RANK || !count_bytes(dtype, rank, shape, &bytes))
        return NULL;
    Tensor *t = tensor_shell(dtype, dev, rank, shape);
    if (!t)
        return NULL;
    t->buf = buffer_new(bytes);
    if (!t->buf) {
        free(t);
        return NULL;
    }
    set_contiguous_strides(t);
    return t;
}

Tensor *tensor_new_like(const Tensor *t)
{
    return tensor_new(t->dtype, t->device, t->rank, t->shape);
}

Tensor *tensor_view(const Tensor *t, uint32_t rank, const int64_t *shape, const int64_t *strides,
                    int64_t offset)
{
    Tensor *v = tensor_shell(t->dtype, t->device, rank, shape);
    if (!v)
        return NULL;
    if (rank)
        memcpy(v->strides, strides, rank * sizeof *strides);
    v->offset = offset;
    v->buf = t->buf;
    v->buf->refs++;
    return v;
}

Tensor *tensor_ref(Tensor *t)
{
    if (t)
        t->refs++;
    return t;
}

void tensor_unref(Tensor *t)
{
    if (!t || --t->refs > 0)
        return;
    buffer_unref(t->buf);
    free(t);
}

bool tensor_is_contiguous(const Tensor *t)
{
    int64_t stride = 1;
    for (uint32_t i = t->rank; i-- > 0;) {
        if (t->shape[i] == 0)
            return true;
        if (t->shape[i] != 1 && t->strides[i] != stride)
            return false;
        stride *= t->shape[i];
    }
    return true;
}

Tensor *tensor_contiguous(Tensor *t)
{
    return tensor_is_contiguous(t) ? tensor_ref(t) : tensor_clone(t);
}

Tensor *tensor_clone(const Tensor *t)
{
    Tensor *there = t->buf->copy ? device_clone(t) : NULL;
    return there ? there : tensor_cast(t, t->dtype);
}

Tensor *tensor_cast(const Tensor *t, DType dtype)
{
    Tensor *out = tensor_new(dtype, t->device, t->rank, t->shape);
    if (out)
        tensor_copy_into(out, t);
    return out;
}

bool tensor_same_storage(const Tensor *a, const Tensor *b)
{
    return a->buf == b->buf;
}

bool tensor_fills_buffer(const Tensor *t)
{
    return t->offset == 0 && tensor_is_contiguous(t) &&
           (size_t)tensor_numel(t) * dtype_info[t->dtype].bytes == t->buf->bytes;
}

bool tensor_same_shape(const Tensor *a, const Tensor *b)
{
    return shape_equal(a->rank, a->shape, b->rank, b->shape);
}

bool tensor_has_shape(const Tensor *t, const Type *type)
{
    return shape_equal(t->rank, t->shape, type->rank, type->shape);
}

bool tensor_is_of(const Tensor *t, const Type *type)
{
    return t->dtype == (DType)type->dtype && tensor_has_shape(t, type);
}

int64_t tensor_numel(const Tensor *t)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < t->rank; i++)
        n *= t->shape[i];
    return n;
}

const void *tensor_read(const Tensor *t)
{
    if (t->buf->copy)
        buffer_fetch(t->buf);
    if (!t->buf->data)
        return NULL;
    return (const char *)t->buf->data + t->offset * dtype_info[t->dtype].bytes;
}

void *tensor_data(const Tensor *t)
{
    const void *p = tensor_read(t);
    if (t->buf->copy)
        t->buf->copy->valid = false;
    return p ? (char *)t->buf->data + t->offset * dtype_info[t->dtype].bytes : NULL;
}

/* Moves elements through a buffer of the type that holds every value of the source. */
static void convert_range(const Walk *to, const Walk *from, int64_t start, int64_t n)
{
    union {
        double f[2 * WALK_CHUNK];
        int64_t i[WALK_CHUNK];
    } buf;
    bool via_int =
        dtype_is_exact(from->dtype) && !(from->dtype == DT_u64 && dtype_is_inexact(to->dtype));
    if (from->dtype == to->dtype) {
        walk_get_raw(from, start, n, &buf);
        walk_set_raw(to, start, n, &buf);
    } else if (via_int) {
        walk_get_i64(from, start, n, buf.i);
        walk_set_i64(to, start, n, buf.i);
    } else if (dtype_is_complex(from->dtype) && dtype_is_complex(to->dtype)) {
        walk_get_c128(from, start, n, buf.f);
        walk_set_c128(to, start, n, buf.f);
    } else if (dtype_is_complex(from->dtype) && to->dtype == DT_b8) {
        walk_get_c128(from, start, n, buf.f);
        for (int64_t i = 0; i < n; i++)
            buf.f[i] = buf.f[2 * i] != 0 || buf.f[2 * i + 1] != 0;
        walk_set_f64(to, start, n, buf.f);
    } else {
        walk_get_f64(from, start, n, buf.f);
        walk_set_f64(to, start, n, buf.f);
    }
}

void tensor_copy_into(Tensor *dst, const Tensor *src)
{
    Walk to, from;
    walk_init(&to, dst);
    bool there = src->buf->copy && src->buf->copy->valid && src->buf != dst->buf;
    walk_init(&from, src);
    if (there) /* src is only read */
        src->buf->copy->valid = true;
    if (dst->dtype == src->dtype && tensor_is_contiguous(dst) && tensor_is_contiguous(src)) {
        if (to.numel)
            memmove(to.base, from.base, (size_t)to.numel * to.size);
        return;
    }
    for (int64_t start = 0; start < to.numel; start += WALK_CHUNK) {
        int64_t n = to.numel - start;
        convert_range(&to, &from, start, n < WALK_CHUNK ? n : WALK_CHUNK);
    }
}

Tensor *tensor_from_number(Arg number)
{
    static const DType dtypes[] = {
        [ARG_int] = DT_i64, [ARG_float] = DT_f64, [ARG_bool] = DT_b8, [ARG_complex] = DT_c128};
    if (!arg_is_number(number))
        return NULL;
    Tensor *t = tensor_new(dtypes[number.kind], (Device){DEV_cpu, 0}, 0, NULL);
    if (!t)
        return NULL;
    if (number.kind == ARG_float)
        elem_set_f64(t->buf->data, DT_f64, number.f);
    else if (number.kind == ARG_complex)
        elem_set_c128(t->buf->data, DT_c128,
                      (const double[2]){number.items[0].f, number.items[1].f});
    else
        elem_set_i64(t->buf->data, t->dtype, number.i);
    return t;
}
