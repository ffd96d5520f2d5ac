-- train_step.lua - a step of training as one program: loss, gradients, and an optimizer's update of
-- every parameter.
--
--     local train_step = dofile("examples/train_step.lua")
--     step, carried, state = train_step(thunder.load("examples/tiny_gpt.py"), "examples/adamw.py")
--
-- The parameters are the model's f32 inputs. The optimizer is a program (param, grad, state..., lr)
-- -> (param, state...) as sgd_momentum.py, adam.py and adamw.py are, for one shape of which it is made
-- for every other. The step takes the model's inputs, `PARAMETER_STATE` for each parameter and state,
-- and `lr`; it returns the loss, then what takes the place of the inputs that `carried` names, in
-- order. `state` has zeros for all PARAMETER_STATE inputs.
--
-- The step is split as its model is: prims.end_forward stands where the loss is known, and the update
-- belongs to the backward part. So all passes see the step as a whole, and split and remat, which are
-- on for such a program, decide what is kept.

local here = debug.getinfo(1, "S").source:match("^@(.*/)") or ""
local inline = dofile(here .. "join.lua")

local function read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

local function zeros(shape, dim)
  dim = dim or 1
  if dim > #shape then return 0 end
  local t = {}
  for i = 1, shape[dim] do t[i] = zeros(shape, dim + 1) end
  return t
end

return function(model, optimizer_path)
  model:grad("all", {ones = true})
  local joint = model:stage("split")

  local source, made = read(optimizer_path), {}
  local function optimizer_for(shape)
    local text = table.concat(shape, ", ")
    if not made[text] then
      local program = source:gsub("f32%[4, 3%]", "f32[" .. text .. "]")
      made[text] = thunder.load_text(program, optimizer_path):stage(0)
    end
    return made[text]
  end

  local inputs, parameters, carried, first = {}, {}, {}, {}
  local function add(name, dtype, shape)
    inputs[#inputs + 1] = {name, dtype, shape}
    return name
  end
  for _, input in ipairs(joint.inputs) do
    add(input.name, input.dtype, input.shape)
    if input.dtype == "f32" then
      parameters[#parameters + 1] = {name = input.name, update = optimizer_for(input.shape)}
    end
  end
  for _, p in ipairs(parameters) do
    p.states = {}
    carried[#carried + 1] = p.name
    for _, input in ipairs(p.update.inputs) do
      if input.name ~= "param" and input.name ~= "grad" and input.name ~= "lr" then
        p.states[#p.states + 1] = input.name
        local name = add(p.name .. "_" .. input.name, input.dtype, input.shape)
        carried[#carried + 1] = name
        first[name] = thunder.tensor(zeros(input.shape), input.dtype)
      end
    end
  end
  add("lr", "f32", {})

  local step = thunder.build("train_step", inputs, function(...)
    local given, results = {}, {}
    for i, value in ipairs{...} do given[inputs[i][1]] = value end
    local output = inline(joint, given)
    for i, p in ipairs(parameters) do
      local bound = {param = given[p.name], grad = output[2][i], lr = given.lr}
      for _, state in ipairs(p.states) do bound[state] = given[p.name .. "_" .. state] end
      for _, new in ipairs(inline(p.update, bound)) do results[#results + 1] = new end
    end
    return output[1], results
  end)
  return step, carried, first
end
