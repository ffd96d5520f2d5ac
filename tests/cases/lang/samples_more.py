import torch
import thunder.torch as ltorch
from math import inf, nan

def elementwise(x: "f32[3, 4]", y: "f32[3, 4]", c: "c64[3]"):
    a = ltorch.erfcinv(x)
    b = torch.isneginf(x)
    d = torch.isposinf(x)
    e = torch.special.ndtri(x)
    f = +x
    g = torch.sgn(x)
    h = torch.sinc(x)
    i = torch.imag(c)
    j = torch.float_power(x, 2)
    k = torch.fmax(x, y)
    l = torch.fmin(x, y)
    m = torch.logaddexp(x, y)
    n = torch.logaddexp2(x, y)
    o = torch.rsub(x, y)
    p = torch.special.i0(x)
    q = torch.nn.functional.rrelu(x)
    return (a, b, d, e, f, g, h, i, j, k, l, m, n, o, p, q)

def conversions(x: "f32[3, 4]", y: "f64[3]", c: "c64[3]", r: "f32[3, 2]", s: "f32[]"):
    a = x.to(torch.float64)
    b = x.type_as(y)
    d = x.type(torch.int32)
    e = x.detach()
    f = s.item()
    g = torch.ops.aten._assert_tensor_metadata.default(x, None, None, torch.float32)
    h = x.view(torch.int32)
    i = torch.view_as_complex(r)
    j = torch.view_as_real(c)
    k = x.to("cpu", torch.float16, copy=True)
    l = x.half()
    m = torch.ops.aten.alias.default(x)
    return (a, b, d, e, f, h, i, j, k, l, m)

def properties(x: "f32[3, 4]"):
    torch._C._log_api_usage_once("text")
    a = torch.zeros(x.size(0), x.dim(), x.numel(), x.shape[1])
    b = torch.full((x.stride(0), x.storage_offset()), 1.0, dtype=x.dtype, device=x.device)
    c = torch.full((1,), x.is_floating_point())
    d = torch.full((1,), x.is_complex())
    e = torch.full((1,), x.is_cuda)
    f = torch.full((1,), x.is_cpu)
    g = torch.full((1,), x.requires_grad)
    h = torch.full((1,), x.is_nested)
    return (a, b, c, d, e, f, g, h)

def creation(x: "f32[3, 4]"):
    a = torch.empty(2, 3)
    b = torch.empty_like(x)
    c = torch.empty_strided((2, 3), (3, 1))
    d = x.new_empty((2, 2))
    e = x.new_empty_strided((2, 3), (3, 1))
    f = x.new_ones(3)
    g = x.new_tensor([1, 2])
    h = torch.scalar_tensor(2.5)
    i = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    j = torch.triu_indices(3, 3)
    k = x.new_zeros(2, 2, dtype=torch.int64)
    return (a, b, c, d, e, f, g, h, i, j, k)

def copies(x: "f32[3, 4]", y: "f32[4]"):
    a = torch.ops.aten.copy.default(x, y)
    x.copy_(y)
    x[0] = y
    x[:, 1] = 2.5
    return (a, x)

def shapes(x: "f32[3, 4]", y: "f32[4]", z: "f32[3]"):
    a, b = torch.broadcast_tensors(x, y)
    c = torch.column_stack((z, x))
    d = torch.fliplr(x)
    e = torch.flipud(x)
    f = torch.narrow(x, 1, 1, 2)
    g = torch.ops.aten.slice.Tensor(x, 1, 0, 2)
    h = torch.swapaxes(x, 0, 1)
    i = x.mT
    j, k = torch.tensor_split(x, 2, 1)
    l = torch.block_diag(x, x)
    m = x[1:, None, ..., 2]
    n = x.T
    return (a, b, c, d, e, f, g, h, i, j, k, l, m, n)

def reductions(x: "f32[3, 4]"):
    a, b = torch.aminmax(x)
    c = torch.cumulative_trapezoid(x)
    d = torch.ops.aten._log_softmax.default(x, 1, True)
    e = torch.ops.aten._softmax.default(x, 1, True)
    f, g = torch.median(x, 1)
    h = torch.linalg.matrix_norm(x)
    i = x.sum_to_size(1, 4)
    j = torch.einsum("ij,kj->ik", x, x)
    return (a, b, c, d, e, f, g, h, i, j)

def indexing(x: "f32[3, 4]", y: "f32[4]", z: "f32[3]", i: "i64[2]", w: "f32[9, 5]"):
    a = torch.nn.functional.embedding(i, w)
    b = torch.ops.aten.index.Tensor(x, [None, i])
    c = torch.nn.functional.one_hot(i, 5)
    d = torch.select_scatter(x, y, 0, 1)
    e = torch.slice_scatter(x, x[:2], 0, 1, 3)
    f = torch.diagonal_scatter(x, z)
    g = x[i, i]
    return (a, b, c, d, e, f, g)

