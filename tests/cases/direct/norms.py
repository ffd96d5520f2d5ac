import torch
from math import inf

def case0(a: "f32[3, 4, 3]", w: "f32[4]", b: "f32[4]", g: "f32[3]", m: "b8[3, 4, 3]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 3, 4, 3, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 1, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case1(a: "f64[3, 4, 4]", w: "f64[4]", b: "f64[4]", g: "f64[4]", m: "b8[3, 4, 4]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 3, 4, 4, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 2, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case2(a: "f32[1, 4, 2]", w: "f32[4]", b: "f32[4]", g: "f32[2]", m: "b8[1, 4, 2]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 1, 4, 2, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 2, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case3(a: "f64[1, 6, 3]", w: "f64[6]", b: "f64[6]", g: "f64[3]", m: "b8[1, 6, 3]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 1, 6, 3, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 3, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case4(a: "f32[2, 4, 4]", w: "f32[4]", b: "f32[4]", g: "f32[4]", m: "b8[2, 4, 4]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 2, 4, 4, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 2, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case5(a: "f64[3, 2, 2]", w: "f64[2]", b: "f64[2]", g: "f64[2]", m: "b8[3, 2, 2]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 3, 2, 2, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 2, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case6(a: "f32[2, 6, 2]", w: "f32[6]", b: "f32[6]", g: "f32[2]", m: "b8[2, 6, 2]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 2, 6, 2, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 1, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case7(a: "f64[3, 2, 4]", w: "f64[2]", b: "f64[2]", g: "f64[4]", m: "b8[3, 2, 4]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 3, 2, 4, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 1, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case8(a: "f32[3, 6, 5]", w: "f32[6]", b: "f32[6]", g: "f32[5]", m: "b8[3, 6, 5]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 3, 6, 5, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 1, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case9(a: "f64[1, 6, 2]", w: "f64[6]", b: "f64[6]", g: "f64[2]", m: "b8[1, 6, 2]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 1, 6, 2, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 1, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case10(a: "f32[2, 2, 4]", w: "f32[2]", b: "f32[2]", g: "f32[4]", m: "b8[2, 2, 4]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 2, 2, 4, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 1, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case11(a: "f64[3, 2, 5]", w: "f64[2]", b: "f64[2]", g: "f64[5]", m: "b8[3, 2, 5]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 3, 2, 5, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 1, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case12(a: "f32[3, 6, 3]", w: "f32[6]", b: "f32[6]", g: "f32[3]", m: "b8[3, 6, 3]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 3, 6, 3, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 1, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case13(a: "f64[2, 6, 5]", w: "f64[6]", b: "f64[6]", g: "f64[5]", m: "b8[2, 6, 5]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 2, 6, 5, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 3, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case14(a: "f32[3, 6, 2]", w: "f32[6]", b: "f32[6]", g: "f32[2]", m: "b8[3, 6, 2]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 3, 6, 2, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 1, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case15(a: "f64[1, 6, 5]", w: "f64[6]", b: "f64[6]", g: "f64[5]", m: "b8[1, 6, 5]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 1, 6, 5, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 2, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case16(a: "f32[2, 4, 5]", w: "f32[4]", b: "f32[4]", g: "f32[5]", m: "b8[2, 4, 5]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 2, 4, 5, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 2, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case17(a: "f64[2, 2, 5]", w: "f64[2]", b: "f64[2]", g: "f64[5]", m: "b8[2, 2, 5]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 2, 2, 5, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 2, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case18(a: "f32[1, 2, 2]", w: "f32[2]", b: "f32[2]", g: "f32[2]", m: "b8[1, 2, 2]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 1, 2, 2, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 2, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)

def case19(a: "f64[2, 4, 2]", w: "f64[4]", b: "f64[4]", g: "f64[2]", m: "b8[2, 4, 2]"):
    y0 = torch.ops.aten.native_group_norm(a, w, b, 2, 4, 2, 2, 1e-05)
    y1 = torch.nn.functional.local_response_norm(a, 1, 0.3, 0.7, 1.2)
    y2 = torch.ops.aten.native_batch_norm(a, w, b, None, None, True, 0.1, 1e-05)
    return (y0, y1, y2,)
