# A queue in a global variable, whose consumer has died.
require "stage"

class Job
  def initialize(number)
    @number = number
    @payload = [number, nil]
  end
end

$jobs = Thread::Queue.new

consumer = Thread.new do
  Thread.current.report_on_exception = false
  10.times { $jobs.pop }
  raise "connection refused"
end
10.times { |i| $jobs << Job.new(i) }
begin
  consumer.join
rescue RuntimeError
  consumer = nil
end

Stage.play { |number| $jobs << Job.new(number) }
