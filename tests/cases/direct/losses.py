import torch
from math import inf

def case0(a: "f32[4, 6]", t: "i64[4]", w: "f32[6]", y: "i64[4, 6]", l: "i64[4, 6]", p: "f32[4, 6]", q: "f32[4, 6]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=2, margin=0.7, weight=w, reduction='none')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='none')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='none')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 0, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=True, reduction='none')
    return (y0, y1, y2, y3, y4,)

def case1(a: "f64[3, 5]", t: "i64[3]", w: "f64[5]", y: "i64[3, 5]", l: "i64[3, 5]", p: "f64[3, 5]", q: "f64[3, 5]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=2, margin=0.7, weight=w, reduction='none')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='none')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='none')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 2, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=True, reduction='none')
    return (y0, y1, y2, y3, y4,)

def case2(a: "f32[6, 5]", t: "i64[6]", w: "f32[5]", y: "i64[6, 5]", l: "i64[6, 5]", p: "f32[6, 5]", q: "f32[6, 5]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=1, margin=0.7, weight=w, reduction='sum')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='sum')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='sum')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 0, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=True, reduction='sum')
    return (y0, y1, y2, y3, y4,)

def case3(a: "f64[3, 4]", t: "i64[3]", w: "f64[4]", y: "i64[3, 4]", l: "i64[3, 4]", p: "f64[3, 4]", q: "f64[3, 4]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=1, margin=0.7, weight=w, reduction='none')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='none')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='none')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=False, reduction='none')
    return (y0, y1, y2, y3, y4,)

def case4(a: "f32[2, 5]", t: "i64[2]", w: "f32[5]", y: "i64[2, 5]", l: "i64[2, 5]", p: "f32[2, 5]", q: "f32[2, 5]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=1, margin=0.7, weight=w, reduction='none')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='none')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='none')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 0, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=True, reduction='none')
    return (y0, y1, y2, y3, y4,)

def case5(a: "f64[3, 6]", t: "i64[3]", w: "f64[6]", y: "i64[3, 6]", l: "i64[3, 6]", p: "f64[3, 6]", q: "f64[3, 6]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=2, margin=0.7, weight=w, reduction='none')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='none')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='none')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 2, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=True, reduction='none')
    return (y0, y1, y2, y3, y4,)

def case6(a: "f32[4, 4]", t: "i64[4]", w: "f32[4]", y: "i64[4, 4]", l: "i64[4, 4]", p: "f32[4, 4]", q: "f32[4, 4]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=2, margin=0.7, weight=w, reduction='mean')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='mean')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='mean')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 0, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=True, reduction='mean')
    return (y0, y1, y2, y3, y4,)

def case7(a: "f64[2, 6]", t: "i64[2]", w: "f64[6]", y: "i64[2, 6]", l: "i64[2, 6]", p: "f64[2, 6]", q: "f64[2, 6]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=2, margin=0.7, weight=w, reduction='sum')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='sum')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='sum')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 0, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=True, reduction='sum')
    return (y0, y1, y2, y3, y4,)

def case8(a: "f32[6, 6]", t: "i64[6]", w: "f32[6]", y: "i64[6, 6]", l: "i64[6, 6]", p: "f32[6, 6]", q: "f32[6, 6]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=2, margin=0.7, weight=w, reduction='mean')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='mean')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='mean')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=True, reduction='mean')
    return (y0, y1, y2, y3, y4,)

def case9(a: "f64[3, 3]", t: "i64[3]", w: "f64[3]", y: "i64[3, 3]", l: "i64[3, 3]", p: "f64[3, 3]", q: "f64[3, 3]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=1, margin=0.7, weight=w, reduction='mean')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='mean')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='mean')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 0, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=True, reduction='mean')
    return (y0, y1, y2, y3, y4,)

def case10(a: "f32[2, 3]", t: "i64[2]", w: "f32[3]", y: "i64[2, 3]", l: "i64[2, 3]", p: "f32[2, 3]", q: "f32[2, 3]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=1, margin=0.7, weight=w, reduction='sum')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='sum')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='sum')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 2, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=True, reduction='sum')
    return (y0, y1, y2, y3, y4,)

def case11(a: "f64[5, 4]", t: "i64[5]", w: "f64[4]", y: "i64[5, 4]", l: "i64[5, 4]", p: "f64[5, 4]", q: "f64[5, 4]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=2, margin=0.7, weight=w, reduction='sum')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='sum')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='sum')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 1, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=False, reduction='sum')
    return (y0, y1, y2, y3, y4,)

def case12(a: "f32[6, 2]", t: "i64[6]", w: "f32[2]", y: "i64[6, 2]", l: "i64[6, 2]", p: "f32[6, 2]", q: "f32[6, 2]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=2, margin=0.7, weight=w, reduction='mean')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='mean')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='mean')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 2, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=False, reduction='mean')
    return (y0, y1, y2, y3, y4,)

def case13(a: "f64[3, 2]", t: "i64[3]", w: "f64[2]", y: "i64[3, 2]", l: "i64[3, 2]", p: "f64[3, 2]", q: "f64[3, 2]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=2, margin=0.7, weight=w, reduction='none')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='none')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='none')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 2, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=True, reduction='none')
    return (y0, y1, y2, y3, y4,)

def case14(a: "f32[4, 5]", t: "i64[4]", w: "f32[5]", y: "i64[4, 5]", l: "i64[4, 5]", p: "f32[4, 5]", q: "f32[4, 5]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=2, margin=0.7, weight=w, reduction='sum')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='sum')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='sum')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 2, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=False, reduction='sum')
    return (y0, y1, y2, y3, y4,)

def case15(a: "f64[1, 4]", t: "i64[1]", w: "f64[4]", y: "i64[1, 4]", l: "i64[1, 4]", p: "f64[1, 4]", q: "f64[1, 4]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=2, margin=0.7, weight=w, reduction='mean')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='mean')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='mean')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 2, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=True, reduction='mean')
    return (y0, y1, y2, y3, y4,)

def case16(a: "f32[1, 6]", t: "i64[1]", w: "f32[6]", y: "i64[1, 6]", l: "i64[1, 6]", p: "f32[1, 6]", q: "f32[1, 6]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=1, margin=0.7, weight=w, reduction='none')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='none')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='none')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 0, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=False, reduction='none')
    return (y0, y1, y2, y3, y4,)

def case17(a: "f64[5, 5]", t: "i64[5]", w: "f64[5]", y: "i64[5, 5]", l: "i64[5, 5]", p: "f64[5, 5]", q: "f64[5, 5]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=2, margin=0.7, weight=w, reduction='none')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='none')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='none')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 2, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=True, reduction='none')
    return (y0, y1, y2, y3, y4,)

def case18(a: "f32[5, 6]", t: "i64[5]", w: "f32[6]", y: "i64[5, 6]", l: "i64[5, 6]", p: "f32[5, 6]", q: "f32[5, 6]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=1, margin=0.7, weight=w, reduction='none')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='none')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='none')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 2, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=True, reduction='none')
    return (y0, y1, y2, y3, y4,)

def case19(a: "f64[2, 2]", t: "i64[2]", w: "f64[2]", y: "i64[2, 2]", l: "i64[2, 2]", p: "f64[2, 2]", q: "f64[2, 2]"):
    y0 = torch.nn.functional.multi_margin_loss(a, t, p=1, margin=0.7, weight=w, reduction='mean')
    y1 = torch.nn.functional.multilabel_margin_loss(a, l, reduction='mean')
    y2 = torch.nn.functional.multilabel_soft_margin_loss(a, y, w, reduction='mean')
    y3 = torch.ops.aten.nll_loss_forward(a, t, w, 0, -100)
    y4 = torch.nn.functional.triplet_margin_with_distance_loss(a, p, q, margin=0.8, swap=False, reduction='mean')
    return (y0, y1, y2, y3, y4,)
