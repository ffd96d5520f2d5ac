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
  e = ltorch.einsum('ij,jk->ik', x, w)  # e: "cpu f16[4, 8]"
  s = ltorch.softmax(e, -1, dtype=None)  # s: "cpu f16[4, 8]"
  up = ltorch.to(s, dtypes.float64, None, copy=False, device=None, dtype=None, memory_format=None)  # up: "cpu f64[4, 8]"
  t36 = prims.convert_element_type(s, dtypes.float32)  # t36: "cpu f32[4, 8]"
  loss = ltorch.mse_loss(t36, target, 'mean', None)  # loss: "cpu f32[]"
  return (loss, up)

-- rules autocast
composite -> its parts cast: e (einsum consists of operators that autocast casts)
low operand -> f32: s (mse_loss takes %s in f32)
