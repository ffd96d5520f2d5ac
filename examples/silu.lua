-- silu.lua - a pass in Lua: x * sigmoid(x) becomes silu(x).
--
--     lua examples/silu.lua
--
-- A pass is a function that visits the nodes of a trace. What the visitor returns takes the place
-- of the node's result; `step`, `why` and `pass fuel` work for it as for the passes in C.

local here = arg[0]:match("^(.*/)") or ""

-- Whether b is sigmoid(a).
local function is_sigmoid_of(b, a)
  local node = type(b) == "userdata" and b.producer
  return node and node.op == "sigmoid" and node.args[1] == a
end

thunder.pass{
  name = "silu",
  title = "Sigmoid Products to SiLU",
  rule = "x * sigmoid(x) -> silu(x)",
  help = "replaces x * sigmoid(x) by silu(x), which an executor may run as one operator",
  run = function(trace)
    trace:visit(function(node)
      if node.op ~= "mul" then return end
      local a, b = node.args[1], node.args[2]
      if is_sigmoid_of(b, a) then
        return thunder.torch.silu(a), b.name .. " is sigmoid(" .. a.name .. ")"
      elseif is_sigmoid_of(a, b) then
        return thunder.torch.silu(b), a.name .. " is sigmoid(" .. b.name .. ")"
      end
    end)
  end,
}

local program = thunder.load(here .. "silu.py")
program:bind("random", 7)

local function show(title, trace)
  print(title)
  for node in trace:nodes() do print("    " .. tostring(node)) end
end

show("before:", program:stage("cse"))
show("after:", program:stage("silu"))

-- The same numbers as without the pass.
local with = program:run("last")
program:enable("silu", false)
local without = program:run("last")
program:enable("silu")
local c = with[1]:compare(without[1])
print(string.format("%d products are silu now; largest difference of the results: %g",
  #program:stage("silu"):find_op("silu"), c.max_abs))
assert(c.equal, "the pass changed the results")
