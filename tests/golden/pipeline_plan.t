Values are freed after their last use, and temporaries share one arena.

-- program
def forward(self, x: "f32[64]"):
    a = torch.exp(x)
    b = torch.sin(a)
    c = torch.cos(b)
    d = c + a
    return (d,)

-- after plan
def forward(x):
  # x: "cpu f32[64]"
  a = prims.exp(x)  # a: "cpu f32[64]" @interp +0
  del x
  b = prims.sin(a)  # b: "cpu f32[64]" @interp +256
  c = prims.cos(b)  # c: "cpu f32[64]" @interp +256 over b
  del b
  d = prims.add(c, a)  # d: "cpu f32[64]" @interp
  del c, a
  return (d,)

-- value
output 0: [1.3025, 1.5795, 3.3599, ..., 1.4631, 2.4299, 1.4860]
