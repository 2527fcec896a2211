-- A program that leaks sessions while it works, for Lua 5.1 to 5.4 and LuaJIT. Plain Lua cannot look whether standard input has a line without
-- waiting for it, so the lines of kit.py come from a pipe, arg[1], with a line "tick" every few milliseconds. With arg[2] == "listen" the module is
-- required here.
if arg[2] == "listen" then assert(require("hsdiff").listen()) end

sessions = {}
local Session = {__name = "Session"}
local planted = 0

local function leak(count)
  for _ = 1, count do
    planted = planted + 1
    sessions[planted] = setmetatable({number = planted, user = {name = "user " .. planted}}, Session)
  end
end

-- What leak() had in its slots of the stack stays there until something else is put into them: as long, the list is held in two ways.
local function wipe()
  local a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z
end

local worker = coroutine.create(function(held)
  while true do held[#held + 1] = coroutine.yield(#held) end
end)
coroutine.resume(worker, {"kept by a coroutine"})

local function work()
  local ring = {}
  for i = 1, 400 do ring[i % 100 + 1] = {i, "text " .. i, function() return i end} end
  return ring
end

local lines = assert(io.open(arg[1]))
io.stdout:setvbuf("line")
print("ready")
while true do
  work()
  local line = lines:read("*l")
  if line == nil or line == "tick" then
    -- the next turn
  elseif line == "quit" then
    os.exit(0, true)
  elseif line:match("^sleep") then
    print("sleeping")
    os.execute("exec " .. line) -- itself the child: whoever ends it leaves none behind
    print("awake")
  else
    leak(tonumber(line:match("%d+")))
    wipe()
    print("leaked " .. planted)
  end
end
