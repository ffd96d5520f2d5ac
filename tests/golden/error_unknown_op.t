-- program
def forward(self, x: "f32[2, 3]"):
    a = torch.sofmax(x, -1)
    b = x.rehsape(3, 2)
    c = torch.ops.aten.totally_unknown.default(x)
    return (a, b, c)

-- error
error: unknown operator torch.sofmax [unknown-op]
  at program:2:9
 2 |     a = torch.sofmax(x, -1)
   |         ^^^^^^^^^^^^
  note: did you mean torch.softmax?
  help: help torch.softmax
error: unknown operator Tensor.rehsape [unknown-op]
  at program:3:9
 3 |     b = x.rehsape(3, 2)
   |         ^^^^^^^^^
  note: did you mean Tensor.reshape?
  help: help Tensor.reshape
error: unknown operator torch.ops.aten.totally_unknown.default [unknown-op]
  at program:4:9
 4 |     c = torch.ops.aten.totally_unknown.default(x)
   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  help: ops lists the known operators
