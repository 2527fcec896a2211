-- A coroutine for each request that waits for an answer which never comes.
local server = require("server")

waiting_requests = {}

local function serve(number)
  local request = {number = number, path = "/index"}
  local answer = coroutine.yield(request)
  return answer
end

server.run(function(number)
  local co = coroutine.create(serve)
  coroutine.resume(co, number)
  waiting_requests[number] = co
end)
