Every function of a file is read, whatever is wrong with the others.

-- program
def first(self, x: "f33[2, 3]"):
    return (x,)

def second(self, x: "f32[2, -3]"):
    return (x,)

def third(self, x: "f32[2, "):
    return (x,)

def fourth(self, x: "tpu f32[2]"):
    return (x,)

-- error
error: 'f33' is no dtype [unknown-dtype]
  at program:1:21
 1 | def first(self, x: "f33[2, 3]"):
   |                     ^^^
  note: in function first
error: expected an expression, but the text ends here [truncated]
  at program:7:27
 7 | def third(self, x: "f32[2, "):
   |                           ^
  note: in function third
error: size -3 is negative [bad-shape]
  at program:4:21
 4 | def second(self, x: "f32[2, -3]"):
   |                     ^^^^^^^^^^^^
error: input x has no type [no-type]
  at program:10:18
 10 | def fourth(self, x: "tpu f32[2]"):
    |                  ^^^^^^^^^^^^^^^
  note: write its type, such as x: "f32[2, 3]"
