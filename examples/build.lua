-- build.lua - a program from scratch: root mean square normalisation, then a linear layer.
--
--     lua examples/build.lua
--
-- Inputs are listed with name, dtype and shape; the function gets them as values. Operators of Lua
-- and methods of tensors build nodes, and what the function returns is the program's result.

local program = thunder.build("rms_linear", {
  {"x", "f32", {2, 4}},
  {"scale", "f32[4]"},
  {"w", "f32[3, 4]"},
}, function(x, scale, w)
  local mean = (x * x):mean(-1, {keepdim = true})
  local y = (x * (mean + 1e-5):rsqrt() * scale):named("normalised")
  return thunder.torch.linear(y, w):named("result")
end)

program:print(0, {header = false})

program:bind{
  x = {{1, 2, 3, 4}, {-1, 0, 1, 0}},
  scale = {1, 1, 2, 2},
  w = {{1, 0, 0, 0}, {0, 1, 1, 0}, {0.5, 0.5, 0.5, 0.5}},
}
local result = program:run("last")[1]
print(result)

-- The same in plain Lua, for the first element.
local expected = 1 / math.sqrt((1 + 4 + 9 + 16) / 4 + 1e-5)
print(string.format("first element %.6f, expected %.6f", result:get(0, 0), expected))
assert(math.abs(result:get(0, 0) - expected) < 1e-6)
