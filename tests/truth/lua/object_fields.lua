-- Objects of classes: a queue in a field of a service in a registry.
local server = require("server")

local Service = {} Service.__index = Service Service.__name = "Service"
function Service.new(name) return setmetatable({name = name, backlog = {}}, Service) end
function Service:post(mail) self.backlog[#self.backlog + 1] = mail end

local Mail = {__name = "Mail"}
services = {mailer = Service.new("mailer"), printer = Service.new("printer")}
for i = 1, 60 do services["worker" .. i] = Service.new("worker") end

server.run(function(number)
  services.mailer:post(setmetatable({number = number, text = "hello " .. number}, Mail))
  services.printer.backlog[1] = number
end)
