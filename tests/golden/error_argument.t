-- program
def forward(self, x: "f32[2, 3]"):
    a = torch.softmax(x, "rows")
    b = torch.sum(x, dim = 7)
    c = torch.exp(x, x, x)
    d = torch.softmax(x, -1, axis = 2)
    e = torch.nn.functional.linear(x)
    return (a, b, c, d, e)

-- error
error: softmax argument 'dim' must be an int whose value is known here [bad-argument]
  at program:2:26
 2 |     a = torch.softmax(x, "rows")
   |                          ^^^^^^
  note: argument 'dim' of softmax
  help: ops softmax
error: Dimension out of range (expected to be in range of [-2, 1], but got 7) [bad-argument]
  at program:3:28
 3 |     b = torch.sum(x, dim = 7)
   |                            ^
  note: argument 'dim' of sum
  help: ops sum
error: torch.exp takes 1 positional argument, 3 given [bad-argument]
  at program:4:22
 4 |     c = torch.exp(x, x, x)
   |                      ^
  note: signature: torch.exp(input)
  help: ops exp
error: torch.softmax has no argument 'axis' [bad-argument]
  at program:5:37
 5 |     d = torch.softmax(x, -1, axis = 2)
   |                                     ^
  note: signature: torch.softmax(input, dim, dtype=None)
  help: ops softmax
error: F.linear needs argument 'weight' [bad-argument]
  at program:6:5
 6 |     e = torch.nn.functional.linear(x)
   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  note: signature: F.linear(input, weight, bias=None)
  help: ops linear
