-- bytes_by_op.lua - what each operator of a program reads and writes.
--
--     lua examples/bytes_by_op.lua        (on the current program, else on examples/silu.py)
--
-- Counts every tensor that a node reads or computes once a node: what would move through memory if
-- each node ran as one kernel of its own. Views move nothing.

local here = arg[0]:match("^(.*/)") or ""
local program = thunder.current() or thunder.load(here .. "silu.py")
local trace = program:stage("cse")

local rows, all = {}, {op = "total", count = 0, read = 0, written = 0}

for node in trace:nodes() do
  local row = rows[node.op] or {op = node.op, count = 0, read = 0, written = 0}
  rows[node.op] = row
  local read, written = 0, 0
  if not node:is("view") then
    for _, value in ipairs(node.inputs) do read = read + value.bytes end
    for _, value in ipairs(node.outs) do written = written + value.bytes end
  end
  for _, r in ipairs{row, all} do
    r.count, r.read, r.written = r.count + 1, r.read + read, r.written + written
  end
end

local sorted = {}
for _, row in pairs(rows) do sorted[#sorted + 1] = row end
table.sort(sorted, function(a, b)
  local x, y = a.read + a.written, b.read + b.written
  if x ~= y then return x > y end
  return a.op < b.op
end)
sorted[#sorted + 1] = all

local function kib(n) return string.format("%.2f", n / 1024) end

print(string.format("%s, stage cse: KiB moved by operator", program.name))
print(string.format("%-28s %6s %12s %12s %7s", "operator", "count", "read", "written", "share"))
for _, r in ipairs(sorted) do
  local total = all.read + all.written
  print(string.format("%-28s %6d %12s %12s %6.1f%%", r.op, r.count, kib(r.read), kib(r.written),
    total > 0 and 100 * (r.read + r.written) / total or 0))
end
