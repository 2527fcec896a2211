// A Map in a variable that only a closure captures: no global and no module names it.
'use strict';
const {plant} = require('./plant.js');

class Draft {
  constructor(id) {
    this.id = id; this.author = id + 1; this.saved = id + 2; this.words = id * 5; this.open = true; this.edits = 2;
    this.parent = null; this.revision = 1;
  }
}

function makeStore() {
  const drafts = new Map();
  return function save(count) {
    for (let i = 0; i < count; i++) drafts.set(drafts.size, new Draft(i));
    return drafts.size;
  };
}

global.save = makeStore();

plant({
  root: 'global.save',
  growing: ['Draft'],
  holders: [{path: 'Function, .drafts Map', items: '[*] Draft'}],
  warmUp: () => global.save(1100),
  leak: () => { global.save(6004); return {fresh: {Draft: 6004}}; },
  counts: () => ({Draft: global.save(0)}),
});
