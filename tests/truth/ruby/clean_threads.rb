# No leak: threads that end, procs that are taken out again, jobs that are consumed.
require "stage"

class Job
  def initialize(number) = @number = number
end

class Hub
  @listeners = []
  @jobs = Thread::Queue.new
  @done = Thread::Queue.new

  class << self
    def start = Thread.new { loop { @done << @jobs.pop.class } }

    def work(number)
      listener = proc { number }
      @listeners << listener
      @jobs << Job.new(number)
      @done.pop
      @listeners.delete(listener)
      Thread.new { number }.join if number % 20 == 0
    end
  end
end

Hub.start
1000.times { |i| Hub.work(i) }
Stage.play { |number| Hub.work(number) }
