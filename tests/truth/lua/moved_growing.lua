-- Sessions move from a round's table to a fresh one, with new fields each time, and stay what they are; what is leaked are the notes on it.
local server = require("server")

local Session = {__name = "Session"}
local Note = {__name = "Note"}
local sessions, moves = {}, 0
notes = {}

for i = 1, 500 do
  sessions[i] = setmetatable({user = "user " .. i, state = "new"}, Session)
end

local function move_all()
  local moved = {}
  moves = moves + 1
  for i, session in ipairs(sessions) do
    session.state = "moved"
    for field = 1, 8 do session["seen" .. (moves % 16) .. "_" .. field] = moves end
    moved[#sessions + 1 - i] = session
  end
  sessions = moved
end

server.run(function(number)
  notes[#notes + 1] = setmetatable({number = number, from = {session = number % 500}}, Note)
  if number % 1000 == 999 then move_all() end
end)
