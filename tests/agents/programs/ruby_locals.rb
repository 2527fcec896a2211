# What a method holds that never returns, and a block in it. The lines of kit.py.
OfMethod = Struct.new(:number)
OfBlock = Struct.new(:number)

class Server
  def serve(input)
    sessions = {}
    [input].each do |lines|
      queue = []
      while (line = lines.gets)
        word, count = line.split
        break if word == "quit"
        count.to_i.times { |i| sessions["k#{sessions.size}"] = OfMethod.new(i) }
        count.to_i.times { |i| queue << OfBlock.new(i) }
        puts "leaked #{count}"
      end
    end
    puts "over #{sessions.size}"
  end
end

$stdout.sync = true
puts "ready"
Server.new.serve($stdin)
