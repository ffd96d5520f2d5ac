Claim opens composites that no executor takes and names the executor of every node.

-- program
def forward(self, x: "f32[2, 8]", w: "f32[8]", b: "f32[8]"):
    a = torch.nn.functional.layer_norm(x, (8,), w, b, 1e-05)
    c = torch.softmax(a, -1)
    return (c,)

-- after acquired
def forward(x, w, b):
  # x: "cpu f32[2, 8]"
  # w: "cpu f32[8]"
  # b: "cpu f32[8]"
  a = ltorch.layer_norm(x, (8,), w, b, 1e-05)  # a: "cpu f32[2, 8]"
  c = ltorch.softmax(a, -1, dtype=None)  # c: "cpu f32[2, 8]"
  return (c,)

-- after claim
def forward(x, w, b):
  # x: "cpu f32[2, 8]"
  # w: "cpu f32[8]"
  # b: "cpu f32[8]"
  (t0, t1) = prims.var_mean(x, (1,), correction=0)  # @interp
  t2 = prims.broadcast_in_dim(t0, (2, 1), (0,))  # t2: "cpu f32[2, 1]" @interp
  t3 = prims.broadcast_in_dim(t1, (2, 1), (0,))  # t3: "cpu f32[2, 1]" @interp
  t4 = prims.add(t2, 1e-05)  # t4: "cpu f32[2, 1]" @interp
  t5 = prims.rsqrt(t4)  # t5: "cpu f32[2, 1]" @interp
  t6 = prims.broadcast_in_dim(t3, (2, 8), (0, 1))  # t6: "cpu f32[2, 8]" @interp
  t7 = prims.sub(x, t6)  # t7: "cpu f32[2, 8]" @interp
  t8 = prims.broadcast_in_dim(t5, (2, 8), (0, 1))  # t8: "cpu f32[2, 8]" @interp
  t9 = prims.mul(t7, t8)  # t9: "cpu f32[2, 8]" @interp
  t10 = prims.broadcast_in_dim(w, (2, 8), (1,))  # t10: "cpu f32[2, 8]" @interp
  t11 = prims.mul(t9, t10)  # t11: "cpu f32[2, 8]" @interp
  t12 = prims.broadcast_in_dim(b, (2, 8), (1,))  # t12: "cpu f32[2, 8]" @interp
  a = prims.add(t11, t12)  # a: "cpu f32[2, 8]" @interp
  t14 = prims.amax(a, (1,))  # t14: "cpu f32[2]" @interp
  t15 = prims.broadcast_in_dim(t14, (2, 1), (0,))  # t15: "cpu f32[2, 1]" @interp
  t16 = prims.broadcast_in_dim(t15, (2, 8), (0, 1))  # t16: "cpu f32[2, 8]" @interp
  t17 = prims.sub(a, t16)  # t17: "cpu f32[2, 8]" @interp
  t18 = prims.exp(t17)  # t18: "cpu f32[2, 8]" @interp
  t19 = prims.sum(t18, (1,))  # t19: "cpu f32[2]" @interp
  t20 = prims.broadcast_in_dim(t19, (2, 1), (0,))  # t20: "cpu f32[2, 1]" @interp
  t21 = prims.broadcast_in_dim(t20, (2, 8), (0, 1))  # t21: "cpu f32[2, 8]" @interp
  c = prims.div(t18, t21)  # c: "cpu f32[2, 8]" @interp
  return (c,)

-- value
output 0:
[[0.1265, 0.0772, 0.3594, ..., 0.1668, 0.0166, 0.0491],
 [0.2371, 0.2615, 0.0888, ..., 0.0539, 0.0268, 0.0510]]
