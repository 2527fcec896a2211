# What every program of this folder has around its leak: the lines of tests/agents/kit.py, and noise that goes on all the time. All noise is
# bounded, and has filled before "ready" is said.
require "set"

module Stage
  class Page
    def initialize(path)
      @path = path
      @body = "page #{path}"
    end
  end

  class Reply
    def initialize(number)
      @status = 200
      @body = "reply to request #{number}"
    end
  end

  LINES = Thread::Queue.new

  # A cache that evicts its oldest page.
  def self.browse(pages, random)
    path = "/page/#{random.rand(900)}"
    pages[path] = pages.delete(path) || Page.new(path)
    pages.shift if pages.size > 300
  end

  def self.noise(filled)
    random = Random.new(7)
    pages = {}
    ring = Array.new(300) { |i| Reply.new(i) }
    guests = (0...100).to_h { |i| [i, { name: "guest #{i}" }] }
    at = 0
    loop do
      browse(pages, random)
      ring[at % ring.size] = Reply.new(at)
      guests[at % 100] = { name: "guest #{at}" }
      at += 1
      filled << true if at == 5000
      sleep 0.001 if at > 5000 && at % 50 == 0
    end
  end

  # Calls the block for each thing that is to be planted.
  def self.play
    filled = Thread::Queue.new
    Thread.new { noise(filled) }
    filled.pop
    $stdout.sync = true
    puts "ready"
    total = 0
    while (line = $stdin.gets)
      word, count = line.split
      exit!(0) if word == "quit"
      count.to_i.times do
        yield total
        total += 1
      end
      puts "leaked #{total}"
    end
  end
end
