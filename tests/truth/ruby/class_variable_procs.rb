# Tickets listen by procs, which are in a class variable of the hub, and never stop.
require "stage"

class Hub
  @@listeners = []
  def self.on_price(&block) = @@listeners << block
end

class Ticket
  def initialize(number)
    @number = number
    @price = 0.0
    Hub.on_price { |price| @price = price } # truth: made
  end
end

Stage.play { |number| Ticket.new(number) }
