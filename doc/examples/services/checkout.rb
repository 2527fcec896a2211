# A shop's service that leaks: it remembers a session for each customer and never forgets one. The cache of pages beside it is bounded.
#
#   ruby checkout.rb          GET /cart?user=NUMBER
require "socket"

class CartItem
  def initialize(sku, count)
    @sku = sku
    @count = count
  end
end

class Session
  attr_reader :cart

  def initialize(user)
    @user = user
    @cart = []
  end
end

class Shop
  SESSIONS = {}
  PAGES = {}

  def page(path)
    PAGES[path] ||= "<h1>#{path}</h1>"
    PAGES.shift if PAGES.size > 100
    PAGES[path]
  end

  def cart(user)
    session = SESSIONS[user] ||= Session.new(user)
    4.times { |number| session.cart << CartItem.new("sku-#{user}-#{number}", number + 1) }
    "#{page("/cart/#{user % 150}")}#{session.cart.size}\n"
  end
end

shop = Shop.new
server = TCPServer.new("127.0.0.1", 8080)
loop do
  client = server.accept
  user = client.gets.to_s[/user=(\d+)/, 1].to_i
  while (line = client.gets) && line != "\r\n"; end
  body = shop.cart(user)
  client.write("HTTP/1.1 200 OK\r\nContent-Length: #{body.bytesize}\r\nConnection: close\r\n\r\n#{body}")
  client.close
end
