-- Users by number and by name, in two globals.
local server = require("server")

users_by_number, users_by_name = {}, {}
local User = {__name = "User"}

server.run(function(number)
  local user = setmetatable({number = number, name = "user " .. number, roles = {"guest"}}, User)
  users_by_number[number + 1] = user
  users_by_name[user.name] = user
end)
