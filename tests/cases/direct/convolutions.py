import torch
from math import inf

def case0(a: "f32[1, 3, 2, 3]", b: "f32[1, 3, 2, 2, 3]", w: "f32[1, 3, 2, 2, 2]", e: "f32[1]", t: "f32[3, 1, 2, 3]", u: "f32[3, 1, 2, 2, 2]", k: "f32[1, 3, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 2, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 2, 1, 1)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 2)
    y3 = torch.ops.aten.convolution(a, k, e, [2, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case1(a: "f64[1, 1, 5, 6]", b: "f64[1, 1, 2, 5, 3]", w: "f64[1, 1, 2, 2, 2]", e: "f64[1]", t: "f64[1, 1, 2, 3]", u: "f64[1, 1, 2, 2, 2]", k: "f64[1, 1, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 2, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 2, 1, 1)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 2)
    y3 = torch.ops.aten.convolution(a, k, e, [2, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case2(a: "f32[2, 1, 3, 4]", b: "f32[2, 1, 2, 3, 3]", w: "f32[1, 1, 2, 2, 2]", e: "f32[1]", t: "f32[1, 1, 2, 3]", u: "f32[1, 1, 2, 2, 2]", k: "f32[1, 1, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 1, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 1, 1, 0)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 1)
    y3 = torch.ops.aten.convolution(a, k, e, [1, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case3(a: "f64[1, 2, 3, 4]", b: "f64[1, 2, 2, 3, 3]", w: "f64[2, 2, 2, 2, 2]", e: "f64[2]", t: "f64[2, 2, 2, 3]", u: "f64[2, 2, 2, 2, 2]", k: "f64[2, 2, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 2, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 2, 1, 1)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 2)
    y3 = torch.ops.aten.convolution(a, k, e, [2, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case4(a: "f32[2, 3, 3, 4]", b: "f32[2, 3, 2, 3, 3]", w: "f32[2, 3, 2, 2, 2]", e: "f32[2]", t: "f32[3, 2, 2, 3]", u: "f32[3, 2, 2, 2, 2]", k: "f32[2, 3, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 2, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 2, 1, 1)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 2)
    y3 = torch.ops.aten.convolution(a, k, e, [2, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case5(a: "f64[2, 3, 4, 5]", b: "f64[2, 3, 2, 4, 3]", w: "f64[1, 3, 2, 2, 2]", e: "f64[1]", t: "f64[3, 1, 2, 3]", u: "f64[3, 1, 2, 2, 2]", k: "f64[1, 3, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 1, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 1, 1, 0)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 1)
    y3 = torch.ops.aten.convolution(a, k, e, [1, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case6(a: "f32[1, 2, 5, 6]", b: "f32[1, 2, 2, 5, 3]", w: "f32[2, 2, 2, 2, 2]", e: "f32[2]", t: "f32[2, 2, 2, 3]", u: "f32[2, 2, 2, 2, 2]", k: "f32[2, 2, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 2, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 2, 1, 1)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 2)
    y3 = torch.ops.aten.convolution(a, k, e, [2, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case7(a: "f64[1, 2, 4, 5]", b: "f64[1, 2, 2, 4, 3]", w: "f64[1, 2, 2, 2, 2]", e: "f64[1]", t: "f64[2, 1, 2, 3]", u: "f64[2, 1, 2, 2, 2]", k: "f64[1, 2, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 2, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 2, 1, 1)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 2)
    y3 = torch.ops.aten.convolution(a, k, e, [2, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case8(a: "f32[2, 2, 5, 6]", b: "f32[2, 2, 2, 5, 3]", w: "f32[1, 2, 2, 2, 2]", e: "f32[1]", t: "f32[2, 1, 2, 3]", u: "f32[2, 1, 2, 2, 2]", k: "f32[1, 2, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 1, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 1, 1, 0)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 1)
    y3 = torch.ops.aten.convolution(a, k, e, [1, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case9(a: "f64[1, 3, 4, 5]", b: "f64[1, 3, 2, 4, 3]", w: "f64[1, 3, 2, 2, 2]", e: "f64[1]", t: "f64[3, 1, 2, 3]", u: "f64[3, 1, 2, 2, 2]", k: "f64[1, 3, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 2, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 2, 1, 1)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 2)
    y3 = torch.ops.aten.convolution(a, k, e, [2, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case10(a: "f32[2, 3, 5, 6]", b: "f32[2, 3, 2, 5, 3]", w: "f32[1, 3, 2, 2, 2]", e: "f32[1]", t: "f32[3, 1, 2, 3]", u: "f32[3, 1, 2, 2, 2]", k: "f32[1, 3, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 2, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 2, 1, 1)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 2)
    y3 = torch.ops.aten.convolution(a, k, e, [2, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case11(a: "f64[2, 1, 5, 6]", b: "f64[2, 1, 2, 5, 3]", w: "f64[2, 1, 2, 2, 2]", e: "f64[2]", t: "f64[1, 2, 2, 3]", u: "f64[1, 2, 2, 2, 2]", k: "f64[2, 1, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 2, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 2, 1, 1)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 2)
    y3 = torch.ops.aten.convolution(a, k, e, [2, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case12(a: "f32[1, 1, 4, 5]", b: "f32[1, 1, 2, 4, 3]", w: "f32[1, 1, 2, 2, 2]", e: "f32[1]", t: "f32[1, 1, 2, 3]", u: "f32[1, 1, 2, 2, 2]", k: "f32[1, 1, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 2, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 2, 1, 1)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 2)
    y3 = torch.ops.aten.convolution(a, k, e, [2, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case13(a: "f64[1, 2, 2, 3]", b: "f64[1, 2, 2, 2, 3]", w: "f64[2, 2, 2, 2, 2]", e: "f64[2]", t: "f64[2, 2, 2, 3]", u: "f64[2, 2, 2, 2, 2]", k: "f64[2, 2, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 1, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 1, 1, 0)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 1)
    y3 = torch.ops.aten.convolution(a, k, e, [1, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case14(a: "f32[2, 1, 4, 5]", b: "f32[2, 1, 2, 4, 3]", w: "f32[2, 1, 2, 2, 2]", e: "f32[2]", t: "f32[1, 2, 2, 3]", u: "f32[1, 2, 2, 2, 2]", k: "f32[2, 1, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 1, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 1, 1, 0)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 1)
    y3 = torch.ops.aten.convolution(a, k, e, [1, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case15(a: "f64[1, 1, 2, 3]", b: "f64[1, 1, 2, 2, 3]", w: "f64[2, 1, 2, 2, 2]", e: "f64[2]", t: "f64[1, 2, 2, 3]", u: "f64[1, 2, 2, 2, 2]", k: "f64[2, 1, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 2, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 2, 1, 1)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 2)
    y3 = torch.ops.aten.convolution(a, k, e, [2, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case16(a: "f32[1, 3, 5, 6]", b: "f32[1, 3, 2, 5, 3]", w: "f32[1, 3, 2, 2, 2]", e: "f32[1]", t: "f32[3, 1, 2, 3]", u: "f32[3, 1, 2, 2, 2]", k: "f32[1, 3, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 1, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 1, 1, 0)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 1)
    y3 = torch.ops.aten.convolution(a, k, e, [1, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case17(a: "f64[2, 2, 2, 3]", b: "f64[2, 2, 2, 2, 3]", w: "f64[1, 2, 2, 2, 2]", e: "f64[1]", t: "f64[2, 1, 2, 3]", u: "f64[2, 1, 2, 2, 2]", k: "f64[1, 2, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 1, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 1, 1, 0)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 1)
    y3 = torch.ops.aten.convolution(a, k, e, [1, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case18(a: "f32[1, 1, 3, 4]", b: "f32[1, 1, 2, 3, 3]", w: "f32[2, 1, 2, 2, 2]", e: "f32[2]", t: "f32[1, 2, 2, 3]", u: "f32[1, 2, 2, 2, 2]", k: "f32[2, 1, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 1, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 1, 1, 0)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 1)
    y3 = torch.ops.aten.convolution(a, k, e, [1, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)

def case19(a: "f64[2, 2, 3, 4]", b: "f64[2, 2, 2, 3, 3]", w: "f64[1, 2, 2, 2, 2]", e: "f64[1]", t: "f64[2, 1, 2, 3]", u: "f64[2, 1, 2, 2, 2]", k: "f64[1, 2, 2, 3]"):
    y0 = torch.nn.functional.conv3d(b, w, e, 2, 1)
    y1 = torch.nn.functional.conv_transpose2d(a, t, e, 2, 1, 1)
    y2 = torch.nn.functional.conv_transpose3d(b, u, e, 2)
    y3 = torch.ops.aten.convolution(a, k, e, [2, 1], [1, 0], [1, 1], False, [0, 0], 1)
    return (y0, y1, y2, y3,)
