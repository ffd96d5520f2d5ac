-- autocast_grad.lua - gradients under autocast against PyTorch's; run by check_autocast.c, which says where
-- the files are (`root`) and prints how many gradients were compared.
local cases, compared = root .. "/tests/cases/", 0

-- Names of the programs of a file in order, and their texts by name.
local function programs(file)
  local names, texts, name = {}, {}, nil
  for line in io.lines(cases .. file .. ".py") do
    local new = line:match("^def (%w+)")
    if new then
      name, names[#names + 1], texts[new] = new, new:match("^case%d+$"), ""
    end
    if name then texts[name] = texts[name] .. line .. "\n" end
  end
  return names, texts
end

-- The joint program with the recorded inputs and cotangents of a case.
local function joint(program, recorded, case)
  local bound = {}
  program:grad("all")
  for _, input in ipairs(program:stage("joint").inputs) do
    local k = input.name:match("^cot_(%d+)$")
    bound[input.name] = recorded[case .. (k and "/cot/" .. k or "/in/" .. input.name)]
  end
  program:bind(bound)
  return program
end

-- Calls fn(gradient, recorded, name, what `also` has in its place) for each recorded gradient.
local function each_gradient(program, recorded, case, results, fn, also)
  local at = #program:stage(0).outputs
  for _, input in ipairs(program:stage(0).inputs) do
    if input.dtype:match("f%d") then
      at = at + 1
      local want = recorded[case .. "/grad/" .. input.name]
      if want then
        fn(results[at], want, case .. " " .. input.name, also and also[at])
        compared = compared + 1
      end
    end
  end
end

local function equal(got, want, name)
  local half = want.dtype == "bf16"
  local c = got:compare(want, half and 1.6e-2 or 1.3e-5, half and 1e-5 or 1e-4)
  assert(c.equal and got.dtype == want.dtype, name .. " differs by " .. c.max_abs)
end

-- By the pass, in programs that one region is all of and that do not change dtypes by themselves.
local recorded = thunder.tensors(cases .. "autocast_grad.safetensors")
local names, texts = programs("autocast_grad")
for _, case in ipairs(names) do
  local text = texts[case]
  local plain, regions = text:gsub("[^\n]*_enter_autocast[^\n]*\n", "")
  if regions == 1 and not text:find("wrap_with", 1, true) and not text:find("bf16[", 1, true)
     and not text:find(".float()", 1, true) then
    plain = plain:gsub("[^\n]*_exit_autocast[^\n]*\n", "")
    local program = thunder.load_text(plain, case)
    program:enable("autocast")
    program = joint(program, recorded, case)
    for _, stage in ipairs{"joint", "remat", "plan"} do
      each_gradient(program, recorded, case, program:run(stage, {executors = "interp"}), equal)
    end
  end
end

-- Where PyTorch casts a value as often as it is read: the same without pass cse, which shares casts.
-- Else no farther from the gradients of exact arithmetic than PyTorch's own ones, by a quarter.
local function near(got, want, name, exact)
  exact = exact:to("f32")
  local mine, theirs = got:compare(exact).max_abs, want:compare(exact).max_abs
  assert(mine <= 1.25 * theirs + 1e-6, name .. " is off by " .. mine .. ", PyTorch's by " .. theirs)
  assert(got.dtype == want.dtype, name)
end

recorded = thunder.tensors(cases .. "autocast_rounding.safetensors")
for _, case in ipairs{"case1", "case2", "case3"} do
  local program = thunder.load(cases .. "autocast_rounding.py:" .. case)
  program:enable("cse", false)
  program = joint(program, recorded, case)
  each_gradient(program, recorded, case, program:run("joint"), equal)
end
for _, case in ipairs(programs("autocast_rounding")) do
  local program = joint(thunder.load(cases .. "autocast_rounding.py:" .. case), recorded, case)
  local exact = program:run("joint", {rounding = "f64"})
  for _, stage in ipairs{"joint", "remat", "plan"} do
    each_gradient(program, recorded, case, program:run(stage), near, exact)
  end
end
print(compared)
