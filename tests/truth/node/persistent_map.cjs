// An immutable map, a tree of sixteen branches: each version shares most nodes with the one before, and only the newest is kept.
'use strict';
const { play } = require('./stage.cjs');

class Leaf { constructor(key, value) { this.key = key; this.value = value; } }
class Branch { constructor(slots) { this.slots = slots; } }

function put(node, key, value, shift) {
  if (!(node instanceof Branch)) {
    if (!node) return new Leaf(key, value);
    return put(put(new Branch(new Array(16).fill(null)), node.key, node.value, shift), key, value, shift);
  }
  const slots = node.slots.slice();
  const at = key >>> shift & 15;
  slots[at] = put(slots[at], key, value, shift + 4);
  return new Branch(slots);
}

let state = new Branch(new Array(16).fill(null));

play({ noise: ['ring', 'requests', 'timers'], leak(number) { state = put(state, Math.imul(number, 0x9e3779b1) >>> 0, number, 0); } });
