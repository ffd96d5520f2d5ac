Unknown operators are errors of their own, also on what an error has left without a value.

-- program
def f(x: "f32[4, 3]"):
    a = torch.matmul(x, x)
    b = torch.expp(a)
    c = b.sinn()
    d = torch.exp(c)
    return (d,)

-- error
error: matmul: shapes [4, 3] and [4, 3] cannot be multiplied: the inner sizes differ [bad-argument]
  at program:2:22
 2 |     a = torch.matmul(x, x)
   |                      ^
  note: argument 'a' of matmul
  help: ops matmul
error: unknown operator torch.expp [unknown-op]
  at program:3:9
 3 |     b = torch.expp(a)
   |         ^^^^^^^^^^
  note: did you mean torch.exp?
  help: help torch.exp
error: unknown operator Tensor.sinn [unknown-op]
  at program:4:9
 4 |     c = b.sinn()
   |         ^^^^^^
  note: did you mean Tensor.sign?
  help: help Tensor.sign
