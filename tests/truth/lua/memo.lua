-- A function that remembers its results, in a variable that it alone sees.
local server = require("server")

local Price = {__name = "Price"}

local function memoized(compute)
  local known = {}
  return function(key)
    if known[key] == nil then known[key] = compute(key) end
    return known[key]
  end
end

price_of = memoized(function(key) return setmetatable({product = key, amount = key * 3}, Price) end)

server.run(function(number) price_of(number) end)
