A diagonal is a slice of the flat tensor; windows are written by the numbers of their elements.

-- program
def forward(self, x: "f32[3, 4]", y: "f32[4]"):
    d = torch.diagonal(x)
    d.fill_(0.5)
    w = x.unfold(1, 2, 2)
    w.mul_(2.0)
    return (x + 0.25, y)

-- after inplace
def forward(x, y):
  # x: "cpu f32[3, 4]"
  # y: "cpu f32[4]"
  d = ltorch.diagonal(x, 0, 0, 1)  # d: "cpu f32[3]"
  t2 = ltorch.fill(d, 0.5)  # t2: "cpu f32[3]"
  t8 = prims.reshape(x, (12,))  # t8: "cpu f32[12]"
  t9 = prims.copy_with_setitem(t8, (slice(0, 11, 5),), t2)  # t9: "cpu f32[12]"
  t10 = prims.reshape(t9, (3, 4))  # t10: "cpu f32[3, 4]"
  w = ltorch.unfold(t10, 1, 2, 2)  # w: "cpu f32[3, 2, 2]"
  t5 = ltorch.mul(w, 2.0)  # t5: "cpu f32[3, 2, 2]"
  t11 = prims.reshape(t10, (12,))  # t11: "cpu f32[12]"
  t12 = prims.reshape(t5, (12,))  # t12: "cpu f32[12]"
  t13 = prims.iota(12, start=0, step=1, device=devices.Device("cpu"), dtype=dtypes.int64)  # t13: "cpu i64[12]"
  t14 = prims.reshape(t13, (3, 4))  # t14: "cpu i64[3, 4]"
  t15 = prims.unfold(t14, 1, 2, 2)  # t15: "cpu i64[3, 2, 2]"
  t16 = prims.reshape(t15, (12,))  # t16: "cpu i64[12]"
  t17 = prims.index_copy(t11, t16, t12, 0)  # t17: "cpu f32[12]"
  t18 = prims.reshape(t17, (3, 4))  # t18: "cpu f32[3, 4]"
  t7 = ltorch.add(t18, 0.25, alpha=1)  # t7: "cpu f32[3, 4]"
  t19 = prims.copy_(t18, x, grad_enabled=True)  # t19: "cpu f32[3, 4]"
  return (t7, y)

-- value
output 0:
[[ 1.2500, -0.0808,  2.1011,  0.7583],
 [-0.8209,  1.2500,  0.8127, -2.4568],
 [ 0.0992,  3.3249,  1.2500,  2.2731]]
output 1: [ 1.7915,  2.4902,  0.6538, -0.5744]
