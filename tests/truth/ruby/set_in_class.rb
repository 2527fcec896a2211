# Who was ever seen is in a Set, an instance variable of a class.
require "stage"

class Visitor
  def initialize(number) = @number = number
end

class Counter
  @seen = Set.new

  class << self
    def visit(number) = @seen << Visitor.new(number)
  end
end

Stage.play { |number| Counter.visit(number) }
