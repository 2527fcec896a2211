// A server that leaks sessions while it works: see kit.py for the lines that it obeys. With the word "worker" behind it the load runs in
// a worker thread too; with "busy" there are pauses of 200 ms without an event, most of which it waits: one that spins takes a processor from all others.
'use strict';
const readline = require('readline');
const workers = require('worker_threads');

class Session {
  constructor(number) { this.number = number; this.user = new User(number); }
}

class User {
  constructor(number) { this.name = 'user ' + number; }
}

function load() {
  let ring = Array.from({length: 2500}, (_, i) => ({i, text: 'text ' + i}));
  setInterval(() => {
    ring = ring.slice(-2000).concat(Array.from({length: 500}, (_, i) => ({i, text: 'text ' + i})));
    if (process.argv.includes('busy')) {
      for (const end = Date.now() + 20; Date.now() < end;) ring[0] = {now: Date.now()};
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 180);
    }
  }, 5);
}

if (!workers.isMainThread) {
  load();
} else {
  global.registry = {sessions: []};
  if (process.argv.includes('worker')) new workers.Worker(__filename);
  load();
  readline.createInterface({input: process.stdin}).on('line', line => {
    const [verb, count] = line.split(' ');
    if (verb === 'quit') process.exit(0);
    for (let i = 0; i < Number(count); i++) global.registry.sessions.push(new Session(i));
    console.log('leaked', global.registry.sessions.length);
  });
  console.log('ready');
}
