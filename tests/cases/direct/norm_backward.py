import torch
from math import inf

def case0(a: "f32[3, 6, 3]", g: "f32[3, 6, 3]", w: "f32[3]", b: "f32[3]", v: "f32[6]", u: "f32[6]", e: "f32[6]", f: "f32[6]"):
    m, r = torch.ops.aten.native_layer_norm(a, [3], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [3], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 3, 6, 3, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 3, 6, 3, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case1(a: "f64[2, 6, 5]", g: "f64[2, 6, 5]", w: "f64[5]", b: "f64[5]", v: "f64[6]", u: "f64[6]", e: "f64[6]", f: "f64[6]"):
    m, r = torch.ops.aten.native_layer_norm(a, [5], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [5], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 2, 6, 5, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 2, 6, 5, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case2(a: "f32[3, 2, 5]", g: "f32[3, 2, 5]", w: "f32[5]", b: "f32[5]", v: "f32[2]", u: "f32[2]", e: "f32[2]", f: "f32[2]"):
    m, r = torch.ops.aten.native_layer_norm(a, [5], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [5], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 3, 2, 5, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 3, 2, 5, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case3(a: "f64[2, 6, 3]", g: "f64[2, 6, 3]", w: "f64[3]", b: "f64[3]", v: "f64[6]", u: "f64[6]", e: "f64[6]", f: "f64[6]"):
    m, r = torch.ops.aten.native_layer_norm(a, [3], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [3], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 2, 6, 3, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 2, 6, 3, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case4(a: "f32[1, 4, 4]", g: "f32[1, 4, 4]", w: "f32[4]", b: "f32[4]", v: "f32[4]", u: "f32[4]", e: "f32[4]", f: "f32[4]"):
    m, r = torch.ops.aten.native_layer_norm(a, [4], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [4], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 1, 4, 4, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 1, 4, 4, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case5(a: "f64[1, 4, 3]", g: "f64[1, 4, 3]", w: "f64[3]", b: "f64[3]", v: "f64[4]", u: "f64[4]", e: "f64[4]", f: "f64[4]"):
    m, r = torch.ops.aten.native_layer_norm(a, [3], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [3], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 1, 4, 3, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 1, 4, 3, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case6(a: "f32[3, 4, 5]", g: "f32[3, 4, 5]", w: "f32[5]", b: "f32[5]", v: "f32[4]", u: "f32[4]", e: "f32[4]", f: "f32[4]"):
    m, r = torch.ops.aten.native_layer_norm(a, [5], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [5], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 3, 4, 5, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 3, 4, 5, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case7(a: "f64[1, 4, 5]", g: "f64[1, 4, 5]", w: "f64[5]", b: "f64[5]", v: "f64[4]", u: "f64[4]", e: "f64[4]", f: "f64[4]"):
    m, r = torch.ops.aten.native_layer_norm(a, [5], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [5], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 1, 4, 5, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 1, 4, 5, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case8(a: "f32[2, 6, 4]", g: "f32[2, 6, 4]", w: "f32[4]", b: "f32[4]", v: "f32[6]", u: "f32[6]", e: "f32[6]", f: "f32[6]"):
    m, r = torch.ops.aten.native_layer_norm(a, [4], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [4], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 2, 6, 4, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 2, 6, 4, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case9(a: "f64[1, 2, 4]", g: "f64[1, 2, 4]", w: "f64[4]", b: "f64[4]", v: "f64[2]", u: "f64[2]", e: "f64[2]", f: "f64[2]"):
    m, r = torch.ops.aten.native_layer_norm(a, [4], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [4], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 1, 2, 4, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 1, 2, 4, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case10(a: "f32[2, 4, 5]", g: "f32[2, 4, 5]", w: "f32[5]", b: "f32[5]", v: "f32[4]", u: "f32[4]", e: "f32[4]", f: "f32[4]"):
    m, r = torch.ops.aten.native_layer_norm(a, [5], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [5], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 2, 4, 5, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 2, 4, 5, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case11(a: "f64[2, 4, 4]", g: "f64[2, 4, 4]", w: "f64[4]", b: "f64[4]", v: "f64[4]", u: "f64[4]", e: "f64[4]", f: "f64[4]"):
    m, r = torch.ops.aten.native_layer_norm(a, [4], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [4], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 2, 4, 4, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 2, 4, 4, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case12(a: "f32[1, 2, 3]", g: "f32[1, 2, 3]", w: "f32[3]", b: "f32[3]", v: "f32[2]", u: "f32[2]", e: "f32[2]", f: "f32[2]"):
    m, r = torch.ops.aten.native_layer_norm(a, [3], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [3], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 1, 2, 3, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 1, 2, 3, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case13(a: "f64[3, 4, 3]", g: "f64[3, 4, 3]", w: "f64[3]", b: "f64[3]", v: "f64[4]", u: "f64[4]", e: "f64[4]", f: "f64[4]"):
    m, r = torch.ops.aten.native_layer_norm(a, [3], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [3], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 3, 4, 3, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 3, 4, 3, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case14(a: "f32[2, 4, 3]", g: "f32[2, 4, 3]", w: "f32[3]", b: "f32[3]", v: "f32[4]", u: "f32[4]", e: "f32[4]", f: "f32[4]"):
    m, r = torch.ops.aten.native_layer_norm(a, [3], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [3], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 2, 4, 3, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 2, 4, 3, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case15(a: "f64[2, 2, 4]", g: "f64[2, 2, 4]", w: "f64[4]", b: "f64[4]", v: "f64[2]", u: "f64[2]", e: "f64[2]", f: "f64[2]"):
    m, r = torch.ops.aten.native_layer_norm(a, [4], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [4], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 2, 2, 4, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 2, 2, 4, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case16(a: "f32[3, 4, 4]", g: "f32[3, 4, 4]", w: "f32[4]", b: "f32[4]", v: "f32[4]", u: "f32[4]", e: "f32[4]", f: "f32[4]"):
    m, r = torch.ops.aten.native_layer_norm(a, [4], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [4], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 3, 4, 4, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 3, 4, 4, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case17(a: "f64[3, 2, 4]", g: "f64[3, 2, 4]", w: "f64[4]", b: "f64[4]", v: "f64[2]", u: "f64[2]", e: "f64[2]", f: "f64[2]"):
    m, r = torch.ops.aten.native_layer_norm(a, [4], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [4], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 3, 2, 4, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 3, 2, 4, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case18(a: "f32[2, 2, 5]", g: "f32[2, 2, 5]", w: "f32[5]", b: "f32[5]", v: "f32[2]", u: "f32[2]", e: "f32[2]", f: "f32[2]"):
    m, r = torch.ops.aten.native_layer_norm(a, [5], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [5], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 2, 2, 5, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 2, 2, 5, 2, [True, True, True])
    return (y0, y1, y2, y3,)

def case19(a: "f64[1, 6, 3]", g: "f64[1, 6, 3]", w: "f64[3]", b: "f64[3]", v: "f64[6]", u: "f64[6]", e: "f64[6]", f: "f64[6]"):
    m, r = torch.ops.aten.native_layer_norm(a, [3], w, b, 1e-05)[1:]
    y0 = torch.ops.aten.native_layer_norm_backward(g, a, [3], m, r, w, b, [True, True, True])
    bm, br = torch.ops.aten.native_batch_norm(a, v, u, None, None, True, 0.1, 1e-05)[1:]
    y1 = torch.ops.aten.native_batch_norm_backward(g, a, v, None, None, bm, br, True, 1e-05, [True, True, True])
    y2 = torch.ops.aten.native_batch_norm_backward(g, a, v, e, f, bm, br, False, 1e-05, [True, True, True])
    gm, gr = torch.ops.aten.native_group_norm(a, v, u, 1, 6, 3, 2, 1e-05)[1:]
    y3 = torch.ops.aten.native_group_norm_backward(g, a, gm, gr, v, 1, 6, 3, 2, [True, True, True])
    return (y0, y1, y2, y3,)
