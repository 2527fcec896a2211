-- Tickets are put into a global table and never closed.
local server = require("server")

open_tickets = {}
local Ticket = {__name = "Ticket"}

server.run(function(number)
  open_tickets[#open_tickets + 1] = setmetatable({number = number, owner = {desk = number}}, Ticket)
end)
