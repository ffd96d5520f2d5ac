Rules of fold.def: neutral elements, casts of casts, reshapes of reshapes, double negation.

-- program
def forward(self, x: "f32[2, 3]"):
    a = x * 1
    b = a + 0
    c = b.reshape(3, 2)
    d = c.reshape(6)
    e = d.to(torch.float64)
    f = e.to(torch.float64)
    g = -(-f)
    return (g,)

-- passes fold

-- rules fold
x * 1 -> x: a, x (the same bits in f32)
not: x + 0 -> x: b, x (not exact in f32: option fold.fast is off)
reshape(reshape(x)) -> reshape(x): d (the same bits in f32)
shallow_copy(x) -> x: f, e (the same bits in f64)
neg(neg(x)) -> x: g, e (the same bits in f64)

-- after fold
def forward(x):
  # x: "cpu f32[2, 3]"
  b = ltorch.add(x, 0, alpha=1)  # b: "cpu f32[2, 3]"
  c = ltorch.reshape(b, 3, 2)  # c: "cpu f32[3, 2]"
  d = prims.reshape(b, (6,))  # d: "cpu f32[6]"
  e = ltorch.to(d, dtypes.float64, None, copy=False, device=None, dtype=None, memory_format=None)  # e: "cpu f64[6]"
  t6 = ltorch.neg(e)  # t6: "cpu f64[6]"
  return (e,)

-- after last
def forward(x):
  # x: "cpu f32[2, 3]"
  b = prims.add(x, 0.0)  # b: "cpu f32[2, 3]" @interp +0
  del x
  c = prims.reshape(b, (3, 2))  # c: "cpu f32[3, 2]" @interp +0
  del c
  d = prims.reshape(b, (6,))  # d: "cpu f32[6]" @interp +0
  del b
  e = prims.convert_element_type(d, dtypes.float64)  # e: "cpu f64[6]" @interp
  del d
  t6 = prims.neg(e)  # t6: "cpu f64[6]" @interp +0
  del t6
  return (e,)

-- value
output 0: [-1.0056, -0.1654,  0.9256,  0.2541, -0.5354, -1.7231]
