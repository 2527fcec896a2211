// The planted leaks of server.js: each keeps a little of some requests for ever, the way services really forget to let go.
//
// A leak is {place, unit, keep}: place {root, path} is what hsdiff calls the container that grows, keep(context, bus, shop) keeps something
// of a request, unit is about how many bytes of heap that costs, container included. leakEvery(kind, bytes, requests) spreads `bytes`
// over `requests` and returns what to call once for each request, or null without a leak.
'use strict';

const openRequests = [];
const pendingByKey = new Map();
const auditLog = {head: null};
const hitsByUrl = {};
const waiters = new Set();
const seenTokens = [];

class AuditEntry {
  constructor(context, next) {
    this.user = context.user;
    this.path = context.path;
    this.when = context.id;
    this.next = next;
  }
}

function keepWaiter(context) {
  const waiter = {id: context.id, path: context.path, promise: null, resolve: null};
  waiter.promise = new Promise(resolve => { waiter.resolve = resolve; });
  waiters.add(waiter);
}

const LEAKS = {
  array: {
    place: {root: 'leaks.js.openRequests', path: 'Array'}, unit: 126,
    keep: context => openRequests.push({id: context.id, path: context.path, method: context.method, user: `user/${context.id}`}),
  },
  map: {
    place: {root: 'leaks.js.pendingByKey', path: 'Map'}, unit: 143,
    keep: context => pendingByKey.set(`${context.method} ${context.id}`, {id: context.id, path: context.path, retries: 0}),
  },
  list: {
    place: {root: 'leaks.js.auditLog', path: 'Object'}, unit: 83,
    keep: context => { auditLog.head = new AuditEntry(context, auditLog.head); },
  },
  listeners: {
    place: {root: 'server.js.bus', path: 'EventEmitter, ._events Object, .reload Array'}, unit: 224,
    keep: (context, bus) => bus.on('reload', () => { context.stale = true; }),
  },
  buckets: {
    place: {root: 'server.js.shop', path: 'Object, .limiter RateLimiter, .clients Map'}, unit: 126,
    keep: (context, bus, shop) => shop.limiter.clients.set(`client ${context.id}`, {since: context.id, count: 1}),
  },
  labels: {
    place: {root: 'leaks.js.hitsByUrl', path: 'Object'}, unit: 80,
    keep: context => { const label = `${context.method} ${context.path}#${context.id}`; hitsByUrl[label] = (hitsByUrl[label] ?? 0) + 1; },
  },
  waiters: {
    place: {root: 'leaks.js.waiters', path: 'Set'}, unit: 342,
    keep: keepWaiter,
  },
  buffers: {
    place: {root: 'leaks.js.seenTokens', path: 'Array'}, unit: 236,
    keep: context => seenTokens.push(Uint8Array.from({length: 24}, (_, i) => (context.id * 31 + i) & 255)),
  },
};

// {kind, place, count(), call(context, bus, shop)}
function leakEvery(kind, bytes, requests) {
  if (!bytes) return null;
  const leak = LEAKS[kind];
  const share = bytes / requests;
  let owed = 0;
  let kept = 0;
  return {
    kind, place: leak.place, count: () => kept,
    call(context, bus, shop) {
      for (owed += share; owed >= leak.unit; owed -= leak.unit) {
        leak.keep(context, bus, shop);
        kept++;
      }
    },
  };
}

module.exports = {leakEvery, kinds: Object.keys(LEAKS)};
