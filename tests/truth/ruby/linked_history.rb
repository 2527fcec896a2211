# Each change knows the one before: a chain that a class instance variable holds by its newest end.
require "stage"

class Change
  def initialize(number, previous)
    @number = number
    @previous = previous
  end
end

class History
  @newest = nil

  class << self
    def add(number) = @newest = Change.new(number, @newest)
  end
end

Stage.play { |number| History.add(number) }
