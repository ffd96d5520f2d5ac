-- join.lua - a program inside of another one: appends the nodes of a trace to the program that
-- thunder.build is making.
--
--     local inline = dofile("examples/join.lua")
--     both = thunder.build("both", {{"x", "f32[4]"}}, function(x)
--       return inline(second, {x = inline(first, {x = x})})
--     end)
--
-- `inputs` has values of the new program by the names of the trace's inputs. What comes back is the
-- trace's output, a table where that is a tuple.

return function(trace, inputs)
  local now = {}
  for _, input in ipairs(trace.inputs) do
    now[input.name] = assert(inputs[input.name], "no value for input " .. input.name)
  end

  local function moved(x)
    if type(x) == "userdata" then return now[x.name] or x end
    if type(x) ~= "table" then return x end
    local t = {}
    for i = 1, #x do t[i] = moved(x[i]) end
    return setmetatable(t, getmetatable(x))
  end

  for node in trace:nodes() do
    local args = {}
    for i, param in ipairs(node.params) do
      args[param] = node.args[i] == nil and thunder.none or moved(node.args[i])
    end
    local results = thunder.op(node.qualified)(args)
    if type(results) ~= "table" then results = {results} end
    for i, out in ipairs(node.outs) do now[out.name] = results[i] end
  end
  return moved(trace.output)
end
