# A tree that a constant and a global variable hold: its root and its last node.
require "stage"

class TreeNode
  attr_reader :children

  def initialize(parent, key)
    @parent = parent
    @key = key
    @children = []
  end
end

ROOT = TreeNode.new(nil, -1)
$last = ROOT

def insert(key)
  at = ROOT
  rest = key * 0x9e3779b1 & 0xffffffff
  while at.children.size >= 4
    at = at.children[rest & 3]
    rest = rest >> 2 | (rest & 3) << 30
  end
  $last = TreeNode.new(at, key)
  at.children << $last
end

Stage.play { |number| insert(number) }
