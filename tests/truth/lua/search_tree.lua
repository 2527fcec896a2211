-- A search tree with random keys: it grows at thousands of old nodes.
local server = require("server")

local Node = {__name = "Node"}
price_tree = setmetatable({key = 0.5}, Node)
math.randomseed(7)

server.run(function()
  local key, node = math.random(), price_tree
  while true do
    local side = key < node.key and "left" or "right"
    if node[side] == nil then
      node[side] = setmetatable({key = key}, Node)
      return
    end
    node = node[side]
  end
end)
