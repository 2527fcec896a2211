-- An ephemeron whose keys are all in another table.
local server = require("server")

local connection_state = setmetatable({}, {__mode = "k"})
open_connections = {}
local Connection = {__name = "Connection"}
local State = {__name = "State"}

server.run(function(number)
  local connection = setmetatable({number = number}, Connection)
  open_connections[#open_connections + 1] = connection
  connection_state[connection] = setmetatable({bytes = 0, peer = connection}, State)
end)
