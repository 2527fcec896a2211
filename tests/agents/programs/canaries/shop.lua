-- lua shop.lua SECRETS STOP FOLDER: what a program reads, in every place that data can take. The keys look like names. See test_canaries.py.
assert(require("hsdiff").listen())
values, byKey, parts, sets, coroutines, closures, buffers, numbers, weak, files, deep = {}, {}, {}, {}, {}, {}, {}, {}, setmetatable({}, {__mode = "k"}), {}, {}
local count = 0
for text in io.lines(arg[1]) do
  count = count + 1
  values[count] = text
  byKey[text] = {count}
  if count % 7 == 1 then parts[#parts + 1] = {} end
  parts[#parts][text] = {count}
  sets[{text}] = text
  coroutines[count] = coroutine.create(function(word) local kept = word .. word; coroutine.yield(kept) return kept end)
  coroutine.resume(coroutines[count], text)
  closures[count] = function() return text end
  buffers[count] = {text:rep(3), text:upper(), (text:gsub("q", "Q"))}
  weak[{text}] = {text}
  deep[text] = {[text] = {[text] = {text}}}
  if count <= 10 then
    local file = assert(io.open(arg[3] .. "/" .. text, "w"))
    file:write(text)
    files[#files + 1] = file
  end
end
local stop = arg[2]
io.stdout:setvbuf("line")
print("ready")
while true do
  local scratch = {}
  for i = 1, 1000 do scratch[i] = {i} end
  local file = io.open(stop)
  if file then os.exit(0, true) end
end
