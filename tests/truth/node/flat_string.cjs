// The same trail; somebody searches it, so it is one flat string.
'use strict';
const { play } = require('./stage.cjs');

class Journal {
  text = '';
  add(line) { this.text += line; }
  has(word) { return this.text.indexOf(word) >= 0; }
}

const journal = new Journal();

function record(number) {
  journal.add(`entry ${number} by user ${number % 97}: accepted\n`);
  if (number % 100 === 99) journal.has('rejected');
}

play({ noise: ['cache', 'ring', 'guests'], leak: record, settle: () => journal.has('rejected') });
