# Makes a Ruby program answer `hsdiff capture PID`: RUBYLIB=…/lib/hsdiff/ruby RUBYOPT=-rhsdiff, which `hsdiff capture -- ruby app.rb` sets.
#
# The agent's own thread is none of Ruby's. It sends a signal that nobody uses; Ruby runs the trap on the main thread between two instructions, and
# there the heap is walked. Nothing is in Thread.list, and a program whose threads all wait for each other ends as it did.
begin
  require_relative "#{RbConfig::CONFIG["ruby_version"][/\d+\.\d+/]}/hsdiff_agent"

  module HsdiffAgent
    def self.begin
      number = listen
      trap(number) { answer } if number > 0
    end

    # A child of fork has neither the thread nor the socket: it listens under its own pid.
    module Forked
      def _fork
        pid = super
        HsdiffAgent.begin if pid == 0
        pid
      end
    end
  end

  HsdiffAgent.begin
  Process.singleton_class.prepend(HsdiffAgent::Forked) if Process.respond_to?(:_fork)
rescue LoadError
  warn "hsdiff: there is no agent for Ruby #{RUBY_VERSION}: the program runs without"
end
