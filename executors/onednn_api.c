/* onednn_api.c - what differs between versions 2 and 3 of oneDNN; see onednn_api.h. */
#ifdef THUNDER_HAVE_ONEDNN
#include "onednn_api.h"

#include <stdlib.h>

static dnnl_format_tag_t blocked_tag(int rank)
{
    return rank == 3   ? dnnl_nCw16c
           : rank == 4 ? dnnl_nChw16c
           : rank == 5 ? dnnl_nCdhw16c
                       : dnnl_format_tag_undef;
}

#if DNNL_VERSION_MAJOR >= 3

static Md md_of_tag(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    Md md = NULL;
    return dnnl_memory_desc_create_with_tag(&md, rank, dims, type, tag) == dnnl_success ? md : NULL;
}

Md md_new(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type, const dnnl_dim_t *strides)
{
    Md md = NULL;
    if (!strides)
        return md_of_tag(rank, dims, type, dnnl_format_tag_any);
    dnnl_status_t s = dnnl_memory_desc_create_with_strides(&md, rank, dims, type, strides);
    return s == dnnl_success ? md : NULL;
}

void md_free(Md md)
{
    if (md)
        dnnl_memory_desc_destroy(md);
}

dnnl_primitive_desc_t matmul_desc(dnnl_engine_t e, MdRef src, MdRef weights, MdRef bias, MdRef dst,
                                  const_dnnl_primitive_attr_t attr)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_matmul_primitive_desc_create(&pd, e, src, weights, bias, dst, attr);
    return pd;
}

static dnnl_primitive_desc_t transposed_desc(dnnl_engine_t e, MdRef src, MdRef weights, MdRef bias,
                                             MdRef dst, const Windows *w,
                                             const_dnnl_primitive_attr_t attr)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_deconvolution_forward_primitive_desc_create(
        &pd, e, dnnl_forward_inference, dnnl_deconvolution_direct, src, weights, bias, dst,
        w->stride, w->dilation, w->low, w->high, attr);
    return pd;
}

/* Gradients ask for the forward descriptor as a hint. */
dnnl_primitive_desc_t conv_desc(dnnl_engine_t e, ConvPass pass, bool transposed, MdRef src,
                                MdRef weights, MdRef bias, MdRef dst, const Windows *w,
                                const_dnnl_primitive_attr_t attr)
{
    dnnl_primitive_desc_t forward = NULL, pd = NULL;
    if (transposed)
        return pass == CONV_forward ? transposed_desc(e, src, weights, bias, dst, w, attr) : NULL;
    dnnl_convolution_forward_primitive_desc_create(
        &forward, e, pass == CONV_forward ? dnnl_forward_inference : dnnl_forward_training,
        dnnl_convolution_direct, src, weights, bias, dst, w->stride, w->dilation, w->low, w->high,
        attr);
    if (!forward || pass == CONV_forward)
        return forward;
    if (pass == CONV_input_gradient)
        dnnl_convolution_backward_data_primitive_desc_create(
            &pd, e, dnnl_convolution_direct, src, weights, dst, w->stride, w->dilation, w->low,
            w->high, forward, attr);
    else
        dnnl_convolution_backward_weights_primitive_desc_create(
            &pd, e, dnnl_convolution_direct, src, weights, bias, dst, w->stride, w->dilation,
            w->low, w->high, forward, attr);
    dnnl_primitive_desc_destroy(forward);
    return pd;
}

dnnl_primitive_desc_t avg_pool_desc(dnnl_engine_t e, bool count_padding, MdRef src, MdRef dst,
                                    const Windows *w)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_pooling_forward_primitive_desc_create(
        &pd, e, dnnl_forward_inference,
        count_padding ? dnnl_pooling_avg_include_padding : dnnl_pooling_avg_exclude_padding, src,
        dst, w->stride, w->kernel, w->dilation, w->low, w->high, NULL);
    return pd;
}

dnnl_primitive_desc_t eltwise_desc(dnnl_engine_t e, dnnl_alg_kind_t alg, MdRef src, MdRef dst,
                                   float alpha, float beta)
{
    dnnl_primitive_desc_t pd = NULL;
    dnnl_eltwise_forward_primitive_desc_create(&pd, e, dnnl_forward_inference, alg, src, dst, alpha,
                                               beta, NULL);
    return pd;
}

bool append_eltwise(dnnl_post_ops_t ops, dnnl_alg_kind_t alg, float alpha, float beta)
{
    return dnnl_post_ops_append_eltwise(ops, alg, alpha, beta) == dnnl_success;
}

#else

/* The descriptor where it could be made. */
static Md md_made(const dnnl_memory_desc_t *md, dnnl_status_t status)
{
    Md copy = status == dnnl_success ? malloc(sizeof *copy) : NULL;
    if (copy)
        *copy = *md;
    return copy;
}

static Md md_of_tag(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    dnnl_memory_desc_t md;
    return md_made(&md, dnnl_memory_desc_init_by_tag(&md, rank, dims, type, tag));
}

