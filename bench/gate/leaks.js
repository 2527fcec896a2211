// The planted leaks of server.js: each keeps a little of some requests for ever, the way services really forget to let go.
//
// A leak is {place, unit, keep}: place {root, path} is what hsdiff calls the container that grows, keep(context, bus) keeps something of
// a request, unit is about how many bytes of heap that costs, container included. leakEvery(kind, bytes, requests) spreads `bytes`
// over `requests` and returns what to call once for each request, or null without a leak.
'use strict';

const openRequests = [];
const pendingByKey = new Map();
const auditLog = {head: null};
const onShutdown = [];
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

function keepCallback(context) {
  const {id, path} = context;
  const state = {id, path, done: false};
  onShutdown.push(() => { state.done = true; });
}

function keepWaiter(context) {
  const waiter = {id: context.id, path: context.path, promise: null, resolve: null};
  waiter.promise = new Promise(resolve => { waiter.resolve = resolve; });
  waiters.add(waiter);
}

const LEAKS = {
  array: {
    place: {root: 'leaks.js.openRequests', path: 'Array'}, unit: 130,
    keep: context => openRequests.push({id: context.id, path: context.path, method: context.method, user: `user/${context.id}`}),
  },
  map: {
    place: {root: 'leaks.js.pendingByKey', path: 'Map'}, unit: 170,
    keep: context => pendingByKey.set(`${context.method} ${context.id}`, {id: context.id, path: context.path, retries: 0}),
  },
  list: {
    place: {root: 'leaks.js.auditLog', path: 'Object, .head AuditEntry, .next AuditEntry'}, unit: 104,
    keep: context => { auditLog.head = new AuditEntry(context, auditLog.head); },
  },
  listeners: {
    place: {root: 'server.js.bus', path: 'EventEmitter, ._events Object, .reload Array'}, unit: 190,
    keep: (context, bus) => bus.on('reload', () => { context.stale = true; }),
  },
  callbacks: {
    place: {root: 'leaks.js.onShutdown', path: 'Array'}, unit: 200,
    keep: keepCallback,
  },
  labels: {
    place: {root: 'leaks.js.hitsByUrl', path: 'Object'}, unit: 110,
    keep: context => { const label = `${context.path}#${context.id}`; hitsByUrl[label] = (hitsByUrl[label] ?? 0) + 1; },
  },
  waiters: {
    place: {root: 'leaks.js.waiters', path: 'Set'}, unit: 290,
    keep: keepWaiter,
  },
  buffers: {
    place: {root: 'leaks.js.seenTokens', path: 'Array'}, unit: 300,
    keep: context => seenTokens.push(Uint8Array.from({length: 24}, (_, i) => (context.id * 31 + i) & 255)),
  },
};

// {kind, place, count(), call(context, bus)}
function leakEvery(kind, bytes, requests) {
  if (!bytes) return null;
  const leak = LEAKS[kind];
  const share = bytes / requests;
  let owed = 0;
  let kept = 0;
  return {
    kind, place: leak.place, count: () => kept,
    call(context, bus) {
      for (owed += share; owed >= leak.unit; owed -= leak.unit) {
        leak.keep(context, bus);
        kept++;
      }
    },
  };
}

module.exports = {leakEvery, kinds: Object.keys(LEAKS)};
