import torch
from math import inf

def case0(l: "f32[1, 1, 4]", p: "f32[1, 1, 6, 6]", v: "f32[1, 1, 2, 6, 6]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case1(l: "f64[2, 1, 4]", p: "f64[2, 1, 4, 2]", v: "f64[2, 1, 2, 4, 2]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case2(l: "f32[2, 1, 8]", p: "f32[2, 1, 4, 4]", v: "f32[2, 1, 2, 4, 4]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case3(l: "f64[2, 3, 8]", p: "f64[2, 3, 6, 2]", v: "f64[2, 3, 2, 6, 2]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case4(l: "f32[1, 1, 8]", p: "f32[1, 1, 4, 2]", v: "f32[1, 1, 2, 4, 2]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case5(l: "f64[2, 3, 4]", p: "f64[2, 3, 6, 6]", v: "f64[2, 3, 2, 6, 6]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case6(l: "f32[1, 2, 2]", p: "f32[1, 2, 4, 4]", v: "f32[1, 2, 2, 4, 4]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case7(l: "f64[1, 3, 2]", p: "f64[1, 3, 4, 2]", v: "f64[1, 3, 2, 4, 2]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case8(l: "f32[1, 2, 8]", p: "f32[1, 2, 6, 4]", v: "f32[1, 2, 2, 6, 4]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case9(l: "f64[2, 2, 10]", p: "f64[2, 2, 6, 2]", v: "f64[2, 2, 2, 6, 2]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case10(l: "f32[2, 2, 8]", p: "f32[2, 2, 6, 4]", v: "f32[2, 2, 2, 6, 4]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case11(l: "f64[2, 1, 10]", p: "f64[2, 1, 6, 2]", v: "f64[2, 1, 2, 6, 2]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case12(l: "f32[1, 3, 6]", p: "f32[1, 3, 4, 6]", v: "f32[1, 3, 2, 4, 6]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case13(l: "f64[2, 2, 4]", p: "f64[2, 2, 6, 6]", v: "f64[2, 2, 2, 6, 6]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case14(l: "f32[1, 1, 10]", p: "f32[1, 1, 4, 4]", v: "f32[1, 1, 2, 4, 4]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case15(l: "f64[1, 2, 4]", p: "f64[1, 2, 4, 6]", v: "f64[1, 2, 2, 4, 6]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case16(l: "f32[1, 1, 6]", p: "f32[1, 1, 6, 4]", v: "f32[1, 1, 2, 6, 4]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case17(l: "f64[1, 2, 6]", p: "f64[1, 2, 6, 6]", v: "f64[1, 2, 2, 6, 6]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case18(l: "f32[2, 1, 2]", p: "f32[2, 1, 6, 6]", v: "f32[2, 1, 2, 6, 6]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)

def case19(l: "f64[1, 2, 10]", p: "f64[1, 2, 6, 2]", v: "f64[1, 2, 2, 6, 2]"):
    y, i = torch.nn.functional.max_pool1d_with_indices(l, 2)
    y0 = torch.nn.functional.max_unpool1d(y, i, 2)
    z, j = torch.nn.functional.max_pool2d_with_indices(p, 2)
    y1 = torch.nn.functional.max_unpool2d(z, j, 2)
    u, k = torch.nn.functional.max_pool3d_with_indices(v, 2)
    y2 = torch.nn.functional.max_unpool3d(u, k, 2)
    return (y0, y1, y2,)
