-- Listeners in a local variable that functions share: nobody unsubscribes.
local server = require("server")

local event_listeners = {}

local function subscribe(number)
  local seen = {number = number}
  event_listeners[#event_listeners + 1] = function(event) seen.last = event end -- truth: made
end

server.run(subscribe)
