With the option fold.fast rules that round differently apply too.

-- option fold.fast on

-- program
def forward(self, x: "f32[2, 3]"):
    a = torch.exp(torch.log(x)) + 0.0
    b = torch.sqrt(a)
    return (torch.reciprocal(b), x ** 2)

-- rules fold
exp(log(x)) -> x: t1, x (other rounding in f32, allowed by option fold.fast)
x + 0 -> x: a, x (other rounding in f32, allowed by option fold.fast)
reciprocal(sqrt(x)) -> rsqrt(x): t4 (other rounding in f32, allowed by option fold.fast)
x ** 2 -> x * x: t5 (other rounding in f32, allowed by option fold.fast)

-- after fold
def forward(x):
  # x: "cpu f32[2, 3]"
  t0 = ltorch.log(x)  # t0: "cpu f32[2, 3]"
  b = ltorch.sqrt(x)  # b: "cpu f32[2, 3]"
  t4 = prims.rsqrt(x)  # t4: "cpu f32[2, 3]"
  t5 = prims.mul(x, x)  # t5: "cpu f32[2, 3]"
  return (t4, t5)
