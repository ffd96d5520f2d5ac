-- program
This file holds prose, and no program at all.

-- error
error: no function found in program [no-program]
  at program:1:1
 1 | This file holds prose, and no program at all.
   | ^
  note: a program starts with a line such as: def forward(self, x: "f32[2, 3]"):
  help: help formats
