Equal computations are joined, also when their operands were joined first; different literals are not.

-- program
def forward(self, x: "f32[2, 3]", y: "f32[2, 3]"):
    a = torch.exp(x)
    b = torch.exp(x)
    c = a + y
    d = b + y
    e = a * 2.0
    f = a * 2
    g = a * 3.0
    return (c, d, e, f, g)

-- passes cse

-- rules cse
equal -> joined: b, a (same operator and arguments as %a)
equal -> joined: d, c (same operator and arguments as %c)
equal -> joined: f, e (same operator and arguments as %e)

-- after cse
def forward(x, y):
  # x: "cpu f32[2, 3]"
  # y: "cpu f32[2, 3]"
  a = ltorch.exp(x)  # a: "cpu f32[2, 3]"
  c = ltorch.add(a, y, alpha=1)  # c: "cpu f32[2, 3]"
  e = ltorch.mul(a, 2.0)  # e: "cpu f32[2, 3]"
  g = ltorch.mul(a, 3.0)  # g: "cpu f32[2, 3]"
  return (c, c, e, e, g)

-- value
output 0:
[[2.1574, 3.3378, 3.1771],
 [0.7149, 2.4799, 0.1671]]
output 1:
[[2.1574, 3.3378, 3.1771],
 [0.7149, 2.4799, 0.1671]]
output 2:
[[0.7317, 1.6951, 5.0466],
 [2.5787, 1.1708, 0.3570]]
output 3:
[[0.7317, 1.6951, 5.0466],
 [2.5787, 1.1708, 0.3570]]
output 4:
[[1.0975, 2.5427, 7.5699],
 [3.8681, 1.7562, 0.5355]]
