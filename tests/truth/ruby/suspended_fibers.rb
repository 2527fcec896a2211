# Each download is a fiber that yields after its first part and is never resumed; a scheduler keeps them in a hash by number.
require "stage"

class Part
  def initialize(number) = @number = number
end

class Scheduler
  def initialize = @waiting = {}

  def start(number)
    fiber = Fiber.new do
      part = Part.new(number)
      Fiber.yield part.hash
      part
    end
    fiber.resume
    @waiting[number] = fiber
  end
end

SCHEDULER = Scheduler.new
Stage.play { |number| SCHEDULER.start(number) }
