// What every program of this folder has around its leak: the lines of tests/agents/kit.py, and noise that goes on all the time. All noise
// is bounded and has filled before "ready" is said, so a program stands at the same level whenever it is captured.
'use strict';
const { EventEmitter } = require('node:events');
const readline = require('node:readline');

let seed = 20_011;
function random(limit) {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed % limit;
}

class Page { constructor(path) { this.path = path; this.body = 'x'.repeat(20) + path; this.hits = 0; } }
class Sample { constructor(at) { this.at = at; this.values = [at, at + 1]; } }
class Visit { constructor(path) { this.path = path; this.tags = { path, kind: 'visit' }; } }
class Guest { constructor(number) { this.number = number; this.basket = []; } }

/** A cache that evicts its oldest page; on average every third look-up misses. */
function cache(limit = 400) {
  const pages = new Map();
  const look = path => {
    const page = pages.get(path) ?? new Page(path);
    page.hits++;
    pages.delete(path);
    pages.set(path, page);
    if (pages.size > limit) pages.delete(pages.keys().next().value);
  };
  for (let i = 0; i < limit; i++) look('/page/' + i);
  return () => look('/page/' + random(limit * 3));
}

/** The last measurements, in a ring. */
function ring(limit = 300) {
  const samples = Array.from({ length: limit }, (_, i) => new Sample(i));
  let at = 0;
  return () => { samples[at++ % limit] = new Sample(at); };
}

/** Requests that come, pass three listeners and are gone. */
function requests() {
  const site = new EventEmitter();
  const counts = { seen: 0, bytes: 0 };
  site.on('visit', () => { counts.seen++; });
  site.on('visit', visit => { counts.bytes += visit.path.length; });
  site.on('visit', async visit => { await null; visit.tags.kind = 'served'; });
  return () => site.emit('visit', new Visit('/visit/' + random(1000)));
}

/** Timeouts that are set anew all the time; as many wait as ever. */
function timers(limit = 40) {
  const waiting = Array.from({ length: limit }, () => setTimeout(() => {}, 3_600_000));
  return () => {
    const i = random(limit);
    clearTimeout(waiting[i]);
    waiting[i] = setTimeout(() => {}, 3_600_000);
  };
}

/** Buffers that are lent and come back. */
function pool(limit = 16) {
  const free = Array.from({ length: limit }, () => Buffer.alloc(4096));
  return () => {
    const lent = free.pop();
    lent.fill(random(256), 0, 32);
    free.unshift(lent);
  };
}

/** Guests who come and go: the house is always full. */
function guests(limit = 200) {
  const house = {};
  for (let i = 0; i < limit; i++) house['guest' + i] = new Guest(i);
  return () => {
    const name = 'guest' + random(limit);
    delete house[name];
    house[name] = new Guest(random(1_000_000));
  };
}

const kinds = { cache, ring, requests, timers, pool, guests };

/**
 * Runs a program: `leak(number)`, which may be async, is called for each thing that is to be planted, with noise in between.
 * `settle`, which may be async, ends when nothing of it is under way any more.
 */
exports.play = async ({ noise = ['cache', 'ring', 'requests', 'timers'], leak, settle = () => {} }) => {
  const turns = noise.map(name => kinds[name]());
  const turn = count => { for (let i = 0; i < count; i++) for (const one of turns) one(); };
  turn(2000);
  setInterval(() => turn(5), 5);
  let total = 0;
  console.log('ready');
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [verb, count] = line.split(' ');
    if (verb === 'quit') process.exit(0);
    for (const end = total + Number(count); total < end; total++) {
      await leak(total);
      turn(1);
    }
    await settle();
    console.log('leaked', total);
  }
};
exports.random = random;
