-- A scheduler parks functions of coroutine.wrap that wait for a message, and nobody sends one.
local server = require("server")

local parked = {}

local function consumer(number)
  local inbox = {number = number, messages = {}}
  while true do
    inbox.messages[#inbox.messages + 1] = coroutine.yield()
  end
end

local function spawn(number)
  local step = coroutine.wrap(consumer)
  step(number)
  parked[#parked + 1] = step
end

server.run(spawn)