Md md_new(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type, const dnnl_dim_t *strides)
{
    dnnl_memory_desc_t md;
    if (!strides)
        return md_of_tag(rank, dims, type, dnnl_format_tag_any);
    return md_made(&md, dnnl_memory_desc_init_by_strides(&md, rank, dims, type, strides));
}

void md_free(Md md)
{
    free(md);
}

static dnnl_primitive_desc_t made(const_dnnl_op_desc_t desc, dnnl_status_t status, dnnl_engine_t e,
                                  const_dnnl_primitive_desc_t hint,
                                  const_dnnl_primitive_attr_t attr)
{
    dnnl_primitive_desc_t pd = NULL;
    if (status == dnnl_success)
        dnnl_primitive_desc_create(&pd, desc, attr, e, hint);
    return pd;
}

dnnl_primitive_desc_t matmul_desc(dnnl_engine_t e, MdRef src, MdRef weights, MdRef bias, MdRef dst,
                                  const_dnnl_primitive_attr_t attr)
{
    dnnl_matmul_desc_t desc;
    dnnl_status_t s = dnnl_matmul_desc_init(&desc, src, weights, bias, dst);
    return made(&desc, s, e, NULL, attr);
}

static dnnl_primitive_desc_t transposed_desc(dnnl_engine_t e, MdRef src, MdRef weights, MdRef bias,
                                             MdRef dst, const Windows *w,
                                             const_dnnl_primitive_attr_t attr)
{
    dnnl_deconvolution_desc_t desc;
    dnnl_status_t s = dnnl_dilated_deconvolution_forward_desc_init(
        &desc, dnnl_forward_inference, dnnl_deconvolution_direct, src, weights, bias, dst,
        w->stride, w->dilation, w->low, w->high);
    return made(&desc, s, e, NULL, attr);
}

/* Gradients ask for the forward descriptor as a hint. */
dnnl_primitive_desc_t conv_desc(dnnl_engine_t e, ConvPass pass, bool transposed, MdRef src,
                                MdRef weights, MdRef bias, MdRef dst, const Windows *w,
                                const_dnnl_primitive_attr_t attr)
{
    dnnl_convolution_desc_t desc;
    if (transposed)
        return pass == CONV_forward ? transposed_desc(e, src, weights, bias, dst, w, attr) : NULL;
    dnnl_status_t s = dnnl_dilated_convolution_forward_desc_init(
        &desc, pass == CONV_forward ? dnnl_forward_inference : dnnl_forward_training,
        dnnl_convolution_direct, src, weights, bias, dst, w->stride, w->dilation, w->low, w->high);
    dnnl_primitive_desc_t forward = made(&desc, s, e, NULL, attr);
    if (!forward || pass == CONV_forward)
        return forward;
    if (pass == CONV_input_gradient)
        s = dnnl_dilated_convolution_backward_data_desc_init(
            &desc, dnnl_convolution_direct, src, weights, dst, w->stride, w->dilation, w->low,
            w->high);
    else
        s = dnnl_dilated_convolution_backward_weights_desc_init(
            &desc, dnnl_convolution_direct, src, weights, bias, dst, w->stride, w->dilation,
            w->low, w->high);
    dnnl_primitive_desc_t pd = made(&desc, s, e, forward, attr);
    dnnl_primitive_desc_destroy(forward);
    return pd;
}

dnnl_primitive_desc_t avg_pool_desc(dnnl_engine_t e, bool count_padding, MdRef src, MdRef dst,
                                    const Windows *w)
{
    dnnl_pooling_v2_desc_t desc;
    dnnl_status_t s = dnnl_pooling_v2_forward_desc_init(
        &desc, dnnl_forward_inference,
        count_padding ? dnnl_pooling_avg_include_padding : dnnl_pooling_avg_exclude_padding, src,
        dst, w->stride, w->kernel, w->dilation, w->low, w->high);
    return made(&desc, s, e, NULL, NULL);
}

/* The result has the layout of the operand: both are dense here. */
dnnl_primitive_desc_t eltwise_desc(dnnl_engine_t e, dnnl_alg_kind_t alg, MdRef src, MdRef dst,
                                   float alpha, float beta)
{
    dnnl_eltwise_desc_t desc;
    (void)dst;
    dnnl_status_t s =
        dnnl_eltwise_forward_desc_init(&desc, dnnl_forward_inference, alg, src, alpha, beta);
    return made(&desc, s, e, NULL, NULL);
}

bool append_eltwise(dnnl_post_ops_t ops, dnnl_alg_kind_t alg, float alpha, float beta)
{
    return dnnl_post_ops_append_eltwise(ops, 1, alg, alpha, beta) == dnnl_success;
}

#endif

Md md_blocked(int rank, const dnnl_dim_t *dims, dnnl_data_type_t type)
{
    dnnl_format_tag_t tag = blocked_tag(rank);
    return tag == dnnl_format_tag_undef ? NULL : md_of_tag(rank, dims, type, tag);
}
#endif
