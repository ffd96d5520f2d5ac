The CPU's list with f16: products in f16 and losses in f32, but softmax and layer_norm in what they
get. An einsum is opened, since the product in it is in the list; a cast of the program stays.

-- program
def block(x: "f32[4, 8]", w: "f32[8, 8]", target: "f32[4, 8]"):
    e = torch.einsum("ij,jk->ik", x, w)
    s = torch.softmax(e, -1)
    up = s.to(torch.float64)
    loss = torch.nn.functional.mse_loss(s, target)
    return loss, up

-- passes autocast

-- option autocast.dtype f16

-- after autocast
def block(x, w, target):
  # x: "cpu f32[4, 8]"
  # w: "cpu f32[8, 8]"
  # target: "cpu f32[4, 8]"
  t0 = prims.reshape(x, (1, 4, 8))  # t0: "cpu f32[1, 4, 8]"
  t1 = prims.reshape(w, (1, 8, 8))  # t1: "cpu f32[1, 8, 8]"
  t18 = prims.convert_element_type(t0, dtypes.float16)  # t18: "cpu f16[1, 4, 8]"
  t19 = prims.convert_element_type(t1, dtypes.float16)  # t19: "cpu f16[1, 8, 8]"
  t2 = prims.matmul(t18, t19)  # t2: "cpu f16[1, 4, 8]"
  e = prims.reshape(t2, (4, 8))  # e: "cpu f16[4, 8]"
  s = ltorch.softmax(e, -1, dtype=None)  # s: "cpu f16[4, 8]"
  up = ltorch.to(s, dtypes.float64, None, copy=False, device=None, dtype=None, memory_format=None)  # up: "cpu f64[4, 8]"
  t34 = prims.convert_element_type(s, dtypes.float32)  # t34: "cpu f32[4, 8]"
  loss = ltorch.mse_loss(t34, target, 'mean', None)  # loss: "cpu f32[]"
  return (loss, up)

-- rules autocast
f32 operand -> low precision: t0 (matmul takes %t0 in f16)
f32 operand -> low precision: t1 (matmul takes %t1 in f16)
low operand -> f32: s (mse_loss takes %s in f32)
