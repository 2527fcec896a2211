# A block for the end of the program is registered with each request.
require "stage"

class Upload
  def initialize(number) = @number = number
  def discard = @number = nil
end

def receive(number)
  upload = Upload.new(number)
  at_exit { upload.discard }
end

Stage.play { |number| receive(number) }
