-- A log in one string.
local server = require("server")

local audit = {log = ""}

server.run(function(number)
  audit.log = audit.log .. ("request %06d served\n"):format(number)
end)
