# Each download is a fiber that yields after its first part and is never resumed; a scheduler keeps them in a hash by number.
require "stage"

class Part
  def initialize(number) = @lines = Array.new(20) { |line| "part #{number} line #{line}, which is longer than a slot" }
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
