-- check.lua: runs the current program on the tensors of a file and saves what it gives.
-- Input: globals file_in, file_out, stage, and rounding ("f64" = the oracle).
-- Output: tensors o0, o1, ... in file_out.
local program = thunder.current()
program:bind(file_in)
local result = program:run(stage, {rounding = rounding})
local out = {}
for i = 1, result.n do
  if result[i] then out["o" .. (i - 1)] = result[i] end
end
thunder.save(file_out, out)
