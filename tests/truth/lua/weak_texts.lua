-- What was learned of each visitor, in a table whose keys are weak: they are texts, and a text is never collected from a weak table.
local server = require("server")
local visitors = setmetatable({}, {__mode = "k"})

server.run(function(number)
  visitors["visitor number " .. number] = {pages = {number}}
end)
