The joint trace: forward nodes, then those of the backward pass; a gradient for each input.

-- program
def forward(self, x: "f32[2, 3]", w: "f32[4, 3]", n: "i64[2]", unused: "f32[2]"):
    a = torch.nn.functional.linear(x, w)
    b = torch.relu(a)
    return (b.sum(), n)

-- passes joint

-- rules joint
sum: t2 (a cotangent reaches %t2)
relu: b (a cotangent reaches %b)
linear: a (a cotangent reaches %a)

-- after joint
def forward(x, w, n, unused, cot_0):
  # x: "cpu f32[2, 3]"
  # w: "cpu f32[4, 3]"
  # n: "cpu i64[2]"
  # unused: "cpu f32[2]"
  # cot_0: "cpu f32[]"
  a = prims.linear(x, w, None)  # a: "cpu f32[2, 4]"
  b = ltorch.relu(a, False)  # b: "cpu f32[2, 4]"
  t2 = prims.sum(b, (0, 1))  # t2: "cpu f32[]"
  t3 = prims.broadcast_in_dim(cot_0, (2, 4), ())  # t3: "cpu f32[2, 4]"
  t5 = ltorch.threshold_backward(t3, b, 0)  # t5: "cpu f32[2, 4]"
  grad_x = prims.matmul(t5, w)  # grad_x: "cpu f32[2, 3]"
  t7 = prims.transpose(t5, (1, 0))  # t7: "cpu f32[4, 2]"
  grad_w = prims.matmul(t7, x)  # grad_w: "cpu f32[4, 3]"
  return ((t2, n), (grad_x, grad_w, None))
