# Keys that come from outside are made symbols, and kept as keys.
require "stage"

class Setting
  def initialize(value) = @value = value
end

class Settings
  STORE = {}
  def self.put(number) = STORE[:"setting_#{number}"] = Setting.new(number)
end

Stage.play { |number| Settings.put(number) }
