-- program
def forward(self, x: "f32[2, 3]", y: "f32[3]", x: "f32[3]"):
    return (x + y,)

-- error
error: there are two parameters 'x' [duplicate-parameter]
  at program:1:48
 1 | def forward(self, x: "f32[2, 3]", y: "f32[3]", x: "f32[3]"):
   |                                                ^^^^^^^^^^^
  note: in function forward
