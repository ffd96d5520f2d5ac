-- program
def forward(self, x: "f32[2, 3]"):
    a = torch.add(x, torch.mul(x,

-- error
error: expected an expression, but the text ends here [truncated]
  at program:2:34
 2 |     a = torch.add(x, torch.mul(x,
   |                                  ^
  note: in function forward
