-- A journal, a list that grows at its head, in a local variable of the function that runs the program.
local server = require("server")

local Line = {__name = "Line"}

local function main()
  local journal
  local written = 0
  server.run(function(number)
    journal = setmetatable({number = number, before = journal}, Line)
    written = written + 1
  end)
  print(written)
end

main()
