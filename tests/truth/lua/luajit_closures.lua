-- LuaJIT: callbacks in an upvalue, and none is removed.
local server = require("server")

local pending_callbacks = {}

local function later(number)
  local state = {number = number}
  pending_callbacks[#pending_callbacks + 1] = function() return state.number end
end

server.run(later)
