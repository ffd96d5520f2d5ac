In-place operators and views become functional; the changed input is written back once, at the end.

-- program
def forward(self, x: "f32[2, 4]", y: "f32[4]"):
    v = x[0]
    v.mul_(2.0)
    x[1] = y
    w = x.t()
    w.add_(1)
    z = v + y
    return (z, w)

-- after acquired
def forward(x, y):
  # x: "cpu f32[2, 4]"
  # y: "cpu f32[4]"
  v = ltorch.getitem(x, 0)  # v: "cpu f32[4]"
  t3 = ltorch.mul_(v, 2.0)  # t3: "cpu f32[4]"
  t5 = ltorch.setitem_(x, 1, y)  # t5: "cpu f32[2, 4]"
  w = ltorch.t(x)  # w: "cpu f32[4, 2]"
  t8 = ltorch.add_(w, 1, alpha=1)  # t8: "cpu f32[4, 2]"
  z = ltorch.add(v, y, alpha=1)  # z: "cpu f32[4]"
  return (z, w)

-- after inplace
def forward(x, y):
  # x: "cpu f32[2, 4]"
  # y: "cpu f32[4]"
  v = ltorch.getitem(x, 0)  # v: "cpu f32[4]"
  t2 = ltorch.mul(v, 2.0)  # t2: "cpu f32[4]"
  t10 = prims.reshape(t2, (1, 4))  # t10: "cpu f32[1, 4]"
  t11 = prims.copy_with_setitem(x, (slice(0, 1, 1), slice(0, 4, 1)), t10)  # t11: "cpu f32[2, 4]"
  t4 = ltorch.setitem(t11, 1, y)  # t4: "cpu f32[2, 4]"
  w = ltorch.t(t4)  # w: "cpu f32[4, 2]"
  t7 = ltorch.add(w, 1, alpha=1)  # t7: "cpu f32[4, 2]"
  t12 = prims.transpose(t7, (1, 0))  # t12: "cpu f32[2, 4]"
  t13 = ltorch.getitem(t12, 0)  # t13: "cpu f32[4]"
  z = ltorch.add(t13, y, alpha=1)  # z: "cpu f32[4]"
  t15 = prims.copy_(t12, x, grad_enabled=True)  # t15: "cpu f32[2, 4]"
  return (z, t7)

-- after last
def forward(x, y):
  # x: "cpu f32[2, 4]"
  # y: "cpu f32[4]"
  t0 = prims.slice_prim(x, (0, 0), (1, 4), (1, 1))  # t0: "cpu f32[1, 4]" @interp
  v = prims.squeeze(t0, (0,))  # v: "cpu f32[4]" @interp
  del t0
  t2 = prims.mul(v, 2.0)  # t2: "cpu f32[4]" @interp +0
  del v
  t10 = prims.reshape(t2, (1, 4))  # t10: "cpu f32[1, 4]" @interp +0
  del t2
  t11 = prims.copy_with_setitem(x, (slice(0, 1, 1), slice(0, 4, 1)), t10)  # t11: "cpu f32[2, 4]" @interp +64
  del t10
  t4 = prims.copy_with_setitem(t11, 1, y)  # t4: "cpu f32[2, 4]" @interp +0
  del t11
  w = prims.transpose(t4, (1, 0))  # w: "cpu f32[4, 2]" @interp +0
  del t4
  t7 = prims.add(w, 1.0)  # t7: "cpu f32[4, 2]" @interp
  del w
  t12 = prims.transpose(t7, (1, 0))  # t12: "cpu f32[2, 4]" @interp
  t14 = prims.slice_prim(t12, (0, 0), (1, 4), (1, 1))  # t14: "cpu f32[1, 4]" @interp
  t13 = prims.squeeze(t14, (0,))  # t13: "cpu f32[4]" @interp
  del t14
  z = prims.add(t13, y)  # z: "cpu f32[4]" @interp
  del t13, y
  t15 = prims.copy_(t12, x, grad_enabled=True)  # t15: "cpu f32[2, 4]" @interp
  del t12, x, t15
  return (z, t7)

-- value
output 0: [0.7804, 3.1594, 3.5049, 0.9339]
output 1:
[[-1.0111,  2.7915],
 [ 0.6692,  3.4902],
 [ 2.8511,  1.6538],
 [ 1.5083,  0.4256]]
