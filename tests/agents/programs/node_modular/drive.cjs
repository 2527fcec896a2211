// What every program here obeys (tests/agents/kit.py): "ready", then "leak N" serves N requests, "quit". `serve(i)` is one request; it may
// give a promise. Between requests there is other work, so that a heap has things that come and go.
'use strict';
const readline = require('readline');

const noise = {ring: [], seen: new Map()};

function breathe(i) {
  noise.ring.push({i, text: 'line ' + i});
  if (noise.ring.length > 400) noise.ring.splice(0, 200);
  noise.seen.set(i % 300, {at: i});
}

module.exports = function drive(serve) {
  let total = 0;
  const lines = readline.createInterface({input: process.stdin});
  lines.on('line', async line => {
    const [verb, count] = line.split(' ');
    if (verb === 'quit') process.exit(0);
    for (let i = 0; i < Number(count); i++) {
      await serve(total++);
      breathe(total);
    }
    setTimeout(() => console.log('leaked', total), 20);
  });
  console.log('ready');
};
