-- train_step.lua - three steps of training with each optimizer of examples/, against PyTorch's; run by
-- check_train.c, which says where the files are, at which stage the steps run, and what to do with each
-- step before (`prepare`).
local want = thunder.tensors(root .. "/tests/cases/train_step.safetensors")
local train_step = dofile(root .. "/examples/train_step.lua")
local checked = 0

local function check(name, got, recorded)
  assert(got:close(recorded, 1e-5, 2e-6), name)
  checked = checked + 1
end

for _, name in ipairs{"adamw", "adam", "sgd_momentum"} do
  local model = thunder.load(root .. "/tests/cases/train_step.py")
  local step, carried, bound = train_step(model, root .. "/examples/" .. name .. ".py")
  if prepare then prepare(step) end
  bound.lr = thunder.tensor(0.05, "f32")
  for _, p in ipairs{"w1", "b1", "w2"} do bound[p] = want[p] end
  for i = 0, 2 do
    bound.x, bound.t = want["x" .. i], want["t" .. i]
    step:bind(bound)
    local result = step:run(stage)
    check(name .. " loss " .. i, result[1], want[name .. "/loss" .. i])
    for k, input in ipairs(carried) do bound[input] = result[k + 1] end
  end
  for _, p in ipairs{"w1", "b1", "w2"} do check(name .. " " .. p, bound[p], want[name .. "/" .. p]) end
  assert(not bound.w1:close(want.w1, 1e-3, 1e-3), "nothing was trained")
end
print(checked)
