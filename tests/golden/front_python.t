Python in the graph: operators, subscripts, methods, attributes, sizes that fold while loading.

-- program
def forward(self, x: "f32[2, 3, 4]", i: "i64[2]"):
    s = x.shape
    n = x.size(0) * s[1]
    a = x[0, ..., 1:3]
    b = x[:, None, -1]
    c = -a ** 2 + 1 / (a + 3)
    d = x.reshape(n, -1).t()
    e = x[i]
    f = (x > 0) & ~(x == 1)
    return (c, b, [d, e], f)

-- after acquired
def forward(x, i):
  # x: "cpu f32[2, 3, 4]"
  # i: "cpu i64[2]"
  a = ltorch.getitem(x, (0, ..., slice(1, 3, None)))  # a: "cpu f32[3, 2]"
  b = ltorch.getitem(x, (slice(None, None, None), None, -1))  # b: "cpu f32[2, 1, 4]"
  t5 = ltorch.pow(a, 2)  # t5: "cpu f32[3, 2]"
  t6 = ltorch.neg(t5)  # t6: "cpu f32[3, 2]"
  t7 = ltorch.add(a, 3, alpha=1)  # t7: "cpu f32[3, 2]"
  t8 = ltorch.true_divide(1, t7)  # t8: "cpu f32[3, 2]"
  c = ltorch.add(t6, t8, alpha=1)  # c: "cpu f32[3, 2]"
  t10 = ltorch.reshape(x, 6, -1)  # t10: "cpu f32[6, 4]"
  d = ltorch.t(t10)  # d: "cpu f32[4, 6]"
  e = ltorch.getitem(x, i)  # e: "cpu f32[2, 3, 4]"
  t16 = ltorch.gt(x, 0)  # t16: "cpu b8[2, 3, 4]"
  t17 = ltorch.eq(x, 1)  # t17: "cpu b8[2, 3, 4]"
  t18 = ltorch.bitwise_not(t17)  # t18: "cpu b8[2, 3, 4]"
  f = ltorch.bitwise_and(t16, t18)  # f: "cpu b8[2, 3, 4]"
  return (c, b, [d, e], f)

-- value 5
output 0:
[[ 0.0907, -0.3097],
 [ 0.3189,  0.3361],
 [ 0.1590, -1.4227]]
output 1:
[[[ 0.6502, -0.4891, -1.4360, -0.8564]],

 [[-1.2365, -0.1414,  0.9337,  0.4789]]]
output 2:
[[ 0.4190, -0.4112,  0.6502, -0.3420, -0.6071, -1.2365],
 [ 0.4466,  0.0776, -0.4891,  0.0811, -1.7664, -0.1414],
 [ 0.7588, -0.0795, -1.4360, -1.7289,  1.3427,  0.9337],
 [-0.7259, -0.9451, -0.8564,  0.9394, -0.2342,  0.4789]]
output 3:
[[[ 0.4190,  0.4466,  0.7588, -0.7259],
  [-0.4112,  0.0776, -0.0795, -0.9451],
  [ 0.6502, -0.4891, -1.4360, -0.8564]],

 [[ 0.4190,  0.4466,  0.7588, -0.7259],
  [-0.4112,  0.0776, -0.0795, -0.9451],
  [ 0.6502, -0.4891, -1.4360, -0.8564]]]
output 4:
[[[ True,  True,  True, False],
  [False,  True, False, False],
  [ True, False, False, False]],

 [[False,  True, False,  True],
  [False, False,  True, False],
  [False, False,  True,  True]]]
