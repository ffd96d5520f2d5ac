/*
 * tensor.h - reference-counted strided tensors.
 *
 * A Tensor is a view of a Buffer: dtype, shape, strides and offset in elements. Views share the
 * buffer, so that in-place operators at stage 0 behave as in PyTorch. Numbers at run time are 0-d
 * tensors (i64, f64, b8, c128). A buffer may have a copy of its elements on a device (device.h):
 * tensor_data and tensor_read fetch them when the host's are out of date.
 */
#ifndef THUNDER_TENSOR_H
#define THUNDER_TENSOR_H

#include "ir.h"

typedef struct Buffer {
    int refs;
    size_t bytes;
    void *data; /* 64-byte aligned; NULL when bytes is 0 */
    void (*release)(struct Buffer *); /* NULL = free(data); set for memory that is not ours */
    void *owner;
    struct DeviceCopy *copy; /* NULL = in host memory only */
    void (*drop_copy)(struct Buffer *);
} Buffer;

typedef struct Tensor {
    int refs;
    DType dtype;
    Device device; /* as the program names it, wherever the memory is */
    uint32_t rank;
    int64_t *shape, *strides; /* rank each */
    int64_t offset;
    Buffer *buf;
} Tensor;

/* A new zeroed contiguous tensor; NULL when sizes are negative, overflow, or memory is short. */
Tensor *tensor_new(DType dtype, Device dev, uint32_t rank, const int64_t *shape);
Tensor *tensor_new_like(const Tensor *t); /* same dtype, shape and device, contiguous, zeroed */
/* A view of t's buffer; strides and offset in elements. The caller checks the bounds. */
Tensor *tensor_view(const Tensor *t, uint32_t rank, const int64_t *shape, const int64_t *strides,
                    int64_t offset);
/* A dense tensor in b (which gets a reference more), `at` bytes from its start, a multiple of
 * the element's size. */
Tensor *tensor_over(Buffer *b, DType dtype, Device dev, uint32_t rank, const int64_t *shape,
                    int64_t at);
void buffer_unref(Buffer *b); /* NULL is allowed */
Tensor *tensor_ref(Tensor *t);
void tensor_unref(Tensor *t); /* NULL is allowed */
bool tensor_is_contiguous(const Tensor *t);
Tensor *tensor_contiguous(Tensor *t); /* a new reference: t itself or a dense copy */
Tensor *tensor_clone(const Tensor *t); /* a dense copy in a buffer of its own, where t is */
Tensor *tensor_cast(const Tensor *t, DType dtype); /* a dense copy converted to dtype */
bool tensor_same_storage(const Tensor *a, const Tensor *b);
bool tensor_fills_buffer(const Tensor *t); /* dense, and its buffer holds nothing else */
bool tensor_same_shape(const Tensor *a, const Tensor *b);
bool tensor_has_shape(const Tensor *t, const Type *type);
bool tensor_is_of(const Tensor *t, const Type *type); /* its shape and its dtype */
int64_t tensor_numel(const Tensor *t);
/* Address of the first element (offset applied) in host memory, for reading and writing: a copy on
 * a device is out of date from now on. */
void *tensor_data(const Tensor *t);
const void *tensor_read(const Tensor *t); /* the same, for reading only */
/* Copies elements of src into dst, converting; the shapes are equal. Overlap is allowed when both
 * views are identical. */
void tensor_copy_into(Tensor *dst, const Tensor *src);

/* Element access by dtype; p points at the element. Float reads of ints convert, and so on.
 * Storing rounds to nearest even; float to int truncates as C does, saturating nothing. */
double elem_get_f64(const void *p, DType d);
int64_t elem_get_i64(const void *p, DType d);
void elem_get_c128(const void *p, DType d, double out[2]);
void elem_set_f64(void *p, DType d, double v);
void elem_set_i64(void *p, DType d, int64_t v);
void elem_set_c128(void *p, DType d, const double v[2]);

/* 0-d tensors of numbers; NULL for anything but a number. */
Tensor *tensor_from_number(Arg number);

/* Text of the elements as PyTorch prints them, at most max_items a dimension (0 = 6), at most
 * `width` columns; one line for 0-d and 1-d. */
void tensor_print(const Tensor *t, uint32_t max_items, uint32_t width, StrBuf *out);

#endif
