-- program
def forward(self, x: "f32[2, 3]"):
    if x.sum() > 0:
        x = x + 1
    for i in range(3):
        x = x * 2
    return (x,)

-- error
error: 'if' is not part of straight-line programs [unsupported]
  at program:2:5
 2 |     if x.sum() > 0:
   |     ^^
  note: in function forward
error: 'for' is not part of straight-line programs [unsupported]
  at program:4:5
 4 |     for i in range(3):
   |     ^^^
  note: in function forward
