/*
 * onednn_api.h - the part of oneDNN that we use, the same for its versions 2 and 3.
 *
 * Version 2 has memory descriptors as structs and creates primitives in two steps; version 3 has
 * descriptors behind pointers and creates primitives in one. Nothing outside of this header and
 * onednn_api.c depends on which of them it is.
 */
#ifndef THUNDER_ONEDNN_API_H
#define THUNDER_ONEDNN_API_H

#include <oneapi/dnnl/dnnl.h>
#include <stdbool.h>

#if DNNL_VERSION_MAJOR >= 3
typedef const_dnnl_memory_desc_t MdRef;
typedef dnnl_memory_desc_t Md; /* to be freed */
#else
typedef const dnnl_memory_desc_t *MdRef;
typedef dnnl_memory_desc_t *Md;
#endif

/* The layout of a tensor; strides NULL: the layout is left to oneDNN. NULL when it refuses. */
Md md_new(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type, const dnnl_dim_t *strides);
/* The same with dimension 1 in blocks of 16, innermost; NULL for ranks other than 3, 4 and 5. */
Md md_blocked(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type);
void md_free(Md md); /* NULL is allowed */

typedef enum ConvPass { CONV_forward, CONV_input_gradient, CONV_weight_gradient } ConvPass;

/* Where a convolution or a window of pooling goes; one entry a spatial dimension. */
typedef struct Windows {
    dnnl_dims_t stride, dilation, low, high, kernel;
} Windows;

/* Descriptors of primitives; NULL when oneDNN has none for these operands. bias may be NULL. */
dnnl_primitive_desc_t matmul_desc(dnnl_engine_t e, MdRef src, MdRef weights, MdRef bias, MdRef dst,
                                  const_dnnl_primitive_attr_t attr);
dnnl_primitive_desc_t conv_desc(dnnl_engine_t e, ConvPass pass, bool transposed, MdRef src,
                                MdRef weights, MdRef bias, MdRef dst, const Windows *w,
                                const_dnnl_primitive_attr_t attr);
dnnl_primitive_desc_t avg_pool_desc(dnnl_engine_t e, bool count_padding, MdRef src, MdRef dst,
                                    const Windows *w);
dnnl_primitive_desc_t eltwise_desc(dnnl_engine_t e, dnnl_alg_kind_t alg, MdRef src, MdRef dst,
                                   float alpha, float beta);
/* Appends an elementwise function to what a primitive computes. */
bool append_eltwise(dnnl_post_ops_t ops, dnnl_alg_kind_t alg, float alpha, float beta);

#endif
