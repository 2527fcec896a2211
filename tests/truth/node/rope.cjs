// An audit trail in one string that only grows, as V8 keeps it: a rope.
'use strict';
const { play } = require('./stage.cjs');

let audit = '';

function record(number) {
  audit += `entry ${number} by user ${number % 97}: accepted\n`;
}

play({ leak: record, settle: () => audit.length });
