Rules see through composites that are one prim; what is not exact is refused, with the option named.

-- program
def forward(self, x: "f32[2, 3]", i: "i64[2, 3]"):
    a = x * 1
    b = a + 0.0
    c = b.t().t()
    d = c.reshape(6).reshape(3, 2)
    e = torch.nn.functional.dropout(d, 0.5, False)
    f = (i + 0) * -1
    g = e.to(torch.float64).to(torch.float32)
    return (torch.exp(g), f)

-- rules fold
x * 1 -> x: a, x (the same bits in f32)
not: x + 0 -> x: b, x (not exact in f32: option fold.fast is off)
transpose(transpose(x)) -> transpose(x): c, b (the same bits in f32)
reshape(reshape(x)) -> reshape(x): d (the same bits in f32)
shallow_copy(x) -> x: e, d (the same bits in f32)
x + 0 -> x: t7, i (the same bits in i64)
x * -1 -> neg(x): f (the same bits in i64)
convert(convert(x)) -> convert(x): g, d (the same bits in f32)

-- after fold
def forward(x, i):
  # x: "cpu f32[2, 3]"
  # i: "cpu i64[2, 3]"
  b = ltorch.add(x, 0.0, alpha=1)  # b: "cpu f32[2, 3]"
  t2 = ltorch.t(b)  # t2: "cpu f32[3, 2]"
  t4 = ltorch.reshape(b, 6)  # t4: "cpu f32[6]"
  d = prims.reshape(b, (3, 2))  # d: "cpu f32[3, 2]"
  f = prims.neg(i)  # f: "cpu i64[2, 3]"
  t9 = ltorch.to(d, dtypes.float64, None, copy=False, device=None, dtype=None, memory_format=None)  # t9: "cpu f64[3, 2]"
  t11 = ltorch.exp(d)  # t11: "cpu f32[3, 2]"
  return (t11, f)

-- value
output 0:
[[0.3658, 0.8476],
 [2.5233, 1.2894],
 [0.5854, 0.1785]]
output 1:
[[-6, -4, -5],
 [-2, -5, -2]]
