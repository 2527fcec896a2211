// A leak in a module-level const, which no global names: the file and the variable do.
'use strict';
const {plant} = require('./plant.js');

class AuditEvent {
  constructor(id) {
    this.id = id; this.when = id + 1; this.who = id + 2; this.what = id + 3; this.where = id + 4; this.ok = true;
    this.size = 7; this.part = 1;
  }
}

const events = [];
module.exports.record = id => events.push(new AuditEvent(id));

function add(count) {
  for (let i = 0; i < count; i++) module.exports.record(i);
}

plant({
  root: 'module_const.js.events',
  growing: ['AuditEvent'],
  holders: [{path: 'Array', items: '[*] AuditEvent'}],
  warmUp: () => add(900),
  leak: () => { add(5005); return {fresh: {AuditEvent: 5005}}; },
  counts: () => ({AuditEvent: events.length}),
});
