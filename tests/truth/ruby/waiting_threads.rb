# A thread is started for each upload and never ends.
require "stage"

class Upload
  def initialize(number)
    @number = number
    @parts = Array.new(100) { |i| "part #{number}.#{i}" }
  end
end

STARTED = Thread::Queue.new

def follow(upload)
  STARTED << true
  Thread.stop
  upload.inspect
end

Stage.play do |number|
  upload = Upload.new(number)
  Thread.new { follow(upload) } # truth: new
  STARTED.pop
end
