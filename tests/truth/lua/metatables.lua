-- A metatable of its own for each object, where one would do.
local server = require("server")

local proxies = {}

local function wrap(number)
  local target = {number = number}
  return setmetatable({}, {__index = function(_, key) return target[key] end, __name = "Proxy"})
end

server.run(function(number)
  proxies[number + 1] = wrap(number)
end)