def normalisation(x: "f32[2, 4, 3]", w: "f32[4]", v: "f32[3]", m: "f32[2, 4, 1]"):
    a, b, c = torch.ops.aten.native_layer_norm.default(x, [3], v, v, 1e-05)
    d, e, f = torch.ops.aten._native_batch_norm_legit_no_training.default(x, w, w, w, w, 0.1, 1e-05)
    g, h, i = torch.ops.aten.native_group_norm.default(x, w, w, 2, 4, 3, 2, 1e-05)
    j = torch.nn.functional.dropout(x, 0.5, False)
    k, l, n = torch.ops.aten.native_layer_norm_backward.default(x, x, [3], m, m, v, v, [True, True, True])
    return (a, b, c, d, e, f, g, h, i, j, k, l, n)

def norm_gradients(x: "f32[2, 4, 3]", w: "f32[4]", s: "f32[2, 2]"):
    a, b, c = torch.ops.aten.native_batch_norm_backward.default(x, x, w, w, w, w, w, True, 1e-05, [True, True, True])
    d, e, f = torch.ops.aten.native_batch_norm_backward.default(x, x, None, w, w, None, None, False, 1e-05, [True, False, True])
    g, h, i = torch.ops.aten.native_group_norm_backward.default(x, x, s, s, w, 2, 4, 3, 2, [True, True, True])
    return (a, b, c, d, f, g, h, i)

def attention(q: "f32[2, 2, 5, 4]", k: "f32[2, 2, 6, 4]", l: "f32[2, 2, 5]", m: "b8[5, 6]"):
    a, b = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, k)
    c, d, e = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default(q, q, k, k, q, l, 0.0, False, attn_mask=m)
    return (a, b, c, d, e)

def convolutions(x: "f32[2, 4, 5, 5]", w: "f32[6, 2, 3, 3]", g: "f32[2, 6, 3, 3]", x3: "f32[1, 2, 3, 3, 3]", w3: "f32[2, 3, 2, 2, 2]"):
    a = torch.conv_transpose3d(x3, w3, stride=2)
    b = torch.ops.aten.convolution.default(x, w, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 2)
    c, d, e = torch.ops.aten.convolution_backward.default(g, x, w, [6], [1, 1], [0, 0], [1, 1], False, [0, 0], 2, [True, True, True])
    f = torch.nn.functional.fold(torch.nn.functional.unfold(x, 2), (5, 5), 2)
    return (a, b, c, d, e, f)

def pools(x1: "f32[2, 3, 8]", x2: "f32[2, 3, 8, 8]", x3: "f32[1, 2, 4, 4, 4]"):
    a, b = torch.nn.functional.max_pool1d_with_indices(x1, 2)
    c, d = torch.ops.aten.max_pool2d_with_indices.default(x2, [3, 3], [2, 2], [1, 1])
    e, f = torch.nn.functional.max_pool3d_with_indices(x3, 2)
    g = torch.nn.functional.adaptive_avg_pool3d(x3, 2)
    h = torch.nn.functional.adaptive_max_pool1d(x1, 3)
    i, j = torch.ops.aten.adaptive_max_pool3d.default(x3, [2, 2, 2])
    return (a, b, c, d, e, f, g, h, i, j)

def pool_gradients(g2: "f32[2, 3, 4, 4]", x2: "f32[2, 3, 8, 8]", i2: "i64[2, 3, 4, 4]", g3: "f32[1, 2, 2, 2, 2]", x3: "f32[1, 2, 4, 4, 4]"):
    a = torch.ops.aten.max_pool2d_with_indices_backward.default(g2, x2, [2, 2], [2, 2], [0, 0], [1, 1], False, i2)
    b = torch.ops.aten.adaptive_max_pool2d_backward.default(g2, x2, i2)
    c = torch.ops.aten.avg_pool2d_backward.default(g2, x2, [2, 2], [2, 2], [0, 0], False, True, None)
    d = torch.ops.aten.avg_pool3d_backward.default(g3, x3, [2, 2, 2], [2, 2, 2], [0, 0, 0], False, True, None)
    e = torch.ops.aten._adaptive_avg_pool2d_backward.default(g2, x2)
    f = torch.ops.aten._adaptive_avg_pool3d_backward.default(g3, x3)
    return (a, b, c, d, e, f)

def losses(x: "f32[3, 5]", y: "f32[3, 5]", t: "i64[3]", s: "f32[3]"):
    a = torch.nn.functional.cosine_embedding_loss(x, y, s)
    b = torch.nn.functional.multi_margin_loss(x, t)
    c = torch.nn.functional.multilabel_soft_margin_loss(x, y)
    d, e = torch.ops.aten.nll_loss_forward.default(x, t, None, 1, -100)
    f = torch.nn.functional.soft_margin_loss(x, y)
    g = torch.nn.functional.cross_entropy(x, t, label_smoothing=0.1)
    h = torch.nn.functional.cross_entropy(x, y)
    return (a, b, c, d, e, f, g, h)

