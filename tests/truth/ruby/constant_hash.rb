# Sessions stay in a Hash that is a constant of a module.
require "stage"

class Session
  def initialize(number)
    @number = number
    @rights = [:read, :write]
  end
end

module Registry
  SESSIONS = {}
  def self.begin(number) = SESSIONS[number] = Session.new(number)
end

Stage.play { |number| Registry.begin(number) }
