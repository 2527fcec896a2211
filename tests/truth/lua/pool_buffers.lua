-- A pool of connections, taken out and put back, whose buffers grow; the answers that each keeps are never let go.
local server = require("server")

local Connection = {__name = "Connection"}
local pool = {idle = {}, busy = {}}
local kept_answers = {}

for i = 1, 200 do
  pool.idle[i] = setmetatable({buffer = {size = i}, pending = {}}, Connection)
end

local function take()
  local connection = table.remove(pool.idle, 1) or table.remove(pool.busy, 1)
  pool.busy[#pool.busy + 1] = connection
  return connection
end

local function give_back()
  while #pool.busy > 100 do pool.idle[#pool.idle + 1] = table.remove(pool.busy, 1) end
end

server.run(function(number)
  local connection = take()
  connection.buffer[#connection.buffer + 1] = number
  connection.pending = {first = number, second = {number}}
  kept_answers[#kept_answers + 1] = {by = number, body = {length = number}}
  give_back()
end)
