# Visits by country and day, in a Hash that makes its inner ones by itself, held by a module.
require "stage"

Visit = Struct.new(:number, :page)

module Statistics
  @visits = Hash.new { |countries, country| countries[country] = Hash.new { |days, day| days[day] = [] } }

  def self.note(number)
    @visits["country #{number % 20}"]["day #{number % 7}"] << Visit.new(number, "page #{number}")
  end
end

Stage.play { |number| Statistics.note(number) }
