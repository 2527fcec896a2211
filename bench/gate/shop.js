// What server.js serves: a catalogue with its index, sessions and caches that are bounded, orders, rates and metrics. All of it follows
// from a seed and from the requests. The sizes vary by seed, so that no two services have the same heap.
'use strict';

const WORDS = ('red green blue small large soft hard warm cold light heavy round square wooden iron paper glass silver plain striped ' +
  'summer winter garden kitchen office travel children outdoor').split(' ');

// Small, fast and the same everywhere (mulberry32).
function makeRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// The least recently used goes first: a Map keeps the order of insertion.
class LruCache {
  constructor(limit, lifeMs = Infinity) {
    this.limit = limit;
    this.lifeMs = lifeMs;
    this.entries = new Map();
    this.hits = 0;
    this.misses = 0;
  }

  get(key) {
    const entry = this.entries.get(key);
    if (entry === undefined || entry.until < Date.now()) {
      this.entries.delete(key);
      this.misses++;
      return undefined;
    }
    this.entries.delete(key);
    this.entries.set(key, entry);
    this.hits++;
    return entry.value;
  }

  set(key, value) {
    this.entries.delete(key);
    this.entries.set(key, {value, until: Date.now() + this.lifeMs});
    if (this.entries.size > this.limit) this.entries.delete(this.entries.keys().next().value);
  }

  delete(key) {
    return this.entries.delete(key);
  }
}

// The last `size` things.
class Ring {
  constructor(size) {
    this.slots = new Array(size).fill(null);
    this.next = 0;
  }

  push(thing) {
    this.slots[this.next] = thing;
    this.next = (this.next + 1) % this.slots.length;
  }
}

// Requests of each client in the last second; clients that were silent are swept. `clients` is filled by nobody but a leak.
class RateLimiter {
  constructor() {
    this.buckets = new Map();
    this.clients = new Map();
  }

  admit(client, now) {
    let bucket = this.buckets.get(client);
    if (bucket === undefined || now - bucket.since > 1000) {
      bucket = {since: now, count: 0};
      this.buckets.set(client, bucket);
    }
    return ++bucket.count < 100000;
  }

  sweep(now) {
    for (const [client, bucket] of this.buckets) if (now - bucket.since > 1000) this.buckets.delete(client);
  }
}

class Product {
  constructor(id, random) {
    const words = Array.from({length: 4}, () => WORDS[Math.floor(random() * WORDS.length)]);
    this.id = id;
    this.name = `${words[0]} ${words[1]} thing ${id}`;
    this.tags = [...new Set(words)];
    this.price = Math.round(random() * 10000) / 100;
    this.stock = 1000 + Math.floor(random() * 100000);
    this.text = Array.from({length: 150 + Math.floor(random() * 200)}, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
    this.details = {weight: Math.floor(random() * 5000), maker: {name: `maker ${id % 37}`, country: WORDS[id % 7]}};
  }
}

function indexOf(products) {
  const index = new Map();
  for (const product of products) {
    for (const tag of product.tags) {
      if (!index.has(tag)) index.set(tag, []);
      index.get(tag).push(product);
    }
  }
  return index;
}

class Metrics {
  constructor() {
    this.routes = new Map();
    this.window = new Ring(120);
    this.statuses = {};
  }

  add(route, status, elapsed, bytes) {
    let row = this.routes.get(route);
    if (row === undefined) {
      row = {count: 0, total: 0, worst: 0, histogram: new Array(24).fill(0)};
      this.routes.set(route, row);
    }
    row.count++;
    row.total += elapsed;
    row.worst = Math.max(row.worst, elapsed);
    row.histogram[Math.min(23, Math.floor(Math.log2(1 + elapsed * 1000)))]++;
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    this.window.push({route, status, elapsed, bytes});
  }
}

// items: products of the catalogue. Everything else is bounded by what the seed says.
function makeShop(seed, items) {
  const random = makeRandom(seed);
  const about = count => Math.floor(count * (0.8 + 0.4 * random()));
  const products = Array.from({length: items}, (_, id) => new Product(id, random));
  return {
    random, products,
    index: indexOf(products),
    sessions: new LruCache(about(40)),
    pages: new LruCache(about(80)),
    fragments: new LruCache(about(80), 20000),
    orders: new Ring(about(12)),
    errors: new Ring(5),
    log: new Ring(300),
    limiter: new RateLimiter(),
    metrics: new Metrics(),
    orderCount: 0,
  };
}

module.exports = {makeShop, LruCache, Ring, WORDS};
