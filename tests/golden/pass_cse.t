Equal calls become one; random draws stay apart; equal operands in the other order count.

-- program
def forward(self, x: "f32[2, 3]", y: "f32[2, 3]"):
    a = torch.add(x, y)
    b = torch.add(x, y)
    c = torch.maximum(a, y)
    d = torch.maximum(b, y)
    e = prims.uniform_philox((2, 3), 0.0, 1.0, device=devices.Device("cpu"), dtype=dtypes.float32, seed=1, offset=0)
    f = prims.uniform_philox((2, 3), 0.0, 1.0, device=devices.Device("cpu"), dtype=dtypes.float32, seed=1, offset=0)
    g = torch.add(y, x)
    return (c, d, e + f, g)

-- rules cse
equal -> joined: b, a (same operator and arguments as %a)
equal -> joined: d, c (same operator and arguments as %c)
not: equal -> joined: f, e (same operator and arguments, but random draws are independent)
equal -> joined: g, a (same operator and arguments as %a)

-- after cse
def forward(x, y):
  # x: "cpu f32[2, 3]"
  # y: "cpu f32[2, 3]"
  a = ltorch.add(x, y, alpha=1)  # a: "cpu f32[2, 3]"
  c = ltorch.maximum(a, y)  # c: "cpu f32[2, 3]"
  e = prims.uniform_philox((2, 3), 0.0, 1.0, device=devices.Device("cpu"), dtype=dtypes.float32, seed=1, offset=0)  # e: "cpu f32[2, 3]"
  f = prims.uniform_philox((2, 3), 0.0, 1.0, device=devices.Device("cpu"), dtype=dtypes.float32, seed=1, offset=0)  # f: "cpu f32[2, 3]"
  t7 = ltorch.add(e, f, alpha=1)  # t7: "cpu f32[2, 3]"
  return (c, c, t7, a)
