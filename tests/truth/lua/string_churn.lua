-- Lines of all lengths come and go in a ring; a line of each request is put into a history for good.
local server = require("server")

local ring, history = {}, {}
local Line = {__name = "Line"}

server.run(function(number)
  for i = 1, 4 do
    local text = ("x"):rep((number * 37 + i * 101) % 180) .. number .. "." .. i
    ring[(number * 4 + i) % 512 + 1] = {text = text, at = number}
  end
  history[#history + 1] = setmetatable({text = ("y"):rep(number % 90) .. number}, Line)
end)
