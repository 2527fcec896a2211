# Points of a track are structs in an array that is a constant of a module.
require "stage"

module Track
  Point = Struct.new(:x, :y, :label)
  POINTS = []

  def self.add(number) = POINTS << Point.new(number, number * 2, "point #{number}")
end

Stage.play { |number| Track.add(number) }
