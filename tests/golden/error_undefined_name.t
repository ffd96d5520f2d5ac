-- program
def forward(self, x: "f32[2, 3]", mask: "b8[2, 3]"):
    a = torch.exp(z)
    b = x + mask_
    return (b, nothing)

-- error
error: z is not defined [undefined-name]
  at program:2:19
 2 |     a = torch.exp(z)
   |                   ^
error: mask_ is not defined [undefined-name]
  at program:3:13
 3 |     b = x + mask_
   |             ^^^^^
  note: did you mean mask?
