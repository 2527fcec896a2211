-- What C code would keep by luaL_ref: values in the registry that are not released.
local server = require("server")

local registry = debug.getregistry()
local Callback = {__name = "Callback"}

server.run(function(number)
  registry[#registry + 1] = setmetatable({number = number, data = {number}}, Callback)
end)
