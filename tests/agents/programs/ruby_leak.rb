# Leaks on request under allocation load in two threads: kit.py says which lines it obeys. "keep N" plants N more in a global variable,
# "wait N" starts N threads that wait for ever, each with an object of its own.
class Tag
  def initialize(number) = @text = "tag #{number}"
end

class Session
  def initialize(number)
    @number = number
    @tag = Tag.new(number)
    @data = [number, nil, 1.5]
  end
end

class Waiter
  def initialize = @text = "waiting"
end

class Kept
end

module Shop
  class Cache
    SESSIONS = []
    def self.leak(count) = count.times { |i| SESSIONS << Session.new(i) }
  end
end

$kept = []

def load_heap(seed)
  queue = []
  loop do
    200.times do
      seed = (seed * 1_664_525 + 1_013_904_223) & 0xffffffff
      queue << "x" * (10 + seed % 400)
    end
    queue.clear if queue.size > 3000
    sleep 0.001
  end
end

def wait(mine)
  Thread.stop
  mine.inspect
end

2.times { |i| Thread.new { load_heap(i) } }
$stdout.sync = true
puts "ready"
while (line = $stdin.gets)
  word, count = line.split
  case word
  when "leak"
    Shop::Cache.leak(count.to_i)
    puts "leaked #{Shop::Cache::SESSIONS.size}"
  when "keep"
    count.to_i.times { $kept << Kept.new }
    puts "kept #{$kept.size}"
  when "wait"
    count.to_i.times { Thread.new { wait(Waiter.new) } }
    sleep 0.2
    puts "waiting"
  when "quit"
    exit! 0
  end
end
