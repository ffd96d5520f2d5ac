-- recorded.lua: runs that a GPU repeats as recorded pieces give what plain runs give, bit for bit.
-- Input: global `program_file`; with `optimizer` a step of training of it runs, with `gradients` its joint
-- trace, else the program itself. `root` is the folder of train_step.lua and the optimizers.
-- Output: a line that begins with pass or FAIL, and how many pieces were repeated.
local program
if optimizer then
  local train_step = dofile(root .. "/train_step.lua")
  program = train_step(thunder.load(program_file), root .. "/" .. optimizer .. ".py")
else
  program = thunder.load(program_file)
  if gradients then program:grad("all") end
end
program:select()
program:bind("random", 3)

-- Whoever listens to every statement gets plain runs.
local function plain_run()
  local stop = thunder.on("node", function() end)
  local result = program:run("last")
  stop()
  return result
end

local failures, worst, compared = {}, 0, 0

local function check(what, got, want)
  if (got == nil) ~= (want == nil) then
    failures[#failures + 1] = what .. " is missing"
  elseif got then
    compared = compared + 1
    local d = got:compare(want).max_abs
    if d ~= d or d > worst then worst = d end
    if d ~= 0 or got:nans() ~= want:nans() then failures[#failures + 1] = what end
  end
end

local function check_results(round, got, want)
  for i = 1, want.n do check(round .. " result " .. i, got[i], want[i]) end
  for name, tensor in pairs(want.mutated) do check(round .. " " .. name, got.mutated[name], tensor) end
end

local played, fastest = 0, math.huge
local function repeated(round, want, times)
  for i = 1, times or rounds or 6 do
    local result = program:run("last")
    played = math.max(played, result.played)
    if result.played > 0 then fastest = math.min(fastest, result.ms) end
    check_results(round .. "." .. i, result, want)
    result = nil
    collectgarbage()
  end
end

local bound, turned = {}, 0
for _, input in ipairs(program.inputs) do bound[input.name] = program:binding(input.name) end
local first = plain_run()
repeated("first inputs", first)
local before = played
-- Other tensors, as those of a second instance of the program.
local again = thunder.load(program_file)
again:bind("random", 4)
local fresh = {}
for _, input in ipairs(again.inputs) do fresh[input.name] = again:binding(input.name) end
program:bind(fresh)
local second = plain_run()
repeated("other inputs", second)
local plain = plain_run()
check_results("plain", plain, second)
-- In turn: what a statement reads too early is then of the other inputs, not what it would have been.
-- Pieces are recorded anew for other inputs, and not played here.
program:bind(bound)
repeated("first inputs again", first, 5) -- until they are recorded
for i = 1, 2 * (rounds or 6) do
  local which = i % 2 == 0
  program:bind(which and fresh or bound)
  local result = program:run("last")
  turned = turned + result.played
  check_results("in turn." .. i, result, which and second or first)
  result = nil
  collectgarbage()
end
if before == 1 and turned == 0 then failures[#failures + 1] = "nothing was played in turn" end
if before == 0 then failures[#failures + 1] = "nothing was recorded" end
print(string.format("%s %s: %d results equal to plain runs, largest difference %g; %d pieces; %.3f ms, plain %.3f ms%s",
  #failures == 0 and "pass" or "FAIL", program.name, compared, worst, played, fastest, plain.ms,
  #failures > 0 and "; " .. table.concat(failures, ", ", 1, math.min(#failures, 5)) or ""))
