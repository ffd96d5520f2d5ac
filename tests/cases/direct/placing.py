import torch
from math import inf

def case0(a: "f32[6, 2]", b: "f32[4, 2]", e: "f32[6, 4]", i: "i64[4]", j: "i64[4]", o: "i64[6]", v: "f32[6]", t: "i64[4, 2]", w: "f32[4, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=False)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=False)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=False)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=False)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case1(a: "f64[3, 1]", b: "f64[2, 1]", e: "f64[3, 2]", i: "i64[2]", j: "i64[2]", o: "i64[3]", v: "f64[3]", t: "i64[2, 2]", w: "f64[2, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=True)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=True)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=True)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=True)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case2(a: "f32[5, 3]", b: "f32[4, 3]", e: "f32[5, 4]", i: "i64[4]", j: "i64[4]", o: "i64[5]", v: "f32[5]", t: "i64[4, 2]", w: "f32[4, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=False)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=False)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=False)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=False)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case3(a: "f64[6, 5]", b: "f64[2, 5]", e: "f64[6, 2]", i: "i64[2]", j: "i64[2]", o: "i64[6]", v: "f64[6]", t: "i64[2, 2]", w: "f64[2, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=True)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=True)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=True)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=True)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case4(a: "f32[3, 5]", b: "f32[1, 5]", e: "f32[3, 1]", i: "i64[1]", j: "i64[1]", o: "i64[3]", v: "f32[3]", t: "i64[1, 2]", w: "f32[1, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=False)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=False)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=False)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=False)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case5(a: "f64[4, 3]", b: "f64[4, 3]", e: "f64[4, 4]", i: "i64[4]", j: "i64[4]", o: "i64[4]", v: "f64[4]", t: "i64[4, 2]", w: "f64[4, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=False)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=False)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=False)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=False)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case6(a: "f32[2, 4]", b: "f32[4, 4]", e: "f32[2, 4]", i: "i64[4]", j: "i64[4]", o: "i64[2]", v: "f32[2]", t: "i64[4, 2]", w: "f32[4, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=True)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=True)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=True)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=True)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case7(a: "f64[3, 4]", b: "f64[5, 4]", e: "f64[3, 5]", i: "i64[5]", j: "i64[5]", o: "i64[3]", v: "f64[3]", t: "i64[5, 2]", w: "f64[5, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=False)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=False)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=False)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=False)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case8(a: "f32[4, 1]", b: "f32[3, 1]", e: "f32[4, 3]", i: "i64[3]", j: "i64[3]", o: "i64[4]", v: "f32[4]", t: "i64[3, 2]", w: "f32[3, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=True)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=True)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=True)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=True)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case9(a: "f64[2, 1]", b: "f64[1, 1]", e: "f64[2, 1]", i: "i64[1]", j: "i64[1]", o: "i64[2]", v: "f64[2]", t: "i64[1, 2]", w: "f64[1, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=False)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=False)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=False)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=False)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case10(a: "f32[5, 5]", b: "f32[3, 5]", e: "f32[5, 3]", i: "i64[3]", j: "i64[3]", o: "i64[5]", v: "f32[5]", t: "i64[3, 2]", w: "f32[3, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=False)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=False)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=False)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=False)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case11(a: "f64[4, 5]", b: "f64[1, 5]", e: "f64[4, 1]", i: "i64[1]", j: "i64[1]", o: "i64[4]", v: "f64[4]", t: "i64[1, 2]", w: "f64[1, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=True)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=True)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=True)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=True)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case12(a: "f32[6, 3]", b: "f32[1, 3]", e: "f32[6, 1]", i: "i64[1]", j: "i64[1]", o: "i64[6]", v: "f32[6]", t: "i64[1, 2]", w: "f32[1, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=True)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=True)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=True)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=True)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case13(a: "f64[4, 4]", b: "f64[2, 4]", e: "f64[4, 2]", i: "i64[2]", j: "i64[2]", o: "i64[4]", v: "f64[4]", t: "i64[2, 2]", w: "f64[2, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=False)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=False)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=False)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=False)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case14(a: "f32[5, 2]", b: "f32[1, 2]", e: "f32[5, 1]", i: "i64[1]", j: "i64[1]", o: "i64[5]", v: "f32[5]", t: "i64[1, 2]", w: "f32[1, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=False)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=False)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=False)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=False)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case15(a: "f64[2, 3]", b: "f64[5, 3]", e: "f64[2, 5]", i: "i64[5]", j: "i64[5]", o: "i64[2]", v: "f64[2]", t: "i64[5, 2]", w: "f64[5, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=False)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=False)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=False)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=False)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case16(a: "f32[3, 2]", b: "f32[4, 2]", e: "f32[3, 4]", i: "i64[4]", j: "i64[4]", o: "i64[3]", v: "f32[3]", t: "i64[4, 2]", w: "f32[4, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=True)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=True)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=True)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=True)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case17(a: "f64[5, 1]", b: "f64[5, 1]", e: "f64[5, 5]", i: "i64[5]", j: "i64[5]", o: "i64[5]", v: "f64[5]", t: "i64[5, 2]", w: "f64[5, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=True)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=True)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=True)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=True)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case18(a: "f32[5, 4]", b: "f32[2, 4]", e: "f32[5, 2]", i: "i64[2]", j: "i64[2]", o: "i64[5]", v: "f32[5]", t: "i64[2, 2]", w: "f32[2, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=False)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=False)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=False)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=False)
    return (y0, y1, y2, y3, y4, y5, y6,)

def case19(a: "f64[2, 5]", b: "f64[3, 5]", e: "f64[2, 3]", i: "i64[3]", j: "i64[3]", o: "i64[2]", v: "f64[2]", t: "i64[3, 2]", w: "f64[3, 2]"):
    y0 = torch.put(a, o, v)
    y1 = torch.put(a, t, w, accumulate=True)
    y2 = a.clone().put_(o - a.numel(), v)
    y3 = torch.index_reduce(a, 0, i, b, 'prod', include_self=False)
    y4 = torch.index_reduce(a, 1, j, e, 'mean', include_self=False)
    y5 = torch.index_reduce(a, 0, i, b, 'amax', include_self=False)
    y6 = a.clone().index_reduce_(1, j, e, 'amin', include_self=False)
    return (y0, y1, y2, y3, y4, y5, y6,)
