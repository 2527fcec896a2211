-- LuaJIT: sessions in a table of a module, and none is closed.
local server = require("server")

local Session = {__name = "Session"}
open_sessions = {}

server.run(function(number)
  open_sessions[#open_sessions + 1] = setmetatable({number = number, user = {id = number}}, Session)
end)
