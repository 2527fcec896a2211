# ruby shop.rb SECRETS FOLDER: what a program reads, in every place that data can take. See test_canaries.py.
class Customer
  def initialize(text)
    @password = text
    @parts = [text, text.to_sym, text + text]
  end
end

HELD = []
BY_NAME, BY_SYMBOL, NESTED = {}, {}, {}
$last = nil

def hold(text)
  BY_NAME[text] = Customer.new(text)
  BY_SYMBOL[text.to_sym] = Customer.new(text)
  NESTED[text] = {text => {text.to_sym => [text]}}
  HELD << text.dup << text.to_sym << text.upcase << (text * 20) << -text << Regexp.new(text) << proc { text } << RuntimeError.new(text)
  HELD << Struct.new(:password).new(text) << [text, text].to_enum << text.each_char << Fiber.new { mine = text + text; Fiber.yield mine }
  HELD.last.resume
  $last = text
end

secrets = File.readlines(ARGV[0], chomp: true)
secrets.each { |text| hold(text) }
secrets.first(10).each do |text|
  HELD << File.open("#{ARGV[1]}/#{text}", "w")
  ENV["SHOP_#{text}"] = text
  Thread.new { mine = text + text; Thread.current[text.to_sym] = mine; sleep }
end
$stdout.sync = true
puts "ready"
while (line = $stdin.gets) && !line.start_with?("quit") do end
exit!(0)
