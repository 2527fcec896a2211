# A worker keeps what it has done in a local variable of the method that it runs for as long as the program does.
require_relative "stage"

class Job
  def initialize(number)
    @number = number
    @lines = ["line of job #{number}"]
  end
end

class Worker
  def initialize(jobs, done)
    @jobs = jobs
    @done = done
  end

  def run
    handled = {}
    loop do
      job = @jobs.pop
      handled[job.object_id] = job
      @done << true
    end
  end
end

jobs = Thread::Queue.new
done = Thread::Queue.new
Thread.new { Worker.new(jobs, done).run }

Stage.play do |number|
  jobs << Job.new(number)
  done.pop
end
