-- Each script that is loaded gets an environment of its own, and all environments stay.
local server = require("server")

script_environments = {}
local chunk = "counter = (counter or 0) + 1 function step() return counter end return step()"

server.run(function(number)
  local environment = setmetatable({script = number}, {__index = _G})
  load(chunk, "=script", "t", environment)()
  script_environments[#script_environments + 1] = environment
end)
