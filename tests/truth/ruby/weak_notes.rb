# Notes on documents in a WeakMap; documents that are pinned stay, and so do what the map knows of them and Ruby's finalizers.
require "stage"

class Document
  def initialize(number)
    @title = "document #{number}"
    @tags = ["tag #{number}"]
  end
end

class Notes
  @pinned = []
  @by_document = ObjectSpace::WeakMap.new

  def self.pin(document)
    @pinned << document # truth: made
    @by_document[document] = document
  end
end

Stage.play { |number| Notes.pin(Document.new(number)) }
