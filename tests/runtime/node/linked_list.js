// A singly linked list that grows at its tail: a path as long as the leak, which no recursion survives.
'use strict';
const {plant} = require('./plant.js');

class ListNode {
  constructor(value) { this.value = value; this.next = null; }
}

global.jobs = {head: new ListNode(0)};
let tail = global.jobs.head;
let length = 1;

function append(count) {
  for (let i = 0; i < count; i++, length++) tail = tail.next = new ListNode(i);
}

plant({
  root: 'global.jobs',
  growing: ['ListNode'],
  warmUp: () => append(2500),
  leak: () => { append(40_000); return {fresh: {ListNode: 40_000}}; },
  counts: () => ({ListNode: length}),
});
