# One of each kind of place, and what must not happen while it is walked. The lines of kit.py, and "fork", "deadlock", "busy SECONDS" and "told".
require "weakref"
Point = Struct.new(:place, :note)

class Holder
  LIST = []
  @on_class = []
  @@shared = []
  class << self
    attr_reader :on_class
  end
  def self.shared = @@shared
  private_constant :LIST
end

class Mark
  def initialize(kind) = @kind = kind
end
%w[Shared OnClass Key Value Member Generic Closure Local Kept Read Weak].each { |name| Object.const_set("Of#{name}", Class.new(Mark)) }
autoload :NeverLoaded, "#{__dir__}/there_is_no_such_file.rb"
HASH = {}
HASH.compare_by_identity
POINTS = []
TEXT = +"a text with a variable"
CLOSURES = []
WEAK = ObjectSpace::WeakMap.new
Thread.main[:visits] = []

def plant(number)
  Holder.shared << OfShared.new(1)
  Holder.on_class << OfOnClass.new(1)
  HASH[OfKey.new(1)] = OfValue.new(1)
  POINTS << Point.new(OfMember.new(1), nil)
  TEXT.instance_variable_set("@v#{number}", OfGeneric.new(1))
  mine = OfClosure.new(1)
  CLOSURES << -> { mine }
  Thread.main[:visits] << OfKept.new(1)
  Thread.main["key_#{HASH.size}".to_sym] = OfRead.new(1)
  WEAK[OfWeak.new(1)] = 1
end

locals = []
noted = ->(one) { locals << one }

$stdout.sync = true
puts "ready"
while (line = $stdin.gets)
  word, count = line.split
  case word
  when "leak"
    count.to_i.times { |i| plant(i) }
    count.to_i.times { noted.(OfLocal.new(1)) }
    puts "leaked #{count}"
  when "fork"
    child = fork do
      CHILD = Array.new(500) { OfValue.new(2) }
      sleep
    end
    puts "forked #{child}"
  when "told" then puts "told #{Thread.list.size} #{Object.autoload?(:NeverLoaded) ? "autoload" : "loaded"} #{GC.disable} #{GC.enable}"
  when "busy" # in C, with the lock of the VM
    puts "busy"
    ends = Process.clock_gettime(Process::CLOCK_MONOTONIC) + count.to_i
    ("a" * 27 + "b") =~ /^(a+)+$/ while Process.clock_gettime(Process::CLOCK_MONOTONIC) < ends
    puts "done"
  when "deadlock"
    begin
      Thread.new { Thread.stop }.join
    rescue Exception => error # fatal is no StandardError
      puts "deadlock #{error.class}"
    end
  when "quit" then exit! 0
  end
end
