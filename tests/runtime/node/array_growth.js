// A global array that only grows: global.sessions, objects of class Session.
'use strict';
const {plant} = require('./plant.js');

class Session {
  constructor(id) {
    this.id = id; this.user = id + 1; this.opened = id + 2; this.seen = id + 3; this.bytes = id + 4;
    this.pages = id + 5; this.errors = id + 6; this.score = id + 7; this.open = true; this.flags = 0;
  }
}

global.sessions = [];

function add(count) {
  for (let i = 0; i < count; i++) global.sessions.push(new Session(i));
}

plant({
  root: 'global.sessions',
  growing: ['Session'],
  holders: [{path: 'Array', items: '[*] Session'}],
  warmUp: () => add(1500),
  leak: () => { add(7321); return {fresh: {Session: 7321}}; },
  counts: () => ({Session: global.sessions.length}),
});
