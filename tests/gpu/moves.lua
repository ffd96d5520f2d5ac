-- moves.lua: how fast tensors go to the device and back. Input: global `program_file`, one large input
-- and a result of that size. Output: a line with GB/s of either way, and whether the elements are right.
local program = thunder.load(program_file)

local function now()
  local pipe = io.popen("date +%s%N")
  local ns = pipe:read("n")
  pipe:close()
  return ns * 1e-9
end

local up, down, good = 0, 0, true
program:bind("random", 1)
program:run("last") -- compiles
for round = 2, 4 do
  local other = thunder.load(program_file)
  other:bind("random", round)
  local input = other:binding("x")
  program:bind{x = input}
  local result = program:run("last") -- sends what was bound; its kernel takes far less
  up = math.max(up, input.bytes / result.ms * 1e-6)
  local start = now()
  local first = result[1]:get(0)
  down = math.max(down, input.bytes / (now() - start) * 1e-9)
  for _, i in ipairs{0, 1, input.numel // 3, input.numel - 1} do
    good = good and result[1]:get(i) == -input:get(i)
  end
  result = nil
  collectgarbage()
end
print(string.format("%s moves: %.1f GB/s to the device, %.1f GB/s back", good and "pass" or "FAIL", up, down))
