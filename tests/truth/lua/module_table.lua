-- A module of its own keeps what it is given: package.loaded holds its table.
local server = require("server")

package.preload["shop.basket"] = function()
  local basket = {items = {}, count = 0}
  function basket.add(article)
    basket.count = basket.count + 1
    basket.items[basket.count] = article
  end
  return basket
end

local basket = require("shop.basket")
local Article = {__name = "Article"}

server.run(function(number)
  basket.add(setmetatable({number = number, price = {amount = number, currency = "EUR"}}, Article))
end)
