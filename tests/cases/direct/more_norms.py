import torch
from math import inf

def case0(a: "f32[3, 4, 2]", w: "f32[4]", b: "f32[4]", g: "f32[2]", m: "b8[3, 4, 2]", e: "f32[4]", f: "f32[4]", k: "f32[3, 1, 1]", h: "bf16[3, 2]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [2], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case1(a: "f64[2, 2, 3]", w: "f64[2]", b: "f64[2]", g: "f64[3]", m: "b8[2, 2, 3]", e: "f64[2]", f: "f64[2]", k: "f64[2, 1, 1]", h: "bf16[2, 3]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [3], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case2(a: "f32[1, 2, 4]", w: "f32[2]", b: "f32[2]", g: "f32[4]", m: "b8[1, 2, 4]", e: "f32[2]", f: "f32[2]", k: "f32[1, 1, 1]", h: "bf16[1, 4]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [4], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case3(a: "f64[2, 3, 2]", w: "f64[3]", b: "f64[3]", g: "f64[2]", m: "b8[2, 3, 2]", e: "f64[3]", f: "f64[3]", k: "f64[2, 1, 1]", h: "bf16[2, 2]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [2], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case4(a: "f32[3, 3, 2]", w: "f32[3]", b: "f32[3]", g: "f32[2]", m: "b8[3, 3, 2]", e: "f32[3]", f: "f32[3]", k: "f32[3, 1, 1]", h: "bf16[3, 2]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [2], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case5(a: "f64[1, 3, 2]", w: "f64[3]", b: "f64[3]", g: "f64[2]", m: "b8[1, 3, 2]", e: "f64[3]", f: "f64[3]", k: "f64[1, 1, 1]", h: "bf16[1, 2]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [2], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case6(a: "f32[3, 2, 3]", w: "f32[2]", b: "f32[2]", g: "f32[3]", m: "b8[3, 2, 3]", e: "f32[2]", f: "f32[2]", k: "f32[3, 1, 1]", h: "bf16[3, 3]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [3], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case7(a: "f64[3, 1, 4]", w: "f64[1]", b: "f64[1]", g: "f64[4]", m: "b8[3, 1, 4]", e: "f64[1]", f: "f64[1]", k: "f64[3, 1, 1]", h: "bf16[3, 4]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [4], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case8(a: "f32[3, 3, 3]", w: "f32[3]", b: "f32[3]", g: "f32[3]", m: "b8[3, 3, 3]", e: "f32[3]", f: "f32[3]", k: "f32[3, 1, 1]", h: "bf16[3, 3]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [3], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case9(a: "f64[1, 1, 3]", w: "f64[1]", b: "f64[1]", g: "f64[3]", m: "b8[1, 1, 3]", e: "f64[1]", f: "f64[1]", k: "f64[1, 1, 1]", h: "bf16[1, 3]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [3], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case10(a: "f32[2, 1, 2]", w: "f32[1]", b: "f32[1]", g: "f32[2]", m: "b8[2, 1, 2]", e: "f32[1]", f: "f32[1]", k: "f32[2, 1, 1]", h: "bf16[2, 2]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [2], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case11(a: "f64[2, 1, 3]", w: "f64[1]", b: "f64[1]", g: "f64[3]", m: "b8[2, 1, 3]", e: "f64[1]", f: "f64[1]", k: "f64[2, 1, 1]", h: "bf16[2, 3]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [3], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case12(a: "f32[2, 4, 4]", w: "f32[4]", b: "f32[4]", g: "f32[4]", m: "b8[2, 4, 4]", e: "f32[4]", f: "f32[4]", k: "f32[2, 1, 1]", h: "bf16[2, 4]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [4], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case13(a: "f64[2, 4, 2]", w: "f64[4]", b: "f64[4]", g: "f64[2]", m: "b8[2, 4, 2]", e: "f64[4]", f: "f64[4]", k: "f64[2, 1, 1]", h: "bf16[2, 2]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [2], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case14(a: "f32[2, 3, 3]", w: "f32[3]", b: "f32[3]", g: "f32[3]", m: "b8[2, 3, 3]", e: "f32[3]", f: "f32[3]", k: "f32[2, 1, 1]", h: "bf16[2, 3]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [3], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case15(a: "f64[1, 1, 2]", w: "f64[1]", b: "f64[1]", g: "f64[2]", m: "b8[1, 1, 2]", e: "f64[1]", f: "f64[1]", k: "f64[1, 1, 1]", h: "bf16[1, 2]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [2], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case16(a: "f32[1, 2, 2]", w: "f32[2]", b: "f32[2]", g: "f32[2]", m: "b8[1, 2, 2]", e: "f32[2]", f: "f32[2]", k: "f32[1, 1, 1]", h: "bf16[1, 2]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [2], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case17(a: "f64[3, 2, 2]", w: "f64[2]", b: "f64[2]", g: "f64[2]", m: "b8[3, 2, 2]", e: "f64[2]", f: "f64[2]", k: "f64[3, 1, 1]", h: "bf16[3, 2]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [2], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case18(a: "f32[1, 3, 3]", w: "f32[3]", b: "f32[3]", g: "f32[3]", m: "b8[1, 3, 3]", e: "f32[3]", f: "f32[3]", k: "f32[1, 1, 1]", h: "bf16[1, 3]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [3], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)

def case19(a: "f64[1, 2, 3]", w: "f64[2]", b: "f64[2]", g: "f64[3]", m: "b8[1, 2, 3]", e: "f64[2]", f: "f64[2]", k: "f64[1, 1, 1]", h: "bf16[1, 3]"):
    y0 = torch.ops.aten._native_batch_norm_legit_no_training(a, w, b, e, f, 0.1, 1e-05)[0]
    y1 = torch.ops.aten._fused_rms_norm(a, [3], g, 1e-05)
    y2 = torch.ops.aten._weight_norm_interface(a, k, 0)
    y3 = torch.ops.aten._masked_softmax(a, m, 2)
    return (y0, y1, y2, y3,)
