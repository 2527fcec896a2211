# No leak: sessions that end, a WeakMap whose keys go, a log that is emptied.
require "stage"
require "objspace"

class Session
  def initialize(number) = @number = number
end

class Server
  SESSIONS = {}
  STATES = ObjectSpace::WeakMap.new
  LOG = String.new(capacity: 8192)

  def self.serve(number)
    session = Session.new(number)
    SESSIONS[number % 500] = session
    STATES[session] = session
    LOG << "request #{number}\n"
    LOG.clear if LOG.bytesize > 8000
  end
end

2000.times { |i| Server.serve(i) }
Stage.play { |number| Server.serve(number) }
