Writes inside a composite: the running statistics of a batch norm in training are inputs that are
written back, and the composite is opened.

-- program
def forward(self, x: "f32[8, 3]", mean: "f32[3]", var: "f32[3]", w: "f32[3]", b: "f32[3]"):
    y = torch.nn.functional.batch_norm(x, mean, var, w, b, True, 0.1, 1e-05)
    return (y, mean)

-- rules inplace
open in-place composite: y (batch_norm writes into a tensor)
copy_(a, x) -> a: mean, t12 (later reads of %mean take the new value; the input is written back last)
copy_(a, x) -> a: var, t17 (later reads of %var take the new value; the input is written back last)

-- after inplace
def forward(x, mean, var, w, b):
  # x: "cpu f32[8, 3]"
  # mean: "cpu f32[3]"
  # var: "cpu f32[3]"
  # w: "cpu f32[3]"
  # b: "cpu f32[3]"
  (t0, t1) = prims.var_mean(x, (0,), correction=0)
  t2 = prims.add(t0, 1e-05)  # t2: "cpu f32[3]"
  t3 = prims.rsqrt(t2)  # t3: "cpu f32[3]"
  t4 = prims.reshape(t3, (1, 3))  # t4: "cpu f32[1, 3]"
  t5 = prims.reshape(t1, (1, 3))  # t5: "cpu f32[1, 3]"
  t6 = prims.broadcast_in_dim(t5, (8, 3), (0, 1))  # t6: "cpu f32[8, 3]"
  t7 = prims.sub(x, t6)  # t7: "cpu f32[8, 3]"
  t8 = prims.broadcast_in_dim(t4, (8, 3), (0, 1))  # t8: "cpu f32[8, 3]"
  t9 = prims.mul(t7, t8)  # t9: "cpu f32[8, 3]"
  t10 = prims.mul(mean, 0.9)  # t10: "cpu f32[3]"
  t11 = prims.mul(t1, 0.1)  # t11: "cpu f32[3]"
  t12 = prims.add(t10, t11)  # t12: "cpu f32[3]"
  t14 = prims.mul(t0, 1.1428571428571428)  # t14: "cpu f32[3]"
  t15 = prims.mul(var, 0.9)  # t15: "cpu f32[3]"
  t16 = prims.mul(t14, 0.1)  # t16: "cpu f32[3]"
  t17 = prims.add(t15, t16)  # t17: "cpu f32[3]"
  t19 = prims.reshape(b, (1, 3))  # t19: "cpu f32[1, 3]"
  t20 = prims.reshape(w, (1, 3))  # t20: "cpu f32[1, 3]"
  t21 = prims.broadcast_in_dim(t20, (8, 3), (0, 1))  # t21: "cpu f32[8, 3]"
  t22 = prims.mul(t9, t21)  # t22: "cpu f32[8, 3]"
  t23 = prims.broadcast_in_dim(t19, (8, 3), (0, 1))  # t23: "cpu f32[8, 3]"
  y = prims.add(t22, t23)  # y: "cpu f32[8, 3]"
  t25 = prims.copy_(t12, mean, grad_enabled=True)  # t25: "cpu f32[3]"
  t26 = prims.copy_(t17, var, grad_enabled=True)  # t26: "cpu f32[3]"
  return (y, t12)

-- value
output 0:
[[ 0.3693, -1.0306,  0.1344],
 [-0.7916, -1.3105, -1.5656],
 [-0.8167, -1.9290, -0.5080],
 ...,
 [-0.9824, -1.7262,  0.3655],
 [-0.4198,  0.6401,  0.0659],
 [-0.0443, -0.3347, -0.2928]]
output 1: [ 1.3594, -0.0402,  0.4703]
