-- Coroutines that wait for an answer which never comes, in a field of a scheduler that there is once.
local server = require("server")

local Scheduler = {ready = {}, waiting = {}}
Scheduler.__index = Scheduler

function Scheduler:await(request)
  self.waiting[coroutine.running()] = request
  return coroutine.yield()
end

local scheduler = setmetatable({ready = {}, waiting = {}}, Scheduler)

local function handle(number)
  local context = {number = number, headers = {number}}
  return scheduler:await({id = number}), context
end

server.run(function(number) coroutine.wrap(handle)(number) end)
