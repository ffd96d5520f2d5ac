import torch
from math import inf

def case0(a: "f32[4, 1]", b: "f32[3, 1]", c: "f32[3]", s: "f32[4, 1]", t: "f32[1, 3]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e4m3fn).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    y2 = torch._scaled_mm(x, y, s, t, out_dtype=torch.float32)
    return (y0, y1, y2,)

def case1(a: "f64[3, 3]", b: "f64[2, 3]", c: "f64[2]", s: "f64[3, 1]", t: "f64[1, 2]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e5m2).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    return (y0, y1,)

def case2(a: "f32[4, 3]", b: "f32[3, 3]", c: "f32[3]", s: "f32[4, 1]", t: "f32[1, 3]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e5m2).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    return (y0, y1,)

def case3(a: "f64[1, 5]", b: "f64[5, 5]", c: "f64[5]", s: "f64[1, 1]", t: "f64[1, 5]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e4m3fn).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    y2 = torch._scaled_mm(x, y, s, t, out_dtype=torch.float32)
    return (y0, y1, y2,)

def case4(a: "f32[1, 2]", b: "f32[3, 2]", c: "f32[3]", s: "f32[1, 1]", t: "f32[1, 3]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e4m3fn).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    y2 = torch._scaled_mm(x, y, s, t, out_dtype=torch.float32)
    return (y0, y1, y2,)

def case5(a: "f64[2, 1]", b: "f64[5, 1]", c: "f64[5]", s: "f64[2, 1]", t: "f64[1, 5]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e4m3fn).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    y2 = torch._scaled_mm(x, y, s, t, out_dtype=torch.float32)
    return (y0, y1, y2,)

def case6(a: "f32[4, 4]", b: "f32[3, 4]", c: "f32[3]", s: "f32[4, 1]", t: "f32[1, 3]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e4m3fn).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    y2 = torch._scaled_mm(x, y, s, t, out_dtype=torch.float32)
    return (y0, y1, y2,)

def case7(a: "f64[5, 1]", b: "f64[1, 1]", c: "f64[1]", s: "f64[5, 1]", t: "f64[1, 1]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e4m3fn).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    y2 = torch._scaled_mm(x, y, s, t, out_dtype=torch.float32)
    return (y0, y1, y2,)

def case8(a: "f32[2, 4]", b: "f32[2, 4]", c: "f32[2]", s: "f32[2, 1]", t: "f32[1, 2]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e5m2).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    return (y0, y1,)

def case9(a: "f64[2, 2]", b: "f64[3, 2]", c: "f64[3]", s: "f64[2, 1]", t: "f64[1, 3]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e4m3fn).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    y2 = torch._scaled_mm(x, y, s, t, out_dtype=torch.float32)
    return (y0, y1, y2,)

def case10(a: "f32[1, 1]", b: "f32[1, 1]", c: "f32[1]", s: "f32[1, 1]", t: "f32[1, 1]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e5m2).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    return (y0, y1,)

def case11(a: "f64[5, 5]", b: "f64[1, 5]", c: "f64[1]", s: "f64[5, 1]", t: "f64[1, 1]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e5m2).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    return (y0, y1,)

def case12(a: "f32[5, 2]", b: "f32[1, 2]", c: "f32[1]", s: "f32[5, 1]", t: "f32[1, 1]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e5m2).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    return (y0, y1,)

def case13(a: "f64[2, 5]", b: "f64[2, 5]", c: "f64[2]", s: "f64[2, 1]", t: "f64[1, 2]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e4m3fn).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    y2 = torch._scaled_mm(x, y, s, t, out_dtype=torch.float32)
    return (y0, y1, y2,)

def case14(a: "f32[5, 3]", b: "f32[1, 3]", c: "f32[1]", s: "f32[5, 1]", t: "f32[1, 1]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e4m3fn).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    y2 = torch._scaled_mm(x, y, s, t, out_dtype=torch.float32)
    return (y0, y1, y2,)

def case15(a: "f64[1, 3]", b: "f64[1, 3]", c: "f64[1]", s: "f64[1, 1]", t: "f64[1, 1]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e4m3fn).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    y2 = torch._scaled_mm(x, y, s, t, out_dtype=torch.float32)
    return (y0, y1, y2,)

def case16(a: "f32[4, 5]", b: "f32[4, 5]", c: "f32[4]", s: "f32[4, 1]", t: "f32[1, 4]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e5m2).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    return (y0, y1,)

def case17(a: "f64[4, 2]", b: "f64[2, 2]", c: "f64[2]", s: "f64[4, 1]", t: "f64[1, 2]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e5m2).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    return (y0, y1,)

def case18(a: "f32[5, 4]", b: "f32[2, 4]", c: "f32[2]", s: "f32[5, 1]", t: "f32[1, 2]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e5m2).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    return (y0, y1,)

def case19(a: "f64[3, 4]", b: "f64[5, 4]", c: "f64[5]", s: "f64[3, 1]", t: "f64[1, 5]"):
    x = a.float().to(torch.float8_e4m3fn)
    y = b.float().to(torch.float8_e4m3fn).t()
    s = s.float()
    t = t.float()
    y0 = torch._scaled_mm(x, y, s[0], t[0, :1], out_dtype=torch.float32)
    y1 = torch._scaled_mm(x, y, s[:1, 0], t[0, 0], bias=c.float(), out_dtype=torch.bfloat16)
    y2 = torch._scaled_mm(x, y, s, t, out_dtype=torch.float32)
    return (y0, y1, y2,)
