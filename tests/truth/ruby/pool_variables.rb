# Each worker of a pool keeps what it served in a variable of its thread.
require "stage"

class Served
  def initialize(number) = @number = number
end

JOBS = Thread::Queue.new
DONE = Thread::Queue.new

4.times do |number|
  worker = Thread.new do
    loop do
      (Thread.current[:served] ||= []) << Served.new(JOBS.pop)
      DONE << true
    end
  end
  worker.name = "worker #{number}"
end

Stage.play do |number|
  JOBS << number
  DONE.pop
end
