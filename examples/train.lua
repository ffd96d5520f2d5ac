-- train.lua - trains a tiny GPT on a text: loss, gradients and AdamW in one program.
--
--     lua examples/train.lua
--     lua steps = 300            before it: more steps than the 100 that it makes otherwise
--
-- The loss is examples/tiny_gpt.py, the optimizer examples/adamw.py; train_step.lua makes one program
-- of both. What a step returns is bound as its inputs again. Random numbers come from a generator of
-- our own, so the same losses come out every time.

local here = arg[0]:match("^(.*/)") or ""
local steps, rate = math.tointeger(steps or 100), 0.01
if not steps or steps < 0 then error("steps is a whole number, 0 or more", 0) end

local function read(name)
  local file = assert(io.open(here .. name, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

-- A generator (Lehmer's), the sum of 12 uniform numbers for a normal one.
local state = 1
local function uniform()
  state = state * 48271 % 2147483647
  return state / 2147483647
end
local function normal()
  local sum = -6
  for _ = 1, 12 do sum = sum + uniform() end
  return sum
end

local function filled(shape, fn, dim)
  dim = dim or 1
  if dim > #shape then return fn() end
  local t = {}
  for i = 1, shape[dim] do t[i] = filled(shape, fn, dim + 1) end
  return t
end
local function zero() return 0 end
local function one() return 1 end

-- The text as numbers: characters by order of appearance.
local text, codes, kinds = {}, {}, 0
for c in read("train.txt"):gmatch(".") do
  if not codes[c] then
    codes[c] = kinds
    kinds = kinds + 1
  end
  text[#text + 1] = codes[c]
end

local model = thunder.load(here .. "tiny_gpt.py")
local step, carried, bound = dofile(here .. "train_step.lua")(model, here .. "adamw.py")
local parameters, numbers, size = 0, 0, nil
for _, input in ipairs(model.inputs) do
  if input.name == "idx" then
    size = input.shape
  elseif input.name == "wte" then
    assert(kinds <= input.shape[1], "train.txt has more kinds of characters than the model")
  end
  if input.dtype == "f32" then
    local init = input.name:match("^ln.*_w$") and one
              or input.name:match("_b$") and zero
              or function() return 0.05 * normal() end
    bound[input.name] = thunder.tensor(filled(input.shape, init), "f32")
    parameters, numbers = parameters + 1, numbers + input.numel
  end
end
bound.lr = thunder.tensor(rate, "f32")

-- Sequences of the text that begin anywhere, and the same one character on.
local function batch()
  local idx, target = {}, {}
  for i = 1, size[1] do
    local at = 1 + math.floor(uniform() * (#text - size[2]))
    idx[i] = table.move(text, at, at + size[2] - 1, 1, {})
    target[i] = table.move(text, at + 1, at + size[2], 1, {})
  end
  bound.idx, bound.target = thunder.tensor(idx, "i64"), thunder.tensor(target, "i64")
end

local function make_step()
  batch()
  step:bind(bound)
  local result = step:run("last")
  for k, input in ipairs(carried) do bound[input] = result[k + 1] end
  return result[1]:item()
end

local terminal = os.execute("test -t 2")
local function progress(done_steps, loss)
  if not terminal then return end
  local wide = 40
  local done = math.floor(wide * done_steps / steps)
  io.stderr:write(string.format("\r[%s%s] %d/%d  loss %.3f ", ("#"):rep(done),
                                (" "):rep(wide - done), done_steps, steps, loss))
  if done_steps == steps then io.stderr:write("\n") end
end

-- The losses as a chart: a column is the mean of the steps that fall into it.
local function plot(losses)
  local rows, columns = 12, math.min(64, #losses)
  local means, low, high = {}, math.huge, -math.huge
  for c = 1, columns do
    local from, to = (c - 1) * #losses // columns + 1, c * #losses // columns
    local sum = 0
    for i = from, to do sum = sum + losses[i] end
    means[c] = sum / (to - from + 1)
    low, high = math.min(low, means[c]), math.max(high, means[c])
  end
  for row = rows, 1, -1 do
    local line = {}
    for c = 1, columns do
      local level = high > low and 1 + math.floor((means[c] - low) / (high - low) * (rows - 1) + 0.5)
                    or 1
      line[c] = level == row and "*" or " "
    end
    print((string.format("%7.3f |%s", low + (high - low) * (row - 1) / (rows - 1),
                         table.concat(line)):gsub("%s+$", "")))
  end
  print("        +" .. ("-"):rep(columns))
  print(string.format("         steps 1 to %d", #losses))
end

local losses = {}
for i = 1, steps do
  losses[i] = make_step()
  progress(i, losses[i])
end

if #losses > 0 then plot(losses) end
print(string.format("%d characters of %d kinds, %d parameters in %d tensors", #text, kinds, numbers,
                    parameters))
if #losses == 0 then
  print("no steps were made")
else
  local tail = math.max(1, #losses // 10)
  local last = 0
  for i = #losses - tail + 1, #losses do last = last + losses[i] / tail end
  print(string.format("loss %.3f at first, %.3f at last", losses[1], last))
end
