// A singly linked list that grows at its tail: a path as long as the leak, which no recursion survives.
'use strict';
const {plant} = require('./plant.js');

class ListNode {
  constructor(value) { this.value = value; this.next = null; }
}

global.jobs = {head: new ListNode(0)};
let length = 1;

// No variable stays at the tail: it would be a second root of the last node.
function append(count) {
  let tail = global.jobs.head;
  while (tail.next) tail = tail.next;
  for (let i = 0; i < count; i++, length++) tail = tail.next = new ListNode(i);
}

plant({
  root: 'global.jobs',
  growing: ['ListNode'],
  // What hangs from the node that was the last one before the leak.
  holders: [{path: 'Object, .head ListNode, .next ListNode x2500'}],
  warmUp: () => append(2500),
  leak: () => { append(40_000); return {fresh: {ListNode: 40_000}}; },
  counts: () => ({ListNode: length}),
});
