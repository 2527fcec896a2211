// Event listeners that are added for each request and never removed: closures that hold their request.
'use strict';
const {EventEmitter} = require('events');
const {plant} = require('./plant.js');

class Request {
  constructor(id) {
    this.id = id; this.started = id + 1; this.bytes = id * 3; this.status = 200; this.retries = 0;
    this.priority = id & 3; this.depth = 0; this.cost = id + 2; this.limit = 100; this.open = true;
    this.a = 0; this.b = 0; this.c = 0; this.d = 0; this.e = 0; this.f = 0;
  }
}

global.bus = new EventEmitter();
global.bus.setMaxListeners(0);

function serve(count) {
  for (let i = 0; i < count; i++) {
    const request = new Request(i);
    global.bus.on('shutdown', () => { request.open = false; });
  }
}

plant({
  root: 'global.bus',
  growing: ['Request'],
  holders: [{path: 'EventEmitter, ._events Object, .shutdown Array', items: '.request Request'}],
  warmUp: () => serve(700),
  leak: () => { serve(4321); return {fresh: {Request: 4321}}; },
  counts: () => ({Request: global.bus.listenerCount('shutdown')}),
});
