import torch
from math import inf

def case0(a: "f32[1, 2]", t: "i64[1]", w: "f32[2]", g: "f32[1]", h: "f32[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case1(a: "f64[1, 5]", t: "i64[1]", w: "f64[5]", g: "f64[1]", h: "f64[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case2(a: "f32[5, 2]", t: "i64[5]", w: "f32[2]", g: "f32[5]", h: "f32[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case3(a: "f64[2, 5]", t: "i64[2]", w: "f64[5]", g: "f64[2]", h: "f64[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case4(a: "f32[3, 5]", t: "i64[3]", w: "f32[5]", g: "f32[3]", h: "f32[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case5(a: "f64[2, 2]", t: "i64[2]", w: "f64[2]", g: "f64[2]", h: "f64[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case6(a: "f32[3, 4]", t: "i64[3]", w: "f32[4]", g: "f32[3]", h: "f32[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case7(a: "f64[4, 5]", t: "i64[4]", w: "f64[5]", g: "f64[4]", h: "f64[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case8(a: "f32[1, 3]", t: "i64[1]", w: "f32[3]", g: "f32[1]", h: "f32[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case9(a: "f64[6, 4]", t: "i64[6]", w: "f64[4]", g: "f64[6]", h: "f64[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case10(a: "f32[4, 4]", t: "i64[4]", w: "f32[4]", g: "f32[4]", h: "f32[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case11(a: "f64[5, 5]", t: "i64[5]", w: "f64[5]", g: "f64[5]", h: "f64[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case12(a: "f32[5, 6]", t: "i64[5]", w: "f32[6]", g: "f32[5]", h: "f32[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case13(a: "f64[5, 3]", t: "i64[5]", w: "f64[3]", g: "f64[5]", h: "f64[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case14(a: "f32[5, 4]", t: "i64[5]", w: "f32[4]", g: "f32[5]", h: "f32[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case15(a: "f64[4, 2]", t: "i64[4]", w: "f64[2]", g: "f64[4]", h: "f64[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case16(a: "f32[6, 2]", t: "i64[6]", w: "f32[2]", g: "f32[6]", h: "f32[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case17(a: "f64[6, 5]", t: "i64[6]", w: "f64[5]", g: "f64[6]", h: "f64[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case18(a: "f32[3, 6]", t: "i64[3]", w: "f32[6]", g: "f32[3]", h: "f32[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)

def case19(a: "f64[6, 3]", t: "i64[6]", w: "f64[3]", g: "f64[6]", h: "f64[]"):
    k = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)[1]
    y0 = torch.ops.aten.nll_loss_backward(h, a, t, w, 1, -100, k)
    y1 = torch.ops.aten.nll_loss_backward(h, a, t, w, 2, -100, k)
    y2 = torch.ops.aten.nll_loss_backward(g, a, t, w, 0, -100, k)
    return (y0, y1, y2,)
