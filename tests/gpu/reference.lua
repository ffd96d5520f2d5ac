-- reference.lua: the f64 oracle on the device against the interpreter's, for every program loaded.
local worst, n = 0, 0
for _, program in ipairs(thunder.programs()) do
  program:select()
  program:bind("random", 3)
  local device = program:run("acquired", {rounding = "f64"})
  local host = program:run("acquired", {rounding = "f64", executors = "interp"})
  for i = 1, host.n do
    local want = host[i]
    if want and (want.dtype == "f64" or want.dtype == "float64") then
      local scale = math.max(want:maxabs(), 1e-30)
      local d = device[i]:compare(want).max_abs / scale
      if d > worst then worst = d end
      n = n + 1
    end
  end
end
print(string.format("f64 on the device: %d results, largest difference %.2e of the largest element", n, worst))
