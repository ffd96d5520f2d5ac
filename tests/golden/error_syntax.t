-- program
def forward(self, x: "f32[2, 3]"):
    a = torch.exp(x))
    b = = x
    return (a,)

-- error
error: expected the end of the statement, not ')' [syntax]
  at program:2:21
 2 |     a = torch.exp(x))
   |                     ^
  note: in function forward
error: expected an expression, not '=' [syntax]
  at program:3:9
 3 |     b = = x
   |         ^
  note: in function forward
