-- program
def forward(self, x: "f32[2, 3]", y: "f32[4]"):
    a = torch.add(x, y)
    b = torch.matmul(x, x)
    c = x.view(5, 2)
    return (a, b, c)

-- error
error: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1 [bad-argument]
  at program:2:22
 2 |     a = torch.add(x, y)
   |                      ^
  note: argument 'b' of add
  help: ops add
error: matmul: shapes [2, 3] and [2, 3] cannot be multiplied: the inner sizes differ [bad-argument]
  at program:3:22
 3 |     b = torch.matmul(x, x)
   |                      ^
  note: argument 'a' of matmul
  help: ops matmul
error: shape '[5, 2]' is invalid for input of size 6 [bad-argument]
  at program:4:16
 4 |     c = x.view(5, 2)
   |                ^^^^
  note: argument 'shape' of view
  help: ops view
