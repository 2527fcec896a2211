# A log in one string that grows.
require "stage"

class AuditLog
  TEXT = +""
  def self.add(number) = TEXT << "entry #{1_000_000 + number}: accepted by the second office\n"
end

Stage.play { |number| AuditLog.add(number) }
