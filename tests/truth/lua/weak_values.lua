-- No leak: a cache with weak values, and an ephemeron whose values refer to their keys.
local server = require("server")

local cache = setmetatable({}, {__mode = "v"})
local states = setmetatable({}, {__mode = "k"})
local pinned = {}

server.run(function(number)
  local page = {number = number}
  cache[number % 5000] = page
  states[page] = {page = page, hits = 1}
  pinned[number % 50 + 1] = page
end)
