# A method is defined for each report that is asked for, on the class of all reports.
require "stage"

class Layout
  def initialize(number) = @number = number
end

class Reports
  def self.add(number)
    layout = Layout.new(number)
    define_method(:"report_#{number}") { layout }
  end
end

Stage.play { |number| Reports.add(number) }
