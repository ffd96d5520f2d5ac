import torch
from math import inf

def case0(q: "f32[2, 1, 1, 3]", k: "f32[2, 1, 1, 3]", v: "f32[2, 1, 1, 3]", g: "f32[2, 1, 1, 3]", x: "f32[1, 2, 2]", y: "f32[4, 2, 2]", w: "f32[6, 2]", b: "f32[6]", o: "f32[2, 2]", c: "f32[2]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, False)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, False)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 2, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case1(q: "f64[1, 1, 4, 2]", k: "f64[1, 1, 4, 2]", v: "f64[1, 1, 4, 2]", g: "f64[1, 1, 4, 2]", x: "f64[4, 1, 4]", y: "f64[1, 1, 4]", w: "f64[12, 4]", b: "f64[12]", o: "f64[4, 4]", c: "f64[4]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, True)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, True)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 4, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case2(q: "f32[1, 1, 3, 3]", k: "f32[1, 1, 3, 3]", v: "f32[1, 1, 3, 3]", g: "f32[1, 1, 3, 3]", x: "f32[3, 1, 4]", y: "f32[1, 1, 4]", w: "f32[12, 4]", b: "f32[12]", o: "f32[4, 4]", c: "f32[4]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, False)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, False)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 4, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case3(q: "f64[2, 1, 3, 2]", k: "f64[2, 1, 3, 2]", v: "f64[2, 1, 3, 2]", g: "f64[2, 1, 3, 2]", x: "f64[3, 2, 2]", y: "f64[3, 2, 2]", w: "f64[6, 2]", b: "f64[6]", o: "f64[2, 2]", c: "f64[2]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, False)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, False)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 2, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case4(q: "f32[1, 2, 1, 4]", k: "f32[1, 2, 1, 4]", v: "f32[1, 2, 1, 4]", g: "f32[1, 2, 1, 4]", x: "f32[1, 1, 2]", y: "f32[1, 1, 2]", w: "f32[6, 2]", b: "f32[6]", o: "f32[2, 2]", c: "f32[2]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, False)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, False)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 2, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case5(q: "f64[1, 2, 2, 3]", k: "f64[1, 2, 2, 3]", v: "f64[1, 2, 2, 3]", g: "f64[1, 2, 2, 3]", x: "f64[2, 1, 2]", y: "f64[1, 1, 2]", w: "f64[6, 2]", b: "f64[6]", o: "f64[2, 2]", c: "f64[2]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, True)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, True)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 2, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case6(q: "f32[2, 2, 2, 3]", k: "f32[2, 2, 2, 3]", v: "f32[2, 2, 2, 3]", g: "f32[2, 2, 2, 3]", x: "f32[2, 2, 4]", y: "f32[3, 2, 4]", w: "f32[12, 4]", b: "f32[12]", o: "f32[4, 4]", c: "f32[4]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, False)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, False)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 4, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case7(q: "f64[1, 1, 3, 2]", k: "f64[1, 1, 3, 2]", v: "f64[1, 1, 3, 2]", g: "f64[1, 1, 3, 2]", x: "f64[3, 1, 2]", y: "f64[1, 1, 2]", w: "f64[6, 2]", b: "f64[6]", o: "f64[2, 2]", c: "f64[2]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, False)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, False)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 2, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case8(q: "f32[2, 1, 4, 2]", k: "f32[2, 1, 4, 2]", v: "f32[2, 1, 4, 2]", g: "f32[2, 1, 4, 2]", x: "f32[4, 2, 4]", y: "f32[3, 2, 4]", w: "f32[12, 4]", b: "f32[12]", o: "f32[4, 4]", c: "f32[4]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, True)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, True)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 4, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case9(q: "f64[1, 1, 4, 3]", k: "f64[1, 1, 4, 3]", v: "f64[1, 1, 4, 3]", g: "f64[1, 1, 4, 3]", x: "f64[4, 1, 2]", y: "f64[3, 1, 2]", w: "f64[6, 2]", b: "f64[6]", o: "f64[2, 2]", c: "f64[2]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, False)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, False)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 2, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case10(q: "f32[2, 1, 4, 3]", k: "f32[2, 1, 4, 3]", v: "f32[2, 1, 4, 3]", g: "f32[2, 1, 4, 3]", x: "f32[4, 2, 4]", y: "f32[1, 2, 4]", w: "f32[12, 4]", b: "f32[12]", o: "f32[4, 4]", c: "f32[4]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, False)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, False)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 4, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case11(q: "f64[1, 2, 1, 3]", k: "f64[1, 2, 1, 3]", v: "f64[1, 2, 1, 3]", g: "f64[1, 2, 1, 3]", x: "f64[1, 1, 2]", y: "f64[1, 1, 2]", w: "f64[6, 2]", b: "f64[6]", o: "f64[2, 2]", c: "f64[2]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, True)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, True)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 2, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case12(q: "f32[1, 2, 3, 2]", k: "f32[1, 2, 3, 2]", v: "f32[1, 2, 3, 2]", g: "f32[1, 2, 3, 2]", x: "f32[3, 1, 2]", y: "f32[2, 1, 2]", w: "f32[6, 2]", b: "f32[6]", o: "f32[2, 2]", c: "f32[2]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, True)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, True)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 2, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case13(q: "f64[2, 1, 2, 3]", k: "f64[2, 1, 2, 3]", v: "f64[2, 1, 2, 3]", g: "f64[2, 1, 2, 3]", x: "f64[2, 2, 2]", y: "f64[4, 2, 2]", w: "f64[6, 2]", b: "f64[6]", o: "f64[2, 2]", c: "f64[2]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, False)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, False)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 2, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case14(q: "f32[2, 1, 1, 2]", k: "f32[2, 1, 1, 2]", v: "f32[2, 1, 1, 2]", g: "f32[2, 1, 1, 2]", x: "f32[1, 2, 2]", y: "f32[4, 2, 2]", w: "f32[6, 2]", b: "f32[6]", o: "f32[2, 2]", c: "f32[2]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, False)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, False)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 2, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case15(q: "f64[1, 2, 4, 3]", k: "f64[1, 2, 4, 3]", v: "f64[1, 2, 4, 3]", g: "f64[1, 2, 4, 3]", x: "f64[4, 1, 4]", y: "f64[3, 1, 4]", w: "f64[12, 4]", b: "f64[12]", o: "f64[4, 4]", c: "f64[4]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, True)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, True)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 4, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case16(q: "f32[2, 2, 3, 4]", k: "f32[2, 2, 3, 4]", v: "f32[2, 2, 3, 4]", g: "f32[2, 2, 3, 4]", x: "f32[3, 2, 4]", y: "f32[1, 2, 4]", w: "f32[12, 4]", b: "f32[12]", o: "f32[4, 4]", c: "f32[4]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, False)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, False)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 4, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case17(q: "f64[1, 2, 4, 4]", k: "f64[1, 2, 4, 4]", v: "f64[1, 2, 4, 4]", g: "f64[1, 2, 4, 4]", x: "f64[4, 1, 4]", y: "f64[1, 1, 4]", w: "f64[12, 4]", b: "f64[12]", o: "f64[4, 4]", c: "f64[4]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, True)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, True)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 4, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case18(q: "f32[1, 2, 4, 2]", k: "f32[1, 2, 4, 2]", v: "f32[1, 2, 4, 2]", g: "f32[1, 2, 4, 2]", x: "f32[4, 1, 4]", y: "f32[1, 1, 4]", w: "f32[12, 4]", b: "f32[12]", o: "f32[4, 4]", c: "f32[4]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, True)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, True)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 4, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)

def case19(q: "f64[1, 2, 1, 2]", k: "f64[1, 2, 1, 2]", v: "f64[1, 2, 1, 2]", g: "f64[1, 2, 1, 2]", x: "f64[1, 1, 2]", y: "f64[1, 1, 2]", w: "f64[6, 2]", b: "f64[6]", o: "f64[2, 2]", c: "f64[2]"):
    r, s = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, False)
    y0 = r
    y1 = s
    y2 = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(g, q, k, v, r, s, 0.0, False)
    y3 = torch.nn.functional.multi_head_attention_forward(x, y, y, 2, 2, w, b, None, None, False, 0.0, o, c)
    return (y0, y1, y2, y3,)
