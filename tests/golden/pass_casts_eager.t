With casts.rounding eager what rounds stays:

-- program
def casts(x: "f32[4]", h: "bf16[4]"):
    a = x.to(torch.float64)
    b = a.to(torch.float32)
    c = x.to(torch.bfloat16)
    d = c.to(torch.float32)
    e = h.to(torch.float32)
    f = e.to(torch.bfloat16)
    g = x.to(torch.bfloat16)
    n = x.to(torch.float16)
    m = n.to(torch.bfloat16)
    return b * 2, d * 2, f * 2, c, g, m

-- passes casts

-- option casts.rounding eager

-- after casts
def casts(x, h):
  # x: "cpu f32[4]"
  # h: "cpu bf16[4]"
  a = prims.convert_element_type(x, dtypes.float64)  # a: "cpu f64[4]" @interp
  c = prims.convert_element_type(x, dtypes.bfloat16)  # c: "cpu bf16[4]" @interp
  d = prims.convert_element_type(c, dtypes.float32)  # d: "cpu f32[4]" @interp
  e = prims.convert_element_type(h, dtypes.float32)  # e: "cpu f32[4]" @interp
  n = prims.convert_element_type(x, dtypes.float16)  # n: "cpu f16[4]" @interp
  m = prims.convert_element_type(n, dtypes.bfloat16)  # m: "cpu bf16[4]" @interp
  t9 = prims.mul(x, 2.0)  # t9: "cpu f32[4]" @interp
  t10 = prims.mul(d, 2.0)  # t10: "cpu f32[4]" @interp
  t12 = prims.mul(e, 2.0)  # t12: "cpu f32[4]" @interp
  t13 = prims.convert_element_type(t12, dtypes.bfloat16)  # t13: "cpu bf16[4]" @interp
  return (t9, t10, t13, c, c, m)

-- rules casts
widened in between -> one cast: b, x (f64 holds every f32; exact)
not: rounded in between -> not rounded: d, x (casts.rounding is eager: the rounding of %x to bf16 stays)
widened in between -> one cast: f, h (f32 holds every bf16; exact)
cast again -> the first cast: g, c (%c is that cast; exact)
cast again -> the first cast: t11, e (%e is that cast; exact)
