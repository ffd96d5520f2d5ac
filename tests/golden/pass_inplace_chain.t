A write through a chain of views: every base gets a new value, a view read later is made again, one
that was read before keeps its name.

-- program
def forward(self, x: "f32[4, 6]"):
    rows = x[1:3]
    turned = rows.t()
    column = turned[2]
    before = rows + 0.5
    column.add_(1.0)
    column.mul_(2.0)
    return (before, rows * 1.0, x.sum())

-- rules inplace
open in-place composite: t6 (add_ writes into a tensor)
copy_(a, x) -> a: column, t5 (%column is a view of %x, which gets a new value)
open in-place composite: t8 (mul_ writes into a tensor)
copy_(a, x) -> a: column, t7 (%column is a view of %x, which gets a new value)

-- after inplace
def forward(x):
  # x: "cpu f32[4, 6]"
  rows = ltorch.getitem(x, slice(1, 3, None))  # rows: "cpu f32[2, 6]"
  turned = ltorch.t(rows)  # turned: "cpu f32[6, 2]"
  column = ltorch.getitem(turned, 2)  # column: "cpu f32[2]"
  before = ltorch.add(rows, 0.5, alpha=1)  # before: "cpu f32[2, 6]"
  t5 = ltorch.add(column, 1.0, alpha=1)  # t5: "cpu f32[2]"
  t7 = ltorch.mul(t5, 2.0)  # t7: "cpu f32[2]"
  t11 = prims.reshape(t7, (1, 2))  # t11: "cpu f32[1, 2]"
  t12 = prims.copy_with_setitem(turned, (slice(2, 3, 1), slice(0, 2, 1)), t11)  # t12: "cpu f32[6, 2]"
  t13 = prims.transpose(t12, (1, 0))  # t13: "cpu f32[2, 6]"
  t9 = ltorch.mul(t13, 1.0)  # t9: "cpu f32[2, 6]"
  t14 = prims.copy_with_setitem(x, (slice(1, 3, 1), slice(0, 6, 1)), t13)  # t14: "cpu f32[4, 6]"
  t10 = ltorch.sum(t14, None, False, dtype=None)  # t10: "cpu f32[]"
  t15 = prims.copy_(t14, x, grad_enabled=True)  # t15: "cpu f32[4, 6]"
  return (before, t9, t10)

-- value
output 0:
[[ 0.7813, -0.8534,  0.4246,  2.0375, -0.1068,  1.5116],
 [ 0.0830,  1.7148,  2.2745,  0.9611, -0.5852,  1.7856]]
output 1:
[[ 0.2813, -1.3534,  1.8492,  1.5375, -0.6068,  1.0116],
 [-0.4170,  1.2148,  5.5490,  0.4611, -1.0852,  1.2856]]
output 2: 10.6492
