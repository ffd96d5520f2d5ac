The annotation of a result must agree with what the operator gives.

-- program
def forward(self, x: "f32[2, 3]"):
    a: "f32[3, 3]" = torch.exp(x)
    b: "f64[2, 3]" = torch.sin(x)
    return (a, b)

-- error
error: a is annotated cpu f32[3, 3], but its value is cpu f32[2, 3] [type-mismatch]
  at program:2:8
 2 |     a: "f32[3, 3]" = torch.exp(x)
   |        ^^^^^^^^^^^
  note: the value comes from torch.exp(x)
error: b is annotated cpu f64[2, 3], but its value is cpu f32[2, 3] [type-mismatch]
  at program:3:8
 3 |     b: "f64[2, 3]" = torch.sin(x)
   |        ^^^^^^^^^^^
  note: the value comes from torch.sin(x)
