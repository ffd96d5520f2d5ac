-- autocast_dtypes.lua - the dtypes of results under autocast, against those that PyTorch gave for CUDA and the CPU
-- (record_autocast.py); run by check_autocast.c, which says where the files are and prints how many were compared.
local cases = root .. "/tests/cases/"
local low = {cuda = {"f16", "float16"}, cpu = {"bf16", "bfloat16"}}

local texts, name = {}, nil
for _, file in ipairs{"samples.py", "samples_more.py"} do
  for line in io.lines(cases .. "lang/" .. file) do
    local new = line:match("^def ([%w_]+)")
    if new then
      name, texts[new] = new, {head = line, body = {}}
    elseif name and line:match("%S") then
      table.insert(texts[name].body, line)
    end
  end
end

local region = "    mode_ = torch.amp.autocast_mode._enter_autocast('%s', torch.%s, True, None)\n"
local off = "    torch.amp.autocast_mode._exit_autocast(mode_)\n"

-- What is not compared, and why; with no way of its inputs, for all of them.
local function except(why, list)
  local t = {}
  for line in list:gmatch("[^\n]+") do t[line:match("^%s*(.-)%s*$")] = why end
  return t
end
local exceptions = {
  except("refused on data, not by PyTorch's functions without data", [[
    cuda heaviside mixed
    cuda index_copy mixed
    cuda indexing mixed
    cuda placing mixed
    cuda scaled_erfc low
    cpu indexing mixed
    cuda attention mixed
    cuda convolutions mixed
    cuda cuda_attention mixed
    cuda cuda_attention_backward mixed]]),
  except("dtypes of kernels of CUDA, without autocast too", [[
    cuda native_batch_norm low
    cuda normalisation low
    cpu normalisation low
    cuda norm_gradients mixed
    cuda more low
    cuda more mixed
    cuda fourier low
    cuda aten_fourier_and_bags low]]),
  except("one operator here, several in PyTorch, of which not all are listed", [[
    cuda nn_functional_interpolate__area
    cpu nn_functional_max_pool3d
    cpu nn_functional_pad__reflect
    cpu nn_functional_pad__replicate
    cpu nn_functional_pad__replicate_negative
    cpu heads
    cpu more_functions]]),
}
local function is_exception(device, op, way)
  for _, list in ipairs(exceptions) do
    if list[device .. " " .. op] or list[device .. " " .. op .. " " .. way] then return true end
  end
end

-- The program with its f32 inputs wide, low or mixed, all of it in a region.
local function under_autocast(program, device, way)
  local seen = 0
  local head = program.head:gsub('"f32%[', function(f32)
    seen = seen + 1
    local cast = way == "low" or way == "mixed" and seen > 1
    return cast and '"' .. low[device][1] .. "[" or f32
  end)
  local body = table.move(program.body, 1, #program.body - 1, 1, {})
  head = head:gsub("^def [%w_]+", "def sample")
  return "import torch\nfrom math import inf, nan\n" .. head .. "\n" .. region:format(device, low[device][2])
         .. table.concat(body, "\n") .. "\n" .. off .. program.body[#program.body] .. "\n"
end

local function dtypes_of(text)
  local program = thunder.load_text(text, "sample")
  local dtypes = {}
  for _, out in ipairs(program:stage(0).outputs) do
    if type(out) == "userdata" and out.shape and out.dtype:match("f%d") then dtypes[#dtypes + 1] = out.dtype end
  end
  return table.concat(dtypes, " ")
end

local compared = 0
for line in io.lines(cases .. "autocast_dtypes.txt") do
  local device, op, way, want = line:match("^(%w+) ([%w_]+) (%w+) (.*)$")
  if not is_exception(device, op, way) then
    local got = dtypes_of(under_autocast(texts[op], device, way))
    assert(got == want, line .. ", here " .. got)
    compared = compared + 1
  end
end
print(compared)
