-- Timers that are set and not cancelled, in a table by their time.
local server = require("server")

local scheduler = {due = {}, now = 0}

function scheduler.after(seconds, action)
  local at = scheduler.now + seconds
  scheduler.due[at] = scheduler.due[at] or {}
  table.insert(scheduler.due[at], action)
end

server.run(function(number)
  local ticket = {number = number}
  scheduler.after(3600 + number % 60, function() ticket.closed = true end) -- truth: made
end)