def loss_gradients(x: "f32[3, 5]", y: "f32[3, 5]", t: "i64[3]", g: "f32[]"):
    a = torch.ops.aten.nll_loss_backward.default(g, x, t, None, 1, -100, g)
    b = torch.ops.aten.mse_loss_backward.default(g, x, y, 1)
    c = torch.ops.aten.smooth_l1_loss_backward.default(g, x, y, 1, 1.0)
    d = torch.ops.aten.huber_loss_backward.default(g, x, y, 1, 1.0)
    e = torch.ops.aten.binary_cross_entropy_backward.default(g, x, y)
    return (a, b, c, d, e)

def elementwise_gradients(g: "f32[3, 4]", x: "f32[3, 4]", h: "f32[3, 2]", m: "b8[3, 4]"):
    a = ltorch.celu_backward(g, 1.0, x)
    b = torch.ops.aten.elu_backward.default(g, 1.0, 1.0, 1.0, False, x)
    c = torch.ops.aten.gelu_backward.default(g, x)
    d = torch.ops.aten.glu_backward.default(h, x, 1)
    e = torch.ops.aten.hardshrink_backward.default(g, x, 0.5)
    f = torch.ops.aten.hardsigmoid_backward.default(g, x)
    i = torch.ops.aten.hardswish_backward.default(g, x)
    j = torch.ops.aten.hardtanh_backward.default(g, x, -1.0, 1.0)
    k = torch.ops.aten.leaky_relu_backward.default(g, x, 0.1, False)
    l = torch.ops.aten.log_sigmoid_backward.default(g, x, x)
    n = torch.ops.aten.logit_backward.default(g, x)
    o = torch.ops.aten.mish_backward.default(g, x)
    p, q = torch.ops.aten._prelu_kernel_backward.default(g, x, x)
    r = torch.ops.aten.sigmoid_backward.default(g, x)
    s = torch.ops.aten.silu_backward.default(g, x)
    t = torch.ops.aten.softplus_backward.default(g, x, 1.0, 20.0)
    u = torch.ops.aten.tanh_backward.default(g, x)
    v = torch.ops.aten.threshold_backward.default(g, x, 0)
    w = torch.ops.aten.native_dropout_backward.default(g, m, 2.0)
    return (a, b, c, d, e, f, i, j, k, l, n, o, p, q, r, s, t, u, v, w)

def shape_gradients(g: "f32[3, 4]", x: "f32[3, 4]", i: "i64[3]", d: "f32[3]", u: "f32[2, 3]", m: "b8[3, 4]"):
    a = torch.ops.aten._softmax_backward_data.default(g, x, 1, torch.float32)
    b = torch.ops.aten._log_softmax_backward_data.default(g, x, 1, torch.float32)
    c = torch.ops.aten.select_backward.default(g, [3, 5, 4], 1, 2)
    e = torch.ops.aten.slice_backward.default(g, [3, 9], 1, 0, 9, 2)
    f = torch.ops.aten.diagonal_backward.default(d, [3, 4], 0, 0, 1)
    h = torch.ops.aten.unfold_backward.default(u, [6], 0, 3, 3)
    j = torch.ops.aten.embedding_dense_backward.default(g, i, 9, -1, False)
    k = torch.ops.aten.masked_scatter_backward.default(g, m, [5])
    return (a, b, c, e, f, h, j, k)

def resampling(x1: "f32[1, 2, 4]", x2: "f32[1, 2, 4, 4]", x3: "f32[1, 2, 3, 3, 3]", grid: "f32[1, 5, 5, 2]"):
    a = torch.ops.aten.upsample_nearest1d.default(x1, [6])
    b = torch.ops.aten.upsample_nearest2d.vec(x2, None, [2.0, 2.0])
    c = torch.ops.aten.upsample_nearest3d.default(x3, [4, 5, 6])
    d = torch.ops.aten._upsample_nearest_exact1d.default(x1, [6])
    e = torch.ops.aten._upsample_nearest_exact2d.default(x2, [6, 6])
    f = torch.ops.aten._upsample_nearest_exact3d.default(x3, [4, 5, 6])
    g = torch.ops.aten.upsample_linear1d.default(x1, [6], False)
    h = torch.ops.aten.upsample_bilinear2d.vec(x2, [6, 6], True, None)
    i = torch.ops.aten.upsample_trilinear3d.default(x3, [4, 5, 6], False)
    j = torch.ops.aten.upsample_bicubic2d.default(x2, [6, 6], False)
    k = torch.ops.aten.upsample_nearest2d_backward.default(x2, [4, 4], [1, 2, 2, 2])
    l = torch.ops.aten.upsample_bilinear2d_backward.default(x2, [4, 4], [1, 2, 3, 3], False)
    m = torch.nn.functional.grid_sample(x2, grid, "bilinear", "reflection", False)
    return (a, b, c, d, e, f, g, h, i, j, k, l, m)

