-- steps.lua: steps of training, each on what the one before it returned, played and one by one.
-- Input: global `program_file`, a model; `root`, the folder of train_step.lua and the optimizers.
-- Output: a line that begins with pass or FAIL: losses and parameters are equal bit for bit.
local train_step = dofile(root .. "/train_step.lua")
local step, carried, zeros = train_step(thunder.load(program_file), root .. "/adamw.py")
step:select()
step:bind("random", 5)
local first = {}
for _, input in ipairs(step.inputs) do first[input.name] = step:binding(input.name) end
for name, tensor in pairs(zeros) do first[name] = tensor end
first.lr = thunder.tensor(0.001, "f32")

local function train(steps)
  local bound, losses, played, ms = {}, {}, 0, math.huge
  for name, tensor in pairs(first) do bound[name] = tensor end
  for i = 1, steps do
    step:bind(bound)
    local result = step:run("last")
    losses[i] = result[1]:item()
    for k, input in ipairs(carried) do bound[input] = result[k + 1] end
    played = played + result.played
    if i > 1 then ms = math.min(ms, result.ms) end
  end
  return losses, bound, played, ms
end

local stop = thunder.on("node", function() end) -- who listens gets plain runs
local want, end_want = train(8)
stop()
step:bind(first)
for _ = 1, 4 do step:run("last") collectgarbage() end -- records
local got, end_got, played, ms = train(8)
local differ = 0
for i = 1, 8 do
  if got[i] ~= want[i] then differ = differ + 1 end
end
for _, input in ipairs(carried) do
  if end_got[input]:compare(end_want[input]).max_abs ~= 0 then differ = differ + 1 end
end
print(string.format("%s steps: %d of 8 played, loss %.6g to %.6g, %d differences; %.3f ms a step",
  differ == 0 and played > 5 and want[8] < want[1] and "pass" or "FAIL", played, want[1], want[8], differ, ms))
