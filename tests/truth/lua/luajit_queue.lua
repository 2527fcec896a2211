-- LuaJIT: a queue whose reader is stuck, in fields of an object in a local variable.
local server = require("server")

local Message = {__name = "Message"}
local queue = {first = 1, last = 0, items = {}}

server.run(function(number)
  queue.last = queue.last + 1
  queue.items[queue.last] = setmetatable({number = number, headers = {}}, Message)
end)
