-- each.lua: every statement of every program loaded, against the oracle on the operands that it had.
-- Input: globals, gradients = true for joint programs, sample = elements of each result.
-- Output: what is wrong, what is not checked and why, and which programs could not be checked; the
-- last line has the totals.
local statements, wrong, untold, failed = 0, 0, 0, 0
for _, program in ipairs(thunder.programs()) do
  program:select()
  local out, ok = "", true
  if gradients then out, ok = thunder.command("grad all") end
  if ok then out, ok = thunder.command("bind --random") end
  if ok then
    out, ok = thunder.command("compare last --each" .. (sample and " --sample " .. sample or ""))
  end
  local n, w, u = out:match("(%d+) statements? checked.-(%d+) wrong, (%d+) not checked")
  if n then
    statements, wrong, untold = statements + n, wrong + w, untold + u
    local found = out:match("\nwrong: ([^\n]*)")
    if found then print(program.name .. ": " .. found) end
    for reason in out:gmatch("\nnot checked: ([^\n]*)") do
      print(program.name .. ": not checked: " .. reason)
    end
  else
    failed = failed + 1
    print(program.name .. ": could not be checked: " .. out:gsub("%s+", " "))
  end
end
print(string.format("%d programs: %d statements checked, %d wrong, %d not checked; %d failed",
                    #thunder.programs(), statements, wrong, untold, failed))
