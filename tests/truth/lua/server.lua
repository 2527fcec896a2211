-- What the programs of this folder have besides their own: the lines of tests/agents/kit.py, which come from a pipe (arg[1]),
-- and the load of a small server: a cache that evicts, a ring of answers that is full, handlers that are coroutines, timers.
--
--   require("server").run(plant)     plant(number) is called for each object that "leak N" asks for, with a request around each
assert(require("hsdiff").listen())

local server = {}
local pages, order, first = {}, {}, 1
local answers, served = {}, 0
local timers = {}
local seed = 12345

local function draw(limit)
  seed = (seed * 1103 + 12345) % 2147483
  return math.floor(seed / 256) % limit
end

local function page_of(key)
  local page = pages[key]
  if page then return page end
  page = {key = key, body = ("p"):rep(200) .. key, parts = {1, 2, 3}}
  pages[key] = page
  order[#order + 1] = key
  if #order > 256 then
    pages[table.remove(order, 1)] = nil
  end
  return page
end

local handler = coroutine.wrap(function()
  local key
  while true do key = coroutine.yield(page_of(key or 1)) end
end)
handler()

local function tick()
  local slot = served % 64 + 1
  local due = served
  timers[slot] = {due = due, fire = function() return due end}
end

local function request()
  local page = handler(draw(400))
  answers[served % 128 + 1] = {status = 200, text = page.key .. " " .. served, headers = {"a", "b"}}
  served = served + 1
  tick()
end

-- What returned left on the stack is written over.
local function wipe()
  local a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z
end

function server.run(plant)
  local lines = assert(io.open(arg[1]))
  local planted = 0
  for _ = 1, 3000 do request() end
  io.stdout:setvbuf("line")
  print("ready")
  while true do
    request()
    local line = lines:read("*l")
    if line == "quit" then
      return
    elseif line and line:match("^leak ") then
      for _ = 1, tonumber(line:match("%d+")) do
        plant(planted)
        planted = planted + 1
        request()
      end
      wipe()
      print("leaked " .. planted)
    end
  end
end

return server
