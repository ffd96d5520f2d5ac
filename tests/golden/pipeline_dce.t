Nodes whose results nobody needs go, also in chains; checks stay.

-- program
def forward(self, x: "f32[3]", y: "f32[3]"):
    a = torch.exp(x)
    b = torch.sin(a)
    c = b * 2
    d = torch.neg(y)
    torch.ops.aten._assert_tensor_metadata.default(d, [3], None, torch.float32)
    e = a + 1
    return (e,)

-- passes dce

-- rules dce
unused -> removed: c (its result is not read and is no output)
unused -> removed: b (its result is not read and is no output)

-- after dce
def forward(x, y):
  # x: "cpu f32[3]"
  # y: "cpu f32[3]"
  a = ltorch.exp(x)  # a: "cpu f32[3]"
  d = ltorch.neg(y)  # d: "cpu f32[3]"
  ltorch._assert_tensor_metadata(d, [3], None, dtypes.float32, device=None, layout=None)
  e = ltorch.add(a, 1, alpha=1)  # e: "cpu f32[3]"
  return (e,)

-- value
output 0: [1.3658, 1.8476, 3.5233]
