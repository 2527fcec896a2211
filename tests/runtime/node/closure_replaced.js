// An array in a captured variable, which each call replaces by a longer one: what survives is the closure alone.
'use strict';
const {plant} = require('./plant.js');

class Reading {
  constructor(id) {
    this.id = id; this.at = id + 1; this.value = id * 2; this.unit = 1; this.ok = true; this.sensor = 4; this.line = 0;
  }
}

function makeLog() {
  let readings = [];
  return function record(count) {
    const longer = Array.from({length: count}, (_, i) => new Reading(i));
    readings = readings.concat(longer);
    return readings.length;
  };
}

global.record = makeLog();

plant({
  root: 'global.record',
  growing: ['Reading'],
  holders: [{path: 'Function'}],
  warmUp: () => global.record(800),
  leak: () => { global.record(5500); return {fresh: {Reading: 5500}}; },
  counts: () => ({Reading: global.record(0)}),
});