def random_numbers(x: "f32[3, 4]", s: "f32[4]"):
    a = torch.rand(2, 3)
    b = torch.rand_like(x)
    c = torch.randn(2, 3, dtype=torch.float64)
    d = torch.randn_like(x)
    e = torch.randint(0, 10, (2, 3))
    f = torch.randint_like(x, 5)
    g = torch.randperm(6)
    h = torch.bernoulli(x)
    i = torch.ops.aten.exponential.default(x)
    j = torch.normal(x, 2.0)
    k = torch.ops.aten.normal_functional.default(x)
    l = torch.ops.aten.uniform.default(x, 0.0, 2.0)
    m = torch.multinomial(s, 2)
    n = torch.multinomial(x, 9, True)
    o, p = torch.ops.aten.native_dropout.default(x, 0.5, True)
    q = torch.nn.functional.dropout(x, 0.5)
    r = torch.normal(0.0, 1.0, (3,))
    return (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)

def others(x: "f32[4, 4]", y: "f32[4, 4]", z: "f32[4, 4, 4]", u: "f32[1, 2, 4]", i1: "i64[1, 2, 4]", v: "f32[1, 1, 2, 2]", i2: "i64[1, 1, 2, 2]", w: "f32[1, 1, 2, 2, 2]", i3: "i64[1, 1, 2, 2, 2]", m: "b8[4, 4]", s: "f32[2, 2]"):
    a = torch.complex(x, y)
    b = torch.polar(x, y)
    c = torch.cov(x)
    d = torch.dsplit(z, 2)
    e = torch.hsplit(x, 2)
    f = torch.vsplit(x, [1, 3])
    g = torch.as_strided_scatter(x, s, (2, 2), (4, 1))
    h = torch.empty_permuted((2, 3), (1, 0))
    i = torch.ops.aten._masked_softmax.default(x, m, 1)
    j = torch.nn.functional.max_unpool1d(u, i1, 2)
    k = torch.nn.functional.max_unpool2d(v, i2, 2)
    l = torch.nn.functional.max_unpool3d(w, i3, 2)
    n = torch.nn.functional.triplet_margin_with_distance_loss(x, y, x)
    o = torch.gradient(x)
    return (a, b, c, d[0], e[1], f[2], g, h, i, j, k, l, n, o[0])

def more(x: "f32[3, 4]", y: "f32[3, 4]", w: "f32[4]", g: "f32[3, 1]", c: "f32[2, 4, 3, 3]"):
    a = torch.ops.aten._safe_softmax.default(x, 1)
    b, d = torch.ops.aten._fused_rms_norm.default(x, [4], w, None)
    e = torch._weight_norm(x, g, 0)
    f, h = torch.ops.aten._weight_norm_interface.default(x, g, 0)
    i = torch.nn.functional.channel_shuffle(c, 2)
    j = torch.dist(x, y)
    k = torch.nn.functional.pdist(x)
    l = torch.isin(x, w)
    m = torch.ops.aten.elu.default(x, 1.0, 1.05, 1)
    n = torch.ops.aten.reflection_pad2d.default(c, [1, 1, 1, 1])
    torch.ops.aten.sym_constrain_range_for_size.default(x.size(0))
    torch.ops.aten._assert_scalar.default(x.size(0) == 3, "rows")
    o = torch.zeros(torch.sym_sum((x.size(0), x.size(1))))
    return (a, b, d, e, f, h, i, j, k, l, m, n, o)

def cells(x: "f32[2, 3]", h: "f32[2, 4]", wi: "f32[16, 3]", wh: "f32[16, 4]", gi: "f32[12, 3]", gh: "f32[12, 4]", ri: "f32[4, 3]", rh: "f32[4, 4]"):
    a, b = torch.lstm_cell(x, (h, h), wi, wh)
    c = torch.gru_cell(x, h, gi, gh)
    d = torch.rnn_tanh_cell(x, h, ri, rh)
    e = torch.rnn_relu_cell(x, h, ri, rh)
    return (a, b, c, d, e)

def cuda_attention(q: "f32[2, 2, 5, 4]", k: "f32[2, 2, 6, 4]", m: "f32[5, 6]"):
    a, b, c, d = torch.ops.aten._scaled_dot_product_efficient_attention.default(q, k, k, m, True)
    e = torch.ops.aten._scaled_dot_product_flash_attention.default(q, k, k)
    return (a, b, c, d, e[0], e[1])
