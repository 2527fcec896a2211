// A tree that only grows: the module holds its root and the node that came last.
'use strict';
const { play } = require('./stage.cjs');

class TreeNode {
  constructor(key, parent) { this.key = key; this.parent = parent; this.children = []; }
}

let rootNode = new TreeNode(-1, null);
let lastNode = rootNode;

function insert(key) {
  let at = rootNode;
  for (let rest = Math.imul(key, 0x9e3779b1) >>> 0; at.children.length >= 4; rest = rest >>> 2 | rest << 30) at = at.children[rest & 3];
  lastNode = new TreeNode(key, at);
  at.children.push(lastNode);
}

play({ noise: ['cache', 'ring', 'timers', 'requests'], leak: insert });
