import torch
from math import inf

def case0(p: "f32[1, 1, 4, 4]", v: "f32[1, 1, 2, 4, 4]", k: "f32[1, 1, 2, 3]", g: "f32[1, 1, 3, 3]", e: "f32[1, 1, 2, 2]", b: "f32[1, 1, 1, 3, 3]", f: "f32[1, 1, 1, 2, 2]", q: "f32[1, 1, 5, 4]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [1, 1])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [1, 1], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [1, 1], [0, 0], False, True, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, None)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [1], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [3, 3], [1, 1, 4, 4])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [3, 3], [1, 1, 4, 4], False)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case1(p: "f64[2, 1, 3, 4]", v: "f64[2, 1, 2, 3, 4]", k: "f64[1, 1, 2, 3]", g: "f64[2, 1, 1, 2]", e: "f64[2, 1, 2, 2]", b: "f64[2, 1, 1, 2, 3]", f: "f64[2, 1, 1, 2, 2]", q: "f64[2, 1, 2, 2]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [2, 2])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [2, 2], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [2, 2], [0, 0], False, True, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, None)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [1], [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [1, 2], [2, 1, 3, 4])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [1, 2], [2, 1, 3, 4], True)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case2(p: "f32[1, 2, 3, 3]", v: "f32[1, 2, 2, 3, 3]", k: "f32[1, 2, 2, 3]", g: "f32[1, 2, 2, 2]", e: "f32[1, 2, 2, 2]", b: "f32[1, 2, 1, 2, 2]", f: "f32[1, 2, 1, 2, 2]", q: "f32[1, 1, 4, 3]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [1, 1])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [1, 1], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [1, 1], [0, 0], False, True, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, None)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [1], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [2, 2], [1, 2, 3, 3])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [2, 2], [1, 2, 3, 3], False)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case3(p: "f64[2, 1, 5, 5]", v: "f64[2, 1, 2, 5, 5]", k: "f64[2, 1, 2, 3]", g: "f64[2, 1, 2, 2]", e: "f64[2, 1, 2, 2]", b: "f64[2, 1, 1, 4, 4]", f: "f64[2, 1, 1, 2, 2]", q: "f64[2, 2, 3, 3]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [2, 2])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [2, 2], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [2, 2], [0, 0], False, False, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, 3)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [2], [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [2, 2], [2, 1, 5, 5])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [2, 2], [2, 1, 5, 5], False)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case4(p: "f32[2, 2, 5, 4]", v: "f32[2, 2, 2, 5, 4]", k: "f32[2, 2, 2, 3]", g: "f32[2, 2, 4, 3]", e: "f32[2, 2, 2, 2]", b: "f32[2, 2, 1, 4, 3]", f: "f32[2, 2, 1, 2, 2]", q: "f32[2, 2, 6, 4]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [1, 1])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [1, 1], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [1, 1], [0, 0], False, True, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, None)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [2], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [4, 3], [2, 2, 5, 4])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [4, 3], [2, 2, 5, 4], True)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case5(p: "f64[2, 2, 4, 5]", v: "f64[2, 2, 2, 4, 5]", k: "f64[2, 2, 2, 3]", g: "f64[2, 2, 2, 2]", e: "f64[2, 2, 2, 2]", b: "f64[2, 2, 1, 3, 4]", f: "f64[2, 2, 1, 2, 2]", q: "f64[2, 2, 3, 3]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [2, 2])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [2, 2], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [2, 2], [0, 0], False, True, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, None)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [2], [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [2, 2], [2, 2, 4, 5])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [2, 2], [2, 2, 4, 5], True)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case6(p: "f32[2, 1, 5, 3]", v: "f32[2, 1, 2, 5, 3]", k: "f32[2, 1, 2, 3]", g: "f32[2, 1, 4, 2]", e: "f32[2, 1, 2, 2]", b: "f32[2, 1, 1, 4, 2]", f: "f32[2, 1, 1, 2, 2]", q: "f32[2, 2, 6, 3]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [1, 1])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [1, 1], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [1, 1], [0, 0], False, False, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, 3)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [2], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [4, 2], [2, 1, 5, 3])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [4, 2], [2, 1, 5, 3], True)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case7(p: "f64[1, 2, 4, 4]", v: "f64[1, 2, 2, 4, 4]", k: "f64[2, 2, 2, 3]", g: "f64[1, 2, 2, 2]", e: "f64[1, 2, 2, 2]", b: "f64[1, 2, 1, 3, 3]", f: "f64[1, 2, 1, 2, 2]", q: "f64[1, 2, 3, 2]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [2, 2])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [2, 2], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [2, 2], [0, 0], False, False, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, None)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [2], [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [2, 2], [1, 2, 4, 4])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [2, 2], [1, 2, 4, 4], True)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case8(p: "f32[1, 1, 5, 3]", v: "f32[1, 1, 2, 5, 3]", k: "f32[2, 1, 2, 3]", g: "f32[1, 1, 2, 1]", e: "f32[1, 1, 2, 2]", b: "f32[1, 1, 1, 4, 2]", f: "f32[1, 1, 1, 2, 2]", q: "f32[1, 2, 3, 2]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [2, 2])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [2, 2], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [2, 2], [0, 0], False, False, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, 3)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [2], [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [2, 1], [1, 1, 5, 3])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [2, 1], [1, 1, 5, 3], False)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case9(p: "f64[1, 2, 3, 4]", v: "f64[1, 2, 2, 3, 4]", k: "f64[2, 2, 2, 3]", g: "f64[1, 2, 2, 3]", e: "f64[1, 2, 2, 2]", b: "f64[1, 2, 1, 2, 3]", f: "f64[1, 2, 1, 2, 2]", q: "f64[1, 2, 4, 4]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [1, 1])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [1, 1], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [1, 1], [0, 0], False, True, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, None)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [2], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [2, 3], [1, 2, 3, 4])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [2, 3], [1, 2, 3, 4], False)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case10(p: "f32[2, 1, 5, 4]", v: "f32[2, 1, 2, 5, 4]", k: "f32[2, 1, 2, 3]", g: "f32[2, 1, 2, 2]", e: "f32[2, 1, 2, 2]", b: "f32[2, 1, 1, 4, 3]", f: "f32[2, 1, 1, 2, 2]", q: "f32[2, 2, 3, 2]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [2, 2])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [2, 2], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [2, 2], [0, 0], False, True, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, None)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [2], [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [2, 2], [2, 1, 5, 4])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [2, 2], [2, 1, 5, 4], False)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case11(p: "f64[2, 1, 3, 3]", v: "f64[2, 1, 2, 3, 3]", k: "f64[1, 1, 2, 3]", g: "f64[2, 1, 2, 2]", e: "f64[2, 1, 2, 2]", b: "f64[2, 1, 1, 2, 2]", f: "f64[2, 1, 1, 2, 2]", q: "f64[2, 1, 4, 3]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [1, 1])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [1, 1], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [1, 1], [0, 0], False, True, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, 3)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [1], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [2, 2], [2, 1, 3, 3])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [2, 2], [2, 1, 3, 3], True)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case12(p: "f32[1, 2, 4, 5]", v: "f32[1, 2, 2, 4, 5]", k: "f32[2, 2, 2, 3]", g: "f32[1, 2, 3, 4]", e: "f32[1, 2, 2, 2]", b: "f32[1, 2, 1, 3, 4]", f: "f32[1, 2, 1, 2, 2]", q: "f32[1, 2, 5, 5]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [1, 1])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [1, 1], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [1, 1], [0, 0], False, True, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, 3)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [2], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [3, 4], [1, 2, 4, 5])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [3, 4], [1, 2, 4, 5], False)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case13(p: "f64[1, 1, 5, 4]", v: "f64[1, 1, 2, 5, 4]", k: "f64[2, 1, 2, 3]", g: "f64[1, 1, 4, 3]", e: "f64[1, 1, 2, 2]", b: "f64[1, 1, 1, 4, 3]", f: "f64[1, 1, 1, 2, 2]", q: "f64[1, 2, 6, 4]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [1, 1])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [1, 1], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [1, 1], [0, 0], False, False, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, None)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [2], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [4, 3], [1, 1, 5, 4])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [4, 3], [1, 1, 5, 4], False)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case14(p: "f32[1, 2, 4, 3]", v: "f32[1, 2, 2, 4, 3]", k: "f32[1, 2, 2, 3]", g: "f32[1, 2, 2, 1]", e: "f32[1, 2, 2, 2]", b: "f32[1, 2, 1, 3, 2]", f: "f32[1, 2, 1, 2, 2]", q: "f32[1, 1, 3, 2]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [2, 2])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [2, 2], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [2, 2], [0, 0], False, False, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, None)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [1], [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [2, 1], [1, 2, 4, 3])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [2, 1], [1, 2, 4, 3], True)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case15(p: "f64[2, 1, 4, 4]", v: "f64[2, 1, 2, 4, 4]", k: "f64[2, 1, 2, 3]", g: "f64[2, 1, 3, 3]", e: "f64[2, 1, 2, 2]", b: "f64[2, 1, 1, 3, 3]", f: "f64[2, 1, 1, 2, 2]", q: "f64[2, 2, 5, 4]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [1, 1])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [1, 1], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [1, 1], [0, 0], False, True, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, 3)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [2], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [3, 3], [2, 1, 4, 4])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [3, 3], [2, 1, 4, 4], True)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case16(p: "f32[2, 1, 4, 5]", v: "f32[2, 1, 2, 4, 5]", k: "f32[1, 1, 2, 3]", g: "f32[2, 1, 2, 2]", e: "f32[2, 1, 2, 2]", b: "f32[2, 1, 1, 3, 4]", f: "f32[2, 1, 1, 2, 2]", q: "f32[2, 1, 3, 3]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [2, 2])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [2, 2], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [2, 2], [0, 0], False, True, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, 3)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [1], [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [2, 2], [2, 1, 4, 5])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [2, 2], [2, 1, 4, 5], True)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case17(p: "f64[1, 1, 5, 5]", v: "f64[1, 1, 2, 5, 5]", k: "f64[2, 1, 2, 3]", g: "f64[1, 1, 2, 2]", e: "f64[1, 1, 2, 2]", b: "f64[1, 1, 1, 4, 4]", f: "f64[1, 1, 1, 2, 2]", q: "f64[1, 2, 3, 3]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [2, 2])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [2, 2], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [2, 2], [0, 0], False, True, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, 3)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [2], [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [2, 2], [1, 1, 5, 5])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [2, 2], [1, 1, 5, 5], True)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case18(p: "f32[2, 2, 3, 5]", v: "f32[2, 2, 2, 3, 5]", k: "f32[1, 2, 2, 3]", g: "f32[2, 2, 1, 2]", e: "f32[2, 2, 2, 2]", b: "f32[2, 2, 1, 2, 4]", f: "f32[2, 2, 1, 2, 2]", q: "f32[2, 1, 2, 3]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [2, 2])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [2, 2], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [2, 2], [0, 0], False, False, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, None)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [1], [2, 2], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [1, 2], [2, 2, 3, 5])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [1, 2], [2, 2, 3, 5], True)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)

def case19(p: "f64[1, 2, 5, 3]", v: "f64[1, 2, 2, 5, 3]", k: "f64[1, 2, 2, 3]", g: "f64[1, 2, 4, 2]", e: "f64[1, 2, 2, 2]", b: "f64[1, 2, 1, 4, 2]", f: "f64[1, 2, 1, 2, 2]", q: "f64[1, 1, 6, 3]"):
    i = torch.ops.aten.max_pool2d_with_indices(p, [2, 2], [1, 1])[1]
    y0 = torch.ops.aten.max_pool2d_with_indices_backward(g, p, [2, 2], [1, 1], [0, 0], [1, 1], False, i)
    j = torch.ops.aten.adaptive_max_pool2d(p, [2, 2])[1]
    y1 = torch.ops.aten.adaptive_max_pool2d_backward(e, p, j)
    l = torch.ops.aten.adaptive_max_pool3d(v, [1, 2, 2])[1]
    y2 = torch.ops.aten.adaptive_max_pool3d_backward(f, v, l)
    y3 = torch.ops.aten.avg_pool2d_backward(g, p, [2, 2], [1, 1], [0, 0], False, True, None)
    y4 = torch.ops.aten.avg_pool3d_backward(b, v, [2, 2, 2], [1, 1, 1], [0, 0, 0], False, True, 3)
    y5 = torch.ops.aten._adaptive_avg_pool2d_backward(e, p)
    y6 = torch.ops.aten._adaptive_avg_pool3d_backward(f, v)
    y7 = torch.ops.aten.convolution_backward(q, p, k, [1], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
    y8 = torch.ops.aten.upsample_nearest2d_backward(g, [4, 2], [1, 2, 5, 3])
    y9 = torch.ops.aten.upsample_bilinear2d_backward(g, [4, 2], [1, 2, 5, 3], True)
    return (y0, y1, y2, y3, y4, y5, y6, y7, y8, y9,)
