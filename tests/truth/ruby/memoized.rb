# Results of a method are remembered in an instance variable of a singleton, for ever.
require "stage"
require "singleton"

class Quote
  def initialize(price) = @price = price
end

class Quotes
  include Singleton

  def initialize = @known = {}

  def quote(product, customer)
    @known[[product, customer]] ||= Quote.new(product * customer)
  end
end

Stage.play { |number| Quotes.instance.quote(number, 3) }
