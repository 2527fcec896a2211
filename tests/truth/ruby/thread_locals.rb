# Visits are kept in a variable of the main thread, Thread#[], and none is dropped.
require "stage"

class Visit
  def initialize(number) = @number = number
end

Thread.current[:visits] = []

Stage.play { |number| Thread.main[:visits] << Visit.new(number) }
