-- No leak: an LRU cache of 800 pages as a list of two directions.
local server = require("server")

local by_key, count = {}, 0
local ends = {} ends.newer, ends.older = ends, ends

local function unlink(page) page.newer.older, page.older.newer = page.older, page.newer end

server.run(function(number)
  local page = {key = number, body = ("x"):rep(100) .. number, newer = ends, older = ends.older}
  ends.older.newer, ends.older = page, page
  by_key[number], count = page, count + 1
  if count > 800 then
    local last = ends.newer
    unlink(last)
    by_key[last.key], count = nil, count - 1
  end
end)
