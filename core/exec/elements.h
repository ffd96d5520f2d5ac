/*
 * elements.h - reading and writing elements of any dtype in bulk.
 *
 * Kernels compute on short buffers of one of three types: double, int64_t, or double pairs
 * (complex). A Walk names elements of a strided view by their row-major number and moves a range of
 * them into or out of such a buffer; the dtype is looked at once a run, not once an element. u64
 * elements are the bits of an int64_t; as floats they are read and written with their unsigned
 * value.
 */
#ifndef THUNDER_ELEMENTS_H
#define THUNDER_ELEMENTS_H

#include "tensor.h"

/* n elements, `stride` elements apart, from or to buf. Conversions are those of elem_*. */
void run_get_f64(const void *p, DType d, int64_t stride, int64_t n, double *buf);
void run_get_i64(const void *p, DType d, int64_t stride, int64_t n, int64_t *buf);
void run_get_c128(const void *p, DType d, int64_t stride, int64_t n, double *buf);
void run_set_f64(void *p, DType d, int64_t stride, int64_t n, const double *buf);
void run_set_i64(void *p, DType d, int64_t stride, int64_t n, const int64_t *buf);
void run_set_c128(void *p, DType d, int64_t stride, int64_t n, const double *buf);

/* A view with neighbouring dimensions joined where they can be. */
typedef struct Walk {
    char *base;
    DType dtype;
    size_t size; /* of an element */
    uint32_t rank;
    int64_t numel;
    int64_t shape[MAX_RANK], strides[MAX_RANK];
} Walk;

/* Sizes and strides only; the elements are not touched. */
void walk_layout(Walk *w, DType dtype, uint32_t rank, const int64_t *shape, const int64_t *strides);
void walk_init(Walk *w, const Tensor *t);
/* A Walk over given sizes and strides, from element `offset` (of t's view) on. */
void walk_init_view(Walk *w, const Tensor *t, uint32_t rank, const int64_t *shape,
                    const int64_t *strides, int64_t offset);
/* Elements start .. start + n of the view in row-major order. */
void walk_get_f64(const Walk *w, int64_t start, int64_t n, double *buf);
void walk_get_i64(const Walk *w, int64_t start, int64_t n, int64_t *buf);
void walk_get_c128(const Walk *w, int64_t start, int64_t n, double *buf);
void walk_set_f64(const Walk *w, int64_t start, int64_t n, const double *buf);
void walk_set_i64(const Walk *w, int64_t start, int64_t n, const int64_t *buf);
void walk_set_c128(const Walk *w, int64_t start, int64_t n, const double *buf);
/* Elements as they are, in sequence. */
void walk_get_raw(const Walk *w, int64_t start, int64_t n, void *buf);
void walk_set_raw(const Walk *w, int64_t start, int64_t n, const void *buf);
/* Offset in elements of row-major element i. */
int64_t walk_offset(const Walk *w, int64_t i);

enum { WALK_CHUNK = 1024 }; /* elements that kernels move at a time */

#endif
