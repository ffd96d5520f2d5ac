Mixed precision on CUDA's list: linear and matmul in bf16 (w is cast once for both), gelu in what it
gets, the sum of f32 and bf16 in f32, layer_norm, softmax and the loss in f32, cat in the widest of
its operands.

-- program
def block(x: "f32[4, 8]", w: "f32[8, 8]", b: "f32[8]", target: "i64[4]"):
    h = torch.nn.functional.linear(x, w, b)
    g = torch.nn.functional.gelu(h)
    r = x + g
    n = torch.nn.functional.layer_norm(r, (8,))
    z = torch.matmul(n, w)
    s = torch.softmax(z, -1)
    c = torch.cat([z, x], 0)
    loss = torch.nn.functional.cross_entropy(z, target)
    return loss, s, c

-- passes autocast

-- option autocast.list cuda

-- after autocast
def block(x, w, b, target):
  # x: "cpu f32[4, 8]"
  # w: "cpu f32[8, 8]"
  # b: "cpu f32[8]"
  # target: "cpu i64[4]"
  t50 = prims.convert_element_type(x, dtypes.bfloat16)  # t50: "cpu bf16[4, 8]"
  t51 = prims.convert_element_type(w, dtypes.bfloat16)  # t51: "cpu bf16[8, 8]"
  t52 = prims.convert_element_type(b, dtypes.bfloat16)  # t52: "cpu bf16[8]"
  h = ltorch.linear(t50, t51, t52)  # h: "cpu bf16[4, 8]"
  g = ltorch.gelu(h, approximate='none')  # g: "cpu bf16[4, 8]"
  r = ltorch.add(x, g, alpha=1)  # r: "cpu f32[4, 8]"
  n = ltorch.layer_norm(r, (8,), None, None, 1e-05)  # n: "cpu f32[4, 8]"
  t63 = prims.convert_element_type(n, dtypes.bfloat16)  # t63: "cpu bf16[4, 8]"
  z = ltorch.matmul(t63, t51)  # z: "cpu bf16[4, 8]"
  t65 = prims.convert_element_type(z, dtypes.float32)  # t65: "cpu f32[4, 8]"
  s = ltorch.softmax(t65, -1, dtype=None)  # s: "cpu f32[4, 8]"
  c = ltorch.cat([z, x], 0)  # c: "cpu f32[8, 8]"
  loss = ltorch.cross_entropy(t65, target, None, None, -100, None, 'mean', 0.0)  # loss: "cpu f32[]"
  return (loss, s, c)

-- rules autocast
f32 operand -> low precision: x (linear takes %x in bf16)
f32 operand -> low precision: w (linear takes %w in bf16)
f32 operand -> low precision: b (linear takes %b in bf16)
f32 operand -> low precision: n (matmul takes %n in bf16)
f32 operand -> low precision: w (matmul takes %w in bf16)
low operand -> f32: z (softmax takes %z in f32)
low operand -> f32: z (cross_entropy takes %z in f32)
