-- A list to whose head each request adds, in a local variable.
local server = require("server")

local Entry = {__name = "Entry"}
local history

server.run(function(number)
  history = setmetatable({number = number, next = history}, Entry)
end)
